/* SPDX-License-Identifier: BSD-2-Clause */
/* Which shapes and pixels suit warps that march, as far as both directions ask the same. For the host. */
#pragma once

#include <string.h>

#include "cuda/core/grid.h"
#include "cuda/core/kernel_row.h"

/* The resolution whose samples are the low-low band of `level`; level 0: the tile-component. Its bands are those of
 * level + 1, or LL of the last level. */
static inline const wvl_tile_resolution *wvl_cuda_low_resolution(const wvl_tile_plan *tile,
                                                                 const wvl_tile_component *tc, unsigned level)
{
    return &tile->resolutions[tc->first_resolution + tc->levels - level];
}

/* HL, LH and HH of `level`, 1 at least. */
static inline const wvl_tile_band *wvl_cuda_level_bands(const wvl_tile_plan *tile, const wvl_tile_component *tc,
                                                        unsigned level)
{
    return &tile->bands[wvl_cuda_low_resolution(tile, tc, level - 1)->first_band];
}

/* Whole lanes of `columns`, and at least `least` rows and columns. */
static inline int wvl_cuda_rect_fits(wvl_rect r, uint32_t columns, uint32_t least)
{
    return wvl_rect_width(r) >= least && wvl_rect_height(r) >= least && r.x0 % columns == 0 &&
           wvl_rect_width(r) % columns == 0;
}

/* Rows of containers of `bytes`, `stride` containers apart, that lanes may load or store whole, lane_bytes at a time.
 */
static inline int wvl_cuda_pixels_fit(const wvl_cuda_pixels *p, const wvl_tile_component *tc, uint32_t stride,
                                      uint32_t bytes, uint32_t lane_bytes, int may_be_signed)
{
    uint32_t align = lane_bytes % 16 ? 8 : 16;
    uint64_t at = p->data + (uint64_t)(tc->rect.x0 - p->x0) * stride * bytes;
    return p->stride == stride && (may_be_signed || !p->is_signed) && !p->is_float &&
           wvl_container_bits(p->container) == 8 * bytes && !wvl_container_is_packed(p->container) && at % align == 0 &&
           p->pitch_bytes % align == 0 && p->pitch_bytes > 0;
}

/* Says whether the tables of a launch are the same for both but for the addresses: every chooser asks for no more of an
 * address than its place in a line, and whether components share one. */
static inline int wvl_cuda_pixels_alike(const wvl_cuda_pixels *a, const wvl_cuda_pixels *b, uint32_t count)
{
    int alike = 1;
    for (uint32_t i = 0; i < count && alike; i++) {
        wvl_cuda_pixels moved = a[i];
        moved.data = b[i].data;
        alike = !memcmp(&moved, &b[i], sizeof moved) && a[i].data % 256 == b[i].data % 256 &&
                (a[i].data == a->data) == (b[i].data == b->data);
    }
    return alike;
}

/* What one direction asks beyond that. */
typedef struct wvl_cuda_fit {
    const wvl_tile_plan *tile;
    const wvl_cuda_pixels *pixels; /* of all components */
    int (*pixels_fit)(const wvl_cuda_pixels *pixels, const wvl_tile_component *tc, uint32_t bytes);
    /* Levels 1 and 2 in lanes of `columns` with coefficients of coef_bytes; 0: of 2 or 4, each band its own. */
    int (*shape_fits)(const wvl_tile_plan *tile, const wvl_tile_component *tc, uint32_t columns, unsigned coef_bytes);
    int may_be_signed; /* pixels */
} wvl_cuda_fit;

static inline int wvl_cuda_component_fits(const wvl_cuda_fit *fit, const wvl_tile_component *tc,
                                          const wvl_cuda_pixels *p, uint32_t stride, uint32_t columns, uint32_t bytes,
                                          unsigned coef_bytes)
{
    return wvl_cuda_pixels_fit(p, tc, stride, bytes, columns * stride * bytes, fit->may_be_signed) &&
           fit->pixels_fit(p, tc, bytes) && fit->shape_fits(fit->tile, tc, columns, coef_bytes);
}

/* One component by itself: sets container_bits, columns and coef_bits of the wish, with 16 columns a lane where pixels
 * have 8 bits and the tile fills more than one panel of 8. 0: it does not march. */
static inline int wvl_cuda_fit_gray(const wvl_cuda_fit *fit, const wvl_tile_component *tc, const wvl_cuda_pixels *p,
                                    unsigned coef_bytes, wvl_cuda_kernel_wish *wish)
{
    int narrow = coef_bytes == 2, wide_tile = wvl_rect_width(tc->rect) > 32 * 8;
    wish->end = WVL_CUDA_END_GRAY;
    wish->coef_bits = (uint8_t)(8 * coef_bytes);
    wish->container_bits = 8;
    wish->columns = 8;
    if (p->first) {
        return 0;
    }
    if (narrow && wide_tile && wvl_cuda_component_fits(fit, tc, p, 1, 16, 1, 2)) {
        wish->columns = 16;
        return 1;
    }
    if (narrow && wvl_cuda_component_fits(fit, tc, p, 1, 8, 1, 2)) {
        return 1;
    }
    wish->container_bits = 16;
    return wvl_cuda_component_fits(fit, tc, p, 1, 8, 2, coef_bytes);
}

/* Says whether the components that a color transform takes lie alike: sharing their containers, pixel by pixel, or in
 * planes of their own; in lanes of `columns`, containers of `bytes` and coefficients of coef_bytes. */
static inline int wvl_cuda_fit_colors(const wvl_cuda_fit *fit, int shared, uint32_t columns, uint32_t bytes,
                                      unsigned coef_bytes)
{
    const wvl_cuda_pixels *p = fit->pixels;
    const wvl_tile_component *tc = fit->tile->components;
    int fits = 1;
    for (uint32_t i = 0; i < 3 && fits; i++) {
        fits = wvl_cuda_component_fits(fit, &tc[i], &p[i], shared ? 3 : 1, columns, bytes, coef_bytes) &&
               p[i].first == (shared ? i : 0) && (!shared || p[i].data == p[0].data) &&
               p[i].pitch_bytes == p[0].pitch_bytes && tc[i].reversible == tc[0].reversible;
    }
    return fits;
}
