/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels' own source, compiled for the CPU (dwt_emulated.cpp), against the CPU's coefficients and bounds: the
 * reversible transform of 16-bit containers, all launches of a picture, with the tables that a device would get. No
 * device is needed. What the first launch of a picture is has to be what the case says, so that no case quietly tests
 * the any-shape kernels.
 */
#include "test_cuda_job.h"

#include "dwt_emulated.h"

#define ROOM 4096u   /* bytes before and behind what a device would allocate */
#define POISON 0xA7u /* what they hold, and all that is not cleared */

static wvl_backend *cpu;
static uint32_t launched[WVL_CUDA_KERNELS]; /* by the suite */

typedef struct device_picture {
    wvl_cuda_tables t;
    wvl_cuda_pixels pixels[COMPONENTS];
    uint8_t *coefs, *planes;
    uint32_t *bounds, *flags;
    uint32_t outside;
} device_picture;

/* ---- Memory ---------------------------------------------------------------------------------- */

static uint8_t *open_room(uint64_t bytes)
{
    uint8_t *at = aligned_alloc(256, (size_t)wvl_align_up(bytes + 2 * ROOM, 256));
    memset(at, POISON, bytes + 2 * ROOM);
    return at + ROOM;
}

static void close_room(uint8_t *at, uint64_t bytes, const job *j)
{
    for (uint64_t i = 0; i < ROOM; i++) {
        REQUIRE_THAT(at[-1 - (int64_t)i] == POISON && at[bytes + i] == POISON, "byte %llu outside: %s",
                     (unsigned long long)i, j->name);
    }
    free(at - ROOM);
}

static void place_pixels(const job *j, device_picture *d)
{
    int together = j->format.component_count > 1 && j->planes[1].data == j->planes[0].data;
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        const wvl_plane *p = &j->planes[c];
        uint32_t half = 1u << (pc->depth - 1);
        d->pixels[c] = (wvl_cuda_pixels){.data = (uint64_t)(uintptr_t)p->data,
                                         .pitch_bytes = p->pitch_bytes,
                                         .first = together ? c : 0,
                                         .stride = p->sample_stride,
                                         .x0 = pc->rect.x0,
                                         .y0 = pc->rect.y0,
                                         .bias = pc->is_signed ? half : 0,
                                         .half = half,
                                         .container = p->container,
                                         .is_signed = pc->is_signed,
                                         .depth = pc->depth,
                                         .is_float = pc->is_float};
    }
}

/* ---- One picture ----------------------------------------------------------------------------- */

static void build_tables(const job *j, uint32_t machine, device_picture *d)
{
    const wvl_cuda_table_options options = {.multiprocessors = machine};
    uint32_t count = j->plan->syntax.tile_count;
    wvl_cuda_tables *t = &d->t;
    wvl_cuda_build_tables(j->plan, j->tiles, count, &options, NULL, t);
    t->splits = calloc(t->split_count, sizeof *t->splits);
    t->items = calloc(t->item_count, sizeof *t->items);
    t->launches = calloc(t->launch_count, sizeof *t->launches);
    t->fronts = calloc((size_t)count * j->format.component_count, sizeof *t->fronts);
    d->coefs = open_room(t->coef_bytes);
    d->planes = open_room(t->plane_bytes);
    d->bounds = calloc(t->block_count + 1, sizeof *d->bounds);
    d->flags = calloc(t->flag_count + 1, sizeof *d->flags);
    wvl_cuda_memory memory = {.coefs = (uint64_t)(uintptr_t)d->coefs,
                              .bounds = (uint64_t)(uintptr_t)d->bounds,
                              .outside = (uint64_t)(uintptr_t)&d->outside,
                              .planes = (uint64_t)(uintptr_t)d->planes,
                              .flags = (uint64_t)(uintptr_t)d->flags,
                              .pixels = d->pixels};
    wvl_cuda_build_tables(j->plan, j->tiles, count, &options, &memory, t);
}

static void run_launches(const job *j, device_picture *d)
{
    for (uint64_t r = 0; r < d->t.launch_count; r++) {
        const wvl_cuda_launch *l = &d->t.launches[r];
        wvl_emulated_launch e = {d->t.splits, d->t.items + l->first_item, l->item_count, l->asked, l->only};
        REQUIRE_THAT(wvl_emulate_level(l->kernel, &e), "%s is not emulated: %s", wvl_cuda_kernel_rows[l->kernel].name,
                     j->name);
        launched[l->kernel]++;
    }
}

static void close_picture(device_picture *d, const job *j)
{
    close_room(d->coefs, d->t.coef_bytes, j);
    close_room(d->planes, d->t.plane_bytes, j);
    free(d->bounds);
    free(d->flags);
    free(d->t.splits);
    free(d->t.items);
    free(d->t.launches);
    free(d->t.fronts);
}

