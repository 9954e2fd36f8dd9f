/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which passes of each block are coded at first. Rate control runs on estimated bytes before any symbol is listed. Its
 * threshold less a margin is the stop of the picture. A block is coded up to the pass at which its hull, with estimated
 * bytes, is settled for the stop (codec/core/hull.h). cuda/rate/again.cuh says which blocks are coded again.
 */
#include "cuda/blocks/t1_hull.cuh"
#include "cuda/rate/estimate.h"
#include "cuda/rate/stops.cuh"

namespace wvl_rate
{

/* ---- Estimates ------------------------------------------------------------------------------- */

/* Estimated bytes of all passes to the records. */
__device__ __forceinline__ void estimate_bytes(const job_type &job, uint32_t block, uint32_t planes, uint32_t all,
                                               const wvl_cuda_t1_plane_counts *counts)
{
    const wvl_cuda_t1_block &b = ((const wvl_cuda_t1_block *)job.t1.blocks)[block];
    wvl_cuda_t1_pass *records = (wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)block * WVL_CUDA_T1_MOST_PASSES;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < all; i++) {
        const wvl_cuda_t1_plane_counts own = counts[planes - 1 - (i + 2) / 3];
        bits += wvl_estimate_pass(&own, (i + 2) % 3, (uint32_t)b.width * b.height);
        records[i].final_bytes = (uint32_t)(bits / (8 * WVL_ESTIMATE_ONE)) + WVL_ESTIMATE_END;
    }
}

/* Estimated bytes and slopes of a block that has passes, and in `safe_bytes` the limit of its hull after each pass. */
__device__ __forceinline__ void foresee_block(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_state state = ((const wvl_cuda_t1_state *)job.t1.states)[block];
    wvl_cuda_t1_record &record = ((wvl_cuda_t1_record *)job.t1.records)[block];
    wvl_cuda_t1_pass *records = (wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)block * WVL_CUDA_T1_MOST_PASSES;
    record = {0, 0, state.ends, state.planes, state.passes, state.flags, 0};
    if (!state.passes) {
        return;
    }
    wvl_band_coding band = {};
    wvl_hull_line hull;
    const wvl_t1::hull_values values = wvl_t1::open_hull(job.t1, block, &band, &hull);
    estimate_bytes(job, block, state.planes, values.all, (const wvl_cuda_t1_plane_counts *)values.memory.gains);
    for (uint32_t i = 0; i < values.all; i++) {
        wvl_hull_extend(&hull, &values.memory, values.quarters[i], 0);
        records[i].safe_bytes = hull.limit;
    }
    wvl_hull_level_slopes(&hull, values.memory.slopes, values.memory.slopes);
}

/* ---- The stop -------------------------------------------------------------------------------- */

/* Thresholds below the one that estimated bytes lead to; of a threshold that is given, estimated hulls alone may be
 * wrong (D-device-13). */
#define WVL_CUDA_RATE_MARGIN 96
#define WVL_CUDA_RATE_GIVEN_MARGIN 64

/* The least threshold of a group whose estimated bodies keep the cap; headers take the share that a search begins
 * with. */
__device__ __forceinline__ uint32_t foresee_floor(const job_type &job, uint32_t g)
{
    double room = (double)job.component_cap - (double)((const uint64_t *)job.group_overhead)[g] -
                  (double)job.component_cap / 32.0;
    uint32_t low = 0, high = WVL_SLOPE_NOTHING;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (bodies_of(job, g, middle) <= room) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* All threads. */
__device__ __forceinline__ void foresee_floors(const job_type &job)
{
    for (uint32_t g = threadIdx.x; g < job.group_count; g += blockDim.x) {
        group_of(job, g).floor = foresee_floor(job, g);
    }
    __syncthreads();
}

/* Each group stops a margin below its threshold. There are several with caps, which only HT pictures are predicted
 * with: the search first looks at one threshold for all groups; then groups that break their cap get floors, and it
 * looks again. All threads. */
__device__ __forceinline__ void find_stops(const job_type &job, uint32_t *shared)
{
    const stop_margins margins = {WVL_CUDA_RATE_MARGIN + (int32_t)job.deeper, WVL_CUDA_RATE_GIVEN_MARGIN};
    clear_groups(job);
    open_groups(job, 0, 0);
    int32_t first = foresee_threshold(job, margins, shared), lowest = first;
    if (job.component_cap) {
        foresee_floors(job);
        lowest = foresee_threshold(job, margins, shared);
    }
    for (uint32_t g = threadIdx.x; g < job.group_count; g += blockDim.x) {
        wvl_cuda_rate_group &group = group_of(job, g);
        group.lowest = hold_stop(job, min(first, max(lowest, (int32_t)group.floor - margins.found)));
    }
}

/* Says whether a block may send anything at that threshold: of HT blocks foresee_sets() has found the highest slope. */
__device__ __forceinline__ bool may_reach(const job_type &job, uint32_t block, uint32_t threshold)
{
    return !job.sets.pitch || ((const wvl_cuda_t1_gains *)job.t1.gains)[block].unsettled >= threshold;
}

/* The passes that are listed, by what foresee_block() left. */
__device__ __forceinline__ void limit_block(const job_type &job, const wvl_assembly_place &place)
{
    wvl_cuda_t1_state &state = ((wvl_cuda_t1_state *)job.t1.states)[place.block];
    const wvl_cuda_t1_pass *records =
        (const wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)place.block * WVL_CUDA_T1_MOST_PASSES;
    uint32_t all = state.passes, stop = group_of(job, group_index(job, place.packet)).lowest,
             depth = may_reach(job, place.block, stop);
    while (depth && depth < all && records[depth - 1].safe_bytes > stop) {
        depth++;
    }
    /* Where the last bytes reach below all slopes, they are tried with passes behind the cut. */
    depth += job.budget != WVL_NO_BUDGET && stop <= job.reach ? WVL_CUDA_RATE_CANDIDATES : 0;
    state.passes = (uint8_t)min(depth, all);
}

} // namespace wvl_rate

/* A thread a block. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS) wvl_rate_foresee(const wvl_cuda_rate_job job)
{
    uint32_t block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block < job.t1.block_count && wvl_rate::is_asked(job)) {
        wvl_rate::foresee_block(job, block);
    }
}

/* One thread block. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_THREADS) wvl_rate_predict(const wvl_cuda_rate_job job)
{
    WVL_HT_SHARED(shared);
    if (!wvl_rate::is_asked(job)) {
        return;
    }
    if (wvl_rate::asks_bodies(job)) {
        wvl_rate::sum_bodies(job, shared + WVL_CUDA_RATE_HEAD);
    }
    wvl_rate::find_stops(job, shared);
}

/* A thread a place of a block in packets. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_BODIES_THREADS) wvl_rate_depth(const wvl_cuda_rate_job job)
{
    uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < job.packets.block_count && wvl_rate::is_asked(job)) {
        wvl_rate::limit_block(job, wvl_rate::ranked(job, rank));
    }
}
