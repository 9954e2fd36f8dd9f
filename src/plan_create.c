/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of the public interface: validation, boxes, and the memory they promise. */
#include <stdio.h>
#include <string.h>

#include "backend/registry.h"
#include "base/alloc.h"
#include "base/fpenv.h"
#include "codec/blocks/work.h"
#include "codec/jp2/jp2.h"
#include "codec/tile_coder.h"
#include "codec/tile_least.h"
#include "context.h"
#include "drive.h"
#include "geom/profile.h"
#include "params.h"
#include "plan_log.h"
#include "profile_walk.h"
#include "quality.h"
#include "result.h"
#include "wave.h"

static void add_violation(void *user, const char *text) { wvl_context_add_error(user, "%s", text); }

static uint64_t largest_component(const wvl_tile_plan *tile)
{
    uint64_t most = 0;
    for (uint32_t c = 0; c < tile->component_count; c++) {
        most = wvl_max_u64(most, (uint64_t)wvl_rect_width(tile->components[c].rect) * wvl_rect_height(tile->components[c].rect));
    }
    return most;
}

/* Walks over the waves: the most that any of them holds, and the least that all of them write. */
static void measure_waves(wvl_plan *plan, wvl_wave *wave, wvl_coder_least *least)
{
    const wvl_backend_vtable *host = wvl_backend_fetch_host();
    uint64_t kept_bytes = 0, work_bytes = 0;
    uint32_t widest = 1;
    plan->wave_count = 0;
    for (uint32_t first = 0, count; first < plan->tile_count; first += count, plan->wave_count++) {
        wvl_backend_memory need;
        uint64_t bands = 0, runs = 0;
        count = wvl_wave_build(plan, first, wave->tiles);
        host->measure(plan, wave->tiles, count, wvl_pool_concurrency(plan->context->pool), &need);
        kept_bytes = wvl_max_u64(kept_bytes, need.host_bytes - need.work_bytes);
        work_bytes = wvl_max_u64(work_bytes, need.work_bytes);
        widest = wvl_max_u32(widest, count);
        for (uint32_t i = 0; i < count; i++) {
            bands += wave->tiles[i].band_count;
            runs += wvl_work_count_runs(&wave->tiles[i]);
            plan->most_precincts = wvl_max_u64(plan->most_precincts, wave->tiles[i].precinct_count);
            plan->most_blocks = wvl_max_u64(plan->most_blocks, wave->tiles[i].block_count);
            plan->largest_tile_component = wvl_max_u64(plan->largest_tile_component, largest_component(&wave->tiles[i]));
            wvl_coder_add_least(plan, &wave->tiles[i], least);
        }
        plan->wave_bands = wvl_max_u64(plan->wave_bands, bands);
        plan->wave_runs = wvl_max_u64(plan->wave_runs, runs);
    }
    plan->wave_tiles = widest;
    plan->backend = (wvl_backend_memory){.host_bytes = wvl_add_saturate(kept_bytes, work_bytes), .work_bytes = work_bytes};
}

/* Carves a wave out of new memory; *bytes is its size. NULL: no memory. */
static void *open_wave(const wvl_plan *plan, wvl_wave *wave, uint64_t *bytes)
{
    wvl_carver carver = {NULL, 0};
    wvl_wave_carve(plan, &carver, wave);
    *bytes = carver.used;
    carver = (wvl_carver){wvl_alloc_zeroed(&plan->context->host, *bytes), 0};
    if (carver.base) {
        void *memory = carver.base;
        wvl_wave_carve(plan, &carver, wave);
        return memory;
    }
    return NULL;
}

/*
 * The most that a stage holds beside what is held all the time. Of the last wave block coding holds the coefficients alone; before that both halves hold
 * what they work in. Finishing holds its own, and coefficients with it when they are kept. Where pixels may come once more, tiles are there already.
 */
static uint64_t measure_stages(const wvl_plan *plan, const wvl_coder_memory *coder)
{
    uint64_t coefs = plan->backend.host_bytes - plan->backend.work_bytes, tiles = coder->tile_bytes;
    int is_once = plan->wave_count == 1 && !wvl_recode_is_possible(plan);
    uint64_t transform = wvl_add_saturate(plan->backend.host_bytes, is_once ? 0 : tiles);
    transform = wvl_add_saturate(transform, plan->wave_count > 1 ? coder->worker_bytes : 0);
    uint64_t code = wvl_add_saturate(wvl_add_saturate(coefs, tiles), coder->worker_bytes);
    uint64_t kept = plan->keep_coefs ? wvl_add_saturate(coefs, wvl_alloc_size(plan->quality_bytes)) : 0;
    uint64_t finish = wvl_max_u64(wvl_add_saturate(coder->finish_bytes, kept), wvl_result_bytes_of_plan(plan));
    return wvl_max_u64(wvl_max_u64(transform, code), wvl_add_saturate(finish, tiles));
}

