/* SPDX-License-Identifier: BSD-2-Clause */
/* Tile-parts: how long they are, and their bytes. Everything is known before the first byte leaves. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "codec/rate/measure.h"
#include "codec/tile_survey.h"

/* ---- Lengths ------------------------------------------------------------------------------------------------------------------- */

static const wvl_packet *packet_of(const wvl_coded_tile *tile, const wvl_packet_id *id) { return &tile->packets[id->layer * tile->precinct_count + id->precinct]; }

static uint64_t packet_total(const wvl_coded_tile *tile, const wvl_packet *packet)
{
    return packet->header_bytes + packet->body_bytes + wvl_packet_marker_bytes(tile->sop, tile->eph);
}

/* What of a packet goes to PPM or PPT. */
static uint64_t packed_bytes(const wvl_plan *plan, const wvl_coded_tile *tile, const wvl_packet *packet)
{
    return plan->packed_headers ? packet->header_bytes + (tile->eph ? WVL_EPH_BYTES : 0u) : 0;
}

/* Lengths of the tile's packets in order, and what they add to its parts. */
static wvl_status list_lengths(wvl_coder *coder, const wvl_tile_plan *tile, const wvl_order_memory *memory, uint32_t *lengths, wvl_cs_part *parts)
{
    const wvl_coded_tile *coded = &coder->tiles[tile->index];
    wvl_packet_order order;
    wvl_packet_id id;
    uint32_t n = 0;
    wvl_order_open(&order, coder->plan, tile, memory);
    while (wvl_order_next(&order, &id)) {
        uint64_t bytes = packet_total(coded, packet_of(coded, &id));
        if (bytes > UINT32_MAX) {
            (void)snprintf(coder->problem, sizeof coder->problem, "a packet of tile %u exceeds 4 GiB; use smaller tiles", tile->index);
            return WVL_ERROR_UNSUPPORTED;
        }
        while (parts->packet_first + parts->packet_count <= n) {
            parts++;
        }
        uint64_t packed = packed_bytes(coder->plan, coded, packet_of(coded, &id));
        parts->body_bytes += bytes - packed;
        parts->header_bytes += packed;
        lengths[n++] = (uint32_t)bytes;
    }
    return WVL_OK;
}

static uint64_t packets_of_tile(const wvl_coder *coder, uint32_t t) { return coder->tiles[t].precinct_count * coder->plan->layer_count; }

static uint32_t *alloc_lengths(const wvl_coder *coder, uint64_t *bytes)
{
    uint64_t most = 1;
    for (uint32_t t = 0; t < coder->plan->tile_count; t++) {
        most = wvl_max_u64(most, packets_of_tile(coder, t));
    }
    *bytes = most * sizeof(uint32_t);
    return wvl_alloc(coder->allocator, *bytes);
}

static uint64_t measure_ppt(const wvl_plan *plan, const wvl_cs_part *part)
{
    return plan->packed_headers == WVL_PACKED_PPT ? wvl_cs_measure_packed(part->header_bytes) : 0;
}

static wvl_status measure_parts(wvl_coder *coder, wvl_cs_part *parts, const uint32_t *lengths)
{
    uint64_t ppt_segments = 0;
    for (wvl_cs_part *part = parts;; part++) {
        if (!wvl_cs_plt_fits(coder->plan, part, lengths)) {
            (void)snprintf(coder->problem, sizeof coder->problem, "tile %u: PLT cannot name %u packets (A.7.3); use more tile-parts", part->tile,
                           part->packet_count);
            return WVL_ERROR_PARAMETER;
        }
        ppt_segments += coder->plan->packed_headers == WVL_PACKED_PPT ? wvl_cs_packed_segments(part->header_bytes) : 0;
        if (ppt_segments > WVL_CS_MAX_SEGMENTS) {
            (void)snprintf(coder->problem, sizeof coder->problem, "tile %u: its packet headers are more than PPT can hold (A.7.5); use smaller tiles", part->tile);
            return WVL_ERROR_PARAMETER;
        }
        if (coder->plan->plm) {
            part->length_bytes = (uint32_t)wvl_min_u64(UINT32_MAX, wvl_cs_measure_lengths(lengths + part->packet_first, part->packet_count));
        }
        part->psot = wvl_cs_measure_part_header(coder->plan, part, lengths) + measure_ppt(coder->plan, part) + part->body_bytes;
        if (part->psot > WVL_CS_MAX_PSOT) {
            (void)snprintf(coder->problem, sizeof coder->problem, "a tile-part of tile %u exceeds 4 GiB (A.4.2); use smaller tiles or tile-parts", part->tile);
            return WVL_ERROR_UNSUPPORTED;
        }
        if (part->index + 1u == part->count) {
            return WVL_OK;
        }
    }
}

