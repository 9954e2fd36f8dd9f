/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a decoder will make of a set of cuts. The wavelet-domain estimate of rate control misses by up to 0.4 dB for
 * 9/7, which is not orthogonal, and by up to 2 dB for truncated 5/3; for a PSNR target, and where measure-psnr says so,
 * coefficients are kept and the error is measured.
 */
#pragma once

#include "base/pool.h"
#include "codec/rate/rescale.h"
#include "codec/t2/coded_tile.h"

/* Working memory for any tile of the plan, given its largest tile-component; UINT64_MAX: no measurement (64-bit
 * lifting). */
uint64_t wvl_quality_bytes(const wvl_plan *plan, uint64_t largest_tile_component);
/*
 * Sum over all samples of the squared difference between original and decoded ones, in squared units of the deepest
 * component, when every block is decoded up to states[].next_passes with midpoint reconstruction. coefs: of all tiles.
 * rescale: what the coder made of steps. Clipping to the sample range, which only lowers the error, is left out. Once
 * the look is over the result means nothing.
 */
double wvl_quality_measure(const wvl_plan *plan, const wvl_coefs *coefs, const wvl_coded_tile *tiles,
                           const wvl_rescale *rescale, wvl_pool *pool, const wvl_look *look, void *memory);
