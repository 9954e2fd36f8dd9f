/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures larger than the memory of a device go through it in strips: the bytes are the CPU's, from images and from
 * rows, and whatever fails. On the device in software (soft.h). */

#include "backend/registry.h"
#include "cuda/host/memory/device.h"
#include "rows/window.h"
#include "soft_bench.h"
#include "tests/unit/rows_bench.h"
#include "way/job_cut.h"

/* ---- Encodes --------------------------------------------------------------------------------- */

/* Kinds 0 to 4 of rows_draw(), and more. */
enum { TALL = 10, TALL_RGB12, SUBSAMPLED, SUBSAMPLED_NONE };

static picture draw(int kind)
{
    static const wvl_component_format parts[3] = {{.depth = 8, .dx = 1, .dy = 1},
                                                  {.depth = 8, .dx = 2, .dy = 2},
                                                  {.depth = 16, .is_signed = 1, .dx = 1, .dy = 3}};
    wvl_image_format format = {.struct_size = sizeof format,
                               .x0 = 5,
                               .y0 = kind == SUBSAMPLED ? 31 : 0,
                               .x1 = 102,
                               .y1 = 700,
                               .component_count = 3,
                               .components = parts};
    switch (kind) {
    case TALL: return picture_draw(PICTURE_NATURAL, 67, 901, 1, 8, 3);
    case TALL_RGB12: return picture_draw(PICTURE_NOISE, 90, 517, 3, 12, 4);
    case SUBSAMPLED:
    case SUBSAMPLED_NONE: return picture_draw_format(PICTURE_NATURAL, &format, 6);
    default: return rows_draw(kind);
    }
}

/* Rows that can be read again, or not. */
static bytes encode_bench(const wvl_plan *plan, rows_bench *rows)
{
    bytes b = encode_rows(plan, &rows->source, rows->options, rows->cancel);
    ck_assert_uint_eq(rows->releases, 1);
    return b;
}

/* A plan that goes in strips of strip_rows rows. */
static wvl_plan *make_strips(const picture_input *input, const char *settings, const char *device, uint32_t strip_rows)
{
    wvl_plan *plan = make_plan(&input->format, settings, device);
    plan->test.strip_rows = strip_rows;
    return plan;
}

/* Jobs that were submitted: each begins with one clearing of its bounds, and strips march or not. */
static uint32_t count_jobs(uint32_t launches_before) { return soft->launches - launches_before; }

/* ---- Same bytes ------------------------------------------------------------------------------ */

