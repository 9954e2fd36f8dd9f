/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the EBCOT block coder on the device reads and writes: flat tables in device memory, the same on both sides.
 * Addresses are those of the device.
 *
 * The host fills blocks and lists once for a plan. Kernels write states, records, ends and scratch memory. Context
 * modelling makes a list of symbols of every block; the MQ coder makes its bytes. cuda/blocks/README.md names the
 * kernels.
 */
#pragma once

#include <stdint.h>

#include "base/hd.h"
#include "cuda/blocks/block_error.h"

/* One code block. The meaning of each member is that of wvl_block_input (codec/core/block.h). */
typedef struct wvl_cuda_t1_block {
    uint64_t coefs;         /* sample (0, 0); aligned to coef_bytes. 16 bytes are read at once where rows lie on them */
    uint64_t bound;         /* of a 32-bit word: OR of the magnitudes. It is read when the kernels run */
    uint32_t stride;        /* samples */
    uint16_t width, height; /* 1..1024 each; a nominal block of at most 4096 samples holds them */
    uint8_t coef_bytes;     /* 2 or 4 */
    uint8_t frac_bits, orient, style;
    uint8_t planes;     /* at least the bits of the word at `bound` above frac_bits: what memory is measured by */
    uint8_t max_passes; /* most passes that are coded; 255: all */
    uint8_t reversible;
    uint8_t in_region; /* of interest: WVL_CUDA_T1_IN_REGION as a whole, so that its slopes are raised
                          (wvl_hull_set_region); s where its samples are a copy with those of a region times 2^s */
} wvl_cuda_t1_block;

#define WVL_CUDA_T1_IN_REGION 255u
WVL_HD int wvl_cuda_t1_may_copy(const wvl_cuda_t1_block *b)
{
    return b->in_region && b->in_region != WVL_CUDA_T1_IN_REGION;
}

/* Rectangles of interest (cuda/blocks/t1_lift.cu). What of a block is region, as far as geometry says it. */
enum {
    WVL_CUDA_T1_NO_REGION, /* the component has no rectangle */
    WVL_CUDA_T1_BACKGROUND,
    WVL_CUDA_T1_WHOLE,
    WVL_CUDA_T1_PART
};
typedef struct wvl_cuda_t1_region {
    uint64_t copy; /* of PART: bytes from job.copies */
    uint32_t first_rect;
    uint16_t rect_count;
    uint8_t kind, shift; /* WVL_CUDA_T1_*; s. `planes` of PART is Mb + s, else Mb */
} wvl_cuda_t1_region;

/* In samples of the block. */
typedef struct wvl_cuda_t1_rect {
    uint16_t x0, y0, x1, y1;
} wvl_cuda_t1_rect;

/* The gains of a copy (wvl_roi). */
typedef struct wvl_cuda_t1_lift {
    uint64_t energy;
    uint32_t count;
    uint32_t bound;
    uint8_t frac_bits; /* of the block that was copied */
    uint8_t room[7];
} wvl_cuda_t1_lift;

enum {
    WVL_CUDA_T1_LEFT = 1, /* the block was not coded: scratch memory was too small. It goes into another launch */
    WVL_CUDA_T1_AGAIN = 2 /* of a state: the block is coded in the round in work (job.round) */
};

/*
 * The state of a block between the kernels. Places in scratch memory are units of 16 bytes from its start.
 *
 * ends: uint32_t[3 * planes - 2], for each pass the number of symbols up to its end; afterwards, where the style ends a
 * segment with that pass (TERMALL, BYPASS), the bytes of the block up to there. Other entries keep their symbols.
 *
 * The list of symbols lies in chunks of WVL_CUDA_T1_CHUNK_UNITS units: 16 symbols a unit, and in the first word of the
 * last unit the place of the next chunk. The last chunk names itself. A symbol is 2 * context + bit (bit 0 alone counts
 * in raw passes).
 */
typedef struct wvl_cuda_t1_state {
    uint32_t words; /* plane words (cuda/blocks/t1_words.cuh); context modelling alone knows them */
    uint32_t ends;
    uint32_t list;     /* first chunk; behind it, with job.foresees, wvl_cuda_t1_kept */
    uint32_t symbols;  /* of all passes that are coded: ends[passes - 1] */
    uint32_t codeword; /* of its memory: at least wvl_t1_bound_symbols(symbols, passes, style) bytes */
    uint8_t planes;    /* coded planes: bits of the bound above frac_bits */
    uint8_t passes;    /* that are coded: 3 * planes - 2, or max_passes */
    uint8_t flags;     /* WVL_CUDA_T1_LEFT, WVL_CUDA_T1_AGAIN */
    uint8_t listed;    /* planes whose symbols are in the list, from the top one down */
} wvl_cuda_t1_state;

