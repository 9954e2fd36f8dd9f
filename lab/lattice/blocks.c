/* SPDX-License-Identifier: BSD-2-Clause */
/* One block of one level: a trapezoid that reads tap_count / 2 - 1 pairs more than it gives. */
#include "lab/lattice/lattice.h"

#include <string.h>

#include "base/cpu.h"

enum {
    LANES_BYTES = 64, /* what kernels read behind a window */
    LINE_BYTES = 64,
    LARGE = 1 << 17 /* pairs: a level that does not stay in a second-level cache */
};

static uint64_t wrap(int64_t at, uint64_t period)
{
    const int64_t rest = at % (int64_t)period;
    return (uint64_t)(rest < 0 ? rest + (int64_t)period : rest);
}

/* Lines of memory come while a block is computed: those that it will write, and those that the next one reads
 * (D-lattice-05). */
static void call_for_reading(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES) {
        __builtin_prefetch((const char *)from + i, 0, 2);
    }
}

static void call_for_writing(const void *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES) {
        __builtin_prefetch((const char *)to + i, 1, 3);
    }
}

#define T float
#define X f32
#define NAME(verb) verb##_f32
#define KERNELS wvl_lattice_kernels_f32
#include "lab/lattice/blocks_tmpl.h"

#define T double
#define X f64
#define NAME(verb) verb##_f64
#define KERNELS wvl_lattice_kernels_f64
#include "lab/lattice/blocks_tmpl.h"

static void fill_f64(wvl_lattice_steps_f64 *to, const wvl_lattice_filter *f)
{
    to->stage_count = f->stage_count;
    to->tap_count = f->tap_count;
    memcpy(to->t, f->t, sizeof to->t);
    memcpy(to->s, f->s, sizeof to->s);
    memcpy(to->b, f->b, sizeof to->b);
    memcpy(to->inverse_b, f->inverse_b, sizeof to->inverse_b);
    memcpy(to->low, f->low, sizeof to->low);
    memcpy(to->high, f->high, sizeof to->high);
    memcpy(to->even, f->even, sizeof to->even);
    memcpy(to->odd, f->odd, sizeof to->odd);
}

void wvl_lattice_prepare(wvl_lattice_plan *plan)
{
    wvl_lattice_round_f32(&plan->filter, &plan->f32);
    fill_f64(&plan->f64, &plan->filter);
    plan->kernels = wvl_lattice_kernels_c;
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() == WVL_CPU_AVX2 || wvl_cpu_fetch_level() == WVL_CPU_AVX512) {
        plan->kernels = wvl_lattice_kernels_avx2;
    }
#endif
}
