/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/tile_coder.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ranges.h"
#include "codec/roi.h"
#include "codec/rate/hull.h"
#include "codec/rate/measure.h"
#include "codec/rate/rdoq.h"
#include "codec/t2/packet_order.h"
#include "codec/tile_blocks.h"
#include "codec/tile_survey.h"
#include "codec/tile_worker.h"

#define TICK_GROUPS 64u /* of a worker, between two reports of progress */

/* ---- Sizes -------------------------------------------------------------------------------------------------------------------- */

uint64_t wvl_coder_worker_bytes(const wvl_plan *plan, uint32_t concurrency)
{
    wvl_carver carver = {NULL, 0};
    wvl_worker_scratch unused;
    wvl_worker_carve(plan, &carver, &unused);
    return wvl_mul_saturate(concurrency, carver.used);
}

void wvl_coder_carve_tile(const wvl_plan *plan, wvl_carver *carver, wvl_coded_tile *tile)
{
    tile->precincts = wvl_carve(carver, tile->precinct_count, sizeof *tile->precincts);
    tile->blocks = wvl_carve(carver, tile->block_count, sizeof *tile->blocks);
    tile->states = wvl_carve(carver, tile->block_count, sizeof *tile->states);
    tile->nodes = wvl_carve(carver, tile->node_count, sizeof *tile->nodes);
    tile->packets = wvl_carve(carver, wvl_mul_saturate(tile->precinct_count, plan->layer_count), sizeof *tile->packets);
}

/* Also lifts the greatest sizes seen. */
static void size_tile(const wvl_plan *plan, const wvl_tile_plan *plan_tile, wvl_coded_tile *tile, wvl_t2_sizes *greatest)
{
    wvl_carver carver = {NULL, 0};
    wvl_t2_sizes sizes;
    memset(tile, 0, sizeof *tile);
    tile->precinct_count = plan_tile->precinct_count;
    tile->block_count = plan_tile->block_count;
    tile->sop = plan_tile->sop;
    tile->eph = plan_tile->eph;
    wvl_t2_build_precincts(plan, plan_tile, NULL, &sizes);
    tile->node_count = sizes.nodes;
    greatest->scratch_nodes = wvl_max_u64(greatest->scratch_nodes, sizes.scratch_nodes);
    greatest->header_bytes = wvl_max_u64(greatest->header_bytes, sizes.header_bytes);
    wvl_coder_carve_tile(plan, &carver, tile);
    tile->memory_bytes = carver.used;
}

static uint64_t packet_bytes_count(const wvl_plan *plan)
{
    return wvl_mul_saturate((uint64_t)plan->component_count * (plan->max_levels + 1u), plan->layer_count);
}

/* ---- Life ---------------------------------------------------------------------------------------------------------------------- */

wvl_status wvl_coder_init(wvl_coder *coder, const wvl_allocator *allocator, const wvl_plan *plan, wvl_pool *pool, const wvl_look *look,
                          void *worker_memory)
{
    memset(coder, 0, sizeof *coder);
    coder->plan = plan;
    coder->allocator = allocator;
    coder->pool = pool;
    coder->look = look;
    int has_stores = wvl_store_init(&coder->bytes, allocator) && wvl_store_init(&coder->passes, allocator);
    coder->block_coder = wvl_tile_block_coder(plan);
    coder->kernels = coder->block_coder->fetch_kernels();
    coder->depth_memory = wvl_alloc_zeroed(allocator, wvl_depth_memory_bytes(plan));
    wvl_depth_init(&coder->depth, plan, coder->depth_memory);
    coder->workers = wvl_pool_concurrency(pool);
    coder->worker_bytes = wvl_coder_worker_bytes(plan, 1);
    coder->borrows_workers = worker_memory != NULL;
    coder->worker_memory = worker_memory;
    atomic_store(&coder->slope_least, WVL_SLOPES);
    coder->writers = wvl_alloc_zeroed(allocator, coder->workers * sizeof *coder->writers);
    coder->tiles = wvl_alloc_zeroed(allocator, plan->tile_count * sizeof *coder->tiles);
    coder->layers = wvl_alloc_zeroed(allocator, plan->layer_count * sizeof *coder->layers);
    coder->packet_bytes = wvl_alloc_zeroed(allocator, wvl_mul_saturate(packet_bytes_count(plan), sizeof(uint64_t)));
    coder->component_overhead = wvl_alloc_zeroed(allocator, wvl_plan_cap_groups(plan) * sizeof(uint64_t));
    coder->bands = wvl_alloc(allocator, plan->wave_bands * sizeof *coder->bands);
    coder->group_order = wvl_alloc(allocator, 2 * plan->wave_groups * sizeof *coder->group_order);
    coder->parts = wvl_alloc(allocator, plan->part_count * sizeof *coder->parts);
    int has_tables = coder->depth_memory && coder->bands && coder->group_order && coder->parts && coder->writers && coder->tiles && coder->layers;
    return has_stores && has_tables && coder->packet_bytes && coder->component_overhead ? WVL_OK : WVL_ERROR_MEMORY;
}

