/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT code block encoder (15444-1 Annex D). Pure functions of their input; they neither allocate nor fail. */
#ifndef WVL_T1_T1_H
#define WVL_T1_T1_H

#include <stddef.h>
#include <stdint.h>

#include "codec/core/block.h"
#include "geom/handover_pass.h"
#include "geom/plan.h"

#define WVL_T1_MAX_SAMPLES 4096
#define WVL_T1_MAX_SIDE 1024
#define WVL_T1_MAX_PLANES 31
#define WVL_T1_MAX_PASSES (3 * WVL_T1_MAX_PLANES - 2)

struct wvl_t1_kernels;

typedef wvl_block_input wvl_t1_input;
typedef wvl_block_output wvl_t1_output;

extern const wvl_block_coder wvl_t1_block_coder;

typedef struct wvl_t1_scratch wvl_t1_scratch; /* wvl_t1_scratch_bytes() bytes aligned to 64, or what a stream's blocks
                                                 need; contents irrelevant between calls */

/*
 * Where max_passes or wants_more stops the block early, the codeword is ended after the last pass coded (`length` is
 * its final_bytes, its tail is stored), and every record is the one it would be if more passes were coded; in
 * particular the last one is not marked TERM unless a segment ends there in any case.
 */
void wvl_t1_encode_block(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out);

/*
 * The same for as many blocks as there are, in less than half the time for each. A block's result is the one it has
 * alone. kernels: wvl_t1_fetch_kernels(), or NULL for plain C; they say how many seats are used.
 */
void wvl_t1_encode_stream(wvl_t1_scratch *scratch, const struct wvl_t1_kernels *kernels, const wvl_block_feed *feed);

/* The same as wvl_t1_encode_block(), word for word from the standard: slow, and the judge of the other. */
void wvl_t1_encode_block_ref(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out);

size_t wvl_t1_scratch_bytes(void); /* for any block, and the reference */

/* The fastest that this processor runs; all give the same results. */
const struct wvl_t1_kernels *wvl_t1_fetch_kernels(void);

/* Never exceeded by any block of this shape, whatever its samples; some bytes of slack the encoder itself uses are
 * included. */
size_t wvl_t1_bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style);

#endif
