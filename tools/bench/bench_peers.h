/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is encoded, for every coder; and encoders of HT code blocks beside ours, where CMake found them: C++ libraries
 * behind C. Both take their rows one by one, as 32-bit samples: they are widened on the way, while the clock runs, from
 * planes whose samples are as narrow as their depth allows. Of what was tried this is the fastest for both (32-bit
 * planes in memory cost OpenHTJ2K a quarter of its speed).
 */
#pragma once

#include <stdint.h>

#include "bench_time.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WVL_BENCH_ERROR_BYTES 512

/* Further "key=value" parameters of Wavelane, set last. */
#define WVL_BENCH_MAX_SETTINGS 32
typedef struct wvl_bench_settings {
    const char *text[WVL_BENCH_MAX_SETTINGS];
    size_t count;
} wvl_bench_settings;

typedef struct wvl_bench_job {
    int reversible;
    int color_transform;
    double bpp;         /* bits per pixel of the reference grid; 0: all that the quantiser keeps */
    uint64_t cap_bytes; /* Wavelane only: hard limit of the codestream, in place of bpp; 0: none */
    double step;        /* base quantiser step as a part of the full range; 0: each coder's own; not for OpenJPEG */
    int ht;             /* high-throughput blocks; not for OpenJPEG */
    uint32_t levels;
    uint32_t threads;
    const wvl_bench_settings *settings; /* Wavelane only; may be NULL */
    struct wvl_context *context; /* Wavelane only: threads that outlive the encode; NULL: they are started for it */
} wvl_bench_job;

typedef struct wvl_bench_coded {
    uint8_t *data; /* raw codestream, from malloc; a copy made after the clock stopped */
    size_t bytes;
    wvl_bench_time time;
} wvl_bench_coded;

/* Planes of one size, `width` samples a row: 16 bits, or one unsigned byte where depth <= 8. */
typedef struct wvl_bench_ht_planes {
    uint32_t width, height, count, depth;
    int is_signed;
    void **plane;
} wvl_bench_ht_planes;

static inline int wvl_bench_ht_is_narrow(const wvl_bench_ht_planes *p) { return p->depth <= 8 && !p->is_signed; }

static inline void wvl_bench_ht_fill_row(const wvl_bench_ht_planes *p, uint32_t component, uint32_t y, int32_t *out)
{
    size_t first = (size_t)y * p->width;
    const uint8_t *narrow = (const uint8_t *)p->plane[component] + first;
    const uint16_t *wide = (const uint16_t *)p->plane[component] + first;
    if (wvl_bench_ht_is_narrow(p)) {
        for (uint32_t x = 0; x < p->width; x++) {
            out[x] = narrow[x];
        }
    } else if (p->is_signed) {
        for (uint32_t x = 0; x < p->width; x++) {
            out[x] = (int16_t)wide[x];
        }
    } else {
        for (uint32_t x = 0; x < p->width; x++) {
            out[x] = wide[x];
        }
    }
}

/* Nonzero (reason in error) where it failed. */
typedef int wvl_bench_ht_encode(const wvl_bench_ht_planes *, const wvl_bench_job *, wvl_bench_coded *, char *error);

#ifdef WVL_HAVE_OPENJPH
wvl_bench_ht_encode wvl_bench_encode_openjph;
const char *wvl_bench_openjph_version(void);
#endif
#ifdef WVL_HAVE_OPENHTJ2K
wvl_bench_ht_encode wvl_bench_encode_openhtj2k;
#endif

#ifdef __cplusplus
}
#endif
