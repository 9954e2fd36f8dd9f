/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Some rows of one level, as a rolling pass: rows come in, run through the vertical steps with the lag of each, and go
 * out. Forward: pixels come in, and finished rows are filtered horizontally on their way to the bands. The inverse:
 * coefficients come in and are filtered horizontally first. Rows beyond the plane are mirrored ones.
 */
#include "lab/dwt2/dwt2.h"

#include <string.h>

enum { PAD = 8 }; /* pairs beyond each end of a row: more than the reach of any scheme */

/* Whole-sample symmetric extension. */
static uint32_t mirror(int64_t at, uint32_t count)
{
    const int64_t last = (int64_t)count - 1;
    while (at < 0 || at > last) {
        at = at < 0 ? -at : 2 * last - at;
    }
    return (uint32_t)at;
}

/* ---- Rows of views ---- */

static void gather(const wvl_dwt2_view *view, uint32_t y, wvl_dwt2_word *to, uint32_t n)
{
    const wvl_dwt2_word *from = (const wvl_dwt2_word *)view->samples + (int64_t)y * view->row_stride;
    const int64_t stride = view->column_stride;
    if (n && stride == 1) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[i] = from[(int64_t)i * stride];
    }
}

static void scatter(const wvl_dwt2_view *view, uint32_t y, const wvl_dwt2_word *from, uint32_t n)
{
    wvl_dwt2_word *to = (wvl_dwt2_word *)view->samples + (int64_t)y * view->row_stride;
    const int64_t stride = view->column_stride;
    if (n && stride == 1) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        to[(int64_t)i * stride] = from[i];
    }
}

/* ---- One row, horizontally ---- */

static void lift(const wvl_dwt2_level *level, wvl_dwt2_word *to, const wvl_dwt2_word *const from[4],
                 const wvl_dwt2_step *step, uint32_t n)
{
    if (level->scheme->type == WVL_DWT_I32) {
        level->kernels.rows->lift_i32((int32_t *)to, (const int32_t *const *)from, step, n);
    } else {
        level->kernels.rows->lift_f32((float *)to, (const float *const *)from, step, n);
    }
}

/* Puts PAD mirrored values at each end of both halves of a row of `width` samples, at least 2. */
static void extend(wvl_dwt2_word *low, wvl_dwt2_word *high, uint32_t width)
{
    const int64_t lows = (width + 1) / 2, highs = width / 2;
    for (int64_t i = 1; i <= PAD; i++) {
        low[-i] = low[mirror(-2 * i, width) / 2];
        high[-i] = high[mirror(1 - 2 * i, width) / 2];
    }
    for (int64_t i = 0; i < PAD; i++) {
        low[lows + i] = low[mirror(2 * (lows + i), width) / 2];
        high[highs + i] = high[mirror(2 * (highs + i) + 1, width) / 2];
    }
}

/* All steps on both halves, which are extended. */
static void lift_row(const wvl_dwt2_level *level, wvl_dwt2_word *low, wvl_dwt2_word *high, uint32_t width)
{
    const wvl_dwt2_scheme *s = level->scheme;
    int64_t left = s->reach; /* samples beyond the ends that later steps need */
    for (uint32_t k = 0; k < s->step_count; k++) {
        const wvl_dwt2_step *step = &s->steps[k];
        left -= step->reach;
        /* Samples 2 i + is_high from -left to width - 1 + left. */
        const int64_t first = -((left + step->is_high) / 2), end = ((int64_t)width + left + 1 - step->is_high) / 2;
        const wvl_dwt2_word *other = step->is_high ? low + first : high + first - 1;
        const wvl_dwt2_word *const from[4] = {other, other + 1, other - 1, other + 2};
        lift(level, (step->is_high ? high : low) + first, from, step, (uint32_t)(end - first));
    }
}

/* ---- Forward ---- */

/* A finished row of the vertical steps to the bands. low and high: lines. */
static void put_bands(const wvl_dwt2_level *level, uint32_t y, wvl_dwt2_word *row, wvl_dwt2_word *low,
                      wvl_dwt2_word *high)
{
    const wvl_dwt2_scheme *s = level->scheme;
    const wvl_dwt2_view *bands = &level->bands[2 * (y & 1)];
    const uint32_t lows = (level->width + 1) / 2, highs = level->width / 2;
    const float across = level->height > 1 ? s->gain[y & 1] : 1.0f;
    if (level->width == 1) {
        low[0] = row[0];
    } else if (s->line_kind >= 0) {
        level->kernels.encoder->hlift[s->line_kind](row, level->width, 0, low, high);
    } else {
        level->kernels.rows->split(row, low, high, highs);
        low[lows - 1] = row[2 * (lows - 1)];
        extend(low, high, level->width);
        lift_row(level, low, high, level->width);
    }
    if (s->gain[0] != 1.0f) {
        const float along = level->width > 1 ? s->gain[0] : 1.0f;
        level->kernels.rows->scale((float *)low, along * across, lows);
        level->kernels.rows->scale((float *)high, s->gain[1] * across, highs);
    }
    scatter(&bands[0], y / 2, low, lows);
    scatter(&bands[1], y / 2, high, highs);
}

