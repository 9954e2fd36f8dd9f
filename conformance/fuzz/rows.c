/* SPDX-License-Identifier: BSD-2-Clause */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wavelane_rows.h"

typedef struct rows_way {
    unsigned strip, can_rewind, is_limited;
} rows_way;

static rows_way read_way(const fuzz_case *c)
{
    rows_way w = {0, 0, 0};
    const char *given = fuzz_case_get(c, "rows");
    (void)sscanf(given ? given : "", "%u,%u,%u", &w.strip, &w.can_rewind, &w.is_limited);
    return w;
}

void fuzz_rows_draw(fuzz_case *c, uint64_t number)
{
    static const unsigned strips[] = {1, 2, 3, 7, 16, 64, 1000, 0};
    fuzz_case_set(c, "rows", "%u,%u,%u", strips[number % 8], (unsigned)(number / 8 & 1), (unsigned)(number / 16 & 1));
}

void fuzz_rows_begin(const fuzz_case *c)
{
    char text[16];
    snprintf(text, sizeof text, "%u", read_way(c).strip);
    (void)setenv("WVL_STRIP_ROWS", text, 1);
}

void fuzz_rows_end(void) { (void)unsetenv("WVL_STRIP_ROWS"); }

/* ---- The source ------------------------------------------------------------------------------ */

typedef struct rows_source {
    const fuzz_input *in;
    uint32_t *next; /* row of each buffer */
    int releases;
} rows_source;

static wvl_status read_rows(void *user, const wvl_row_buffer *buffers, uint32_t count, char *error, size_t error_bytes)
{
    rows_source *s = user;
    for (uint32_t b = 0; b < count; b++) {
        const wvl_plane *plane = &s->in->planes[b];
        if (buffers[b].first_row != s->next[b]) {
            snprintf(error, error_bytes, "rows do not come in order");
            return WVL_ERROR_INTERNAL;
        }
        for (uint32_t i = 0; i < buffers[b].row_count; i++) {
            const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)s->next[b]++ * plane->pitch_bytes;
            memcpy((uint8_t *)buffers[b].data + i * buffers[b].pitch_bytes, row, buffers[b].row_bytes);
        }
    }
    return WVL_OK;
}

static wvl_status rewind_rows(void *user, char *error, size_t error_bytes)
{
    rows_source *s = user;
    (void)error;
    (void)error_bytes;
    memset(s->next, 0, s->in->format.component_count * sizeof *s->next);
    return WVL_OK;
}

static void release_rows(void *user) { ((rows_source *)user)->releases++; }

/* A buffer for each component, also of planes that are interleaved. */
static void describe(const fuzz_input *in, wvl_row_component *components)
{
    for (uint32_t c = 0; c < in->format.component_count; c++) {
        const wvl_plane *plane = &in->planes[c];
        components[c] = (wvl_row_component){.buffer = c,
                                            .sample_stride = plane->sample_stride,
                                            .first_sample = plane->first_sample,
                                            .container = plane->container};
    }
}

static wvl_status encode(const wvl_plan *plan, const wvl_row_source *source, int is_limited, wvl_sink *sink,
                         uint64_t *most, char *error, size_t error_bytes)
{
    wvl_rows_memory m = {.struct_size = sizeof m};
    wvl_rows_options options = {.struct_size = sizeof options};
    wvl_status status = wvl_rows_measure(plan, source, &m);
    int is_early = m.leaves_early == 1 || (m.leaves_early && sink->patch);
    uint64_t base = is_early ? m.early_base_bytes : m.base_bytes;
    if (status != WVL_OK) {
        snprintf(error, error_bytes, "rows are not measured");
        return status;
    }
    *most = m.coded_bytes_bound > UINT64_MAX - base ? UINT64_MAX : base + m.coded_bytes_bound;
    if (is_limited) {
        *most = options.memory_bytes = is_early ? m.early_least_bytes : m.least_bytes;
    }
    return wvl_encode_rows(plan, source, &options, sink, NULL, NULL, error, error_bytes);
}

wvl_status fuzz_rows_encode(const fuzz_case *c, const wvl_plan *plan, const fuzz_input *in, wvl_sink *sink,
                            uint64_t *most, char *error, size_t error_bytes)
{
    rows_way way = read_way(c);
    uint32_t count = in->format.component_count;
    wvl_row_component *components = calloc(count, sizeof *components);
    rows_source s = {in, calloc(count, sizeof *s.next), 0};
    wvl_status status = WVL_ERROR_MEMORY;
    if (components && s.next) {
        describe(in, components);
        wvl_row_source source = {.struct_size = sizeof source,
                                 .components = components,
                                 .component_count = count,
                                 .read = read_rows,
                                 .rewind = way.can_rewind ? rewind_rows : NULL,
                                 .release = release_rows,
                                 .user = &s};
        status = encode(plan, &source, way.is_limited != 0, sink, most, error, error_bytes);
        if (s.releases != 1) {
            snprintf(error, error_bytes, "the source was released %d times", s.releases);
            status = WVL_ERROR_INTERNAL;
        }
    }
    free(components);
    free(s.next);
    return status;
}
