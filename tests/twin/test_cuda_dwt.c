/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device backend against the CPU's, coefficient by coefficient and bound by bound. Device memory is filled with
 * poison when it is allocated (not with WVL_CUDA_UNPOISONED in the environment, for a checker of its own). Without a
 * device the suite says so and passes. WVL_CUDA_SUBSET runs a few shapes (for slow checkers), 2 fewer still;
 * CK_RUN_CASE names a case. WVL_CUDA_TWIN_IMAGE names a file of device code to be tested instead.
 * device/test_checkers.sh uses all of these.
 */
#include "test_cuda_job.h"

/* A driver that poisons memory and counts the launches of every kernel. */
#define LOADED 512u /* functions: more than the backends of one test load */

static wvl_cuda_runtime driver;

/* Which kernels the suite has reached. Every backend loads its own; addresses of those that are closed may come again.
 */
static struct {
    char name[64];
    uint32_t launches;
} kernel_uses[WVL_CUDA_KERNELS + 256]; /* more than a device loads, of all rooms */
static struct {
    wvl_cuda_function function;
    unsigned use;
} loaded[LOADED];
static unsigned loaded_count;

static wvl_cuda_status named_function(wvl_cuda_function *function, wvl_cuda_module module, const char *name)
{
    wvl_cuda_status status = driver.module_function(function, module, name);
    unsigned use = 0;
    while (kernel_uses[use].name[0] && strcmp(kernel_uses[use].name, name) != 0) {
        use++;
        REQUIRE_THAT(use < sizeof kernel_uses / sizeof *kernel_uses, "no room for %s", name);
    }
    snprintf(kernel_uses[use].name, sizeof kernel_uses[use].name, "%s", name);
    loaded[loaded_count % LOADED].function = *function;
    loaded[loaded_count++ % LOADED].use = use;
    return status;
}

static void count_launch(wvl_cuda_function function)
{
    for (unsigned i = loaded_count; i-- > (loaded_count > LOADED ? loaded_count - LOADED : 0);) {
        if (loaded[i % LOADED].function == function) {
            kernel_uses[loaded[i % LOADED].use].launches++;
            return;
        }
    }
}

static wvl_cuda_status counted_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                      unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                      void **extra)
{
    count_launch(f);
    return driver.launch(f, gx, gy, gz, bx, by, bz, shared, s, arguments, extra);
}

static wvl_cuda_status counted_config(const wvl_cuda_launch_config *config, wvl_cuda_function f, void **arguments,
                                      void **extra)
{
    count_launch(f);
    return driver.launch_config(config, f, arguments, extra);
}

static wvl_cuda_status poisoned_malloc(wvl_cuda_address *address, size_t bytes)
{
    wvl_cuda_status status = driver.malloc_device(address, bytes);
    if (status || getenv("WVL_CUDA_UNPOISONED")) {
        return status;
    }
    status = driver.fill(*address, 0xA7, bytes, NULL);
    return status ? status : driver.stream_wait(NULL);
}

static wvl_cuda_runtime poisoning;
static wvl_backend *cpu, *cuda[2]; /* cuda[1]: every level with the any-shape kernels */
static int have_device;
static int subset; /* 1 or 2 */

/* The driver's context stays while backends come and go. */
static void find_device(void)
{
    wvl_cuda_context context;
    int count = 0, device;
    const char *few = getenv("WVL_CUDA_SUBSET");
    static int looked;
    if (looked++) {
        return;
    }
    subset = few ? few[0] == '2' ? 2 : 1 : 0;
    if (!wvl_cuda_fetch_image() || !wvl_cuda_fetch_runtime(&driver) || driver.init(0) || driver.device_count(&count) ||
        !count) {
        printf("no device, or no device code in this build: the device twins are skipped\n");
        return;
    }
    REQUIRE_THAT(!driver.device_get(&device, 0) && !driver.context_retain(&context, device), "context");
    poisoning = driver;
    poisoning.malloc_device = poisoned_malloc;
    poisoning.module_function = named_function;
    poisoning.launch = counted_launch;
    poisoning.launch_config = driver.launch_config ? counted_config : NULL;
    have_device = 1;
}

