/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT blocks as rate control sees them (D-ht-03). Gains of passes are those of the EBCOT planes: after SigProp, MagRef
 * and cleanup of a plane a decoder knows what it knows after the three passes of that plane. A set is coded for each
 * plane that rate control may look at; its lengths become records of passes. A thread a block.
 */
#include "cuda/blocks/ht_put.cuh"
#include "cuda/blocks/t1_hull.cuh"
#include "cuda/rate/estimate.h"
#include "cuda/rate/search.cuh"

namespace wvl_rate
{

__device__ __forceinline__ wvl_cuda_t1_state &state_of(const job_type &job, uint32_t block)
{
    return wvl_t1::state_of(job.t1, block);
}

/* ---- Gains ----------------------------------------------------------------------------------- */

/* The first cleanup pass has everything down to its plane. Units are halved from plane to plane. */
__device__ __forceinline__ int64_t join_gains(const int64_t *quarters, uint32_t last)
{
    wvl_wide gain = 0;
    for (uint32_t i = 0; i <= last; i++) {
        gain = (i % 3 == 1 ? 2 * gain : gain) + quarters[i];
    }
    return wvl_hull_hold(gain);
}

/* Passes that sets do not have add nothing: the next cleanup pass does. */
__device__ __forceinline__ void skip_passes(int64_t *quarters, uint32_t all, uint32_t passes)
{
    for (uint32_t i = 1; i < all && passes < WVL_STEP_SET_PASSES; i += 3) {
        quarters[i + 2] += quarters[i + 1] + (passes == 1 ? quarters[i] : 0);
        quarters[i + 1] = 0;
        quarters[i] = passes == 1 ? 0 : quarters[i];
    }
}

/* Bytes that the block takes at least with its pass of that kind (0 SigProp, 1 MagRef, 2 cleanup). set: of the cleanup
 * pass of the same set. */
__device__ __forceinline__ uint32_t bound_pass(const job_type &job, const wvl_cuda_t1_plane_counts &own, uint32_t kind,
                                               uint32_t set)
{
    bool has_pass = kind + 2 <= job.sets.passes;
    return kind == 2 || !has_pass ? set : set + wvl_estimate_least_refinement(&own, kind == 1);
}

/* Estimated bytes of all passes to the records: about an eighth more than EBCOT takes for as much. And the least that
 * they may be, to safe_bytes. */
__device__ __forceinline__ void estimate_sets(const job_type &job, uint32_t block, uint32_t planes, uint32_t skipped,
                                              const wvl_cuda_t1_plane_counts *counts)
{
    const wvl_cuda_t1_block &b = wvl_t1::block_of(job.t1, block);
    wvl_cuda_t1_pass *records = (wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)block * WVL_CUDA_T1_MOST_PASSES;
    wvl_estimate_heights heights = {0, 0, 0};
    uint64_t bits = 0;
    uint32_t set = 0;
    for (uint32_t i = 0; i < 3 * planes - 2; i++) {
        const wvl_cuda_t1_plane_counts own = counts[planes - 1 - (i + 2) / 3];
        uint32_t kind = (i + 2) % 3;
        bits += wvl_estimate_pass(&own, kind, (uint32_t)b.width * b.height);
        if (kind == 2) {
            wvl_estimate_go_down(&heights, &own);
            set = wvl_estimate_least_cleanup(&heights);
        }
        if (i >= skipped) {
            records[i - skipped].final_bytes =
                (uint32_t)(bits / (8 * WVL_ESTIMATE_ONE) * 9 / 8) + WVL_ESTIMATE_END + (i - skipped) / 3;
            records[i - skipped].safe_bytes = bound_pass(job, own, kind, set);
        }
    }
}

/* Estimated hulls, as foresee_block() has them of EBCOT blocks. And the highest slope that a hull of the block can
 * have, to `unsettled`, since nothing is known yet. */
__device__ __forceinline__ void foresee_sets(const job_type &job, uint32_t block)
{
    wvl_cuda_t1_pass *records = (wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)block * WVL_CUDA_T1_MOST_PASSES;
    wvl_band_coding band = {};
    wvl_hull_line hull;
    const wvl_t1::hull_values values = wvl_t1::open_hull(job.t1, block, &band, &hull);
    int64_t gain = 0;
    uint32_t bytes = 1;
    for (uint32_t i = 0; i < values.all; i++) {
        uint32_t least = records[i].safe_bytes;
        wvl_hull_extend(&hull, &values.memory, values.quarters[i], i % 3 != 0);
        records[i].safe_bytes = hull.limit;
        if (!wvl_hull_is_not_steeper(hull.gain, least, gain, bytes)) {
            gain = hull.gain;
            bytes = least;
        }
    }
    wvl_hull_level_slopes(&hull, values.memory.slopes, values.memory.slopes);
    ((wvl_cuda_t1_gains *)job.t1.gains)[block].unsettled =
        (uint16_t)(gain > 0 ? wvl_rate_slope(gain, bytes, job.t1.gain_exponent) : 0);
}

/* From planes to sets: those above the first one are left out, and their gains are its own. */
__device__ __forceinline__ void open_sets(const job_type &job, uint32_t block)
{
    wvl_cuda_t1_state &state = state_of(job, block);
    uint32_t planes = state.planes,
             first = job.sets.is_second ? ((const wvl_cuda_rate_step *)job.sets.step)->first_set : planes,
             kept = min(planes, first), skipped = 3 * (planes - kept), all = kept ? 3 * kept - 2 : 0;
    int64_t *quarters = (int64_t *)wvl_t1::units_at(job.t1, ((const wvl_cuda_t1_gains *)job.t1.gains)[block].values);
    ((wvl_cuda_t1_record *)job.t1.records)[block] = {
        0, 0, 0, (uint8_t)kept, state.passes ? (uint8_t)all : (uint8_t)0, state.flags, 0};
    state.planes = (uint8_t)kept;
    state.codeword = planes; /* of the words */
    if (!state.passes) {
        return;
    }
    if (job.t1.foresees) {
        estimate_sets(job, block, planes, skipped, (const wvl_cuda_t1_plane_counts *)(quarters + 3 * planes - 2));
    }
    quarters[0] = join_gains(quarters, skipped);
    for (uint32_t i = 1; skipped && i < all; i++) {
        quarters[i] = quarters[i + skipped];
    }
    skip_passes(quarters, all, job.sets.passes);
    state.passes = (uint8_t)all;
    if (job.t1.foresees) {
        foresee_sets(job, block);
    }
}

/* ---- Lists ----------------------------------------------------------------------------------- */

__device__ __forceinline__ wvl_cuda_ht_block describe_set(const job_type &job, const wvl_cuda_t1_block &b,
                                                          uint32_t plane)
{
    wvl_cuda_ht_block set = {};
    set.coefs = b.coefs;
    set.bound = b.bound;
    set.stride = b.stride;
    set.width = b.width;
    set.height = b.height;
    set.coef_bytes = b.coef_bytes;
    set.frac_bits = b.frac_bits;
    set.cleanup_plane = (uint8_t)plane;
    set.style = b.style;
    set.max_passes = UINT8_MAX;
    set.set_passes = (uint8_t)job.sets.passes;
    set.planes = (uint8_t)(b.planes - plane);
    set.reversible = b.reversible;
    return set;
}

/* Says where SigProp and MagRef of a set find what they code. */
__device__ __forceinline__ wvl_cuda_ht_words describe_words(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_block &b = wvl_t1::block_of(job.t1, block);
    const wvl_cuda_t1_state &state = state_of(job, block);
    const wvl_t1::word_layout layout(wvl_t1::width_log2_of(b), b.height, state.codeword);
    return {(uint64_t)(uintptr_t)wvl_t1::units_at(job.t1, state.words), layout.step, layout.total, layout.words,
            state.codeword};
}

/* A set of the block in its tables. Returns its class. */
__device__ __forceinline__ uint32_t open_set(const job_type &job, uint32_t block, uint32_t plane)
{
    uint64_t at = (uint64_t)block * job.sets.pitch + plane;
    wvl_cuda_ht_block &set = ((wvl_cuda_ht_block *)job.sets.ht.blocks)[at];
    set = describe_set(job, wvl_t1::block_of(job.t1, block), plane);
    ((wvl_cuda_ht_words *)job.sets.ht.words)[at] = describe_words(job, block);
    return wvl_cuda_ht_class_of(&set);
}

/* Sets [first, end) of a block are in work from now on; of a thread without a block there are none. Classes by turns: a
 * warp asks for all its places of a class at once. From one set on, those of a block may be of another class. */
__device__ __forceinline__ void list_sets(const job_type &job, uint32_t block, uint32_t planes, uint32_t first,
                                          uint32_t end)
{
    wvl_cuda_ht_lists *lists = (wvl_cuda_ht_lists *)job.sets.ht.lists;
    uint32_t kind_first = WVL_CUDA_HT_CLASSES, kind_last = WVL_CUDA_HT_CLASSES, turn = end;
    for (uint32_t set = first; set < end; set++) {
        kind_last = open_set(job, block, planes - 1 - set);
        kind_first = set == first ? kind_last : kind_first;
        turn = kind_last == kind_first ? end : min(turn, set);
    }
    for (uint32_t kind = 0; kind < WVL_CUDA_HT_CLASSES; kind++) {
        uint32_t from = kind == kind_first ? first : turn, to = kind == kind_first ? turn : end,
                 own = kind == kind_first || (turn < end && kind == kind_last) ? to - from : 0,
                 upto = wvl_ht::scan<32>(own), at = 0;
        if (wvl_ht::lane_id() == 31 && upto) {
            at = atomicAdd(&lists->count[kind], upto);
        }
        at = __shfl_sync(~0u, at, 31) + upto - own;
        uint32_t *order = (uint32_t *)job.sets.ht.order + job.sets.ht.class_first[kind] + at;
        for (uint32_t i = 0; i < own; i++) {
            order[i] = block * job.sets.pitch + planes - 1 - (from + i);
        }
    }
}

/* Sets [first, end) of a block. */
struct set_range {
    uint32_t planes, first, end;
};

/* Takes as many sets as the passes that are wanted lie in, but for those that are there; passes are then those of all.
 */
__device__ __forceinline__ set_range take_sets(wvl_cuda_t1_state &state)
{
    set_range range = {state.planes, state.listed, (state.passes + WVL_STEP_SET_PASSES - 1) / WVL_STEP_SET_PASSES};
    range.end = max(range.first, range.end);
    state.listed = (uint8_t)range.end;
    state.passes = range.planes ? (uint8_t)min(WVL_STEP_SET_PASSES * range.end, 3 * range.planes - 2) : (uint8_t)0;
    return range;
}

__device__ __forceinline__ void list_block_sets(const job_type &job, uint32_t block)
{
    set_range range = {0, 0, 0};
    if (block < job.t1.block_count) {
        range = take_sets(state_of(job, block));
    }
    list_sets(job, block, range.planes, range.first, range.end);
}

/* ---- Hulls ----------------------------------------------------------------------------------- */

/* The passes of a set, of which the block has `count`. */
__device__ __forceinline__ void record_set(const wvl_cuda_ht_record &r, uint32_t count, wvl_cuda_t1_pass *to)
{
    wvl_cuda_t1_pass p = {0, r.cleanup_bytes, {0, 0, 0, 0, 0, 0}, 0, 0};
    to[0] = p;
    if (count > 1) {
        p.final_bytes += r.has_sigprop ? r.sigprop_bytes : 0;
        p.tail_count = r.has_magref ? r.tail_count : 0;
        p.tail[0] = r.has_magref && r.tail_count ? r.tail : 0;
        to[1] = p;
    }
    if (count > 2) {
        p.final_bytes = r.has_magref ? r.bytes : p.final_bytes;
        p.tail_count = p.tail[0] = 0;
        to[2] = p;
    }
}

__device__ __forceinline__ void find_set_hull(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_state state = state_of(job, block);
    wvl_cuda_t1_record &record = ((wvl_cuda_t1_record *)job.t1.records)[block];
    wvl_cuda_t1_pass *passes = (wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)block * WVL_CUDA_T1_MOST_PASSES;
    uint32_t flags = state.flags & WVL_CUDA_T1_LEFT;
    for (uint32_t i = 0; i < state.passes; i += WVL_STEP_SET_PASSES) {
        const wvl_cuda_ht_record r =
            ((const wvl_cuda_ht_record *)job.sets.ht.records)[find_set(job, block, state.planes, i + 1)];
        flags |= r.flags & WVL_CUDA_HT_LEFT ? (uint32_t)WVL_CUDA_T1_LEFT : 0;
        record_set(r, min(state.passes - i, WVL_STEP_SET_PASSES), passes + i);
    }
    record = {0, 0, 0, state.planes, state.passes, (uint8_t)flags, 0};
    if (!state.passes || flags) {
        return;
    }
    wvl_band_coding band = {};
    wvl_hull_line hull;
    const wvl_t1::hull_values values = wvl_t1::open_hull(job.t1, block, &band, &hull);
    for (uint32_t i = 0; i < state.passes; i++) {
        wvl_hull_extend(&hull, &values.memory, values.quarters[i], i % WVL_STEP_SET_PASSES != 0);
    }
    wvl_hull_level_slopes(&hull, values.memory.slopes, values.memory.slopes);
    ((wvl_cuda_t1_gains *)job.t1.gains)[block].unsettled = (uint16_t)(hull.limit - 1);
}

} // namespace wvl_rate

/* Behind gains of planes. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS)
    wvl_rate_open_sets(const wvl_cuda_rate_job job)
{
    uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < job.t1.block_count && wvl_rate::is_asked(job)) {
        wvl_rate::open_sets(job, block);
    }
}

/* Before the HT coder. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS)
    wvl_rate_list_sets(const wvl_cuda_rate_job job)
{
    if (wvl_rate::is_asked(job)) {
        wvl_rate::list_block_sets(job, blockIdx.x * blockDim.x + threadIdx.x);
    }
}

/* Behind the HT coder. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS)
    wvl_rate_end_sets(const wvl_cuda_rate_job job)
{
    uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < job.t1.block_count && wvl_rate::is_asked(job)) {
        wvl_rate::find_set_hull(job, block);
    }
}
