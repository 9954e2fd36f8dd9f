/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block coders on a device, by themselves: the HT coder, the MQ coder, and EBCOT from samples to slopes of passes.
 * Blocks are the coefficients of a picture's lossless 5/3 transform, of 64x64 and 32x32. Microseconds are of a picture.
 */

#include "backend/backend_cpu.h"
#include "base/alloc.h"
#include "device_timer.h"
#include "geom/settings.h"
#include "tests/twin/t1_blocks.h"
#include "tests/twin/t1_lists.h"

/* Lossless 5/3, RCT, 5 levels; three components. The coefs of blocks point into samples. */
typedef struct picture_blocks {
    wvl_block_input *blocks;
    uint32_t count;
    uint8_t *samples;
    uint64_t sample_bytes;
} picture_blocks;

static void report(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "%s\n", text);
}

static wvl_plan *build_plan(const wvl_image_format *format, uint32_t side)
{
    double layer = 0.0;
    wvl_settings s = {.reversible = 1,
                      .levels = 5,
                      .mct = 2,
                      .block_width = side,
                      .block_height = side,
                      .guard_bits = 2,
                      .quant_style = WVL_QUANT_EXPOUNDED,
                      .distortion_bits = 4,
                      .layer_count = 1,
                      .layer_value_count = 1,
                      .layer_values = &layer};
    wvl_report r = {report, NULL, 0};
    return wvl_plan_check(&s, format, &r) ? wvl_geom_build_plan(NULL, &s, format, &r) : NULL;
}

static void take_band(picture_blocks *to, const wvl_coefs *coefs, const wvl_tile_band *band)
{
    for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
        wvl_rect r = wvl_geom_block_rect(band, k % band->block_cols, k / band->block_cols);
        to->blocks[to->count++] = (wvl_block_input){.coefs = to->samples + wvl_coef_cell(band, k),
                                                    .stride = band->cell_width,
                                                    .width = (uint16_t)wvl_rect_width(r),
                                                    .height = (uint16_t)wvl_rect_height(r),
                                                    .coef_bytes = band->coef_bytes,
                                                    .orient = band->orient,
                                                    .reversible = 1,
                                                    .max_passes = 255,
                                                    .bound = coefs->bounds[band->first_block + k]};
    }
}

static void take_tile(picture_blocks *to, const wvl_coefs *coefs, const wvl_tile_plan *tile)
{
    *to = (picture_blocks){.blocks = calloc(tile->block_count, sizeof *to->blocks),
                           .samples = malloc(tile->coef_bytes),
                           .sample_bytes = tile->coef_bytes};
    memcpy(to->samples, coefs->samples, tile->coef_bytes);
    for (uint32_t i = 0; i < tile->band_count; i++) {
        take_band(to, coefs, &tile->bands[i]);
    }
}

/* Blocks of side x side. 0: a call failed. */
static int picture_blocks_fetch(picture_blocks *to, const picture *p, uint32_t side)
{
    picture_input input = picture_open_input(p, 0);
    wvl_plan *plan = build_plan(&input.format, side);
    wvl_tile_plan tile;
    wvl_coefs coefs;
    wvl_carver carver = {NULL, 0};
    wvl_backend *cpu = NULL;
    wvl_backend_job *job = NULL;
    if (!plan) {
        picture_close_input(&input);
        return 0;
    }
    wvl_tile_plan_carve(plan, &carver, &tile);
    uint64_t tile_bytes = carver.used;
    void *memory = wvl_alloc(NULL, tile_bytes);
    carver = (wvl_carver){memory, 0};
    wvl_tile_plan_carve(plan, &carver, &tile);
    wvl_tile_plan_build(plan, 0, &tile);
    wvl_pool *pool = wvl_pool_create(NULL, 8, NULL);
    int fine = wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu) == WVL_OK &&
               wvl_backend_prepare_tiles(&wvl_backend_cpu, cpu, pool, plan, &tile, 1) == WVL_OK &&
               wvl_backend_cpu.submit(cpu, &input.image, &tile, 1, &job) == WVL_OK &&
               wvl_backend_cpu.wait(job, WVL_EVENT_DONE, UINT32_MAX) == WVL_OK &&
               wvl_backend_cpu.collect(job, &coefs) == WVL_OK;
    if (fine) {
        take_tile(to, &coefs, &tile);
        wvl_backend_cpu.release(job);
    }
    wvl_backend_cpu.close(cpu);
    wvl_pool_destroy(pool);
    wvl_free(NULL, memory, tile_bytes);
    wvl_plan_destroy(NULL, plan);
    picture_close_input(&input);
    return fine;
}

