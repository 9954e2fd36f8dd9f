/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cuda/inverse/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/intmath.h"
#include "cuda/core/fit.h"
#include "cuda/core/stretch.h"
#include "dwt/quant.h"
#include "geom/handover.h"
#include "lab/cuda/inverse/kernels.h"
#include "lab/cuda/inverse/tuning.h"

#define STEPS_MAX (WVL_MAX_LEVELS + 2u)

/* One launch's share of a component: `levels` levels from the low-low band of `level + levels` up to the resolution of
 * `level`, or pixels. */
typedef struct step {
    const wvl_cuda_kernel_row *row;
    unsigned level, levels;
    uint64_t in, out; /* offsets of planes; unused where it reads coefficients or writes pixels */
} step;

typedef struct unit {
    const wvl_tile_plan *tile;
    const wvl_tile_component *tc;
    uint32_t component;
    uint64_t coefs; /* of the tile, in bytes */
    step steps[STEPS_MAX];
    unsigned step_count;
} unit;

typedef struct builder {
    const wvl_plan *plan;
    const wvl_cuda_inverse_memory *memory;
    wvl_cuda_inverse_tables *tables;
    wvl_cuda_inverse_options options;
    const wvl_cuda_kernel_row *row; /* of the launch being built */
    unsigned turn;                  /* its place among the steps of components */
    uint64_t panels;                /* of all its splits; 32 times as many warps while they are counted */
    wvl_cuda_inverse_split leader;  /* of the launch: the last split with items; pack 0: none yet */
    uint64_t leader_at;             /* its number */
} builder;

static int is_mixed(const builder *b, const unit *u) { return b->plan->syntax.mct != WVL_MCT_NONE && u->component < 3; }

/* The low-low band of `level`; level 0 is the tile-component. */
static wvl_rect level_rect(const unit *u, unsigned level)
{
    return wvl_cuda_low_resolution(u->tile, u->tc, level)->rect;
}

/* Details of `level`: HL, LH, HH. */
static const wvl_tile_band *level_bands(const unit *u, unsigned level)
{
    return wvl_cuda_level_bands(u->tile, u->tc, level);
}

/* ---- Which kernels take a component ---------------------------------------------------------- */

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
        fit = half_step(band) <= HALF_STEP_MAX && (deep || !wvl_quant_is_deep(band->planes, band->frac_bits)) &&
              !((band->coef_offset - first->coef_offset + wvl_cuda_cells_bytes(band)) >> 32);
    }
    return fit;
}

/* Levels `level` + 2 and `level` + 1 at once, `columns` a lane. */
static int levels_march(const wvl_tile_plan *tile, const wvl_tile_component *tc, unsigned level, uint32_t columns,
                        unsigned bytes)
{
    if (tc->levels < level + 2) {
        return 0;
    }
    wvl_rect r = wvl_cuda_low_resolution(tile, tc, level)->rect;
    uint32_t least = level ? WVL_CUDA_BACK_PLANE_SIDE_MIN : WVL_CUDA_BACK_SIDE_MIN;
    int deep = level && bytes == 4;
    return wvl_cuda_rect_fits(r, columns, least) && r.y0 % 4 == 0 && !(r.x1 >> 29) && !(r.y1 >> 28) &&
           bands_march(wvl_cuda_level_bands(tile, tc, level + 1), bytes, deep) &&
           bands_march(wvl_cuda_level_bands(tile, tc, level + 2), bytes, deep);
}

static int first_levels_march(const wvl_tile_plan *tile, const wvl_tile_component *tc, uint32_t columns, unsigned bytes)
{
    return levels_march(tile, tc, 0, columns, bytes);
}

static int pixels_march(const wvl_cuda_pixels *p, const wvl_tile_component *tc, uint32_t bytes)
{
    (void)tc;
    return (bytes == 2 || p->depth == 8) && p->pitch_bytes >> 32 == 0;
}

