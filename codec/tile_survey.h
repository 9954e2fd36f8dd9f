/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With plan->rdoq, blocks are quantised for the slopes at which the picture is going to end, before that is known. So some tell the others: weights of
 * blocks give a first guess, phases of growing shares of them, quantised for what is known so far, make it better. Bytes depend on it, so every phase is
 * complete before the next one begins, and what it tells is the same on every machine. Where rate control then ends far off, all blocks are coded again.
 */
#ifndef WVL_CODEC_TILE_SURVEY_H
#define WVL_CODEC_TILE_SURVEY_H

#include <stdatomic.h>

#include "codec/tile_coder.h"
#include "codec/tile_work.h"

#define WVL_SURVEY_PHASES 5u      /* whose blocks are surveyed */
#define WVL_SURVEY_FEW_GROUPS 700u /* fewer tell little */

/* The blocks of a wave in work. */
typedef struct wvl_block_work {
    wvl_coder *coder;
    const wvl_coefs *coefs;
    wvl_coded_tile *tiles;      /* of the wave */
    wvl_work_list list;
    uint64_t base, run_groups;  /* groups of the present run: the first, and how many */
    int is_survey;              /* its blocks tell the slopes of those to come */
    int sets_slopes;            /* blocks get those below; when coded again, if theirs are stale */
    uint32_t stale;             /* blocks quantised for slopes farther than this from those below are coded again */
    uint32_t slopes[WVL_RATE_GROUPS]; /* to quantise for (plan->rdoq) */
    _Atomic uint64_t next;      /* the next of them, from 0 */
    uint64_t done;
    int is_again;               /* only blocks that are not decided for `wanted` */
    uint32_t wanted[WVL_RATE_GROUPS];
    _Atomic uint64_t complete;  /* blocks that are coded */
    _Atomic unsigned phase;     /* of the list, as far as complete blocks tell */
    _Atomic int failed;
    _Alignas(64) _Atomic uint32_t thresholds[WVL_RATE_GROUPS]; /* blocks are left when they are decided for it; 0: all passes */
} wvl_block_work;

/* Codes phases that tell slopes, and leaves them in work->slopes. Returns the groups coded. */
uint64_t wvl_survey_wave(wvl_block_work *work);
/* After rate control: whether most blocks are quantised for slopes far from those found. */
int wvl_survey_is_far_off(const wvl_coder *coder);
/* Then: sets slopes to quantise all blocks for once more, and thresholds to code them down to. */
void wvl_survey_set_slopes(wvl_coder *coder);

/* Of tile_coder.c: how far below the expected thresholds blocks are coded. */
uint32_t wvl_survey_find_margin(const wvl_block_work *work, unsigned phase);
void wvl_survey_code_groups(wvl_block_work *work, uint64_t first, uint64_t end);
wvl_block_input wvl_survey_describe_block(const wvl_block_work *work, const wvl_work_band *wb, uint32_t index);

#endif
