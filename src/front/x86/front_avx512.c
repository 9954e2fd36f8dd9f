/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX-512 twins of the loads and conversions that pictures commonly need. Masks end the loads: no byte beyond the
 * samples is read. */
#include "front/front.h"

#include <immintrin.h>

#include "front/color_ops.h"
#include "front/packed_pixels.h"

#if WVL_LINE_ROUND < 16
#error "lines lack the room that these kernels touch"
#endif

/* Level shift of sixteen values and the record of what was seen. */
typedef struct shift16 {
    __m512i bias, half, seen;
} shift16;

static inline shift16 shift16_of(wvl_front_shift shift)
{
    return (shift16){_mm512_set1_epi32((int)shift.bias), _mm512_set1_epi32((int)shift.half), _mm512_setzero_si512()};
}

static inline void put16(shift16 *s, __m512i value, __mmask16 lanes, int32_t *out)
{
    __m512i biased = _mm512_add_epi32(value, s->bias);
    s->seen = _mm512_mask_or_epi32(s->seen, lanes, s->seen, biased);
    _mm512_mask_storeu_epi32(out, lanes, _mm512_sub_epi32(biased, s->half));
}

static inline uint64_t first_bits(uint32_t n) { return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0); }

/* Up to sixteen values from memory; a constant after inlining. */
typedef __m512i (*widen16)(const uint8_t *p, __mmask16 lanes);
static inline __m512i widen_u8(const uint8_t *p, __mmask16 lanes)
{
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(lanes, p));
}
static inline __m512i widen_s8(const uint8_t *p, __mmask16 lanes)
{
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(lanes, p));
}
static inline __m512i widen_u16(const uint8_t *p, __mmask16 lanes)
{
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, p));
}
static inline __m512i widen_s16(const uint8_t *p, __mmask16 lanes)
{
    return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(lanes, p));
}
static inline __m512i widen_32(const uint8_t *p, __mmask16 lanes) { return _mm512_maskz_loadu_epi32(lanes, p); }

__attribute__((always_inline)) static inline uint32_t load_row(widen16 widen, uint32_t bytes, const uint8_t *p,
                                                               uint32_t n, wvl_front_shift shift, int32_t *out)
{
    shift16 s = shift16_of(shift);
    for (uint32_t i = 0; i < n; i += 16) {
        __mmask16 lanes = (__mmask16)first_bits(n - i);
        put16(&s, widen(p + (uint64_t)i * bytes, lanes), lanes, out + i);
    }
    return (uint32_t)_mm512_reduce_or_epi32(s.seen);
}

#define LOAD(name, widen, bytes)                                                                                       \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        (void)stride;                                                                                                  \
        return load_row(widen, bytes, row + first * (bytes), n, shift, out);                                           \
    }
LOAD(load_u8, widen_u8, 1)
LOAD(load_s8, widen_s8, 1)
LOAD(load_u16, widen_u16, 2)
LOAD(load_s16, widen_s16, 2)
LOAD(load_32, widen_32, 4)

/* Bytes 3i + p of 48, place p after place p - 1. */
static uint32_t load_u8x3(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift, int32_t *const *out)
{
    const __m512i thirds = _mm512_set_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 44, 41, 38, 35, 32, 29,
                                           26, 23, 20, 17, 14, 11, 8, 5, 2, 46, 43, 40, 37, 34, 31, 28, 25, 22, 19, 16,
                                           13, 10, 7, 4, 1, 45, 42, 39, 36, 33, 30, 27, 24, 21, 18, 15, 12, 9, 6, 3, 0);
    shift16 s = shift16_of(shift);
    for (uint32_t i = 0; i < n; i += 16) {
        uint32_t rest = n - i < 16 ? n - i : 16;
        __mmask16 lanes = (__mmask16)first_bits(rest);
        const uint8_t *p = row + 3 * (uint64_t)i;
        wvl_front_ask_for(p, next);
        __m512i v = _mm512_permutexvar_epi8(thirds, _mm512_maskz_loadu_epi8(first_bits(3 * rest), p));
        put16(&s, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(v)), lanes, out[0] + i);
        put16(&s, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 1)), lanes, out[1] + i);
        put16(&s, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v, 2)), lanes, out[2] + i);
    }
    return (uint32_t)_mm512_reduce_or_epi32(s.seen);
}

/* Words 3i + p of 48, of which the first vector has 32. */
static uint32_t load_u16x3(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift, int32_t *const *out)
{
    const __m512i first =
        _mm512_castsi256_si512(_mm256_setr_epi16(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45));
    shift16 s = shift16_of(shift);
    for (uint32_t i = 0; i < n; i += 16) {
        uint32_t rest = n - i < 16 ? n - i : 16;
        __mmask16 lanes = (__mmask16)first_bits(rest);
        uint64_t words = first_bits(3 * rest);
        const uint8_t *p = row + 6 * (uint64_t)i;
        wvl_front_ask_for(p, next);
        wvl_front_ask_for(p + 64, next);
        __m512i a = _mm512_maskz_loadu_epi16((__mmask32)words, p),
                b = _mm512_maskz_loadu_epi16((__mmask32)(words >> 32), p + 64);
        for (int place = 0; place < 3; place++) {
            __m512i v = _mm512_permutex2var_epi16(a, _mm512_add_epi16(first, _mm512_set1_epi16((int16_t)place)), b);
            put16(&s, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(v)), lanes, out[place] + i);
        }
    }
    return (uint32_t)_mm512_reduce_or_epi32(s.seen);
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

