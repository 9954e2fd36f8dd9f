/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_ring.h"

#include <errno.h>
#include <stdlib.h>

/* Odd, so that no block and no row of blocks of one picture is that of another. */
#define SHIFT_COLUMNS 97u
#define SHIFT_ROWS 53u

/* Where the samples of one component lie in the memory of a picture. */
typedef struct place {
    size_t offset, stride_bytes, pitch_bytes;
} place;

/* ---- Layout ---- */

static int has_one_shape(const wvl_io_picture *io)
{
    const wvl_io_component *first = io->components;
    for (uint32_t c = 1; c < io->component_count; c++) {
        const wvl_io_component *other = &io->components[c];
        if (other->width != first->width || other->height != first->height ||
            other->sample_bytes != first->sample_bytes) {
            return 0;
        }
    }
    return 1;
}

/* The components lie side by side in each pixel, and nothing else does. */
static int is_interleaved(const wvl_io_picture *io)
{
    const wvl_io_component *first = io->components;
    int is = io->component_count > 1 && has_one_shape(io) &&
             first->sample_stride_bytes == (size_t)first->sample_bytes * io->component_count;
    for (uint32_t c = 1; c < io->component_count && is; c++) {
        const wvl_io_component *other = &io->components[c];
        is = other->sample_stride_bytes == first->sample_stride_bytes && other->stride_bytes == first->stride_bytes &&
             (const uint8_t *)other->data == (const uint8_t *)first->data + (size_t)c * first->sample_bytes;
    }
    return is;
}

static place place_component(const wvl_io_picture *io, uint32_t c, int interleaved, size_t *end)
{
    const wvl_io_component *component = &io->components[c];
    size_t sample_bytes = component->sample_bytes;
    place p = {.offset = *end, .stride_bytes = sample_bytes, .pitch_bytes = component->width * sample_bytes};
    if (interleaved) {
        p.offset = c * sample_bytes;
        p.stride_bytes = sample_bytes * io->component_count;
        p.pitch_bytes = component->width * p.stride_bytes;
        *end = p.pitch_bytes * component->height;
    } else {
        *end += p.pitch_bytes * component->height;
    }
    return p;
}

/* ---- Shifted copies ---- */

static void copy_samples(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t bytes,
                         uint32_t count)
{
    if (to_stride == bytes && from_stride == bytes) {
        memcpy(to, from, bytes * count);
        return;
    }
    for (uint32_t i = 0; i < count; i++, to += to_stride, from += from_stride) {
        memcpy(to, from, bytes);
    }
}

/* One component, or pixels of all of them as samples of many bytes: what leaves at one side comes in at the other. */
static void copy_turned(const wvl_io_component *from, size_t bytes, uint32_t columns, uint32_t rows, uint8_t *to,
                        const place *p)
{
    uint32_t width = from->width, head = width - columns % width;
    for (uint32_t y = 0; y < from->height; y++) {
        const uint8_t *row = (const uint8_t *)from->data + (y + rows) % from->height * from->stride_bytes;
        uint8_t *out = to + p->offset + y * p->pitch_bytes;
        copy_samples(out, p->stride_bytes, row + (width - head) * from->sample_stride_bytes, from->sample_stride_bytes,
                     bytes, head);
        copy_samples(out + head * p->stride_bytes, p->stride_bytes, row, from->sample_stride_bytes, bytes,
                     width - head);
    }
}

static void fill_pixels(const wvl_io_picture *io, int interleaved, uint32_t k, uint8_t *pixels)
{
    size_t end = 0;
    if (interleaved && is_interleaved(io)) {
        place p = place_component(io, 0, 1, &end);
        copy_turned(io->components, p.stride_bytes, k * SHIFT_COLUMNS, k * SHIFT_ROWS, pixels, &p);
        return;
    }
    for (uint32_t c = 0; c < io->component_count; c++) {
        const wvl_io_component *from = &io->components[c];
        place p = place_component(io, c, interleaved, &end);
        copy_turned(from, from->sample_bytes, k * SHIFT_COLUMNS / from->dx, k * SHIFT_ROWS / from->dy, pixels, &p);
    }
}

/* ---- The ring ---- */

static wvl_image describe(const wvl_bench_ring *ring, const wvl_bench_picture *picture, const uint8_t *pixels,
                          wvl_plane *planes)
{
    size_t end = 0;
    wvl_image image = picture->image;
    for (uint32_t c = 0; c < image.plane_count; c++) {
        place p = place_component(&picture->io, c, ring->is_interleaved, &end);
        planes[c] = picture->planes[c];
        planes[c].data = pixels + p.offset;
        planes[c].pitch_bytes = (ptrdiff_t)p.pitch_bytes;
        planes[c].sample_stride = (uint32_t)(p.stride_bytes / picture->io.components[c].sample_bytes);
    }
    image.planes = planes;
    return image;
}