static wvl_status measure_tiles(wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory)
{
    uint64_t bytes, part = 0;
    uint32_t *lengths = alloc_lengths(coder, &bytes);
    wvl_status status = lengths ? WVL_OK : WVL_ERROR_MEMORY;
    for (uint32_t t = 0; t < coder->plan->tile_count && status == WVL_OK; t++) {
        wvl_tile_plan_build(coder->plan, t, tile);
        status = list_lengths(coder, tile, memory, lengths, &coder->parts[part]);
        if (status == WVL_OK) {
            status = measure_parts(coder, &coder->parts[part], lengths);
            part += coder->parts[part].count;
        }
    }
    wvl_free(coder->allocator, lengths, bytes);
    return status;
}

/* Content of PPM: a length and the headers of every tile-part. */
static uint64_t ppm_data_bytes(const wvl_coder *coder)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; coder->plan->packed_headers == WVL_PACKED_PPM && i < coder->part_count; i++) {
        bytes += 4 + coder->parts[i].header_bytes;
    }
    return bytes;
}

uint64_t wvl_coder_main_header_bytes(const wvl_coder *coder)
{
    uint64_t plm = coder->plan->plm ? wvl_cs_measure_plm(coder->parts, coder->part_count) : 0;
    return wvl_cs_measure_main_header(coder->plan, coder->part_count) + plm + wvl_cs_measure_packed(ppm_data_bytes(coder));
}

/* PLM and PPM have limits that show only when the packets are there. */
static wvl_status check_main_header(wvl_coder *coder)
{
    if (wvl_cs_packed_segments(ppm_data_bytes(coder)) > WVL_CS_MAX_SEGMENTS) {
        (void)snprintf(coder->problem, sizeof coder->problem, "%llu bytes of packet headers are more than PPM can hold (A.7.4); use packed-headers ppt",
                       (unsigned long long)ppm_data_bytes(coder));
        return WVL_ERROR_PARAMETER;
    }
    if (!coder->plan->plm || wvl_cs_measure_plm(coder->parts, coder->part_count) != UINT64_MAX) {
        return WVL_OK;
    }
    const wvl_cs_part *part = coder->parts;
    for (uint64_t i = 0; i < coder->part_count && part->length_bytes <= WVL_CS_MAX_NPLM; i++) {
        part = &coder->parts[i];
    }
    (void)snprintf(coder->problem, sizeof coder->problem, "PLM: the lengths of the %u packets of a tile-part of tile %u need %u bytes; Nplm names up to 255, and "
                                                          "PLM up to 256 segments (A.7.2); use more tile-parts, or PLT", part->packet_count, part->tile,
                   part->length_bytes);
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

static void sum_packets(wvl_coder *coder)
{
    const wvl_plan *plan = coder->plan;
    for (uint32_t t = 0; t < plan->tile_count; t++) {
        const wvl_coded_tile *tile = &coder->tiles[t];
        for (uint32_t l = 0; l < plan->layer_count; l++) {
            for (uint64_t p = 0; p < tile->precinct_count; p++) {
                const wvl_precinct *precinct = &tile->precincts[p];
                uint64_t row = (uint64_t)precinct->component * (plan->max_levels + 1u) + precinct->resolution;
                coder->packet_bytes[row * plan->layer_count + l] += packet_total(tile, &tile->packets[l * tile->precinct_count + p]);
            }
        }
    }
}

/* ---- Finish -------------------------------------------------------------------------------------------------------------------- */

static wvl_status allocate_layers(wvl_coder *coder)
{
    const wvl_plan *plan = coder->plan;
    wvl_layer_job *job = &coder->layer_job;
    job->plan = plan;
    job->allocator = coder->allocator;
    job->pool = coder->pool;
    job->rank = coder->rank;
    job->workers = (uint32_t)coder->workers;
    job->slope_least = atomic_load(&coder->slope_least);
    job->slope_most = atomic_load(&coder->slope_most);
    job->bytes = &coder->bytes;
    job->passes = &coder->passes;
    job->tiles = coder->tiles;
    job->sizes = coder->sizes;
    job->layers = coder->layers;
    job->measure_error = coder->measure_error;
    job->measure_user = coder->measure_user;
    job->overhead.part_count = coder->part_count;
    job->overhead.codestream_bytes = wvl_cs_measure_main_header(plan, coder->part_count) + coder->part_count * WVL_CS_SOT_SOD_BYTES + WVL_CS_END_BYTES;
    job->overhead.component_bytes = coder->component_overhead;
    for (uint32_t t = 0; (plan->progression_count || plan->choice_count) && t < plan->tile_count; t++) {
        job->overhead.codestream_bytes += wvl_cs_measure_tile_segments(plan, t);
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        job->decided[g] = coder->decided[g];
    }
    wvl_status status = wvl_layers_allocate(job);
    if (status == WVL_ERROR_UNREACHABLE) {
        (void)snprintf(coder->problem, sizeof coder->problem, "%s (%llu bytes)", job->problem, (unsigned long long)job->problem_bytes);
    }
    return status;
}

/* Parts and their cost are counted anew every time layers are chosen. */
static void clear_division(wvl_coder *coder)
{
    memset(coder->parts, 0, coder->plan->part_count * sizeof *coder->parts);
    memset(coder->component_overhead, 0, wvl_plan_cap_groups(coder->plan) * sizeof *coder->component_overhead);
    coder->wants_again = coder->is_rescaling = coder->is_redone = 0;
    memset(coder->thresholds, 0, sizeof coder->thresholds);
}

static void reopen_tile(wvl_coder *coder, wvl_coded_tile *tile)
{
    memset(tile->states, 0, tile->block_count * sizeof *tile->states);
    for (uint64_t p = 0; p < tile->precinct_count; p++) {
        const wvl_precinct *precinct = &tile->precincts[p];
        uint32_t g = wvl_plan_rate_group(coder->plan, precinct->component, precinct->resolution);
        for (unsigned i = 0; i < precinct->band_count; i++) {
            const wvl_precinct_band *pb = &precinct->band[i];
            for (uint64_t k = 0; k < (uint64_t)pb->cols * pb->rows; k++) {
                uint32_t decided = tile->blocks[pb->first_block + k / pb->cols * pb->stride + k % pb->cols].decided;
                if (decided <= coder->wanted[g]) {
                    coder->decided[g] = wvl_max_u32(coder->decided[g], decided);
                }
            }
        }
    }
}

/* Back to where blocks are coded: those that are not decided for the thresholds wanted are coded in full this time. */
static void reopen(wvl_coder *coder)
{
    coder->wants_again = 1;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        coder->wanted[g] = coder->layer_job.wanted[g];
        coder->decided[g] = 0;
    }
    wvl_layers_fini(&coder->layer_job);
    memset(&coder->layer_job, 0, sizeof coder->layer_job);
    for (uint32_t t = 0; t < coder->plan->tile_count; t++) {
        reopen_tile(coder, &coder->tiles[t]);
    }
}

