/* SPDX-License-Identifier: BSD-2-Clause */
#include "geom/plan.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "geom/color.h"
#include "geom/profile.h"
#include "geom/variants.h"

/* Enough blocks to keep many workers busy, few enough to stay near the caches (D-plan-01). */
#define WAVE_LIMIT_BYTES (24u << 20)

typedef struct plan_parts {
    wvl_plan *plan;
    wvl_plan_component *components;
    wvl_coding *codings;
    wvl_tile_variant *variants;
    wvl_tile_choice *choices;
    uint16_t *maps;
    wvl_layer_target *layers;
    wvl_progression *progressions;
    wvl_region *regions;
    uint16_t *registration;
    wvl_blob *comments;
    uint8_t *comment_bytes;
    double *linear;
} plan_parts;

static uint64_t length_of(const char *text) { return strlen(text); }

static plan_parts carve_plan(wvl_carver *carver, const wvl_settings *s, const wvl_image_format *f,
                             const wvl_variant_table *t)
{
    plan_parts parts;
    uint64_t text = 0;
    for (uint32_t i = 0; i < s->comment_count; i++) {
        text += length_of(s->comments[i]);
    }
    parts.plan = wvl_carve(carver, 1, sizeof *parts.plan);
    parts.components = wvl_carve(carver, f->component_count, sizeof *parts.components);
    parts.codings = wvl_carve(carver, t->coding_count, sizeof *parts.codings);
    parts.variants = wvl_carve(carver, t->variant_count - 1, sizeof *parts.variants);
    parts.choices = wvl_carve(carver, t->choice_count, sizeof *parts.choices);
    parts.maps = wvl_carve(carver, (t->variant_count - 1ull) * f->component_count, sizeof *parts.maps);
    parts.layers = wvl_carve(carver, s->layer_count, sizeof *parts.layers);
    parts.progressions = wvl_carve(carver, s->progression_count, sizeof *parts.progressions);
    parts.regions = wvl_carve(carver, s->region_count, sizeof *parts.regions);
    parts.registration =
        wvl_carve(carver, s->registration_count ? 2ull * f->component_count : 0, sizeof *parts.registration);
    parts.comments = wvl_carve(carver, s->comment_count + UINT64_C(1), sizeof *parts.comments);
    parts.comment_bytes = wvl_carve(carver, text + WVL_SPACER_BYTES, 1);
    parts.linear = wvl_carve(carver, wvl_color_count_entries(s, f), sizeof *parts.linear);
    return parts;
}

static uint64_t resolutions_of(const wvl_syntax_plan *syntax, const wvl_tile_variant *variant)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < syntax->component_count; c++) {
        n += syntax->codings[variant ? variant->codings[c] : syntax->components[c].coding].levels + 1u;
    }
    return n;
}

/* Variant 0 of the table is the main header. */
static void fill_codings(wvl_plan *plan, const plan_parts *parts, const wvl_variant_table *t)
{
    uint32_t components = plan->syntax.component_count;
    plan->syntax.coding_count = t->coding_count;
    plan->syntax.codings = parts->codings;
    memcpy(plan->syntax.codings, t->codings, t->coding_count * sizeof *t->codings);
    plan->syntax.order = t->variants[0].order;
    plan->syntax.mct = t->variants[0].mct;
    plan->syntax.sop = t->variants[0].sop;
    plan->syntax.eph = t->variants[0].eph;
    for (uint32_t c = 0; c < components; c++) {
        plan->syntax.components[c].coding = t->maps[c];
    }
    plan->memory.most_resolutions = resolutions_of(&plan->syntax, NULL);
    plan->syntax.variant_count = t->variant_count - 1;
    plan->syntax.variants = parts->variants;
    for (uint32_t v = 0; v < plan->syntax.variant_count; v++) {
        plan->syntax.variants[v] = t->variants[v + 1];
        plan->syntax.variants[v].codings = parts->maps + (uint64_t)v * components;
        memcpy(plan->syntax.variants[v].codings, t->maps + (v + 1ull) * components, components * sizeof *t->maps);
        plan->memory.most_resolutions =
            wvl_max_u64(plan->memory.most_resolutions, resolutions_of(&plan->syntax, &plan->syntax.variants[v]));
    }
    plan->syntax.choice_count = t->choice_count;
    plan->syntax.choices = parts->choices;
    for (uint32_t i = 0; i < t->choice_count; i++) {
        plan->syntax.choices[i] = (wvl_tile_choice){t->choices[i].tile, t->choices[i].variant - 1};
    }
    for (uint32_t i = 0; i < t->coding_count; i++) {
        plan->syntax.max_levels = plan->syntax.codings[i].levels > plan->syntax.max_levels
                                      ? plan->syntax.codings[i].levels
                                      : plan->syntax.max_levels;
    }
}