static void picture_blocks_clear(picture_blocks *blocks)
{
    free(blocks->blocks);
    free(blocks->samples);
    memset(blocks, 0, sizeof *blocks);
}

typedef void (*side_fn)(const timer *t, const picture_blocks *blocks, uint32_t side, const char *name);

static void time_side(const timer *t, const picture *p, uint32_t side, const char *more, side_fn run)
{
    picture_blocks blocks;
    char name[64];
    snprintf(name, sizeof name, "%ux%u%s", side, side, more);
    if (p->count != 3 || !picture_blocks_fetch(&blocks, p, side)) {
        timer_fail("%s: no coefficients. Take a picture of three components without subsampling", t->picture);
    }
    run(t, &blocks, side, name);
    picture_blocks_clear(&blocks);
}

static void time_sides(const timer *t, const picture *p, side_fn run)
{
    time_side(t, p, 64, "", run);
    time_side(t, p, 32, "", run);
}

static wvl_cuda_route on_stream(void) { return wvl_cuda_to_stream(timer_device.stream); }

/* ---- HT -------------------------------------------------------------------------------------- */

/* The blocks of a picture `frames` times, as a device finds them. */
static ht_list repeat_blocks(const picture_blocks *from, uint32_t frames)
{
    uint64_t each = (from->sample_bytes + 255) & ~UINT64_C(255);
    ht_list list = {.blocks = calloc((size_t)from->count * frames, sizeof *list.blocks),
                    .samples = malloc(each * frames),
                    .bounds = calloc((size_t)from->count * frames, sizeof *list.bounds),
                    .sample_bytes = each * frames};
    for (uint32_t f = 0; f < frames; f++) {
        memcpy(list.samples + f * each, from->samples, from->sample_bytes);
        for (uint32_t k = 0; k < from->count; k++) {
            const wvl_block_input *in = &from->blocks[k];
            list.bounds[list.count] = in->bound;
            list.blocks[list.count] =
                (wvl_cuda_ht_block){.coefs = f * each + (uint64_t)((const uint8_t *)in->coefs - from->samples),
                                    .bound = list.count,
                                    .stride = in->stride,
                                    .width = in->width,
                                    .height = in->height,
                                    .coef_bytes = in->coef_bytes,
                                    .planes = (uint8_t)wvl_bit_length(in->bound),
                                    .max_passes = 255,
                                    .set_passes = 3};
            list.count++;
        }
    }
    return list;
}

static void set_cleanup_plane(ht_list *list, uint8_t plane)
{
    for (uint32_t i = 0; i < list->count; i++) {
        list->blocks[i].cleanup_plane = plane;
    }
}

/* MagSgn of nothing but 1s, 15 a sample. */
static void fill_ones(ht_list *list)
{
    for (uint64_t i = 0; i < list->sample_bytes / 2; i++) {
        ((uint16_t *)(void *)list->samples)[i] = 0xC000;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        list->bounds[list->blocks[i].bound] = 0x4000;
        list->blocks[i].planes = 15;
    }
}

static wvl_cuda_status launch_ht(void *user)
{
    ht_load *load = user;
    return wvl_cuda_ht_launch(&load->ht, &load->job, on_stream());
}

