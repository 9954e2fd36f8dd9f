/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coefficients to the host, empty blocks left out: threads store into pinned memory at the place that a copy of
 * everything would use, so that the host needs no second look and no index. WVL_CUDA_DELIVER_THREADS threads a parcel
 * of up to WVL_CUDA_PARCEL_BLOCKS cells of one band. Bytes moved: those of the cells that are not empty, once over
 * device memory and once over the bus, which bounds it: 32 registers.
 */
#include "cuda/host/transform/deliver.h"

template <class T> __device__ __forceinline__ void copy_cell(uint64_t to, uint64_t from, uint32_t bytes)
{
    for (uint32_t i = threadIdx.x; i < bytes / sizeof(T); i += WVL_CUDA_DELIVER_THREADS) {
        ((T *)to)[i] = ((const T *)from)[i];
    }
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_DELIVER_THREADS) wvl_deliver(const wvl_cuda_parcel *parcels)
{
    const wvl_cuda_parcel p = parcels[blockIdx.x];
    for (uint32_t b = 0; b < p.block_count; b++) {
        if (!((const uint32_t *)p.bounds)[b]) {
            continue;
        }
        uint64_t to = p.to + (uint64_t)b * p.cell_bytes, from = p.from + (uint64_t)b * p.cell_bytes;
        if ((to | from | p.cell_bytes) % 16 == 0) {
            copy_cell<uint4>(to, from, p.cell_bytes);
        } else {
            copy_cell<uint16_t>(to, from, p.cell_bytes);
        }
    }
}
