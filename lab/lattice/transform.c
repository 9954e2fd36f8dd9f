/* SPDX-License-Identifier: BSD-2-Clause */
/* wavelane_dwt.h, the 1-D part: objects, levels, threads. */
#include "wavelane_dwt.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/structs.h"
#include "lab/lattice/lattice.h"

enum { MOST_THREADS = 1024, MOST_LEVELS = 48, MOST_TASKS = 4096, TRIAL = 200 };
static const uint64_t most_length = UINT64_C(1) << 48;

struct wvl_dwt1 {
    wvl_allocator allocator;
    int has_allocator;
    uint32_t type;
    wvl_pool *pool;
    wvl_lattice_device device;
    wvl_lattice_plan plan;
    double reconstruct_residual;
    void *scratch[2]; /* low coefficients between levels */
    uint64_t scratch_bytes[2];
};

/* One level, dealt out to threads in runs of blocks. */
typedef struct job {
    const wvl_lattice_plan *plan;
    const wvl_lattice_level *level;
    void (*run)(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block);
    uint64_t blocks, run_blocks;
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

static const wvl_allocator *allocator_of(const wvl_dwt1 *dwt) { return dwt->has_allocator ? &dwt->allocator : NULL; }

/* ---- One level ---- */

static void run_blocks(void *arg, uint32_t index, uint32_t worker)
{
    const job *j = arg;
    const uint64_t first = index * j->run_blocks, end = first + j->run_blocks;
    (void)worker;
    for (uint64_t block = first; block < end && block < j->blocks; block++) {
        j->run(j->plan, j->level, block);
    }
}

static void run_level(wvl_dwt1 *dwt, const wvl_lattice_level *level, int forward)
{
    job j = {.plan = &dwt->plan, .level = level};
    if (dwt->type == WVL_DWT_F32) {
        j.run = forward ? wvl_lattice_forward_f32 : wvl_lattice_inverse_f32;
    } else {
        j.run = forward ? wvl_lattice_forward_f64 : wvl_lattice_inverse_f64;
    }
    j.blocks = (level->half + WVL_LATTICE_BLOCK - 1) / WVL_LATTICE_BLOCK;
    j.run_blocks = (j.blocks + MOST_TASKS - 1) / MOST_TASKS;
    wvl_pool_run(dwt->pool, (uint32_t)((j.blocks + j.run_blocks - 1) / j.run_blocks), run_blocks, &j);
}

/* ---- Filters ---- */

static int are_finite(const double *taps, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (!isfinite(taps[k])) {
            return 0;
        }
    }
    return 1;
}

static wvl_status read_taps(const wvl_dwt1_options *o, wvl_lattice_filter *f, char *error, size_t error_bytes)
{
    if (!o->low_taps) {
        return fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                    "wvl_dwt1_create: wavelet and low_taps are NULL; set one of them");
    }
    if (o->tap_count < 2 || o->tap_count > WVL_LATTICE_TAPS || o->tap_count % 2 || o->first < -(1 << 20) ||
        o->first > 1 << 20) {
        return fail(
            WVL_ERROR_PARAMETER, error, error_bytes,
            "tap_count is %u and first is %d: tap_count is even, from 2 to 32; first is from -1048576 to 1048576",
            o->tap_count, o->first);
    }
    if (!are_finite(o->low_taps, o->tap_count) || (o->high_taps && !are_finite(o->high_taps, o->tap_count))) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes,
                    "a tap is not a finite number; give taps that are neither infinite nor NaN");
    }
    f->tap_count = o->tap_count;
    f->first = o->first;
    for (uint32_t k = 0; k < o->tap_count; k++) {
        const double partner = o->low_taps[o->tap_count - 1 - k];
        f->low[k] = o->low_taps[k];
        f->high[k] = k % 2 ? -partner : partner;
    }
    if (o->high_taps) {
        memcpy(f->high, o->high_taps, o->tap_count * sizeof *f->high);
    }
    return WVL_OK;
}

