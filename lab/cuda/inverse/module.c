/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiled device code of the inverse, carried by tests and the benchmark alone. */
#include "cuda/host/driver/image.h"
#include "lab/cuda/inverse/launch.h"

#ifdef WVL_CUDA_IMAGE
WVL_CARRY_IMAGE(wvl_cuda_inverse_image, WVL_CUDA_IMAGE);
const void *wvl_cuda_inverse_fetch_image(void) { return wvl_cuda_inverse_image; }
#else
const void *wvl_cuda_inverse_fetch_image(void) { return NULL; }
#endif
