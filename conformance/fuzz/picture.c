/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture.h"

#include "folder.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

/* ---- Shape ----------------------------------------------------------------------------------- */

/* [n*]depth(u|s)[@dxxdy] at *p */
static int scan_component(const char **p, uint32_t *repeat, fuzz_plane *plane)
{
    char *end;
    unsigned long v = strtoul(*p, &end, 10);
    *repeat = 1;
    if (*end == '*') {
        *repeat = (uint32_t)v;
        v = strtoul(end + 1, &end, 10);
    }
    if (v < 1 || v > 38 || (*end != 'u' && *end != 's') || !*repeat) {
        return 0;
    }
    *plane = (fuzz_plane){0, 0, (uint8_t)v, *end == 's', 1, 1, NULL};
    if (*++end == '@') {
        plane->dx = (uint8_t)strtoul(end + 1, &end, 10);
        plane->dy = *end == 'x' ? (uint8_t)strtoul(end + 1, &end, 10) : 0;
    }
    *p = end;
    return plane->dx && plane->dy && (!*end || *end == ',');
}

static void set_size(const fuzz_picture *p, fuzz_plane *plane)
{
    plane->width = ceil_div(p->x1, plane->dx) - ceil_div(p->x0, plane->dx);
    plane->height = ceil_div(p->y1, plane->dy) - ceil_div(p->y0, plane->dy);
}

static int take_components(const char *list, fuzz_picture *p)
{
    p->planes = calloc(FUZZ_MAX_COMPONENTS, sizeof *p->planes);
    for (const char *at = list; p->planes && *at;) {
        uint32_t repeat;
        fuzz_plane plane;
        if (!scan_component(&at, &repeat, &plane) || repeat > FUZZ_MAX_COMPONENTS - p->count) {
            return 0;
        }
        set_size(p, &plane);
        while (repeat--) {
            p->planes[p->count++] = plane;
        }
        at += *at == ',';
    }
    return p->count > 0;
}

int fuzz_picture_shape(const fuzz_case *c, fuzz_picture *p, char *text, size_t text_bytes)
{
    uint32_t width = 64, height = 64;
    memset(p, 0, sizeof *p);
    fuzz_case_pair(c, "size", &width, &height);
    fuzz_case_pair(c, "offset", &p->x0, &p->y0);
    p->x1 = p->x0 + width;
    p->y1 = p->y0 + height;
    if (take_components(fuzz_case_or(c, "components", "8u"), p)) {
        return 1;
    }
    snprintf(text, text_bytes, "components \"%.64s\": expected [n*]depth(u|s)[@dxxdy],...",
             fuzz_case_or(c, "components", ""));
    fuzz_picture_free(p);
    return 0;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* `value` of `from` bits becomes one of `to` bits: cut, or filled up with noise. */
static int64_t change_depth(uint32_t value, unsigned from, unsigned to, uint32_t noise)
{
    if (to <= from) {
        return value >> (from - to);
    }
    return (int64_t)value << (to - from) | (noise & ((INT64_C(1) << (to - from)) - 1));
}

static uint32_t sample_of_file(const fuzz_picture *from, uint32_t x, uint32_t y, uint32_t c, unsigned *depth)
{
    const fuzz_plane *plane = &from->planes[c % from->count];
    x = x / plane->dx % plane->width;
    y = y / plane->dy % plane->height;
    *depth = plane->depth;
    int64_t zero = plane->is_signed ? INT64_C(1) << (plane->depth - 1) : 0;
    return (uint32_t)(plane->samples[(size_t)y * plane->width + x] + zero);
}

static void fill(const char *kind, const fuzz_picture *file, uint32_t at_x, uint32_t at_y, uint32_t c,
                 fuzz_plane *plane)
{
    int64_t zero = plane->is_signed ? INT64_C(1) << (plane->depth - 1) : 0;
    for (uint32_t j = 0; j < plane->height; j++) {
        for (uint32_t i = 0; i < plane->width; i++) {
            unsigned depth = 16;
            uint32_t x = i * plane->dx, y = j * plane->dy;
            uint32_t v =
                file ? sample_of_file(file, at_x + x, at_y + y, c, &depth) : fuzz_picture_draw(kind, x, y, c, at_x);
            int64_t wide = change_depth(v, depth, plane->depth, fuzz_picture_hash(x, y, at_x + c));
            if (!file && depth < plane->depth && (v == 0 || v == 65535)) { /* the ends of the range stay the ends */
                wide = v ? (INT64_C(1) << plane->depth) - 1 : 0;
            }
            plane->samples[(size_t)j * plane->width + i] = (int32_t)(wide - zero);
        }
    }
}

int fuzz_picture_build(const fuzz_case *c, fuzz_folder *folder, fuzz_picture *p, char *text, size_t text_bytes)
{
    uint32_t at_x = 1, at_y = 0;
    const char *kind = fuzz_case_or(c, "picture", "natural");
    const fuzz_picture *file = NULL;
    if (!fuzz_picture_shape(c, p, text, text_bytes)) {
        return 0;
    }
    fuzz_case_pair(c, "at", &at_x, &at_y);
    if (strchr(kind, '.')) {
        if (!fuzz_folder_load(folder, kind)) {
            snprintf(text, text_bytes, "the picture %s cannot be read", kind);
            fuzz_picture_free(p);
            return 0;
        }
        file = &folder->loaded;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        fuzz_plane *plane = &p->planes[i];
        plane->samples = calloc((size_t)plane->width * plane->height + 1, sizeof *plane->samples);
        if (!plane->samples) {
            abort();
        }
        fill(kind, file, at_x, at_y, i, plane);
    }
    return 1;
}
