/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane_dwt.h, the 2-D part: objects, levels, threads. */
#include "wavelane_dwt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/intmath.h"
#include "base/pool.h"
#include "base/structs.h"
#include "lab/dwt2/dwt2.h"

enum { MOST_THREADS = 1024, MOST_LEVELS = 32, LEAST_ROWS = 64, STRIPS_OF_THREAD = 4, MOST_SIDE_ON_DEVICE = 1 << 30 };

struct wvl_dwt2 {
    wvl_allocator allocator;
    int has_allocator;
    wvl_pool *pool;
    wvl_plain_device *device; /* NULL: memory is the host's */
    wvl_dwt2_kernels kernels;
    wvl_dwt2_scheme forward, inverse;
    void *low[2]; /* low-low coefficients between levels */
    uint64_t low_bytes[2];
    void *lines; /* of all workers */
    uint64_t lines_bytes, lines_of_worker;
    uint32_t width; /* that the lines have */
};

/* One level, dealt out to threads in strips of rows. */
typedef struct job {
    const wvl_dwt2 *dwt;
    wvl_dwt2_level level;
    uint32_t strip_rows;
    int is_inverse;
} job;

static wvl_status fail(wvl_status status, char *error, size_t error_bytes, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (error && error_bytes) {
        vsnprintf(error, error_bytes, format, values);
    }
    va_end(values);
    return status;
}

static const wvl_allocator *allocator_of(const wvl_dwt2 *dwt) { return dwt->has_allocator ? &dwt->allocator : NULL; }

/* ---- Objects ---- */

static wvl_status check_options(const wvl_dwt2_options *o, char *error, size_t error_bytes)
{
    if (o->memory > WVL_DWT_DEVICE || (o->memory == WVL_DWT_HOST && (o->stream || o->device))) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes,
                    "memory is not a wvl_dwt_memory, or stream or device is set with WVL_DWT_HOST");
    }
    if (o->threads > MOST_THREADS) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes, "threads is %u: use 0 to 1024", o->threads);
    }
    if (o->runner && (!o->runner->run || o->runner->concurrency < 1 || o->runner->concurrency > MOST_THREADS)) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes,
                    "runner has no function, or a concurrency outside 1 to 1024");
    }
    if (o->allocator && (!o->allocator->allocate || !o->allocator->release)) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes, "allocator lacks a function: set allocate and release");
    }
    return WVL_OK;
}

static wvl_dwt2_kernels choose_kernels(void)
{
    wvl_dwt2_kernels kernels = {&wvl_dwt2_rows_c, wvl_dwt_fetch_kernels(wvl_cpu_fetch_level())};
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() == WVL_CPU_AVX2 || wvl_cpu_fetch_level() == WVL_CPU_AVX512) {
        kernels.rows = &wvl_dwt2_rows_avx2;
    }
#endif
    return kernels;
}

/* Threads, or the device. */
static wvl_status open_memory(wvl_dwt2 *dwt, const wvl_dwt2_options *o, char *error, size_t error_bytes)
{
    if (o->memory == WVL_DWT_DEVICE) {
        return wvl_plain_open(allocator_of(dwt), o->device, o->stream, &dwt->device, error, error_bytes);
    }
    dwt->pool = wvl_pool_create(allocator_of(dwt), o->threads ? o->threads : 1, o->runner);
    return dwt->pool ? WVL_OK : fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for threads");
}

wvl_status wvl_dwt2_create(const wvl_dwt2_options *options, wvl_dwt2 **dwt, char *error, size_t error_bytes)
{
    wvl_dwt2_options o;
    wvl_dwt2_scheme forward, inverse;
    if (dwt) {
        *dwt = NULL;
    }
    if (!dwt || !options || !wvl_struct_read(&o, sizeof o, options, WVL_STRUCT_UNTIL(wvl_dwt2_options, stream)) ||
        !o.wavelet) {
        return fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                    "wvl_dwt2_create: an argument or wavelet is NULL, or struct_size is not that of wvl_dwt2_options");
    }
    const wvl_status status = check_options(&o, error, error_bytes);
    if (status) {
        return status;
    }
    if (!wvl_dwt2_find_scheme(o.wavelet, o.type, &forward, &inverse)) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes,
                    "no transform \"%.40s\" of type %u: use cdf53 with WVL_DWT_I32 or WVL_DWT_F32, or cdf97 or dd137 "
                    "with WVL_DWT_F32",
                    o.wavelet, o.type);
    }
    wvl_dwt2 *made = wvl_alloc_zeroed(o.allocator, sizeof *made);
    if (!made) {
        return fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for a transform");
    }
    made->has_allocator = o.allocator != NULL;
    if (o.allocator) {
        made->allocator = *o.allocator;
    }
    made->forward = forward;
    made->inverse = inverse;
    made->kernels = choose_kernels();
    const wvl_status opened = open_memory(made, &o, error, error_bytes);
    if (opened) {
        wvl_dwt2_release(made);
        return opened;
    }
    *dwt = made;
    return WVL_OK;
}

