/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/prop/packets.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/prop/packet_walker.h"

static int bad(walker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int bad(walker *w, const char *format, ...)
{
    if (!w->failed) {
        int n = snprintf(w->error, w->error_bytes, "tile %u, packet %zu, byte %zu: ", w->tile, w->tile_packets, w->at);
        va_list args;
        va_start(args, format);
        if (n > 0 && (size_t)n < w->error_bytes) {
            vsnprintf(w->error + n, w->error_bytes - (size_t)n, format, args);
        }
        va_end(args);
    }
    w->failed = 1;
    return 0;
}

/* E-2 with the exponents of QCD or QCC; index: LL, then HL, LH, HH of resolution 1, 2, ... */
static unsigned magnitude_bits(const cs_component *k, unsigned r, unsigned index)
{
    unsigned eps;
    if (k->quant_style == 0) {
        eps = k->step[index] >> 3;
    } else if (k->quant_style == 2) {
        eps = k->step[index] >> 11;
    } else { /* E-5: eps_0 - N_L + n_b */
        eps = (k->step[0] >> 11) - (r ? r - 1 : 0);
    }
    return k->guard_bits + eps - 1 + k->shift;
}

static void open_band(const cs_component *k, const tile_component *tc, const resolution *res, unsigned r, unsigned b,
                      uint64_t col, uint64_t row, precinct_band *pb)
{
    unsigned orient = r ? b + 1 : 0, level = r ? k->levels - r + 1 : k->levels, half = r ? 1 : 0;
    unsigned px = res->ppx - half, py = res->ppy - half, xcb = k->xcb < px ? k->xcb : px,
             ycb = k->ycb < py ? k->ycb : py;
    naive_rect band = naive_band(tc->rect, level, orient & 1, orient >> 1);
    uint64_t kx = (res->rect.x0 >> res->ppx) + col, ky = (res->rect.y0 >> res->ppy) + row;
    naive_rect area = {naive_max(band.x0, kx << px), naive_max(band.y0, ky << py), naive_min(band.x1, (kx + 1) << px),
                       naive_min(band.y1, (ky + 1) << py)};
    memset(pb, 0, sizeof *pb);
    pb->mb = magnitude_bits(k, r, r ? 3 * (r - 1) + b + 1 : 0);
    if (naive_empty(area) || naive_empty(band)) {
        return;
    }
    pb->cols = (uint32_t)(naive_ceil(area.x1, (uint64_t)1 << xcb) - (area.x0 >> xcb));
    pb->rows = (uint32_t)(naive_ceil(area.y1, (uint64_t)1 << ycb) - (area.y0 >> ycb));
    pb->inclusion = tag_reader_create(pb->cols, pb->rows);
    pb->zero_planes = tag_reader_create(pb->cols, pb->rows);
    pb->blocks = need((size_t)pb->cols * pb->rows, sizeof *pb->blocks);
    for (size_t i = 0; i < (size_t)pb->cols * pb->rows; i++) {
        pb->blocks[i].lblock = 3;
    }
}

static void open_resolution(const cs_component *k, const tile_component *tc, unsigned r, resolution *res)
{
    res->rect = naive_resolution(tc->rect, k->levels, r);
    res->ppx = k->precinct[r] & 15;
    res->ppy = k->precinct[r] >> 4;
    res->wide = naive_precincts(res->rect.x0, res->rect.x1, res->ppx);
    res->high = naive_precincts(res->rect.y0, res->rect.y1, res->ppy);
    res->precincts = need((size_t)(res->wide * res->high), sizeof *res->precincts);
    for (uint64_t i = 0; i < res->wide * res->high; i++) {
        res->precincts[i].band_count = r ? 3 : 1;
        for (unsigned b = 0; b < res->precincts[i].band_count; b++) {
            open_band(k, tc, res, r, b, i % res->wide, i / res->wide, &res->precincts[i].band[b]);
        }
    }
}

static void open_tile(walker *w)
{
    const cs_stream *s = w->s;
    naive_rect image = {s->x0, s->y0, s->x1, s->y1};
    w->rect = naive_tile(w->tile, image, s->tile_x0, s->tile_y0, s->tile_width, s->tile_height);
    w->components = need(s->component_count, sizeof *w->components);
    w->max_levels = 0;
    w->scope = cs_scope_of(s, w->tile);
    for (unsigned c = 0; c < s->component_count; c++) {
        const cs_component *k = &w->scope.components[c];
        w->max_levels = k->levels > w->max_levels ? k->levels : w->max_levels;
        w->components[c].rect = naive_component(w->rect, k->dx, k->dy);
        for (unsigned r = 0; r <= k->levels; r++) {
            open_resolution(k, &w->components[c], r, &w->components[c].resolutions[r]);
        }
    }
}

static void close_tile(walker *w)
{
    for (unsigned c = 0; c < w->s->component_count; c++) {
        for (unsigned r = 0; r <= w->scope.components[c].levels; r++) {
            resolution *res = &w->components[c].resolutions[r];
            for (uint64_t i = 0; i < res->wide * res->high; i++) {
                for (unsigned b = 0; b < res->precincts[i].band_count; b++) {
                    tag_reader_free(res->precincts[i].band[b].inclusion);
                    tag_reader_free(res->precincts[i].band[b].zero_planes);
                    free(res->precincts[i].band[b].blocks);
                }
            }
            free(res->precincts);
        }
    }
    free(w->components);
    w->components = NULL;
}

/* ---- Packet headers (B.10) ------------------------------------------------------------------- */

static unsigned take_bit(void *user)
{
    walker *w = user;
    if (w->failed) {
        return 1; /* ends every loop */
    }
    if (!w->bits_left) {
        unsigned before = w->byte;
        size_t *at = w->s->packed ? &w->head_at : &w->at;
        if (*at >= (w->s->packed ? w->head_end : w->end)) {
            bad(w, "the header runs out of its tile-part");
            return 1;
        }
        w->byte = w->head[(*at)++];
        w->bits_left = before == 0xFF ? 7 : 8;
        if (before == 0xFF && (w->byte & 0x80)) {
            bad(w, "no 0 is stuffed after 0xFF");
        }
    }
    return w->byte >> --w->bits_left & 1;
}

static unsigned take_bits(walker *w, unsigned n)
{
    unsigned v = 0;
    while (n--) {
        v = v << 1 | take_bit(w);
    }
    return v;
}

static void close_bits(walker *w)
{
    if (!w->failed && (w->byte & ((1u << w->bits_left) - 1))) {
        bad(w, "the header is not padded with 0");
    }
    size_t *at = w->s->packed ? &w->head_at : &w->at;
    if (!w->failed && w->byte == 0xFF && (*at >= (w->s->packed ? w->head_end : w->end) || w->head[(*at)++] != 0)) {
        bad(w, "a header that ends in 0xFF lacks its 0x00");
    }
}

/* Table B.4. */
static unsigned take_pass_count(walker *w)
{
    unsigned n;
    if (!take_bit(w)) {
        return 1;
    }
    if (!take_bit(w)) {
        return 2;
    }
    n = take_bits(w, 2);
    if (n < 3) {
        return 3 + n;
    }
    n = take_bits(w, 5);
    return n < 31 ? 6 + n : 37 + take_bits(w, 7);
}

/* Passes that the codeword segment at hand can still take when `done` passes of the block are coded (Table D.9). */
static unsigned segment_room(unsigned style, unsigned done)
{
    if (style & 64) { /* HT: cleanup; SigProp with MagRef */
        return done ? 2 : 1;
    }
    if (style & 4) {
        return 1;
    }
    if (!(style & 1)) {
        return 1000;
    }
    return done < 10 ? 10 - done : (done - 10) % 3 == 0 ? 2 : 1;
}

static unsigned log2_floor(unsigned v)
{
    unsigned n = 0;
    while (v >>= 1) {
        n++;
    }
    return n;
}

static void first_inclusion(walker *w, precinct_band *pb, uint32_t col, uint32_t row, block *b)
{
    unsigned zero = 0;
    while (!w->failed && !tag_reader_below(pb->zero_planes, col, row, zero + 1, take_bit, w)) {
        if (++zero >= pb->mb) {
            bad(w, "%u zero bit-planes of %u", zero, pb->mb);
        }
    }
    b->included = 1;
    b->planes = pb->mb - zero;
    w->list->blocks_coded++;
}

static uint64_t take_contribution(walker *w, unsigned style, block *b)
{
    unsigned passes = take_pass_count(w);
    uint64_t bytes = 0;
    w->list->passes += passes;
    if (b->passes + passes > 3 * b->planes - 2) {
        bad(w, "%u passes in %u bit-planes", b->passes + passes, b->planes);
    }
    while (!w->failed && take_bit(w)) {
        b->lblock++;
    }
    while (!w->failed && passes) {
        unsigned chunk = segment_room(style, b->passes);
        chunk = chunk < passes ? chunk : passes;
        unsigned width = b->lblock + log2_floor(chunk);
        if (width > 32) {
            bad(w, "a length of %u bits", width);
        }
        bytes += take_bits(w, width);
        b->passes += chunk;
        passes -= chunk;
    }
    return bytes;
}

static uint64_t take_band(walker *w, unsigned style, precinct_band *pb, unsigned layer)
{
    uint64_t bytes = 0;
    for (uint32_t row = 0; row < pb->rows; row++) {
        for (uint32_t col = 0; col < pb->cols && !w->failed; col++) {
            block *b = &pb->blocks[(size_t)row * pb->cols + col];
            if (b->included ? take_bit(w)
                            : (unsigned)tag_reader_below(pb->inclusion, col, row, layer + 1, take_bit, w)) {
                if (!b->included) {
                    first_inclusion(w, pb, col, row, b);
                }
                bytes += take_contribution(w, style, b);
            }
        }
    }
    return bytes;
}

/* ---- Packets --------------------------------------------------------------------------------- */

/* Part of the tile that holds the next packet: the one at hand, or the next when that is used up. */
static int enter_part(walker *w)
{
    const cs_stream *s = w->s;
    while ((s->packed ? w->head_at == w->head_end : w->at == w->end) || w->part == s->part_count) {
        size_t next = w->part == s->part_count ? 0 : w->part + 1;
        if (w->part < s->part_count && s->parts[w->part].has_lengths &&
            s->parts[w->part].packet_count != w->part_packets) {
            return bad(w, "PLT names %zu packets, there are %zu", s->parts[w->part].packet_count, w->part_packets);
        }
        if (w->at != w->end) {
            return bad(w, "%zu bytes of bodies follow the last packed header of the tile-part", w->end - w->at);
        }
        while (next < s->part_count && s->parts[next].tile != w->tile) {
            next++;
        }
        if (next == s->part_count) {
            return bad(w, "packets are missing");
        }
        w->part = next;
        w->at = s->parts[next].body_offset;
        w->end = w->at + s->parts[next].body_bytes;
        w->head = s->packed ? s->parts[next].headers : w->data;
        w->head_at = 0;
        w->head_end = s->parts[next].header_bytes;
        w->part_packets = 0;
    }
    return 1;
}

static void take_sop(walker *w)
{
    const uint8_t *p = w->data + w->at;
    if (w->end - w->at < 6 || p[0] != 0xFF || p[1] != 0x91 || p[2] || p[3] != 4 ||
        (size_t)(p[4] << 8 | p[5]) != (w->tile_packets & 0xFFFF)) {
        bad(w, "SOP is missing or misnumbered");
    }
    w->at += 6;
}

static void take_eph(walker *w)
{
    size_t *at = w->s->packed ? &w->head_at : &w->at, end = w->s->packed ? w->head_end : w->end;
    if (w->failed || end - *at < 2 || w->head[*at] != 0xFF || w->head[*at + 1] != 0x92) {
        bad(w, "EPH is missing");
        return;
    }
    *at += 2;
}

static uint64_t take_header(walker *w, unsigned component, precinct *p, unsigned layer)
{
    uint64_t body = 0;
    w->byte = w->bits_left = 0;
    if (take_bit(w)) {
        for (unsigned b = 0; b < p->band_count; b++) {
            body += take_band(w, w->scope.components[component].style, &p->band[b], layer);
        }
    }
    close_bits(w);
    return body;
}

static void note_packet(walker *w, const packet_info *packet)
{
    packet_list *list = w->list;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        if (!list->items) {
            abort();
        }
    }
    list->items[list->count++] = *packet;
}

