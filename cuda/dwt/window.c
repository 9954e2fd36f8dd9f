/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/dwt/window.h"

#include "base/intmath.h"
#include "cuda/dwt/cascade.h"
#include "cuda/dwt/stretch.h"
#include "cuda/dwt/tuning.h"

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

uint64_t wvl_cuda_count_flags(const wvl_cuda_split *split) { return (uint64_t)split->panels * split->rows; }

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
void wvl_cuda_open_march_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
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

void wvl_cuda_open_cascade_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
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
void wvl_cuda_open_last_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
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
void wvl_cuda_open_tile_window(const wvl_cuda_split *front, const wvl_cuda_split *split, wvl_cuda_item *item)
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
