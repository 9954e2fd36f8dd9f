/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/layers.h"

#include "base/alloc.h"
#include "base/try.h"
#include "codec/rate/histogram.h"
#include "codec/rate/measure.h"
#include "codec/rate/quality.h"
#include "codec/rate/sweep.h"

/* ---- Search ---------------------------------------------------------------------------------- */

/* Slope thresholds that meet a budget of bytes, and caps of components. */
typedef struct threshold_search {
    wvl_layer_job *job;
    const uint32_t *floors; /* [cap groups]: least threshold of each; NULL: none */
    uint64_t budget;
    uint32_t layer;
    int last;
    wvl_layer_cost cost; /* of the threshold measured last */
} threshold_search;

static uint32_t raise_to_floor(const uint32_t *floors, uint32_t group, uint32_t threshold)
{
    return floors ? wvl_max_u32(floors[group], threshold) : threshold;
}

/* Bytes on the hulls at this threshold, or the floor of the group if that is greater. */
static double body_bytes_at(const wvl_layer_job *job, const uint32_t *floors, uint32_t threshold)
{
    uint32_t n = wvl_plan_rate_groups(job->plan);
    double bytes = 0.0;
    for (uint32_t g = 0; g < n; g++) {
        bytes += (double)wvl_histogram_bodies(job, g, raise_to_floor(n > 1 ? floors : NULL, g, threshold));
    }
    return bytes;
}

/* Notes that cuts at this threshold (and these floors) are going to be used: blocks must be decided for it. */
static void want_cuts(wvl_layer_job *job, const uint32_t *floors, uint32_t threshold)
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

/* The same for what lies up to `reach` below the present thresholds. */
static void want_below(wvl_layer_job *job, uint32_t reach)
{
    uint32_t floors[WVL_RATE_GROUPS] = {0}, n = wvl_plan_rate_groups(job->plan);
    for (uint32_t g = 0; g < n; g++) {
        floors[g] = job->thresholds[g] > reach ? job->thresholds[g] - reach : 0;
    }
    want_cuts(job, n > 1 ? floors : NULL, n > 1 ? 0 : floors[0]);
}

/* Least threshold whose bodies, with a fixed rest, are estimated to stay within the budget. Where a group is not
 * decided, its histogram shows too few bytes, and the result may come out too low, never too high. */
static uint32_t guess_threshold(wvl_layer_job *job, const uint32_t *floors, uint64_t budget, double rest)
{
    uint32_t lo = 0, hi = WVL_SLOPE_NOTHING;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (wvl_bracket_expects(body_bytes_at(job, floors, mid), rest, budget)) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    want_cuts(job, floors, lo ? lo - 1 : 0); /* one below has been looked at, too */
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

static void measure(threshold_search *s)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cuts cuts = {job->thresholds, s->layer, s->last};
    note_status(job, job->packets.measure(job->packets.self, &cuts, &s->cost, job->component_totals));
}

/* Cuts where nothing asks what it costs. */
static void cut_at(threshold_search *s, uint32_t threshold)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cuts cuts = {job->thresholds, s->layer, s->last};
    want_cuts(job, s->floors, threshold);
    set_thresholds(job, s->floors, threshold);
    note_status(job, job->packets.cut(job->packets.self, &cuts));
}

/* Cuts and measures; whether the budget is kept. */
static int fits_at(threshold_search *s, uint32_t threshold)
{
    want_cuts(s->job, s->floors, threshold);
    set_thresholds(s->job, s->floors, threshold);
    measure(s);
    return wvl_rate_codestream_bytes(s->job, s->cost) <= s->budget;
}

/*
 * Least threshold in [least, 65536] that fits, as codec/core/bracket.h searches it. UINT32_MAX: not even empty packets
 * fit.
 */
