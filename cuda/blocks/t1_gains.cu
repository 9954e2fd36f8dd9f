/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EBCOT blocks: how much squared error each pass removes (codec/core/gain.h), and the energy of the block. A thread a
 * word: it reads its 32 samples again, with all fraction bits, and which of them the propagation pass found.
 *
 * A sum of magnitudes over some of the samples is a sum of bits, each plane counted for itself: the samples are masks.
 */
#include "codec/core/block.h"
#include "codec/core/gain.h"
#include "cuda/blocks/t1_columns.cuh"

namespace wvl_t1
{

/* Over the lanes of a warp. */
__device__ __forceinline__ int32_t sum_lanes(int32_t v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#pragma unroll
    for (uint32_t d = 16; d; d >>= 1) {
        v += (int32_t)__shfl_sync(~0u, (uint32_t)v, lane_id() ^ d);
    }
    return v;
#else
    return __reduce_add_sync(~0u, v);
#endif
}
/* The same for |v| below 2^48. */
__device__ __forceinline__ int64_t sum_wide_lanes(int64_t v)
{
    int32_t low = sum_lanes((int32_t)(v & 0xFFFFFF)), high = sum_lanes((int32_t)(v >> 24));
    return (int64_t)high * (1 << 24) + low;
}

/* What becomes of the samples of a word in a plane, as masks. */
struct plane_masks {
    uint32_t bit, own, fresh, clean; /* own: refined. fresh, clean: new in the propagation and the cleanup pass */
    __device__ __forceinline__ plane_masks(uint32_t plane_bit, uint32_t older, uint32_t propagated)
        : bit(plane_bit), own(older), fresh(propagated), clean(plane_bit & ~older & ~propagated)
    {
    }
    /* Of |m' - 2^P| of refined samples the bits below P: m' as it is, or less 1 and inverted. */
    __device__ __forceinline__ uint32_t refined(uint32_t lower) const { return own & ~(lower ^ bit); }
};

/* Sums over a word of the bits below P. T: uint32_t with P up to 15. */
template <typename T> struct plane_sums {
    T clean, fresh, refined;

    __device__ __forceinline__ void add(const plane_masks &m, uint32_t lower, uint32_t q)
    {
        clean += (T)(uint32_t)__popc(m.clean & lower) << q;
        fresh += (T)(uint32_t)__popc(m.fresh & lower) << q;
        refined += (T)(uint32_t)__popc(m.refined(lower)) << q;
    }
    __device__ __forceinline__ int64_t weigh_new(uint32_t mask, T sum, uint32_t P, bool is_exact) const
    {
        uint32_t count = (uint32_t)__popc(mask);
        return wvl_gain_significant(sum + ((uint64_t)count << P), count, P, is_exact);
    }
    __device__ __forceinline__ int64_t weigh_refined(const plane_masks &m, uint32_t P, bool is_exact) const
    {
        uint64_t inverted = (uint32_t)__popc(m.own & ~m.bit);
        return wvl_gain_refined(refined + inverted, (uint32_t)__popc(m.own), P, is_exact);
    }
};

/* The gains of a block's passes stand in this order from the top plane down. */
enum { GAIN_CLEANUP, GAIN_PROPAGATION, GAIN_REFINEMENT, GAINS };

/* Gains of all passes from the sums of warps. sums: [plane][GAINS][WARPS]. */
template <typename T, uint32_t WARPS>
__device__ __forceinline__ void store_gains(const wvl_cuda_t1_job &job, const wvl_cuda_t1_state &state, const T *sums,
                                            uint32_t n)
{
    int64_t *gains = (int64_t *)units_at(job, state.ends + units_of_ends(state.planes));
    for (uint32_t pass = n; pass < state.passes; pass += 32 * WARPS) {
        const T *own = sums + ((state.planes - 1 - (pass + 2) / 3) * GAINS + pass % 3) * WARPS;
        int64_t gain = 0;
#pragma unroll
        for (uint32_t w = 0; w < WARPS; w++) {
            gain += own[w];
        }
        gains[pass] = gain;
    }
}

/* One thread. low, high: sums of the parts of squares. */
__device__ __forceinline__ void store_record(const wvl_cuda_t1_job &job, uint32_t id, uint64_t low, uint64_t high)
{
    const wvl_cuda_t1_state &state = state_of(job, id);
    wvl_block_output out;
    wvl_block_set_energy(&out, low, high);
    ((wvl_cuda_t1_gains *)job.gains)[id] = {out.energy, state.ends + units_of_ends(state.planes), out.energy_shift, 0,
                                            0};
}

/* The lowest plane that is coded; only with passes. */
__device__ __forceinline__ uint32_t last_plane(const wvl_cuda_t1_state &state)
{
    return state.planes - 1 - (state.passes + 1u) / 3;
}

/* Says whether there is anything to weigh: samples of a block without a bound are not read. */
__device__ __forceinline__ bool is_weighed(const wvl_cuda_t1_job &job, uint32_t id, uint32_t n)
{
    if (state_of(job, id).flags & WVL_CUDA_T1_LEFT) {
        return false;
    }
    bool is_any = *(const uint32_t *)block_of(job, id).bound != 0;
    if (!is_any && !n) {
        store_record(job, id, 0, 0);
    }
    return is_any;
}

/* Returns where a thread finds which samples of its word are fresh in plane 0; NULL: there is no such word. */
__device__ __forceinline__ const uint32_t *find_fresh(const wvl_cuda_t1_job &job, const wvl_cuda_t1_state &state,
                                                      const word_layout &layout, uint32_t n)
{
    bool is_there = state.passes && n < layout.words;
    return is_there ? units_at(job, state.words) + layout.total + layout.place(n) : NULL;
}

/* ---- 16-bit samples, blocks up to 64x64 and 32x32 ----------------------------------------------- */

/* All bits of the magnitudes of 32 samples, 0 outside of the block. squares: of low bytes, of low by high, of high. */
struct narrow_bits {
    uint32_t bit[16], squares[3];

