/* SPDX-License-Identifier: BSD-2-Clause */
/* The main header: hand-worked bytes, and every field read back by an independent walker. */
#include "tests/unit/cs_bench.h"

/* ---- Main header ----------------------------------------------------------------------------- */

TEST(smallest_codestream_by_hand)
{
    static const uint8_t want[] = {0xFF, 0x4F, 0xFF, 0x51, 0,    41, 0,  0,    0,      0,       0,       16,     0, 0,
                                   0,    8,    0,    0,    0,    0,  0,  0,    0,      0,       0,       0,      0, 16,
                                   0,    0,    0,    8,    0,    0,  0,  0,    0,      0,       0,       0,      0, 1,
                                   7,    1,    1,    0xFF, 0x52, 0,  12, 0,    0,      0,       1,       0,      1, 4,
                                   4,    0,    1,    0xFF, 0x5C, 0,  7,  0x40, 9 << 3, 10 << 3, 11 << 3, 12 << 3};
    static const uint8_t want_part[] = {0xFF, 0x90, 0, 10, 0, 0, 0, 0, 0, 18, 0, 1, 0xFF, 0x93};
    owned_bench *b = make_bench(1);
    wvl_cs_part part = {0, 0, 1, 0, 4, 4, 18, 0, 0, 0};
    size_t bytes;
    OWNED uint8_t *head = main_header(&b->plan, NULL, 1, &bytes);
    ck_assert_uint_eq(bytes, sizeof want);
    ck_assert_mem_eq(head, want, sizeof want);
    OWNED uint8_t *first = part_header(&b->plan, &part, NULL, &bytes);
    ck_assert_uint_eq(bytes, sizeof want_part);
    ck_assert_mem_eq(first, want_part, sizeof want_part);
}

TEST(grid_and_samples_are_read_back)
{
    owned_bench *b = make_bench(4);
    wvl_plan *p = &b->plan;
    p->syntax.image = (wvl_rect){4000000001u, 17, 4294967295u, 999};
    p->syntax.tile_x0 = 3999999999u;
    p->syntax.tile_y0 = 16;
    p->syntax.tile_width = 4294967295u;
    p->syntax.tile_height = 500;
    p->syntax.tile_rows = p->syntax.tile_count = 2;
    p->syntax.rsiz = 0x0302;
    b->components[0] = (wvl_plan_component){38, 1, 255, 1, 0, {0, 0, 1, 1}, 0};
    b->components[1] = (wvl_plan_component){1, 0, 1, 255, 0, {0, 0, 1, 1}, 0};
    b->components[2] = (wvl_plan_component){16, 1, 2, 3, 0, {0, 0, 1, 1}, 0};
    owned_stream s = parse_header_of(p);
    ck_assert_uint_eq(s.rsiz, 0x0302);
    ck_assert(s.x0 == 4000000001u && s.y0 == 17 && s.x1 == 4294967295u && s.y1 == 999);
    ck_assert(s.tile_x0 == 3999999999u && s.tile_y0 == 16 && s.tile_width == 4294967295u && s.tile_height == 500);
    for (int i = 0; i < 4; i++) {
        const wvl_plan_component *c = &b->components[i];
        const cs_component *k = &s.components[i];
        ck_assert(k->depth == c->depth && k->is_signed == c->is_signed && k->dx == c->dx && k->dy == c->dy);
    }
}

