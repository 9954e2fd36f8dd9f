/* SPDX-License-Identifier: BSD-2-Clause */
/* The block coders on the device, for the unit of all device code. */
#include "cuda/blocks/ht_any.cu"
#include "cuda/blocks/ht_finish.cu"
#include "cuda/blocks/ht_refine.cu"
#include "cuda/blocks/ht_rows.cu"
#include "cuda/blocks/ht_sum.cu"
