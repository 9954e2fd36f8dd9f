/* SPDX-License-Identifier: BSD-2-Clause */
/* What both block encoders share: how a pass becomes a record. */
#pragma once

#include "codec/core/t1_pass.h"
#include "codec/mq/mq.h"
#include "codec/t1/t1.h"

/* Segment state. The codeword is built one byte into out->bytes, because B of the first segment needs a byte before it.
 */
typedef struct wvl_t1_coder {
    wvl_mq mq;
    wvl_raw raw;
    uint8_t *next;       /* where the present segment starts */
    uint32_t total;      /* passes of the block, coded or not */
    uint32_t safe_floor; /* of the pass before in the segment */
    uint32_t final_floor;
    uint8_t style;
    uint8_t at_start; /* the next pass opens a segment */
} wvl_t1_coder;

/* Returns the number of passes to code; fills planes, and zeros the rest of the output but the buffers. */
uint32_t wvl_t1_init_coder(wvl_t1_coder *coder, const wvl_t1_input *in, wvl_t1_output *out);
void wvl_t1_init_pass(wvl_t1_coder *coder, uint32_t pass);
void wvl_t1_put_pass(wvl_t1_coder *coder, wvl_t1_output *out, int64_t gain_quarters);
void wvl_t1_fini_coder(wvl_t1_coder *coder, wvl_t1_output *out);