/* Coefficients and bounds of all tiles beside those of the CPU. */
static void compare_picture(const device_picture *d, job *j)
{
    run a = {.table = &wvl_backend_cpu, .backend = cpu}, b = {.status = WVL_OK};
    uint64_t coefs = 0, bounds = 0;
    b.coefs = calloc(j->plan->syntax.tile_count, sizeof *b.coefs);
    for (uint32_t t = 0; t < j->plan->syntax.tile_count; t++) {
        b.coefs[t] = (wvl_coefs){&j->tiles[t], d->coefs + coefs, d->bounds + bounds, NULL};
        coefs += j->tiles[t].coef_bytes;
        bounds += j->tiles[t].block_count;
    }
    start_run(&a, j);
    finish_run(&a, j);
    compare_runs(&a, &b, j);
    end_run(&a);
    free(b.coefs);
}

#define ANY_FIRST UINT32_MAX

/* first: the kernel that has to begin with the picture, or some of its tiles; WVL_CUDA_KERNEL_*, or ANY_FIRST. */
static void check_first(const device_picture *d, uint32_t first, const job *j)
{
    int found = first == ANY_FIRST;
    for (uint64_t r = 0; !found && r < (j->plan->syntax.tile_count > 1 ? d->t.launch_count : 1); r++) {
        found = found || d->t.launches[r].kernel == first;
    }
    REQUIRE_THAT(found, "begins with %s, not %s: %s", wvl_cuda_kernel_rows[d->t.launches[0].kernel].name,
                 wvl_cuda_kernel_rows[found ? 0 : first].name, j->name);
}

static void check_picture(job *j, uint32_t machine, uint32_t first)
{
    static device_picture d;
    memset(&d, 0, sizeof d);
    place_pixels(j, &d);
    build_tables(j, machine, &d);
    check_first(&d, first, j);
    run_launches(j, &d);
    REQUIRE_THAT(!d.outside, "a sample outside its depth: %s", j->name);
    compare_picture(&d, j);
    close_picture(&d, j);
    free_job(j);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* count components; blocks so low that all bands of two levels of 64 rows have whole ones. */
static void start_job(job *j, uint64_t seed, uint32_t count, uint32_t depth, uint32_t is_signed)
{
    seed_state = seed;
    default_job(j);
    j->settings.levels = (uint8_t)between(3, 6);
    draw_blocks(j, 16, 2, 4, 2);
    j->format.component_count = count;
    set_depths(j, depth, is_signed);
}

static void check_plain(job *j, int interleaved, uint32_t machine, uint32_t first)
{
    plan_job(j);
    draw_plain_pixels(j, interleaved);
    check_picture(j, machine, first);
}

/* Which kernel three components of 16-bit containers, or one, begin with. geom/quant.c: HH takes depth + 3 bits, HL and
 * LH depth + 2, each one more with a color transform; 15 and a sign fit in 16. */
static uint32_t first_color(uint32_t depth, int is_signed, int interleaved)
{
    if (is_signed || depth == 12) {
        return interleaved ? WVL_CUDA_KERNEL_march_53_interleaved16_to16or32
                           : WVL_CUDA_KERNEL_march_53_planar16_to16or32;
    }
    if (depth < 12) {
        return interleaved ? WVL_CUDA_KERNEL_march_53_interleaved16_to16 : WVL_CUDA_KERNEL_march_53_planar16_to16;
    }
    return interleaved ? WVL_CUDA_KERNEL_march_53_interleaved16_to32 : WVL_CUDA_KERNEL_march_53_planar16_to32;
}

static uint32_t first_gray(uint32_t depth, int is_signed)
{
    if (is_signed || depth == 13) {
        return WVL_CUDA_KERNEL_march_53_gray16_to16or32;
    }
    return depth < 13 ? WVL_CUDA_KERNEL_march_53_gray16_to16 : WVL_CUDA_KERNEL_march_53_gray16_to32;
}

/* For every test anew: one that fails leaves its jobs behind. */
static void open_cpu(void)
{
    pool = wvl_pool_create(NULL, 1, NULL);
    REQUIRE_THAT(wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu) == WVL_OK, "cpu");
}

static void close_cpu(void)
{
    wvl_backend_cpu.close(cpu);
    wvl_pool_destroy(pool);
}

TEST_FIXTURE(open_cpu, close_cpu);

/* Three components of every depth from 9 to 16, of both signs, interleaved and planar, all height parities, offsets. */
TEST_EACH(colors, 32)
{
    static job j;
    const uint32_t depth = 9 + (uint32_t)_i % 8, is_signed = (uint32_t)_i / 8 & 1, interleaved = (uint32_t)_i / 16 & 1;
    start_job(&j, 120000u + (uint64_t)_i, 3, depth, is_signed);
    place_picture(&j, 8 * between(17, 50), between(66, 180), 8 * between(0, 9), 4 * between(0, 20));
    check_plain(&j, (int)interleaved, between(1, 8), first_color(depth, (int)is_signed, (int)interleaved));
}

