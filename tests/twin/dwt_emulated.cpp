/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the reversible forward transform on the CPU, but those that read 8-bit pixels: their source has
 * instructions that no other machine knows. */
#include "emulate.h"

#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))

struct alignas(8) uint2 {
    uint32_t x, y;
};
struct alignas(8) int2 {
    int32_t x, y;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
static inline uint2 make_uint2(uint32_t x, uint32_t y) { return {x, y}; }
static inline int2 make_int2(int32_t x, int32_t y) { return {x, y}; }
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static inline int32_t __shfl_down_sync(uint32_t mask, int32_t v, uint32_t d)
{
    return (int32_t)__shfl_down_sync(mask, (uint32_t)v, d);
}
static inline int32_t __shfl_up_sync(uint32_t mask, int32_t v, uint32_t d)
{
    return (int32_t)__shfl_up_sync(mask, (uint32_t)v, d);
}
static inline uint32_t __shfl_xor_sync(uint32_t, uint32_t v, uint32_t d)
{
    uint32_t own = emulation::current & 31;
    return emulation::shuffle(v)[own ^ d];
}
template <class T> static inline void __stcs(T *to, T v) { *to = v; }
template <class T> static inline T __ldca(const T *from) { return *from; }

/* Only kernels that are not made here call these. */
static inline float __shfl_down_sync(uint32_t, float v, uint32_t) { abort(), (void)v; }
static inline float __shfl_up_sync(uint32_t, float v, uint32_t) { abort(), (void)v; }
static inline unsigned long long __shfl_sync(uint32_t, unsigned long long v, uint32_t) { abort(), (void)v; }
static inline float __fmaf_rz(float, float, float) { abort(); }
static inline float __fsub_rn(float a, float b) { return a - b; }

#include "cuda/core/kernel_row.h"
#include "cuda/dwt/cascade.cuh"
#include "cuda/dwt/kernels.h"
#include "cuda/dwt/last.cuh"
#include "cuda/dwt/level_any.cuh"
#include "cuda/dwt/march.cuh"
#include "dwt_emulated.h"

/* ---- As kernels.cu makes them ---------------------------------------------------------------- */

#define KERNEL(NAME, RUN, THREADS, ...)                                                                                \
    struct row_of_##NAME {                                                                                             \
        static constexpr int threads = THREADS, __VA_ARGS__;                                                           \
    };                                                                                                                 \
    static void run_##NAME(const void *argument)                                                                       \
    {                                                                                                                  \
        const auto &[splits, items, count, asked, only] = *(const wvl_emulated_launch *)argument;                      \
        RUN(row_of_##NAME)                                                                                             \
    }

#define RUN_ANY(ROW) any_shape::run_any<ROW>(splits, items, asked, only);
#define RUN_CASCADE(ROW) run_cascade<ROW>(splits, items, asked, only);
#define RUN_LAST(ROW) run_last<ROW>(splits, items, asked, only);

#define MADE_97_PLANE32(ENTRY)
#define MADE_97_GRAY8(ENTRY)
#define MADE_97_INTERLEAVED8(ENTRY)
#define MADE_97_PLANAR8(ENTRY)
#define MADE_97_GRAY16(ENTRY)
#define MADE_97_INTERLEAVED16(ENTRY)
#define MADE_97_PLANAR16(ENTRY)
#define MADE_97_(ENTRY)
#define MADE_53_GRAY8(ENTRY)
#define MADE_53_INTERLEAVED8(ENTRY)
#define MADE_53_PLANAR8(ENTRY)
#define MADE_53_PLANE16(ENTRY) ENTRY
#define MADE_53_PLANE32(ENTRY) ENTRY
#define MADE_53_GRAY16(ENTRY) ENTRY
#define MADE_53_INTERLEAVED16(ENTRY) ENTRY
#define MADE_53_PLANAR16(ENTRY) ENTRY
#define MADE_53_(ENTRY) ENTRY

#define ANY(NAME, WAVELET, THREADS, BLOCKS, SHARED)                                                                    \
    MADE_##WAVELET##_(KERNEL(NAME, RUN_ANY, THREADS, reversible = WVL_CUDA_WAVELET_##WAVELET, shared_bytes = SHARED))
#define CASCADE(NAME, WAVELET, SAMPLE, COEF, THREADS, BLOCKS, SHARED)                                                  \
    MADE_##WAVELET##_(KERNEL(NAME, RUN_CASCADE, THREADS, reversible = WVL_CUDA_WAVELET_##WAVELET,                      \
                             container_bits = SAMPLE, coef_bits = COEF, shared_bytes = SHARED))
#define LAST(NAME, WAVELET, SAMPLE, COEF, DEPTH, THREADS, BLOCKS, SHARED)                                              \
    MADE_##WAVELET##_(KERNEL(NAME, RUN_LAST, THREADS, reversible = WVL_CUDA_WAVELET_##WAVELET,                         \
                             container_bits = SAMPLE, coef_bits = COEF, depth = WVL_CUDA_DEPTH_##DEPTH,                \
                             shared_bytes = SHARED))
#define MARCH(NAME, WAVELET, SOURCE, SAMPLE, COLUMNS, COEF, DEPTH, SHARE, AHEAD, OWNS, THREADS, BLOCKS, COUNTED,       \
              SHARED)                                                                                                  \
    MADE_##WAVELET##_##SOURCE##SAMPLE(KERNEL(NAME, RUN_##SHARE, THREADS, reversible = WVL_CUDA_WAVELET_##WAVELET,      \
                                             end = WVL_CUDA_END_##SOURCE, container_bits = SAMPLE, columns = COLUMNS,  \
                                             coef_bits = COEF, depth = WVL_CUDA_DEPTH_##DEPTH,                         \
                                             share = WVL_CUDA_SHARE_##SHARE, ahead = WVL_CUDA_AHEAD_##AHEAD,           \
                                             owns = WVL_CUDA_OWNS_##OWNS, shared_bytes = SHARED))

#include "cuda/dwt/kernel_rows.h"

/* ---- Launches -------------------------------------------------------------------------------- */

#define CASE(NAME)                                                                                                     \
    case WVL_CUDA_KERNEL_##NAME: return run_##NAME;
#define ANY(NAME, WAVELET, ...) MADE_##WAVELET##_(CASE(NAME))
#define CASCADE(NAME, WAVELET, ...) MADE_##WAVELET##_(CASE(NAME))
#define LAST(NAME, WAVELET, ...) MADE_##WAVELET##_(CASE(NAME))
#define MARCH(NAME, WAVELET, SOURCE, SAMPLE, ...) MADE_##WAVELET##_##SOURCE##SAMPLE(CASE(NAME))

typedef void (*body)(const void *);

static body find_body(uint32_t kernel)
{
    switch (kernel) {
#include "cuda/dwt/kernel_rows.h"
    default: return NULL;
    }
}

int wvl_emulate_level(uint32_t kernel, const wvl_emulated_launch *launch)
{
    const wvl_cuda_kernel_row *row = &wvl_cuda_kernel_rows[kernel];
    const body run = find_body(kernel);
    if (run && launch->item_count) {
        emulation::launch(run, launch, launch->item_count * wvl_cuda_row_parts(row), 1, row->threads, 0);
    }
    return run != NULL;
}

void wvl_emulate_level_reversed(int reversed) { emulation::reversed = reversed != 0; }
