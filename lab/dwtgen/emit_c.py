# SPDX-License-Identifier: BSD-2-Clause
"""A scheme as plain C: one sweep over a region of quads for each step, in planes of one component each.

A component that a step changes and reads from neighbours has its new values in another plane. Matrices that stay inside
the quad join the sweep before them, as `after` and the next step's `before` do. The first sweep does the first `before`.
"""
import os

from choices import ChoiceError, check_integers
from counting import count
from laurent import COMPONENTS, HERE, Matrix
from schemes import Scheme

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEADS = ("lab.h", "runtime.h")
LOW = [c.lower() for c in COMPONENTS]


class Sweep:
    """One pass over the planes: exchange (or None), then matrices inside the quad."""

    def __init__(self, exchange):
        self.exchange, self.inner = exchange, []


def list_sweeps(scheme):
    sweeps = []
    for step in scheme.steps:
        if step.before:
            if not sweeps:
                sweeps.append(Sweep(None))
            sweeps[-1].inner += step.before
        sweeps.append(Sweep(step.exchange))
        sweeps[-1].inner += step.after
    return sweeps


class Function:
    def __init__(self, scheme, integers=False):
        self.scheme = scheme
        self.integers = integers
        self.type = "int32_t" if self.integers else "float"
        self.lines = []

    def name(self):
        words = ["lab", self.scheme.wavelet.key, self.scheme.name, "inverse" if self.scheme.inverse else "forward"]
        return "_".join(words + (["vertical"] if self.scheme.vertical_first else []) + (["i32"] if self.integers else []))

    def put(self, text, depth=1):
        self.lines.append("    " * depth + text)

    def sum_of(self, row, matrix, values):
        """values: C expressions of what lies inside the quad; neighbours are read from the planes."""
        terms = [(c, at, v) for c in range(4) for at, v in sorted(matrix.rows[row][c].terms.items())]
        whole = next((t for t in terms if t[:2] == (row, HERE) and t[2] == 1), None)
        if whole:
            terms.remove(whole)
        texts = [values[c] if at == HERE else f"{LOW[c]}[x{place(at)}]" for c, at, _ in terms]
        if self.integers:
            return self.integer_sum(values[row], terms, texts)
        parts = [values[row]] if whole else []
        return " + ".join(parts + [f"{float(v)!r}f * {text}" for (_, _, v), text in zip(terms, texts)])

    def integer_sum(self, old, terms, texts):
        sign, factor = ("-", -1) if self.scheme.inverse else ("+", 1)
        shift = max(v.denominator for _, _, v in terms).bit_length() - 1
        parts = [f"{int(factor * v * 2 ** shift)} * {text}" for (_, _, v), text in zip(terms, texts)]
        return f"{old} {sign} (({' + '.join(parts)} + {2 ** shift // 2}) >> {shift})"

    def put_sweep(self, sweep):
        exchange = sweep.exchange or Matrix()
        matrices = ([exchange] if sweep.exchange else []) + sweep.inner
        changed = [c for c in range(4) if any(m.changes(c) for m in matrices)]
        read = {c for c, _, _ in exchange.reads()}
        used = sorted(set(changed) | {c for m in matrices for r in range(4) if m.changes(r) for c in range(4) if m.rows[r][c]})
        moved = [c for c in changed if c in read]
        self.put("for (ptrdiff_t y = 0; y < height; y++) {")
        for c in used:
            const = "" if c in changed and c not in moved else "const "
            self.put(f"{const}{self.type} *restrict {LOW[c]} = ({self.type} *)t->planes[{c}] + y * t->stride;", 2)
        for c in moved:
            self.put(f"{self.type} *restrict new_{LOW[c]} = ({self.type} *)t->spares[{c}] + y * t->stride;", 2)
        self.put("for (ptrdiff_t x = 0; x < width; x++) {", 2)
        values = [f"{LOW[c]}[x]" for c in range(4)]
        for number, matrix in enumerate(matrices):
            rows = [r for r in range(4) if matrix.changes(r)]
            for r in rows:
                self.put(f"const {self.type} {LOW[r]}_{number} = {self.sum_of(r, matrix, values)};", 3)
            for r in rows:
                values[r] = f"{LOW[r]}_{number}"
        for c in changed:
            self.put(f"{'new_' if c in moved else ''}{LOW[c]}[x] = {values[c]};", 3)
        self.put("}", 2)
        self.put("}")
        for c in moved:
            self.put(f"lab_swap(t, {c});")

    def text(self):
        self.lines = []
        self.put(f"static void {self.name()}(lab_region *t)", 0)
        self.put("{", 0)
        self.put("const ptrdiff_t width = t->width, height = t->height;")
        if any(dy for step in self.scheme.steps for _, _, dy in step.exchange.reads()):
            self.put("const ptrdiff_t down = t->stride;")
        for sweep in list_sweeps(self.scheme):
            self.put_sweep(sweep)
        self.put("}", 0)
        return "\n".join(self.lines) + "\n"

    def row(self):
        """An entry of the table at the end of the file."""
        low, high = self.scheme.wavelet.scale
        gains = [low * low, low * high, low * high, high * high]
        if self.scheme.inverse:
            gains = [1 / gain for gain in gains]
        text = ", ".join(f"{float(gain)!r}f" for gain in gains)
        scheme = self.scheme
        counts = count(scheme)
        reach = ", ".join(map(str, scheme.reach()))
        return (f'    {{"{self.name()}", "{scheme.wavelet.key}", "{scheme.name}", {int(scheme.inverse)}, {int(self.integers)}, '
                f'{counts.operations}, {counts.barriers}, '
                f'{{{reach}}}, {{{text}}}, {self.name()}}},')


def place(at):
    dx, dy = at
    text = "" if dy == 0 else f" {'+' if dy > 0 else '-'} {abs(dy)} * down"
    return text + ("" if dx == 0 else f" {'+' if dx > 0 else '-'} {abs(dx)}")


def make_function(wavelet, name, inverse, vertical_first=False, integers=False):
    scheme = Scheme(name, wavelet, inverse, vertical_first)
    if not wavelet.is_symmetric():
        raise ChoiceError(f"{name} of {wavelet.name}: borders are mirrored, and these steps are not symmetric; give a "
                          f"symmetric wavelet")
    if integers:
        check_integers(scheme)
    return Function(scheme, integers)


def head_text():
    texts = []
    for name in HEADS:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def program_text(functions):
    """A whole C file: what all share, the functions, and lab_schemes with their number."""
    rows = "\n".join(function.row() for function in functions)
    return (head_text() + "\n" + "\n".join(function.text() for function in functions) +
            f"\nconst lab_scheme lab_schemes[] = {{\n{rows}\n}};\n"
            f"const unsigned lab_scheme_count = {len(functions)};\n")
