/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wavelet transforms alone, without an encoder: wvl_dwt1 for long signals (first half), wvl_dwt2 for pictures (second
 * half). Link libwavelane-dwt; the encoder's library is not needed. All that wavelane.h says about structures with a
 * struct_size, errors and allocators holds here too. The interface is not frozen yet.
 *
 * ---- Signals ----
 *
 *   wvl_dwt1_options options = {.struct_size = sizeof options, .wavelet = "db4", .type = WVL_DWT_F32, .threads = 8};
 *   wvl_dwt1 *dwt;
 *   wvl_dwt1_create(&options, &dwt, error, sizeof error);
 *   wvl_dwt1_forward(dwt, signal, 1, length, levels, coefs, error, sizeof error);
 *   wvl_dwt1_inverse(dwt, coefs, length, levels, signal, 1, error, sizeof error);
 *   wvl_dwt1_release(dwt);
 *
 * One level takes n samples to h = ceil(n / 2) low and h high coefficients:
 *
 *   low[i]  = sum over k of  low_taps[k] * x[2 i + first + k]
 *   high[i] = sum over k of high_taps[k] * x[2 i + first + k]
 *
 * x is periodic. If n is odd, the last sample stands twice in the period. The next level transforms the low
 * coefficients. Two forms give the same result, except for rounding:
 * - Lattice: taps / 2 steps on pairs of samples, about half the arithmetic of a convolution (D. Puchala and
 *   K. Stokfiszewski, Highly Effective GPU Realization of Discrete Wavelet Transform for Big-Data Problems, 2021). All
 *   steps of a block of samples run in cache, so each level reads and writes memory once.
 * - Convolution: the sums above.
 * Products are added by fused multiply-adds in a fixed order, also on processors that have none (x86 before FMA, where
 * this is slow). So the output bits of one form do not depend on the number of threads or on the SIMD level. Only the
 * bits of NaN may.
 */
#ifndef WAVELANE_DWT_H
#define WAVELANE_DWT_H

#include "wavelane.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wvl_dwt_type {
    WVL_DWT_F32 = 1, /* float */
    WVL_DWT_F64 = 2, /* double; wvl_dwt1 alone */
    WVL_DWT_I32 = 3  /* int32_t; wvl_dwt2 alone */
} wvl_dwt_type;

/* Where a transform reads and writes memory. */
typedef enum wvl_dwt_memory {
    WVL_DWT_HOST = 0,
    /* A CUDA device: every address and every view is in its memory. Calls queue their work in a stream and return; the
     * memory that they use must live until that work is done. The bits are those of the host. */
    WVL_DWT_DEVICE = 1
} wvl_dwt_memory;

typedef enum wvl_dwt1_form {
    WVL_DWT1_AUTO = 0, /* the lattice where the filters have one, else the convolution */
    WVL_DWT1_LATTICE = 1,
    WVL_DWT1_CONVOLUTION = 2
} wvl_dwt1_form;

typedef struct wvl_dwt1_options {
    size_t struct_size;
    /* "haar", "db2" to "db16" (Daubechies), "sym2" to "sym16" (symlets), "coif1" to "coif5" (coiflets) are
     * orthonormal. "cdf53", "cdf97" and "dd137" are scaled as in ISO/IEC 15444-1 Annex F: the low filter has gain 1
     * for a constant signal, the high filter gain 2 for the highest frequency. NULL: the taps below. */
    const char *wavelet;
    /* Taps for wavelet == NULL, read during the call only. tap_count: even, 2 to 32; a shorter filter has zeros at its
     * ends. high_taps NULL: the orthogonal partner, high[k] = (-1)^k low[tap_count - 1 - k]. */
    const double *low_taps, *high_taps;
    uint32_t tap_count;
    int32_t first;            /* for the taps above: the sample of coefficient 0 that meets tap 0; -2^20 to 2^20 */
    uint32_t type;            /* wvl_dwt_type, of signals and coefficients */
    uint32_t form;            /* wvl_dwt1_form */
    uint32_t threads;         /* 0 or 1: the calling thread alone; at most 1024 */
    const wvl_runner *runner; /* NULL: own threads. The runner must live as long as the object */
    const wvl_allocator *allocator; /* NULL: malloc. Copied */
    uint32_t memory;                /* wvl_dwt_memory, of signals and coefficients. A device takes WVL_DWT_F32 alone */
    uint32_t device;                /* WVL_DWT_DEVICE: its ordinal; else 0 */
    void *stream;                   /* as in wvl_dwt2_options */
} wvl_dwt1_options;

