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

/* Says what wvl_hull_is_idle() says: no HT block ends with refinement that adds nothing. */
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

/* The candidates that are tried, in their order, in the shared memory of each thread block. Returns how many there are.
 */
__device__ __forceinline__ uint32_t select_candidates(const job_type &job, const layer_state &layer, uint64_t slack,
                                                      uint32_t *shared)
{
    uint32_t *variables = shared + WVL_CUDA_RATE_VARIABLES, *listed = shared_by_crew(variables + 2);
    uint64_t *keys = (uint64_t *)(shared + WVL_CUDA_RATE_KEYS), *all = (uint64_t *)job.candidates;
    for (uint32_t i = threadIdx.x; i < WVL_CUDA_RATE_SORTED; i += blockDim.x) {
        keys[i] = ~UINT64_C(0);
    }
    if (!threadIdx.x) {
        variables[2] = variables[3] = 0;
    }
    meet_crew();
    for (uint32_t rank = crew_rank(); rank < job.packets.block_count; rank += crew_size()) {
        list_block(job, layer, rank, slack, listed);
    }
    meet_crew();
    uint32_t count = *listed;
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

/*
 * Candidates are tried in their order, and what a try costs follows from its packet alone. So candidates of different
 * packets are tried side by side, a warp each; then they are taken or not, one after the other. Most are not taken.
 * Packets that a warp does not measure are tried alone, by all threads.
 */

/* The most warps, and words of shared memory that they leave what they find in: those of the bins. */
#define WVL_RATE_MOST_WARPS (WVL_CUDA_RATE_THREADS / 32u)

/* What packet and PLT bytes of the codestream become more, modulo 2^64. */
struct found_more {
    uint64_t packet_bytes, plt_bytes;
    uint32_t group, is_tried; /* 0: the block sends these passes already */
};
static_assert(WVL_RATE_MOST_WARPS * sizeof(found_more) <= 4 * 256, "they lie where bins were");

/* A candidate as its threads see it. */
struct candidate {
    wvl_assembly_place place;
    uint32_t passes;
    wvl_cuda_rate_cut before;
    wvl_cuda_packets_length old;
    __device__ __forceinline__ candidate(const job_type &job, const layer_state &layer, uint64_t key)
        : place(ranked(job, (uint32_t)(key >> 8))), passes((uint32_t)key & 255), before(cut_of(job, place.block)),
          old(length_of(job, layer, place.packet))
    {
    }
    __device__ __forceinline__ bool adds() const { return passes > before.passes; }
};

/* One thread. */
__device__ __forceinline__ void set_cut(const job_type &job, const layer_state &layer, uint32_t block,
                                        const wvl_cuda_rate_cut &cut)
{
    cut_of(job, block) = cut;
    send_cut(job, layer, block, passes_of(job, block), sent_of(job, block), cut.passes, cut.bytes);
}
__device__ __forceinline__ void cut_deeper(const job_type &job, const layer_state &layer, const candidate &c)
{
    uint32_t block = c.place.block,
             bytes = cut_bytes(job, layer, block, passes_of(job, block), sent_of(job, block), c.passes);
    set_cut(job, layer, block, {bytes, 0, 0, c.passes});
}
__device__ __forceinline__ void take_back(const job_type &job, const layer_state &layer, const candidate &c)
{
    length_of(job, layer, c.place.packet) = c.old;
    set_cut(job, layer, c.place.block, c.before);
}

/* Behind its measurement. */
__device__ __forceinline__ found_more find_more(const job_type &job, const layer_state &layer, const candidate &c)
{
    const wvl_cuda_packets_length now = length_of(job, layer, c.place.packet);
    return {packet_bytes(now) - (uint64_t)packet_bytes(c.old), plt_bytes(job, now) - (uint64_t)plt_bytes(job, c.old),
            group_index(job, c.place.packet), c.adds()};
}

__device__ __forceinline__ layer_cost add_cost(const layer_cost &cost, const found_more &more)
{
    return {cost.packet_bytes + more.packet_bytes, cost.plt_bytes + more.plt_bytes};
}
__device__ __forceinline__ uint64_t &bytes_of_group(const job_type &job, const found_more &more)
{
    return group_of(job, more.group).bytes;
}

/* Says whether the codestream and the group still fit. */
__device__ __forceinline__ bool fits(const job_type &job, const layer_state &layer, const found_more &more)
{
    return codestream_bytes(job, layer, add_cost(layer.cost, more)) <= layer.budget &&
           group_fits(job, layer, more.group, bytes_of_group(job, more) + more.packet_bytes + more.plt_bytes);
}

/* How many candidates from the first on are tried side by side; 0: the first one is tried alone. All warps find the
 * same. */
__device__ __forceinline__ uint32_t count_beside(const job_type &job, const layer_state &layer, const uint64_t *keys,
                                                 uint32_t count)
{
    uint32_t lane = wvl_ht::lane_id(), most = min(min(blockDim.x / 32, WVL_RATE_MOST_WARPS), count),
             packet = packet_in(job, layer, ranked(job, (uint32_t)(keys[min(lane, most - 1)] >> 8)).packet);
    bool ends = lane >= most || !is_for_warp(job, packet);
    for (uint32_t k = 0; k < most; k++) {
        uint32_t other = __shfl_sync(~0u, packet, k);
        ends |= k < lane && other == packet;
    }
    return (uint32_t)__ffs((int)__ballot_sync(~0u, ends)) - 1;
}

/* Takes what fits, in order. Returns a bit for each that is taken. All threads of the first thread block, which alone
 * tries; they have the same results. */
__device__ __forceinline__ uint32_t take_fitting(const job_type &job, layer_state &layer, const found_more *found,
                                                 uint32_t count, uint64_t enough)
{
    uint32_t lane = wvl_ht::lane_id(), taken = 0, open = (1u << count) - 1;
    while (open && layer.budget - codestream_bytes(job, layer, layer.cost) > enough) {
        bool own = open >> lane & 1 && found[lane].is_tried && fits(job, layer, found[lane]);
        uint32_t fitting = __ballot_sync(~0u, own), first = (uint32_t)__ffs((int)fitting) - 1;
        if (!fitting) {
            break;
        }
        taken |= 1u << first;
        open &= ~1u << first; /* those before it do not fit */
        layer.cost = add_cost(layer.cost, found[first]);
        __syncthreads();
        if (!threadIdx.x) {
            bytes_of_group(job, found[first]) += found[first].packet_bytes + found[first].plt_bytes;
        }
        __syncthreads();
    }
    return taken;
}

/* Candidates of different packets. Returns whether any is taken. */
__device__ __forceinline__ bool try_beside(const job_type &job, const uint64_t *keys, uint32_t count, uint64_t enough,
                                           layer_state &layer, uint32_t *shared)
{
    found_more *found = (found_more *)(shared + WVL_CUDA_RATE_BINS);
    uint32_t warp = threadIdx.x / 32;
    const candidate own(job, layer, keys[min(warp, count - 1)]);
    bool is_tried = warp < count && own.adds();
    __syncwarp();
    if (is_tried && !wvl_ht::lane_id()) {
        cut_deeper(job, layer, own);
    }
    __syncwarp();
    if (is_tried) {
        measure_by_warp(job, packet_in(job, layer, own.place.packet), shared);
    }
    if (warp < count && !wvl_ht::lane_id()) {
        found[warp] = find_more(job, layer, own);
    }
    __syncthreads();
    uint32_t taken = take_fitting(job, layer, found, count, enough);
    if (is_tried && !(taken >> warp & 1) && !wvl_ht::lane_id()) {
        take_back(job, layer, own);
    }
    __syncthreads();
    return taken != 0;
}

/* A candidate of a packet that all threads measure. Returns whether it is taken. */
__device__ __forceinline__ bool try_alone(const job_type &job, uint64_t key, layer_state &layer, uint32_t *shared)
{
    const candidate own(job, layer, key);
    if (!own.adds()) {
        return false;
    }
    __syncthreads();
    if (!threadIdx.x) {
        cut_deeper(job, layer, own);
    }
    __syncthreads();
    measure_wide(job, packet_in(job, layer, own.place.packet), shared);
    const found_more more = find_more(job, layer, own);
    bool is_taken = fits(job, layer, more);
    __syncthreads();
    layer.cost = is_taken ? add_cost(layer.cost, more) : layer.cost;
    if (!threadIdx.x && is_taken) {
        bytes_of_group(job, more) += more.packet_bytes + more.plt_bytes;
    } else if (!threadIdx.x) {
        take_back(job, layer, own);
    }
    __syncthreads();
    return is_taken;
}

/* Returns whether any candidate is taken. */
__device__ __forceinline__ bool try_all(const job_type &job, uint32_t count, uint64_t enough, layer_state &layer,
                                        uint32_t *shared)
{
    const uint64_t *keys = (const uint64_t *)(shared + WVL_CUDA_RATE_KEYS);
    bool taken = false;
    for (uint32_t i = 0; i < count && layer.budget - codestream_bytes(job, layer, layer.cost) > enough;) {
        uint32_t beside = count_beside(job, layer, keys + i, count - i);
        taken |=
            beside ? try_beside(job, keys + i, beside, enough, layer, shared) : try_alone(job, keys[i], layer, shared);
        i += max(beside, 1u);
    }
    return taken;
}

/* What the first thread block has found goes to the others. Returns whether any candidate is taken. */
__device__ __forceinline__ bool share_tries(bool taken, layer_state &layer, uint32_t *shared)
{
    const uint64_t *found = (const uint64_t *)shared_by_crew(shared + WVL_CUDA_RATE_TRIED);
    if (!crew_rank()) {
        uint64_t *own = (uint64_t *)(shared + WVL_CUDA_RATE_TRIED);
        own[0] = layer.cost.packet_bytes;
        own[1] = layer.cost.plt_bytes;
        own[2] = taken;
    }
    meet_crew();
    layer.cost = {found[0], found[1]};
    taken = found[2] != 0;
    meet_crew();
    return taken;
}

/* All threads of the crew. */
__device__ __forceinline__ void fill_layer(const job_type &job, layer_state &layer, uint32_t *shared)
{
    uint64_t used = codestream_bytes(job, layer, layer.cost),
             enough = layer.budget / 8192; /* that nobody would notice */
    bool taken = true;
    for (uint32_t round = 0; round < 3 && taken && layer.budget - used > enough; round++) {
        uint32_t count = select_candidates(job, layer, layer.budget - used, shared);
        taken = !blockIdx.x && try_all(job, count, enough, layer, shared);
        taken = share_tries(taken, layer, shared);
        used = codestream_bytes(job, layer, layer.cost);
    }
}

} // namespace wvl_rate
