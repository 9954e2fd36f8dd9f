/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inverse: the host's against the forward transform (any machine), the device's against the host's, byte by byte
 * with the gaps between the pixels. Device memory and output are filled with poison first (with WVL_CUDA_UNPOISONED in
 * the environment, for a checker of its own, pixels alone). WVL_CUDA_SUBSET runs a few shapes (for slow checkers), 2
 * fewer still and each once on the device; CK_RUN_CASE names a case. WVL_CUDA_TWIN_IMAGE: as in test_cuda_dwt.c.
 */
#define WITHOUT_WORDS
#include "tests/twin/test_cuda_job.h"

#include "lab/cuda/inverse/host.h"
#include "lab/cuda/inverse/launch.h"
#include "lab/cuda/inverse/tables.h"
#include "pixel_layout.h"

#define POISON 0xA7

static wvl_cuda_runtime driver;
static wvl_cuda_inverse_kernels loaded;
static wvl_backend *cpu;
static int have_device, subset;                                       /* 0, 1 or 2 */
static uint64_t kernel_uses[WVL_CUDA_INVERSE_KERNELS], uneven_splits; /* of long stretches and short ones */
static uint32_t machine = MACHINE; /* multiprocessors that stretches are chosen for */

/* Once: the driver's context stays while tests come and go. */
static void open_device(void)
{
    int count = 0, device = 0;
    wvl_cuda_context context;
    const char *few = getenv("WVL_CUDA_SUBSET");
    static int looked;
    if (looked++) {
        return;
    }
    subset = few ? few[0] == '2' ? 2 : 1 : 0;
    if (!wvl_cuda_inverse_fetch_image() || !wvl_cuda_fetch_runtime(&driver) || driver.init(0) ||
        driver.device_count(&count) || !count) {
        printf("no device, or no device code in this build: the device twins of the inverse are skipped\n");
        subset = 1; /* the host's reference alone */
        return;
    }
    REQUIRE_THAT(!driver.device_get(&device, 0) && !driver.context_retain(&context, device) &&
                     !driver.context_push(context),
                 "context");
    const void *image = read_image(getenv("WVL_CUDA_TWIN_IMAGE"));
    wvl_cuda_status status =
        wvl_cuda_inverse_init_kernels(&driver, image ? image : wvl_cuda_inverse_fetch_image(), MACHINE, &loaded);
    REQUIRE_THAT(!status, "kernels: %d", status);
    have_device = 1;
}

static void open_suite(void)
{
    open_device();
    pool = wvl_pool_create(NULL, 2, NULL);
    REQUIRE_THAT(wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu) == WVL_OK, "cpu");
}

static void close_suite(void)
{
    wvl_backend_cpu.close(cpu);
    wvl_pool_destroy(pool);
}

/* ---- Coefficients ---------------------------------------------------------------------------- */

typedef struct coefficients {
    uint8_t *memory; /* of all tiles, one after the other */
    uint64_t bytes;
    wvl_coefs *tiles;
} coefficients;

static void draw_block(const wvl_coefs *c, const wvl_tile_band *band, wvl_rect r, unsigned style)
{
    uint32_t top = (uint32_t)(((uint64_t)1 << (band->planes + band->frac_bits)) - 1),
             sign = band->coef_bytes == 2 ? 0x8000u : 0x80000000u;
    for (uint32_t y = r.y0; y < r.y1; y++) {
        for (uint32_t x = r.x0; x < r.x1; x++) {
            uint64_t v = draw();
            uint32_t m = style == 0   ? (uint32_t)(v >> 8) & top
                         : style == 1 ? (v & 2 ? top : 0)
                                      : (v & 6 ? 0 : (uint32_t)(v >> 8) & top);
            uint32_t w = m | (v & 1 ? sign : 0); /* of a zero too: geom/handover.h */
            memcpy(c->samples + wvl_coef_at(band, x, y), &w, band->coef_bytes);
        }
    }
}

/* What the CPU's forward transform makes of the pixels, or anything that the magnitude bounds of the bands admit; pads
 * are poison. */
