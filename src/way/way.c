/* SPDX-License-Identifier: BSD-2-Clause */
#include "way/way.h"

#include "backend/registry.h"
#include "codec/write/assembly.h"
#include "codec/write/recode.h"
#include "report/profile_walk.h"
#include "way/job_cut.h"

/* Pictures in flight: below this number of samples, queueing costs more than the transform (1 Mi samples take the CPU
 * about 3 ms). */
#define SAMPLES_MIN (UINT64_C(1) << 20)
/* The least samples of a device: chosen, 2 ms of a bus of 50 GB/s with 8-bit samples in three components. */
#define SHARE_SAMPLES (UINT64_C(32) << 20)
/* Samples of a strip of the host: enough rows of blocks for several workers, little beside what is held of coded
 * blocks. */
#define STRIP_SAMPLES (UINT64_C(8) << 20)
#define ROWS_WAITING 24u /* rows that are read and still needed, of a component */

/* ---- Devices --------------------------------------------------------------------------------- */

/* NULL, or why the codec leaves the packets of such pictures to the host. */
static const char *refuse_packets(const wvl_plan *plan)
{
    if (plan->rate.measures_always) {
        return "measure-psnr=yes measures on the CPU, from the coefficients; with auto or no the device estimates";
    }
    if (plan->device.output && wvl_profile_walks(plan)) {
        return "a profile is checked in memory of the host";
    }
    return wvl_assembly_refuses(plan);
}

wvl_reach wvl_way_reach(const wvl_backend_vtable *table, const wvl_plan *plan, const wvl_image *image, const char **why)
{
    *why = "this build has no device code";
    wvl_reach reach = table ? table->reach(plan, image, WVL_REACH_PACKETS, why) : WVL_REACH_NONE;
    const char *refused = reach == WVL_REACH_PACKETS ? refuse_packets(plan) : NULL;
    if (refused) {
        const char *of_waves;
        reach = table->reach(plan, image, WVL_REACH_BLOCKS, &of_waves);
        *why = reach == WVL_REACH_BLOCKS ? refused : of_waves;
    }
    return reach;
}

/* 0: only a device can reach the pixels, or wait for their event. */
static int host_can(const wvl_plan *plan, const wvl_image *image)
{
    const char *why;
    return wvl_backend_fetch_host()->reach(plan, image, WVL_REACH_COEFS, &why) != WVL_REACH_NONE;
}

/* Says whether a device is to be tried. With auto, one picture alone is for the host. */
static int wants_device(const wvl_plan *plan, const wvl_way_source *s, const wvl_way *way)
{
    switch (plan->device.choice) {
    case WVL_DEVICE_CPU: return 0;
    case WVL_DEVICE_AUTO:
        return !host_can(plan, s->image) ||
               (s->many && plan->syntax.total_samples >= SAMPLES_MIN && (unsigned)way->reach >= plan->device.reach);
    default: return 1;
    }
}

uint64_t wvl_way_device_bytes(const wvl_plan *plan, const wvl_backend_vtable *table, uint32_t ordinal)
{
    wvl_device_info info = {.struct_size = sizeof info};
    if (plan->device.memory) {
        return plan->device.memory;
    }
    return table->describe_device(ordinal, &info) == WVL_OK ? info.memory_bytes : 0;
}

static int lies_on_device(const wvl_image *image) { return image && image->memory_kind == WVL_MEMORY_DEVICE; }

/* Says whether bytes of a tile follow from its samples alone. */
static int has_free_tiles(const wvl_plan *plan)
{
    const wvl_rate_plan *rate = &plan->rate;
    return plan->syntax.layer_count == 1 && rate->layers[0].kind == WVL_RATE_ALL && !rate->max_bytes &&
           !rate->max_component_bytes && !rate->rdoq && !rate->follows_step;
}

uint32_t wvl_way_shares(const wvl_plan *plan, const wvl_image *image, const wvl_device_list *devices)
{
    const char *why;
    uint64_t least = plan->test.share_samples ? plan->test.share_samples : SHARE_SAMPLES,
             most = wvl_min_u64(plan->syntax.total_samples / least, plan->syntax.tile_count);
    if (most < 2 || lies_on_device(image) || plan->device.choice == WVL_DEVICE_CPU || plan->device.output ||
        !has_free_tiles(plan) || wvl_profile_walks(plan) ||
        wvl_way_reach(devices->table, plan, image, &why) != WVL_REACH_PACKETS) {
        return 1;
    }
    return (uint32_t)wvl_min_u64(devices->count, most);
}

