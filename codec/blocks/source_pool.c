/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/source_pool.h"

#include "base/ranges.h"
#include "codec/blocks/roi.h"
#include "codec/ht/ht.h"
#include "codec/rate/rdoq.h"
#include "codec/rate/rescale.h"
#include "codec/t1/t1.h"

#define TICK_RANGES 64u /* of a worker, between two reports of progress */

/* ---- Which block coder ----------------------------------------------------------------------- */

const wvl_block_coder *wvl_blocks_choose_coder(const wvl_plan *plan)
{
    return plan->syntax.codings[0].style & WVL_STYLE_HT ? &wvl_ht_block_coder : &wvl_t1_block_coder;
}

uint64_t wvl_blocks_bound_bytes(const wvl_plan *plan, uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    const wvl_block_coder *coder = wvl_blocks_choose_coder(plan);
    uint64_t bytes = coder->bytes_bound(width, height, planes, style);
    for (uint32_t n = 1; plan->test.all_sets && n < planes; n++) {
        bytes += coder->bytes_bound(width, height, n, style);
    }
    return bytes;
}

/* ---- Memory of a worker ---------------------------------------------------------------------- */

/* Room for as many blocks as are in work, no larger than the plan's largest block asks for. Contents irrelevant between
 * calls. */
typedef struct block_scratch {
    void *coder; /* the block coder's */
    size_t coder_bytes;
    uint8_t *bytes[WVL_BLOCK_SEATS]; /* codewords */
    wvl_pass *passes[WVL_BLOCK_SEATS];
    wvl_hull *hulls;                   /* [WVL_BLOCK_SEATS] */
    uint32_t *copies[WVL_BLOCK_SEATS]; /* of blocks that lie in a region in part */
    wvl_rdoq rdoq[WVL_BLOCK_SEATS];    /* with plan->rate.rdoq; samples alone where blocks are rescaled */
} block_scratch;

/* The sizes of the largest block. */
typedef struct worker_sizes {
    unsigned planes;
    size_t coder_bytes, block_bytes;
    uint32_t samples, cells; /* of rdoq */
    size_t sample_bytes;
} worker_sizes;

static worker_sizes measure_blocks(const wvl_plan *plan)
{
    worker_sizes s = {.planes = wvl_roi_find_planes(plan)};
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        const wvl_coding *coding = &plan->syntax.codings[i];
        uint32_t width = UINT32_C(1) << coding->xcb, height = UINT32_C(1) << coding->ycb;
        s.coder_bytes =
            wvl_max_u64(s.coder_bytes, wvl_blocks_choose_coder(plan)->scratch_bytes(width, height, s.planes));
        s.block_bytes =
            wvl_max_u64(s.block_bytes, wvl_blocks_bound_bytes(plan, width, height, s.planes, coding->style));
        s.samples = wvl_max_u32(s.samples, width * height);
        s.cells = wvl_max_u32(s.cells, wvl_rdoq_area(width, height));
        for (unsigned b = 0; b < 3u * coding->levels + 1u; b++) {
            s.sample_bytes = wvl_max_u64(s.sample_bytes, coding->band[b].coef_bytes);
        }
    }
    return s;
}

