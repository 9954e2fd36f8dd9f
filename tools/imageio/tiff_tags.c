/* SPDX-License-Identifier: BSD-2-Clause */
#include "tiff_tags.h"

#include <stdlib.h>

#define HEADER_BYTES 8u
#define ENTRY_BYTES 12u
#define MOST_STREAM_BYTES (2 * (size_t)WVL_IO_MAX_METADATA_BYTES)

static void put(uint8_t *p, int big_endian, unsigned byte_count, uint64_t value)
{
    for (unsigned i = 0; i < byte_count; i++) {
        p[big_endian ? byte_count - 1 - i : i] = (uint8_t)(value >> (8 * i));
    }
}

/* ---- A block in memory ----------------------------------------------------------------------- */

wvl_io_tiff_block wvl_io_tiff_block_of(const uint8_t *bytes, size_t byte_count)
{
    return (wvl_io_tiff_block){bytes, byte_count, byte_count && bytes[0] == 'M'};
}

uint64_t wvl_io_number_at(const wvl_io_tiff_block *block, size_t at, unsigned byte_count)
{
    int is_within = at <= block->byte_count && byte_count <= block->byte_count - at;
    return is_within ? wvl_io_number(block->bytes + at, block->big_endian, byte_count) : 0;
}

/* Offset 0 is the header, never a directory. */
size_t wvl_io_find_entry(const wvl_io_tiff_block *block, uint32_t directory, unsigned tag)
{
    size_t count = directory >= HEADER_BYTES ? (size_t)wvl_io_number_at(block, directory, 2) : 0;
    for (size_t i = 0; i < count; i++) {
        size_t entry = directory + 2 + ENTRY_BYTES * i;
        if (entry + ENTRY_BYTES > block->byte_count) {
            return 0;
        }
        if (wvl_io_number_at(block, entry, 2) == tag) {
            return entry;
        }
    }
    return 0;
}

/* Values of classic TIFF. */
static unsigned type_bytes(uint64_t type) { return type <= WVL_TIFF_DOUBLE ? wvl_io_tiff_type_bytes(type) : 0; }

size_t wvl_io_find_values(const wvl_io_tiff_block *block, size_t entry, size_t *byte_count)
{
    uint64_t bytes = wvl_io_number_at(block, entry + 4, 4) * type_bytes(wvl_io_number_at(block, entry + 2, 2));
    size_t at = bytes <= 4 ? entry + 8 : (size_t)wvl_io_number_at(block, entry + 8, 4);
    *byte_count = at <= block->byte_count && bytes <= block->byte_count - at ? (size_t)bytes : 0;
    return at;
}

int wvl_io_read_value(const wvl_io_tiff_block *block, size_t entry, uint32_t index, double *value)
{
    uint64_t type = wvl_io_number_at(block, entry + 2, 2);
    unsigned each = type_bytes(type);
    size_t bytes, at = wvl_io_find_values(block, entry, &bytes);
    if (!each || index >= bytes / each) {
        return 0;
    }
    uint64_t word = wvl_io_number_at(block, at + (size_t)index * each, each);
    switch (type) {
    case WVL_TIFF_BYTE:
    case WVL_TIFF_SHORT:
    case WVL_TIFF_LONG: *value = (double)word; return 1;
    case WVL_TIFF_DOUBLE: memcpy(value, &word, sizeof *value); return 1;
    default: return 0;
    }
}

/* ---- A directory ----------------------------------------------------------------------------- */

/* Makes room for one more at `index`. */
static int open_gap(wvl_io_context *context, wvl_io_tags *list, size_t index)
{
    wvl_io_tag *larger = realloc(list->tags, (list->count + 1) * sizeof *larger);
    if (!larger) {
        return wvl_io_fail_memory(context, "tags", (list->count + 1) * sizeof *larger);
    }
    list->tags = larger;
    memmove(larger + index + 1, larger + index, (list->count - index) * sizeof *larger);
    list->count++;
    return 0;
}

int wvl_io_add_tag(wvl_io_context *context, wvl_io_tags *list, unsigned tag, unsigned type, uint32_t count,
                   const void *data)
{
    size_t bytes = (size_t)count * wvl_io_tiff_type_bytes(type), index = 0;
    while (index < list->count && list->tags[index].tag < tag) {
        index++;
    }
    if (!bytes || (index < list->count && list->tags[index].tag == tag)) {
        return 0;
    }
    uint8_t *copy = wvl_io_allocate(context, bytes, "tag");
    if (!copy || open_gap(context, list, index) != 0) {
        free(copy);
        return -1;
    }
    memcpy(copy, data, bytes);
    list->tags[index] = (wvl_io_tag){(uint16_t)tag, (uint16_t)type, count, copy, bytes};
    return 0;
}

int wvl_io_add_shorts(wvl_io_context *context, wvl_io_tags *list, unsigned tag, const uint16_t *values, uint32_t count)
{
    uint8_t bytes[64];
    for (uint32_t i = 0; i < count && i < sizeof bytes / 2; i++) {
        put(bytes + 2 * (size_t)i, list->big_endian, 2, values[i]);
    }
    return wvl_io_add_tag(context, list, tag, WVL_TIFF_SHORT, count < 32 ? count : 32, bytes);
}

