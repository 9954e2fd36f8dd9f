/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How deep blocks have to be coded. Passes beyond the final threshold are cut away, so the coder need not make them;
 * where the threshold will lie is predicted from the blocks coded so far. The prediction decides how much work is done,
 * never a byte: blocks that turn out to have been left too early are coded again (wvl_layer_job.wanted).
 */
#pragma once

#include <stdatomic.h>

#include "codec/core/descent.h"
#include "geom/handover.h"

/* Coarse and fine bands: bytes a sample differ much, so each is extrapolated by itself. */
typedef struct wvl_depth_part {
    double samples;                        /* in the waves so far */
    _Atomic uint64_t weight, weighed;      /* of a survey: of all blocks in the waves so far, and their samples */
    _Atomic uint64_t seen;                 /* samples, or weights, of blocks in the bins */
    _Atomic uint32_t used;                 /* bins from here on are empty */
    _Atomic uint64_t bins[WVL_DEPTH_BINS]; /* bytes on hulls by slope */
} wvl_depth_part;

typedef struct wvl_depth {
    int is_enabled;
    int is_full;            /* plan->test.depth_full: nothing is left out; phases are for slopes */
    int32_t bias;           /* plan->test.depth_bias */
    uint32_t known;         /* a threshold given from the start, 0: the budget says */
    uint32_t groups;        /* rate groups */
    double budget, cap;     /* bytes of the last layer; of each group */
    double samples;         /* of the picture */
    wvl_depth_part *parts;  /* [groups][2]: coarse, fine */
    wvl_depth_part *survey; /* the same of surveyed blocks; NULL without plan->rate.rdoq */
} wvl_depth;

/* Says whether passes may be left out at all for this plan. */
int wvl_depth_is_possible(const wvl_plan *plan);
uint64_t wvl_depth_memory_bytes(const wvl_plan *plan);
/* memory: zeroed. */
void wvl_depth_init(wvl_depth *depth, const wvl_plan *plan, void *memory);
static inline wvl_depth_part *wvl_depth_part_of(const wvl_depth *depth, uint32_t group, unsigned is_fine)
{
    return &depth->parts[2 * group + is_fine];
}
static inline wvl_depth_part *wvl_depth_survey_of(const wvl_depth *depth, uint32_t group, unsigned is_fine)
{
    return depth->survey ? &depth->survey[2 * group + is_fine] : NULL;
}
/* A block's passes and their hull slopes. From any thread. samples: of the block; of a survey its weight. */
void wvl_depth_put_block(wvl_depth_part *part, const wvl_pass *passes, const uint16_t *slopes, uint32_t pass_count,
                         uint64_t samples);
/* Thresholds for which blocks to come should be decided, by rate group, `margin` below those expected; 0: code
 * everything. */
void wvl_depth_fetch_thresholds(const wvl_depth *depth, uint32_t margin, uint32_t *thresholds);
/* The slopes at which the picture is going to end, from surveyed blocks alone. Bytes depend on them: so blocks are
 * surveyed that are the same ones, coded to the same depth, on every machine, and what lies below the floors of rate
 * groups does not count. 0: everything will be sent, or too little is known. */
void wvl_depth_fetch_slopes(const wvl_depth *depth, const uint32_t *floors, uint32_t *slopes);
/* Adds the weight of blocks to the survey. From any thread. */
void wvl_depth_weigh(wvl_depth_part *survey, uint64_t weight, uint64_t samples);
/* Says whether the picture would be more than the budget if all of it weighed what is in the survey, and weights were
 * bits as they are on the whole. */
int wvl_depth_is_heavy(const wvl_depth *depth);
void wvl_depth_clear_survey(const wvl_depth *depth);
