/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Presets of cinema, IMF and broadcast, and limits of components with rdoq: pictures in flight that a device finishes,
 * against those of wvl_encode on the CPU. Runs on the device in software, or on the machine's. WVL_CUDA_SUBSET: few
 * pictures, for checkers that are slow.
 */
#include "picture_bench.h"
#include "report/profile_walk.h"
#include "soft_find.h"
#include "tests/support/support.h"

#include "layouts.h" /* behind what has parameters of the name picture */

#define FLIGHT 3u

static int is_left_out(int row) { return getenv("WVL_CUDA_SUBSET") != NULL && row % 7 != 3; }

/* ---- One plan -------------------------------------------------------------------------------- */

static wvl_plan *make_plan(const picture_case *c, const char *settings)
{
    char text[1100], problem[256];
    snprintf(text, sizeof text, "device=cuda-only reach=packets %s", settings);
    wvl_plan *plan = picture_make_plan(c->context, &c->input.format, text, problem, sizeof problem);
    REQUIRE_THAT(plan, "%s", problem);
    return plan;
}

static void check_fills(const picture_case *c, const wvl_result *result, const char *name)
{
    uint32_t count = wvl_result_fill_count(result);
    REQUIRE_THAT(count == wvl_result_fill_count(c->result), "%s: %u fills", name, count);
    for (uint32_t i = 0; i < count; i++) {
        wvl_fill have, want;
        REQUIRE(wvl_result_fill(result, i, &have) == WVL_OK && wvl_result_fill(c->result, i, &want) == WVL_OK);
        REQUIRE_THAT(have.component == want.component && have.part == want.part && have.bytes == want.bytes &&
                         have.target == want.target && have.cap == want.cap,
                     "%s: fill %u is %llu of %llu, not %llu of %llu", name, i, (unsigned long long)have.bytes,
                     (unsigned long long)have.cap, (unsigned long long)want.bytes, (unsigned long long)want.cap);
        REQUIRE_THAT(!have.cap || have.bytes <= have.cap, "%s: limit %u is broken", name, i);
    }
}

static void check_finished(const picture_case *c, wvl_encoded_picture *finished, const char *name)
{
    size_t bytes;
    const uint8_t *data = wvl_encoded_picture_data(finished, &bytes);
    REQUIRE_THAT(wvl_encoded_picture_status(finished) == WVL_OK, "%s: %s", name, wvl_encoded_picture_error(finished));
    const wvl_result *result = wvl_encoded_picture_result(finished);
    REQUIRE_THAT(strstr(wvl_result_backend(result), " packets"), "%s: \"%s\"", name, wvl_result_backend(result));
    REQUIRE_THAT(bytes == c->expected_bytes, "%s: %zu bytes, not %zu", name, bytes, c->expected_bytes);
    for (size_t i = 0; i < bytes; i++) {
        REQUIRE_THAT(data[i] == c->expected[i], "%s: byte %zu of %zu is %02X, not %02X", name, i, bytes, data[i],
                     c->expected[i]);
    }
    check_fills(c, result, name);
    REQUIRE_THAT((wvl_result_seconds(result, WVL_STAGE_CHECK) > 0.0) == wvl_profile_walks(c->plan) &&
                     wvl_result_seconds(result, WVL_STAGE_WRITE) >= 0.0,
                 "%s: %g seconds of checks", name, wvl_result_seconds(result, WVL_STAGE_CHECK));
}

/* The same picture several times in flight. */
static void fly(const picture_case *c, const char *settings, uint32_t count)
{
    wvl_encoder *encoder;
    wvl_encoded_picture *finished;
    wvl_plan *plan = make_plan(c, settings);
    REQUIRE_THAT(wvl_encoder_create(plan, FLIGHT, &encoder) == WVL_OK, "%s: %s", settings,
                 wvl_context_error(c->context));
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(wvl_encoder_submit(encoder, &c->input.image, NULL, NULL) == WVL_OK);
    }
    wvl_encoder_end(encoder);
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(wvl_encoder_receive(encoder, UINT32_MAX, &finished) == WVL_OK);
        check_finished(c, finished, settings);
        wvl_encoded_picture_release(finished);
    }
    wvl_encoder_release(encoder);
    wvl_plan_release(plan);
}

/* more: settings before those of the row. */
static void check_row(const picture_row *r, const char *more, uint32_t seed, uint32_t count)
{
    picture_row all = *r;
    picture_case c;
    char settings[512];
    snprintf(settings, sizeof settings, "%s %s", more, r->settings);
    all.settings = settings;
    picture_case_draw(&c, &all, seed);
    fly(&c, settings, count);
    picture_case_close(&c);
}

