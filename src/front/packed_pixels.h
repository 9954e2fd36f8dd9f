/* SPDX-License-Identifier: BSD-2-Clause */
/* Interleaved pixels of three components whose samples are not whole bytes, or have 16 bits: where each sample lies, in
 * bits. A kernel looks up the bytes that hold a pixel, for all lanes at once, and shifts each sample down. All
 * values here are constants after inlining. */
#pragma once

#include <stdint.h>

/* Sample c of pixel i begins at bit i * pixel_bits + c * step of a row whose byte k is byte k ^ exchange of memory. */
typedef struct wvl_packed_pixels {
    unsigned kind; /* WVL_LOAD_* */
    uint32_t pixel_bits, step, bits;
    int from_top; /* bits of a byte count from the highest one, and a sample's first bit is its highest */
    uint32_t exchange;
} wvl_packed_pixels;

/* clang-format off */
#define WVL_PACKED_PIXELS(make) \
    make(u16x3, WVL_LOAD_U16, 48, 16, 16, 0, 0) \
    make(packed10x3, WVL_LOAD_PACKED10, 30, 10, 10, 1, 0) \
    make(packed12x3, WVL_LOAD_PACKED12, 36, 12, 12, 1, 0) \
    make(filled10x3_be, WVL_LOAD_FILLED10_BE, 32, 10, 10, 1, 0) \
    make(filled10x3_le, WVL_LOAD_FILLED10_LE, 32, 10, 10, 1, 3) \
    make(filled12x3_be, WVL_LOAD_FILLED12_BE, 48, 16, 12, 1, 0) \
    make(filled12x3_le, WVL_LOAD_FILLED12_LE, 48, 16, 12, 1, 1) \
    make(words12x3_be, WVL_LOAD_WORDS12_BE, 36, 12, 12, 0, 3) \
    make(words12x3_le, WVL_LOAD_WORDS12_LE, 36, 12, 12, 0, 0) \
    make(words10x3_be, WVL_LOAD_WORDS10_BE, 30, 10, 10, 0, 3) \
    make(words10x3_le, WVL_LOAD_WORDS10_LE, 30, 10, 10, 0, 0) \
    make(u16x3_be, WVL_LOAD_16_BE, 48, 16, 16, 1, 0)
/* clang-format on */

/* Kernels take 16 pixels at a time: whole words in every layout. Their last load begins at the word of the last pixel
 * but one and has 16 bytes. So it reads at most 8 bytes behind the 16 pixels. This number of pixels has more. */
#define WVL_PACKED_PIXELS_ROOM 3u

/* Byte of the word in which pixel i begins. */
static inline uint32_t wvl_packed_word(wvl_packed_pixels p, uint32_t i) { return i * p.pixel_bits / 32 * 4; }

/* A window has 64 bits: the byte in which pixel i begins, and the next seven. It holds the pixel. This is the place of
 * each of its bytes, from the lowest one on, behind byte `base`, a multiple of 4. */
static inline uint64_t wvl_packed_look_up(wvl_packed_pixels p, uint32_t i, uint32_t base)
{
    const uint64_t each = 0x0101010101010101u, order = p.from_top ? 0x0001020304050607u : 0x0706050403020100u;
    return ((i * p.pixel_bits / 8 - base) * each + order) ^ p.exchange * each;
}

/* How far down sample c of pixel i is to be shifted in that window. */
static inline uint32_t wvl_packed_shift(wvl_packed_pixels p, uint32_t i, uint32_t c)
{
    uint32_t skip = i * p.pixel_bits % 8 + c * p.step;
    return p.from_top ? 64 - skip - p.bits : skip;
}
