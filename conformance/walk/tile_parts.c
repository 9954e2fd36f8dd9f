/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of tile-parts (A.4.2), and what the main header says of it: TLM, PPM, PLM. */
#include "walk.h"

/* ---- Tile-parts ------------------------------------------------------------------------------ */

static void check_numbers(wvl_walk *w, const wvl_walk_part *p)
{
    wvl_walk_tile *t = &w->tiles[p->tile];
    if (p->index != t->parts) {
        wvl_check_fail(w, WVL_RULE_SOT_PART, p->offset, "tile %u: TPsot is %u, %u is expected", p->tile, p->index,
                       t->parts);
    }
    if (p->count && t->declared && p->count != t->declared) {
        wvl_check_fail(w, WVL_RULE_SOT_COUNT, p->offset, "tile %u: TNsot is %u, before it was %u", p->tile, p->count,
                       t->declared);
    } else if (p->count && p->index >= p->count) {
        wvl_check_fail(w, WVL_RULE_SOT_COUNT, p->offset, "tile %u: TPsot is %u and TNsot %u", p->tile, p->index,
                       p->count);
    }
    t->declared = p->count ? p->count : t->declared;
}

static int note_part(wvl_walk *w, const wvl_walk_part *p)
{
    wvl_walk_tile *t = &w->tiles[p->tile];
    check_numbers(w, p);
    if (!wvl_check_push(w, &w->parts, p, sizeof *p)) {
        return 0;
    }
    uint32_t number = (uint32_t)w->parts.count;
    if (t->last) {
        ((wvl_walk_part *)w->parts.items)[t->last - 1].next = number;
    } else {
        t->first = number;
    }
    t->last = number;
    t->parts++;
    return 1;
}

/* End of the tile-part whose Psot is given; 0 after a complaint. */
static uint64_t find_end(wvl_walk *w, uint64_t offset, uint32_t psot)
{
    uint64_t left = w->bytes - offset;
    if (!psot) { /* up to EOC, which are the last two bytes if it is there */
        int has_eoc = left >= 16 && wvl_check_code_at(w, w->bytes - 2) == WVL_WALK_EOC;
        return w->bytes - (has_eoc ? 2 : 0);
    }
    if (psot < 14 || psot > left) {
        return (uint64_t)wvl_check_fail(w, WVL_RULE_SOT_PSOT, offset, "Psot is %u, %llu bytes are left", psot,
                                        (unsigned long long)left);
    }
    return offset + psot;
}

/* One tile-part; place behind it, or 0 when nothing can be read after it. */
static uint64_t scan_part(wvl_walk *w, uint64_t offset)
{
    wvl_walk_part p = {.offset = offset, .c_min = UINT32_MAX, .r_min = UINT32_MAX};
    if (w->bytes - offset < 14) {
        return (uint64_t)wvl_check_fail(w, WVL_RULE_SEGMENT_TRUNCATED, offset, "SOT is cut off");
    }
    if (wvl_check_code_at(w, offset + 2) != 10) {
        return (uint64_t)wvl_check_fail(w, WVL_RULE_SOT_LENGTH, offset, "Lsot is %u", wvl_check_code_at(w, offset + 2));
    }
    p.tile = wvl_check_code_at(w, offset + 4);
    p.index = w->data[offset + 10];
    p.count = w->data[offset + 11];
    p.end = find_end(w, offset, wvl_check_long_at(w, offset + 6));
    if (!p.end) {
        return 0;
    }
    p.body = wvl_check_find_body(w, offset + 12, p.end);
    if (!p.body) {
        return 0;
    }
    if (p.tile >= w->tiles_wide * w->tiles_high) {
        wvl_check_fail(w, WVL_RULE_SOT_TILE, offset, "Isot is %u, there are %llu tiles", p.tile,
                       (unsigned long long)(w->tiles_wide * w->tiles_high));
        return p.end;
    }
    return note_part(w, &p) ? p.end : 0;
}

static void check_end(wvl_walk *w, uint64_t offset)
{
    w->summary->codestream_bytes = offset + 2;
    if (w->bytes - offset > 2) {
        wvl_check_fail(w, WVL_RULE_EOC_TRAILING, offset + 2, "%llu bytes follow EOC",
                       (unsigned long long)(w->bytes - offset - 2));
    }
}

/* 1: the sequence ends as it should or lacks only EOC; 0: it broke off, and what is missing behind needs no report of
 * its own. */
