/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first level of 5/3 from 8-bit samples, two columns a register as half floats: additions, and floors by
 * multiply-adds, run at twice the rate of integers and leave the integer unit to addresses. All values are integers (or
 * integers + 1/4) that half floats hold exactly:
 *
 *   floor(s / 2) = round(s * (1/2 - 2^-12) + 1024) - 1024 for 0 <= s <= 2047:
 *       s odd ends below the tie, s even less than 1/2 below itself
 *   floor((u + 2) / 4) = round(u * (1/4 + 2^-12) + 1024) - 1024 for 2 <= u <= 1023:
 *       u = 2 mod 4 ends above the tie, the others on their side of it
 *   floor((u + 2) / 4) = round((u + 1/2) / 4 + 1536) - 1536 for |u| <= 1023:
 *       no ties
 *
 * Ranges, for o and e from 0 to 255:
 *   vertically     d = o - floor((e + e') / 2) in [-255, 255], kept as d + 256
 *                  l = e + floor((d + d' + 2) / 4) in [-64, 319], kept as l + 128
 *   horizontally   |d| <= 383 from l and 510 from d, kept as d + 1/4; sums of two stay below 1024
 * The product of a coefficient and the smallest half float is its sign and magnitude.
 */
#ifndef WVL_CUDA_DWT_BLOCK_HALVES_CUH
#define WVL_CUDA_DWT_BLOCK_HALVES_CUH

#include <stdint.h>

#include "cuda/dwt/block/lift.cuh"
#include "cuda/dwt/block/pack.cuh"

/* Both halves of a register. */
enum : uint32_t {
    HALVES_QUARTER = 0x34003400u,      /* 1/4 */
    HALVES_QUARTER_MORE = 0x34013401u, /* 1/4 + 2^-12 */
    HALVES_HALF_LESS = 0x37ff37ffu,    /* 1/2 - 2^-12 */
    HALVES_1024 = 0x64006400u,
    HALVES_MINUS_1024 = 0xe400e400u,
    HALVES_1536 = 0x66006600u,
    HALVES_MINUS_2048 = 0xe800e800u,
    HALVES_MINUS_128 = 0xd800d800u,
    HALVES_MINUS_1792 = 0xe700e700u,
    HALVES_LEAST = 0x00010001u /* 2^-24 */
};
#define HALVES_OFFSET (0x6400 + 512) /* of what take_halves gives */

__device__ __forceinline__ uint32_t halves_add(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

__device__ __forceinline__ uint32_t halves_subtract(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

__device__ __forceinline__ uint32_t halves_fma(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

/* Two coefficients as the cells hold them. */
__device__ __forceinline__ uint32_t halves_sign(uint32_t a)
{
    uint32_t r;
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"((uint32_t)HALVES_LEAST));
    return r;
}

/* 16 columns of a lane: v[k] holds columns 4k and 4k + 2, v[4 + k] columns 4k + 1 and 4k + 3; each plus base. base:
 * 0x64646464 for 1024, 0x65.. for 1280. */
__device__ __forceinline__ void unpack_halves(uint32_t (&v)[8], const uint32_t (&raw)[4], uint32_t base)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = __byte_perm(raw[k], base, 0x4240);
        v[4 + k] = __byte_perm(raw[k], base, 0x4341);
    }
}

/* Down: after step(o, e), o is the high row k plus 256 and low the low row k plus 128. */
struct halves_column {
    uint32_t x[8], d1[8]; /* x: the even row above, minus 1024 */

    __device__ __forceinline__ void open(const uint32_t (&raw)[4])
    {
        uint32_t e[8];
        unpack_halves(e, raw, 0x64646464u);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            x[j] = halves_add(e[j], HALVES_MINUS_2048);
            d1[j] = 0;
        }
    }
    __device__ __forceinline__ void step(uint32_t (&o)[8], const uint32_t (&e)[8], uint32_t (&low)[8])
    {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            uint32_t d = halves_subtract(o[j], halves_fma(halves_add(x[j], e[j]), HALVES_HALF_LESS, HALVES_1024));
            low[j] = halves_add(x[j], halves_fma(halves_add(d1[j], d), HALVES_QUARTER_MORE, HALVES_1024));
            x[j] = halves_add(e[j], HALVES_MINUS_2048);
            o[j] = d1[j] = d;
        }
    }
};

/* Across, in place: even columns become the low half, plus 1536 + offset, odd ones the high half, plus 1/4. */
__device__ __forceinline__ void lift_halves(uint32_t (&v)[8], uint32_t offset, bool first, bool last)
{
    uint32_t right = __shfl_down_sync(FULL_WARP, v[0], 1);
    right = last ? __byte_perm(v[3], 0, 0x3232) : right;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t next = __byte_perm(v[k], k < 3 ? v[k < 3 ? k + 1 : 0] : right, 0x5432);
        uint32_t mean =
            halves_add(halves_fma(halves_add(v[k], next), HALVES_HALF_LESS, HALVES_1024), HALVES_MINUS_1024);
        v[4 + k] = halves_subtract(halves_add(v[4 + k], HALVES_QUARTER), mean);
    }
    uint32_t left = __shfl_up_sync(FULL_WARP, v[7], 1);
    left = first ? __byte_perm(v[4], 0, 0x1010) : left;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t before = __byte_perm(k ? v[k ? 3 + k : 0] : left, v[4 + k], 0x5432);
        v[k] =
            halves_add(halves_add(v[k], offset), halves_fma(halves_add(before, v[4 + k]), HALVES_QUARTER, HALVES_1536));
    }
}

/* Low halves plus 1536 as integers plus HALVES_OFFSET. */
__device__ __forceinline__ void take_halves(int32_t (&low)[8], const uint32_t (&v)[8])
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        low[2 * k] = (int32_t)(v[k] & 0xffffu);
        low[2 * k + 1] = (int32_t)(v[k] >> 16);
    }
}

/* Four registers of integers, or of integers plus 1/4, to a cell row. */
__device__ __forceinline__ void put_halves(uint8_t *to, const uint32_t *v, bool keep, uint32_t &bound)
{
    uint32_t w[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        w[k] = halves_sign(v[k]);
    }
    bound |= w[0] | w[1] | w[2] | w[3]; /* signs too: the reader masks them */
    store_words<4>(to, w, keep);
}

#endif
