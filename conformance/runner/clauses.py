# SPDX-License-Identifier: BSD-2-Clause
"""
What the last column asks for. Each clause between semicolons has a function here; one that has none fails its row. Remarks in parentheses are for people.
"""
import os
import re

import codestream
import judges
import options
import quality
from pictures import NotUnderstood

# Clauses that name what the ordinary judgement covers, with what covers it.
REMARKS = {
    r"LL\b": "exact decoding by the judges", r"DET$|threads ": "same bytes", r"max error": None, r"REJ": "refusal",
    r"output may exceed raw size": "walker and judges on a noisy picture", r"62 Mpixel$|single row$|no 32-bit overflow$|coords > 2\^31$": "judges",
    r"all empty resolutions emit packets": "walker: every packet is found", r"tile larger than image": "judges", r"odd origin flips|lone high-pass": "judges",
    r"code-block clamped": "walker and judges", r"header>data worst case": "walker and judges", r"empty tiles$|17-bit chroma$|odd sub-sampled sizes$": "judges",
    r"TPsot/TNsot contiguous": "walker: tile-parts and TLM", r"PLT/TLM lengths verified": "walker: pointers against packets",
    r"legal: each packet once": "walker: every packet once", r"Nsop wraps": "walker: SOP sequence", r"no crash$|never wrong silently$| ?never crash": "refusal or judges",
    r"clear error or minimal legal file": "refusal", r"full-range 16-bit": "judges", r"no guard-bit overflow": "judges", r"overflow detected or guard raised": "judges",
    r"legal only if no overflow": "judges", r"jpylyzer": "jpylyzer", r"OpenJPEG decodes$": "OpenJPEG", r"2-byte component index": "walker and judges",
    r"bit stuffing, Scup": "walker: suffix lengths and forbidden pairs of HT blocks, on noise",
    r"explicit PP=15$": None, r"walked$": "walker",
}


def bare(clause):
    return re.sub(r"\s*\([^)]*\)", "", clause).strip()


def clauses_of(row):
    return [c.strip() for c in row.expected_check.split(";")]


def expectation(row):
    """encode: it must succeed. refuse: it must not. either: both are right."""
    first = bare(clauses_of(row)[0])
    if row.id == "G02":
        return "either"
    if re.match(r"REJ or|LL or|no crash|.*LL or REJ", first) or "clear error or minimal legal file" in row.expected_check:
        return "either"
    return "refuse" if first.startswith("REJ") else "encode"


def is_lossless(row):
    return row.wavelet == "5/3" and not re.search(r"bpp|ratio|bytes|dB|q=", row.layers_rates)


# ---- Twins ----------------------------------------------------------------------------------------------------------------------


def twin_words(attempt):
    """
    Options under which the same packets must come out, in a stream that decoders can read: a tile as large as the picture in place of a huge one; an offset that is
    the same modulo 2^20, a multiple of every precinct, block and subband period of up to 5 levels, in place of one beyond 2^31.
    """
    row, words = attempt.row, list(attempt.words)
    if row.tile != "none" and attempt.facts["tiles"] == 1:
        words[words.index("-t") + 1] = f"{attempt.facts['x1']},{attempt.facts['y1']}"
        return words
    x, y = (int(v) for v in row.image_offset.split(","))
    if max(x, y) >= 1 << 20 and row.tile == "none":
        words[words.index("-d") + 1] = f"{x % (1 << 20)},{y % (1 << 20)}"
        return words
    return None


def check_twin(attempt):
    words = twin_words(attempt)
    if words is None:
        return False
    o, path = attempt.encode(words, f"{attempt.row.id}_twin.j2k")
    if o.code:
        return False
    with open(path, "rb") as file:
        twin = file.read()
    sizes = [next((s, e) for code, s, e in codestream.segments(d, 0) if code == 0xFF51) for d in (attempt.data, twin)]
    same = attempt.data[sizes[0][1]:] == twin[sizes[1][1]:]
    verdicts = [judges.openjpeg(attempt.machine, path, attempt.picture.for_judge()),
                judges.ffmpeg(attempt.machine, path, attempt.picture.for_judge(), attempt.scratch),
                judges.grok(attempt.machine, path, attempt.picture.for_judge(), attempt.scratch, attempt.facts["components"])]
    exact = [v.judge for v in verdicts if v.kind == "exact"]
    text = f"a twin that differs in SIZ alone ({'yes' if same else 'NO'}) is decoded bit-exactly by {', '.join(exact) or 'nobody'}"
    return attempt.add("foreign decoders, by a twin", same and len(exact) >= 1, text, options_text(o), verdict=None if not same or not exact else "explained",
                       evidence="no decoder at hand reads such coordinates; behind SIZ the two streams are the same bytes")


