/* SPDX-License-Identifier: BSD-2-Clause */
/* Tile-parts that Psot could not name are divided between packets, or the plan is refused (D-cs-08). WVL_PART_BYTES
 * lowers 4 GiB, so that small pictures show it; the walker and OpenJPEG read what was divided. */

#include "geom/plan.h"
#include "tests/decode/decode.h"
#include "tests/unit/rows_bench.h"
#include "wavelane_check.h"

static void set_limit(unsigned bytes)
{
    const char *text = test_print("%u", bytes);
    REQUIRE(!setenv("WVL_PART_BYTES", text, 1));
}

static void clear_limit(void) { REQUIRE(!unsetenv("WVL_PART_BYTES")); }

/* ---- A sink that is patched ------------------------------------------------------------------ */

typedef struct patched {
    rows_output out;
    unsigned patches;
} patched;

static int take(void *user, const void *data, size_t bytes)
{
    rows_output *o = &((patched *)user)->out;
    o->data = realloc(o->data, o->bytes + bytes);
    memcpy((uint8_t *)o->data + o->bytes, data, bytes);
    o->bytes += bytes;
    return 0;
}

static int patch(void *user, uint64_t offset, const void *data, size_t bytes)
{
    patched *p = user;
    REQUIRE(offset + bytes <= p->out.bytes);
    memcpy((uint8_t *)p->out.data + offset, data, bytes);
    p->patches++;
    return 0;
}

static int end(void *user, int complete)
{
    (void)user;
    (void)complete;
    return 0;
}

static patched encode_patched(const picture *p, const char *settings, uint32_t strip)
{
    patched to = {{.status = WVL_OK}, 0};
    owned_context *context = test_open_context(0);
    rows_bench b;
    owned_input input = picture_open_input(p, 0);
    wvl_sink sink = {.struct_size = sizeof sink, .write = take, .patch = patch, .close = end, .user = &to};
    owned_plan *plan = test_open_plan(context, &input.format, settings);
    plan->test.strip_rows = strip;
    rows_open(&b, p, 0, 0);
    to.out.status = wvl_encode_rows(plan, &b.source, NULL, &sink, NULL, NULL, to.out.error, sizeof to.out.error);
    return to;
}

/* ---- What is in the bytes -------------------------------------------------------------------- */

typedef struct part_facts {
    unsigned count, longest, most_of_tile;
} part_facts;

static uint32_t read_number(const uint8_t *p, unsigned bytes)
{
    uint32_t n = 0;
    while (bytes--) {
        n = n << 8 | *p++;
    }
    return n;
}

static part_facts find_parts(const rows_output *o)
{
    const uint8_t *p = o->data, *at = p + 2, *stop = p + o->bytes - 2;
    part_facts f = {0, 0, 0};
    while (read_number(at, 2) != 0xFF90) {
        at += 2 + read_number(at + 2, 2);
    }
    while (at < stop) {
        unsigned psot = read_number(at + 6, 4);
        REQUIRE(read_number(at, 2) == 0xFF90 && psot && at + psot <= stop && at[10] < at[11]);
        f.count++;
        f.longest = psot > f.longest ? psot : f.longest;
        f.most_of_tile = at[11] > f.most_of_tile ? at[11] : f.most_of_tile;
        at += psot;
    }
    REQUIRE(at == stop);
    return f;
}

static void print_issue(void *user, const wvl_check_issue *issue)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", issue->clause, issue->text);
}

static void judge(const char *what, const rows_output *o, const picture *p)
{
    char text[256] = "";
    picture decoded;
    REQUIRE_THAT(wvl_check_file(o->data, o->bytes, NULL, print_issue, NULL, NULL) == WVL_CHECK_LEGAL, "%s", what);
    REQUIRE_THAT(decode_picture(o->data, o->bytes, &(decode_options){0}, &decoded, NULL, text, sizeof text), "%s: %s",
                 what, text);
    REQUIRE_THAT(!p || fuzz_picture_equal(p, &decoded, text, sizeof text), "%s: %s", what, text);
    fuzz_picture_free(&decoded);
}

/* ---- Divided --------------------------------------------------------------------------------- */

