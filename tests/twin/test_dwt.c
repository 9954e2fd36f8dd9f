/* SPDX-License-Identifier: BSD-2-Clause */
/* Every fast transform kernel against its C reference, bit by bit, with poison around everything it may not touch. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwt/dwt.h"
#include "dwt/quant.h"
#include "tests/support/support.h"

#define MOST 600u /* samples of the longest line */
#define POISON 0xA5


static uint64_t seed_state;

static uint64_t draw(void) { return test_draw(&seed_state); }

static const wvl_dwt_kernels *reference, *fast;

static void setup(void)
{
    reference = wvl_dwt_fetch_kernels(WVL_CPU_C);
    fast = wvl_dwt_fetch_kernels(wvl_cpu_fetch_level());
    seed_state = 1;
}

/* Widths worth meeting: all small ones, and both sides of vector and block multiples. */
static uint32_t width_at(uint32_t i)
{
    static const uint32_t large[] = {95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512, 513, 599};
    return i < 67 ? i + 1 : large[i - 67];
}
#define WIDTHS (67u + 16u)

/* Styles of content: noise of several amplitudes, extremes, constants, zeros of both signs. Amplitudes keep every intermediate in range. */
static void draw_line(unsigned kind, void *line, int64_t from, int64_t to, unsigned style)
{
    for (int64_t i = from; i < to; i++) {
        int64_t v = (int64_t)(draw() >> 36) - (1 << 27);
        v = style == 1 ? v >> 20 : style == 2 ? (v < 0 ? -(1 << 27) : (1 << 27)) : style == 3 ? 12345 : style == 4 ? 0 : v;
        if (kind == WVL_LINE_I32) {
            ((int32_t *)line)[i] = (int32_t)v;
        } else if (kind == WVL_LINE_I64) {
            ((int64_t *)line)[i] = v * 16;
        } else {
            ((float *)line)[i] = style == 4 ? (v & 1 ? -0.0f : 0.0f) : ldexpf((float)v, (int)(draw() % 9) - 30);
        }
    }
}

/* A line with its room, and canaries around the room. */
typedef struct guarded { uint8_t bytes[64 + 8 * (WVL_LINE_LEAD + MOST + 16 + WVL_LINE_TAIL) + 64]; } guarded;

static void *open_line(guarded *g, unsigned kind)
{
    memset(g->bytes, POISON, sizeof g->bytes);
    return g->bytes + 64 + WVL_LINE_LEAD * wvl_line_element_bytes(kind);
}

