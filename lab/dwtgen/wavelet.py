# SPDX-License-Identifier: BSD-2-Clause
"""A wavelet: pairs of predict and update filters, read from a small text file or found from filter taps.

x[2n] are the even samples L, x[2n+1] the odd ones H. A pair does H[n] += sum p_i L[n+i], then L[n] += sum u_i H[n+i];
`scale` K comes last: L / K, H * K.

A file has one statement a line; # begins a comment; numbers are integers, decimals or fractions (1/16).
    name NAME
    predict FIRST TAP...     FIRST: offset of the first tap
    update FIRST TAP...
    scale K                  without it 1
    reversible               integers: each step adds floor(sum + 1/2)
or, in place of predict, update and scale, the filters of a biorthogonal pair:
    low FIRST TAP...         low[n] = sum t_i x[2n+FIRST+i]
    high FIRST TAP...        high[n] = sum t_i x[2n+1+FIRST+i]
"""
import os
from fractions import Fraction

from laurent import Poly

BUILT_IN = ("cdf53", "cdf97", "dd137")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wavelets")
TOLERANCE = Fraction(1, 10 ** 10)  # of the largest tap: what is smaller is an error of rounded taps


class WaveletError(Exception):
    """The text says what is wrong and what to do."""


class Wavelet:
    def __init__(self, key, name, pairs, scale=(1, 1), reversible=False):
        """pairs: (predict, update) as {offset: fraction}; scale: factors of low and high."""
        self.key = key
        self.name = name
        self.pairs = [(clean(p), clean(u)) for p, u in pairs]
        self.scale = (Fraction(scale[0]), Fraction(scale[1]))
        self.reversible = reversible

    def filters(self):
        """(P, U) of each pair, horizontal."""
        return [(line(p), line(u)) for p, u in self.pairs]

    def dual(self):
        """The inverse, written as a transform with even and odd exchanged."""
        pairs = [(negate(u), negate(p)) for p, u in reversed(self.pairs)]
        return Wavelet(self.key, self.name, pairs, (1 / self.scale[1], 1 / self.scale[0]), self.reversible)

    def is_symmetric(self):
        """Mirroring at whole samples extends both bands: all steps are symmetric about the sample that they change."""
        return all(is_mirrored(p, 1) and is_mirrored(u, -1) for p, u in self.pairs)


def clean(taps):
    return {i: Fraction(c) for i, c in sorted(taps.items()) if c}


def line(taps):
    return Poly({(i, 0): c for i, c in taps.items()})


def negate(taps):
    return {i: -c for i, c in taps.items()}


def is_mirrored(taps, centre):
    """Offsets i and centre - i have the same tap."""
    return all(taps.get(centre - i) == c for i, c in taps.items())


# ---- Text -------------------------------------------------------------------------------------------------


def number(text, where):
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise WaveletError(f"{where}: '{text}' is no number; give an integer, a decimal or a fraction like 1/16") from None


def taps_of(words, where):
    if len(words) < 2:
        raise WaveletError(f"{where}: give the offset of the first tap, then the taps")
    try:
        first = int(words[0])
    except ValueError:
        raise WaveletError(f"{where}: the offset '{words[0]}' is no integer") from None
    return {first + i: number(word, where) for i, word in enumerate(words[1:])}


def pairs_of(steps):
    """Steps in any order become pairs; a filter that a pair lacks is 0."""
    pairs = []
    for kind, taps in steps:
        if kind == "predict":
            pairs.append((taps, {}))
        elif pairs and not pairs[-1][1]:
            pairs[-1] = (pairs[-1][0], taps)
        else:
            pairs.append(({}, taps))
    return pairs


def parse(text, key, source="wavelet"):
    name, steps, filters, scale, reversible = key, [], {}, Fraction(1), False
    for row, content in enumerate(text.splitlines(), 1):
        words = content.split("#")[0].split()
        where = f"{source}:{row}"
        if not words:
            continue
        if words[0] == "name" and len(words) > 1:
            name = " ".join(words[1:])
        elif words[0] in ("predict", "update"):
            steps.append((words[0], taps_of(words[1:], where)))
        elif words[0] in ("low", "high"):
            filters[words[0]] = taps_of(words[1:], where)
        elif words[0] == "scale" and len(words) == 2 and number(words[1], where):
            scale = number(words[1], where)
        elif words == ["reversible"]:
            reversible = True
        else:
            raise WaveletError(f"{where}: '{' '.join(words)}' is no statement; see the head of lab/dwtgen/wavelet.py")
    return build(key, name, source, steps, filters, scale, reversible)


