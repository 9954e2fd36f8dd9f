/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/search.h"

#include "base/try.h"
#include "codec/core/bracket.h"
#include "codec/rate/histogram.h"

static uint32_t raise_to_floor(const uint32_t *floors, uint32_t group, uint32_t threshold)
{
    return floors ? wvl_max_u32(floors[group], threshold) : threshold;
}

double wvl_rate_body_bytes(const wvl_layer_job *job, const uint32_t *floors, uint32_t threshold)
{
    uint32_t n = wvl_plan_rate_groups(job->plan);
    double bytes = 0.0;
    for (uint32_t g = 0; g < n; g++) {
        bytes += (double)wvl_histogram_bodies(job, g, raise_to_floor(n > 1 ? floors : NULL, g, threshold));
    }
    return bytes;
}

void wvl_rate_want(wvl_layer_job *job, const uint32_t *floors, uint32_t threshold)
{
    uint32_t n = wvl_plan_rate_groups(job->plan);
    for (uint32_t g = 0; g < n; g++) {
        uint32_t t = raise_to_floor(n > 1 ? floors : NULL, g, threshold);
        if (t < job->decided[g]) {
            job->is_undecided = 1;
            job->wanted[g] = wvl_min_u32(job->wanted[g], t);
        }
    }
}

void wvl_rate_want_below(wvl_layer_job *job, uint32_t reach)
{
    uint32_t floors[WVL_RATE_GROUPS] = {0}, n = wvl_plan_rate_groups(job->plan);
    for (uint32_t g = 0; g < n; g++) {
        floors[g] = job->thresholds[g] > reach ? job->thresholds[g] - reach : 0;
    }
    wvl_rate_want(job, n > 1 ? floors : NULL, n > 1 ? 0 : floors[0]);
}

/* Where a group is not decided, its histogram shows too few bytes, and the result may come out too low, never too high.
 */
uint32_t wvl_rate_guess(wvl_layer_job *job, const uint32_t *floors, uint64_t budget, double rest)
{
    uint32_t lo = 0, hi = WVL_SLOPE_NOTHING;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (wvl_bracket_expects(wvl_rate_body_bytes(job, floors, mid), rest, budget)) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    wvl_rate_want(job, floors, lo ? lo - 1 : 0); /* one below has been looked at, too */
    return lo;
}

static void set_thresholds(wvl_layer_job *job, const uint32_t *floors, uint32_t threshold)
{
    for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
        job->thresholds[c] = raise_to_floor(floors, c, threshold);
    }
}

/* A failed measurement leaves the search to end with what it has: the job's status says that no result is valid. */
static void note_status(wvl_layer_job *job, wvl_status status) { TRY(job->status, status); }

static void measure(wvl_threshold_search *s)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cuts cuts = {job->thresholds, s->layer, s->last};
    note_status(job, job->packets.measure(job->packets.self, &cuts, &s->cost, job->component_totals));
}

void wvl_rate_take(wvl_threshold_search *s, uint32_t threshold)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cuts cuts = {job->thresholds, s->layer, s->last};
    wvl_rate_want(job, s->floors, threshold);
    set_thresholds(job, s->floors, threshold);
    note_status(job, job->packets.cut(job->packets.self, &cuts));
}

int wvl_rate_fits(wvl_threshold_search *s, uint32_t threshold)
{
    wvl_rate_want(s->job, s->floors, threshold);
    set_thresholds(s->job, s->floors, threshold);
    measure(s);
    return wvl_rate_codestream_bytes(s->job, s->cost) <= s->budget;
}

uint32_t wvl_rate_search(wvl_threshold_search *s, uint32_t least)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cost cost = s->cost;
    wvl_bracket b;
    wvl_bracket_open(&b, least, job->overhead.codestream_bytes, job->sent_bytes, s->budget);
    while (wvl_bracket_is_open(&b)) {
        uint32_t guess = wvl_bracket_wants_guess(&b) ? wvl_rate_guess(job, s->floors, s->budget, b.rest) : 0,
                 t = wvl_bracket_propose(&b, guess);
        int fits = wvl_rate_fits(s, t);
        cost = fits ? s->cost : cost;
        wvl_bracket_learn(&b, t, fits, wvl_rate_codestream_bytes(job, s->cost), wvl_rate_body_bytes(job, s->floors, t));
    }
    if (b.good > WVL_SLOPE_NOTHING) {
        return UINT32_MAX;
    }
    if (job->plan->rate.max_component_bytes) {
        (void)wvl_rate_fits(s, b.good); /* totals of components, too */
    } else {
        wvl_rate_take(s, b.good);
        s->cost = cost;
    }
    return b.good;
}

