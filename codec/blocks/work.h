/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a wave as ranges of about equal size, in the order in which they are coded. Finest bands come first,
 * because they are the most work. Where early blocks show how deep later ones must be coded, the list has phases:
 * growing shares of all bands.
 */
#pragma once

#include "codec/rate/depth.h"

#define WVL_WORK_PHASES WVL_SURVEY_ALL_PHASES

/* A band of the wave; `first` counts ranges over the wave, band after band. */
typedef struct wvl_work_band {
    uint64_t first;
    uint32_t tile, band, component;
    uint32_t blocks_per_range;
    uint64_t block, end; /* blocks of the band */
} wvl_work_band;

/* Memory of a list, for the largest wave of a plan. */
typedef struct wvl_work_memory {
    wvl_work_band *bands;      /* [plan->memory.wave_bands] */
    wvl_block_range *ranges;   /* [plan->memory.wave_ranges] */
    uint32_t *weights, *order; /* [plan->memory.wave_ranges] with plan->rate.rdoq, else nothing */
} wvl_work_memory;

typedef struct wvl_work_list {
    const wvl_plan *plan;
    const wvl_coefs *coefs; /* of the wave; only their tile plans are looked at */
    wvl_work_memory memory;
    uint64_t band_count, range_count, block_count;
    uint64_t coarse_count; /* ranges of coarse bands, which come first band after band when there are phases */
    int is_phased;
    uint64_t ends[WVL_WORK_PHASES]; /* ranges up to the end of each phase */
} wvl_work_list;

void wvl_work_carve(const wvl_plan *plan, wvl_carver *carver, wvl_work_memory *memory);
/* Ranges of a tile. */
uint64_t wvl_work_count_ranges(const wvl_tile_plan *tile);
/* depth: takes the samples of what is listed and asks for phases; NULL: one band after another. */
void wvl_work_build(wvl_work_list *list, const wvl_work_memory *memory, const wvl_plan *plan, const wvl_coefs *coefs,
                    uint32_t tile_count, const wvl_depth *depth);
/* By memory.weights, which count ranges as they lie now: the lighter half of each phase comes last, so that no heavy
 * range is left when all others are done. */
void wvl_work_sort(wvl_work_list *list);
/* Samples of a range. */
uint64_t wvl_work_count_samples(const wvl_work_list *list, const wvl_block_range *range);

/* The number of blocks in phases up to this one, about. */
static inline uint64_t wvl_work_blocks_until(const wvl_work_list *list, unsigned phase)
{
    return list->ends[phase] * list->block_count / wvl_max_u64(list->range_count, 1);
}
