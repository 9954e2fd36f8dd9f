/* SPDX-License-Identifier: BSD-2-Clause */
/* The row kernels for every processor. */
#include "lab/dwt2/dwt2.h"

#define WVL_DWT2_TABLE wvl_dwt2_rows_c
#include "lab/dwt2/rows_tmpl.h"
