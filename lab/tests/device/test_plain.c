/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transforms of wavelane_dwt.h through pointers to a device: the same bits as through pointers to the host. Runs on
 * the machine's device, or on the one made of software; without any the suite counts as skipped.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "cuda/host/driver/runtime_table.h"
#include "lab/cuda/plain/args.h"
#include "tests/device/soft.h"
#include "tests/support/support.h"
#include "wavelane_dwt.h"

enum { SKIPPED = 77, GUARD = 9, LEVELS = 7, BANDS = 3 * LEVELS + 1 };

static wvl_cuda_runtime driver;
static wvl_cuda_stream stream;

static void open_driver(void)
{
    int device;
    wvl_cuda_context context;
    REQUIRE(wvl_cuda_fetch_runtime(&driver) && !driver.init(0) && !driver.device_get(&device, 0));
    REQUIRE(!driver.context_retain(&context, device) && !driver.context_push(context));
    REQUIRE(!driver.stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING));
}

/* Of the device made of software; NULL: the device is another one. */
static soft_control *find_control(void)
{
    soft_control *(*fetch)(void) = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol = library ? dlsym(library, "soft_driver_control") : NULL;
    memcpy(&fetch, &symbol, sizeof fetch);
    return fetch ? fetch() : NULL;
}

/* ---- Cells: memory of the host, and the same on the device ---- */

typedef struct cells {
    uint32_t *host;
    wvl_cuda_address device;
    size_t count;
} cells;

static cells make_cells(size_t count)
{
    cells c = {.count = count, .host = malloc(count * sizeof *c.host)};
    REQUIRE(c.host && !driver.malloc_device(&c.device, count * sizeof *c.host));
    memset(c.host, 0x5A, count * sizeof *c.host);
    return c;
}

static void upload(const cells *c)
{
    REQUIRE(!driver.upload(c->device, c->host, c->count * sizeof *c->host, stream) && !driver.stream_wait(stream));
}

/* Downloads and compares. 1: every cell is the host's. */
static int is_same(const cells *c)
{
    uint32_t *found = malloc(c->count * sizeof *found);
    REQUIRE(found && !driver.download(found, c->device, c->count * sizeof *found, stream));
    REQUIRE(!driver.stream_wait(stream));
    const int same = memcmp(found, c->host, c->count * sizeof *found) == 0;
    free(found);
    return same;
}

static void free_cells(cells *c)
{
    REQUIRE(!driver.free_device(c->device));
    free(c->host);
}

static void *on_device(const cells *c, const void *at)
{
    return at ? (char *)(uintptr_t)c->device + ((const char *)at - (const char *)c->host) : NULL;
}

/* ---- Pictures ---- */

typedef struct kind {
    const char *wavelet;
    uint32_t type;
} kind;
static const kind kinds[] = {
    {"cdf53", WVL_DWT_I32}, {"cdf53", WVL_DWT_F32}, {"cdf97", WVL_DWT_F32}, {"dd137", WVL_DWT_F32}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static wvl_dwt2 *open_dwt2(const kind *k, uint32_t memory)
{
    wvl_dwt2_options o = {.struct_size = sizeof o, .wavelet = k->wavelet, .type = k->type, .memory = memory};
    wvl_dwt2 *dwt;
    char error[300] = "";
    o.stream = memory == WVL_DWT_DEVICE ? stream : NULL;
    REQUIRE_THAT(wvl_dwt2_create(&o, &dwt, error, sizeof error) == WVL_OK, "%s", error);
    return dwt;
}

/* turn: chooses strides and where the first sample is. */
static cells make_plane(uint32_t width, uint32_t height, uint32_t turn, wvl_dwt2_view *view)
{
    const int64_t column = turn & 1 ? 2 : 1, row = ((int64_t)width * column + 7) / 8 * 8 + (turn & 2 ? 3 : 0);
    const int64_t begin = turn & 8 ? GUARD : 16;
    cells c = make_cells((size_t)(row * height + 32));
    *view = (wvl_dwt2_view){c.host + begin, column, row};
    if (turn & 4) {
        *view = (wvl_dwt2_view){c.host + begin + row * (height - 1), column, -row};
    }
    return c;
}

static void fill(const kind *k, const wvl_dwt2_view *v, uint32_t width, uint32_t height)
{
    uint64_t state = width * 977 + height;
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t *to = (uint32_t *)v->samples + i % width * v->column_stride + i / width * v->row_stride;
        const int32_t pixel = (int32_t)(test_draw(&state) % 256) - 128;
        const float value = (float)pixel * 0.37f;
        memcpy(to, k->type == WVL_DWT_I32 ? (const void *)&pixel : (const void *)&value, sizeof *to);
    }
}

