/* SPDX-License-Identifier: BSD-2-Clause */
/* All device code of the library in one unit: one image, one load. */
#include "cuda/blocks/kernels.cu"
#include "cuda/blocks/t1_kernels.cu"
#include "cuda/color/color.cu"
#include "cuda/color/unpack.cu"
#include "cuda/dwt/clear.cu"
#include "cuda/dwt/convert.cu"
#include "cuda/dwt/kernels.cu"
#include "cuda/host/transform/deliver.cu"
#include "cuda/packets/kernels.cu"
#include "cuda/rate/kernels.cu"
#include "cuda/rdoq/kernels.cu"
