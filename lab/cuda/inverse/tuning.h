/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes and thresholds of the inverse that were measured: the only place for them but for the rows of kernel_rows.h. */
#pragma once

/* Any-shape kernel: samples of the resolution that a thread block builds, and the room around them that the longer
 * filter reaches into. With it a row is as many columns as there are threads, and a warp's share of the rows is an even
 * number. */
#define WVL_CUDA_BACK_JOIN_WIDTH 120
#define WVL_CUDA_BACK_JOIN_HEIGHT 16
#define WVL_CUDA_BACK_JOIN_ROOM 4
#define WVL_CUDA_BACK_JOIN_THREADS 128
/* Planes to pixels of any shape: samples of a thread block, on the absolute grid. */
#define WVL_CUDA_BACK_TILE_WIDTH 64
#define WVL_CUDA_BACK_TILE_HEIGHT 32

/* Columns of a lane: 16 where pixels of one component have 8 bits, or colors of 9/7 fill the panels; 8 for all others.
 */
#define WVL_CUDA_BACK_WIDE 16
#define WVL_CUDA_BACK_COLUMNS 8
/* Iterations of a stretch: long enough for the run-in, short enough to fill the machine. */
#define WVL_CUDA_BACK_RUN_IN53 3
#define WVL_CUDA_BACK_RUN_IN97 5
#define WVL_CUDA_BACK_STRETCH_MIN 6
#define WVL_CUDA_BACK_PLANE_STRETCH_MIN 3
/* Three components (tables.c): waves of stretches, and iterations of each; rows of long stretches in a wave,
 * hundredths of the iterations in them, their least length, and that of the short ones. */
#define WVL_CUDA_BACK_WAVES 6
#define WVL_CUDA_BACK_STRETCH_MANY53 30
#define WVL_CUDA_BACK_STRETCH_MANY97 40
#define WVL_CUDA_BACK_ROWS_LEAST 3
#define WVL_CUDA_BACK_ROWS_MOST 8
#define WVL_CUDA_BACK_LONG_PART53 71
#define WVL_CUDA_BACK_LONG_PART97 66
#define WVL_CUDA_BACK_LONG_MIN 24
#define WVL_CUDA_BACK_SHORT 12
/* Smaller resolutions go through the any-shape kernels; run-in rows then mirror at most once. */
#define WVL_CUDA_BACK_SIDE_MIN 32
#define WVL_CUDA_BACK_PLANE_SIDE_MIN 32 /* the same of planes */