/* The encoder's kernels: one call does all vertical steps of a pair of rows. 9/7 finishes a pair one call later. */
static void forward_fast(const wvl_dwt2_level *level, int64_t y0, int64_t y1, const wvl_dwt2_lines *lines)
{
    const int kind = level->scheme->line_kind, lag = kind == WVL_LINE_F32;
    wvl_dwt2_word *x0 = lines->row[0], *x1 = lines->row[1], *x2 = lines->row[2];
    wvl_dwt2_word *dp = lines->row[3], *sp = lines->row[4], *dpp = lines->row[5];
    const int64_t begin = y0 / 2 - 1 - lag, end = (y1 + 1) / 2 + lag;
    gather(&level->plane, mirror(2 * begin, level->height), x0, level->width);
    for (int64_t n = begin; n < end; n++) {
        gather(&level->plane, mirror(2 * n + 1, level->height), x1, level->width);
        gather(&level->plane, mirror(2 * n + 2, level->height), x2, level->width);
        const wvl_vlift_rows rows = {x0, x1, x2, x1, x0, dp, sp, dpp};
        level->kernels.encoder->vlift[kind](&rows, level->width);
        wvl_dwt2_word *low = lag ? sp : x0, *high = lag ? dp : x1;
        const int64_t y = 2 * (n - lag);
        if (y >= y0) {
            put_bands(level, (uint32_t)y, low, lines->row[WVL_DWT2_RING], lines->row[WVL_DWT2_RING + 1]);
        }
        if (y >= y0 && y + 1 < y1) {
            put_bands(level, (uint32_t)y + 1, high, lines->row[WVL_DWT2_RING], lines->row[WVL_DWT2_RING + 1]);
        }
        wvl_dwt2_word *free_low = lag ? sp : x0, *free_high = lag ? dpp : dp;
        dpp = lag ? dp : dpp;
        sp = lag ? x0 : sp;
        dp = x1;
        x0 = x2;
        x1 = free_low;
        x2 = free_high;
    }
}

/* ---- Any scheme, both directions ---- */

/* Row y of the coefficients, filtered horizontally. */
static void take_bands(const wvl_dwt2_level *level, uint32_t y, wvl_dwt2_word *row, wvl_dwt2_word *low,
                       wvl_dwt2_word *high)
{
    const wvl_dwt2_scheme *s = level->scheme;
    const wvl_dwt2_view *bands = &level->bands[2 * (y & 1)];
    const uint32_t lows = (level->width + 1) / 2, highs = level->width / 2;
    const float across = level->height > 1 ? s->gain[y & 1] : 1.0f;
    gather(&bands[0], y / 2, low, lows);
    gather(&bands[1], y / 2, high, highs);
    if (s->gain[0] != 1.0f) {
        const float along = level->width > 1 ? s->gain[0] : 1.0f;
        level->kernels.rows->scale((float *)low, along * across, lows);
        level->kernels.rows->scale((float *)high, s->gain[1] * across, highs);
    }
    if (level->width > 1) {
        extend(low, high, level->width);
        lift_row(level, low, high, level->width);
    }
    level->kernels.rows->merge(low, high, row, highs);
    row[2 * (lows - 1)] = low[lows - 1];
}

/* The ring: row y stands in line (y - first) % WVL_DWT2_RING. */
typedef struct ring {
    const wvl_dwt2_lines *lines;
    int64_t first;
} ring;

static wvl_dwt2_word *row_of(const ring *r, int64_t y) { return r->lines->row[(y - r->first) % WVL_DWT2_RING]; }

/* Row y has arrived: each step changes the row that has its neighbours now. Steps come to a row in their order, since
 * no reach is shorter than the one before. */
static void lift_column(const wvl_dwt2_level *level, const ring *r, int64_t y)
{
    const wvl_dwt2_scheme *s = level->scheme;
    for (uint32_t k = 0; k < s->step_count; k++) {
        const wvl_dwt2_step *step = &s->steps[k];
        y -= step->reach;
        if ((y & 1) == step->is_high && y - step->reach >= r->first) {
            const wvl_dwt2_word *const from[4] = {row_of(r, y - 1), row_of(r, y + 1),
                                                  step->reach > 1 ? row_of(r, y - 3) : NULL,
                                                  step->reach > 1 ? row_of(r, y + 3) : NULL};
            lift(level, row_of(r, y), from, step, level->width);
        }
    }
}

static void run_rows(const wvl_dwt2_level *level, int64_t y0, int64_t y1, const wvl_dwt2_lines *lines, int is_inverse)
{
    const ring r = {lines, level->height > 1 ? y0 - level->scheme->reach : y0};
    const int64_t lag = level->height > 1 ? level->scheme->reach : 0;
    wvl_dwt2_word *low = lines->row[WVL_DWT2_RING], *high = lines->row[WVL_DWT2_RING + 1];
    for (int64_t y = r.first; y < y1 + lag; y++) {
        if (is_inverse) {
            take_bands(level, mirror(y, level->height), row_of(&r, y), low, high);
        } else {
            gather(&level->plane, mirror(y, level->height), row_of(&r, y), level->width);
        }
        if (level->height > 1) {
            lift_column(level, &r, y);
        }
        if (y - lag >= y0 && is_inverse) {
            scatter(&level->plane, (uint32_t)(y - lag), row_of(&r, y - lag), level->width);
        } else if (y - lag >= y0) {
            put_bands(level, (uint32_t)(y - lag), row_of(&r, y - lag), low, high);
        }
    }
}

void wvl_dwt2_forward_rows(const wvl_dwt2_level *level, uint32_t y0, uint32_t y1, const wvl_dwt2_lines *lines)
{
    if (level->scheme->line_kind >= 0 && level->height > 1) {
        forward_fast(level, y0, y1, lines);
    } else {
        run_rows(level, y0, y1, lines, 0);
    }
}

void wvl_dwt2_inverse_rows(const wvl_dwt2_level *level, uint32_t y0, uint32_t y1, const wvl_dwt2_lines *lines)
{
    run_rows(level, y0, y1, lines, 1);
}
