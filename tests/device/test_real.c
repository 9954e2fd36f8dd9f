/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only a real device can show: a fault in a kernel, memory that others hold, pixels that lie on it. Every test is
 * a process of its own. Without a device the suite says so and counts as skipped.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/host/backend_cuda.h"
#include "layouts.h"
#include "tests/support/support.h"

#define SOFT "software device"
#define SKIPPED 77 /* what CTest takes for a suite that could not run */

static wvl_cuda_runtime driver;
static wvl_cuda_context primary;
static wvl_context *context;
static int have_device;

static int finds_device(void)
{
    wvl_device_info info = {.struct_size = sizeof info};
    return wvl_device_describe(0, &info) == WVL_OK && info.usable && strncmp(info.name, SOFT, strlen(SOFT)) != 0;
}

/* The first call of a test opens its own driver context: nothing of CUDA may pass a fork. */
static void setup(void)
{
    wvl_context_options options = {.struct_size = sizeof options};
    have_device = finds_device();
    if (!have_device) {
        printf("no device: skipped\n");
        return;
    }
    int device;
    ck_assert(wvl_cuda_fetch_runtime(&driver) && !driver.init(0) && !driver.device_get(&device, 0) &&
              !driver.context_retain(&primary, device));
    ck_assert_int_eq(driver.context_push(primary), 0);
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
}

static void teardown(void) { wvl_context_release(context); }

typedef struct bytes {
    void *data;
    size_t count;
    wvl_status status;
    char backend[32], promised[32], error[512]; /* what did it, and what the plan says a device will do */
} bytes;

static void set(wvl_params *params, const char *key, const char *value)
{
    ck_assert_msg(wvl_params_set(params, key, value) == WVL_OK, "%s", wvl_params_error(params));
}

static void promise(const wvl_plan *plan, bytes *b)
{
    const char *why;
    switch (wvl_backend_cuda.reach(plan, NULL, WVL_REACH_PACKETS, &why)) {
    case WVL_REACH_PACKETS: snprintf(b->promised, sizeof b->promised, "cuda:0 packets"); break;
    case WVL_REACH_BLOCKS: snprintf(b->promised, sizeof b->promised, "cuda:0 blocks"); break;
    default: snprintf(b->promised, sizeof b->promised, "cuda:0"); break;
    }
}

/* settings: a tile size, or words KEY=VALUE. */
static bytes encode(const picture_input *input, const char *settings, const char *device)
{
    char text[256];
    bytes b = {0};
    wvl_params *params;
    wvl_plan *plan;
    wvl_sink sink;
    wvl_result *result = NULL;
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    snprintf(text, sizeof text, "%s%s", strchr(settings, '=') ? "" : "tile=", settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = 0;
        set(params, word, equals + 1);
    }
    set(params, "device", device);
    ck_assert_msg(wvl_plan_create(context, params, &input->format, NULL, &plan) == WVL_OK, "%s",
                  wvl_context_error(context));
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    promise(plan, &b);
    b.status = wvl_encode(plan, &input->image, &sink, NULL, &result, b.error, sizeof b.error);
    if (b.status == WVL_OK) {
        ck_assert_int_eq(wvl_sink_take_memory(&sink, &b.data, &b.count), WVL_OK);
        snprintf(b.backend, sizeof b.backend, "%s", wvl_result_backend(result));
    }
    wvl_result_release(result);
    wvl_plan_release(plan);
    wvl_params_release(params);
    return b;
}

static void expect_same(bytes a, bytes b)
{
    ck_assert_msg(a.status == WVL_OK && b.status == WVL_OK && a.count == b.count && !memcmp(a.data, b.data, a.count),
                  "%zu bytes, %zu bytes, or other ones", a.count, b.count);
    wvl_memory_release(context, b.data, b.count);
}

TEST_FIXTURE(setup, teardown);

/* A kernel reads where nothing is: the picture fails, the device is lost for the process, and the CPU goes on for later
 * pictures. */
