/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole encodes on a device that computes in software (soft.h): same bytes as the CPU's from every kind of picture
 * memory, every call failing once in turn, too little memory, lost devices, and what the steady state costs.
 */

#include "cuda/host/memory/device.h"
#include "layouts.h"
#include "soft_bench.h"

#define STICKY 719
#define COEFS "reversible=no bpp=2 rdoq=yes" WAVES /* blocks are coded on the CPU */

/* ---- Same bytes ------------------------------------------------------------------------------ */

static const char *const settings[] = {
    "",
    "reversible=no measure-psnr=no",
    ("reversible=no bpp=0.3,1,2 tile=100,90" WAVES),
    ("layers=6 style=BYPASS+TERMALL+SEGSYM" WAVES),
    "reversible=no psnr=30,40 progression=RPCL precincts=[64,64] plt=yes tlm=yes",
    ("rates=30,10,1 tile=64,64 tile-parts=RL" WAVES),
    ("reversible=no slopes=36000,34000 style=63 block=16,16" WAVES),
    "levels=0",
    "levels=9 block=4,4",
    "tile=37,200 tile-offset=0,0 block=8,4",
    "reversible=no levels=1 mct=off tile=512,512 measure-psnr=no",
    ("reversible=no bpp=0.3,0.7 rdoq=yes tile=150,512" WAVES),
    ("reversible=no bpp=0.4,1.5 visual=yes" WAVES),
    "style=HT tile=100,90",
    "style=HT reversible=no bpp=1.2 block=32,128 measure-psnr=no",
    "style=HT reversible=no bpp=0.4 measure-psnr=no",
    "style=HT reversible=no step=0.01 block=16,64 measure-psnr=no",
    "style=HT reversible=no qfactor=70 tile=90,200 block=1024,4 measure-psnr=no",
    "style=HT+VSC overrides=C0:reversible=no;step=0.02 mct=off block=32,32 measure-psnr=no",
    "reversible=no qfactor=60 measure-psnr=no"};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

/* How far a device goes here. */
static const char *reached(const char *text)
{
    if (strstr(text, " psnr=") || strstr(text, WAVES)) {
        return strstr(text, "rdoq=yes") || (strstr(text, "bpp=") && !strstr(text, "rdoq=no")) ? "cuda:0"
                                                                                              : "cuda:0 blocks";
    }
    return "cuda:0 packets";
}

/* The picture in every third container, each in one layout and one kind of memory; another picture or other settings
 * have the others. Samples are moved, values stay. */
static void check_layouts(const picture *p, const picture_input *input, const char *text, const bytes *reference)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_HOST, WVL_MEMORY_PINNED, WVL_MEMORY_DEVICE, WVL_MEMORY_MANAGED};
    unsigned turn = (unsigned)strlen(text) + p->x1;
    for (unsigned i = 0; i < 4 * LAYOUT_CONTAINERS; i++) {
        layout l;
        wvl_plane planes[LAYOUT_PLANES];
        picture_input moved = *input;
        int is_chosen = (turn + i / 4) % 3 == 0 && i % 4 == (turn / 3 + i / 4) % 4;
        if (is_chosen && layout_fill(p, i / 4, i & 1, i / 2 & 1, &l)) {
            layout_place(&l, (uintptr_t)l.memory, kinds[(turn + i + i / 4) % 4], &moved, planes);
            expect_same(text, reference, encode(&moved, text, "cuda-only"), reached(text));
            free(l.memory);
        }
    }
}

TEST_FIXTURE(open_context, close_context);

TEST_EACH(same_bytes, SETTINGS)
{
    static const struct {
        uint32_t w, h, count;
        unsigned depth;
    } shapes[] = {{203, 151, 3, 8}, {170, 190, 3, 12}, {64, 333, 1, 16}, {257, 64, 4, 8}, {1, 1, 1, 8},
                  {1025, 70, 1, 8}, {256, 192, 3, 8},  {544, 130, 1, 8}, {264, 96, 1, 16}};
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        picture p = picture_draw(i & 1 ? PICTURE_NATURAL : PICTURE_SPARSE, shapes[i].w, shapes[i].h, shapes[i].count,
                                 shapes[i].depth, i);
        picture_input input = open_input(&p, 0);
        bytes reference = encode(&input, settings[_i], "cpu");
        if (reference.status != WVL_ERROR_UNREACHABLE) {
            ck_assert_msg(reference.status == WVL_OK && !strcmp(reference.backend, "cpu"), "%s", reference.error);
            check_layouts(&p, &input, settings[_i], &reference);
        }
    }
    ck_assert(_i > 1 || soft->marches > 0);
}