/* The filters and their lattice. */
typedef struct wvl_dwt1_info {
    size_t struct_size;
    uint32_t tap_count, form; /* form: the one in use, never WVL_DWT1_AUTO */
    int32_t first;
    double low_taps[32], high_taps[32];
    /* The lattice, if has_lattice is 1. (u, v) = (x[2i + first], x[2i + 1 + first]). Stage k: (u, v) <- (u + t[k] v,
     * s[k] u + v), and then (u_i, v_i) <- (v_i, u_(i+1)). After the last stage: low = b[0] u + b[1] v,
     * high = b[2] u + b[3] v. There are tap_count / 2 - 1 stages. */
    uint32_t has_lattice, stage_count;
    double t[15], s[15], b[4];
    double tap_residual;         /* the largest difference between the taps and those of the lattice, as doubles */
    double reconstruct_residual; /* the largest error after forward and inverse, in doubles, samples of -1 to 1 */
} wvl_dwt1_info;

typedef struct wvl_dwt1 wvl_dwt1;

/* Factorises the filters, checks them, and starts threads. *dwt is NULL on any failure.
 * WVL_ERROR_PARAMETER: unknown wavelet, taps out of range or not finite, or filters that do not reconstruct.
 * WVL_ERROR_UNSUPPORTED: form is WVL_DWT1_LATTICE and the filters have none; the text has the reason ("dd137").
 * WVL_ERROR_ARGUMENT: NULL, or a struct_size that is not taken. WVL_ERROR_MEMORY. With WVL_DWT_DEVICE also
 * WVL_ERROR_UNSUPPORTED: WVL_DWT_F64, a build without device code, or a device older than compute capability 7.5;
 * WVL_ERROR_DEVICE: there is no device, or it failed. In this function and all below, error gets the reason of a
 * failure, terminated. It is not changed on success, and it may be NULL. */
WVL_API wvl_status wvl_dwt1_create(const wvl_dwt1_options *options, wvl_dwt1 **dwt, char *error, size_t error_bytes);
/* NULL is ignored. */
WVL_API void wvl_dwt1_release(wvl_dwt1 *dwt);
/* Fills as much of *info as its struct_size has room for. Errors: WVL_ERROR_ARGUMENT. */
WVL_API wvl_status wvl_dwt1_describe(const wvl_dwt1 *dwt, wvl_dwt1_info *info);

/* The number of coefficients of `length` samples after `levels` levels: `length`, and one more for each level that
 * takes an odd number of samples. 0: the length is 0 or above 2^48, or levels is above 48. */
WVL_API uint64_t wvl_dwt1_count(uint64_t length, uint32_t levels);

/* Transforms a signal. Sample i is signal[i * stride]; stride counts samples, may be negative, and is not 0. coefs gets
 * wvl_dwt1_count(length, levels) coefficients without gaps: low of the last level, high of the last level, high of the
 * level before, ..., high of level 1. signal and coefs must not overlap. levels: 1 or more; a level of one sample is
 * allowed. The first call that needs memory for low coefficients between levels takes it, and the object keeps it. An
 * object serves one call at a time.
 * WVL_ERROR_ARGUMENT: NULL, a length, stride or number of levels out of range. WVL_ERROR_MEMORY. On a device also
 * WVL_ERROR_DEVICE: the work could not be queued, or earlier work failed.
 * NaN and infinity reach only the coefficients whose window of tap_count samples contains them. The lattice form in
 * f32 overflows for samples above 1e22; the convolution form overflows only where the coefficient does. */
WVL_API wvl_status wvl_dwt1_forward(wvl_dwt1 *dwt, const void *signal, int64_t stride, uint64_t length, uint32_t levels,
                                    void *coefs, char *error, size_t error_bytes);

/* The inverse. coefs is as wvl_dwt1_forward() leaves it; `length` samples are written. Errors: the same. */
WVL_API wvl_status wvl_dwt1_inverse(wvl_dwt1 *dwt, const void *coefs, uint64_t length, uint32_t levels, void *signal,
                                    int64_t stride, char *error, size_t error_bytes);

/*
 * ---- Pictures ----
 *
 *   wvl_dwt2_options options = {.struct_size = sizeof options, .wavelet = "cdf97", .type = WVL_DWT_F32, .threads = 8};
 *   wvl_dwt2_view image = {pixels, 1, width}, plane = {coefs, 1, width}, bands[3 * 5 + 1];
 *   wvl_dwt2_create(&options, &dwt, error, sizeof error);
 *   wvl_dwt2_place(WVL_DWT2_SEPARATE, &plane, width, height, 5, bands);
 *   wvl_dwt2_forward(dwt, &image, width, height, 5, bands, error, sizeof error);
 *   wvl_dwt2_inverse(dwt, bands, width, height, 5, &image, error, sizeof error);
 *   wvl_dwt2_release(dwt);
 *
 * This is the transform of ISO/IEC 15444-1 Annex F for one component: columns first, then rows; whole-sample symmetric
 * extension; the first sample is even. Low filters have gain 1 for a constant picture, high filters gain 2 for the
 * highest frequency. A direction of one sample is left as it is. A level splits w x h samples into four bands: LL
 * (ceil(w / 2) x ceil(h / 2)), HL (floor(w / 2) x ceil(h / 2); high along the rows), LH (ceil(w / 2) x floor(h / 2))
 * and HH (floor(w / 2) x floor(h / 2)). The next level splits LL.
 *
 *   "cdf53", WVL_DWT_I32   reversible 5/3: the inverse gives every sample back; samples of at most 2^26 in magnitude
 *   "cdf53", WVL_DWT_F32   5/3 without rounding
 *   "cdf97", WVL_DWT_F32   9/7; forward uses the kernels of the encoder and gives its bits, except for the last scaling
 *   "dd137", WVL_DWT_F32   Deslauriers-Dubuc 13/7 (ISO/IEC 15444-2)
 *
 * The bits do not depend on the number of threads, the strides, the layout or the SIMD level.
 */

