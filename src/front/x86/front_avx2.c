/* SPDX-License-Identifier: BSD-2-Clause */
/* AVX2 and FMA twins of the loads and conversions that pictures commonly need. Loads never read beyond their samples:
 * what is left after the last whole vector is done one by one. */
#include "front/front.h"

#include <immintrin.h>
#include <string.h>

#include "front/color_ops.h"
#include "front/packed_pixels.h"

#if WVL_LINE_ROUND < 8
#error "lines lack the room that these kernels touch"
#endif

/* Level shift of eight values and the record of what was seen. */
typedef struct shift8 {
    __m256i bias, half, seen;
} shift8;

static inline shift8 shift8_of(wvl_front_shift shift)
{
    shift8 s = {_mm256_set1_epi32((int)shift.bias), _mm256_set1_epi32((int)shift.half), _mm256_setzero_si256()};
    return s;
}

static inline void put8(shift8 *s, __m256i value, int32_t *out)
{
    __m256i biased = _mm256_add_epi32(value, s->bias);
    s->seen = _mm256_or_si256(s->seen, biased);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_sub_epi32(biased, s->half));
}

static inline uint32_t seen8(const shift8 *s)
{
    __m128i h = _mm_or_si128(_mm256_castsi256_si128(s->seen), _mm256_extracti128_si256(s->seen, 1));
    uint64_t q = (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(h, _mm_unpackhi_epi64(h, h)));
    return (uint32_t)(q | q >> 32);
}

static inline __m128i load128(const void *p) { return _mm_loadu_si128((const __m128i *)p); }

/* Eight values from memory; a constant after inlining. */
typedef __m256i (*widen8)(const uint8_t *p);
static inline __m256i widen_u8(const uint8_t *p)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
static inline __m256i widen_s8(const uint8_t *p)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}
static inline __m256i widen_u16(const uint8_t *p) { return _mm256_cvtepu16_epi32(load128(p)); }
static inline __m256i widen_s16(const uint8_t *p) { return _mm256_cvtepi16_epi32(load128(p)); }
static inline __m256i widen_32(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }

__attribute__((always_inline)) static inline uint32_t load_row(unsigned kind, widen8 widen, uint32_t bytes,
                                                               const uint8_t *row, uint64_t first, uint32_t n,
                                                               wvl_front_shift shift, int32_t *out)
{
    const uint8_t *p = row + first * bytes;
    shift8 s = shift8_of(shift);
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        put8(&s, widen(p + (uint64_t)i * bytes), out + i);
    }
    return seen8(&s) | wvl_front_fetch_kernels(WVL_CPU_C)->strided[kind](p, i, 1, n - i, shift, out + i);
}

#define LOAD(name, kind, widen, bytes)                                                                                 \
    static uint32_t name(const uint8_t *row, uint64_t first, uint64_t stride, uint32_t n, wvl_front_shift shift,       \
                         int32_t *out)                                                                                 \
    {                                                                                                                  \
        (void)stride;                                                                                                  \
        return load_row(kind, widen, bytes, row, first, n, shift, out);                                                \
    }
LOAD(load_u8, WVL_LOAD_U8, widen_u8, 1)
LOAD(load_s8, WVL_LOAD_S8, widen_s8, 1)
LOAD(load_u16, WVL_LOAD_U16, widen_u16, 2)
LOAD(load_s16, WVL_LOAD_S16, widen_s16, 2)
LOAD(load_32, WVL_LOAD_32, widen_32, 4)

/* What is left of interleaved triples, and all there is in short rows. */
static uint32_t load_triple_rest(unsigned kind, const uint8_t *row, uint32_t from, uint32_t n, wvl_front_shift shift,
                                 int32_t *const *out)
{
    wvl_front_load1 load = wvl_front_fetch_kernels(WVL_CPU_C)->strided[kind];
    uint32_t seen = 0;
    for (unsigned place = 0; place < 3; place++) {
        seen |= load(row, 3 * (uint64_t)from + place, 3, n - from, shift, out[place] + from);
    }
    return seen;
}

