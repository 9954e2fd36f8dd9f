/* SPDX-License-Identifier: BSD-2-Clause */
/* IMF: profile->number is bits 11..8 of Rsiz: 4, 5, 6 lossy and 7, 8, 9 reversible, each 2K, 4K, 8K. */
#include "profile_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* 0, 1, 2 for 2K, 4K, 8K. */
static unsigned class_of(const wvl_walk_facts *f) { return (unsigned)(f->profile->number - 4) % 3; }
static int is_reversible(const wvl_walk_facts *f) { return f->profile->number >= 7; }

static int rsiz_holds(wvl_walk_facts *f)
{
    static const uint8_t greatest_sublevel[12] = {9, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    unsigned rsiz = f->w->rsiz, level = rsiz & 15, sub = rsiz >> 4 & 15;
    return ((int)(rsiz >> 8) == f->profile->number && level <= 11 && sub <= greatest_sublevel[level]) ||
           wvl_check_refuse(f, "Rsiz is 0x%04X", rsiz);
}

static int size_holds(wvl_walk_facts *f)
{
    return (f->w->x1 <= 2048u << class_of(f) && f->w->y1 <= 1556u << class_of(f)) ||
           wvl_check_refuse(f, "%u x %u", f->w->x1, f->w->y1);
}

static int tiles_hold(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    if (w->tile_width >= w->x1 && w->tile_height >= w->y1) {
        return 1;
    }
    for (unsigned i = 0; is_reversible(f) && i <= class_of(f); i++) {
        if (w->tile_width == 1024u << i && w->tile_height == w->tile_width) {
            return 1;
        }
    }
    return wvl_check_refuse(f, "tiles are %u x %u", w->tile_width, w->tile_height);
}

static int components_hold(wvl_walk_facts *f) { return wvl_check_components_are(f, 3, 16); }

static int subsampling_holds(wvl_walk_facts *f)
{
    const wvl_walk_component *k = f->w->components;
    for (uint32_t c = 0; c < f->w->component_count; c++) {
        if (k[c].dy != 1 || k[c].dx > 2 || (c == 0 && k[c].dx != 1) || (c > 1 && k[c].dx != k[1].dx)) {
            return wvl_check_refuse(f, "component %u has a subsampling of %u x %u", c, k[c].dx, k[c].dy);
        }
    }
    return 1;
}

static int wavelet_holds(wvl_walk_facts *f) { return wvl_check_wavelet_is(f, is_reversible(f) ? 1 : 0); }

static unsigned most_levels(const wvl_walk_facts *f)
{
    unsigned most = 5 + class_of(f), by_tile = 4;
    for (uint32_t width = 2048; is_reversible(f) && by_tile < 7 && f->w->tile_width >= width; width *= 2) {
        by_tile++;
    }
    return is_reversible(f) && by_tile < most ? by_tile : most;
}

static int levels_hold(wvl_walk_facts *f) { return wvl_check_levels_are(f, most_levels(f)); }

static int order_holds(wvl_walk_facts *f) { return wvl_check_only_order_is(f, 4); }

static int samples_hold(wvl_walk_facts *f) { return wvl_check_samples_fit(f, f->w->rsiz & 15); }

static int bytes_hold(wvl_walk_facts *f)
{
    unsigned sub = f->w->rsiz >> 4 & 15;
    uint64_t limit = sub && sub <= 9 ? wvl_check_frame_bytes(f->w, UINT64_C(200000000) << (sub - 1)) : UINT64_MAX;
    uint64_t bytes = f->w->summary->codestream_bytes;
    return bytes <= limit || wvl_check_refuse(f, "%llu bytes, sublevel %u allows %llu", (unsigned long long)bytes, sub,
                                              (unsigned long long)limit);
}

static const wvl_walk_profile_rule rules[] = {
    {WVL_RULE_IMF_RSIZ, rsiz_holds},
    {WVL_RULE_IMF_SIZE, size_holds},
    {WVL_RULE_IMF_OFFSETS, wvl_check_all_offsets_zero},
    {WVL_RULE_IMF_TILES, tiles_hold},
    {WVL_RULE_IMF_COMPONENTS, components_hold},
    {WVL_RULE_IMF_SUBSAMPLING, subsampling_holds},
    {WVL_RULE_IMF_WAVELET, wavelet_holds},
    {WVL_RULE_IMF_LEVELS, levels_hold},
    {WVL_RULE_IMF_BLOCKS, wvl_check_blocks_32},
    {WVL_RULE_IMF_PRECINCTS, wvl_check_precincts_7_8},
    {WVL_RULE_IMF_LAYERS, wvl_check_one_layer},
    {WVL_RULE_IMF_ORDER, order_holds},
    {WVL_RULE_IMF_MARKERS, wvl_check_no_packed_headers_nor_regions},
    {WVL_RULE_IMF_PARTS, wvl_check_parts_by_component},
    {WVL_RULE_IMF_TLM, wvl_check_has_tlm},
    {WVL_RULE_IMF_SAMPLES, samples_hold},
    {WVL_RULE_IMF_BYTES, bytes_hold},
};

const wvl_walk_profile_rules wvl_check_imf_rules = {rules, COUNT(rules)};
