/* SPDX-License-Identifier: BSD-2-Clause */
/* One packet: SOP, header, EPH, body (A.8, B.9, B.10). */
#include <string.h>

#include "tile.h"

uint64_t wvl_check_packed_origin(const wvl_walk_tile_walk *t, uint64_t at)
{
    return t->is_packed ? wvl_check_origin(t->packed, at) : at;
}

static int code_is(const uint8_t *data, uint64_t at, uint64_t end, uint16_t code)
{
    return end - at >= 2 && data[at] == code >> 8 && data[at + 1] == (code & 0xFF);
}

/* A packet header cannot begin with 0xFF91, nor a body with 0xFF92: what is found there is the marker. */
static int take_sop(wvl_walk_tile_walk *t, int is_allowed)
{
    wvl_walk *w = t->w;
    const uint8_t *p = w->data + t->at;
    if (!code_is(w->data, t->at, t->part->end, WVL_WALK_SOP)) {
        return 1;
    }
    if (!is_allowed) {
        wvl_check_fail_once(w, WVL_RULE_SOP_UNEXPECTED, t->at, "SOP, but Scod does not announce it");
    }
    if (t->part->end - t->at < 6 || p[2] || p[3] != 4) {
        return wvl_check_fail(w, WVL_RULE_SOP_LENGTH, t->at, "an SOP that is cut off or does not have a length of 4");
    }
    unsigned number = (unsigned)p[4] << 8 | p[5];
    if (number != (t->packets & 0xFFFF)) {
        wvl_check_fail_once(w, WVL_RULE_SOP_NUMBER, t->at, "Nsop is %u, %u is expected", number,
                            (unsigned)(t->packets & 0xFFFF));
    }
    w->has_sop = 1;
    t->at += 6;
    return 1;
}

static void take_eph(wvl_walk_tile_walk *t, int is_required, const uint8_t *data, uint64_t *at, uint64_t end)
{
    int is_there = code_is(data, *at, end, WVL_WALK_EPH);
    if (is_there && !is_required) {
        wvl_check_fail_once(t->w, WVL_RULE_EPH_UNEXPECTED, wvl_check_packed_origin(t, *at),
                            "EPH, but Scod does not announce it");
    } else if (!is_there && is_required) {
        wvl_check_fail_once(t->w, WVL_RULE_EPH_MISSING, wvl_check_packed_origin(t, *at),
                            "packet %llu of tile %u has no EPH after its header", (unsigned long long)t->packets,
                            t->tile);
    }
    *at += is_there ? 2 : 0;
}

static uint64_t sum_contributions(const wvl_walk_tile_walk *t)
{
    const wvl_walk_contribution *c = t->contributions.items;
    uint64_t sum = 0;
    for (size_t i = 0; i < t->contributions.count; i++) {
        sum += c[i].bytes;
    }
    return sum;
}

/* ---- Body ------------------------------------------------------------------------------------ */

static void check_marker_free(wvl_walk_tile_walk *t, uint64_t at, uint32_t bytes)
{
    const uint8_t *p = t->w->data + at, *end = p + bytes;
    while ((p = memchr(p, 0xFF, (size_t)(end - p))) && p + 1 < end) {
        if (p[1] > 0x8F) {
            wvl_check_fail_once(t->w, WVL_RULE_BODY_MARKER, (uint64_t)(p - t->w->data), "0xFF%02X in coded data", p[1]);
            return;
        }
        p++;
    }
}

static void check_scup(wvl_walk_tile_walk *t, uint64_t at, uint32_t bytes)
{
    const uint8_t *end = t->w->data + at + bytes;
    unsigned scup = bytes < 2 ? 0 : (unsigned)end[-1] << 4 | (end[-2] & 15);
    if (bytes >= 2 && (scup < 2 || scup > 4079 || scup > bytes)) {
        wvl_check_fail_once(t->w, WVL_RULE_HT_SCUP, at + bytes - 2, "Scup is %u in a cleanup segment of %u bytes", scup,
                            bytes);
    }
}

/* A byte 0xFF at a contribution's end is followed by the next contribution, packet or marker. */
static void check_last_byte(wvl_walk_tile_walk *t, uint64_t at)
{
    const wvl_walk *w = t->w;
    unsigned next = at + 1 < w->bytes ? w->data[at + 1] : 0xFF;
    if (w->data[at] != 0xFF) {
        return;
    }
    if (next > 0x8F) {
        wvl_check_fail_once(t->w, WVL_RULE_BODY_MARKER, at, "0xFF%02X at the end of a contribution", next);
    } else {
        wvl_check_fail_once(t->w, WVL_RULE_BODY_ENDS_FF, at, "a contribution ends in 0xFF");
    }
}

static void check_body(wvl_walk_tile_walk *t)
{
    const wvl_walk_contribution *c = t->contributions.items;
    uint64_t at = t->at;
    for (size_t i = 0; i < t->contributions.count; i++) {
        check_marker_free(t, at, c[i].bytes);
        check_last_byte(t, at + c[i].bytes - 1);
        if (c[i].kind == 1) {
            check_scup(t, at, c[i].bytes);
        }
        at += c[i].bytes;
    }
}

/* ---- Counting -------------------------------------------------------------------------------- */

