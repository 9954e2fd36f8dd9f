/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/coders/rdoq_tables.h"

#include "codec/core/phase_shares.h"

typedef struct phase_lists {
    const wvl_plan *plan;
    uint64_t ranges[2];                   /* coarse, fine */
    uint32_t next[WVL_SURVEY_ALL_PHASES]; /* places in the lists */
    uint32_t *lists;                      /* NULL: blocks are counted, in `next` */
    uint8_t *kinds;
    wvl_cuda_rdoq_phases *phases;
} phase_lists;

static void put_range(phase_lists *l, unsigned phase, uint64_t first, uint64_t count, uint8_t kind)
{
    for (uint64_t i = 0; i < count; i++) {
        if (l->lists) {
            l->lists[l->next[phase] + i] = (uint32_t)(first + i);
            l->kinds[first + i] = kind;
        }
    }
    l->next[phase] += (uint32_t)count;
}

/* first: number of the band's first block; range: of its first range. Returns how many ranges it has. */
static uint64_t put_band(phase_lists *l, const wvl_tile_band *band, uint64_t first, uint64_t range, uint8_t kind)
{
    uint64_t blocks = (uint64_t)band->block_cols * band->block_rows, each = wvl_share_blocks_per_range(band),
             ranges = wvl_ceil_div(blocks, each);
    for (uint64_t i = 0; i < ranges; i++) {
        unsigned phase = l->ranges[kind & 1] ? wvl_share_find_phase(kind & 1, l->ranges[kind & 1], range + i) : 0;
        put_range(l, phase, first + i * each, wvl_min_u64(each, blocks - i * each), kind);
    }
    if (l->lists) {
        l->phases->samples[kind] += (double)wvl_rect_width(band->rect) * wvl_rect_height(band->rect);
    }
    return ranges;
}

/* All bands of a kind, the finest of each component first. Returns how many ranges they have. */
static uint64_t put_bands(phase_lists *l, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned is_fine)
{
    uint64_t before = 0, ranges = 0;
    for (uint32_t t = 0; t < tile_count; before += tiles[t++].block_count) {
        for (uint32_t c = 0; c < tiles[t].component_count; c++) {
            const wvl_tile_component *tc = &tiles[t].components[c];
            uint32_t first = tiles[t].resolutions[tc->first_resolution].first_band;
            for (uint32_t b = first + 3u * tc->levels + 1u; b-- > first;) {
                const wvl_tile_band *band = &tiles[t].bands[b];
                if (wvl_share_is_fine(band) == (int)is_fine) {
                    uint32_t group = wvl_share_rate_group(l->plan, &tiles[t], c, b);
                    ranges += put_band(l, band, before + band->first_block, ranges, (uint8_t)(2 * group + is_fine));
                }
            }
        }
    }
    return ranges;
}

void wvl_cuda_rdoq_list_phases(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t *lists,
                               uint8_t *kinds, wvl_cuda_rdoq_phases *phases)
{
    phase_lists l = {.plan = plan, .phases = phases};
    uint32_t end = 0;
    memset(phases, 0, sizeof *phases);
    uint64_t coarse = put_bands(&l, tiles, tile_count, 0), fine = put_bands(&l, tiles, tile_count, 1);
    l.ranges[0] = coarse;
    l.ranges[1] = fine;
    memset(l.next, 0, sizeof l.next);
    (void)put_bands(&l, tiles, tile_count, 0);
    (void)put_bands(&l, tiles, tile_count, 1);
    for (unsigned p = 0; p < WVL_SURVEY_ALL_PHASES; p++) {
        uint32_t count = l.next[p];
        l.next[p] = end;
        phases->ends[p] = end += count;
    }
    l.lists = lists;
    l.kinds = kinds;
    (void)put_bands(&l, tiles, tile_count, 0);
    (void)put_bands(&l, tiles, tile_count, 1);
    phases->range_count = coarse + fine;
    phases->reach = wvl_rate_reach(plan);
    phases->are_surveyed = wvl_survey_is_possible(plan);
}
