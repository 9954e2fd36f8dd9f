/* SPDX-License-Identifier: BSD-2-Clause */
/* What the codestream is to hold where the colour of the samples is converted. */
#pragma once

#include "picture.h"

#define FUZZ_CURVE_MOST 300u

typedef struct fuzz_color_tables {
    wvl_color_tables tables;
    double curve[3][FUZZ_CURVE_MOST];
} fuzz_color_tables;

/* Curves that rise and a matrix, of a seed. */
void fuzz_color_draw(uint32_t seed, fuzz_color_tables *t);
/* The first three components become what input-color makes of them; nothing where it makes nothing. */
void fuzz_color_convert(const fuzz_case *c, fuzz_picture *p);
/* 1: three unsigned components of one depth, 8..16, with every sample; xyz: 12..16. */
int fuzz_color_can(const fuzz_picture *p, int is_xyz);
