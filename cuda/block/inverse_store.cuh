/* SPDX-License-Identifier: BSD-2-Clause */
/* Finished rows: to a plane, to pixels, or to the other components' warps first. C columns a lane. */
#ifndef WVL_CUDA_BLOCK_INVERSE_STORE_CUH
#define WVL_CUDA_BLOCK_INVERSE_STORE_CUH

#include "cuda/inverse_job.h"
#include "cuda/inverse_ops.h"

/* Signed to unsigned with saturation, d in the high byte. */
__device__ __forceinline__ uint32_t pack_bytes(int32_t a, int32_t b, int32_t c, int32_t d)
{
#ifdef __CUDA_ARCH__
    uint32_t high, r;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(d), "r"(c));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(b), "r"(a), "r"(high));
    return r;
#else
    uint32_t v[4] = {(uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)d}, r = 0;
    for (int i = 0; i < 4; i++) {
        r |= ((int32_t)v[i] < 0 ? 0 : v[i] > 255 ? 255 : v[i]) << (8 * i);
    }
    return r;
#endif
}

__device__ __forceinline__ uint32_t pack_words(int32_t a, int32_t b)
{
#ifdef __CUDA_ARCH__
    uint32_t r;
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(r) : "r"(b), "r"(a));
    return r;
#else
    uint32_t low = a < 0 ? 0 : a > 65535 ? 65535 : (uint32_t)a, high = b < 0 ? 0 : b > 65535 ? 65535 : (uint32_t)b;
    return low | high << 16;
#endif
}

/* Nearest integer, ties to even, saturated. Integers have been shifted before. */
__device__ __forceinline__ int32_t to_stored(int32_t v, float) { return v; }
__device__ __forceinline__ int32_t to_stored(float v, float shift) { return __float2int_rn(__fadd_rn(v, shift)); }

__device__ __forceinline__ uint32_t raw_bits(int32_t v) { return (uint32_t)v; }
__device__ __forceinline__ uint32_t raw_bits(float v) { return __float_as_uint(v); }

__device__ __forceinline__ void from_bits(uint32_t v, int32_t &x) { x = (int32_t)v; }
__device__ __forceinline__ void from_bits(uint32_t v, float &x) { x = __uint_as_float(v); }

template <int WORDS> __device__ __forceinline__ void store_run(uint8_t *to, const uint32_t (&w)[WORDS])
{
    if constexpr (WORDS % 4 == 0) {
#pragma unroll
        for (int i = 0; i < WORDS; i += 4) {
            *(uint4 *)(to + 4 * i) = make_uint4(w[i], w[i + 1], w[i + 2], w[i + 3]);
        }
    } else {
        *(uint2 *)to = make_uint2(w[0], w[1]);
    }
}

/* The columns of a warp: lane 0 begins at `left`; lanes [first, end) are this warp's to store, the others lend their neighbours a hand. */
struct strip {
    uint32_t left;
    int columns, first, end;

    __device__ __forceinline__ int column() const { return (int)(threadIdx.x & 31) * columns; }
    __device__ __forceinline__ bool owns() const { return (int)(threadIdx.x & 31) >= first && (int)(threadIdx.x & 31) < end; }
};

/* To the plane between levels. */
template <int COLUMNS> struct plane_out {
    static constexpr int C = COLUMNS, parts = 1, shared_bytes = 0;
    static constexpr bool pixels = false;
    uint8_t *to;
    uint64_t pitch;
    int top;
    bool mine;

    __device__ __forceinline__ void open(const wvl_cuda_inverse_job *jobs, uint8_t *, const strip &s)
    {
        const wvl_cuda_plane &p = jobs->out;
        to = (uint8_t *)p.data + (int64_t)((int)(s.left - p.x0) + s.column()) * 4;
        pitch = p.pitch_bytes;
        top = (int)p.y0;
        mine = s.owns();
    }
    template <class T> __device__ __forceinline__ void put(int, int y, const T (&v)[C], bool keep)
    {
        uint32_t w[C];
#pragma unroll
        for (int j = 0; j < C; j++) {
            w[j] = raw_bits(v[j]);
        }
        if (mine && keep) {
            store_run<C>(to + (uint64_t)(uint32_t)(y - top) * pitch, w);
        }
    }
    template <class T> __device__ __forceinline__ void finish(int, int, int) {}
};

