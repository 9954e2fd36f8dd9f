/* SPDX-License-Identifier: BSD-2-Clause */
/* Preservation: what libraries ask of their masters and access copies, as their published command lines and schemas
 * have it. */
#include "profile_table.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* 0 or -1: not asked for. Precincts from the highest resolution down, the last one repeats. */
struct wvl_walk_keep_numbers {
    int components, depth, transform, tile, levels, layers, order, style; /* -1: any */
    uint8_t precincts[3];                                                 /* PP of both axes; 0 ends the list */
    int sop_eph, plt, parts_by_resolution, comment, xmp, icc, capture, no_region;
};

const wvl_walk_keep_numbers wvl_check_kb_master = {.components = 3,
                                                   .depth = 8,
                                                   .transform = 1,
                                                   .tile = 1024,
                                                   .levels = 5,
                                                   .layers = 11,
                                                   .order = 2,
                                                   .style = 0x20,
                                                   .precincts = {8, 8, 7},
                                                   .sop_eph = 1,
                                                   .comment = 1,
                                                   .xmp = 1,
                                                   .icc = 1,
                                                   .capture = 1};
const wvl_walk_keep_numbers wvl_check_kb_access = {.components = 3,
                                                   .depth = 8,
                                                   .transform = 0,
                                                   .tile = 1024,
                                                   .levels = 5,
                                                   .layers = 8,
                                                   .order = 2,
                                                   .style = 0x20,
                                                   .precincts = {8, 8, 7},
                                                   .sop_eph = 1,
                                                   .comment = 1};
const wvl_walk_keep_numbers wvl_check_ndnp = {.components = 1,
                                              .depth = 8,
                                              .transform = 0,
                                              .tile = 1024,
                                              .levels = 6,
                                              .layers = 25,
                                              .order = 1,
                                              .style = 0x01,
                                              .no_region = 1};
const wvl_walk_keep_numbers wvl_check_bodleian = {.components = -1,
                                                  .depth = -1,
                                                  .transform = 1,
                                                  .tile = 512,
                                                  .levels = 6,
                                                  .layers = 6,
                                                  .order = 2,
                                                  .style = 0x00,
                                                  .precincts = {8, 8, 7},
                                                  .sop_eph = 1,
                                                  .plt = 1,
                                                  .parts_by_resolution = 1};
const wvl_walk_keep_numbers wvl_check_bodleian_lossy = {.components = -1,
                                                        .depth = -1,
                                                        .transform = 0,
                                                        .tile = 512,
                                                        .levels = 6,
                                                        .layers = 6,
                                                        .order = 2,
                                                        .style = 0x00,
                                                        .precincts = {8, 8, 7},
                                                        .sop_eph = 1,
                                                        .plt = 1,
                                                        .parts_by_resolution = 1};
const wvl_walk_keep_numbers wvl_check_bl_newspaper = {.components = -1,
                                                      .depth = 8,
                                                      .transform = 0,
                                                      .tile = 0,
                                                      .levels = 6,
                                                      .layers = 12,
                                                      .order = 2,
                                                      .style = 0x01,
                                                      .precincts = {8, 8, 7},
                                                      .plt = 1};

const wvl_walk_keep_numbers wvl_check_ht_archive = {.components = -1,
                                                    .depth = -1,
                                                    .transform = 1,
                                                    .tile = 1024,
                                                    .levels = 5,
                                                    .layers = 1,
                                                    .order = 2,
                                                    .style = 0x40,
                                                    .precincts = {8, 8, 7},
                                                    .sop_eph = 1,
                                                    .plt = 1};

static const wvl_walk_keep_numbers *numbers(const wvl_walk_facts *f) { return f->profile->numbers; }

static int components_hold(wvl_walk_facts *f)
{
    const wvl_walk_keep_numbers *n = numbers(f);
    if (n->components > 0 && f->w->component_count != (uint32_t)n->components) {
        return wvl_check_refuse(f, "%u components, %d are asked for", f->w->component_count, n->components);
    }
    for (uint32_t c = 0; n->depth > 0 && c < f->w->component_count; c++) {
        if (f->w->components[c].depth != n->depth || f->w->components[c].is_signed) {
            return wvl_check_refuse(f, "component %u has %u bits, %d are asked for", c, f->w->components[c].depth,
                                    n->depth);
        }
    }
    return 1;
}

static int wavelet_holds(wvl_walk_facts *f) { return wvl_check_wavelet_is(f, (unsigned)numbers(f)->transform); }

static int transform_holds(wvl_walk_facts *f) { return f->w->component_count != 3 || f->w->main.style.mct == 1; }

static int tiles_hold(wvl_walk_facts *f)
{
    const wvl_walk *w = f->w;
    uint32_t tile = (uint32_t)numbers(f)->tile;
    return (tile ? w->tile_width == tile && w->tile_height == tile : wvl_check_is_one_tile(w)) ||
           wvl_check_refuse(f, "tiles are %u x %u", w->tile_width, w->tile_height);
}

static int levels_hold(wvl_walk_facts *f)
{
    return f->w->main.cod.levels == numbers(f)->levels ||
           wvl_check_refuse(f, "%u levels, %d are asked for", f->w->main.cod.levels, numbers(f)->levels);
}

static int layers_hold(wvl_walk_facts *f)
{
    return f->w->main.style.layers == numbers(f)->layers ||
           wvl_check_refuse(f, "%u layers, %d are asked for", f->w->main.style.layers, numbers(f)->layers);
}

