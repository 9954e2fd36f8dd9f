/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/dwt/tables.h"

#include <stdlib.h>

#include "cuda/dwt/beside.h"
#include "cuda/dwt/choose.h"
#include "cuda/dwt/stretch.h"
#include "dwt/quant.h"
#include "geom/handover.h"

#define NO_FRONT UINT32_MAX

#define TILE_ROOM 4    /* samples around a tile of the any-shape kernels */
#define FLAGS_MAX 4096 /* items that one item reads; an item that reads more waits for the launch */

/* Samples [first, end) of one axis, which may lie outside the resolution: there they are mirrored. */
typedef struct span {
    int64_t first, end;
} span;

static int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

static span fold(span s, uint32_t x0, uint32_t x1)
{
    int64_t first = max_i64(x0, min_i64(s.first, 2 * ((int64_t)x1 - 1) - (s.end - 1)));
    int64_t last = min_i64((int64_t)x1 - 1, max_i64(s.end - 1, 2 * (int64_t)x0 - s.first));
    int narrow = (int64_t)x1 - x0 < s.end - s.first; /* mirrored more than once */
    return narrow ? (span){x0, x1} : (span){first, last + 1};
}

/* Flags of a fused split: one for every panel of every stretch. */
static uint64_t count_flags(const wvl_cuda_split *split) { return (uint64_t)split->panels * split->rows; }

static uint32_t panel_of(const wvl_cuda_split *front, int64_t column)
{
    uint32_t own = (32u - 2u * front->room) * front->columns / 4,
             first = (uint32_t)(front->room - front->lead) * front->columns / 4;
    return (uint32_t)column < first ? 0 : wvl_min_u32(((uint32_t)column - first) / own, front->panels - 1);
}

/* Columns and rows of the low-low plane of the front. Iteration i of a fused split finishes its row base + i - lag:
 * march.cuh. */
static void open_window(const wvl_cuda_split *front, const wvl_cuda_split *split, span columns, span rows,
                        wvl_cuda_item *item)
{
    const wvl_rect r = split->rect;
    const int64_t base = (((int64_t)front->rect.y0 >> 1) - 1) >> 1, lag = !front->reversible;
    columns = fold(columns, r.x0, r.x1);
    rows = fold(rows, r.y0, r.y1);
    uint32_t x = panel_of(front, columns.first - r.x0), x_end = panel_of(front, columns.end - 1 - r.x0) + 1;
    uint32_t y = wvl_cuda_row_of(front, (uint32_t)(rows.first + lag - base)),
             y_end = wvl_cuda_row_of(front, (uint32_t)(rows.end - 1 + lag - base)) + 1;
    if ((uint64_t)(x_end - x) * (y_end - y) > FLAGS_MAX) {
        return;
    }
    item->front = y * front->panels + x;
    item->front_pitch = front->panels;
    item->front_rows = (uint16_t)(y_end - y);
    item->front_cols = (uint16_t)(x_end - x);
}

/* The rows that it uses; it fetches a few more, which nobody looks at. */
/* Sets what the item waits for. front: the fused split that writes the plane of `split`, the one that the item belongs
 * to, or the first of its chain. NULL: the item waits for the launch. */
static void open_march_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
{
    if (!front) {
        return;
    }
    const int64_t base = (((int64_t)split->rect.y0 >> 1) - 1) >> 1, run_in = split->reversible ? 2 : 5,
                  lead = split->reversible ? 3 : 5;
    const int64_t from = base + item->y, left = (int64_t)item->x * (32 - 2 * (int64_t)split->room) - split->lead;
    span columns = {max_i64(split->rect.x0 + left * split->columns, split->rect.x0),
                    min_i64(split->rect.x0 + (left + 32) * split->columns, split->rect.x1)};
    span rows = {4 * (from - run_in) + lead - 1, 4 * (from + item->count) + lead};
    open_window(front, split, columns, rows, item);
}

