/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT cleanup pass of blocks up to 64x64 (Q = 32: a warp a block) and 32x32 (Q = 16: a warp for two): a lane is a ROW
 * of quads. Samples have 16 bits, or 32 of which at most 15 bits of a magnitude are coded: these are made 16 on their
 * way to shared memory.
 *
 * What a quad says depends on its neighbours by their samples alone, so rows are independent once the samples are
 * there; and a lane that walks along its row appends bits to its own registers: no scans, no atomics, one shuffle for
 * two samples of the row above. MagSgn replaces the samples in shared memory: a quad never takes more bits than its
 * samples had.
 *
 * Persistent warps that take blocks from a list. cuda/blocks/README.md has threads, shared memory and bytes moved.
 */
#include "cuda/blocks/ht_put.cuh"
#include "cuda/blocks/ht_tables.cuh"

namespace wvl_ht
{

/* The words of a warp of the row kernels. */
template <uint32_t Q> struct rows_layout {
    static constexpr uint32_t pitch = 2 * Q + 4, vlc_pitch = Q / 2 + 1,
                              blocks = 32 / Q; /* VLC: at most 30 bits a pair */
};

/* The first `count` of 8 samples, and zeros. */
__device__ __forceinline__ void load_8(uint32_t *to, const uint16_t *from, uint32_t count)
{
    if (count == 8 && ((uintptr_t)from & 15) == 0) {
        copy_begin(to, from);
        return;
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t low = 2 * i < count ? from[2 * i] : 0, high = 2 * i + 1 < count ? from[2 * i + 1] : 0;
        to[i] = low | high << 16;
    }
}

/* Eight samples of 32 bits, of which `count` are there. */
__device__ __forceinline__ void fetch_8(uint32_t (&to)[8], const uint32_t *from, uint32_t count)
{
    if (count == 8 && ((uintptr_t)from & 15) == 0) {
        uint4 low = ((const uint4 *)from)[0], high = ((const uint4 *)from)[1];
        to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
        to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
        return;
    }
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) {
        to[i] = i < count ? from[i] : 0;
    }
}

__device__ __forceinline__ uint32_t narrow(uint32_t sample, uint32_t shift)
{
    return ((sample & 0x7FFFFFFF) >> shift & 0x7FFF) | (sample >> 31) << 15;
}
__device__ __forceinline__ uint32_t narrow_pair(uint32_t first, uint32_t second, uint32_t shift)
{
    return narrow(first, shift) | narrow(second, shift) << 16;
}

/* Which of a block a lane loads: its columns, and every (64 / Q)th row of quads. Rows of quads lie with their two lines
 * in turns of 8 samples. */
template <uint32_t Q> struct row_loads {
    static constexpr uint32_t pitch = rows_layout<Q>::pitch, step = 64 / Q, turns = Q / step;
    uint32_t there, y; /* samples of a line; its first line */
    uint32_t *to;
    size_t from; /* samples */
    __device__ __forceinline__ row_loads(const wvl_cuda_ht_block &b, uint32_t *rows)
    {
        uint32_t place = lane_id() % (Q / 2), line2 = lane_id() / (Q / 2), half = place >> 2 & 1,
                 j = (place & 3) | place >> 3 << 2;
        there = 8 * j < b.width ? min(b.width - 8 * j, 8u) : 0;
        y = 2 * line2 + half;
        to = rows + line2 * pitch + 8 * j + 4 * half;
        from = (size_t)y * b.stride + 8 * j;
    }
};

template <uint32_t Q> __device__ __forceinline__ void load_rows(const wvl_cuda_ht_block &b, uint32_t *rows)
{
    using L = row_loads<Q>;
    L own(b, rows);
    uint32_t stride = 2 * L::step * b.stride;
    const uint16_t *from = (const uint16_t *)b.coefs + own.from;
#pragma unroll 4
    for (uint32_t i = 0; i < L::turns; i++) {
        load_8(own.to, from, own.y < b.height ? own.there : 0);
        own.y += 2 * L::step;
        own.to += L::step * L::pitch;
        from += stride;
    }
}

