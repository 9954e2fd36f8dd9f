/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate control of a picture by one thread block: thresholds that meet the budget and the caps, the last bytes, and the
 * ends of codewords. All threads decide the same, from the same numbers.
 */
#include "cuda/rate/again.cuh"
#include "cuda/rate/caps.cuh"
#include "cuda/rate/fill.cuh"

namespace wvl_rate
{

/* ---- Ends ------------------------------------------------------------------------------------ */

/* The block ends with its cut: its tail takes the place of what would have followed. */
__device__ __forceinline__ void end_block(const job_type &job, uint32_t block, const block_passes &passes, uint32_t cut)
{
    const wvl_cuda_t1_pass p = passes.records[cut - 1];
    const wvl_cuda_t1_record &r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    uint64_t first = job.t1.scratch + (uint64_t)r.codeword * 16 + 1;
    if (job.sets.pitch) { /* SigProp, without the MagRef behind it */
        uint32_t set = find_set(job, block, r.planes, cut);
        first = job.t1.scratch + (uint64_t)((const wvl_cuda_ht_part *)job.sets.ht.parts)[set].refinement * 16 -
                ((const wvl_cuda_ht_record *)job.sets.ht.records)[set].cleanup_bytes;
    }
    uint8_t *bytes = (uint8_t *)first + p.final_bytes - p.tail_count;
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

/* ---- Choice ---------------------------------------------------------------------------------- */

/* Thresholds that keep the budget and all caps (codec/rate/layers.c). Returns 0, or flags. */
__device__ __forceinline__ uint32_t choose_thresholds(const job_type &job, layer_state &layer, uint32_t *shared)
{
    sum_bodies(job, shared + WVL_CUDA_RATE_HEAD);
    if (!search_capped(job, layer, shared) || breaks_cap(job, shared)) {
        return WVL_CUDA_PACKETS_OVER;
    }
    layer.is_filled = layer.threshold > job.least || job.fills_always;
    return 0;
}

/* Returns whether blocks are to be coded again first. */
__device__ __forceinline__ bool finish_cuts(const job_type &job, layer_state &layer, uint32_t *shared)
{
    if (repeat_blocks(job, layer, shared)) {
        return true;
    }
    if (!layer.is_filled) {
        return false;
    }
    fill_layer(job, layer, shared);
    return repeat_blocks(job, layer, shared);
}

} // namespace wvl_rate

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_THREADS, 1) wvl_rate_choose(const wvl_cuda_rate_job job)
{
    WVL_HT_SHARED(shared);
    wvl_rate::layer_state layer = {job.least, {0, 0}, false};
    uint32_t notes = 0;
    if (!wvl_rate::is_asked(job) || (job.t1.round && !wvl_rate::repeated_of(job))) {
        return;
    }
    wvl_rate::open_groups(job, 0, 0);
    wvl_rate::open_blocks(job);
    if (job.budget == WVL_NO_BUDGET && !job.component_cap) {
        wvl_rate::set_thresholds(job, job.least);
        wvl_rate::cut_blocks(job);
        wvl_rate::look_at(job, job.least);
    } else {
        notes = wvl_rate::choose_thresholds(job, layer, shared);
    }
    if (wvl_rate::finish_cuts(job, layer, shared)) {
        return; /* the ends of codewords would be written into passes that a later cut may send */
    }
    wvl_rate::end_blocks(job, shared);
    if (!threadIdx.x) {
        *(uint32_t *)job.packets.notes = notes;
        *(wvl_cuda_packets_outcome *)job.packets.outcome = {layer.threshold, !shared[WVL_CUDA_RATE_VARIABLES]};
    }
}
