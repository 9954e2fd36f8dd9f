/* SPDX-License-Identifier: BSD-2-Clause */
/* Finished rows: to a plane, to pixels, or to the other components' warps first. C columns a lane. */
#ifndef WVL_CUDA_INVERSE_BLOCK_STORE_CUH
#define WVL_CUDA_INVERSE_BLOCK_STORE_CUH

#include "cuda/core/meet.cuh"
#include "lab/cuda/inverse/block/lift.cuh"
#include "lab/cuda/inverse/block/ring.cuh"
#include "lab/cuda/inverse/ops.h"
#include "lab/cuda/inverse/tuning.h"

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
    uint32_t low = (uint32_t)(v[0] < 0       ? 0
                              : v[0] > 65535 ? 65535
                                             : v[0]),
             high = (uint32_t)(v[1] < 0       ? 0
                               : v[1] > 65535 ? 65535
                                              : v[1]);
    return low | high << 16;
#endif
}

/* Floats times WVL_INVERSE_UNIT: wvl_inverse_store(). */
__device__ __forceinline__ uint32_t pack_bytes(const float *v, wvl_inverse_scale s)
{
    int32_t whole[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        whole[i] = __float2int_rn(
            __fmaf_rn(v[i], 1 / WVL_INVERSE_UNIT, s.half)); /* two of them and the packing are one instruction on 9.0 */
    }
    return pack_bytes(whole, s);
}

__device__ __forceinline__ uint32_t scaled_bits(float v, wvl_inverse_scale s)
{
    return __float_as_uint(
        __fmaf_rn(__saturatef(__fmaf_rn(v, __fmul_rn(s.down, 1 / WVL_INVERSE_UNIT), s.shift)), s.up, 8388608.0f));
}

__device__ __forceinline__ uint32_t pack_words(const float *v, wvl_inverse_scale s)
{
    return __byte_perm(scaled_bits(v[0], s), scaled_bits(v[1], s), 0x5410);
}

__device__ __forceinline__ uint32_t raw_bits(int32_t v) { return (uint32_t)v; }
__device__ __forceinline__ uint32_t raw_bits(float v) { return __float_as_uint(v); }

__device__ __forceinline__ constexpr bool integers(const int32_t *) { return true; }
__device__ __forceinline__ constexpr bool integers(const float *) { return false; }

__device__ __forceinline__ void from_bits(uint32_t v, int32_t &x) { x = (int32_t)v; }
__device__ __forceinline__ void from_bits(uint32_t v, float &x) { x = __uint_as_float(v); }

/* To global memory, which the compiler cannot know (a store that might go to shared memory would hold up the reads
 * behind it), without a branch. */
__device__ __forceinline__ void store_words(uint8_t *to, bool keep, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p st.global.v4.u32 [%0], {%1, %2, %3, %4}; }" ::"l"(to),
                 "r"(a), "r"(b), "r"(c), "r"(d), "r"((uint32_t)keep));
#else
    if (keep) {
        *(uint4 *)to = make_uint4(a, b, c, d);
    }
#endif
}

__device__ __forceinline__ void store_words(uint8_t *to, bool keep, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p st.global.v2.u32 [%0], {%1, %2}; }" ::"l"(to), "r"(a),
                 "r"(b), "r"((uint32_t)keep));
#else
    if (keep) {
        *(uint2 *)to = make_uint2(a, b);
    }
#endif
}

__device__ __forceinline__ void store_words(uint8_t *to, bool keep, uint32_t a)
{
#ifdef __CUDA_ARCH__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u32 [%0], %1; }" ::"l"(to), "r"(a),
                 "r"((uint32_t)keep));
#else
    if (keep) {
        *(uint32_t *)to = a;
    }
#endif
}

