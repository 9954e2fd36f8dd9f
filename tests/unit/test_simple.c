/* SPDX-License-Identifier: BSD-2-Clause */
/* The conveniences of wavelane_simple.h: options as text, memory of the library and of the caller, pixels in one call.
 */

#include "base/structs.h"
#include "tests/support/api.h"
#include "wavelane_simple.h"

enum { WIDTH = 45, HEIGHT = 31 };

static wvl_context *context;
static wvl_params *params;

static void open_all(void)
{
    context = test_open_context(2);
    params = test_open_params(context, "");
}

static void close_all(void)
{
    wvl_params_release(params);
    wvl_context_release(context);
}

/* ---- Options as text ------------------------------------------------------------------------- */

static const struct {
    const char *text, *key, *value;
} readings[] = {
    {"levels=3", "levels", "3"},
    {"  levels = 3\t,\n reversible=no ", "levels", "3"},
    {"levels=3,levels=2", "levels", "2"},
    {"block=\"32,16\", levels=2", "block", "32,16"},
    {"block='32,16' ,levels=2", "levels", "2"},
    {"rates=\"20,10,1\"", "rates", "20,10,1"},
    {"rates=", "rates", ""},
    {"comment=a \"quote\" inside", "comment", "a \"quote\" inside"},
    {"comment=\"two \"\" and ' and , and =\"", "comment", "two \" and ' and , and ="},
    {"comment='it''s'", "comment", "it's"},
    {"preset=iiif-lossy, levels=3", "levels", "3"},
    {"levels=3, preset=iiif-lossy", "levels", "6"},
    {"preset = 'dci-2k-48'", "frame-rate", "48"},
    {"", "levels", "5"},
    {" \n ", "levels", "5"},
};

TEST_FIXTURE(open_all, close_all);

TEST_EACH(texts_are_read, sizeof readings / sizeof readings[0])
{
    ck_assert_msg(wvl_params_parse(params, readings[_i].text) == WVL_OK, "%s", wvl_params_error(params));
    ck_assert_str_eq(wvl_params_error(params), "");
    ck_assert_str_eq(wvl_params_get(params, readings[_i].key), readings[_i].value);
}

static const struct {
    const char *text, *words;
} refusals[] = {
    {"levels=2, lebels=3", "position 11: unknown option \"lebels\"; the nearest is \"levels\""},
    {"levels=2,block=64,64", "position 19: expected key=value"},
    {"levels=2,block=64,64", "block=\"64,64\""},
    {"levels=2, levels=99", "position 11: levels"},
    {"levels=2,=3", "position 10: no key"},
    {"levels=2,,", "position 10: expected key=value"},
    {"levels=2,", "position 10: no key=value behind the last comma"},
    {"levels=2, block=\"64,64", "position 17: this quote is not closed"},
    {"levels=2, block='64,64\"", "position 17: this quote is not closed"},
    {"levels=2, block=\"64,64\" levels=3", "position 25: expected a comma"},
    {"levels=2, preset=iif-lossy", "position 11: unknown preset \"iif-lossy\"; the nearest is \"iiif-lossy\""},
    {"levels=2, preset", "position 11: expected key=value"},
    {"comment=x, levels=2, rates=\"3,x\"", "position 22: rates"},
};

/* An error changes no option, also where earlier settings of the text were right. */
TEST_EACH(texts_are_refused, sizeof refusals / sizeof refusals[0])
{
    ck_assert_int_eq(wvl_params_set(params, "levels", "4"), WVL_OK);
    ck_assert_int_eq(wvl_params_parse(params, refusals[_i].text), WVL_ERROR_PARAMETER);
    ck_assert_msg(strstr(wvl_params_error(params), refusals[_i].words) != NULL, "\"%s\" gives \"%s\"",
                  refusals[_i].text, wvl_params_error(params));
    ck_assert_str_eq(wvl_params_get(params, "levels"), "4");
    ck_assert_str_eq(wvl_params_get(params, "comment"), "");
    ck_assert_int_eq(wvl_params_parse(params, "levels=1"), WVL_OK);
    ck_assert_str_eq(wvl_params_error(params), "");
}

