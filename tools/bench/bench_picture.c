/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static void count_samples(wvl_bench_picture *picture)
{
    picture->sample_count = 0;
    picture->raw_bytes = 0;
    for (uint32_t c = 0; c < picture->io.component_count; c++) {
        const wvl_io_component *component = &picture->io.components[c];
        uint64_t samples = (uint64_t)component->width * component->height;

        picture->sample_count += samples;
        picture->raw_bytes += samples * ((component->depth + 7u) / 8u);
    }
}

int wvl_bench_fetch_picture(const char *path, int keep_palette, wvl_bench_picture *picture, char *error)
{
    const wvl_io_options options = {.keep_palette = keep_palette};
    const char *slash = strrchr(path, '/');

    memset(picture, 0, sizeof *picture);
    if (wvl_io_read_picture(path, &options, &picture->io, error, WVL_BENCH_ERROR_BYTES) != 0)
        return -1;
    snprintf(picture->name, sizeof picture->name, "%s", slash != NULL ? slash + 1 : path);
    count_samples(picture);
    return 0;
}

void wvl_bench_release_picture(wvl_bench_picture *picture)
{
    if (!picture->generated) {
        wvl_io_release_picture(&picture->io);
        return;
    }
    if (picture->io.components != NULL)
        free(picture->io.components[0].data);
    free(picture->io.components);
    memset(picture, 0, sizeof *picture);
}

/* ---- Generated picture ---- */

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
    for (uint32_t cell = 9; cell >= 1; cell--)
        sum += value_noise(x, y, cell, cell) * amplitude[cell] / 32768 * (cell >= 5 ? 32768 : busy) / 32768;
    if (value_noise(x, y, 7, 77) > 6000) /* regions with a hard edge */
        sum += 9000;
    return sum;
}

static void fill_pixel(const wvl_bench_shape *shape, uint32_t x, uint32_t y, int64_t *samples)
{
    int64_t luma = luma_at(x, y);

    for (uint32_t c = 0; c < shape->component_count; c++) {
        int64_t tint = value_noise(x, y, 8, 100 + c) / 6 + value_noise(x, y, 5, 200 + c) / 40;
        int64_t grain = (int64_t)(hash_point(x, y, 300 + c) >> 24) - 128;
        int64_t value = 32768 + luma + tint + grain;

        samples[c] = (value < 0 ? 0 : value > 65535 ? 65535 : value) >> (16 - shape->depth);
    }
}

static void fill_picture(const wvl_bench_shape *shape, wvl_io_picture *io)
{
    int64_t samples[16];

    for (uint32_t y = 0; y < shape->height; y++) {
        for (uint32_t x = 0; x < shape->width; x++) {
            fill_pixel(shape, x, y, samples);
            for (uint32_t c = 0; c < shape->component_count; c++) {
                uint8_t *at = (uint8_t *)io->components[c].data + y * io->components[c].stride_bytes;

                if (io->components[c].sample_bytes == 1)
                    at[x] = (uint8_t)samples[c];
                else
                    ((uint16_t *)(void *)at)[x] = (uint16_t)samples[c];
            }
        }
    }
}

int wvl_bench_build_picture(const wvl_bench_shape *shape, wvl_bench_picture *picture, char *error)
{
    uint8_t sample_bytes = shape->depth > 8 ? 2 : 1;
    size_t stride = (size_t)shape->width * sample_bytes, plane = stride * shape->height;
    wvl_io_component *components = calloc(shape->component_count, sizeof *components);
    uint8_t *data = malloc(plane * shape->component_count);

    memset(picture, 0, sizeof *picture);
    if (components == NULL || data == NULL) {
        free(components);
        free(data);
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory for a picture of %zu bytes", plane * shape->component_count);
        return -1;
    }
    for (uint32_t c = 0; c < shape->component_count; c++)
        components[c] = (wvl_io_component){.width = shape->width,
                                           .height = shape->height,
                                           .dx = 1,
                                           .dy = 1,
                                           .depth = (uint8_t)shape->depth,
                                           .sample_bytes = sample_bytes,
                                           .sample_stride_bytes = sample_bytes,
                                           .stride_bytes = stride,
                                           .data = data + c * plane};
    picture->io.width = shape->width;
    picture->io.height = shape->height;
    picture->io.component_count = shape->component_count;
    picture->io.components = components;
    picture->generated = 1;
    snprintf(picture->name, sizeof picture->name, "generated");
    fill_picture(shape, &picture->io);
    count_samples(picture);
    return 0;
}

/* ---- What others ask of a picture ---- */

static int32_t fetch_sample(const uint8_t *at, uint8_t sample_bytes, uint8_t is_signed)
{
    uint16_t half;
    uint32_t word;

    switch (sample_bytes) {
    case 1: return is_signed ? (int8_t)*at : *at;
    case 2: memcpy(&half, at, sizeof half); return is_signed ? (int16_t)half : half;
    default: memcpy(&word, at, sizeof word); return (int32_t)word;
    }
}

void wvl_bench_fetch_row(const wvl_io_component *component, uint32_t row, int32_t *out)
{
    const uint8_t *at = (const uint8_t *)component->data + row * component->stride_bytes;

    for (uint32_t x = 0; x < component->width; x++, at += component->sample_stride_bytes)
        out[x] = fetch_sample(at, component->sample_bytes, component->is_signed);
}

int wvl_bench_picture_has_color(const wvl_bench_picture *picture)
{
    const wvl_io_component *first = picture->io.components;

    if (picture->io.component_count < 3)
        return 0;
    for (uint32_t c = 1; c < 3; c++)
        if (first[c].width != first->width || first[c].height != first->height || first[c].dx != first->dx ||
            first[c].dy != first->dy || first[c].depth != first->depth || first[c].is_signed != first->is_signed)
            return 0;
    return 1;
}

uint32_t wvl_bench_picture_levels(const wvl_bench_picture *picture)
{
    uint32_t least = UINT32_MAX, levels = 0;

    for (uint32_t c = 0; c < picture->io.component_count; c++) {
        const wvl_io_component *component = &picture->io.components[c];
        uint32_t side = component->width < component->height ? component->width : component->height;

        least = side < least ? side : least;
    }
    while (levels < 5 && least >> (levels + 1) > 0)
        levels++;
    return levels;
}

void wvl_bench_write_picture(const wvl_bench_picture *picture, FILE *out)
{
    const wvl_io_component *first = picture->io.components;

    fprintf(out, "%s: %u x %u, %u component%s of %u bit%s%s, %.3f Msamples\n", picture->name, picture->io.width,
            picture->io.height, picture->io.component_count, picture->io.component_count == 1 ? "" : "s", first->depth,
            first->depth == 1 ? "" : "s", first->is_signed ? ", signed" : "", 1e-6 * (double)picture->sample_count);
}