static wvl_status choose_filter(const wvl_dwt1_options *o, wvl_lattice_plan *plan, char *error, size_t error_bytes)
{
    wvl_lattice_filter *f = &plan->filter;
    if (!o->wavelet) {
        const wvl_status status = read_taps(o, f, error, error_bytes);
        if (status) {
            return status;
        }
    } else if (!wvl_lattice_find_filter(o->wavelet, f)) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes,
                    "unknown wavelet \"%.40s\": use haar, db2 to db16, sym2 to sym16, coif1 to coif5, cdf53, cdf97 or "
                    "dd137, or give taps",
                    o->wavelet);
    }
    if (!wvl_lattice_fill_inverse(f)) {
        return fail(
            WVL_ERROR_PARAMETER, error, error_bytes,
            "these filters do not reconstruct: the determinant of their polyphase matrix is not one power of z");
    }
    wvl_lattice_factorise(f);
    if (o->form == WVL_DWT1_LATTICE && !f->has_lattice) {
        return fail(WVL_ERROR_UNSUPPORTED, error, error_bytes, "no lattice for %.40s: %s; use the convolution form",
                    o->wavelet ? o->wavelet : "these taps", f->why_not);
    }
    plan->is_convolution = o->form == WVL_DWT1_CONVOLUTION || !f->has_lattice;
    return WVL_OK;
}

/* Forward and inverse of numbers by chance, in doubles. */
static double measure_residual(const wvl_lattice_plan *plan)
{
    double signal[TRIAL], bands[TRIAL], back[TRIAL], worst = 0;
    uint32_t state = 1;
    for (uint32_t i = 0; i < TRIAL; i++) {
        state = state * 1664525u + 1013904223u;
        signal[i] = (double)(state >> 8) / (1 << 23) - 1;
    }
    wvl_lattice_level level = {
        .in = {signal}, .out = {bands, bands + TRIAL / 2}, .stride = 1, .length = TRIAL, .half = TRIAL / 2};
    wvl_lattice_forward_f64(plan, &level, 0);
    wvl_lattice_level inverse = {
        .in = {bands, bands + TRIAL / 2}, .out = {back}, .stride = 1, .length = TRIAL, .half = TRIAL / 2};
    wvl_lattice_inverse_f64(plan, &inverse, 0);
    for (uint32_t i = 0; i < TRIAL; i++) {
        const double error = fabs(back[i] - signal[i]);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

/* ---- Objects ---- */

static wvl_status check_options(const wvl_dwt1_options *o, char *error, size_t error_bytes)
{
    if (o->type != WVL_DWT_F32 && o->type != WVL_DWT_F64) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes, "type is %u: use WVL_DWT_F32 or WVL_DWT_F64", o->type);
    }
    if (o->memory > WVL_DWT_DEVICE || (o->memory == WVL_DWT_HOST && (o->stream || o->device))) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes,
                    "memory is not a wvl_dwt_memory, or stream or device is set with WVL_DWT_HOST");
    }
    if (o->memory == WVL_DWT_DEVICE && o->type != WVL_DWT_F32) {
        return fail(WVL_ERROR_UNSUPPORTED, error, error_bytes,
                    "no kernel takes WVL_DWT_F64 on a device: use WVL_DWT_F32, or WVL_DWT_HOST");
    }
    if (o->form > WVL_DWT1_CONVOLUTION) {
        return fail(WVL_ERROR_PARAMETER, error, error_bytes, "form is %u: use a value of wvl_dwt1_form", o->form);
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

/* Threads, or the device. */
static wvl_status open_memory(wvl_dwt1 *dwt, const wvl_dwt1_options *o, char *error, size_t error_bytes)
{
    if (o->memory == WVL_DWT_DEVICE) {
        return wvl_plain_open(allocator_of(dwt), o->device, o->stream, &dwt->device.device, error, error_bytes);
    }
    dwt->pool = wvl_pool_create(allocator_of(dwt), o->threads ? o->threads : 1, o->runner);
    return dwt->pool ? WVL_OK : fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for threads");
}

wvl_status wvl_dwt1_create(const wvl_dwt1_options *options, wvl_dwt1 **dwt, char *error, size_t error_bytes)
{
    wvl_dwt1_options o;
    wvl_lattice_plan plan = {0};
    if (dwt) {
        *dwt = NULL;
    }
    if (!dwt || !options || !wvl_struct_read(&o, sizeof o, options, WVL_STRUCT_UNTIL(wvl_dwt1_options, allocator))) {
        return fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                    "wvl_dwt1_create: an argument is NULL, or struct_size is not that of wvl_dwt1_options");
    }
    wvl_status status = check_options(&o, error, error_bytes);
    if (!status) {
        status = choose_filter(&o, &plan, error, error_bytes);
    }
    if (status) {
        return status;
    }
    wvl_dwt1 *made = wvl_alloc_zeroed(o.allocator, sizeof *made);
    if (!made) {
        return fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for a transform");
    }
    made->has_allocator = o.allocator != NULL;
    if (o.allocator) {
        made->allocator = *o.allocator;
    }
    made->type = o.type;
    made->plan = plan;
    wvl_lattice_prepare(&made->plan);
    made->reconstruct_residual = measure_residual(&made->plan);
    status = open_memory(made, &o, error, error_bytes);
    if (status) {
        wvl_dwt1_release(made);
        return status;
    }
    *dwt = made;
    return WVL_OK;
}

