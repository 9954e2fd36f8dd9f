#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
python-blosc2 with the codecs 39 (J2K) and 40 (HTJ2K) of this plugin, and beside them those of the packages blosc2-j2k and blosc2-htj2k.

  hosts.py PLUGIN      libblosc2_htj2k.so, as it was built or installed, with libblosc2_j2k.so beside it

This Python is the host, or else the one that WVL_HOSTS_PYTHON names. Each file is read in a process of its own. Ends with 0, 1, or 77 where no
host is here.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Shape of the array, type, shape of a chunk, shape of a block. OTHERS: other codecs take these too.
OTHERS = [
    ((64, 48), "u1", (64, 48), (64, 48)),
    ((100, 90), "u2", (100, 90), (64, 48)),
    ((6, 64, 48), "u2", (3, 64, 48), (1, 64, 48)),
    ((64, 48, 3), "u1", (64, 48, 3), (32, 48, 3)),
    ((64, 48), "i2", (64, 48), (64, 48)),
]
OURS = OTHERS + [
    ((3, 40, 30, 3), "u2", (1, 40, 30, 3), (1, 20, 30, 3)),
    ((5000,), "u1", (5000,), (5000,)),
    ((4, 5), "u1", (4, 5), (4, 5)),
]
REFUSED = [((64, 48), "f4", (64, 48)), ((4, 64, 48), "u2", (4, 64, 48))]


def others(codec):
    """blosc2-j2k 0.4.0 writes no colour."""
    return [row for row in OTHERS if codec == "HTJ2K" or row[0][-1] != 3]


def samples(shape, kind):
    import numpy
    return numpy.cumsum(numpy.random.default_rng(sum(shape)).integers(-2, 4, size=shape), axis=-1).astype(kind)


def store(path, rows, codec, threads=1, meta=0):
    import blosc2
    arrays = []
    for i, (shape, kind, chunks, blocks) in enumerate(rows):
        settings = blosc2.CParams(codec=blosc2.Codec[codec], codec_meta=meta, nthreads=int(threads), filters=[], splitmode=blosc2.SplitMode.NEVER_SPLIT)
        arrays.append(blosc2.asarray(samples(shape, kind), chunks=chunks, blocks=blocks, cparams=settings, urlpath="%s.%d" % (path, i), mode="w"))
    return arrays


def write(path, rows, codec, threads):
    """Returns a digest of all codestreams. Threads of Blosc2 put blocks into a chunk in any order."""
    streams = []
    for array in store(path, rows, codec, threads):
        for i in range(array.schunk.nchunks):
            streams += re.findall(rb"\xFF\x4F\xFF\x51.*?\xFF\xD9", array.schunk.get_chunk(i), re.DOTALL)
    assert len(streams) > len(rows)
    return hashlib.sha256(b"".join(sorted(streams))).hexdigest()


def read(path, rows):
    import blosc2
    import numpy
    for i, (shape, kind, _, _) in enumerate(rows):
        assert numpy.array_equal(blosc2.open("%s.%d" % (path, i))[...], samples(shape, kind)), i


def is_ours(path, codec):
    store(path, OURS[:1], codec)
    with open("/proc/self/maps", encoding="ascii") as file:
        loaded = {line.split()[-1] for line in file if "libblosc2_" in line}
    assert loaded == {os.path.join(os.environ["LD_LIBRARY_PATH"], "libblosc2_%s.so" % codec.lower())}, loaded


def refuse(path, codec):
    for shape, kind, chunks in REFUSED:
        try:
            store(path, [(shape, kind, chunks, chunks)], codec)
        except RuntimeError:
            continue
        raise AssertionError("%s %s is not refused" % (shape, kind))


def lossy(path, codec):
    import numpy
    row = ((200, 200), "u1", (200, 200), (200, 200))
    array = store(path, [row], codec, meta=80)[0]
    error = numpy.abs(array[...].astype(int) - samples(*row[:2])).max()
    assert 0 < error < 128 and 7 < array.schunk.cratio < 9, (error, array.schunk.cratio)


