/* SPDX-License-Identifier: BSD-2-Clause */
/* TLM and PLT at their limits, tile-parts, and random codestreams through an independent walker. */
#include "tests/unit/cs_bench.h"

/* ---- TLM ------------------------------------------------------------------------------------- */

TEST(tlm_takes_the_narrowest_tile_index)
{
    static const struct {
        uint32_t tiles;
        unsigned entry, segments;
    } cases[] = {{1, 5, 1}, {255, 5, 1}, {256, 6, 1}, {65535, 6, 7}};
    for (int i = 0; i < 4; i++) {
        owned_bench *b = make_bench(1);
        set_tiles(&b->plan, cases[i].tiles, 1);
        b->plan.syntax.tlm = 1;
        owned_stream s = parse_header_of(&b->plan);
        ck_assert_uint_eq(s.tlm_segments, cases[i].segments);
        ck_assert_uint_eq(s.tlm_count, cases[i].tiles);
        ck_assert_uint_eq(wvl_cs_measure_part_lengths(&b->plan, cases[i].tiles),
                          cases[i].segments * 6 + (uint64_t)cases[i].tiles * cases[i].entry);
    }
}

TEST(tlm_segments_fill_up)
{
    owned_bench *b = make_bench(1);
    b->plan.syntax.tlm = 1;
    ck_assert_uint_eq(wvl_cs_measure_part_lengths(&b->plan, 13106), 2 + 4 + 13106 * 5);
    ck_assert_uint_eq(wvl_cs_measure_part_lengths(&b->plan, 13107), 2 + 4 + 13106 * 5 + 2 + 4 + 5);
    ck_assert_int_eq(wvl_cs_tlm_fits(&b->plan, 256 * 13106), 1);
    ck_assert_int_eq(wvl_cs_tlm_fits(&b->plan, 256 * 13106 + 1), 0);
    set_tiles(&b->plan, 256, 1);
    ck_assert_uint_eq(wvl_cs_measure_part_lengths(&b->plan, 10922), 2 + 4 + 10921 * 6 + 2 + 4 + 6);
    ck_assert_int_eq(wvl_cs_tlm_fits(&b->plan, 256 * 10921), 1);
    ck_assert_int_eq(wvl_cs_tlm_fits(&b->plan, 256 * 10921 + 1), 0);
    ck_assert_uint_eq(wvl_cs_measure_part_lengths(&b->plan, 256 * 10921 + 1), 0);
    b->plan.syntax.tlm = 0;
    ck_assert_int_eq(wvl_cs_tlm_fits(&b->plan, UINT64_MAX), 1);
    ck_assert_uint_eq(wvl_cs_measure_part_lengths(&b->plan, 10922), 0);
}

/* Lengths unknown at first and patched later give the same header. */
TEST(tlm_is_reserved_and_patched)
{
    owned_bench *b = make_bench(3);
    wvl_cs_part parts[300];
    size_t bytes, same;
    memset(parts, 0, sizeof parts);
    set_tiles(&b->plan, 300, 1);
    b->plan.syntax.tlm = 1;
    for (uint32_t i = 0; i < 300; i++) {
        parts[i].tile = 299 - i;
        parts[i].psot = 0xFFFFFFFFu - i;
    }
    OWNED uint8_t *direct = main_header(&b->plan, parts, 300, &bytes),
                  *patched = main_header(&b->plan, NULL, 300, &same);
    ck_assert_uint_eq(bytes, same);
    ck_assert_int_ne(memcmp(direct, patched, bytes), 0);
    uint64_t tail = wvl_cs_measure_part_lengths(&b->plan, 300);
    ck_assert_ptr_eq(wvl_cs_put_part_lengths(&b->plan, parts, 300, patched + bytes - tail), patched + bytes);
    ck_assert_mem_eq(direct, patched, bytes);
    ck_assert_uint_eq(direct[bytes - 1], 0xFF - 299 % 256);
}

/* ---- PLT ------------------------------------------------------------------------------------- */

