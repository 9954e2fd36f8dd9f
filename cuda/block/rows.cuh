/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of pixels as raw words of a lane, and their samples: C columns a lane, B bytes a container, N components, INTER interleaved. */
#ifndef WVL_CUDA_BLOCK_ROWS_CUH
#define WVL_CUDA_BLOCK_ROWS_CUH

#include "cuda/job.h"
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
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "n"(BYTES) : "memory");
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

template <int C, int B, int N, bool INTER> struct pixel_rows {
    static constexpr int words = C * B * N / 4, bytes = B, parts = N, planes = INTER ? 1 : N, lane_bytes = C * B * (INTER ? N : 1);
    const uint8_t *data[planes];
    uint32_t pitch, top;     /* tables.c keeps offsets inside 32 bits */

    __device__ __forceinline__ void open(const wvl_cuda_job &job, uint32_t x)
    {
#pragma unroll
        for (int i = 0; i < planes; i++) {
            const wvl_cuda_pixels &p = job.pixels[i];
            data[i] = (const uint8_t *)p.data + (uint64_t)(x - p.x0) * (INTER ? N : 1) * B;
        }
        pitch = (uint32_t)job.pixels[0].pitch_bytes;
        top = job.pixels[0].y0;
    }
    /* Container i of component c, zero-extended, with the bytes of `high` above it. */
    static __device__ __forceinline__ uint32_t value(const uint32_t (&raw)[words], int c, int i, uint32_t high)
    {
        int at = INTER ? (i * N + c) * B : (c * C + i) * B;
        return B == 1 ? __byte_perm(raw[at / 4], high, 0x7540u + (uint32_t)(at & 3)) : __byte_perm(raw[at / 4], high, (at & 2) ? 0x7632u : 0x7610u);
    }
};

/* Rows of a plane between levels: C samples of 32 bits a lane. */
template <int C> struct plane_rows {
    static constexpr int words = C, bytes = 0, parts = 1, planes = 1, lane_bytes = 4 * C;
    const uint8_t *data[1];
    uint32_t pitch, top;

    __device__ __forceinline__ void open(const wvl_cuda_job &job, uint32_t x)
    {
        pitch = (uint32_t)job.in.pitch_bytes;
        top = job.in.y0;
        data[0] = (const uint8_t *)job.in.data + (uint64_t)(x - job.in.x0) * 4;
    }
};

/*
 * Rows on their way, in shared memory, for transforms that are short of registers. A lane reads only what it has copied itself, so there is
 * no barrier. Chunks of a row lie lane by lane: no bank is met twice.
 */
template <class R> struct row_ring {
    static constexpr int slots = 8, chunk = R::lane_bytes % 16 ? 8 : 16, per_plane = R::lane_bytes / chunk, chunks = per_plane * R::planes;
    static constexpr int shared_bytes = slots * chunks * 32 * chunk;
    uint8_t *at;

    __device__ __forceinline__ void open(uint4 *shared) { at = (uint8_t *)shared + (threadIdx.x & 31) * chunk; }
    __device__ __forceinline__ void fetch(const R &rows, int slot, int y)
    {
        const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            copy_ahead<chunk>(at + (slot * chunks + c) * 32 * chunk, rows.data[c / per_plane] + offset + c % per_plane * chunk);
        }
    }
    __device__ __forceinline__ void close() { close_group(); }
    __device__ __forceinline__ void wait() { wait_groups<slots / 2 - 1>(); }
    __device__ __forceinline__ void read(int slot, uint32_t (&raw)[R::words])
    {
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            load_chunk<chunk>(raw + c * chunk / 4, at + (slot * chunks + c) * 32 * chunk);
        }
    }
};

/* The same in registers, half as many rows: slots must be constants. */
template <class R> struct row_registers {
    static constexpr int slots = 4, chunk = R::lane_bytes % 16 ? 8 : 16, per_plane = R::lane_bytes / chunk, chunks = per_plane * R::planes;
    static constexpr int shared_bytes = 16;
    uint32_t rows_ahead[slots][R::words];

    __device__ __forceinline__ void open(uint4 *) {}
    __device__ __forceinline__ void fetch(const R &rows, int slot, int y)
    {
        const uint32_t offset = ((uint32_t)y - rows.top) * rows.pitch;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            load_chunk<chunk>(rows_ahead[slot] + c * chunk / 4, rows.data[c / per_plane] + offset + c % per_plane * chunk);
        }
    }
    __device__ __forceinline__ void close() {}
    __device__ __forceinline__ void wait() {}
    __device__ __forceinline__ void read(int slot, uint32_t (&raw)[R::words])
    {
#pragma unroll
        for (int i = 0; i < R::words; i++) {
            raw[i] = rows_ahead[slot][i];
        }
    }
};

template <class R, int C> __device__ __forceinline__ void unpack_plane(int32_t (&v)[C], const uint32_t (&raw)[R::words])
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = (int32_t)raw[i];
    }
}

template <class R, int C> __device__ __forceinline__ void unpack_plane(float (&v)[C], const uint32_t (&raw)[R::words])
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = __uint_as_float(raw[i]);
    }
}

/* Samples of a row. Integers keep the level shift: a constant passes 5/3 lifting exactly and stays in the low-low band alone (and, of the
 * colour transform, in luma alone). Floats: 2^23 + v is exact, so one exact subtraction shifts. */
template <class R, int C> __device__ __forceinline__ void unpack_row(int32_t (&v)[C], const uint32_t (&raw)[R::words], float)
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = (int32_t)R::value(raw, 0, i, 0);
    }
}

template <class R, int C> __device__ __forceinline__ void unpack_row(float (&v)[C], const uint32_t (&raw)[R::words], float shift)
{
#pragma unroll
    for (int i = 0; i < C; i++) {
        v[i] = __fsub_rn(__uint_as_float(R::value(raw, 0, i, 0x4B000000u)), shift);
    }
}

/* What a part does not need it does not unpack: the branch is uniform over the warp. */
template <class R, int C> __device__ __forceinline__ void unpack_color(int32_t (&v)[C], const uint32_t (&raw)[R::words], float, int part)
{
    if (part == 1) {
#pragma unroll
        for (int i = 0; i < C; i++) {
            v[i] = wvl_rct_luma((int32_t)R::value(raw, 0, i, 0), (int32_t)R::value(raw, 1, i, 0), (int32_t)R::value(raw, 2, i, 0));
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

template <class R, int C> __device__ __forceinline__ void unpack_color(float (&v)[C], const uint32_t (&raw)[R::words], float shift, int part)
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

#endif
