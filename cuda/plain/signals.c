/* SPDX-License-Identifier: BSD-2-Clause */
/* The 1-D transform on a device: which kernel, and how the work is dealt out. */
#include "cuda/plain/device.h"
#include "lattice/lattice.h"

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

/* Stretches begin with samples of their neighbours, so long ones cost less, if there are enough of them. */
static long long choose_stretch(long long length)
{
    return length / WVL_PLAIN_LONG_STRETCH >= WVL_PLAIN_LONG_WARPS ? WVL_PLAIN_LONG_STRETCH : WVL_PLAIN_STRETCH;
}

static void launch_march(wvl_plain_device *device, wvl_lattice_args *a, int is_inverse)
{
    const uint32_t warps = WVL_PLAIN_MARCH_THREADS / 32;
    const int floats = is_inverse ? wvl_lattice_march_inverse_floats(a, WVL_PLAIN_LANES, WVL_PLAIN_DEEP_LANES)
                                  : wvl_lattice_march_forward_floats(a, WVL_PLAIN_LANES, WVL_PLAIN_DEEP_LANES);
    a->tile = choose_stretch(a->length) >> a->levels;
    const uint64_t tiles = ((uint64_t)wvl_lattice_half(a, a->levels) - 1) / (uint64_t)a->tile + 1;
    wvl_plain_launch(device, is_inverse ? WVL_PLAIN_INVERSE_MARCH : WVL_PLAIN_FORWARD_MARCH, (tiles - 1) / warps + 1,
                     WVL_PLAIN_MARCH_THREADS, warps * (uint32_t)floats * FLOAT_BYTES, a);
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
        launch_march(device, &a, is_inverse);
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
