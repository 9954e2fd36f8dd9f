/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels of rate control read and write: flat tables in device memory, the same on both sides. Addresses are
 * those of the device. cuda/rate/README.md names the kernels.
 *
 * A picture has one layer, and its EBCOT blocks have records of passes, gains and slopes (cuda/blocks/t1_job.h).
 */
#ifndef WVL_CUDA_RATE_JOB_H
#define WVL_CUDA_RATE_JOB_H

#include "cuda/blocks/t1_job.h"
#include "cuda/packets/packets_job.h"

/* What a block sends. least..most: thresholds that all lead to this cut; most 0: none is known. */
typedef struct wvl_cuda_rate_cut {
    uint32_t bytes;
    uint16_t least, most;
    uint32_t passes;
} wvl_cuda_rate_cut;

#define WVL_CUDA_RATE_THREADS 512u
#define WVL_CUDA_RATE_BODIES_THREADS 64u
#define WVL_CUDA_RATE_CANDIDATES 6u /* of a block: passes beyond its cut (codec/rate/fill.c) */
#define WVL_CUDA_RATE_TRIES 384u
#define WVL_CUDA_RATE_SORTED 512u /* a power of two that holds them */

/* The argument of all kernels. */
typedef struct wvl_cuda_rate_job {
    wvl_cuda_t1_job t1;
    wvl_cuda_packets_job packets; /* of one picture; `blocks`, `errors`, `notes` and `outcome` are written */
    uint64_t ranked;              /* wvl_assembly_place[place_count]: in the order of tiles, precincts and blocks */
    uint64_t cuts;                /* wvl_cuda_rate_cut[block_count] */
    uint64_t segments;   /* uint32_t[block_count][segment_most]: those that packets->blocks name; 0: a block has one */
    uint64_t bodies;     /* uint64_t[WVL_SLOPES]: 0, before the kernels */
    uint64_t candidates; /* uint64_t[WVL_CUDA_RATE_CANDIDATES * block_count] */
    uint64_t block_weights;  /* double[block_count]: as wvl_cuda_t1_job.block_weights */
    uint64_t budget;         /* of the codestream; UINT64_MAX: none */
    uint64_t overhead_bytes; /* of the codestream beside packets and PLT */
    uint32_t least;          /* threshold */
    uint32_t reach;          /* wvl_rate_reach() */
    uint32_t segment_most;
    int32_t depth_bias; /* added to the predicted stop: tests make it wrong */
} wvl_cuda_rate_job;

/* Rounds of blocks, from lists to rate control: as deep as predicted; what was left too early, a plane deeper; what
 * still was, in full; all others, in full. */
#define WVL_CUDA_RATE_ROUNDS 4u

/* 32-bit words of shared memory: keys of candidates, bins, then what packet headers take. */
#define WVL_CUDA_RATE_KEYS 0u
#define WVL_CUDA_RATE_BINS (2u * WVL_CUDA_RATE_SORTED)
#define WVL_CUDA_RATE_VARIABLES (WVL_CUDA_RATE_BINS + 256u)
#define WVL_CUDA_RATE_HEAD (WVL_CUDA_RATE_VARIABLES + 16u)
#define WVL_CUDA_RATE_WORDS                                                                                            \
    (WVL_CUDA_RATE_HEAD + WVL_CUDA_PACKETS_HEAD_NODES(WVL_CUDA_RATE_THREADS) + WVL_CUDA_PACKETS_WIDE_NODES)

#endif
