# SPDX-License-Identifier: BSD-2-Clause
"""The command conformance/run."""
import argparse
import concurrent.futures
import os
import sys
import time

import faults
import matrix
import report
import rows
import sources
import special
from machine import Machine
from pictures import Gallery

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Runner:
    def __init__(self, options):
        self.options = options
        self.machine = Machine(os.path.abspath(options.build), os.path.abspath(options.out), ROOT, options.long)
        self.gallery = Gallery(self.machine, os.path.abspath(options.pictures) if options.pictures else None)
        self.faults = faults.read(options.faults)
        self.keep = options.keep
        self.versions = self.machine.versions()
        self.versions["grok"] = self.versions["grk_decompress"]
        self.versions["openjph"] = self.versions["ojph_expand"]

    def run(self, chosen):
        results, started = {}, time.monotonic()
        together = sorted((row for row in chosen if not special.runs_alone(row)), key=lambda row: -special.weight(row))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            futures = [pool.submit(rows.run_row, self, row) for row in together]
            for future in concurrent.futures.as_completed(futures):
                self.take(results, future.result(), len(chosen))
        for row in chosen:
            if special.runs_alone(row):
                self.take(results, rows.run_row(self, row), len(chosen))
        return [results[row.id] for row in chosen], time.monotonic() - started

    def take(self, results, result, count):
        results[result["id"]] = result
        bad = [c for c in result["checks"] if c["verdict"] in ("fail", "not built")]
        text = f": {bad[0]['name']}: {bad[0]['text'][:200]}" if bad else f": {result['note']}" if result["note"] else ""
        if result["status"] not in ("pass", "explained") or not self.options.quiet:
            print(f"[{len(results)}/{count}] {result['id']} {result['status']} {result['seconds']:.1f} s{text}", flush=True)


def parse(argv):
    p = argparse.ArgumentParser(prog="conformance/run", description="Encodes the rows of a matrix, has every judge at hand decode them, and writes a report.")
    p.add_argument("--matrix", default=os.path.join(ROOT, "conformance", "builtin.tsv"), help="rows to run; default: the built-in matrix")
    p.add_argument("--pictures", default=os.environ.get("WVL_TEST_PICTURES"), help="folder of the pictures that rows name")
    p.add_argument("--out", default=os.path.join(ROOT, "build", "conformance-run"), help="streams, results and reports go here")
    p.add_argument("--build", default=os.path.join(ROOT, "build", "test"), help="build folder of the programs")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="rows at a time; default: one a processor")
    p.add_argument("--rows", help="shell patterns of ids, as in A01,B*")
    p.add_argument("--long", action="store_true", help="also the rows that take very long")
    p.add_argument("--keep", action="store_true", help="keep large streams too")
    p.add_argument("--quick", action="store_true", help="fewer random configurations; for the suites")
    p.add_argument("--seed", type=int, default=1, help="first seed of the random configurations")
    p.add_argument("--quiet", action="store_true", help="name only rows that do not pass")
    p.add_argument("--list-faults", action="store_true", help="print the known faults of the judges, with their evidence, and end")
    p.add_argument("--list-words", action="store_true", help="print the words that the source columns of a matrix may have, and end")
    p.add_argument("--faults", default=os.path.join(ROOT, "conformance", "faults.json"), help="known faults of the judges")
    return p.parse_args(argv)


def main(argv=None):
    options = parse(argv)
    if options.list_words:
        sources.print_all()
        return 0
    try:
        chosen = matrix.select(matrix.read(options.matrix), options.rows)
    except (matrix.MatrixError, OSError) as error:
        print(f"conformance/run: {error}", file=sys.stderr)
        return 2
    runner = Runner(options)
    if options.list_faults:
        faults.print_all(runner.machine, options.faults)
        return 0
    for name in ("wavelane", "wavelane-judge", "wavelane-api-rows"):
        if not runner.machine.has(name):
            print(f"conformance/run: {name} is not in {runner.machine.build}; build first (cmake --preset test && cmake --build --preset test)", file=sys.stderr)
            return 2
    results, seconds = runner.run(chosen)
    paths = report.write(runner, options, results, seconds)
    counts = report.count(results)
    print(", ".join(f"{n} {name}" for name, n in counts.items() if n) + f" of {len(results)} rows in {seconds:.0f} s; {paths['md']}")
    for name, used in report.explained_by(results).items():
        print(f"explained: {used} x {name}")
    return 1 if counts["FAIL"] or counts["unjudged"] or counts["not built"] or (counts["no picture"] and options.pictures) else 0
