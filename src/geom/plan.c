/* SPDX-License-Identifier: BSD-2-Clause */
#include "geom/plan.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "geom/color.h"
#include "geom/profile.h"
#include "geom/settings.h"

#define MAX_CODINGS 160u          /* distinct (depth, colour part) pairs are fewer */
#define WAVE_LIMIT_BYTES (24u << 20) /* enough blocks to keep many workers busy, few enough to stay near the caches */

typedef struct plan_parts {
    wvl_plan *plan;
    wvl_plan_component *components;
    wvl_coding *codings;
    wvl_layer_target *layers;
    wvl_progression *progressions;
    uint16_t *registration;
    wvl_blob *comments;
    uint8_t *comment_bytes;
    double *linear;
} plan_parts;

static uint64_t length_of(const char *text) { return strlen(text); }

static plan_parts carve_plan(wvl_carver *carver, const wvl_settings *s, const wvl_image_format *f, uint32_t codings)
{
    plan_parts parts;
    uint64_t text = 0;
    for (uint32_t i = 0; i < s->comment_count; i++) {
        text += length_of(s->comments[i]);
    }
    parts.plan = wvl_carve(carver, 1, sizeof *parts.plan);
    parts.components = wvl_carve(carver, f->component_count, sizeof *parts.components);
    parts.codings = wvl_carve(carver, codings, sizeof *parts.codings);
    parts.layers = wvl_carve(carver, s->layer_count, sizeof *parts.layers);
    parts.progressions = wvl_carve(carver, s->progression_count, sizeof *parts.progressions);
    parts.registration = wvl_carve(carver, s->registration_count ? 2ull * f->component_count : 0, sizeof *parts.registration);
    parts.comments = wvl_carve(carver, s->comment_count + UINT64_C(1), sizeof *parts.comments);
    parts.comment_bytes = wvl_carve(carver, text + WVL_SPACER_BYTES, 1);
    parts.linear = wvl_carve(carver, wvl_color_count_entries(s, f), sizeof *parts.linear);
    return parts;
}

static unsigned mct_part(unsigned mct, uint32_t component) { return mct && component < 3 ? component + 1 : 0; }

/* Index of the coding of a component, appending it when no earlier component shares it. keys hold depth << 2 | part. */
static uint32_t find_coding(uint16_t *keys, uint32_t *count, unsigned key)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (keys[i] == key) {
            return i;
        }
    }
    keys[*count] = (uint16_t)key;
    return (*count)++;
}

static int fill_codings(wvl_plan *plan, const wvl_settings *s, const uint16_t *keys, wvl_report *report)
{
    unsigned reach = wvl_bit_length(wvl_max_u32(wvl_rect_width(plan->image), wvl_rect_height(plan->image)));
    for (uint32_t i = 0; i < plan->coding_count; i++) {
        wvl_coding *coding = &plan->codings[i];
        coding->depth = (uint8_t)(keys[i] >> 2);
        coding->mct_part = keys[i] & 3;
        coding->levels = s->levels;
        coding->reversible = s->reversible;
        coding->xcb = (uint8_t)(wvl_bit_length(s->block_width) - 1);
        coding->ycb = (uint8_t)(wvl_bit_length(s->block_height) - 1);
        coding->style = s->style;
        coding->quant_style = s->reversible ? WVL_QUANT_NONE : s->quant_style;
        coding->guard_bits = s->guard_bits;
        coding->user_precincts = s->precinct_count > 0 || wvl_plan_precinct(s, 0) != 0xFF;
        for (unsigned r = 0; r <= s->levels; r++) {
            coding->precinct[r] = (uint8_t)wvl_plan_precinct(s, r);
        }
        /* 5/3 in 32 bits holds sums of two neighbours, 2 * 8.22 * A < 2^31, up to P = 27 (26 with RCT). */
        coding->wide = s->reversible && coding->depth + (plan->mct == WVL_MCT_RCT) > 27;
        if (!wvl_quant_build_bands(coding, s, plan->mct, plan->peak_depth, reach, report)) {
            return 0;
        }
    }
    return 1;
}

/* No block's weighted energy, 4096 * 4^(planes + F) * weight, leaves 62 bits. Of samples deeper than about 22 bits the lowest planes then gain less
 * than a unit: a layer gets those passes only together with everything, which costs less than a gain that saturates at the top planes. */
