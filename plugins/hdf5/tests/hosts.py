#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
HDF5 with the plugin: h5py of Debian and of PyPI, h5repack and h5diff, and beside them the filter that hdf5plugin brings.

  hosts.py PLUGIN COMMAND      libwavelane-hdf5.so, as it was built or installed, and wavelane

This Python and the one that WVL_HOSTS_PYTHON names are hosts where they have h5py. Each file is read in a process of its own. Ends with 0, 1, or 77
where no host is here.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

FILTER = 32033
# Shape of the data, type, shape of a chunk, values of the filter.
DATA = [
    ((40, 50), "u1", (40, 50), (1, 0x01, 50, 40, 1)),
    ((40, 50), "i2", (20, 30), (1, 0x82, 30, 20, 1)),
    ((40, 50, 3), "u1", (40, 25, 3), (1, 0x01, 25, 40, 3)),
    ((40, 50, 3, 1), "u2", (40, 50, 3, 1), (1, 0x02, 50, 40, 3)),
    ((5, 40, 50), "u2", (1, 40, 50), (1, 0x02, 50, 40, 1)),
    ((50,), "i1", (50,), (1, 0x81, 50, 1, 1)),
    ((50, 1), "u1", (50, 1), (1, 0x01, 1, 50, 1)),
    ((40, 1, 3), "u1", (40, 1, 3), (1, 0x01, 3, 40, 1)),
    ((3, 1), "i2", (1, 1), (1, 0x82, 1, 1, 1)),
    ((700, 600), "u2", (256, 256), (1, 0x02, 256, 256, 1)),
]
BIG_ENDIAN = ((40, 50), ">u2", (40, 50), (1, 0x102, 50, 40, 1))
REFUSED = [
    ((40, 50), "u4", (40, 50), "integers of 8 and 16 bits"),
    ((40, 50), "f4", (40, 50), "integers of 8 and 16 bits"),
    ((40, 50), "?", (40, 50), "integers of 8 and 16 bits"),
    ((4, 40, 50), "u2", (4, 40, 50), "the last one is not 3"),
    ((4, 40, 50, 3), "u2", (4, 40, 50, 3), "more than three dimensions"),
]


def samples(shape, kind):
    import numpy
    values = numpy.cumsum(numpy.random.default_rng(sum(shape)).integers(-2, 4, size=shape), axis=-1)
    return values.astype(kind) if kind != "?" else values > 0


def raw_chunks(data):
    return [data.id.read_direct_chunk(data.id.get_chunk_info(i).chunk_offset) for i in range(data.id.get_num_chunks())]


# ---- Within a host ----


def write(path, rows):
    """Returns a digest of all chunks."""
    import h5py
    digest = hashlib.sha256()
    with h5py.File(path, "w") as file:
        for i, (shape, kind, chunks, values) in enumerate(rows):
            data = file.create_dataset(str(i), data=samples(shape, kind), chunks=chunks, compression=FILTER)
            assert data.id.get_create_plist().get_filter(0)[2] == values, (i, data.id.get_create_plist().get_filter(0))
            file.flush()
            for mask, chunk in raw_chunks(data):
                assert mask == 0 and chunk[:4] == b"\xFF\x4F\xFF\x51", (i, mask)
                digest.update(chunk)
    return digest.hexdigest()


def read(path, rows):
    import h5py
    import numpy
    with h5py.File(path, "r") as file:
        for i, (shape, kind, _, _) in enumerate(rows):
            assert numpy.array_equal(file[str(i)][...], samples(shape, kind)), i


def refuse(path):
    """Nothing of a data set that was refused is in the file."""
    import h5py
    with h5py.File(path, "w") as file:
        for shape, kind, chunks, text in REFUSED:
            try:
                file.create_dataset("refused", data=samples(shape, kind), chunks=chunks, compression=FILTER)
            except ValueError as error:
                assert text in str(error), error
            else:
                raise AssertionError("%s %s is not refused" % (shape, kind))
            assert "refused" not in file and not file.keys()


