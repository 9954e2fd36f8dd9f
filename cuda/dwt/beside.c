/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/dwt/beside.h"

#include <string.h>

#include "cuda/dwt/stretch.h"

#define PARTS 3 /* splits of a picture: one a component */

static int bands_alike(const wvl_cuda_band *a, const wvl_cuda_band *b)
{
    int alike = 1;
    for (unsigned i = 1; i < 4; i++) {
        alike = alike && a[i].row_bytes == b[i].row_bytes && a[i].rect.y0 == b[i].rect.y0 &&
                a[i].block_y0 == b[i].block_y0 && a[i].block_cols == b[i].block_cols &&
                a[i].cell_width == b[i].cell_width && a[i].cell_bytes == b[i].cell_bytes && a[i].xcb == b[i].xcb &&
                a[i].ycb == b[i].ycb && a[i].deep == b[i].deep;
    }
    return alike;
}

int wvl_cuda_splits_alike(const wvl_cuda_split *a, const wvl_cuda_split *b)
{
    return wvl_rect_width(a->rect) == wvl_rect_width(b->rect) && a->rect.y0 == b->rect.y0 && a->rect.y1 == b->rect.y1 &&
           a->rows == b->rows && a->long_rows == b->long_rows && a->long_iterations == b->long_iterations &&
           a->in.pitch_bytes == b->in.pitch_bytes && a->in.y0 == b->in.y0 && a->low.pitch_bytes == b->low.pitch_bytes &&
           a->low.y0 == b->low.y0 && bands_alike(a->band, b->band) && bands_alike(a->deep_band, b->deep_band);
}

int wvl_cuda_goes_on(const wvl_cuda_kernel_row *row, uint64_t components)
{
    return row->share == WVL_CUDA_SHARE_MIX && components >= WVL_CUDA_MARCH_MANY;
}

/* Coefficients of all bands lie as far apart, up, and so do bounds: a lane adds that to one offset for all of them, of
 * 32 bits with what is below 31 in a band. */
static int bands_follow(const wvl_cuda_band *a, const wvl_cuda_band *b, uint64_t samples, uint64_t bounds)
{
    int follow = !(samples >> 31) && !(bounds >> 32);
    for (unsigned i = 1; i < 4; i++) {
        follow = follow && b[i].samples - a[i].samples == samples && b[i].bounds - a[i].bounds == bounds &&
                 a[i].reciprocal == b[i].reciprocal;
    }
    return follow;
}

static int pixels_alike(const wvl_cuda_split *a, const wvl_cuda_split *b)
{
    int alike = 1;
    for (unsigned i = 0; i < PARTS; i++) {
        const wvl_cuda_pixels *p = &a->pixels[i], *q = &b->pixels[i];
        alike = alike && p->pitch_bytes == q->pitch_bytes && p->y0 == q->y0 && p->half == q->half && p->bias == q->bias;
    }
    return alike;
}

/* All components of both pictures. */
static int may_stand_beside(const wvl_cuda_split *a, const wvl_cuda_split *b)
{
    int may = a->beside == 1 && b->beside == 1 && a->panels == b->panels && a->room == b->room; /* neither does yet */
    for (unsigned i = 0; i < PARTS; i++) {
        const uint64_t samples = b[i].band[1].samples - a[i].band[1].samples,
                       bounds = b[i].band[1].bounds - a[i].band[1].bounds;
        may = may && wvl_cuda_splits_alike(&a[i], &b[i]) && pixels_alike(&a[i], &b[i]) &&
              bands_follow(a[i].band, b[i].band, samples, bounds) &&
              bands_follow(a[i].deep_band, b[i].deep_band, samples, bounds);
    }
    return may;
}

/* Items of the pictures that begin with `first`, of which there are `pictures`. */
static uint64_t write_items(const wvl_cuda_split *splits, uint32_t first, wvl_cuda_item *items)
{
    const wvl_cuda_split *split = &splits[first];
    wvl_cuda_item *item = items;
    for (uint32_t row = 0, y = 0, count; row < split->rows; row++, y += count) {
        count = wvl_cuda_first_iteration(split, row + 1) - y;
        for (uint32_t x = 0; x < split->panels; x++) {
            *item++ = (wvl_cuda_item){.split = first, .x = x, .y = y, .count = count, .flag = row * split->panels + x};
        }
    }
    return (uint64_t)(item - items);
}

/* The item behind those of the same split. */
static uint64_t next_split(const wvl_cuda_item *items, uint64_t at, uint64_t count)
{
    const uint32_t split = items[at].split;
    while (at < count && items[at].split == split) {
        at++;
    }
    return at;
}

uint64_t wvl_cuda_set_beside(wvl_cuda_split *splits, wvl_cuda_item *items, uint64_t count)
{
    uint64_t left = 0;
    for (uint64_t at = 0, end; at < count; at = end) {
        wvl_cuda_split *first = &splits[items[at].split];
        const uint32_t runs = wvl_rect_width(first->rect) / first->columns;
        uint32_t number = items[at].split, pictures = 1, apart = 0;
        end = next_split(items, at, count);
        while (end < count && (!apart || items[end].split == number + pictures * apart) &&
               may_stand_beside(first, &splits[items[end].split]) && pictures < UINT16_MAX &&
               items[end].split - number <= UINT16_MAX && !((uint64_t)runs * (pictures + 1) >> 30)) {
            apart = apart ? apart : items[end].split - number;
            pictures++;
            end = next_split(items, end, count);
        }
        const uint32_t panels = (uint32_t)wvl_ceil_div((uint64_t)runs * pictures, 30);
        if (pictures > 1 && panels < (uint64_t)pictures * first->panels) {
            first->beside = (uint16_t)pictures;
            first->beside_splits = (uint16_t)apart;
            first->room = first->lead = 1;
            first->panels = panels;
            left += write_items(splits, number, items + left);
        } else { /* fewer of them would save no panel either */
            memmove(items + left, items + at, (size_t)(end - at) * sizeof *items);
            left += end - at;
        }
    }
    return left;
}
