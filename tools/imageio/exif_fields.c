/* SPDX-License-Identifier: BSD-2-Clause */
#include "exif_fields.h"

#include <string.h>

#define TYPE_SHORT 3u
#define TYPE_LONG 4u
#define TYPE_RATIONAL 5u
#define ENTRY_BYTES 12u
#define TAG_EXIF_IFD 34665u
#define TAG_NUMBER_OF_IMAGES 45057u

typedef struct stream {
    const uint8_t *bytes;
    size_t byte_count;
    int is_big;
} stream;

static uint32_t number_at(const stream *s, size_t at, unsigned width)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        value = value << 8 | s->bytes[at + (s->is_big ? i : width - 1 - i)];
    }
    return value;
}

/* Place of the entry of a tag in the directory at `offset`; 0: none. Offset 0 is the header, never an entry. */
static size_t find_entry(const stream *s, uint32_t offset, uint32_t tag)
{
    if (offset < 8 || offset > s->byte_count || s->byte_count - offset < 2) {
        return 0;
    }
    size_t count = number_at(s, offset, 2), held = (s->byte_count - offset - 2) / ENTRY_BYTES;
    for (size_t i = 0; i < count && i < held; i++) {
        size_t at = offset + 2 + i * ENTRY_BYTES;
        if (number_at(s, at, 2) == tag) {
            return at;
        }
    }
    return 0;
}

/* A single number of type SHORT or LONG; 0 where there is none. */
static uint32_t whole_number(const stream *s, uint32_t offset, uint32_t tag)
{
    size_t at = find_entry(s, offset, tag);
    uint32_t type = at ? number_at(s, at + 2, 2) : 0;
    if (!at || number_at(s, at + 4, 4) != 1 || (type != TYPE_SHORT && type != TYPE_LONG)) {
        return 0;
    }
    return number_at(s, at + 8, type == TYPE_SHORT ? 2 : 4);
}

static double rational(const stream *s, uint32_t offset, uint32_t tag)
{
    size_t at = find_entry(s, offset, tag);
    if (!at || number_at(s, at + 2, 2) != TYPE_RATIONAL || number_at(s, at + 4, 4) != 1) {
        return 0;
    }
    size_t place = number_at(s, at + 8, 4);
    if (place > s->byte_count || s->byte_count - place < 8 || !number_at(s, place + 4, 4)) {
        return 0;
    }
    return (double)number_at(s, place, 4) / number_at(s, place + 4, 4);
}

static void read_resolution(const stream *s, uint32_t directory, wvl_io_exif_fields *fields)
{
    uint32_t unit = whole_number(s, directory, 296);
    double units_per_metre = unit == 3 ? 100.0 : 1.0 / 0.0254; /* 2, inches, is the default (Exif 4.6.4) */
    if (unit == 0 || unit == 2 || unit == 3) {
        fields->x_pixels_per_metre = rational(s, directory, 282) * units_per_metre;
        fields->y_pixels_per_metre = rational(s, directory, 283) * units_per_metre;
    }
}

/* 0: it is no TIFF stream. */
static int open_stream(const uint8_t *bytes, size_t byte_count, stream *s)
{
    *s = (stream){bytes, byte_count, byte_count != 0 && bytes[0] == 'M'};
    return byte_count >= 8 && memcmp(bytes, s->is_big ? "MM" : "II", 2) == 0 && number_at(s, 2, 2) == 42;
}

uint32_t wvl_io_read_mpf_count(const uint8_t *bytes, size_t byte_count)
{
    stream s;
    return open_stream(bytes, byte_count, &s) ? whole_number(&s, number_at(&s, 4, 4), TAG_NUMBER_OF_IMAGES) : 0;
}

void wvl_io_read_exif(const uint8_t *bytes, size_t byte_count, wvl_io_exif_fields *fields)
{
    stream s;
    memset(fields, 0, sizeof *fields);
    if (!open_stream(bytes, byte_count, &s)) {
        return;
    }
    uint32_t directory = number_at(&s, 4, 4), orientation = whole_number(&s, directory, 274);
    uint32_t positioning = whole_number(&s, directory, 531);
    fields->orientation = (uint16_t)(orientation <= 8 ? orientation : 0);
    fields->positioning = (uint16_t)(positioning <= 2 ? positioning : 0);
    fields->color_space = (uint16_t)whole_number(&s, whole_number(&s, directory, TAG_EXIF_IFD), 40961);
    read_resolution(&s, directory, fields);
}
