/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples to words of columns, for the kernels that read samples of EBCOT blocks. */
#pragma once
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

/* Eight 16-bit samples of a row; those outside of the block may be anything. */
__device__ __forceinline__ void load_narrow(const wvl_cuda_t1_block &b, uint32_t x, uint32_t y, uint32_t (&pairs)[4])
{
    const uint16_t *from = (const uint16_t *)b.coefs + (size_t)y * b.stride + x;
    pairs[0] = pairs[1] = pairs[2] = pairs[3] = 0;
    if (y >= b.height || x >= b.width) {
        return;
    }
    if (!((uint64_t)from & 15) && x + 8 <= b.width) {
        uint4 v = *(const uint4 *)from;
        pairs[0] = v.x, pairs[1] = v.y, pairs[2] = v.z, pairs[3] = v.w;
        return;
    }
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t v = x + k < b.width ? from[k] : 0;
        pairs[k / 2] |= v << 16 * (k & 1);
    }
}

/* Eight samples of each of four rows become a word for each column, whose bytes are its rows: the low and the high
 * bytes of the samples. */
__device__ __forceinline__ void join_columns(const uint32_t (&in)[4][4], uint32_t (&low)[8], uint32_t (&high)[8])
{
#pragma unroll
    for (int k = 0; k < 4; k++) { /* two columns: bytes by rows */
        uint32_t p = __byte_perm(in[0][k], in[1][k], 0x5140), q = __byte_perm(in[2][k], in[3][k], 0x5140);
        uint32_t u = __byte_perm(in[0][k], in[1][k], 0x7362), v = __byte_perm(in[2][k], in[3][k], 0x7362);
        low[2 * k] = __byte_perm(p, q, 0x5410);
        high[2 * k] = __byte_perm(p, q, 0x7632);
        low[2 * k + 1] = __byte_perm(u, v, 0x5410);
        high[2 * k + 1] = __byte_perm(u, v, 0x7632);
    }
}

/* A sample of any block, its sign in bit 31; 0 outside of the block. */
__device__ __forceinline__ uint32_t load_sample(const wvl_cuda_t1_block &b, uint32_t x, uint32_t y)
{
    size_t at = (size_t)y * b.stride + x;
    if (x >= b.width || y >= b.height) {
        return 0;
    }
    if (b.coef_bytes == 2) {
        uint32_t v = ((const uint16_t *)b.coefs)[at];
        return (v & 0x7FFF) | (v & 0x8000) << 16;
    }
    return ((const uint32_t *)b.coefs)[at];
}

/* A word for each column from bits first to first + 7 of four rows of eight samples. */
__device__ __forceinline__ void join_bytes(const uint32_t (&m)[32], uint32_t first, uint32_t (&v)[8])
{
#pragma unroll
    for (uint32_t c = 0; c < 8; c++) {
        v[c] = (m[c] >> first & 0xFF) | (m[c + 8] >> first & 0xFF) << 8 | (m[c + 16] >> first & 0xFF) << 16 |
               (m[c + 24] >> first & 0xFF) << 24;
    }
}

} // namespace wvl_t1