/* Byte b of place p is byte 3b + p of 48: each of the three vectors gives the bytes it has, the rest are 0. */
static inline __m128i gather_bytes(__m128i a, __m128i b, __m128i c, const int8_t (*pick)[16])
{
    __m128i from_a = _mm_shuffle_epi8(a, load128(pick[0])), from_b = _mm_shuffle_epi8(b, load128(pick[1]));
    return _mm_or_si128(_mm_or_si128(from_a, from_b), _mm_shuffle_epi8(c, load128(pick[2])));
}

/* pick[place][vector]: 16 pixels of bytes. */
static const int8_t pick_bytes[3][3][16] = {
    {{0, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, 2, 5, 8, 11, 14, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 4, 7, 10, 13}},
    {{1, 4, 7, 10, 13, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, 0, 3, 6, 9, 12, 15, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 5, 8, 11, 14}},
    {{2, 5, 8, 11, 14, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, 1, 4, 7, 10, 13, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 3, 6, 9, 12, 15}},
};

/* The same for 8 pixels of 16-bit samples. */
static const int8_t pick_words[3][3][16] = {
    {{0, 1, 6, 7, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, 2, 3, 8, 9, 14, 15, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 4, 5, 10, 11}},
    {{2, 3, 8, 9, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, 4, 5, 10, 11, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 6, 7, 12, 13}},
    {{4, 5, 10, 11, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, 0, 1, 6, 7, 12, 13, -1, -1, -1, -1, -1, -1},
     {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 3, 8, 9, 14, 15}},
};

static uint32_t load_u8x3(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift, int32_t *const *out)
{
    shift8 s = shift8_of(shift);
    uint32_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const uint8_t *p = row + 3 * (uint64_t)i;
        wvl_front_ask_for(p, next);
        __m128i a = load128(p), b = load128(p + 16), c = load128(p + 32);
        for (unsigned place = 0; place < 3; place++) {
            __m128i bytes = gather_bytes(a, b, c, pick_bytes[place]);
            put8(&s, _mm256_cvtepu8_epi32(bytes), out[place] + i);
            put8(&s, _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(bytes, bytes)), out[place] + i + 8);
        }
    }
    return seen8(&s) | load_triple_rest(WVL_LOAD_U8, row, i, n, shift, out);
}

static uint32_t load_u16x3(const uint8_t *row, ptrdiff_t next, uint32_t n, wvl_front_shift shift, int32_t *const *out)
{
    shift8 s = shift8_of(shift);
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const uint8_t *p = row + 6 * (uint64_t)i;
        wvl_front_ask_for(p, next);
        __m128i a = load128(p), b = load128(p + 16), c = load128(p + 32);
        for (unsigned place = 0; place < 3; place++) {
            put8(&s, _mm256_cvtepu16_epi32(gather_bytes(a, b, c, pick_words[place])), out[place] + i);
        }
    }
    return seen8(&s) | load_triple_rest(WVL_LOAD_U16, row, i, n, shift, out);
}

/* Windows of pixels i, i + 1, i + 4 and i + 5, whose bytes lie in 16 from a word on by twos. */
__attribute__((always_inline)) static inline __m256i window4(wvl_packed_pixels l, const uint8_t *p, uint32_t i)
{
    uint32_t low = wvl_packed_word(l, i), high = wvl_packed_word(l, i + 4);
    __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(load128(p + low)), load128(p + high), 1);
    return _mm256_shuffle_epi8(bytes, _mm256_setr_epi64x((int64_t)wvl_packed_look_up(l, i, low),
                                                         (int64_t)wvl_packed_look_up(l, i + 1, low),
                                                         (int64_t)wvl_packed_look_up(l, i + 4, high),
                                                         (int64_t)wvl_packed_look_up(l, i + 5, high)));
}

__attribute__((always_inline)) static inline __m256 shift4(wvl_packed_pixels l, __m256i window, uint32_t i, uint32_t c)
{
    return _mm256_castsi256_ps(
        _mm256_srlv_epi64(window, _mm256_setr_epi64x(wvl_packed_shift(l, i, c), wvl_packed_shift(l, i + 1, c),
                                                     wvl_packed_shift(l, i + 4, c), wvl_packed_shift(l, i + 5, c))));
}

