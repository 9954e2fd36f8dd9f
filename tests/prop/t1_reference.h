/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT word for word from the standard: slow, and the judge of codec/t1. */
#pragma once

#include "tests/support/one_block.h"

/* Gives what wvl_t1_encode_block() gives; the scratch memory is not used. */
void wvl_t1_encode_block_ref(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out);
