/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last bytes of a budget: single passes beyond the threshold, steepest first, as long as they fit
 * (codec/rate/fill.c). Only the first candidates are ever tried: they are selected by their keys, and sorted.
 *
 * A key: 65535 less the slope << 48 | the rank of the block << 8 | passes. No two are equal.
 */
#pragma once
#include "codec/core/hull.h"
#include "cuda/rate/search.cuh"

namespace wvl_rate
{

/* ---- Candidates ------------------------------------------------------------------------------ */

/* Passes up to the last point of the hull that is not much less steep than the threshold. */
__device__ __forceinline__ uint32_t find_end(const job_type &job, const block_passes &passes, uint32_t cut,
                                             uint32_t threshold)
{
    uint32_t end = min(passes.count, cut + WVL_CUDA_RATE_CANDIDATES), found = cut;
    if (threshold <= job.reach) {
        return end;
    }
    for (uint32_t i = cut; i < end; i++) {
        found = passes.slopes[i] >= threshold - job.reach ? i + 1 : found;
    }
    return found;
}

/* As wvl_hull_is_idle(): no HT block ends with refinement that adds nothing. */
__device__ __forceinline__ bool is_idle(const job_type &job, const block_passes &passes, uint32_t pass)
{
    return job.sets.pitch && pass % WVL_STEP_SET_PASSES && passes.gains[pass] == passes.gains[pass - 1];
}

__device__ __forceinline__ void list_block(const job_type &job, const layer_state &layer, uint32_t rank, uint64_t slack,
                                           uint32_t *count)
{
    const wvl_assembly_place place = ranked(job, rank);
    const block_passes passes = passes_of(job, place.block);
    const wvl_cuda_rate_cut cut = cut_of(job, place.block);
    const wvl_cuda_rate_sent sent = sent_of(job, place.block);
    uint32_t threshold = group_of(job, group_index(job, place.packet)).threshold,
             end = find_end(job, passes, cut.passes, threshold);
    int64_t have = cut.passes ? passes.gains[cut.passes - 1] : 0;
    for (uint32_t next = cut.passes + 1; next <= end; next++) {
        uint32_t bytes = cut_bytes(job, layer, place.block, passes, sent, next),
                 more = bytes > cut.bytes ? bytes - cut.bytes : 0;
        int64_t gain = passes.gains[next - 1] - have;
        if (gain > 0 && more <= slack && !is_idle(job, passes, next - 1)) {
            uint64_t slope = wvl_rate_slope(gain, more, job.t1.gain_exponent);
            ((uint64_t *)job.candidates)[atomicAdd(count, 1u)] = (65535 - slope) << 48 | (uint64_t)rank << 8 | next;
        }
    }
}

/* ---- Selection ------------------------------------------------------------------------------- */

/* The bin of the next byte in which key number `order` lies; *order counts within it from then on. One thread. */
__device__ __forceinline__ uint32_t find_bin(const uint32_t *bins, uint32_t *order)
{
    uint32_t bin = 0;
    while (*order >= bins[bin]) {
        *order -= bins[bin++];
    }
    return bin;
}

/* The largest of the first WVL_CUDA_RATE_TRIES keys, byte by byte from the top. variables: two words. */
__device__ __forceinline__ uint64_t find_last_key(const uint64_t *keys, uint32_t count, uint32_t *bins,
                                                  uint32_t *variables)
{
    uint64_t found = 0;
    uint32_t order = WVL_CUDA_RATE_TRIES - 1;
    for (uint32_t shift = 64; shift;) {
        uint64_t above = shift < 64 ? ~UINT64_C(0) << shift : 0;
        shift -= 8;
        for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
            bins[i] = 0;
        }
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
            if ((keys[i] & above) == found) {
                atomicAdd(&bins[keys[i] >> shift & 255], 1u);
            }
        }
        __syncthreads();
        if (!threadIdx.x) {
            variables[0] = find_bin(bins, &order);
            variables[1] = order;
        }
        __syncthreads();
        found |= (uint64_t)variables[0] << shift;
        order = variables[1];
        __syncthreads();
    }
    return found;
}

/* Ascending; keys[WVL_CUDA_RATE_SORTED]. */
__device__ __forceinline__ void sort_keys(uint64_t *keys)
{
    for (uint32_t size = 2; size <= WVL_CUDA_RATE_SORTED; size *= 2) {
        for (uint32_t step = size / 2; step; step /= 2) {
            for (uint32_t i = threadIdx.x; i < WVL_CUDA_RATE_SORTED; i += blockDim.x) {
                uint32_t other = i ^ step;
                if (other > i && (keys[i] > keys[other]) == !(i & size)) {
                    uint64_t kept = keys[i];
                    keys[i] = keys[other];
                    keys[other] = kept;
                }
            }
            __syncthreads();
        }
    }
}

