/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan/plan_measure.h"

#include <stdio.h>

#include "base/try.h"
#include "codec/jp2/jp2.h"
#include "codec/write/division.h"
#include "codec/write/least.h"
#include "picture/picture_quality.h"
#include "report/profile_walk.h"
#include "report/result.h"
#include "way/leaving.h"
#include "way/wave.h"
#include "way/way.h"

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Sums of one tile, then of a wave. */
typedef struct tile_sum {
    wvl_cpu_shape shape;
    uint64_t bands, ranges;
} tile_sum;

/* What early output holds of some tiles. */
typedef struct early_sum {
    uint64_t tile_bytes, index_bytes;
} early_sum;

typedef struct tile_walk {
    wvl_plan *plan;
    const wvl_look *look;
    wvl_coder_least *least;
    wvl_component_classes classes;
    wvl_tile_plan one; /* a component of the tile at work */
    wvl_coder_sum coder;
    uint32_t concurrency;
    tile_sum wave;
    uint32_t wave_tiles;
    uint64_t wave_bytes;             /* of coefficients and tile plans */
    early_sum early_wave, early_row; /* of the wave, and of the row of tiles, at work */
    uint64_t kept_bytes, work_bytes; /* most of any wave */
    uint32_t widest;
} tile_walk;

static void add_class(tile_walk *w, uint32_t class, tile_sum *sum, wvl_coder_tile_sum *coded, uint64_t *coef_bytes)
{
    wvl_plan *plan = w->plan;
    const wvl_tile_plan *one = &w->one;
    uint64_t times = w->classes.size[class];
    coded->blocks = wvl_add_saturate(coded->blocks, wvl_mul_saturate(one->block_count, times));
    coded->precincts = wvl_add_saturate(coded->precincts, wvl_mul_saturate(one->precinct_count, times));
    *coef_bytes = wvl_add_saturate(*coef_bytes, wvl_mul_saturate(one->coef_bytes, times));
    sum->bands += one->band_count * times;
    sum->ranges = wvl_add_saturate(sum->ranges, wvl_mul_saturate(wvl_work_count_ranges(one), times));
    wvl_cpu_add_component(&sum->shape, one, 0, times);
    wvl_coder_add_component(plan, one, 0, times, coded, &w->coder);
    wvl_coder_add_least_component(plan, one, w->classes.first[class], w->least);
    plan->memory.largest_tile_component = wvl_max_u64(plan->memory.largest_tile_component, one->sample_count);
}

/* Returns what a tile adds to the sums of the coder. */
static early_sum find_early(const wvl_coder_sum *before, const wvl_coder_sum *after)
{
    return (early_sum){after->tile_bytes == UINT64_MAX ? UINT64_MAX : after->tile_bytes - before->tile_bytes,
                       after->index_bytes == UINT64_MAX ? UINT64_MAX : after->index_bytes - before->index_bytes};
}

static void add_early(early_sum *to, const early_sum *tile)
{
    to->tile_bytes = wvl_add_saturate(to->tile_bytes, tile->tile_bytes);
    to->index_bytes = wvl_add_saturate(to->index_bytes, tile->index_bytes);
}

static void close_wave(tile_walk *w)
{
    wvl_plan *plan = w->plan;
    wvl_backend_memory need;
    wvl_cpu_measure_shape(plan, &w->wave.shape, w->wave_tiles, w->concurrency, &need);
    w->kept_bytes = wvl_max_u64(w->kept_bytes, need.host_bytes - need.work_bytes);
    w->work_bytes = wvl_max_u64(w->work_bytes, need.work_bytes);
    w->widest = wvl_max_u32(w->widest, w->wave_tiles);
    plan->memory.wave_bands = wvl_max_u64(plan->memory.wave_bands, w->wave.bands);
    plan->memory.wave_ranges = wvl_max_u64(plan->memory.wave_ranges, w->wave.ranges);
    plan->memory.wave_count++;
    plan->memory.early.wave_tile_bytes = wvl_max_u64(plan->memory.early.wave_tile_bytes, w->early_wave.tile_bytes);
    plan->memory.early.wave_index = wvl_max_u64(plan->memory.early.wave_index, w->early_wave.index_bytes);
    w->early_wave = (early_sum){0, 0};
    w->wave = (tile_sum){.shape = {.strands_max = 1}};
    w->wave_tiles = 0;
    w->wave_bytes = 0;
}

