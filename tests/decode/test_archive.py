#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Every preservation preset on pictures with and without ICC, XMP and resolution: jpylyzer must find the JP2 file valid and see what the picture said,
opj_dump and grk_dump (where installed) must read the same numbers, and wavelane verify must find profile and samples.

  test_archive.py WAVELANE FOLDER        the folder takes pictures and files; real pictures come from WVL_TEST_PICTURES
"""
import functools
import os
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../unit"))

from small_pictures import directory, icc  # noqa: E402

WIDTH, HEIGHT = 611, 397
XMP = (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><r xmlns:tiff='t' xmlns:exif='e' xmlns:photoshop='p' tiff:Make='a' exif:ExifVersion='0220' "
       b"photoshop:Credit='c'/></x:xmpmeta>")
XMP_MAKE = "t"  # the name space of tiff:Make above
DOTS_PER_INCH = 300
REAL = ("kodim03.png", "ic_spider_web_g8.png", "GoldenGate_srgb16.tif", "M13_blue_0001.pgm", "Nikon-D300-12bit_2020_g1_dt.png",
        "scan-mono-iccgray.tif")

# What the published profiles ask of a picture, and what must be in the file: order, layers, levels, wavelet, profile of the walker.
PRESETS = {
    "archive-lossless": (lambda p: True, "RPCL", 11, 5, "5-3 reversible", "jp2"),
    "iiif-lossless": (lambda p: True, "RPCL", 6, 6, "5-3 reversible", "jp2"),
    "iiif-lossy": (lambda p: True, "RPCL", 6, 6, "9-7 irreversible", "jp2"),
    "kb-master": (lambda p: (p.count, p.depth) == (3, 8) and p.icc and p.xmp and p.dots, "RPCL", 11, 5, "5-3 reversible", "kb-master"),
    "kb-access": (lambda p: (p.count, p.depth) == (3, 8), "RPCL", 8, 5, "9-7 irreversible", "kb-access"),
    "ndnp": (lambda p: (p.count, p.depth) == (1, 8), "RLCP", 25, 6, "9-7 irreversible", "ndnp"),
    "bodleian": (lambda p: True, "RPCL", 6, 6, "5-3 reversible", "bodleian"),
    "bodleian-lossy": (lambda p: True, "RPCL", 6, 6, "9-7 irreversible", "bodleian-lossy"),
    "bl-newspaper": (lambda p: p.depth == 8, "RPCL", 12, 6, "9-7 irreversible", "bl-newspaper"),
    "wellcome": (lambda p: True, "RPCL", 1, 7, "9-7 irreversible", "jp2"),
}


class Picture:
    def __init__(self, path, count, depth, icc=b"", xmp=False, dots=0):
        self.path, self.count, self.depth, self.icc, self.xmp, self.dots = path, count, depth, icc, xmp, dots


# ---- Pictures ---------------------------------------------------------------------------------------------------------------------


@functools.lru_cache
def draw(count, depth):
    """Slopes, edges and grain, low byte first."""
    state, out = 1, bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            for c in range(count):
                v = (x * (3 + c) + y * 5 >> 2) + (60 if (x // 37 + y // 29) % 2 else 0) + (state >> 24 & 7)
                out += (v * 37 & 0xFFFF).to_bytes(2, "little") if depth == 16 else (v & 255).to_bytes(1, "little")
    return bytes(out)


def write_tiff(path, count, depth, profile=b"", xmp=False, dots=0):
    samples = draw(count, depth)
    tags = {256: (4, [WIDTH]), 257: (4, [HEIGHT]), 258: (3, [depth] * count), 259: (3, [1]), 262: (3, [2 if count == 3 else 1]), 273: (4, [8]), 277: (3, [count]),
            278: (4, [HEIGHT]), 279: (4, [len(samples)])}
    tags.update({282: (5, [(dots, 1)]), 283: (5, [(dots, 1)]), 296: (3, [2])} if dots else {})
    tags.update({700: (1, XMP)} if xmp else {})
    tags.update({34675: (7, profile)} if profile else {})
    samples += bytes(len(samples) % 2)
    with open(path, "wb") as file:
        file.write(b"II*\0" + struct.pack("<I", 8 + len(samples)) + samples + directory("<", 8 + len(samples), tags))
    return Picture(path, count, depth, profile, xmp, dots)


def pictures(wavelane, folder):
    adobe, grey = icc(b"RGB ", b"Adobe RGB (1998)"), icc(name=b"Dot Gain 20%")
    yield write_tiff(os.path.join(folder, "rgb8.tif"), 3, 8)
    yield write_tiff(os.path.join(folder, "rgb8_all.tif"), 3, 8, adobe, True, DOTS_PER_INCH)
    yield write_tiff(os.path.join(folder, "rgb16_all.tif"), 3, 16, adobe, True, DOTS_PER_INCH)
    yield write_tiff(os.path.join(folder, "grey8.tif"), 1, 8, dots=DOTS_PER_INCH)
    yield write_tiff(os.path.join(folder, "grey16_icc.tif"), 1, 16, grey, False, DOTS_PER_INCH)
    for name in REAL if os.environ.get("WVL_TEST_PICTURES") else ():
        path = os.path.join(os.environ["WVL_TEST_PICTURES"], name)
        if os.path.exists(path):
            out = run([wavelane, "-i", path, "-o", os.path.join(folder, "x.jp2"), "--dry-run", "--json"]).stdout
            depths = [int(d) for d in re.findall(r'"depth":(\d+)', out)]
            yield Picture(path, len(depths), depths[0], icc=None, xmp=None, dots=None)  # None: not compared


# ---- Judges -----------------------------------------------------------------------------------------------------------------------


def run(argv):
    return subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=300)


def text_of(tree, *names):
    found = tree.findtext(".//" + "/".join("{*}" + n for n in names))
    return found if found is None else found.strip()


def metadata_faults(tree, p):
    wrong = []
    if p.icc is not None:
        method = text_of(tree, "colourSpecificationBox", "meth")
        size = text_of(tree, "colourSpecificationBox", "icc", "profileSize")
        if method != ("Restricted ICC" if p.icc else "Enumerated") or (p.icc and size != str(len(p.icc))):
            wrong.append(f"colour by {method}, profile of {size} bytes")
    if p.dots is not None:
        found = [text_of(tree, "captureResolutionBox", f"{axis}RescInPixelsPerInch") for axis in "vh"]
        if [f and abs(float(f) - p.dots) < 0.1 for f in found] != ([True, True] if p.dots else [None, None]):
            wrong.append(f"capture resolution {found}, {p.dots} is in the picture")
    if p.xmp is not None:
        found = [e.get(f"{{{XMP_MAKE}}}Make") for e in tree.findall(".//{*}uuidBox/{adobe:ns:meta/}xmpmeta/{*}r")]
        if found != (["a"] if p.xmp else []):
            wrong.append(f"XMP packets {found}")
    return wrong


def ask_jpylyzer(paths):
    """What it says of each file, by its path; it takes longer to start than to read one."""
    tree = xml.etree.ElementTree.fromstring(run(["jpylyzer", *paths]).stdout)
    return {text_of(f, "fileInfo", "filePath"): f for f in tree.findall("{*}file")}


def jpylyzer_faults(tree, p, wanted):
    failed = sorted(e.tag.split("}")[1] for e in tree.iter() if e.text == "False")
    wrong = [] if text_of(tree, "isValid") == "True" else ["not valid: " + ", ".join(failed)]
    wrong += ["warns: " + e.text for e in tree.iter() if e.tag.endswith("}warning") and e.text]
    seen = tuple(text_of(tree, "cod", n) for n in ("order", "layers", "levels", "transformation"))
    wrong += [] if seen == tuple(map(str, wanted)) else [f"order, layers, levels, wavelet {seen}"]
    shape = tuple(text_of(tree, "imageHeaderBox", n) for n in ("nC", "bPCDepth", "bPCSign"))
    wrong += [] if shape == (str(p.count), str(p.depth), "unsigned") else [f"components, depth, sign {shape}"]
    return ["jpylyzer: " + w for w in wrong + metadata_faults(tree, p)]


def dump_faults(program, path, p, wanted):
    if not shutil.which(program):
        return []
    o = run([program, "-i", path])
    patterns = (r"numcomps=(\d+)", r"prec=(\d+)", r"numlayers=(\d+)", r"numresolutions=(\d+)", r"qmfbid=(\d)")
    found = [re.search(pattern, o.stdout) for pattern in patterns]
    seen = [int(m.group(1)) if m else None for m in found]
    asked = [p.count, p.depth, wanted[1], wanted[2] + 1, int(wanted[3].startswith("5-3"))]
    complaint = re.search(r"\[(?:ERROR|WARNING|error|warning)\].*", o.stdout + o.stderr)
    text = f"{program}: ended with {o.returncode}, components, depth, layers, resolutions, reversible {seen}, asked {asked}"
    return [f"{text}; {complaint.group(0) if complaint else ''}"] if o.returncode or seen != asked or complaint else []


def verify_faults(wavelane, path, p, profile, lossless):
    o = run([wavelane, "verify", "--profile", profile, "--original", p.path, "--json", path])
    good = o.returncode == 0 and '"profile_met":true' in o.stdout and '"warnings":0' in o.stdout
    if "no OpenJPEG" in o.stderr:
        return []
    exact = '"exact":true' in o.stdout
    return [] if good and (exact or not lossless) else [f"verify: ended with {o.returncode}, exact {exact}: {o.stderr.strip()[:300]}"]


def encode(wavelane, folder, preset, p):
    """The path of the file, and what is wrong; neither where the picture is refused as it must be."""
    path = os.path.abspath(os.path.join(folder, f"{os.path.splitext(os.path.basename(p.path))[0]}_{preset}.jp2"))
    if os.path.exists(path):
        os.remove(path)
    o = run([wavelane, "-i", p.path, "-o", path, "--preset", preset, "--quiet"])
    if not PRESETS[preset][0](p):
        return None, [] if o.returncode in (2, 6) and o.stderr.strip() and not os.path.exists(path) else [f"not refused: ended with {o.returncode}"]
    return (None, [f"ended with {o.returncode}: {o.stderr.strip()}"]) if o.returncode else (path, [])


def judge(wavelane, preset, p, path, tree):
    _, *wanted, profile = PRESETS[preset]
    wrong = jpylyzer_faults(tree, p, wanted) + verify_faults(wavelane, path, p, profile, wanted[3].startswith("5-3"))
    return wrong + dump_faults("opj_dump", path, p, wanted) + dump_faults("grk_dump", path, p, wanted)


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    wavelane, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    listed = run([wavelane, "--demo", "-o", os.path.join(folder, "x.jp2"), "--preset", "none-such"]).stderr.split("there are")[-1]
    bad = tried = refused = 0
    for p in pictures(wavelane, folder):
        encoded = {preset: encode(wavelane, folder, preset, p) for preset in PRESETS}
        trees = ask_jpylyzer([path for path, _ in encoded.values() if path])
        for preset, (path, wrong) in encoded.items():
            tried, refused = tried + 1, refused + (not path and not wrong)
            wrong = judge(wavelane, preset, p, path, trees[path]) if path else wrong
            if wrong:
                bad += 1
                print(f"{preset}, {os.path.basename(p.path)}: " + "; ".join(wrong))
    missing = [n for n in re.findall(r"[\w-]+", listed) if n not in PRESETS and not n.startswith(("dci", "imf", "broadcast", "ht-", "dicom-"))]  # no JP2
    if missing:
        print(f"presets that are not tried: {missing}")
    print(f"{tried} pairs of preset and picture: {tried - refused - bad} valid, {refused} refused as the profile has it, {bad} wrong")
    return 1 if bad or missing or tried == refused else 0


if __name__ == "__main__":
    sys.exit(main())
