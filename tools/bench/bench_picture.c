/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

void wvl_bench_count_samples(wvl_bench_picture *picture)
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
    if (wvl_io_read_picture(path, &options, &picture->io, error, WVL_BENCH_ERROR_BYTES) != 0) {
        return -1;
    }
    snprintf(picture->name, sizeof picture->name, "%s", slash ? slash + 1 : path);
    wvl_bench_count_samples(picture);
    return 0;
}

void wvl_bench_release_picture(wvl_bench_picture *picture)
{
    if (!picture->generated) {
        wvl_io_release_picture(&picture->io);
        return;
    }
    if (picture->io.components) {
        free(picture->io.components[0].data);
    }
    free(picture->io.components);
    memset(picture, 0, sizeof *picture);
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

    for (uint32_t x = 0; x < component->width; x++, at += component->sample_stride_bytes) {
        out[x] = fetch_sample(at, component->sample_bytes, component->is_signed);
    }
}

int wvl_bench_picture_has_color(const wvl_bench_picture *picture)
{
    const wvl_io_component *first = picture->io.components;

    if (picture->io.component_count < 3) {
        return 0;
    }
    for (uint32_t c = 1; c < 3; c++) {
        if (first[c].width != first->width || first[c].height != first->height || first[c].dx != first->dx ||
            first[c].dy != first->dy || first[c].depth != first->depth || first[c].is_signed != first->is_signed) {
            return 0;
        }
    }
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
    while (levels < 5 && least >> (levels + 1) > 0) {
        levels++;
    }
    return levels;
}

void wvl_bench_write_picture(const wvl_bench_picture *picture, FILE *out)
{
    const wvl_io_component *first = picture->io.components;

    fprintf(out, "%s: %u x %u, %u component%s of %u bit%s%s, %.3f Msamples\n", picture->name, picture->io.width,
            picture->io.height, picture->io.component_count, picture->io.component_count == 1 ? "" : "s", first->depth,
            first->depth == 1 ? "" : "s", first->is_signed ? ", signed" : "", 1e-6 * (double)picture->sample_count);
}