TEST(a_real_fault)
{
    if (!have_device) {
        return;
    }
    picture p = picture_draw(PICTURE_NATURAL, 800, 600, 3, 8, 1);
    picture_input input = picture_open_input(&p, 0), nowhere = picture_open_input(&p, 0);
    bytes reference = encode(&input, "0,0", "cpu");
    expect_same(reference, encode(&input, "0,0", "cuda-only"));
    nowhere.image.memory_kind = WVL_MEMORY_DEVICE;
    for (unsigned c = 0; c < 3; c++) {
        nowhere.planes[c].data = (const void *)(uintptr_t)0x10;
    }
    bytes failed = encode(&nowhere, "0,0", "cuda");
    ck_assert_int_eq(failed.status, WVL_ERROR_DEVICE);
    ck_assert_ptr_nonnull(strstr(failed.error, "lost"));
    bytes after = encode(&input, "0,0", "cuda");
    ck_assert_str_eq(after.backend, "cpu");
    expect_same(reference, after);
    ck_assert_int_eq(encode(&input, "0,0", "cuda-only").status, WVL_ERROR_DEVICE);
    picture_close_input(&input);
    picture_close_input(&nowhere);
    fuzz_picture_free(&p);
}

/* All but `left` bytes of the device's memory are somebody else's. */
static wvl_cuda_address hold_memory(size_t left)
{
    size_t available, total;
    wvl_cuda_address held = 0;
    ck_assert_int_eq(driver.memory_info(&available, &total), 0);
    ck_assert_int_eq(driver.malloc_device(&held, available > left ? available - left : 1), 0);
    return held;
}

/* 62 million pixels through 1 GiB: piece by piece, or by the CPU, with the same bytes; and the device stays usable. */
TEST(little_memory)
{
    if (!have_device) {
        return;
    }
    picture p = picture_draw(PICTURE_SPARSE, 9088, 6848, 3, 8, 1);
    picture_input input = picture_open_input(&p, 0);
    bytes tiled = encode(&input, "2048,2048", "cpu"), whole = encode(&input, "0,0", "cpu");
    wvl_cuda_address held =
        hold_memory((size_t)200 << 20); /* first the least: what a picture took is kept for later ones */
    bytes refused = encode(&input, "0,0", "cuda-only");
    ck_assert_int_eq(refused.status, WVL_ERROR_MEMORY);
    bytes by_cpu = encode(&input, "0,0", "cuda");
    ck_assert_str_eq(by_cpu.backend, "cpu");
    expect_same(whole, by_cpu);
    (void)driver.free_device(held);
    held = hold_memory((size_t)1 << 30);
    expect_same(tiled, encode(&input, "2048,2048", "cuda-only"));
    expect_same(whole, encode(&input, "0,0", "cuda"));
    (void)driver.free_device(held);
    expect_same(whole, encode(&input, "0,0", "cuda-only"));
    expect_same(tiled, encode(&input, "2048,2048", "cuda-only"));
    picture_close_input(&input);
    fuzz_picture_free(&p);
}

/* What comes after the transform does not ask where it ran: rate control that wants the pixels again, HT blocks,
 * weights, measured targets. */
TEST(whatever_follows)
{
    static const char *const cases[] = {"reversible=no bpp=0.5 rdoq=yes",
                                        "reversible=no bpp=0.3,1 rdoq=yes tile=300,200",
                                        "bpp=1,2",
                                        "style=HT",
                                        "style=HT tile=333,257 block=32,32 mct=off",
                                        "style=HT reversible=no step=0.004 block=128,16",
                                        "style=HT reversible=no qfactor=80 tile=256,256",
                                        "style=HT reversible=no bpp=1",
                                        "style=HT reversible=no bpp=2 tile=256,256",
                                        "reversible=no bpp=0.5,2 visual=yes",
                                        "reversible=no qfactor=70",
                                        "reversible=no psnr=34,42",
                                        "input-color=srgb reversible=no tile=200,200",
                                        "roi=rect=100,80,200,150 layers=2 mct=off",
                                        "mct=off overrides=C1:reversible=no;levels=2 tile=300,300"};
    if (!have_device) {
        return;
    }
    picture p = picture_draw(PICTURE_NATURAL, 1000, 700, 3, 8, 7);
    picture_input input = picture_open_input(&p, 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes by_device = encode(&input, cases[i], "cuda-only");
        ck_assert_msg(!strcmp(by_device.backend, by_device.promised), "%s: %s, not %s: %s", cases[i], by_device.backend,
                      by_device.promised, by_device.error);
        expect_same(encode(&input, cases[i], "cpu"), by_device);
    }
    picture_close_input(&input);
    fuzz_picture_free(&p);
}

