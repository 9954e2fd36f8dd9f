/* SPDX-License-Identifier: BSD-2-Clause */
/* The inverse in plain C, a level after the other over whole planes: what the kernels must equal bit by bit. */
#pragma once

#include "cuda/core/split.h"
#include "geom/handover.h"

/* coefs: [tile_count]. pixels: [component_count], with host addresses and containers of whole bytes. 0: no memory. */
int wvl_cuda_inverse_run_host(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                              const wvl_coefs *coefs, const wvl_cuda_pixels *pixels);
