/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The block kernels for one type of samples. T: the type; NAME(verb): the names; STEPS: the numbers of the filter;
 * VECTOR, LANES and FUSED(a, b, c): of fused.h. Each result has one fixed order of operations, so that every
 * instruction set gives the same bits. Products are fused with sums: the kernels of lab/cuda/lattice do the same.
 *
 * A stage of the lattice gives u_j = s u + v and a_j = u + t v; the next one takes a_(j+1) as its v_j. So v is stored
 * where it was, and the next pass gets v + 1. Two stages are done in one pass, which halves loads and stores without
 * computing anything twice. Passes do whole vectors: u and v have room behind a window.
 */

static inline VECTOR NAME(take)(const T *from)
{
    VECTOR x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void NAME(put)(T *to, VECTOR x) { memcpy(to, &x, sizeof x); }

/* The first `left` lanes, or all. */
static inline void NAME(give)(T *to, VECTOR x, int32_t left)
{
    if (left >= LANES) {
        memcpy(to, &x, sizeof x);
    } else if (left > 0) {
        memcpy(to, &x, (uint32_t)left * sizeof *to);
    }
}

static inline VECTOR NAME(spread)(T x) { return x - (VECTOR){0}; }

/* ---- Lattice ---- */

static void NAME(one)(T *u, T *v, T t, T s, uint32_t count)
{
    const VECTOR t0 = NAME(spread)(t), s0 = NAME(spread)(s);
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR a = NAME(take)(u + j), b = NAME(take)(v + j);
        NAME(put)(u + j, FUSED(s0, a, b));
        NAME(put)(v + j, FUSED(t0, b, a));
    }
}

/* Stages k and k + 1; t and s begin at k. */
static void NAME(two)(T *u, T *v, const T *t, const T *s, uint32_t count)
{
    const VECTOR t0 = NAME(spread)(t[0]), t1 = NAME(spread)(t[1]), s0 = NAME(spread)(s[0]), s1 = NAME(spread)(s[1]);
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR a = FUSED(t0, NAME(take)(v + j + 1), NAME(take)(u + j + 1));
        const VECTOR b = FUSED(s0, NAME(take)(u + j), NAME(take)(v + j));
        NAME(put)(u + j, FUSED(s1, b, a));
        NAME(put)(v + j, FUSED(t1, a, b));
    }
}

/* b u + c v: the first product is rounded. */
static inline VECTOR NAME(sum)(T b, VECTOR u, T c, VECTOR v) { return FUSED(NAME(spread)(c), v, NAME(spread)(b) * u); }

/* The last stage and the matrix b. */
static void NAME(last)(const T *u, const T *v, const STEPS *steps, T *p, T *q, uint32_t count)
{
    const uint32_t k = steps->stage_count - 1;
    const VECTOR t = NAME(spread)(steps->t[k]), s = NAME(spread)(steps->s[k]);
    const T b0 = steps->b[0], b1 = steps->b[1], b2 = steps->b[2], b3 = steps->b[3];
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR low = FUSED(s, NAME(take)(u + j), NAME(take)(v + j));
        const VECTOR high = FUSED(t, NAME(take)(v + j + 1), NAME(take)(u + j + 1));
        NAME(give)(p + j, NAME(sum)(b0, low, b1, high), (int32_t)(count - j));
        NAME(give)(q + j, NAME(sum)(b2, low, b3, high), (int32_t)(count - j));
    }
}

static void NAME(matrix)(const T *u, const T *v, const T *b, T *p, T *q, uint32_t count)
{
    const T b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR x = NAME(take)(u + j), y = NAME(take)(v + j);
        NAME(give)(p + j, NAME(sum)(b0, x, b1, y), (int32_t)(count - j));
        NAME(give)(q + j, NAME(sum)(b2, x, b3, y), (int32_t)(count - j));
    }
}

static void NAME(forward)(const STEPS *steps, T *u, T *v, T *p, T *q, uint32_t count)
{
    const uint32_t stages = steps->stage_count;
    uint32_t k = 0, width = count + stages;
    if (stages == 0) {
        NAME(matrix)(u, v, steps->b, p, q, count);
        return;
    }
    if (stages % 2 == 0) {
        NAME(one)(u, v++, steps->t[0], steps->s[0], width);
        width -= 1;
        k = 1;
    }
    for (; k + 1 < stages; k += 2) {
        NAME(two)(u, v++, steps->t + k, steps->s + k, width - 1);
        width -= 2;
    }
    NAME(last)(u, v, steps, p, q, count);
}

/* ---- The inverse of the lattice: stages from the last to the first; it takes u_(j+1) with v_j, so passes get u + 1
 * ---- */

/* The matrix, and the last stage undone. */
static void NAME(first_back)(T *u, T *v, const STEPS *steps, uint32_t count)
{
    const uint32_t k = steps->stage_count - 1;
    const VECTOR t = NAME(spread)(-steps->t[k]), s = NAME(spread)(-steps->s[k]);
    const T b0 = steps->inverse_b[0], b1 = steps->inverse_b[1], b2 = steps->inverse_b[2], b3 = steps->inverse_b[3];
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR a = NAME(sum)(b2, NAME(take)(u + j), b3, NAME(take)(v + j));
        const VECTOR b = NAME(sum)(b0, NAME(take)(u + j + 1), b1, NAME(take)(v + j + 1));
        NAME(put)(u + j, FUSED(t, b, a));
        NAME(put)(v + j, FUSED(s, a, b));
    }
}