static int add_picture(const wvl_bench_picture *picture, wvl_memory_kind kind, wvl_bench_store *store,
                       wvl_bench_ring *ring)
{
    uint32_t k = ring->count, components = picture->io.component_count;
    uint8_t *pixels = malloc(ring->picture_bytes);
    if (!pixels) {
        return -1;
    }
    ring->pixels[ring->count++] = pixels;
    fill_pixels(&picture->io, ring->is_interleaved, k, pixels);
    wvl_plane *planes = ring->planes + (size_t)2 * k * components;
    ring->on_host[k] = ring->images[k] = describe(ring, picture, pixels, planes);
    if (kind == WVL_MEMORY_HOST) {
        return 0;
    }
    int ordinal;
    const void *there = wvl_bench_store_copy(store, pixels, ring->picture_bytes, &ordinal);
    ring->images[k] = describe(ring, picture, there, planes + components);
    ring->images[k].memory_kind = kind;
    ring->images[k].device = kind == WVL_MEMORY_DEVICE ? ordinal : 0;
    return there ? 0 : -1;
}

void wvl_bench_close_ring(wvl_bench_ring *ring)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        free(ring->pixels[i]);
    }
    free(ring->planes);
}

int wvl_bench_open_ring(const wvl_bench_picture *picture, uint32_t count, wvl_bench_order order, wvl_memory_kind kind,
                        wvl_bench_store *store, wvl_bench_ring *ring)
{
    const wvl_io_picture *io = &picture->io;
    if (order == WVL_BENCH_INTERLEAVED && !has_one_shape(io)) {
        return wvl_bench_fail(WVL_BENCH_EXIT_FAILED,
                              "--layout interleaved needs components of one size and one container");
    }
    *ring = (wvl_bench_ring){.is_interleaved = order == WVL_BENCH_AS_READ ? is_interleaved(io) : order,
                             .format = &picture->format};
    for (uint32_t c = 0; c < io->component_count; c++) {
        const wvl_io_component *component = &io->components[c];
        (void)place_component(io, c, ring->is_interleaved, &ring->picture_bytes);
        ring->sent_bytes += (uint64_t)component->width * component->height * (component->depth > 8 ? 2 : 1);
    }
    ring->planes = calloc((size_t)2 * count * io->component_count, sizeof *ring->planes);
    int failed = !ring->planes;
    while (!failed && ring->count < count) {
        failed = add_picture(picture, kind, store, ring);
    }
    if (!failed) {
        return WVL_BENCH_EXIT_OK;
    }
    wvl_bench_close_ring(ring);
    return wvl_bench_fail(WVL_BENCH_EXIT_FAILED,
                          "no %s memory for %u pictures of %zu bytes; a smaller --ring needs less",
                          wvl_bench_kind_name(kind), count, ring->picture_bytes);
}

/* ---- Raw samples ---- */

static int write_row(const wvl_image *image, const wvl_io_picture *io, uint32_t y, uint8_t *row, FILE *file)
{
    uint8_t *out = row;
    size_t bytes = io->components[0].depth > 8 ? 2 : 1;
    for (uint32_t x = 0; x < io->width; x++) {
        for (uint32_t c = 0; c < io->component_count; c++) {
            const wvl_plane *plane = &image->planes[c];
            const uint8_t *at = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch_bytes;
            uint16_t value;
            if (bytes == 1) {
                *out++ = at[(size_t)x * plane->sample_stride];
                continue;
            }
            memcpy(&value, at + (size_t)x * plane->sample_stride * 2, 2);
            *out++ = (uint8_t)value;
            *out++ = (uint8_t)(value >> 8);
        }
    }
    return fwrite(row, 1, (size_t)(out - row), file) == (size_t)(out - row) ? 0 : -1;
}

int wvl_bench_write_raw(const wvl_bench_ring *ring, const wvl_bench_picture *picture, const char *path)
{
    const wvl_io_picture *io = &picture->io;
    if (!has_one_shape(io) || io->components[0].sample_bytes > 2) {
        return wvl_bench_fail(-1, "--raw needs components of one size and at most 16 bits");
    }
    uint8_t *row = malloc((size_t)io->width * io->component_count * 2);
    FILE *file = fopen(path, "wb");
    int failed = !row || !file;
    for (uint32_t k = 0; k < ring->count && !failed; k++) {
        for (uint32_t y = 0; y < io->height && !failed; y++) {
            failed = write_row(&ring->on_host[k], io, y, row, file);
        }
    }
    if (file) {
        failed |= fclose(file) != 0;
    }
    free(row);
    return failed ? wvl_bench_fail(-1, "%s: %s", path, strerror(errno)) : 0;
}
