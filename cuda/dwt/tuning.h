/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes and thresholds of the forward transform that were measured: the only place for them but for the rows of
 * kernel_rows.h. Speed alone depends on them. Measured on an H200 (132 multiprocessors); how many multiprocessors a
 * launch has to fill comes from the device.
 */
#pragma once

/* ---- Any-shape kernels ----------------------------------------------------------------------- */

/* Samples of the resolution that a thread block splits at a time. With four samples of room at either side a row is as
 * wide as a thread block; with 16 rows a 512 x 512 plane has a tile for every multiprocessor. */
#define WVL_CUDA_TILE_WIDTH 120
#define WVL_CUDA_TILE_HEIGHT 16
#define WVL_CUDA_TILE_THREADS 128
/* Planes of at most this many tiles go through all levels that are left in one thread block. Not so where a launch has
 * more components than the device has multiprocessors: these fill it level by level. */
#define WVL_CUDA_CHAIN_TILES 5

/* ---- Marching kernels ------------------------------------------------------------------------ */

/* A warp marches down a stretch of some iterations of four rows. Stretches are chosen so that waves are full: short
 * ones pay for their run-in, long ones leave multiprocessors idle at the end. */

/* Columns of a lane: the most, where pixels have 8 bits; of all others; the least. */
#define WVL_CUDA_MARCH_WIDE 16
#define WVL_CUDA_MARCH_COLUMNS 8
#define WVL_CUDA_MARCH_NARROW 4
/* Components in one launch from which on one panel more does not count. */
#define WVL_CUDA_MARCH_MANY 24
/* Rows of pixels on their way to the warp that mixes colors. Barriers that count need room (core/meet.cuh). */
#ifdef WVL_CUDA_COUNTED_BARRIERS
#define WVL_CUDA_MIXED_ROWS 4
#else
#define WVL_CUDA_MIXED_ROWS 6
#endif
/* Iterations of a stretch, at least: from pixels; from a plane. */
#define WVL_CUDA_MARCH_STRETCH_MIN 6
#define WVL_CUDA_PLANE_STRETCH_MIN 3
/* One component of 8 bits in 5/3: LONG_PART percent of the iterations go in long stretches, in one wave that fills
 * LONG_WAVE percent of the machine, if long stretches then have at least LONG_MIN iterations. The rest goes in
 * stretches of SHORT iterations. The last of these end one after the other, top first, as the later launches want them.
 */
#define WVL_CUDA_MARCH_LONG_PART 78
#define WVL_CUDA_MARCH_LONG_WAVE 90
#define WVL_CUDA_MARCH_LONG_MIN 13
#define WVL_CUDA_MARCH_SHORT 4
#define WVL_CUDA_MARCH_SHORT_MOST WVL_CUDA_MARCH_REST /* no long stretch is as short */
/* Samples of all planes of a launch up to which 4 columns a lane, and so twice as many warps, are faster in 9/7:
 * latency is what they wait for. Measured, the whole transform: 1.0 million no change, 1.7 5 % faster, 4.2 2 % slower.
 */
#define WVL_CUDA_PLANE_LITTLE 2500000
/* Percent of a wave that planes may fill with their shortest stretches. Measured in 9/7: 73 and 98. */
#define WVL_CUDA_PLANE_WAVE 80
/* Planes that share a warp, up to which the next launch waits for its flags: tiles of 512 and 256 are 2 and 1.5 %
 * faster with flags, tiles of 128 are 1 % slower. */
#define WVL_CUDA_PACK_FLAGS 4
/* Planes of many components in 5/3 begin while the first launch ends: iterations of a stretch, at most. */
#define WVL_CUDA_PLANE_STRETCH_MANY 10
/* The first warps on a multiprocessor go first there: with stretches of one length they end a tenth sooner. Length of
 * their stretches in percent of the mean, where instructions are what is waited for. */
#define WVL_CUDA_MARCH_GRADE97_WIDE 110
/* Thread blocks that mix colors: whole rows of long stretches in at most WAVES_MOST waves; the rest goes in stretches
 * of REST iterations, each of which costs REST_COST more than its run-in. */
#define WVL_CUDA_MARCH_ROWS_LEAST 4
#define WVL_CUDA_MARCH_ROWS_MOST 8
#define WVL_CUDA_MARCH_WAVES_MOST 4
#define WVL_CUDA_MARCH_REST 12
#define WVL_CUDA_MARCH_REST_COST 6
/* Iterations that a stretch costs beyond its own: those that run again, and about one for the tables and first rows. */
#define WVL_CUDA_RUN_IN53 3
#define WVL_CUDA_RUN_IN97 6
/* Smaller pictures go through the any-shape kernels, so that run-in rows are reflected at most once. */
#define WVL_CUDA_MARCH_SIDE_MIN 32

/* ---- Cascades and last levels ---------------------------------------------------------------- */

/* Levels in one launch, at most; warps of a thread block; room between levels in samples. */
#define WVL_CUDA_CASCADE_LEVELS 3
#define WVL_CUDA_CASCADE_WARPS 8
#define WVL_CUDA_CASCADE_SAMPLES 11264
#define WVL_CUDA_CASCADE_TILE_MAX 240 /* of the deepest level */
#define WVL_CUDA_CASCADE_WAVE 12 /* cost of a wave before it begins: two turns of a block alone on a multiprocessor */
#define WVL_CUDA_CASCADE_SIDE_MIN 64
/* Samples of all planes of a launch up to which three levels go in a cascade and do not march. Measured between 415 and
 * 518 thousand, and 518 and 590. */
#define WVL_CUDA_CASCADE_LITTLE53 450000
#define WVL_CUDA_CASCADE_LITTLE97 550000
/* The last level by itself: rows and columns are reflected once. */
#define WVL_CUDA_LAST_SIDE_MIN 8

/* ---- Clearing -------------------------------------------------------------------------------- */

#define WVL_CUDA_CLEAR_THREADS 256
#define WVL_CUDA_LINE_BYTES 128
