/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture of which several devices finish the tiles: bytes and results beside the CPU's, what is not divided,
 * devices that die, calls that fail, memory. On devices in software. */
#include <math.h>

#include "soft_bench.h"

#define LOST 700

static picture_input input;

static void setup(void)
{
    open_context();
    input = draw_input(PICTURE_NATURAL, 97, 70, 3, 8, 5);
    reset_driver(2);
}

/* Divided into runs of few samples. */
static wvl_plan *make_shares(const picture_input *of, const char *settings, const char *device)
{
    wvl_plan *plan = make_plan(&of->format, settings, device);
    ck_assert_ptr_nonnull(plan);
    plan->test.share_samples = 1000;
    return plan;
}

/* ---- Bytes and results ----------------------------------------------------------------------- */

static wvl_result *encode_result(const wvl_plan *plan, const wvl_image *image, bytes *b)
{
    wvl_sink sink;
    wvl_result *result = NULL;
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_msg(wvl_encode(plan, image, &sink, NULL, &result, b->error, sizeof b->error) == WVL_OK, "%s", b->error);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &b->data, &b->count), WVL_OK);
    return result;
}

static void expect_alike(const char *what, const wvl_result *a, const wvl_result *b, const wvl_plan *plan)
{
    ck_assert_uint_eq(wvl_result_tile_part_count(a), wvl_result_tile_part_count(b));
    for (uint32_t i = 0; i < wvl_result_tile_part_count(a); i++) {
        wvl_tile_part_info x, y;
        ck_assert_int_eq(wvl_result_tile_part(a, i, &x), WVL_OK);
        ck_assert_int_eq(wvl_result_tile_part(b, i, &y), WVL_OK);
        ck_assert_msg(x.tile == y.tile && x.part == y.part && x.part_count == y.part_count && x.bytes == y.bytes &&
                          x.offset == y.offset,
                      "%s: tile-part %u", what, i);
    }
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        for (uint32_t r = 0; r <= plan->syntax.max_levels; r++) {
            ck_assert_msg(wvl_result_packet_bytes(a, c, r, 0) == wvl_result_packet_bytes(b, c, r, 0),
                          "%s: component %u, resolution %u", what, c, r);
        }
    }
    wvl_span x = wvl_result_codestream(a), y = wvl_result_codestream(b);
    ck_assert(x.offset == y.offset && x.bytes == y.bytes);
    x = wvl_result_main_header(a);
    y = wvl_result_main_header(b);
    ck_assert(x.offset == y.offset && x.bytes == y.bytes);
    ck_assert_uint_eq(wvl_result_bytes(a), wvl_result_bytes(b));
    ck_assert_uint_eq(wvl_result_layer_bytes(a, 0), wvl_result_layer_bytes(b, 0));
    double p = wvl_result_layer_psnr(a, 0), q = wvl_result_layer_psnr(b, 0);
    ck_assert_msg(p == q || fabs(p - q) < 1e-3, "%s: PSNR %f, %f", what, p, q);
}

static const struct {
    const char *settings, *backend;
    int there;
    uint32_t depth;
} cases[] = {
    {"style=HT tile=30,30", "cuda:0,1 packets", 2, 8},
    {"tile=30,30", "cuda:0,1,2 packets", 3, 8},
    {"tile=30,30 style=BYPASS plt=yes tlm=yes container=jp2", "cuda:0,1 packets", 2, 12},
    {"style=HT tile=30,30 plt=yes tlm=yes sop=yes eph=yes tile-parts=R container=jph", "cuda:0,1 packets", 2, 12},
    {"style=HT tile=30,80 progression=PCRL", "cuda:0,1,2 packets", 3, 8}, /* one row of tiles */
    {"tile=50,40 progression=RPCL precincts=[64,32]", "cuda:0,1,2,3 packets", 4, 8},
    {"reversible=no step=0.01 tile=40,30 measure-psnr=no", "cuda:0,1 packets", 2, 8},
    {"style=HT reversible=no step=0.01 tile=40,30 measure-psnr=no block=16,16", "cuda:0,1 packets", 2, 8},
    {"reversible=no qfactor=80 tile=40,30 measure-psnr=no tlm=yes", "cuda:0,1,2 packets", 3, 8},
    {"tile=60,50 roi=rect=20,10,40,30", "cuda:0,1 packets", 2, 8},
    {"style=HT tile=97,1 levels=0", "cuda:0,1 packets", 2, 16}, /* rows of tiles that are single rows */
};
#define CASES ((int)(sizeof cases / sizeof *cases))

