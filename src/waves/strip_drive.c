/* SPDX-License-Identifier: BSD-2-Clause */
#include "waves/strip_drive.h"

#include "base/alloc.h"
#include "base/try.h"

static uint64_t fed_rows(const wvl_plan *plan) { return wvl_strip_rows(plan) + WVL_STRIP_ROWS_BEYOND; }

/* ---- Memory ---------------------------------------------------------------------------------- */

static void carve(wvl_carver *carver, wvl_strip_drive *d)
{
    d->coefs = wvl_carve(carver, d->count, sizeof *d->coefs);
    d->tiles = wvl_carve(carver, d->count, sizeof *d->tiles);
    for (uint32_t t = 0; t < d->count; t++) {
        wvl_tile_plan unused;
        wvl_tile_plan_carve(d->plan, carver, carver->base ? &d->tiles[t] : &unused);
    }
}

static int take_memory(wvl_strip_drive *d, const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    memset(d, 0, sizeof *d);
    d->plan = plan;
    d->count = plan->syntax.tile_cols;
    carve(&carver, d);
    d->memory_bytes = carver.used;
    d->memory = wvl_alloc_zeroed(&plan->context->host, carver.used);
    carver = (wvl_carver){d->memory, 0};
    if (d->memory) {
        carve(&carver, d);
    }
    return d->memory != NULL;
}

static wvl_strip_options describe_row(wvl_strip_drive *d, uint32_t tile_row)
{
    for (uint32_t t = 0; t < d->count; t++) {
        wvl_tile_plan_build(d->plan, tile_row * d->count + t, &d->tiles[t]);
    }
    return (wvl_strip_options){&d->plan->context->host, d->plan->context->pool, d->look, d->plan, d->tiles, d->count,
                               fed_rows(d->plan)};
}

uint64_t wvl_strip_drive_measure(const wvl_plan *plan)
{
    wvl_strip_drive d;
    uint64_t most = 0;
    if (!take_memory(&d, plan)) {
        return UINT64_MAX;
    }
    for (uint32_t row = 0; row < plan->syntax.tile_rows; row++) {
        wvl_strip_options options = describe_row(&d, row);
        most = wvl_max_u64(most, wvl_strips_measure(&options));
    }
    most = wvl_add_saturate(most, wvl_alloc_size(d.memory_bytes));
    wvl_strip_drive_close(&d);
    return most;
}

/* ---- Life ------------------------------------------------------------------------------------ */

wvl_status wvl_strip_drive_open(wvl_strip_drive *d, const wvl_plan *plan, wvl_row_window *rows, const wvl_look *look)
{
    int is_open = take_memory(d, plan);
    d->rows = rows;
    d->look = look;
    return is_open ? WVL_OK : WVL_ERROR_MEMORY;
}

static void close_row(wvl_strip_drive *d)
{
    if (d->strips) {
        wvl_strips_close(d->strips);
    }
    d->strips = NULL;
}

void wvl_strip_drive_close(wvl_strip_drive *d)
{
    if (d->plan) {
        close_row(d);
        wvl_free(&d->plan->context->host, d->memory, d->memory_bytes);
    }
    d->plan = NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

wvl_status wvl_strip_drive_start(wvl_strip_drive *d)
{
    close_row(d);
    d->tile_row = 0;
    return wvl_rows_begin(d->rows);
}

static wvl_status open_row(wvl_strip_drive *d)
{
    wvl_strip_options options = describe_row(d, d->tile_row);
    d->at = d->tiles[0].rect.y0;
    return wvl_strips_open(&options, &d->strips);
}

/* Feeds rows of the source to the transform until blocks are complete. */
wvl_status wvl_strip_drive_next(wvl_strip_drive *d, uint32_t *count)
{
    wvl_status status = d->plan ? WVL_OK : WVL_END;
    uint64_t blocks = 0;
    *count = d->count;
    d->share = 0;
    if (d->strips && d->at == d->tiles[0].rect.y1) {
        close_row(d);
        d->tile_row++;
    }
    if (status == WVL_OK && !d->strips) {
        status = d->tile_row < d->plan->syntax.tile_rows ? open_row(d) : WVL_END;
    }
    while (status == WVL_OK && !blocks && d->at < d->tiles[0].rect.y1) {
        uint64_t rows = wvl_strip_rows(d->plan);
        uint64_t next = d->at < WVL_STRIP_ROWS_BEYOND ? rows : ((d->at - WVL_STRIP_ROWS_BEYOND) / rows + 1) * rows;
        uint64_t end = wvl_min_u64(next + WVL_STRIP_ROWS_BEYOND, d->tiles[0].rect.y1);
        status = wvl_rows_bring(d->rows, d->look, wvl_min_u64(wvl_strips_keep(d->strips), d->at), end);
        TRY(status, wvl_strips_feed(d->strips, &d->rows->image, end));
        d->share += end - d->at;
        d->at = end;
        status = status == WVL_OK && wvl_look_is_over(d->look) ? WVL_CANCELLED : status;
        blocks = status == WVL_OK ? wvl_strips_collect(d->strips, d->coefs) : 0;
    }
    return status;
}