static void open_cascade_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
{
    if (!front) {
        return;
    }
    const int reach = split->reversible ? WVL_CUDA_CASCADE_REACH53 : WVL_CUDA_CASCADE_REACH97, shift = split->chain - 1;
    const wvl_rect deep = split[shift].rect;
    const int64_t room = wvl_cuda_cascade_margin(reach, shift) + 4,
                  up = reach + 7; /* rows begin with a multiple of 8 */
    const int64_t x = (deep.x0 & ~3u) + (int64_t)item->x * split->tile_width,
                  y = (deep.y0 & ~7u) + (int64_t)item->y * split->tile_height;
    span columns = {x * (1 << shift) - room, (x + split->tile_width) * (1 << shift) + room};
    span rows = {y * (1 << shift) - room - up, (y + split->tile_height) * (1 << shift) + room + up};
    open_window(front, split, columns, rows, item);
}

/* The same, of a piece by itself: what it uses, not all that it fetches. Pieces end with odd rows and columns, which
 * need one less than even ones, or at an edge. */
static void open_last_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
{
    if (!front) {
        return;
    }
    const int64_t reach = split->reversible ? WVL_CUDA_CASCADE_REACH53 : WVL_CUDA_CASCADE_REACH97;
    const int64_t x = (split->rect.x0 & ~3u) + (int64_t)item->x * WVL_CUDA_CASCADE_OWN,
                  y = (split->rect.y0 & ~7u) + (int64_t)item->y * WVL_CUDA_CASCADE_ROWS;
    const int64_t x1 = min_i64(x + WVL_CUDA_CASCADE_OWN, split->rect.x1),
                  y1 = min_i64(y + WVL_CUDA_CASCADE_ROWS, split->rect.y1);
    open_window(front, split, (span){x - reach, x1 + reach - 1},
                (span){max_i64(y, split->rect.y0) - reach, y1 + reach - 1}, item);
}

/* A chain goes over all of its plane. */
static void open_tile_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
{
    if (!front) {
        return;
    }
    const wvl_rect r = split->rect;
    int64_t x = (r.x0 & ~7u) + (int64_t)item->x * WVL_CUDA_TILE_WIDTH,
            y = (r.y0 & ~7u) + (int64_t)item->y * WVL_CUDA_TILE_HEIGHT;
    span columns = {x - TILE_ROOM, x + WVL_CUDA_TILE_WIDTH + TILE_ROOM},
         rows = {y - TILE_ROOM, y + WVL_CUDA_TILE_HEIGHT + TILE_ROOM};
    open_window(front, split, split->chain ? (span){r.x0, r.x1} : columns, split->chain ? (span){r.y0, r.y1} : rows,
                item);
}

/* Planes of levels 1 to `end` - 1. */
static uint64_t plane_bytes(const unit *u, unsigned end)
{
    uint64_t bytes = 0;
    for (unsigned level = 1; level < end; level++) {
        wvl_rect r = low_resolution(u, level)->rect;
        bytes = wvl_cuda_is_empty(r)
                    ? bytes
                    : wvl_add_saturate(
                          bytes, wvl_align_up(wvl_mul_saturate(wvl_cuda_pitch_bytes(r), wvl_rect_height(r)), 256));
    }
    return bytes;
}

/* The low-low plane of `level`. */
static wvl_cuda_plane build_plane(const builder *b, const unit *u, unsigned level, uint32_t narrow)
{
    wvl_rect r = low_resolution(u, level)->rect;
    return (wvl_cuda_plane){.data = b->memory->planes + u->planes + plane_bytes(u, level),
                            .pitch_bytes = wvl_cuda_pitch_bytes(r),
                            .x0 = r.x0 & ~(WVL_CUDA_PLANE_ALIGN - 1),
                            .y0 = r.y0,
                            .narrow = narrow};
}

/* The fused split that writes what `split` reads, if any, whose items tell from now on what they have stored. */
static const wvl_cuda_split *open_front(const builder *b, const unit *u, wvl_cuda_split *split)
{
    wvl_cuda_tables *t = b->tables;
    int crowds = !split->reversible && b->components >= WVL_CUDA_MARCH_MANY; /* who waits takes from who works */
    if (split->from_pixels || crowds || t->fronts[u->number] == NO_FRONT) {
        return NULL;
    }
    wvl_cuda_split *front = &t->splits[t->fronts[u->number]];
    if (!front->flags) { /* of splits that share warps, the first has those of all */
        front->flags = b->memory->flags + t->flag_count * sizeof(uint32_t);
        t->flag_count += count_flags(front);
    }
    split->front_flags = front->flags;
    wvl_cuda_launch *launch = &t->launches[t->launch_count - 1];
    while (launch->first_split > t->fronts[u->number]) {
        launch--;
    }
    launch->asked = 1;
    return front;
}