/* Every field of COD, at its limits. */
TEST(coding_style_is_read_back)
{
    static const unsigned blocks[][2] = {{2, 10}, {10, 2}, {6, 6}, {2, 2}};
    for (unsigned i = 0; i < 64; i++) {
        owned_bench *b = make_bench(3);
        wvl_coding *k = &b->codings[0];
        set_coding(k, i % 33, i & 1 ? WVL_QUANT_NONE : WVL_QUANT_EXPOUNDED);
        k->xcb = (uint8_t)blocks[i & 3][0];
        k->ycb = (uint8_t)blocks[i & 3][1];
        k->style = (uint8_t)i;
        k->guard_bits = i & 7;
        k->user_precincts = i % 3 == 0;
        for (unsigned r = 0; k->user_precincts && r < 33; r++) {
            k->precinct[r] = (uint8_t)(r ? 0x10 * (1 + r % 15) + (1 + i % 15) : 0x00);
        }
        b->plan.syntax.order = i % 5;
        b->plan.syntax.sop = i >> 1 & 1;
        b->plan.syntax.eph = i >> 2 & 1;
        b->plan.syntax.mct = i % 3 == 0 ? WVL_MCT_NONE : k->reversible ? WVL_MCT_RCT : WVL_MCT_ICT;
        b->plan.syntax.layer_count = i ? 65535 / i : 1;
        owned_stream s = parse_header_of(&b->plan);
        ck_assert_uint_eq(s.scod, (unsigned)(k->user_precincts | b->plan.syntax.sop << 1 | b->plan.syntax.eph << 2));
        ck_assert(s.order == i % 5 && s.layers == b->plan.syntax.layer_count && s.mct == (i % 3 != 0));
        for (int c = 0; c < 3; c++) {
            const cs_component *read = &s.components[c];
            ck_assert(!read->has_coc && !read->has_qcc && read->levels == k->levels && read->xcb == k->xcb &&
                      read->ycb == k->ycb);
            ck_assert(read->style == i && read->transform == k->reversible && read->guard_bits == (i & 7));
            for (unsigned r = 0; r <= k->levels; r++) {
                ck_assert_uint_eq(read->precinct[r], k->precinct[r]);
            }
        }
    }
}

/* Components get their own COC or QCC where, and only where, something they need differs. */
TEST(components_differ)
{
    owned_bench *b = make_bench(4);
    for (uint16_t i = 0; i < 4; i++) {
        b->components[i].coding = i;
        set_coding(&b->codings[i], 5, WVL_QUANT_EXPOUNDED);
    }
    b->codings[1].band[15].mantissa++;   /* the last step only */
    b->codings[2].style = WVL_STYLE_VSC; /* structure only */
    set_coding(&b->codings[3], 4, WVL_QUANT_NONE);
    b->codings[3].user_precincts = 1;
    memset(b->codings[3].precinct, 0x77, sizeof b->codings[3].precinct);
    owned_stream s = parse_header_of(&b->plan);
    static const unsigned want_coc[4] = {0, 0, 1, 1}, want_qcc[4] = {0, 1, 0, 1};
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(s.components[i].has_coc, want_coc[i]);
        ck_assert_uint_eq(s.components[i].has_qcc, want_qcc[i]);
        check_steps(&s.components[i], &b->codings[i]);
        ck_assert_uint_eq(s.components[i].style, b->codings[i].style);
        ck_assert_uint_eq(s.components[i].levels, b->codings[i].levels);
        ck_assert_uint_eq(s.components[i].transform, b->codings[i].reversible);
        ck_assert_uint_eq(s.components[i].precinct[0], i == 3 ? 0x77 : 0xFF);
    }
    ck_assert_uint_eq(s.scod, 0);
}

/* Each member that COC or QCC writes is enough to need one. */
TEST(any_difference_is_written)
{
    for (int i = 0; i < 9; i++) {
        owned_bench *b = make_bench(2);
        wvl_coding *k = &b->codings[1];
        for (int c = 0; c < 2; c++) {
            set_coding(&b->codings[c], 2, WVL_QUANT_EXPOUNDED);
            b->codings[c].user_precincts = 1;
        }
        b->components[1].coding = 1;
        switch (i) {
        case 0: k->guard_bits++; break;
        case 1: k->band[6].exponent++; break;
        case 2: k->band[0].mantissa++; break;
        case 3: k->quant_style = WVL_QUANT_DERIVED; break;
        case 4: k->xcb--; break;
        case 5: k->ycb--; break;
        case 6: k->style = 32; break;
        case 7: k->precinct[2] = 0xFE; break;
        default: k->user_precincts = 0;
        }
        owned_stream s = parse_header_of(&b->plan);
        ck_assert_uint_eq(s.components[1].has_qcc, i < 4);
        ck_assert_uint_eq(s.components[1].has_coc, i >= 4);
        check_steps(&s.components[1], k);
    }
}

