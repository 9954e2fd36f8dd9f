/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One kernel of a transform, as its room's table of kernels describes it (dwt/kernel_rows.h, inverse/kernel_rows.h).
 * The kernel is compiled from the row, the launcher launches by it and the chooser finds it by its properties.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* ANY: one level of any shape. CASCADE: two or three levels of a plane, tile by tile. LAST: the last level of a plane.
 * MARCH: two levels, warps that march down. PIXELS: planes to pixels of any shape (inverse). */
enum {
    WVL_CUDA_FAMILY_ANY,
    WVL_CUDA_FAMILY_CASCADE,
    WVL_CUDA_FAMILY_LAST,
    WVL_CUDA_FAMILY_MARCH,
    WVL_CUDA_FAMILY_PIXELS
};

/* Says whether the kernel is reversible, by wavelet. */
enum { WVL_CUDA_WAVELET_53 = 1, WVL_CUDA_WAVELET_97 = 0 };

/* Where samples come from (inverse: go to). ANYTHING: pixels of any kind, or a plane. GRAY: the pixels of one
 * component. INTERLEAVED, PLANAR: three components and their transform. */
enum { WVL_CUDA_END_ANYTHING, WVL_CUDA_END_PLANE, WVL_CUDA_END_GRAY, WVL_CUDA_END_INTERLEAVED, WVL_CUDA_END_PLANAR };

/* Magnitudes of the coefficients. ANY: decided at run time. TO23: no more bits than the float quantiser proves. DEEP:
 * more bits than that. */
enum { WVL_CUDA_DEPTH_ANY, WVL_CUDA_DEPTH_TO23, WVL_CUDA_DEPTH_DEEP };

/* Who shares the work. ONE: a warp serves one split. HALF: the same, with level 1 in half floats. WIDE: the same, with
 * level 2 in shared memory. PACK: a warp serves several small splits. EACH: of three components each has a thread
 * block. MIX: a thread block has a warp for each of three components, and one that transforms colors. */
enum {
    WVL_CUDA_SHARE_ONE,
    WVL_CUDA_SHARE_HALF,
    WVL_CUDA_SHARE_WIDE,
    WVL_CUDA_SHARE_PACK,
    WVL_CUDA_SHARE_EACH,
    WVL_CUDA_SHARE_MIX
};

/* How rows wait for a marching warp. NONE: in registers. RING: eight rows in shared memory. SHORT: four. WARP: eight
 * rows that the lanes of a warp fetch together. */
enum { WVL_CUDA_AHEAD_NONE, WVL_CUDA_AHEAD_RING, WVL_CUDA_AHEAD_SHORT, WVL_CUDA_AHEAD_WARP };

/* What a panel owns of its 32 lanes. LEAST: all but those that lifting needs at either side. WHOLE: one lane less at
 * either side where that costs little, so that stores begin with whole sectors at both levels. EDGES: as LEAST, but the
 * outer panels own the lanes at the edges. */
enum { WVL_CUDA_OWNS_LEAST, WVL_CUDA_OWNS_WHOLE, WVL_CUDA_OWNS_EDGES };

typedef struct wvl_cuda_kernel_row {
    const char *name; /* of the function in the image */
    uint8_t family, reversible, end, depth, share, ahead, owns;
    uint8_t container_bits; /* of a sample of pixels or planes; 0: any */
    uint8_t columns;        /* of a lane */
    uint8_t coef_bits;      /* of a coefficient's container; 0: 16 or 32, each band its own, and pixels of 16 bits may
                             * be signed */
    uint16_t threads;       /* of a thread block */
    uint8_t blocks;         /* thread blocks that a multiprocessor holds: launch bounds */
    uint8_t counted;        /* marching: warps a multiprocessor that count when stretches are chosen */
    uint32_t shared_bytes;  /* of a thread block */
} wvl_cuda_kernel_row;

/* A row with what all families have, then members of its own. */
#define WVL_CUDA_KERNEL_ROW(FAMILY, NAME, WAVELET, COLUMNS, THREADS, BLOCKS, SHARED, ...)                              \
    {.name = "wvl_" #NAME,                                                                                             \
     .family = WVL_CUDA_FAMILY_##FAMILY,                                                                               \
     .reversible = WVL_CUDA_WAVELET_##WAVELET,                                                                         \
     .columns = (COLUMNS),                                                                                             \
     .threads = (THREADS),                                                                                             \
     .blocks = (BLOCKS),                                                                                               \
     .shared_bytes = (SHARED),                                                                                         \
     __VA_ARGS__},

/* What a chooser asks for. */
typedef struct wvl_cuda_kernel_wish {
    uint8_t family, reversible, end, container_bits, columns, coef_bits;
    uint8_t packed; /* several small splits a warp */
    uint8_t deep;   /* magnitudes exceed what the float quantiser proves */
} wvl_cuda_kernel_wish;

/* Says whether the kernel does what the wish says, apart from `deep`. */
static inline int wvl_cuda_row_fits(const wvl_cuda_kernel_row *row, const wvl_cuda_kernel_wish *wish)
{
    return row->family == wish->family && row->reversible == wish->reversible && row->end == wish->end &&
           row->container_bits == wish->container_bits && row->columns == wish->columns &&
           row->coef_bits == wish->coef_bits && (row->share == WVL_CUDA_SHARE_PACK) == wish->packed;
}

/* The kernel for a wish, NULL: none. Kernels of one depth stand behind one another; one that has no variant for deep
 * magnitudes finds out at run time. */
static inline const wvl_cuda_kernel_row *wvl_cuda_find_row(const wvl_cuda_kernel_row *rows, uint32_t count,
                                                           const wvl_cuda_kernel_wish *wish)
{
    const wvl_cuda_kernel_row *found = NULL;
    for (const wvl_cuda_kernel_row *row = rows; row < rows + count; row++) {
        if (wvl_cuda_row_fits(row, wish) && (row->depth == WVL_CUDA_DEPTH_DEEP ? wish->deep : !found)) {
            found = row;
        }
    }
    return found;
}

/* Thread blocks that serve one item. */
static inline uint32_t wvl_cuda_row_parts(const wvl_cuda_kernel_row *row)
{
    return row->share == WVL_CUDA_SHARE_EACH ? 3 : 1;
}
