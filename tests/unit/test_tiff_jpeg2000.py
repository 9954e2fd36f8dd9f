#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
JPEG 2000 in TIFF: strips and tiles that the command made have the bytes of the same picture as PNM or raw samples. What contradicts the directory,
or is damaged, is refused in one line, and leaves no file.

  test_tiff_jpeg2000.py WAVELANE FOLDER
"""
import os
import struct
import subprocess
import sys
from pathlib import Path

from checks import end, expect
from small_pictures import tiff_of_pieces

if sys.argv[1:] in (["--help"], ["-h"]):
    sys.exit(print(__doc__.strip()))
wavelane, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
WIDTH, HEIGHT, ACROSS, DOWN = 70, 50, 48, 32
YCC, RGB, ANY = 33003, 33005, 34712


def run(*arguments):
    return subprocess.run([wavelane, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True)


def encode(name, data, *options, kind="j2k"):
    """What the command makes of a file of these bytes."""
    (folder / name).write_bytes(data)
    result = run("-i", folder / name, "-o", folder / f"out.{kind}", "--force", "--quiet", *options)
    if result.returncode:
        print(result.stderr.decode())
    return (folder / f"out.{kind}").read_bytes() if result.returncode == 0 else None


# ---- Pictures ------------------------------------------------------------------------------------------------------------


def sample(x, y, c, depth):
    """0 outside the picture, as a writer may fill a tile."""
    return (x * 37 + y * (c + 5) * 11 + (x * y >> 3)) * 193 % (1 << depth) if x < WIDTH and y < HEIGHT else 0


def area(x0, y0, width, height, components, depth, value=sample):
    values = [value(x, y, c, depth) for y in range(y0, y0 + height) for x in range(x0, x0 + width) for c in components]
    return struct.pack(f">{len(values)}{'B' if depth <= 8 else 'H'}", *values)


def pnm(width, height, components, depth, data):
    return b"P%d\n%d %d\n%d\n" % (6 if len(components) == 3 else 5, width, height, (1 << depth) - 1) + data


def part(x, y, width, height, components=(0, 1, 2), depth=8, kind="j2k", value=sample):
    return encode("part.pnm", pnm(width, height, components, depth, area(x, y, width, height, components, depth, value)), kind=kind)


def parts(components=(0, 1, 2), is_cut=False, width=ACROSS, height=DOWN, **options):
    """All tiles of the picture, or with its width all strips. is_cut: those on the edge end with the picture."""
    return [part(x, y, min(width, WIDTH - x) if is_cut else width, min(height, HEIGHT - y) if is_cut else height, components, **options)
            for y in range(0, HEIGHT, height) for x in range(0, WIDTH, width)]


TILES = {322: (3, [ACROSS]), 323: (3, [DOWN])}
STRIPS = {278: (3, [DOWN])}


def tiff(pieces, compression=ANY, samples=3, depth=8, photometric=None, tags=TILES, order="<", width=WIDTH, height=HEIGHT):
    return tiff_of_pieces(pieces, {256: (3, [width]), 257: (3, [height]), 258: (3, [depth] * samples), 259: (3, [compression]),
                                   262: (3, [(2 if samples == 3 else 1) if photometric is None else photometric]), 277: (3, [samples]), **tags}, order)


def whole(components=(0, 1, 2), depth=8, value=sample, *options):
    return encode("whole.pnm", pnm(WIDTH, HEIGHT, components, depth, area(0, 0, WIDTH, HEIGHT, components, depth, value)), *options)


def is_same(what, file, wanted, *options):
    got = encode("a.tif", file, *options)
    expect(wanted and got == wanted, f"{what}: another picture")
    return got


folder.mkdir(parents=True, exist_ok=True)
tiles, grey = parts(), parts((0,), depth=12)
wanted = whole()
is_same("tiles", tiff(tiles), wanted)
is_same("tiles of Aperio, with a photometric interpretation that counts for nothing", tiff(tiles, RGB, photometric=6), wanted)
is_same("most significant byte first", tiff(tiles, order=">"), wanted)
is_same("tiles that end with the picture", tiff(parts(is_cut=True)), wanted)
is_same("strips, the last one full", tiff(parts(width=WIDTH, kind="jp2"), tags=STRIPS), wanted)
is_same("strips, the last one cut", tiff(parts(width=WIDTH, is_cut=True), tags=STRIPS), wanted)
is_same("one strip without RowsPerStrip", tiff(parts(width=WIDTH, height=HEIGHT), tags={}), wanted)
is_same("planes", tiff([p for c in range(3) for p in parts((c,), kind="jp2")], tags={**TILES, 284: (3, [2])}), wanted)
is_same("12 bits", tiff(grey, samples=1, depth=12), whole((0,), 12))
is_same("16 bits", tiff(parts(depth=16, width=WIDTH), depth=16, tags=STRIPS), whole(depth=16))
is_same("0 is white", tiff(parts((0,)), samples=1, photometric=0), whole((0,), 8, lambda *at: 255 - sample(*at)))
is_same("a tile that is not in the file", tiff([tiles[0], b"", *tiles[2:]]), whole((0, 1, 2), 8, lambda x, y, *at: 0 if x >= ACROSS and y < DOWN else sample(x, y, *at)))
is_same("a tile of 12 bits that is not in the file", tiff([grey[0], b"", *grey[2:]], samples=1, depth=12, tags={**TILES, 42113: (2, b"2500\0")}),
        whole((0,), 12, lambda x, y, *at: 2500 if x >= ACROSS and y < DOWN else sample(x, y, *at)))
colors = [c * 257 for c in range(256)]
is_same("a palette", tiff(parts((0,)), samples=1, photometric=3, tags={**TILES, 320: (3, colors * 3)}), whole((0, 1, 2), 8, lambda x, y, c, d: sample(x, y, 0, d)))

# ---- By rows ---------------------------------------------------------------------------------------------------------------

is_same("tiles, by rows", tiff(tiles), wanted, "--memory", "40M")
(folder / "rows.tif").write_bytes(tiff(tiles))
shown = run("-i", folder / "rows.tif", "-o", folder / "no.j2k", "--force", "--memory", "40M", "--dry-run", "--explain").stdout
expect(b"row by row: " in shown, "by rows: --explain does not say so")

# ---- YCbCr -----------------------------------------------------------------------------------------------------------------

# A single tile, so that chroma between two samples is that of uncompressed data.
W, H = 46, 30


def planes(step_x, step_y):
    return [bytes(sample(x, y, c, 8) for y in range(0, H, step_y if c else 1) for x in range(0, W, step_x if c else 1)) for c in range(3)]


def units(data, step_x, step_y):
    """As TIFF has subsampled YCbCr without compression."""
    across = -(-W // step_x)
    out = b""
    for v in range(-(-H // step_y)):
        for u in range(across):
            luma = [(min(v * step_y + j, H - 1), min(u * step_x + i, W - 1)) for j in range(step_y) for i in range(step_x)]
            out += bytes(data[0][y * W + x] for y, x in luma) + bytes([data[1][v * across + u], data[2][v * across + u]])
    return out


for step_x, step_y in ((1, 1), (2, 1), (2, 2)):
    data, name = planes(step_x, step_y), f"YCbCr of {step_x} x {step_y}"
    raw = ["-F", f"{W},{H},3,8,u@1x1:{step_x}x{step_y}:{step_x}x{step_y}"]
    coded = encode("part.yuv", b"".join(data), *raw)
    plain = tiff([units(data, step_x, step_y)], 1, photometric=6, tags={530: (3, [step_x, step_y])}, width=W, height=H)
    rgb, kept = encode("plain.tif", plain, "--ycc-to-rgb"), encode("plain.tif", plain)
    # The directory of a slide says RGB, and its subsampling may be that of nothing.
    for photometric, tags in ((2, {}), (6, {530: (3, [2, 2])})):
        strip = tiff([coded], YCC, photometric=photometric, tags=tags, width=W, height=H)
        is_same(f"{name}, PhotometricInterpretation {photometric}", strip, rgb)
        text = run("-i", folder / "a.tif", "-o", folder / "no.j2k", "--force").stderr.decode()
        expect(text.endswith("a.tif: YCbCr of JPEG 2000 data became RGB\n"), f"{name}, PhotometricInterpretation {photometric}: {text}")
        is_same(f"{name}, PhotometricInterpretation {photometric}, kept", strip, kept, "--jpeg-ycc", "keep")
    expect(rgb != kept, f"{name}: no conversion")

# ---- Refusals --------------------------------------------------------------------------------------------------------------


def refused(what, file, words, *options):
    (folder / "bad.tif").write_bytes(file)
    output = folder / "bad.j2k"
    output.unlink(missing_ok=True)
    result = run("-i", folder / "bad.tif", "-o", output, "--quiet", *options)
    text = result.stderr.decode()
    lines = [line for line in text.splitlines() if line.startswith("wavelane:")] # the child of a build with sanitizers may speak too
    expect(result.returncode == 3 and len(lines) == 1 and words in lines[0], f"{what}: {result.returncode}, {text}")
    expect(not output.exists() and not list(folder.glob("bad.j2k*")), f"{what}: a file is left")


last, at = tiles[3], len(tiles[3])
for options in ((), ("--memory", "40M")):
    refused("a smaller tile", tiff([*tiles[:3], part(48, 32, 16, 16)]), "tile 3 of 4: codestream of 16 x 16, components 3: the directory says 48 x 32, 3", *options)
    refused("a tile that is cut short", tiff([*tiles[:3], last[:at // 2]]), "TIFF: tile 3 of 4: OpenJPEG: ", *options)
    refused("a tile of other bytes", tiff([*tiles[:3], bytes(64)]), "tile 3 of 4: neither a codestream nor a JP2 file with one", *options)
refused("a cut tile in the middle", tiff([part(0, 0, WIDTH - ACROSS, DOWN), *tiles[1:]]), "tile 0 of 4: codestream of 22 x 32")
refused("one component", tiff([*tiles[:3], part(48, 32, ACROSS, DOWN, (0,))]), "components 1: the directory says 48 x 32, 3")
refused("another depth", tiff([*grey[:3], part(48, 32, ACROSS, DOWN, (0,), 10)], samples=1, depth=12), "tile 3 of 4: component 0: 10 bits, unsigned: the directory says 12, unsigned")
refused("another sign", tiff(grey, samples=1, depth=12, tags={**TILES, 339: (3, [2])}), "tile 0 of 4: component 0: 12 bits, unsigned: the directory says 12, signed")
refused("steps in RGB", tiff([encode("part.yuv", b"".join(planes(2, 1)), "-F", f"{W},{H},3,8,u@1x1:2x1:2x1")], RGB, tags={}, width=W, height=H),
        "strip 0 of 1: component 1: steps of 2 x 1: must be 1 x 1")
refused("floating point", tiff(tiles, tags={**TILES, 339: (3, [3] * 3)}, depth=16), "Compression 34712 (JPEG 2000) with SampleFormat 3: must be integers", "--float-transfer", "linear")
refused("a tile beyond the file", tiff(tiles)[:at * 3], "truncated")
subprocess.run([sys.executable, "-B", Path(__file__).with_name("make_inputs.py"), folder], check=True)
refused("a tile that ends OpenJPEG's process", tiff([(folder / "fatal.jhc").read_bytes()], tags={}, width=61, height=43), "TIFF: strip 0 of 1: OpenJPEG")

sys.exit(end())
