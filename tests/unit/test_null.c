/* SPDX-License-Identifier: BSD-2-Clause */
/* NULL for each pointer of every function of the encoder and the walker in turn. */

#include "null_suite.h"
#include "tests/support/api.h"
#include "wavelane_check.h"
#include "wavelane_frames.h"
#include "wavelane_simple.h"

/* ---- Arguments that are good ----------------------------------------------------------------- */

typedef struct bench {
    wvl_context *context, *other_context;
    wvl_params *params, *other_params;
    wvl_plan *plan, *other_plan;
    wvl_plan_request request;
    wvl_cancel *cancel, *other_cancel;
    wvl_encoder *encoder, *other_encoder;
    wvl_encoded_picture *picture, *other_picture;
    wvl_result *result;
    wvl_row_pusher *pusher;
    wvl_image_format format;
    wvl_image image;
    wvl_plane plane;
    wvl_sink sink;
    wvl_control control;
    wvl_plan_memory memory;
    wvl_rows_memory rows_memory;
    wvl_device_info device;
    wvl_check_summary summary;
    FILE *file;
    void *data;
    size_t bytes;
    int handle;
    uint8_t pixels[64], buffer[4096];
    char error[256];
} bench;

static const wvl_component_format grey = {8, 0, 1, 1};
static const wvl_context_options only_size = {.struct_size = sizeof only_size, .threads = 1};
static const wvl_jp2_info jp2 = {.struct_size = sizeof jp2};
static const wvl_rows_options rows_options = {.struct_size = sizeof rows_options};
static const uint8_t check_bytes[2] = {0xFF, 0x4F};
static const wvl_check_source check_source = {.struct_size = sizeof check_source, .data = check_bytes, .bytes = 2};
static const wvl_check_options check_options = {.struct_size = sizeof check_options};

static void write_text(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }
static void hear_issue(void *user, const wvl_check_issue *issue) { (void)user, (void)issue; }
static void hear_item(void *user, const wvl_check_item *item) { (void)user, (void)item; }

/* A sink of the library that no encode has. */
static wvl_sink *sink_of(bench *b)
{
    wvl_sink_discard(&b->sink);
    ck_assert_int_eq(wvl_sink_open_memory(b->context, &b->sink), WVL_OK);
    return &b->sink;
}

static wvl_sink *full_sink(bench *b)
{
    ck_assert_int_eq(wvl_encode(b->plan, &b->image, sink_of(b), NULL, NULL, NULL, 0), WVL_OK);
    return &b->sink;
}

static wvl_row_pusher *pusher_of(bench *b)
{
    ck_assert_int_eq(wvl_row_pusher_create(b->plan, &test_zeros_component, 1, NULL, sink_of(b), NULL, &b->pusher),
                     WVL_OK);
    return b->pusher;
}

static wvl_encoded_picture *taken_picture(bench *b)
{
    wvl_encoded_picture *picture = b->picture;
    b->picture = NULL;
    return picture;
}

static wvl_pixels *some_pixels(bench *b)
{
    static wvl_pixels pixels;
    pixels = (wvl_pixels){.struct_size = sizeof pixels, .data = b->pixels, .width = 8, .height = 8};
    return &pixels;
}

static void open_bench(void *arguments)
{
    bench *b = arguments;
    b->format = (wvl_image_format){
        .struct_size = sizeof b->format, .x1 = 8, .y1 = 8, .component_count = 1, .components = &grey};
    b->plane = (wvl_plane){.data = b->pixels, .pitch_bytes = 8, .container = WVL_SAMPLE_8};
    b->image = (wvl_image){.struct_size = sizeof b->image, .planes = &b->plane, .plane_count = 1};
    b->control.struct_size = sizeof b->control;
    b->memory.struct_size = sizeof b->memory;
    b->rows_memory.struct_size = sizeof b->rows_memory;
    b->device.struct_size = sizeof b->device;
    b->summary.struct_size = sizeof b->summary;
    b->file = tmpfile();
    ck_assert_int_eq(wvl_context_create(&only_size, &b->context), WVL_OK);
    ck_assert_int_eq(wvl_params_create(b->context, &b->params), WVL_OK);
    ck_assert_int_eq(wvl_plan_create(b->context, b->params, &b->format, NULL, &b->plan), WVL_OK);
    ck_assert_int_eq(wvl_cancel_create(b->context, &b->cancel), WVL_OK);
    ck_assert_int_eq(wvl_encoder_create(b->plan, 2, &b->encoder), WVL_OK);
    ck_assert_int_eq(wvl_encoder_submit(b->encoder, &b->image, NULL, NULL), WVL_OK);
    ck_assert_int_eq(wvl_encoder_receive(b->encoder, UINT32_MAX, &b->picture), WVL_OK);
    ck_assert_int_eq(wvl_encode(b->plan, &b->image, sink_of(b), NULL, &b->result, NULL, 0), WVL_OK);
    b->request = (wvl_plan_request){
        .struct_size = sizeof b->request, .context = b->context, .params = b->params, .format = &b->format};
}

