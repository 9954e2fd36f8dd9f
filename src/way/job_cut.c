/* SPDX-License-Identifier: BSD-2-Clause */
#include "way/job_cut.h"

#include "base/alloc.h"
#include "base/context.h"
#include "way/wave.h"

/* Rows that pay: little of a strip is margin, and a device has enough to do. */
#define MARGIN_SHARE 8u
#define STRIP_SAMPLES (UINT64_C(32) << 20)
#define EVEN_MARGINS 32u /* of at least two rows at the last level */

/* ---- Cuts ------------------------------------------------------------------------------------ */

uint32_t wvl_cut_tiles(const wvl_job_cut *cut)
{
    return cut->strip_rows ? cut->plan->syntax.tile_cols : cut->plan->memory.wave_tiles;
}

static uint64_t highest_tile(const wvl_plan *plan)
{
    return wvl_min_u64(plan->syntax.tile_height, wvl_rect_height(plan->syntax.image));
}

static uint64_t find_rows(const wvl_plan *plan, wvl_strip_grid grid)
{
    uint64_t height = wvl_max_u64(wvl_rect_height(plan->syntax.image), 1),
             row = wvl_max_u64(plan->syntax.total_samples / height, 1);
    uint64_t rows = wvl_max_u64(wvl_mul_saturate(grid.above + grid.below, MARGIN_SHARE), STRIP_SAMPLES / row);
    if (plan->test.strip_rows) {
        rows = plan->test.strip_rows;
    }
    uint64_t most = wvl_max_u64((highest_tile(plan) - 1) / grid.unit, 1);
    return grid.unit * wvl_min_u64(wvl_max_u64(wvl_ceil_div(rows, grid.unit), 1), most);
}

/* What a region adds to a band follows from the rows of the whole tile. */
wvl_reach wvl_cut_reach(const wvl_job_cut *cut, const wvl_backend_vtable *table, const wvl_image *image,
                        const char **why)
{
    wvl_reach reach = table->reach(cut->plan, image, WVL_REACH_BLOCKS, why);
    if (cut->strip_rows && cut->plan->syntax.region_count && reach > WVL_REACH_COEFS) {
        *why = "blocks of strips with regions are coded on the CPU";
        reach = WVL_REACH_COEFS;
    }
    return reach;
}

int wvl_cut_lower(wvl_job_cut *cut)
{
    uint64_t units = cut->strip_rows / cut->grid.unit;
    cut->strip_rows = units > 1 ? cut->grid.unit * (units / 2) : cut->strip_rows;
    return units > 1;
}

static int fits(const wvl_job_cut *cut, const wvl_backend_vtable *table, uint64_t limit)
{
    wvl_backend_memory workspace;
    return !limit || (wvl_cut_measure(cut, table, &workspace) &&
                      wvl_mul_saturate(wvl_backend_least(&workspace), WVL_STRIP_JOBS) <= limit);
}

/* NULL: tiles of the plan can be cut. */
static const char *refuse(const wvl_plan *plan, wvl_strip_grid grid)
{
    if (plan->rate.keep_coefs) {
        return "a picture whose PSNR is a target, or is measured, does not go in strips";
    }
    if (plan->rate.rdoq) {
        return "a picture with rdoq does not go in strips";
    }
    return grid.unit < highest_tile(plan)
               ? NULL
               : "a strip is as high as the tile: fewer levels or lower code-blocks make strips lower";
}

