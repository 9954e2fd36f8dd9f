/* SPDX-License-Identifier: BSD-2-Clause */
/* What the trials of a run came to: counts of outcomes, of known faults and of refusals, by their names. */
#pragma once

#include "estimate.h"
#include "judge.h"

#define FUZZ_MAX_PRESETS 64u
#define FUZZ_MAX_REFUSALS 32u

typedef struct fuzz_tally {
    int only_estimates; /* drawn pictures at a rate, whose mean is known better */
    uint64_t trials, passed, refused, failed, unjudged;
    uint64_t found[32];   /* trials with bit n of FUZZ_WAS_ */
    uint64_t excuses[64]; /* by fault of fuzz_faults() */
    uint64_t refusals[FUZZ_MAX_REFUSALS];
    double least_margin, drift, measured_drift;
    uint64_t drift_count, measured_count;
    struct {
        char name[32];           /* without the words behind it: "dci-2k" for "dci-2k-48" */
        uint64_t tried, refused; /* with pictures that suit it */
    } presets[FUZZ_MAX_PRESETS];
} fuzz_tally;

void fuzz_tally_count(fuzz_tally *t, const fuzz_verdict *v);
void fuzz_tally_print(const fuzz_tally *t);
/* How far devices went, if one was at work. */
void fuzz_tally_print_reach(const fuzz_tally *t);
/* 1: of the trials on a device fewer than 99 of 100 reached packets, or blocks alone where that is `wanted`
 * (FUZZ_WAS_*); it is printed. */
int fuzz_tally_lacks(const fuzz_tally *t, unsigned wanted);
/* 1: all trials together say what no single one says; it is printed. */
int fuzz_tally_fails(const fuzz_tally *t);