static int32_t choose_gain_exponent(const wvl_plan *plan)
{
    int32_t most = INT32_MIN;
    for (uint32_t i = 0; i < plan->coding_count; i++) {
        const wvl_coding *coding = &plan->codings[i];
        for (unsigned b = 0; b < 3u * coding->levels + 1u; b++) {
            const wvl_band_coding *bc = &coding->band[b];
            int32_t bits = 12 + 2 * (bc->planes + bc->frac_bits) + 32 + bc->weight_exponent;
            most = bits > most ? bits : most;
        }
    }
    int32_t exponent = most - 62;
    return exponent < -40 ? -40 : exponent;
}

static double raw_bytes(const wvl_plan *plan)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        const wvl_plan_component *pc = &plan->components[c];
        bits += (double)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect) * pc->depth;
    }
    return bits / 8.0;
}

static wvl_layer_target resolve_target(const wvl_plan *plan, const wvl_settings *s, double value)
{
    wvl_layer_target t = {WVL_RATE_ALL, 0.0};
    double pixels = (double)wvl_rect_width(plan->image) * wvl_rect_height(plan->image);
    if (s->rate_unit == WVL_UNIT_RATIO ? value <= 1.0 : value == 0.0) {
        return t;
    }
    t.kind = s->rate_unit == WVL_UNIT_PSNR ? WVL_RATE_PSNR : s->rate_unit == WVL_UNIT_SLOPE ? WVL_RATE_SLOPE : WVL_RATE_BYTES;
    t.value = s->rate_unit == WVL_UNIT_RATIO ? floor(raw_bytes(plan) / value) : s->rate_unit == WVL_UNIT_BPP ? floor(pixels * value / 8.0) : value;
    return t;
}

static uint64_t lower_limit(uint64_t a, uint64_t b) { return !a || (b && b < a) ? b : a; }

static void fill_profile(wvl_plan *plan, const wvl_settings *s)
{
    wvl_profile_limits limits = wvl_profile_limits_of(s);
    plan->rsiz = wvl_profile_rsiz(s);
    plan->profile = s->profile;
    plan->frames = s->frames;
    plan->seconds = s->seconds;
    plan->stereo = s->stereo;
    plan->hfr = s->hfr;
    plan->cap_split = limits.split_resolution;
    plan->target_bytes = limits.target_bytes;
    plan->max_bytes = lower_limit(s->max_bytes, limits.frame_bytes);
    plan->max_component_bytes = lower_limit(s->max_component_bytes, limits.component_bytes);
}

static void fill_layers(wvl_plan *plan, const wvl_settings *s)
{
    uint32_t given = s->layer_value_count, automatic = plan->layer_count - given;
    for (uint32_t i = 0; i < plan->layer_count; i++) {
        wvl_layer_target t = {WVL_RATE_AUTO, 0.0};
        if (i >= automatic) {
            t = resolve_target(plan, s, s->layer_values[i - automatic]);
        } else if (i + 1 == plan->layer_count) {
            t = plan->target_bytes ? (wvl_layer_target){WVL_RATE_BYTES, (double)plan->target_bytes} : (wvl_layer_target){WVL_RATE_ALL, 0.0};
        }
        plan->layers[i] = t;
        plan->keep_coefs |= t.kind == WVL_RATE_PSNR;
    }
    const wvl_layer_target *last = &plan->layers[plan->layer_count - 1];
    plan->lossless = plan->codings[0].reversible && last->kind == WVL_RATE_ALL && !plan->max_bytes && !plan->max_component_bytes;
    plan->rate_control = plan->layer_count > 1 || !plan->lossless;
}

static void fill_grid(wvl_plan *plan, const wvl_settings *s, const wvl_image_format *f)
{
    plan->image = (wvl_rect){f->x0, f->y0, f->x1, f->y1};
    plan->tile_x0 = s->tile_x0;
    plan->tile_y0 = s->tile_y0;
    plan->tile_width = s->tile_width ? s->tile_width : f->x1 - s->tile_x0;
    plan->tile_height = s->tile_height ? s->tile_height : f->y1 - s->tile_y0;
    plan->tile_cols = (uint32_t)wvl_ceil_div((uint64_t)f->x1 - s->tile_x0, plan->tile_width);
    plan->tile_rows = (uint32_t)wvl_ceil_div((uint64_t)f->y1 - s->tile_y0, plan->tile_height);
    plan->tile_count = plan->tile_cols * plan->tile_rows;
}

