/* SPDX-License-Identifier: BSD-2-Clause */
/* Every rule that settings and format must obey before a plan exists, each with its clause. */
#include <stdarg.h>
#include <stdio.h>

#include "geom/color.h"
#include "geom/profile.h"

/* ---- Progression changes --------------------------------------------------------------------- */

/* Rules of progression order changes (A.6.6). */

#define MAX_CHANGES 32u /* for all tiles, and of each tile: what decoders carry */

static int check_progression(const wvl_settings *s, const wvl_image_format *f, uint64_t tiles, uint32_t i,
                             wvl_report *r)
{
    const wvl_progression *v = &s->progressions[i];
    uint32_t before = r->count, most = f->component_count < 257 ? 256 : 16384;
    wvl_report_if(r, v->resolution_first >= v->resolution_end || v->resolution_end > WVL_MAX_LEVELS + 1,
                  "progression change %u: resolutions %u to %u; the end must be greater than the start and at "
                  "most 33 (A.6.6)",
                  i + 1, v->resolution_first, v->resolution_end);
    wvl_report_if(
        r, v->component_first >= v->component_end || v->component_end > most,
        "progression change %u: components %u to %u; the end must be greater than the start and at most %u (A.6.6)",
        i + 1, v->component_first, v->component_end, most);
    wvl_report_if(r, v->component_first >= f->component_count && v->component_first < v->component_end,
                  "progression change %u: it begins with component %u; the picture has the components 0 to %u "
                  "(A.6.6)",
                  i + 1, v->component_first, f->component_count - 1);
    wvl_report_if(r, v->layer_end < 1 || v->layer_end > s->layer_count,
                  "progression change %u: layer end %u; 1 to %u, the number of layers, are allowed (A.6.6)", i + 1,
                  v->layer_end, s->layer_count);
    wvl_report_if(r, v->order > WVL_ORDER_CPRL, "progression change %u: order %u is not defined (A.6.6)", i + 1,
                  v->order);
    wvl_report_if(r, v->tile != WVL_ALL_TILES && v->tile >= tiles,
                  "progression change %u: there is no tile %u, the picture has %llu (A.4.2)", i + 1, v->tile + 1,
                  (unsigned long long)tiles);
    return r->count == before;
}

/* Most levels that a component has in the tiles whose packets these changes order. */
static uint32_t levels_of(const wvl_settings *s, uint32_t tile, uint32_t component)
{
    wvl_settings resolved;
    wvl_settings_resolve(s, tile, component, &resolved);
    uint32_t most = resolved.levels;
    for (uint32_t i = 0; tile == WVL_ALL_TILES && i < s->override_count; i++) {
        const wvl_override *o = &s->overrides[i];
        int is_meant = !wvl_scope_names_component(&o->scope) ||
                       (component >= o->scope.component_first && component < o->scope.component_end);
        if (is_meant && wvl_scope_names_tile(&o->scope) && (o->given & WVL_GIVEN_LEVELS)) {
            most = wvl_max_u32(most, o->levels);
        }
    }
    return most;
}

/* Along either axis coverage changes only where a volume begins or ends, so a missing packet has a neighbour there. */
static int covers_component(const wvl_settings *s, uint32_t tile, uint32_t component, wvl_report *r)
{
    for (uint32_t resolution = 0, levels = levels_of(s, tile, component); resolution <= levels; resolution++) {
        /* Layers that the changes for `tile` send of a resolution of a component: every change starts at layer 0, so
         * the greatest end counts. */
        uint32_t sent = 0;
        for (uint32_t i = 0; i < s->progression_count; i++) {
            const wvl_progression *v = &s->progressions[i];
            if (v->tile == tile && resolution >= v->resolution_first && resolution < v->resolution_end &&
                component >= v->component_first && component < v->component_end && v->layer_end > sent) {
                sent = v->layer_end;
            }
        }
        if (sent < s->layer_count) {
            char whose[32] = "";
            if (tile != WVL_ALL_TILES) {
                snprintf(whose, sizeof whose, " for tile %u", tile + 1);
            }
            wvl_report_add(r,
                           "progression-changes: no change%s sends layer %u of resolution %u of component %u; every "
                           "packet must be sent (A.6.6)",
                           whose, sent, resolution, component);
            return 0;
        }
    }
    return 1;
}