void wvl_coder_drop_workers(wvl_coder *coder)
{
    if (!coder->borrows_workers) {
        wvl_free(coder->allocator, coder->worker_memory, coder->workers * coder->worker_bytes);
        coder->worker_memory = NULL;
    }
}

void wvl_coder_fini(wvl_coder *coder)
{
    const wvl_plan *plan = coder->plan;
    if (!plan) {
        return;
    }
    wvl_layers_fini(&coder->layer_job);
    for (uint32_t t = 0; coder->tiles && t < plan->tile_count; t++) {
        wvl_free(coder->allocator, coder->tiles[t].memory, coder->tiles[t].memory_bytes);
    }
    wvl_free(coder->allocator, coder->tiles, plan->tile_count * sizeof *coder->tiles);
    wvl_free(coder->allocator, coder->layers, plan->layer_count * sizeof *coder->layers);
    wvl_free(coder->allocator, coder->packet_bytes, packet_bytes_count(plan) * sizeof(uint64_t));
    wvl_free(coder->allocator, coder->component_overhead, wvl_plan_cap_groups(plan) * sizeof(uint64_t));
    wvl_free(coder->allocator, coder->depth_memory, wvl_depth_memory_bytes(plan));
    wvl_coder_drop_workers(coder);
    wvl_free(coder->allocator, coder->writers, coder->workers * sizeof *coder->writers);
    wvl_free(coder->allocator, coder->bands, plan->wave_bands * sizeof *coder->bands);
    wvl_free(coder->allocator, coder->group_order, 2 * plan->wave_groups * sizeof *coder->group_order);
    wvl_free(coder->allocator, coder->parts, plan->part_count * sizeof *coder->parts);
    wvl_rescale_close(&coder->rescale, coder->allocator);
    wvl_store_fini(&coder->bytes);
    wvl_store_fini(&coder->passes);
    memset(coder, 0, sizeof *coder);
}

/* ---- Block coding -------------------------------------------------------------------------------------------------------------- */

/* Hull of a block in work. */
typedef struct block_hull {
    wvl_hull *hull;
    const wvl_band_coding *band;
    int32_t gain_exponent;
    const _Atomic uint32_t *wanted; /* threshold of the rate group */
    uint32_t threshold;         /* what it was when the block was asked last; 0: all passes */
    uint32_t samples;
    int is_layered;
    uint32_t group;             /* rate group */
    wvl_depth_part *part;       /* where the block counts; NULL: nowhere */
    wvl_depth_part *survey;     /* the same */
    wvl_block_output *out;
    wvl_roi lift;
    wvl_rdoq_error error;       /* of what was quantised again */
    uint32_t most_passes;       /* there are no others */
} block_hull;

