/* SPDX-License-Identifier: BSD-2-Clause */
#include "flight/frame_plan.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/try.h"
#include "codec/write/least.h"
#include "params/table.h"
#include "plan/plan_measure.h"

/* Violations, one a line. */
typedef struct report_text {
    char *text;
    size_t used, bytes;
} report_text;

static void add_line(void *user, const char *text)
{
    report_text *r = user;
    size_t left = r->bytes - r->used;
    int n = left ? snprintf(r->text + r->used, left, "%s%s", r->used ? "\n" : "", text) : 0;
    r->used += n > 0 ? wvl_min_u64((uint64_t)n, left - 1) : 0;
}

/* ---- Rule ------------------------------------------------------------------------------------ */

static uint64_t components_size(const wvl_plan *plan)
{
    return plan->syntax.component_count * sizeof(wvl_component_format);
}

static wvl_status open_rule(wvl_frame_rule *rule)
{
    const wvl_plan *usual = rule->usual;
    if (rule->params) {
        return WVL_OK;
    }
    rule->components = wvl_alloc(&usual->context->host, components_size(usual));
    wvl_status status = rule->components ? wvl_params_clone(usual->params, &rule->params) : WVL_ERROR_MEMORY;
    if (status != WVL_OK) {
        wvl_frame_rule_close(rule);
        return status;
    }
    /* The format that the plan was built for. */
    const wvl_syntax_plan *s = &rule->usual->syntax;
    for (uint32_t c = 0; c < s->component_count; c++) {
        const wvl_plan_component *from = &s->components[c];
        rule->components[c] = (wvl_component_format){(uint8_t)wvl_plan_input_depth(rule->usual, c),
                                                     wvl_plan_sample_kind(from), from->dx, from->dy};
    }
    rule->format = (wvl_image_format){sizeof rule->format, s->image.x0,        s->image.y0,     s->image.x1,
                                      s->image.y1,         s->component_count, rule->components};
    return WVL_OK;
}

void wvl_frame_rule_close(wvl_frame_rule *rule)
{
    if (rule->components) {
        wvl_free(&rule->usual->context->host, rule->components, components_size(rule->usual));
    }
    wvl_params_release(rule->params);
    rule->components = NULL;
    rule->params = NULL;
}

/* ---- Plan ------------------------------------------------------------------------------------ */

static uint64_t plan_size(const wvl_plan *plan)
{
    return sizeof *plan + plan->syntax.layer_count * sizeof *plan->rate.layers;
}

wvl_plan *wvl_frame_plan_create(const wvl_plan *usual)
{
    wvl_plan *plan = wvl_alloc(&usual->context->host, plan_size(usual));
    if (plan) {
        *plan = *usual;
        plan->rate.layers = (wvl_layer_target *)(void *)(plan + 1);
        wvl_frame_plan_reset(plan, usual);
    }
    return plan;
}

void wvl_frame_plan_release(wvl_plan *plan)
{
    if (plan) {
        wvl_free(&plan->context->host, plan, plan_size(plan));
    }
}