static void build_band(const builder *b, const unit *u, const wvl_tile_band *from, wvl_cuda_band *to)
{
    if (wvl_cuda_is_empty(from->rect)) {
        return;
    }
    to->samples = b->memory->coefs + u->coefs + from->coef_offset;
    to->bounds = b->memory->bounds + (u->bounds + from->first_block) * sizeof(uint32_t);
    to->cell_bytes = (uint32_t)(wvl_coef_cell(from, 1) - wvl_coef_cell(from, 0));
    to->row_bytes = (uint64_t)from->block_cols * to->cell_bytes;
    to->rect = from->rect;
    to->block_x0 = from->block_x0;
    to->block_y0 = from->block_y0;
    to->block_cols = from->block_cols;
    to->cell_width = from->cell_width;
    to->reciprocal = from->reciprocal;
    to->xcb = from->xcb;
    to->ycb = from->ycb;
    to->coef_bytes = from->coef_bytes;
    to->deep = wvl_quant_is_deep(from->planes, from->frac_bits) != 0;
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
static void build_input(const builder *b, const unit *u, wvl_cuda_split *split)
{
    int mixed = u->tile->mct != WVL_MCT_NONE && u->component < 3;
    split->from_pixels = 1;
    split->mct_part = mixed ? (uint8_t)(u->component + 1) : 0;
    split->component = (uint16_t)u->component;
    memcpy(split->pixels, b->memory->pixels + (mixed ? 0 : u->component), (mixed ? 3 : 1) * sizeof *split->pixels);
}

void wvl_cuda_move_pixels(wvl_cuda_split *splits, uint64_t split_count, const wvl_cuda_pixels *pixels)
{
    for (uint64_t i = 0; i < split_count; i++) {
        wvl_cuda_split *split = &splits[i];
        if (split->from_pixels) {
            memcpy(split->pixels, pixels + (split->mct_part ? 0 : split->component),
                   (split->mct_part ? 3 : 1) * sizeof *split->pixels);
        }
    }
}

/* The split that begins at `level` (0: no decomposition). */
static void build_split(const builder *b, const unit *u, unsigned level, wvl_cuda_split *split)
{
    unsigned levels = u->tc->levels;
    memset(split, 0, sizeof *split);
    split->levels = level ? WVL_CUDA_SPLIT : WVL_CUDA_PLAIN;
    split->reversible = u->tc->reversible;
    split->outside = b->memory->outside;
    split->rect = low_resolution(u, level ? level - 1 : 0)->rect;
    if (level < 2) {
        build_input(b, u, split);
    } else {
        split->in = build_plane(b, u, level - 1, u->narrow);
    }
    if (level) {
        build_bands(b, u, levels - level + 1, split->band);
    }
    if (level == levels) {
        build_bands(b, u, 0, split->band);
    } else {
        split->low = build_plane(b, u, level, 0);
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
        wvl_cuda_split *split = t->splits + t->split_count;
        build_split(b, u, level, split);
        const wvl_cuda_split *front = open_front(b, u, split);
        for (uint32_t y = 0; y < rows; y++) {
            for (uint32_t x = 0; x < cols; x++) {
                *item = (wvl_cuda_item){.split = (uint32_t)t->split_count, .x = x, .y = y};
                open_tile_window(front, split, item++);
            }
        }
        t->fronts[u->number] = NO_FRONT;
    } else {
        /* last.cuh and marching with 4 columns a lane make two of one, marching rounds up to one more row of warps */
        count += (level > 1 && level == u->tc->levels) || wvl_cuda_plane_is_little(b, u, level) ? count : 0;
        count += cols + 2 * rows + 2;
    }
    t->split_count++;
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
        build_split(b, &one, level + k, &t->splits[t->split_count + k]);
        t->splits[t->split_count + k].chain = (uint8_t)(chain - k);
    }
    wvl_cuda_split *split = &t->splits[t->split_count];
    t->items[t->item_count] = (wvl_cuda_item){.split = (uint32_t)t->split_count};
    open_tile_window(open_front(b, u, split), split, &t->items[t->item_count++]);
    t->fronts[u->number] = NO_FRONT;
    t->split_count += chain;
}

