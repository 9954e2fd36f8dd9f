/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block coders of jobs of whole pictures: what differs between HT (ht_picture.c) and EBCOT (t1_picture.c). Places of
 * both stand side by side in a layout; a coder uses its own.
 */
#ifndef WVL_CUDA_HOST_CODER_H
#define WVL_CUDA_HOST_CODER_H

#include "cuda/blocks/ht_job.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/host/coders/block_walk.h"
#include "cuda/host/coders/rdoq_blocks.h"
#include "cuda/host/memory/device.h"
#include "cuda/packets/packets_job.h"
#include "cuda/rate/rate_job.h"

/* The driver has eight queues for streams: short kernels in more would wait for each other where nothing asks for it.
 */
#define WVL_CUDA_COMPUTE_STREAMS 8u
/* Where blocks take milliseconds and little of the device: as many kernels as a device runs at a time. */
#define WVL_CUDA_SLOW_STREAMS 128u

/* Scratch memory of most EBCOT slots: a half of what the worst blocks need. Photographs take a third (D-device-17). */
#define WVL_CUDA_T1_SCRATCH_PARTS 2u

/* Tables of a second coding (wvl_cuda_t1_job.blocks, states, records, gains, passes). */
#define WVL_CUDA_CODER_AGAIN 5u

/* Offsets. */
typedef struct wvl_cuda_coder_layout {
    /* On the device, of a slot: */
    uint64_t blocks, errors;
    uint64_t scratch, scratch_bytes; /* at the end of the slot; the most that blocks can need */
    uint64_t coefs;                  /* known before a coder places its own */
    uint64_t records;
    uint64_t counters;                   /* among what is set to 0 before the kernels */
    uint64_t parts, totals;              /* HT */
    uint64_t states, order, items, sent; /* EBCOT, */
    uint64_t passes, values, cuts, segments, bodies, candidates, changed, groups, notes,
        outcome;                         /* with rate control, */
    uint64_t sent_before, since, layers; /* and with several layers */
    uint64_t lifts;                      /* with rectangles of interest, beside coded and copies */
    uint64_t sets, set_order, set_records, set_parts, set_words, step, lists_of_sets, planes, scaled,
        scaled_plain;                                       /* HT, too */
    uint64_t coded, copies, changes, block_weights, survey; /* with rdoq, */
    uint64_t again[WVL_CUDA_CODER_AGAIN];                   /* of blocks that are coded again */
    /* On the device, of the backend: */
    uint64_t lists, weights, tables;
} wvl_cuda_coder_layout;

/* The job of one coder, the other one is not used. Without what belongs to a slot in wvl_cuda_pictures. */
typedef struct wvl_cuda_coder_job {
    wvl_cuda_ht_job ht;
    wvl_cuda_t1_job t1;
    wvl_cuda_rate_job rate;  /* without t1, packets and sets */
    int chooses;             /* rate control follows the EBCOT coder */
    wvl_cuda_rate_sets sets; /* with HT blocks */
    wvl_cuda_rdoq_job rdoq;  /* with rdoq, as the next two: without t1 */
    wvl_cuda_rdoq_phases phases;
    wvl_cuda_rdoq_shapes shapes;
} wvl_cuda_coder_job;

/* What places and sizes follow from. */
typedef struct wvl_cuda_coder_view {
    const wvl_plan *plan;
    const wvl_assembly *assembly;
    const wvl_tile_plan *tiles; /* [tile_count]: the picture */
    uint32_t tile_count;
    uint64_t block_count;
    const uint32_t *places; /* [block_count]: where blocks lie in tables; NULL: as block_walk.h numbers them */
    const uint8_t *kinds;   /* the same, with rdoq: rdoq_job.h */
    const wvl_cuda_rdoq_phases *phases; /* with rdoq */
} wvl_cuda_coder_view;

/* Where a block lies in tables. */
static inline uint64_t wvl_cuda_find_block(const wvl_cuda_coder_view *view, uint64_t block)
{
    return view->places ? view->places[block] : block;
}

typedef struct wvl_cuda_coder {
    uint32_t block_bytes;   /* of an entry of the table of blocks */
    uint32_t counter_count; /* 32-bit words */
    uint32_t pieces;        /* of a block, as wvl_cuda_packets_measure takes it */
    uint32_t streams;       /* for kernels, that slots share (D-device-09) */
    uint32_t list_count;    /* lists of blocks that sort() fills */
    uint32_t scratch_parts; /* most slots have 1 / scratch_parts of the most scratch memory (D-device-17) */
    /* Memory of a slot, beside blocks, errors and counters; of scratch memory the most that it can need alone. */
    void (*place)(const wvl_cuda_coder_view *view, wvl_cuda_coder_layout *layout, uint64_t *end);
    /* Entries of all blocks; coefficients and bounds of the tiles follow one another at these addresses. */
    void (*list_blocks)(const wvl_cuda_coder_view *view, uint64_t coefs, uint64_t bounds, void *blocks);
    /* Fills lists[list_count][block_count], and what of the job does not depend on addresses. */
    void (*sort)(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job);
    /* More tables that all slots share; NULL: none. Bytes of them, at most 2^22 blocks. */
    uint64_t (*measure_tables)(const wvl_cuda_coder_view *view);
    void (*fill_tables)(const wvl_cuda_coder_view *view, void *tables);
    /* Addresses of a slot at `slot`, with what all slots share at `shared`; and where packets find the blocks. The
     * layout has the slot's own scratch_bytes. */
    void (*set_job)(const wvl_cuda_coder_view *view, const wvl_cuda_coder_layout *layout, wvl_cuda_address slot,
                    wvl_cuda_address shared, wvl_cuda_coder_job *job, wvl_cuda_packets_job *packets);
    /* Other values of targets and caps in a job that set_job made; NULL: there are none. */
    void (*set_values)(const wvl_plan *plan, wvl_cuda_coder_job *job);
    wvl_cuda_status (*launch)(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route);
} wvl_cuda_coder;

extern const wvl_cuda_coder wvl_cuda_coder_ht, wvl_cuda_coder_sets, wvl_cuda_coder_t1, wvl_cuda_coder_rdoq;

/* An EBCOT block as tables have it; one of the shape of the band's slots: none is larger. */
wvl_cuda_t1_block wvl_cuda_describe_t1_block(const wvl_cuda_walk_block *from);
wvl_cuda_t1_block wvl_cuda_describe_t1_slot(const wvl_tile_band *band, const wvl_coding *coding);
/* blocks[block_count of all tiles]: coefficients and bounds of the tiles follow one another at these addresses. */
void wvl_cuda_list_t1_blocks(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs,
                             uint64_t bounds, wvl_cuda_t1_block *blocks);
/* weights: wvl_cuda_t1_weight[block_count], band by band; as see() of wvl_cuda_walk_bands. */
void wvl_cuda_put_t1_weights(void *weights, const wvl_cuda_walk_band *band);

/* The coder of a picture's blocks. NULL: they are coded on the CPU; *why: why. Pure. */
const wvl_cuda_coder *wvl_cuda_choose_coder(const wvl_plan *plan, const char **why);

#endif
