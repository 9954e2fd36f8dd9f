/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all C functions of the transform laboratory share: a region of quads with its halo, loaded with mirrored
 * borders, and tiles over a picture. A caller compiles the file that the generator writes and calls lab_run for each
 * tile.
 */
#include <stdint.h>

static void lab_swap(lab_region *t, int c)
{
    void *kept = t->planes[c];
    t->planes[c] = t->spares[c];
    t->spares[c] = kept;
}

/* Whole-sample symmetric extension (ISO/IEC 15444-1 F.4.7). */
static ptrdiff_t lab_mirror(ptrdiff_t i, ptrdiff_t length)
{
    while (length > 1 && (i < 0 || i >= length)) {
        i = i < 0 ? -i : 2 * (length - 1) - i;
    }
    return length > 1 ? i : 0;
}

static void lab_scale(const lab_scheme *s, int c, ptrdiff_t count, float *values)
{
    const float gain = s->gains[c];
    if (!s->is_integer && gain != 1.0f) {
        for (ptrdiff_t i = 0; i < count; i++) {
            values[i] *= gain;
        }
    }
}

/* Values as words: they are moved, not computed. Most rows are dense or take every second value. */
static void lab_gather(const uint32_t *from, ptrdiff_t column, ptrdiff_t count, uint32_t *to)
{
    if (column == 2) {
        for (ptrdiff_t i = 0; i < count; i++) {
            to[i] = from[2 * i];
        }
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        to[i] = from[i * column];
    }
}

static void lab_scatter(const uint32_t *from, ptrdiff_t column, ptrdiff_t count, uint32_t *to)
{
    if (column == 2) {
        for (ptrdiff_t i = 0; i < count; i++) {
            to[2 * i] = from[i];
        }
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        to[i * column] = from[i];
    }
}

/* A value outside the picture, or inside. A picture one pixel wide or high has no high band in that direction: 0. */
static uint32_t lab_fetch(const lab_picture *p, const lab_scheme *s, int c, ptrdiff_t x, ptrdiff_t y)
{
    const ptrdiff_t row = lab_mirror(2 * y + (c >> 1), p->height), column = lab_mirror(2 * x + (c & 1), p->width);
    const int from = (int)((row & 1) << 1 | (column & 1));
    const lab_view *v = &p->in[from];
    return s->is_inverse && from != c ? 0 : ((const uint32_t *)v->at)[(row >> 1) * v->row + (column >> 1) * v->column];
}

static ptrdiff_t lab_clamp(ptrdiff_t v, ptrdiff_t least, ptrdiff_t most)
{
    if (v < least) {
        return least;
    }
    return v > most ? most : v;
}

/* Quads [x0, x0 + count) of row y of a component; columns inside the picture without a look at borders. */
static void lab_load_row(const lab_picture *p, const lab_scheme *s, int c, ptrdiff_t x0, ptrdiff_t y, ptrdiff_t count,
                         uint32_t *to)
{
    const ptrdiff_t row = lab_mirror(2 * y + (c >> 1), p->height), columns = (p->width + !(c & 1)) / 2;
    const int is_whole = (row & 1) == c >> 1;
    const ptrdiff_t first = lab_clamp(-x0, 0, count);
    const ptrdiff_t end = is_whole ? lab_clamp(columns - x0, first, count) : first;
    const lab_view *v = &p->in[c];
    for (ptrdiff_t i = 0; i < first; i++) {
        to[i] = lab_fetch(p, s, c, x0 + i, y);
    }
    if (end > first) {
        lab_gather((const uint32_t *)v->at + (row >> 1) * v->row + (x0 + first) * v->column, v->column, end - first,
                   to + first);
    }
    for (ptrdiff_t i = end; i < count; i++) {
        to[i] = lab_fetch(p, s, c, x0 + i, y);
    }
    if (s->is_inverse) {
        lab_scale(s, c, count, (float *)to);
    }
}

static void lab_store_row(const lab_picture *p, const lab_scheme *s, int c, ptrdiff_t x0, ptrdiff_t y, ptrdiff_t count,
                          uint32_t *from)
{
    const lab_view *v = &p->out[c];
    const ptrdiff_t inside = lab_clamp((p->width + !(c & 1)) / 2 - x0, 0, count);
    if (2 * y + (c >> 1) >= p->height) {
        return;
    }
    if (!s->is_inverse) {
        lab_scale(s, c, inside, (float *)from);
    }
    lab_scatter(from, v->column, inside, (uint32_t *)v->at + y * v->row + x0 * v->column);
}

size_t lab_scratch_bytes(const lab_scheme *s, ptrdiff_t tile_width, ptrdiff_t tile_height)
{
    const ptrdiff_t wide = tile_width + 2 * (s->reach[0] + s->reach[1]);
    const ptrdiff_t high = tile_height + 2 * (s->reach[2] + s->reach[3]);
    return 8 * 4 * (size_t)(wide * high);
}

static void lab_place(lab_region *t, const lab_scheme *s, ptrdiff_t width, ptrdiff_t height, void *scratch)
{
    const int *reach = s->reach;
    t->width = width + reach[0] + reach[1];
    t->height = height + reach[2] + reach[3];
    t->stride = t->width + reach[0] + reach[1];
    const ptrdiff_t plane = t->stride * (t->height + reach[2] + reach[3]), first = reach[2] * t->stride + reach[0];
    for (int c = 0; c < 4; c++) {
        t->planes[c] = (float *)scratch + c * plane + first;
        t->spares[c] = (float *)scratch + (4 + c) * plane + first;
    }
}

/* One tile: quads [x0, x0 + width) x [y0, y0 + height). scratch: lab_scratch_bytes for at least this size, all bits
 * zero before its first use. */
void lab_run(const lab_scheme *s, const lab_picture *p, ptrdiff_t x0, ptrdiff_t y0, ptrdiff_t width, ptrdiff_t height,
             void *scratch)
{
    lab_region t;
    lab_place(&t, s, width, height, scratch);
    for (int c = 0; c < 4; c++) {
        for (ptrdiff_t y = 0; y < t.height; y++) {
            lab_load_row(p, s, c, x0 - s->reach[0], y0 + y - s->reach[2], t.width,
                         (uint32_t *)t.planes[c] + y * t.stride);
        }
    }
    s->run(&t);
    for (int c = 0; c < 4; c++) {
        for (ptrdiff_t y = 0; y < height; y++) {
            uint32_t *row = (uint32_t *)t.planes[c] + (y + s->reach[2]) * t.stride + s->reach[0];
            lab_store_row(p, s, c, x0, y0 + y, width, row);
        }
    }
}
