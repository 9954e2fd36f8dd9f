/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/intmath.h"
#include "cuda/backend_cuda.h"

#define ROW_ROOM 64u     /* containers before the first sample, so that rows keep their alignment to the absolute grid */
#define ROWS_PER_TASK 64u
#define CONTAINER_BYTES_MAX 4u

/* Pixels of one component, or of several that interleave. */
typedef struct stage {
    const uint8_t *from;      /* row `rect.y0` of the job, first container */
    ptrdiff_t from_pitch;
    uint8_t *to;
    uint64_t to_pitch, row_bytes;
    uint64_t first, stride;   /* gathered: containers of the source */
    uint32_t rows, width, bits;
    int gathered;
} stage;

/* Bounding rectangle of component c over the tiles of a job; tiles without samples in it do not count. */
static wvl_rect job_rect(const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t c)
{
    wvl_rect all = {UINT32_MAX, UINT32_MAX, 0, 0};
    for (uint32_t t = 0; t < tile_count; t++) {
        wvl_rect r = tiles[t].components[c].rect;
        if (wvl_rect_width(r) && wvl_rect_height(r)) {
            all = (wvl_rect){wvl_min_u32(all.x0, r.x0), wvl_min_u32(all.y0, r.y0), wvl_max_u32(all.x1, r.x1), wvl_max_u32(all.y1, r.y1)};
        }
    }
    return all.x0 < all.x1 ? all : (wvl_rect){0, 0, 0, 0};
}

static uint64_t component_bytes(wvl_rect r)
{
    return wvl_mul_saturate(wvl_align_up(((uint64_t)wvl_rect_width(r) + ROW_ROOM) * CONTAINER_BYTES_MAX, 64), wvl_rect_height(r)) + 64;
}

uint64_t wvl_cuda_measure_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    uint64_t bytes = 0;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        bytes = wvl_add_saturate(bytes, component_bytes(job_rect(tiles, tile_count, c)));
    }
    return bytes;
}

static uint32_t container_bits(unsigned container)
{
    static const uint8_t bits[7] = {0, 8, 16, 32, 0, 10, 12};
    return container < 7 ? bits[container] : 0;
}

static uint32_t read_bits(const uint8_t *row, uint64_t at, unsigned bits)
{
    uint32_t window = 0;
    uint64_t last = (at + bits - 1) >> 3;
    for (uint64_t i = at >> 3; i <= last; i++) {
        window = window << 8 | row[i];
    }
    return window >> ((last + 1) * 8 - at - bits) & ((1u << bits) - 1);
}

/* Strided containers one after the other; packed ones become 16-bit. */
static void gather_row(const stage *s, const uint8_t *from, uint8_t *to)
{
    unsigned bytes = s->bits / 8;
    for (uint32_t i = 0; i < s->width; i++) {
        uint64_t at = s->first + i * s->stride;
        if (s->bits % 8) {
            uint16_t v = (uint16_t)read_bits(from, at * s->bits, s->bits);
            memcpy(to + (uint64_t)i * 2, &v, 2);
        } else {
            memcpy(to + (uint64_t)i * bytes, from + at * bytes, bytes);
        }
    }
}

static void copy_rows(void *arg, uint32_t task, uint32_t worker)
{
    const stage *s = arg;
    uint32_t first = task * ROWS_PER_TASK, end = wvl_min_u32(first + ROWS_PER_TASK, s->rows);
    (void)worker;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *from = s->from + (ptrdiff_t)y * s->from_pitch;
        uint8_t *to = s->to + y * s->to_pitch;
        if (s->gathered) {
            gather_row(s, from, to);
        } else {
            memcpy(to, from, s->row_bytes);
        }
    }
}

/* How many components from c on are the interleaved pixels of one picture, each pixel nothing but them. */
static uint32_t interleaved(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, const wvl_image *image, uint32_t c)
{
    const wvl_plane *p = &image->planes[c];
    uint32_t n = p->sample_stride;
    wvl_rect rect = job_rect(tiles, tile_count, c);
    if (n < 2 || n > plan->component_count - c || container_bits(p->container) % 8) {
        return 1;
    }
    uint64_t sum = 0, lowest = p->first_sample, wanted = 0;
    for (uint32_t i = 0; i < n; i++) {
        const wvl_plane *q = &image->planes[c + i];
        wvl_rect other = job_rect(tiles, tile_count, c + i);
        if (q->data != p->data || q->pitch_bytes != p->pitch_bytes || q->container != p->container || q->sample_stride != n ||
            memcmp(&other, &rect, sizeof rect) != 0) {
            return 1;
        }
        lowest = wvl_min_u64(lowest, q->first_sample);
    }
    for (uint32_t i = 0; i < n; i++) { /* distinct, and summing to 0 + .. + n-1: they are those */
        uint64_t place = image->planes[c + i].first_sample - lowest;
        for (uint32_t k = 0; k < i; k++) {
            if (image->planes[c + k].first_sample - lowest == place) {
                return 1;
            }
        }
        sum += place;
        wanted += i;
    }
    return sum == wanted ? n : 1;
}