static void count_packet(wvl_walk_tile_walk *t, const wvl_walk_resolution *res, uint64_t k,
                         const wvl_check_packet *packet, int is_empty)
{
    wvl_check_summary *m = t->w->summary;
    wvl_walk_part *part = t->part;
    uint64_t bytes = packet->header_bytes + packet->body_bytes;
    (void)k;
    m->packet_count++;
    m->empty_packet_count += is_empty != 0;
    m->header_bytes += packet->header_bytes;
    m->body_bytes += packet->body_bytes;
    m->components[res->component].packet_bytes += bytes;
    m->resolution_bytes[res->r] += bytes;
    if (packet->layer < m->layer_count) {
        m->layer_bytes[packet->layer] += bytes;
    }
    part->packets++;
    part->c_min = res->component < part->c_min ? res->component : part->c_min;
    part->c_max = res->component > part->c_max ? res->component : part->c_max;
    part->r_min = res->r < part->r_min ? res->r : part->r_min;
    part->r_max = res->r > part->r_max ? res->r : part->r_max;
    if (t->w->options->packet) {
        t->w->options->packet(t->w->user, packet);
    }
}

/* ---- Blocks for the caller ------------------------------------------------------------------- */

/* Along one axis: the i-th block of the precinct's part of a band (B.7). */
static void measure_block(uint64_t from, uint64_t to, unsigned cb, uint32_t i, uint32_t *at, uint32_t *size)
{
    uint64_t start = ((from >> cb) + i) << cb, end = start + (UINT64_C(1) << cb);
    start = start < from ? from : start;
    *at = (uint32_t)start;
    *size = (uint32_t)((end > to ? to : end) - start);
}

/* body: offset from the first byte given. */
static void tell_blocks(const wvl_walk_tile_walk *t, const wvl_check_packet *packet, uint64_t body)
{
    const wvl_walk_inclusion *inclusions = t->inclusions.items;
    for (size_t i = 0; i < t->inclusions.count; i++) {
        const wvl_walk_inclusion *n = &inclusions[i];
        const wvl_walk_rect *area = &n->band->area;
        wvl_check_block block = {.tile = packet->tile,
                                 .component = packet->component,
                                 .resolution = packet->resolution,
                                 .layer = packet->layer,
                                 .precinct = packet->precinct,
                                 .level = n->band->level,
                                 .band = n->band->orient,
                                 .passes = n->passes,
                                 .offset = body,
                                 .bytes = n->bytes};
        measure_block(area->x0, area->x1, n->band->xcb, n->block % n->band->cols, &block.x, &block.width);
        measure_block(area->y0, area->y1, n->band->ycb, n->block / n->band->cols, &block.y, &block.height);
        t->w->options->block(t->w->user, &block);
        body += n->bytes;
    }
}

/* ---- The packet ------------------------------------------------------------------------------ */

static int take_header(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k, wvl_check_packet *packet,
                       int *is_empty)
{
    int has_eph = wvl_check_style_of(t->w)->scod >> 2 & 1;
    const uint8_t *data = t->is_packed ? t->packed->bytes.items : t->w->data;
    uint64_t *at = t->is_packed ? &t->packed_at : &t->at, end = t->is_packed ? t->packed_end : t->part->end,
             start = *at;
    if (t->is_packed && start >= end) {
        int is_ppm = t->packed != &t->ppt;
        return wvl_check_fail(t->w, is_ppm ? WVL_RULE_PPM_EXCESS : WVL_RULE_PPT_LATE, t->at,
                              "no packet header has come for the data here");
    }
    if (!wvl_check_read_packet_header(t, res, k, data, at, end, is_empty)) {
        return 0;
    }
    take_eph(t, has_eph, data, at, end);
    packet->header_offset = t->w->base + wvl_check_packed_origin(t, start);
    packet->header_bytes = *at - start;
    t->packed_used += t->is_packed ? packet->header_bytes : 0;
    return 1;
}

static int take_body(wvl_walk_tile_walk *t, const wvl_walk_resolution *res, wvl_check_packet *packet)
{
    uint64_t body = sum_contributions(t);
    if (t->is_packed && body && t->at == t->part->end && t->packed == &t->ppt) {
        (void)wvl_check_enter_next_part(t); /* the header came with the part before */
        packet->offset = t->at;
        if (!take_sop(t, wvl_check_style_of(t->w)->scod & 2)) {
            return 0;
        }
    }
    if (body > t->part->end - t->at) {
        return wvl_check_fail(t->w, WVL_RULE_PACKET_BODY_SHORT, t->at,
                              "tile %u, packet %llu: a body of %llu bytes, %llu are left", t->tile,
                              (unsigned long long)t->packets, (unsigned long long)body,
                              (unsigned long long)(t->part->end - t->at));
    }
    packet->body_bytes = body;
    check_body(t);
    wvl_check_judge_ht(t, res, t->at, packet->layer + 1u == wvl_check_style_of(t->w)->layers);
    t->at += body;
    return 1;
}

int wvl_check_read_packet(wvl_walk_tile_walk *t, wvl_walk_resolution *res, uint64_t k)
{
    wvl_walk_precinct *precinct = &res->precincts[k];
    wvl_check_packet packet = {.tile = t->tile,
                               .component = res->component,
                               .resolution = res->r,
                               .layer = precinct->next_layer,
                               .precinct = k};
    int is_empty = 0;
    t->contributions.count = t->ht_parts.count = t->inclusions.count = 0;
    packet.offset = t->at;
    if (!take_sop(t, wvl_check_style_of(t->w)->scod & 2) || !take_header(t, res, k, &packet, &is_empty) ||
        !take_body(t, res, &packet)) {
        return 0;
    }
    packet.part = (uint32_t)(t->part - (wvl_walk_part *)t->w->parts.items);
    packet.bytes = t->at - packet.offset;
    packet.offset += t->w->base;
    wvl_check_compare_length(t, packet.bytes);
    count_packet(t, res, k, &packet, is_empty);
    if (t->inclusions.count) {
        tell_blocks(t, &packet, t->w->base + t->at - packet.body_bytes);
    }
    t->packets++;
    precinct->next_layer++;
    if (precinct->next_layer == wvl_check_style_of(t->w)->layers) {
        wvl_check_close_bands(t, res, k);
    }
    return 1;
}
