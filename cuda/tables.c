/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "cuda/beside.h"
#include "cuda/cascade.h"
#include "cuda/choose.h"
#include "cuda/launch.h"
#include "cuda/segment.h"
#include "cuda/tables_unit.h"
#include "cuda/tuning.h"
#include "cuda/window.h"
#include "dwt/quant.h"
#include "geom/handover.h"

#define NO_FRONT UINT32_MAX

/* Planes of levels 1 to `end` - 1. */
static uint64_t plane_bytes(const unit *u, unsigned end)
{
    uint64_t bytes = 0;
    for (unsigned level = 1; level < end; level++) {
        wvl_rect r = low_resolution(u, level)->rect;
        bytes = wvl_cuda_is_empty(r) ? bytes : wvl_add_saturate(bytes, wvl_align_up(wvl_mul_saturate(wvl_cuda_pitch_bytes(r), wvl_rect_height(r)), 256));
    }
    return bytes;
}

/* The low-low plane of `level`. */
static wvl_cuda_plane build_plane(const builder *b, const unit *u, unsigned level, uint32_t narrow)
{
    wvl_rect r = low_resolution(u, level)->rect;
    return (wvl_cuda_plane){.data = b->memory->planes + u->planes + plane_bytes(u, level), .pitch_bytes = wvl_cuda_pitch_bytes(r),
                            .x0 = r.x0 & ~(WVL_CUDA_PLANE_ALIGN - 1), .y0 = r.y0, .narrow = narrow};
}

/* The fused job that writes what `job` reads, if any, whose items tell from now on what they have stored. */
static const wvl_cuda_job *open_front(const builder *b, const unit *u, wvl_cuda_job *job)
{
    wvl_cuda_tables *t = b->tables;
    int crowds = !job->reversible && b->components >= WVL_CUDA_MARCH_MANY; /* who waits takes from who works */
    if (job->from_pixels || crowds || t->fronts[u->number] == NO_FRONT) {
        return NULL;
    }
    wvl_cuda_job *front = &t->jobs[t->fronts[u->number]];
    if (!front->flags) { /* of jobs that share warps, the first has those of all */
        front->flags = b->memory->flags + t->flag_count * sizeof(uint32_t);
        t->flag_count += wvl_cuda_count_flags(front);
    }
    job->front_flags = front->flags;
    wvl_cuda_round *round = &t->rounds[t->round_count - 1];
    while (round->first_job > t->fronts[u->number]) {
        round--;
    }
    round->asked = 1;
    return front;
}

static void build_band(const builder *b, const unit *u, const wvl_tile_band *from, wvl_cuda_band *to)
{
    if (wvl_cuda_is_empty(from->rect)) {
        return;
    }
    to->samples = b->memory->coefs + u->coefs + from->coef_offset;
    to->bounds = b->memory->bounds + (u->bounds + from->first_block) * sizeof(uint32_t);
    to->slot_bytes = (uint32_t)(wvl_coef_slot(from, 1) - wvl_coef_slot(from, 0));
    to->row_bytes = (uint64_t)from->block_cols * to->slot_bytes;
    to->rect = from->rect;
    to->block_x0 = from->block_x0;
    to->block_y0 = from->block_y0;
    to->block_cols = from->block_cols;
    to->slot_width = from->slot_width;
    to->reciprocal = from->reciprocal;
    to->xcb = from->xcb;
    to->ycb = from->ycb;
    to->coef_bytes = from->coef_bytes;
    to->deep = (unsigned)(from->planes + from->frac_bits) > WVL_QUANT_FLOAT_BITS;
}

static void build_bands(const builder *b, const unit *u, unsigned r, wvl_cuda_band *bands)
{
    const wvl_tile_resolution *res = &u->tile->resolutions[u->tc->first_resolution + r];
    for (unsigned i = 0; i < res->band_count; i++) {
        const wvl_tile_band *band = &u->tile->bands[res->first_band + i];
        build_band(b, u, band, &bands[band->orient]);
    }
}

