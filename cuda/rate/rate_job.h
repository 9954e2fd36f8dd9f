/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels of rate control read and write: flat tables in device memory, the same on both sides. Addresses are
 * those of the device. cuda/rate/README.md names the kernels.
 *
 * The blocks of a picture have records of passes, gains and slopes (cuda/blocks/t1_job.h). HT blocks have them too
 * (cuda/rate/sets.cu): passes of a set are those of the planes that they code. Precincts of a picture are numbered tile
 * by tile, as tiles number them; each has a packet in each layer.
 */
#pragma once

#include "codec/core/step.h"
#include "cuda/blocks/ht_job.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/packets/packets_job.h"

/* What a block sends up to the layer in work. least..most: thresholds that all lead to this cut; most 0: none is known.
 */
typedef struct wvl_cuda_rate_cut {
    uint32_t bytes;
    uint16_t least, most;
    uint32_t passes;
} wvl_cuda_rate_cut;

/* What layers before have sent of a block, and how much its Lblock has grown. */
typedef struct wvl_cuda_rate_sent {
    uint32_t bytes;
    uint8_t passes, growth;
    uint16_t room;
} wvl_cuda_rate_sent;

/* What a layer asks for, of several (codec/rate/layers.c). */
typedef struct wvl_cuda_rate_layer {
    uint64_t budget; /* of the codestream up to it; UINT64_MAX: none */
    double share;    /* of an automatic layer: its part of the bytes on the hulls that the next given layer takes, which
                        are those at `least`, but not more than `room`. 0: it has a target of its own */
    double room;
    uint32_t least;        /* threshold */
    uint32_t fills_always; /* as in wvl_cuda_rate_job */
} wvl_cuda_rate_layer;

#define WVL_CUDA_RATE_MOST_LAYERS 64u /* their values are arguments of kernels */

/* A cap group (wvl_plan_cap_group()); without caps of components there is one. */
typedef struct wvl_cuda_rate_group {
    uint64_t sent;      /* bytes of its packets and their PLT lengths in layers before */
    uint64_t bytes;     /* of its packets and their PLT lengths, as measured last */
    double rest;        /* of the group beside its bytes on the hulls, as measured last */
    uint32_t threshold; /* of the cuts */
    uint32_t floor;     /* least threshold that keeps the cap, */
    uint32_t bad;       /* highest known to break it, plus one, */
    uint32_t is_open;   /* and whether the floor is being searched */
    uint32_t lowest;    /* threshold that was looked at; the prediction's: where blocks stop */
    uint32_t spare;
} wvl_cuda_rate_group;

/* HT: by how much steps become coarser for the target, and what that is found from. Zeroed before the kernels. */
typedef struct wvl_cuda_rate_step {
    wvl_step_ends ends;
    uint32_t sixteenths; /* of an octave */
    uint32_t first_set;  /* of the second coding: as wvl_block_input has it */
    uint32_t asked;      /* there is a second coding */
    uint32_t room;
} wvl_cuda_rate_step;

/* HT: what follows from plan and picture. */
typedef struct wvl_cuda_rate_sets {
    wvl_cuda_ht_job ht;   /* a block for each set that a code block may have: [block_count][pitch], by plane */
    uint32_t pitch;       /* 0: blocks are EBCOT blocks */
    uint32_t passes;      /* most of a set */
    uint64_t step;        /* wvl_cuda_rate_step; 0: steps stay */
    uint64_t steps;       /* wvl_assembly_step[WVL_STEP_SIXTEENTHS][step_count] */
    uint64_t block_steps; /* uint32_t[block_count]: which of them */
    /* Written for the second coding: planes uint8_t[block_count], Mb of the coarser steps; wvl_cuda_t1_weight and
     * double as hull_weights and block_weights have them. */
    uint64_t planes, weights, plain_weights;
    uint32_t step_count;
    uint32_t is_second; /* the second coding */
} wvl_cuda_rate_sets;

#define WVL_CUDA_RATE_THREADS 384u /* at most: shared memory is laid out for them; for more, registers are too few */
#define WVL_CUDA_RATE_BLOCKS 8u    /* thread blocks of a cluster: as many as any device of 9.0 holds */
#define WVL_CUDA_RATE_FEW_BLOCKS 1024u
#define WVL_CUDA_RATE_FEW_THREADS 128u /* of pictures of so few blocks: fewer threads wait for each other */
#define WVL_CUDA_RATE_WARP_NODES 256u  /* tag nodes of packets whose header a warp codes */
#define WVL_CUDA_RATE_BODIES_THREADS 64u
#define WVL_CUDA_RATE_SCALE_THREADS 256u /* a warp a block */
#define WVL_CUDA_RATE_CANDIDATES 6u      /* of a block: passes beyond its cut (codec/rate/fill.c) */
#define WVL_CUDA_RATE_TRIES 384u
#define WVL_CUDA_RATE_SORTED 512u /* a power of two that holds them */

