#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""draw_trace on a trace of known spans, and on one of the frames benchmark where it is given: bars, exposed time, refusals."""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
# Milliseconds. Exposed are 0 to 3 and 16 to 17; of what the device does, only 15.5 to 16 lies behind block coding.
SPANS = [("encode 1", "transform", 0, 4, 1), ("encode 2", "transform", 14, 17, 2), ("encode 1", "code", 3, 4, 1), ("encode 3", "code", 6, 16, 3),
         ("encode 2", "code", 18, 20, 2), ("cuda:0 upload", "upload", 1, 3, 0), ("cuda:0 kernels", "kernels", 15.5, 16.5, 0)]


def write_trace(path, spans):
    tracks = sorted({s[0] for s in spans})
    events = [{"ph": "M", "pid": 1, "tid": i, "name": "thread_name", "args": {"name": t}} for i, t in enumerate(tracks)]
    events += [{"ph": "X", "pid": 1, "tid": tracks.index(t), "name": n, "ts": 5e6 + 1e3 * b, "dur": 1e3 * (e - b), "args": {"picture": p}} for t, n, b, e, p in spans]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


def draw(script, *arguments):
    return subprocess.run([sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def check_known(script, path):
    write_trace(path, SPANS)
    root = tree.fromstring(draw(script, path, "--title", "a < b & c").stdout)
    bars = [r.get("data-name") for r in root.iter(SVG + "rect") if r.get("data-name")]
    texts = [t.text for t in root.iter(SVG + "text")]
    assert sorted(b for b in bars if b != "exposed") == sorted(s[1] for s in SPANS), bars
    assert bars.count("exposed") == 2 and "a < b & c" in texts, (bars, texts)
    assert texts[-1] == ("blocks coded 65.0 % of 20 ms, exposed 4.00 ms, device at work 3.00 ms, 16.7 % of it while blocks were being coded, "
                         "uploads 2.00 ms, 0.0 % of that while kernels were running"), texts[-1]
    assert texts.index("encode 3") < texts.index("cuda:0 upload") < texts.index("cuda:0 kernels"), texts
    piece = tree.fromstring(draw(script, path, "--from", "5", "--ms", "10").stdout)
    assert [t.text for t in piece.iter(SVG + "text")][-1] == "blocks coded 90.0 % of 10 ms, exposed 0.00 ms"


# Two pictures on a device: of the upload from 1 to 5 the part from 2 to 5 lies behind kernels. Kernels overlap from 6 to 7.
FLYING = [("cuda:0 upload", "upload", 0, 1, 0), ("cuda:0 upload", "upload", 1, 5, 0), ("cuda:0 kernels", "kernels", 2, 7, 0), ("cuda:0 kernels", "kernels", 6, 9, 0),
          ("cuda:0 download", "download", 7, 9, 0), ("encode 1", "code", 0, 9, 1)]


def check_overlaps(script, path):
    write_trace(path, FLYING)
    texts = [t.text for t in tree.fromstring(draw(script, path, "--only", "cuda").stdout).iter(SVG + "text")]
    assert texts[-1] == ("device at work 9.00 of 9 ms, uploads 5.00 ms, 60.0 % of that while kernels were running, "
                         "downloads 2.00 ms, 100.0 % of that while kernels were running"), texts[-1]
    assert texts.index("cuda:0 upload") < texts.index("cuda:0 kernels") < texts.index("cuda:0 kernels, 2") < texts.index("cuda:0 download"), texts
    assert "encode 1" not in texts and "cuda:0 upload, 2" not in texts, texts


def check_refusals(script, path):
    write_trace(path, SPANS)
    assert draw(script, path, "--from", "50").returncode == 1
    assert draw(script, path + ".none").returncode == 1
    with open(path, "w", encoding="utf-8") as file:
        file.write("[]")
    assert b"draw_trace" in draw(script, path).stderr


def main():
    script, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "trace.json")
    check_known(script, path)
    check_overlaps(script, path)
    check_refusals(script, path)
    if len(sys.argv) > 3:
        subprocess.run([sys.argv[3], "frames", "--size", "200,100", "--count", "4", "--frames", "2", "--threads", "2", "--trace", path], stdout=subprocess.DEVNULL, check=True)
        names = {r.get("data-name") for r in tree.fromstring(draw(script, path).stdout).iter(SVG + "rect")}
        assert {"transform", "code", "rate", "write"} <= names, names
    return 0


if __name__ == "__main__":
    sys.exit(main())
