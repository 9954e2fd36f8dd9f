/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/write/assembly.h"

#include "base/try.h"
#include "codec/write/division.h"
#include "codec/write/early.h"

#define MOST_PACKETS (UINT64_C(1) << 22)
#define MOST_BLOCKS (UINT64_C(1) << 24) /* kernels list them with their planes: 24 bits and 8 */
#define MOST_TEMPLATE_BYTES (UINT64_C(1) << 30)
#define SEGMENT_DATA_LEAST 65528u /* of a PLT marker segment that another one follows (A.7.3) */
#define SOT_PSOT_AT 6u
#define MOST_BOX_HEADER 16u /* of the codestream's box: the long form (I.4) */

const char *wvl_assembly_refuses(const wvl_plan *plan)
{
    if (plan->syntax.plm) {
        return "PLM marker segments are made on the CPU";
    }
    if (wvl_coder_reserved_parts(plan) || wvl_cs_most_psot(plan) < WVL_CS_MAX_PSOT) {
        return "tile-parts of more than 4 GiB are divided on the CPU";
    }
    return plan->syntax.packed_headers ? "packed packet headers (PPM, PPT) are made on the CPU" : NULL;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* What the builder needs beside the tables. */
typedef struct builder {
    const wvl_plan *plan;
    wvl_plan bare; /* the plan without PLT: its part headers are the templates */
    wvl_assembly *to;
    wvl_tile_plan tile;
    wvl_order_memory order;
    wvl_precinct *precincts; /* [most_precincts] */
    wvl_cs_part *all_parts;  /* [syntax.part_count] */
    wvl_cs_part *parts;      /* [part_count]: those of the range */
    uint32_t part_count;
    uint64_t tile_block;  /* the first of the tile in work */
    uint32_t part_packet; /* the first of the tile-part in work */
    uint32_t tlm_end;     /* of the parts so far, in the bytes */
    void *memory;
    uint64_t memory_bytes;
} builder;

static void carve_scratch(builder *b, wvl_carver *carver)
{
    const wvl_plan *plan = b->plan;
    wvl_tile_plan_carve(plan, carver, &b->tile);
    wvl_order_carve(plan, plan->memory.most_resolutions, plan->memory.most_precincts, carver, &b->order);
    b->precincts = wvl_carve(carver, plan->memory.most_precincts, sizeof *b->precincts);
    b->all_parts = wvl_carve(carver, plan->syntax.part_count, sizeof *b->all_parts);
}

static int open_scratch(builder *b, const wvl_allocator *allocator)
{
    wvl_carver carver = {NULL, 0};
    carve_scratch(b, &carver);
    b->memory_bytes = carver.used;
    b->memory = wvl_alloc_zeroed(allocator, b->memory_bytes);
    carver = (wvl_carver){b->memory, 0};
    if (b->memory) {
        carve_scratch(b, &carver);
    }
    return b->memory != NULL;
}

static uint64_t template_bytes(const builder *b, const wvl_cs_part *part)
{
    return wvl_cs_measure_part_header(&b->bare, part, NULL) - WVL_CS_SOD_BYTES;
}

static uint32_t most_segments(const wvl_plan *plan, uint32_t packets)
{
    return plan->syntax.plt ? (uint32_t)(UINT64_C(5) * packets / SEGMENT_DATA_LEAST) + 1 : 0;
}

/* Says whether headers of tile-parts may have steps: QCD and QCC of a tile's own. */
static int tiles_have_steps(const wvl_plan *plan)
{
    int found = 0;
    for (uint32_t t = 0; t < plan->syntax.tile_count && !found; t++) {
        found = wvl_cs_measure_tile_segments(plan, t) > 0;
    }
    return found;
}

/* A row for each band of each coding, and behind the templates what headers are with each step: main headers and, where
 * they have steps, templates. */
static void measure_steps(wvl_assembly *a, const wvl_plan *plan, uint64_t templates, uint64_t *bytes)
{
    uint32_t levels = 0;
    a->step_count = a->step_bands = a->variant_bytes = 0;
    if (!plan->rate.follows_step) {
        return;
    }
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        levels = wvl_max_u32(levels, plan->syntax.codings[i].levels);
    }
    a->step_bands = 3 * levels + 1;
    a->step_count = plan->syntax.coding_count * a->step_bands;
    uint64_t variant = a->main_bytes + (tiles_have_steps(plan) ? templates : 0);
    *bytes += WVL_STEP_SIXTEENTHS * variant;
    a->variant_bytes = (uint32_t)variant; /* too much is refused, as too many bytes */
}

