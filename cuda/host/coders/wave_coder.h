/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks of a job, coded on the device behind its transform (cuda/blocks). submit queues all blocks with everything
 * else, and a copy of as many coded bytes as there will probably be to pinned memory (wave_coder.c). The first order
 * fetches the rest. Blocks that found no room are coded later, in parts, by the first order too. Orders are answered
 * from what is there: blocks of these plans are coded in one way only.
 *
 * What goes in is the same for both kinds of blocks: coefficients and bounds of tiles, which follow one another on the
 * device; and so is what comes out: wvl_cuda_done of every block, bytes and passes in memory of the host. In between
 * stands a wvl_cuda_coder.
 */
#pragma once

#include "cuda/host/coders/coder.h"

/* A coded block, as the parts left it. */
struct wvl_cuda_done {
    uint64_t bytes_at, passes_at; /* from code.bytes, from code.passes */
    uint32_t bytes;
    uint16_t samples;
    uint8_t pass_count, planes, zero_planes, lift, energy_shift;
    uint64_t energy;
    int64_t gain_quarters; /* HT: of the one pass that there is */
};

struct wvl_cuda_code {
    wvl_device *device;
    const wvl_plan *plan;
    const wvl_cuda_coder *coder;
    const wvl_cuda_layout *layout;
    uint8_t *host, *pinned;   /* of the workspace */
    wvl_cuda_address address; /* of its device memory */
    uint64_t spare_bytes;     /* Part 1: from layout->work on */
    wvl_cuda_stream stream;
    wvl_cuda_event event;
    /* The job at work: */
    const wvl_tile_plan *tiles;
    uint32_t tile_count;
    int is_settled; /* every block is coded, or the job failed with `status` */
    wvl_status status;
    uint64_t room_bytes;          /* for coded bytes, on the device at layout->coded */
    uint64_t work_at, work_bytes; /* Part 1: offset on the device; work of a portion */
    uint64_t fetched_bytes;       /* of the last launch, that the output has; */
    int is_predicted;             /* it is the first, and they were predicted */
    uint64_t output_used;
    wvl_cuda_ht_job job; /* HT */
    /* The tables in pinned memory are those of these tiles; count 0: of none. */
    uint32_t built_tile, built_count;
    uint64_t built_strip;         /* number of strips that are alike (wvl_tile_plan.strip), */
    wvl_cuda_layout built_layout; /* which lie in memory otherwise where they begin at other rows */
    /* Where bytes and passes of blocks lie, and how many bytes that takes; lists of chunks have room for them. */
    uint8_t *bytes, *passes;
    uint64_t byte_room, pass_room;
    const uint8_t **chunks, **pass_chunks;
    /* Part 1: what the output did not hold, behind a list of its chunks. NULL: it held all. */
    uint8_t *spill;
    uint64_t spill_bytes, spill_used;
};

/* Fills the tables in pinned memory, which are then to be uploaded. The members above `is_settled` are
 * set. */
void wvl_cuda_build_code(wvl_cuda_code *code);
/* Gives back what the last job took beyond its workspace. */
void wvl_cuda_drop_code(wvl_cuda_code *code);
/* Magnitudes of a block keep the bound that the plan proved. */
int wvl_cuda_is_bounded(const wvl_cuda_code *code, uint64_t block, unsigned frac_bits, unsigned planes);
/* Queues the copy of what will probably be coded, behind the blocks. */
wvl_cuda_status wvl_cuda_queue_output(wvl_cuda_code *code);
/* Waits for what was queued after the job itself. With an error, `queued` or a later one, nothing of it runs any more
 * either: the workspace may get another job. */
wvl_cuda_status wvl_cuda_await_code(const wvl_cuda_code *code, wvl_cuda_status queued);
/* What a launch has coded, `bytes` of it, is in the output from `to` on. Waits for the device where less was copied.
 * The next launch may follow. */
wvl_status wvl_cuda_fetch_output(wvl_cuda_code *code, uint64_t to, uint64_t bytes);
/* The function of wvl_backend_vtable.code, when what was queued is done and records are in pinned memory. Waits for the
 * device where blocks are left. */
wvl_status wvl_cuda_answer_order(wvl_cuda_code *code, const wvl_block_order *order, wvl_block_batch *batch);