/* low-low coefficients lie where the views do. */
static void free_low(wvl_dwt2 *dwt, uint32_t i)
{
    if (dwt->device) {
        wvl_plain_release(dwt->device, dwt->low[i]);
    } else if (dwt->low[i]) {
        wvl_free(allocator_of(dwt), dwt->low[i], dwt->low_bytes[i]);
    }
    dwt->low[i] = NULL;
    dwt->low_bytes[i] = 0;
}

static void free_memory(wvl_dwt2 *dwt, void **memory, uint64_t *bytes)
{
    if (*memory) {
        wvl_free(allocator_of(dwt), *memory, *bytes);
    }
    *memory = NULL;
    *bytes = 0;
}

void wvl_dwt2_release(wvl_dwt2 *dwt)
{
    if (!dwt) {
        return;
    }
    if (dwt->pool) {
        wvl_pool_destroy(dwt->pool);
    }
    free_low(dwt, 0);
    free_low(dwt, 1);
    free_memory(dwt, &dwt->lines, &dwt->lines_bytes);
    wvl_plain_close(dwt->device);
    const wvl_allocator allocator = dwt->allocator;
    wvl_free(dwt->has_allocator ? &allocator : NULL, dwt, sizeof *dwt);
}

/* ---- Bands ---- */

/* Samples of a side at level k; 0: the picture. */
static uint32_t side_at(uint32_t side, uint32_t k)
{
    return k > 31 ? 1 : (uint32_t)(((uint64_t)side + (UINT64_C(1) << k) - 1) >> k);
}

static wvl_dwt2_view shift_view(const wvl_dwt2_view *plane, int64_t x, int64_t y, int64_t columns, int64_t rows)
{
    wvl_dwt2_view view = {plane->samples, plane->column_stride * columns, plane->row_stride * rows};
    if (plane->samples) {
        view.samples = (wvl_dwt2_word *)plane->samples + (x * plane->column_stride + y * plane->row_stride);
    }
    return view;
}

/* Band `orient` (0 LL to 3 HH) of level k. */
static wvl_dwt2_view place_band(uint32_t layout, const wvl_dwt2_view *plane, uint32_t width, uint32_t height,
                                uint32_t k, uint32_t orient)
{
    const int64_t right = orient & 1, down = orient >> 1;
    const int has_band = (!right || side_at(width, k - 1) > 1) && (!down || side_at(height, k - 1) > 1);
    if (!has_band) {
        return (wvl_dwt2_view){NULL, 1, 1};
    }
    if (layout == WVL_DWT2_SEPARATE) {
        return shift_view(plane, right * side_at(width, k), down * side_at(height, k), 1, 1);
    }
    /* A side of one sample stays as it is, however far it would be spread. */
    const int64_t step = k > 31 ? 1 : INT64_C(1) << k;
    return shift_view(plane, right * (step >> 1), down * (step >> 1), side_at(width, k) > 1 ? step : 1,
                      side_at(height, k) > 1 ? step : 1);
}

static int is_picture(uint32_t width, uint32_t height, uint32_t levels)
{
    return width && height && width <= INT32_MAX && height <= INT32_MAX && levels <= MOST_LEVELS;
}

wvl_status wvl_dwt2_place(uint32_t layout, const wvl_dwt2_view *plane, uint32_t width, uint32_t height, uint32_t levels,
                          wvl_dwt2_view *bands)
{
    if (!plane || !bands || !is_picture(width, height, levels) || layout > WVL_DWT2_INTERLEAVED) {
        return WVL_ERROR_ARGUMENT;
    }
    bands[0] = levels ? place_band(layout, plane, width, height, levels, 0) : *plane;
    for (uint32_t k = levels; k > 0; k--) {
        for (uint32_t orient = 1; orient < 4; orient++) {
            bands[3 * (levels - k) + orient] = place_band(layout, plane, width, height, k, orient);
        }
    }
    return WVL_OK;
}