typedef struct pair {
    wvl_dwt2 *host, *device;
} pair;

static void check_picture(const kind *k, const pair *dwt, uint32_t width, uint32_t height, uint32_t levels,
                          uint32_t turn)
{
    wvl_dwt2_view image, coefs, back, bands[BANDS], device_bands[BANDS];
    cells images = make_plane(width, height, turn, &image), planes = make_plane(width, height, turn / 3, &coefs),
          backs = make_plane(width, height, turn + 5, &back);
    fill(k, &image, width, height);
    upload(&images), upload(&planes), upload(&backs);
    REQUIRE(wvl_dwt2_place(turn % 2, &coefs, width, height, levels, bands) == WVL_OK);
    memcpy(device_bands, bands, sizeof bands);
    for (uint32_t i = 0; i <= 3 * levels; i++) {
        device_bands[i].samples = on_device(&planes, bands[i].samples);
    }
    wvl_dwt2_view device_image = image, device_back = back;
    device_image.samples = on_device(&images, image.samples);
    device_back.samples = on_device(&backs, back.samples);
    REQUIRE(wvl_dwt2_forward(dwt->host, &image, width, height, levels, bands, NULL, 0) == WVL_OK);
    REQUIRE(wvl_dwt2_forward(dwt->device, &device_image, width, height, levels, device_bands, NULL, 0) == WVL_OK);
    REQUIRE_THAT(is_same(&planes), "%s, %u x %u, %u levels, turn %u: coefficients differ", k->wavelet, width, height,
                 levels, turn);
    REQUIRE(wvl_dwt2_inverse(dwt->host, bands, width, height, levels, &back, NULL, 0) == WVL_OK);
    REQUIRE(wvl_dwt2_inverse(dwt->device, device_bands, width, height, levels, &device_back, NULL, 0) == WVL_OK);
    REQUIRE_THAT(is_same(&backs), "%s, %u x %u, %u levels, turn %u: samples differ", k->wavelet, width, height, levels,
                 turn);
    REQUIRE(is_same(&images));
    free_cells(&images), free_cells(&planes), free_cells(&backs);
}

START_TEST(test_pictures)
{
    const kind *k = &kinds[_i];
    static const uint32_t widths[] = {1, 2, 3, 7, 8, 31, 111, 112, 113, 128, 136, 223, 240, 300},
                          heights[] = {1, 2, 3, 5, 15, 16, 17, 33, 64, 67, 131};
    const pair dwt = {open_dwt2(k, WVL_DWT_HOST), open_dwt2(k, WVL_DWT_DEVICE)};
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (uint32_t j = 0; j < sizeof heights / sizeof *heights; j++) {
            const uint32_t turn = 5 * i + j;
            check_picture(k, &dwt, widths[i], heights[j], turn % (LEVELS + 1), turn);
        }
        check_picture(k, &dwt, 2 * widths[i], 21, 1, 0); /* without gaps: access by vectors */
        check_picture(k, &dwt, 2 * widths[i] + 1, 20, 2, 0);
    }
    wvl_dwt2_release(dwt.host);
    wvl_dwt2_release(dwt.device);
}
END_TEST

/* ---- Signals ---- */

typedef struct filter {
    const char *wavelet;
    uint32_t form;
} filter;
static const filter filters[] = {{"haar", WVL_DWT1_LATTICE}, {"db4", WVL_DWT1_LATTICE},   {"db16", WVL_DWT1_LATTICE},
                                 {"sym5", WVL_DWT1_LATTICE}, {"cdf97", WVL_DWT1_LATTICE}, {"db8", WVL_DWT1_CONVOLUTION},
                                 {"dd137", WVL_DWT1_AUTO}};
enum { FILTERS = sizeof filters / sizeof *filters };