def damage(path):
    """A chunk that ends early, one of another size, one that is no codestream, and one with a marker that OpenJPEG leaves out with a
    warning (NLT of Part 2, which gives samples another meaning): the others stay readable."""
    import h5py
    import numpy
    want = samples((5, 40, 50), "u2")
    with h5py.File(path, "w") as file:
        data = file.create_dataset("d", data=want, chunks=(1, 40, 50), compression=FILTER)
        small = file.create_dataset("small", data=want[0, :9], chunks=(9, 50), compression=FILTER)
        file.flush()
        whole = data.id.read_direct_chunk((0, 0, 0))[1]
        data.id.write_direct_chunk((0, 0, 0), whole[:len(whole) // 2])
        data.id.write_direct_chunk((1, 0, 0), small.id.read_direct_chunk((0, 0))[1])
        data.id.write_direct_chunk((2, 0, 0), b"nothing" * 20)
        tile = whole.index(b"\xFF\x90\0\x0A")
        data.id.write_direct_chunk((3, 0, 0), whole[:tile] + b"\xFF\x76\0\x06\xFF\xFF\x0F\0" + whole[tile:])
    with h5py.File(path, "r") as file:
        for i, text in enumerate(["", "another size than the chunk", "no JPEG 2000 codestream", "nknown marker"]):
            try:
                file["d"][i]
            except OSError as error:
                assert text in str(error) and "filter returned failure" not in str(error), error
            else:
                raise AssertionError("damaged chunk %d is read" % i)
        assert numpy.array_equal(file["d"][4], want[4])


def direct(path, command):
    """Chunks that the command makes: lossy ones, 12 bits in words of 16, and 8 bits with a sign in such words."""
    import h5py
    import numpy

    def code(values, bits, *options):
        with open(path + ".rawl", "wb") as file:
            file.write(values.tobytes())
        subprocess.run([command, "-i", path + ".rawl", "-F", "64,64,1," + bits, "-o", path + ".j2c", "--force", "--ht", *options], check=True)
        with open(path + ".j2c", "rb") as file:
            return file.read()

    want = samples((64, 64), "u2") % 4096
    small = samples((64, 64), "i1")
    with h5py.File(path, "w") as file:
        data = file.create_dataset("d", (2, 64, 64), "u2", chunks=(1, 64, 64), compression=FILTER)
        data.id.write_direct_chunk((0, 0, 0), code(want, "12,u", "--reversible", "yes"))
        data.id.write_direct_chunk((1, 0, 0), code(want, "12,u", "--reversible", "no", "--psnr", "50"))
        signed = file.create_dataset("signed", (64, 64), "i2", chunks=(64, 64), compression=FILTER)
        signed.id.write_direct_chunk((0, 0), code(small, "8,s"))
    with h5py.File(path, "r") as file:
        assert small.min() < 0 and numpy.array_equal(file["signed"][...], small)
        assert numpy.array_equal(file["d"][0], want)
        error = numpy.abs(file["d"][1].astype(int) - want).max()
        assert 0 < error < 100, error


def alone(path, rows):
    """Without the program that decodes: an error that says so."""
    import h5py
    with h5py.File(path, "r") as file:
        for i in range(len(rows)):
            try:
                file[str(i)][...]
            except OSError as error:
                assert "cannot be started" in str(error), error
            else:
                raise AssertionError("read without a decoder")


def run_inside(step, path, more):
    if more == "theirs":
        import hdf5plugin  # noqa: F401, registers its own filter
    result = {"write": lambda: write(path, DATA), "read": lambda: read(path, DATA), "write_big": lambda: write(path, [BIG_ENDIAN]),
              "read_big": lambda: read(path, [BIG_ENDIAN]), "refuse": lambda: refuse(path), "damage": lambda: damage(path),
              "direct": lambda: direct(path, more), "alone": lambda: alone(path, DATA)}[step]()
    print(json.dumps(result))


# ---- Around the hosts ----


def has(python, module):
    return subprocess.run([python, "-c", "import " + module], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Hosts:
    def __init__(self, plugin):
        self.plugin, self.passed, self.failed = plugin, 0, 0

    def check(self, name, command, **variables):
        done = subprocess.run(command, env={**os.environ, "HDF5_PLUGIN_PATH": os.path.dirname(self.plugin), **variables}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, check=False)
        if done.returncode:
            self.failed += 1
            print("%s: %s\n%s" % (name, "ended with %d" % done.returncode, done.stdout))
            return None
        self.passed += 1
        return done.stdout

    def step(self, python, step, path, more="", **variables):
        return self.check("%s %s %s" % (python, step, more), [python, os.path.abspath(__file__), "--inside", step, path, more], **variables)


def check_python(hosts, python, folder, command):
    file = os.path.join(folder, "ours.h5")
    digest = hosts.step(python, "write", file)
    for threads in ("3", "all"):
        if hosts.step(python, "write", file, WAVELANE_THREADS=threads) != digest:
            hosts.failed += 1
            print("other chunks with %s threads" % threads)
    hosts.step(python, "read", file)
    hosts.step(python, "write_big", file + ".big")
    hosts.step(python, "read_big", file + ".big")
    hosts.step(python, "refuse", os.path.join(folder, "refused.h5"))
    hosts.step(python, "damage", os.path.join(folder, "damaged.h5"))
    hosts.step(python, "direct", os.path.join(folder, "direct.h5"), command)
    lonely = os.path.join(folder, "lonely")
    shutil.rmtree(lonely, ignore_errors=True)
    os.mkdir(lonely)
    shutil.copy(hosts.plugin, lonely)
    hosts.step(python, "alone", file, HDF5_PLUGIN_PATH=lonely)
    if has(python, "hdf5plugin"):
        hosts.step(python, "read", file, "theirs")
        hosts.step(python, "read_big", file + ".big", "theirs")
        hosts.step(python, "write", os.path.join(folder, "theirs.h5"), "theirs")
        hosts.step(python, "read", os.path.join(folder, "theirs.h5"))
    return file


def check_tools(hosts, folder, file):
    """h5repack writes with the filter what it read with it; h5diff compares."""
    packed = os.path.join(folder, "packed.h5")
    hosts.check("h5repack", ["h5repack", "-f", "UD=%d,0,0" % FILTER, file, packed])
    hosts.check("h5diff", ["h5diff", file, packed])
    hosts.check("h5repack without a filter", ["h5repack", "-f", "NONE", packed, packed + ".none"])
    hosts.check("h5diff without a filter", ["h5diff", file, packed + ".none"])


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("--help", "-h"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    if sys.argv[1] == "--inside":
        run_inside(*sys.argv[2:5])
        return 0
    plugin, command = (os.path.abspath(p) for p in sys.argv[1:3])
    pythons = [p for p in dict.fromkeys([sys.executable, os.environ.get("WVL_HOSTS_PYTHON", sys.executable)]) if has(p, "h5py")]
    if not pythons:
        print("no h5py here (apt install python3-h5py)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        hosts = Hosts(plugin)
        for python in pythons:
            file = check_python(hosts, python, folder, command)
        if shutil.which("h5repack") and shutil.which("h5diff"):
            check_tools(hosts, folder, file)
        print("%d hosts of Python, %d steps passed, %d failed" % (len(pythons), hosts.passed, hosts.failed))
        return hosts.failed != 0


if __name__ == "__main__":
    sys.exit(main())