/* Bytes of `count` pixels; words are whole. */
static inline uint32_t pixel_bytes(wvl_packed_pixels l, uint32_t count)
{
    return l.exchange == 3 ? (count * l.pixel_bits + 31) / 32 * 4 : (count * l.pixel_bits + 7) / 8;
}

/* Sixteen pixels take up to 64 bytes, or up to 96: those have a second vector. */
__attribute__((always_inline)) static inline uint32_t load_pixels(wvl_packed_pixels l, const uint8_t *row,
                                                                  ptrdiff_t next, uint32_t n, wvl_front_shift shift,
                                                                  int32_t *const *out)
{
    const windows16 windows[3] = {windows16_of(l, 0), windows16_of(l, 1), windows16_of(l, 2)};
    const __m512i mask = _mm512_set1_epi32((1 << l.bits) - 1);
    shift16 s = shift16_of(shift);
    for (uint32_t i = 0; i < n; i += 16) {
        uint32_t rest = n - i < 16 ? n - i : 16, bytes = pixel_bytes(l, rest);
        __mmask16 lanes = (__mmask16)first_bits(rest);
        const uint8_t *p = row + (uint64_t)i / 16 * (2 * l.pixel_bits);
        wvl_front_ask_for(p, next);
        __m512i a = _mm512_maskz_loadu_epi8(first_bits(bytes), p), b = a;
        if (l.pixel_bits > 32) {
            wvl_front_ask_for(p + 64, next);
            b = _mm512_maskz_loadu_epi8(first_bits(bytes < 64 ? 0 : bytes - 64), p + 64);
        }
        for (unsigned c = 0; c < 3; c++) {
            __m512i v = l.pixel_bits > 32 ? _mm512_permutex2var_epi8(a, windows[c].look_up, b)
                                          : _mm512_permutexvar_epi8(windows[c].look_up, a);
            put16(&s, _mm512_and_si512(_mm512_srlv_epi32(v, windows[c].shift), mask), lanes, out[c] + i);
        }
    }
    return (uint32_t)_mm512_reduce_or_epi32(s.seen);
}

WVL_PACKED_PIXELS(WVL_LOAD_PIXELS)

static void to_f32(const int32_t *const *in, uint32_t n, void *const *out)
{
    for (uint32_t i = 0; i < n; i += 16) {
        _mm512_storeu_ps((float *)out[0] + i, _mm512_cvtepi32_ps(_mm512_loadu_si512(in[0] + i)));
    }
}

static void rct(const int32_t *const *in, uint32_t n, void *const *out)
{
    int32_t *luma = out[0], *u = out[1], *v = out[2];
    for (uint32_t i = 0; i < n; i += 16) {
        __m512i r = _mm512_loadu_si512(in[0] + i), g = _mm512_loadu_si512(in[1] + i), b = _mm512_loadu_si512(in[2] + i);
        __m512i sum = _mm512_add_epi32(_mm512_add_epi32(r, b), _mm512_add_epi32(g, g));
        _mm512_storeu_si512(luma + i, _mm512_srai_epi32(sum, 2));
        _mm512_storeu_si512(u + i, _mm512_sub_epi32(b, g));
        _mm512_storeu_si512(v + i, _mm512_sub_epi32(r, g));
    }
}

static void ict(const int32_t *const *in, uint32_t n, void *const *out)
{
    const __m512 kr = _mm512_set1_ps(WVL_ICT_RED), kg = _mm512_set1_ps(WVL_ICT_GREEN),
                 kb = _mm512_set1_ps(WVL_ICT_BLUE);
    float *luma = out[0], *cb = out[1], *cr = out[2];
    for (uint32_t i = 0; i < n; i += 16) {
        __m512 r = _mm512_cvtepi32_ps(_mm512_loadu_si512(in[0] + i)),
               g = _mm512_cvtepi32_ps(_mm512_loadu_si512(in[1] + i));
        __m512 b = _mm512_cvtepi32_ps(_mm512_loadu_si512(in[2] + i)),
               y = _mm512_fmadd_ps(kr, r, _mm512_fmadd_ps(kg, g, _mm512_mul_ps(kb, b)));
        _mm512_storeu_ps(luma + i, y);
        _mm512_storeu_ps(cb + i, _mm512_sub_ps(b, y));
        _mm512_storeu_ps(cr + i, _mm512_sub_ps(r, y));
    }
}

const wvl_front_kernels wvl_front_kernels_avx512 = {
    WVL_CPU_AVX512,
    {NULL},
    {load_u8, load_s8, load_u16, load_s16, load_32},
    {load_u8x3, NULL, load_u16x3, NULL, NULL, load_packed10x3, load_packed12x3, load_filled10x3_be, load_filled10x3_le,
     load_filled12x3_be, load_filled12x3_le, load_words12x3_be, load_words12x3_le, load_words10x3_be, load_words10x3_le,
     load_u16x3_be},
    {NULL, to_f32, rct, NULL, ict},
    {NULL, NULL, wvl_front_put_xyz_avx2},
};
