# SPDX-License-Identifier: BSD-2-Clause
"""Small pictures for test_inputs.sh, and what the options should make of them: make_inputs.py FOLDER"""
import base64
import importlib.machinery
import importlib.util
import os
import struct
import sys

folder = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
loader = importlib.machinery.SourceFileLoader("mutate_inputs", os.path.join(here, "../../conformance/mutate_inputs"))
seeds = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate_inputs", loader))
sys.dont_write_bytecode = True
loader.exec_module(seeds)


def write(name, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def tiff_page(at, level, is_last, width=5, height=4, strip=None):
    """One directory and its samples, at a place of the file."""
    pixels = bytes((level + i) % 256 for i in range(width * height))
    tags = ((256, 3, width), (257, 3, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 0), (277, 3, 1), (278, 3, height), (279, 4, len(pixels)))
    size = 2 + 12 * len(tags) + 4
    table = struct.pack("<H", len(tags))
    for tag, kind, value in tags:
        value = (at + size if strip is None else strip) if tag == 273 else value
        table += struct.pack("<HHI", tag, kind, 1) + (struct.pack("<HH", value, 0) if kind == 3 else struct.pack("<I", value))
    return table + struct.pack("<I", 0 if is_last else at + size + len(pixels)) + pixels


def tiff(strips):
    data = struct.pack("<2sHI", b"II", 42, 8)
    for i, strip in enumerate(strips):
        data += tiff_page(len(data), 40 * i, i == len(strips) - 1, strip=strip)
    return data


def pnm(kind, width, height, samples, most=255):
    return b"P%d\n%d %d\n%d\n" % (kind, width, height, most) + samples


write("pages.tif", tiff([None, None, None]))
write("bad_page.tif", tiff([None, 100000, None]))
write("grey.pgm", pnm(5, 4, 3, bytes(range(12))))
rgba = [[(37 * p + 60 * c) % 256 for c in range(4)] for p in range(35)]
write("rgba.pam", b"P7\nWIDTH 7\nHEIGHT 5\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + bytes(v for p in rgba for v in p))
write("rgb.ppm", pnm(6, 7, 5, bytes(v for p in rgba for v in p[:3])))
write("bgr.ppm", pnm(6, 7, 5, bytes(v for p in rgba for v in p[2::-1])))
write("red.pgm", pnm(5, 7, 5, bytes(p[0] for p in rgba)))
write("neutral.yuv", bytes(range(10, 34)) + b"\x80" * 12)
write("grey_rgb.ppm", pnm(6, 6, 4, bytes(v for v in range(10, 34) for _ in range(3))))
ramp = [0.25, 0.5, 0.75, 1.0]
write("ramp.pfm", b"Pf\n4 1\n-1.0\n" + struct.pack("<4f", *ramp))
write("ramp.pgm", pnm(5, 4, 1, struct.pack(">4H", *(int(v * 65535 + 0.5) for v in ramp)), 65535))
write("flat.jpg", seeds.make_jpeg(32, 16, (0x22, 0x11, 0x11)))
write("grey.jpg", seeds.make_jpeg(20, 12, (0x11,)))
write("flat.ppm", pnm(6, 32, 16, b"\x80" * (32 * 16 * 3)))
write("flat.yuv", b"\x80" * (32 * 16 * 3 // 2))
write("signed.pgx", b"PG ML -12 11 3\n" + bytes(v for i in range(33) for v in ((i * 5 - 80 >> 8) & 255, (i * 5 - 80) & 255)))
write("deep.pgm", pnm(5, 40, 30, bytes((i * i * 7 + i // 3) % 256 for i in range(2400)), 65535))
write("tagged.png", seeds.make_png(2, 8))
write("palette.bmp", seeds.make_bmp(8))
write("note.xml", seeds.make_xml())
write("other.xml", b"<other/>")
write("marked.jpg", seeds.make_jpeg(20, 12, (0x21, 0x11, 0x11), seeds.JPEG_SEGMENTS))
write("half.exr", seeds.make_exr())
# An HT codestream with a damaged block that no rule of the walker names: OpenJPEG 2.5.0 ends its process (an assertion in ht_dec.c).
write("fatal.jhc", base64.b64decode(
    "/0//UQAvQAAAAAA9AAAAKwAAAAAAAAAAAAAAPQAAACsAAAAAAAAAAAADBwEBBwEBBwEB/1AACAACAAAAIP9SAAwAAAABAQUEBEAA/1wAI0Ja21q6WrpamV"
    "LKUspStEsBSwFLEkU3RTdHpDdiN2Ig3v9dACQBQlpqXHlceV1IVmZWZkg2QXlBeUReP9E/0TVPIQ0hDRsD/10AJAJCW/NcXFxcXOpVxlXGVydAfEB8Qlg8"
    "jzyPMUYrmSuZIv3/kAAKAAAAAABlAAH/k8AFQCBiMf4ARrQAwAVALEtSyP//tADABUCp0dHQAIG0AKACMAAjAAAAoASgKMe+tACgBGDBAwAAoAlgCUD+vw"
    "BkAP34wCQAAACgEwD8/08cBQAAAAAAAP/Z"))
