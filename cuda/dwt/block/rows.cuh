/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of pixels as raw words of a lane, and their samples: C columns a lane, B bytes a container, N components, INTER
 * interleaved. */
#ifndef WVL_CUDA_DWT_BLOCK_ROWS_CUH
#define WVL_CUDA_DWT_BLOCK_ROWS_CUH

#include "cuda/core/meet.cuh"
#include "cuda/core/split.h"
#include "front/color_ops.h"

template <int BYTES> __device__ __forceinline__ void load_chunk(uint32_t *w, const uint8_t *p)
{
    if constexpr (BYTES == 16) {
        uint4 v = *(const uint4 *)p;
        w[0] = v.x;
        w[1] = v.y;
        w[2] = v.z;
        w[3] = v.w;
    } else {
        uint2 v = *(const uint2 *)p;
        w[0] = v.x;
        w[1] = v.y;
    }
}

/* BYTES (8 or 16) from global to shared memory, behind the thread's back where the machine can. */
template <int BYTES> __device__ __forceinline__ void copy_ahead(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from),
                 "n"(BYTES)
                 : "memory");
#else
    if (BYTES == 16) {
        *(uint4 *)to = *(const uint4 *)from;
    } else {
        *(uint2 *)to = *(const uint2 *)from;
    }
#endif
}