/* Brings the hull up to the passes coded so far. */
static void follow_passes(block_hull *b, const wvl_pass *passes, uint32_t count)
{
    if (!b->hull->pass_count) {
        wvl_block_output whole = *b->out;
        wvl_rdoq_add_error(&whole, b->error);
        int64_t energy = wvl_rate_weigh_energy(b->band, b->gain_exponent, whole.energy, whole.energy_shift);
        wvl_hull_init(b->hull, b->band, b->gain_exponent, b->out->planes, energy, b->samples);
        if (b->lift.kind != WVL_ROI_NONE) {
            wvl_hull_set_region(b->hull, b->lift.shift, b->lift.kind == WVL_ROI_PART);
        }
    }
    while (b->hull->pass_count < count) {
        wvl_hull_put_pass(b->hull, passes);
    }
}

static int wants_more(void *user, const wvl_pass *passes, uint32_t count)
{
    block_hull *b = user;
    b->threshold = atomic_load_explicit(b->wanted, memory_order_relaxed);
    if (!b->threshold) {
        return 1;
    }
    follow_passes(b, passes, count);
    return wvl_hull_is_open(b->hull, passes, b->threshold, b->is_layered);
}

/* Slopes fall along the hull. */
static void note_slopes(wvl_coder *coder, const uint16_t *slopes, uint32_t count)
{
    uint32_t least = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = most ? most : slopes[i];
        least = slopes[i] ? slopes[i] : least;
    }
    uint32_t known = atomic_load_explicit(&coder->slope_most, memory_order_relaxed);
    while (most > known && !atomic_compare_exchange_weak(&coder->slope_most, &known, most)) {
    }
    known = atomic_load_explicit(&coder->slope_least, memory_order_relaxed);
    while (least && least < known && !atomic_compare_exchange_weak(&coder->slope_least, &known, least)) {
    }
}

static int store_block(wvl_block_work *work, wvl_worker_scratch *w, block_hull *h, const wvl_block_output *out, wvl_coded_block *block)
{
    wvl_coder *coder = work->coder;
    int rate_control = coder->plan->rate_control;
    uint32_t weight = block->weight;
    uint16_t end_slope = block->end_slope;
    uint8_t is_changed = block->is_changed;
    memset(block, 0, sizeof *block);
    block->is_changed = is_changed;
    block->end_slope = end_slope;
    block->weight = weight;
    block->planes = (uint8_t)out->planes;
    block->pass_count = (uint16_t)out->pass_count;
    block->bytes = out->length;
    block->energy = out->energy;
    block->energy_shift = out->energy_shift;
    if (!out->pass_count) {
        return 1;
    }
    block->bytes_at = wvl_store_reserve(&coder->bytes, &w->writers[0], out->length);
    block->passes_at = wvl_store_reserve(&coder->passes, &w->writers[1], wvl_block_record_bytes(out->pass_count, rate_control));
    if (block->bytes_at == UINT64_MAX || block->passes_at == UINT64_MAX) {
        return 0;
    }
    memcpy(wvl_store_at(&coder->bytes, block->bytes_at), out->bytes, out->length);
    memcpy(wvl_store_at(&coder->passes, block->passes_at), out->passes, out->pass_count * sizeof *out->passes);
    if (rate_control) {
        uint16_t *slopes = wvl_block_slopes(&coder->passes, block);
        wvl_hull_fetch(h->hull, slopes, wvl_block_gains(&coder->passes, block));
        note_slopes(coder, slopes, block->pass_count);
        block->decided = (uint16_t)(out->pass_count + 2 < 3 * out->planes && out->pass_count < h->most_passes ? h->threshold : 0);
    }
    return 1;
}

