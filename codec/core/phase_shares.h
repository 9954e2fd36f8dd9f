/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which blocks are coded in which phase, where early blocks show how deep, or for which slopes, later ones are coded.
 * Shared by host and device. With rdoq bytes depend on it (D-rdoq-03).
 *
 * Consecutive blocks of a band are ranges of about equal size. Ranges of coarse bands are numbered first, then those of
 * fine ones: tile by tile, component by component, the finest band first.
 */
#pragma once

#include "codec/core/descent.h"

#define WVL_SHARE_RANGE_SAMPLES 8192u /* two blocks of nominal size, or as many small ones */

/* Coarse bands: below the two finest resolutions. */
static inline int wvl_share_is_fine(const wvl_tile_band *band) { return band->level <= 2; }

/* Cells of less than four columns count as eight: they once were, and with rdoq bytes depend on it. */
static inline uint32_t wvl_share_blocks_per_range(const wvl_tile_band *band)
{
    uint32_t width = wvl_max_u32(band->cell_width, wvl_min_u32(1u << band->xcb, 8));
    return wvl_max_u32(1, WVL_SHARE_RANGE_SAMPLES / wvl_max_u32(1, width * band->cell_height));
}

/* Bands of a component follow its resolutions: one for the first, three for each of the others. */
static inline uint32_t wvl_share_rate_group(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component,
                                            uint32_t band)
{
    uint32_t first = tile->resolutions[tile->components[component].first_resolution].first_band;
    return wvl_plan_rate_group(plan, component, band == first ? 0 : (band - first - 1) / 3 + 1);
}

/* The share has some of every `of` ranges in a row. */
typedef struct wvl_share {
    uint8_t count, of;
    uint8_t residues[24];
} wvl_share;

/* Growing shares of the ranges, coarse bands (eighths) and fine ones (shares of 32) apart, each share spread over its
 * bands. */
static inline const wvl_share *wvl_share_fetch(unsigned phase, unsigned is_fine)
{
    static const wvl_share shares[WVL_SURVEY_ALL_PHASES][2] = {
        {{1, 8, {0}}, {1, 32, {16}}},
        {{1, 8, {4}}, {1, 32, {0}}},
        {{2, 8, {2, 6}}, {2, 32, {8, 24}}},
        {{4, 8, {1, 3, 5, 7}}, {4, 32, {4, 12, 20, 28}}},
        {{0, 8, {0}}, {8, 32, {2, 6, 10, 14, 18, 22, 26, 30}}},
        {{0, 8, {0}}, {16, 32, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}}},
    };
    return &shares[phase][is_fine];
}

static inline uint64_t wvl_share_count(const wvl_share *s, uint64_t ranges)
{
    uint64_t rest = 0;
    for (unsigned i = 0; i < s->count; i++) {
        rest += s->residues[i] < ranges % s->of;
    }
    return ranges / s->of * s->count + rest;
}

/* Whole periods are turned by as good as random steps: rows of blocks may have a period too. */
static inline uint32_t wvl_share_find_turn(uint64_t periods, uint64_t period)
{
    return period < periods ? (uint32_t)(period * 0x9E3779B1u) >> 27 : 0;
}

/* The number, among `ranges` ranges of its kind, of the range that is at `index` in the share. */
static inline uint64_t wvl_share_find(const wvl_share *s, uint64_t ranges, uint64_t index)
{
    uint64_t period = index / s->count;
    uint32_t turn = wvl_share_find_turn(ranges / s->of, period);
    return period * s->of + (s->residues[index % s->count] + turn) % s->of;
}

/* The phase of a range: that whose share has it. */
static inline unsigned wvl_share_find_phase(unsigned is_fine, uint64_t ranges, uint64_t number)
{
    uint32_t of = wvl_share_fetch(0, is_fine)->of;
    uint64_t period = number / of;
    uint32_t residue = (uint32_t)(number % of + of - wvl_share_find_turn(ranges / of, period) % of) % of;
    for (unsigned phase = 0; phase < WVL_SURVEY_ALL_PHASES; phase++) {
        const wvl_share *s = wvl_share_fetch(phase, is_fine);
        for (unsigned i = 0; i < s->count; i++) {
            if (s->residues[i] == residue) {
                return phase;
            }
        }
    }
    return 0; /* not reached: the shares hold all residues */
}
