/* SPDX-License-Identifier: BSD-2-Clause */
/* The length of a header that changes block by block is the length of the header coded as a whole. */

#include "codec/t2/meter.h"
#include "tests/support/support.h"

#define CHANGES 400
#define LAYERS 3u

static uint32_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn >> 8) % below;
}

typedef struct bench {
    wvl_precinct precinct;
    uint64_t block_count, node_count;
    wvl_coded_block *blocks;
    wvl_block_state *states;
    wvl_tag_node *nodes, *scratch;
    wvl_meter_chunk *chunks;
    uint32_t *firsts;
    uint8_t *header, *room;
    wvl_t2_tile tile;
} bench;

static void add_band(bench *b, uint32_t cols, uint32_t rows, int has_sets)
{
    wvl_precinct_band *pb = &b->precinct.band[b->precinct.band_count++];
    *pb = (wvl_precinct_band){.first_block = b->block_count,
                              .nodes_at = b->node_count,
                              .stride = cols + 3,
                              .cols = cols,
                              .rows = rows,
                              .planes = 20,
                              .has_sets = (uint8_t)has_sets};
    b->block_count += (uint64_t)(cols + 3) * rows;
    b->node_count += 2 * wvl_tag_tree_nodes(cols, rows);
}

static void open_bench(bench *b, int has_sets)
{
    memset(b, 0, sizeof *b);
    add_band(b, 70, 61, has_sets);
    add_band(b, 0, 0, has_sets);
    add_band(b, 33, 30, has_sets);
    b->blocks = calloc(b->block_count, sizeof *b->blocks);
    b->states = calloc(b->block_count, sizeof *b->states);
    b->nodes = calloc(b->node_count, sizeof *b->nodes);
    b->scratch = calloc(b->node_count, sizeof *b->scratch);
    b->firsts = calloc(b->node_count, sizeof *b->firsts);
    b->chunks = calloc(wvl_meter_chunks(&b->precinct), sizeof *b->chunks);
    uint64_t bytes = wvl_t2_header_bound(b->block_count, b->node_count, 0, LAYERS);
    b->header = malloc(bytes);
    b->room = malloc(bytes);
    ck_assert(b->blocks && b->states && b->nodes && b->scratch && b->firsts && b->chunks && b->header && b->room);
    for (uint64_t i = 0; i < b->block_count; i++) {
        b->blocks[i].zero_planes = (uint8_t)draw(9);
    }
    b->tile = (wvl_t2_tile){
        .precincts = &b->precinct, .precinct_count = 1, .blocks = b->blocks, .states = b->states, .nodes = b->nodes};
    wvl_t2_open_precinct(&b->tile, 0);
}

static void close_bench(bench *b)
{
    free(b->blocks);
    free(b->states);
    free(b->nodes);
    free(b->scratch);
    free(b->firsts);
    free(b->chunks);
    free(b->header);
    free(b->room);
}

/* Most lengths are of many ones, so that bytes of 0xFF and stuffed bits are frequent. */
static void draw_cut(wvl_block_state *s, uint32_t rest)
{
    static const uint32_t lengths[] = {255, 127, 63, 31, 15, 511, 3, 40};
    s->next_passes = s->sent_passes;
    s->next_bytes = s->sent_bytes;
    if (draw(100) >= rest) {
        s->next_passes = (uint8_t)(s->sent_passes + 1 + draw(12));
        s->next_bytes = s->sent_bytes + lengths[draw(8)];
    }
}

static void draw_cuts(bench *b, uint32_t rest)
{
    for (uint64_t i = 0; i < b->block_count; i++) {
        draw_cut(&b->states[i], rest);
    }
}

static uint64_t draw_block(const bench *b)
{
    const wvl_precinct_band *pb = &b->precinct.band[draw(4) ? 0 : 2];
    return wvl_precinct_block(pb, draw((uint32_t)wvl_precinct_blocks(pb)));
}

static void commit(bench *b, uint32_t layer)
{
    (void)wvl_t2_code_header(&b->tile, &b->precinct, layer, 1, NULL, b->header);
    for (uint64_t i = 0; i < b->block_count; i++) {
        b->states[i].sent_passes = b->states[i].next_passes;
        b->states[i].sent_bytes = b->states[i].next_bytes;
    }
}

static void check_header(bench *b, const wvl_meter *m, int change)
{
    wvl_t2_packet whole = wvl_t2_code_header(&b->tile, &b->precinct, m->layer, 0, b->scratch, b->header);
    ck_assert_msg(wvl_meter_header(m) == whole.header_bytes, "layer %u, change %d: %u bytes metered, %u coded",
                  m->layer, change, wvl_meter_header(m), whole.header_bytes);
}

TEST_EACH(changes_are_followed, 8)
{
    static const uint32_t rests[] = {97, 60, 5}; /* of 100 blocks, those that stay out */
    int is_sparse = _i > 3;                      /* a block or two at a time: they speak for large parts of the trees */
    bench b;
    drawn = (uint32_t)_i;
    open_bench(&b, _i == 3);
    ck_assert_uint_gt(wvl_meter_chunks(&b.precinct), 4);
    for (uint32_t layer = 0; layer < (_i == 3 ? 1 : LAYERS); layer++) {
        wvl_meter m = {&b.tile, &b.precinct, layer, b.firsts, b.chunks, b.room};
        draw_cuts(&b, is_sparse ? 100 : rests[(layer + (uint32_t)_i) % 3]);
        b.states[0].next_passes = (uint8_t)(b.states[0].sent_passes + 1); /* a packet of something */
        wvl_meter_open(&m);
        check_header(&b, &m, -1);
        for (int i = 0; i < CHANGES; i++) {
            uint64_t at = draw_block(&b);
            wvl_block_state before = b.states[at];
            draw_cut(&b.states[at], 40);
            wvl_meter_change(&m, at, &before);
            check_header(&b, &m, i);
            if (at && draw(is_sparse ? 9 : 2)) { /* and back */
                wvl_block_state after = b.states[at];
                b.states[at] = before;
                wvl_meter_change(&m, at, &after);
                check_header(&b, &m, i);
            }
        }
        b.states[0].next_passes = (uint8_t)(b.states[0].sent_passes + 1);
        commit(&b, layer);
    }
    close_bench(&b);
}

/* Headers of few blocks are soon coded. */
TEST(only_long_headers_are_metered)
{
    bench b;
    memset(&b, 0, sizeof b);
    add_band(&b, 64, 63, 0);
    ck_assert_uint_eq(wvl_meter_chunks(&b.precinct), 0);
    add_band(&b, 8, 8, 0);
    ck_assert_uint_eq(wvl_meter_chunks(&b.precinct), 3 + 1);
}

TEST_MAIN("meter")
