/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT blocks of a job, coded on the device behind its transform (cuda/blocks). submit queues all blocks with everything
 * else; bytes go straight to pinned memory, so only those that there are cross the bus. Blocks that found no room in
 * scratch memory are coded later, in parts, by the first order. Orders are answered from what is there: blocks of these
 * plans are coded in one way only.
 */
#ifndef WVL_CUDA_HOST_CODE_H
#define WVL_CUDA_HOST_CODE_H

#include "cuda/blocks/ht_launch.h"
#include "cuda/host/device.h"
#include "cuda/host/layout.h"

/* A coded block, as the parts left it. */
typedef struct wvl_cuda_done {
    uint64_t bytes_at; /* from the job's output */
    uint32_t bytes;
    uint16_t samples;
    uint8_t pass_count, planes, energy_shift;
    uint64_t energy;
    int64_t gain_quarters;
} wvl_cuda_done;

typedef struct wvl_cuda_code {
    wvl_device *device;
    const wvl_plan *plan;
    const wvl_cuda_layout *layout;
    uint8_t *host, *pinned; /* of the slot */
    uint64_t pinned_address;
    wvl_cuda_address address; /* of its device memory */
    wvl_cuda_stream stream;
    wvl_cuda_event event;
    /* Of the job at work: */
    const wvl_tile_plan *tiles;
    uint32_t tile_count;
    int is_settled; /* every block is coded, or the job failed with `status` */
    wvl_status status;
    uint64_t output_used;
    wvl_cuda_ht_job job;
    /* The tables in pinned memory are those of these tiles; count 0: of none. */
    uint32_t built_tile, built_count;
    uint64_t built_strip; /* number of strips that are alike (wvl_tile_plan.strip) */
} wvl_cuda_code;

/* Whether the device codes the blocks of such a plan. *why: why not. Pure. */
int wvl_cuda_can_code_blocks(const wvl_plan *plan, const char **why);
/* Bytes that scratch memory takes so that few pictures need a second part, and those that output may take. Pure. */
void wvl_cuda_measure_code(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                           uint64_t *scratch_bytes, uint64_t *output_bytes);
/* Scratch memory that holds whatever the blocks are. Pure. */
uint64_t wvl_cuda_measure_most_scratch(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count);
/* blocks[block_count of all tiles]: coefficients and bounds of the tiles follow one another at these addresses. */
void wvl_cuda_list_blocks(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                          uint64_t bounds, wvl_cuda_ht_block *blocks);
/* Of the passes of a block, with gains and slopes where the plan has them. */
uint64_t wvl_cuda_count_pass_bytes(const wvl_plan *plan);

/* Fills the tables in pinned memory, which are then to be uploaded. The members above `is_settled` are set. */
void wvl_cuda_build_code(wvl_cuda_code *code);
/* Queues all blocks, behind the transform. */
wvl_cuda_status wvl_cuda_queue_code(wvl_cuda_code *code);
/* As wvl_backend_vtable.code, when what was queued is done and records are in pinned memory. Waits for the device where
 * blocks are left. */
wvl_status wvl_cuda_answer_order(wvl_cuda_code *code, const wvl_block_order *order, wvl_block_batch *batch);

#endif
