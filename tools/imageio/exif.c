/* SPDX-License-Identifier: BSD-2-Clause */
/* EXIF data as a TIFF stream (Exif 2.32, 4.5): whether its directories hold together, and how it says that its picture
 * is to be read. */
#include "tiff_tags.h"

#define TAG_ORIENTATION 274u
#define TAG_NUMBER_OF_IMAGES 45057u
#define TYPE_RATIONAL 5u
#define MOST_DIRECTORIES 8u /* one of each kind and a thumbnail; more are a loop or an attack */

typedef wvl_io_tiff_block block;

static int is_within(const block *b, uint64_t at, uint64_t byte_count)
{
    return at <= b->byte_count && byte_count <= b->byte_count - at;
}

static int is_directory(uint64_t tag) { return tag == WVL_TAG_EXIF || tag == WVL_TAG_GPS || tag == WVL_TAG_INTEROP; }

/* Sub-directories of a directory go no deeper than EXIF and Interoperability. *directories: how many were seen. */
static int is_directory_sound(const block *b, uint64_t at, unsigned depth, unsigned *directories)
{
    if (++*directories > MOST_DIRECTORIES || depth > 2 || !is_within(b, at, 2)) {
        return 0;
    }
    uint64_t count = wvl_io_number_at(b, (size_t)at, 2);
    if (!is_within(b, at + 2, count * 12)) {
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        size_t entry = (size_t)(at + 2 + 12 * i);
        uint64_t all = wvl_io_number_at(b, entry + 4, 4) * wvl_io_tiff_type_bytes(wvl_io_number_at(b, entry + 2, 2));
        if (!(all <= 4 || is_within(b, wvl_io_number_at(b, entry + 8, 4), all)) ||
            (is_directory(wvl_io_number_at(b, entry, 2)) &&
             !is_directory_sound(b, wvl_io_number_at(b, entry + 8, 4), depth + 1, directories))) {
            return 0;
        }
    }
    return 1;
}

static int is_stream(const block *b)
{
    return b->byte_count >= 8 && memcmp(b->bytes, b->big_endian ? "MM" : "II", 2) == 0 &&
           wvl_io_number_at(b, 2, 2) == 42;
}

int wvl_io_is_exif_sound(const uint8_t *bytes, size_t byte_count)
{
    block b = wvl_io_tiff_block_of(bytes, byte_count);
    unsigned directories = 0;

    return byte_count >= 14 && byte_count <= UINT32_MAX && is_stream(&b) &&
           is_directory_sound(&b, wvl_io_first_directory(&b), 0, &directories);
}

/* A single number of type SHORT or LONG; 0 where there is none. */
static uint32_t whole_number(const block *b, uint32_t directory, unsigned tag)
{
    size_t at = wvl_io_find_entry(b, directory, tag);
    uint64_t type = at ? wvl_io_number_at(b, at + 2, 2) : 0;

    if ((type != WVL_TIFF_SHORT && type != WVL_TIFF_LONG) || wvl_io_number_at(b, at + 4, 4) != 1) {
        return 0;
    }
    return (uint32_t)wvl_io_number_at(b, at + 8, wvl_io_tiff_type_bytes(type));
}

static double rational(const block *b, uint32_t directory, unsigned tag)
{
    size_t bytes = 0, entry = wvl_io_find_entry(b, directory, tag);
    size_t at = entry ? wvl_io_find_values(b, entry, &bytes) : 0;

    if (bytes != 8 || wvl_io_number_at(b, entry + 2, 2) != TYPE_RATIONAL || !wvl_io_number_at(b, at + 4, 4)) {
        return 0;
    }
    return (double)wvl_io_number_at(b, at, 4) / (double)wvl_io_number_at(b, at + 4, 4);
}

uint32_t wvl_io_read_mpf_count(const uint8_t *bytes, size_t byte_count)
{
    block b = wvl_io_tiff_block_of(bytes, byte_count);

    return is_stream(&b) ? whole_number(&b, wvl_io_first_directory(&b), TAG_NUMBER_OF_IMAGES) : 0;
}

wvl_io_exif_fields wvl_io_read_exif(const uint8_t *bytes, size_t byte_count)
{
    block b = wvl_io_tiff_block_of(bytes, byte_count);
    wvl_io_exif_fields fields = {0};

    if (is_stream(&b)) {
        uint32_t directory = wvl_io_first_directory(&b), orientation = whole_number(&b, directory, TAG_ORIENTATION);
        uint32_t positioning = whole_number(&b, directory, 531);
        fields.orientation = (uint16_t)(orientation <= 8 ? orientation : 0);
        fields.positioning = (uint16_t)(positioning <= 2 ? positioning : 0);
        fields.color_space = (uint16_t)whole_number(&b, whole_number(&b, directory, WVL_TAG_EXIF), 40961);
        uint32_t unit = whole_number(&b, directory, 296);
        double units_per_metre = unit == 3 ? 100.0 : 1.0 / 0.0254; /* 2, inches, is the default (Exif 4.6.4) */

        if (unit == 0 || unit == 2 || unit == 3) {
            fields.x_pixels_per_metre = rational(&b, directory, 282) * units_per_metre;
            fields.y_pixels_per_metre = rational(&b, directory, 283) * units_per_metre;
        }
    }
    return fields;
}
