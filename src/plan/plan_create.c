/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of the public interface: validation and boxes. What they promise is measured in measure.c. */
#include <stdio.h>

#include "base/fpenv.h"
#include "base/structs.h"
#include "base/try.h"
#include "codec/jp2/jp2.h"
#include "device/kept.h"
#include "geom/profile.h"
#include "params/params.h"
#include "plan/plan_device.h"
#include "plan/plan_measure.h"
#include "report/plan_log.h"

/* A request as this version knows it, and the text that it is answered with. */
typedef struct plan_request {
    wvl_plan_request given;
    wvl_image_format format;
    wvl_jp2_info jp2_info;
    const wvl_jp2_info *jp2; /* NULL: none */
    size_t used;             /* of given.error */
} plan_request;

static void add_text(plan_request *r, const char *text)
{
    size_t left = r->given.error ? r->given.error_bytes - r->used : 0;
    int n = left ? snprintf(r->given.error + r->used, left, "%s%s", r->used ? "\n" : "", text) : 0;
    r->used += n > 0 ? wvl_min_u64((uint64_t)n, left - 1) : 0;
}

static void add_violation(void *user, const char *text) { add_text(user, text); }

static wvl_status add_boxes(plan_request *r, wvl_plan *plan)
{
    char text[4096];
    if (!plan->syntax.jp2) {
        return WVL_OK;
    }
    wvl_status status =
        wvl_jp2_build_boxes(&plan->context->host, plan, r->jp2, &plan->syntax.boxes_before, text, sizeof text);
    if (status == WVL_ERROR_PARAMETER) {
        add_text(r, text);
    }
    return status;
}

static wvl_status measure(plan_request *r, wvl_plan *plan)
{
    char problem[320] = "";
    wvl_look look = {.flag = r->given.cancel ? &r->given.cancel->flag : NULL};
    wvl_status status = wvl_plan_measure_tiles(plan, &look, problem, sizeof problem);
    if (status != WVL_OK && problem[0]) {
        add_text(r, problem);
    }
    return status;
}

static wvl_status build_checked(plan_request *r, wvl_plan **plan)
{
    wvl_context *context = r->given.context;
    wvl_report report = {add_violation, r, 0};
    wvl_settings settings = r->given.params->settings;
    wvl_settings_settle(&settings, &r->format);
    if (wvl_plan_check(&settings, &r->format, &report)) {
        /* The limit of the context, before anything is allocated. */
        const wvl_image_format *f = &r->format;
        uint64_t samples = 0, most = r->given.context->max_samples;
        for (uint32_t c = 0; most && c < f->component_count; c++) {
            uint64_t dx = f->components[c].dx ? f->components[c].dx : 1,
                     dy = f->components[c].dy ? f->components[c].dy : 1;
            uint64_t width = wvl_ceil_div(f->x1, dx) - wvl_ceil_div(f->x0, dx),
                     height = wvl_ceil_div(f->y1, dy) - wvl_ceil_div(f->y0, dy);
            samples = wvl_add_saturate(samples, wvl_mul_saturate(width, height));
        }
        if (samples > most) {
            wvl_report_add(
                &report,
                "the picture has %llu samples, and %llu are the limit that was set (max_samples of the context)",
                (unsigned long long)samples, (unsigned long long)most);
        }
    }
    wvl_profile_check_file(&settings, r->jp2, &report);
    if (report.count) {
        return WVL_ERROR_PARAMETER;
    }
    settings.is_ycc = r->jp2 && r->jp2->color == WVL_COLOR_SYCC;
    wvl_plan *p = wvl_geom_build_plan(&context->host, &settings, &r->format, &report);
    if (!p) {
        return report.count ? WVL_ERROR_PARAMETER : WVL_ERROR_MEMORY;
    }
    p->context = context;
    wvl_context_retain(context);
    wvl_status status = wvl_params_clone(r->given.params, &p->params);
    TRY(status, add_boxes(r, p));
    TRY(status, measure(r, p));
    if (status != WVL_OK) {
        wvl_plan_release(p);
        return status;
    }
    wvl_plan_log_warnings(p, &settings);
    *plan = p;
    return WVL_OK;
}

