/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels of the 1-D transform take, and how many thread blocks they need. Plain data, for host and device. */
#pragma once

#include "base/hd.h"
#include "lab/lattice/lattice.h"

enum {
    WVL_LATTICE_MOST_LEVELS = 6, /* of one launch */
    WVL_LATTICE_PAIRS = 8        /* that a thread keeps in registers */
};

/* signal: `length` samples without gaps. low: low coefficients of the last level. coefs: the high ones of level k stand
 * wvl_lattice_half(k) behind it, so that low is coefs where all lie together. Forward reads signal and writes
 * coefficients, the inverse the opposite. */
typedef struct wvl_lattice_args {
    float *signal, *low, *coefs;
    long long length;
    int levels; /* above 1: length is a multiple of 2^levels, and first is from 2 - tap_count to 0 */
    int tile;   /* low coefficients of the last level that a thread block gives */
    int first, delay;
    wvl_lattice_steps_f32 steps;
} wvl_lattice_args;

/* Coefficients of one kind at level k, from 1. */
WVL_HD long long wvl_lattice_half(const wvl_lattice_args *a, int k) { return (a->length + (1ll << k) - 1) >> k; }

/* Whether one launch can do all levels. */
WVL_HD int wvl_lattice_fits_one_launch(const wvl_lattice_args *a)
{
    const int reach = 2 * (int)a->steps.stage_count;
    return a->levels == 1 || (a->levels <= WVL_LATTICE_MOST_LEVELS && a->length % (1ll << a->levels) == 0 &&
                              a->first <= 0 && a->first + reach >= 0);
}

/* Forward: low coefficients that a thread block computes at level k, and where they begin if its tile begins at `at`.
 */
WVL_HD int wvl_lattice_window(const wvl_lattice_args *a, int k)
{
    int count = a->tile;
    for (int i = a->levels; i > k; i--) {
        count = 2 * (count + (int)a->steps.stage_count);
    }
    return count;
}

WVL_HD long long wvl_lattice_window_start(const wvl_lattice_args *a, int k, long long at)
{
    for (int i = a->levels; i > k; i--) {
        at = 2 * at + a->first;
    }
    return at;
}

/* The inverse: the samples [from, from + count) of level k - 1 (0: the signal) need pairs [*first_pair, + result). The
 * low and high coefficients of these pairs begin stage_count before. */
WVL_HD int wvl_lattice_pairs_of(const wvl_lattice_args *a, long long from, int count, long long *first_pair)
{
    *first_pair = (from - a->first) >> 1; /* rounds down */
    return (int)(((from + count - 1 - a->first) >> 1) - *first_pair + 1);
}

/* Floats of shared memory of the kernels of several levels with `threads` threads: what one level leaves for the next,
 * and two buffers for exchange. */
WVL_HD int wvl_lattice_shared_floats(const wvl_lattice_args *a, int threads)
{
    return wvl_lattice_window(a, 0) + 4 * (int)a->steps.stage_count + 8 + 2 * (threads + 1);
}

/* The largest tile whose first window `threads` threads hold in registers; below 1: there is none. */
WVL_HD int wvl_lattice_choose_tile(const wvl_lattice_args *a, int threads)
{
    const int stages = (int)a->steps.stage_count;
    int pairs = threads * WVL_LATTICE_PAIRS - stages - 1; /* the inverse may begin in the middle of a pair */
    for (int k = 1; k < a->levels; k++) {
        pairs = pairs / 2 - stages;
    }
    return pairs;
}

/* Floats of shared memory of the kernels that do several levels by warps: low coefficients of odd levels, then of even
 * ones. The inverse needs at most stage_count + 1 more than the window of the forward transform at level 1, and
 * 2 stage_count + 2 more at level 2. */
WVL_HD int wvl_lattice_odd_floats(const wvl_lattice_args *a)
{
    return a->levels > 1 ? wvl_lattice_window(a, 1) + (int)a->steps.stage_count + 2 : 0;
}

WVL_HD int wvl_lattice_window_floats(const wvl_lattice_args *a)
{
    return wvl_lattice_odd_floats(a) +
           (a->levels > 2 ? wvl_lattice_window(a, 2) + 2 * (int)a->steps.stage_count + 2 : 0);
}

/* ---- Marching: a warp does all levels of `tile` low coefficients of the last one, run after run (march.cuh) ---- */

/* Of the 32 x pairs of a run, those that a run gives: whole lanes, without the ones that miss their neighbours. */
WVL_HD int wvl_lattice_march_gives(const wvl_lattice_args *a, int pairs)
{
    return pairs * (32 - ((int)a->steps.stage_count + pairs - 1) / pairs);
}

WVL_HD int wvl_lattice_round_32(int count) { return (count + 31) & ~31; }

/* Floats of the ring between levels k and k + 1. `first`: pairs of a lane at level 1, `deep`: at the levels above. The
 * reader waits for a whole run of its own; it has less than that when the writer adds what one run gives. */
