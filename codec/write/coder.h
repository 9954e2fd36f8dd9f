/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to bytes, for all tiles of a picture. Waves of tiles are coded as they arrive (codec/blocks),
 * layers are chosen over the whole picture (codec/rate), codec/write/recode.h says whether it must be coded again, and
 * the writer writes. One coder per picture.
 *
 * Order of calls: init -> { code_tiles for every wave -> finish } until nothing wants to be coded again -> write ->
 * fini.
 */
#pragma once

#include "codec/blocks/blocks.h"
#include "codec/cs/cs.h"
#include "codec/write/recode.h"

typedef struct wvl_coder_options {
    const wvl_allocator *allocator;
    const wvl_plan *plan;
    wvl_pool *pool;
    uint64_t rank;        /* of its pool calls: lower ones come first */
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
    uint64_t early_bytes;    /* of its memory */
    char problem[256];       /* text for the last failure */
} wvl_coder;

wvl_status wvl_coder_init(wvl_coder *coder, const wvl_coder_options *options);
void wvl_coder_fini(wvl_coder *coder);
/* Codes the blocks of these tiles that the coding at work asks for. The coefficients may go afterwards. */
wvl_status wvl_coder_code_tiles(wvl_coder *coder, const wvl_coefs *coefs, uint32_t tile_count);

static inline int wvl_coder_wants_again(const wvl_coder *coder) { return coder->recode.reason != WVL_RECODE_NONE; }
