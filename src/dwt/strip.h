/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One decomposition level of one or more components over a strip of rows, in one rolling pass: rows come in,
 * coefficients go to their cells, low-low rows to the plane of the next level. Strips of a level are independent of
 * each other.
 */
#pragma once

#include "base/look.h"
#include "dwt/dwt.h"
#include "geom/handover.h"

#define WVL_STRANDS_MAX 3u
#define WVL_DWT_STRIP_ROWS_MIN 64u /* 9/7 filters 8 rows more than a strip has */

/* Where the rows of a band go. */
typedef struct wvl_dwt_band {
    const wvl_tile_band *band; /* NULL: no such band at this level */
    uint8_t *samples;          /* of the tile */
    uint32_t *bounds;          /* of the band's first block; cleared before the first strip */
    uint32_t (*pack)(const void *x, uint32_t n, float r, void *cell);
} wvl_dwt_band;

/* A plane between levels: rows of one resolution, y0 first. Narrow rows have no room for vectors behind them: they are
 * copied to lines and back, so that a plane of one column is not sixteen times as large as its samples. */
typedef struct wvl_dwt_plane {
    uint8_t *rows;
    uint64_t pitch_bytes; /* of a multiple of WVL_LINE_ROUND samples; of a narrow row: of its samples */
    uint32_t y0;
} wvl_dwt_plane;

static inline int wvl_dwt_is_narrow(uint32_t width) { return width < WVL_LINE_ROUND; }

/* One component at one level: the resolution `rect` splits into low-low, HL, LH and HH. */
typedef struct wvl_dwt_strand {
    uint8_t kind;  /* WVL_LINE_*, equal for the strands of a strip */
    uint8_t plain; /* among strands that are split: its rows are coefficients of the low-low band */
    wvl_rect rect;
    wvl_dwt_plane in;     /* unused where rows are fetched */
    wvl_dwt_plane low;    /* rows == NULL: low-low rows are coefficients of band[WVL_BAND_LL] */
    wvl_dwt_band band[4]; /* by WVL_BAND_* */
} wvl_dwt_strand;

/* Working lines of one worker: six rolling rows a strand and two halves. */
typedef struct wvl_dwt_lines {
    uint8_t *even[WVL_STRANDS_MAX][3], *odd[WVL_STRANDS_MAX][3];
    uint8_t *low, *high;
} wvl_dwt_lines;

typedef struct wvl_dwt_strip {
    const wvl_dwt_kernels *kernels;
    const wvl_dwt_strand *strands;
    uint32_t strand_count; /* strands of one strip share rect, which is not empty */
    uint32_t y0, y1;       /* rows of the resolution; inner limits are even and divide no code block of a band */
    const wvl_dwt_lines *lines;
    const wvl_look *look; /* may be NULL; asked before every pair of rows. Once it is over the rest is left as it is */
    uint8_t splits;       /* 0: no decomposition: the rows are coefficients of the low-low band */
    uint8_t fetches;      /* the caller brings the rows; else they come from the strands' planes */
    /* Of wvl_dwt_next_row: */
    uint8_t step;
    uint8_t now, next, before; /* places of pairs k, k + 1 (even rows) or k - 2 (odd rows), k - 1 */
    uint32_t y;                /* the row that is wanted */
    void *rows[WVL_STRANDS_MAX];
    int64_t at;                        /* the same row, beyond the resolution too */
    const void *x[3][WVL_STRANDS_MAX]; /* rows 2k, 2k + 1, 2k + 2 */
} wvl_dwt_strip;

/* What lines must suffice for. */
typedef struct wvl_dwt_extent {
    uint32_t width, height; /* most samples of a row, and most rows of a resolution */
    uint32_t low;           /* most samples of a row of a low half that is no row of a plane */
} wvl_dwt_extent;

/* A single row is not filtered vertically: no rows roll then. */
void wvl_dwt_carve_lines(wvl_carver *carver, uint32_t strand_count, wvl_dwt_extent extent, unsigned kind,
                         wvl_dwt_lines *lines);
/* samples: of the tile; bounds: of the tile's first block. */
void wvl_dwt_build_band(const wvl_dwt_kernels *kernels, unsigned kind, const wvl_tile_band *band, uint8_t *samples,
                        uint32_t *bounds, wvl_dwt_band *out);
/* Rows of a strip where about `wanted` of them make a level: whole code blocks of every band of every strand. */
uint64_t wvl_dwt_strip_rows(const wvl_dwt_strand *strands, uint32_t strand_count, uint32_t wanted);
/* No cut of a resolution of that height has more strips. */
static inline uint64_t wvl_dwt_most_strips(uint32_t height)
{
    return height < 2 ? height : (height - 2u) / WVL_DWT_STRIP_ROWS_MIN + 2;
}
/* How many strips of that many rows there are; 0: nothing to do. */
uint64_t wvl_dwt_count_strips(const wvl_dwt_strand *strands, uint32_t strand_count, uint32_t wanted);

/* Goes on with the strip, all members behind `fetches` 0 at first, until a row is wanted that the caller brings: row y
 * of every strand into rows[strand_count]. 0: the strip is done. */
int wvl_dwt_next_row(wvl_dwt_strip *strip);
