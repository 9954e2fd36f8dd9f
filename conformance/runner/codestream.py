# SPDX-License-Identifier: BSD-2-Clause
"""Main headers and boxes read by hand: what conditions of known faults are about, independent of the project's own tools."""
import struct

ORDERS = ("LRCP", "RLCP", "RPCL", "PCRL", "CPRL")
STYLES = ("BYPASS", "RESET", "TERMALL", "VSC", "PTERM", "SEGSYM", "HT")


class Damaged(Exception):
    pass


def boxes(data, start=0, end=None):
    """(type, content start, content end) of a run of boxes (I.4)."""
    end = len(data) if end is None else end
    while start < end:
        if end - start < 8:
            raise Damaged(f"{end - start} bytes behind the last box")
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, start + 8)
            head = 16
        elif size == 0:
            size = end - start
        if size < head or start + size > end:
            raise Damaged(f"box {kind!r} at {start} claims {size} bytes")
        yield kind.decode("latin-1"), start + head, start + size
        start += size


def find_codestream(data):
    """(start, end) of SOC..EOC."""
    if data[:2] == b"\xff\x4f":
        return 0, len(data)
    for kind, start, end in boxes(data):
        if kind == "jp2c":
            return start, end
    raise Damaged("no codestream")


def find_box(data, *path):
    """Content of a box inside boxes, or None."""
    start, end = 0, len(data)
    for name in path:
        for kind, s, e in boxes(data, start, end):
            if kind == name:
                start, end = s, e
                break
        else:
            return None
    return data[start:end]


def segments(data, start):
    """(code, content start, content end) of the main header's segments up to the first SOT."""
    at = start + 2
    while True:
        code, length = struct.unpack_from(">HH", data, at)
        if code in (0xFF90, 0xFFD9):
            return
        yield code, at + 4, at + 2 + length
        at += 2 + length


def tile_parts(data, start, end):
    """(tile, part, count, offset, length) of every tile-part."""
    at = start + 2
    while True:
        code, length = struct.unpack_from(">HH", data, at)
        if code == 0xFF90:
            break
        at += 2 + length
    while at + 12 <= end and data[at:at + 2] == b"\xff\x90":
        tile, size, part, count = struct.unpack_from(">HIBB", data, at + 4)
        size = size or end - 2 - at
        yield tile, part, count, at, size
        at += size