/* Counts of all tables. NULL, or what is too large. */
static const char *measure_tables(builder *b)
{
    const wvl_plan *plan = b->plan;
    wvl_assembly *a = b->to;
    uint64_t packets = 0, blocks = 0, segments = 0, boxes = plan->syntax.jp2 ? plan->syntax.boxes_before.bytes : 0,
             tlm = wvl_cs_measure_part_lengths(plan, b->part_count),
             bytes = boxes + wvl_cs_measure_main_header(plan, b->part_count);
    a->boxes_bytes = (uint32_t)boxes;
    a->tlm_bytes = (uint32_t)tlm;
    a->main_bytes = (uint32_t)(bytes - boxes - tlm);
    for (uint32_t t = 0; t < a->range.count && packets <= MOST_PACKETS && blocks <= MOST_BLOCKS; t++) {
        wvl_tile_plan_build(plan, a->range.first + t, &b->tile);
        packets += b->tile.precinct_count * plan->syntax.layer_count;
        blocks += b->tile.block_count;
    }
    for (uint32_t p = 0; p < b->part_count && bytes <= MOST_TEMPLATE_BYTES; p++) {
        bytes += template_bytes(b, &b->parts[p]);
        segments += most_segments(plan, b->parts[p].packet_count);
    }
    measure_steps(a, plan, bytes - boxes - tlm - a->main_bytes, &bytes);
    if (packets > MOST_PACKETS || blocks * plan->syntax.layer_count > MOST_BLOCKS || bytes > MOST_TEMPLATE_BYTES) {
        return packets > MOST_PACKETS ? "too many packets" : "too many blocks or tile-parts";
    }
    a->packet_count = (uint32_t)packets;
    a->block_count = (uint32_t)blocks;
    a->layer_count = plan->syntax.layer_count;
    a->place_count = (uint32_t)(blocks * plan->syntax.layer_count);
    a->part_count = b->part_count;
    a->segment_count = (uint32_t)segments;
    a->byte_count = (uint32_t)bytes;
    a->has_boxes = plan->syntax.jp2 != 0;
    a->has_long_box = a->has_boxes && wvl_early_needs_long_box(plan);
    a->has_plt = plan->syntax.plt;
    /* All tiles take as much as those of the plan; a range takes at most its number of tiles times the largest one. */
    uint64_t heads = (uint64_t)a->boxes_bytes + MOST_BOX_HEADER + a->main_bytes + a->tlm_bytes + WVL_CS_END_BYTES,
             most = wvl_add_saturate(wvl_mul_saturate(a->range.count, plan->memory.most_tile_bytes), heads);
    a->output_bytes_bound = a->range.count == plan->syntax.tile_count
                                ? plan->memory.output_bytes_bound
                                : wvl_min_u64(most, plan->memory.output_bytes_bound);
    return NULL;
}

static void carve_tables(wvl_assembly *a, wvl_carver *carver)
{
    a->packets = wvl_carve(carver, a->packet_count, sizeof *a->packets);
    a->parts = wvl_carve(carver, a->part_count, sizeof *a->parts);
    a->places = wvl_carve(carver, a->place_count, sizeof *a->places);
    a->owners = wvl_carve(carver, a->packet_count, sizeof *a->owners);
    a->part_names = wvl_carve(carver, a->part_count, sizeof *a->part_names);
    a->steps = wvl_carve(carver, (uint64_t)WVL_STEP_SIXTEENTHS * a->step_count, sizeof *a->steps);
    a->bytes = wvl_carve(carver, a->byte_count, 1);
}

/* ---- Packets --------------------------------------------------------------------------------- */

/* Returns the blocks of the band; adds its tag nodes. */
static uint64_t put_band(const builder *b, const wvl_precinct_band *from, wvl_assembly_band *to, uint64_t *nodes)
{
    to->first_block = (uint32_t)(b->tile_block + from->first_block);
    to->stride = from->stride;
    to->cols = from->cols;
    to->rows = from->rows;
    to->planes = from->planes;
    *nodes += wvl_tag_tree_nodes(from->cols, from->rows);
    return wvl_precinct_blocks(from);
}