/* The colour transform takes components 0..2. */
static void build_input(const builder *b, const unit *u, wvl_cuda_job *job)
{
    int mixed = u->tile->mct != WVL_MCT_NONE && u->component < 3;
    job->from_pixels = 1;
    job->mct_part = mixed ? (uint8_t)(u->component + 1) : 0;
    memcpy(job->pixels, b->memory->pixels + (mixed ? 0 : u->component), (mixed ? 3 : 1) * sizeof *job->pixels);
}

/* The job that begins at `level` (0: no decomposition). */
static void build_job(const builder *b, const unit *u, unsigned level, wvl_cuda_job *job)
{
    unsigned levels = u->tc->levels;
    memset(job, 0, sizeof *job);
    job->levels = level ? WVL_CUDA_SPLIT : WVL_CUDA_PLAIN;
    job->reversible = u->tc->reversible;
    job->outside = b->memory->outside;
    job->rect = low_resolution(u, level ? level - 1 : 0)->rect;
    if (level < 2) {
        build_input(b, u, job);
    } else {
        job->in = build_plane(b, u, level - 1, u->narrow);
    }
    if (level) {
        build_bands(b, u, levels - level + 1, job->band);
    }
    if (level == levels) {
        build_bands(b, u, 0, job->band);
    } else {
        job->low = build_plane(b, u, level, 0);
    }
}

static void add_tiles(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint32_t cols, rows;
    wvl_cuda_measure_grid(low_resolution(u, level ? level - 1 : 0)->rect, &cols, &rows);
    uint64_t count = (uint64_t)cols * rows;
    if (b->memory) {
        wvl_cuda_item *item = t->items + t->item_count;
        wvl_cuda_job *job = t->jobs + t->job_count;
        build_job(b, u, level, job);
        const wvl_cuda_job *front = open_front(b, u, job);
        for (uint32_t y = 0; y < rows; y++) {
            for (uint32_t x = 0; x < cols; x++) {
                *item = (wvl_cuda_item){.job = (uint32_t)t->job_count, .x = x, .y = y};
                wvl_cuda_open_tile_window(front, job, item++);
            }
        }
        t->fronts[u->number] = NO_FRONT;
    } else {
        /* last.cu and marching with 4 columns a lane make two of one, marching rounds up to one more row of warps */
        count += (level > 1 && level == u->tc->levels) || wvl_cuda_plane_is_little(b, u, level) ? count : 0;
        count += cols + 2 * rows + 2;
    }
    t->job_count++;
    t->item_count += count;
}

static void add_any(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint32_t chain = wvl_cuda_chain_length(b, u, level);
    if (!chain) {
        add_tiles(b, u, level);
        return;
    }
    for (uint32_t k = 0; k < chain; k++) {
        unit one = *u;
        one.narrow = k ? 0 : u->narrow;
        build_job(b, &one, level + k, &t->jobs[t->job_count + k]);
        t->jobs[t->job_count + k].chain = (uint8_t)(chain - k);
    }
    wvl_cuda_job *job = &t->jobs[t->job_count];
    t->items[t->item_count] = (wvl_cuda_item){.job = (uint32_t)t->job_count};
    wvl_cuda_open_tile_window(open_front(b, u, job), job, &t->items[t->item_count++]);
    t->fronts[u->number] = NO_FRONT;
    t->job_count += chain;
}

/* ---- Marching -------------------------------------------------------------------------------------------------------------------- */

/* Iterations of four rows from the first row of the level to the last of the next: march.cu has the same sum. */
static uint32_t march_iterations(const unit *u, unsigned level)
{
    wvl_rect r = level_rect(u, level);
    int64_t y0 = r.y0, y1 = r.y1, lag = !u->tc->reversible;
    int64_t base = ((y0 >> 1) - 1) >> 1, one = (((y1 - 1) >> 1) - 1) >> 1, two = ((((y1 + 1) >> 1) - 1) >> 1) + lag;
    return (uint32_t)((one > two ? one : two) + 1 - base);
}