TEST(plt_lengths_by_hand)
{
    static const uint32_t packets[] = {9,     9,       0,       127,       128,       16383,
                                       16384, 2097151, 2097152, 268435455, 268435456, 4294967295u};
    static const uint8_t want[] = {0xFF, 0x58, 0,    33,   0,    0,    0x7F, 0x81, 0,    0xFF, 0x7F, 0x81, 0x80,
                                   0,    0xFF, 0xFF, 0x7F, 0x81, 0x80, 0x80, 0,    0xFF, 0xFF, 0xFF, 0x7F, 0x81,
                                   0x80, 0x80, 0x80, 0,    0x8F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0x93};
    owned_bench *b = make_bench(1);
    wvl_cs_part part = {0, 0, 1, 2, 10, 0, 99, 0, 0, 0};
    b->plan.syntax.plt = 1;
    size_t bytes = (size_t)wvl_cs_measure_part_header(&b->plan, &part, packets);
    ck_assert_uint_eq(bytes, 12 + sizeof want);
    OWNED uint8_t *p = fenced(bytes);
    check_fence(p, bytes, wvl_cs_put_part_header(&b->plan, &part, packets, p));
    ck_assert_mem_eq(p + 12, want, sizeof want);
}

static uint32_t *equal_packets(size_t count, uint32_t length)
{
    uint32_t *packets = malloc(count * sizeof *packets);
    REQUIRE(packets);
    for (size_t k = 0; k < count; k++) {
        packets[k] = length;
    }
    return packets;
}

/* Packets of equal length: what a marker segment holds, and that no length straddles. */
TEST(plt_segments_fill_up)
{
    static const struct {
        uint32_t length, per_segment;
    } cases[] = {{1, 65532}, {128, 32766}, {16384, 21844}, {2097152, 16383}};
    for (int i = 0; i < 4; i++) {
        owned_bench *b = make_bench(1);
        uint32_t n = cases[i].per_segment, size = (uint32_t)i + 1, count = 3 * n + 1;
        OWNED uint32_t *packets = equal_packets(count, cases[i].length);
        b->plan.syntax.plt = 1;
        for (uint32_t segments = 1; segments <= 3; segments++) {
            wvl_cs_part full = {0, 0, 1, 0, segments * n, 0, 99, 0, 0, 0},
                        more = {0, 0, 1, 0, segments * n + 1, 0, 99, 0, 0, 0};
            size_t bytes;
            free(part_header(&b->plan, &full, packets, &bytes));
            ck_assert_uint_eq(bytes, 14 + segments * 5 + segments * n * size);
            free(part_header(&b->plan, &more, packets, &bytes));
            ck_assert_uint_eq(bytes, 14 + (segments + 1) * 5 + (segments * n + 1) * size);
        }
    }
}

TEST(plt_has_a_limit)
{
    uint32_t most = 256u * 65532u;
    owned_bench *b = make_bench(1);
    OWNED uint32_t *packets = equal_packets((size_t)most + 1, 1);
    wvl_cs_part fits = {0, 0, 1, 0, most, 0, 99, 0, 0, 0}, exceeds = {0, 0, 1, 0, most + 1, 0, 99, 0, 0, 0},
                later = {0, 0, 1, 1, most, 0, 99, 0, 0, 0};
    b->plan.syntax.plt = 1;
    ck_assert_int_eq(wvl_cs_plt_fits(&b->plan, &fits, packets), 1);
    ck_assert_int_eq(wvl_cs_plt_fits(&b->plan, &later, packets), 1);
    ck_assert_int_eq(wvl_cs_plt_fits(&b->plan, &exceeds, packets), 0);
    ck_assert_uint_eq(wvl_cs_measure_part_header(&b->plan, &fits, packets), 14 + 256ull * 65537);
    ck_assert_uint_eq(wvl_cs_measure_part_header(&b->plan, &exceeds, packets), 14);
    packets[most] = 128; /* one byte more than the 256 marker segments hold */
    ck_assert_int_eq(wvl_cs_plt_fits(&b->plan, &later, packets), 0);
    b->plan.syntax.plt = 0;
    ck_assert_int_eq(wvl_cs_plt_fits(&b->plan, &exceeds, packets), 1);
    ck_assert_uint_eq(wvl_cs_bound_part_header(&b->plan, UINT64_MAX), 14);
}

