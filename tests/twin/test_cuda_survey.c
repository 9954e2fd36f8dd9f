/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The survey of slopes of whole pictures on a device: which blocks are coded in which phase, against codec/blocks; and
 * all blocks of a picture, coded in phases and again, against the CPU's. The device code runs compiled for the CPU
 * (emulate.h).
 */

#include "backend/registry.h"
#include "base/context.h"
#include "codec/write/coder.h"
#include "cuda/host/coders/coder.h"
#include "cuda/host/coders/rdoq_tables.h"
#include "emulated_driver.h"
#include "tests/support/opened.h"
#include "tests/support/support.h"

/* ---- Pictures up to the coder ---------------------------------------------------------------- */

typedef struct survey_case {
    wvl_context *context;
    wvl_plan *plan;
    wvl_wave wave;
    void *memory;
    uint64_t memory_bytes;
    uint32_t tiles;
    wvl_backend *backend;
    wvl_backend_job *job; /* has the coefficients */
    wvl_coder *coder;
} survey_case;

/* A plan of pictures of 8-bit components, and the tile plans of its only wave. */
static void survey_open_plan(survey_case *c, uint32_t width, uint32_t height, uint32_t components, const char *settings)
{
    wvl_component_format formats[3] = {
        {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 1, .dy = 1}, {.depth = 8, .dx = 1, .dy = 1}};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = width, .y1 = height, .component_count = components, .components = formats};
    char problem[256];
    memset(c, 0, sizeof *c);
    REQUIRE_THAT(test_open_plan(settings, 2, &format, &c->context, &c->plan, problem) == WVL_OK, "%s", problem);
    c->memory = test_open_wave(c->plan, &c->wave, &c->memory_bytes);
    memset(c->memory, 0, c->memory_bytes);
    wvl_carver carver = {c->memory, 0};
    wvl_wave_carve(c->plan, &carver, &c->wave);
    c->tiles = wvl_wave_build(c->plan, 0, c->wave.tiles);
    REQUIRE(c->tiles == c->plan->syntax.tile_count);
}

/* Smooth, with edges, and noise that grows to the right. */
static uint8_t *draw_samples(uint32_t width, uint32_t height, uint32_t noise)
{
    uint8_t *samples = malloc((size_t)width * height);
    uint32_t rng = 1;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            rng = rng * 1664525u + 1013904223u;
            uint32_t edge = (x / 40 + y / 56) % 3 * 40, bend = (x * y >> 13) % 40;
            samples[(size_t)y * width + x] = (uint8_t)(50 + edge + bend + (rng >> 24) % (1 + noise * x / width));
        }
    }
    return samples;
}

static void survey_open_picture(survey_case *c, uint32_t width, uint32_t height, uint32_t components, uint32_t noise)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_host();
    wvl_backend_options options = {&c->plan->context->host, c->plan->context->pool, NULL, NULL, NULL};
    uint8_t *samples = draw_samples(width, height, noise);
    wvl_plane planes[3];
    for (uint32_t i = 0; i < components; i++) {
        planes[i] = (wvl_plane){.data = samples, .pitch_bytes = width, .container = WVL_SAMPLE_8};
    }
    wvl_image image = {.struct_size = sizeof image, .plane_count = components, .planes = planes};
    REQUIRE(table->open(&options, &c->backend) == WVL_OK);
    REQUIRE(wvl_backend_prepare_tiles(table, c->backend, c->plan->context->pool, c->plan, c->wave.tiles, c->tiles) ==
            WVL_OK);
    REQUIRE(table->submit(c->backend, &image, c->wave.tiles, c->tiles, &c->job) == WVL_OK);
    REQUIRE(table->wait(c->job, WVL_EVENT_DONE, UINT32_MAX) == WVL_OK);
    REQUIRE(table->collect(c->job, c->wave.coefs) == WVL_OK);
    free(samples);
    wvl_coder_options coding = {
        .allocator = &c->plan->context->host, .plan = c->plan, .pool = c->plan->context->pool, .rank = 1};
    c->coder = calloc(1, sizeof *c->coder);
    REQUIRE(wvl_coder_init(c->coder, &coding) == WVL_OK);
}

