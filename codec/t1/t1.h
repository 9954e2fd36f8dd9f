/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT code block encoder (15444-1 Annex D). Pure functions of their input; they neither allocate nor fail. */
#pragma once

#include "codec/core/block.h"
#include "geom/plan.h"

#define WVL_T1_MAX_SAMPLES 4096
#define WVL_T1_MAX_SIDE 1024
#define WVL_T1_MAX_PLANES 31
#define WVL_T1_MAX_PASSES (3 * WVL_T1_MAX_PLANES - 2)

struct wvl_t1_kernels;

typedef wvl_block_input wvl_t1_input;
typedef wvl_block_output wvl_t1_output;

/*
 * Where max_passes or wants_more stops a block early, the codeword is ended after the last pass coded (`length` is its
 * final_bytes, its tail is stored), and every record is the one it would be if more passes were coded; in particular
 * the last one is not marked TERM unless a segment ends there in any case.
 *
 * As many blocks are coded together as there are seats, each in less than half the time. A block's result is the one it
 * has alone. bytes_bound includes some bytes of slack that the encoder itself uses.
 */
extern const wvl_block_coder wvl_t1_block_coder;

/* The fastest that this processor runs; all give the same results. NULL is plain C. */
const struct wvl_t1_kernels *wvl_t1_fetch_kernels(void);