static wvl_dwt1 *open_dwt1(const filter *f, uint32_t memory)
{
    wvl_dwt1_options o = {.struct_size = sizeof o, .wavelet = f->wavelet, .type = WVL_DWT_F32, .form = f->form};
    wvl_dwt1 *dwt;
    char error[300] = "";
    o.memory = memory;
    o.stream = memory == WVL_DWT_DEVICE ? stream : NULL;
    REQUIRE_THAT(wvl_dwt1_create(&o, &dwt, error, sizeof error) == WVL_OK, "%s", error);
    return dwt;
}

static void check_signal(const filter *f, wvl_dwt1 *const dwt[2], uint64_t length, uint32_t levels, int64_t stride)
{
    const uint64_t step = (uint64_t)(stride < 0 ? -stride : stride), count = wvl_dwt1_count(length, levels);
    cells signals = make_cells(length * step + 2 * GUARD), planes = make_cells(count + 2 * GUARD),
          backs = make_cells(length * step + 2 * GUARD);
    const uint64_t begin = GUARD + (stride < 0 ? (length - 1) * step : 0);
    uint64_t state = length;
    for (uint64_t i = 0; i < length * step; i++) {
        const float value = (float)(int32_t)test_draw32(&state) * 0x1p-31f;
        memcpy(signals.host + GUARD + i, &value, sizeof value);
    }
    upload(&signals), upload(&planes), upload(&backs);
    float *signal = (float *)(void *)(signals.host + begin), *coefs = (float *)(void *)(planes.host + GUARD),
          *back = (float *)(void *)(backs.host + begin);
    REQUIRE(!wvl_dwt1_forward(dwt[0], signal, stride, length, levels, coefs, NULL, 0));
    REQUIRE(!wvl_dwt1_forward(dwt[1], on_device(&signals, signal), stride, length, levels, on_device(&planes, coefs),
                              NULL, 0));
    REQUIRE_THAT(is_same(&planes), "%s, %llu samples, %u levels: coefficients differ", f->wavelet,
                 (unsigned long long)length, levels);
    REQUIRE(!wvl_dwt1_inverse(dwt[0], coefs, length, levels, back, stride, NULL, 0));
    REQUIRE(
        !wvl_dwt1_inverse(dwt[1], on_device(&planes, coefs), length, levels, on_device(&backs, back), stride, NULL, 0));
    REQUIRE_THAT(is_same(&backs), "%s, %llu samples, %u levels: samples differ", f->wavelet, (unsigned long long)length,
                 levels);
    free_cells(&signals), free_cells(&planes), free_cells(&backs);
}

START_TEST(test_signals)
{
    const filter *f = &filters[_i];
    static const uint64_t lengths[] = {1, 2, 3, 31, 32, 64, 500, 1001, 4096, 5000, 6464, 40000};
    wvl_dwt1 *const dwt[] = {open_dwt1(f, WVL_DWT_HOST), open_dwt1(f, WVL_DWT_DEVICE)};
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (uint32_t levels = 1; levels <= (lengths[i] > 9000 ? 1 : 8); levels += 1 + levels / 3) {
            const int64_t stride = i % 2 ? 2 : -3;
            check_signal(f, dwt, lengths[i], levels, levels % 3 ? 1 : stride);
        }
    }
    check_signal(f, dwt, 40000, 5, 1);
    check_signal(f, dwt, 40000, 9, -1);
    wvl_dwt1_release(dwt[0]);
    wvl_dwt1_release(dwt[1]);
}
END_TEST

/* Filters of these numbers of stages, and the kernels that do several of their levels. */
static const struct instance {
    filter filter;
    uint32_t stages;
    const char *forward, *inverse;
} instances[] = {
    {{"haar", WVL_DWT1_LATTICE}, 0, "wvl_plain_forward_carry_3", "wvl_plain_inverse_carry_3"},
    {{"db2", WVL_DWT1_LATTICE}, 1, "wvl_plain_forward_carry_3", "wvl_plain_inverse_carry_3"},
    {{"db4", WVL_DWT1_LATTICE}, 3, "wvl_plain_forward_carry_3", "wvl_plain_inverse_carry_3"},
    {{"sym5", WVL_DWT1_LATTICE}, 4, "wvl_plain_forward_carry_7", "wvl_plain_inverse_carry_7"},
    {{"db8", WVL_DWT1_LATTICE}, 7, "wvl_plain_forward_carry_7", "wvl_plain_inverse_carry_7"},
    {{"sym9", WVL_DWT1_LATTICE}, 8, "wvl_plain_forward_carry_15", "wvl_plain_inverse_carry_15"},
    {{"db16", WVL_DWT1_LATTICE}, 15, "wvl_plain_forward_carry_15", "wvl_plain_inverse_carry_15"},
};
enum { INSTANCES = sizeof instances / sizeof *instances };

