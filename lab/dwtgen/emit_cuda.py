# SPDX-License-Identifier: BSD-2-Clause
"""A kernel as CUDA C++ text. Values of a thread are constants of their own (`hl0_3`: HL of slot 0, third value)."""
import os

from choices import TYPES, ChoiceError, check_integers, make_map
from laurent import COMPONENTS, HERE
from program import BLOCK_SYNC, NO_SYNC, Program

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEADS = ("prelude.cuh", "levels.cuh")
SYNCS = {1: "__syncwarp();", BLOCK_SYNC: "__syncthreads();"}
SHARED_BYTES = 48 << 10  # what a kernel may declare
LOW = [c.lower() for c in COMPONENTS]


# Schemes that lose 4e-3 of the range or nearly that in half floats, measured on noise; None: all of them.
HALF_LOSES = {("cdf97", False): ("polyphase", "monolithic", "implosion", "explosion", "sep_polyconvolution_y"), ("cdf97", True): None,
              ("dd137", True): ("monolithic", "kula_2016", "implosion")}


def half_loses(scheme):
    names = HALF_LOSES.get((scheme.wavelet.key, scheme.inverse), ())
    return names is None or scheme.name in names


def literal(value):
    return f"{float(value)!r}f"


def check_kernel(scheme, choices):
    name = f"{scheme.name} of {scheme.wavelet.name}"
    if not scheme.wavelet.is_symmetric():
        raise ChoiceError(f"{name}: kernels mirror at borders, and these steps are not symmetric; give a symmetric wavelet")
    if choices.type == "i32":
        check_integers(scheme)
    if choices.type == "f16x2" and half_loses(scheme):
        raise ChoiceError(f"{name}: half floats lose more than 4e-3 of the range here; choose f32")