static const struct {
    const char *settings;
    int kind;
    const char *backend; /* of images and of rows */
    int is_host;         /* rows are for the CPU, and images cannot be cut */
} cases[] = {
    {"style=HT levels=2 block=16,16", TALL, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=32,32 reversible=no measure-psnr=no", TALL, "cuda:0 blocks", 0},
    {"style=HT levels=5 block=4,4", TALL, "cuda:0 blocks", 0},
    {"style=HT levels=0 block=64,64", TALL, "cuda:0 blocks", 0},
    {"style=HT levels=1 block=8,8 mct=off", 0, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=16,8 progression=RPCL", 0, "cuda:0 blocks", 0},
    {"style=HT levels=2 block=16,8 progression=PCRL plt=yes tlm=yes", TALL_RGB12, "cuda:0 blocks", 0},
    {"style=HT levels=2 block=16,8 reversible=no qfactor=80", TALL_RGB12, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=16,16 reversible=no precincts=[64,64],[32,32],[16,16]", TALL_RGB12, "cuda:0 blocks", 0},
    {"style=HT levels=2 block=16,8 progression=CPRL tile-parts=R sop=yes eph=yes", SUBSAMPLED, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=8,4 reversible=no step=0.01", SUBSAMPLED, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=8,4 container=jph", SUBSAMPLED_NONE, "cuda:0 blocks", 0},
    {"style=HT levels=2 block=8,8 tile=40,300 tile-offset=3,9", SUBSAMPLED, "cuda:0 blocks", 0},
    {"style=HT levels=2 block=8,8 tile=31,170 reversible=no", TALL_RGB12, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=8,8 overrides=C1:levels=1 mct=off", TALL_RGB12, "cuda:0 blocks", 0},
    {"style=HT levels=1 block=8,8 overrides=C1:levels=3 mct=on", 0, "cuda:0 blocks", 0},
    {"style=HT levels=2 block=8,8 tile=90,200 overrides=T1:levels=4", TALL_RGB12, "cuda:0 blocks", 0},
    {"style=HT levels=3 block=16,16 input-color=rec709 reversible=no step=0.01", TALL_RGB12, "cuda:0 blocks", 0},
    {"levels=0 block=1024,4 reversible=no precincts=[16,2] sop=yes guard-bits=3 measure-psnr=no", TALL, NULL, 0},
    {"levels=3 block=16,16", TALL, NULL, 0},
    {"levels=4 block=64,4 layers=3 reversible=no slopes=38000,36000,34000", TALL, NULL, 0},
    {"levels=3 block=16,8 style=BYPASS|TERMALL", TALL_RGB12, NULL, 0},
    {"levels=2 block=8,8 reversible=no bpp=1 rdoq=no", SUBSAMPLED, NULL, 0},
    {"levels=2 block=16,16 reversible=no bpp=0.5 style=HT", TALL_RGB12, NULL, 0},
    {"levels=3 block=8,8 roi=rect=20,20,60,300", TALL, NULL, 0},
    {"levels=5", TALL, NULL, 1},
    {"style=HT levels=32 block=64,4", TALL, NULL, 1},
    {"levels=3 reversible=no bpp=1 block=8,8 rdoq=yes", TALL, NULL, 1},
    {"style=HT levels=2 block=8,8", 3, NULL, 1},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

static void expect(const char *what, const bytes *reference, bytes b, const char *backend)
{
    char name[32];
    ck_assert_msg(b.status == WVL_OK, "%s: %s", what, b.error);
    snprintf(name, sizeof name, "%s", backend ? backend : b.backend);
    ck_assert_msg(!strncmp(b.backend, "cuda:0", 6), "%s: from %s", what, b.backend);
    expect_same(what, reference, b, name);
}

static void expect_refused(const char *what, bytes b, wvl_status status)
{
    ck_assert_msg(b.status == status, "%s: %d %s", what, b.status, b.error);
    ck_assert_uint_gt(strlen(b.error), 20);
}

TEST_FIXTURE(open_context, close_context);

/* From an image, and from rows that can be read again or cannot. */
TEST_EACH(bytes_are_the_same, CASES)
{
    static const uint32_t heights[] = {1, 100, 333};
    picture p = draw(cases[_i].kind);
    picture_input input = open_input(&p, 0);
    bytes reference = encode(&input, cases[_i].settings, "cpu");
    ck_assert_msg(reference.status == WVL_OK, "%s", reference.error);
    for (unsigned k = 0; k < sizeof heights / sizeof *heights; k++) {
        wvl_plan *plan = make_strips(&input, cases[_i].settings, "cuda-only", heights[k]);
        rows_bench rows;
        char what[160];
        rows_open(&rows, &p, 0, 1);
        snprintf(what, sizeof what, "%s, strips of %u", cases[_i].settings, heights[k]);
        uint32_t before = soft->launches;
        bytes image = encode_plan(plan, &input.image), by_rows = encode_bench(plan, &rows);
        if (cases[_i].is_host) {
            expect_refused(what, image, WVL_ERROR_MEMORY);
            expect_refused(what, by_rows, WVL_ERROR_UNSUPPORTED);
        } else {
            ck_assert_uint_gt(count_jobs(before), 2 * 3);
            expect(what, &reference, image, cases[_i].backend);
            expect(what, &reference, by_rows, cases[_i].backend);
        }
    }
}

/* Every height and parity that tiles can begin and end with. */
TEST_EACH(small_pictures, 4)
{
    static const char *const settings[] = {
        "style=HT levels=1 block=4,4", "style=HT levels=2 block=4,4 reversible=no measure-psnr=no",
        "levels=2 block=8,4", "levels=1 block=4,4 reversible=no step=0.01 measure-psnr=no"};
    for (uint32_t k = 0; k < 120; k++) {
        wvl_component_format component = {.depth = 8, .dx = 1, .dy = 1 + k % 3};
        uint32_t y0 = component.dy * (k % 7), height = component.dy * (20 + k % 37);
        wvl_image_format format = {.struct_size = sizeof format,
                                   .x0 = 3,
                                   .y0 = y0,
                                   .x1 = 12,
                                   .y1 = y0 + height,
                                   .component_count = 1,
                                   .components = &component};
        picture p = picture_draw_format(PICTURE_NOISE, &format, k);
        picture_input input = open_input(&p, 0);
        bytes reference = encode(&input, settings[_i], "cpu");
        wvl_plan *plan = make_strips(&input, settings[_i], "cuda-only", 1 + k % 30);
        bytes b = encode_plan(plan, &input.image);
        ck_assert_msg(b.status == WVL_OK || wvl_geom_strip_grid(plan).unit >= height, "%u: %s", k, b.error);
        if (b.status == WVL_OK) {
            expect(settings[_i], &reference, b, NULL);
        }
    }
}

/* Pixels wherever they may lie: page-locked and on the device they are fetched as they are. */
TEST_EACH(pixels_anywhere, 2)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_PINNED, WVL_MEMORY_DEVICE, WVL_MEMORY_MANAGED};
    const char *settings = _i ? "style=HT levels=2 block=16,8" : "levels=2 block=16,8 reversible=no step=0.01";
    picture p = draw(TALL_RGB12);
    picture_input input = open_input(&p, 0);
    bytes reference = encode(&input, settings, "cpu");
    wvl_plan *plan = make_strips(&input, settings, "cuda-only", 64);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        input.image.memory_kind = kinds[k];
        expect(settings, &reference, encode_plan(plan, &input.image), NULL);
    }
}

/* Strips of one picture on several devices, and on those that are left when one is lost. */
TEST(devices_share_strips)
{
    picture p = draw(TALL);
    picture_input input = open_input(&p, 0);
    soft->devices = 3;
    bytes reference = encode(&input, "style=HT levels=2 block=16,16", "cpu");
    wvl_plan *plan = make_strips(&input, "style=HT levels=2 block=16,16", "cuda-only:0,1,2", 64);
    expect_same("three devices", &reference, encode_plan(plan, &input.image), "cuda:0,1,2 blocks");
    soft->kill = 1;
    soft->kill_at = soft->launches_of[1] + 5;
    bytes b = encode_plan(plan, &input.image);
    ck_assert_msg(b.status == WVL_OK && strstr(b.backend, "cuda:0"), "%s from %s", b.error, b.backend);
    expect(b.backend, &reference, b, NULL);
    reset_driver(1);
}

/* Pictures in flight, each of which is too large for the device. */
TEST(pictures_in_flight)
{
    picture p = draw(TALL);
    picture_input input = open_input(&p, 0);
    bytes reference = encode(&input, "style=HT levels=2 block=16,16", "cpu");
    wvl_plan *plan = make_plan(&input.format, "style=HT levels=2 block=16,16 device-memory=600000", "cuda-only");
    wvl_encoder *encoder = open_encoder(plan, 3);
    fly(encoder,
        &(flight){.images = {&input.image}, .wanted = &reference, .kinds = 1, .count = 7, .from = "cuda:0 blocks"});
    wvl_encoder_release(encoder);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

TEST_FIXTURE(NULL, NULL);

/* The option bounds what is taken of the device, and the plan says how much that is. */
TEST_EACH(memory_is_kept, 2)
{
    static const char *const settings[] = {"style=HT levels=2 block=16,16", "levels=2 block=16,16"};
    unsigned in_strips = 0;
    open_context();
    picture p = draw(TALL_RGB12);
    picture_input input = open_input(&p, 0);
    wvl_plan *whole = make_plan(&input.format, settings[_i], "cuda-only");
    uint64_t most = measure(whole).device_bytes;
    close_context();
    for (uint64_t limit = most; limit > most / 40; limit -= most / 13) {
        char text[128];
        open_context();
        bytes reference = encode(&input, settings[_i], "cpu");
        snprintf(text, sizeof text, "%s device-memory=%llu", settings[_i], (unsigned long long)limit);
        wvl_plan *plan = make_plan(&input.format, text, "cuda-only");
        wvl_plan_memory promised = measure(plan);
        soft->memory_peak = soft->pinned_peak = 0;
        bytes b = encode_plan(plan, &input.image);
        ck_assert_msg(b.status == WVL_OK || b.status == WVL_ERROR_MEMORY, "%s: %s", text, b.error);
        if (b.status == WVL_OK) {
            ck_assert_msg(soft->memory_peak <= limit && soft->memory_peak <= promised.device_bytes,
                          "%s: %llu bytes, promised %llu", text, (unsigned long long)soft->memory_peak,
                          (unsigned long long)promised.device_bytes);
            ck_assert_msg(soft->pinned_peak <= promised.pinned_bytes, "%s: %llu page-locked bytes, promised %llu", text,
                          (unsigned long long)soft->pinned_peak, (unsigned long long)promised.pinned_bytes);
            in_strips += strstr(b.backend, "packets") == NULL;
            expect(text, &reference, b, NULL);
        }
        close_context();
    }
    ck_assert_uint_gt(in_strips, 3);
}

TEST_FIXTURE(open_context, close_context);

/* Rows go to the device in waves where it has the least that a wave needs: blocks are coded in smaller portions. */
TEST(rows_in_small_waves)
{
    picture p = draw(TALL_RGB12);
    picture_input input = open_input(&p, 0);
    bytes reference = encode(&input, "levels=2 tile=90,100 plm=yes", "cpu");
    wvl_plan *plan = make_plan(&input.format, "levels=2 tile=90,100 plm=yes", "cuda-only");
    wvl_job_cut waves = wvl_cut_waves(plan);
    wvl_backend_memory workspace;
    rows_bench rows;
    ck_assert_uint_gt(wvl_cut_measure(&waves, wvl_backend_fetch_device(), &workspace), 0);
    ck_assert_uint_lt(wvl_backend_least(&workspace), workspace.device_bytes / 2);
    for (unsigned k = 0; k < 2; k++) {
        plan->device.memory = wvl_backend_least(&workspace) - k;
        rows_open(&rows, &p, 0, 1);
        wvl_way way = wvl_choose_way(plan, &(wvl_way_source){.rows = &rows.source});
        ck_assert_msg((way.kind == WVL_WAY_JOBS) == !k, "%llu bytes for a wave: %s",
                      (unsigned long long)plan->device.memory, way.why ? way.why : "");
        if (!k) {
            ck_assert_uint_eq(way.strip_rows, 0);
            expect("small waves", &reference, encode_bench(plan, &rows), "cuda:0 blocks");
        }
    }
}

TEST_FIXTURE(NULL, NULL);

/* Without the option: a device that has too little for the picture takes it in strips, lower and lower ones. */
TEST(device_is_small)
{
    const char *settings = "style=HT levels=1 block=8,8";
    picture p = draw(TALL_RGB12);
    picture_input input = open_input(&p, 0);
    uint64_t limit = 1600000;
    unsigned in_strips = 0;
    bytes b = {.status = WVL_OK};
    for (; b.status == WVL_OK && limit > 1000; limit = limit * 4 / 5) {
        open_context();
        bytes reference = encode(&input, settings, "cpu");
        soft->memory_limit = limit;
        b = encode(&input, settings, "cuda-only");
        if (b.status == WVL_OK) {
            in_strips += strstr(b.backend, "packets") == NULL;
            expect("small", &reference, b, NULL);
        } else {
            ck_assert_int_eq(b.status, WVL_ERROR_MEMORY);
            expect_same("the CPU", &reference, encode(&input, settings, "cuda"), "cpu");
        }
        soft->memory_limit = 0;
        close_context();
    }
    ck_assert_int_eq(b.status, WVL_ERROR_MEMORY);
    ck_assert_uint_gt(in_strips, 3);
}

/* What rows take of the host is what wvl_rows_measure() says; with less than the device's way needs, the CPU takes
 * them, unless it must not. */
TEST_EACH(host_memory_is_kept, 2)
{
    static const struct {
        const char *settings;
        int in_strips;
    } kinds[] = {{"style=HT levels=2 block=16,16", 1}, {"levels=2 block=16,16 tile=90,70", 0}};
    picture p = draw(TALL_RGB12);
    picture_input input = open_input(&p, 0);
    for (unsigned k = 0; k < 4; k++) {
        open_context();
        bytes reference = encode(&input, kinds[_i].settings, "cpu");
        wvl_plan *plan =
            make_strips(&input, kinds[_i].settings, k & 1 ? "cuda-only" : "cuda", kinds[_i].in_strips ? 64 : 0);
        wvl_rows_memory m = {.struct_size = sizeof m};
        wvl_rows_options options = {.struct_size = sizeof options};
        rows_bench rows;
        rows_open(&rows, &p, 0, 1);
        ck_assert_int_eq(wvl_rows_measure(plan, &rows.source, &m), WVL_OK);
        options.memory_bytes = k & 2 ? m.least_bytes - 1 : m.least_bytes + m.coded_bytes_bound;
        rows.options = &options;
        uint64_t before = books.live_bytes;
        books.peak_bytes = books.live_bytes;
        bytes b = encode_bench(plan, &rows);
        if (k == 3) {
            expect_refused("too little", b, WVL_ERROR_PARAMETER);
        } else if (k == 2) {
            expect_same("the CPU", &reference, b, "cpu");
        } else {
            ck_assert_msg(books.peak_bytes - before <= m.base_bytes + m.coded_bytes_bound + 2 * reference.count,
                          "%llu bytes of the host, promised %llu and %llu", (unsigned long long)books.peak_bytes,
                          (unsigned long long)m.base_bytes, (unsigned long long)m.coded_bytes_bound);
            expect("rows", &reference, b, NULL);
        }
        close_context();
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST_FIXTURE(open_context, close_context);

/* The source fails at a row, or the picture is cancelled there. */
TEST_EACH(sources_fail, 2)
{
    picture p = draw(TALL);
    picture_input input = open_input(&p, 0);
    for (uint32_t row = 0; row < 901; row += 97) {
        wvl_plan *plan = make_strips(&input, "style=HT levels=2 block=16,16", "cuda-only", 64);
        rows_bench rows;
        rows_open(&rows, &p, 0, 0);
        rows.fails_at = row;
        rows.fails_with = WVL_ERROR_INPUT;
        if (_i) {
            ck_assert_int_eq(wvl_cancel_create(context, &rows.cancel), WVL_OK);
        }
        bytes b = encode_bench(plan, &rows);
        ck_assert_msg(b.status == (_i ? WVL_CANCELLED : WVL_ERROR_INPUT), "row %u: %d", row, b.status);
        ck_assert(_i || strstr(b.error, "torn"));
        if (rows.cancel) {
            wvl_cancel_release(rows.cancel);
        }
    }
}

/* A sample outside of its depth, in a strip's own rows. */
TEST(samples_are_checked)
{
    picture p = draw(TALL_RGB12);
    p.planes[1].samples[300 * p.planes[1].width + 7] = 4096;
    picture_input input = open_input(&p, 0);
    wvl_plan *plan = make_strips(&input, "style=HT levels=2 block=16,16", "cuda-only", 64);
    bytes b = encode_plan(plan, &input.image);
    ck_assert_int_eq(b.status, WVL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(b.error, "outside the depth"));
}

TEST_FIXTURE(NULL, NULL);

/* Every call of the driver fails once, with a device that goes on or is lost. With `cuda` the CPU goes on where the
 * device stopped, unless it is lost; nothing leaks. */
TEST_EACH(every_call_may_fail, 8)
{
    static const int short_memory = 2, lost = 719;
    int is_lost = _i & 1, from_rows = _i & 2, only = _i & 4;
    picture p = picture_draw(PICTURE_NATURAL, 34, 901, 1, 8, 3);
    picture_input input = open_input(&p, 0);
    unsigned by_device = 0, mixed = 0, failed = 0;
    open_context();
    bytes reference = encode(&input, "style=HT levels=2 block=16,16", "cpu");
    close_context();
    for (uint32_t at = 1, is_over = 0; !is_over; at += getenv("WVL_TEST_SHORT") ? 7 : 2) {
        open_context();
        wvl_plan *plan = make_strips(&input, "style=HT levels=2 block=16,16", only ? "cuda-only" : "cuda", 128);
        rows_bench rows;
        rows_open(&rows, &p, 0, 0);
        fail_call(at, is_lost ? lost : short_memory);
        bytes b = from_rows ? encode_bench(plan, &rows) : encode_plan(plan, &input.image);
        is_over = !soft->last;
        ck_assert_msg(b.status == WVL_OK || only || is_lost, "call %u (%s): %s", at, soft->last, b.error);
        if (b.status == WVL_OK) {
            by_device += !strcmp(b.backend, "cuda:0 blocks");
            mixed += strstr(b.backend, "cuda:0") && strstr(b.backend, "cpu");
            char name[32];
            snprintf(name, sizeof name, "%s", b.backend);
            expect_same(soft->last ? soft->last : "all calls", &reference, b, name);
        } else {
            ck_assert_msg(b.status == WVL_ERROR_MEMORY || b.status == WVL_ERROR_DEVICE, "%s: %d", b.error, b.status);
            failed++;
        }
        soft->fail_at = 0;
        close_context();
        fail_call(0, 0);
    }
    ck_assert_uint_gt(by_device, 0);
    ck_assert_msg(only || is_lost || mixed > 3, "%u pictures were finished by the CPU", mixed);
    ck_assert(!failed == (!only && !is_lost));
}

/* Every allocation of the host fails once: the picture fails, or another way is found, and nothing leaks. */
TEST_EACH(every_allocation_may_fail, 4)
{
    static const char settings[] = "style=HT levels=2 block=16,16";
    picture p = picture_draw(PICTURE_NATURAL, 34, 901, 1, 8, 3);
    picture_input input = open_input(&p, 0);
    open_context();
    bytes reference = encode(&input, settings, "cpu");
    close_context();
    unsigned failed = 0, step = getenv("WVL_TEST_SHORT") ? 5 : 1;
    for (uint64_t at = 2, is_over = 0; !is_over; at += step) { /* 1: of the sink */
        open_context();
        wvl_plan *plan = make_strips(&input, settings, _i & 1 ? "cuda-only" : "cuda", 256);
        rows_bench rows;
        rows_open(&rows, &p, 0, 0);
        books.fail_at = books.calls + at;
        uint64_t last = books.fail_at;
        bytes b = _i & 2 ? encode_bench(plan, &rows) : encode_plan(plan, &input.image);
        is_over = books.calls < last;
        books.fail_at = 0;
        ck_assert_msg(b.status == WVL_OK || b.status == WVL_ERROR_MEMORY || b.status == WVL_ERROR_UNSUPPORTED,
                      "allocation %llu: %d %s", (unsigned long long)at, b.status, b.error);
        failed += b.status != WVL_OK;
        if (b.status == WVL_OK) {
            char name[32];
            snprintf(name, sizeof name, "%s", b.backend);
            expect_same("allocation", &reference, b, name);
        }
        close_context();
    }
    ck_assert_uint_gt(failed, 15 / step);
}

TEST_MAIN("device_strips")
