/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/rdoq_kernels.h"

#include <string.h>

#include "base/cpu.h"

const wvl_rdoq_kernels *wvl_rdoq_fetch_kernels(void)
{
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() >= WVL_CPU_AVX2) {
        return &wvl_rdoq_kernels_avx2;
    }
#endif
    return &wvl_rdoq_kernels_c;
}

static void rank(const wvl_block_input *in, uint32_t least, uint32_t counts[3])
{
    counts[0] = counts[1] = counts[2] = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            size_t at = (size_t)y * in->stride + x;
            uint32_t m = in->coef_bytes == 2 ? ((const uint16_t *)in->coefs)[at] & 0x7FFFu
                                             : ((const uint32_t *)in->coefs)[at] & 0x7FFFFFFFu;
            counts[0] += m >= least;
            counts[1] += m / 2 >= least;
            counts[2] += m / 4 >= least;
        }
    }
}

static void split(const wvl_block_input *in, unsigned plane, uint8_t *levels, int8_t *fractions)
{
    uint32_t pitch = wvl_rdoq_pitch(in->width);
    memset(levels, 0, (size_t)pitch * (in->height + 2u));
    for (uint32_t y = 0; y < in->height; y++) {
        size_t to = (size_t)(y + 1) * pitch + 1;
        memset(&fractions[to], 0x80, pitch - 2);
        for (uint32_t x = 0; x < in->width; x++) {
            size_t at = (size_t)y * in->stride + x;
            uint32_t m = in->coef_bytes == 2 ? ((const uint16_t *)in->coefs)[at] & 0x7FFFu
                                             : ((const uint32_t *)in->coefs)[at] & 0x7FFFFFFFu;
            wvl_rdoq_split_sample(m, plane, &levels[to + x], &fractions[to + x]);
        }
    }
}

static wvl_rdoq_sums count(const uint8_t *levels, const int8_t *fractions, uint32_t width, uint32_t height)
{
    uint32_t pitch = wvl_rdoq_pitch(width);
    wvl_rdoq_sums s = {0};
    for (uint32_t y = 0; y < height; y++) {
        size_t first = (size_t)(y + 1) * pitch + 1;
        for (size_t i = first; i < first + width; i++) {
            uint32_t fraction = levels[i] == 1 ? (uint32_t)fractions[i] : 0;
            if (levels[i] > 1) {
                s.above++;
            } else if (wvl_rdoq_count_neighbours(&levels[i], pitch, 2)) {
                s.near++;
                s.near_fresh += levels[i];
                s.near_fractions += fraction;
            } else {
                s.far++;
                s.far_fresh += levels[i];
                s.far_fractions += fraction;
            }
        }
    }
    return s;
}

static void move_row(const wvl_rdoq_rule *rule, uint8_t *levels, const int8_t *fractions, uint32_t width,
                     uint64_t *down, uint64_t *up)
{
    uint32_t pitch = wvl_rdoq_pitch(width);
    memset(down, 0, (width + 63) / 64 * sizeof *down);
    memset(up, 0, (width + 63) / 64 * sizeof *up);
    for (uint32_t x = 0; x < width; x++) {
        const uint8_t *l = &levels[x];
        int is_below = fractions[x] < wvl_rdoq_fetch_border(rule, l, pitch);
        down[x / 64] |= (uint64_t)(*l && is_below) << x % 64;
        up[x / 64] |= (uint64_t)(!*l && !is_below) << x % 64;
    }
    for (uint32_t x = 0; x < width; x++) {
        levels[x] = (uint8_t)(levels[x] - (down[x / 64] >> x % 64 & 1) + (up[x / 64] >> x % 64 & 1));
    }
}

const wvl_rdoq_kernels wvl_rdoq_kernels_c = {rank, split, count, move_row};