static void describe(const wvl_plan *plan, const wvl_plane *plane, uint32_t c, wvl_cuda_pixels *pixels)
{
    const wvl_plan_component *pc = &plan->components[c];
    memset(pixels, 0, sizeof *pixels);
    pixels->container = plane->container;
    pixels->is_signed = pc->is_signed;
    pixels->depth = pc->depth;
    pixels->half = 1u << (pc->depth - 1);
    pixels->bias = pc->is_signed ? pixels->half : 0;
    pixels->stride = plane->sample_stride ? plane->sample_stride : 1;
    pixels->first = plane->first_sample;
    pixels->x0 = pc->rect.x0;
    pixels->y0 = pc->rect.y0;
    pixels->data = (uint64_t)(uintptr_t)plane->data;
    pixels->pitch_bytes = plane->pitch_bytes;
}

/* Components [c, c + n), n > 1 when they interleave: rows as they lie, or gathered. */
static uint64_t stage_components(const wvl_image *image, wvl_rect rect, uint32_t c, uint32_t n, wvl_pool *pool, uint8_t *memory,
                                 uint64_t address, wvl_cuda_pixels *pixels)
{
    wvl_cuda_pixels *p = &pixels[c];
    uint64_t lowest = p->first;
    for (uint32_t i = 1; i < n; i++) {
        lowest = wvl_min_u64(lowest, p[i].first);
    }
    stage s = {.rows = wvl_rect_height(rect), .width = wvl_rect_width(rect), .bits = container_bits(p->container)};
    s.gathered = s.bits % 8 || (n == 1 && p->stride != 1);
    uint32_t bytes = s.bits % 8 ? 2 : s.bits / 8, room = rect.x0 % ROW_ROOM;
    s.to_pitch = wvl_align_up(((uint64_t)s.width + room) * n * bytes, 64);
    s.to = memory + (uint64_t)room * n * bytes;
    s.row_bytes = (uint64_t)s.width * n * bytes;
    s.from_pitch = image->planes[c].pitch_bytes;
    s.from = (const uint8_t *)image->planes[c].data + (ptrdiff_t)(rect.y0 - p->y0) * s.from_pitch;
    s.stride = p->stride;
    s.first = lowest + (uint64_t)(rect.x0 - p->x0) * p->stride;
    if (!s.gathered) {
        s.from += s.first * bytes;
    }
    wvl_pool_run(pool, (uint32_t)wvl_ceil_div(s.rows, ROWS_PER_TASK), copy_rows, &s);
    for (uint32_t i = 0; i < n; i++) {
        p[i].data = address + (uint64_t)room * n * bytes;
        p[i].pitch_bytes = (int64_t)s.to_pitch;
        p[i].first -= lowest;
        p[i].stride = n;
        p[i].x0 = rect.x0;
        p[i].y0 = rect.y0;
        p[i].container = s.bits % 8 ? WVL_SAMPLE_16 : p[i].container;
    }
    return wvl_align_up(s.to_pitch * s.rows, 64);
}

uint64_t wvl_cuda_build_staging(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, const wvl_image *image, wvl_pool *pool,
                                uint8_t *memory, uint64_t address, wvl_cuda_pixels *pixels)
{
    uint64_t used = 0;
    for (uint32_t c = 0; c < plan->component_count; c++) {
        describe(plan, &image->planes[c], c, &pixels[c]);
    }
    for (uint32_t c = 0, n; memory && c < plan->component_count; c += n) {
        wvl_rect rect = job_rect(tiles, tile_count, c);
        n = interleaved(plan, tiles, tile_count, image, c);
        if (rect.x0 < rect.x1) {
            used += stage_components(image, rect, c, n, pool, memory + used, address + used, pixels);
        }
    }
    return used;
}
