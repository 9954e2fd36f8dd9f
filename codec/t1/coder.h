/* SPDX-License-Identifier: BSD-2-Clause */
/* What both block encoders share: which pass is which, where segments end, how a pass becomes a record. */
#ifndef WVL_T1_CODER_H
#define WVL_T1_CODER_H

#include "codec/mq/mq.h"
#include "codec/t1/t1.h"

enum { WVL_T1_PROPAGATE, WVL_T1_REFINE, WVL_T1_CLEANUP };

/* Pass 0 is the cleanup of the top plane. */
static inline int wvl_t1_pass_kind(uint32_t pass) { return (int)((pass + 2) % 3); }

/* Planes below the pass's own. */
static inline uint32_t wvl_t1_pass_plane(uint32_t planes, uint32_t pass) { return planes - 1 - (pass + 2) / 3; }

/* Passes 0..9 are never raw (D.6). */
static inline int wvl_t1_pass_is_raw(uint32_t pass, unsigned style)
{
    return (style & WVL_STYLE_BYPASS) && pass > 9 && wvl_t1_pass_kind(pass) != WVL_T1_CLEANUP;
}

/* Does a segment end with this pass although passes follow (Table D.9)? */
static inline int wvl_t1_pass_is_end(uint32_t pass, unsigned style)
{
    if (style & WVL_STYLE_TERMALL)
        return 1;
    return (style & WVL_STYLE_BYPASS) && pass >= 9 && wvl_t1_pass_kind(pass) != WVL_T1_PROPAGATE;
}

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

#endif
