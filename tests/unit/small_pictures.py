# SPDX-License-Identifier: BSD-2-Clause
"""Small picture files with metadata, byte by byte, for suites of readers and for conformance/, and readers of what becomes of it."""
import struct
import zlib

FORMATS = {1: "B", 2: "s", 3: "H", 4: "I", 7: "s", 12: "d"}


def value_bytes(order, kind, values):
    if kind in (2, 7, 1) and isinstance(values, bytes):
        return values, len(values)
    if kind == 5:
        return struct.pack(order + "2I" * len(values), *[n for v in values for n in v]), len(values)
    return struct.pack(order + FORMATS[kind] * len(values), *values), len(values)


def directory(order, at, tags):
    """A directory at `at`, values behind it. Tags: {tag: (type, values)}."""
    body, behind = struct.pack(order + "H", len(tags)), b""
    start = at + 2 + 12 * len(tags) + 4
    for tag in sorted(tags):
        data, count = value_bytes(order, *tags[tag])
        inline = data.ljust(4, b"\0") if len(data) <= 4 else struct.pack(order + "I", start + len(behind))
        body += struct.pack(order + "HHI", tag, tags[tag][0], count) + inline
        behind += (data + b"\0" * (len(data) % 2)) if len(data) > 4 else b""
    return body + bytes(4) + behind


def tiff_of_pieces(pieces, tags, order="<"):
    """TIFF strips, or tiles where there is a TileWidth, one behind the other, and the directory last. An empty one is not in the file (sparse)."""
    places, out = [], (b"II*\0" if order == "<" else b"MM\0*") + bytes(4)
    for piece in pieces:
        places.append(len(out) if piece else 0)
        out += piece
    out += bytes(len(out) & 1)
    offsets, counts = (324, 325) if 322 in tags else (273, 279)
    tags = {**tags, offsets: (4, places), counts: (4, [len(p) for p in pieces])}
    return out[:4] + struct.pack(order + "I", len(out)) + out[8:] + directory(order, len(out), tags)


def tiff(tags, exif=None, gps=None, interop=None, order="<", width=6, height=4):
    """Grey, 8 bits; sub-directories lie behind the first."""
    samples = bytes((7 * i) % 256 for i in range(width * height))
    base = {256: (3, [width]), 257: (3, [height]), 258: (3, [8]), 259: (3, [1]), 262: (3, [1]), 273: (4, [8]), 277: (3, [1]), 278: (3, [height]),
            279: (4, [len(samples)])}
    base.update(tags)
    out = (b"II*\0" if order == "<" else b"MM\0*") + bytes(4) + samples
    for tag, sub in ((34665, exif), (34853, gps)):
        if sub is None:
            continue
        if tag == 34665 and interop is not None:
            sub = dict(sub)
            sub[40965] = (4, [len(out)])
            out += directory(order, len(out), interop)
        base[tag] = (4, [len(out)])
        out += directory(order, len(out), sub)
    return out[:4] + struct.pack(order + "I", len(out)) + out[8:] + directory(order, len(out), base)


def late(exif):
    """The directories of EXIF and Interoperability lie behind the pixels, which lie behind the first directory."""
    base = {256: (3, [6]), 257: (3, [4]), 258: (3, [8]), 259: (3, [1]), 262: (3, [1]), 273: (4, [0]), 277: (3, [1]), 278: (3, [4]), 279: (4, [24]), 34665: (4, [0])}
    pixels = 8 + len(directory("<", 8, base))
    at = pixels + 24 + 200000
    exif = {**exif, 40965: (4, [0])}
    inner = at + len(directory("<", at, exif)) + 100000
    exif[40965] = (4, [inner])
    base.update({273: (4, [pixels]), 34665: (4, [at])})
    out = b"II*\0" + struct.pack("<I", 8) + directory("<", 8, base) + bytes(24 + 200000) + directory("<", at, exif) + bytes(100000)
    return out + directory("<", inner, {1: (2, b"R98 is long\0")}) + bytes(100000)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*chunks, kind=0):
    row_bytes = {0: 6, 2: 18}[kind]
    lines = b"".join(b"\0" + bytes(range(y, y + row_bytes)) for y in range(4))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 6, 4, 8, kind, 0, 0, 0)) + b"".join(chunks) + chunk(b"IDAT", zlib.compress(lines)) +
            chunk(b"IEND", b""))


def dpx(fields):
    head = bytearray(2048)
    head[0:4] = b"SDPX"
    struct.pack_into(">I", head, 4, 2048)
    struct.pack_into(">HHII", head, 768, 0, 1, 6, 4)
    struct.pack_into(">IIIIIBBBBHHII", head, 780, 0, 0, 0, 0, 0, 50, 2, 2, 8, 0, 0, 2048, 0)
    for at, text in fields.items():
        head[at:at + len(text)] = text
    return bytes(head) + bytes(range(72))


def bmp(per_metre, profile=b""):
    size = 124 if profile else 40
    head = struct.pack("<IiiHHIIiiII", size, 6, 4, 1, 24, 0, 0, per_metre, per_metre, 0, 0)
    head += bytes(size - len(head))
    return b"BM" + struct.pack("<IHHI", 0, 0, 0, 14 + size) + head + bytes(80)