/* For every test anew: one that fails leaves its jobs behind. */
static void open_backends(void)
{
    find_device();
    pool = wvl_pool_create(NULL, 2, NULL);
    if (!have_device) {
        return;
    }
    REQUIRE_THAT(wvl_backend_cpu.open(&(wvl_backend_options){.pool = pool}, &cpu) == WVL_OK, "cpu");
    const void *image = read_image(getenv("WVL_CUDA_TWIN_IMAGE"));
    for (unsigned i = 0; i < 2; i++) {
        wvl_cuda_options options = {.runtime = &poisoning, .tables = i ? WVL_CUDA_PLAIN_PATH : 0, .image = image};
        wvl_status status = wvl_cuda_open_backend(NULL, pool, &options, &cuda[i]);
        REQUIRE_THAT(status == WVL_OK, "open: %d", status);
    }
}

static void close_backends(void)
{
    if (have_device) {
        wvl_backend_cpu.close(cpu);
        wvl_backend_cuda.close(cuda[0]);
        wvl_backend_cuda.close(cuda[1]);
    }
    wvl_pool_destroy(pool);
}

/* All three at once; leaves the backends ready for the next plan. */
static void check_job(job *j)
{
    run a = {.table = &wvl_backend_cpu, .backend = cpu}, b[2];
    start_run(&a, j);
    for (unsigned i = 0; i < 2; i++) {
        b[i] = (run){.table = &wvl_backend_cuda, .backend = cuda[i]};
        start_run(&b[i], j);
    }
    finish_run(&a, j);
    for (unsigned i = 0; i < 2; i++) {
        finish_run(&b[i], j);
        compare_runs(&a, &b[i], j);
        end_run(&b[i]);
    }
    end_run(&a);
    free_job(j);
}

/* Jobs of a kind: `count` tests, each of some turns with seeds of their own. Checkers that are slow run some of the
 * tests, one in `share`, and few turns of each. */
typedef struct family {
    unsigned (*draw)(job *j, uint32_t i, uint32_t turn); /* all but pixels; returns what they are */
    uint64_t seed;
    unsigned turns, share, few, fewer;
} family;
enum { PLANES, PIXELS, ANY_PLANES, ANY_PIXELS }; /* ANY: in any container */

static void check_family(const family *f, uint32_t i)
{
    static job j;
    if (!have_device || (subset && i % (f->share * (unsigned)subset))) {
        return;
    }
    for (uint32_t turn = 0; turn < (!subset ? f->turns : subset == 1 ? f->few : f->fewer); turn++) {
        seed_state = f->seed + i * 1000u + turn;
        default_job(&j);
        unsigned kind = f->draw(&j, i, turn);
        plan_job(&j);
        if (kind < ANY_PLANES) {
            draw_plain_pixels(&j, (int)kind);
        } else {
            draw_pixels(&j, kind == ANY_PIXELS);
        }
        check_job(&j);
    }
}

