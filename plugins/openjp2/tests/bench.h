/* SPDX-License-Identifier: BSD-2-Clause */
/* What the suites in C share: memory as a stream, and the encode and decode of a picture by a table of functions. */
#ifndef WVL_OPENJP2_TESTS_BENCH_H
#define WVL_OPENJP2_TESTS_BENCH_H

#include "real.h"

enum { BENCH_COMPONENTS = 5 };

typedef struct bench_memory {
    unsigned char *data;
    size_t at, bytes, room;
    size_t fails_at;          /* a write beyond this offset fails; 0: none does */
    int seeks, skips, writes; /* calls */
} bench_memory;

/* A picture whose samples are whole numbers of their depth. */
typedef struct bench_picture {
    uint32_t x0, y0, x1, y1, count;
    int32_t color_space;
    opj_component_request components[BENCH_COMPONENTS];
    int32_t *samples[BENCH_COMPONENTS];
    uint32_t alpha; /* the channel of opacity, from 1; 0: none */
    unsigned char *icc;
    uint32_t icc_bytes;
} bench_picture;

typedef struct bench_messages {
    char info[400], warning[400], error[400]; /* the last ones */
    int handed_over;
} bench_messages;

/* How a picture is given to the codec. */
typedef struct bench_encode {
    int format;
    opj_cparameters *parameters;
    const char *const *extra;
    int by_tiles; /* 1: opj_write_tile() in order; 2: last tile first */
    int threads;
    int takes_no_seek;
} bench_encode;

/* Width and height of the components follow from the grid. Samples are smooth with noise; with `is_noise` noise alone.
 */
void bench_fill(bench_picture *picture, uint32_t *seed, int is_noise);
void bench_release(bench_picture *picture);
uint32_t bench_draw(uint32_t *seed, uint32_t below);

/* 1: all calls returned true. The functions are those of `by`: the plugin's own, or libopenjp2's. */
int bench_run(const opj_real *by, const bench_picture *picture, const bench_encode *encode, bench_memory *out,
              bench_messages *messages);
/* The plugin's functions as a table; what it has not is libopenjp2's. */
opj_real bench_ours(const opj_real *real);

/* 1: the bytes decode, and the samples are those of the picture; 0: they differ; -1: they do not decode. *squares: the
 * mean squared error, may be NULL. */
int bench_compare(const opj_real *real, int format, const bench_memory *bytes, const bench_picture *picture,
                  double *squares);
int bench_is_ours(const bench_memory *bytes);

#endif
