/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures as integers, and how far one is from another. The suites of tests/decode have the same. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_plane {
    uint32_t width, height;
    uint8_t depth, is_signed, dx, dy; /* dx 0: not known */
    int32_t *samples;                 /* rows of width, in the range of depth and sign */
} fuzz_plane;

/* Component c covers ceil(x1/dx) - ceil(x0/dx) columns of the reference grid. */
typedef struct fuzz_picture {
    uint32_t x0, y0, x1, y1, count;
    fuzz_plane *planes;
} fuzz_picture;

void fuzz_picture_free(fuzz_picture *p);

/* ---- Comparing: pictures of one shape -------------------------------------------------------- */

/* 1 when size, sign, depth and subsampling agree; else text says where they differ. */
int fuzz_picture_same_shape(const fuzz_picture *a, const fuzz_picture *b, char *text, size_t text_bytes);
int fuzz_picture_equal(const fuzz_picture *a, const fuzz_picture *b, char *text, size_t text_bytes);
/* Squared, of all samples. */
double fuzz_plane_error(const fuzz_plane *p, const fuzz_plane *q);
/* Over all samples, scaled to the greatest depth; infinity when equal. */
double fuzz_picture_psnr(const fuzz_picture *a, const fuzz_picture *b);
/* Greatest difference, in units of `unit_bits` below full range: samples deeper than that are compared in coarser
 * steps. */
double fuzz_picture_greatest(const fuzz_picture *a, const fuzz_picture *b, unsigned unit_bits);
