/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * YCbCr of any chroma steps to RGB. A chroma sample of step d lies at d * k, or d * k + (d - 1) / 2 where it is
 * centred. Between two of them the weights are whole numbers that add up to 2 * d, so that interpolated chroma is a
 * whole number over 4 * dx * dy; the matrix has 24 bits behind the point. One division rounds at the end.
 */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FRACTION_BITS 24
#define MOST_DEPTH 16u

/* For each of R, G, B: (y * Y + cb * Cb + cr * Cr + offset) / 2^24, of codes counted from 0. */
typedef struct matrix {
    int64_t y[3], cb[3], cr[3], offset[3];
} matrix;

typedef struct converter {
    const wvl_io_component *part[3];
    matrix m;
    int64_t scale; /* 4 * dx * dy: chroma comes times this */
    int is_centred;
    unsigned depth;
    int64_t *chroma[2]; /* a row of Cb and Cr, interpolated along columns: times 2 * dy */
} converter;

static int fail(char *error, size_t error_bytes, const char *reason)
{
    snprintf(error, error_bytes, "%s", reason);
    return WVL_IO_ERROR_INPUT;
}

static int64_t fixed(double v) { return (int64_t)floor(v * (double)(1 << FRACTION_BITS) + 0.5); }

/* TIFF 6.0 section 21: a code becomes (code - black) * range / (white - black), range 2^n - 1 for luma, and 2^(n-1) - 1
   for chroma; then R = Y + Cr (2 - 2 Kr), B = Y + Cb (2 - 2 Kb), G = (Y - Kr R - Kb B) / Kg. */
static int fill_matrix(const double *luma, const double *range, unsigned depth, matrix *m)
{
    double top = (double)((1u << depth) - 1), half = (double)((1u << (depth - 1)) - 1);
    double sy = top / (range[1] - range[0]), sb = half / (range[3] - range[2]), sr = half / (range[5] - range[4]);
    double red = (2 - 2 * luma[0]) * sr, blue = (2 - 2 * luma[2]) * sb;
    double rows[3][3] = {{sy, 0, red}, {sy, 0, 0}, {sy, blue, 0}};
    rows[1][1] = -luma[2] * blue / luma[1];
    rows[1][2] = -luma[0] * red / luma[1];
    rows[1][0] = sy * (1 - luma[0] - luma[2]) / luma[1];
    for (unsigned i = 0; i < 3; i++) {
        double offset = -(rows[i][0] * range[0] + rows[i][1] * range[2] + rows[i][2] * range[4]);
        if (!(fabs(rows[i][0]) < 16 && fabs(rows[i][1]) < 16 && fabs(rows[i][2]) < 16 && fabs(offset) < 16 * top)) {
            return 0;
        }
        m->y[i] = fixed(rows[i][0]);
        m->cb[i] = fixed(rows[i][1]);
        m->cr[i] = fixed(rows[i][2]);
        m->offset[i] = fixed(offset);
    }
    return 1;
}

/* 0: the coefficients of the file make no sense. */
static int choose_matrix(const wvl_io_picture *picture, unsigned depth, matrix *m)
{
    double top = (double)((1u << depth) - 1), zero = (double)(1u << (depth - 1));
    double luma[3] = {0.299, 0.587, 0.114}, range[6] = {0, top, zero, top, zero, top};
    for (unsigned i = 0; picture->ycc_tagged && i < 6; i++) {
        range[i] = (double)picture->ycc_range[i];
        luma[i % 3] = (double)picture->ycc_luma[i % 3];
    }
    for (unsigned i = 0; i < 3; i++) {
        if (!(luma[i] > 0.001 && luma[i] < 1 && range[2 * i + 1] - range[2 * i] >= 1)) {
            return 0;
        }
    }
    return fill_matrix(luma, range, depth, m);
}

/* Chroma samples k and k + 1 on both sides of luma sample x, inside 0..count - 1, and the weight of the second one in
   2 * step. */
static unsigned place(uint32_t x, unsigned step, int is_centred, uint32_t count, uint32_t *first, uint32_t *second)
{
    int64_t at = 2 * (int64_t)x - (is_centred ? (int64_t)step - 1 : 0), unit = 2 * (int64_t)step;
    int64_t k = at < 0 ? -1 : at / unit;
    *first = k < 0 ? 0 : (uint32_t)k;
    *second = (uint64_t)(k + 1) < count ? (uint32_t)(k + 1) : count - 1;
    *first = *first < count ? *first : count - 1;
    return (unsigned)(at - k * unit);
}

/* Codes counted from 0, also of signed samples. */
static int64_t code(const converter *c, const wvl_io_component *k, uint32_t x, uint32_t y)
{
    return wvl_io_sample(k, x, y) + (k->is_signed ? INT64_C(1) << (c->depth - 1) : 0);
}

static int64_t mix_columns(const converter *c, unsigned i, uint32_t x)
{
    const wvl_io_component *k = c->part[i + 1];
    uint32_t left, right;
    int64_t weight = place(x, k->dx, c->is_centred, k->width, &left, &right);
    return (2 * (int64_t)k->dx - weight) * c->chroma[i][left] + weight * c->chroma[i][right];
}

