/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/t1/t1.h"

#include <string.h>

#include "codec/core/gain.h"
#include "codec/core/t1_bound.h"
#include "codec/t1/fast.h"

static size_t scratch_bytes(uint32_t width, uint32_t height, uint32_t planes)
{
    /* All blocks in work. Their states lie an odd number of cache lines apart: lists of symbols, read in turns, are in
     * different sets of the cache. */
    size_t units = (size_t)((width + 7) / 8) * ((height + 3) / 4);
    size_t lines = (sizeof(wvl_t1_fast_state) + sizeof(uint64_t) * planes * units + 63) / 64;
    return WVL_BLOCK_SEATS * 64 * (lines | 1);
}

const wvl_t1_kernels *wvl_t1_fetch_kernels(void)
{
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() >= WVL_CPU_AVX512) {
        return &wvl_t1_kernels_avx512;
    }
    if (wvl_cpu_fetch_level() >= WVL_CPU_AVX2 && wvl_cpu_has_fast_pext()) {
        return &wvl_t1_kernels_avx2;
    }
#endif
    return &wvl_t1_kernels_c;
}

static size_t bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    return wvl_t1_bound_bytes(width, height, planes, style);
}

static const wvl_t1_kernels *kernels_of(const wvl_t1_input *in)
{
    return in->kernels ? in->kernels : &wvl_t1_kernels_c;
}

void wvl_t1_init_block(wvl_t1_fast *b, const wvl_t1_input *in, wvl_t1_fast_state *state)
{
    b->s = state;
    b->in = in;
    b->width = in->width;
    b->height = in->height;
    b->stripes = (b->height + 3) / 4;
    b->units = (b->width + 7) / 8;
    b->unit_count = b->stripes * b->units;
    b->last_unit_mask = WVL_T1_INNER & ~UINT64_C(0) >> (4 + 6 * (1 + 8 * b->units - b->width));
    b->last_stripe_mask = b->height % 4 ? WVL_T1_WINDOW_COLUMNS((UINT64_C(2) << b->height % 4) - 2) : ~UINT64_C(0);
    for (uint32_t i = WVL_T1_INNER_FIRST; i < WVL_T1_INNER_FIRST + 6 * 8; i++) {
        b->offsets[i] = (i - WVL_T1_INNER_FIRST) / 6 + (i - WVL_T1_INNER_FIRST) % 6 * in->stride;
    }
    memset(b->s->significant, 0, sizeof(uint64_t) * ((b->units + 1) * (b->stripes + 2) + 1));
    memset(b->s->visited, 0, sizeof(uint64_t) * b->unit_count);
    memset(b->s->refined, 0, sizeof(uint64_t) * b->unit_count);
}

/* Inner bits become whole windows, by way of the framed array that is free yet. */
static void frame_signs(const wvl_t1_fast *b, const uint64_t *inner)
{
    size_t row = b->units + 1;
    uint64_t *framed = b->s->significant + row + 1, *window = b->s->negative;
    for (uint32_t n = 0; n < b->stripes; n++) {
        memcpy(framed + n * row, inner + (size_t)n * b->units, sizeof *inner * b->units);
    }
    for (uint32_t n = 0; n < b->stripes; n++, framed += row) {
        uint64_t left = 0, own = wvl_t1_add_rows(framed, row, 1);
        for (uint32_t k = 0; k < b->units; k++) {
            uint64_t right = k + 1 < b->units ? wvl_t1_add_rows(framed + k + 1, row, 1) : 0;
            *window++ = wvl_t1_add_columns(left, own, right);
            left = own;
            own = right;
        }
    }
    memset(b->s->significant, 0, sizeof *framed * ((b->units + 1) * (b->stripes + 2) + 1));
}

void wvl_t1_load_block(wvl_t1_fast *b, const wvl_t1_kernels *kernels, uint32_t planes)
{
    wvl_t1_masks masks = {b->s->members, b->s->planes, b->units, b->unit_count};
    kernels->build_masks(b->in, planes, &masks);
    frame_signs(b, b->s->members);
}

/* Appends the segmentation symbol 1010. */
static size_t put_segmentation(uint8_t *symbols, size_t count)
{
    for (unsigned k = 0; k < 4; k++) {
        symbols[count++] = (uint8_t)(2 * WVL_T1_CTX_UNIFORM + !(k & 1));
    }
    return count;
}

