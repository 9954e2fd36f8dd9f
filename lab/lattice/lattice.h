/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of the 1-D transform, their lattices, and the kernels that work on one block of samples (D-lattice-01). */
#pragma once

#include "lab/on_device.h"
#include "wavelane_dwt.h"

enum {
    WVL_LATTICE_TAPS = 32,
    WVL_LATTICE_STAGES = WVL_LATTICE_TAPS / 2 - 1,
    /* Pairs that a block gives. Two arrays of doubles of this length stay in a first-level cache of 32 KiB. */
    WVL_LATTICE_BLOCK = 1024,
    /* A block reads up to 15 pairs more; kernels may read, and never use, up to 16 more. */
    WVL_LATTICE_ROOM = WVL_LATTICE_BLOCK + 32
};

/* Two filters that reconstruct, in the window that begins at sample 2 i + first. */
typedef struct wvl_lattice_filter {
    uint32_t tap_count; /* even */
    int32_t first;
    double low[WVL_LATTICE_TAPS], high[WVL_LATTICE_TAPS];
    /* The inverse as a convolution: pair i = sum over k of even[2 k] low[i - delay + k] + even[2 k + 1] high[...], and
     * odd in the same way. */
    double even[WVL_LATTICE_TAPS], odd[WVL_LATTICE_TAPS];
    uint32_t delay; /* pairs, 0 to tap_count - 2 */
    uint32_t has_lattice, stage_count;
    double t[WVL_LATTICE_STAGES], s[WVL_LATTICE_STAGES], b[4];
    double inverse_b[4]; /* of b, with the determinants of all stages */
    double tap_residual;
    char why_not[160]; /* has_lattice is 0: the reason */
} wvl_lattice_filter;

/* Finds a wavelet by name. 0: there is none. */
int wvl_lattice_find_filter(const char *name, wvl_lattice_filter *filter);
/* Fills the rest of a filter whose taps are set. 0: the filters do not reconstruct. */
int wvl_lattice_fill_inverse(wvl_lattice_filter *filter);
/* Fills the lattice, or why_not. */
void wvl_lattice_factorise(wvl_lattice_filter *filter);

/* The numbers of a filter in the type of the samples. */
typedef struct wvl_lattice_steps_f32 {
    uint32_t stage_count, tap_count;
    float t[WVL_LATTICE_STAGES], s[WVL_LATTICE_STAGES], b[4], inverse_b[4];
    float low[WVL_LATTICE_TAPS], high[WVL_LATTICE_TAPS], even[WVL_LATTICE_TAPS], odd[WVL_LATTICE_TAPS];
} wvl_lattice_steps_f32;
typedef struct wvl_lattice_steps_f64 {
    uint32_t stage_count, tap_count;
    double t[WVL_LATTICE_STAGES], s[WVL_LATTICE_STAGES], b[4], inverse_b[4];
    double low[WVL_LATTICE_TAPS], high[WVL_LATTICE_TAPS], even[WVL_LATTICE_TAPS], odd[WVL_LATTICE_TAPS];
} wvl_lattice_steps_f64;

/* Rounds the numbers of a filter that is complete. */
void wvl_lattice_round_f32(const wvl_lattice_filter *filter, wvl_lattice_steps_f32 *to);

/* Block kernels. u and v: WVL_LATTICE_ROOM values, changed by the lattice. p and q: `count` results.
 * Forward: pair k of u, v is pair i + k of the signal, results are low and high of i. The inverse: u, v are low and
 * high of i - delay + k, results are the even and odd samples of pair i. `count` + tap_count / 2 - 1 values of u and v
 * count; what stands behind them is read, and changes no result. */
#define WVL_LATTICE_TYPE(T, X)                                                                                         \
    typedef void (*wvl_lattice_run_##X)(const wvl_lattice_steps_##X *steps, T *u, T *v, T *p, T *q, uint32_t count);   \
    typedef struct wvl_lattice_kernels_##X {                                                                           \
        wvl_lattice_run_##X forward, inverse, convolve, convolve_back;                                                 \
        void (*split)(const T *x, T *u, T *v, uint32_t count);       /* u[i], v[i] = x[2 i], x[2 i + 1] */             \
        void (*merge)(const T *u, const T *v, T *x, uint32_t count); /* the opposite */                                \
    } wvl_lattice_kernels_##X;