#define WVL_CUDA_T1_CHUNK_UNITS 64u
#define WVL_CUDA_T1_KEPT_UNITS 8u
#define WVL_CUDA_T1_CHUNK_SYMBOLS (16u * (WVL_CUDA_T1_CHUNK_UNITS - 1u))
#define WVL_CUDA_T1_MOST_PASSES 91u /* 3 * 31 - 2 */

/* Where the codeword of a block stopped, for the round to come (cuda/blocks/mq_kept.cuh): the MQ coder after its last
 * pass. The bytes before B are in memory. Kernels with job.is_styled keep nothing. */
typedef struct wvl_cuda_t1_kept {
    uint32_t contexts[19]; /* words of the state machine */
    uint32_t a, c, ct, b;
    uint32_t n, last; /* bytes that have left, and the last four of them */
    uint32_t unit;    /* of the list: where the last symbol lies */
    uint32_t symbols, passes;
    uint32_t first_pass; /* with which the last round began */
    uint32_t room[3];
} wvl_cuda_t1_kept;

/* What became of a block. Its bytes are in scratch memory from byte 16 * codeword + 1 on: the byte before is the
 * coder's. */
typedef struct wvl_cuda_t1_record {
    uint32_t bytes;
    uint32_t codeword; /* as in the state */
    uint32_t ends;     /* the same */
    uint8_t planes, passes;
    uint8_t flags; /* WVL_CUDA_T1_LEFT: nothing else is valid */
    uint8_t room;
} wvl_cuda_t1_record;

/* A pass as wvl_pass has it, without its gain. While blocks are coded it holds the registers at the end of the pass. */
typedef struct wvl_cuda_t1_pass {
    uint32_t safe_bytes, final_bytes;
    uint8_t tail[6];
    uint8_t tail_count, flags;
} wvl_cuda_t1_pass;

/*
 * What rate control wants of a block. Every member is that of wvl_block_output; a block that was left has none.
 *
 * values: with passes, a place in scratch memory. int64_t gain_quarters[all] as wvl_pass has them; then, after
 * wvl_t1_hull, int64_t gains[all] and uint16_t slopes[all] as wvl_hull_fetch() gives them (codec/core/hull.h). all:
 * wvl_cuda_t1_all_passes(); only those of passes that are coded are there.
 *
 * Until then, with job.foresees, wvl_cuda_t1_plane_counts[planes] stands in the place of gains.
 */
typedef struct wvl_cuda_t1_gains {
    uint64_t energy;
    uint32_t values;
    uint8_t energy_shift;
    uint8_t frac_bits;  /* of a copy: of the block, which gains are in units of */
    uint16_t unsettled; /* of wvl_t1_hull: passes to come may change slopes up to this one */
} wvl_cuda_t1_gains;

/* Samples of a plane: significant before it; coded by its propagation pass; new in that pass; new in the plane. */
typedef struct wvl_cuda_t1_plane_counts {
    uint16_t own, member, fresh, news;
} wvl_cuda_t1_plane_counts;

#define WVL_CUDA_T1_VALUE_BYTES 18u /* of a pass at `values` */

/* What squared errors of a block count: weight_mantissa and weight_exponent of wvl_band_coding. */
typedef struct wvl_cuda_t1_weight {
    uint32_t mantissa;
    int32_t exponent;
} wvl_cuda_t1_weight;

/*
 * A coded block as the host reads it (wvl_t1_gather): its bytes from unit `place` of the output on, and from
 * the next whole unit on its passes as codec/t2/coded_tile.h has them: wvl_pass[passes]; with gains also int64_t
 * gains[passes] and uint16_t slopes[passes]. The meaning of each member is that of wvl_block_record.
 */
typedef struct wvl_cuda_t1_coded {
    uint64_t energy;
    uint32_t place; /* units of 16 bytes */
    uint32_t bytes;
    uint8_t planes, passes, zero_planes, lift, energy_shift;
    uint8_t flags; /* WVL_CUDA_T1_LEFT: nothing else is valid. It found no room in scratch memory, or in the output */
    uint8_t room[2];
} wvl_cuda_t1_coded;

/* How context modelling takes blocks. */
enum {
    WVL_CUDA_T1_64, /* at most 64x64 */
    WVL_CUDA_T1_32, /* at most 32x32 */
    WVL_CUDA_T1_ANY,
    WVL_CUDA_T1_CLASSES
};

/* The kernel that codes lists into codewords where no block has a style of its own (is_styled). All give the same
 * bytes.
 */
