/* SPDX-License-Identifier: BSD-2-Clause */
/* One coding pass of a code block, as the block coders hand it to rate control and packets. */
#pragma once

#include <stdint.h>

#define WVL_PASS_TERM 1u /* a codeword segment ends with this pass wherever the block ends */
#define WVL_PASS_RAW 2u  /* lazy pass: its segment holds plain bits, not MQ codes */
#define WVL_PASS_SET 4u  /* HT: of a set of passes that stands for itself */

/*
 * Lengths are cumulative over the segments of the block and count from its first byte.
 *
 * final_bytes never decreases from one pass to the next. The block cut after this pass is stored[0, final_bytes -
 * tail_count) followed by the tail. At a TERM pass the tail is empty: what is stored is right.
 *
 * safe_bytes never decreases within a segment. It depends only on what was coded up to this pass, so it may exceed the
 * end of the segment, whether that end is the next TERM pass or the pass the block is cut after. The code that lays a
 * layer boundary after this pass while the block goes on takes min(safe_bytes, end of the segment in the block as cut),
 * and may leave out one trailing 0xFF of that prefix: the decoder supplies it.
 *
 * HT blocks hold sets of three passes: cleanup, SigProp, MagRef. The sets lie one after the other and only one of them
 * is sent: a block cut after pass i is the set of i / 3 up to that pass. Lengths count from the start of the set, which
 * is safe_bytes, and may be less than those of the set before. Gains are those of the passes of a Part 1 block: what a
 * cleanup pass adds is what the set before it did not code.
 */
typedef struct wvl_pass {
    int64_t gain_quarters; /* distortion removed = gain_quarters * 2^(P-2) in units (step / 2^F)^2, P = plane + F; may
                              be negative */
    uint32_t safe_bytes;   /* this prefix of any longer codeword of the block, followed by 0xFF fill, decodes all passes
                              up to here */
    uint32_t final_bytes;  /* length of the block when it ends with this pass */
    uint8_t tail[6];       /* what then stands in [final_bytes - tail_count, final_bytes) instead of the stored bytes */
    uint8_t tail_count;
    uint8_t flags;
} wvl_pass;
