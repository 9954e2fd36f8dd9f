/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "base/try.h"
#include "cuda/host/memory/device.h"
#include "soft_bench.h" /* behind what has parameters of its names */
#include "soft_find.h"

soft_control *soft;
wvl_context *context;
ledger books;
char log_text[4096];

/* ---- What stays ------------------------------------------------------------------------------ */

static void **kept;
static size_t kept_count;

static void *keep(void *memory)
{
    kept = realloc(kept, (kept_count + 1) * sizeof *kept);
    ck_assert(memory && kept);
    kept[kept_count++] = memory;
    return memory;
}

typedef struct made_plan {
    struct made_plan *next;
    wvl_context *in;
    wvl_plan *plan;
} made_plan;
static made_plan *plans; /* the last one first */

void close_only_context(void)
{
    for (made_plan *made = plans; made; made = made->next) {
        if (made->in == context) {
            wvl_plan_release(made->plan);
            made->plan = NULL;
            made->in = NULL;
        }
    }
    wvl_context_release(context);
}

/* ---- Context --------------------------------------------------------------------------------- */

static void note(void *user, wvl_log_level level, const char *text)
{
    (void)user, (void)level;
    strncat(log_text, text, sizeof log_text - strlen(log_text) - 1);
}

void open_context(void)
{
    soft = soft_find();
    ck_assert_msg(soft != NULL, "the driver that is found is not the software one");
    log_text[0] = 0;
    ledger_open(&books);
    wvl_context_options options = {.struct_size = sizeof options,
                                   .threads = 2,
                                   .host = ledger_allocator(&books),
                                   .log = note,
                                   .log_level = WVL_LOG_DEBUG};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
}

void close_context(void)
{
    close_only_context();
    ck_assert_msg(soft->broken || soft->live == 0, "%u things of the device leaked", soft->live);
    ck_assert_uint_eq(books.live_count, 0);
    ck_assert_uint_eq(books.wrong_sizes, 0);
}

wvl_context *enter_context(uint32_t threads)
{
    wvl_context *usual = context;
    wvl_context_options options = {.struct_size = sizeof options, .threads = threads, .host = ledger_allocator(&books)};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    return usual;
}

void leave_context(wvl_context *usual)
{
    close_only_context();
    context = usual;
    ck_assert_msg(soft->live == 0, "call %u (%s): %u things leaked", soft->fail_at, soft->last, soft->live);
}

void fail_call(uint32_t n, int status)
{
    soft->calls = 0;
    soft->fail_at = n;
    soft->fail_status = status;
    soft->broken = 0;
    soft->broken_devices = 0;
    soft->last = NULL;
    wvl_cuda_forget_losses();
}

void reset_driver(int devices)
{
    fail_call(0, 0);
    soft->devices = devices;
    soft->kill_at = 0;
    soft->memory_limit = 0;
    memset(soft->launches_of, 0, sizeof soft->launches_of);
}

/* ---- Encodes --------------------------------------------------------------------------------- */

picture_input open_input(const picture *p, int wide)
{
    picture_input input = picture_open_input(p, wide);
    (void)keep(p->planes);
    (void)keep(input.components);
    (void)keep(input.planes);
    (void)keep(input.samples);
    return input;
}

picture_input draw_input(picture_kind kind, uint32_t width, uint32_t height, uint32_t count, unsigned depth,
                         uint32_t seed)
{
    picture p = picture_draw(kind, width, height, count, depth, seed);
    return open_input(&p, 0);
}

wvl_plan *make_plan(const wvl_image_format *format, const char *settings, const char *device)
{
    wvl_params *params;
    made_plan *made = calloc(1, sizeof *made); /* stays */
    char text[512];
    ck_assert_int_eq(wvl_params_create(context, &params), WVL_OK);
    ck_assert_int_eq(wvl_params_set(params, "device", device), WVL_OK);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = 0;
        ck_assert_msg(wvl_params_set(params, word, equals + 1) == WVL_OK, "%s", wvl_params_error(params));
    }
    wvl_status status = wvl_plan_create(context, params, format, NULL, &made->plan);
    ck_assert_msg(status == WVL_OK || status == WVL_ERROR_UNREACHABLE, "%s", wvl_context_error(context));
    wvl_params_release(params);
    made->next = plans;
    made->in = context;
    plans = made;
    return made->plan;
}

void drop_plan(wvl_plan *plan)
{
    for (made_plan *made = plans; made; made = made->next) {
        made->plan = made->plan == plan ? NULL : made->plan;
    }
    wvl_plan_release(plan);
}

wvl_plan_memory measure(const wvl_plan *plan)
{
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    ck_assert_int_eq(wvl_plan_measure(plan, &memory), WVL_OK);
    return memory;
}

/* b->count bytes at data. */
static void take_result(bytes *b, const void *data, const wvl_result *result)
{
    b->data = memcpy(keep(malloc(b->count + 1)), data, b->count);
    snprintf(b->backend, sizeof b->backend, "%s", wvl_result_backend(result));
    b->psnr = wvl_result_layer_psnr(result, wvl_result_layer_count(result) - 1);
}

