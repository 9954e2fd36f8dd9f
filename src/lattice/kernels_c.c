/* SPDX-License-Identifier: BSD-2-Clause */
/* The block kernels for every processor. */
#include "lattice/lattice.h"

#include <string.h>

#include "lattice/fused.h"

#define WVL_LATTICE_TABLE wvl_lattice_kernels_c
#include "lattice/kernels_table.h"
