/* SPDX-License-Identifier: BSD-2-Clause */
#include "geom/variants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "geom/profile.h"

#define MAX_CODINGS 4096u
#define MAX_VARIANTS 4096u
#define MAX_MAP_ENTRIES (1u << 20)

static int grow(wvl_variant_table *t, void *array, uint64_t *capacity, uint64_t need, uint64_t element_bytes)
{
    void *memory;
    memcpy(&memory, array, sizeof memory);
    if (!wvl_grow(t->allocator, &memory, capacity, need, element_bytes)) {
        t->short_of_memory = 1;
        return 0;
    }
    memcpy(array, &memory, sizeof memory);
    return 1;
}

/* ---- Reports that say whose settings they are about ------------------------------------------ */

typedef struct named_report {
    wvl_report report;
    wvl_report *outer;
    uint32_t tile, component;
    int named; /* without entries of lists there is nobody to name */
} named_report;

static void add_named(void *user, const char *text)
{
    const named_report *n = user;
    char tile[32] = "";
    if (n->tile != WVL_ALL_TILES) {
        snprintf(tile, sizeof tile, "tile %u, ", n->tile + 1);
    }
    if (n->named) {
        wvl_report_add(n->outer, "%scomponent %u: %s", tile, n->component, text);
    } else {
        wvl_report_add(n->outer, "%s", text);
    }
}

static void open_report(named_report *n, const wvl_variant_table *t, uint32_t tile, uint32_t component)
{
    *n = (named_report){
        {add_named, n, 0}, t->report, tile, component, t->settings->override_count + t->settings->region_count > 0};
}

/* ---- Tiles and regions ----------------------------------------------------------------------- */

static wvl_rect tile_rect(const wvl_variant_table *t, uint32_t tile)
{
    const wvl_settings *s = t->settings;
    const wvl_image_format *f = t->format;
    uint64_t x = s->tile_x0 + (uint64_t)(tile % t->tile_cols) * s->tile_width,
             y = s->tile_y0 + (uint64_t)(tile / t->tile_cols) * s->tile_height;
    wvl_rect whole = {f->x0, f->y0, f->x1, f->y1};
    wvl_rect rect = {(uint32_t)wvl_max_u64(x, f->x0), (uint32_t)wvl_max_u64(y, f->y0),
                     (uint32_t)wvl_min_u64(x + s->tile_width, f->x1), (uint32_t)wvl_min_u64(y + s->tile_height, f->y1)};
    return s->tile_width ? rect : whole;
}

/* A rectangle that reaches into the first and the last tile reaches into all. */
static int is_everywhere(const wvl_variant_table *t, const wvl_region *region)
{
    uint32_t last = t->tile_cols * t->tile_rows - 1;
    return !wvl_scope_names_tile(&region->scope) &&
           wvl_geom_region_counts(region, tile_rect(t, 0), 0, region->scope.component_first) &&
           wvl_geom_region_counts(region, tile_rect(t, last), last, region->scope.component_first);
}

/* ---- Codings --------------------------------------------------------------------------------- */

static int has_byte_limit(const wvl_settings *s)
{
    double last = s->layer_value_count ? s->layer_values[s->layer_value_count - 1] : 0.0;
    int is_limit = s->rate_unit == WVL_UNIT_RATIO
                       ? last > 1.0
                       : (s->rate_unit == WVL_UNIT_BPP || s->rate_unit == WVL_UNIT_BYTES) && last > 0.0;
    return is_limit || s->max_bytes || s->max_component_bytes;
}

/* Steps that nobody gave: one least significant bit; half of it where bytes decide, and those of 8 bits may well be
 * more than that step has. Deep blocks are coded only as far as they count, so that the finer step costs hardly any
 * time; but regions need two planes for every one. 0: one. */
static double choose_step(const wvl_settings *all, const wvl_settings *s, unsigned depth)
{
    int finer = s->step == 0.0 && !s->qfactor && depth <= 8 && !all->region_count && has_byte_limit(all);
    if (s->profile == WVL_PROFILE_IMF_HT_IRV && !s->reversible && s->step == 0.0 && !s->qfactor) {
        return ldexp(1.25, -(int)depth); /* ST 2067-21 expects a B of MAGB that one least significant bit exceeds */
    }
    return s->reversible ? 0.0 : finer ? ldexp(0.5, -(int)depth) : s->step;
}