static void check_coverage(const wvl_settings *s, const wvl_image_format *f, uint32_t tile, wvl_report *r)
{
    /* With overrides, components may have levels of their own. */
    for (uint32_t c = 0; c == 0 || (c < f->component_count && s->override_count); c++) {
        if (!covers_component(s, tile, c, r)) {
            return;
        }
    }
    for (uint32_t i = 0; i < s->progression_count; i++) {
        const wvl_progression *v = &s->progressions[i];
        if (v->tile == tile &&
            ((v->component_first < f->component_count && !covers_component(s, tile, v->component_first, r)) ||
             (v->component_end < f->component_count && !covers_component(s, tile, v->component_end, r)))) {
            return;
        }
    }
}

/* Rules of progression order changes (A.6.6). Grid, components and layers are known to be legal. */
static void check_progressions(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    uint64_t tiles = wvl_settings_count_tiles(s, f);
    uint32_t before = r->count;
    for (uint32_t i = 0; i < s->progression_count && r->count < before + 16; i++) {
        (void)check_progression(s, f, tiles, i, r);
    }
    for (uint32_t i = 0; i < s->progression_count && r->count == before; i++) {
        uint32_t tile = s->progressions[i].tile, same = 0, first = i;
        for (uint32_t j = 0; j < s->progression_count; j++) {
            same += s->progressions[j].tile == tile;
            first = s->progressions[j].tile == tile && j < first ? j : first;
        }
        if (same > MAX_CHANGES) {
            wvl_report_add(r, "progression-changes: %u changes in one header; %u are supported", same, MAX_CHANGES);
        } else if (first == i) {
            check_coverage(s, f, tile, r);
        }
    }
}

/* ---- HT blocks ------------------------------------------------------------------------------- */

/* What goes with HT blocks and what does not (15444-15). */

static void check_style(unsigned style, wvl_report *r)
{
    wvl_report_if(r, style & ~(unsigned)(WVL_STYLE_HT | WVL_STYLE_VSC),
                  "style %u: only VSC goes with HT; leave BYPASS, RESET, TERMALL, PTERM and SEGSYM out (15444-15 A.4)",
                  style);
}

/* Rules of HT blocks (15444-15). */
static void check_ht(const wvl_settings *s, wvl_report *r)
{
    for (uint32_t i = 0; i < s->override_count; i++) {
        const wvl_override *o = &s->overrides[i];
        if (!(o->given & WVL_GIVEN_STYLE)) {
            continue;
        }
        if ((o->style ^ s->style) & WVL_STYLE_HT) {
            wvl_report_add(
                r, "overrides: entry %u has style %u, the others %u; use HT for all blocks of a picture or for none",
                i + 1, o->style, s->style);
        } else if (o->style & WVL_STYLE_HT) {
            check_style(o->style, r);
        }
    }
    wvl_report_if(r, s->ht_passes > 3 || (s->ht_passes % 3 && !(s->style & WVL_STYLE_HT)),
                  "ht-passes %u needs HT blocks (style HT), and a number from 1 to 3 (15444-15 7)", s->ht_passes);
    if (!(s->style & WVL_STYLE_HT)) {
        wvl_report_if(r, s->jp2 == WVL_CONTAINER_JPH,
                      "container jph: a JPH file holds HT blocks; add style HT, or use jp2 (15444-15 Annex D)");
        return;
    }
    check_style(s->style, r);
    wvl_report_if(
        r, s->jp2 == WVL_CONTAINER_JP2,
        "container jp2: a JP2 file holds a codestream of Part 1, without HT blocks; use jph (15444-15 Annex D)");
    wvl_report_if(r, s->region_count,
                  "roi: regions of interest with HT blocks are not supported; use one of them (OpenJPEG 2.5 "
                  "does not decode them)");
    wvl_report_if(r, s->layer_count > 1,
                  "%u layers: HT blocks go with one layer only, because decoders fail where the passes of a block "
                  "are divided; use layers 1",
                  s->layer_count);
    wvl_report_if(r, s->rdoq == WVL_RDOQ_YES, "rdoq does not go with HT blocks; use rdoq no or auto");
    wvl_report_if(
        r, s->profile != WVL_PROFILE_NONE && !wvl_profile_of(s->profile)->ht,
        "profile: no profile of Part 1 allows HT blocks; leave style HT out, or choose another profile (A.10)");
}

