/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels compute, by the C reference: every split of a launch at once, whichever items it is cut into. */
#include <stdlib.h>

#include "cuda/color/color.h"
#include "cuda/color/unpack.h"
#include "cuda/core/split.h"
#include "cuda/dwt/kernels.h"
#include "cuda/host/transform/deliver.h"
#include "dwt/strip.h"
#include "front/color_ops.h"
#include "front/xyz_ops.h"
#include "soft.h"
#include "tests/support/containers.h"
#ifdef WVL_HAVE_EMULATION
#include "tests/twin/ht_emulated.h"
#endif

typedef struct source {
    const wvl_cuda_split *split;
    const uint8_t *plane; /* NULL: pixels */
    uint64_t pitch_bytes;
    uint32_t plane_y0, skip; /* samples before the first */
    uint32_t narrow;
    wvl_rect rect;
    uint32_t outside;
} source;

/* ---- Pixels ---------------------------------------------------------------------------------- */

static int32_t pixel(const wvl_cuda_pixels *p, uint32_t x, uint32_t y, uint32_t *outside)
{
    const uint8_t *row = (const uint8_t *)(uintptr_t)p->data + (int64_t)(y - p->y0) * p->pitch_bytes;
    uint64_t at = p->first + (uint64_t)(x - p->x0) * p->stride;
    uint32_t v = 0;
    switch (p->container) {
    case WVL_SAMPLE_8: v = p->is_signed ? (uint32_t)(int8_t)row[at] : row[at]; break;
    case WVL_SAMPLE_16: {
        uint16_t half;
        memcpy(&half, row + 2 * at, 2);
        v = p->is_signed ? (uint32_t)(int16_t)half : half;
        break;
    }
    case WVL_SAMPLE_32: memcpy(&v, row + 4 * at, 4); break;
    default: v = test_container_get(row, at, p->container); break;
    }
    v += p->bias;
    *outside |= v >> p->depth;
    v -= p->half;
    return (int32_t)(p->is_float && v >> 31 ? v ^ (p->half - 1) : v);
}

static int32_t mix_integer(unsigned part, const int32_t *v)
{
    return part == 0 ? v[0] : part == 1 ? wvl_rct_luma(v[0], v[1], v[2]) : part == 2 ? v[2] - v[1] : v[0] - v[1];
}

static float mix_float(unsigned part, const int32_t *v)
{
    float luma = part ? wvl_ict_luma((float)v[0], (float)v[1], (float)v[2]) : 0.0f;
    return part == 0 ? (float)v[0] : part == 1 ? luma : (float)(part == 2 ? v[2] : v[0]) - luma;
}