wvl_block_input wvl_survey_describe_block(const wvl_block_work *work, const wvl_work_band *wb, uint32_t index)
{
    const wvl_coefs *coefs = &work->coefs[wb->tile];
    const wvl_tile_band *band = &coefs->tile->bands[wb->band];
    const wvl_coding *coding = &work->coder->plan->codings[work->coefs[wb->tile].tile->components[wb->component].coding];
    wvl_rect rect = wvl_geom_block_rect(band, index % band->block_cols, index / band->block_cols);
    wvl_block_input in = {0};
    in.coefs = coefs->samples + wvl_coef_slot(band, index);
    in.stride = band->slot_width;
    in.width = (uint16_t)wvl_rect_width(rect);
    in.height = (uint16_t)wvl_rect_height(rect);
    in.coef_bytes = band->coef_bytes;
    in.frac_bits = band->frac_bits;
    in.orient = band->orient;
    in.style = coding->style;
    in.reversible = coding->reversible;
    in.want_gains = work->coder->plan->rate_control;
    in.max_passes = 255;
    in.all_sets = work->coder->plan->all_sets;
    in.set_passes = work->coder->plan->ht_passes;
    in.kernels = work->coder->kernels;
    in.bound = coefs->bounds[band->first_block + index];
    return in;
}

static void note_depth(wvl_block_work *work, const block_hull *h, const wvl_coded_block *block)
{
    _Atomic uint32_t *most = &work->coder->decided[h->group];
    uint32_t decided = atomic_load_explicit(most, memory_order_relaxed);
    while (block->decided > decided && !atomic_compare_exchange_weak(most, &decided, block->decided)) {
    }
    if (h->part) {
        wvl_depth_put_block(h->part, block->pass_count ? h->hull : NULL, h->samples);
    }
    if (h->survey) {
        wvl_depth_put_block(h->survey, block->pass_count ? h->hull : NULL, block->weight);
    }
}

/* How far below the expected thresholds blocks are coded: less is known early and of few groups, so more is coded. */
uint32_t wvl_survey_find_margin(const wvl_block_work *work, unsigned phase)
{
    static const uint32_t margins[WVL_WORK_PHASES + 1] = {256, 256, 160, 96, 48, 48, 20};
    uint32_t few = work->list.group_count < WVL_SURVEY_FEW_GROUPS ? (uint32_t)(WVL_SURVEY_FEW_GROUPS - work->list.group_count) / 4 : 0;
    return margins[phase] + few + wvl_rate_reach(work->coder->plan);
}

static void choose_thresholds(const wvl_block_work *work, unsigned phase, uint32_t *thresholds)
{
    wvl_depth_fetch_thresholds(&work->coder->depth, wvl_survey_find_margin(work, phase), thresholds);
}

static void store_thresholds(wvl_block_work *work, const uint32_t *thresholds)
{
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        atomic_store_explicit(&work->thresholds[g], thresholds[g], memory_order_relaxed);
    }
}

/* What is known from complete blocks goes to all that are in work or to come. */
static void set_thresholds(wvl_block_work *work, unsigned phase)
{
    uint32_t thresholds[WVL_RATE_GROUPS] = {0};
    choose_thresholds(work, phase, thresholds);
    store_thresholds(work, thresholds);
}

static void note_complete(wvl_block_work *work)
{
    uint64_t complete = atomic_fetch_add_explicit(&work->complete, 1, memory_order_relaxed) + 1;
    unsigned phase = atomic_load_explicit(&work->phase, memory_order_relaxed);
    if (!work->is_survey && phase + 1 < WVL_WORK_PHASES && complete >= wvl_work_blocks_until(&work->list, phase) && atomic_compare_exchange_strong(&work->phase, &phase, phase + 1)) {
        set_thresholds(work, phase + 1);
    }
}

static int keep_block(wvl_block_work *work, wvl_worker_scratch *w, block_hull *h, wvl_coded_block *block)
{
    wvl_roi_settle_gains(&h->lift, h->out);
    if (h->out->pass_count && work->coder->plan->rate_control) {
        follow_passes(h, h->out->passes, h->out->pass_count);
    }
    wvl_rdoq_add_error(h->out, h->error);
    int is_stored = store_block(work, w, h, h->out, block);
    if (is_stored) {
        unsigned lifted = h->lift.kind == WVL_ROI_PART ? h->lift.shift : 0;
        block->lift = (uint8_t)lifted;
        block->zero_planes = (uint8_t)(h->band->planes + lifted - h->out->planes + (h->lift.kind == WVL_ROI_NONE ? h->lift.shift : 0));
        note_depth(work, h, block);
        if (work->list.is_phased) {
            note_complete(work);
        }
    }
    return is_stored;
}

