# SPDX-License-Identifier: BSD-2-Clause
"""From the columns of a row to the options of the command. A value that is not understood is an error: nothing of a row is left out."""
import re

from pictures import NotUnderstood, numbers

STYLE_NAMES = {"CAUSAL": "VSC"}
ROI_SHIFT = "25"


def structure(row):
    words = ["-I"] if row.wavelet == "9/7" else []
    if row.wavelet not in ("5/3", "9/7"):
        raise NotUnderstood(f"wavelet \"{row.wavelet}\"")
    words += ["--levels", row.levels] if row.levels != "5" else []
    if row.tile != "none":
        words += ["-t", "%d,%d" % numbers(row.tile, "x", row)]
    if row.tile_offset != "0,0":
        words += ["-T", row.tile_offset]
    if row.image_offset != "0,0":
        words += ["-d", row.image_offset]
    if row.cblk != "64x64":
        words += ["-b", "%d,%d" % numbers(row.cblk, "x", row)]
    if row.style == "HT mixed":
        words += ["-M", "192"]  # both block coders in one codestream (Table A.19 of 15444-15)
    elif row.style != "-":
        words += ["-M", "+".join(STYLE_NAMES.get(s, s) for s in row.style.split("+"))]
    if row.progression != "LRCP":
        words += ["-p", row.progression]
    return words + precincts(row) + color_transform(row)


def precinct_list(row):
    """Sizes from the highest resolution down, as long as they differ; "(LL)" names that of resolution 0."""
    if row.precincts == "max":
        return []
    levels, lowest, others = int(row.levels), None, []
    for text in row.precincts.split(","):
        pair = numbers(text.removesuffix("(LL)"), "x", row)
        if text.endswith("(LL)"):
            lowest = pair
        else:
            others.append(pair)
    if lowest is None:
        return others
    others = others[:levels] + [others[-1]] * (levels - len(others))
    return others + [lowest]


def precincts(row):
    sizes = precinct_list(row)
    return ["--precincts", ",".join(f"[{w},{h}]" for w, h in sizes)] if sizes else []


def color_transform(row):
    words = {"auto": [], "off": ["--mct", "off"], "on": ["--mct", "on"], "RCT": ["--mct", "on"], "ICT": ["--mct", "on"]}
    if row.mct not in words or (row.mct == "RCT" and row.wavelet != "5/3") or (row.mct == "ICT" and row.wavelet != "9/7"):
        raise NotUnderstood(f"mct \"{row.mct}\" with {row.wavelet}")
    return words[row.mct]


RATIOS_12 = "320,160,80,40,20,15,12,10,8,6,4,1"


def fine_step(row):
    """An eighth of the least significant bit."""
    return ["--step", "%.10f" % (0.125 / 2 ** int(row.bits.split(",")[0]))]


def rates(row):
    text = row.layers_rates
    if text == "1/lossless" or text == "1":
        return []
    if text.isdigit():
        return ["--layers", text]
    if text in ("1/q=high", "1/q=max", "1/lossless-ish q"):
        return fine_step(row)
    if text == "12/320..1 ratio":
        return ["-r", RATIOS_12]
    for pattern, key in ((r"\d+/([\d.,]+) ratio$", "-r"), (r"\d+/([\d.,]+) ?bpp(?: \(.*\)| target)?$", "--bpp"), (r"1/exact (\d+) bytes$", "--max-bytes"),
                         (r"3/(0[\d.,]+) \(unsorted\)$", "--bpp"), (r"\d+/([\d.,]+) dB$", "-q")):
        if match := re.match(pattern, text):
            return [key, match.group(1)]
    if match := re.match(r"(\d+)/log-spaced to lossless$", text):
        return ["--layers", match.group(1)]
    if match := re.match(r"1/\d+ B@(\d+)fps$", text):
        return ["-cinema2K", match.group(1)]
    raise NotUnderstood(f"layers_rates \"{text}\"")


def layer_count(row):
    head = row.layers_rates.split("/")[0]
    return int(head) if head.isdigit() else 1


def progression_changes(row, kind):
    resolutions, layers, components = int(row.levels) + 1, layer_count(row), int(row.comps)
    half = resolutions // 2
    if kind == "2 disjoint":
        return f"T1=0,0,{layers},{half},{components},{row.progression}/T1={half},0,{layers},{resolutions},{components},{row.progression}"
    if kind == "overlapping":
        return f"T1=0,0,{max(1, layers // 2)},{resolutions},{components},LRCP/T1=0,0,{layers},{resolutions},{components},RLCP"
    if kind == "comp range 2..2 of 3":
        return f"T1=0,2,{layers},{resolutions},3,LRCP"
    raise NotUnderstood(f"POC {kind}")


def marker(row, text):
    plain = {"SOP": ["-SOP"], "EPH": ["-EPH"], "PLT": ["-PLT"], "TLM": ["-TLM"], "PLM": ["--plm", "yes"], "PPT": ["--packed-headers", "ppt"],
             "PPM": ["--packed-headers", "ppm"], "3 tile-parts": [], "derived steps": ["--quantization", "derived"],
             "COM 65531 bytes payload": ["-C", "c" * 65531], "cinema on 8-bit RGB 768x512": ["-cinema2K", "24"], "cinema on 1 component": ["-cinema2K", "24"],
             "COC": ["--overrides", "C5:levels=0;block=16,16/C256:guard-bits=4"], "QCC": []}
    if text in plain:
        return plain[text]
    if match := re.match(r"tile-parts (?:per )?([RLC]+)$", text):
        return ["-TP", match.group(1)]
    if match := re.match(r"guard=(\d+)$", text):
        return ["-GuardBits", match.group(1)]
    if text == "POC":
        return ["-POC", progression_changes(row, "2 disjoint")]
    if text.startswith("POC "):
        return ["-POC", progression_changes(row, text[4:])]
    raise NotUnderstood(f"marker \"{text}\"")


def region(row):
    """Region of interest: component 0 as opj_compress has it, or tile 0 alone."""
    if row.roi == "-":
        return []
    if row.roi in ("yes", "maxshift"):
        return ["-ROI", f"c=0,U={ROI_SHIFT if row.wavelet == '9/7' else 12}"]
    if row.roi == "maxshift tile 0":
        return ["--roi", "rect=0,0,128,128"]
    raise NotUnderstood(f"roi \"{row.roi}\"")


def container(row):
    word = row.container.split(" ")[0]
    if word not in ("j2k", "j2c", "jpc", "jp2", "jph"):
        raise NotUnderstood(f"container \"{row.container}\"")
    return word


def translate(row):
    """Words for the command, input and output aside."""
    cinema = row.layers_rates.endswith("fps")
    words = rates(row) if cinema else structure(row) + rates(row)
    if not cinema and row.markers != "-":
        for text in row.markers.split(","):
            words += marker(row, text)
    return words + region(row)
