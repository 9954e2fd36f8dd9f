/* SPDX-License-Identifier: BSD-2-Clause */
/* Digital cinema 2K and 4K: profile->number is 2 or 4. */
#include "profile_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int is_4k(const wvl_walk_facts *f) { return f->profile->number == 4; }

static unsigned level_count(const wvl_walk_facts *f) { return f->w->main.cod.levels; }

static int rsiz_holds(wvl_walk_facts *f)
{
    return f->w->rsiz == (is_4k(f) ? 4 : 3) || wvl_check_refuse(f, "Rsiz is 0x%04X", f->w->rsiz);
}

static int size_holds(wvl_walk_facts *f)
{
    uint32_t width = f->w->x1 - f->w->x0, height = f->w->y1 - f->w->y0, scale = is_4k(f) ? 2 : 1;
    return (width <= 2048 * scale && height <= 1080 * scale) || wvl_check_refuse(f, "%u x %u", width, height);
}

static int grid_holds(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    return wvl_check_all_offsets_zero(f) && ((w->tile_width == w->x1 && w->tile_height == w->y1) ||
                                             wvl_check_refuse(f, "tiles are %u x %u", w->tile_width, w->tile_height));
}

static int components_hold(wvl_walk_facts *f)
{
    if (f->w->component_count != 3) {
        return wvl_check_refuse(f, "%u components", f->w->component_count);
    }
    for (unsigned c = 0; c < 3; c++) {
        const wvl_walk_component *k = &f->w->components[c];
        if (k->depth != 12 || k->is_signed || k->dx != 1 || k->dy != 1) {
            return wvl_check_refuse(f, "component %u has %u bits%s and a subsampling of %u x %u", c, k->depth,
                                    k->is_signed ? ", signed," : "", k->dx, k->dy);
        }
    }
    return 1;
}

static int wavelet_holds(wvl_walk_facts *f) { return wvl_check_wavelet_is(f, 0); }
static int transform_holds(wvl_walk_facts *f) { return f->w->main.style.mct == 1; }
static int order_holds(wvl_walk_facts *f) { return wvl_check_order_is(f, 4); }

static int scod_holds(wvl_walk_facts *f)
{
    return f->w->main.style.scod == 1 || wvl_check_refuse(f, "Scod is 0x%02X", f->w->main.style.scod);
}

static int levels_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = f->w->all_codings.items;
    for (size_t i = 0; i < f->w->all_codings.count; i++) {
        if (k[i].levels != level_count(f) || k[i].levels > (is_4k(f) ? 6 : 5) || (is_4k(f) && !k[i].levels)) {
            return wvl_check_refuse(f, "%u levels", k[i].levels);
        }
    }
    return 1;
}

static int levels_are_full(wvl_walk_facts *f)
{
    return level_count(f) == (is_4k(f) ? 6u : 5u) || wvl_check_refuse(f, "%u levels", level_count(f));
}

static int guard_holds(wvl_walk_facts *f)
{
    return f->w->guard_bits_seen == (is_4k(f) ? 4u : 2u) ||
           wvl_check_refuse(f, "%u guard bits in QCD", f->w->main.qcd.guard_bits);
}

static int steps_hold(wvl_walk_facts *f) { return f->w->step_styles_seen == 4; }

/* Part i of 3 or 6: component i % 3; for 4K the first three hold all resolutions but the last, the others that one. */
static int parts_hold(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    unsigned wanted = is_4k(f) ? 6 : 3, top = level_count(f);
    if (f->w->parts.count != wanted) {
        return wvl_check_refuse(f, "%zu tile-parts", f->w->parts.count);
    }
    for (unsigned i = 0; i < wanted; i++) {
        int is_low = i < 3;
        if (!p[i].packets || p[i].c_min != i % 3 || p[i].c_max != i % 3 ||
            (is_4k(f) && (is_low ? p[i].r_max + 1 != top && top : p[i].r_min != top))) {
            return wvl_check_refuse(f, "tile-part %u holds components %u to %u, resolutions %u to %u", i, p[i].c_min,
                                    p[i].c_max, p[i].r_min, p[i].r_max);
        }
    }
    return 1;
}

static int volume_is(const wvl_walk_volume *v, unsigned r0, unsigned r1)
{
    return v->r0 == r0 && v->r1 == r1 && !v->c0 && v->c1 == 3 && v->layers == 1 && v->progression == 4;
}

static int poc_holds(wvl_walk_facts *f)
{
    const wvl_walk_volume *v = f->w->main.volumes.items;
    unsigned top = level_count(f);
    if (f->w->tile_count[WVL_WALK_MARK_POC]) {
        return wvl_check_refuse(f, "a POC in a tile-part header");
    }
    if (!is_4k(f)) {
        return !f->w->main_count[WVL_WALK_MARK_POC];
    }
    return f->w->main.volumes.count == 2 && volume_is(&v[0], 0, top) && volume_is(&v[1], top, top + 1);
}

static int markers_hold(wvl_walk_facts *f)
{
    static const wvl_walk_marker_id forbidden[] = {WVL_WALK_MARK_PPM, WVL_WALK_MARK_PPT, WVL_WALK_MARK_RGN};
    return wvl_check_no_markers(f, forbidden, COUNT(forbidden));
}

