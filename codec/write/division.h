/* SPDX-License-Identifier: BSD-2-Clause */
/* How the packets of tiles are divided into tile-parts. */
#pragma once

#include "codec/t2/packet_order.h"
#include "codec/write/bounds.h"
#include "codec/write/coder.h"

/* Most packets that are walked to find where tile-parts begin. */
#define WVL_CODER_MOST_WALKED (UINT64_C(1) << 26)

/* A walk over the packets of tiles that counts tile-parts or, with parts, describes them. */
typedef struct wvl_division {
    const wvl_plan *plan;
    const wvl_look *look;
    wvl_cs_part *parts;           /* NULL: only counted */
    uint64_t *component_overhead; /* [cap groups], what part headers add to each; NULL: not asked for */
    uint64_t part_count;
    char *problem; /* in words: more than 255 parts a tile, more than TLM can name, packets that cannot be counted */
    size_t problem_bytes;
} wvl_division;

/* Tile-parts of all tiles, from geometry alone, in part_count. tiles, memory: carved, used with
 * plan->syntax.parts only. */
wvl_status wvl_coder_count_parts(wvl_division *division, const wvl_coder_sum *sum, const wvl_tile_walk *tiles,
                                 const wvl_order_memory *memory);
/* The same with coder->parts described, and what their headers take of each cap group. */
wvl_status wvl_coder_divide_tiles(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory);

/* The parts alone: parts[plan->part_count], without lengths. */
wvl_status wvl_coder_list_parts(const wvl_plan *plan, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                wvl_cs_part *parts);
