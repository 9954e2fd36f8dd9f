/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the inverse writes pixels: planes or interleaved, tight or with gaps, rows down or up, for drawn jobs. */
#pragma once

#include "lab/cuda/inverse/host.h"
#include "tests/twin/test_cuda_job.h"

/* All components in one piece of memory; data are offsets into it. */
typedef struct layout {
    wvl_cuda_pixels pixels[COMPONENTS];
    uint64_t bytes;
} layout;

enum { TIGHT_PLANES, TIGHT_PIXELS, LOOSE_PLANES, LOOSE_PIXELS };

static unsigned whole_bytes(unsigned depth, int loose)
{
    unsigned least = depth > 8 ? WVL_SAMPLE_16 : WVL_SAMPLE_8, k = loose ? (unsigned)(draw() % 3) : 0;
    return k == 1 ? WVL_SAMPLE_32 : k == 2 ? WVL_SAMPLE_16 : least;
}

static int equal_rects(const job *j)
{
    int equal = 1;
    for (uint32_t c = 1; c < j->format.component_count; c++) {
        equal = equal &&
                !memcmp(&j->plan->syntax.components[c].rect, &j->plan->syntax.components[0].rect, sizeof(wvl_rect));
    }
    return equal;
}

static void lay_out(const job *j, unsigned style, layout *l)
{
    style = equal_rects(j) ? style : style & ~1u; /* planes */
    uint32_t count = j->format.component_count, together = style == TIGHT_PIXELS || style == LOOSE_PIXELS,
             loose = style >= LOOSE_PLANES;
    uint32_t extra = loose ? (uint32_t)(draw() % 2) : 0;
    unsigned deepest = 0;
    for (uint32_t c = 0; c < count; c++) {
        deepest = wvl_max_u32(deepest, j->plan->syntax.components[c].depth);
    }
    unsigned shared = whole_bytes(deepest, (int)loose);
    memset(l, 0, sizeof *l);
    for (uint32_t c = 0; c < count; c++) {
        const wvl_plan_component *pc = &j->plan->syntax.components[c];
        uint32_t w = wvl_rect_width(pc->rect), h = wvl_rect_height(pc->rect);
        unsigned container = together ? shared : whole_bytes(pc->depth, (int)loose);
        uint64_t stride = together ? count + extra : loose ? between(1, 3) : 1, bytes = container_bits(container) / 8;
        uint64_t pitch = (w * stride + (loose ? 4 : 0)) * bytes + (loose && !together ? draw() % 9 : 0);
        int down = together || !loose || draw() % 2;
        uint64_t start = together && c ? l->pixels[0].data : wvl_align_up(l->bytes, 64) + (loose ? draw() % 5 : 0);
        l->pixels[c] = (wvl_cuda_pixels){.data = start + (down || !h ? 0 : (h - 1) * pitch),
                                         .pitch_bytes = down ? (int64_t)pitch : -(int64_t)pitch,
                                         .first = together ? (loose ? count - 1 - c : c)
                                                  : loose  ? draw() % 3
                                                           : 0,
                                         .stride = (uint32_t)stride,
                                         .x0 = pc->rect.x0,
                                         .y0 = pc->rect.y0,
                                         .half = 1u << (pc->depth - 1),
                                         .container = (uint8_t)container,
                                         .is_signed = pc->is_signed,
                                         .depth = pc->depth};
        l->pixels[c].bias = pc->is_signed ? l->pixels[c].half : 0;
        l->bytes = start + h * pitch + 64;
    }
}

/* The layout at an address. */
static void place_layout(const layout *l, uint64_t base, wvl_cuda_pixels *pixels)
{
    memcpy(pixels, l->pixels, sizeof l->pixels);
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        pixels[c].data += base;
    }
}
