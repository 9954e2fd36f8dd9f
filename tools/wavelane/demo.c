/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture with the statistics of a photograph, made of integers only: octaves of smooth noise, and regions with sharp
 * borders. */
#include <stdlib.h>

#include "cli.h"

#define WIDTH 1536u
#define HEIGHT 1024u
#define OCTAVES 8u

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t h = x * 0x8DA6B343u ^ y * 0xD8163841u ^ seed * 0xCB1AB31Fu;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

/* 3t^2 - 2t^3 for t in 1/256. */
static int32_t smooth(int32_t t) { return t * t * (768 - 2 * t) >> 16; }

/* The corner of a lattice, in [-128, 127]. */
static int32_t corner(uint32_t x, uint32_t y, uint32_t seed) { return (int32_t)(hash(x, y, seed) >> 24) - 128; }

/* Adds a row of value noise on a lattice of 2^log2_cell samples: corners once a cell, between them by smooth(). Noise
 * lies in [-128, 127]; it counts as much as its cell is large, so that amplitudes fall as the spectra of photographs
 * do. */
static void add_noise(int32_t *sum, uint32_t y, unsigned log2_cell, uint32_t seed)
{
    uint32_t cell = 1u << log2_cell, cy = y >> log2_cell;
    int32_t ty = smooth((int32_t)((y & (cell - 1)) << 8 >> log2_cell));
    int32_t above = corner(0, cy, seed), below = corner(0, cy + 1, seed);
    for (uint32_t cx = 0; cx < WIDTH >> log2_cell; cx++) {
        int32_t above_right = corner(cx + 1, cy, seed), below_right = corner(cx + 1, cy + 1, seed);
        int32_t *to = sum + ((size_t)cx << log2_cell);
        for (uint32_t x = 0; x < cell; x++) {
            int32_t tx = smooth((int32_t)(x << 8 >> log2_cell));
            int32_t top = above * 256 + (above_right - above) * tx, bottom = below * 256 + (below_right - below) * tx;
            to[x] += (top * 256 + (bottom - top) * ty) / 65536 * (int32_t)cell / (int32_t)(1u << OCTAVES);
        }
        above = above_right;
        below = below_right;
    }
}

/* A row of noise of all octaves from `finest` on. */
static void make_noise(int32_t *sum, uint32_t y, unsigned finest, uint32_t seed)
{
    memset(sum, 0, WIDTH * sizeof *sum);
    for (unsigned i = finest; i <= OCTAVES; i++) {
        add_noise(sum, y, i, seed + i);
    }
}

static uint8_t clamp(int32_t v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

int wvl_cli_make_demo(wvl_io_picture *io)
{
    uint8_t *data = malloc((size_t)WIDTH * HEIGHT * 3);
    memset(io, 0, sizeof *io);
    io->components = calloc(3, sizeof *io->components);
    if (!data || !io->components) {
        free(data);
        free(io->components);
        io->components = NULL;
        return wvl_cli_fail(WVL_EXIT_DEVICE, "demo: out of memory");
    }
    for (uint32_t y = 0; y < HEIGHT; y++) {
        uint8_t *rgb = data + 3 * (size_t)y * WIDTH;
        int32_t shapes[WIDTH], lumas[WIDTH], reds[WIDTH], blues[WIDTH];
        make_noise(shapes, y, 6, 100); /* the sign draws curved borders */
        make_noise(lumas, y, 1, 200);
        make_noise(reds, y, 5, 300);
        make_noise(blues, y, 5, 400);
        for (uint32_t x = 0; x < WIDTH; x++, rgb += 3) {
            int is_light = shapes[x] > 20, is_dark = shapes[x] < -40;
            int32_t luma = 110 + (is_light ? 50 : 0) - (is_dark ? 45 : 0) + lumas[x] / 2;
            int32_t red = reds[x] / 4 + (is_light ? 12 : 0), blue = blues[x] / 4 - (is_dark ? 15 : 0);
            luma += (int32_t)(hash(x, y, 7) >> 30) - 1; /* sensor noise of one unit */
            rgb[0] = clamp(luma + red);
            rgb[1] = clamp(luma - red / 2 - blue / 4);
            rgb[2] = clamp(luma + blue);
        }
    }
    io->width = WIDTH;
    io->height = HEIGHT;
    io->component_count = 3;
    io->color = WVL_IO_RGB;
    io->color_declared = 1;
    io->alpha_component = -1;
    io->orientation = 1;
    for (uint32_t c = 0; c < 3; c++) {
        io->components[c] = (wvl_io_component){.width = WIDTH,
                                               .height = HEIGHT,
                                               .dx = 1,
                                               .dy = 1,
                                               .depth = 8,
                                               .sample_bytes = 1,
                                               .sample_stride_bytes = 3,
                                               .stride_bytes = (size_t)WIDTH * 3,
                                               .data = data + c};
    }
    io->components[0].owned = data;
    return WVL_EXIT_OK;
}
