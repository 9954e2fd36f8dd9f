#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
JPEG 2000 in TIFF as tifffile writes it, with the coder of the Python package imagecodecs: the command reads the samples that both read.

  test_tiff_judged.py WAVELANE FOLDER
"""
import os
import subprocess
import sys

if len(sys.argv) != 3:
    print(__doc__.strip(), file=sys.stdout if sys.argv[1:] in (["--help"], ["-h"]) else sys.stderr)
    sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
try:
    import imagecodecs
    import numpy
    import tifffile
except ImportError as missing:
    other = os.environ.get("WVL_HOSTS_PYTHON", "")
    if other and os.path.realpath(other) != os.path.realpath(sys.executable) and not os.environ.get("WVL_HOSTS_TRIED"):
        os.environ["WVL_HOSTS_TRIED"] = "1"
        os.execv(other, [other, *sys.argv])
    print(f"{missing}: pip install tifffile imagecodecs")
    sys.exit(77)

wavelane, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
TILES = {"tile": (48, 64)}
ROWS = [  # components, type, and how tifffile writes it
    (3, "u1", {"compression": 34712, "photometric": "rgb", **TILES}),
    (3, "u1", {"compression": 34712, "photometric": "rgb", "bigtiff": True, "byteorder": ">", **TILES}),
    (3, "u2", {"compression": 34712, "photometric": "rgb", "rowsperstrip": 30}),
    (3, "u2", {"compression": 34712, "photometric": "rgb", "planarconfig": "separate", **TILES}),
    (4, "u1", {"compression": 34712, "photometric": "rgb", "extrasamples": ["unassalpha"], **TILES}),
    (1, "u2", {"compression": 34712, "photometric": "minisblack", **TILES}),
    (1, "i1", {"compression": 34712, "photometric": "minisblack", **TILES}),
    (3, "u1", {"compression": 33005, "photometric": "rgb", **TILES}),
    (3, "u1", {"compression": 33003, "photometric": "rgb", **TILES}),
]


def picture(components, kind):
    y, x = numpy.mgrid[0:100, 0:130]
    samples = numpy.stack([x * (3 + c) * 211 + y * 517 + x * y // 7 for c in range(components)], -1).astype(kind)
    return samples if components > 1 else samples[..., 0]


def rgb_of(ycc):
    """BT.601 with full range, not rounded."""
    y, cb, cr = (ycc[..., c].astype(float) - (128 if c else 0) for c in range(3))
    rgb = numpy.stack([y + 1.402 * cr, y - (0.114 * 1.772 * cb + 0.299 * 1.402 * cr) / 0.587, y + 1.772 * cb], -1)
    return rgb.clip(0, 255)


failures = 0
for number, (components, kind, options) in enumerate(ROWS):
    name = os.path.join(folder, f"{number}.tif")
    samples = picture(components, kind)
    is_planar = options.get("planarconfig") == "separate"
    tifffile.imwrite(name, numpy.moveaxis(samples, -1, 0) if is_planar else samples, **options)
    read = tifffile.imread(name)
    wanted = numpy.moveaxis(read, 0, -1) if is_planar else read
    is_ycc = options["compression"] == 33003
    wanted, most = (rgb_of(wanted), 0.50001) if is_ycc else (wanted.astype(int), 0)
    subprocess.run([wavelane, "-i", name, "-o", name + ".j2k", "--force", "--quiet"], check=True)
    with open(name + ".j2k", "rb") as file:
        got = imagecodecs.jpeg2k_decode(file.read())
    if got.dtype != read.dtype or got.shape != wanted.shape or numpy.abs(got - wanted).max() > most:
        failures += 1
        print(f"FAIL: {components} components of {kind}, {options}: other samples")
print(f"{len(ROWS)} pictures, {failures} failures")
sys.exit(1 if failures else 0)
