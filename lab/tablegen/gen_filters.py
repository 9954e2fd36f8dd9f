#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Taps of wavelets with names, for lab/lattice: prints lab/lattice/gen/filters.inc.

  gen_filters.py                  no options, no input; the same bytes on every machine

Everything is computed with 50 digits and rounded once.
Daubechies: spectral factorisation of the half-band polynomial (Daubechies, Ten Lectures on Wavelets, 6.1), all zeros inside the circle.
Symlets: the same polynomial with another choice of zeros. Published tables choose by no one rule, so the choices stand here as bits.
Coiflets: Newton's method on orthonormality and moments (Ten Lectures, 8.2). There are several solutions; five decimals of the published
one are the start.
CDF 9/7: factorisation of the half-band polynomial of degree 3 into its real zero and the pair of complex ones.
"""
import sys
from decimal import Decimal, getcontext
from math import comb

if sys.argv[1:2] in (["--help"], ["-h"]):
    print(__doc__.strip())
    sys.exit()

getcontext().prec = 50
ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)
# Bit i: group i of halfband_zeros() goes outside the circle. From N = 2 on.
SYMLET_CHOICES = [0b0, 0b0, 0b10, 0b1, 0b101, 0b1, 0b1010, 0b110, 0b10101, 0b110, 0b10101, 0b11100, 0b101100, 0b11100, 0b1011001]
COIFLET_STARTS = [
    '-0.07273 0.33790 0.85257 0.38486 -0.07273 -0.01566',
    '0.01639 -0.04146 -0.06737 0.38611 0.81272 0.41701 -0.07649 -0.05943 0.02368 0.00561 -0.00182 -0.00072',
    '-0.00379 0.00778 0.02345 -0.06577 -0.06112 0.40518 0.79378 0.42848 -0.07180 -0.08230 0.03456 0.01588 -0.00901 '
    '-0.00257 0.00112 0.00047 -0.00007 -0.00003',
    '0.00089 -0.00163 -0.00735 0.01607 0.02668 -0.08127 -0.05608 0.41531 0.78224 0.43439 -0.06663 -0.09622 0.03933 '
    '0.02508 -0.01521 -0.00566 0.00375 0.00127 -0.00059 -0.00026 0.00006 0.00003 -0.00000 -0.00000',
    '-0.00021 0.00036 0.00218 -0.00416 -0.01013 0.02341 0.02817 -0.09192 -0.05205 0.42157 0.77429 0.43798 -0.06204 '
    '-0.10556 0.04129 0.03267 -0.01976 -0.00916 0.00676 0.00243 -0.00166 -0.00064 0.00030 0.00014 -0.00004 -0.00002 '
    '0.00000 0.00000 -0.00000 -0.00000',
]


class Complex:
    """A complex number with 50 digits."""

    def __init__(self, re, im=ZERO):
        self.re, self.im = Decimal(re), Decimal(im)

    def __add__(self, o):
        return Complex(self.re + o.re, self.im + o.im)

    def __sub__(self, o):
        return Complex(self.re - o.re, self.im - o.im)

    def __mul__(self, o):
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def __truediv__(self, o):
        n = o.re * o.re + o.im * o.im
        return Complex((self.re * o.re + self.im * o.im) / n, (self.im * o.re - self.re * o.im) / n)

    def sqrt(self):
        size = (self.re * self.re + self.im * self.im).sqrt()
        re = max(ZERO, (size + self.re) / 2).sqrt()
        im = max(ZERO, (size - self.re) / 2).sqrt()
        return Complex(re, -im if self.im < 0 else im)

    def norm(self):
        return self.re * self.re + self.im * self.im


def evaluate(coefs, x):
    value = Complex(0)
    for c in reversed(coefs):
        value = value * x + c
    return value


def find_roots(coefs):
    """Roots of a polynomial with simple roots; coefs from the constant on. Doubles first (Durand and Kerner), then Newton."""
    near = [complex(float(c)) / float(coefs[-1]) for c in coefs]
    degree = len(coefs) - 1
    size = max(abs(c) ** (1 / (degree - i)) for i, c in enumerate(near[:-1]))
    roots = [size * (0.4 + 0.9j) ** k / abs(0.4 + 0.9j) ** k for k in range(degree)]
    for _ in range(300):
        for i, r in enumerate(roots):
            value, product = 0j, 1 + 0j
            for c in reversed(near):
                value = value * r + c
            for k, other in enumerate(roots):
                product *= r - other if k != i else 1
            roots[i] = r - value / product
    exact = [Complex(Decimal(c)) for c in coefs]
    slope = [Complex(Decimal(c) * i) for i, c in enumerate(coefs)][1:]
    polished = []
    for r in roots:
        x = Complex(Decimal(r.real), Decimal(r.imag))
        for _ in range(7):
            x = x - evaluate(exact, x) / evaluate(slope, x)
        polished.append(x)
    return polished


def halfband_zeros(n):
    """Zeros inside the unit circle of the half-band polynomial, real ones alone and complex ones as (z, conjugate)."""
    groups = []
    for y in find_roots([comb(n - 1 + k, k) for k in range(n)]) if n > 1 else []:
        if abs(y.im) < Decimal('1e-30'):
            y = Complex(y.re)
        if y.im < 0:
            continue
        b = Complex(1) - Complex(2) * y  # z + 1/z = 2 - 4y
        z = b + (b * b - Complex(1)).sqrt()
        z = z if z.norm() < 1 else Complex(1) / z
        groups.append([z, Complex(z.re, -z.im)] if y.im > 0 else [Complex(z.re)])
    return sorted(groups, key=lambda g: (float(g[0].norm()), float(g[0].re)))


def multiply(coefs, root):
    """coefs * (z - root)"""
    shifted = [Complex(0)] + coefs
    return [a - b * root for a, b in zip(shifted, coefs + [Complex(0)])]


def build_taps(n, zeros):
    coefs = [Complex(1)]
    for root in zeros:
        coefs = multiply(coefs, root)
    for _ in range(n):
        coefs = multiply(coefs, Complex(-1))
    taps = [c.re for c in reversed(coefs)]
    scale = TWO.sqrt() / sum(taps)
    return [t * scale for t in taps]


def daubechies(n):
    return build_taps(n, [z for group in halfband_zeros(n) for z in group])


def symlet(n):
    zeros = []
    for i, group in enumerate(halfband_zeros(n)):
        outside = SYMLET_CHOICES[n - 2] >> i & 1
        zeros += [Complex(1) / z for z in group] if outside else group
    return build_taps(n, zeros)


def solve(matrix, right):
    """Gauss with pivots."""
    rows = [row + [r] for row, r in zip(matrix, right)]
    count = len(rows)
    for i in range(count):
        best = max(range(i, count), key=lambda k: abs(rows[k][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for k in range(i + 1, count):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    x = [ZERO] * count
    for i in reversed(range(count)):
        x[i] = (rows[i][count] - sum(rows[i][k] * x[k] for k in range(i + 1, count))) / rows[i][i]
    return x


def coiflet_equations(h, k):
    """Residuals and their derivatives: orthonormal, 2k moments of the wavelet vanish, 2k - 1 of the scaling function."""
    m = 6 * k
    middle = 2 * k
    values, slopes = [], []
    for shift in range(0, m, 2):
        values.append(sum(h[i] * h[i + shift] for i in range(m - shift)) - (1 if shift == 0 else 0))
        slopes.append([(h[i + shift] if i + shift < m else 0) + (h[i - shift] if i >= shift else 0) for i in range(m)])
    for p in range(2 * k):
        place = [(Decimal(i - middle) / m) ** p if p else ONE for i in range(m)]
        rows = [([c if i % 2 == 0 else -c for i, c in enumerate(place)], ZERO)]
        rows.append((place, TWO.sqrt() if p == 0 else ZERO))
        for row, wanted in rows:
            values.append(sum(a * b for a, b in zip(row, h)) - wanted)
            slopes.append(row)
    return values, slopes


def coiflet(k):
    """There are more equations than taps, and they agree: Newton's step is the one of least squares."""
    h = [Decimal(v) for v in COIFLET_STARTS[k - 1].split()]
    m = 6 * k
    for _ in range(20):
        values, slopes = coiflet_equations(h, k)
        normal = [[sum(row[i] * row[j] for row in slopes if row[i] and row[j]) for j in range(m)] for i in range(m)]
        right = [-sum(row[i] * v for row, v in zip(slopes, values)) for i in range(m)]
        step = solve(normal, right)
        h = [a + b for a, b in zip(h, step)]
        if max(map(abs, step)) < Decimal('1e-30'):
            break
    if max(map(abs, coiflet_equations(h, k)[0])) > Decimal('1e-25'):
        sys.exit(f'coif{k} has not converged')
    return h


