/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_HT_X86_REFINE_AVX2_H
#define WVL_HT_X86_REFINE_AVX2_H

#include "codec/ht/block.h"

wvl_ht_refinement wvl_ht_encode_refinement_avx2(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, int with_magref, uint8_t *to);
void wvl_ht_sum_plane_avx2(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned P, wvl_ht_sums *sums);

#endif