/* To pixels of one component in B bytes each. */
template <int COLUMNS, int B> struct gray_out {
    static constexpr int C = COLUMNS, parts = 1, shared_bytes = 0;
    static constexpr bool pixels = true;
    uint8_t *to;
    uint64_t pitch;
    int top;
    float shift;
    uint32_t most;           /* of two 16-bit samples */
    bool mine;

    __device__ __forceinline__ void open(const wvl_cuda_inverse_job *jobs, uint8_t *, const strip &s)
    {
        const wvl_cuda_pixels &p = jobs->pixels;
        to = (uint8_t *)p.data + (int64_t)((int)(s.left - p.x0) + s.column()) * B;
        pitch = (uint64_t)p.pitch_bytes;
        top = (int)p.y0;
        shift = (float)p.half;
        most = ((1u << p.depth) - 1) * 0x10001u;
        mine = s.owns();
    }
    template <class T> __device__ __forceinline__ void put(int, int y, const T (&v)[C], bool keep)
    {
        uint32_t w[C * B / 4];
#pragma unroll
        for (int i = 0; i < C * B / 4; i++) {
            if constexpr (B == 1) {
                w[i] = pack_bytes(to_stored(v[4 * i], shift), to_stored(v[4 * i + 1], shift), to_stored(v[4 * i + 2], shift), to_stored(v[4 * i + 3], shift));
            } else {
                w[i] = __vminu2(pack_words(to_stored(v[2 * i], shift), to_stored(v[2 * i + 1], shift)), most);
            }
        }
        if (mine && keep) {
            store_run<C * B / 4>(to + (uint64_t)(uint32_t)(y - top) * pitch, w);
        }
    }
    template <class T> __device__ __forceinline__ void finish(int, int, int) {}
};

/*
 * To three 8-bit components. Each has a warp of its own; four rows at a time meet in shared memory, where the block's 96 threads take runs of four
 * pixels, undo the colour transform and pack. Interleaved pixels pass through shared memory once more, so that warps store whole sectors.
 */
