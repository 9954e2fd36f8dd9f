#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
OpenEXR files out, judged by the package OpenEXR 3.5: pictures of every type, many layers, subsampled channels and odd windows, which it writes, and
which Wavelane writes anew with HTJ2K. All samples come back bit for bit, and all attributes.

  test_exr.py WAVELANE FOLDER [HOST] [--soft COMMAND] [--pictures FILE...]

HOST: a program (exr_host) that writes by OpenEXRCore with the function of the plugin. --pictures: more files, OpenEXR ones or 16-bit pictures to make
half and float of. --soft: a command with a device made of software, which must write the same bytes.
"""
import os
import struct
import subprocess
import sys

if len(sys.argv) < 3:
    print(__doc__.strip(), file=sys.stdout if sys.argv[1:] in (["--help"], ["-h"]) else sys.stderr)
    sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
try:
    import OpenEXR
    import numpy
    if not hasattr(OpenEXR, "HTJ2K256_COMPRESSION"):
        raise ImportError("OpenEXR is older than 3.4")
except ImportError as missing:
    other = os.environ.get("WVL_HOSTS_PYTHON", "")
    if other and os.path.realpath(other) != os.path.realpath(sys.executable) and not os.environ.get("WVL_HOSTS_TRIED"):
        os.environ["WVL_HOSTS_TRIED"] = "1"
        os.execv(other, [other, *sys.argv])
    print(f"{missing}: pip install openexr")
    sys.exit(77)

MADE_ANEW = ("compression", "lineOrder", "tiles", "type", "chunkCount")


def attributes(path):
    """The header as bytes: name, type and value of each attribute, and where it ends."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = {}, 8
    while data[at]:
        name, form = data[at:].split(b"\0", 2)[:2]
        at += len(name) + len(form) + 2
        count = struct.unpack_from("<i", data, at)[0]
        found[name.decode()] = form, data[at + 4:at + 4 + count]
        at += 4 + count
    return found, data, at + 1


def stored(path):
    """How many chunks hold codestreams, and how many the samples themselves."""
    header, data, at = attributes(path)
    top, bottom = (struct.unpack("<4i", header["dataWindow"][1])[i] for i in (1, 3))
    lines = {10: 256, 11: 32}[header["compression"][1][0]]
    offsets = struct.unpack_from(f"<{(bottom - top) // lines + 1}Q", data, at)
    coded = sum(data[offset + 8:offset + 10] == b"HT" for offset in offsets)
    for i, offset in enumerate(offsets):
        if struct.unpack_from("<i", data, offset)[0] != top + i * lines:
            sys.exit(f"{path}: chunk {i} is not where the table says")
    return coded, len(offsets) - coded


def samples(path):
    with OpenEXR.File(path, separate_channels=True) as file:
        return {name: channel.pixels.copy() for name, channel in file.channels().items()}


def compare(what, before, after):
    old, new = samples(before), samples(after)
    if old.keys() != new.keys():
        sys.exit(f"{what}: {sorted(new)} in place of {sorted(old)}")
    for name, plane in old.items():
        if plane.dtype != new[name].dtype or plane.shape != new[name].shape or plane.tobytes() != new[name].tobytes():
            sys.exit(f"{what}: channel {name} has other samples")


def compare_headers(what, before, after, compression):
    (old, data, _), (new, written, _) = attributes(before), attributes(after)
    if written[:4] != data[:4] or struct.unpack_from("<I", written, 4)[0] != struct.unpack_from("<I", data, 4)[0] & ~0x200: # of tiles
        sys.exit(f"{what}: the version or its flags are others")
    for name in MADE_ANEW:
        old.pop(name, None)
    if new.pop("compression")[1][0] != compression or new.pop("lineOrder")[1] != b"\0":
        sys.exit(f"{what}: compression or lineOrder is another")
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            sys.exit(f"{what}: attribute {name} is {new.get(name)}, not {old.get(name)}")


def noise(dice, shape, kind):
    bits = {"e": numpy.uint16, "f": numpy.uint32, "I": numpy.uint32}[kind]
    return dice.integers(0, numpy.iinfo(bits).max, shape, dtype=bits, endpoint=True).view(kind)