static void carve_scratch(const wvl_plan *plan, wvl_carver *carver, block_scratch *scratch)
{
    const wvl_block_coder *coder = wvl_blocks_choose_coder(plan);
    worker_sizes s = measure_blocks(plan);
    scratch->coder_bytes = s.coder_bytes;
    scratch->coder = wvl_carve(carver, 1, s.coder_bytes);
    for (unsigned i = 0; i < coder->seats; i++) {
        scratch->bytes[i] = wvl_carve(carver, 1, s.block_bytes);
        scratch->passes[i] = wvl_carve(carver, coder->passes_bound(s.planes), sizeof *scratch->passes[i]);
        scratch->copies[i] = wvl_carve(carver, wvl_roi_count_samples(plan), sizeof *scratch->copies[i]);
    }
    scratch->hulls = wvl_carve(carver, coder->seats, sizeof *scratch->hulls);
    uint8_t *levels = wvl_carve(carver, plan->rate.rdoq ? s.cells : 0, sizeof *levels); /* of one block at a time */
    int8_t *fractions = wvl_carve(carver, plan->rate.rdoq ? s.cells : 0, sizeof *fractions);
    uint64_t copy_bytes = plan->rate.rdoq
                              ? s.samples * s.sample_bytes + 64
                              : wvl_rescale_samples(plan) * sizeof(uint32_t); /* not in the same sets of the cache */
    for (unsigned i = 0; i < coder->seats; i++) {
        scratch->rdoq[i] = (wvl_rdoq){wvl_rdoq_fetch_kernels(), wvl_carve(carver, copy_bytes, 1), levels, fractions,
                                      wvl_rate_reach(plan) < 65536};
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static uint64_t measure_worker(const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    block_scratch unused;
    carve_scratch(plan, &carver, &unused);
    return carver.used;
}

uint64_t wvl_pool_source_bytes(const wvl_plan *plan, uint32_t concurrency)
{
    return wvl_mul_saturate(concurrency, measure_worker(plan));
}

void wvl_pool_source_open(wvl_pool_source *s, const wvl_allocator *allocator, const wvl_plan *plan, wvl_pool *pool,
                          uint64_t rank, const wvl_look *look, void *memory)
{
    memset(s, 0, sizeof *s);
    s->allocator = allocator;
    s->pool = pool;
    s->rank = rank;
    s->workers = wvl_pool_concurrency(pool);
    s->look = look;
    s->coder = wvl_blocks_choose_coder(plan);
    s->kernels = s->coder->fetch_kernels();
    s->worker_bytes = measure_worker(plan);
    s->borrows_memory = memory != NULL;
    s->memory = memory;
}

void wvl_pool_source_take_wave(wvl_pool_source *s, const wvl_plan *plan, const wvl_coefs *coefs, uint64_t ranges)
{
    s->plan = plan;
    s->coefs = coefs;
    s->ranges_done = 0;
    s->ranges = ranges;
}

static int hold_memory(wvl_pool_source *s)
{
    if (!s->memory) {
        s->memory = wvl_alloc(s->allocator, s->workers * s->worker_bytes); /* first touched by its worker */
    }
    return s->memory != NULL;
}

void wvl_pool_source_drop(wvl_pool_source *s)
{
    if (!s->borrows_memory) {
        wvl_free(s->allocator, s->memory, s->workers * s->worker_bytes);
        s->memory = NULL;
    }
}

/* ---- An order at work ------------------------------------------------------------------------ */

typedef struct order_work {
    wvl_pool_source *source;
    const wvl_block_order *order;
    wvl_keeper *keeper;
    uint32_t *weights;     /* of weigh */
    uint64_t first, end;   /* ranges that are handed out */
    _Atomic uint64_t next; /* of them, from 0 */
    _Atomic int failed;    /* a wvl_status; 0: none */
} order_work;

static void fail(order_work *work, wvl_status status)
{
    int expected = WVL_OK;
    atomic_compare_exchange_strong(&work->failed, &expected, status);
}

/* A block in the works of a worker. */
typedef struct block_seat {
    wvl_hull *hull;
    const wvl_band_coding *band;
    wvl_roi lift;
    wvl_rdoq_error error;           /* that rdoq made */
    int is_changed;                 /* samples are others, or passes at the end are no candidates (rdoq) */
    const _Atomic uint32_t *wanted; /* threshold of the rate group */
    uint32_t threshold;             /* what it was when the block was asked last; 0: all passes */
    uint32_t samples;
    int32_t gain_exponent;
    int is_layered;
    uint32_t most_passes; /* there are no others */
    const wvl_block_range *range;
    uint32_t block;
    uint16_t end_slope;
    wvl_block_output *out;
} block_seat;

/* A worker's blocks: those of range after range, while there are ranges. */
typedef struct block_stream {
    order_work *work;
    uint32_t worker;
    block_scratch scratch;
    const wvl_block_range *range;
    uint32_t block, end; /* in the band */
    uint32_t until_tick; /* ranges; 0: this thread does not report progress */
    block_seat seats[WVL_BLOCK_SEATS];
} block_stream;

/* Brings the hull up to the passes coded so far. */
static void follow_passes(block_seat *b, const wvl_pass *passes, uint32_t count)
{
    if (!b->hull->line.pass_count) {
        wvl_block_output whole = *b->out;
        wvl_rdoq_add_error(&whole, b->error);
        int64_t energy = wvl_rate_weigh_energy(b->band, b->gain_exponent, whole.energy, whole.energy_shift);
        wvl_hull_init(b->hull, b->band, b->gain_exponent, b->out->planes, energy, b->samples);
        if (b->lift.kind != WVL_ROI_NONE) {
            wvl_hull_set_region(&b->hull->line, b->lift.shift, b->lift.kind == WVL_ROI_PART);
        }
    }
    while (b->hull->line.pass_count < count) {
        wvl_hull_put_pass(b->hull, passes);
    }
}

static int wants_more(void *user, const wvl_pass *passes, uint32_t count)
{
    block_seat *b = user;
    b->threshold = atomic_load_explicit(b->wanted, memory_order_relaxed);
    if (!b->threshold) {
        return 1;
    }
    follow_passes(b, passes, count);
    return wvl_hull_is_open(b->hull, passes, b->threshold, b->is_layered);
}

/* ---- Blocks in ------------------------------------------------------------------------------- */

static int fetch_range(block_stream *s)
{
    order_work *work = s->work;
    wvl_pool_source *source = work->source;
    if (atomic_load_explicit(&work->failed, memory_order_relaxed)) {
        return 0;
    }
    uint64_t index = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
    if (index >= work->end - work->first) {
        return 0;
    }
    if (s->until_tick && --s->until_tick == 0) {
        source->tick(source->tick_user, source->ranges_done + index, source->ranges);
        s->until_tick = TICK_RANGES;
    }
    s->range = &work->order->ranges[work->first + index];
    s->block = s->range->first;
    s->end = s->range->first + s->range->count;
    return 1;
}

/* The block as the backend delivered it. kernels: of the block coder. */
static wvl_block_input describe_block(const order_work *work, const wvl_block_range *range, uint32_t block,
                                      const void *kernels)
{
    const wvl_plan *plan = work->source->plan;
    const wvl_coefs *coefs = &work->source->coefs[range->tile];
    const wvl_tile_band *band = &coefs->tile->bands[range->band];
    const wvl_coding *coding = &work->order->codings[coefs->tile->components[range->component].coding];
    wvl_rect rect = wvl_geom_block_rect(band, block % band->block_cols, block / band->block_cols);
    wvl_block_input in = {0};
    in.coefs = coefs->samples + wvl_coef_cell(band, block);
    in.stride = band->cell_width;
    in.width = (uint16_t)wvl_rect_width(rect);
    in.height = (uint16_t)wvl_rect_height(rect);
    in.coef_bytes = band->coef_bytes;
    in.frac_bits = band->frac_bits;
    in.orient = band->orient;
    in.style = coding->style;
    in.reversible = coding->reversible;
    in.want_gains = plan->rate.rate_control;
    in.max_passes = 255;
    in.all_sets = plan->test.all_sets;
    in.set_passes = plan->rate.ht_passes;
    in.kernels = kernels;
    in.bound = coefs->bounds[band->first_block + block];
    return in;
}

/* What the block coder takes: regions of interest raised, steps changed, quantised for the slope of the seat. */
static void prepare_block(const block_stream *s, unsigned index, block_seat *seat, wvl_block_input *in)
{
    const wvl_block_order *order = s->work->order;
    const wvl_plan *plan = s->work->source->plan;
    const wvl_tile_plan *tile = s->work->source->coefs[seat->range->tile].tile;
    const wvl_tile_band *band = &tile->bands[seat->range->band];
    uint32_t coding = tile->components[seat->range->component].coding;
    const wvl_rdoq *rdoq = &s->scratch.rdoq[index];
    seat->band = &order->codings[coding].band[band->coding_band];
    seat->error = (wvl_rdoq_error){0, 0};
    seat->is_changed = 0;
    wvl_roi_block(plan, tile, seat->range, seat->block, in, s->scratch.copies[index], &seat->lift);
    if (order->factors) {
        wvl_rescale_change(order->factors[coding][band->coding_band], order->first_set, rdoq->samples, in);
    }
    if (plan->rate.rdoq) {
        seat->error = wvl_rdoq_change(rdoq, in, seat->band, seat->end_slope);
        seat->is_changed = in->coefs == rdoq->samples || in->max_passes < 255;
    }
}

static int open_seat(block_stream *s, unsigned index, uint32_t block, wvl_block_input *in, wvl_block_output *out)
{
    order_work *work = s->work;
    const wvl_plan *plan = work->source->plan;
    uint32_t group = s->range->rate_group;
    block_seat *seat = &s->seats[index];
    *in = describe_block(work, s->range, block, work->source->kernels);
    if (wvl_bit_length(in->bound >> in->frac_bits) >
        work->source->coefs[s->range->tile].tile->bands[s->range->band].planes) {
        fail(work, WVL_ERROR_INTERNAL); /* the plan proved less */
        return 0;
    }
    seat->hull = &s->scratch.hulls[index];
    seat->hull->line.pass_count = 0;
    seat->wanted = &work->keeper->thresholds[group];
    seat->threshold = 0;
    seat->samples = (uint32_t)in->width * in->height;
    seat->gain_exponent = plan->rate.gain_exponent;
    seat->is_layered = plan->syntax.layer_count > 1;
    seat->range = s->range;
    seat->block = block;
    seat->end_slope =
        plan->rate.rdoq ? wvl_keep_slope_of(work->order, wvl_keeper_block(work->keeper, s->range, block), group) : 0;
    seat->out = out;
    prepare_block(s, index, seat, in);
    seat->most_passes = in->max_passes;
    in->wants_more = wants_more;
    in->wants_user = seat;
    *out = (wvl_block_output){.bytes = s->scratch.bytes[index], .passes = s->scratch.passes[index]};
    return 1;
}

static int fetch_block(void *user, unsigned seat, wvl_block_input *in, wvl_block_output *out)
{
    block_stream *s = user;
    const order_work *work = s->work;
    for (;;) {
        if (s->block == s->end && !fetch_range(s)) {
            return 0;
        }
        uint32_t block = s->block++;
        if (wvl_look_after(work->source->look, WVL_LOOK_CODE, 1)) {
            return 0;
        }
        if (wvl_keep_is_wanted(work->order, wvl_keeper_block(work->keeper, s->range, block), s->range->rate_group)) {
            return open_seat(s, seat, block, in, out);
        }
    }
}

/* ---- Blocks out ------------------------------------------------------------------------------ */

static wvl_block_record record_of(const block_seat *seat, int has_gains)
{
    const wvl_block_output *out = seat->out;
    const wvl_roi *lift = &seat->lift;
    unsigned shift_within = lift->kind == WVL_ROI_PART ? lift->shift : 0,
             shift_above = lift->kind == WVL_ROI_NONE ? lift->shift : 0;
    int is_cut = out->pass_count + 2 < 3 * out->planes && out->pass_count < seat->most_passes;
    return (wvl_block_record){
        .energy = out->energy,
        .bytes = out->length,
        .pass_count = (uint16_t)out->pass_count,
        .decided = (uint16_t)(has_gains && out->pass_count && is_cut ? seat->threshold : 0),
        .end_slope = seat->end_slope,
        .planes = (uint8_t)out->planes,
        .zero_planes = (uint8_t)(seat->band->planes + shift_within + shift_above - out->planes),
        .lift = (uint8_t)shift_within,
        .energy_shift = out->energy_shift,
        .is_changed = (uint8_t)seat->is_changed,
    };
}

static int keep_seat(const block_stream *s, block_seat *seat)
{
    wvl_keeper *keeper = s->work->keeper;
    wvl_block_output *out = seat->out;
    wvl_keep_places places;
    wvl_roi_settle_gains(&seat->lift, out);
    if (out->pass_count && keeper->has_gains) {
        follow_passes(seat, out->passes, out->pass_count);
    }
    wvl_rdoq_add_error(out, seat->error);
    wvl_block_record record = record_of(seat, keeper->has_gains);
    if (!wvl_keep_reserve(keeper, s->worker, &record, &places)) {
        return 0;
    }
    if (places.bytes) {
        memcpy(places.bytes, out->bytes, out->length);
        memcpy(places.passes, out->passes, out->pass_count * sizeof *out->passes);
    }
    if (places.slopes) {
        wvl_hull_fetch(seat->hull, places.slopes, places.gains);
    }
    wvl_keep_record(keeper, seat->range, seat->block, seat->samples, &record);
    return 1;
}

static int put_block(void *user, unsigned seat)
{
    block_stream *s = user;
    if (keep_seat(s, &s->seats[seat])) {
        return 1;
    }
    fail(s->work, WVL_ERROR_MEMORY);
    return 0;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void call_beside(wvl_pool_source *s)
{
    void (*beside)(void *user) = s->beside;
    s->beside = NULL;
    if (beside) {
        beside(s->beside_user);
    }
}

static void code_stream(void *arg, uint32_t index, uint32_t worker)
{
    order_work *work = arg;
    wvl_pool_source *source = work->source;
    wvl_carver carver = {source->memory + worker * source->worker_bytes, 0};
    int is_caller = worker == 0 && wvl_pool_uses_caller(source->pool);
    block_stream s = {.work = work, .worker = worker, .until_tick = is_caller && source->tick ? TICK_RANGES : 0};
    (void)index;
    carve_scratch(source->plan, &carver, &s.scratch);
    if (is_caller) {
        call_beside(source);
    }
    wvl_range_open("wavelane blocks");
    source->coder->encode_stream(s.scratch.coder, source->kernels,
                                 &(wvl_block_feed){&s, fetch_block, put_block, s.scratch.coder_bytes});
    wvl_range_close();
}

static void run_workers(order_work *work, uint64_t first, uint64_t count, wvl_task_fn task)
{
    wvl_pool_source *source = work->source;
    work->first = first;
    work->end = first + count;
    atomic_store(&work->next, 0);
    wvl_pool_run_ranked(source->pool, source->rank, (uint32_t)wvl_min_u64(source->workers, count), task, work);
}

static wvl_status code(void *self, const wvl_block_order *order, wvl_keeper *keeper)
{
    wvl_pool_source *source = self;
    order_work work = {.source = source, .order = order, .keeper = keeper};
    uint64_t step = UINT32_MAX;
    if (!hold_memory(source)) {
        return WVL_ERROR_MEMORY;
    }
    if (!wvl_pool_uses_caller(source->pool)) {
        step = wvl_min_u64(step, wvl_max_u64(UINT64_C(256) * source->workers,
                                             source->ranges / 32 + 1)); /* progress without idle workers */
        call_beside(source);
    }
    for (uint64_t first = 0; first < order->range_count; first += step) {
        uint64_t count = wvl_min_u64(order->range_count - first, step);
        run_workers(&work, first, count, code_stream);
        source->ranges_done += count;
        if (source->tick) {
            source->tick(source->tick_user, wvl_min_u64(source->ranges_done, source->ranges), source->ranges);
        }
    }
    wvl_status failed = (wvl_status)atomic_load(&work.failed);
    return failed != WVL_ERROR_INTERNAL && wvl_look_is_over(source->look) ? WVL_CANCELLED : failed;
}

/* ---- Weights --------------------------------------------------------------------------------- */

static uint32_t weigh_range(const order_work *work, const wvl_block_range *range)
{
    const wvl_block_order *order = work->order;
    const wvl_tile_plan *tile = work->source->coefs[range->tile].tile;
    const wvl_band_coding *band =
        &order->codings[tile->components[range->component].coding].band[tile->bands[range->band].coding_band];
    uint64_t sum = 0;
    for (uint32_t b = range->first; b < range->first + range->count; b++) {
        wvl_block_input in = describe_block(work, range, b, NULL);
        uint32_t weight = wvl_rdoq_weigh(wvl_rdoq_fetch_kernels(), &in, band, order->slopes[range->rate_group]);
        wvl_keeper_block(work->keeper, range, b)->weight = weight;
        sum += weight;
        if (wvl_look_after(work->source->look, WVL_LOOK_WEIGH, 1)) {
            return 0;
        }
    }
    return (uint32_t)wvl_min_u64(sum, UINT32_MAX);
}

static void weigh_ranges(void *arg, uint32_t index, uint32_t worker)
{
    order_work *work = arg;
    (void)index;
    (void)worker;
    for (uint64_t i; !wvl_look_is_over(work->source->look) &&
                     (i = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed)) < work->end;) {
        work->weights[i] = weigh_range(work, &work->order->ranges[i]);
    }
}

static wvl_status weigh(void *self, const wvl_block_order *order, wvl_keeper *keeper, uint32_t *weights)
{
    order_work work = {.source = self, .order = order, .keeper = keeper, .weights = weights};
    if (order->range_count) {
        run_workers(&work, 0, order->range_count, weigh_ranges);
    }
    return wvl_look_is_over(work.source->look) ? WVL_CANCELLED : WVL_OK;
}

wvl_block_source wvl_pool_source_of(wvl_pool_source *source) { return (wvl_block_source){source, 0, weigh, code}; }
