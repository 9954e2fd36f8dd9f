/* SPDX-License-Identifier: BSD-2-Clause */
/* What users of HT blocks ask for: DICOM (PS3.5 10.18, HTJ2K Lossless RPCL) and IMF (ST 2067-21, APP2.HT;
 * profile->number: 1 REV, 0 IRV). */
#include "profile_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define RPCL 2
#define PCAP_PART15 0x00020000u

static int order_holds(wvl_walk_facts *f) { return wvl_check_only_order_is(f, RPCL); }

/* ---- DICOM ----------------------------------------------------------------------------------- */

static int is_bare(wvl_walk_facts *f) { return f->w->summary->format == WVL_CHECK_CODESTREAM; }

static int is_reversible(wvl_walk_facts *f) { return wvl_check_wavelet_is(f, 1); }

static int all_blocks_are_ht(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].style >> 6 != 1) {
            return wvl_check_refuse(f, "the code-block style is 0x%02X", k[i].style);
        }
    }
    return 1;
}

static uint64_t ceil_div(uint64_t v, uint64_t d) { return (v + d - 1) / d; }

/* Width and height of the lowest resolution of component 0, over the picture. */
static void find_base(const wvl_walk *w, uint64_t *width, uint64_t *height)
{
    const wvl_walk_component *k = &w->components[0];
    unsigned levels = w->main.cod.levels;
    *width = ceil_div(w->x1, (uint64_t)k->dx << levels) - ceil_div(w->x0, (uint64_t)k->dx << levels);
    *height = ceil_div(w->y1, (uint64_t)k->dy << levels) - ceil_div(w->y0, (uint64_t)k->dy << levels);
}

static int base_holds(wvl_walk_facts *f)
{
    uint64_t width, height;
    find_base(f->w, &width, &height);
    return width <= 64 || height <= 64 ||
           wvl_check_refuse(f, "%llu x %llu", (unsigned long long)width, (unsigned long long)height);
}

static int both_hold(wvl_walk_facts *f)
{
    uint64_t width, height;
    find_base(f->w, &width, &height);
    return (width <= 64) == (height <= 64) ||
           wvl_check_refuse(f, "%llu x %llu", (unsigned long long)width, (unsigned long long)height);
}

static int parts_hold(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    for (size_t i = 0; i < f->w->parts.count; i++) {
        if (p[i].packets && p[i].r_min != p[i].r_max) {
            return wvl_check_refuse(f, "tile-part %zu holds resolutions %u to %u", i, p[i].r_min, p[i].r_max);
        }
    }
    return 1;
}

static int components_are_alike(wvl_walk_facts *f)
{
    const wvl_walk_component *k = f->w->components;
    if (f->w->component_count != 1 && f->w->component_count != 3) {
        return wvl_check_refuse(f, "%u components", f->w->component_count);
    }
    for (uint32_t c = 0; c < f->w->component_count; c++) {
        if (k[c].dx != 1 || k[c].dy != 1 || k[c].depth != k[0].depth || k[c].is_signed != k[0].is_signed) {
            return wvl_check_refuse(f, "component %u has %u bits%s and a subsampling of %u x %u", c, k[c].depth,
                                    k[c].is_signed ? ", signed" : "", k[c].dx, k[c].dy);
        }
    }
    return 1;
}

static const wvl_walk_profile_rule dicom_rules[] = {
    {WVL_RULE_DICOM_BARE, is_bare},
    {WVL_RULE_DICOM_WAVELET, is_reversible},
    {WVL_RULE_DICOM_BLOCKS, all_blocks_are_ht},
    {WVL_RULE_DICOM_ORDER, order_holds},
    {WVL_RULE_DICOM_BASE, base_holds},
    {WVL_RULE_DICOM_BASE_BOTH, both_hold},
    {WVL_RULE_DICOM_TLM, wvl_check_has_tlm},
    {WVL_RULE_DICOM_PARTS, parts_hold},
    {WVL_RULE_DICOM_COMPONENTS, components_are_alike},
};

const wvl_walk_profile_rules wvl_check_dicom_rules = {dicom_rules, COUNT(dicom_rules)};

/* ---- IMF ------------------------------------------------------------------------------------- */

static int is_rev(const wvl_walk_facts *f) { return f->profile->number == 1; }

static int grid_holds(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    return wvl_check_all_offsets_zero(f) && ((w->tile_width >= w->x1 && w->tile_height >= w->y1) ||
                                             wvl_check_refuse(f, "tiles are %u x %u", w->tile_width, w->tile_height));
}

static int size_holds(wvl_walk_facts *f)
{
    return (f->w->x1 <= 8192 && f->w->y1 <= 6224) || wvl_check_refuse(f, "%u x %u", f->w->x1, f->w->y1);
}

