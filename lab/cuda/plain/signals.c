/* SPDX-License-Identifier: BSD-2-Clause */
/* The 1-D transform on a device: which kernel, and how the work is dealt out. */
#include "lab/cuda/plain/device.h"
#include "lab/lattice/lattice.h"

enum { FLOAT_BYTES = 4 };

static wvl_lattice_args make_args(const wvl_lattice_plan *plan, const wvl_lattice_run *run)
{
    return (wvl_lattice_args){.signal = run->signal,
                              .low = run->low,
                              .coefs = run->coefs,
                              .length = (long long)run->length,
                              .levels = (int)run->levels,
                              .first = plan->filter.first,
                              .delay = (int)plan->filter.delay,
                              .steps = plan->f32};
}

uint32_t wvl_lattice_levels_of_launch(const wvl_lattice_plan *plan, uint64_t length, uint32_t levels)
{
    const wvl_lattice_run run = {.length = length, .levels = levels};
    wvl_lattice_args a = make_args(plan, &run);
    a.levels = levels < WVL_LATTICE_MOST_LEVELS ? (int)levels : WVL_LATTICE_MOST_LEVELS;
    while (a.levels > 1 && (plan->is_convolution || !wvl_lattice_fits_one_launch(&a))) {
        a.levels--;
    }
    return (uint32_t)a.levels;
}

/* ---- Several levels -------------------------------------------------------------------------- */

typedef struct carrier {
    int is_inverse;
    wvl_plain_kernel kernel;
    int most_stages, first, deep; /* first: pairs of a lane at level 1, deep: and above */
    long long stretch;            /* samples, of long signals */
} carrier;

enum { FORWARD, INVERSE };
static const carrier carriers[] = {
#define CARRIER(DIRECTION, direction, stages, first, deep, stretch)                                                    \
    {DIRECTION, WVL_PLAIN_##DIRECTION##_CARRY_##stages, stages, first, deep, stretch},
    WVL_PLAIN_CARRIERS(CARRIER)
#undef CARRIER
};

/* The kernel for the fewest stages that suffice: the last one of a direction can do all that a filter may have. */
static const carrier *choose_carrier(const wvl_lattice_args *a, int is_inverse)
{
    const carrier *c = carriers;
    while (c->is_inverse != is_inverse || c->most_stages < (int)a->steps.stage_count) {
        c++;
    }
    return c;
}

/* Low coefficients of the last level of a warp. Stretches begin with samples of their neighbours, so long ones cost
 * less, if there are enough of them. A stretch is a whole number of runs of the first and the last level. */
static int choose_tile(const wvl_lattice_args *a, const carrier *c)
{
    const long long most = a->length / c->stretch >= WVL_PLAIN_LONG_WARPS ? c->stretch : WVL_PLAIN_STRETCH;
    const long long last = 32ll * c->deep << a->levels, first = 64ll * c->first;
    return wvl_lattice_carry_tile(a, (int)(most - most % (last > first ? last : first)));
}

static void launch_carrier(wvl_plain_device *device, wvl_lattice_args *a, int is_inverse)
{
    const uint32_t warps = WVL_PLAIN_CARRY_THREADS / 32;
    const carrier *c = choose_carrier(a, is_inverse);
    const int floats = is_inverse ? wvl_lattice_carry_inverse_floats(a, c->first, c->deep)
                                  : wvl_lattice_carry_forward_floats(a, c->first, c->deep);
    a->tile = choose_tile(a, c);
    const uint64_t tiles = ((uint64_t)wvl_lattice_half(a, a->levels) - 1) / (uint64_t)a->tile + 1;
    wvl_plain_launch(device, c->kernel, (tiles - 1) / warps + 1, WVL_PLAIN_CARRY_THREADS,
                     warps * (uint32_t)floats * FLOAT_BYTES, a);
}

/* One level: `pairs` of a thread block. */
static void launch_level(wvl_plain_device *device, const wvl_lattice_args *a, wvl_plain_kernel kernel, uint64_t pairs,
                         uint32_t floats)
{
    const uint64_t half = (uint64_t)wvl_lattice_half(a, 1);
    wvl_plain_launch(device, kernel, (half - 1) / pairs + 1, WVL_PLAIN_LATTICE_THREADS, floats * FLOAT_BYTES, a);
}

void wvl_lattice_run_on_device(wvl_plain_device *device, const wvl_lattice_plan *plan, const wvl_lattice_run *run,
                               int is_inverse)
{
    wvl_lattice_args a = make_args(plan, run);
    if (a.levels > 1) {
        launch_carrier(device, &a, is_inverse);
    } else if (plan->is_convolution) {
        launch_level(device, &a, is_inverse ? WVL_PLAIN_INVERSE_CONVOLVE : WVL_PLAIN_FORWARD_CONVOLVE,
                     4 * WVL_PLAIN_LATTICE_THREADS,
                     (uint32_t)wvl_lattice_convolve_floats(&a, WVL_PLAIN_LATTICE_THREADS));
    } else {
        launch_level(device, &a, is_inverse ? WVL_PLAIN_INVERSE_LANES : WVL_PLAIN_FORWARD_LANES,
                     WVL_PLAIN_LATTICE_THREADS / 32 * (32 * WVL_PLAIN_LANES - a.steps.stage_count), 0);
    }
}

void wvl_lattice_copy_on_device(wvl_plain_device *device, const float *from, int64_t from_stride, float *to,
                                int64_t to_stride, uint64_t count)
{
    const wvl_plain_copy a = {.from = {(uint64_t)(uintptr_t)from, from_stride, 0},
                              .to = {(uint64_t)(uintptr_t)to, to_stride, 0},
                              .width = count,
                              .height = 1};
    const uint64_t blocks = (count - 1) / WVL_PLAIN_THREADS + 1;
    wvl_plain_launch(device, WVL_PLAIN_COPY, blocks < 65536 ? blocks : 65536, WVL_PLAIN_THREADS, 0, &a);
}
