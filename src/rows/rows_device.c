/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows on their way to a device: in strips, or in waves of tiles. */
#include "backend/registry.h"
#include "codec/write/recode.h"
#include "waves/drive.h"
#include "waves/rows.h"
#include "waves/strip_drive.h"

/* NULL: rows of such a plan may go to a device. */
static const char *refuse(const wvl_plan *plan, const wvl_row_source *source)
{
    const char *why;
    if (plan->device.choice == WVL_DEVICE_CPU || plan->device.choice == WVL_DEVICE_AUTO) {
        return "rows are for the CPU unless the option device is cuda or cuda-only";
    }
    if (plan->device.output) {
        return "pictures that come by rows stay in memory of the host, and the option output-memory is device";
    }
    if (plan->device.reach == WVL_REACH_PACKETS) {
        return "packets of pictures that come by rows are made on the CPU: set reach to blocks";
    }
    if (plan->rate.keep_coefs) {
        return "a picture that comes by rows and whose PSNR is a target, or is measured, is for the CPU";
    }
    if (wvl_strips_gather(plan, source->rewind != NULL)) {
        return "coefficients of pictures that come by rows are gathered on the CPU: with rdoq, or where rows may be "
               "needed again and the source cannot go back";
    }
    return wvl_drive_device_table(plan, NULL, &why) ? NULL : why;
}

/* Whether a device has memory for a wave: with less than it wants, blocks are coded in smaller portions. */
static int fits_wave(const wvl_plan *plan, const wvl_backend_vtable *table, uint64_t limit)
{
    wvl_backend_memory slot;
    wvl_job_cut waves = wvl_cut_waves(plan);
    return wvl_cut_measure(&waves, table, &slot) && (!limit || wvl_backend_least(&slot) <= limit);
}

/* Jobs in flight may all be done again. */
static void choose_jobs(const wvl_plan *plan, wvl_rows_way *way)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    uint64_t limit = wvl_drive_limit(plan, table, wvl_plan_first_device(plan));
    if (!wvl_strips_are_used(plan) && fits_wave(plan, table, limit)) {
        way->on_device = 1;
        way->window_rows = wvl_rows_of_waves(plan, WVL_DRIVE_JOBS);
        return;
    }
    wvl_job_cut cut = wvl_cut_strips(plan, table, limit, UINT64_MAX, &way->why);
    if (cut.strip_rows) {
        way->on_device = 1;
        way->strip_rows = cut.strip_rows;
        way->window_rows =
            wvl_add_saturate(wvl_mul_saturate(cut.strip_rows, WVL_STRIP_JOBS), cut.grid.above + cut.grid.below);
    }
}

wvl_rows_way wvl_rows_choose(const wvl_plan *plan, const wvl_row_source *source, int may_use)
{
    int in_strips = wvl_strips_are_used(plan);
    uint64_t height = wvl_rect_height(plan->syntax.image);
    wvl_rows_way way = {.why = refuse(plan, source)};
    if (may_use && !way.why) {
        choose_jobs(plan, &way);
    }
    uint64_t host = in_strips ? wvl_strip_window_rows(plan) : wvl_rows_of_waves(plan, 1);
    way.window_rows = wvl_min_u64(wvl_max_u64(way.window_rows, host), height);
    return way;
}
