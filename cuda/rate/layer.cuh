/* SPDX-License-Identifier: BSD-2-Clause */
/* The layer in work, and what layers before have sent. */
#pragma once
#include "codec/core/bracket.h"
#include "cuda/packets/t1_source.cuh"
#include "cuda/rate/crew.cuh"

namespace wvl_rate
{

typedef wvl_cuda_rate_job job_type;

struct layer_cost {
    uint64_t packet_bytes, plt_bytes;
};

/* All members are the same for all threads. */
struct layer_state {
    uint32_t threshold; /* least of all groups */
    layer_cost cost;
    bool is_filled; /* the last bytes are tried, or going to be */
    bool is_last;
    uint32_t index, least; /* threshold that the layer asks for */
    uint64_t budget;
    layer_cost sent; /* by layers before */
};

/* Says whether rate control of this launch counts. */
__device__ __forceinline__ bool is_asked(const job_type &job) { return !job.asked || *(const uint32_t *)job.asked; }

/* The packet of a precinct in the layer. */
__device__ __forceinline__ uint32_t packet_in(const job_type &job, const layer_state &layer, uint32_t precinct)
{
    return ((const uint32_t *)job.layer_packets)[(uint64_t)layer.index * job.precinct_count + precinct];
}

__device__ __forceinline__ wvl_cuda_rate_sent sent_of(const job_type &job, uint32_t block)
{
    return job.sent ? ((const wvl_cuda_rate_sent *)job.sent)[block] : wvl_cuda_rate_sent{0, 0, 0, 0};
}

__device__ __forceinline__ wvl_cuda_packets_block &record_of(const job_type &job, const layer_state &layer,
                                                             uint32_t block)
{
    return ((wvl_cuda_packets_block *)job.packets.blocks)[(uint64_t)layer.index * job.packets.block_count + block];
}

/* Says whether bytes limit the layer. */
__device__ __forceinline__ bool is_limited(const job_type &job, const layer_state &layer)
{
    return layer.budget != WVL_NO_BUDGET || job.component_cap;
}

} // namespace wvl_rate
