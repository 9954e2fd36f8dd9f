/* SPDX-License-Identifier: BSD-2-Clause */
/* Block shapes: the only place for them. */
#ifndef WVL_CUDA_TUNING_H
#define WVL_CUDA_TUNING_H

/* Any-shape kernel: samples of the resolution that a thread block splits, on the absolute grid, and the room around them that the longer
 * filter reaches into. Bands get 32 x 16, whole blocks of any size from 4 x 4 up to that. */
#define WVL_CUDA_TILE_WIDTH 64
#define WVL_CUDA_TILE_HEIGHT 32
#define WVL_CUDA_TILE_ROOM 4
#define WVL_CUDA_TILE_THREADS 256

/* Marching kernels: a warp takes 32 lanes of so many columns and marches down a segment of so many iterations of four rows. Segments are
 * chosen so that one wave is just full, within limits: short ones pay for their run-in (2 iterations in 5/3, 5 in 9/7), long ones leave
 * multiprocessors idle at the end. */
#define WVL_CUDA_MARCH_COLUMNS_8 16
#define WVL_CUDA_MARCH_COLUMNS 8
#define WVL_CUDA_MARCH_WAVE53 (132 * 12)
#define WVL_CUDA_MARCH_WAVE97 (132 * 8)
#define WVL_CUDA_MARCH_SEGMENT_MIN 6
#define WVL_CUDA_PLANE_SEGMENT_MIN 4
#define WVL_CUDA_MARCH_SEGMENT_MAX 48
/* Smaller pictures go through the any-shape kernels; run-in rows then fold at most once. */
#define WVL_CUDA_MARCH_SIDE_MIN 32

/* Slots to the host: eight 64 x 64 blocks of 16 bits are 64 KiB, enough for every multiprocessor to keep stores in flight. */
#define WVL_CUDA_DELIVER_THREADS 256
#define WVL_CUDA_PARCEL_BLOCKS 8

#endif