TEST(part_header_bound_holds)
{
    enum { MOST = 260000, WORST = 15 * 16382 + 1 };
    size_t bytes;
    owned_bench *b = make_bench(1);
    OWNED uint32_t *packets = malloc(MOST * sizeof *packets);
    b->plan.syntax.plt = 1;
    for (int round = 0; round < 30; round++) {
        uint32_t count = round < 3 ? (uint32_t)round : below(MOST), bits = 1 + below(28), longest = below(16);
        for (uint32_t i = 0; i < count; i++) {
            packets[i] = i < longest ? 1u << 28 : rnd() >> (32 - bits);
        }
        wvl_cs_part part = {0, 0, 1, 0, count, 0, 99, 0, 0, 0};
        free(part_header(&b->plan, &part, packets, &bytes));
    }
    /* One length of five bytes among those of four leaves three bytes of a marker segment unused. */
    for (uint32_t i = 0; i < WORST; i++) {
        packets[i] = i % 16382 ? 1u << 21 : 1u << 28;
    }
    packets[WORST - 1] = 1u << 21;
    wvl_cs_part worst = {0, 0, 1, 0, WORST, 0, 99, 0, 0, 0};
    free(part_header(&b->plan, &worst, packets, &bytes));
    ck_assert_uint_eq(bytes, wvl_cs_bound_part_header(&b->plan, WORST));
    ck_assert_uint_eq(wvl_cs_bound_part_header(&b->plan, UINT64_MAX), UINT64_MAX);
}

/* ---- PLM, PPM, PPT --------------------------------------------------------------------------- */

TEST(pointer_segments_fill_up)
{
    static const uint8_t head[] = {0xFF, 0x61, 0xFF, 0xFF, 255};
    enum { PARTS = 256 * 255 + 1 };
    uint8_t p[5];
    uint64_t taken;
    OWNED wvl_cs_part *parts = calloc(PARTS, sizeof *parts);
    REQUIRE(parts);
    ck_assert_uint_eq(wvl_cs_measure_packed(0), 0);
    ck_assert_uint_eq(wvl_cs_measure_packed(65532), 65537);
    ck_assert_uint_eq(wvl_cs_measure_packed(65533), 65533 + 10);
    ck_assert_ptr_eq(wvl_cs_put_segment_head(WVL_CS_PPT, 255, 65532, p), p + 5);
    ck_assert_mem_eq(p, head, 5);
    for (uint32_t i = 0; i < PARTS; i++) {
        parts[i].length_bytes = 255;
    }
    ck_assert_uint_eq(wvl_cs_plm_segment_bytes(parts, PARTS, &taken), 255 * 256); /* a 256th entry would need 65536 */
    ck_assert_uint_eq(taken, 255);
    ck_assert_uint_eq(wvl_cs_measure_plm(parts, PARTS - 1), 256 * (255 * 256 + 5));
    ck_assert_uint_eq(wvl_cs_measure_plm(parts, PARTS), UINT64_MAX);
    ck_assert_uint_eq(wvl_cs_measure_plm(parts, 3), 3 * 256 + 5);
    parts[2].length_bytes = 256;
    ck_assert_uint_eq(wvl_cs_measure_plm(parts, 3), UINT64_MAX);
    ck_assert_uint_eq(wvl_cs_measure_plm(parts, 2), 2 * 256 + 5);
}

/* ---- Whole codestreams ----------------------------------------------------------------------- */

typedef struct random_stream {
    bench *bench;
    wvl_cs_part *parts;
    uint32_t part_count, packet_total;
    uint32_t *packets;    /* of all tiles, tile after tile */
    uint32_t *tile_first; /* a tile's first */
    uint32_t *tile_packets;
    uint8_t *bytes;
    size_t size;
} random_stream;