void packets_take(walker *w, unsigned component, unsigned r, uint64_t k, unsigned layer)
{
    const cs_stream *s = w->s;
    if (w->failed || !enter_part(w)) {
        return;
    }
    packet_info packet = {w->tile, component, r, layer, k, w->part, w->at, 0, 0, 0};
    if (w->scope.scod & 2) {
        take_sop(w);
    }
    size_t head_from = w->head_at;
    uint64_t body = take_header(w, component, &w->components[component].resolutions[r].precincts[k], layer);
    if (w->scope.scod & 4) {
        take_eph(w);
    }
    if (!w->failed && body > w->end - w->at) {
        bad(w, "a body of %llu bytes, %zu are left", (unsigned long long)body, w->end - w->at);
    }
    if (w->failed) {
        return;
    }
    packet.header_bytes = w->at - packet.offset + (w->head_at - head_from);
    packet.body_bytes = (size_t)body;
    w->at += (size_t)body;
    packet.bytes = w->at - packet.offset + (w->head_at - head_from);
    const cs_tile_part *part = &s->parts[w->part];
    if (part->has_lengths && (w->part_packets >= part->packet_count ||
                              s->packet_bytes[part->first_packet + w->part_packets] != packet.bytes)) {
        bad(w, "PLT does not have the packet's %zu bytes", packet.bytes);
    }
    note_packet(w, &packet);
    w->part_packets++;
    w->tile_packets++;
}