/* ---- Limits of components with rdoq ---------------------------------------------------------- */

/* MCT is off where components are to end at slopes of their own. */
static const picture_row capped[] = {
    /* no limits: the first coding finds too little memory in most workspaces, the second one would not */
    {"rdoq=yes reversible=no bpp=2 block=16,16", 60, 50, 1, 12, PICTURE_NATURAL},
    {"rdoq=yes reversible=yes max-bytes=700", 60, 50, 1, 12, PICTURE_NATURAL},
    /* too small for a survey, and coded twice */
    {"rdoq=yes max-component-bytes=900 max-bytes=2400 tile-parts=C progression=CPRL plt=yes tlm=yes", 70, 50, 3, 8,
     PICTURE_NATURAL},
    {"rdoq=yes reversible=no bpp=4 max-component-bytes=600 block=16,16 mct=off progression=CPRL", 50, 40, 3, 8,
     PICTURE_NATURAL},
    {"rdoq=yes reversible=no max-component-bytes=500 block=16,16 precincts=[32,32]", 60, 50, 2, 12, PICTURE_NATURAL},
    {"rdoq=yes reversible=no max-component-bytes=400", 50, 40, 1, 8, PICTURE_NATURAL},
    {"rdoq=yes reversible=no max-component-bytes=300 slopes=38000", 40, 30, 3, 8, PICTURE_NATURAL},
    {"rdoq=yes max-component-bytes=900000 bpp=2", 40, 30, 3, 8, PICTURE_NATURAL},
    /* more cap groups than are followed */
    {"rdoq=yes max-component-bytes=300 levels=2 bpp=9", 40, 30, 9, 8, PICTURE_NATURAL},
    {"profile=cinema4k progression=CPRL levels=6 guard-bits=2 progression-changes=0,0,1,6,3,CPRL/6,0,1,7,3,CPRL "
     "reversible=no mct=on block=32,32 tile-parts=C tlm=yes max-component-bytes=2500",
     96, 64, 3, 12, PICTURE_NOISE},
};
#define CAPPED ((int)(sizeof capped / sizeof *capped))

TEST_EACH(limits, CAPPED)
{
    if (!is_left_out(_i)) {
        check_row(&capped[_i], "measure-psnr=no", (uint32_t)_i, 3);
    }
}

/* With a survey: few runs of blocks, of which some are coded again, and many. */
static const picture_row surveyed[] = {
    {"reversible=no bpp=0.8 max-component-bytes=12000 mct=off tile-parts=C progression=CPRL", 512, 344, 3, 8,
     PICTURE_NATURAL},
    {"profile=cinema2k progression=CPRL levels=5 guard-bits=1 reversible=no mct=on block=32,32 tile-parts=C tlm=yes "
     "bpp=0.8 max-component-bytes=10000",
     512, 344, 3, 12, PICTURE_NATURAL},
};
#define SURVEYED ((int)(sizeof surveyed / sizeof *surveyed))

TEST_EACH(survey, SURVEYED)
{
    if (!is_left_out(_i)) {
        check_row(&surveyed[_i], "measure-psnr=no rdoq=yes", (uint32_t)_i, 1);
    }
}

/* ---- Presets --------------------------------------------------------------------------------- */

typedef enum pixels { RGB, YCC422 } pixels;

/* Limits are those of the specifications, in bytes a frame: 250 and 200 Mbit/s in cinema, else the level's. What is
 * lossless is not cut for a level: its bytes are judged. */
