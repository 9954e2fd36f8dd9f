/* SPDX-License-Identifier: BSD-2-Clause */
/* The coders by number, and the HT ones of others with the planes that they want. */
#include "bench.h"

#include <stdlib.h>

typedef struct coder {
    const char *name, *version;
    wvl_bench_encode_function *encode; /* NULL: not built in, or peer is */
    wvl_bench_ht_encode *peer;
} coder;

static coder describe(wvl_bench_coder number)
{
    switch (number) {
    case WVL_BENCH_WAVELANE: return (coder){"wavelane", wvl_build_text(), wvl_bench_encode_wavelane, NULL};
#ifdef WVL_HAVE_OPENJPEG
    case WVL_BENCH_OPENJPEG: return (coder){"openjpeg", wvl_bench_opj_version(), wvl_bench_encode_opj, NULL};
#endif
#ifdef WVL_HAVE_OPENJPH
    case WVL_BENCH_OPENJPH: return (coder){"openjph", wvl_bench_openjph_version(), NULL, wvl_bench_encode_openjph};
#endif
#ifdef WVL_HAVE_OPENHTJ2K
    case WVL_BENCH_OPENHTJ2K: return (coder){"openhtj2k", WVL_OPENHTJ2K_VERSION, NULL, wvl_bench_encode_openhtj2k};
#endif
    default: break;
    }
    static const char *const names[WVL_BENCH_CODERS] = {"wavelane", "openjpeg", "openjph", "openhtj2k"};
    return (coder){names[number], "", NULL, NULL};
}

int wvl_bench_has_coder(wvl_bench_coder number) { return describe(number).encode || describe(number).peer; }
const char *wvl_bench_coder_name(wvl_bench_coder number) { return describe(number).name; }
const char *wvl_bench_coder_version(wvl_bench_coder number) { return describe(number).version; }

void wvl_bench_release_coded(wvl_bench_coded *coded)
{
    free(coded->data);
    coded->data = NULL;
    coded->bytes = 0;
}

/* ---- Planes ---- */

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
        wvl_bench_fetch_row(from, y, row);
        for (uint32_t x = 0; x < planes->width; x++) { /* little endian: the low bytes come first */
            memcpy(plane + ((size_t)y * planes->width + x) * bytes, &row[x], bytes);
        }
    }
    if (!row) {
        free(plane);
        plane = NULL;
    }
    free(row);
    return plane;
}

static int open_planes(const wvl_bench_picture *picture, wvl_bench_ht_planes *planes)
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
            return -1;
        }
    }
    return 0;
}

int wvl_bench_encode(wvl_bench_coder number, const wvl_bench_picture *picture, const wvl_bench_job *job,
                     wvl_bench_coded *coded, char *error)
{
    const coder c = describe(number);
    const wvl_io_component *first = &picture->io.components[0];
    wvl_bench_ht_planes planes;
    if (!c.peer) {
        return c.encode(picture, job, coded, error);
    }
    if (!wvl_bench_has_one_shape(picture, picture->io.component_count) || first->dx != 1 || first->dy != 1 ||
        first->depth > 16) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "components of several shapes, or of more than 16 bits");
        return -1;
    }
    if (open_planes(picture, &planes) != 0) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
        return -1;
    }
    int status = c.peer(&planes, job, coded, error);
    release_planes(&planes);
    return status;
}