static void open_coefficients(const job *j, const run *forward, unsigned style, coefficients *c)
{
    uint32_t count = j->plan->syntax.tile_count;
    c->bytes = 0;
    c->tiles = calloc(count, sizeof *c->tiles);
    for (uint32_t t = 0; t < count; t++) {
        c->bytes += j->tiles[t].coef_bytes;
    }
    c->memory = malloc(c->bytes + 1);
    memset(c->memory, POISON, c->bytes);
    uint64_t at = 0;
    for (uint32_t t = 0; t < count; at += j->tiles[t++].coef_bytes) {
        c->tiles[t] = (wvl_coefs){&j->tiles[t], c->memory + at, NULL, NULL};
        for (uint32_t i = 0; i < j->tiles[t].band_count; i++) {
            const wvl_tile_band *band = &j->tiles[t].bands[i];
            for (uint32_t k = 0; k < band->block_cols * band->block_rows; k++) {
                wvl_rect r = wvl_geom_block_rect(band, k % band->block_cols, k / band->block_cols);
                for (uint32_t y = r.y0; forward && y < r.y1; y++) {
                    uint64_t row = wvl_coef_at(band, r.x0, y);
                    memcpy(c->tiles[t].samples + row, forward->coefs[t].samples + row,
                           (size_t)(r.x1 - r.x0) * band->coef_bytes);
                }
                if (!forward) {
                    draw_block(&c->tiles[t], band, r, style);
                }
            }
        }
    }
}

static void close_coefficients(coefficients *c)
{
    free(c->memory);
    free(c->tiles);
}

/* ---- The device's side ----------------------------------------------------------------------- */

#define DRIVER(call)                                                                                                   \
    do {                                                                                                               \
        wvl_cuda_status done = (call);                                                                                 \
        REQUIRE_THAT(!done, "%s: %d", #call, done);                                                                    \
    } while (0)

static wvl_cuda_address take(uint64_t bytes, int poisoned)
{
    wvl_cuda_address a = 0;
    DRIVER(driver.malloc_device(&a, bytes + 256));
    DRIVER(poisoned ? driver.fill(a, POISON, bytes + 256, NULL) : WVL_CUDA_SUCCESS);
    return a;
}

static void build_tables(const job *j, int any_shape, const wvl_cuda_inverse_memory *memory, wvl_cuda_inverse_tables *t)
{
    wvl_cuda_inverse_build_tables(j->plan, j->tiles, j->plan->syntax.tile_count,
                                  &(wvl_cuda_inverse_options){any_shape, 0, machine}, memory, t);
}

static void fill_tables(const job *j, int any_shape, const wvl_cuda_inverse_memory *memory, wvl_cuda_inverse_tables *t)
{
    wvl_cuda_inverse_tables counts = *t;
    t->splits = calloc(t->split_count + 1, sizeof *t->splits);
    t->items = calloc(t->item_count + 1, sizeof *t->items);
    t->launches = calloc(t->launch_count + 1, sizeof *t->launches);
    build_tables(j, any_shape, memory, t);
    for (uint64_t i = 0; i < t->split_count; i++) {
        uneven_splits += t->splits[i].long_rows > 0;
    }
    REQUIRE_THAT(t->split_count == counts.split_count && t->item_count == counts.item_count &&
                     t->launch_count == counts.launch_count && t->plane_bytes == counts.plane_bytes,
                 "counted otherwise than filled: %s", j->name);
}

static void run_device(const job *j, const coefficients *c, const layout *l, int any_shape, uint8_t *out)
{
    wvl_cuda_pixels pixels[COMPONENTS];
    wvl_cuda_inverse_memory memory = {0, 0, pixels};
    wvl_cuda_inverse_tables t = {0};
    place_layout(l, 0, pixels);
    build_tables(j, any_shape, &memory, &t);
    const int poisoned = !getenv("WVL_CUDA_UNPOISONED");
    wvl_cuda_address to = take(l->bytes, 1), splits = take(t.split_count * sizeof *t.splits, poisoned),
                     items = take(t.item_count * sizeof *t.items, poisoned);
    memory.coefs = take(c->bytes, poisoned);
    memory.planes = take(t.plane_bytes, poisoned);
    place_layout(l, to, pixels);
    fill_tables(j, any_shape, &memory, &t);
    DRIVER(driver.upload(memory.coefs, c->memory, c->bytes, NULL));
    DRIVER(driver.upload(splits, t.splits, t.split_count * sizeof *t.splits, NULL));
    DRIVER(driver.upload(items, t.items, t.item_count * sizeof *t.items, NULL));
    for (uint64_t i = 0; i < t.launch_count; i++) {
        const wvl_cuda_inverse_launch *r = &t.launches[i];
        kernel_uses[r->kernel]++;
        DRIVER(wvl_cuda_inverse_launch_level(&driver, &loaded, r->kernel, splits,
                                             items + r->first_item * sizeof *t.items, r->item_count, r > t.launches,
                                             wvl_cuda_to_stream(NULL)));
    }
    DRIVER(driver.download(out, to, l->bytes, NULL));
    DRIVER(driver.stream_wait(NULL));
    wvl_cuda_address all[] = {to, splits, items, memory.coefs, memory.planes};
    for (unsigned i = 0; i < 5; i++) {
        DRIVER(driver.free_device(all[i]));
    }
    free(t.splits);
    free(t.items);
    free(t.launches);
}

static void compare_outputs(const job *j, const layout *l, const uint8_t *host, const uint8_t *device,
                            const char *which)
{
    if (!memcmp(host, device, l->bytes)) {
        return;
    }
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_cuda_pixels *p = &l->pixels[c];
        wvl_rect r = j->plan->syntax.components[c].rect;
        uint64_t bytes = container_bits(p->container) / 8;
        for (uint32_t y = r.y0; y < r.y1; y++) {
            for (uint32_t x = r.x0; x < r.x1; x++) {
                uint64_t at = p->data + (uint64_t)((int64_t)(y - r.y0) * p->pitch_bytes) +
                              (p->first + (uint64_t)(x - r.x0) * p->stride) * bytes;
                REQUIRE_THAT(!memcmp(host + at, device + at, bytes), "%s: component %u (%u,%u): %02x, device %02x: %s",
                             which, c, x, y, host[at], device[at], j->name);
            }
        }
    }
    ck_abort_msg("%s: written between the pixels: %s", which, j->name);
}

