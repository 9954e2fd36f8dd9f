/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors of LANES numbers, as wide as the instruction set has for which a file is compiled: 16 lanes with AVX-512, 8
 * with AVX2 and FMA, 4 with NEON. Operators work lane by lane; sums of `lanes` wrap. Twins that differ in the width
 * alone have one body, which is written with these.
 */
#pragma once

#include <stdint.h>
#include <string.h>

/* clang-format off */
#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES 16
#define LANES_NUMBERED {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#elif defined(__AVX2__)
#include <immintrin.h>
#define LANES 8
#define LANES_NUMBERED {0, 1, 2, 3, 4, 5, 6, 7}
#else
#include <arm_neon.h>
#define LANES 4
#define LANES_NUMBERED {0, 1, 2, 3}
#endif
/* clang-format on */

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef uint16_t halves __attribute__((vector_size(4 * LANES)));
typedef uint64_t pairs __attribute__((vector_size(4 * LANES)));

/* a b + c, rounded once; the OR of all lanes. */
#if defined(__AVX512F__)
static inline floats fused(floats a, floats b, floats c)
{
    return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
static inline uint32_t or_of(lanes v) { return (uint32_t)_mm512_reduce_or_epi32((__m512i)v); }
#elif defined(__AVX2__)
static inline floats fused(floats a, floats b, floats c)
{
    return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
static inline uint32_t or_of(lanes v)
{
    __m128i h = _mm_or_si128(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    uint64_t q = (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(h, _mm_unpackhi_epi64(h, h)));
    return (uint32_t)(q | q >> 32);
}
#else
static inline floats fused(floats a, floats b, floats c)
{
    return (floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
static inline uint32_t or_of(lanes v)
{
    uint64_t q = ((pairs)v)[0] | ((pairs)v)[1];
    return (uint32_t)(q | q >> 32);
}
#endif

static inline lanes take(const void *from)
{
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline floats take_floats(const void *from) { return (floats)take(from); }
static inline void put(void *to, lanes v) { memcpy(to, &v, sizeof v); }
static inline void put_floats(void *to, floats v) { memcpy(to, &v, sizeof v); }
static inline floats spread(float v) { return v - (floats){0}; }
