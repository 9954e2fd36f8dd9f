/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a device: no encode takes more than wvl_plan_measure() says, and a plan that explains itself says it too.
 * On the device in software (soft.h). */

#include "soft_bench.h"

#define IN_FLIGHT 5u
#define PICTURES 8u
#define MANY_IN_FLIGHT 150u

/* How far the device goes, and the words of the reason. */
static const struct {
    const char *settings, *reach, *why;
    unsigned depth;
} kinds[] = {
    {"style=HT", "packets", NULL, 8},
    {"style=HT tile=60,50 plt=yes tlm=yes", "packets", NULL, 12},
    {"style=HT reversible=no step=0.01 input-color=rec709", "packets", NULL, 10},
    {"style=BYPASS block=32,32", "packets", NULL, 8},
    {"reversible=no step=0.01 style=63", "packets", NULL, 16},
    {"style=HT" WAVES, "blocks", "packed packet headers", 8},
    {"style=HT tile=60,50" WAVES, "blocks", "packed packet headers", 16},
    {"style=HT reversible=no bpp=2 measure-psnr=no", "packets", NULL, 8},
    {"style=HT reversible=no bpp=2" WAVES, "coefs", "HT blocks with a target", 8},
    {"style=HT reversible=no psnr=40", "coefs", "HT blocks with a target", 8},
    {"reversible=no layers=3 tile=60,50", "packets", NULL, 8},
    {"reversible=no psnr=35", "blocks", "target of PSNR", 12},
    {"style=BYPASS tile=60,50" WAVES, "blocks", "packed packet headers", 16},
    {"reversible=no bpp=2 rdoq=yes" WAVES, "coefs", "survey of slopes", 8},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* Counts from a context that has just been opened. */
static void start_counting(void)
{
    ck_assert_uint_eq(soft->memory_used, 0);
    ck_assert_uint_eq(soft->pinned_used, 0);
    soft->memory_peak = soft->pinned_peak = 0;
}

static void check_peaks(const char *what, const wvl_plan_memory *promised, uint64_t times)
{
    uint64_t on_device = promised->device_bytes * times, pinned = promised->pinned_bytes * times;
    ck_assert_msg(soft->memory_peak <= on_device, "%s: %llu bytes of the device, promised %llu", what,
                  (unsigned long long)soft->memory_peak, (unsigned long long)on_device);
    ck_assert_msg(soft->pinned_peak <= pinned, "%s: %llu page-locked bytes, promised %llu", what,
                  (unsigned long long)soft->pinned_peak, (unsigned long long)pinned);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

TEST_FIXTURE(open_context, close_context);

TEST_EACH(one_picture, KINDS)
{
    picture_input input = draw_input(PICTURE_NOISE, 211, 143, 3, kinds[_i].depth, 1);
    wvl_plan *plan = make_plan(&input.format, kinds[_i].settings, "cuda-only");
    wvl_plan_memory promised = measure(plan);
    start_counting();
    bytes b = encode_plan(plan, &input.image);
    ck_assert_msg(b.status == WVL_OK, "%s: %s", kinds[_i].settings, b.error);
    check_peaks(kinds[_i].settings, &promised, 1);
    /* An exact sum for what is there from the start; pixels and the finished picture may be smaller. */
    ck_assert_msg(soft->memory_peak * 2 >= promised.device_bytes, "%s: %llu bytes of the device, promised %llu",
                  kinds[_i].settings, (unsigned long long)soft->memory_peak, (unsigned long long)promised.device_bytes);
    ck_assert_uint_gt(soft->pinned_peak, 0);
}

/* Every picture in flight takes at most twice what is promised for one. */
TEST_EACH(in_flight, KINDS)
{
    picture_input input = draw_input(PICTURE_NOISE, 211, 143, 3, kinds[_i].depth, 2);
    wvl_plan *plan = make_plan(&input.format, kinds[_i].settings, "cuda-only");
    wvl_plan_memory promised = measure(plan);
    start_counting();
    wvl_encoder *encoder = open_encoder(plan, IN_FLIGHT);
    fly(encoder, &(flight){.images = {&input.image}, .kinds = 1, .count = PICTURES, .from = "cuda"});
    check_peaks(kinds[_i].settings, &promised, 2 * IN_FLIGHT);
    wvl_encoder_release(encoder);
}

/* Pictures one by one, so that places give their outputs away; then twice all at a time. The outputs that were given
 * back serve again, however many they are: page-locking takes longer than a picture. They go with the encoder. */
TEST(many_in_flight)
{
    picture_input input = draw_input(PICTURE_NATURAL, 40, 30, 1, 8, 2);
    wvl_plan *plan = make_plan(&input.format, "style=HT", "cuda-only");
    uint32_t sent = 0, allocations = 0, live = soft->live;
    input.image.memory_kind = WVL_MEMORY_DEVICE; /* memory of the software device is that of the host */
    start_counting();
    wvl_encoder *encoder = open_encoder(plan, MANY_IN_FLIGHT);
    ck_assert_uint_eq(wvl_encoder_frames(encoder), MANY_IN_FLIGHT);
    for (uint32_t received = 0; received < 4 * MANY_IN_FLIGHT; received++) {
        uint32_t all = received % MANY_IN_FLIGHT ? 0 : MANY_IN_FLIGHT, ahead = received < 2 * MANY_IN_FLIGHT ? 1 : all;
        if (received == 2 * MANY_IN_FLIGHT) {
            allocations = soft->allocations;
        }
        while (sent < received + ahead) {
            ck_assert_int_eq(wvl_encoder_submit(encoder, &input.image, NULL, NULL), WVL_OK);
            sent++;
        }
        bytes b = receive(encoder);
        ck_assert_msg(b.status == WVL_OK, "%s", b.error);
    }
    ck_assert_uint_eq(soft->allocations, allocations);
    wvl_encoder_release(encoder);
    ck_assert_uint_lt(soft->live - live, MANY_IN_FLIGHT * 3 / 4); /* 64 outputs, and what the device itself has */
}

/* Where memory of the device is short, there are fewer places; each has room for its output. */
TEST_EACH(outputs_of_places, 4)
{
    static const uint64_t limits[] = {3500000, 4200000, 5000000, 6000000};
    picture_input input = draw_input(PICTURE_NATURAL, 97, 83, 3, 8, 2);
    wvl_plan *plan = make_plan(&input.format, "style=HT output-memory=device", "cuda-only");
    input.image.memory_kind = WVL_MEMORY_DEVICE;
    start_counting();
    soft->memory_limit = limits[_i];
    wvl_encoder *encoder = open_encoder(plan, 32);
    ck_assert_uint_lt(wvl_encoder_frames(encoder), 32);
    fly(encoder, &(flight){.images = {&input.image}, .kinds = 1, .count = 100, .from = "cuda"});
    wvl_encoder_release(encoder);
    soft->memory_limit = 0;
}

static char said[1 << 16];

static void collect(void *user, const char *piece, size_t count)
{
    (void)user;
    strncat(said, piece, count);
}

static const char *explain(const picture_input *input, const char *settings, const char *device, int json,
                           wvl_plan_memory *memory)
{
    wvl_plan *plan = make_plan(&input->format, settings, device);
    said[0] = 0;
    *memory = measure(plan);
    ck_assert_int_eq(wvl_plan_explain(plan, json, collect, NULL), WVL_OK);
    return said;
}

static void expect_said(const char *settings, const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "%s: \"%s\" is not in: %.1500s", settings, words,
                  strlen(said) > 1500 ? said + strlen(said) - 1500 : said);
}

TEST_EACH(explained, KINDS)
{
    picture_input input = draw_input(PICTURE_FLAT, 211, 143, 3, kinds[_i].depth, 1);
    char words[256];
    wvl_plan_memory m;
    explain(&input, kinds[_i].settings, "cuda", 0, &m);
    snprintf(words, sizeof words, "\ndevice: makes %s; at most %llu bytes of page-locked memory, %llu of its own\n%s",
             kinds[_i].reach, (unsigned long long)m.pinned_bytes, (unsigned long long)m.device_bytes,
             kinds[_i].why ? "  no more: " : "kernels of a picture, ");
    expect_said(kinds[_i].settings, words);
    expect_said(kinds[_i].settings, kinds[_i].why ? kinds[_i].why : "device");
    explain(&input, kinds[_i].settings, "cuda", 1, &m);
    snprintf(words, sizeof words, "\"device_reach\":\"%s\",\"pinned_bytes\":%llu,\"device_bytes\":%llu,",
             kinds[_i].reach, (unsigned long long)m.pinned_bytes, (unsigned long long)m.device_bytes);
    expect_said(kinds[_i].settings, words);
    ck_assert(m.pinned_bytes > 0 && m.device_bytes > 0);
}

/* A line for each kernel, as a plan explains itself. */
static char launched[1 << 12];

static void see_kernel(const char *name)
{
    char line[80];
    snprintf(line, sizeof line, "  %s\n", name);
    if (!strstr(launched, line)) {
        strncat(launched, line, sizeof launched - strlen(launched) - 1);
    }
}

/* The names in what was said, without how often. */
static void list_said(char *to)
{
    const char *line = strstr(said, "\nkernels of ");
    *to = 0;
    ck_assert_ptr_nonnull(line);
    for (line = strchr(line + 1, '\n') + 1; !strncmp(line, "  ", 2); line = strchr(line, '\n') + 1) {
        strncat(to, line, strcspn(line, ",\n"));
        strcat(to, "\n");
    }
}

/* The kernels that a plan names are those that an encode launches, in the same order. */
TEST_EACH(kernels, KINDS)
{
    static char named[1 << 12];
    picture_input input = draw_input(PICTURE_NATURAL, 640, 128, 3, kinds[_i].depth, 1);
    wvl_plan_memory m;
    explain(&input, kinds[_i].settings, "cuda", 0, &m);
    list_said(named);
    wvl_plan *plan = make_plan(&input.format, kinds[_i].settings, "cuda-only");
    launched[0] = 0;
    soft->see_kernel = see_kernel;
    wvl_plane planes[3]; /* samples of 0 */
    uint32_t each = kinds[_i].depth > 8 ? 2 : 1;
    void *samples = calloc(640 * 128 * 3, each);
    for (uint32_t c = 0; c < 3; c++) {
        planes[c] = input.planes[c];
        planes[c].data = samples;
        planes[c].pitch_bytes = 640 * 3 * (ptrdiff_t)each;
        planes[c].sample_stride = 3;
        planes[c].first_sample = c;
    }
    input.image.planes = planes;
    bytes b = encode_plan(plan, &input.image);
    ck_assert_msg(b.status == WVL_OK, "%s: %s", kinds[_i].settings, b.error);
    free(samples);
    soft->see_kernel = NULL;
    ck_assert_msg(!strcmp(named, launched), "%s: named\n%slaunched\n%s", kinds[_i].settings, named, launched);
    explain(&input, kinds[_i].settings, "cuda", 1, &m);
    expect_said(kinds[_i].settings, "\"kernels\":[{\"name\":\"wvl_clear\",\"launches\":1},");
}

/* ---- Pictures one by one ---------------------------------------------------------------------- */

/* Pictures of a plan whose samples lie on a device: after the first one nothing is allocated, and nothing goes up. */
static void expect_kept(const wvl_plan *plan, const wvl_image *image, const bytes *wanted, const char *what)
{
    uint32_t allocations = soft->allocations;
    uint64_t uploaded = soft->uploaded_bytes;
    expect_same(what, wanted, encode_plan(plan, image), image->device ? "cuda:1 packets" : "cuda:0 packets");
    ck_assert_msg(soft->allocations == allocations && soft->uploaded_bytes == uploaded,
                  "%s: %u allocations, %llu bytes", what, soft->allocations - allocations,
                  (unsigned long long)(soft->uploaded_bytes - uploaded));
}

TEST_EACH(one_by_one, KINDS)
{
    picture_input input = draw_input(PICTURE_NATURAL, 211, 143, 3, kinds[_i].depth, 3);
    wvl_plan *plan = make_plan(&input.format, kinds[_i].settings, "cuda-only");
    input.image.memory_kind = WVL_MEMORY_DEVICE;
    bytes first = encode_plan(plan, &input.image);
    for (unsigned i = 0; i < 2 && !strcmp(kinds[_i].reach, "packets"); i++) {
        expect_kept(plan, &input.image, &first, kinds[_i].settings);
    }
    ck_assert_msg(first.status == WVL_OK, "%s: %s", kinds[_i].settings, first.error);
}

/* What a plan had goes with it: the next one may lie where it was. */
TEST(plans_that_go)
{
    static const char *const settings[] = {"style=HT", "style=HT levels=2"};
    picture_input input = draw_input(PICTURE_NATURAL, 211, 143, 3, 8, 4);
    bytes wanted[2];
    for (unsigned i = 0; i < 12; i++) {
        wanted[i % 2] = i < 2 ? encode(&input, settings[i], "cpu") : wanted[i % 2];
        wvl_plan *plan = make_plan(&input.format, settings[i % 2], "cuda-only");
        expect_same(settings[i % 2], &wanted[i % 2], encode_plan(plan, &input.image), "cuda:0 packets");
        uint32_t live = soft->live;
        drop_plan(plan);
        ck_assert_uint_lt(soft->live, live);
    }
}

/* Pictures on two devices, and a third plan. */
TEST(one_by_one_on_two_devices)
{
    picture_input input = draw_input(PICTURE_NATURAL, 211, 143, 3, 8, 5);
    reset_driver(2);
    wvl_plan *plan = make_plan(&input.format, "style=HT", "cuda-only:all");
    input.image.memory_kind = WVL_MEMORY_DEVICE;
    bytes first = encode_plan(plan, &input.image);
    input.image.device = 1;
    expect_same("the other device", &first, encode_plan(plan, &input.image), "cuda:1 packets");
    for (int i = 0; i < 4; i++) {
        input.image.device = i % 2;
        expect_kept(plan, &input.image, &first, i % 2 ? "device 1" : "device 0");
    }
}

/* Where memory is short, what is kept for one plan goes for another. */
TEST(kept_memory_is_given_up)
{
    picture_input input = draw_input(PICTURE_NATURAL, 211, 143, 3, 8, 6);
    wvl_plan *plan = make_plan(&input.format, "style=HT", "cuda-only"),
             *other = make_plan(&input.format, "reversible=no step=0.01", "cuda-only");
    bytes first = encode_plan(plan, &input.image), second = encode_plan(other, &input.image);
    uint64_t most = measure(plan).device_bytes, own = measure(other).device_bytes;
    soft->memory_limit = most > own ? most : own;
    ck_assert_uint_gt(soft->memory_used, soft->memory_limit);
    for (unsigned i = 0; i < 3; i++) {
        expect_same("one plan", &first, encode_plan(plan, &input.image), "cuda:0 packets");
        expect_same("another plan", &second, encode_plan(other, &input.image), "cuda:0 packets");
    }
    soft->memory_limit = 0;
}

#define ROW 6

typedef struct row {
    const wvl_plan *plan;
    const wvl_image *image;
    wvl_sink sinks[ROW];
    wvl_status status[ROW];
} row;

static void *encode_row(void *user)
{
    row *r = user;
    for (unsigned i = 0; i < ROW; i++) {
        r->status[i] = wvl_encode(r->plan, r->image, &r->sinks[i], NULL, NULL, NULL, 0);
    }
    return NULL;
}

/* Two threads with the same plan, each with pictures of its own. */
TEST(one_by_one_in_two_threads)
{
    picture_input input = draw_input(PICTURE_NATURAL, 211, 143, 3, 8, 7);
    wvl_plan *plan = make_plan(&input.format, "style=HT", "cuda-only");
    bytes wanted = encode(&input, "style=HT", "cpu");
    pthread_t threads[2];
    row rows[2];
    for (unsigned t = 0; t < 2; t++) {
        rows[t] = (row){.plan = plan, .image = &input.image};
        for (unsigned i = 0; i < ROW; i++) {
            ck_assert_int_eq(wvl_sink_open_memory(context, &rows[t].sinks[i]), WVL_OK);
        }
        ck_assert_int_eq(pthread_create(&threads[t], NULL, encode_row, &rows[t]), 0);
    }
    for (unsigned t = 0; t < 2; t++) {
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
        for (unsigned i = 0; i < ROW; i++) {
            size_t count;
            void *data;
            ck_assert_int_eq(rows[t].status[i], WVL_OK);
            ck_assert_int_eq(wvl_sink_take_memory(&rows[t].sinks[i], &data, &count), WVL_OK);
            ck_assert_uint_eq(count, wanted.count);
            ck_assert(!memcmp(data, wanted.data, count));
            wvl_memory_release(context, data, count);
        }
    }
    expect_same("behind them", &wanted, encode_plan(plan, &input.image), "cuda:0 packets");
}

/* Plans that use no device, or cannot. */
TEST(none)
{
    static const char *const devices[] = {"cpu", "auto"};
    picture_input input = draw_input(PICTURE_FLAT, 90, 70, 1, 20, 1);
    wvl_plan_memory m;
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(!strstr(explain(&input, "levels=2", devices[i], 0, &m), "device:"));
        ck_assert(!m.pinned_bytes && !m.device_bytes);
        explain(&input, "levels=2", devices[i], 1, &m);
        expect_said(devices[i], "\"device_reach\":\"none\",\"pinned_bytes\":0,\"device_bytes\":0,");
        expect_said(devices[i], "\"kernels\":[]");
    }
    explain(&input, "levels=2", "cuda", 0, &m);
    expect_said("20 bits", "\ndevice: not used: components of more than 16 bits are for the CPU\n");
    ck_assert(!m.pinned_bytes && !m.device_bytes);
    input = draw_input(PICTURE_FLAT, 90, 70, 3, 8, 1);
    explain(&input, "style=HT reversible=no psnr=40 reach=packets", "cuda", 0, &m);
    expect_said("reach", "\ndevice: not used: HT blocks with a target");
    ck_assert(!m.pinned_bytes && !m.device_bytes);
}

TEST_MAIN("device_memory")
