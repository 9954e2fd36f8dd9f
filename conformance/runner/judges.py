# SPDX-License-Identifier: BSD-2-Clause
"""The judges: each is given a stream and says exact, near (with what error), wrong, refused or crashed."""
import json
import os
import re
from dataclasses import dataclass, field

import codestream

FOREIGN = ("openjpeg", "ffmpeg", "grok", "openjph")


@dataclass
class Verdict:
    judge: str
    kind: str  # exact, near, wrong, refuses, crashed, absent
    text: str
    command: str = ""
    numbers: dict = field(default_factory=dict)

    @property
    def psnr(self):
        value = self.numbers.get("psnr")
        return float("inf") if value is None else value


def compared(judge, outcome, first=None):
    """A verdict from what wavelane-judge printed; first: the decoder's own command where it is another program."""
    command = f"{first.command} && {outcome.command}" if first else outcome.command
    if outcome.crashed:
        return Verdict(judge, "crashed", outcome.words(), command)
    if outcome.code:
        return Verdict(judge, "refuses", outcome.words(), command)
    n = json.loads(outcome.out)
    if n["shape"] != "same":
        return Verdict(judge, "wrong", n["shape"], command, n)
    if n["exact"]:
        return Verdict(judge, "exact", "bit-exact", command, n)
    text = f"{n['differing']} samples differ, by {n['max_error']} at most, {n['psnr']:.2f} dB; first: {n['first']}"
    return Verdict(judge, "wrong", text, command, n)


def openjpeg(machine, stream, words, keep=None, layers=0):
    extra = (["--layers", str(layers)] if layers else []) + (["-o", keep] if keep else [])
    return compared("openjpeg", machine.run(["wavelane-judge", "openjpeg", stream, *words, *extra], timeout=240))