/* Halves, NaN among them, whose bits are complemented. */
TEST_EACH(floats, 4)
{
    static const char *const texts[] = {"style=HT", "style=HT mct=off tile=100,90",
                                        "style=HT reversible=no measure-psnr=no",
                                        "style=HT reversible=no bpp=6 measure-psnr=no"};
    for (uint32_t count = 1; count < 5; count += 2) {
        picture p = picture_draw(PICTURE_NATURAL, 264, 96, count, 16, count);
        picture_input input = open_input(&p, 0);
        bytes integers = encode(&input, texts[_i], "cpu");
        for (uint32_t c = 0; c < count; c++) {
            input.components[c].is_signed = WVL_SAMPLE_FLOAT;
        }
        bytes reference = encode(&input, texts[_i], "cpu");
        ck_assert_msg(reference.status == WVL_OK, "%s", reference.error);
        ck_assert(reference.count != integers.count || memcmp(reference.data, integers.data, reference.count) != 0);
        expect_same(texts[_i], &reference, encode(&input, texts[_i], "cuda-only"), reached(texts[_i]));
    }
}

/* What the device did for one encode. */
typedef struct work {
    uint64_t uploaded_bytes;
    uint32_t launches, marches;
} work;

/* The bytes are the CPU's. */
static work encode_counted(picture_input *input, wvl_memory_kind kind)
{
    work before = {soft->uploaded_bytes, soft->launches, soft->marches};
    input->image.memory_kind = WVL_MEMORY_HOST;
    bytes reference = encode(input, "levels=3" WAVES, "cpu");
    ck_assert_msg(reference.status == WVL_OK, "%s", reference.error);
    input->image.memory_kind = kind;
    expect_same("interleaved", &reference, encode(input, "levels=3" WAVES, "cuda-only"), "cuda:0 blocks");
    return (work){soft->uploaded_bytes - before.uploaded_bytes, soft->launches - before.launches,
                  soft->marches - before.marches};
}

/* Pixels that interleave may be one address with several first samples, or several addresses: the device does the same
 * work for both, in either order of the components. Planes that lie farther apart than a pixel keep their values. */
TEST_EACH(interleaved_by_addresses, 8)
{
    static const wvl_memory_kind kinds[] = {WVL_MEMORY_HOST, WVL_MEMORY_PINNED, WVL_MEMORY_DEVICE, WVL_MEMORY_MANAGED};
    unsigned depth = _i / 4 ? 12 : 8;
    size_t sample = depth > 8 ? 2 : 1;
    picture p = picture_draw(PICTURE_NATURAL, 272, 192, 3, depth, 3);
    picture_input input = open_input(&p, 0);
    wvl_plane planes[LAYOUT_PLANES];
    layout l;
    ck_assert(layout_fill(&p, depth > 8, 1, 0, &l));
    l.memory = realloc(l.memory, l.bytes + 6);
    memset(l.memory + l.bytes, 0, 6);
    for (unsigned is_forward = 0; is_forward < 2; is_forward++) {
        layout_place(&l, (uintptr_t)l.memory, WVL_MEMORY_HOST, &input, planes);
        for (uint32_t c = 0; c < 3 && is_forward; c++) {
            planes[c].first_sample = c;
        }
        work one = encode_counted(&input, kinds[_i % 4]);
        for (uint32_t c = 0; c < 3; c++) {
            planes[c].data = (const uint8_t *)planes[c].data + planes[c].first_sample * sample;
            planes[c].first_sample = 0;
        }
        work three = encode_counted(&input, kinds[_i % 4]);
        ck_assert_uint_eq(one.uploaded_bytes, three.uploaded_bytes);
        ck_assert_uint_eq(one.launches, three.launches);
        ck_assert_uint_eq(one.marches, three.marches);
        ck_assert(!is_forward || three.marches > 0);
        planes[1].data = (const uint8_t *)planes[1].data + 3 * sample; /* of the next pixel */
        (void)encode_counted(&input, kinds[_i % 4]);
    }
    free(l.memory);
}

