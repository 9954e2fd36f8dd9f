/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials in processes of their own, so that a crash or a hang is a finding like another. */
#pragma once

#include "draw.h"
#include "judge.h"

#define FUZZ_MAX_JOBS 64u

typedef struct fuzz_plan {
    uint64_t seed, count;
    uint32_t jobs, seconds; /* seconds: of one trial at most */
    fuzz_judge *judge;
    fuzz_blocks blocks; /* not FUZZ_BLOCKS_ANY: nothing illegal, and no presets */
    int only_packets;   /* the same, and only what a device finishes */
    int only_presets;   /* every case has a preset */
    int only_estimates; /* 9/7 at a rate whose PSNR is estimated */
    int by_rows;        /* the second encode comes by rows (rows.h) */
    const char *device; /* value of the option "device" for every case; NULL: as drawn */
    const char *reach;  /* the same of "reach"; NULL: as drawn, but "coefs" where the device is given */
    void (*judge_case)(fuzz_judge *judge, const fuzz_case *c, fuzz_verdict *v); /* NULL: fuzz_judge_case */
} fuzz_plan;

/* FUZZ_WAS_*: how far a device goes with the cases of a plan with only_packets. */
static inline unsigned fuzz_pool_wants(const fuzz_plan *plan)
{
    return plan->blocks == FUZZ_BLOCKS_WAVES ? FUZZ_WAS_BLOCKS : FUZZ_WAS_PACKETS;
}
/* Case of seed: every eighth breaks a rule. */
void fuzz_pool_draw(const fuzz_plan *plan, uint64_t seed, fuzz_case *c);
/* Runs all seeds; done is called for each, in no certain order. 0: a process could not be started. */
int fuzz_pool_run(const fuzz_plan *plan, void (*done)(void *user, uint64_t seed, const fuzz_verdict *v), void *user);
/* One trial in a process of its own. */
void fuzz_pool_try(fuzz_judge *judge, const fuzz_case *c, uint32_t seconds, fuzz_verdict *v);
