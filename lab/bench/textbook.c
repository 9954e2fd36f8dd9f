/* SPDX-License-Identifier: BSD-2-Clause */
#include "textbook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const wvl_textbook books[] = {
    {"reversible", 0, 0, {0}, {0}},
    {"cdf53", 2, 1, {-0.125, 0.25, 0.75, 0.25, -0.125}, {-0.5, 1.0, -0.5}},
    {"cdf97",
     4,
     3,
     {0.02674875741081009, -0.016864118442874953, -0.07822326652899027, 0.26686411844287494, 0.6029490182363604,
      0.26686411844287494, -0.07822326652899027, -0.016864118442874953, 0.02674875741081009},
     {0.09127176311425009, -0.05754352622850018, -0.5912717631142501, 1.1150870524570005, -0.5912717631142501,
      -0.05754352622850018, 0.09127176311425009}},
    {"dd137",
     6,
     3,
     {-1 / 512.0, 0, 18 / 512.0, -16 / 512.0, -63 / 512.0, 144 / 512.0, 348 / 512.0, 144 / 512.0, -63 / 512.0,
      -16 / 512.0, 18 / 512.0, 0, -1 / 512.0},
     {1 / 16.0, 0, -9 / 16.0, 1, -9 / 16.0, 0, 1 / 16.0}},
};

const wvl_textbook *wvl_textbook_find(const char *wavelet)
{
    for (size_t i = 0; i < sizeof books / sizeof *books; i++) {
        if (strcmp(books[i].wavelet, wavelet) == 0) {
            return &books[i];
        }
    }
    return NULL;
}

static ptrdiff_t mirror(ptrdiff_t i, ptrdiff_t length)
{
    while (length > 1 && (i < 0 || i >= length)) {
        i = i < 0 ? -i : 2 * (length - 1) - i;
    }
    return length > 1 ? i : 0;
}

static void convolve_line(const wvl_textbook *book, const double *from, double *to, ptrdiff_t length)
{
    for (ptrdiff_t i = 0; i < length; i++) {
        const int reach = i % 2 ? book->high_reach : book->low_reach;
        const double *taps = i % 2 ? book->high : book->low;
        to[i] = 0.0;
        for (int k = -reach; k <= reach; k++) {
            to[i] += taps[k + reach] * from[mirror(i + k, length)];
        }
    }
}

static void transform_reversibly(const double *from, double *to, ptrdiff_t length)
{
    memcpy(to, from, (size_t)length * sizeof *to);
    for (ptrdiff_t i = 1; i < length; i += 2) {
        to[i] -= floor((from[i - 1] + from[mirror(i + 1, length)]) / 2);
    }
    for (ptrdiff_t i = 0; i < length && length > 1; i += 2) {
        to[i] += floor((to[mirror(i - 1, length)] + to[mirror(i + 1, length)] + 2) / 4);
    }
}

static void transform_line(const wvl_textbook *book, double *values, size_t length, size_t step, double *from,
                           double *to)
{
    for (size_t i = 0; i < length; i++) {
        from[i] = values[i * step];
    }
    if (book->low_reach) {
        convolve_line(book, from, to, (ptrdiff_t)length);
    } else {
        transform_reversibly(from, to, (ptrdiff_t)length);
    }
    for (size_t i = 0; i < length; i++) {
        values[i * step] = to[i];
    }
}

int wvl_textbook_run(const wvl_textbook *book, double *values, size_t width, size_t height)
{
    const size_t most = width > height ? width : height;
    double *lines = malloc(2 * most * sizeof *lines);
    if (!lines) {
        return -1;
    }
    for (size_t x = 0; x < width; x++) {
        transform_line(book, values + x, height, width, lines, lines + most);
    }
    for (size_t y = 0; y < height; y++) {
        transform_line(book, values + y * width, width, 1, lines, lines + most);
    }
    free(lines);
    return 0;
}