__device__ __forceinline__ void close_group(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All but the last N groups have arrived. */
template <int N> __device__ __forceinline__ void wait_groups(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

/* WINDOW: rows are fetched by row_window, and begin where the split does, not the lane. */
template <int C, int B, int N, bool INTER, bool WINDOW = false> struct pixel_rows {
    static constexpr bool window = WINDOW, beside = false, signs = false;
    static constexpr int words = C * B * N / 4, bytes = B, parts = N, planes = INTER ? 1 : N,
                         lane_bytes = C * B * (INTER ? N : 1);
    const uint8_t *data[planes];
    uint32_t pitch, top; /* tables.c keeps offsets inside 32 bits */

    __device__ __forceinline__ void open(const wvl_cuda_split &split, uint32_t x)
    {
#pragma unroll
        for (int i = 0; i < planes; i++) {
            const wvl_cuda_pixels &p = split.pixels[i];
            data[i] = (const uint8_t *)p.data + (uint64_t)(x - p.x0) * (INTER ? N : 1) * B;
        }
        pitch = (uint32_t)split.pixels[0].pitch_bytes;
        top = split.pixels[0].y0;
    }
    static __device__ __forceinline__ constexpr int index(int c, int i) { return INTER ? i * N + c : c * C + i; }
    /* Container i of component c, zero-extended, with the bytes of `high` above it. */
    static __device__ __forceinline__ uint32_t value(const uint32_t (&raw)[words], int c, int i, uint32_t high)
    {
        int at = INTER ? (i * N + c) * B : (c * C + i) * B;
        return B == 1 ? __byte_perm(raw[at / 4], high, 0x7540u + (uint32_t)(at & 3))
                      : __byte_perm(raw[at / 4], high, (at & 2) ? 0x7632u : 0x7610u);
    }
};

/* Half a word, zero- or sign-extended: a selector of prmt, of which __byte_perm drops what extends signs. */
__device__ __forceinline__ int32_t extend_half(uint32_t word, uint32_t selector)
{
#ifdef __CUDA_ARCH__
    int32_t v;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(v) : "r"(word), "r"(selector));
    return v;
#else
    const uint32_t half = word >> 8 * (selector & 3) & 0xffffu;
    return (int32_t)(selector & 0x8000u ? (half ^ 0x8000u) - 0x8000u : half);
#endif
}

/* 16-bit pixels that may be signed: each split says. Of three components the second warp, whose color transform is the
 * shortest, looks for samples outside their depth; all three have the same pixels. */
template <class R> struct sign_rows : R {
    static_assert(R::bytes == 2 && !R::window, "16-bit containers");
    static constexpr bool signs = true;
    static constexpr int checker = R::parts == 3 ? 2 : 0;
    uint32_t low, high; /* byte selectors that extend the lower and the upper half of a word */
    bool is_signed;

    __device__ __forceinline__ void open(const wvl_cuda_split &split, uint32_t x)
    {
        R::open(split, x);
        is_signed = split.pixels[0].is_signed;
        low = is_signed ? 0x9910u : 0x4410u;
        high = is_signed ? 0xBB32u : 0x4432u;
    }
    /* Sample i of component c, without level shift. */
    __device__ __forceinline__ int32_t sample(const uint32_t (&raw)[R::words], int c, int i) const
    {
        const int at = R::index(c, i);
        return extend_half(raw[at / 2], at & 1 ? high : low);
    }
};

/* Rows of a plane between levels: C samples of B bytes a lane. */
template <int C, int B> struct plane_rows {
    static constexpr bool window = false, beside = false, signs = false;
    static constexpr int words = C * B / 4, bytes = 0, parts = 1, planes = 1, lane_bytes = C * B;
    const uint8_t *data[1];
    uint32_t pitch, top;

    __device__ __forceinline__ void open(const wvl_cuda_split &split, uint32_t x)
    {
        pitch = (uint32_t)split.in.pitch_bytes;
        top = split.in.y0;
        data[0] = (const uint8_t *)split.in.data + (uint64_t)(x - split.in.x0) * B;
    }
};

/* Loads what a lane has of row y. */
template <class R> __device__ __forceinline__ void load_row(const R &rows, int y, uint32_t (&raw)[R::words])
{
    constexpr int chunk = R::lane_bytes % 16 ? 8 : 16, per_plane = R::lane_bytes / chunk;
    const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
    for (int c = 0; c < per_plane * R::planes; c++) {
        load_chunk<chunk>(raw + c * chunk / 4, rows.data[c / per_plane] + offset + c % per_plane * chunk);
    }
}

/*
 * Rows on their way, in shared memory, for transforms that are short of registers. A lane reads only what it has copied
 * itself, so there is no barrier. Chunks of a row lie lane by lane: no bank is met twice.
 */
template <class R, int PLACES = 8> struct row_ring {
    static constexpr int places = PLACES, chunk = R::lane_bytes % 16 ? 8 : 16, per_plane = R::lane_bytes / chunk,
                         chunks = per_plane * R::planes;
    static constexpr int shared_bytes = places * chunks * 32 * chunk;
    static constexpr bool peeks = true, registers = false;
    uint8_t *at;

    __device__ __forceinline__ void open(uint4 *shared) { at = (uint8_t *)shared + (threadIdx.x & 31) * chunk; }
    __device__ __forceinline__ void place(R &, int, int) {}
    __device__ __forceinline__ void release() {}
    __device__ __forceinline__ void fetch(const R &rows, int place, int y)
    {
        const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            copy_ahead<chunk>(at + (place * chunks + c) * 32 * chunk,
                              rows.data[c / per_plane] + offset + c % per_plane * chunk);
        }
    }
    __device__ __forceinline__ void close() { close_group(); }
    __device__ __forceinline__ void wait() { wait_groups<places / 2 - 1>(); }
    __device__ __forceinline__ void read(int place, uint32_t (&raw)[R::words])
    {
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            load_chunk<chunk>(raw + c * chunk / 4, at + (place * chunks + c) * 32 * chunk);
        }
    }
    /* A row by itself. */
    __device__ __forceinline__ void peek(const R &rows, int y, uint32_t (&raw)[R::words]) { load_row<R>(rows, y, raw); }
};

/*
 * The same for interleaved rows, of which neighbouring lanes copy neighbouring 16 bytes, whosever they are: copies of
 * 16 in every 48 bytes keep shared memory busy three times as long. Reads do not collide: 48 bytes are 12 banks.
 */
