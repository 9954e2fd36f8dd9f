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

/* A row of one component. A picture one pixel wide or high has no high band in that direction: 0. */
static void lab_load_row(const lab_picture *p, const lab_scheme *s, int c, ptrdiff_t x0, ptrdiff_t y, ptrdiff_t count,
                         void *to)
{
    const ptrdiff_t row = lab_mirror(2 * y + (c >> 1), p->height);
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t column = lab_mirror(2 * (x0 + i) + (c & 1), p->width);
        const int from = (int)((row & 1) << 1 | (column & 1));
        const lab_view *v = &p->in[from];
        const ptrdiff_t at = (row >> 1) * v->row + (column >> 1) * v->column;
        if (s->is_integer) {
            ((int32_t *)to)[i] = s->is_inverse && from != c ? 0 : ((const int32_t *)v->at)[at];
        } else {
            const float value = s->is_inverse && from != c ? 0.0f : ((const float *)v->at)[at];
            ((float *)to)[i] = s->is_inverse ? value * s->gains[c] : value;
        }
    }
}

static void lab_store_row(const lab_picture *p, const lab_scheme *s, int c, ptrdiff_t x0, ptrdiff_t y, ptrdiff_t count,
                          const void *from)
{
    const lab_view *v = &p->out[c];
    if (2 * y + (c >> 1) >= p->height) {
        return;
    }
    for (ptrdiff_t i = 0; i < count && 2 * (x0 + i) + (c & 1) < p->width; i++) {
        const ptrdiff_t at = y * v->row + (x0 + i) * v->column;
        if (s->is_integer) {
            ((int32_t *)v->at)[at] = ((const int32_t *)from)[i];
        } else {
            const float value = ((const float *)from)[i];
            ((float *)v->at)[at] = s->is_inverse ? value : value * s->gains[c];
        }
    }
}

size_t lab_scratch_bytes(const lab_scheme *s, ptrdiff_t tile_width, ptrdiff_t tile_height)
{
    const ptrdiff_t wide = tile_width + 2 * (s->reach[0] + s->reach[1]),
                    high = tile_height + 2 * (s->reach[2] + s->reach[3]);
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
            lab_load_row(p, s, c, x0 - s->reach[0], y0 + y - s->reach[2], t.width, (float *)t.planes[c] + y * t.stride);
        }
    }
    s->run(&t);
    for (int c = 0; c < 4; c++) {
        for (ptrdiff_t y = 0; y < height; y++) {
            const float *row = (const float *)t.planes[c] + (y + s->reach[2]) * t.stride + s->reach[0];
            lab_store_row(p, s, c, x0, y0 + y, width, row);
        }
    }
}
