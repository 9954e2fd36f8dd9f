/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwt/strip.h"

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
        return band->coef_bytes == 8 ? WVL_PACK_I64_64 : WVL_PACK_I64_32;
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

/* ---- Rows, one after another ----------------------------------------------------------------- */

/* What the row at hand is: one that stays as it is; the only one; the one above the first pair; the odd or the even row
 * of pair k, which is rows 2k + 1 and 2k + 2. */
enum { STEP_BEGIN = 0, STEP_PLAIN, STEP_SINGLE, STEP_FIRST, STEP_ODD, STEP_EVEN };

static int want(wvl_dwt_strip *s, unsigned step, int64_t at)
{
    s->step = (uint8_t)step;
    s->at = at;
    return 1;
}

static int64_t lag_of(const wvl_dwt_strip *s) { return s->strands[0].kind == WVL_LINE_F32; }

/*
 * 5/3 finishes pair k with it and needs the high row k-1: one pair of run-in. 9/7 finishes pair k-1 and needs d1, s1
 * and d2 of the pairs before: pair m is right once pairs m-2 .. m+1 have passed.
 */
static int begin_split(wvl_dwt_strip *s)
{
    if (!s->splits || wvl_rect_height(s->strands[0].rect) == 1) {
        return s->splits && want(s, STEP_SINGLE, s->y0);
    }
    /* The rolling rows are overwritten by rows of another kind or component between strips; 9/7 filters them before
     * they are first filled, and must not meet bits that are slow to add. */
    uint64_t bytes =
        wvl_align_up(wvl_rect_width(s->strands[0].rect), WVL_LINE_ROUND) * wvl_line_element_bytes(s->strands[0].kind);
    for (uint32_t i = 0; i < s->strand_count; i++) {
        for (unsigned place = 0; place < 3; place++) {
            memset(s->lines->even[i][place], 0, bytes);
            memset(s->lines->odd[i][place], 0, bytes);
        }
    }
    s->next = 1;
    s->before = 2;
    return want(s, STEP_FIRST, 2 * ((int64_t)(s->y0 >> 1) - 1 - lag_of(s)));
}

static int want_plain(wvl_dwt_strip *s, int64_t at)
{
    uint64_t samples = (uint64_t)wvl_rect_width(s->strands[0].rect) * s->strand_count;
    int is_left = at < s->y1 && !wvl_look_after(s->look, WVL_LOOK_TRANSFORM, samples);
    return is_left ? want(s, STEP_PLAIN, at) : begin_split(s);
}

static int want_pair(wvl_dwt_strip *s)
{
    uint64_t samples = 2ull * wvl_rect_width(s->strands[0].rect) * s->strand_count;
    int64_t end = (((int64_t)s->y1 + 1) >> 1) + lag_of(s);
    return s->at / 2 < end && !wvl_look_after(s->look, WVL_LOOK_TRANSFORM, samples) && want(s, STEP_ODD, s->at + 1);
}

static void put_single(const wvl_dwt_strip *s)
{
    for (uint32_t i = 0; i < s->strand_count; i++) {
        const wvl_dwt_strand *strand = &s->strands[i];
        if (strand->plain) {
            continue;
        }
        if (s->y & 1) {
            double_sample(s->rows[i], strand->kind, wvl_rect_width(strand->rect));
        }
        split_row(s, strand, s->y & 1 ? WVL_BAND_LH : WVL_BAND_LL, s->y >> 1, s->rows[i]);
    }
}

static void put_pair(wvl_dwt_strip *s)
{
    const wvl_dwt_lines *l = s->lines;
    int64_t m = s->at / 2 - 1 - lag_of(s);
    unsigned kind = s->strands[0].kind, now = s->now, before = s->before, done = lag_of(s) ? before : now;
    for (uint32_t i = 0; i < s->strand_count; i++) {
        const wvl_dwt_strand *strand = &s->strands[i];
        if (strand->plain) {
            continue;
        }
        wvl_vlift_rows rows = {s->x[0][i],      s->x[1][i],        s->x[2][i],         l->odd[i][now],
                               l->even[i][now], l->odd[i][before], l->even[i][before], l->odd[i][s->next]};
        s->kernels->vlift[kind](&rows, wvl_rect_width(strand->rect));
        if (2 * m >= s->y0 && 2 * m < s->y1) {
            split_row(s, strand, WVL_BAND_LL, (uint32_t)m, l->even[i][done]);
        }
        if (2 * m + 1 >= s->y0 && 2 * m + 1 < s->y1) {
            split_row(s, strand, WVL_BAND_LH, (uint32_t)m, l->odd[i][done]);
        }
        s->x[0][i] = s->x[2][i];
    }
    s->before = (uint8_t)now;
    s->now = s->next;
    s->next = (uint8_t)before;
}

/* Does what can be done with the row that is there. 0: the strip is done. */
static int go_on(wvl_dwt_strip *s)
{
    int has_plain = !s->splits;
    switch (s->step) {
    case STEP_BEGIN:
        for (uint32_t i = 0; i < s->strand_count; i++) {
            has_plain |= s->strands[i].plain;
        }
        return has_plain ? want_plain(s, s->y0) : begin_split(s);
    case STEP_PLAIN:
        for (uint32_t i = 0; i < s->strand_count; i++) {
            if (s->strands[i].plain == s->splits) {
                put_band_row(&s->strands[i].band[WVL_BAND_LL], s->strands[i].kind, s->y, s->rows[i]);
            }
        }
        return want_plain(s, s->at + 1);
    case STEP_SINGLE: put_single(s); return 0;
    case STEP_FIRST: return want_pair(s);
    case STEP_ODD: return want(s, STEP_EVEN, s->at + 1);
    default: put_pair(s); return want_pair(s);
    }
}

int wvl_dwt_next_row(wvl_dwt_strip *s)
{
    while (go_on(s)) {
        unsigned row = s->step > STEP_FIRST ? (unsigned)(s->step - STEP_FIRST) : 0; /* of x */
        uint32_t n = wvl_rect_width(s->strands[0].rect);
        s->y = s->step < STEP_FIRST ? (uint32_t)s->at
                                    : wvl_lift_reflect(s->at, s->strands[0].rect.y0, s->strands[0].rect.y1);
        for (uint32_t i = 0; i < s->strand_count; i++) {
            const wvl_dwt_plane *in = &s->strands[i].in;
            const uint8_t *from = s->fetches ? NULL : in->rows + (uint64_t)(s->y - in->y0) * in->pitch_bytes;
            uint8_t *const *lines = row == 1 ? s->lines->odd[i] : s->lines->even[i];
            s->x[row][i] = s->rows[i] = lines[row == 2 ? s->next : s->now];
            if (from && (wvl_dwt_is_narrow(n) || s->step == STEP_SINGLE)) {
                memcpy(s->rows[i], from, (uint64_t)n * wvl_line_element_bytes(s->strands[i].kind));
            } else if (from) {
                s->x[row][i] = from;
            }
        }
        if (s->fetches) {
            return 1;
        }
    }
    return 0;
}