/* The candidates that are tried, in their order, in shared memory. Returns how many there are. */
__device__ __forceinline__ uint32_t select_candidates(const job_type &job, const layer_state &layer, uint64_t slack,
                                                      uint32_t *shared)
{
    uint32_t *variables = shared + WVL_CUDA_RATE_VARIABLES;
    uint64_t *keys = (uint64_t *)(shared + WVL_CUDA_RATE_KEYS), *all = (uint64_t *)job.candidates;
    for (uint32_t i = threadIdx.x; i < WVL_CUDA_RATE_SORTED; i += blockDim.x) {
        keys[i] = ~UINT64_C(0);
    }
    if (!threadIdx.x) {
        variables[2] = variables[3] = 0;
    }
    __syncthreads();
    for (uint32_t rank = threadIdx.x; rank < job.packets.block_count; rank += blockDim.x) {
        list_block(job, layer, rank, slack, &variables[2]);
    }
    __syncthreads();
    uint32_t count = variables[2];
    uint64_t last = ~UINT64_C(0);
    if (count > WVL_CUDA_RATE_TRIES) {
        last = find_last_key(all, count, shared + WVL_CUDA_RATE_BINS, variables);
    }
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        if (all[i] <= last) {
            keys[atomicAdd(&variables[3], 1u)] = all[i];
        }
    }
    __syncthreads();
    sort_keys(keys);
    return min(count, WVL_CUDA_RATE_TRIES);
}

/* ---- Tries ----------------------------------------------------------------------------------- */

__device__ __forceinline__ void set_cut(const job_type &job, const layer_state &layer, uint32_t block,
                                        const wvl_cuda_rate_cut &cut)
{
    if (!threadIdx.x) {
        cut_of(job, block) = cut;
        send_cut(job, layer, block, passes_of(job, block), sent_of(job, block), cut.passes, cut.bytes);
    }
    __syncthreads();
}

/* Takes the candidate if the codestream and its group still fit; all threads. */
__device__ __forceinline__ bool try_candidate(const job_type &job, uint64_t key, layer_state &layer, uint32_t *shared)
{
    const wvl_assembly_place place = ranked(job, (uint32_t)(key >> 8));
    uint32_t passes = (uint32_t)key & 255;
    const wvl_cuda_rate_cut before = cut_of(job, place.block);
    if (passes <= before.passes) {
        return false;
    }
    const wvl_cuda_packets_length old = length_of(job, layer, place.packet);
    uint32_t bytes = cut_bytes(job, layer, place.block, passes_of(job, place.block), sent_of(job, place.block), passes);
    __syncthreads();
    set_cut(job, layer, place.block, {bytes, 0, 0, passes});
    measure_packet(job, layer, place.packet, shared);
    const wvl_cuda_packets_length now = length_of(job, layer, place.packet);
    layer_cost next = layer.cost;
    next.packet_bytes += packet_bytes(now) - (uint64_t)packet_bytes(old);
    next.plt_bytes += plt_bytes(job, now) - (uint64_t)plt_bytes(job, old);
    uint32_t group = group_index(job, place.packet);
    uint64_t group_bytes =
        group_of(job, group).bytes + packet_bytes(now) + plt_bytes(job, now) - packet_bytes(old) - plt_bytes(job, old);
    bool fits = codestream_bytes(job, layer, next) <= layer.budget && group_fits(job, layer, group, group_bytes);
    __syncthreads();
    if (!threadIdx.x && fits) {
        group_of(job, group).bytes = group_bytes;
    } else if (!threadIdx.x) {
        length_of(job, layer, place.packet) = old;
    }
    if (fits) {
        layer.cost = next;
        return true;
    }
    set_cut(job, layer, place.block, before);
    return false;
}

/* All threads. */
__device__ __forceinline__ void fill_layer(const job_type &job, layer_state &layer, uint32_t *shared)
{
    const uint64_t *keys = (const uint64_t *)(shared + WVL_CUDA_RATE_KEYS);
    uint64_t used = codestream_bytes(job, layer, layer.cost),
             enough = layer.budget / 8192; /* that nobody would notice */
    bool taken = true;
    for (uint32_t round = 0; round < 3 && taken && layer.budget - used > enough; round++) {
        uint32_t count = select_candidates(job, layer, layer.budget - used, shared);
        taken = false;
        for (uint32_t i = 0; i < count && layer.budget - used > enough; i++) {
            taken |= try_candidate(job, keys[i], layer, shared);
            used = codestream_bytes(job, layer, layer.cost);
        }
        __syncthreads();
    }
}

} // namespace wvl_rate
