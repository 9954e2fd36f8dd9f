/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture with the statistics of a photograph, made of integers only: octaves of smooth noise, and regions with sharp
 * borders. */
#include <stdlib.h>
#include <string.h>

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

/* Value noise in [-128, 127] on a lattice of 2^log2_cell samples. */
static int32_t noise(uint32_t x, uint32_t y, unsigned log2_cell, uint32_t seed)
{
    uint32_t cx = x >> log2_cell, cy = y >> log2_cell, mask = (1u << log2_cell) - 1;
    int32_t tx = smooth((int32_t)((x & mask) << 8 >> log2_cell)), ty = smooth((int32_t)((y & mask) << 8 >> log2_cell));
    int32_t corner[4];
    for (uint32_t i = 0; i < 4; i++) {
        corner[i] = (int32_t)(hash(cx + (i & 1), cy + (i >> 1), seed) >> 24) - 128;
    }
    int32_t top = corner[0] * 256 + (corner[1] - corner[0]) * tx,
            bottom = corner[2] * 256 + (corner[3] - corner[2]) * tx;
    return (top * 256 + (bottom - top) * ty) / 65536;
}

/* Amplitudes fall by half an octave's worth with the cell, as the spectra of photographs do. */
static int32_t octaves(uint32_t x, uint32_t y, unsigned finest, uint32_t seed)
{
    int32_t sum = 0;
    for (unsigned i = finest; i <= OCTAVES; i++) {
        sum += noise(x, y, i, seed + i) * (int32_t)(1u << i) / (int32_t)(1u << OCTAVES);
    }
    return sum;
}

static uint8_t clamp(int32_t v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

static void make_pixel(uint32_t x, uint32_t y, uint8_t *rgb)
{
    int32_t shape = octaves(x, y, 6, 100); /* the sign draws curved borders */
    int32_t luma = 110 + (shape > 20 ? 50 : shape < -40 ? -45 : 0) + octaves(x, y, 1, 200) / 2;
    int32_t red = octaves(x, y, 5, 300) / 4 + (shape > 20 ? 12 : 0),
            blue = octaves(x, y, 5, 400) / 4 - (shape < -40 ? 15 : 0);
    luma += (int32_t)(hash(x, y, 7) >> 30) - 1; /* sensor noise of one unit */
    rgb[0] = clamp(luma + red);
    rgb[1] = clamp(luma - red / 2 - blue / 4);
    rgb[2] = clamp(luma + blue);
}

int wvl_cli_make_demo(wvl_io_picture *io)
{
    uint8_t *data = malloc((size_t)WIDTH * HEIGHT * 3);
    memset(io, 0, sizeof *io);
    io->components = calloc(3, sizeof *io->components);
    if (!data || !io->components) {
        free(data);
        free(io->components);
        io->components = NULL;
        wvl_cli_error("demo: out of memory");
        return WVL_EXIT_DEVICE;
    }
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            make_pixel(x, y, data + 3 * ((size_t)y * WIDTH + x));
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