static void take_sink(bytes *b, wvl_sink *sink, wvl_result *result)
{
    void *data;
    if (b->status == WVL_OK) {
        ck_assert_int_eq(wvl_sink_take_memory(sink, &data, &b->count), WVL_OK);
        take_result(b, data, result);
        wvl_memory_release(context, data, b->count);
    }
    wvl_result_release(result);
}

bytes encode_plan(const wvl_plan *plan, const wvl_image *image)
{
    bytes b = {0};
    wvl_sink sink;
    wvl_result *result = NULL;
    b.status = wvl_sink_open_memory(context, &sink);
    TRY(b.status, wvl_encode(plan, image, &sink, NULL, &result, b.error, sizeof b.error));
    take_sink(&b, &sink, result);
    return b;
}

bytes encode_rows(const wvl_plan *plan, const wvl_row_source *rows, const wvl_rows_options *options, wvl_cancel *cancel)
{
    bytes b = {0};
    wvl_sink sink;
    wvl_result *result = NULL;
    wvl_control control = {.struct_size = sizeof control, .cancel = cancel};
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    b.status = wvl_encode_rows(plan, rows, options, &sink, &control, &result, b.error, sizeof b.error);
    take_sink(&b, &sink, result);
    return b;
}

bytes encode(const picture_input *input, const char *settings, const char *device)
{
    wvl_plan *plan = make_plan(&input->format, settings, device);
    return plan ? encode_plan(plan, &input->image) : (bytes){.status = WVL_ERROR_UNREACHABLE};
}

wvl_encoder *open_encoder(const wvl_plan *plan, uint32_t frames)
{
    wvl_encoder *encoder;
    ck_assert_msg(wvl_encoder_create(plan, frames, &encoder) == WVL_OK, "%s", wvl_context_error(context));
    return encoder;
}

bytes receive(wvl_encoder *encoder)
{
    bytes b = {0};
    wvl_encoded_picture *got;
    ck_assert_int_eq(wvl_encoder_receive(encoder, UINT32_MAX, &got), WVL_OK);
    const void *data = wvl_encoded_picture_data(got, &b.count);
    b.status = wvl_encoded_picture_status(got);
    b.user = wvl_encoded_picture_user(got);
    snprintf(b.error, sizeof b.error, "%s", wvl_encoded_picture_error(got));
    if (b.status == WVL_OK) {
        take_result(&b, data, wvl_encoded_picture_result(got));
    }
    wvl_encoded_picture_release(got);
    return b;
}

int have_same_bytes(const bytes *a, const bytes *b)
{
    return a->data && b->data && a->count == b->count && !memcmp(a->data, b->data, a->count);
}

void expect_same(const char *what, const bytes *a, bytes b, const char *backend)
{
    ck_assert_msg(b.status == WVL_OK, "%s: %s", what, b.error);
    ck_assert_msg(have_same_bytes(a, &b), "%s: %zu bytes, %zu bytes, or other ones", what, a->count, b.count);
    /* A picture that the device finishes adds errors up in doubles. The CPU rounds each pass of a block to whole units
     * of all energies: that shows where little is left. */
    double fine = a->psnr > 90 ? 0.5 : 1e-3, near = a->psnr > 70 ? fine : 1e-4,
           allowed = strstr(b.backend, "packets") ? near : 0.0;
    ck_assert_msg(!memcmp(&a->psnr, &b.psnr, sizeof b.psnr) || fabs(a->psnr - b.psnr) <= allowed, "%s: PSNR %f, %f",
                  what, a->psnr, b.psnr);
    ck_assert_msg(!strcmp(b.backend, backend), "%s: came from \"%s\"", what, b.backend);
}

void fly(wvl_encoder *encoder, const flight *f)
{
    for (uint32_t sent = 0, n = 0; n < f->count; n++) {
        while (sent < f->count && wvl_encoder_submit(encoder, f->images[sent % f->kinds], NULL, NULL) == WVL_OK) {
            sent++;
        }
        bytes b = receive(encoder);
        ck_assert_msg(b.status == WVL_OK, "picture %u of %u places: %s", n, wvl_encoder_frames(encoder), b.error);
        ck_assert_msg(!f->wanted || have_same_bytes(&f->wanted[n % f->kinds], &b), "picture %u: other bytes", n);
        ck_assert_msg(strstr(b.backend, f->from) != NULL, "picture %u came from %s", n, b.backend);
    }
}

wvl_cuda_event open_event(void)
{
    wvl_cuda_runtime runtime;
    wvl_cuda_event event = NULL;
    ck_assert(wvl_cuda_fetch_runtime(&runtime) && !runtime.event_create(&event, 0) &&
              !runtime.event_record(event, NULL));
    return event;
}

void close_event(wvl_cuda_event event)
{
    wvl_cuda_runtime runtime;
    ck_assert(wvl_cuda_fetch_runtime(&runtime) && !runtime.event_destroy(event));
}
