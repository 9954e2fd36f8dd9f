# SPDX-License-Identifier: BSD-2-Clause
"""Quality against OpenJPEG's encoder: at its bytes, layer by layer, at most 0.05 dB below."""
import os
import re

import codestream
import judges
import options

MARGIN = 0.05
STYLE_BITS = {"BYPASS": 1, "RESET": 2, "TERMALL": 4, "VSC": 8, "PTERM": 16, "SEGSYM": 32}


def peer_ratios(attempt):
    """The row's targets as OpenJPEG takes them."""
    text, p = attempt.row.layers_rates, attempt.picture
    if match := re.match(r"\d+/([\d.,]+) ?bpp", text):
        return [p.raw_bits / (float(v) * p.width * p.height) for v in match.group(1).split(",")]
    if "12/320..1" in text:
        return [float(v) for v in options.RATIOS_12.split(",")]
    if match := re.match(r"\d+/([\d.,]+) ratio", text):
        return [float(v) for v in match.group(1).split(",")]
    return [1.0]


def encode_peer(attempt, ratios):
    f = attempt.facts
    path = os.path.join(attempt.scratch, "peer.j2k")
    words = ["--ratios", ",".join("%.6g" % r for r in ratios), "--levels", str(min(f["levels"], 9)), "--style", str(sum(STYLE_BITS[s] for s in f["style"])),
             "--markers", str(2 * f["sop"] + 4 * f["eph"]), "--order", f["progression"]]
    if f["precincts"]:
        words += ["--precincts", ",".join(f"{w},{h}" for w, h in f["precincts"][::-1])]
    if attempt.row.tile != "none":
        words += ["--tile", attempt.row.tile.replace("x", ",")]
    o = attempt.machine.run(["wavelane-judge", "peer", *attempt.picture.for_judge(), *words, "-o", path], timeout=300)
    attempt.commands.append(o.command)
    return (path, o) if o.code == 0 else (None, o)


def layer_bytes(attempt, path):
    """Bytes of the codestream up to each layer: headers count with the first, SOP marker segments (6 bytes, not in the walker's sums) with their packets."""
    _, report = judges.walker(attempt.machine, path)
    with open(path, "rb") as file:
        segments = 6 * report["packets"] // report["layers"] if codestream.facts(file.read())["sop"] else 0
    packets = [n + segments for n in report["layer_bytes"]]
    total = report["codestream_bytes"] - sum(packets)
    sums = []
    for n in packets:
        total += n
        sums.append(total)
    return sums


def without_rates(words):
    """The options but for rate targets."""
    kept, skip = [], False
    for w in words:
        if skip:
            skip = False
        elif w in ("-r", "-q", "--bpp", "--max-bytes", "--step", "--layers"):
            skip = True
        else:
            kept.append(w)
    return kept


def encode_openjph(attempt, budget):
    """OpenJPH's encoder, whose only rate is its step: the finest of ten that keeps the budget."""
    picture, path = os.path.join(attempt.scratch, "peer.ppm" if attempt.picture.components == 3 else "peer.pgm"), os.path.join(attempt.scratch, "peer.j2c")
    attempt.machine.run(["wavelane-judge", "picture", *attempt.picture.for_judge(), "-o", picture])
    low, high, best = 1e-5, 0.5, None
    for _ in range(10):
        step = (low * high) ** 0.5
        o = attempt.machine.run(["ojph_compress", "-i", picture, "-o", path, "-reversible", "false", "-qstep", f"{step:.6f}", "-num_decomps", str(attempt.facts["levels"])])
        if o.code or not os.path.exists(path):
            return None, o
        if os.path.getsize(path) <= budget:
            high, best = step, (os.path.getsize(path), judges.openjpeg(attempt.machine, path, attempt.picture.for_judge()), o)
        else:
            low = step
    return best, o


def check_openjph(attempt):
    """Against OpenJPH at its bytes, the largest within the row's budget."""
    if not attempt.machine.has("ojph_compress"):
        attempt.add("quality at OpenJPH's bytes", True, "not installed", verdict="absent")
        return
    best, o = encode_openjph(attempt, attempt.facts["bytes"])
    if not best:
        attempt.fail("quality", f"OpenJPH's encoder: {o.words()}", o.command)
        return
    size, theirs, o = best
    ours, stream = attempt.encode(without_rates(attempt.words) + ["--max-bytes", str(size)], f"{attempt.row.id}_floor.j2k")
    if ours.code:
        attempt.fail("quality", ours.words(), ours.command)
        return
    mine = judges.openjpeg(attempt.machine, stream, attempt.picture.for_judge())
    good = mine.psnr >= theirs.psnr - MARGIN and os.path.getsize(stream) <= size
    attempt.add("quality at OpenJPH's bytes", good, f"{size} bytes: {mine.psnr:.2f} dB in {os.path.getsize(stream)} bytes, OpenJPH {theirs.psnr:.2f} dB", o.command)