template <class R, int PLACES = 8> struct row_window {
    static constexpr int places = PLACES, chunk = 16, chunks = R::lane_bytes / chunk, row_bytes = 32 * R::lane_bytes,
                         shared_bytes = places * row_bytes;
    static_assert(R::planes == 1 && R::lane_bytes % chunk == 0, "whole chunks");
    static constexpr bool peeks = false, registers = false;
    uint8_t *to, *mine; /* where the lane copies to, and what it reads */

    __device__ __forceinline__ void open(uint4 *shared) { to = mine = (uint8_t *)shared; }
    /* The rows of a lane begin with what it copies. run: lanes before the panel; runs: of the row, at least 32. The
     * window stays in the row; lanes outside it read what nobody uses. */
    __device__ __forceinline__ void place(R &rows, int run, int runs)
    {
        const int lane = threadIdx.x & 31, first = max(0, min(run, runs - 32));
        mine = to + (max(0, min(run + lane, runs - 1)) - first) * R::lane_bytes;
        to += lane * chunk;
        rows.data[0] += (uint32_t)(first * R::lane_bytes + lane * chunk);
    }
    __device__ __forceinline__ void fetch(const R &rows, int place, int y)
    {
        const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            copy_ahead<chunk>(to + place * row_bytes + c * 32 * chunk, rows.data[0] + offset + c * 32 * chunk);
        }
    }
    __device__ __forceinline__ void close() { close_group(); }
    __device__ __forceinline__ void wait()
    {
        wait_groups<places / 2 - 1>();
        __syncwarp();
    }
    __device__ __forceinline__ void read(int place, uint32_t (&raw)[R::words])
    {
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            load_chunk<chunk>(raw + c * chunk / 4, mine + place * row_bytes + c * chunk);
        }
    }
    /* All lanes have read what is to be overwritten. */
    __device__ __forceinline__ void release() { __syncwarp(); }
};

/* The same in registers, half as many rows: places must be constants. */
template <class R> struct row_registers {
    static constexpr int places = 4, shared_bytes = 0;
    static constexpr bool peeks = true, registers = true;
    uint32_t rows_ahead[places][R::words];

    __device__ __forceinline__ void open(uint4 *) {}
    __device__ __forceinline__ void place(R &, int, int) {}
    __device__ __forceinline__ void release() {}
    __device__ __forceinline__ void fetch(const R &rows, int place, int y) { load_row<R>(rows, y, rows_ahead[place]); }
    __device__ __forceinline__ void close() {}
    __device__ __forceinline__ void wait() {}
    __device__ __forceinline__ void read(int place, uint32_t (&raw)[R::words])
    {
#pragma unroll
        for (int i = 0; i < R::words; i++) {
            raw[i] = rows_ahead[place][i];
        }
    }
    __device__ __forceinline__ void peek(const R &rows, int y, uint32_t (&raw)[R::words]) { load_row<R>(rows, y, raw); }
};

template <class R, int C> __device__ __forceinline__ void unpack_plane(int32_t (&v)[C], const uint32_t (&raw)[R::words])
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        if constexpr (R::words == C) {
            v[i] = (int32_t)raw[i];
        } else {
            v[i] = (i & 1) ? (int32_t)raw[i / 2] >> 16 : (int32_t)(raw[i / 2] << 16) >> 16;
        }
    }
}

template <class R, int C> __device__ __forceinline__ void unpack_plane(float (&v)[C], const uint32_t (&raw)[R::words])
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = __uint_as_float(raw[i]);
    }
}

/* Four bytes times four signed weights, summed: runs beside the unit that lifts. */
__device__ __forceinline__ int32_t weigh(uint32_t bytes, int32_t weights, int32_t sum)
{
    int32_t r;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(bytes), "r"(weights), "r"(sum));
    return r;
}

/* Samples of a row. Integers keep the level shift: a constant passes 5/3 lifting exactly and stays in the low-low band
 * alone (and, of the colour transform, in luma alone). Floats: 2^23 + v is exact, so one exact subtraction shifts. */
template <class R, int C>
__device__ __forceinline__ void unpack_row(int32_t (&v)[C], const uint32_t (&raw)[R::words], float)
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = R::bytes == 1 ? weigh(raw[i / 4], 1 << (8 * (i & 3)), 0) : (int32_t)R::value(raw, 0, i, 0);
    }
}