class Kernel:
    def __init__(self, scheme, choices):
        self.scheme, self.choices = scheme, choices
        check_kernel(scheme, choices)
        self.reach = choices.pad(scheme.reach())
        self.mapping = make_map(choices, self.reach)
        self.program = Program(scheme, choices, self.mapping)
        self.version = [[0] * self.mapping.slots for _ in COMPONENTS]
        self.lines = []
        self.check_shared(self.shared_values(), self.most_bytes())

    def most_bytes(self):
        return SHARED_BYTES

    def check_shared(self, values, most):
        if 4 * values > most:
            raise ChoiceError(f"{self.scheme.name} of {self.scheme.wavelet.name}: needs {4 * values} bytes of shared memory, "
                              f"{most} are the most; give fewer threads or quads, or one buffer")

    def shared_bytes(self):
        return 4 * self.shared_values()

    def tile_of_block(self):
        """Quads of the first level that a thread block gives."""
        return self.mapping.tile

    def name(self):
        words = ["lab", self.scheme.wavelet.key, self.scheme.name, "inverse" if self.scheme.inverse else "forward"]
        return "_".join(words + (["vertical"] if self.scheme.vertical_first else []) + [self.choices.name()])

    def put(self, text, depth=1):
        self.lines.append("    " * depth + text)

    # ---- Values ----

    def value(self, component, k):
        return f"{LOW[component]}{k}_{self.version[component][k]}"

    def loaded(self, key):
        component, slot, ox, oy = key
        return f"{LOW[component]}{slot}_{self.version[component][slot]}_at_{signed(ox)}_{signed(oy)}"

    def operand(self, component, k, at):
        """A value that a step reads, before the step changes it."""
        slot, ox, oy = self.mapping.resolve(k, *at)
        if (ox, oy) == (0, 0):
            return self.value(component, slot)
        return self.loaded((component, slot, ox, oy))

    def sum_of(self, row, k, matrix):
        """The new value of a component: a chain of fused multiply-adds in a fixed order."""
        terms = [(c, at, v) for c in range(4) for at, v in sorted(matrix.rows[row][c].terms.items())]
        whole = next((t for t in terms if t[:2] == (row, HERE) and t[2] == 1), None)
        if self.choices.type == "i32":
            return self.integer_sum(row, k, [t for t in terms if t is not whole])
        if whole:
            terms.remove(whole)
            text = self.value(row, k)
        else:
            c, at, v = terms.pop(0)
            text = f"lab_mul({literal(v)}, {self.operand(c, k, at)})"
        for c, at, v in terms:
            text = f"lab_fma({literal(v)}, {self.operand(c, k, at)}, {text})"
        return text

    def integer_sum(self, row, k, terms):
        """Adds floor(sum + 1/2); the inverse takes away what the forward step added, with its rounding."""
        sign, factor = ("-", -1) if self.scheme.inverse else ("+", 1)
        shift = max(t[2].denominator for t in terms).bit_length() - 1
        parts = [f"{int(factor * v * 2 ** shift)} * {self.operand(c, k, at)}" for c, at, v in terms]
        half = 2 ** shift // 2
        return f"{self.value(row, k)} {sign} (({' + '.join(parts)} + {half}) >> {shift})"

    def put_matrix(self, matrix):
        changed = [r for r in range(4) if matrix.changes(r)]
        sums = [(r, k, self.sum_of(r, k, matrix)) for k in range(self.mapping.slots) for r in changed]
        for r in changed:
            for k in range(self.mapping.slots):
                self.version[r][k] += 1
        for r, k, text in sums:
            self.put(f"const T {self.value(r, k)} = {text};")

    # ---- Exchange ----

    def put_phase(self, number, phase):
        self.put(f"// Step {number}.")
        for matrix in phase.step.before:
            self.put_matrix(matrix)
        if phase.sync_before != NO_SYNC:
            self.put(SYNCS[phase.sync_before])
        for item, cell in phase.stores:
            for k in self.mapping.slots_of(item):
                self.put(f"shared[{self.base(cell)} + own{plus(self.mapping.address(k, 0, 0))}] = {self.value(item[0], k)};")
        if phase.sync_between != NO_SYNC:
            self.put(SYNCS[phase.sync_between])
        for load in phase.loads:
            self.put_load(load)
        self.put_matrix(phase.step.exchange)
        for matrix in phase.step.after:
            self.put_matrix(matrix)

    def put_load(self, load):
        component, slot, ox, oy = load.key
        if load.by_shuffle:
            call = "__shfl_down_sync" if ox > 0 else "__shfl_up_sync"
            text = f"{call}(~0u, {self.value(component, slot)}, {abs(ox)})"
        elif load.sync == BLOCK_SYNC:
            text = f"shared[{self.base(load.cell)} + own{plus(self.mapping.address(slot, ox, oy))}]"
        else:
            text = f"shared[{self.base(load.cell)} + {own_of_lane(ox)}]"
        self.put(f"const T {self.loaded(load.key)} = {text};")

    def base(self, cell):
        """Cells stand apart, so that a read beyond the region finds no cell that somebody writes."""
        return self.pad() + cell * (self.mapping.cell + self.pad())

    def pad(self):
        return max([abs(self.mapping.address(0, *load.key[2:])) for phase in self.program.phases for load in phase.loads
                    if not load.by_shuffle and load.sync == BLOCK_SYNC], default=0)

    def shared_values(self):
        return self.pad() + self.program.cells * (self.mapping.cell + self.pad()) if self.program.cells else 0

    # ---- Text ----

    def put_head(self):
        self.put(f'extern "C" __global__ void __launch_bounds__({self.choices.threads()}) {self.name()}(const lab_args a)', 0)
        self.put("{", 0)
        self.put(f"typedef {TYPES[self.choices.type]} T;")
        if self.shared_values():
            self.put(f"LAB_SHARED(T, shared, {self.shared_values()});")
        self.put_places()
        tx, ty = self.mapping.tile
        self.put(f"const lab_tile tile = lab_place(a, {tx}, {ty}, {self.halves()});")

    def put_places(self):
        """Where the thread is."""
        gx = self.choices.group[0]
        self.put("const int tid = threadIdx.x;")
        if self.choices.mapping == "region":
            self.put(f"const int tx = tid % {gx}, ty = tid / {gx};" if self.choices.group[1] > 1 else "const int tx = tid, ty = 0;")
        if self.shared_values():
            self.put("const int own = tid;")
        for ox in sorted({load.key[2] for phase in self.program.phases for load in phase.loads if load.sync == 1}):
            self.put(f"const int {own_of_lane(ox)} = ty * {gx} + min(max(tx + {ox}, 0), {gx - 1});")

    def halves(self):
        return 2 if self.choices.type == "f16x2" else 1

    def put_quads(self):
        """Quads of the thread, counted from the first one of the tile."""
        left, _, above, _ = self.reach
        for k in range(self.mapping.slots):
            x, y = self.mapping.place(k)
            self.put(f"const int x{k} = {x} - {left}, y{k} = {y} - {above};")

    def put_loads(self):
        self.put_quads()
        if self.choices.access != "values":
            for k in range(self.mapping.slots):
                self.put(f"T {', '.join(self.value(c, k) for c in range(4))};")
            self.put_branches_of_pairs()
        else:
            for c, k, text in self.loads_of_values():
                self.put(f"const T {self.value(c, k)} = {text};")

    def loads_of_values(self, form=None):
        """(component, slot, expression), with borders. form: of the expression, with {c} and {k}."""
        call = "lab_make" if self.choices.memory == "none" else "lab_load"
        kind = "lab_bands" if self.scheme.inverse else "lab_pixels"
        form = form or call + "<T, " + kind + ", {c}>(a, tile, x{k}, y{k})"
        for k in range(self.mapping.slots):
            for c in range(4):
                text = form.format(c=c, k=k)
                if self.scheme.inverse and self.gain(c) != 1:
                    text = f"lab_mul({literal(self.gain(c))}, {text})"
                yield c, k, text

    def put_branches_of_pairs(self):
        left, _, above, _ = self.reach
        kind = "bands" if self.scheme.inverse else "pixels"
        self.put(f"if ({self.condition('in')} && lab_is_inner(a, tile, -{left}, -{above}, {self.mapping.region[0]}, {self.mapping.region[1]})) {{")
        for k in range(0, self.mapping.slots, self.quads_of_access()):
            guard, ks = self.mapping.guard(k), range(k, k + self.quads_of_access())
            values = ", ".join(self.value(c, i) for i in ks for c in range(4))
            self.put(f"{f'if ({guard}) ' if guard else ''}lab_take_{kind}(a, tile, x{k}, y{k}, {values});", 2)
            for c, i in ((c, i) for i in ks for c in range(4)):
                if self.scheme.inverse and self.gain(c) != 1:
                    self.put(f"{self.value(c, i)} = lab_mul({literal(self.gain(c))}, {self.value(c, i)});", 2)
        self.put("} else {")
        for c, k, text in self.loads_of_values():
            self.put(f"{self.value(c, k)} = {text};", 2)
        self.put("}")

    def condition(self, side):
        return f"a.is_{side}_paired{' == 2' if self.choices.is_by_vectors() else ''}"

    def quads_of_access(self):
        return 2 if self.choices.is_by_vectors() else 1

    def gain(self, component):
        """Scaling: after the steps of a forward transform, before those of an inverse one."""
        wavelet = self.scheme.wavelet
        low, high = wavelet.scale
        gains = (low * low, low * high, low * high, high * high)
        return 1 / gains[component] if self.scheme.inverse else gains[component]

    def put_stores(self):
        """By pairs: all of a tile in the picture at once, else value by value."""
        if self.choices.access == "values":
            self.put_stores_of_slots(1, False)
            return
        tx, ty = self.mapping.tile
        self.put(f"if ({self.condition('out')} && lab_is_inner(a, tile, 0, 0, {tx}, {ty})) {{")
        self.put_stores_of_slots(2, True)
        self.put("} else {")
        self.put_stores_of_slots(2, False)
        self.put("}")

    def put_stores_of_slots(self, depth, paired):
        tx, ty = self.mapping.tile
        call = "lab_sink" if self.choices.memory == "none" else "lab_store"
        give = f"lab_give_{'pixels' if self.scheme.inverse else 'bands'}"
        if self.choices.is_by_vectors():
            give += f"<{str(self.choices.access == 'streams').lower()}>"
        step = self.quads_of_access() if paired else 1
        for k in range(0, self.mapping.slots, step):
            guard = self.mapping.guard(k)
            values = [self.scaled(c, i) for i in range(k, k + step) for c in range(4)]
            self.put(f"if ({guard + ' && ' if guard else ''}lab_inside(x{k}, y{k}, {tx}, {ty})) {{", depth)
            if paired:
                self.put(f"{give}(a, tile, x{k}, y{k}, {', '.join(values)});", depth + 1)
            else:
                for c in range(4):
                    self.put(f"{call}<T, {c}>(a, tile, x{k}, y{k}, {values[c]});", depth + 1)
            self.put("}", depth)

    def scaled(self, c, k):
        """A result, scaled if the forward transform says so."""
        is_scaled = not self.scheme.inverse and self.gain(c) != 1
        return f"lab_mul({literal(self.gain(c))}, {self.value(c, k)})" if is_scaled else self.value(c, k)

    def text(self):
        self.lines = []
        self.version = [[0] * self.mapping.slots for _ in COMPONENTS]
        self.put_head()
        self.put_loads()
        for number, phase in enumerate(self.program.phases, 1):
            self.put_phase(number, phase)
        self.put_stores()
        self.put("}", 0)
        return "\n".join(self.lines) + "\n"


def signed(n):
    return f"m{-n}" if n < 0 else str(n)


def plus(n):
    return "" if n == 0 else f" + {n}" if n > 0 else f" - {-n}"


def own_of_lane(ox):
    return f"own_{signed(ox)}"


def prelude():
    texts = []
    for name in HEADS:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


def row(kernel):
    """What launches and tests of a kernel need, as a macro call."""
    scheme, choices = kernel.scheme, kernel.choices
    fields = [kernel.name(), scheme.wavelet.key, scheme.name, "INVERSE" if scheme.inverse else "FORWARD",
              choices.type.upper(), choices.threads(), *kernel.tile_of_block(), kernel.halves(), kernel.shared_bytes(),
              int(choices.memory == "none"), choices.levels]
    return f"LAB_ROW({', '.join(map(str, fields))})"