WVL_HD int wvl_lattice_march_forward_ring(const wvl_lattice_args *a, int first, int deep, int k)
{
    return wvl_lattice_round_32(64 * deep + wvl_lattice_march_gives(a, k == 1 ? first : deep));
}

WVL_HD int wvl_lattice_march_inverse_ring(const wvl_lattice_args *a, int first, int deep, int k)
{
    return wvl_lattice_round_32(32 * (k == 1 ? first : deep) + 2 * wvl_lattice_march_gives(a, deep));
}

/* Floats of shared memory of a warp. Forward: samples of a run, results of a run, rings. */
WVL_HD int wvl_lattice_march_forward_floats(const wvl_lattice_args *a, int first, int deep)
{
    int floats = 64 * first + 32 * (first > deep ? first : deep);
    for (int k = 1; k < a->levels; k++) {
        floats += wvl_lattice_march_forward_ring(a, first, deep, k);
    }
    return floats;
}

/* The inverse: samples of a run, low coefficients of the last level, high ones of each level, rings. */
WVL_HD int wvl_lattice_march_inverse_floats(const wvl_lattice_args *a, int first, int deep)
{
    int floats = 64 * first + 32 * (a->levels == 1 ? first : deep) + 32 * first + 32 * deep * (a->levels - 1);
    for (int k = 1; k < a->levels; k++) {
        floats += wvl_lattice_march_inverse_ring(a, first, deep, k);
    }
    return floats;
}

/* ---- Carrying: a warp does all levels of `tile` low coefficients of the last one, and no pair twice (carry.cuh) ----
 */

/* Low coefficients of the last level, a multiple of 4, that a stretch is longer than what it gives. Forward: the last
 * pairs of level k miss `missing` pairs behind them. */
WVL_HD int wvl_lattice_carry_reach(const wvl_lattice_args *a)
{
    int missing = 0;
    for (int k = 1; k <= a->levels; k++) {
        missing = (int)a->steps.stage_count + (missing + 1) / 2;
    }
    return (missing + 3) & ~3;
}

/* The inverse: the first `missing` samples of a stretch miss pairs before them, and begin at 2^levels times the first
 * low coefficient, and `first` at each level. */
WVL_HD int wvl_lattice_carry_inverse_reach(const wvl_lattice_args *a)
{
    const int whole = 1 << a->levels, missing = (2 * (int)a->steps.stage_count + a->first) * (whole - 1);
    return ((missing + whole - 1) / whole + 3) & ~3;
}

/* The longest tile whose stretch forward has at most `samples` samples; below 1: none. */
WVL_HD int wvl_lattice_carry_tile(const wvl_lattice_args *a, int samples)
{
    return (samples >> a->levels) - wvl_lattice_carry_reach(a);
}

/* Thread blocks of two warps that a multiprocessor shall have registers for: as many as go without spills (9.0). */
#define WVL_LATTICE_CARRY_BLOCKS(stages, first, deep) ((stages) > 7 && (first) + (deep) > 12 ? 8 : 10)

/* Pairs of level 2 of a lane that there is room for: of one run, or of the two that one of level 1 gives. */
WVL_HD int wvl_lattice_carry_second(int first, int deep) { return first > 2 * deep ? first / 2 : deep; }

/* Of the levels above the first one, all together. */
WVL_HD int wvl_lattice_carry_above(const wvl_lattice_args *a, int first, int deep)
{
    return a->levels > 1 ? wvl_lattice_carry_second(first, deep) + deep * (a->levels - 2) : 0;
}

/* Floats of shared memory of a warp. Forward: samples of a run, results of a run, buffers between levels, and values
 * that are kept. */
WVL_HD int wvl_lattice_carry_forward_floats(const wvl_lattice_args *a, int first, int deep)
{
    return 64 * first + 32 * (first > deep ? first : deep) + 64 * wvl_lattice_carry_above(a, first, deep) +
           16 * a->levels;
}

/* The inverse: samples of a run, low coefficients of the last level, high ones of each level, buffers, kept values. */
WVL_HD int wvl_lattice_carry_inverse_floats(const wvl_lattice_args *a, int first, int deep)
{
    return 64 * first + 32 * (first > deep ? first : deep) + 32 * first + 96 * wvl_lattice_carry_above(a, first, deep) +
           16 * a->levels;
}

/* Floats of shared memory of the convolution with `threads` threads, four pairs each; one cell in 32 stays empty. */
WVL_HD int wvl_lattice_convolve_floats(const wvl_lattice_args *a, int threads)
{
    const int count = 4 * threads + (int)a->steps.tap_count / 2;
    return 2 * (count + count / 32 + 1);
}

/* The largest tile that needs at most `floats` of shared memory; of one level, `floats` coefficients. Below 1: none. */
WVL_HD int wvl_lattice_choose_window(wvl_lattice_args a, int floats)
{
    int least = 0, most = floats + 1;
    if (a.levels == 1) {
        return floats;
    }
    while (most - least > 1) {
        a.tile = least + (most - least) / 2;
        *(wvl_lattice_window_floats(&a) <= floats ? &least : &most) = a.tile;
    }
    return least;
}