/* A view says where samples lie: sample (x, y) is samples[x * column_stride + y * row_stride]. Strides count samples,
 * may be negative, and are not 0. */
typedef struct wvl_dwt2_view {
    void *samples; /* may be NULL where there are no samples */
    int64_t column_stride, row_stride;
} wvl_dwt2_view;

typedef struct wvl_dwt2_options {
    size_t struct_size;
    const char *wavelet;            /* "cdf53", "cdf97" or "dd137" */
    uint32_t type;                  /* wvl_dwt_type, of pixels and coefficients: see above */
    uint32_t threads;               /* 0 or 1: the calling thread alone; at most 1024 */
    const wvl_runner *runner;       /* NULL: own threads. The runner must live as long as the object */
    const wvl_allocator *allocator; /* NULL: malloc. Copied */
    uint32_t memory;                /* wvl_dwt_memory */
    uint32_t device;                /* WVL_DWT_DEVICE: its ordinal; else 0 */
    /* For WVL_DWT_DEVICE: the CUstream or cudaStream_t in which work is queued. It is of the device's primary context,
     * which the CUDA runtime uses. NULL: the default stream. Borrowed until release. For WVL_DWT_HOST: NULL. */
    void *stream;
} wvl_dwt2_options;

typedef enum wvl_dwt2_layout {
    /* The low-low coefficients of the last level are at the top left. The bands of each level lie around the part that
     * is split further: HL to the right, LH below, HH below HL. */
    WVL_DWT2_SEPARATE = 0,
    /* Coefficients lie where their pixels are: the bands of level k have strides 2^k times those of the plane. */
    WVL_DWT2_INTERLEAVED = 1
} wvl_dwt2_layout;

typedef struct wvl_dwt2 wvl_dwt2;

/* *dwt is NULL on any failure. WVL_ERROR_PARAMETER: a wavelet, type or number out of range. WVL_ERROR_ARGUMENT: NULL,
 * or a struct_size that is not taken. WVL_ERROR_MEMORY. With WVL_DWT_DEVICE also WVL_ERROR_UNSUPPORTED: this build has
 * no device code, or the device is older than compute capability 7.5; WVL_ERROR_DEVICE: there is no device, or it
 * failed. error may be NULL. */
WVL_API wvl_status wvl_dwt2_create(const wvl_dwt2_options *options, wvl_dwt2 **dwt, char *error, size_t error_bytes);
/* NULL is ignored. */
WVL_API void wvl_dwt2_release(wvl_dwt2 *dwt);

/* Fills the 3 * levels + 1 views of the bands of a width x height picture: LL of the last level, HL, LH, HH of the
 * last level, ..., HL, LH, HH of level 1. A caller may also place bands itself: views may point anywhere. levels: 0 to
 * 32. WVL_ERROR_ARGUMENT: NULL, or a number out of range. Any thread. */
WVL_API wvl_status wvl_dwt2_place(uint32_t layout, const wvl_dwt2_view *plane, uint32_t width, uint32_t height,
                                  uint32_t levels, wvl_dwt2_view *bands);

/* Transforms image to bands, in the order of wvl_dwt2_place(). image and bands must not share a sample. width and
 * height: 1 to 2^31 - 1. The first call that needs memory for low-low coefficients between levels (about a third of the
 * picture) and for working rows takes it, and the object keeps it. An object serves one call at a time.
 * WVL_ERROR_ARGUMENT: NULL, a stride of 0, a number out of range. WVL_ERROR_MEMORY. On a device WVL_ERROR_DEVICE: the
 * work could not be queued, or earlier work failed; WVL_ERROR_UNSUPPORTED: a side has more than 2^30 samples.
 * NaN and infinity reach the coefficients whose filters meet them, and one or two coefficients more, because lifting
 * reaches as far as the longest filter. */
WVL_API wvl_status wvl_dwt2_forward(wvl_dwt2 *dwt, const wvl_dwt2_view *image, uint32_t width, uint32_t height,
                                    uint32_t levels, const wvl_dwt2_view *bands, char *error, size_t error_bytes);
/* Transforms bands to image, the inverse. Errors: the same. */
WVL_API wvl_status wvl_dwt2_inverse(wvl_dwt2 *dwt, const wvl_dwt2_view *bands, uint32_t width, uint32_t height,
                                    uint32_t levels, const wvl_dwt2_view *image, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