static void time_list(const timer *t, const char *name, const ht_list *list, uint32_t frames, uint32_t limit)
{
    ht_load load;
    uint32_t left, wrong = ht_check(&timer_device, list, frames, limit, 1000, 1000, &left),
                   runs = timer_or(t->runs, 15), counters[WVL_CUDA_HT_COUNTERS] = {0};
    if (!ht_load_open(&load, &timer_device, list, frames, limit, 1000, 1000)) {
        timer_fail("%s: no memory", name);
    }
    timer_times all = timer_measure(runs, launch_ht, &load);
    load.ht.runtime = &timer_marked;
    timer_times parts = timer_measure(runs, launch_ht, &load);
    load.ht.runtime = &timer_driver;
    (void)timer_driver.download(counters, load.job.counters, sizeof counters, timer_device.stream);
    (void)timer_driver.stream_wait(timer_device.stream);
    printf("%-28s %u frames, %6u blocks, wrong %u left %u, scratch %.1f MB of %.1f; us a frame: all %.1f; kernels",
           name, frames, list->count, wrong, left, 16e-6 * counters[WVL_CUDA_HT_SCRATCH_UNITS] / frames,
           1e-6 * (double)load.memory.most_scratch / frames, all.all / frames);
    timer_print_parts(&parts, frames);
    printf("\n");
    (void)fflush(stdout);
    ht_load_close(&load, &timer_device);
}

/* 64x64: also with each limit of shared memory, and the most that a block can have. */
static void time_limits(const timer *t, ht_list *list, const char *name, uint32_t frames)
{
    static const uint32_t limits[] = {48, 64, 99, 163, 227};
    for (unsigned k = 0; k < 5 && frames > 1; k++) {
        char text[80];
        snprintf(text, sizeof text, "%s, %u KiB", name, limits[k]);
        time_list(t, text, list, frames, limits[k] << 10);
    }
    fill_ones(list);
    time_list(t, "  all ones", list, frames, 0);
}

static void time_ht(const timer *t, const picture_blocks *blocks, uint32_t side, const char *name)
{
    int is_noise = blocks->blocks[0].coef_bytes > 2;
    uint32_t most = timer_or(t->frames, 8);
    for (uint32_t frames = 1; frames; frames = frames < most ? most : 0) {
        ht_list list = repeat_blocks(blocks, frames);
        time_list(t, name, &list, frames, 0);
        if (!is_noise) {
            set_cleanup_plane(&list, 1);
            time_list(t, "  plane 1, three passes", &list, frames, 0);
            set_cleanup_plane(&list, 0);
        }
        if (!is_noise && side == 64) {
            time_limits(t, &list, name, frames);
        }
        ht_list_clear(&list);
    }
}

void timer_run_ht(const timer *t)
{
    picture p = timer_load(t->picture), noise = picture_draw(PICTURE_NOISE, p.x1, p.y1, 3, 16, 1);
    timer_open_device();
    printf("median of %u; kernels: of the classes that are there, refine, finish, place, gather\n",
           timer_or(t->runs, 15));
    time_sides(t, &p, time_ht);
    time_side(t, &noise, 64, ", noise of 16 bits", time_ht);
    fuzz_picture_free(&noise);
    fuzz_picture_free(&p);
}

/* ---- MQ -------------------------------------------------------------------------------------- */

static wvl_cuda_status launch_mq(void *user)
{
    t1_load *load = user;
    return wvl_cuda_t1_launch_mq(&load->t1, &load->job, on_stream());
}

/* Prints medians of the kernels of a launch: sort, MQ coder, ends of passes. */
static void time_way(const timer *t, const char *name, t1_load *load, uint32_t frames)
{
    timer_times times = timer_measure(timer_or(t->runs, 9), launch_mq, load);
    printf("; %s", name);
    timer_print_parts(&times, frames);
}

/* Every way in turn, after a comparison. With records of passes the plain kernels also end passes; without, they do not
 * look at them. */
