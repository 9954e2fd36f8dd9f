/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/roi.h"

#include <string.h>

unsigned wvl_roi_count_planes(const wvl_coding *coding, unsigned planes)
{
    return planes + (coding->region == WVL_REGION_PART ? coding->region_shift : 0);
}

unsigned wvl_roi_find_planes(const wvl_plan *plan)
{
    unsigned most = 1;
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        for (unsigned b = 0; b < 3u * plan->syntax.codings[i].levels + 1u; b++) {
            most = wvl_max_u32(most,
                               wvl_roi_count_planes(&plan->syntax.codings[i], plan->syntax.codings[i].band[b].planes));
        }
    }
    return most;
}

uint32_t wvl_roi_count_samples(const wvl_plan *plan)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        most = wvl_max_u32(most, plan->syntax.codings[i].region == WVL_REGION_PART
                                     ? UINT32_C(1) << (plan->syntax.codings[i].xcb + plan->syntax.codings[i].ycb)
                                     : 0);
    }
    return most;
}

/* ---- What of a block is region --------------------------------------------------------------- */

static unsigned mark_regions(const wvl_plan *plan, const wvl_tile_plan *tile, uint32_t component,
                             const wvl_tile_band *band, wvl_rect rect, uint32_t *copy)
{
    unsigned kind = WVL_ROI_NONE;
    for (uint32_t i = 0; i < plan->syntax.region_count; i++) {
        const wvl_region *region = &plan->syntax.regions[i];
        if (!wvl_geom_region_counts(region, tile->rect, tile->index, component)) {
            continue;
        }
        wvl_rect inner = wvl_geom_region_in_band(&plan->syntax.components[component], &tile->components[component],
                                                 band, region->rect);
        if (wvl_rect_covers(inner, rect)) {
            return WVL_ROI_WHOLE;
        }
        if (wvl_rect_touches(inner, rect)) {
            if (kind == WVL_ROI_NONE) {
                memset(copy, 0, sizeof *copy * wvl_rect_width(rect) * wvl_rect_height(rect));
            }
            /* Samples of `inner` get 1. */
            uint32_t width = wvl_rect_width(rect), x0 = wvl_max_u32(inner.x0, rect.x0),
                     x1 = wvl_min_u32(inner.x1, rect.x1);
            for (uint32_t y = wvl_max_u32(inner.y0, rect.y0); y < inner.y1 && y < rect.y1; y++) {
                for (uint32_t x = x0; x < x1; x++) {
                    copy[(y - rect.y0) * width + (x - rect.x0)] = 1;
                }
            }
            kind = WVL_ROI_PART;
        }
    }
    return kind;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static uint32_t fetch(const wvl_block_input *in, uint32_t x, uint32_t y)
{
    size_t at = (size_t)y * in->stride + x;
    if (in->coef_bytes == 4) {
        return ((const uint32_t *)in->coefs)[at];
    }
    uint32_t s = ((const uint16_t *)in->coefs)[at];
    return (s & 0x7FFFu) | (s >> 15) << 31;
}

/*
 * After its last plane a sample is held to be in the middle of its step; its fraction says how far off that is. With m
 * the sample, c what the copy has of it, r and k their fractions, all in units of 2^-F step, gains of c add up to c^2 -
 * (k - 2^F / 2)^2, and what is then left is (r - 2^F / 2)^2. A sample below one step gains nothing.
 */
static uint64_t energy_of(uint32_t m, uint32_t c, unsigned frac_bits)
{
    uint64_t mask = (UINT64_C(1) << frac_bits) - 1, r = m & mask, k = c & mask;
    return m >> frac_bits ? (uint64_t)c * c - k * k + r * r - ((r - k) << frac_bits) : r * r;
}

/* Replaces the marks. Returns the OR of the coded bits of the background. */
static uint32_t copy_samples(const wvl_block_input *in, unsigned copy_frac_bits, uint32_t *copy, wvl_roi *lift,
                             uint32_t *bound)
{
    uint32_t background = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t *to = &copy[y * in->width + x], s = fetch(in, x, y), m = s & 0x7FFFFFFFu,
                     steps = m >> in->frac_bits;
            uint32_t v = *to ? steps << (lift->shift + copy_frac_bits) : m >> lift->lost_frac_bits;
            lift->energy += energy_of(
                m, *to ? steps << in->frac_bits : m >> lift->lost_frac_bits << lift->lost_frac_bits, in->frac_bits);
            lift->count += *to && steps;
            background |= *to ? 0 : steps;
            *bound |= v;
            *to = v ? v | (s & 0x80000000u) : 0;
        }
    }
    return background;
}

