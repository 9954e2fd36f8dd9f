/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What optimised quantisation and its survey read and write on a device: flat tables in device memory, the same on both
 * sides. Addresses are those of the device. cuda/rdoq/README.md names the kernels.
 *
 * Blocks have two tables: `originals` as the transform delivered them, and t1.blocks as they are coded. The kernels
 * write the second one.
 */
#pragma once

#include "codec/core/descent.h"
#include "cuda/blocks/t1_job.h"

/* What became of a block. A block that was not changed has no error. */
typedef struct wvl_cuda_rdoq_change {
    uint64_t error_low, error_high; /* wvl_rdoq_error: what gains of passes do not see */
    uint32_t bound;                 /* of the changed samples; t1.blocks names it then */
    uint16_t end_slope;             /* that it is quantised for */
    uint8_t is_changed;             /* as in wvl_block_record */
    uint8_t is_again;               /* the last launch changed it, as one of few */
} wvl_cuda_rdoq_change;

/* Sums over a part of the blocks (wvl_survey_sums), and bytes on their hulls by slope. */
typedef struct wvl_cuda_rdoq_part {
    uint64_t weight, weighed; /* of weighed blocks, and their samples */
    uint64_t seen;            /* weights of blocks in the bins */
    uint64_t bins[WVL_DEPTH_BINS];
} wvl_cuda_rdoq_part;

/* What the survey has found so far. Zero before the first kernel. */
typedef struct wvl_cuda_rdoq_survey {
    uint32_t guess;      /* the first slope, less WVL_SURVEY_LEAST_GUESS */
    uint32_t is_far_off; /* all blocks are to be coded again (codec/write/recode.h, REQUANTISED) */
    uint32_t off, last;  /* blocks whose slopes are far off; blocks that must not have been changed */
    uint32_t nothing;    /* 0: the bound of blocks that are not coded again */
    uint32_t arrived;    /* thread blocks of a launch that are done; 0 between launches */
    uint32_t bins;       /* that anything may lie in: those of the gentlest slopes */
    uint32_t slopes[WVL_RATE_GROUPS], floors[WVL_RATE_GROUPS];
} wvl_cuda_rdoq_survey;

/* Which blocks of its list a launch changes. */
enum {
    WVL_CUDA_RDOQ_ALL,
    WVL_CUDA_RDOQ_STALE,       /* those whose slope is farther than WVL_SURVEY_STALE from the one known now */
    WVL_CUDA_RDOQ_REQUANTISED, /* all for slopes of their own, if the picture ended far off; else none */
};

/* The argument of all kernels. The second part is set for each launch. */
typedef struct wvl_cuda_rdoq_job {
    wvl_cuda_t1_job t1;    /* of the blocks as they are coded */
    wvl_cuda_t1_job again; /* the same of blocks that are coded a second time: it has tables of its own */
    uint64_t originals;    /* wvl_cuda_t1_block[block_count] */
    uint64_t kinds;        /* uint8_t[block_count]: 2 * rate group, and 1 in fine bands */
    uint64_t lists;        /* uint32_t[block_count]: numbers of blocks, phase by phase; 0: blocks are numbered so */
    uint64_t changes;      /* wvl_cuda_rdoq_change[block_count] */
    uint64_t weights;      /* uint32_t[block_count]: wvl_rdoq_weigh() */
    uint64_t survey;       /* wvl_cuda_rdoq_survey */
    uint64_t parts;        /* wvl_cuda_rdoq_part[2 * aim.groups]; zero before the first kernel */
    uint64_t thresholds;   /* uint32_t, threshold_pitch bytes apart, by cap group: where rate control has ended */
    uint64_t cap_groups;   /* uint16_t[block_count]; 0: there is one */
    uint64_t copies;       /* to the address of a sample: that of the changed one, modulo 2^64 */
    wvl_survey_aim aim;
    double samples[WVL_DEPTH_PARTS]; /* of the picture, by kind */
    uint32_t threshold_pitch;
    uint32_t known;      /* a slope that is given for all blocks; 0: the survey finds it */
    uint32_t is_large;   /* as in wvl_rdoq */
    uint32_t most_width; /* of the blocks */

    uint32_t first, count;      /* of the list: the blocks of this launch */
    uint32_t step;              /* of the guess; 0: the survey's slopes */
    uint32_t margin, is_damped; /* of the phase that is complete */
    uint32_t which;             /* WVL_CUDA_RDOQ_*; but for ALL, blocks go to the tables of `again` */
} wvl_cuda_rdoq_job;

#define WVL_CUDA_RDOQ_WARPS 4u /* of a thread block */
#define WVL_CUDA_RDOQ_THREADS (32u * WVL_CUDA_RDOQ_WARPS)
/* Kernels that change samples: of blocks of up to 32, 64 and 128 columns, and of up to 1024. So many lanes have a
 * block. */
#define WVL_CUDA_RDOQ_WIDTHS 4u
WVL_HD uint32_t wvl_cuda_rdoq_find_width(uint32_t columns) { return (columns > 32) + (columns > 64) + (columns > 128); }
WVL_HD uint32_t wvl_cuda_rdoq_count_lanes(uint32_t width) { return wvl_min_u32(8u << width, 32); }
#define WVL_CUDA_RDOQ_ITEM_THREADS 64u /* of kernels with a thread a block */
#define WVL_CUDA_RDOQ_CHOOSE_THREADS 256u

/* The scratch memory of the kernel that chooses slopes: what the descent knows, where it ended, and a row of bins for
 * each part. Of all kernels with a last thread block: one word. */
#define WVL_CUDA_RDOQ_CHOOSE_ROW (WVL_CUDA_RDOQ_CHOOSE_THREADS + 1u)
#define WVL_CUDA_RDOQ_FOUND_WORDS (WVL_RATE_GROUPS + 2u)
#define WVL_CUDA_RDOQ_DESCENT_WORDS ((uint32_t)sizeof(wvl_descent) / 4u + WVL_CUDA_RDOQ_FOUND_WORDS)
#define WVL_CUDA_RDOQ_CHOOSE_WORDS(groups) (WVL_CUDA_RDOQ_DESCENT_WORDS + 4u * (groups)*WVL_CUDA_RDOQ_CHOOSE_ROW)
#define WVL_CUDA_RDOQ_LAST_WORDS 4u
