/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to bytes, for all tiles of a picture: block coding as waves of tiles arrive, then layers over the whole picture, then
 * writing. One coder per picture.
 */
#ifndef WVL_CODEC_TILE_CODER_H
#define WVL_CODEC_TILE_CODER_H

#include <stdatomic.h>

#include "base/look.h"
#include "base/pool.h"
#include "codec/coded_tile.h"
#include "codec/core/block.h"
#include "codec/cs/cs.h"
#include "codec/rate/depth.h"
#include "codec/rate/layers.h"
#include "codec/rescale.h"
#include "codec/t2/packet_order.h"

/* A worker's places in the stores of bytes and passes, on cache lines of its own. */
typedef struct wvl_coder_writers { _Alignas(64) wvl_store_writer of[2]; } wvl_coder_writers;

typedef struct wvl_coder {
    const wvl_plan *plan;
    const wvl_allocator *allocator;
    wvl_pool *pool;
    uint64_t rank;                   /* of its runs in the pool: lower ones come first. 0 after init */
    const wvl_look *look;            /* may be NULL */
    wvl_store bytes, passes;
    wvl_coded_tile *tiles;           /* [tile_count] */
    wvl_t2_sizes sizes;              /* greatest of all tiles */
    uint8_t *worker_memory;          /* contents irrelevant between runs; NULL: none is held yet */
    uint64_t worker_bytes, workers;
    int borrows_workers;
    wvl_coder_writers *writers;      /* [workers] */
    const wvl_block_coder *block_coder;
    const void *kernels;             /* of the block coder */
    wvl_depth depth;
    void *depth_memory;
    _Atomic uint32_t decided[WVL_RATE_GROUPS]; /* the greatest of all blocks of the rate group */
    _Atomic uint32_t slope_least, slope_most; /* on the hulls of all blocks, and of those coded before */
    int wants_again;                 /* blocks that are not decided for `wanted` are to be coded again, no others */
    uint32_t wanted[WVL_RATE_GROUPS];
    wvl_rescale rescale;             /* open: all blocks are to be coded once more with other steps, or have been; plan is then its plan */
    int is_rescaling;                /* they are to be */
    uint32_t thresholds[WVL_RATE_GROUPS]; /* for which all blocks of the next coding are to be decided; 0: in full */
    /* With plan->rdoq: slopes to quantise for, by rate group, found from surveyed blocks that were coded for slopes from `floors` on. */
    uint32_t slopes[WVL_RATE_GROUPS], floors[WVL_RATE_GROUPS];
    int is_surveyed;
    int is_redone;                   /* all blocks are to be coded once more, for the slopes that were found */
    int is_optimised;                /* they have been, or need not be */
    wvl_layer_job layer_job;
    wvl_layer_result *layers;        /* [layer_count] */
    wvl_cs_part *parts;
    uint64_t part_count;
    struct wvl_work_band *bands;         /* of the wave in work: plan->wave_bands */
    uint32_t *group_order;               /* of the same: weights and order of its groups, plan->wave_groups each */
    uint64_t *component_overhead;
    uint64_t *packet_bytes;          /* [component][resolution][layer] */
    double (*measure_error)(void *user); /* as in wvl_layer_job */
    void *measure_user;
    void (*tick)(void *user, uint64_t blocks_done, uint64_t blocks); /* progress of code_tiles, from the calling thread; may be NULL */
    void *tick_user;
    void (*beside)(void *user);      /* called once by the next code_tiles, from the calling thread, when workers have begun; may be NULL */
    void *beside_user;
    char problem[256];               /* text for the last failure */
} wvl_coder;

typedef struct wvl_coder_memory {
    uint64_t base_bytes;             /* exact: held from init to fini */
    uint64_t optional_bytes;         /* of base_bytes: only where blocks come again with other steps */
    uint64_t tile_bytes;             /* exact: of all tiles, each held from the wave that it is coded in to fini */
    uint64_t worker_bytes;           /* exact: held from the first wave of a round to its wvl_coder_finish, unless borrowed */
    uint64_t finish_bytes;           /* exact: the most held beside them during finish and write */
    uint64_t coded_bytes_bound;      /* stores, headers and their index, whatever the samples are */
    uint64_t output_bytes_bound;     /* codestream */
} wvl_coder_memory;