/* ---- Violations ------------------------------------------------------------------------------ */

#define MAX_DEPTH 32u    /* of containers */
#define MAX_DEPTH_31 28u /* 31 magnitude bits less the three that two high-pass filters add */

static void add_violation(wvl_report *report, const char *format, va_list args)
{
    char text[320];
    vsnprintf(text, sizeof text, format, args);
    report->count++;
    if (report->add) {
        report->add(report->user, text);
    }
}

void wvl_report_add(wvl_report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_violation(report, format, args);
    va_end(args);
}

void wvl_report_if(wvl_report *report, _Bool is_broken, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (is_broken) {
        add_violation(report, format, args);
    }
    va_end(args);
}

static int log2_exact(uint32_t v)
{
    if (!v || (v & (v - 1))) {
        return -1;
    }
    return (int)wvl_bit_length(v) - 1;
}

static void check_grid(const wvl_image_format *f, const wvl_settings *s, wvl_report *r)
{
    if (f->x1 <= f->x0 || f->y1 <= f->y0) {
        wvl_report_add(r, "image offset %u,%u; it must be less than the extent %u,%u (A.5.1)", f->x0, f->y0, f->x1,
                       f->y1);
        return;
    }
    if (s->tile_x0 > f->x0 || s->tile_y0 > f->y0) {
        wvl_report_add(r, "tile offset %u,%u; it must not lie beyond the image offset %u,%u (B-3)", s->tile_x0,
                       s->tile_y0, f->x0, f->y0);
        return;
    }
    if (!s->tile_width != !s->tile_height) {
        wvl_report_add(r, "tile %u,%u: both sides or none must be 0 (A.5.1)", s->tile_width, s->tile_height);
        return;
    }
    if (!s->tile_width) {
        return;
    }
    if ((uint64_t)s->tile_x0 + s->tile_width <= f->x0 || (uint64_t)s->tile_y0 + s->tile_height <= f->y0) {
        wvl_report_add(
            r, "the first tile (%u,%u at %u,%u) contains no part of the image at %u,%u; move or enlarge it (B-4)",
            s->tile_width, s->tile_height, s->tile_x0, s->tile_y0, f->x0, f->y0);
        return;
    }
    uint64_t cols = wvl_ceil_div((uint64_t)f->x1 - s->tile_x0, s->tile_width),
             rows = wvl_ceil_div((uint64_t)f->y1 - s->tile_y0, s->tile_height);
    wvl_report_if(r, cols * rows > 65535, "%llu tiles; 65535 are allowed (A.4.2)", (unsigned long long)(cols * rows));
}

static void check_components(const wvl_image_format *f, const wvl_settings *s, wvl_report *r)
{
    if (f->component_count < 1 || f->component_count > 16384) {
        wvl_report_add(r, "%u components; 1 to 16384 are allowed (A.5.1)", f->component_count);
        return;
    }
    if (!f->components) {
        wvl_report_add(r, "components is NULL");
        return;
    }
    for (uint32_t c = 0; c < f->component_count; c++) {
        const wvl_component_format *cf = &f->components[c];
        if (cf->depth < 1 || cf->depth > 38) {
            wvl_report_add(r, "component %u: depth %u; 1 to 38 are allowed (A.5.1)", c, cf->depth);
        } else if (cf->depth > MAX_DEPTH) {
            wvl_report_add(r, "component %u: depth %u; up to %u are supported", c, cf->depth, MAX_DEPTH);
        } else if (cf->depth > MAX_DEPTH_31 && !(s->style & WVL_STYLE_HT)) {
            wvl_report_add(
                r,
                "component %u: depth %u; more than %u need HT blocks, because a high-pass band needs more than "
                "the 31 magnitude bits that decoders carry of others; use style HT",
                c, cf->depth, MAX_DEPTH_31);
        }
        wvl_report_if(r, cf->is_signed > WVL_SAMPLE_FLOAT, "component %u: is_signed is %u; give 0, 1 or 2", c,
                      cf->is_signed);
        uint32_t dx = cf->dx ? cf->dx : 1, dy = cf->dy ? cf->dy : 1;
        wvl_report_if(
            r, wvl_ceil_div(f->x1, dx) <= wvl_ceil_div(f->x0, dx) || wvl_ceil_div(f->y1, dy) <= wvl_ceil_div(f->y0, dy),
            "component %u: subsampling %u,%u leaves it without samples (B-2)", c, dx, dy);
        if (r->count > 64) {
            return; /* the rest would say the same */
        }
    }
}

