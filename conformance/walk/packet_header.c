/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a packet header (B.10). */
#include "tile.h"

#define STYLE_BYPASS 1u
#define STYLE_TERMALL 4u

typedef struct header {
    wvl_walk_tile_walk *t;
    wvl_walk *w;
    wvl_walk_bits bits;
    uint64_t start;
    uint32_t layer;
    unsigned style;
    const wvl_walk_band *band; /* at hand */
    int is_single_set;         /* HT: Ccap15 allows one HT set a block */
    int failed;
} header;

static uint64_t place(const header *h) { return wvl_check_packed_origin(h->t, h->bits.at ? h->bits.at - 1 : 0); }

static unsigned log2_floor(unsigned v)
{
    unsigned n = 0;
    while (v >>= 1) {
        n++;
    }
    return n;
}

/* Table B.4. */
static unsigned take_pass_count(wvl_walk_bits *b)
{
    unsigned n;
    if (!wvl_check_take_bit(b)) {
        return 1;
    }
    if (!wvl_check_take_bit(b)) {
        return 2;
    }
    n = wvl_check_take_bits(b, 2);
    if (n < 3) {
        return 3 + n;
    }
    n = wvl_check_take_bits(b, 5);
    return n < 31 ? 6 + n : 37 + wvl_check_take_bits(b, 7);
}

static int take_length(header *h, const wvl_walk_block *k, unsigned passes, uint32_t *bytes)
{
    unsigned width = k->lblock + log2_floor(passes);
    if (width > 32) {
        h->failed = 1;
        return wvl_check_fail(h->w, WVL_RULE_PACKET_LBLOCK, place(h), "a length of %u bits", width);
    }
    *bytes = wvl_check_take_bits(&h->bits, width);
    return 1;
}

static int add_contribution(header *h, uint32_t bytes)
{
    wvl_walk_contribution c = {.bytes = bytes};
    if (bytes && !wvl_check_push(h->w, &h->t->contributions, &c, sizeof c)) {
        h->failed = 1;
        return 0;
    }
    return 1;
}

/* ---- Codeword segments ----------------------------------------------------------------------- */

/* Passes that the segment at hand can still take when `done` passes of the block are coded (Table D.9). */
static unsigned segment_room(unsigned style, unsigned done)
{
    if (style & STYLE_TERMALL) {
        return 1;
    }
    if (!(style & STYLE_BYPASS)) {
        return UINT16_MAX;
    }
    return done < 10 ? 10 - done : (done - 10) % 3 == 0 ? 2 : 1;
}

static void take_classic(header *h, wvl_walk_block *k, unsigned passes)
{
    unsigned done = k->passes;
    while (passes && !h->failed) {
        unsigned room = segment_room(h->style, done), chunk = room < passes ? room : passes;
        uint32_t bytes = 0;
        if (!take_length(h, k, chunk, &bytes) || !add_contribution(h, bytes)) {
            return;
        }
        done += chunk;
        passes -= chunk;
    }
}

/* kind and passes as in wvl_walk_contribution; done: passes of the block before this segment's, placeholders aside. */
static int add_segment(header *h, const wvl_walk_block *k, uint32_t bytes, unsigned kind, unsigned passes,
                       unsigned done)
{
    wvl_walk_contribution c = {bytes, (uint8_t)kind, (uint8_t)passes};
    wvl_walk_ht_part part = {h->band, (uint32_t)(k - h->band->blocks), (uint16_t)(done / 3)};
    int is_judged = bytes && !h->w->options->skip_blocks;
    if ((bytes && !wvl_check_push(h->w, &h->t->contributions, &c, sizeof c)) ||
        (is_judged && !wvl_check_push(h->w, &h->t->ht_parts, &part, sizeof part))) {
        h->failed = 1;
        return 0;
    }
    return 1;
}

static void check_cleanup(header *h, uint32_t bytes)
{
    if (bytes < 2 || bytes > 65534) {
        wvl_check_fail_once(h->w, WVL_RULE_HT_CLEANUP_LENGTH, place(h), "an HT cleanup segment of %u bytes", bytes);
    }
}

/* Where HT and MQ blocks mix, the first length tells: HT when it leaves its most significant bit 0, with Lblock above 3
 * and more than a byte. An MQ block's length then takes as many bits as all its passes ask for. 1: it is an MQ block,
 * and it was taken. */
static int take_if_classic(header *h, wvl_walk_block *k, unsigned passes, unsigned first, uint32_t bytes)
{
    unsigned width = k->lblock + log2_floor(first), full = k->lblock + log2_floor(passes);
    if (h->style >> 6 != 3 || (k->lblock > 3 && bytes > 1 && !(bytes >> (width - 1)))) {
        return 0;
    }
    k->is_classic = 1;
    bytes = full > width ? bytes << (full - width) | wvl_check_take_bits(&h->bits, full - width) : bytes;
    (void)add_contribution(h, bytes);
    return 1;
}