#define BLOCKS "levels=3 precincts=[64,64],[32,32],[16,16],[16,16] block=16,16 "
static const struct {
    const char *settings;
    unsigned limit;
    int patches; /* rows leave early, and lengths are patched */
} cases[] = {
    {BLOCKS "progression=LRCP", 12000, 0},
    {BLOCKS "progression=RPCL plt=yes tlm=yes", 12000, 0},
    {BLOCKS "progression=PCRL", 12000, 1},
    {BLOCKS "progression=PCRL sop=yes eph=yes tile-parts=L", 12000, 1},
    {BLOCKS "progression=PCRL tlm=yes", 12000, 0},
    {BLOCKS "progression=PCRL style=HT", 12000, 1},
    {BLOCKS "progression=CPRL tile-parts=C plt=yes", 12000, 0},
    {BLOCKS "progression=RLCP packed-headers=ppt", 12000, 0},
    {BLOCKS "progression=RLCP packed-headers=ppm", 12000, 0},
    {BLOCKS "progression=RPCL tile=100,90", 9000, 0},
    {BLOCKS "progression=RPCL tile=100,90 tlm=yes plt=yes tile-parts=R", 9000, 0},
    {BLOCKS "progression=PCRL tile=500,90", 9000, 1},
    {BLOCKS "progression=PCRL tile=500,90 overrides=T1:progression=RLCP", 9000, 0},
    {BLOCKS "layers=3 progression=RLCP", 9000, 0},
    {BLOCKS "progression-changes=0,0,1,2,3,RPCL/0,0,1,4,3,PCRL", 12000, 0},
    {BLOCKS "progression=PCRL", 6500, 1},
};

static void compare_rows(const char *settings, const picture *p, const rows_output *whole, int patches)
{
    static const uint32_t heights[] = {7, 16, 64, 1000};
    for (unsigned k = 0; k < sizeof heights / sizeof *heights; k++) {
        rows_bench b;
        rows_open(&b, p, 0, 1);
        wvl_rows_options options = {.struct_size = sizeof options, .memory_bytes = UINT64_C(40) << 20};
        b.options = k & 1 ? &options : NULL;
        owned_rows rows = rows_encode(p, settings, 1 + k % 3, &b, heights[k]);
        rows_compare(settings, whole, &rows);
        patched early = encode_patched(p, settings, heights[k]);
        rows_compare(settings, whole, &early.out);
        REQUIRE_THAT(!patches || early.patches || heights[k] == 1000, "%s: no length is patched", settings);
        REQUIRE_THAT(patches || early.patches <= 1, "%s: bytes leave early", settings);
        rows_free(&early.out);
    }
}

TEST_EACH(long_parts_are_divided, sizeof cases / sizeof *cases)
{
    const char *settings = cases[_i].settings;
    owned_picture p = rows_draw(0);
    clear_limit();
    owned_rows plain = rows_encode(&p, settings, 2, NULL, 0);
    REQUIRE_THAT(plain.status == WVL_OK, "%s: %s", settings, plain.error);
    part_facts before = find_parts(&plain);
    set_limit(cases[_i].limit);
    owned_rows one = rows_encode(&p, settings, 1, NULL, 0), whole = rows_encode(&p, settings, 3, NULL, 0);
    rows_compare(settings, &one, &whole);
    part_facts after = find_parts(&whole);
    REQUIRE_THAT(before.longest > cases[_i].limit && after.longest <= cases[_i].limit &&
                     after.longest > cases[_i].limit / 2 && after.count > before.count && after.most_of_tile > 1,
                 "%s: %u parts up to %u, before %u up to %u", settings, after.count, after.longest, before.count,
                 before.longest);
    judge(settings, &whole, &p);
    compare_rows(settings, &p, &whole, cases[_i].patches);
    clear_limit();
}

/* The longest part just fits: nothing changes. One byte less: it is divided. */
TEST(the_limit_is_exact)
{
    static const char *const settings[] = {BLOCKS "progression=PCRL", BLOCKS "progression=RPCL plt=yes tlm=yes",
                                           BLOCKS "packed-headers=ppt tile-parts=R", BLOCKS "tile=100,90"};
    owned_picture p = rows_draw(0);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        clear_limit();
        owned_rows plain = rows_encode(&p, settings[i], 2, NULL, 0);
        part_facts before = find_parts(&plain);
        set_limit(before.longest);
        owned_rows same = rows_encode(&p, settings[i], 2, NULL, 0);
        rows_compare(settings[i], &plain, &same);
        compare_rows(settings[i], &p, &plain, 0 == i);
        set_limit(before.longest - 1);
        owned_rows other = rows_encode(&p, settings[i], 2, NULL, 0);
        REQUIRE(other.status == WVL_OK);
        REQUIRE(find_parts(&other).count == before.count + 1);
        judge(settings[i], &other, &p);
        compare_rows(settings[i], &p, &other, 0 == i);
    }
    clear_limit();
}