template <int WORDS> __device__ __forceinline__ void store_run(uint8_t *to, bool keep, const uint32_t (&w)[WORDS])
{
    if constexpr (WORDS % 4 == 0) {
#pragma unroll
        for (int i = 0; i < WORDS; i += 4) {
            store_words(to + 4 * i, keep, w[i], w[i + 1], w[i + 2], w[i + 3]);
        }
    } else {
        store_words(to, keep, w[0], w[1]);
    }
}

/* The columns of a warp: lane 0 begins at `left`; lanes [first, end) are this warp's to store, the others lend their
 * neighbours a hand. */
struct panel {
    uint32_t left;
    int columns, first, end;

    __device__ __forceinline__ int column() const { return (int)(threadIdx.x & 31) * columns; }
    __device__ __forceinline__ bool owns() const
    {
        return (int)(threadIdx.x & 31) >= first && (int)(threadIdx.x & 31) < end;
    }
};

/* To the plane between levels. */
template <int COLUMNS> struct plane_out {
    static constexpr int C = COLUMNS, parts = 1, warps = 1, shared_bytes = 0;
    static constexpr bool pixels = false;
    uint8_t *to; /* row 0, which there need not be */
    uint32_t pitch;
    bool mine;

    __device__ __forceinline__ void open(const wvl_cuda_inverse_split *splits, uint8_t *, const panel &s)
    {
        const wvl_cuda_plane &p = splits->out;
        to = (uint8_t *)p.data + (int64_t)((int)(s.left - p.x0) + s.column()) * 4 -
             (int64_t)p.y0 * (int64_t)p.pitch_bytes;
        pitch = (uint32_t)p.pitch_bytes;
        mine = s.owns();
    }
    /* Rows y and y + 1. */
    template <int, class T>
    __device__ __forceinline__ void put_pair(int y, const T (&v)[C], bool keep_v, const T (&w)[C], bool keep_w, bool)
    {
        put(y, v, keep_v);
        put(y + 1, w, keep_w);
    }
    template <class T> __device__ __forceinline__ void put(int y, const T (&v)[C], bool keep)
    {
        uint32_t w[C];
#pragma unroll
        for (int j = 0; j < C; j++) {
            w[j] = raw_bits(v[j]);
        }
        store_run<C>(to + (uint64_t)(uint32_t)y * pitch, mine && keep, w);
    }
};

/* To pixels of one component in B bytes each. */
template <int COLUMNS, int B> struct gray_out {
    static constexpr int C = COLUMNS, parts = 1, warps = 1, shared_bytes = 0;
    static constexpr bool pixels = true;
    uint8_t *to; /* row 0, which there need not be */
    uint32_t pitch;
    wvl_inverse_scale scale;
    uint32_t most; /* of two 16-bit samples */
    bool mine;

    __device__ __forceinline__ void open(const wvl_cuda_inverse_split *splits, uint8_t *, const panel &s)
    {
        const wvl_cuda_pixels &p = splits->pixels;
        to = (uint8_t *)p.data + (int64_t)((int)(s.left - p.x0) + s.column()) * B - (int64_t)p.y0 * p.pitch_bytes;
        pitch = (uint32_t)p.pitch_bytes;
        scale = wvl_inverse_set_scale(p.depth, p.half);
        most = ((1u << p.depth) - 1) * 0x10001u;
        mine = s.owns();
    }
    template <int, class T>
    __device__ __forceinline__ void put_pair(int y, const T (&v)[C], bool keep_v, const T (&w)[C], bool keep_w, bool)
    {
        put(y, v, keep_v);
        put(y + 1, w, keep_w);
    }
    template <class T> __device__ __forceinline__ void put(int y, const T (&v)[C], bool keep)
    {
        uint32_t w[C * B / 4];
#pragma unroll
        for (int i = 0; i < C * B / 4; i++) {
            if constexpr (B == 1) {
                w[i] = pack_bytes(v + 4 * i, scale);
            } else {
                w[i] = pack_words(v + 2 * i, scale);
                w[i] = integers(v) ? __vminu2(w[i], most) : w[i]; /* floats are clamped by scale */
            }
        }
        store_run<C * B / 4>(to + (uint64_t)(uint32_t)y * pitch, mine && keep, w);
    }
};

