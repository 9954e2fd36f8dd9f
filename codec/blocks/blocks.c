/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/blocks.h"

#include "base/alloc.h"
#include "base/try.h"

static uint64_t measure_work(const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    wvl_work_memory unused;
    wvl_work_carve(plan, &carver, &unused);
    return carver.used;
}

uint64_t wvl_blocks_base_bytes(const wvl_plan *plan, uint32_t concurrency)
{
    return wvl_alloc_size(concurrency * sizeof(wvl_keep_writer)) + wvl_alloc_size(wvl_depth_memory_bytes(plan)) +
           wvl_alloc_size(measure_work(plan));
}

int wvl_blocks_init(wvl_blocks *b, const wvl_allocator *allocator, const wvl_plan *plan, wvl_coded_tile *tiles)
{
    wvl_keeper *k = &b->keeper;
    b->allocator = allocator;
    int has_stores = wvl_keeper_open(k, allocator);
    b->depth_bytes = wvl_depth_memory_bytes(plan);
    b->depth_memory = wvl_alloc_zeroed(allocator, b->depth_bytes);
    wvl_depth_init(&b->depth, plan, b->depth_memory);
    b->work_bytes = measure_work(plan);
    b->work_memory = wvl_alloc(allocator, b->work_bytes);
    wvl_carver carver = {b->work_memory, 0};
    wvl_work_carve(plan, &carver, &b->work);
    k->tiles = tiles;
    k->writer_count = b->pool.workers;
    k->writers = wvl_alloc_zeroed(allocator, k->writer_count * sizeof *k->writers);
    k->has_gains = plan->rate.rate_control;
    k->depth = &b->depth;
    b->source = wvl_pool_source_of(&b->pool);
    return has_stores && b->depth_memory && b->work_memory && k->writers;
}

void wvl_blocks_fini(wvl_blocks *b)
{
    wvl_keeper_close(&b->keeper);
    wvl_free(b->allocator, b->keeper.writers, b->keeper.writer_count * sizeof *b->keeper.writers);
    wvl_free(b->allocator, b->depth_memory, b->depth_bytes);
    wvl_free(b->allocator, b->work_memory, b->work_bytes);
    wvl_pool_source_drop(&b->pool);
}

/* ---- A wave at work -------------------------------------------------------------------------- */

typedef struct block_wave {
    wvl_blocks *blocks;
    const wvl_plan *plan;
    wvl_work_list list;
    wvl_block_order order;  /* ranges and thresholds are set for every order */
    _Atomic unsigned phase; /* of the list, as far as complete blocks show */
} block_wave;

/* How far below the expected thresholds blocks are coded: early, and where there are few blocks, less is known, so more
 * is coded. */
static uint32_t find_margin(const block_wave *w, unsigned phase)
{
    return wvl_survey_find_margin(phase, w->list.range_count, wvl_rate_reach(w->plan));
}

/* Thresholds for blocks that are coded from now on, those at work included. From any thread. */
static void put_thresholds(block_wave *w, const uint32_t *thresholds)
{
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        atomic_store_explicit(&w->blocks->keeper.thresholds[g], thresholds[g], memory_order_relaxed);
    }
}

/* Orders the ranges [first, end) of the list. */
static wvl_status code_ranges(block_wave *w, uint64_t first, uint64_t end)
{
    wvl_blocks *b = w->blocks;
    w->order.ranges = w->list.memory.ranges + first;
    w->order.range_count = end - first;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        w->order.thresholds[g] = atomic_load_explicit(&b->keeper.thresholds[g], memory_order_relaxed);
    }
    wvl_status status = b->source.code(b->source.self, &w->order, &b->keeper);
    b->problem = status == WVL_ERROR_INTERNAL
                     ? "a coefficient exceeds its proved bound: a defect of the library, please report it"
                     : NULL;
    return status;
}

/* Weighs the blocks of the first `ranges` ranges at order.slopes. */
static wvl_status weigh_ranges(block_wave *w, uint64_t ranges)
{
    wvl_blocks *b = w->blocks;
    uint32_t *weights = w->list.memory.weights;
    w->order.ranges = w->list.memory.ranges;
    w->order.range_count = ranges;
    wvl_status status = b->source.weigh(b->source.self, &w->order, &b->keeper, weights);
    for (uint64_t i = 0; i < ranges && status == WVL_OK; i++) {
        const wvl_block_range *range = &w->list.memory.ranges[i];
        wvl_depth_weigh(wvl_depth_survey_of(&b->depth, range->rate_group, range->is_fine), weights[i],
                        wvl_work_count_samples(&w->list, range));
    }
    return status;
}