/* Every option of the table, written as its own default in quotes, is read back as it was. */
TEST(the_whole_table_is_read)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    for (size_t i = 0; i < count; i++) {
        char text[4096], before[2048];
        snprintf(before, sizeof before, "%s", wvl_params_get(params, options[i].key));
        snprintf(text, sizeof text, "%s=\"%s\"", options[i].key, options[i].initial);
        ck_assert_msg(wvl_params_parse(params, text) == WVL_OK, "%s: %s", text, wvl_params_error(params));
        ck_assert_str_eq(wvl_params_get(params, options[i].key), before);
    }
}

/* Cut and stirred texts: read or refused, never anything else. */
TEST(random_texts)
{
    static const char letters[] = "levels=3,'\" block=\"64,64\",preset=iiif-lossy\n\t=,''\"\"";
    uint64_t state = 77;
    for (unsigned i = 0; i < 20000; i++) {
        char text[40];
        size_t length = test_draw(&state) % sizeof text, from = test_draw(&state) % (sizeof letters - 1);
        for (size_t k = 0; k < length; k++) {
            from = test_draw(&state) % 4 ? from + 1 : test_draw(&state);
            text[k] = letters[from % (sizeof letters - 1)];
        }
        OWNED char *exact = malloc(length + 1); /* sanitizers see what reads behind it */
        memcpy(exact, text, length);
        exact[length] = '\0';
        wvl_status status = wvl_params_parse(params, exact);
        REQUIRE_THAT(status == WVL_OK || status == WVL_ERROR_PARAMETER, "\"%s\": %d", exact, status);
        REQUIRE_THAT((status == WVL_OK) == !wvl_params_error(params)[0], "\"%s\": %s", exact, wvl_params_error(params));
    }
}

/* ---- Bytes in memory ------------------------------------------------------------------------- */

/* A picture with its plan, and what wvl_encode makes of it. */
static uint8_t rgb[HEIGHT][WIDTH][3];
static wvl_plane planes[3];
static wvl_image image;
static wvl_plan *plan;
static void *expected;
static size_t expected_bytes;
static unsigned releases;

static void count_release(void *user)
{
    (void)user;
    releases++;
}

static void open_picture(void)
{
    wvl_component_format components[3] = {{.depth = 8}, {.depth = 8}, {.depth = 8}};
    wvl_image_format format = {sizeof format, 0, 0, WIDTH, HEIGHT, 3, components};
    wvl_sink sink;
    open_all();
    for (unsigned i = 0; i < sizeof rgb; i++) {
        rgb[i / 3 / WIDTH][i / 3 % WIDTH][i % 3] = (uint8_t)(i * 5 + i / 67 * 11);
    }
    for (unsigned c = 0; c < 3; c++) {
        planes[c] = (wvl_plane){
            .data = rgb, .pitch_bytes = 3 * WIDTH, .sample_stride = 3, .first_sample = c, .container = WVL_SAMPLE_8};
    }
    image = (wvl_image){.struct_size = sizeof image, .planes = planes, .plane_count = 3, .release = count_release};
    releases = 0;
    ck_assert_int_eq(wvl_params_parse(params, "container=jp2, levels=3"), WVL_OK);
    ck_assert_int_eq(wvl_plan_create(context, params, &format, NULL, &plan), WVL_OK);
    ck_assert_int_eq(wvl_sink_open_memory(context, &sink), WVL_OK);
    ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_int_eq(wvl_sink_take_memory(&sink, &expected, &expected_bytes), WVL_OK);
    ck_assert_uint_eq(releases, 1);
}

static void close_picture(void)
{
    wvl_memory_release(context, expected, expected_bytes);
    wvl_plan_release(plan);
    close_all();
}