/* FAMILY(name, count, seed, turns, share, few, fewer) { draws the job } */
#define FAMILY(name, count, ...)                                                                                       \
    static unsigned draw_##name(job *j, uint32_t i, uint32_t turn);                                                    \
    TEST_EACH(name, count)                                                                                             \
    {                                                                                                                  \
        static const family f = {draw_##name, __VA_ARGS__};                                                            \
        check_family(&f, (uint32_t)_i);                                                                                \
    }                                                                                                                  \
    static unsigned draw_##name(job *j, uint32_t i, uint32_t turn)

static void set_wavelet(job *j, uint32_t is_reversible, uint32_t levels)
{
    j->settings.reversible = (uint8_t)is_reversible;
    j->settings.levels = (uint8_t)levels;
}

TEST_FIXTURE(open_backends, close_backends);

TEST(versions) { check_versions(wvl_cuda_fetch_image()); }

/* All widths or heights 1..67 against a few of the other, both origin parities, both wavelets. */
FAMILY(small_shapes, 67, 1000, 56, 4, 28, 9)
{
    static const uint32_t others[] = {1, 2, 3, 5, 8, 17, 64};
    uint32_t n = i + 1, other = others[turn % 7];
    turn /= 7;
    set_wavelet(j, turn & 1, between(0, 7));
    draw_blocks(j, 4, 4, 4, 4);
    j->format.component_count = turn & 2 ? 3 : 1;
    draw_depths(j, 1, 16);
    place_picture(j, turn & 4 ? n : other, turn & 4 ? other : n, between(0, 5), between(0, 5));
    return ANY_PLANES + (draw() & 1);
}

/* Shapes near the limits of tiles, panels and stretches of the kernels. */
FAMILY(limits, 21, 0, 24, 1, 4, 2)
{
    static const uint32_t near[] = {127, 128, 129, 239, 240, 241, 255, 256, 257,  447, 448,
                                    464, 479, 480, 481, 495, 496, 512, 513, 1023, 1024};
    set_wavelet(j, turn & 1, between(1, 6));
    draw_blocks(j, 16, 2, 16, 2);
    j->format.component_count = turn & 2 ? 3 : 1;
    draw_depths(j, 1, 16);
    if (turn & 4) {
        j->components[0].depth = j->components[1].depth = j->components[2].depth = 8;
    }
    uint32_t other = near[draw() % 21], origin = turn & 8 ? between(0, 70) : 0;
    place_picture(j, turn & 16 ? other : near[i], turn & 16 ? near[i] : other, origin, origin / 2);
    return ANY_PLANES + (draw() & 1);
}

/* Pictures that the marching kernels take: every height parity, several panels and stretches, all containers of theirs.
 */
FAMILY(marching, 24, 31337, 40, 6, 6, 3)
{
    (void)i;
    set_wavelet(j, turn & 1, between(3, 6));
    draw_blocks(j, 8, 3, 8, 3);
    j->settings.distortion_bits = (uint8_t)between(0, turn & 4 ? 8 : 4); /* eight make 9/7 of 16 bits deep */
    j->format.component_count = turn & 2 ? 3 : 1;
    set_depths(j, turn & 4 ? between(9, 16) : 8, 0);
    place_picture(j, 16 * between(4, subset ? 40 : 100), between(64, subset ? 150 : 700),
                  turn & 8 ? 64 * between(0, 3) : 0, turn & 16 ? 512 * between(0, 3) : 0);
    if (turn % 5 == 4) {
        set_tiles(j, 16 * between(8, 30), 256);
    }
    return draw() & 1;
}

/* Rows of lanes around whole panels, which 16 columns a lane and three components reach only in wide pictures. Of the
 * subset the second turn is ICT, whose warps meet at barriers. */
FAMILY(wide, 13, 424242, 8, 4, 2, 2)
{
    turn = (turn + 1) % 8;
    static const uint32_t lanes[] = {32, 33, 56, 57, 58, 60, 61, 64, 112, 116, 120, 124, 128};
    set_wavelet(j, turn & 1, between(2, 5));
    draw_blocks(j, 16, 2, 16, 2);
    j->format.component_count = turn & 2 ? 3 : 1;
    place_picture(j, 16 * lanes[i], between(33, 120), turn & 4 ? 64 : 0, turn & 4 ? between(0, 70) : 0);
    return turn >> 2 & 1;
}

/* A reversible transform whose bands need containers of two sizes (RGB of 12 bits, one component of 13), or whose
 * 16-bit pixels are signed: whole pictures and tiles, widths that march and, one in six, that do not. */
FAMILY(two_sizes, 24, 121212, 24, 4, 6, 3)
{
    (void)i;
    uint32_t is_signed = turn & 1, depth = turn % 4 ? 12 : 13;
    set_wavelet(j, 1, between(3, 6));
    draw_blocks(j, 16, 2, 8, 3);
    j->format.component_count = turn % 4 ? 3 : 1;
    set_depths(j, is_signed ? between(9, 16) : depth, is_signed);
    if (turn % 8 == 7) { /* these do not march */
        set_depths(j, 16, WVL_SAMPLE_FLOAT);
        j->settings.style = WVL_STYLE_HT;
    }
    place_picture(j, 8 * between(8, subset ? 80 : 200) + (turn % 6 == 5 ? between(1, 7) : 0),
                  between(64, subset ? 150 : 700), turn & 8 ? 64 * between(0, 3) : 0,
                  turn & 16 ? 512 * between(0, 3) : 0);
    if (turn % 5 == 4) {
        set_tiles(j, turn & 2 ? 128 : 16 * between(8, 30), 128u << (turn & 1));
    }
    return draw() & 1;
}

/* The same in pictures so large that three kinds of launches follow the first, and in many small tiles. */
FAMILY(two_sizes_large, 8, 131313, 1, 8, 1, 1)
{
    (void)turn;
    i = (i + 2) % 8; /* small tiles come first */
    j->format.component_count = 3;
    set_depths(j, 12, i & 1);
    if (i & 2) {
        place_picture(j, subset ? 600 : 1500, subset ? 300 : 1100, 0, 0);
        set_tiles(j, 128u << (i >> 2), 128u << (i >> 2));
    } else {
        place_picture(j, 32 * between(90, 130), between(1900, 2300), i & 4 ? 64 : 0, i & 4 ? 64 : 0);
    }
    return i & 1;
}

/* Tiles whose planes share a warp: two, four and eight, rows of them that do not end with a warp, tiles that differ
 * beside those that do not. */
FAMILY(packed, 12, 515151, 6, 3, 2, 2)
{
    set_wavelet(j, turn & 1, between(4, 6));
    draw_blocks(j, 16, 2, 16, 2);
    j->format.component_count = turn % 3 == 2 ? 3 : 1;
    j->settings.mct = (uint8_t)(turn & 2);
    j->settings.distortion_bits = (uint8_t)between(0, 4);
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        j->components[c].depth = (uint8_t)(i & 1 ? between(9, 12) : 8);
    }
    uint32_t narrow = 128u << i % 3, cols = between(3, narrow == 128 ? 9 : 5),
             many = narrow == 128 ? 140 / cols + 1 : between(1, 4), height = narrow == 128 ? 128 : between(160, 300);
    place_picture(j, cols * narrow - (draw() & 1 ? 16 * between(0, 4) : 0), many * height - between(0, 40), 0, 0);
    set_tiles(j, narrow, height);
    return draw() & 1;
}

