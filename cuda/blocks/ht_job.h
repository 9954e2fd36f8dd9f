/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the HT block coder on the device reads and writes: flat tables in device memory, the same on both sides.
 * Addresses are those of the device.
 *
 * The host fills blocks, order and groups once for a plan. Kernels write records, scratch and output.
 * cuda/blocks/README.md says who runs what.
 */
#pragma once

#include <stdint.h>

#include "base/hd.h"
#include "cuda/blocks/block_error.h"

/* One code block. The meaning of each member is that of wvl_block_input (codec/core/block.h). */
typedef struct wvl_cuda_ht_block {
    uint64_t
        coefs; /* sample (0, 0); aligned to coef_bytes. Whole 16 bytes are read at once where rows lie on 16 bytes */
    uint64_t bound;         /* of a 32-bit word: OR of the magnitudes. It is read when the kernels run */
    uint32_t stride;        /* samples */
    uint16_t width, height; /* 1..1024 each; a nominal block of at most 4096 samples holds them */
    uint8_t coef_bytes;     /* 2 or 4 */
    uint8_t frac_bits, cleanup_plane;
    uint8_t style; /* WVL_STYLE_VSC counts */
    uint8_t max_passes, set_passes;
    uint8_t planes;     /* at least the bits of the word at `bound` from the plane of the cleanup pass on: what scratch
                           memory     is measured by */
    uint8_t reversible; /* the decoder rebuilds samples exactly at plane 0 if frac_bits is 0 */
} wvl_cuda_ht_block;

enum {
    WVL_CUDA_HT_LEFT = 1
}; /* the block was not coded: scratch or output were too small. It goes into another launch */

/* What became of a block. */
typedef struct wvl_cuda_ht_record {
    uint64_t offset;        /* of its first byte, from the output of its group */
    uint32_t bytes;         /* of all segments */
    uint32_t cleanup_bytes; /* of the first segment; 0: no pass is coded */
    uint32_t sigprop_bytes; /* of the second segment if the block ended with SigProp */
    uint8_t tail;           /* the last byte of that ending, where tail_count is 1 */
    uint8_t tail_count;
    uint8_t has_sigprop, has_magref;
    uint8_t planes; /* as in wvl_block_output */
    uint8_t flags;  /* WVL_CUDA_HT_LEFT */
    uint8_t room[2];
} wvl_cuda_ht_record;

/* What the error of a block is made of. Of magnitudes m = k 2^P + r, r < 2^P, with P the lowest plane of the cleanup
 * pass in the container: sums of m^2, k^2 and k r over all, by their low and high 32 bits; of r where k > 0; their
 * number. */
typedef struct wvl_cuda_ht_sums {
    uint64_t m2[2], k2[2], kr[2]; /* low, high */
    uint64_t r, count;
} wvl_cuda_ht_sums;

/* Consecutive blocks whose bytes lie side by side in the order of the list: those of a picture. */
typedef struct wvl_cuda_ht_group {
    uint64_t output;       /* of the first byte; NULL: sizes alone */
    uint64_t output_bytes; /* room there */
    uint32_t first, count; /* blocks */
} wvl_cuda_ht_group;

/* What is known of a block between the kernels. Offsets are bytes from its piece of scratch; pieces lie at multiples of
 * 16 bytes.
 */
typedef struct wvl_cuda_ht_part {
    uint32_t piece;             /* of the cleanup segment, in units of 16 bytes */
    uint32_t magsgn;            /* bytes, from offset 0 */
    uint32_t vlc, vlc_end;      /* bytes, and offset of the end */
    uint32_t mel, mel_at;       /* bytes, and offset */
    uint32_t events, events_at; /* bits, and offset */
    uint32_t vlc_tail;          /* open bits at the end of VLC | their number << 8 */
    uint32_t refinement;        /* piece of the second segment */
    uint32_t sigprop;           /* bytes, from offset 0; a byte that MagRef shares is among them */
    uint32_t magref, magref_end;
} wvl_cuda_ht_part;

/* Which kernel codes the cleanup pass of a block. PLAIN: samples of 16 bits, and all bits of a magnitude are coded. */
enum {
    WVL_CUDA_HT_64_PLAIN, /* at most 64x64: a warp a block */
    WVL_CUDA_HT_64,       /* samples of 32 bits, too, if at most 15 bits of a magnitude are coded */
    WVL_CUDA_HT_32_PLAIN, /* at most 32x32: a warp for two blocks */
    WVL_CUDA_HT_32,
    WVL_CUDA_HT_ANY16, /* all other shapes */
    WVL_CUDA_HT_ANY32, /* samples of 32 bits: other shapes, and more bits */
    WVL_CUDA_HT_CLASSES
};

WVL_HD uint32_t wvl_cuda_ht_class_of(const wvl_cuda_ht_block *b)
{
    uint32_t is_wide = b->coef_bytes != 2, is_cut = is_wide || b->frac_bits + b->cleanup_plane;
    if (b->width > 64 || b->height > 64 || (is_wide && b->planes > 15)) {
        return is_wide ? WVL_CUDA_HT_ANY32 : WVL_CUDA_HT_ANY16;
    }
    return (b->width <= 32 && b->height <= 32 ? WVL_CUDA_HT_32_PLAIN : WVL_CUDA_HT_64_PLAIN) + (is_cut ? 1u : 0u);
}

