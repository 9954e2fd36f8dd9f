/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiled device code, carried inside the library. */
#include "cuda/host/transform/launch.h"

#ifdef WVL_CUDA_IMAGE
__asm__(".section .rodata\n"
        ".balign 64\n"
        ".local wvl_cuda_image\n"
        "wvl_cuda_image:\n"
        ".incbin \"" WVL_CUDA_IMAGE "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const unsigned char wvl_cuda_image[] __attribute__((visibility("hidden")));
const void *wvl_cuda_fetch_image(void) { return wvl_cuda_image; }
#elif defined(WVL_TESTING)
/* A driver made of software needs no device code. */
#include <stdlib.h>
const void *wvl_cuda_fetch_image(void) { return getenv("WVL_CUDA_IMAGE"); }
#else
const void *wvl_cuda_fetch_image(void) { return NULL; }
#endif