static void fetch_row(source *s, uint32_t y, void *const *rows)
{
    uint32_t n = wvl_rect_width(s->rect);
    if (s->plane && s->narrow) {
        const int16_t *from =
            (const int16_t *)(const void *)(s->plane + (uint64_t)(y - s->plane_y0) * s->pitch_bytes) + s->skip;
        for (uint32_t i = 0; i < n; i++) {
            ((int32_t *)rows[0])[i] = from[i];
        }
        return;
    }
    if (s->plane) {
        memcpy(rows[0], s->plane + (uint64_t)(y - s->plane_y0) * s->pitch_bytes + 4ull * s->skip, 4ull * n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t v[3] = {0, 0, 0};
        for (unsigned k = 0; k < (s->split->mct_part ? 3u : 1u); k++) {
            v[k] = pixel(&s->split->pixels[k], s->rect.x0 + i, y, &s->outside);
        }
        if (s->split->reversible) {
            ((int32_t *)rows[0])[i] = mix_integer(s->split->mct_part, v);
        } else {
            ((float *)rows[0])[i] = mix_float(s->split->mct_part, v);
        }
    }
}

/* ---- One level ------------------------------------------------------------------------------- */

static void build_bands(const wvl_cuda_band *from, unsigned kind, wvl_tile_band *bands, wvl_dwt_strand *strand)
{
    const wvl_dwt_kernels *kernels = wvl_dwt_fetch_kernels(WVL_CPU_C);
    for (unsigned b = 0; b < 4; b++) {
        if (!from[b].samples) {
            continue;
        }
        bands[b] = (wvl_tile_band){.rect = from[b].rect,
                                   .orient = (uint8_t)b,
                                   .planes = from[b].deep ? 31 : 20,
                                   .coef_bytes = from[b].coef_bytes,
                                   .xcb = from[b].xcb,
                                   .ycb = from[b].ycb,
                                   .reciprocal = from[b].reciprocal,
                                   .block_x0 = from[b].block_x0,
                                   .block_y0 = from[b].block_y0,
                                   .block_cols = from[b].block_cols,
                                   .cell_width = from[b].cell_width,
                                   .cell_height = from[b].cell_bytes / (from[b].cell_width * from[b].coef_bytes)};
        wvl_dwt_build_band(kernels, kind, &bands[b], (uint8_t *)(uintptr_t)from[b].samples,
                           (uint32_t *)(uintptr_t)from[b].bounds, &strand->band[b]);
    }
}

/* Zeros of a device may be negative (geom/handover.h): here every second sample's are, so that suites that compare
 * bytes find who looks at them. */
static void sign_zeros(const wvl_cuda_band *band)
{
    uint64_t rows = ((band->rect.y1 - 1) >> band->ycb) - band->block_y0 + 1,
             count = rows * band->row_bytes / band->coef_bytes;
    uint16_t *narrow = (uint16_t *)(uintptr_t)band->samples;
    uint32_t *wide = (uint32_t *)(uintptr_t)band->samples;
    for (uint64_t i = 0; i < count; i += 2) {
        if (band->coef_bytes == 2) {
            narrow[i] = narrow[i] ? narrow[i] : 0x8000u;
        } else {
            wide[i] = wide[i] ? wide[i] : 0x80000000u;
        }
    }
}

static int run_level(source *s, const wvl_cuda_band *bands, const wvl_dwt_plane *low)
{
    unsigned kind = s->split->reversible ? WVL_LINE_I32 : WVL_LINE_F32;
    wvl_dwt_strand strand = {.kind = (uint8_t)kind, .rect = s->rect};
    wvl_tile_band tile_bands[4];
    wvl_dwt_lines lines;
    const wvl_dwt_extent extent = {wvl_rect_width(s->rect), wvl_rect_height(s->rect), wvl_rect_width(s->rect)};
    wvl_carver carver = {NULL, 0};
    wvl_dwt_carve_lines(&carver, 1, extent, kind, &lines);
    carver = (wvl_carver){calloc(1, carver.used), 0};
    void *memory = carver.base;
    if (!memory) {
        return 2;
    }
    wvl_dwt_carve_lines(&carver, 1, extent, kind, &lines);
    if (low) {
        strand.low = *low;
    }
    build_bands(bands, kind, tile_bands, &strand);
    wvl_dwt_strip strip = {.kernels = wvl_dwt_fetch_kernels(WVL_CPU_C),
                           .strands = &strand,
                           .strand_count = 1,
                           .y0 = s->rect.y0,
                           .y1 = s->rect.y1,
                           .lines = &lines,
                           .splits = s->split->levels != WVL_CUDA_PLAIN,
                           .fetches = 1};
    while (wvl_dwt_next_row(&strip)) {
        fetch_row(s, strip.y, strip.rows);
    }
    for (unsigned b = 0; b < 4 && !s->split->reversible; b++) {
        if (bands[b].samples) {
            sign_zeros(&bands[b]);
        }
    }
    free(memory);
    return 0;
}

static wvl_rect low_rect(wvl_rect r)
{
    return (wvl_rect){(uint32_t)((r.x0 + 1ull) / 2), (uint32_t)((r.y0 + 1ull) / 2), (uint32_t)((r.x1 + 1ull) / 2),
                      (uint32_t)((r.y1 + 1ull) / 2)};
}

/* Two levels at once: through a plane that the device never has. */
static int run_twice(source *s, const wvl_cuda_split *split, const wvl_dwt_plane *low)
{
    wvl_rect rect = low_rect(split->rect);
    uint64_t pitch = wvl_align_up(wvl_rect_width(rect) * 4ull, 64);
    uint8_t *rows = malloc((size_t)(pitch * wvl_rect_height(rect)));
    wvl_dwt_plane between = {rows, pitch, rect.y0};
    int status = !rows ? 2 : run_level(s, split->band, &between);
    source deep = {.split = split, .plane = rows, .pitch_bytes = pitch, .plane_y0 = rect.y0, .rect = rect};
    status = status ? status : run_level(&deep, split->deep_band, low);
    free(rows);
    return status;
}

/* 32-bit rows to a plane's 16-bit ones. */
static void narrow_plane(const wvl_dwt_plane *from, wvl_rect rect, const wvl_cuda_plane *to)
{
    for (uint32_t y = 0; y < wvl_rect_height(rect); y++) {
        const int32_t *row = (const int32_t *)(const void *)(from->rows + y * from->pitch_bytes);
        int16_t *out = (int16_t *)(uintptr_t)(to->data + (rect.y0 + y - to->y0) * to->pitch_bytes) + (rect.x0 - to->x0);
        for (uint32_t x = 0; x < wvl_rect_width(rect); x++) {
            out[x] = (int16_t)row[x];
        }
    }
}

static int run_narrow(source *s, const wvl_cuda_split *split, wvl_rect below)
{
    uint64_t pitch = wvl_align_up(wvl_rect_width(below) * 4ull, 64);
    wvl_dwt_plane low = {malloc((size_t)(pitch * wvl_rect_height(below))), pitch, below.y0};
    int status = low.rows ? run_twice(s, split, &low) : 2;
    if (!status) {
        narrow_plane(&low, below, &split->low);
    }
    free(low.rows);
    return status;
}

static int run_split(const wvl_cuda_split *split)
{
    source s = {.split = split, .rect = split->rect};
    if (!wvl_rect_width(split->rect) || !wvl_rect_height(split->rect)) {
        return 0; /* the end of a chain may have nothing left */
    }
    wvl_rect below = split->levels == WVL_CUDA_SPLIT_TWICE ? low_rect(low_rect(split->rect)) : low_rect(split->rect);
    wvl_dwt_plane low = {(uint8_t *)(uintptr_t)split->low.data + 4ull * (below.x0 - split->low.x0),
                         split->low.pitch_bytes, split->low.y0};
    if (!split->from_pixels) {
        s.plane = (const uint8_t *)(uintptr_t)split->in.data;
        s.pitch_bytes = split->in.pitch_bytes;
        s.plane_y0 = split->in.y0;
        s.skip = split->rect.x0 - split->in.x0;
        s.narrow = split->in.narrow;
    }
    int status = split->levels != WVL_CUDA_SPLIT_TWICE ? run_level(&s, split->band, split->low.data ? &low : NULL)
                 : split->low.narrow                   ? run_narrow(&s, split, below)
                                                       : run_twice(&s, split, &low);
    if (s.outside) {
        *(uint32_t *)(uintptr_t)split->outside |= 1u;
    }
    return status;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* Items of a split follow one another. One of a chain stands for the splits of all its levels, one of a pack for those
 * that share its warp, one of a panel that goes on for all that stand beside. */
static int run_items(const wvl_cuda_split *splits, const wvl_cuda_item *items, unsigned count, unsigned parts)
{
    int status = 0;
    for (unsigned i = 0; i < count; i++) {
        const wvl_cuda_split *split = &splits[items[i].split];
        unsigned wanted = i && items[i].split == items[i - 1].split ? 0
                          : split->chain > 1                        ? split->chain
                          : split->pack > 1                         ? split->pack
                                                                    : parts;
        for (unsigned k = 0; k < wanted * (split->beside ? split->beside : 1u) && !status; k++) {
            status = run_split(&split[k / wanted * split->beside_splits + k % wanted]);
        }
    }
    return status;
}

static int color(const wvl_cuda_color *c)
{
    for (uint32_t y = c->rect.y0; y < c->rect.y1; y++) {
        for (uint32_t x = c->rect.x0; x < c->rect.x1; x++) {
            uint32_t v[3], outside = 0;
            double light[3] = {0.0, 0.0, 0.0};
            for (unsigned k = 0; k < 3; k++) {
                v[k] = (uint32_t)pixel(&c->from[k], x, y, &outside) + c->from[k].half;
                v[k] &= (1u << c->depth) - 1;
                light[k] = c->light[k] ? ((const double *)(uintptr_t)c->light[k])[v[k]] : 0.0;
            }
            for (unsigned k = 0; k < 3; k++) {
                uint16_t code = (uint16_t)(c->light[k] ? (uint32_t)wvl_xyz_code(wvl_xyz_row(c->matrix + 3 * k, light[0],
                                                                                            light[1], light[2]))
                                                       : v[k] >> (c->depth - WVL_XYZ_DEPTH));
                memcpy((uint8_t *)(uintptr_t)c->to[k] + (y - c->rect.y0) * c->pitch_bytes + 2ull * (x - c->rect.x0),
                       &code, sizeof code);
            }
            *(uint32_t *)(uintptr_t)c->outside |= outside;
        }
    }
    return 0;
}

/* By the kernel's own source, where it is compiled for the CPU. */
static int unpack(const wvl_cuda_unpack *u, unsigned grid_x)
{
#ifdef WVL_HAVE_EMULATION
    wvl_cuda_function function;
    void *arguments[] = {&u};
    return wvl_emulate_find(&function, NULL, "wvl_unpack") ||
           wvl_emulate_launch(function, grid_x, 1, 1, WVL_CUDA_UNPACK_THREADS, 1, 1, 0, NULL, arguments, NULL);
#else
    (void)grid_x;
    for (uint32_t c = 0; c < u->count; c++) {
        const wvl_cuda_unpack_plane *p = &u->planes[c];
        for (uint32_t y = p->rect.y0; y < p->rect.y1; y++) {
            uint16_t *row = (uint16_t *)(uintptr_t)(p->to + (y - p->rect.y0) * p->pitch_bytes);
            for (uint32_t x = p->rect.x0; x < p->rect.x1; x++) {
                uint32_t outside = 0;
                *row++ = (uint16_t)((uint32_t)pixel(&p->from, x, y, &outside) + p->from.half);
            }
        }
    }
    return 0;
#endif
}

static int deliver(const wvl_cuda_parcel *parcels, unsigned count, soft_control *control)
{
    for (unsigned i = 0; i < count; i++) {
        const wvl_cuda_parcel *p = &parcels[i];
        for (uint32_t b = 0; b < p->block_count; b++) {
            if (((const uint32_t *)(uintptr_t)p->bounds)[b]) {
                memcpy((uint8_t *)(uintptr_t)p->to + (uint64_t)b * p->cell_bytes,
                       (const uint8_t *)(uintptr_t)p->from + (uint64_t)b * p->cell_bytes, p->cell_bytes);
                control->delivered_bytes += p->cell_bytes;
            }
        }
    }
    control->deliveries++;
    return 0;
}

static const wvl_cuda_kernel_row *find_row(const char *name)
{
    for (unsigned k = 0; k < WVL_CUDA_KERNELS; k++) {
        if (!strcmp(name, wvl_cuda_kernel_rows[k].name)) {
            return &wvl_cuda_kernel_rows[k];
        }
    }
    return NULL;
}

/* Splits of an item: one for each component that shares it. */
static unsigned count_splits(const wvl_cuda_kernel_row *row)
{
    return row->share == WVL_CUDA_SHARE_EACH || row->share == WVL_CUDA_SHARE_MIX ? 3 : 1;
}

int soft_run_kernel(const char *name, unsigned grid_x, const uint64_t arguments[2], soft_control *control)
{
    const void *first = (const void *)(uintptr_t)arguments[0], *second = (const void *)(uintptr_t)arguments[1];
    if (!strcmp(name, "wvl_deliver")) {
        return deliver(first, grid_x, control);
    }
    if (!strcmp(name, "wvl_xyz")) {
        return color(first);
    }
    if (!strcmp(name, "wvl_unpack")) {
        return unpack(first, grid_x);
    }
    if (!strcmp(name, "wvl_clear")) {
        memset((void *)(uintptr_t)arguments[0], 0, (size_t)arguments[1] * 16);
        return 0;
    }
    const wvl_cuda_kernel_row *row = find_row(name);
    if (!row) {
        return 500;
    }
    control->marches += row->family != WVL_CUDA_FAMILY_ANY;
    return run_items(first, second, grid_x / wvl_cuda_row_parts(row), count_splits(row));
}
