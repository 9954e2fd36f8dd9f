/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the HT passes, in device memory. */
#pragma once
#include "cuda/blocks/lane.cuh"

#ifdef __CUDACC__
#pragma push_macro("static")
#define static static __device__
#include "codec/core/gen/ht_tables.h"
#pragma pop_macro("static")
#else
#include "codec/core/gen/ht_tables.h"
#endif

namespace wvl_ht
{

/* CxtVLC and U-VLC of both kinds of rows to the first WVL_CUDA_HT_TABLE_WORDS words. All threads of a thread block.
 */
__device__ __forceinline__ void stage_tables(uint32_t *shared)
{
    for (uint32_t i = threadIdx.x; i < 2048; i += blockDim.x) {
        shared[i] = ((const uint32_t *)wvl_ht_vlc)[i];
        shared[2048 + i] = ((const uint32_t *)wvl_ht_uvlc)[i];
    }
    __syncthreads();
}

} // namespace wvl_ht
