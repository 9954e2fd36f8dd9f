#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Writes __init__.pyi into the folder of a built extension module: stubs.pyi.in with the options of the library in it.

  write_stubs.py FOLDER
"""
import os
import sys
import textwrap

if len(sys.argv) != 2 or sys.argv[1] in ("--help", "-h"):
    print(__doc__.strip())
    sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
sys.path.insert(0, sys.argv[1])
from _wavelane import ffi, lib  # noqa: E402  the module alone: the package needs NumPy

TYPES = {lib.WVL_OPTION_BOOL: "bool | str", lib.WVL_OPTION_INTEGER: "int", lib.WVL_OPTION_REAL: "float", lib.WVL_OPTION_TEXT: "str | int",
         lib.WVL_OPTION_PAIR: "tuple[int, int] | str", lib.WVL_OPTION_PAIRS: "Sequence[tuple[int, int]] | str",
         lib.WVL_OPTION_REALS: "float | Sequence[float] | str"}
SPECIAL = {"comment": "str | bytes | Sequence[str | bytes]", "frame_rate": "str | float", "style": "str | int | Sequence[str]", "device": "str",
           "overrides": "str | Sequence[str]", "roi": "str | Sequence[str]", "progression_changes": "str | Sequence[str]", "tile_parts": "str"}


def describe_type(key, kind, words):
    if key in SPECIAL:
        return SPECIAL[key]
    if kind != lib.WVL_OPTION_CHOICE:
        return TYPES[kind]
    literal = "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"
    return "bool | " + literal if {"yes", "on"} & set(words) else literal


def list_options():
    lines = []
    count = ffi.new("size_t *")
    table = lib.wvl_options(count)
    for option in table[0:count[0]]:
        key, words, initial, doc = (ffi.string(text).decode() for text in (option.key, option.range, option.initial, option.doc))
        key = key.replace("-", "_")
        doc = f"{doc} Range: {words}." + (f" Default: {initial}." if initial else "")
        lines += textwrap.wrap(doc, 116, initial_indent="    # ", subsequent_indent="    # ")
        lines.append(f"    {key}: {describe_type(key, option.type, words.split('|'))} | None")
    return "\n".join(lines)


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "stubs.pyi.in"), encoding="utf-8") as file:
    stubs = file.read().replace("@OPTIONS@", list_options())
with open(os.path.join(sys.argv[1], "__init__.pyi"), "w", encoding="utf-8") as file:
    file.write(stubs)
