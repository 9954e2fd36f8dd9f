/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the inverse kernels read: flat tables in device memory, as core/split.h has them for the forward ones. A split
 * rebuilds one resolution of one component of one tile, one or two levels at once, or turns finished planes into
 * pixels. Items of marching kernels are as there, too.
 */
#pragma once

#include "cuda/core/split.h"

/* Coefficients of a band: geom/handover.h, with addresses. */
typedef struct wvl_cuda_inverse_band {
    uint64_t samples;   /* first cell; 0: the band is empty */
    uint64_t row_bytes; /* from a block to the one below */
    wvl_rect rect;
    uint32_t block_x0, block_y0;
    uint32_t cell_width, cell_bytes;
    float half_step; /* 9/7: see ops.h */
    uint8_t xcb, ycb, coef_bytes;
} wvl_cuda_inverse_band;

typedef struct wvl_cuda_inverse_split {
    wvl_rect rect;  /* the resolution that is built */
    uint8_t levels; /* WVL_CUDA_*; PLAIN: band[LL] to a plane, or planes to pixels */
    uint8_t
        parts;    /* components that one item serves: 1, or 3 with their transform (this split and the two behind it) */
    uint8_t pack; /* marching kernels: the number of splits, from this one on, that share a warp. They differ only in
                     where they lie, and each has some of its lanes */
    uint32_t panels; /* marching kernels: warps in a row */
    uint32_t stretch, long_rows,
        short_stretch;  /* for the host: iterations of the items, in the first rows of them and in the others */
    wvl_cuda_plane in;  /* the low-low band; none: band[LL] */
    wvl_cuda_plane out; /* none: pixels */
    wvl_cuda_pixels pixels;
    wvl_cuda_inverse_band band[4];      /* by WVL_BAND_*, of the last level */
    wvl_cuda_inverse_band deep_band[4]; /* SPLIT_TWICE: of the level below */
} wvl_cuda_inverse_split;