static int scan_sequence(wvl_walk *w)
{
    uint64_t offset = w->main_header_end;
    for (;;) {
        if (w->bytes - offset < 2) {
            wvl_check_fail(w, WVL_RULE_EOC_MISSING, offset, "the codestream ends without EOC");
            return 1;
        }
        uint16_t code = wvl_check_code_at(w, offset);
        if (code == WVL_WALK_EOC) {
            check_end(w, offset);
            return 1;
        }
        if (code != WVL_WALK_SOT) {
            wvl_check_fail(w, WVL_RULE_SOT_EXPECTED, offset, "0x%04X where SOT or EOC is expected", code);
            return 0;
        }
        offset = scan_part(w, offset);
        if (!offset) {
            return 0;
        }
    }
}

static void check_tiles(wvl_walk *w)
{
    uint64_t missing = 0, first = 0, count = w->tiles_wide * w->tiles_high;
    for (uint64_t i = 0; i < count; i++) {
        const wvl_walk_tile *t = &w->tiles[i];
        if (!t->first && wvl_check_charge(w, w->component_count) && wvl_check_tile_has_samples(w, (uint32_t)i)) {
            first = missing++ ? first : i;
        } else if (t->declared && t->parts < t->declared) {
            wvl_check_fail(w, WVL_RULE_SOT_COUNT, ((wvl_walk_part *)w->parts.items)[t->last - 1].offset,
                           "tile %llu: TNsot is %u, there are %u tile-parts", (unsigned long long)i, t->declared,
                           t->parts);
        }
    }
    if (missing) {
        w->summary->complete = 0;
        wvl_check_fail(w, WVL_RULE_TILE_MISSING, w->bytes,
                       "%llu of %llu tiles have samples and no tile-part; the first is %llu",
                       (unsigned long long)missing, (unsigned long long)count, (unsigned long long)first);
    }
}

/* ---- TLM ------------------------------------------------------------------------------------- */

static int list_tlm(wvl_walk *w)
{
    const wvl_walk_series_item *items = w->tlm.items;
    for (size_t i = 0; i < w->tlm.count; i++) {
        uint64_t at = items[i].at, end = items[i].at + items[i].bytes;
        unsigned stlm = w->data[at++], named = stlm >> 4 & 3, is_long = stlm >> 6 & 1;
        while (at < end) {
            wvl_walk_tlm_entry e = {at, UINT32_MAX, 0};
            if (named) {
                e.tile = named == 1 ? w->data[at] : wvl_check_code_at(w, at);
                at += named;
            }
            e.bytes = is_long ? wvl_check_long_at(w, at) : wvl_check_code_at(w, at);
            at += is_long ? 4 : 2;
            if (!wvl_check_push(w, &w->tlm_entries, &e, sizeof e)) {
                return 0;
            }
        }
    }
    return 1;
}

static void check_implicit(wvl_walk *w)
{
    const wvl_walk_part *parts = w->parts.items;
    const wvl_walk_tlm_entry *e = w->tlm_entries.items;
    for (size_t i = 0; i < w->tlm_entries.count && i < w->parts.count; i++) {
        if (e[i].tile == UINT32_MAX && (parts[i].tile != i || parts[i].index)) {
            wvl_check_fail(w, WVL_RULE_TLM_IMPLICIT, e[i].offset,
                           "TLM names no tile for tile-part %zu, which is part %u of tile %u", i, parts[i].index,
                           parts[i].tile);
            return;
        }
    }
}

static void check_tlm(wvl_walk *w)
{
    const wvl_walk_part *parts = w->parts.items;
    wvl_check_settle_series(w, &w->tlm, WVL_RULE_TLM_INDEX, 0, "tlm");
    if (!w->tlm.count || !list_tlm(w)) {
        return;
    }
    const wvl_walk_tlm_entry *e = w->tlm_entries.items;
    if (w->tlm_entries.count != w->parts.count) {
        wvl_check_fail(w, WVL_RULE_TLM_COUNT, w->first_of[WVL_WALK_MARK_TLM], "TLM lists %zu tile-parts, there are %zu",
                       w->tlm_entries.count, w->parts.count);
        return;
    }
    check_implicit(w);
    for (size_t i = 0; i < w->parts.count; i++) {
        uint64_t bytes = parts[i].end - parts[i].offset;
        if (e[i].tile != UINT32_MAX && e[i].tile != parts[i].tile) {
            wvl_check_fail(w, WVL_RULE_TLM_TILE, e[i].offset, "TLM gives tile-part %zu tile %u, it is of tile %u", i,
                           e[i].tile, parts[i].tile);
        }
        if (e[i].bytes != bytes) {
            wvl_check_fail(w, WVL_RULE_TLM_BYTES, e[i].offset, "TLM gives tile-part %zu %u bytes, it has %llu", i,
                           e[i].bytes, (unsigned long long)bytes);
        }
    }
}

