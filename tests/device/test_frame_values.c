/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames with parameters of their own: the bytes of a new encoder, refusals with their texts, and the handle for
 * poll(). On the CPU, and on the software device where its driver is found. */
#include <poll.h>

#include "tests/decode/picture.h"
#include "tests/fault/ledger.h"
#include "wavelane_frames.h"
#include "wavelane_simple.h"

#define FRAMES 6u

static ledger books;
static wvl_context *context;
static picture pictures[FRAMES];
static picture_input inputs[FRAMES];

static const char *device_name(void)
{
    const char *wanted = getenv("WVL_TEST_DEVICE");
    return wanted ? wanted : "cpu";
}
static int on_device(void) { return strcmp(device_name(), "cpu") != 0; }

static void setup(void)
{
    ledger_open(&books);
    wvl_context_options options = {.struct_size = sizeof options, .threads = 3, .host = ledger_allocator(&books)};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    for (unsigned i = 0; i < FRAMES; i++) {
        pictures[i] = picture_draw((picture_kind)(i % 2), 190, 140, 3, 8, i);
        inputs[i] = picture_open_input(&pictures[i], 0);
    }
}

static void teardown(void)
{
    for (unsigned i = 0; i < FRAMES; i++) {
        picture_close_input(&inputs[i]);
        fuzz_picture_free(&pictures[i]);
    }
    wvl_context_release(context);
    ck_assert_uint_eq(books.live_count, 0);
}

static wvl_params *make_params(const char *settings, const char *more)
{
    wvl_params *params;
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_msg(wvl_params_parse(params, settings) == WVL_OK, "%s", wvl_params_error(params));
    ck_assert_msg(wvl_params_parse(params, more) == WVL_OK, "%s", wvl_params_error(params));
    return params;
}

