# SPDX-License-Identifier: BSD-2-Clause
"""What a scheme costs, for one quad a thread and local memory, by the rules that the thesis' tables follow.

operations   non-zero terms of all matrices; a diagonal 1 is none. Scaling is left out.
barriers     one before each step that reads neighbours.
loads        neighbours' values that a step reads, but those read in an earlier step and unchanged since.
stores       components that a neighbour will read and whose value is not yet in local memory.
single       blocks of local memory (one value a thread) with two barriers a step: most blocks alive in one step.
double       with one barrier a step: alive blocks, and those written before the next step.

As passes of a graphics pipeline nothing is kept between steps: a pass reads all values that it needs, its own too, and writes
those that it changed. What a step does inside the quad before its exchange belongs to the pass before; in the first one it is
multiplied into the exchange.
"""
from laurent import COMPONENTS, HERE, product


class Counts:
    FIELDS = ("barriers", "operations", "loads", "stores", "single", "double")

    def __init__(self, *values):
        for field, value in zip(self.FIELDS, values):
            setattr(self, field, value)

    def values(self):
        return tuple(getattr(self, field) for field in self.FIELDS)


def operations(matrix):
    terms = sum(len(p.terms) for row in matrix.rows for p in row)
    return terms - sum(matrix.rows[c][c].terms.get(HERE) == 1 for c in range(4))


class Exchange:
    """Of one step: loads [(component, dx, dy)] that must be done, and stores [component] before them."""

    def __init__(self, loads, stores, reads):
        self.loads, self.stores, self.reads = loads, stores, reads


def plan_exchanges(scheme, keep_loads=True):
    """What each step loads and stores. keep_loads: a value of a neighbour stays in a register while it is valid."""
    stored, kept, plan = set(), set(), []

    def forget(matrix):
        for c in range(len(COMPONENTS)):
            if matrix.changes(c):
                stored.discard(c)
                kept.difference_update({read for read in kept if read[0] == c})

    for step in scheme.steps:
        for matrix in step.before:
            forget(matrix)
        reads = step.exchange.reads()
        loads = [read for read in reads if read not in kept]
        stores = sorted({read[0] for read in loads} - stored)
        plan.append(Exchange(loads, stores, reads))
        stored.update(stores)
        if keep_loads:
            kept.update(reads)
        for matrix in [step.exchange] + step.after:
            forget(matrix)
    return plan


def lifetimes(plan):
    """(component, step of the store, step of the last load) of each block."""
    blocks, open_blocks = [], {}
    for s, exchange in enumerate(plan):
        for c in exchange.stores:
            open_blocks[c] = len(blocks)
            blocks.append([c, s, s])
        for c, _, _ in exchange.loads:
            blocks[open_blocks[c]][2] = s
    return [tuple(block) for block in blocks]


def count(scheme):
    plan = plan_exchanges(scheme)
    blocks = lifetimes(plan)
    alive = [sum(begin <= s <= end for _, begin, end in blocks) for s in range(len(plan))]
    written = [len(exchange.stores) for exchange in plan] + [0]
    return Counts(sum(bool(exchange.reads) for exchange in plan), sum(operations(m) for m in scheme.factors()),
                  sum(len(exchange.loads) for exchange in plan), sum(len(exchange.stores) for exchange in plan),
                  max(alive), max(a + w for a, w in zip(alive, written[1:])))


class Passes:
    FIELDS = ("passes", "operations", "reads", "writes")

    def __init__(self, scheme):
        passes, work = [], 0
        for s, step in enumerate(scheme.steps):
            following = scheme.steps[s + 1].before if s + 1 < len(scheme.steps) else []
            first = product([*step.before, step.exchange]) if s == 0 else step.exchange
            factors = [first, *step.after, *following]
            work += sum(operations(m) for m in factors)
            passes.append(product(factors))
        changed = [[row for row in range(len(COMPONENTS)) if whole.changes(row)] for whole in passes]
        reads = [{(c, at) for row in rows for c in range(len(COMPONENTS)) for at in whole.rows[row][c].terms}
                 for whole, rows in zip(passes, changed)]
        self.passes, self.operations = len(passes), work
        self.reads, self.writes = sum(map(len, reads)), sum(map(len, changed))

    def values(self):
        return tuple(getattr(self, field) for field in self.FIELDS)
