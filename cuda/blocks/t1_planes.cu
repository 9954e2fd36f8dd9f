/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks: samples to plane words. A thread a word: 32 samples are transposed in registers. */
#include "cuda/blocks/t1_columns.cuh"

namespace wvl_t1
{

/* Magnitudes above the fraction bits, and the sign, of two 16-bit samples. The top bits of the first one's magnitude
 * may be those of the second: there are no planes so high. */
__device__ __forceinline__ uint32_t shift_pair(uint32_t pair, uint32_t frac_bits)
{
    return (pair >> frac_bits & 0x7FFF7FFFu) | (pair & 0x80008000u);
}

/* Words of 8 planes from words of columns. */
__device__ __forceinline__ void put_planes(uint32_t *to, uint32_t (&v)[8], uint32_t first, uint32_t planes,
                                           uint32_t mask)
{
    transpose(v);
#pragma unroll
    for (uint32_t p = 0; p < 8; p++) {
        if (first + p < planes) {
            to[(first + p) * 8] = v[p] & mask;
        }
    }
}

__device__ __forceinline__ void split_narrow(const wvl_cuda_t1_block &b, uint32_t word, uint32_t stripe,
                                             uint32_t planes, uint32_t *to)
{
    uint32_t in[4][4], low[8], high[8], mask = inside(b.width, b.height, word, stripe);
#pragma unroll
    for (uint32_t r = 0; r < 4; r++) {
        load_narrow(b, 8 * word, 4 * stripe + r, in[r]);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            in[r][k] = shift_pair(in[r][k], b.frac_bits);
        }
    }
    join_columns(in, low, high);
    put_planes(to, low, 0, planes, mask);
    put_planes(to, high, 8, min(planes, 15u), mask);
    to[planes * 8] = high[7] & mask;
}

/* Any shape and container: bytes of magnitudes in turn. */
__device__ __forceinline__ void split_wide(const wvl_cuda_t1_block &b, uint32_t word, uint32_t stripe, uint32_t planes,
                                           uint32_t *to)
{
    uint32_t m[32], mask = inside(b.width, b.height, word, stripe), sign = 0;
#pragma unroll
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t v = load_sample(b, 8 * word + i % 8, 4 * stripe + i / 8);
        sign |= (v >> 31) << i;
        m[i] = (v & 0x7FFFFFFFu) >> b.frac_bits;
    }
    for (uint32_t first = 0; first < planes; first += 8) {
        uint32_t v[8];
        join_bytes(m, first, v);
        put_planes(to, v, first, planes, mask);
    }
    to[planes * 8] = sign & mask;
}

/* The word of a thread of `class_words` threads a block, number `at` of them; NULL: nothing to do. */
__device__ __forceinline__ uint32_t *find_words(const wvl_cuda_t1_job &job, uint32_t kind, uint32_t class_words,
                                                uint32_t at, uint32_t *id)
{
    *id = ((const uint32_t *)job.lists)[job.class_first[kind] + at / class_words];
    const wvl_cuda_t1_state &state = state_of(job, *id);
    return state.passes ? units_at(job, state.words) : NULL;
}

/* Blocks whose samples have that many bytes. */
template <uint32_t KIND, uint32_t WIDTH_LOG2, uint32_t COEF_BYTES>
__device__ __forceinline__ void split_block(const wvl_cuda_t1_job &job, uint32_t at)
{
    constexpr uint32_t WORDS = 2u << 2 * WIDTH_LOG2;
    uint32_t id, n = at % WORDS, *words = find_words(job, KIND, WORDS, at, &id);
    if (!words || block_of(job, id).coef_bytes != COEF_BYTES) {
        return;
    }
    const wvl_cuda_t1_block &b = block_of(job, id);
    uint32_t planes = state_of(job, id).planes, word = n & ((1u << WIDTH_LOG2) - 1), stripe = n >> WIDTH_LOG2;
    word_layout layout(WIDTH_LOG2, b.height, planes);
    if (n >= layout.words) {
        return;
    }
    if (COEF_BYTES == 2) {
        split_narrow(b, word, stripe, planes, words + layout.place(n));
    } else {
        split_wide(b, word, stripe, planes, words + layout.place(n));
    }
}

__device__ __forceinline__ void split_any_block(const wvl_cuda_t1_job &job, uint32_t at)
{
    uint32_t id, n = at % WVL_CUDA_T1_MOST_WORDS,
                 *words = find_words(job, WVL_CUDA_T1_ANY, WVL_CUDA_T1_MOST_WORDS, at, &id);
    if (words) {
        const wvl_cuda_t1_block &b = block_of(job, id);
        uint32_t planes = state_of(job, id).planes, log2 = any_width_log2(b.width);
        word_layout layout(log2, b.height, planes);
        if (n < layout.words) {
            split_wide(b, n & ((1u << log2) - 1), n >> log2, planes, words + layout.place(n));
        }
    }
}

/* A thread a word; by turns where grids are smaller. */
template <class F>
__device__ __forceinline__ void visit_words(const wvl_cuda_t1_job &job, uint32_t kind, uint32_t class_words, F visit)
{
    uint32_t count = is_asked(job) ? job.class_count[kind] * class_words : 0;
    for (uint32_t at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        visit(at);
    }
}

template <uint32_t KIND, uint32_t WIDTH_LOG2, uint32_t COEF_BYTES>
__device__ __forceinline__ void split_blocks(const wvl_cuda_t1_job &job)
{
    visit_words(job, KIND, 2u << 2 * WIDTH_LOG2,
                [&](uint32_t at) { split_block<KIND, WIDTH_LOG2, COEF_BYTES>(job, at); });
}

__device__ __forceinline__ void split_any(const wvl_cuda_t1_job &job)
{
    visit_words(job, WVL_CUDA_T1_ANY, WVL_CUDA_T1_MOST_WORDS, [&](uint32_t at) { split_any_block(job, at); });
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_PLANES_THREADS) wvl_t1_planes_64(const wvl_cuda_t1_job job)
{
    wvl_t1::split_blocks<WVL_CUDA_T1_64, 3, 2>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_PLANES_THREADS)
    wvl_t1_planes_64_wide(const wvl_cuda_t1_job job)
{
    wvl_t1::split_blocks<WVL_CUDA_T1_64, 3, 4>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_PLANES_THREADS) wvl_t1_planes_32(const wvl_cuda_t1_job job)
{
    wvl_t1::split_blocks<WVL_CUDA_T1_32, 2, 2>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_PLANES_THREADS)
    wvl_t1_planes_32_wide(const wvl_cuda_t1_job job)
{
    wvl_t1::split_blocks<WVL_CUDA_T1_32, 2, 4>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_PLANES_THREADS) wvl_t1_planes_any(const wvl_cuda_t1_job job)
{
    wvl_t1::split_any(job);
}
