# SPDX-License-Identifier: BSD-2-Clause
"""The HTML report: self-contained, failures first, one table a group; a row opens to its checks and commands."""
from html import escape

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1d2733; background: #fff }
h1 { font-size: 1.6rem } h2 { margin-top: 2.2rem; border-bottom: 1px solid #d7dde4 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3rem .5rem; border-bottom: 1px solid #e6eaef; vertical-align: top }
th { font-weight: 600; background: #f5f7f9 } td.n { text-align: right; font-variant-numeric: tabular-nums }
pre { background: #f5f7f9; padding: .6rem; overflow-x: auto; font-size: 13px } details summary { cursor: pointer }
.pass { color: #19692c } .explained { color: #8a5a00 } .fail, .FAIL { color: #a3161a; font-weight: 600 } .not, .no, .other, .long, .absent { color: #5b6773 }
@media (prefers-color-scheme: dark) { body { color: #dfe5ec; background: #14191f } th, pre { background: #1e252d } th, td, h2 { border-color: #323b45 }
.pass { color: #7bc98c } .explained { color: #e0b25a } .fail, .FAIL { color: #ff8a85 } .not, .no, .other, .long, .absent { color: #9aa6b2 } }
"""


def mark(text, kind=None):
    return f'<span class="{escape((kind or text).split(" ")[0])}">{escape(text)}</span>'


def table(head, rows):
    return "<table><tr>" + "".join(f"<th>{escape(h)}</th>" for h in head) + "</tr>" + "".join(rows) + "</table>"


def line(*cells):
    return "<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>"


def details(r):
    checks = [line(escape(c["name"]), mark(c["verdict"]), escape(c["text"]) + (f"<br><em>{escape(c['evidence'])}</em>" if c["evidence"] else "")) for c in r["checks"]]
    commands = dict.fromkeys(r["commands"] + [c["command"] for c in r["checks"] if c["command"]])
    text = f"<p>{escape(r['summary'])}. Asks for: {escape(r['asks'])}</p>" + table(("check", "verdict", "what was found"), checks)
    return text + ("<pre>" + escape("\n".join(commands)) + "</pre>" if commands else "")


def judge_cell(r, name):
    for c in r["checks"]:
        if c["name"] == name:
            return mark({"pass": "yes", "absent": "-", "fail": "NO"}.get(c["verdict"], c["verdict"]), c["verdict"])
    return ""


def row_line(r):
    note = f": {r['note']}" if r["note"] else ""
    return line(f"<details><summary>{escape(r['id'])}</summary>{details(r)}</details>", escape(r["summary"]), mark(r["status"]) + escape(note), r["bytes"] or "",
                r["seconds"], *(judge_cell(r, n) for n in ("walker", "openjpeg", "ffmpeg", "grok", "openjph", "jpylyzer")))


HEAD = ("row", "what", "status", "bytes", "seconds", "walker", "OpenJPEG", "FFmpeg", "Grok", "OpenJPH", "jpylyzer")


def make(d):
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Conformance run</title><style>{STYLE}</style>",
             "<h1>Conformance run</h1>", f"<p>{escape(d['date'])}, {d['mode']} mode, {d['jobs']} at a time, {d['seconds']} s. Matrix <code>{escape(d['matrix'])}</code>, rows "
             f"{escape(d['rows_asked'])}, pictures <code>{escape(str(d['pictures']))}</code>.</p>",
             table(("status", "rows"), [line(mark(s), str(n)) for s, n in d["counts"].items() if n]),
             table(("judge", "version"), [line(escape(n), escape(v)) for n, v in d["versions"].items() if n != "grok"]),
             f"<p>Commands run as they stand after <code>export PATH={escape(d['build'])}/tools:{escape(d['build'])}/conformance:$PATH</code>.</p>", "<h2>Failures</h2>"]
    parts += [f"<h3>{escape(r['id'])}: {mark(r['status'])}</h3>{details(r)}" for r in d["bad"]] or ["<p>None.</p>"]
    for g, name, rows in d["groups"]:
        parts.append(f"<h2>{g}: {escape(name)}</h2>" + table(HEAD, [row_line(r) for r in rows]))
    parts.append("<h2>Judges’ known faults</h2><p>A dissent that none of these explains fails its row.</p>" + table(
        ("entry", "judge", "what", "condition", "evidence", "rows of this run"),
        [line(escape(f.id), escape(f.judge), escape(f.kind), f"<code>{escape(f.when)}</code>", escape(f.evidence), ", ".join(ids) or "none") for f, ids in d["faults"]]))
    if d["faults_of_fuzz"]:
        parts.append("<p>Of <code>wavelane-fuzz</code>, with conditions over the whole configuration:</p>" + table(
            ("entry", "judge", "evidence"), [line(*(escape(v) for v in entry)) for entry in d["faults_of_fuzz"]]))
    return "".join(parts) + "\n"
