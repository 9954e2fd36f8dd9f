/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "codec/ht/ht_block.h"

/* Takes samples of 32 bits. */
uint32_t wvl_ht_encode_cleanup_wide_avx2(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to);