void wvl_dwt1_release(wvl_dwt1 *dwt)
{
    if (!dwt) {
        return;
    }
    const wvl_allocator allocator = dwt->allocator, *given = dwt->has_allocator ? &allocator : NULL;
    if (dwt->pool) {
        wvl_pool_destroy(dwt->pool);
    }
    wvl_lattice_close_device(&dwt->device);
    for (int i = 0; i < 2; i++) {
        if (dwt->scratch[i]) {
            wvl_free(given, dwt->scratch[i], dwt->scratch_bytes[i]);
        }
    }
    wvl_free(given, dwt, sizeof *dwt);
}

wvl_status wvl_dwt1_describe(const wvl_dwt1 *dwt, wvl_dwt1_info *info)
{
    wvl_dwt1_info found = {.struct_size = sizeof found};
    const size_t least = WVL_STRUCT_UNTIL(wvl_dwt1_info, reconstruct_residual);
    if (!dwt || !info) {
        return WVL_ERROR_ARGUMENT;
    }
    const wvl_lattice_filter *f = &dwt->plan.filter;
    found.tap_count = f->tap_count;
    found.form = dwt->plan.is_convolution ? WVL_DWT1_CONVOLUTION : WVL_DWT1_LATTICE;
    found.first = f->first;
    memcpy(found.low_taps, f->low, sizeof f->low);
    memcpy(found.high_taps, f->high, sizeof f->high);
    found.reconstruct_residual = dwt->reconstruct_residual;
    if (f->has_lattice) {
        found.has_lattice = 1;
        found.stage_count = f->stage_count;
        found.tap_residual = f->tap_residual;
        memcpy(found.t, f->t, sizeof f->t);
        memcpy(found.s, f->s, sizeof f->s);
        memcpy(found.b, f->b, sizeof f->b);
    }
    return wvl_struct_write(info, &found, sizeof found, least) ? WVL_OK : WVL_ERROR_ARGUMENT;
}

/* ---- Transforms of several levels ---- */

uint64_t wvl_dwt1_count(uint64_t length, uint32_t levels)
{
    uint64_t count = length;
    if (length > most_length || levels > MOST_LEVELS) {
        return 0;
    }
    for (uint64_t n = length; levels > 0; levels--) {
        count += n % 2;
        n = n / 2 + n % 2;
    }
    return count;
}

static wvl_status check_call(const wvl_dwt1 *dwt, const void *signal, const void *coefs, int64_t stride,
                             uint64_t length, uint32_t levels, char *error, size_t error_bytes)
{
    if (!dwt || !signal || !coefs) {
        return fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                    "an argument is NULL: give an object, samples and coefficients");
    }
    if (stride == 0 || stride > INT32_MAX || stride < -INT32_MAX || levels == 0 || !wvl_dwt1_count(length, levels)) {
        return fail(WVL_ERROR_ARGUMENT, error, error_bytes,
                    "length, stride or levels is out of range: length is 1 to 2^48, stride is not 0 and below 2^31, "
                    "levels is 1 to 48");
    }
    return WVL_OK;
}