def ceil_div(a, b):
    return -(-a // b)


def read_size(data, at, f):
    _, x1, y1, x0, y0, tw, th, tx, ty, n = struct.unpack_from(">HIIIIIIIIH", data, at)
    f.update(rsiz=struct.unpack_from(">H", data, at)[0], x0=x0, y0=y0, x1=x1, y1=y1, tile_width=tw, tile_height=th, tile_x0=tx, tile_y0=ty, components=n)
    f["depths"] = [(data[at + 36 + 3 * i] & 127) + 1 for i in range(n)]
    f["signs"] = [data[at + 36 + 3 * i] >> 7 for i in range(n)]
    f["steps"] = [(data[at + 37 + 3 * i], data[at + 38 + 3 * i]) for i in range(n)]
    columns, rows = ceil_div(x1 - tx, tw), ceil_div(y1 - ty, th)
    f["tiles"] = columns * rows


def has_odd_pair(f):
    """Is there a tile-component with a level to take apart that has two rows, the first at an odd place?"""
    rows, ty, th = ceil_div(f["y1"] - f["tile_y0"], f["tile_height"]), f["tile_y0"], f["tile_height"]
    for t in range(rows):
        for dy in {dy for _, dy in f["steps"]}:
            y0, y1 = ceil_div(max(f["y0"], ty + t * th), dy), ceil_div(min(f["y1"], ty + (t + 1) * th), dy)
            for _ in range(f["levels"]):
                if y0 & 1 and y1 - y0 == 2:
                    return True
                y0, y1 = ceil_div(y0, 2), ceil_div(y1, 2)
    return False


def is_off_precincts(f):
    """Does a tile of some component and resolution begin beside the borders of its precincts?"""
    starts = [sorted({max(f[a + "0"], f["tile_" + a + "0"] + t * f["tile_" + side]) for t in range(ceil_div(f[a + "1"] - f["tile_" + a + "0"], f["tile_" + side]))})
              for a, side in (("x", "width"), ("y", "height"))]
    for axis in (0, 1):
        for step in {s[axis] for s in f["steps"]}:
            for r, precinct in enumerate(f["precincts"]):
                scale = step << (f["levels"] - r)
                if any(ceil_div(start, scale) % precinct[axis] for start in starts[axis]):
                    return True
    return False


def least_piece(low, high, size):
    """The shorter of the first and the last of the pieces into which multiples of size cut [low, high); None: it is empty."""
    if high <= low:
        return None
    return min(min(high, (low // size + 1) * size) - low, high - max(low, (high - 1) // size * size))


def tile_sides(f, axis):
    """[from, to) of the tiles along an axis; of very many those at both ends."""
    origin, size = (f["tile_x0"], f["tile_y0"])[axis], (f["tile_width"], f["tile_height"])[axis]
    low, high = (f["x0"], f["y0"])[axis], (f["x1"], f["y1"])[axis]
    first, last = (low - origin) // size, (high - 1 - origin) // size
    places = range(first, last + 1) if last - first < 512 else (*range(first, first + 256), *range(last - 255, last + 1))
    return [(max(low, origin + i * size), min(high, origin + (i + 1) * size)) for i in places]


def least_side(tiles, step, levels, is_high, size):
    """Samples along an axis of the narrowest block of a band; None: the band has none."""
    off = (1 << levels - 1) if is_high else 0
    pieces = []
    for low, high in tiles:
        ends = [-((off - -(-end // step)) // (1 << levels)) for end in (low, high)]  # B-15: rounded up
        pieces.append(least_piece(*ends, size))
    return min((p for p in pieces if p), default=None)


def least_block(f):
    """Samples of the smallest code block that is not empty: where a block, a precinct or a band of a border tile ends."""
    least = f["block_width"] * f["block_height"]
    tiles = [tile_sides(f, axis) for axis in (0, 1)]
    for r in range(f["levels"] + 1):
        precinct = f["precincts"][r] if f["precincts"] else (1 << 15, 1 << 15)
        size = [max(1, min(block, precinct[axis] >> (1 if r else 0))) for axis, block in enumerate((f["block_width"], f["block_height"]))]
        deep = f["levels"] - r + (1 if r else 0)
        for high in ((1, 0), (0, 1), (1, 1)) if r else ((0, 0),):
            for step in set(f["steps"]):
                across, down = (least_side(tiles[axis], step[axis], deep, high[axis], size[axis]) for axis in (0, 1))
                least = min(least, across * down) if across and down else least
    return least


def read_style(data, at, f):
    scod, order, layers, mct, levels, xcb, ycb, style, wavelet = struct.unpack_from(">BBHBBBBBB", data, at)
    f.update(progression=ORDERS[order] if order < 5 else "?", layers=layers, mct=mct, levels=levels, block_width=4 << xcb, block_height=4 << ycb,
             style=[name for i, name in enumerate(STYLES) if style >> i & 1], ht=style >> 6 & 1, wavelet="9/7" if wavelet == 0 else "5/3",
             sop=scod >> 1 & 1, eph=scod >> 2 & 1)
    f["precincts"] = [(1 << (b & 15), 1 << (b >> 4)) for b in data[at + 10:at + 11 + levels]] if scod & 1 else []


def facts(data):
    """The numbers that conditions may name."""
    start, end = find_codestream(data)
    f = {"jp2": start > 0, "bytes": end - start, "ppm": False, "poc": False, "plm": False, "tlm": False, "cap": None, "main_roi": False, "coc": 0, "qcc": 0}
    try:
        for code, s, e in segments(data, start):
            if code == 0xFF51:
                read_size(data, s, f)
            elif code == 0xFF52:
                read_style(data, s, f)
            elif code == 0xFF5C:
                f["guard_bits"] = data[s] >> 5
            elif code == 0xFF50:
                f["cap"] = struct.unpack_from(">IH", data, s)
            f["tlm"] |= code == 0xFF55
            f["ppm"] |= code == 0xFF60
            f["poc"] |= code == 0xFF5F
            f["main_roi"] |= code == 0xFF5E
            f["coc"] += code == 0xFF53
            f["qcc"] += code == 0xFF5D
        parts = list(tile_parts(data, start, end))
    except (struct.error, IndexError) as error:
        raise Damaged(str(error)) from None
    f["tile_parts"] = len(parts)
    f["parts_of_a_tile"] = max((p[1] for p in parts), default=0) + 1
    in_headers = [code for part in parts[:4096] for code in part_segments(data, part)]
    f["ppt"] = 0xFF61 in in_headers
    f["tile_poc"] = 0xFF5F in in_headers
    f["tile_coding"] = any(c in (0xFF52, 0xFF53, 0xFF5C, 0xFF5D) for c in in_headers)
    f["roi"] = f["main_roi"] or 0xFF5E in in_headers
    f["subsampled"] = any(step != (1, 1) for step in f["steps"])
    f["mixed_steps"] = len(set(f["steps"])) > 1
    f["mixed_depths"] = len(set(zip(f["depths"], f["signs"]))) > 1
    f["depth"] = max(f["depths"])
    f["odd_pair"] = has_odd_pair(f)
    f["off_precincts"] = f["tiles"] < 1 << 16 and is_off_precincts(f)
    f["least_block"] = least_block(f)
    f["signed"] = any(f["signs"])
    return f


def part_segments(data, part):
    at, end = part[3] + 12, part[3] + part[4]
    while at + 4 <= end:
        code, length = struct.unpack_from(">HH", data, at)
        if code == 0xFF93:
            return
        yield code
        at += 2 + length
