/* SPDX-License-Identifier: BSD-2-Clause */
/* What cuts cost, headers counted to the byte: packets of few blocks by warps, others by thread blocks. All threads
 * have the same results. */
#pragma once
#include "cuda/packets/heads.cuh"
#include "cuda/rate/cut.cuh"

namespace wvl_rate
{

__device__ __forceinline__ uint32_t packet_bytes(const wvl_cuda_packets_length &length)
{
    return length.head_bytes + length.body_bytes;
}
__device__ __forceinline__ uint32_t plt_bytes(const job_type &job, const wvl_cuda_packets_length &length)
{
    return job.packets.has_plt ? wvl_packets::count_plt(packet_bytes(length)) : 0;
}

__device__ __forceinline__ bool is_for_warp(const job_type &job, uint32_t packet)
{
    return wvl_packets::packet_of(job.packets, packet).node_count <= WVL_CUDA_RATE_WARP_NODES;
}

/* Functions, not inlined: the code of headers at each place that measures would exceed the instruction caches
 * (D-device-31). */

/* A packet with few blocks, by a warp. */
__device__ __noinline__ void measure_by_warp(const job_type &job, uint32_t packet, uint32_t *shared)
{
    uint32_t *own = shared + WVL_CUDA_RATE_HEAD + threadIdx.x / 32 * WVL_CUDA_RATE_WARP_WORDS;
    wvl_packets::code_head<wvl_packets::warp_team>(job.packets, packet, 0, own);
    __syncwarp();
}

/* A packet with many blocks. All threads of the thread block. */
__device__ __noinline__ void measure_wide(const job_type &job, uint32_t packet, uint32_t *shared)
{
    wvl_packets::code_head<wvl_packets::block_team>(job.packets, packet, 0, shared + WVL_CUDA_RATE_HEAD);
    __syncthreads();
}

/* Packets whose blocks send something else than measured: those that a thread block measures stand at the beginning of
 * job.changed, those that a warp measures at its end. */
struct changed_packets {
    uint32_t wide, small;
};

/* Those of the layer, in any order. */
__device__ __forceinline__ changed_packets list_changed(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    uint32_t *counts = shared_by_crew(shared + WVL_CUDA_RATE_VARIABLES), *changed = (uint32_t *)job.changed;
    if (!crew_rank()) {
        counts[0] = counts[1] = 0;
    }
    meet_crew();
    for (uint32_t p = crew_rank(); p < job.precinct_count; p += crew_size()) {
        if (!length_of(job, layer, p).head_bytes) {
            uint32_t packet = packet_in(job, layer, p), is_small = is_for_warp(job, packet),
                     at = atomicAdd(&counts[is_small], 1u);
            changed[is_small ? job.precinct_count - 1 - at : at] = packet;
        }
    }
    meet_crew();
    changed_packets all = {counts[0], counts[1]};
    meet_crew();
    return all;
}

/* Bytes of the layer's packets, and of those of each group where it is capped. */
__device__ __forceinline__ layer_cost sum_packets(const job_type &job, const layer_state &layer, uint32_t *sums)
{
    uint64_t packets = 0, plt = 0;
    layer_cost cost;
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        group_of(job, g).bytes = 0;
    }
    meet_crew();
    for (uint32_t p = crew_rank(); p < job.precinct_count; p += crew_size()) {
        const wvl_cuda_packets_length length = length_of(job, layer, p);
        uint32_t bytes = packet_bytes(length), codes = plt_bytes(job, length);
        packets += bytes;
        plt += codes;
        if (job.component_cap) {
            atomicAdd((unsigned long long *)&group_of(job, group_index(job, p)).bytes,
                      (unsigned long long)bytes + codes);
        }
    }
    (void)scan_crew(packets, sums, &cost.packet_bytes);
    (void)scan_crew(plt, sums, &cost.plt_bytes);
    return cost;
}

/* With the cuts as they stand. Warps begin with those of the last thread block: the first ones have wide packets. */
__device__ __forceinline__ layer_cost measure_packets(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    const changed_packets count = list_changed(job, layer, shared);
    const uint32_t *changed = (const uint32_t *)job.changed, *last = changed + job.precinct_count - 1;
    uint32_t warps = crew_size() / 32;
    for (uint32_t i = warps - 1 - crew_rank() / 32; i < count.small; i += warps) {
        measure_by_warp(job, *(last - i), shared);
    }
    __syncthreads();
    for (uint32_t i = blockIdx.x; i < count.wide; i += gridDim.x) {
        measure_wide(job, changed[i], shared);
    }
    meet_crew();
    return sum_packets(job, layer, shared + WVL_CUDA_RATE_HEAD + WVL_CUDA_PACKETS_HEAD_SUMS);
}

/* Bounds as wvl_rate_codestream_bytes() does. */
__device__ __forceinline__ uint64_t codestream_bytes(const job_type &job, const layer_state &layer,
                                                     const layer_cost &cost)
{
    uint64_t plt = layer.sent.plt_bytes + cost.plt_bytes,
             segments = job.packets.has_plt ? job.packets.part_count + plt / 65527 : 0;
    return job.overhead_bytes + layer.sent.packet_bytes + cost.packet_bytes + plt + 5 * segments;
}

/* Returns what counts for a group beside its packets in the layer: part headers, layers before, and those to come,
 * empty. */
__device__ __forceinline__ uint64_t bytes_beside(const job_type &job, const layer_state &layer, uint32_t group)
{
    const uint64_t *overhead = (const uint64_t *)job.group_overhead + group;
    uint32_t to_come = job.packets.layer_count - 1 - layer.index;
    return overhead[0] + to_come * overhead[job.group_count] + ((const wvl_cuda_rate_group *)job.groups)[group].sent;
}

/* Says whether a group keeps its cap with these bytes of packets and PLT lengths (wvl_rate_component_fits). */
__device__ __forceinline__ bool group_fits(const job_type &job, const layer_state &layer, uint32_t group,
                                           uint64_t bytes)
{
    return !job.component_cap || bytes + bytes_beside(job, layer, group) <= job.component_cap;
}

} // namespace wvl_rate
