/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/write/early.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/try.h"
#include "codec/write/finish.h"
#include "codec/write/lengths.h"

#define MOST_PRECINCTS 1024u /* that leave together */
#define MOST_BLOCKS 4096u    /* in them, but for the first one */
#define SOT_PSOT_AT 6u
#define SOT_PSOT_BYTES 4u
#define SOT_LENGTHS_BYTES 6u /* with TPsot and TNsot behind it: where a part was divided, TNsot was not known */

typedef struct wvl_early {
    wvl_early_options options;
    wvl_coder_output out;
    wvl_layer_sums *sums; /* [layer_count] */
    double energy;
    uint32_t next_tile;
    uint64_t part; /* of all tile-parts: the next, or the one at work */
    /* By rows, of the tile at work: */
    const wvl_tile_plan *tile; /* NULL: none is */
    uint32_t *rows;            /* [bands]: rows of blocks that are coded */
    uint64_t *list;            /* [MOST_PRECINCTS]: precincts that leave */
    wvl_packet_order order;
    wvl_packet_id waiting; /* the next packet, if has_waiting */
    int has_waiting;
    uint64_t part_left; /* packets of the part at work that are not written */
    uint64_t part_room; /* bytes of packets that it still takes */
    uint32_t number;    /* of the next packet in the tile */
} wvl_early;

/* ---- May bytes leave ------------------------------------------------------------------------- */

int wvl_early_needs_long_box(const wvl_plan *plan)
{
    return !wvl_early_obstacle(plan) && plan->memory.output_bytes_bound > UINT32_MAX;
}

const char *wvl_early_obstacle(const wvl_plan *plan)
{
    int is_positional = plan->syntax.order == WVL_ORDER_PCRL || plan->syntax.order == WVL_ORDER_CPRL;
    if (!wvl_layers_are_given(plan)) {
        return "what each block sends depends on the whole picture, unless it is lossless with one layer, or layers "
               "have slopes";
    }
    if (plan->syntax.plm || plan->syntax.packed_headers == WVL_PACKED_PPM) {
        return "PLM and PPM stand before all packets";
    }
    return plan->syntax.tile_count > 1 || is_positional ? NULL
                                                        : "the progression ends with packets of the first rows; PCRL, "
                                                          "or tiles, would let bytes leave";
}

const char *wvl_early_rows_obstacle(const wvl_plan *plan)
{
    const wvl_syntax_plan *s = &plan->syntax;
    int is_positional = s->order == WVL_ORDER_PCRL || (s->order == WVL_ORDER_CPRL && s->component_count == 1);
    if (s->tile_cols > 1) {
        return "tiles stand side by side";
    }
    if (!is_positional || s->progression_count || s->choice_count) {
        return "the progression of a tile does not follow its rows; PCRL does";
    }
    return s->plt || s->packed_headers ? "PLT and PPT stand before the packets of a tile-part" : NULL;
}

int wvl_early_patches(const wvl_plan *plan, int by_rows) { return by_rows || plan->syntax.tlm; }

/* ---- Life ------------------------------------------------------------------------------------ */

static uint64_t count_bands(const wvl_plan *plan)
{
    return (uint64_t)plan->syntax.component_count * (3u * plan->syntax.max_levels + 1u);
}

static void carve(const wvl_plan *plan, int by_rows, wvl_carver *carver, wvl_early **early)
{
    wvl_early *e = wvl_carve(carver, 1, sizeof **early), unused;
    *early = e;
    e = carver->base ? e : &unused;
    e->sums = wvl_carve(carver, plan->syntax.layer_count, sizeof *e->sums);
    e->rows = wvl_carve(carver, by_rows ? count_bands(plan) : 0, sizeof *e->rows);
    e->list = wvl_carve(carver, by_rows ? MOST_PRECINCTS : 0, sizeof *e->list);
}

static uint64_t measure_state(const wvl_plan *plan, int by_rows)
{
    wvl_carver carver = {NULL, 0};
    wvl_early *unused;
    carve(plan, by_rows, &carver, &unused);
    return carver.used;
}

uint64_t wvl_early_state_bytes(const wvl_plan *plan, int by_rows)
{
    return wvl_alloc_size(measure_state(plan, by_rows));
}

/* Counts as wvl_coder_add_tile does: the blocks' share of tag trees (fewer than four nodes of both, and seven bits
 * make a byte), and of packets. Growing arrays hold up to five halves. */
