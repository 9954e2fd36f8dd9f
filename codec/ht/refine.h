/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the refinement passes share. */
#pragma once

#include "codec/ht/ht_block.h"

void wvl_ht_clear_stripes(wvl_ht_scratch *s, const wvl_block_input *in);
/* Any samples; the vector twins leave those of 32 bits to these. */
void wvl_ht_load_stripes_c(wvl_ht_scratch *s, const wvl_block_input *in, unsigned shift);
void wvl_ht_sum_squares_c(const wvl_block_input *in, unsigned P, wvl_ht_squares *squares);
void wvl_ht_sum_plane_c(const wvl_ht_scratch *s, const wvl_block_input *in, unsigned P, wvl_ht_sums *sums);
wvl_ht_refinement wvl_ht_encode_refinement_c(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane,
                                             int with_magref, uint8_t *to);
