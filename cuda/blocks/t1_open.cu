/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks: how many planes each has, its place in scratch memory, and the list of pairs of block and plane. */
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

struct block_needs {
    uint32_t planes, passes, words, units; /* words: of plane words of one kind */
};

__device__ __forceinline__ uint32_t units_of_kept(const wvl_cuda_t1_job &job)
{
    return job.foresees ? WVL_CUDA_T1_KEPT_UNITS : 0;
}

__device__ __forceinline__ block_needs measure_block(const wvl_cuda_t1_job &job, const wvl_cuda_t1_block &b,
                                                     uint32_t kind)
{
    uint32_t bound = *(const uint32_t *)b.bound >> b.frac_bits, planes = 32 - (uint32_t)__clz(bound);
    if (!planes || !b.max_passes) {
        return {planes, 0, 0, 0};
    }
    uint32_t log2 = kind == WVL_CUDA_T1_64 ? 3 : 2;
    log2 = kind == WVL_CUDA_T1_ANY ? any_width_log2(b.width) : log2;
    uint32_t words = word_layout(log2, b.height, planes).total, passes = min(3 * planes - 2, (uint32_t)b.max_passes);
    uint32_t values = job.gains ? (WVL_CUDA_T1_VALUE_BYTES * passes + 15) / 16 : 0;
    return {planes, passes, words,
            3 * words / 4 + units_of_ends(planes) + values + WVL_CUDA_T1_CHUNK_UNITS + units_of_kept(job)};
}

/* A place for each lane that asks for units; those that find none are left. */
__device__ __forceinline__ uint32_t take_units(const wvl_cuda_t1_job &job, uint32_t units)
{
    uint32_t end = wvl_ht::scan<32>(units), first = 0;
    if (lane_id() == 31 && end) {
        first = atomicAdd(counter_of(job, WVL_CUDA_T1_SCRATCH_UNITS), end);
    }
    return __shfl_sync(~0u, first, 31) + end - units;
}

__device__ __forceinline__ void list_planes(const wvl_cuda_t1_job &job, uint32_t kind, uint32_t id, uint32_t planes)
{
    uint32_t end = wvl_ht::scan<32>(planes), first = 0;
    if (lane_id() == 31 && end) {
        first = atomicAdd(counter_of(job, WVL_CUDA_T1_ITEMS + kind), end);
    }
    first = __shfl_sync(~0u, first, 31);
    uint32_t *items = (uint32_t *)job.items + job.item_first[kind] + first + end - planes;
    for (uint32_t p = 0; p < planes; p++) {
        items[p] = id << 8 | p;
    }
}

__device__ __forceinline__ void open_block(const wvl_cuda_t1_job &job, uint32_t kind, uint32_t at)
{
    bool is_there = at < job.class_count[kind];
    uint32_t id = is_there ? ((const uint32_t *)job.lists)[job.class_first[kind] + at] : 0;
    const wvl_cuda_t1_block &b = block_of(job, id);
    block_needs needs = is_there ? measure_block(job, b, kind) : block_needs{0, 0, 0, 0};
    bool is_bounded = needs.planes <= b.planes;
    needs.units = is_bounded ? needs.units : 0;
    uint32_t first = take_units(job, needs.units);
    bool fits = is_bounded && (!needs.units || (uint64_t)first + needs.units <= job.scratch_units);
    uint32_t passes = fits && needs.units ? needs.passes : 0;
    list_planes(job, kind, id, passes ? needs.planes : 0);
    if (!is_there) {
        return;
    }
    if (!fits) {
        atomicAdd(counter_of(job, is_bounded ? WVL_CUDA_T1_LEFT_BLOCKS : WVL_CUDA_T1_UNBOUNDED), 1);
    }
    wvl_cuda_t1_state state = {};
    state.words = first + WVL_CUDA_T1_CHUNK_UNITS + units_of_kept(job);
    state.ends = state.words + 3 * needs.words / 4;
    state.list = first;
    state.planes = (uint8_t)needs.planes;
    state.passes = (uint8_t)passes;
    state.flags = fits ? 0 : WVL_CUDA_T1_LEFT;
    state_of(job, id) = state;
}

} // namespace wvl_t1

/* Row of the grid: class. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_OPEN_THREADS) wvl_t1_open(const wvl_cuda_t1_job job)
{
    if (wvl_t1::is_asked(job)) {
        wvl_t1::open_block(job, blockIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
    }
}