static wvl_cuda_fit fit_of(const builder *b, const unit *u)
{
    return (wvl_cuda_fit){u->tile, b->memory->pixels, pixels_march, first_levels_march, 0};
}

static wvl_cuda_kernel_wish wish_for(const unit *u, unsigned family, unsigned columns)
{
    return (wvl_cuda_kernel_wish){
        .family = (uint8_t)family, .reversible = u->tc->reversible, .columns = (uint8_t)columns};
}

static const wvl_cuda_kernel_row *choose_gray(const builder *b, const unit *u)
{
    wvl_cuda_kernel_wish wish = wish_for(u, WVL_CUDA_FAMILY_MARCH, 0);
    wvl_cuda_fit fit = fit_of(b, u);
    unsigned bytes = u->tc->levels < 2 ? 0 : level_bands(u, 1)->coef_bytes;
    int fits = wvl_cuda_fit_gray(&fit, u->tc, &b->memory->pixels[u->component], bytes, &wish);
    return fits ? wvl_cuda_inverse_find_kernel(&wish) : NULL;
}

/* Whether all of three components agree on lanes of that many columns. */
static int colors_march(const builder *b, const unit *u, int shared, uint32_t columns)
{
    const wvl_tile_component *tc = u->tile->components;
    wvl_cuda_fit fit = fit_of(b, u);
    return wvl_cuda_fit_colors(&fit, shared, columns, 1, 2) && tc[1].levels == tc[0].levels &&
           tc[2].levels == tc[0].levels;
}

static uint32_t panel_count(const unit *u, unsigned level, uint32_t columns, uint32_t halo)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, level)) / columns;
    return lanes <= 32 ? 1 : (uint32_t)wvl_ceil_div(lanes - 2 * halo, 32 - 2 * halo);
}

static const wvl_cuda_kernel_row *find_color(const unit *u, int shared, unsigned columns)
{
    wvl_cuda_kernel_wish wish = wish_for(u, WVL_CUDA_FAMILY_MARCH, columns);
    wish.end = shared ? WVL_CUDA_END_INTERLEAVED : WVL_CUDA_END_PLANAR;
    wish.container_bits = 8;
    wish.coef_bits = 16;
    return wvl_cuda_inverse_find_kernel(&wish);
}

/* One of three components. 16 columns a lane need fewer instructions, but lanes of the last panel may idle. */
static const wvl_cuda_kernel_row *choose_color(const builder *b, const unit *u)
{
    const wvl_cuda_pixels *p = b->memory->pixels;
    int shared = p[1].data == p[0].data;
    const wvl_cuda_kernel_row *wide = find_color(u, shared, WVL_CUDA_BACK_WIDE);
    if (wide && 2 * panel_count(u, 0, WVL_CUDA_BACK_WIDE, 1) <= panel_count(u, 0, WVL_CUDA_BACK_COLUMNS, 2) &&
        colors_march(b, u, shared, WVL_CUDA_BACK_WIDE)) {
        return wide;
    }
    return colors_march(b, u, shared, WVL_CUDA_BACK_COLUMNS) ? find_color(u, shared, WVL_CUDA_BACK_COLUMNS) : NULL;
}

static const wvl_cuda_kernel_row *choose_plane(const unit *u, unsigned level)
{
    wvl_cuda_kernel_wish wish = wish_for(u, WVL_CUDA_FAMILY_MARCH, WVL_CUDA_BACK_COLUMNS);
    if (u->tc->levels < level + 2) {
        return NULL;
    }
    unsigned bytes = level_bands(u, level + 1)->coef_bytes;
    wish.end = WVL_CUDA_END_PLANE;
    wish.container_bits = 32;
    wish.coef_bits = (uint8_t)(8 * bytes);
    int fits = levels_march(u->tile, u->tc, level, WVL_CUDA_BACK_COLUMNS, bytes);
    return fits ? wvl_cuda_inverse_find_kernel(&wish) : NULL;
}

