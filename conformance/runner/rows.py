# SPDX-License-Identifier: BSD-2-Clause
"""One row: encode, walk, decode with every judge, and whatever its last column asks for."""
import hashlib
import json
import os
import re
import shutil
import time
import traceback

import clauses
import codestream
import faults
import judges
import options
import sources
import special
from machine import digest_of
from pictures import Absent, NotUnderstood

# Statuses, best last. "explained" is a pass in which some judge dissents for a reason that is on record.
STATUSES = ("FAIL", "not built", "no picture", "unjudged", "other work", "long mode", "explained", "pass")


class Attempt:
    """What is known of a row while it runs."""

    def __init__(self, runner, row):
        self.runner, self.machine, self.row = runner, runner.machine, row
        self.checks, self.commands = [], []
        self.picture, self.words, self.stream, self.data = None, [], None, b""
        self.facts, self.report, self.encoded, self.verdicts = {}, {}, {}, {}
        self.outcome = None
        self.scratch = runner.machine.folder("scratch", row.id)
        self.refused = False

    def add(self, name, good, text, command="", verdict=None, evidence=""):
        self.checks.append({"name": name, "verdict": verdict or ("pass" if good else "fail"), "text": str(text)[:1000], "command": command, "evidence": evidence})
        return good

    def fail(self, name, text, command=""):
        return self.add(name, False, text, command)

    def encode(self, words, name, picture=None, timeout=600, **limits):
        """Runs the command; (outcome, path of the stream). The first call of an attempt is the row's own."""
        path = os.path.join(self.machine.folder("streams"), name)
        if os.path.exists(path):
            os.remove(path)
        o = self.machine.run(encoder_command(picture or self.picture, path, [*words, "--json"]), timeout=timeout, **limits)
        self.commands.append(shorten(o.command))
        return o, path


def encoder_command(picture, path, words):
    """The command; where no picture file can say the geometry, wavelane-api-rows with the same options."""
    if not picture.area:
        return ["wavelane", *picture.for_encoder(), "-o", path, *words]
    keys, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if word in ("--json", "--force", "--quiet"):
            continue
        if word in ("-d",):
            rest.pop(0)
        elif word in KEYS:
            keys.append(KEYS[word] + "=" + (rest.pop(0) if word not in FLAGS else FLAGS[word]))
        else:
            raise NotUnderstood(f"{word} has no key of the library here")
    return ["wavelane-api-rows", "encode", path, *picture.for_driver(), *keys]


KEYS = {"-p": "progression", "-t": "tile", "-T": "tile-offset", "-b": "block", "-M": "style", "--precincts": "precincts", "--mct": "mct", "--levels": "levels",
        "--layers": "layers", "-SOP": "sop", "-EPH": "eph", "-PLT": "plt", "-TLM": "tlm", "-TP": "tile-parts", "-I": "reversible", "--threads": "threads"}
FLAGS = {"-SOP": "yes", "-EPH": "yes", "-PLT": "yes", "-TLM": "yes", "-I": "no"}


def shorten(text):
    """A long run of one letter, as the shell makes it."""
    return re.sub(r"(c{200,})", lambda m: f"\"$(head -c {len(m.group(1))} /dev/zero | tr '\\0' c)\"", text)


def refusal_faults(attempt, o, path):
    """What a refusal must look like: a usage or input code, one reason, no file, no traces."""
    wrong = []
    if o.crashed or o.code not in (2, 3, 6):
        wrong.append(f"ended with {o.code}" + (" at its time limit" if o.late else ""))
    if not o.err.startswith("wavelane: ") or len(o.words()) < 20:
        wrong.append(f"the reason is not clear: {o.words()}")
    leftovers = [f for f in os.listdir(os.path.dirname(path)) if os.path.basename(path) in f]
    if leftovers:
        wrong.append(f"left behind: {leftovers}")
    return wrong


def is_not_built(o):
    return "not in this version" in o.err or "unknown option" in o.err or "unknown key" in o.err


