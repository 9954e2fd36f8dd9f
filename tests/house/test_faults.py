#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The list of known faults of judges, conformance/faults.json: each entry is for the versions that were seen and no others, holds for the streams that its
evidence names, and neither for an ordinary stream nor for one that lacks the cause.

  test_faults.py FOLDER     of the sources
"""
import json
import os
import random
import re
import sys

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "conformance", "runner"))
import codestream  # noqa: E402
import faults  # noqa: E402
import matrix  # noqa: E402
import sources  # noqa: E402
from pictures import NotUnderstood  # noqa: E402

PATH = os.path.join(root, "conformance", "faults.json")

# An ordinary stream: 256 x 256 samples of 8 bits, RGB, one tile, one layer.
PLAIN = {"jp2": False, "bytes": 9000, "ppm": False, "ppt": False, "poc": False, "plm": False, "tlm": False, "cap": None, "main_roi": False, "roi": False, "coc": 0,
         "qcc": 0, "rsiz": 0, "x0": 0, "y0": 0, "x1": 256, "y1": 256, "tile_width": 256, "tile_height": 256, "tile_x0": 0, "tile_y0": 0, "components": 3,
         "depths": [8, 8, 8], "signs": [0, 0, 0], "steps": [(1, 1)] * 3, "tiles": 1, "progression": "LRCP", "layers": 1,
         "mct": 1, "levels": 5, "block_width": 64, "block_height": 64, "style": [], "ht": 0, "wavelet": "5/3", "sop": 0, "eph": 0, "precincts": [],
         "guard_bits": 2, "tile_parts": 1, "parts_of_a_tile": 1, "tile_poc": False, "tile_coding": False, "subsampled": False, "mixed_steps": False,
         "mixed_depths": False, "depth": 8, "odd_pair": False, "off_precincts": False, "least_block": 64, "signed": False, "container": "j2k", "row": "A01",
         "group": "A", "columns": {}}

# What a stream is beside that: where the fault is, and where all but its cause is there.
HOLDS = {
    "grok-two-rows-at-odd-place": ({"odd_pair": True}, {"tiles": 4}),
    "grok-converts-sycc": ({"subsampled": True, "mixed_steps": True, "steps": [(1, 1), (2, 2), (2, 2)]}, {"subsampled": True, "steps": [(2, 2)] * 3}),
    "grok-writes-no-mixed-pgx": ({"mixed_depths": True}, {"depth": 12}),
    "grok-pgx-of-many-components": ({"components": 5}, {"components": 4}),
    "openjpeg-grid-of-32-bits": ({"x1": 1 << 31}, {"x1": (1 << 31) - 1}),
    "ffmpeg-grid-of-31-bits": ({"y1": 65536}, {"y1": 65535}),
    "ffmpeg-pixel-formats": ({"depth": 17}, {"depth": 16}),
    "ffmpeg-odd-chroma": ({"subsampled": True, "x0": 1}, {"subsampled": True}),
    "grok-position-order-mixed-steps": ({"mixed_steps": True, "progression": "PCRL", "precincts": [(64, 64)]}, {"mixed_steps": True, "progression": "PCRL"}),
    "grok-passes-without-bytes": ({"layers": 5, "least_block": 28}, {"layers": 5, "least_block": 29}),
    "grok-many-tile-parts": ({"parts_of_a_tile": 60}, {"parts_of_a_tile": 40}),
    "grok-terminated-blocks-in-parts": ({"layers": 2, "parts_of_a_tile": 2, "style": ["TERMALL"]}, {"layers": 2, "parts_of_a_tile": 2, "style": ["RESET"]}),
    "ffmpeg-tile-parts": ({"parts_of_a_tile": 33}, {"parts_of_a_tile": 32}),
    "jpylyzer-tile-grid": ({"x0": 7, "tile_x0": 5}, {"x0": 7, "tile_x0": 7}),
    "grok-depth": ({"depth": 17}, {"depth": 16}),
    "ffmpeg-position-order-tiles": ({"progression": "RPCL", "off_precincts": True}, {"progression": "RPCL"}),
    "grok-ht-causal": ({"ht": 1, "style": ["VSC"]}, {"style": ["VSC"]}),
    "ffmpeg-roi-part": ({"roi": True}, {"ppm": True}),
    "ffmpeg-packed-headers-in-parts": ({"ppm": True, "parts_of_a_tile": 2}, {"ppm": True}),
    "openjpeg-adds-tile-poc": ({"poc": True, "tile_poc": True}, {"tile_poc": True}),
    "grok-ht-refinement": ({"ht": 1, "wavelet": "9/7"}, {"ht": 1}),
    "ffmpeg-no-ht": ({"ht": 1}, {"wavelet": "9/7"}),
    "jpylyzer-rsiz": ({"rsiz": 3}, {"rsiz": 2}),
    "jpylyzer-imf-4k-r": ({"rsiz": 0x0800}, {"rsiz": 0x0700}),
}

SEEN = {"grok": ["It has been compiled against libgrokj2k v10.0.5."], "openjpeg": ["OpenJPEG 2.5.0"], "ffmpeg": ["ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026"],
        "jpylyzer": ["2.1.0", "2.2.1"]}
OTHERS = {"grok": ["v10.0.6", "v10.1.0", "v110.0.5", "v10.0.50"], "openjpeg": ["OpenJPEG 2.5.1", "OpenJPEG 2.4.0", "OpenJPEG 12.5.0"],
          "ffmpeg": ["ffmpeg version 5.1.10", "ffmpeg version 5.2", "ffmpeg version 15.1.9"], "jpylyzer": ["2.1.1", "2.2.0", "12.1.0", "2.2.10"]}

failures = 0


def check(truth, text):
    global failures
    if not truth:
        failures += 1
        print("FAIL:", text)


def check_entry(fault):
    check(re.search(r"\d", fault.versions) and len(fault.evidence) > 40, f"{fault.id}: versions or evidence are missing")
    check(sum(bool(re.search(fault.versions, v)) for v in SEEN[fault.judge]) == 1, f"{fault.id}: {fault.versions} is not one version that was seen")
    check(not any(re.search(fault.versions, v) for v in OTHERS[fault.judge]), f"{fault.id}: {fault.versions} takes versions that nobody saw")
    check(not fault.holds(PLAIN), f"{fault.id} holds for an ordinary stream")
    check(fault.id in HOLDS, f"{fault.id}: this test does not know where it holds")
    with_cause, without = HOLDS.get(fault.id, ({}, {}))
    check(fault.holds({**PLAIN, **with_cause}), f"{fault.id} does not hold for {with_cause}")
    check(not fault.holds({**PLAIN, **without}), f"{fault.id} holds for {without}, which lacks the cause")


def check_explanations(known):
    odd, version = {**PLAIN, "odd_pair": True}, SEEN["grok"][0]
    explain = faults.explain
    check(explain(known, "grok", version, "wrong", "", odd).id == "grok-two-rows-at-odd-place", "a known fault is not explained")
    check(explain(known, "grok", version, "refuses", "", odd) is None, "another kind of dissent is explained")
    check(explain(known, "openjpeg", SEEN["openjpeg"][0], "wrong", "", odd) is None, "another judge's dissent is explained")
    check(explain(known, "grok", "v10.0.6", "wrong", "", odd) is None, "another version's dissent is explained")
    deep = {**PLAIN, "depth": 20}
    check(explain(known, "grok", version, "refuses", "unsupported precision 20", deep) is not None, "a refusal with its message is not explained")
    check(explain(known, "grok", version, "refuses", "no memory", deep) is None, "a refusal with another message is explained")


def blocks_by_counting(f):
    """Samples of each block, band by band, one sample after the other (B-15, B.7)."""
    counts = {}
    for y in range(f["y0"], f["y1"]):
        for x in range(f["x0"], f["x1"]):
            tile = ((x - f["tile_x0"]) // f["tile_width"], (y - f["tile_y0"]) // f["tile_height"])
            place, deep = (x, y), 0
            while deep < f["levels"] and not (place[0] & 1 or place[1] & 1):
                place, deep = (place[0] // 2, place[1] // 2), deep + 1
            kind = (place[0] & 1, place[1] & 1) if deep < f["levels"] else (0, 0)
            r = f["levels"] - deep if deep < f["levels"] else 0
            at = (place[0] // 2, place[1] // 2) if deep < f["levels"] else place
            precinct = f["precincts"][r] if f["precincts"] else (1 << 15, 1 << 15)
            size = [min(f[name], precinct[axis] >> (1 if r else 0)) for axis, name in enumerate(("block_width", "block_height"))]
            key = (tile, r, kind, at[0] // size[0], at[1] // size[1])
            counts[key] = counts.get(key, 0) + 1
    return counts


def check_least_block():
    chance = random.Random(24)
    for _ in range(200):
        levels, x0, y0 = chance.randrange(4), chance.randrange(20), chance.randrange(20)
        f = {**PLAIN, "levels": levels, "x0": x0, "y0": y0, "x1": x0 + chance.randrange(1, 50), "y1": y0 + chance.randrange(1, 50), "steps": [(1, 1)],
             "tile_x0": chance.randrange(x0 + 1), "tile_y0": chance.randrange(y0 + 1), "tile_width": chance.randrange(20, 60), "tile_height": chance.randrange(20, 60),
             "block_width": 1 << chance.randrange(2, 6), "block_height": 1 << chance.randrange(2, 6),
             "precincts": chance.choice(([], [(1 << chance.randrange(1, 6), 1 << chance.randrange(1, 6)) for _ in range(levels + 1)]))}
        wanted, found = min(blocks_by_counting(f).values()), codestream.least_block(f)
        check(found == min(wanted, f["block_width"] * f["block_height"]), f"the smallest block has {wanted} samples, not {found}: {f}")


def check_words():
    """What the runner does not understand of a matrix it says."""
    usual = {name: "-" for name in matrix.COLUMNS}
    usual.update(id="A01", image_kind="D:natural", size="64x64", comps="3", bits="8", signed="n")
    sources.check(matrix.Row("A01", usual))
    for name, word in (("image_kind", "D:unheard"), ("image_kind", "D:natural :: malloc fails"), ("size", "big"), ("comps", "three"), ("bits", "8,9"), ("signed", "maybe")):
        try:
            sources.check(matrix.Row("A01", {**usual, name: word}))
            check(False, f"{name} \"{word}\" is taken without a word")
        except NotUnderstood as error:
            check(word.split(" :: ")[-1] in str(error), f"{name} \"{word}\": {error} does not name it")


def main():
    known = faults.read(PATH)
    names = [fault.id for fault in known]
    check(len(names) == len(set(names)), f"an id stands twice: {sorted(names)}")
    check(set(HOLDS) <= set(names), f"not in the list: {set(HOLDS) - set(names)}")
    with open(PATH, encoding="utf-8") as file:
        check(set(json.load(file)) == {"about", "faults"}, "unknown members")
    for fault in known:
        check_entry(fault)
    check_explanations(known)
    check_least_block()
    check_words()
    print(f"{len(known)} known faults, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