/* A cap keeps room for the headers of parts that may come. */
TEST(caps_are_kept)
{
    static const char *const settings[] = {
        BLOCKS "reversible=no progression=RPCL layer-bytes=30000 plt=yes tlm=yes",
        BLOCKS "max-bytes=30000 packed-headers=ppm", BLOCKS "max-bytes=30000 tile=100,90 rdoq=no",
        BLOCKS "max-component-bytes=15000 max-bytes=40000 progression=CPRL tile-parts=C plt=yes"};
    owned_picture p = rows_draw(0);
    set_limit(7000);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        owned_rows whole = rows_encode(&p, settings[i], 2, NULL, 0);
        REQUIRE_THAT(whole.status == WVL_OK, "%s: %s", settings[i], whole.error);
        part_facts f = find_parts(&whole);
        REQUIRE_THAT(whole.bytes <= 45000 && f.longest <= 7000 && f.count > 3, "%s: %zu bytes, %u parts", settings[i],
                     whole.bytes, f.count);
        REQUIRE_THAT(i == 3 || whole.bytes > 30000 * 0.97, "%s: %zu bytes", settings[i], whole.bytes);
        REQUIRE(i == 3 || whole.bytes <= 30000);
        judge(settings[i], &whole, NULL);
        rows_bench b;
        rows_open(&b, &p, 0, 1);
        owned_rows rows = rows_encode(&p, settings[i], 1, &b, 16);
        rows_compare(settings[i], &whole, &rows);
    }
    clear_limit();
}

/* ---- Refused --------------------------------------------------------------------------------- */

static const struct {
    const char *settings;
    unsigned limit;
    wvl_status status; /* of the plan; WVL_OK: the encode fails */
    const char *text;
} refusals[] = {
    {"levels=3", 12000, WVL_ERROR_PARAMETER, "a packet of tile 0 may take"},
    {"levels=0 tile=128,128", 12000, WVL_ERROR_PARAMETER, "use smaller precincts or tiles"},
    {BLOCKS "progression=PCRL", 4000, WVL_ERROR_PARAMETER, "255 tile-parts hold 4 GiB each at most"},
    {BLOCKS "progression=PCRL max-bytes=50000", 4000, WVL_OK, ""},
};

TEST_EACH(what_no_division_helps_is_refused, sizeof refusals / sizeof *refusals)
{
    owned_picture p = picture_draw(PICTURE_NOISE, 800, 800, 1, 8, 3);
    owned_input input = picture_open_input(&p, 0);
    owned_context *context = test_open_context(0);
    owned_params *params = test_open_params(context, refusals[_i].settings);
    owned_plan *plan = NULL;
    clear_limit();
    wvl_plan_release(test_open_plan(context, &input.format, refusals[_i].settings));
    set_limit(refusals[_i].limit);
    wvl_status status = wvl_plan_create(context, params, &input.format, NULL, &plan);
    REQUIRE_THAT(status == refusals[_i].status, "%s: %d", refusals[_i].settings, status);
    REQUIRE_THAT(status == WVL_OK || strstr(wvl_context_error(context), refusals[_i].text), "%s",
                 wvl_context_error(context));
    clear_limit();
}

/* What the plan could not know: one packet alone is longer than a part. */
TEST(a_long_packet_is_an_error)
{
    static const char settings[] = "levels=1 progression=PCRL precincts=[64,64] block=4,4 style=TERMALL";
    owned_picture p = picture_draw(PICTURE_NOISE, 200, 200, 1, 8, 3);
    set_limit(4200);
    for (unsigned k = 0; k < 2; k++) {
        rows_bench b;
        rows_open(&b, &p, 0, 1);
        rows_output o = rows_encode(&p, settings, 2, k ? &b : NULL, 16);
        REQUIRE_THAT(o.status == WVL_ERROR_UNSUPPORTED && strstr(o.error, "a packet of tile 0 exceeds 4 GiB"), "%d: %s",
                     o.status, o.error);
        patched early = encode_patched(&p, settings, 16);
        REQUIRE_THAT(early.out.status == WVL_ERROR_UNSUPPORTED && strstr(early.out.error, "exceeds 4 GiB"), "%d: %s",
                     early.out.status, early.out.error);
        free(early.out.data);
    }
    clear_limit();
}

TEST_MAIN("tile-parts that are too long")