def encode_row(attempt, timeout=600):
    row = attempt.row
    attempt.picture = attempt.runner.gallery.of(row)
    attempt.words = options.translate(row)
    name = f"{row.id}.{options.container(row)}"
    if not attempt.picture.inputs:
        return refuse_by_library(attempt)
    o, path = attempt.encode(attempt.words, name, timeout=timeout)
    attempt.outcome = o
    asks = clauses.expectation(row)
    if o.code or o.crashed:
        if asks == "encode" and is_not_built(o):
            attempt.checks.append({"name": "encode", "verdict": "not built", "text": o.words(), "command": attempt.commands[0], "evidence": ""})
            return False
        wrong = refusal_faults(attempt, o, path)
        attempt.refused = not wrong
        good = asks in ("refuse", "either") and not wrong
        attempt.add("refused" if good else "encode", good, o.words() if not wrong else "; ".join(wrong), attempt.commands[0])
        return False
    if asks == "refuse":
        attempt.fail("refused", f"{os.path.getsize(path)} bytes were written where a refusal is asked for", attempt.commands[0])
        return False
    attempt.stream = path
    with open(path, "rb") as file:
        attempt.data = file.read()
    attempt.encoded = json.loads(o.out)["pictures"][0] if o.out.startswith("{") else {}
    attempt.facts = {**codestream.facts(attempt.data), "container": options.container(row), "row": row.id, "group": row.group, "columns": row.columns}
    return True


def refuse_by_library(attempt):
    """Formats that no picture file can say: the library's own plan must refuse them."""
    p, row = attempt.picture, attempt.row
    words = ["wavelane-api-rows", "plan", f"{p.width}x{p.height}", str(p.components), str(p.depth), "levels=" + row.levels]
    o = attempt.machine.run(words)
    attempt.commands.append(o.command)
    attempt.refused = o.code == 7 and len(o.words()) > 20
    attempt.add("refused by the library", attempt.refused, o.words(), o.command)
    return False


# ---- Judges ---------------------------------------------------------------------------------------------------------------------


def ask_judges(attempt):
    a, m = attempt, attempt.machine
    kept = os.path.join(a.scratch, "openjpeg.pgx")
    words = a.picture.for_judge()
    count = a.facts["components"]
    walked, a.report = judges.walker(m, a.stream)
    a.add("walker", walked.kind == "exact", walked.text, walked.command)
    lossless = clauses.is_lossless(a.row)
    keep = None if lossless or count > 16 else kept
    a.verdicts["openjpeg"] = judges.openjpeg(m, a.stream, words, keep)
    reference = words
    if not lossless and a.verdicts["openjpeg"].numbers.get("shape") == "same" and keep:  # the others are compared with OpenJPEG's picture
        files = [kept] if count == 1 else [f"{kept[:-4]}_{i}.pgx" for i in range(count)]
        steps = ":".join(f"{dx}x{dy}" for dx, dy in a.facts["steps"])
        reference = [w for f in files for w in ("-i", f)] + (["--steps", steps] if count > 1 else [])
    has_profile = a.facts["jp2"] and (codestream.find_box(a.data, "jp2h", "colr") or b"\0")[0] == 2
    is_jph = a.facts["container"] == "jph"
    a.verdicts["ffmpeg"] = judges.ffmpeg(m, judges.bare_codestream(a.stream, a.scratch) if is_jph else a.stream, reference, a.scratch)
    for_grok = judges.bare_codestream(a.stream, a.scratch) if has_profile or is_jph else a.stream
    expanded = [w for w in reference if w != "--indices"] if a.facts["jp2"] else reference
    a.verdicts["grok"] = judges.grok(m, for_grok, expanded, a.scratch, count if expanded == reference else 3)
    a.verdicts["openjph"] = judges.openjph(m, a.stream, reference, a.scratch, a.facts)
    a.verdicts["jpylyzer"] = judges.jpylyzer(m, for_grok if is_jph else a.stream, a.facts["jp2"] and not is_jph)
    for verdict in a.verdicts.values():
        settle(a, verdict, lossless)
    quorum(a, lossless)
    at = a.verdicts["openjpeg"].numbers
    if at.get("shape") == "same" and a.row.image_offset != "0,0":
        a.add("image offset", f"{at['x0']},{at['y0']}" == a.row.image_offset, f"OpenJPEG finds the picture at {at['x0']},{at['y0']}")


def tolerance(attempt):
    """Decoders of 9/7 may differ by one unit of 12 bits: their arithmetic is not prescribed."""
    return max(1, 1 << max(0, attempt.facts["depth"] - 13))


def settle(attempt, v, lossless):
    """A verdict becomes a check: agreement, an explained dissent, or a failure."""
    if v.kind == "absent":
        attempt.add(v.judge, True, v.text, verdict="absent")
        return
    if not lossless and v.judge in judges.FOREIGN and v.kind == "wrong" and v.numbers.get("shape") == "same":
        if v.judge == "openjpeg" or v.numbers["max_error"] <= tolerance(attempt):
            v.kind = "near"
            v.text = ("decoded: " if v.judge == "openjpeg" else "against OpenJPEG's picture: ") + v.text
    if v.kind in ("exact", "near"):
        attempt.add(v.judge, True, v.text, v.command)
        return
    fault = faults.explain(attempt.runner.faults, v.judge, attempt.runner.versions.get(v.judge, ""), v.kind, v.text, attempt.facts)
    if fault:
        attempt.add(v.judge, True, f"{v.kind}: {v.text}", v.command, verdict="explained", evidence=f"{fault.id}: {fault.evidence}")
    else:
        attempt.fail(v.judge, f"{v.kind}: {v.text}", v.command)