/* After the last packet nothing may be left, neither bytes nor packets that the progression did not reach. */
static void check_end(walker *w)
{
    uint64_t expected = 0;
    for (unsigned c = 0; c < w->s->component_count; c++) {
        for (unsigned r = 0; r <= w->scope.components[c].levels; r++) {
            expected += w->components[c].resolutions[r].wide * w->components[c].resolutions[r].high * w->s->layers;
        }
    }
    if (w->failed) {
        return;
    }
    if (expected != w->tile_packets) {
        bad(w, "%llu packets make the tile, the progression reaches %zu", (unsigned long long)expected,
            w->tile_packets);
    }
    if (w->at != w->end || (w->s->packed && w->head_at != w->head_end)) {
        bad(w, "%zu bytes, or packed headers, follow the last packet", w->end - w->at);
    }
    if (w->part < w->s->part_count && w->s->parts[w->part].has_lengths &&
        w->s->parts[w->part].packet_count != w->part_packets) {
        bad(w, "PLT names %zu packets, there are %zu", w->s->parts[w->part].packet_count, w->part_packets);
    }
    for (size_t p = w->part == w->s->part_count ? 0 : w->part + 1; p < w->s->part_count; p++) {
        if (w->s->parts[p].tile == w->tile && w->s->parts[p].body_bytes) {
            bad(w, "tile-part %u holds bytes after the last packet", w->s->parts[p].index);
        }
    }
}

int packets_walk(const uint8_t *data, const cs_stream *s, packet_list *list, char *error, size_t error_bytes)
{
    walker w = {.data = data, .s = s, .list = list, .error = error, .error_bytes = error_bytes};
    memset(list, 0, sizeof *list);
    for (uint64_t t = 0; t < s->tile_count && !w.failed; t++) {
        w.tile = (unsigned)t;
        w.part = s->part_count;
        w.at = w.end = w.head_at = w.head_end = 0;
        w.part_packets = w.tile_packets = 0;
        open_tile(&w);
        packets_take_tile(&w);
        check_end(&w);
        close_tile(&w);
    }
    return !w.failed;
}

void packets_free(packet_list *list)
{
    free(list->items);
    memset(list, 0, sizeof *list);
}