TEST(what_is_not_written_makes_no_difference)
{
    owned_bench *b = make_bench(2);
    b->components[1].coding = 1;
    for (int i = 0; i < 2; i++) {
        set_coding(&b->codings[i], 3, WVL_QUANT_NONE);
    }
    b->codings[1].band[0].mantissa = 7;  /* style 0 has no mantissa */
    b->codings[1].band[10].exponent = 3; /* beyond 3 levels */
    b->codings[1].precinct[0] = 0x11;    /* no user precincts */
    b->codings[1].mct_part = 2;
    owned_stream s = parse_header_of(&b->plan);
    ck_assert(!s.components[1].has_coc && !s.components[1].has_qcc);
}

TEST(derived_steps_serve_other_levels)
{
    owned_bench *b = make_bench(2);
    b->components[1].coding = 1;
    set_coding(&b->codings[0], 5, WVL_QUANT_DERIVED);
    set_coding(&b->codings[1], 2, WVL_QUANT_DERIVED);
    owned_stream s = parse_header_of(&b->plan);
    ck_assert(s.components[1].has_coc && !s.components[1].has_qcc);
    check_steps(&s.components[0], &b->codings[0]);
}

/* Indices take two bytes from 257 components on. */
TEST(component_index_width)
{
    static const uint32_t counts[] = {1, 255, 256, 257, 16384};
    for (unsigned i = 0; i < 5; i++) {
        uint32_t n = counts[i];
        owned_bench *b = make_bench(n);
        set_coding(&b->codings[1], 2, WVL_QUANT_NONE);
        for (uint32_t c = 1; c < n; c++) {
            b->components[c].coding = c % 2;
        }
        owned_stream s = parse_header_of(&b->plan);
        ck_assert_uint_eq(s.component_count, n);
        size_t own = n / 2, index = n < 257 ? 1 : 2;
        ck_assert_uint_eq(s.main_header_bytes,
                          2 + 2 + 38 + 3 * n + 14 + (2 + 7) + own * (2 + 8 + index) + own * (2 + 10 + index));
        for (uint32_t c = 0; c < n; c++) {
            REQUIRE(s.components[c].has_coc == c % 2 && s.components[c].has_qcc == c % 2 &&
                    s.components[c].levels == 1 + c % 2);
        }
    }
}

/* ---- Comments -------------------------------------------------------------------------------- */

static unsigned rcom_of(const char *text, size_t bytes)
{
    owned_bench *b = make_bench(1);
    b->plan.syntax.comment_count = 1;
    b->comments[0] = (wvl_blob){(uint8_t *)(uintptr_t)text, bytes};
    owned_stream s = parse_header_of(&b->plan);
    ck_assert_uint_eq(s.comment_count, 1);
    ck_assert_uint_eq(s.comments[0].bytes, bytes);
    unsigned rcom = s.comments[0].rcom;
    return rcom;
}

TEST(comments_are_text_or_binary)
{
    ck_assert_uint_eq(rcom_of("plain text, tab\t and\r\n lines ~", 30), 1);
    ck_assert_uint_eq(rcom_of("\xE5ngstr\xF6m \xA4", 10), 1);    /* ISO 8859-15 */
    ck_assert_uint_eq(rcom_of("\xC3\xA5ngstr\xC3\xB6m", 10), 0); /* the same word in UTF-8 */
    ck_assert_uint_eq(rcom_of("\xE2\x82\xAC", 3), 0);
    ck_assert_uint_eq(rcom_of("\xC3", 1), 1); /* not UTF-8: a letter of its own */
    ck_assert_uint_eq(rcom_of("\xE9\xE8", 2), 1);
    ck_assert_uint_eq(rcom_of("nul\0", 4), 0);
    ck_assert_uint_eq(rcom_of("\x7F", 1), 0);
    ck_assert_uint_eq(rcom_of("\x9F", 1), 0);
}

