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
/* More components than this fill the machine level by level. */
#define WVL_CUDA_CHAIN_COMPONENTS 132

/* Marching kernels: a warp takes 32 lanes of so many columns and marches down a segment of so many iterations of four rows. Segments are
 * chosen so that waves are full: short ones pay for their run-in, long ones leave multiprocessors idle at the end. */
#define WVL_CUDA_MARCH_COLUMNS_8 16
#define WVL_CUDA_MARCH_COLUMNS 8
#define WVL_CUDA_MARCH_COLUMNS_N 4
/* Components in one launch from which on a strip more does not count. */
#define WVL_CUDA_MARCH_MANY 24
/* Warps a multiprocessor holds, which the kernels' launch bounds promise: 16 columns, 8 columns. */
#define WVL_CUDA_MARCH_WARPS53_8 12
#define WVL_CUDA_MARCH_WARPS53_HALF 16 /* level 1 in half floats; 20 measured slower by 1 % */
#define WVL_CUDA_MARCH_COUNTED53_HALF 11 /* when segments are chosen: fewer, longer ones, since memory is what it waits for */
#define WVL_CUDA_MARCH_WARPS97_8 12
#define WVL_CUDA_MARCH_WARPS53 16
#define WVL_CUDA_MARCH_WARPS53_16W 12 /* fewer, longer segments: memory is what it waits for */
#define WVL_CUDA_MARCH_WARPS97 12
#define WVL_CUDA_MARCH_WARPS97_N 16
#define WVL_CUDA_MARCH_WARPS53_PACKED 16
#define WVL_CUDA_MARCH_WARPS97_PACKED 12
/* Three components. */
#define WVL_CUDA_MARCH_WARPS53_X3 16
#define WVL_CUDA_MARCH_WARPS97_X3 16
#define WVL_CUDA_MARCH_WARPS53_16X3 16 /* 16-bit containers; 12 are an eighth slower */
#define WVL_CUDA_MARCH_WARPS97_16X3 12
/* The same with 16 columns: in 9/7, thread blocks of four warps. */
#define WVL_CUDA_MARCH_BLOCKS97_X3W 3
/* Rows of pixels on their way to the warp that mixes colours; room is left for barriers that count (block/meet.cuh). */
#ifdef WVL_CUDA_COUNTED_BARRIERS
#define WVL_CUDA_MARCH_ROWS_X3W 4
#else
#define WVL_CUDA_MARCH_ROWS_X3W 6
#endif
#define WVL_CUDA_MARCH_MULTIPROCESSORS 132 /* of the machine tuned for; others run the same segments in more or fewer waves */
#define WVL_CUDA_MARCH_SEGMENT_MIN 6
/* One component of 8 bits in 5/3: so many hundredths of the iterations in one wave of so many hundredths of what the machine holds, if that makes
 * segments of at least so many; the others in short ones, of which the last end one after the other, top first, as the later launches want them. */
#define WVL_CUDA_MARCH_LONG_PART 78
#define WVL_CUDA_MARCH_LONG_WAVE 90
#define WVL_CUDA_MARCH_LONG_MIN 13
#define WVL_CUDA_MARCH_SHORT 4
#define WVL_CUDA_MARCH_SHORT_MOST WVL_CUDA_MARCH_REST /* no long segment is as short */
#define WVL_CUDA_PLANE_SEGMENT_MIN 3
/* Samples of all planes of a launch up to which warps of 4 columns, twice as many, are faster in 9/7: latency is what they wait for. Measured, the
 * whole transform: 1.0 million no change, 1.7 5 % faster, 4.2 2 % slower. */
#define WVL_CUDA_PLANE_LITTLE 2500000
/* Hundredths of a wave that planes may fill with their shortest segments. Measured in 9/7: 73 and 98. */
#define WVL_CUDA_PLANE_WAVE 80
/* Planes that share a warp up to which the next launch waits for its flags: tiles of 512 and 256 are 2 and 1.5 % faster with them, of 128 1 % slower. */
#define WVL_CUDA_PACK_FLAGS 4
#define WVL_CUDA_PLANE_SEGMENT_MANY 10 /* of many components in 5/3, whose planes begin while the first launch ends: at most */
/* Warps that come to a multiprocessor first go first there: with segments of one length they end a tenth sooner. Hundredths of the mean that theirs are
 * long, where instructions are what is waited for. */
#define WVL_CUDA_MARCH_GRADE97_8 110
/* Thread blocks that mix colours: whole rows of long segments in so many waves at most, for which the rest goes in short ones; of how many iterations, and
 * how many more than its run-in each of these costs. */
#define WVL_CUDA_MARCH_ROWS_LEAST 4
#define WVL_CUDA_MARCH_ROWS_MOST 8
#define WVL_CUDA_MARCH_WAVES_MOST 4
#define WVL_CUDA_MARCH_REST 12
#define WVL_CUDA_MARCH_REST_COST 6
/* Iterations that a segment costs beyond its own: those that are run again, and about one for the tables and the first rows. */
#define WVL_CUDA_RUN_IN53 3
#define WVL_CUDA_RUN_IN97 6
/* Smaller pictures go through the any-shape kernels; run-in rows then fold at most once. */
#define WVL_CUDA_MARCH_SIDE_MIN 32

/* The last levels of a plane in one launch: so many at most, warps a thread block, thread blocks a multiprocessor, room between levels in samples. */
#define WVL_CUDA_CASCADE_LEVELS 3
#define WVL_CUDA_CASCADE_WARPS 8
#define WVL_CUDA_CASCADE_BLOCKS53 3
#define WVL_CUDA_CASCADE_BLOCKS97 2
#define WVL_CUDA_CASCADE_SAMPLES 11264
#define WVL_CUDA_CASCADE_TILE_MAX 240 /* of the deepest level */
#define WVL_CUDA_CASCADE_WAVE 12      /* what a wave costs before it begins: two rounds of a thread block alone on a multiprocessor */
#define WVL_CUDA_CASCADE_SIDE_MIN 64
/* Samples of all planes of a launch up to which three levels are not marched through. Measured between 415 and 518 thousand, and 518 and 590. */
#define WVL_CUDA_CASCADE_LITTLE53 450000
#define WVL_CUDA_CASCADE_LITTLE97 550000

/* The last level by itself: thread blocks of one warp that a multiprocessor would hold were it theirs alone. Few registers, since it is not: most lie beside
 * the planes' blocks, which leave 4 to 12 thousand. With 80 and 96, or 120 and 128, no faster. */
#define WVL_CUDA_LAST_BLOCKS53 32
#define WVL_CUDA_LAST_BLOCKS97 24
#define WVL_CUDA_LAST_SIDE_MIN 8 /* mirrored rows and columns fold once */

/* Conversion to X'Y'Z'. */
#define WVL_CUDA_COLOR_THREADS 256

/* Bounds and flags to 0. */
#define WVL_CUDA_CLEAR_THREADS 256
#define WVL_CUDA_LINE_BYTES 128

/* Slots to the host: eight 64 x 64 blocks of 16 bits are 64 KiB, enough for every multiprocessor to keep stores in flight. */
#define WVL_CUDA_DELIVER_THREADS 256
#define WVL_CUDA_PARCEL_BLOCKS 8

#endif
