/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the fast block encoder.
 *
 * Sets of samples are bit masks in scan order: a word holds 16 columns of one stripe, four bits a column, top row first. Which
 * samples a pass visits is then a matter of shifts and ands over whole words, and a pass walks only its members. Contexts come from
 * `columns`, one word per stripe column, which significance events (at most one per sample in the life of a block) keep up to date.
 * A pass first lists its symbols, then the MQ coder runs over the list: neither loop waits for the other's dependences.
 */
#ifndef WVL_T1_FAST_H
#define WVL_T1_FAST_H

#include "codec/t1/coder.h"

/* ceil(w / 16) * ceil(h / 4) is largest for 4 x 1024. */
#define WVL_T1_MAX_WORDS 256
/* The same with a word of insignificance before each row of words, and a row above and below. */
#define WVL_T1_MAX_FRAMED_WORDS (258 * 2 + 1)
/* (w + 2) * (ceil(h / 4) + 2) is largest for 819 x 5. */
#define WVL_T1_MAX_COLUMNS (821 * 4)
/* A cleanup of a column in run mode that fails at its first row: 3 + sign + 3 * 2 for four samples; plus a segmentation symbol, plus
 * what a store of four may write beyond the end. */
#define WVL_T1_MAX_SYMBOLS (WVL_T1_MAX_SAMPLES / 4 * 10 + 16)

typedef struct wvl_t1_fast_state {
    /*
     * Low half: bit 3 (row + 1) + k, row -1..4, k 0 west 1 own 2 east: that sample is significant. High half: it is negative too.
     * Nine bits from 3 * row are the neighbourhood of core/t1_context.h.
     */
    uint64_t columns[WVL_T1_MAX_COLUMNS];
    uint64_t significant[WVL_T1_MAX_FRAMED_WORDS];
    uint64_t visited[WVL_T1_MAX_WORDS];
    uint64_t members[WVL_T1_MAX_WORDS]; /* significant before this plane: what its refinement pass codes */
    uint64_t refined[WVL_T1_MAX_WORDS]; /* members of the plane before */
    uint64_t negative[WVL_T1_MAX_WORDS];
    uint64_t planes[32 * WVL_T1_MAX_WORDS]; /* plane p, word i at p * word_count + i */
    uint8_t symbols[WVL_T1_MAX_SYMBOLS];
} wvl_t1_fast_state;

/* One block in work. */
typedef struct wvl_t1_fast {
    wvl_t1_fast_state *s;
    const wvl_t1_input *in;
    const uint8_t *zero_codes; /* 2 * context of zero coding, by neighbourhood */
    uint32_t width, height;
    uint32_t stripes, words; /* words per stripe */
    uint32_t word_count;
    uint32_t column_stride;
    uint64_t last_word_mask;   /* columns of the block in the last word of a stripe */
    uint64_t last_stripe_mask; /* rows of the block in the last stripe */
    uint64_t gain_sum;         /* sum of the magnitudes that became significant in this pass */
    uint64_t gain_count;
} wvl_t1_fast;

/* Each lists its symbols and returns their number. */
size_t wvl_t1_fast_list_pass(wvl_t1_fast *b, int kind, int raw, unsigned plane);

#endif