template <class R, int C>
__device__ __forceinline__ void unpack_row(float (&v)[C], const uint32_t (&raw)[R::words], float shift)
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = __fsub_rn(__uint_as_float(R::value(raw, 0, i, 0x4B000000u)), shift);
    }
}

/* Weights of the bytes of a pixel in the colour transform (G.2), luma still to be divided by 4. */
__device__ __forceinline__ uint32_t color_weights(int part)
{
    return part == 1 ? 0x010201u : part == 2 ? 0x01ff00u : 0x00ff01u;
}

/* 8-bit containers: the sum is weighed together, pixel by pixel or across a word's end. */
template <class R, int C>
__device__ __forceinline__ void unpack_bytes(int32_t (&v)[C], const uint32_t (&raw)[R::words], int part)
{
    const uint32_t k = color_weights(part);
#pragma unroll
    for (int i = 0; i < C; i++) {
        if (R::planes == 1) {
            const int shift = 8 * (3 * i & 3);
            v[i] = weigh(raw[3 * i / 4], (int32_t)(k << shift), 0);
            v[i] = shift > 8 ? weigh(raw[shift > 8 ? 3 * i / 4 + 1 : 0],
                                     (int32_t)(k >> (32 - (shift > 8 ? shift : 16))), v[i])
                             : v[i];
        } else {
            v[i] = 0;
#pragma unroll
            for (int c = 0; c < 3; c++) {
                v[i] = weigh(raw[c * (C / 4) + i / 4], (int32_t)((k >> (8 * c) & 0xffu) << (8 * (i & 3))), v[i]);
            }
        }
    }
    if (part == 1) {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] >>= 2;
        }
    }
}

/* What a part does not need it does not unpack: the branch is uniform over the warp. */
template <class R, int C>
__device__ __forceinline__ void unpack_color(int32_t (&v)[C], const uint32_t (&raw)[R::words], float, int part)
{
    if (R::bytes == 1) {
        unpack_bytes<R, C>(v, raw, part);
        return;
    }
    if (part == 1) {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = wvl_rct_luma((int32_t)R::value(raw, 0, i, 0), (int32_t)R::value(raw, 1, i, 0),
                                (int32_t)R::value(raw, 2, i, 0));
        }
    } else if (part == 2) {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = (int32_t)R::value(raw, 2, i, 0) - (int32_t)R::value(raw, 1, i, 0);
        }
    } else {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = (int32_t)R::value(raw, 0, i, 0) - (int32_t)R::value(raw, 1, i, 0);
        }
    }
}

/* The same, and one component, in 16-bit containers of either sign. */
template <class R, int C>
__device__ __forceinline__ void unpack_signs(int32_t (&v)[C], const uint32_t (&raw)[R::words], const R &rows, int part)
{
    if (R::parts == 1) {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = rows.sample(raw, 0, i);
        }
    } else if (part == 1) {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = wvl_rct_luma(rows.sample(raw, 0, i), rows.sample(raw, 1, i), rows.sample(raw, 2, i));
        }
    } else {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = (part == 2 ? rows.sample(raw, 2, i) : rows.sample(raw, 0, i)) - rows.sample(raw, 1, i);
        }
    }
}

/* Bits that a sample inside its depth leaves clear from bit `depth` of a container on: those of the container or, where
 * it is signed, those that differ from the one below. */
template <class R>
__device__ __forceinline__ void look_at(uint32_t &seen, const uint32_t (&raw)[R::words], const R &rows)
{
#pragma unroll
    for (int i = 0; i < R::words; i++) {
        seen |= rows.is_signed ? raw[i] ^ raw[i] << 1 : raw[i];
    }
}

template <class R, int C>
__device__ __forceinline__ void unpack_color(float (&v)[C], const uint32_t (&raw)[R::words], float shift, int part)
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        float r = __fsub_rn(__uint_as_float(R::value(raw, 0, i, 0x4B000000u)), shift);
        float g = __fsub_rn(__uint_as_float(R::value(raw, 1, i, 0x4B000000u)), shift);
        float b = __fsub_rn(__uint_as_float(R::value(raw, 2, i, 0x4B000000u)), shift);
        float y = wvl_ict_luma(r, g, b);
        v[i] = part == 1 ? y : __fsub_rn(part == 2 ? b : r, y);
    }
}

