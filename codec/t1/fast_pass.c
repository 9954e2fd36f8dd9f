/* SPDX-License-Identifier: BSD-2-Clause */
/* The listing of passes for any processor. */
#include "codec/t1/kernels.h"

#define FETCH_NEIGHBOURS(x) ((unsigned)(((x) & 7) | ((x) >> 3 & 0x38) | ((x) >> 6 & 0x1C0)))
#include "codec/t1/fast_units.h"
#include "codec/t1/fast_pass.h"

size_t wvl_t1_list_pass_c(wvl_t1_fast *block, int kind, int raw, unsigned plane) { return list_pass(block, kind, raw, plane); }