void wvl_roi_block(const wvl_plan *plan, const wvl_tile_plan *tile, const wvl_block_range *range, uint32_t index,
                   wvl_block_input *in, uint32_t *copy, wvl_roi *lift)
{
    const wvl_tile_band *band = &tile->bands[range->band];
    const wvl_coding *coding = &plan->syntax.codings[tile->components[range->component].coding];
    memset(lift, 0, sizeof *lift);
    lift->shift = coding->region_shift;
    if (coding->region != WVL_REGION_PART || !(in->bound >> in->frac_bits)) {
        lift->kind = coding->region == WVL_REGION_WHOLE ? WVL_ROI_WHOLE : WVL_ROI_NONE;
        return;
    }
    wvl_rect rect = wvl_geom_block_rect(band, index % band->block_cols, index / band->block_cols);
    lift->kind = (uint8_t)mark_regions(plan, tile, range->component, band, rect, copy);
    if (lift->kind != WVL_ROI_PART) {
        return;
    }
    /* The plan has seen to planes + shift <= 31; squares of planes + F <= 31 - s bits fit the sum. */
    unsigned frac_bits = wvl_min_u32(in->frac_bits, 31u - band->planes - lift->shift);
    uint32_t bound = 0;
    lift->reversible = in->reversible;
    lift->frac_bits = (uint8_t)frac_bits;
    lift->lost_frac_bits = (uint8_t)(in->frac_bits - frac_bits);
    uint32_t background = copy_samples(in, frac_bits, copy, lift, &bound);
    if (!background || !lift->count) {
        lift->kind = lift->count ? WVL_ROI_WHOLE : WVL_ROI_NONE;
        return;
    }
    in->coefs = copy;
    in->stride = in->width;
    in->coef_bytes = 4;
    in->frac_bits = (uint8_t)frac_bits;
    in->bound = bound;
}

/* ---- Gains ----------------------------------------------------------------------------------- */

/* Settles the gain of one pass of the copy. With P = plane + F of the copy, what refines a region's sample below s
 * finds m' = 0, where codec/core/gain.h gives 3 * 2^P; at plane s a reversible sample is exact, and a quarter more of
 * each square is gone than a sample in the middle of its step would tell. */
static int64_t settle_gain(const wvl_roi *lift, int64_t gain, unsigned plane, unsigned pass)
{
    unsigned P = plane + lift->frac_bits;
    if (plane >= lift->shift) {
        gain /= (int64_t)1 << lift->shift;
        gain += lift->reversible && plane == lift->shift && pass % 3 == 0 ? (int64_t)lift->count : 0;
    } else if (pass % 3 == 2) {
        gain -= lift->reversible && !P ? 4 * (int64_t)lift->count : 3 * (int64_t)((uint64_t)lift->count << P);
    }
    return gain * ((int64_t)1 << lift->lost_frac_bits);
}

void wvl_roi_settle_gains(const wvl_roi *lift, wvl_block_output *out)
{
    if (lift->kind != WVL_ROI_PART || !out->energy) { /* without rate control there are no gains */
        return;
    }
    out->energy = lift->energy;
    out->energy_shift = 0;
    for (unsigned i = 0; i < out->pass_count; i++) {
        out->passes[i].gain_quarters =
            settle_gain(lift, out->passes[i].gain_quarters, out->planes - 1 - (i + 2) / 3, i);
    }
}
