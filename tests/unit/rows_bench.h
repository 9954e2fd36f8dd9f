/* SPDX-License-Identifier: BSD-2-Clause */
/* A row source over a picture in memory, for suites that compare rows with whole pictures. */
#pragma once

#include "tests/decode/picture.h"
#include "tests/support/api.h"

enum { ROWS_MOST_COMPONENTS = 8 };

typedef struct rows_bench {
    const picture *from;
    int interleaved; /* all components in one buffer */
    wvl_row_component components[ROWS_MOST_COMPONENTS];
    wvl_row_source source;
    uint32_t next[ROWS_MOST_COMPONENTS]; /* row of each buffer */
    uint32_t most_rows;                  /* of one call */
    uint64_t rows;                       /* that were read */
    unsigned reads, rewinds, releases;
    uint32_t fails_at; /* row of buffer 0 that cannot be read; UINT32_MAX: none */
    wvl_status fails_with;
    int rewind_fails;
    const wvl_rows_options *options;
    wvl_cancel *cancel; /* raised at row fails_at instead */
} rows_bench;

/* Interleaved needs components without subsampling. */
void rows_open(rows_bench *bench, const picture *from, int interleaved, int can_rewind);

typedef struct rows_output {
    wvl_status status;
    void *data;
    size_t bytes;
    char error[256];
} rows_output;
/* An encode of a picture: rows NULL: with wvl_encode. strip: rows of a step where strips are forced; 0: as the library
 * chooses. */
rows_output rows_encode(const picture *p, const char *settings, uint32_t threads, rows_bench *rows, uint32_t strip);
void rows_free(rows_output *output);
#define owned_rows OWNED_BY(rows_free) rows_output
/* Fails the test unless both are the same bytes. */
void rows_compare(const char *what, const rows_output *a, const rows_output *b);

/* 0: RGB; 1: subsampled; 2: deep and signed; 3: one row; 4: one column. 1 and 2 do not begin at 0,0. */
picture rows_draw(int kind);
/* Write of a sink whose user is a rows_output: what comes must be its data; `bytes` counts it. */
int rows_expect(void *user, const void *data, size_t bytes);