/* Conversion to X'Y'Z' before the transform, tiles and all memory kinds included. */
TEST(converted)
{
    static const struct {
        unsigned depth;
        const char *settings;
    } cases[] = {{8, "input-color=srgb reversible=no tile=100,90 measure-psnr=no"},
                 {10, "input-color=rec2020"},
                 {12, "input-color=p3-d65 tile=64,64 overrides=T1:mct=off"},
                 {16, "input-color=xyz"}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        picture p = picture_draw(PICTURE_NATURAL, 203, 151, 3, cases[i].depth, i);
        picture_input input = open_input(&p, 0);
        bytes reference = encode(&input, cases[i].settings, "cpu");
        ck_assert_msg(reference.status == WVL_OK, "%s", reference.error);
        check_layouts(&p, &input, cases[i].settings, &reference);
    }
}

TEST(empty_blocks_stay)
{
    picture_input input = draw_input(PICTURE_FLAT, 512, 512, 1, 8, 3);
    bytes reference = encode(&input, COEFS, "cpu");
    soft->delivered_bytes = soft->downloaded_bytes = 0;
    expect_same("flat", &reference, encode(&input, COEFS, "cuda-only"), "cuda:0");
    ck_assert_uint_gt(soft->deliveries, 0);
    ck_assert_uint_lt(soft->delivered_bytes + soft->downloaded_bytes, 512 * 512 * 2 / 8);
}

/* ---- Choice ---------------------------------------------------------------------------------- */

TEST(deep_samples_go_to_the_cpu)
{
    picture_input input = draw_input(PICTURE_NATURAL, 60, 50, 1, 17, 1);
    bytes reference = encode(&input, "", "cpu");
    expect_same("cuda", &reference, encode(&input, "", "cuda"), "cpu");
    ck_assert_ptr_nonnull(strstr(log_text, "16 bits"));
    ck_assert_ptr_null(strstr(log_text, "blocks are coded on the CPU"));
    bytes refused = encode(&input, "", "cuda-only");
    ck_assert_int_eq(refused.status, WVL_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(refused.error, "16 bits"));
}

TEST(words)
{
    wvl_params *params;
    static const char *const good[] = {"auto", "cpu", "cuda", "cuda-only", "cuda:3", "cuda-only:15"};
    static const char *const bad[] = {"",      "gpu",    "cuda:",    "cuda:16", "cuda:-1",
                                      "cpu:0", "auto:1", "cuda-onl", "cuda:1x"};
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_str_eq(wvl_params_get(params, "device"), "auto");
    for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_int_eq(wvl_params_set(params, "device", good[i]), WVL_OK);
        ck_assert_str_eq(wvl_params_get(params, "device"), good[i]);
    }
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(wvl_params_set(params, "device", bad[i]) == WVL_ERROR_PARAMETER, "\"%s\" passed", bad[i]);
        ck_assert_str_eq(wvl_params_get(params, "device"), "cuda-only:15");
    }
    wvl_params_release(params);
}

/* Host pixels of a single picture stay with the CPU under auto; pixels on a device take it. */
TEST(automatic)
{
    picture_input input = draw_input(PICTURE_NATURAL, 160, 120, 3, 8, 1);
    bytes reference = encode(&input, WAVES, "cpu");
    expect_same("host", &reference, encode(&input, WAVES, "auto"), "cpu");
    input.image.memory_kind = WVL_MEMORY_DEVICE;
    expect_same("device", &reference, encode(&input, WAVES, "auto"), "cuda:0 blocks");
    ck_assert_ptr_nonnull(
        strstr(log_text, "packed packet headers")); /* how far the device reaches, and why no farther */
    bytes refused = encode(&input, WAVES, "cpu");
    ck_assert_int_eq(refused.status, WVL_ERROR_UNSUPPORTED);
    input.image.device = 1;
    refused = encode(&input, WAVES, "cuda-only");
    ck_assert_int_eq(refused.status, WVL_ERROR_ARGUMENT);
    refused = encode(&input, WAVES, "auto");
    ck_assert_int_eq(refused.status, WVL_ERROR_DEVICE);
}

