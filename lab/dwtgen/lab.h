/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file of generated C functions offers. The generator puts this text at its head. */
#pragma once

#include <stddef.h>

/* Planes of one component each, 4 bytes a value. Row y begins at planes[c] + y * stride; the rows and columns of the
 * halo lie at negative places too, since a sweep reads neighbours of every quad of the region. */
typedef struct lab_region {
    void *planes[4], *spares[4];
    ptrdiff_t stride, width, height;
} lab_region;

typedef struct lab_scheme {
    const char *name, *wavelet, *scheme;
    int is_inverse, is_integer;
    int operations, barriers; /* as lab/dwtgen/counting.py counts them, for one quad */
    int reach[4];             /* quads to the left, right, above and below that a result depends on */
    float gains[4];
    void (*run)(lab_region *region);
} lab_scheme;

/* A component of a picture or of its bands; steps are counted in values of 4 bytes. */
typedef struct lab_view {
    void *at;
    ptrdiff_t row, column;
} lab_view;

typedef struct lab_picture {
    lab_view in[4], out[4]; /* LL, HL, LH, HH: of pixels, those of even and odd columns and rows */
    ptrdiff_t width, height;
} lab_picture;

extern const lab_scheme lab_schemes[];
extern const unsigned lab_scheme_count;

/* Bytes of memory for lab_run with tiles of at most this size, in quads. */
size_t lab_scratch_bytes(const lab_scheme *s, ptrdiff_t tile_width, ptrdiff_t tile_height);
/* One tile: quads [x0, x0 + width) x [y0, y0 + height); what lies outside the picture is left out. scratch:
 * lab_scratch_bytes for at least this size, all bits zero before its first use; of one thread at a time. */
void lab_run(const lab_scheme *s, const lab_picture *p, ptrdiff_t x0, ptrdiff_t y0, ptrdiff_t width, ptrdiff_t height,
             void *scratch);
