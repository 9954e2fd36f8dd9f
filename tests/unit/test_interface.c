/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface across versions and threads: structures of every size, plans by request, limits, texts of threads that
 * share a context, and pictures whose plan must not take long.
 */

#include "base/context.h"
#include "base/structs.h"
#include "tests/support/api.h"
#include "wavelane_frames.h"
#include "wavelane_simple.h"

static const wvl_component_format grey = {8, 0, 1, 1};

static wvl_context *open_context(uint64_t max_samples)
{
    wvl_context *context;
    wvl_context_options options = {.struct_size = sizeof options, .threads = 1, .max_samples = max_samples};
    ck_assert_int_eq(wvl_context_create(&options, &context), WVL_OK);
    return context;
}

/* ---- Structures of every size ---------------------------------------------------------------- */

/* Everything that takes a structure, called with one in `memory`. */
typedef struct stage {
    wvl_context *context;
    wvl_params *params;
    wvl_plan *plan;
    wvl_image_format format;
    wvl_image image;
    wvl_plane plane;
    uint8_t pixels[16];
} stage;

static wvl_status use_options(stage *s, void *memory)
{
    wvl_context *context;
    wvl_status status = wvl_context_create(memory, &context);
    (void)s;
    wvl_context_release(context);
    return status;
}

static wvl_status use_request(stage *s, void *memory)
{
    wvl_plan *plan;
    wvl_plan_request *request = memory;
    request->context = s->context;
    request->params = s->params;
    request->format = &s->format;
    wvl_status status = wvl_plan_build(request, &plan);
    wvl_plan_release(plan);
    return status;
}

static wvl_status use_format(stage *s, void *memory)
{
    owned_plan *plan = NULL;
    size_t size;
    memcpy(&size, memory, sizeof size);
    wvl_image_format *format = memory;
    format->x1 = format->y1 = 4;
    format->component_count = 1;
    format->components = &grey;
    wvl_status status = wvl_plan_create(s->context, s->params, format, NULL, &plan);
    return status;
}

static wvl_status use_jp2(stage *s, void *memory)
{
    owned_plan *plan = NULL;
    wvl_status status = wvl_plan_create(s->context, s->params, &s->format, memory, &plan);
    return status;
}

static wvl_status use_memory(stage *s, void *memory) { return wvl_plan_measure(s->plan, memory); }

static wvl_status use_color(stage *s, void *memory)
{
    static const double curve[2] = {0.0, 1.0};
    wvl_color_tables *tables = memory;
    tables->entries = 2;
    tables->curve[0] = tables->curve[1] = tables->curve[2] = curve;
    wvl_status status = wvl_params_set_color(s->params, tables);
    (void)wvl_params_set_color(s->params, NULL);
    return status;
}

static wvl_status use_image(stage *s, void *memory)
{
    wvl_sink sink = {.struct_size = sizeof sink, .write = test_swallow};
    wvl_image *image = memory;
    image->planes = &s->plane;
    image->plane_count = 1;
    return wvl_encode(s->plan, image, &sink, NULL, NULL, NULL, 0);
}

static wvl_status use_sink(stage *s, void *memory)
{
    ((wvl_sink *)memory)->write = test_swallow;
    return wvl_encode(s->plan, &s->image, memory, NULL, NULL, NULL, 0);
}

static wvl_status use_control(stage *s, void *memory)
{
    wvl_sink sink = {.struct_size = sizeof sink, .write = test_swallow};
    return wvl_encode(s->plan, &s->image, &sink, memory, NULL, NULL, 0);
}

static wvl_status use_frame_sink(stage *s, void *memory)
{
    wvl_encoder *encoder;
    ((wvl_sink *)memory)->write = test_swallow;
    ck_assert_int_eq(wvl_encoder_create(s->plan, 1, &encoder), WVL_OK);
    wvl_status status = wvl_encoder_submit(encoder, &s->image, memory, NULL);
    wvl_encoder_release(encoder);
    return status;
}

