/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deep blocks have to be coded. Passes beyond the final threshold are cut away, so the coder need not make them; where the threshold
 * will lie is predicted from the blocks coded so far. The prediction decides how much work is done, never a byte: blocks that turn out to
 * have been left too early are coded again (wvl_layer_job.wanted).
 */
#ifndef WVL_CODEC_RATE_DEPTH_H
#define WVL_CODEC_RATE_DEPTH_H

#include <stdatomic.h>

#include "codec/rate/hull.h"

#define WVL_DEPTH_BIN_LOG2 3u
#define WVL_DEPTH_BINS (65536u >> WVL_DEPTH_BIN_LOG2)

typedef struct wvl_depth {
    int is_enabled;
    int32_t bias;                /* plan->depth_bias */
    uint32_t known;              /* a threshold given from the start, 0: the budget says */
    double budget;               /* bytes of the last layer */
    struct {
        double samples;          /* of the picture */
        _Atomic uint64_t seen;   /* samples of blocks in the bins */
        _Atomic uint64_t bins[WVL_DEPTH_BINS]; /* bytes on hulls by slope */
    } part[2];                   /* coarse bands, fine bands: bytes a sample differ much, so each is extrapolated by itself */
} wvl_depth;

/* Coarse bands: below the two finest resolutions. */
static inline int wvl_depth_is_fine(const wvl_tile_band *band) { return band->level <= 2; }

/* Whether passes may be left out at all for this plan. */
int wvl_depth_is_possible(const wvl_plan *plan);
void wvl_depth_init(wvl_depth *depth, const wvl_plan *plan);
/* From any thread. */
void wvl_depth_put_block(wvl_depth *depth, const wvl_hull *hull, uint64_t samples, int is_fine);
/* Threshold for which blocks to come should be decided, `margin` below the one expected; 0: code everything. */
uint32_t wvl_depth_fetch_threshold(const wvl_depth *depth, uint32_t margin);

#endif
