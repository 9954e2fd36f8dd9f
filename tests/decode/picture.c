/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decode/picture.h"

#include <math.h>
#include <stdio.h>

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

uint32_t picture_hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x9E3779B1u + b * 0x85EBCA6Bu + c * 0xC2B2AE35u;
    h = (h ^ h >> 16) * 0x7FEB352Du;
    h = (h ^ h >> 15) * 0x846CA68Bu;
    return h ^ h >> 16;
}

uint32_t picture_random(uint32_t *state)
{
    *state += 0x9E3779B9u;
    return picture_hash(*state, 0x1234567u, 77);
}

uint32_t picture_between(uint32_t *state, uint32_t low, uint32_t high)
{
    return low + (uint32_t)(((uint64_t)picture_random(state) * ((uint64_t)high - low + 1)) >> 32);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Bilinear noise on a lattice 2^cell apart, 0..65535. */
static int32_t octave(uint32_t x, uint32_t y, unsigned cell, uint32_t seed)
{
    uint32_t cx = x >> cell, cy = y >> cell;
    int64_t one = (int64_t)1 << cell, fx = x & (one - 1), fy = y & (one - 1);
    int64_t a = picture_hash(cx, cy, seed) >> 16, b = picture_hash(cx + 1, cy, seed) >> 16;
    int64_t c = picture_hash(cx, cy + 1, seed) >> 16, d = picture_hash(cx + 1, cy + 1, seed) >> 16;
    int64_t top = a * (one - fx) + b * fx, bottom = c * (one - fx) + d * fx;
    return (int32_t)((top * (one - fy) + bottom * fy) >> (2 * cell));
}

/* 0..65535: hills, leaves, two objects with hard edges, a striped cloth, grain. */
static int32_t natural(uint32_t x, uint32_t y, uint32_t component, uint32_t seed)
{
    int32_t v = octave(x, y, 8, seed) / 2 + octave(x, y, 6, seed + 1) / 4;
    int32_t busy = octave(x, y, 7, seed + 2);
    if (busy > 30000) {
        v += (octave(x, y, 3, seed + 3) - 32768) / 5 + (octave(x, y, 1, seed + 4) - 32768) / 7;
    }
    int64_t u = (int64_t)x - 90, w = (int64_t)y - 70;
    if (u * u + w * w < 48 * 48) {
        v = 52000 - v / 4;
    }
    if (((x * 3 + y) & 511) < 130) {
        v = v / 2 + ((((x + 2 * y) >> 2) & 1) ? 9000 : 2500);
    }
    v += (octave(x, y, 6, seed + 10 + component) - 32768) / 6;
    v += (int32_t)(picture_hash(x, y, seed + 20 + component) >> 21) - 1024;
    return v < 0 ? 0 : v > 65535 ? 65535 : v;
}

static int64_t extreme(uint32_t x, uint32_t y, uint32_t seed)
{
    switch ((picture_hash(x >> 5, y >> 5, seed) >> 8) & 7) {
    case 0: return (x ^ y) & 1;
    case 1: return x & 1;
    case 2: return y & 1;
    case 3: return (x >> 1 ^ y >> 1) & 1;
    case 4: return x % 3 == 0;
    case 5: return (x >> 3) & 1;
    case 6: return 1;
    default: return picture_hash(x, y, seed + 1) & 1;
    }
}

static int64_t draw_sample(picture_kind kind, uint32_t x, uint32_t y, uint32_t c, unsigned depth, uint32_t seed)
{
    int64_t top = ((int64_t)1 << depth) - 1;
    switch (kind) {
    case PICTURE_NOISE:
        return (int64_t)(((uint64_t)picture_hash(x, y, seed + 31 * c) << 8 | (picture_hash(y, x, seed + c) & 255)) >>
                         (40 - depth));
    case PICTURE_FLAT: return top / 3;
    case PICTURE_EXTREME: return extreme(x, y, seed + c) ? top : 0;
    case PICTURE_SPARSE: return picture_hash(x, y, seed + c) < 1u << 22 ? top - (int64_t)(x & 1) : top / 2;
    case PICTURE_NATURAL: break;
    }
    int64_t v = natural(x, y, c, seed);
    return depth <= 16 ? v >> (16 - depth)
                       : v << (depth - 16) | (picture_hash(x, y, seed + 99) & (((int64_t)1 << (depth - 16)) - 1));
}

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

static void set_size(picture *p, picture_plane *plane)
{
    plane->width = ceil_div(p->x1, plane->dx) - ceil_div(p->x0, plane->dx);
    plane->height = ceil_div(p->y1, plane->dy) - ceil_div(p->y0, plane->dy);
    plane->samples = need((size_t)plane->width * plane->height, sizeof *plane->samples);
}

picture picture_draw_format(picture_kind kind, const wvl_image_format *format, uint32_t seed)
{
    picture p = {format->x0,
                 format->y0,
                 format->x1,
                 format->y1,
                 format->component_count,
                 need(format->component_count, sizeof *p.planes)};
    for (uint32_t c = 0; c < p.count; c++) {
        picture_plane *plane = &p.planes[c];
        const wvl_component_format *f = &format->components[c];
        plane->depth = f->depth;
        plane->is_signed = f->is_signed;
        plane->dx = f->dx ? f->dx : 1;
        plane->dy = f->dy ? f->dy : 1;
        set_size(&p, plane);
        int64_t zero = plane->is_signed ? (int64_t)1 << (plane->depth - 1) : 0;
        for (uint32_t y = 0; y < plane->height; y++) {
            for (uint32_t x = 0; x < plane->width; x++) {
                plane->samples[(size_t)y * plane->width + x] =
                    (int32_t)(draw_sample(kind, x, y, c, plane->depth, seed) - zero);
            }
        }
    }
    return p;
}

picture picture_draw(picture_kind kind, uint32_t width, uint32_t height, uint32_t count, unsigned depth, uint32_t seed)
{
    wvl_component_format *components = need(count, sizeof *components);
    for (uint32_t c = 0; c < count; c++) {
        components[c].depth = (uint8_t)depth;
    }
    wvl_image_format format = {sizeof format, 0, 0, width, height, count, components};
    picture p = picture_draw_format(kind, &format, seed);
    free(components);
    return p;
}

/* ---- Crop and place -------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

void picture_crop(picture *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    width = least(width, p->x1 - p->x0 - x);
    height = least(height, p->y1 - p->y0 - y);
    for (uint32_t c = 0; c < p->count; c++) {
        picture_plane *plane = &p->planes[c];
        for (uint32_t j = 0; j < height; j++) {
            memmove(plane->samples + (size_t)j * width, plane->samples + (size_t)(y + j) * plane->width + x,
                    width * sizeof *plane->samples);
        }
        plane->width = width;
        plane->height = height;
    }
    p->x1 = p->x0 + width;
    p->y1 = p->y0 + height;
}

void picture_place(picture *p, uint32_t x0, uint32_t y0)
{
    p->x1 = x0 + (p->x1 - p->x0);
    p->y1 = y0 + (p->y1 - p->y0);
    p->x0 = x0;
    p->y0 = y0;
}

/* ---- Encoder input --------------------------------------------------------------------------- */

static void pack(const picture_plane *plane, unsigned bytes, uint8_t *to)
{
    for (size_t i = 0; i < (size_t)plane->width * plane->height; i++) {
        uint32_t v = (uint32_t)plane->samples[i];
        if (bytes == 1) {
            to[i] = (uint8_t)v;
        } else if (bytes == 2) {
            uint16_t half = (uint16_t)v;
            memcpy(to + 2 * i, &half, 2);
        } else {
            memcpy(to + 4 * i, &v, 4);
        }
    }
}

picture_input picture_open_input(const picture *p, int wide)
{
    picture_input in;
    size_t bytes = 0, at = 0;
    memset(&in, 0, sizeof in);
    in.components = need(p->count, sizeof *in.components);
    in.planes = need(p->count, sizeof *in.planes);
    for (uint32_t c = 0; c < p->count; c++) {
        bytes += (size_t)4 * p->planes[c].width * p->planes[c].height;
    }
    in.samples = need(bytes, 1);
    for (uint32_t c = 0; c < p->count; c++) {
        const picture_plane *plane = &p->planes[c];
        unsigned size = wide || plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
        in.components[c] = (wvl_component_format){plane->depth, plane->is_signed, plane->dx, plane->dy};
        in.planes[c] = (wvl_plane){in.samples + at, (ptrdiff_t)plane->width * size, 1, 0,
                                   size == 4   ? WVL_SAMPLE_32
                                   : size == 2 ? WVL_SAMPLE_16
                                               : WVL_SAMPLE_8};
        pack(plane, size, in.samples + at);
        at += (size_t)size * plane->width * plane->height;
    }
    in.format = (wvl_image_format){sizeof in.format, p->x0, p->y0, p->x1, p->y1, p->count, in.components};
    in.image.struct_size = sizeof in.image;
    in.image.planes = in.planes;
    in.image.plane_count = p->count;
    return in;
}

void picture_close_input(picture_input *in)
{
    free(in->components);
    free(in->planes);
    free(in->samples);
    memset(in, 0, sizeof *in);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

double picture_psnr(const picture *a, const picture *b)
{
    double mse = 0.0, peak = ldexp(1.0, a->planes[0].depth) - 1.0;
    for (uint32_t c = 0; c < a->count; c++) {
        const picture_plane *p = &a->planes[c];
        mse += fuzz_plane_error(p, &b->planes[c]) / ((double)p->width * p->height * a->count);
    }
    return mse > 0.0 ? 10.0 * log10(peak * peak / mse) : INFINITY;
}

double picture_raw_bits(const picture *p)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < p->count; c++) {
        bits += (double)p->planes[c].width * p->planes[c].height * p->planes[c].depth;
    }
    return bits;
}