TEST(comments_of_any_number_and_length)
{
    static uint8_t longest[65531];
    memset(longest, 'x', sizeof longest);
    owned_bench *b = make_bench(1);
    b->plan.syntax.comment_count = 4;
    b->comments[0] = (wvl_blob){longest, sizeof longest};
    b->comments[1] = (wvl_blob){longest, 1};
    b->comments[2] = (wvl_blob){longest, 300};
    b->comments[3] = (wvl_blob){longest, sizeof longest};
    owned_stream s = parse_header_of(&b->plan);
    ck_assert_uint_eq(s.comment_count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(s.comments[i].bytes, b->comments[i].bytes);
    }
}

/* POC and CRG, byte by byte: eight-bit indices with an end of 256, and sixteen-bit ones. */
TEST(progression_changes_by_hand)
{
    static const uint8_t narrow[] = {0xFF, 0x5F, 0, 16, 0, 0, 0x01, 0x02, 33, 0, 4, 3, 7, 0, 2, 6, 9, 0};
    static const uint8_t wide[] = {0xFF, 0x5F, 0, 11, 1, 1, 0, 0, 5, 2, 0x40, 0, 2};
    static const uint8_t crg[] = {0xFF, 0x63, 0, 6, 0x80, 0, 0xFF, 0xFE};
    wvl_progression two[2] = {{WVL_ALL_TILES, 0, 256, 0x0102, 0, 33, WVL_ORDER_CPRL},
                              {WVL_ALL_TILES, 7, 9, 2, 3, 6, WVL_ORDER_LRCP}};
    wvl_progression one = {0, 256, 16384, 5, 1, 2, WVL_ORDER_RPCL};
    uint16_t place[2] = {0x8000, 0xFFFE};
    wvl_cs_part part = {0, 0, 1, 0, 0, 0, 14, 0, 0, 0}, later = {0, 1, 2, 0, 0, 0, 14, 0, 0, 0};
    size_t bytes, plain;
    owned_bench *b = make_bench(1), *w = make_bench(257);
    free(main_header(&b->plan, NULL, 1, &plain));
    b->plan.syntax.progressions = two;
    b->plan.syntax.progression_count = 2;
    b->plan.syntax.registration = place;
    OWNED uint8_t *p = main_header(&b->plan, NULL, 1, &bytes);
    ck_assert_uint_eq(bytes, plain + sizeof narrow + sizeof crg);
    ck_assert_mem_eq(p + plain, narrow, sizeof narrow);
    ck_assert_mem_eq(p + plain + sizeof narrow, crg, sizeof crg);
    ck_assert_uint_eq(wvl_cs_measure_part_header(&b->plan, &part, NULL), WVL_CS_SOT_SOD_BYTES);
    w->plan.syntax.progressions = &one; /* of tile 0: in its first part and nowhere else */
    w->plan.syntax.progression_count = 1;
    uint8_t head[64];
    ck_assert_ptr_eq(wvl_cs_put_part_header(&w->plan, &part, NULL, head), head + WVL_CS_SOT_SOD_BYTES + sizeof wide);
    ck_assert_mem_eq(head + 12, wide, sizeof wide);
    ck_assert_uint_eq(wvl_cs_measure_part_header(&w->plan, &later, NULL), WVL_CS_SOT_SOD_BYTES);
    ck_assert_uint_eq(wvl_cs_measure_tile_segments(&w->plan, 0), sizeof wide);
    ck_assert_uint_eq(wvl_cs_measure_tile_segments(&w->plan, WVL_ALL_TILES), 0);
}

TEST_MAIN("cs")
