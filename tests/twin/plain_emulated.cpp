/* SPDX-License-Identifier: BSD-2-Clause */
#include "plain_emulated.h"

#include <math.h>

#include "emulate.h"

/* Values of 32 bits by the shuffles of words. */
template <class T> static inline uint32_t word_of(T v)
{
    uint32_t word;
    static_assert(sizeof v == sizeof word, "one register");
    memcpy(&word, &v, sizeof word);
    return word;
}
template <class T> static inline T value_of(uint32_t word)
{
    T v;
    memcpy(&v, &word, sizeof v);
    return v;
}
template <class T> static inline T __shfl_up_sync(uint32_t mask, T v, int d)
{
    return value_of<T>(__shfl_up_sync(mask, word_of(v), (uint32_t)d));
}
template <class T> static inline T __shfl_down_sync(uint32_t mask, T v, int d)
{
    return value_of<T>(__shfl_down_sync(mask, word_of(v), (uint32_t)d));
}
template <class T> static inline T __shfl_sync(uint32_t mask, T v, int lane)
{
    return value_of<T>(__shfl_sync(mask, word_of(v), (uint32_t)lane));
}
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }

/* A copy is there at once. */
#define WVL_LATTICE_COPIES
namespace wvl_lattice
{
template <int FLOATS> static inline void copy_begin(float *to, const float *from)
{
    memcpy(to, from, FLOATS * sizeof *to);
}
static inline void copy_close() {}
static inline void copy_wait(int) {}
} // namespace wvl_lattice

#define __grid_constant__
#define WVL_LATTICE_SHARED(name) float *name = (float *)emulation::shared
#include "cuda/plain/kernels.cu"

template <class ARGS, void (*KERNEL)(ARGS)> static void run(const void *args) { KERNEL(*(const ARGS *)args); }

static const struct {
    const char *name;
    void (*run)(const void *args);
} kernels[] = {
#define WVL_PLAIN_ROW(member, name, type) {#name, run<const type, name>},
    WVL_PLAIN_KERNELS(WVL_PLAIN_ROW)
#undef WVL_PLAIN_ROW
};

int plain_emulate(const char *name, const void *args, uint32_t blocks, uint32_t threads, uint32_t shared_bytes)
{
    for (const auto &kernel : kernels) {
        if (strcmp(kernel.name, name) == 0) {
            emulation::reversed = !emulation::reversed;
            emulation::launch(kernel.run, args, blocks, 1, threads, shared_bytes);
            return 0;
        }
    }
    return 500;
}
