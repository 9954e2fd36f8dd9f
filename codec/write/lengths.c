/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of packets, tile-parts and headers, from committed layers. Everything is known before the first byte leaves.
 */
#include "codec/write/lengths.h"

#include <stdio.h>

#include "base/try.h"

#define PLT_LENGTH_MOST 5u
#define PLT_SEGMENT_LEAST 65528u /* bytes of lengths in a marker segment that another one follows (A.7.3) */

uint64_t wvl_coder_number_packet(const wvl_coder *coder, uint32_t tile, const wvl_packet_id *id)
{
    return id->layer * coder->tiles[tile].precinct_count + id->precinct;
}

static wvl_packet_length length_of(const wvl_coder *coder, uint32_t tile, uint64_t packet)
{
    const wvl_packet_source *source = &coder->layer_job.packets;
    return source->length(source->self, tile, packet);
}

uint64_t wvl_coder_packet_bytes(const wvl_coder *coder, uint32_t tile, uint64_t packet)
{
    wvl_packet_length length = length_of(coder, tile, packet);
    return length.header_bytes + length.body_bytes +
           wvl_packet_marker_bytes(coder->tiles[tile].sop, coder->tiles[tile].eph);
}

/* Returns what of a packet goes to PPM or PPT. */
static uint64_t packed_bytes(const wvl_coder *coder, uint32_t tile, uint64_t packet)
{
    return coder->plan->syntax.packed_headers
               ? length_of(coder, tile, packet).header_bytes + (coder->tiles[tile].eph ? WVL_EPH_BYTES : 0u)
               : 0;
}

/* Lengths of the tile's packets in order, and what they add to its parts. */
static wvl_status list_lengths(wvl_coder *coder, const wvl_tile_plan *tile, const wvl_order_memory *memory,
                               uint32_t *lengths, wvl_cs_part *parts)
{
    wvl_packet_order order;
    wvl_packet_id id;
    uint32_t n = 0;
    wvl_order_open(&order, coder->plan, tile, memory);
    while (wvl_order_next(&order, &id)) {
        uint64_t packet = wvl_coder_number_packet(coder, tile->index, &id),
                 bytes = wvl_coder_packet_bytes(coder, tile->index, packet);
        if (bytes > UINT32_MAX) {
            return wvl_coder_refuse_packet(coder, tile->index);
        }
        while (parts->packet_first + parts->packet_count <= n) {
            parts++;
        }
        uint64_t packed = packed_bytes(coder, tile->index, packet);
        parts->body_bytes += bytes - packed;
        parts->header_bytes += packed;
        lengths[n++] = (uint32_t)bytes;
        if (wvl_look_after(coder->look, WVL_LOOK_LENGTHS, 1)) {
            return WVL_CANCELLED;
        }
    }
    return WVL_OK;
}

uint64_t wvl_coder_most_packets(const wvl_coder *coder, wvl_portion portion)
{
    uint64_t most = 1;
    for (uint32_t t = portion.first; t < portion.end; t++) {
        most = wvl_max_u64(most, coder->tiles[t].precinct_count * coder->plan->syntax.layer_count);
    }
    return most;
}

static uint64_t measure_ppt(const wvl_plan *plan, const wvl_cs_part *part)
{
    return plan->syntax.packed_headers == WVL_PACKED_PPT ? wvl_cs_measure_packed(part->header_bytes) : 0;
}

static uint64_t psot_of(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *lengths)
{
    return wvl_cs_measure_part_header(plan, part, lengths) + measure_ppt(plan, part) + part->body_bytes;
}

wvl_status wvl_coder_refuse_packet(wvl_coder *coder, uint32_t tile)
{
    snprintf(coder->problem, sizeof coder->problem,
             "a packet of tile %u exceeds 4 GiB, the most that a tile-part holds (A.4.2); use smaller precincts "
             "or tiles",
             tile);
    return WVL_ERROR_UNSUPPORTED;
}

/* Packets, from the first on, that a part of these holds; 0: not even one. lengths: of the tile's packets in order. */
static uint32_t count_fitting(const wvl_coder *coder, const wvl_cs_part *part, const uint32_t *lengths)
{
    const wvl_plan *plan = coder->plan;
    uint64_t sum = WVL_CS_SOT_SOD_BYTES + (part->index ? 0 : wvl_cs_measure_tile_segments(plan, part->tile)),
             limit = wvl_cs_most_psot(plan), each = plan->syntax.plt ? PLT_LENGTH_MOST : 0;
    if (plan->syntax.plt) {
        sum += WVL_CS_SEGMENT_HEAD_BYTES * (1 + UINT64_C(5) * part->packet_count / PLT_SEGMENT_LEAST);
    }
    if (plan->syntax.packed_headers == WVL_PACKED_PPT) {
        sum += wvl_cs_measure_packed(part->header_bytes) - part->header_bytes + WVL_CS_SEGMENT_HEAD_BYTES;
    }
    uint32_t n = 0;
    while (n < part->packet_count && (sum += lengths[part->packet_first + n] + each) <= limit) {
        n++;
    }
    return n;
}

