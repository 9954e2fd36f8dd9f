/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate control of a picture by one thread block or a cluster of them: for each layer thresholds that meet the budget
 * and the caps, and the last bytes; then the ends of codewords. All threads decide the same, from the same numbers.
 */
#include "cuda/rate/again.cuh"
#include "cuda/rate/bodies.cuh"
#include "cuda/rate/caps.cuh"
#include "cuda/rate/layers.cuh"
#include "cuda/rate/stops.cuh"

namespace wvl_rate
{

/* ---- Ends ------------------------------------------------------------------------------------ */

/* The block ends with its cut in the last layer: its tail takes the place of what would have followed. */
__device__ __forceinline__ void end_block(const job_type &job, uint32_t block, const block_passes &passes,
                                          const wvl_cuda_rate_cut &cut)
{
    const wvl_cuda_rate_sent sent = sent_of(job, block);
    if (cut.passes == sent.passes) {
        return;
    }
    const wvl_cuda_t1_pass &p = passes.records[cut.passes - 1];
    if (cut.bytes != p.final_bytes || !can_end(p, sent.bytes)) {
        return;
    }
    const wvl_cuda_t1_record &r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    uint64_t first = job.t1.scratch + (uint64_t)r.codeword * 16 + 1;
    if (job.sets.pitch) { /* SigProp, without the MagRef behind it */
        uint32_t set = find_set(job, block, r.planes, cut.passes);
        first = job.t1.scratch + (uint64_t)((const wvl_cuda_ht_part *)job.sets.ht.parts)[set].refinement * 16 -
                ((const wvl_cuda_ht_record *)job.sets.ht.records)[set].cleanup_bytes;
    }
    uint8_t *bytes = (uint8_t *)first + p.final_bytes - p.tail_count;
    for (uint32_t i = 0; i < p.tail_count; i++) {
        bytes[i] = p.tail[i];
    }
}

/* Squares of all samples, and what the passes leave of them, without visual weights. */
__device__ __forceinline__ wvl_cuda_block_error measure_error(const job_type &job, uint32_t block,
                                                              const block_passes &passes, uint32_t cut)
{
    const wvl_cuda_t1_gains own = ((const wvl_cuda_t1_gains *)job.t1.gains)[block];
    double plain = 4.0 * ((const double *)job.block_weights)[block],
           energy = scale((double)own.energy, 2 * (int)own.energy_shift) * plain;
    return {energy, energy - measure_gain(job, block, passes, cut)};
}

/* All blocks; all threads. */
__device__ __forceinline__ void end_blocks(const job_type &job, uint32_t *shared)
{
    uint32_t *any_partial = shared_by_crew(shared + WVL_CUDA_RATE_VARIABLES);
    if (!crew_rank()) {
        *any_partial = 0;
    }
    meet_crew();
    for (uint32_t i = crew_rank(); i < job.t1.block_count; i += crew_size()) {
        const block_passes passes = passes_of(job, i);
        const wvl_cuda_rate_cut cut = cut_of(job, i);
        end_block(job, i, passes, cut);
        if (is_partial(job, i, cut.passes)) {
            atomicOr(any_partial, 1u);
        }
        ((wvl_cuda_block_error *)job.packets.errors)[i] = measure_error(job, i, passes, cut.passes);
    }
    meet_crew();
}

/* ---- Choice ---------------------------------------------------------------------------------- */

/* Thresholds that keep the budget and all caps (codec/rate/layers.c). Returns 0, or flags. A layer that others follow
 * may send nothing: that was measured last. */
__device__ __forceinline__ uint32_t choose_thresholds(const job_type &job, layer_state &layer, uint32_t *shared)
{
    bool is_found = search_capped(job, layer, shared);
    if (!is_found && !layer.is_last) {
        layer.threshold = WVL_SLOPE_NOTHING;
        return 0;
    }
    if (!is_found || (layer.is_last && breaks_cap(job, layer, shared))) {
        return WVL_CUDA_PACKETS_OVER;
    }
    layer.is_filled = is_limited(job, layer) && (layer.threshold > layer.least || fills_always(job, layer));
    return 0;
}

/* All blocks at what the last layer asks for, where nothing limits it: what that costs is not asked. */
__device__ __forceinline__ void take_least(const job_type &job, const layer_state &layer)
{
    set_thresholds(job, layer.least);
    cut_blocks(job, layer);
    look_at(job, layer.least);
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

/* Thresholds that a search mostly ends at most below the one that bytes on the hulls lead to (D-device-13). */
#define WVL_CUDA_RATE_SEARCH_MARGIN 20

/* Before the search: whether EBCOT blocks are going to be coded again, by what the bytes on the hulls lead to. A search
 * that finds it out is in vain. Sets of HT blocks lie whole planes apart, so this says too little of them. All
 * threads. */
__device__ __forceinline__ bool expects_more(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    if (!job.t1.foresees || job.t1.round || job.sets.pitch) {
        return false;
    }
    int32_t reach = job.reach < WVL_SLOPE_NOTHING ? (int32_t)job.reach : 0;
    open_groups(job, 0, 0);
    look_at(job, hold_stop(job, foresee_threshold(job, {WVL_CUDA_RATE_SEARCH_MARGIN + reach, 0}, shared)));
    return repeat_blocks(job, layer, shared);
}

/* A later round chooses. All threads. */
__device__ __forceinline__ void leave(const job_type &job)
{
    clear_bodies(job);
    if (!crew_rank()) {
        *(uint32_t *)job.packets.notes = WVL_CUDA_PACKETS_LEFT;
    }
}

__device__ __forceinline__ void choose(const job_type &job, uint32_t *shared)
{
    layer_state layer = {};
    uint32_t notes = 0;
    if (!is_asked(job) || (job.t1.round && !repeated_of(job))) {
        return;
    }
    open_picture(job);
    if (asks_bodies(job)) {
        sum_bodies(job, shared + WVL_CUDA_RATE_HEAD);
    }
    if (expects_more(job, layer, shared)) {
        leave(job);
        return;
    }
    for (bool is_open = true; is_open;) {
        open_layer(job, layer, shared);
        is_open = !layer.is_last;
        if (is_open || is_limited(job, layer)) {
            notes = choose_thresholds(job, layer, shared);
        } else {
            take_least(job, layer);
        }
        if (finish_cuts(job, layer, shared)) {
            leave(job);
            return; /* the ends of codewords would be written into passes that a later cut may send */
        }
        if (is_open) {
            send_layer(job, layer, shared);
        }
    }
    end_blocks(job, shared);
    if (!crew_rank()) {
        *(uint32_t *)job.packets.notes = notes;
        *(wvl_cuda_packets_outcome *)job.packets.outcome = {layer.threshold, !shared[WVL_CUDA_RATE_VARIABLES]};
    }
}

} // namespace wvl_rate

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RATE_THREADS, 1)
    wvl_rate_choose(const __grid_constant__ wvl_cuda_rate_job job)
{
    WVL_HT_SHARED(shared);
    wvl_rate::choose(job, shared);
}

/* The same by a cluster. Portable code has none: nobody launches it there. */
extern "C" __global__ void WVL_CLUSTER(WVL_CUDA_RATE_BLOCKS) __launch_bounds__(WVL_CUDA_RATE_THREADS, 1)
    wvl_rate_choose_wide(const __grid_constant__ wvl_cuda_rate_job job)
{
#ifdef WVL_HAS_CLUSTERS
    WVL_HT_SHARED(shared);
    wvl_rate::choose(job, shared);
#endif
}
