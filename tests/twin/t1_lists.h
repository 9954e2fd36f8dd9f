/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of EBCOT as lists of symbols, coded through a driver table and compared with codec/t1 byte for byte and pass
 * by pass: shared by the twin and the program that measures. */
#pragma once

#include "codec/t1/t1.h"
#include "cuda/blocks/t1_launch.h"
#include "ht_blocks.h"

/* A block between context modelling and the MQ coder, and what the CPU makes of it. */
typedef struct t1_block {
    uint8_t style, planes, max_passes, passes;
    uint8_t is_left;
    uint32_t ends[WVL_CUDA_T1_MOST_PASSES];
    uint32_t symbol_count;
    uint8_t *symbols; /* 2 * context + bit; of raw passes bit 0 alone means something */
    uint32_t length;
    uint8_t *bytes;
    wvl_pass records[WVL_CUDA_T1_MOST_PASSES];
} t1_block;

typedef struct t1_set {
    t1_block *blocks;
    uint32_t count, room;
} t1_set;

void t1_set_clear(t1_set *set);
/* A block of samples; what it becomes is that of wvl_t1_encode_block_ref(). */
void t1_set_add_samples(t1_set *set, const wvl_block_input *in, uint64_t *seed);
/* The same, faster: what it becomes is that of codec/mq over its lists. */
void t1_set_add_listed(t1_set *set, const wvl_block_input *in, uint64_t *seed);
/* A block of which the symbols of passes are given: ends[] for all passes. What it becomes is that of codec/mq over
 * the same list. */
void t1_set_add_list(t1_set *set, unsigned style, unsigned planes, unsigned max_passes, const uint32_t *ends,
                     const uint8_t *symbols);
/* One that context modelling had no memory for. */
void t1_set_add_left(t1_set *set);

/* Which kernels code a set. */
typedef struct t1_way {
    uint32_t is_styled, wants_passes;
    uint32_t mq, lanes, thin, spread; /* of the job */
} t1_way;

/* A set in device memory. Chunks, ends and codewords lie in drawn places. */
typedef struct t1_load {
    wvl_cuda_t1 t1;
    wvl_cuda_t1_job job;
    wvl_cuda_t1_block *blocks;
    wvl_cuda_t1_state *states;
    uint8_t *scratch; /* as it was uploaded */
    uint64_t scratch_bytes;
    ht_memory taken;
} t1_load;

/* repeats: how many times the set stands there. 0: a call failed. */
int t1_load_open(t1_load *load, const ht_device *device, const t1_set *set, uint32_t repeats, t1_way way,
                 uint64_t *seed);
void t1_load_close(t1_load *load, const ht_device *device);

/* Returns how many blocks are wrong, or UINT32_MAX where a call failed. Prints the first ones. */
uint32_t t1_check(const ht_device *device, const t1_set *set, t1_way way, uint64_t *seed);
/* The same for a set that was loaded and launched. */
uint32_t t1_compare(const t1_load *load, const ht_device *device, const t1_set *set);
