#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
wavelane-bench schemes: small pictures, what it writes, its cache, and what it refuses.

  test_bench_schemes.py BENCH COMPILER FOLDER
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

bench, compiler, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def run(status, *options):
    words = [bench, "schemes", "--cache", str(folder / "cache"), "--compiler", compiler, "--runs", "1", "--tile", "16", *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != status:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def expect(condition, what):
    if not condition:
        sys.exit(what)


def compiled():
    return sorted((folder / "cache").iterdir())


# Two threads, sizes that end inside a tile; both files.
few = ("--wavelet", "cdf53,cdf97", "--scheme", "sep_lifting,monolithic_star")
run(0, *few, "--size", "131,67", "--threads", "2", "--json", str(folder / "few.json"), "--markdown", str(folder / "few.md"))
report = json.loads((folder / "few.json").read_text())
expect((report["width"], report["height"], report["threads"]) == (131, 67, 2), "the head of the JSON is wrong")
names = {(r["wavelet"], r["scheme"], r["direction"]) for r in report["schemes"]}
expect(names == {(w, s, d) for w in ("cdf53", "cdf97") for s in ("sep_lifting", "monolithic_star", "libwavelane") for d in ("forward", "inverse")},
       f"rows: {names}")
expect(all(r["error"] <= 1e-5 and r["median_seconds"] >= r["least_seconds"] > 0 for r in report["schemes"]), "a row is wrong")
expect((folder / "few.md").read_text().count("\n| cdf") == 12, "the Markdown lacks rows")

# Several sizes, one after the other.
run(0, *few, "--size", "40,30,1,7", "--json", str(folder / "two.json"), "--markdown", str(folder / "two.md"))
two = json.loads((folder / "two.json").read_text())
expect([(r["width"], r["height"], len(r["schemes"])) for r in two] == [(40, 30, 12), (1, 7, 12)], "the report of two sizes is wrong")
expect((folder / "two.md").read_text().count("\n| cdf") == 24, "the Markdown of two sizes lacks rows")

# The second run finds what the first one compiled; JSON on standard output stands alone.
kept = compiled()
expect(len(kept) == 1 and kept[0].suffix == ".so", f"the cache holds {kept}")
times = kept[0].stat().st_mtime_ns
expect(len(json.loads(run(0, *few, "--size", "1,1", "--json", "-").stdout)["schemes"]) == 12, "rows on standard output")
expect(compiled() == kept and kept[0].stat().st_mtime_ns == times, "the second run compiled again")

# A wavelet of the user has no textbook; one that calls itself CDF 9/7 and is not is noticed.
(folder / "own.txt").write_text("name Own\npredict 0 -1/2 -1/2\nupdate -1 1/5 1/5\n")
own = json.loads(run(0, "--wavelet", str(folder / "own.txt"), "--scheme", "polyphase", "--size", "20,30", "--json", "-").stdout)
expect([r["error"] for r in own["schemes"]] == [None, None], "an unknown wavelet has an error")
(folder / "cdf97.txt").write_text("name CDF 9/7\npredict 0 -1.5 -1.5\nupdate -1 1/5 1/5\n")
wrong = run(6, "--wavelet", str(folder / "cdf97.txt"), "--scheme", "polyphase", "--size", "20,30")
expect("differs from the textbook" in wrong.stderr, wrong.stderr)

for status, text, options in ((1, "is no scheme", ("--scheme", "x")), (2, "--size", ("--size", "5")), (2, "--size", ("--size", "5,5,5")), (2, "--threads", ("--threads", "0")),
                              (3, "no_file", ("--wavelet", "cdf53", "--scheme", "implosion", "--image", "no_file")),
                              (4, "no_folder", ("--wavelet", "cdf53", "--scheme", "implosion", "--size", "2,2", "--json", "no_folder/x"))):
    found = run(status, *options)
    expect(text in found.stderr, f"{options}: {found.stderr}")