static void draw_plan(bench *b)
{
    wvl_plan *p = &b->plan;
    set_tiles(p, 1 + below(20), 1 + below(20));
    p->syntax.sop = below(2);
    p->syntax.eph = below(2);
    p->syntax.plt = below(2);
    p->syntax.tlm = below(2);
    p->syntax.comment_count = below(3);
    b->comments[0] = (wvl_blob){(uint8_t *)(uintptr_t) "first", 5};
    b->comments[1] = (wvl_blob){(uint8_t *)(uintptr_t) "\x01\x02", 2};
    for (uint32_t c = 0; c < p->syntax.component_count; c++) {
        b->components[c].coding = (uint16_t)below(4);
    }
    b->components[0].coding = 0;
    for (int i = 0; i < 4; i++) {
        set_coding(&b->codings[i], below(7), below(3));
    }
}

/* Every tile gets packets and splits them over parts, in rounds over the tiles, so that parts of different tiles
 * interleave. */
static void draw_parts(random_stream *s)
{
    const wvl_plan *p = &s->bench->plan;
    s->parts = calloc((size_t)p->syntax.tile_count * 3, sizeof *s->parts);
    s->tile_first = calloc(p->syntax.tile_count + 1u, sizeof *s->tile_first);
    s->tile_packets = calloc(p->syntax.tile_count, sizeof *s->tile_packets);
    for (uint32_t t = 0; t < p->syntax.tile_count; t++) {
        s->tile_packets[t] = below(40);
        s->tile_first[t + 1] = s->tile_first[t] + s->tile_packets[t];
    }
    s->packet_total = s->tile_first[p->syntax.tile_count];
    s->packets = calloc(s->packet_total + 1u, sizeof *s->packets);
    uint32_t least = 1u + (p->syntax.sop ? 6 : 0) + (p->syntax.eph ? 2 : 0);
    for (uint32_t i = 0; i < s->packet_total; i++) {
        s->packets[i] = least + below(below(8) ? 20 : 400);
    }
    unsigned count = 1 + below(3), states = below(2);
    for (unsigned index = 0; index < count; index++) {
        for (uint32_t t = 0; t < p->syntax.tile_count; t++) {
            wvl_cs_part *part = &s->parts[s->part_count++];
            part->tile = t;
            part->index = (uint8_t)index;
            part->count = (uint8_t)(states ? count : 0);
            part->packet_first = s->tile_packets[t] * index / count;
            part->packet_count = s->tile_packets[t] * (index + 1) / count - part->packet_first;
        }
    }
}

static uint8_t *put_packet(const wvl_plan *p, uint8_t *at, uint32_t bytes, uint32_t number)
{
    uint8_t *end = at + bytes;
    if (p->syntax.sop) {
        const uint8_t sop[6] = {0xFF, 0x91, 0, 4, (uint8_t)(number >> 8), (uint8_t)number};
        memcpy(at, sop, 6);
        at += 6;
    }
    *at++ = 0x80;
    if (p->syntax.eph) {
        *at++ = 0xFF;
        *at++ = 0x92;
    }
    while (at < end) {
        *at++ = (uint8_t)below(0xFF);
    }
    return end;
}

static random_stream draw_stream(void)
{
    random_stream s;
    memset(&s, 0, sizeof s);
    s.bench = make_bench(below(10) ? 1 + below(5) : 250 + below(20));
    draw_plan(s.bench);
    draw_parts(&s);
    const wvl_plan *p = &s.bench->plan;
    uint64_t total = wvl_cs_measure_main_header(p, s.part_count) + WVL_CS_END_BYTES;
    for (uint32_t i = 0; i < s.part_count; i++) {
        wvl_cs_part *part = &s.parts[i];
        const uint32_t *packets = s.packets + s.tile_first[part->tile];
        for (uint32_t k = 0; k < part->packet_count; k++) {
            part->body_bytes += packets[part->packet_first + k];
        }
        part->psot = wvl_cs_measure_part_header(p, part, packets) + part->body_bytes;
        total += part->psot;
    }
    s.size = (size_t)total;
    s.bytes = fenced(total);
    uint8_t *at = wvl_cs_put_main_header(p, s.parts, s.part_count, s.bytes);
    for (uint32_t i = 0; i < s.part_count; i++) {
        const wvl_cs_part *part = &s.parts[i];
        const uint32_t *packets = s.packets + s.tile_first[part->tile];
        at = wvl_cs_put_part_header(p, part, packets, at);
        for (uint32_t k = 0; k < part->packet_count; k++) {
            at = put_packet(p, at, packets[part->packet_first + k], part->packet_first + k);
        }
    }
    check_fence(s.bytes, total, wvl_cs_put_end(at));
    return s;
}