/* ---- Marching -------------------------------------------------------------------------------- */

/* More rows, so that every multiprocessor has as many warps as some have. wave: warps that come one to each. */
static void fill_wave(wvl_cuda_split *split, uint64_t panels, uint64_t wave, uint64_t least)
{
    const uint64_t rows = wvl_ceil_div(panels * split->rows, wave) * wave / panels;
    split->rows = split->long_rows = (uint32_t)wvl_max_u64(wvl_min_u64(rows, split->iterations / least), split->rows);
}

/* So many rows of long stretches, then short ones, if any are left. */
static void cut_long(wvl_cuda_split *split, uint64_t rows, uint64_t stretch, uint64_t rest)
{
    if (rows * stretch >= split->iterations) {
        return;
    }
    split->long_rows = (uint32_t)rows;
    split->long_iterations = (uint32_t)(rows * stretch);
    split->rows = (uint32_t)(rows + wvl_ceil_div(split->iterations - rows * stretch, rest));
}

/* Most rows in one wave of long stretches, the others in short ones (tuning.h), if that leaves them long. */
static void cut_wave(const builder *b, wvl_cuda_split *split)
{
    uint64_t wave = b->row->blocks * b->multiprocessors * WVL_CUDA_MARCH_LONG_WAVE / 100;
    uint64_t rows = wvl_max_u64(wave / wvl_max_u64(split->panels, 1), 1);
    uint64_t length = ((uint64_t)split->iterations * WVL_CUDA_MARCH_LONG_PART / 100 + rows / 2) / rows;
    if (length >= WVL_CUDA_MARCH_LONG_MIN) {
        cut_long(split, rows, length, WVL_CUDA_MARCH_SHORT);
    }
}

/* Planes: the shortest stretches of which one wave holds all, where those are short: what is waited for at the end is
 * one of them. */
static uint64_t choose_plane_stretch(const builder *b, const wvl_cuda_split *split, uint64_t whole, uint64_t chosen)
{
    if (b->components < WVL_CUDA_MARCH_MANY) {
        return wvl_min_u64(whole, chosen);
    }
    return split->reversible ? wvl_min_u64(chosen, WVL_CUDA_PLANE_STRETCH_MANY) : chosen;
}