static uint32_t round_up(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* Bytes outside [from, to), in elements relative to the line's start, still poisoned. */
static void check_poison(const guarded *g, unsigned kind, int64_t from, int64_t to)
{
    int64_t start = 64 + (int64_t)WVL_LINE_LEAD * wvl_line_element_bytes(kind), bytes = wvl_line_element_bytes(kind);
    for (int64_t i = 0; i < (int64_t)sizeof g->bytes; i++) {
        if (i < start + from * bytes || i >= start + to * bytes) {
            REQUIRE_THAT(g->bytes[i] == POISON, "byte %lld of a line written", (long long)(i - start));
        }
    }
}

/* ---- Vertical ---------------------------------------------------------------------------------------------------------------- */

enum { ROW_X0, ROW_X1, ROW_X2, ROW_D, ROW_S, ROW_DP, ROW_SP, ROW_DPP, ROWS };

static void run_vlift(const wvl_dwt_kernels *k, unsigned kind, guarded *g, uint32_t n, int in_place)
{
    uint64_t at = 64 + WVL_LINE_LEAD * wvl_line_element_bytes(kind);
    uint8_t *row[ROWS];
    for (unsigned r = 0; r < ROWS; r++) {
        row[r] = g[r].bytes + at;
    }
    wvl_vlift_rows rows = {row[ROW_X0], row[ROW_X1], row[ROW_X2], row[in_place ? ROW_X1 : ROW_D], row[in_place ? ROW_X0 : ROW_S],
                           row[ROW_DP], row[ROW_SP],  row[ROW_DPP]};
    k->vlift[kind](&rows, n);
}

static void vlift_case(unsigned kind, uint32_t n, unsigned style, int in_place)
{
    static guarded a[ROWS], b[ROWS];
    uint32_t bytes = wvl_line_element_bytes(kind);
    for (unsigned r = 0; r < ROWS; r++) {
        void *line = open_line(&a[r], kind);
        int output = r == ROW_D || r == ROW_S;
        if (!output) {
            draw_line(kind, line, 0, n, style);
        }
        memcpy(&b[r], &a[r], sizeof a[r]);
    }
    run_vlift(reference, kind, a, n, in_place);
    run_vlift(fast, kind, b, n, in_place);
    uint64_t at = 64 + WVL_LINE_LEAD * bytes;
    for (unsigned r = 0; r < ROWS; r++) {
        REQUIRE_THAT(memcmp(a[r].bytes + at, b[r].bytes + at, (size_t)n * bytes) == 0, "kind %u n %u style %u row %u", kind, n, style, r);
        check_poison(&a[r], kind, 0, n);
        check_poison(&b[r], kind, 0, round_up(n, WVL_LINE_ROUND));
    }
}

START_TEST(vertical_twins)
{
    for (unsigned kind = 0; kind < WVL_LINE_KINDS; kind++) {
        for (uint32_t i = 0; i < WIDTHS; i++) {
            for (unsigned style = 0; style < 5; style++) {
                vlift_case(kind, width_at(i), style, style & 1);
                vlift_case(kind, width_at(i), style, !(style & 1));
            }
        }
    }
}
END_TEST

/* ---- Horizontal -------------------------------------------------------------------------------------------------------------- */

static void hlift_case(unsigned kind, uint32_t n, unsigned parity, unsigned style)
{
    static guarded in, work, low[2], high[2];
    uint32_t bytes = wvl_line_element_bytes(kind), low_count = (n + 1 - parity) / 2, high_count = n - low_count;
    uint64_t at = 64 + WVL_LINE_LEAD * bytes;
    draw_line(kind, open_line(&in, kind), 0, n, style);
    const wvl_dwt_kernels *k[2] = {reference, fast};
    for (unsigned t = 0; t < 2; t++) {
        memcpy(&work, &in, sizeof in);
        void *l = open_line(&low[t], kind), *h = open_line(&high[t], kind);
        k[t]->hlift[kind](work.bytes + at, n, parity, l, h);
        REQUIRE_THAT(memcmp(work.bytes + at, in.bytes + at, (size_t)n * bytes) == 0, "hlift changes its samples");
        check_poison(&work, kind, -(int64_t)WVL_LINE_LEAD, n + WVL_LINE_TAIL);
    }
    REQUIRE_THAT(memcmp(low[0].bytes + at, low[1].bytes + at, (size_t)low_count * bytes) == 0, "low: kind %u n %u parity %u style %u", kind, n,
                  parity, style);
    REQUIRE_THAT(memcmp(high[0].bytes + at, high[1].bytes + at, (size_t)high_count * bytes) == 0, "high: kind %u n %u parity %u style %u", kind,
                  n, parity, style);
    check_poison(&low[1], kind, 0, round_up(low_count, WVL_LINE_ROUND));
    check_poison(&high[1], kind, -(int64_t)WVL_LINE_LEAD, round_up(high_count, WVL_LINE_ROUND) + WVL_LINE_TAIL);
    check_poison(&low[0], kind, 0, low_count);
    check_poison(&high[0], kind, 0, high_count);
}

START_TEST(horizontal_twins)
{
    for (unsigned kind = 0; kind < WVL_LINE_KINDS; kind++) {
        for (uint32_t i = 1; i < WIDTHS; i++) {
            for (unsigned style = 0; style < 5; style++) {
                hlift_case(kind, width_at(i), 0, style);
                hlift_case(kind, width_at(i), 1, style);
            }
        }
    }
}
END_TEST

/* ---- Packing ----------------------------------------------------------------------------------------------------------------- */

static const unsigned pack_kind[WVL_PACK_KINDS] = {WVL_LINE_I32, WVL_LINE_I32, WVL_LINE_I64, WVL_LINE_F32, WVL_LINE_F32, WVL_LINE_F32};
static const unsigned pack_bits[WVL_PACK_KINDS] = {15, 31, 31, 15, 23, 31};
static const unsigned pack_bytes[WVL_PACK_KINDS] = {2, 4, 4, 2, 4, 4};

/* A float whose product with r is an integer, or the nearest float on either side of one, or anything below 2^bits. */
static float draw_near_integer(float r, unsigned bits)
{
    double target = (double)(draw() % (((uint64_t)1 << bits) - 1)) * (draw() % 4 ? 1.0 : ldexp(1.0, -(int)(draw() % bits)));
    float x = (float)(target / (double)r);
    unsigned nudge = draw() % 4;
    x = nudge == 1 ? nextafterf(x, INFINITY) : nudge == 2 ? nextafterf(x, 0.0f) : x;
    while ((double)x * (double)r >= ldexp(1.0, (int)bits)) {
        x = nextafterf(x, 0.0f);
    }
    return draw() & 1 ? -x : x;
}

static void draw_packable(unsigned p, void *line, uint32_t n, float r, unsigned style)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t v = (int64_t)(draw() >> (64 - pack_bits[p]));
        v = style == 1 ? (int64_t)(draw() % 3) : style == 2 ? ((int64_t)1 << pack_bits[p]) - 1 : v;
        v = draw() & 1 ? -v : v;
        if (pack_kind[p] == WVL_LINE_I32) {
            ((int32_t *)line)[i] = (int32_t)v;
        } else if (pack_kind[p] == WVL_LINE_I64) {
            ((int64_t *)line)[i] = v;
        } else {
            ((float *)line)[i] = style == 3 ? (draw() & 1 ? -0.0f : 1e-42f) : draw_near_integer(r, pack_bits[p]);
        }
    }
}