static void check_kernel(const struct instance *i, uint64_t length, uint32_t levels, int is_inverse)
{
    wvl_dwt1 *dwt = open_dwt1(&i->filter, WVL_DWT_DEVICE);
    cells signal = make_cells(length), coefs = make_cells(wvl_dwt1_count(length, levels));
    void *from = (void *)(uintptr_t)signal.device, *to = (void *)(uintptr_t)coefs.device;
    upload(&signal), upload(&coefs);
    REQUIRE(!(is_inverse ? wvl_dwt1_inverse(dwt, to, length, levels, from, 1, NULL, 0)
                         : wvl_dwt1_forward(dwt, from, 1, length, levels, to, NULL, 0)));
    const char *found = find_control()->other;
    REQUIRE_THAT(strcmp(found, is_inverse ? i->inverse : i->forward) == 0, "%u stages: %s", i->stages, found);
    wvl_dwt1_release(dwt);
    free_cells(&signal), free_cells(&coefs);
}

/* Several levels of signals that end about where the stretch of a warp does, or of a thread block. */
START_TEST(test_stretches)
{
    const struct instance *i = &instances[_i];
    static const uint32_t levels[] = {2, 5, 6};
    wvl_dwt1 *const dwt[] = {open_dwt1(&i->filter, WVL_DWT_HOST), open_dwt1(&i->filter, WVL_DWT_DEVICE)};
    for (uint32_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        const wvl_lattice_args a = {.levels = (int)levels[k], .steps = {.stage_count = i->stages}};
        const uint64_t tile = (uint64_t)wvl_lattice_carry_tile(&a, WVL_PLAIN_STRETCH);
        for (uint64_t lows = tile - 1; lows <= tile + 1; lows++) {
            check_signal(&i->filter, dwt, lows << levels[k], levels[k], 1);
        }
        check_signal(&i->filter, dwt, (2 * tile) << levels[k], levels[k], 1);
        check_signal(&i->filter, dwt, (2 * tile + 1) << levels[k], levels[k], 1);
        for (int inverse = 0; inverse < 2 && find_control(); inverse++) {
            check_kernel(i, (uint64_t)1 << levels[k], levels[k], inverse);
        }
    }
    wvl_dwt1_release(dwt[0]);
    wvl_dwt1_release(dwt[1]);
}
END_TEST

/* Long stretches: signals that emulated threads would take too long for. */
START_TEST(test_long_stretches)
{
    const struct instance *i = &instances[_i];
    wvl_dwt1 *const dwt[] = {open_dwt1(&i->filter, WVL_DWT_HOST), open_dwt1(&i->filter, WVL_DWT_DEVICE)};
    if (!find_control() && i->stages % 4 == 3) {
        check_signal(&i->filter, dwt, (uint64_t)1 << 26, 5, 1);
        check_signal(&i->filter, dwt, ((uint64_t)1 << 26) + 64 * 37, 6, 1);
    }
    wvl_dwt1_release(dwt[0]);
    wvl_dwt1_release(dwt[1]);
}
END_TEST

/* ---- Failures ---- */

START_TEST(test_options)
{
    char error[300] = "";
    wvl_dwt1 *one;
    wvl_dwt2 *two;
    wvl_dwt1_options o1 = {.struct_size = sizeof o1, .wavelet = "db4", .type = WVL_DWT_F64, .memory = WVL_DWT_DEVICE};
    wvl_dwt2_options o2 = {
        .struct_size = sizeof o2, .wavelet = "cdf97", .type = WVL_DWT_F32, .memory = WVL_DWT_DEVICE, .device = 1000};
    REQUIRE(wvl_dwt1_create(&o1, &one, error, sizeof error) == WVL_ERROR_UNSUPPORTED && strstr(error, "WVL_DWT_F32"));
    REQUIRE(wvl_dwt2_create(&o2, &two, error, sizeof error) == WVL_ERROR_DEVICE && !two && strstr(error, "(101)"));
    o1.type = WVL_DWT_F32;
    o1.memory = 7;
    REQUIRE(wvl_dwt1_create(&o1, &one, error, sizeof error) == WVL_ERROR_PARAMETER);
    o1.memory = WVL_DWT_HOST;
    o1.device = 1;
    REQUIRE(wvl_dwt1_create(&o1, &one, error, sizeof error) == WVL_ERROR_PARAMETER);
    two = open_dwt2(&kinds[0], WVL_DWT_DEVICE);
    const wvl_dwt2_view view = {error, 1, 1};
    wvl_dwt2_view bands[4] = {view, view, view, view};
    REQUIRE(wvl_dwt2_forward(two, &view, (1u << 30) + 1, 4, 1, bands, error, sizeof error) == WVL_ERROR_UNSUPPORTED);
    wvl_dwt2_release(two);
}
END_TEST

