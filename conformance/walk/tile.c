/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile: its tile-parts in turn, and in them its packets in turn. */
#include "tile.h"

#include <string.h>

/* ---- Tile-parts ------------------------------------------------------------------------------ */

static void add_volumes(wvl_walk_tile_walk *t, const wvl_walk_list *volumes)
{
    const wvl_walk_volume *v = volumes->items;
    for (size_t i = 0; i < volumes->count; i++) {
        (void)wvl_check_push(t->w, &t->volumes, &v[i], sizeof v[i]);
    }
}

/* The progressions that this tile-part's header adds; the first one also chooses between POC and COD (A.6.6). */
static void add_progressions(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    wvl_walk_scope *scope = &w->tile_scope;
    const wvl_walk_style *style = wvl_check_style_of(w);
    if (t->part->index == 0 && !t->volumes.count) {
        t->has_poc = scope->has_poc || w->main.has_poc;
        if (!t->has_poc) {
            wvl_walk_volume all = {t->part->offset,   0, WVL_WALK_MAX_RESOLUTIONS, 0, w->component_count, style->layers,
                                   style->progression};
            (void)wvl_check_push(w, &t->volumes, &all, sizeof all);
        } else if (!scope->has_poc) {
            add_volumes(t, &w->main.volumes);
        }
    } else if (scope->has_poc && !t->has_poc) {
        wvl_check_fail(w, WVL_RULE_POC_LATE, t->part->offset,
                       "tile %u: a POC in part %u, but none in the first or in the main header", t->tile,
                       t->part->index);
    }
    add_volumes(t, &scope->volumes);
    scope->volumes.count = 0;
    scope->has_poc = 0;
}

static void add_ppt(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    const wvl_walk_series_item *items = t->ppt_items.items;
    if (!t->ppt_items.count) {
        return;
    }
    wvl_check_settle_series(w, &t->ppt_items, WVL_RULE_PPT_INDEX, t->next_zppt, "ppt");
    t->next_zppt += (unsigned)t->ppt_items.count;
    if (w->ppm.count) {
        wvl_check_fail(w, WVL_RULE_PPT_WITH_PPM, items[0].offset, "PPT, but the main header has PPM");
        return;
    }
    for (size_t i = 0; i < t->ppt_items.count; i++) {
        if (!wvl_check_gather(w, &t->ppt, items[i].at, items[i].bytes)) {
            return;
        }
    }
    t->is_packed = 1;
    t->packed = &t->ppt;
    t->packed_end = t->ppt.bytes.count;
}

static void begin_part(wvl_walk_tile_walk *t, uint32_t number)
{
    wvl_walk *w = t->w;
    t->part = (wvl_walk_part *)w->parts.items + number - 1;
    t->at = t->part->body;
    t->packed_used = 0;
    t->plt.count = t->ppt_items.count = 0;
    wvl_check_read_part_header(w, t->part, t);
    wvl_check_settle_series(w, &t->plt, WVL_RULE_PLT_INDEX, 0, "plt");
    if (w->ppm.count) {
        t->is_packed = 1;
        t->packed = &w->packed;
        t->packed_at = t->part->packed_at;
        t->packed_end = t->packed_at + t->part->packed_bytes;
    }
    add_ppt(t);
    add_progressions(t);
    wvl_check_start_lengths(t);
}

static void end_part(wvl_walk_tile_walk *t)
{
    if (!t->stop && !t->w->limit_hit) {
        wvl_check_finish_lengths(t);
    }
}

int wvl_check_enter_next_part(wvl_walk_tile_walk *t)
{
    if (!t->part->next) {
        return 0;
    }
    end_part(t);
    begin_part(t, t->part->next);
    return 1;
}

/* ---- Packets --------------------------------------------------------------------------------- */

static int part_has_more(const wvl_walk_tile_walk *t)
{
    return t->at < t->part->end || (t->is_packed && t->packed_at < t->packed_end);
}

/* Data after the last packet: noted once, to be judged when all headers of the tile are read. */
static void skip_excess(wvl_walk_tile_walk *t)
{
    if (!t->excess) {
        t->excess = t->at < t->part->end ? t->at : wvl_check_packed_origin(t, t->packed_at);
    }
    if (t->at == t->part->end && t->packed == &t->ppt) {
        t->packed_at = t->packed_end;
    } else if (t->packed != &t->ppt) {
        t->packed_at = t->packed_end;
    }
    t->at = t->part->end;
}

static void walk_packets(wvl_walk_tile_walk *t)
{
    uint64_t k;
    while (!t->stop && !t->w->limit_hit) {
        if (!part_has_more(t)) {
            if (!wvl_check_enter_next_part(t)) {
                return;
            }
            continue;
        }
        wvl_walk_resolution *res = wvl_check_next_packet(t, &k);
        if (res) {
            t->stop = !wvl_check_read_packet(t, res, k);
        } else {
            skip_excess(t);
        }
    }
}