static void survey_close(survey_case *c)
{
    if (c->coder) {
        wvl_coder_fini(c->coder);
        wvl_backend_fetch_host()->release(c->job);
        wvl_backend_fetch_host()->close(c->backend);
        free(c->coder);
    }
    wvl_free(NULL, c->memory, c->memory_bytes);
    wvl_plan_release(c->plan);
    wvl_context_release(c->context);
}

static uint64_t count_blocks(const survey_case *c)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < c->tiles; t++) {
        count += c->wave.tiles[t].block_count;
    }
    return count;
}

/* ---- Phases ---------------------------------------------------------------------------------- */

/* What is known of a block. */
typedef struct block_place {
    uint8_t phase, kind;
} block_place;

/* Lists the work as the CPU does. */
static void list_work(survey_case *c, block_place *places, wvl_cuda_rdoq_phases *phases)
{
    wvl_carver carver = {NULL, 0};
    wvl_work_memory memory;
    wvl_work_list list;
    wvl_depth depth;
    uint64_t firsts[64], before = 0, blocks = 0;
    void *parts = calloc(1, wvl_depth_memory_bytes(c->plan));
    wvl_work_carve(c->plan, &carver, &memory);
    carver = (wvl_carver){aligned_alloc(64, (carver.used + 63) / 64 * 64), 0};
    wvl_work_carve(c->plan, &carver, &memory);
    wvl_depth_init(&depth, c->plan, parts);
    for (uint32_t t = 0; t < c->tiles; before += c->wave.tiles[t++].block_count) {
        c->wave.coefs[t].tile = &c->wave.tiles[t];
        firsts[t] = before;
    }
    wvl_work_build(&list, &memory, c->plan, c->wave.coefs, c->tiles, &depth);
    for (uint64_t r = 0, p = 0; r < list.range_count; r++) {
        while (r >= list.ends[p]) {
            phases->ends[p++] = (uint32_t)blocks;
        }
        const wvl_block_range *range = &list.memory.ranges[r];
        for (uint32_t b = range->first; b < range->first + range->count; b++, blocks++) {
            uint64_t id = firsts[range->tile] + c->wave.tiles[range->tile].bands[range->band].first_block + b;
            places[id] = (block_place){(uint8_t)p, (uint8_t)(2 * range->rate_group + range->is_fine)};
        }
    }
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        phases->ends[p] = list.ends[p] == list.range_count ? (uint32_t)blocks : phases->ends[p];
    }
    for (uint32_t k = 0; k < 2 * depth.groups; k++) {
        phases->samples[k] = depth.parts[k].samples;
    }
    phases->range_count = list.range_count;
    free(carver.base);
    free(parts);
}

static const struct shape {
    uint32_t width, height, components;
    const char *settings;
} shapes[] = {
    {1024, 520, 1, "reversible=no bpp=0.7"},
    {1300, 700, 3, "reversible=no bpp=0.7 block=16,16"},
    {900, 611, 3, "reversible=no bpp=0.7 tile=300,200 block=32,8"},
    {777, 701, 3, "reversible=no bpp=0.7 levels=2 block=64,64"},
    {1000, 555, 1, "reversible=no bpp=0.7 levels=0 block=4,4"},
    {1100, 555, 3, "reversible=no bpp=1.5 max-component-bytes=200000 mct=off block=32,32"},
};

