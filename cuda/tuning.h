/* SPDX-License-Identifier: BSD-2-Clause */
/* Block shapes: the only place for them. */
#ifndef WVL_CUDA_TUNING_H
#define WVL_CUDA_TUNING_H

/* Any-shape kernel: samples of the resolution that a thread block splits at a time. With the room of four at either
 * side a row is a thread block of columns; 16 rows are enough tiles of a 512 x 512 plane to give every multiprocessor one. */
#define WVL_CUDA_TILE_WIDTH 120
#define WVL_CUDA_TILE_HEIGHT 16
#define WVL_CUDA_TILE_THREADS 128
/* Planes of at most so many tiles go through all the levels that are left in one thread block. */
#define WVL_CUDA_CHAIN_TILES 5

/* Marching kernels: a warp takes 32 lanes of so many columns and marches down a segment of so many iterations of four rows. Segments are
 * chosen so that one wave is just full, within limits: short ones pay for their run-in (2 iterations in 5/3, 5 in 9/7), long ones leave
 * multiprocessors idle at the end. */
#define WVL_CUDA_MARCH_COLUMNS_8 16
#define WVL_CUDA_MARCH_COLUMNS 8
/* Warps a multiprocessor holds, which the kernels' launch bounds promise: 16 columns, 8 columns. */
#define WVL_CUDA_MARCH_WARPS53_8 12
#define WVL_CUDA_MARCH_WARPS97_8 8
#define WVL_CUDA_MARCH_WARPS53 14
#define WVL_CUDA_MARCH_WARPS97 12
/* Three components. */
#define WVL_CUDA_MARCH_WARPS53_X3 16
#define WVL_CUDA_MARCH_WARPS97_X3 16
#define WVL_CUDA_MARCH_MULTIPROCESSORS 132 /* of the machine tuned for; others run the same segments in more or fewer waves */
#define WVL_CUDA_MARCH_SEGMENT_MIN 6
#define WVL_CUDA_PLANE_SEGMENT_MIN 4
#define WVL_CUDA_MARCH_SEGMENT_MAX 48
/* Smaller pictures go through the any-shape kernels; run-in rows then fold at most once. */
#define WVL_CUDA_MARCH_SIDE_MIN 32

/* Slots to the host: eight 64 x 64 blocks of 16 bits are 64 KiB, enough for every multiprocessor to keep stores in flight. */
#define WVL_CUDA_DELIVER_THREADS 256
#define WVL_CUDA_PARCEL_BLOCKS 8

#endif