/* Pixels i .. i + 7 of 16 at p. */
__attribute__((always_inline)) static inline void put_pixels8(wvl_packed_pixels l, const uint8_t *p, uint32_t i,
                                                              shift8 *s, int32_t *const *out, uint32_t at)
{
    const __m256i mask = _mm256_set1_epi32((1 << l.bits) - 1);
    __m256i a = window4(l, p, i), b = window4(l, p, i + 2);
    for (unsigned c = 0; c < 3; c++) {
        __m256 both = _mm256_shuffle_ps(shift4(l, a, i, c), shift4(l, b, i + 2, c), 0x88);
        put8(s, _mm256_and_si256(_mm256_castps_si256(both), mask), out[c] + at + i);
    }
}

__attribute__((always_inline)) static inline uint32_t load_pixels(wvl_packed_pixels l, const uint8_t *row,
                                                                  ptrdiff_t next, uint32_t n, wvl_front_shift shift,
                                                                  int32_t *const *out)
{
    shift8 s = shift8_of(shift);
    uint32_t i = 0;
    for (; n - i >= 16 + WVL_PACKED_PIXELS_ROOM; i += 16) {
        const uint8_t *p = row + (uint64_t)i / 16 * (2 * l.pixel_bits);
        wvl_front_ask_for(p, next);
        if (l.pixel_bits > 32) {
            wvl_front_ask_for(p + 64, next);
        }
        put_pixels8(l, p, 0, &s, out, i);
        put_pixels8(l, p, 8, &s, out, i);
    }
    return seen8(&s) | load_triple_rest(l.kind, row, i, n, shift, out);
}

WVL_PACKED_PIXELS(WVL_LOAD_PIXELS)

static inline __m256i line8(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
static inline void put_line8(int32_t *p, __m256i v) { _mm256_storeu_si256((__m256i *)(void *)p, v); }

static void to_f32(const int32_t *const *in, uint32_t n, void *const *out)
{
    float *x = out[0];
    for (uint32_t i = 0; i < n; i += 8) {
        _mm256_storeu_ps(x + i, _mm256_cvtepi32_ps(line8(in[0] + i)));
    }
}

static void rct(const int32_t *const *in, uint32_t n, void *const *out)
{
    const int32_t *red = in[0], *green = in[1], *blue = in[2];
    int32_t *luma = out[0], *u = out[1], *v = out[2];
    for (uint32_t i = 0; i < n; i += 8) {
        __m256i r = line8(red + i), g = line8(green + i), b = line8(blue + i);
        __m256i sum = _mm256_add_epi32(_mm256_add_epi32(r, b), _mm256_add_epi32(g, g));
        put_line8(luma + i, _mm256_srai_epi32(sum, 2));
        put_line8(u + i, _mm256_sub_epi32(b, g));
        put_line8(v + i, _mm256_sub_epi32(r, g));
    }
}

static void ict(const int32_t *const *in, uint32_t n, void *const *out)
{
    const __m256 kr = _mm256_set1_ps(WVL_ICT_RED), kg = _mm256_set1_ps(WVL_ICT_GREEN),
                 kb = _mm256_set1_ps(WVL_ICT_BLUE);
    const int32_t *red = in[0], *green = in[1], *blue = in[2];
    float *luma = out[0], *cb = out[1], *cr = out[2];
    for (uint32_t i = 0; i < n; i += 8) {
        __m256 r = _mm256_cvtepi32_ps(line8(red + i)), g = _mm256_cvtepi32_ps(line8(green + i)),
               b = _mm256_cvtepi32_ps(line8(blue + i));
        __m256 y = _mm256_fmadd_ps(kr, r, _mm256_fmadd_ps(kg, g, _mm256_mul_ps(kb, b)));
        _mm256_storeu_ps(luma + i, y);
        _mm256_storeu_ps(cb + i, _mm256_sub_ps(b, y));
        _mm256_storeu_ps(cr + i, _mm256_sub_ps(r, y));
    }
}

const wvl_front_kernels wvl_front_kernels_avx2 = {
    WVL_CPU_AVX2,
    {NULL},
    {load_u8, load_s8, load_u16, load_s16, load_32},
    {load_u8x3, NULL, load_u16x3, NULL, NULL, load_packed10x3, load_packed12x3, load_filled10x3_be, load_filled10x3_le,
     load_filled12x3_be, load_filled12x3_le, load_words12x3_be, load_words12x3_le, load_words10x3_be, load_words10x3_le,
     load_u16x3_be},
    {NULL, to_f32, rct, NULL, ict},
    {NULL, NULL, wvl_front_put_xyz_avx2},
};
