/* SPDX-License-Identifier: BSD-2-Clause */
/* Early output: bytes leave while rows are still read, only lengths are patched, at the end, and the bytes are those of
 * a sink that cannot patch. */
#include "geom/plan.h"
#include "tests/fault/ledger.h"
#include "tests/unit/rows_bench.h"

/* ---- A sink that watches --------------------------------------------------------------------- */

typedef struct watch {
    const rows_bench *rows; /* NULL: a whole picture */
    uint64_t all_rows;
    uint8_t *data;
    size_t bytes, early_bytes; /* early: before the last row was read */
    unsigned patches, patched_bytes, fails_at;
    uint64_t final, foretold; /* foretold: by reserve */
    int is_patched, is_closed, complete;
} watch;

static int take(void *user, const void *data, size_t bytes)
{
    watch *w = user;
    REQUIRE(!w->is_patched && !w->is_closed);
    w->data = realloc(w->data, w->bytes + bytes);
    memcpy(w->data + w->bytes, data, bytes);
    w->bytes += bytes;
    if (w->rows && w->rows->rows < w->all_rows) {
        w->early_bytes = w->bytes;
    }
    return 0;
}

static int patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    watch *w = user;
    REQUIRE(offset + bytes <= w->bytes && offset >= w->final && !w->is_closed);
    w->is_patched = 1;
    memcpy(w->data + offset, data, bytes);
    w->patched_bytes += (unsigned)bytes;
    return ++w->patches == w->fails_at;
}

static void note_final(void *user, uint64_t offset)
{
    watch *w = user;
    REQUIRE(offset >= w->final && offset <= w->bytes);
    w->final = offset;
}

static int reserve(void *user, uint64_t bytes)
{
    watch *w = user;
    REQUIRE(!w->bytes && !w->foretold && bytes);
    w->foretold = bytes;
    return 0;
}

static int end(void *user, int complete)
{
    watch *w = user;
    REQUIRE(!w->is_closed);
    w->is_closed = 1;
    w->complete = complete;
    return 0;
}

static void close_watch(watch *w) { free(w->data); }
#define owned_watch OWNED_BY(close_watch) watch

static wvl_sink open_watch(watch *w, const rows_bench *rows, const picture *p, int patches)
{
    memset(w, 0, sizeof *w);
    w->rows = rows;
    for (uint32_t c = 0; c < p->count; c++) {
        w->all_rows += p->planes[c].height;
    }
    return (wvl_sink){.struct_size = sizeof(wvl_sink),
                      .write = take,
                      .patch = patches ? patch : NULL,
                      .finalized = note_final,
                      .close = end,
                      .user = w};
}

static wvl_status encode(const picture *p, const char *settings, uint32_t threads, uint32_t strip, wvl_sink *sink,
                         rows_bench *rows, wvl_result **result)
{
    char error[256] = "";
    owned_context *context = test_open_context(threads);
    owned_input input = picture_open_input(p, 0);
    owned_plan *plan = test_open_plan(context, &input.format, settings);
    plan->test.strip_rows = strip;
    return rows ? wvl_encode_rows(plan, &rows->source, rows->options, sink, NULL, result, error, sizeof error)
                : wvl_encode(plan, &input.image, sink, NULL, result, error, sizeof error);
}

/* ---- Same bytes ------------------------------------------------------------------------------ */

