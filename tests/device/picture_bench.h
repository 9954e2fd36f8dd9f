/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures that the backend finishes, behind its table and without the conductor: shared by the suite and the program
 * that measures. */
#pragma once

#include "base/context.h"
#include "codec/write/assembly.h"
#include "cuda/host/backend_cuda.h"
#include "cuda/host/memory/device.h"
#include "tests/decode/picture.h"

/* A picture, a plan, and what the CPU makes of them. */
typedef struct picture_case {
    wvl_context *context;
    wvl_plan *plan;
    wvl_assembly assembly;
    wvl_result *result;
    uint8_t *expected;
    size_t expected_bytes;
    picture_input input;
    char problem[512];
} picture_case;

/* settings: "key=value key=value". 0: problem says why. */
int picture_case_open(picture_case *c, const picture *p, const char *settings);
/* The same of a picture that is drawn for it; a problem fails the test. */
typedef struct picture_row {
    const char *settings;
    uint32_t width, height, count, depth;
    picture_kind kind;
} picture_row;
void picture_case_draw(picture_case *c, const picture_row *row, uint32_t seed);
void picture_case_close(picture_case *c);

/* NULL: the text says why. */
wvl_plan *picture_make_plan(wvl_context *context, const wvl_image_format *format, const char *settings, char *problem,
                            size_t problem_bytes);

/* The first device. image: device code; NULL: the build's. */
typedef struct picture_driver {
    wvl_cuda_runtime runtime;
    wvl_device *device;
    void *image;
} picture_driver;

/* Device code comes from the build, or from the file that WVL_CUDA_TWIN_IMAGE names. 0: there is no device. */
int picture_driver_open(picture_driver *d);
void picture_driver_close(picture_driver *d);
/* Device code of a file, kept by the caller. NULL: there is none. */
void *picture_read_image(const char *name);

/* The picture's pixels in memory of a kind. */
typedef struct picture_pixels {
    wvl_image image;
    wvl_plane *planes;
    void *memory; /* of the kind; host pixels stay where they were */
} picture_pixels;
int picture_pixels_open(picture_pixels *pixels, const picture_driver *d, const picture_case *c, wvl_memory_kind kind);
void picture_pixels_close(picture_pixels *pixels, const picture_driver *d);

/* Finished bytes in host memory; NULL: a call failed. To be freed. */
uint8_t *picture_fetch(const picture_driver *d, const wvl_finished *finished);
