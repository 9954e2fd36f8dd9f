/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t1/t1.h"

#include <string.h>

#include "base/intmath.h"
#include "codec/core/gain.h"
#include "codec/core/t1_bound.h"
#include "codec/t1/bits.h"
#include "codec/t1/fast.h"
#include "codec/t1/t1_ref.h"
#include "codec/t1/tables.h"

size_t wvl_t1_scratch_bytes(void)
{
    return sizeof(wvl_t1_ref_state) > sizeof(wvl_t1_fast_state) ? sizeof(wvl_t1_ref_state) : sizeof(wvl_t1_fast_state);
}

size_t wvl_t1_bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    return wvl_t1_bound_bytes(width, height, planes, style);
}

static void init_block(wvl_t1_fast *b, const wvl_t1_input *in, wvl_t1_scratch *scratch)
{
    b->s = (wvl_t1_fast_state *)(void *)scratch;
    b->in = in;
    b->zero_codes = wvl_t1_zero_codes[in->orient & 3];
    b->width = in->width;
    b->height = in->height;
    b->stripes = (b->height + 3) / 4;
    b->words = (b->width + 15) / 16;
    b->word_count = b->stripes * b->words;
    b->column_stride = b->width + 2;
    b->last_word_mask = ~UINT64_C(0) >> 4 * (16 * b->words - b->width);
    b->last_stripe_mask = WVL_NIBBLES(15u >> (4 * b->stripes - b->height));
    memset(b->s->columns, 0, sizeof(uint64_t) * b->column_stride * (b->stripes + 2));
    memset(b->s->significant, 0, sizeof(uint64_t) * ((b->words + 1) * (b->stripes + 2) + 1));
    memset(b->s->visited, 0, sizeof(uint64_t) * b->word_count);
    memset(b->s->refined, 0, sizeof(uint64_t) * b->word_count);
}

/* Appends the segmentation symbol 1010. */
static size_t put_segmentation(uint8_t *symbols, size_t count)
{
    for (unsigned k = 0; k < 4; k++)
        symbols[count++] = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + !(k & 1));
    return count;
}

static int64_t pass_gain(const wvl_t1_fast *b, int kind, size_t symbols, unsigned P)
{
    int exact = b->in->reversible && P == 0;
    if (kind != WVL_T1_REFINE)
        return wvl_gain_significant(b->gain_sum, b->gain_count, P, exact);
    return wvl_gain_refined(wvl_t1_fast_refinement_sum(b->in, P), symbols, P, exact);
}

void wvl_t1_encode_block(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out)
{
    wvl_t1_coder coder;
    wvl_t1_fast b;
    uint32_t count = wvl_t1_init_coder(&coder, in, out);
    if (in->want_gains)
        out->energy = wvl_t1_fast_energy(in, out->energy_shift);
    if (!count)
        return;
    init_block(&b, in, scratch);
    wvl_t1_fast_build_planes(&b, out->planes);
    for (uint32_t pass = 0; pass < count; pass++) {
        int kind = wvl_t1_pass_kind(pass), raw = wvl_t1_pass_is_raw(pass, in->style);
        uint32_t plane = wvl_t1_pass_plane(out->planes, pass);
        wvl_t1_init_pass(&coder, pass);
        size_t symbols = wvl_t1_fast_list_pass(&b, kind, raw, plane);
        int64_t gain = in->want_gains ? pass_gain(&b, kind, symbols, plane + in->frac_bits) : 0;
        if (kind == WVL_T1_CLEANUP && (in->style & WVL_STYLE_SEGSYM))
            symbols = put_segmentation(b.s->symbols, symbols);
        if (raw)
            wvl_raw_encode_symbols(&coder.raw, b.s->symbols, symbols);
        else
            wvl_mq_encode_symbols(&coder.mq, b.s->symbols, symbols);
        wvl_t1_put_pass(&coder, out, gain);
    }
    wvl_t1_fini_coder(&coder, out);
}