static int order_holds(wvl_walk_facts *f) { return wvl_check_order_is(f, (unsigned)numbers(f)->order); }

static int blocks_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = &f->w->main.cod;
    return (k->xcb == 6 && k->ycb == 6) || wvl_check_refuse(f, "code blocks are %u x %u", 1u << k->xcb, 1u << k->ycb);
}

static int style_holds(wvl_walk_facts *f)
{
    return f->w->main.cod.style == numbers(f)->style ||
           wvl_check_refuse(f, "the code-block style is 0x%02X, 0x%02X is asked for", f->w->main.cod.style,
                            (unsigned)numbers(f)->style);
}

static int precincts_hold(wvl_walk_facts *f)
{
    const wvl_walk_coding *k = &f->w->main.cod;
    const uint8_t *list = numbers(f)->precincts;
    unsigned at = 0;
    for (unsigned r = k->levels + 1u; r-- > 0; at += at + 1 < 3 && list[at + 1]) {
        unsigned wanted = list[0] ? list[at] : 15;
        if (k->precincts[r] != (wanted << 4 | wanted)) {
            return wvl_check_refuse(f, "precincts are 2^%u x 2^%u at resolution %u", k->precincts[r] & 15,
                                    k->precincts[r] >> 4, r);
        }
    }
    return 1;
}

static int resilience_holds(wvl_walk_facts *f)
{
    return !numbers(f)->sop_eph || (f->w->has_sop && (f->w->main.style.scod & 6) == 6);
}

static int plt_holds(wvl_walk_facts *f)
{
    return !numbers(f)->plt || f->w->tile_count[WVL_WALK_MARK_PLT] >= f->w->parts.count;
}

static int parts_hold(wvl_walk_facts *f)
{
    const wvl_walk_part *p = f->w->parts.items;
    for (size_t i = 0; numbers(f)->parts_by_resolution && i < f->w->parts.count; i++) {
        if (p[i].r_min != p[i].r_max) {
            return wvl_check_refuse(f, "tile-part %zu holds resolutions %u to %u", i, p[i].r_min, p[i].r_max);
        }
    }
    return 1;
}

static int comment_holds(wvl_walk_facts *f) { return !numbers(f)->comment || f->w->comment_texts; }

static int holds_text(const wvl_walk_boxes *b, const wvl_walk_span *span, const char *word)
{
    size_t n = strlen(word);
    for (uint64_t at = span->at; at + n <= span->end; at++) {
        if (!memcmp(b->data + at, word, n)) {
            return 1;
        }
    }
    return 0;
}

static int xmp_holds(wvl_walk_facts *f)
{
    const wvl_walk_boxes *b = f->b;
    if (!numbers(f)->xmp) {
        return 1;
    }
    if (b->xmp_count != 1) {
        return wvl_check_refuse(f, "%llu XMP boxes", (unsigned long long)b->xmp_count);
    }
    return holds_text(b, &b->xmp, "tiff:") && holds_text(b, &b->xmp, "exif:") && holds_text(b, &b->xmp, "photoshop:");
}

static int icc_holds(wvl_walk_facts *f)
{
    const wvl_walk_boxes *b = f->b;
    return !numbers(f)->icc ||
           (b->method == 2 && b->is_matrix_icc &&
            (strstr(b->icc_name, "Adobe RGB (1998)") || strstr(b->icc_name, "eciRGB v2"))) ||
           wvl_check_refuse(f, "METH %u, profile \"%s\"", b->method, b->icc_name);
}

static int capture_holds(wvl_walk_facts *f) { return !numbers(f)->capture || f->b->resc.at != 0; }

static int region_holds(wvl_walk_facts *f)
{
    static const wvl_walk_marker_id rgn[] = {WVL_WALK_MARK_RGN};
    return !numbers(f)->no_region || wvl_check_no_markers(f, rgn, 1);
}

static const wvl_walk_profile_rule rules[] = {
    {WVL_RULE_KEEP_COMPONENTS, components_hold},
    {WVL_RULE_KEEP_WAVELET, wavelet_holds},
    {WVL_RULE_KEEP_TRANSFORM, transform_holds},
    {WVL_RULE_KEEP_TILES, tiles_hold},
    {WVL_RULE_KEEP_LEVELS, levels_hold},
    {WVL_RULE_KEEP_LAYERS, layers_hold},
    {WVL_RULE_KEEP_ORDER, order_holds},
    {WVL_RULE_KEEP_BLOCKS, blocks_hold},
    {WVL_RULE_KEEP_STYLE, style_holds},
    {WVL_RULE_KEEP_PRECINCTS, precincts_hold},
    {WVL_RULE_KEEP_RESILIENCE, resilience_holds},
    {WVL_RULE_KEEP_PLT, plt_holds},
    {WVL_RULE_KEEP_PARTS, parts_hold},
    {WVL_RULE_KEEP_COMMENT, comment_holds},
    {WVL_RULE_KEEP_XMP, xmp_holds},
    {WVL_RULE_KEEP_ICC, icc_holds},
    {WVL_RULE_KEEP_CAPTURE, capture_holds},
    {WVL_RULE_KEEP_REGION, region_holds},
};

const wvl_walk_profile_rules wvl_check_keep_rules = {rules, COUNT(rules)};
