/* SPDX-License-Identifier: BSD-2-Clause */
/* wvl_rows_measure: what an encode of rows takes. */
#include "waves/rows_memory.h"

#include "backend/registry.h"
#include "base/structs.h"
#include "codec/write/recode.h"
#include "waves/drive.h"
#include "waves/gather.h"
#include "waves/strip_drive.h"
#include "way/leaving.h"

/* The device's share of the host, and that of the host itself, which may take over at any time. */
static uint64_t measure_device(const wvl_plan *plan, const wvl_way *way)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    wvl_job_cut cut = wvl_cut_waves(plan);
    cut.strip_rows = way->strip_rows;
    cut.grid = wvl_geom_strip_grid(plan);
    wvl_backend_memory workspace;
    (void)wvl_cut_measure(&cut, table, &workspace);
    uint64_t device = wvl_add_saturate(wvl_drive_host_bytes(&cut, table, 1), workspace.spill_bytes);
    return wvl_max_u64(device, wvl_drive_host_bytes(&cut, wvl_backend_fetch_host(), 1));
}

static uint64_t measure_transform(const wvl_plan *plan, const wvl_way *way, int in_strips)
{
    uint64_t host = in_strips ? wvl_strip_drive_measure(plan) : plan->memory.backend.host_bytes;
    return way->kind == WVL_WAY_JOBS ? wvl_max_u64(host, measure_device(plan, way)) : host;
}

/* Tiles and the workers of both halves are there with the strips; layers are chosen when these have gone. */
static uint64_t measure_base(const wvl_plan *plan, const wvl_way *way, int in_strips)
{
    uint64_t strips = wvl_add_saturate(plan->memory.coding_bytes, measure_transform(plan, way, in_strips));
    return in_strips || way->kind == WVL_WAY_JOBS ? wvl_max_u64(strips, plan->memory.finish_bytes)
                                                  : plan->memory.base_bytes;
}

/* Tiles that have left, and what coded data takes beside stores, are used again. */
static void measure_early(const wvl_plan *plan, const wvl_way *way, uint64_t window, wvl_rows_memory *memory)
{
    wvl_early_kind kind = wvl_early_find_kind(plan, 1);
    uint64_t index, base = wvl_early_base_bytes(plan, kind, memory->in_strips, &index);
    base = wvl_add_saturate(wvl_add_saturate(base, measure_transform(plan, way, memory->in_strips)), window);
    memory->leaves_early = (uint8_t)(kind ? 1 + wvl_early_needs_patch(plan, kind) : 0);
    memory->early_base_bytes = kind ? base : memory->base_bytes;
    memory->early_least_bytes = kind ? wvl_add_saturate(base, index) : memory->least_bytes;
}

void wvl_rows_find_memory(const wvl_plan *plan, const wvl_row_source *source, const wvl_way *way,
                          wvl_rows_memory *memory)
{
    uint64_t window = wvl_alloc_size(wvl_rows_window_bytes(plan, source, way->window_rows));
    uint64_t base = measure_base(plan, way, way->in_strips), coefs = 0, beside = 0;
    if (way->gathers) {
        coefs = wvl_gather_measure(plan, &beside);
    }
    base = wvl_add_saturate(base, wvl_add_saturate(window, beside));
    *memory = (wvl_rows_memory){
        .struct_size = sizeof *memory,
        .row_bytes = window,
        .base_bytes = wvl_add_saturate(base, coefs),
        .coded_bytes_bound = plan->memory.coded_bytes_bound,
        .coefs_bytes = coefs,
        .reads_again = source->rewind && !coefs && wvl_recode_is_possible(plan),
        .in_strips = (uint8_t)way->in_strips,
    };
    memory->least_bytes = wvl_add_saturate(base, plan->memory.index_bytes);
    measure_early(plan, way, window, memory);
}

wvl_status wvl_rows_measure(const wvl_plan *plan, const wvl_row_source *given, wvl_rows_memory *memory)
{
    wvl_row_source source;
    if (!plan || !given || !memory || !wvl_struct_size(memory, WVL_STRUCT_UNTIL(wvl_rows_memory, in_strips)) ||
        !wvl_struct_read(&source, sizeof source, given, WVL_STRUCT_UNTIL(wvl_row_source, user)) ||
        wvl_rows_refuse(plan, &source)) {
        return WVL_ERROR_ARGUMENT;
    }
    wvl_rows_memory m;
    wvl_way way = wvl_choose_way(plan, &(wvl_way_source){.rows = &source});
    wvl_rows_find_memory(plan, &source, &way, &m);
    (void)wvl_struct_write(memory, &m, sizeof m, WVL_STRUCT_UNTIL(wvl_rows_memory, in_strips));
    return WVL_OK;
}