static void is_expected(const void *data, size_t bytes)
{
    ck_assert_uint_eq(bytes, expected_bytes);
    ck_assert(!memcmp(data, expected, bytes));
}

TEST_FIXTURE(open_picture, close_picture);

TEST(memory_has_the_same_bytes)
{
    char error[100] = "old";
    void *data;
    size_t bytes;
    wvl_result *result;
    ck_assert_int_eq(wvl_encode_to_memory(plan, &image, NULL, &data, &bytes, &result, error, sizeof error), WVL_OK);
    ck_assert_str_eq(error, "");
    is_expected(data, bytes);
    ck_assert_uint_eq(wvl_result_bytes(result), bytes);
    ck_assert_uint_eq(releases, 2);
    wvl_result_release(result);
    wvl_memory_release(context, data, bytes);
    ck_assert_int_eq(wvl_encode_to_memory(plan, &image, NULL, &data, &bytes, NULL, NULL, 0), WVL_OK);
    is_expected(data, bytes);
    wvl_memory_release(context, data, bytes);
}

static int stop(void *user, uint64_t done, uint64_t total, wvl_stage stage)
{
    (void)user, (void)done, (void)total, (void)stage;
    return 1;
}

/* Whatever fails, pixels are given back once and the outputs are empty. */
TEST(memory_fails_whole)
{
    char error[200];
    void *data = rgb;
    size_t bytes = 1;
    wvl_result *result = (wvl_result *)(void *)rgb;
    wvl_control control = {.struct_size = sizeof control, .progress = stop};
    ck_assert_int_eq(wvl_encode_to_memory(plan, &image, &control, &data, &bytes, &result, error, sizeof error),
                     WVL_CANCELLED);
    ck_assert(!data && !bytes && !result);
    ck_assert_uint_eq(releases, 2);
    bytes = 1;
    ck_assert_int_eq(wvl_encode_to_memory(plan, &image, NULL, NULL, &bytes, NULL, error, sizeof error),
                     WVL_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error, "is NULL") != NULL && !bytes, "%s", error);
    ck_assert_uint_eq(releases, 3);
    ck_assert_int_eq(wvl_encode_to_memory(NULL, &image, NULL, &data, &bytes, NULL, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_uint_eq(releases, 4);
    ck_assert_int_eq(wvl_encode_to_memory(plan, NULL, NULL, &data, &bytes, NULL, NULL, 0), WVL_ERROR_ARGUMENT);
    image.plane_count = 2;
    ck_assert_int_eq(wvl_encode_to_memory(plan, &image, NULL, &data, &bytes, NULL, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_uint_eq(releases, 5);
}

/* A buffer of `capacity` bytes between guards, in memory that ends with it. */
static wvl_status into_buffer(size_t capacity, size_t *bytes, char *error, size_t error_bytes)
{
    OWNED uint8_t *memory = malloc(capacity + 32);
    memset(memory, 0xA5, capacity + 32);
    wvl_status status =
        wvl_encode_to_buffer(plan, &image, NULL, memory + 16, capacity, bytes, NULL, error, error_bytes);
    for (unsigned i = 0; i < 16; i++) {
        REQUIRE_THAT(memory[i] == 0xA5 && memory[16 + capacity + i] == 0xA5, "written beyond %zu bytes", capacity);
    }
    if (status == WVL_OK) {
        is_expected(memory + 16, *bytes);
        for (size_t i = *bytes; i < capacity; i++) {
            REQUIRE(memory[16 + i] == 0xA5);
        }
    }
    return status;
}

TEST(buffers_of_every_size)
{
    char error[200], least[40];
    size_t bytes;
    ck_assert_int_eq(into_buffer(expected_bytes, &bytes, error, sizeof error), WVL_OK);
    ck_assert_str_eq(error, "");
    ck_assert_int_eq(into_buffer(expected_bytes + 9, &bytes, error, sizeof error), WVL_OK);
    snprintf(least, sizeof least, "the output has %zu", expected_bytes);
    for (size_t capacity = 0; capacity < expected_bytes; capacity += capacity < 300 ? 1 : expected_bytes / 40) {
        ck_assert_int_eq(into_buffer(capacity, &bytes, error, sizeof error), WVL_ERROR_SINK);
        REQUIRE(bytes == expected_bytes);
        REQUIRE_THAT(strstr(error, least) != NULL, "%s", error);
    }
    ck_assert_int_eq(into_buffer(expected_bytes - 1, &bytes, error, sizeof error), WVL_ERROR_SINK);
}

/* A sink that counts what it is given. */
static int count_write(void *user, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    ++*(unsigned *)user;
    return 0;
}

/* An output that comes in several writes: those that do not fit are left out, and none runs over the end. */
TEST(buffers_of_several_writes)
{
    enum { SIDE = 1200 };
    static uint8_t noise[SIDE][SIDE];
    static const char *const options = "tile=\"256,256\", tile-parts=R, tlm=yes, plt=yes, style=HT";
    wvl_component_format component = {.depth = 8};
    wvl_image_format format = {sizeof format, 0, 0, SIDE, SIDE, 1, &component};
    uint64_t state = 5;
    unsigned writes = 0;
    size_t bytes;
    wvl_plan_release(plan);
    wvl_memory_release(context, expected, expected_bytes);
    for (unsigned i = 0; i < sizeof noise; i++) {
        noise[i / SIDE][i % SIDE] = (uint8_t)test_draw(&state);
    }
    planes[0] = (wvl_plane){.data = noise, .pitch_bytes = SIDE, .container = WVL_SAMPLE_8};
    image.plane_count = 1;
    wvl_sink sink = {.struct_size = sizeof sink, .write = count_write, .user = &writes};
    ck_assert_int_eq(wvl_params_parse(params, "container=j2k"), WVL_OK);
    ck_assert_int_eq(wvl_params_parse(params, options), WVL_OK);
    ck_assert_int_eq(wvl_plan_create(context, params, &format, NULL, &plan), WVL_OK);
    ck_assert_int_eq(wvl_encode_to_memory(plan, &image, NULL, &expected, &expected_bytes, NULL, NULL, 0), WVL_OK);
    ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_uint_gt(writes, 1);
    ck_assert_int_eq(into_buffer(expected_bytes, &bytes, NULL, 0), WVL_OK);
    for (unsigned part = 1; part < 8; part++) {
        size_t capacity = expected_bytes * part / 7;
        ck_assert_int_eq(into_buffer(capacity - 1, &bytes, NULL, 0), WVL_ERROR_SINK);
        ck_assert_uint_eq(bytes, expected_bytes);
    }
}

/* A sink with `reserve`: it gets the length before the first byte, and may refuse it. */
typedef struct foretold {
    uint64_t bytes, written;
    unsigned calls;
    int refuses;
} foretold;

static int foretold_reserve(void *user, uint64_t bytes)
{
    foretold *f = user;
    REQUIRE(!f->written);
    f->calls++;
    f->bytes = bytes;
    return f->refuses;
}

static int foretold_write(void *user, const void *data, size_t bytes)
{
    (void)data;
    ((foretold *)user)->written += bytes;
    return 0;
}

TEST(the_length_is_foretold)
{
    foretold f = {0};
    wvl_sink sink = {.struct_size = sizeof sink, .write = foretold_write, .user = &f, .reserve = foretold_reserve};
    ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_uint_eq(f.calls, 1);
    ck_assert_uint_eq(f.written, expected_bytes);
    ck_assert_uint_eq(f.bytes, expected_bytes);
    f = (foretold){.refuses = 1};
    ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0), WVL_ERROR_SINK);
    ck_assert_uint_eq(f.written, 0);
    f = (foretold){0};
    sink.struct_size = offsetof(wvl_sink, reserve); /* of an older program: it has no such member */
    ck_assert_int_eq(wvl_encode(plan, &image, &sink, NULL, NULL, NULL, 0), WVL_OK);
    ck_assert_uint_eq(f.calls, 0);
    ck_assert_uint_eq(f.written, expected_bytes);
}

TEST(buffers_that_are_missing)
{
    size_t bytes = 1;
    wvl_plan_memory memory = {.struct_size = sizeof memory};
    wvl_control control = {.struct_size = sizeof control, .progress = stop};
    ck_assert_int_eq(wvl_encode_to_buffer(plan, &image, NULL, NULL, 0, &bytes, NULL, NULL, 0), WVL_ERROR_SINK);
    ck_assert_uint_eq(bytes, expected_bytes);
    ck_assert_int_eq(wvl_encode_to_buffer(plan, &image, NULL, NULL, 1, &bytes, NULL, NULL, 0), WVL_ERROR_ARGUMENT);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(wvl_encode_to_buffer(plan, &image, NULL, NULL, 0, NULL, NULL, NULL, 0), WVL_ERROR_ARGUMENT);
    bytes = 1;
    ck_assert_int_eq(wvl_encode_to_buffer(plan, &image, &control, NULL, 0, &bytes, NULL, NULL, 0), WVL_CANCELLED);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_uint_eq(releases, 5);
    ck_assert_int_eq(wvl_plan_measure(plan, &memory), WVL_OK);
    ck_assert_uint_ge(memory.output_bytes_bound, expected_bytes);
}

/* ---- Pixels in one call ---------------------------------------------------------------------- */

static void encode_like_expected(const wvl_pixels *pixels)
{
    char error[200];
    void *data;
    size_t bytes;
    wvl_status status =
        wvl_encode_pixels(context, pixels, "container=jp2, levels=3", &data, &bytes, error, sizeof error);
    ck_assert_msg(status == WVL_OK, "%s", error);
    is_expected(data, bytes);
    wvl_memory_release(context, data, bytes);
}

TEST(layouts_of_pixels)
{
    static uint8_t padded[HEIGHT][3 * WIDTH + 7], flat[3][HEIGHT][WIDTH], apart[3][HEIGHT + 2][WIDTH + 5],
        turned[3][HEIGHT][WIDTH];
    wvl_pixels pixels = {.struct_size = sizeof pixels, .data = rgb, .width = WIDTH, .height = HEIGHT, .channels = 3};
    encode_like_expected(&pixels);
    for (unsigned y = 0; y < HEIGHT; y++) {
        memcpy(padded[HEIGHT - 1 - y], rgb[y], 3 * WIDTH);
        for (unsigned i = 0; i < 3 * WIDTH; i++) {
            flat[i % 3][y][i / 3] = apart[i % 3][y][i / 3] = rgb[y][i / 3][i % 3];
            turned[i % 3][HEIGHT - 1 - y][i / 3] = rgb[y][i / 3][i % 3];
        }
    }
    pixels.data = padded[HEIGHT - 1]; /* from the bottom */
    pixels.row_bytes = -(ptrdiff_t)sizeof padded[0];
    encode_like_expected(&pixels);
    pixels = (wvl_pixels){
        .struct_size = sizeof pixels, .data = flat, .width = WIDTH, .height = HEIGHT, .channels = 3, .planar = 1};
    encode_like_expected(&pixels);
    pixels.data = turned[0][HEIGHT - 1]; /* planes from the bottom: the next one is still behind the first */
    pixels.row_bytes = -WIDTH;
    encode_like_expected(&pixels);
    pixels.data = apart;
    pixels.row_bytes = sizeof apart[0][0];
    pixels.plane_bytes = sizeof apart[0];
    encode_like_expected(&pixels);
}

/* Depths of 1, 2 and 4 bytes a sample, signed and not: lossless outputs differ with the depth and are never refused. */
TEST(depths_of_pixels)
{
    static const uint8_t depths[] = {1, 8, 9, 16, 17, 28};
    for (unsigned i = 0; i < 12; i++) {
        uint8_t depth = depths[i / 2];
        static int32_t zeros[HEIGHT][WIDTH];
        wvl_pixels pixels = {.struct_size = sizeof pixels,
                             .data = zeros,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .depth = depth,
                             .is_signed = i % 2};
        uint8_t *data;
        size_t bytes;
        ck_assert_int_eq(wvl_encode_pixels(context, &pixels, NULL, (void **)&data, &bytes, NULL, 0), WVL_OK);
        ck_assert_uint_eq(data[42], (unsigned)(depth - 1) | (i % 2) << 7); /* Ssiz of the only component (A.5.1) */
        wvl_memory_release(context, data, bytes);
    }
}

static wvl_status with_pixels(const wvl_pixels *pixels, const char *options, char *error, size_t error_bytes)
{
    void *data = rgb;
    size_t bytes = 1;
    wvl_status status = wvl_encode_pixels(context, pixels, options, &data, &bytes, error, error_bytes);
    ck_assert(status != WVL_OK && !data && !bytes);
    return status;
}

TEST(refused_pixels)
{
    static const char own[] = "wvl_encode_pixels";
#define PIXELS(...)                                                                                                    \
    {                                                                                                                  \
        .struct_size = sizeof(wvl_pixels), .data = rgb, .width = WIDTH, .height = HEIGHT, __VA_ARGS__                  \
    }
    const wvl_pixels good = PIXELS(.channels = 3);
    const struct {
        wvl_pixels pixels;
        wvl_status status;
        const char *options, *words;
    } rows[] = {
        {{.struct_size = sizeof good, .width = WIDTH, .height = HEIGHT, .channels = 3}, WVL_ERROR_ARGUMENT, NULL, own},
        {{.struct_size = sizeof good, .data = rgb, .height = HEIGHT, .channels = 3}, WVL_ERROR_ARGUMENT, NULL, own},
        {{.struct_size = sizeof good, .data = rgb, .width = WIDTH, .channels = 3}, WVL_ERROR_ARGUMENT, NULL, own},
        {{.data = rgb, .width = WIDTH, .height = HEIGHT, .channels = 3}, WVL_ERROR_ARGUMENT, NULL, own},
        {PIXELS(.channels = 16385), WVL_ERROR_ARGUMENT, NULL, own},
        {PIXELS(.channels = 3, .planar = 2), WVL_ERROR_ARGUMENT, NULL, own},
        {PIXELS(.channels = 3, .planar = 1, .row_bytes = PTRDIFF_MAX / 2), WVL_ERROR_ARGUMENT, NULL, own},
        {PIXELS(.channels = 3, .planar = 1, .row_bytes = PTRDIFF_MIN), WVL_ERROR_ARGUMENT, NULL, own},
        {PIXELS(.channels = 3, .planar = 1, .plane_bytes = PTRDIFF_MAX / 2), WVL_ERROR_ARGUMENT, NULL, ""},
        {PIXELS(.channels = 3, .row_bytes = PTRDIFF_MIN), WVL_ERROR_ARGUMENT, NULL, ""},
        {PIXELS(.channels = 3, .depth = 29), WVL_ERROR_PARAMETER, NULL, ""},
        {PIXELS(.channels = 3, .depth = 4), WVL_ERROR_INPUT, NULL, ""}, /* samples of 8 bits in it */
        {PIXELS(.channels = 3, .is_signed = 2), WVL_ERROR_PARAMETER, NULL, ""},
        {good, WVL_ERROR_PARAMETER, "levels=2, blok=3", "position 11: unknown option \"blok\""},
        {good, WVL_ERROR_PARAMETER, "profile=cinema2k", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char error[300];
        ck_assert_int_eq(with_pixels(&rows[i].pixels, rows[i].options, error, sizeof error), rows[i].status);
        ck_assert_msg(strstr(error, rows[i].words) != NULL, "row %zu: %s", i, error);
    }
}

TEST_MAIN("simple")