/* A signal and a picture with every call of the driver failing in turn: a status, a text, and nothing that stays. */
static wvl_status run_both(cells *c, char *error)
{
    wvl_dwt1_options o1 = {.struct_size = sizeof o1, .wavelet = "db2", .type = WVL_DWT_F32, .memory = WVL_DWT_DEVICE};
    wvl_dwt2_options o2 = {.struct_size = sizeof o2, .wavelet = "cdf53", .type = WVL_DWT_F32, .memory = WVL_DWT_DEVICE};
    wvl_dwt1 *one = NULL;
    wvl_dwt2 *two = NULL;
    void *at = (void *)(uintptr_t)c->device;
    wvl_dwt2_view image = {at, 1, 16}, plane = {(char *)at + 2048, 1, 16}, bands[10];
    o1.stream = o2.stream = stream;
    REQUIRE(wvl_dwt2_place(0, &plane, 16, 16, 3, bands) == WVL_OK);
    wvl_status status = wvl_dwt1_create(&o1, &one, error, 300);
    TRY(status, wvl_dwt1_forward(one, at, 2, 100, 3, (char *)at + 2048, error, 300));
    TRY(status, wvl_dwt2_create(&o2, &two, error, 300));
    TRY(status, wvl_dwt2_forward(two, &image, 16, 16, 3, bands, error, 300));
    wvl_dwt1_release(one);
    wvl_dwt2_release(two);
    return status;
}

START_TEST(test_failures)
{
    soft_control *control = find_control();
    cells c = make_cells(1024);
    uint32_t failures = 0;
    upload(&c);
    for (uint32_t n = 1; control && n < 200; n++) {
        const uint32_t live = control->live;
        char error[300] = "";
        control->fail_status = n % 2 ? 2 : 1;
        control->fail_at = control->calls + n;
        const wvl_status status = run_both(&c, error);
        const int is_reached = control->calls >= control->fail_at;
        control->fail_at = 0;
        REQUIRE_THAT(control->live == live, "call %u: something stays", n);
        if (!is_reached) {
            REQUIRE(status == WVL_OK && n > 40);
            break;
        }
        REQUIRE_THAT((status == WVL_ERROR_DEVICE || status == WVL_ERROR_MEMORY) && error[0], "call %u: status %d, %s",
                     n, (int)status, error);
        failures++;
    }
    REQUIRE(!control || failures > 40);
    free_cells(&c);
}
END_TEST

static int has_device(void)
{
    wvl_dwt2_options o = {.struct_size = sizeof o, .wavelet = "cdf97", .type = WVL_DWT_F32, .memory = WVL_DWT_DEVICE};
    wvl_dwt2 *dwt;
    char error[300] = "";
    const wvl_status status = wvl_dwt2_create(&o, &dwt, error, sizeof error);
    wvl_dwt2_release(dwt);
    if (status) {
        printf("no device: %s\n", error);
    }
    return status == WVL_OK;
}

int main(void)
{
    if (!has_device()) {
        return SKIPPED;
    }
    open_driver();
    Suite *suite = suite_create("plain");
    TCase *tests = tcase_create("plain");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, test_pictures, 0, KINDS);
    tcase_add_loop_test(tests, test_signals, 0, FILTERS);
    tcase_add_loop_test(tests, test_stretches, 0, INSTANCES);
    tcase_add_loop_test(tests, test_long_stretches, 0, INSTANCES);
    tcase_add_test(tests, test_options);
    tcase_add_test(tests, test_failures);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); /* nothing of CUDA may pass a fork */
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
