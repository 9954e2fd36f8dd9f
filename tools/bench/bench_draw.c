/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated pictures. Each pixel takes hundreds of operations, so rows are shared out to threads, and pictures of more
 * than 16 Mi pixels repeat a patch, turned round by other columns and rows in each place. */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define DRAWN_MOST (UINT64_C(1) << 24) /* pixels that are drawn one by one */
#define PATCH_LOG2 11u                 /* of its side */
#define PATCH (1u << PATCH_LOG2)
#define THREADS_MAX 32u

/* ---- Pixels ---- */

static uint32_t hash_point(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;

    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

/* 3t^2 - 2t^3 on 16-bit fractions. */
static int64_t smooth_fraction(int64_t t) { return t * t / 65536 * (3 * 65536 - 2 * t) / 65536; }

/* Lattice of random values 2^cell_log2 apart, interpolated: -32768..32767. */
static int64_t value_noise(uint32_t x, uint32_t y, uint32_t cell_log2, uint32_t seed)
{
    uint32_t cx = x >> cell_log2, cy = y >> cell_log2, mask = (1u << cell_log2) - 1u;
    int64_t fx = smooth_fraction((int64_t)(x & mask) * 65536 >> cell_log2);
    int64_t fy = smooth_fraction((int64_t)(y & mask) * 65536 >> cell_log2);
    int64_t a = hash_point(cx, cy, seed) >> 16, b = hash_point(cx + 1, cy, seed) >> 16;
    int64_t c = hash_point(cx, cy + 1, seed) >> 16, d = hash_point(cx + 1, cy + 1, seed) >> 16;
    int64_t top = a * 65536 + (b - a) * fx, bottom = c * 65536 + (d - c) * fx;

    return (top + (bottom - top) / 65536 * fy) / 65536 - 32768;
}

/* Fine octaves are strong only where a slow field says "busy": photographs are calm in most places. 16-bit scale around
 * 0. */
static int64_t luma_at(uint32_t x, uint32_t y)
{
    static const int64_t amplitude[10] = {0,    15000, 14000, 11000, 8000,
                                          6000, 5200,  5500,  7000,  9000}; /* by log2 of the cell */
    int64_t busy = value_noise(x, y, 7, 50) + value_noise(x, y, 5, 51) / 2, sum = 0;

    busy = busy < 0 ? 4096 : busy + 4096;
    for (uint32_t cell = 9; cell >= 1; cell--) {
        sum += value_noise(x, y, cell, cell) * amplitude[cell] / 32768 * (cell >= 5 ? 32768 : busy) / 32768;
    }
    if (value_noise(x, y, 7, 77) > 6000) { /* regions with a hard edge */
        sum += 9000;
    }
    return sum;
}

static void fill_pixel(const wvl_bench_shape *shape, uint32_t x, uint32_t y, int64_t *samples)
{
    int64_t luma = luma_at(x, y);

    for (uint32_t c = 0; c < shape->component_count; c++) {
        int64_t tint = value_noise(x, y, 8, 100 + c) / 6 + value_noise(x, y, 5, 200 + c) / 40;
        int64_t grain = (int64_t)(hash_point(x, y, 300 + c) >> 24) - 128;
        int64_t value = 32768 + luma + tint + grain;

        value = value < 0 ? 0 : value;
        samples[c] = (value > 65535 ? 65535 : value) >> (16 - shape->depth);
    }
}

/* ---- Rows ---- */

typedef struct rows {
    const wvl_bench_shape *shape;
    const wvl_io_picture *io;    /* that is filled */
    const wvl_io_picture *patch; /* that is repeated; NULL: pixels are drawn */
    uint32_t first, end;
    pthread_t thread;
    int has_thread;
} rows;

static void put_sample(const wvl_io_component *component, uint32_t x, uint32_t y, int64_t sample)
{
    uint8_t *at = (uint8_t *)component->data + y * component->stride_bytes;
    if (component->sample_bytes == 1) {
        at[x] = (uint8_t)sample;
    } else {
        ((uint16_t *)(void *)at)[x] = (uint16_t)sample;
    }
}

static void draw_row(const rows *r, uint32_t y)
{
    int64_t samples[16];
    for (uint32_t x = 0; x < r->shape->width; x++) {
        fill_pixel(r->shape, x, y, samples);
        for (uint32_t c = 0; c < r->shape->component_count; c++) {
            put_sample(&r->io->components[c], x, y, samples[c]);
        }
    }
}

/* Bytes [0, count) of a row of one place, from column `by` of the patch on, and from its first again. */
static void copy_turned(uint8_t *to, const uint8_t *from, size_t by, size_t count, size_t patch_bytes)
{
    size_t head = patch_bytes - by < count ? patch_bytes - by : count;
    memcpy(to, from + by, head);
    memcpy(to + head, from, count - head);
}

static void repeat_row(const rows *r, uint32_t y)
{
    uint32_t width = r->shape->width;
    for (uint32_t x = 0; x < width; x += PATCH) {
        uint32_t turn = hash_point(x >> PATCH_LOG2, y >> PATCH_LOG2, 400),
                 count = width - x < PATCH ? width - x : PATCH;
        uint32_t row = (y + turn / PATCH) % PATCH;
        for (uint32_t c = 0; c < r->shape->component_count; c++) {
            const wvl_io_component *from = &r->patch->components[c], *to = &r->io->components[c];
            size_t bytes = to->sample_bytes;
            copy_turned((uint8_t *)to->data + y * to->stride_bytes + x * bytes,
                        (const uint8_t *)from->data + row * from->stride_bytes, turn % PATCH * bytes, count * bytes,
                        PATCH * bytes);
        }
    }
}

static void *fill_rows(void *user)
{
    const rows *r = user;
    for (uint32_t y = r->first; y < r->end; y++) {
        if (r->patch) {
            repeat_row(r, y);
        } else {
            draw_row(r, y);
        }
    }
    return NULL;
}

/* Threads that do not start are done without. */
static void fill_picture(const wvl_bench_shape *shape, const wvl_io_picture *io, const wvl_io_picture *patch)
{
    rows parts[THREADS_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = processors < (long)THREADS_MAX ? processors : (long)THREADS_MAX;
    uint32_t count = threads > 1 ? (uint32_t)threads : 1;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (rows){.shape = shape,
                          .io = io,
                          .patch = patch,
                          .first = (uint32_t)((uint64_t)shape->height * i / count),
                          .end = (uint32_t)((uint64_t)shape->height * (i + 1) / count)};
        parts[i].has_thread = i > 0 && pthread_create(&parts[i].thread, NULL, fill_rows, &parts[i]) == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].has_thread) {
            (void)pthread_join(parts[i].thread, NULL);
        } else {
            (void)fill_rows(&parts[i]);
        }
    }
}

