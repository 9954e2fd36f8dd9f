/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cuda/inverse/host.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cuda/inverse/ops.h"

/* 4-byte samples throughout: int32 or float by the wavelet. */
typedef union sample {
    int32_t i;
    float f;
} sample;

/* Interleaved low and high samples `step` apart, each `width` neighbouring columns wide; the first is high where parity
 * is 1. */
typedef struct line {
    sample *base;
    uint64_t step, width;
    uint32_t count, parity;
} line;

typedef struct component {
    const wvl_tile_plan *tile;
    const wvl_tile_component *tc;
    const wvl_coefs *coefs;
    sample *plane, *low; /* of a resolution, and of the one below */
} component;

/* Whole-sample symmetric extension by one. */
static const sample *beside(const line *l, int64_t i)
{
    i = i < 0 ? -i : i;
    i = i >= l->count ? 2 * ((int64_t)l->count - 1) - i : i;
    return l->base + (uint64_t)i * l->step;
}

static void lift_97(const line *l, uint32_t high, float c)
{
    for (uint32_t i = high ^ l->parity; i < l->count; i += 2) {
        sample *x = l->base + i * l->step;
        const sample *a = beside(l, (int64_t)i - 1), *b = beside(l, (int64_t)i + 1);
        for (uint64_t k = 0; k < l->width; k++) {
            x[k].f = wvl_lift97_step(c, a[k].f, b[k].f, x[k].f);
        }
    }
}

static void lift_53(const line *l, uint32_t high)
{
    for (uint32_t i = high ^ l->parity; i < l->count; i += 2) {
        sample *x = l->base + i * l->step;
        const sample *a = beside(l, (int64_t)i - 1), *b = beside(l, (int64_t)i + 1);
        for (uint64_t k = 0; k < l->width; k++) {
            x[k].i = high ? wvl_inverse53_high(x[k].i, a[k].i, b[k].i) : wvl_inverse53_low(x[k].i, a[k].i, b[k].i);
        }
    }
}

/* One sample is not filtered: an odd one is halved in 5/3 (F.3.6); in 9/7 the step holds the half. */
static void join_line(const line *l, int reversible)
{
    if (l->count == 1) {
        for (uint64_t k = 0; reversible && l->parity && k < l->width; k++) {
            l->base[k].i /= 2;
        }
    } else if (reversible) {
        lift_53(l, 0);
        lift_53(l, 1);
    } else {
        lift_97(l, 0, -WVL_LIFT97_DELTA);
        lift_97(l, 1, -WVL_LIFT97_GAMMA);
        lift_97(l, 0, -WVL_LIFT97_BETA);
        lift_97(l, 1, -WVL_LIFT97_ALPHA);
    }
}

/* Coefficient (x, y) of the band's own grid. */
static sample read_coefficient(const component *c, const wvl_tile_band *band, uint32_t x, uint32_t y)
{
    uint32_t w = 0, sign = band->coef_bytes == 2 ? 0x8000u : 0x80000000u;
    uint16_t half = 0;
    const uint8_t *at = c->coefs->samples + wvl_coef_at(band, x, y);
    sample v;
    if (band->coef_bytes == 2) {
        memcpy(&half, at, 2);
        w = half;
    } else {
        memcpy(&w, at, 4);
    }
    uint32_t m = w & (sign - 1);
    if (c->tc->reversible) {
        v.i = w & sign ? -(int32_t)m : (int32_t)m;
    } else {
        v.f = wvl_inverse_magnitude(m, 0.5f / band->reciprocal);
        v.f = w & sign ? -v.f : v.f;
    }
    return v;
}

/* Bands of resolution r interleaved in c->plane, low-low samples from c->low (r = 0: from its band). */
static void gather_bands(const component *c, unsigned r)
{
    const wvl_tile_resolution *res = &c->tile->resolutions[c->tc->first_resolution + r];
    const wvl_tile_band *bands = &c->tile->bands[res->first_band];
    wvl_rect at = res->rect, low = r ? res[-1].rect : at;
    uint64_t width = wvl_rect_width(at), low_width = wvl_rect_width(low);
    for (uint32_t y = at.y0; y < at.y1; y++) {
        for (uint32_t x = at.x0; x < at.x1; x++) {
            uint32_t orient = (x & 1) | (y & 1) << 1;
            sample *to = &c->plane[(y - at.y0) * width + (x - at.x0)];
            if (!r) {
                *to = read_coefficient(c, bands, x, y);
            } else if (orient == WVL_BAND_LL) {
                *to = c->low[(y / 2 - low.y0) * low_width + (x / 2 - low.x0)];
            } else {
                *to = read_coefficient(c, &bands[orient - 1], x / 2, y / 2);
            }
        }
    }
}

