/* SPDX-License-Identifier: BSD-2-Clause */
#include "waves/gather.h"

#include "base/alloc.h"
#include "base/context.h"

/* The tiles of one wave do not exceed its limit, unless there is one alone. */
uint64_t wvl_gather_measure(const wvl_plan *plan, uint64_t *beside)
{
    *beside = wvl_alloc_size(
        wvl_mul_saturate(wvl_mul_saturate(plan->memory.most_blocks, sizeof(uint32_t)), plan->syntax.tile_count));
    return wvl_mul_saturate(plan->memory.largest_tile_bytes, plan->syntax.tile_count);
}

wvl_status wvl_gather_open(wvl_gather *g, const wvl_plan *plan, wvl_wave *wave, wvl_spill *spill)
{
    uint64_t blocks = 0;
    memset(g, 0, sizeof *g);
    g->plan = plan;
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        g->sample_bytes = wvl_add_saturate(g->sample_bytes, wave->tiles[t].coef_bytes);
        blocks += wave->tiles[t].block_count;
    }
    g->bounds_bytes = blocks * sizeof *g->bounds;
    const wvl_allocator *host = &g->plan->context->host;
    g->bounds = wvl_alloc_zeroed(host, g->bounds_bytes);
    g->is_mapped = spill && spill->limit != UINT64_MAX && wvl_spill_open(&g->spill, host, spill->folder, 0);
    if (g->is_mapped) {
        g->samples = wvl_spill_map(&g->spill, g->sample_bytes);
        spill->beside = &g->spill;
        spill->code = g->spill.code ? g->spill.code : spill->code;
    } else {
        g->samples = wvl_alloc(host, g->sample_bytes);
    }
    if (!g->samples || !g->bounds) {
        return WVL_ERROR_MEMORY;
    }
    uint8_t *samples = g->samples;
    uint32_t *bounds = g->bounds;
    for (uint32_t t = 0; t < plan->syntax.tile_count; t++) {
        wave->coefs[t] = (wvl_coefs){&wave->tiles[t], samples, bounds, NULL};
        samples += wave->tiles[t].coef_bytes;
        bounds += wave->tiles[t].block_count;
    }
    return WVL_OK;
}

void wvl_gather_close(wvl_gather *g, wvl_spill *spill)
{
    if (!g->plan) {
        return;
    }
    const wvl_allocator *host = &g->plan->context->host;
    wvl_free(host, g->bounds, g->bounds_bytes);
    if (g->is_mapped) {
        spill->beside = NULL;
        wvl_spill_close(&g->spill);
    } else {
        wvl_free(host, g->samples, g->sample_bytes);
    }
    memset(g, 0, sizeof *g);
}

/* Cells of rows of blocks follow one another, in a strip and in the whole. */
static void take_band(const wvl_coefs *whole, const wvl_coefs *strip, uint32_t b)
{
    const wvl_tile_band *to = &whole->tile->bands[b], *from = &strip->tile->bands[b];
    wvl_block_rows rows = wvl_coefs_rows(strip, b);
    uint32_t first = rows.first * to->block_cols, count = (rows.end - rows.first) * to->block_cols;
    if (count) {
        uint64_t bytes = wvl_coef_cell(to, count) - wvl_coef_cell(to, 0);
        memcpy(whole->samples + wvl_coef_cell(to, first), strip->samples + wvl_coef_cell(from, first), (size_t)bytes);
        memcpy(whole->bounds + to->first_block + first, strip->bounds + to->first_block + first,
               count * sizeof *whole->bounds);
    }
}

void wvl_gather_take(wvl_gather *g, const wvl_wave *wave, const wvl_coefs *coefs, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        for (uint32_t b = 0; b < coefs[t].tile->band_count; b++) {
            take_band(&wave->coefs[coefs[t].tile->index], &coefs[t], b);
        }
    }
    if (g->is_mapped) {
        wvl_spill_rest(&g->spill);
    }
}
