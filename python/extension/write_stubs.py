#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Prints python/wavelane/__init__.pyi: stubs.pyi.in with the options of the library that `import wavelane` finds.

  write_stubs.py > python/wavelane/__init__.pyi
"""
import os
import sys
import textwrap

import wavelane

if sys.argv[1:2] in (["--help"], ["-h"]):
    print(__doc__.strip())
    sys.exit()

TYPES = {"bool": "bool | str", "integer": "int", "real": "float", "text": "str | int", "pair": "tuple[int, int] | str",
         "pairs": "Sequence[tuple[int, int]] | str", "reals": "float | Sequence[float] | str"}
SPECIAL = {"comment": "str | bytes | Sequence[str | bytes]", "frame_rate": "str | float", "style": "str | int | Sequence[str]", "device": "str",
           "overrides": "str | Sequence[str]", "roi": "str | Sequence[str]", "progression_changes": "str | Sequence[str]", "tile_parts": "str"}


def describe_type(key, option):
    if key in SPECIAL:
        return SPECIAL[key]
    if option.type != "choice":
        return TYPES[option.type]
    words = option.range.split("|")
    literal = "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"
    return "bool | " + literal if {"yes", "on"} & set(words) else literal


def list_options():
    lines = []
    for option in wavelane.options():
        key = option.key.replace("-", "_")
        doc = f"{option.doc} Range: {option.range}." + (f" Default: {option.initial}." if option.initial else "")
        lines += textwrap.wrap(doc, 116, initial_indent="    # ", subsequent_indent="    # ")
        lines.append(f"    {key}: {describe_type(key, option)} | None")
    return "\n".join(lines)


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "stubs.pyi.in"), encoding="utf-8") as file:
        print(file.read().replace("@OPTIONS@", list_options()), end="")


if __name__ == "__main__":
    main()
