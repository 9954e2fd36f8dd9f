/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT code block encoder (15444-1 Annex D). Pure functions of their input; they neither allocate nor fail. */
#ifndef WVL_T1_T1_H
#define WVL_T1_T1_H

#include <stddef.h>
#include <stdint.h>

#include "geom/handover_pass.h"
#include "geom/plan.h"

#define WVL_T1_MAX_SAMPLES 4096
#define WVL_T1_MAX_SIDE 1024
#define WVL_T1_MAX_PLANES 31
#define WVL_T1_MAX_PASSES (3 * WVL_T1_MAX_PLANES - 2)

struct wvl_t1_kernels;

typedef struct wvl_t1_input {
    const void *coefs;      /* sign-magnitude samples, sign in the top bit (bit 15 or 31); aligned to their size */
    uint32_t stride;        /* elements */
    uint16_t width, height; /* 1..1024 each, at most 4096 samples */
    uint8_t coef_bytes;     /* 2 or 4 */
    uint8_t frac_bits;      /* F: coded planes are bits F.. of the magnitude; lower bits only inform distortion */
    uint8_t orient;         /* 0 LL 1 HL 2 LH 3 HH */
    uint8_t style;          /* WVL_STYLE_* */
    uint8_t reversible;     /* the decoder rebuilds samples exactly at plane 0 if F is 0 */
    uint8_t want_gains;     /* 0: gains and energy are left 0 */
    uint8_t max_passes;     /* code at most so many passes from the top (255: all) */
    /* Asked after every pass but the last, with the records so far; 0 ends the block there, as max_passes does. NULL: all passes. */
    int (*wants_more)(void *user, const wvl_pass *passes, uint32_t pass_count);
    void *wants_user;
    const struct wvl_t1_kernels *kernels; /* wvl_t1_fetch_kernels(); NULL: plain C */
    uint32_t bound;         /* OR of the magnitudes; larger makes empty top planes, smaller is forbidden */
} wvl_t1_input;

typedef struct wvl_t1_output {
    uint8_t *bytes; /* caller's, wvl_t1_bytes_bound() of them */
    uint32_t length;
    wvl_pass *passes; /* caller's, room for min(max_passes, 3 * planes - 2) */
    uint32_t pass_count;
    uint32_t planes;      /* P: coded magnitude planes */
    uint64_t energy;      /* sum of m^2, divided by 4^energy_shift */
    uint8_t energy_shift; /* 0, or 8 where the sum would leave 62 bits */
} wvl_t1_output;

typedef struct wvl_t1_scratch wvl_t1_scratch; /* wvl_t1_scratch_bytes() bytes aligned to 64, contents irrelevant between calls */

/*
 * Where max_passes or wants_more stops the block early, the codeword is ended after the last pass coded (`length` is its final_bytes, its tail is
 * stored), and every record is the one it would be if more passes were coded; in particular the last one is not marked TERM unless a
 * segment ends there in any case.
 */
void wvl_t1_encode_block(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out);

/*
 * The same for many blocks, about a tenth faster: the arithmetic coder works on two at a time. Each block's result is the one it has
 * alone. Inputs and outputs are arrays of `count`, no two outputs sharing a buffer.
 */
void wvl_t1_encode_blocks(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out, size_t count);

/* The same as wvl_t1_encode_block(), word for word from the standard: slow, and the judge of the other. */
void wvl_t1_encode_block_ref(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out);

size_t wvl_t1_scratch_bytes(void);

/* The fastest that this processor runs; all give the same results. */
const struct wvl_t1_kernels *wvl_t1_fetch_kernels(void);

/* Never exceeded by any block of this shape, whatever its samples; some bytes of slack the encoder itself uses are included. */
size_t wvl_t1_bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style);

#endif
