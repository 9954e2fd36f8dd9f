#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
No option is ignored without a word. Every option of the tables (those of the completion, which is made from them) is given in each of several
contexts: the command must refuse it, or warn, or do something else than without it. A new option needs a row with a value here.

  test_effects.py WAVELANE GEN_DOCS
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if len(sys.argv) != 3 or sys.argv[1] in ("--help", "-h"):
    sys.exit(print(__doc__.strip()))
WAVELANE, GEN_DOCS = map(os.path.abspath, sys.argv[1:])
failures = []

# ---- Options and a value that asks for something ------------------------------------------------------------------------

# SPELLING...|VALUE; an empty VALUE: the option takes none. "yes" where alone is yes.
ROWS = """
-i --input|grey.pgm
-o --output|other.j2k
-ImgDir --image-dir|many
-OutFor --out-format|JP2
--exr-compression|htj2k32
--pictures|2
--force|
--recursive|
--skip-existing|
-F --raw-format|96,64,1,8,u
--raw-layout|interleaved
--max-pixels|100
--input-format|tif
--page|3
--demo|
-r --rates|30
-q --psnr|30
-n --resolutions|3
--levels|3
-b --block|16,16
-c --precincts|[32,32]
-t --tile|40,30
-T --tile-offset|1,1
-d --image-offset|5,6
-s --subsampling|2,2
-p --progression|RPCL
-SOP -S --sop|yes
-EPH -E --eph|yes
-PLT --plt|yes
-TLM --tlm|yes
--plm|yes
-POC -P --progression-changes|T1=0,0,1,2,16384,CPRL/T1=2,0,65535,33,16384,RLCP
-ROI -R --roi|rect=0,0,9,9
-M --style|SEGSYM
-HT --ht|
-TP -u --tile-parts|R
-I --irreversible|
--reversible|no
-Y --mct|off
-cinema2K|24
-cinema4K|
-IMF|2K
-C --comment|hello
-GuardBits -G --guard-bits|4
-TargetBitDepth -X --target-bit-depth|10
--threads|1
--memory|1K
--spill-dir|.
-h --help|
--preset|iiif-lossy
--component-steps|1x1
--gml|
--palette|indices
--jpeg-ycc|keep
--pages|all
--channels|0
--drop-alpha|
--ycc-to-rgb|
--float-transfer|log
--float-range|0,1
--color|sycc
--input-color|rec709
--input-transfer|2.2
--input-range|video
--xml|note.xml
--uuid|00112233445566778899aabbccddeeff:note.xml
--verify|
--psnr-report|
--dry-run|
--explain|
--json|
--quiet|
--trace|trace.json
--verbose|
--version|
--overrides|C0:levels=2
--packed-headers|ppt
--registration|[1,1]
--profile|1
--frame-rate|30
--stereo|yes
--hfr|yes
--main-level|2
--sub-level|1
--quantization|derived
--step|0.01
--qfactor|50
--distortion-bits|0
--bpp|0.5
--layer-bytes|3000
--slopes|40000
--layers|4
--max-bytes|3000
--max-component-bytes|1500
--rdoq|yes
--visual|yes
--ht-passes|2
--measure-psnr|yes
--container|jph
--device|cpu
--reach|blocks
--output-memory|device
--device-memory|1000000
"""

# What is so already, and why: OPTION CONTEXT, or OPTION * for all contexts.
ALREADY = """
--max-input-bytes * a limit for pipes and devices, which unit.cli_files has
--icc * pictures here have no profile
--no-icc * pictures here have no profile
--no-xmp * pictures here have no XMP
--keep * pictures here have no metadata
--strip * pictures here have no metadata
--orient * pictures here are stored upright
-o plan the name is checked, nothing is written
-OutFor folder the same format
--pictures folder files and messages do not depend on it
--force folder given there
--force plan nothing is written
-TLM cinema the profile has it
-TLM imf the profile has it
-HT ht the extension says so
-HT ht-rate the extension says so
-I irreversible given there
-I irreversible-rate given there
-I ht-rate given there
-I cinema the profile has it
-I imf the profile has it
--reversible irreversible given there
--reversible irreversible-rate given there
--reversible ht-rate given there
--reversible cinema the profile has it
--reversible imf the profile has it
-Y grey one component has no colour transform
--channels grey there is one channel
--pages plan there is one page
--dry-run plan explain is one
--explain plan given there
--quiet plan a plan is asked for, and printed
--verbose plan explain says all of it
--device plan nothing is transformed
--reach plan nothing is transformed
--output-memory plan nothing is finished
--device-memory * it bounds a device, which device.strips has
--threads plan nothing is coded
--rdoq irreversible-rate auto does it
--rdoq reversible-rate auto does it
--rdoq cinema auto does it
--container ht the extension says so
"""

# ---- Contexts -----------------------------------------------------------------------------------------------------------

