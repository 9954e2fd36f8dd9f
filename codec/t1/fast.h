/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the fast block encoder.
 *
 * Sets of samples are bit masks. A unit is eight columns of one stripe, and its window is 60 bits: ten columns (one
 * more on each side) of six rows (one above, one below), column by column, so that the order of bits is the order of
 * the scan. What a sample's context needs is then a shift of the window of significance, a sample that becomes
 * significant is one bit in a register, and a pass walks only its members. A pass first lists its symbols, then the MQ
 * coder runs over the list: neither loop waits for the other's dependences.
 */
#pragma once

#include "codec/t1/kernels.h"
#include "codec/t1/t1_coder.h"

#define WVL_ALWAYS_INLINE inline __attribute__((always_inline))

/* ceil(w / 8) * ceil(h / 4) is largest for 4 x 1024. */
#define WVL_T1_MAX_UNITS 256
/* The same with an insignificant unit before each row of units, and a row above and below. */
#define WVL_T1_MAX_FRAMED_UNITS (258 * 2 + 1)
/* A cleanup of a column in run mode that fails at its first row: 3 + sign + 3 * 2 for four samples; plus a segmentation
 * symbol, plus what a store of 64 may write beyond the end. */
#define WVL_T1_MAX_SYMBOLS (WVL_T1_MAX_SAMPLES / 4 * 10 + 16 + 64 + WVL_MQ_READ_AHEAD)

/* The window: bit 6 (column + 1) + row + 1, columns -1..8, rows -1..4. */
#define WVL_T1_WINDOW_COLUMNS(six) (UINT64_C(0x0041041041041041) * (six))
#define WVL_T1_INNER_COLUMNS (~UINT64_C(0) >> 10 & ~UINT64_C(63))
#define WVL_T1_INNER (WVL_T1_WINDOW_COLUMNS(0x1E) & WVL_T1_INNER_COLUMNS) /* the unit's own samples */
#define WVL_T1_INNER_FIRST 7                                              /* bit of its first sample */
#define WVL_T1_TOP_ROW (WVL_T1_WINDOW_COLUMNS(0x02) & WVL_T1_INNER_COLUMNS)

typedef struct wvl_t1_fast_state {
    uint64_t significant[WVL_T1_MAX_FRAMED_UNITS]; /* inner bits only, as all but `negative` */
    uint64_t visited[WVL_T1_MAX_UNITS];
    uint64_t members[WVL_T1_MAX_UNITS];  /* significant before this plane: what its refinement pass codes */
    uint64_t refined[WVL_T1_MAX_UNITS];  /* members of the plane before */
    uint64_t negative[WVL_T1_MAX_UNITS]; /* whole windows; of insignificant samples too */
    uint8_t symbols[WVL_T1_MAX_SYMBOLS];
    uint64_t planes[]; /* plane p, unit i at p * unit_count + i; as many as the largest block has */
} wvl_t1_fast_state;

/* One block in work. */
struct wvl_t1_fast {
    wvl_t1_fast_state *s;
    const wvl_t1_input *in;
    uint32_t width, height;
    uint32_t stripes, units; /* units per stripe */
    uint32_t unit_count;
    uint64_t last_unit_mask;                      /* columns of the block in the last unit of a stripe */
    uint64_t last_stripe_mask;                    /* rows of the block in the last stripe */
    uint32_t offsets[WVL_T1_INNER_FIRST + 6 * 8]; /* of the sample of a bit from the unit's first, in elements */
    uint64_t gain_sum;                            /* sum of the magnitudes that became significant in this pass */
    uint64_t gain_count;
};

/* A block before its first pass; `in` is borrowed. Then its samples become masks of `planes` planes above the fraction
 * bits. */
void wvl_t1_init_block(wvl_t1_fast *b, const wvl_t1_input *in, wvl_t1_fast_state *state);
void wvl_t1_load_block(wvl_t1_fast *b, const wvl_t1_kernels *kernels, uint32_t planes);

/* A unit with the rows above and below it; `row` units lie between stripes of the framed array. */
static WVL_ALWAYS_INLINE uint64_t wvl_t1_add_rows(const uint64_t *unit, size_t row, int sees_below)
{
    uint64_t below = sees_below ? unit[row] : 0;
    return unit[0] | (*(unit - row) >> 4 & WVL_T1_WINDOW_COLUMNS(1)) | (below << 4 & WVL_T1_WINDOW_COLUMNS(32));
}

static WVL_ALWAYS_INLINE uint64_t wvl_t1_add_columns(uint64_t left, uint64_t own, uint64_t right)
{
    return own | left >> 48 | (right & UINT64_C(0xFC0)) << 48;
}
