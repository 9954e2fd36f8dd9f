/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a picture of any size to standard output, row by row: PGM, PPM, or PAM for other numbers of components. It
 * holds one row. The pixels depend on their position and the seed only, and look like a scan: slopes, soft structures,
 * edges and grain.
 *   make_rows WIDTH HEIGHT COMPONENTS DEPTH [SEED]      COMPONENTS 1..4, DEPTH 8..16
 *   make_rows 100000 60000 1 8 | wavelane -i - -o large.jp2 --tile 1024,1024
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 256u /* of the texture; a power of 2 */

typedef struct job {
    uint32_t width, height, components, depth, seed;
    uint16_t texture[SIDE][SIDE]; /* 0..65535 */
} job;

static uint32_t hash(uint32_t a, uint32_t b, uint32_t seed)
{
    uint32_t h = a * 0x9E3779B1u ^ b * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

/* Lattice of random values 2^log2 apart, interpolated; it closes at the sides of the texture. */
static uint32_t soft(uint32_t x, uint32_t y, unsigned log2, uint32_t seed)
{
    uint32_t cell = 1u << log2, mask = SIDE / cell - 1, i = x >> log2, j = y >> log2, u = x & (cell - 1),
             v = y & (cell - 1);
    uint32_t a = hash(i, j, seed) & 0xFFFF, b = hash((i + 1) & mask, j, seed) & 0xFFFF;
    uint32_t c = hash(i, (j + 1) & mask, seed) & 0xFFFF, d = hash((i + 1) & mask, (j + 1) & mask, seed) & 0xFFFF;
    uint32_t top = (a * (cell - u) + b * u) >> log2, bottom = (c * (cell - u) + d * u) >> log2;
    return (top * (cell - v) + bottom * v) >> log2;
}

static void draw_texture(job *j)
{
    for (uint32_t y = 0; y < SIDE; y++) {
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t v = soft(x, y, 6, j->seed) / 2 + soft(x, y, 4, j->seed + 1) / 4 + soft(x, y, 2, j->seed + 2) / 8;
            v += (hash(x, y, j->seed + 3) & 0xFFFF) / 64;
            v += soft(x, y, 5, j->seed + 4) > 40000 ? 6000 : 0; /* edges */
            j->texture[y][x] = (uint16_t)(v < 65535 ? v : 65535);
        }
    }
}

/* One component of a row. Each block of the texture's width has a place and a brightness of its own. */
static void draw_row(const job *j, uint32_t y, uint32_t component, uint8_t *row)
{
    unsigned shift = 16 - j->depth, bytes = j->depth > 8 ? 2 : 1;
    for (uint32_t x0 = 0; x0 < j->width; x0 += SIDE) {
        uint32_t h = hash(x0 / SIDE, y / SIDE, j->seed + 7 * component), left = j->width - x0;
        uint32_t slope = (h >> 16 & 0x3FFF) + (y & (SIDE - 1)) * (h >> 30), n = left < SIDE ? left : SIDE;
        const uint16_t *line = j->texture[(y + (h >> 8)) & (SIDE - 1)];
        for (uint32_t x = 0; x < n; x++) {
            uint32_t v = line[(x + h) & (SIDE - 1)] / 4u * 3 + slope;
            uint8_t *at = row + ((size_t)(x0 + x) * j->components + component) * bytes;
            v = (v < 65535 ? v : 65535) >> shift;
            at[0] = (uint8_t)(bytes == 2 ? v >> 8 : v);
            at[bytes - 1] = (uint8_t)v;
        }
    }
}

static void write_header(const job *j)
{
    unsigned most = (1u << j->depth) - 1;
    if (j->components == 1 || j->components == 3) {
        printf("P%c\n%u %u\n%u\n", j->components == 1 ? '5' : '6', j->width, j->height, most);
    } else {
        printf("P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nENDHDR\n", j->width, j->height, j->components, most);
    }
}

static int write_rows(const job *j)
{
    size_t bytes = (size_t)j->width * j->components * (j->depth > 8 ? 2 : 1);
    uint8_t *row = malloc(bytes);
    int result = row ? 0 : -1;
    write_header(j);
    for (uint32_t y = 0; result == 0 && y < j->height; y++) {
        for (uint32_t c = 0; c < j->components; c++) {
            draw_row(j, y, c, row);
        }
        result = fwrite(row, 1, bytes, stdout) == bytes ? 0 : -1;
    }
    free(row);
    return result == 0 && fflush(stdout) == 0 ? 0 : -1;
}

static uint32_t number_of(const char *text, uint32_t low, uint32_t high)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end != '\0' || errno || value < low || value > high) {
        fprintf(stderr, "make_rows: \"%s\": must be a number from %u to %u\n", text, low, high);
        exit(2);
    }
    return (uint32_t)value;
}

int main(int count, char **words)
{
    static job j;
    if (count < 5 || count > 6) {
        int wants_help = count == 2 && !strcmp(words[1], "--help");
        fprintf(wants_help ? stdout : stderr, "usage: make_rows WIDTH HEIGHT COMPONENTS DEPTH [SEED]\n");
        return wants_help ? 0 : 2;
    }
    j.width = number_of(words[1], 1, UINT32_MAX);
    j.height = number_of(words[2], 1, UINT32_MAX);
    j.components = number_of(words[3], 1, 4);
    j.depth = number_of(words[4], 8, 16);
    j.seed = count == 6 ? number_of(words[5], 0, UINT32_MAX) : 1;
    draw_texture(&j);
    if (write_rows(&j) != 0) {
        fprintf(stderr, "make_rows: the picture cannot be written\n");
        return 1;
    }
    return 0;
}
