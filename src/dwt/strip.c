/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwt/strip.h"

#include <string.h>

#include "dwt/lift_ops.h"
#include "dwt/quant.h"

void wvl_dwt_carve_lines(wvl_carver *carver, uint32_t strand_count, wvl_dwt_extent extent, unsigned kind,
                         wvl_dwt_lines *lines)
{
    uint32_t n = extent.width;
    memset(lines, 0, sizeof *lines);
    for (uint32_t strand = 0; strand < strand_count; strand++) {
        if (extent.height < 2) {
            lines->even[strand][0] = wvl_line_carve(carver, n, kind);
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            lines->even[strand][i] = wvl_line_carve(carver, n, kind);
            lines->odd[strand][i] = wvl_line_carve(carver, n, kind);
        }
    }
    lines->low = wvl_line_carve(carver, wvl_max_u32(extent.low, WVL_LINE_ROUND), kind);
    lines->high = wvl_line_carve(carver, n / 2 + 1, kind);
}

static unsigned choose_pack(unsigned kind, const wvl_tile_band *band)
{
    if (kind == WVL_LINE_I64) {
        return WVL_PACK_I64_32;
    }
    if (kind == WVL_LINE_I32) {
        return band->coef_bytes == 2 ? WVL_PACK_I32_16 : WVL_PACK_I32_32;
    }
    if (band->coef_bytes == 2) {
        return WVL_PACK_F32_16;
    }
    return wvl_quant_is_deep(band->planes, band->frac_bits) ? WVL_PACK_F32_32_DEEP : WVL_PACK_F32_32;
}

void wvl_dwt_build_band(const wvl_dwt_kernels *kernels, unsigned kind, const wvl_tile_band *band, uint8_t *samples,
                        uint32_t *bounds, wvl_dwt_band *out)
{
    /* Fast kernels write multiples of 8 samples, which cells of 4-wide blocks do not have. */
    const wvl_dwt_kernels *k = band->cell_width & 7 ? wvl_dwt_fetch_kernels(WVL_CPU_C) : kernels;
    out->band = band;
    out->samples = samples;
    out->bounds = bounds + band->first_block;
    out->pack = k->pack[choose_pack(kind, band)];
}

static unsigned block_rows_log2(const wvl_dwt_strand *strand)
{
    unsigned most = 0;
    for (unsigned b = 0; b < 4; b++) {
        if (strand->band[b].band && strand->band[b].band->ycb > most) {
            most = strand->band[b].band->ycb;
        }
    }
    return most;
}

/* A row of a band takes two of the resolution's. */
uint64_t wvl_dwt_strip_rows(const wvl_dwt_strand *strands, uint32_t strand_count, uint32_t wanted)
{
    unsigned rows_log2 = 0;
    for (uint32_t i = 0; i < strand_count; i++) {
        rows_log2 = wvl_max_u32(rows_log2, block_rows_log2(&strands[i]));
    }
    uint64_t multiple = (uint64_t)2 << rows_log2, height = wvl_rect_height(strands[0].rect);
    return wvl_align_up(wvl_max_u64(wvl_ceil_div(height, wanted), WVL_DWT_STRIP_ROWS_MIN), multiple);
}

uint64_t wvl_dwt_count_strips(const wvl_dwt_strand *strands, uint32_t strand_count, uint32_t wanted)
{
    if (!wvl_rect_width(strands[0].rect) || !wvl_rect_height(strands[0].rect)) {
        return 0;
    }
    uint64_t rows = wvl_dwt_strip_rows(strands, strand_count, wanted);
    return wvl_ceil_div(strands[0].rect.y1, rows) - strands[0].rect.y0 / rows;
}

/* Row y of the band, one run a block. */
static void put_band_row(const wvl_dwt_band *out, unsigned kind, uint32_t y, const uint8_t *row)
{
    const wvl_tile_band *band = out->band;
    if (!band || band->rect.x0 >= band->rect.x1) { /* nothing lies on this side of a one-sample signal */
        return;
    }
    uint32_t x0 = band->rect.x0, x1 = band->rect.x1, element_bytes = wvl_line_element_bytes(kind);
    uint8_t *cell = out->samples + wvl_coef_at(band, x0, y);
    uint64_t step = wvl_coef_cell(band, 1) - wvl_coef_cell(band, 0);
    uint32_t *bound = out->bounds + (uint64_t)((y >> band->ycb) - band->block_y0) * band->block_cols;
    uint64_t x = x0, width = (uint64_t)1 << band->xcb;
    while (x < x1) {
        uint64_t end = wvl_min_u64((x & ~(width - 1)) + width, x1);
        *bound++ |= out->pack(row + (x - x0) * element_bytes, (uint32_t)(end - x), band->reciprocal, cell);
        cell += step;
        x = end;
    }
}