/* Components are known to be legal. */
static void check_floats(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    for (uint32_t c = 0; c < f->component_count; c++) {
        if (f->components[c].is_signed == WVL_SAMPLE_FLOAT) {
            unsigned depth = f->components[c].depth;
            wvl_report_if(r, depth != 16 && depth != 32,
                          "component %u: floating point of %u bits; 16 and 32 are supported", c, depth);
            wvl_report_if(r, !(s->style & WVL_STYLE_HT),
                          "component %u: floating point needs HT blocks, because no decoder of Part 1 knows NLT; use "
                          "style HT (15444-2 A.3.10)",
                          c);
            wvl_report_if(r, s->profile != WVL_PROFILE_NONE,
                          "profile: component %u is floating point, whose marker segment NLT no profile allows", c);
            return; /* the first names the mistake */
        }
    }
}

unsigned wvl_plan_choose_mct(const wvl_settings *s, const wvl_image_format *f)
{
    if (s->mct == 0 || f->component_count < 3) {
        return WVL_MCT_NONE;
    }
    const wvl_component_format *c = f->components;
    unsigned depth = wvl_plan_coded_depth(s, f, 0);
    for (int i = 1; i < 3; i++) {
        if (wvl_plan_coded_depth(s, f, (uint32_t)i) != depth || c[i].is_signed != c[0].is_signed ||
            (c[i].dx ? c[i].dx : 1) != (c[0].dx ? c[0].dx : 1) || (c[i].dy ? c[i].dy : 1) != (c[0].dy ? c[0].dy : 1)) {
            return WVL_MCT_NONE;
        }
    }
    if (s->mct == 2 && s->reversible && depth == MAX_DEPTH_31) {
        return WVL_MCT_NONE; /* RCT would need a 32nd magnitude bit, which deeper samples need without it */
    }
    return s->reversible ? WVL_MCT_RCT : WVL_MCT_ICT;
}

static void check_quantizer(const wvl_settings *s, wvl_report *r)
{
    wvl_report_if(r, s->levels > WVL_MAX_LEVELS, "levels %u; 0 to 32 are allowed (A.6.1)", s->levels);
    if (s->guard_bits > 7) {
        wvl_report_add(r, "guard-bits %u; 0 to 7 are allowed (A.6.4)", s->guard_bits);
    } else if (!s->reversible && s->guard_bits == 0) {
        wvl_report_add(r, "guard-bits 0 does not provably hold 9/7 coefficients; use 1 or more (E-2)");
    }
    wvl_report_if(r, !(s->step >= 0.0 && s->step < 1.0),
                  "step %g; it is relative to the full range and must lie between 0 and 1 (E-3)", s->step);
    wvl_report_if(r, s->qfactor && s->step > 0.0 && !s->reversible,
                  "qfactor %u beside step %g: both say how coarse the quantizer is; give one", s->qfactor, s->step);
    wvl_report_if(r, s->qfactor && s->quant_style == WVL_QUANT_DERIVED && !s->reversible,
                  "qfactor with quantization derived: its steps differ from band to band; use expounded (E-5)");
}