/* ---- Pictures ---- */

/* 0, or -1: no memory. */
static int open_picture(const wvl_bench_shape *shape, wvl_bench_picture *picture)
{
    uint8_t sample_bytes = shape->depth > 8 ? 2 : 1;
    size_t stride = (size_t)shape->width * sample_bytes, plane = stride * shape->height;
    wvl_io_component *components = calloc(shape->component_count, sizeof *components);
    uint8_t *data = malloc(plane * shape->component_count);

    memset(picture, 0, sizeof *picture);
    if (!components || !data) {
        free(components);
        free(data);
        return -1;
    }
    for (uint32_t c = 0; c < shape->component_count; c++) {
        components[c] = (wvl_io_component){.width = shape->width,
                                           .height = shape->height,
                                           .dx = 1,
                                           .dy = 1,
                                           .depth = (uint8_t)shape->depth,
                                           .sample_bytes = sample_bytes,
                                           .sample_stride_bytes = sample_bytes,
                                           .stride_bytes = stride,
                                           .data = data + c * plane};
    }
    picture->io.width = shape->width;
    picture->io.height = shape->height;
    picture->io.component_count = shape->component_count;
    picture->io.components = components;
    picture->generated = 1;
    snprintf(picture->name, sizeof picture->name, "generated");
    return 0;
}

/* 0, or -1: no memory. */
static int fill_large(const wvl_bench_shape *shape, const wvl_io_picture *io)
{
    wvl_bench_shape side = *shape;
    wvl_bench_picture patch;
    side.width = side.height = PATCH;
    if (open_picture(&side, &patch) != 0) {
        return -1;
    }
    fill_picture(&side, &patch.io, NULL);
    fill_picture(shape, io, &patch.io);
    wvl_bench_release_picture(&patch);
    return 0;
}

int wvl_bench_build_picture(const wvl_bench_shape *shape, wvl_bench_picture *picture)
{
    if (open_picture(shape, picture) == 0) {
        int is_drawn = 1;
        if ((uint64_t)shape->width * shape->height <= DRAWN_MOST) {
            fill_picture(shape, &picture->io, NULL);
        } else {
            is_drawn = fill_large(shape, &picture->io) == 0;
        }
        if (is_drawn && wvl_bench_describe_picture(picture) == 0) {
            return 0;
        }
        wvl_bench_release_picture(picture);
    }
    return wvl_bench_fail(-1, "no memory for a picture of %u x %u", shape->width, shape->height);
}