/* Warps of the kernel that a multiprocessor holds. */
static uint64_t march_warps(uint32_t kernel, int reversible)
{
    if (kernel >= WVL_CUDA_MARCH53_8X3 && kernel <= WVL_CUDA_MARCH97_8P3) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_X3 : WVL_CUDA_MARCH_WARPS97_X3;
    }
    if (kernel >= WVL_CUDA_MARCH53_16X3 && kernel <= WVL_CUDA_MARCH97_16P3W) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_16X3 : WVL_CUDA_MARCH_WARPS97_16X3;
    }
    if (wvl_cuda_is_mixing(kernel)) {
        return 3 * WVL_CUDA_MARCH_BLOCKS97_X3W; /* as many strips are counted */
    }
    if (kernel == WVL_CUDA_MARCH53_8) {
        return WVL_CUDA_MARCH_COUNTED53_HALF;
    }
    if (kernel >= WVL_CUDA_PLANE53_P && kernel <= WVL_CUDA_PLANE53_SP) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_PACKED : WVL_CUDA_MARCH_WARPS97_PACKED;
    }
    if (kernel == WVL_CUDA_PLANE97_N) {
        return WVL_CUDA_MARCH_WARPS97_N;
    }
    if (kernel == WVL_CUDA_MARCH53_16W) {
        return WVL_CUDA_MARCH_WARPS53_16W;
    }
    if (wvl_cuda_march_columns(kernel) == WVL_CUDA_MARCH_COLUMNS_8) {
        return reversible ? WVL_CUDA_MARCH_WARPS53_8 : WVL_CUDA_MARCH_WARPS97_8;
    }
    return reversible ? WVL_CUDA_MARCH_WARPS53 : WVL_CUDA_MARCH_WARPS97;
}

/* All rows of items alike, each of at most so many iterations. */
static void cut_evenly(wvl_cuda_job *job, uint64_t segment)
{
    job->rows = job->long_rows = (uint32_t)wvl_ceil_div(job->iterations, segment);
    job->long_iterations = job->iterations;
}

/* As many rows more as let every multiprocessor have as many warps as some have. */
static void fill_wave(wvl_cuda_job *job, uint64_t strips, uint64_t each, uint64_t least)
{
    const uint64_t wave = WVL_CUDA_MARCH_MULTIPROCESSORS * each, rows = wvl_ceil_div(strips * job->rows, wave) * wave / strips;
    job->rows = job->long_rows = (uint32_t)wvl_max_u64(wvl_min_u64(rows, job->iterations / least), job->rows);
}

/* So many rows of long segments, then short ones, if any are left. */
static void cut_long(wvl_cuda_job *job, uint64_t rows, uint64_t segment, uint64_t rest)
{
    if (rows * segment >= job->iterations) {
        return;
    }
    job->long_rows = (uint32_t)rows;
    job->long_iterations = (uint32_t)(rows * segment);
    job->rows = (uint32_t)(rows + wvl_ceil_div(job->iterations - rows * segment, rest));
}

/* Most rows in one wave of long segments, the others in short ones (tuning.h), if that leaves them long. */
static void cut_wave(wvl_cuda_job *job)
{
    uint64_t wave = (uint64_t)WVL_CUDA_MARCH_WARPS53_HALF * WVL_CUDA_MARCH_MULTIPROCESSORS * WVL_CUDA_MARCH_LONG_WAVE / 100;
    uint64_t rows = wvl_max_u64(wave / wvl_max_u64(job->strips, 1), 1), length = ((uint64_t)job->iterations * WVL_CUDA_MARCH_LONG_PART / 100 + rows / 2) / rows;
    if (length >= WVL_CUDA_MARCH_LONG_MIN) {
        cut_long(job, rows, length, WVL_CUDA_MARCH_SHORT);
    }
}

/* Planes: the shortest segments of which one wave holds all, where those are short: what is waited for at the end is one of them. */
static uint64_t choose_plane_segment(const builder *b, const wvl_cuda_job *job, uint64_t whole, uint64_t chosen)
{
    if (b->components < WVL_CUDA_MARCH_MANY) {
        return wvl_min_u64(whole, chosen);
    }
    return job->reversible ? wvl_min_u64(chosen, WVL_CUDA_PLANE_SEGMENT_MANY) : chosen;
}

