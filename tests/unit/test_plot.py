#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
wavelane-bench plot: each kind of report, as the programs write it, becomes a drawing with as many marks as the report has.

  test_plot.py WAVELANE WAVELANE_BENCH SOURCES FOLDER
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from checks import end, expect

if "--help" in sys.argv:
    print(__doc__.strip())
    sys.exit(0)
try:
    import matplotlib  # noqa: F401
except ImportError:
    print("skipped: no matplotlib (Debian: python3-matplotlib) of " + sys.executable)
    sys.exit(77)

wavelane, bench, sources, folder = (os.path.abspath(word) for word in sys.argv[1:5])
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"


def load_script():
    loader = importlib.machinery.SourceFileLoader("plot", os.path.join(sources, "tools/bench/plot"))
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", loader))
    loader.exec_module(module)
    return module


plot = load_script()


def run(*words):
    """(exit status, standard error) of the script within this process."""
    said, before = io.StringIO(), sys.argv
    sys.argv = ["plot", *words]
    try:
        with contextlib.redirect_stderr(said):
            status = plot.main()
    finally:
        sys.argv = before
    return status, said.getvalue()


def make(name, *command):
    """A report of a program."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    expect(done.returncode == 0, "%s: %d, %s" % (name, done.returncode, done.stderr.decode(errors="replace")))
    if not Path(name).exists():
        Path(name).write_bytes(done.stdout)


class Drawing:
    def __init__(self, report, *options):
        status, said = run(report, "-o", "drawn.svg", *options)
        expect(status == 0 and not said, "%s %s: %s %s" % (report, options, status, said))
        self.root, self.report = ElementTree.parse("drawn.svg").getroot(), report
        self.text = "\n".join("".join(t.itertext()) for t in self.root.iter(SVG + "text"))
        self.ids = [e.get("id") for e in self.root.iter() if e.get("id")]
        expect(self.root.tag == SVG + "svg", report + ": not SVG")
        expect(len(set(self.ids)) == len(self.ids), report + ": an identifier stands twice")

    def says(self, *texts):
        for text in texts:
            expect(text in self.text, "%s: lacks the text \"%s\"" % (self.report, text))

    def has_ids(self, prefix, count):
        found = sum(name.startswith(prefix) for name in self.ids)
        expect(found == count, "%s: %d of %s, expected %d" % (self.report, found, prefix, count))

    def has_marks(self, group, count):
        """Paths of a group, or uses of one."""
        parts = [e for e in self.root.iter(SVG + "g") if e.get("id") == group]
        hidden = {id(e) for part in parts for d in part.iter(SVG + "defs") for e in d.iter()}
        marks = [e for part in parts for e in part.iter() if e.tag in (SVG + "path", SVG + "use") and id(e) not in hidden]
        uses = [e for e in marks if e.tag == SVG + "use"]
        found = len(uses or marks)
        expect(found == count, "%s: %d marks in %s, expected %d" % (self.report, found, group, count))


# ---- Reports -----------------------------------------------------------------------------------------------------------

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(os.path.join(folder, "frames"))
os.chdir(folder)
WIDTH, HEIGHT = 96, 64


def picture(seed):
    samples = bytes((x * x * (c + 3) + y * 7 * seed + (x * y >> 4) * 31) % 251 for y in range(HEIGHT) for x in range(WIDTH) for c in range(3))
    return b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + samples


for i in range(4):
    Path("frames/f%d.ppm" % i).write_bytes(picture(i + 1))


def test_speed():
    make("encode.json", bench, "encode", "--size", "64,48", "--runs", 2, "--threads", "1,2", "--simd", "c", "--json", "encode.json")
    expect("no SIMD" in json.loads(Path("encode.json").read_text())["wavelane"], "--simd c: the report names another level")
    data = json.loads(Path("encode.json").read_text())
    drawn = Drawing("encode.json")
    drawn.has_ids("bar-", sum(len(m["coders"]) for m in data["modes"]))
    drawn.says("Lossless, 5/3", "Lossy, 9/7, 1 bit a pixel", "Wavelane, 2 threads", "million samples a second")
    make("frames.json", bench, "frames", "--memory", "host", "--size", "96,64", "--frames", "0,2", "--ring", 2, "--turns", 2, "--seconds", 0.02, "--threads", 2, "--json",
         "frames.json")
    drawn = Drawing("frames.json", "--dark", "--title", "A <title> & more")
    drawn.has_ids("bar-", 6)
    drawn.says("one by one", "2 in flight", "milliseconds", "A <title> & more")
    expect(plot.DARK["paper"] in Path("drawn.svg").read_text(), "--dark: not on its paper")


def test_quality():
    done = subprocess.run([bench, "rd", "frames/f0.ppm", "--bpp", "0.5,1,2", "--floor", "-100", "--json", "rd.json"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False)
    if b"without OpenJPEG" in done.stderr:
        print("note: built without OpenJPEG, which rd needs; a report made up takes its place")
        row = {"picture": "f0.ppm", "pixels": 6144, "color_transform": 1, "openjpeg_bytes": 400, "wavelane_bytes": 399, "openjpeg_db": 30, "wavelane_db": 30.1, "difference_db": 0.1}
        Path("rd.json").write_text(json.dumps({"wavelane": "", "openjpeg": "", "rows": [dict(row, bpp=b) for b in (0.5, 1, 2)]}))
    rows = json.loads(Path("rd.json").read_text())["rows"]
    drawn = Drawing("rd.json")
    for i, color in enumerate(dict.fromkeys(r["color_transform"] for r in rows)):
        for coder in ("wavelane", "openjpeg"):
            drawn.has_marks("curve-%d-%s" % (i, coder), sum(r["color_transform"] == color and r[coder + "_db"] is not None for r in rows))
    drawn.says("bits a pixel", "PSNR, dB", "dB above OpenJPEG", "colour transform on: ")


def test_packets():
    make("f0.jp2", wavelane, "-i", "frames/f0.ppm", "-o", "f0.jp2", "--levels", 2, "--layers", 2, "--bpp", 6, "--block", "16,16", "--tile", "64,64")
    make("packets.json", wavelane, "info", "--packets", "--json", "f0.jp2")
    packets = json.loads(Path("packets.json").read_text())["packets"]
    blocks = {(p["tile"], p["precinct"], b[2] // 16, b[3] // 16) for p in packets for b in p["blocks"] if b[1] == 1 and b[0] and b[8]}
    low = {(p["tile"], p["precinct"], b[2], b[3]) for p in packets for b in p["blocks"] if not b[0] and p["component"] == 1 and b[8]}
    drawn = Drawing("packets.json")
    drawn.has_marks("packets", sum(p["bytes"] > 0 for p in packets))
    drawn.has_marks("blocks", len(blocks))
    drawn.says("resolution 2: ", "headers, boxes: ", "HL, LH and HH of level 1 together, all components together", "byte of the file")
    drawn = Drawing("packets.json", "--by", "layer", "--level", "LL", "--component", "1")
    drawn.has_marks("blocks", len(low))
    drawn.says("layer 1: ", "LL, component 1")
    data = json.loads(Path("packets.json").read_text())
    space = plot.Grid(data)
    cells, held = plot.cells_of(data, 1, [0, 2], space), sum(b[8] for p in packets if p["component"] != 1 for b in p["blocks"] if b[1] == 1 and b[0])
    expect(sum(value for _, value in cells) == held > 0, "blocks of level 1: %d bytes, drawn %d" % (held, sum(value for _, value in cells)))
    expect(space.place(1, 0, {"level": 2, "band": 0, "x": 16, "y": 0, "width": 8, "height": 16}, 0) == [64, 96], "a block of LL is not where its tile is")
    expect(space.place(0, 0, {"level": 1, "band": 2, "x": 16, "y": 16, "width": 16, "height": 16}, 1) == [32, 64], "a block of LH is not at its rows")


def test_sequence():
    make("sequence.jsonl", wavelane, "sequence", "frames", "coded_%03d.j2c", "--bits-per-second", 400000, "--lag", 2, "--report", "sequence.jsonl")
    drawn = Drawing("sequence.jsonl")
    drawn.has_ids("bar-", 4)
    drawn.has_marks("fill-0", 4)
    drawn.says("4 frames, 0 of them failed", "limit of the frame", "Bytes a frame", "cap 1: ")
    lines = Path("sequence.jsonl").read_text().splitlines()
    Path("failed.jsonl").write_text("\n".join(lines[:2] + [json.dumps({"frame": 2, "status": "failed", "exit_code": 3})] + lines[3:]) + "\n")
    drawn = Drawing("failed.jsonl", "--dark")
    drawn.has_ids("bar-", 3)
    drawn.says("4 frames, 1 of them failed", "failed")


def test_trace():
    make("trace.txt", bench, "frames", "--memory", "host", "--size", "96,64", "--frames", 2, "--ring", 2, "--turns", 1, "--seconds", 0.02, "--threads", 2, "--trace",
         "trace.json")
    spans = [e for e in json.loads(Path("trace.json").read_text())["traceEvents"] if e["ph"] == "X" and e["dur"] > 0]
    drawn = Drawing("trace.json")
    for name in {s["name"] for s in spans}:
        drawn.has_marks("spans-" + name, sum(s["name"] == name for s in spans))
    drawn.says("milliseconds", "blocks coded ", "transform")
    copies = [(0, "kernels", 0, 4), (0, "upload", 3, 6), (1, "code", 0, 8), (1, "transform", 8, 9)]
    exposed, text = plot.describe_trace([(t, n, b, e, 1) for t, n, b, e in copies], 10)
    expect(exposed == [[8, 9]] and "uploads 3.00 ms, 33.3 % of it while kernels ran" in text and "blocks coded 80.0 % of 10 ms" in text, "trace: " + text)


def test_peers():
    peers = json.loads(Path(sources, "docs/figures/peers.json").read_text())
    drawn = Drawing(os.path.join(sources, "docs/figures/peers.json"))
    drawn.has_ids("bar-", len(peers))
    drawn.says(*{p["case"] for p in peers}, *{"times " + p["peer"] for p in peers}, *{"%.1f" % p["times"] for p in peers})
    expect(drawn.root.get("width") == "540pt", "peers: not 720 pixels wide")
    for committed in ("peers-light.svg", "peers-dark.svg"):
        text = "\n".join("".join(t.itertext()) for t in ElementTree.parse(os.path.join(sources, "docs/figures", committed)).getroot().iter(SVG + "text"))
        expect(text == drawn.text, "docs/figures/%s was not drawn from peers.json" % committed)


# ---- Pages and refusals ------------------------------------------------------------------------------------------------

def test_page():
    status, said = run("frames.json", "encode.json", "packets.json", "-o", "page.html", "--title", "All & <more>")
    text = Path("page.html").read_text() if status == 0 else ""
    expect(status == 0, "page: " + said)
    expect(text.count("<svg") == 3 and text.startswith("<!doctype html>") and "All &amp; &lt;more&gt;" in text, "page: not three drawings under a title")
    expect(set(re.findall(r"https?://[^\"' ]*", text)) == {SVG[1:-1], LINK[1:-1]} and "<script" not in text, "page: names other hosts, or has scripts")
    ids = re.findall(r'\bid="([^"]*)"', text)
    expect(len(set(ids)) == len(ids) and all(r in ids for r in re.findall(r'(?:href="#|url\(#)([^")]*)', text)), "page: identifiers stand twice or are missing")


def test_refusals():
    Path("text.json").write_text("no report\n")
    Path("other.json").write_text('{"a": 1}\n')
    Path("short.json").write_text('{"modes": [{"mode": "lossy", "coders": [{"coder": "wavelane"}]}], "picture": "p", "width": 1, "height": 1, "components": 1, "depth": 8, "runs": 1}')
    Path("peer.json").write_text('[{"case": "c", "peer": "p", "where": "w", "times": "3"}]')
    make("plain.json", wavelane, "info", "--json", "f0.jp2")
    cases = (["text.json"], ["other.json"], ["short.json"], ["peer.json"], ["missing.json"], ["f0.jp2"], ["plain.json"], ["encode.json", "frames.json"], [],
             ["encode.json", "--frob"], ["packets.json", "--level", "7"], ["packets.json", "--level", "x"], ["packets.json", "--component", "3"],
             ["trace.json", "--from", "1e9"], ["trace.json", "--only", "no such track"])
    for words in cases:
        status, said = run(*words, "-o", "refused.svg")
        expect(status == 2 and said.startswith("plot: ") and said.count("\n") == 1, "%s: %s <%s>" % (words, status, said))
        expect(not os.path.exists("refused.svg"), "%s: leaves a drawing" % words)
    for name in ("picture.png", "none/picture.svg"):
        status, said = run("encode.json", "-o", name)
        expect(status == 2 and said.count("\n") == 1, "%s: %s <%s>" % (name, status, said))


def test_program():
    """wavelane-bench finds the script beside itself, and says what is missing."""
    os.makedirs("bin")
    Path("bin/python3").write_text('#!/bin/sh\nexec "%s" "$@"\n' % sys.executable)
    os.chmod("bin/python3", 0o755)
    def call(path, *words):
        done = subprocess.run([bench, "plot", *words], env=dict(os.environ, PATH=path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode() + done.stderr.decode()
    status, said = call(os.path.abspath("bin"), "encode.json", "-o", "program.svg")
    expect(status == 0 and not said and ElementTree.parse("program.svg"), "wavelane-bench plot: %d %s" % (status, said))
    status, said = call(os.path.abspath("bin"), "--help")
    expect(status == 0 and "--dark" in said, "wavelane-bench plot --help: %d %s" % (status, said))
    status, said = call(os.path.abspath("frames"), "--help")
    expect(status == 1 and "python3, which draws" in said, "without python3: %d %s" % (status, said))
    os.makedirs("blind/matplotlib")
    Path("blind/matplotlib/__init__.py").write_text("raise ImportError('No module named matplotlib')\n")
    Path("bin/python3").write_text('#!/bin/sh\nPYTHONPATH=blind exec "%s" "$@"\n' % sys.executable)
    status, said = call(os.path.abspath("bin"), "encode.json", "-o", "program.svg")
    expect(status == 1 and "install matplotlib" in said and said.count("\n") == 1, "without matplotlib: %d %s" % (status, said))


for test in (test_speed, test_quality, test_packets, test_sequence, test_trace, test_peers, test_page, test_refusals, test_program):
    test()
sys.exit(end())