/* ---- One case -------------------------------------------------------------------------------- */

static uint32_t pixel_value(const uint8_t *base, const wvl_cuda_pixels *p, uint32_t x, uint32_t y)
{
    uint64_t bytes = container_bits(p->container) / 8;
    uint32_t v = 0;
    memcpy(&v, base + p->data + (uint64_t)((int64_t)y * p->pitch_bytes) + (p->first + (uint64_t)x * p->stride) * bytes,
           bytes);
    return v;
}

static uint32_t source_value(const wvl_plane *p, uint32_t x, uint32_t y)
{
    const uint8_t *row = (const uint8_t *)p->data + (ptrdiff_t)y * p->pitch_bytes;
    uint32_t bits = container_bits(p->container), v = 0;
    uint64_t at = (p->first_sample + (uint64_t)x * p->sample_stride) * bits;
    if (bits % 8 == 0) {
        memcpy(&v, row + at / 8, bits / 8);
    }
    for (uint64_t i = at; bits % 8 && i < at + bits; i++) {
        v = v << 1 | (row[i / 8] >> (7 - i % 8) & 1);
    }
    return v;
}

/* Against the pixels that went in: exact, or as near as `slack` says. */
static void compare_pixels(const job *j, const layout *l, const uint8_t *out, int32_t slack)
{
    for (uint32_t c = 0; c < j->format.component_count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        const wvl_plane *p = &j->planes[c];
        uint32_t mask = (1u << pc->depth) - 1, flip = pc->is_signed ? 1u << (pc->depth - 1) : 0;
        for (uint32_t y = 0; y < wvl_rect_height(pc->rect); y++) {
            for (uint32_t x = 0; x < wvl_rect_width(pc->rect); x++) {
                int32_t was = (int32_t)((source_value(p, x, y) + flip) & mask),
                        is = (int32_t)((pixel_value(out, &l->pixels[c], x, y) + flip) & mask);
                REQUIRE_THAT(abs(was - is) <= slack, "component %u (%u,%u): %d came back as %d: %s", c, x, y, was, is,
                             j->name);
            }
        }
    }
}

/* Forward on the CPU, back on the host; that twice on the device too, fast and plain. The job has pixels of whole
 * bytes, one or two. */