enum { LATE, EARLY, ANY };
static const struct {
    const char *settings;
    int format; /* of rows_draw() */
    int when;   /* with a sink that patches, in low strips */
} cases[] = {
    {"levels=3 progression=PCRL precincts=[64,64],[32,32],[16,16],[16,16] block=16,16", 0, EARLY},
    {"levels=3 progression=PCRL precincts=[64,64],[32,32],[16,16],[16,16] block=16,16 tlm=yes sop=yes eph=yes", 0,
     EARLY},
    {"levels=2 progression=PCRL precincts=[32,32] block=8,8 container=jp2", 0, EARLY},
    {"levels=2 progression=PCRL precincts=[16,16] block=8,8 container=jp2 tlm=yes", 1, EARLY},
    {"levels=2 progression=PCRL precincts=[32,16] block=8,8 tile-offset=5,3", 2, EARLY},
    {"levels=2 progression=CPRL precincts=[16,16] block=8,8", 4, EARLY},
    {"levels=1 progression=CPRL precincts=[32,32] block=8,8", 0, LATE},
    {"levels=3 progression=RPCL precincts=[32,32] block=16,16", 0, LATE},
    {"levels=3 reversible=no slopes=38000,34000 progression=PCRL precincts=[64,64],[32,32],[16,16],[16,16] block=16,16",
     0, EARLY},
    {"levels=3 reversible=no step=0.01 progression=PCRL precincts=[64,64],[32,32],[16,16],[16,16] block=16,16 "
     "measure-psnr=no",
     0, EARLY},
    {"levels=3 reversible=no style=HT progression=PCRL precincts=[64,64],[32,32],[16,16],[16,16] block=16,16 "
     "measure-psnr=no",
     0, EARLY},
    {"levels=2 progression=PCRL precincts=[32,32] block=16,16 tile-parts=R", 3, ANY},
    {"levels=3 tile=80,60", 0, EARLY},
    {"levels=3 tile=80,60 plt=yes tlm=yes container=jp2", 0, EARLY},
    {"levels=3 tile=80,60 packed-headers=ppt tile-parts=R", 0, EARLY},
    {"levels=2 tile=50,40 slopes=36000 reversible=no progression=RLCP", 1, EARLY},
    {"levels=2 tile=500,40 progression=PCRL precincts=[16,16] block=8,8 container=jp2", 2, EARLY},
    {"levels=2 tile=500,60 progression=PCRL plt=yes tlm=yes", 0, EARLY},
    {"levels=3 tile=80,60 plm=yes", 0, LATE},
    {"levels=3 tile=80,60 packed-headers=ppm", 0, LATE},
    {"levels=3 tile=80,60 reversible=no bpp=1 rdoq=no", 0, LATE},
    {"levels=3 tile=80,60 layers=2", 0, LATE},
};

static void compare_results(const char *settings, const wvl_result *a, const wvl_result *b)
{
    ck_assert_uint_eq(wvl_result_bytes(a), wvl_result_bytes(b));
    ck_assert_uint_eq(wvl_result_codestream(a).offset, wvl_result_codestream(b).offset);
    ck_assert_uint_eq(wvl_result_main_header(a).bytes, wvl_result_main_header(b).bytes);
    ck_assert_uint_eq(wvl_result_tile_part_count(a), wvl_result_tile_part_count(b));
    for (uint32_t i = 0; i < wvl_result_tile_part_count(a); i++) {
        wvl_tile_part_info x, y;
        ck_assert_int_eq(wvl_result_tile_part(a, i, &x), WVL_OK);
        ck_assert_int_eq(wvl_result_tile_part(b, i, &y), WVL_OK);
        ck_assert(x.offset == y.offset && x.bytes == y.bytes && x.tile == y.tile && x.part == y.part);
    }
    for (uint32_t l = 0; l < wvl_result_layer_count(a); l++) {
        ck_assert_uint_eq(wvl_result_layer_bytes(a, l), wvl_result_layer_bytes(b, l));
        ck_assert_uint_eq(wvl_result_layer_slope(a, l), wvl_result_layer_slope(b, l));
        double x = wvl_result_layer_psnr(a, l), y = wvl_result_layer_psnr(b, l);
        ck_assert_msg(x == y || (x - y < 1e-6 && y - x < 1e-6), "%s: layer %u: %.9g, %.9g", settings, l, x, y);
        for (uint32_t r = 0; r < 3; r++) {
            ck_assert_uint_eq(wvl_result_packet_bytes(a, 0, r, l), wvl_result_packet_bytes(b, 0, r, l));
        }
    }
}

TEST_EACH(bytes_are_the_same, sizeof cases / sizeof *cases)
{
    static const uint32_t heights[] = {1, 7, 16, 64, 1000};
    const char *settings = cases[_i].settings;
    owned_picture p = rows_draw(cases[_i].format);
    owned_rows whole = rows_encode(&p, settings, 2, NULL, 0);
    for (unsigned k = 0; k < 2 * sizeof heights / sizeof *heights; k++) {
        rows_bench b;
        owned_watch w;
        owned_result *early = NULL;
        rows_open(&b, &p, 0, k & 2);
        wvl_sink sink = open_watch(&w, &b, &p, k & 1);
        ck_assert_int_eq(encode(&p, settings, 1 + k % 3, heights[k / 2], &sink, &b, &early), WVL_OK);
        ck_assert_msg(w.bytes == whole.bytes && !memcmp(w.data, whole.data, w.bytes), "%s: strips of %u, %s", settings,
                      heights[k / 2], k & 1 ? "patched" : "not patched");
        ck_assert(w.is_closed && w.complete && w.final == w.bytes);
        if (cases[_i].when == LATE) {
            ck_assert_msg(!w.early_bytes && !w.patches, "%s", settings);
        } else if (cases[_i].when == EARLY && (k & 1) && heights[k / 2] <= 16) {
            ck_assert_msg(w.early_bytes > whole.bytes / 4, "%s: %zu of %zu", settings, w.early_bytes, whole.bytes);
        }
        owned_watch other;
        wvl_sink late_sink = open_watch(&other, NULL, &p, 0);
        owned_result *late = NULL;
        ck_assert_int_eq(encode(&p, settings, 1, 0, &late_sink, NULL, &late), WVL_OK);
        compare_results(settings, early, late);
    }
}

