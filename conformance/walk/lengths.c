/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet lengths told in advance, against the packets found (A.7.2, A.7.3): seven bits a byte, the most significant
 * first. */
#include "tile.h"

/* 0: none is left, or it is broken off. */
static int next_length(wvl_walk_tile_walk *t, wvl_walk_lengths *l, uint64_t *value)
{
    const wvl_walk_series_item *items = t->plt.items;
    while (l->at == l->end && l->data == t->w->data && l->item < t->plt.count) { /* PLT: the next marker segment */
        const wvl_walk_series_item *item = &items[l->item++];
        l->at = item->at;
        l->end = item->at + item->bytes;
        l->offset = item->offset;
    }
    int is_open = l->at < l->end;
    *value = 0;
    for (unsigned i = 0; l->at < l->end; i++) {
        unsigned byte = l->data[l->at++];
        *value = *value << 7 | (byte & 0x7F);
        if (!(byte & 0x80)) {
            l->values++;
            return 1;
        }
        if (i == 8) {
            break;
        }
    }
    if (is_open) {
        l->active = 0;
        wvl_check_fail(t->w, l->length_rule, l->offset, "%s ends within a length", l->name);
    }
    return 0;
}

void wvl_check_start_lengths(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    t->from_plt = (wvl_walk_lengths){WVL_RULE_PLT_LENGTH,
                                     WVL_RULE_PLT_COUNT,
                                     WVL_RULE_PLT_BYTES,
                                     "PLT",
                                     t->plt.count != 0,
                                     w->data,
                                     0,
                                     0,
                                     0,
                                     t->part->offset,
                                     0};
    t->from_plm = (wvl_walk_lengths){WVL_RULE_PLM_LENGTH,
                                     WVL_RULE_PLM_COUNT,
                                     WVL_RULE_PLM_BYTES,
                                     "PLM",
                                     w->plm.count != 0,
                                     w->lengths.bytes.items,
                                     t->part->plm_at,
                                     t->part->plm_at + t->part->plm_bytes,
                                     0,
                                     w->first_of[WVL_WALK_MARK_PLM],
                                     0};
}

static void compare(wvl_walk_tile_walk *t, wvl_walk_lengths *l, uint64_t bytes)
{
    uint64_t value;
    if (!l->active) {
        return;
    }
    if (!next_length(t, l, &value)) {
        if (l->active) {
            l->active = 0;
            wvl_check_fail(t->w, l->count_rule, l->offset, "tile %u, part %u: %s lists %llu packets, there are more",
                           t->tile, t->part->index, l->name, (unsigned long long)l->values);
        }
    } else if (value != bytes) {
        l->active = 0; /* what follows is most likely out of step */
        wvl_check_fail(t->w, l->bytes_rule, l->offset, "tile %u, part %u: %s gives packet %llu %llu bytes, it has %llu",
                       t->tile, t->part->index, l->name, (unsigned long long)l->values - 1, (unsigned long long)value,
                       (unsigned long long)bytes);
    }
}

/* With packed headers an empty packet leaves no byte that tells its tile-part, and whether a length counts the header
 * elsewhere is read in both ways: only the sum is compared then. */
void wvl_check_compare_length(wvl_walk_tile_walk *t, uint64_t bytes)
{
    if (!t->is_packed) {
        compare(t, &t->from_plt, bytes);
        compare(t, &t->from_plm, bytes);
    }
}

static void finish(wvl_walk_tile_walk *t, wvl_walk_lengths *l)
{
    uint64_t value, sum = 0, more = 0, data = t->part->end - t->part->body;
    while (l->active && next_length(t, l, &value)) {
        sum += value;
        more++;
    }
    if (!l->active) {
        return;
    }
    if (!t->is_packed && more) {
        wvl_check_fail(t->w, l->count_rule, l->offset, "tile %u, part %u: %s lists %llu packets, there are %llu",
                       t->tile, t->part->index, l->name, (unsigned long long)l->values,
                       (unsigned long long)(l->values - more));
    } else if (t->is_packed && sum != data && sum != data + t->packed_used) {
        wvl_check_fail(t->w, l->bytes_rule, l->offset,
                       "tile %u, part %u: the lengths of %s add to %llu, the packets to %llu, or %llu with headers",
                       t->tile, t->part->index, l->name, (unsigned long long)sum, (unsigned long long)data,
                       (unsigned long long)(data + t->packed_used));
    }
    l->active = 0;
}

void wvl_check_finish_lengths(wvl_walk_tile_walk *t)
{
    finish(t, &t->from_plt);
    finish(t, &t->from_plm);
}
