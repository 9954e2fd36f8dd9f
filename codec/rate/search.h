/* SPDX-License-Identifier: BSD-2-Clause */
/* Slope thresholds that meet a budget of bytes, and caps of components. */
#ifndef WVL_CODEC_RATE_SEARCH_H
#define WVL_CODEC_RATE_SEARCH_H

#include "codec/core/bracket.h"
#include "codec/rate/measure.h"

typedef struct wvl_threshold_search {
    wvl_layer_job *job;
    const uint32_t *floors; /* [cap groups]: least threshold of each; NULL: none */
    uint64_t budget;
    uint32_t layer;
    int last;
    wvl_layer_cost cost; /* of the threshold measured last */
} wvl_threshold_search;

/* Bytes on the hulls at this threshold, or the floor of the group if that is greater. */
double wvl_rate_body_bytes(const wvl_layer_job *job, const uint32_t *floors, uint32_t threshold);
/* Notes that cuts at this threshold (and these floors) are going to be used: blocks must be decided for it. */
void wvl_rate_want(wvl_layer_job *job, const uint32_t *floors, uint32_t threshold);
/* The same for what lies up to `reach` below the present thresholds. */
void wvl_rate_want_below(wvl_layer_job *job, uint32_t reach);
/* Least threshold whose bodies, with a fixed rest, are estimated to stay within the budget. */
uint32_t wvl_rate_guess(wvl_layer_job *job, const uint32_t *floors, uint64_t budget, double rest);
/* Cuts where nothing asks what it costs. */
void wvl_rate_take(wvl_threshold_search *search, uint32_t threshold);
/* Cuts and measures; whether the budget is kept. */
int wvl_rate_fits(wvl_threshold_search *search, uint32_t threshold);
/*
 * Least threshold in [least, 65536] that fits, as codec/core/bracket.h searches it. UINT32_MAX: not even empty packets
 * fit.
 */
uint32_t wvl_rate_search(wvl_threshold_search *search, uint32_t least);
/* The same with floors that keep every cap group within its cap (job->floors): where one is full, the others go on to
 * their own slope. */
uint32_t wvl_rate_search_capped(wvl_threshold_search *search, uint32_t least);

#endif