/* NULL: the any-shape kernels. */
static const wvl_cuda_kernel_row *choose_march(const builder *b, const unit *u, unsigned level)
{
    if (b->options.any_shape) {
        return NULL;
    }
    if (level) {
        return choose_plane(u, level);
    }
    return is_mixed(b, u) ? choose_color(b, u) : choose_gray(b, u);
}

static const wvl_cuda_kernel_row *find_plain(const unit *u, unsigned family, unsigned columns)
{
    wvl_cuda_kernel_wish wish = wish_for(u, family, columns);
    return wvl_cuda_inverse_find_kernel(&wish);
}

static void add_step(unit *u, const wvl_cuda_kernel_row *row, unsigned level, unsigned levels)
{
    memmove(u->steps + 1, u->steps, u->step_count * sizeof *u->steps);
    u->steps[0] = (step){.row = row, .level = level, .levels = levels};
    u->step_count++;
}

/* From the pixels down, then put in the order of work; every plane gets room of its own. */
static void plan_steps(builder *b, unit *u)
{
    const wvl_cuda_kernel_row *any = find_plain(u, WVL_CUDA_FAMILY_ANY, 4);
    uint32_t levels = u->tc->levels;
    uint64_t *planes = &b->tables->plane_bytes;
    unsigned level = 0;
    u->step_count = 0;
    if (!choose_march(b, u, 0)) {
        add_step(u, find_plain(u, WVL_CUDA_FAMILY_PIXELS, 1), 0, 0);
    }
    while (level < levels) {
        const wvl_cuda_kernel_row *march = choose_march(b, u, level);
        unsigned taken = march ? 2 : 1;
        add_step(u, march ? march : any, level, taken);
        level += taken;
    }
    if (!levels || u->steps[0].levels == 2) {
        add_step(u, any, levels, 0); /* the coefficients of the lowest band as a plane */
    }
    for (unsigned i = 0; i + 1 < u->step_count; i++) {
        wvl_rect r = level_rect(u, u->steps[i].level);
        u->steps[i].out = u->steps[i + 1].in = *planes;
        *planes =
            wvl_add_saturate(*planes, wvl_align_up(wvl_mul_saturate(wvl_cuda_pitch_bytes(r), wvl_rect_height(r)), 256));
    }
}

/* ---- Splits ---------------------------------------------------------------------------------- */

static void build_band(const builder *b, const unit *u, const wvl_tile_band *from, wvl_cuda_inverse_band *to)
{
    if (wvl_cuda_is_empty(from->rect)) {
        return;
    }
    to->samples = b->memory->coefs + u->coefs + from->coef_offset;
    to->cell_bytes = (uint32_t)(wvl_coef_cell(from, 1) - wvl_coef_cell(from, 0));
    to->row_bytes = (uint64_t)from->block_cols * to->cell_bytes;
    to->rect = from->rect;
    to->block_x0 = from->block_x0;
    to->block_y0 = from->block_y0;
    to->cell_width = from->cell_width;
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
    return (wvl_cuda_plane){b->memory->planes + offset, wvl_cuda_pitch_bytes(r), r.x0 & ~(WVL_CUDA_PLANE_ALIGN - 1),
                            r.y0, 0};
}

static void build_split(const builder *b, const unit *u, const step *s, wvl_cuda_inverse_split *split)
{
    int to_pixels = s == &u->steps[u->step_count - 1], from_plane = s != u->steps;
    memset(split, 0, sizeof *split);
    split->rect = level_rect(u, s->level);
    split->levels = s->levels == 2 ? WVL_CUDA_SPLIT_TWICE : s->levels ? WVL_CUDA_SPLIT : WVL_CUDA_PLAIN;
    split->parts = to_pixels && is_mixed(b, u) ? 3 : 1;
    if (from_plane) {
        split->in = build_plane(b, u, s->in, s->level + s->levels);
    } else {
        build_band(b, u, &u->tile->bands[u->tile->resolutions[u->tc->first_resolution].first_band],
                   &split->band[WVL_BAND_LL]);
    }
    if (to_pixels) {
        split->pixels = b->memory->pixels[u->component];
    } else {
        split->out = build_plane(b, u, s->out, s->level);
    }
    if (s->levels) {
        build_bands(b, u, s->level + 1, split->band);
    }
    if (s->levels == 2) {
        build_bands(b, u, s->level + 2, split->deep_band);
    }
}