def smooth(dice, shape, kind):
    """Light that changes slowly, with some noise; negative values too."""
    y, x = numpy.mgrid[0:shape[0], 0:shape[1]]
    light = numpy.sin(x / 37 + dice.random()) * numpy.exp2(4 * numpy.cos(y / 51)) + dice.normal(0, 0.003, shape)
    return (numpy.abs(light) * 1e6).astype(numpy.uint32) if kind == "I" else light.astype(kind)


def write(path, channels, window=(0, 0), **header):
    """channels: a plane for each name."""
    height, width = next(iter(channels.values())).shape
    corner = window[0] + width - 1, window[1] + height - 1
    base = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage,
            "dataWindow": (numpy.array(window, numpy.int32), numpy.array(corner, numpy.int32))}
    with OpenEXR.File({**base, **header}, channels) as file:
        file.write(path)


def write_subsampled(path, channels, window, sampling):
    """Without compression, since the package writes no such file. channels: every point, of which a subsampled channel takes some."""
    height, width = next(iter(channels.values())).shape
    left, top = window
    listed = b""
    for name in sorted(channels):
        listed += name.encode() + b"\0" + struct.pack("<iI2i", "Ief".index(channels[name].dtype.char), name == "A", *sampling.get(name, (1, 1)))
    box = struct.pack("<4i", left, top, left + width - 1, top + height - 1)
    header = struct.pack("<II", 20000630, 2)
    for name, form, value in (("channels", "chlist", listed + b"\0"), ("compression", "compression", b"\0"), ("dataWindow", "box2i", box),
                              ("displayWindow", "box2i", box), ("lineOrder", "lineOrder", b"\0"), ("pixelAspectRatio", "float", struct.pack("<f", 1)),
                              ("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)), ("screenWindowWidth", "float", struct.pack("<f", 1))):
        header += name.encode() + b"\0" + form.encode() + b"\0" + struct.pack("<i", len(value)) + value
    header += b"\0"
    lines, at = [], len(header) + 8 * height
    for y in range(top, top + height):
        line = b"".join(channels[name][y - top, ::sampling.get(name, (1, 1))[0]].tobytes() for name in sorted(channels)
                        if y % sampling.get(name, (1, 1))[1] == 0)
        lines.append(struct.pack("<ii", y, len(line)) + line)
        header += struct.pack("<Q", at)
        at += len(lines[-1])
    with open(path, "wb") as file:
        file.write(header + b"".join(lines))


def make_all(folder, dice):
    """Paths of pictures; each name says what is in it."""
    def make(name, channels, **more):
        paths.append(os.path.join(folder, name + ".exr"))
        (write_subsampled if "sampling" in more else write)(paths[-1], channels, **more)

    paths = []
    for kind, word in (("e", "half"), ("f", "float"), ("I", "uint")):
        make(f"rgb_{word}", {c: smooth(dice, (300, 211), kind) for c in "RGB"})
        make(f"rgba_{word}", {c: smooth(dice, (257, 64), kind) for c in "RGBA"})
        make(f"grey_{word}", {"Y": smooth(dice, (256, 130), kind)})
        make(f"noise_{word}", {c: noise(dice, (70, 90), kind) for c in "RGB"})
        make(f"flat_{word}", {c: numpy.zeros((513, 33), kind) for c in "RGBA"})
        for shape in ((1, 1), (1, 999), (999, 1), (31, 33)):
            make(f"{word}_{shape[1]}x{shape[0]}", {c: smooth(dice, shape, kind) for c in "RGB"})
        make(f"windows_{word}", {c: smooth(dice, (300, 101), kind) for c in "BGR"}, window=(-37, 1001),
             displayWindow=(numpy.array((-100, 5), numpy.int32), numpy.array((1919, 1079), numpy.int32)))
        make(f"luma_{word}", {c: smooth(dice, (268, 148), kind) for c in ("Y", "RY", "BY")}, sampling={"RY": (2, 2), "BY": (2, 2)}, window=(-4, 6))
        make(f"three_{word}", {c: smooth(dice, (300, 99), kind) for c in ("A", "Y")}, sampling={"A": (3, 3)}, window=(3, -9))
        make(f"columns_{word}", {c: smooth(dice, (40, 60), kind) for c in ("A", "R", "G", "B")}, sampling={"A": (4, 1)}, window=(0, 0))
    every = numpy.arange(65536, dtype=numpy.uint16).view("e").reshape(256, 256)
    make("every_half", {"R": every, "G": every[::-1].copy(), "B": every.T.copy()})
    layers = {f"{layer}.{c}": smooth(dice, (90, 120), "e") for layer in ("diffuse", "specular", "emission") for c in "RGBA"}
    make("layers", {**layers, "Z": smooth(dice, (90, 120), "f"), "id": smooth(dice, (90, 120), "I"), "N.X": smooth(dice, (90, 120), "f")})
    make("mixed_rgb", {"R": smooth(dice, (50, 60), "e"), "G": smooth(dice, (50, 60), "f"), "B": smooth(dice, (50, 60), "I")})
    make("red_green_blue", {"main.Red": smooth(dice, (50, 60), "e"), "main.Green": smooth(dice, (50, 60), "e"), "main.Blue": smooth(dice, (50, 60), "e")})
    make("long_name", {"a_layer_whose_name_is_longer_than_31_bytes.R": smooth(dice, (50, 60), "e")})
    make("downwards", {c: smooth(dice, (300, 60), "e") for c in "RGB"}, lineOrder=OpenEXR.DECREASING_Y)
    make("attributes", {c: smooth(dice, (50, 60), "e") for c in "RGB"}, owner="somebody", comments="more\nthan a line", pixelAspectRatio=2.0,
         screenWindowWidth=3.0, xDensity=72.0, an_attribute_whose_name_is_longer_than_31_bytes=7)
    make("tiles", {c: smooth(dice, (300, 211), "e") for c in "RGB"}, type=OpenEXR.tiledimage, tiles=OpenEXR.TileDescription())
    for word in ("NO", "RLE", "ZIPS", "PIZ", "PXR24"):
        make(f"from_{word.lower()}", {c: smooth(dice, (90, 60), "e") for c in "RGB"}, compression=getattr(OpenEXR, word + "_COMPRESSION"))
    return paths


def real(folder, path):
    """Half and float of a 16-bit picture, with the curve of its light taken away; an OpenEXR file as it is."""
    if path.endswith(".exr"):
        return [path]
    from PIL import Image
    light = (numpy.asarray(Image.open(path).convert("RGB")).astype(numpy.float32) / 255) ** 2.2
    base = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
    made = []
    for kind in "ef":
        made.append(f"{base}_{kind}.exr")
        write(made[-1], {c: light[..., i].astype(kind) for i, c in enumerate("RGB")})
    return made


def refuse(wavelane, command, code, words):
    run = subprocess.run([wavelane, *command], capture_output=True, text=True, check=False)
    if run.returncode != code or words not in run.stderr or os.path.exists(command[command.index("-o") + 1]):
        sys.exit(f"{command}: ends with {run.returncode}, {run.stderr}")


def check_levels(wavelane, folder, dice):
    """Tiles of levels, of which the package writes the highest: that of one point has no other. The highest one is kept, and others are named."""
    path, out = os.path.join(folder, "levels.exr"), os.path.join(folder, "levels_out.exr")
    tiles = OpenEXR.TileDescription()
    tiles.mode = OpenEXR.MIPMAP_LEVELS
    write(path, {c: smooth(dice, (1, 1), "e") for c in "RGB"}, type=OpenEXR.tiledimage, tiles=tiles)
    run = subprocess.run([wavelane, "-i", path, "-o", out, "--force"], capture_output=True, text=True, check=True)
    compare(path, path, out)
    if "lower ones are left out" not in run.stderr:
        sys.exit(f"{path}: nothing is said of its levels: {run.stderr}")


def check_refused(wavelane, folder, dice):
    path, out = os.path.join(folder, "rgb_half.exr"), os.path.join(folder, "refused.exr")
    parts = os.path.join(folder, "parts.exr")
    halves = {c: smooth(dice, (50, 60), "e") for c in "RGB"}
    with OpenEXR.File([OpenEXR.Part({"type": OpenEXR.scanlineimage}, halves, f"part {i}") for i in (1, 2)]) as file:
        file.write(parts)
    refuse(wavelane, ["-i", parts, "-o", out], 3, "2 parts")
    refuse(wavelane, ["-i", path, "-o", out, "--bpp", "1"], 2, "--bpp: has no effect on an .exr file")
    refuse(wavelane, ["-i", path, "-o", out, "--verify"], 2, "leave --pages")
    refuse(wavelane, ["-i", path, "-o", out, "--float-transfer", "linear"], 2, "keeps samples and attributes")
    refuse(wavelane, ["-i", path, "-o", os.path.join(folder, "refused.jph"), "--exr-compression", "htj2k32"], 2, "needs the name of an .exr file")
    pgm = os.path.join(folder, "one.pgm")
    with open(pgm, "wb") as file:
        file.write(b"P5 1 1 255\n\0")
    refuse(wavelane, ["-i", pgm, "-o", out], 2, "is PNM; an .exr file is made of an OpenEXR file")
    with open(path, "rb") as file:
        data = file.read()
    for name, damaged, words in (("cut", data[:-100], "OpenEXR"), ("order", data.replace(b"B\0\1\0\0\0", b"Z\0\1\0\0\0", 1), "order of their names")):
        bad = os.path.join(folder, name + ".exr")
        with open(bad, "wb") as file:
            file.write(damaged)
        refuse(wavelane, ["-i", bad, "-o", out], 3, words)


def check_device(wavelane, soft, folder):
    """Half goes through the device, and float does not: either way the bytes are the same."""
    for name, device in (("rgb_half", "cuda-only"), ("luma_half", "cuda-only"), ("layers", "cuda"), ("rgb_float", "cuda")):
        made = []
        for program, where in ((wavelane, "cpu"), (soft, device)):
            out = os.path.join(folder, "device.exr")
            subprocess.run([program, "-i", os.path.join(folder, name + ".exr"), "-o", out, "--force", "--quiet", "--device", where], check=True)
            with open(out, "rb") as file:
                made.append(file.read())
        if made[0] != made[1]:
            sys.exit(f"{name}: the device writes other bytes")


def main():
    words = sys.argv[1:]
    pictures = words[words.index("--pictures") + 1:] if "--pictures" in words else []
    words = words[:words.index("--pictures")] if "--pictures" in words else words
    soft = words[words.index("--soft") + 1] if "--soft" in words else ""
    wavelane, folder, *host = words[:words.index("--soft")] if soft else words
    os.makedirs(folder, exist_ok=True)
    dice = numpy.random.default_rng(48)
    paths = make_all(folder, dice)
    for picture in pictures:
        paths += real(folder, picture)
    counts = {"coded": 0, "raw": 0}
    for path in paths:
        for compression, word in ((10, "htj2k256"), (11, "htj2k32")):
            out = os.path.join(folder, "out.exr")
            commands = [[wavelane, "-i", path, "-o", out, "--force", "--quiet", "--exr-compression", word]]
            commands += [[program, path, out, word] for program in host if "tiles" not in path]
            for command in commands:
                subprocess.run(command, check=True)
                compare(f"{command[0]} {path} {word}", path, out)
                coded, raw = stored(out)
                counts["coded"] += coded
                counts["raw"] += raw
                if command[0] == wavelane:
                    compare_headers(f"{path} {word}", path, out, compression)
            if ("rgb_" in path or "layers" in path) and (not coded or raw):
                sys.exit(f"{path} {word}: {raw} chunks are not coded")
    check_levels(wavelane, folder, dice)
    check_refused(wavelane, folder, dice)
    if soft:
        check_device(wavelane, soft, folder)
    print(f"{len(paths)} pictures, each with HTJ2K256 and HTJ2K32{' by two programs' if host else ''}: {counts['coded']} chunks coded, "
          f"{counts['raw']} as they are")


main()
