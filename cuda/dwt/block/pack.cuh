/* SPDX-License-Identifier: BSD-2-Clause */
/* Every second sample of a lane's row, quantised, to a cell row: vector stores, and the OR of the magnitudes. */
#ifndef WVL_CUDA_DWT_BLOCK_PACK_CUH
#define WVL_CUDA_DWT_BLOCK_PACK_CUH

#include <stdint.h>

#include "cuda/core/kernel_row.h"

/* 2^23 + |x| * r rounded toward zero leaves floor(|x| * r) in the low bits, where |x| * r < 2^23 (dwt/quant.h). */
__device__ __forceinline__ uint32_t magic_magnitude(float x, float r)
{
    return __float_as_uint(__fmaf_rz(fabsf(x), r, 8388608.0f));
}

/* Bounds may gather signs as well: the sender masks those. Of floats, a zero keeps its sign
 * (geom/handover.h). */

/* Two 16-bit coefficients. */
__device__ __forceinline__ uint32_t pack_pair(int32_t a, int32_t b, float, uint32_t &bound)
{
#if __CUDA_ARCH__ >= 900
    uint32_t v = __byte_perm((uint32_t)a, (uint32_t)b, 0x5410), magnitude = __vmaxs2(v, __vneg2(v));
    bound |= magnitude;
    return magnitude | (v & 0x80008000u);
#endif
    uint32_t m = __byte_perm((uint32_t)abs(a), (uint32_t)abs(b), 0x5410),
             s = __byte_perm((uint32_t)a, (uint32_t)b, 0x7632);
    bound |= m;
    return m | (s & 0x80008000u);
}

__device__ __forceinline__ uint32_t pack_pair(float a, float b, float r, uint32_t &bound)
{
    uint32_t m = __byte_perm(magic_magnitude(a, r), magic_magnitude(b, r), 0x5410);
    uint32_t s = __byte_perm(__float_as_uint(a), __float_as_uint(b), 0x7632), w = m | (s & 0x80008000u);
    bound |= w;
    return w;
}

/* floor(|x| * r) below 2^31: its multiple of 2^12 comes to rest in the mantissa of 2^35, what is left in that of 2^23;
 * the difference between is exact. With 2^35 goes what takes the exponent of 2^23 from their sum (and has shifted its
 * own out). */
__device__ __forceinline__ uint32_t deep_bits(float x, float r)
{
    const float at = 34359738368.0f + 3036676096.0f; /* 0xB5000000: minus the bits of 2^23 */
    const float high = __fmaf_rz(fabsf(x), r, at), low = __fmaf_rz(fabsf(x), r, __fsub_rn(at + 8388608.0f, high));
    return (__float_as_uint(high) << 12) + __float_as_uint(low);
}

__device__ __forceinline__ uint32_t pack_one(int32_t a, float, uint32_t &bound)
{
    uint32_t m = (uint32_t)abs(a);
    bound |= m;
    return m | ((uint32_t)a & 0x80000000u);
}

__device__ __forceinline__ uint32_t pack_one(float a, float r, uint32_t &bound)
{
    uint32_t w = (magic_magnitude(a, r) & 0x007fffffu) | (__float_as_uint(a) & 0x80000000u);
    bound |= w;
    return w;
}

__device__ __forceinline__ uint32_t pack_deep(int32_t a, float r, uint32_t &bound) { return pack_one(a, r, bound); }
__device__ __forceinline__ uint32_t pack_deep(float a, float r, uint32_t &bound)
{
    uint32_t w = deep_bits(a, r) | (__float_as_uint(a) & 0x80000000u);
    bound |= w;
    return w;
}

template <int WORDS> __device__ __forceinline__ void store_words(uint8_t *to, const uint32_t *w, bool keep)
{
    if (!keep) {
        return;
    }
    if (WORDS >= 4) {
#pragma unroll
        for (int i = 0; i < WORDS / 4; i++) {
            __stcs((uint4 *)to + i, make_uint4(w[4 * i], w[4 * i + 1], w[4 * i + 2], w[4 * i + 3]));
        }
    } else if (WORDS == 2) {
        __stcs((uint2 *)to, make_uint2(w[0], w[1]));
    } else {
        __stcs((uint32_t *)to, w[0]);
    }
}

template <int WORDS> __device__ __forceinline__ void store_plain(uint8_t *to, const uint32_t *w)
{
    if constexpr (WORDS == 4) {
        *(uint4 *)to = make_uint4(w[0], w[1], w[2], w[3]);
    } else if constexpr (WORDS == 2) {
        *(uint2 *)to = make_uint2(w[0], w[1]);
    } else {
        *(uint32_t *)to = w[0];
    }
}

/* Stores what the next launch reads: L2 keeps it while pixels and coefficients pass. */
template <int WORDS> __device__ __forceinline__ void store_kept(uint8_t *to, const uint32_t *w)
{
#if __CUDA_ARCH__ >= 800
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if constexpr (WORDS == 4) {
        asm volatile("st.global.L2::cache_hint.v4.b32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "r"(w[0]), "r"(w[1]),
                     "r"(w[2]), "r"(w[3]), "l"(policy)
                     : "memory");
    } else if constexpr (WORDS == 2) {
        asm volatile("st.global.L2::cache_hint.v2.b32 [%0], {%1, %2}, %3;" ::"l"(to), "r"(w[0]), "r"(w[1]), "l"(policy)
                     : "memory");
    } else {
        asm volatile("st.global.L2::cache_hint.b32 [%0], %1, %2;" ::"l"(to), "r"(w[0]), "l"(policy) : "memory");
    }
#else
    store_plain<WORDS>(to, w);
#endif
}

/* M coefficients v[0], v[2], ...; CB bytes each. DEPTH, of a kernel's row: whether magnitudes may exceed what
 * magic_magnitude proves. deep: the same for the whole warp, where the row says ANY. */
template <int M, int CB, int DEPTH = WVL_CUDA_DEPTH_ANY, class T>
__device__ __forceinline__ void put_run(uint8_t *to, const T *v, float r, bool deep, bool keep, uint32_t &bound)
{
    uint32_t w[M * CB / 4];
    if (CB == 4 && (DEPTH == WVL_CUDA_DEPTH_DEEP || (DEPTH == WVL_CUDA_DEPTH_ANY && deep))) {
#pragma unroll
        for (int i = 0; i < M; i++) {
            w[i < M * CB / 4 ? i : 0] = pack_deep(v[2 * i], r, bound);
        }
    } else {
#pragma unroll
        for (int i = 0; i < M * CB / 4; i++) {
            w[i] = CB == 2 ? pack_pair(v[4 * i], v[CB == 2 ? 4 * i + 2 : 0], r, bound) : pack_one(v[2 * i], r, bound);
        }
    }
    store_words<M * CB / 4>(to, w, keep);
}

/* The same of integers, 4 bytes each if `wide`, else 2. wide: the same for the whole warp. */
template <int M>
__device__ __forceinline__ void put_either(uint8_t *to, const int32_t *v, bool wide, bool keep, uint32_t &bound)
{
    if (wide) {
        put_run<M, 4, WVL_CUDA_DEPTH_TO23>(to, v, 1.0f, false, keep, bound);
    } else {
        put_run<M, 2, WVL_CUDA_DEPTH_TO23>(to, v, 1.0f, false, keep, bound);
    }
}

#endif