def quorum(attempt, lossless):
    """Two foreign decoders must agree where two can; a dissent needs at least one that confirms."""
    agree = [n for n in judges.FOREIGN if attempt.verdicts[n].kind in ("exact", "near")]
    present = [n for n in judges.FOREIGN if attempt.verdicts[n].kind != "absent"]
    what = "bit-exact" if lossless else "decoded alike"
    if len(agree) == 1 and len(present) > 1:
        clauses.check_twin(attempt)
    if not present:
        attempt.add("foreign decoders", True, "none is installed", verdict="unjudged")
    elif len(agree) >= min(2, len(present)):
        attempt.add("foreign decoders", True, f"{what} by {', '.join(agree)}")
    elif agree:
        attempt.add("foreign decoders", True, f"{what} by {agree[0]} alone; the others can not, see there", verdict="explained",
                    evidence="each other decoder's dissent is explained above")
    elif not clauses.check_twin(attempt):
        attempt.fail("foreign decoders", "none confirms")


# ---- The same bytes ---------------------------------------------------------------------------------------------------------------


def check_same_bytes(attempt):
    row = attempt.row
    wanted = (1, 2, 7, 64) if "threads" in row.expected_check else (1, 2, 7) if "DET" in row.expected_check else (1, 3)
    digest = hashlib.sha256(attempt.data).hexdigest()
    for threads in wanted:
        again = os.path.join(attempt.scratch, "again." + options.container(row))
        o = attempt.machine.run(encoder_command(attempt.picture, again, [*attempt.words, "--threads", str(threads), "--force", "--quiet"]), timeout=600)
        if o.code or digest_of(again) != digest:
            attempt.fail("same bytes", f"other bytes with {threads} threads, or ended with {o.code}: {o.words()}", shorten(o.command))
            return
    attempt.add("same bytes", True, f"with {', '.join(map(str, wanted))} threads, and run again")


# ---- The row ----------------------------------------------------------------------------------------------------------------------


def run_checks(attempt):
    row = attempt.row
    if encode_row(attempt):
        ask_judges(attempt)
        check_same_bytes(attempt)
    if not any(c["verdict"] in ("fail", "not built") for c in attempt.checks) or attempt.stream:
        clauses.check_all(attempt)


def status_of(checks):
    """A row whose stream no foreign decoder could look at is unjudged, not passed."""
    verdicts = {c["verdict"] for c in checks}
    if "not built" in verdicts and "fail" not in verdicts:
        return "not built"
    if "fail" in verdicts or not verdicts & {"pass", "explained"}:
        return "FAIL"
    if "unjudged" in verdicts:
        return "unjudged"
    return "explained" if "explained" in verdicts else "pass"


def run_row(runner, row):
    attempt = Attempt(runner, row)
    started = time.monotonic()
    status, note = None, ""
    try:
        sources.check(row)
        note = special.belongs_elsewhere(row)
        if note:
            status = "other work"
        elif special.needs_long(row) and not runner.machine.long:
            status, note = "long mode", "runs with --long"
        elif special.is_special(row):
            special.run(attempt)
        else:
            run_checks(attempt)
    except Absent as error:
        status, note = "no picture", str(error)
    except (NotUnderstood, codestream.Damaged) as error:
        attempt.fail("row", str(error))
    except Exception:  # a defect of the runner is a failure of the row, not of the run
        attempt.fail("runner", traceback.format_exc(limit=3))
    shutil.rmtree(attempt.scratch, ignore_errors=True)
    if not runner.keep and attempt.stream and os.path.getsize(attempt.stream) > 4_000_000:
        os.remove(attempt.stream)
    return {
        "id": row.id, "group": row.group, "summary": row.summary(), "asks": row.expected_check, "columns": row.columns,
        "status": status or status_of(attempt.checks), "note": note, "commands": attempt.commands, "bytes": len(attempt.data) or None,
        "seconds": round(time.monotonic() - started, 3), "encode_seconds": round(attempt.outcome.seconds, 3) if attempt.outcome else None, "checks": attempt.checks,
    }
