/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_DWT_X86_PACK_AVX2_H
#define WVL_DWT_X86_PACK_AVX2_H

#include <stdint.h>

uint32_t wvl_dwt_pack_i32_16_avx2(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_i32_32_avx2(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_i64_32_avx2(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_16_avx2(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_32_avx2(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_32_deep_avx2(const void *x, uint32_t n, float r, void *slot);

#endif
