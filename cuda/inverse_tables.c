/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/inverse_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "cuda/grid.h"
#include "cuda/inverse_launch.h"
#include "cuda/inverse_tuning.h"
#include "cuda/segment.h"
#include "dwt/quant.h"
#include "geom/handover.h"

#define STEPS_MAX (WVL_MAX_LEVELS + 2u)

/* One launch's share of a component: `levels` levels from the low-low band of `level + levels` up to the resolution of `level`, or pixels. */
typedef struct step {
    uint32_t kernel;
    unsigned level, levels;
    uint64_t in, out;        /* offsets of planes; unused where it reads coefficients or writes pixels */
} step;

typedef struct unit {
    const wvl_tile_plan *tile;
    const wvl_tile_component *tc;
    uint32_t component;
    uint64_t coefs;          /* of the tile, in bytes */
    step steps[STEPS_MAX];
    unsigned step_count;
} unit;

typedef struct builder {
    const wvl_plan *plan;
    const wvl_cuda_inverse_memory *memory;
    wvl_cuda_inverse_tables *tables;
    unsigned options;
    uint32_t kernel;         /* of the launch being built */
    unsigned turn;           /* its place among the steps of components */
    uint64_t strips;         /* of all its jobs; 32 times as many warps while they are counted */
    wvl_cuda_inverse_job leader; /* of the launch: the last job with items; pack 0: none yet */
    uint64_t leader_at;      /* its number */
} builder;

static int is_mixed(const builder *b, const unit *u) { return b->plan->mct != WVL_MCT_NONE && u->component < 3; }

/* The low-low band of `level`; level 0 is the tile-component. */
static wvl_rect level_rect(const unit *u, unsigned level) { return u->tile->resolutions[u->tc->first_resolution + u->tc->levels - level].rect; }

/* Details of `level`: HL, LH, HH. */
static const wvl_tile_band *level_bands(const unit *u, unsigned level)
{
    return &u->tile->bands[u->tile->resolutions[u->tc->first_resolution + u->tc->levels - level + 1].first_band];
}

/* ---- Which kernels take a component ------------------------------------------------------------------------------------------------- */

/* Times 2^149 and WVL_INVERSE_UNIT that stays a float. */
#define HALF_STEP_MAX 0x1p9f

/* 5/3: unused. */
static float half_step(const wvl_tile_band *band) { return band->reciprocal > 0 ? 0.5f / band->reciprocal : 0; }

/* Alike (their first row is therefore even), and within 4 GiB. deep: the kernel takes magnitudes of any depth. */
static int bands_march(const wvl_tile_band *first, unsigned bytes, int deep)
{
    int fit = wvl_cuda_bands_alike(first, bytes);
    for (unsigned i = 0; i < 3 && fit; i++) {
        const wvl_tile_band *band = &first[i];
        fit = half_step(band) <= HALF_STEP_MAX && (deep || (unsigned)(band->planes + band->frac_bits) <= WVL_QUANT_FLOAT_BITS) &&
              !((band->coef_offset - first->coef_offset + wvl_cuda_slots_bytes(band)) >> 32);
    }
    return fit;
}

/* Levels `level` + 2 and `level` + 1 at once, `columns` a lane. */
static int shape_marches(const unit *u, unsigned level, uint32_t columns, unsigned bytes)
{
    if (u->tc->levels < level + 2) {
        return 0;
    }
    wvl_rect r = level_rect(u, level);
    uint32_t least = level ? WVL_CUDA_BACK_PLANE_SIDE_MIN : WVL_CUDA_BACK_SIDE_MIN;
    if (wvl_rect_width(r) < least || wvl_rect_height(r) < least || r.x0 % columns || wvl_rect_width(r) % columns ||
        r.y0 % 4 || r.x1 >> 29 || r.y1 >> 28) {
        return 0;
    }
    int deep = level && bytes == 4;
    return bands_march(level_bands(u, level + 1), bytes, deep) && bands_march(level_bands(u, level + 2), bytes, deep);
}

/* Rows that lanes may store whole, `lane_bytes` each. */
static int pixels_march(const wvl_cuda_pixels *p, const unit *u, uint32_t stride, uint32_t bytes, uint32_t lane_bytes)
{
    uint32_t align = lane_bytes % 16 ? 8 : 16;
    uint64_t at = p->data + (uint64_t)(u->tc->rect.x0 - p->x0) * stride * bytes;
    return p->stride == stride && !p->is_signed && p->container == (bytes == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16) && (bytes == 2 || p->depth == 8) &&
           at % align == 0 && p->pitch_bytes % align == 0 && p->pitch_bytes > 0 && p->pitch_bytes >> 32 == 0;
}

