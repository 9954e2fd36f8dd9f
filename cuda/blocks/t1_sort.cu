/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which the MQ coder takes blocks: the longest lists first, by a counting sort in one thread block. The
 * lists of a warp then end at about the same symbol. Blocks of one bin stand in any order: no byte depends on it.
 */
#include "cuda/blocks/mq_kept.cuh"

namespace wvl_mq
{

constexpr uint32_t BIN_SYMBOLS = 16, BINS_EACH = WVL_CUDA_T1_SORT_BINS / WVL_CUDA_T1_SORT_THREADS;
constexpr uint32_t AT_ONCE = 4; /* blocks of a thread whose states are on their way together */

/* The longest list of 4096 samples has about 2^17 symbols; longer ones share the first bin. */
__device__ __forceinline__ uint32_t bin_of(uint32_t symbols)
{
    return WVL_CUDA_T1_SORT_BINS - 1 - min(symbols / BIN_SYMBOLS, WVL_CUDA_T1_SORT_BINS - 1);
}

/* Says whether the block is coded in this round. */
__device__ __forceinline__ bool is_coded(const wvl_cuda_t1_job &job, uint32_t id)
{
    uint32_t flags = state_at(job, id).flags;
    return !(flags & WVL_CUDA_T1_LEFT) && (!job.round || (flags & WVL_CUDA_T1_AGAIN));
}

/* Symbols that a block codes in this round. What goes on has one at least: its record is made. */
__device__ __forceinline__ uint32_t count_symbols(const wvl_cuda_t1_job &job, uint32_t id)
{
    const wvl_cuda_t1_state &s = state_at(job, id);
    return goes_on(job) && s.symbols ? max(s.symbols - kept_of(job, s).symbols, 1u) : s.symbols;
}

/* Some blocks of the list, first, first + 1024 ..., and their symbols: 0 of those that are not there or are not coded.
 */
struct some_blocks {
    uint32_t id[AT_ONCE], symbols[AT_ONCE];
    __device__ __forceinline__ some_blocks(const wvl_cuda_t1_job &job, uint32_t first)
    {
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            uint32_t at = first + k * WVL_CUDA_T1_SORT_THREADS;
            id[k] = at < job.block_count ? listed(job, at) : ~0u;
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            symbols[k] = id[k] != ~0u && is_coded(job, id[k]) ? count_symbols(job, id[k]) : 0;
        }
    }
};

__device__ __forceinline__ void count_blocks(const wvl_cuda_t1_job &job, uint32_t *bins)
{
    for (uint32_t first = threadIdx.x; first < job.block_count; first += AT_ONCE * WVL_CUDA_T1_SORT_THREADS) {
        const some_blocks some(job, first);
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            uint32_t id = some.id[k];
            if (some.symbols[k]) {
                atomicAdd(&bins[bin_of(some.symbols[k])], 1u);
            } else if (id != ~0u && (!job.round || state_at(job, id).flags & WVL_CUDA_T1_LEFT)) {
                store_record(job, id, 0); /* of a block whose list found no room in this round, too */
            }
        }
    }
}

/* Each bin becomes the place of its first block. Returns how many blocks there are. */
__device__ __forceinline__ uint32_t place_bins(uint32_t *bins, uint32_t *sums)
{
    uint32_t *mine = bins + BINS_EACH * threadIdx.x, own = 0, all;
    for (uint32_t k = 0; k < BINS_EACH; k++) {
        own += mine[k];
    }
    uint32_t place = (uint32_t)wvl_ht::scan_threads(own, sums, &all) - own;
    for (uint32_t k = 0; k < BINS_EACH; k++) {
        uint32_t count = mine[k];
        mine[k] = place;
        place += count;
    }
    return all;
}

__device__ __forceinline__ void place_blocks(const wvl_cuda_t1_job &job, uint32_t *bins)
{
    for (uint32_t first = threadIdx.x; first < job.block_count; first += AT_ONCE * WVL_CUDA_T1_SORT_THREADS) {
        const some_blocks some(job, first);
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            if (some.symbols[k]) {
                item<uint32_t>(job.order, atomicAdd(&bins[bin_of(some.symbols[k])], 1u)) = some.id[k];
            }
        }
    }
}

} // namespace wvl_mq

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_SORT_THREADS) wvl_t1_sort(const wvl_cuda_t1_job job)
{
    WVL_HT_SHARED(bins);
    if (threadIdx.x < WVL_CUDA_T1_CLASSES) { /* of the next blocks, that are counted in the same words */
        wvl_mq::item<uint32_t>(job.counters, WVL_CUDA_T1_ITEMS + threadIdx.x) = 0;
    }
    if (!wvl_mq::is_asked(job) || (job.round && !wvl_mq::item<uint32_t>(job.counters, WVL_CUDA_T1_REPEATED))) {
        if (!threadIdx.x) {
            wvl_mq::item<uint32_t>(job.counters, WVL_CUDA_T1_ORDERED) = 0;
        }
        return;
    }
    for (uint32_t i = threadIdx.x; i < WVL_CUDA_T1_SORT_BINS; i += WVL_CUDA_T1_SORT_THREADS) {
        bins[i] = 0;
    }
    __syncthreads();
    wvl_mq::count_blocks(job, bins);
    __syncthreads();
    uint32_t all = wvl_mq::place_bins(bins, bins + WVL_CUDA_T1_SORT_BINS);
    if (!threadIdx.x) {
        wvl_mq::item<uint32_t>(job.counters, WVL_CUDA_T1_ORDERED) = all;
    }
    __syncthreads();
    wvl_mq::place_blocks(job, bins);
}