static void check_job(job *j, unsigned style, int32_t slack)
{
    unsigned kind = (unsigned)(draw() % 4);
    run forward = {.table = &wvl_backend_cpu, .backend = cpu};
    coefficients c;
    layout l;
    lay_out(j, style, &l);
    uint8_t *host = malloc(l.bytes + 256), *device = malloc(l.bytes + 256);
    uint64_t base = wvl_align_up((uint64_t)(uintptr_t)host, 64), shift = base - (uint64_t)(uintptr_t)host;
    wvl_cuda_pixels pixels[COMPONENTS];
    place_layout(&l, base, pixels);
    start_run(&forward, j);
    finish_run(&forward, j);
    const unsigned once = subset == 2 && have_device,
                   only = once ? (unsigned)(draw() & 1) : 0; /* of the coefficients: the picture's, drawn ones */
    for (unsigned turn = only; turn < (once ? only + 1 : have_device ? 2u : 1u); turn++) {
        open_coefficients(j, turn ? NULL : &forward, kind, &c);
        memset(host, POISON, l.bytes + 256);
        REQUIRE_THAT(wvl_cuda_inverse_run_host(j->plan, j->tiles, j->plan->syntax.tile_count, c.tiles, pixels),
                     "no memory");
        if (!turn) {
            compare_pixels(j, &l, host + shift, slack);
        }
        for (unsigned plain = 0; have_device && plain < (once ? 1u : 2u); plain++) {
            run_device(j, &c, &l, plain, device);
            compare_outputs(j, &l, host + shift, device, plain ? "plain" : "fast");
        }
        close_coefficients(&c);
    }
    end_run(&forward);
    free(host);
    free(device);
    free_job(j);
}

/* Steps far below a sample, so that the way back differs by rounding alone. */
static void refine(job *j)
{
    if (!j->settings.reversible) {
        j->settings.distortion_bits = 0;
        j->settings.step = 1.0 / 1048576.0;
    }
}

static void start_job(job *j, uint32_t is_reversible, uint32_t levels)
{
    default_job(j);
    j->settings.reversible = (uint8_t)is_reversible;
    j->settings.levels = (uint8_t)levels;
}

static int32_t slack_of(const job *j) { return j->settings.reversible ? 0 : 1; }

TEST_FIXTURE(open_suite, close_suite);

/* All widths or heights 1..67 against a few of the other, both origin parities, both wavelets. */
TEST_EACH(small_shapes, 67)
{
    static const uint32_t others[] = {1, 2, 3, 5, 8, 17, 64};
    static job j;
    uint32_t n = (uint32_t)_i + 1;
    if ((subset && n > 9 && (n < 31 || n > 33) && n < 63) || (subset == 2 && n % 4 != 1 && n != 32)) {
        return;
    }
    for (uint32_t k = subset == 2 ? n / 8 % 3 : 0; k < sizeof others / sizeof *others; k += subset == 2 ? 3 : 1) {
        for (uint32_t turn = subset == 2 ? n & 2 : 0; turn < (subset == 2 ? (n & 2) + 2 : subset ? 4u : 8u); turn++) {
            seed_state = n * 2000u + k * 8u + turn;
            start_job(&j, turn & 1, between(0, 7));
            draw_blocks(&j, 4, 4, 4, 4);
            j.format.component_count = turn & 2 ? 3 : 1;
            draw_depths(&j, 1, 16);
            refine(&j);
            place_picture(&j, turn & 4 ? n : others[k], turn & 4 ? others[k] : n, between(0, 5), between(0, 5));
            plan_job(&j);
            draw_pixels(&j, (int)(draw() & 1));
            check_job(&j, (unsigned)(draw() % 4), slack_of(&j));
        }
    }
}

/* Pictures that the marching kernels take: every height parity, several panels and stretches, all containers of theirs,
 * and the edges of that. */