static uint32_t choose_gray(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = &b->memory->pixels[u->component];
    unsigned bytes = u->tc->levels < 2 ? 0 : level_bands(u, 1)->coef_bytes;
    if (p->first) {
        return WVL_CUDA_BACK_KERNELS;
    }
    if (bytes == 2 && pixels_march(p, u, 1, 1, 16) && shape_marches(u, 0, 16, 2) && wvl_rect_width(u->tc->rect) > 32 * WVL_CUDA_BACK_COLUMNS) {
        return WVL_CUDA_BACK53_8;
    }
    if (bytes == 2 && pixels_march(p, u, 1, 1, 8) && shape_marches(u, 0, 8, 2)) {
        return WVL_CUDA_BACK53_8N;
    }
    if (pixels_march(p, u, 1, 2, 16) && shape_marches(u, 0, 8, bytes)) {
        return bytes == 2 ? WVL_CUDA_BACK53_16 : WVL_CUDA_BACK53_16W;
    }
    return WVL_CUDA_BACK_KERNELS;
}

/* Whether all of three components agree on lanes of so many columns. */
static int colors_march(const builder *b, const unit *u, int shared, uint32_t columns)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int fit = 1;
    for (uint32_t i = 0; i < 3; i++) {
        unit one = *u;
        one.tc = &u->tile->components[i];
        fit = fit && pixels_march(&p[i], &one, shared ? 3 : 1, 1, shared ? 3 * columns : columns) && p[i].first == (shared ? i : 0) &&
              p[i].pitch_bytes == p[0].pitch_bytes && (!shared || p[i].data == p[0].data) && shape_marches(&one, 0, columns, 2) &&
              one.tc->levels == u->tc->levels && one.tc->reversible == u->tc->reversible;
    }
    return fit;
}

static uint32_t strip_count(const unit *u, unsigned level, uint32_t columns, uint32_t halo)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, level)) / columns;
    return lanes <= 32 ? 1 : (uint32_t)wvl_ceil_div(lanes - 2 * halo, 32 - 2 * halo);
}

/* One of three components; 9/7 has the next number. 16 columns a lane need fewer instructions, but lanes of the last strip may idle. */
static uint32_t choose_color(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int shared = p[1].data == p[0].data;
    if (!u->tc->reversible && 2 * strip_count(u, 0, 16, 1) <= strip_count(u, 0, 8, 2) && colors_march(b, u, shared, 16)) {
        return (shared ? WVL_CUDA_BACK97_8X3W : WVL_CUDA_BACK97_8P3W) - 1;
    }
    return !colors_march(b, u, shared, 8) ? WVL_CUDA_BACK_KERNELS : shared ? WVL_CUDA_BACK53_8X3 : WVL_CUDA_BACK53_8P3;
}

static uint32_t choose_march(const builder *b, const unit *u, unsigned level)
{
    uint32_t kernel = WVL_CUDA_BACK_KERNELS;
    if (b->options & WVL_CUDA_INVERSE_PLAIN_PATH) {
        return kernel;
    }
    if (level == 0) {
        kernel = is_mixed(b, u) ? choose_color(b, u) : choose_gray(b, u);
    } else if (u->tc->levels >= level + 2) {
        unsigned bytes = level_bands(u, level + 1)->coef_bytes;
        kernel = shape_marches(u, level, 8, bytes) ? (bytes == 2 ? WVL_CUDA_BACK_PLANE53 : WVL_CUDA_BACK_PLANE53_W) : WVL_CUDA_BACK_KERNELS;
    }
    return kernel == WVL_CUDA_BACK_KERNELS ? kernel : kernel + !u->tc->reversible;
}

static void add_step(unit *u, uint32_t kernel, unsigned level, unsigned levels)
{
    memmove(u->steps + 1, u->steps, u->step_count * sizeof *u->steps);
    u->steps[0] = (step){.kernel = kernel, .level = level, .levels = levels};
    u->step_count++;
}

