/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of blocks that is always there: the workers of the pool code them from the coefficients of a wave. The
 * reference for every other source. */
#pragma once

#include "codec/blocks/source.h"
#include "codec/core/block.h"

typedef struct wvl_pool_source {
    const wvl_allocator *allocator;
    wvl_pool *pool;
    uint64_t rank;        /* of its pool calls: lower ones come first */
    uint32_t workers;     /* the pool's concurrency */
    const wvl_look *look; /* may be NULL */
    const wvl_block_coder *coder;
    const void *kernels; /* of the block coder */
    uint8_t *memory;     /* the workers' scratch; contents irrelevant between orders; NULL: none is held yet */
    uint64_t worker_bytes;
    int borrows_memory;
    /* The wave at work: */
    const wvl_plan *plan;
    const wvl_coefs *coefs;                                /* samples and bounds are there */
    uint64_t ranges_done, ranges;                          /* of all orders; of the wave: for progress */
    void (*tick)(void *user, uint64_t done, uint64_t all); /* from the calling thread; may be NULL */
    void *tick_user;
    void (*beside)(void *user); /* called once, from the calling thread, when workers have begun; may be NULL */
    void *beside_user;
} wvl_pool_source;

/* All codings of a plan ask for the same one. */
const wvl_block_coder *wvl_blocks_choose_coder(const wvl_plan *plan);
/* Of everything that is kept of a block: of HT blocks, where rate control chooses among them, the sets of all planes.
 */
uint64_t wvl_blocks_bound_bytes(const wvl_plan *plan, uint32_t width, uint32_t height, uint32_t planes, uint8_t style);
/* Scratch of all workers. */
uint64_t wvl_pool_source_bytes(const wvl_plan *plan, uint32_t concurrency);
/* memory: wvl_pool_source_bytes() of it, which the caller keeps between pictures; NULL: taken with the first order, and
 * given back with _drop. */
void wvl_pool_source_open(wvl_pool_source *source, const wvl_allocator *allocator, const wvl_plan *plan, wvl_pool *pool,
                          uint64_t rank, const wvl_look *look, void *memory);
/* Before the orders of a wave. */
void wvl_pool_source_take_wave(wvl_pool_source *source, const wvl_plan *plan, const wvl_coefs *coefs, uint64_t ranges);
/* Gives memory back that was not borrowed. */
void wvl_pool_source_drop(wvl_pool_source *source);

wvl_block_source wvl_pool_source_of(wvl_pool_source *source);
