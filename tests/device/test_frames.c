/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures in flight: order, bytes, threads, failures of single pictures, cancelling, and what the steady state takes.
 * Runs on the CPU, and on the software device where its driver is found. */

#include "picture_bench.h"
#include "soft_find.h"
#include "tests/fault/ledger.h"

#define PICTURES 12u

static soft_control *soft; /* NULL: no software device */
static ledger books;
static wvl_context *context;
static picture pictures[PICTURES];
static picture_input inputs[PICTURES];
static void *expected[PICTURES];
static size_t expected_bytes[PICTURES];
static _Atomic uint32_t released;
static _Atomic uint32_t spans;

static void count_release(void *user)
{
    (void)user;
    released++;
}
static void count_span(void *user, const wvl_trace_span *span)
{
    (void)user;
    spans += span->end >= span->begin;
}

/* Pictures with targets, whose packets the CPU makes. WVL_TEST_BLOCKS in the environment: pictures without a target,
 * whose blocks devices code too. "ht" or "part1": blocks of that kind, and devices finish the pictures; "waves": HT
 * blocks, and packets that only the CPU makes. */
static int is_kind(const char *word)
{
    const char *kind = getenv("WVL_TEST_BLOCKS");
    return kind && !strcmp(kind, word);
}
static int codes_blocks(void) { return is_kind("ht") || is_kind("part1") || is_kind("waves"); }
static int finishes(void) { return is_kind("ht") || is_kind("part1"); }

static wvl_plan *make_plan(const char *tile, const char *device)
{
    const char *style = is_kind("part1") ? "BYPASS" : "HT", *packets = finishes() ? "none" : "ppt";
    char text[256], problem[256], coder[64];
    snprintf(coder, sizeof coder, "style=%s packed-headers=%s", style, packets);
    snprintf(text, sizeof text, "tile=%s reversible=no %s rdoq=no device=%s", tile, /* over the device once */
             codes_blocks() ? coder : "bpp=0.5,2 packed-headers=ppt", device);      /* packets are for the CPU */
    wvl_plan *plan = picture_make_plan(context, &inputs[0].format, text, problem, sizeof problem);
    ck_assert_msg(plan != NULL, "%s", problem);
    return plan;
}

static void open_context(uint32_t threads)
{
    wvl_context_options options = {
        .struct_size = sizeof options, .threads = threads, .host = ledger_allocator(&books), .trace = count_span};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
}

/* An encoder, and what it lives in. */
static wvl_plan *plan;
static wvl_encoder *open_encoder(uint32_t threads, uint32_t frames, const char *tile, const char *device)
{
    wvl_encoder *encoder;
    open_context(threads);
    plan = make_plan(tile, device);
    ck_assert_int_eq(wvl_encoder_create(plan, frames, &encoder), WVL_OK);
    return encoder;
}

static void close_encoder(wvl_encoder *encoder)
{
    wvl_encoder_release(encoder);
    wvl_plan_release(plan);
    wvl_context_release(context);
}

static void setup(void)
{
    soft = soft_find();
    if (soft && codes_blocks() && !finishes()) {
        soft->scratch_cost = 12; /* in parts */
    }
    released = spans = 0;
    ledger_open(&books);
    for (unsigned i = 0; i < PICTURES; i++) {
        pictures[i] = picture_draw((picture_kind)(i % 5), 233, 190, 3, 8, i);
        inputs[i] = picture_open_input(&pictures[i], 0);
    }
    open_context(3);
    for (unsigned i = 0; i < PICTURES; i++) {
        plan = make_plan("0,0", "cpu");
        wvl_sink sink;
        ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
        ck_assert_int_eq(wvl_encode(plan, &inputs[i].image, &sink, NULL, NULL, NULL, 0), WVL_OK);
        void *data;
        ck_assert_int_eq(wvl_sink_take_memory(&sink, &data, &expected_bytes[i]), WVL_OK);
        expected[i] = malloc(expected_bytes[i]);
        memcpy(expected[i], data, expected_bytes[i]);
        wvl_memory_release(context, data, expected_bytes[i]);
        wvl_plan_release(plan);
    }
    wvl_context_release(context);
}