static int extra_markers_hold(wvl_walk_facts *f)
{
    static const wvl_walk_marker_id unusual[] = {WVL_WALK_MARK_PLM, WVL_WALK_MARK_PLT, WVL_WALK_MARK_CRG};
    return wvl_check_no_markers(f, unusual, COUNT(unusual));
}

static int tile_headers_hold(wvl_walk_facts *f)
{
    const uint32_t *n = f->w->tile_count;
    return !n[WVL_WALK_MARK_COD] && !n[WVL_WALK_MARK_COC] && !n[WVL_WALK_MARK_QCD] && !n[WVL_WALK_MARK_QCC];
}

static uint64_t mega(const wvl_walk_facts *f) { return f->w->options->hfr ? 2000000 : 1000000; }

static int bytes_hold(wvl_walk_facts *f)
{
    uint64_t limit = wvl_check_frame_bytes(f->w, mega(f) * 250), bytes = f->w->summary->codestream_bytes;
    return bytes <= limit ||
           wvl_check_refuse(f, "%llu bytes, the limit is %llu", (unsigned long long)bytes, (unsigned long long)limit);
}

static int component_bytes_hold(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    uint64_t limit = wvl_check_frame_bytes(f->w, mega(f) * 200), bytes[3] = {0, 0, 0};
    for (size_t i = 0; i < f->w->parts.count; i++) {
        int is_top = is_4k(f) && p[i].r_min == level_count(f);
        if (p[i].packets && p[i].c_min == p[i].c_max && p[i].c_min < 3 && !is_top) {
            bytes[p[i].c_min] += p[i].end - p[i].offset;
        }
    }
    for (unsigned c = 0; c < 3; c++) {
        if (bytes[c] > limit) {
            return wvl_check_refuse(f, "component %u has %llu bytes, the limit is %llu", c,
                                    (unsigned long long)bytes[c], (unsigned long long)limit);
        }
    }
    return 1;
}

/* Some checkers hold the upper parts of 4K to the limit of the lower ones. */
static int part_bytes_hold(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    uint64_t limit = wvl_check_frame_bytes(f->w, mega(f) * 200);
    for (size_t i = 3; i < f->w->parts.count && is_4k(f); i++) {
        if (p[i].end - p[i].offset > limit) {
            return wvl_check_refuse(f, "tile-part %zu has %llu bytes, the limit is %llu", i,
                                    (unsigned long long)(p[i].end - p[i].offset), (unsigned long long)limit);
        }
    }
    return 1;
}

/* The server reads the main header with each of the first three parts behind it: place `at` of that run, as a place in
 * the codestream. */
static uint64_t place_of(const wvl_walk_facts *f, const wvl_walk_part *part, uint64_t at)
{
    uint64_t header = ((const wvl_walk_part *)f->w->parts.items)->offset;
    return at < header ? at : at - header + part->offset;
}

static int note_1_holds(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    for (size_t i = 0; i < f->w->parts.count && i < 3; i++) {
        for (uint64_t at = 254; at + 1 < p[0].offset + (p[i].end - p[i].offset); at += 256) {
            uint64_t one = place_of(f, &p[i], at), two = place_of(f, &p[i], at + 1);
            if (two < f->w->bytes && f->w->data[one] == 0xFF && f->w->data[two] == 0xFF) {
                return wvl_check_refuse(f, "at %llu, of tile-part %zu", (unsigned long long)one, i);
            }
        }
    }
    return 1;
}

static const wvl_walk_profile_rule rules[] = {
    {WVL_RULE_DC_RSIZ, rsiz_holds},
    {WVL_RULE_DC_SIZE, size_holds},
    {WVL_RULE_DC_GRID, grid_holds},
    {WVL_RULE_DC_COMPONENTS, components_hold},
    {WVL_RULE_DC_WAVELET, wavelet_holds},
    {WVL_RULE_DC_TRANSFORM, transform_holds},
    {WVL_RULE_DC_LAYERS, wvl_check_one_layer},
    {WVL_RULE_DC_ORDER, order_holds},
    {WVL_RULE_DC_SCOD, scod_holds},
    {WVL_RULE_DC_LEVELS, levels_hold},
    {WVL_RULE_DC_LEVELS_FULL, levels_are_full},
    {WVL_RULE_DC_BLOCKS, wvl_check_blocks_32},
    {WVL_RULE_DC_PRECINCTS, wvl_check_precincts_7_8},
    {WVL_RULE_DC_GUARD, guard_holds},
    {WVL_RULE_DC_STEPS, steps_hold},
    {WVL_RULE_DC_PARTS, parts_hold},
    {WVL_RULE_DC_POC, poc_holds},
    {WVL_RULE_DC_TLM, wvl_check_has_tlm},
    {WVL_RULE_DC_MARKERS, markers_hold},
    {WVL_RULE_DC_MARKERS_EXTRA, extra_markers_hold},
    {WVL_RULE_DC_TILE_HEADERS, tile_headers_hold},
    {WVL_RULE_DC_BYTES, bytes_hold},
    {WVL_RULE_DC_COMPONENT_BYTES, component_bytes_hold},
    {WVL_RULE_DC_PART_BYTES, part_bytes_hold},
    {WVL_RULE_DC_NOTE_1, note_1_holds},
};

const wvl_walk_profile_rules wvl_check_cinema_rules = {rules, COUNT(rules)};
