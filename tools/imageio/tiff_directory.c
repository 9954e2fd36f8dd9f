/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory as it lies in the file. libtiff warns and goes on where a tag lies beyond the end of the file, or where
 * a palette picture has no usable colour map, which it then calls grey. Neither shows in what its functions return, and
 * the words of its warnings are no interface: the entries are looked at here.
 */
#include "read_tiff.h"

#include <string.h>

#define ENTRY_BYTES 12u
#define BIG_ENTRY_BYTES 20u

typedef struct entry {
    uint16_t tag, type;
    uint64_t count, value; /* value: or the offset of the values */
    uint64_t bytes;
} entry;

static uint64_t number(const wvl_io_tiff *t, const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    unsigned i;

    for (i = 0; i < bytes; i++)
        value = value << 8 | at[TIFFIsBigEndian(t->tiff) ? i : bytes - 1 - i];
    return value;
}

static int read_at(wvl_io_tiff *t, uint64_t offset, uint8_t *bytes, size_t count)
{
    wvl_io_source *source = &t->context->source;

    if (offset > source->size || count > source->size - offset || wvl_io_source_seek(source, offset) != 0)
        return -1;
    return wvl_io_source_read_some(source, bytes, count) == count ? 0 : -1;
}

/* A value is where its offset would be if it fits there; a SHORT then takes the first two bytes. */
static int read_entry(wvl_io_tiff *t, uint64_t offset, entry *e)
{
    unsigned big = TIFFIsBigTIFF(t->tiff) != 0, word = big ? 8 : 4, width;
    uint8_t raw[BIG_ENTRY_BYTES];

    if (read_at(t, offset, raw, big ? BIG_ENTRY_BYTES : ENTRY_BYTES) != 0)
        return -1;
    e->tag = (uint16_t)number(t, raw, 2);
    e->type = (uint16_t)number(t, raw + 2, 2);
    e->count = number(t, raw + 4, word);
    width = (unsigned)TIFFDataWidth((TIFFDataType)e->type);
    e->bytes = width != 0 && e->count > UINT64_MAX / width ? UINT64_MAX : e->count * width;
    e->value = number(t, raw + 4 + word, e->bytes <= word && width == 2 && e->count == 1 ? 2 : word);
    return 0;
}

static int check_entry(wvl_io_tiff *t, const entry *e)
{
    uint64_t size = t->context->source.size, word = TIFFIsBigTIFF(t->tiff) ? 8 : 4;

    if (e->bytes > word && (e->value > size || e->bytes > size - e->value))
        return wvl_io_fail(t->context, "tag %u: truncated: %llu bytes at offset %llu, the file has %llu", e->tag,
                           (unsigned long long)e->bytes, (unsigned long long)e->value, (unsigned long long)size);
    if (e->tag == TIFFTAG_PHOTOMETRIC && e->type == TIFF_SHORT && e->count == 1) {
        uint16_t taken = 0;

        if (TIFFGetField(t->tiff, TIFFTAG_PHOTOMETRIC, &taken) != 0 && taken != e->value)
            return wvl_io_fail(t->context,
                               "PhotometricInterpretation %u, but what that needs is missing or damaged (ColorMap, or "
                               "samples of a pixel)",
                               (unsigned)e->value);
    }
    return 0;
}

int wvl_io_tiff_check_directory(wvl_io_tiff *t)
{
    unsigned big = TIFFIsBigTIFF(t->tiff) != 0, head = big ? 8 : 2;
    uint64_t offset = TIFFCurrentDirOffset(t->tiff), count, i;
    uint64_t position = wvl_io_source_position(&t->context->source);
    uint8_t raw[8];
    int result = 0;

    if (read_at(t, offset, raw, head) != 0)
        return wvl_io_fail(t->context, "directory: truncated");
    count = number(t, raw, head);
    for (i = 0; i < count && result == 0; i++) {
        entry e;

        memset(&e, 0, sizeof e);
        result = read_entry(t, offset + head + i * (big ? BIG_ENTRY_BYTES : ENTRY_BYTES), &e) != 0
                     ? wvl_io_fail(t->context, "directory: truncated")
                     : check_entry(t, &e);
    }
    return wvl_io_source_seek(&t->context->source, position) != 0 && result == 0
               ? wvl_io_fail(t->context, "directory: cannot be read")
               : result;
}