static uint32_t round_code(const converter *c, int64_t sum)
{
    int64_t unit = c->scale << FRACTION_BITS, top = (INT64_C(1) << c->depth) - 1;
    int64_t v = sum < 0 ? 0 : (sum + unit / 2) / unit;
    return (uint32_t)(v > top ? top : v);
}

static void convert_row(converter *c, uint32_t y, wvl_io_component *out)
{
    for (unsigned i = 0; i < 2; i++) {
        const wvl_io_component *k = c->part[i + 1];
        uint32_t above, below;
        int64_t weight = place(y, k->dy, c->is_centred, k->height, &above, &below), whole = 2 * (int64_t)k->dy;
        for (uint32_t x = 0; x < k->width; x++) {
            c->chroma[i][x] = (whole - weight) * code(c, k, x, above) + weight * code(c, k, x, below);
        }
    }
    for (uint32_t x = 0; x < out[0].width; x++) {
        int64_t luma = code(c, c->part[0], x, y) * c->scale;
        int64_t cb = mix_columns(c, 0, x), cr = mix_columns(c, 1, x);
        for (unsigned i = 0; i < 3; i++) {
            const matrix *m = &c->m;
            int64_t sum = m->y[i] * luma + m->cb[i] * cb + m->cr[i] * cr + m->offset[i] * c->scale;
            wvl_io_store(wvl_io_place(&out[i], x, y), out[i].sample_bytes, round_code(c, sum));
        }
    }
}

static int check_parts(const wvl_io_picture *picture, char *error, size_t error_bytes)
{
    const wvl_io_component *k = picture->components;
    if (picture->palette || picture->component_count < 3) {
        return fail(error, error_bytes, "YCbCr to RGB needs three components of samples");
    }
    if (k[0].dx != 1 || k[0].dy != 1) {
        return fail(error, error_bytes, "YCbCr to RGB: the luma is subsampled itself; only chroma may be");
    }
    if (k[0].depth != k[1].depth || k[0].depth != k[2].depth || k[0].depth > MOST_DEPTH || k[0].depth < 2) {
        return fail(error, error_bytes, "YCbCr to RGB: the three components need one depth, from 2 to 16 bits");
    }
    if (k[1].dx != k[2].dx || k[1].dy != k[2].dy || k[1].dx > 8 || k[1].dy > 8) {
        return fail(error, error_bytes, "YCbCr to RGB: Cb and Cr need the same steps, from 1 to 8");
    }
    return WVL_IO_OK;
}

static int allocate_parts(const wvl_io_picture *picture, converter *c, wvl_io_component *out)
{
    size_t bytes = c->depth <= 8 ? 1 : 2;
    int good = 1;
    for (unsigned i = 0; i < 3; i++) {
        out[i] = (wvl_io_component){.width = picture->width,
                                    .height = picture->height,
                                    .dx = 1,
                                    .dy = 1,
                                    .depth = (uint8_t)c->depth,
                                    .sample_bytes = (uint8_t)bytes,
                                    .sample_stride_bytes = bytes,
                                    .stride_bytes = picture->width * bytes};
        out[i].data = out[i].owned = malloc(out[i].stride_bytes * picture->height);
        good = good && out[i].owned;
    }
    for (unsigned i = 0; i < 2; i++) {
        c->chroma[i] = calloc(c->part[i + 1]->width, sizeof *c->chroma[i]);
        good = good && c->chroma[i];
    }
    return good;
}

/* The new samples replace the old ones, which others may share a block with: that block stays until the end. */
static void settle(wvl_io_picture *picture, const wvl_io_component *out)
{
    void *blocks[3];
    for (unsigned i = 0; i < 3; i++) {
        blocks[i] = picture->components[i].owned;
        picture->components[i] = out[i];
    }
    for (uint32_t k = 3; k < picture->component_count; k++) {
        wvl_io_component *other = &picture->components[k];
        if (!other->owned) { /* alpha in the block of Y, the owner of interleaved samples */
            other->owned = blocks[0];
            blocks[0] = NULL;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        free(blocks[i]);
    }
    picture->color = WVL_IO_RGB;
    picture->chroma_siting = 0;
    picture->ycc_tagged = 0;
}

int wvl_io_convert_ycc(wvl_io_picture *picture, char *error, size_t error_bytes)
{
    wvl_io_component out[3];
    converter c = {.is_centred = picture->chroma_siting != 2};
    int result = check_parts(picture, error, error_bytes);
    if (result) {
        return result;
    }
    for (unsigned i = 0; i < 3; i++) {
        c.part[i] = &picture->components[i];
    }
    c.depth = c.part[0]->depth;
    c.scale = INT64_C(4) * c.part[1]->dx * c.part[1]->dy;
    if (!choose_matrix(picture, c.depth, &c.m)) {
        return fail(error, error_bytes, "YCbCr to RGB: YCbCrCoefficients or ReferenceBlackWhite are not usable");
    }
    int good = allocate_parts(picture, &c, out);
    for (uint32_t y = 0; good && y < picture->height; y++) {
        convert_row(&c, y, out);
    }
    free(c.chroma[0]);
    free(c.chroma[1]);
    for (unsigned i = 0; !good && i < 3; i++) {
        free(out[i].owned);
    }
    if (good) {
        settle(picture, out);
    }
    return good ? WVL_IO_OK : WVL_IO_ERROR_MEMORY;
}