wvl_status wvl_coder_split_part(wvl_coder *coder, uint64_t at, uint32_t packets)
{
    wvl_cs_part *part = &coder->parts[at], *first = part - part->index;
    if (part->count == WVL_CS_MAX_PARTS_PER_TILE || coder->part_count == wvl_plan_most_parts(coder->plan)) {
        snprintf(coder->problem, sizeof coder->problem,
                 "tile %u needs more than 255 tile-parts of 4 GiB (A.4.2); use smaller tiles", part->tile);
        return WVL_ERROR_UNSUPPORTED;
    }
    memmove(part + 1, part, (coder->part_count - at) * sizeof *part);
    coder->part_count++;
    part[1].packet_first += packets;
    part[1].packet_count -= packets;
    part[1].body_bytes = 0;
    part->packet_count = packets;
    unsigned count = part->count + 1u;
    for (unsigned i = 0; i < count; i++) {
        first[i].index = (uint8_t)i;
        first[i].count = (uint8_t)count;
    }
    return WVL_OK;
}

/* parts[*at] is too long. It becomes the last of what it is divided into. */
static wvl_status divide_part(wvl_coder *coder, uint64_t *at, const uint32_t *lengths)
{
    for (;; ++*at) {
        const wvl_cs_part *part = &coder->parts[*at];
        uint32_t packets = wvl_max_u32(count_fitting(coder, part, lengths), 1);
        if (packets >= part->packet_count) {
            return WVL_OK;
        }
        wvl_status status = wvl_coder_split_part(coder, *at, packets);
        if (status != WVL_OK) {
            return status;
        }
    }
}

/* Divides parts of a tile that are too long. What they hold is to be summed anew then. */
static wvl_status divide_long(wvl_coder *coder, uint64_t at, const uint32_t *lengths, int *is_changed)
{
    wvl_status status = WVL_OK;
    for (*is_changed = 0; status == WVL_OK; at++) {
        if (psot_of(coder->plan, &coder->parts[at], lengths) > wvl_cs_most_psot(coder->plan)) {
            status = divide_part(coder, &at, lengths);
            *is_changed = 1;
        }
        if (coder->parts[at].index + 1u == coder->parts[at].count) {
            break;
        }
    }
    return status;
}

static wvl_status measure_parts(wvl_coder *coder, wvl_cs_part *parts, const uint32_t *lengths)
{
    uint64_t ppt_segments = 0;
    for (wvl_cs_part *part = parts;; part++) {
        if (!wvl_cs_plt_fits(coder->plan, part, lengths)) {
            snprintf(coder->problem, sizeof coder->problem,
                     "tile %u: PLT cannot name %u packets (A.7.3); use more tile-parts", part->tile,
                     part->packet_count);
            return WVL_ERROR_PARAMETER;
        }
        ppt_segments +=
            coder->plan->syntax.packed_headers == WVL_PACKED_PPT ? wvl_cs_packed_segments(part->header_bytes) : 0;
        if (ppt_segments > WVL_CS_MAX_SEGMENTS) {
            snprintf(coder->problem, sizeof coder->problem,
                     "tile %u: its packet headers are more than PPT can hold (A.7.5); use smaller tiles", part->tile);
            return WVL_ERROR_PARAMETER;
        }
        if (coder->plan->syntax.plm) {
            part->length_bytes = (uint32_t)wvl_min_u64(
                UINT32_MAX, wvl_cs_measure_lengths(lengths + part->packet_first, part->packet_count));
        }
        part->psot = psot_of(coder->plan, part, lengths);
        if (part->psot > wvl_cs_most_psot(coder->plan)) {
            return wvl_coder_refuse_packet(coder, part->tile);
        }
        if (part->index + 1u == part->count) {
            return WVL_OK;
        }
    }
}

static wvl_status measure_tile(wvl_coder *coder, const wvl_tile_plan *tile, const wvl_order_memory *memory,
                               uint32_t *lengths, uint64_t part)
{
    int is_changed = 0;
    wvl_status status = list_lengths(coder, tile, memory, lengths, &coder->parts[part]);
    TRY(status, divide_long(coder, part, lengths, &is_changed));
    if (status == WVL_OK && is_changed) {
        for (uint32_t i = 0; i < coder->parts[part].count; i++) {
            coder->parts[part + i].body_bytes = coder->parts[part + i].header_bytes = 0;
        }
        status = list_lengths(coder, tile, memory, lengths, &coder->parts[part]);
    }
    return status == WVL_OK ? measure_parts(coder, &coder->parts[part], lengths) : status;
}

