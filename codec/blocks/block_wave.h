/* SPDX-License-Identifier: BSD-2-Clause */
/* A wave of blocks at work: its list, and the order that goes to the source next. Shared by the files that choose what
 * to order. */
#ifndef WVL_CODEC_BLOCKS_WAVE_H
#define WVL_CODEC_BLOCKS_WAVE_H

#include "codec/blocks/blocks.h"

typedef struct wvl_block_wave {
    wvl_blocks *blocks;
    const wvl_plan *plan;
    wvl_work_list list;
    wvl_block_order order;  /* ranges and thresholds are set for every order */
    _Atomic unsigned phase; /* of the list, as far as complete blocks show */
} wvl_block_wave;

/* How far below the expected thresholds blocks are coded: early, and where there are few blocks, less is known, so more
 * is coded. */
uint32_t wvl_block_wave_find_margin(const wvl_block_wave *wave, unsigned phase);
/* Thresholds for blocks that are coded from now on, those at work included. From any thread. */
void wvl_block_wave_set_thresholds(wvl_block_wave *wave, const uint32_t *thresholds);
/* Orders the ranges [first, end) of the list. */
wvl_status wvl_block_wave_code(wvl_block_wave *wave, uint64_t first, uint64_t end);
/* Weighs the blocks of the first `ranges` ranges at order.slopes. */
wvl_status wvl_block_wave_weigh(wvl_block_wave *wave, uint64_t ranges);

#endif
