/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a picture is coded again, and how. Rate control may find that the blocks coded so far do not suffice. Then the
 * pixels are transformed a second time, unless the coefficients were kept, and blocks are coded by another order. This
 * file owns the decision: a new reason is added here and nowhere else.
 */
#pragma once

#include "codec/blocks/keep.h"
#include "codec/rate/layers.h"
#include "codec/rate/rescale.h"

typedef enum wvl_recode_reason {
    WVL_RECODE_NONE = 0,
    WVL_RECODE_DEEPER, /* blocks were left too early for the thresholds found: these blocks are coded in full. Once for
                          each of the others */
    WVL_RECODE_RESCALED,   /* HT: steps are made coarser for the byte target (codec/rate/rescale.h): all blocks. Once */
    WVL_RECODE_REQUANTISED /* rdoq: most blocks were quantised for slopes far from those found: all blocks. Once */
} wvl_recode_reason;

typedef struct wvl_recode {
    wvl_recode_reason reason;             /* of the coding that is to come; NONE: the first, or none */
    uint32_t wanted[WVL_RATE_GROUPS];     /* DEEPER: thresholds that blocks must be decided for */
    uint32_t thresholds[WVL_RATE_GROUPS]; /* the others: what all blocks are to be decided for; 0: all passes */
    wvl_rescale rescale;                  /* open from RESCALED on; its plan is then the coder's */
    int has_judged_slopes;                /* REQUANTISED was considered */
} wvl_recode;

/* What rate control found. */
typedef struct wvl_recode_facts {
    const wvl_plan *plan;
    const wvl_allocator *allocator;
    wvl_status status; /* of rate control */
    const wvl_layer_job *job;
    uint32_t slope;        /* threshold of the first layer */
    wvl_coded_tile *tiles; /* [tile_count]: block states, and slopes, become those of the coding to come */
    wvl_keeper *keeper;
} wvl_recode_facts;

/* Says whether a picture of this plan may be coded again: pixels, or kept coefficients, must stay until it is known. */
int wvl_recode_is_possible(const wvl_plan *plan);
/* Says whether all of its blocks may then be coded a second time. */
int wvl_recode_may_take_all(const wvl_plan *plan);
/* Exact: the most that is held until close. */
uint64_t wvl_recode_bytes(const wvl_plan *plan);

/* Decides, and prepares what is kept for the coding to come. recode->reason says the result. WVL_ERROR_MEMORY. */
wvl_status wvl_recode_decide(wvl_recode *recode, const wvl_recode_facts *facts);
/* The order of the coding to come, without ranges. plan: the coder's. */
void wvl_recode_fill_order(const wvl_recode *recode, const wvl_plan *plan, wvl_block_order *order);
/* The coding is done. */
void wvl_recode_end(wvl_recode *recode);
void wvl_recode_close(wvl_recode *recode, const wvl_allocator *allocator);