/* 0: a band of the packet has too many blocks. */
static int put_packet(builder *b, const wvl_packet_id *id, uint32_t number, uint32_t part)
{
    wvl_assembly *a = b->to;
    const wvl_precinct *precinct = &b->precincts[id->precinct];
    a->owners[a->packet_count] = (wvl_assembly_owner){(uint16_t)precinct->component, (uint16_t)precinct->resolution,
                                                      b->tile.index, (uint32_t)id->precinct};
    wvl_assembly_packet *packet = &a->packets[a->packet_count++];
    uint64_t blocks = 0, nodes = 0, most = 0;
    memset(packet, 0, sizeof *packet);
    packet->band_count = precinct->band_count;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        uint64_t own = put_band(b, &precinct->band[i], &packet->band[i], &nodes);
        blocks += own;
        most = wvl_max_u64(most, own);
    }
    packet->head_at = a->head_bytes;
    packet->nodes_at = a->node_count;
    packet->node_count = (uint32_t)nodes;
    packet->first_place = a->place_count;
    packet->block_count = (uint32_t)blocks;
    packet->part = part;
    packet->number = (uint16_t)number;
    packet->layer = (uint16_t)id->layer;
    packet->sop = b->tile.sop;
    packet->eph = b->tile.eph;
    a->node_count += nodes;
    a->place_count += packet->block_count;
    a->head_bytes += wvl_packet_marker_bytes(packet->sop, packet->eph) +
                     wvl_t2_header_bound(blocks, 2 * nodes, b->plan->syntax.codings[precinct->coding].style,
                                         b->plan->syntax.layer_count);
    wvl_assembly_place *place = a->places + packet->first_place;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        uint32_t first = packet->band[i].first_block - (uint32_t)precinct->band[i].first_block;
        for (uint64_t k = 0; k < wvl_precinct_blocks(&precinct->band[i]); k++) {
            place->block = first + (uint32_t)wvl_precinct_block(&precinct->band[i], k);
            (place++)->packet = (uint32_t)(packet - a->packets);
        }
    }
    return most + 1 < WVL_ASSEMBLY_MOST_BLOCKS;
}

/* The packets of the tile, part by part. */
static const char *put_tile(builder *b, uint32_t tile, uint32_t first_part)
{
    wvl_packet_order order;
    wvl_packet_id id;
    wvl_t2_sizes sizes;
    uint32_t n = 0, part = first_part;
    wvl_tile_plan_build(b->plan, tile, &b->tile);
    wvl_t2_build_precincts(b->plan, &b->tile, b->precincts, NULL, &sizes);
    wvl_order_open(&order, b->plan, &b->tile, &b->order);
    while (wvl_order_next(&order, &id)) {
        while (b->parts[part].packet_first + b->parts[part].packet_count <= n) {
            part++;
        }
        if (!put_packet(b, &id, n++, part)) {
            return "too many blocks in a precinct";
        }
    }
    b->tile_block += b->tile.block_count;
    return NULL;
}

/* ---- Tile-parts, and bytes ------------------------------------------------------------------- */

/* The header of a plan without PLT, without SOD, to these bytes. It is put together beside: where the template ends
 * there is no room for SOD. */
static wvl_status put_template(builder *b, const wvl_allocator *allocator, const wvl_plan *bare, uint32_t index,
                               uint32_t at)
{
    const wvl_assembly_part *to = &b->to->parts[index];
    uint64_t bytes = to->template_bytes + (uint64_t)WVL_CS_SOD_BYTES;
    uint8_t *header = wvl_alloc(allocator, bytes);
    if (!header) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_part_header(bare, &b->parts[index], NULL, header);
    memcpy(b->to->bytes + at, header, to->template_bytes);
    wvl_free(allocator, header, bytes);
    return WVL_OK;
}

/* ---- Steps that follow the target ------------------------------------------------------------ */

static void put_step(const wvl_plan *plan, const wvl_coding *codings, uint32_t coding, uint32_t band,
                     wvl_assembly_step *to)
{
    const wvl_band_coding *now = &codings[coding].band[band];
    *to = (wvl_assembly_step){.factor = wvl_rescale_factor(plan, codings, coding, band),
                              .weight_mantissa = now->weight_mantissa,
                              .weight_exponent = now->weight_exponent,
                              .planes = now->planes};
}