/* ---- PPM and PLM: pieces of the marker segments, in order, handed to the tile-parts in order ---- */

static int gather_series(wvl_walk *w, wvl_walk_list *series, wvl_walk_gathered *g)
{
    const wvl_walk_series_item *items = series->items;
    for (size_t i = 0; i < series->count; i++) {
        if (!wvl_check_gather(w, g, items[i].at, items[i].bytes)) {
            return 0;
        }
    }
    return 1;
}

static void assign_ppm(wvl_walk *w)
{
    const uint8_t *data = w->packed.bytes.items;
    uint64_t at = 0, end = w->packed.bytes.count;
    wvl_walk_part *parts = w->parts.items;
    for (size_t i = 0; i < w->parts.count; i++) {
        uint64_t bytes = end - at < 4 ? UINT64_MAX
                                      : (uint64_t)data[at] << 24 | (uint64_t)data[at + 1] << 16 |
                                            (uint64_t)data[at + 2] << 8 | data[at + 3];
        if (bytes > end - at - (end - at < 4 ? 0 : 4)) {
            wvl_check_fail(w, WVL_RULE_PPM_PARTS, wvl_check_origin(&w->packed, at),
                           "PPM ends before the packet headers of tile-part %zu of %zu", i, w->parts.count);
            return;
        }
        parts[i].packed_at = at + 4;
        parts[i].packed_bytes = bytes;
        at += 4 + bytes;
    }
    if (at < end) {
        wvl_check_fail(w, WVL_RULE_PPM_PARTS, wvl_check_origin(&w->packed, at),
                       "PPM has %llu bytes beyond those of the last tile-part", (unsigned long long)(end - at));
    }
}

/* Gathers the lists and their lengths; 0 after a complaint. */
static int list_plm(wvl_walk *w, wvl_walk_list *lists)
{
    const wvl_walk_series_item *items = w->plm.items;
    for (size_t i = 0; i < w->plm.count; i++) {
        uint64_t at = items[i].at, end = items[i].at + items[i].bytes;
        while (at < end) {
            uint8_t bytes = w->data[at++];
            if (bytes > end - at) {
                return wvl_check_fail(w, WVL_RULE_PLM_LENGTH, items[i].offset, "a list of %u bytes, %llu are left",
                                      bytes, (unsigned long long)(end - at));
            }
            if (!wvl_check_push(w, lists, &bytes, sizeof bytes) || !wvl_check_gather(w, &w->lengths, at, bytes)) {
                return 0;
            }
            at += bytes;
        }
    }
    return 1;
}

/* A list for each tile-part. Nplm has 8 bits: where there are more lists than tile-parts, one that has no room for
 * another length of five bytes is taken to go on in the next. */
static void assign_plm(wvl_walk *w)
{
    wvl_walk_list lists = {0};
    wvl_walk_part *parts = w->parts.items;
    size_t next = 0;
    uint64_t at = 0;
    if (list_plm(w, &lists)) {
        const uint8_t *bytes = lists.items;
        int is_split = lists.count > w->parts.count;
        for (size_t i = 0; i < w->parts.count && next < lists.count; i++) {
            int goes_on = 1;
            for (parts[i].plm_at = at; goes_on && next < lists.count; next++) {
                goes_on = is_split && bytes[next] > 250;
                parts[i].plm_bytes += bytes[next];
                at += bytes[next];
            }
        }
        if (next < lists.count || lists.count < w->parts.count) {
            wvl_check_fail(w, WVL_RULE_PLM_COUNT, w->first_of[WVL_WALK_MARK_PLM],
                           "PLM has %zu lists for %zu tile-parts", lists.count, w->parts.count);
            w->plm.count = 0; /* not to be compared */
        }
    } else {
        w->plm.count = 0;
    }
    wvl_check_release_list(w, &lists);
}

void wvl_check_scan_parts(wvl_walk *w)
{
    w->tiles = wvl_check_allocate(w, w->tiles_wide * w->tiles_high, sizeof *w->tiles);
    if (!w->tiles) {
        return;
    }
    int is_whole = scan_sequence(w);
    w->summary->part_count = w->parts.count;
    w->summary->complete &= is_whole;
    if (is_whole) {
        check_tiles(w);
        check_tlm(w);
    }
    wvl_check_settle_series(w, &w->ppm, WVL_RULE_PPM_INDEX, 0, "ppm");
    wvl_check_settle_series(w, &w->plm, WVL_RULE_PLM_INDEX, 0, "plm");
    if (w->ppm.count && gather_series(w, &w->ppm, &w->packed)) {
        assign_ppm(w);
    }
    if (w->plm.count) {
        assign_plm(w);
    }
}
