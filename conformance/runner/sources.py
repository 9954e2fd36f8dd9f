# SPDX-License-Identifier: BSD-2-Clause
"""The words of the source columns (image_kind, size, comps, bits, signed). A word that is none of these is named; nothing of it is left out."""
import re

import special
from pictures import NotUnderstood

# image_kind without what stands behind "::". The texts are for --list-words.
KINDS = [
    (r"D:(natural|noise|flat|extreme|sparse)(#\d+)?( \d+x\d+(:\d+x\d+)*)?", "D:natural|noise|flat|extreme|sparse[#SEED][ 1x1:2x2:2x2]: drawn, with subsampling"),
    (r"P:\S+", "P:FILE: a picture of the folder; with another size than its own the upper left corner, with fewer components the first ones"),
    (r"P:\S+ crop", "P:FILE crop: a part of the size column"),
    (r"P:\S+ >>\d+", "P:FILE >>N: samples shifted right by N bits"),
    (r"P:\S+ gray as comp sub-sampling 255x255", "P:FILE gray as comp sub-sampling 255x255: the first component, 255 apart"),
    (r"P:\S+ crop replicated from real pixels", "P:FILE crop replicated from real pixels: one pixel, as many components as asked for"),
    (r"P:\S+ padded <<\d+", "P:FILE padded <<N: deeper than a file says; must be refused"),
    (r"P:c1p0_06_0\.\.3\.pgx as one image", "P:c1p0_06_0..3.pgx as one image: four files"),
    (r"mixed: kodim03 R8,G6,B5 bits", "mixed: kodim03 R8,G6,B5 bits"),
    (r"mixed: u8 \+ s12 comps", "mixed: u8 + s12 comps"),
    (r"mosaic > 4 GiB output", "mosaic > 4 GiB output"),
]
COLUMNS = [
    ("size", r"full|\d+x\d+|grid\*255", "full | WxH | grid*255"),
    ("comps", r"\d+", "a number"),
    ("bits", r"\d+(,\d+)*", "a number, or one for each component"),
    ("signed", r"[yn](,[yn])*", "y | n, or one for each component"),
]


def check(row):
    """Raises NotUnderstood with the word that has no meaning here."""
    kind, _, rest = row.image_kind.partition(" :: ")
    if not any(re.fullmatch(pattern, kind) for pattern, _ in KINDS):
        raise NotUnderstood(f"image_kind \"{kind}\"; --list-words shows what is known")
    for name, pattern, words in COLUMNS:
        if not re.fullmatch(pattern, row.columns[name]):
            raise NotUnderstood(f"{name} \"{row.columns[name]}\"; known: {words}")
    for name in ("bits", "signed"):
        count = row.columns[name].count(",") + 1
        if count > 1 and count != int(row.comps):
            raise NotUnderstood(f"{name} \"{row.columns[name]}\" for {row.comps} components")
    if (row.size == "grid*255") != kind.endswith("255x255") and row.size == "grid*255":
        raise NotUnderstood("size \"grid*255\" goes with sub-sampling 255x255 only")
    if rest and not special.is_special(row):
        raise NotUnderstood(f"\":: {rest}\" in group {row.group}: only rows of J and X are more than an encode")
    if rest and special.find(row) is None and not special.belongs_elsewhere(row):
        raise NotUnderstood(f"\":: {rest}\": nothing here makes this happen")


def print_all():
    """For a person."""
    print("image_kind")
    for _, text in KINDS:
        print("  " + text)
    print("  ... :: WORDS, in groups J and X:")
    for pattern, _ in special.SPECIAL:
        print("    " + re.sub(r"\\", "", pattern))
    for name, _, words in COLUMNS:
        print(f"{name}\n  {words}")