static void NAME(one_back)(T *u, T *v, T t, T s, uint32_t count)
{
    const VECTOR t0 = NAME(spread)(-t), s0 = NAME(spread)(-s);
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR a = NAME(take)(v + j), b = NAME(take)(u + j);
        NAME(put)(u + j, FUSED(t0, b, a));
        NAME(put)(v + j, FUSED(s0, a, b));
    }
}

/* Stages k + 1 and k, in this order; t and s begin at k. */
static void NAME(two_back)(T *u, T *v, const T *t, const T *s, uint32_t count)
{
    const VECTOR t0 = NAME(spread)(-t[0]), t1 = NAME(spread)(-t[1]);
    const VECTOR s0 = NAME(spread)(-s[0]), s1 = NAME(spread)(-s[1]);
    for (uint32_t j = 0; j < count; j += LANES) {
        const VECTOR a = FUSED(s1, NAME(take)(v + j), NAME(take)(u + j));
        const VECTOR b = FUSED(t1, NAME(take)(u + j + 1), NAME(take)(v + j + 1));
        NAME(put)(u + j, FUSED(t0, b, a));
        NAME(put)(v + j, FUSED(s0, a, b));
    }
}

static void NAME(inverse)(const STEPS *steps, T *u, T *v, T *p, T *q, uint32_t count)
{
    uint32_t k = steps->stage_count, width = count + k;
    if (k == 0) {
        NAME(matrix)(u, v, steps->inverse_b, p, q, count);
        return;
    }
    NAME(first_back)(u, v, steps, width -= 1);
    for (k -= 1; k > 1; k -= 2) {
        NAME(two_back)(++u, v, steps->t + k - 2, steps->s + k - 2, width -= 2);
    }
    if (k == 1) {
        NAME(one_back)(++u, v, steps->t[0], steps->s[0], count);
    }
    memcpy(p, u, count * sizeof *p);
    memcpy(q, v, count * sizeof *q);
}

/* ---- Convolution ---- */

/* Sums of both filters, two vectors of each in registers. */
static void NAME(sums)(const T *u, const T *v, const T *low, const T *high, uint32_t pairs, VECTOR p[2], VECTOR q[2])
{
    VECTOR p0 = {0}, p1 = {0}, q0 = {0}, q1 = {0};
    for (uint32_t k = 0; k < pairs; k++) {
        const VECTOR u0 = NAME(take)(u + k), u1 = NAME(take)(u + k + LANES);
        const VECTOR v0 = NAME(take)(v + k), v1 = NAME(take)(v + k + LANES);
        const VECTOR low_u = NAME(spread)(low[2 * k]), low_v = NAME(spread)(low[2 * k + 1]);
        const VECTOR high_u = NAME(spread)(high[2 * k]), high_v = NAME(spread)(high[2 * k + 1]);
        p0 = FUSED(low_v, v0, FUSED(low_u, u0, p0));
        p1 = FUSED(low_v, v1, FUSED(low_u, u1, p1));
        q0 = FUSED(high_v, v0, FUSED(high_u, u0, q0));
        q1 = FUSED(high_v, v1, FUSED(high_u, u1, q1));
    }
    p[0] = p0, p[1] = p1, q[0] = q0, q[1] = q1;
}

static void NAME(convolve_with)(const T *low, const T *high, uint32_t pairs, const T *u, const T *v, T *p, T *q,
                                uint32_t count)
{
    for (uint32_t j = 0; j < count; j += 2 * LANES) {
        const int32_t left = (int32_t)(count - j);
        VECTOR a[2], b[2];
        NAME(sums)(u + j, v + j, low, high, pairs, a, b);
        NAME(give)(p + j, a[0], left);
        NAME(give)(q + j, b[0], left);
        NAME(give)(p + j + LANES, a[1], left - LANES);
        NAME(give)(q + j + LANES, b[1], left - LANES);
    }
}

static void NAME(convolve)(const STEPS *steps, T *u, T *v, T *p, T *q, uint32_t count)
{
    NAME(convolve_with)(steps->low, steps->high, steps->tap_count / 2, u, v, p, q, count);
}

static void NAME(convolve_back)(const STEPS *steps, T *u, T *v, T *p, T *q, uint32_t count)
{
    NAME(convolve_with)(steps->even, steps->odd, steps->tap_count / 2, u, v, p, q, count);
}

/* ---- Pairs ---- */

static void NAME(split)(const T *restrict x, T *restrict u, T *restrict v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        u[i] = x[2 * i];
        v[i] = x[2 * i + 1];
    }
}

static void NAME(merge)(const T *restrict u, const T *restrict v, T *restrict x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        x[2 * i] = u[i];
        x[2 * i + 1] = v[i];
    }
}

#undef T
#undef NAME
#undef STEPS
#undef VECTOR
#undef LANES
#undef FUSED
