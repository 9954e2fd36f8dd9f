/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiled kernels of plain transforms, carried inside libwavelane-dwt. */
#include "cuda/host/driver/image.h"
#include "lab/cuda/plain/device.h"

#ifdef WVL_CUDA_IMAGE
WVL_CARRY_IMAGE(wvl_plain_image, WVL_CUDA_IMAGE);
const void *wvl_plain_fetch_image(void) { return wvl_plain_image; }
#elif defined(WVL_TESTING)
/* A driver made of software needs no device code. */
#include <stdlib.h>
const void *wvl_plain_fetch_image(void) { return getenv("WVL_CUDA_IMAGE"); }
#else
const void *wvl_plain_fetch_image(void) { return NULL; }
#endif