/* The waves of one picture on several devices, whose blocks they code: one device that finishes it all would leave the
 * others idle. */
static int spreads_waves(const wvl_plan *plan, const wvl_image *image, const wvl_device_list *devices)
{
    const char *why;
    return plan->memory.wave_count > 1 && !plan->device.output && plan->device.reach < WVL_REACH_PACKETS &&
           !lies_on_device(image) && devices->count > 1 &&
           devices->table->reach(plan, image, WVL_REACH_BLOCKS, &why) == WVL_REACH_BLOCKS;
}

/* ---- Strips of the host ---------------------------------------------------------------------- */

/* A PSNR target needs all coefficients at the end. rdoq orders blocks from all over a wave: they are gathered where
 * there is one. */
int wvl_strips_are_used(const wvl_plan *plan)
{
    int is_large = plan->memory.largest_tile_bytes > plan->memory.wave_limit;
    return (is_large || plan->test.strip_rows) && !plan->rate.keep_coefs &&
           (!plan->rate.rdoq || plan->memory.wave_count == 1);
}

int wvl_strips_gather(const wvl_plan *plan, int can_rewind)
{
    return wvl_strips_are_used(plan) && plan->memory.wave_count == 1 &&
           (plan->rate.rdoq || (wvl_recode_is_possible(plan) && !can_rewind));
}

uint64_t wvl_strip_rows(const wvl_plan *plan)
{
    uint64_t rows = 0, height = wvl_rect_height(plan->syntax.image);
    if (plan->test.strip_rows) {
        return plan->test.strip_rows;
    }
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        rows = wvl_max_u64(rows, (uint64_t)2 << plan->syntax.codings[i].ycb);
    }
    uint64_t samples = plan->syntax.total_samples / height * rows; /* of one row of blocks */
    return rows * wvl_max_u64(STRIP_SAMPLES / wvl_max_u64(samples, 1), 1);
}

static uint64_t strip_window_rows(const wvl_plan *plan)
{
    uint32_t dy = 1;
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        dy = wvl_max_u32(dy, plan->syntax.components[c].dy);
    }
    uint64_t fed = wvl_strip_rows(plan) + WVL_STRIP_ROWS_BEYOND;
    return wvl_min_u64(fed + (uint64_t)ROWS_WAITING * dy, wvl_rect_height(plan->syntax.image));
}

/* The most rows of the reference grid that n waves, one after the other, need at a time: n tiles that begin anywhere in
 * a row of tiles. */