static const struct {
    const char *preset, *more;
    uint32_t width, height;
    pixels pixels;
    unsigned depth;
    uint64_t cap, component_cap;
} presets[] = {
    {"dci-2k", "frame-rate=24 input-color=rec709", 96, 64, RGB, 10, 1302083, 1041666},
    {"dci-2k", "frame-rate=25 input-color=p3-d65 input-transfer=2.6", 96, 64, RGB, 12, 1250000, 1000000},
    {"dci-2k", "frame-rate=48 input-color=rec2020 input-range=video", 90, 70, RGB, 16, 651041, 520833},
    {"dci-2k", "frame-rate=24 stereo=yes", 96, 64, RGB, 12, 651041, 520833},
    {"dci-2k", "frame-rate=60 hfr=yes input-color=srgb", 96, 64, RGB, 8, 1041666, 833333},
    {"dci-2k", "frame-rate=24 bpp=2 input-color=rec709", 70, 50, RGB, 10, 1302083, 1041666},
    {"dci-2k", "frame-rate=24 bpp=8 max-component-bytes=900 input-color=p3-dci", 70, 50, RGB, 12, 1302083, 900},
    {"dci-2k", "frame-rate=24 max-bytes=1500 rdoq=no", 70, 50, RGB, 12, 1500, 1041666},
    {"dci-4k", "frame-rate=24 input-color=rec709", 96, 64, RGB, 12, 1302083, 1041666},
    {"dci-4k", "frame-rate=30 bpp=6 max-component-bytes=700 input-color=rec709", 96, 64, RGB, 10, 1041666, 700},
    {"imf-2k", "frame-rate=24 main-level=3 sub-level=1", 90, 70, RGB, 10, 1041666, 0},
    {"imf-2k", "bpp=2", 90, 70, YCC422, 10, 0, 0},
    {"imf-4k", "frame-rate=24 main-level=6 sub-level=3 bpp=3", 90, 70, RGB, 12, 4166666, 0},
    {"imf-8k", "frame-rate=24 main-level=8 sub-level=5 max-bytes=3000", 140, 130, RGB, 16, 3000, 0},
    {"imf-2k-r", "frame-rate=24 main-level=5 sub-level=3", 90, 70, RGB, 10, 0, 0},
    {"imf-4k-r", "frame-rate=24 main-level=6 sub-level=4 levels=4 max-bytes=6000", 90, 70, YCC422, 12, 6000, 0},
    {"imf-8k-r", "levels=3", 140, 130, RGB, 8, 0, 0},
    {"imf-ht-rev", "", 140, 70, RGB, 10, 0, 0},
    {"imf-ht-rev", "", 140, 70, YCC422, 12, 0, 0},
    {"imf-ht-irv", "step=0.002", 140, 70, RGB, 12, 0, 0},
    {"imf-ht-irv", "qfactor=90", 140, 70, YCC422, 10, 0, 0},
    {"imf-ht-irv", "bpp=3", 140, 70, YCC422, 12, 0, 0},
    {"imf-ht-irv", "rates=9 qfactor=95", 140, 70, RGB, 10, 0, 0},
    {"imf-ht-irv", "max-bytes=5000 step=0.001", 140, 70, RGB, 12, 5000, 0},
    {"imf-ht-irv", "layer-bytes=4000 max-component-bytes=1500", 140, 70, RGB, 16, 0, 1500},
    {"broadcast-single", "frame-rate=25 main-level=3", 90, 70, YCC422, 10, 1000000, 0},
    {"broadcast-multi", "frame-rate=25 main-level=4 tile=50,35 bpp=3", 100, 70, YCC422, 10, 2000000, 0},
    {"broadcast-multi-r", "frame-rate=25 main-level=5 tile=100,18", 100, 70, RGB, 12, 0, 0},
};
#define PRESETS ((int)(sizeof presets / sizeof *presets))

static picture draw_pixels(int number)
{
    wvl_component_format components[3] = {{0}};
    wvl_image_format format = {.struct_size = sizeof format,
                               .x1 = presets[number].width,
                               .y1 = presets[number].height,
                               .component_count = 3,
                               .components = components};
    for (unsigned c = 0; c < 3; c++) {
        components[c] = (wvl_component_format){
            .depth = (uint8_t)presets[number].depth, .dx = presets[number].pixels == YCC422 && c ? 2 : 1, .dy = 1};
    }
    return picture_draw_format(number % 2 ? PICTURE_NOISE : PICTURE_NATURAL, &format, (uint32_t)number);
}

/* The preset's settings, then more. */
static void find_settings(const char *preset, const char *more, char *text, size_t bytes)
{
    size_t count;
    const wvl_preset *all = wvl_presets(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(all[i].name, preset)) {
            snprintf(text, bytes, "%s %s", all[i].settings, more);
            return;
        }
    }
    ck_abort_msg("no preset %s", preset);
}

static void check_caps(const picture_case *c, int number)
{
    for (uint32_t i = 0; i < wvl_result_fill_count(c->result); i++) {
        wvl_fill fill;
        uint64_t want = i ? presets[number].component_cap : presets[number].cap;
        REQUIRE(wvl_result_fill(c->result, i, &fill) == WVL_OK);
        REQUIRE_THAT(fill.cap == want, "%s %s: limit %u is %llu, not %llu", presets[number].preset,
                     presets[number].more, i, (unsigned long long)fill.cap, (unsigned long long)want);
    }
}

