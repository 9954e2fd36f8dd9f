#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Kernels of the transform laboratory for twin.dwt_schemes: every scheme of every wavelet, forward and inverse.

  make_schemes.py GENERATOR OUT [TURN]
  make_schemes.py GENERATOR --turns     prints the number of choices
  make_schemes.py GENERATOR --c OUT     the same schemes as plain C

OUT gets the kernels and a LAB_ROW for each. Choices (who owns which quads, how values travel) take turns, so that all of
them occur with every wavelet and direction. TURN: this choice alone, for all schemes (.ci/schemes).
"""
import sys

if sys.argv[1:2] in (["--help"], ["-h"]):
    print(__doc__.strip())
    sys.exit()

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import counting  # noqa: E402
import schemes  # noqa: E402
import wavelet  # noqa: E402
from choices import ChoiceError, Choices  # noqa: E402
from emit_c import make_function, program_text  # noqa: E402
from emit_cuda import row  # noqa: E402
from kernels import make_kernel  # noqa: E402

TURNS = [Choices(**given) for given in (
    {"group": (16, 8)},
    {"group": (8, 8), "buffers": 1},
    {"exchange": "warp"},
    {"exchange": "shuffle"},
    {"group": (32, 4), "quads": (2, 2)},
    {"group": (32, 4), "quads": (1, 2), "exchange": "shuffle", "buffers": 1},
    {"group": (8, 12), "quads": (2, 1), "buffers": 1},
    {"group": (32, 1), "quads": (1, 10), "exchange": "shuffle"},
    {"group": (16, 8), "mapping": "tile"},
    {"group": (32, 4), "mapping": "tile", "buffers": 1},
    {"type": "f16x2", "exchange": "shuffle"},
    {"type": "f16x2", "group": (32, 4), "quads": (2, 2), "exchange": "warp", "buffers": 1},
    {"group": (32, 1), "quads": (2, 9), "exchange": "shuffle"},
    {"group": (8, 8), "quads": (1, 2), "access": "pairs"},
    {"group": (32, 2), "quads": (1, 4), "exchange": "shuffle", "access": "pairs"},
    {"group": (16, 8), "mapping": "tile", "buffers": 1, "access": "pairs"},
    {"group": (32, 4), "quads": (1, 2), "exchange": "shuffle", "access": "pairs", "align": 8},
    {"group": (32, 2), "quads": (2, 4), "exchange": "shuffle", "access": "vectors", "align": 8},
    {"group": (32, 1), "quads": (2, 9), "exchange": "shuffle", "access": "streams", "align": 4},
)]
# The same choices with one level and with several: twin.dwt_schemes compares both.
LEVELS = [Choices(**given) for given in (
    {"group": (8, 8), "quads": (2, 2), "levels": 2},
    {"group": (32, 4), "quads": (1, 4), "exchange": "shuffle", "access": "pairs", "align": 8, "levels": 2},
    {"group": (32, 4), "quads": (2, 4), "exchange": "shuffle", "access": "vectors", "align": 8, "buffers": 1, "levels": 3},
    {"group": (16, 16), "mapping": "tile", "buffers": 1, "levels": 2},
    {"group": (32, 1), "quads": (1, 24), "exchange": "shuffle", "levels": 2},
    {"group": (16, 16), "quads": (2, 2), "exchange": "shared", "levels": 4})]
LEVEL_SCHEMES = ("sep_lifting", "sep_polyconvolution_y_star", "monolithic_star", "polyphase_star", "explosion", "kula_2016")
INTEGERS = [Choices(type="i32", **given) for given in (
    {}, {"exchange": "shuffle", "buffers": 1}, {"group": (32, 1), "quads": (1, 12), "exchange": "shuffle"},
    {"group": (16, 8), "mapping": "tile"}, {"exchange": "warp", "group": (32, 4), "quads": (2, 2)},
    {"group": (32, 1), "quads": (1, 10), "exchange": "shuffle", "access": "pairs"},
    {"group": (32, 2), "quads": (2, 4), "exchange": "shuffle", "access": "vectors", "align": 8})]


MOST_TERMS = 800  # of a kernel in all slots: the suite must also be compiled


def try_kernel(loaded, name, inverse, choices):
    """None where the generator refuses."""
    try:
        return make_kernel(loaded, name, inverse, choices)
    except ChoiceError:
        return None


def next_choice(loaded, name, inverse, turn):
    """The next choice in turn that is possible and does not make a giant of the kernel."""
    terms = counting.count(schemes.Scheme(name, loaded)).operations
    for skip in range(len(TURNS)):
        kernel = try_kernel(loaded, name, inverse, TURNS[(turn + skip) % len(TURNS)])
        if kernel and kernel.mapping.slots * terms <= MOST_TERMS:
            return kernel
    raise AssertionError("every choice is refused or too large")


def kernels_of_one_level(only):
    turn = 0
    for key in wavelet.BUILT_IN:
        loaded = wavelet.load(key)
        for name in schemes.names():
            for inverse in (False, True):
                if only is not None:
                    kernel = try_kernel(loaded, name, inverse, TURNS[only])
                    if kernel:
                        yield kernel
                else:
                    yield next_choice(loaded, name, inverse, turn)
                turn += 1


def kernels(only):
    """only: one choice for all schemes, first of TURNS, then of LEVELS."""
    if only is not None and only >= len(TURNS):
        yield from all_schemes_of_levels(LEVELS[only - len(TURNS)])
    else:
        yield from kernels_of_one_level(only)
    for choices in INTEGERS:
        for inverse in (False, True):
            yield make_kernel(wavelet.load("cdf53"), "sep_lifting", inverse, choices, vertical_first=True)
    if only is None:
        yield from level_kernels()
    for inverse in (False, True):
        yield make_kernel(wavelet.load("cdf97"), "sep_lifting_plus", inverse, Choices(memory="none"))


def one_level(choices):
    return Choices(**{field: getattr(choices, field) for field in Choices.DEFAULTS if field != "levels"})


def all_schemes_of_levels(choices):
    for key in wavelet.BUILT_IN:
        for name in schemes.names():
            for inverse in (False, True):
                many = try_kernel(wavelet.load(key), name, inverse, choices)
                if many:
                    yield many
                    yield make_kernel(wavelet.load(key), name, inverse, one_level(choices))


def level_kernels():
    """Choices take turns; each kernel of several levels, and the one of one level beside it."""
    turn = 0
    for key in wavelet.BUILT_IN:
        for name in LEVEL_SCHEMES:
            for inverse in (False, True):
                many = None
                while many is None:
                    choices = LEVELS[turn % len(LEVELS)]
                    many = try_kernel(wavelet.load(key), name, inverse, choices)
                    turn += 1
                yield many
                yield make_kernel(wavelet.load(key), name, inverse, one_level(choices))
    integers = Choices(type="i32", group=(16, 8), quads=(2, 2), levels=3)
    for inverse in (False, True):
        for choices in (integers, one_level(integers)):
            yield make_kernel(wavelet.load("cdf53"), "sep_lifting", inverse, choices, vertical_first=True)


def write(path, only):
    with open(path, "w", encoding="utf-8") as out:
        rows = []
        for kernel in {kernel.name(): kernel for kernel in kernels(only)}.values():
            out.write(kernel.text())
            rows.append(row(kernel))
        out.write("#define LAB_ROWS \\\n    " + " \\\n    ".join(rows) + "\n")


def write_c(path):
    functions = [make_function(wavelet.load(key), name, inverse) for key in wavelet.BUILT_IN for name in schemes.names()
                 for inverse in (False, True)]
    functions += [make_function(wavelet.load("cdf53"), "sep_lifting", inverse, True, True) for inverse in (False, True)]
    with open(path, "w", encoding="utf-8") as out:
        out.write(program_text(functions))


if sys.argv[2] == "--turns":
    print(len(TURNS) + len(LEVELS))
elif sys.argv[2] == "--c":
    write_c(sys.argv[3])
else:
    write(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
