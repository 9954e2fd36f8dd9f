/* SPDX-License-Identifier: BSD-2-Clause */
/* Several devices in one process, made of software: pictures in flight, waves of one picture, devices that die, calls
 * that fail, memory that stays. */
#include <unistd.h>

#include "soft_bench.h"
#include "wavelane_frames.h"

#define PICTURES 6u
#define LOST 700

/* Devices finish the pictures; they code their blocks; they transform them. */
static const char *const kinds[] = {"style=HT", ("style=HT" WAVES), ("reversible=no bpp=1,2 rdoq=no" WAVES)};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))
static const char *const ends[] = {" packets", " blocks", " blocks"};

static picture_input inputs[PICTURES];
static bytes expected[PICTURES];

static void setup(void)
{
    open_context();
    for (unsigned i = 0; i < PICTURES; i++) {
        inputs[i] = draw_input((picture_kind)(i % 3), 85, 45, 3, 8, i);
    }
    reset_driver(2);
}

static void expect(int kind)
{
    for (unsigned i = 0; i < PICTURES; i++) {
        expected[i] = encode(&inputs[i], kinds[kind], "cpu");
        ck_assert_int_eq(expected[i].status, WVL_OK);
    }
}

/* ---- Ahead ----------------------------------------------------------------------------------- */

TEST_FIXTURE(setup, close_context);

/* Opened once, by this call or by the first picture; what cannot be opened says why, and hinders nobody. */
TEST(opened_ahead)
{
    char error[100] = "old";
    expect(0);
    ck_assert_int_eq(wvl_context_open_device(context, 1, error, sizeof error), WVL_OK);
    ck_assert_str_eq(error, "");
    uint32_t live = soft->live;
    ck_assert_uint_gt(live, 0);
    ck_assert_int_eq(wvl_context_open_device(context, 1, NULL, 0), WVL_OK);
    ck_assert_uint_eq(soft->live, live);
    ck_assert_int_eq(wvl_context_open_device(context, 2, error, sizeof error), WVL_ERROR_DEVICE);
    ck_assert_msg(strstr(error, "no such device") != NULL, "%s", error);
    ck_assert_int_eq(wvl_context_open_device(context, 99, error, sizeof error), WVL_ERROR_DEVICE);
    ck_assert_int_eq(wvl_context_open_device(NULL, 0, error, sizeof error), WVL_ERROR_ARGUMENT);
    ck_assert_msg(*error != 0, "no reason");
    expect_same("ahead", &expected[0], encode(&inputs[0], kinds[0], "cuda-only:1"), "cuda:1 packets");
    soft->broken_devices = 1;
    ck_assert_int_eq(wvl_context_open_device(context, 0, error, sizeof error), WVL_ERROR_DEVICE);
    expect_same("the CPU", &expected[0], encode(&inputs[0], kinds[0], "cuda:0"), "cpu");
}

/* Memory of the caller is page-locked for the time between the calls, and the device fetches pixels from there. */
TEST(pinned_pixels)
{
    enum { BYTES = 97 * 70 };
    char error[100] = "old";
    picture_input own = inputs[0];
    void *memory = (void *)(uintptr_t)own.image.planes[0].data;
    expect(0);
    own.image.memory_kind = WVL_MEMORY_PINNED;
    ck_assert_int_eq(wvl_context_open_device(context, 1, NULL, 0), WVL_OK);
    uint64_t before = soft->pinned_used;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(wvl_context_pin(context, 1, memory, BYTES, error, sizeof error), WVL_OK);
        ck_assert_str_eq(error, "");
        ck_assert_uint_eq(soft->pinned_used, before + BYTES);
        wvl_context_unpin(context, 1, memory);
        ck_assert_uint_eq(soft->pinned_used, before);
    }
    ck_assert_int_eq(wvl_context_pin(context, 1, memory, BYTES, NULL, 0), WVL_OK);
    expect_same("pinned", &expected[0], encode(&own, kinds[0], "cuda-only:1"), "cuda:1 packets");
    wvl_context_unpin(context, 1, memory);
    soft->fail_at = soft->calls + 1;
    soft->fail_status = WVL_CUDA_OUT_OF_MEMORY;
    ck_assert_int_eq(wvl_context_pin(context, 1, memory, BYTES, error, sizeof error), WVL_ERROR_MEMORY);
    ck_assert_msg(*error != 0, "no reason");
    ck_assert_int_eq(wvl_context_pin(context, 99, memory, BYTES, error, sizeof error), WVL_ERROR_DEVICE);
    ck_assert_int_eq(wvl_context_pin(context, 1, memory, 0, NULL, 0), WVL_ERROR_ARGUMENT);
    wvl_context_unpin(context, 99, memory);
}

