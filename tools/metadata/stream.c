/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <string.h>

#define ENTRY_BYTES 12u
enum { TYPE_BYTE = 1, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_DOUBLE = 12 };

static uint64_t number_at(const wvl_tiff_stream *s, size_t at, unsigned byte_count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < byte_count && at + byte_count <= s->byte_count; i++) {
        value = value << 8 | s->bytes[at + (s->big_endian ? i : byte_count - 1 - i)];
    }
    return value;
}

wvl_tiff_stream wvl_tiff_stream_of(uint8_t *bytes, size_t byte_count)
{
    return (wvl_tiff_stream){bytes, byte_count, byte_count && bytes[0] == 'M'};
}

uint32_t wvl_tiff_first_directory(const wvl_tiff_stream *s) { return (uint32_t)number_at(s, 4, 4); }

size_t wvl_tiff_find_entry(const wvl_tiff_stream *s, uint32_t directory, unsigned tag)
{
    size_t count = (size_t)number_at(s, directory, 2);
    for (size_t i = 0; i < count; i++) {
        size_t entry = directory + 2 + ENTRY_BYTES * i;
        if (entry + ENTRY_BYTES > s->byte_count) {
            return 0;
        }
        if (number_at(s, entry, 2) == tag) {
            return entry;
        }
    }
    return 0;
}

static unsigned type_bytes(uint64_t type)
{
    static const uint8_t bytes[13] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

size_t wvl_tiff_find_values(const wvl_tiff_stream *s, size_t entry, size_t *byte_count)
{
    uint64_t bytes = number_at(s, entry + 4, 4) * type_bytes(number_at(s, entry + 2, 2));
    size_t at = bytes <= 4 ? entry + 8 : (size_t)number_at(s, entry + 8, 4);
    *byte_count = at <= s->byte_count && bytes <= s->byte_count - at ? (size_t)bytes : 0;
    return at;
}

int wvl_tiff_read_value(const wvl_tiff_stream *s, size_t entry, uint32_t index, double *value)
{
    uint64_t type = number_at(s, entry + 2, 2);
    unsigned each = type_bytes(type);
    size_t bytes, at = wvl_tiff_find_values(s, entry, &bytes);
    if (!each || index >= bytes / each) {
        return 0;
    }
    uint64_t word = number_at(s, at + (size_t)index * each, each);
    switch (type) {
    case TYPE_BYTE:
    case TYPE_SHORT:
    case TYPE_LONG: *value = (double)word; return 1;
    case TYPE_DOUBLE: memcpy(value, &word, sizeof *value); return 1;
    default: return 0;
    }
}

void wvl_tiff_set_value(wvl_tiff_stream *s, size_t entry, uint16_t value)
{
    uint64_t type = number_at(s, entry + 2, 2);
    unsigned each = type_bytes(type);
    if ((type != TYPE_SHORT && type != TYPE_LONG) || number_at(s, entry + 4, 4) != 1) {
        return;
    }
    for (unsigned i = 0; i < each; i++) {
        unsigned shift = 8 * (s->big_endian ? each - 1 - i : i);
        s->bytes[entry + 8 + i] = (uint8_t)(shift < 16 ? value >> shift : 0);
    }
}