static uint32_t search_threshold(threshold_search *s, uint32_t least)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cost cost = s->cost;
    wvl_bracket b;
    wvl_bracket_open(&b, least, job->overhead.codestream_bytes, job->sent_bytes, s->budget);
    while (wvl_bracket_is_open(&b)) {
        uint32_t guess = wvl_bracket_wants_guess(&b) ? guess_threshold(job, s->floors, s->budget, b.rest) : 0,
                 t = wvl_bracket_propose(&b, guess);
        int fits = fits_at(s, t);
        cost = fits ? s->cost : cost;
        wvl_bracket_learn(&b, t, fits, wvl_rate_codestream_bytes(job, s->cost), body_bytes_at(job, s->floors, t));
    }
    if (b.good > WVL_SLOPE_NOTHING) {
        return UINT32_MAX;
    }
    if (job->plan->rate.max_component_bytes) {
        (void)fits_at(s, b.good); /* totals of components, too */
    } else {
        cut_at(s, b.good);
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
static uint32_t narrow_floors(threshold_search *s, int step)
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

/* The same with floors that keep every cap group within its cap (job->floors): where one is full, the others go on to
 * their own slope. */
static uint32_t search_capped(threshold_search *s, uint32_t least)
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
        return search_threshold(s, least);
    }
    for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
        job->floors[c] = 0;
    }
    for (;;) { /* every round gives at least one more group its floor */
        uint32_t threshold = search_threshold(s, least);
        if (threshold == UINT32_MAX || !open_floors(job)) {
            return threshold;
        }
        for (int step = 0; narrow_floors(s, step); step++) {
        }
    }
}

/* ---- Thresholds ------------------------------------------------------------------------------ */

/* Greatest threshold whose estimated squared error does not exceed the target. */
static uint32_t threshold_of_error(const wvl_layer_job *job, double target)
{
    uint32_t lo = 0, hi = WVL_SLOPE_NOTHING;
    while (lo < hi) {
        uint32_t mid = (lo + hi + 1) / 2;
        if (job->energy - job->gain_histogram[mid] <= target) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    return lo;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Threshold that a layer's own target asks for; byte targets come as a budget instead. */
static uint32_t own_threshold(const wvl_layer_job *job, const wvl_layer_target *target)
{
    if (target->kind == WVL_RATE_PSNR) {
        return threshold_of_error(job, wvl_rate_error_for_psnr(job->plan, target->value));
    }
    return target->kind == WVL_RATE_SLOPE ? (uint32_t)target->value : 0;
}

/* Threshold of an automatic layer (codec/core/layer_targets.h). */
static uint32_t automatic_threshold(wvl_layer_job *job, uint32_t layer)
{
    const wvl_plan *plan = job->plan;
    uint32_t given = job->given_layer;
    const wvl_layer_target *target = &plan->rate.layers[given];
    double body = body_bytes_at(job, NULL, 0),
           room = wvl_layer_find_room(plan, given, job->overhead.codestream_bytes, body);
    if (target->kind == WVL_RATE_PSNR || target->kind == WVL_RATE_SLOPE) {
        body = body_bytes_at(job, NULL, own_threshold(job, target));
    } else {
        want_cuts(job, NULL, room < body ? WVL_SLOPE_NOTHING : 0); /* there may be more than what has been coded */
    }
    double bytes = (room < body ? room : body) * wvl_layer_find_share(given, layer);
    return bytes > 0.0 ? guess_threshold(job, NULL, (uint64_t)bytes, 0.0) : WVL_SLOPE_NOTHING;
}

/* Energies and gains are sums of doubles and of integers in gain units: what is left of them is not known better than
 * to this part of the energy, nor to a unit. Units are large where samples are deeper than 22 bits (geom/plan.c). */
#define LEAST_ERROR 0x1p-48
#define LEAST_UNITS 1.0

double wvl_layers_squared_error(const wvl_plan *plan, double energy, double gain)
{
    double least = fmin(energy, fmax(energy * LEAST_ERROR, LEAST_UNITS));
    return ldexp(fmax(energy - gain, least), plan->rate.gain_exponent) + plan->rate.hidden_error;
}

/* A PSNR is of errors that count alike, whatever the layers were chosen by. */
static wvl_status find_squared_error(wvl_layer_job *job, double *error)
{
    const wvl_plan *plan = job->plan;
    wvl_sent_sums sums;
    wvl_status status = job->packets.sent(job->packets.self, &sums);
    if (status != WVL_OK) {
        return status;
    }
    double energy = plan->rate.visual ? sums.energy_plain : job->energy,
           gain = plan->rate.visual ? sums.gain_plain : sums.gain;
    *error =
        sums.is_everything && plan->rate.reversible_share >= 1.0 ? 0.0 : wvl_layers_squared_error(plan, energy, gain);
    return WVL_OK;
}

/*
 * Threshold for a PSNR: the estimate proposes, the measured error corrects its scale. Ends when the error is within 3 %
 * (0.13 dB) below what the target allows, and never above it, or when no threshold lies between a good and a bad one.
 */
static uint32_t measured_threshold(threshold_search *s, double psnr)
{
    wvl_layer_job *job = s->job;
    double *decoded_error = &job->layers[s->layer].decoded_error;
    double allowed = wvl_rate_decoded_error_for_psnr(job->plan, psnr), scale = 1.0;
    uint32_t good = 0, bad = WVL_SLOPE_NOTHING + 1;
    uint32_t t = threshold_of_error(job, wvl_rate_error_for_psnr(job->plan, psnr));
    for (int step = 0; step < 28 && bad - good > 1; step++) {
        (void)fits_at(s, t);
        double error = job->measure_error(job->measure_user);
        if (error <= allowed) {
            good = t;
            *decoded_error = error;
            if (error >= allowed * 0.97) {
                break;
            }
        } else {
            bad = t;
        }
        double estimate = job->energy - job->gain_histogram[t];
        scale = error > 0.0 && estimate > 0.0 ? error / estimate : scale;
        t = threshold_of_error(job, allowed * 0.99 / scale);
        t = step > 6 || t <= good || t >= bad ? good + (bad - good) / 2 : t;
    }
    return good;
}

/* The last layer must fit; one before it may stay empty, at a byte a packet. */
static wvl_status settle_for_nothing(threshold_search *search, uint32_t *threshold)
{
    if (search->last) {
        search->job->problem = "the byte cap is below what the headers of an empty picture need";
        search->job->problem_bytes = wvl_rate_codestream_bytes(search->job, search->cost);
        return WVL_ERROR_UNREACHABLE;
    }
    *threshold = WVL_SLOPE_NOTHING;
    (void)fits_at(search, *threshold);
    return WVL_OK;
}

static wvl_status check_components(wvl_layer_job *job)
{
    for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
        if (!wvl_rate_component_fits(job, c, job->component_totals[c])) {
            job->problem = "the component byte cap is below what the headers of an empty component need";
            job->problem_bytes =
                job->sent_component_bytes[c] + job->component_totals[c] + job->overhead.component_bytes[c];
            return WVL_ERROR_UNREACHABLE;
        }
    }
    return WVL_OK;
}

/* A cap may have lifted some groups above the threshold of the rest. */
static int is_cut_at(const wvl_layer_job *job, uint32_t threshold)
{
    for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
        if (job->thresholds[c] != threshold) {
            return 0;
        }
    }
    return 1;
}

