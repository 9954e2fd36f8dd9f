/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of lab/cuda/lattice on emulated threads. */
#pragma once

#include "lab/cuda/lattice/args.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lattice_kernel {
    LATTICE_BUTTERFLY,
    LATTICE_REGISTERS,
    LATTICE_LANES,
    LATTICE_WINDOWS,
    LATTICE_LEVELS,
    LATTICE_MARCH_8_8, /* pairs of a lane: at level 1, above */
    LATTICE_MARCH_8_4,
    LATTICE_MARCH_4_4,
    LATTICE_CARRY_8_8,
    LATTICE_CARRY_8_4,
    LATTICE_CARRY_4_4,
    LATTICE_CARRY_16_8,
    LATTICE_CARRY_16_4,
    LATTICE_CARRY_STAGES, /* 8 and 4 pairs, for at most 3, 7 or 15 stages */
    LATTICE_CARRY_STAGES_16_8,
    LATTICE_CARRY_STAGES_16_4,
    LATTICE_CONVOLUTION,
    LATTICE_CONVOLVE,
    LATTICE_KERNELS
} lattice_kernel;

/* threads: of a thread block, a multiple of 32. reversed: the last thread runs first. */
void lattice_emulate(lattice_kernel kernel, int inverse, const wvl_lattice_args *args, uint32_t threads, int reversed);

#ifdef __cplusplus
}
#endif