static void check_blocks(const wvl_settings *s, wvl_report *r)
{
    int xcb = log2_exact(s->block_width), ycb = log2_exact(s->block_height);
    wvl_report_if(r, xcb < 2 || xcb > 10 || ycb < 2 || ycb > 10 || xcb + ycb > 12,
                  "block %u,%u; sides must be powers of two from 4 to 1024 with an area of at most 4096 (A.6.1)",
                  s->block_width, s->block_height);
    if (s->precinct_count > s->levels + 1u) {
        wvl_report_add(r, "%u precinct sizes for %u resolutions; give at most one for each (A.6.1)", s->precinct_count,
                       s->levels + 1u);
        return;
    }
    for (unsigned i = 0; i <= s->levels && i <= WVL_MAX_LEVELS; i++) {
        unsigned pp = wvl_plan_precinct(s, i);
        if (pp == 0xFF + 1u) {
            wvl_report_add(r, "precinct of resolution %u; sides must be powers of two from 1 to 32768 (A.6.1)", i);
            return;
        }
        if (i > 0 && (!(pp & 15) || !(pp >> 4))) {
            wvl_report_add(r, "precinct of resolution %u has a side of 1, allowed only at resolution 0 (A.6.1, B.6)",
                           i);
            return;
        }
    }
}

unsigned wvl_plan_precinct(const wvl_settings *s, unsigned r)
{
    if (!s->precinct_count) {
        unsigned family = wvl_profile_of(s->profile)->family;
        int is_moving = family == WVL_FAMILY_CINEMA || family == WVL_FAMILY_IMF || family == WVL_FAMILY_BROADCAST ||
                        family == WVL_FAMILY_IMF_HT;
        return !is_moving ? 0xFF : r ? 0x88 : 0x77;
    }
    unsigned from_top = s->levels - r; /* the list starts at the highest resolution, its last value repeats */
    unsigned i = from_top < s->precinct_count ? from_top : s->precinct_count - 1;
    int x = log2_exact(s->precinct_width[i]), y = log2_exact(s->precinct_height[i]);
    if (x < 0 || x > 15 || y < 0 || y > 15) {
        return 0xFF + 1u;
    }
    return (unsigned)x | (unsigned)y << 4;
}

static uint64_t product_of_parts(const wvl_settings *s, const wvl_image_format *f)
{
    /* Where the position is not an outer loop, the number of changes follows from the loops outside the letter. */
    static const char *const loops[5] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    uint64_t parts = 1, inside = 1;
    for (const char *p = loops[s->order]; *p && *p != 'P'; p++) {
        uint32_t count = *p == 'L' ? s->layer_count : *p == 'R' ? s->levels + 1u : f->component_count;
        unsigned bit = *p == 'L' ? WVL_PARTS_LAYER : *p == 'R' ? WVL_PARTS_RESOLUTION : WVL_PARTS_COMPONENT;
        inside = wvl_mul_saturate(inside, count);
        if ((s->parts & bit) && count > 1) { /* a loop of one never changes its letter */
            parts = inside;
        }
    }
    return parts;
}

static void check_structure(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    wvl_report_if(r, s->layer_count < 1 || s->layer_count > WVL_MAX_LAYERS, "%u layers; 1 to 65535 are allowed (A.6.1)",
                  s->layer_count);
    wvl_report_if(r, s->layer_value_count > s->layer_count,
                  "%u layer targets for %u layers; give at least as many layers as targets", s->layer_value_count,
                  s->layer_count);
    if (s->order > WVL_ORDER_CPRL) {
        wvl_report_add(r, "progression order %u is not defined (A.6.1)", s->order);
    } else if (!s->progression_count && !s->override_count &&
               product_of_parts(s, f) > 255) { /* with those, the coder counts */
        wvl_report_add(r, "tile-parts: %llu parts a tile in this progression; 255 are allowed (A.4.2)",
                       (unsigned long long)product_of_parts(s, f));
    }
    for (uint32_t i = 0; i < s->comment_count; i++) {
        uint64_t n = 0;
        while (s->comments[i][n]) {
            n++;
        }
        wvl_report_if(r, n < 1 || n > 65531, "comment %u has %llu bytes; 1 to 65531 are allowed (A.9.2)", i,
                      (unsigned long long)n);
    }
}

uint64_t wvl_settings_count_tiles(const wvl_settings *s, const wvl_image_format *f)
{
    return s->tile_width ? wvl_ceil_div((uint64_t)f->x1 - s->tile_x0, s->tile_width) *
                               wvl_ceil_div((uint64_t)f->y1 - s->tile_y0, s->tile_height)
                         : 1;
}

