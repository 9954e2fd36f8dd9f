/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that choose for a picture: those of a thread block, or of a cluster of thread blocks, which then is the
 * grid. Without nvcc what names clusters comes from the emulation. */
#pragma once
#include "cuda/packets/source.cuh"
#include "cuda/rate/rate_job.h"

#ifdef __CUDACC__
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define WVL_HAS_CLUSTERS
#define WVL_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#else
#define WVL_CLUSTER(blocks)
#endif
#endif

namespace wvl_rate
{

#ifdef __CUDACC__
__device__ __forceinline__ void meet_cluster()
{
#ifdef WVL_HAS_CLUSTERS
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
#endif
}

/* The same place in the shared memory of the first thread block of the cluster. */
__device__ __forceinline__ uint32_t *map_to_first(uint32_t *own)
{
#ifdef WVL_HAS_CLUSTERS
    uint64_t at;
    asm("mapa.u64 %0, %1, 0;" : "=l"(at) : "l"(own));
    return (uint32_t *)at;
#else
    return own;
#endif
}
#endif

__device__ __forceinline__ uint32_t crew_rank() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ uint32_t crew_size() { return gridDim.x * blockDim.x; }

__device__ __forceinline__ void meet_crew()
{
    if (gridDim.x > 1) {
        meet_cluster();
    } else {
        __syncthreads();
    }
}

/* Words that the whole crew shares: those of the first thread block. It must not end before the others have read them.
 */
__device__ __forceinline__ uint32_t *shared_by_crew(uint32_t *own) { return gridDim.x > 1 ? map_to_first(own) : own; }

/* Sum over the crew up to this thread; *all: over all. sums: two words a warp, and behind WVL_CUDA_RATE_CREW_SUMS two a
 * thread block. */
__device__ __forceinline__ uint64_t scan_crew(uint64_t own, uint32_t *sums, uint64_t *all)
{
    uint64_t of_block, upto = wvl_packets::scan_block(own, sums, &of_block), total = 0;
    if (gridDim.x == 1) {
        *all = of_block;
        return upto;
    }
    uint64_t *totals = (uint64_t *)shared_by_crew(sums + WVL_CUDA_RATE_CREW_SUMS);
    if (!threadIdx.x) {
        totals[blockIdx.x] = of_block;
    }
    meet_crew();
    for (uint32_t b = 0; b < gridDim.x; b++) {
        uint64_t other = totals[b];
        upto += b < blockIdx.x ? other : 0;
        total += other;
    }
    meet_crew();
    *all = total;
    return upto;
}

/* How many threads of the crew say so. count: a word. */
__device__ __forceinline__ uint32_t count_crew(bool own, uint32_t *count)
{
    uint32_t *shared = shared_by_crew(count), in_warp = (uint32_t)__popc(__ballot_sync(~0u, own));
    if (!crew_rank()) {
        *shared = 0;
    }
    meet_crew();
    if (!wvl_ht::lane_id() && in_warp) {
        atomicAdd(shared, in_warp);
    }
    meet_crew();
    uint32_t all = *shared;
    meet_crew();
    return all;
}

} // namespace wvl_rate