TEST_EACH(marching, 24)
{
    static job j;
    if (subset && _i % (6 * subset)) {
        return;
    }
    for (uint32_t turn = 0; turn < (subset ? 8u / (unsigned)subset : 32u); turn++) {
        seed_state = 41414u + (uint64_t)_i * 1000u + turn;
        start_job(&j, turn & 1, between(2, 6));
        draw_blocks(&j, 8, 3, 8, 3);
        j.settings.distortion_bits = (uint8_t)between(0, 4);
        j.format.component_count = turn & 2 ? 3 : 1;
        set_depths(&j, turn & 4 ? between(9, 16) : 8, 0);
        uint32_t w = 16 * between(2, subset ? 40 : 100), h = between(32, subset == 2 ? 90 : subset ? 150 : 700);
        place_picture(&j, w, h, turn & 8 ? 64 * between(0, 3) : 0, turn & 16 ? 4 * between(0, 9) : 0);
        if (turn % 5 == 4) {
            set_tiles(&j, 16 * between(8, 30), 256);
        }
        plan_job(&j);
        draw_plain_pixels(&j, (int)(draw() & 1));
        machine = draw() & 1 ? between(1, 12) : MACHINE;
        check_job(&j, draw() & 1 ? TIGHT_PIXELS : TIGHT_PLANES, j.settings.reversible ? 0 : 16);
        machine = MACHINE;
    }
}

/* Rows of small tiles, whose planes share warps; the last of a row is often another shape. */
TEST_EACH(shared_warps, 12)
{
    static job j;
    if (subset && _i % (4 * subset)) {
        return;
    }
    for (uint32_t turn = 0; turn < (subset == 2 ? 2u : 8u); turn++) {
        seed_state = 717171u + (uint64_t)_i * 1000u + turn;
        start_job(&j, turn & 1, between(4, 6));
        draw_blocks(&j, 8, 3, 8, 3);
        j.settings.distortion_bits = (uint8_t)between(0, 3);
        j.format.component_count = turn & 2 ? 3 : 1;
        set_depths(&j, turn & 4 ? between(9, 16) : 8, 0);
        uint32_t side = 128u << (draw() & 1);
        j.settings.tile_width = side + 32 * between(0, 2);
        j.settings.tile_height = side;
        place_picture(&j, j.settings.tile_width * between(2, 5) + 8 * between(0, 12), side / 2 * between(1, 4), 0, 0);
        plan_job(&j);
        draw_plain_pixels(&j, (int)(draw() & 1));
        check_job(&j, draw() & 1 ? TIGHT_PIXELS : TIGHT_PLANES, j.settings.reversible ? 0 : 16);
    }
}

/* Shapes near the limits of tiles, panels and stretches of the kernels. */
TEST_EACH(limits, 25)
{
    static const uint32_t near[] = {31,  32,  33,  63,  64,  65,  127, 128, 129, 224, 240, 241, 255,
                                    256, 257, 272, 448, 464, 480, 481, 496, 512, 513, 528, 1024};
    static job j;
    if (subset == 2 && _i % 4 != 2) {
        return;
    }
    for (uint32_t turn = 0; turn < (subset ? 4u / (unsigned)subset : 24u); turn++) {
        seed_state = 99u + (uint64_t)_i * 100u + turn;
        start_job(&j, turn & 1, between(1, 6));
        draw_blocks(&j, 16, 2, 16, 2);
        j.format.component_count = turn & 2 ? 3 : 1;
        draw_depths(&j, turn & 4 ? 8 : 5, turn & 4 ? 8 : 16);
        uint32_t other = near[draw() % (subset == 2 ? 6 : 25)], origin = turn & 8 ? between(0, 70) : 0;
        place_picture(&j, turn & 16 ? other : near[_i], turn & 16 ? near[_i] : other, origin, origin / 2);
        for (uint32_t c = 0; c < COMPONENTS; c++) {
            j.components[c].is_signed = 0;
            j.components[c].depth = turn & 4 ? j.components[c].depth : j.components[0].depth;
        }
        plan_job(&j);
        draw_plain_pixels(&j, (int)(draw() & 1));
        check_job(&j, (unsigned)(draw() % 4), j.settings.reversible ? 0 : 16);
    }
}

