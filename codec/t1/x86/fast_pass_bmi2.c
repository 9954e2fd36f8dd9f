/* SPDX-License-Identifier: BSD-2-Clause */
/* The listing of passes with the bit instructions of BMI1 and BMI2. */
#include "codec/t1/kernels.h"

#include <immintrin.h>

#define FETCH_NEIGHBOURS(x) ((unsigned)_pext_u64(x, 0x71C7))
#include "codec/t1/fast_units.h"
#include "codec/t1/fast_pass.h"

size_t wvl_t1_list_pass_bmi2(wvl_t1_fast *block, int kind, int raw, unsigned plane) { return list_pass(block, kind, raw, plane); }