def damage(path, codec):
    """Bytes of a block are changed one after another: an error or other samples, never the end of the process."""
    import blosc2
    row = ((64, 48), "u2", (64, 48), (64, 48))
    array = store(path, [row], codec)[0]  # its chunks end with it
    chunk = array.schunk.get_chunk(0)
    begin, refused = chunk.index(b"\xFF\x4F\xFF\x51"), 0
    for at in range(begin, len(chunk), 7):
        try:
            blosc2.decompress2(chunk[:at] + bytes([chunk[at] ^ 0x55]) + chunk[at + 1:])
        except (RuntimeError, ValueError):
            refused += 1
    assert refused > 5, refused  # headers; the codewords of Part 1 show less


def run_inside(step, path, codec, more):
    result = {"write": lambda: write(path, OURS, codec, more), "write_others": lambda: write(path, others(codec), codec, more), "read": lambda: read(path, OURS),
              "read_others": lambda: read(path, others(codec)), "is_ours": lambda: is_ours(path, codec), "refuse": lambda: refuse(path, codec),
              "lossy": lambda: lossy(path, codec), "damage": lambda: damage(path, codec)}[step]()
    print(json.dumps(result))


def has(python, module):
    return subprocess.run([python, "-c", "import " + module], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Host:
    def __init__(self, python, folder):
        self.python, self.folder, self.passed, self.failed = python, folder, 0, 0

    def step(self, step, path, codec, more="1", is_theirs=False):
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
        environment["PATH"] = os.path.dirname(self.python) + ":" + environment["PATH"]  # Blosc2 asks this Python for the codecs of others
        if not is_theirs:
            environment["LD_LIBRARY_PATH"] = self.folder
        done = subprocess.run([self.python, os.path.abspath(__file__), "--inside", step, path, codec, more], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, check=False)
        if done.returncode:
            self.failed += 1
            print("%s %s %s: ended with %d\n%s" % (step, codec, "theirs" if is_theirs else "", done.returncode, done.stdout))
            return None
        self.passed += 1
        return done.stdout.splitlines()[-1]


def check_codec(host, path, codec):
    digest = host.step("write", path, codec)
    if host.step("write", path, codec, "4") != digest:
        host.failed += 1
        print("%s: other chunks with 4 threads" % codec)
    for step in ("read", "refuse", "lossy", "damage", "is_ours"):
        host.step(step, path if step == "read" else path + "." + step, codec)
    if has(host.python, "blosc2_" + codec.lower()):
        ours = path + ".ours"
        host.step("write_others", ours, codec)
        host.step("read_others", ours, codec, is_theirs=True)
        host.step("write_others", path + ".theirs", codec, is_theirs=True)
        host.step("read_others", path + ".theirs", codec)


def check_layout(host, python):
    """The structures of the plugin are those of the header that comes with the host."""
    find = "import blosc2, os; print(os.path.join(os.path.dirname(blosc2.__file__), 'include'))"
    include = subprocess.run([python, "-c", find], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.strip()
    if shutil.which("cc") and os.path.exists(os.path.join(include, "blosc2.h")):
        layout = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout.c")
        host.failed += subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-I", include, layout], check=False).returncode != 0


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("--help", "-h"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    if sys.argv[1] == "--inside":
        run_inside(*sys.argv[2:6])
        return 0
    python = next((p for p in (sys.executable, os.environ.get("WVL_HOSTS_PYTHON")) if p and has(p, "blosc2")), None)
    if not python:
        print("no blosc2 here (pip install blosc2; WVL_HOSTS_PYTHON names a Python that has it)")
        return 77
    host = Host(python, os.path.dirname(os.path.abspath(sys.argv[1])))
    check_layout(host, python)
    with tempfile.TemporaryDirectory() as folder:
        for codec in ("HTJ2K", "J2K"):
            check_codec(host, os.path.join(folder, codec), codec)
    print("%d steps passed, %d failed" % (host.passed, host.failed))
    return host.failed != 0


if __name__ == "__main__":
    sys.exit(main())
