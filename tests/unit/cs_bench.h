/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans made by hand, and headers written behind a fence, for the tests of the codestream room. */
#pragma once

#include "codec/cs/cs.h"
#include "tests/prop/cs_parse.h"
#include "tests/support/owned.h"
#include "tests/support/support.h"

static uint64_t rng_state = 0x9E3779B97F4A7C15u;

static inline uint32_t rnd(void) { return test_draw32(&rng_state); }

static inline uint32_t below(uint32_t n) { return rnd() % n; }

/* ---- Plans by hand --------------------------------------------------------------------------- */

typedef struct bench {
    wvl_plan plan;
    wvl_plan_component *components;
    wvl_coding codings[4];
    wvl_blob comments[4];
} bench;

static inline void set_coding(wvl_coding *k, unsigned levels, unsigned quant_style)
{
    memset(k, 0, sizeof *k);
    k->levels = (uint8_t)levels;
    k->reversible = quant_style == WVL_QUANT_NONE;
    k->xcb = k->ycb = 6;
    k->quant_style = (uint8_t)quant_style;
    k->guard_bits = 2;
    memset(k->precinct, 0xFF, sizeof k->precinct);
    for (unsigned i = 0; i < 3 * levels + 1; i++) {
        k->band[i].exponent = (uint8_t)(9 + i % 20);
        k->band[i].mantissa = (uint16_t)(i * 21);
    }
}

static inline bench *make_bench(uint32_t component_count)
{
    bench *b = calloc(1, sizeof *b);
    b->components = calloc(component_count, sizeof *b->components);
    wvl_plan *p = &b->plan;
    p->syntax.image = (wvl_rect){0, 0, 16, 8};
    p->syntax.tile_width = 16;
    p->syntax.tile_height = 8;
    p->syntax.tile_cols = p->syntax.tile_rows = p->syntax.tile_count = 1;
    p->syntax.component_count = component_count;
    p->syntax.components = b->components;
    for (uint32_t i = 0; i < component_count; i++) {
        b->components[i] = (wvl_plan_component){8, 0, 1, 1, 0, {0, 0, 16, 8}, 0};
    }
    p->syntax.coding_count = 4;
    p->syntax.codings = b->codings;
    p->syntax.comments = b->comments;
    p->syntax.layer_count = 1;
    for (int i = 0; i < 4; i++) {
        set_coding(&b->codings[i], 1, WVL_QUANT_NONE);
    }
    return b;
}

static inline void free_bench(bench **b)
{
    free((*b)->components);
    free(*b);
}
#define owned_bench OWNED_BY(free_bench) bench
#define owned_stream OWNED_BY(cs_free) cs_stream

static inline void set_tiles(wvl_plan *p, uint32_t cols, uint32_t rows)
{
    p->syntax.image = (wvl_rect){0, 0, 16 * cols, 8 * rows};
    p->syntax.tile_cols = cols;
    p->syntax.tile_rows = rows;
    p->syntax.tile_count = cols * rows;
}

/* ---- Writing with a fence -------------------------------------------------------------------- */

#define FENCE 0xA5

static inline uint8_t *fenced(uint64_t bytes)
{
    uint8_t *p = malloc((size_t)bytes + 16);
    memset(p, FENCE, (size_t)bytes + 16);
    return p;
}

static inline void check_fence(const uint8_t *p, uint64_t bytes, const uint8_t *end)
{
    REQUIRE(end == p + bytes);
    for (int i = 0; i < 16; i++) {
        REQUIRE(end[i] == FENCE);
    }
}

/* Main header as it is written, exactly as long as measured. */
static inline uint8_t *main_header(const wvl_plan *plan, const wvl_cs_part *parts, uint64_t count, size_t *bytes)
{
    uint64_t measured = wvl_cs_measure_main_header(plan, count);
    uint8_t *p = fenced(measured);
    check_fence(p, measured, wvl_cs_put_main_header(plan, parts, count, p));
    *bytes = (size_t)measured;
    return p;
}

static inline uint8_t *part_header(const wvl_plan *plan, const wvl_cs_part *part, const uint32_t *packets,
                                   size_t *bytes)
{
    uint64_t measured = wvl_cs_measure_part_header(plan, part, packets);
    REQUIRE(measured <= wvl_cs_bound_part_header(plan, part->packet_count));
    uint8_t *p = fenced(measured);
    check_fence(p, measured, wvl_cs_put_part_header(plan, part, packets, p));
    *bytes = (size_t)measured;
    return p;
}

/* A codestream with one empty tile-part for every tile, parsed. */
static inline cs_stream parse_header_of(const wvl_plan *plan)
{
    char error[200] = "";
    cs_stream stream;
    OWNED wvl_cs_part *parts = calloc(plan->syntax.tile_count, sizeof *parts);
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        parts[t] = (wvl_cs_part){.tile = t, .count = 1, .psot = WVL_CS_SOT_SOD_BYTES};
    }
    size_t bytes;
    OWNED uint8_t *head = main_header(plan, parts, plan->syntax.tile_count, &bytes);
    size_t total = bytes + WVL_CS_SOT_SOD_BYTES * (size_t)plan->syntax.tile_count + WVL_CS_END_BYTES;
    OWNED uint8_t *whole = fenced(total);
    uint8_t *p = whole + bytes;
    memcpy(whole, head, bytes);
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        p = wvl_cs_put_part_header(plan, &parts[t], NULL, p);
    }
    check_fence(whole, total, wvl_cs_put_end(p));
    ck_assert_msg(cs_parse(whole, total, &stream, error, sizeof error), "%s", error);
    ck_assert_uint_eq(stream.main_header_bytes, bytes);
    return stream;
}

static inline void check_steps(const cs_component *read, const wvl_coding *k)
{
    ck_assert(read->quant_style == k->quant_style && read->guard_bits == k->guard_bits);
    ck_assert_uint_eq(read->step_count, k->quant_style == WVL_QUANT_DERIVED ? 1 : 3u * k->levels + 1);
    for (unsigned i = 0; i < read->step_count; i++) {
        unsigned want = k->quant_style ? (unsigned)k->band[i].exponent << 11 | k->band[i].mantissa
                                       : (unsigned)k->band[i].exponent << 3;
        ck_assert_uint_eq(read->step[i], want);
    }
}