/* Back to where blocks are coded, all of them: what is stored goes. */
static wvl_status code_all_again(wvl_coder *coder)
{
    for (uint32_t t = 0; t < coder->plan->tile_count; t++) {
        memset(coder->tiles[t].states, 0, coder->tiles[t].block_count * sizeof *coder->tiles[t].states);
    }
    wvl_layers_fini(&coder->layer_job);
    memset(&coder->layer_job, 0, sizeof coder->layer_job);
    memset(coder->writers, 0, coder->workers * sizeof *coder->writers);
    wvl_store_fini(&coder->bytes);
    wvl_store_fini(&coder->passes);
    if (!wvl_store_init(&coder->bytes, coder->allocator) || !wvl_store_init(&coder->passes, coder->allocator)) {
        return WVL_ERROR_MEMORY;
    }
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        coder->decided[g] = 0;
    }
    coder->wants_again = 1;
    return WVL_OK;
}

static wvl_status open_redo(wvl_coder *coder)
{
    wvl_survey_set_slopes(coder);
    coder->is_redone = 1;
    return code_all_again(coder);
}

/* The threshold of the second coding lies at most so much below that of the first, mostly (docs/results.md). */
#define RESCALE_MARGIN 160u

static wvl_rescale_ends find_ends(const wvl_coder *coder)
{
    wvl_rescale_ends ends = {0, 0};
    for (uint32_t t = 0; t < coder->plan->tile_count; t++) {
        const wvl_coded_tile *tile = &coder->tiles[t];
        for (uint64_t b = 0; b < tile->block_count; b++) {
            if (tile->states[b].sent_passes) {
                wvl_rescale_add_end(&ends, &tile->blocks[b], wvl_block_passes(&coder->passes, &tile->blocks[b]), tile->states[b].sent_passes);
            }
        }
    }
    return ends;
}