/* 0: an argument is missing, or a structure has a size that is not taken. */
static int take_request(plan_request *r, const wvl_plan_request *given)
{
    memset(r, 0, sizeof *r);
    if (!given ||
        !wvl_struct_read(&r->given, sizeof r->given, given, WVL_STRUCT_UNTIL(wvl_plan_request, error_bytes))) {
        return 0;
    }
    if (r->given.error && r->given.error_bytes) {
        r->given.error[0] = '\0';
    } else {
        r->given.error = NULL;
    }
    if (!r->given.context || !r->given.params || !r->given.format) {
        return 0;
    }
    r->jp2 = r->given.jp2 ? &r->jp2_info : NULL;
    return wvl_struct_read(&r->format, sizeof r->format, r->given.format,
                           WVL_STRUCT_UNTIL(wvl_image_format, components)) &&
           (!r->jp2 || wvl_struct_read(&r->jp2_info, sizeof r->jp2_info, r->given.jp2,
                                       WVL_STRUCT_UNTIL(wvl_jp2_info, color_unknown)));
}

wvl_status wvl_plan_build(const wvl_plan_request *request, wvl_plan **plan)
{
    plan_request r;
    if (plan) {
        *plan = NULL;
    }
    if (!take_request(&r, request) || !plan) {
        add_text(&r,
                 "an argument is NULL, its struct_size is not set, or members are set that this version does not know");
        return WVL_ERROR_ARGUMENT;
    }
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    wvl_status status = build_checked(&r, plan);
    wvl_fpenv_leave(&env);
    if (status == WVL_ERROR_MEMORY) {
        add_text(&r, "not enough memory for the plan");
    }
    return status;
}

wvl_status wvl_plan_create(wvl_context *context, const wvl_params *params, const wvl_image_format *format,
                           const wvl_jp2_info *jp2, wvl_plan **plan)
{
    char text[WVL_ERROR_TEXT_BYTES];
    wvl_plan_request request = {.struct_size = sizeof request,
                                .context = context,
                                .params = params,
                                .format = format,
                                .jp2 = jp2,
                                .error = text,
                                .error_bytes = sizeof text};
    wvl_status status = wvl_plan_build(&request, plan);
    if (context) {
        wvl_context_set_error(context, text);
    }
    return status;
}

void wvl_plan_release(wvl_plan *plan)
{
    if (!plan) {
        return;
    }
    wvl_context *context = plan->context;
    (void)wvl_kept_drop(context, plan);
    wvl_params_release(plan->params);
    wvl_free(&context->host, plan->syntax.boxes_before.data, plan->syntax.boxes_before.bytes);
    wvl_plan_destroy(&context->host, plan);
    wvl_context_release(context);
}

/* Adds what a device takes, and what the host takes for it. */
static wvl_status add_device(const wvl_plan *plan, wvl_plan_memory *memory)
{
    wvl_device_way device;
    wvl_status status = wvl_plan_find_device(plan, &device);
    memory->base_bytes = wvl_add_saturate(memory->base_bytes, device.memory.host_bytes);
    memory->coded_bytes_bound = wvl_add_saturate(memory->coded_bytes_bound, device.memory.spill_bytes);
    memory->pinned_bytes = device.memory.pinned_bytes;
    memory->device_bytes = device.memory.device_bytes;
    return status;
}

/* Counts what an application holds that keeps each sample in the smallest of 8, 16 and 32 bits. */
static uint64_t count_picture(const wvl_plan *plan)
{
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        const wvl_plan_component *pc = &plan->syntax.components[c];
        unsigned depth = wvl_plan_input_depth(plan, c), wide = depth > 16 ? 4 : 2;
        bytes = wvl_add_saturate(bytes, wvl_mul_saturate((uint64_t)wvl_rect_width(pc->rect) * wvl_rect_height(pc->rect),
                                                         depth > 8 ? wide : 1));
    }
    return bytes;
}

wvl_status wvl_plan_measure(const wvl_plan *plan, wvl_plan_memory *memory)
{
    if (!plan || !memory || !wvl_struct_size(memory, WVL_STRUCT_UNTIL(wvl_plan_memory, picture_bytes))) {
        return WVL_ERROR_ARGUMENT;
    }
    wvl_plan_memory m = {.struct_size = sizeof m,
                         .base_bytes = plan->memory.base_bytes,
                         .coded_bytes_bound = plan->memory.coded_bytes_bound,
                         .output_bytes_bound = plan->memory.output_bytes_bound,
                         .certain_bytes = plan->memory.certain_bytes,
                         .picture_bytes = count_picture(plan)};
    wvl_status status = plan->device.choice < WVL_DEVICE_CUDA ? WVL_OK : add_device(plan, &m);
    m.likely_bytes = wvl_add_saturate(plan->memory.likely_bytes, m.base_bytes - plan->memory.base_bytes);
    m.worst_bytes = wvl_add_saturate(m.base_bytes, m.coded_bytes_bound);
    (void)wvl_struct_write(memory, &m, sizeof m, WVL_STRUCT_UNTIL(wvl_plan_memory, picture_bytes));
    return status;
}
