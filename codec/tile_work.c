/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/tile_work.h"

#include <string.h>

#include "codec/tile_blocks.h"

#define GROUP_SAMPLES 8192u /* work handed out at a time: two blocks of nominal size, or as many small ones */

/* ---- Order --------------------------------------------------------------------------------------------------------------------- */

/* Growing shares of the groups, coarse bands (eighths) and fine ones (shares of 32) apart, each share spread over its bands. */
enum { PARTS = 2 };
typedef struct share {
    uint8_t count, of;
    uint8_t residues[24];
} share;
static const share shares[WVL_WORK_PHASES][PARTS] = {
    {{1, 8, {0}}, {1, 32, {16}}},
    {{1, 8, {4}}, {1, 32, {0}}},
    {{2, 8, {2, 6}}, {2, 32, {8, 24}}},
    {{4, 8, {1, 3, 5, 7}}, {4, 32, {4, 12, 20, 28}}},
    {{0, 8, {0}}, {8, 32, {2, 6, 10, 14, 18, 22, 26, 30}}},
    {{0, 8, {0}}, {16, 32, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}}},
};

static uint64_t count_share(const share *s, uint64_t groups)
{
    uint64_t rest = 0;
    for (unsigned i = 0; i < s->count; i++) {
        rest += s->residues[i] < groups % s->of;
    }
    return groups / s->of * s->count + rest;
}

/* Whole periods are turned by as good as random steps: rows of blocks may have a period too. */
static uint64_t find_share(const share *s, uint64_t groups, uint64_t index)
{
    uint64_t period = index / s->count;
    uint32_t turn = period < groups / s->of ? (uint32_t)(period * 0x9E3779B1u) >> 27 : 0;
    return period * s->of + (s->residues[index % s->count] + turn) % s->of;
}

static void count_phases(wvl_work_list *list)
{
    uint64_t end = 0;
    for (unsigned p = 0; p < WVL_WORK_PHASES; p++) {
        end += count_share(&shares[p][0], list->coarse_count) + count_share(&shares[p][1], list->group_count - list->coarse_count);
        list->ends[p] = end;
    }
}

uint64_t wvl_work_find_group(const wvl_work_list *list, uint64_t index)
{
    unsigned p = 0;
    if (!list->is_phased) {
        return index;
    }
    index = list->is_ordered ? list->order[index] : index;
    while (index >= list->ends[p]) {
        p++;
    }
    index -= p ? list->ends[p - 1] : 0;
    uint64_t coarse = count_share(&shares[p][0], list->coarse_count), fine_groups = list->group_count - list->coarse_count;
    if (index < coarse) {
        return find_share(&shares[p][0], list->coarse_count, index);
    }
    return list->coarse_count + find_share(&shares[p][1], fine_groups, index - coarse);
}

const wvl_work_band *wvl_work_find_band(const wvl_work_list *list, uint64_t group)
{
    uint64_t lo = 0, hi = list->band_count;
    while (hi - lo > 1) {
        uint64_t mid = (lo + hi) / 2;
        if (list->bands[mid].first <= group) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return &list->bands[lo];
}

#define CLASSES 132u /* of weights: quarters of octaves */

/* 0: the heaviest. */
static uint32_t class_of(uint32_t weight)
{
    uint32_t bits = wvl_bit_length(weight), quarter = bits > 2 ? weight >> (bits - 3) & 3 : 0;
    return CLASSES - 1 - (4 * bits + quarter);
}

/* The lighter half of the groups from `first` to `end` behind the others, each half as it was. */
static void sort_phase(wvl_work_list *list, uint64_t first, uint64_t end)
{
    uint64_t count[CLASSES] = {0}, heavy = 0, next = first;
    uint32_t light = 0;
    for (uint64_t i = first; i < end; i++) {
        count[class_of(list->weights[i])]++;
    }
    while (2 * heavy < end - first) {
        heavy += count[light++];
    }
    heavy += first;
    for (uint64_t i = first; i < end; i++) {
        uint64_t *at = class_of(list->weights[i]) < light ? &next : &heavy;
        list->order[(*at)++] = (uint32_t)i;
    }
}

void wvl_work_sort(wvl_work_list *list)
{
    for (unsigned p = 0; p < WVL_WORK_PHASES; p++) {
        sort_phase(list, p ? list->ends[p - 1] : 0, list->ends[p]);
    }
    list->is_ordered = 1;
}

/* ---- Listing ------------------------------------------------------------------------------------------------------------------- */

static uint32_t blocks_per_group(const wvl_tile_band *band)
{
    return wvl_max_u32(1, GROUP_SAMPLES / wvl_max_u32(1, band->slot_width * band->slot_height));
}

uint64_t wvl_work_count_groups(const wvl_tile_plan *tile)
{
    uint64_t groups = 0;
    for (uint32_t b = 0; b < tile->band_count; b++) {
        const wvl_tile_band *band = &tile->bands[b];
        groups += wvl_ceil_div((uint64_t)band->block_cols * band->block_rows, blocks_per_group(band));
    }
    return groups;
}

static void list_band(wvl_work_list *list, const wvl_tile_band *band, wvl_work_band at)
{
    uint64_t blocks = (uint64_t)band->block_cols * band->block_rows;
    if (blocks) {
        at.first = list->group_count;
        at.blocks_per_group = blocks_per_group(band);
        list->bands[list->band_count++] = at;
        list->block_count += blocks;
        list->group_count += wvl_ceil_div(blocks, at.blocks_per_group);
    }
}

static void note_samples(const wvl_depth *depth, uint32_t group, const wvl_tile_band *band)
{
    wvl_depth_part_of(depth, group, band)->samples += (double)wvl_rect_width(band->rect) * wvl_rect_height(band->rect);
}

/* which: bands with this answer of wvl_depth_is_fine, or all (2). */
static void list_bands(wvl_work_list *list, const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tile_count, const wvl_depth *depth, int which)
{
    for (uint32_t t = 0; t < tile_count; t++) {
        const wvl_tile_plan *tile = coefs[t].tile;
        for (uint32_t c = 0; c < tile->component_count; c++) {
            const wvl_tile_component *tc = &tile->components[c];
            uint32_t first = tile->resolutions[tc->first_resolution].first_band;
            for (uint32_t b = first + 3u * tc->levels + 1u; b-- > first;) {
                const wvl_tile_band *band = &tile->bands[b];
                if (which != 2 && wvl_depth_is_fine(band) != which) {
                    continue;
                }
                list_band(list, band, (wvl_work_band){0, t, b, c, 0});
                if (depth) {
                    note_samples(depth, wvl_tile_rate_group(plan, tile, c, b), band);
                }
            }
        }
    }
}

void wvl_work_build(wvl_work_list *list, const wvl_plan *plan, const wvl_coefs *coefs, uint32_t tile_count, wvl_work_band *bands,
                    const wvl_depth *depth)
{
    memset(list, 0, sizeof *list);
    list->bands = bands;
    list->is_phased = depth != NULL;
    if (!depth) {
        list_bands(list, plan, coefs, tile_count, NULL, 2);
        return;
    }
    list_bands(list, plan, coefs, tile_count, depth, 0);
    list->coarse_count = list->group_count;
    list_bands(list, plan, coefs, tile_count, depth, 1);
    count_phases(list);
}