static wvl_status open_rescaling(wvl_coder *coder, const wvl_rescale_ends *ends, unsigned sixteenths)
{
    uint32_t threshold = coder->layers[0].slope;
    int64_t start = coder->plan->depth_full ? 0 : (int64_t)threshold + coder->plan->depth_bias - (int64_t)(RESCALE_MARGIN + wvl_rate_reach(coder->plan));
    if (!wvl_rescale_open(&coder->rescale, coder->allocator, coder->plan, ends, sixteenths)) {
        return WVL_ERROR_MEMORY;
    }
    coder->plan = &coder->rescale.plan;
    coder->is_rescaling = 1;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        coder->thresholds[g] = (uint32_t)(start < 0 ? 0 : start > 65535 ? 65535 : start);
    }
    return code_all_again(coder);
}

wvl_status wvl_coder_finish(wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory)
{
    const wvl_plan *plan = coder->plan;
    wvl_coder_drop_workers(coder);
    clear_division(coder);
    wvl_status status = wvl_coder_divide_tiles(coder, tile, memory);
    if (status == WVL_OK) {
        status = allocate_layers(coder);
    }
    if ((status == WVL_OK || status == WVL_ERROR_UNREACHABLE) && coder->layer_job.is_undecided) {
        reopen(coder);
        return WVL_OK;
    }
    if (status == WVL_OK && plan->follows_step && !coder->rescale.is_open) {
        wvl_rescale_ends ends = find_ends(coder);
        unsigned sixteenths = wvl_rescale_choose(plan, &ends);
        if (sixteenths) {
            return open_rescaling(coder, &ends, sixteenths);
        }
    }
    if (status == WVL_OK && plan->rdoq && !coder->is_optimised) {
        coder->is_optimised = 1;
        if (wvl_survey_is_far_off(coder)) {
            return open_redo(coder);
        }
    }
    if (status == WVL_OK) {
        status = measure_tiles(coder, tile, memory);
    }
    if (status == WVL_OK) {
        status = check_main_header(coder);
    }
    if (status != WVL_OK) {
        return status;
    }
    sum_packets(coder);
    uint64_t bytes = wvl_coder_codestream_bytes(coder);
    coder->layers[plan->layer_count - 1].bytes = bytes; /* exact: segments of lengths and headers were bounded before */
    const wvl_layer_target *last = &plan->layers[plan->layer_count - 1];
    if ((plan->max_bytes && bytes > plan->max_bytes) || (last->kind == WVL_RATE_BYTES && (double)bytes > last->value)) {
        (void)snprintf(coder->problem, sizeof coder->problem, "%llu bytes exceed the cap", (unsigned long long)bytes);
        return WVL_ERROR_INTERNAL;
    }
    return WVL_OK;
}

/* ---- Bytes --------------------------------------------------------------------------------------------------------------------- */

typedef struct output {
    wvl_put_fn put;
    void *user;
    int refused;
} output;

static void put_bytes(output *out, const void *data, uint64_t bytes)
{
    if (!out->refused && bytes) {
        out->refused = out->put(out->user, data, (size_t)bytes);
    }
}

/* PPM or PPT in the making: content comes in any portions, heads go between. */
typedef struct packer {
    output *out;
    wvl_cs_pointer kind;
    unsigned index;     /* of the next segment */
    uint64_t left;      /* content to come */
    uint32_t room;      /* in the segment at hand */
} packer;

static void pack(packer *k, const void *data, uint64_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        if (!k->room) {
            uint8_t head[WVL_CS_SEGMENT_HEAD_BYTES];
            k->room = (uint32_t)wvl_min_u64(k->left, WVL_CS_SEGMENT_DATA_BYTES);
            (void)wvl_cs_put_segment_head(k->kind, k->index++, k->room, head);
            put_bytes(k->out, head, sizeof head);
        }
        uint32_t n = (uint32_t)wvl_min_u64(bytes, k->room);
        put_bytes(k->out, from, n);
        from += n;
        bytes -= n;
        k->room -= n;
        k->left -= n;
    }
}

static const uint8_t eph_marker[2] = {0xFF, 0x92};

static void pack_header(const wvl_coder *coder, const wvl_coded_tile *tile, const wvl_packet *packet, packer *k)
{
    pack(k, coder->layer_job.headers + packet->header_at, packet->header_bytes);
    pack(k, eph_marker, tile->eph ? sizeof eph_marker : 0);
}

