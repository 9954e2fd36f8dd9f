/* SPDX-License-Identifier: BSD-2-Clause */
/* The AVX2 and FMA twins of front_c.c: eight lanes. */
#include "front/front_steps.h"

static inline __m128i load128(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline __m128i load64(const void *p) { return _mm_loadl_epi64((const __m128i *)p); }

static inline step widen_u8(const uint8_t *p) { return (step){{(lanes)_mm256_cvtepu8_epi32(load64(p))}}; }
static inline step widen_s8(const uint8_t *p) { return (step){{(lanes)_mm256_cvtepi8_epi32(load64(p))}}; }
static inline step widen_u16(const uint8_t *p) { return (step){{(lanes)_mm256_cvtepu16_epi32(load128(p))}}; }
static inline step widen_s16(const uint8_t *p) { return (step){{(lanes)_mm256_cvtepi16_epi32(load128(p))}}; }
static inline step widen_32(const uint8_t *p) { return (step){{take(p)}}; }

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

/* Byte b of place p is byte 3b + p of 48: each of the three vectors gives the bytes it has, the rest are 0. */
static inline pixels take_u8x3(wvl_packed_pixels l, const uint8_t *p)
{
    (void)l;
    __m128i a = load128(p), b = load128(p + 16), c = load128(p + 32);
    pixels v;
    for (unsigned place = 0; place < 3; place++) {
        const int8_t(*pick)[16] = pick_bytes[place];
        __m128i from_a = _mm_shuffle_epi8(a, load128(pick[0])), from_b = _mm_shuffle_epi8(b, load128(pick[1]));
        __m128i bytes = _mm_or_si128(_mm_or_si128(from_a, from_b), _mm_shuffle_epi8(c, load128(pick[2])));
        v.part[place][0] = (lanes)_mm256_cvtepu8_epi32(bytes);
        v.part[place][1] = (lanes)_mm256_cvtepu8_epi32(_mm_unpackhi_epi64(bytes, bytes));
    }
    return v;
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

#define PIXELS_ROOM WVL_PACKED_PIXELS_ROOM
__attribute__((always_inline)) static inline pixels take_pixels(wvl_packed_pixels l, const uint8_t *p)
{
    pixels v;
    for (uint32_t i = 0; i < 16; i += 8) {
        __m256i a = window4(l, p, i), b = window4(l, p, i + 2);
        for (unsigned c = 0; c < 3; c++) {
            v.part[c][i / 8] =
                (lanes)_mm256_shuffle_ps(shift4(l, a, i, c), shift4(l, b, i + 2, c), 0x88) & ((1u << l.bits) - 1);
        }
    }
    return v;
}

#include "front/front_lanes.h"

const wvl_front_kernels wvl_front_kernels_avx2 = FRONT_KERNELS(WVL_CPU_AVX2, wvl_front_put_xyz_avx2);
