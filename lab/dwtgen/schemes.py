# SPDX-License-Identifier: BSD-2-Clause
"""Schemes for one level of the 2-D transform, as lists of steps (M. Kula, thesis, 2021, chapters 3 and 8 to 11).

All schemes give the same transform in exact arithmetic; they differ in operations, barriers and traffic. A step is one
matrix that reads neighbours (`exchange`), with matrices that stay inside the quad before and after it. Values travel
between quads once a step, before `exchange`.

P, U: filters of a pair, horizontal; P*, U*: the same, vertical. P = P0 + P1, U = U0 + U1: P0 and U0 are the terms
inside the quad. The starred schemes do P0 and U0 before and after `exchange`, where they cost no exchange and make the
products shorter.
"""
import functools

from laurent import HH, HL, LH, LL, Matrix, product


class Step:
    def __init__(self, exchange, before=(), after=()):
        self.before = [m for m in before if not m.is_identity()]
        self.exchange = exchange
        self.after = [m for m in after if not m.is_identity()]

    def factors(self):
        """In the order of execution."""
        return self.before + [self.exchange] + self.after

    def map(self, change):
        return Step(change(self.exchange), [change(m) for m in self.before], [change(m) for m in self.after])


# ---- Matrices of one pair ---------------------------------------------------------------------------------


def predict_h(p):
    return Matrix(HL=[(LL, p)], HH=[(LH, p)])


def predict_v(p):
    p = p.turned()
    return Matrix(LH=[(LL, p)], HH=[(HL, p)])


def update_h(u):
    return Matrix(LL=[(HL, u)], LH=[(HH, u)])


def update_v(u):
    u = u.turned()
    return Matrix(LL=[(LH, u)], HL=[(HH, u)])


def pair_h(p, u):
    return update_h(u) * predict_h(p)


def pair_v(p, u):
    return update_v(u) * predict_v(p)


def predict_both(p):
    """Monolithic: both directions at once."""
    return predict_v(p) * predict_h(p)


def update_both(u):
    return update_v(u) * update_h(u)


def implosion_steps(p, u):
    pv, uv = p.turned(), u.turned()
    return [Matrix(HH=[(LL, p * pv), (HL, pv), (LH, p)]),
            Matrix(HL=[(LL, p), (HH, uv)], LH=[(LL, pv), (HH, u)]),
            Matrix(LL=[(HL, u), (LH, uv), (HH, -(u * uv))])]


def explosion_steps(p, u):
    pv, uv = p.turned(), u.turned()
    return [Matrix(HL=[(LL, p)], LH=[(LL, pv)], HH=[(LL, -(p * pv))]),
            Matrix(LL=[(HL, u), (LH, uv)], HH=[(HL, pv), (LH, p)]),
            Matrix(LL=[(HH, u * uv)], HL=[(HH, uv)], LH=[(HH, u)])]


def inner_predicts(p):
    return [predict_h(p.inner()), predict_v(p.inner())]


def inner_updates(u):
    return [update_h(u.inner()), update_v(u.inner())]


# ---- Schemes: filters of all pairs to steps ---------------------------------------------------------------


def lifting(filters, starred):
    del starred
    return [Step(m) for p, u in filters for m in (predict_h(p), update_h(u), predict_v(p), update_v(u))]


def lifting_plus(filters, starred):
    del starred
    return [Step(m) for p, u in filters for m in (predict_h(p), predict_v(p), update_h(u), update_v(u))]


def merged_line(pairs, make, predict, update, starred):
    """One direction of some pairs in one step."""
    if not starred:
        return Step(product(make(p, u) for p, u in pairs))
    first, last = pairs[0][0], pairs[-1][1]
    cut = [[p, u] for p, u in pairs]
    cut[0][0], cut[-1][1] = first.outer(), last.outer()
    return Step(product(make(p, u) for p, u in cut), [predict(first.inner())], [update(last.inner())])


def merged_h(pairs, starred):
    return merged_line(pairs, pair_h, predict_h, update_h, starred)


def merged_v(pairs, starred):
    return merged_line(pairs, pair_v, predict_v, update_v, starred)


def split_line(make, f, starred):
    """A lifting step; starred, its inner part comes first."""
    return Step(make(f.outer()), [make(f.inner())]) if starred else Step(make(f))


def convolution(filters, starred):
    return [merged_h(filters, starred), merged_v(filters, starred)]


def polyconvolution(filters, starred):
    return [step for pair in filters for step in (merged_h([pair], starred), merged_v([pair], starred))]


def polyconvolution_x(filters, starred):
    return [step for p, u in filters for step in (merged_h([(p, u)], starred), split_line(predict_v, p, starred),
                                                  split_line(update_v, u, starred))]


def polyconvolution_y(filters, starred):
    return [step for p, u in filters for step in (split_line(predict_h, p, starred), split_line(update_h, u, starred),
                                                  merged_v([(p, u)], starred))]


def several_steps(make, filters, starred):
    """make(p, u): matrices of a pair, one a step."""
    steps = []
    for p, u in filters:
        if not starred:
            steps += [Step(m) for m in make(p, u)]
            continue
        pair = [Step(m) for m in make(p.outer(), u.outer())]
        pair[0].before = inner_predicts(p)
        pair[-1].after = inner_updates(u)
        steps += pair
    return steps


def implosion(filters, starred):
    return several_steps(implosion_steps, filters, starred)


def explosion(filters, starred):
    return several_steps(explosion_steps, filters, starred)


def monolithic(filters, starred):
    steps = []
    for p, u in filters:
        if starred:
            steps += [Step(predict_both(p.outer()), [], inner_predicts(p)),
                      Step(update_both(u.outer()), [], inner_updates(u))]
        else:
            steps += [Step(predict_both(p)), Step(update_both(u))]
    return steps


