#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Floating point bit for bit: every half, and floats drawn at random with NaN of many payloads, infinities, denormals and -0. OpenJPH decodes them, as the
Python package imagecodecs holds it, and the walker finds nothing. OpenEXR decodes the same codestream as a chunk of HTJ2K256, where its package is there.

  test_floats.py WAVELANE FOLDER
"""
import os
import struct
import subprocess
import sys

if len(sys.argv) != 3:
    print(__doc__.strip(), file=sys.stdout if sys.argv[1:] in (["--help"], ["-h"]) else sys.stderr)
    sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
try:
    import imagecodecs
    import numpy
except ImportError as missing:
    other = os.environ.get("WVL_HOSTS_PYTHON", "")
    if other and os.path.realpath(other) != os.path.realpath(sys.executable) and not os.environ.get("WVL_HOSTS_TRIED"):
        os.environ["WVL_HOSTS_TRIED"] = "1"
        os.execv(other, [other, *sys.argv])
    print(f"{missing}: pip install imagecodecs openexr")
    sys.exit(77)

MARKER = bytes((0xFF, 0x76, 0, 6))


def encode(wavelane, folder, samples, *words, depth=0):
    """Encodes an array of rows, columns and, if there are any, components. depth 0: all bits."""
    name = os.path.join(folder, "samples")
    height, width = samples.shape[:2]
    count = samples.shape[2] if samples.ndim == 3 else 1
    kind = {"f": "f", "u": "u", "i": "s"}[samples.dtype.kind]
    samples.tofile(name + ".rawl")
    geometry = f"{width},{height},{count},{depth or 8 * samples.itemsize},{kind}"
    command = [wavelane, "-i", name + ".rawl", "-F", geometry, "--raw-layout", "interleaved", "-o", name + ".j2c", "--force", "--quiet", "--ht", *words]
    subprocess.run(command, check=True)
    subprocess.run([wavelane, "verify", name + ".j2c"], check=True, stdout=subprocess.DEVNULL)
    with open(name + ".j2c", "rb") as file:
        return file.read()


def bits_of(samples):
    return samples.view({2: numpy.uint16, 4: numpy.uint32}[samples.itemsize])


def check(what, stream, samples):
    decoded = imagecodecs.htj2k_decode(stream)
    if decoded.ndim == 3 and decoded.shape != samples.shape: # one plane after the other
        decoded = numpy.ascontiguousarray(numpy.moveaxis(decoded, 0, -1))
    if decoded.shape != samples.shape or decoded.itemsize != samples.itemsize or not (bits_of(decoded) == bits_of(samples)).all():
        sys.exit(f"{what}: OpenJPH decodes other samples")


def halves(dice, count):
    every = numpy.concatenate([dice.permutation(65536).astype(numpy.uint16) for _ in range(count)])
    return every.view(numpy.float16).reshape((256, 256, count) if count > 1 else (256, 256))


KINDS = {"I": 0, "e": 1, "f": 2}  # pixel types of OpenEXR


def check_chunk(folder, stream, planes):
    """As OpenEXR 3.5 has it: a file of one chunk, which must be smaller than its samples. planes: by name of the channel, in the order of components."""
    try:
        import OpenEXR
    except ImportError:
        print("OpenEXR is not there: its decoder was not asked")
        return
    names = sorted(planes)
    height, width = planes[names[0]].shape
    box = struct.pack("<4i", 0, 0, width - 1, height - 1)
    channels = b"".join(name.encode() + b"\0" + struct.pack("<iB3xii", KINDS[planes[name].dtype.char], 0, 1, 1) for name in names) + b"\0"
    attributes = (("channels", "chlist", channels), ("compression", "compression", b"\x0a"), ("dataWindow", "box2i", box), ("displayWindow", "box2i", box),
                  ("lineOrder", "lineOrder", b"\0"), ("pixelAspectRatio", "float", struct.pack("<f", 1)),
                  ("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)), ("screenWindowWidth", "float", struct.pack("<f", 1)))
    header = struct.pack("<II", 20000630, 2)
    for name, form, value in attributes:
        header += name.encode() + b"\0" + form.encode() + b"\0" + struct.pack("<i", len(value)) + value
    header += b"\0"
    order = [names.index(name) for name in planes]
    chunk = b"HT" + struct.pack(f">IH{len(order)}H", 2 + 2 * len(order), len(order), *order) + stream
    path = os.path.join(folder, "chunk.exr")
    with open(path, "wb") as file:
        file.write(header + struct.pack("<Q", len(header) + 8) + struct.pack("<ii", 0, len(chunk)) + chunk)
    with OpenEXR.File(path, separate_channels=True) as picture:
        decoded = picture.channels()
        for name in names:
            if not (bits_of(decoded[name].pixels) == bits_of(planes[name])).all():
                sys.exit(f"OpenEXR decodes other samples of {name}")


def floats(dice, shape):
    """Any bits, a third of which are NaN, infinities, denormals and zeros of both signs."""
    samples = dice.integers(0, 1 << 32, numpy.prod(shape), dtype=numpy.uint64).astype(numpy.uint32)
    special = dice.integers(0, 12, samples.size)
    samples[special == 0] |= 0x7F800000
    samples[special == 1] &= 0x807FFFFF
    samples[special == 2] &= 0x80000000
    samples[special == 3] = samples[special == 3] & 0x80000000 | 0x7F800000
    return samples.view(numpy.float32).reshape(shape)


def check_deep(wavelane, folder, dice):
    """Floats and integers of 29 to 32 bits, of any shape of blocks, with a colour transform and without."""
    y, x = numpy.mgrid[0:200, 0:300]
    smooth = (numpy.sin(x / 20) * numpy.exp2(y / 8 - 12)).astype(numpy.float32)
    check("a smooth picture of float", encode(wavelane, folder, smooth), smooth)
    check_chunk(folder, encode(wavelane, folder, smooth, "--block", "128,32"), {"Y": smooth})
    colors = numpy.stack([smooth, smooth * 2, smooth / 3], -1)
    for kind in (numpy.float16, numpy.float32):
        samples = colors.astype(kind)
        check_chunk(folder, encode(wavelane, folder, samples, "--block", "128,32"), dict(zip("RGB", numpy.moveaxis(samples, -1, 0))))
    many = floats(dice, (1024, 1024, 3))
    check("three million floats", encode(wavelane, folder, many), many)
    for words in (["--levels", "0"], ["--levels", "32"], ["--block", "4,1024"], ["--block", "1024,4"], ["--tile", "100,90", "--mct", "off"]):
        for shape in ((97, 131), (97, 131, 3)):
            some = floats(dice, shape)
            for samples in (some, some.view(numpy.uint32), some.view(numpy.int32)):
                check(f"{samples.dtype} {shape} {words}", encode(wavelane, folder, samples, *words), samples)
    counts = numpy.arange(65536, dtype=numpy.uint32).reshape(256, 256) * 65537
    check_chunk(folder, encode(wavelane, folder, counts), {"id": counts})
    for depth in (29, 30, 31):
        some = floats(dice, (97, 131, 3))
        for samples in (some.view(numpy.uint32) >> (32 - depth), some.view(numpy.int32) >> (32 - depth)):
            check(f"{samples.dtype} of {depth} bits", encode(wavelane, folder, samples, depth=depth), samples)


def main(wavelane, folder):
    os.makedirs(folder, exist_ok=True)
    dice = numpy.random.default_rng(1)
    one, three = halves(dice, 1), halves(dice, 3)
    stream = encode(wavelane, folder, one)
    if stream.count(MARKER + bytes((0xFF, 0xFF, 0x8F, 3))) != 1 or stream[6:8] != bytes((0xC2, 0)):
        sys.exit("NLT, or Rsiz, is not as OpenEXR writes it")
    check("every half", stream, one)
    sorted_one = numpy.sort(bits_of(one), axis=None).reshape(one.shape).view(numpy.float16)
    check_chunk(folder, encode(wavelane, folder, sorted_one), {"Y": sorted_one})
    check("three components of half", encode(wavelane, folder, three), three)
    check("three components without a transform", encode(wavelane, folder, three, "--mct", "off", "--tile", "100,90", "--block", "128,32"), three)
    check_deep(wavelane, folder, dice)
    print("every half, three million floats and integers of 29 to 32 bits come back")


main(*sys.argv[1:3])