static uint64_t codestream_bytes(void *user, const wvl_layer_cost *cost)
{
    return wvl_rate_codestream_bytes(user, *cost);
}

static int group_fits(void *user, uint32_t group, uint64_t group_bytes)
{
    return wvl_rate_component_fits(user, group, group_bytes);
}

static wvl_status fill_layer(threshold_search *s)
{
    wvl_layer_job *job = s->job;
    wvl_layer_cuts cuts = {job->thresholds, s->layer, s->last};
    wvl_layer_room room = {job, s->budget, codestream_bytes, group_fits};
    return job->packets.fill(job->packets.self, &cuts, &room, &s->cost, job->component_totals);
}

static wvl_status choose_cuts(wvl_layer_job *job, uint32_t layer, int last, uint32_t *threshold)
{
    const wvl_plan *plan = job->plan;
    uint8_t kind = plan->rate.layers[layer].kind;
    uint64_t budget = job->budgets[layer];
    uint32_t least =
        kind == WVL_RATE_AUTO ? automatic_threshold(job, layer) : own_threshold(job, &plan->rate.layers[layer]);
    threshold_search search = {job, NULL, budget, layer, last, {0, 0, 0, 0}};
    job->layers[layer].decoded_error = -1.0;
    if (kind == WVL_RATE_PSNR && job->measure_error) {
        least = measured_threshold(&search, plan->rate.layers[layer].value);
    }
    if (budget == WVL_NO_BUDGET && !plan->rate.max_component_bytes) {
        *threshold = least;
        cut_at(&search, least);
        return WVL_OK;
    }
    *threshold = plan->rate.max_component_bytes ? search_capped(&search, least) : search_threshold(&search, least);
    if (*threshold == UINT32_MAX || !is_cut_at(job, least)) {
        job->layers[layer].decoded_error = -1.0; /* measured with other cuts */
    }
    if (*threshold == UINT32_MAX) {
        return settle_for_nothing(&search, threshold);
    }
    wvl_status status = last ? check_components(job) : WVL_OK;
    int quality_target = kind == WVL_RATE_PSNR || kind == WVL_RATE_SLOPE || kind == WVL_RATE_AUTO;
    if (status == WVL_OK && (*threshold > least || (plan->rate.max_component_bytes && !quality_target))) {
        want_below(job, wvl_rate_reach(plan));
        status = fill_layer(&search);
    }
    return status;
}

