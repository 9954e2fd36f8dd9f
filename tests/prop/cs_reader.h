/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the codestream walker share. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/prop/cs_parse.h"

typedef struct reader {
    const uint8_t *data;
    size_t at, end;
    int failed;
    char *error;
    size_t error_bytes;
} reader;

static inline int bad(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline int bad(reader *r, const char *format, ...)
{
    if (!r->failed) {
        int n = snprintf(r->error, r->error_bytes, "byte %zu: ", r->at);
        va_list args;
        va_start(args, format);
        if (n > 0 && (size_t)n < r->error_bytes) {
            vsnprintf(r->error + n, r->error_bytes - (size_t)n, format, args);
        }
        va_end(args);
    }
    r->failed = 1;
    return 0;
}

static inline uint32_t take(reader *r, unsigned count)
{
    uint32_t v = 0;
    if (r->failed || r->end - r->at < count) {
        bad(r, "%u bytes wanted, %zu left", count, r->end - r->at);
        return 0;
    }
    while (count--) {
        v = v << 8 | r->data[r->at++];
    }
    return v;
}

/* Room for one more element at index count; arrays grow at powers of two. */
static inline void *room(void *array, size_t count, size_t size)
{
    if (count & (count - 1)) {
        return array;
    }
    array = realloc(array, (count ? 2 * count : 1) * size);
    if (!array) {
        abort();
    }
    return array;
}

/* Marker segments that cs_pointers.c reads; content is exactly the marker segment's. */
void cs_parse_poc(reader *r, cs_stream *s, unsigned tile);
void cs_parse_crg(reader *r, cs_stream *s);
void cs_parse_plm(reader *r, cs_stream *s);
void cs_parse_ppm(reader *r, cs_stream *s);
void cs_parse_ppt(reader *r, cs_stream *s, cs_tile_part *part, unsigned *segments);
/* Assigns what PLM and PPM say of the part, the next in the codestream. */
void cs_assign_pointers(reader *r, cs_stream *s, cs_tile_part *part);
/* After the last part: nothing of PLM and PPM may be left. */
void cs_close_pointers(reader *r, const cs_stream *s);
