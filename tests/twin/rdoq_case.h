/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of blocks for the twins of optimised quantisation, as devices have them and as the CPU reads them. */
#ifndef WVL_TESTS_RDOQ_CASE_H
#define WVL_TESTS_RDOQ_CASE_H

#include <stddef.h>

#include "../prop/t1_draw.h"
#include "codec/rate/rdoq.h"
#include "cuda/rdoq/rdoq_launch.h"
#include "emulated_driver.h"

enum {
    BLOCKS = 72,
    SLOT = 2 * 4096 * 4, /* bytes of a block's samples: rows may have a stride */
    GROUPS = WVL_RATE_GROUPS,
    PASSES = WVL_CUDA_T1_MOST_PASSES
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* All that a device has of a picture, in one piece of memory. Addresses in tables are offsets from its start until
 * it is there. */
typedef struct rdoq_picture {
    _Alignas(16) uint8_t samples[BLOCKS][SLOT], copies[BLOCKS][SLOT];
    wvl_cuda_t1_block originals[BLOCKS], blocks[BLOCKS];
    uint32_t bounds[BLOCKS], lists[BLOCKS], weights[BLOCKS];
    uint8_t kinds[BLOCKS];
    wvl_cuda_t1_weight hull_weights[BLOCKS];
    wvl_cuda_rdoq_change changes[BLOCKS];
    wvl_cuda_rdoq_survey survey;
    wvl_cuda_rdoq_part parts[WVL_DEPTH_PARTS];
    wvl_cuda_t1_state states[BLOCKS];
    wvl_cuda_t1_gains gains[BLOCKS];
    _Alignas(16) wvl_cuda_t1_pass passes[BLOCKS][PASSES];
    _Alignas(16) uint8_t values[BLOCKS][WVL_CUDA_T1_VALUE_BYTES * PASSES + 26]; /* a multiple of 16 */
} rdoq_picture;

/* A device with the picture on it. */
typedef struct rdoq_load {
    const ht_device *device;
    wvl_cuda_address at;
    wvl_cuda_rdoq rdoq;
    wvl_cuda_rdoq_job job;
} rdoq_load;

extern rdoq_picture rdoq_given, rdoq_got;
extern wvl_cuda_rdoq_job rdoq_job; /* what differs from turn to turn */
extern t1_rng rdoq_rng;
extern int rdoq_subset;

void rdoq_open_suite(void);
void rdoq_close_suite(void);
uint32_t rdoq_below(uint32_t n);
double rdoq_draw_unit(void);

/* Blocks of all shapes, for slopes over the whole range; 0: blocks are left as they are. */
void rdoq_draw_picture(void);
/* A weight with which blocks of the slope end about at a plane. */
wvl_cuda_t1_weight rdoq_draw_weight(uint32_t slope, int plane);
/* A block as the CPU has it. */
wvl_block_input rdoq_describe(uint32_t block);
wvl_band_coding rdoq_band_of(uint32_t block);
/* run: on a device with what is given; check: what it has got, with the address of its memory. */
void rdoq_check_devices(void (*run)(const rdoq_load *l), void (*check)(wvl_cuda_address at));

#endif
