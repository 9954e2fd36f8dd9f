/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of a picture, as wvl_choose_way() names it, beside what happens: plans drawn at random, with one device in
 * software or several. Pictures alone, pictures that come by rows, and pictures in flight. */
#include "way/way.h"

#include "soft_bench.h"
#include "tests/unit/rows_bench.h"

#define PLANS 300

/* Reads what the name of the backend says. */
static wvl_way_kind read_kind(const char *backend)
{
    if (strncmp(backend, "cuda", 4)) {
        return WVL_WAY_HOST;
    }
    if (!strstr(backend, "packets")) {
        return WVL_WAY_JOBS;
    }
    return strchr(backend, ',') ? WVL_WAY_SHARES : WVL_WAY_PICTURE;
}

static uint32_t below(uint64_t *seed, uint32_t count) { return (uint32_t)(test_draw(seed) % count); }

static const char *draw(const char *const *words, size_t count, uint64_t *seed)
{
    return words[below(seed, (uint32_t)count)];
}
#define DRAW(words, seed) draw(words, sizeof(words) / sizeof *(words), seed)

/* Settings of a plan whose bytes some device or none can make. */
static void draw_settings(uint64_t *seed, char *text, size_t room)
{
    static const char *const blocks[] = {"", "style=HT"};
    static const char *const tiles[] = {"", "tile=40,30", "tile=97,35", "tile=50,70"};
    static const char *const rates[] = {"",
                                        "",
                                        "",
                                        "reversible=no step=0.01 measure-psnr=no",
                                        "reversible=no bpp=2 measure-psnr=no",
                                        "max-bytes=9000 rdoq=no measure-psnr=no",
                                        "reversible=no psnr=40",
                                        "reversible=no bpp=2 measure-psnr=yes"};
    static const char *const marks[] = {"", "", "", "plt=yes", "packed-headers=ppt", "plm=yes"};
    snprintf(text, room, "%s %s %s %s", DRAW(blocks, seed), DRAW(tiles, seed), DRAW(rates, seed), DRAW(marks, seed));
}

/* Limits for tests: several waves of a tile each, small shares. */
static wvl_plan *draw_plan(const wvl_image_format *format, uint64_t *seed, char *text, size_t room)
{
    static const char *const devices[] = {"cpu", "auto", "cuda", "cuda", "cuda:all", "cuda:all", "cuda-only"};
    char settings[256];
    draw_settings(seed, settings, sizeof settings);
    const char *device = DRAW(devices, seed);
    wvl_plan *plan = make_plan(format, settings, device);
    if (plan && below(seed, 4)) {
        plan->test.share_samples = 1000;
    }
    snprintf(text, room, "%s device=%s", settings, device);
    return plan;
}

/* ---- What happens ---------------------------------------------------------------------------- */

static bytes encode_by_rows(const wvl_plan *plan, const picture *p, wvl_way *way)
{
    rows_bench rows;
    rows_open(&rows, p, 0, 1);
    *way = wvl_choose_way(plan, &(wvl_way_source){.rows = &rows.source});
    return encode_rows(plan, &rows.source, rows.options, NULL);
}

static bytes encode_in_flight(const wvl_plan *plan, const wvl_image *image)
{
    wvl_encoder *encoder = open_encoder(plan, 2);
    ck_assert_int_eq(wvl_encoder_submit(encoder, image, NULL, NULL), WVL_OK);
    bytes b = receive(encoder);
    wvl_encoder_release(encoder);
    return b;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static uint32_t seen[WVL_WAY_COUNT];

static void compare(const char *what, const wvl_plan *plan, const wvl_way *way, const bytes *b)
{
    ck_assert_msg(b->status == WVL_OK, "%s: %s", what, b->error);
    wvl_way_kind kind = read_kind(b->backend);
    ck_assert_msg(way->kind == kind, "%s: chosen is %s, and it came from \"%s\"", what, wvl_way_name(way->kind),
                  b->backend);
    if (kind == WVL_WAY_JOBS) {
        int codes = way->reach >= WVL_REACH_BLOCKS && !plan->syntax.region_count;
        ck_assert_msg(codes == (strstr(b->backend, "blocks") != NULL), "%s: reach %d, from \"%s\"", what, way->reach,
                      b->backend);
    }
    seen[kind]++;
}

static int is_refused(const wvl_plan *plan, const wvl_way *way)
{
    return plan->device.choice == WVL_DEVICE_CUDA_ONLY &&
           (way->kind == WVL_WAY_HOST || (unsigned)way->reach < plan->device.reach);
}

static void try_plan(const char *what, const wvl_plan *plan, const picture *p, const picture_input *input, int source)
{
    wvl_way way;
    bytes b;
    if (source == 1) {
        b = encode_by_rows(plan, p, &way);
    } else {
        way = wvl_choose_way(plan, &(wvl_way_source){.image = &input->image, .many = source == 2});
        b = source == 2 ? encode_in_flight(plan, &input->image) : encode_plan(plan, &input->image);
    }
    if (is_refused(plan, &way)) {
        ck_assert_msg(b.status == WVL_ERROR_UNSUPPORTED, "%s: not refused", what);
    } else {
        compare(what, plan, &way, &b);
    }
}

TEST(as_it_is_chosen)
{
    picture p = picture_draw(PICTURE_NATURAL, 97, 70, 3, 8, 5);
    picture_input input = open_input(&p, 0);
    uint64_t seed = 41;
    uint32_t sources[3] = {0};
    for (int i = 0; i < PLANS; i++) {
        char settings[320], what[400];
        int devices = 1 + (int)below(&seed, 3), source = (int)(below(&seed, 4) % 3);
        open_context();
        reset_driver(devices);
        wvl_plan *plan = draw_plan(&input.format, &seed, settings, sizeof settings);
        snprintf(what, sizeof what, "plan %d, %d devices, source %d: %s", i, devices, source, settings);
        if (plan) {
            try_plan(what, plan, &p, &input, source);
            sources[source]++;
        }
        close_context();
    }
    for (int k = 0; k < WVL_WAY_COUNT; k++) {
        ck_assert_msg(seen[k] >= 5, "only %u pictures went the way %s", seen[k], wvl_way_name((wvl_way_kind)k));
    }
    ck_assert_uint_ge(sources[0] + sources[1] + sources[2], 200);
}

TEST_MAIN("way")
