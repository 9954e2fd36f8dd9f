/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a picture follows from the plan: where things lie, and the tables that no picture changes. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "cuda/host/picture.h"

int wvl_cuda_can_finish(const wvl_plan *plan, const char **why)
{
    if ((uint64_t)plan->syntax.tile_count * plan->syntax.component_count > WVL_CUDA_MOST_TILE_COMPONENTS) {
        *why = "packets of pictures with more than 65536 tile-components are made on the CPU";
        return 0;
    }
    return 1;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static uint64_t place(uint64_t *end, uint64_t count, uint64_t size)
{
    uint64_t at = *end;
    *end = wvl_add_saturate(at, wvl_mul_saturate(count, size));
    *end = *end > UINT64_MAX - 256 ? UINT64_MAX : wvl_align_up(*end, 256);
    return at;
}

/* What the device has alone, behind the tables that pixels change. */
static void place_device(wvl_cuda_pictures *p, const wvl_cuda_tables *t)
{
    wvl_cuda_picture_layout *l = &p->layout;
    const wvl_plan *plan = p->plan;
    uint64_t end = l->tables_end, blocks = l->block_count;
    l->blocks = place(&end, blocks, sizeof(wvl_cuda_ht_block));
    l->bounds = place(&end, blocks + 1 + WVL_CUDA_HT_COUNTERS + t->flag_count, sizeof(uint32_t));
    l->outside = l->bounds + blocks * sizeof(uint32_t);
    l->counters = l->outside + sizeof(uint32_t);
    l->flags = l->counters + WVL_CUDA_HT_COUNTERS * sizeof(uint32_t);
    l->cleared_end = end;
    l->records = place(&end, blocks, sizeof(wvl_cuda_ht_record));
    l->parts = place(&end, blocks, sizeof(wvl_cuda_ht_part));
    l->totals = place(&end, blocks, sizeof(uint32_t));
    l->errors = place(&end, plan->rate.rate_control ? blocks : 0, sizeof(wvl_cuda_ht_error));
    l->coefs = place(&end, t->coef_bytes, 1);
    l->scratch_bytes = wvl_cuda_measure_most_scratch(plan, p->tiles, p->tile_count);
    l->scratch = place(&end, l->scratch_bytes, 1);
    l->planes = place(&end, t->plane_bytes, 1);
    l->converted = place(&end, wvl_cuda_measure_color(plan, wvl_cuda_fetch_rect(p->tiles, p->tile_count, 0)), 1);
    l->work = place(&end, p->job.work.all_bytes, 1);
    l->finished = place(&end, plan->device.output ? 0 : plan->memory.output_bytes_bound, 1);
    l->device_end = end;
}

static void place_pinned(wvl_cuda_pictures *p)
{
    wvl_cuda_picture_layout *l = &p->layout;
    uint64_t end = l->tables_end;
    l->target = place(&end, 1, sizeof(wvl_cuda_packets_picture));
    l->result = place(&end, 1, sizeof(wvl_cuda_packets_result));
    l->lengths = place(&end, (uint64_t)p->assembly->packet_count + p->assembly->part_count, sizeof(uint32_t));
    l->pinned_end = end;
}

static void place_host(wvl_cuda_pictures *p, const wvl_cuda_tables *t)
{
    wvl_cuda_picture_layout *l = &p->layout;
    uint64_t end = 0, components = p->plan->syntax.component_count;
    (void)place(&end, 1, sizeof(wvl_backend_job));
    (void)place(&end, 1, sizeof(wvl_cuda_picture));
    l->launches = place(&end, t->launch_count, sizeof(wvl_cuda_launch));
    l->fronts = place(&end, p->tile_count, components * sizeof(uint32_t));
    l->given = place(&end, components, sizeof(wvl_cuda_pixels));
    l->pixels = place(&end, components, sizeof(wvl_cuda_pixels));
    l->copies = place(&end, components, sizeof(wvl_cuda_copy));
    l->host_end = end;
}

static void place_shared(wvl_cuda_pictures *p)
{
    wvl_cuda_picture_layout *l = &p->layout;
    const wvl_assembly *a = p->assembly;
    uint64_t end = 0;
    l->packets = place(&end, a->packet_count, sizeof *a->packets);
    l->packet_parts = place(&end, a->part_count, sizeof *a->parts);
    l->places = place(&end, a->place_count, sizeof *a->places);
    l->bytes = place(&end, a->byte_count, 1);
    l->packet_order = place(&end, a->packet_count, sizeof(uint32_t));
    l->block_order = place(&end, l->block_count, sizeof(uint32_t));
    l->weights = place(&end, p->plan->rate.rate_control ? l->block_count : 0, sizeof(double));
    l->light = place(&end, wvl_cuda_measure_light(p->plan), 1);
    l->shared_end = end;
}

static void place_all(wvl_cuda_pictures *p, int any_shape)
{
    wvl_cuda_picture_layout *l = &p->layout;
    wvl_cuda_tables t = {0};
    const wvl_cuda_table_options options = {.any_shape = any_shape};
    uint64_t end = 0;
    wvl_cuda_build_tables(p->plan, p->tiles, p->tile_count, &options, NULL, &t);
    l->block_count = t.block_count;
    l->splits = place(&end, t.split_count, sizeof(wvl_cuda_split));
    l->color = place(&end, p->plan->syntax.xyz.kind != WVL_XYZ_NONE, sizeof(wvl_cuda_color));
    l->items = place(&end, t.item_count, sizeof(wvl_cuda_item));
    l->tables_end = end;
    l->staging_bytes = wvl_cuda_measure_staging(p->plan, p->tiles, p->tile_count);
    place_device(p, &t);
    place_pinned(p);
    place_host(p, &t);
    place_shared(p);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static wvl_cuda_pictures *carve_pictures(wvl_carver *carver, const wvl_plan *plan, const wvl_assembly *assembly)
{
    wvl_cuda_pictures *p = wvl_carve(carver, 1, sizeof *p), none;
    wvl_tile_plan *tiles = wvl_carve(carver, plan->syntax.tile_count, sizeof *tiles), tile;
    uint32_t *order = wvl_carve(carver, assembly->packet_count, sizeof *order);
    wvl_cuda_pictures *to = p ? p : &none;
    to->tiles = tiles;
    to->packet_order = order;
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        wvl_tile_plan_carve(plan, carver, tiles ? &tiles[t] : &tile);
    }
    return p;
}

wvl_cuda_pictures *wvl_cuda_build_pictures(const wvl_allocator *allocator, const wvl_plan *plan,
                                           const wvl_assembly *assembly, int any_shape)
{
    wvl_carver carver = {NULL, 0};
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
    p->host_bytes = bytes;
    p->tile_count = plan->syntax.tile_count;
    for (uint32_t t = 0; t < p->tile_count; t++) {
        wvl_tile_plan_build(plan, t, &p->tiles[t]);
    }
    if (!wvl_cuda_packets_measure(assembly, WVL_CUDA_PACKETS_CLEANUP_PIECES, p->packet_order, &p->job)) {
        wvl_free(allocator, p, bytes);
        return NULL;
    }
    place_all(p, any_shape);
    return p;
}

/* What squares of each block count, in units of gain (codec/core/hull.h), all alike before eyes. */
static void list_weights(const wvl_cuda_pictures *p, double *weights)
{
    for (uint32_t t = 0; t < p->tile_count; t++) {
        const wvl_tile_plan *tile = &p->tiles[t];
        for (uint32_t c = 0; c < tile->component_count; c++) {
            const wvl_tile_component *component = &tile->components[c];
            uint32_t first = tile->resolutions[component->first_resolution].first_band;
            for (uint32_t b = first; b < first + 3u * component->levels + 1; b++) {
                const wvl_tile_band *band = &tile->bands[b];
                const wvl_band_coding *coding = &p->plan->syntax.codings[component->coding].band[band->coding_band];
                double weight =
                    ldexp((double)coding->weight_mantissa, coding->weight_exponent - p->plan->rate.gain_exponent - 2);
                for (uint64_t i = 0; i < (uint64_t)band->block_cols * band->block_rows; i++) {
                    weights[band->first_block + i] = weight / coding->visual;
                }
            }
        }
        weights += tile->block_count;
    }
}

static wvl_cuda_status upload(const wvl_backend *b, wvl_cuda_address to, const void *from, uint64_t bytes,
                              wvl_cuda_stream stream)
{
    return bytes ? wvl_cuda_runtime_of(b)->upload(to, from, (size_t)bytes, stream) : WVL_CUDA_SUCCESS;
}

static void set_addresses(wvl_cuda_pictures *p)
{
    const wvl_cuda_picture_layout *l = &p->layout;
    p->job.packets = p->device + l->packets;
    p->job.parts = p->device + l->packet_parts;
    p->job.places = p->device + l->places;
    p->job.bytes = p->device + l->bytes;
    p->job.order = p->device + l->packet_order;
    p->job.picture_count = 1;
}

static wvl_cuda_status upload_assembly(const wvl_backend *b, wvl_cuda_stream stream)
{
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_packets_job *j = &p->job;
    const wvl_assembly *a = p->assembly;
    wvl_cuda_status status = upload(b, j->packets, a->packets, a->packet_count * sizeof *a->packets, stream);
    status = status ? status : upload(b, j->parts, a->parts, a->part_count * sizeof *a->parts, stream);
    status = status ? status : upload(b, j->places, a->places, a->place_count * sizeof *a->places, stream);
    status = status ? status : upload(b, j->bytes, a->bytes, a->byte_count, stream);
    status = status ? status : upload(b, j->order, p->packet_order, a->packet_count * sizeof *p->packet_order, stream);
    return status ? status
                  : upload(b, p->device + p->layout.light, p->plan->syntax.xyz.linear[0],
                           wvl_cuda_measure_light(p->plan), stream);
}

/* Tables in memory that goes again: what is uploaded from there was waited for. */
static wvl_cuda_status upload_waiting(const wvl_backend *b, wvl_cuda_address to, const void *from, uint64_t bytes,
                                      wvl_cuda_stream stream)
{
    wvl_cuda_status status = upload(b, to, from, bytes, stream);
    wvl_cuda_status waited = wvl_cuda_runtime_of(b)->stream_wait(stream);
    return status ? status : waited;
}

/* The order of blocks is that of any slot: it does not depend on addresses. */
static wvl_cuda_status upload_order(wvl_backend *b, const wvl_cuda_ht_block *blocks, wvl_cuda_stream stream)
{
    wvl_cuda_pictures *p = b->pictures;
    uint64_t count = p->layout.block_count, bytes = count * sizeof(uint32_t);
    uint32_t *order = wvl_alloc(&b->allocator, bytes);
    if (!order) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    wvl_cuda_ht_sort(blocks, (uint32_t)count, order, &p->ht);
    p->ht.order = p->device + p->layout.block_order;
    p->ht.is_cleared = 1;
    wvl_cuda_status status = upload_waiting(b, p->ht.order, order, bytes, stream);
    wvl_free(&b->allocator, order, bytes);
    return status;
}

static wvl_cuda_status upload_weights(const wvl_backend *b, wvl_cuda_stream stream)
{
    const wvl_cuda_pictures *p = b->pictures;
    uint64_t bytes = p->layout.block_count * sizeof(double);
    if (!p->plan->rate.rate_control) {
        return WVL_CUDA_SUCCESS;
    }
    double *weights = wvl_alloc(&b->allocator, bytes);
    if (!weights) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    list_weights(p, weights);
    wvl_cuda_status status = upload_waiting(b, p->device + p->layout.weights, weights, bytes, stream);
    wvl_free(&b->allocator, weights, bytes);
    return status;
}

wvl_cuda_status wvl_cuda_upload_pictures(wvl_backend *b, wvl_cuda_stream stream)
{
    wvl_cuda_pictures *p = b->pictures;
    uint64_t bytes = p->layout.block_count * sizeof(wvl_cuda_ht_block);
    wvl_cuda_ht_block *blocks = wvl_alloc(&b->allocator, bytes);
    if (!blocks) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    wvl_cuda_list_blocks(p->plan, p->tiles, p->tile_count, 0, 0, blocks);
    set_addresses(p);
    wvl_cuda_status status = upload_order(b, blocks, stream);
    wvl_free(&b->allocator, blocks, bytes);
    status = status ? status : upload_weights(b, stream);
    return status ? status : upload_assembly(b, stream);
}

wvl_cuda_status wvl_cuda_upload_blocks(wvl_backend_job *job)
{
    const wvl_backend *b = job->backend;
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_picture_layout *l = &p->layout;
    uint64_t bytes = l->block_count * sizeof(wvl_cuda_ht_block);
    wvl_cuda_ht_block *blocks = wvl_alloc(&b->allocator, bytes);
    if (!blocks) {
        return WVL_CUDA_OUT_OF_MEMORY;
    }
    wvl_cuda_list_blocks(p->plan, p->tiles, p->tile_count, job->device + l->coefs, job->device + l->bounds, blocks);
    wvl_cuda_status status = upload_waiting(b, job->device + l->blocks, blocks, bytes, job->stream);
    wvl_free(&b->allocator, blocks, bytes);
    return status;
}