TEST_FIXTURE(setup, close_context);

TEST_EACH(as_by_the_cpu, CASES)
{
    picture_input in = draw_input(_i % 3 ? PICTURE_NATURAL : PICTURE_NOISE, 97, 70, 3, cases[_i].depth, 5);
    wvl_plan *host = make_plan(&in.format, cases[_i].settings, "cpu"),
             *plan = make_shares(&in, cases[_i].settings, "cuda-only:all");
    bytes a = {0};
    wvl_result *of_host = encode_result(host, &in.image, &a);
    reset_driver(cases[_i].there);
    for (int kind = 0; kind < 2; kind++) {
        bytes b = {0};
        wvl_image image = in.image;
        image.memory_kind = kind ? WVL_MEMORY_PINNED : WVL_MEMORY_HOST; /* its memory is that of the host */
        wvl_result *result = encode_result(plan, &image, &b);
        ck_assert_msg(a.count == b.count && !memcmp(a.data, b.data, a.count), "%s: other bytes", cases[_i].settings);
        ck_assert_msg(!strcmp(wvl_result_backend(result), cases[_i].backend), "%s: from %s", cases[_i].settings,
                      wvl_result_backend(result));
        expect_alike(cases[_i].settings, of_host, result, plan);
        wvl_result_release(result);
        wvl_memory_release(context, b.data, b.count);
    }
    wvl_result_release(of_host);
    wvl_memory_release(context, a.data, a.count);
}

/* One thread: run after run, with the same bytes. */
TEST(without_threads)
{
    wvl_context *usual = enter_context(1);
    bytes a = encode(&input, "style=HT tile=30,30", "cpu");
    wvl_plan *plan = make_shares(&input, "style=HT tile=30,30", "cuda-only:all");
    expect_same("one thread", &a, encode_plan(plan, &input.image), "cuda:0,1 packets");
    leave_context(usual);
}