/* From the pixels down, then told in the order of work; every plane gets room of its own. */
static void plan_steps(builder *b, unit *u)
{
    uint32_t any = WVL_CUDA_BACK_ANY53 + !u->tc->reversible, levels = u->tc->levels;
    uint64_t *planes = &b->tables->plane_bytes;
    unsigned level = 0;
    u->step_count = 0;
    if (choose_march(b, u, 0) == WVL_CUDA_BACK_KERNELS) {
        add_step(u, WVL_CUDA_BACK_PIXELS53 + !u->tc->reversible, 0, 0);
    }
    while (level < levels) {
        uint32_t kernel = choose_march(b, u, level);
        unsigned taken = kernel == WVL_CUDA_BACK_KERNELS ? 1 : 2;
        add_step(u, taken == 2 ? kernel : any, level, taken);
        level += taken;
    }
    if (!levels || u->steps[0].levels == 2) {
        add_step(u, any, levels, 0); /* the coefficients of the lowest band as a plane */
    }
    for (unsigned i = 0; i + 1 < u->step_count; i++) {
        wvl_rect r = level_rect(u, u->steps[i].level);
        u->steps[i].out = u->steps[i + 1].in = *planes;
        *planes = wvl_add_saturate(*planes, wvl_align_up(wvl_mul_saturate(wvl_cuda_pitch_bytes(r), wvl_rect_height(r)), 256));
    }
}

/* ---- Jobs -------------------------------------------------------------------------------------------------------------------------- */

static void build_band(const builder *b, const unit *u, const wvl_tile_band *from, wvl_cuda_inverse_band *to)
{
    if (wvl_cuda_is_empty(from->rect)) {
        return;
    }
    to->samples = b->memory->coefs + u->coefs + from->coef_offset;
    to->slot_bytes = (uint32_t)(wvl_coef_slot(from, 1) - wvl_coef_slot(from, 0));
    to->row_bytes = (uint64_t)from->block_cols * to->slot_bytes;
    to->rect = from->rect;
    to->block_x0 = from->block_x0;
    to->block_y0 = from->block_y0;
    to->slot_width = from->slot_width;
    to->half_step = half_step(from);
    to->xcb = from->xcb;
    to->ycb = from->ycb;
    to->coef_bytes = from->coef_bytes;
}

static void build_bands(const builder *b, const unit *u, unsigned level, wvl_cuda_inverse_band *bands)
{
    const wvl_tile_band *details = level_bands(u, level);
    for (unsigned i = 0; i < 3; i++) {
        build_band(b, u, &details[i], &bands[details[i].orient]);
    }
}

static wvl_cuda_plane build_plane(const builder *b, const unit *u, uint64_t offset, unsigned level)
{
    wvl_rect r = level_rect(u, level);
    return (wvl_cuda_plane){b->memory->planes + offset, wvl_cuda_pitch_bytes(r), r.x0 & ~(WVL_CUDA_PLANE_ALIGN - 1), r.y0, 0};
}

static void build_job(const builder *b, const unit *u, const step *s, wvl_cuda_inverse_job *job)
{
    int to_pixels = s == &u->steps[u->step_count - 1], from_plane = s != u->steps;
    memset(job, 0, sizeof *job);
    job->rect = level_rect(u, s->level);
    job->levels = s->levels == 2 ? WVL_CUDA_SPLIT_TWICE : s->levels ? WVL_CUDA_SPLIT : WVL_CUDA_PLAIN;
    job->parts = to_pixels && is_mixed(b, u) ? 3 : 1;
    if (from_plane) {
        job->in = build_plane(b, u, s->in, s->level + s->levels);
    } else {
        build_band(b, u, &u->tile->bands[u->tile->resolutions[u->tc->first_resolution].first_band], &job->band[WVL_BAND_LL]);
    }
    if (to_pixels) {
        job->pixels = b->memory->pixels[u->component];
    } else {
        job->out = build_plane(b, u, s->out, s->level);
    }
    if (s->levels) {
        build_bands(b, u, s->level + 1, job->band);
    }
    if (s->levels == 2) {
        build_bands(b, u, s->level + 2, job->deep_band);
    }
}

/* ---- Items ------------------------------------------------------------------------------------------------------------------------- */

static int kernel_marches(uint32_t kernel) { return kernel >= WVL_CUDA_BACK_PLANE53 && kernel < WVL_CUDA_BACK_PIXELS53; }

static uint32_t march_strips(const unit *u, const step *s)
{
    int wide = s->kernel == WVL_CUDA_BACK53_8 || s->kernel == WVL_CUDA_BACK97_8 || s->kernel >= WVL_CUDA_BACK97_8X3W;
    return strip_count(u, s->level, wide ? WVL_CUDA_BACK_COLUMNS_8 : WVL_CUDA_BACK_COLUMNS, wide || u->tc->reversible ? 1 : 2);
}

