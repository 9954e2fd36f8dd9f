/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/transform/deliver.h"

#include "geom/handover.h"

static uint64_t build_band(const wvl_tile_band *band, uint64_t coefs, uint64_t bounds, uint64_t host,
                           wvl_cuda_parcel *parcels)
{
    uint64_t blocks = (uint64_t)band->block_cols * band->block_rows, count = 0;
    uint64_t cell_bytes = wvl_coef_cell(band, 1) - wvl_coef_cell(band, 0);
    for (uint64_t first = 0; first < blocks; first += WVL_CUDA_PARCEL_BLOCKS, count++) {
        if (parcels) {
            uint64_t at = band->coef_offset + first * cell_bytes;
            parcels[count] =
                (wvl_cuda_parcel){coefs + at, host + at, bounds + (band->first_block + first) * sizeof(uint32_t),
                                  (uint32_t)cell_bytes, (uint32_t)wvl_min_u64(WVL_CUDA_PARCEL_BLOCKS, blocks - first)};
        }
    }
    return count;
}

uint64_t wvl_cuda_build_parcels(const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs, uint64_t bounds,
                                uint64_t host, wvl_cuda_parcel *parcels)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t b = 0; b < tiles[t].band_count; b++) {
            count += build_band(&tiles[t].bands[b], coefs, bounds, host, parcels ? parcels + count : NULL);
        }
        coefs += tiles[t].coef_bytes;
        host += tiles[t].coef_bytes;
        bounds += tiles[t].block_count * sizeof(uint32_t);
    }
    return count;
}