TEST_EACH(phases, sizeof shapes / sizeof *shapes)
{
    const struct shape *s = &shapes[_i];
    survey_case c;
    survey_open_plan(&c, s->width, s->height, s->components, s->settings);
    uint64_t count = count_blocks(&c);
    wvl_cuda_rdoq_phases got, wanted = {0};
    uint32_t *lists = malloc(count * sizeof *lists);
    uint8_t *kinds = malloc(count), *seen = calloc(count, 1);
    block_place *places = calloc(count, sizeof *places);
    REQUIRE(c.tiles <= 64 && wvl_depth_is_possible(c.plan));
    list_work(&c, places, &wanted);
    wvl_cuda_rdoq_list_phases(c.plan, c.wave.tiles, c.tiles, lists, kinds, &got);
    REQUIRE(got.range_count == wanted.range_count && got.ends[WVL_SURVEY_ALL_PHASES - 1] == count);
    REQUIRE(!memcmp(got.samples, wanted.samples, sizeof got.samples));
    for (uint32_t i = 0, p = 0; i < count; i++) {
        while (i >= got.ends[p]) {
            REQUIRE_THAT(got.ends[p] == wanted.ends[p], "phase %u: %u, want %u", p, got.ends[p], wanted.ends[p]);
            p++;
        }
        uint32_t id = lists[i];
        REQUIRE_THAT(id < count && !seen[id]++ && places[id].phase == p && places[id].kind == kinds[id],
                     "\"%s\": block %u, phase %u, kind %u; want %u, %u", s->settings, id, p, kinds[id],
                     places[id].phase, places[id].kind);
    }
    free(lists);
    free(kinds);
    free(seen);
    free(places);
    survey_close(&c);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static uint32_t early_blocks; /* coded before their phase */

/* The blocks of a picture on a device, phase by phase. */
typedef struct chain {
    ht_device device;
    const survey_case *c;
    uint32_t count, *order; /* numbers of blocks as the CPU has them */
    wvl_cuda_rdoq_phases phases;
    wvl_cuda_rdoq_shapes shapes;
    wvl_cuda_rdoq rdoq;
    wvl_cuda_t1 t1;
    wvl_cuda_rdoq_run run;
    wvl_cuda_rdoq_job job;
    wvl_cuda_t1_block *blocks;
    wvl_cuda_t1_weight *weights;
    ht_memory taken;
} chain;

static wvl_cuda_address take(chain *ch, uint64_t bytes, const void *from)
{
    return ht_take(&ch->taken, &ch->device, bytes, from, 1);
}

static wvl_cuda_address take_zeros(chain *ch, uint64_t bytes)
{
    wvl_cuda_address at = take(ch, bytes, NULL);
    REQUIRE(!ch->device.runtime->fill(at, 0, bytes, ch->device.stream));
    return at;
}

/* Blocks, weights and kinds from the CPU's order to that of phases. */
static void take_blocks(chain *ch, wvl_cuda_address coefs, wvl_cuda_address bounds)
{
    uint32_t n = ch->count;
    uint8_t *kinds = malloc(n), *own_kinds = malloc(n);
    uint32_t *places = malloc(n * sizeof *places);
    const wvl_cuda_coder_view view = {
        .plan = ch->c->plan, .tiles = ch->c->wave.tiles, .tile_count = ch->c->tiles, .places = places};
    ch->order = malloc(n * sizeof *ch->order);
    ch->blocks = malloc(n * sizeof *ch->blocks);
    ch->weights = malloc(n * sizeof *ch->weights);
    wvl_cuda_rdoq_list_phases(ch->c->plan, ch->c->wave.tiles, ch->c->tiles, ch->order, kinds, &ch->phases);
    for (uint32_t i = 0; i < n; i++) {
        places[ch->order[i]] = i;
        own_kinds[i] = kinds[ch->order[i]];
    }
    wvl_cuda_list_t1_blocks(&view, coefs, bounds, ch->blocks);
    wvl_cuda_walk_blocks(&view, 0, 0, wvl_cuda_put_t1_weight, ch->weights);
    for (uint32_t i = 0; i < n; i++) {
        ch->job.most_width = wvl_max_u32(ch->job.most_width, ch->blocks[i].width);
    }
    ch->job.originals = take(ch, n * sizeof *ch->blocks, ch->blocks);
    ch->job.kinds = take(ch, n, own_kinds);
    ch->job.t1.hull_weights = take(ch, n * sizeof *ch->weights, ch->weights);
    free(kinds);
    free(own_kinds);
    free(places);
}

static void take_tables(chain *ch, wvl_cuda_t1_job *t1)
{
    uint64_t n = ch->count;
    t1->blocks = take(ch, n * sizeof(wvl_cuda_t1_block), NULL);
    t1->states = take(ch, n * sizeof(wvl_cuda_t1_state), NULL);
    t1->records = take(ch, n * sizeof(wvl_cuda_t1_record), NULL);
    t1->gains = take(ch, n * sizeof(wvl_cuda_t1_gains), NULL);
    t1->passes = take(ch, n * WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass), NULL);
}