/* ---- Profiles 0 and 1 (A.10, Table A.45): what is checked, and from which source, is told in the documentation --- */

static void check_profile_tiles(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    unsigned least = 255;
    for (uint32_t c = 0; c < f->component_count; c++) {
        unsigned dx = f->components[c].dx ? f->components[c].dx : 1, dy = f->components[c].dy ? f->components[c].dy : 1;
        least = dx < least ? dx : least;
        least = dy < least ? dy : least;
        if (s->profile == 1 && ((dx != 1 && dx != 2 && dx != 4) || (dy != 1 && dy != 2 && dy != 4))) {
            wvl_report_add(r, "profile 0: component %u: subsampling %u,%u; 1, 2 and 4 are allowed (Table A.45)", c, dx,
                           dy);
            break;
        }
    }
    if (wvl_settings_count_tiles(s, f) == 1) {
        return;
    }
    wvl_report_if(r,
                  s->profile == 1 &&
                      (s->tile_width != 128 || s->tile_height != 128 || s->tile_x0 || s->tile_y0 || f->x0 || f->y0),
                  "profile 0: tile %u,%u; one tile, or tiles of 128,128 without offsets, are allowed (Table A.45)",
                  s->tile_width, s->tile_height);
    wvl_report_if(r, s->profile == 2 && (s->tile_width != s->tile_height || s->tile_width / least > 1024),
                  "profile 1: tile %u,%u; one tile, or square tiles of at most 1024 times the least subsampling, "
                  "are allowed (Table A.45)",
                  s->tile_width, s->tile_height);
}

static void check_profile_blocks(const wvl_settings *s, wvl_report *r)
{
    unsigned number = s->profile - 1u;
    if (s->block_width > 64 || s->block_height > 64) {
        wvl_report_add(r, "profile %u: block %u,%u; sides of at most 64 are allowed (Table A.45)", number,
                       s->block_width, s->block_height);
    } else if (s->profile == 1 && (s->block_width != s->block_height || s->block_width < 32)) {
        wvl_report_add(r, "profile 0: block %u,%u; 32,32 and 64,64 are allowed (Table A.45)", s->block_width,
                       s->block_height);
    }
    wvl_report_if(
        r, s->profile == 1 && (s->style & (WVL_STYLE_BYPASS | WVL_STYLE_RESET | WVL_STYLE_TERMALL | WVL_STYLE_VSC)),
        "profile 0: style %u; BYPASS, RESET, TERMALL and VSC are not allowed (Table A.45)", s->style);
    wvl_report_if(r, s->profile == 1 && s->packed_headers != WVL_PACKED_NONE,
                  "profile 0: packed packet headers are not allowed (Table A.45)");
}

/* Greatest size of any tile along one axis, in samples `step` apart. */
static uint64_t widest_tile(uint64_t tile0, uint64_t tile, uint64_t from, uint64_t to, uint64_t step)
{
    uint64_t widest = 0;
    for (uint64_t at = tile0; at < to; at += tile) {
        uint64_t first = wvl_ceil_div(wvl_max_u64(at, from), step),
                 end = wvl_ceil_div(wvl_min_u64(at + tile, to), step);
        widest = wvl_max_u64(widest, end > first ? end - first : 0);
    }
    return widest;
}

/* Components have at most 255 steps along an axis: the tiles are walked once for each. */
typedef struct widest_tiles {
    const wvl_settings *settings;
    uint64_t tile0, tile, from, to;
    uint64_t widest[256]; /* 0: not known */
} widest_tiles;

static uint64_t find_widest(widest_tiles *w, unsigned step)
{
    unsigned known = step ? step : 1;
    if (!w->widest[known]) {
        w->widest[known] = widest_tile(w->tile0, w->tile, w->from, w->to, (uint64_t)known << w->settings->levels);
    }
    return w->widest[known];
}