static void cut_rows(const builder *b, unsigned level, wvl_cuda_job *job)
{
    uint64_t strips = b->strips, iterations = job->iterations;
    uint64_t wave = march_warps(b->kernel, job->reversible) * WVL_CUDA_MARCH_MULTIPROCESSORS;
    uint32_t least = level > 1 ? WVL_CUDA_PLANE_SEGMENT_MIN : WVL_CUDA_MARCH_SEGMENT_MIN, long_rows = 0, longer = 0;
    uint32_t run_in = job->reversible ? WVL_CUDA_RUN_IN53 : WVL_CUDA_RUN_IN97;
    uint64_t chosen = wvl_cuda_choose_segment(strips, wave, iterations, run_in, least);
    uint64_t whole = wvl_max_u64(wvl_ceil_div(iterations, wvl_max_u64(wave * WVL_CUDA_PLANE_WAVE / 100 / strips, 1)), least);
    job->grade = 100;
    cut_evenly(job, level > 1 ? choose_plane_segment(b, job, whole, chosen) : chosen);
    if (level == 1 && strips * job->rows <= wave) {
        fill_wave(job, strips, wvl_cuda_is_mixing(b->kernel) ? 3 : 1, least);
    }
    if (wvl_cuda_march_columns(b->kernel) == WVL_CUDA_MARCH_COLUMNS_8 && !job->reversible && strips * job->rows <= wave) {
        job->grade = WVL_CUDA_MARCH_GRADE97_8;
    }
    if (wvl_cuda_is_mixing(b->kernel)) {
        longer = wvl_cuda_choose_long(strips, wave, iterations, run_in, &long_rows);
    }
    if (longer > WVL_CUDA_MARCH_SHORT_MOST) {
        cut_long(job, long_rows, longer, WVL_CUDA_MARCH_REST);
    }
    if (b->kernel == WVL_CUDA_MARCH53_8 && b->components == 1) {
        cut_wave(job);
    }
}

static void build_march(const builder *b, const unit *u, unsigned level, wvl_cuda_job *job)
{
    memset(job, 0, sizeof *job);
    job->levels = WVL_CUDA_SPLIT_TWICE;
    job->reversible = u->tc->reversible;
    job->outside = b->memory->outside;
    job->rect = level_rect(u, level);
    job->room = (uint16_t)wvl_cuda_march_room(b, u, level, b->kernel);
    job->lead = wvl_cuda_owns_edges(b->kernel) ? 0 : job->room;
    job->columns = (uint16_t)wvl_cuda_march_columns(b->kernel);
    job->strips = wvl_cuda_march_strips(b, u, level, b->kernel);
    job->iterations = march_iterations(u, level);
    cut_rows(b, level, job);
    job->pack = 1;
    job->beside = 1;
    if (level > 1) {
        job->in = build_plane(b, u, level - 1, u->narrow);
    } else {
        build_input(b, u, job);
    }
    build_bands(b, u, u->tc->levels - level + 1u, job->band);
    build_bands(b, u, u->tc->levels - level, job->deep_band);
    job->low = build_plane(b, u, level + 1, wvl_cuda_writes_narrow(b->kernel));
}

static int is_packed(uint32_t kernel) { return kernel >= WVL_CUDA_PLANE53_P && kernel <= WVL_CUDA_PLANE53_SP; }

/* Makes the job the next of those that the last one with items begins, if there is room. */
static int joins_pack(builder *b, wvl_cuda_job *job)
{
    if (!is_packed(b->kernel) || b->tables->job_count == b->first_job) {
        return 0;
    }
    wvl_cuda_job *leader = &b->tables->jobs[b->tables->items[b->tables->item_count - 1].job];
    if (leader->pack >= pack_size(leader->rect) || !wvl_cuda_jobs_alike(leader, job)) {
        return 0;
    }
    leader->pack++;
    return 1;
}

