/* SPDX-License-Identifier: BSD-2-Clause */
/* How the rows of marching kernels are cut. Speed alone depends on it. */
#pragma once

#include "cuda/core/split.h"
#include "cuda/core/stretch.h"
#include "cuda/dwt/tuning.h"

/* `rows` rows share `count` iterations. Returns those before the k-th. */
static inline uint32_t wvl_cuda_share(uint64_t count, uint64_t rows, uint64_t grade, uint64_t k)
{
    return (uint32_t)(count * k * (grade * rows - (grade - 100) * k) / (100 * rows * rows));
}

/* The first iteration of a row of items; of the one past the last: the end. */
static inline uint32_t wvl_cuda_first_iteration(const wvl_cuda_split *split, uint32_t row)
{
    if (row <= split->long_rows) {
        return wvl_cuda_share(split->long_iterations, split->long_rows, split->grade, row);
    }
    return split->long_iterations + wvl_cuda_share(split->iterations - split->long_iterations,
                                                   split->rows - split->long_rows, 100, row - split->long_rows);
}

/* The row of items that has the iteration. */
static inline uint32_t wvl_cuda_row_of(const wvl_cuda_split *split, uint32_t iteration)
{
    uint32_t first = 0, end = split->rows;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (wvl_cuda_first_iteration(split, middle) <= iteration) {
            first = middle;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Where a few waves hold a few whole rows of stretches and a part of one more: iterations of the rows of long ones,
 * beside which what is left of the waves does the rest in short ones. 0: not so. */
static inline uint32_t wvl_cuda_choose_long(uint64_t panels, uint64_t wave, uint64_t iterations, uint64_t run_in,
                                            uint32_t *rows)
{
    const uint64_t least = WVL_CUDA_MARCH_REST, share = panels * (least + run_in + WVL_CUDA_MARCH_REST_COST);
    uint64_t best = UINT64_MAX;
    uint32_t length = 0;
    for (uint64_t waves = 1; waves <= WVL_CUDA_MARCH_WAVES_MOST; waves++) {
        const uint64_t whole = waves * wave / panels, beside = waves * wave % panels;
        if (whole < WVL_CUDA_MARCH_ROWS_LEAST || whole > WVL_CUDA_MARCH_ROWS_MOST || iterations < 2 * whole * least) {
            continue;
        }
        const uint64_t each =
            wvl_ceil_div(iterations * share - beside * least * run_in, whole * share + beside * least);
        if (waves * (each + run_in) < best) {
            best = waves * (each + run_in);
            length = (uint32_t)each;
            *rows = (uint32_t)whole;
        }
    }
    return length;
}
