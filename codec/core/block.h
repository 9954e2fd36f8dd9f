/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes into a block coder and what comes out: the same for EBCOT and HT (D-ht-01). */
#pragma once

#include <stddef.h>

#include "base/hd.h"
#include "geom/handover_pass.h"

typedef struct wvl_block_input {
    const void *coefs;      /* sign-magnitude samples, sign in the top bit (bit 15, 31 or 63); aligned to their size */
    uint32_t stride;        /* elements */
    uint16_t width, height; /* 1..1024 each, at most 4096 samples */
    uint8_t coef_bytes;     /* 2 or 4; HT without gains: or 8 */
    uint8_t frac_bits;      /* F: coded planes are bits F.. of the magnitude; lower bits only inform distortion */
    uint8_t orient;         /* 0 LL 1 HL 2 LH 3 HH */
    uint8_t style;          /* WVL_STYLE_* */
    uint8_t reversible;     /* the decoder rebuilds samples exactly at plane 0 if F is 0 */
    uint8_t want_gains;     /* 0: gains and energy are left 0 */
    uint8_t max_passes;     /* most passes that are coded, from the top (255: all) */
    uint8_t cleanup_plane;  /* HT: plane of the cleanup pass of the last set; EBCOT: 0 */
    uint8_t all_sets; /* HT: a set for every plane from the top one down, for rate control to choose from; 0: one set */
    uint8_t first_set;  /* HT with all_sets: one more than the plane of the first set; 0: of the top one */
    uint8_t set_passes; /* HT with all_sets: most passes of a set, 1 to 3; 0: three */
    /* Asked after every pass but the last, with the records so far; 0 ends the block there, as max_passes does. NULL:
     * all passes. */
    int (*wants_more)(void *user, const wvl_pass *passes, uint32_t pass_count);
    void *wants_user;
    const void *kernels; /* what fetch_kernels gave; NULL: plain C */
    uint32_t
        bound; /* OR of the magnitudes; larger makes empty top planes, smaller is forbidden. 0: no sample is read */
} wvl_block_input;

typedef struct wvl_block_output {
    uint8_t *bytes; /* caller's, bytes_bound of them */
    uint32_t length;
    wvl_pass *passes; /* caller's, room for passes_bound */
    uint32_t pass_count;
    uint32_t planes; /* Mb less the zero bit-planes: coded magnitude planes P (EBCOT), or one more than the plane of the
                        cleanup pass (HT) */
    uint64_t energy; /* sum of m^2, divided by 4^energy_shift */
    uint8_t energy_shift; /* 0, or 8 where the sum would leave 62 bits */
} wvl_block_output;

/* Blocks that may be in work at the same time. */
#define WVL_BLOCK_SEATS 16

/* Where a worker's blocks come from and go to. */
typedef struct wvl_block_feed {
    void *user;
    /* Fills the input and the output of a seat with the next block; 0: there is none. Not asked again after that. */
    int (*fetch)(void *user, unsigned seat, wvl_block_input *in, wvl_block_output *out);
    /* The block of the seat is complete, its output and all it points to are the caller's again. 0 ends the run. */
    int (*put)(void *user, unsigned seat);
    size_t scratch_bytes; /* of the run's scratch */
} wvl_block_feed;

/* A block coder. Its functions are pure but for what they write, and neither allocate nor fail. */
typedef struct wvl_block_coder {
    /* For blocks up to this shape and this many planes; never less for more. Aligned to 64, contents irrelevant between
     * calls. */
    size_t (*scratch_bytes)(uint32_t width, uint32_t height, uint32_t planes);
    const void *(*fetch_kernels)(void); /* the fastest that this processor runs; all give the same results */
    /* Never exceeded by any block of this shape, whatever its samples; bytes that only the coder uses are included. */
    size_t (*bytes_bound)(uint32_t width, uint32_t height, uint32_t planes, uint8_t style);
    uint32_t (*passes_bound)(uint32_t planes);
    /* As many blocks as there are. Each one's result is the one it has alone. kernels: what fetch_kernels gave; NULL:
     * plain C. */
    void (*encode_stream)(void *scratch, const void *kernels, const wvl_block_feed *feed);
    unsigned seats; /* seats below this are used */
} wvl_block_coder;

/* Energy from the sums of the low and the high 32 bits of the squares: 4096 squares of 31-bit magnitudes make 2^74.
 * What is dropped is below 2^-45 of the sum: rate control subtracts gains from energies and must not see the
 * difference. */
WVL_HD void wvl_block_set_energy(wvl_block_output *out, uint64_t low, uint64_t high)
{
    int fits = high < (uint64_t)1 << 29;
    out->energy = fits ? (high << 32) + low : (high << 16) + (low >> 16);
    out->energy_shift = fits ? 0 : 8;
}