static void build_march(const builder *b, const unit *u, unsigned level, wvl_cuda_split *split)
{
    memset(split, 0, sizeof *split);
    split->levels = WVL_CUDA_SPLIT_TWICE;
    split->reversible = u->tc->reversible;
    split->outside = b->memory->outside;
    split->rect = level_rect(u, level);
    split->room = (uint16_t)wvl_cuda_march_room(b, u, level, b->row);
    split->lead = b->row->owns == WVL_CUDA_OWNS_EDGES ? 0 : split->room;
    split->columns = b->row->columns;
    split->panels = wvl_cuda_march_panels(b, u, level, b->row);
    /* Iterations of four rows from the first row of the level to the last of the next: march.cuh has the same sum. */
    wvl_rect r = level_rect(u, level);
    int64_t y0 = r.y0, y1 = r.y1, lag = !u->tc->reversible;
    int64_t base = ((y0 >> 1) - 1) >> 1, one = (((y1 - 1) >> 1) - 1) >> 1, two = ((((y1 + 1) >> 1) - 1) >> 1) + lag;
    split->iterations = (uint32_t)((one > two ? one : two) + 1 - base);
    uint64_t panels = b->panels, iterations = split->iterations, wave = b->row->counted * b->multiprocessors;
    uint32_t least = level > 1 ? WVL_CUDA_PLANE_STRETCH_MIN : WVL_CUDA_MARCH_STRETCH_MIN;
    uint32_t run_in = split->reversible ? WVL_CUDA_RUN_IN53 : WVL_CUDA_RUN_IN97;
    int mixes = b->row->share == WVL_CUDA_SHARE_MIX, wide = b->row->columns == WVL_CUDA_MARCH_WIDE;
    uint64_t chosen = wvl_cuda_choose_stretch(panels, wave, iterations, run_in, least);
    uint64_t part = wvl_max_u64(wave * WVL_CUDA_PLANE_WAVE / 100 / panels, 1);
    uint64_t whole = wvl_max_u64(wvl_ceil_div(iterations, part), least);
    split->grade = 100;
    /* Rows are divided into items of equal length. No item has more than the given number of iterations. */
    uint64_t stretch = level > 1 ? choose_plane_stretch(b, split, whole, chosen) : chosen;
    split->rows = split->long_rows = (uint32_t)wvl_ceil_div(split->iterations, stretch);
    split->long_iterations = split->iterations;
    if (level == 1 && panels * split->rows <= wave) {
        fill_wave(split, panels, b->multiprocessors * (mixes ? 3 : 1), least);
    }
    if (wide && !split->reversible && panels * split->rows <= wave) {
        split->grade = WVL_CUDA_MARCH_GRADE97_WIDE;
    }
    if (mixes) {
        /* Thread blocks that mix colors: long rows and short ones. */
        uint32_t long_rows = 0, longer = wvl_cuda_choose_long(b->panels, wave, split->iterations, run_in, &long_rows);
        if (longer > WVL_CUDA_MARCH_SHORT_MOST) {
            cut_long(split, long_rows, longer, WVL_CUDA_MARCH_REST);
        }
    }
    if (wide && split->reversible && b->row->end == WVL_CUDA_END_GRAY && b->components == 1) {
        cut_wave(b, split);
    }
    split->pack = 1;
    split->beside = 1;
    if (level > 1) {
        split->in = build_plane(b, u, level - 1, u->narrow);
    } else {
        build_input(b, u, split);
    }
    build_bands(b, u, u->tc->levels - level + 1u, split->band);
    build_bands(b, u, u->tc->levels - level, split->deep_band);
    split->low = build_plane(b, u, level + 1, (uint32_t)wvl_cuda_writes_narrow(b->row));
}

static int is_packed(const builder *b) { return b->row->share == WVL_CUDA_SHARE_PACK; }

/* Makes the split the next of those that the last one with items begins, if there is room. */
static int joins_pack(builder *b, wvl_cuda_split *split)
{
    if (!is_packed(b) || b->tables->split_count == b->first_split) {
        return 0;
    }
    wvl_cuda_split *leader = &b->tables->splits[b->tables->items[b->tables->item_count - 1].split];
    if (leader->pack >= pack_size(leader->rect) || !wvl_cuda_splits_alike(leader, split)) {
        return 0;
    }
    leader->pack++;
    return 1;
}

/* The splits of three components follow one another; the first has the items. */
static void add_march(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_split *split = &t->splits[t->split_count];
    build_march(b, u, level, split);
    const wvl_cuda_split *front = is_packed(b) ? NULL : open_front(b, u, split);
    int tells = !is_packed(b) || pack_size(split->rect) <= WVL_CUDA_PACK_FLAGS;
    if (joins_pack(b, split)) {
        t->fronts[u->number] = tells ? t->items[t->item_count - 1].split : NO_FRONT;
        t->split_count++;
        return;
    }
    t->fronts[u->number] = tells ? (uint32_t)t->split_count : NO_FRONT;
    for (uint32_t row = 0, y = 0, count; row < split->rows && !(level == 1 && wvl_cuda_is_mixed(u) && u->component);
         row++, y += count) {
        count = wvl_cuda_first_iteration(split, row + 1) - y;
        for (uint32_t x = 0; x < split->panels; x++) {
            wvl_cuda_item *item = &t->items[t->item_count++];
            *item = (wvl_cuda_item){
                .split = (uint32_t)t->split_count, .x = x, .y = y, .count = count, .flag = row * split->panels + x};
            open_march_window(front, split, item);
        }
    }
    t->split_count++;
}