static void free_drawn(random_stream *s)
{
    free(s->parts);
    free(s->packets);
    free(s->tile_first);
    free(s->tile_packets);
    free(s->bytes);
    free_bench(&s->bench);
}

static void check_parts(const random_stream *s, const cs_stream *read)
{
    const wvl_plan *p = &s->bench->plan;
    REQUIRE(read->part_count == s->part_count && read->tlm_count == (p->syntax.tlm ? s->part_count : 0));
    REQUIRE(read->packet_count == (p->syntax.plt ? s->packet_total : 0));
    for (uint32_t i = 0; i < s->part_count; i++) {
        const wvl_cs_part *part = &s->parts[i];
        const cs_tile_part *got = &read->parts[i];
        REQUIRE(got->tile == part->tile && got->index == part->index && got->count == part->count);
        REQUIRE(got->bytes == part->psot && got->body_bytes == part->body_bytes);
        REQUIRE(got->packet_count == (p->syntax.plt ? part->packet_count : 0));
        for (uint32_t k = 0; k < got->packet_count; k++) {
            REQUIRE(read->packet_bytes[got->first_packet + k] ==
                    s->packets[s->tile_first[part->tile] + part->packet_first + k]);
        }
    }
    for (uint32_t c = 0; c < p->syntax.component_count; c++) {
        check_steps(&read->components[c], &p->syntax.codings[p->syntax.components[c].coding]);
    }
    REQUIRE(read->comment_count == p->syntax.comment_count);
}

TEST(random_codestreams_parse)
{
    for (int i = 0; i < 150; i++) {
        char error[200] = "";
        OWNED_BY(free_drawn) random_stream s = draw_stream();
        owned_stream read;
        REQUIRE_THAT(cs_parse(s.bytes, s.size, &read, error, sizeof error), "%s", error);
        check_parts(&s, &read);
    }
}

static void require_refused(const uint8_t *data, size_t size)
{
    char error[200];
    owned_stream read;
    REQUIRE(!cs_parse(data, size, &read, error, sizeof error));
}

/* Bytes from..end, each with another lowest bit. */
static void require_changes_refused(uint8_t *data, size_t size, size_t from, size_t end)
{
    for (size_t field = from; field < end; field++) {
        data[field] ^= 0x01;
        require_refused(data, size);
        data[field] ^= 0x01;
    }
}

/* The judge itself: a codestream cut anywhere, or with a wrong length, index or count, is refused. */
TEST(walker_refuses_lies)
{
    OWNED_BY(free_drawn) random_stream s = draw_stream();
    owned_stream read;
    char error[200];
    while (!s.bench->plan.syntax.tlm || !s.bench->plan.syntax.plt || s.size > 20000 || !s.packet_total) {
        free_drawn(&s);
        s = draw_stream();
    }
    for (size_t cut = 0; cut < s.size; cut++) {
        OWNED uint8_t *copy = malloc(cut + 1);
        memcpy(copy, s.bytes, cut);
        require_refused(copy, cut);
    }
    REQUIRE(cs_parse(s.bytes, s.size, &read, error, sizeof error));
    for (size_t i = 0; i < read.part_count; i++) { /* all but TNsot: 0 states nothing */
        size_t at = read.parts[i].offset;
        require_changes_refused(s.bytes, s.size, at, at + 11);
        require_changes_refused(s.bytes, s.size, at + 12, read.parts[i].body_offset);
    }
    uint64_t tlm = wvl_cs_measure_part_lengths(&s.bench->plan, s.part_count);
    require_changes_refused(s.bytes, s.size, read.main_header_bytes - (size_t)tlm, read.main_header_bytes);
}

int main(void)
{
    rng_state = test_read_seed(0x9E3779B97F4A7C15u);
    return test_run_suite("cs_parts");
}
