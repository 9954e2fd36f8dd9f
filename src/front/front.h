/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the caller's pixels to lines of samples: unpacking, range check, conversion to X'Y'Z' where the plan wants it
 * (xyz_ops.h), level shift (G.1), component transform (G.2, G.3).
 *
 * Level-shifted samples are exact 32-bit integers (depth at most 32). Then:
 *   RCT: Y = floor((R + 2G + B) / 4), U = B - G, V = R - G.
 *   ICT: Y = fmaf(0.299, R, fmaf(0.587, G, 0.114 * B)); B - Y and R - Y are carried unscaled, the plan's reciprocals
 *        hold 0.5 / (1 - 0.114) and 0.5 / (1 - 0.299).
 * The conversion of samples to float rounds to nearest where they have more than 24 bits.
 */
#pragma once

#include "base/cpu.h"
#include "base/line.h"
#include "geom/plan.h"

#define WVL_FRONT_PLANES_MAX 3u
#define WVL_FRONT_PIECE 32768u /* samples of a row at a time, a multiple of WVL_LINE_ROUND (D-front-02) */

/* Constants that turn stored values v into v + bias (which must lie in [0, 2^depth)) and then into level-shifted
 * samples by - half. Unsigned: bias 0; signed: bias = half, so that nothing is shifted in the end. half = 2^(depth-1).
 */
typedef struct wvl_front_shift {
    uint32_t bias, half;
} wvl_front_shift;

/* Kernels. Loads take n samples and read no byte beyond them; `first` is the number of the first container in the row.
 * The result is the OR of the biased values. Conversions work on lines: they may touch n rounded up to WVL_LINE_ROUND.
 */
typedef uint32_t (*wvl_front_load1)(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n,
                                    wvl_front_shift shift, int32_t *out);
/* row: where a pixel begins in whole bytes, and in whole words where samples lie in words; of those the last word
 * counts as a whole. next: from there to the row that comes next, which may lie anywhere. */
typedef uint32_t (*wvl_front_load3)(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift,
                                    int32_t *const *out);
typedef void (*wvl_front_convert)(const int32_t *const *in, uint32_t n, void *const *out);
/* In place, three lines: from samples as they were given, of which bits above the depth are not looked at, to
 * level-shifted ones. */
typedef void (*wvl_front_color)(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines);

enum {
    WVL_LOAD_U8 = 0,
    WVL_LOAD_S8,
    WVL_LOAD_U16,
    WVL_LOAD_S16,
    WVL_LOAD_32,
    WVL_LOAD_PACKED10,
    WVL_LOAD_PACKED12,
    WVL_LOAD_FILLED10_BE,
    WVL_LOAD_FILLED10_LE,
    WVL_LOAD_FILLED12_BE,
    WVL_LOAD_FILLED12_LE,
    WVL_LOAD_WORDS12_BE,
    WVL_LOAD_WORDS12_LE,
    WVL_LOAD_WORDS10_BE,
    WVL_LOAD_WORDS10_LE,
    WVL_LOAD_16_BE,
    WVL_LOAD_KINDS
};
enum {
    WVL_CONVERT_I64 = 0, /* one line */
    WVL_CONVERT_F32,     /* one line */
    WVL_CONVERT_RCT,     /* three lines to i32 */
    WVL_CONVERT_RCT_I64,
    WVL_CONVERT_ICT,
    WVL_CONVERT_KINDS
};

/* Rows are as long as two pages or so, and what fetches memory ahead stops at the end of a page: a cache line of the
 * row that comes next is asked for with each one of this row (D-front-01). */
static inline void wvl_front_ask_for(const uint8_t *p, ptrdiff_t next)
{
    __builtin_prefetch((const void *)((uintptr_t)p + (uintptr_t)next));
}

