/* SPDX-License-Identifier: BSD-2-Clause */
/* What tables.c passes around while it builds. */
#pragma once

#include "cuda/core/fit.h"
#include "cuda/dwt/cascade.h"
#include "cuda/dwt/tables.h"

/* One component of one tile, and where its memory lies. */
typedef struct unit {
    const wvl_tile_plan *tile;
    const wvl_tile_component *tc;
    uint32_t component;
    uint64_t coefs, bounds; /* of the tile: offset in bytes, number of blocks */
    uint64_t planes;        /* offset of the planes between its levels, one after the other: no launch writes where the
                             * one in front may still read */
    uint64_t number;        /* among all components of all tiles */
    uint32_t narrow;        /* the plane it reads */
} unit;

typedef struct builder {
    const wvl_plan *plan;
    const wvl_cuda_memory *memory;
    wvl_cuda_tables *tables;
    int any_shape; /* every level by the any-shape kernels */
    uint64_t multiprocessors;
    uint64_t bundle;                /* pictures that will be launched together */
    const wvl_cuda_kernel_row *row; /* of the launch being built */
    uint32_t kernel;                /* its number */
    uint64_t panels;                /* of all its splits; 32 times the number of warps while they are counted */
    uint64_t first_split;           /* of the launch */
    const wvl_cuda_split *cascade;  /* the last one that begins one, and its tiles */
    wvl_cuda_tile_size tile;
    uint64_t components; /* of all tiles of all pictures that will be launched together */
} builder;

static inline const wvl_tile_resolution *low_resolution(const unit *u, unsigned level)
{
    return wvl_cuda_low_resolution(u->tile, u->tc, level);
}

static inline int rects_alike(wvl_rect a, wvl_rect b)
{
    return wvl_rect_width(a) == wvl_rect_width(b) && wvl_rect_height(a) == wvl_rect_height(b);
}

/* The resolution that `level` splits. */
static inline wvl_rect level_rect(const unit *u, unsigned level)
{
    return low_resolution(u, level ? level - 1 : 0)->rect;
}

/* Planes of this shape that a warp has room for. */
static inline uint32_t pack_size(wvl_rect r)
{
    uint32_t lanes = wvl_rect_width(r) / WVL_CUDA_MARCH_COLUMNS;
    return lanes && 32 % lanes == 0 ? 32 / lanes : 1;
}
