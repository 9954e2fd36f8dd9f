/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A step that follows the byte target, for HT blocks (D-ht-04). Their sets lie whole planes apart, and refinement
 * passes are a dear way to lie between: where the bytes of the first coding end between two planes, up to 0.2 dB are
 * lost to a quantizer whose step is right. So the steps of all bands are made coarser by less than an octave, until the
 * mean of where blocks end is a whole plane, and all blocks are coded again. Backends deliver coefficients as they
 * are, with fractional bits below the step; they are scaled when a block is handed to the block coder, so that
 * transform and device know nothing of it. From then on the coder works by a copy of the plan with the new steps, and
 * that is what QCD and CAP say.
 */
#pragma once

#include "base/alloc.h"
#include "codec/core/block.h"
#include "codec/core/step.h"
#include "geom/handover.h"

typedef struct wvl_rescale {
    int is_open;                        /* steps are the plan's times 2^(steps/16) */
    wvl_plan plan;                      /* a copy with codings of its own */
    uint64_t (*factors)[WVL_MAX_BANDS]; /* [coding_count]: old step over new one in 1/2^32 */
    uint8_t first_set;                  /* one more than the plane above which no set is coded again */
} wvl_rescale;

/* Returns what opening takes. 0: never for this plan. */
uint64_t wvl_rescale_bytes(const wvl_plan *plan);
/* Samples of a block's copy; 0: none is needed. */
uint32_t wvl_rescale_samples(const wvl_plan *plan);
/* cut: passes sent, not 0. */
void wvl_rescale_add_end(wvl_step_ends *ends, const wvl_coded_block *block, const wvl_pass *passes, uint32_t cut);
/* 0: the steps are right as they are. */
unsigned wvl_rescale_choose(const wvl_plan *plan, const wvl_step_ends *ends);
/* The plan's codings, with steps that are 2^(sixteenths/16) times theirs where the standard has room for all of them;
 * codings: [coding_count]. */
void wvl_rescale_codings(const wvl_plan *plan, unsigned sixteenths, wvl_coding *codings);
/* Old step of a band over the one in these codings, in 1/2^32, rounded down. */
uint64_t wvl_rescale_factor(const wvl_plan *plan, const wvl_coding *codings, uint32_t coding, uint32_t band);
/* 0: no memory. */
int wvl_rescale_open(wvl_rescale *r, const wvl_allocator *allocator, const wvl_plan *plan, const wvl_step_ends *ends,
                     unsigned sixteenths);
void wvl_rescale_close(wvl_rescale *r, const wvl_allocator *allocator);
/* Copies in's samples to `copy`, times factor / 2^32, and lets in point there. first_set: as in wvl_block_input. */
void wvl_rescale_change(uint64_t factor, uint8_t first_set, uint32_t *copy, wvl_block_input *in);
/* The same, with the factor of a band; nothing unless open. */
void wvl_rescale_block(const wvl_rescale *r, uint32_t coding, uint32_t band, uint32_t *copy, wvl_block_input *in);