/* Of three components' warps and the fourth. */
__device__ __forceinline__ int warp_part()
{
    return __shfl_sync(WHOLE_WARP, (int)(threadIdx.x >> 5),
                       0); /* so that the compiler knows it to be the same for all lanes */
}

/*
 * To three 8-bit components. Each has a warp of its own; two rows at a time meet in shared memory, where a fourth warp
 * takes them while the others are at the next two: it undoes the colour transform and packs. Interleaved pixels pass
 * through shared memory once more, so that the warp stores whole sectors.
 */
template <int COLUMNS, bool INTER> struct color_out {
    static constexpr int C = COLUMNS, parts = 3, warps = 4, WIDTH = 32 * C, RUNS = WIDTH / 4 / 32;
    static constexpr int PIECES = C / 4; /* of a lane, 4 columns each */
    static constexpr int APART = C == 8 ? 36 : 34,
                         ROW = PIECES * APART;    /* in 16 bytes: eight runs of a row lie in different banks */
    static constexpr int CHUNK = C == 8 ? 8 : 16; /* bytes that a lane stores of interleaved pixels */
    static constexpr int BUFFERS = C == 8 ? 2 : 1, PART = 2 * ROW, BUFFER = parts * PART;
    static constexpr int mixing_bytes = BUFFERS * BUFFER * 16,
                         shared_bytes = mixing_bytes + (INTER ? 2 * 3 * WIDTH : 0);
    static constexpr bool pixels = true;
    uint8_t *to[INTER ? 1 : 3], *shared;
    uint32_t pitch;
    int first, end; /* first, end: columns of the panel that the block owns */
    wvl_inverse_scale scale;
    int part; /* of this warp */

    __device__ __forceinline__ void open(const wvl_cuda_inverse_split *splits, uint8_t *memory, const panel &s)
    {
        const wvl_cuda_pixels &p = splits->pixels;
        shared = memory;
        part = warp_part();
        first = s.first * C;
        end = s.end * C;
        pitch = (uint32_t)p.pitch_bytes;
        scale = wvl_inverse_set_scale(p.depth, p.half);
#pragma unroll
        for (int i = 0; i < (INTER ? 1 : 3); i++) {
            to[i] = (uint8_t *)splits[i].pixels.data + (uint64_t)(s.left - p.x0) * (INTER ? 3 : 1) -
                    (int64_t)p.y0 * p.pitch_bytes;
        }
    }

    /* Barriers of the buffer that the first (0) or second (1) two rows of an iteration go to, one for each component:
     * none waits for another. */
    __device__ static constexpr int buffer(int half) { return half % BUFFERS; }
    __device__ static constexpr int full(int half, int of) { return 1 + parts * buffer(half) + of; }
    __device__ static constexpr int empty(int half, int of) { return 1 + parts * (BUFFERS + buffer(half)) + of; }

    template <class T> __device__ __forceinline__ void put(uint4 *at, const T (&v)[C])
    {
#pragma unroll
        for (int j = 0; j < C; j += 4) {
            at[j / 4 * APART] = make_uint4(raw_bits(v[j]), raw_bits(v[j + 1]), raw_bits(v[j + 2]), raw_bits(v[j + 3]));
        }
    }
    template <int HALF, class T>
    __device__ __forceinline__ void put_pair(int, const T (&v)[C], bool, const T (&w)[C], bool, bool taken)
    {
        if (taken) {
            uint4 *at = (uint4 *)shared + buffer(HALF) * BUFFER + part * PART + (int)(threadIdx.x & 31);
            wait_at<64>(empty(HALF, part));
            put(at, v);
            put(at + ROW, w);
            arrive_at<64>(full(HALF, part));
        }
    }

    static __device__ __forceinline__ void undo(int32_t &a, int32_t &b, int32_t &c) { wvl_inverse_rct(&a, &b, &c); }
    static __device__ __forceinline__ void undo(float &a, float &b, float &c) { wvl_inverse_ict(&a, &b, &c); }

    /* Four pixels to words of one component each. */
    template <class T> __device__ __forceinline__ void mix(const uint4 (&in)[3], uint32_t (&rgb)[3])
    {
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

    __device__ __forceinline__ void weave(uint8_t *row, int g, const uint32_t (&rgb)[3])
    {
        uint32_t *at = (uint32_t *)row + g * 3;
        uint32_t rg = __byte_perm(rgb[0], rgb[1], 0x5140),
                 gr = __byte_perm(rgb[0], rgb[1], 0x7362); /* r0 g0 r1 g1, r2 g2 r3 g3 */
        at[0] = __byte_perm(rg, rgb[2], 0x2410);
        at[1] = __byte_perm(__byte_perm(rg, rgb[2], 0x0053), gr, 0x5410);
        at[2] = __byte_perm(gr, rgb[2], 0x7326);
    }
    __device__ __forceinline__ void store_woven(uint8_t *row, const uint8_t *woven, bool keep)
    {
#pragma unroll
        for (int i = 0; i < 3 * WIDTH / CHUNK / 32; i++) {
            const int at = CHUNK * (32 * i + (int)(threadIdx.x & 31));
            uint32_t w[CHUNK / 4];
            read_piece<CHUNK>(w, woven + at);
            store_run<CHUNK / 4>(row + at, keep && at >= 3 * first && at < 3 * end, w);
        }
    }

    /* The fourth warp: all buffers are empty. */
    __device__ __forceinline__ void begin_finishing()
    {
#pragma unroll
        for (int of = 0; of < BUFFERS * parts; of++) {
            arrive_at<64>(empty(of / parts, of % parts));
        }
    }
    /* It takes rows y and y + 1, of which those in [low, high) are stored. again: somebody will wait for the buffer. */
    template <int HALF, class T> __device__ __forceinline__ void finish(int y, int low, int high, bool again)
    {
        const int lane = threadIdx.x & 31;
        uint4 in[2 * RUNS][3];
#pragma unroll
        for (int of = 0; of < parts; of++) {
            wait_at<64>(full(HALF, of));
        }
#pragma unroll
        for (int i = 0; i < 2 * RUNS; i++) {
            const int g = 32 * (i % RUNS) + lane;
            const uint4 *at =
                (const uint4 *)shared + buffer(HALF) * BUFFER + i / RUNS * ROW + g % PIECES * APART + g / PIECES;
            in[i][0] = at[0];
            in[i][1] = at[PART];
            in[i][2] = at[2 * PART];
        }
#pragma unroll
        for (int of = 0; of < parts && again; of++) {
            arrive_at<64>(empty(HALF, of));
        }
        uint8_t *woven = shared + mixing_bytes;
#pragma unroll
        for (int i = 0; i < 2 * RUNS; i++) {
            const int g = 32 * (i % RUNS) + lane, row = y + i / RUNS;
            uint32_t rgb[3];
            mix<T>(in[i], rgb);
            if constexpr (INTER) {
                weave(woven + i / RUNS * 3 * WIDTH, g, rgb);
            } else {
#pragma unroll
                for (int c = 0; c < 3; c++) {
                    store_words(to[c] + (uint64_t)(uint32_t)row * pitch + (uint32_t)(4 * g),
                                row >= low && row < high && 4 * g >= first && 4 * g < end, rgb[c]);
                }
            }
        }
        if constexpr (INTER) {
            __syncwarp();
            store_woven(to[0] + (uint64_t)(uint32_t)y * pitch, woven, y >= low && y < high);
            store_woven(to[0] + (uint64_t)(uint32_t)(y + 1) * pitch, woven + 3 * WIDTH, y + 1 >= low && y + 1 < high);
            __syncwarp();
        }
    }
};

#endif
