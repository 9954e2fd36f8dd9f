/* SPDX-License-Identifier: BSD-2-Clause */
/* Finished rows: to a plane, to pixels, or to the other components' warps first. C columns a lane. */
#ifndef WVL_CUDA_BLOCK_INVERSE_STORE_CUH
#define WVL_CUDA_BLOCK_INVERSE_STORE_CUH

#include "cuda/inverse_job.h"
#include "cuda/inverse_ops.h"

/* Integers, level-shifted already: signed to unsigned with saturation. */
__device__ __forceinline__ uint32_t pack_bytes(const int32_t *v, wvl_inverse_scale)
{
#ifdef __CUDA_ARCH__
    uint32_t high, r;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(v[3]), "r"(v[2]));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(v[1]), "r"(v[0]), "r"(high));
    return r;
#else
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        r |= (uint32_t)(v[i] < 0 ? 0 : v[i] > 255 ? 255 : v[i]) << (8 * i);
    }
    return r;
#endif
}

__device__ __forceinline__ uint32_t pack_words(const int32_t *v, wvl_inverse_scale)
{
#ifdef __CUDA_ARCH__
    uint32_t r;
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(r) : "r"(v[1]), "r"(v[0]));
    return r;
#else
    uint32_t low = (uint32_t)(v[0] < 0 ? 0 : v[0] > 65535 ? 65535 : v[0]), high = (uint32_t)(v[1] < 0 ? 0 : v[1] > 65535 ? 65535 : v[1]);
    return low | high << 16;
#endif
}

/* Floats: shifted, clamped and rounded on the way. */
__device__ __forceinline__ uint32_t scaled_bits(float v, wvl_inverse_scale s)
{
    return __float_as_uint(__fmaf_rn(__saturatef(__fmaf_rn(v, s.down, s.shift)), s.up, 8388608.0f));
}

__device__ __forceinline__ uint32_t pack_words(const float *v, wvl_inverse_scale s)
{
    return __byte_perm(scaled_bits(v[0], s), scaled_bits(v[1], s), 0x5410);
}

__device__ __forceinline__ uint32_t pack_bytes(const float *v, wvl_inverse_scale s)
{
    uint32_t low = __byte_perm(scaled_bits(v[0], s), scaled_bits(v[1], s), 0x0040);
    uint32_t high = __byte_perm(scaled_bits(v[2], s), scaled_bits(v[3], s), 0x0040);
    return __byte_perm(low, high, 0x5410);
}

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
    static constexpr int C = COLUMNS, parts = 1, warps = 1, shared_bytes = 0;
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
};

/* To pixels of one component in B bytes each. */
template <int COLUMNS, int B> struct gray_out {
    static constexpr int C = COLUMNS, parts = 1, warps = 1, shared_bytes = 0;
    static constexpr bool pixels = true;
    uint8_t *to;
    uint64_t pitch;
    int top;
    wvl_inverse_scale scale;
    uint32_t most;           /* of two 16-bit samples */
    bool mine;

    __device__ __forceinline__ void open(const wvl_cuda_inverse_job *jobs, uint8_t *, const strip &s)
    {
        const wvl_cuda_pixels &p = jobs->pixels;
        to = (uint8_t *)p.data + (int64_t)((int)(s.left - p.x0) + s.column()) * B;
        pitch = (uint64_t)p.pitch_bytes;
        top = (int)p.y0;
        scale = wvl_inverse_set_scale(p.depth, p.half);
        most = ((1u << p.depth) - 1) * 0x10001u;
        mine = s.owns();
    }
    template <class T> __device__ __forceinline__ void put(int, int y, const T (&v)[C], bool keep)
    {
        uint32_t w[C * B / 4];
#pragma unroll
        for (int i = 0; i < C * B / 4; i++) {
            if constexpr (B == 1) {
                w[i] = pack_bytes(v + 4 * i, scale);
            } else {
                w[i] = __vminu2(pack_words(v + 2 * i, scale), most);
            }
        }
        if (mine && keep) {
            store_run<C * B / 4>(to + (uint64_t)(uint32_t)(y - top) * pitch, w);
        }
    }
};

/*
 * To three 8-bit components. Each has a warp of its own; four rows at a time meet in shared memory, where a fourth warp takes them while the others
 * are at the next four: it undoes the colour transform and packs. Interleaved pixels pass through shared memory once more, row by row, so
 * that the warp stores whole sectors.
 */
