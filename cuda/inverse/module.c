/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiled device code of the inverse, carried by tests and the benchmark alone. */
#include "cuda/inverse/launch.h"

#ifdef WVL_CUDA_INVERSE_IMAGE
__asm__(".section .rodata\n"
        ".balign 64\n"
        ".local wvl_cuda_inverse_image\n"
        "wvl_cuda_inverse_image:\n"
        ".incbin \"" WVL_CUDA_INVERSE_IMAGE "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const unsigned char wvl_cuda_inverse_image[] __attribute__((visibility("hidden")));
const void *wvl_cuda_inverse_fetch_image(void) { return wvl_cuda_inverse_image; }
#else
const void *wvl_cuda_inverse_fetch_image(void) { return NULL; }
#endif
