/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/rate/rescale.h"

static int is_possible(const wvl_plan *plan) { return plan->rate.follows_step != 0; }

uint64_t wvl_rescale_bytes(const wvl_plan *plan)
{
    return is_possible(plan) ? plan->syntax.coding_count * (sizeof(wvl_coding) + sizeof(uint64_t[WVL_MAX_BANDS])) : 0;
}

uint32_t wvl_rescale_samples(const wvl_plan *plan) { return is_possible(plan) ? 4096 : 0; }

void wvl_rescale_add_end(wvl_step_ends *ends, const wvl_coded_block *block, const wvl_pass *passes, uint32_t cut)
{
    uint32_t set = (cut - 1) / WVL_STEP_SET_PASSES;
    wvl_step_ends own =
        wvl_step_end_of(block->planes, set, passes[set * WVL_STEP_SET_PASSES].final_bytes,
                        set ? passes[(set - 1) * WVL_STEP_SET_PASSES].final_bytes : 0,
                        set > 1 ? passes[(set - 2) * WVL_STEP_SET_PASSES].final_bytes : 0, passes[cut - 1].final_bytes);
    ends->bytes += own.bytes;
    ends->planes += own.planes;
}

unsigned wvl_rescale_choose(const wvl_plan *plan, const wvl_step_ends *ends)
{
    return is_possible(plan) ? wvl_step_choose(ends) : 0;
}

/* Old step over new one, rounded down. */
static uint64_t factor_of(const wvl_band_coding *before, const wvl_band_coding *after)
{
    return ((uint64_t)(2048u + before->mantissa) << (32 + after->exponent - before->exponent)) /
           (2048u + after->mantissa);
}

void wvl_rescale_codings(const wvl_plan *plan, unsigned sixteenths, wvl_coding *codings)
{
    uint32_t count = plan->syntax.coding_count;
    memcpy(codings, plan->syntax.codings, count * sizeof *codings);
    for (uint32_t i = 0; i < count; i++) {
        if (!wvl_quant_scale_steps(plan, &codings[i], sixteenths)) {
            memcpy(codings, plan->syntax.codings, count * sizeof *codings);
            break;
        }
    }
}

uint64_t wvl_rescale_factor(const wvl_plan *plan, const wvl_coding *codings, uint32_t coding, uint32_t band)
{
    return factor_of(&plan->syntax.codings[coding].band[band], &codings[coding].band[band]);
}

int wvl_rescale_open(wvl_rescale *r, const wvl_allocator *allocator, const wvl_plan *plan, const wvl_step_ends *ends,
                     unsigned sixteenths)
{
    uint8_t *memory = wvl_alloc(allocator, wvl_rescale_bytes(plan));
    if (!memory) {
        return 0;
    }
    r->plan = *plan;
    r->plan.syntax.codings = (wvl_coding *)memory;
    r->factors = (uint64_t(*)[WVL_MAX_BANDS])(memory + plan->syntax.coding_count * sizeof(wvl_coding));
    r->first_set = (uint8_t)wvl_step_first_set(ends);
    r->is_open = 1;
    wvl_rescale_codings(plan, sixteenths, r->plan.syntax.codings);
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        for (unsigned b = 0; b < 3u * plan->syntax.codings[i].levels + 1u; b++) {
            r->factors[i][b] = wvl_rescale_factor(plan, r->plan.syntax.codings, i, b);
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
    uint32_t bound = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            uint32_t s = from[(size_t)y * in->stride + x], m = wvl_step_scale_narrow(s & 0x7FFFu, factor);
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
            uint32_t s = from[(size_t)y * in->stride + x], m = wvl_step_scale_wide(s & 0x7FFFFFFFu, factor);
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