/* Counters that one launch sets to 0 and counts in; is_cleared: they are 0 already. NEXT: the next block of a class,
 * then of refinement. */
enum {
    WVL_CUDA_HT_SCRATCH_UNITS,
    WVL_CUDA_HT_LEFT_BLOCKS,
    WVL_CUDA_HT_UNBOUNDED, /* blocks with magnitudes of more than `planes` bits, which the plan had proved away */
    WVL_CUDA_HT_NEXT,
    WVL_CUDA_HT_COUNTERS = WVL_CUDA_HT_NEXT + WVL_CUDA_HT_CLASSES + 1
};

/* The lists of a launch whose blocks the device lists (cuda/rate/sets.cu). Zeroed before. */
typedef struct wvl_cuda_ht_lists {
    uint32_t next[WVL_CUDA_HT_CLASSES + 1]; /* as WVL_CUDA_HT_NEXT */
    uint32_t count[WVL_CUDA_HT_CLASSES];    /* entries of `order` from class_first on */
} wvl_cuda_ht_lists;

/* Planes of a block as EBCOT kernels have split it (cuda/blocks/t1_words.cuh), with what its propagation passes do:
 * what SigProp and MagRef code is there then. */
typedef struct wvl_cuda_ht_words {
    uint64_t words;       /* address */
    uint32_t step, total; /* as in word_layout */
    uint32_t count;       /* words of a plane */
    uint32_t planes;
} wvl_cuda_ht_words;

/* The argument of all kernels. */
typedef struct wvl_cuda_ht_job {
    uint64_t blocks;   /* wvl_cuda_ht_block[block_count] */
    uint64_t order;    /* uint32_t[block_count]: indexes of blocks, class by class */
    uint64_t groups;   /* wvl_cuda_ht_group[group_count]; every block is in one group. No groups: nothing is gathered,
                        * the parts stay in scratch memory */
    uint64_t records;  /* wvl_cuda_ht_record[block_count] */
    uint64_t sums;     /* wvl_cuda_ht_sums[block_count]; 0: they are not wanted */
    uint64_t weights;  /* double[block_count]; read where errors are wanted */
    uint64_t errors;   /* wvl_cuda_block_error[block_count]; 0: they are not wanted */
    uint64_t parts;    /* wvl_cuda_ht_part[block_count] */
    uint64_t totals;   /* uint32_t[block_count]: bytes of blocks, while they are placed; 0: they are not wanted */
    uint64_t places;   /* uint64_t[block_count]: of their first bytes, from the output of the group */
    uint64_t scratch;  /* scratch_units * 16 bytes, aligned to 16 */
    uint64_t counters; /* uint32_t[WVL_CUDA_HT_COUNTERS] */
    uint32_t scratch_units;
    uint32_t block_count, group_count;
    uint32_t group_most; /* blocks of the largest group */
    uint32_t class_first[WVL_CUDA_HT_CLASSES], class_count[WVL_CUDA_HT_CLASSES];
    uint64_t lists; /* wvl_cuda_ht_lists: which blocks are coded. 0: all, as wvl_cuda_ht_sort() has put them in order */
    uint64_t words; /* wvl_cuda_ht_words[block_count]; 0: SigProp and MagRef read samples */
    uint32_t refines; /* some block may have SigProp */
    uint32_t is_cleared;
} wvl_cuda_ht_job;

/* 32-bit words of dynamic shared memory: the tables of a thread block, and what each warp of a kernel takes. */
#define WVL_CUDA_HT_TABLE_WORDS 4096u
#define WVL_CUDA_HT_WINDOW 512u /* words of a stream in work */
#define WVL_CUDA_HT_WINDOW_ROOM (WVL_CUDA_HT_WINDOW + 40u)
/* Q rows of quads: samples, which the bits of MagSgn replace; VLC; a window. */
#define WVL_CUDA_HT_ROWS_WORDS(Q) (32u * (2u * (Q) + 4u) + 32u * ((Q) / 2u + 1u) + WVL_CUDA_HT_WINDOW_ROOM)
#define WVL_CUDA_HT_ANY_WORDS(bytes) (32u * (32u * (bytes) + 1u) + 32u * 17u + WVL_CUDA_HT_WINDOW_ROOM)
#define WVL_CUDA_HT_REFINE_WORDS (4u * 256u + 288u + 300u + 172u)
/* Most warps of a thread block: what registers allow. */
#define WVL_CUDA_HT_MOST_WARPS 16u
#define WVL_CUDA_HT_PAIR_WARPS 20u /* of kernels for blocks of up to 32x32 */
#define WVL_CUDA_HT_REFINE_WARPS 24u
#define WVL_CUDA_HT_PLACE_THREADS 1024u
#define WVL_CUDA_HT_FINISH_THREADS 32u
#define WVL_CUDA_HT_GATHER_THREADS 256u
#define WVL_CUDA_HT_SUM_THREADS 256u
