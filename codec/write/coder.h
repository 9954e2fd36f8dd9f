/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to bytes, for all tiles of a picture. Waves of tiles are coded as they arrive (codec/blocks),
 * layers are chosen over the whole picture (codec/rate), codec/write/recode.h says whether it must be coded again, and
 * the writer writes. One coder per picture.
 *
 * Order of calls: init -> { code_tiles for every wave -> finish } until nothing wants to be coded again -> write ->
 * fini.
 */
#ifndef WVL_CODEC_TILE_CODER_H
#define WVL_CODEC_TILE_CODER_H

#include "base/look.h"
#include "base/pool.h"
#include "codec/blocks/blocks.h"
#include "codec/cs/cs.h"
#include "codec/rate/layers.h"
#include "codec/t2/coded_tile.h"
#include "codec/t2/packet_order.h"
#include "codec/write/recode.h"

typedef struct wvl_coder_options {
    const wvl_allocator *allocator;
    const wvl_plan *plan;
    wvl_pool *pool;
    uint64_t rank;        /* of its runs in the pool: lower ones come first */
    const wvl_look *look; /* may be NULL */
    void *worker_memory;  /* wvl_pool_source_bytes() of it for the pool's concurrency, kept by the caller between
                             pictures; NULL: the coder takes it with the first blocks, so that it does not lie beside
                             what the transform takes, and returns it with wvl_coder_finish */
    void (*tick)(void *user, uint64_t done,
                 uint64_t all); /* progress of code_tiles, from the calling thread; may be NULL */
    void *tick_user;
    wvl_spill *spill; /* of coded data; NULL: all of it stays in memory */
} wvl_coder_options;

typedef struct wvl_coder {
    const wvl_plan *plan; /* the caller's; with other steps, recode.rescale's */
    const wvl_allocator *allocator;
    wvl_pool *pool;
    uint64_t rank;
    const wvl_look *look;  /* may be NULL */
    wvl_coded_tile *tiles; /* [tile_count] */
    wvl_t2_sizes sizes;    /* greatest of all tiles */
    wvl_blocks blocks;
    wvl_recode recode;
    wvl_layer_job layer_job;
    wvl_layer_result *layers; /* [layer_count] */
    wvl_cs_part *parts;
    uint64_t part_count;
    uint64_t *component_overhead;
    uint64_t *packet_bytes;              /* [component][resolution][layer] */
    double (*measure_error)(void *user); /* as in wvl_layer_job */
    void *measure_user;
    void (*beside)(void *user); /* called once by the next code_tiles, from the calling thread, when workers have begun;
                                   may be NULL */
    void *beside_user;
    struct wvl_early *early; /* NULL: bytes leave at the end (early.h) */
    char problem[256];       /* text for the last failure */
} wvl_coder;

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

/* The most bytes of the codestream: plan->memory.codestream_bytes_most, or what a target or a cap allows. */
uint64_t wvl_coder_most_bytes(const wvl_plan *plan);

/* Bytes of the codestream that a target or a cap allows, which it is an error to exceed; UINT64_MAX: any. */
uint64_t wvl_coder_asked_bytes(const wvl_plan *plan);

/* bounds.c. */
/* The largest things of a tile, all components together: sums of their worst cases (bounds.c). */
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
/* When all its components were added. tile: index and markers; span: of the stores, the least run of bytes that is left
 * where a piece does not fit. */
void wvl_coder_add_tile(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t span,
                        const wvl_coder_tile_sum *tile_sum, wvl_coder_sum *sum);
void wvl_coder_measure(const wvl_plan *plan, const wvl_coder_sum *sum, uint32_t concurrency, wvl_coder_memory *memory);
/* What coded data takes of a picture like most: photographs, drawings. No promise. */
uint64_t wvl_coder_guess_bytes(const wvl_plan *plan, const wvl_coder_sum *sum);
void wvl_coder_carve_tile(const wvl_plan *plan, wvl_carver *carver, wvl_coded_tile *tile);
wvl_status wvl_coder_init(wvl_coder *coder, const wvl_coder_options *options);
void wvl_coder_fini(wvl_coder *coder);
/* Codes the blocks of these tiles that the coding at work asks for. The coefficients may go afterwards. */
wvl_status wvl_coder_code_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count);

/* finish.c. After the last tile: layers, and lengths of all tile-parts, unless recode.reason asks for another
 * coding: then all tiles must come again. memory: for the order of a tile's packets. */