TEST(missing_and_old_devices)
{
    picture_input input = draw_input(PICTURE_NATURAL, 90, 80, 1, 8, 1);
    bytes reference = encode(&input, WAVES, "cpu");
    wvl_device_info info = {.struct_size = sizeof info};
    soft->devices = 2;
    ck_assert_int_eq(wvl_device_describe(1, &info), WVL_OK);
    ck_assert_str_eq(info.name, "software device 1");
    ck_assert_uint_eq(info.usable, 1);
    ck_assert_int_eq(wvl_device_describe(2, &info), WVL_END);
    expect_same("cuda:1", &reference, encode(&input, WAVES, "cuda:1"), "cuda:1 blocks");
    ck_assert_int_eq(encode(&input, WAVES, "cuda-only:2").status, WVL_ERROR_DEVICE);
    expect_same("cuda:2", &reference, encode(&input, WAVES, "cuda:2"), "cpu");
    soft->capability = 61;
    ck_assert_int_eq(wvl_device_describe(0, &info), WVL_OK);
    ck_assert_uint_eq(info.usable, 0);
    bytes refused = encode(&input, WAVES, "cuda-only:0");
    ck_assert_int_eq(refused.status, WVL_ERROR_DEVICE);
    ck_assert_ptr_nonnull(strstr(refused.error, "7.5"));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Many tiles through little memory; one workspace where there is no room for two; the CPU or a refusal where there is
 * none for one. */
TEST(little_memory)
{
    picture_input input = draw_input(PICTURE_SPARSE, 4000, 1500, 3, 8, 1);
    wvl_plan *plan = make_plan(&input.format, "style=HT tile=2000,1500" WAVES, "cuda-only");
    wvl_plan_memory memory = measure(plan);
    bytes reference = encode(&input, "style=HT tile=2000,1500" WAVES, "cpu");
    ck_assert_uint_gt(memory.device_bytes, 2 * 2000 * 1500 * 3 * 2);
    uint64_t one = memory.device_bytes / 2;
    soft->memory_limit = one - 1;
    ck_assert_int_eq(encode_plan(plan, &input.image).status, WVL_ERROR_MEMORY);
    expect_same("the CPU", &reference, encode(&input, "style=HT tile=2000,1500" WAVES, "cuda"), "cpu");
    soft->memory_limit = one + one / 2;
    expect_same("one workspace", &reference, encode_plan(plan, &input.image), "cuda:0 blocks");
    soft->memory_limit = memory.device_bytes;
    uint32_t waits = soft->waits;
    expect_same("two workspaces", &reference, encode_plan(plan, &input.image), "cuda:0 blocks");
    ck_assert_msg(soft->waits - waits == 2 + 2, "%u waits for two waves and the end of two streams",
                  soft->waits - waits);
}

/* What a picture took stays for the next one of its plan, until memory runs short. */
TEST(kept_memory)
{
    picture_input input = draw_input(PICTURE_NATURAL, 800, 600, 3, 8, 1);
    wvl_plan *plan = make_plan(&input.format, WAVES, "cuda-only"),
             *tiled = make_plan(&input.format, "tile=256,256 block=32,32" WAVES, "cuda-only");
    bytes reference = encode(&input, WAVES, "cpu"),
          tiled_reference = encode(&input, "tile=256,256 block=32,32" WAVES, "cpu");
    expect_same("first", &reference, encode_plan(plan, &input.image), "cuda:0 blocks");
    uint32_t taken = soft->allocations;
    expect_same("second", &reference, encode_plan(plan, &input.image), "cuda:0 blocks");
    ck_assert_uint_eq(soft->allocations, taken);
    expect_same("another plan", &tiled_reference, encode_plan(tiled, &input.image), "cuda:0 blocks");
    ck_assert_uint_gt(soft->allocations, taken);
    taken = soft->allocations;
    expect_same("both in turn", &reference, encode_plan(plan, &input.image), "cuda:0 blocks");
    expect_same("both in turn", &tiled_reference, encode_plan(tiled, &input.image), "cuda:0 blocks");
    ck_assert_uint_eq(soft->allocations, taken);
    soft->memory_limit = soft->memory_used;
    bytes other = encode(&input, "levels=3" WAVES, "cuda-only");
    ck_assert_msg(other.status == WVL_OK, "kept memory was in the way: %s", other.error);
}

/* The promise covers a device too. */
TEST(memory_promise)
{
    picture_input input = draw_input(PICTURE_NATURAL, 700, 500, 3, 8, 1);
    static const char *const shapes[] = {WAVES, ("tile=128,128" WAVES), ("tile=64,64 reversible=no layers=4" WAVES),
                                         "reversible=no psnr=35"};
    for (unsigned i = 0; i < 4; i++) {
        wvl_plan *plan = make_plan(&input.format, shapes[i], "cuda-only");
        wvl_plan_memory memory = measure(plan);
        bytes first = encode_plan(plan, &input.image); /* opens the device, which stays */
        uint64_t before = books.live_bytes;
        books.peak_bytes = before;
        expect_same(shapes[i], &first, encode_plan(plan, &input.image), "cuda:0 blocks");
        ck_assert_msg(books.peak_bytes - before <= memory.base_bytes + memory.coded_bytes_bound,
                      "%s: peak %llu, promised %llu", shapes[i], (unsigned long long)(books.peak_bytes - before),
                      (unsigned long long)(memory.base_bytes + memory.coded_bytes_bound));
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* Every call of an encode fails once, alone or for good. With a fallback the bytes come all the same, unless the device
 * is lost in the middle. */
TEST_EACH(every_call_may_fail, 24)
{
    static const char *const texts[] = {"tile=28,24 measure-psnr=no " COEFS,
                                        "tile=28,46 style=HT reversible=no measure-psnr=no" WAVES,
                                        "tile=28,46 reversible=no measure-psnr=no" WAVES};
    int status = _i & 1 ? STICKY : 2, only = _i & 2, codes = _i / 8;
    int may_retry = codes == 2 && status != STICKY; /* with less memory for blocks */
    const char *text = texts[codes];
    const char *device = only ? "cuda-only" : "cuda", *whole = codes ? "cuda:0 blocks" : "cuda:0";
    soft->scratch_cost = codes ? 12 : 0; /* blocks are coded in parts */
    picture_input input = draw_input(PICTURE_NATURAL, 54, 46, 3, 8, 5);
    input.image.memory_kind = _i & 4 ? WVL_MEMORY_PINNED : WVL_MEMORY_HOST;
    bytes reference = encode(&input, text, "cpu");
    uint32_t failures = 0;
    for (uint32_t n = 1, failed = 1; failed; n++) {
        wvl_context *usual = enter_context(1);
        fail_call(n, status);
        bytes b = encode(&input, text, device);
        failed = soft->last != NULL;
        failures += failed;
        /* A device that does not say what its code was compiled for has other kernels. */
        int may_pass = may_retry || (failed && !strcmp(soft->last, "cuFuncGetAttribute"));
        if (b.status == WVL_OK) {
            ck_assert_msg(!failed || !only || (codes && !strcmp(b.backend, "cuda:0")) || may_pass,
                          "call %u (%s) failed unseen", n, soft->last);
            ck_assert_msg(have_same_bytes(&reference, &b), "call %u (%s): other bytes", n, soft->last);
            ck_assert_msg(!strcmp(b.backend, whole) == !failed || (failed && may_pass), "call %u (%s): from %s", n,
                          soft->last, b.backend);
        } else {
            ck_assert_msg(failed && (b.status == WVL_ERROR_MEMORY || b.status == WVL_ERROR_DEVICE) &&
                              (only || status == STICKY),
                          "call %u (%s): %d %s", n, soft->last, b.status, b.error);
            ck_assert_msg(strlen(b.error) > 10, "call %u (%s): no text", n, soft->last);
        }
        if (failed && !only) { /* the next picture comes in any case */
            bytes next = encode(&input, text, device);
            ck_assert_msg(have_same_bytes(&reference, &next), "after call %u: %s", n, next.error);
            ck_assert_msg(status != STICKY || !strcmp(next.backend, "cpu"), "after call %u: from %s", n, next.backend);
        }
        leave_context(usual);
    }
    fail_call(0, 0);
    ck_assert_uint_gt(failures, 30);
}

/* A device that one context has lost is lost for the process: nothing is tried on it any more, neither by contexts that
 * had opened it nor by new ones. */
TEST(lost_for_good)
{
    wvl_context *usual = context, *others[2];
    wvl_device_info info = {.struct_size = sizeof info};
    picture_input input = draw_input(PICTURE_NATURAL, 190, 170, 1, 8, 5);
    bytes reference = encode(&input, WAVES, "cpu");
    expect_same("before", &reference, encode(&input, WAVES, "cuda"), "cuda:0 blocks");
    (void)enter_context(1);
    others[0] = context;
    expect_same("before, another context", &reference, encode(&input, WAVES, "cuda-only"), "cuda:0 blocks");
    ck_assert(wvl_device_describe(0, &info) == WVL_OK && info.usable);
    soft->fail_status = STICKY;
    soft->fail_at = soft->calls + 6;
    context = usual;
    bytes lost = encode(&input, WAVES, "cuda");
    ck_assert_int_eq(lost.status, WVL_ERROR_DEVICE);
    ck_assert_ptr_nonnull(strstr(lost.error, "lost"));
    uint32_t calls = soft->calls;
    expect_same("after", &reference, encode(&input, WAVES, "cuda"), "cpu");
    ck_assert_int_eq(encode(&input, WAVES, "cuda-only").status, WVL_ERROR_DEVICE);
    (void)enter_context(1);
    others[1] = context;
    for (unsigned i = 0; i < 2; i++) {
        context = others[i];
        expect_same("after, other contexts", &reference, encode(&input, WAVES, "cuda"), "cpu");
        bytes refused = encode(&input, WAVES, "cuda-only");
        ck_assert_int_eq(refused.status, WVL_ERROR_DEVICE);
        ck_assert_msg(strstr(refused.error, "lost") != NULL, "%s", refused.error);
        close_only_context();
    }
    context = usual;
    ck_assert_uint_eq(soft->calls, calls);
    soft->broken = 0;
    ck_assert(wvl_device_describe(0, &info) == WVL_OK && !info.usable);
}

/* A driver that builds no graphs, or has no memory for one, gets single launches. */
TEST(without_graphs)
{
    picture_input input = draw_input(PICTURE_NATURAL, 120, 100, 3, 8, 5);
    bytes reference = encode(&input, "style=HT", "cpu");
    static const int statuses[] = {WVL_CUDA_NOT_SUPPORTED, WVL_CUDA_OUT_OF_MEMORY};
    for (unsigned i = 0; i < 2; i++) {
        soft->graph_status = statuses[i];
        expect_same("single launches", &reference, encode(&input, "style=HT", "cuda-only"), "cuda:0 packets");
    }
    soft->graph_status = 0;
}

TEST(wrong_samples)
{
    picture p = picture_draw(PICTURE_NATURAL, 120, 100, 3, 7, 5);
    for (int wide = 0; wide < 2; wide++) {
        picture_input input = open_input(&p, wide);
        input.samples[120 * 100 + 77] = 0x80; /* of the second component, or of the first in 32 bits */
        bytes b = encode(&input, "tile=50,50", "cuda-only");
        ck_assert_int_eq(b.status, WVL_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(b.error, "depth"));
    }
}

static int refuse_half_way(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    (void)user, (void)stage;
    return done > total / 2;
}

TEST(cancelled_half_way)
{
    picture_input input = draw_input(PICTURE_NATURAL, 600, 500, 3, 8, 5);
    wvl_plan *plan = make_plan(&input.format, "tile=64,64", "cuda-only");
    wvl_sink sink;
    wvl_control control = {.struct_size = sizeof control, .progress = refuse_half_way};
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(wvl_encode(plan, &input.image, &sink, &control, NULL, NULL, 0), WVL_CANCELLED);
}

/* A device need not begin with what nobody wants. */
TEST(cancelled_before_the_start)
{
    picture_input input = draw_input(PICTURE_NATURAL, 96, 80, 3, 8, 5);
    wvl_plan *plan = make_plan(&input.format, "tile=32,32", "cuda-only");
    wvl_cancel *cancel;
    wvl_sink sink;
    char text[512];
    ck_assert_int_eq(wvl_cancel_create(context, &cancel), WVL_OK);
    wvl_cancel_raise(cancel);
    wvl_control control = {.struct_size = sizeof control, .cancel = cancel};
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    uint32_t launches = soft->launches;
    ck_assert_int_eq(wvl_encode(plan, &input.image, &sink, &control, NULL, text, sizeof text), WVL_CANCELLED);
    ck_assert_uint_eq(soft->launches, launches);
    wvl_cancel_release(cancel);
}

TEST_MAIN("device_conductor")