    __device__ __forceinline__ void load(const wvl_cuda_t1_block &b, uint32_t word, uint32_t stripe)
    {
        uint32_t in[4][4], low[8], high[8], columns = b.width > 8 * word ? b.width - 8 * word : 0;
#pragma unroll
        for (uint32_t r = 0; r < 4; r++) {
            load_narrow(b, 8 * word, 4 * stripe + r, in[r]);
        }
        join_columns(in, low, high);
        squares[0] = squares[1] = squares[2] = 0;
#pragma unroll
        for (uint32_t c = 0; c < 8; c++) {
            low[c] = c < columns ? low[c] : 0;
            high[c] = c < columns ? high[c] & 0x7F7F7F7F : 0;
            squares[0] = __dp4a(low[c], low[c], squares[0]);
            squares[1] = __dp4a(low[c], high[c], squares[1]);
            squares[2] = __dp4a(high[c], high[c], squares[2]);
        }
        transpose(low);
        transpose(high);
#pragma unroll
        for (uint32_t q = 0; q < 8; q++) {
            bit[q] = low[q];
            bit[q + 8] = high[q];
        }
    }
};

/* One plane of a word. A gain is below 15 * 2^14 a sample, and a block has 4096. */
template <uint32_t WARPS>
__device__ __forceinline__ void sum_plane(const narrow_bits &v, uint32_t P, const plane_masks &m, bool is_exact,
                                          uint32_t *to)
{
    plane_sums<uint32_t> sums = {0, 0, 0};
#pragma unroll
    for (uint32_t q = 0; q < 14; q++) {
        if (q < P) {
            sums.add(m, v.bit[q], q);
        }
    }
    int32_t clean = sum_lanes((int32_t)sums.weigh_new(m.clean, sums.clean, P, is_exact)),
            fresh = sum_lanes((int32_t)sums.weigh_new(m.fresh, sums.fresh, P, is_exact)),
            refined = sum_lanes((int32_t)sums.weigh_refined(m, P, is_exact));
    if (!lane_id()) {
        to[GAIN_CLEANUP * WARPS] = (uint32_t)clean;
        to[GAIN_PROPAGATION * WARPS] = (uint32_t)fresh;
        to[GAIN_REFINEMENT * WARPS] = (uint32_t)refined;
    }
}

/* All planes of a word; P counts from the lowest fraction bit. */
template <uint32_t WARPS>
__device__ __forceinline__ void sum_planes(const wvl_cuda_t1_block &b, const wvl_cuda_t1_state &state,
                                           const narrow_bits &v, const uint32_t *fresh_words, uint32_t *sums)
{
    uint32_t F = b.frac_bits, end = F + state.planes, least = F + last_plane(state), own = 0;
    uint32_t next = fresh_words ? fresh_words[(state.planes - 1u) * 8] : 0;
#pragma unroll
    for (uint32_t k = 0; k < 15; k++) {
        const uint32_t P = 14 - k;
        if (P < end && P >= least) {
            plane_masks m(v.bit[P], own, next);
            if (fresh_words && P > least) {
                next = fresh_words[(P - 1 - F) * 8];
            }
            sum_plane<WARPS>(v, P, m, b.reversible && !P, sums + (P - F) * GAINS * WARPS);
            own |= m.bit;
        }
    }
}

/* One thread: the energy from the sums of warps. */
template <uint32_t WARPS>
__device__ __forceinline__ void store_energy(const wvl_cuda_t1_job &job, uint32_t id, const uint32_t *squares)
{
    uint64_t sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 3 * WARPS; i++) {
        sum[i / WARPS] += squares[i];
    }
    store_record(job, id, sum[0] + (sum[1] << 9) + (sum[2] << 16), 0);
}

