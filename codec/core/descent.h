/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The survey of slopes with rdoq, step by step: what follows from sums over blocks. Shared by host and device: both
 * take the same blocks in the same phases, and find the same slopes.
 *
 * Sums over blocks are integers: their order does not count. What is computed from them with doubles has one order.
 */
#pragma once

#include "codec/core/bracket.h"
#include "codec/core/hull.h"

#define WVL_SURVEY_PHASES 5u       /* whose blocks are surveyed */
#define WVL_SURVEY_ALL_PHASES 6u   /* with the blocks that follow */
#define WVL_SURVEY_FEW_RANGES 700u /* fewer show little */
#define WVL_SURVEY_STALE 48u       /* where ranges are few: blocks quantised for slopes farther off are coded again */

/* Bins of bytes by slope. */
#define WVL_DEPTH_BIN_LOG2 3u
#define WVL_DEPTH_BINS (65536u >> WVL_DEPTH_BIN_LOG2)
#define WVL_DEPTH_PARTS (2u * WVL_RATE_GROUPS) /* of each rate group: coarse bands, fine ones */
#define WVL_DEPTH_BYTES_OF_WEIGHT 0.09         /* measured on photographs: 0.07 to 0.11 */

/* Says whether early blocks show where later ones end, so that passes may be left out, and with rdoq slopes be
 * surveyed. Every other target needs what lies below the threshold, or is not found by bytes; small pictures show too
 * little. */
WVL_HD int wvl_survey_is_possible(const wvl_plan *plan)
{
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    int kind = last->kind == WVL_RATE_BYTES || last->kind == WVL_RATE_SLOPE ||
               (last->kind == WVL_RATE_ALL && plan->rate.max_bytes);
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        kind = kind && plan->rate.layers[i].kind != WVL_RATE_PSNR;
    }
    return kind && !plan->syntax.region_count && wvl_rate_reach(plan) < 65536 &&
           (!plan->rate.max_component_bytes || wvl_plan_rate_groups(plan) > 1);
}

/* What a picture aims at. */
typedef struct wvl_survey_aim {
    double budget, cap; /* bytes of the last layer; of each group */
    double samples;     /* of the picture */
    uint32_t groups;
} wvl_survey_aim;

/* Sums over a part of the blocks. */
typedef struct wvl_survey_sums {
    double samples;           /* in the waves so far */
    double all;               /* what bytes are extrapolated to: samples, or weights, in the waves so far */
    uint64_t seen;            /* the same of blocks whose bytes are known */
    uint64_t weight, weighed; /* of weighed blocks: weights, and their samples */
} wvl_survey_sums;

/* ---- First slope ----------------------------------------------------------------------------- */

/* The first slope is found bit by bit, from WVL_SURVEY_LEAST_GUESS on: a step is added where the picture is heavy at
 * the sum. Steps are halved. */
#define WVL_SURVEY_LEAST_GUESS (WVL_SLOPE_ZERO - 8192u)
#define WVL_SURVEY_FIRST_STEP 8192u
#define WVL_SURVEY_LAST_STEP 32u

/* Says whether the picture would be more than the budget if all of it weighed what was weighed, and weights were bits
 * as they are on the whole. */
WVL_HD int wvl_survey_is_heavy(const wvl_survey_aim *aim, const wvl_survey_sums *sums)
{
    double bytes = 0.0, wave = 0.0, least = aim->cap * aim->groups;
    for (uint32_t k = 0; k < 2 * aim->groups; k++) {
        double weighed = (double)sums[k].weighed;
        bytes += weighed > 0.0 ? (double)sums[k].weight / weighed * sums[k].samples : 0.0;
        wave += sums[k].samples;
    }
    return bytes * aim->samples / wave * WVL_DEPTH_BYTES_OF_WEIGHT > (least < aim->budget ? least : aim->budget);
}

/* ---- Slopes of the next phase ---------------------------------------------------------------- */

/* How far below the expected thresholds blocks of a phase are coded: early, and where there are few blocks, less is
 * known, so more is coded. reach: wvl_rate_reach(). */
WVL_HD uint32_t wvl_survey_find_margin(unsigned phase, uint64_t range_count, uint32_t reach)
{
    static const uint32_t margins[WVL_SURVEY_ALL_PHASES + 1] = {256, 256, 160, 96, 48, 48, 20};
    uint32_t few = range_count < WVL_SURVEY_FEW_RANGES ? (uint32_t)(WVL_SURVEY_FEW_RANGES - range_count) / 4 : 0;
    return margins[phase] + few + reach;
}

/* Returns what blocks that are quantised for a slope are coded down to. */
WVL_HD uint32_t wvl_survey_find_depth(uint32_t slope, uint32_t margin) { return slope > margin ? slope - margin : 0; }

