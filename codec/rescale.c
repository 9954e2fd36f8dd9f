/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rescale.h"

#include <string.h>

#include "codec/rate/hull.h"

#define OCTAVE_OF_STEP 512u /* of slopes: twice 256, since errors are squared */
#define SIXTEENTH (OCTAVE_OF_STEP / 16u)

/* Where between two planes a threshold lies best, in slopes above that of one squared step of the plane a byte: docs/results.md. */
#define BEST_PLACE 192
#define SETS_ABOVE 2u /* planes above the threshold's from which sets are coded again */

static int is_possible(const wvl_plan *plan)
{
    return plan->follows_step != 0;
}

uint64_t wvl_rescale_bytes(const wvl_plan *plan)
{
    return is_possible(plan) ? plan->coding_count * (sizeof(wvl_coding) + sizeof(uint64_t[WVL_MAX_BANDS])) : 0;
}

uint32_t wvl_rescale_samples(const wvl_plan *plan) { return is_possible(plan) ? 4096 : 0; }

/* Slope of the threshold above that of one squared step a byte; all bands weigh a squared step alike but for colour. */
static int32_t place_of(const wvl_plan *plan, uint32_t threshold)
{
    const wvl_band_coding *band = &plan->codings[0].band[3u * plan->codings[0].levels];
    int32_t weight = wvl_rate_log2(band->weight_mantissa) + 256 * (band->weight_exponent + 2 * band->frac_bits);
    return (int32_t)threshold - (int32_t)WVL_SLOPE_ZERO - weight;
}

unsigned wvl_rescale_choose(const wvl_plan *plan, uint32_t threshold)
{
    int32_t place = place_of(plan, threshold) - BEST_PLACE + (int32_t)SIXTEENTH / 2;
    int has_plane_below = place >= (int32_t)OCTAVE_OF_STEP; /* for what bytes are left over */
    return is_possible(plan) && threshold && threshold < 65536 && has_plane_below ? (uint32_t)place % OCTAVE_OF_STEP / SIXTEENTH : 0;
}

/* Old step over new one, rounded down. */
static uint64_t factor_of(const wvl_band_coding *before, const wvl_band_coding *after)
{
    return ((uint64_t)(2048u + before->mantissa) << (32 + after->exponent - before->exponent)) / (2048u + after->mantissa);
}

static uint32_t top_plane(const wvl_plan *plan, uint32_t threshold)
{
    int32_t place = place_of(plan, threshold) - BEST_PLACE;
    return SETS_ABOVE + (place > 0 ? (uint32_t)place / OCTAVE_OF_STEP : 0);
}

int wvl_rescale_open(wvl_rescale *r, const wvl_allocator *allocator, const wvl_plan *plan, uint32_t threshold, unsigned sixteenths)
{
    uint8_t *memory = wvl_alloc(allocator, wvl_rescale_bytes(plan));
    if (!memory) {
        return 0;
    }
    r->plan = *plan;
    r->plan.codings = (wvl_coding *)memory;
    r->factors = (uint64_t (*)[WVL_MAX_BANDS])(memory + plan->coding_count * sizeof(wvl_coding));
    memcpy(r->plan.codings, plan->codings, plan->coding_count * sizeof *plan->codings);
    r->top_plane = top_plane(plan, threshold);
    r->is_open = 1;
    for (uint32_t i = 0; i < plan->coding_count; i++) {
        if (!wvl_quant_scale_steps(plan, &r->plan.codings[i], sixteenths)) {
            memcpy(r->plan.codings, plan->codings, plan->coding_count * sizeof *plan->codings);
            break;
        }
    }
    for (uint32_t i = 0; i < plan->coding_count; i++) {
        for (unsigned b = 0; b < 3u * plan->codings[i].levels + 1u; b++) {
            r->factors[i][b] = factor_of(&plan->codings[i].band[b], &r->plan.codings[i].band[b]);
        }
    }
    return 1;
}

void wvl_rescale_close(wvl_rescale *r, const wvl_allocator *allocator)
{
    if (r->is_open) {
        wvl_free(allocator, r->plan.codings, wvl_rescale_bytes(&r->plan));
        r->is_open = 0;
    }
}

static uint32_t scale_narrow(const wvl_block_input *in, uint64_t factor, uint16_t *to)
{
    const uint16_t *from = in->coefs;
    uint32_t bound = 0, factor16 = (uint32_t)(factor >> 16);
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t s = from[(size_t)y * in->stride + x], m = (uint32_t)((uint64_t)(2 * (s & 0x7FFFu) + 1) * factor16 >> 17);
            to[(size_t)y * in->stride + x] = (uint16_t)(m ? (s & 0x8000u) | m : 0);
            bound |= m;
        }
    }
    return bound;
}

static uint32_t scale_wide(const wvl_block_input *in, uint64_t factor, uint32_t *to)
{
    const uint32_t *from = in->coefs;
    uint32_t bound = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t s = from[(size_t)y * in->stride + x], m = (uint32_t)(((uint64_t)(s & 0x7FFFFFFFu) * factor + factor / 2) >> 32);
            to[(size_t)y * in->stride + x] = m ? (s & 0x80000000u) | m : 0;
            bound |= m;
        }
    }
    return bound;
}

void wvl_rescale_block(const wvl_rescale *r, uint32_t coding, uint32_t band, uint32_t *copy, wvl_block_input *in)
{
    if (!r->is_open || !in->bound) { /* samples of empty blocks are not there: backends do not deliver them */
        return;
    }
    uint64_t factor = r->factors[coding][band];
    in->bound = in->coef_bytes == 2 ? scale_narrow(in, factor, (uint16_t *)copy) : scale_wide(in, factor, copy);
    in->coefs = copy;
    in->first_set = (uint8_t)(r->top_plane + 1);
}