/* Large page-locked memory of the library is mapped by itself, and goes back whole. Where the driver does not lock it,
 * the driver's own takes its place. */
TEST(large_pages)
{
    picture_input large = draw_input((picture_kind)0, 2100, 1000, 1, 16, 1); /* staging memory of 4.2 MB */
    bytes wanted = encode(&large, kinds[0], "cpu");
    ck_assert_int_eq(wvl_context_open_device(context, 1, NULL, 0), WVL_OK);
    uint64_t before = soft->pinned_used;
    uint32_t registered = soft->registered;
    expect_same("large pages", &wanted, encode(&large, kinds[0], "cuda-only:1"), "cuda:1 packets");
    uint32_t count = soft->registered - registered;
    ck_assert_uint_gt(count, 0);
    soft->refuses_to_register = 1;
    close_context();
    open_context();
    ck_assert_uint_eq(soft->pinned_used, 0);
    expect_same("the driver's", &wanted, encode(&large, kinds[0], "cuda-only:1"), "cuda:1 packets");
    ck_assert_uint_eq(soft->registered - registered, count);
    ck_assert_uint_ge(soft->pinned_used, before);
    soft->refuses_to_register = 0;
}

/* The log says once a device how many queues the driver has. */
TEST(queues_are_told)
{
    static const char name[] = "CUDA_DEVICE_MAX_CONNECTIONS";
    for (int n = 0; n < 2; n++) {
        ck_assert_int_eq(wvl_context_open_device(context, 0, NULL, 0), WVL_OK);
    }
    const char *said = strstr(log_text, name);
    ck_assert_ptr_nonnull(said);
    ck_assert_ptr_null(strstr(said + 1, name));
}

/* ---- Pictures in flight ---------------------------------------------------------------------- */

static void submit(wvl_encoder *encoder, uint32_t n, int on_device)
{
    wvl_image image = inputs[n % PICTURES].image;
    image.memory_kind = on_device < 0 ? WVL_MEMORY_HOST : WVL_MEMORY_DEVICE; /* its memory is that of the host */
    image.device = on_device < 0 ? 0 : on_device;
    ck_assert_int_eq(wvl_encoder_submit(encoder, &image, NULL, (void *)(uintptr_t)(n + 1)), WVL_OK);
}

/* The picture that comes is number n, and its bytes are those of the CPU. Returns the device, or -1. end: how its name
 * ends; NULL: the device may have done less. */
static int check_next(wvl_encoder *encoder, uint32_t n, const char *end)
{
    char where[64];
    bytes b = receive(encoder);
    ck_assert_uint_eq((uintptr_t)b.user, n + 1);
    ck_assert_msg(b.status == WVL_OK, "picture %u: %s", n, b.error);
    ck_assert_msg(have_same_bytes(&expected[n % PICTURES], &b), "picture %u: other bytes", n);
    int device = strncmp(b.backend, "cuda:", 5) ? -1 : atoi(b.backend + 5);
    snprintf(where, sizeof where, "cuda:%d%s", device, end ? end : "");
    ck_assert_msg(device < 0 || !end || !strcmp(b.backend, where), "picture %u came from %s, not %s", n, b.backend,
                  where);
    return device;
}

