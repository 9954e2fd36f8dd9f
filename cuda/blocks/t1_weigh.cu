/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks whose passes are all sent: their error, for pictures that are finished here. A warp a block. */
#include "cuda/blocks/error.cuh"
#include "cuda/blocks/t1_words.cuh"

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_WEIGH_THREADS) wvl_t1_weigh(const wvl_cuda_t1_job job)
{
    uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (id >= job.block_count) {
        return;
    }
    const wvl_cuda_t1_block &b = wvl_t1::block_of(job, id);
    wvl_ht::error_block view = {b.coefs,  b.bound,     b.stride,     b.width,
                                b.height, b.frac_bits, b.coef_bytes, b.reversible != 0};
    wvl_cuda_block_error error = wvl_ht::measure_error(view, ((const double *)job.block_weights)[id]);
    if (!wvl_ht::lane_id()) {
        ((wvl_cuda_block_error *)job.block_errors)[id] = error;
    }
}