static void add_tile(tile_walk *w, uint32_t tile)
{
    wvl_plan *plan = w->plan;
    tile_sum sum = {.shape = {.strands_max = 1}};
    wvl_coder_tile_sum coded = {0};
    wvl_coder_sum before = w->coder;
    uint64_t coef_bytes = 0;
    for (uint32_t class = 0; class < w->classes.count; class ++) {
        wvl_tile_plan_build_component(plan, tile, w->classes.first[class], &w->one);
        add_class(w, class, &sum, &coded, &coef_bytes);
    }
    uint32_t strands = w->one.mct != WVL_MCT_NONE || plan->syntax.xyz.kind != WVL_XYZ_NONE ? 3 : 1;
    wvl_cpu_add_tile(&sum.shape, plan->syntax.component_count, strands, coef_bytes, coded.blocks);
    wvl_coder_add_tile(plan, &w->one, w->concurrency > 1 ? WVL_STORE_SPAN : WVL_STORE_CHUNK, &coded, &w->coder);
    plan->memory.most_tile_bytes =
        wvl_max_u64(plan->memory.most_tile_bytes, w->coder.output_bytes - before.output_bytes);
    wvl_coder_add_least(plan, &w->one, coded.precincts, w->least);
    plan->memory.most_precincts = wvl_max_u64(plan->memory.most_precincts, coded.precincts);
    plan->memory.most_blocks = wvl_max_u64(plan->memory.most_blocks, coded.blocks);
    plan->memory.largest_tile_bytes = wvl_max_u64(plan->memory.largest_tile_bytes, coef_bytes);
    early_sum early = find_early(&before, &w->coder);
    add_early(&w->early_row, &early);
    plan->memory.early.block_index = wvl_max_u64(plan->memory.early.block_index, coded.block_index);
    /* Adds tiles as wvl_wave_build does. */
    uint64_t bytes = wvl_add_saturate(coef_bytes, w->plan->memory.tile_plan_bytes);
    if (w->wave_tiles && wvl_add_saturate(w->wave_bytes, bytes) > w->plan->memory.wave_limit) {
        close_wave(w);
    }
    wvl_cpu_join_shapes(&w->wave.shape, &sum.shape);
    w->wave.bands += sum.bands;
    w->wave.ranges = wvl_add_saturate(w->wave.ranges, sum.ranges);
    w->wave_tiles++;
    add_early(&w->early_wave, &early);
    w->wave_bytes = wvl_add_saturate(w->wave_bytes, bytes);
    if ((tile + 1) % plan->syntax.tile_cols == 0) {
        wvl_early_plan *leaving = &w->plan->memory.early;
        leaving->row_tile_bytes = wvl_max_u64(leaving->row_tile_bytes, w->early_row.tile_bytes);
        leaving->row_index = wvl_max_u64(leaving->row_index, w->early_row.index_bytes);
        w->early_row = (early_sum){0, 0};
    }
}

static wvl_status walk_tiles(tile_walk *w)
{
    wvl_plan *plan = w->plan;
    w->wave = (tile_sum){.shape = {.strands_max = 1}};
    w->widest = 1;
    plan->memory.wave_count = 0;
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        add_tile(w, t);
        if (wvl_look_after(w->look, WVL_LOOK_PLAN, 1)) {
            return WVL_CANCELLED;
        }
    }
    close_wave(w);
    /* Every component of a class has the bytes of its first one. */
    for (uint32_t c = 0; w->least->group_bytes && c < w->plan->syntax.component_count; c++) {
        uint32_t first = w->classes.first[w->classes.class_of[c]];
        for (uint32_t g = 0; g < wvl_plan_cap_groups(w->plan); g += w->plan->syntax.component_count) {
            w->least->group_bytes[g + c] = w->least->group_bytes[g + first];
        }
    }
    plan->memory.wave_tiles = w->widest;
    plan->memory.backend =
        (wvl_backend_memory){.host_bytes = wvl_add_saturate(w->kept_bytes, w->work_bytes), .work_bytes = w->work_bytes};
    return WVL_OK;
}

static wvl_status check_steps(const tile_walk *w, char *problem, size_t problem_bytes)
{
    uint64_t steps = wvl_mul_saturate(w->plan->syntax.tile_count, w->classes.count);
    if (steps <= WVL_PLAN_MOST_STEPS) {
        return WVL_OK;
    }
    snprintf(problem, problem_bytes,
             "%u tiles of %u kinds of components (subsampling and settings): %llu together; %llu are supported. "
             "Use fewer tiles, or "
             "components that are more alike",
             w->plan->syntax.tile_count, w->classes.count, (unsigned long long)steps,
             (unsigned long long)WVL_PLAN_MOST_STEPS);
    return WVL_ERROR_PARAMETER;
}