/* The first passes of an HT block: placeholders in threes and a cleanup pass in one segment, refinement in the next. */
static unsigned take_first_set(header *h, wvl_walk_block *k, unsigned passes)
{
    unsigned refinement = (passes - 1) % 3, first = passes - refinement;
    uint32_t bytes = 0;
    if (!take_length(h, k, first, &bytes)) {
        return 0;
    }
    if (!bytes) { /* placeholders only; refinement placeholders have no length */
        if (passes % 3) {
            wvl_check_fail_once(h->w, WVL_RULE_HT_PLACEHOLDER, place(h),
                                "%u passes without a byte before a block's first HT set", passes);
        }
        return 0;
    }
    if (take_if_classic(h, k, passes, first, bytes)) {
        return 0;
    }
    check_cleanup(h, bytes);
    k->has_data = 1;
    (void)add_segment(h, k, bytes, 1, 1, k->passes + first - 1);
    return refinement;
}

static void take_ht(header *h, wvl_walk_block *k, unsigned passes)
{
    unsigned done = k->passes + passes; /* passes before those that are left: done - left */
    unsigned left = passes;
    if (!k->has_data) {
        left = take_first_set(h, k, passes);
    } else if (h->is_single_set && k->passes % 3 + passes > 3) {
        wvl_check_fail_once(h->w, WVL_RULE_HT_SETS, place(h), "a second HT set in a block, but Ccap15 is 0x%04X",
                            h->w->ccap15);
    }
    while (left && !h->failed) {
        unsigned phase = (done - left) % 3, chunk = phase == 0 ? 1 : 3 - phase < left ? 3 - phase : left;
        uint32_t bytes = 0;
        if (!take_length(h, k, chunk, &bytes) || !add_segment(h, k, bytes, phase ? 2 : 1, phase + chunk, done - left)) {
            return;
        }
        if (!phase) {
            check_cleanup(h, bytes);
        } else if (bytes > 2046) {
            wvl_check_fail_once(h->w, WVL_RULE_HT_REFINEMENT_LENGTH, place(h), "an HT refinement segment of %u bytes",
                                bytes);
        }
        left -= chunk;
    }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static int is_alive(const header *h) { return !h->failed && !h->bits.is_short && !h->bits.is_unstuffed; }

/* Zero bit-planes (B.10.5): beyond Mb they are only counted, and far beyond it the header makes no sense. */
static void take_planes(header *h, const wvl_walk_band *band, const wvl_walk_tag_shape *shape, uint32_t *nodes,
                        uint32_t col, uint32_t row, wvl_walk_block *k)
{
    uint32_t zero = 0, node = 0, most = (uint32_t)(band->mb > 0 ? band->mb : 0) + 64;
    while (is_alive(h) && zero <= most) {
        node = wvl_check_tag_descend(shape, nodes, col, row, zero + 1, &h->bits);
        if (node & 1 && node >> 1 < zero + 1) {
            break;
        }
        zero++;
    }
    if (is_alive(h) && (int)zero >= band->mb) {
        wvl_check_fail_once(h->w, WVL_RULE_PACKET_PLANES, place(h), "%u zero bit-planes, Mb is %d", zero, band->mb);
        h->failed |= zero > most;
    }
    k->included = 1;
    k->planes = (int16_t)(band->mb - (int)zero);
}

/* For the caller, who wants to hear of the block once the packet's body is known to be there. */
static void note_inclusion(header *h, const wvl_walk_block *k, unsigned passes, size_t first)
{
    const wvl_walk_contribution *c = h->t->contributions.items;
    wvl_walk_inclusion inclusion = {h->band, (uint32_t)(k - h->band->blocks), passes, 0};
    for (size_t i = first; i < h->t->contributions.count; i++) {
        inclusion.bytes += c[i].bytes;
    }
    if (!wvl_check_push(h->w, &h->t->inclusions, &inclusion, sizeof inclusion)) {
        h->failed = 1;
    }
}

static void take_block(header *h, wvl_walk_block *k)
{
    size_t first = h->t->contributions.count;
    unsigned passes = take_pass_count(&h->bits);
    if (!is_alive(h)) {
        return;
    }
    if (k->planes > 0 && k->passes + passes > 3u * (unsigned)k->planes - 2) {
        wvl_check_fail_once(h->w, WVL_RULE_PACKET_PASSES, place(h), "%u passes in %d bit-planes", k->passes + passes,
                            k->planes);
    }
    while (is_alive(h) && wvl_check_take_bit(&h->bits)) {
        if (++k->lblock > 32) {
            wvl_check_fail(h->w, WVL_RULE_PACKET_LBLOCK, place(h), "Lblock is more than 32");
            h->failed = 1;
        }
    }
    if (!is_alive(h)) {
        return;
    }
    if (h->style & 0x40 && !k->is_classic) {
        take_ht(h, k, passes);
    } else {
        take_classic(h, k, passes);
    }
    if (h->w->options->block && is_alive(h)) {
        note_inclusion(h, k, passes, first);
    }
    k->passes = (uint16_t)(k->passes + passes > UINT16_MAX - 256 ? k->passes : k->passes + passes);
}

/* 0 when no block of the band can be included yet: the root of the inclusion tree says so for all. */
static int open_band(header *h, wvl_walk_band *band)
{
    if (!band->cols || !band->rows) {
        return 0;
    }
    if (band->blocks) {
        return 1;
    }
    band->root = wvl_check_tag_step(band->root, h->layer + 1, &h->bits);
    if (!(band->root & 1) || !is_alive(h)) {
        return 0;
    }
    if (!wvl_check_fill_band(h->t, band, h->style & 0x40)) {
        h->failed = 1;
    }
    return !h->failed;
}

static void take_band(header *h, wvl_walk_band *band)
{
    wvl_walk_tag_shape shape;
    if (!open_band(h, band)) {
        return;
    }
    h->band = band;
    wvl_check_tag_measure(&shape, band->cols, band->rows);
    uint32_t *planes = band->nodes + shape.first[shape.levels - 1] + 1;
    for (uint32_t row = 0; row < band->rows && is_alive(h); row++) {
        if (!wvl_check_charge(h->w, band->cols)) {
            h->failed = 1;
            return;
        }
        for (uint32_t col = 0; col < band->cols && is_alive(h); col++) {
            wvl_walk_block *k = &band->blocks[(size_t)row * band->cols + col];
            if (k->included) {
                if (!wvl_check_take_bit(&h->bits)) {
                    continue;
                }
            } else {
                uint32_t node = wvl_check_tag_descend(&shape, band->nodes, col, row, h->layer + 1, &h->bits);
                if (!(node & 1) || node >> 1 > h->layer || !is_alive(h)) {
                    continue;
                }
                take_planes(h, band, &shape, planes, col, row, k);
            }
            if (is_alive(h)) {
                take_block(h, k);
            }
        }
    }
}

/* ---- The header ------------------------------------------------------------------------------ */

/* B.10.1: whole bytes, and a byte 0xFF is followed by one more, whose first bit is 0. */
static void close_bits(header *h)
{
    wvl_walk_bits *b = &h->bits;
    unsigned rest = b->byte & ((1u << b->left) - 1);
    if (b->byte == 0xFF && is_alive(h)) {
        if (b->at >= b->end) {
            b->is_short = 1;
            return;
        }
        b->byte = b->data[b->at++];
        b->is_unstuffed = b->byte >> 7;
        rest |= b->byte;
    }
    if (rest && is_alive(h)) {
        wvl_check_fail_once(h->w, WVL_RULE_PACKET_PADDING, place(h), "a packet header ends in bits 0x%02X", rest);
    }
}

static int conclude(header *h)
{
    if (h->bits.is_unstuffed) {
        wvl_check_fail(h->w, WVL_RULE_PACKET_STUFFING, place(h), "0xFF%02X in a packet header", h->bits.byte);
    } else if (h->bits.is_short) {
        wvl_check_fail(h->w, WVL_RULE_PACKET_HEADER_SHORT, wvl_check_packed_origin(h->t, h->start),
                       "a packet header has no end");
    }
    return is_alive(h);
}

int wvl_check_read_packet_header(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k, const uint8_t *data,
                                 uint64_t *at, uint64_t end, int *is_empty)
{
    wvl_walk_precinct *precinct = &res->precincts[k];
    header h = {.t = t, .w = t->w, .start = *at, .layer = precinct->next_layer};
    h.bits = (wvl_walk_bits){.data = data, .at = *at, .end = end};
    h.style = wvl_check_coding_of(t->w, res->component)->style;
    h.is_single_set = !(t->w->ccap15 & 0x2000);
    *is_empty = !wvl_check_take_bit(&h.bits);
    if (!*is_empty) {
        if (!precinct->bands && !wvl_check_open_bands(t, res, k)) {
            return 0;
        }
        for (unsigned b = 0; b < (res->r ? 3u : 1u) && is_alive(&h); b++) {
            take_band(&h, &precinct->bands[b]);
        }
    }
    if (!h.failed) {
        close_bits(&h);
    }
    *at = h.bits.at;
    return conclude(&h);
}