/* The argument of all kernels. */
typedef struct wvl_cuda_rate_job {
    wvl_cuda_t1_job t1;
    wvl_cuda_packets_job packets; /* of one picture; `blocks`, `errors`, `notes` and `outcome` are written */
    uint64_t ranked;        /* wvl_assembly_place[block_count]: in the order of precincts; `packet` numbers these */
    uint64_t layer_packets; /* uint32_t[layer_count][precinct_count] */
    uint64_t cuts;          /* wvl_cuda_rate_cut[block_count] */
    uint64_t segments;   /* uint32_t[block_count][segment_most]: those that packets->blocks name; 0: a block has one */
    uint64_t bodies;     /* uint64_t[followed][WVL_SLOPES]: 0, before the kernels */
    uint64_t candidates; /* uint64_t[WVL_CUDA_RATE_CANDIDATES * block_count] */
    uint64_t changed;    /* uint32_t[precinct_count] */
    uint64_t sent;       /* wvl_cuda_rate_sent[block_count], of several layers; 0: of one */
    uint64_t groups;     /* wvl_cuda_rate_group[group_count] */
    uint64_t precinct_groups; /* uint16_t[precinct_count]; 0: all are of group 0 */
    uint64_t group_overhead;  /* with a cap: uint64_t[group_count], bytes of part headers that count for the group;
                                 then uint64_t[group_count], bytes of its packets in a layer that sends nothing */
    uint64_t block_weights;   /* double[block_count]: as wvl_cuda_t1_job.block_weights */
    uint64_t asked;           /* a word: 0 there, and the kernels do nothing; 0: none */
    uint64_t budget;          /* of the codestream; UINT64_MAX: none. As `least` and fills_always of the last layer */
    uint64_t component_cap;   /* of each group; 0: none */
    uint64_t overhead_bytes;  /* of the codestream beside packets and PLT */
    uint32_t group_count;
    uint32_t followed;     /* wvl_plan_rate_groups(): all groups, or 1 */
    uint32_t fills_always; /* last bytes are used where the threshold is the least one, too */
    uint32_t least;        /* threshold */
    uint32_t reach;        /* wvl_rate_reach() */
    uint32_t segment_most;
    wvl_cuda_rate_sets sets;
    uint32_t is_wide;   /* where the device has clusters, one chooses: for the time of one picture */
    uint32_t deeper;    /* thresholds that EBCOT's first round goes below what the prediction says */
    int32_t depth_bias; /* added to the predicted stop: tests make it wrong */
    uint32_t precinct_count;
    uint64_t empty_layer_bytes; /* for the host: packets of a layer that sends nothing, with PLT */
    wvl_cuda_rate_layer layers[WVL_CUDA_RATE_MOST_LAYERS]; /* of several layers: all; else not read */
} wvl_cuda_rate_job;

/* Says whether bytes on the hulls are asked for. */
WVL_HD int wvl_cuda_rate_asks_bodies(uint64_t budget, uint64_t component_cap, uint32_t layer_count)
{
    return budget != UINT64_MAX || component_cap || layer_count > 1;
}

/* Rounds of blocks, from lists to rate control: as deep as predicted; what was left too early, a plane deeper; what
 * still was, in full; all others, in full. */
#define WVL_CUDA_RATE_ROUNDS 4u

/* 32-bit words of shared memory: keys of candidates, bins, then what packet headers take. */
#define WVL_CUDA_RATE_KEYS 0u
#define WVL_CUDA_RATE_BINS (2u * WVL_CUDA_RATE_SORTED)
#define WVL_CUDA_RATE_VARIABLES (WVL_CUDA_RATE_BINS + 256u)
#define WVL_CUDA_RATE_TRIED (WVL_CUDA_RATE_VARIABLES + 4u)
#define WVL_CUDA_RATE_HEAD (WVL_CUDA_RATE_VARIABLES + 16u)
#define WVL_CUDA_RATE_CREW_SUMS 32u /* words behind those that sums of a thread block take */
#define WVL_CUDA_RATE_WARP_WORDS (WVL_CUDA_PACKETS_HEAD_NODES(32u) + WVL_CUDA_RATE_WARP_NODES)
#define WVL_CUDA_RATE_WORDS                                                                                            \
    (WVL_CUDA_RATE_HEAD + WVL_CUDA_PACKETS_HEAD_NODES(WVL_CUDA_RATE_THREADS) + WVL_CUDA_PACKETS_WIDE_NODES)

/* HT blocks of later rounds: the tables of the HT coder, and what the passes of a set take. */
#define WVL_CUDA_RATE_REPEAT_WORDS (WVL_CUDA_HT_TABLE_WORDS + WVL_CUDA_HT_ANY_WORDS(4u))
