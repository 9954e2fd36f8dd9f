/* SPDX-License-Identifier: BSD-2-Clause */
/* Body of the inverse transform for SAMPLE, whose STEPS lifting steps LIFT(x, sum of both neighbours, step) go to low
 * and high samples in turn. Those are arrays of their own, of scalars (a row) or of stretches of rows (some columns at
 * once). The neighbours of sample k of one half are samples k + shift - 1 and k + shift of the other; whole-sample
 * symmetric reflection repeats the outermost. */

static void NAME(lift)(SAMPLE *restrict x, uint32_t count, const SAMPLE *restrict other, uint32_t other_count,
                       unsigned shift, unsigned step)
{
    uint32_t first = shift ^ 1, end = wvl_min_u32(count, other_count - shift);
    if (first) {
        LIFT(x[0], other[0] + other[0], step);
    }
    for (uint32_t k = first; k < end; k++) {
        LIFT(x[k], other[k + shift - 1] + other[k + shift], step);
    }
    if (count > end && count > first) {
        LIFT(x[count - 1], other[other_count - 1] + other[other_count - 1], step);
    }
}

static void NAME(lift_rows)(SAMPLE *x, uint32_t count, const SAMPLE *other, uint32_t other_count, unsigned shift,
                            uint64_t stride, uint32_t width, unsigned step)
{
    for (uint32_t k = 0; k < count; k++) {
        const SAMPLE *before = other + (k + shift ? k + shift - 1 : 0) * stride,
                     *after = other + wvl_min_u32(k + shift, other_count - 1) * stride;
        SAMPLE *restrict to = x + k * stride;
        for (uint32_t i = 0; i < width; i++) {
            LIFT(to[i], before[i] + after[i], step);
        }
    }
}

static void NAME(synthesise_row)(SAMPLE *line, uint32_t low_count, uint32_t high_count, unsigned parity)
{
    SAMPLE *high = line + low_count;
    if (low_count + high_count == 1) {
        SETTLE_ALONE(line[0], parity);
        return;
    }
    for (uint32_t i = 0; i < low_count + high_count; i++) {
        SCALE(line[i], i >= low_count);
    }
    for (unsigned s = 0; s < STEPS; s += 2) {
        NAME(lift)(line, low_count, high, high_count, parity, s);
        NAME(lift)(high, high_count, line, low_count, parity ^ 1, s + 1);
    }
}

/* Columns, as many as stay in the cache with all their rows. */
static void NAME(synthesise_columns)(SAMPLE *top, uint64_t stride, uint32_t width, uint32_t low_count,
                                     uint32_t high_count, unsigned parity)
{
    SAMPLE *high = top + low_count * stride;
    for (uint32_t y = 0; y < low_count + high_count; y++) {
        for (uint32_t i = 0; i < width; i++) {
            if (low_count + high_count == 1) {
                SETTLE_ALONE(top[i], parity);
            } else {
                SCALE(top[y * stride + i], y >= low_count);
            }
        }
    }
    for (unsigned s = 0; s < STEPS && low_count && high_count; s += 2) {
        NAME(lift_rows)(top, low_count, high, high_count, parity, stride, width, s);
        NAME(lift_rows)(high, high_count, top, low_count, parity ^ 1, stride, width, s + 1);
    }
}

static void NAME(synthesise_level)(wvl_rect rect, uint32_t low_width, uint32_t low_height, SAMPLE *plane, SAMPLE *spare,
                                   uint64_t stride, SAMPLE *row, const wvl_look *look)
{
    uint32_t width = wvl_rect_width(rect), height = wvl_rect_height(rect);
    unsigned x_parity = rect.x0 & 1, y_parity = rect.y0 & 1;
    for (uint32_t y = 0; y < height && !wvl_look_after(look, WVL_LOOK_ROWS, width); y++) {
        SAMPLE *to = spare + y * stride;
        memcpy(row, plane + y * stride, width * sizeof *row);
        NAME(synthesise_row)(row, low_width, width - low_width, x_parity);
        for (uint32_t k = 0; k < low_width; k++) {
            to[2 * k + x_parity] = row[k];
        }
        for (uint32_t k = 0; k < width - low_width; k++) {
            to[2 * k + (x_parity ^ 1)] = row[low_width + k];
        }
    }
    for (uint32_t x = 0;
         x < width && !wvl_look_after(look, WVL_LOOK_COLUMNS, (uint64_t)height * wvl_min_u32(COLUMNS, width - x));
         x += COLUMNS) {
        NAME(synthesise_columns)
        (spare + x, stride, wvl_min_u32(COLUMNS, width - x), low_height, height - low_height, y_parity);
    }
    for (uint32_t y = 0; y < height; y++) {
        int is_high = (y + y_parity) & 1; /* of both kinds, y / 2 stand before row y */
        memcpy(plane + y * stride, spare + (y / 2 + (is_high ? low_height : 0)) * stride, width * sizeof *plane);
    }
}

void NAME(wvl_inverse)(const wvl_tile_plan *tile, uint32_t component, SAMPLE *plane, SAMPLE *spare, uint64_t stride,
                       SAMPLE *row, const wvl_look *look)
{
    const wvl_tile_component *tc = &tile->components[component];
    for (unsigned r = 1; r <= tc->levels; r++) {
        const wvl_tile_resolution *res = &tile->resolutions[tc->first_resolution + r];
        wvl_rect low = tile->resolutions[tc->first_resolution + r - 1].rect;
        if (wvl_rect_width(res->rect) && wvl_rect_height(res->rect)) {
            NAME(synthesise_level)
            (res->rect, wvl_rect_width(low), wvl_rect_height(low), plane, spare, stride, row, look);
        }
    }
}