static void put_packet(const wvl_coder *coder, const wvl_coded_tile *tile, const wvl_packet *packet, uint32_t number, output *out)
{
    if (tile->sop) {
        uint8_t sop[6] = {0xFF, 0x91, 0, 4, (uint8_t)(number >> 8), (uint8_t)number};
        put_bytes(out, sop, sizeof sop);
    }
    if (!coder->plan->packed_headers) {
        put_bytes(out, coder->layer_job.headers + packet->header_at, packet->header_bytes);
        put_bytes(out, eph_marker, tile->eph ? sizeof eph_marker : 0);
    }
    for (uint32_t i = 0; i < packet->contribution_count; i++) {
        const wvl_contribution *c = &coder->layer_job.contributions[packet->contributions_at + i];
        const uint8_t *bytes = wvl_store_at(&coder->bytes, tile->blocks[c->block].bytes_at);
        put_bytes(out, bytes + c->from, c->to - c->from);
    }
}

typedef struct tile_output {
    wvl_coder *coder;
    const wvl_tile_plan *tile;
    const wvl_coded_tile *coded;
    uint32_t *packets;  /* in order: their lengths for PLT, or, with PPT, their indices in coded->packets (the two exclude each other) */
    unsigned ppt_index; /* of the tile's next segment */
    output *out;
} tile_output;

/* SOD ends the header; PPT goes before it. */
static wvl_status put_part_header(tile_output *t, const wvl_cs_part *part)
{
    const wvl_coder *coder = t->coder;
    uint64_t bytes = wvl_cs_measure_part_header(coder->plan, part, t->packets);
    uint8_t small[64], *header = bytes <= sizeof small ? small : wvl_alloc(coder->allocator, bytes);
    if (!header) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_part_header(coder->plan, part, t->packets, header);
    put_bytes(t->out, header, bytes - WVL_CS_SOD_BYTES);
    if (coder->plan->packed_headers == WVL_PACKED_PPT) {
        packer k = {t->out, WVL_CS_PPT, t->ppt_index, part->header_bytes, 0};
        for (uint32_t i = 0; i < part->packet_count; i++) {
            pack_header(coder, t->coded, &t->coded->packets[t->packets[part->packet_first + i]], &k);
        }
        t->ppt_index = k.index;
    }
    put_bytes(t->out, header + bytes - WVL_CS_SOD_BYTES, WVL_CS_SOD_BYTES);
    if (header != small) {
        wvl_free(coder->allocator, header, bytes);
    }
    return WVL_OK;
}

static void list_packets(const tile_output *t, const wvl_order_memory *memory)
{
    const wvl_plan *plan = t->coder->plan;
    wvl_packet_order order;
    wvl_packet_id id;
    uint32_t n = 0;
    wvl_order_open(&order, plan, t->tile, memory);
    while ((plan->plt || plan->packed_headers == WVL_PACKED_PPT) && wvl_order_next(&order, &id)) {
        const wvl_packet *packet = packet_of(t->coded, &id);
        t->packets[n++] = plan->plt ? (uint32_t)packet_total(t->coded, packet) : (uint32_t)(packet - t->coded->packets);
    }
}

static wvl_status put_tile(tile_output *t, const wvl_order_memory *memory, const wvl_cs_part *parts)
{
    wvl_coder *coder = t->coder;
    wvl_packet_order order;
    wvl_packet_id id;
    uint32_t n = 0;
    list_packets(t, memory);
    wvl_order_open(&order, coder->plan, t->tile, memory);
    for (uint32_t p = 0; p < parts->count; p++) {
        wvl_status status = put_part_header(t, &parts[p]);
        for (uint32_t i = 0; i < parts[p].packet_count && status == WVL_OK && wvl_order_next(&order, &id); i++) {
            put_packet(coder, t->coded, packet_of(t->coded, &id), n++, t->out);
        }
        if (status != WVL_OK || t->out->refused) {
            return status != WVL_OK ? status : WVL_ERROR_SINK;
        }
        if (coder->cancelled && atomic_load(coder->cancelled)) {
            return WVL_CANCELLED;
        }
    }
    return WVL_OK;
}

/* ---- Bytes of the main header ---------------------------------------------------------------------------------------------------- */

/* Entries of PLM or PPM for the parts of one tile. PLM: entries stay whole, and part_at tells which part a segment begins with. */
typedef struct main_pointers {
    packer packer;
    uint64_t part_at;   /* of all parts */
    uint64_t in_segment;/* parts that the PLM segment at hand still takes */
} main_pointers;

