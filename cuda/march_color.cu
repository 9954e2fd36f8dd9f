/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Levels 1 and 2 of three components in 16-bit containers and their transform: the warps of march.cu, 8 columns a lane, one for each component, of
 * which each reads all three: the second and third from L2.
 *
 * 126 to 128 registers in 5/3, 168 in 9/7, no spills (interleaved pixels to 16-bit coefficients spill a word where 12 warps a multiprocessor are
 * promised); 6 KiB of shared memory a warp. 4096 x 2160 interleaved alone, share of the convert ceiling by bytes by the first launch, H200: 5/3 10 bits
 * 62 %, 16 bits 74 %, 9/7 59 %; planar 5/3 the same, 9/7 54 %. Coefficients of all bands have to be of one size: of 12 bits in 5/3 they are not.
 */
typedef pixel_rows<8, 2, 3, true> rows_16x3;
typedef pixel_rows<8, 2, 3, false> rows_16p3;

MARCH(wvl_march53_16x3, int32_t, rows_16x3, short_ring, 8, 2, WVL_CUDA_MARCH_WARPS53_16X3)
MARCH(wvl_march97_16x3, float, rows_16x3, short_ring, 8, 2, WVL_CUDA_MARCH_WARPS97_16X3 - 2)
MARCH(wvl_march53_16p3, int32_t, rows_16p3, short_ring, 8, 2, WVL_CUDA_MARCH_WARPS53_16X3)
MARCH(wvl_march97_16p3, float, rows_16p3, short_ring, 8, 2, WVL_CUDA_MARCH_WARPS97_16X3)
MARCH(wvl_march53_16x3w, int32_t, rows_16x3, short_ring, 8, 4, WVL_CUDA_MARCH_WARPS53_16X3)
MARCH(wvl_march97_16x3w, float, rows_16x3, short_ring, 8, 4, WVL_CUDA_MARCH_WARPS97_16X3)
MARCH(wvl_march53_16p3w, int32_t, rows_16p3, short_ring, 8, 4, WVL_CUDA_MARCH_WARPS53_16X3)
MARCH(wvl_march97_16p3w, float, rows_16p3, short_ring, 8, 4, WVL_CUDA_MARCH_WARPS97_16X3)