/* One component, and three without a color transform. */
TEST_EACH(grays, 32)
{
    static job j;
    const uint32_t depth = 9 + (uint32_t)_i % 8, is_signed = (uint32_t)_i / 8 & 1;
    start_job(&j, 130000u + (uint64_t)_i, _i & 16 ? 3 : 1, depth, is_signed);
    j.settings.mct = 0;
    place_picture(&j, 8 * between(17, 80), between(66, 180), 8 * between(0, 9), 4 * between(0, 20));
    check_plain(&j, 0, between(1, 8), first_gray(depth, (int)is_signed));
}

/* Tiles: planes that share a warp, cascades, single last levels; of 13 bits the last low-low band alone has 16. With
 * more components than multiprocessors no thread block goes through all levels that are left. */
TEST_EACH(tiles, 12)
{
    static const uint32_t widths[] = {136, 128, 256};
    static job j;
    const uint32_t interleaved = (uint32_t)_i & 1, depth = 12 + ((uint32_t)_i >> 1 & 1), width = widths[_i % 3];
    start_job(&j, 140000u + (uint64_t)_i, 3, depth, 0);
    j.settings.levels = (uint8_t)between(width == 128 ? 5 : 4, 6);
    place_picture(&j, 8 * between(50, 70), between(170, 300), 0, 0);
    set_tiles(&j, width, width == 128 ? 16 * between(8, 10) : 4 * between(17, 40));
    check_plain(&j, (int)interleaved, width == 128 ? 4 : between(1, 200), first_color(depth, 0, (int)interleaved));
}

/* Several panels and levels behind them: what marching leaves marches again, goes in a cascade or is the last level. */
TEST_EACH(planes, 8)
{
    static job j;
    const uint32_t interleaved = (uint32_t)_i & 1, wide = (uint32_t)_i & 4;
    start_job(&j, 150000u + (uint64_t)_i, 3, 12, 0);
    j.settings.levels = (uint8_t)(_i % 3 + 4);
    place_picture(&j, wide ? 8 * between(200, 260) : 8 * between(35, 60), wide ? between(140, 200) : between(600, 700),
                  64 * between(0, 2), 64 * between(0, 2));
    wvl_emulate_level_reversed(_i & 1);
    check_plain(&j, (int)interleaved, _i & 2 ? 1 : 132, first_color(12, 0, (int)interleaved));
    wvl_emulate_level_reversed(0);
}

#define LINE 256u

/* One level of 5/3 without rounding: the first `count` samples to count / 2 low ones and as many high ones. */
static void split_line(double *v, uint32_t count)
{
    double high[LINE / 2], low[LINE / 2];
    for (uint32_t k = 0; k < count / 2; k++) {
        high[k] = v[2 * k + 1] - (v[2 * k] + v[2 * k + 2 < count ? 2 * k + 2 : 2 * k]) / 2;
        low[k] = v[2 * k] + ((k ? high[k - 1] : high[0]) + high[k]) / 4;
    }
    memcpy(v, low, count / 2 * sizeof *v);
    memcpy(v + count / 2, high, count / 2 * sizeof *v);
}

/* Says whether sample x adds to a high coefficient in the middle of the last of `levels`. */
static int adds(uint32_t x, uint32_t levels)
{
    double v[LINE] = {0};
    v[x] = 1;
    for (uint32_t l = 0; l < levels; l++) {
        split_line(v, LINE >> l);
    }
    const uint32_t count = LINE >> levels;
    return v[count + count / 2] > 0;
}

/* The two extremes so that magnitudes of HH of the last level take more than 15 bits, where LL behind it has 16-bit
 * containers (one component of 14 bits). */
TEST_EACH(extremes, 3)
{
    static job j;
    int sign[LINE];
    const uint32_t levels = (uint32_t)_i + 3;
    default_job(&j);
    j.settings.levels = (uint8_t)levels;
    j.settings.block_width = j.settings.block_height = 8;
    set_depths(&j, 14, 0);
    place_picture(&j, 2 * LINE, 2 * LINE, 0, 0);
    plan_job(&j);
    draw_plain_pixels(&j, 0);
    for (uint32_t x = 0; x < LINE; x++) {
        sign[x] = adds(x, levels);
    }
    for (uint32_t i = 0; i < 4 * LINE * LINE; i++) {
        uint32_t top = sign[i % LINE] == sign[i / (2 * LINE) % LINE] ? 0x3fff : 0;
        put_sample(j.memory[0], i, WVL_SAMPLE_16, top);
    }
    check_picture(&j, 132, first_gray(14, 0));
}

