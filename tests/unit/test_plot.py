#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
wavelane-bench plot: a trace, as wavelane-bench writes it, and the list of README become drawings with as many marks as they have.

  test_plot.py WAVELANE_BENCH SOURCES FOLDER
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
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

bench, sources, folder = (os.path.abspath(word) for word in sys.argv[1:4])
SVG = "{http://www.w3.org/2000/svg}"


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


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)


def test_trace():
    done = subprocess.run([bench, "frames", "--memory", "host", "--size", "96,64", "--frames", "2", "--ring", "2", "--turns", "1", "--seconds", "0.02", "--threads", "2", "--trace", "trace.json"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, "the trace: %d, %s" % (done.returncode, done.stdout.decode(errors="replace")))
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


def test_refusals():
    Path("text.json").write_text("no report\n")
    Path("other.json").write_text('{"a": 1}\n')
    Path("peer.json").write_text('[{"case": "c", "peer": "p", "where": "w", "times": "3"}]')
    for words in (["text.json"], ["other.json"], ["peer.json"], ["missing.json"], [], ["trace.json", "--frob"], ["trace.json", "--from", "1e9"], ["trace.json", "--only", "no such track"]):
        status, said = run(*words, "-o", "refused.svg")
        expect(status == 2 and said.startswith("plot: ") and said.count("\n") == 1, "%s: %s <%s>" % (words, status, said))
        expect(not os.path.exists("refused.svg"), "%s: leaves a drawing" % words)


def test_program():
    """wavelane-bench finds the script beside itself, and says what is missing."""
    os.makedirs("bin")
    Path("bin/python3").write_text('#!/bin/sh\nexec "%s" "$@"\n' % sys.executable)
    os.chmod("bin/python3", 0o755)
    def call(path, *words):
        done = subprocess.run([bench, "plot", *words], env=dict(os.environ, PATH=path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode() + done.stderr.decode()
    status, said = call(os.path.abspath("bin"), "--dark", "trace.json", "-o", "program.svg")
    expect(status == 0 and not said and plot.DARK["paper"] in Path("program.svg").read_text(), "wavelane-bench plot: %d %s" % (status, said))
    status, said = call(folder, "--help")
    expect(status == 1 and "python3, which draws" in said, "without python3: %d %s" % (status, said))
    os.makedirs("blind/matplotlib")
    Path("blind/matplotlib/__init__.py").write_text("raise ImportError('No module named matplotlib')\n")
    Path("bin/python3").write_text('#!/bin/sh\nPYTHONPATH=blind exec "%s" "$@"\n' % sys.executable)
    status, said = call(os.path.abspath("bin"), "trace.json", "-o", "program.svg")
    expect(status == 1 and "install matplotlib" in said and said.count("\n") == 1, "without matplotlib: %d %s" % (status, said))


for test in (test_trace, test_peers, test_refusals, test_program):
    test()
sys.exit(end())
