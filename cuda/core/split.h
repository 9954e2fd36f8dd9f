/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels of the transform read: flat tables in device memory, the same for host and device. Addresses are
 * those of the device.
 *
 * A split is one component of one tile at one decomposition level, or at levels 1 and 2 together. An item is the part
 * of a split that one thread block (or one warp) does. A launch runs the items of any number of splits, so that many
 * small tiles cost what one large tile costs.
 */
#pragma once

#include "cuda/core/pixels.h"

enum { WVL_CUDA_PLAIN = 0, WVL_CUDA_SPLIT = 1, WVL_CUDA_SPLIT_TWICE = 2 }; /* decomposition levels of a split */

/* The low-low samples between two levels: 32 bits each (int32 or float by the wavelet), or narrow: 16 bits, signed.
 * Sample (x, y) is number x - x0 of the row at data + (y - y0) * pitch_bytes. */
typedef struct wvl_cuda_plane {
    uint64_t data;        /* 0: none */
    uint64_t pitch_bytes; /* a multiple of 64 */
    uint32_t x0, y0;      /* x0 is a multiple of WVL_CUDA_PLANE_ALIGN: lanes that begin there begin on 16 bytes */
    uint32_t narrow;
} wvl_cuda_plane;

#define WVL_CUDA_PLANE_ALIGN 16u

/* Where the coefficients of a band go: geom/handover.h, with addresses. */
typedef struct wvl_cuda_band {
    uint64_t samples;   /* first cell; 0: no such band at this level */
    uint64_t bounds;    /* of the first block */
    uint64_t row_bytes; /* from a block to the one below */
    wvl_rect rect;
    uint32_t block_x0, block_y0, block_cols;
    uint32_t cell_width, cell_bytes;
    float reciprocal;
    uint8_t xcb, ycb, coef_bytes;
    uint8_t deep; /* magnitudes may exceed what the float quantiser proves */
} wvl_cuda_band;

typedef struct wvl_cuda_split {
    wvl_rect rect;  /* the resolution that is split (or, PLAIN, kept) */
    uint8_t levels; /* WVL_CUDA_PLAIN, WVL_CUDA_SPLIT or WVL_CUDA_SPLIT_TWICE */
    uint8_t reversible;
    uint8_t mct_part; /* 0: pixels[0] alone; 1, 2, 3: luma or a chroma component of pixels[0..2] */
    uint8_t from_pixels;
    uint8_t chain;      /* any-shape kernels: number of splits, from this one on, that one thread block does one
                         * after the other; each reads the plane of the one before; 0: the split goes in tiles.
                         * Cascades: number of splits in the launch */
    uint8_t pack;       /* kernels of several splits a warp: their number, from this one on; they differ only in
                         * where they lie; 1: this one alone */
    uint16_t room;      /* marching kernels: lanes at either side that a panel shares with its neighbour */
    uint16_t lead;      /* marching kernels: lanes of the first panel before the first column: `room`, or 0 where
                         * the outer panels own the lanes at the edges */
    uint16_t component; /* whose pixels pixels[0] are, with mct_part 0; for the host */
    uint32_t tile_width, tile_height; /* cascades, the first split of a chain: in samples of the deepest level */
    uint64_t outside;                 /* address of a word: nonzero when a sample is outside its depth */
    wvl_cuda_pixels pixels[3];
    wvl_cuda_plane in, low;
    wvl_cuda_band band[4];          /* by WVL_BAND_*, of the first level; LL of the last */
    wvl_cuda_band deep_band[4];     /* SPLIT_TWICE: of the second level */
    uint64_t flags, front_flags;    /* a word for every item, nonzero when its low-low samples are in memory: of this
                                     * split (0: nobody asks) and of the one that writes `in` (0: none) */
    uint16_t beside, beside_splits; /* panels that go on from picture to picture: number of pictures, and splits from
                                     * one to the next; they differ only in where they lie, and coefficients and bounds
                                     * of all bands lie equally far apart */
    uint16_t columns, grade; /* marching kernels, for the host: columns of a lane; length of the first row of items in
                              * percent of the mean; the last row is shorter by the same amount */
    uint32_t panels;         /* of the split, or of all that stand beside */
    uint32_t iterations;     /* for the host, as all members from here */
    uint32_t rows, long_rows, long_iterations; /* rows of items; the first long_rows of them share long_iterations,
                                                * the others share what is left (dwt/stretch.h) */
} wvl_cuda_split;

/* x, y: of a tile. Marching kernels: x is the panel, y the first of `count` iterations. */
typedef struct wvl_cuda_item {
    uint32_t split, x, y, count;
    uint32_t flag;               /* marching kernels: number of its flag */
    uint32_t front, front_pitch; /* of the flags of the plane that it reads: the first to wait for, and flags a row */
    uint16_t front_rows, front_cols; /* 0: waits for all of the launch in front */
} wvl_cuda_item;