/* Later steps are halved: slopes move against what blocks are quantised for. */
WVL_HD int wvl_survey_is_damped(unsigned phase) { return phase > 1; }

/* The slope of blocks to come. found: by those surveyed, which were coded down to the floor. Nothing is known below, so
 * it goes down by steps. before: the slope of the last phase. */
WVL_HD uint32_t wvl_survey_choose_slope(uint32_t found, uint32_t before, uint32_t floor, uint32_t margin, int is_damped)
{
    uint32_t slope = found >= floor ? found : wvl_survey_find_depth(floor, margin);
    return is_damped && slope ? (slope + before + 1) / 2 : slope;
}

/* ---- Thresholds from bytes by slope ---------------------------------------------------------- */

/*
 * Down from the steep end, bin by bin, until the budget is full; a group that is full before stops counting. Bins that
 * hold nothing change nothing and may be left out.
 */
typedef struct wvl_descent {
    wvl_survey_aim aim;
    int64_t margin;                   /* how far thresholds lie below what is found */
    uint32_t floors[WVL_RATE_GROUPS]; /* slopes below which nothing counts */
    double scales[WVL_DEPTH_PARTS];   /* from bytes seen to bytes of the picture */
    double bytes[WVL_RATE_GROUPS], total;
    int is_full[WVL_RATE_GROUPS];
    uint32_t thresholds[WVL_RATE_GROUPS];
} wvl_descent;

/* floors: NULL: none. 0: too little is known. */
WVL_HD int wvl_descent_open(wvl_descent *d, const wvl_survey_aim *aim, const wvl_survey_sums *sums,
                            const uint32_t *floors, int64_t margin)
{
    double wave = 0.0;
    d->aim = *aim;
    d->margin = margin;
    d->total = 0.0;
    for (uint32_t g = 0; g < aim->groups; g++) {
        d->floors[g] = floors ? floors[g] : 0;
        d->bytes[g] = 0.0;
        d->is_full[g] = 0;
        wave += sums[2 * g].samples;
        wave += sums[2 * g + 1].samples;
    }
    for (uint32_t k = 0; k < 2 * aim->groups; k++) {
        double seen = (double)sums[k].seen, all = sums[k].all;
        all *= aim->samples / wave;
        if (seen <= 0.0 && all > 0.0) {
            return 0;
        }
        d->scales[k] = all > 0.0 ? all / seen : 0.0;
    }
    return 1;
}

WVL_HD int wvl_descent_is_open(const wvl_descent *d) { return d->total <= d->aim.budget; }

WVL_HD uint32_t wvl_descent_find_threshold(const wvl_descent *d, uint32_t bin)
{
    int64_t threshold = ((int64_t)bin << WVL_DEPTH_BIN_LOG2) - d->margin;
    if (threshold < 0 || !bin) {
        return 0;
    }
    return threshold > 65535 ? 65535 : (uint32_t)threshold;
}

/* Says whether bytes of the bin count for the group. */
WVL_HD int wvl_descent_counts(const wvl_descent *d, uint32_t group, uint32_t bin)
{
    return bin << WVL_DEPTH_BIN_LOG2 >= d->floors[group];
}

/* Returns what bytes of a part stand for. */
WVL_HD double wvl_descent_scale(const wvl_descent *d, uint32_t part, uint64_t bytes)
{
    return d->scales[part] * (double)bytes;
}

/* The next bin down that holds something. bytes: of its parts. A device takes many bins at a time and finds the same
 * (cuda/rdoq/survey.cu): the sums of each group have this order. */
WVL_HD void wvl_descent_take(wvl_descent *d, uint32_t bin, const uint64_t *bytes)
{
    d->total = 0.0;
    for (uint32_t g = 0; g < d->aim.groups; g++) {
        int counts = !d->is_full[g] && wvl_descent_counts(d, g, bin);
        for (uint32_t k = 2 * g; k < 2 * g + 2 && counts; k++) {
            d->bytes[g] += wvl_descent_scale(d, k, bytes[k]);
        }
        if (!d->is_full[g] && d->bytes[g] > d->aim.cap) {
            d->is_full[g] = 1;
            d->thresholds[g] = wvl_descent_find_threshold(d, bin);
        }
        d->total += d->is_full[g] ? d->aim.cap : d->bytes[g];
    }
}

/* bin: the last one taken. Thresholds are complete. */
WVL_HD void wvl_descent_end(wvl_descent *d, uint32_t bin)
{
    uint32_t last = wvl_descent_is_open(d) ? 0 : wvl_descent_find_threshold(d, bin);
    for (uint32_t g = 0; g < d->aim.groups; g++) {
        d->thresholds[g] = d->is_full[g] ? d->thresholds[g] : last;
    }
}
