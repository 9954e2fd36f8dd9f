# SPDX-License-Identifier: BSD-2-Clause
"""How a scheme becomes a kernel: who owns which quads, how values travel, and the geometry that follows."""

from schemes import keeps_integers

TYPES = {"f32": "float", "f16x2": "__half2", "i32": "int"}
WARP = 32
PIXEL_LIMIT = 1024  # threads of a thread block


class ChoiceError(Exception):
    """The text says what is wrong and what to do."""


def check_integers(scheme):
    if not keeps_integers(scheme):
        raise ChoiceError(f"{scheme.name} of {scheme.wavelet.name}: integers come out as the standard's only from sep_lifting "
                          f"with --vertical-first of a reversible wavelet; choose f32")


class Choices:
    """group     threads of a thread block, x and y
    quads     of a thread, x and y (mapping region)
    mapping   region: a thread owns its quads from load to store, halo included; tile: threads are dealt out again over
              the tile and its halo
    exchange  shared: shared memory and barriers of the thread block; warp: steps that stay inside a warp wait for the
              warp alone; shuffle: those steps use shuffles and no memory
    buffers   1: a block of shared memory is used again at once, two barriers a step; 2: one barrier a step
    type      f32; f16x2: two neighbouring tiles in the halves of a register; i32: reversible
    memory    global, or none: arithmetic alone (the thesis' memory-less mode)
    access    values: each value by itself; pairs: away from borders two neighbouring pixels at a time, and bands in planes;
              vectors: four pixels of two quads at a time, and two values of each band; streams: the same, and what is
              stored leaves the caches first
    levels    of the transform in one launch. A thread block does all of them for its tile of the last one (of an inverse: of
              the first one) with the margins that it needs; low bands stay in shared memory
    align     quads that the width of a tile is a multiple of. Then rows of a tile begin and end where sectors of memory
              do: 8 quads are 32 bytes of a band. The halo to the left becomes a multiple of half of it
    """

    DEFAULTS = {"group": (32, 8), "quads": (1, 1), "mapping": "region", "exchange": "shared", "buffers": 2,
                "type": "f32", "memory": "global", "access": "values", "align": 1, "levels": 1}
    WORDS = {"mapping": ("region", "tile"), "exchange": ("shared", "warp", "shuffle"), "buffers": (1, 2),
             "type": tuple(TYPES), "memory": ("global", "none"), "access": ("values", "pairs", "vectors", "streams"), "align": (1, 2, 4, 8),
             "levels": (1, 2, 3, 4, 5)}

    def __init__(self, **given):
        for field in given:
            if field not in self.DEFAULTS:
                raise ChoiceError(f"'{field}' is no choice; give one of: {' '.join(self.DEFAULTS)}")
        for field, value in self.DEFAULTS.items():
            setattr(self, field, given.get(field, value))
        for field, words in self.WORDS.items():
            if getattr(self, field) not in words:
                raise ChoiceError(f"{field} {getattr(self, field)}: give one of {', '.join(map(str, words))}")
        self.check()

    def check(self):
        threads = self.threads()
        if min(self.group + self.quads) < 1 or threads > PIXEL_LIMIT or threads % WARP:
            raise ChoiceError(f"group {self.group[0]}x{self.group[1]}: give a multiple of 32 threads, at most 1024")
        if self.exchange != "shared" and (self.group[0] != WARP or self.mapping != "region"):
            raise ChoiceError(f"exchange {self.exchange} needs groups 32 threads wide and mapping region")
        if self.access != "values" and (self.type == "f16x2" or self.memory == "none"):
            raise ChoiceError(f"access {self.access} is for values of 32 bits in memory; choose access values")
        if self.is_by_vectors() and (self.quads[0] % 2 or self.align < 4):
            raise ChoiceError(f"access {self.access} takes two quads at a time; give an even number of quads in x, and align 4 or 8")
        if self.levels > 1 and (self.type == "f16x2" or self.memory == "none"):
            raise ChoiceError("several levels in one launch need values of 32 bits in memory; choose f32 or i32 and memory global")
        if self.align > 1 and self.mapping == "tile":
            raise ChoiceError("mapping tile has the width of the group; leave align at 1")
        if self.mapping == "tile" and self.quads != (1, 1):
            raise ChoiceError("mapping tile deals quads out by itself; leave quads at 1x1")

    def threads(self):
        return self.group[0] * self.group[1]

    def is_by_vectors(self):
        return self.access in ("vectors", "streams")

    def pad(self, reach):
        """The halo (left, right, above, below) of a scheme with this reach."""
        step = max(self.align // 2, 1)
        return (-(-reach[0] // step) * step,) + tuple(reach[1:])

    def name(self):
        """A part of the kernel's name; the same choices have the same name."""
        words = [f"g{self.group[0]}x{self.group[1]}", f"q{self.quads[0]}x{self.quads[1]}", self.mapping, self.exchange,
                 f"b{self.buffers}", self.type]
        words += [f"a{self.align}"] if self.align > 1 else []
        words += [f"l{self.levels}"] if self.levels > 1 else []
        words += ["none"] if self.memory == "none" else [self.access] if self.access != "values" else []
        return "_".join(words)


class RegionMap:
    """A thread owns a rectangle of quads. Slot k is quad (k % qx, k / qx) of it."""

    def __init__(self, choices, reach):
        self.group, self.quads = choices.group, choices.quads
        self.region = (self.group[0] * self.quads[0], self.group[1] * self.quads[1])
        width = self.region[0] - reach[0] - reach[1]
        self.tile = (width - width % choices.align, self.region[1] - reach[2] - reach[3])
        self.slots = self.quads[0] * self.quads[1]
        self.cell = choices.threads()  # values of one cell: one a thread
        if min(self.tile) < 1:
            raise ChoiceError(f"a group of {self.group[0]}x{self.group[1]} threads with {self.quads[0]}x{self.quads[1]} "
                              f"quads is no larger than the halo; give more threads or quads")

    def resolve(self, k, dx, dy):
        """The slot that holds the neighbour, and the distance of its thread."""
        x, y = k % self.quads[0] + dx, k // self.quads[0] + dy
        if self.group[1] == 1:
            y = min(max(y, 0), self.quads[1] - 1)  # nobody above or below: a value of the halo, which is not kept
        return (x % self.quads[0] + self.quads[0] * (y % self.quads[1]), x // self.quads[0], y // self.quads[1])

    def item(self, component, slot):
        return (component, slot)

    def slots_of(self, item):
        return [item[1]]

    def address(self, slot, ox, oy):
        """From the thread's own place in the cell."""
        del slot
        return ox + oy * self.group[0]

    def place(self, k):
        """Where in the region a slot lies, as C expressions of tx and ty."""
        qx, qy = self.quads
        return (f"{qx} * tx + {k % qx}" if qx > 1 else "tx", f"{qy} * ty + {k // qx}" if qy > 1 else "ty")

    def guard(self, k):
        del k
        return None


class TileMap:
    """The tile is as large as the group; threads take quads of tile and halo in turn. Slot k is quad k * threads + tid."""

    def __init__(self, choices, reach):
        self.group, self.tile = choices.group, choices.group
        self.region = (self.tile[0] + reach[0] + reach[1], self.tile[1] + reach[2] + reach[3])
        self.threads = choices.threads()
        self.count = self.region[0] * self.region[1]
        self.slots = -(-self.count // self.threads)
        self.cell = self.slots * self.threads

    def resolve(self, k, dx, dy):
        return (k, dx, dy)

    def item(self, component, slot):
        del slot
        return (component, 0)

    def slots_of(self, item):
        del item
        return list(range(self.slots))

    def address(self, slot, ox, oy):
        return slot * self.threads + ox + oy * self.region[0]

    def place(self, k):
        at = f"(tid + {k * self.threads})" if k else "tid"
        return (f"{at} % {self.region[0]}", f"{at} / {self.region[0]}")

    def guard(self, k):
        """A condition for quads that exist."""
        return f"tid + {k * self.threads} < {self.count}" if (k + 1) * self.threads > self.count else None


def make_map(choices, reach):
    return (RegionMap if choices.mapping == "region" else TileMap)(choices, reach)
