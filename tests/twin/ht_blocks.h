/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of HT blocks through a driver table, compared with codec/ht byte for byte: shared by the twin and the program
 * that measures. */
#pragma once

#include "cuda/blocks/ht_launch.h"

/* What a driver table is asked for here. shared_limit: as wvl_cuda_ht_open takes it. */
typedef struct ht_device {
    const wvl_cuda_runtime *runtime;
    wvl_cuda_module module;
    wvl_cuda_stream stream;
    int ordinal;
} ht_device;

/* Blocks with their samples. coefs and bound of blocks are offsets: in bytes into samples, in words into bounds. */
typedef struct ht_list {
    wvl_cuda_ht_block *blocks;
    uint8_t *samples;
    uint32_t *bounds;
    uint32_t count, room;
    uint64_t sample_bytes, sample_room;
} ht_list;

#define HT_POISON 0xA7

/* Device memory that is given back in one call. The first error stays: afterwards nothing is taken. */
typedef struct ht_memory {
    wvl_cuda_address taken[64];
    unsigned count;
    wvl_cuda_status status;
} ht_memory;

/* Memory with 64 bytes behind it, poisoned where checkers do not look for reads of what was not written. from: what it
 * holds, or NULL. is_read: the host reads all of it. */
wvl_cuda_address ht_take(ht_memory *memory, const ht_device *device, uint64_t bytes, const void *from, int is_read);
void ht_give(ht_memory *memory, const ht_device *device);
/* Downloads. 0: a call failed. */
int ht_fetch(const ht_device *device, void *to, wvl_cuda_address from, uint64_t bytes);
/* Bytes of poison behind memory that is_read: 64, or 0 where nobody wrote them. */
unsigned ht_count_guard(void);

void ht_list_clear(ht_list *list);
/* A block of the list with room for its samples (poison around them); the caller fills it and sets *bound. */
wvl_cuda_ht_block *ht_list_add(ht_list *list, uint32_t width, uint32_t height, uint32_t stride, unsigned coef_bytes,
                               unsigned offset_samples);
void ht_list_put(ht_list *list, wvl_cuda_ht_block *b, uint32_t x, uint32_t y, uint32_t magnitude, unsigned negative);
/* The bound of a block: the OR of its magnitudes, and `more`. */
void ht_list_seal(ht_list *list, wvl_cuda_ht_block *b, uint32_t more);
/* The block as the CPU's coder takes it. */
wvl_block_input ht_list_describe(const ht_list *list, const wvl_cuda_ht_block *b);

/* Device memory of a list. */
typedef struct ht_load {
    wvl_cuda_ht ht;
    wvl_cuda_ht_job job;
    wvl_cuda_ht_memory memory;
    ht_memory taken;
    wvl_cuda_address samples, bounds, output;
    uint64_t output_bytes;
    wvl_cuda_ht_block *blocks; /* with addresses */
} ht_load;

/* groups: pictures of equal numbers of blocks. scratch_share, output_share: of the most, in thousandths. 0: a call
 * failed. */
int ht_load_open(ht_load *load, const ht_device *device, const ht_list *list, uint32_t groups, uint32_t shared_limit,
                 unsigned scratch_share, unsigned output_share);
void ht_load_close(ht_load *load, const ht_device *device);

/* Runs a list and compares every block; blocks that are left go into launches of their own with all memory. Returns
 * wrong blocks; *left: first ones. */
uint32_t ht_check(const ht_device *device, const ht_list *list, uint32_t groups, uint32_t shared_limit,
                  unsigned scratch_share, unsigned output_share, uint32_t *left);