def convolve(a, b):
    out = [ZERO] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for k, y in enumerate(b):
            out[i + k] += x * y
    return out


def cdf97():
    """Low filter: the complex zeros, DC gain 1. High filter: the real zero, gain 2 at the highest frequency (Annex F)."""
    roots = find_roots([1, 4, 10, 20])
    real = next(r for r in roots if abs(r.im) < Decimal('1e-30')).re
    pair = next(r for r in roots if r.im > Decimal('1e-30'))
    four = [ONE, Decimal(4), Decimal(6), Decimal(4), ONE]
    c = Complex(1) - Complex(2) * pair
    low = convolve(four, [ONE, -4 * c.re, 4 * c.norm() + 2, -4 * c.re, ONE])
    dual = convolve(four, [ONE, 4 * real - 2, ONE])
    low = [t / sum(low) for t in low]
    dual = [t * 2 / sum(dual) for t in dual]
    return low, [t if i % 2 else -t for i, t in enumerate(dual)]


def fractions(text, below):
    return [Decimal(v) / below for v in text.split()]


def print_row(name, first, low, high=None):
    """high: at place 2 of the window of both filters. The window's length is even."""
    count = len(low) + len(low) % 2
    high = [ZERO, ZERO] + high if high else []
    print(f'{{"{name}", {first}, {count}, {1 if high else 0},')
    for taps, end in ((low, ','), (high, '},')):
        texts = [repr(float(t)) for t in taps] or ['0']
        print('    {' + ', '.join(texts) + '}' + end)


def main():
    print('/* SPDX-License-Identifier: BSD-2-Clause */')
    print('/* Made by lab/tablegen/gen_filters.py: name, first sample, taps, whether there is a high filter, low, high. */')
    root = ONE / TWO.sqrt()
    print_row('haar', 0, [root, root])
    for n in range(2, 17):
        print_row(f'db{n}', 0, daubechies(n))
    for n in range(2, 17):
        print_row(f'sym{n}', 0, symlet(n))
    for k in range(1, 6):
        print_row(f'coif{k}', 0, coiflet(k))
    print_row('cdf53', -2, fractions('-1 2 6 2 -1', 8), fractions('-1 2 -1', 2))
    print_row('cdf97', -4, *cdf97())
    print_row('dd137', -6, fractions('-1 0 18 -16 -63 144 348 144 -63 -16 18 0 -1', 512), fractions('1 0 -9 16 -9 0 1', 16))


if __name__ == '__main__':
    main()