static void judge_end(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    uint64_t k, total = t->precinct_count *
                        wvl_check_style_of(w)->layers; /* below 2^32 * 2^16: precincts are fewer than bytes */
    if (t->stop || w->limit_hit) {
        w->summary->complete = 0;
    } else if (t->packets == total) {
        if (t->excess) {
            int is_ppm = t->is_packed && t->packed != &t->ppt, is_data = t->excess >= t->part->body || !t->is_packed;
            wvl_check_fail(w,
                           is_data  ? WVL_RULE_PACKET_EXCESS
                           : is_ppm ? WVL_RULE_PPM_EXCESS
                                    : WVL_RULE_PPT_EXCESS,
                           t->excess, "tile %u: data after the last of %llu packets", t->tile,
                           (unsigned long long)total);
        }
    } else {
        w->summary->complete = 0;
        int is_uncovered = !wvl_check_next_packet(t, &k);
        wvl_check_fail(w, is_uncovered ? WVL_RULE_POC_INCOMPLETE : WVL_RULE_PACKET_MISSING, t->part->end,
                       is_uncovered ? "tile %u: the progressions cover %llu of %llu packets"
                                    : "tile %u: %llu of %llu packets are there",
                       t->tile, (unsigned long long)t->packets, (unsigned long long)total);
    }
}

static void sum_parts(wvl_walk *w, const wvl_walk_tile *tile)
{
    const wvl_walk_part *parts = w->parts.items;
    for (uint32_t i = tile->first; i; i = parts[i - 1].next) {
        const wvl_walk_part *p = &parts[i - 1];
        if (p->packets && p->c_min == p->c_max) {
            w->summary->components[p->c_min].part_bytes += p->end - p->offset;
        }
    }
}

/* ---- The tile -------------------------------------------------------------------------------- */

static int size_layers(wvl_walk *w)
{
    wvl_check_summary *m = w->summary;
    uint32_t layers = wvl_check_style_of(w)->layers;
    if (layers <= m->layer_count) {
        return 1;
    }
    uint64_t *larger = wvl_check_allocate(w, layers, sizeof *larger);
    if (!larger) {
        return 0;
    }
    if (m->layer_count) {
        memcpy(larger, m->layer_bytes, m->layer_count * sizeof *larger);
        wvl_check_release(w, m->layer_bytes, m->layer_count, sizeof *larger);
    }
    m->layer_bytes = larger;
    m->layer_count = layers;
    return 1;
}

/* Ccap15 bit 11 (15444-15 Annex A) clear: tile headers must not change how blocks are coded. */
static void check_homogeneous(wvl_walk_tile_walk *t)
{
    wvl_walk *w = t->w;
    const wvl_walk_scope *s = &w->tile_scope;
    if (w->has_ht && !(w->ccap15 & 0x0800) &&
        (s->has_cod || s->has_qcd || s->cocs.count || s->qccs.count || s->shifts.count)) {
        wvl_check_fail(w, WVL_RULE_CAP_HOMOGENEOUS, t->part->offset,
                       "tile %u has coding parameters of its own, but Ccap15 is 0x%04X", t->tile, w->ccap15);
    }
}

static void walk_tile(wvl_walk *w, uint32_t number)
{
    wvl_walk_tile_walk t = {.w = w, .tile = number};
    const wvl_walk_tile *tile = &w->tiles[number];
    const wvl_walk_part *parts = w->parts.items;
    const wvl_walk_scope *scope = &w->tile_scope;
    memset(w->tile_reports, 0, sizeof w->tile_reports);
    wvl_check_clear_scope(w, &w->tile_scope);
    for (uint32_t i = tile->first; i; i = parts[i - 1].next) {
        t.bytes += parts[i - 1].end - parts[i - 1].offset + parts[i - 1].packed_bytes;
    }
    begin_part(&t, tile->first);
    if (scope->has_cod || scope->has_qcd || scope->cocs.count || scope->qccs.count) {
        wvl_check_scope_fits(w, t.part->offset);
    }
    check_homogeneous(&t);
    if (!w->limit_hit && size_layers(w) && wvl_check_open_tile(&t)) {
        walk_packets(&t);
        end_part(&t);
        judge_end(&t);
    } else {
        w->summary->complete = 0;
    }
    wvl_check_close_tile(&t);
    sum_parts(w, tile);
}

void wvl_check_walk_tiles(wvl_walk *w)
{
    uint64_t count = w->tiles_wide * w->tiles_high;
    w->in_tile = 1;
    for (uint64_t i = 0; w->tiles && i < count && !w->limit_hit; i++) {
        if (w->tiles[i].first) {
            walk_tile(w, (uint32_t)i);
        }
    }
    w->in_tile = 0;
}