static void double_sample(void *x, unsigned kind, uint64_t n)
{
    int32_t *v = x;
    int64_t *wide = x;
    for (uint64_t i = 0; i < n; i++) {
        if (kind == WVL_LINE_I32) {
            v[i] *= 2;
        } else if (kind == WVL_LINE_I64) {
            wide[i] *= 2;
        }
    }
}

/* Horizontal split of a vertically filtered row: band row y of the low or the high half (orients `left` and `left` +
 * 1). */
static void split_row(const wvl_dwt_strip *s, const wvl_dwt_strand *strand, unsigned left, uint32_t y, uint8_t *row)
{
    uint32_t n = wvl_rect_width(strand->rect);
    unsigned parity = strand->rect.x0 & 1;
    uint8_t *low = s->lines->low, *high = s->lines->high;
    uint32_t low_count = (n + 1 - parity) / 2;
    uint8_t *to = left == WVL_BAND_LL && strand->low.rows
                      ? strand->low.rows + (uint64_t)(y - strand->low.y0) * strand->low.pitch_bytes
                      : NULL;
    if (to && !wvl_dwt_is_narrow(low_count)) {
        low = to;
    }
    if (n > 1) {
        s->kernels->hlift[strand->kind](row, n, parity, low, high);
    } else if (parity) { /* a single odd sample is doubled, not filtered (F.4.8); 9/7 has the 2 in its reciprocal */
        memcpy(high, row, wvl_line_element_bytes(strand->kind));
        double_sample(high, strand->kind, 1);
    } else {
        memcpy(low, row, wvl_line_element_bytes(strand->kind));
    }
    if (!to) {
        put_band_row(&strand->band[left], strand->kind, y, low);
    } else if (to != low) {
        memcpy(to, low, (uint64_t)low_count * wvl_line_element_bytes(strand->kind));
    }
    put_band_row(&strand->band[left + 1], strand->kind, y, high);
}

/* Brings row y of all strands: fetched into lines, or found in the planes. */
static void bring_row(const wvl_dwt_strip *s, int64_t y, uint8_t *const (*lines)[3], unsigned place, const void **rows)
{
    uint32_t at = wvl_lift_reflect(y, s->strands[0].rect.y0, s->strands[0].rect.y1);
    uint32_t n = wvl_rect_width(s->strands[0].rect);
    void *targets[WVL_STRANDS_MAX];
    for (uint32_t i = 0; i < s->strand_count; i++) {
        const wvl_dwt_plane *in = &s->strands[i].in;
        const uint8_t *from = s->fetch ? NULL : in->rows + (uint64_t)(at - in->y0) * in->pitch_bytes;
        rows[i] = targets[i] = lines[i][place];
        if (from && wvl_dwt_is_narrow(n)) {
            memcpy(targets[i], from, n * wvl_line_element_bytes(s->strands[i].kind));
        } else if (from) {
            rows[i] = from;
        }
    }
    if (s->fetch) {
        s->fetch(s->user, at, targets);
    }
}

static void put_pair(const wvl_dwt_strip *s, uint32_t i, int64_t m, uint8_t *low, uint8_t *high)
{
    if (2 * m >= s->y0 && 2 * m < s->y1) {
        split_row(s, &s->strands[i], WVL_BAND_LL, (uint32_t)m, low);
    }
    if (2 * m + 1 >= s->y0 && 2 * m + 1 < s->y1) {
        split_row(s, &s->strands[i], WVL_BAND_LH, (uint32_t)m, high);
    }
}

/* The rolling rows are overwritten by rows of another kind or component between strips; 9/7 filters them before they
 * are first filled, and must not meet bits that are slow to add. */
static void clear_lines(const wvl_dwt_strip *s)
{
    uint64_t bytes =
        wvl_align_up(wvl_rect_width(s->strands[0].rect), WVL_LINE_ROUND) * wvl_line_element_bytes(s->strands[0].kind);
    for (uint32_t i = 0; i < s->strand_count; i++) {
        for (unsigned place = 0; place < 3; place++) {
            memset(s->lines->even[i][place], 0, bytes);
            memset(s->lines->odd[i][place], 0, bytes);
        }
    }
}

