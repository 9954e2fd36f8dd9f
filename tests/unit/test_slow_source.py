#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Sources that are slower than the encoder: a pipe and frames that are pipes, fed at a third of the command's own rate. The sequence keeps pace with the source, since reads
run ahead of the encode; and as many frames are read at a time as threads are given.

  test_slow_source.py WAVELANE
"""
import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
import zlib

WIDTH, HEIGHT, SHARE = 192, 128, 0.95
COUNT, THREADS = 150, 3
failures = []


def draw(number):
    noise = os.urandom(4096)
    rows = (bytes((x * 2 + y + number) & 0xF8 | b & 7 for x, b in enumerate((noise[y:] + noise)[:3 * WIDTH])) for y in range(HEIGHT))
    return b"".join(rows)


def start(wavelane, words, **keywords):
    return subprocess.Popen([wavelane, "sequence", *words, "-HT", "--device", "cpu", "--threads", str(THREADS), "--quiet", "--force"], **keywords)


def feed(write, frames, rate):
    """One frame after the other, each not before its time."""
    begin = time.monotonic()
    for number, frame in enumerate(frames):
        time.sleep(max(0, begin + number / rate - time.monotonic()))
        write(number, frame)


def run(what, wavelane, words, frames, write, rate):
    """Frames a second, from the first byte to the end of the command."""
    with start(wavelane, words, stdin=subprocess.PIPE) as child:
        begin = time.monotonic()
        feed(write or (lambda number, frame: child.stdin.write(frame)), frames, rate)
        child.stdin.close()
        child.wait()
        seconds = time.monotonic() - begin
    if child.returncode:
        failures.append(f"{what}: exit {child.returncode}")
    return len(frames) / seconds


def keep_pace(what, *arguments):
    """The best of some tries: other programs of the machine may take its time."""
    best = 0.0
    for _ in range(6):
        free = run(what, *arguments, 1e9)
        rate = free / 3
        best = max(best, run(what, *arguments, rate) / rate)
        if best >= SHARE:
            break
    print(f"{what}: {free:.0f} frames a second at most; {best:.3f} of a source of {rate:.0f} a second")
    if best < SHARE:
        failures.append(what)


def count_readers(wavelane):
    """How many pipes with PNG files are open at a time before the first of them gives a byte."""
    raw = zlib.compress(b"".join(b"\0" + draw(0)[y * 3 * WIDTH:(y + 1) * 3 * WIDTH] for y in range(HEIGHT)))
    names = [f"png{n}" for n in range(2 * THREADS)]
    for name in names:
        os.mkfifo(name)

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", WIDTH.to_bytes(4, "big") + HEIGHT.to_bytes(4, "big") + b"\x08\2\0\0\0") + chunk(b"IDAT", raw) + chunk(b"IEND", b""))
    with open("list", "w", encoding="ascii") as file:
        file.write("\n".join(names) + "\n")
    with start(wavelane, ["@list", "pngs/"]) as child:
        opened, until = {}, time.monotonic() + 20
        while len(opened) < THREADS and time.monotonic() < until:
            for name in set(names) - set(opened):
                try:
                    opened[name] = os.open(name, os.O_WRONLY | os.O_NONBLOCK)
                except OSError as error:
                    if error.errno != errno.ENXIO:  # nobody reads it
                        raise
            time.sleep(0.01)
        at_a_time = len(opened)

        def write_all(name):
            descriptor = opened.get(name) or os.open(name, os.O_WRONLY)
            os.set_blocking(descriptor, True)
            os.write(descriptor, png[:100])
            with os.fdopen(descriptor, "wb") as file:
                file.write(png[100:])

        writers = [threading.Thread(target=write_all, args=(name,)) for name in names]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        child.wait()
    if child.returncode or len(os.listdir("pngs")) < len(names):
        failures.append(f"PNG files: exit {child.returncode}")
    return at_a_time


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        sys.exit(print(__doc__.strip()))
    wavelane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        frames = [draw(number) for number in range(COUNT)]
        keep_pace("a pipe", wavelane, ["-", "pipe/", "-F", f"{WIDTH},{HEIGHT},3,8,u"], frames, None)
        keep_pace("a pipe into one file", wavelane, ["-", "one.j2c", "-F", f"{WIDTH},{HEIGHT},3,8,u"], frames, None)
        for number in range(COUNT):
            os.mkfifo(f"f{number:03}.ppm")
        with open("pipes", "w", encoding="ascii") as file:
            file.write("".join(f"f{number:03}.ppm\n" for number in range(COUNT)))

        def write_pipe(number, frame):
            with open(f"f{number:03}.ppm", "wb") as file:
                file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + frame)

        keep_pace("a pipe for each frame", wavelane, ["@pipes", "pipes.out/"], frames, write_pipe)
        at_a_time = count_readers(wavelane)
        print(f"{at_a_time} PNG files are read at a time by {THREADS} threads")
        if at_a_time != THREADS:
            failures.append("PNG files at a time")
    print(f"{len(failures)} failures: {failures}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
