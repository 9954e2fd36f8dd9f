# SPDX-License-Identifier: BSD-2-Clause
"""Small pictures for test_inputs.sh, and what the options should make of them: make_inputs.py FOLDER"""
import base64
import importlib.machinery
import importlib.util
import os
import struct
import sys
import zlib

if sys.argv[1:2] in (["--help"], ["-h"]):
    print(__doc__.strip())
    sys.exit()

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


def picture_tree(pages, form="<"):
    """TIFF of pages (width, height, level, NewSubfileType or None, SubIFDs, further tags): its bytes."""
    data = bytearray(struct.pack(form + "2sHI", b"II" if form == "<" else b"MM", 42, 0))

    def put(page):
        width, height, level, kind, subs, more = page
        places = [put(sub)[0] for sub in subs]
        pixels = len(data)
        data.extend((level + i) % 256 for i in range(width * height))
        tags = [(256, 3, [width]), (257, 3, [height]), (258, 3, [8]), (259, 3, [1]), (262, 3, [1]), (273, 4, [pixels]), (277, 3, [1])]
        tags += [(278, 3, [height]), (279, 4, [width * height])] + ([] if kind is None else [(254, 4, [kind])]) + ([(330, 4, places)] if subs else [])
        tags += more
        data.extend(b"\0" * (len(data) % 2))
        table = struct.pack(form + "H", len(tags))
        for tag, type_, values in sorted(tags):
            raw = values if type_ == 2 else struct.pack(form + "%d%s" % (len(values), "H" if type_ == 3 else "I"), *values)
            if len(raw) > 4:
                data.extend(raw + b"\0" * (len(raw) % 2))
                raw = struct.pack(form + "I", len(data) - len(raw) - len(raw) % 2)
            table += struct.pack(form + "HHI", tag, type_, len(values)) + raw.ljust(4, b"\0")
        at = len(data)
        data.extend(table + b"\0\0\0\0")
        return at, len(data) - 4

    link = 4
    for page in pages:
        at, following = put(page)
        data[link:link + 4] = struct.pack(form + "I", at)
        link = following
    return bytes(data)


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
write("frame.dpx", seeds.make_dpx(10))
write("picture.tga", seeds.make_tga(2, 24))
big = (9, 8, 100, 0, [], [])
for name, form in (("", "<"), ("_be", ">")):
    write("thumbnail%s.tif" % name, picture_tree([(4, 3, 7, 1, [big], [(274, 3, [6]), (315, 2, b"Ada\0")])], form))
write("thumbnail_page.tif", picture_tree([(4, 3, 7, 1, [], []), big]))
write("old_thumbnail.tif", picture_tree([(4, 3, 7, None, [], [(255, 3, [2])]), (9, 8, 100, None, [], [(255, 3, [1])])]))
write("silent_thumbnail.tif", picture_tree([(4, 3, 7, None, [big, (2, 2, 0, 1, [], [])], [])]))
write("small_first.tif", picture_tree([(4, 3, 7, None, [], []), (5, 5, 7, None, [], []), (9, 8, 100, None, [], []), (99, 1, 7, None, [], [])]))
write("unclear.tif", picture_tree([(4, 3, 7, 1, [(2, 2, 0, 1, [], []), big], []), (9, 8, 50, 0, [], [])]))
write("pyramid.tif", picture_tree([(9, 8, 100, 0, [], []), (9, 8, 0, 4, [], []), (4, 4, 7, 1, [], []), (2, 2, 7, 1, [], [])]))
write("sub_pyramid.tif", picture_tree([(9, 8, 100, 0, [(4, 4, 7, 1, [], [])], []), (9, 8, 50, 0, [], [])]))
write("overviews.tif", picture_tree([(4, 4, 7, 1, [], []), (2, 2, 7, 1, [], [])]))
write("overview.tif", picture_tree([(9, 8, 100, 1, [], [])]))
write("lost_sub.tif", picture_tree([(4, 3, 7, 1, [], [(330, 4, [99999])])]))
loop = bytearray(picture_tree([(9, 8, 100, 0, [], []), (9, 8, 50, 0, [], [])]))
loop[-4:] = loop[4:8]
write("loop.tif", bytes(loop))
write("big.pgm", pnm(5, 9, 8, bytes(range(100, 172))))
write("small.pgm", pnm(5, 4, 3, bytes(range(7, 19))))