/* A single row is not filtered vertically. */
static void put_single(const wvl_dwt_strip *s)
{
    uint32_t y = s->strands[0].rect.y0, n = wvl_rect_width(s->strands[0].rect);
    void *rows[WVL_STRANDS_MAX];
    for (uint32_t i = 0; i < s->strand_count; i++) {
        const wvl_dwt_strand *strand = &s->strands[i];
        rows[i] = s->lines->even[i][0];
        if (!s->fetch) {
            memcpy(rows[i], strand->in.rows, (uint64_t)n * wvl_line_element_bytes(strand->kind));
        }
    }
    if (s->fetch) {
        s->fetch(s->user, y, rows);
    }
    for (uint32_t i = 0; i < s->strand_count; i++) {
        if (s->strands[i].plain) {
            continue;
        }
        if (y & 1) {
            double_sample(rows[i], s->strands[i].kind, n);
        }
        split_row(s, &s->strands[i], y & 1 ? WVL_BAND_LH : WVL_BAND_LL, y >> 1, rows[i]);
    }
}

/* Rows of the strands that are (or are not) marked as plain, as they come. */
static void put_rows(const wvl_dwt_strip *s, int plain)
{
    void *rows[WVL_STRANDS_MAX];
    for (uint32_t i = 0; i < s->strand_count; i++) {
        rows[i] = s->lines->even[i][0];
    }
    for (uint32_t y = s->y0;
         y < s->y1 &&
         !wvl_look_after(s->look, WVL_LOOK_TRANSFORM, (uint64_t)wvl_rect_width(s->strands[0].rect) * s->strand_count);
         y++) {
        s->fetch(s->user, y, rows);
        for (uint32_t i = 0; i < s->strand_count; i++) {
            if (s->strands[i].plain == plain) {
                put_band_row(&s->strands[i].band[WVL_BAND_LL], s->strands[i].kind, y, rows[i]);
            }
        }
    }
}

/*
 * Pair k is rows 2k+1 and 2k+2. 5/3 finishes pair k with it and needs the high row k-1: one pair of run-in. 9/7
 * finishes pair k-1 and needs d1, s1 and d2 of the pairs before: pair m is right once pairs m-2 .. m+1 have passed.
 */
void wvl_dwt_put_strip(const wvl_dwt_strip *s)
{
    int any_plain = 0;
    for (uint32_t i = 0; i < s->strand_count; i++) {
        any_plain |= s->strands[i].plain;
    }
    if (any_plain) {
        put_rows(s, 1);
    }
    if (wvl_rect_height(s->strands[0].rect) == 1) {
        put_single(s);
        return;
    }
    const wvl_dwt_lines *l = s->lines;
    unsigned kind = s->strands[0].kind, lag = kind == WVL_LINE_F32;
    uint32_t n = wvl_rect_width(s->strands[0].rect);
    int64_t first = s->y0 >> 1, end = ((int64_t)s->y1 + 1) >> 1, start = first - 1 - lag;
    const void *x0[WVL_STRANDS_MAX], *x1[WVL_STRANDS_MAX], *x2[WVL_STRANDS_MAX];
    unsigned now = 0, next = 1, before = 2; /* places of pairs k, k + 1 (even rows) or k - 2 (odd rows), k - 1 */
    clear_lines(s);
    bring_row(s, 2 * start, l->even, now, x0);
    for (int64_t k = start; k < end + lag && !wvl_look_after(s->look, WVL_LOOK_TRANSFORM, 2ull * n * s->strand_count);
         k++) {
        bring_row(s, 2 * k + 1, l->odd, now, x1);
        bring_row(s, 2 * k + 2, l->even, next, x2);
        for (uint32_t i = 0; i < s->strand_count; i++) {
            if (s->strands[i].plain) {
                continue;
            }
            wvl_vlift_rows rows = {
                x0[i],          x1[i], x2[i], l->odd[i][now], l->even[i][now], l->odd[i][before], l->even[i][before],
                l->odd[i][next]};
            s->kernels->vlift[kind](&rows, n);
            unsigned done = lag ? before : now;
            if (k - lag >= first) {
                put_pair(s, i, k - lag, l->even[i][done], l->odd[i][done]);
            }
            x0[i] = x2[i];
        }
        unsigned free_place = before;
        before = now;
        now = next;
        next = free_place;
    }
}

void wvl_dwt_put_plain(const wvl_dwt_strip *strip) { put_rows(strip, 0); }