static void start_plm_entry(const wvl_coder *coder, main_pointers *m)
{
    if (!m->in_segment) {
        m->packer.left = wvl_cs_plm_segment_bytes(&coder->parts[m->part_at], coder->part_count - m->part_at, &m->in_segment);
    }
    uint8_t bytes = (uint8_t)coder->parts[m->part_at].length_bytes;
    pack(&m->packer, &bytes, 1);
    m->in_segment--;
}

static void start_ppm_entry(const wvl_coder *coder, main_pointers *m)
{
    uint8_t bytes[4];
    (void)wvl_put_u32(bytes, (uint32_t)coder->parts[m->part_at].header_bytes);
    pack(&m->packer, bytes, sizeof bytes);
}

static void pack_tile(const wvl_coder *coder, const wvl_tile_plan *tile, const wvl_order_memory *memory, main_pointers *m)
{
    const wvl_coded_tile *coded = &coder->tiles[tile->index];
    wvl_packet_order order;
    wvl_packet_id id;
    wvl_order_open(&order, coder->plan, tile, memory);
    for (uint32_t p = 0, count = coder->parts[m->part_at].count; p < count; p++, m->part_at++) {
        int plm = m->packer.kind == WVL_CS_PLM;
        (plm ? start_plm_entry : start_ppm_entry)(coder, m);
        for (uint32_t i = 0; i < coder->parts[m->part_at].packet_count && wvl_order_next(&order, &id); i++) {
            const wvl_packet *packet = packet_of(coded, &id);
            if (plm) {
                uint8_t code[5];
                uint32_t length = (uint32_t)packet_total(coded, packet);
                pack(&m->packer, code, (uint64_t)(wvl_cs_put_lengths(&length, 1, code) - code));
            } else {
                pack_header(coder, coded, packet, &m->packer);
            }
        }
    }
}

static void put_main_pointers(const wvl_coder *coder, wvl_cs_pointer kind, wvl_tile_plan *tile, const wvl_order_memory *memory, output *out)
{
    main_pointers m = {{out, kind, 0, kind == WVL_CS_PPM ? ppm_data_bytes(coder) : 0, 0}, 0, 0};
    for (uint32_t t = 0; t < coder->plan->tile_count && !out->refused; t++) {
        wvl_tile_plan_build(coder->plan, t, tile);
        pack_tile(coder, tile, memory, &m);
    }
}

/* TLM ends the header; what grows with the packets goes before it. */
static wvl_status put_main_header(const wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory, output *out)
{
    uint64_t bytes = wvl_cs_measure_main_header(coder->plan, coder->part_count), tlm = wvl_cs_measure_part_lengths(coder->plan, coder->part_count);
    uint8_t *header = wvl_alloc(coder->allocator, bytes);
    if (!header) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_main_header(coder->plan, coder->parts, coder->part_count, header);
    put_bytes(out, header, bytes - tlm);
    if (coder->plan->plm) {
        put_main_pointers(coder, WVL_CS_PLM, tile, memory, out);
    }
    if (coder->plan->packed_headers == WVL_PACKED_PPM) {
        put_main_pointers(coder, WVL_CS_PPM, tile, memory, out);
    }
    put_bytes(out, header + bytes - tlm, tlm);
    wvl_free(coder->allocator, header, bytes);
    return out->refused ? WVL_ERROR_SINK : WVL_OK;
}

wvl_status wvl_coder_write(wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory, wvl_put_fn put, void *user)
{
    output out = {put, user, 0};
    uint64_t bytes, part = 0;
    uint32_t *lengths = alloc_lengths(coder, &bytes);
    wvl_status status = lengths ? put_main_header(coder, tile, memory, &out) : WVL_ERROR_MEMORY;
    for (uint32_t t = 0; t < coder->plan->tile_count && status == WVL_OK; t++) {
        wvl_tile_plan_build(coder->plan, t, tile);
        tile_output one = {coder, tile, &coder->tiles[t], lengths, 0, &out};
        status = put_tile(&one, memory, &coder->parts[part]);
        part += coder->parts[part].count;
    }
    if (status == WVL_OK) {
        uint8_t end[WVL_CS_END_BYTES];
        (void)wvl_cs_put_end(end);
        put_bytes(&out, end, sizeof end);
        status = out.refused ? WVL_ERROR_SINK : WVL_OK;
    }
    wvl_free(coder->allocator, lengths, bytes);
    return status;
}
