/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of a case, and how they are handed to the encoder. */
#pragma once

#include "case.h"
#include "samples.h"
#include "wavelane.h"

#define FUZZ_MAX_COMPONENTS 16384u

/* Real pictures of a folder, read when first asked for; central 768 x 768 samples of each. */
typedef struct fuzz_folder {
    char *path; /* NULL: none */
    char **names;
    uint32_t count;
    char loaded_name[256];
    fuzz_picture loaded;
} fuzz_folder;

/* path may be NULL. Names of picture files of at most 3 MB, sorted. */
void fuzz_folder_open(fuzz_folder *f, const char *path);
void fuzz_folder_close(fuzz_folder *f);

/* Size and components of a case, without samples (planes[].samples is NULL). 0: text says what is wrong. */
int fuzz_picture_shape(const fuzz_case *c, fuzz_picture *p, char *text, size_t text_bytes);
/* The same with samples. */
int fuzz_picture_build(const fuzz_case *c, fuzz_folder *folder, fuzz_picture *p, char *text, size_t text_bytes);
/* Value of a drawn picture at x, y of component c: 0..65535. */
uint32_t fuzz_picture_draw(const char *kind, uint32_t x, uint32_t y, uint32_t c, uint32_t seed);
uint32_t fuzz_picture_hash(uint32_t a, uint32_t b, uint32_t c);

/* Samples as the encoder borrows them. */
typedef struct fuzz_input {
    wvl_image_format format;
    wvl_component_format *components;
    wvl_image image;
    wvl_plane *planes;
    uint8_t *samples;
} fuzz_input;

/* layout: planar (smallest container), wide (32 bits), loose (16 bits where 8 would do, rows padded), upside (negative
 * pitch), interleaved (planar where components are unlike), packed (10 and 12 bits, else planar). */
void fuzz_input_open(const fuzz_picture *p, const char *layout, fuzz_input *in);
void fuzz_input_close(fuzz_input *in);