/* A worker's blocks: those of group after group, while there are groups. */
typedef struct block_stream {
    wvl_block_work *work;
    wvl_worker_scratch w;
    const wvl_work_band *wb;
    uint32_t block, end;  /* in the band */
    uint32_t until_tick;  /* groups; 0: this thread tells of no progress */
    uint32_t group;       /* rate group of the band */
    wvl_depth_part *part; /* where its blocks count; NULL: nowhere */
    wvl_depth_part *survey; /* the same */
    wvl_coded_block *blocks[WVL_BLOCK_SLOTS];
    block_hull hulls[WVL_BLOCK_SLOTS];
} block_stream;

static int fetch_group(block_stream *s)
{
    wvl_block_work *work = s->work;
    const wvl_coder *coder = work->coder;
    if (atomic_load_explicit(&work->failed, memory_order_relaxed)) {
        return 0;
    }
    uint64_t index = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
    if (index >= work->run_groups) {
        return 0;
    }
    if (s->until_tick && --s->until_tick == 0) {
        coder->tick(coder->tick_user, work->done + index, work->list.group_count);
        s->until_tick = TICK_GROUPS;
    }
    uint64_t group = wvl_work_find_group(&work->list, work->base + index);
    s->wb = wvl_work_find_band(&work->list, group);
    const wvl_tile_band *band = &work->coefs[s->wb->tile].tile->bands[s->wb->band];
    uint64_t first = (group - s->wb->first) * s->wb->blocks_per_group;
    s->group = wvl_tile_rate_group(coder->plan, work->coefs[s->wb->tile].tile, s->wb->component, s->wb->band);
    s->part = work->list.is_phased ? wvl_depth_part_of(&work->coder->depth, s->group, band) : NULL;
    s->survey = work->is_survey ? wvl_depth_survey_of(&work->coder->depth, s->group, band) : NULL;
    s->block = (uint32_t)first;
    s->end = (uint32_t)wvl_min_u64(first + s->wb->blocks_per_group, (uint64_t)band->block_cols * band->block_rows);
    return 1;
}

static int is_stale(const wvl_block_work *work, const wvl_coded_block *block, uint32_t group)
{
    uint32_t is = block->end_slope, should = work->slopes[group];
    return work->sets_slopes && (is > should ? is - should : should - is) > work->stale;
}

static int open_slot(block_stream *s, unsigned slot, uint32_t index, wvl_block_input *in, wvl_block_output *out)
{
    wvl_block_work *work = s->work;
    const wvl_plan *plan = work->coder->plan;
    const wvl_tile_plan *tile = work->coefs[s->wb->tile].tile;
    const wvl_tile_band *band = &tile->bands[s->wb->band];
    const wvl_coding *coding = &plan->codings[tile->components[s->wb->component].coding];
    *in = wvl_survey_describe_block(work, s->wb, index);
    if (wvl_bit_length(in->bound >> in->frac_bits) > band->planes) {
        atomic_store(&work->failed, 2); /* a magnitude bound was broken */
        return 0;
    }
    s->blocks[slot] = &work->tiles[s->wb->tile].blocks[band->first_block + index];
    s->hulls[slot] = (block_hull){&s->w.hulls[slot], &coding->band[band->coding_band], plan->gain_exponent, &work->thresholds[s->group], 0,
                                  (uint32_t)in->width * in->height, plan->layer_count > 1, s->group, s->part, s->survey, out, {0}, {0, 0}, 255};
    wvl_roi_block(plan, tile, s->wb->component, band, index, in, s->w.copies[slot], &s->hulls[slot].lift);
    s->hulls[slot].hull->pass_count = 0;
    wvl_rescale_block(&work->coder->rescale, tile->components[s->wb->component].coding, band->coding_band, s->w.rdoq[slot].samples, in);
    if (plan->rdoq) {
        wvl_coded_block *block = s->blocks[slot];
        block->end_slope = work->sets_slopes && (!work->is_again || is_stale(work, block, s->group)) ? (uint16_t)work->slopes[s->group] : block->end_slope;
        s->hulls[slot].error = wvl_rdoq_change(&s->w.rdoq[slot], in, s->hulls[slot].band, block->end_slope);
        block->is_changed = in->coefs == s->w.rdoq[slot].samples || in->max_passes < 255;
    }
    in->wants_more = wants_more;
    in->wants_user = &s->hulls[slot];
    s->hulls[slot].most_passes = in->max_passes;
    *out = (wvl_block_output){.bytes = s->w.bytes[slot], .passes = s->w.passes[slot]};
    return 1;
}