/* ---- Rows of three components that one warp mixes for three others --------------------------- */

/* These are like rows of a plane, but nobody fetches them. */
template <int C> struct stage_rows {
    static constexpr bool window = false, beside = true, signs = false;
    static constexpr int words = C, bytes = 0, parts = 3;
    __device__ __forceinline__ void open(const wvl_cuda_split &, uint32_t) {}
};

/*
 * Pairs of rows of three components, C samples of 32 bits a lane. The writer tells each reader by a barrier of its own
 * that a pair is there, so that readers do not wait for one another; that a pair has been read, all readers tell by one
 * barrier, for which the writer alone waits.
 */
template <int C> struct color_stage {
    static constexpr int pairs = 2, places = 2, part_bytes = 32 * C * 4, row_bytes = 3 * part_bytes,
                         pair_bytes = 2 * row_bytes, shared_bytes = pairs * pair_bytes;
    static constexpr bool peeks = false, registers = false;
    static constexpr int first_empty =
        1 + 3 * pairs; /* barriers before it are of one reader each; 0 is that of the whole block */
    uint8_t *base;
    int pair;
    int part; /* of the reader */

    __device__ __forceinline__ void open(uint4 *shared)
    {
        base = (uint8_t *)shared + (threadIdx.x & 31) * 16;
        pair = pairs - 1; /* the first wait turns to the first pair */
    }
    __device__ __forceinline__ void place(stage_rows<C> &, int, int) {}
    __device__ __forceinline__ void fetch(const stage_rows<C> &, int, int) {}
    __device__ __forceinline__ void close() {}
    __device__ __forceinline__ int full(int of) const { return 1 + of + 3 * pair; }
    __device__ __forceinline__ int empty() const { return first_empty + pair; }
    __device__ __forceinline__ void turn() { pair = pair == pairs - 1 ? 0 : pair + 1; }
    __device__ __forceinline__ void wait()
    {
        turn();
        wait_at<64>(full(part));
    }
    __device__ __forceinline__ void release() { arrive_at<128>(empty()); }
    /* The writer's side. */
    __device__ __forceinline__ void offer()
    {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            arrive_at<64>(full(i));
        }
        turn();
    }
    __device__ __forceinline__ void reclaim() { wait_at<128>(empty()); }
    __device__ __forceinline__ void read(int row, uint32_t (&raw)[C])
    {
#pragma unroll
        for (int c = 0; c < C / 4; c++) {
            load_chunk<16>(raw + 4 * c, base + pair * pair_bytes + row * row_bytes + c * 512);
        }
    }
    __device__ __forceinline__ void write(int row, int part, int c, const float (&v)[4])
    {
        *(float4 *)(base + pair * pair_bytes + row * row_bytes + part * part_bytes + c * 512) =
            make_float4(v[0], v[1], v[2], v[3]);
    }
};

/* Level shift and irreversible colour transform of a row. */
template <class R, int C>
__device__ __forceinline__ void mix_row(color_stage<C> &stage, int row, const uint32_t (&raw)[R::words], float shift)
{
#pragma unroll
    for (int c = 0; c < C / 4; c++) {
        float y[4], cb[4], cr[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float r = __fsub_rn(__uint_as_float(R::value(raw, 0, 4 * c + i, 0x4B000000u)), shift);
            float g = __fsub_rn(__uint_as_float(R::value(raw, 1, 4 * c + i, 0x4B000000u)), shift);
            float b = __fsub_rn(__uint_as_float(R::value(raw, 2, 4 * c + i, 0x4B000000u)), shift);
            y[i] = wvl_ict_luma(r, g, b);
            cb[i] = __fsub_rn(b, y[i]);
            cr[i] = __fsub_rn(r, y[i]);
        }
        stage.write(row, 0, c, y);
        stage.write(row, 1, c, cb);
        stage.write(row, 2, c, cr);
    }
}

#endif