uint64_t wvl_early_bound_index(const wvl_plan *plan)
{
    uint64_t blocks = MOST_BLOCKS + plan->memory.early.precinct_blocks, layers = plan->syntax.layer_count;
    uint64_t block = plan->memory.early.block_index + 2 * (layers + 40) / 7 + 1;
    uint64_t bytes = wvl_add_saturate(wvl_mul_saturate(blocks, block), MOST_PRECINCTS * layers * 16);
    return bytes > UINT64_MAX / 5 ? UINT64_MAX : 5 * bytes / 2;
}

wvl_status wvl_coder_open_early(wvl_coder *coder, const wvl_early_options *options)
{
    wvl_carver carver = {NULL, 0};
    wvl_early *e;
    carve(coder->plan, options->by_rows, &carver, &e);
    carver = (wvl_carver){wvl_alloc_zeroed(coder->allocator, carver.used), 0};
    if (!carver.base) {
        return WVL_ERROR_MEMORY;
    }
    carve(coder->plan, options->by_rows, &carver, &e);
    coder->early = e;
    coder->early_bytes = carver.used;
    e->options = *options;
    e->out = (wvl_coder_output){options->put, options->user, 0};
    e->energy = 0.0;
    for (uint32_t i = 0; i < coder->plan->syntax.layer_count; i++) {
        e->sums[i] = (wvl_layer_sums){.sent = {.is_everything = 1}};
    }
    coder->blocks.keeper.lets_go = options->by_rows;
    wvl_status status = wvl_coder_open_layers(coder, &options->tiles, options->memory);
    return status == WVL_OK ? wvl_coder_put_main_header(coder, &options->tiles, options->memory, &e->out) : status;
}

/* ---- Portions -------------------------------------------------------------------------------- */

static wvl_status commit(wvl_coder *coder, wvl_portion portion)
{
    wvl_layer_job *job = &coder->layer_job;
    job->portion = portion;
    job->sizes = coder->sizes;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        job->decided[g] = coder->blocks.keeper.decided[g];
    }
    wvl_status status = wvl_layers_commit_portion(job, coder->early->sums, &coder->early->energy);
    if (status == WVL_ERROR_INTERNAL) {
        snprintf(coder->problem, sizeof coder->problem, "%s: a defect of the library, please report it", job->problem);
    }
    return status;
}

static void drop_tiles(wvl_coder *coder, wvl_portion portion)
{
    for (uint32_t t = portion.first; t < portion.end; t++) {
        wvl_free(coder->allocator, coder->tiles[t].memory, coder->tiles[t].memory_bytes);
        coder->tiles[t].memory = NULL;
    }
    wvl_keeper_reuse_all(&coder->blocks.keeper);
}

