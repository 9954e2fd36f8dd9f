/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block coder on a device: what differs between HT blocks (ht.c), HT blocks with rate control (ht_sets.c), EBCOT
 * blocks (t1_picture.c, t1_waves.c) and EBCOT blocks with rdoq (rdoq_picture.c). Jobs of whole pictures (host/pictures)
 * and jobs of waves (wave_coder.h) use the same table.
 */
#pragma once

#include "cuda/host/coders/layout.h"
#include "cuda/host/coders/rdoq_blocks.h"
#include "cuda/host/memory/device.h"

/* The driver has eight queues for streams: short kernels in more would wait for each other where nothing asks for it.
 */
#define WVL_CUDA_COMPUTE_STREAMS 8u
/* Blocks take milliseconds and little of the device: as many kernels as a device runs at a time. */
#define WVL_CUDA_SLOW_STREAMS 128u

/* Scratch memory of most EBCOT workspaces: a half of what the worst blocks need. Photographs take a third
 * (D-device-17). */
#define WVL_CUDA_T1_SCRATCH_PARTS 2u

/* What a coder is given of a picture's memory. Offsets: in a workspace up to scratch_bytes, in what workspaces share
 * the next three. A coder takes its own from `end` on, in the same order for every workspace. */
typedef struct wvl_cuda_coder_places {
    wvl_cuda_address workspace, shared; /* where they begin; 0: sizes alone are wanted */
    uint64_t blocks, errors, counters, coefs, scratch;
    uint64_t scratch_bytes; /* of the workspace; those of one with all memory are what place() says */
    uint64_t lists, weights, tables;
    uint64_t end;
} wvl_cuda_coder_places;

/* The next `count` in a workspace. Returns their address. */
static inline wvl_cuda_address wvl_cuda_take_place(wvl_cuda_coder_places *places, uint64_t count, uint64_t size)
{
    return places->workspace + wvl_cuda_place(&places->end, count, size);
}

/* The job of one coder, the other one is not used. Without what belongs to a workspace in wvl_cuda_pictures. */
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

/* What places and sizes follow from. Waves: the first three. */
typedef struct wvl_cuda_coder_view {
    const wvl_plan *plan;
    const wvl_tile_plan *tiles; /* [tile_count] */
    uint32_t tile_count;
    const wvl_assembly *assembly;
    uint64_t block_count;
    const uint32_t *places;             /* [block_count]: where blocks lie in tables; NULL: by their numbers */
    const uint8_t *kinds;               /* the same, with rdoq: rdoq_job.h */
    const wvl_cuda_rdoq_phases *phases; /* with rdoq */
} wvl_cuda_coder_view;

/* A band that has blocks, and one of its blocks. */
typedef struct wvl_cuda_walk_band {
    const wvl_cuda_coder_view *view;
    const wvl_tile_band *band;
    const wvl_coding *coding;
    const wvl_tile_plan *tile;
    uint32_t component;
    uint64_t first_block, count; /* numbers of blocks: tile by tile, and in each as its plan has them */
    uint64_t coefs, bounds;      /* of the tile: as wvl_cuda_walk_blocks was given for the first one */
    uint64_t nothing;            /* address of a bound of 0: the word behind all of them (wvl_cuda_layout.outside) */
} wvl_cuda_walk_band;
typedef struct wvl_cuda_walk_block {
    const wvl_cuda_walk_band *in;
    uint64_t coefs, bound; /* addresses. Blocks in the margins of a strip have a bound of 0: nothing is coded of them */
    wvl_rect rect;         /* on the band's own grid */
    uint16_t width, height;
} wvl_cuda_walk_block;

/* Coefficients and bounds of the tiles follow one another at these addresses; place: of the block in
 * tables. */
void wvl_cuda_walk_bands(const wvl_cuda_coder_view *view, uint64_t coefs, uint64_t bounds,
                         void (*see)(void *user, const wvl_cuda_walk_band *band), void *user);
void wvl_cuda_walk_blocks(const wvl_cuda_coder_view *view, uint64_t coefs, uint64_t bounds,
                          void (*put)(void *user, uint64_t place, const wvl_cuda_walk_block *block), void *user);

typedef struct wvl_cuda_code wvl_cuda_code; /* wave_coder.h */
typedef struct wvl_cuda_done wvl_cuda_done;

/* Parts of a layout of waves. UP: what is uploaded. DOWN: what comes back. BELOW: what stays on the device, and ends
 * it. HOST: memory of the host. */
typedef enum wvl_cuda_wave_part {
    WVL_CUDA_PART_UP,
    WVL_CUDA_PART_DOWN,
    WVL_CUDA_PART_BELOW,
    WVL_CUDA_PART_HOST
} wvl_cuda_wave_part;