/* Tiles of three components that stand side by side in the panels, wide and narrow ones, that end with a row of tiles
 * or inside a warp, beside those of other shapes, and in short stretches. */
FAMILY(beside, 16, 818181, 5, 3, 1, 1)
{
    set_wavelet(j, turn == 4, between(2, 5));
    draw_blocks(j, 16, 2, 16, 2);
    j->settings.distortion_bits = (uint8_t)between(0, 4);
    j->format.component_count = 3 + (i % 4 == 3);
    uint32_t cols = between(2, 6), rows = 8 / cols + between(0, 1) + 1,
             width = turn == 3 ? 512 : 16 * between(i & 1 ? 3 : 33, 70), height = between(33, i & 2 ? 60 : 260);
    place_picture(j, cols * width - (turn == 1 ? 16 * between(0, 16) : 0), rows * height - between(0, 20), 0, 0);
    set_tiles(j, width, height);
    return draw() % 4 > 0;
}

/* Planes that cascades take: one, two and three levels, several tiles either way that end anywhere, deepest levels of
 * odd and even sides, blocks down to 8 x 4, offsets whose planes begin inside eight rows. */
FAMILY(cascades, 24, 616161, 6, 6, 2, 2)
{
    set_wavelet(j, turn & 1, between(2, 6));
    draw_blocks(j, 8, 3, 4, 4);
    j->settings.distortion_bits = (uint8_t)between(0, 4);
    j->format.component_count = turn == 5 ? 3 : 1;
    set_depths(j, i % 3 ? 8 : between(9, 16), 0);
    place_picture(j, i & 1 ? 16 * between(33, 110) : between(257, 1500), between(257, 900),
                  i & 2 ? 64 * between(0, 3) : 0, i & 4 ? 16 * between(0, 9) : 0);
    return draw() & 1;
}

/* Pictures so large that planes between levels are marched through, and one level is left behind them. With four
 * components (6) enough samples of level 3 that lanes have eight columns of 9/7 again. */
FAMILY(last_levels, 7, 717171, 1, 4, 1, 1)
{
    uint32_t depth = i == 2 ? 16 : 8, offset = i & 4 ? 64 * between(0, 3) : 0;
    (void)turn;
    set_wavelet(j, i & 1, i < 4 ? 5 : between(5, 7));
    draw_blocks(j, 16, 2, 8, 3);
    j->settings.distortion_bits = i == 2 ? 8 : 4;
    j->format.component_count = i == 6 ? 4 : 1;
    set_depths(j, i == 3 ? between(9, 16) : depth, 0);
    place_picture(j, 32 * (i == 6 ? 130 : between(90, 130)), between(2600, 3000), offset, offset);
    return PLANES;
}

/* Tiles, offsets, subsampling, precincts, mixed depths and signs. */
FAMILY(structures, 48, 777777, 12, 8, 12, 3)
{
    (void)i;
    set_wavelet(j, turn & 1, draw() % 8 ? between(0, 6) : between(7, 32));
    j->settings.mct = turn & 2 ? 2 : 0;
    j->format.component_count = between(1, COMPONENTS);
    draw_depths(j, 1, 16);
    draw_grid(j, turn);
    j->settings.step = draw() & 1 ? 0 : 1.0 / (double)(1u << between(4, 14));
    return ANY_PLANES;
}

