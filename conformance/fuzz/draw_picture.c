/* SPDX-License-Identifier: BSD-2-Clause */
/* Size, place, components and layout. */
#include <stdio.h>
#include <string.h>

#include "draw.h"

#define MANY 200u /* components, from which on pictures are tiny */

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

static uint32_t draw_count(fuzz_draw *d)
{
    static const uint32_t many[] = {255, 256, 257, 258, 300};
    uint32_t v = fuzz_draw_between(d, 1, 100);
    return v <= 38 ? 1 : v <= 75 ? 3 : v <= 97 ? fuzz_draw_between(d, 2, 5) : many[fuzz_draw_between(d, 0, 4)];
}

static void draw_grid(fuzz_draw *d, uint32_t count)
{
    fuzz_picture *p = &d->shape;
    uint32_t kind = fuzz_draw_between(d, 1, 100), most = count >= MANY ? 12 : kind <= 20 ? 8 : kind <= 88 ? 128 : 300;
    uint32_t width = fuzz_draw_between(d, 1, most), height = fuzz_draw_between(d, 1, most),
             place = fuzz_draw_between(d, 1, 100);
    if (place <= 42) {
        p->x0 = fuzz_draw_between(d, 0, 70);
        p->y0 = fuzz_draw_between(d, 0, 70);
    } else if (place <= 44) {
        p->x0 = fuzz_draw_between(d, 70, INT32_MAX - 400);
        p->y0 = fuzz_draw_between(d, 70, INT32_MAX - 400);
    } else if (place == 45) {
        p->x0 = fuzz_draw_between(d, INT32_MAX - 400, UINT32_MAX - 400);
        p->y0 = fuzz_draw_between(d, 0, UINT32_MAX - 400);
    }
    p->x1 = p->x0 + width;
    p->y1 = p->y0 + height;
    fuzz_case_set(d->c, "size", "%u,%u", width, height);
    if (p->x0 || p->y0) {
        fuzz_case_set(d->c, "offset", "%u,%u", p->x0, p->y0);
    }
}

static void draw_plane(fuzz_draw *d, fuzz_plane *plane)
{
    static const uint8_t common[] = {8, 8, 8, 10, 12, 16};
    *plane = (fuzz_plane){
        0,   0, fuzz_draw_chance(d, 60) ? common[fuzz_draw_between(d, 0, 5)] : (uint8_t)fuzz_draw_between(d, 1, 28),
        0,   1, 1,
        NULL};
    plane->is_signed = (uint8_t)fuzz_draw_chance(d, 20);
}

static void thin_out(fuzz_draw *d, fuzz_plane *plane)
{
    const fuzz_picture *p = &d->shape;
    uint32_t most = fuzz_draw_chance(d, 90) ? 4 : 255;
    plane->dx = (uint8_t)(fuzz_draw_chance(d, 40) ? 1 : fuzz_draw_between(d, 1, most));
    plane->dy = (uint8_t)(fuzz_draw_chance(d, 40) ? 1 : fuzz_draw_between(d, 1, most));
    if (ceil_div(p->x0, plane->dx) >= ceil_div(p->x1, plane->dx) ||
        ceil_div(p->y0, plane->dy) >= ceil_div(p->y1, plane->dy)) {
        plane->dx = plane->dy = 1; /* else it had no sample, which B-2 forbids */
    }
}

static void print_components(fuzz_draw *d, uint32_t alike)
{
    char list[FUZZ_MAX_VALUE] = "";
    size_t n = 0;
    const fuzz_picture *p = &d->shape;
    for (uint32_t c = 0; c < p->count;) {
        const fuzz_plane *plane = &p->planes[c];
        uint32_t repeat = c + alike <= p->count ? alike : 1;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s", c ? "," : "");
        if (repeat > 1) {
            n += (size_t)snprintf(list + n, sizeof list - n, "%u*", repeat);
        }
        n += (size_t)snprintf(list + n, sizeof list - n, "%u%c", plane->depth, plane->is_signed ? 's' : 'u');
        if (plane->dx > 1 || plane->dy > 1) {
            n += (size_t)snprintf(list + n, sizeof list - n, "@%ux%u", plane->dx, plane->dy);
        }
        c += repeat;
    }
    fuzz_case_set(d->c, "components", "%s", list);
}

/* All alike, chroma thinned out, or each as it comes. */
static void draw_components(fuzz_draw *d, uint32_t count)
{
    static fuzz_plane planes[FUZZ_MAX_COMPONENTS];
    uint32_t kind = count >= MANY ? 0 : fuzz_draw_between(d, 1, 100);
    d->shape.planes = planes;
    d->shape.count = count;
    draw_plane(d, &planes[0]);
    for (uint32_t c = 1; c < count; c++) {
        planes[c] = planes[0];
        if (kind > 80) {
            draw_plane(d, &planes[c]);
        }
    }
    if (kind > 65) {
        for (uint32_t c = kind > 80 ? 0 : 1; c < count; c++) {
            thin_out(d, &planes[c]);
        }
    }
    print_components(d, kind <= 65 ? count : 1);
}

void fuzz_draw_measure(fuzz_draw *d)
{
    const fuzz_picture *p = &d->shape;
    const fuzz_plane *k = p->planes;
    d->can_mct = p->count >= 3;
    d->raw_bytes = 0.0;
    for (uint32_t c = 0; c < p->count; c++) {
        double columns = ceil_div(p->x1, k[c].dx) - ceil_div(p->x0, k[c].dx),
               rows = ceil_div(p->y1, k[c].dy) - ceil_div(p->y0, k[c].dy);
        d->raw_bytes += columns * rows * k[c].depth / 8.0;
        if (c < 3 && (k[c].depth != k[0].depth || k[c].is_signed != k[0].is_signed || k[c].dx != k[0].dx ||
                      k[c].dy != k[0].dy)) {
            d->can_mct = 0;
        }
    }
}

static void draw_source(fuzz_draw *d)
{
    static const char *const kinds[] = {"natural", "natural", "natural", "natural", "natural",
                                        "noise",   "extreme", "extreme", "sparse",  "flat"};
    uint32_t file = fuzz_picture_hash((uint32_t)(d->seed / 50), (uint32_t)(d->seed / 50 >> 32),
                                      3); /* runs of seeds share a file: it is read once */
    if (d->folder && d->folder->count && fuzz_draw_chance(d, 65)) {
        fuzz_case_set(d->c, "picture", "%s", d->folder->names[file % d->folder->count]);
        fuzz_case_set(d->c, "at", "%u,%u", fuzz_draw_between(d, 0, 500), fuzz_draw_between(d, 0, 500));
    } else {
        fuzz_case_set(d->c, "picture", "%s", kinds[fuzz_draw_between(d, 0, 9)]);
        fuzz_case_set(d->c, "at", "%u", fuzz_draw_between(d, 0, 9999));
    }
}

void fuzz_draw_picture(fuzz_draw *d)
{
    static const char *const layouts[] = {"planar", "wide", "loose", "upside", "interleaved", "packed"};
    uint32_t count = draw_count(d);
    draw_source(d);
    draw_grid(d, count);
    draw_components(d, count);
    fuzz_draw_measure(d);
    fuzz_case_set(d->c, "layouts", "%s,%s", layouts[fuzz_draw_between(d, 0, 5)], layouts[fuzz_draw_between(d, 0, 5)]);
    fuzz_case_set(d->c, "threads", "%u,%u", fuzz_draw_between(d, 1, 4), fuzz_draw_between(d, 1, 4));
}
