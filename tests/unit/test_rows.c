/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures from row sources: the bytes are those of wvl_encode, few rows are held, every failure ends the encode. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "geom/plan.h"
#include "tests/support/support.h"
#include "tests/unit/rows_bench.h"

/* ---- Same bytes ------------------------------------------------------------------------------ */

static const struct {
    const char *settings;
    int format; /* of rows_draw() */
} cases[] = {
    {"tile=64,48 levels=3", 0},
    {"tile=64,48 levels=3 reversible=no bpp=1", 0},
    {"tile=1000,20 levels=2", 0},
    {"tile=100,150 levels=3", 1},
    {"tile=33,40 levels=2 progression=PCRL tile-parts=R", 2},
    {"levels=4", 0},
    {"levels=3 layers=3", 1},
    {"levels=3", 2},
    {"reversible=no psnr=40 levels=3", 0},
    {"reversible=no bpp=1 style=HT", 0},
    {"tile=64,64 reversible=no bpp=0.5 rdoq=yes", 0},
    {"tile=9,5 levels=2 progression=RLCP", 0},
    {"tile=7,11 levels=3 tile-offset=8,1 reversible=no measure-psnr=no", 1},
};

TEST_EACH(bytes_are_those_of_an_image, sizeof cases / sizeof *cases)
{
    picture p = rows_draw(cases[_i].format);
    rows_output whole = rows_encode(&p, cases[_i].settings, 1, NULL, 0);
    for (int k = 0; k < 8; k++) {
        rows_bench b;
        if (((k & 1) && cases[_i].format) || (((k ^ k >> 1 ^ k >> 2) & 1) && !cases[_i].format)) {
            continue; /* components differ and cannot be interleaved; every pair of choices suffices */
        }
        rows_open(&b, &p, k & 1, k & 2);
        rows_output rows = rows_encode(&p, cases[_i].settings, 1 + (k >> 2), &b, 0);
        rows_compare(cases[_i].settings, &whole, &rows);
        rows_free(&rows);
    }
    rows_free(&whole);
    picture_free(&p);
}

/* A small picture is coded twice, from a source that goes back and from one that does not. */
TEST(rows_are_needed_again)
{
    picture p = picture_draw(PICTURE_NOISE, 120, 90, 3, 8, 5);
    rows_output whole = rows_encode(&p, "reversible=no bpp=0.5 style=HT", 1, NULL, 0);
    for (int can_rewind = 0; can_rewind < 2; can_rewind++) {
        rows_bench b;
        rows_open(&b, &p, 1, can_rewind);
        rows_output rows = rows_encode(&p, "reversible=no bpp=0.5 style=HT", 1, &b, 0);
        rows_compare("twice", &whole, &rows);
        ck_assert_uint_eq(b.rewinds, (unsigned)can_rewind);
        rows_free(&rows);
    }
    rows_free(&whole);
    picture_free(&p);
}

/* ---- Strips ---------------------------------------------------------------------------------- */

/* Strips of every height give the bytes of the whole picture. */
static const struct {
    const char *settings;
    int format;
} strip_cases[] = {
    {"levels=5", 0},
    {"levels=0", 0},
    {"levels=1 block=4,4 mct=off", 0},
    {"levels=3 block=16,8 layers=4 progression=RPCL", 0},
    {"levels=3 block=8,16 layers=3 progression=RLCP precincts=[32,64],[16,16]", 1},
    {"levels=3 layers=2 progression=LRCP tile-parts=L", 2},
    {"levels=1 tile=13,10 block=4,4", 0},
    {"levels=3 reversible=no slopes=38000,34000 block=32,32", 0},
    {"levels=4 reversible=no step=0.01 precincts=[64,64],[32,32],[16,16] progression=PCRL plt=yes tlm=yes", 0},
    {"levels=6 progression=CPRL tile-parts=R sop=yes eph=yes", 1},
    {"levels=8", 1},
    {"levels=3 reversible=no", 1},
    {"levels=5 style=HT", 2},
    {"levels=4 reversible=no style=HT measure-psnr=no", 2},
    {"levels=3 tile=90,70 tile-offset=5,3", 2},
    {"levels=2 tile=50,200 reversible=no", 1},
    {"levels=32 block=64,4", 3},
    {"levels=3 reversible=no", 3},
    {"levels=4 block=4,256", 4},
    {"levels=2 reversible=no measure-psnr=no", 4},
    {"levels=3 reversible=no bpp=0.8 rdoq=no", 0},
    {"levels=3 reversible=no bpp=0.3,1.5 rdoq=no block=16,16", 1},
    {"levels=4 reversible=no bpp=0.5 style=HT", 0},
    {"levels=3 max-bytes=20000 rdoq=no measure-psnr=no", 2},
    {"levels=3 overrides=C0:levels=0 mct=on", 0},
    {"levels=1 overrides=C1:levels=4 mct=on", 0},
    {"levels=3 overrides=C1:reversible=no mct=off", 0},
    {"reversible=no bpp=0.8 levels=4", 0},
    {"reversible=no bpp=0.3,1.5 block=16,16 visual=yes", 1},
    {"reversible=no bpp=0.4 tile=80,90 block=8,8", 0},
    {"bpp=0.2,0.9 rdoq=yes max-component-bytes=9000", 0},
};