static uint64_t wave_window_rows(const wvl_plan *plan, uint32_t waves)
{
    const wvl_syntax_plan *s = &plan->syntax;
    uint64_t tile_rows = ((uint64_t)plan->memory.wave_tiles * waves + s->tile_cols - 2) / s->tile_cols + 1;
    uint64_t rows = wvl_mul_saturate(wvl_min_u64(tile_rows, s->tile_rows), s->tile_height);
    return wvl_min_u64(rows, wvl_rect_height(s->image));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* NULL: rows of such a plan may go to a device. */
static const char *refuse_rows(const wvl_plan *plan, const wvl_way *way)
{
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
    if (way->gathers) {
        return "coefficients of pictures that come by rows are gathered on the CPU: with rdoq, or where rows may be "
               "needed again and the source cannot go back";
    }
    return (unsigned)way->reach >= plan->device.reach ? NULL : way->why;
}

/* Jobs of waves never make packets, and code fewer kinds of blocks than jobs of whole pictures. */
static void lower_reach(const wvl_plan *plan, const wvl_image *image, const wvl_backend_vtable *table, wvl_way *way)
{
    const char *why;
    if (way->reach == WVL_REACH_PACKETS) {
        way->reach = table->reach(plan, image, WVL_REACH_BLOCKS, &why);
        way->why = why;
    }
}

/* Says whether a device has memory for a wave: with less than it wants, blocks are coded in smaller portions. */
static int fits_wave(const wvl_plan *plan, const wvl_backend_vtable *table, uint64_t limit)
{
    wvl_backend_memory workspace;
    wvl_job_cut waves = wvl_cut_waves(plan);
    return wvl_cut_measure(&waves, table, &workspace) && (!limit || wvl_backend_least(&workspace) <= limit);
}

/* Waves, or strips where these do not fit. Jobs in flight may all be done again: the window holds their rows. */
static void cut_rows(const wvl_plan *plan, const wvl_backend_vtable *table, wvl_way *way)
{
    uint64_t limit = wvl_way_device_bytes(plan, table, wvl_plan_first_device(plan));
    if (!way->in_strips && fits_wave(plan, table, limit)) {
        way->kind = WVL_WAY_JOBS;
        way->window_rows = wave_window_rows(plan, WVL_WAVE_JOBS);
        return;
    }
    const char *why;
    wvl_job_cut cut = wvl_cut_strips(plan, table, limit, UINT64_MAX, &why);
    if (!cut.strip_rows) {
        way->why = why;
    } else {
        way->kind = WVL_WAY_JOBS;
        way->strip_rows = cut.strip_rows;
        way->window_rows =
            wvl_add_saturate(wvl_mul_saturate(cut.strip_rows, WVL_STRIP_JOBS), cut.grid.above + cut.grid.below);
    }
}

/* ---- The way --------------------------------------------------------------------------------- */

/* One device or several make all bytes. Pictures in flight keep all devices at work by themselves. */
static wvl_way_kind choose_finishing(const wvl_plan *plan, const wvl_way_source *s)
{
    wvl_device_list found;
    const wvl_device_list *devices = s->devices;
    if (!s->many && !devices) {
        found = wvl_devices_list(plan, s->image, 0);
        devices = &found;
    }
    if (!s->many && !(s->failed >> WVL_WAY_SHARES & 1) && wvl_way_shares(plan, s->image, devices) > 1) {
        return WVL_WAY_SHARES;
    }
    int is_for_one = s->many || !spreads_waves(plan, s->image, devices);
    return is_for_one && !(s->failed >> WVL_WAY_PICTURE & 1) ? WVL_WAY_PICTURE : WVL_WAY_JOBS;
}

const char *wvl_way_name(wvl_way_kind kind)
{
    static const char *const names[WVL_WAY_COUNT] = {"host", "jobs", "picture", "shares"};
    return names[kind];
}

wvl_way wvl_choose_way(const wvl_plan *plan, const wvl_way_source *s)
{
    const wvl_backend_vtable *table = s->devices ? s->devices->table : wvl_backend_fetch_device();
    wvl_way way = {.kind = WVL_WAY_HOST};
    way.reach = wvl_way_reach(table, plan, s->image, &way.why);
    way.needs_device = plan->device.choice == WVL_DEVICE_CUDA_ONLY || !host_can(plan, s->image);
    if (s->rows) {
        lower_reach(plan, NULL, table, &way);
        way.in_strips = wvl_strips_are_used(plan);
        way.gathers = wvl_strips_gather(plan, s->rows->rewind != NULL);
        const char *refused = refuse_rows(plan, &way);
        if (refused) {
            way.why = refused;
        } else if (s->failed >> WVL_WAY_JOBS & 1) {
            way.why = NULL;
        } else {
            cut_rows(plan, table, &way);
        }
        uint64_t host = way.in_strips ? strip_window_rows(plan) : wave_window_rows(plan, 1);
        way.window_rows = wvl_min_u64(wvl_max_u64(way.window_rows, host), wvl_rect_height(plan->syntax.image));
        return way;
    }
    if (!wants_device(plan, s, &way)) {
        return way;
    }
    if (way.reach == WVL_REACH_PACKETS && !plan->test.strip_rows) {
        way.kind = choose_finishing(plan, s);
    } else {
        way.kind = WVL_WAY_JOBS;
    }
    if (way.kind == WVL_WAY_JOBS && s->failed >> WVL_WAY_JOBS & 1 && !way.needs_device) {
        way.kind = WVL_WAY_HOST;
    }
    if (way.kind == WVL_WAY_JOBS) {
        lower_reach(plan, s->image, table, &way);
    }
    return way;
}
