/* SPDX-License-Identifier: BSD-2-Clause */
/* Broadcast contribution: profile->number is bits 11..8 of Rsiz: 1 one tile, 2 several, 3 several and reversible. */
#include "profile_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int rsiz_holds(wvl_walk_facts *f)
{
    unsigned rsiz = f->w->rsiz;
    return ((int)(rsiz >> 8) == f->profile->number && !(rsiz >> 4 & 15) && (rsiz & 15) <= 11) ||
           wvl_check_refuse(f, "Rsiz is 0x%04X", rsiz);
}

static int tiles_hold(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    int is_four = (w->tiles_wide == 2 && w->tiles_high == 2) || (w->tiles_wide == 1 && w->tiles_high == 4);
    return wvl_check_is_one_tile(w) || (f->profile->number > 1 && is_four) ||
           wvl_check_refuse(f, "%llu x %llu tiles", (unsigned long long)w->tiles_wide,
                            (unsigned long long)w->tiles_high);
}

static int components_hold(wvl_walk_facts *f) { return wvl_check_components_are(f, 4, 12); }

/* 4:2:0 is allowed by some checkers and not by others; it is let through. */
static int subsampling_holds(wvl_walk_facts *f)
{
    const wvl_walk_component *k = f->w->components;
    for (uint32_t c = 0; c < f->w->component_count; c++) {
        int is_chroma = c == 1 || c == 2;
        if ((!is_chroma && (k[c].dx != 1 || k[c].dy != 1)) || k[c].dx > 2 || k[c].dy > k[c].dx ||
            (c == 2 && (k[2].dx != k[1].dx || k[2].dy != k[1].dy))) {
            return wvl_check_refuse(f, "component %u has a subsampling of %u x %u", c, k[c].dx, k[c].dy);
        }
    }
    return 1;
}

static int wavelet_holds(wvl_walk_facts *f) { return wvl_check_wavelet_is(f, f->profile->number == 3); }

static int levels_hold(wvl_walk_facts *f) { return wvl_check_levels_are(f, 5); }

static int blocks_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].xcb < 5 || k[i].xcb > 7 || k[i].ycb < 5 || k[i].ycb > 7 || k[i].style) {
            return wvl_check_refuse(f, "code blocks are %u x %u with style 0x%02X", 1u << k[i].xcb, 1u << k[i].ycb,
                                    k[i].style);
        }
    }
    return 1;
}

static int order_holds(wvl_walk_facts *f) { return wvl_check_only_order_is(f, 4); }

static int samples_hold(wvl_walk_facts *f) { return wvl_check_samples_fit(f, f->w->rsiz & 15); }

static int bytes_hold(wvl_walk_facts *f)
{
    unsigned level = f->w->rsiz & 15;
    uint64_t rate = level <= 3 ? UINT64_C(200000000) : UINT64_C(200000000) << (level - 3);
    uint64_t limit = level ? wvl_check_frame_bytes(f->w, rate) : UINT64_MAX, bytes = f->w->summary->codestream_bytes;
    return bytes <= limit || wvl_check_refuse(f, "%llu bytes, level %u allows %llu", (unsigned long long)bytes, level,
                                              (unsigned long long)limit);
}

static const wvl_walk_profile_rule rules[] = {
    {WVL_RULE_BC_RSIZ, rsiz_holds},
    {WVL_RULE_BC_OFFSETS, wvl_check_all_offsets_zero},
    {WVL_RULE_BC_TILES, tiles_hold},
    {WVL_RULE_BC_COMPONENTS, components_hold},
    {WVL_RULE_BC_SUBSAMPLING, subsampling_holds},
    {WVL_RULE_BC_WAVELET, wavelet_holds},
    {WVL_RULE_BC_LEVELS, levels_hold},
    {WVL_RULE_BC_BLOCKS, blocks_hold},
    {WVL_RULE_BC_PRECINCTS, wvl_check_precincts_7_8},
    {WVL_RULE_BC_LAYERS, wvl_check_one_layer},
    {WVL_RULE_BC_ORDER, order_holds},
    {WVL_RULE_BC_MARKERS, wvl_check_no_packed_headers_nor_regions},
    {WVL_RULE_BC_PARTS, wvl_check_parts_by_component},
    {WVL_RULE_BC_TLM, wvl_check_has_tlm},
    {WVL_RULE_BC_SAMPLES, samples_hold},
    {WVL_RULE_BC_BYTES, bytes_hold},
};

const wvl_walk_profile_rules wvl_check_broadcast_rules = {rules, COUNT(rules)};
