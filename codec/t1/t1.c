/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t1/t1.h"

#include <string.h>

#include "codec/core/gain.h"
#include "codec/core/t1_bound.h"
#include "codec/t1/bits.h"
#include "codec/t1/fast.h"
#include "codec/t1/kernels.h"
#include "codec/t1/t1_ref.h"
#include "codec/t1/tables.h"

/* Two blocks in work. */
size_t wvl_t1_scratch_bytes(void)
{
    size_t fast = 2 * sizeof(wvl_t1_fast_state), plain = sizeof(wvl_t1_ref_state);
    return fast > plain ? fast : plain;
}

const wvl_t1_kernels *wvl_t1_fetch_kernels(void)
{
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() >= WVL_CPU_AVX2)
        return &wvl_t1_kernels_avx2;
#endif
    return &wvl_t1_kernels_c;
}

size_t wvl_t1_bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    return wvl_t1_bound_bytes(width, height, planes, style);
}

static void init_block(wvl_t1_fast *b, const wvl_t1_input *in, wvl_t1_fast_state *state)
{
    b->s = state;
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

static const wvl_t1_kernels *kernels_of(const wvl_t1_input *in) { return in->kernels ? in->kernels : &wvl_t1_kernels_c; }

static int64_t pass_gain(const wvl_t1_fast *b, int kind, size_t symbols, unsigned P)
{
    int exact = b->in->reversible && P == 0;
    if (kind != WVL_T1_REFINE)
        return wvl_gain_significant(b->gain_sum, b->gain_count, P, exact);
    return wvl_gain_refined(kernels_of(b->in)->refinement_sum(b->in, P), symbols, P, exact);
}

/* A block on its way. `next` and `left` are what the MQ coder has still to do in the present pass. */
typedef struct job {
    wvl_t1_fast block;
    wvl_t1_coder coder;
    wvl_t1_output *out;
    const uint8_t *next;
    size_t left;
    int64_t gain;
    uint32_t passes;
    uint32_t pass;
} job;

/* Lists the present pass; a raw one is coded at once. */
static void list_pass(job *j)
{
    wvl_t1_fast *b = &j->block;
    const wvl_t1_input *in = b->in;
    int kind = wvl_t1_pass_kind(j->pass), raw = wvl_t1_pass_is_raw(j->pass, in->style);
    uint32_t plane = wvl_t1_pass_plane(j->out->planes, j->pass);
    wvl_t1_init_pass(&j->coder, j->pass);
    j->next = b->s->symbols;
    j->left = wvl_t1_fast_list_pass(b, kind, raw, plane);
    j->gain = in->want_gains ? pass_gain(b, kind, j->left, plane + in->frac_bits) : 0;
    if (kind == WVL_T1_CLEANUP && (in->style & WVL_STYLE_SEGSYM))
        j->left = put_segmentation(b->s->symbols, j->left);
    if (raw) {
        wvl_raw_encode_symbols(&j->coder.raw, j->next, j->left);
        j->left = 0;
    }
}

static int is_complete(const job *j)
{
    const wvl_t1_input *in = j->block.in;
    return j->pass == j->passes || (in->wants_more && !in->wants_more(in->wants_user, j->out->passes, j->out->pass_count));
}

/* Closes passes that are done and lists new ones until the MQ coder has work. Returns 0 when the block is complete. */
static int advance(job *j)
{
    while (j->left == 0) {
        wvl_t1_put_pass(&j->coder, j->out, j->gain);
        j->pass++;
        if (is_complete(j)) {
            wvl_t1_fini_coder(&j->coder, j->out);
            return 0;
        }
        list_pass(j);
    }
    return 1;
}

/* Returns 0 when there was nothing for the MQ coder to do. */
static int start(job *j, wvl_t1_fast_state *state, const wvl_t1_input *in, wvl_t1_output *out)
{
    j->out = out;
    j->passes = wvl_t1_init_coder(&j->coder, in, out);
    j->pass = 0;
    if (in->want_gains) {
        uint64_t low, high;
        kernels_of(in)->square_sum(in, &low, &high);
        wvl_block_set_energy(out, low, high);
    }
    if (!j->passes)
        return 0;
    init_block(&j->block, in, state);
    wvl_t1_masks masks = {state->negative, state->planes, j->block.words, j->block.word_count};
    kernels_of(in)->build_masks(in, out->planes, &masks);
    list_pass(j);
    return advance(j);
}

static void encode_alone(job *j)
{
    do {
        wvl_mq_encode_symbols(&j->coder.mq, j->next, j->left);
        j->left = 0;
    } while (advance(j));
}

/* Codes until one of the two is complete, and returns which. */
static unsigned encode_together(job jobs[2])
{
    wvl_mq *mq[2] = {&jobs[0].coder.mq, &jobs[1].coder.mq};
    for (;;) {
        const uint8_t *symbols[2] = {jobs[0].next, jobs[1].next};
        size_t count = jobs[0].left < jobs[1].left ? jobs[0].left : jobs[1].left;
        wvl_mq_encode_symbols_x2(mq, symbols, count);
        for (unsigned k = 0; k < 2; k++) {
            jobs[k].next += count;
            jobs[k].left -= count;
        }
        for (unsigned k = 0; k < 2; k++) {
            if (!advance(&jobs[k]))
                return k;
        }
    }
}

void wvl_t1_encode_blocks(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out, size_t count)
{
    wvl_t1_fast_state *states = (wvl_t1_fast_state *)(void *)scratch;
    job jobs[2];
    unsigned busy[2] = {0, 0}, free_job = 0;
    for (size_t i = 0; i < count; i++) {
        if (!start(&jobs[free_job], &states[free_job], &in[i], &out[i]))
            continue;
        busy[free_job] = 1;
        free_job ^= 1;
        if (!busy[free_job])
            continue;
        free_job = encode_together(jobs);
        busy[free_job] = 0;
    }
    for (unsigned k = 0; k < 2; k++) {
        if (busy[k])
            encode_alone(&jobs[k]);
    }
}

void wvl_t1_encode_block(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out)
{
    wvl_t1_encode_blocks(scratch, in, out, 1);
}

/* ---- As a block coder -------------------------------------------------------------------------------------------------------------- */

static const void *fetch_kernels(void) { return wvl_t1_fetch_kernels(); }

static uint32_t passes_bound(uint32_t planes) { return 3 * planes; }

static void encode_blocks(void *scratch, const wvl_block_input *in, wvl_block_output *out, size_t count) { wvl_t1_encode_blocks(scratch, in, out, count); }

const wvl_block_coder wvl_t1_block_coder = {wvl_t1_scratch_bytes, fetch_kernels, wvl_t1_bytes_bound, passes_bound, encode_blocks};