/* The same of 32-bit samples, two turns at once. shift: the plane of the cleanup pass. */
template <uint32_t Q>
__device__ __forceinline__ void load_wide_rows(const wvl_cuda_ht_block &b, uint32_t shift, uint32_t *rows)
{
    using L = row_loads<Q>;
    L own(b, rows);
    uint32_t stride = 2 * L::step * b.stride;
    const uint32_t *from = (const uint32_t *)b.coefs + own.from;
    for (uint32_t i = 0; i < L::turns; i += 2) {
        uint32_t v[2][8];
#pragma unroll
        for (uint32_t k = 0; k < 2; k++) {
            fetch_8(v[k], from, own.y < b.height ? own.there : 0);
            own.y += 2 * L::step;
            from += stride;
        }
#pragma unroll
        for (uint32_t k = 0; k < 2; k++) {
            *(uint4 *)own.to = make_uint4(narrow_pair(v[k][0], v[k][1], shift), narrow_pair(v[k][2], v[k][3], shift),
                                          narrow_pair(v[k][4], v[k][5], shift), narrow_pair(v[k][6], v[k][7], shift));
            own.to += L::step * L::pitch;
        }
    }
}

__device__ __forceinline__ uint32_t word_of(const uint4 &v, int i)
{
    uint32_t low = i == 0 ? v.x : v.y, high = i == 2 ? v.z : v.w;
    return i < 2 ? low : high;
}

/* t of the samples above those of four quads: the bottom lines of the lane above. */
__device__ __forceinline__ void fetch_above(uint32_t above[4], const halves bottom[4], bool is_top)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        above[i] = __shfl_up_sync(~0u, bottom[i].t, 1);
        above[i] = is_top ? 0 : above[i];
    }
}

template <bool SHIFTED> __device__ __forceinline__ void read_four(halves to[4], const uint4 &from, uint32_t shift)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        to[i] = read_halves<SHIFTED>(word_of(from, i), shift);
    }
}

/* A lane's row of `quads`; all lanes take the steps of the longest, `most`. */
template <uint32_t Q, bool SHIFTED>
__device__ __forceinline__ void code_row(lane_streams &own, uint32_t *row, uint32_t quads, uint32_t most,
                                         uint32_t shift, bool is_top, const uint16_t *vlc_table, const uint32_t *pairs)
{
    halves bottom[4], next[4];
    uint32_t above[5], next_above[4], rho_west = 0, west = 0;
    read_four<SHIFTED>(bottom, *(const uint4 *)(row + 4), shift);
    fetch_above(above, bottom, is_top);
    for (uint32_t x = 0; x < most; x += 4) {
        uint4 words = *(const uint4 *)(row + 2 * x),
              more = x + 4 < Q ? *(const uint4 *)(row + 2 * x + 12) : make_uint4(0, 0, 0, 0);
        halves top[4];
        read_four<SHIFTED>(top, words, shift);
        read_four<SHIFTED>(next, more, shift);
        fetch_above(next_above, next, is_top);
        above[4] = next_above[0];
#pragma unroll
        for (int p = 0; p < 4; p += 2) {
            quad q0 = code_halves(top[p], bottom[p], west, above[p], above[p + 1], rho_west, is_top, x + p >= quads,
                                  vlc_table, own.magsgn);
            quad q1 = code_halves(top[p + 1], bottom[p + 1], above[p], above[p + 1], above[p + 2], q0.rho, is_top,
                                  x + p + 1 >= quads, vlc_table, own.magsgn);
            west = above[p + 1];
            rho_west = q1.rho;
            own.put_pair(q0, q1, pairs, is_top);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bottom[i] = next[i];
            above[i] = next_above[i];
        }
    }
}