static void time_set(const timer *t, const t1_set *set, const char *name, uint32_t frames)
{
    static const struct {
        const char *name;
        uint32_t mq, is_styled;
    } kernels[] = {{"integers", WVL_CUDA_T1_MQ_INTEGERS, 0},
                   {"floats", WVL_CUDA_T1_MQ_FLOATS, 0},
                   {"pairs", WVL_CUDA_T1_MQ_PAIRS, 0},
                   {"styled", WVL_CUDA_T1_MQ_INTEGERS, 1}};
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        t1_load load;
        uint64_t seed = 1;
        const t1_way way = {
            .mq = kernels[i].mq, .is_styled = kernels[i].is_styled, .wants_passes = 1, .lanes = t->lanes};
        if (!t1_load_open(&load, &timer_device, set, frames, way, &seed)) {
            timer_fail("%s, %u frames: no memory", name, frames);
        }
        timer_require(launch_mq(&load));
        uint32_t wrong = t1_compare(&load, &timer_device, set);
        wvl_cuda_address passes = load.job.passes;
        printf("%s, %u frames, %s, wrong %u; us a frame", name, frames, kernels[i].name, wrong);
        load.t1.runtime = &timer_marked;
        time_way(t, "with passes", &load, frames);
        load.job.passes = 0;
        if (!kernels[i].is_styled) {
            time_way(t, "without", &load, frames);
        }
        printf("\n");
        (void)fflush(stdout);
        load.job.passes = passes;
        t1_load_close(&load, &timer_device);
    }
}

static void time_mq(const timer *t, const picture_blocks *blocks, uint32_t side, const char *name)
{
    t1_set set = {0};
    uint64_t seed = 1, symbols = 0;
    (void)side;
    for (uint32_t i = 0; i < blocks->count; i++) {
        t1_set_add_listed(&set, &blocks->blocks[i], &seed);
        symbols += set.blocks[i].symbol_count;
    }
    printf("%s: %u blocks, %.1f Msymbols a frame\n", name, set.count, 1e-6 * (double)symbols);
    for (uint32_t frames = 1; frames <= timer_or(t->frames, 32); frames *= 2) {
        time_set(t, &set, name, frames);
    }
    t1_set_clear(&set);
}

void timer_run_mq(const timer *t)
{
    picture p = timer_load(t->picture);
    timer_open_device();
    printf("median of %u; kernels: sort, MQ coder, ends of passes\n", timer_or(t->runs, 9));
    time_sides(t, &p, time_mq);
    fuzz_picture_free(&p);
}

/* ---- EBCOT, from samples to slopes of passes -------------------------------------------------- */

/* A block of the picture; fraction: bits that are drawn below its samples. */
static void add_block(t1_list *list, const wvl_block_input *in, unsigned fraction, uint64_t *seed)
{
    wvl_cuda_ht_block *samples;
    wvl_cuda_t1_block *b = t1_list_add(list, in->width, in->height, in->stride, 2, 0, &samples);
    uint16_t *to = (uint16_t *)(void *)(list->samples.samples + b->coefs);
    const uint16_t *from = in->coefs;
    b->orient = in->orient;
    b->reversible = !fraction;
    b->frac_bits = (uint8_t)fraction;
    for (uint32_t i = 0; i < in->stride * in->height; i++) {
        uint32_t v = from[i], low = fraction ? test_draw32(seed) >> (32 - fraction) : 0;
        to[i] = (uint16_t)((v & 0x8000) | ((v << fraction | low) & 0x7FFF));
    }
    t1_list_seal(list, b, in->bound ? in->bound << fraction | ((1u << fraction) - 1) : 0);
}

static t1_list list_frames(const picture_blocks *blocks, unsigned fraction, uint32_t frames, uint32_t step)
{
    t1_list list = {0};
    uint64_t seed = 1;
    for (uint32_t i = 0; i < blocks->count * frames; i += step) {
        add_block(&list, &blocks->blocks[i % blocks->count], fraction, &seed);
    }
    return list;
}

/* A list on the device, with all that the chain from samples to slopes takes. */
typedef struct chain {
    t1_model_load load;
} chain;