void wvl_frame_plan_reset(wvl_plan *plan, const wvl_plan *usual)
{
    wvl_layer_target *layers = plan->rate.layers;
    memcpy(layers, usual->rate.layers, usual->syntax.layer_count * sizeof *layers);
    plan->rate = usual->rate;
    plan->rate.layers = layers;
    plan->memory = usual->memory;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int may_differ(const wvl_field *field)
{
    return field->kind == WVL_FIELD_TARGETS ||
           (field->kind == WVL_FIELD_UINT64 && (field->offset == offsetof(wvl_settings, max_bytes) ||
                                                field->offset == offsetof(wvl_settings, max_component_bytes)));
}

static int colors_differ(const wvl_custom_color *a, const wvl_custom_color *b)
{
    for (size_t i = 0; i < sizeof a->matrix / sizeof *a->matrix; i++) {
        if (a->matrix[i] != b->matrix[i]) {
            return 1;
        }
    }
    return a->entries != b->entries ||
           (a->entries && memcmp(a->curves, b->curves, 3ull * a->entries * sizeof *a->curves) != 0);
}

/* All options that are no values of targets and caps must be those of the plan. */
static wvl_status compare_options(const wvl_frame_rule *rule, const wvl_params *given, report_text *r)
{
    size_t count;
    const wvl_option *options = wvl_options(&count);
    const wvl_field *fields = wvl_params_fields();
    for (size_t i = 0; i < count; i++) {
        const char *frame = may_differ(&fields[i]) ? "" : wvl_params_get(given, options[i].key),
                   *encoder = may_differ(&fields[i]) ? "" : wvl_params_get(rule->params, options[i].key);
        if (!frame || !encoder) {
            return WVL_ERROR_MEMORY;
        }
        if (strcmp(frame, encoder) != 0 ||
            (fields[i].offset == offsetof(wvl_settings, input_color) && fields[i].kind == WVL_FIELD_WORD &&
             colors_differ(&given->settings.custom, &rule->params->settings.custom))) {
            const wvl_option *option = &options[i];
            wvl_report report = {add_line, r, 0};
            wvl_report_add(
                &report,
                "%s: \"%.64s\" for this frame and \"%.64s\" for the encoder: only targets (rates, bpp, layer-bytes, "
                "psnr, slopes), max-bytes and max-component-bytes may change from frame to frame; this needs another "
                "plan",
                option->key, frame, encoder);
            return WVL_ERROR_PARAMETER;
        }
    }
    return WVL_OK;
}

/* Compares what memory, tables and kernels were chosen for. Returns NULL, or what differs. */
static const char *compare_kinds(const wvl_plan *plan, const wvl_plan *usual)
{
    for (uint32_t i = 0; i < usual->syntax.layer_count; i++) {
        if (plan->rate.layers[i].kind != usual->rate.layers[i].kind) {
            return "the targets of a frame must be of the same kind as those of the encoder, for each layer: bytes "
                   "(rates, bpp, layer-bytes), psnr or slopes, or everything; this needs another plan";
        }
    }
    if (!plan->rate.max_bytes != !usual->rate.max_bytes) {
        return "max-bytes: the frame and the encoder must both have this limit, or neither; this needs another plan";
    }
    if (!plan->rate.max_component_bytes != !usual->rate.max_component_bytes) {
        return "max-component-bytes: the frame and the encoder must both have this limit, or neither; this needs "
               "another plan";
    }
    return NULL;
}

static wvl_status set_values(wvl_frame_rule *rule, const wvl_params *given, wvl_plan *plan, report_text *r)
{
    wvl_report report = {add_line, r, 0};
    wvl_settings settings = given->settings;
    char problem[320] = "";
    wvl_status status = open_rule(rule);
    TRY(status, compare_options(rule, given, r));
    if (status != WVL_OK) {
        return status;
    }
    wvl_settings_settle(&settings, &rule->format);
    (void)wvl_plan_check(&settings, &rule->format, &report);
    if (report.count) {
        return WVL_ERROR_PARAMETER;
    }
    /* What follows from kinds is that of the usual plan; so is whether coefficients are kept (src/plan/plan_measure.c).
     */
    wvl_plan_fill_rates(plan, &settings);
    plan->rate.keep_coefs = rule->usual->rate.keep_coefs;
    wvl_plan_bound_output(plan);
    const char *why = compare_kinds(plan, rule->usual);
    if (why) {
        wvl_report_add(&report, "%s", why);
        return WVL_ERROR_PARAMETER;
    }
    status = wvl_coder_check_least(plan, problem, sizeof problem);
    if (status != WVL_OK) {
        wvl_report_add(&report, "%s", problem);
    }
    return status;
}

wvl_status wvl_frame_plan_set(wvl_frame_rule *rule, const wvl_params *given, wvl_plan *plan, char *error,
                              size_t error_bytes)
{
    char unused[1];
    report_text r = {error && error_bytes ? error : unused, 0, error && error_bytes ? error_bytes : sizeof unused};
    r.text[0] = '\0';
    wvl_frame_plan_reset(plan, rule->usual);
    wvl_status status = set_values(rule, given, plan, &r);
    if (status != WVL_OK) {
        wvl_frame_plan_reset(plan, rule->usual);
        if (!r.used) {
            add_line(&r, wvl_status_text(status));
        }
    }
    return status;
}