/* ---- Memory ---- */

/* Lines for all workers. They are zero at first: what a strip has not read yet is computed with, and not used. */
static int fit_lines(wvl_dwt2 *dwt, uint32_t width)
{
    if (dwt->device || (dwt->lines && dwt->width >= width)) {
        return 1;
    }
    free_memory(dwt, &dwt->lines, &dwt->lines_bytes);
    dwt->lines_of_worker = wvl_mul_saturate(WVL_DWT2_LINES, wvl_line_bytes(width, WVL_LINE_I32));
    dwt->lines_bytes = wvl_mul_saturate(dwt->lines_of_worker, wvl_pool_concurrency(dwt->pool));
    dwt->lines = wvl_alloc_zeroed(allocator_of(dwt), dwt->lines_bytes);
    dwt->width = width;
    return dwt->lines != NULL;
}

static wvl_dwt2_lines lines_of(const wvl_dwt2 *dwt, uint32_t worker)
{
    wvl_carver carver = {(uint8_t *)dwt->lines + worker * dwt->lines_of_worker, 0};
    wvl_dwt2_lines lines;
    for (int i = 0; i < WVL_DWT2_LINES; i++) {
        lines.row[i] = wvl_line_carve(&carver, dwt->width, WVL_LINE_I32);
    }
    return lines;
}

/* Buffer k % 2 holds low-low coefficients of level k, from 1 to levels - 1. */
static int fit_low(wvl_dwt2 *dwt, uint32_t width, uint32_t height, uint32_t levels)
{
    for (uint32_t k = 1; k < levels && k < 3; k++) {
        const uint64_t bytes = wvl_mul_saturate(wvl_mul_saturate(side_at(width, k), side_at(height, k)), 4);
        if (dwt->low_bytes[k % 2] >= bytes) {
            continue;
        }
        free_low(dwt, k % 2);
        dwt->low[k % 2] = dwt->device ? wvl_plain_allocate(dwt->device, bytes) : wvl_alloc(allocator_of(dwt), bytes);
        if (!dwt->low[k % 2]) {
            return 0;
        }
        dwt->low_bytes[k % 2] = bytes;
    }
    return 1;
}

/* ---- Levels ---- */

static void run_strip(void *arg, uint32_t index, uint32_t worker)
{
    const job *j = arg;
    const wvl_dwt2_lines lines = lines_of(j->dwt, worker);
    const uint32_t y0 = index * j->strip_rows, left = j->level.height - y0;
    const uint32_t y1 = y0 + (left < j->strip_rows ? left : j->strip_rows);
    (j->is_inverse ? wvl_dwt2_inverse_rows : wvl_dwt2_forward_rows)(&j->level, y0, y1, &lines);
}

/* Low-low coefficients of level k: a buffer, or the picture, or the caller's band. */
static wvl_dwt2_view low_view(const wvl_dwt2 *dwt, const wvl_dwt2_view *image, const wvl_dwt2_view *bands,
                              uint32_t width, uint32_t levels, uint32_t k)
{
    if (k == 0 || k == levels) {
        return k ? bands[0] : *image;
    }
    return (wvl_dwt2_view){dwt->low[k % 2], 1, side_at(width, k)};
}

static void run_level(wvl_dwt2 *dwt, const wvl_dwt2_view *image, const wvl_dwt2_view *bands, uint32_t width,
                      uint32_t height, uint32_t levels, uint32_t k, int is_inverse)
{
    const wvl_dwt2_view *details = bands + 3 * (levels - k) + 1;
    job j = {.dwt = dwt,
             .level = {.kernels = dwt->kernels,
                       .scheme = is_inverse ? &dwt->inverse : &dwt->forward,
                       .plane = low_view(dwt, image, bands, width, levels, k - 1),
                       .bands = {low_view(dwt, image, bands, width, levels, k), details[0], details[1], details[2]},
                       .width = side_at(width, k - 1),
                       .height = side_at(height, k - 1)},
             .is_inverse = is_inverse};
    if (dwt->device) {
        wvl_dwt2_level_on_device(dwt->device, &j.level, is_inverse);
        return;
    }
    const uint32_t workers = wvl_pool_concurrency(dwt->pool), strips = workers > 1 ? STRIPS_OF_THREAD * workers : 1;
    j.strip_rows = (j.level.height - 1) / strips + 1;
    j.strip_rows += j.strip_rows & 1;
    if (j.strip_rows < LEAST_ROWS) {
        j.strip_rows = LEAST_ROWS;
    }
    wvl_pool_run(dwt->pool, (j.level.height - 1) / j.strip_rows + 1, run_strip, &j);
}

