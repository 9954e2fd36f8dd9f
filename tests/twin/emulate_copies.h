/* SPDX-License-Identifier: BSD-2-Clause */
/* What cuda/lattice calls beside shuffles. A copy to shared memory is there at once. */
#ifndef WVL_TESTS_EMULATE_COPIES_H
#define WVL_TESTS_EMULATE_COPIES_H

#include "emulate_words.h"

static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }

#define WVL_LATTICE_SHARED(name) float *name = (float *)emulation::shared
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

#endif