template <uint32_t Q, bool SHIFTED>
__device__ __forceinline__ void code_blocks(const wvl_cuda_ht_job &job, const uint32_t *shared, uint32_t *words,
                                            const uint32_t *ids, uint32_t count)
{
    using L = rows_layout<Q>;
    uint32_t lane = lane_id(), y = lane % Q, part = lane / Q, quads = 0, most, shift = 0;
    uint32_t *row = words + lane * L::pitch, *vlc_row = words + 32 * L::pitch + lane * L::vlc_pitch,
             *spare = words + 32 * (L::pitch + L::vlc_pitch);
    bool coded = false;
    if (part < count) {
        const wvl_cuda_ht_block &b = block_of(job, ids[part]);
        coded = is_coded(b);
        quads = y < (b.height + 1u) / 2 ? (b.width + 1u) / 2 : 0;
        shift = b.coef_bytes == 2 ? plane_of(b) : 0;
    }
    uint32_t has = __ballot_sync(~0u, coded);
    if (!has) {
        for (uint32_t k = 0; k < count; k++) {
            put_nothing(job, ids[k], 0);
        }
        return;
    }
    __syncwarp();
    for (uint32_t k = 0; k < count; k++) {
        const wvl_cuda_ht_block &b = block_of(job, ids[k]);
        if (SHIFTED && b.coef_bytes != 2) {
            load_wide_rows<Q>(b, min(plane_of(b), 31u), words + k * Q * L::pitch);
        } else {
            load_rows<Q>(b, words + k * Q * L::pitch);
        }
    }
    copy_wait();
    __syncwarp();
    most = __shfl_sync(~0u, quads, 0);
    most = max(most, __shfl_sync(~0u, quads, (32 - Q) & 31));
    lane_streams own;
    own.open(row, vlc_row, y == 0);
    code_row<Q, SHIFTED>(own, row, quads, most, shift & 15, y == 0, (const uint16_t *)shared + (y ? 2048 : 0),
                         shared + 2048 + (y ? 1024 : 0));
    block_streams s = measure_streams<Q>(own);
    __syncwarp();
    for (uint32_t k = 0; k < count; k++) {
        if (has >> k * Q & 1) {
            put_block(job, spare, own, s, k * Q, part == k, ids[k]);
        } else {
            put_nothing(job, ids[k], 0);
        }
    }
}

template <uint32_t Q, bool SHIFTED>
__device__ __forceinline__ void run_rows(const wvl_cuda_ht_job &job, uint32_t *shared, uint32_t kind)
{
    constexpr uint32_t blocks = rows_layout<Q>::blocks;
    const uint32_t class_count = count_of(job, kind);
    if (!class_count) {
        return;
    }
    stage_tables(shared);
    uint32_t *words = shared + WVL_CUDA_HT_TABLE_WORDS + (threadIdx.x >> 5) * WVL_CUDA_HT_ROWS_WORDS(Q);
    const uint32_t *order = (const uint32_t *)job.order + job.class_first[kind];
    item_list items;
    items.open(next_of(job, kind), blocks);
    for (;;) {
        uint32_t first = items.take(), ids[blocks];
        if (first >= class_count) {
            return;
        }
        uint32_t count = min(blocks, class_count - first);
#pragma unroll
        for (uint32_t k = 0; k < blocks; k++) {
            ids[k] = order[first + (k < count ? k : 0)];
        }
        code_blocks<Q, SHIFTED>(job, shared, words, ids, count);
    }
}

} // namespace wvl_ht

#define WVL_HT_ROWS_KERNEL(name, Q, SHIFTED, kind, warps)                                                              \
    extern "C" __global__ void __launch_bounds__(32 * (warps), 1) name(const wvl_cuda_ht_job job)                      \
    {                                                                                                                  \
        WVL_HT_SHARED(shared);                                                                                         \
        wvl_ht::run_rows<Q, SHIFTED>(job, shared, kind);                                                               \
    }
WVL_HT_ROWS_KERNEL(wvl_ht_rows_64_plain, 32, false, WVL_CUDA_HT_64_PLAIN, WVL_CUDA_HT_MOST_WARPS)
WVL_HT_ROWS_KERNEL(wvl_ht_rows_64, 32, true, WVL_CUDA_HT_64, WVL_CUDA_HT_MOST_WARPS)
WVL_HT_ROWS_KERNEL(wvl_ht_rows_32_plain, 16, false, WVL_CUDA_HT_32_PLAIN, WVL_CUDA_HT_PAIR_WARPS)
WVL_HT_ROWS_KERNEL(wvl_ht_rows_32, 16, true, WVL_CUDA_HT_32, WVL_CUDA_HT_PAIR_WARPS)