TEST_EACH(strips_have_the_same_bytes, sizeof strip_cases / sizeof *strip_cases)
{
    static const uint32_t heights[] = {1, 2, 3, 7, 64, 1000, 100000};
    const char *settings = strip_cases[_i].settings;
    picture p = rows_draw(strip_cases[_i].format);
    rows_output whole = rows_encode(&p, settings, 2, NULL, 0);
    for (unsigned k = 0; k < sizeof heights / sizeof *heights; k++) {
        rows_bench b;
        rows_open(&b, &p, 0, k & 1);
        rows_output rows = rows_encode(&p, settings, 1 + k % 3, &b, heights[k]);
        rows_compare(settings, &whole, &rows);
        ck_assert_msg(b.most_rows <= heights[k] + 3, "%s: %u rows at a time", settings, b.most_rows);
        rows_free(&rows);
    }
    rows_free(&whole);
    picture_free(&p);
}

/* Every height and parity that a level can begin and end with. */
TEST_EACH(strips_of_small_pictures, 2)
{
    const char *settings = _i ? "levels=3 block=8,4 reversible=no measure-psnr=no" : "levels=3 block=8,4";
    for (uint32_t k = 0; k < 40 * 2 * 3; k++) {
        wvl_component_format component = {.depth = 8, .dx = 1, .dy = 1};
        uint32_t y0 = k & 1, height = 1 + k / 2 % 40;
        wvl_image_format format = {.struct_size = sizeof format,
                                   .x0 = 3,
                                   .y0 = y0,
                                   .x1 = 9,
                                   .y1 = y0 + height,
                                   .component_count = 1,
                                   .components = &component};
        picture p = picture_draw_format(PICTURE_NOISE, &format, k);
        rows_output whole = rows_encode(&p, settings, 1, NULL, 0);
        for (uint32_t strip = 1 + k % 3; strip < 20; strip += 8) {
            rows_bench b;
            rows_open(&b, &p, 0, 1);
            rows_output rows = rows_encode(&p, settings, 1, &b, strip);
            rows_compare(settings, &whole, &rows);
            rows_free(&rows);
        }
        rows_free(&whole);
        picture_free(&p);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct ledger {
    uint64_t held, most;
    int64_t left; /* allocations that succeed; negative: all */
    pthread_mutex_t lock;
} ledger;

static void *take(void *user, size_t bytes, size_t alignment, void *stream)
{
    ledger *l = user;
    (void)stream;
    pthread_mutex_lock(&l->lock);
    int is_refused = !l->left;
    l->left -= l->left > 0;
    l->held += is_refused ? 0 : bytes;
    l->most = l->held > l->most ? l->held : l->most;
    pthread_mutex_unlock(&l->lock);
    if (is_refused) {
        return NULL;
    }
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give(void *user, void *memory, size_t bytes, void *stream)
{
    ledger *l = user;
    (void)stream;
    pthread_mutex_lock(&l->lock);
    l->held -= bytes;
    pthread_mutex_unlock(&l->lock);
    free(memory);
}

/* Of a tall picture in tiles a few rows of tiles are held, and no more memory than was said. */
TEST(few_rows_are_held)
{
    ledger l = {0, 0, -1, PTHREAD_MUTEX_INITIALIZER};
    wvl_context_options options = {.struct_size = sizeof options, .threads = 1, .host = {take, give, &l}};
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    wvl_sink sink;
    rows_bench b;
    picture p = picture_draw(PICTURE_FLAT, 512, 32768, 1, 8, 5);
    picture_input input = picture_open_input(&p, 0);
    wvl_rows_memory memory = {.struct_size = sizeof memory};
    rows_open(&b, &p, 0, 1);
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_int_eq(wvl_params_set(params, "tile", "512,512"), WVL_OK);
    ck_assert_int_eq(wvl_plan_create(context, params, &input.format, NULL, &plan), WVL_OK);
    ck_assert_int_eq(wvl_rows_measure(plan, &b.source, &memory), WVL_OK);
    ck_assert_int_eq(memory.reads_again, 0);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    uint64_t before = l.held;
    l.most = 0;
    ck_assert_int_eq(wvl_encode_rows(plan, &b.source, NULL, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_uint_eq(b.rows, 32768);
    ck_assert_uint_lt(memory.row_bytes, UINT64_C(13) << 20); /* of 16 MiB */
    ck_assert_uint_le(l.most - before, memory.base_bytes + memory.coded_bytes_bound + (UINT64_C(1) << 20));
    wvl_sink_discard(&sink);
    wvl_plan_release(plan);
    wvl_params_release(params);
    wvl_context_release(context);
    picture_close_input(&input);
    picture_free(&p);
    ck_assert_uint_eq(l.held, 0);
}

/* Coded blocks beyond the limit go to a file: the allocator gives no more than was allowed, and the bytes stay. */
TEST_EACH(a_limit_is_kept, 5)
{
    static const char *const settings[] = {"levels=3", "levels=3 layers=3", "reversible=no bpp=2 rdoq=no levels=3",
                                           "reversible=no bpp=1 levels=3", "reversible=no bpp=0.5 style=HT"};
    static const uint32_t heights[] = {128, 7, 64, 1000, 3, 100000, 2};
    static const uint64_t more[] = {0, 1, 300000, 1000000, 4000000};
    ledger l = {0, 0, -1, PTHREAD_MUTEX_INITIALIZER};
    wvl_context_options context_options = {
        .struct_size = sizeof context_options, .threads = 2, .host = {take, give, &l}};
    picture p = picture_draw(PICTURE_NOISE, 1100, 1100, 1, 8, 5);
    picture_input input = picture_open_input(&p, 0);
    rows_output whole = rows_encode(&p, settings[_i], 2, NULL, 0);
    for (unsigned k = 0; k < sizeof more / sizeof *more; k++) {
        wvl_context *context;
        rows_bench b;
        char error[256] = "";
        ck_assert_int_eq(wvl_context_create(&context_options, &context), WVL_OK);
        wvl_plan *plan = rows_build_plan(context, &input.format, settings[_i]);
        plan->test.strip_rows = heights[(k + (unsigned)_i) % (sizeof heights / sizeof *heights)];
        wvl_rows_memory memory = {.struct_size = sizeof memory};
        rows_open(&b, &p, 0, _i != 4 || !(k & 1));
        ck_assert_int_eq(wvl_rows_measure(plan, &b.source, &memory), WVL_OK);
        ck_assert_int_eq(memory.in_strips, 1);
        ck_assert_int_eq(memory.coefs_bytes > 0, _i == 3 || (_i == 4 && k & 1));
        wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = memory.least_bytes + more[k]};
        rows_output got = {.data = whole.data};
        wvl_sink sink = {.struct_size = sizeof sink, .write = rows_expect, .user = &got};
        uint64_t before = l.held;
        l.most = 0;
        wvl_status status = wvl_encode_rows(plan, &b.source, &options, &sink, NULL, NULL, error, sizeof error);
        ck_assert_msg(status == WVL_OK && got.bytes == whole.bytes, "%d: %s, %zu of %zu", status, error, got.bytes,
                      whole.bytes);
        ck_assert_uint_le(l.most - before, options.memory_bytes);
        wvl_plan_release(plan);
        wvl_context_release(context);
    }
    rows_free(&whole);
    picture_close_input(&input);
    picture_free(&p);
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST(a_source_fails_at_a_row)
{
    static const char *const settings[] = {"tile=64,48 levels=3", "levels=3", "reversible=no bpp=1 levels=3"};
    static const wvl_status with[] = {WVL_ERROR_INPUT, WVL_ERROR_MEMORY, WVL_END, WVL_CANCELLED};
    picture p = rows_draw(0);
    for (unsigned k = 0; k < 3 * 4; k++) {
        rows_bench b;
        rows_open(&b, &p, 0, 1);
        b.fails_at = k * 15;
        b.fails_with = with[k % 4];
        rows_output out = rows_encode(&p, settings[k / 4], 2, &b, 0);
        wvl_status expected = with[k % 4] == WVL_END ? WVL_ERROR_INPUT : with[k % 4];
        ck_assert_msg(out.status == expected, "%d, not %d: %s", out.status, expected, out.error);
        ck_assert_msg(out.status == WVL_CANCELLED || strstr(out.error, "is torn"), "%s", out.error);
    }
    picture_free(&p);
}

/* Where the file cannot be made, or the disk is full. A limit below the least is refused, and the least is taken. */
TEST(a_spill_fails)
{
    struct rlimit small = {1 << 20, 1 << 20};
    picture p = picture_draw(PICTURE_NOISE, 1100, 1100, 1, 8, 5);
    rows_bench b;
    wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = 1000};
    char *least;
    rows_open(&b, &p, 0, 1);
    b.options = &options;
    rows_output out = rows_encode(&p, "levels=3", 2, &b, 128);
    ck_assert_int_eq(out.status, WVL_ERROR_PARAMETER);
    rows_open(&b, &p, 0, 1);
    b.options = &options;
    rows_output kept = rows_encode(&p, "reversible=no psnr=40", 2, &b, 128);
    ck_assert_int_eq(kept.status, WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(kept.error, "give a rate in place of psnr"));
    least = strstr(out.error, "the least for this picture is ");
    ck_assert_ptr_nonnull(least);
    ck_assert_int_eq(b.reads, 0);
    options.memory_bytes = strtoull(least + strlen("the least for this picture is "), NULL, 10);
    options.spill_folder = "/nonexistent";
    rows_open(&b, &p, 0, 1);
    b.options = &options;
    out = rows_encode(&p, "levels=3", 2, &b, 128);
    ck_assert_int_eq(out.status, WVL_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(out.error, "/nonexistent: No such file"));
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && !setrlimit(RLIMIT_FSIZE, &small));
    options.spill_folder = NULL;
    rows_open(&b, &p, 0, 1);
    b.options = &options;
    out = rows_encode(&p, "levels=3", 2, &b, 128);
    ck_assert_int_eq(out.status, WVL_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(out.error, "a file in /tmp: File too large"));
    options.memory_bytes *= 4;
    rows_open(&b, &p, 0, 1);
    b.options = &options;
    out = rows_encode(&p, "reversible=no bpp=1", 2, &b, 128); /* coefficients */
    ck_assert_int_eq(out.status, WVL_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(out.error, "a file in /tmp: File too large"));
    picture_free(&p);
}

/* The n-th allocation fails, for every n: nothing is lost, and the source is released. */
TEST_EACH(every_allocation_fails, 3)
{
    static const char *const settings[] = {"tile=100,50 levels=2", "levels=3", "reversible=no bpp=1"};
    ledger l = {0, 0, -1, PTHREAD_MUTEX_INITIALIZER};
    wvl_context_options context_options = {
        .struct_size = sizeof context_options, .threads = 1, .host = {take, give, &l}};
    picture p = rows_draw(0);
    picture_input input = picture_open_input(&p, 0);
    rows_output whole = rows_encode(&p, settings[_i], 1, NULL, 0);
    wvl_context *context;
    ck_assert_int_eq(wvl_context_create(&context_options, &context), WVL_OK);
    wvl_plan *plan = rows_build_plan(context, &input.format, settings[_i]);
    plan->test.strip_rows = _i ? 16 : 0;
    uint64_t before = l.held;
    wvl_status status = WVL_ERROR_MEMORY;
    for (int n = 0; status != WVL_OK; n++) {
        rows_bench b;
        wvl_rows_memory memory = {.struct_size = sizeof memory};
        rows_open(&b, &p, 0, 1);
        ck_assert_int_eq(wvl_rows_measure(plan, &b.source, &memory), WVL_OK);
        wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = memory.least_bytes};
        rows_output got = {.data = whole.data};
        wvl_sink sink = {.struct_size = sizeof sink, .write = rows_expect, .user = &got};
        l.left = n;
        status = wvl_encode_rows(plan, &b.source, &options, &sink, NULL, NULL, NULL, 0);
        l.left = -1;
        ck_assert_msg(status == WVL_OK || status == WVL_ERROR_MEMORY, "%d at %d", status, n);
        ck_assert_uint_eq(l.held, before);
        ck_assert_uint_eq(b.releases, 1);
        ck_assert(status != WVL_OK || (n > 10 && got.bytes == whole.bytes));
    }
    wvl_plan_release(plan);
    wvl_context_release(context);
    rows_free(&whole);
    picture_close_input(&input);
    picture_free(&p);
}

TEST(a_source_cannot_go_back)
{
    picture p = picture_draw(PICTURE_NOISE, 700, 700, 3, 8, 5);
    rows_bench b;
    rows_open(&b, &p, 0, 1);
    b.rewind_fails = 1;
    rows_output out = rows_encode(&p, "reversible=no bpp=0.5 style=HT", 2, &b, 0);
    ck_assert_uint_gt(b.rewinds, 0); /* else this picture shows nothing */
    ck_assert_int_eq(out.status, WVL_ERROR_INPUT);
    ck_assert_str_eq(out.error, "the tape is stuck");
    picture_free(&p);
}

TEST(a_token_is_raised_while_rows_are_read)
{
    picture p = rows_draw(0);
    wvl_context *context;
    ck_assert_int_eq(wvl_context_create(NULL, &context), WVL_OK);
    for (unsigned k = 0; k < 2; k++) {
        rows_bench b;
        rows_open(&b, &p, 0, 1);
        b.fails_at = 60;
        ck_assert_int_eq(wvl_cancel_create(context, &b.cancel), WVL_OK);
        rows_output out = rows_encode(&p, k ? "levels=3" : "tile=64,48 levels=3", 2, &b, 0);
        ck_assert_int_eq(out.status, WVL_CANCELLED);
        wvl_cancel_release(b.cancel);
    }
    wvl_context_release(context);
    picture_free(&p);
}

static void spoil(rows_bench *b, int how)
{
    switch (how) {
    case 0: b->components[1].buffer = 5; break;
    case 1: b->components[0].buffer = b->components[1].buffer = 1; break;
    case 2: b->components[2].container = WVL_SAMPLE_64; break;
    case 3: b->components[1].buffer = 0, b->components[2].buffer = 1, b->components[1].container = WVL_SAMPLE_16; break;
    case 4: b->source.component_count = 2; break;
    case 5: b->source.components = NULL; break;
    default: b->source.read = NULL; break;
    }
}

TEST_EACH(wrong_sources_are_refused, 7)
{
    picture p = rows_draw(0);
    rows_bench b;
    rows_open(&b, &p, 0, 1);
    spoil(&b, _i);
    rows_output out = rows_encode(&p, "levels=3", 1, &b, 0);
    ck_assert_int_eq(out.status, WVL_ERROR_ARGUMENT);
    ck_assert_uint_gt(strlen(out.error), 20);
    ck_assert_uint_eq(b.reads, 0);
    picture_free(&p);
}

static wvl_status read_nothing(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t bytes)
{
    (void)user, (void)buffers, (void)count, (void)error, (void)bytes;
    return WVL_ERROR_INPUT;
}

static wvl_plan *plan_line(wvl_context *context, uint32_t width, uint32_t height)
{
    static const wvl_component_format grey = {8, 0, 1, 1};
    wvl_image_format format = {
        .struct_size = sizeof format, .x1 = width, .y1 = height, .component_count = 1, .components = &grey};
    return rows_build_plan(context, &format, "");
}

/* A column takes little memory, and a row whose containers would not fit memory is refused. */
TEST(lines_are_measured)
{
    wvl_row_component component = {.container = WVL_SAMPLE_8};
    wvl_rows_memory memory = {.struct_size = sizeof memory};
    wvl_context *context;
    const wvl_row_source source = {
        .struct_size = sizeof source, .components = &component, .component_count = 1, .read = read_nothing};
    ck_assert_int_eq(wvl_context_create(NULL, &context), WVL_OK);
    for (int is_row = 0; is_row < 2; is_row++) {
        wvl_plan *plan = plan_line(context, is_row ? 10000000 : 1, is_row ? 1 : 10000000);
        ck_assert_int_eq(wvl_rows_measure(plan, &source, &memory), WVL_OK);
        ck_assert_uint_lt(memory.least_bytes, 140000000);
        wvl_plan_release(plan);
    }
    wvl_plan *wide = plan_line(context, UINT32_MAX / 2, 1);
    component.sample_stride = UINT32_MAX;
    component.container = WVL_SAMPLE_32;
    ck_assert_int_eq(wvl_rows_measure(wide, &source, &memory), WVL_ERROR_ARGUMENT);
    wvl_plan_release(wide);
    wvl_context_release(context);
}

TEST(a_device_alone_is_refused)
{
    picture p = rows_draw(0);
    rows_bench b;
    rows_open(&b, &p, 0, 1);
    rows_output out = rows_encode(&p, "device=cuda-only", 1, &b, 0);
    ck_assert_msg(out.status == WVL_ERROR_UNSUPPORTED || out.status == WVL_ERROR_DEVICE, "%d: %s", out.status,
                  out.error); /* without and with device code */
    ck_assert_uint_gt(strlen(out.error), 0);
    picture_free(&p);
}

TEST_MAIN("rows")
