/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of sign-magnitude coefficients to values, two or one a word, every second sample of a lane's row. */
#ifndef WVL_CUDA_INVERSE_BLOCK_UNPACK_CUH
#define WVL_CUDA_INVERSE_BLOCK_UNPACK_CUH

#include "lab/cuda/inverse/ops.h"

/* Bytes of w by the nibbles of SELECT; 8 to b: the sign of byte 0 to 3 in all bits. */
template <uint32_t SELECT> __device__ __forceinline__ uint32_t spread_bytes(uint32_t w)
{
#ifdef __CUDA_ARCH__
    uint32_t r;
    asm("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(w), "n"(SELECT));
    return r;
#else
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t s = SELECT >> (4 * i) & 15, byte = s & 4 ? 0 : w >> (8 * (s & 3)) & 255;
        r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    return r;
#endif
}

/* min(m, 1), which compilers make a comparison and a selection of. */
__device__ __forceinline__ uint32_t least_one(uint32_t m)
{
#ifdef __CUDA_ARCH__
    uint32_t r;
    asm("min.u32 %0, %1, 1;" : "=r"(r) : "r"(m));
    return r;
#else
    return m ? 1 : 0;
#endif
}

/* 2m + one, which compilers take apart. */
__device__ __forceinline__ uint32_t twice_and(uint32_t m, uint32_t one)
{
#ifdef __CUDA_ARCH__
    uint32_t r;
    asm("mad.lo.u32 %0, %1, 2, %2;" : "=r"(r) : "r"(m), "r"(one));
    return r;
#else
    return 2 * m + one;
#endif
}

/* Halves added without a carry from one to the other. */
__device__ __forceinline__ uint32_t add_halves(uint32_t a, uint32_t b)
{
#if __CUDA_ARCH__ >= 900
    return __viaddmax_s16x2(a, b, 0x80008000u); /* one instruction */
#else
    return ((a & 0x7fff7fffu) + (b & 0x7fff7fffu)) ^ ((a ^ b) & 0x80008000u);
#endif
}

/* Two's complement of both halves at once. A zero may have a sign (geom/handover.h), here and below. */
__device__ __forceinline__ void unpack_pair(uint32_t w, float, int32_t &a, int32_t &b)
{
    uint32_t sign = spread_bytes<0xbb99>(w), t = add_halves((w & 0x7fff7fffu) ^ sign, sign & 0x00010001u);
    a = (int32_t)spread_bytes<0x9910>(t);
    b = (int32_t)t >> 16;
}

/*
 * A word of sign and u < 2^24 is the float +- u * 2^-149, below the normal ones (and of the first of those): one
 * multiplication by half_step * 2^149 makes +- u * half_step of it, with one rounding. That factor is beyond the
 * floats, so all samples of 9/7 are carried times WVL_INVERSE_UNIT; scaled: half_step with both powers. u = 2m + (m >
 * 0).
 */
template <bool DEEP> __device__ __forceinline__ float scale_step(float half_step)
{
    if (DEEP) {
        return __fmul_rn(half_step, WVL_INVERSE_UNIT); /* for unpack_deep() */
    }
    return __fmul_rn(__fmul_rn(half_step, 0x1p100f), WVL_INVERSE_UNIT * 0x1p49f); /* below 2^127, as tables.c sees to */
}

__device__ __forceinline__ void unpack_pair(uint32_t w, float scaled, float &a, float &b)
{
    uint32_t m = w & 0x7fff7fffu, u = twice_and(m, __vminu2(m, 0x00010001u)), sign = w & 0x80008000u;
    a = __fmul_rn(__uint_as_float(__byte_perm(u, sign, 0x5410)), scaled);
    b = __fmul_rn(__uint_as_float(__byte_perm(u, sign, 0x7632)), scaled);
}

__device__ __forceinline__ void unpack_one(uint32_t w, float, int32_t &a)
{
    int32_t sign = (int32_t)w >> 31;
    a = ((int32_t)(w & 0x7fffffffu) ^ sign) - sign;
}

/* m < 2^23; doubling drops the sign, which is added again. */
__device__ __forceinline__ void unpack_one(uint32_t w, float scaled, float &a)
{
    uint32_t rest = (w & 0x80000000u) | least_one(w & 0x7fffffffu);
    a = __fmul_rn(__uint_as_float(twice_and(w, rest)), scaled);
}

/* Any m; scaled: half_step times WVL_INVERSE_UNIT. */
__device__ __forceinline__ void unpack_deep(uint32_t w, float, int32_t &a) { unpack_one(w, 0, a); }
__device__ __forceinline__ void unpack_deep(uint32_t w, float scaled, float &a)
{
    float u = __uint2float_rn(twice_and(w, least_one(w & 0x7fffffffu)));
    a = __uint_as_float(__float_as_uint(__fmul_rn(u, scaled)) ^ (w & 0x80000000u));
}

/* M coefficients of CB bytes to v[0], v[2], ... */
template <int M, int CB, bool DEEP, class T>
__device__ __forceinline__ void unpack_run(T *v, const uint32_t *w, float scaled)
{
    if constexpr (CB == 2) {
#pragma unroll
        for (int i = 0; i < M / 2; i++) {
            unpack_pair(w[i], scaled, v[4 * i], v[4 * i + 2]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < M; i++) {
            if constexpr (DEEP) {
                unpack_deep(w[i], scaled, v[2 * i]);
            } else {
                unpack_one(w[i], scaled, v[2 * i]);
            }
        }
    }
}

#endif