/* ---- Items ----------------------------------------------------------------------------------- */

static uint32_t march_panels(const unit *u, const step *s)
{
    uint32_t halo = s->row->columns == WVL_CUDA_BACK_WIDE || u->tc->reversible ? 1 : 2;
    return panel_count(u, s->level, s->row->columns, halo);
}

/* Iterations of four rows; march.cuh has the same sum. */
static uint32_t march_iterations(const unit *u, const step *s)
{
    wvl_rect r = level_rect(u, s->level);
    uint32_t row0 = u->tc->reversible ? 3 : 9;
    return ((r.y1 + row0 + 3) >> 2) - ((r.y0 + row0) >> 2);
}

/* Components whose colours are mixed. Many waves: stretches of a length at which the last wave does not count. One and
 * a bit: long ones first, as many rows of them as a wave holds, and short ones behind them for multiprocessors that are
 * early. */
static void cut_wave(wvl_cuda_inverse_split *split, uint64_t panels, uint64_t wave, uint64_t iterations, int reversible)
{
    uint64_t part = reversible ? WVL_CUDA_BACK_LONG_PART53 : WVL_CUDA_BACK_LONG_PART97, rows = wave / panels;
    uint64_t length = iterations * part / 100 / wvl_max_u64(rows, 1);
    uint32_t many = reversible ? WVL_CUDA_BACK_STRETCH_MANY53 : WVL_CUDA_BACK_STRETCH_MANY97;
    if (panels * iterations >= WVL_CUDA_BACK_WAVES * many * wave) {
        split->stretch = split->short_stretch = wvl_min_u32(split->stretch, many);
    } else if (rows >= WVL_CUDA_BACK_ROWS_LEAST && rows <= WVL_CUDA_BACK_ROWS_MOST &&
               length >= WVL_CUDA_BACK_LONG_MIN) {
        split->stretch = (uint32_t)length;
        split->long_rows = (uint32_t)rows;
        split->short_stretch = WVL_CUDA_BACK_SHORT;
    }
}

static void cut_rows(const builder *b, const unit *u, const step *s, wvl_cuda_inverse_split *split)
{
    uint64_t panels = wvl_max_u64(b->panels * wvl_max_u64(b->options.bundle, 1), 1),
             wave = (uint64_t)s->row->counted * b->options.multiprocessors;
    uint64_t iterations = march_iterations(u, s);
    uint32_t run_in = u->tc->reversible ? WVL_CUDA_BACK_RUN_IN53 : WVL_CUDA_BACK_RUN_IN97;
    uint32_t least = s->level ? WVL_CUDA_BACK_PLANE_STRETCH_MIN : WVL_CUDA_BACK_STRETCH_MIN;
    split->stretch = split->short_stretch = wvl_cuda_choose_stretch(panels, wave, iterations, run_in, least);
    if (s->row->share == WVL_CUDA_SHARE_MIX) {
        cut_wave(split, panels, wave, iterations, u->tc->reversible);
    }
    split->panels = march_panels(u, s);
}

/* The splits of three components follow one another; the first has the items. */
static int has_items(const builder *b, const unit *u, const step *s)
{
    return !(s == &u->steps[u->step_count - 1] && is_mixed(b, u) && u->component);
}

static void put_items(builder *b, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1)
{
    wvl_cuda_inverse_tables *t = b->tables;
    if (t->splits) {
        wvl_cuda_item *item = t->items + t->item_count;
        for (uint32_t y = y0; y < y1; y++) {
            for (uint32_t x = x0; x < x1; x++) {
                *item++ = (wvl_cuda_item){.split = (uint32_t)t->split_count, .x = x, .y = y};
            }
        }
    }
    t->item_count += (uint64_t)(x1 - x0) * (y1 - y0);
}