static void teardown(void)
{
    for (unsigned i = 0; i < PICTURES; i++) {
        picture_close_input(&inputs[i]);
        fuzz_picture_free(&pictures[i]);
        free(expected[i]);
    }
    ck_assert_uint_eq(books.live_count, 0);
    ck_assert_msg(!soft || soft->broken || !soft->live, "%u things of the device leaked", soft->live);
}

/* WVL_TEST_DEVICE in the environment: a real one. */
static const char *device_name(void)
{
    const char *wanted = getenv("WVL_TEST_DEVICE");
    return soft ? "cuda-only" : wanted ? wanted : "cpu";
}

static void check_packet(wvl_encoded_picture *packet, uint32_t n)
{
    size_t bytes;
    const char *where = finishes() ? "cuda:0 packets" : "cuda:0 blocks";
    const void *data = wvl_encoded_picture_data(packet, &bytes);
    ck_assert_msg(wvl_encoded_picture_status(packet) == WVL_OK, "%s", wvl_encoded_picture_error(packet));
    ck_assert_uint_eq((uintptr_t)wvl_encoded_picture_user(packet), n + 1);
    ck_assert_msg(bytes == expected_bytes[n % PICTURES] && !memcmp(data, expected[n % PICTURES], bytes),
                  "picture %u: other bytes", n);
    ck_assert_str_eq(wvl_result_backend(wvl_encoded_picture_result(packet)),
                     strcmp(device_name(), "cpu") != 0 ? where : "cpu");
    wvl_encoded_picture_release(packet);
}

static wvl_status submit(wvl_encoder *encoder, uint32_t n)
{
    wvl_image image = inputs[n % PICTURES].image;
    wvl_plane planes[3];
    memcpy(planes, image.planes, sizeof planes); /* copied by submit */
    image.planes = planes;
    image.release = count_release;
    wvl_status status = wvl_encoder_submit(encoder, &image, NULL, (void *)(uintptr_t)(n + 1));
    memset(planes, 0xEE, sizeof planes);
    return status;
}

TEST_FIXTURE(setup, teardown);

/* One thread, any number of threads and places: in order, and nothing of the device or of pinned memory is taken after
 * creation. */
TEST(one_thread_submits_and_receives)
{
    static const uint32_t threads[] = {1, 2, 4}, frames[] = {1, 2, 5};
    for (unsigned t = 0; t < 9; t++) {
        wvl_encoder *encoder = open_encoder(threads[t / 3], frames[t % 3], "0,0", device_name());
        wvl_encoded_picture *packet;
        uint32_t sent = 0, got = 0, count = 2 * PICTURES;
        released = 0;
        ck_assert_uint_eq(wvl_encoder_frames(encoder), frames[t % 3]);
        ck_assert_int_eq(wvl_encoder_receive(encoder, 0, &packet), WVL_AGAIN);
        uint32_t allocations = soft ? soft->allocations : 0, waits = soft ? soft->waits : 0;
        while (got < count) {
            while (sent < count && submit(encoder, sent) == WVL_OK) {
                sent++;
            }
            ck_assert_uint_gt(sent, got);
            ck_assert_uint_le(sent - got, frames[t % 3]);
            ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &packet), WVL_OK);
            check_packet(packet, got++);
        }
        ck_assert_uint_eq(released, count);
        /* In each workspace, with its first pictures: memory for pixels, pinned and on the device, and room for a
         * picture.
         */
        uint32_t most = finishes() ? 3 * frames[t % 3] : 0;
        ck_assert_msg(!soft || soft->allocations <= allocations + most, "%u allocations in the steady state",
                      soft->allocations - allocations);
        /* One for each picture of one wave, and one for the rest of bytes that exceed what pictures before foretold:
         * of the first large ones, which are in work together. Parts have their own. */
        uint32_t waited = soft ? soft->waits - waits : 0;
        ck_assert_msg(!soft || codes_blocks() || (waited >= count && waited <= count + 1 + frames[t % 3]),
                      "%u waits for %u pictures of one wave", waited, count);
        wvl_encoder_end(encoder);
        ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &packet), WVL_END);
        ck_assert_int_eq(submit(encoder, 0), WVL_ERROR_ARGUMENT);
        close_encoder(encoder);
    }
    ck_assert_uint_gt(spans, 0);
}

static void *receive_all(void *arg)
{
    wvl_encoded_picture *packet;
    uintptr_t n = 0;
    while (wvl_encoder_receive(arg, UINT32_MAX, &packet) == WVL_OK) {
        check_packet(packet, (uint32_t)n++);
    }
    return (void *)n;
}

