/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures for machines without any: octaves of smooth noise whose amplitude falls with the frequency, as in
 * photographs, objects with hard borders, a little grain. Integers only, so that they are the same everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
    h = (h ^ h >> 16) * 0x21F0AAADu;
    h = (h ^ h >> 15) * 0x735A2D97u;
    return h ^ h >> 15;
}

/* Bilinear noise on a lattice 2^cell apart, -32768..32767. */
static int64_t octave(uint32_t x, uint32_t y, unsigned cell, uint32_t seed)
{
    uint32_t cx = x >> cell, cy = y >> cell;
    int64_t one = (int64_t)1 << cell, fx = x & (one - 1), fy = y & (one - 1), corner[4];
    for (uint32_t i = 0; i < 4; i++) {
        corner[i] = (int64_t)(hash(cx + (i & 1), cy + (i >> 1), seed) >> 16) - 32768;
    }
    int64_t top = corner[0] * (one - fx) + corner[1] * fx, bottom = corner[2] * (one - fx) + corner[3] * fx;
    return (top * (one - fy) + bottom * fy) / (one * one);
}

/* 0..2^24 - 1 */
static int64_t natural(uint32_t x, uint32_t y, uint32_t component, uint32_t seed)
{
    int64_t shape = octave(x, y, 6, seed + 9), v = 7000000 + (shape > 9000 ? 3000000 : shape < -12000 ? -2500000 : 0);
    for (unsigned cell = 1; cell <= 7; cell++) { /* amplitude in proportion to the cell: 1/f */
        v += octave(x, y, cell, seed + cell) * (int64_t)(1u << cell);
    }
    v += octave(x, y, 5, seed + 20 + component) * 48 + (int64_t)(hash(x, y, seed + 40 + component) >> 15) - 65536;
    return v < 0 ? 0 : v > 0xFFFFFF ? 0xFFFFFF : v;
}

static int64_t draw_sample(const char *kind, uint32_t x, uint32_t y, uint32_t c, unsigned depth, uint32_t seed)
{
    int64_t top = ((int64_t)1 << depth) - 1;
    if (!strcmp(kind, "noise")) {
        return (int64_t)(hash(x, y, seed + c) & (uint32_t)top);
    }
    if (!strcmp(kind, "flat")) {
        return top / 3;
    }
    if (!strcmp(kind, "extreme")) { /* columns, rows, checks and edges of full range */
        uint32_t pattern = hash(x >> 4, y >> 4, seed + c) >> 29;
        uint32_t bit = pattern == 0   ? x
                       : pattern == 1 ? y
                       : pattern == 2 ? x + y
                       : pattern == 3 ? x >> 1
                       : pattern == 4 ? hash(x, y, seed) >> 7
                                      : pattern;
        return bit & 1 ? top : 0;
    }
    if (!strcmp(kind, "sparse")) {
        return hash(x, y, seed + c) >> 23 ? top / 2 : top;
    }
    int64_t v = natural(x, y, c, seed);
    return depth <= 24 ? v >> (24 - depth) : v << (depth - 24) | (hash(x, y, seed + 77) & ((1u << (depth - 24)) - 1));
}

static uint32_t ceil_div(uint64_t a, uint32_t b) { return (uint32_t)((a + b - 1) / b); }

int wvl_judge_draw_picture(const char *text, wvl_judge_picture *p)
{
    char kind[16], sign;
    unsigned w, h, count, depth, seed;
    int used = 0;
    if (sscanf(text, "%15[a-z],%u,%u,%u,%u,%c,%u%n", kind, &w, &h, &count, &depth, &sign, &seed, &used) != 7 || !w ||
        !h || !count || count > 16384 || !depth || depth > 31 || (sign != 'u' && sign != 's')) {
        return wvl_judge_fail(WVL_JUDGE_USAGE, "--draw \"%s\": expected KIND,W,H,N,DEPTH,u|s,SEED[,DXxDY:...]", text);
    }
    *p = (wvl_judge_picture){0, 0, w, h, count, wvl_judge_need_memory(count, sizeof *p->planes)};
    text += used;
    for (uint32_t c = 0; c < count; c++) {
        unsigned dx = 1, dy = 1;
        if (*text && sscanf(text + 1, "%3ux%3u%n", &dx, &dy, &used) == 2) {
            text += 1 + used;
        }
        wvl_judge_plane *plane = &p->planes[c];
        *plane = (wvl_judge_plane){
            ceil_div(w, dx), ceil_div(h, dy), (uint8_t)depth, sign == 's', (uint8_t)dx, (uint8_t)dy, NULL};
        plane->samples = wvl_judge_need_memory((size_t)plane->width * plane->height, sizeof(int32_t));
        int64_t zero = plane->is_signed ? (int64_t)1 << (depth - 1) : 0;
        for (size_t i = 0; i < (size_t)plane->width * plane->height; i++) {
            plane->samples[i] = (int32_t)(draw_sample(kind, (uint32_t)(i % plane->width) * dx,
                                                      (uint32_t)(i / plane->width) * dy, c, depth, seed) -
                                          zero);
        }
    }
    return WVL_JUDGE_DONE;
}