wvl_status wvl_coder_finish(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory);
/* Tile-parts, and the job of layers over the whole picture. Called by finish, or before the first tile (early.h).
 */
wvl_status wvl_coder_open_layers(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory);
static inline int wvl_coder_wants_again(const wvl_coder *coder) { return coder->recode.reason != WVL_RECODE_NONE; }

/* division.c. */
/* Most packets that are walked to find where tile-parts begin. */
#define WVL_CODER_MOST_WALKED (UINT64_C(1) << 26)

/* Tile-parts of all tiles, from geometry alone; component_overhead ([cap groups] or NULL) takes what their headers add
 * to each group. tiles, memory: carved, used with plan->syntax.parts only. A problem (more than 255 parts a tile, more
 * than TLM can name, packets that cannot be counted) is put in words. */
wvl_status wvl_coder_count_parts(const wvl_plan *plan, const wvl_look *look, const wvl_coder_sum *sum,
                                 const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                 uint64_t *component_overhead, uint64_t *count, char *problem, size_t problem_bytes);
/* The same with coder->parts described, and what their headers take of each cap group. */
wvl_status wvl_coder_divide_tiles(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory);

/* The parts alone: parts[plan->part_count], without lengths. */
wvl_status wvl_coder_list_parts(const wvl_plan *plan, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                wvl_cs_part *parts);

/* long_parts.c. Tile-parts that would be longer than Psot can say. */
/* With the plan: sums of tile->components[component], which stands for `times`, and of a tile whose bytes are at most
 * `output`; then what is known to be too much, in words. */
void wvl_coder_add_raw(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times,
                       wvl_coder_tile_sum *tile_sum);
void wvl_coder_add_spare_parts(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t output,
                               const wvl_coder_tile_sum *tile_sum, wvl_coder_sum *sum);
wvl_status wvl_coder_check_raw(const wvl_plan *plan, const wvl_coder_sum *sum, char *problem, size_t problem_bytes);
/* Parts whose headers a target or a cap leaves room for, beside those of the plan. */
uint64_t wvl_coder_reserved_parts(const wvl_plan *plan);
/* Packets, from the first on, that a part of these holds; 0: not even one. lengths: of the tile's packets in order. */
uint32_t wvl_coder_count_fitting(const wvl_coder *coder, const wvl_cs_part *part, const uint32_t *lengths);
/* coder->parts[at] keeps `packets` packets; a part behind it, without body_bytes, has the others. */
wvl_status wvl_coder_split_part(wvl_coder *coder, uint64_t at, uint32_t packets);
wvl_status wvl_coder_refuse_packet(wvl_coder *coder, uint32_t tile);

/* lengths.c. Lengths of all tile-parts and pointer segments of these tiles, whose first tile-part is number `part`
 * of the picture; what the standard cannot express is an error, with a text. */
wvl_status wvl_coder_measure_lengths(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory,
                                     wvl_portion portion, uint64_t part);
/* The most packets of any of these tiles, as a list of them takes it; at least 1. */
uint64_t wvl_coder_most_packets(const wvl_coder *coder, wvl_portion portion);
/* Adds a packet to coder->packet_bytes. */
void wvl_coder_add_packet(wvl_coder *coder, uint32_t tile, uint64_t precinct, uint32_t layer);
/* The number of a packet, as the source of packets counts; its bytes, markers included. */
uint64_t wvl_coder_number_packet(const wvl_coder *coder, uint32_t tile, const wvl_packet_id *id);
uint64_t wvl_coder_packet_bytes(const wvl_coder *coder, uint32_t tile, uint64_t packet);
/* Content of PPM: a length and the headers of every tile-part. */
uint64_t wvl_coder_ppm_bytes(const wvl_coder *coder);
uint64_t wvl_coder_main_header_bytes(const wvl_coder *coder);
uint64_t wvl_coder_codestream_bytes(const wvl_coder *coder);

/* writer.c. Receives consecutive bytes; nonzero stops. */
typedef int (*wvl_put_fn)(void *user, const void *data, size_t bytes);
/* SOC..EOC. WVL_ERROR_SINK when put refuses. */
wvl_status wvl_coder_write(wvl_coder *coder, const wvl_tile_walk *tiles, const wvl_order_memory *memory, wvl_put_fn put,
                           void *user);

#endif
