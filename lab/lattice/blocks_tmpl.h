/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of a level for one type of samples: fetches a window of a periodic signal, runs a kernel, stores. T: the type;
 * X: its name; NAME(verb): the names. */

/* Samples [at, at + 2 count) of the period as pairs. */
static void NAME(fetch)(const wvl_lattice_level *level, const KERNELS *kernels, int64_t at, T *u, T *v, uint32_t count)
{
    const T *x = level->in[0];
    const uint64_t period = 2 * level->half;
    if (level->stride == 1 && at >= 0 && (uint64_t)at + 2 * (uint64_t)count <= level->length) {
        kernels->split(x + at, u, v, count);
        return;
    }
    uint64_t i = wrap(at, period);
    for (uint32_t k = 0; k < 2 * count; k++) {
        const uint64_t sample = i < level->length ? i : level->length - 1;
        (k % 2 ? v : u)[k / 2] = x[(int64_t)sample * level->stride];
        i = i + 1 == period ? 0 : i + 1;
    }
}

static void NAME(store)(const wvl_lattice_level *level, const KERNELS *kernels, int64_t at, const T *u, const T *v,
                        uint32_t count)
{
    T *x = level->out[0];
    const uint64_t period = 2 * level->half;
    if (level->stride == 1 && at >= 0 && (uint64_t)at + 2 * (uint64_t)count <= level->length) {
        kernels->merge(u, v, x + at, count);
        return;
    }
    uint64_t i = wrap(at, period);
    for (uint32_t k = 0; k < 2 * count; k++) {
        if (i < level->length) {
            x[(int64_t)i * level->stride] = (k % 2 ? v : u)[k / 2];
        }
        i = i + 1 == period ? 0 : i + 1;
    }
}

/* Coefficients [at, at + count) of a periodic band. */
static void NAME(fetch_band)(const T *band, uint64_t half, int64_t at, T *to, uint32_t count)
{
    uint64_t i = wrap(at, half);
    for (uint32_t done = 0; done < count;) {
        const uint64_t run = half - i < count - done ? half - i : count - done;
        memcpy(to + done, band + i, run * sizeof *to);
        done += (uint32_t)run;
        i = 0;
    }
}

void NAME(wvl_lattice_forward)(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block)
{
    T u[WVL_LATTICE_ROOM], v[WVL_LATTICE_ROOM];
    const uint64_t from = block * WVL_LATTICE_BLOCK, left = level->half - from;
    const uint32_t count = left < WVL_LATTICE_BLOCK ? (uint32_t)left : WVL_LATTICE_BLOCK;
    const uint32_t window = count + plan->filter.tap_count / 2 - 1;
    const KERNELS *kernels = &plan->kernels.X;
    if (level->half > LARGE) {
        call_for_writing((T *)level->out[0] + from, count * sizeof(T));
        call_for_writing((T *)level->out[1] + from, count * sizeof(T));
    }
    NAME(fetch)(level, kernels, (int64_t)(2 * from) + plan->filter.first, u, v, window);
    if (level->half > LARGE && level->stride == 1 && left > 2 * WVL_LATTICE_BLOCK) {
        call_for_reading((const T *)level->in[0] + 2 * (from + WVL_LATTICE_BLOCK), 2 * WVL_LATTICE_BLOCK * sizeof(T));
    }
    memset(u + window, 0, LANES_BYTES);
    memset(v + window, 0, LANES_BYTES);
    (plan->is_convolution ? kernels->convolve : kernels->forward)(&plan->X, u, v, (T *)level->out[0] + from,
                                                                  (T *)level->out[1] + from, count);
}

void NAME(wvl_lattice_inverse)(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block)
{
    T u[WVL_LATTICE_ROOM], v[WVL_LATTICE_ROOM], p[WVL_LATTICE_BLOCK], q[WVL_LATTICE_BLOCK];
    const uint64_t from = block * WVL_LATTICE_BLOCK, left = level->half - from;
    const uint32_t count = left < WVL_LATTICE_BLOCK ? (uint32_t)left : WVL_LATTICE_BLOCK;
    const uint32_t window = count + plan->filter.tap_count / 2 - 1;
    const uint32_t delay = plan->is_convolution ? plan->filter.delay : plan->filter.stage_count;
    const KERNELS *kernels = &plan->kernels.X;
    if (level->half > LARGE && level->stride == 1 && left > WVL_LATTICE_BLOCK) {
        call_for_writing((T *)level->out[0] + 2 * from, 2 * count * sizeof(T));
    }
    NAME(fetch_band)(level->in[0], level->half, (int64_t)from - delay, u, window);
    NAME(fetch_band)(level->in[1], level->half, (int64_t)from - delay, v, window);
    memset(u + window, 0, LANES_BYTES);
    memset(v + window, 0, LANES_BYTES);
    if (level->half > LARGE && left > 2 * WVL_LATTICE_BLOCK) {
        call_for_reading((const T *)level->in[0] + from + WVL_LATTICE_BLOCK, WVL_LATTICE_BLOCK * sizeof(T));
        call_for_reading((const T *)level->in[1] + from + WVL_LATTICE_BLOCK, WVL_LATTICE_BLOCK * sizeof(T));
    }
    (plan->is_convolution ? kernels->convolve_back : kernels->inverse)(&plan->X, u, v, p, q, count);
    NAME(store)(level, kernels, (int64_t)(2 * from) + plan->filter.first, p, q, count);
}

#undef T
#undef X
#undef NAME
#undef KERNELS
