/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The block kernels for one type of samples. T: the type; NAME(verb): the names; STEPS: the numbers of the filter.
 * Plain loops that a compiler turns into vectors. Each result has one fixed order of operations, so that every
 * instruction set gives the same bits.
 *
 * A stage of the lattice gives u_j = s u + v and a_j = u + t v; the next one takes a_(j+1) as its v_j. So v is stored
 * where it was, and the next pass gets v + 1. Two stages are done in one pass, which halves loads and stores without
 * computing anything twice.
 */

/* ---- Lattice ---- */

static void NAME(one)(T *restrict u, T *restrict v, T t, T s, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        const T a = u[j] + t * v[j];
        u[j] = s * u[j] + v[j];
        v[j] = a;
    }
}

/* Stages k and k + 1; t and s begin at k. */
static void NAME(two)(T *restrict u, T *restrict v, const T *t, const T *s, uint32_t count)
{
    const T t0 = t[0], t1 = t[1], s0 = s[0], s1 = s[1];
    for (uint32_t j = 0; j < count; j++) {
        const T a = u[j + 1] + t0 * v[j + 1], b = s0 * u[j] + v[j];
        u[j] = s1 * b + a;
        v[j] = b + t1 * a;
    }
}

/* The last stage and the matrix b. */
static void NAME(last)(const T *restrict u, const T *restrict v, const STEPS *steps, T *restrict p, T *restrict q,
                       uint32_t count)
{
    const uint32_t k = steps->stage_count - 1;
    const T t = steps->t[k], s = steps->s[k];
    const T b0 = steps->b[0], b1 = steps->b[1], b2 = steps->b[2], b3 = steps->b[3];
    for (uint32_t j = 0; j < count; j++) {
        const T low = s * u[j] + v[j], high = u[j + 1] + t * v[j + 1];
        p[j] = b0 * low + b1 * high;
        q[j] = b2 * low + b3 * high;
    }
}

static void NAME(matrix)(const T *restrict u, const T *restrict v, const T *b, T *restrict p, T *restrict q,
                         uint32_t count)
{
    const T b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    for (uint32_t j = 0; j < count; j++) {
        p[j] = b0 * u[j] + b1 * v[j];
        q[j] = b2 * u[j] + b3 * v[j];
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
static void NAME(first_back)(T *restrict u, T *restrict v, const STEPS *steps, uint32_t count)
{
    const uint32_t k = steps->stage_count - 1;
    const T t = steps->t[k], s = steps->s[k];
    const T b0 = steps->inverse_b[0], b1 = steps->inverse_b[1], b2 = steps->inverse_b[2], b3 = steps->inverse_b[3];
    for (uint32_t j = 0; j < count; j++) {
        const T a = b2 * u[j] + b3 * v[j], b = b0 * u[j + 1] + b1 * v[j + 1];
        u[j] = a - t * b;
        v[j] = b - s * a;
    }
}

static void NAME(one_back)(T *restrict u, T *restrict v, T t, T s, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        const T a = v[j], b = u[j];
        u[j] = a - t * b;
        v[j] = b - s * a;
    }
}

/* Stages k + 1 and k, in this order; t and s begin at k. */
static void NAME(two_back)(T *restrict u, T *restrict v, const T *t, const T *s, uint32_t count)
{
    const T t0 = t[0], t1 = t[1], s0 = s[0], s1 = s[1];
    for (uint32_t j = 0; j < count; j++) {
        const T a = u[j] - s1 * v[j], b = v[j + 1] - t1 * u[j + 1];
        u[j] = a - t0 * b;
        v[j] = b - s0 * a;
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

/* Vectors of any processor: a compiler splits them where registers are shorter. */
typedef T NAME(vector) __attribute__((vector_size(32)));
enum { NAME(LANES) = 2 * sizeof(NAME(vector)) / sizeof(T) };

#define LOAD(TO, FROM) memcpy(&(TO), (FROM), sizeof(TO))

/* NAME(LANES) sums of both filters, in registers. */
static void NAME(sums)(const T *u, const T *v, const T *low, const T *high, uint32_t pairs, T *p, T *q)
{
    NAME(vector) p0 = {0}, p1 = {0}, q0 = {0}, q1 = {0};
    for (uint32_t k = 0; k < pairs; k++) {
        NAME(vector) u0, u1, v0, v1;
        LOAD(u0, u + k);
        LOAD(u1, u + k + NAME(LANES) / 2);
        LOAD(v0, v + k);
        LOAD(v1, v + k + NAME(LANES) / 2);
        p0 = (p0 + low[2 * k] * u0) + low[2 * k + 1] * v0;
        p1 = (p1 + low[2 * k] * u1) + low[2 * k + 1] * v1;
        q0 = (q0 + high[2 * k] * u0) + high[2 * k + 1] * v0;
        q1 = (q1 + high[2 * k] * u1) + high[2 * k + 1] * v1;
    }
    memcpy(p, &p0, sizeof p0);
    memcpy(p + NAME(LANES) / 2, &p1, sizeof p1);
    memcpy(q, &q0, sizeof q0);
    memcpy(q + NAME(LANES) / 2, &q1, sizeof q1);
}
#undef LOAD

static void NAME(convolve_with)(const T *low, const T *high, uint32_t pairs, const T *u, const T *v, T *p, T *q,
                                uint32_t count)
{
    uint32_t j = 0;
    for (; j + NAME(LANES) <= count; j += NAME(LANES)) {
        NAME(sums)(u + j, v + j, low, high, pairs, p + j, q + j);
    }
    if (j < count) {
        T a[NAME(LANES)], b[NAME(LANES)];
        NAME(sums)(u + j, v + j, low, high, pairs, a, b);
        memcpy(p + j, a, (count - j) * sizeof *a);
        memcpy(q + j, b, (count - j) * sizeof *b);
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
