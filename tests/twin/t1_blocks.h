/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of EBCOT blocks through a driver table, compared with codec/t1: shared by twins and programs that measure. */
#pragma once

#include "codec/core/hull.h"
#include "cuda/blocks/t1_launch.h"
#include "ht_blocks.h"
#include "tests/prop/t1_draw.h"

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

/* A drawn block of any temper, with magnitudes of `bits` bits; the caller fills in the rest, and seals it. */
wvl_cuda_t1_block *t1_list_draw(t1_list *list, t1_rng *rng, uint32_t width, uint32_t height, unsigned coef_bytes,
                                unsigned bits);
/* The block as the CPU's coder takes it. */
wvl_block_input t1_list_describe(const t1_list *list, const wvl_cuda_t1_block *b);
/* Codes lists of symbols as codec/t1 codes its own: passes that end at ends[]. bytes, passes: room for the output. */
wvl_block_output t1_code_symbols(const wvl_block_input *in, const uint8_t *symbols, const uint32_t *ends,
                                 uint8_t *bytes, wvl_pass *passes);

/* The CPU's hull of a coded block of `samples` samples, with slopes[] and gains[] of its passes. */
void t1_find_hull(wvl_hull *hull, const wvl_block_output *out, uint32_t samples, unsigned frac_bits,
                  wvl_cuda_t1_weight weight, int32_t gain_exponent, uint16_t *slopes, int64_t *gains);

/* Device memory of a list. */
typedef struct t1_model_load {
    wvl_cuda_t1 t1;
    wvl_cuda_t1_job job;
    ht_memory taken;
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
