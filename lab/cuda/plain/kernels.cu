/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of plain transforms, for the library's image: two directions of each wavelet, and the lattice's best. */
#include "lab/cuda/lattice/carry.cuh"
#include "lab/cuda/lattice/convolution.cuh"
#include "lab/cuda/plain/level.cuh"

#define PLAIN(NAME, ARGS, THREADS, RUN)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const __grid_constant__ ARGS a) { RUN; }
#define LEVEL(NAME, KIND, IS_INVERSE)                                                                                  \
    PLAIN(NAME, wvl_plain_level, WVL_PLAIN_THREADS, (wvl_plain::run_level<wvl_plain::KIND, IS_INVERSE>(a)))

LEVEL(wvl_plain_forward_i53, I53, false)
LEVEL(wvl_plain_forward_f53, F53, false)
LEVEL(wvl_plain_forward_f97, F97, false)
LEVEL(wvl_plain_forward_f137, F137, false)
LEVEL(wvl_plain_inverse_i53, I53, true)
LEVEL(wvl_plain_inverse_f53, F53, true)
LEVEL(wvl_plain_inverse_f97, F97, true)
LEVEL(wvl_plain_inverse_f137, F137, true)

#define LANES(NAME, RUN) PLAIN(NAME, wvl_lattice_args, WVL_PLAIN_LATTICE_THREADS, RUN)
#define CARRY(DIRECTION, direction, STAGES, FIRST, DEEP, STRETCH)                                                      \
    extern "C" __global__ void __launch_bounds__(WVL_PLAIN_CARRY_THREADS,                                              \
                                                 WVL_LATTICE_CARRY_BLOCKS(STAGES, FIRST, DEEP))                        \
        wvl_plain_##direction##_carry_##STAGES(const __grid_constant__ wvl_lattice_args a)                             \
    {                                                                                                                  \
        wvl_lattice::direction##_carry<FIRST, DEEP, STAGES, true>(a);                                                  \
    }

LANES(wvl_plain_forward_lanes, wvl_lattice::forward_lanes<WVL_PLAIN_LANES>(a))
LANES(wvl_plain_inverse_lanes, wvl_lattice::inverse_lanes<WVL_PLAIN_LANES>(a))
WVL_PLAIN_CARRIERS(CARRY)
LANES(wvl_plain_forward_convolve, wvl_lattice::convolve_shared<false>(a))
LANES(wvl_plain_inverse_convolve, wvl_lattice::convolve_shared<true>(a))

/* Samples from one view to another. Threads take them in turn, so that any number of thread blocks does all. */
extern "C" __global__ void __launch_bounds__(WVL_PLAIN_THREADS)
    wvl_plain_copy_view(const __grid_constant__ wvl_plain_copy a)
{
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x, count = a.width * a.height;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const long long y = (long long)(i / a.width), x = (long long)(i % a.width);
        ((unsigned *)a.to.at)[x * a.to.column + y * a.to.row] =
            ((const unsigned *)a.from.at)[x * a.from.column + y * a.from.row];
    }
}

#undef PLAIN
#undef LEVEL
#undef LANES
#undef CARRY
