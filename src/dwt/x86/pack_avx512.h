/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_DWT_X86_PACK_AVX512_H
#define WVL_DWT_X86_PACK_AVX512_H

#include <stdint.h>

uint32_t wvl_dwt_pack_i32_16_avx512(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_i32_32_avx512(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_16_avx512(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_32_avx512(const void *x, uint32_t n, float r, void *slot);

#endif
