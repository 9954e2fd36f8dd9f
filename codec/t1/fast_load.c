/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples to bit-plane masks, and the sums over all samples that distortion needs: plain C. */
#include <string.h>

#include "codec/t1/fast.h"

/* 8 x 8 bit matrix, row = byte, column = bit: transposed. */
static WVL_ALWAYS_INLINE uint64_t transpose8(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00AA00AA00AA00AA);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000CCCC0000CCCC);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000F0F0F0F0);
    return x ^ t ^ t << 28;
}

typedef struct column_pair {
    uint64_t row[4]; /* left sample in the low half, right in the high half */
} column_pair;

static WVL_ALWAYS_INLINE column_pair fetch_pair(const wvl_t1_input *in, uint32_t x, uint32_t y, int wide)
{
    column_pair pair = {{0}};
    uint32_t rows = in->height - y < 4 ? in->height - y : 4u, both = x + 1 < in->width;
    size_t at = (size_t)y * in->stride + x;
    for (uint32_t r = 0; r < rows; r++, at += in->stride) {
        uint64_t left, right = 0;
        if (wide) {
            const uint32_t *p = (const uint32_t *)in->coefs + at;
            left = p[0];
            if (both) {
                right = p[1];
            }
        } else {
            /* the sign moves to bit 31 */
            const uint16_t *p = (const uint16_t *)in->coefs + at;
            left = (p[0] & 0x7FFFu) | (uint32_t)(p[0] >> 15) << 31;
            if (both) {
                right = (p[1] & 0x7FFFu) | (uint32_t)(p[1] >> 15) << 31;
            }
        }
        pair.row[r] = left | right << 32;
    }
    return pair;
}

/* Two columns of four bits as columns 0 and 1 of a window. */
static WVL_ALWAYS_INLINE uint64_t spread_pair(uint64_t byte)
{
    return ((byte & 0x0F) | (byte & 0xF0) << 2) << WVL_T1_INNER_FIRST;
}

static WVL_ALWAYS_INLINE void put_pair(const wvl_t1_masks *m, unsigned frac_bits, const column_pair *pair,
                                       uint32_t unit, uint32_t shift, uint32_t planes)
{
    uint64_t signs = 0;
    for (unsigned r = 0; r < 4; r++) {
        signs |= (pair->row[r] >> 31 & UINT64_C(0x100000001)) << 8 * r;
    }
    m->negative[unit] |= spread_pair(signs * UINT64_C(0x0102040810204080) >> 56) << shift;
    for (uint32_t first = 0; first < planes; first += 8) {
        uint64_t slice = 0;
        for (unsigned r = 0; r < 4; r++) {
            slice |= (pair->row[r] >> (first + frac_bits) & UINT64_C(0xFF000000FF)) << 8 * r;
        }
        slice = transpose8(slice);
        for (uint32_t p = first; p < planes && p < first + 8; p++, slice >>= 8) {
            m->planes[p * m->unit_count + unit] |= spread_pair(slice & 0xFF) << shift;
        }
    }
}

static WVL_ALWAYS_INLINE void build(const wvl_t1_input *in, uint32_t planes, const wvl_t1_masks *m, int wide)
{
    memset(m->planes, 0, sizeof *m->planes * planes * m->unit_count);
    memset(m->negative, 0, sizeof *m->negative * m->unit_count);
    for (uint32_t y = 0, unit = 0; y < in->height; y += 4, unit += m->units) {
        for (uint32_t x = 0; x < in->width; x += 2) {
            column_pair pair = fetch_pair(in, x, y, wide);
            put_pair(m, in->frac_bits, &pair, unit + x / 8, x % 8 * 6, planes);
        }
    }
}

static void build_masks(const wvl_t1_input *in, uint32_t planes, const wvl_t1_masks *masks)
{
    if (in->coef_bytes == 2) {
        build(in, planes, masks, 0);
    } else {
        build(in, planes, masks, 1);
    }
}

static uint64_t refinement_sum16(const uint16_t *row, uint32_t width, unsigned P)
{
    /* below 2^15 each, at most 1024 of them */
    uint32_t sum = 0;
    int16_t unit = (int16_t)(1 << P), mask = (int16_t)(unit - 1 + unit), top = (int16_t)(0x7FFF & ~mask);
    for (uint32_t x = 0; x < width; x++) {
        int16_t d = (int16_t)((row[x] & mask) - unit);
        uint16_t a = (uint16_t)(d < 0 ? -d : d);
        sum += (row[x] & top) ? a : 0;
    }
    return sum;
}

static uint64_t refinement_sum32(const uint32_t *row, uint32_t width, unsigned P)
{
    uint64_t sum = 0;
    uint32_t unit = (uint32_t)1 << P, mask = unit - 1 + unit, top = 0x7FFFFFFF & ~mask;
    for (uint32_t x = 0; x < width; x++) {
        int32_t d = (int32_t)(row[x] & mask) - (int32_t)unit;
        uint32_t a = (uint32_t)(d < 0 ? -d : d);
        sum += (row[x] & top) ? a : 0;
    }
    return sum;
}

static uint64_t refinement_sum(const wvl_t1_input *in, unsigned P)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        if (in->coef_bytes == 2) {
            sum += refinement_sum16((const uint16_t *)in->coefs + (size_t)y * in->stride, in->width, P);
        } else {
            sum += refinement_sum32((const uint32_t *)in->coefs + (size_t)y * in->stride, in->width, P);
        }
    }
    return sum;
}

static void square_sum(const wvl_t1_input *in, uint64_t *low_sum, uint64_t *high_sum)
{
    uint64_t low = 0, high = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        if (in->coef_bytes == 2) {
            const uint16_t *row = (const uint16_t *)in->coefs + (size_t)y * in->stride;
            for (uint32_t x = 0; x < in->width; x++) {
                low += (uint64_t)((uint32_t)(row[x] & 0x7FFF) * (uint32_t)(row[x] & 0x7FFF));
            }
        } else {
            const uint32_t *row = (const uint32_t *)in->coefs + (size_t)y * in->stride;
            for (uint32_t x = 0; x < in->width; x++) {
                uint64_t square = (uint64_t)(row[x] & 0x7FFFFFFF) * (row[x] & 0x7FFFFFFF);
                low += square & UINT32_MAX;
                high += square >> 32;
            }
        }
    }
    *low_sum = low;
    *high_sum = high;
}

const wvl_t1_kernels wvl_t1_kernels_c = {build_masks,        refinement_sum,        square_sum,
                                         wvl_t1_list_pass_c, wvl_mq_encode_lanes_c, 2};
