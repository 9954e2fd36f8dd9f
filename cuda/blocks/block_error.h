/* SPDX-License-Identifier: BSD-2-Clause */
/* The squared error of a block, for pictures that are finished on the device. The same on both sides. */
#pragma once

/* Squares of the samples of a block, and of what is left of them when all its passes are sent: quarters of
 * (2^-frac_bits of a step) squared, times the weight of the block. */
typedef struct wvl_cuda_block_error {
    double energy, left;
} wvl_cuda_block_error;