/* Templates with other codings, which are as long. */
static wvl_status put_templates(builder *b, const wvl_allocator *allocator, wvl_coding *codings)
{
    wvl_assembly *a = b->to;
    wvl_plan bare = b->bare;
    wvl_status status = WVL_OK;
    bare.syntax.codings = codings;
    for (uint32_t p = 0; a->variant_bytes > a->main_bytes && p < a->part_count && status == WVL_OK; p++) {
        status = put_template(b, allocator, &bare, p, a->byte_count);
        a->byte_count += a->parts[p].template_bytes;
    }
    return status;
}

/* Rows and headers of a number of sixteenths. header: room for a main header with TLM. */
static wvl_status put_variant(builder *b, const wvl_allocator *allocator, unsigned sixteenths, wvl_coding *codings,
                              uint8_t *header)
{
    wvl_assembly *a = b->to;
    wvl_plan coarser = *b->plan;
    if (sixteenths) {
        wvl_rescale_codings(b->plan, sixteenths, codings);
        coarser.syntax.codings = codings;
    }
    if (wvl_cs_measure_main_header(&coarser, a->part_count) != (uint64_t)a->main_bytes + a->tlm_bytes) {
        return WVL_ERROR_UNSUPPORTED;
    }
    (void)wvl_cs_put_main_header(&coarser, b->parts, a->part_count, header);
    memcpy(a->bytes + a->byte_count, header, a->main_bytes);
    a->byte_count += a->main_bytes;
    wvl_status status = put_templates(b, allocator, coarser.syntax.codings);
    for (uint32_t i = 0; i < a->step_count; i++) {
        uint32_t coding = i / a->step_bands, band = i % a->step_bands;
        memset(&a->steps[sixteenths * a->step_count + i], 0, sizeof *a->steps);
        if (band < 3u * coarser.syntax.codings[coding].levels + 1u) {
            put_step(b->plan, coarser.syntax.codings, coding, band, &a->steps[sixteenths * a->step_count + i]);
        }
    }
    return status;
}

