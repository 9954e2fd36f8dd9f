/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of sign-magnitude coefficients to values, two or one a word, every second sample of a lane's row. */
#ifndef WVL_CUDA_BLOCK_INVERSE_UNPACK_CUH
#define WVL_CUDA_BLOCK_INVERSE_UNPACK_CUH

#include "cuda/inverse_ops.h"

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

/* Two's complement of both halves at once. The sum carries out of no half: a zero has no sign. */
__device__ __forceinline__ void unpack_pair(uint32_t w, float, int32_t &a, int32_t &b)
{
    uint32_t sign = spread_bytes<0xbb99>(w), t = ((w & 0x7fff7fffu) ^ sign) + (sign & 0x00010001u);
    a = (int32_t)spread_bytes<0x9910>(t);
    b = (int32_t)t >> 16;
}

/* 2^23 + u with u = 2m + (m > 0) < 2^16 is a float; the fused multiply-add takes 2^23 * half_step off exactly and rounds u * half_step. */
__device__ __forceinline__ void unpack_pair(uint32_t w, float half_step, float &a, float &b)
{
    uint32_t m = w & 0x7fff7fffu, u = 2 * m + __vminu2(m, 0x00010001u);
    float base = -8388608.0f * half_step;
    a = __fmaf_rn(__uint_as_float(__byte_perm(u, 0x4B000000u, 0x7610)), half_step, base);
    b = __fmaf_rn(__uint_as_float(__byte_perm(u, 0x4B000000u, 0x7632)), half_step, base);
    a = __uint_as_float(__float_as_uint(a) ^ (w << 16 & 0x80000000u));
    b = __uint_as_float(__float_as_uint(b) ^ (w & 0x80000000u));
}

__device__ __forceinline__ void unpack_one(uint32_t w, float, int32_t &a)
{
    int32_t sign = (int32_t)w >> 31;
    a = ((int32_t)(w & 0x7fffffffu) ^ sign) - sign;
}

/* m < 2^23: 2^23 + m less 2^23 - 1/2 is exact. */
__device__ __forceinline__ void unpack_one(uint32_t w, float half_step, float &a)
{
    uint32_t m = w & 0x7fffffffu;
    float v = __fsub_rn(__uint_as_float(m | 0x4B000000u), 8388607.5f);
    v = m ? v : 0.0f;
    a = __uint_as_float(__float_as_uint(__fmul_rn(v, half_step + half_step)) ^ (w & 0x80000000u));
}

/* M coefficients of CB bytes to v[0], v[2], ... */
template <int M, int CB, class T> __device__ __forceinline__ void unpack_run(T *v, const uint32_t *w, float half_step)
{
    if constexpr (CB == 2) {
#pragma unroll
        for (int i = 0; i < M / 2; i++) {
            unpack_pair(w[i], half_step, v[4 * i], v[4 * i + 2]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < M; i++) {
            unpack_one(w[i], half_step, v[2 * i]);
        }
    }
}

#endif
