#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Sequences and folders that are killed (kill -9) at any moment, with several frames in flight: no half frame is there under its name, and the same command,
given again, ends with the bytes of a quiet run. Files, files that are synced one by one, one file of all on a disk and in memory, and -ImgDir.

  test_kills.py WAVELANE          WVL_TEST_KILLS: how often a run is killed, 20 unless given; WVL_TEST_SEED: of the moments
"""
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

COUNT, WIDTH, HEIGHT = 120, 320, 200
FLIGHT = ["--threads", "4", "--pictures", "8", "--device", "cpu", "--quiet"]
failures = []


def make_frames(folder):
    noise = os.urandom(1 << 17)
    os.mkdir(folder)
    for n in range(COUNT):
        at = n * 331
        rows = (bytes((x * 2 + y + n) & 0xF8 | b & 7 for x, b in enumerate(noise[at + y * 17:at + y * 17 + 3 * WIDTH])) for y in range(HEIGHT))
        with open(f"{folder}/f{n:04}.ppm", "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(rows))


class Target:
    """A way to write the frames."""

    def __init__(self, wavelane, name, place, words):
        self.name, self.place = name, place
        self.out = f"{place}/{name.replace(' ', '_')}"
        self.words = [wavelane, *(word.replace("OUT", self.out) for word in words), "-HT", *FLIGHT]
        self.is_file = words[-1].endswith(".j2c") or words[2].endswith(".j2c")

    def finished(self):
        """Names of the frames that are there."""
        return sorted(name for name in os.listdir(self.out) if not name.startswith("."))

    def clear(self):
        for path in (self.out, f"{self.out}.j2c", f"{self.out}.j2c.index", f"{self.out}.j2c.journal"):
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)
        if not self.is_file:
            os.mkdir(self.out)

    def start(self):
        return subprocess.Popen(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self):
        with self.start() as child:
            error = child.communicate()[1]
        if child.returncode:
            failures.append(f"{self.name}: exit {child.returncode}: {error.decode(errors='replace')[:200]}")

    def count(self, whole):
        """How many whole frames there are; each of them must be that of the quiet run."""
        if not self.is_file:
            names = [name for name in self.finished() if name.endswith(".j2c")]
            for name in names:
                if not filecmp.cmp(f"{self.out}/{name}", f"{whole}/{name}", shallow=False):
                    failures.append(f"{self.name}: {name} is half a frame")
            return len(names)
        if not os.path.exists(f"{self.out}.j2c.index"):
            return 0
        with open(f"{self.out}.j2c.index", encoding="ascii") as file:
            lines = [line.split() for line in file if line.endswith("\n") and line[0].isdigit()]
        with open(f"{self.out}.j2c", "rb") as file:
            data = file.read()
        for number, offset, size in ((int(a), int(b), int(c)) for a, b, c in lines):
            with open(f"{whole}/f{number:04}.j2c", "rb") as frame:
                if data[offset:offset + size] != frame.read():
                    failures.append(f"{self.name}: the index names frame {number}, which is not whole")
        return len(lines)

    def compare(self, whole):
        if self.is_file:
            with open(f"{self.out}.j2c", "rb") as file:
                data = file.read()
            if data != b"".join(open(f"{whole}/f{n:04}.j2c", "rb").read() for n in range(COUNT)):
                failures.append(f"{self.name}: other bytes than a quiet run")
        elif self.count(whole) != COUNT or len(self.finished()) != COUNT:
            failures.append(f"{self.name}: {self.finished()[:3]}... are not the frames of a quiet run")


def list_targets(wavelane, work):
    memory = tempfile.mkdtemp(dir="/dev/shm") if os.path.isdir("/dev/shm") else work
    sequence = ["sequence", "in"]
    return memory, [
        Target(wavelane, "files", work, [*sequence, "OUT/"]),
        Target(wavelane, "files in memory", memory, [*sequence, "OUT/"]),
        Target(wavelane, "durable files", work, [*sequence, "OUT/", "--durable"]),
        Target(wavelane, "one file", work, [*sequence, "OUT.j2c"]),
        Target(wavelane, "one file in memory", memory, [*sequence, "OUT.j2c"]),
        Target(wavelane, "folder", work, ["-ImgDir", "in", "-o", "OUT", "-OutFor", "j2c", "--skip-existing"]),
    ]


def kill_runs(targets, kills, whole):
    """Returns how many runs were killed in the middle."""
    draw, middle = random.Random(int(os.environ.get("WVL_TEST_SEED", "44"))), 0
    seconds = {}
    for target in targets:
        target.clear()
        begin = time.monotonic()
        target.finish()
        seconds[target.name] = time.monotonic() - begin
        target.compare(whole)
        target.clear()
    for n in range(kills):
        target = targets[n % len(targets)]
        with target.start() as child:
            time.sleep(draw.random() * seconds[target.name])
            child.kill()
        middle += 0 < target.count(whole) < COUNT
        if draw.random() < 0.6:  # else the next run is killed too
            target.finish()
            target.compare(whole)
            target.clear()
    for target in targets:
        target.finish()
        target.compare(whole)
    return middle


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    wavelane, kills = os.path.abspath(sys.argv[1]), int(os.environ.get("WVL_TEST_KILLS", "20"))
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        make_frames("in")
        subprocess.run([wavelane, "sequence", "in", "whole/", "-HT", "--device", "cpu", "--quiet"], check=True)
        memory, targets = list_targets(wavelane, work)
        try:
            middle = kill_runs(targets, kills, "whole")
        finally:
            if memory != work:
                shutil.rmtree(memory)
    if middle < kills // 5:
        failures.append(f"only {middle} runs were killed between their first frame and their last")
    print(f"{kills} kills, {middle} of them between the first frame and the last; {len(failures)} failures")
    print("\n".join(failures[:20]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