static void put_stretches(builder *b, const wvl_cuda_inverse_split *split, uint32_t iterations)
{
    wvl_cuda_inverse_tables *t = b->tables;
    for (uint32_t row = 0, y = 0, count; y < iterations; row++, y += count) {
        count = wvl_min_u32(row < split->long_rows ? split->stretch : split->short_stretch, iterations - y);
        for (uint32_t x = 0; x < split->panels; x++, t->item_count++) {
            if (t->splits) {
                t->items[t->item_count] =
                    (wvl_cuda_item){.split = (uint32_t)t->split_count, .x = x, .y = y, .count = count};
            }
        }
    }
}

/* Planes of this shape that a warp has room for. */
static uint32_t pack_size(const unit *u, const step *s)
{
    uint32_t lanes = wvl_rect_width(level_rect(u, s->level)) / WVL_CUDA_BACK_COLUMNS;
    return s->row->end == WVL_CUDA_END_PLANE && lanes && lanes < 32 ? 32 / lanes : 1;
}

static int bands_alike(const wvl_cuda_inverse_band *a, const wvl_cuda_inverse_band *b)
{
    int alike = 1;
    for (unsigned i = 1; i < 4; i++) {
        alike = alike && a[i].samples - a[1].samples == b[i].samples - b[1].samples &&
                a[i].row_bytes == b[i].row_bytes && a[i].rect.y0 == b[i].rect.y0 && a[i].block_y0 == b[i].block_y0 &&
                a[i].cell_width == b[i].cell_width && a[i].ycb == b[i].ycb && a[i].half_step == b[i].half_step;
    }
    return alike;
}

/* Whether one warp may take both: what lanes share is the same. */
static int splits_alike(const wvl_cuda_inverse_split *a, const wvl_cuda_inverse_split *b)
{
    return wvl_rect_width(a->rect) == wvl_rect_width(b->rect) && a->rect.y0 == b->rect.y0 && a->rect.y1 == b->rect.y1 &&
           a->stretch == b->stretch && a->long_rows == b->long_rows && a->in.pitch_bytes == b->in.pitch_bytes &&
           a->out.pitch_bytes == b->out.pitch_bytes && bands_alike(a->band, b->band) &&
           bands_alike(a->deep_band, b->deep_band);
}

/* Makes the split the next of those that the last one with items begins, if there is room. */
static int joins_pack(builder *b, const unit *u, const step *s, const wvl_cuda_inverse_split *split)
{
    wvl_cuda_inverse_tables *t = b->tables;
    if (b->leader.pack && b->leader.pack < pack_size(u, s) && splits_alike(&b->leader, split)) {
        b->leader.pack++;
        if (t->splits) {
            t->splits[b->leader_at].pack = b->leader.pack;
        }
        return 1;
    }
    b->leader = *split;
    b->leader_at = t->split_count;
    return 0;
}

static void add_split(builder *b, const unit *u, const step *s)
{
    wvl_cuda_inverse_tables *t = b->tables;
    wvl_rect r = level_rect(u, s->level);
    wvl_cuda_inverse_split one, *split = t->splits ? &t->splits[t->split_count] : &one;
    if (wvl_cuda_is_empty(r)) {
        return;
    }
    build_split(b, u, s, split);
    if (s->row->family == WVL_CUDA_FAMILY_MARCH) {
        cut_rows(b, u, s, split);
        split->pack = 1;
        if (has_items(b, u, s) && !joins_pack(b, u, s, split)) {
            put_stretches(b, split, march_iterations(u, s));
        }
    } else if (s->row->family == WVL_CUDA_FAMILY_ANY) {
        put_items(b, 0, (uint32_t)wvl_ceil_div(r.x1 - (r.x0 & ~1u), WVL_CUDA_BACK_JOIN_WIDTH), 0,
                  (uint32_t)wvl_ceil_div(r.y1 - (r.y0 & ~1u), WVL_CUDA_BACK_JOIN_HEIGHT));
    } else if (has_items(b, u, s)) {
        uint32_t width = WVL_CUDA_BACK_TILE_WIDTH, height = WVL_CUDA_BACK_TILE_HEIGHT;
        put_items(b, r.x0 / width, (r.x1 - 1) / width + 1, r.y0 / height, (r.y1 - 1) / height + 1);
    }
    t->split_count++;
}