def check_floor(attempt, clause):
    if attempt.facts["ht"]:
        check_openjph(attempt)
        return
    if "quality max" in clause or options.rates(attempt.row)[:1] == ["--step"]:
        check_best(attempt)
        return
    ratios = peer_ratios(attempt)
    path, o = encode_peer(attempt, ratios)
    if not path:
        attempt.fail("quality", f"OpenJPEG's encoder: {o.words()}", o.command)
        return
    theirs = layer_bytes(attempt, path)
    caps = [b for i, b in enumerate(theirs) if i + 1 == len(theirs) or b < theirs[i + 1]]
    words = without_rates(attempt.words) + ["--layer-bytes", ",".join(map(str, caps))]
    ours, stream = attempt.encode(words, f"{attempt.row.id}_floor.j2k")
    if ours.code:
        attempt.fail("quality", ours.words(), ours.command)
        return
    worst, lines = 99.0, []
    for i, cap in enumerate(caps):
        a = judges.openjpeg(attempt.machine, stream, attempt.picture.for_judge(), layers=i + 1)
        b = judges.openjpeg(attempt.machine, path, attempt.picture.for_judge(), layers=theirs.index(cap) + 1)
        difference = a.psnr - b.psnr if a.psnr != b.psnr else 0.0
        worst = min(worst, difference)
        lines.append(f"{cap} bytes: {a.psnr:.2f} dB, OpenJPEG {b.psnr:.2f} dB")
    used = layer_bytes(attempt, stream)
    over = [f"layer {i + 1}: {u} of {c} bytes" for i, (u, c) in enumerate(zip(used, caps)) if u > c]
    attempt.add("quality at OpenJPEG's bytes", worst >= -MARGIN and not over, f"{worst:+.3f} dB at worst; " + "; ".join(over + lines), ours.command)


def check_best(attempt):
    """With a step finer than OpenJPEG's: not below its best file."""
    path, o = encode_peer(attempt, [1.0])
    if not path:
        attempt.fail("quality", f"OpenJPEG's encoder: {o.words()}", o.command)
        return
    a, b = attempt.verdicts["openjpeg"], judges.openjpeg(attempt.machine, path, attempt.picture.for_judge())
    attempt.add("quality at best", a.psnr >= b.psnr - MARGIN, f"{a.psnr:.2f} dB, OpenJPEG's best {b.psnr:.2f} dB", o.command)


def read_plane(path):
    with open(path, "rb") as file:
        head, data = file.read().split(b"\n", 1)
    _, _, _, depth, width, height = head.split()
    assert int(depth) <= 8
    return int(width), int(height), data


def check_partial_tiles(attempt, clause):
    """Every tile, those at the border too, is within 6 dB of the picture."""
    import math
    kept, original = os.path.join(attempt.scratch, "tiles.pgx"), os.path.join(attempt.scratch, "original.pgx")
    v = judges.openjpeg(attempt.machine, attempt.stream, attempt.picture.for_judge(), kept)
    attempt.machine.run(["wavelane-judge", "picture", *attempt.picture.for_judge(), "-o", original])
    width, height, a = read_plane(original)
    _, _, b = read_plane(kept)
    squares = [[(i - j) ** 2 for j in range(256)] for i in range(256)]
    tw, th = attempt.facts["tile_width"], attempt.facts["tile_height"]
    worst = (math.inf, "")
    for ty in range(0, height, th):
        for tx in range(0, width, tw):
            w, h, total = min(tw, width - tx), min(th, height - ty), 0
            for y in range(ty, ty + h):
                at = y * width + tx
                total += sum(squares[p][q] for p, q in zip(a[at:at + w], b[at:at + w]))
            worst = min(worst, (10 * math.log10(255 * 255 * w * h / max(total, 1e-9)), f"{tx},{ty}"))
    attempt.add("tiles at the border", worst[0] > v.psnr - 6.0, f"the tile at {worst[1]} has {worst[0]:.2f} dB, the picture {v.psnr:.2f} dB")