/* What a tile or the picture goes through. Of 9/7: parts of magnitudes below the last fraction bit are in no energy;
 * with even steps every band has the weight of the finest. */
typedef struct wavelet_use {
    uint64_t reversible_samples;
    double hidden_error;
} wavelet_use;

static wavelet_use sum_use(const wvl_syntax_plan *syntax, const wvl_tile_variant *variant, wvl_rect rect)
{
    wavelet_use use = {0, 0.0};
    for (uint32_t c = 0; c < syntax->component_count; c++) {
        const wvl_plan_component *pc = &syntax->components[c];
        const wvl_coding *coding = &syntax->codings[variant ? variant->codings[c] : pc->coding];
        const wvl_band_coding *finest = &coding->band[3u * coding->levels];
        uint64_t n = (wvl_ceil_div(rect.x1, pc->dx) - wvl_ceil_div(rect.x0, pc->dx)) *
                     (wvl_ceil_div(rect.y1, pc->dy) - wvl_ceil_div(rect.y0, pc->dy));
        use.reversible_samples += coding->reversible ? n : 0;
        use.hidden_error += coding->reversible ? 0.0
                                               : ldexp((double)finest->weight_mantissa, finest->weight_exponent) /
                                                     finest->visual / 12.0 * (double)n;
    }
    return use;
}

static void fill_use(wvl_plan *plan)
{
    wavelet_use all = sum_use(&plan->syntax, NULL, plan->syntax.image);
    for (uint32_t i = 0; i < plan->syntax.choice_count; i++) {
        wvl_rect rect = wvl_geom_tile_rect(plan, plan->syntax.choices[i].tile);
        wavelet_use usual = sum_use(&plan->syntax, NULL, rect),
                    own = sum_use(&plan->syntax, &plan->syntax.variants[plan->syntax.choices[i].variant], rect);
        all.reversible_samples += own.reversible_samples - usual.reversible_samples;
        all.hidden_error += own.hidden_error - usual.hidden_error;
    }
    plan->rate.reversible_share = (double)all.reversible_samples / (double)plan->syntax.total_samples;
    plan->rate.hidden_error = plan->rate.reversible_share < 1.0 && all.hidden_error > 0.0 ? all.hidden_error : 0.0;
}

static double raw_bytes(const wvl_syntax_plan *syntax)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < syntax->component_count; c++) {
        const wvl_plan_component *pc = &syntax->components[c];
        bits += (double)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect) * pc->depth;
    }
    return bits / 8.0;
}

static wvl_layer_target resolve_target(const wvl_plan *plan, const wvl_settings *s, double value)
{
    wvl_layer_target t = {WVL_RATE_ALL, 0.0};
    double pixels = (double)wvl_rect_width(plan->syntax.image) * wvl_rect_height(plan->syntax.image);
    if (s->rate_unit == WVL_UNIT_RATIO ? value <= 1.0 : value == 0.0) {
        return t;
    }
    t.kind = s->rate_unit == WVL_UNIT_PSNR    ? WVL_RATE_PSNR
             : s->rate_unit == WVL_UNIT_SLOPE ? WVL_RATE_SLOPE
                                              : WVL_RATE_BYTES;
    t.value = s->rate_unit == WVL_UNIT_RATIO ? floor(raw_bytes(&plan->syntax) / value)
              : s->rate_unit == WVL_UNIT_BPP ? floor(pixels * value / 8.0)
                                             : value;
    return t;
}

static uint64_t lower_limit(uint64_t a, uint64_t b) { return !a || (b && b < a) ? b : a; }