/* Iterations of four rows; inverse_march.cu has the same sum. */
static uint32_t march_iterations(const unit *u, const step *s)
{
    wvl_rect r = level_rect(u, s->level);
    uint32_t row0 = u->tc->reversible ? 3 : 9;
    return ((r.y1 + row0 + 3) >> 2) - ((r.y0 + row0) >> 2);
}

static uint32_t wave_size(const builder *b, uint32_t kernel)
{
    uint32_t multiprocessors = b->options >> 4 & 0xfff, blocks;
    switch (kernel) {
    case WVL_CUDA_BACK53_8: blocks = WVL_CUDA_BACK_WARPS53_8; break;
    case WVL_CUDA_BACK97_8: blocks = WVL_CUDA_BACK_WARPS97_8; break;
    case WVL_CUDA_BACK53_8X3: case WVL_CUDA_BACK53_8P3: blocks = WVL_CUDA_BACK_BLOCKS53_X3; break;
    case WVL_CUDA_BACK97_8X3W: case WVL_CUDA_BACK97_8P3W: blocks = WVL_CUDA_BACK_BLOCKS97_X3W; break;
    case WVL_CUDA_BACK97_16: case WVL_CUDA_BACK97_16W: blocks = WVL_CUDA_BACK_WARPS97_16; break;
    case WVL_CUDA_BACK_PLANE97: case WVL_CUDA_BACK_PLANE97_W: blocks = WVL_CUDA_BACK_WARPS97_PLANE; break;
    case WVL_CUDA_BACK97_8X3: case WVL_CUDA_BACK97_8P3: blocks = WVL_CUDA_BACK_BLOCKS97_X3; break;
    default: blocks = kernel & 1 ? WVL_CUDA_BACK_WARPS97 : WVL_CUDA_BACK_WARPS53; break;
    }
    return blocks * (multiprocessors ? multiprocessors : WVL_CUDA_BACK_MULTIPROCESSORS);
}

static int kernel_mixes(uint32_t kernel)
{
    return (kernel >= WVL_CUDA_BACK53_8X3 && kernel <= WVL_CUDA_BACK97_8P3) || kernel == WVL_CUDA_BACK97_8X3W || kernel == WVL_CUDA_BACK97_8P3W;
}

/* Components whose colours are mixed. Many waves: segments of a length at which the last wave does not count. One and a bit: long ones first, as many
 * rows of them as a wave holds, and short ones behind them for multiprocessors that are early. */
static void cut_wave(wvl_cuda_inverse_job *job, uint64_t strips, uint64_t wave, uint64_t iterations, int reversible)
{
    uint64_t part = reversible ? WVL_CUDA_BACK_LONG_PART53 : WVL_CUDA_BACK_LONG_PART97, rows = wave / strips;
    uint64_t length = iterations * part / 100 / wvl_max_u64(rows, 1);
    uint32_t many = reversible ? WVL_CUDA_BACK_SEGMENT_MANY53 : WVL_CUDA_BACK_SEGMENT_MANY97;
    if (strips * iterations >= WVL_CUDA_BACK_WAVES * many * wave) {
        job->segment = job->short_segment = wvl_min_u32(job->segment, many);
    } else if (rows >= WVL_CUDA_BACK_ROWS_LEAST && rows <= WVL_CUDA_BACK_ROWS_MOST && length >= WVL_CUDA_BACK_LONG_MIN) {
        job->segment = (uint32_t)length;
        job->long_rows = (uint32_t)rows;
        job->short_segment = WVL_CUDA_BACK_SHORT;
    }
}

static void cut_rows(const builder *b, const unit *u, const step *s, wvl_cuda_inverse_job *job)
{
    uint64_t strips = wvl_max_u64(b->strips * wvl_max_u64(b->options >> 16, 1), 1), wave = wave_size(b, s->kernel);
    uint64_t iterations = march_iterations(u, s);
    uint32_t run_in = u->tc->reversible ? WVL_CUDA_BACK_RUN_IN53 : WVL_CUDA_BACK_RUN_IN97;
    uint32_t least = s->level ? WVL_CUDA_BACK_PLANE_SEGMENT_MIN : WVL_CUDA_BACK_SEGMENT_MIN;
    job->segment = job->short_segment = wvl_cuda_choose_segment(strips, wave, iterations, run_in, least);
    if (kernel_mixes(s->kernel)) {
        cut_wave(job, strips, wave, iterations, u->tc->reversible);
    }
    job->strips = march_strips(u, s);
}

