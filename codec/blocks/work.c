/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/work.h"

#include "codec/core/phase_shares.h"

/* ---- Order ----------------------------------------------------------------------------------- */

/* The range, counted band after band, that is coded as number `index`. */
static uint64_t find_number(const wvl_work_list *list, uint64_t index)
{
    unsigned p = 0;
    if (!list->is_phased) {
        return index;
    }
    while (index >= list->ends[p]) {
        p++;
    }
    index -= p ? list->ends[p - 1] : 0;
    const wvl_share *coarse = wvl_share_fetch(p, 0), *fine = wvl_share_fetch(p, 1);
    uint64_t coarse_ranges = wvl_share_count(coarse, list->coarse_count);
    if (index < coarse_ranges) {
        return wvl_share_find(coarse, list->coarse_count, index);
    }
    return list->coarse_count + wvl_share_find(fine, list->range_count - list->coarse_count, index - coarse_ranges);
}

static wvl_block_range make_range(const wvl_work_list *list, uint64_t number)
{
    uint64_t lo = 0, hi = list->band_count;
    while (hi - lo > 1) {
        uint64_t mid = (lo + hi) / 2;
        if (list->memory.bands[mid].first <= number) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    const wvl_work_band *wb = &list->memory.bands[lo];
    const wvl_tile_plan *tile = list->coefs[wb->tile].tile;
    const wvl_tile_band *band = &tile->bands[wb->band];
    uint64_t first = wb->block + (number - wb->first) * wb->blocks_per_range;
    wvl_block_range range = {.tile = wb->tile, .band = wb->band, .component = (uint16_t)wb->component};
    range.first = (uint32_t)first;
    range.count = (uint32_t)wvl_min_u64(wb->blocks_per_range, wb->end - first);
    range.rate_group = (uint8_t)wvl_share_rate_group(list->plan, tile, wb->component, wb->band);
    range.is_fine = (uint8_t)wvl_share_is_fine(band);
    return range;
}

uint64_t wvl_work_count_samples(const wvl_work_list *list, const wvl_block_range *range)
{
    const wvl_tile_band *band = &list->coefs[range->tile].tile->bands[range->band];
    uint64_t samples = 0;
    for (uint32_t b = range->first; b < range->first + range->count; b++) {
        wvl_rect rect = wvl_geom_block_rect(band, b % band->block_cols, b / band->block_cols);
        samples += (uint64_t)wvl_rect_width(rect) * wvl_rect_height(rect);
    }
    return samples;
}

#define CLASSES 132u /* of weights: quarters of octaves */

/* 0: the heaviest. */
static uint32_t class_of(uint32_t weight)
{
    uint32_t bits = wvl_bit_length(weight), quarter = bits > 2 ? weight >> (bits - 3) & 3 : 0;
    return CLASSES - 1 - (4 * bits + quarter);
}

/* The lighter half of the ranges from `first` to `end` behind the others, each half as it was. */
static void sort_phase(wvl_work_list *list, uint64_t first, uint64_t end)
{
    uint64_t count[CLASSES] = {0}, heavy = 0, next = first;
    uint32_t light = 0;
    for (uint64_t i = first; i < end; i++) {
        count[class_of(list->memory.weights[i])]++;
    }
    while (2 * heavy < end - first) {
        heavy += count[light++];
    }
    heavy += first;
    for (uint64_t i = first; i < end; i++) {
        uint64_t *at = class_of(list->memory.weights[i]) < light ? &next : &heavy;
        list->memory.order[(*at)++] = (uint32_t)i;
    }
}

void wvl_work_sort(wvl_work_list *list)
{
    for (unsigned p = 0; p < WVL_WORK_PHASES; p++) {
        sort_phase(list, p ? list->ends[p - 1] : 0, list->ends[p]);
    }
    for (uint64_t i = 0; i < list->range_count; i++) {
        list->memory.ranges[i] = make_range(list, find_number(list, list->memory.order[i]));
    }
}

/* ---- Listing --------------------------------------------------------------------------------- */

void wvl_work_carve(const wvl_plan *plan, wvl_carver *carver, wvl_work_memory *memory)
{
    uint64_t weighed = plan->rate.rdoq ? plan->memory.wave_ranges : 0;
    memory->bands = wvl_carve(carver, plan->memory.wave_bands, sizeof *memory->bands);
    memory->ranges = wvl_carve(carver, plan->memory.wave_ranges, sizeof *memory->ranges);
    memory->weights = wvl_carve(carver, weighed, sizeof *memory->weights);
    memory->order = wvl_carve(carver, weighed, sizeof *memory->order);
}

uint64_t wvl_work_count_ranges(const wvl_tile_plan *tile)
{
    uint64_t ranges = 0;
    for (uint32_t b = 0; b < tile->band_count; b++) {
        const wvl_tile_band *band = &tile->bands[b];
        ranges += wvl_ceil_div((uint64_t)band->block_cols * band->block_rows, wvl_share_blocks_per_range(band));
    }
    return ranges;
}

static void note_samples(const wvl_depth *depth, uint32_t group, const wvl_tile_band *band, wvl_block_rows rows)
{
    if (rows.end > rows.first) {
        uint32_t top = wvl_geom_block_rect(band, 0, rows.first).y0,
                 bottom = wvl_geom_block_rect(band, 0, rows.end - 1).y1;
        wvl_depth_part_of(depth, group, (unsigned)wvl_share_is_fine(band))->samples +=
            (double)wvl_rect_width(band->rect) * (bottom - top);
    }
}

enum { ALL_BANDS = 2 }; /* beside the answers of wvl_share_is_fine */

static void list_bands(wvl_work_list *list, uint32_t tile_count, const wvl_depth *depth, int which)
{
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t c = 0; c < list->coefs[t].tile->component_count; c++) {
            /* Finest bands of a component first. */
            const wvl_tile_plan *tile = list->coefs[t].tile;
            const wvl_tile_component *tc = &tile->components[c];
            uint32_t first = tile->resolutions[tc->first_resolution].first_band;
            for (uint32_t b = first + 3u * tc->levels + 1u; b-- > first;) {
                const wvl_tile_band *band = &tile->bands[b];
                if (which != ALL_BANDS && wvl_share_is_fine(band) != which) {
                    continue;
                }
                wvl_block_rows rows = wvl_coefs_rows(&list->coefs[t], b);
                uint64_t from = (uint64_t)band->block_cols * rows.first, end = (uint64_t)band->block_cols * rows.end,
                         blocks = end - from;
                if (blocks) {
                    wvl_work_band at = {list->range_count, t, b, c, wvl_share_blocks_per_range(band), from, end};
                    list->memory.bands[list->band_count++] = at;
                    list->block_count += blocks;
                    list->range_count += wvl_ceil_div(blocks, at.blocks_per_range);
                }
                if (depth) {
                    note_samples(depth, wvl_share_rate_group(list->plan, tile, c, b), band, rows);
                }
            }
        }
    }
}

void wvl_work_build(wvl_work_list *list, const wvl_work_memory *memory, const wvl_plan *plan, const wvl_coefs *coefs,
                    uint32_t tile_count, const wvl_depth *depth)
{
    memset(list, 0, sizeof *list);
    list->plan = plan;
    list->coefs = coefs;
    list->memory = *memory;
    list->is_phased = depth != NULL;
    if (depth) {
        list_bands(list, tile_count, depth, 0);
        list->coarse_count = list->range_count;
        list_bands(list, tile_count, depth, 1);
        uint64_t end = 0;
        for (unsigned p = 0; p < WVL_WORK_PHASES; p++) {
            end += wvl_share_count(wvl_share_fetch(p, 0), list->coarse_count) +
                   wvl_share_count(wvl_share_fetch(p, 1), list->range_count - list->coarse_count);
            list->ends[p] = end;
        }
    } else {
        list_bands(list, tile_count, NULL, ALL_BANDS);
    }
    for (uint64_t i = 0; i < list->range_count; i++) {
        list->memory.ranges[i] = make_range(list, find_number(list, i));
    }
}
