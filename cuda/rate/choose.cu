/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate control of a picture by one thread block: the threshold that meets the budget, as codec/rate/search.c finds it,
 * the last bytes, and the ends of codewords. All threads decide the same, from the same numbers.
 */
#include "codec/core/bracket.h"
#include "cuda/rate/again.cuh"
#include "cuda/rate/fill.cuh"

namespace wvl_rate
{

/* ---- Bytes on the hulls ---------------------------------------------------------------------- */

/* Sums from the steep end; then bodies[t] are the bytes on the hulls at threshold t. A run of thresholds a thread. */
__device__ __forceinline__ void sum_bodies(const job_type &job, uint32_t *sums)
{
    uint64_t *bodies = (uint64_t *)job.bodies, own = 0, all;
    uint32_t each = (WVL_SLOPES + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each,
             end = min(first + each, WVL_SLOPES);
    for (uint32_t i = first; i < end; i++) { /* thread 0 has the steepest */
        own += bodies[WVL_SLOPES - 1 - i];
    }
    uint64_t sum = wvl_packets::scan_block(own, sums, &all) - own;
    for (uint32_t i = first; i < end; i++) {
        sum += bodies[WVL_SLOPES - 1 - i];
        bodies[WVL_SLOPES - 1 - i] = sum;
    }
    __syncthreads();
}

__device__ __forceinline__ double bodies_at(const job_type &job, uint32_t threshold)
{
    return (double)((const uint64_t *)job.bodies)[threshold];
}

/* Least threshold whose bodies, with a fixed rest, are estimated to keep the budget. */
__device__ __forceinline__ uint32_t guess(const job_type &job, double rest)
{
    uint32_t low = 0, high = WVL_SLOPE_NOTHING;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (wvl_bracket_expects(bodies_at(job, middle), rest, job.budget)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- Threshold ------------------------------------------------------------------------------- */

/* Returns whether there is a threshold that fits; the layer is cut at it. */
__device__ __forceinline__ bool search(const job_type &job, layer_state &layer, uint32_t *shared)
{
    wvl_bracket b;
    uint32_t t = 0;
    wvl_bracket_open(&b, job.least, job.overhead_bytes, 0, job.budget);
    while (wvl_bracket_is_open(&b)) {
        uint32_t guessed = wvl_bracket_wants_guess(&b) ? guess(job, b.rest) : WVL_SLOPE_NOTHING;
        t = wvl_bracket_propose(&b, guessed);
        layer.lowest =
            min(layer.lowest, min(t, max(guessed ? guessed - 1 : 0, job.least))); /* a guess looks one below */
        cut_blocks(job, t);
        layer_cost cost = measure_packets(job, shared);
        uint64_t bytes = codestream_bytes(job, cost);
        layer.cost = bytes <= job.budget ? cost : layer.cost;
        wvl_bracket_learn(&b, t, bytes <= job.budget, bytes, bodies_at(job, t));
    }
    layer.threshold = b.good;
    if (b.good > WVL_SLOPE_NOTHING) {
        return false;
    }
    if (t != b.good) {
        cut_blocks(job, b.good);
        layer.cost = measure_packets(job, shared);
    }
    return true;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

/* The block ends with its cut: its tail takes the place of what would have followed. */
__device__ __forceinline__ void end_block(const job_type &job, uint32_t block, const block_passes &passes, uint32_t cut)
{
    const wvl_cuda_t1_pass p = passes.records[cut - 1];
    const wvl_cuda_t1_record &r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    uint8_t *bytes = (uint8_t *)(job.t1.scratch + (uint64_t)r.codeword * 16 + 1) + p.final_bytes - p.tail_count;
    for (uint32_t i = 0; i < p.tail_count; i++) {
        bytes[i] = p.tail[i];
    }
}

/* v * 2^exponent, exactly: of the range that weights have. */
__device__ __forceinline__ double scale(double v, int exponent)
{
    double factor = exponent < 0 ? 0.5 : 2.0;
    for (uint32_t n = exponent < 0 ? (uint32_t)-exponent : (uint32_t)exponent; n; n >>= 1, factor *= factor) {
        v = n & 1 ? v * factor : v;
    }
    return v;
}

/* Squares of all samples, and what the passes leave of them, without visual weights. */
__device__ __forceinline__ wvl_cuda_block_error measure_error(const job_type &job, uint32_t block,
                                                              const block_passes &passes, uint32_t cut)
{
    const wvl_cuda_t1_gains own = ((const wvl_cuda_t1_gains *)job.t1.gains)[block];
    const wvl_cuda_t1_weight weight = ((const wvl_cuda_t1_weight *)job.t1.hull_weights)[block];
    double plain = 4.0 * ((const double *)job.block_weights)[block],
           energy = scale((double)own.energy, 2 * (int)own.energy_shift) * plain,
           unit = scale((double)weight.mantissa, weight.exponent - job.t1.gain_exponent),
           gain = cut ? (double)passes.gains[cut - 1] * (plain / unit) : 0.0;
    return {energy, energy - gain};
}

/* All blocks; all threads. */
__device__ __forceinline__ void end_blocks(const job_type &job, uint32_t *shared)
{
    uint32_t *is_partial = shared + WVL_CUDA_RATE_VARIABLES;
    if (!threadIdx.x) {
        *is_partial = 0;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < job.t1.block_count; i += blockDim.x) {
        const block_passes passes = passes_of(job, i);
        uint32_t cut = cut_of(job, i).passes, planes = ((const wvl_cuda_t1_record *)job.t1.records)[i].planes;
        if (cut) {
            end_block(job, i, passes, cut);
        }
        if (cut != (planes ? 3 * planes - 2 : 0)) {
            atomicOr(is_partial, 1u);
        }
        ((wvl_cuda_block_error *)job.packets.errors)[i] = measure_error(job, i, passes, cut);
    }
    __syncthreads();
}

} // namespace wvl_rate

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_THREADS) wvl_rate_choose(const wvl_cuda_rate_job job)
{
    WVL_HT_SHARED(shared);
    wvl_rate::layer_state layer = {job.least, {0, 0}, WVL_SLOPE_NOTHING, false};
    uint32_t notes = 0;
    if (job.t1.round && !wvl_rate::repeated_of(job)) {
        return;
    }
    for (uint32_t i = threadIdx.x; i < job.t1.block_count; i += blockDim.x) {
        wvl_rate::cut_of(job, i) = {0, 0, 0, 0};
    }
    __syncthreads();
    if (job.budget == WVL_NO_BUDGET) {
        wvl_rate::cut_blocks(job, job.least);
        layer.lowest = job.least;
    } else {
        wvl_rate::sum_bodies(job, shared + WVL_CUDA_RATE_HEAD);
        if (!wvl_rate::search(job, layer, shared)) {
            notes = WVL_CUDA_PACKETS_OVER;
        } else if (layer.threshold > job.least) {
            layer.is_filled = true;
            if (wvl_rate::repeat_blocks(job, layer, shared)) {
                return;
            }
            wvl_rate::fill_layer(job, layer, shared);
        }
    }
    if (wvl_rate::repeat_blocks(job, layer, shared)) {
        return; /* the ends of codewords would be written into passes that a later cut may send */
    }
    wvl_rate::end_blocks(job, shared);
    if (!threadIdx.x) {
        *(uint32_t *)job.packets.notes = notes;
        *(wvl_cuda_packets_outcome *)job.packets.outcome = {layer.threshold, !shared[WVL_CUDA_RATE_VARIABLES]};
    }
}