/* All blocks the first time, then those that were left too early, and stale ones. */
static int is_wanted(const wvl_block_work *work, const wvl_coded_block *block, uint32_t group)
{
    return !work->is_again || block->decided > work->wanted[group] || is_stale(work, block, group);
}

static int fetch_block(void *user, unsigned slot, wvl_block_input *in, wvl_block_output *out)
{
    block_stream *s = user;
    const wvl_block_work *work = s->work;
    for (;;) {
        if (s->block == s->end && !fetch_group(s)) {
            return 0;
        }
        uint32_t index = s->block++;
        if (wvl_look_after(work->coder->look, WVL_LOOK_CODE, 1)) {
            return 0;
        }
        const wvl_tile_band *band = &work->coefs[s->wb->tile].tile->bands[s->wb->band];
        if (is_wanted(work, &work->tiles[s->wb->tile].blocks[band->first_block + index], s->group)) {
            return open_slot(s, slot, index, in, out);
        }
    }
}

static int put_block(void *user, unsigned slot)
{
    block_stream *s = user;
    int expected = 0;
    if (keep_block(s->work, &s->w, &s->hulls[slot], s->blocks[slot])) {
        return 1;
    }
    atomic_compare_exchange_strong(&s->work->failed, &expected, 1);
    return 0;
}

static void call_beside(wvl_coder *coder)
{
    void (*beside)(void *user) = coder->beside;
    coder->beside = NULL;
    if (beside) {
        beside(coder->beside_user);
    }
}

static void code_stream(void *arg, uint32_t index, uint32_t worker)
{
    wvl_block_work *work = arg;
    wvl_coder *coder = work->coder;
    wvl_carver carver = {coder->worker_memory + worker * coder->worker_bytes, 0};
    int tells = worker == 0 && coder->tick && wvl_pool_uses_caller(coder->pool);
    block_stream s = {.work = work, .until_tick = tells ? TICK_GROUPS : 0};
    (void)index;
    wvl_worker_carve(coder->plan, &carver, &s.w);
    s.w.writers = coder->writers[worker].of;
    if (worker == 0 && wvl_pool_uses_caller(coder->pool)) {
        call_beside(coder);
    }
    wvl_range_open("wavelane blocks");
    coder->block_coder->encode_stream(s.w.coder, coder->kernels, &(wvl_block_feed){&s, fetch_block, put_block, s.w.coder_bytes});
    wvl_range_close();
}

static wvl_status open_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count)
{
    for (uint32_t i = 0; i < tile_count; i++) {
        wvl_coded_tile *tile = &coder->tiles[coefs[i].tile->index];
        wvl_t2_sizes sizes;
        size_tile(coder->plan, coefs[i].tile, tile, &coder->sizes);
        tile->memory = wvl_alloc_zeroed(coder->allocator, tile->memory_bytes);
        if (!tile->memory) {
            return WVL_ERROR_MEMORY;
        }
        wvl_carver carver = {tile->memory, 0};
        wvl_coder_carve_tile(coder->plan, &carver, tile);
        wvl_t2_build_precincts(coder->plan, coefs[i].tile, tile->precincts, &sizes);
    }
    return WVL_OK;
}

