/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_CUDA_DELIVER_H
#define WVL_CUDA_DELIVER_H

#include "cuda/job.h"
#include "geom/plan.h"

/* Parcels of all blocks of these tiles, whose coefficients and bounds follow one another at these addresses. parcels NULL: counts only. */
uint64_t wvl_cuda_build_parcels(const wvl_tile_plan *tiles, uint32_t tile_count, uint64_t coefs, uint64_t bounds, uint64_t host,
                                wvl_cuda_parcel *parcels);

#endif