static void fill_profile(wvl_plan *plan, const wvl_settings *s)
{
    wvl_profile_limits limits = wvl_profile_limits_of(s);
    plan->syntax.rsiz = wvl_profile_rsiz(s) | (s->style & WVL_STYLE_HT ? WVL_RSIZ_CAP : 0);
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        plan->syntax.rsiz |= plan->syntax.components[c].is_float ? WVL_RSIZ_NLT : 0;
    }
    plan->syntax.profile = s->profile;
    plan->syntax.frames = s->frames;
    plan->syntax.seconds = s->seconds;
    plan->syntax.stereo = s->stereo;
    plan->syntax.hfr = s->hfr;
    plan->rate.cap_split = limits.split_resolution;
    plan->rate.target_bytes = limits.target_bytes;
    plan->rate.max_bytes = lower_limit(s->max_bytes, limits.frame_bytes);
    plan->rate.max_component_bytes = lower_limit(s->max_component_bytes, limits.component_bytes);
}

/* Small pictures are what estimates know least: as many samples, counted once a layer, are measured unless told
 * otherwise. */
#define MEASURED_SAMPLES (UINT64_C(1) << 16)

static int measures_layers(const wvl_plan *plan, const wvl_settings *s)
{
    int is_small = plan->syntax.total_samples <= MEASURED_SAMPLES / plan->syntax.layer_count;
    return plan->rate.rate_control &&
           (s->measure_psnr == WVL_MEASURE_ALWAYS || (s->measure_psnr == WVL_MEASURE_SMALL && is_small));
}

static void fill_layers(wvl_plan *plan, const wvl_settings *s)
{
    uint32_t given = s->layer_value_count, automatic = plan->syntax.layer_count - given;
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        wvl_layer_target t = {WVL_RATE_AUTO, 0.0};
        if (i >= automatic) {
            t = resolve_target(plan, s, s->layer_values[i - automatic]);
        } else if (i + 1 == plan->syntax.layer_count) {
            t = plan->rate.target_bytes ? (wvl_layer_target){WVL_RATE_BYTES, (double)plan->rate.target_bytes}
                                        : (wvl_layer_target){WVL_RATE_ALL, 0.0};
        }
        plan->rate.layers[i] = t;
        plan->rate.keep_coefs |= t.kind == WVL_RATE_PSNR;
    }
    const wvl_layer_target *last = &plan->rate.layers[plan->syntax.layer_count - 1];
    plan->rate.lossless = plan->rate.reversible_share == 1.0 && last->kind == WVL_RATE_ALL && !plan->rate.max_bytes &&
                          !plan->rate.max_component_bytes;
    plan->rate.rate_control = plan->syntax.layer_count > 1 || !plan->rate.lossless;
    plan->test.all_sets = (plan->syntax.codings[0].style & WVL_STYLE_HT) &&
                          (last->kind != WVL_RATE_ALL || plan->rate.max_bytes || plan->rate.max_component_bytes);
    plan->rate.ht_passes = s->ht_passes;
    /* A target in bytes with HT blocks that quantizers of one kind serve, of a step that nobody gave. */
    int is_byte_target = last->kind == WVL_RATE_BYTES || (last->kind == WVL_RATE_ALL && plan->rate.max_bytes);
    int can = plan->test.all_sets && is_byte_target && plan->syntax.layer_count == 1 && s->step == 0.0 && !s->visual &&
              !plan->rate.max_component_bytes;
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        const wvl_coding *c = &plan->syntax.codings[i];
        can = can && !c->reversible && !c->qfactor && c->base_step == plan->syntax.codings[0].base_step;
    }
    plan->rate.follows_step = can;
    int is_limited = last->kind == WVL_RATE_BYTES || plan->rate.max_bytes || plan->rate.max_component_bytes;
    int is_fit = !plan->rate.keep_coefs && !s->region_count && !(plan->syntax.codings[0].style & WVL_STYLE_HT);
    plan->rate.rdoq = s->rdoq == WVL_RDOQ_YES ? is_limited || last->kind != WVL_RATE_ALL
                                              : s->rdoq == WVL_RDOQ_AUTO && is_limited && is_fit;
    plan->rate.visual = s->visual;
    plan->rate.measure_layers = (uint8_t)measures_layers(plan, s);
    plan->rate.measures_always = plan->rate.measure_layers && s->measure_psnr == WVL_MEASURE_ALWAYS;
    plan->rate.keep_coefs |= plan->rate.measure_layers;
}

void wvl_plan_fill_rates(wvl_plan *plan, const wvl_settings *s)
{
    fill_profile(plan, s);
    fill_layers(plan, s);
}

