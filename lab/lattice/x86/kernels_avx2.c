/* SPDX-License-Identifier: BSD-2-Clause */
/* The block kernels, compiled for AVX2 and FMA: the same bits as kernels_c.c. */
#include "lab/lattice/lattice.h"

#include <string.h>

#include "lab/lattice/fused.h"

#define WVL_LATTICE_TABLE wvl_lattice_kernels_avx2
#include "lab/lattice/kernels_table.h"