enum {
    WVL_CUDA_T1_MQ_INTEGERS, /* on any device */
    WVL_CUDA_T1_MQ_FLOATS,   /* where doubles are fast */
    WVL_CUDA_T1_MQ_PAIRS,    /* the same by two warps: a list takes less time, and more of the device */
    WVL_CUDA_T1_MQ_KERNELS
};

/* Counters that one launch sets to 0 and counts in. */
enum {
    WVL_CUDA_T1_SCRATCH_UNITS, /* taken; more than scratch_units: some blocks are left */
    WVL_CUDA_T1_LEFT_BLOCKS,
    WVL_CUDA_T1_UNBOUNDED, /* blocks with more planes than `planes`, which the plan had proved away: they are left */
    WVL_CUDA_T1_ITEMS,     /* pairs of block and plane of each class */
    WVL_CUDA_T1_ORDERED = WVL_CUDA_T1_ITEMS + WVL_CUDA_T1_CLASSES, /* blocks with symbols */
    WVL_CUDA_T1_REPEATED, /* blocks of the round to come; 0: its kernels do nothing */
    WVL_CUDA_T1_COUNTERS
};

/* The argument of all kernels. */
typedef struct wvl_cuda_t1_job {
    uint64_t blocks;   /* wvl_cuda_t1_block[block_count] */
    uint64_t lists;    /* uint32_t[block_count]: indexes of blocks, class by class. Others are not touched. 0, for the
                        * MQ coder alone: all blocks */
    uint64_t states;   /* wvl_cuda_t1_state[block_count] */
    uint64_t records;  /* wvl_cuda_t1_record[block_count] */
    uint64_t order;    /* uint32_t[block_count]: blocks with symbols, those with the longest lists first */
    uint64_t items;    /* uint32_t[item_most]: block << 8 | plane, class by class */
    uint64_t passes;   /* wvl_cuda_t1_pass[block_count][WVL_CUDA_T1_MOST_PASSES], aligned to 16; 0: not wanted */
    uint64_t scratch;  /* scratch_units * 16 bytes, aligned to 16 */
    uint64_t counters; /* uint32_t[WVL_CUDA_T1_COUNTERS] */
    uint64_t block_weights; /* double[block_count]; read where errors of blocks are wanted */
    uint64_t block_errors;  /* wvl_cuda_block_error[block_count]; 0: they are not wanted */
    uint32_t scratch_units;
    uint32_t block_count;
    uint32_t class_first[WVL_CUDA_T1_CLASSES], class_count[WVL_CUDA_T1_CLASSES];
    uint32_t item_first[WVL_CUDA_T1_CLASSES], item_most[WVL_CUDA_T1_CLASSES]; /* by `planes` of the blocks */
    /* Blocks of a class whose samples may have 16 bits: the first ones of its list. And 32 bits: the last ones. */
    uint32_t narrow_count[WVL_CUDA_T1_CLASSES], wide_count[WVL_CUDA_T1_CLASSES];
    uint32_t is_styled; /* some block has TERMALL, RESET, PTERM or BYPASS */
    uint32_t is_cleared;
    uint64_t gains;        /* wvl_cuda_t1_gains[block_count]: energies, and gains of passes; 0: not wanted */
    uint64_t hull_weights; /* wvl_cuda_t1_weight[block_count]; read where hulls are wanted */
    int32_t gain_exponent; /* of hulls: unit of weighted gains, as plan->rate has it */
    uint32_t foresees;     /* with gains: samples of planes are counted, and rate control says how many passes of each
                              block are listed (cuda/rate/README.md) */
    uint32_t round;        /* above 0: blocks with WVL_CUDA_T1_AGAIN are listed and coded again */
    uint64_t originals, regions, rects, lifts, copies; /* with rectangles of interest: wvl_cuda_t1_block and _region
                              [block_count], _rect, _lift[block_count], 32-bit samples; `blocks` are written */
    uint64_t asked;                                    /* a word: 0 there, and kernels do nothing; 0: none */
    uint32_t mq;                                       /* WVL_CUDA_T1_MQ_* */
    uint32_t spread; /* thread blocks of pairs at least, where there are as many blocks */
    uint32_t lanes;  /* of a warp of the MQ coder that have a block: a power of two; 0: all 32 */
    uint32_t thin; /* warps in front that have so few, those with the longest lists; the others have 32. 0: all have */
    uint32_t
        is_rare; /* mostly `asked` says that there is nothing to do: grids are no larger than what runs at a time */
    /* wvl_t1_gather alone: */
    uint32_t output_units;
    uint64_t coded;        /* wvl_cuda_t1_coded[block_count] */
    uint64_t output;       /* output_units * 16 bytes, aligned to 16 */
    uint64_t output_taken; /* uint32_t: units that blocks have asked for; it is not set to 0 */
} wvl_cuda_t1_job;