static void check_profile_lowest(const wvl_settings *s, const wvl_image_format *f, uint32_t first, uint32_t end,
                                 wvl_report *r)
{
    widest_tiles across = {
        .settings = s, .tile0 = s->tile_x0, .tile = s->tile_width ? s->tile_width : f->x1, .from = f->x0, .to = f->x1};
    widest_tiles down = {.settings = s,
                         .tile0 = s->tile_y0,
                         .tile = s->tile_height ? s->tile_height : f->y1,
                         .from = f->y0,
                         .to = f->y1};
    for (uint32_t c = first; c < end; c++) {
        uint64_t width = find_widest(&across, f->components[c].dx), height = find_widest(&down, f->components[c].dy);
        if (width > 128 || height > 128) {
            wvl_report_add(r,
                           "profile %u: the lowest resolution of component %u has up to %llu,%llu samples a tile; "
                           "128,128 are allowed, use more levels (Table A.45)",
                           s->profile - 1u, c, (unsigned long long)width, (unsigned long long)height);
            return;
        }
    }
}

static void check_profile(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    wvl_report_if(r, f->x1 > INT32_MAX || f->y1 > INT32_MAX,
                  "profile %u: extent %u,%u; less than 2^31 is allowed (Table A.45)", s->profile - 1u, f->x1, f->y1);
    check_profile_tiles(s, f, r);
    if (s->override_count) { /* then every component's settings are checked for themselves */
        return;
    }
    check_profile_blocks(s, r);
    check_profile_lowest(s, f, 0, f->component_count, r);
}

/* ---- Settings of single tiles and components ------------------------------------------------- */

int wvl_plan_check_coding(const wvl_settings *s, const wvl_image_format *f, uint32_t component, wvl_report *r)
{
    uint32_t before = r->count;
    check_quantizer(s, r);
    check_blocks(s, r);
    if ((s->profile == WVL_PROFILE_0 || s->profile == WVL_PROFILE_1) && r->count == before) {
        check_profile_blocks(s, r);
        check_profile_lowest(s, f, component, component + 1, r);
    }
    return r->count == before;
}

static void check_scope(const char *key, uint32_t entry, const wvl_scope *scope, const wvl_settings *s,
                        const wvl_image_format *f, wvl_report *r)
{
    uint64_t tiles = wvl_settings_count_tiles(s, f);
    wvl_report_if(r, wvl_scope_names_tile(scope) && scope->tile_end > tiles,
                  "%s: entry %u is for tile %u, the picture has %llu (A.4.2)", key, entry, scope->tile_end,
                  (unsigned long long)tiles);
    wvl_report_if(r, wvl_scope_names_component(scope) && scope->component_end > f->component_count,
                  "%s: entry %u is for component %u, the picture has components 0 to %u (A.6.2)", key, entry,
                  scope->component_end - 1, f->component_count - 1);
}

/* Grid and components are known to be legal. */
static void check_overrides(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    wvl_report_if(
        r, s->override_count && s->profile > WVL_PROFILE_1,
        "overrides: the profile needs the same settings in all tiles and components; leave overrides out (A.10)");
    for (uint32_t i = 0; i < s->override_count; i++) {
        const wvl_scope *scope = &s->overrides[i].scope;
        check_scope("overrides", i + 1, scope, s, f, r);
        wvl_report_if(r, s->profile == 1 && wvl_scope_names_tile(scope),
                      "profile 0: overrides: entry %u is for single tiles; COD, COC, QCD and QCC are allowed in "
                      "the main header only (Table A.45)",
                      i + 1);
    }
}

/* Grid and components are known to be legal. What a shift must be follows from the bands: see geom/quant.c. */
static void check_regions(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    for (uint32_t i = 0; i < s->region_count; i++) {
        const wvl_region *region = &s->regions[i];
        check_scope("roi", i + 1, &region->scope, s, f, r);
        wvl_report_if(r,
                      !region->is_whole && (region->rect.x1 <= f->x0 || region->rect.x0 >= f->x1 ||
                                            region->rect.y1 <= f->y0 || region->rect.y0 >= f->y1),
                      "roi: entry %u lies outside the picture, which covers %u,%u to %u,%u of the reference grid (B.2)",
                      i + 1, f->x0, f->y0, f->x1, f->y1);
    }
}