static void promise_memory(wvl_plan *plan, const wvl_coder_memory *coder, uint64_t wave_bytes)
{
    plan->quality_bytes = plan->keep_coefs ? wvl_quality_bytes(plan, plan->largest_tile_component) : 0;
    if (plan->quality_bytes == UINT64_MAX) { /* estimates must do */
        plan->keep_coefs = 0;
        plan->quality_bytes = 0;
    }
    uint64_t held = wvl_add_saturate(wvl_alloc_size(wave_bytes), wvl_add_saturate(coder->base_bytes, wvl_session_bytes()));
    plan->base_bytes = wvl_add_saturate(held, measure_stages(plan, coder));
    plan->coded_bytes_bound = coder->coded_bytes_bound;
    plan->output_bytes_bound = wvl_add_saturate(coder->output_bytes_bound, plan->jp2 ? plan->boxes_before.bytes + WVL_JP2_MAX_HEADER_BYTES : 0);
    if (wvl_profile_walks(plan)) {
        uint64_t walk = wvl_profile_walk_bytes(plan);
        uint64_t judged = wvl_add_saturate(wvl_alloc_size(plan->output_bytes_bound), wvl_add_saturate(walk, walk / 2));
        plan->coded_bytes_bound = wvl_add_saturate(plan->coded_bytes_bound, judged);
    }
}

static wvl_status count_parts(wvl_plan *plan, wvl_wave *wave, wvl_coder_least *least)
{
    char problem[256];
    wvl_status status = wvl_coder_count_parts(plan, &wave->scratch, &wave->order, least->group_bytes, &plan->part_count, problem, sizeof problem);
    if (status != WVL_OK) {
        wvl_context_add_error(plan->context, "%s", problem);
    }
    return status;
}

static wvl_status check_least(wvl_plan *plan, const wvl_coder_least *least)
{
    char problem[256];
    wvl_status status = wvl_coder_check_least(plan, least, plan->part_count, problem, sizeof problem);
    if (status != WVL_OK) {
        wvl_context_add_error(plan->context, "%s", problem);
    }
    return status;
}

static wvl_status measure_with(wvl_plan *plan, wvl_coder_least *least)
{
    const wvl_allocator *host = &plan->context->host;
    wvl_carver carver = {NULL, 0};
    wvl_tile_plan tile;
    wvl_wave wave;
    uint64_t bytes;
    wvl_tile_plan_carve(plan, &carver, &tile);
    plan->tile_plan_bytes = carver.used;
    plan->wave_tiles = (uint32_t)wvl_min_u64(wvl_max_u64(1, plan->wave_limit / plan->tile_plan_bytes), plan->tile_count);
    void *memory = open_wave(plan, &wave, &bytes);
    if (!memory) {
        return WVL_ERROR_MEMORY;
    }
    measure_waves(plan, &wave, least);
    wvl_free(host, memory, bytes);
    memory = open_wave(plan, &wave, &bytes); /* now as wide as any wave is, with room for the order of packets */
    if (!memory) {
        return WVL_ERROR_MEMORY;
    }
    wvl_status status = count_parts(plan, &wave, least);
    wvl_coder_memory coder;
    if (status == WVL_OK) {
        wvl_profile_space_lengths(plan);
        status = check_least(plan, least);
    }
    if (status == WVL_OK) {
        wvl_coder_measure(plan, &wave.scratch, wvl_pool_concurrency(plan->context->pool), &coder);
        promise_memory(plan, &coder, bytes);
    }
    wvl_free(host, memory, bytes);
    return status;
}

static wvl_status measure_plan(wvl_plan *plan)
{
    const wvl_allocator *host = &plan->context->host;
    uint64_t group_bytes = plan->max_component_bytes ? wvl_plan_cap_groups(plan) * sizeof(uint64_t) : 0;
    wvl_coder_least least = {.group_bytes = group_bytes ? wvl_alloc_zeroed(host, group_bytes) : NULL};
    wvl_status status = group_bytes && !least.group_bytes ? WVL_ERROR_MEMORY : measure_with(plan, &least);
    wvl_free(host, least.group_bytes, group_bytes);
    return status;
}