def options_text(o):
    return o.command


# ---- Single clauses -----------------------------------------------------------------------------------------------------------------


def max_error(a, clause):
    match = re.match(r"max error<=(\d+)", clause)
    limit = int(match.group(1)) if match else 0 if a.facts["depth"] <= 12 else 2
    n = a.verdicts["openjpeg"].numbers
    a.add("max error", n.get("max_error", 1 << 40) <= limit, f"{n.get('max_error')}, at most {limit}; decoders' float arithmetic is worth 2 of 65535")


def size_budget(a, clause):
    match = re.match(r"SZ<=(\d+)", clause)
    if match:
        budget = int(match.group(1))
    else:
        bpp = float(re.match(r"1/([\d.]+) ?bpp", a.row.layers_rates).group(1))
        budget = int(bpp * a.picture.width * a.picture.height / 8)
    a.add("size", len(a.data) <= budget, f"{len(a.data)} bytes of {budget}")
    a.add("budget used", len(a.data) >= 0.98 * budget or a.facts["bytes"] < 2000, f"{100 * len(a.data) / budget:.2f} %")


def memory_bound(a, clause):
    o = a.machine.run(["wavelane", *a.picture.for_encoder(), *a.words, "--dry-run", "--json"])
    import json
    plan = json.loads(o.out)["pictures"][0]
    samples = a.picture.width * a.picture.height * a.picture.components
    allowed = plan["base_bytes"] + 3 * len(a.data) + 2 * samples * ((a.picture.depth + 7) // 8) + (96 << 20)
    rss = a.outcome.rss_kib * 1024
    a.add("memory", rss <= allowed and rss <= 10 * samples + len(a.data) + (96 << 20),
          f"{rss / samples:.1f} bytes a sample at peak ({rss >> 20} MiB; plan {plan['base_bytes'] >> 20} MiB without coded data, picture and output)", o.command)


def time_bound(a, clause):
    a.add("time", a.outcome.seconds < 20, f"{a.outcome.seconds:.2f} s")


def precinct_field(a, clause):
    asked = options.precinct_list(a.row)
    levels = a.facts["levels"]
    full = (asked + [asked[-1]] * (levels + 1))[:levels + 1][::-1] if asked else []
    a.add("precincts", a.facts["precincts"] == full, f"COD lists {a.facts['precincts']}, resolution 0 first")


def every_layer(a, clause):
    before, layers = -1.0, a.facts["layers"]
    for layer in range(1, layers + 1):
        v = judges.openjpeg(a.machine, a.stream, a.picture.for_judge(), layers=layer)
        if v.kind not in ("exact", "wrong") or v.psnr < before:
            a.fail("layers", f"layer {layer}: {v.text} after {before:.2f} dB", v.command)
            return
        before = v.psnr
    a.add("layers", v.kind == "exact", f"{layers} layers decode, PSNR never falls, the last is {v.kind}", v.command)


def no_padding(a, clause):
    # The step is half of a bit where bytes are limited, and one where they are not.
    o, path = a.encode([w for w in a.words if w not in ("--bpp", "24")] + ["--step", "0.001953125"], f"{a.row.id}_all.j2k")
    everything = os.path.getsize(path) if not o.code else 0
    a.add("no padding", 0 < len(a.data) <= everything, f"{len(a.data)} bytes; without a target {everything}")


def longer_comment(a, clause):
    words = [("c" * 65532 if len(w) == 65531 else w) for w in a.words]
    o, path = a.encode(words, f"{a.row.id}_longer.j2k")
    a.add("one byte more", o.code == 2 and not os.path.exists(path), f"65532 bytes: {o.words()[:120]}")


def lossless_last(a, clause):
    n = a.verdicts["openjpeg"].numbers
    limit = 1 << max(0, a.facts["depth"] - 14)
    a.add("last layer", n.get("max_error", 1 << 40) <= limit, f"greatest error {n.get('max_error')} of {(1 << a.facts['depth']) - 1}, at most {limit}")


def same_stream(a, clause):
    name = re.search(r"P:(\S+)", clause).group(1)
    from pictures import Picture
    other = a.runner.gallery.probe(Picture([a.runner.gallery.path(name)]))
    o, path = a.encode(a.words, f"{a.row.id}_other.{options.container(a.row)}", picture=other)
    with open(path, "rb") as file:
        data = file.read()
    ours, theirs = (d[slice(*codestream.find_codestream(d))] for d in (a.data, data))
    a.add("same stream", ours == theirs, f"the codestream of {name} is {'the same' if ours == theirs else 'another'}: {len(theirs)} bytes")


def same_read(a, clause):
    """FFmpeg reads the picture file itself; OpenJPEG's decode must be what it finds."""
    if not a.machine.has("ffmpeg"):
        a.add("FFmpeg's reading", True, "not installed", verdict="absent")
        return
    raw = os.path.join(a.scratch, "read.raw")
    o = a.machine.run(["ffmpeg", "-nostdin", "-hide_banner", "-y", "-i", a.picture.inputs[0], "-frames:v", "1", "-pix_fmt", "rgb48le" if a.facts["depth"] > 8 else "rgb24",
                       "-f", "rawvideo", raw])
    kept = os.path.join(a.scratch, "read.pgx")
    judges.openjpeg(a.machine, a.stream, a.picture.for_judge(), kept)
    files = [w for i in range(a.facts["components"]) for w in ("-i", f"{kept[:-4]}_{i}.pgx")]
    size = f"{a.picture.width},{a.picture.height}"
    v = judges.compared("ffmpeg", a.machine.run(["wavelane-judge", "compare", *files, "--decoded", raw, "--pixels", "rgb48le" if a.facts["depth"] > 8 else "rgb24",
                                                 "--size", size]), o)
    good = v.kind == "exact"
    text = v.text
    if not good and v.numbers.get("max_error", 99) <= 1 and a.facts["depth"] < 16:  # FFmpeg scales to 16 bits by repeating the high bits
        good, text = True, f"the same but for FFmpeg's scaling of {a.facts['depth']} to 16 bits: {v.text}"
    a.add("FFmpeg's reading", good, text, v.command)


def profile(a, name, rate=None, *, component=0, frame=0):
    v, report = judges.walker(a.machine, a.stream, name, rate)
    a.add(f"profile {name}", v.kind == "exact" and report.get("profile_met"), v.text, v.command)
    if frame:
        parts = [c["part_bytes"] or c["packet_bytes"] for c in report.get("components", [])]
        a.add("frame bytes", a.facts["bytes"] <= frame, f"{a.facts['bytes']} of {frame}")
        a.add("component bytes", bool(parts) and max(parts) <= component, f"{parts}, at most {component}")


def cinema24(a, clause):
    profile(a, "cinema2k", "24", component=1041666, frame=1302083)


def cinema48(a, clause):
    profile(a, "cinema2k", "48", component=520833, frame=651041)


def guard_one(a, clause):
    a.add("guard bits", a.facts["guard_bits"] == 1, str(a.facts["guard_bits"]))


def capabilities(a, clause):
    """Part 15 in Pcap, and in Ccap15 a bound that the magnitudes keep: the walker, which knows the planes of every block, has judged that."""
    cap = a.facts["cap"]
    good = cap is not None and cap[0] == 1 << 17 and a.facts["rsiz"] >> 14 & 1
    a.add("CAP", good, f"Pcap {cap[0]:#010x}, Ccap15 {cap[1]:#06x}, Rsiz {a.facts['rsiz']:#06x}" if cap else "no CAP")


def codestream_only(a, clause):
    """Transfer syntax 1.2.840.10008.1.2.4.90: a bare codestream; the data set pads fragments to even length with a byte behind EOC."""
    a.add("no JP2 box", a.data[:2] == b"\xff\x4f" and a.data[-2:] == b"\xff\xd9", "SOC..EOC")
    padded = os.path.join(a.scratch, "padded.j2k")
    with open(padded, "wb") as file:
        file.write(a.data + bytes(len(a.data) % 2))
    v = judges.openjpeg(a.machine, padded, a.picture.for_judge())
    a.add("even length", v.kind == "exact", f"{len(a.data)} bytes; as a fragment, padded to even length, OpenJPEG: {v.text}", v.command)


def color_boxes(a):
    return codestream.find_box(a.data, "jp2h", "colr") or b"\0\0\0"


def icc_identical(a, clause):
    colr = color_boxes(a)
    with open(a.picture.inputs[0], "rb") as file:
        data = file.read()
    import zlib
    at = data.find(b"iCCP")
    length = int.from_bytes(data[at - 4:at], "big")
    content = data[at + 4:at + 4 + length]
    original = zlib.decompress(content[content.index(b"\0") + 2:])
    a.add("ICC profile", colr[3:] == original, f"{len(colr) - 3} bytes in colr, {len(original)} in the picture, {'the same' if colr[3:] == original else 'not the same'}")


def method_two(a, clause):
    a.add("METH", color_boxes(a)[0] == 2, f"{color_boxes(a)[0]}")


def white_is_low(a, clause):
    """The file is min-is-white; FFmpeg's reading of it, where 0 is black, is the witness."""
    if not a.machine.has("ffmpeg"):
        a.add("min-is-white", True, "FFmpeg is not installed", verdict="absent")
        return
    raw = os.path.join(a.scratch, "read.raw")
    o = a.machine.run(["ffmpeg", "-nostdin", "-hide_banner", "-y", "-i", a.picture.inputs[0], "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", raw])
    kept = os.path.join(a.scratch, "read.pgx")
    judges.openjpeg(a.machine, a.stream, a.picture.for_judge(), kept)
    with open(raw, "rb") as x, open(kept, "rb") as y:
        theirs, ours = x.read(), y.read().split(b"\n", 1)[1]
    same = len(theirs) == len(ours) and all((p > 127) == (q > 0) for p, q in zip(theirs, ours))
    a.add("min-is-white", same, f"FFmpeg reads {'the same' if same else 'other'} black and white: {sum(1 for p in theirs if p > 127)} white of {len(theirs)}", o.command)


def palette_trip(a, clause):
    """OpenJPEG and Grok apply the palette; the result is compared with the picture expanded by the reader."""
    expanded = [w for w in a.picture.for_judge() if w != "--indices"]
    v = judges.openjpeg(a.machine, a.stream, expanded)
    a.add("palette applied", v.kind == "exact", v.text, v.command)


def channel_boxes(a, clause):
    cdef = codestream.find_box(a.data, "jp2h", "cdef")
    a.add("cdef", bool(cdef) and cdef[:2] == b"\0\4" and cdef[2 + 18:2 + 24] == b"\0\3\0\1\0\0", "component 3 is opacity of the whole picture")
    a.add("MCT", a.facts["mct"] == 1, "the colour transform joins components 0..2 (G.1)")


def depth_box(a, clause):
    bpcc = codestream.find_box(a.data, "jp2h", "bpcc")
    wanted = bytes(d - 1 | s << 7 for d, s in zip(a.facts["depths"], a.facts["signs"]))
    a.add("bpcc", bpcc == wanted, f"{bpcc.hex() if bpcc else 'none'}, wanted {wanted.hex()}")


def own_quantization(a, clause):
    a.add("component depths", a.facts["mixed_depths"], f"depths {a.facts['depths']}, signs {a.facts['signs']}, {a.facts['coc']} COC, {a.facts['qcc']} QCC")


def subsampling(a, clause):
    wanted = [int(v) for v in clause.split("=")[1].split(",")]
    a.add("XRsiz, YRsiz", [s[0] for s in a.facts["steps"]] == wanted and [s[1] for s in a.facts["steps"]] == wanted, str(a.facts["steps"]))


def cmyk(a, clause):
    """As JP2 it must be refused; as a codestream it is lossless without colour transform."""
    if clause.startswith("REJ"):
        a.add("refused as JP2", a.refused, "CMYK has no JP2 colour space" if a.refused else "it was written")
        return
    import rows
    again = rows.Attempt(a.runner, type(a.row)(a.row.id, {**a.row.columns, "container": "j2k", "expected_check": "LL"}))
    if rows.encode_row(again):
        rows.ask_judges(again)
        again.add("no MCT", again.facts["mct"] == 0, f"mct {again.facts['mct']}")
    a.checks += again.checks
    a.commands += again.commands
    a.data, a.stream, a.outcome = again.data, again.stream, again.outcome


def reason_of_refusal(a, clause):
    if a.refused or a.stream:
        return
    a.fail("refusal", "neither a file nor a reason")


def archival(a, clause):
    f = a.facts
    good = f["progression"] == "RPCL" and f["sop"] and f["eph"] and "BYPASS" in f["style"] and f["precincts"][0] == (128, 128) and f["jp2"]
    a.add("archival structure", bool(good), f"{f['progression']}, {f['style']}, precincts {f['precincts']}, SOP {f['sop']}, EPH {f['eph']}, {f['parts_of_a_tile']} parts a tile")


FUNCTIONS = [
    (r"max error", max_error), (r"SZ<=", size_budget), (r"MEM bound$", memory_bound), (r"time bounded$", time_bound), (r"explicit PP=15$", precinct_field),
    (r"last value repeats", precinct_field), (r"each layer decodes", every_layer), (r"no padding$", no_padding), (r"65532 -> REJ$", longer_comment),
    (r"LL-like at last layer", lossless_last), (r"CAP MAGB correct$", capabilities), (r"SZ$", size_budget), (r"same codestream as", same_stream), (r"same pixels as ffmpeg read$", same_read),
    (r"cinema2K rules by the walker$", cinema24), (r"<=1302083 B", cinema24), (r"cinema2K 48fps caps$", cinema48), (r"G=1$", guard_one), (r"DICOM", codestream_only),
    (r"ICC bytes identical$", icc_identical), (r"method 2$", method_two), (r"min-is-white handled$", white_is_low), (r"palette round-trip$", palette_trip),
    (r"MCT only on 0..2", channel_boxes), (r"bpcc box", depth_box), (r"COC/QCC per component$", own_quantization), (r"XRsiz(/YRsiz)?=", subsampling),
    (r"REJ as jp2", cmyk), (r"LL as j2k", cmyk), (r"archival", archival), (r"RD>=opj|RD floor per tile|RD floor|quality max", quality.check_floor),
    (r"partial tiles not starved", quality.check_partial_tiles), (r"(LL or|REJ or|no crash|never wrong| ?never crash)", reason_of_refusal),
]


def structure_faults(a):
    """What the stream says against what the row asks for."""
    f, r, wrong = a.facts, a.row, []
    cinema = r.layers_rates.endswith("fps")
    if f["levels"] != int(r.levels) or f["progression"] != r.progression or f["wavelet"] != r.wavelet:
        wrong.append(f"{f['levels']} levels, {f['progression']}, {f['wavelet']}")
    if (f["block_width"], f["block_height"]) != tuple(int(v) for v in r.cblk.split("x")):
        wrong.append(f"blocks {f['block_width']}x{f['block_height']}")
    if set(f["style"]) != {options.STYLE_NAMES.get(s, s) for s in r.style.split("+")} - {"-"}:
        wrong.append(f"style {f['style']}")
    if f["layers"] != options.layer_count(r):
        wrong.append(f"{f['layers']} layers")
    if not cinema and (f["sop"], f["eph"]) != ("SOP" in r.markers, "EPH" in r.markers):
        wrong.append(f"SOP {f['sop']}, EPH {f['eph']}")
    if r.tile != "none" and f"{f['tile_width']}x{f['tile_height']}" != r.tile:
        wrong.append(f"tiles {f['tile_width']}x{f['tile_height']}")
    asked = options.precinct_list(r)
    full = (asked + [asked[-1]] * 33)[:f["levels"] + 1][::-1] if asked else []
    if f["precincts"] != full:
        wrong.append(f"precincts {f['precincts']}")
    if ("PPT" in r.markers) != f["ppt"] or ("PPM" in r.markers) != f["ppm"] or ("POC" in r.markers) > (f["poc"] or f["tile_poc"]) or (r.roi != "-") != f["roi"]:
        wrong.append(f"PPM {f['ppm']}, PPT {f['ppt']}, POC {f['poc'] or f['tile_poc']}, ROI {f['roi']}")
    if ("TLM" in r.markers) > f["tlm"]:
        wrong.append("no TLM")
    return wrong


def check_all(a):
    if a.stream and a.facts and a.row.id != "G02":
        wrong = structure_faults(a)
        a.add("structure", not wrong, "; ".join(wrong) or "the main header says what the row asks for")
    for clause in clauses_of(a.row):
        functions = [f for pattern, f in FUNCTIONS if re.match(pattern, clause) or re.match(pattern, bare(clause))]
        known = functions or any(re.match(p, bare(clause)) or re.match(p, clause) for p in REMARKS)
        if not known:
            raise NotUnderstood(f"expected_check \"{clause}\"")
        for function in functions:
            if a.stream or function in (cmyk, reason_of_refusal):
                function(a, clause)