/* Describes what the colour transform makes of the component, else what it is said to be; two that are subsampled
 * against the first can only be Cb and Cr. */
static void describe_visual(const wvl_variant_table *t, uint32_t component, wvl_coding *coding)
{
    const wvl_component_format *f = t->format->components, *own = &f[component], *first = f;
    unsigned dx = wvl_max_u32(own->dx, 1) / wvl_max_u32(first->dx, 1),
             dy = wvl_max_u32(own->dy, 1) / wvl_max_u32(first->dy, 1);
    int is_third = t->format->component_count >= 3 && component - 1 < 2, is_coarse = dx > 1 || dy > 1;
    coding->visual = coding->mct_part                                 ? coding->mct_part
                     : is_third && (t->settings->is_ycc || is_coarse) ? (uint8_t)(component + 1)
                                                                      : WVL_VISUAL_LUMA;
    coding->visual_dx = (uint8_t)wvl_max_u32(dx, 1);
    coding->visual_dy = (uint8_t)wvl_max_u32(dy, 1);
}

/* Regions that count in every tile are the main header's. */
static void describe_regions(const wvl_variant_table *t, uint32_t tile, uint32_t component, wvl_coding *coding)
{
    for (uint32_t i = 0; i < t->settings->region_count; i++) {
        const wvl_region *region = &t->settings->regions[i];
        wvl_rect rect = tile == WVL_ALL_TILES ? region->rect : tile_rect(t, tile);
        if ((tile == WVL_ALL_TILES && !is_everywhere(t, region)) ||
            !wvl_geom_region_counts(region, rect, tile, component)) {
            continue;
        }
        coding->region = region->is_whole || coding->region == WVL_REGION_WHOLE ? WVL_REGION_WHOLE : WVL_REGION_PART;
        coding->region_auto |= !region->shift_given;
        coding->region_least = region->shift > coding->region_least ? region->shift : coding->region_least;
    }
    coding->region_auto &= coding->region == WVL_REGION_PART;
    coding->region = coding->region == WVL_REGION_WHOLE && !coding->region_least ? WVL_REGION_NONE : coding->region;
}

