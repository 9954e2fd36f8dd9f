/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a picture follows from the plan: where things lie, and the tables that no picture changes. */
#include <math.h>

#include "base/alloc.h"
#include "base/try.h"
#include "cuda/color/unpack.h"
#include "cuda/host/coders/rdoq_tables.h"
#include "cuda/host/pictures/picture.h"

/* Kernels count scratch memory in 32 bits of 16 bytes, and blocks that find none are counted too: half of that. */
#define MOST_SCRATCH (UINT64_C(1) << 35)

int wvl_cuda_can_finish(const wvl_plan *plan, const char **why)
{
    if ((uint64_t)plan->syntax.tile_count * plan->syntax.component_count > WVL_CUDA_MOST_TILE_COMPONENTS) {
        *why = "packets of pictures with more than 65536 tile-components are made on the CPU";
        return 0;
    }
    return wvl_cuda_choose_coder(plan, WVL_REACH_PACKETS, why) != NULL;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

/* Places the memory of the coder, whose job nobody needs yet. */
static void place_coder(wvl_cuda_pictures *p, uint64_t *end)
{
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    wvl_cuda_coder_job job = p->blocks;
    wvl_cuda_packets_job packets = p->job;
    p->layout.coder.end = *end;
    wvl_cuda_coder_places places = p->layout.coder;
    p->layout.coder.scratch_bytes = p->coder->place(&view, &places, &job, &packets);
    *end = places.end;
}

/* Places what the device has alone, behind the tables that pixels change. */
static void place_device(wvl_cuda_pictures *p, const wvl_cuda_tables *t)
{
    wvl_cuda_picture_layout *l = &p->layout;
    const wvl_plan *plan = p->plan;
    uint64_t end = l->tables_end, blocks = l->block_count;
    l->coder.blocks = wvl_cuda_place(&end, blocks, p->coder->block_bytes);
    l->bounds = wvl_cuda_place(&end, blocks + 1 + p->coder->counter_count + t->flag_count, sizeof(uint32_t));
    l->outside = l->bounds + blocks * sizeof(uint32_t);
    l->coder.counters = l->outside + sizeof(uint32_t);
    l->flags = l->coder.counters + p->coder->counter_count * sizeof(uint32_t);
    l->cleared_end = end;
    l->coder.errors = wvl_cuda_place(&end, plan->rate.rate_control ? blocks : 0, sizeof(wvl_cuda_block_error));
    l->coefs = l->coder.coefs = wvl_cuda_place(&end, t->coef_bytes, 1);
    place_coder(p, &end);
    l->planes = wvl_cuda_place(&end, t->plane_bytes, 1);
    l->converted =
        wvl_cuda_place(&end, wvl_cuda_measure_color(plan, wvl_cuda_fetch_rect(p->tiles, p->tile_count, 0)), 1);
    l->work = wvl_cuda_place(&end, p->job.work.all_bytes, 1);
    l->finished = wvl_cuda_place(&end, plan->device.output ? 0 : p->assembly->output_bytes_bound, 1);
    l->finished_end = end;
    l->coder.scratch = wvl_cuda_place(&end, l->coder.scratch_bytes, 1);
    l->device_end = end;
}

static void place_pinned(wvl_cuda_pictures *p)
{
    wvl_cuda_picture_layout *l = &p->layout;
    uint64_t end = l->tables_end;
    l->target = wvl_cuda_place(&end, 1, sizeof(wvl_cuda_packets_picture));
    l->result = wvl_cuda_place(&end, 1, sizeof(wvl_cuda_packets_result));
    l->lengths = wvl_cuda_place(&end, (uint64_t)p->assembly->packet_count + p->assembly->part_count, sizeof(uint32_t));
    l->layers = wvl_cuda_place(&end, p->assembly->layer_count, sizeof(wvl_assembly_layer));
    l->pinned_end = end;
}

static void place_host(wvl_cuda_pictures *p, const wvl_cuda_tables *t)
{
    wvl_cuda_picture_layout *l = &p->layout;
    uint64_t end = 0, components = p->plan->syntax.component_count;
    (void)wvl_cuda_place(&end, 1, sizeof(wvl_backend_job));
    (void)wvl_cuda_place(&end, 1, sizeof(wvl_cuda_picture));
    l->launches = wvl_cuda_place(&end, t->launch_count, sizeof(wvl_cuda_launch));
    l->fronts = wvl_cuda_place(&end, p->tile_count, components * sizeof(uint32_t));
    l->given = wvl_cuda_place(&end, components, sizeof(wvl_cuda_pixels));
    l->pixels = wvl_cuda_place(&end, components, sizeof(wvl_cuda_pixels));
    l->copies = wvl_cuda_place(&end, components, sizeof(wvl_cuda_copy));
    l->host_end = end;
}

static void place_shared(wvl_cuda_pictures *p)
{
    wvl_cuda_picture_layout *l = &p->layout;
    const wvl_assembly *a = p->assembly;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    uint64_t end = 0;
    l->packets = wvl_cuda_place(&end, a->packet_count, sizeof *a->packets);
    l->packet_parts = wvl_cuda_place(&end, a->part_count, sizeof *a->parts);
    l->places = wvl_cuda_place(&end, a->place_count, sizeof *a->places);
    l->bytes = wvl_cuda_place(&end, a->byte_count, 1);
    l->packet_order = wvl_cuda_place(&end, a->packet_count, sizeof(uint32_t));
    l->coder.lists = wvl_cuda_place(&end, l->block_count, p->coder->list_count * sizeof(uint32_t));
    l->coder.weights = wvl_cuda_place(&end, p->plan->rate.rate_control ? l->block_count : 0, sizeof(double));
    l->coder.tables = wvl_cuda_place(&end, p->coder->measure_tables ? p->coder->measure_tables(&view) : 0, 1);
    l->light = wvl_cuda_place(&end, wvl_cuda_measure_light(p->plan), 1);
    l->shared_end = end;
}

/* Measures components that no conversion to X'Y'Z' reads; UINT64_MAX: they are too many. */
static uint64_t measure_unpack(const wvl_cuda_pictures *p)
{
    uint32_t count = p->plan->syntax.component_count;
    uint64_t bytes = count <= WVL_CUDA_UNPACK_MOST ? 0 : UINT64_MAX;
    for (uint32_t c = p->plan->syntax.xyz.kind != WVL_XYZ_NONE ? 3 : 0; c < count; c++) {
        bytes = wvl_add_saturate(bytes, wvl_cuda_measure_plane(wvl_cuda_fetch_rect(p->tiles, p->tile_count, c), 2));
    }
    return bytes;
}

static void place_all(wvl_cuda_pictures *p, int any_shape)
{
    wvl_cuda_picture_layout *l = &p->layout;
    wvl_cuda_tables t = {0};
    const wvl_cuda_table_options options = {.any_shape = any_shape};
    uint64_t end = 0;
    wvl_cuda_build_tables(p->plan, p->tiles, p->tile_count, &options, NULL, &t);
    l->block_count = t.block_count;
    l->splits = wvl_cuda_place(&end, t.split_count, sizeof(wvl_cuda_split));
    l->color = wvl_cuda_place(&end, p->plan->syntax.xyz.kind != WVL_XYZ_NONE, sizeof(wvl_cuda_color));
    l->unpack = wvl_cuda_place(&end, p->plan->syntax.component_count <= WVL_CUDA_UNPACK_MOST, sizeof(wvl_cuda_unpack));
    l->items = wvl_cuda_place(&end, t.item_count, sizeof(wvl_cuda_item));
    l->tables_end = end;
    l->staging_bytes = wvl_cuda_measure_staging(p->plan, p->tiles, p->tile_count);
    l->unpack_bytes = measure_unpack(p);
    place_device(p, &t);
    place_pinned(p);
    place_host(p, &t);
    place_shared(p);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Tables have blocks phase by phase. */
static void place_blocks(wvl_cuda_pictures *p)
{
    wvl_assembly_place *placed = p->placed.places;
    if (!p->block_places) {
        return;
    }
    uint32_t *lists = (uint32_t *)(void *)placed; /* until places come */
    wvl_cuda_rdoq_list_phases(p->plan, p->tiles, p->tile_count, lists, p->block_kinds, &p->blocks.phases);
    for (uint32_t i = 0; i < p->assembly->block_count; i++) {
        p->block_places[lists[i]] = i;
    }
    for (uint32_t i = 0; i < p->assembly->place_count; i++) {
        placed[i] = p->assembly->places[i];
        placed[i].block = p->block_places[placed[i].block];
    }
}

static wvl_cuda_pictures *carve_pictures(wvl_carver *carver, const wvl_plan *plan, const wvl_assembly *assembly)
{
    wvl_cuda_pictures *p = wvl_carve(carver, 1, sizeof *p), none;
    wvl_tile_plan *tiles = wvl_carve(carver, assembly->range.count, sizeof *tiles), tile;
    uint32_t *order = wvl_carve(carver, assembly->packet_count, sizeof *order);
    wvl_cuda_pictures *to = p ? p : &none;
    to->tiles = tiles;
    to->packet_order = order;
    /* Blocks stand in packets once a layer. */
    int has_phases = wvl_cuda_has_phases(plan);
    uint64_t count = has_phases ? assembly->block_count : 0;
    uint32_t *places = wvl_carve(carver, count, sizeof *places);
    uint8_t *kinds = wvl_carve(carver, count, sizeof *kinds);
    wvl_assembly_place *placed = wvl_carve(carver, count * assembly->layer_count, sizeof *placed);
    to->block_places = has_phases ? places : NULL;
    to->block_kinds = has_phases ? kinds : NULL;
    to->placed = *assembly;
    to->placed.places = placed;
    for (uint32_t t = 0; t < assembly->range.count; t++) {
        wvl_tile_plan_carve(plan, carver, tiles ? &tiles[t] : &tile);
    }
    return p;
}

wvl_cuda_pictures *wvl_cuda_build_pictures(const wvl_allocator *allocator, const wvl_plan *plan,
                                           const wvl_assembly *assembly, int any_shape)
{
    const char *why;
    const wvl_cuda_coder *coder = wvl_cuda_choose_coder(plan, WVL_REACH_PACKETS, &why);
    wvl_carver carver = {NULL, 0};
    if (!coder) {
        return NULL;
    }
    (void)carve_pictures(&carver, plan, assembly);
    uint64_t bytes = carver.used;
    carver = (wvl_carver){wvl_alloc(allocator, bytes), 0};
    if (!carver.base) {
        return NULL;
    }
    memset(carver.base, 0, sizeof(wvl_cuda_pictures));
    wvl_cuda_pictures *p = carve_pictures(&carver, plan, assembly);
    p->plan = plan;
    p->assembly = assembly;
    p->coder = coder;
    p->host_bytes = bytes;
    p->tile_count = assembly->range.count;
    for (uint32_t t = 0; t < p->tile_count; t++) {
        wvl_tile_plan_build(plan, assembly->range.first + t, &p->tiles[t]);
    }
    place_blocks(p);
    if (!wvl_cuda_packets_measure(assembly, p->coder->pieces, p->packet_order, &p->job)) {
        wvl_free(allocator, p, bytes);
        return NULL;
    }
    place_all(p, any_shape);
    if (p->layout.coder.scratch_bytes > MOST_SCRATCH) {
        wvl_free(allocator, p, bytes);
        return NULL;
    }
    return p;
}

/* Puts what squares of the block count, in units of gain (codec/core/hull.h), all alike before eyes. */
static void put_weight(void *weights, uint64_t place, const wvl_cuda_walk_block *from)
{
    const wvl_band_coding *coding = &from->in->coding->band[from->in->band->coding_band];
    int exponent = coding->weight_exponent - from->in->view->plan->rate.gain_exponent - 2;
    ((double *)weights)[place] = ldexp((double)coding->weight_mantissa, exponent) / coding->visual;
}

static wvl_cuda_status upload(const wvl_backend *b, wvl_cuda_address to, const void *from, uint64_t bytes,
                              wvl_cuda_stream stream)
{
    return bytes ? wvl_cuda_runtime_of(b)->upload(to, from, (size_t)bytes, stream) : WVL_CUDA_SUCCESS;
}

static wvl_cuda_status upload_assembly(const wvl_backend *b, wvl_cuda_stream stream)
{
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_packets_job *j = &p->job;
    const wvl_assembly *a = p->assembly;
    wvl_cuda_status status = upload(b, j->packets, a->packets, a->packet_count * sizeof *a->packets, stream);
    TRY(status, upload(b, j->parts, a->parts, a->part_count * sizeof *a->parts, stream));
    TRY(status, upload(b, j->places, a->places, a->place_count * sizeof *a->places, stream));
    TRY(status, upload(b, j->bytes, a->bytes, a->byte_count, stream));
    TRY(status, upload(b, j->order, p->packet_order, a->packet_count * sizeof *p->packet_order, stream));
    return status ? status
                  : upload(b, p->device + p->layout.light, p->plan->syntax.xyz.linear[0],
                           wvl_cuda_measure_light(p->plan), stream);
}

/* Tables in memory that goes again: what is uploaded from there was waited for. */
static wvl_cuda_status upload_and_free(const wvl_backend *b, wvl_cuda_address to, void *from, uint64_t bytes,
                                       wvl_cuda_stream stream)
{
    wvl_cuda_status status = upload(b, to, from, bytes, stream);
    wvl_cuda_status waited = wvl_cuda_runtime_of(b)->stream_wait(stream);
    wvl_free(&b->allocator, from, bytes);
    return status ? status : waited;
}

/* Blocks with coefficients and bounds at these addresses. NULL: no memory. */
static void *list_blocks(const wvl_backend *b, uint64_t coefs, uint64_t bounds)
{
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    void *blocks = wvl_alloc(&b->allocator, p->layout.block_count * p->coder->block_bytes);
    if (blocks) {
        p->coder->list_blocks(&view, coefs, bounds, blocks);
    }
    return blocks;
}

/* The order of blocks is that of any workspace: it does not depend on addresses. */
static wvl_cuda_status upload_lists(wvl_backend *b, wvl_cuda_stream stream)
{
    wvl_cuda_pictures *p = b->pictures;
    uint64_t count = p->layout.block_count, bytes = p->coder->list_count * count * sizeof(uint32_t);
    void *blocks = list_blocks(b, 0, 0);
    uint32_t *lists = blocks ? wvl_alloc(&b->allocator, bytes) : NULL;
    if (lists) {
        p->coder->sort(blocks, (uint32_t)count, lists, &p->blocks);
    }
    if (blocks) {
        wvl_free(&b->allocator, blocks, count * p->coder->block_bytes);
    }
    return lists ? upload_and_free(b, p->device + p->layout.coder.lists, lists, bytes, stream) : WVL_CUDA_OUT_OF_MEMORY;
}

static wvl_cuda_status upload_weights(const wvl_backend *b, wvl_cuda_stream stream)
{
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    uint64_t bytes = p->layout.block_count * sizeof(double);
    if (!p->plan->rate.rate_control) {
        return WVL_CUDA_SUCCESS;
    }
    double *weights = wvl_alloc(&b->allocator, bytes);
    if (!weights) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    wvl_cuda_walk_blocks(&view, 0, 0, put_weight, weights);
    return upload_and_free(b, p->device + p->layout.coder.weights, weights, bytes, stream);
}

static wvl_cuda_status upload_tables(const wvl_backend *b, wvl_cuda_stream stream)
{
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    uint64_t bytes = p->coder->measure_tables ? p->coder->measure_tables(&view) : 0;
    if (!bytes) {
        return WVL_CUDA_SUCCESS;
    }
    void *tables = wvl_alloc(&b->allocator, bytes);
    if (!tables) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    p->coder->fill_tables(&view, tables);
    return upload_and_free(b, p->device + p->layout.coder.tables, tables, bytes, stream);
}

wvl_cuda_status wvl_cuda_upload_pictures(wvl_backend *b, wvl_cuda_stream stream)
{
    wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_picture_layout *l = &p->layout;
    p->job.packets = p->device + l->packets;
    p->job.parts = p->device + l->packet_parts;
    p->job.places = p->device + l->places;
    p->job.bytes = p->device + l->bytes;
    p->job.order = p->device + l->packet_order;
    p->job.picture_count = 1;
    wvl_cuda_status status = upload_lists(b, stream);
    TRY(status, upload_weights(b, stream));
    TRY(status, upload_tables(b, stream));
    return status ? status : upload_assembly(b, stream);
}

wvl_cuda_status wvl_cuda_upload_blocks(wvl_backend_job *job)
{
    const wvl_backend *b = job->backend;
    const wvl_cuda_picture_layout *l = &b->pictures->layout;
    void *blocks = list_blocks(b, job->device + l->coefs, job->device + l->bounds);
    return blocks ? upload_and_free(b, job->device + l->coder.blocks, blocks,
                                    l->block_count * b->pictures->coder->block_bytes, job->stream)
                  : WVL_CUDA_OUT_OF_MEMORY;
}