WVL_LATTICE_TYPE(float, f32)
WVL_LATTICE_TYPE(double, f64)
#undef WVL_LATTICE_TYPE

typedef struct wvl_lattice_kernels {
    wvl_lattice_kernels_f32 f32;
    wvl_lattice_kernels_f64 f64;
} wvl_lattice_kernels;
/* The same bits from every table. */
extern const wvl_lattice_kernels wvl_lattice_kernels_c;
#ifdef WVL_HAVE_AVX2
extern const wvl_lattice_kernels wvl_lattice_kernels_avx2;
#endif

/* A call of the transform: one level of it at a time. */
typedef struct wvl_lattice_level {
    const void *in[2]; /* forward: the signal; inverse: low, high */
    void *out[2];
    int64_t stride; /* of the signal, in samples */
    uint64_t length, half;
} wvl_lattice_level;

typedef struct wvl_lattice_plan {
    wvl_lattice_filter filter;
    wvl_lattice_kernels kernels;
    wvl_lattice_steps_f32 f32;
    wvl_lattice_steps_f64 f64;
    int is_convolution;
} wvl_lattice_plan;

void wvl_lattice_prepare(wvl_lattice_plan *plan);
/* One block of a level: pairs [block * WVL_LATTICE_BLOCK, ...). */
void wvl_lattice_forward_f32(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block);
void wvl_lattice_forward_f64(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block);
void wvl_lattice_inverse_f32(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block);
void wvl_lattice_inverse_f64(const wvl_lattice_plan *plan, const wvl_lattice_level *level, uint64_t block);

/* Samples that level k takes, from 0; the coefficients of all levels if k is their number. Where in the coefficients
 * the high ones of level k begin. */
uint64_t wvl_lattice_length_at(uint64_t length, uint32_t k);
uint64_t wvl_lattice_high_at(uint64_t length, uint32_t levels, uint32_t k);

/* ---- On a device: the same bits ---- */

enum { WVL_LATTICE_MOST_RUNS = 48, WVL_LATTICE_PACKED = 2, WVL_LATTICE_MEMORIES };

/* Memory: low coefficients of every second launch, and the signal without gaps. */
typedef struct wvl_lattice_device {
    wvl_plain_device *device; /* NULL: memory is the host's */
    float *memory[WVL_LATTICE_MEMORIES];
    uint64_t count[WVL_LATTICE_MEMORIES];
} wvl_lattice_device;

typedef struct wvl_lattice_call {
    float *signal, *coefs;
    int64_t stride;
    uint64_t length;
    uint32_t levels;
} wvl_lattice_call;

/* One launch. signal: no gaps. low: of its last level. coefs: its high coefficients of level k, from 1, stand
 * ceil(length / 2^k) behind it. */
typedef struct wvl_lattice_run {
    float *signal, *low, *coefs;
    uint64_t length;
    uint32_t levels;
} wvl_lattice_run;

void wvl_lattice_close_device(wvl_lattice_device *device);
/* Queues all levels. */
wvl_status wvl_lattice_call_device(wvl_lattice_device *device, const wvl_lattice_plan *plan,
                                   const wvl_lattice_call *call, int is_inverse, char *error, size_t error_bytes);

/* Implemented in lab/cuda/plain; between wvl_plain_enter() and wvl_plain_leave(), but for the first one. */
uint32_t wvl_lattice_levels_of_launch(const wvl_lattice_plan *plan, uint64_t length, uint32_t levels);
void wvl_lattice_run_on_device(wvl_plain_device *device, const wvl_lattice_plan *plan, const wvl_lattice_run *run,
                               int is_inverse);
void wvl_lattice_copy_on_device(wvl_plain_device *device, const float *from, int64_t from_stride, float *to,
                                int64_t to_stride, uint64_t count);
