#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the interface of the frozen header with today's: members, values and functions of then must be there now, in their places.

    compare.py FROZEN TODAY COMPILER WORK STRUCTURES VALUES FUNCTIONS

The three numbers are the least that the frozen header has: the check that it was read rightly.

Structures with struct_size may have grown at their end; the others must not have changed. Both headers are compiled, so that the compiler says where each
member lies.
"""
import re
import subprocess
import sys

if sys.argv[1:2] in (["--help"], ["-h"]):
    print(__doc__.strip())
    sys.exit()
from pathlib import Path


def without_comments(path):
    text = re.sub(r"/\*.*?\*/", " ", Path(path).read_text(encoding="utf-8"), flags=re.S)
    return re.sub(r"//[^\n]*", " ", text)


def members_of(body):
    """Names of the members of a structure: the name behind (* of a function, else the last one of each declarator."""
    names = []
    for line in body.split(";"):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", line)
        if pointer:
            names.append(pointer.group(1))
        elif line.strip():
            names += [re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", part.strip()).group(1) for part in line.split(",")]
    return names


def read(path):
    text = without_comments(path)
    structs = {name: members_of(body) for body, name in re.findall(r"typedef\s+struct\s+\w+\s*\{(.*?)\}\s*(\w+)\s*;", text, flags=re.S)}
    values = [v for body in re.findall(r"typedef\s+enum\s+\w+\s*\{(.*?)\}", text, flags=re.S) for v in re.findall(r"\b(WVL_\w+)\b\s*=?", body)]
    # Blanks and line ends do not count.
    functions = {re.search(r"(\w+)\s*\(", f).group(1): re.sub(r"\s*([*(),])\s*", r" \1 ", " ".join(f.split())) for f in re.findall(r"WVL_API\s+([^;]*?\([^;]*\))\s*;", text, flags=re.S)}
    return structs, sorted(set(values)), functions


def places(structs, values, header, compiler, work, name):
    """What the compiler says: sizes, offsets, sizes of members, values."""
    lines = ['#include <stddef.h>', '#include <stdio.h>', f'#include "{Path(header).resolve()}"', 'int main(void) {']
    for struct, members in sorted(structs.items()):
        lines.append(f'printf("size {struct} %zu\\n", sizeof({struct}));')
        lines += [f'printf("member {struct}.{m} %zu %zu\\n", offsetof({struct}, {m}), sizeof((({struct} *)0)->{m}));' for m in members]
    lines += [f'printf("value {v} %lld\\n", (long long){v});' for v in values]
    source = Path(work) / f"{name}.c"
    source.write_text("\n".join(lines + ["return 0; }"]) + "\n", encoding="utf-8")
    program = Path(work) / name
    subprocess.run([compiler, "-std=c11", "-I", Path(__file__).parent.parent.parent / "include", "-o", program, source], check=True)
    rows = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {row.rsplit(" ", 1 if row.split()[0] != "member" else 2)[0]: row for row in rows}


def main():
    frozen, today, compiler, work = sys.argv[1:5]
    least = [int(n) for n in sys.argv[5:8]]
    Path(work).mkdir(parents=True, exist_ok=True)
    structs, values, functions = read(frozen)
    _, _, functions_now = read(today)
    then = places(structs, values, frozen, compiler, work, "abi_then")
    now = places(structs, values, today, compiler, work, "abi_now")
    wrong = []
    for key, row in then.items():
        grown = key.startswith("size ") and "struct_size" in structs[key.split()[1]] and int(now[key].split()[-1]) >= int(row.split()[-1])
        if now[key] != row and not grown:
            wrong.append(f"{row} is now {now[key]}")
    wrong += [f"{f} is now {functions_now.get(n, 'gone')}" for n, f in functions.items() if functions_now.get(n) != f]
    if any(n < m for n, m in zip((len(structs), len(values), len(functions)), least)):
        wrong.append(f"{frozen}: {len(structs)} structures, {len(values)} values, {len(functions)} functions: read wrongly")
    print("\n".join(wrong) or f"{len(structs)} structures, {len(values)} values and {len(functions)} functions of then are in their places")
    sys.exit(1 if wrong else 0)


main()