/* Any number of devices, in any order, and pictures in any number of places. */
TEST_EACH(shared_out, KINDS)
{
    static const struct {
        const char *device;
        int there;
        uint32_t frames, used; /* bit per device */
    } cases[] = {{"cuda-only:all", 1, 3, 1},
                 {"cuda-only:all", 2, 4, 3},
                 {"cuda-only:all", 3, 3, 7},
                 {"cuda-only:all", 4, 8, 15},
                 {"cuda-only:2,0", 4, 4, 5},
                 {"cuda-only:1", 2, 3, 2},
                 {"cuda-only:0,1,2,3", 4, 2, 3 | 12},
                 {"cuda:0,1,7", 2, 4, 3},
                 {"cuda-only", 2, 3, 1},
                 {"cuda:all", 2, 1, 3}};
    expect(_i);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        reset_driver(cases[c].there);
        wvl_plan *plan = make_plan(&inputs[0].format, kinds[_i], cases[c].device);
        wvl_encoder *encoder = open_encoder(plan, cases[c].frames);
        ck_assert_uint_eq(wvl_encoder_frames(encoder), cases[c].frames);
        uint32_t used = 0, sent = 0;
        for (uint32_t n = 0; n < 16; n++) {
            while (sent < 16 && sent < n + cases[c].frames) {
                submit(encoder, sent++, -1);
            }
            int device = check_next(encoder, n, ends[_i]);
            ck_assert_int_ge(device, 0);
            used |= UINT32_C(1) << device;
        }
        /* Waves: a place has one device, so that fewer places use fewer devices. */
        int may_be_fewer = _i > 0 && cases[c].frames < 4;
        ck_assert_msg(used == cases[c].used || may_be_fewer || (used & ~cases[c].used) == 0, "%s: used %x",
                      cases[c].device, used);
        ck_assert_msg(may_be_fewer || cases[c].frames < 3 || used == cases[c].used, "%s: used %x", cases[c].device,
                      used);
        wvl_encoder_release(encoder);
    }
}

/* Pixels on a device stay there; on one that the option does not name they are refused. */
TEST_EACH(pixels_stay, KINDS)
{
    expect(_i);
    reset_driver(3);
    wvl_plan *plan = make_plan(&inputs[0].format, kinds[_i], "cuda-only:0,1");
    wvl_encoder *encoder = open_encoder(plan, 4);
    uint32_t sent = 0;
    for (uint32_t n = 0; n < 12; n++) {
        while (sent < 12 && sent < n + 4) {
            submit(encoder, sent, (int)(sent / 3 % 2)); /* three in a row on each */
            sent++;
        }
        ck_assert_int_eq(check_next(encoder, n, ends[_i]), (int)(n / 3 % 2));
    }
    submit(encoder, 0, 2);
    bytes refused = receive(encoder);
    ck_assert_int_eq(refused.status, WVL_ERROR_ARGUMENT);
    ck_assert_msg(strstr(refused.error, "the pixels lie on device 2") != NULL, "%s", refused.error);
    wvl_encoder_release(encoder);
}

/* A device dies with pictures on two devices: the other one does them, and all that follow. */
TEST_EACH(one_dies, KINDS)
{
    expect(_i);
    for (uint32_t at = 1; at < (_i == 2 ? 20 : 60); at += at < 20 ? 3 : 17) {
        reset_driver(2);
        wvl_plan *plan = make_plan(&inputs[0].format, kinds[_i], "cuda-only:all");
        wvl_encoder *encoder = open_encoder(plan, 4);
        uint32_t sent = 0, last = 0;
        soft->kill = at % 2;
        soft->kill_at = soft->launches_of[at % 2] + at;
        for (uint32_t n = 0; n < 24; n++) {
            while (sent < 24 && sent < n + 4) {
                submit(encoder, sent++, -1);
            }
            int device = check_next(encoder, n, ends[_i]);
            last = device == (int)(at % 2) ? n : last;
        }
        ck_assert_msg(soft->broken_devices == UINT32_C(1) << at % 2, "%u launches were too few to die",
                      soft->launches_of[at % 2]);
        ck_assert(at > 20 || last < 23);
        wvl_encoder_release(encoder);
    }
}

/* Pixels on the dead device go with it. When all devices are dead, pictures at work fail, and later ones come from the
 * CPU, where that is allowed. */