static wvl_plan *make_plan(const wvl_params *params)
{
    wvl_plan *plan;
    ck_assert_msg(wvl_plan_create(context, params, &inputs[0].format, NULL, &plan) == WVL_OK, "%s",
                  wvl_context_error(context));
    return plan;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

typedef struct series {
    const char *usual;
    const char *values[4]; /* of the frames in turn; NULL: as the encoder */
    int finishes;          /* a device finishes such pictures */
} series;

static const series all[] = {
    {"reversible=no, bpp=1", {"bpp=0.25", NULL, "bpp=1", "layer-bytes=2000"}, 1},
    {"reversible=no, layer-bytes=4000", {"rates=40", "layer-bytes=4000", NULL, "bpp=0.4"}, 1},
    {"reversible=no, rdoq=no, bpp=2", {"bpp=0.5", "bpp=1.99", NULL, "bpp=0.3"}, 1},
    {"reversible=no, bpp=\"0.3,2\"", {"bpp=\"0.2,1\"", NULL, "bpp=\"0.4,0.5\"", "layer-bytes=\"900,3000\""}, 1},
    {"reversible=no, layers=5, bpp=2", {"bpp=1", NULL, "bpp=0.7", "bpp=1.5"}, 1},
    {"reversible=no, slopes=40000", {"slopes=38000", NULL, "slopes=42000", "slopes=39999"}, 1},
    {"reversible=no, psnr=34", {"psnr=30", NULL, "psnr=38", "psnr=33.5"}, 0},
    {"reversible=no, max-bytes=9000", {"max-bytes=3000", NULL, "max-bytes=8000", "max-bytes=5000"}, 1},
    {"reversible=no, bpp=2, max-bytes=9000", {"bpp=1", "max-bytes=4000", "bpp=1.5, max-bytes=2000", NULL}, 1},
    {"reversible=no, rdoq=no, max-component-bytes=4000",
     {"max-component-bytes=1500", NULL, "max-component-bytes=3000", "max-component-bytes=2000"},
     1},
    {"max-bytes=30000", {"max-bytes=20000", NULL, "max-bytes=29999", "max-bytes=6000"}, 1},
    {"style=HT, reversible=no, layer-bytes=6000", {"layer-bytes=2000", NULL, "layer-bytes=4000", "bpp=0.3"}, 1},
    {"style=HT, reversible=no, slopes=40000", {"slopes=38000", NULL, "slopes=42000", "slopes=41000"}, 1},
    {"preset=dci-2k-24, profile=none, tile=\"64,64\", max-bytes=20000, max-component-bytes=9000",
     {"max-bytes=15000", "max-component-bytes=5000", NULL, "max-bytes=9000, max-component-bytes=8000"},
     1}};

static wvl_params *params_of(const series *s, uint32_t n, const char *device)
{
    char text[64];
    snprintf(text, sizeof text, "device=%s", device);
    wvl_params *params = make_params(s->usual, s->values[n % 4] ? s->values[n % 4] : "");
    ck_assert_int_eq(wvl_params_parse(params, text), WVL_OK);
    return params;
}

/* By a plan of its own, on the CPU. */
static void check_against_plan(const series *s, uint32_t n, wvl_encoded_picture *frame)
{
    wvl_params *params = params_of(s, n, "cpu");
    wvl_plan *plan = make_plan(params);
    wvl_result *result;
    void *data;
    size_t bytes, got;
    ck_assert_int_eq(wvl_encode_to_memory(plan, &inputs[n % FRAMES].image, NULL, &data, &bytes, &result, NULL, 0),
                     WVL_OK);
    ck_assert_msg(wvl_encoded_picture_status(frame) == WVL_OK, "%s, frame %u: %s", s->usual, n,
                  wvl_encoded_picture_error(frame));
    const void *given = wvl_encoded_picture_data(frame, &got);
    ck_assert_msg(got == bytes && !memcmp(given, data, bytes), "%s, frame %u (%s): other bytes (%zu, %zu)", s->usual, n,
                  s->values[n % 4] ? s->values[n % 4] : "as the encoder", got, bytes);
    wvl_fill fill, expected;
    ck_assert_int_eq(wvl_result_fill(wvl_encoded_picture_result(frame), 0, &fill), WVL_OK);
    ck_assert_int_eq(wvl_result_fill(result, 0, &expected), WVL_OK);
    ck_assert(fill.target == expected.target && fill.cap == expected.cap && fill.bytes == expected.bytes);
    if (on_device()) {
        const char *where = wvl_result_backend(wvl_encoded_picture_result(frame));
        ck_assert_msg((strcmp(where, "cuda:0 packets") == 0) == s->finishes, "%s: %s", s->usual, where);
    }
    wvl_result_release(result);
    wvl_memory_release(context, data, bytes);
    wvl_plan_release(plan);
    wvl_params_release(params);
}

static void submit_frame(wvl_encoder *encoder, const series *s, uint32_t n)
{
    char error[256];
    wvl_params *params = s->values[n % 4] ? params_of(s, n, device_name()) : NULL;
    wvl_frame frame = {.struct_size = sizeof frame, .params = params, .error = error, .error_bytes = sizeof error};
    ck_assert_msg(wvl_encoder_submit_frame(encoder, &inputs[n % FRAMES].image, NULL, &frame, NULL) == WVL_OK,
                  "%s, %s: %s", s->usual, s->values[n % 4], error);
    ck_assert_str_eq(error, "");
    wvl_params_release(params); /* read during the call only */
}

TEST_FIXTURE(setup, teardown);

TEST_EACH(bytes_of_a_new_encoder, sizeof all / sizeof *all)
{
    const series *s = &all[_i];
    char text[64];
    snprintf(text, sizeof text, "device=%s", device_name());
    wvl_params *params = make_params(s->usual, text);
    wvl_plan *plan = make_plan(params);
    wvl_encoder *encoder;
    wvl_encoded_picture *frame;
    ck_assert_int_eq(wvl_encoder_create(plan, 3, &encoder), WVL_OK);
    uint32_t sent = 0;
    for (uint32_t n = 0; n < 7; n++) { /* places and values go round differently */
        while (sent < 7 && sent < n + 3) {
            submit_frame(encoder, s, sent++);
        }
        ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &frame), WVL_OK);
        check_against_plan(s, n, frame);
        wvl_encoded_picture_release(frame);
    }
    wvl_encoder_release(encoder);
    wvl_plan_release(plan);
    wvl_params_release(params);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

typedef struct refusal {
    const char *usual, *given;
    wvl_status status;
    const char *text; /* part of it */
} refusal;