static wvl_status use_frame(stage *s, void *memory)
{
    wvl_encoder *encoder;
    wvl_sink sink = {.struct_size = sizeof sink, .write = test_swallow};
    ck_assert_int_eq(wvl_encoder_create(s->plan, 1, &encoder), WVL_OK);
    wvl_status status = wvl_encoder_submit_frame(encoder, &s->image, &sink, memory, NULL);
    wvl_encoder_release(encoder);
    return status;
}

static wvl_status use_rows(stage *s, void *memory)
{
    wvl_sink sink = {.struct_size = sizeof sink, .write = test_swallow};
    wvl_row_source *source = memory;
    source->components = &test_zeros_component;
    source->component_count = 1;
    source->read = test_read_zeros;
    return wvl_encode_rows(s->plan, source, NULL, &sink, NULL, NULL, NULL, 0);
}

static wvl_status use_rows_options(stage *s, void *memory)
{
    wvl_sink sink = {.struct_size = sizeof sink, .write = test_swallow};
    return wvl_encode_rows(s->plan, &test_zeros, memory, &sink, NULL, NULL, NULL, 0);
}

static wvl_status use_rows_memory(stage *s, void *memory) { return wvl_rows_measure(s->plan, &test_zeros, memory); }

static wvl_status use_pixels(stage *s, void *memory)
{
    void *data;
    size_t bytes;
    wvl_pixels *pixels = memory;
    pixels->data = s->pixels;
    pixels->width = pixels->height = 4;
    wvl_status status = wvl_encode_pixels(s->context, pixels, NULL, &data, &bytes, NULL, 0);
    wvl_memory_release(s->context, data, bytes);
    return status;
}

/* A machine without a device knows the structure all the same. */
static wvl_status use_device(stage *s, void *memory)
{
    (void)s;
    return wvl_device_describe(0, memory) == WVL_ERROR_ARGUMENT ? WVL_ERROR_ARGUMENT : WVL_OK;
}

/* Sizes are those of version 0.2.0: numbers, so that a structure that grows or shrinks shows. writes: the library fills
 * it. */
typedef struct shape {
    const char *name;
    size_t first, today;
    wvl_status (*use)(stage *s, void *memory);
    int writes;
} shape;
#define SHAPE(type, last, use, writes)                                                                                 \
    {                                                                                                                  \
        #type, WVL_STRUCT_UNTIL(type, last), sizeof(type), use, writes                                                 \
    }
static const shape shapes[] = {
    SHAPE(wvl_context_options, max_samples, use_options, 0),
    SHAPE(wvl_plan_request, error_bytes, use_request, 0),
    SHAPE(wvl_image_format, components, use_format, 0),
    SHAPE(wvl_jp2_info, color_unknown, use_jp2, 0),
    SHAPE(wvl_plan_memory, picture_bytes, use_memory, 1),
    SHAPE(wvl_color_tables, matrix, use_color, 0),
    SHAPE(wvl_image, release_user, use_image, 0),
    SHAPE(wvl_sink, user, use_sink, 0),
    SHAPE(wvl_control, cancel, use_control, 0),
    SHAPE(wvl_sink, user, use_frame_sink, 0),
    SHAPE(wvl_frame, error_bytes, use_frame, 0),
    SHAPE(wvl_row_source, user, use_rows, 0),
    SHAPE(wvl_rows_options, spill_folder, use_rows_options, 0),
    SHAPE(wvl_rows_memory, in_strips, use_rows_memory, 1),
    SHAPE(wvl_pixels, plane_bytes, use_pixels, 0),
    SHAPE(wvl_device_info, usable, use_device, 1),
};
#define SHAPES ((int)(sizeof shapes / sizeof shapes[0]))
#define TAIL 64u

static void open_stage(stage *s)
{
    memset(s, 0, sizeof *s);
    s->context = open_context(0);
    s->params = test_open_params(s->context, "");
    s->format = (wvl_image_format){
        .struct_size = sizeof s->format, .x1 = 4, .y1 = 4, .component_count = 1, .components = &grey};
    s->plane = (wvl_plane){.data = s->pixels, .pitch_bytes = 4, .container = WVL_SAMPLE_8};
    s->image = (wvl_image){.struct_size = sizeof s->image, .planes = &s->plane, .plane_count = 1};
    ck_assert_int_eq(wvl_plan_create(s->context, s->params, &s->format, NULL, &s->plan), WVL_OK);
}

