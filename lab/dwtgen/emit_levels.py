# SPDX-License-Identifier: BSD-2-Clause
"""A kernel of several levels: each level is done in parts, as a kernel of one level does its tile. What a level leaves for
the next one lies in shared memory, with the margins that the levels after it need."""
from choices import TYPES, ChoiceError
from emit_cuda import LOW, Kernel

DYNAMIC_BYTES = 227 << 10  # of shared memory that a launch may ask for


class Span:
    """One direction. Level k (from 1) does count[k] quads; forward they begin at 2 (begin - left) of the level after it, in an
    inverse at (begin - left) >> 1 of the level before it."""

    def __init__(self, levels, inverse, tile, left, right, align):
        self.levels, self.inverse, self.tile, self.left, self.right = levels, inverse, tile, left, right
        most = tile << (levels - 1)
        self.count = next((count for count in map(self.counts, range(most - most % align, 0, -align)) if self.fits(count)), None)

    def counts(self, own):
        """Quads of each level if the thread block gives `own` quads of the last level, or pixels of `own` quads of the first."""
        count = {self.levels if not self.inverse else 1: own}
        if self.inverse:
            for k in range(2, self.levels + 1):
                count[k] = (count[k - 1] + self.left + self.right + 1) // 2 + 1
        else:
            for k in range(self.levels - 1, 0, -1):
                count[k] = 2 * (count[k + 1] + self.left + self.right)
        return count

    def fits(self, count):
        """Level k takes half as many parts as the level before it."""
        return all(count[k] <= self.tile << (self.levels - k) for k in count)

    def parts(self, k):
        return -(-self.count[k] // self.tile)

    def window(self, k):
        """Values that level k leaves for the next one that is done."""
        return 2 * self.count[k] if self.inverse else self.count[k]

    def own(self):
        """Quads of the first level that the thread block gives."""
        return self.count[1] if self.inverse else self.count[self.levels] << (self.levels - 1)


class LevelKernel(Kernel):
    def __init__(self, scheme, choices):
        super().__init__(scheme, choices)
        left, right, above, below = self.reach
        self.spans = [Span(choices.levels, scheme.inverse, self.mapping.tile[0], left, right, max(choices.align, 1)),
                      Span(choices.levels, scheme.inverse, self.mapping.tile[1], above, below, 1)]
        if None in (self.spans[0].count, self.spans[1].count):
            raise ChoiceError(f"{self.name()}: the tile is smaller than the margins of {choices.levels} levels; give more threads or quads, "
                              f"or fewer levels")
        self.check_shared(self.all_values(), DYNAMIC_BYTES)

    def most_bytes(self):
        return DYNAMIC_BYTES

    def order(self):
        """Levels in the order in which they are done."""
        levels = range(1, self.choices.levels + 1)
        return list(reversed(levels)) if self.scheme.inverse else list(levels)

    def room(self, k):
        """Where the window of level k begins in shared memory: levels take two rooms in turn."""
        sizes = [[self.spans[0].window(i) * self.spans[1].window(i) for i in self.order()[:-1] if i % 2 == odd] for odd in (0, 1)]
        begin = -(-self.shared_values() // 4) * 4
        return begin + (max(sizes[0], default=0) if k % 2 else 0), begin + sum(max(s, default=0) for s in sizes)

    def all_values(self):
        return self.room(1)[1]

    def shared_bytes(self):
        return 4 * self.all_values()

    def tile_of_block(self):
        return tuple(span.own() for span in self.spans)

    # ---- One part ----

    def put_part_head(self):
        self.put("template <bool IS_FIRST, bool IS_LAST>", 0)
        self.put(f"static __device__ __forceinline__ void {self.name()}_part(const lab_args &a, const lab_part<{TYPES[self.choices.type]}> &p, "
                 f"{TYPES[self.choices.type]} *shared)", 0)
        self.put("{", 0)
        self.put(f"typedef {TYPES[self.choices.type]} T;")
        self.put("const lab_tile tile = p.tile;")
        self.put_places()
        self.put("(void)a, (void)shared, (void)tile;")

    def put_loads(self):
        self.put_quads()
        for k in range(self.mapping.slots):
            self.put(f"T {', '.join(self.value(c, k) for c in range(4))};")
        if self.scheme.inverse:
            for c, k, text in self.loads_of_values("lab_look_band<T, {c}, IS_FIRST>(p, x{k}, y{k})"):
                self.put(f"{self.value(c, k)} = {text};")
            return
        self.put("if constexpr (IS_FIRST) {")
        if self.choices.access != "values":
            self.put_branches_of_pairs()
        else:
            for c, k, text in self.loads_of_values():
                self.put(f"{self.value(c, k)} = {text};", 2)
        self.put("} else {")
        for c, k, text in self.loads_of_values("lab_look_pixel<T, {c}>(p, x{k}, y{k})"):
            self.put(f"{self.value(c, k)} = {text};", 2)
        self.put("}")

    def put_stores(self):
        tx, ty = self.mapping.tile
        if self.scheme.inverse and self.choices.access != "values":
            self.put(f"if (IS_LAST && {self.condition('out')} && lab_is_inner(a, tile, 0, 0, {tx}, {ty}) && lab_is_own(p, 0, 0) && "
                     f"lab_is_own(p, {tx - 1}, {ty - 1})) {{")
            self.put_stores_of_slots(2, True)
            self.put("    return;")
            self.put("}")
        call = "lab_give_pixel<T, {c}, IS_LAST>(a, p, " if self.scheme.inverse else "lab_give_band<T, {c}, IS_LAST>(p, "
        for k in range(self.mapping.slots):
            guard = self.mapping.guard(k)
            self.put(f"if ({guard + ' && ' if guard else ''}lab_inside(x{k}, y{k}, {tx}, {ty})) {{")
            for c in range(4):
                self.put(f"{call.format(c=c)}x{k}, y{k}, {self.scaled(c, k)});", 2)
            self.put("}")

    # ---- All of them ----

    def put_begins(self):
        """The first quad of each level: bx_k, by_k."""
        own, levels = [span.own() for span in self.spans], self.choices.levels
        if self.scheme.inverse:
            self.put(f"const lab_tile tile = lab_place(a, {own[0]}, {own[1]}, 1);")
        else:
            self.put(f"const lab_tile tile = lab_place(a, {self.spans[0].count[levels]}, {self.spans[1].count[levels]}, 1);")
        last = None
        for k in reversed(self.order()):
            for at, span in zip("xy", self.spans):
                before = f"b{at}_{last}"
                text = f"tile.{at}" if last is None else f"({before} - {span.left}) >> 1" if self.scheme.inverse else f"2 * ({before} - {span.left})"
                self.put(f"const int b{at}_{k} = {text};")
            last = k

    def window_text(self, k):
        if k is None or not 1 <= k <= self.choices.levels:
            return "{nullptr, 0, 0, 0, 0}"
        step = "2 * " if self.scheme.inverse else ""
        return f"{{shared + {self.room(k)[0]}, {step}bx_{k}, {step}by_{k}, {self.spans[0].window(k)}, {self.spans[1].window(k)}}}"

    def put_level(self, k):
        order, levels = self.order(), self.choices.levels
        is_first, is_last = k == order[0], k == order[-1]
        before = None if is_first else order[order.index(k) - 1]
        bands = f"a.deeper[{k - 2}]" if k > 1 else "a.in" if self.scheme.inverse else "a.out"
        own = ", ".join(f"tile.{at}" if self.scheme.inverse else f"tile.{at} * {1 << (levels - k)}" for at in "xy")
        shift = 0 if self.scheme.inverse else levels - k
        counts = [span.count[1] if self.scheme.inverse else span.count[levels] << shift for span in self.spans]
        nx, ny = (span.parts(k) for span in self.spans)
        tx, ty = self.mapping.tile
        self.put(f"// Level {k}.")
        if nx * ny > 1:
            self.put(f"for (int i = 0; i < {nx * ny}; i++) {{")
        else:
            self.put("{")
        x = f"bx_{k}" + (f" + i % {nx} * {tx}" if nx > 1 else "")
        y = f"by_{k}" + (f" + i / {nx} * {ty}" if ny > 1 else "")
        self.put(f"const lab_part<T> p = {{{{{x}, {y}, 0}}, lab_side(a.width, {k}), lab_side(a.height, {k}), {bands},", 2)
        to = "{nullptr, 0, 0, 0, 0}" if is_last else self.window_text(k)
        self.put(f"                       {self.window_text(before)}, {to}, {own}, {counts[0]}, {counts[1]}}};", 2)
        self.put(f"{self.name()}_part<{str(is_first).lower()}, {str(is_last).lower()}>(a, p, shared);", 2)
        self.put("__syncthreads();", 2)
        self.put("}")

    def text(self):
        self.lines = []
        self.version = [[0] * self.mapping.slots for _ in LOW]
        self.put_part_head()
        self.put_loads()
        for number, phase in enumerate(self.program.phases, 1):
            self.put_phase(number, phase)
        self.put_stores()
        self.put("}", 0)
        self.put(f'extern "C" __global__ void __launch_bounds__({self.choices.threads()}) {self.name()}(const lab_args a)', 0)
        self.put("{", 0)
        self.put(f"typedef {TYPES[self.choices.type]} T;")
        self.put("LAB_DYNAMIC(T, shared);")
        self.put_begins()
        for k in self.order():
            self.put_level(k)
        self.put("}", 0)
        return "\n".join(self.lines) + "\n"