typedef struct wvl_cuda_coder {
    uint32_t block_bytes;   /* of an entry of the table of blocks */
    uint32_t counter_count; /* 32-bit words */
    /* Entries of all blocks; coefficients and bounds of the tiles follow one another at these addresses. */
    void (*list_blocks)(const wvl_cuda_coder_view *view, uint64_t coefs, uint64_t bounds, void *blocks);

    /* ---- Whole pictures ---- */
    uint32_t pieces;        /* of a block, as wvl_cuda_packets_measure takes it */
    uint32_t streams;       /* for kernels, that workspaces share (D-device-09) */
    uint32_t list_count;    /* lists of blocks that sort() fills */
    uint32_t scratch_parts; /* most workspaces have 1 / scratch_parts of the most scratch memory (D-device-17) */
    /* Takes the workspace's memory and sets the addresses of its job, and where packets find the blocks. Returns the
     * most scratch memory that the blocks can need. */
    uint64_t (*place)(const wvl_cuda_coder_view *view, wvl_cuda_coder_places *places, wvl_cuda_coder_job *job,
                      wvl_cuda_packets_job *packets);
    /* Fills lists[list_count][block_count], and what of the job does not depend on addresses. */
    void (*sort)(const void *blocks, uint32_t count, uint32_t *lists, wvl_cuda_coder_job *job);
    /* More tables that all workspaces share; NULL: none. Bytes of them, at most 2^22 blocks. */
    uint64_t (*measure_tables)(const wvl_cuda_coder_view *view);
    void (*fill_tables)(const wvl_cuda_coder_view *view, void *tables);
    /* Other values of targets and caps in a job that has its addresses; NULL: there are none. */
    void (*set_values)(const wvl_plan *plan, wvl_cuda_coder_job *job);
    wvl_cuda_status (*launch)(const wvl_device *device, const wvl_cuda_coder_job *job,
                              const wvl_cuda_packets_job *packets, wvl_cuda_route route);

    /* ---- Waves; NULL: the CPU codes such blocks ---- */
    /* Sizes, from plan and tiles alone; layout->block_count is set. */
    void (*measure_wave)(const wvl_cuda_coder_view *view, wvl_cuda_layout *layout);
    void (*place_wave)(const wvl_plan *plan, wvl_cuda_wave_part part, wvl_cuda_layout *layout, uint64_t *end);
    /* Fills the tables of a job in pinned memory, beside that of blocks. */
    void (*build_wave)(wvl_cuda_code *code);
    /* Queues all blocks, behind the transform. */
    wvl_cuda_status (*queue_wave)(wvl_cuda_code *code);
    /* What was queued is done: every block gets its wvl_cuda_done, or the job has failed. */
    wvl_status (*settle_wave)(wvl_cuda_code *code);
    /* The passes of a block that has some, in the form of codec/t2/coded_tile.h. NULL: they are there. */
    void (*put_passes)(const wvl_cuda_code *code, const wvl_band_coding *band, const wvl_cuda_done *done, uint8_t *to);
} wvl_cuda_coder;

extern const wvl_cuda_coder wvl_cuda_coder_ht, wvl_cuda_coder_sets, wvl_cuda_coder_t1, wvl_cuda_coder_rdoq;

/* The coder of a plan's blocks in jobs that reach PACKETS, or BLOCKS in waves. NULL: they are coded on the CPU; *why:
 * why. Pure. */
const wvl_cuda_coder *wvl_cuda_choose_coder(const wvl_plan *plan, wvl_reach reach, const char **why);
/* How pictures are coded that share a device with others. No byte depends on it. */
enum {
    WVL_CUDA_PACE_MANY, /* for most pictures a second */
    WVL_CUDA_PACE_SOME, /* the device has room: lists take less time, and more of it */
    WVL_CUDA_PACE_FEW,  /* for the time of one picture */
    WVL_CUDA_PACES
};
/* in_flight: pictures, the one at hand among them. */
unsigned wvl_cuda_find_pace(const wvl_plan *plan, uint32_t in_flight);
/* What of the jobs depends on the pace. Blocks are EBCOT's; t1 is sorted. rate: NULL in jobs of waves. Returns the pace
 * that leads to the same launches, so that they have one graph. */
unsigned wvl_cuda_set_pace(const wvl_device *device, unsigned pace, wvl_cuda_t1_job *t1, wvl_cuda_rate_job *rate);
/* Says whether passes are chosen; else all are sent. */
int wvl_cuda_chooses_passes(const wvl_plan *plan);
/* Blocks of a picture are all HT, or none is. */
static inline int wvl_cuda_is_ht(const wvl_plan *plan) { return (plan->syntax.codings[0].style & WVL_STYLE_HT) != 0; }

/* An EBCOT block of the shape of the band's cells: none is larger. */
wvl_cuda_t1_block wvl_cuda_describe_t1_cell(const wvl_tile_band *band, const wvl_coding *coding);
/* weights: wvl_cuda_t1_weight[block_count]; as put() of wvl_cuda_walk_blocks. */
void wvl_cuda_put_t1_weight(void *weights, uint64_t place, const wvl_cuda_walk_block *block);
/* Entries of wvl_cuda_coder_t1 that others have too. */
void wvl_cuda_list_t1_blocks(const wvl_cuda_coder_view *view, uint64_t coefs, uint64_t bounds, void *blocks);
void wvl_cuda_set_rate_values(const wvl_plan *plan, wvl_cuda_coder_job *job);
/* Waves of wvl_cuda_coder_t1. */
void wvl_cuda_measure_t1_wave(const wvl_cuda_coder_view *view, wvl_cuda_layout *layout);
void wvl_cuda_place_t1_wave(const wvl_plan *plan, wvl_cuda_wave_part part, wvl_cuda_layout *layout, uint64_t *end);
void wvl_cuda_build_t1_wave(wvl_cuda_code *code);
wvl_cuda_status wvl_cuda_queue_t1_wave(wvl_cuda_code *code);
wvl_status wvl_cuda_settle_t1_wave(wvl_cuda_code *code);
