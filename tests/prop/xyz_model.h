/* SPDX-License-Identifier: BSD-2-Clause */
/* What X'Y'Z' codes should be, in extended precision and by powers of libm: the judge of the library's tables and
 * kernels. */
#pragma once

#include <stdint.h>

typedef enum xyz_curve { CURVE_LINEAR, CURVE_22, CURVE_24, CURVE_26, CURVE_SRGB } xyz_curve;

typedef struct xyz_space {
    const char *word; /* of input-color */
    long double primaries[6], white[2];
    xyz_curve curve; /* without input-transfer */
} xyz_space;

#define XYZ_SPACES 9
extern const xyz_space xyz_spaces[XYZ_SPACES];

typedef struct xyz_model {
    long double matrix[9];
    xyz_curve curve;
    unsigned depth;
    int is_video;
} xyz_model;

xyz_model xyz_build_model(const xyz_space *space, xyz_curve curve, unsigned depth, int is_video);
long double xyz_linear(const xyz_model *model, uint32_t sample);
/* X', Y' and Z' as light, 0 to 1, and the code of light before rounding. */
void xyz_convert(const xyz_model *model, const uint32_t *rgb, long double *xyz);
long double xyz_code(long double light);
/* 1: the code is the rounded one. Where the exact value lies on the border, as near as doubles resolve, both neighbours
 * are right. */
int xyz_is_right(long double light, int32_t code);