/* All blocks are coded once, those of the lowest band in the first phase. */
static void check_lists(const chain *ch, const uint32_t *lists)
{
    uint8_t *seen = calloc(ch->count, 1);
    uint32_t early = 0;
    for (unsigned p = 0, at = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        REQUIRE(ch->shapes.first[p] == at);
        for (uint32_t i = 0; i < ch->shapes.phases[p].block_count; i++, at++) {
            uint32_t id = lists[at], is_own = id < ch->phases.ends[p] && (!p || id >= ch->phases.ends[p - 1]);
            REQUIRE(id < ch->count && !seen[id]++ &&
                    (p ? is_own && ch->blocks[id].orient : is_own || !ch->blocks[id].orient));
            early += !is_own;
        }
        REQUIRE(p + 1 < WVL_SURVEY_ALL_PHASES || at == ch->count);
    }
    early_blocks += early;
    free(seen);
}

static void take_scratch(chain *ch)
{
    wvl_cuda_t1_job *t1 = &ch->job.t1;
    uint64_t scratch = 0, n = ch->count;
    uint32_t *lists = malloc(2 * n * sizeof *lists);
    wvl_cuda_rdoq_sort(ch->blocks, &ch->phases, lists, lists + n, &ch->shapes);
    for (uint32_t i = 0; i < n; i++) {
        scratch += wvl_cuda_t1_measure_scratch(&ch->blocks[i]) + wvl_cuda_t1_measure_values(&ch->blocks[i]);
    }
    check_lists(ch, lists);
    t1->lists = take(ch, 2 * n * sizeof *lists, lists);
    t1->order = take(ch, n * sizeof(uint32_t), NULL);
    t1->items = take(ch, 4ull * wvl_cuda_t1_count_items(&ch->shapes.all), NULL);
    t1->counters = take_zeros(ch, 4ull * WVL_CUDA_T1_COUNTERS);
    t1->scratch_units = (uint32_t)(2 * scratch / 16);
    t1->scratch = take(ch, 16ull * t1->scratch_units, NULL);
    t1->gain_exponent = ch->c->plan->rate.gain_exponent;
    ch->job.again = *t1;
    ch->job.again.lists += 4 * n;
    take_tables(ch, &ch->job.t1);
    take_tables(ch, &ch->job.again);
    free(lists);
}