TEST_EACH(all_die, KINDS)
{
    for (int only = 0; only < 2; only++) {
        uint32_t failed = 0;
        expect(_i);
        reset_driver(2);
        wvl_plan *plan = make_plan(&inputs[0].format, kinds[_i], only ? "cuda-only:all" : "cuda:all");
        wvl_encoder *encoder = open_encoder(plan, 2);
        for (uint32_t n = 0; n < 12; n++) {
            soft->broken_devices |= (uint32_t)(n == 3) | (uint32_t)(n == 6) << 1;
            submit(encoder, n, n == 3 ? 0 : -1);
            bytes b = receive(encoder);
            ck_assert_msg(b.status == WVL_ERROR_DEVICE || have_same_bytes(&expected[n % PICTURES], &b),
                          "picture %u: %d %s", n, b.status, b.error);
            ck_assert(n != 3 || b.status == WVL_ERROR_DEVICE);
            ck_assert_msg(n == 3 || n >= 6 || b.status == WVL_OK, "picture %u: %d %s", n, b.status, b.error);
            failed += n >= 6 && b.status != WVL_OK;
        }
        ck_assert_msg(only ? failed == 6 : failed <= 2, "%u pictures failed", failed);
        wvl_encoder_release(encoder);
    }
}

/* Memory is that of the first pictures, however many follow. */
TEST(memory_stays)
{
    const uint32_t count = getenv("WVL_TEST_SHORT") ? 1000 : 10000;
    picture_input input = draw_input(PICTURE_NATURAL, 24, 20, 1, 8, 3);
    wvl_plan *plan = make_plan(&input.format, kinds[0], "cuda-only:all");
    bytes one = encode(&input, kinds[0], "cpu");
    wvl_encoder *encoder = open_encoder(plan, 8);
    uint64_t peak = 0;
    uint32_t sent = 0, allocations = soft->allocations, of[2] = {0, 0};
    for (uint32_t n = 0; n < count; n++) {
        while (sent < count && sent < n + 8) {
            ck_assert_int_eq(wvl_encoder_submit(encoder, &input.image, NULL, NULL), WVL_OK);
            sent++;
        }
        bytes b = receive(encoder);
        ck_assert(have_same_bytes(&one, &b));
        of[b.backend[5] - '0']++;
        if (n == count / 10) {
            peak = books.peak_bytes;
        }
    }
    ck_assert_uint_le(books.peak_bytes, peak + peak / 100); /* results in flight come and go */
    /* In each of the 8 workspaces: staging memory, pinned and on the device. Rooms of finished pictures: 8 in flight,
     * and a picture that waits for its turn holds none of the workspaces, so that all 8 may be of one device, and later
     * of the other one. */
    ck_assert_msg(soft->allocations <= allocations + 4 * 8, "%u allocations", soft->allocations - allocations);
    ck_assert_msg(of[0] > count / 4 && of[1] > count / 4, "%u and %u", of[0], of[1]);
    wvl_encoder_release(encoder);
}

/* Noise takes more memory than most workspaces have. Where larger ones fit, they come; else such pictures take turns.
 */
TEST_EACH(noise_in_flight, 2)
{
    picture_input noise = draw_input(PICTURE_NOISE, 60, 50, 1, 8, 1), flat = draw_input(PICTURE_FLAT, 60, 50, 1, 8, 1);
    bytes of_noise = encode(&noise, "", "cpu"), of_flat = encode(&flat, "", "cpu"), wanted[10];
    flight f = {.wanted = wanted, .kinds = 10, .count = 48, .from = " packets"};
    for (unsigned i = 0; i < 10; i++) {
        f.images[i] = i < 5 ? &noise.image : &flat.image;
        wanted[i] = i < 5 ? of_noise : of_flat;
    }
    (void)setenv("SOFT_EMULATE", "1", 1); /* codec/t1 keeps no lists of symbols */
    wvl_encoder *encoder = open_encoder(make_plan(&noise.format, "", "cuda-only:all"), 8);
    soft->memory_limit = _i ? soft->memory_used + (UINT64_C(1) << 20) : 0; /* for pixels */
    fly(encoder, &f);
    wvl_encoder_release(encoder);
    soft->memory_limit = 0;
    (void)unsetenv("SOFT_EMULATE");
}

