# SPDX-License-Identifier: BSD-2-Clause
"""Laurent polynomials in two variables with exact coefficients, and 4x4 matrices of them.

A polynomial maps offsets (dx, dy) to fractions. Offsets count quads: (1, 0) is the quad to the right, (0, 1) the quad
below. A matrix acts on the vector (LL, HL, LH, HH) of a quad: entry [row][column] is the filter from the old value of
the column's component to the new value of the row's.
"""
from fractions import Fraction

COMPONENTS = ("LL", "HL", "LH", "HH")
LL, HL, LH, HH = range(4)
HERE = (0, 0)


class Poly:
    """Immutable by convention. Terms of value 0 are never kept."""

    def __init__(self, terms=None):
        self.terms = {at: Fraction(c) for at, c in (terms or {}).items() if c}

    def __eq__(self, other):
        return self.terms == other.terms

    def __bool__(self):
        return bool(self.terms)

    def __add__(self, other):
        sums = dict(self.terms)
        for at, c in other.terms.items():
            sums[at] = sums.get(at, 0) + c
        return Poly(sums)

    def __neg__(self):
        return Poly({at: -c for at, c in self.terms.items()})

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        sums = {}
        for (ax, ay), a in self.terms.items():
            for (bx, by), b in other.terms.items():
                at = (ax + bx, ay + by)
                sums[at] = sums.get(at, 0) + a * b
        return Poly(sums)

    def turned(self):
        """The same filter along the other axis: what the papers mark with a star."""
        return Poly({(y, x): c for (x, y), c in self.terms.items()})

    def inner(self):
        """The term inside the quad, P0 of P."""
        return Poly({at: c for at, c in self.terms.items() if at == HERE})

    def outer(self):
        """All other terms, P1 of P."""
        return Poly({at: c for at, c in self.terms.items() if at != HERE})


ZERO = Poly()
ONE = Poly({HERE: 1})


class Matrix:
    """4x4 polynomials. `Matrix(HL=[(LL, p)])` is the identity with p added at row HL, column LL."""

    def __init__(self, rows=None, **added):
        self.rows = rows or [[ONE if r == c else ZERO for c in range(4)] for r in range(4)]
        for name, entries in added.items():
            row = self.rows[COMPONENTS.index(name)]
            for column, poly in entries:
                row[column] = row[column] + poly

    def __eq__(self, other):
        return self.rows == other.rows

    def __mul__(self, first):
        """What does `first`, then this."""
        return Matrix([[inner_product(row, [first.rows[k][c] for k in range(4)]) for c in range(4)]
                       for row in self.rows])

    def changes(self, row):
        return any(self.rows[row][c] != (ONE if row == c else ZERO) for c in range(4))

    def is_identity(self):
        return not any(self.changes(r) for r in range(4))

    def is_inner(self):
        """No value of a neighbour is needed."""
        return all(at == HERE for r in self.rows for p in r for at in p.terms)

    def reads(self):
        """(component, dx, dy) of neighbours, in a fixed order."""
        found = {(c, dx, dy) for row in self.rows for c, p in enumerate(row) for dx, dy in p.terms}
        return sorted(read for read in found if read[1:] != HERE)

    def turned(self):
        """The transform with rows and columns of the picture exchanged."""
        swap = (LL, LH, HL, HH)
        return Matrix([[self.rows[swap[r]][swap[c]].turned() for c in range(4)] for r in range(4)])

    def flipped(self):
        """The same with even and odd samples exchanged in both directions: LL is HH, HL is LH."""
        return Matrix([[self.rows[3 - r][3 - c] for c in range(4)] for r in range(4)])


def times(a, b):
    """Most entries are 1: that is faster without a product of fractions."""
    if a == ONE:
        return b
    return a if b == ONE else a * b


def inner_product(row, column):
    total = ZERO
    for a, b in zip(row, column):
        if a and b:
            total = total + times(a, b)
    return total


def product(matrices):
    """Of matrices in the order in which they are executed."""
    total = Matrix()
    for matrix in matrices:
        total = matrix * total
    return total
