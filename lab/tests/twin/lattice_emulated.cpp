/* SPDX-License-Identifier: BSD-2-Clause */
#include "lattice_emulated.h"

#include "emulate_copies.h"
#include "tests/twin/emulate.h"

#include <cmath>

static inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }

#include "lab/cuda/lattice/carry.cuh"
#include "lab/cuda/lattice/convolution.cuh"
#include "lab/cuda/lattice/levels.cuh"
#include "lab/cuda/lattice/march.cuh"

template <void (*body)(const wvl_lattice_args &)> static void run(const void *args)
{
    body(*(const wvl_lattice_args *)args);
}

/* The kernel for at most 3, 7 or 15 stages. */
template <void (*three)(const wvl_lattice_args &), void (*seven)(const wvl_lattice_args &),
          void (*fifteen)(const wvl_lattice_args &)>
static void run_stages(const void *args)
{
    const wvl_lattice_args &a = *(const wvl_lattice_args *)args;
    if (a.steps.stage_count <= 3) {
        three(a);
    } else if (a.steps.stage_count <= 7) {
        seven(a);
    } else {
        fifteen(a);
    }
}
#define STAGES(KERNEL, FIRST, DEEP)                                                                                    \
    run_stages<wvl_lattice::KERNEL<FIRST, DEEP, 3, true>, wvl_lattice::KERNEL<FIRST, DEEP, 7, true>,                   \
               wvl_lattice::KERNEL<FIRST, DEEP, 15, true>>
#define CARRY(FIRST, DEEP)                                                                                             \
    {                                                                                                                  \
        run<wvl_lattice::forward_carry<FIRST, DEEP>>, run<wvl_lattice::inverse_carry<FIRST, DEEP>>                     \
    }
#define CARRY_STAGES(FIRST, DEEP)                                                                                      \
    {                                                                                                                  \
        STAGES(forward_carry, FIRST, DEEP), STAGES(inverse_carry, FIRST, DEEP)                                         \
    }

static void (*const bodies[LATTICE_KERNELS][2])(const void *) = {
    {run<wvl_lattice::forward_butterfly>, run<wvl_lattice::inverse_butterfly>},
    {run<wvl_lattice::forward_registers>, run<wvl_lattice::inverse_registers>},
    {run<wvl_lattice::forward_lanes<4>>, run<wvl_lattice::inverse_lanes<4>>},
    {run<wvl_lattice::forward_windows<2>>, run<wvl_lattice::inverse_windows<2>>},
    {run<wvl_lattice::forward_levels>, run<wvl_lattice::inverse_levels>},
    {run<wvl_lattice::forward_march<8, 8>>, run<wvl_lattice::inverse_march<8, 8>>},
    {run<wvl_lattice::forward_march<8, 4>>, run<wvl_lattice::inverse_march<8, 4>>},
    {run<wvl_lattice::forward_march<4, 4>>, run<wvl_lattice::inverse_march<4, 4>>},
    CARRY(8, 8),
    CARRY(8, 4),
    CARRY(4, 4),
    CARRY(16, 8),
    CARRY(16, 4),
    CARRY_STAGES(8, 4),
    CARRY_STAGES(16, 8),
    CARRY_STAGES(16, 4),
    {run<wvl_lattice::forward_convolution>, run<wvl_lattice::inverse_convolution>},
    {run<wvl_lattice::convolve_shared<false>>, run<wvl_lattice::convolve_shared<true>>},
};

/* Pairs of a lane, from LATTICE_CARRY_8_8 on: at level 1, and above. */
struct carry_shape {
    int first, deep;
};
static const carry_shape carry_shapes[] = {{8, 8}, {8, 4}, {4, 4}, {16, 8}, {16, 4}, {8, 4}, {16, 8}, {16, 4}};

/* Thread blocks, and bytes of shared memory, as a launcher on a device would choose them. */
void lattice_emulate(lattice_kernel kernel, int inverse, const wvl_lattice_args *args, uint32_t threads, int reversed)
{
    const long long half = wvl_lattice_half(args, 1), stages = args->steps.stage_count;
    long long gives = threads, shared = 0;
    if (kernel == LATTICE_BUTTERFLY) {
        gives = threads - stages;
        shared = threads + stages;
    } else if (kernel == LATTICE_REGISTERS) {
        gives = threads / 32 * (32 * WVL_LATTICE_PAIRS - stages);
    } else if (kernel == LATTICE_CONVOLVE) {
        gives = 4 * threads;
        shared = wvl_lattice_convolve_floats(args, (int)threads);
    } else if (kernel == LATTICE_LANES) {
        gives = threads / 32 * (32 * 4 - stages);
    } else if (kernel == LATTICE_WINDOWS) {
        gives = (long long)args->tile << (args->levels - 1);
        shared = wvl_lattice_window_floats(args);
    } else if (kernel == LATTICE_LEVELS) {
        gives = (long long)args->tile << (args->levels - 1);
        shared = wvl_lattice_shared_floats(args, (int)threads);
    }
    if (kernel >= LATTICE_MARCH_8_8 && kernel <= LATTICE_MARCH_4_4) {
        const int first = kernel == LATTICE_MARCH_4_4 ? 4 : 8, deep = kernel == LATTICE_MARCH_8_8 ? 8 : 4;
        gives = (threads / 32 * (long long)args->tile) << (args->levels - 1);
        shared = threads / 32 *
                 (inverse ? wvl_lattice_march_inverse_floats(args, first, deep)
                          : wvl_lattice_march_forward_floats(args, first, deep));
    }
    if (kernel >= LATTICE_CARRY_8_8 && kernel <= LATTICE_CARRY_STAGES_16_4) {
        const carry_shape *c = &carry_shapes[kernel - LATTICE_CARRY_8_8];
        gives = (threads / 32 * (long long)args->tile) << (args->levels - 1);
        shared = threads / 32 *
                 (inverse ? wvl_lattice_carry_inverse_floats(args, c->first, c->deep)
                          : wvl_lattice_carry_forward_floats(args, c->first, c->deep));
    }
    emulation::reversed = reversed != 0;
    wvl_lattice::forget_copies();
    emulation::launch(bodies[kernel][inverse], args, (uint32_t)((half + gives - 1) / gives), 1, threads,
                      (uint32_t)shared * sizeof(float));
}
