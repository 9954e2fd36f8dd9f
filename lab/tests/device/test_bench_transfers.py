#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
wavelane-bench transfers with devices made of software: rows, same bits with every order of copies and transforms on one
device and on two, and what it refuses.

  test_bench_transfers.py BENCH
"""
import json
import os
import subprocess
import sys

ORDERS = ["copies, in turn", "copies, overlapped", "transforms", "all, in turn", "all, overlapped"]


def run(status, *options, **environment):
    words = [sys.argv[1], "transfers", "--runs", "1", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "SOFT_DEVICES": "2", **environment})
    if done.returncode != status:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, what):
    if not condition:
        sys.exit(what)


def rows(*options):
    report = json.loads(run(0, *options, "--json", "-").stdout)
    return report, report["rows"]


# Sides that end inside a tile; more pieces than workspaces; both devices.
for wavelet, levels in (("cdf97", 1), ("cdf53", 1), ("dd137", 1), ("cdf97", 3)):
    report, found = rows("--wavelet", wavelet, "--levels", str(levels), "--size", "131,117", "--tile", "32", "--pictures", "5", "--devices", "2", "--threads", "2")
    expect((report["width"], report["height"], report["pictures"], report["levels"]) == (131, 117, 5, levels), "the head is wrong")
    wanted = [(v, o, d) for v in ("base", "tiled") for d, orders in ((0, ["transforms"]), (1, ORDERS), (2, ORDERS)) for o in orders]
    expect([(r["variant"], r["order"], r["devices"]) for r in found] == wanted, f"rows: {found}")
    for row in found:
        compared = row["devices"] == 0 or row["order"].startswith("all")
        expect((row["error"] is not None) == (compared and levels == 1), f"compared with the textbook or not: {row}")
        expect(row["error"] is None or row["error"] <= 1e-5, f"differs from the textbook: {row}")
        expect((row["copy_share"] is not None) == row["order"].startswith("all"), f"share of the copies: {row}")
        expect(row["median_seconds"] >= row["least_seconds"] > 0 and row["gigabytes_per_second"] > 0, f"times: {row}")

# The table, and the CPU alone. A picture smaller than a tile is one tile.
text = run(0, "--devices", "0", "--size", "17,1", "--pictures", "1").stdout
expect(text.count("transforms") == 2 and "tiled" in text, text)

for status, words, options, environment in (
        (77, "2 CUDA devices are wanted, there are 1", ("--devices", "2", "--size", "9,9"), {"SOFT_DEVICES": "1"}),
        (1, "give a smaller --size", ("--size", "300,300"), {"SOFT_MEMORY": "300000"}),
        (1, "no transform", ("--wavelet", "db4", "--size", "9,9", "--devices", "0"), {}),
        (2, "give W,H", ("--size", "5"), {}), (2, "--tile", ("--tile", "2"), {}), (4, "no_folder", ("--size", "9,9", "--json", "no_folder/x"), {})):
    done = run(status, *options, **environment)
    expect(words in done.stderr, f"{options}: {done.stderr}")