/* Quality must rise from layer to layer; only the last may ask for everything. */
static void check_targets(const wvl_settings *s, wvl_report *r)
{
    double before = 0.0;
    wvl_report_if(r, s->rdoq == WVL_RDOQ_YES && s->layer_value_count && s->rate_unit == WVL_UNIT_PSNR,
                  "rdoq does not go with PSNR targets; give bytes, bits a pixel or slopes, or use rdoq auto");
    wvl_report_if(r, s->rdoq == WVL_RDOQ_YES && s->region_count,
                  "rdoq does not go with regions of interest; use roi, or rdoq, not both");
    wvl_report_if(
        r, s->visual && s->layer_value_count && s->rate_unit == WVL_UNIT_PSNR,
        "visual does not go with PSNR targets, which count all errors alike; give bytes, bits a pixel or slopes");
    wvl_report_if(
        r, s->visual && (s->input_color != WVL_INPUT_AS_IS || wvl_profile_of(s->profile)->family == WVL_FAMILY_CINEMA),
        "visual does not go with X'Y'Z' of digital cinema, for which there are no weights");
    for (uint32_t i = 0; i < s->layer_value_count; i++) {
        double v = s->layer_values[i], quality = v;
        int everything = s->rate_unit == WVL_UNIT_RATIO ? v <= 1.0 : v == 0.0;
        if (!(v >= 0.0 && v < 1e18)) {
            wvl_report_add(r, "layer %u: target %g; 0 to 1e18 is allowed", i, v);
            return;
        }
        if (everything) {
            wvl_report_if(r, i + 1 < s->layer_value_count,
                          "layer %u asks for everything but is not the last; only the last may", i);
            return;
        }
        if (s->rate_unit == WVL_UNIT_RATIO) {
            quality = 1.0 / v;
        } else if (s->rate_unit == WVL_UNIT_SLOPE) {
            quality = 65536.0 - v;
            wvl_report_if(r, v > 65535.0, "layer %u: slope %g; 0 to 65535 are allowed", i, v);
        }
        wvl_report_if(r, i && quality <= before,
                      "layer %u: target %g is not better than the one before; targets must improve from layer to layer",
                      i, v);
        before = quality;
    }
}

int wvl_plan_check(const wvl_settings *s, const wvl_image_format *f, wvl_report *r)
{
    uint32_t before = r->count;
    check_components(f, s, r);
    check_grid(f, s, r);
    if (r->count == before) {
        wvl_color_check(s, f, r);
        int is_cinema =
            wvl_profile_of(s->profile)->family == WVL_FAMILY_CINEMA; /* which asks for three components itself */
        if (s->mct == 1 && f->component_count < 3 && !is_cinema) {
            wvl_report_add(
                r,
                "mct on, but the colour transform needs three components, and the picture has %u; use auto or "
                "off (G.2, G.3)",
                f->component_count);
        } else if (s->mct == 1 && f->component_count >= 3 && wvl_plan_choose_mct(s, f) == WVL_MCT_NONE) {
            wvl_report_add(r, "mct: the colour transform needs one depth, sign and subsampling for the first three "
                              "components (G.2, G.3)");
        }
        check_quantizer(s, r);
    }
    check_blocks(s, r);
    check_structure(s, f, r);
    check_targets(s, r);
    wvl_report_if(r, s->packed_headers != WVL_PACKED_NONE && (s->plt || s->plm),
                  "packed-headers with %s: decoders differ in whether a packet's length counts its header then; "
                  "use one of them (A.7.2 to A.7.5)",
                  s->plt ? "plt" : "plm");
    wvl_report_if(r, s->registration_count && f->component_count > 16383,
                  "registration: %u components; CRG holds 16383 (A.9.1)", f->component_count);
    wvl_report_if(r, s->registration_count > 1 && s->registration_count != f->component_count,
                  "registration: %u pairs for %u components; give one for all, or one for each (A.9.1)",
                  s->registration_count, f->component_count);
    check_ht(s, r);
    if (r->count == before) {
        check_floats(s, f, r);
        check_overrides(s, f, r);
        check_regions(s, f, r);
    }
    if (r->count == before && s->progression_count) {
        check_progressions(s, f, r);
    }
    if (r->count == before && (s->profile == WVL_PROFILE_0 || s->profile == WVL_PROFILE_1)) {
        check_profile(s, f, r);
    }
    wvl_profile_check(s, f, r);
    return r->count == before;
}
