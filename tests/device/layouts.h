/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture in every container, planar and interleaved, as one run of bytes that can be moved to other memory. */
#pragma once

#include "tests/decode/picture.h"
#include "tests/support/containers.h"

#define LAYOUT_PLANES 5u

typedef struct layout {
    uint8_t *memory;
    size_t bytes;
    wvl_plane planes[LAYOUT_PLANES]; /* data: offsets into the memory */
    uint32_t count;
} layout;

/* Number of containers that layout_fill() knows. */
#define LAYOUT_CONTAINERS 14u
static const uint8_t layout_containers[LAYOUT_CONTAINERS] = {
    WVL_SAMPLE_8,           WVL_SAMPLE_16,          WVL_SAMPLE_32,          WVL_SAMPLE_PACKED10,
    WVL_SAMPLE_PACKED12,    WVL_SAMPLE_FILLED10_BE, WVL_SAMPLE_FILLED10_LE, WVL_SAMPLE_FILLED12_BE,
    WVL_SAMPLE_FILLED12_LE, WVL_SAMPLE_WORDS12_BE,  WVL_SAMPLE_WORDS12_LE,  WVL_SAMPLE_WORDS10_BE,
    WVL_SAMPLE_WORDS10_LE,  WVL_SAMPLE_16_BE};

static void layout_put_sample(uint8_t *row, size_t at, unsigned container, uint32_t v)
{
    if (container <= WVL_SAMPLE_32) {
        memcpy(row + at * test_container_bits(container) / 8, &v, test_container_bits(container) / 8);
    } else {
        test_container_put(row, at, container, v);
    }
}

/* spare: containers of a pixel beyond the components (interleaved), or bytes between rows. 0: the container does not
 * hold the samples. */
static inline int layout_fill(const picture *p, unsigned container, int interleaved, uint32_t spare, layout *l)
{
    unsigned kind = layout_containers[container], bits = test_container_bits(kind);
    uint32_t w = p->planes[0].width, h = p->planes[0].height, n = interleaved ? p->count + spare : 1;
    size_t pitch = test_container_row_bytes((uint64_t)w * n, kind) + (interleaved ? 0 : spare), plane = pitch * h;
    if (p->planes[0].depth > bits) {
        return 0;
    }
    *l = (layout){.bytes = plane * (interleaved ? 1 : p->count), .count = p->count};
    l->memory = calloc(1, l->bytes);
    for (uint32_t c = 0; c < p->count; c++) {
        size_t first = interleaved ? p->count - 1 - c : 0, offset = interleaved ? 0 : c * plane;
        l->planes[c] = (wvl_plane){(const void *)(uintptr_t)offset, (ptrdiff_t)pitch, n, first, (uint8_t)kind};
        for (size_t i = 0; i < (size_t)w * h; i++) {
            layout_put_sample(l->memory + offset + i / w * pitch, first + i % w * n, kind,
                              (uint32_t)p->planes[c].samples[i]);
        }
    }
    return 1;
}

/* The picture where its bytes lie now. planes: [count]. */
static inline void layout_place(const layout *l, uint64_t address, wvl_memory_kind kind, picture_input *input,
                                wvl_plane *planes)
{
    for (uint32_t c = 0; c < l->count; c++) {
        planes[c] = l->planes[c];
        planes[c].data = (const void *)(uintptr_t)(address + (uintptr_t)l->planes[c].data);
    }
    input->image.planes = planes;
    input->image.memory_kind = kind;
}
