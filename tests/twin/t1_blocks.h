/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of EBCOT blocks through a driver table, compared with codec/t1: shared by twins and programs that measure. */
#ifndef WVL_TESTS_T1_BLOCKS_H
#define WVL_TESTS_T1_BLOCKS_H

#include "cuda/blocks/t1_model.h"
#include "ht_blocks.h"

/* Blocks with their samples. coefs and bound of blocks are as in ht_list. */
typedef struct t1_list {
    ht_list samples;
    wvl_cuda_t1_block *blocks;
    uint32_t count, room;
} t1_list;

void t1_list_clear(t1_list *list);
/* A block with room for its samples, which the caller puts into list->samples with the block at `samples`. */
wvl_cuda_t1_block *t1_list_add(t1_list *list, uint32_t width, uint32_t height, uint32_t stride, unsigned coef_bytes,
                               unsigned offset_samples, wvl_cuda_ht_block **samples);
/* Sets the bound: the OR of the magnitudes, and `more`; and planes. frac_bits must be set. */
void t1_list_seal(t1_list *list, wvl_cuda_t1_block *b, uint32_t more);

/* Device memory of a list. */
typedef struct t1_model_load {
    wvl_cuda_t1_model model;
    wvl_cuda_t1_job job;
    wvl_cuda_address samples, bounds;
    wvl_cuda_t1_block *blocks; /* with addresses */
} t1_model_load;

/* What a launch makes of a list. */
typedef struct t1_wish {
    unsigned scratch_share; /* of the most, in thousandths */
    int gains;              /* energies and gains of passes too */
} t1_wish;

/* 0: a call failed. */
int t1_model_load_open(t1_model_load *load, const ht_device *device, const t1_list *list, t1_wish wish);
void t1_model_load_close(t1_model_load *load, const ht_device *device);

/* Runs a list and compares every block: the device's symbols coded by codec/mq, with what codec/t1 makes of the
 * samples. Returns wrong blocks. *left: blocks that found no memory. */
uint32_t t1_check_lists(const ht_device *device, const t1_list *list, t1_wish wish, uint32_t *left);

#endif