/* ---- Survey: slopes before the rest ---------------------------------------------------------- */

/* Slopes of the blocks to come, from those surveyed. */
static void choose_slopes(block_wave *w, uint32_t margin, int is_damped)
{
    const wvl_depth *depth = &w->blocks->depth;
    const uint32_t *floors = w->blocks->survey.floors;
    uint32_t before[WVL_RATE_GROUPS], *slopes = w->order.slopes;
    memcpy(before, slopes, sizeof before);
    wvl_depth_fetch_slopes(depth, floors, slopes);
    for (unsigned g = 0; g < depth->groups; g++) {
        slopes[g] = wvl_survey_choose_slope(slopes[g], before[g], floors[g], margin, is_damped);
    }
}

/* Codes ranges up to the end of the phase. Depths follow from slopes alone, so that what these blocks show is the same
 * everywhere. */
static wvl_status code_phase(block_wave *w, unsigned phase, uint64_t first)
{
    const wvl_depth *depth = &w->blocks->depth;
    uint32_t margin = find_margin(w, phase), thresholds[WVL_RATE_GROUPS] = {0}, *floors = w->blocks->survey.floors;
    for (unsigned g = 0; g < depth->groups; g++) {
        uint32_t threshold = wvl_survey_find_depth(w->order.slopes[g], margin);
        floors[g] = wvl_max_u32(floors[g], threshold);
        thresholds[g] = depth->is_full ? 0 : threshold;
    }
    put_thresholds(w, thresholds);
    return code_ranges(w, first, w->list.ends[phase]);
}

/* Codes phases that show slopes, and leaves these in the order. *coded: ranges that are coded then. */
static wvl_status survey_wave(block_wave *w, uint64_t *coded)
{
    wvl_survey *survey = &w->blocks->survey;
    wvl_status status = WVL_OK;
    w->order.sets_slopes = 1;
    w->order.stale = w->list.range_count < WVL_SURVEY_FEW_RANGES
                         ? WVL_SURVEY_STALE
                         : UINT32_MAX; /* with few blocks, early ones were quantised for poor estimates */
    *coded = 0;
    if (w->blocks->depth.known) {
        wvl_depth_fetch_slopes(&w->blocks->depth, survey->floors, w->order.slopes);
        return WVL_OK;
    }
    memcpy(w->order.slopes, survey->slopes, sizeof w->order.slopes);
    if (!survey->is_begun) {
        /* About the slopes at which the picture ends, by weight alone: where the weight of the first phases' blocks is
         * that of the budget. */
        wvl_depth *depth = &w->blocks->depth;
        uint32_t slope = WVL_SURVEY_LEAST_GUESS;
        status = WVL_OK;
        for (uint32_t step = WVL_SURVEY_FIRST_STEP; step >= WVL_SURVEY_LAST_STEP && status == WVL_OK; step /= 2) {
            for (unsigned g = 0; g < depth->groups; g++) {
                w->order.slopes[g] = slope + step;
            }
            status = weigh_ranges(w, w->list.ends[1]);
            slope += wvl_depth_is_heavy(depth) ? step : 0;
            wvl_depth_clear_survey(depth);
        }
        for (unsigned g = 0; g < depth->groups; g++) {
            w->order.slopes[g] = slope;
        }
    }
    survey->is_begun = 1;
    TRY(status, weigh_ranges(w, w->list.range_count));
    if (status != WVL_OK) {
        return status;
    }
    wvl_work_sort(&w->list);
    status = WVL_OK;
    w->blocks->keeper.feeds_survey = 1;
    for (unsigned phase = 0; phase < WVL_SURVEY_PHASES && status == WVL_OK; phase++) {
        status = code_phase(w, phase, phase ? w->list.ends[phase - 1] : 0);
        choose_slopes(w, find_margin(w, phase), wvl_survey_is_damped(phase));
    }
    w->blocks->keeper.feeds_survey = 0;
    memcpy(survey->slopes, w->order.slopes, sizeof survey->slopes);
    *coded = w->list.ends[WVL_SURVEY_PHASES - 1];
    return status;
}