/* Horizontally, then vertically: the reverse of the forward order. */
static void join_resolution(component *c, unsigned r)
{
    wvl_rect at = c->tile->resolutions[c->tc->first_resolution + r].rect;
    uint32_t width = wvl_rect_width(at), height = wvl_rect_height(at);
    sample *done = c->low;
    if (!width || !height) {
        return;
    }
    gather_bands(c, r);
    for (uint32_t y = 0; r && y < height; y++) {
        join_line(&(line){c->plane + (uint64_t)y * width, 1, 1, width, at.x0 & 1}, c->tc->reversible);
    }
    if (r) {
        join_line(&(line){c->plane, width, width, height, at.y0 & 1}, c->tc->reversible);
    }
    c->low = c->plane;
    c->plane = done;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static void put_pixel(const wvl_cuda_pixels *p, uint32_t x, uint32_t y, sample v, int reversible)
{
    int64_t top = ((int64_t)1 << p->depth) - 1, stored = (int64_t)v.i + p->half;
    if (!reversible) {
        stored = wvl_inverse_store(v.f, wvl_inverse_set_scale(p->depth, p->half));
    }
    stored = stored < 0 ? 0 : stored > top ? top : stored;
    uint32_t value = (uint32_t)stored - p->bias;
    uint64_t at = p->first + (uint64_t)(x - p->x0) * p->stride, bytes = wvl_container_bits(p->container) / 8;
    uint8_t *row = (uint8_t *)(uintptr_t)p->data + (int64_t)(y - p->y0) * p->pitch_bytes;
    memcpy(row + at * bytes, &value, bytes); /* little endian */
}

/* `count` components beginning with `first`, which share a transform where there are three. */
static void put_group(const component *c, const wvl_cuda_pixels *pixels, uint32_t count)
{
    wvl_rect r = c->tc->rect;
    int reversible = c->tc->reversible;
    for (uint32_t y = r.y0; y < r.y1; y++) {
        for (uint32_t x = r.x0; x < r.x1; x++) {
            uint64_t at = (uint64_t)(y - r.y0) * wvl_rect_width(r) + (x - r.x0);
            sample v[3];
            for (uint32_t i = 0; i < count; i++) {
                v[i] = c[i].low[at];
            }
            if (count == 3 && reversible) {
                wvl_inverse_rct(&v[0].i, &v[1].i, &v[2].i);
            } else if (count == 3) {
                wvl_inverse_ict(&v[0].f, &v[1].f, &v[2].f);
            }
            for (uint32_t i = 0; i < count; i++) {
                put_pixel(&pixels[i], x, y, v[i], reversible);
            }
        }
    }
}

static int run_group(const wvl_tile_plan *tile, const wvl_coefs *coefs, uint32_t first, uint32_t count,
                     const wvl_cuda_pixels *pixels)
{
    component c[3];
    int enough = 1;
    sample *memory[6] = {NULL};
    for (uint32_t i = 0; i < count; i++) {
        const wvl_tile_component *tc = &tile->components[first + i];
        uint64_t samples = (uint64_t)wvl_rect_width(tc->rect) * wvl_rect_height(tc->rect);
        for (uint32_t k = 0; k < 2; k++) {
            memory[2 * i + k] = malloc((samples + 1) * sizeof(sample));
            enough = enough && memory[2 * i + k];
        }
        c[i] = (component){tile, tc, coefs, memory[2 * i], memory[2 * i + 1]};
        for (unsigned r = 0; enough && r <= tc->levels; r++) {
            join_resolution(&c[i], r);
        }
    }
    if (enough) {
        put_group(c, pixels + first, count);
    }
    for (uint32_t k = 0; k < 6; k++) {
        free(memory[k]);
    }
    return enough;
}

int wvl_cuda_inverse_run_host(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count,
                              const wvl_coefs *coefs, const wvl_cuda_pixels *pixels)
{
    int enough = 1;
    for (uint32_t t = 0; t < tile_count; t++) {
        for (uint32_t c = 0, count; c < plan->syntax.component_count; c += count) {
            count = plan->syntax.mct != WVL_MCT_NONE && c == 0 ? 3 : 1;
            enough = enough && run_group(&tiles[t], &coefs[t], c, count, pixels);
        }
    }
    return enough;
}