/* Passes of a block of `planes` coded planes whose max_passes are `most`. */
WVL_HD uint32_t wvl_cuda_t1_all_passes(uint32_t planes, uint32_t most)
{
    uint32_t all = planes ? 3 * planes - 2 : 0;
    return all < most ? all : most;
}

/* Threads of a grid where is_rare: what a large device holds. */
#define WVL_CUDA_T1_RARE_THREADS (2048u * 132u)

#define WVL_CUDA_T1_MOST_WORDS 256u /* of a plane: 32 samples each, of 8 columns of a stripe */
#define WVL_CUDA_T1_OPEN_THREADS 128u
#define WVL_CUDA_T1_PLANES_THREADS 128u
#define WVL_CUDA_T1_SPREAD_THREADS 64u
#define WVL_CUDA_T1_GAINS_THREADS 128u /* of blocks up to 64x64; of all others: a thread a word */
#define WVL_CUDA_T1_HULL_THREADS 32u
#define WVL_CUDA_T1_LIFT_THREADS 128u /* a warp a block */
#define WVL_CUDA_T1_SORT_THREADS 1024u
#define WVL_CUDA_T1_MQ_THREADS 64u
#define WVL_CUDA_T1_ENDS_THREADS 128u
#define WVL_CUDA_T1_WEIGH_THREADS 256u
#define WVL_CUDA_T1_GATHER_THREADS 128u

/* Words of shared memory: bins of wvl_t1_sort; the state machine and the contexts of a warp of the MQ coder. */
#define WVL_CUDA_T1_SORT_BINS 8192u
#define WVL_CUDA_T1_SORT_WORDS (WVL_CUDA_T1_SORT_BINS + 32u)
/* In bytes: 19 rows of 32 words a warp, from a multiple of 4096 on; the state machine lies behind those of warp 0. */
#define WVL_CUDA_T1_MQ_TABLE (19u * 128u)
#define WVL_CUDA_T1_MQ_WARP_BYTES 4096u
#define WVL_CUDA_T1_MQ_WORDS                                                                                           \
    (((WVL_CUDA_T1_MQ_THREADS / 32u - 1u) * WVL_CUDA_T1_MQ_WARP_BYTES + WVL_CUDA_T1_MQ_TABLE) / 4u)

/* Of wvl_t1_mq_pairs: the same of one warp, then two units of a list, eight bytes a symbol. */
#define WVL_CUDA_T1_MQ_PAIR_RING WVL_CUDA_T1_MQ_WARP_BYTES
#define WVL_CUDA_T1_MQ_PAIR_BYTES (WVL_CUDA_T1_MQ_PAIR_RING + 2u * 16u * 32u * 8u)

/* Bytes of shared memory of a thread block of the list kernels: two stages for the symbols of a plane (at most 2.5 a
 * sample, 4 of a segmentation symbol, 15 left of the plane before), sums of warps by turns, a grant. */
#define WVL_CUDA_T1_STAGE_BYTES(samples) (((samples)*5u / 2u + 4u + 15u + 15u) / 16u * 16u)
#define WVL_CUDA_T1_LIST_BYTES(samples) (2u * WVL_CUDA_T1_STAGE_BYTES(samples) + 2u * 8u * 8u + 16u)

/* Words of shared memory of the gain kernels. Of a warp: sums of three passes of each plane, and of squares. For any
 * block also the bits of the magnitudes, and sums of 64 bits. */
#define WVL_CUDA_T1_GAINS_WARP_WORDS (3u * 15u + 3u)
#define WVL_CUDA_T1_GAINS_WORDS (WVL_CUDA_T1_GAINS_THREADS / 32u * WVL_CUDA_T1_GAINS_WARP_WORDS)
#define WVL_CUDA_T1_GAINS_ANY_WARP_WORDS (2u * (3u * 31u + 2u))
#define WVL_CUDA_T1_GAINS_ANY_WORDS                                                                                    \
    (WVL_CUDA_T1_MOST_WORDS * 31u + WVL_CUDA_T1_MOST_WORDS / 32u * WVL_CUDA_T1_GAINS_ANY_WARP_WORDS)
#define WVL_CUDA_T1_GAINS_WIDE_WORDS                                                                                   \
    (WVL_CUDA_T1_GAINS_THREADS * 31u + WVL_CUDA_T1_GAINS_THREADS / 32u * WVL_CUDA_T1_GAINS_ANY_WARP_WORDS)
