/* SPDX-License-Identifier: BSD-2-Clause */
/* The HT SigProp and MagRef passes (15444-15 7.4, 7.5). Behind the end both read zeros: too few bytes are no fault. */
#include "ht.h"
#include "ht_streams.h"

typedef struct sweep {
    const wvl_walk_ht_block *block;
    wvl_walk_forward sigprop;
    uint8_t *map; /* sample 0, 0 */
    unsigned stride;
} sweep;

static int is_member(const sweep *s, const uint8_t *at, int has_below)
{
    const uint8_t *above = at - s->stride, *below = at + s->stride;
    unsigned near = above[-1] | above[0] | above[1] | at[-1] | at[1];
    return !(*at & 1) && (near || (has_below && (below[-1] | below[0] | below[1])));
}

/* A group of 4 x 4 samples, or what the block has of it: first the bits of all members, then the signs of those that
 * became significant. */
static void sweep_group(sweep *s, unsigned x0, unsigned y0)
{
    const wvl_walk_ht_block *block = s->block;
    unsigned x1 = x0 + 4 < block->width ? x0 + 4 : block->width, y1 = y0 + 4 < block->height ? y0 + 4 : block->height,
             signs = 0;
    wvl_walk_ht_refill_forward(&s->sigprop); /* 32 bits at most */
    for (unsigned x = x0; x < x1; x++) {
        for (unsigned y = y0; y < y1; y++) {
            uint8_t *at = s->map + (size_t)y * s->stride + x;
            if (is_member(s, at, !block->is_causal || y % 4 != 3) && wvl_walk_ht_take_forward(&s->sigprop, 1)) {
                *at |= 2;
                signs++;
            }
        }
    }
    (void)wvl_walk_ht_take_forward(&s->sigprop, signs);
}

static unsigned count_significant(const sweep *s)
{
    unsigned count = 0;
    for (unsigned y = 0; y < s->block->height; y++) {
        for (unsigned x = 0; x < s->block->width; x++) {
            count += s->map[(size_t)y * s->stride + x] & 1;
        }
    }
    return count;
}

/* The first byte that MagRef reads. */
static const uint8_t *find_magref(const sweep *s, const uint8_t *data, size_t bytes)
{
    wvl_walk_backward magref = {.start = data, .at = data + bytes, .end = data + bytes, .first = 0xFF, .last = 0xFF};
    unsigned count = count_significant(s);
    while (count) {
        unsigned some = count < 31 ? count : 31;
        wvl_walk_ht_refill_backward(&magref);
        (void)wvl_walk_ht_take_backward(&magref, some);
        count -= some;
    }
    return wvl_walk_ht_end_backward(&magref);
}

wvl_walk_ht_finding wvl_check_decode_refinement(const wvl_walk_ht_block *block, const uint8_t *data, size_t bytes,
                                                unsigned passes, int is_complete, wvl_walk_ht_work *work)
{
    sweep s = {.block = block, .stride = block->width + 2};
    wvl_walk_ht_finding found = {WVL_WALK_HT_SOUND, 0, 0, 0};
    s.map = work->map + s.stride + 1;
    s.sigprop = (wvl_walk_forward){.start = data, .at = data, .end = data + bytes};
    for (unsigned y = 0; y < block->height; y += 4) {
        for (unsigned x = 0; x < block->width; x += 4) {
            sweep_group(&s, x, y);
        }
    }
    const uint8_t *sigprop = wvl_walk_ht_end_forward(&s.sigprop),
                  *magref = passes > 2 ? find_magref(&s, data, bytes) : data + bytes;
    if (s.sigprop.unstuffed && s.sigprop.unstuffed < sigprop) {
        found = (wvl_walk_ht_finding){WVL_WALK_HT_SIGPROP_STUFFING, (size_t)(s.sigprop.unstuffed - data), 0, 0};
    } else if (is_complete && sigprop > magref + 1) {
        found = (wvl_walk_ht_finding){WVL_WALK_HT_REFINEMENT_OVERLAP, (size_t)(magref - data),
                                      (unsigned)(sigprop - magref), 0};
    } else if (is_complete && sigprop + 1 < magref) { /* one byte more follows 0xFF */
        found = (wvl_walk_ht_finding){WVL_WALK_HT_REFINEMENT_UNREAD, (size_t)(sigprop - data),
                                      (unsigned)(magref - sigprop), 0};
    }
    return found;
}