template <int COLUMNS, bool INTER> struct color_out {
    static constexpr int C = COLUMNS, parts = 3, warps = 4, WIDTH = 32 * C, ROWS = 4, RUNS = WIDTH / 4;
    static constexpr int HALF = 36, ROW = 2 * HALF; /* in 16 bytes: second halves of lanes lie 16 banks from the first */
    static constexpr int PART = ROWS * ROW, BUFFER = parts * PART;
    static constexpr int mixing_bytes = 2 * BUFFER * 16, shared_bytes = mixing_bytes + (INTER ? 3 * WIDTH : 0);
    static constexpr bool pixels = true;
    static_assert(C == 8, "two runs a lane");
    uint8_t *to[INTER ? 1 : 3], *shared;
    uint64_t pitch;
    int top, first, end;     /* first, end: columns of the strip that the block owns */
    wvl_inverse_scale scale;
    int buffer;              /* that rows are put into */

    __device__ __forceinline__ void open(const wvl_cuda_inverse_job *jobs, uint8_t *memory, const strip &s)
    {
        const wvl_cuda_pixels &p = jobs->pixels;
        shared = memory;
        buffer = 0;
        first = s.first * C;
        end = s.end * C;
        pitch = (uint64_t)p.pitch_bytes;
        top = (int)p.y0;
        scale = wvl_inverse_set_scale(p.depth, p.half);
#pragma unroll
        for (int i = 0; i < (INTER ? 1 : 3); i++) {
            to[i] = (uint8_t *)jobs[i].pixels.data + (uint64_t)(s.left - p.x0) * (INTER ? 3 : 1);
        }
    }
    template <class T> __device__ __forceinline__ void put(int i, int, const T (&v)[C], bool)
    {
        uint4 *at = (uint4 *)shared + buffer * BUFFER + (int)(threadIdx.x >> 5) * PART + i * ROW + (int)(threadIdx.x & 31);
#pragma unroll
        for (int j = 0; j < C; j += 4) {
            at[j / 4 * HALF] = make_uint4(raw_bits(v[j]), raw_bits(v[j + 1]), raw_bits(v[j + 2]), raw_bits(v[j + 3]));
        }
    }
    /* Four rows have been put: the next go beside them. */
    __device__ __forceinline__ void turn()
    {
        __syncthreads();
        buffer ^= 1;
    }

    static __device__ __forceinline__ void undo(int32_t &a, int32_t &b, int32_t &c) { wvl_inverse_rct(&a, &b, &c); }
    static __device__ __forceinline__ void undo(float &a, float &b, float &c) { wvl_inverse_ict(&a, &b, &c); }

    /* Four pixels from column 4g, as words of one component each. */
    template <class T> __device__ __forceinline__ void mix(int row, int g, uint32_t (&rgb)[3])
    {
        const uint4 *at = (const uint4 *)shared + (buffer ^ 1) * BUFFER + row * ROW + g % 2 * HALF + g / 2;
        const uint4 in[3] = {at[0], at[PART], at[2 * PART]};
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
            undo(v[0][i], v[1][i], v[2][i]);
        }
#pragma unroll
        for (int c = 0; c < 3; c++) {
            rgb[c] = pack_bytes(v[c], scale);
        }
    }

    __device__ __forceinline__ void weave(int g, const uint32_t (&rgb)[3])
    {
        uint32_t *at = (uint32_t *)(shared + mixing_bytes) + g * 3;
        uint32_t rg = __byte_perm(rgb[0], rgb[1], 0x5140), gr = __byte_perm(rgb[0], rgb[1], 0x7362); /* r0 g0 r1 g1, r2 g2 r3 g3 */
        at[0] = __byte_perm(rg, rgb[2], 0x2410);
        at[1] = __byte_perm(__byte_perm(rg, rgb[2], 0x0053), gr, 0x5410);
        at[2] = __byte_perm(gr, rgb[2], 0x7326);
    }
    __device__ __forceinline__ void store_woven(uint8_t *row)
    {
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 3 * WIDTH / 8 / 32; i++) {
            const int chunk = 32 * i + (int)(threadIdx.x & 31);
            if (8 * chunk >= 3 * first && 8 * chunk < 3 * end) {
                *(uint2 *)(row + 8 * chunk) = ((const uint2 *)(shared + mixing_bytes))[chunk];
            }
        }
        __syncwarp();
    }

    /* The fourth warp: rows y to y + 3 have been put before the last turn; those in [low, high) are stored. */
    template <class T> __device__ __forceinline__ void finish(int y, int low, int high)
    {
#pragma unroll 1
        for (int row = max(low - y, 0); row < min(high - y, ROWS); row++) {
            const uint64_t at = (uint64_t)(uint32_t)(y + row - top) * pitch;
#pragma unroll
            for (int i = 0; i < RUNS / 32; i++) {
                const int g = 32 * i + (int)(threadIdx.x & 31);
                uint32_t rgb[3];
                mix<T>(row, g, rgb);
                if constexpr (INTER) {
                    weave(g, rgb);
                } else if (4 * g >= first && 4 * g < end) {
#pragma unroll
                    for (int c = 0; c < 3; c++) {
                        *(uint32_t *)(to[c] + at + (uint32_t)(4 * g)) = rgb[c];
                    }
                }
            }
            if constexpr (INTER) {
                store_woven(to[0] + at);
            }
        }
    }
};

#endif
