/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With plan->rate.rdoq, blocks are quantised for the slopes at which the picture is going to end, before these are
 * known. Weights of blocks give a first estimate. Phases of growing shares of the blocks, each quantised for the
 * estimate so far, refine it. Bytes depend on it, so every phase is complete before the next one begins, and what it
 * shows is the same on every machine. Where rate control then ends far off, codec/write/recode.h has all blocks coded
 * again.
 */
#ifndef WVL_CODEC_BLOCKS_SURVEY_H
#define WVL_CODEC_BLOCKS_SURVEY_H

#include "codec/blocks/block_wave.h"
#include "codec/core/descent.h"

/* Codes phases that show slopes, and leaves these in the order. *coded: ranges that are coded then. */
wvl_status wvl_survey_wave(wvl_block_wave *wave, uint64_t *coded);

#endif