/* Measures what a layer costs, by component and in all, when nothing is in it. Measured before anything is sent. */
static wvl_status measure_empty_layer(wvl_layer_job *job)
{
    wvl_layer_cuts cuts = {job->thresholds, 0, 0};
    wvl_layer_cost cost = {0, 0, 0, 0};
    for (uint32_t c = 0; c < wvl_plan_cap_groups(job->plan); c++) {
        job->thresholds[c] = WVL_SLOPE_NOTHING;
    }
    wvl_status status = job->packets.begin(job->packets.self, 0);
    TRY(status, job->packets.measure(job->packets.self, &cuts, &cost, job->component_totals));
    job->empty_layer_bytes =
        cost.packet_bytes + cost.plt_bytes + (job->plan->syntax.plt ? 5 * (cost.plt_bytes / 65527 + 1) : 0);
    job->empty_layer_bytes += cost.plm_bytes + (job->plan->syntax.plm ? 5 * (cost.plm_bytes / 65277 + 1) : 0);
    job->empty_layer_bytes += job->plan->syntax.packed_headers ? 5 * (cost.header_bytes / 65532 + 1) : 0;
    memcpy(job->empty_component_bytes, job->component_totals,
           wvl_plan_cap_groups(job->plan) * sizeof *job->component_totals);
    return status;
}