TEST_EACH(preset, PRESETS)
{
    char settings[1024];
    picture_case c;
    if (!is_left_out(_i)) {
        picture p = draw_pixels(_i);
        find_settings(presets[_i].preset, presets[_i].more, settings, sizeof settings);
        REQUIRE_THAT(picture_case_open(&c, &p, settings), "%s %s: %s", presets[_i].preset, presets[_i].more, c.problem);
        check_caps(&c, _i);
        fly(&c, settings, FLIGHT);
        picture_case_close(&c);
        fuzz_picture_free(&p);
    }
}

/* ---- Packed samples -------------------------------------------------------------------------- */

/* What the first driver moves: where a picture's bytes go in memory of a kind. */
typedef struct moved {
    picture_driver driver;
    void *pinned;
    wvl_cuda_address device;
    uint64_t address;
} moved;

static void move_layout(moved *m, const layout *l, wvl_memory_kind kind)
{
    memset(m, 0, sizeof *m);
    REQUIRE_THAT(picture_driver_open(&m->driver), "no device: this suite runs on the software one, or on a real one");
    m->address = (uintptr_t)l->memory;
    if (kind == WVL_MEMORY_PINNED) {
        REQUIRE(!m->driver.runtime.malloc_pinned(&m->pinned, l->bytes, 0));
        memcpy(m->pinned, l->memory, l->bytes);
        m->address = (uintptr_t)m->pinned;
    } else if (kind == WVL_MEMORY_DEVICE) {
        REQUIRE(!m->driver.runtime.malloc_device(&m->device, l->bytes) &&
                !m->driver.runtime.upload(m->device, l->memory, l->bytes, NULL) &&
                !m->driver.runtime.stream_wait(NULL));
        m->address = m->device;
    }
}

static void drop_moved(moved *m)
{
    if (m->pinned) {
        (void)m->driver.runtime.free_pinned(m->pinned);
    }
    if (m->device) {
        (void)m->driver.runtime.free_device(m->device);
    }
    picture_driver_close(&m->driver);
}

static const struct {
    const char *settings;
    uint32_t width, height, count;
    unsigned depth;
} packed[] = {
    {"style=HT", 272, 96, 3, 10},
    {"style=HT reversible=no step=0.004", 272, 96, 3, 12},
    {"style=HT mct=off tile=100,64", 203, 90, 4, 10},
    {"block=32,32 input-color=rec709 reversible=no bpp=2", 75, 40, 3, 10},
    {"style=HT input-color=p3-d65 reversible=no step=0.002", 90, 70, 4, 12},
    {"", 131, 70, 1, 12},
    {"style=HT", 64, 50, 5, 9}, /* more components than are unpacked at once */
    {"style=HT mct=off", 256, 96, 3, 16},
    {"style=HT mct=off", 256, 96, 5, 16},
    {"style=HT mct=off", 256, 96, 5, 12}, /* planar in memory of the device */
};
#define PACKED ((int)(sizeof packed / sizeof *packed))

/* Launches of fast kernels of the transform so far. */
static uint32_t count_marches(void) { return soft_find() ? soft_find()->marches : 0; }

/* In flight from memory of a kind. Returns the launches of fast kernels. */
static uint32_t fly_packed(picture_case *c, const layout *l, wvl_memory_kind kind, const char *settings)
{
    moved m;
    wvl_plane planes[LAYOUT_PLANES];
    picture_input given = c->input;
    uint32_t before = count_marches();
    move_layout(&m, l, kind);
    layout_place(l, m.address, kind, &c->input, planes);
    fly(c, settings, 2);
    c->input = given;
    drop_moved(&m);
    return count_marches() - before;
}

/* Every container, planar and interleaved, from memory of every kind: the bytes are those of plain samples, and so are
 * the kernels. */