int wvl_io_add_long(wvl_io_context *context, wvl_io_tags *list, unsigned tag, uint32_t value)
{
    uint8_t bytes[4];
    put(bytes, list->big_endian, 4, value);
    return wvl_io_add_tag(context, list, tag, WVL_TIFF_LONG, 1, bytes);
}

int wvl_io_add_doubles(wvl_io_context *context, wvl_io_tags *list, unsigned tag, const double *values, uint32_t count)
{
    uint8_t *bytes = wvl_io_allocate(context, (uint64_t)count * 8, "tag");
    if (!bytes) {
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof word);
        put(bytes + 8 * (size_t)i, list->big_endian, 8, word);
    }
    int result = wvl_io_add_tag(context, list, tag, WVL_TIFF_DOUBLE, count, bytes);
    free(bytes);
    return result;
}

const wvl_io_tag *wvl_io_find_tag(const wvl_io_tags *list, unsigned tag)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->tags[i].tag == tag) {
            return &list->tags[i];
        }
    }
    return NULL;
}

void wvl_io_release_tags(wvl_io_tags *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->tags[i].data);
    }
    free(list->tags);
    memset(list, 0, sizeof *list);
}

/* ---- A stream -------------------------------------------------------------------------------- */

/* Zeroed room for more bytes at the end; NULL for want of memory. */
static uint8_t *extend(wvl_io_context *context, wvl_io_tiff_stream *s, size_t more)
{
    size_t bytes = s->bytes + more;
    uint8_t *larger = bytes <= MOST_STREAM_BYTES ? realloc(s->data, bytes) : NULL;
    if (!larger) {
        (void)wvl_io_fail_memory(context, "TIFF stream", bytes);
        return NULL;
    }
    s->data = larger;
    s->bytes = bytes;
    return memset(larger + bytes - more, 0, more);
}

int wvl_io_start_stream(wvl_io_context *context, wvl_io_tiff_stream *stream, int big_endian)
{
    *stream = (wvl_io_tiff_stream){NULL, 0, big_endian};
    uint8_t *header = extend(context, stream, HEADER_BYTES);
    if (!header) {
        return -1;
    }
    memcpy(header, big_endian ? "MM" : "II", 2);
    put(header + 2, big_endian, 2, 42);
    return 0;
}

static size_t even(size_t bytes) { return (bytes + 1) & ~(size_t)1; }

/* The directory, then its values of more than four bytes, each at an even place. */
int wvl_io_add_directory(wvl_io_context *context, wvl_io_tiff_stream *stream, const wvl_io_tags *list, int is_first,
                         uint32_t *at)
{
    size_t directory = 2 + ENTRY_BYTES * list->count + 4, values = 0, start = stream->bytes;
    for (size_t i = 0; i < list->count; i++) {
        values += list->tags[i].bytes > 4 ? even(list->tags[i].bytes) : 0;
    }
    uint8_t *p = extend(context, stream, directory + values);
    if (!p) {
        return -1;
    }
    put(p, stream->big_endian, 2, list->count);
    size_t value = directory;
    for (size_t i = 0; i < list->count; i++) {
        const wvl_io_tag *t = &list->tags[i];
        uint8_t *entry = p + 2 + ENTRY_BYTES * i;
        put(entry, stream->big_endian, 2, t->tag);
        put(entry + 2, stream->big_endian, 2, t->type);
        put(entry + 4, stream->big_endian, 4, t->count);
        if (t->bytes <= 4) {
            memcpy(entry + 8, t->data, t->bytes);
        } else {
            put(entry + 8, stream->big_endian, 4, start + value);
            memcpy(p + value, t->data, t->bytes);
            value += even(t->bytes);
        }
    }
    if (is_first) {
        put(stream->data + 4, stream->big_endian, 4, start);
    }
    *at = (uint32_t)start;
    return 0;
}

/* ---- Degenerate GeoTIFF ---------------------------------------------------------------------- */

/* The tags of a grey picture of one sample of 8 bits, which lies at `sample`. */
static int add_sample(wvl_io_context *context, wvl_io_tags *list, uint32_t sample)
{
    static const uint16_t shorts[][2] = {{256, 1}, {257, 1}, {258, 8}, {259, 1}, {262, 1},
                                         {277, 1}, {278, 1}, {279, 1}, {284, 1}};
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
        if (wvl_io_add_shorts(context, list, shorts[i][0], &shorts[i][1], 1) != 0) {
            return -1;
        }
    }
    return wvl_io_add_long(context, list, 273, sample);
}

int wvl_io_take_geo_tags(wvl_io_context *context, wvl_io_tags *list)
{
    wvl_io_tiff_stream stream;
    uint32_t at;
    int result = wvl_io_start_stream(context, &stream, list->big_endian);
    if (result == 0 && !extend(context, &stream, 2)) {
        result = -1;
    }
    TRY(result, add_sample(context, list, HEADER_BYTES));
    TRY(result, wvl_io_add_directory(context, &stream, list, 1, &at));
    TRY(result, wvl_io_take_blob(context, WVL_IO_GEO, stream.data, stream.bytes));
    free(stream.data);
    return result;
}
