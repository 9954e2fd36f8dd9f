# SPDX-License-Identifier: BSD-2-Clause
"""
Known faults and limits of judges: conformance/faults.json. An entry applies when the judge and its version fit, its condition holds for the stream, and what the
judge did is of the entry's kind. A dissent that no entry explains fails the row; one that an entry explains is shown with its evidence.
"""
import json
import re
from dataclasses import dataclass


@dataclass
class Fault:
    id: str
    judge: str  # openjpeg, ffmpeg, grok, jpylyzer, openjph
    versions: str  # pattern for the judge's own version text
    kind: str  # "refuses": it says that it can not; "wrong": it decodes something else; "crashed": it ends with a fault of its own; "any" of these
    when: str  # condition over the facts of the stream (codestream.facts) and row, container, group
    message: str  # pattern for what the judge says; "" for any
    evidence: str
    seen: list  # rows where it showed

    def holds(self, facts):
        return bool(eval(self.when, {"__builtins__": {}, "min": min, "max": max, "any": any, "all": all, "len": len, "set": set}, dict(facts)))


def read(path):
    with open(path, encoding="utf-8") as file:
        return [Fault(**{**{"seen": []}, **entry}) for entry in json.load(file)["faults"]]


def of_fuzz(machine):
    """The list of wavelane-fuzz, whose conditions need more of a configuration than a main header tells: (id, judge, evidence)."""
    if not machine.has("wavelane-fuzz"):
        return []
    lines = machine.run(["wavelane-fuzz", "--faults"]).out.splitlines()
    return [(*re.match(r"(\S+) \((.*)\)$", head).groups(), text.strip()) for head, text in zip(lines[::2], lines[1::2])]


def print_all(machine, path):
    """Both lists, for a person."""
    for fault in read(path):
        print(f"{fault.id} ({fault.judge} {fault.versions}), {fault.kind}, when {fault.when}\n    {fault.evidence}")
    for name, judge, text in of_fuzz(machine):
        print(f"{name} ({judge}), wavelane-fuzz\n    {text}")


def explain(faults, judge, version, kind, text, facts):
    """The entry that explains what a judge did, or None."""
    for fault in faults:
        if fault.judge != judge or fault.kind not in (kind, "any") or not re.search(fault.versions, version):
            continue
        if fault.message and not re.search(fault.message, text, re.DOTALL):
            continue
        if fault.holds(facts):
            return fault
    return None
