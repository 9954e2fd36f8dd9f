/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a wave of tiles as groups, small enough to be handed out one by one, and the order in which they are coded: finest bands
 * first, because they are the most work; where early blocks are to tell how deep later ones must be coded, shares of all bands first.
 */
#ifndef WVL_CODEC_TILE_WORK_H
#define WVL_CODEC_TILE_WORK_H

#include "codec/rate/depth.h"
#include "geom/handover.h"

#define WVL_WORK_PHASES 6u

/* Groups of blocks of one band; `first` counts groups over the wave. */
typedef struct wvl_work_band {
    uint64_t first;
    uint32_t tile, band, component;
    uint32_t blocks_per_group;
} wvl_work_band;

typedef struct wvl_work_list {
    wvl_work_band *bands;
    uint64_t band_count, group_count, block_count;
    uint64_t coarse_count;            /* groups of coarse bands, which come first when there are phases */
    int is_phased;
    uint64_t ends[WVL_WORK_PHASES];   /* of phases: groups up to them */
    uint32_t *weights, *order;        /* [group_count], caller's: what groups weigh by number, and which comes when */
    int is_ordered;                   /* numbers go through `order` */
} wvl_work_list;

/* Groups of a tile. */
uint64_t wvl_work_count_groups(const wvl_tile_plan *tile);
/* bands: plan->wave_bands of them. depth: takes the samples of what is listed and asks for phases; NULL: one band after another. */
void wvl_work_build(wvl_work_list *list, const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tile_count, wvl_work_band *bands,
                    const wvl_depth *depth);
/* From the weights: the lighter half of each phase comes last, so that what is still coded when everything else is done soon ends, too. */
void wvl_work_sort(wvl_work_list *list);
/* The group to be coded as number `index`. */
uint64_t wvl_work_find_group(const wvl_work_list *list, uint64_t index);
const wvl_work_band *wvl_work_find_band(const wvl_work_list *list, uint64_t group);

/* How many blocks are about as many as the groups of phases up to this one. */
static inline uint64_t wvl_work_blocks_until(const wvl_work_list *list, unsigned phase)
{
    return list->ends[phase] * list->block_count / wvl_max_u64(list->group_count, 1);
}

#endif