/* Widths that no panel takes: the any-shape kernels, here beside the CPU as well. */
TEST_EACH(odd_widths, 4)
{
    static job j;
    start_job(&j, 160000u + (uint64_t)_i, 3, 12, (uint32_t)_i >> 1 & 1);
    place_picture(&j, 8 * between(8, 20) + between(1, 7), between(33, 90), between(0, 9), between(0, 70));
    check_plain(&j, _i & 1, 132, WVL_CUDA_KERNEL_any_53);
}

/* Floating point of a shape that marches as integers, with a color transform and without. */
TEST_EACH(floats, 4)
{
    static job j;
    start_job(&j, 180000u + (uint64_t)_i, _i & 2 ? 3 : 1, 16, WVL_SAMPLE_FLOAT);
    j.settings.style = WVL_STYLE_HT;
    place_picture(&j, 8 * between(17, 50), between(66, 180), 0, 0);
    check_plain(&j, _i & 1, 132, WVL_CUDA_KERNEL_any_53);
}

/* A sample outside its depth, of either sign, wherever it lies. */
TEST_EACH(outside, 16)
{
    static job j;
    static device_picture d;
    const uint32_t is_signed = (uint32_t)_i & 1, interleaved = (uint32_t)_i >> 1 & 1, mixed = (uint32_t)_i >> 2 & 1;
    start_job(&j, 170000u + (uint64_t)_i, mixed ? 3 : 1, mixed ? 12 : 13, is_signed);
    j.settings.levels = 5;
    j.settings.mct = mixed ? 2 : 0;
    j.settings.block_width = 64;
    j.settings.block_height = 8;
    place_picture(&j, 8 * between(17, 40), between(66, 90), 0, 0);
    plan_job(&j);
    draw_plain_pixels(&j, (int)(interleaved && mixed));
    memset(&d, 0, sizeof d);
    place_pixels(&j, &d);
    const wvl_cuda_pixels *p = &d.pixels[between(0, j.format.component_count - 1)];
    const uint32_t x = between(0, j.format.x1 - 1), y = between(0, j.format.y1 - 1), depth = p->depth,
                   beyond = is_signed ? 1u << (depth - 1) : 1u << depth;
    uint8_t *row = (uint8_t *)(uintptr_t)p->data + y * p->pitch_bytes;
    put_sample(row, p->first + (uint64_t)x * p->stride, WVL_SAMPLE_16, _i & 8 && is_signed ? 0u - beyond - 1 : beyond);
    build_tables(&j, between(1, 8), &d);
    check_first(&d, mixed ? first_color(12, (int)is_signed, (int)interleaved) : first_gray(13, (int)is_signed), &j);
    run_launches(&j, &d);
    REQUIRE_THAT(d.outside, "sample %u,%u is outside: %s", x, y, j.name);
    close_picture(&d, &j);
    free_job(&j);
}

/* Last of all. */
TEST(new_kernels)
{
    for (uint32_t k = 0; k < WVL_CUDA_KERNELS; k++) {
        const wvl_cuda_kernel_row *row = &wvl_cuda_kernel_rows[k];
        int either = row->family != WVL_CUDA_FAMILY_ANY && !row->coef_bits;
        REQUIRE_THAT(!either || launched[k], "%s was never launched", row->name);
    }
}

/* Precincts that make blocks of fewer than four samples along a side: r = 0, then the others. */
TEST_EACH(tiny_blocks, 42)
{
    static const uint32_t sizes[][4] = {{2, 32, 32, 2}, {32, 2, 32, 2}, {64, 2, 64, 2}, {4, 4, 8, 8},
                                        {2, 2, 2, 2},   {4, 32, 16, 4}, {1, 1, 2, 2}};
    static job j;
    const uint32_t *size = sizes[_i % 7], levels = 2 + (uint32_t)_i / 7 % 3;
    start_job(&j, 190000u + (uint64_t)_i, _i & 2 ? 3 : 1, _i & 4 ? 12 : 10, 0);
    j.settings.levels = (uint8_t)levels;
    j.settings.block_width = 64;
    j.settings.block_height = _i & 1 ? 8 : 64;
    j.settings.precinct_count = levels + 1;
    for (uint32_t r = 0; r <= levels; r++) {
        j.settings.precinct_width[r] = r == levels ? size[0] : size[2];
        j.settings.precinct_height[r] = r == levels ? size[1] : size[3];
    }
    place_picture(&j, 8 * between(5, 40), between(66, 180), 0, 0);
    check_plain(&j, 0, between(1, 132), ANY_FIRST);
}

int main(void) { return test_run_suite_as("cuda_emulated", CK_NOFORK); }