/* A split a level; the first has the items. */
static void add_cascade(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_split *split = &t->splits[t->split_count];
    uint32_t levels = wvl_cuda_cascade_levels(u, level);
    for (uint32_t k = 0; k < levels; k++) {
        unit one = *u;
        one.narrow = k ? 0 : u->narrow;
        build_split(b, &one, level + k, &split[k]);
        split[k].chain = (uint8_t)(levels - k);
    }
    wvl_rect r = split[levels - 1].rect;
    uint32_t width = wvl_rect_width(r), height = r.y1 - (r.y0 & ~7u);
    if (!b->cascade || b->cascade->chain != levels ||
        !rects_alike(b->cascade[levels - 1].rect, r)) { /* not for every tile anew */
        b->tile = wvl_cuda_choose_cascade(b->row, b->multiprocessors, b->components, width, height, (int)levels);
    }
    split->tile_width = b->tile.width;
    split->tile_height = b->tile.height;
    b->cascade = split;
    const wvl_cuda_split *front = open_front(b, u, split);
    for (uint32_t y = 0; y * split->tile_height < height; y++) {
        for (uint32_t x = 0; x * split->tile_width < width; x++) {
            t->items[t->item_count] = (wvl_cuda_item){.split = (uint32_t)t->split_count, .x = x, .y = y};
            open_cascade_window(front, split, &t->items[t->item_count++]);
        }
    }
    t->fronts[u->number] = NO_FRONT;
    t->split_count += levels;
}

/* The last level by itself. */
static void add_last(builder *b, const unit *u, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    wvl_cuda_split *split = &t->splits[t->split_count];
    build_split(b, u, level, split);
    const wvl_cuda_split *front = open_front(b, u, split);
    uint32_t width = split->rect.x1 - (split->rect.x0 & ~3u), height = split->rect.y1 - (split->rect.y0 & ~7u);
    for (uint32_t y = 0; y * WVL_CUDA_CASCADE_ROWS < height; y++) {
        for (uint32_t x = 0; x * WVL_CUDA_CASCADE_OWN < width; x++) {
            t->items[t->item_count] = (wvl_cuda_item){.split = (uint32_t)t->split_count, .x = x, .y = y};
            open_last_window(front, split, &t->items[t->item_count++]);
        }
    }
    t->fronts[u->number] = NO_FRONT;
    t->split_count++;
}

static void count_panels(builder *b, const unit *u, unsigned level)
{
    b->panels += wvl_cuda_panel_shares(b, u, level, b->row) / (is_packed(b) ? pack_size(level_rect(u, level)) : 1);
}

/* ---- All splits ------------------------------------------------------------------------------ */

typedef void (*visit)(builder *b, const unit *u, unsigned level);

/* Calls for every component of which the launch's kernel begins with the level. */
static void walk_units(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned level, visit call)
{
    wvl_cuda_tables *t = b->tables;
    t->plane_bytes = t->coef_bytes = t->block_count = 0;
    for (uint32_t i = 0; i < tile_count; i++) {
        for (uint32_t c = 0; c < b->plan->syntax.component_count; c++) {
            unit u = {.tile = &tiles[i],
                      .tc = &tiles[i].components[c],
                      .component = c,
                      .coefs = t->coef_bytes,
                      .bounds = t->block_count};
            u.planes = t->plane_bytes;
            u.number = (uint64_t)i * b->plan->syntax.component_count + c;
            t->plane_bytes = wvl_add_saturate(t->plane_bytes, plane_bytes(&u, u.tc->levels));
            if (b->row->reversible == u.tc->reversible && wvl_cuda_choose_kernel(b, &u, level) == b->row) {
                call(b, &u, u.tc->levels ? level : 0);
            }
        }
        t->coef_bytes = wvl_add_saturate(t->coef_bytes, tiles[i].coef_bytes);
        t->block_count = wvl_add_saturate(t->block_count, tiles[i].block_count);
    }
}

static int by_split(const void *a, const void *b)
{
    const wvl_cuda_item *l = a, *r = b;
    return l->split != r->split ? (l->split < r->split ? -1 : 1) : l->flag < r->flag ? -1 : l->flag > r->flag;
}

static int by_length(const void *a, const void *b)
{
    const wvl_cuda_item *l = a, *r = b;
    int shorter = l->count <= WVL_CUDA_MARCH_SHORT_MOST, other = r->count <= WVL_CUDA_MARCH_SHORT_MOST;
    if (shorter != other) {
        return shorter - other;
    }
    return by_split(a, b);
}