static void fill_grid(wvl_syntax_plan *syntax, const wvl_settings *s, const wvl_image_format *f)
{
    syntax->image = (wvl_rect){f->x0, f->y0, f->x1, f->y1};
    syntax->tile_x0 = s->tile_x0;
    syntax->tile_y0 = s->tile_y0;
    syntax->tile_width = s->tile_width ? s->tile_width : f->x1 - s->tile_x0;
    syntax->tile_height = s->tile_height ? s->tile_height : f->y1 - s->tile_y0;
    syntax->tile_cols = (uint32_t)wvl_ceil_div((uint64_t)f->x1 - s->tile_x0, syntax->tile_width);
    syntax->tile_rows = (uint32_t)wvl_ceil_div((uint64_t)f->y1 - s->tile_y0, syntax->tile_height);
    syntax->tile_count = syntax->tile_cols * syntax->tile_rows;
}

static void copy_comments(const plan_parts *parts, const wvl_settings *s)
{
    uint8_t *p = parts->comment_bytes;
    for (uint32_t i = 0; i < s->comment_count; i++) {
        parts->comments[i].data = p;
        parts->comments[i].bytes = length_of(s->comments[i]);
        memcpy(p, s->comments[i], (size_t)parts->comments[i].bytes);
        p += parts->comments[i].bytes;
    }
    parts->comments[s->comment_count] = (wvl_blob){p, 0};
}

static void copy_structure(wvl_syntax_plan *syntax, const plan_parts *parts, const wvl_settings *s)
{
    syntax->progression_count = s->progression_count;
    syntax->progressions = parts->progressions;
    for (uint32_t i = 0; i < s->progression_count; i++) {
        wvl_progression v = s->progressions[i];
        /* Ends beyond the picture say no more than its own, and decoders read those: 256 is written as 0, which
         * OpenJPEG 2.5 takes for 0. */
        v.component_end = wvl_min_u32(v.component_end, wvl_max_u32(syntax->component_count, v.component_first + 1));
        v.resolution_end =
            (uint8_t)wvl_min_u32(v.resolution_end, wvl_max_u32(syntax->max_levels, v.resolution_first) + 1);
        syntax->progressions[i] = v;
    }
    syntax->region_count = s->region_count;
    syntax->regions = parts->regions;
    if (s->region_count) {
        memcpy(syntax->regions, s->regions, s->region_count * sizeof *s->regions);
    }
    syntax->registration = s->registration_count ? parts->registration : NULL;
    for (uint32_t i = 0; s->registration_count && i < 2 * syntax->component_count; i++) {
        syntax->registration[i] = s->registration[i % (2 * s->registration_count)];
    }
}

static void fill_options(wvl_plan *plan, const wvl_settings *s)
{
    plan->syntax.plt = s->plt;
    plan->syntax.plm = s->plm;
    plan->syntax.packed_headers = s->packed_headers;
    plan->syntax.tlm = s->tlm;
    plan->syntax.parts = s->parts;
    plan->syntax.layer_count = s->layer_count;
    plan->syntax.comment_count = s->comment_count;
    plan->syntax.jp2 = s->jp2;
    wvl_geom_fetch_test(&plan->test);
    plan->device.choice = s->device;
    plan->device.reach = (uint8_t)(s->reach + 1);
    plan->device.output = s->output_memory;
    plan->device.memory = s->device_memory;
    plan->device.ordinals = s->device_set ? s->device_set : 1;
}