static void open_chain(chain *ch, const survey_case *c)
{
    const wvl_tile_plan *tile = c->wave.tiles;
    const wvl_depth *depth = &c->coder->blocks.depth;
    memset(ch, 0, sizeof *ch);
    ch->device.runtime = &emulated_runtime;
    ch->c = c;
    ch->count = (uint32_t)count_blocks(c);
    REQUIRE(c->tiles == 1);
    REQUIRE(!wvl_cuda_rdoq_open(&ch->rdoq, &emulated_runtime, NULL) &&
            !wvl_cuda_t1_open(&ch->t1, &emulated_runtime, NULL));
    ch->run = (wvl_cuda_rdoq_run){&ch->rdoq, &ch->t1, &ch->job, &ch->phases, &ch->shapes, wvl_cuda_to_stream(NULL)};
    wvl_cuda_address coefs = take(ch, tile->coef_bytes, c->wave.coefs->samples),
                     copies = take(ch, tile->coef_bytes, NULL),
                     bounds = take(ch, 4ull * ch->count, c->wave.coefs->bounds);
    take_blocks(ch, coefs, bounds);
    take_scratch(ch);
    ch->job.copies = copies - coefs;
    ch->job.changes = take(ch, ch->count * sizeof(wvl_cuda_rdoq_change), NULL);
    ch->job.weights = take(ch, 4ull * ch->count, NULL);
    ch->job.survey = take_zeros(ch, sizeof(wvl_cuda_rdoq_survey));
    ch->job.parts = take_zeros(ch, WVL_DEPTH_PARTS * sizeof(wvl_cuda_rdoq_part));
    ch->job.aim = (wvl_survey_aim){depth->budget, depth->cap, depth->samples, depth->groups};
    ch->job.known = depth->known;
    ch->job.is_large = ch->phases.reach < 65536;
    memcpy(ch->job.samples, ch->phases.samples, sizeof ch->job.samples);
}

static void close_chain(chain *ch)
{
    REQUIRE(!ch->taken.status);
    ht_give(&ch->taken, &ch->device);
    free(ch->order);
    free(ch->blocks);
    free(ch->weights);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static const void *on_device(wvl_cuda_address at) { return (const void *)(uintptr_t)at; }

static void check_passes(const chain *ch, uint32_t i, const wvl_coded_block *block, const wvl_cuda_t1_gains *gains)
{
    const wvl_store *store = &ch->c->coder->blocks.keeper.passes;
    const wvl_pass *wanted = wvl_block_passes(store, block);
    const wvl_cuda_t1_pass *got = (const wvl_cuda_t1_pass *)on_device(ch->job.t1.passes) + (size_t)i * 91;
    const int64_t *values = (const int64_t *)on_device(ch->job.t1.scratch + 16ull * gains->values);
    uint32_t n = block->pass_count;
    for (uint32_t p = 0; p < n; p++) {
        REQUIRE_THAT(got[p].final_bytes == wanted[p].final_bytes && got[p].safe_bytes == wanted[p].safe_bytes &&
                         got[p].tail_count == wanted[p].tail_count && values[p] == wanted[p].gain_quarters,
                     "block %u, pass %u of %u", i, p, n);
    }
    REQUIRE(!memcmp(values + n, wvl_block_gains(store, block), 8ull * n));
    REQUIRE_THAT(!memcmp(values + 2ull * n, wvl_block_slopes(store, block), 2ull * n), "block %u: slopes", i);
}

static void check_block(const chain *ch, uint32_t i)
{
    const wvl_coded_block *block = &ch->c->coder->tiles[0].blocks[ch->order[i]];
    const wvl_cuda_rdoq_change *change = (const wvl_cuda_rdoq_change *)on_device(ch->job.changes) + i;
    const wvl_cuda_t1_record *record = (const wvl_cuda_t1_record *)on_device(ch->job.t1.records) + i;
    const wvl_cuda_t1_gains *gains = (const wvl_cuda_t1_gains *)on_device(ch->job.t1.gains) + i;
    REQUIRE_THAT(change->end_slope == block->end_slope && change->is_changed == block->is_changed,
                 "block %u: slope %u, want %u", i, change->end_slope, block->end_slope);
    REQUIRE_THAT(!record->flags && record->planes == block->planes && record->passes == block->pass_count &&
                     record->bytes == block->bytes,
                 "block %u: %u passes, %u bytes; want %u, %u", i, record->passes, record->bytes, block->pass_count,
                 block->bytes);
    REQUIRE_THAT(gains->energy == block->energy && gains->energy_shift == block->energy_shift, "block %u: energy", i);
    if (block->pass_count) {
        const uint8_t *bytes = on_device(ch->job.t1.scratch + 16ull * record->codeword + 1);
        uint32_t certain = block->bytes > 6 ? block->bytes - 6 : 0; /* the last bytes are those of the last tail */
        REQUIRE_THAT(!memcmp(bytes, wvl_store_at(&ch->c->coder->blocks.keeper.bytes, block->bytes_at), certain),
                     "block %u: bytes", i);
        check_passes(ch, i, block, gains);
    }
}

static void check_blocks(const chain *ch)
{
    for (uint32_t i = 0; i < ch->count; i++) {
        check_block(ch, i);
    }
}

/* ---- Whole pictures -------------------------------------------------------------------------- */

/* Rate control is said to have ended at a threshold so far above the survey's slope. Returns whether all blocks are
 * coded again. */
static int code_again(survey_case *c, chain *ch, int32_t above)
{
    uint32_t thresholds[WVL_RATE_GROUPS];
    wvl_coded_tile *tile = &c->coder->tiles[0];
    wvl_layer_job job = {.plan = c->plan};
    wvl_recode_facts facts = {c->plan,         &c->plan->context->host, WVL_OK, &job, 0,
                              c->coder->tiles, &c->coder->blocks.keeper};
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        thresholds[g] = (uint32_t)((int32_t)c->coder->blocks.survey.slopes[0] + above);
    }
    for (uint64_t b = 0; b < tile->block_count; b++) {
        tile->blocks[b].last_slope = (uint16_t)thresholds[0];
    }
    c->coder->recode.has_judged_slopes = 0;
    REQUIRE(wvl_recode_decide(&c->coder->recode, &facts) == WVL_OK);
    int is_again = wvl_coder_wants_again(c->coder);
    REQUIRE(!is_again || wvl_coder_code_tiles(c->coder, c->wave.coefs, c->tiles) == WVL_OK);
    ch->job.thresholds = take(ch, sizeof thresholds, thresholds);
    REQUIRE(!wvl_cuda_rdoq_code_again(&ch->run));
    return is_again;
}