wvl_status wvl_coder_send_tiles(wvl_coder *coder, uint32_t count)
{
    wvl_early *e = coder->early;
    const wvl_early_options *o = &e->options;
    wvl_portion portion = {.first = e->next_tile, .end = e->next_tile + count};
    uint64_t part = e->part;
    wvl_status status = commit(coder, portion);
    if (status == WVL_OK) {
        status = wvl_coder_measure_lengths(coder, &o->tiles, o->memory, portion, part);
    }
    if (status == WVL_OK) {
        status = wvl_coder_put_tiles(coder, &o->tiles, o->memory, portion, part, &e->out);
    }
    while (e->part < coder->part_count && coder->parts[e->part].tile < portion.end) {
        e->part++;
    }
    e->next_tile = portion.end;
    drop_tiles(coder, portion);
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int is_coded(const wvl_coder *coder, const wvl_packet_id *id)
{
    const wvl_early *e = coder->early;
    const wvl_precinct *precinct = &coder->tiles[e->tile->index].precincts[id->precinct];
    const wvl_tile_resolution *resolution =
        &e->tile->resolutions[e->tile->components[precinct->component].first_resolution + precinct->resolution];
    for (unsigned i = 0; i < precinct->band_count; i++) {
        const wvl_precinct_band *pb = &precinct->band[i];
        uint32_t b = resolution->first_band + i;
        uint64_t top = pb->stride ? (pb->first_block - e->tile->bands[b].first_block) / pb->stride : 0;
        if (wvl_precinct_blocks(pb) && top + pb->rows > e->rows[b]) {
            return 0;
        }
    }
    return 1;
}

static uint64_t count_blocks(const wvl_precinct *precinct)
{
    uint64_t blocks = 0;
    for (unsigned i = 0; i < precinct->band_count; i++) {
        blocks += wvl_precinct_blocks(&precinct->band[i]);
    }
    return blocks;
}

/* The next precincts in the order of packets, as far as they are coded: layers follow one another there. */
static uint64_t list_precincts(wvl_coder *coder)
{
    wvl_early *e = coder->early;
    const wvl_coded_tile *tile = &coder->tiles[e->tile->index];
    uint64_t count = 0, blocks = 0;
    while (e->has_waiting && (e->waiting.layer || (count < MOST_PRECINCTS && (!count || blocks < MOST_BLOCKS) &&
                                                   is_coded(coder, &e->waiting)))) {
        if (!e->waiting.layer) {
            blocks += count_blocks(&tile->precincts[e->waiting.precinct]);
            e->list[count++] = e->waiting.precinct;
        }
        e->has_waiting = wvl_order_next(&e->order, &e->waiting);
    }
    return count;
}

static wvl_status begin_part(wvl_coder *coder)
{
    wvl_early *e = coder->early;
    const wvl_cs_part *part = &coder->parts[e->part];
    uint64_t header = wvl_cs_measure_part_header(coder->plan, part, NULL), most = wvl_cs_most_psot(coder->plan);
    e->part_left = part->packet_count;
    e->part_room = most > header ? most - header : 0;
    return wvl_coder_put_part_start(coder, part, &e->out);
}

/* The part at work has all of its packets. */
static wvl_status end_part(wvl_coder *coder)
{
    wvl_early *e = coder->early;
    wvl_cs_part *part = &coder->parts[e->part];
    part->psot = wvl_cs_measure_part_header(coder->plan, part, NULL) + part->body_bytes;
    e->part++;
    e->part_left = 0;
    return part->index + 1u < part->count ? begin_part(coder) : WVL_OK;
}

/* The part at work takes a packet of `bytes`; where it is too long for that, another part follows. */
static wvl_status make_room(wvl_coder *coder, uint64_t bytes)
{
    wvl_early *e = coder->early;
    wvl_status status = WVL_OK;
    while (!e->part_left && status == WVL_OK) {
        status = end_part(coder);
    }
    const wvl_cs_part *part = &coder->parts[e->part];
    if (status == WVL_OK && bytes > e->part_room && e->part_left < part->packet_count) {
        status = wvl_coder_split_part(coder, e->part, part->packet_count - (uint32_t)e->part_left);
        TRY(status, end_part(coder));
    }
    if (status == WVL_OK && bytes > e->part_room) {
        status = wvl_coder_refuse_packet(coder, part->tile);
    }
    return status;
}

static wvl_status put_packet(wvl_coder *coder, uint64_t precinct, uint32_t layer)
{
    wvl_early *e = coder->early;
    uint32_t t = e->tile->index;
    uint64_t packet = layer * coder->tiles[t].precinct_count + precinct,
             bytes = wvl_coder_packet_bytes(coder, t, packet);
    wvl_status status = make_room(coder, bytes);
    if (status == WVL_OK) {
        wvl_coder_put_packet(coder, t, packet, e->number++, &e->out);
        coder->parts[e->part].body_bytes += bytes;
        coder->parts[e->part].header_bytes = 0;
        e->part_room -= bytes;
        wvl_coder_add_packet(coder, t, precinct, layer);
        e->part_left--;
    }
    return status;
}

static wvl_status send_precincts(wvl_coder *coder, uint64_t count)
{
    wvl_early *e = coder->early;
    const wvl_coded_tile *tile = &coder->tiles[e->tile->index];
    wvl_status status = commit(coder, (wvl_portion){e->tile->index, e->tile->index + 1, e->list, count});
    for (uint64_t i = 0; i < count && status == WVL_OK; i++) {
        for (uint32_t layer = 0; layer < coder->plan->syntax.layer_count && status == WVL_OK; layer++) {
            status = put_packet(coder, e->list[i], layer);
            if (status == WVL_OK && wvl_look_after(coder->look, WVL_LOOK_WRITE, 1)) {
                status = WVL_CANCELLED;
            }
        }
        const wvl_precinct *precinct = &tile->precincts[e->list[i]];
        for (unsigned band = 0; band < precinct->band_count; band++) {
            const wvl_precinct_band *pb = &precinct->band[band];
            for (uint64_t k = 0, n = wvl_precinct_blocks(pb); k < n; k++) {
                wvl_keeper_let_go(&coder->blocks.keeper, &tile->blocks[wvl_precinct_block(pb, k)]);
            }
        }
    }
    return status == WVL_OK && e->out.refused ? WVL_ERROR_SINK : status;
}

static wvl_status begin_tile(wvl_coder *coder)
{
    wvl_early *e = coder->early;
    e->tile = wvl_tile_walk_fetch(&e->options.tiles, e->next_tile);
    for (uint32_t b = 0; b < e->tile->band_count; b++) {
        e->rows[b] = 0;
    }
    wvl_order_open(&e->order, coder->plan, e->tile, e->options.memory);
    e->has_waiting = wvl_order_next(&e->order, &e->waiting);
    e->number = 0;
    return begin_part(coder);
}

static wvl_status end_tile(wvl_coder *coder)
{
    wvl_early *e = coder->early;
    uint64_t part = e->part + 1u + (coder->parts[e->part].count - 1u - coder->parts[e->part].index);
    wvl_status status = e->has_waiting ? WVL_ERROR_INTERNAL : WVL_OK;
    while (status == WVL_OK && e->part < part) {
        status = end_part(coder);
    }
    drop_tiles(coder, (wvl_portion){.first = e->next_tile, .end = e->next_tile + 1});
    e->tile = NULL;
    e->next_tile++;
    return status;
}

wvl_status wvl_coder_send_rows(wvl_coder *coder, const wvl_coefs *coefs, int is_end)
{
    wvl_early *e = coder->early;
    wvl_status status = e->tile ? WVL_OK : begin_tile(coder);
    for (uint32_t b = 0; b < coefs->tile->band_count; b++) {
        e->rows[b] = wvl_max_u32(e->rows[b], wvl_coefs_rows(coefs, b).end);
    }
    uint64_t count = status == WVL_OK ? list_precincts(coder) : 0;
    for (; count && status == WVL_OK; count = list_precincts(coder)) {
        status = send_precincts(coder, count);
    }
    wvl_keeper_reuse(&coder->blocks.keeper);
    return status == WVL_OK && is_end ? end_tile(coder) : status;
}

/* ---- End ------------------------------------------------------------------------------------- */

wvl_status wvl_coder_close_early(wvl_coder *coder)
{
    wvl_early *e = coder->early;
    wvl_pool_source_drop(&coder->blocks.pool);
    wvl_recode_end(&coder->recode);
    wvl_layers_report_sums(&coder->layer_job, e->sums, e->energy);
    coder->layers[coder->plan->syntax.layer_count - 1].bytes = wvl_coder_codestream_bytes(coder);
    return e->next_tile == coder->plan->syntax.tile_count ? wvl_coder_put_end(&e->out) : WVL_ERROR_INTERNAL;
}

static wvl_status patch_parts(const wvl_coder *coder, wvl_patch_fn patch, void *user)
{
    uint64_t at = wvl_coder_main_header_bytes(coder);
    size_t bytes = coder->part_count == coder->plan->syntax.part_count ? SOT_PSOT_BYTES : SOT_LENGTHS_BYTES;
    int refused = 0;
    for (uint64_t i = 0; i < coder->part_count && !refused; i++) {
        const wvl_cs_part *part = &coder->parts[i];
        uint8_t fields[SOT_LENGTHS_BYTES];
        (void)wvl_put_u8(wvl_put_u8(wvl_put_u32(fields, (uint32_t)part->psot), part->index), part->count);
        refused = patch(user, at + SOT_PSOT_AT, fields, bytes);
        at += part->psot;
    }
    return refused ? WVL_ERROR_SINK : WVL_OK;
}

wvl_status wvl_coder_patch_early(wvl_coder *coder, wvl_patch_fn patch, void *user)
{
    uint64_t bytes = wvl_cs_measure_part_lengths(coder->plan, coder->part_count);
    wvl_status status = coder->early->options.by_rows ? patch_parts(coder, patch, user) : WVL_OK;
    if (status != WVL_OK || !bytes) {
        return status;
    }
    uint8_t *lengths = wvl_alloc(coder->allocator, bytes);
    if (!lengths) {
        return WVL_ERROR_MEMORY;
    }
    (void)wvl_cs_put_part_lengths(coder->plan, coder->parts, coder->part_count, lengths);
    if (patch(user, wvl_coder_main_header_bytes(coder) - bytes, lengths, (size_t)bytes)) {
        status = WVL_ERROR_SINK;
    }
    wvl_free(coder->allocator, lengths, bytes);
    return status;
}