static wvl_status measure_tiles(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                wvl_portion portion, uint64_t part)
{
    uint64_t bytes = wvl_coder_most_packets(coder, portion) * sizeof(uint32_t);
    uint32_t *lengths = wvl_alloc(coder->allocator, bytes);
    wvl_status status = lengths ? WVL_OK : WVL_ERROR_MEMORY;
    for (uint32_t t = portion.first; t < portion.end && status == WVL_OK; t++) {
        status = measure_tile(coder, wvl_tile_walk_fetch(tiles, t), memory, lengths, part);
        part += coder->parts[part].count;
    }
    wvl_free(coder->allocator, lengths, bytes);
    return status;
}

uint64_t wvl_coder_ppm_bytes(const wvl_coder *coder)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; coder->plan->syntax.packed_headers == WVL_PACKED_PPM && i < coder->part_count; i++) {
        bytes += 4 + coder->parts[i].header_bytes;
    }
    return bytes;
}

uint64_t wvl_coder_main_header_bytes(const wvl_coder *coder)
{
    uint64_t plm = coder->plan->syntax.plm ? wvl_cs_measure_plm(coder->parts, coder->part_count) : 0;
    return wvl_cs_measure_main_header(coder->plan, coder->part_count) + plm +
           wvl_cs_measure_packed(wvl_coder_ppm_bytes(coder));
}

/* PLM and PPM have limits that show only when the packets are there. */
static wvl_status check_main_header(wvl_coder *coder)
{
    if (wvl_cs_packed_segments(wvl_coder_ppm_bytes(coder)) > WVL_CS_MAX_SEGMENTS) {
        snprintf(coder->problem, sizeof coder->problem,
                 "%llu bytes of packet headers are more than PPM can hold (A.7.4); use packed-headers ppt",
                 (unsigned long long)wvl_coder_ppm_bytes(coder));
        return WVL_ERROR_PARAMETER;
    }
    if (!coder->plan->syntax.plm || wvl_cs_measure_plm(coder->parts, coder->part_count) != UINT64_MAX) {
        return WVL_OK;
    }
    const wvl_cs_part *part = coder->parts;
    for (uint64_t i = 0; i < coder->part_count && part->length_bytes <= WVL_CS_MAX_NPLM; i++) {
        part = &coder->parts[i];
    }
    snprintf(coder->problem, sizeof coder->problem,
             "PLM: the lengths of the %u packets of a tile-part of tile %u need %u bytes; Nplm names up to 255, and "
             "PLM up to 256 segments (A.7.2); use more tile-parts, or PLT",
             part->packet_count, part->tile, part->length_bytes);
    return WVL_ERROR_PARAMETER;
}

uint64_t wvl_coder_codestream_bytes(const wvl_coder *coder)
{
    uint64_t bytes = wvl_coder_main_header_bytes(coder) + WVL_CS_END_BYTES;
    for (uint64_t i = 0; i < coder->part_count; i++) {
        bytes += coder->parts[i].psot;
    }
    return bytes;
}

void wvl_coder_add_packet(wvl_coder *coder, uint32_t tile, uint64_t p, uint32_t layer)
{
    const wvl_coded_tile *coded = &coder->tiles[tile];
    const wvl_precinct *precinct = &coded->precincts[p];
    uint64_t row = (uint64_t)precinct->component * (coder->plan->syntax.max_levels + 1u) + precinct->resolution;
    coder->packet_bytes[row * coder->plan->syntax.layer_count + layer] +=
        wvl_coder_packet_bytes(coder, tile, layer * coded->precinct_count + p);
}

static void sum_packets(wvl_coder *coder, wvl_portion portion)
{
    const wvl_plan *plan = coder->plan;
    for (uint32_t t = portion.first; t < portion.end; t++) {
        const wvl_coded_tile *tile = &coder->tiles[t];
        for (uint32_t l = 0; l < plan->syntax.layer_count; l++) {
            for (uint64_t p = 0; p < tile->precinct_count; p++) {
                wvl_coder_add_packet(coder, t, p, l);
                if (wvl_look_after(coder->look, WVL_LOOK_LENGTHS, 1)) {
                    return;
                }
            }
        }
    }
}

wvl_status wvl_coder_measure_lengths(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                     wvl_portion portion, uint64_t part)
{
    wvl_status status = measure_tiles(coder, tiles, memory, portion, part);
    if (status == WVL_OK && portion.end == coder->plan->syntax.tile_count) {
        status = check_main_header(coder);
    }
    if (status == WVL_OK) {
        sum_packets(coder, portion);
    }
    return status;
}
