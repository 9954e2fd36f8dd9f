/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples that were kept as they lie in the file, and become integers after all. */
#include "internal.h"

#include <stdlib.h>

int wvl_io_may_keep_words(const wvl_io_context *context)
{
    wvl_io_keep_words kept = context->options.keep_words;
    return !context->by_rows && (kept == WVL_IO_KEEP_ALL_WORDS ||
                                 (kept == WVL_IO_KEEP_WORDS_OF_THREE && context->picture->component_count == 3));
}

void wvl_io_settle_words(wvl_io_context *context, wvl_io_words words, size_t row_bytes)
{
    wvl_io_picture *picture = context->picture;

    picture->words = words;
    for (uint32_t c = 0; words && c < picture->component_count; c++) {
        picture->components[c].stride_bytes = row_bytes;
    }
}

void wvl_io_unpack_bits(const uint8_t *from, unsigned depth, uint8_t *to, unsigned sample_bytes, size_t count)
{
    uint64_t held = 0, mask = (UINT64_C(1) << depth) - 1;
    unsigned bits = 0;

    for (size_t i = 0; i < count; i++) {
        for (; bits < depth; bits += 8) {
            held = held << 8 | *from++;
        }
        bits -= depth;
        wvl_io_store(to + i * sample_bytes, sample_bytes, (uint32_t)(held >> bits & mask));
    }
}

static size_t row_bytes(wvl_io_words words, uint64_t samples)
{
    switch (words) {
    case WVL_IO_PACKED10: return (size_t)((samples * 10 + 7) / 8);
    case WVL_IO_PACKED12: return (size_t)((samples * 12 + 7) / 8);
    default: return wvl_io_dpx_word_bytes(words, samples);
    }
}

/* line: a copy of the words. */
static void expand_row(wvl_io_words words, const uint8_t *line, uint8_t *row, size_t samples)
{
    if (words == WVL_IO_16_BE) {
        memcpy(row, line, 2 * samples);
        wvl_io_to_host_order(row, samples, 2, 1);
    } else if (words == WVL_IO_PACKED10 || words == WVL_IO_PACKED12) {
        wvl_io_unpack_bits(line, words == WVL_IO_PACKED10 ? 10 : 12, row, 2, samples);
    } else {
        wvl_io_dpx_expand_words(words, line, row, samples);
    }
}

/* Rows of integers are not shorter than those of words: from the last one on, none lies where words are still needed.
 */
int wvl_io_expand_words(wvl_io_picture *picture)
{
    if (!picture->words) {
        return WVL_IO_OK;
    }
    size_t samples = (size_t)picture->width * picture->component_count, bytes = row_bytes(picture->words, samples);
    size_t from = picture->components[0].stride_bytes, to = 2 * samples;
    uint8_t *line = malloc(bytes), *pixels = picture->components[0].data;
    if (!line) {
        return WVL_IO_ERROR_MEMORY;
    }
    for (uint32_t y = picture->height; y-- > 0;) {
        memcpy(line, pixels + y * from, bytes);
        expand_row(picture->words, line, pixels + y * to, samples);
    }
    for (uint32_t c = 0; c < picture->component_count; c++) {
        picture->components[c].stride_bytes = to;
    }
    picture->words = WVL_IO_INTEGERS;
    free(line);
    return WVL_IO_OK;
}
