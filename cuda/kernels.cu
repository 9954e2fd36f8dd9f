/* SPDX-License-Identifier: BSD-2-Clause */
/* All device code in one unit: one image, one load. */
#include "cuda/blocks/kernels.cu"
#include "cuda/cascade.cu"
#include "cuda/clear.cu"
#include "cuda/color.cu"
#include "cuda/convert.cu"
#include "cuda/deliver.cu"
#include "cuda/last.cu"
#include "cuda/level_any.cu"
#include "cuda/march.cu"
#include "cuda/march_color.cu"