def build(key, name, source, steps, filters, scale, reversible):
    if filters:
        if steps or scale != 1 or set(filters) != {"low", "high"}:
            raise WaveletError(f"{source}: give either predict and update steps, or one low and one high filter")
        return factorise(key, name, filters["low"], filters["high"])
    if not any(any(taps.values()) for _, taps in steps):
        raise WaveletError(f"{source}: there is no step; give predict and update lines, or low and high")
    wavelet = Wavelet(key, name, pairs_of(steps), (1 / scale, scale), reversible)
    if reversible and (scale != 1 or not is_dyadic(wavelet)):
        raise WaveletError(f"{source}: reversible steps need taps over powers of two up to 1/1024, and no scale")
    return wavelet


def is_dyadic(wavelet):
    return all(1024 % c.denominator == 0 for p, u in wavelet.pairs for c in list(p.values()) + list(u.values()))


def load(name):
    """A built-in wavelet by its key, or one from a file."""
    path = os.path.join(FOLDER, name + ".txt") if name in BUILT_IN else name
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise WaveletError(f"{name}: it cannot be read ({error}); built in are {', '.join(BUILT_IN)}") from None
    key = os.path.splitext(os.path.basename(path))[0]
    if not key.isidentifier():
        raise WaveletError(f"{name}: the file's name becomes a part of names in C; use letters, digits and _")
    return parse(text, key, os.path.basename(path))


# ---- Factorisation of a filter pair ----------------------------------------------------------------------
# The polyphase matrix [[Le, Lo], [He, Ho]] loses one step after the other at its right side (Daubechies and Sweldens,
# "Factoring wavelet transforms into lifting steps", 1998), until it is diagonal.


def split_phases(taps):
    return ({i // 2: c for i, c in taps.items() if i % 2 == 0}, {i // 2: c for i, c in taps.items() if i % 2})


def trimmed(taps, largest):
    return {i: c for i, c in taps.items() if abs(c) > TOLERANCE * largest}


def minus_product(a, q, b):
    result = dict(a)
    for i, x in q.items():
        for j, y in b.items():
            result[i + j] = result.get(i + j, 0) - x * y
    return result


def quotient(a, b, largest):
    """q with fewer terms left in a - q b than in b. Terms go from both ends in turn, so that symmetric filters get
    symmetric steps."""
    q, at_low = {}, True
    while a and max(a) - min(a) >= max(b) - min(b):
        pick = min if at_low else max
        shift = pick(a) - pick(b)
        c = a[pick(a)] / b[pick(b)]
        q[shift] = q.get(shift, 0) + c
        end = pick(a)
        a = trimmed({i: v for i, v in minus_product(a, {shift: c}, b).items() if i != end}, largest)
        at_low = not at_low
    return q, a


def factorise(key, name, low, high):
    le, lo = split_phases(clean(low))
    he, ho = split_phases({i + 1: c for i, c in clean(high).items()})
    largest = max([abs(c) for c in list(low.values()) + list(high.values())])
    steps = []
    reduce_even = len(le) >= len(lo)
    while le and lo:
        if reduce_even:
            taps, le = quotient(le, lo, largest)
            he = trimmed(minus_product(he, taps, ho), largest)
            steps.append(("predict", taps))
        else:
            taps, lo = quotient(lo, le, largest)
            ho = trimmed(minus_product(ho, taps, he), largest)
            steps.append(("update", taps))
        reduce_even = not reduce_even
    if not le:
        # Low comes from the odd samples alone: give half of it to the even ones, then take it away.
        raise_even(steps, largest, name, lo)
        le, he = lo, minus_product(he, {0: Fraction(-1)}, ho)
        lo, ho = {}, minus_product(ho, {0: Fraction(1)}, he)
        he, ho = trimmed(he, largest), trimmed(ho, largest)
    if len(le) != 1 or lo or len(ho) != 1:
        raise WaveletError(f"{name}: the filters do not form a pair with perfect reconstruction; check taps and offsets")
    (low_at, low_gain), (high_at, high_gain) = list(le.items())[0], list(ho.items())[0]
    steps.append(("predict", {i - high_at: c / high_gain for i, c in he.items()}))
    if low_at or high_at:
        raise WaveletError(f"{name}: the bands are displaced; add {-2 * low_at} to the offset of low and "
                           f"{-2 * high_at} to that of high")
    return Wavelet(key, name, pairs_of([s for s in steps if s[1]]), (low_gain, high_gain))


def raise_even(steps, largest, name, lo):
    """Two steps that move a row (0, lo) to (lo, 0): predict -1, then update 1."""
    if not lo or not largest:
        raise WaveletError(f"{name}: the low filter has no taps")
    steps.append(("predict", {0: Fraction(-1)}))
    steps.append(("update", {0: Fraction(1)}))