static int64_t pass_gain(const wvl_t1_fast *b, int kind, size_t symbols, unsigned P)
{
    int exact = b->in->reversible && P == 0;
    if (kind != WVL_T1_REFINE) {
        return wvl_gain_significant(b->gain_sum, b->gain_count, P, exact);
    }
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
    j->left = kernels_of(in)->list_pass(b, kind, raw, plane);
    j->gain = in->want_gains ? pass_gain(b, kind, j->left, plane + in->frac_bits) : 0;
    if (kind == WVL_T1_CLEANUP && (in->style & WVL_STYLE_SEGSYM)) {
        j->left = put_segmentation(b->s->symbols, j->left);
    }
    if (raw) {
        wvl_raw_encode_symbols(&j->coder.raw, j->next, j->left);
        j->left = 0;
    }
}

static int is_complete(const job *j)
{
    const wvl_t1_input *in = j->block.in;
    return j->pass == j->passes ||
           (in->wants_more && !in->wants_more(in->wants_user, j->out->passes, j->out->pass_count));
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
    if (in->want_gains && in->bound) { /* an empty block's samples need not be there */
        uint64_t low, high;
        kernels_of(in)->square_sum(in, &low, &high);
        wvl_block_set_energy(out, low, high);
    }
    if (!j->passes) {
        return 0;
    }
    wvl_t1_init_block(&j->block, in, state);
    wvl_t1_load_block(&j->block, kernels_of(in), out->planes);
    list_pass(j);
    return advance(j);
}

/* Seats by the order in which they are used; the first `busy` have work for the MQ coder. */
typedef struct seat_set {
    job jobs[WVL_BLOCK_SEATS];
    wvl_t1_input in[WVL_BLOCK_SEATS];
    wvl_t1_output out[WVL_BLOCK_SEATS];
    uint8_t order[WVL_BLOCK_SEATS];
    unsigned busy;
    int is_open; /* there may be more blocks */
} seat_set;

static void put_block(seat_set *set, const wvl_block_feed *feed, unsigned seat)
{
    if (!feed->put(feed->user, seat)) {
        set->is_open = 0;
        set->busy = 0;
    }
}

/* Takes blocks until `most` are in work. */
static void fill_seats(seat_set *set, uint8_t *scratch, const wvl_block_feed *feed, unsigned most)
{
    size_t pitch = feed->scratch_bytes / WVL_BLOCK_SEATS / 64 * 64;
    while (set->is_open && set->busy < most) {
        unsigned seat = set->order[set->busy];
        if (!feed->fetch(feed->user, seat, &set->in[seat], &set->out[seat])) {
            set->is_open = 0;
        } else if (start(&set->jobs[seat], (wvl_t1_fast_state *)(void *)(scratch + seat * pitch), &set->in[seat],
                         &set->out[seat])) {
            set->busy++;
        } else {
            put_block(set, feed, seat);
        }
    }
}

/* Codes until at least one list of symbols is at its end; blocks that are complete leave the set. */
static void encode_together(seat_set *set, const wvl_t1_kernels *kernels, const wvl_block_feed *feed)
{
    wvl_mq *mq[WVL_BLOCK_SEATS];
    const uint8_t *symbols[WVL_BLOCK_SEATS];
    size_t count = SIZE_MAX;
    for (unsigned i = 0; i < set->busy; i++) {
        job *j = &set->jobs[set->order[i]];
        mq[i] = &j->coder.mq;
        symbols[i] = j->next;
        count = j->left < count ? j->left : count;
    }
    kernels->encode_lanes(mq, symbols, set->busy, count);
    for (unsigned i = set->busy; i-- > 0 && set->busy;) {
        uint8_t seat = set->order[i];
        job *j = &set->jobs[seat];
        j->next += count;
        j->left -= count;
        if (!advance(j)) {
            set->order[i] = set->order[set->busy - 1];
            set->order[--set->busy] = seat;
            put_block(set, feed, seat);
        }
    }
}

static void encode_stream(void *scratch, const void *from, const wvl_block_feed *feed)
{
    const wvl_t1_kernels *kernels = from ? from : &wvl_t1_kernels_c;
    seat_set set;
    set.busy = 0;
    set.is_open = 1;
    for (unsigned i = 0; i < WVL_BLOCK_SEATS; i++) {
        set.order[i] = (uint8_t)i;
    }
    do {
        fill_seats(&set, scratch, feed, kernels->lanes);
        if (set.busy) {
            encode_together(&set, kernels, feed);
        }
    } while (set.busy || set.is_open);
}

/* ---- As a block coder ------------------------------------------------------------------------ */

static const void *fetch_kernels(void) { return wvl_t1_fetch_kernels(); }

static uint32_t passes_bound(uint32_t planes) { return 3 * planes; }

const wvl_block_coder wvl_t1_block_coder = {scratch_bytes, fetch_kernels, bytes_bound,
                                            passes_bound,  encode_stream, WVL_BLOCK_SEATS};
