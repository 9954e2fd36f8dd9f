# SPDX-License-Identifier: BSD-2-Clause
"""What one thread of a kernel does: stores, barriers, loads and arithmetic, step by step, and which cell of shared memory
holds what.

A cell holds one value of each thread. An item is what is stored as one: a component of a slot (mapping region) or of all
slots (tile). A load is a key (component, slot, ox, oy): the slot of the thread ox to the right and oy below.

Barriers follow from hazards alone: a thread may not overwrite a cell that another one may still read, nor read one that
may not be written yet. With one buffer, cells are used again at once, so that both happen in most steps; with two, a cell
rests until the next barrier.
"""

NO_SYNC, WARP_SYNC, BLOCK_SYNC = range(3)


class Load:
    def __init__(self, key, sync, by_shuffle):
        self.key, self.sync, self.by_shuffle, self.cell = key, sync, by_shuffle, None


class Phase:
    """One step: sync before the stores, stores [(item, cell)], sync before the loads, loads, matrices."""

    def __init__(self, step):
        self.step, self.stores, self.loads = step, [], []
        self.sync_before, self.sync_between = NO_SYNC, NO_SYNC


class Program:
    def __init__(self, scheme, choices, mapping):
        self.scheme, self.choices, self.mapping = scheme, choices, mapping
        self.phases = self.list_phases()
        self.cells = self.place_cells()

    # ---- Which values travel ----

    def how(self, key):
        """How a thread gets a value of another one."""
        inside = key[3] == 0
        if inside and self.choices.exchange == "shuffle":
            return Load(key, NO_SYNC, True)
        return Load(key, WARP_SYNC if inside and self.choices.exchange == "warp" else BLOCK_SYNC, False)

    def keys(self, step):
        found = set()
        for component, dx, dy in step.exchange.reads():
            for k in range(self.mapping.slots):
                slot, ox, oy = self.mapping.resolve(k, dx, dy)
                if (ox, oy) != (0, 0):
                    found.add((component, slot, ox, oy))
        return sorted(found)

    def list_phases(self):
        stored, kept, phases = set(), set(), []

        def forget(matrix):
            for held in (stored, kept):
                held.difference_update({h for h in held if matrix.changes(h[0])})

        for step in self.scheme.steps:
            phase = Phase(step)
            for matrix in step.before:
                forget(matrix)
            phase.loads = [self.how(key) for key in self.keys(step) if key not in kept]
            kept.update(load.key for load in phase.loads)
            wanted = {self.mapping.item(*load.key[:2]) for load in phase.loads if not load.by_shuffle}
            phase.stores = [[item, None] for item in sorted(wanted - stored)]
            stored.update(wanted)
            for matrix in [step.exchange] + step.after:
                forget(matrix)
            phases.append(phase)
        return phases

    # ---- Where they lie ----

    def last_loads(self):
        """(phase of the store, item) to the last phase that loads it."""
        last, begun = {}, {}
        for s, phase in enumerate(self.phases):
            for item, _ in phase.stores:
                begun[item] = s
                last[s, item] = s
            for load in phase.loads:
                if not load.by_shuffle:
                    item = self.mapping.item(*load.key[:2])
                    last[begun[item], item] = s
        return last

    def place_cells(self):
        """Gives cells and barriers. Returns the number of cells."""
        last = self.last_loads()
        cells = Cells(self.choices.buffers)
        holder = {}  # item: its cell
        for s, phase in enumerate(self.phases):
            cells.begin_phase(s)
            for store in phase.stores:
                store[1] = holder[store[0]] = cells.take(last[s, store[0]])
            phase.sync_before = cells.sync_for_stores([cell for _, cell in phase.stores])
            cells.write([cell for _, cell in phase.stores])
            for load in phase.loads:
                if not load.by_shuffle:
                    load.cell = holder[self.mapping.item(*load.key[:2])]
            in_memory = [load for load in phase.loads if not load.by_shuffle]
            phase.sync_between = cells.sync_for_loads(in_memory)
            cells.read(in_memory)
        return cells.count()

    def syncs(self, kind):
        return sum((phase.sync_before == kind) + (phase.sync_between == kind) for phase in self.phases)


class Cells:
    """Shared memory. Of each cell: until which phase its value is needed; unread, the barrier that must come before it is
    overwritten; unseen, who misses its value: BLOCK_SYNC all others, WARP_SYNC the other warps."""

    def __init__(self, buffers):
        self.buffers, self.phase = buffers, 0
        self.needed_until, self.unread, self.unseen = [], [], []

    def count(self):
        return len(self.needed_until)

    def begin_phase(self, phase):
        self.phase = phase

    def take(self, until):
        """A free cell: one that nobody may still read, if there is one or if cells are not to be used again at once."""
        free = [c for c in range(self.count()) if self.needed_until[c] < self.phase]
        rested = [c for c in free if self.unread[c] == NO_SYNC]
        choice = rested or (free if self.buffers == 1 else [])
        if not choice:
            self.needed_until.append(until)
            self.unread.append(NO_SYNC)
            self.unseen.append(NO_SYNC)
            return self.count() - 1
        self.needed_until[choice[0]] = until
        return choice[0]

    def sync(self, kind):
        """A barrier: what it covers is no longer pending."""
        if kind == BLOCK_SYNC:
            self.unread = [NO_SYNC] * self.count()
            self.unseen = [NO_SYNC] * self.count()
        elif kind == WARP_SYNC:
            self.unread = [NO_SYNC if left == WARP_SYNC else left for left in self.unread]
            self.unseen = [WARP_SYNC if left == BLOCK_SYNC else left for left in self.unseen]
        return kind

    def sync_for_stores(self, cells):
        return self.sync(max([self.unread[c] for c in cells], default=NO_SYNC))

    def write(self, cells):
        for c in cells:
            self.unseen[c] = BLOCK_SYNC

    def sync_for_loads(self, loads):
        """A warp misses what it wrote since its last barrier; others miss it until the next barrier of the block."""
        missed = [load.sync for load in loads if self.unseen[load.cell] == BLOCK_SYNC or
                  (self.unseen[load.cell] == WARP_SYNC and load.sync == BLOCK_SYNC)]
        return self.sync(max(missed, default=NO_SYNC))

    def read(self, loads):
        for load in loads:
            self.unread[load.cell] = max(self.unread[load.cell], load.sync)