static wvl_status run_layer(wvl_layer_job *job, uint32_t layer)
{
    int last = layer + 1 == job->plan->syntax.layer_count;
    uint32_t threshold = 0;
    wvl_status status = job->packets.begin(job->packets.self, layer);
    TRY(status, choose_cuts(job, layer, last, &threshold));
    if (wvl_look_is_over(job->look)) {
        return WVL_CANCELLED;
    }
    if (job->status != WVL_OK) {
        return job->status;
    }
    if (job->is_undecided) {
        return status; /* committing would write tails into codewords */
    }
    if (status == WVL_OK && job->measure_error && job->plan->rate.measure_layers &&
        job->layers[layer].decoded_error < 0.0 && !(last && job->plan->rate.lossless)) {
        job->layers[layer].decoded_error = job->measure_error(job->measure_user);
    }
    if (status == WVL_OK) {
        wvl_layer_cuts cuts = {job->thresholds, layer, last};
        wvl_layer_cost cost;
        status = job->packets.commit(job->packets.self, &cuts, &cost, job->sent_component_bytes);
        if (status == WVL_OK) {
            job->sent_bytes += cost.packet_bytes;
            job->sent_plt_bytes += cost.plt_bytes;
            job->sent_plm_bytes += cost.plm_bytes;
            job->sent_header_bytes += cost.header_bytes;
        }
    }
    if (status == WVL_OK) {
        job->layers[layer].slope = threshold;
        job->layers[layer].bytes = wvl_rate_codestream_bytes(job, (wvl_layer_cost){0, 0, 0, 0});
        int exact = last && job->plan->rate.lossless;
        job->layers[layer].squared_error = 0.0;
        status = exact ? WVL_OK : find_squared_error(job, &job->layers[layer].squared_error);
        if (job->layers[layer].decoded_error >= 0.0) { /* measured on magnitudes with their fraction bits */
            job->layers[layer].decoded_error = fmax(job->layers[layer].decoded_error, job->plan->rate.hidden_error);
        }
    }
    return status;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Returns the bytes that are to be zeroed, those in front: of the rest only little may ever be touched. */
static uint64_t carve_memory(wvl_layer_job *job, wvl_carver *carver)
{
    uint32_t n = wvl_plan_cap_groups(job->plan);
    job->thresholds = wvl_carve(carver, n, sizeof *job->thresholds);
    job->component_totals = wvl_carve(carver, n, sizeof *job->component_totals);
    job->sent_component_bytes = wvl_carve(carver, n, sizeof *job->sent_component_bytes);
    job->empty_component_bytes = wvl_carve(carver, n, sizeof *job->empty_component_bytes);
    job->budgets = wvl_carve(carver, job->plan->syntax.layer_count, sizeof *job->budgets);
    job->floors = wvl_carve(carver, n, sizeof *job->floors);
    job->floors_bad = wvl_carve(carver, n, sizeof *job->floors_bad);
    job->floors_open = wvl_carve(carver, n, sizeof *job->floors_open);
    job->floors_rest = wvl_carve(carver, n, sizeof *job->floors_rest);
    uint64_t zeroed = carver->used;
    job->fill_memory = wvl_carve(carver, 1, wvl_rate_fill_bytes());
    job->sweep_order = wvl_carve(carver, 1, wvl_sweep_bytes());
    job->scratch = wvl_carve(carver, job->workers, wvl_rate_scratch_bytes(&job->sizes));
    job->body_histogram =
        wvl_carve(carver, (uint64_t)wvl_plan_rate_groups(job->plan) * WVL_SLOPES, sizeof *job->body_histogram);
    job->gain_histogram =
        wvl_histogram_has_gains(job->plan) ? wvl_carve(carver, WVL_SLOPES, sizeof *job->gain_histogram) : NULL;
    return zeroed;
}

uint64_t wvl_layers_working_bytes(const wvl_plan *plan, const wvl_t2_sizes *sizes, uint32_t workers)
{
    wvl_layer_job job = {.plan = plan, .sizes = *sizes, .workers = workers};
    wvl_carver carver = {NULL, 0};
    (void)carve_memory(&job, &carver);
    return carver.used;
}

/* Notes where every block ends. */
static void note_ends(const wvl_layer_job *job, wvl_coded_tile *tile)
{
    for (uint64_t p = 0; p < tile->precinct_count; p++) {
        const wvl_precinct *precinct = &tile->precincts[p];
        uint32_t threshold = job->thresholds[wvl_plan_cap_group(job->plan, precinct->component, precinct->resolution)];
        for (unsigned i = 0; i < precinct->band_count; i++) {
            const wvl_precinct_band *pb = &precinct->band[i];
            for (uint64_t k = 0; k < wvl_precinct_blocks(pb); k++) {
                tile->blocks[wvl_precinct_block(pb, k)].last_slope = (uint16_t)wvl_min_u32(threshold, UINT16_MAX);
                if (wvl_look_listed(job->look, k)) {
                    return;
                }
            }
        }
    }
}

static wvl_status open_packets(wvl_layer_job *job)
{
    wvl_slope_sums sums = {job->body_histogram, job->gain_histogram, 0.0, job->slope_least, job->slope_most};
    wvl_status status = job->packets.open(job->packets.self, &sums);
    job->energy = sums.energy;
    return status == WVL_OK ? measure_empty_layer(job) : status;
}

wvl_status wvl_layers_allocate(wvl_layer_job *job)
{
    uint64_t bytes = wvl_layers_working_bytes(job->plan, &job->sizes, job->workers);
    wvl_carver carver = {wvl_alloc(job->allocator, bytes), 0};
    if (!carver.base) {
        return WVL_ERROR_MEMORY;
    }
    memset(carver.base, 0, (size_t)carve_memory(job, &carver));
    job->status = WVL_OK;
    wvl_status status = open_packets(job);
    /* Most bytes up to each layer. */
    const wvl_plan *plan = job->plan;
    uint64_t budget = plan->rate.max_bytes ? plan->rate.max_bytes : WVL_NO_BUDGET, empty = 0;
    for (uint32_t layer = plan->syntax.layer_count; layer-- > 0; empty = job->empty_layer_bytes) {
        budget = wvl_layer_find_budget(&plan->rate.layers[layer], budget, empty);
        job->budgets[layer] = budget;
    }
    job->is_undecided = 0;
    for (unsigned g = 0; g < WVL_RATE_GROUPS; g++) {
        job->wanted[g] = WVL_DECIDED;
    }
    for (uint32_t layer = 0; layer < job->plan->syntax.layer_count && status == WVL_OK && !job->is_undecided; layer++) {
        job->layers_to_come = job->plan->syntax.layer_count - 1 - layer;
        job->given_layer = wvl_layer_find_given(job->plan, wvl_max_u32(job->given_layer, layer));
        status = run_layer(job, layer);
    }
    for (uint32_t t = 0; job->plan->rate.rdoq && status == WVL_OK && t < job->portion.end; t++) {
        note_ends(job, &job->tiles[t]);
    }
    wvl_free(job->allocator, carver.base, bytes);
    return status == WVL_OK && wvl_look_is_over(job->look) ? WVL_CANCELLED : status;
}

void wvl_layers_fini(wvl_layer_job *job)
{
    wvl_free(job->allocator, job->headers, job->header_capacity);
    wvl_free(job->allocator, job->contributions, job->contribution_capacity * sizeof *job->contributions);
    job->headers = NULL;
    job->contributions = NULL;
}