/* A block of class KIND; n: the word of this thread. shared: what the warps of the block have. */
template <uint32_t WIDTH_LOG2, uint32_t WARPS>
__device__ __forceinline__ void weigh_block(const wvl_cuda_t1_job &job, uint32_t id, uint32_t n, uint32_t *shared)
{
    const wvl_cuda_t1_block &b = block_of(job, id);
    const wvl_cuda_t1_state &state = state_of(job, id);
    uint32_t *squares = shared + 15 * GAINS * WARPS;
    if (!is_weighed(job, id, n)) {
        return;
    }
    word_layout layout(WIDTH_LOG2, b.height, state.planes);
    narrow_bits v;
    v.load(b, n & ((1u << WIDTH_LOG2) - 1), n >> WIDTH_LOG2);
    if (state.passes) {
        sum_planes<WARPS>(b, state, v, find_fresh(job, state, layout, n), shared + n / 32);
    }
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
        int32_t sum = sum_lanes((int32_t)v.squares[i]);
        if (!lane_id()) {
            squares[i * WARPS + n / 32] = (uint32_t)sum;
        }
    }
    meet<WARPS>();
    store_gains<int32_t, WARPS>(job, state, (const int32_t *)shared, n);
    if (!n) {
        store_energy<WARPS>(job, id, squares);
    }
}

/* Blocks of a class by their place in its list, EACH a thread block, a part of a thread block each; by turns where
 * grids are smaller. All threads of a part. */
template <uint32_t EACH, class F>
__device__ __forceinline__ void visit_blocks(const wvl_cuda_t1_job &job, uint32_t kind, uint32_t part, F visit)
{
    uint32_t count = is_asked(job) ? job.class_count[kind] : 0;
    for (uint32_t first = blockIdx.x * EACH; first < count; first += gridDim.x * EACH) {
        if (first + part < count) {
            visit(((const uint32_t *)job.lists)[job.class_first[kind] + first + part]);
        }
        __syncthreads(); /* shared memory is free */
    }
}

template <uint32_t KIND, uint32_t WIDTH_LOG2> __device__ __forceinline__ void weigh_blocks(const wvl_cuda_t1_job &job)
{
    WVL_HT_SHARED(shared);
    constexpr uint32_t WORDS = 2u << 2 * WIDTH_LOG2, WARPS = WORDS / 32;
    uint32_t part = threadIdx.x / WORDS, *own = shared + part * WARPS * WVL_CUDA_T1_GAINS_WARP_WORDS;
    visit_blocks<WVL_CUDA_T1_GAINS_THREADS / WORDS>(job, KIND, part, [&](uint32_t id) {
        if (block_of(job, id).coef_bytes == 2) {
            weigh_block<WIDTH_LOG2, WARPS>(job, id, threadIdx.x % WORDS, own);
        }
    });
}

/* ---- 32-bit samples, and blocks of any shape
 * ------------------------------------------------------------------------------- */

/* Bits 0 to end - 1 of the magnitudes of 32 samples to shared memory, WORDS apart; sums of the low
 * and the high halves of their squares. */
template <uint32_t WORDS>
__device__ __forceinline__ void stage_bits(const wvl_cuda_t1_block &b, uint32_t word, uint32_t stripe, uint32_t end,
                                           uint32_t *bits, uint64_t *low, uint64_t *high)
{
    uint32_t m[32];
#pragma unroll
    for (uint32_t i = 0; i < 32; i++) {
        m[i] = load_sample(b, 8 * word + i % 8, 4 * stripe + i / 8) & 0x7FFFFFFFu;
        uint64_t square = (uint64_t)m[i] * m[i];
        *low += (uint32_t)square;
        *high += square >> 32;
    }
    for (uint32_t first = 0; first < end; first += 8) {
        uint32_t v[8];
        join_bytes(m, first, v);
        transpose(v);
#pragma unroll
        for (uint32_t k = 0; k < 8; k++) {
            if (first + k < end) {
                bits[(first + k) * WORDS] = v[k];
            }
        }
    }
}