/* The jobs of three components follow one another; the first has the items. */
static int has_items(const builder *b, const unit *u, const step *s)
{
    return !(s == &u->steps[u->step_count - 1] && is_mixed(b, u) && u->component);
}

static void put_items(builder *b, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1)
{
    wvl_cuda_inverse_tables *t = b->tables;
    if (t->jobs) {
        wvl_cuda_item *item = t->items + t->item_count;
        for (uint32_t y = y0; y < y1; y++) {
            for (uint32_t x = x0; x < x1; x++) {
                *item++ = (wvl_cuda_item){.job = (uint32_t)t->job_count, .x = x, .y = y};
            }
        }
    }
    t->item_count += (uint64_t)(x1 - x0) * (y1 - y0);
}

static void put_segments(builder *b, const wvl_cuda_inverse_job *job, uint32_t iterations)
{
    wvl_cuda_inverse_tables *t = b->tables;
    for (uint32_t row = 0, y = 0, count; y < iterations; row++, y += count) {
        count = wvl_min_u32(row < job->long_rows ? job->segment : job->short_segment, iterations - y);
        for (uint32_t x = 0; x < job->strips; x++, t->item_count++) {
            if (t->jobs) {
                t->items[t->item_count] = (wvl_cuda_item){.job = (uint32_t)t->job_count, .x = x, .y = y, .count = count};
            }
        }
    }
}

/* Planes of this shape that a warp has room for. */
static uint32_t pack_size(const unit *u, const step *s)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, s->level)) / WVL_CUDA_BACK_COLUMNS;
    return s->kernel >= WVL_CUDA_BACK_PLANE53 && s->kernel <= WVL_CUDA_BACK_PLANE97_W && lanes && lanes < 32 ? 32 / lanes : 1;
}

static int bands_alike(const wvl_cuda_inverse_band *a, const wvl_cuda_inverse_band *b)
{
    int alike = 1;
    for (unsigned i = 1; i < 4; i++) {
        alike = alike && a[i].samples - a[1].samples == b[i].samples - b[1].samples && a[i].row_bytes == b[i].row_bytes &&
                a[i].rect.y0 == b[i].rect.y0 && a[i].block_y0 == b[i].block_y0 && a[i].slot_width == b[i].slot_width &&
                a[i].ycb == b[i].ycb && a[i].half_step == b[i].half_step;
    }
    return alike;
}

/* Whether one warp may take both: what lanes share is the same. */
static int jobs_alike(const wvl_cuda_inverse_job *a, const wvl_cuda_inverse_job *b)
{
    return wvl_rect_width(a->rect) == wvl_rect_width(b->rect) && a->rect.y0 == b->rect.y0 && a->rect.y1 == b->rect.y1 &&
           a->segment == b->segment && a->long_rows == b->long_rows && a->in.pitch_bytes == b->in.pitch_bytes &&
           a->out.pitch_bytes == b->out.pitch_bytes &&
           bands_alike(a->band, b->band) && bands_alike(a->deep_band, b->deep_band);
}

/* Makes the job the next of those that the last one with items begins, if there is room. */
static int joins_pack(builder *b, const unit *u, const step *s, const wvl_cuda_inverse_job *job)
{
    wvl_cuda_inverse_tables *t = b->tables;
    if (b->leader.pack && b->leader.pack < pack_size(u, s) && jobs_alike(&b->leader, job)) {
        b->leader.pack++;
        if (t->jobs) {
            t->jobs[b->leader_at].pack = b->leader.pack;
        }
        return 1;
    }
    b->leader = *job;
    b->leader_at = t->job_count;
    return 0;
}

