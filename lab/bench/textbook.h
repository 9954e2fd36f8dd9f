/* SPDX-License-Identifier: BSD-2-Clause */
/* One level of the 2-D wavelet transform as a textbook has it, in double precision: no lifting, no tiles, no quads.
 * What the transform laboratory is compared with. */
#pragma once

#include <stddef.h>

/* low over x[2n+i], high over x[2n+1+i], i from -reach to reach. */
typedef struct wvl_textbook {
    const char *wavelet;
    int low_reach, high_reach; /* 0: the reversible 5/3, by the formulas of ISO/IEC 15444-1 F.4.8.1 */
    double low[13], high[7];
} wvl_textbook;

/* "cdf53", "cdf97", "dd137" or "reversible"; NULL for other names. */
const wvl_textbook *wvl_textbook_find(const char *wavelet);
/* In place: bands interleave as the pixels lie. Columns first, then rows; borders are mirrored. -1: no memory. */
int wvl_textbook_run(const wvl_textbook *book, double *values, size_t width, size_t height);