uint64_t wvl_cuda_finish_items(uint32_t kernel, uint64_t components, wvl_cuda_split *splits, wvl_cuda_item *items,
                               uint64_t count)
{
    if (wvl_cuda_goes_on(&wvl_cuda_kernel_rows[kernel],
                         components)) { /* they may come from launches that were finished already */
        qsort(items, (size_t)count, sizeof *items, by_split);
        count = wvl_cuda_set_beside(splits, items, count);
    }
    if (count && splits[items->split].long_rows < splits[items->split].rows) {
        qsort(items, (size_t)count, sizeof *items, by_length);
    }
    return count;
}

/* 1 more than the number of the split that all items belong to, 0 if they do not. */
static uint32_t only_split(const wvl_cuda_item *items, uint64_t count)
{
    uint64_t alike = 1;
    while (alike < count && items[alike].split == items->split) {
        alike++;
    }
    return alike == count ? items->split + 1 : 0;
}

/* Chooses what a kernel does with a component. */
static visit choose_visit(const wvl_cuda_kernel_row *row)
{
    switch (row->family) {
    case WVL_CUDA_FAMILY_MARCH: return add_march;
    case WVL_CUDA_FAMILY_CASCADE: return add_cascade;
    case WVL_CUDA_FAMILY_LAST: return add_last;
    default: return add_any;
    }
}

static void finish_launch(builder *b, uint64_t first)
{
    wvl_cuda_tables *t = b->tables;
    uint64_t count =
        wvl_cuda_finish_items(b->kernel, b->components, t->splits, t->items + first, t->item_count - first);
    t->item_count = first + count;
    t->launches[t->launch_count] = (wvl_cuda_launch){.kernel = b->kernel,
                                                     .first_item = (uint32_t)first,
                                                     .item_count = (uint32_t)count,
                                                     .first_split = (uint32_t)b->first_split,
                                                     .only = only_split(t->items + first, count)};
}

static void build_launch(builder *b, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned level)
{
    wvl_cuda_tables *t = b->tables;
    uint64_t first = t->item_count;
    b->panels = 0;
    if (b->row->family == WVL_CUDA_FAMILY_MARCH) {
        walk_units(b, tiles, tile_count, level, count_panels);
        b->panels = wvl_max_u64(wvl_ceil_div(b->panels * b->bundle, 32), 1);
    }
    b->first_split = t->split_count;
    b->cascade = NULL;
    walk_units(b, tiles, tile_count, level, choose_visit(b->row));
    if (t->item_count > first) {
        if (b->memory) {
            finish_launch(b, first);
        }
        t->launch_count++;
    }
}

/* Says whether the kernel may begin with the level: pixels at level 1, planes at the others. */
static int may_begin(const wvl_cuda_kernel_row *row, unsigned level)
{
    return level == 1 ? wvl_cuda_reads_pixels(row) : wvl_cuda_reads_planes(row);
}

/* Upper bound of the launches. */
static uint64_t count_launches(void)
{
    uint64_t count = WVL_CUDA_KERNELS;
    for (unsigned k = 0; k < WVL_CUDA_KERNELS; k++) {
        count += wvl_cuda_reads_planes(&wvl_cuda_kernel_rows[k]) ? WVL_MAX_LEVELS : 0;
    }
    return count;
}

void wvl_cuda_build_tables(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                           const wvl_cuda_table_options *options, const wvl_cuda_memory *memory,
                           wvl_cuda_tables *tables)
{
    builder b = {.plan = plan, .memory = memory, .tables = tables, .any_shape = options->any_shape};
    b.multiprocessors = wvl_max_u32(options->multiprocessors, 1);
    b.bundle = wvl_max_u32(options->bundle, 1);
    b.components = (uint64_t)tile_count * plan->syntax.component_count * b.bundle;
    tables->split_count = tables->item_count = tables->flag_count = 0;
    tables->launch_count = memory ? 0 : count_launches();
    for (unsigned level = 1; level <= wvl_max_u32(plan->syntax.max_levels, 1); level++) {
        for (b.kernel = 0; b.kernel < WVL_CUDA_KERNELS; b.kernel++) {
            b.row = &wvl_cuda_kernel_rows[b.kernel];
            if (may_begin(b.row, level)) {
                build_launch(&b, tiles, tile_count, level);
            }
        }
    }
    /* A component that others take along counts items, too. */
    tables->flag_count = memory ? tables->flag_count : tables->item_count;
}
