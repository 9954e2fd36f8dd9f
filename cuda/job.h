/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels read: flat tables in device memory, the same on both sides. Addresses are those of the device.
 *
 * A job is one component of one tile at one level, or at levels 1 and 2 together. An item is what one thread block does of it. One launch
 * serves the items of any number of jobs, so that many small tiles cost what one large tile costs.
 */
#ifndef WVL_CUDA_JOB_H
#define WVL_CUDA_JOB_H

#include <stdint.h>

#include "geom/plan.h"

enum { WVL_CUDA_PLAIN = 0, WVL_CUDA_SPLIT = 1, WVL_CUDA_SPLIT_TWICE = 2 }; /* decomposition levels of a job */

/* Pixels of one component. Sample (x, y) is container first + (x - x0) * stride of the row at data + (y - y0) * pitch_bytes. */
typedef struct wvl_cuda_pixels {
    uint64_t data;
    int64_t pitch_bytes;
    uint64_t first;
    uint32_t stride;
    uint32_t x0, y0;
    uint32_t bias, half;     /* as in the front: stored + bias in [0, 2^depth), then - half */
    uint8_t container, is_signed, depth;
} wvl_cuda_pixels;

/* 32-bit samples (int32 or float by the job), or narrow ones: 16 bits, signed. Sample (x, y) is number x - x0 of the row at data +
 * (y - y0) * pitch_bytes. */
typedef struct wvl_cuda_plane {
    uint64_t data;           /* 0: none */
    uint64_t pitch_bytes;    /* a multiple of 64 */
    uint32_t x0, y0;         /* x0 a multiple of WVL_CUDA_PLANE_ALIGN: lanes that start there start on 16 bytes */
    uint32_t narrow;
} wvl_cuda_plane;

#define WVL_CUDA_PLANE_ALIGN 16u

/* Where the coefficients of a band go: geom/handover.h, with addresses. */
typedef struct wvl_cuda_band {
    uint64_t samples;        /* first slot; 0: no such band at this level */
    uint64_t bounds;         /* of the first block */
    uint64_t row_bytes;      /* from a block to the one below */
    wvl_rect rect;
    uint32_t block_x0, block_y0, block_cols;
    uint32_t slot_width, slot_bytes;
    float reciprocal;
    uint8_t xcb, ycb, coef_bytes;
    uint8_t deep;            /* magnitudes may exceed what the float quantiser proves */
} wvl_cuda_band;

typedef struct wvl_cuda_job {
    wvl_rect rect;           /* the resolution that is split (or, PLAIN, kept) */
    uint8_t levels;          /* WVL_CUDA_* */
    uint8_t reversible;
    uint8_t mct_part;        /* 0: pixels[0] alone; 1, 2, 3: luma or a chroma component of pixels[0..2] */
    uint8_t from_pixels;
    uint8_t chain;           /* any-shape kernels: so many jobs from this one on, each reading the plane of the one before, go to one thread block;
                              * 0: tiles. Cascades: so many go to one launch */
    uint8_t pack;            /* kernels of several jobs a warp: so many, from this one on, alike but for where they lie; 1: this one */
    uint16_t room;           /* fused kernels: lanes at either side that a strip shares with its neighbour */
    uint16_t lead;           /* lanes of the first strip before the first column: `room`, or 0, and then the outer strips own theirs at the edges, too */
    uint32_t tile_width, tile_height; /* cascades, the first job of a chain: of the deepest level, in samples that it splits */
    uint64_t outside;        /* address of a word: nonzero when a sample is outside its depth */
    wvl_cuda_pixels pixels[3];
    wvl_cuda_plane in, low;
    wvl_cuda_band band[4];   /* by WVL_BAND_*, of the first level; LL of the last */
    wvl_cuda_band deep_band[4]; /* SPLIT_TWICE: of the second level */
    uint64_t flags, front_flags; /* a word for every item, nonzero when its low-low samples are in memory, of this job (0: nobody asks) and of the one
                              * that writes `in` (0: none) */
    uint16_t beside, beside_jobs; /* kernels whose strips go on from picture to picture: so many, of which each begins so many jobs behind the one before;
                              * alike but for where they lie, and coefficients and bounds of all bands lie as far apart */
    uint16_t columns, grade; /* fused kernels, for the host: of a lane; hundredths of the mean length of items that the first of them has; the last
                              * has as much less */
    uint32_t strips;         /* of the job, or of all that stand beside */
    uint32_t iterations;     /* for the host, as all from here */
    uint32_t rows, long_rows, long_iterations; /* of items; so many of them share the first iterations, the others those that are left (segment.h) */
} wvl_cuda_job;

/* x, y: of a tile; fused kernels: the strip, and the first of `count` iterations. */
typedef struct wvl_cuda_item {
    uint32_t job, x, y, count;
    uint32_t flag;           /* fused kernels: number of its flag */
    uint32_t front, front_pitch; /* of the flags of the plane that it reads: the first to wait for, and flags a row */
    uint16_t front_rows, front_cols; /* 0: waits for all of the launch in front */
} wvl_cuda_item;

/* Pixels of three components as they were given, to X'Y'Z' codes of WVL_XYZ_DEPTH bits in planes of 16-bit containers (front/xyz_ops.h). */
typedef struct wvl_cuda_color {
    wvl_cuda_pixels from[3];
    uint64_t to[3];          /* sample (rect.x0, rect.y0) of each plane */
    uint64_t light[3];       /* WVL_XYZ_MATRIX: doubles by sample value */
    uint64_t pitch_bytes, outside;
    double matrix[9];
    wvl_rect rect;
    uint8_t kind, depth;     /* WVL_XYZ_*; of the samples given */
} wvl_cuda_color;

/* Consecutive blocks of one band whose slots go to the host unless they are empty. */
typedef struct wvl_cuda_parcel {
    uint64_t from, to;       /* the first slot on the device, and in pinned memory as the device sees it */
    uint64_t bounds;         /* of its block */
    uint32_t slot_bytes, block_count;
} wvl_cuda_parcel;

#endif
