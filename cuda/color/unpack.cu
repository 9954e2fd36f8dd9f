/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed samples to 16 bits (cuda/color/unpack.h): a thread a sample, no shared memory. WVL_CUDA_UNPACK_THREADS threads
 * a block, one part of a row of one component each. Bytes moved a sample: those of its container in, 2 out; neighbours
 * share words, which stay in L1.
 */
#include "cuda/color/unpack.h"
#include "cuda/core/load.cuh"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_UNPACK_THREADS) wvl_unpack(const wvl_cuda_unpack *unpack)
{
    uint32_t c = 0;
    while (c + 1 < unpack->count && blockIdx.x >= unpack->planes[c + 1].first_block) {
        c++;
    }
    const wvl_cuda_unpack_plane &p = unpack->planes[c];
    uint32_t block = blockIdx.x - p.first_block, row = block / p.cols,
             column = block % p.cols * WVL_CUDA_UNPACK_THREADS + threadIdx.x;
    if (column < wvl_rect_width(p.rect)) {
        ((uint16_t *)(p.to + row * p.pitch_bytes))[column] =
            (uint16_t)load_stored(p.from, p.rect.x0 + column, p.rect.y0 + row);
    }
}
