/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_DWT_PACK_NEON_H
#define WVL_DWT_PACK_NEON_H

#include <stdint.h>

uint32_t wvl_dwt_pack_i32_16_neon(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_i32_32_neon(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_i64_32_neon(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_16_neon(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_32_neon(const void *x, uint32_t n, float r, void *slot);
uint32_t wvl_dwt_pack_f32_32_deep_neon(const void *x, uint32_t n, float r, void *slot);

#endif