/* Phases, stale blocks (there are few ranges), then a second coding of none, and of all. */
TEST_EACH(blocks, 2)
{
    static const struct shape pictures[] = {{1024, 520, 1, "reversible=no bpp=0.6 levels=4"},
                                            {640, 840, 1, "reversible=no slopes=33500 rdoq=yes levels=3 block=32,32"}};
    const struct shape *s = &pictures[_i];
    survey_case c;
    chain ch;
    survey_open_plan(&c, s->width, s->height, s->components, s->settings);
    REQUIRE(c.plan->rate.rdoq && wvl_depth_is_possible(c.plan));
    c.plan->test.depth_full = 1; /* the CPU codes no less than the device */
    survey_open_picture(&c, s->width, s->height, s->components, 40);
    REQUIRE(wvl_coder_code_tiles(c.coder, c.wave.coefs, c.tiles) == WVL_OK);
    open_chain(&ch, &c);
    REQUIRE_THAT(!_i || early_blocks, "no block of the lowest band is coded early");
    REQUIRE(!wvl_cuda_rdoq_code(&ch.run));
    const wvl_cuda_rdoq_survey *survey = on_device(ch.job.survey);
    REQUIRE_THAT(ch.job.known || (survey->slopes[0] == c.coder->blocks.survey.slopes[0] &&
                                  survey->floors[0] == c.coder->blocks.survey.floors[0]),
                 "slope %u from %u, want %u from %u", survey->slopes[0], survey->floors[0],
                 c.coder->blocks.survey.slopes[0], c.coder->blocks.survey.floors[0]);
    check_blocks(&ch);
    REQUIRE(ch.job.known || !code_again(&c, &ch, 20));
    check_blocks(&ch);
    REQUIRE(ch.job.known || code_again(&c, &ch, 300));
    check_blocks(&ch);
    close_chain(&ch);
    survey_close(&c);
}

TEST_MAIN("cuda_survey")