TEST_EACH(packed_samples, PACKED)
{
    static const wvl_memory_kind kinds[3] = {WVL_MEMORY_HOST, WVL_MEMORY_PINNED, WVL_MEMORY_DEVICE};
    picture p = picture_draw(PICTURE_NATURAL, packed[_i].width, packed[_i].height, packed[_i].count, packed[_i].depth,
                             (uint32_t)_i);
    picture_case c;
    char settings[256];
    uint32_t plain = 0;
    snprintf(settings, sizeof settings, "measure-psnr=no %s", packed[_i].settings);
    REQUIRE_THAT(picture_case_open(&c, &p, settings), "%s: %s", settings, c.problem);
    for (unsigned k = 1; k < LAYOUT_CONTAINERS; k++) {
        layout l;
        unsigned is_plain = layout_containers[k] <= WVL_SAMPLE_32, is_interleaved = (k + (unsigned)_i) & 1;
        if ((is_plain && layout_containers[k] != WVL_SAMPLE_16) ||
            !layout_fill(&p, k, (int)is_interleaved, k % 3 == 0, &l)) {
            continue;
        }
        uint32_t marches = fly_packed(&c, &l, kinds[(k + (unsigned)_i / 2) % 3], settings);
        plain = is_plain ? marches : plain;
        REQUIRE_THAT(packed[_i].count > 4 || is_plain || marches >= plain, "%s: container %u: %u fast kernels, not %u",
                     settings, layout_containers[k], marches, plain);
        free(l.memory);
    }
    picture_case_close(&c);
    fuzz_picture_free(&p);
}

/* Words go up as they lie in memory of the host: three samples in four bytes. */
TEST(packed_upload)
{
    uint64_t bytes[2] = {0, 0}, samples = 3ull * 300 * 200;
    picture p = picture_draw(PICTURE_NATURAL, 300, 200, 3, 10, 1);
    for (unsigned i = 0; i < 4; i++) {
        layout l;
        picture_case c;
        uint64_t before = soft_find() ? soft_find()->uploaded_bytes : 0;
        REQUIRE(picture_case_open(&c, &p, "style=HT") && layout_fill(&p, i % 2 ? 5 : 1, 1, 0, &l));
        (void)fly_packed(&c, &l, i < 2 ? WVL_MEMORY_HOST : WVL_MEMORY_PINNED, "style=HT");
        bytes[i % 2] = soft_find() ? soft_find()->uploaded_bytes - before : 0;
        REQUIRE_THAT(!(i % 2) || !soft_find() || bytes[1] + 2 * samples * 2 / 3 <= bytes[0] + 2 * 64 * 200,
                     "%llu bytes of words, and %llu of integers", (unsigned long long)bytes[1],
                     (unsigned long long)bytes[0]);
        free(l.memory);
        picture_case_close(&c);
    }
    fuzz_picture_free(&p);
}

/* A frame that is larger than its level allows, between others: nobody gets its bytes, and the others fly on. */
TEST(broken_profile)
{
    char settings[1024], text[256];
    picture_case good;
    wvl_encoder *encoder;
    wvl_encoded_picture *finished;
    size_t bytes;
    picture flat = picture_draw(PICTURE_FLAT, 400, 400, 3, 8, 1),
            noise = picture_draw(PICTURE_NOISE, 400, 400, 3, 8, 1);
    picture_input bad = picture_open_input(&noise, 0);
    find_settings("imf-2k-r", "levels=1 frame-rate=60 main-level=3 sub-level=1", settings, sizeof settings);
    REQUIRE_THAT(picture_case_open(&good, &flat, settings), "%s", good.problem);
    wvl_plan *plan = make_plan(&good, settings);
    REQUIRE(wvl_encoder_create(plan, FLIGHT, &encoder) == WVL_OK);
    for (unsigned i = 0; i < 3; i++) {
        REQUIRE(wvl_encoder_submit(encoder, i == 1 ? &bad.image : &good.input.image, NULL, NULL) == WVL_OK);
    }
    wvl_encoder_end(encoder);
    for (unsigned i = 0; i < 3; i++) {
        REQUIRE(wvl_encoder_receive(encoder, UINT32_MAX, &finished) == WVL_OK);
        snprintf(text, sizeof text, "%s", wvl_encoded_picture_error(finished));
        if (i != 1) {
            check_finished(&good, finished, "beside a broken one");
        } else {
            REQUIRE_THAT(wvl_encoded_picture_status(finished) == WVL_ERROR_PROFILE, "status %d",
                         wvl_encoded_picture_status(finished));
            REQUIRE_THAT(!wvl_encoded_picture_data(finished, &bytes) && !wvl_encoded_picture_result(finished) &&
                             strstr(text, "imf-2k-r"),
                         "\"%s\"", text);
        }
        wvl_encoded_picture_release(finished);
    }
    wvl_encoder_release(encoder);
    wvl_plan_release(plan);
    picture_case_close(&good);
    picture_close_input(&bad);
    fuzz_picture_free(&noise);
    fuzz_picture_free(&flat);
}

TEST_MAIN("cinema")
