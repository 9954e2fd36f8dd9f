/* SPDX-License-Identifier: BSD-2-Clause */
/* The row kernels, for each instruction set: plain loops that a compiler turns into vectors. Products and sums are
 * rounded one by one, and both neighbours are added first, so that a mirrored row gives the same bits. WVL_DWT2_TABLE:
 * the name.
 */

static void lift_f32(float *restrict to, const float *const from[4], const wvl_dwt2_step *step, uint32_t n)
{
    const float *a = from[0], *b = from[1], *c = from[2], *d = from[3], near = step->near, far = step->far;
    if (step->reach == 1) {
        for (uint32_t i = 0; i < n; i++) {
            to[i] += near * (a[i] + b[i]);
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[i] += near * (a[i] + b[i]) + far * (c[i] + d[i]);
    }
}

static int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }

static void lift_i32(int32_t *restrict to, const int32_t *const from[4], const wvl_dwt2_step *step, uint32_t n)
{
    const int32_t *a = from[0], *b = from[1], round = step->round;
    if (step->shift == 1) {
        for (uint32_t i = 0; i < n; i++) {
            to[i] = add(to[i], step->sign * (add(add(a[i], b[i]), round) >> 1));
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[i] = add(to[i], step->sign * (add(add(a[i], b[i]), round) >> 2));
    }
}

static void split(const void *line, void *low_line, void *high_line, uint32_t n)
{
    const wvl_dwt2_word *restrict x = line;
    wvl_dwt2_word *restrict low = low_line, *restrict high = high_line;
    for (uint32_t i = 0; i < n; i++) {
        low[i] = x[2 * i];
        high[i] = x[2 * i + 1];
    }
}

static void merge(const void *low_line, const void *high_line, void *line, uint32_t n)
{
    const wvl_dwt2_word *restrict low = low_line, *restrict high = high_line;
    wvl_dwt2_word *restrict x = line;
    for (uint32_t i = 0; i < n; i++) {
        x[2 * i] = low[i];
        x[2 * i + 1] = high[i];
    }
}

static void scale(float *x, float gain, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        x[i] *= gain;
    }
}

const wvl_dwt2_rows WVL_DWT2_TABLE = {lift_f32, lift_i32, split, merge, scale};