def jpeg(*segments):
    """8 x 8 samples, all 128: each segment (marker, bytes) behind SOI, then a baseline block of zeroes (ISO/IEC 10918-1 Annex B)."""
    def segment(marker, data):
        return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data
    one_code = bytes([1]) + bytes(15) + b"\0"  # a table with one code of one bit, for the symbol 0
    return (b"\xff\xd8" + b"".join(segment(m, d) for m, d in segments) + segment(0xDB, b"\0" + bytes([1] * 64)) +
            segment(0xC0, struct.pack(">BHHB3B", 8, 8, 8, 1, 1, 0x11, 0)) + segment(0xC4, b"\0" + one_code + b"\x10" + one_code) +
            segment(0xDA, bytes([1, 1, 0, 0, 63, 0])) + b"\x3f\xff\xd9")


def exr(texts):
    """4 x 2 samples of 16-bit floats without compression, all 0.5; texts: {attribute: text}."""
    def attribute(name, kind, data):
        return name + b"\0" + kind + b"\0" + struct.pack("<I", len(data)) + data
    window = struct.pack("<4i", 0, 0, 3, 1)
    head = struct.pack("<II", 20000630, 2) + attribute(b"channels", b"chlist", b"Y\0" + struct.pack("<IIII", 1, 0, 1, 1) + b"\0")
    for name, kind, data in ((b"compression", b"compression", b"\0"), (b"dataWindow", b"box2i", window), (b"displayWindow", b"box2i", window),
                             (b"lineOrder", b"lineOrder", b"\0"), (b"pixelAspectRatio", b"float", struct.pack("<f", 1)),
                             (b"screenWindowCenter", b"v2f", bytes(8)), (b"screenWindowWidth", b"float", struct.pack("<f", 1)),
                             *((name, b"string", text) for name, text in texts.items())):
        head += attribute(name, kind, data)
    lines = [struct.pack("<ii4e", y, 8, *[0.5] * 4) for y in range(2)]
    at = len(head) + 1 + 16
    return head + b"\0" + struct.pack("<2Q", at, at + len(lines[0])) + b"".join(lines)


def icc(space=b"GRAY", name=b""):
    """A restricted profile (I.5.3.3): one curve, or three colorants and curves."""
    curve, points = b"curv" + bytes(4) + struct.pack(">IHH", 1, 563, 0), ((63190, 65536, 54061), (39957, 20388, 1277), (13454, 41005, 3991), (9777, 4141, 48799))
    colorants = [b"XYZ " + bytes(4) + struct.pack(">3i", *point) for point in points]
    tags = [(b"desc", b"desc" + bytes(4) + struct.pack(">I", len(name) + bool(name)) + name.ljust(-(-len(name) // 4) * 4, b"\0") + bytes(80)), (b"wtpt", colorants[0])]
    tags += [(b"kTRC", curve)] if space == b"GRAY" else [*zip((b"rXYZ", b"gXYZ", b"bXYZ"), colorants[1:]), *((tag, curve) for tag in (b"rTRC", b"gTRC", b"bTRC"))]
    at, body, entries = 128 + 4 + 12 * len(tags), b"", b""
    for name, data in tags:
        entries += name + struct.pack(">II", at + len(body), len(data))
        body += data
    size = at + len(body)
    head = struct.pack(">I4sI4s4s4s", size, bytes(4), 0x02100000, b"mntr", space, b"XYZ ") + bytes(12) + b"acsp"
    return head.ljust(68, b"\0") + struct.pack(">3i", 63190, 65536, 54061).ljust(60, b"\0") + struct.pack(">I", len(tags)) + entries + body


def inks(space, count):
    """Colours without a transform, 8 bits, with a profile by tables (no matrix) of this space."""
    tags = {277: (3, [count]), 258: (3, [8] * count), 262: (3, [5 if count == 4 else 2]), 279: (4, [24 * count]), 34675: (7, icc().replace(b"mntrGRAY", b"prtr" + space))}
    width = struct.pack("<HHIH", 256, 3, 1, 6 * count)  # as many samples as a grey picture of this width has
    return tiff(tags, width=6 * count).replace(width, struct.pack("<HHIH", 256, 3, 1, 6))


# ---- What was written ------------------------------------------------------------------------------------------------------------


def boxes_of(data):
    """[(type, content)] of a sequence of boxes."""
    found, at = [], 0
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        length = length or len(data) - at
        assert 8 <= length <= len(data) - at, f"box {kind} of {length} bytes"
        found.append((kind, data[at + 8:at + length]))
        at += length
    return found


def stream_tags(stream, at=None):
    """{tag: (type, raw bytes)} of a directory of a TIFF stream."""
    order = ">" if stream[:1] == b"M" else "<"
    at = struct.unpack_from(order + "I", stream, 4)[0] if at is None else at
    found = {}
    for i in range(struct.unpack_from(order + "H", stream, at)[0]):
        tag, kind, count = struct.unpack_from(order + "HHI", stream, at + 2 + 12 * i)
        size = count * {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 12: 8}[kind]
        place = at + 10 + 12 * i if size <= 4 else struct.unpack_from(order + "I", stream, at + 10 + 12 * i)[0]
        assert place + size <= len(stream), f"tag {tag} lies beyond the stream"
        found[tag] = (kind, stream[place:place + size])
    return found


def sub(stream, tag):
    order = ">" if stream[:1] == b"M" else "<"
    return stream_tags(stream, struct.unpack(order + "I", stream_tags(stream)[tag][1])[0])