/* NULL entries of a table mean: the C table's, and where that has none either (triple), load one by one. */
typedef struct wvl_front_kernels {
    wvl_cpu_level level;
    wvl_front_load1 strided[WVL_LOAD_KINDS];    /* any stride */
    wvl_front_load1 contiguous[WVL_LOAD_KINDS]; /* stride 1 */
    wvl_front_load3 triple[WVL_LOAD_KINDS]; /* three components interleaved, none besides: out[i] gets those at place i
                                               of a pixel */
    wvl_front_convert convert[WVL_CONVERT_KINDS];
    wvl_front_color color[WVL_XYZ_KINDS];
} wvl_front_kernels;

const wvl_front_kernels *wvl_front_fetch_kernels(wvl_cpu_level level);
#ifdef WVL_HAVE_AVX2
extern const wvl_front_kernels wvl_front_kernels_avx2;
extern const wvl_front_kernels wvl_front_kernels_avx512;
void wvl_front_put_xyz_avx2(const wvl_plan_xyz *xyz, uint32_t n, int32_t *const *lines);
#endif
#ifdef WVL_HAVE_NEON
extern const wvl_front_kernels wvl_front_kernels_neon;
#endif

/* One component's samples in the caller's memory. */
typedef struct wvl_front_plane {
    const uint8_t *data; /* row y0 of the component */
    ptrdiff_t pitch_bytes;
    uint64_t first, stride; /* containers */
    uint32_t x0, y0;        /* component coordinates of the first sample */
    wvl_front_load1 load;
    uint8_t depth, is_float;
    wvl_front_shift shift;
} wvl_front_plane;

/* Planes that are one interleaved picture. */
typedef struct wvl_front_pixels {
    wvl_front_load3 load;                /* NULL: they are none */
    const uint8_t *data;                 /* pixel 0 of row y0 */
    uint64_t first;                      /* pixel at x0 */
    uint32_t period, period_bytes;       /* pixels that end at a whole byte or word; their bytes */
    uint8_t place[WVL_FRONT_PLANES_MAX]; /* component at place i of a pixel */
} wvl_front_pixels;

/* One component, or the three of a component transform or of a conversion to X'Y'Z' (equal depth, sign and
 * subsampling). */
typedef struct wvl_front_group {
    wvl_front_plane plane[WVL_FRONT_PLANES_MAX];
    uint32_t count;
    wvl_front_pixels triple;
    const wvl_plan_xyz *xyz;   /* the plan's, for color */
    wvl_front_color color;     /* NULL: none */
    wvl_front_convert convert; /* NULL: the samples are what is wanted */
    uint8_t mixes;             /* convert takes all lines at once, else one by one */
    uint8_t element_bytes;     /* of rows */
} wvl_front_group;

/* How many components from this one on must be fetched together. */
static inline uint32_t wvl_front_count_strands(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component)
{
    return component == 0 && (tile->mct != WVL_MCT_NONE || plan->syntax.xyz.kind != WVL_XYZ_NONE) ? 3 : 1;
}

/* Components [component, component + count), a multiple of which wvl_front_count_strands gives, with transform mct
 * (WVL_MCT_*, NONE unless count is 3), delivered as WVL_LINE_* kind. */
wvl_front_group wvl_front_build_group(const wvl_front_kernels *kernels, const wvl_plan *plan, const wvl_image *image,
                                      uint32_t component, uint32_t count, unsigned mct, unsigned kind);
/* Columns [x, x + n) of rows of a group, component coordinates. */
typedef struct wvl_front_fetch {
    wvl_front_group group;
    int32_t *const *work; /* `count` lines of n samples, WVL_FRONT_PIECE at most, used when there is a conversion */
    uint32_t x, n;
    uint32_t outside; /* set to other than 0 by samples that are not within the declared depth */
} wvl_front_fetch;

/* rows: `count` lines of n samples in the group's kind. */
void wvl_front_fetch_row(wvl_front_fetch *fetch, uint32_t y, void *const *rows);
