/* SPDX-License-Identifier: BSD-2-Clause */
/* With the plan: bounds of what coding a picture takes, as sums over its tiles, and of its bytes. */
#pragma once

#include "codec/t2/coded_tile.h"

typedef struct wvl_coder_memory {
    uint64_t base_bytes;   /* exact: held from init to fini */
    uint64_t tile_bytes;   /* exact: of all tiles, each held from the wave that it is coded in to fini */
    uint64_t worker_bytes; /* exact: held from the first wave of a round to its wvl_coder_finish, unless borrowed */
    uint64_t finish_bytes; /* exact: the most held beside them during finish and write */
    uint64_t early_bytes;  /* exact: the most held beside them while portions are sent (early.h) */
    uint64_t coded_bytes_bound;  /* stores, headers and their index, whatever the samples are */
    uint64_t index_bytes_bound;  /* of these: beside the stores */
    uint64_t table_bytes;        /* of these: what finds chunks */
    uint64_t output_bytes_bound; /* codestream, whatever targets and caps say */
} wvl_coder_memory;

/* Bytes of the codestream that a target or a cap allows, which it is an error to exceed; UINT64_MAX: any. */
uint64_t wvl_coder_asked_bytes(const wvl_plan *plan);

/* The largest things of a tile, all components together: sums of their worst cases. */
typedef struct wvl_coder_tile_sum {
    uint64_t blocks, precincts; /* the caller's */
    uint64_t nodes;             /* of tag trees */
    uint64_t meter_chunks;
    uint64_t codewords, kept, piece, block_headers, index;
    uint64_t block_index;           /* most of a block: headers and index */
    uint64_t raw_bytes, raw_packet; /* of samples that cannot be compressed: all, and most of a precinct */
} wvl_coder_tile_sum;

/* The same of the picture. Zero-initialise. */
typedef struct wvl_coder_sum {
    wvl_t2_sizes sizes; /* greatest of all tiles */
    uint64_t tile_bytes, stored_bytes, output_bytes;
    uint64_t index_bytes; /* of stored_bytes: what is not in stores */
    uint64_t most_packets, packets, blocks;
    uint64_t plm_packets; /* of the first tile that has more than PLM can name; 0: none */
    uint32_t plm_tile;
    int is_crowded; /* a tile has more packets than can be counted: crowded_tile */
    uint32_t crowded_tile;
    uint64_t spare_parts;                      /* plan->memory.spare_parts */
    uint64_t raw_tile_bytes, raw_packet_bytes; /* most of any tile, and which one: */
    uint32_t raw_tile, raw_packet_tile;
} wvl_coder_sum;

/* tile->components[component], which stands for `times` components. */
void wvl_coder_add_component(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                             wvl_coder_tile_sum *tile_sum, wvl_coder_sum *sum);
/* When all its components were added. tile: index and markers; span: of the stores, the fewest bytes in a row that is
 * left where a piece does not fit. */
void wvl_coder_add_tile(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t span,
                        const wvl_coder_tile_sum *tile_sum, wvl_coder_sum *sum);
void wvl_coder_measure(const wvl_plan *plan, const wvl_coder_sum *sum, uint32_t concurrency, wvl_coder_memory *memory);
/* Guesses what coded data takes of a picture like most: photographs, drawings. No promise. */
uint64_t wvl_coder_guess_bytes(const wvl_plan *plan, const wvl_coder_sum *sum);
void wvl_coder_carve_tile(const wvl_plan *plan, wvl_carver *carver, wvl_coded_tile *tile);
/* Says of tile-parts that would be longer than Psot can say (D-cs-08) what is known to be too much, in words. */
wvl_status wvl_coder_check_raw(const wvl_plan *plan, const wvl_coder_sum *sum, char *problem, size_t problem_bytes);
/* Parts whose headers a target or a cap leaves room for, beside those of the plan. */
uint64_t wvl_coder_reserved_parts(const wvl_plan *plan);