static void open_chain(chain *c, const t1_list *list)
{
    const ht_device *d = &timer_device;
    wvl_cuda_t1_weight *weights = malloc(list->count * sizeof *weights);
    uint64_t n = list->count;
    for (uint32_t i = 0; i < n; i++) {
        weights[i] = (wvl_cuda_t1_weight){0x80000000u, -31};
    }
    ht_memory *m = &c->load.taken;
    (void)t1_model_load_open(&c->load, d, list, (t1_wish){.scratch_share = 1000, .gains = 1});
    c->load.job.passes = ht_take(m, d, n * WVL_CUDA_T1_MOST_PASSES * sizeof(wvl_cuda_t1_pass), NULL, 1);
    c->load.job.hull_weights = ht_take(m, d, n * sizeof *weights, weights, 0);
    if (m->status) {
        timer_fail("no memory");
    }
    c->load.job.gain_exponent = -20;
    c->load.t1.runtime = &timer_marked;
    free(weights);
}

static void close_chain(chain *c) { t1_model_load_close(&c->load, &timer_device); }

static wvl_cuda_status launch_model(void *user)
{
    chain *c = user;
    return wvl_cuda_t1_launch_model(&c->load.t1, &c->load.job, on_stream());
}

/* The model is launched before: it makes the lists. */
static wvl_cuda_status launch_bytes(void *user)
{
    chain *c = user;
    wvl_cuda_status status = wvl_cuda_t1_launch_mq(&c->load.t1, &c->load.job, on_stream());
    return status ? status : wvl_cuda_t1_launch_hulls(&c->load.t1, &c->load.job, on_stream());
}

static void time_part(const timer *t, chain *c, const char *name, timer_work work, uint32_t frames)
{
    timer_times times = timer_measure(timer_or(t->runs, 9), work, c);
    printf("; %s %.1f:", name, times.all / frames);
    timer_print_parts(&times, frames);
}

static void time_frames(const timer *t, const picture_blocks *blocks, const char *name, unsigned fraction,
                        uint32_t frames)
{
    t1_list list = list_frames(blocks, fraction, frames, 1);
    chain c;
    open_chain(&c, &list);
    printf("%s, %u fraction bits, %u frames; us a frame", name, fraction, frames);
    wvl_cuda_address gains = c.load.job.gains;
    c.load.job.gains = 0;
    time_part(t, &c, "model", launch_model, frames);
    c.load.job.gains = gains;
    time_part(t, &c, "with gains", launch_model, frames);
    time_part(t, &c, "bytes, passes, hulls", launch_bytes, frames);
    printf("\n");
    (void)fflush(stdout);
    close_chain(&c);
    t1_list_clear(&list);
}

static void time_t1(const timer *t, const picture_blocks *blocks, uint32_t side, const char *name)
{
    static const uint32_t frames[] = {1, 8, 32};
    if (blocks->blocks[0].coef_bytes != 2) {
        timer_fail("t1: take a picture of 8 bits");
    }
    for (unsigned fraction = 0; fraction <= 4; fraction += 4) {
        t1_list some = list_frames(blocks, fraction, 1, side == 64 ? 31 : 127);
        uint32_t left,
            wrong = t1_check_lists(&timer_device, &some, (t1_wish){.scratch_share = 1000, .gains = 1}, &left);
        printf("%s, %u fraction bits: %u of %u blocks are wrong\n", name, fraction, wrong, some.count);
        t1_list_clear(&some);
        for (unsigned i = 0; i < sizeof frames / sizeof *frames && frames[i] <= timer_or(t->frames, 32); i++) {
            time_frames(t, blocks, name, fraction, frames[i]);
        }
    }
}

void timer_run_t1(const timer *t)
{
    picture p = timer_load(t->picture);
    timer_open_device();
    printf(
        "median of %u. Kernels: open; planes, spread, list of each class; gains of each class. Sort, MQ coder, ends, "
        "hulls\n",
        timer_or(t->runs, 9));
    time_sides(t, &p, time_t1);
    fuzz_picture_free(&p);
}