/* With rdoq blocks are coded several times. In most workspaces the first codings of these pictures find too little
 * memory and the last one enough, but the slopes would be others: such pictures are submitted again. */
TEST(survey_in_flight)
{
    static const char *const settings = "reversible=no bpp=2";
    picture_input input[PICTURES];
    bytes wanted[PICTURES];
    flight f = {.wanted = wanted, .kinds = PICTURES, .count = 24, .from = " packets"};
    for (unsigned i = 0; i < PICTURES; i++) {
        input[i] = draw_input(i % 2 ? PICTURE_NOISE : PICTURE_NATURAL, 96, 128, 3, 12, i);
        wanted[i] = encode(&input[i], settings, "cpu");
        f.images[i] = &input[i].image;
    }
    wvl_encoder *encoder = open_encoder(make_plan(&input[0].format, settings, "cuda-only:all"), 8);
    fly(encoder, &f);
    wvl_encoder_release(encoder);
}

/* Every call of the driver fails once, on one of two devices, which goes on or is lost: every picture comes. */
TEST_EACH(every_call_may_fail, 2 * KINDS)
{
    int kind = _i % KINDS;
    int status = _i / KINDS ? LOST : 1;
    uint32_t calls = 0, step = getenv("WVL_TEST_SHORT") ? 23 : 7;
    expect(kind);
    for (uint32_t at = 0; at <= calls; at += at ? step : 1) { /* at first none does */
        reset_driver(2);
        fail_call(at, status);
        wvl_context *usual = enter_context(2);
        wvl_plan *plan = make_plan(&inputs[0].format, kinds[kind], "cuda:all");
        wvl_encoder *encoder = open_encoder(plan, 4);
        uint32_t sent = 0, places = wvl_encoder_frames(encoder);
        for (uint32_t n = 0; n < PICTURES; n++) {
            while (sent < PICTURES && sent < n + places) {
                submit(encoder, sent++, -1);
            }
            (void)check_next(encoder, n, NULL);
        }
        wvl_encoder_release(encoder);
        leave_context(usual);
        calls = at ? calls : soft->calls;
    }
    ck_assert_uint_gt(calls, 200);
}

/* ---- One picture ----------------------------------------------------------------------------- */

/* A wave for each tile. */
static wvl_plan *make_waves(const char *settings, const char *device)
{
    wvl_plan *plan = make_plan(&inputs[0].format, settings, device);
    plan->memory.wave_limit = 1;
    plan->memory.wave_count = plan->syntax.tile_count;
    return plan;
}

