/* SPDX-License-Identifier: BSD-2-Clause */
/* Tile-parts that would be longer than Psot can say are divided between packets, when lengths are known (D-cs-08). */
#include <stdio.h>
#include <string.h>

#include "codec/write/coder.h"

#define SHARE_OF_PART 6u
#define PLT_LENGTH_MOST 5u
#define PLT_SEGMENT_LEAST 65528u /* bytes of lengths in a segment that another one follows (A.7.3) */

/* ---- With the plan --------------------------------------------------------------------------- */

/* What a band takes whose samples cannot be compressed. */
static uint64_t raw_bytes(const wvl_coding *coding, const wvl_tile_band *band, uint64_t width, uint64_t height)
{
    unsigned guards = coding->guard_bits ? coding->guard_bits - 1u : 0,
             bits = band->planes > guards ? band->planes - guards : 0;
    return wvl_mul_saturate(wvl_mul_saturate(width, height), bits) / 8;
}

void wvl_coder_add_raw(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                       wvl_coder_tile_sum *t)
{
    const wvl_tile_component *tc = &tile->components[component];
    const wvl_coding *coding = &plan->syntax.codings[tc->coding];
    for (unsigned r = 0; r <= tc->levels; r++) {
        const wvl_tile_resolution *resolution = &tile->resolutions[tc->first_resolution + r];
        uint64_t packet = 0;
        for (unsigned i = 0; i < resolution->band_count; i++) {
            const wvl_tile_band *band = &tile->bands[resolution->first_band + i];
            uint64_t width = wvl_rect_width(band->rect), height = wvl_rect_height(band->rect);
            unsigned halves = r != 0;
            t->raw_bytes =
                wvl_add_saturate(t->raw_bytes, wvl_mul_saturate(raw_bytes(coding, band, width, height), times));
            width = wvl_min_u64(width, UINT64_C(2) << resolution->ppx >> (1 + halves));
            height = wvl_min_u64(height, UINT64_C(2) << resolution->ppy >> (1 + halves));
            packet = wvl_add_saturate(packet, raw_bytes(coding, band, width, height));
        }
        t->raw_packet = wvl_max_u64(t->raw_packet, packet);
    }
}

/* Two parts that follow one another hold more than the room of one, which is at least half of the limit. So does each
 * part that was divided: for B bytes, extra parts are at most 3 B / (limit / 2). */
static uint64_t bound_extra(uint64_t bytes, uint64_t limit)
{
    return wvl_mul_saturate(SHARE_OF_PART, bytes / limit + 1);
}

void wvl_coder_add_spare_parts(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t output,
                               const wvl_coder_tile_sum *t, wvl_coder_sum *sum)
{
    uint64_t limit = wvl_cs_most_psot(plan);
    if (output > limit) {
        sum->spare_parts += wvl_min_u64(bound_extra(output, limit), WVL_CS_MAX_PARTS_PER_TILE - 1);
    }
    if (t->raw_bytes > sum->raw_tile_bytes) {
        sum->raw_tile_bytes = t->raw_bytes;
        sum->raw_tile = tile->index;
    }
    if (t->raw_packet > sum->raw_packet_bytes) {
        sum->raw_packet_bytes = t->raw_packet;
        sum->raw_packet_tile = tile->index;
    }
}

/* What only samples as they are take; what a proved bound allows, which is several times as much, is divided or found
 * when it is there. */
wvl_status wvl_coder_check_raw(const wvl_plan *plan, const wvl_coder_sum *sum, char *problem, size_t problem_bytes)
{
    uint64_t limit = wvl_cs_most_psot(plan), asked = wvl_coder_asked_bytes(plan), layers = plan->syntax.layer_count;
    if (wvl_min_u64(sum->raw_packet_bytes, asked) / layers > limit) {
        (void)snprintf(problem, problem_bytes,
                       "a packet of tile %u may take %llu bytes, and a tile-part holds 4 GiB (A.4.2); use smaller "
                       "precincts or tiles",
                       sum->raw_packet_tile, (unsigned long long)sum->raw_packet_bytes);
        return WVL_ERROR_PARAMETER;
    }
    if (wvl_min_u64(sum->raw_tile_bytes, asked) / (WVL_CS_MAX_PARTS_PER_TILE / 2) > limit) {
        (void)snprintf(problem, problem_bytes,
                       "tile %u may take %llu bytes, and 255 tile-parts hold 4 GiB each at most (A.4.2); use smaller "
                       "tiles",
                       sum->raw_tile, (unsigned long long)sum->raw_tile_bytes);
        return WVL_ERROR_PARAMETER;
    }
    return WVL_OK;
}

uint64_t wvl_coder_reserved_parts(const wvl_plan *plan)
{
    uint64_t asked = wvl_coder_asked_bytes(plan), limit = wvl_cs_most_psot(plan);
    return asked != UINT64_MAX && asked > limit ? wvl_min_u64(plan->memory.spare_parts, bound_extra(asked, limit)) : 0;
}

/* ---- With the lengths ------------------------------------------------------------------------ */

wvl_status wvl_coder_refuse_packet(wvl_coder *coder, uint32_t tile)
{
    (void)snprintf(coder->problem, sizeof coder->problem,
                   "a packet of tile %u exceeds 4 GiB, the most that a tile-part holds (A.4.2); use smaller precincts "
                   "or tiles",
                   tile);
    return WVL_ERROR_UNSUPPORTED;
}

uint32_t wvl_coder_count_fitting(const wvl_coder *coder, const wvl_cs_part *part, const uint32_t *lengths)
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
        (void)snprintf(coder->problem, sizeof coder->problem,
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
