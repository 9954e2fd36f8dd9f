/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_picture_free(fuzz_picture *p)
{
    for (uint32_t c = 0; p->planes && c < p->count; c++) {
        free(p->planes[c].samples);
    }
    free(p->planes);
    memset(p, 0, sizeof *p);
}

int fuzz_picture_same_shape(const fuzz_picture *a, const fuzz_picture *b, char *text, size_t text_bytes)
{
    if (a->count != b->count) {
        snprintf(text, text_bytes, "%u components became %u", a->count, b->count);
        return 0;
    }
    for (uint32_t c = 0; c < a->count; c++) {
        const fuzz_plane *p = &a->planes[c], *q = &b->planes[c];
        int is_apart = p->dx && q->dx && (p->dx != q->dx || p->dy != q->dy);
        if (p->width != q->width || p->height != q->height || p->depth != q->depth || p->is_signed != q->is_signed ||
            is_apart) {
            snprintf(text, text_bytes, "component %u: %ux%u %u%c@%ux%u became %ux%u %u%c@%ux%u", c, p->width, p->height,
                     p->depth, p->is_signed ? 's' : 'u', p->dx, p->dy, q->width, q->height, q->depth,
                     q->is_signed ? 's' : 'u', q->dx, q->dy);
            return 0;
        }
    }
    return 1;
}

int fuzz_picture_equal(const fuzz_picture *a, const fuzz_picture *b, char *text, size_t text_bytes)
{
    size_t wrong = 0;
    if (!fuzz_picture_same_shape(a, b, text, text_bytes)) {
        return 0;
    }
    for (uint32_t c = 0; c < a->count; c++) {
        const fuzz_plane *p = &a->planes[c], *q = &b->planes[c];
        for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
            if (p->samples[i] != q->samples[i] && !wrong++) {
                snprintf(text, text_bytes, "component %u at %zu,%zu: %d became %d", c, i % p->width, i / p->width,
                         p->samples[i], q->samples[i]);
            }
        }
    }
    if (wrong) {
        size_t used = strlen(text);
        snprintf(text + used, text_bytes - used, " (%zu samples differ)", wrong);
    }
    return !wrong;
}

double fuzz_plane_error(const fuzz_plane *p, const fuzz_plane *q)
{
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
        double d = (double)p->samples[i] - q->samples[i];
        sum += d * d;
    }
    return sum;
}

double fuzz_picture_psnr(const fuzz_picture *a, const fuzz_picture *b)
{
    double sum = 0.0, samples = 0.0;
    int depth = 0;
    for (uint32_t c = 0; c < a->count; c++) {
        depth = a->planes[c].depth > depth ? a->planes[c].depth : depth;
    }
    for (uint32_t c = 0; c < a->count; c++) {
        const fuzz_plane *p = &a->planes[c];
        sum += ldexp(fuzz_plane_error(p, &b->planes[c]), 2 * (depth - p->depth));
        samples += (double)p->width * p->height;
    }
    double peak = ldexp(1.0, depth) - 1.0;
    return sum > 0.0 ? 10.0 * log10(peak * peak * samples / sum) : INFINITY;
}

double fuzz_picture_greatest(const fuzz_picture *a, const fuzz_picture *b, unsigned unit_bits)
{
    double most = 0.0;
    for (uint32_t c = 0; c < a->count; c++) {
        const fuzz_plane *p = &a->planes[c], *q = &b->planes[c];
        double unit = p->depth > unit_bits ? ldexp(1.0, (int)(p->depth - unit_bits)) : 1.0;
        for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
            double d = fabs((double)p->samples[i] - q->samples[i]) / unit;
            most = d > most ? d : most;
        }
    }
    return most;
}
