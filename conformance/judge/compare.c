/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

typedef struct difference {
    uint64_t count, greatest;
    double squares; /* of the errors, in units of the original */
    size_t first;
} difference;

/* Compares with what the decoder should have written: value * 2^shift, offset to unsigned. */
static difference measure(const wvl_judge_plane *a, const wvl_judge_plane *b, unsigned shift, int64_t offset)
{
    difference d = {0, 0, 0.0, 0};
    for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
        int64_t wanted = (a->samples[i] + offset) * ((int64_t)1 << shift), error = b->samples[i] - wanted;
        if (error) {
            uint64_t size = (uint64_t)(error < 0 ? -error : error) >> shift;
            size = size ? size : 1;
            d.first = d.count++ ? d.first : i;
            d.greatest = size > d.greatest ? size : d.greatest;
            double units = (double)error / (double)((int64_t)1 << shift);
            d.squares += units * units;
        }
    }
    return d;
}

/* With aligned set, the shift among those that FFmpeg uses that fits best: none, or up to the container's depth. */
static difference compare_planes(const wvl_judge_plane *a, const wvl_judge_plane *b, int aligned)
{
    if (!aligned) {
        return measure(a, b, 0, 0);
    }
    int64_t offset = a->is_signed ? (int64_t)1 << (a->depth - 1) : 0;
    difference best = measure(a, b, 0, offset);
    for (unsigned depth = a->depth + 1u; depth <= b->depth && best.count; depth++) {
        difference d = measure(a, b, depth - a->depth, offset);
        best = d.squares < best.squares ? d : best;
    }
    return best;
}

static int find_shape_fault(const wvl_judge_picture *a, const wvl_judge_picture *b, int aligned, char *text,
                            size_t bytes)
{
    if (a->count != b->count) {
        snprintf(text, bytes, "%u components became %u", a->count, b->count);
        return 1;
    }
    for (uint32_t c = 0; c < a->count; c++) {
        const wvl_judge_plane *p = &a->planes[c], *q = &b->planes[c];
        int same = p->width == q->width && p->height == q->height;
        same = same && (aligned ? q->depth >= p->depth : p->depth == q->depth && p->is_signed == q->is_signed);
        if (!same) {
            snprintf(text, bytes, "component %u: %ux%u, %u bits %s became %ux%u, %u bits %s", c, p->width, p->height,
                     p->depth, p->is_signed ? "signed" : "unsigned", q->width, q->height, q->depth,
                     q->is_signed ? "signed" : "unsigned");
            return 1;
        }
    }
    return 0;
}

static void print_psnr(const char *name, double mse, unsigned depth)
{
    double peak = ldexp(1.0, (int)depth) - 1.0;
    if (mse > 0.0) {
        printf("\"%s\":%.4f", name, 10.0 * log10(peak * peak / mse));
    } else {
        printf("\"%s\":null", name);
    }
}

void wvl_judge_print_comparison(const wvl_judge_picture *original, const wvl_judge_picture *decoded, int aligned)
{
    char fault[256];
    uint64_t count = 0, greatest = 0;
    double mse = 0.0;
    if (find_shape_fault(original, decoded, aligned, fault, sizeof fault)) {
        printf("{\"shape\":\"%s\",\"exact\":false}\n", fault);
        return;
    }
    printf("{\"shape\":\"same\",\"x0\":%u,\"y0\":%u,\"components\":[", decoded->x0, decoded->y0);
    snprintf(fault, sizeof fault, "none");
    for (uint32_t c = 0; c < original->count; c++) {
        const wvl_judge_plane *p = &original->planes[c];
        double samples = (double)p->width * p->height;
        difference d = compare_planes(p, &decoded->planes[c], aligned);
        if (d.count && !count) {
            snprintf(fault, sizeof fault, "component %u at %zu,%zu: %d became %d", c, d.first % p->width,
                     d.first / p->width, p->samples[d.first], decoded->planes[c].samples[d.first]);
        }
        count += d.count;
        greatest = d.greatest > greatest ? d.greatest : greatest;
        mse += d.squares / samples / original->count;
        if (c < 8) {
            printf("%s{\"differing\":%" PRIu64 ",\"max_error\":%" PRIu64 ",", c ? "," : "", d.count, d.greatest);
            print_psnr("psnr", d.squares / samples, p->depth);
            printf("}");
        }
    }
    printf("],\"exact\":%s,\"differing\":%" PRIu64 ",\"max_error\":%" PRIu64 ",", count ? "false" : "true", count,
           greatest);
    print_psnr("psnr", mse, original->planes[0].depth);
    printf(",\"first\":\"%s\"}\n", fault);
}
