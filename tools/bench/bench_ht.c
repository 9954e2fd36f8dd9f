/* SPDX-License-Identifier: BSD-2-Clause */
/* The coders by number, and the HT ones of others with the planes that they want. */
#include "bench_ht.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#ifndef WVL_HAVE_OPENJPH
static int wvl_bench_encode_openjph(const wvl_bench_ht_planes *planes, const wvl_bench_ht_job *job,
                                    wvl_bench_ht_coded *coded, char *error)
{
    (void)planes, (void)job, (void)coded;
    snprintf(error, WVL_BENCH_HT_ERROR_BYTES, "built without OpenJPH");
    return -1;
}
static const char *wvl_bench_openjph_version(void) { return ""; }
#define HAS_OPENJPH 0
#else
#define HAS_OPENJPH 1
#endif

#ifndef WVL_HAVE_OPENHTJ2K
static int wvl_bench_encode_openhtj2k(const wvl_bench_ht_planes *planes, const wvl_bench_ht_job *job,
                                      wvl_bench_ht_coded *coded, char *error)
{
    (void)planes, (void)job, (void)coded;
    snprintf(error, WVL_BENCH_HT_ERROR_BYTES, "built without OpenHTJ2K");
    return -1;
}
static const char *wvl_bench_openhtj2k_version(void) { return ""; }
#define HAS_OPENHTJ2K 0
#else
#define HAS_OPENHTJ2K 1
/* Its header has none. */
static const char *wvl_bench_openhtj2k_version(void) { return WVL_OPENHTJ2K_VERSION; }
#endif

int wvl_bench_has_coder(wvl_bench_coder coder)
{
    switch (coder) {
    case WVL_BENCH_OPENJPEG: return wvl_bench_has_opj();
    case WVL_BENCH_OPENJPH: return HAS_OPENJPH;
    case WVL_BENCH_OPENHTJ2K: return HAS_OPENHTJ2K;
    default: return 1;
    }
}

const char *wvl_bench_coder_name(wvl_bench_coder coder)
{
    static const char *const names[WVL_BENCH_CODERS] = {"wavelane", "openjpeg", "openjph", "openhtj2k"};

    return names[coder];
}

const char *wvl_bench_coder_version(wvl_bench_coder coder)
{
    switch (coder) {
    case WVL_BENCH_OPENJPEG: return wvl_bench_opj_version();
    case WVL_BENCH_OPENJPH: return wvl_bench_openjph_version();
    case WVL_BENCH_OPENHTJ2K: return wvl_bench_openhtj2k_version();
    default: return wvl_bench_wavelane_version();
    }
}

/* ---- Planes ---- */

static int has_one_shape(const wvl_bench_picture *picture)
{
    const wvl_io_component *first = &picture->io.components[0];

    for (uint32_t c = 0; c < picture->io.component_count; c++) {
        const wvl_io_component *other = &picture->io.components[c];

        if (other->width != first->width || other->height != first->height || other->depth != first->depth ||
            other->is_signed != first->is_signed || other->dx != 1 || other->dy != 1 || other->depth > 16) {
            return 0;
        }
    }
    return 1;
}

static void release_planes(wvl_bench_ht_planes *planes)
{
    for (uint32_t c = 0; planes->plane && c < planes->count; c++) {
        free(planes->plane[c]);
    }
    free(planes->plane);
}

static void *narrow_plane(const wvl_bench_ht_planes *planes, const wvl_io_component *from)
{
    size_t bytes = wvl_bench_ht_is_narrow(planes) ? 1 : 2;
    uint8_t *plane = malloc((size_t)planes->width * planes->height * bytes);
    int32_t *row = malloc(planes->width * sizeof *row);

    for (uint32_t y = 0; plane && row && y < planes->height; y++) {
        uint8_t *to = plane + (size_t)y * planes->width * bytes;

        wvl_bench_fetch_row(from, y, row);
        for (uint32_t x = 0; x < planes->width; x++) {
            uint16_t sample = (uint16_t)row[x];

            if (bytes == 1) {
                to[x] = (uint8_t)sample;
            } else {
                memcpy(to + 2 * x, &sample, sizeof sample);
            }
        }
    }
    if (!row) {
        free(plane);
        plane = NULL;
    }
    free(row);
    return plane;
}

static int open_planes(const wvl_bench_picture *picture, wvl_bench_ht_planes *planes, char *error)
{
    const wvl_io_component *first = &picture->io.components[0];

    *planes = (wvl_bench_ht_planes){.width = first->width,
                                    .height = first->height,
                                    .count = picture->io.component_count,
                                    .depth = first->depth,
                                    .is_signed = first->is_signed,
                                    .plane = calloc(picture->io.component_count, sizeof(void *))};
    for (uint32_t c = 0; c < planes->count; c++) {
        if (!planes->plane || !(planes->plane[c] = narrow_plane(planes, &picture->io.components[c]))) {
            release_planes(planes);
            snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
            return -1;
        }
    }
    return 0;
}

int wvl_bench_encode_ht(wvl_bench_coder coder, const wvl_bench_picture *picture, const wvl_bench_job *job,
                        wvl_bench_coded *coded, char *error)
{
    wvl_bench_ht_job what = {.reversible = job->reversible,
                             .color_transform = job->color_transform,
                             .step = job->step,
                             .levels = job->levels,
                             .threads = job->threads};
    wvl_bench_ht_encode encode = coder == WVL_BENCH_OPENJPH ? wvl_bench_encode_openjph : wvl_bench_encode_openhtj2k;
    wvl_bench_ht_coded result = {.data = NULL};
    wvl_bench_ht_planes planes;
    int status;

    if (!has_one_shape(picture)) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "components of several shapes, or of more than 16 bits");
        return -1;
    }
    if (open_planes(picture, &planes, error) != 0) {
        return -1;
    }
    status = encode(&planes, &what, &result, error);
    release_planes(&planes);
    *coded = (wvl_bench_coded){.data = result.data, .bytes = result.bytes, .time = result.time};
    return status;
}