/* What the device has less after 240 pictures of several plans in turn than after the first 30. */
static size_t memory_gone(const picture_input *input)
{
    static const char *const cases[] = {"tile=0,0",
                                        "reversible=no tile=256,256 bpp=1",
                                        "style=HT",
                                        "levels=2 block=32,32",
                                        "mct=off tile=300,300",
                                        "input-color=srgb"};
    size_t after_first = 0, available = 0, total;
    for (unsigned i = 0; i < 240; i++) {
        bytes b = encode(input, cases[i % (sizeof cases / sizeof cases[0])], "cuda-only");
        ck_assert_msg(b.status == WVL_OK, "%s", b.error);
        wvl_memory_release(context, b.data, b.count);
        ck_assert_int_eq(driver.memory_info(&available, &total), 0);
        after_first = i == 29 ? available : after_first;
    }
    return available < after_first ? after_first - available : 0;
}

/* What the device has free does not shrink. Other processes may take some, but not every time. */
TEST(flat_memory)
{
    if (!have_device) {
        return;
    }
    picture p = picture_draw(PICTURE_NATURAL, 700, 500, 3, 8, 3);
    picture_input input = picture_open_input(&p, 0);
    size_t gone = memory_gone(&input);
    for (unsigned again = 0; gone && again < 3; again++) {
        gone = memory_gone(&input);
    }
    ck_assert_msg(!gone, "%zu bytes are gone", gone);
    picture_close_input(&input);
    fuzz_picture_free(&p);
}

/* Pixels in page-locked memory, and in device memory after work on a stream that an event ends. */
static void check_elsewhere(const layout *l, const picture_input *input, bytes whole, bytes tiled)
{
    picture_input moved = *input;
    wvl_plane planes[LAYOUT_PLANES];
    void *pinned = NULL;
    wvl_cuda_address there = 0;
    wvl_cuda_stream stream;
    wvl_cuda_event ready;
    ck_assert(!driver.malloc_pinned(&pinned, l->bytes, 1) && !driver.malloc_device(&there, l->bytes) &&
              !driver.stream_create(&stream, 1) && !driver.event_create(&ready, 2));
    memcpy(pinned, l->memory, l->bytes);
    layout_place(l, (uintptr_t)l->memory, WVL_MEMORY_HOST, &moved, planes);
    expect_same(tiled, encode(&moved, "200,128", "cuda-only"));
    layout_place(l, (uintptr_t)pinned, WVL_MEMORY_PINNED, &moved, planes);
    expect_same(whole, encode(&moved, "0,0", "cuda-only"));
    expect_same(tiled, encode(&moved, "200,128", "cuda-only"));
    ck_assert(!driver.upload(there, pinned, l->bytes, stream) && !driver.event_record(ready, stream));
    layout_place(l, there, WVL_MEMORY_DEVICE, &moved, planes);
    moved.image.ready_event = ready;
    expect_same(whole, encode(&moved, "0,0", "auto"));
    expect_same(tiled, encode(&moved, "200,128", "cuda-only"));
    ck_assert_int_eq(encode(&moved, "0,0", "cpu").status, WVL_ERROR_UNSUPPORTED);
    (void)driver.event_destroy(ready);
    (void)driver.stream_destroy(stream);
    (void)driver.free_device(there);
    (void)driver.free_pinned(pinned);
}

/* Depths by containers, planar and interleaved, with and without room between pixels or rows. */
TEST_EACH(pixels_elsewhere, 8)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    if (!have_device) {
        return;
    }
    picture p = picture_draw(PICTURE_NATURAL, _i & 1 ? 1024 : 517, 300, 3, depths[_i / 2], (uint32_t)_i);
    picture_input input = picture_open_input(&p, 0);
    bytes whole = encode(&input, "0,0", "cpu"), tiled = encode(&input, "200,128", "cpu");
    for (unsigned k = 0; k < 4 * LAYOUT_CONTAINERS; k++) {
        layout l;
        if (layout_fill(&p, k / 4, k & 1, k / 2 & 1, &l)) {
            check_elsewhere(&l, &input, whole, tiled);
            free(l.memory);
        }
    }
    picture_close_input(&input);
    fuzz_picture_free(&p);
}

/* In a process of its own, for the reason above. */
static int is_skipped(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        _exit(finds_device() ? 0 : SKIPPED);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
}

int main(void)
{
    if (is_skipped()) {
        printf("no device: skipped\n");
        return SKIPPED;
    }
    return test_run_suite("device_real");
}