static wvl_status add_boxes(wvl_plan *plan, const wvl_jp2_info *jp2)
{
    char text[4096];
    if (!plan->jp2) {
        return WVL_OK;
    }
    wvl_status status = wvl_jp2_build_boxes(&plan->context->host, plan, jp2, &plan->boxes_before, text, sizeof text);
    if (status == WVL_ERROR_PARAMETER) {
        wvl_context_add_error(plan->context, "%s", text);
    }
    return status;
}

static wvl_status create_checked(wvl_context *context, const wvl_params *params, const wvl_image_format *format, const wvl_jp2_info *jp2, wvl_plan **plan)
{
    wvl_report report = {add_violation, context, 0};
    wvl_settings settings = params->settings;
    wvl_settings_settle(&settings, format);
    (void)wvl_plan_check(&settings, format, &report);
    wvl_profile_check_file(&settings, jp2, &report);
    if (report.count) {
        return WVL_ERROR_PARAMETER;
    }
    settings.is_ycc = jp2 && jp2->color == WVL_COLOR_SYCC;
    wvl_plan *p = wvl_plan_build(&context->host, &settings, format, &report);
    if (!p) {
        return report.count ? WVL_ERROR_PARAMETER : WVL_ERROR_MEMORY;
    }
    p->context = context;
    wvl_context_retain(context);
    wvl_status status = add_boxes(p, jp2);
    if (status == WVL_OK) {
        status = measure_plan(p);
    }
    if (status != WVL_OK) {
        wvl_plan_release(p);
        return status;
    }
    wvl_plan_log_warnings(p, &settings);
    *plan = p;
    return WVL_OK;
}

wvl_status wvl_plan_create(wvl_context *context, const wvl_params *params, const wvl_image_format *format, const wvl_jp2_info *jp2, wvl_plan **plan)
{
    if (!context || !params || !format || !plan || format->struct_size < sizeof *format || (jp2 && jp2->struct_size < sizeof *jp2)) {
        return WVL_ERROR_ARGUMENT;
    }
    *plan = NULL;
    wvl_context_clear_error(context);
    wvl_fpenv env;
    wvl_fpenv_enter(&env);
    wvl_status status = create_checked(context, params, format, jp2, plan);
    wvl_fpenv_leave(&env);
    if (status == WVL_ERROR_MEMORY) {
        wvl_context_add_error(context, "not enough memory for the plan");
    }
    return status;
}

void wvl_plan_release(wvl_plan *plan)
{
    if (!plan) {
        return;
    }
    wvl_context *context = plan->context;
    wvl_free(&context->host, plan->boxes_before.data, plan->boxes_before.bytes);
    wvl_plan_destroy(&context->host, plan);
    wvl_context_release(context);
}

/* What the waves in flight on a device take. */
static wvl_status add_device(const wvl_plan *plan, wvl_plan_memory *memory)
{
    const char *reason;
    const wvl_backend_vtable *table = wvl_drive_device_table(plan, NULL, &reason);
    wvl_wave wave;
    uint64_t bytes, jobs;
    void *scratch = table ? open_wave(plan, &wave, &bytes) : NULL;
    if (!table || !scratch) {
        return table ? WVL_ERROR_MEMORY : WVL_OK;
    }
    wvl_backend_memory slot;
    jobs = wvl_drive_jobs(table, wvl_drive_measure(plan, table, &wave, &slot));
    wvl_carver carver = {NULL, 0};
    for (uint64_t i = 1; i < jobs; i++) {
        wvl_wave_carve_tiles(plan, &carver, &wave.tiles);
    }
    wvl_free(&plan->context->host, scratch, bytes);
    memory->base_bytes = wvl_add_saturate(memory->base_bytes, wvl_add_saturate(carver.used, wvl_mul_saturate(jobs, slot.host_bytes)));
    memory->pinned_bytes = wvl_mul_saturate(jobs, slot.pinned_bytes);
    memory->device_bytes = wvl_mul_saturate(jobs, slot.device_bytes);
    return WVL_OK;
}

wvl_status wvl_plan_measure(const wvl_plan *plan, wvl_plan_memory *memory)
{
    if (!plan || !memory || memory->struct_size < sizeof *memory) {
        return WVL_ERROR_ARGUMENT;
    }
    memory->base_bytes = plan->base_bytes;
    memory->coded_bytes_bound = plan->coded_bytes_bound;
    memory->output_bytes_bound = plan->output_bytes_bound;
    memory->pinned_bytes = memory->device_bytes = 0;
    return plan->device < WVL_DEVICE_CUDA ? WVL_OK : add_device(plan, memory);
}
