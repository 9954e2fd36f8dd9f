/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "internal.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* A row of blocks of each component, as libjpeg takes them. */
typedef struct wvl_io_jpeg_planes {
    JSAMPARRAY list[3];
    JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
} wvl_io_jpeg_planes;

typedef struct wvl_io_jpeg {
    struct jpeg_decompress_struct info; /* first: its callbacks get the whole from it */
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr input;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    wvl_io_context *context;
    int has_index;  /* further pictures were told */
    uint8_t *block; /* owned: rows of raw data */
    wvl_io_jpeg_planes planes;
    uint8_t buffer[4096];
} wvl_io_jpeg;

/* jpeg_markers.c: profile, metadata, resolution and orientation of the header that was read. 0, or -1 with the reason.
 */
int wvl_io_jpeg_take_markers(wvl_io_jpeg *j);
