/* SPDX-License-Identifier: BSD-2-Clause */
/* The same samples in other memory layouts, samples that are out of range, numbers under a locale with a decimal comma.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

typedef struct shape {
    const char *name;
    size_t lead, gap; /* bytes before the first row and between rows */
    int upside_down, interleaved;
} shape;

/* Copies the picture's samples into memory of that shape, at an odd address. The caller frees *memory. */
static wvl_api_picture lay_out(const wvl_api_picture *p, const shape *s, uint8_t **memory)
{
    uint32_t count = p->format.component_count, stride = s->interleaved ? count : 1;
    size_t size = p->io.components[0].sample_bytes, row = size * stride * p->io.width + s->gap,
           plane = row * p->io.height;
    wvl_api_picture q = *p;
    *memory = wvl_api_need_memory(s->lead + plane * (s->interleaved ? 1 : count) + 16);
    memset(*memory, 0xA5, s->lead + plane * (s->interleaved ? 1 : count) + 16);
    q.planes = wvl_api_need_memory(count * sizeof *q.planes);
    for (uint32_t c = 0; c < count; c++) {
        const wvl_io_component *k = &p->io.components[c];
        uint8_t *start = *memory + s->lead + (s->interleaved ? 0 : plane * c);
        for (uint32_t y = 0; y < k->height; y++) {
            uint8_t *to = start + row * (s->upside_down ? k->height - 1 - y : y);
            for (uint32_t x = 0; x < k->width; x++) {
                memcpy(to + size * (stride * x + (s->interleaved ? c : 0)),
                       (const uint8_t *)k->data + y * k->stride_bytes + x * k->sample_stride_bytes, size);
            }
        }
        q.planes[c] = p->planes[c];
        q.planes[c].data = s->upside_down ? start + row * (k->height - 1) : start;
        q.planes[c].pitch_bytes = s->upside_down ? -(ptrdiff_t)row : (ptrdiff_t)row;
        q.planes[c].sample_stride = stride;
        q.planes[c].first_sample = s->interleaved ? c : 0;
    }
    q.image.planes = q.planes;
    return q;
}

int wvl_api_run_strides(const wvl_api_picture *p)
{
    static const shape shapes[] = {{"tight", 0, 0, 0, 0},       {"rows of 13 bytes more", 0, 13, 0, 0},
                                   {"odd address", 1, 0, 0, 0}, {"odd address and rows", 3, 7, 0, 0},
                                   {"upside down", 0, 0, 1, 0}, {"upside down, odd", 1, 5, 1, 0},
                                   {"interleaved", 0, 0, 0, 1}, {"interleaved, odd, upside down", 5, 11, 1, 1}};
    wvl_context *context = NULL;
    unsigned wrong = 0;
    (void)wvl_context_create(NULL, &context);
    wvl_api_stream reference = wvl_api_encode(context, p, NULL, 0, NULL);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint8_t *memory;
        wvl_api_picture q = lay_out(p, &shapes[i], &memory);
        wvl_api_stream s = wvl_api_encode(context, &q, NULL, 0, NULL);
        int same = wvl_api_same(&s, &reference);
        wrong += !same;
        printf("%s%s: %s", i ? ", " : "", shapes[i].name, same ? "same" : "OTHER BYTES");
        wvl_memory_release(context, s.data, s.bytes);
        free(memory);
        free(q.planes);
    }
    printf("\n");
    wvl_memory_release(context, reference.data, reference.bytes);
    wvl_context_release(context);
    return wrong ? WVL_API_WRONG : WVL_API_DONE;
}

/* The picture's samples, declared as one bit fewer, and one sample of 2^depth among samples that fit. */
int wvl_api_run_outside(const wvl_api_picture *p)
{
    wvl_context *context = NULL;
    (void)wvl_context_create(NULL, &context);
    unsigned wrong = 0;
    for (unsigned depth = 9; depth <= 15; depth++) {
        size_t samples = (size_t)p->io.width * p->io.height;
        uint16_t *data = wvl_api_need_memory(samples * 2);
        wvl_component_format component = {(uint8_t)depth, 0, 1, 1};
        wvl_plane plane = {data, (ptrdiff_t)p->io.width * 2, 1, 0, WVL_SAMPLE_16};
        wvl_api_picture q = *p;
        q.format.component_count = 1;
        q.format.components = &component;
        q.image.planes = &plane;
        q.image.plane_count = 1;
        for (size_t i = 0; i < samples; i++) {
            data[i] = (uint16_t)((i * 37) & ((1u << depth) - 1));
        }
        wvl_api_stream fits = wvl_api_encode(context, &q, NULL, 0, NULL);
        data[samples * 2 / 3] = (uint16_t)(1u << depth);
        wvl_api_stream greater = wvl_api_encode(context, &q, NULL, 0, NULL);
        wrong += fits.status != WVL_OK || greater.status != WVL_ERROR_INPUT || strlen(greater.error) < 10;
        if (depth == 12) {
            printf("12 bits and a sample of 4096: %s: %s\n", wvl_status_text(greater.status), greater.error);
        }
        wvl_memory_release(context, fits.data, fits.bytes);
        free(data);
    }
    wvl_context_release(context);
    return wrong ? wvl_api_fail(WVL_API_WRONG, "%u of 7 depths passed or failed wrongly", wrong) : WVL_API_DONE;
}

int wvl_api_run_locale(const wvl_api_picture *p, const char *name)
{
    static const char *const settings[] = {"reversible=no", "bpp=0.25,1.5", "step=0.001953125"};
    static const char *const comma[] = {"reversible=no", "bpp=0,25"};
    wvl_context *context = NULL;
    (void)wvl_context_create(NULL, &context);
    wvl_api_stream before = wvl_api_encode(context, p, settings, 3, NULL);
    if (!setlocale(LC_ALL, name) || strcmp(localeconv()->decimal_point, ",") != 0) {
        return wvl_api_fail(WVL_API_USAGE, "locale %s is not there, or has no decimal comma", name);
    }
    wvl_api_stream after = wvl_api_encode(context, p, settings, 3, NULL),
                   other = wvl_api_encode(context, p, comma, 2, NULL);
    int same = wvl_api_same(&before, &after);
    printf("decimal point \"%s\": %s bytes; \"bpp=0,25\" stays a list: %s\n", localeconv()->decimal_point,
           same ? "the same" : "OTHER", wvl_status_text(other.status));
    wvl_memory_release(context, before.data, before.bytes);
    wvl_memory_release(context, after.data, after.bytes);
    wvl_memory_release(context, other.data, other.bytes);
    wvl_context_release(context);
    return same ? WVL_API_DONE : WVL_API_WRONG;
}