/* Tiles, offsets, subsampling, precincts, coarse steps. */
TEST_EACH(structures, 48)
{
    static job j;
    if (subset && _i % (8 * subset)) {
        return;
    }
    for (uint32_t turn = 0; turn < (subset == 2 ? 2u : 12u); turn++) {
        seed_state = 888888u + (uint64_t)_i * 100u + turn;
        default_job(&j);
        j.settings.reversible = turn & 1;
        j.settings.levels = (uint8_t)(draw() % 8 ? between(0, 6) : between(7, 32));
        j.settings.mct = turn & 2 ? 2 : 0;
        j.format.component_count = between(1, COMPONENTS);
        draw_depths(&j, 1, 16);
        draw_grid(&j, turn);
        int coarse = draw() & 1;
        j.settings.step = coarse ? 1.0 / (double)(1u << between(4, 14)) : 0;
        plan_job(&j);
        draw_pixels(&j, 0);
        check_job(&j, (unsigned)(draw() % 4), j.settings.reversible ? 0 : coarse ? 1 << 16 : 16);
    }
}

/* ---- Every kernel ---------------------------------------------------------------------------- */

/* Pictures as small as the kernels take them; one with stretches of two lengths. */
static const struct {
    uint32_t width, height, components, depth, levels, bits, style, multiprocessors;
} kinds[] = {
    {320, 40, 1, 8, 2, 0, TIGHT_PLANES, 0},  {64, 40, 1, 8, 2, 0, TIGHT_PLANES, 0},
    {64, 36, 3, 8, 2, 0, TIGHT_PIXELS, 0},   {64, 36, 3, 8, 2, 0, TIGHT_PLANES, 0},
    {512, 32, 3, 8, 2, 0, TIGHT_PIXELS, 0},  {512, 32, 3, 8, 2, 0, TIGHT_PLANES, 0},
    {64, 36, 1, 12, 2, 0, TIGHT_PLANES, 0},  {64, 36, 1, 16, 2, 4, TIGHT_PLANES, 0},
    {256, 128, 1, 8, 4, 0, TIGHT_PLANES, 0}, {256, 128, 1, 16, 4, 4, TIGHT_PLANES, 0},
    {37, 35, 3, 8, 2, 4, LOOSE_PIXELS, 0},   {240, 720, 3, 8, 2, 0, TIGHT_PIXELS, 1},
};

static void count_kernels(const job *j, const layout *l, uint64_t *uses)
{
    wvl_cuda_pixels pixels[COMPONENTS];
    wvl_cuda_inverse_memory memory = {UINT64_C(1) << 32, UINT64_C(1) << 33, pixels};
    wvl_cuda_inverse_tables t = {0}; /* addresses are read by nobody */
    place_layout(l, UINT64_C(1) << 34, pixels);
    build_tables(j, 0, &memory, &t);
    fill_tables(j, 0, &memory, &t);
    for (uint64_t i = 0; i < t.launch_count; uses[t.launches[i++].kernel]++) {
    }
    free(t.splits);
    free(t.items);
    free(t.launches);
}

TEST(kernels)
{
    static job j;
    uint64_t planned[WVL_CUDA_INVERSE_KERNELS] = {0};
    memset(kernel_uses, 0, sizeof kernel_uses);
    uneven_splits = 0;
    for (uint32_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        layout l;
        seed_state = 5150u + i;
        default_job(&j);
        j.settings.reversible = i & 1;
        j.settings.levels = (uint8_t)kinds[i / 2].levels;
        j.settings.distortion_bits = (uint8_t)kinds[i / 2].bits;
        j.format.component_count = kinds[i / 2].components;
        set_depths(&j, kinds[i / 2].depth, 0);
        place_picture(&j, kinds[i / 2].width, kinds[i / 2].height, 0, 0);
        plan_job(&j);
        draw_plain_pixels(&j, 0);
        lay_out(&j, kinds[i / 2].style, &l);
        machine = kinds[i / 2].multiprocessors ? kinds[i / 2].multiprocessors : MACHINE;
        count_kernels(&j, &l, planned);
        check_job(&j, kinds[i / 2].style, j.settings.reversible ? 0 : 16);
        machine = MACHINE;
    }
    REQUIRE_THAT(uneven_splits, "no stretches of two lengths");
    for (unsigned k = 0; k < WVL_CUDA_INVERSE_KERNELS; k++) {
        REQUIRE_THAT(planned[k], "kernel %u is nowhere in the tables", k);
        REQUIRE_THAT(!have_device || kernel_uses[k], "kernel %u never ran", k);
    }
}

TEST(versions) { check_versions(wvl_cuda_inverse_fetch_image()); }

int main(void) { return test_on_device("twin_cuda_inverse", &have_device); }
