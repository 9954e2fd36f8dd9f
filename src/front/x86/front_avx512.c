/* SPDX-License-Identifier: BSD-2-Clause */
/* The AVX-512 twins of front_c.c: sixteen lanes. */
#include "front/front_steps.h"

static inline __m128i load128(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline __m256i load256(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }

static inline step widen_u8(const uint8_t *p) { return (step){{(lanes)_mm512_cvtepu8_epi32(load128(p))}}; }
static inline step widen_s8(const uint8_t *p) { return (step){{(lanes)_mm512_cvtepi8_epi32(load128(p))}}; }
static inline step widen_u16(const uint8_t *p) { return (step){{(lanes)_mm512_cvtepu16_epi32(load256(p))}}; }
static inline step widen_s16(const uint8_t *p) { return (step){{(lanes)_mm512_cvtepi16_epi32(load256(p))}}; }
static inline step widen_32(const uint8_t *p) { return (step){{take(p)}}; }

/* The first `bytes` bytes, and zeros. */
static inline __m512i load_first(const uint8_t *p, uint32_t bytes)
{
    return _mm512_maskz_loadu_epi8(bytes < 64 ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX, p);
}

/* Bytes 3i + p of 48, place p after place p - 1. */
static inline pixels take_u8x3(wvl_packed_pixels l, const uint8_t *p)
{
    const __m512i thirds = _mm512_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 44, 41, 38, 35, 32, 29,
                                           26, 23, 20, 17, 14, 11, 8, 5, 2, 46, 43, 40, 37, 34, 31, 28, 25, 22, 19, 16,
                                           13, 10, 7, 4, 1, 45, 42, 39, 36, 33, 30, 27, 24, 21, 18, 15, 12, 9, 6, 3, 0);
    (void)l;
    __m512i v = _mm512_permutexvar_epi8(thirds, load_first(p, 48));
    return (pixels){{{(lanes)_mm512_cvtepu8_epi32(_mm512_castsi512_si128(v))},
                     {(lanes)_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 1))},
                     {(lanes)_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 2))}}};
}

/* Bytes of memory for windows of 32 bits, and how far down samples lie in them. A word of three samples is one window;
 * else each sample has its own, and begins in the first of its bytes. */
typedef struct windows16 {
    __m512i look_up, shift;
} windows16;

__attribute__((always_inline)) static inline windows16 windows16_of(wvl_packed_pixels l, uint32_t c)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                  each = _mm512_set1_epi32(0x01010101), order = _mm512_set1_epi32(l.from_top ? 0x00010203 : 0x03020100);
    uint32_t within = l.pixel_bits == 32 ? c * l.step : 0, before = c * l.step - within;
    __m512i bit = _mm512_add_epi32(_mm512_mullo_epi32(lane, _mm512_set1_epi32((int)l.pixel_bits)),
                                   _mm512_set1_epi32((int)before));
    __m512i byte = _mm512_mullo_epi32(_mm512_srli_epi32(bit, 3), each),
            skip = _mm512_add_epi32(_mm512_and_si512(bit, _mm512_set1_epi32(7)), _mm512_set1_epi32((int)within));
    return (windows16){
        _mm512_xor_si512(_mm512_add_epi32(byte, order), _mm512_mullo_epi32(_mm512_set1_epi32((int)l.exchange), each)),
        l.from_top ? _mm512_sub_epi32(_mm512_set1_epi32((int)(32 - l.bits)), skip) : skip};
}

/* Words 3i + c of 48, of which the first vector has 32. */
static inline lanes pick_words(__m512i a, __m512i b, unsigned c)
{
    const __m512i first =
        _mm512_castsi256_si512(_mm256_setr_epi16(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45));
    __m512i words = _mm512_permutex2var_epi16(a, _mm512_add_epi16(first, _mm512_set1_epi16((int16_t)c)), b);
    return (lanes)_mm512_cvtepu16_epi32(_mm512_castsi512_si256(words));
}

/* Sixteen pixels take up to 64 bytes, or up to 96: those have a second vector. */
#define PIXELS_ROOM 0
__attribute__((always_inline)) static inline pixels take_pixels(wvl_packed_pixels l, const uint8_t *p)
{
    const __m512i mask = _mm512_set1_epi32((1 << l.bits) - 1);
    const uint32_t bytes = 2 * l.pixel_bits;
    __m512i a = load_first(p, bytes), b = bytes > 64 ? load_first(p + 64, bytes - 64) : a;
    pixels v;
    for (unsigned c = 0; c < 3; c++) {
        windows16 window = windows16_of(l, c);
        __m512i bits =
            bytes > 64 ? _mm512_permutex2var_epi8(a, window.look_up, b) : _mm512_permutexvar_epi8(window.look_up, a);
        v.part[c][0] = l.kind == WVL_LOAD_U16 ? pick_words(a, b, c)
                                              : (lanes)_mm512_and_si512(_mm512_srlv_epi32(bits, window.shift), mask);
    }
    return v;
}

#include "front/front_lanes.h"

const wvl_front_kernels wvl_front_kernels_avx512 = FRONT_KERNELS(WVL_CPU_AVX512, wvl_front_put_xyz_avx2);
