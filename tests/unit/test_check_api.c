/* SPDX-License-Identifier: BSD-2-Clause */
/* The walker's interface, its limits, and headers that promise more than the bytes bear out. */
#include <time.h>

#include "tests/support/support.h"
#include "tests/unit/check_bench.h"

#define SOUND                                                                                                          \
    "encode 60x50x3x8 levels=3 layers=3 tile=32,32 sop=yes eph=yes plt=yes tlm=yes tile-parts=R progression=RLCP"
#define SECONDS 4.0 /* under a sanitizer, on a loaded machine; without, none takes a tenth of it */

static check_result walk(const char *stream, const char *damage, const char *options)
{
    owned_bytes b = check_make(stream);
    check_damage(&b, damage);
    clock_t before = clock();
    check_result r = check_walk(&b, options);
    double took = (double)(clock() - before) / CLOCKS_PER_SEC;
    ck_assert_msg(took < SECONDS, "%s: %.1f s for %zu bytes", stream, took, b.n);
    return r;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

TEST(arguments)
{
    owned_bytes b = check_make(SOUND);
    wvl_check_options options = {.struct_size = sizeof options, .profile = "no such profile"};
    wvl_check_summary summary = {.struct_size = sizeof summary};
    ck_assert_int_eq(wvl_check_codestream(b.p, b.n, NULL, NULL, NULL, NULL), WVL_CHECK_LEGAL);
    ck_assert_int_eq(wvl_check_file(b.p, b.n, NULL, NULL, NULL, &summary), WVL_CHECK_LEGAL);
    ck_assert_int_eq(summary.format, WVL_CHECK_CODESTREAM);
    wvl_check_release_summary(&summary);
    wvl_check_release_summary(&summary);
    wvl_check_release_summary(NULL);
    ck_assert_int_eq(wvl_check_file(b.p, b.n, &options, NULL, NULL, NULL), WVL_CHECK_BAD_ARGUMENT);
    options.profile = NULL;
    options.struct_size = SIZE_MAX;
    ck_assert_int_eq(wvl_check_file(b.p, b.n, &options, NULL, NULL, NULL), WVL_CHECK_BAD_ARGUMENT);
    options.struct_size = 0;
    ck_assert_int_eq(wvl_check_file(b.p, b.n, &options, NULL, NULL, NULL), WVL_CHECK_BAD_ARGUMENT);
    ck_assert_int_eq(wvl_check_file(NULL, 5, NULL, NULL, NULL, NULL), WVL_CHECK_BAD_ARGUMENT);
    ck_assert_int_eq(wvl_check_file(NULL, 0, NULL, NULL, NULL, NULL), WVL_CHECK_ILLEGAL);
    ck_assert_int_eq(wvl_check_codestream(b.p, 0, NULL, NULL, NULL, NULL), WVL_CHECK_ILLEGAL);
}

/* Programs with an older and with a newer header. What only the newer one knows must not be set: nobody would do it. */
TEST(options_of_every_size)
{
    owned_bytes b = check_make(SOUND);
    for (size_t size = sizeof(size_t); size <= sizeof(wvl_check_options) + 64; size++) {
        OWNED uint8_t *memory = calloc(1, size);
        memcpy(memory, &size, sizeof size);
        wvl_check_options *options = (wvl_check_options *)memory;
        ck_assert_int_eq(wvl_check_codestream(b.p, b.n, options, NULL, NULL, NULL), WVL_CHECK_LEGAL);
        if (size > sizeof *options) {
            memory[size - 1] = 1;
            ck_assert_int_eq(wvl_check_codestream(b.p, b.n, options, NULL, NULL, NULL), WVL_CHECK_BAD_ARGUMENT);
        }
    }
}

/* A caller that was built with a shorter summary gets no byte beyond it; one that is shorter than any was is refused.
 */
TEST(shorter_summary)
{
    static const size_t sizes[] = {0,
                                   sizeof(size_t),
                                   offsetof(wvl_check_summary, layer_count),
                                   offsetof(wvl_check_summary, ht_block_count) - 1,
                                   offsetof(wvl_check_summary, ht_block_count),
                                   SIZE_MAX};
    owned_bytes b = check_make(SOUND);
    union {
        wvl_check_summary summary;
        uint8_t raw[sizeof(wvl_check_summary)];
    } u;
    for (unsigned k = 0; k < 6; k++) {
        int is_taken = k == 4;
        memset(u.raw, 0xA5, sizeof u.raw);
        u.summary.struct_size = sizes[k];
        ck_assert_int_eq(wvl_check_codestream(b.p, b.n, NULL, NULL, NULL, &u.summary),
                         is_taken ? WVL_CHECK_LEGAL : WVL_CHECK_BAD_ARGUMENT);
        for (size_t i = is_taken ? sizes[k] : sizeof(size_t); i < sizeof u.raw; i++) {
            ck_assert_uint_eq(u.raw[i], 0xA5);
        }
        if (is_taken) {
            wvl_check_release_summary(&u.summary);
        }
    }
}

static void count_issue(void *user, const wvl_check_issue *issue)
{
    ck_assert_ptr_nonnull(issue->text);
    (*(unsigned *)user)++;
}

TEST(issue_limit)
{
    owned_bytes b = check_make("x=40 y=30 L=2 main=FF700002FF700002FF700002FF700002 part=0/0/1::000000");
    unsigned reports = 0;
    wvl_check_options options = {.struct_size = sizeof options, .issue_limit = 3};
    wvl_check_summary summary = {.struct_size = sizeof summary};
    ck_assert_int_eq(wvl_check_codestream(b.p, b.n, &options, count_issue, &reports, &summary), WVL_CHECK_ILLEGAL);
    ck_assert_uint_eq(reports, 3);
    ck_assert_uint_eq(summary.errors, 4);
    ck_assert_uint_eq(summary.warnings, 0);
    wvl_check_release_summary(&summary);
}

/* ---- Summary --------------------------------------------------------------------------------- */

typedef struct totals {
    uint64_t packets, bytes, header_bytes, body_bytes, layers[8], resolutions[8], components[8], last_end;
    uint32_t last_part;
} totals;

static void add_packet(void *user, const wvl_check_packet *p)
{
    totals *t = user;
    t->packets++;
    t->bytes += p->bytes;
    t->header_bytes += p->header_bytes;
    t->body_bytes += p->body_bytes;
    t->layers[p->layer] += p->header_bytes + p->body_bytes;
    t->resolutions[p->resolution] += p->header_bytes + p->body_bytes;
    t->components[p->component] += p->header_bytes + p->body_bytes;
    if (p->part == t->last_part && t->last_end) {
        ck_assert_uint_eq(p->offset, t->last_end); /* packets of a tile-part follow each other */
    }
    t->last_part = p->part;
    t->last_end = p->offset + p->bytes;
}

TEST(summary_adds_up)
{
    owned_bytes b = check_make(SOUND);
    totals t;
    memset(&t, 0, sizeof t);
    wvl_check_options options = {.struct_size = sizeof options, .packet = add_packet};
    wvl_check_summary m = {.struct_size = sizeof m};
    ck_assert_int_eq(wvl_check_codestream(b.p, b.n, &options, NULL, &t, &m), WVL_CHECK_LEGAL);
    ck_assert(m.complete && m.x1 == 60 && m.y1 == 50 && m.tile_width == 32 && m.tile_count == 4 &&
              m.component_count == 3 && m.layer_count == 3);
    ck_assert_uint_eq(m.part_count, 16);
    ck_assert_uint_eq(m.codestream_bytes, b.n);
    ck_assert_uint_eq(m.packet_count, t.packets);
    ck_assert_uint_eq(m.packet_count, 4 * 3 * 4 * 3);
    ck_assert_uint_eq(m.header_bytes, t.header_bytes);
    ck_assert_uint_eq(m.body_bytes, t.body_bytes);
    ck_assert_uint_eq(t.bytes, t.header_bytes + t.body_bytes + 6 * t.packets); /* SOP */
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(m.resolution_bytes[i], t.resolutions[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(m.layer_bytes[i], t.layers[i]);
        ck_assert_uint_eq(m.components[i].packet_bytes, t.components[i]);
        ck_assert_uint_eq(m.components[i].part_bytes, 0); /* every part holds all */
        ck_assert(m.components[i].depth == 8 && m.components[i].dx == 1);
    }
    wvl_check_release_summary(&m);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

typedef struct told {
    uint64_t packets, blocks, bytes, body_at, body_end, samples;
    wvl_check_block first[4];
} told;

static void tell_packet(void *user, const wvl_check_packet *p)
{
    told *t = user;
    ck_assert_uint_eq(t->body_at, t->body_end); /* blocks fill the body of the packet before */
    t->packets++;
    t->body_end = p->offset + p->bytes;
    t->body_at = t->body_end - p->body_bytes;
}

static void tell_block(void *user, const wvl_check_block *b)
{
    told *t = user;
    ck_assert_uint_eq(b->offset, t->body_at);
    t->body_at += b->bytes;
    t->bytes += b->bytes;
    t->samples += b->layer ? 0 : (uint64_t)b->width * b->height;
    if (t->blocks < 4) {
        t->first[t->blocks] = *b;
    }
    t->blocks++;
}

static void tell_issue(void *user, const wvl_check_issue *issue)
{
    (void)user;
    ck_assert_msg(issue->severity == WVL_CHECK_WARNING, "%s: %s", issue->rule, issue->text);
}

static told hear_blocks(const char *stream)
{
    owned_bytes b = check_make(stream);
    told t;
    memset(&t, 0, sizeof t);
    wvl_check_options options = {.struct_size = sizeof options, .packet = tell_packet, .block = tell_block};
    wvl_check_summary m = {.struct_size = sizeof m};
    ck_assert_int_eq(wvl_check_file(b.p, b.n, &options, tell_issue, &t, &m), WVL_CHECK_LEGAL);
    ck_assert_uint_eq(t.body_at, t.body_end);
    ck_assert_uint_eq(t.bytes, m.body_bytes);
    ck_assert_uint_eq(t.packets, m.packet_count);
    wvl_check_release_summary(&m);
    return t;
}

TEST(blocks_add_up)
{
    static const struct {
        const char *stream;
        uint64_t samples; /* of all components: every block comes with the first layer, and they cover the bands */
    } cases[] = {
        {"encode 60x50x3x8 levels=3 tile=32,32 sop=yes eph=yes block=8,8 precincts=[32,32] packed-headers=ppt",
         60 * 50 * 3},
        {"jp2 61x47x1x12 levels=2 block=16,4", 61 * 47},
        {"jph 61x47x1x8 levels=2 block=16,16 style=HT", 61 * 47},
        {"encode 60x50x3x8 levels=2 style=BYPASS+TERMALL", 60 * 50 * 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        told t = hear_blocks(cases[i].stream);
        ck_assert_msg(t.samples == cases[i].samples, "%s: %llu samples", cases[i].stream,
                      (unsigned long long)t.samples);
    }
    ck_assert_uint_gt(hear_blocks(SOUND).blocks, 100);
}

static void need_block(const wvl_check_block *b, unsigned resolution, unsigned level, unsigned band, unsigned x,
                       unsigned y, unsigned width, unsigned height, unsigned passes, unsigned bytes)
{
    ck_assert_uint_eq(b->resolution, resolution);
    ck_assert_uint_eq(b->level, level);
    ck_assert_uint_eq(b->band, band);
    ck_assert_uint_eq(b->x, x);
    ck_assert_uint_eq(b->y, y);
    ck_assert_uint_eq(b->width, width);
    ck_assert_uint_eq(b->height, height);
    ck_assert_uint_eq(b->passes, passes);
    ck_assert_uint_eq(b->bytes, bytes);
}

/* By hand: LL of 4 x 4 from column 3 on, and LH of 4 x 4, whose HL before it and HH behind it have no block yet. */
TEST(blocks_of_a_known_stream)
{
    told t = hear_blocks("x=13 x0=5 y=8 L=1 part=0/0/1::(11 001 0 0 100)01020304(10 1 01 0 0 010 0)0506");
    ck_assert_uint_eq(t.blocks, 2);
    need_block(&t.first[0], 0, 1, 0, 3, 0, 4, 4, 1, 4);
    need_block(&t.first[1], 1, 1, 2, 3, 0, 4, 4, 1, 2);
    t = hear_blocks("style=04 part=0/0/1::(11 001 10 0 100 010)010203040506"); /* two segments */
    ck_assert_uint_eq(t.blocks, 1);
    need_block(&t.first[0], 0, 0, 0, 0, 0, 8, 8, 2, 6);
    t = hear_blocks("ht=0002 style=40 L=1 part=0/0/1::(11 001 1100 0 100 0011)00004400{3x00}00");
    ck_assert_uint_eq(t.blocks, 1);
    need_block(&t.first[0], 0, 1, 0, 0, 0, 4, 4, 3, 7);
}

TEST(component_bytes_are_sums_of_psot)
{
    owned_bytes b = check_make("encode 60x50x3x8 levels=2 progression=CPRL tile-parts=C mct=off");
    wvl_check_summary m = {.struct_size = sizeof m};
    ck_assert_int_eq(wvl_check_codestream(b.p, b.n, NULL, NULL, NULL, &m), WVL_CHECK_LEGAL);
    ck_assert_uint_eq(m.part_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(m.components[i].part_bytes, m.components[i].packet_bytes + 14);
    }
    wvl_check_release_summary(&m);
}

TEST(profiles_met)
{
    size_t count;
    const wvl_check_profile *names = wvl_check_profiles(&count);
    owned_bytes b = check_make("jp2 60x50x3x8 levels=2");
    wvl_check_summary m = {.struct_size = sizeof m};
    ck_assert_int_eq(wvl_check_file(b.p, b.n, NULL, NULL, NULL, &m), WVL_CHECK_LEGAL);
    ck_assert_uint_eq(m.profile_count, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = m.profiles[i].name;
        int is_expected =
            !strcmp(name, "part1") || !strcmp(name, "jp2") || !strcmp(name, "profile0") || !strcmp(name, "profile1");
        ck_assert_str_eq(name, names[i].name);
        ck_assert_msg(m.profiles[i].met == is_expected, "%s is %smet", name, m.profiles[i].met ? "" : "not ");
    }
    wvl_check_release_summary(&m);
}

/* ---- Lies ------------------------------------------------------------------------------------ */

/* Refused for what they are, within a small memory, and fast. */
TEST(lies_are_refused_cheaply)
{
    static const char *const streams[] = {
        "x=0xFFFFFFFF y=0xFFFFFFFF prec=00 part=0/0/1::{50000x00}",
        "x=0xFFFFFFFF y=0xFFFFFFFF tx=0xFFFFFFFF ty=0xFFFFFFFF L=32 part=0/0/1::{99x00}",
        "x=0xFFFFFFFF y=0xFFFFFFFF L=5 prec=001111111111 prog=3 part=0/0/1::{50000x00}",
        "x=100000 y=100000 L=5 layers=65535 part=0/0/1::{60000x80}",
        "x=32768 y=32768 xcb=0 ycb=0 layers=65535 part=0/0/1::{65000x80}",
        "x=65535 y=65535 L=1 layers=65535 prec=FF00 part=0/0/1::{60000x00}",
        "x=65535 y=65535 tx=256 ty=257 L=32 part=0/0/1::00",
        "x=8 y=8 L=32 layers=65535 prog=4 part=0/0/1::{60000x00}",
        "x=2000 y=2000 L=0 prec=44 main=FF5F3FFC{2340x00} part=0/0/1::{9000x00}",
    };
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        check_result r = walk(streams[i], "", "memory=20000000");
        ck_assert_msg(r.verdict == WVL_CHECK_ILLEGAL, "stream %zu: verdict %d: %s", i, r.verdict, r.first_text);
    }
}

/* Nothing is wrong as far as the walk goes, but it would go too far. */
TEST(limits_end_the_walk)
{
    check_result r =
        walk("x=32768 y=32768 xcb=0 ycb=0 layers=3 part=0/0/1::(11 01 0 0 000)0000", "", "memory=50000000");
    ck_assert(r.verdict == WVL_CHECK_UNDECIDED && check_has(&r, "limit.memory"));
    owned_bytes b = check_make(SOUND);
    for (unsigned limit = 1; limit < 40000; limit += limit < 500 ? 1 : 500) {
        int is_work = limit & 1;
        const char *options = test_print(is_work ? "work=%u" : "memory=%u", limit);
        r = check_walk(&b, options);
        ck_assert_msg(r.verdict != WVL_CHECK_ILLEGAL, "%s: %s", options, r.first_text);
        ck_assert_int_eq(r.verdict == WVL_CHECK_UNDECIDED, check_has(&r, is_work ? "limit.work" : "limit.memory"));
        ck_assert_int_eq(r.summary.complete, r.verdict == WVL_CHECK_LEGAL);
        ck_assert(limit >= 200 || r.verdict == WVL_CHECK_UNDECIDED);
    }
}

/* 65535 tiles of 16384 components with 32 levels, one tile-part each: 1 MB that asks for 3.5e10 resolutions. */
TEST(work_is_bounded)
{
    owned_bytes b = check_make("x=65535 y=1 tx=1 ty=1 L=32 part=0/0/1::00");
    uint8_t part[14] = {0xFF, 0x90, 0, 10, 0, 0, 0, 0, 0, 14, 0, 1, 0xFF, 0x93}, component[3] = {7, 1, 1};
    check_set(&b, 2 + 38, 2, 16384);
    check_set(&b, 2 + 2, 2, 38 + 3 * 16384);
    OWNED uint8_t *more = malloc(3 * 16383);
    ck_assert_ptr_nonnull(more);
    for (size_t c = 0; c < 16383; c++) {
        memcpy(more + 3 * c, component, 3);
    }
    check_insert(&b, 2 + 43, more, 3 * 16383);
    b.n -= 2;
    for (unsigned t = 1; t < 65535; t++) {
        part[4] = (uint8_t)(t >> 8);
        part[5] = (uint8_t)t;
        check_put(&b, part, sizeof part);
    }
    check_put_hex(&b, "FFD9", 4);
    clock_t before = clock();
    check_result r = check_walk(&b, NULL);
    double took = (double)(clock() - before) / CLOCKS_PER_SEC;
    printf("%zu bytes that ask for everything: %.2f s\n", b.n, took);
    ck_assert_msg(took < 60, "%.1f s", took);
    ck_assert_int_ne(r.verdict, WVL_CHECK_LEGAL);
}

/* ---- HT blocks ------------------------------------------------------------------------------- */

TEST(blocks_are_decoded_unless_they_are_skipped)
{
    owned_bytes b = check_make("encode 33x21x1x8 levels=1 style=HT");
    check_result whole = check_walk(&b, NULL), skipped = check_walk(&b, "skip-blocks");
    ck_assert_int_eq(whole.verdict, WVL_CHECK_LEGAL);
    ck_assert_int_eq(skipped.verdict, WVL_CHECK_LEGAL);
    ck_assert_uint_eq(whole.count + skipped.count, 0);
    ck_assert_uint_eq(whole.summary.ht_block_count, 4);
    ck_assert_uint_eq(skipped.summary.ht_block_count, 0);
    ck_assert(whole.summary.ht_bound_needed > 4 && whole.summary.ht_bound_needed <= whole.summary.ht_bound_told);
    /* a sample of 1 above plane 7: eight bits */
    owned_bytes eight = check_make("ht=0002 style=40 part=0/0/1::(11 001 0 0 100)F3C02400");
    whole = check_walk(&eight, NULL);
    ck_assert_uint_eq(whole.summary.ht_bound_told, 10);
    ck_assert_uint_eq(whole.summary.ht_bound_needed, 8);
    /* a magnitude of 4 with one zero bit-plane too few */
    owned_bytes large = check_make("ht=0002 style=40 part=0/0/1::(11 01 0 0 110)FEF3C0107500");
    whole = check_walk(&large, NULL);
    skipped = check_walk(&large, "skip-blocks");
    ck_assert_int_eq(whole.verdict, WVL_CHECK_ILLEGAL);
    ck_assert(check_has(&whole, "ht.magnitude"));
    ck_assert_int_eq(skipped.verdict, WVL_CHECK_LEGAL);
}

TEST(refinement_in_two_packets_has_its_place)
{
#define TWO_PIECES "ht=0002 style=40 layers=3 part=0/0/1::(11 001 0 0 100)F3C02400"
    /* SigProp of one byte, and nothing reads what follows up to MagRef in the last: in the first piece, and in the
     * second. */
    static const char *const streams[] = {TWO_PIECES "(1 1 0 0 010)0000(1 1 0 10 0110)000000000000",
                                          TWO_PIECES "(1 1 0 0 001)00(1 1 0 10 0110)000000000000"};
    static const uint64_t places[] = {
        97, 99}; /* the body of the packet begins at 89: 6 bytes, a header, the piece; then a header of 2 bytes */
    for (unsigned i = 0; i < 2; i++) {
        owned_bytes b = check_make(streams[i]);
        check_result r = check_walk(&b, NULL);
        ck_assert(r.count == 1 && check_has(&r, "ht.unread"));
        ck_assert_uint_eq(strtoull(r.first_text, NULL, 10), places[i]);
    }
}

/* ---- Listing --------------------------------------------------------------------------------- */

typedef struct listing {
    const check_bytes *stream;
    size_t unreadable; /* from this byte on, reads fail */
    int depth;
    unsigned problems;
    uint64_t width, part_count, codestream_bytes;
    uint64_t content_bytes, profile_bytes, held_bytes; /* of an uuid box, and of a profile as it is told and given */
    uint8_t first_byte, last_byte;                     /* of the profile */
    char first_problem[320];
} listing;

static void hear_item(void *user, const wvl_check_item *item)
{
    listing *l = user;
    ck_assert(item->kind != WVL_CHECK_ITEM_END || l->depth > 0);
    l->depth += item->kind >= WVL_CHECK_ITEM_LIST && item->kind <= WVL_CHECK_ITEM_SEGMENT;
    l->depth -= item->kind == WVL_CHECK_ITEM_END;
    if (item->kind == WVL_CHECK_ITEM_PROBLEM && !l->problems++) {
        snprintf(l->first_problem, sizeof l->first_problem, "%s", item->text);
    } else if (item->name && !strcmp(item->name, "Xsiz")) {
        l->width = item->number;
    } else if (item->name && !strcmp(item->name, "codestream_bytes")) {
        l->codestream_bytes = item->number;
    } else if (item->name && !strcmp(item->name, "content_bytes")) {
        l->content_bytes = item->number;
    } else if (item->name && !strcmp(item->name, "icc_bytes")) {
        l->profile_bytes = item->number;
    } else if (item->name && !strcmp(item->name, "icc")) {
        const uint8_t *data = item->data;
        l->held_bytes = item->bytes;
        l->first_byte = item->bytes ? data[0] : 0;
        l->last_byte = item->bytes ? data[item->bytes - 1] : 0;
    }
    l->part_count += item->kind == WVL_CHECK_ITEM_SEGMENT && !strcmp(item->name, "SOT");
}

static int read_part(void *user, uint64_t offset, void *buffer, size_t bytes)
{
    listing *l = user;
    ck_assert(bytes <= 1u << 20 && offset <= l->stream->n && bytes <= l->stream->n - offset);
    memcpy(buffer, l->stream->p + offset, bytes);
    return offset + bytes <= l->unreadable;
}

/* unreadable: SIZE_MAX from memory, else through a function. */
static int list(const check_bytes *b, size_t unreadable, listing *l)
{
    wvl_check_source source = {.struct_size = sizeof source, .bytes = b->n};
    source.data = unreadable == SIZE_MAX ? b->p : NULL;
    source.read = unreadable == SIZE_MAX ? NULL : read_part;
    *l = (listing){.stream = b, .unreadable = unreadable};
    int verdict = wvl_check_list(&source, hear_item, l);
    ck_assert_int_eq(l->depth, 0);
    return verdict;
}

TEST(listing_from_memory_or_by_reading)
{
    check_bytes b = check_make(SOUND);
    listing l;
    for (size_t unreadable = SIZE_MAX; unreadable >= b.n; unreadable = unreadable == SIZE_MAX ? b.n : 0) {
        ck_assert_int_eq(list(&b, unreadable, &l), WVL_CHECK_LEGAL);
        ck_assert(!l.problems && l.width == 60 && l.part_count == 16 && l.codestream_bytes == b.n);
    }
    for (size_t unreadable = 0; unreadable < 150; unreadable++) {
        ck_assert_int_eq(list(&b, unreadable, &l), WVL_CHECK_ILLEGAL);
    }
    ck_assert_int_eq(list(&b, 50, &l), WVL_CHECK_ILLEGAL);
    ck_assert_str_eq(l.first_problem, "SIZ cannot be read");
    free(b.p);
}

/* The content of a large box in front of the codestream is counted to its end, and a profile is given whole. */
TEST_EACH(listing_of_large_boxes, 3)
{
    static const size_t sizes[] = {1u << 20, (1u << 20) + 1, 5000000};
    size_t n = sizes[_i];
    check_bytes b = check_make("jp2 24x16x3x8 levels=1");
    uint8_t *p = calloc(2, n + 64);
    ck_assert_ptr_nonnull(p);
    check_bytes added = {.p = p, .n = 2 * (n + 64)};
    check_set(&added, 0, 4, (uint32_t)(n + 24)); /* uuid: 16 bytes of a name, then n */
    memcpy(p + 4, "uuid", 4);
    uint8_t *outer = p + n + 24, *profile = outer + 19;
    check_set(&added, n + 24, 4, (uint32_t)(n + 19)); /* jp2h with colr, METH 2 */
    memcpy(outer + 4, "jp2h", 4);
    check_set(&added, n + 32, 4, (uint32_t)(n + 11));
    memcpy(outer + 12, "colr\2", 5);
    profile[0] = 1;
    profile[n - 1] = 2;
    check_insert(&b, 32, p, (size_t)(profile + n - p));
    free(p);
    for (size_t unreadable = SIZE_MAX; unreadable >= b.n; unreadable = unreadable == SIZE_MAX ? b.n : 0) {
        listing l;
        ck_assert_int_eq(list(&b, unreadable, &l), WVL_CHECK_LEGAL);
        ck_assert_uint_eq(l.content_bytes, n);
        ck_assert_uint_eq(l.profile_bytes, n);
        ck_assert_uint_eq(l.held_bytes, n);
        ck_assert(l.first_byte == 1 && l.last_byte == 2);
    }
    free(b.p);
}

TEST(listing_refuses_arguments)
{
    check_bytes b = check_make(SOUND);
    listing l = {.stream = &b};
    struct {
        wvl_check_source source;
        uint64_t newer;
    } s = {{.struct_size = sizeof(wvl_check_source), .data = b.p, .bytes = b.n}, 0};
    ck_assert_int_eq(wvl_check_list(NULL, hear_item, &l), WVL_CHECK_BAD_ARGUMENT);
    ck_assert_int_eq(wvl_check_list(&s.source, NULL, &l), WVL_CHECK_BAD_ARGUMENT);
    s.source.read = read_part; /* and data */
    ck_assert_int_eq(wvl_check_list(&s.source, hear_item, &l), WVL_CHECK_BAD_ARGUMENT);
    s.source.read = NULL;
    s.source.struct_size = sizeof s.source - 1;
    ck_assert_int_eq(wvl_check_list(&s.source, hear_item, &l), WVL_CHECK_BAD_ARGUMENT);
    s.source.struct_size = sizeof s;
    ck_assert_int_eq(wvl_check_list(&s.source, hear_item, &l), WVL_CHECK_LEGAL);
    s.newer = 1;
    ck_assert_int_eq(wvl_check_list(&s.source, hear_item, &l), WVL_CHECK_BAD_ARGUMENT);
    free(b.p);
}

/* ---- Cut and spoilt -------------------------------------------------------------------------- */

static const char *const samples[] = {
    SOUND,
    "encode 33x21x1x8 levels=2 layers=2 packed-headers=ppm tile=16,16",
    "encode 33x21x1x8 levels=2 layers=2 packed-headers=ppt progression=PCRL precincts=[16,16]",
    "encode 33x21x1x8 levels=2 layers=2 plm=yes tile=16,16",
    "jp2 24x16x4x8 levels=1 mct=off alpha res xml uuid",
    "jp2 24x16x1x8 levels=1 palette",
    "jp2 24x16x3x8 levels=1 icc",
    "encode 33x21x1x8 levels=1 style=HT",
    "ht=2000 style=40 L=1 layers=2 part=0/0/1::(1100100100)00004400000000",
};

TEST_EACH(every_cut_is_noticed, sizeof samples / sizeof samples[0])
{
    owned_bytes b = check_make(samples[_i]);
    size_t whole = b.n;
    for (b.n = 0; b.n < whole; b.n++) {
        check_result r = check_walk(&b, NULL);
        ck_assert_msg(r.verdict == WVL_CHECK_ILLEGAL, "%s cut to %zu of %zu bytes passes", samples[_i], b.n, whole);
    }
}

/* Whatever is changed, the walk ends, and says what it finds the same way twice. */
TEST_EACH(every_byte_spoilt, sizeof samples / sizeof samples[0])
{
    static const uint8_t masks[] = {0x01, 0x10, 0x80, 0xFF};
    const size_t step = getenv("WVL_TEST_SHORT") ? sizeof masks : 1; /* short: one of them for each byte */
    owned_bytes b = check_make(samples[_i]);
    for (size_t at = 0; at < b.n; at++) {
        for (size_t m = step > 1 ? at % step : 0; m < sizeof masks; m += step) {
            b.p[at] ^= masks[m];
            check_result r = check_walk(&b, NULL), again = check_walk(&b, NULL);
            ck_assert_int_ge(r.verdict, 0);
            ck_assert(r.verdict == again.verdict && r.count == again.count && r.summary.errors == again.summary.errors);
            ck_assert(r.count || r.verdict == WVL_CHECK_LEGAL);
            listing held, read;
            ck_assert_int_eq(list(&b, SIZE_MAX, &held), list(&b, b.n, &read));
            ck_assert(held.problems == read.problems && !strcmp(held.first_problem, read.first_problem));
            b.p[at] ^= masks[m];
        }
    }
}

TEST_MAIN("check_api")
