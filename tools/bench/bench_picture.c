/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <stdlib.h>

int wvl_bench_describe_picture(wvl_bench_picture *p)
{
    uint32_t count = p->io.component_count;
    p->components = calloc(count, sizeof *p->components);
    p->planes = calloc(count, sizeof *p->planes);
    for (uint32_t c = 0; p->components && p->planes && c < count; c++) {
        const wvl_io_component *from = &p->io.components[c];
        uint64_t samples = (uint64_t)from->width * from->height;
        p->sample_count += samples;
        p->raw_bytes += samples * ((from->depth + 7u) / 8u);
        p->components[c] =
            (wvl_component_format){.depth = from->depth, .is_signed = from->is_signed, .dx = from->dx, .dy = from->dy};
        p->planes[c] = (wvl_plane){.data = from->data,
                                   .pitch_bytes = (ptrdiff_t)from->stride_bytes,
                                   .sample_stride = (uint32_t)(from->sample_stride_bytes / from->sample_bytes),
                                   .container = WVL_SAMPLE_32};
        if (from->sample_bytes < 4) {
            p->planes[c].container = from->sample_bytes == 1 ? WVL_SAMPLE_8 : WVL_SAMPLE_16;
        }
    }
    p->format = (wvl_image_format){.struct_size = sizeof p->format,
                                   .x1 = p->io.width,
                                   .y1 = p->io.height,
                                   .component_count = count,
                                   .components = p->components};
    p->image = (wvl_image){.struct_size = sizeof p->image, .planes = p->planes, .plane_count = count};
    return p->components && p->planes ? 0 : -1;
}

int wvl_bench_open_picture(const char *path, int keep_palette, const wvl_bench_shape *shape, wvl_bench_picture *picture)
{
    const wvl_io_options options = {.keep_palette = keep_palette};
    char error[WVL_BENCH_ERROR_BYTES];
    if (!path) {
        return wvl_bench_build_picture(shape, picture);
    }
    memset(picture, 0, sizeof *picture);
    if (wvl_io_read_picture(path, &options, &picture->io, error, sizeof error) != 0) {
        return wvl_bench_fail(-1, "%s", error);
    }
    const char *slash = strrchr(path, '/');
    snprintf(picture->name, sizeof picture->name, "%s", slash ? slash + 1 : path);
    if (wvl_bench_describe_picture(picture) == 0) {
        return 0;
    }
    wvl_bench_release_picture(picture);
    return wvl_bench_fail(-1, "no memory");
}

void wvl_bench_release_picture(wvl_bench_picture *picture)
{
    free(picture->components);
    free(picture->planes);
    if (picture->generated) {
        free(picture->io.components[0].data);
        free(picture->io.components);
    } else {
        wvl_io_release_picture(&picture->io);
    }
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

int wvl_bench_has_one_shape(const wvl_bench_picture *picture, uint32_t count)
{
    const wvl_io_component *first = picture->io.components;
    for (uint32_t c = 1; c < count; c++) {
        if (first[c].width != first->width || first[c].height != first->height || first[c].dx != first->dx ||
            first[c].dy != first->dy || first[c].depth != first->depth || first[c].is_signed != first->is_signed) {
            return 0;
        }
    }
    return 1;
}

int wvl_bench_picture_has_color(const wvl_bench_picture *picture)
{
    return picture->io.component_count >= 3 && wvl_bench_has_one_shape(picture, 3);
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