static void close_bench(void *arguments)
{
    bench *b = arguments;
    wvl_memory_release(b->context, b->data, b->data ? b->bytes : 0);
    wvl_row_pusher_release(b->pusher);
    wvl_check_release_summary(&b->summary);
    wvl_result_release(b->result);
    wvl_encoded_picture_release(b->picture);
    wvl_encoded_picture_release(b->other_picture);
    wvl_encoder_release(b->encoder);
    wvl_encoder_release(b->other_encoder);
    wvl_cancel_release(b->cancel);
    wvl_cancel_release(b->other_cancel);
    wvl_sink_discard(&b->sink);
    wvl_plan_release(b->plan);
    wvl_plan_release(b->other_plan);
    wvl_params_release(b->params);
    wvl_params_release(b->other_params);
    wvl_context_release(b->context);
    wvl_context_release(b->other_context);
    (void)fclose(b->file);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* X(name, pointers, those that must not be NULL as bits, call) */
#define FUNCTIONS_OF_OBJECTS(X)                                                                                        \
    X(wvl_status_text, 0, 0, TEXT(wvl_status_text(WVL_OK)))                                                            \
    X(wvl_build_text, 0, 0, TEXT(wvl_build_text()))                                                                    \
    X(wvl_version, 3, 0, DONE(wvl_version(P(0, &b->handle), P(1, &b->handle), P(2, &b->handle))))                      \
    X(wvl_context_create, 2, 2, wvl_context_create(P(0, &only_size), P(1, &b->other_context)))                         \
    X(wvl_context_release, 1, 0, DONE(wvl_context_release(P(0, b->context))))                                          \
    X(wvl_context_threads, 1, 1, NUMBER(wvl_context_threads(P(0, b->context))))                                        \
    X(wvl_context_error, 1, 1, TEXT(wvl_context_error(P(0, b->context))))                                              \
    X(wvl_params_error, 1, 1, TEXT(wvl_params_error(P(0, b->params))))                                                 \
    X(wvl_device_describe, 1, 1, wvl_device_describe(0, P(0, &b->device)))                                             \
    X(wvl_options, 1, 0, NUMBER(wvl_options(P(0, &b->bytes))))                                                         \
    X(wvl_params_create, 2, 3, wvl_params_create(P(0, b->context), P(1, &b->other_params)))                            \
    X(wvl_params_clone, 2, 3, wvl_params_clone(P(0, b->params), P(1, &b->other_params)))                               \
    X(wvl_params_release, 1, 0, DONE(wvl_params_release(P(0, b->params))))                                             \
    X(wvl_params_set, 3, 7, wvl_params_set(P(0, b->params), P(1, "levels"), P(2, "3")))                                \
    X(wvl_params_get, 2, 3, NUMBER(wvl_params_get(P(0, b->params), P(1, "levels"))))                                   \
    X(wvl_params_needs, 2, 3, NUMBER(wvl_params_needs(P(0, b->params), P(1, "levels"))))                               \
    X(wvl_params_preset, 2, 3, wvl_params_preset(P(0, b->params), P(1, "dci-2k-24")))                                  \
    X(wvl_presets, 1, 0, NUMBER(wvl_presets(P(0, &b->bytes))))                                                         \
    X(wvl_params_set_color, 2, 1, wvl_params_set_color(P(0, b->params), (const wvl_color_tables *)P(1, NULL)))         \
    X(wvl_plan_build, 2, 3, wvl_plan_build(P(0, &b->request), P(1, &b->other_plan)))                                   \
    X(wvl_plan_create, 5, 23,                                                                                          \
      wvl_plan_create(P(0, b->context), P(1, b->params), P(2, &b->format), P(3, &jp2), P(4, &b->other_plan)))          \
    X(wvl_plan_release, 1, 0, DONE(wvl_plan_release(P(0, b->plan))))                                                   \
    X(wvl_plan_measure, 2, 3, wvl_plan_measure(P(0, b->plan), P(1, &b->memory)))                                       \
    X(wvl_plan_explain, 3, 3, wvl_plan_explain(P(0, b->plan), 0, P(1, write_text), P(2, b)))                           \
    X(wvl_sink_open_memory, 2, 3, wvl_sink_open_memory(P(0, b->context), P(1, &b->sink)))                              \
    X(wvl_sink_take_memory, 3, 7, wvl_sink_take_memory(P(0, full_sink(b)), P(1, &b->data), P(2, &b->bytes)))           \
    X(wvl_memory_release, 2, 0, DONE(wvl_memory_release(P(0, b->context), P(1, NULL), 0)))                             \
    X(wvl_sink_open_stream, 3, 7, wvl_sink_open_stream(P(0, b->context), P(1, b->file), P(2, &b->sink)))               \
    X(wvl_sink_open_file, 3, 7, wvl_sink_open_file(P(0, b->context), P(1, "null.j2k"), 0, P(2, &b->sink)))             \
    X(wvl_sink_discard, 1, 0, DONE(wvl_sink_discard(P(0, &b->sink))))                                                  \
    X(wvl_cancel_create, 2, 3, wvl_cancel_create(P(0, b->context), P(1, &b->other_cancel)))                            \
    X(wvl_cancel_raise, 1, 0, DONE(wvl_cancel_raise(P(0, b->cancel))))                                                 \
    X(wvl_cancel_release, 1, 0, DONE(wvl_cancel_release(P(0, b->cancel))))                                             \
    X(wvl_params_parse, 2, 3, wvl_params_parse(P(0, b->params), P(1, "levels=2")))                                     \
    X(wvl_context_open_device, 2, 1, wvl_context_open_device(P(0, b->context), 0, P(1, b->error), sizeof b->error))    \
    X(wvl_context_pin, 3, 3,                                                                                           \
      wvl_context_pin(P(0, b->context), 0, P(1, b->pixels), sizeof b->pixels, P(2, b->error), sizeof b->error))        \
    X(wvl_context_unpin, 2, 0, DONE(wvl_context_unpin(P(0, b->context), 0, P(1, b->pixels))))

#define FUNCTIONS_OF_ENCODES(X)                                                                                        \
    X(wvl_encode, 6, 7,                                                                                                \
      wvl_encode(P(0, b->plan), P(1, &b->image), P(2, sink_of(b)), P(3, &b->control), P(4, new_result(b)),             \
                 P(5, b->error), sizeof b->error))                                                                     \
    X(wvl_encode_rows, 7, 11,                                                                                          \
      wvl_encode_rows(P(0, b->plan), P(1, &test_zeros), P(2, &rows_options), P(3, sink_of(b)), P(4, &b->control),      \
                      P(5, new_result(b)), P(6, b->error), sizeof b->error))                                           \
    X(wvl_rows_measure, 3, 7, wvl_rows_measure(P(0, b->plan), P(1, &test_zeros), P(2, &b->rows_memory)))               \
    X(wvl_row_pusher_create, 6, 43,                                                                                    \
      wvl_row_pusher_create(P(0, b->plan), P(1, &test_zeros_component), 1, P(2, &rows_options), P(3, sink_of(b)),      \
                            P(4, &b->control), P(5, &b->pusher)))                                                      \
    X(wvl_row_pusher_push, 3, 7, wvl_row_pusher_push(P(0, pusher_of(b)), P(1, row_data), P(2, row_pitch), 1))          \
    X(wvl_row_pusher_finish, 3, 1,                                                                                     \
      wvl_row_pusher_finish(P(0, pusher_of(b)), P(1, new_result(b)), P(2, b->error), sizeof b->error))                 \
    X(wvl_row_pusher_release, 1, 0, DONE(wvl_row_pusher_release(P(0, b->pusher))))                                     \
    X(wvl_encode_to_memory, 7, 27,                                                                                     \
      wvl_encode_to_memory(P(0, b->plan), P(1, &b->image), P(2, &b->control), P(3, &b->data), P(4, &b->bytes),         \
                           P(5, new_result(b)), P(6, b->error), sizeof b->error))                                      \
    X(wvl_encode_to_buffer, 7, 27,                                                                                     \
      wvl_encode_to_buffer(P(0, b->plan), P(1, &b->image), P(2, &b->control), P(3, b->buffer), sizeof b->buffer,       \
                           P(4, &b->bytes), P(5, new_result(b)), P(6, b->error), sizeof b->error))                     \
    X(wvl_encode_pixels, 6, 27,                                                                                        \
      wvl_encode_pixels(P(0, b->context), P(1, some_pixels(b)), P(2, "levels=2"), P(3, &b->data), P(4, &b->bytes),     \
                        P(5, b->error), sizeof b->error))                                                              \
    X(wvl_encoder_create, 2, 3, wvl_encoder_create(P(0, b->plan), 1, P(1, &b->other_encoder)))                         \
    X(wvl_encoder_release, 1, 0, DONE(wvl_encoder_release(P(0, b->encoder))))                                          \
    X(wvl_encoder_frames, 1, 1, NUMBER(wvl_encoder_frames(P(0, b->encoder))))                                          \
    X(wvl_encoder_submit, 4, 3, wvl_encoder_submit(P(0, b->encoder), P(1, &b->image), P(2, &swallowing), P(3, b)))     \
    X(wvl_encoder_submit_frame, 5, 3,                                                                                  \
      wvl_encoder_submit_frame(P(0, b->encoder), P(1, &b->image), P(2, &swallowing), P(3, &frame), P(4, b)))           \
    X(wvl_encoder_receive, 2, 3, wvl_encoder_receive(P(0, b->encoder), 0, P(1, &b->other_picture)))                    \
    X(wvl_encoder_poll_handle, 2, 3, wvl_encoder_poll_handle(P(0, b->encoder), P(1, &b->handle)))                      \
    X(wvl_encoder_end, 1, 0, DONE(wvl_encoder_end(P(0, b->encoder))))                                                  \
    X(wvl_encoder_cancel, 1, 0, DONE(wvl_encoder_cancel(P(0, b->encoder))))

#define FUNCTIONS_OF_RESULTS(X)                                                                                        \
    X(wvl_encoded_picture_status, 1, 1, wvl_encoded_picture_status(P(0, b->picture)))                                  \
    X(wvl_encoded_picture_error, 1, 1, TEXT(wvl_encoded_picture_error(P(0, b->picture))))                              \
    X(wvl_encoded_picture_data, 2, 1, NUMBER(wvl_encoded_picture_data(P(0, b->picture), P(1, &b->bytes))))             \
    X(wvl_encoded_picture_memory, 1, 1, NUMBER(wvl_encoded_picture_memory(P(0, b->picture))))                          \
    X(wvl_encoded_picture_result, 1, 1, NUMBER(wvl_encoded_picture_result(P(0, b->picture))))                          \
    X(wvl_encoded_picture_user, 1, 1, NUMBER(wvl_encoded_picture_user(P(0, b->picture))))                              \
    X(wvl_encoded_picture_release, 1, 0, DONE(wvl_encoded_picture_release(P(0, b->picture))))                          \
    X(wvl_encoded_picture_take_result, 1, 0,                                                                           \
      DONE(wvl_result_release(wvl_encoded_picture_take_result(P(0, b->picture)))))                                     \
    X(wvl_encoded_picture_release_after, 2, 0,                                                                         \
      DONE(wvl_encoded_picture_release_after(P(0, taken_picture(b)), P(1, NULL))))                                     \
    X(wvl_result_release, 1, 0, DONE(wvl_result_release(P(0, b->result))))                                             \
    X(wvl_result_bytes, 1, 1, NUMBER(wvl_result_bytes(P(0, b->result))))                                               \
    X(wvl_result_codestream, 1, 1, NUMBER(wvl_result_codestream(P(0, b->result)).bytes))                               \
    X(wvl_result_main_header, 1, 1, NUMBER(wvl_result_main_header(P(0, b->result)).bytes))                             \
    X(wvl_result_tile_part_count, 1, 1, NUMBER(wvl_result_tile_part_count(P(0, b->result))))                           \
    X(wvl_result_tile_part, 2, 3, wvl_result_tile_part(P(0, b->result), 0, P(1, &part)))                               \
    X(wvl_result_fill_count, 1, 1, NUMBER(wvl_result_fill_count(P(0, b->result))))                                     \
    X(wvl_result_fill, 2, 3, wvl_result_fill(P(0, b->result), 0, P(1, &fill)))                                         \
    X(wvl_result_layer_count, 1, 1, NUMBER(wvl_result_layer_count(P(0, b->result))))                                   \
    X(wvl_result_packet_bytes, 1, 1, NUMBER(wvl_result_packet_bytes(P(0, b->result), 0, 0, 0)))                        \
    X(wvl_result_layer_bytes, 1, 1, NUMBER(wvl_result_layer_bytes(P(0, b->result), 0)))                                \
    X(wvl_result_layer_slope, 1, 1, NUMBER(wvl_result_layer_slope(P(0, b->result), 0)))                                \
    X(wvl_result_layer_psnr, 1, 1, NUMBER(wvl_result_layer_psnr(P(0, b->result), 0) != 0.0))                           \
    X(wvl_result_layer_is_measured, 1, 1, NUMBER(wvl_result_layer_is_measured(P(0, b->result), 0)))                    \
    X(wvl_result_seconds, 1, 1, NUMBER(wvl_result_seconds(P(0, b->result), WVL_STAGE_CODE) > 0.0))                     \
    X(wvl_result_backend, 1, 1, TEXT(wvl_result_backend(P(0, b->result))))

#define FUNCTIONS_OF_OTHERS(X)                                                                                         \
    X(wvl_check_codestream, 5, 1,                                                                                      \
      wvl_check_codestream(P(0, b->pixels), 64, P(1, &check_options), P(2, hear_issue), P(3, b), P(4, &b->summary)))   \
    X(wvl_check_file, 5, 1,                                                                                            \
      wvl_check_file(P(0, b->pixels), 64, P(1, &check_options), P(2, hear_issue), P(3, b), P(4, &b->summary)))         \
    X(wvl_check_list, 3, 3, wvl_check_list(P(0, &check_source), P(1, hear_item), P(2, b)))                             \
    X(wvl_check_release_summary, 1, 0, DONE(wvl_check_release_summary(P(0, &b->summary))))                             \
    X(wvl_check_rules, 1, 0, NUMBER(wvl_check_rules(P(0, &b->bytes))))                                                 \
    X(wvl_check_profiles, 1, 0, NUMBER(wvl_check_profiles(P(0, &b->bytes))))

static const wvl_frame frame = {.struct_size = sizeof frame};
static const uint8_t row_of_samples[8];
static const void *const row_data[1] = {row_of_samples};
static const size_t row_pitch[1] = {8};
static wvl_tile_part_info part;
static wvl_fill fill;

static const wvl_sink swallowing = {.struct_size = sizeof swallowing, .write = test_swallow};

static wvl_result **new_result(bench *b)
{
    wvl_result_release(b->result);
    b->result = NULL;
    return &b->result;
}

#define FUNCTIONS(X) FUNCTIONS_OF_OBJECTS(X) FUNCTIONS_OF_ENCODES(X) FUNCTIONS_OF_RESULTS(X) FUNCTIONS_OF_OTHERS(X)
FUNCTIONS(NULL_CALL)

static const null_row rows[] = {FUNCTIONS(NULL_ROW)};

int main(void)
{
    const null_suite suite = {"null",        WVL_INCLUDE_FOLDER, rows,       sizeof rows / sizeof *rows,
                              sizeof(bench), open_bench,         close_bench};
    return null_suite_run(&suite);
}
