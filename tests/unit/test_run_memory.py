#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
What --dry-run says of the memory of pictures side by side is kept by the run: its resident memory on the CPU, and page-locked memory on a device;
and a device gets as many pictures at a time as their block coder needs.

  test_run_memory.py WAVELANE [soft]          soft: the command has the software device, which counts page-locked memory
"""
import os
import re
import subprocess
import sys
import tempfile
import time

COUNT = 24
QUIET = ["--quiet", "--force"]
failures = []


def make_pictures(folder, width, height, count):
    """Noise in some bits: coded bytes are of the usual number."""
    os.mkdir(folder)
    noise = os.urandom(1 << 20)
    for n in range(count):
        ramp = bytes((x * 3 + n) & 0xF0 for x in range(width * 3))
        rows = (bytes(a | b & 7 for a, b in zip(ramp, noise[(y * 977) % 900000:])) for y in range(height))
        with open(f"{folder}/p{n:03}.ppm", "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows))


def run(words):
    """Peak of the resident memory of the command. (What wait4 says of it begins with the memory of this process.)"""
    peak = 0
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as child:
        while child.poll() is None:
            with open(f"/proc/{child.pid}/status", encoding="ascii", errors="replace") as file:
                found = re.search(r"VmHWM:\s+(\d+)", file.read())
            peak = max(peak, 1024 * int(found[1])) if found else peak
            time.sleep(0.002)
    if child.returncode:
        failures.append(f"{' '.join(words)}: exit {child.returncode}")
    return peak


def promise(words):
    """Pictures at a time, likely bytes, most bytes, most page-locked bytes."""
    text = subprocess.run([*words, "--dry-run", "--force"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"(\d+) at a time: (\d+) bytes of memory likely, (\d+) at worst(?:; at most (\d+) of them page-locked)?", text)
    if not found:
        sys.exit(f"no promise in: {text}")
    return [int(word or 0) for word in found.groups()]


def compare(what, measured, least, most):
    print(f"{what}: {measured / 1e6:.1f} MB of {most / 1e6:.1f}, at least {least / 1e6:.1f}")
    if not least <= measured <= most:
        failures.append(what)


def count_on_device(wavelane):
    """A device gets more pictures of Part 1 at a time than of HT, if many come."""
    for count, style, expected in ((1000, [], 4 + 36), (999, [], 4 + 12), (1000, ["-HT"], 4 + 12)):
        pictures = promise([wavelane, "sequence", "in/p%03d.ppm", "out/", "--frames", f"0-{count - 1}", "--device", "cuda-only", "--threads", "4", *style])[0]
        if pictures != expected:
            failures.append(f"{count} frames {style}: {pictures} at a time")


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    wavelane, soft = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["soft"]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        make_pictures("in", *((320, 240) if soft else (1200, 800)), COUNT)
        make_pictures("small", 8, 8, 2)
        runs = {
            "folder": [wavelane, "-ImgDir", "in", "-OutFor", "jph"],
            "folder, one layer more": [wavelane, "-ImgDir", "in", "-OutFor", "jp2", "--rates", "8,2"],
            "sequence": [wavelane, "sequence", "in", "out/", "-HT"],
            "one file": [wavelane, "sequence", "in", "film.j2c", "-HT"],
            "standard output": [wavelane, "sequence", "in", "-", "-HT"],
        }
        for name, words in runs.items():
            for threads in ("4",) if soft else ("1", "4"):
                own = [*words, "--threads", threads, "--device", "cuda-only" if soft else "cpu"]
                pictures, likely, most, locked = promise(own)
                if soft:
                    os.environ["SOFT_PEAKS"] = f"{work}/peaks"
                    run([*own, *QUIET])
                    with open("peaks", encoding="ascii") as file:
                        compare(f"{name}, {pictures} at a time", int(file.read().split()[0]), locked / 4, locked)
                else:
                    start = run([wavelane, "-ImgDir", "small", "-OutFor", "jph", *own[own.index("--threads"):], *QUIET])
                    measured = run([*own, *QUIET]) - start
                    compare(f"{name}, {pictures} at a time", measured, likely / 4, most)
        if soft:
            count_on_device(wavelane)
    print(f"{len(failures)} failures: {failures}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
