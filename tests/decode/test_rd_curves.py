#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""rd_curves on a small drawn picture: well-formed SVG, a curve of each coder in each panel, points that rise with the rate."""
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

SIDE, RATES = 96, 2


def draw_picture(path):
    pixels = bytes((x * y // 7 + 40 * c * ((x // 8 + y // 8) % 2) + (x * 31 + y * 17 + c * 5) % 23) % 256
                   for y in range(SIDE) for x in range(SIDE) for c in range(3))
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (SIDE, SIDE) + pixels)


def curves_of(path):
    """(coder, panel) to the list of places of every curve in a drawing."""
    found = {}
    for line in tree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}polyline"):
        key = line.get("data-coder"), line.get("data-panel")
        assert key not in found, "%s: %s is drawn twice" % (path, key)
        found[key] = [tuple(map(float, p.split(","))) for p in line.get("points").split()]
    return found


def check_picture(path, coders):
    found = curves_of(path)
    assert set(found) == {(c, p) for c in coders for p in ("psnr", "difference")}, found.keys()
    for (coder, panel), places in found.items():
        assert len(places) == RATES, (coder, panel, places)
        if panel == "psnr":
            (x0, y0), (x1, y1) = places
            assert x0 < x1 and y0 > y1, "%s: more bits, but not more dB: %s" % (coder, places)


def main():
    script, build, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    picture = os.path.join(folder, "drawn & <small>.ppm")
    draw_picture(picture)
    done = subprocess.run([sys.executable, script, "--build", build, "--out", folder, "--bpp", "1,2", "--set", "rdoq=yes", picture],
                          stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    coders = {"OpenJPEG", "Wavelane", "Wavelane rdoq=yes"}
    if shutil.which("grk_compress") and "Grok is left out" not in said:
        coders.add("Grok")
    else:
        assert "Grok" in said, "Grok is missing, and nothing says so"
    check_picture(os.path.join(folder, "drawn & <small>.svg"), coders)
    assert set(curves_of(os.path.join(folder, "mean.svg"))) == {(c, "difference") for c in coders}
    with open(os.path.join(folder, "curves.md"), encoding="utf-8") as file:
        rows = [line for line in file if line.startswith("| drawn")]
    assert len(rows) == RATES * len(coders), rows

    done = subprocess.run([sys.executable, script, "--build", build, "--out", folder, "--set", "no-such-key=1", picture],
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"no-such-key" in done.stderr, done
    print("rd_curves: %d coders, nothing wrong" % len(coders))


main()
