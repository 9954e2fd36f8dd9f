# SPDX-License-Identifier: BSD-2-Clause
"""Reports: JSON with everything, Markdown for reading and for diffs."""
import json
import os
import time

import faults
from matrix import GROUPS
from rows import STATUSES

GOOD = ("pass", "explained")
MEANING = {
    "FAIL": "a check failed", "not built": "the encoder refuses an option that it does not have yet", "no picture": "the folder of pictures lacks the row's",
    "other work": "belongs to work that is not part of this run", "long mode": "runs with --long", "explained": "passed; a judge dissents or can not read it, for a reason on record",
    "pass": "passed, all judges present agree", "unjudged": "no foreign decoder was there to look at the stream",
}


def count(results):
    return {status: sum(r["status"] == status for r in results) for status in STATUSES}


def fault_rows(runner, results):
    """Entries of the list of known faults with the rows of this run that they explained."""
    found = []
    for fault in runner.faults:
        ids = [r["id"] for r in results for c in r["checks"] if c["verdict"] == "explained" and c["evidence"].startswith(fault.id + ":")]
        found.append((fault, sorted(set(ids))))
    return found


def explained_by(results):
    """How often each reason on record was needed, by its name."""
    used = {}
    for r in results:
        for c in r["checks"]:
            if c["verdict"] == "explained":
                name = c["evidence"].split(":")[0] if ":" in c["evidence"] else c["name"] + ", " + c["evidence"]
                used[name] = used.get(name, 0) + 1
    return dict(sorted(used.items()))


def collect(runner, options, results, seconds):
    groups = [(g, name, [r for r in results if r["group"] == g]) for g, name in GROUPS.items()]
    return {
        "matrix": options.matrix, "pictures": options.pictures, "rows_asked": options.rows or "all", "mode": "long" if options.long else "normal", "jobs": options.jobs,
        "date": time.strftime("%Y-%m-%d %H:%M"), "seconds": round(seconds, 1), "versions": runner.versions, "counts": count(results), "explained": explained_by(results),
        "build": runner.machine.build, "out": runner.machine.out,
        "bad": [r for r in results if r["status"] not in GOOD and r["status"] not in ("other work", "long mode")],
        "groups": [(g, name, rows) for g, name, rows in groups if rows], "faults": fault_rows(runner, results),
        "faults_of_fuzz": faults.of_fuzz(runner.machine),
    }


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def verdict_of(result, name):
    for c in result["checks"]:
        if c["name"] == name:
            return {"pass": "yes", "explained": "explained", "absent": "-", "fail": "NO"}.get(c["verdict"], c["verdict"])
    return ""


def group_table(rows):
    lines = ["| row | what | status | bytes | seconds | walker | OpenJPEG | FFmpeg | Grok | OpenJPH | jpylyzer | other checks |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        judged = ("walker", "openjpeg", "ffmpeg", "grok", "openjph", "jpylyzer")
        others = [f"{c['name']}{'' if c['verdict'] in ('pass', 'explained') else ' ' + c['verdict'].upper()}" for c in r["checks"] if c["name"] not in judged]
        lines.append("| " + " | ".join(cell(v) for v in (
            r["id"], r["summary"], r["status"] + (f": {r['note']}" if r["note"] else ""), r["bytes"] or "", r["seconds"], *(verdict_of(r, n) for n in judged),
            ", ".join(dict.fromkeys(others)))) + " |")
    return lines


def row_details(r):
    lines = [f"### {r['id']}: {r['status']}", "", f"{r['summary']}. Asks for: {r['asks']}", ""]
    lines += [f"- {c['name']} **{c['verdict']}**: {cell(c['text'])}" + (f"\n  - evidence: {cell(c['evidence'])}" if c["evidence"] else "") for c in r["checks"]
              if c["verdict"] not in ("absent",)]
    commands = list(dict.fromkeys(r["commands"] + [c["command"] for c in r["checks"] if c["command"] and c["verdict"] != "pass"]))
    return lines + (["", "```sh", *commands, "```", ""] if commands else [""])


def markdown(d):
    lines = ["# Conformance run", "", f"{d['date']}, {d['mode']} mode, {d['jobs']} at a time, {d['seconds']} s. Matrix `{d['matrix']}`, rows {d['rows_asked']}, "
             f"pictures {'`' + d['pictures'] + '`' if d['pictures'] else 'none'}.", "", "| status | rows | meaning |", "|---|---|---|"]
    lines += [f"| {s} | {n} | {MEANING[s]} |" for s, n in d["counts"].items() if n]
    if d["explained"]:
        lines += ["", "| reason on record that was needed | checks |", "|---|---|", *(f"| {cell(name)} | {n} |" for name, n in d["explained"].items())]
    lines += ["", "| judge | version |", "|---|---|", *(f"| {n} | {cell(v)} |" for n, v in d["versions"].items() if n != "grok"), "",
              "Commands below run as they stand after", "", "```sh", f"export PATH={d['build']}/tools:{d['build']}/conformance:$PATH", "```", ""]
    lines += ["## Failures", ""]
    for r in d["bad"]:
        lines += row_details(r)
    if not d["bad"]:
        lines += ["None.", ""]
    for g, name, rows in d["groups"]:
        lines += [f"## {g}: {name}", "", *group_table(rows), ""]
    lines += ["## Judges' known faults", "", "From `conformance/faults.json`. A dissent that none of these explains fails its row.", "",
              "| entry | judge | what | condition | evidence | rows of this run |", "|---|---|---|---|---|---|"]
    lines += ["| " + " | ".join(cell(v) for v in (f.id, f.judge, f.kind, f"`{f.when}`", f.evidence, ", ".join(ids) or "none")) + " |" for f, ids in d["faults"]]
    if d["faults_of_fuzz"]:
        lines += ["", "Of `wavelane-fuzz`, with conditions over the whole configuration (`conformance/fuzz/faults.c`):", "", "| entry | judge | evidence |", "|---|---|---|"]
        lines += ["| " + " | ".join(cell(v) for v in entry) + " |" for entry in d["faults_of_fuzz"]]
    lines += ["", "## Every row, with the commands to repeat it", ""]
    for _, _, rows in d["groups"]:
        for r in rows:
            if r["status"] in GOOD:
                lines += row_details(r)
    return "\n".join(lines) + "\n"


def write(runner, options, results, seconds):
    d = collect(runner, options, results, seconds)
    paths = {kind: os.path.join(runner.machine.out, "report." + kind) for kind in ("json", "md")}
    as_json = {**{k: v for k, v in d.items() if k not in ("groups", "bad", "faults", "faults_of_fuzz")}, "rows": results,
               "faults": [{"id": f.id, "judge": f.judge, "evidence": f.evidence, "rows": ids} for f, ids in d["faults"]]}
    for kind, text in (("json", json.dumps(as_json, indent=1) + "\n"), ("md", markdown(d))):
        with open(paths[kind] + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(paths[kind] + ".part", paths[kind])
    return paths
