/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rescale.h"

#include <string.h>

#include "base/intmath.h"

#define SET_PASSES 3u
#define PLANE 256     /* parts of a plane that are counted */
#define SETS_ABOVE 2u /* planes above the mean one from which sets are coded again */

static int is_possible(const wvl_plan *plan) { return plan->rate.follows_step != 0; }

uint64_t wvl_rescale_bytes(const wvl_plan *plan)
{
    return is_possible(plan) ? plan->syntax.coding_count * (sizeof(wvl_coding) + sizeof(uint64_t[WVL_MAX_BANDS])) : 0;
}

uint32_t wvl_rescale_samples(const wvl_plan *plan) { return is_possible(plan) ? 4096 : 0; }

/* Refinement lies between this cleanup pass and the next one. What that one would add follows from what this one and
 * the one before added: where the growth grows, it goes on to do so (13/16 was found by trying: D-ht-04). What was
 * coded beyond the cut says nothing, since it may differ from run to run. */
void wvl_rescale_add_end(wvl_rescale_ends *ends, const wvl_coded_block *block, const wvl_pass *passes, uint32_t cut)
{
    uint32_t set = (cut - 1) / SET_PASSES, first = passes[set * SET_PASSES].final_bytes,
             bytes = passes[cut - 1].final_bytes;
    uint32_t before = set ? passes[(set - 1) * SET_PASSES].final_bytes : 0,
             long_before = set > 1 ? passes[(set - 2) * SET_PASSES].final_bytes : 0;
    int64_t growth = (int64_t)first - before, growth_before = (int64_t)before - long_before;
    int64_t step = growth + (growth > growth_before ? (growth - growth_before) * 13 / 16 : 0);
    int64_t part = step > 0 ? (int64_t)wvl_min_u64((uint64_t)PLANE * (bytes - first) / (uint64_t)step, PLANE) : 0;
    ends->bytes += bytes;
    ends->planes += (int64_t)bytes * (PLANE * ((int64_t)block->planes - 1 - set) - part);
}

/* The mean plane, and half a sixteenth. */
static int64_t mean_plane(const wvl_rescale_ends *ends)
{
    return ends->bytes ? ends->planes / (int64_t)ends->bytes + PLANE / 32 : 0;
}

unsigned wvl_rescale_choose(const wvl_plan *plan, const wvl_rescale_ends *ends)
{
    int64_t plane = mean_plane(ends);
    int has_plane_below = plane >= PLANE; /* for what bytes are left over */
    return is_possible(plan) && has_plane_below ? (unsigned)(plane % PLANE / (PLANE / 16)) : 0;
}

/* Old step over new one, rounded down. */
static uint64_t factor_of(const wvl_band_coding *before, const wvl_band_coding *after)
{
    return ((uint64_t)(2048u + before->mantissa) << (32 + after->exponent - before->exponent)) /
           (2048u + after->mantissa);
}

int wvl_rescale_open(wvl_rescale *r, const wvl_allocator *allocator, const wvl_plan *plan, const wvl_rescale_ends *ends,
                     unsigned sixteenths)
{
    uint8_t *memory = wvl_alloc(allocator, wvl_rescale_bytes(plan));
    if (!memory) {
        return 0;
    }
    r->plan = *plan;
    r->plan.syntax.codings = (wvl_coding *)memory;
    r->factors = (uint64_t(*)[WVL_MAX_BANDS])(memory + plan->syntax.coding_count * sizeof(wvl_coding));
    memcpy(r->plan.syntax.codings, plan->syntax.codings, plan->syntax.coding_count * sizeof *plan->syntax.codings);
    r->first_set = (uint8_t)(SETS_ABOVE + (uint32_t)(mean_plane(ends) / PLANE) + 1);
    r->is_open = 1;
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        if (!wvl_quant_scale_steps(plan, &r->plan.syntax.codings[i], sixteenths)) {
            memcpy(r->plan.syntax.codings, plan->syntax.codings,
                   plan->syntax.coding_count * sizeof *plan->syntax.codings);
            break;
        }
    }
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        for (unsigned b = 0; b < 3u * plan->syntax.codings[i].levels + 1u; b++) {
            r->factors[i][b] = factor_of(&plan->syntax.codings[i].band[b], &r->plan.syntax.codings[i].band[b]);
        }
    }
    return 1;
}

void wvl_rescale_close(wvl_rescale *r, const wvl_allocator *allocator)
{
    if (r->is_open) {
        wvl_free(allocator, r->plan.syntax.codings, wvl_rescale_bytes(&r->plan));
        r->is_open = 0;
    }
}

static uint32_t scale_narrow(const wvl_block_input *in, uint64_t factor, uint16_t *to)
{
    const uint16_t *from = in->coefs;
    uint32_t bound = 0, factor16 = (uint32_t)(factor >> 16);
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t s = from[(size_t)y * in->stride + x],
                     m = (uint32_t)((uint64_t)(2 * (s & 0x7FFFu) + 1) * factor16 >> 17);
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
            uint32_t s = from[(size_t)y * in->stride + x],
                     m = (uint32_t)(((uint64_t)(s & 0x7FFFFFFFu) * factor + factor / 2) >> 32);
            to[(size_t)y * in->stride + x] = m ? (s & 0x80000000u) | m : 0;
            bound |= m;
        }
    }
    return bound;
}

void wvl_rescale_change(uint64_t factor, uint8_t first_set, uint32_t *copy, wvl_block_input *in)
{
    if (!in->bound) { /* samples of empty blocks are not there: backends do not deliver them */
        return;
    }
    in->bound = in->coef_bytes == 2 ? scale_narrow(in, factor, (uint16_t *)copy) : scale_wide(in, factor, copy);
    in->coefs = copy;
    in->first_set = first_set;
}

void wvl_rescale_block(const wvl_rescale *r, uint32_t coding, uint32_t band, uint32_t *copy, wvl_block_input *in)
{
    if (r->is_open) {
        wvl_rescale_change(r->factors[coding][band], r->first_set, copy, in);
    }
}
