#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Samples of DPX and TIFF that stay as they lie in the file: a picture, a folder and a sequence, which hand them to the
library, have the bytes of pictures from a pipe, whose samples become integers.

  test_words.py WAVELANE FOLDER [verify]          verify: the command decodes what it wrote
"""
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from checks import end, expect
from small_pictures import directory

if sys.argv[1:] in (["--help"], ["-h"]):
    sys.exit(print(__doc__.strip()))
wavelane, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
WIDTH, HEIGHT = 67, 41  # rows of 10 and 12 bits end within a word
PICTURES, CODED = folder / "in", folder / "out"


# ---- Pictures ------------------------------------------------------------------------------------------------------------


def samples_of_row(y, components, depth):
    """All bits of a sample are in use."""
    return [(x * 7 + y * 5 + 11 * c + (x * y >> 3)) * 2654435761 >> 7 & 3 | (x * 9 + y * 4 + 300 * c) % (1 << depth - 2) << 2
            for x in range(WIDTH) for c in range(components)]


def in_words(samples, depth, order):
    """The first sample in the lowest bits."""
    bits = sum(v << depth * i for i, v in enumerate(samples))
    return b"".join(struct.pack(order + "I", bits >> 32 * i & 0xFFFFFFFF) for i in range((len(samples) * depth + 31) // 32))


def filled(samples, depth, order, packing, components):
    up = packing == 1
    if depth == 12:
        return struct.pack(f"{order}{len(samples)}H", *(v << 4 * up for v in samples))
    samples = samples + [0] * (-len(samples) % 3)
    shifts = (0, 10, 20) if components == 1 else (20, 10, 0)
    return b"".join(struct.pack(order + "I", sum(v << s for v, s in zip(samples[i:], shifts)) << 2 * up) for i in range(0, len(samples), 3))


def dpx(descriptor, depth, packing, order):
    components = {50: 3, 51: 4, 6: 1, 102: 3}[descriptor]
    head = bytearray(2048)
    head[0:4] = b"SDPX" if order == ">" else b"XPDS"
    struct.pack_into(order + "I", head, 4, 2048)
    struct.pack_into(order + "HHII", head, 768, 0, 1, WIDTH, HEIGHT)
    struct.pack_into(order + "IIIIIBBBBHHII", head, 780, 0, 0, 0, 0, 0, descriptor, 2, 2, depth, packing, 0, 2048, 0)
    rows = []
    for y in range(HEIGHT):
        samples = samples_of_row(y, components, depth)
        row = (struct.pack(f"{order}{len(samples)}H", *samples) if depth == 16 else in_words(samples, depth, order) if packing == 0 else
               filled(samples, depth, order, packing, components))
        rows.append(row + bytes(-len(row) % 4))
    return bytes(head) + b"".join(rows)


def tiff(components, depth, order):
    rows = []
    for y in range(HEIGHT):
        samples = samples_of_row(y, components, depth)
        bits = 0
        for v in samples:
            bits = bits << depth | v
        pad = -len(samples) * depth % 8
        rows.append(struct.pack(f"{order}{len(samples)}H", *samples) if depth == 16 else (bits << pad).to_bytes((len(samples) * depth + pad) // 8, "big"))
    data = b"".join(rows)
    data += bytes(len(data) & 1)
    tags = {256: (3, [WIDTH]), 257: (3, [HEIGHT]), 258: (3, [depth] * components), 259: (3, [1]), 262: (3, [1 if components == 1 else 2]),
            273: (4, [8]), 277: (3, [components]), 278: (3, [HEIGHT]), 279: (4, [len(b"".join(rows))])}
    if components == 4:
        tags[338] = (3, [2])
    return (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8 + len(data)) + data + directory(order, 8 + len(data), tags)


def make_pictures():
    shutil.rmtree(folder, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    for descriptor in (50, 51, 6, 102):
        for depth in (10, 12, 16):
            for packing in (0, 1, 2):
                for order in "<>":
                    name = f"d{descriptor}_{depth}_{packing}_{'be' if order == '>' else 'le'}.dpx"
                    (PICTURES / name).write_bytes(dpx(descriptor, depth, packing, order))
    for components in (1, 3, 4):
        for depth in (10, 12, 16):
            for order in "<>":
                (PICTURES / f"t{components}_{depth}_{'be' if order == '>' else 'le'}.tif").write_bytes(tiff(components, depth, order))


# ---- Runs ----------------------------------------------------------------------------------------------------------------


def run(*words, data=None):
    return subprocess.run([wavelane, *map(str, words)], input=data, stdin=subprocess.DEVNULL if data is None else None, capture_output=True, check=False)


def encode_one(source, *options):
    """The coded bytes; None: there are none."""
    output = folder / "alone.j2c"
    output.unlink(missing_ok=True)
    data = source.read_bytes() if "-" in options else None
    run("-i", "-" if data else source, "-o", output, "--threads", 1, "--device", "cpu", "--quiet", *(o for o in options if o != "-"), data=data)
    return output.read_bytes() if output.exists() else None


def encode_folder(*options):
    shutil.rmtree(CODED, ignore_errors=True)
    CODED.mkdir()
    return run("-ImgDir", PICTURES, "-OutFor", "j2c", "-o", CODED, "--threads", 2, "--device", "cpu", *options)


def is_same(*options, every=1):
    """Fails at each picture, or each n-th one; or at all."""
    encode_folder("--quiet", *options)
    for path in sorted(PICTURES.iterdir())[::every]:
        beside = CODED / (path.stem + ".j2c")
        integers = encode_one(path, "-", *options)
        expect(encode_one(path, *options) == integers, f"{path.name} {options}: other bytes than from a pipe")
        expect((beside.read_bytes() if beside.exists() else None) == integers, f"{path.name} {options}: other bytes in a folder")


def all_are_coded():
    result = encode_folder("--json", *(["--verify"] if "verify" in sys.argv[3:] else []))
    pictures = json.loads(result.stdout)["pictures"]
    expect(result.returncode == 0 and len(pictures) == len(list(PICTURES.iterdir())), f"a folder: exit {result.returncode}")
    for picture in pictures:
        name = Path(picture["input"]).name
        depth = next(part for part in ("10", "12", "16") if f"_{part}_" in name)
        expect(picture["status"] == "ok" and f'"depth":{depth}' in json.dumps(picture, separators=(",", ":")), f"{name}: {picture['status']}")


def sequence():
    """A frame that is damaged becomes black, with the format of its neighbour, whose samples are words."""
    frames, coded = folder / "frames", folder / "coded"
    frames.mkdir()
    coded.mkdir()
    good = (PICTURES / "d50_10_1_be.dpx").read_bytes()
    for i in range(3):
        (frames / f"f{i}.dpx").write_bytes(good if i != 1 else good[:3000])
    result = run("sequence", frames / "f%d.dpx", coded, "--frames", "0-2", "-OutFor", "j2c", "--on-error", "black", "--device", "cpu", "--threads", 2, "--quiet")
    outputs = sorted(coded.glob("*.j2c"))
    expect(len(outputs) == 3, f"a sequence with a black frame: exit {result.returncode}: {result.stderr.decode()}")
    if len(outputs) < 3:
        return
    alone = encode_one(frames / "f0.dpx", "-")
    expect(outputs[0].read_bytes() == alone, "a frame of a sequence has other bytes")
    expect(outputs[1].stat().st_size < len(alone) / 4, "the damaged frame is not black")


def main():
    make_pictures()
    all_are_coded()
    is_same("-HT")
    is_same("--mct", "off", every=3)
    is_same("--tile", "32,24", "--tile-offset", "5,3", "--image-offset", "9,7", every=2)
    is_same("-I", "--bpp", "3", "--measure-psnr", "yes", every=3)
    is_same("--input-color", "rec709", every=2)
    is_same("-TargetBitDepth", "8", every=5)
    is_same("--channels", "0", every=5)
    sequence()
    return end()


if __name__ == "__main__":
    sys.exit(main())