static wvl_plan *build_plan(const wvl_allocator *allocator, const wvl_settings *s, const wvl_image_format *f,
                            const wvl_variant_table *t)
{
    wvl_carver carver = {NULL, 0};
    (void)carve_plan(&carver, s, f, t);
    uint64_t bytes = carver.used;
    carver = (wvl_carver){wvl_alloc_zeroed(allocator, bytes), 0};
    if (!carver.base) {
        return NULL;
    }
    plan_parts parts = carve_plan(&carver, s, f, t);
    wvl_plan *plan = parts.plan;
    plan->own_bytes = bytes;
    plan->syntax.component_count = f->component_count;
    plan->syntax.components = parts.components;
    plan->rate.layers = parts.layers;
    plan->syntax.comments = parts.comments;
    fill_grid(&plan->syntax, s, f);
    for (uint32_t c = 0; c < f->component_count; c++) {
        const wvl_component_format *cf = &f->components[c];
        wvl_plan_component *pc = &plan->syntax.components[c];
        pc->depth = (uint8_t)wvl_plan_coded_depth(s, f, c);
        pc->is_signed = cf->is_signed != WVL_SAMPLE_UNSIGNED;
        pc->is_float = cf->is_signed == WVL_SAMPLE_FLOAT;
        pc->dx = cf->dx ? cf->dx : 1;
        pc->dy = cf->dy ? cf->dy : 1;
        pc->rect.x0 = (uint32_t)wvl_ceil_div(f->x0, pc->dx);
        pc->rect.y0 = (uint32_t)wvl_ceil_div(f->y0, pc->dy);
        pc->rect.x1 = (uint32_t)wvl_ceil_div(f->x1, pc->dx);
        pc->rect.y1 = (uint32_t)wvl_ceil_div(f->y1, pc->dy);
        plan->syntax.total_samples += (uint64_t)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect);
        plan->rate.peak_depth = pc->depth > plan->rate.peak_depth ? pc->depth : plan->rate.peak_depth;
    }
    fill_codings(plan, &parts, t);
    wvl_color_build(s, f, parts.linear, &plan->syntax.xyz);
    fill_options(plan, s);
    fill_profile(plan, s);
    copy_comments(&parts, s);
    copy_structure(&plan->syntax, &parts, s);
    fill_use(plan);
    fill_layers(plan, s);
    plan->memory.wave_limit = plan->rate.keep_coefs ? UINT64_MAX : WAVE_LIMIT_BYTES;
    /* No block's weighted energy, 4096 * 4^(planes + F) * weight, leaves 62 bits. Of samples deeper than about 22 bits
     * the lowest planes then gain less than a unit: a layer gets those passes only together with everything, which
     * costs less than a gain that saturates at the top planes. */
    int32_t most = INT32_MIN;
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        const wvl_coding *coding = &plan->syntax.codings[i];
        for (unsigned b = 0; b < 3u * coding->levels + 1u; b++) {
            const wvl_band_coding *bc = &coding->band[b];
            int32_t bits = 12 + 2 * (bc->planes + bc->frac_bits) + 32 + bc->weight_exponent;
            most = bits > most ? bits : most;
        }
    }
    int32_t exponent = most - 62;
    plan->rate.gain_exponent = exponent < -40 ? -40 : exponent;
    return plan;
}

/* Every tile with settings of its own is looked at component by component. */
static int check_steps(const wvl_variant_table *table, const wvl_image_format *f, wvl_report *report)
{
    uint64_t steps = (uint64_t)table->choice_count * f->component_count;
    if (steps > WVL_PLAN_MOST_STEPS) {
        wvl_report_add(report,
                       "overrides, roi: %u tiles with settings of their own, of %u components: %llu tile-components; "
                       "%llu are supported. Use fewer tiles",
                       table->choice_count, f->component_count, (unsigned long long)steps,
                       (unsigned long long)WVL_PLAN_MOST_STEPS);
        return 0;
    }
    return 1;
}

/* Passes of 64-bit samples have no gains, so that nothing can be chosen among them. */
static int check_deep(const wvl_plan *plan, wvl_report *report)
{
    for (uint32_t i = 0; i < plan->syntax.coding_count && plan->rate.rate_control; i++) {
        const wvl_coding *coding = &plan->syntax.codings[i];
        for (unsigned b = 0; b < 3u * coding->levels + 1u; b++) {
            if (coding->band[b].coef_bytes == 8) {
                wvl_report_add(report,
                               "depth %u: bands of more than 31 magnitude bits are coded without loss alone; use "
                               "reversible=yes for all components, and no target, limit or profile",
                               coding->depth);
                return 0;
            }
        }
    }
    return 1;
}

wvl_plan *wvl_geom_build_plan(const wvl_allocator *allocator, const wvl_settings *s, const wvl_image_format *f,
                              wvl_report *report)
{
    wvl_variant_table table;
    int is_open = wvl_variants_open(&table, allocator, s, f, report) && check_steps(&table, f, report);
    wvl_plan *plan = is_open ? build_plan(allocator, s, f, &table) : NULL;
    wvl_variants_close(&table);
    if (plan && !check_deep(plan, report)) {
        wvl_plan_destroy(allocator, plan);
        plan = NULL;
    }
    return plan;
}

void wvl_plan_destroy(const wvl_allocator *allocator, wvl_plan *plan)
{
    if (plan) {
        wvl_free(allocator, plan, plan->own_bytes);
    }
}
