/* SPDX-License-Identifier: BSD-2-Clause */
/* Portable float maps: PF is RGB, Pf is grey; rows run from the bottom up, and a negative scale means little-endian. */
#include "float_samples.h"

#include <math.h>
#include <stdlib.h>

/* The next word of the header and the one byte behind it. */
static int read_word(wvl_io_context *context, const char *field, char *word, size_t room)
{
    size_t used = 0;
    int c = wvl_io_source_byte(&context->source);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        c = wvl_io_source_byte(&context->source);
    }
    for (; c > ' ' && c < 127 && used + 1 < room; c = wvl_io_source_byte(&context->source)) {
        word[used++] = (char)c;
    }
    word[used] = '\0';
    if (c < 0 || !used || (c != ' ' && c != '\t' && c != '\n' && c != '\r')) {
        return wvl_io_fail(context, "%s: \"%s\" does not end with white space, or is missing", field, word);
    }
    return 0;
}

static int read_number(wvl_io_context *context, const char *field, uint32_t *value)
{
    char word[32], *end;
    if (read_word(context, field, word, sizeof word) != 0) {
        return -1;
    }
    unsigned long long number = word[0] >= '0' && word[0] <= '9' ? strtoull(word, &end, 10) : 0;
    if (number == 0 || number > UINT32_MAX || *end != '\0') {
        return wvl_io_fail(context, "%s: \"%s\" is no number of 1 to 4294967295", field, word);
    }
    *value = (uint32_t)number;
    return 0;
}

static int read_scale(wvl_io_context *context, int *is_big)
{
    char word[64], *end;
    if (read_word(context, "scale", word, sizeof word) != 0) {
        return -1;
    }
    double scale = strtod(word, &end);
    if (*end != '\0' || !isfinite(scale) || scale == 0) {
        return wvl_io_fail(context, "scale: \"%s\" is no number other than 0", word);
    }
    if (fabs(scale) != 1) {
        wvl_io_note(context, "the scale %s is not applied; only its sign counts", word);
    }
    *is_big = scale > 0;
    return 0;
}

static int read_rows(wvl_io_context *context, int is_big)
{
    const wvl_io_component *first = &context->picture->components[0];
    for (uint32_t y = first->height; y-- > 0;) {
        uint8_t *row = (uint8_t *)first->data + (size_t)y * first->stride_bytes;
        if (wvl_io_read_bytes(context, row, first->stride_bytes, "pixel data") != 0) {
            return -1;
        }
        wvl_io_to_host_order(row, first->stride_bytes / 4, 4, is_big);
    }
    return 0;
}

int wvl_io_read_pfm(wvl_io_context *context)
{
    uint32_t width, height;
    int is_big = 0;
    char type[8];
    if (wvl_io_permit_floats(context, "PF or Pf") != 0 || read_word(context, "header", type, sizeof type) != 0) {
        return -1;
    }
    uint32_t n = strcmp(type, "PF") == 0 ? 3 : 1;
    if (n == 1 && strcmp(type, "Pf") != 0) {
        return wvl_io_fail(context, "header: does not begin with PF or Pf");
    }
    if (read_number(context, "width", &width) != 0 || read_number(context, "height", &height) != 0 ||
        read_scale(context, &is_big) != 0 || wvl_io_describe(context, width, height, n, 32, 0) != 0 ||
        wvl_io_require_bytes(context, wvl_io_sample_count(context->picture) * 4, "pixel data") != 0 ||
        wvl_io_allocate_interleaved(context) != 0 || read_rows(context, is_big) != 0) {
        return -1;
    }
    for (uint32_t c = 0; context->options.float_transfer == WVL_IO_FLOAT_KEPT && c < n; c++) {
        wvl_io_keep_floats(&context->picture->components[c], 32);
    }
    wvl_io_set_color(context->picture, n == 3 ? WVL_IO_RGB : WVL_IO_GREY, 0, -1);
    return wvl_io_finish_floats(context);
}