template <int COLUMNS, bool INTER> struct color_out {
    static constexpr int C = COLUMNS, parts = 3, WIDTH = 32 * C, ROWS = 4, THREADS = 96, RUNS = WIDTH / 4;
    static constexpr int HALF = 36, ROW = 2 * HALF; /* in 16 bytes: second halves of lanes lie 16 banks from the first */
    static constexpr int mixing_bytes = parts * ROWS * ROW * 16, shared_bytes = mixing_bytes + (INTER ? ROWS * WIDTH * 3 : 0);
    static_assert(C == 8, "two runs a lane");
    static constexpr bool pixels = true;
    uint8_t *to[INTER ? 1 : 3], *shared;
    uint64_t pitch;
    int top, first, end;     /* columns of the strip that the block owns */
    float shift;

    __device__ __forceinline__ void open(const wvl_cuda_inverse_job *jobs, uint8_t *memory, const strip &s)
    {
        const wvl_cuda_pixels &p = jobs->pixels;
        shared = memory;
        first = s.first * C;
        end = s.end * C;
        pitch = (uint64_t)p.pitch_bytes;
        top = (int)p.y0;
        shift = (float)p.half;
#pragma unroll
        for (int i = 0; i < (INTER ? 1 : 3); i++) {
            to[i] = (uint8_t *)jobs[i].pixels.data + (uint64_t)(s.left - p.x0) * (INTER ? 3 : 1);
        }
    }
    template <class T> __device__ __forceinline__ void put(int i, int, const T (&v)[C], bool)
    {
        uint4 *at = (uint4 *)shared + ((threadIdx.x >> 5) * ROWS + i) * ROW + (threadIdx.x & 31);
#pragma unroll
        for (int j = 0; j < C; j += 4) {
            at[j / 4 * HALF] = make_uint4(raw_bits(v[j]), raw_bits(v[j + 1]), raw_bits(v[j + 2]), raw_bits(v[j + 3]));
        }
    }

    static __device__ __forceinline__ void undo(int32_t &a, int32_t &b, int32_t &c, float) { wvl_inverse_rct(&a, &b, &c); }
    static __device__ __forceinline__ void undo(float &a, float &b, float &c, float shift)
    {
        a = __fadd_rn(a, shift);
        wvl_inverse_ict(&a, &b, &c);
    }

    /* Four pixels from column 4g, as words of one component each. */
    template <class T> __device__ __forceinline__ void mix(int row, int g, uint32_t (&rgb)[3])
    {
        const uint4 *at = (const uint4 *)shared + row * ROW + g % 2 * HALF + g / 2;
        const uint4 in[3] = {at[0], at[ROWS * ROW], at[2 * ROWS * ROW]};
        T v[3][4];
#pragma unroll
        for (int c = 0; c < 3; c++) {
            from_bits(in[c].x, v[c][0]);
            from_bits(in[c].y, v[c][1]);
            from_bits(in[c].z, v[c][2]);
            from_bits(in[c].w, v[c][3]);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            undo(v[0][i], v[1][i], v[2][i], shift);
        }
#pragma unroll
        for (int c = 0; c < 3; c++) {
            rgb[c] = pack_bytes(to_stored(v[c][0], 0.0f), to_stored(v[c][1], 0.0f), to_stored(v[c][2], 0.0f), to_stored(v[c][3], 0.0f));
        }
    }

    __device__ __forceinline__ void weave(int row, int g, const uint32_t (&rgb)[3])
    {
        uint32_t *at = (uint32_t *)(shared + mixing_bytes) + (row * RUNS + g) * 3;
        uint32_t rg = __byte_perm(rgb[0], rgb[1], 0x5140), gr = __byte_perm(rgb[0], rgb[1], 0x7362); /* r0 g0 r1 g1, r2 g2 r3 g3 */
        at[0] = __byte_perm(rg, rgb[2], 0x2410);
        at[1] = __byte_perm(__byte_perm(rg, rgb[2], 0x0053), gr, 0x5410);
        at[2] = __byte_perm(gr, rgb[2], 0x7326);
    }

    /* Rows y to y + 3 are there; those in [low, high) are stored. */
    template <class T> __device__ __forceinline__ void finish(int y, int low, int high)
    {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < ROWS * RUNS; i += THREADS) {
            const int row = i / RUNS, g = i % RUNS;
            uint32_t rgb[3];
            mix<T>(row, g, rgb);
            if constexpr (INTER) {
                weave(row, g, rgb);
            } else if (4 * g >= first && 4 * g < end && y + row >= low && y + row < high) {
                const uint64_t at = (uint64_t)(uint32_t)(y + row - top) * pitch + (uint32_t)(4 * g);
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    *(uint32_t *)(to[c] + at) = rgb[c];
                }
            }
        }
        __syncthreads();
        if constexpr (INTER) {
            constexpr int CHUNKS = WIDTH * 3 / 8;
            for (int i = (int)threadIdx.x; i < ROWS * CHUNKS; i += THREADS) {
                const int row = i / CHUNKS, chunk = i % CHUNKS;
                if (8 * chunk >= 3 * first && 8 * chunk < 3 * end && y + row >= low && y + row < high) {
                    const uint2 v = ((const uint2 *)(shared + mixing_bytes))[i];
                    *(uint2 *)(to[0] + (uint64_t)(uint32_t)(y + row - top) * pitch + (uint32_t)(8 * chunk)) = v;
                }
            }
        }
    }
};

#endif