/* The jobs of three components follow one another; the first has the items. */
static void add_march(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_job *job = &t->jobs[t->job_count];
    build_march(b, u, level, job);
    const wvl_cuda_job *front = is_packed(b->kernel) ? NULL : open_front(b, u, job);
    int tells = !is_packed(b->kernel) || pack_size(job->rect) <= WVL_CUDA_PACK_FLAGS;
    if (joins_pack(b, job)) {
        t->fronts[u->number] = tells ? t->items[t->item_count - 1].job : NO_FRONT;
        t->job_count++;
        return;
    }
    t->fronts[u->number] = tells ? (uint32_t)t->job_count : NO_FRONT;
    for (uint32_t row = 0, y = 0, count; row < job->rows && !(level == 1 && wvl_cuda_is_mixed(u) && u->component); row++, y += count) {
        count = wvl_cuda_first_iteration(job, row + 1) - y;
        for (uint32_t x = 0; x < job->strips; x++) {
            wvl_cuda_item *item = &t->items[t->item_count++];
            *item = (wvl_cuda_item){.job = (uint32_t)t->job_count, .x = x, .y = y, .count = count, .flag = row * job->strips + x};
            wvl_cuda_open_march_window(front, job, item);
        }
    }
    t->job_count++;
}

/* A job a level; the first has the items. */
static void add_cascade(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_job *job = &t->jobs[t->job_count];
    uint32_t levels = wvl_cuda_cascade_levels(u, level);
    for (uint32_t k = 0; k < levels; k++) {
        unit one = *u;
        one.narrow = k ? 0 : u->narrow;
        build_job(b, &one, level + k, &job[k]);
        job[k].chain = (uint8_t)(levels - k);
    }
    wvl_rect r = job[levels - 1].rect;
    uint32_t width = wvl_rect_width(r), height = r.y1 - (r.y0 & ~7u);
    if (!b->cascade || b->cascade->chain != levels || !rects_alike(b->cascade[levels - 1].rect, r)) { /* not for every tile anew */
        wvl_cuda_choose_cascade(b->components, width, height, job->reversible, (int)levels, &b->tile_width, &b->tile_height);
    }
    job->tile_width = b->tile_width;
    job->tile_height = b->tile_height;
    b->cascade = job;
    const wvl_cuda_job *front = open_front(b, u, job);
    for (uint32_t y = 0; y * job->tile_height < height; y++) {
        for (uint32_t x = 0; x * job->tile_width < width; x++) {
            t->items[t->item_count] = (wvl_cuda_item){.job = (uint32_t)t->job_count, .x = x, .y = y};
            wvl_cuda_open_cascade_window(front, job, &t->items[t->item_count++]);
        }
    }
    t->fronts[u->number] = NO_FRONT;
    t->job_count += levels;
}

/* The last level by itself. */
static void add_last(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_job *job = &t->jobs[t->job_count];
    build_job(b, u, level, job);
    const wvl_cuda_job *front = open_front(b, u, job);
    uint32_t width = job->rect.x1 - (job->rect.x0 & ~3u), height = job->rect.y1 - (job->rect.y0 & ~7u);
    for (uint32_t y = 0; y * WVL_CUDA_CASCADE_ROWS < height; y++) {
        for (uint32_t x = 0; x * WVL_CUDA_CASCADE_OWN < width; x++) {
            t->items[t->item_count] = (wvl_cuda_item){.job = (uint32_t)t->job_count, .x = x, .y = y};
            wvl_cuda_open_last_window(front, job, &t->items[t->item_count++]);
        }
    }
    t->fronts[u->number] = NO_FRONT;
    t->job_count++;
}

static void count_strips(builder *b, const unit *u, unsigned level)
{
    b->strips += wvl_cuda_strip_shares(b, u, level, b->kernel) / (is_packed(b->kernel) ? pack_size(level_rect(u, level)) : 1);
}

/* ---- All jobs -------------------------------------------------------------------------------------------------------------------- */

typedef void (*visit)(builder *b, const unit *u, unsigned level);

/* Calls for every component of which b->kernel begins with the level. */
static void walk_units(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned level, visit call)
{
    wvl_cuda_tables *t = b->tables;
    t->plane_bytes = t->coef_bytes = t->block_count = 0;
    for (uint32_t i = 0; i < tile_count; i++) {
        for (uint32_t c = 0; c < b->plan->component_count; c++) {
            unit u = {.tile = &tiles[i], .tc = &tiles[i].components[c], .component = c, .coefs = t->coef_bytes, .bounds = t->block_count};
            u.planes = t->plane_bytes;
            u.number = (uint64_t)i * b->plan->component_count + c;
            t->plane_bytes = wvl_add_saturate(t->plane_bytes, plane_bytes(&u, u.tc->levels));
            if (wvl_cuda_choose_kernel(b, &u, level) == b->kernel) {
                call(b, &u, u.tc->levels ? level : 0);
            }
        }
        t->coef_bytes = wvl_add_saturate(t->coef_bytes, tiles[i].coef_bytes);
        t->block_count = wvl_add_saturate(t->block_count, tiles[i].block_count);
    }
}

