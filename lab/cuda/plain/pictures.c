/* SPDX-License-Identifier: BSD-2-Clause */
/* The 2-D transform on a device: which kernel, and how the work is dealt out. */
#include "lab/cuda/plain/device.h"
#include "lab/dwt2/dwt2.h"

enum { WARPS = WVL_PLAIN_THREADS / 32, MOST_ROWS = 128, LEAST_ROWS = 16, WANTED_WARPS = 8192 };

static wvl_plain_view view_of(const wvl_dwt2_view *v)
{
    return (wvl_plain_view){(uint64_t)(uintptr_t)v->samples, v->column_stride, v->row_stride};
}

static int is_aligned(const wvl_plain_view *v, uint64_t samples)
{
    return v->column == 1 && v->at % (4 * samples) == 0 && v->row % (int64_t)samples == 0;
}

static wvl_plain_kernel kernel_of(const wvl_dwt2_scheme *s, int is_inverse)
{
    wvl_plain_kernel forward = WVL_PLAIN_FORWARD_F53;
    if (s->type == WVL_DWT_I32) {
        forward = WVL_PLAIN_FORWARD_I53;
    } else if (s->step_count > 2) {
        forward = WVL_PLAIN_FORWARD_F97;
    } else if (s->steps[0].reach > 1) {
        forward = WVL_PLAIN_FORWARD_F137;
    }
    return is_inverse ? forward - WVL_PLAIN_FORWARD_I53 + WVL_PLAIN_INVERSE_I53 : forward;
}

/* Long stretches read fewer rows twice; a small plane has many short ones, so that all of the device has work. */
static uint32_t choose_rows(uint32_t height, uint32_t columns)
{
    uint32_t rows = MOST_ROWS;
    while (rows > LEAST_ROWS && (uint64_t)columns * ((height - 1) / rows + 1) < WANTED_WARPS) {
        rows /= 2;
    }
    return rows;
}

void wvl_dwt2_level_on_device(wvl_plain_device *device, const wvl_dwt2_level *level, int is_inverse)
{
    wvl_plain_level a = {.plane = view_of(&level->plane), .width = level->width, .height = level->height};
    a.columns = ((level->width - 1) / 2) / WVL_PLAIN_PAIRS + 1;
    a.rows = choose_rows(level->height, a.columns);
    a.is_plane_by_four = is_aligned(&a.plane, 4);
    a.are_bands_by_two = 1;
    for (int i = 0; i < 4; i++) {
        a.bands[i] = view_of(&level->bands[i]);
        a.are_bands_by_two = a.are_bands_by_two && is_aligned(&a.bands[i], 2);
    }
    const uint64_t warps = (uint64_t)a.columns * ((level->height - 1) / a.rows + 1);
    wvl_plain_launch(device, kernel_of(level->scheme, is_inverse), (warps + WARPS - 1) / WARPS, WVL_PLAIN_THREADS, 0,
                     &a);
}

void wvl_dwt2_copy_on_device(wvl_plain_device *device, const wvl_dwt2_view *from, const wvl_dwt2_view *to,
                             uint32_t width, uint32_t height)
{
    const wvl_plain_copy a = {view_of(from), view_of(to), width, height};
    const uint64_t blocks = ((uint64_t)width * height - 1) / WVL_PLAIN_THREADS + 1;
    wvl_plain_launch(device, WVL_PLAIN_COPY, blocks < 65536 ? blocks : 65536, WVL_PLAIN_THREADS, 0, &a);
}
