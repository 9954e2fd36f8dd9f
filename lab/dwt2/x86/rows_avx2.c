/* SPDX-License-Identifier: BSD-2-Clause */
/* The row kernels, compiled for AVX2. No fused multiply-adds: the same bits as rows_c.c. */
#include "lab/dwt2/dwt2.h"

#define WVL_DWT2_TABLE wvl_dwt2_rows_avx2
#include "lab/dwt2/rows_tmpl.h"