static int by_job(const void *a, const void *b)
{
    const wvl_cuda_item *l = a, *r = b;
    return l->job != r->job ? (l->job < r->job ? -1 : 1) : l->flag < r->flag ? -1 : l->flag > r->flag;
}

static int by_length(const void *a, const void *b)
{
    const wvl_cuda_item *l = a, *r = b;
    int shorter = l->count <= WVL_CUDA_MARCH_SHORT_MOST, other = r->count <= WVL_CUDA_MARCH_SHORT_MOST;
    if (shorter != other) {
        return shorter - other;
    }
    return by_job(a, b);
}

uint64_t wvl_cuda_finish_items(uint32_t kernel, uint64_t components, wvl_cuda_job *jobs, wvl_cuda_item *items, uint64_t count)
{
    if (wvl_cuda_goes_on(kernel, components)) { /* they may come from launches that were finished already */
        qsort(items, (size_t)count, sizeof *items, by_job);
        count = wvl_cuda_set_beside(jobs, items, count);
    }
    if (count && jobs[items->job].long_rows < jobs[items->job].rows) {
        qsort(items, (size_t)count, sizeof *items, by_length);
    }
    return count;
}

/* 1 more than the number of the job that all items belong to, 0 if they do not. */
static uint32_t only_job(const wvl_cuda_item *items, uint64_t count)
{
    uint64_t alike = 1;
    while (alike < count && items[alike].job == items->job) {
        alike++;
    }
    return alike == count ? items->job + 1 : 0;
}

static void build_round(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint64_t first = t->item_count;
    int marches = b->kernel >= WVL_CUDA_PLANE53;
    b->strips = 0;
    if (marches) {
        walk_units(b, tiles, tile_count, level, count_strips);
        b->strips = wvl_max_u64(wvl_ceil_div(b->strips * wvl_max_u64(b->options >> 8, 1), 32), 1);
    }
    b->first_job = t->job_count;
    b->cascade = NULL;
    walk_units(b, tiles, tile_count, level, marches ? add_march : wvl_cuda_is_cascade(b->kernel) ? add_cascade : wvl_cuda_is_last(b->kernel) ? add_last : add_any);
    if (t->item_count > first) {
        if (b->memory) {
            uint64_t count = wvl_cuda_finish_items(b->kernel, b->components, t->jobs, t->items + first, t->item_count - first);
            t->item_count = first + count;
            t->rounds[t->round_count] = (wvl_cuda_round){.kernel = b->kernel, .first_item = (uint32_t)first, .item_count = (uint32_t)count,
                                                         .first_job = (uint32_t)b->first_job, .only = only_job(t->items + first, count)};
        }
        t->round_count++;
    }
}

void wvl_cuda_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned options,
                           const wvl_cuda_memory *memory, wvl_cuda_tables *tables)
{
    builder b = {.plan = plan, .memory = memory, .tables = tables, .options = options};
    b.components = (uint64_t)tile_count * plan->component_count * wvl_max_u64(options >> 8, 1);
    tables->job_count = tables->item_count = tables->flag_count = 0;
    tables->round_count = memory ? 0 : WVL_CUDA_KERNELS + (WVL_CUDA_PLANE53_SP + 1) * WVL_MAX_LEVELS;
    for (unsigned level = 1; level <= wvl_max_u32(plan->max_levels, 1); level++) {
        for (b.kernel = 0; b.kernel < (level == 1 ? (uint32_t)WVL_CUDA_KERNELS : WVL_CUDA_PLANE53_SP + 1u); b.kernel++) {
            build_round(&b, tiles, tile_count, level);
        }
    }
    tables->flag_count = memory ? tables->flag_count : tables->item_count; /* a component that others take along counts items, too */
}
