/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles 0 and 1 (Table A.45). Where the table's text was not at hand, a rule is no stricter than the streams of
 * ISO/IEC 15444-4 that declare the profile. */
#include "profile_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int extent_holds(wvl_walk_facts *f)
{
    return (f->w->x1 < 0x80000000u && f->w->y1 < 0x80000000u) ||
           wvl_check_refuse(f, "Xsiz is %u, Ysiz %u", f->w->x1, f->w->y1);
}

static int shift_holds(wvl_walk_facts *f)
{
    return f->w->greatest_shift <= 37 || wvl_check_refuse(f, "a shift of %u", f->w->greatest_shift);
}

static int lowest_holds(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    return (w->lowest_width <= 128 && w->lowest_height <= 128) ||
           wvl_check_refuse(f, "%llu x %llu", (unsigned long long)w->lowest_width,
                            (unsigned long long)w->lowest_height);
}

static int tiles0_hold(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    return wvl_check_is_one_tile(w) || (w->tile_width == 128 && w->tile_height == 128) ||
           wvl_check_refuse(f, "tiles are %u x %u", w->tile_width, w->tile_height);
}

static int subsampling0_holds(wvl_walk_facts *f)
{
    for (uint32_t c = 0; c < f->w->component_count; c++) {
        unsigned dx = f->w->components[c].dx, dy = f->w->components[c].dy;
        if (dx > 4 || dx == 3 || dy > 4 || dy == 3) {
            return wvl_check_refuse(f, "component %u has %u x %u", c, dx, dy);
        }
    }
    return 1;
}

static int blocks0_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].xcb != k[i].ycb || (k[i].xcb != 5 && k[i].xcb != 6)) {
            return wvl_check_refuse(f, "code blocks are %u x %u", 1u << k[i].xcb, 1u << k[i].ycb);
        }
    }
    return 1;
}

static int style0_holds(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].style & 0x0B) {
            return wvl_check_refuse(f, "the code-block style is 0x%02X", k[i].style);
        }
    }
    return 1;
}

static int packed0_holds(wvl_walk_facts *f)
{
    static const wvl_walk_marker_id packed[] = {WVL_WALK_MARK_PPM, WVL_WALK_MARK_PPT};
    return wvl_check_no_markers(f, packed, COUNT(packed));
}

static int tiles1_hold(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    unsigned least = 255;
    for (uint32_t c = 0; c < w->component_count; c++) {
        const wvl_walk_component *k = &w->components[c];
        least = k->dx < least ? k->dx : least;
        least = k->dy < least ? k->dy : least;
    }
    return wvl_check_is_one_tile(w) || (w->tile_width == w->tile_height && w->tile_width / least <= 1024) ||
           wvl_check_refuse(f, "tiles are %u x %u", w->tile_width, w->tile_height);
}

static int blocks1_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].xcb > 6 || k[i].ycb > 6) {
            return wvl_check_refuse(f, "code blocks are %u x %u", 1u << k[i].xcb, 1u << k[i].ycb);
        }
    }
    return 1;
}

static const wvl_walk_profile_rule profile0[] = {
    {WVL_RULE_P01_EXTENT, extent_holds},
    {WVL_RULE_P01_SHIFT, shift_holds},
    {WVL_RULE_P01_LOWEST, lowest_holds},
    {WVL_RULE_P0_TILES, tiles0_hold},
    {WVL_RULE_P0_SUBSAMPLING, subsampling0_holds},
    {WVL_RULE_P0_BLOCKS, blocks0_hold},
    {WVL_RULE_P0_STYLE, style0_holds},
    {WVL_RULE_P0_PACKED, packed0_holds},
};

static const wvl_walk_profile_rule profile1[] = {
    {WVL_RULE_P01_EXTENT, extent_holds}, {WVL_RULE_P01_SHIFT, shift_holds},  {WVL_RULE_P01_LOWEST, lowest_holds},
    {WVL_RULE_P1_TILES, tiles1_hold},    {WVL_RULE_P1_BLOCKS, blocks1_hold},
};

const wvl_walk_profile_rules wvl_check_profile0_rules = {profile0, COUNT(profile0)};
const wvl_walk_profile_rules wvl_check_profile1_rules = {profile1, COUNT(profile1)};
