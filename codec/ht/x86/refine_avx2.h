/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <immintrin.h>
#include <string.h>

#include "codec/ht/ht_block.h"

wvl_ht_refinement wvl_ht_encode_refinement_avx2(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane,
                                                int with_magref, uint8_t *to);
void wvl_ht_sum_plane_avx2(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned P, wvl_ht_sums *sums);
void wvl_ht_sum_squares_avx2(const wvl_block_input *in, unsigned P, wvl_ht_squares *squares);

/* `count` samples, with 0 behind them. */
static inline __m256i wvl_ht_load_columns(const uint16_t *p, uint32_t count)
{
    uint16_t part[16] = {0};
    if (count >= 16) {
        return _mm256_loadu_si256((const __m256i *)(const void *)p);
    }
    memcpy(part, p, 2 * (size_t)count);
    return _mm256_loadu_si256((const __m256i *)(const void *)part);
}