# NAME|ARGUMENTS
CONTEXTS = """
grey|-i grey.pgm -o out.j2k
rgb-jp2|-i rgb.ppm -o out.jp2
irreversible|-i rgb.ppm -o out.j2k -I
irreversible-rate|-i rgb.ppm -o out.j2k -I --bpp 2
reversible-rate|-i rgb.ppm -o out.j2k -r 4
layers|-i rgb.ppm -o out.j2k --layers 3
ht|-i rgb.ppm -o out.jph
ht-rate|-i rgb.ppm -o out.jhc -I --bpp 2
cinema|-i rgb.ppm -o out.j2c -TargetBitDepth 12 --preset dci-2k-24
imf|-i rgb.ppm -o out.j2k --preset imf-2k
raw|-i raw.raw -F 96,64,3,8,u -o out.j2k
colour|-i rgb.ppm -o out.j2k --input-color rec2020
folder|-ImgDir many -OutFor JP2 --force
plan|-i rgb.ppm --explain
"""


def ramp(kind, channels, width, height):
    samples = ((x * 2 + y * (c + 1) + x * y * 7 % 53) % 256 for y in range(height) for x in range(width) for c in range(channels))
    return b"P%d\n%d %d\n255\n" % (kind, width, height) + bytes(samples)


RGB, GREY = ramp(6, 3, 96, 64), ramp(5, 1, 96, 64)
PICTURES = {"rgb.ppm": RGB, "grey.pgm": GREY, "raw.raw": RGB[-18432:], "note.xml": b"<a/>\n", "many/a.ppm": RGB, "many/b.pgm": GREY}
LINES = {name: [line for line in text.split("\n") if line] for name, text in (("rows", ROWS), ("already", ALREADY), ("contexts", CONTEXTS))}
TIMES = re.compile(rb', [0-9.]* s, [0-9.]* Msamples/s|"[a-z_]*second[a-z]*": *[^,{}]*[,}]|"stage_seconds":\{[^}]*\}')

# ---- Runs ---------------------------------------------------------------------------------------------------------------


def run(folder, arguments, existing=None):
    """The exit code, the error text, and everything that can be seen of the run."""
    for path in folder.rglob("*"):
        if path.is_file() and str(path.relative_to(folder)) not in PICTURES:
            path.unlink()
    if existing:
        (folder / existing).touch()
    done = subprocess.run([WAVELANE, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, "LC_ALL": "C"})
    files = sorted((str(p.relative_to(folder)), p.name != "trace.json" and p.read_bytes()) for p in folder.rglob("*") if p.is_file())
    return done.returncode, done.stderr, (TIMES.sub(b"", done.stdout), TIMES.sub(b"", done.stderr), files)


def check_context(root, context, arguments):
    folder = root / context
    for name, data in PICTURES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    already = {line.split()[0] for line in LINES["already"] if line.split()[1] in ("*", context)}
    arguments, before = arguments.split(), {}
    for row in LINES["rows"]:
        spellings, value = row.split("|")
        option = spellings.split()[0]
        existing = "".join(re.findall(r"out\.[a-z0-9]*", " ".join(arguments))) if option == "--force" else None
        extra = {"--threads": ["--verbose"], "--device": ["--verbose"], "--reach": ["--verbose"],
                 "--measure-psnr": ["--measure-psnr=no", "--json"]}.get(option, [])  # auto measures pictures as small as these; JSON says what was measured
        key = (tuple(extra), existing)
        if key not in before:
            before[key] = run(folder, arguments + extra, existing)[2]
        is_alone = not value or (value == "yes" and re.match("-[A-Z]", option))
        code, error, seen = run(folder, arguments + extra + [option] + ([] if is_alone else [value]), existing)
        what = f"{option} {value} in {context}"
        if code < 0 or (code >= 128 and code != 130):
            failures.append(f"{what}: exit {code}")
        if code and not error:
            failures.append(f"{what}: refused without a word")
        elif seen == before[key] and option not in already:
            failures.append(f"{what}: no effect, no error, no warning ({' '.join(arguments)})")


def check_spellings(root):
    """The rows have all options and no others; an empty value, as of a script that has lost a variable, is refused."""
    folder = root / "spellings"
    folder.mkdir()
    (folder / "grey.pgm").write_bytes(GREY)
    text = subprocess.run([GEN_DOCS, "bash"], capture_output=True, text=True, check=True).stdout
    function = text[text.index("_wavelane_options()"):]
    names = set(re.search(r"^ *encode\) echo .(.*). ;;$", function, re.M).group(1).split())
    known = {spelling: row.split("|")[1] for row in LINES["rows"] for spelling in row.split("|")[0].split()}
    judged_elsewhere = {line.split()[0] for line in LINES["already"] if line.split()[1] == "*"}
    if len(names) <= 100:
        failures.append("few options found")
    failures.extend(f"{name}: no row with a value for it in this test" for name in sorted(names - set(known) - judged_elsewhere))
    failures.extend(f"{name}: has a row, but is no option" for name in sorted(set(known) - names))
    for name, value in known.items():
        if value and run(folder, ["-i", "grey.pgm", "-o", "out.j2k", "--force", name, ""])[0] != 2:
            failures.append(f"{name} with an empty value is not refused")
    return len(known)


with tempfile.TemporaryDirectory() as root, ThreadPoolExecutor(os.cpu_count()) as pool:
    works = [pool.submit(check_context, Path(root), *line.split("|")) for line in LINES["contexts"]] + [pool.submit(check_spellings, Path(root))]
    for work in works:
        work.result()
print(*(f"FAIL: {failure}" for failure in failures), sep="\n")
print(f"{len(LINES['rows']) * len(LINES['contexts'])} runs with an option, {len(failures)} failures")
sys.exit(bool(failures))
