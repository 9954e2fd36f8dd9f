/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures from row sources: the bytes are those of wvl_encode, few rows are held, every failure ends the encode. */
#include <signal.h>
#include <sys/resource.h>

#include "geom/plan.h"
#include "tests/fault/ledger.h"
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
    owned_picture p = rows_draw(cases[_i].format);
    owned_rows whole = rows_encode(&p, cases[_i].settings, 1, NULL, 0);
    for (int k = 0; k < 8; k++) {
        rows_bench b;
        if (((k & 1) && cases[_i].format) || (((k ^ k >> 1 ^ k >> 2) & 1) && !cases[_i].format)) {
            continue; /* components differ and cannot be interleaved; every pair of choices suffices */
        }
        rows_open(&b, &p, k & 1, k & 2);
        owned_rows rows = rows_encode(&p, cases[_i].settings, 1 + (k >> 2), &b, 0);
        rows_compare(cases[_i].settings, &whole, &rows);
    }
}

/* A small picture is coded twice, from a source that goes back and from one that does not. */
TEST(rows_are_needed_again)
{
    owned_picture p = picture_draw(PICTURE_NOISE, 120, 90, 3, 8, 5);
    owned_rows whole = rows_encode(&p, "reversible=no bpp=0.5 style=HT", 1, NULL, 0);
    for (int can_rewind = 0; can_rewind < 2; can_rewind++) {
        rows_bench b;
        rows_open(&b, &p, 1, can_rewind);
        owned_rows rows = rows_encode(&p, "reversible=no bpp=0.5 style=HT", 1, &b, 0);
        rows_compare("twice", &whole, &rows);
        ck_assert_uint_eq(b.rewinds, (unsigned)can_rewind);
    }
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
    owned_picture p = rows_draw(strip_cases[_i].format);
    owned_rows whole = rows_encode(&p, settings, 2, NULL, 0);
    for (unsigned k = 0; k < sizeof heights / sizeof *heights; k++) {
        rows_bench b;
        rows_open(&b, &p, 0, k & 1);
        owned_rows rows = rows_encode(&p, settings, 1 + k % 3, &b, heights[k]);
        rows_compare(settings, &whole, &rows);
        ck_assert_msg(b.most_rows <= heights[k] + 3, "%s: %u rows at a time", settings, b.most_rows);
    }
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
        owned_picture p = picture_draw_format(PICTURE_NOISE, &format, k);
        owned_rows whole = rows_encode(&p, settings, 1, NULL, 0);
        for (uint32_t strip = 1 + k % 3; strip < 20; strip += 8) {
            rows_bench b;
            rows_open(&b, &p, 0, 1);
            owned_rows rows = rows_encode(&p, settings, 1, &b, strip);
            rows_compare(settings, &whole, &rows);
        }
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Of a tall picture in tiles a few rows of tiles are held, and no more memory than was said. */
TEST(few_rows_are_held)
{
    owned_ledger l;
    owned_context *context = ledger_open_context(&l, 1);
    wvl_sink sink;
    rows_bench b;
    owned_picture p = picture_draw(PICTURE_FLAT, 512, 32768, 1, 8, 5);
    owned_input input = picture_open_input(&p, 0);
    wvl_rows_memory memory = {.struct_size = sizeof memory};
    rows_open(&b, &p, 0, 1);
    owned_plan *plan = test_open_plan(context, &input.format, "tile=512,512");
    ck_assert_int_eq(wvl_rows_measure(plan, &b.source, &memory), WVL_OK);
    ck_assert_int_eq(memory.reads_again, 0);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    uint64_t before = l.live_bytes;
    l.peak_bytes = before;
    ck_assert_int_eq(wvl_encode_rows(plan, &b.source, NULL, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_uint_eq(b.rows, 32768);
    ck_assert_uint_lt(memory.row_bytes, UINT64_C(13) << 20); /* of 16 MiB */
    ck_assert_uint_le(l.peak_bytes - before, memory.base_bytes + memory.coded_bytes_bound + (UINT64_C(1) << 20));
    wvl_sink_discard(&sink);
}

/* Coded blocks beyond the limit go to a file: the allocator gives no more than was allowed, and the bytes stay. */
TEST_EACH(a_limit_is_kept, 5)
{
    static const char *const settings[] = {"levels=3", "levels=3 layers=3", "reversible=no bpp=2 rdoq=no levels=3",
                                           "reversible=no bpp=1 levels=3", "reversible=no bpp=0.5 style=HT"};
    static const uint32_t heights[] = {128, 7, 64, 1000, 3, 100000, 2};
    static const uint64_t more[] = {0, 1, 300000, 1000000, 4000000};
    owned_picture p = picture_draw(PICTURE_NOISE, 1100, 1100, 1, 8, 5);
    owned_input input = picture_open_input(&p, 0);
    owned_rows whole = rows_encode(&p, settings[_i], 2, NULL, 0);
    for (unsigned k = 0; k < sizeof more / sizeof *more; k++) {
        owned_ledger l;
        owned_context *context = ledger_open_context(&l, 2);
        rows_bench b;
        char error[256] = "";
        owned_plan *plan = test_open_plan(context, &input.format, settings[_i]);
        plan->test.strip_rows = heights[(k + (unsigned)_i) % (sizeof heights / sizeof *heights)];
        wvl_rows_memory memory = {.struct_size = sizeof memory};
        rows_open(&b, &p, 0, _i != 4 || !(k & 1));
        ck_assert_int_eq(wvl_rows_measure(plan, &b.source, &memory), WVL_OK);
        ck_assert_int_eq(memory.in_strips, 1);
        ck_assert_int_eq(memory.coefs_bytes > 0, _i == 3 || (_i == 4 && k & 1));
        wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = memory.least_bytes + more[k]};
        rows_output got = {.data = whole.data};
        wvl_sink sink = {.struct_size = sizeof sink, .write = rows_expect, .user = &got};
        uint64_t before = l.live_bytes;
        l.peak_bytes = before;
        wvl_status status = wvl_encode_rows(plan, &b.source, &options, &sink, NULL, NULL, error, sizeof error);
        ck_assert_msg(status == WVL_OK && got.bytes == whole.bytes, "%d: %s, %zu of %zu", status, error, got.bytes,
                      whole.bytes);
        ck_assert_uint_le(l.peak_bytes - before, options.memory_bytes);
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST(a_source_fails_at_a_row)
{
    static const char *const settings[] = {"tile=64,48 levels=3", "levels=3", "reversible=no bpp=1 levels=3"};
    static const wvl_status with[] = {WVL_ERROR_INPUT, WVL_ERROR_MEMORY, WVL_END, WVL_CANCELLED};
    owned_picture p = rows_draw(0);
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
}

/* An encode by strips of 128 rows that fails, with these words. */
static rows_output refuse_spill(const picture *p, const char *settings, const wvl_rows_options *options,
                                wvl_status status, const char *words)
{
    rows_bench b;
    rows_open(&b, p, 0, 1);
    b.options = options;
    rows_output out = rows_encode(p, settings, 2, &b, 128);
    ck_assert_int_eq(out.status, status);
    ck_assert_msg(strstr(out.error, words) != NULL, "%s", out.error);
    ck_assert(status == WVL_ERROR_MEMORY || !b.reads);
    return out;
}

/* The file cannot be made, or the disk is full. A limit below the least is refused, and the least is taken. */
TEST(a_spill_fails)
{
    static const char least[] = "the least for this picture is ", full[] = "a file in /tmp: File too large";
    struct rlimit small = {1 << 20, 1 << 20};
    owned_picture p = picture_draw(PICTURE_NOISE, 1100, 1100, 1, 8, 5);
    wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = 1000};
    refuse_spill(&p, "reversible=no psnr=40", &options, WVL_ERROR_PARAMETER, "give a rate in place of psnr");
    rows_output out = refuse_spill(&p, "levels=3", &options, WVL_ERROR_PARAMETER, least);
    options.memory_bytes = strtoull(strstr(out.error, least) + strlen(least), NULL, 10);
    options.spill_folder = "/nonexistent";
    refuse_spill(&p, "levels=3", &options, WVL_ERROR_MEMORY, "/nonexistent: No such file");
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && !setrlimit(RLIMIT_FSIZE, &small));
    options.spill_folder = NULL;
    refuse_spill(&p, "levels=3", &options, WVL_ERROR_MEMORY, full);
    options.memory_bytes *= 4;
    refuse_spill(&p, "reversible=no bpp=1", &options, WVL_ERROR_MEMORY, full); /* coefficients */
}

/* The n-th allocation fails, for every n: nothing is lost, and the source is released. */
TEST_EACH(every_allocation_fails, 3)
{
    static const char *const settings[] = {"tile=100,50 levels=2", "levels=3", "reversible=no bpp=1"};
    owned_ledger l;
    owned_context *context = ledger_open_context(&l, 1);
    owned_picture p = rows_draw(0);
    owned_input input = picture_open_input(&p, 0);
    owned_rows whole = rows_encode(&p, settings[_i], 1, NULL, 0);
    owned_plan *plan = test_open_plan(context, &input.format, settings[_i]);
    plan->test.strip_rows = _i ? 16 : 0;
    uint64_t before = l.live_bytes;
    wvl_status status = WVL_ERROR_MEMORY;
    for (int n = 0; status != WVL_OK; n++) {
        rows_bench b;
        wvl_rows_memory memory = {.struct_size = sizeof memory};
        rows_open(&b, &p, 0, 1);
        ck_assert_int_eq(wvl_rows_measure(plan, &b.source, &memory), WVL_OK);
        wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = memory.least_bytes};
        rows_output got = {.data = whole.data};
        wvl_sink sink = {.struct_size = sizeof sink, .write = rows_expect, .user = &got};
        ledger_limit_calls(&l, n);
        status = wvl_encode_rows(plan, &b.source, &options, &sink, NULL, NULL, NULL, 0);
        ledger_limit_calls(&l, -1);
        ck_assert_msg(status == WVL_OK || status == WVL_ERROR_MEMORY, "%d at %d", status, n);
        ck_assert_uint_eq(l.live_bytes, before);
        ck_assert_uint_eq(b.releases, 1);
        ck_assert(status != WVL_OK || (n > 10 && got.bytes == whole.bytes));
    }
}

TEST(a_source_cannot_go_back)
{
    owned_picture p = picture_draw(PICTURE_NOISE, 700, 700, 3, 8, 5);
    rows_bench b;
    rows_open(&b, &p, 0, 1);
    b.rewind_fails = 1;
    rows_output out = rows_encode(&p, "reversible=no bpp=0.5 style=HT", 2, &b, 0);
    ck_assert_uint_gt(b.rewinds, 0); /* else this picture shows nothing */
    ck_assert_int_eq(out.status, WVL_ERROR_INPUT);
    ck_assert_str_eq(out.error, "the tape is stuck");
}

TEST(a_token_is_raised_while_rows_are_read)
{
    owned_picture p = rows_draw(0);
    owned_context *context = test_open_context(0);
    for (unsigned k = 0; k < 2; k++) {
        rows_bench b;
        rows_open(&b, &p, 0, 1);
        b.fails_at = 60;
        ck_assert_int_eq(wvl_cancel_create(context, &b.cancel), WVL_OK);
        rows_output out = rows_encode(&p, k ? "levels=3" : "tile=64,48 levels=3", 2, &b, 0);
        ck_assert_int_eq(out.status, WVL_CANCELLED);
        wvl_cancel_release(b.cancel);
    }
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
    owned_picture p = rows_draw(0);
    rows_bench b;
    rows_open(&b, &p, 0, 1);
    spoil(&b, _i);
    rows_output out = rows_encode(&p, "levels=3", 1, &b, 0);
    ck_assert_int_eq(out.status, WVL_ERROR_ARGUMENT);
    ck_assert_uint_gt(strlen(out.error), 20);
    ck_assert_uint_eq(b.reads, 0);
}

static wvl_plan *plan_line(wvl_context *context, uint32_t width, uint32_t height)
{
    static const wvl_component_format grey = {8, 0, 1, 1};
    wvl_image_format format = {sizeof format, 0, 0, width, height, 1, &grey};
    return test_open_plan(context, &format, "");
}

/* A column takes little memory, and a row whose containers would not fit memory is refused. */
TEST(lines_are_measured)
{
    wvl_row_component component = {.container = WVL_SAMPLE_8};
    wvl_rows_memory memory = {.struct_size = sizeof memory};
    wvl_row_source source = test_zeros;
    source.components = &component;
    owned_context *context = test_open_context(0);
    for (int is_row = 0; is_row < 2; is_row++) {
        owned_plan *plan = plan_line(context, is_row ? 10000000 : 1, is_row ? 1 : 10000000);
        ck_assert_int_eq(wvl_rows_measure(plan, &source, &memory), WVL_OK);
        ck_assert_uint_lt(memory.least_bytes, 140000000);
    }
    owned_plan *wide = plan_line(context, UINT32_MAX / 2, 1);
    component.sample_stride = UINT32_MAX;
    component.container = WVL_SAMPLE_32;
    ck_assert_int_eq(wvl_rows_measure(wide, &source, &memory), WVL_ERROR_ARGUMENT);
}

TEST(a_device_alone_is_refused)
{
    owned_picture p = rows_draw(0);
    rows_bench b;
    rows_open(&b, &p, 0, 1);
    rows_output out = rows_encode(&p, "device=cuda-only", 1, &b, 0);
    ck_assert_msg(out.status == WVL_ERROR_UNSUPPORTED || out.status == WVL_ERROR_DEVICE, "%d: %s", out.status,
                  out.error); /* without and with device code */
    ck_assert_uint_gt(strlen(out.error), 0);
}

TEST_MAIN("rows")