static wvl_status put_variants(builder *b, const wvl_allocator *allocator, const char **why)
{
    wvl_assembly *a = b->to;
    uint64_t codings = b->plan->syntax.coding_count * sizeof(wvl_coding),
             bytes = codings + a->main_bytes + a->tlm_bytes;
    a->mains_at = a->byte_count;
    if (!a->step_count) {
        return WVL_OK;
    }
    uint8_t *memory = wvl_alloc(allocator, bytes);
    if (!memory) {
        return WVL_ERROR_MEMORY;
    }
    wvl_status status = WVL_OK;
    for (unsigned s = 0; s < WVL_STEP_SIXTEENTHS && status == WVL_OK; s++) {
        status = put_variant(b, allocator, s, (wvl_coding *)(void *)memory, memory + codings);
    }
    wvl_free(allocator, memory, bytes);
    *why =
        status == WVL_ERROR_UNSUPPORTED ? "steps that follow a byte target change the length of the main header" : NULL;
    return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static wvl_status fill_tables(builder *b, const wvl_allocator *allocator, const char **why)
{
    wvl_assembly *a = b->to;
    if (a->boxes_bytes) {
        memcpy(a->bytes, b->plan->syntax.boxes_before.data, a->boxes_bytes);
    }
    (void)wvl_cs_put_main_header(b->plan, b->parts, a->part_count, a->bytes + a->boxes_bytes);
    b->tlm_end = a->boxes_bytes + a->main_bytes;
    a->byte_count = a->boxes_bytes + a->main_bytes + a->tlm_bytes;
    a->packet_count = a->place_count = a->segment_count = 0; /* counted again as they come */
    for (uint32_t p = 0; p < a->part_count; p++) {
        *why = b->parts[p].index ? NULL : put_tile(b, b->parts[p].tile, p);
        if (*why) {
            return WVL_ERROR_UNSUPPORTED;
        }
        const wvl_cs_part *part = &b->parts[p];
        wvl_assembly_part *to = &a->parts[p];
        uint32_t count = (uint32_t)template_bytes(b, part), segments = most_segments(b->plan, part->packet_count);
        memset(to, 0, sizeof *to);
        a->part_names[p] = (wvl_assembly_part_name){part->tile, part->index, part->count, part->cap_group};
        to->header_at = a->part_header_bytes;
        to->template_at = a->byte_count;
        to->template_bytes = count;
        to->first_packet = b->part_packet;
        to->packet_count = part->packet_count;
        to->first_segment = a->segment_count;
        a->byte_count += count;
        a->segment_count += segments;
        a->part_header_bytes += count + wvl_cs_bound_part_header(b->plan, part->packet_count);
        b->part_packet += part->packet_count;
        if (a->tlm_bytes) { /* heads of marker segments go with the entry that follows them */
            to->length_from = b->tlm_end;
            to->length_at = a->boxes_bytes + a->main_bytes + (uint32_t)wvl_cs_part_length_at(b->plan, p);
            b->tlm_end = to->length_at + (uint32_t)sizeof(uint32_t);
        }
        wvl_status status = put_template(b, allocator, &b->bare, p, a->parts[p].template_at);
        if (status != WVL_OK) {
            return status;
        }
    }
    return put_variants(b, allocator, why);
}

/* Tile-parts come in the order of tiles. */
static wvl_status list_parts(builder *b)
{
    const wvl_tile_walk tiles = {b->plan, NULL, &b->tile};
    const wvl_tile_range range = b->to->range;
    wvl_status status = wvl_coder_list_parts(b->plan, &tiles, &b->order, b->all_parts);
    b->parts = b->all_parts;
    for (uint64_t p = 0; p < b->plan->syntax.part_count && status == WVL_OK; p++) {
        b->parts += b->all_parts[p].tile < range.first;
        b->part_count += b->all_parts[p].tile - range.first < range.count;
    }
    return status;
}

static builder open_builder(const wvl_plan *plan, wvl_tile_range range, wvl_assembly *to)
{
    memset(to, 0, sizeof *to);
    to->range = range;
    return (builder){.plan = plan, .bare = *plan, .to = to};
}

wvl_status wvl_assembly_build(const wvl_allocator *allocator, const wvl_plan *plan, wvl_tile_range range,
                              wvl_assembly *assembly, const char **why)
{
    builder b = open_builder(plan, range, assembly);
    wvl_carver carver = {NULL, 0};
    b.bare.syntax.plt = 0;
    *why = wvl_assembly_refuses(plan);
    if (*why) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = open_scratch(&b, allocator) ? WVL_OK : WVL_ERROR_MEMORY;
    TRY(status, list_parts(&b));
    if (status == WVL_OK) {
        *why = measure_tables(&b);
        status = *why ? WVL_ERROR_UNSUPPORTED : WVL_OK;
    }
    if (status == WVL_OK) {
        carve_tables(assembly, &carver);
        assembly->memory_bytes = carver.used;
        assembly->memory = wvl_alloc(allocator, carver.used);
        carver = (wvl_carver){assembly->memory, 0};
        status = assembly->memory ? WVL_OK : WVL_ERROR_MEMORY;
    }
    if (status == WVL_OK) {
        carve_tables(assembly, &carver);
        status = fill_tables(&b, allocator, why);
    }
    wvl_free(allocator, b.memory, b.memory_bytes);
    if (status != WVL_OK) {
        wvl_assembly_free(allocator, assembly);
    }
    return status;
}

wvl_status wvl_assembly_put_main(const wvl_allocator *allocator, const wvl_plan *plan, const uint32_t *part_bytes,
                                 uint8_t **header, uint64_t *header_bytes)
{
    wvl_assembly none;
    builder b = open_builder(plan, wvl_assembly_whole(plan), &none);
    *header_bytes = wvl_cs_measure_main_header(plan, plan->syntax.part_count);
    *header = NULL;
    wvl_status status = open_scratch(&b, allocator) ? list_parts(&b) : WVL_ERROR_MEMORY;
    if (status == WVL_OK) {
        *header = wvl_alloc(allocator, *header_bytes);
        status = *header ? WVL_OK : WVL_ERROR_MEMORY;
    }
    if (status == WVL_OK) {
        for (uint32_t p = 0; p < b.part_count; p++) {
            b.parts[p].psot = part_bytes[p];
        }
        (void)wvl_cs_put_main_header(plan, b.parts, b.part_count, *header);
    }
    wvl_free(allocator, b.memory, b.memory_bytes);
    return status;
}

void wvl_assembly_free(const wvl_allocator *allocator, wvl_assembly *assembly)
{
    if (assembly->memory) {
        wvl_free(allocator, assembly->memory, assembly->memory_bytes);
    }
    memset(assembly, 0, sizeof *assembly);
}