static void count_panels(builder *b, const unit *u, const step *s)
{
    b->panels += has_items(b, u, s) ? 32 * march_panels(u, s) / pack_size(u, s) : 0;
}

/* ---- All splits ------------------------------------------------------------------------------ */

typedef void (*visit)(builder *b, const unit *u, const step *s);

/* Calls for every component whose step `turn`, counted from the last, runs the launch's kernel. Counted from the end,
 * the last steps of three components that share a transform meet in one launch. Returns whether any component has such
 * a step, whatever its kernel. */
static int walk_units(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, visit call)
{
    wvl_cuda_inverse_tables *t = b->tables;
    int more = 0;
    t->plane_bytes = t->coef_bytes = 0;
    for (uint32_t i = 0; i < tile_count; i++) {
        for (uint32_t c = 0; c < b->plan->syntax.component_count; c++) {
            unit u = {.tile = &tiles[i], .tc = &tiles[i].components[c], .component = c, .coefs = t->coef_bytes};
            if (wvl_cuda_is_empty(u.tc->rect)) {
                continue;
            }
            plan_steps(b, &u);
            more = more || u.step_count > b->turn;
            if (call && u.step_count > b->turn && u.steps[u.step_count - 1 - b->turn].row == b->row) {
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
    return l->split != r->split ? (l->split < r->split ? -1 : 1)
           : l->y != r->y       ? (l->y < r->y ? -1 : 1)
           : l->x < r->x        ? -1
                                : l->x > r->x;
}

void wvl_cuda_inverse_order_items(const wvl_cuda_inverse_split *splits, wvl_cuda_item *items, uint64_t count)
{
    if (count && splits[items->split].long_rows) {
        qsort(items, (size_t)count, sizeof *items, by_length);
    }
}

static void build_launch(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    wvl_cuda_inverse_tables *t = b->tables;
    uint64_t first = t->item_count;
    b->panels = 0;
    b->leader.pack = 0;
    if (b->row->family == WVL_CUDA_FAMILY_MARCH) {
        (void)walk_units(b, tiles, tile_count, count_panels);
        b->panels = wvl_ceil_div(b->panels, 32);
    }
    (void)walk_units(b, tiles, tile_count, add_split);
    if (t->item_count > first) {
        if (t->splits) {
            wvl_cuda_inverse_order_items(t->splits, t->items + first, t->item_count - first);
            t->launches[t->launch_count] = (wvl_cuda_inverse_launch){
                (uint32_t)(b->row - wvl_cuda_inverse_rows), (uint32_t)first, (uint32_t)(t->item_count - first)};
        }
        t->launch_count++;
    }
}

void wvl_cuda_inverse_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                                   const wvl_cuda_inverse_options *options, const wvl_cuda_inverse_memory *memory,
                                   wvl_cuda_inverse_tables *tables)
{
    builder b = {.plan = plan, .memory = memory, .tables = tables, .options = *options};
    tables->split_count = tables->item_count = tables->launch_count = 0;
    while (walk_units(&b, tiles, tile_count, NULL)) {
        b.turn++;
    }
    while (b.turn--) {
        for (b.row = wvl_cuda_inverse_rows; b.row < wvl_cuda_inverse_rows + WVL_CUDA_INVERSE_KERNELS; b.row++) {
            build_launch(&b, tiles, tile_count);
        }
    }
}