static void copy_picture(const wvl_dwt2 *dwt, const wvl_dwt2_view *from, const wvl_dwt2_view *to, uint32_t width,
                         uint32_t height)
{
    if (dwt->device) {
        wvl_dwt2_copy_on_device(dwt->device, from, to, width, height);
        return;
    }
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            ((wvl_dwt2_word *)to->samples)[x * to->column_stride + y * to->row_stride] =
                ((const wvl_dwt2_word *)from->samples)[x * from->column_stride + y * from->row_stride];
        }
    }
}

static int is_view(const wvl_dwt2_view *view, int has_samples)
{
    return !has_samples || (view->samples && view->column_stride && view->row_stride);
}

static wvl_status check_call(const wvl_dwt2 *dwt, const wvl_dwt2_view *image, const wvl_dwt2_view *bands,
                             uint32_t width, uint32_t height, uint32_t levels, char *error, size_t error_bytes)
{
    if (!dwt || !image || !bands || !is_picture(width, height, levels)) {
        return fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                    "an argument is NULL, width or height is not from 1 to 2147483647, or levels is above 32");
    }
    if (dwt->device && (width > MOST_SIDE_ON_DEVICE || height > MOST_SIDE_ON_DEVICE)) {
        return fail(WVL_ERROR_UNSUPPORTED, error, error_bytes,
                    "a side has more than 1073741824 samples, the most on a device; use WVL_DWT_HOST");
    }
    int are_views = is_view(image, 1) && is_view(&bands[0], 1);
    for (uint32_t i = 1; i <= 3 * levels; i++) {
        const uint32_t k = levels - (i - 1) / 3, orient = (i - 1) % 3 + 1;
        are_views = are_views && is_view(&bands[i], (!(orient & 1) || side_at(width, k - 1) > 1) &&
                                                        (!(orient >> 1) || side_at(height, k - 1) > 1));
    }
    return are_views ? WVL_OK
                     : fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                            "a view has no samples or a stride of 0; fill bands with wvl_dwt2_place()");
}

static wvl_status run(wvl_dwt2 *dwt, const wvl_dwt2_view *image, const wvl_dwt2_view *bands, const uint32_t size[2],
                      uint32_t levels, int is_inverse, char *error, size_t error_bytes)
{
    const wvl_status status = check_call(dwt, image, bands, size[0], size[1], levels, error, error_bytes);
    if (status) {
        return status;
    }
    if (!fit_lines(dwt, size[0]) || !fit_low(dwt, size[0], size[1], levels)) {
        return fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for working rows of a %u x %u picture", size[0],
                    size[1]);
    }
    const wvl_status entered = dwt->device ? wvl_plain_enter(dwt->device, error, error_bytes) : WVL_OK;
    if (entered) {
        return entered;
    }
    if (levels == 0) {
        copy_picture(dwt, is_inverse ? &bands[0] : image, is_inverse ? image : &bands[0], size[0], size[1]);
    }
    for (uint32_t i = 0; i < levels; i++) {
        run_level(dwt, image, bands, size[0], size[1], levels, is_inverse ? levels - i : i + 1, is_inverse);
    }
    return dwt->device ? wvl_plain_leave(dwt->device, error, error_bytes) : WVL_OK;
}

wvl_status wvl_dwt2_forward(wvl_dwt2 *dwt, const wvl_dwt2_view *image, uint32_t width, uint32_t height, uint32_t levels,
                            const wvl_dwt2_view *bands, char *error, size_t error_bytes)
{
    return run(dwt, image, bands, (const uint32_t[2]){width, height}, levels, 0, error, error_bytes);
}

wvl_status wvl_dwt2_inverse(wvl_dwt2 *dwt, const wvl_dwt2_view *bands, uint32_t width, uint32_t height, uint32_t levels,
                            const wvl_dwt2_view *image, char *error, size_t error_bytes)
{
    return run(dwt, image, bands, (const uint32_t[2]){width, height}, levels, 1, error, error_bytes);
}