/* ---- Caps ------------------------------------------------------------------------------------ */

/* Least threshold from `low` on at which the group's bodies and its rest are estimated to keep the cap. */
static uint32_t guess_floor(const wvl_layer_job *job, uint32_t group, uint32_t low, uint32_t high)
{
    double room = (double)job->plan->rate.max_component_bytes - job->floors_rest[group];
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if ((double)wvl_histogram_bodies(job, group, mid) <= room) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low;
}

/* Learns what a group's bytes are beside its bodies at the threshold measured last. */
static void learn_rest(wvl_layer_job *job, uint32_t group)
{
    uint64_t bytes = job->component_totals[group] + job->overhead.component_bytes[group] +
                     job->sent_component_bytes[group] + job->layers_to_come * job->empty_component_bytes[group];
    job->floors_rest[group] = (double)bytes - (double)wvl_histogram_bodies(job, group, job->thresholds[group]);
}

/* Groups that broke their cap at the present thresholds. Each has a floor somewhere above. */
static uint32_t open_floors(wvl_layer_job *job)
{
    uint32_t n = wvl_plan_cap_groups(job->plan), open = 0;
    uint8_t *is_open = job->floors_open;
    for (uint32_t c = 0; c < n; c++) {
        int has_more =
            job->thresholds[c] <
            WVL_SLOPE_NOTHING; /* else a later step finds that the cap is too small, or the layer stays empty */
        is_open[c] = has_more && !wvl_rate_component_fits(job, c, job->component_totals[c]);
        open += is_open[c];
        if (is_open[c]) {
            job->floors_bad[c] = job->thresholds[c] + 1;
            job->floors[c] = WVL_SLOPE_NOTHING;
            if (wvl_plan_rate_groups(job->plan) > 1) {
                learn_rest(job, c);
            }
        }
    }
    return open;
}

/* One measurement with a proposal for every open group; returns how many are still open. */
static uint32_t narrow_floors(wvl_threshold_search *s, int step)
{
    wvl_layer_job *job = s->job;
    uint32_t n = wvl_plan_cap_groups(job->plan), open = 0;
    int is_followed = wvl_plan_rate_groups(job->plan) > 1;
    uint8_t *is_open = job->floors_open;
    for (uint32_t c = 0; c < n; c++) {
        if (is_open[c]) {
            int guesses = is_followed && step < 5;
            job->thresholds[c] = guesses ? guess_floor(job, c, job->floors_bad[c], job->floors[c])
                                         : job->floors_bad[c] + (job->floors[c] - job->floors_bad[c]) / 2;
            job->thresholds[c] =
                wvl_min_u32(job->thresholds[c], job->floors[c] - (job->floors[c] > job->floors_bad[c]));
        }
    }
    measure(s);
    for (uint32_t c = 0; c < n; c++) {
        if (is_open[c]) {
            if (wvl_rate_component_fits(job, c, job->component_totals[c])) {
                job->floors[c] = job->thresholds[c];
            } else {
                job->floors_bad[c] = job->thresholds[c] + 1;
            }
            if (is_followed) {
                learn_rest(job, c);
            }
            is_open[c] = job->floors_bad[c] < job->floors[c];
            open += is_open[c];
        }
    }
    return open;
}

uint32_t wvl_rate_search_capped(wvl_threshold_search *s, uint32_t least)
{
    wvl_layer_job *job = s->job;
    s->floors = job->floors;
    if (wvl_plan_rate_groups(job->plan) == 1) {
        /* Many groups: all floors at once, whether needed or not. */
        for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
            job->floors_open[c] = 1;
            job->floors_bad[c] = 0;
            job->floors[c] = WVL_SLOPE_NOTHING;
        }
        for (int step = 0; narrow_floors(s, step); step++) {
        }
        return wvl_rate_search(s, least);
    }
    for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
        job->floors[c] = 0;
    }
    for (;;) { /* every round gives at least one more group its floor */
        uint32_t threshold = wvl_rate_search(s, least);
        if (threshold == UINT32_MAX || !open_floors(job)) {
            return threshold;
        }
        for (int step = 0; narrow_floors(s, step); step++) {
        }
    }
}
