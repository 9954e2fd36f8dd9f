#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Speed of codec 40 in python-blosc2, with this plugin and with the package blosc2-htj2k, in turns; medians in MB of samples a second.

  time_codec.py FOLDER [ROUNDS]      FOLDER has libblosc2_htj2k.so
"""
import os
import statistics
import subprocess
import sys
import time


def measure():
    import blosc2
    import numpy
    y, x = numpy.mgrid[0:1024, 0:1024]
    mean = 400 + 300 * numpy.sin(x / 97) * numpy.cos(y / 131) + 2000 * numpy.exp(-((x - 500) ** 2 + (y - 450) ** 2) / 40000)
    data = numpy.random.default_rng(3).poisson(mean).astype("u2")
    settings = blosc2.CParams(codec=blosc2.Codec.HTJ2K, nthreads=1, filters=[], splitmode=blosc2.SplitMode.NEVER_SPLIT)

    def code():
        return blosc2.asarray(data, chunks=data.shape, blocks=data.shape, cparams=settings, dparams=blosc2.DParams(nthreads=1))

    def speed(call):
        call()
        begin, calls = time.perf_counter(), 0
        while time.perf_counter() < begin + 1:
            call()
            calls += 1
        return data.nbytes * calls / (time.perf_counter() - begin) / 1e6

    array = code()
    assert (array[...] == data).all()
    print(array.schunk.cbytes, speed(code), speed(lambda: array[...]))


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("--help", "-h"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    if sys.argv[1] == "--inside":
        measure()
        return 0
    results = {"this plugin": [], "blosc2-htj2k": []}
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5):
        for name, rows in results.items():
            environment = dict(os.environ, PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"])
            environment.pop("LD_LIBRARY_PATH", None)
            if name == "this plugin":
                environment["LD_LIBRARY_PATH"] = os.path.abspath(sys.argv[1])
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--inside"], env=environment, stdout=subprocess.PIPE, universal_newlines=True, check=True)
            rows.append([float(word) for word in done.stdout.split()])
    for name, rows in results.items():
        print("%s: %.0f bytes, encode %.0f MB/s, decode %.0f MB/s" % (name, *map(statistics.median, zip(*rows))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