/* Room for the low coefficients of the first levels: all but the last have a place in one of two buffers. */
static int grow_scratch(wvl_dwt1 *dwt, uint64_t length, uint32_t levels)
{
    const uint64_t bytes = dwt->type == WVL_DWT_F32 ? sizeof(float) : sizeof(double);
    uint64_t n = length;
    for (uint32_t i = 0; i < 2 && i + 1 < levels; i++) {
        n = n / 2 + n % 2;
        if (dwt->scratch_bytes[i] >= n * bytes) {
            continue;
        }
        if (dwt->scratch[i]) {
            wvl_free(allocator_of(dwt), dwt->scratch[i], dwt->scratch_bytes[i]);
        }
        dwt->scratch_bytes[i] = n * bytes;
        dwt->scratch[i] = wvl_alloc(allocator_of(dwt), n * bytes);
        if (!dwt->scratch[i]) {
            dwt->scratch_bytes[i] = 0;
            return 0;
        }
    }
    return 1;
}

/* Samples that level k takes; level 0 takes the signal. */
uint64_t wvl_lattice_length_at(uint64_t length, uint32_t k)
{
    for (; k > 0; k--) {
        length = length / 2 + length % 2;
    }
    return length;
}

/* Where the high coefficients of level k begin. */
uint64_t wvl_lattice_high_at(uint64_t length, uint32_t levels, uint32_t k)
{
    uint64_t at = wvl_lattice_length_at(length, levels);
    for (uint32_t i = levels - 1; i > k; i--) {
        at += wvl_lattice_length_at(length, i + 1);
    }
    return at;
}

wvl_status wvl_dwt1_forward(wvl_dwt1 *dwt, const void *signal, int64_t stride, uint64_t length, uint32_t levels,
                            void *coefs, char *error, size_t error_bytes)
{
    const wvl_status status = check_call(dwt, signal, coefs, stride, length, levels, error, error_bytes);
    if (status) {
        return status;
    }
    if (dwt->device.device) {
        const wvl_lattice_call call = {(float *)(uintptr_t)signal, (float *)(uintptr_t)coefs, stride, length, levels};
        return wvl_lattice_call_device(&dwt->device, &dwt->plan, &call, 0, error, error_bytes);
    }
    if (!grow_scratch(dwt, length, levels)) {
        return fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for the low coefficients between levels");
    }
    const uint64_t bytes = dwt->type == WVL_DWT_F32 ? sizeof(float) : sizeof(double);
    for (uint32_t k = 0; k < levels; k++) {
        const uint64_t n = wvl_lattice_length_at(length, k);
        wvl_lattice_level level = {.stride = k ? 1 : stride, .length = n, .half = n / 2 + n % 2};
        level.in[0] = k ? dwt->scratch[(k - 1) % 2] : signal;
        level.out[0] = k + 1 < levels ? dwt->scratch[k % 2] : coefs;
        level.out[1] = (char *)coefs + wvl_lattice_high_at(length, levels, k) * bytes;
        run_level(dwt, &level, 1);
    }
    return WVL_OK;
}

wvl_status wvl_dwt1_inverse(wvl_dwt1 *dwt, const void *coefs, uint64_t length, uint32_t levels, void *signal,
                            int64_t stride, char *error, size_t error_bytes)
{
    const wvl_status status = check_call(dwt, signal, coefs, stride, length, levels, error, error_bytes);
    if (status) {
        return status;
    }
    if (dwt->device.device) {
        const wvl_lattice_call call = {(float *)(uintptr_t)signal, (float *)(uintptr_t)coefs, stride, length, levels};
        return wvl_lattice_call_device(&dwt->device, &dwt->plan, &call, 1, error, error_bytes);
    }
    if (!grow_scratch(dwt, length, levels)) {
        return fail(WVL_ERROR_MEMORY, error, error_bytes, "no memory for the low coefficients between levels");
    }
    const uint64_t bytes = dwt->type == WVL_DWT_F32 ? sizeof(float) : sizeof(double);
    for (uint32_t k = levels; k-- > 0;) {
        const uint64_t n = wvl_lattice_length_at(length, k);
        wvl_lattice_level level = {.stride = k ? 1 : stride, .length = n, .half = n / 2 + n % 2};
        level.in[0] = k + 1 < levels ? dwt->scratch[k % 2] : coefs;
        level.in[1] = (const char *)coefs + wvl_lattice_high_at(length, levels, k) * bytes;
        level.out[0] = k ? dwt->scratch[(k - 1) % 2] : signal;
        run_level(dwt, &level, 0);
    }
    return WVL_OK;
}