/* Index of the component's coding, appending it when none is alike. 0 and a report, or no memory: UINT32_MAX. */
static uint32_t find_coding(wvl_variant_table *t, uint32_t tile, unsigned mct, uint32_t component)
{
    wvl_settings s;
    wvl_coding coding;
    named_report named;
    wvl_settings_resolve(t->settings, tile, component, &s);
    /* All by which codings differ; zeroed before, so that bytes can be compared. */
    memset(&coding, 0, sizeof coding);
    coding.depth = (uint8_t)wvl_plan_coded_depth(t->settings, t->format, component);
    coding.mct_part = (uint8_t)(mct && component < 3 ? component + 1 : 0);
    coding.rct = mct == WVL_MCT_RCT;
    coding.levels = s.levels;
    coding.reversible = s.reversible;
    coding.xcb = (uint8_t)(wvl_bit_length(s.block_width) - 1);
    coding.ycb = (uint8_t)(wvl_bit_length(s.block_height) - 1);
    coding.style = s.style;
    coding.quant_style = s.reversible ? WVL_QUANT_NONE : s.quant_style;
    coding.guard_bits = s.guard_bits;
    coding.user_precincts = s.precinct_count > 0 || wvl_plan_precinct(&s, 0) != 0xFF;
    coding.base_step = choose_step(t->settings, &s, coding.depth);
    coding.qfactor = s.reversible ? 0 : s.qfactor;
    if (t->settings->visual) {
        describe_visual(t, component, &coding);
    }
    for (unsigned r = 0; r <= s.levels && r <= WVL_MAX_LEVELS; r++) {
        coding.precinct[r] = (uint8_t)wvl_plan_precinct(&s, r);
    }
    /* 5/3 in 32 bits holds sums of two neighbours, 2 * 8.28 * A < 2^31, up to P = 27 (26 with RCT). */
    coding.wide = s.reversible && coding.depth + coding.rct > 27;
    coding.guard_bits = wvl_quant_guard_bits(&coding);
    describe_regions(t, tile, component, &coding);
    for (uint32_t i = 0; i < t->coding_count; i++) {
        if (!memcmp(&t->codings[i], &coding, offsetof(wvl_coding, region_shift))) {
            return i;
        }
    }
    open_report(&named, t, tile, component);
    if (t->settings->override_count && !wvl_plan_check_coding(&s, t->format, component, &named.report)) {
        return UINT32_MAX;
    }
    if (t->coding_count == MAX_CODINGS) {
        wvl_report_add(t->report, "more than %u different settings of components; they are not supported", MAX_CODINGS);
        return UINT32_MAX;
    }
    if (!wvl_quant_build_bands(&coding, s.distortion_bits, t->peak_depth, t->reach, &named.report) ||
        !grow(t, &t->codings, &t->coding_capacity, t->coding_count + 1ull, sizeof *t->codings)) {
        return UINT32_MAX;
    }
    t->codings[t->coding_count] = coding;
    return t->coding_count++;
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* The transform joins the first three components, so they must have the same wavelet (G.2, G.3). Nothing says that they
 * must have the same levels, but OpenJPEG 2.5 then leaves the transform out: where the choice is ours, so do we.
 * UINT32_MAX: reported. */
static uint32_t choose_mct(wvl_variant_table *t, uint32_t tile, const wvl_settings *tile_settings)
{
    wvl_settings s = *tile_settings, first, one;
    wvl_settings_resolve(t->settings, tile, 0, &first);
    s.reversible = first.reversible;
    for (uint32_t c = 1; c < 3 && c < t->format->component_count; c++) {
        wvl_settings_resolve(t->settings, tile, c, &one);
        if (one.reversible != first.reversible && s.input_color != WVL_INPUT_AS_IS) {
            wvl_report_add(
                t->report,
                "input-color: the first three components of a tile are converted together and need the same wavelet");
            return UINT32_MAX;
        }
        if (one.reversible != first.reversible || (s.mct == 2 && one.levels != first.levels)) {
            s.mct = 0;
        }
    }
    uint32_t mct = wvl_plan_choose_mct(&s, t->format);
    if (tile_settings->mct == 1 && mct == WVL_MCT_NONE) {
        named_report named;
        open_report(&named, t, tile, 0);
        wvl_report_add(&named.report, "mct: the colour transform needs one wavelet, depth, sign and subsampling for "
                                      "the first three components (G.2, G.3)");
        return UINT32_MAX;
    }
    return mct;
}

/* The component whose coding COD and QCD are to say: the first that goes without a COC of its own. */
static uint32_t default_component(const wvl_variant_table *t, uint32_t tile)
{
    for (uint32_t c = 0; c < t->format->component_count && t->settings->override_count; c++) {
        if (!wvl_settings_name_component(t->settings, tile, c)) {
            return c;
        }
    }
    return 0;
}

static int add_variant(wvl_variant_table *t, uint32_t tile, uint64_t signature)
{
    uint32_t components = t->format->component_count;
    uint64_t entries = (t->variant_count + 1ull) * components;
    if (t->variant_count == MAX_VARIANTS || (t->variant_count && entries > MAX_MAP_ENTRIES)) {
        wvl_report_add(
            t->report,
            "overrides: more than %u different tiles, or %u different components of tiles; they are not supported",
            MAX_VARIANTS, MAX_MAP_ENTRIES);
        return 0;
    }
    if (!grow(t, &t->variants, &t->variant_capacity, t->variant_count + 1ull, sizeof *t->variants) ||
        !grow(t, &t->signatures, &t->signature_capacity, t->variant_count + 1ull, sizeof *t->signatures) ||
        !grow(t, &t->maps, &t->map_capacity, entries, sizeof *t->maps)) {
        return 0;
    }
    wvl_settings s;
    wvl_settings_resolve(t->settings, tile, WVL_ALL_COMPONENTS, &s);
    uint32_t mct = choose_mct(t, tile, &s);
    uint32_t first = mct == UINT32_MAX ? UINT32_MAX : find_coding(t, tile, mct, default_component(t, tile));
    if (first == UINT32_MAX) {
        return 0;
    }
    t->variants[t->variant_count] = (wvl_tile_variant){s.order, (uint8_t)mct, s.sop, s.eph, (uint16_t)first, NULL};
    t->signatures[t->variant_count] = signature;
    for (uint32_t c = 0; c < components; c++) {
        uint32_t coding = find_coding(t, tile, mct, c);
        if (coding == UINT32_MAX) {
            return 0;
        }
        t->maps[entries - components + c] = (uint16_t)coding;
    }
    t->variant_count++;
    return 1;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

static uint32_t entry_count(const wvl_variant_table *t)
{
    return t->settings->override_count + t->settings->region_count;
}

/* Says whether entry i, an override or a region, makes the tile differ from the main header. */
static int counts_for(const wvl_variant_table *t, uint32_t i, uint32_t tile)
{
    if (i < t->settings->override_count) {
        const wvl_scope *scope = &t->settings->overrides[i].scope;
        return tile >= scope->tile_first && tile < scope->tile_end;
    }
    const wvl_region *region = &t->settings->regions[i - t->settings->override_count];
    return !is_everywhere(t, region) &&
           wvl_geom_region_counts(region, tile_rect(t, tile), tile, region->scope.component_first);
}

static int are_alike(const wvl_variant_table *t, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < entry_count(t); i++) {
        if (counts_for(t, i, a) != counts_for(t, i, b)) {
            return 0;
        }
    }
    return 1;
}

/* A tile that follows the variant. */
static uint32_t tile_of(const wvl_variant_table *t, uint32_t variant)
{
    uint32_t i = 0;
    while (t->choices[i].variant != variant) {
        i++;
    }
    return t->choices[i].tile;
}

static int choose_variant(wvl_variant_table *t, uint32_t tile)
{
    /* Hash of the entries that count for the tile; 0: none does. */
    uint64_t signature = 0;
    for (uint32_t i = 0; i < entry_count(t); i++) {
        if (counts_for(t, i, tile)) {
            signature = (signature ^ (i + 1ull)) * UINT64_C(0x9E3779B97F4A7C15);
            signature ^= signature >> 29;
        }
    }
    uint32_t v = 1;
    if (!signature) {
        return 1;
    }
    while (v < t->variant_count && !(t->signatures[v] == signature && are_alike(t, tile_of(t, v), tile))) {
        v++;
    }
    if ((v == t->variant_count && !add_variant(t, tile, signature)) ||
        !grow(t, &t->choices, &t->choice_capacity, t->choice_count + 1ull, sizeof *t->choices)) {
        return 0;
    }
    t->choices[t->choice_count++] = (wvl_tile_choice){tile, v};
    return 1;
}

int wvl_variants_open(wvl_variant_table *t, const wvl_allocator *allocator, const wvl_settings *settings,
                      const wvl_image_format *format, wvl_report *report)
{
    uint32_t before = report->count;
    memset(t, 0, sizeof *t);
    t->allocator = allocator;
    t->settings = settings;
    t->format = format;
    t->report = report;
    for (uint32_t c = 0; c < format->component_count; c++) {
        t->peak_depth = (uint8_t)wvl_max_u32(t->peak_depth, wvl_plan_coded_depth(settings, format, c));
    }
    t->reach = (uint8_t)wvl_bit_length(wvl_max_u32(format->x1 - format->x0, format->y1 - format->y0));
    t->tile_cols = settings->tile_width
                       ? (uint32_t)wvl_ceil_div((uint64_t)format->x1 - settings->tile_x0, settings->tile_width)
                       : 1;
    t->tile_rows = settings->tile_height
                       ? (uint32_t)wvl_ceil_div((uint64_t)format->y1 - settings->tile_y0, settings->tile_height)
                       : 1;
    int good = add_variant(t, WVL_ALL_TILES, 0);
    for (uint32_t tile = 0; good && entry_count(t) && tile < t->tile_cols * t->tile_rows; tile++) {
        good = choose_variant(t, tile);
    }
    return good && report->count == before;
}

void wvl_variants_close(wvl_variant_table *t)
{
    wvl_free(t->allocator, t->codings, t->coding_capacity * sizeof *t->codings);
    wvl_free(t->allocator, t->variants, t->variant_capacity * sizeof *t->variants);
    wvl_free(t->allocator, t->maps, t->map_capacity * sizeof *t->maps);
    wvl_free(t->allocator, t->signatures, t->signature_capacity * sizeof *t->signatures);
    wvl_free(t->allocator, t->choices, t->choice_capacity * sizeof *t->choices);
}