void wvl_survey_code_groups(wvl_block_work *work, uint64_t first, uint64_t end)
{
    wvl_coder *coder = work->coder;
    uint64_t count = work->list.group_count, step = UINT32_MAX;
    if (!wvl_pool_uses_caller(coder->pool)) {
        step = wvl_min_u64(step, wvl_max_u64(256 * coder->workers, count / 32 + 1)); /* progress without idle workers */
        call_beside(coder);
    }
    for (work->base = first; work->base < end; work->base += step) {
        work->run_groups = wvl_min_u64(end - work->base, step);
        atomic_store(&work->next, 0);
        wvl_pool_run_ranked(coder->pool, coder->rank, (uint32_t)wvl_min_u64(coder->workers, work->run_groups), code_stream, work);
        work->done += work->run_groups;
        if (coder->tick) {
            coder->tick(coder->tick_user, wvl_min_u64(work->done, count), count);
        }
    }
}

/* What was left too early for what is known now. */
static void code_rest(wvl_block_work *work)
{
    wvl_coder *coder = work->coder;
    choose_thresholds(work, WVL_WORK_PHASES, work->wanted);
    store_thresholds(work, work->wanted);
    work->list.is_phased = 0;
    for (unsigned g = 0; g < coder->depth.groups; g++) {
        if (atomic_load(&coder->decided[g]) > work->wanted[g]) {
            work->is_again = 1;
            atomic_store(&coder->decided[g], work->wanted[g]);
        }
    }
    work->is_again |= work->stale < UINT32_MAX;
    if (work->is_again) {
        wvl_survey_code_groups(work, 0, work->list.group_count);
    }
}

static void code_phases(wvl_block_work *work)
{
    uint64_t first = work->coder->plan->rdoq ? wvl_survey_wave(work) : 0;
    atomic_store(&work->phase, first ? WVL_SURVEY_PHASES : 0);
    set_thresholds(work, first ? WVL_SURVEY_PHASES : 0);
    wvl_survey_code_groups(work, first, work->list.group_count);
    code_rest(work);
}

wvl_status wvl_coder_code_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count)
{
    wvl_status status = coder->wants_again ? WVL_OK : open_tiles(coder, coefs, tile_count);
    if (!coder->worker_memory) {
        coder->worker_memory = wvl_alloc(coder->allocator, coder->workers * coder->worker_bytes); /* first touched by its worker */
        status = coder->worker_memory ? status : WVL_ERROR_MEMORY;
    }
    if (status != WVL_OK || !tile_count) {
        return status;
    }
    wvl_block_work work = {.coder = coder, .coefs = coefs, .tiles = &coder->tiles[coefs[0].tile->index], .stale = UINT32_MAX,
                       .is_again = coder->wants_again && !coder->is_redone && !coder->is_rescaling};
    memcpy(work.wanted, coder->wanted, sizeof work.wanted);
    wvl_work_build(&work.list, coder->plan, coefs, tile_count, coder->bands, coder->depth.is_enabled && !coder->wants_again ? &coder->depth : NULL);
    work.list.weights = coder->group_order;
    work.list.order = coder->group_order + coder->plan->wave_groups;
    store_thresholds(&work, coder->thresholds);
    if (work.list.is_phased) {
        code_phases(&work);
    } else {
        wvl_survey_code_groups(&work, 0, work.list.group_count);
    }
    int failed = atomic_load(&work.failed);
    if (failed == 2) {
        (void)snprintf(coder->problem, sizeof coder->problem, "a coefficient exceeds its proved bound");
        return WVL_ERROR_INTERNAL;
    }
    if (wvl_look_is_over(coder->look)) {
        return WVL_CANCELLED;
    }
    return failed ? WVL_ERROR_MEMORY : WVL_OK;
}