TEST(waves_of_one)
{
    static const struct {
        const char *settings, *device, *backend;
        int there;
    } cases[] = {
        {"style=HT tile=30,30", "cuda-only:all", "cuda:0,1,2 blocks", 3},
        {"style=HT tile=30,30", "cuda-only:1,2", "cuda:1,2 blocks", 3},
        {"style=HT tile=30,30 reach=packets", "cuda-only:1,2", "cuda:1 packets", 3},
        {"style=HT tile=30,30", "cuda-only:all", "cuda:0 packets", 1},
        {"style=HT tile=80,80", "cuda-only:all", "cuda:0,1 blocks", 2},
        {"reversible=no bpp=1,2 rdoq=no tile=30,30 measure-psnr=no" WAVES, "cuda-only:all", "cuda:0,1,2,3 blocks", 4},
        {"reversible=no bpp=1 rdoq=yes tile=30,30 layers=2 measure-psnr=no" WAVES, "cuda-only:all", "cuda:0,1", 2},
        {"tile=30,30" WAVES, "cuda:0,5", "cuda:0 blocks", 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        reset_driver(cases[c].there);
        bytes reference = encode(&inputs[0], cases[c].settings, "cpu");
        wvl_plan *plan = make_waves(cases[c].settings, cases[c].device);
        expect_same(cases[c].settings, &reference, encode_plan(plan, &inputs[0].image), cases[c].backend);
        wvl_image image = inputs[0].image;
        image.memory_kind = WVL_MEMORY_DEVICE;
        image.device = cases[c].there - 1; /* alone: pixels stay where they are */
        bytes there = encode_plan(plan, &image);
        if (strcmp(cases[c].device, "cuda:0,5") != 0) {
            char start[16];
            snprintf(start, sizeof start, "cuda:%d", image.device);
            ck_assert_msg(there.status == WVL_OK && !strncmp(there.backend, start, strlen(start)) &&
                              !strchr(there.backend, ','),
                          "%d: %s, %s", there.status, there.backend, there.error);
            ck_assert(have_same_bytes(&reference, &there));
        }
    }
}

/* A device dies within a picture, at each of its launches: the bytes are the same, and none of the last one. */
TEST(waves_go_on)
{
    static const char *const settings[] = {"style=HT tile=30,30",
                                           ("reversible=no bpp=1,2 rdoq=no tile=30,30 measure-psnr=no" WAVES),
                                           "style=HT tile=30,30 reach=packets"};
    for (unsigned s = 0; s < 3; s++) {
        bytes reference = encode(&inputs[0], settings[s], "cpu");
        int has_died = 1;
        for (uint32_t at = 1; has_died && at < 400; at += 2) {
            reset_driver(3);
            soft->kill = at % 3;
            soft->kill_at = at;
            wvl_plan *plan = make_waves(settings[s], "cuda-only:all");
            bytes b = encode_plan(plan, &inputs[0].image);
            ck_assert_msg(b.status == WVL_OK, "%s, launch %u: %s", settings[s], at, b.error);
            ck_assert_msg(have_same_bytes(&reference, &b), "%s, launch %u: other bytes", settings[s], at);
            has_died = soft->broken_devices != 0 || (s == 2 && at % 3) || at < 6;
            ck_assert_msg(has_died || at > 5, "%s: nothing died", settings[s]);
        }
    }
}

/* ---- Option ---------------------------------------------------------------------------------- */

TEST(option)
{
    static const char *const values[][2] = {{"cuda:all", "cuda:all"}, {"cuda-only:ALL", "cuda-only:all"},
                                            {"cuda:0,2", "cuda:0,2"}, {"cuda:3,1,3", "cuda:1,3"},
                                            {"cuda:0", "cuda"},       {"cuda-only:15", "cuda-only:15"},
                                            {"cuda:", NULL},          {"cuda:,1", NULL},
                                            {"cuda:1,", NULL},        {"cuda:16", NULL},
                                            {"cuda:1,16", NULL},      {"cuda:1;2", NULL},
                                            {"cpu:all", NULL},        {"auto:1,2", NULL},
                                            {"cuda:all,1", NULL},     {"cuda:1-2", NULL}};
    wvl_params *params;
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        wvl_status status = wvl_params_set(params, "device", values[i][0]);
        ck_assert_msg((status == WVL_OK) == (values[i][1] != NULL), "%s", values[i][0]);
        ck_assert(!values[i][1] || !strcmp(wvl_params_get(params, "device"), values[i][1]));
    }
    wvl_params_release(params);
}

/* A device that fails with one picture, and is not lost, is not asked for that picture again. */
TEST(none_is_asked_twice)
{
    static const char *const devices[] = {"cuda:all", "cuda:0,1"};
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) {
        for (int no_room = 0; no_room < 2; no_room++) {
            reset_driver(2);
            soft->graph_status = no_room ? 0 : 1;
            soft->scratch_cost = no_room ? 1u << 16 : 0;
            expect(0);
            alarm(60);
            bytes got = encode(&inputs[0], kinds[0], devices[i]);
            alarm(0);
            soft->graph_status = 0;
            soft->scratch_cost = 0;
            ck_assert_msg(have_same_bytes(&expected[0], &got), "%s: %d %s", devices[i], got.status, got.error);
        }
    }
}

TEST_MAIN("devices")