/* ---- Phases: what is ordered of a wave, and in which order ----------------------------------- */

static void choose_thresholds(const block_wave *w, unsigned phase, uint32_t *thresholds)
{
    wvl_depth_fetch_thresholds(&w->blocks->depth, find_margin(w, phase), thresholds);
}

/* What is known from complete blocks goes to all that are at work or to come. */
static void set_thresholds(block_wave *w, unsigned phase)
{
    uint32_t thresholds[WVL_RATE_GROUPS] = {0};
    choose_thresholds(w, phase, thresholds);
    put_thresholds(w, thresholds);
}

static void advance(void *user, uint64_t complete)
{
    block_wave *w = user;
    unsigned phase = atomic_load_explicit(&w->phase, memory_order_relaxed);
    if (phase + 1 < WVL_WORK_PHASES && complete >= wvl_work_blocks_until(&w->list, phase) &&
        atomic_compare_exchange_strong(&w->phase, &phase, phase + 1)) {
        set_thresholds(w, phase + 1);
    }
}

/* Ranges from `first` on, the first of this phase. Thresholds follow what complete blocks show, while they are coded or
 * between orders. */
static wvl_status code_on(block_wave *w, uint64_t first, unsigned phase)
{
    wvl_keeper *k = &w->blocks->keeper;
    wvl_status status = WVL_OK;
    atomic_store(&w->phase, phase);
    set_thresholds(w, phase);
    for (; w->blocks->source.takes_snapshots && phase + 1 < WVL_WORK_PHASES && status == WVL_OK; phase++) {
        status = code_ranges(w, first, w->list.ends[phase]);
        first = w->list.ends[phase];
        set_thresholds(w, phase + 1);
    }
    if (status != WVL_OK) {
        return status;
    }
    k->advance = w->blocks->source.takes_snapshots ? NULL : advance;
    k->advance_user = w;
    status = code_ranges(w, first, w->list.range_count);
    k->advance = NULL;
    return status;
}

/* Codes what was left too early for what is known now, and what was quantised for other slopes than those known now. */
static wvl_status code_rest(block_wave *w)
{
    wvl_keeper *k = &w->blocks->keeper;
    int is_needed = w->order.stale < UINT32_MAX;
    choose_thresholds(w, WVL_WORK_PHASES, w->order.wanted);
    put_thresholds(w, w->order.wanted);
    k->feeds_depth = 0;
    for (unsigned g = 0; g < w->blocks->depth.groups; g++) {
        if (atomic_load(&k->decided[g]) > w->order.wanted[g]) {
            is_needed = 1;
            atomic_store(&k->decided[g], w->order.wanted[g]);
        }
    }
    w->order.which = WVL_BLOCKS_OPEN;
    return is_needed ? code_ranges(w, 0, w->list.range_count) : WVL_OK;
}

static wvl_status code_phases(block_wave *w)
{
    uint64_t first = 0;
    wvl_status status = w->plan->rate.rdoq ? survey_wave(w, &first) : WVL_OK;
    TRY(status, code_on(w, first, first ? WVL_SURVEY_PHASES : 0));
    return status == WVL_OK ? code_rest(w) : status;
}

wvl_status wvl_blocks_code_wave(wvl_blocks *b, const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tile_count,
                                const wvl_block_order *order, int is_first)
{
    int is_phased = is_first && b->depth.is_enabled;
    block_wave wave = {.blocks = b, .plan = plan, .order = *order};
    wvl_work_build(&wave.list, &b->work, plan, coefs, tile_count, is_phased ? &b->depth : NULL);
    b->keeper.coefs = coefs;
    b->keeper.feeds_depth = is_phased;
    b->keeper.feeds_survey = 0;
    atomic_store(&b->keeper.complete, 0);
    put_thresholds(&wave, order->thresholds);
    wvl_pool_source_take_wave(&b->pool, plan, coefs, wave.list.range_count);
    return is_phased ? code_phases(&wave) : code_ranges(&wave, 0, wave.list.range_count);
}