wvl_job_cut wvl_cut_strips(const wvl_plan *plan, const wvl_backend_vtable *table, uint64_t limit, uint64_t most,
                           const char **why)
{
    wvl_strip_grid grid = wvl_geom_strip_grid(plan);
    wvl_job_cut cut = {plan, 0, grid};
    *why = refuse(plan, grid);
    if (*why) {
        return cut;
    }
    cut.strip_rows = wvl_min_u64(find_rows(plan, grid), wvl_max_u64(most / grid.unit, 1) * grid.unit);
    while (!fits(&cut, table, limit) && wvl_cut_lower(&cut)) {
    }
    return cut;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static uint32_t build_strip(const wvl_job_cut *cut, wvl_job_at *at, wvl_tile_plan *tiles, wvl_tile_plan *whole)
{
    const wvl_plan *plan = cut->plan;
    wvl_rect rect = wvl_geom_tile_rect(plan, at->tile);
    uint64_t first = wvl_max_u64(at->row, rect.y0), end = (first / cut->strip_rows + 1) * cut->strip_rows;
    for (uint32_t t = 0; t < plan->syntax.tile_cols; t++) {
        wvl_tile_plan_build(plan, at->tile + t, whole);
        wvl_tile_plan_build_strip(plan, whole, first, end, cut->grid, &tiles[t]);
    }
    *at = end < rect.y1 ? (wvl_job_at){at->tile, end} : (wvl_job_at){at->tile + plan->syntax.tile_cols, 0};
    return plan->syntax.tile_cols;
}

uint32_t wvl_cut_build(const wvl_job_cut *cut, wvl_job_at *at, wvl_tile_plan *tiles, wvl_tile_plan *scratch)
{
    if (cut->strip_rows) {
        return build_strip(cut, at, tiles, scratch);
    }
    uint32_t count = wvl_wave_build(cut->plan, at->tile, tiles);
    at->tile += count;
    return count;
}

static void carve_tiles(const wvl_job_cut *cut, wvl_carver *carver, wvl_tile_plan **tiles, wvl_tile_plan *scratch)
{
    uint32_t count = wvl_cut_tiles(cut);
    *tiles = wvl_carve(carver, count, sizeof **tiles);
    for (uint32_t i = 0; i < count; i++) {
        wvl_tile_plan unused;
        wvl_tile_plan_carve(cut->plan, carver, carver->base ? &(*tiles)[i] : &unused);
    }
    wvl_tile_plan_carve(cut->plan, carver, scratch);
}

/* Tile plans of a job. Returns their memory, of `*bytes`; NULL: there is none. */
static void *open_tiles(const wvl_job_cut *cut, uint64_t *bytes, wvl_tile_plan **tiles, wvl_tile_plan *scratch)
{
    wvl_carver carver = {NULL, 0};
    carve_tiles(cut, &carver, tiles, scratch);
    *bytes = carver.used;
    carver = (wvl_carver){wvl_alloc_zeroed(&cut->plan->context->host, *bytes), 0};
    void *memory = carver.base;
    if (memory) {
        carve_tiles(cut, &carver, tiles, scratch);
    }
    return memory;
}

uint32_t wvl_cut_measure(const wvl_job_cut *cut, const wvl_backend_vtable *table, wvl_backend_memory *workspace)
{
    const wvl_plan *plan = cut->plan;
    wvl_tile_plan *tiles, scratch;
    wvl_job_at at = {0, 0};
    uint64_t last = 0, bytes;
    uint32_t jobs = 0;
    /* Strips within a tile take the same memory if kernels find the same rows of 8 samples and more in them. */
    int is_even = cut->strip_rows && cut->strip_rows % (EVEN_MARGINS * cut->grid.above) == 0;
    void *memory = open_tiles(cut, &bytes, &tiles, &scratch);
    *workspace = (wvl_backend_memory){.host_bytes = 0};
    for (; memory && at.tile < plan->syntax.tile_count; jobs++) {
        wvl_backend_memory need;
        uint32_t count = wvl_cut_build(cut, &at, tiles, &scratch);
        if (!is_even || last != 1 || tiles[0].strip != last) {
            table->measure(plan, tiles, count, wvl_pool_concurrency(plan->context->pool), &need);
            uint64_t kept =
                wvl_max_u64(workspace->host_bytes - workspace->work_bytes, need.host_bytes - need.work_bytes);
            workspace->work_bytes = wvl_max_u64(workspace->work_bytes, need.work_bytes);
            workspace->host_bytes = wvl_add_saturate(kept, workspace->work_bytes);
            workspace->pinned_bytes = wvl_max_u64(workspace->pinned_bytes, need.pinned_bytes);
            workspace->device_bytes = wvl_max_u64(workspace->device_bytes, need.device_bytes);
            workspace->least_device_bytes = wvl_max_u64(workspace->least_device_bytes, wvl_backend_least(&need));
            workspace->spill_bytes = wvl_max_u64(workspace->spill_bytes, need.spill_bytes);
        }
        last = tiles[0].strip;
    }
    wvl_free(&plan->context->host, memory, bytes);
    return jobs;
}

void wvl_cut_name_kernels(const wvl_job_cut *cut, const wvl_backend_vtable *table, wvl_kernel_fn tell, void *user)
{
    wvl_tile_plan *tiles, scratch;
    wvl_job_at at = {0, 0};
    uint64_t bytes;
    void *memory = open_tiles(cut, &bytes, &tiles, &scratch);
    if (memory) {
        uint32_t count = wvl_cut_build(cut, &at, tiles, &scratch);
        (void)table->name_kernels(cut->plan, NULL, tiles, count, tell, user);
    }
    wvl_free(&cut->plan->context->host, memory, bytes);
}

/* ---- Views ----------------------------------------------------------------------------------- */

static void carve_views(const wvl_plan *plan, wvl_carver *carver, wvl_strip_views *v)
{
    uint64_t bands = 3 * plan->memory.most_resolutions;
    v->views = wvl_carve(carver, plan->syntax.tile_cols, sizeof *v->views);
    v->coefs = wvl_carve(carver, plan->syntax.tile_cols, sizeof *v->coefs);
    v->parts = wvl_carve(carver, plan->syntax.tile_cols, sizeof *v->parts);
    for (uint32_t t = 0; t < plan->syntax.tile_cols; t++) {
        wvl_strip_view unused, *view = carver->base ? &v->views[t] : &unused;
        wvl_tile_plan_carve(plan, carver, &view->tile);
        view->rows = wvl_carve(carver, bands, sizeof *view->rows);
        view->shifts = wvl_carve(carver, bands, sizeof *view->shifts);
        view->bounds = wvl_carve(carver, plan->memory.most_blocks, sizeof *view->bounds);
    }
}

uint64_t wvl_strip_views_bytes(const wvl_plan *plan)
{
    wvl_carver carver = {NULL, 0};
    wvl_strip_views views;
    carve_views(plan, &carver, &views);
    return carver.used;
}

int wvl_strip_views_open(const wvl_plan *plan, wvl_strip_views *v)
{
    if (v->memory) {
        return 1;
    }
    v->bytes = wvl_strip_views_bytes(plan);
    v->memory = wvl_alloc(&plan->context->host, v->bytes);
    wvl_carver carver = {v->memory, 0};
    if (v->memory) {
        carve_views(plan, &carver, v);
    }
    return v->memory != NULL;
}

static void build_view(wvl_strip_view *view, const wvl_plan *plan, const wvl_tile_plan *strip)
{
    wvl_tile_plan_build(plan, strip->index, &view->tile);
    for (uint32_t b = 0; b < strip->band_count; b++) {
        const wvl_tile_band *from = &strip->bands[b];
        const wvl_tile_band *band = &view->tile.bands[b];
        uint32_t above = band->block_rows ? from->block_y0 - band->block_y0 : 0;
        view->shifts[b] = above * band->block_cols;
        view->rows[b] = (wvl_block_rows){above + from->rows_above, above + from->block_rows - from->rows_below};
    }
}

void wvl_strip_views_build(wvl_strip_views *v, const wvl_plan *plan, const wvl_tile_plan *strips, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        build_view(&v->views[t], plan, &strips[t]);
        v->coefs[t] = (wvl_coefs){.tile = &v->views[t].tile, .rows = v->views[t].rows};
    }
}

/* Offsets may wrap, and wrap back. */
static void take_band(wvl_strip_view *view, uint32_t b, const wvl_tile_band *from, const uint32_t *bounds)
{
    wvl_tile_band *band = &view->tile.bands[b];
    uint64_t count = (uint64_t)from->block_rows * from->block_cols;
    if (!count) {
        return;
    }
    band->cell_width = from->cell_width;
    band->cell_height = from->cell_height;
    band->coef_offset = 0;
    band->coef_offset = from->coef_offset - wvl_coef_cell(band, view->shifts[b]);
    memcpy(view->bounds + band->first_block + view->shifts[b], bounds + from->first_block, count * sizeof *bounds);
}

void wvl_strip_views_take(wvl_strip_views *v, const wvl_tile_plan *strips, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        for (uint32_t b = 0; b < strips[t].band_count; b++) {
            take_band(&v->views[t], b, &strips[t].bands[b], v->parts[t].bounds);
        }
        v->coefs[t].samples = v->parts[t].samples;
        v->coefs[t].bounds = v->views[t].bounds;
    }
}