static void fill_components(wvl_plan *plan, const wvl_settings *s, const wvl_image_format *f, uint16_t *keys)
{
    for (uint32_t c = 0; c < f->component_count; c++) {
        const wvl_component_format *cf = &f->components[c];
        wvl_plan_component *pc = &plan->components[c];
        pc->depth = (uint8_t)wvl_plan_coded_depth(s, f, c);
        pc->is_signed = cf->is_signed != 0;
        pc->dx = cf->dx ? cf->dx : 1;
        pc->dy = cf->dy ? cf->dy : 1;
        pc->coding = (uint16_t)find_coding(keys, &plan->coding_count, (unsigned)pc->depth << 2 | mct_part(plan->mct, c));
        pc->rect.x0 = (uint32_t)wvl_ceil_div(f->x0, pc->dx);
        pc->rect.y0 = (uint32_t)wvl_ceil_div(f->y0, pc->dy);
        pc->rect.x1 = (uint32_t)wvl_ceil_div(f->x1, pc->dx);
        pc->rect.y1 = (uint32_t)wvl_ceil_div(f->y1, pc->dy);
        plan->total_samples += (uint64_t)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect);
        plan->peak_depth = pc->depth > plan->peak_depth ? pc->depth : plan->peak_depth;
    }
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

static void copy_structure(wvl_plan *plan, const plan_parts *parts, const wvl_settings *s)
{
    plan->progression_count = s->progression_count;
    plan->progressions = parts->progressions;
    for (uint32_t i = 0; i < s->progression_count; i++) {
        wvl_progression v = s->progressions[i];
        /* Ends beyond the picture say no more than its own, and decoders read those: 256 is written as 0, which OpenJPEG 2.5 takes for 0. */
        v.component_end = wvl_min_u32(v.component_end, wvl_max_u32(plan->component_count, v.component_first + 1));
        v.resolution_end = (uint8_t)wvl_min_u32(v.resolution_end, wvl_max_u32(s->levels, v.resolution_first) + 1);
        plan->progressions[i] = v;
    }
    plan->registration = s->registration_count ? parts->registration : NULL;
    for (uint32_t i = 0; s->registration_count && i < 2 * plan->component_count; i++) {
        plan->registration[i] = s->registration[i % (2 * s->registration_count)];
    }
}

static void fill_options(wvl_plan *plan, const wvl_settings *s)
{
    plan->order = s->order;
    plan->max_levels = s->levels;
    plan->sop = s->sop;
    plan->eph = s->eph;
    plan->plt = s->plt;
    plan->plm = s->plm;
    plan->packed_headers = s->packed_headers;
    plan->tlm = s->tlm;
    plan->parts = s->parts;
    plan->layer_count = s->layer_count;
    plan->comment_count = s->comment_count;
    plan->jp2 = s->jp2;
    plan->device = s->device;
    plan->device_ordinal = s->device_ordinal;
}

static uint32_t count_codings(const wvl_settings *s, const wvl_image_format *f)
{
    uint16_t keys[MAX_CODINGS];
    uint32_t count = 0;
    unsigned mct = wvl_plan_choose_mct(s, f);
    for (uint32_t c = 0; c < f->component_count; c++) {
        (void)find_coding(keys, &count, wvl_plan_coded_depth(s, f, c) << 2 | mct_part(mct, c));
    }
    return count;
}

wvl_plan *wvl_plan_build(const wvl_allocator *allocator, const wvl_settings *s, const wvl_image_format *f, wvl_report *report)
{
    uint16_t keys[MAX_CODINGS];
    uint32_t codings = count_codings(s, f);
    wvl_carver carver = {NULL, 0};
    (void)carve_plan(&carver, s, f, codings);
    uint64_t bytes = carver.used;
    carver = (wvl_carver){wvl_alloc_zeroed(allocator, bytes), 0};
    if (!carver.base) {
        return NULL;
    }
    plan_parts parts = carve_plan(&carver, s, f, codings);
    wvl_plan *plan = parts.plan;
    plan->own_bytes = bytes;
    plan->component_count = f->component_count;
    plan->components = parts.components;
    plan->codings = parts.codings;
    plan->layers = parts.layers;
    plan->comments = parts.comments;
    plan->mct = (uint8_t)wvl_plan_choose_mct(s, f);
    fill_grid(plan, s, f);
    fill_components(plan, s, f, keys);
    wvl_color_build(s, f, parts.linear, &plan->xyz);
    fill_options(plan, s);
    fill_profile(plan, s);
    copy_comments(&parts, s);
    copy_structure(plan, &parts, s);
    if (!fill_codings(plan, s, keys, report)) {
        wvl_plan_destroy(allocator, plan);
        return NULL;
    }
    fill_layers(plan, s);
    plan->wave_limit = plan->keep_coefs ? UINT64_MAX : WAVE_LIMIT_BYTES;
    plan->gain_exponent = choose_gain_exponent(plan);
    return plan;
}

void wvl_plan_destroy(const wvl_allocator *allocator, wvl_plan *plan)
{
    if (plan) {
        wvl_free(allocator, plan, plan->own_bytes);
    }
}