static const refusal refusals[] = {
    {"reversible=no, bpp=1", "qfactor=80", WVL_ERROR_PARAMETER, "qfactor: \"80\" for this frame and \"0\""},
    {"reversible=no, bpp=1", "roi=\"rect=0,0,20,20\"", WVL_ERROR_PARAMETER, "roi: "},
    {"reversible=no, bpp=1", "levels=3", WVL_ERROR_PARAMETER, "levels: \"3\" for this frame and \"5\""},
    {"reversible=no, bpp=1", "comment=hello", WVL_ERROR_PARAMETER, "comment: "},
    {"reversible=no, bpp=1", "bpp=\"0.5,1\"", WVL_ERROR_PARAMETER, "layers: \"2\" for this frame and \"1\""},
    {"reversible=no, bpp=1", "psnr=30", WVL_ERROR_PARAMETER, "of the same kind"},
    {"reversible=no, bpp=1", "bpp=0", WVL_ERROR_PARAMETER, "of the same kind"},
    {"reversible=no, bpp=1", "max-bytes=5000", WVL_ERROR_PARAMETER, "max-bytes: the frame and the encoder must both"},
    {"reversible=no, max-bytes=5000", "max-bytes=0", WVL_ERROR_PARAMETER,
     "max-bytes: the frame and the encoder must both"},
    {"reversible=no, max-bytes=5000", "max-component-bytes=900", WVL_ERROR_PARAMETER, "max-component-bytes: the frame"},
    {"reversible=no, bpp=1", "device=cuda:3", WVL_ERROR_PARAMETER, "device: "},
    {"reversible=no, layers=2, bpp=1", "bpp=\"0.5,1\"", WVL_ERROR_PARAMETER, "of the same kind"},
    {"reversible=no, bpp=\"1,2\"", "bpp=\"2,1\"", WVL_ERROR_PARAMETER, "targets must improve"},
    {"reversible=no, max-bytes=5000", "max-bytes=90", WVL_ERROR_UNREACHABLE, "below what the headers"},
    {"reversible=no, max-component-bytes=5000", "max-component-bytes=3", WVL_ERROR_UNREACHABLE, "empty component"},
};

TEST_EACH(refused, sizeof refusals / sizeof *refusals)
{
    const refusal *r = &refusals[_i];
    char error[512], small[8] = "xxxxxxx";
    wvl_params *usual = make_params(r->usual, "device=cpu"), *given = make_params(r->usual, r->given);
    ck_assert_int_eq(wvl_params_parse(given, strstr(r->given, "device") ? "" : "device=cpu"), WVL_OK);
    wvl_plan *plan = make_plan(usual);
    wvl_encoder *encoder;
    wvl_encoded_picture *finished;
    wvl_frame frame = {.struct_size = sizeof frame, .params = given, .error = error, .error_bytes = sizeof error};
    ck_assert_int_eq(wvl_encoder_create(plan, 2, &encoder), WVL_OK);
    ck_assert_int_eq(wvl_encoder_submit_frame(encoder, &inputs[0].image, NULL, &frame, NULL), r->status);
    ck_assert_msg(strstr(error, r->text) != NULL, "\"%s\" is not in: %s", r->text, error);
    frame.error = small; /* cut, and terminated */
    frame.error_bytes = sizeof small;
    ck_assert_int_eq(wvl_encoder_submit_frame(encoder, &inputs[0].image, NULL, &frame, NULL), r->status);
    ck_assert_uint_eq(strlen(small), 7);
    frame.error = NULL;
    ck_assert_int_eq(wvl_encoder_submit_frame(encoder, &inputs[0].image, NULL, &frame, NULL), r->status);
    /* A refused frame leaves nothing behind: the next one is as usual. */
    ck_assert_int_eq(wvl_encoder_submit(encoder, &inputs[0].image, NULL, NULL), WVL_OK);
    ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &finished), WVL_OK);
    const series as_usual = {.usual = r->usual};
    if (!on_device()) {
        check_against_plan(&as_usual, 0, finished);
    }
    wvl_encoded_picture_release(finished);
    frame.struct_size = 3;
    ck_assert_int_eq(wvl_encoder_submit_frame(encoder, &inputs[0].image, NULL, &frame, NULL), WVL_ERROR_ARGUMENT);
    wvl_encoder_release(encoder);
    wvl_plan_release(plan);
    wvl_params_release(usual);
    wvl_params_release(given);
}