static wvl_status sum_tiles(tile_walk *w, char *problem, size_t problem_bytes)
{
    const wvl_allocator *host = &w->plan->context->host;
    wvl_carver carver = {NULL, 0};
    wvl_geom_carve_classes(w->plan, &carver, &w->classes);
    wvl_tile_plan_carve_component(w->plan, &carver, &w->one);
    uint64_t bytes = carver.used;
    uint8_t *memory = wvl_alloc(host, bytes);
    if (!memory) {
        return WVL_ERROR_MEMORY;
    }
    carver = (wvl_carver){memory, 0};
    wvl_geom_carve_classes(w->plan, &carver, &w->classes);
    wvl_tile_plan_carve_component(w->plan, &carver, &w->one);
    wvl_geom_build_classes(w->plan, &w->classes);
    wvl_status status = check_steps(w, problem, problem_bytes);
    TRY(status, walk_tiles(w));
    wvl_free(host, memory, bytes);
    return status;
}

/* ---- Tile-parts ------------------------------------------------------------------------------ */

/* Where tiles are divided, their packets are walked in order: that takes a tile plan, and what the order remembers. */
static wvl_status count_parts(const tile_walk *w, char *problem, size_t problem_bytes)
{
    wvl_plan *plan = w->plan;
    wvl_tile_plan tile = {0};
    wvl_order_memory order = {0};
    wvl_carver carver = {NULL, 0};
    int walks = plan->syntax.parts && w->coder.packets <= WVL_CODER_MOST_WALKED;
    if (walks) {
        wvl_tile_plan_carve(plan, &carver, &tile);
        wvl_order_carve(plan, plan->memory.most_resolutions, plan->memory.most_precincts, &carver, &order);
    }
    uint64_t bytes = carver.used;
    uint8_t *memory = wvl_alloc(&plan->context->host, bytes);
    if (!memory) {
        return WVL_ERROR_MEMORY;
    }
    carver = (wvl_carver){memory, 0};
    if (walks) {
        wvl_tile_plan_carve(plan, &carver, &tile);
        wvl_order_carve(plan, plan->memory.most_resolutions, plan->memory.most_precincts, &carver, &order);
    }
    const wvl_tile_walk tiles = {plan, NULL, &tile};
    wvl_division division = {plan, w->look, NULL, w->least->group_bytes, 0, problem, problem_bytes};
    wvl_status status = wvl_coder_count_parts(&division, &w->coder, &tiles, &order);
    plan->syntax.part_count = division.part_count;
    plan->memory.spare_parts = w->coder.spare_parts;
    wvl_free(&plan->context->host, memory, bytes);
    return status;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Memory that is held all the time, and the most of the stages beside it. */
typedef struct stage_memory {
    uint64_t held, transform, code, finish;
} stage_memory;

static uint64_t most_of(const stage_memory *m)
{
    return wvl_add_saturate(m->held, wvl_max_u64(wvl_max_u64(m->transform, m->code), m->finish));
}

/* Without what only some pictures need: a second round, and where a device may do the transform, the CPU's share of it.
 */
static uint64_t count_certain(const wvl_plan *plan, const wvl_coder_memory *coder, stage_memory m)
{
    wvl_way way = wvl_choose_way(plan, &(wvl_way_source){.many = 1});
    int may_leave = plan->device.choice != WVL_DEVICE_CPU && (unsigned)way.reach >= plan->device.reach;
    wvl_coder_memory c = *coder;
    if (wvl_early_find_kind(plan, 0)) {
        c.tile_bytes = 0; /* not all at a time */
        c.finish_bytes = coder->early_bytes;
        m.code = 0;
    }
    m.held -= wvl_recode_bytes(plan); /* only when the picture is coded again */
    m.transform = may_leave ? 0 : plan->memory.backend.host_bytes;
    m.code = may_leave ? wvl_add_saturate(c.tile_bytes, c.worker_bytes) : m.code;
    m.finish = wvl_add_saturate(c.finish_bytes, c.tile_bytes);
    return most_of(&m);
}

void wvl_plan_bound_output(wvl_plan *plan)
{
    uint64_t boxes = plan->syntax.jp2 ? plan->syntax.boxes_before.bytes + WVL_JP2_MAX_HEADER_BYTES : 0;
    uint64_t most = wvl_min_u64(plan->memory.codestream_bytes_most, wvl_coder_asked_bytes(plan));
    plan->memory.output_bytes_bound = wvl_add_saturate(most, boxes);
}

static void promise_memory(wvl_plan *plan, const wvl_coder_sum *sum, const wvl_coder_memory *coder, uint64_t wave_bytes)
{
    plan->memory.quality_bytes =
        plan->rate.keep_coefs ? wvl_quality_bytes(plan, plan->memory.largest_tile_component) : 0;
    if (plan->memory.quality_bytes == UINT64_MAX) { /* estimates must do */
        plan->rate.keep_coefs = 0;
        plan->memory.quality_bytes = 0;
    }
    /*
     * Of the last wave block coding holds the coefficients alone; before that both halves hold what they work in.
     * Finishing holds its own, and coefficients with it when they are kept. Where pixels may come again, tiles are
     * there already.
     */
    uint64_t coefs = plan->memory.backend.host_bytes - plan->memory.backend.work_bytes, tiles = coder->tile_bytes;
    int is_once = plan->memory.wave_count == 1 && !wvl_recode_is_possible(plan);
    uint64_t kept = plan->rate.keep_coefs ? wvl_add_saturate(coefs, wvl_alloc_size(plan->memory.quality_bytes)) : 0;
    stage_memory stages;
    stages.held =
        wvl_add_saturate(wvl_alloc_size(wave_bytes), wvl_add_saturate(coder->base_bytes, wvl_session_bytes()));
    stages.transform = wvl_add_saturate(plan->memory.backend.host_bytes, is_once ? 0 : tiles);
    stages.transform = wvl_add_saturate(stages.transform, plan->memory.wave_count > 1 ? coder->worker_bytes : 0);
    stages.code = wvl_add_saturate(wvl_add_saturate(coefs, tiles), coder->worker_bytes);
    stages.finish = wvl_max_u64(wvl_add_saturate(coder->finish_bytes, kept), wvl_result_bytes_of_plan(plan));
    stages.finish = wvl_add_saturate(stages.finish, tiles);
    plan->memory.base_bytes = most_of(&stages);
    plan->memory.early.fixed_bytes =
        wvl_add_saturate(stages.held, wvl_add_saturate(coder->worker_bytes, coder->table_bytes));
    plan->memory.early.finish_bytes = wvl_max_u64(coder->early_bytes, wvl_result_bytes_of_plan(plan));
    plan->memory.early.precinct_blocks = sum->sizes.most_blocks;
    plan->memory.coding_bytes = wvl_add_saturate(stages.held, wvl_add_saturate(coder->tile_bytes, coder->worker_bytes));
    plan->memory.index_bytes = coder->index_bytes_bound;
    plan->memory.finish_bytes = wvl_add_saturate(stages.held, stages.finish);
    plan->memory.certain_bytes = count_certain(plan, coder, stages);
    plan->memory.coded_bytes_bound = coder->coded_bytes_bound;
    plan->memory.codestream_bytes_most = coder->output_bytes_bound;
    wvl_plan_bound_output(plan);
    uint64_t likely = wvl_coder_guess_bytes(plan, sum);
    if (wvl_profile_walks(plan)) {
        uint64_t walk = wvl_profile_walk_bytes(plan);
        uint64_t judged =
            wvl_add_saturate(wvl_alloc_size(plan->memory.output_bytes_bound), wvl_add_saturate(walk, walk / 2));
        plan->memory.coded_bytes_bound = wvl_add_saturate(plan->memory.coded_bytes_bound, judged);
    }
    plan->memory.likely_bytes =
        wvl_add_saturate(plan->memory.base_bytes, wvl_min_u64(likely, plan->memory.coded_bytes_bound));
}

static uint64_t measure_wave(const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    wvl_wave wave;
    wvl_wave_carve(plan, &carver, &wave);
    return carver.used;
}

static wvl_status measure_with(tile_walk *w, char *problem, size_t problem_bytes)
{
    wvl_plan *plan = w->plan;
    wvl_carver carver = {NULL, 0};
    wvl_coder_memory coder;
    wvl_tile_plan tile;
    wvl_tile_plan_carve(plan, &carver, &tile);
    plan->memory.tile_plan_bytes = carver.used;
    wvl_status status = sum_tiles(w, problem, problem_bytes);
    TRY(status, count_parts(w, problem, problem_bytes));
    if (status != WVL_OK) {
        return status;
    }
    wvl_profile_space_lengths(plan);
    wvl_coder_note_least(plan, w->least, plan->syntax.part_count);
    status = wvl_coder_check_least(plan, problem, problem_bytes);
    if (status == WVL_OK) {
        wvl_coder_measure(plan, &w->coder, w->concurrency, &coder);
        promise_memory(plan, &w->coder, &coder, measure_wave(plan));
    }
    return status;
}

wvl_status wvl_plan_measure_tiles(wvl_plan *plan, const wvl_look *look, char *problem, size_t problem_bytes)
{
    const wvl_allocator *host = &plan->context->host;
    uint64_t group_bytes = plan->rate.max_component_bytes ? wvl_plan_cap_groups(plan) * sizeof(uint64_t) : 0;
    wvl_coder_least least = {.group_bytes = group_bytes ? wvl_alloc_zeroed(host, group_bytes) : NULL};
    tile_walk walk = {
        .plan = plan, .look = look, .least = &least, .concurrency = wvl_pool_concurrency(plan->context->pool)};
    wvl_status status =
        group_bytes && !least.group_bytes ? WVL_ERROR_MEMORY : measure_with(&walk, problem, problem_bytes);
    wvl_free(host, least.group_bytes, group_bytes);
    return status;
}
