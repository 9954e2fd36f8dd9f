/* SPDX-License-Identifier: BSD-2-Clause */
/* The threshold that meets the budget, as codec/rate/layers.c finds it. All threads have the same results. */
#pragma once
#include "cuda/rate/measure.cuh"

namespace wvl_rate
{

/* ---- Groups ---------------------------------------------------------------------------------- */

/* No group has sent anything. All threads. */
__device__ __forceinline__ void clear_groups(const job_type &job)
{
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        group_of(job, g).sent = 0;
    }
}

/* Floors of all groups, which keep what they have sent. All threads. */
__device__ __forceinline__ void open_groups(const job_type &job, uint32_t floor, uint32_t is_open)
{
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        group_of(job, g) = {group_of(job, g).sent, 0, 0.0, 0, floor, 0, is_open, WVL_SLOPE_NOTHING, 0};
    }
    meet_crew();
}

/* All threads. */
__device__ __forceinline__ void set_thresholds(const job_type &job, uint32_t threshold)
{
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        group_of(job, g).threshold = max(group_of(job, g).floor, threshold);
    }
    meet_crew();
}

/* Bytes on the hulls are asked for down to this threshold, or blocks cut there. All threads. */
__device__ __forceinline__ void look_at(const job_type &job, uint32_t threshold)
{
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        wvl_cuda_rate_group &group = group_of(job, g);
        group.lowest = min(group.lowest, job.followed > 1 ? max(group.floor, threshold) : threshold);
    }
    meet_crew();
}

/* ---- Bytes on the hulls ---------------------------------------------------------------------- */

/* Sums from the steep end; then bodies[t] are the bytes on the hulls at threshold t. A warp has neighbouring
 * thresholds: four a lane at a time. */
__device__ __forceinline__ void sum_group(uint64_t *bodies, uint32_t *sums)
{
    uint32_t lane = wvl_ht::lane_id(), warps = crew_size() / 32,
             each = (WVL_SLOPE_NOTHING / 128 + warps - 1) / warps * 128,
             first = min(crew_rank() / 32 * each, WVL_SLOPE_NOTHING), end = min(first + each, WVL_SLOPE_NOTHING);
    uint64_t own = 0, all, *steepest = bodies + WVL_SLOPE_NOTHING - 1; /* no hull is steeper */
#pragma unroll 8
    for (uint32_t i = first + lane; i < end; i += 32) {
        own += *(steepest - i);
    }
    uint64_t run = wvl_packets::fetch_wide(scan_crew(own, sums, &all) - own, 0);
    for (uint32_t i = first + 4 * lane; i < end; i += 128) {
        uint64_t *four = steepest - i, a = four[0], b = a + four[-1], c = b + four[-2], d = c + four[-3];
        uint64_t upto = wvl_packets::scan_wide(d), base = run + upto - d;
        four[0] = base + a;
        four[-1] = base + b;
        four[-2] = base + c;
        four[-3] = base + d;
        run += wvl_packets::fetch_wide(upto, 31);
    }
    meet_crew();
}

__device__ __forceinline__ void sum_bodies(const job_type &job, uint32_t *sums)
{
    for (uint32_t g = 0; g < job.followed; g++) {
        sum_group((uint64_t *)job.bodies + (uint64_t)g * WVL_SLOPES, sums);
    }
}

__device__ __forceinline__ double bodies_of(const job_type &job, uint32_t group, uint32_t threshold)
{
    return (double)((const uint64_t *)job.bodies)[(uint64_t)group * WVL_SLOPES + threshold];
}

/* Returns the bodies of all groups, at the threshold or their floors. */
__device__ __forceinline__ double bodies_at(const job_type &job, uint32_t threshold)
{
    double bytes = 0.0;
    for (uint32_t g = 0; g < job.followed; g++) {
        bytes += bodies_of(job, g, job.followed > 1 ? max(group_of(job, g).floor, threshold) : threshold);
    }
    return bytes;
}

/* Least threshold whose bodies, with a fixed rest, are estimated to keep the budget. As many are asked at a time as
 * there are threads: those below the one that is wanted do not keep it. */
__device__ __forceinline__ uint32_t guess(const job_type &job, uint64_t budget, double rest, uint32_t *shared)
{
    uint32_t low = 0, high = WVL_SLOPE_NOTHING;
    while (low < high) {
        uint32_t step = (high - low + crew_size() - 1) / crew_size(), asked = low + (crew_rank() + 1) * step - 1;
        bool is_over = asked < high && !wvl_bracket_expects(bodies_at(job, asked), rest, budget);
        uint32_t over = count_crew(is_over, shared + WVL_CUDA_RATE_VARIABLES);
        high = min(high, low + (over + 1) * step - 1);
        low += over * step;
    }
    return low;
}

/* ---- Threshold ------------------------------------------------------------------------------- */

__device__ __forceinline__ layer_cost measure_at(const job_type &job, const layer_state &layer, uint32_t threshold,
                                                 uint32_t *shared)
{
    set_thresholds(job, threshold);
    cut_blocks(job, layer);
    return measure_packets(job, layer, shared);
}

/* Returns what the bytes on the hulls propose; 0 where nothing limits the layer. */
__device__ __forceinline__ uint32_t guess_next(const job_type &job, const layer_state &layer, double rest,
                                               uint32_t *shared)
{
    return is_limited(job, layer) ? guess(job, layer.budget, rest, shared) : 0;
}

/* Returns whether there is a threshold that fits; the layer is cut at it. The measure is written once, and the search
 * is called once: their code is long. */
__device__ __forceinline__ bool search(const job_type &job, layer_state &layer, uint32_t *shared)
{
    wvl_bracket b;
    wvl_bracket_open(&b, layer.least, job.overhead_bytes, layer.sent.packet_bytes, layer.budget);
    for (uint32_t t = 0, is_open = 1; is_open;) {
        is_open = wvl_bracket_is_open(&b);
        if (!is_open && (t == b.good || b.good > WVL_SLOPE_NOTHING)) {
            break;
        }
        uint32_t guessed = is_open && wvl_bracket_wants_guess(&b) ? guess_next(job, layer, b.rest, shared)
                                                                  : (uint32_t)WVL_SLOPE_NOTHING;
        t = is_open ? wvl_bracket_propose(&b, guessed) : b.good;
        layer_cost cost = measure_at(job, layer, t, shared);
        uint64_t bytes = codestream_bytes(job, layer, cost);
        layer.cost = bytes <= layer.budget ? cost : layer.cost;
        if (is_open) {
            look_at(job, min(t, max(guessed ? guessed - 1 : 0, layer.least))); /* a guess looks one below */
            wvl_bracket_learn(&b, t, bytes <= layer.budget, bytes, bodies_at(job, t));
        }
    }
    layer.threshold = b.good;
    return b.good <= WVL_SLOPE_NOTHING;
}

} // namespace wvl_rate
