/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to this room: a text that grows. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wvl_text {
    char *data; /* owned; not terminated */
    size_t bytes, room;
    int failed; /* memory was refused: the text is not complete */
} wvl_text;

static inline void wvl_text_put_bytes(wvl_text *t, const void *data, size_t bytes)
{
    if (!t->failed && bytes > t->room - t->bytes) {
        size_t room = 2 * (t->bytes + bytes) + 256;
        char *larger = realloc(t->data, room);
        t->failed = !larger;
        t->data = larger ? larger : t->data;
        t->room = larger ? room : t->room;
    }
    if (!t->failed && bytes) {
        memcpy(t->data + t->bytes, data, bytes);
        t->bytes += bytes;
    }
}

static inline void wvl_text_put(wvl_text *t, const char *text) { wvl_text_put_bytes(t, text, strlen(text)); }

/* Appends at most 1023 bytes, as printf() makes them. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void
wvl_text_print(wvl_text *t, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wvl_text_put(t, text);
}

/* Appends a text as character data of XML. */
static inline void wvl_text_put_escaped(wvl_text *t, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': wvl_text_put(t, "&amp;"); break;
        case '<': wvl_text_put(t, "&lt;"); break;
        case '>': wvl_text_put(t, "&gt;"); break;
        case '\r': wvl_text_put(t, "&#xD;"); break;
        default: wvl_text_put_bytes(t, text, 1); break;
        }
    }
}