static void close_stage(stage *s)
{
    wvl_plan_release(s->plan);
    wvl_params_release(s->params);
    wvl_context_release(s->context);
}

/* In a block that ends with the structure, so that a checker sees who reads or writes beyond it. mark: put into its
 * last byte beyond today's. */
static wvl_status try_size(stage *s, const shape *h, size_t size, uint8_t mark)
{
    size_t room = size > h->today ? size : h->today; /* members of today are set whatever the size says */
    OWNED uint8_t *memory = calloc(1, room + 1);
    memcpy(memory, &size, sizeof size);
    if (size > h->today) {
        memory[size - 1] = mark;
    }
    memory[room] = 0xA5;
    wvl_status status = h->use(s, memory);
    ck_assert_msg(memory[room] == 0xA5, "%s: written beyond its size of %zu", h->name, size);
    return status;
}

TEST_EACH(structures_of_every_size, SHAPES)
{
    const shape *h = &shapes[_i];
    stage s;
    open_stage(&s);
    for (size_t size = h->first; size <= h->today + TAIL; size++) {
        wvl_status status = try_size(&s, h, size, 0);
        ck_assert_msg(status == WVL_OK, "%s: size %zu: %s", h->name, size, wvl_status_text(status));
    }
    for (size_t size = h->today + 1; size <= h->today + TAIL && !h->writes; size++) {
        wvl_status status = try_size(&s, h, size, 1);
        ck_assert_msg(status == WVL_ERROR_ARGUMENT, "%s: size %zu with a member that nobody knows: %s", h->name, size,
                      wvl_status_text(status));
    }
    ck_assert_int_eq(try_size(&s, h, h->first - 1, 0), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(try_size(&s, h, 0, 0), WVL_ERROR_ARGUMENT);
    close_stage(&s);
}

/* A structure of tomorrow, and a program of yesterday, by the helpers alone. */
TEST(helpers_copy_what_is_known)
{
    typedef struct {
        size_t size;
        uint32_t a, b;
    } old_kind;
    typedef struct {
        size_t size;
        uint32_t a, b, c, d;
    } new_kind;
    old_kind before = {sizeof before, 1, 2}, back = {sizeof back, 7, 7};
    new_kind after = {sizeof after, 3, 4, 0, 0}, now = {0, 9, 9, 9, 9};
    ck_assert(wvl_struct_read(&now, sizeof now, &before, sizeof before));
    ck_assert(now.size == sizeof now && now.a == 1 && now.b == 2 && now.c == 0 && now.d == 0);
    ck_assert(wvl_struct_read(&back, sizeof back, &after, sizeof before));
    ck_assert(back.size == sizeof back && back.a == 3 && back.b == 4);
    after.d = 1;
    ck_assert(!wvl_struct_read(&back, sizeof back, &after, sizeof before));
    ck_assert(wvl_struct_write(&before, &(new_kind){sizeof after, 5, 6, 7, 8}, sizeof after, sizeof before));
    ck_assert(before.size == sizeof before && before.a == 5 && before.b == 6);
    ck_assert(wvl_struct_write(&after, &before, sizeof before, sizeof before));
    ck_assert(after.size == sizeof after && after.a == 5 && after.b == 6 && after.c == 0 && after.d == 0);
}

/* The text is that of the last call, also where this one was called in a wrong way. */
TEST(wrong_calls_have_a_text)
{
    stage s;
    wvl_plan *plan;
    open_stage(&s);
    s.format.x1 = 0;
    ck_assert_int_eq(wvl_plan_create(s.context, s.params, &s.format, NULL, &plan), WVL_ERROR_PARAMETER);
    ck_assert_ptr_null(strstr(wvl_context_error(s.context), "struct_size"));
    s.format.struct_size = 0;
    ck_assert_int_eq(wvl_plan_create(s.context, s.params, &s.format, NULL, &plan), WVL_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(wvl_context_error(s.context), "struct_size is not set"));
    close_stage(&s);
}

/* ---- Plans by request ------------------------------------------------------------------------ */

static wvl_status request_plan(wvl_context *context, const wvl_params *params, uint32_t width, uint32_t height,
                               wvl_cancel *cancel, char *text, size_t bytes)
{
    owned_plan *plan = NULL;
    wvl_image_format format = {sizeof format, 0, 0, width, height, 1, &grey};
    wvl_plan_request request = {.struct_size = sizeof request,
                                .context = context,
                                .params = params,
                                .format = &format,
                                .cancel = cancel,
                                .error = text,
                                .error_bytes = bytes};
    wvl_status status = wvl_plan_build(&request, &plan);
    ck_assert(!plan == (status != WVL_OK));
    return status;
}

TEST(requests)
{
    char text[200] = "old", tiny[8];
    wvl_cancel *cancel;
    owned_context *context = open_context(0);
    owned_params *params = test_open_params(context, "levels=3");
    ck_assert_int_eq(wvl_plan_build(NULL, NULL), WVL_ERROR_ARGUMENT);
    ck_assert_int_eq(request_plan(context, params, 64, 64, NULL, text, sizeof text), WVL_OK);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(request_plan(context, params, 64, 64, NULL, NULL, 0), WVL_OK);
    ck_assert_int_eq(request_plan(context, NULL, 64, 64, NULL, text, sizeof text), WVL_ERROR_ARGUMENT);
    ck_assert_str_ne(text, "");
    ck_assert_int_eq(request_plan(context, params, 0, 64, NULL, text, sizeof text), WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(text, "A.5.1"));
    ck_assert_int_eq(request_plan(context, params, 0, 64, NULL, tiny, sizeof tiny), WVL_ERROR_PARAMETER);
    ck_assert_uint_eq(strlen(tiny), sizeof tiny - 1);
    ck_assert_str_eq(wvl_context_error(context), ""); /* a request has a text of its own */
    ck_assert_int_eq(wvl_cancel_create(context, &cancel), WVL_OK);
    ck_assert_int_eq(request_plan(context, params, 64, 64, cancel, text, sizeof text), WVL_OK);
    wvl_cancel_raise(cancel);
    ck_assert_int_eq(request_plan(context, params, 64, 64, cancel, text, sizeof text), WVL_CANCELLED);
    wvl_cancel_release(cancel);
}

TEST(limit_of_samples)
{
    static const wvl_component_format three[3] = {{8, 0, 1, 1}, {8, 0, 2, 2}, {8, 0, 2, 2}};
    char text[200];
    wvl_plan *plan;
    owned_context *context = open_context(150);
    owned_params *params = test_open_params(context, "");
    ck_assert_int_eq(request_plan(context, params, 15, 10, NULL, text, sizeof text), WVL_OK);
    ck_assert_int_eq(request_plan(context, params, 151, 1, NULL, text, sizeof text), WVL_ERROR_PARAMETER);
    ck_assert_ptr_nonnull(strstr(text, "151 samples"));
    ck_assert_ptr_nonnull(strstr(text, "150"));
    wvl_image_format format = {sizeof format, 0, 0, 10, 10, 3, three};
    ck_assert_int_eq(wvl_plan_create(context, params, &format, NULL, &plan), WVL_OK); /* 100 + 25 + 25 */
    wvl_plan_release(plan);
    format.x1 = 11;
    ck_assert_int_eq(wvl_plan_create(context, params, &format, NULL, &plan), WVL_ERROR_PARAMETER);
}

/* ---- Plans that must not take long ----------------------------------------------------------- */

typedef struct giant {
    const char *settings;
    uint32_t width, height, components;
    const char *reason; /* of the refusal; NULL: there is a plan */
} giant;
static const giant giants[] = {
    {"levels=5", UINT32_MAX, UINT32_MAX, 1, "2^32 packets"},
    {"levels=5 tile=4000000000,4000000000", UINT32_MAX, UINT32_MAX, 1, "2^32 packets"},
    {"levels=5 tile=20000000,20000000", UINT32_MAX, UINT32_MAX, 1, "255 tile-parts"},
    {"levels=5 tile=500000,500000", 60000000, 60000000, 1, NULL},
    {"levels=5 tile=255,65535", 65535, 65535, 16384, NULL},
    {"levels=5 tile=255,65535 psnr=40", 65535, 65535, 16384, NULL},
    {"precincts=[2,2]", 20000, 20000, 3, NULL},
    {"precincts=[2,2] tile-parts=R", 20000, 20000, 3, "packets"},
    {"precincts=[2,2] plt=yes layers=100 tile=5000,5000", 20000, 20000, 3, NULL},
    {"tile=16,65535 levels=2", 1048560, 65535, 3, NULL},
};
#define GIANTS ((int)(sizeof giants / sizeof giants[0]))

/* Seconds of the processor, which other programs do not lengthen. */
static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

TEST_EACH(giants_are_planned_or_refused, GIANTS)
{
    const giant *g = &giants[_i];
    owned_context *context = open_context(0);
    owned_params *params = test_open_params(context, g->settings);
    OWNED wvl_component_format *components = malloc(g->components * sizeof *components);
    owned_plan *plan = NULL;
    for (uint32_t c = 0; c < g->components; c++) {
        components[c] = grey;
    }
    wvl_image_format format = {sizeof format, 0, 0, g->width, g->height, g->components, components};
    double start = seconds();
    wvl_status status = wvl_plan_create(context, params, &format, NULL, &plan);
    double taken = seconds() - start;
    ck_assert_msg(status == (g->reason ? WVL_ERROR_PARAMETER : WVL_OK), "%s: %s: %s", g->settings,
                  wvl_status_text(status), wvl_context_error(context));
    ck_assert_msg(!g->reason || strstr(wvl_context_error(context), g->reason), "%s: %s", g->settings,
                  wvl_context_error(context));
    ck_assert_msg(taken < (getenv("CK_TIMEOUT_MULTIPLIER") ? 10.0 : 1.0), "%s: %.2f s", g->settings, taken);
}

/* Components that have nothing in common, in many tiles: more steps than are supported. */
TEST(unlike_components_are_refused)
{
    owned_context *context = open_context(0);
    owned_params *params = test_open_params(context, "tile=256,256");
    OWNED wvl_component_format *components = malloc(4096 * sizeof *components);
    wvl_plan *plan;
    for (uint32_t c = 0; c < 4096; c++) {
        components[c] = (wvl_component_format){8, 0, (uint8_t)(1 + c % 64), (uint8_t)(1 + c / 64)};
    }
    wvl_image_format format = {sizeof format, 0, 0, 65280, 65280, 4096, components};
    double start = seconds();
    ck_assert_int_eq(wvl_plan_create(context, params, &format, NULL, &plan), WVL_ERROR_PARAMETER);
    ck_assert_msg(seconds() - start < 1.0, "%.2f s", seconds() - start);
    ck_assert_ptr_nonnull(strstr(wvl_context_error(context), "4096 kinds of components"));
}

/* ---- Texts of threads that share a context --------------------------------------------------- */

#define CALLERS 4u
#define CALLS 300u

typedef struct caller {
    wvl_context *context;
    wvl_params *params;
    uint32_t number, wrong;
} caller;

/* Every thread fails in its own way, and reads its own reason. */
static void *fail_often(void *arg)
{
    caller *c = arg;
    wvl_plan *plan;
    const char *expected = test_print("depth %u;", 40 + c->number);
    wvl_component_format deep = {(uint8_t)(40 + c->number), 0, 1, 1};
    wvl_image_format format = {sizeof format, 0, 0, 8, 8, 1, &deep};
    for (uint32_t i = 0; i < CALLS; i++) {
        (void)wvl_plan_create(c->context, c->params, &format, NULL, &plan);
        c->wrong += strstr(wvl_context_error(c->context), expected) == NULL;
    }
    return NULL;
}

TEST(threads_read_their_own_errors)
{
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    wvl_context *context = open_context(0);
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){context, test_open_params(context, ""), i, 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, fail_often, &callers[i]), 0);
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_msg(!callers[i].wrong, "thread %u: %u of %u texts were those of others", i, callers[i].wrong, CALLS);
        wvl_params_release(callers[i].params);
    }
    ck_assert_ptr_nonnull(
        strstr(wvl_context_error(context), "depth 4")); /* this thread made no call: the last failure of any */
    wvl_context_release(context);
}

TEST_MAIN("interface")
