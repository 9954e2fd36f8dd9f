#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The command keeps memory from picture to picture of a folder: more pictures do not touch more new pages.

  test_kept_memory.py WAVELANE LIBRARY          LIBRARY: failing_memory.c

Exit 77: a build that brings an allocator of its own.
"""
import os
import resource
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 1024, 1024
PICTURE_PAGES = 3 * WIDTH * HEIGHT // resource.getpagesize()  # of a picture of 8 bits


def run(words):
    """New pages that the command touched."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before


def brings_allocator(wavelane, library, counted):
    """Says whether a library that takes the place of malloc sees nothing, or may not be there (AddressSanitizer)."""
    environment = {**os.environ, "LD_PRELOAD": library, "WVL_FAIL_COUNT": counted}
    subprocess.run([wavelane, "--version"], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return not os.path.exists(counted) or open(counted, encoding="ascii").read().strip() in ("", "0")


def count_pages(wavelane, folder, pictures):
    os.mkdir(folder)
    for i in range(pictures):
        with open(f"{folder}/{i:03}.ppm", "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + bytes([i, 1, 2]) * (WIDTH * HEIGHT))
    return run([wavelane, "-ImgDir", folder, "-OutFor", "j2c", "--threads", "2", "--device", "cpu", "--quiet"])


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    wavelane, library = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as work:
        if brings_allocator(wavelane, library, f"{work}/count"):
            print("skipped: this build brings an allocator of its own")
            return 77
        few, many = count_pages(wavelane, f"{work}/few", 6), count_pages(wavelane, f"{work}/many", 26)
    each = (many - few) / 20
    print(f"{few} new pages for 6 pictures, {many} for 26: {each:.1f} a picture more; its samples have {PICTURE_PAGES}")
    return 0 if each < PICTURE_PAGES / 8 else 1


if __name__ == "__main__":
    sys.exit(main())
