/* SPDX-License-Identifier: BSD-2-Clause */
/* The same samples in the layouts that an application may have them in. */
#include <stdlib.h>
#include <string.h>

#include "picture.h"

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

static unsigned container_bytes(const fuzz_plane *plane, char layout)
{
    unsigned bytes = plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
    return layout == 'w' ? 4 : layout == 'l' && bytes == 1 ? 2 : bytes;
}

static void put_sample(uint8_t *to, unsigned bytes, int32_t v)
{
    int16_t half = (int16_t)v;
    if (bytes == 1) {
        *to = (uint8_t)v;
    } else if (bytes == 2) {
        memcpy(to, &half, 2);
    } else {
        memcpy(to, &v, 4);
    }
}

/* ---- Planar layouts -------------------------------------------------------------------------- */

static size_t row_bytes_of(const fuzz_plane *plane, char layout)
{
    return (size_t)plane->width * container_bytes(plane, layout) + (layout == 'l' ? 13 : 0);
}

static void lay_plane(const fuzz_plane *plane, char layout, uint8_t *at, wvl_plane *to)
{
    unsigned bytes = container_bytes(plane, layout);
    size_t pitch = row_bytes_of(plane, layout);
    for (uint32_t y = 0; y < plane->height; y++) {
        uint32_t row = layout == 'u' ? plane->height - 1 - y : y;
        for (uint32_t x = 0; x < plane->width; x++) {
            put_sample(at + row * pitch + (size_t)x * bytes, bytes, plane->samples[(size_t)y * plane->width + x]);
        }
    }
    *to = (wvl_plane){at, (ptrdiff_t)pitch, 1, 0,
                      bytes == 4   ? WVL_SAMPLE_32
                      : bytes == 2 ? WVL_SAMPLE_16
                                   : WVL_SAMPLE_8};
    if (layout == 'u' && plane->height) {
        to->data = at + (plane->height - 1) * pitch;
        to->pitch_bytes = -(ptrdiff_t)pitch;
    }
}

/* Most significant bit first; rows start on a byte. */
static void lay_packed(const fuzz_plane *plane, uint8_t *at, wvl_plane *to)
{
    size_t pitch = ((size_t)plane->width * plane->depth + 7) / 8;
    for (uint32_t y = 0; y < plane->height; y++) {
        for (uint32_t x = 0; x < plane->width; x++) {
            for (unsigned b = 0; b < plane->depth; b++) {
                size_t bit = (size_t)x * plane->depth + b;
                unsigned on = (uint32_t)plane->samples[(size_t)y * plane->width + x] >> (plane->depth - 1 - b) & 1;
                at[y * pitch + bit / 8] |= (uint8_t)(on << (7 - bit % 8));
            }
        }
    }
    *to = (wvl_plane){at, (ptrdiff_t)pitch, 1, 0, plane->depth == 10 ? WVL_SAMPLE_PACKED10 : WVL_SAMPLE_PACKED12};
}

/* ---- Interleaved ----------------------------------------------------------------------------- */

static int are_alike(const fuzz_picture *p)
{
    for (uint32_t c = 1; c < p->count; c++) {
        const fuzz_plane *a = &p->planes[0], *b = &p->planes[c];
        if (a->width != b->width || a->height != b->height || container_bytes(a, 'p') != container_bytes(b, 'p')) {
            return 0;
        }
    }
    return 1;
}

static void lay_interleaved(const fuzz_picture *p, uint8_t *samples, wvl_plane *planes)
{
    unsigned bytes = container_bytes(&p->planes[0], 'p');
    size_t pitch = (size_t)p->planes[0].width * p->count * bytes;
    for (uint32_t c = 0; c < p->count; c++) {
        const fuzz_plane *plane = &p->planes[c];
        for (size_t i = 0; i < (size_t)plane->width * plane->height; i++) {
            put_sample(samples + (i * p->count + c) * bytes, bytes, plane->samples[i]);
        }
        planes[c] = (wvl_plane){samples, (ptrdiff_t)pitch, p->count, c,
                                bytes == 4   ? WVL_SAMPLE_32
                                : bytes == 2 ? WVL_SAMPLE_16
                                             : WVL_SAMPLE_8};
    }
}

void fuzz_input_open(const fuzz_picture *p, const char *layout, fuzz_input *in)
{
    size_t bytes = 0, at = 0;
    char kind = layout[0] == 'p' && layout[1] == 'a' ? 'k' : layout[0];
    memset(in, 0, sizeof *in);
    in->components = need(p->count, sizeof *in->components);
    in->planes = need(p->count, sizeof *in->planes);
    for (uint32_t c = 0; c < p->count; c++) {
        bytes += row_bytes_of(&p->planes[c], 'w') * p->planes[c].height + 64 + (size_t)13 * p->planes[c].height;
        in->components[c] =
            (wvl_component_format){p->planes[c].depth, p->planes[c].is_signed, p->planes[c].dx, p->planes[c].dy};
    }
    in->samples = need(bytes, 1);
    if (kind == 'i' && are_alike(p)) {
        lay_interleaved(p, in->samples, in->planes);
    } else {
        for (uint32_t c = 0; c < p->count; c++) {
            const fuzz_plane *plane = &p->planes[c];
            if (kind == 'k' && !plane->is_signed && (plane->depth == 10 || plane->depth == 12)) {
                lay_packed(plane, in->samples + at, &in->planes[c]);
            } else {
                lay_plane(plane, kind, in->samples + at, &in->planes[c]);
            }
            at += row_bytes_of(plane, 'w') * plane->height + (size_t)13 * plane->height;
        }
    }
    in->format = (wvl_image_format){sizeof in->format, p->x0, p->y0, p->x1, p->y1, p->count, in->components};
    in->image.struct_size = sizeof in->image;
    in->image.planes = in->planes;
    in->image.plane_count = p->count;
}

void fuzz_input_close(fuzz_input *in)
{
    free(in->components);
    free(in->planes);
    free(in->samples);
    memset(in, 0, sizeof *in);
}
