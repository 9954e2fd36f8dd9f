/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures for tests: drawn by integer arithmetic, so that they are the same everywhere, or real ones where a folder of
 * them is named by the environment variable WVL_TEST_PICTURES (or, by the build, in the macro of that name).
 */
#pragma once

#include "conformance/fuzz/samples.h"
#include "tests/support/owned.h"

typedef fuzz_plane picture_plane;
typedef fuzz_picture picture;

typedef enum picture_kind {
    PICTURE_NATURAL, /* octaves of smooth noise, hard edges, stripes, a little grain; components correlated */
    PICTURE_NOISE,   /* independent full-range samples */
    PICTURE_FLAT,
    PICTURE_EXTREME, /* only the least and the greatest value, in patterns that drive the filters to their bounds */
    PICTURE_SPARSE   /* flat, with a few points */
} picture_kind;

uint32_t picture_hash(uint32_t a, uint32_t b, uint32_t c);
/* A stream of numbers; state is any 32-bit seed. */
uint32_t picture_random(uint32_t *state);
/* Uniform in [low, high]. */
uint32_t picture_between(uint32_t *state, uint32_t low, uint32_t high);

/* Unsigned components without subsampling, from 0,0. */
picture picture_draw(picture_kind kind, uint32_t width, uint32_t height, uint32_t count, unsigned depth, uint32_t seed);
/* Any format: sizes come from the grid. */
picture picture_draw_format(picture_kind kind, const wvl_image_format *format, uint32_t seed);
#define owned_picture OWNED_BY(fuzz_picture_free) picture

/* 0: there is no folder of pictures. */
const char *picture_folder(void);
/* Reads a picture of that folder, or of a path that begins with / or .; 0 when there is none. raw: geometry of .yuv
 * files, else NULL. */
int picture_load(const char *name, const char *raw, picture *p);
/* Cuts to at most width x height from x, y (components without subsampling). */
void picture_crop(picture *p, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
/* Moves the picture on the reference grid; without subsampling only. */
void picture_place(picture *p, uint32_t x0, uint32_t y0);

/* What the encoder is given. Samples are laid out as the smallest container, planar, or as 32 bits with wide = 1. */
typedef struct picture_input {
    wvl_image_format format;
    wvl_component_format *components;
    wvl_image image;
    wvl_plane *planes;
    uint8_t *samples;
} picture_input;
picture_input picture_open_input(const picture *p, int wide);
void picture_close_input(picture_input *input);
#define owned_input OWNED_BY(picture_close_input) picture_input

/* dB over the mean of the components' mean squared errors, peak 2^depth - 1 of component 0 (components of equal depth).
 */
double picture_psnr(const picture *a, const picture *b);
/* fuzz_picture_psnr() is the library's measure. */
/* In units of the samples. */
static inline uint32_t picture_greatest_error(const picture *a, const picture *b)
{
    return (uint32_t)fuzz_picture_greatest(a, b, 64);
}
double picture_raw_bits(const picture *p);