/* A device has memory for the bytes that the encoder's plan asks for. */
TEST(more_bytes_than_memory)
{
    if (!on_device()) {
        return;
    }
    char error[512];
    wvl_encoded_picture *finished;
    const series s = {.usual = "reversible=no, layer-bytes=3000", .values = {"layer-bytes=9000"}};
    for (unsigned must = 0; must < 2; must++) {
        wvl_params *usual = make_params(s.usual, must ? "device=cuda-only, reach=packets" : "device=cuda");
        wvl_params *given = make_params(s.usual, must ? "device=cuda-only, reach=packets" : "device=cuda");
        ck_assert_int_eq(wvl_params_parse(given, s.values[0]), WVL_OK);
        wvl_plan *plan = make_plan(usual);
        wvl_encoder *encoder;
        wvl_frame frame = {.struct_size = sizeof frame, .params = given, .error = error, .error_bytes = sizeof error};
        ck_assert_int_eq(wvl_encoder_create(plan, 2, &encoder), WVL_OK);
        wvl_status status = wvl_encoder_submit_frame(encoder, &inputs[0].image, NULL, &frame, NULL);
        ck_assert_msg(status == (must ? WVL_ERROR_PARAMETER : WVL_OK), "%d: %s", status, error);
        ck_assert(!must || strstr(error, "must be the largest of all frames"));
        if (!must) {
            ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &finished), WVL_OK);
            check_against_plan(&s, 0, finished); /* in waves */
            wvl_encoded_picture_release(finished);
        }
        wvl_encoder_release(encoder);
        wvl_plan_release(plan);
        wvl_params_release(usual);
        wvl_params_release(given);
    }
}

/* ---- Handle ---------------------------------------------------------------------------------- */

static int is_readable(int handle, int timeout_ms)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    int ready = poll(&p, 1, timeout_ms);
    ck_assert_int_ge(ready, 0);
    ck_assert(!(p.revents & ~POLLIN));
    return ready;
}

/* The sink of the first frame waits for this. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int write_behind_gate(void *user, const void *data, size_t bytes)
{
    (void)user, (void)data, (void)bytes;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return 0;
}

static void check_handle(uint32_t threads)
{
    wvl_context *usual = context;
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    wvl_params *params = make_params("levels=2", "device=cpu");
    wvl_plan *plan = make_plan(params);
    wvl_encoder *encoder;
    wvl_encoded_picture *finished;
    wvl_sink gated = {.struct_size = sizeof gated, .write = write_behind_gate};
    int handle, again;
    ck_assert_int_eq(wvl_encoder_create(plan, 3, &encoder), WVL_OK);
    ck_assert_int_eq(wvl_encoder_poll_handle(encoder, &handle), WVL_OK);
    ck_assert_int_eq(wvl_encoder_poll_handle(encoder, &again), WVL_OK);
    ck_assert_int_eq(handle, again);
    ck_assert_int_eq(is_readable(handle, 0), 0);
    pthread_mutex_lock(&gate);
    ck_assert_int_eq(wvl_encoder_submit(encoder, &inputs[0].image, &gated, NULL), WVL_OK);
    ck_assert_int_eq(wvl_encoder_submit(encoder, &inputs[1].image, NULL, NULL), WVL_OK);
    if (threads > 1) { /* the second one may be finished, but it is not its turn */
        ck_assert_int_eq(is_readable(handle, 100), 0);
        ck_assert_int_eq(wvl_encoder_receive(encoder, 0, &finished), WVL_AGAIN);
    }
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(is_readable(handle, 20000), 1);
        ck_assert_int_eq(is_readable(handle, 0), 1); /* as long as it waits */
        ck_assert_int_eq(wvl_encoder_receive(encoder, threads > 1 ? 0 : UINT32_MAX, &finished), WVL_OK);
        wvl_encoded_picture_release(finished);
    }
    ck_assert_int_eq(is_readable(handle, 0), 0);
    wvl_encoder_end(encoder);
    ck_assert_int_eq(is_readable(handle, 0), 1);
    ck_assert_int_eq(wvl_encoder_receive(encoder, 0, &finished), WVL_END);
    ck_assert_int_eq(is_readable(handle, 0), 1);
    ck_assert_int_eq(wvl_encoder_poll_handle(encoder, NULL), WVL_ERROR_ARGUMENT);
    wvl_encoder_release(encoder);
    ck_assert_int_eq(poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, 0), 1); /* POLLNVAL: closed */
    wvl_plan_release(plan);
    wvl_params_release(params);
    wvl_context_release(context);
    context = usual;
}

TEST(poll_handle)
{
    check_handle(1); /* receive does the work */
    check_handle(3);
}

TEST_MAIN("frame values")