static void pack_case(unsigned p, uint32_t n, unsigned style, uint32_t offset)
{
    static guarded in, out[2];
    unsigned kind = pack_kind[p];
    float r = ldexpf(1.0f + (float)(draw() >> 40) / 16777216.0f, (int)(draw() % 16) - 8);
    uint8_t *x = (uint8_t *)open_line(&in, kind) + (uint64_t)offset * wvl_line_element_bytes(kind);
    draw_packable(p, x, n, r, style);
    const wvl_dwt_kernels *k[2] = {reference, fast};
    uint32_t bound[2], seen = 0;
    for (unsigned t = 0; t < 2; t++) {
        memset(&out[t], POISON, sizeof out[t]);
        bound[t] = k[t]->pack[p](x, n, r, out[t].bytes + 64);
        uint64_t end = 64 + (uint64_t)(t ? round_up(n, 8) : n) * pack_bytes[p];
        for (uint64_t i = 0; i < sizeof out[t].bytes; i++) {
            REQUIRE_THAT((i >= 64 && i < end) || out[t].bytes[i] == POISON, "pack %u n %u writes byte %lld", p, n, (long long)i - 64);
        }
    }
    REQUIRE_THAT(memcmp(out[0].bytes + 64, out[1].bytes + 64, (size_t)n * pack_bytes[p]) == 0, "pack %u n %u style %u", p, n, style);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = 0, sign = pack_bytes[p] == 2 ? 0x8000u : 0x80000000u;
        memcpy(&word, out[0].bytes + 64 + (uint64_t)i * pack_bytes[p], pack_bytes[p]);
        REQUIRE_THAT(word != sign, "negative zero");
        seen |= word & ~sign;
    }
    REQUIRE_THAT(bound[0] == seen && bound[1] == seen, "bounds %x and %x instead of %x", bound[0], bound[1], seen);
}

START_TEST(packing_twins)
{
    for (unsigned p = 0; p < WVL_PACK_KINDS; p++) {
        for (uint32_t i = 0; i < WIDTHS; i++) {
            for (unsigned style = 0; style < 4; style++) {
                pack_case(p, width_at(i), style, (uint32_t)(draw() % 9));
            }
        }
    }
}
END_TEST

/* The inline float quantiser, which device code shares, against the double one. */
START_TEST(float_quantizer)
{
    for (uint32_t i = 0; i < 300000; i++) {
        float r = ldexpf(1.0f + (float)(draw() >> 40) / 16777216.0f, (int)(draw() % 40) - 20);
        float x = draw_near_integer(r, 23);
        REQUIRE_THAT(wvl_quant_magnitude(x, r) == wvl_quant_magnitude_float(x, r), "%a * %a", (double)x, (double)r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twin_dwt");
    TCase *tc = tcase_create("kernels");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, float_quantizer);
    if (wvl_cpu_fetch_level() == WVL_CPU_C) {
        printf("twin_dwt: no fast kernels on this machine or build; the reference is compared with itself\n");
    }
    tcase_add_test(tc, vertical_twins);
    tcase_add_test(tc, horizontal_twins);
    tcase_add_test(tc, packing_twins);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