/* Bytes of one tile follow from others, somebody asks for one device, or it does not pay. */
TEST(not_divided)
{
    static const struct {
        const char *settings, *device, *start;
        uint64_t least;
    } rows[] = {
        {"reversible=no bpp=2 rdoq=no tile=40,40 measure-psnr=no", "cuda-only:all", "cuda:0 packets", 1000},
        {"tile=40,40 layers=2 measure-psnr=no", "cuda-only:all", "cuda:0 packets", 1000},
        {"tile=40,40 max-bytes=9000 rdoq=no measure-psnr=no", "cuda-only:all", "cuda:0 packets", 1000},
        {"tile=40,40 max-component-bytes=5000 rdoq=no measure-psnr=no", "cuda-only:all", "cuda:0 packets", 1000},
        {"style=HT", "cuda-only:all", "cuda:0 packets", 1000}, /* one tile */
        {"style=HT tile=40,40", "cuda-only:1", "cuda:1 packets", 1000},
        {"style=HT tile=40,40", "cuda-only:all", "cuda:0 packets", 97 * 70 * 3 / 2 + 1},
        {"style=HT tile=40,40", "cuda-only:all", "cuda:0 packets", 0}, /* small for the library */
        {"style=HT tile=40,40" WAVES, "cuda-only:all", "cuda:0 blocks", 1000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bytes a = encode(&input, rows[i].settings, "cpu");
        wvl_plan *plan = make_plan(&input.format, rows[i].settings, rows[i].device);
        plan->test.share_samples = rows[i].least;
        expect_same(rows[i].settings, &a, encode_plan(plan, &input.image), rows[i].start);
    }
    wvl_image image = input.image;
    wvl_plan *plan = make_shares(&input, "style=HT tile=40,40", "cuda-only:all");
    bytes a = encode(&input, "style=HT tile=40,40", "cpu");
    image.memory_kind = WVL_MEMORY_DEVICE;
    image.device = 1;
    expect_same("pixels on a device", &a, encode_plan(plan, &image), "cuda:1 packets");
}

/* A sample outside its depth is told, whichever run has it, and nothing is tried again. */
TEST_EACH(outside, 2)
{
    picture p = picture_draw(PICTURE_NATURAL, 97, 70, 1, 10, 5);
    picture_input right = open_input(&p, 0);
    p.planes[0].samples[_i ? 97 * 69 + 3 : 0] = 1 << 10;
    picture_input in = open_input(&p, 0);
    wvl_plan *plan = make_shares(&in, "style=HT tile=30,30", "cuda-only:all");
    uint32_t before = soft->launches;
    bytes b = encode_plan(plan, &right.image);
    uint32_t launches = soft->launches - before;
    ck_assert_str_eq(b.backend, "cuda:0,1 packets");
    b = encode_plan(plan, &in.image);
    ck_assert_uint_le(soft->launches - before, 2 * launches);
    ck_assert_msg(b.status == WVL_ERROR_INPUT && strstr(b.error, "outside the depth"), "%d: %s", b.status, b.error);
}

TEST(cancelled)
{
    wvl_cancel *cancel;
    wvl_control control = {.struct_size = sizeof control};
    wvl_sink sink;
    ck_assert_int_eq(wvl_cancel_create(context, &cancel), WVL_OK);
    wvl_cancel_raise(cancel);
    control.cancel = cancel;
    wvl_plan *plan = make_shares(&input, "style=HT tile=30,30", "cuda-only:all");
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(wvl_encode(plan, &input.image, &sink, &control, NULL, NULL, 0), WVL_CANCELLED);
    wvl_cancel_release(cancel);
}

/* ---- Failures -------------------------------------------------------------------------------- */

static const char *const kinds[] = {"style=HT tile=30,30 tlm=yes", "tile=30,30 plt=yes"};

/* A device dies at each of its launches: the others do its run. */
TEST_EACH(one_dies, 2)
{
    static const char *const left[] = {"cuda:1,2 packets", "cuda:0,2 packets", "cuda:0,1 packets"};
    bytes a = encode(&input, kinds[_i], "cpu");
    uint32_t died = 0;
    for (uint32_t at = 1; at < 60; at += _i ? 5 : 2) {
        reset_driver(3);
        soft->kill = at % 3;
        soft->kill_at = 1 + at / 3;
        log_text[0] = 0;
        wvl_plan *plan = make_shares(&input, kinds[_i], "cuda-only:all");
        bytes b = encode_plan(plan, &input.image);
        int is_dead = soft->broken_devices != 0;
        ck_assert_msg(b.status == WVL_OK, "launch %u: %s, %s", at, b.backend, b.error);
        ck_assert_msg(have_same_bytes(&a, &b), "launch %u: other bytes", at);
        ck_assert_msg(!strcmp(b.backend, is_dead ? left[at % 3] : "cuda:0,1,2 packets"), "launch %u: %s", at,
                      b.backend);
        ck_assert_msg(!is_dead || strstr(log_text, "the other devices do its work"), "%s", log_text);
        died += (uint32_t)is_dead;
    }
    ck_assert_uint_gt(died, 5);
}

/* All devices are dead: the picture fails, or the CPU encodes it. */
TEST(all_die)
{
    bytes a = encode(&input, kinds[0], "cpu");
    for (int only = 0; only < 2; only++) {
        reset_driver(2);
        wvl_plan *plan = make_shares(&input, kinds[0], only ? "cuda-only:all" : "cuda:all");
        bytes first = encode_plan(plan, &input.image);
        ck_assert_str_eq(first.backend, "cuda:0,1 packets");
        soft->broken_devices = 3;
        bytes b = encode_plan(plan, &input.image);
        ck_assert_msg(only ? b.status == WVL_ERROR_DEVICE : b.status == WVL_OK && !strcmp(b.backend, "cpu"),
                      "%d: %s %s", b.status, b.backend, b.error);
        ck_assert(only || have_same_bytes(&a, &b));
        soft->broken_devices = 0;
    }
}

/* Every call of the driver fails once, and the device goes on or is lost. */
TEST_EACH(every_call_may_fail, 2)
{
    uint32_t calls = 0, step = getenv("WVL_TEST_SHORT") ? 23 : 3;
    bytes a = encode(&input, kinds[0], "cpu");
    for (uint32_t at = 0; at <= calls; at += at ? step : 1) { /* at first none does */
        reset_driver(2);
        fail_call(at, _i ? LOST : 1);
        wvl_context *usual = enter_context(2);
        wvl_plan *plan = make_shares(&input, kinds[0], "cuda:all");
        bytes b = encode_plan(plan, &input.image);
        ck_assert_msg(b.status == WVL_OK, "call %u (%s): %s", at, soft->last, b.error);
        ck_assert_msg(have_same_bytes(&a, &b), "call %u: other bytes", at);
        leave_context(usual);
        calls = at ? calls : soft->calls;
    }
    ck_assert_uint_gt(calls, 150);
}

/* Memory of the host fails, call after call: an error or the bytes, and nothing is left. */
TEST(no_memory)
{
    bytes a = encode(&input, kinds[0], "cpu");
    wvl_plan *plan = make_shares(&input, kinds[0], "cuda-only:all");
    uint32_t finished = 0, failed = 0;
    for (uint64_t at = 1; !finished && at < 2000; at++) {
        books.calls = 0;
        books.fail_at = at;
        bytes b = encode_plan(plan, &input.image);
        finished = books.calls < at;
        books.fail_at = 0;
        ck_assert_msg(b.status == WVL_OK || b.status == WVL_ERROR_MEMORY || b.status == WVL_ERROR_SINK, "call %u: %d",
                      (unsigned)at, b.status);
        failed += b.status != WVL_OK;
        ck_assert_msg(b.status != WVL_OK || have_same_bytes(&a, &b), "call %u: other bytes", (unsigned)at);
    }
    ck_assert(finished && failed);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* No device takes more than the plan says of one; with a limit that a whole picture exceeds, the runs keep it. */
TEST_EACH(memory, 2)
{
    bytes a = encode(&input, kinds[_i], "cpu");
    uint64_t whole = 0;
    for (int limited = 0; limited < 2; limited++) {
        char settings[128];
        snprintf(settings, sizeof settings, limited ? "%s reach=packets device-memory=%llu" : "%s", kinds[_i],
                 (unsigned long long)(whole - 1));
        wvl_plan *plan = make_shares(&input, settings, "cuda-only:all");
        wvl_plan_memory m = measure(plan);
        ck_assert_msg(m.device_bytes && (!limited || m.device_bytes < whole), "%llu of %llu bytes",
                      (unsigned long long)m.device_bytes, (unsigned long long)whole);
        whole = m.device_bytes;
        soft->memory_peak = soft->memory_used;
        soft->pinned_peak = soft->pinned_used;
        uint64_t used = soft->memory_used, pinned = soft->pinned_used;
        expect_same(settings, &a, encode_plan(plan, &input.image), "cuda:0,1 packets");
        ck_assert_uint_le(soft->memory_peak - used, 2 * m.device_bytes);
        ck_assert_uint_le(soft->pinned_peak - pinned, 2 * m.pinned_bytes);
    }
}

TEST_MAIN("shares")