/* Only lengths are patched: Psot of each part, TLM, the header of the box. */
TEST(lengths_alone_are_patched)
{
    static const struct {
        const char *settings;
        unsigned patches, bytes;
    } few[] = {
        {"levels=2 progression=PCRL precincts=[32,32] block=8,8", 1, 4},
        {"levels=2 progression=PCRL precincts=[32,32] block=8,8 container=jp2", 2, 12},
        {"levels=2 tile=80,60", 0, 0},
        {"levels=2 tile=80,60 container=jp2", 1, 8},
        {"levels=2 tile=80,60 tlm=yes", 1, 6 + 12 * 5},
    };
    owned_picture p = rows_draw(0);
    for (unsigned k = 0; k < sizeof few / sizeof *few; k++) {
        rows_bench b;
        owned_watch w;
        rows_open(&b, &p, 0, 0);
        wvl_sink sink = open_watch(&w, &b, &p, 1);
        ck_assert_int_eq(encode(&p, few[k].settings, 2, 16, &sink, &b, NULL), WVL_OK);
        ck_assert_msg(w.patches == few[k].patches && w.patched_bytes == few[k].bytes && w.early_bytes,
                      "%s: %u patches of %u bytes", few[k].settings, w.patches, w.patched_bytes);
    }
}

/* A whole picture of several waves. */
TEST(whole_pictures_leave_early)
{
    owned_picture p = picture_draw(PICTURE_FLAT, 3000, 6000, 1, 8, 5);
    owned_watch late, early;
    wvl_sink cannot = open_watch(&late, NULL, &p, 0), can = open_watch(&early, NULL, &p, 1);
    ck_assert_int_eq(encode(&p, "tile=512,512 tlm=yes", 2, 0, &cannot, NULL, NULL), WVL_OK);
    ck_assert_int_eq(encode(&p, "tile=512,512 tlm=yes", 2, 0, &can, NULL, NULL), WVL_OK);
    ck_assert(!late.patches && early.patches == 1);
    ck_assert(late.bytes == early.bytes && !memcmp(late.data, early.data, late.bytes));
}

