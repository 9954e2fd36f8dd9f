/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiled device code, carried inside the library. */
#include "cuda/host/driver/image.h"
#include "cuda/host/transform/launch.h"

#ifdef WVL_CUDA_IMAGE
WVL_CARRY_IMAGE(wvl_cuda_image, WVL_CUDA_IMAGE);
const void *wvl_cuda_fetch_image(void) { return wvl_cuda_image; }
#elif defined(WVL_TESTING)
/* A driver made of software needs no device code. */
#include <stdlib.h>
const void *wvl_cuda_fetch_image(void) { return getenv("WVL_CUDA_IMAGE"); }
#else
const void *wvl_cuda_fetch_image(void) { return NULL; }
#endif
