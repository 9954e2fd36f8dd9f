/* SPDX-License-Identifier: BSD-2-Clause */
/* Block shapes of the inverse kernels: the only place for them. */
#ifndef WVL_CUDA_INVERSE_TUNING_H
#define WVL_CUDA_INVERSE_TUNING_H

/* Any-shape kernel: samples of the resolution that a thread block builds, and the room around them that the longer filter reaches into. With it a row
 * is as many columns as there are threads, and a warp's share of the rows is an even number. */
#define WVL_CUDA_BACK_JOIN_WIDTH 120
#define WVL_CUDA_BACK_JOIN_HEIGHT 16
#define WVL_CUDA_BACK_JOIN_ROOM 4
#define WVL_CUDA_BACK_JOIN_THREADS 128
/* Planes to pixels of any shape: samples of a thread block, on the absolute grid. */
#define WVL_CUDA_BACK_TILE_WIDTH 64
#define WVL_CUDA_BACK_TILE_HEIGHT 32
#define WVL_CUDA_BACK_TILE_THREADS 256
#define WVL_CUDA_BACK_TILE_THREADS_MAX 1024 /* where there are no more tiles than multiprocessors; half of it up to twice as many */

#define WVL_CUDA_BACK_COLUMNS_8 16 /* of a lane, 8-bit pixels of one component */
#define WVL_CUDA_BACK_COLUMNS 8    /* all others */
/* Warps (thread blocks of three components) that a multiprocessor holds, which the launch bounds promise: 16 columns, 8 columns, 8 columns that need
 * more registers, three components. */
#define WVL_CUDA_BACK_WARPS53_8 12
#define WVL_CUDA_BACK_WARPS97_8 8
#define WVL_CUDA_BACK_WARPS53 16
#define WVL_CUDA_BACK_WARPS97 16
#define WVL_CUDA_BACK_WARPS97_16 12
#define WVL_CUDA_BACK_WARPS97_PLANE 12
#define WVL_CUDA_BACK_BLOCKS53_X3 5
#define WVL_CUDA_BACK_BLOCKS97_X3 4
#define WVL_CUDA_BACK_BLOCKS97_X3W 2 /* 16 columns */
/* Iterations on their way through shared memory. */
#define WVL_CUDA_BACK_SLOTS_8 3
#define WVL_CUDA_BACK_SLOTS 4
#define WVL_CUDA_BACK_SLOTS_W 3
#define WVL_CUDA_BACK_SLOTS_X3 3
#define WVL_CUDA_BACK_SLOTS_X3W 2
#define WVL_CUDA_BACK_MULTIPROCESSORS 132 /* of the machine tuned for */
/* Iterations of a segment: long enough for the run-in, short enough to fill the machine. */
#define WVL_CUDA_BACK_RUN_IN53 3
#define WVL_CUDA_BACK_RUN_IN97 5
#define WVL_CUDA_BACK_SEGMENT_MIN 6
#define WVL_CUDA_BACK_PLANE_SEGMENT_MIN 3
/* Three components (inverse_tables.c): so many waves of segments of so many iterations; rows of long segments in a wave, hundredths of the
 * iterations in them, their least length, and that of the short ones. */
#define WVL_CUDA_BACK_WAVES 6
#define WVL_CUDA_BACK_SEGMENT_MANY53 30
#define WVL_CUDA_BACK_SEGMENT_MANY97 40
#define WVL_CUDA_BACK_ROWS_LEAST 3
#define WVL_CUDA_BACK_ROWS_MOST 8
#define WVL_CUDA_BACK_LONG_PART53 71
#define WVL_CUDA_BACK_LONG_PART97 66
#define WVL_CUDA_BACK_LONG_MIN 24
#define WVL_CUDA_BACK_SHORT 12
/* Smaller resolutions go through the any-shape kernels; run-in rows then mirror at most once. */
#define WVL_CUDA_BACK_SIDE_MIN 32
#define WVL_CUDA_BACK_PLANE_SIDE_MIN 32 /* the same of planes */

#endif