/* A sink that wants to know the length first gets whole pictures when it is known, and rows as any other. */
TEST(whole_pictures_are_foretold)
{
    owned_picture p = picture_draw(PICTURE_FLAT, 3000, 6000, 1, 8, 5), few = rows_draw(0);
    owned_watch early, foretold;
    rows_bench b;
    wvl_sink sink = open_watch(&early, NULL, &p, 1);
    ck_assert_int_eq(encode(&p, "tile=512,512 tlm=yes", 2, 0, &sink, NULL, NULL), WVL_OK);
    sink = open_watch(&foretold, NULL, &p, 1);
    sink.reserve = reserve;
    ck_assert_int_eq(encode(&p, "tile=512,512 tlm=yes", 2, 0, &sink, NULL, NULL), WVL_OK);
    ck_assert(early.patches && !foretold.patches && foretold.foretold == foretold.bytes);
    ck_assert(foretold.bytes == early.bytes && !memcmp(foretold.data, early.data, early.bytes));
    owned_watch rows;
    rows_open(&b, &few, 0, 0);
    sink = open_watch(&rows, &b, &few, 1);
    sink.reserve = reserve;
    ck_assert_int_eq(
        encode(&few, "levels=2 progression=PCRL precincts=[32,32] block=8,8 container=jp2", 1, 16, &sink, &b, NULL),
        WVL_OK);
    ck_assert(rows.early_bytes && !rows.foretold);
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST(a_patch_fails)
{
    owned_picture p = rows_draw(0);
    for (unsigned n = 1; n <= 4; n++) {
        rows_bench b;
        owned_watch w;
        rows_open(&b, &p, 0, 0);
        wvl_sink sink = open_watch(&w, &b, &p, 1);
        w.fails_at = n;
        wvl_status status = encode(&p, "levels=2 progression=PCRL precincts=[32,32] block=8,8 container=jp2 tlm=yes", 1,
                                   16, &sink, &b, NULL);
        ck_assert_int_eq(status, n < 4 ? WVL_ERROR_SINK : WVL_OK);
        ck_assert(w.is_closed && w.complete == (n == 4) && w.patches == (n < 4 ? n : 3) && b.releases == 1);
    }
}

TEST(a_source_fails_after_bytes_left)
{
    owned_picture p = rows_draw(0);
    rows_bench b;
    owned_watch w;
    rows_open(&b, &p, 0, 0);
    b.fails_at = 150;
    b.fails_with = WVL_ERROR_INPUT;
    wvl_sink sink = open_watch(&w, &b, &p, 1);
    ck_assert_int_eq(encode(&p, "levels=2 tile=80,60", 1, 16, &sink, &b, NULL), WVL_ERROR_INPUT);
    ck_assert(w.is_closed && !w.complete && w.bytes > 1000);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* is_limited: to the least. Returns the most that was held. */
static uint64_t measure(const picture *p, const char *settings, uint32_t strip, int patches, int is_limited)
{
    owned_ledger l;
    owned_context *context = ledger_open_context(&l, 2);
    owned_input input = picture_open_input(p, 0);
    rows_bench b;
    owned_watch w;
    rows_open(&b, p, 0, 0);
    owned_plan *plan = test_open_plan(context, &input.format, settings);
    plan->test.strip_rows = strip;
    wvl_rows_memory memory = {.struct_size = sizeof memory};
    REQUIRE(wvl_rows_measure(plan, &b.source, &memory) == WVL_OK && memory.leaves_early == 2);
    wvl_rows_options options = {.struct_size = sizeof options,
                                .memory_bytes = is_limited ? memory.early_least_bytes : 0};
    uint64_t before = l.live_bytes;
    l.peak_bytes = before;
    wvl_sink sink = open_watch(&w, &b, p, patches);
    wvl_status status = wvl_encode_rows(plan, &b.source, &options, &sink, NULL, NULL, NULL, 0);
    REQUIRE(status == (is_limited && !patches ? WVL_ERROR_PARAMETER : WVL_OK));
    REQUIRE_THAT(!is_limited || l.peak_bytes - before <= options.memory_bytes, "%s: %llu held, %llu allowed", settings,
                 (unsigned long long)(l.peak_bytes - before), (unsigned long long)options.memory_bytes);
    return l.peak_bytes - before;
}

/* Coded bytes are not all held: 9 MB of noise. */
TEST_EACH(memory_is_used_again, 2)
{
    static const struct {
        const char *settings;
        uint32_t strip;
    } large[] = {{"levels=2 progression=PCRL precincts=[128,128] block=32,32", 128},
                 {"levels=2 tile=256,256 tlm=yes", 128}};
    owned_picture p = picture_draw(PICTURE_NOISE, 1500, 6000, 1, 8, 5);
    uint64_t late = measure(&p, large[_i].settings, large[_i].strip, 0, 0),
             early = measure(&p, large[_i].settings, large[_i].strip, 1, 0);
    (void)measure(&p, large[_i].settings, large[_i].strip, 0, 1);
    (void)measure(&p, large[_i].settings, large[_i].strip, 1, 1);
    ck_assert_msg(early + (UINT64_C(6) << 20) < late, "%llu, and %llu in the end", (unsigned long long)early,
                  (unsigned long long)late);
}

TEST_EACH(every_allocation_fails, 2)
{
    static const char *const settings[] = {"levels=2 progression=PCRL precincts=[32,32] block=16,16 tlm=yes",
                                           "levels=2 tile=100,50 container=jp2"};
    owned_ledger l;
    owned_context *context = ledger_open_context(&l, 1);
    owned_picture p = rows_draw(0);
    owned_input input = picture_open_input(&p, 0);
    owned_plan *plan = test_open_plan(context, &input.format, settings[_i]);
    plan->test.strip_rows = 16;
    uint64_t before = l.live_bytes;
    wvl_status status = WVL_ERROR_MEMORY;
    for (int n = 0; status != WVL_OK; n++) {
        rows_bench b;
        owned_watch w;
        rows_open(&b, &p, 0, 1);
        wvl_sink sink = open_watch(&w, &b, &p, 1);
        ledger_limit_calls(&l, n);
        status = wvl_encode_rows(plan, &b.source, NULL, &sink, NULL, NULL, NULL, 0);
        ledger_limit_calls(&l, -1);
        ck_assert_msg(status == WVL_OK || status == WVL_ERROR_MEMORY, "%d at %d", status, n);
        ck_assert(l.live_bytes == before && b.releases == 1 && w.is_closed && w.complete == (status == WVL_OK));
    }
}

TEST_MAIN("early")
