/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels of plain transforms take, their names and shapes. Plain data, for host and device. */
#pragma once

#include "base/hd.h"
#include "lab/cuda/lattice/args.h"

enum {
    WVL_PLAIN_THREADS = 128,         /* of a thread block of the 2-D kernels, and of the copy */
    WVL_PLAIN_PAIRS = 56,            /* pairs of columns that a warp gives: whole sectors of 32 bytes in every band */
    WVL_PLAIN_HALO = 4,              /* pairs to its left and right */
    WVL_PLAIN_LATTICE_THREADS = 256, /* of the 1-D kernels of one level, */
    WVL_PLAIN_LANES = 8,             /* and pairs of a lane */
    WVL_PLAIN_CARRY_THREADS = 64,    /* of those of several levels, */
    WVL_PLAIN_LONG_WARPS = 2048,     /* least number of long stretches; for fewer there are short ones, */
    WVL_PLAIN_STRETCH = 16384        /* samples of a stretch of a shorter signal */
};

/* 1-D kernels of several levels (D-lattice-07). X(DIRECTION, direction, most stages of a filter, pairs of a lane at
 * level 1, and above, samples of a long stretch). An H200 took these multiples of one level for five levels of 2^26
 * samples, with as many stages as the kernel can do. */
#define WVL_PLAIN_CARRIERS(X)                                                                                          \
    X(FORWARD, forward, 3, 8, 8, 32768)   /* 1.18 */                                                                   \
    X(FORWARD, forward, 7, 8, 8, 32768)   /* 1.28 */                                                                   \
    X(FORWARD, forward, 15, 16, 8, 24576) /* 1.94 */                                                                   \
    X(INVERSE, inverse, 3, 8, 4, 32768)   /* 1.17 */                                                                   \
    X(INVERSE, inverse, 7, 8, 4, 32768)   /* 1.47 */                                                                   \
    X(INVERSE, inverse, 15, 16, 8, 32768) /* 1.60 */

/* Samples of 4 bytes: (x, y) is at + 4 * (x * column + y * row). */
typedef struct wvl_plain_view {
    uint64_t at;
    int64_t column, row;
} wvl_plain_view;

/* One level of a plane. A warp goes down `rows` rows (even) of WVL_PLAIN_PAIRS pairs of columns. */
typedef struct wvl_plain_level {
    wvl_plain_view plane, bands[4]; /* LL, HL, LH, HH */
    uint32_t width, height, rows;
    uint32_t columns;          /* warps from left to right */
    uint32_t is_plane_by_four; /* four neighbours of a row are one aligned access of 16 bytes, */
    uint32_t are_bands_by_two; /* and two of each band one of 8 bytes */
} wvl_plain_level;

typedef struct wvl_plain_copy {
    wvl_plain_view from, to;
    uint64_t width, height;
} wvl_plain_copy;

/* X(member, name, type of the argument) */
#define WVL_PLAIN_KERNELS(X)                                                                                           \
    X(FORWARD_I53, wvl_plain_forward_i53, wvl_plain_level)                                                             \
    X(FORWARD_F53, wvl_plain_forward_f53, wvl_plain_level)                                                             \
    X(FORWARD_F97, wvl_plain_forward_f97, wvl_plain_level)                                                             \
    X(FORWARD_F137, wvl_plain_forward_f137, wvl_plain_level)                                                           \
    X(INVERSE_I53, wvl_plain_inverse_i53, wvl_plain_level)                                                             \
    X(INVERSE_F53, wvl_plain_inverse_f53, wvl_plain_level)                                                             \
    X(INVERSE_F97, wvl_plain_inverse_f97, wvl_plain_level)                                                             \
    X(INVERSE_F137, wvl_plain_inverse_f137, wvl_plain_level)                                                           \
    X(COPY, wvl_plain_copy_view, wvl_plain_copy)                                                                       \
    X(FORWARD_LANES, wvl_plain_forward_lanes, wvl_lattice_args)                                                        \
    X(INVERSE_LANES, wvl_plain_inverse_lanes, wvl_lattice_args)                                                        \
    X(FORWARD_CARRY_3, wvl_plain_forward_carry_3, wvl_lattice_args)                                                    \
    X(FORWARD_CARRY_7, wvl_plain_forward_carry_7, wvl_lattice_args)                                                    \
    X(FORWARD_CARRY_15, wvl_plain_forward_carry_15, wvl_lattice_args)                                                  \
    X(INVERSE_CARRY_3, wvl_plain_inverse_carry_3, wvl_lattice_args)                                                    \
    X(INVERSE_CARRY_7, wvl_plain_inverse_carry_7, wvl_lattice_args)                                                    \
    X(INVERSE_CARRY_15, wvl_plain_inverse_carry_15, wvl_lattice_args)                                                  \
    X(FORWARD_CONVOLVE, wvl_plain_forward_convolve, wvl_lattice_args)                                                  \
    X(INVERSE_CONVOLVE, wvl_plain_inverse_convolve, wvl_lattice_args)

typedef enum wvl_plain_kernel {
#define WVL_PLAIN_MEMBER(member, name, type) WVL_PLAIN_##member,
    WVL_PLAIN_KERNELS(WVL_PLAIN_MEMBER)
#undef WVL_PLAIN_MEMBER
        WVL_PLAIN_KERNEL_COUNT
} wvl_plain_kernel;
