/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan explains itself: what the parameters resolved to, for people or as one JSON object. */
#include <stdio.h>

#include "geom/profile.h"
#include "plan/plan_device.h"
#include "report/profile_walk.h"
#include "way/leaving.h"
#include "way/way.h"

typedef struct printer {
    wvl_text_fn write;
    void *user;
} printer;

static void print(const printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(const printer *p, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0) {
        p->write(p->user, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    }
}

static const char *const order_names[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
static const char *const mct_names[] = {"none", "RCT", "ICT"};
static const char *const quant_names[] = {"none", "derived", "expounded"};
static const char *const kind_names[] = {"unsigned", "signed", "floating point"};
static const char *const band_names[] = {"LL", "HL", "LH", "HH"};

static unsigned orient_of(unsigned band) { return band ? (band - 1) % 3 + 1 : 0; }
static unsigned level_of(const wvl_coding *coding, unsigned band)
{
    return band ? coding->levels - (band - 1) / 3 : coding->levels;
}

#define MOST_LAYERS_SHOWN 64u

static void print_layers(const printer *p, const wvl_plan *plan, int json)
{
    for (uint32_t i = 0; i < plan->syntax.layer_count; i++) {
        if (!json && i == MOST_LAYERS_SHOWN) {
            print(p, " ...");
            break;
        }
        if (json && i) {
            print(p, ",");
        }
        const wvl_layer_target *t = &plan->rate.layers[i];
        static const char *const kinds[WVL_RATE_COUNT] = {
            [WVL_RATE_ALL] = "everything", [WVL_RATE_AUTO] = "automatic", [WVL_RATE_BYTES] = "bytes",
            [WVL_RATE_PSNR] = "psnr",      [WVL_RATE_SLOPE] = "slope",
        };
        if (json) {
            print(p, "{\"kind\":\"%s\",\"value\":%.17g}", kinds[t->kind], t->value);
        } else if (t->kind <= WVL_RATE_AUTO) {
            print(p, " %s", kinds[t->kind]);
        } else {
            print(p, " %s %.10g", kinds[t->kind], t->value);
        }
    }
}

static void print_coding_text(const printer *p, const wvl_coding *c, uint32_t index)
{
    print(p, "coding %u: depth %u, %s, %u levels, block %ux%u, style %u, quantization %s, guard bits %u%s\n", index,
          c->depth, c->reversible ? "5/3 reversible" : "9/7 irreversible", c->levels, 1u << c->xcb, 1u << c->ycb,
          c->style, quant_names[c->quant_style], c->guard_bits, c->wide ? ", 64-bit lifting" : "");
    print(p, "  precincts");
    for (unsigned r = 0; r <= c->levels; r++) {
        print(p, " %ux%u", 1u << (c->precinct[r] & 15), 1u << (c->precinct[r] >> 4));
    }
    print(p, " (lowest resolution first)\n");
    if (c->region) {
        print(p, "  region of interest: %s, shift %u\n", c->region == WVL_REGION_WHOLE ? "all of it" : "rectangles",
              c->region_shift);
    }
    for (unsigned b = 0; b < 3u * c->levels + 1u; b++) {
        const wvl_band_coding *bc = &c->band[b];
        print(p, "  %s%u: exponent %u, mantissa %u, step %.9g, %u planes, %u fraction bits, %u-bit coefficients",
              band_names[orient_of(b)], level_of(c, b), bc->exponent, bc->mantissa, bc->step, bc->planes, bc->frac_bits,
              8u * bc->coef_bytes);
        if (c->visual) {
            print(p, ", visual weight %.9g", bc->visual);
        }
        print(p, "\n");
    }
}

static int has_markers(const wvl_syntax_plan *syntax)
{
    return syntax->sop || syntax->eph || syntax->plt || syntax->tlm || syntax->plm || syntax->packed_headers ||
           syntax->registration || syntax->progression_count;
}

static void print_progressions(const printer *p, const wvl_syntax_plan *syntax)
{
    for (uint32_t i = 0; i < syntax->progression_count; i++) {
        const wvl_progression *v = &syntax->progressions[i];
        print(p, "  change %u: %s, resolutions %u to %u, components %u to %u, layers 0 to %u", i + 1,
              order_names[v->order], v->resolution_first, v->resolution_end, v->component_first, v->component_end,
              v->layer_end);
        if (v->tile != WVL_ALL_TILES) {
            print(p, ", tile %u", v->tile + 1);
        }
        print(p, "\n");
    }
}

#define MOST_TILES_SHOWN 64u

static void print_variants_text(const printer *p, const wvl_syntax_plan *syntax)
{
    for (uint32_t i = 0; i < syntax->choice_count && i < MOST_TILES_SHOWN; i++) {
        const wvl_tile_variant *v = &syntax->variants[syntax->choices[i].variant];
        print(p, "  tile %u: %s, colour transform %s%s%s, codings", syntax->choices[i].tile + 1, order_names[v->order],
              mct_names[v->mct], v->sop ? ", SOP" : "", v->eph ? ", EPH" : "");
        for (uint32_t c = 0; c < syntax->component_count && c < 16; c++) {
            print(p, " %u", v->codings[c]);
        }
        print(p, "\n");
    }
    if (syntax->choice_count > MOST_TILES_SHOWN) {
        print(p, "  and %u tiles more\n", syntax->choice_count - MOST_TILES_SHOWN);
    }
}

static void print_variants_json(const printer *p, const wvl_syntax_plan *syntax)
{
    for (uint32_t i = 0; i < syntax->choice_count; i++) {
        const wvl_tile_variant *v = &syntax->variants[syntax->choices[i].variant];
        print(p, "%s{\"tile\":%u,\"progression\":\"%s\",\"mct\":\"%s\",\"sop\":%u,\"eph\":%u,\"codings\":[",
              i ? "," : "", syntax->choices[i].tile, order_names[v->order], mct_names[v->mct], v->sop, v->eph);
        for (uint32_t c = 0; c < syntax->component_count; c++) {
            print(p, "%s%u", c ? "," : "", v->codings[c]);
        }
        print(p, "]}");
    }
}

static unsigned long long as_number(uint64_t bytes) { return (unsigned long long)bytes; }

#define KERNELS_SHOWN 128u

static const char *const reach_names[] = {"none", "coefs", "blocks", "packets"}; /* by wvl_reach */

/* How far a device goes with pictures of a plan that asks for one. */
static wvl_device_way find_device(const wvl_plan *plan)
{
    wvl_device_way device = {.reach = WVL_REACH_NONE};
    if (plan->device.choice < WVL_DEVICE_CUDA || wvl_plan_find_device(plan, &device) != WVL_OK) {
        device.reach = WVL_REACH_NONE;
    }
    return device;
}

/* Names of kernels, in the order of their first launches. */
typedef struct kernel_list {
    const char *names[KERNELS_SHOWN];
    uint32_t launches[KERNELS_SHOWN], count;
} kernel_list;

static void add_kernel(void *user, const char *name)
{
    kernel_list *list = user;
    uint32_t i = 0;
    while (i < list->count && strcmp(list->names[i], name) != 0) {
        i++;
    }
    if (i == list->count && i < KERNELS_SHOWN) {
        list->names[i] = name;
        list->count++;
    }
    if (i < list->count) {
        list->launches[i]++;
    }
}

static void print_kernels(const printer *p, const wvl_plan *plan, const wvl_device_way *device, int json)
{
    kernel_list list = {.count = 0};
    wvl_plan_name_kernels(plan, device, add_kernel, &list);
    if (!json && list.count) {
        print(p, "kernels of %s, in the order of their first launches:\n",
              device->reach == WVL_REACH_PACKETS ? "a picture" : "the first job");
    }
    for (uint32_t i = 0; i < list.count; i++) {
        if (json) {
            print(p, "%s{\"name\":\"%s\",\"launches\":%u}", i ? "," : "", list.names[i], list.launches[i]);
        } else if (list.launches[i] > 1) {
            print(p, "  %s, %u times\n", list.names[i], list.launches[i]);
        } else {
            print(p, "  %s\n", list.names[i]);
        }
    }
}

static void print_device(const printer *p, const wvl_plan *plan, const wvl_plan_memory *m)
{
    const wvl_device_way device = find_device(plan);
    if (plan->device.choice < WVL_DEVICE_CUDA) {
        return;
    }
    static const char *const ways[WVL_WAY_COUNT] = {"the CPU makes everything",
                                                    "a device works for the CPU, wave after wave",
                                                    "a device makes all bytes", "several devices share the tiles"};
    print(p, "one picture alone: %s\n", ways[wvl_choose_way(plan, &(wvl_way_source){.rows = NULL}).kind]);
    if (device.reach == WVL_REACH_NONE) {
        print(p, "device: not used: %s\n", device.why);
        return;
    }
    print(p, "device: makes %s; at most %llu bytes of page-locked memory, %llu of its own\n", reach_names[device.reach],
          as_number(m->pinned_bytes), as_number(m->device_bytes));
    if (device.why) {
        print(p, "  no more: %s\n", device.why);
    }
    print_kernels(p, plan, &device, 0);
}

static void print_memory(const printer *p, const wvl_plan *plan)
{
    wvl_plan_memory m = {.struct_size = sizeof m};
    if (wvl_plan_measure(plan, &m) != WVL_OK) {
        return;
    }
    print(p, "memory of an encode: %llu bytes certain, %llu likely, %llu at worst; the picture itself: %llu bytes\n",
          as_number(m.certain_bytes), as_number(m.likely_bytes), as_number(m.worst_bytes), as_number(m.picture_bytes));
    print_device(p, plan, &m);
    print(p, "output: at most %llu bytes\n", as_number(m.output_bytes_bound));
}

static const char *const early_names[] = {"at the end", "tile by tile", "row by row"};

static void print_early(const printer *p, const wvl_plan *plan)
{
    wvl_early_kind rows = wvl_early_find_kind(plan, 1), whole = wvl_early_find_kind(plan, 0);
    const char *why = wvl_early_find_reason(plan);
    print(p, "bytes leave %s if the picture comes by rows, %s if it comes as a whole", early_names[rows],
          early_names[whole]);
    if (rows && wvl_early_needs_patch(plan, rows)) {
        print(p, ", and at the end to a pipe");
    }
    if (why && rows != WVL_EARLY_ROWS) {
        print(p, " (%s)", why);
    }
    print(p, "\n");
}

static void print_text(const printer *p, const wvl_plan *plan)
{
    print(p, "image %u,%u to %u,%u; tile %ux%u at %u,%u; %u tiles (%u x %u)\n", plan->syntax.image.x0,
          plan->syntax.image.y0, plan->syntax.image.x1, plan->syntax.image.y1, plan->syntax.tile_width,
          plan->syntax.tile_height, plan->syntax.tile_x0, plan->syntax.tile_y0, plan->syntax.tile_count,
          plan->syntax.tile_cols, plan->syntax.tile_rows);
    print(p, "%u components, %llu samples, colour transform %s\n", plan->syntax.component_count,
          (unsigned long long)plan->syntax.total_samples, mct_names[plan->syntax.mct]);
    for (uint32_t c = 0; c < plan->syntax.component_count && c < 16; c++) {
        const wvl_plan_component *pc = &plan->syntax.components[c];
        print(p, "  component %u: %ux%u, %u bits %s, subsampling %u,%u, coding %u\n", c, wvl_rect_width(pc->rect),
              wvl_rect_height(pc->rect), pc->depth, kind_names[wvl_plan_sample_kind(pc)], pc->dx, pc->dy, pc->coding);
    }
    if (plan->syntax.xyz.is_xyz) {
        print(p, "components 0 to 2 are X'Y'Z', %s %u bits given\n",
              plan->syntax.xyz.kind == WVL_XYZ_MATRIX ? "from RGB of" : "as they are of",
              wvl_plan_input_depth(plan, 0));
    }
    print(p, "progression %s, %u layer%s:", order_names[plan->syntax.order], plan->syntax.layer_count,
          plan->syntax.layer_count > 1 ? "s" : "");
    print_layers(p, plan, 0);
    print(p, "%s\nmarkers:%s%s%s%s%s%s%s%s%s; tile-parts by%s%s%s%s; %u comments\n",
          plan->rate.lossless ? " (lossless)" : "", plan->syntax.sop ? " SOP" : "", plan->syntax.eph ? " EPH" : "",
          plan->syntax.plt ? " PLT" : "", plan->syntax.tlm ? " TLM" : "", plan->syntax.plm ? " PLM" : "",
          plan->syntax.packed_headers == WVL_PACKED_PPM   ? " PPM"
          : plan->syntax.packed_headers == WVL_PACKED_PPT ? " PPT"
                                                          : "",
          plan->syntax.registration ? " CRG" : "", plan->syntax.progression_count ? " POC" : "",
          has_markers(&plan->syntax) ? "" : " none", plan->syntax.parts & WVL_PARTS_RESOLUTION ? " resolution" : "",
          plan->syntax.parts & WVL_PARTS_LAYER ? " layer" : "",
          plan->syntax.parts & WVL_PARTS_COMPONENT ? " component" : "", plan->syntax.parts ? "" : " tile",
          plan->syntax.comment_count);
    print_progressions(p, &plan->syntax);
    print_variants_text(p, &plan->syntax);
    if (plan->syntax.rsiz) {
        print(p, "Rsiz %u\n", plan->syntax.rsiz);
    }
    if (plan->syntax.profile) {
        print(p, "profile %s%s\n", wvl_profile_of(plan->syntax.profile)->name,
              wvl_profile_walks(plan) ? ", the finished bytes are judged" : "");
    }
    if (plan->rate.target_bytes) {
        print(p, "target of the profile: %llu bytes at %u/%u frames a second%s%s\n",
              (unsigned long long)plan->rate.target_bytes, plan->syntax.frames, plan->syntax.seconds,
              plan->syntax.stereo ? ", one eye of two" : "", plan->syntax.hfr ? ", high frame rate" : "");
    }
    if (plan->rate.max_bytes) {
        print(p, "cap: %llu bytes\n", (unsigned long long)plan->rate.max_bytes);
    }
    if (plan->rate.max_component_bytes) {
        print(p, "cap of each %s: %llu bytes\n", plan->rate.cap_split ? "tile-part" : "component",
              (unsigned long long)plan->rate.max_component_bytes);
    }
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        print_coding_text(p, &plan->syntax.codings[i], i);
    }
    print(p, "container: %s\n",
          plan->syntax.jp2 == WVL_CONTAINER_JPH ? "JPH"
          : plan->syntax.jp2                    ? "JP2"
                                                : "codestream");
    print_early(p, plan);
    print_memory(p, plan);
}

static void print_coding_json(const printer *p, const wvl_coding *c)
{
    print(p,
          "{\"depth\":%u,\"reversible\":%s,\"levels\":%u,\"block\":[%u,%u],\"style\":%u,\"quantization\":\"%s\","
          "\"guard_bits\":%u,\"region_shift\":%u,\"precincts\":[",
          c->depth, c->reversible ? "true" : "false", c->levels, 1u << c->xcb, 1u << c->ycb, c->style,
          quant_names[c->quant_style], c->guard_bits, c->region_shift);
    for (unsigned r = 0; r <= c->levels; r++) {
        print(p, "%s[%u,%u]", r ? "," : "", 1u << (c->precinct[r] & 15), 1u << (c->precinct[r] >> 4));
    }
    print(p, "],\"bands\":[");
    for (unsigned b = 0; b < 3u * c->levels + 1u; b++) {
        const wvl_band_coding *bc = &c->band[b];
        print(p,
              "%s{\"band\":\"%s%u\",\"exponent\":%u,\"mantissa\":%u,\"step\":%.17g,\"planes\":%u,\"fraction_bits\":%u,"
              "\"coefficient_bits\":%u,\"visual_weight\":%.17g}",
              b ? "," : "", band_names[orient_of(b)], level_of(c, b), bc->exponent, bc->mantissa, bc->step, bc->planes,
              bc->frac_bits, 8u * bc->coef_bytes, bc->visual);
    }
    print(p, "]}");
}

static void print_json(const printer *p, const wvl_plan *plan)
{
    wvl_early_kind rows = wvl_early_find_kind(plan, 1);
    print(p,
          "{\"image\":[%u,%u,%u,%u],\"tile\":[%u,%u],\"tile_offset\":[%u,%u],\"tiles\":%u,\"samples\":%llu,\"mct\":\"%"
          "s\",\"components\":[",
          plan->syntax.image.x0, plan->syntax.image.y0, plan->syntax.image.x1, plan->syntax.image.y1,
          plan->syntax.tile_width, plan->syntax.tile_height, plan->syntax.tile_x0, plan->syntax.tile_y0,
          plan->syntax.tile_count, (unsigned long long)plan->syntax.total_samples, mct_names[plan->syntax.mct]);
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        const wvl_plan_component *pc = &plan->syntax.components[c];
        print(
            p,
            "%s{\"width\":%u,\"height\":%u,\"depth\":%u,\"signed\":%s,\"float\":%s,\"dx\":%u,\"dy\":%u,\"coding\":%u}",
            c ? "," : "", wvl_rect_width(pc->rect), wvl_rect_height(pc->rect), pc->depth,
            pc->is_signed ? "true" : "false", pc->is_float ? "true" : "false", pc->dx, pc->dy, pc->coding);
    }
    print(p, "],\"xyz\":%s,\"input_depth\":%u,\"progression\":\"%s\",\"lossless\":%s,\"layers\":[",
          plan->syntax.xyz.is_xyz ? "true" : "false", wvl_plan_input_depth(plan, 0), order_names[plan->syntax.order],
          plan->rate.lossless ? "true" : "false");
    print_layers(p, plan, 1);
    print(p,
          "],\"sop\":%u,\"eph\":%u,\"plt\":%u,\"tlm\":%u,\"plm\":%u,\"packed_headers\":%u,\"progression_changes\":%u,"
          "\"rsiz\":%u,\"profile\":\"%s\",\"target_bytes\":%llu,\"tile_parts\":%u,\"max_bytes\":%llu,\"max_component_"
          "bytes\":%llu,\"codings\":[",
          plan->syntax.sop, plan->syntax.eph, plan->syntax.plt, plan->syntax.tlm, plan->syntax.plm,
          plan->syntax.packed_headers, plan->syntax.progression_count, plan->syntax.rsiz,
          wvl_profile_of(plan->syntax.profile)->name, (unsigned long long)plan->rate.target_bytes, plan->syntax.parts,
          (unsigned long long)plan->rate.max_bytes, (unsigned long long)plan->rate.max_component_bytes);
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        if (i) {
            print(p, ",");
        }
        print_coding_json(p, &plan->syntax.codings[i]);
    }
    print(p, "],\"own_tiles\":[");
    print_variants_json(p, &plan->syntax);
    print(p, "],\"jp2\":%s,\"rows_leave\":\"%s\",\"rows_need_patch\":%s,", plan->syntax.jp2 ? "true" : "false",
          early_names[rows], wvl_early_needs_patch(plan, rows) ? "true" : "false");
    const wvl_device_way device = find_device(plan);
    wvl_plan_memory m = {.struct_size = sizeof m};
    (void)wvl_plan_measure(plan, &m);
    print(p, "\"kernels\":[");
    print_kernels(p, plan, &device, 1);
    print(p, "],\"way\":\"%s\",\"device_reach\":\"%s\",\"pinned_bytes\":%llu,\"device_bytes\":%llu,",
          wvl_way_name(wvl_choose_way(plan, &(wvl_way_source){.rows = NULL}).kind), reach_names[device.reach],
          as_number(m.pinned_bytes), as_number(m.device_bytes));
    print(p, "\"base_bytes\":%llu,\"coded_bytes_bound\":%llu,\"output_bytes_bound\":%llu,", as_number(m.base_bytes),
          as_number(m.coded_bytes_bound), as_number(m.output_bytes_bound));
    print(p, "\"certain_bytes\":%llu,\"likely_bytes\":%llu,\"worst_bytes\":%llu,\"picture_bytes\":%llu}\n",
          as_number(m.certain_bytes), as_number(m.likely_bytes), as_number(m.worst_bytes), as_number(m.picture_bytes));
}

wvl_status wvl_plan_explain(const wvl_plan *plan, int json, wvl_text_fn write, void *user)
{
    if (!plan || !write) {
        return WVL_ERROR_ARGUMENT;
    }
    printer p = {write, user};
    if (json) {
        print_json(&p, plan);
    } else {
        print_text(&p, plan);
    }
    return WVL_OK;
}
