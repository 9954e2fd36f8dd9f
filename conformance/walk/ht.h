/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments of HT blocks (15444-15 clause 7), read to their end: no value is kept. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WVL_WALK_HT_SIDE 1024u       /* of a block */
#define WVL_WALK_HT_REFINEMENT 2046u /* bytes of a refinement segment */
#define WVL_WALK_HT_MAP (1026u * 6u) /* the largest block of 4096 samples with a border of one */

typedef enum wvl_walk_ht_fault {
    WVL_WALK_HT_SOUND,
    WVL_WALK_HT_MAGSGN_STUFFING, /* a 1 after 0xFF */
    WVL_WALK_HT_SIGPROP_STUFFING,
    WVL_WALK_HT_MEL_STUFFING,
    WVL_WALK_HT_VLC_STUFFING,
    WVL_WALK_HT_MAGSGN_SHORT, /* a: bits read behind the end */
    WVL_WALK_HT_VLC_SHORT,
    WVL_WALK_HT_EXPONENT,        /* a: U_q, b: the most there may be */
    WVL_WALK_HT_MAGNITUDE,       /* a: bits of the magnitude, b: bits there may be */
    WVL_WALK_HT_OUTSIDE,         /* a, b: column and row of the quad */
    WVL_WALK_HT_CLEANUP_OVERLAP, /* a: bytes that two streams read */
    WVL_WALK_HT_REFINEMENT_OVERLAP,
    WVL_WALK_HT_CLEANUP_UNREAD, /* a: bytes that no stream reads */
    WVL_WALK_HT_REFINEMENT_UNREAD,
    WVL_WALK_HT_FAULT_COUNT
} wvl_walk_ht_fault;

/* A block as 7.1 sees it. */
typedef struct wvl_walk_ht_block {
    unsigned width, height;
    unsigned skipped; /* S_blk: bit-planes above the first one of the cleanup pass's */
    int is_causal;    /* vertically causal context */
} wvl_walk_ht_block;

typedef struct wvl_walk_ht_finding {
    wvl_walk_ht_fault fault;
    size_t at; /* in the segment */
    unsigned a, b;
} wvl_walk_ht_finding;

/* What decoding a block needs; nothing in it has to be prepared. */
typedef struct wvl_walk_ht_work { /* about 10 KB */
    /* E of a quad row's lower samples, from one column before the block on. */
    uint8_t exponents[2][WVL_WALK_HT_SIDE + 4];
    /* Bit 0: significant after the cleanup pass; bit 1: since SigProp. With a border of zeros. */
    uint8_t map[WVL_WALK_HT_MAP];
    uint8_t refinement[WVL_WALK_HT_REFINEMENT]; /* for a segment that came in two pieces */
} wvl_walk_ht_work;

/* ht_cleanup.c: decodes a cleanup segment whose Scup is sound; fills the map when is_refined. The first fault, or
 * WVL_WALK_HT_SOUND. *bits becomes the length of the greatest magnitude above the pass's plane, 0 for none; it means
 * nothing after a fault that is an error. */
wvl_walk_ht_finding wvl_check_decode_cleanup(const wvl_walk_ht_block *block, const uint8_t *data, size_t bytes,
                                             int is_refined, wvl_walk_ht_work *work, unsigned *bits);

/* ht_refinement.c: the same for a refinement segment, with the map as the cleanup pass left it. passes: 2 with SigProp
 * alone, else 3. Whether all is read is only judged when the segment is complete. */
wvl_walk_ht_finding wvl_check_decode_refinement(const wvl_walk_ht_block *block, const uint8_t *data, size_t bytes,
                                                unsigned passes, int is_complete, wvl_walk_ht_work *work);
