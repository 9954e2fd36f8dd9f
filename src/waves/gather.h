/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All coefficients of a picture of one wave, gathered from its strips: for plans that order blocks from all over the
 * picture (rdoq), and for pictures that may be coded again from a source that cannot go back. With a limit of memory
 * they lie in a mapped file (codec/store/spill.h).
 */
#pragma once

#include "codec/store/spill.h"
#include "way/wave.h"

typedef struct wvl_gather {
    const wvl_plan *plan; /* NULL: closed */
    wvl_spill spill;      /* open if is_mapped */
    int is_mapped, is_full;
    uint8_t *samples;
    uint32_t *bounds;
    uint64_t sample_bytes, bounds_bytes;
} wvl_gather;

/* Bytes of coefficients; *beside: what is held in memory in any case. */
uint64_t wvl_gather_measure(const wvl_plan *plan, uint64_t *beside);
/* Fills wave->coefs for the tiles of the wave, which are built. spill: of the picture; where it has a limit, the
 * coefficients go to a file of their own in its folder, and rest with it. After an error close is due all the same. */
wvl_status wvl_gather_open(wvl_gather *gather, const wvl_plan *plan, wvl_wave *wave, wvl_spill *spill);
void wvl_gather_close(wvl_gather *gather, wvl_spill *spill);
/* Copies what is there of tiles that follow one another. */
void wvl_gather_take(wvl_gather *gather, const wvl_wave *wave, const wvl_coefs *coefs, uint32_t count);