static void check_chosen(uint32_t threads, uint32_t frames)
{
    wvl_encoder *encoder = open_encoder(threads, 0, "64,64", device_name());
    ck_assert_uint_eq(wvl_encoder_frames(encoder), finishes() && strcmp(device_name(), "cpu") != 0 ? 16 : frames);
    close_encoder(encoder);
}

TEST(chosen)
{
    check_chosen(1, 3);
    check_chosen(8, 4);
    check_chosen(16, 6);
}

TEST(two_threads)
{
    wvl_encoder *encoder = open_encoder(2, 0, "0,0", device_name());
    pthread_t thread;
    void *count;
    ck_assert_int_eq(pthread_create(&thread, NULL, receive_all, encoder), 0);
    for (uint32_t n = 0; n < 2 * PICTURES;) {
        n += submit(encoder, n) == WVL_OK;
    }
    wvl_encoder_end(encoder);
    ck_assert_int_eq(pthread_join(thread, &count), 0);
    ck_assert_uint_eq((uintptr_t)count, 2 * PICTURES);
    close_encoder(encoder);
}

/* A bad picture fails alone; a missing plane too. */
TEST(one_bad_picture)
{
    wvl_encoder *encoder = open_encoder(2, 4, "64,64", device_name());
    wvl_encoded_picture *packet;
    wvl_image none = inputs[0].image;
    none.plane_count = 1;
    none.release = count_release;
    ck_assert_int_eq(submit(encoder, 0), WVL_OK);
    ck_assert_int_eq(wvl_encoder_submit(encoder, &none, NULL, NULL), WVL_OK);
    ck_assert_int_eq(submit(encoder, 2), WVL_OK);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &packet), WVL_OK);
        ck_assert_int_eq(wvl_encoded_picture_status(packet), i == 1 ? WVL_ERROR_ARGUMENT : WVL_OK);
        ck_assert((!wvl_encoded_picture_result(packet)) == (i == 1) &&
                  (strlen(wvl_encoded_picture_error(packet)) > 10) == (i == 1));
        wvl_encoded_picture_release(packet);
    }
    ck_assert_uint_eq(released, 3);
    close_encoder(encoder);
}

TEST(cancelled_and_dropped)
{
    for (unsigned threads = 1; threads < 4; threads++) {
        wvl_encoder *encoder = open_encoder(threads, 3, "64,64", device_name());
        wvl_encoded_picture *packet;
        released = 0;
        for (uint32_t n = 0; n < 3; n++) {
            ck_assert_int_eq(submit(encoder, n), WVL_OK);
        }
        ck_assert_int_eq(submit(encoder, 3), WVL_AGAIN);
        if (threads > 1) {
            wvl_encoder_cancel(encoder);
            ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &packet), WVL_OK);
            ck_assert(wvl_encoded_picture_status(packet) == WVL_OK ||
                      wvl_encoded_picture_status(packet) == WVL_CANCELLED);
            wvl_encoded_picture_release(packet);
        }
        close_encoder(encoder);
        ck_assert_uint_eq(released, 3);
    }
}

/* A device that is lost in the middle: its pictures fail, or come from the CPU, and later ones come from the CPU. */
TEST(device_lost_on_the_way)
{
    if (!soft) {
        return;
    }
    wvl_encoder *encoder = open_encoder(2, 3, "0,0", "cuda");
    wvl_encoded_picture *packet;
    uint32_t failed = 0;
    soft->fail_status = 700;
    soft->fail_at = soft->calls + 60;
    for (uint32_t n = 0; n < PICTURES; n++) {
        ck_assert_int_eq(submit(encoder, n), WVL_OK);
        ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &packet), WVL_OK);
        size_t bytes;
        const void *data = wvl_encoded_picture_data(packet, &bytes);
        failed += wvl_encoded_picture_status(packet) != WVL_OK;
        ck_assert(wvl_encoded_picture_status(packet) == WVL_ERROR_DEVICE ||
                  (bytes == expected_bytes[n] && !memcmp(data, expected[n], bytes)));
        wvl_encoded_picture_release(packet);
    }
    ck_assert_uint_eq(failed, 1);
    close_encoder(encoder);
}

TEST_MAIN("frames")