def merged_both(pairs, starred):
    cut = [[p, u] for p, u in pairs]
    if not starred:
        return Step(product(pair_v(p, u) * pair_h(p, u) for p, u in cut))
    first, last = pairs[0][0], pairs[-1][1]
    cut[0][0], cut[-1][1] = first.outer(), last.outer()
    return Step(product(pair_v(p, u) * pair_h(p, u) for p, u in cut), inner_predicts(first), inner_updates(last))


def polyphase(filters, starred):
    return [merged_both([pair], starred) for pair in filters]


def convolution_2d(filters, starred):
    return [merged_both(filters, starred)]


def kula_2016(filters, starred):
    """Chapter 7.3.2. Its matrices are lost in the text at hand; these use the same five filters of (7.4)."""
    del starred
    steps = []
    for p, u in filters:
        pv, uv = p.turned(), u.turned()
        steps.append(Step(Matrix(HL=[(LL, p)], LH=[(LL, pv)], HH=[(HL, pv.outer()), (LH, p), (LL, pv.outer() * p)]), [],
                          [Matrix(HH=[(HL, p.inner())])]))
        steps.append(Step(Matrix(HL=[(HH, uv)], LH=[(HH, u)], LL=[(LH, uv.outer()), (HL, u), (HH, uv.outer() * u)]), [],
                          [Matrix(LL=[(LH, u.inner())])]))
    return steps


# Name, function, whether there is a starred form, and the thesis' names.
TABLE = (
    ("sep_lifting", lifting, False, "separable lifting"),
    ("sep_lifting_plus", lifting_plus, False, "separable lifting+, Sweldens"),
    ("sep_convolution", convolution, True, "separable convolution"),
    ("sep_polyconvolution", polyconvolution, True, "separable polyconvolution"),
    ("sep_polyconvolution_x", polyconvolution_x, True, "separable polyconvolutionX"),
    ("sep_polyconvolution_y", polyconvolution_y, True, "separable polyconvolutionY"),
    ("implosion", implosion, True, "non-separable implosion, Iwahashi"),
    ("explosion", explosion, True, "non-separable explosion, Explosive"),
    ("monolithic", monolithic, True, "non-separable lifting, Monolithic"),
    ("polyphase", polyphase, True, "non-separable polyconvolution, Polyphase"),
    ("convolution_2d", convolution_2d, True, "non-separable convolution"),
    ("kula_2016", kula_2016, False, "Kula2016"),
)
STAR = "_star"  # ends the name of a starred scheme


def names():
    return [name + end for name, _, has_star, _ in TABLE for end in (("", STAR) if has_star else ("",))]


def title(scheme):
    starred = scheme.endswith(STAR)
    plain = scheme[:-len(STAR)] if starred else scheme
    return next(text for name, _, _, text in TABLE if name == plain) + (" *" if starred else "")


class Scheme:
    """A scheme for a wavelet, forward or inverse. Vertical first: as ISO/IEC 15444-1 F.4.2 has it."""

    def __init__(self, name, wavelet, inverse=False, vertical_first=False):
        starred = name.endswith(STAR)
        plain = name[:-len(STAR)] if starred else name
        make = next((entry for entry in TABLE if entry[0] == plain), None)
        if make is None or (starred and not make[2]):
            raise KeyError(f"'{name}' is no scheme; give one of: {' '.join(names())}")
        self.name, self.wavelet, self.inverse, self.vertical_first = name, wavelet, inverse, vertical_first
        filters = (wavelet.dual() if inverse else wavelet).filters()
        steps = make[1](filters, starred)
        # The inverse undoes the last direction first.
        if vertical_first != inverse:
            steps = [step.map(Matrix.turned) for step in steps]
        if inverse:
            steps = [step.map(Matrix.flipped) for step in steps]
        self.steps = [step for step in steps if any(not m.is_identity() for m in step.factors())]

    def factors(self):
        return [m for step in self.steps for m in step.factors()]

    def reach(self):
        """Quads that a result depends on to the left, right, above and below."""
        boxes = [(0, 0, 0, 0)] * 4
        for matrix in self.factors():
            boxes = [union(move(boxes[c], at) for c, p in enumerate(row) for at in p.terms) for row in matrix.rows]
        left, right, above, below = union(boxes)
        return (-left, right, -above, below)


def move(box, at):
    return (box[0] + at[0], box[1] + at[0], box[2] + at[1], box[3] + at[1])


def union(boxes):
    lefts, rights, tops, bottoms = zip(*boxes)
    return (min(lefts), max(rights), min(tops), max(bottoms))


@functools.lru_cache(maxsize=None)
def separable_product(wavelet, inverse=False):
    """The transform by definition, or the inverse: each direction of each pair, one lifting step after the other."""
    steps = [m for p, u in wavelet.filters() for m in (predict_h(p), update_h(u), predict_v(p), update_v(u))]
    if inverse:
        undo = [m for p, u in wavelet.filters() for m in (predict_h(-p), update_h(-u), predict_v(-p), update_v(-u))]
        steps = undo[::-1]
    return product(steps)


def verify(scheme):
    """Whether the steps give exactly the transform, or its inverse."""
    return product(scheme.factors()) == separable_product(scheme.wavelet, scheme.inverse)


def keeps_integers(scheme):
    """Whether integers come out as the standard's reversible transform: only single lifting steps can be rounded, and
    only vertical before horizontal (F.4.2; the inverse the other way round)."""
    return scheme.name == "sep_lifting" and scheme.vertical_first and scheme.wavelet.reversible