static void add_job(builder *b, const unit *u, const step *s)
{
    wvl_cuda_inverse_tables *t = b->tables;
    wvl_rect r = level_rect(u, s->level);
    wvl_cuda_inverse_job one, *job = t->jobs ? &t->jobs[t->job_count] : &one;
    if (wvl_cuda_is_empty(r)) {
        return;
    }
    build_job(b, u, s, job);
    if (kernel_marches(s->kernel)) {
        cut_rows(b, u, s, job);
        job->pack = 1;
        if (has_items(b, u, s) && !joins_pack(b, u, s, job)) {
            put_segments(b, job, march_iterations(u, s));
        }
    } else if (s->kernel <= WVL_CUDA_BACK_ANY97) {
        put_items(b, 0, (uint32_t)wvl_ceil_div(r.x1 - (r.x0 & ~1u), WVL_CUDA_BACK_JOIN_WIDTH), 0,
                  (uint32_t)wvl_ceil_div(r.y1 - (r.y0 & ~1u), WVL_CUDA_BACK_JOIN_HEIGHT));
    } else if (has_items(b, u, s)) {
        uint32_t width = WVL_CUDA_BACK_TILE_WIDTH, height = WVL_CUDA_BACK_TILE_HEIGHT;
        put_items(b, r.x0 / width, (r.x1 - 1) / width + 1, r.y0 / height, (r.y1 - 1) / height + 1);
    }
    t->job_count++;
}

static void count_strips(builder *b, const unit *u, const step *s)
{
    b->strips += has_items(b, u, s) ? 32 * march_strips(u, s) / pack_size(u, s) : 0;
}

/* ---- All jobs ---------------------------------------------------------------------------------------------------------------------- */

typedef void (*visit)(builder *b, const unit *u, const step *s);

/* Calls for every component whose step `turn`, counted from the last, runs b->kernel. Counted from the end, the last steps of three
 * components that share a transform meet in one launch. Returns whether any component has such a step, whatever its kernel. */
static int walk_units(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, visit call)
{
    wvl_cuda_inverse_tables *t = b->tables;
    int more = 0;
    t->plane_bytes = t->coef_bytes = 0;
    for (uint32_t i = 0; i < tile_count; i++) {
        for (uint32_t c = 0; c < b->plan->component_count; c++) {
            unit u = {.tile = &tiles[i], .tc = &tiles[i].components[c], .component = c, .coefs = t->coef_bytes};
            if (wvl_cuda_is_empty(u.tc->rect)) {
                continue;
            }
            plan_steps(b, &u);
            more = more || u.step_count > b->turn;
            if (call && u.step_count > b->turn && u.steps[u.step_count - 1 - b->turn].kernel == b->kernel) {
                call(b, &u, &u.steps[u.step_count - 1 - b->turn]);
            }
        }
        t->coef_bytes = wvl_add_saturate(t->coef_bytes, tiles[i].coef_bytes);
    }
    return more;
}

static int by_length(const void *a, const void *b)
{
    const wvl_cuda_item *l = a, *r = b;
    if (l->count != r->count) {
        return l->count > r->count ? -1 : 1;
    }
    return l->job != r->job ? (l->job < r->job ? -1 : 1) : l->y != r->y ? (l->y < r->y ? -1 : 1) : l->x < r->x ? -1 : l->x > r->x;
}

void wvl_cuda_inverse_order_items(const wvl_cuda_inverse_job *jobs, wvl_cuda_item *items, uint64_t count)
{
    if (count && jobs[items->job].long_rows) {
        qsort(items, (size_t)count, sizeof *items, by_length);
    }
}

static void build_round(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    wvl_cuda_inverse_tables *t = b->tables;
    uint64_t first = t->item_count;
    b->strips = 0;
    b->leader.pack = 0;
    if (kernel_marches(b->kernel)) {
        (void)walk_units(b, tiles, tile_count, count_strips);
        b->strips = wvl_ceil_div(b->strips, 32);
    }
    (void)walk_units(b, tiles, tile_count, add_job);
    if (t->item_count > first) {
        if (t->jobs) {
            wvl_cuda_inverse_order_items(t->jobs, t->items + first, t->item_count - first);
            t->rounds[t->round_count] = (wvl_cuda_inverse_round){b->kernel, (uint32_t)first, (uint32_t)(t->item_count - first)};
        }
        t->round_count++;
    }
}

void wvl_cuda_inverse_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned options,
                                   const wvl_cuda_inverse_memory *memory, wvl_cuda_inverse_tables *tables)
{
    builder b = {.plan = plan, .memory = memory, .tables = tables, .options = options};
    tables->job_count = tables->item_count = tables->round_count = 0;
    while (walk_units(&b, tiles, tile_count, NULL)) {
        b.turn++;
    }
    while (b.turn--) {
        for (b.kernel = 0; b.kernel < WVL_CUDA_BACK_KERNELS; b.kernel++) {
            build_round(&b, tiles, tile_count);
        }
    }
}
