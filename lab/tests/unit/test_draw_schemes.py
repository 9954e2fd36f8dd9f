#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
draw_schemes on known reports: the pictures are XML, and points and bars lie where the numbers say; what is no report is refused.

  test_draw_schemes.py SCRIPT FOLDER
"""
import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
script, folder = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def expect(condition, what):
    if not condition:
        sys.exit(what)


def report(side, rows):
    """rows: (scheme, operations, seconds, share)"""
    path = folder / f"{side}.json"
    schemes = [{"wavelet": "cdf97", "scheme": s, "direction": "forward", "operations": o, "barriers": 1, "median_seconds": t,
                "least_seconds": t, "copy_share": c, "error": 0} for s, o, t, c in rows]
    path.write_text(json.dumps({"width": side, "height": side, "threads": 1, "copy_seconds": 1, "schemes": schemes}))
    return str(path)


def draw(*words):
    return subprocess.run([sys.executable, script, "--out", str(folder / "svg"), *words], capture_output=True, text=True, check=False)


def elements(name, kind):
    return tree.parse(folder / "svg" / f"{name}.svg").getroot().findall(f".//{SVG}{kind}")


# "b" takes twice the time a pixel of "a" at both sizes; both take as long a pixel at both.
files = [report(100, [("a", 16, 1e-4, 0.5), ("b<&", 32, 2e-4, 0.25)]), report(1000, [("a", 16, 1e-2, 0.5), ("b<&", 32, 2e-2, 0.25)])]
done = draw(*files)
expect(done.returncode == 0, done.stderr)
lines = [[tuple(map(float, p.split(","))) for p in line.get("points").split()] for line in elements("time", "polyline")]
expect(len(lines) == 2 and all(len(line) == 2 for line in lines), f"lines: {lines}")
expect(lines[0][0][1] == lines[0][1][1] > lines[1][0][1] == lines[1][1][1], "the slower scheme does not stand above")
expect(lines[0][0][0] == lines[1][0][0] < lines[0][1][0], "the larger picture does not stand to the right")
bars = [float(bar.get("width")) for bar in elements("copy", "rect")[1:]]
expect(len(bars) == 2 and abs(bars[0] - 2 * bars[1]) < 0.2, f"bars: {bars}")
dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in elements("operations", "circle")]
expect(len(dots) == 2 and dots[0][0] > dots[1][0] and dots[0][1] < dots[1][1], f"dots: {dots}")
expect(any(text.text.endswith("b<&") for text in elements("operations", "text")), "a name is lost")

expect(draw(files[0]).returncode == 0, "a single size is refused")
(folder / "no.json").write_text("[1]")
for words, text in ((("--wavelet", "cdf53", *files), "no report has"), ((str(folder / "no.json"),), "is no report"), (("none.json",), "is no report")):
    done = draw(*words)
    expect(done.returncode == 1 and text in done.stderr and "Traceback" not in done.stderr, done.stderr)
