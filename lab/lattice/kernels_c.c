/* SPDX-License-Identifier: BSD-2-Clause */
/* The block kernels for every processor. */
#include "lab/lattice/lattice.h"

#include <string.h>

#include "lab/lattice/fused.h"

#define WVL_LATTICE_TABLE wvl_lattice_kernels_c
#include "lab/lattice/kernels_table.h"