def sparse(name, depth, present, fill, nodata=None, samples=1, photometric=1, planar=1, tile=0, sign=1, step=1):
    """A TIFF of 20 x 20 of whose blocks only some are there, all of their samples `present`; `fill`: the others.
    With it: the picture that is expected, as samples row by row (component after component for steps)."""
    planes = samples if planar == 2 else 1
    blocks = (4 if tile else 3) * planes
    wide, high, per_pixel = (16, 16, samples) if tile else (20, 8, samples // planes)
    units = (wide // step * (high // step)) * (step * step + 2) if step > 1 else 0
    bits = "".join(format(present[c % len(present)] & (1 << depth) - 1, "0%db" % depth) for c in range(wide * per_pixel))
    row = int(bits.ljust((len(bits) + 7) // 8 * 8, "0"), 2).to_bytes((len(bits) + 7) // 8, "big")
    block = bytes(([present[0]] * step * step + list(present[1:])) * (units // (step * step + 2))) if units else row * high
    there = [i % (blocks // planes) == 0 for i in range(blocks)]
    lengths = [len(block) if t else 0 for t in there]
    tags = [(256, 3, [20]), (257, 3, [20]), (258, 3, [depth] * samples), (259, 3, [1]), (262, 3, [photometric]), (277, 3, [samples]),
            (284, 3, [planar]), (339, 3, [sign] * samples), (325 if tile else 279, 4, lengths)]
    tags += [(322, 3, [wide]), (323, 3, [high])] if tile else [(278, 3, [high])]
    tags += [(42113, 2, nodata)] if nodata else []
    tags += [(530, 3, [step, step])] if step > 1 else []
    data = bytearray(struct.pack(">2sHI", b"MM", 42, 0) + block)
    tags += [(324 if tile else 273, 4, [8 if t else 0 for t in there])]
    table = struct.pack(">H", len(tags))
    for tag, kind, values in sorted(tags):
        raw = values if kind == 2 else struct.pack(">%d%s" % (len(values), "H" if kind == 3 else "I"), *values)
        if len(raw) > 4:
            data += raw + b"\0" * (len(raw) % 2)
            raw = struct.pack(">I", len(data) - len(raw) - len(raw) % 2)
        table += struct.pack(">HHI", tag, kind, len(values)) + raw.ljust(4, b"\0")
    data[4:8] = struct.pack(">I", len(data))
    write(name + ".tif", bytes(data) + table + b"\0\0\0\0")
    return lambda x, y: present if (x < wide and y < high) else fill


def pixels_of(at, size=20):
    return [v for y in range(size) for x in range(size) for v in at(x, y)]


grey = pixels_of(sparse("sparse_tiles", 8, [200], [7], b"7\0", tile=1))
write("sparse_tiles.pgm", pnm(5, 20, 20, bytes(grey)))
deep = pixels_of(sparse("sparse_rgb", 16, [1000, 2000, 3000], [0, 0, 0], samples=3, photometric=2))
write("sparse_rgb.ppm", pnm(6, 20, 20, struct.pack(">1200H", *deep), 65535))
sparse("sparse_planes", 12, [77], [4095], b"4095\0", samples=3, photometric=2, planar=2, tile=1)
write("sparse_planes.ppm", pnm(6, 20, 20, b"".join(struct.pack(">3H", *[77 if x < 16 and y < 16 else 4095] * 3) for y in range(20) for x in range(20)), 4095))
white = pixels_of(sparse("sparse_white", 1, [0], [1], b"1\0", photometric=0))
write("sparse_white.pgm", pnm(5, 20, 20, bytes(1 - v for v in white), 1))
too_large = pixels_of(sparse("sparse_unfit", 8, [9], [0], b"-9999\0"))
write("sparse_unfit.pgm", pnm(5, 20, 20, bytes(too_large)))
signed = pixels_of(sparse("sparse_signed", 16, [-5], [-9999], b"-9999\0", sign=2, tile=1))
write("sparse_signed.pgx", b"PG ML -16 20 20\n" + struct.pack(">400h", *signed))
sparse("sparse_float", 32, [struct.unpack(">I", struct.pack(">f", 0.5))[0]], [0], b"1\0", sign=3, tile=1)
write("sparse_float.pgm", pnm(5, 20, 20, b"".join(struct.pack(">H", 32768 if x < 16 and y < 16 else 65535) for y in range(20) for x in range(20)), 65535))
sparse("sparse_ycc", 8, [90, 100, 110], [0, 128, 128], samples=3, photometric=6, step=2)
write("sparse_ycc.yuv", bytes(90 if y < 8 else 0 for y in range(20) for x in range(20)) + bytes(100 if y < 4 else 128 for y in range(10) for x in range(10)) +
      bytes(110 if y < 4 else 128 for y in range(10) for x in range(10)))
# An HT codestream with a damaged block that no rule of the walker names: OpenJPEG 2.5.0 ends its process (an assertion in ht_dec.c).
write("fatal.jhc", base64.b64decode(
    "/0//UQAvQAAAAAA9AAAAKwAAAAAAAAAAAAAAPQAAACsAAAAAAAAAAAADBwEBBwEBBwEB/1AACAACAAAAIP9SAAwAAAABAQUEBEAA/1wAI0Ja21q6WrpamV"
    "LKUspStEsBSwFLEkU3RTdHpDdiN2Ig3v9dACQBQlpqXHlceV1IVmZWZkg2QXlBeUReP9E/0TVPIQ0hDRsD/10AJAJCW/NcXFxcXOpVxlXGVydAfEB8Qlg8"
    "jzyPMUYrmSuZIv3/kAAKAAAAAABlAAH/k8AFQCBiMf4ARrQAwAVALEtSyP//tADABUCp0dHQAIG0AKACMAAjAAAAoASgKMe+tACgBGDBAwAAoAlgCUD+vw"
    "BkAP34wCQAAACgEwD8/08cBQAAAAAAAP/Z"))

# The last TIFF strip has one row, and the data of six.
rows = [bytes((37 * x + 11 * y) % 256 for x in range(20)) for y in range(18)]
strips = [zlib.compress(b"".join(rows[y:y + 6]), 0) for y in (0, 6, 12)]
padded = struct.pack("<2sHI", b"II", 42, 8 + sum(len(s) for s in strips) + 24) + b"".join(strips)
places = [8, 8 + len(strips[0]), 8 + len(strips[0]) + len(strips[1])]
lists = len(padded)
padded += struct.pack("<6I", *places, *(len(s) for s in strips))
tags = ((256, 3, 1, 20), (257, 3, 1, 13), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1), (273, 4, 3, lists), (277, 3, 1, 1), (278, 3, 1, 6), (279, 4, 3, lists + 12))
write("padded.tif", padded + struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + bytes(4))
write("padded.pgm", pnm(5, 20, 13, b"".join(rows[:13])))