/* All planes of a word whose bits are staged. */
template <uint32_t WORDS, uint32_t WARPS>
__device__ __forceinline__ void sum_any_planes(const wvl_cuda_t1_block &b, const wvl_cuda_t1_state &state,
                                               const uint32_t *bits, const uint32_t *fresh_words, int64_t *to)
{
    uint32_t own = 0;
    for (uint32_t plane = state.planes, least = last_plane(state); plane-- > least;) {
        uint32_t P = plane + b.frac_bits;
        plane_masks m(bits[P * WORDS], own, fresh_words ? fresh_words[plane * 8] : 0);
        plane_sums<uint64_t> sums = {0, 0, 0};
        bool is_exact = b.reversible && !P;
        for (uint32_t q = 0; q < P; q++) {
            sums.add(m, bits[q * WORDS], q);
        }
        int64_t clean = sum_wide_lanes(sums.weigh_new(m.clean, sums.clean, P, is_exact)),
                fresh = sum_wide_lanes(sums.weigh_new(m.fresh, sums.fresh, P, is_exact)),
                refined = sum_wide_lanes(sums.weigh_refined(m, P, is_exact));
        if (!lane_id()) {
            int64_t *own_sums = to + plane * GAINS * WARPS;
            own_sums[GAIN_CLEANUP * WARPS] = clean;
            own_sums[GAIN_PROPAGATION * WARPS] = fresh;
            own_sums[GAIN_REFINEMENT * WARPS] = refined;
        }
        own |= m.bit;
    }
}

/* n: the word of this thread of WORDS. shared: what the threads of the block have. */
template <uint32_t WORDS, uint32_t WARPS>
__device__ __forceinline__ void weigh_wide_block(const wvl_cuda_t1_job &job, uint32_t id, uint32_t width_log2,
                                                 uint32_t n, uint32_t *shared)
{
    const wvl_cuda_t1_block &b = block_of(job, id);
    const wvl_cuda_t1_state &state = state_of(job, id);
    uint32_t *bits = shared + n;
    int64_t *sums = (int64_t *)(shared + 31 * WORDS), *squares = sums + 31 * GAINS * WARPS;
    if (!is_weighed(job, id, n)) {
        return;
    }
    word_layout layout(width_log2, b.height, state.planes);
    uint64_t low = 0, high = 0;
    stage_bits<WORDS>(b, n & ((1u << width_log2) - 1), n >> width_log2, b.frac_bits + state.planes, bits, &low, &high);
    if (state.passes) {
        sum_any_planes<WORDS, WARPS>(b, state, bits, find_fresh(job, state, layout, n), sums + n / 32);
    }
    int64_t all_low = sum_wide_lanes((int64_t)low), all_high = sum_wide_lanes((int64_t)high);
    if (!lane_id()) {
        squares[n / 32] = all_low;
        squares[WARPS + n / 32] = all_high;
    }
    meet<WARPS>();
    store_gains<int64_t, WARPS>(job, state, sums, n);
    if (!n) {
        low = high = 0;
        for (uint32_t w = 0; w < WARPS; w++) {
            low += (uint64_t)squares[w];
            high += (uint64_t)squares[WARPS + w];
        }
        store_record(job, id, low, high);
    }
}

/* Blocks of a class whose samples have 32 bits. */
template <uint32_t KIND, uint32_t WIDTH_LOG2>
__device__ __forceinline__ void weigh_wide_blocks(const wvl_cuda_t1_job &job)
{
    WVL_HT_SHARED(shared);
    constexpr uint32_t WORDS = 2u << 2 * WIDTH_LOG2, WARPS = WORDS / 32;
    uint32_t part = threadIdx.x / WORDS, *own = shared + part * (31 * WORDS + WARPS * WVL_CUDA_T1_GAINS_ANY_WARP_WORDS);
    visit_blocks<WVL_CUDA_T1_GAINS_THREADS / WORDS>(job, KIND, part, [&](uint32_t id) {
        if (block_of(job, id).coef_bytes != 2) {
            weigh_wide_block<WORDS, WARPS>(job, id, WIDTH_LOG2, threadIdx.x % WORDS, own);
        }
    });
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_GAINS_THREADS, 8) wvl_t1_gains_64(const wvl_cuda_t1_job job)
{
    wvl_t1::weigh_blocks<WVL_CUDA_T1_64, 3>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_GAINS_THREADS, 8) wvl_t1_gains_32(const wvl_cuda_t1_job job)
{
    wvl_t1::weigh_blocks<WVL_CUDA_T1_32, 2>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_GAINS_THREADS) wvl_t1_gains_64_wide(const wvl_cuda_t1_job job)
{
    wvl_t1::weigh_wide_blocks<WVL_CUDA_T1_64, 3>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_GAINS_THREADS) wvl_t1_gains_32_wide(const wvl_cuda_t1_job job)
{
    wvl_t1::weigh_wide_blocks<WVL_CUDA_T1_32, 2>(job);
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_MOST_WORDS) wvl_t1_gains_any(const wvl_cuda_t1_job job)
{
    WVL_HT_SHARED(shared);
    wvl_t1::visit_blocks<1>(job, WVL_CUDA_T1_ANY, 0, [&](uint32_t id) {
        wvl_t1::weigh_wide_block<WVL_CUDA_T1_MOST_WORDS, WVL_CUDA_T1_MOST_WORDS / 32>(
            job, id, wvl_t1::any_width_log2(wvl_t1::block_of(job, id).width), threadIdx.x, shared);
    });
}