def ffmpeg(machine, stream, words, scratch):
    if not machine.has("ffmpeg"):
        return Verdict("ffmpeg", "absent", "not installed")
    raw = os.path.join(scratch, "ffmpeg.raw")
    o = machine.run(["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "level+info", "-y", "-threads", "1", "-c:v", "jpeg2000", "-i", stream, "-frames:v", "1", "-f", "rawvideo", raw],
                    timeout=240)
    if o.crashed:
        return Verdict("ffmpeg", "crashed", o.words(), o.command)
    output = re.search(r"Video: rawvideo[^,]*, (\w+)(?:\([^)]*\))?, (\d+)x(\d+)", o.err)
    complaint = re.search(r"^\[jpeg2000 @[^\]]*\] \[(?:error|fatal)\] (.*)$", o.err, re.MULTILINE)
    if o.code or not output or complaint or not os.path.getsize(raw):
        return Verdict("ffmpeg", "refuses", complaint.group(1) if complaint else o.words(), o.command)
    name, width, height = output.groups()
    v = compared("ffmpeg", machine.run(["wavelane-judge", "compare", *words, "--decoded", raw, "--pixels", name, "--size", f"{width},{height}"], timeout=240), o)
    os.remove(raw)
    return v


def bare_codestream(stream, scratch):
    """SOC..EOC of a JP2 file as a file of its own: for decoders that convert colours by the boxes."""
    with open(stream, "rb") as file:
        data = file.read()
    start, end = codestream.find_codestream(data)
    path = os.path.join(scratch, "bare.j2k")
    with open(path, "wb") as file:
        file.write(data[start:end])
    return path


def grok(machine, stream, words, scratch, components):
    if not machine.has("grk_decompress"):
        return Verdict("grok", "absent", "not installed")
    stem = os.path.join(scratch, "grok")
    o = machine.run(["grk_decompress", "-i", stream, "-o", stem + ".pgx", "-H", "1"], timeout=240)
    files = [f"{stem}_{i}.pgx" for i in range(min(components, 16))]
    complaint = re.search(r"\[(?:error|warning)\] (.*)", o.out + o.err)
    if o.crashed:
        return Verdict("grok", "crashed", o.words(), o.command)
    if o.code or complaint or not all(os.path.exists(f) for f in files) or components > 16:
        why = complaint.group(1) if complaint else "more components than its PGX output is compared for" if components > 16 else o.words()
        return Verdict("grok", "refuses", why, o.command)
    steps = [words[i + 1] for i, w in enumerate(words) if w == "--steps"]
    drawn_at = words.index("-F") + 1 if "-F" in words else None
    if not steps and drawn_at and "@" in words[drawn_at]:
        steps = [words[drawn_at].split("@")[1]]
    extra = [] if "--steps" in words or not steps else ["--steps", steps[0]]
    v = compared("grok", machine.run(["wavelane-judge", "compare", *words, *extra, "--decoded", ",".join(files)], timeout=240), o)
    for f in files:
        os.remove(f)
    return v


def openjph(machine, stream, words, scratch, facts):
    """HT streams only; its writers know one component, three of one size, and YUV of 8 bits with subsampled chroma."""
    if not facts["ht"] or not machine.has("ojph_expand"):
        return Verdict("openjph", "absent", "not installed" if facts["ht"] else "decodes HT only")
    halved = facts["subsampled"] and facts["steps"][1:] == [(2, 2), (2, 2)] and facts["depth"] <= 8
    if facts["components"] not in (1, 3) or facts["mixed_depths"] or facts["signed"] or facts["depth"] > 16 or (facts["subsampled"] and not halved):
        return Verdict("openjph", "absent", "has no output format for these components")
    decoded = os.path.join(scratch, "openjph." + ("yuv" if halved else "pgm" if facts["components"] == 1 else "ppm"))
    o = machine.run(["ojph_expand", "-i", bare_codestream(stream, scratch), "-o", decoded], timeout=240)
    if o.crashed or o.code or not os.path.exists(decoded):
        return Verdict("openjph", "crashed" if o.crashed else "refuses", o.words(), o.command)
    size = f"{facts['x1'] - facts['x0']},{facts['y1'] - facts['y0']}"
    v = compared("openjph", machine.run(["wavelane-judge", "compare", *words, "--decoded", decoded, *(["--pixels", "yuv420p", "--size", size] if halved else [])], timeout=240), o)
    os.remove(decoded)
    return v


def jpylyzer(machine, stream, jp2):
    if not machine.has("jpylyzer"):
        return Verdict("jpylyzer", "absent", "not installed")
    o = machine.run(["jpylyzer", "--format", "jp2" if jp2 else "j2c", stream], timeout=240)
    valid = re.search(r"<isValid[^>]*>(\w+)</isValid>", o.out)
    if o.crashed or o.code or not valid:
        return Verdict("jpylyzer", "crashed", o.words(), o.command)
    broken = re.search(r"<failureMessage>([^<]*)</failureMessage>", o.out)
    if broken:  # it ends with an exception of its own, and reports the file as not valid
        return Verdict("jpylyzer", "crashed", broken.group(1), o.command)
    failed = sorted(set(re.findall(r"<(\w+)>False</\1>", o.out)))
    warnings = re.findall(r"<warning>([^<]*)</warning>", o.out)
    if valid.group(1) == "True":
        return Verdict("jpylyzer", "exact", "valid" + (", warns: " + "; ".join(warnings) if warnings else ""), o.command)
    return Verdict("jpylyzer", "wrong", "not valid: " + ", ".join(failed or warnings), o.command)


def walker(machine, stream, profile=None, rate=None):
    """(verdict, report) of wavelane verify."""
    words = ["--profile", profile] if profile else []
    words += ["--fps", rate] if rate else []
    o = machine.run(["wavelane", "verify", "--json", *words, stream], timeout=240)
    try:
        report = json.loads(o.out)
    except ValueError:
        return Verdict("walker", "crashed", o.words(), o.command), {}
    issues = [f"{i['rule']}: {i['text']}" for i in report["issues"]]
    if o.code or report["legal"] != "yes" or report["warnings"]:
        return Verdict("walker", "wrong", f"{report['errors']} errors, {report['warnings']} warnings: " + "; ".join(issues[:5]), o.command, report), report
    return Verdict("walker", "exact", f"legal: {report.get('packets', 0)} packets, {report.get('tile_parts', 0)} tile-parts", o.command, report), report
