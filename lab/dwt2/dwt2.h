/* SPDX-License-Identifier: BSD-2-Clause */
/* The 2-D transform of wavelane_dwt.h: wavelets as lifting steps, row kernels, one level of a plane (D-dwt2-01). */
#pragma once

#include "base/line.h"
#include "dwt/dwt.h"
#include "lab/on_device.h"
#include "wavelane_dwt.h"

enum {
    WVL_DWT2_STEPS = 4,
    WVL_DWT2_RING = 10, /* rows that are in work at a time: the reaches of all steps, that of the last again, and one */
    WVL_DWT2_LINES = WVL_DWT2_RING + 2
};

/* A sample of 4 bytes, float or integer, where only its place matters. */
typedef uint32_t __attribute__((__may_alias__)) wvl_dwt2_word;

/* A step changes the high (odd) or the low samples. Float: x += near * (both neighbours) + far * (the two of that kind
 * behind them). Integers: x += sign * ((both neighbours + round) >> shift). */
typedef struct wvl_dwt2_step {
    int is_high;
    float near, far;
    int32_t sign, round;
    int shift;
    int reach; /* rows to each side: 1, or 3 with far */
} wvl_dwt2_step;

typedef struct wvl_dwt2_scheme {
    uint32_t type; /* wvl_dwt_type */
    uint32_t step_count;
    wvl_dwt2_step steps[WVL_DWT2_STEPS]; /* in the order of their application */
    int reach;                           /* of all steps */
    float gain[2];                       /* of low and of high coefficients, a direction: after the steps, or before */
    int line_kind;                       /* WVL_LINE_*: src/dwt has forward kernels; -1: it has none */
} wvl_dwt2_scheme;

/* Finds a wavelet. 0: there is none of this name and type. */
int wvl_dwt2_find_scheme(const char *wavelet, uint32_t type, wvl_dwt2_scheme *forward, wvl_dwt2_scheme *inverse);

/* Row kernels: plain loops, the same bits from every table. Samples are float or int32_t, of 4 bytes. */
typedef struct wvl_dwt2_rows {
    /* from: the two neighbours, and the two behind them (used where far is not 0). */
    void (*lift_f32)(float *to, const float *const from[4], const wvl_dwt2_step *step, uint32_t n);
    void (*lift_i32)(int32_t *to, const int32_t *const from[4], const wvl_dwt2_step *step, uint32_t n);
    /* Any 4-byte samples. n pairs. */
    void (*split)(const void *x, void *low, void *high, uint32_t n);
    void (*merge)(const void *low, const void *high, void *x, uint32_t n);
    void (*scale)(float *x, float gain, uint32_t n);
} wvl_dwt2_rows;
extern const wvl_dwt2_rows wvl_dwt2_rows_c;
#ifdef WVL_HAVE_AVX2
extern const wvl_dwt2_rows wvl_dwt2_rows_avx2;
#endif

typedef struct wvl_dwt2_kernels {
    const wvl_dwt2_rows *rows;
    const wvl_dwt_kernels *encoder; /* the encoder's own, for schemes with a line_kind */
} wvl_dwt2_kernels;

/* One level of a plane. width and height are at least 1. */
typedef struct wvl_dwt2_level {
    wvl_dwt2_kernels kernels;
    const wvl_dwt2_scheme *scheme;
    wvl_dwt2_view plane, bands[4]; /* LL, HL, LH, HH */
    uint32_t width, height;
} wvl_dwt2_level;

/* Lines of one worker, each of the width of the widest level. */
typedef struct wvl_dwt2_lines {
    wvl_dwt2_word *row[WVL_DWT2_LINES];
} wvl_dwt2_lines;

/* Rows [y0, y1) of the plane; y0 is even. Every other row is read where filters reach it, and none is written. */
void wvl_dwt2_forward_rows(const wvl_dwt2_level *level, uint32_t y0, uint32_t y1, const wvl_dwt2_lines *lines);
void wvl_dwt2_inverse_rows(const wvl_dwt2_level *level, uint32_t y0, uint32_t y1, const wvl_dwt2_lines *lines);

/* On a device, between wvl_plain_enter() and wvl_plain_leave(): the same bits. Views are of its memory; at most 2^30
 * samples a side. Implemented in lab/cuda/plain. */
void wvl_dwt2_level_on_device(wvl_plain_device *device, const wvl_dwt2_level *level, int is_inverse);
void wvl_dwt2_copy_on_device(wvl_plain_device *device, const wvl_dwt2_view *from, const wvl_dwt2_view *to,
                             uint32_t width, uint32_t height);