/* Conversion to X'Y'Z' before the first level. */
FAMILY(converted, 8, 424242, 16, 1, 16, 16)
{
    (void)i;
    set_wavelet(j, turn & 1, between(0, 5));
    j->settings.mct = turn & 2 ? 2 : 0;
    j->settings.input_color = (uint8_t)(turn & 4 ? WVL_INPUT_XYZ : between(WVL_INPUT_REC709, WVL_INPUT_DISPLAY_P3));
    j->format.component_count = 3 + (turn & 8 ? 1 : 0);
    set_depths(j, turn & 4 ? between(13, 16) : between(8, 16), 0);
    place_picture(j, between(1, 600), between(1, 90), between(0, 70), between(0, 9));
    if (turn % 3 == 2) {
        set_tiles(j, between(60, 200), between(60, 200));
    }
    return ANY_PLANES + (draw() & 1);
}

/* A sample outside its depth is found wherever it lies. */
TEST(outside_is_refused)
{
    static job j;
    if (!have_device) {
        return;
    }
    for (uint32_t round = 0; round < (subset == 2 ? 4u : 40u); round++) {
        seed_state = round + 1;
        default_job(&j);
        set_wavelet(&j, draw() & 1, between(0, 3));
        j.format.component_count = draw() & 1 ? 3 : 1;
        uint32_t depth = round & 1 ? between(9, 15) : between(1, 7);
        set_depths(&j, depth, 0);
        place_picture(&j, between(1, 300), between(1, 200), 0, 0);
        plan_job(&j);
        draw_pixels(&j, 0);
        uint32_t c = between(0, j.format.component_count - 1);
        wvl_plane *p = &j.planes[c];
        if (container_bits(p->container) <= depth) {
            free_job(&j);
            continue;
        }
        uint8_t *row = (uint8_t *)(uintptr_t)p->data + (ptrdiff_t)between(0, j.format.y1 - 1) * p->pitch_bytes;
        put_sample(row, p->first_sample + (uint64_t)between(0, j.format.x1 - 1) * p->sample_stride, p->container,
                   1u << depth);
        run b = {.table = &wvl_backend_cuda};
        for (unsigned i = 0; i < 2; i++) {
            b.backend = cuda[i];
            start_run(&b, &j);
            finish_run(&b, &j);
            REQUIRE_THAT(b.status == WVL_ERROR_INPUT, "accepted: %s", j.name);
            end_run(&b);
        }
        free_job(&j);
    }
}

/* A plan beyond 16 bits is refused by prepare, and the limit of workspaces by submit. */
TEST(refusals)
{
    static job j;
    if (!have_device) {
        return;
    }
    default_job(&j);
    j.components[0].depth = 17;
    place_picture(&j, 20, 20, 0, 0);
    plan_job(&j);
    REQUIRE_THAT(wvl_backend_prepare_tiles(&wvl_backend_cuda, cuda[0], pool, j.plan, j.tiles, 1) ==
                     WVL_ERROR_UNSUPPORTED,
                 "17 bits taken");
    free_job(&j);
    default_job(&j);
    place_picture(&j, 100, 100, 0, 0);
    plan_job(&j);
    draw_pixels(&j, 0);
    wvl_cuda_options options = {.runtime = &poisoning};
    run b = {.table = &wvl_backend_cuda};
    REQUIRE_THAT(wvl_cuda_open_backend(NULL, pool, &options, &b.backend) == WVL_OK, "open");
    start_run(&b, &j);
    wvl_backend_job *none = NULL;
    REQUIRE_THAT(wvl_backend_cuda.submit(b.backend, &j.image, j.tiles, 1, &none) == WVL_AGAIN,
                 "a second job in one workspace");
    finish_run(&b, &j);
    end_run(&b);
    wvl_backend_cuda.close(b.backend);
    free_job(&j);
}

/* Other suites have the kernels of other rooms. */
static int is_of_transform(const char *name)
{
    int found = !strcmp(name, "wvl_xyz") || !strcmp(name, "wvl_deliver") || !strcmp(name, "wvl_clear");
    for (unsigned k = 0; k < WVL_CUDA_KERNELS && !found; k++) {
        found = !strcmp(name, wvl_cuda_kernel_rows[k].name);
    }
    return found;
}

/* Last of all. */
TEST(all_kernels)
{
    for (unsigned i = 0; i < sizeof kernel_uses / sizeof *kernel_uses && have_device && !subset; i++) {
        const char *name = kernel_uses[i].name;
        REQUIRE_THAT(kernel_uses[i].launches || !is_of_transform(name), "%s was never launched", name);
    }
}

int main(void) { return test_on_device("twin_cuda_dwt", &have_device); }