static int components_hold(wvl_walk_facts *f)
{
    const wvl_walk_component *k = f->w->components;
    if (!wvl_check_components_are(f, 4, 16)) {
        return 0;
    }
    for (uint32_t c = 1; c < f->w->component_count; c++) {
        if (k[c].depth != k[0].depth) {
            return wvl_check_refuse(f, "component %u has %u bits", c, k[c].depth);
        }
    }
    return 1;
}

static int subsampling_holds(wvl_walk_facts *f)
{
    const wvl_walk_component *k = f->w->components;
    uint32_t n = f->w->component_count;
    int is_half = n > 2 && k[1].dx == 2 && k[2].dx == 2;
    for (uint32_t c = 0; c < n; c++) {
        if (k[c].dy != 1 || k[c].dx != (is_half && (c == 1 || c == 2) ? 2 : 1)) {
            return wvl_check_refuse(f, "component %u has a subsampling of %u x %u", c, k[c].dx, k[c].dy);
        }
    }
    return 1;
}

static int cap_holds(wvl_walk_facts *f)
{
    return (f->w->pcap == PCAP_PART15 && !(f->w->ccap15 & 0xF000)) ||
           wvl_check_refuse(f, "Pcap 0x%08X, Ccap15 0x%04X", f->w->pcap, f->w->ccap15);
}

static int wavelet_holds(wvl_walk_facts *f)
{
    int says_rev = !(f->w->ccap15 & 0x20);
    return wvl_check_wavelet_is(f, (unsigned)is_rev(f)) &&
           (says_rev == is_rev(f) || wvl_check_refuse(f, "Ccap15 is 0x%04X", f->w->ccap15));
}

static int levels_hold(wvl_walk_facts *f)
{
    uint32_t side = f->w->x1 > f->w->y1 ? f->w->x1 : f->w->y1;
    return wvl_check_levels_are(f, side <= 2048 ? 5 : side <= 4096 ? 6 : 7);
}

static int blocks_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].xcb < 5 || k[i].xcb > 7 || k[i].ycb < 5 || k[i].ycb > 6 || k[i].style != 0x40) {
            return wvl_check_refuse(f, "code blocks are %u x %u with style 0x%02X", 1u << k[i].xcb, 1u << k[i].ycb,
                                    k[i].style);
        }
    }
    return 1;
}

static int markers_hold(wvl_walk_facts *f)
{
    static const wvl_walk_marker_id forbidden[] = {WVL_WALK_MARK_PPM};
    return wvl_check_no_markers(f, forbidden, COUNT(forbidden));
}

static unsigned expected_bound(const wvl_walk_facts *f)
{
    unsigned depth = f->w->components[0].depth, mct = f->w->main.style.mct;
    return is_rev(f) ? depth + 3 + mct + (f->w->main.cod.levels > 5) : depth + 1 + (mct && depth > 10);
}

static int magnitude_holds(wvl_walk_facts *f)
{
    unsigned told = wvl_check_told_bound(f->w), expected = expected_bound(f);
    return (is_rev(f) ? told == expected : told <= 31) ||
           wvl_check_refuse(f, "B is %u, %u is asked for", told, is_rev(f) ? expected : 31);
}

static int magnitude_is_low(wvl_walk_facts *f)
{
    unsigned told = wvl_check_told_bound(f->w), expected = expected_bound(f);
    return is_rev(f) || told <= expected || told > 31 || wvl_check_refuse(f, "B is %u, %u is expected", told, expected);
}

static const wvl_walk_profile_rule imf_rules[] = {
    {WVL_RULE_IMF_HT_GRID, grid_holds},
    {WVL_RULE_IMF_HT_SIZE, size_holds},
    {WVL_RULE_IMF_HT_COMPONENTS, components_hold},
    {WVL_RULE_IMF_HT_SUBSAMPLING, subsampling_holds},
    {WVL_RULE_IMF_HT_CAP, cap_holds},
    {WVL_RULE_IMF_HT_WAVELET, wavelet_holds},
    {WVL_RULE_IMF_HT_LEVELS, levels_hold},
    {WVL_RULE_IMF_HT_LAYERS, wvl_check_one_layer},
    {WVL_RULE_IMF_HT_BLOCKS, blocks_hold},
    {WVL_RULE_IMF_HT_PRECINCTS, wvl_check_precincts_7_8},
    {WVL_RULE_IMF_HT_ORDER, order_holds},
    {WVL_RULE_IMF_HT_MARKERS, markers_hold},
    {WVL_RULE_IMF_HT_TLM, wvl_check_has_tlm},
    {WVL_RULE_IMF_HT_MAGNITUDE, magnitude_holds},
    {WVL_RULE_IMF_HT_MAGNITUDE_HIGH, magnitude_is_low},
};

const wvl_walk_profile_rules wvl_check_imf_ht_rules = {imf_rules, COUNT(imf_rules)};