/* The same with coder->parts described, and what their headers take of each cap group (tile_division.c). */
wvl_status wvl_coder_divide_tiles(wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory);
/* The largest things of a tile, all components together: sums of their worst cases (tile_bounds.c). */
typedef struct wvl_coder_tile_sum {
    uint64_t blocks, precincts;      /* the caller's */
    uint64_t nodes;                  /* of tag trees */
    uint64_t codewords, kept, piece, block_headers, index;
} wvl_coder_tile_sum;

/* The same of the picture. Zero-initialise. */
typedef struct wvl_coder_sum {
    wvl_t2_sizes sizes;              /* greatest of all tiles */
    uint64_t tile_bytes, stored_bytes, output_bytes;
    uint64_t most_packets, packets, blocks;
    uint64_t plm_packets;            /* of the first tile that has more than PLM can name; 0: none */
    uint32_t plm_tile;
    int is_crowded;                  /* a tile has more packets than can be counted: crowded_tile */
    uint32_t crowded_tile;
} wvl_coder_sum;

/* tile->components[component], which stands for `times` components. */
void wvl_coder_add_component(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component, uint64_t times, wvl_coder_tile_sum *tile_sum, wvl_coder_sum *sum);
/* When all its components were added. tile: index and markers; span: of the stores, the least run of bytes that is left where a piece does not fit. */
void wvl_coder_add_tile(const wvl_plan *plan, const wvl_tile_plan *tile, uint64_t span, const wvl_coder_tile_sum *tile_sum, wvl_coder_sum *sum);
void wvl_coder_measure(const wvl_plan *plan, const wvl_coder_sum *sum, uint32_t concurrency, wvl_coder_memory *memory);
/* What coded data takes of a picture like most: photographs, drawings. No promise. */
uint64_t wvl_coder_guess_bytes(const wvl_plan *plan, const wvl_coder_sum *sum);
void wvl_coder_carve_tile(const wvl_plan *plan, wvl_carver *carver, wvl_coded_tile *tile);

/* Most packets that are walked to find where tile-parts begin. */
#define WVL_CODER_MOST_WALKED (UINT64_C(1) << 26)

/* Tile-parts of all tiles, from geometry alone; component_overhead ([cap groups] or NULL) takes what their headers add to each group. tile, memory: carved, used
 * with plan->parts only. A problem (more than 255 parts a tile, more than TLM can name, packets that cannot be counted) is put in words. */
wvl_status wvl_coder_count_parts(const wvl_plan *plan, const wvl_look *look, const wvl_coder_sum *sum, wvl_tile_plan *tile, const wvl_order_memory *memory,
                                 uint64_t *component_overhead, uint64_t *count, char *problem, size_t problem_bytes);
/* worker_memory: wvl_coder_worker_bytes() of it for the pool's concurrency, which the caller keeps between pictures; NULL: the coder takes it when it
 * codes the first blocks, so that it need not lie beside what the transform takes, and gives it back with wvl_coder_finish. */
uint64_t wvl_coder_worker_bytes(const wvl_plan *plan, uint32_t concurrency);
wvl_status wvl_coder_init(wvl_coder *coder, const wvl_allocator *allocator, const wvl_plan *plan, wvl_pool *pool, const wvl_look *look,
                          void *worker_memory);
void wvl_coder_fini(wvl_coder *coder);
void wvl_coder_drop_workers(wvl_coder *coder);
/* Codes every block of these tiles. The coefficients may go afterwards. */
wvl_status wvl_coder_code_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count);
/* Whether the last wvl_coder_finish found blocks that were left too early: all tiles are to come once more, and only these blocks are coded.
 * No block is coded more than twice for that. With plan->rdoq all blocks then come once more. */
static inline int wvl_coder_wants_again(const wvl_coder *coder) { return coder->wants_again; }
/* After the last tile: layers, lengths of all tile-parts. tile: carved scratch; memory: for the order of its packets. */
wvl_status wvl_coder_finish(wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory);

/* Receives consecutive bytes; nonzero stops. */
typedef int (*wvl_put_fn)(void *user, const void *data, size_t bytes);
uint64_t wvl_coder_main_header_bytes(const wvl_coder *coder);
uint64_t wvl_coder_codestream_bytes(const wvl_coder *coder);
/* SOC..EOC. WVL_ERROR_SINK when put refuses. */
wvl_status wvl_coder_write(wvl_coder *coder, wvl_tile_plan *tile, const wvl_order_memory *memory, wvl_put_fn put, void *user);

#endif
