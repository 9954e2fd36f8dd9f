/* SPDX-License-Identifier: BSD-2-Clause */
/* EXIF data as a TIFF stream (Exif 2.32, 4.5): whether its directories hold together. */
#include "internal.h"
#include "metadata.h"

#define TAG_ORIENTATION 274u
#define TYPE_SHORT 3u
#define TAG_EXIF 34665u
#define TAG_GPS 34853u
#define TAG_INTEROP 40965u
#define MOST_DIRECTORIES 8u /* one of each kind and a thumbnail; more are a loop or an attack */

typedef struct stream {
    const uint8_t *bytes;
    size_t byte_count;
    int big_endian;
    unsigned directories;
} stream;

static uint32_t at16(const stream *s, size_t at)
{
    return s->big_endian ? wvl_io_be16(s->bytes + at) : wvl_io_le16(s->bytes + at);
}

static uint32_t at32(const stream *s, size_t at)
{
    return s->big_endian ? wvl_io_be32(s->bytes + at) : wvl_io_le32(s->bytes + at);
}

static int is_within(const stream *s, uint64_t at, uint64_t byte_count)
{
    return at <= s->byte_count && byte_count <= s->byte_count - at;
}

static int is_directory(uint32_t tag) { return tag == TAG_EXIF || tag == TAG_GPS || tag == TAG_INTEROP; }

static int is_entry_sound(const stream *s, size_t at)
{
    unsigned value_bytes = wvl_io_tiff_type_bytes(at16(s, at + 2));
    uint64_t count = at32(s, at + 4), all = count * value_bytes;
    return all <= 4 || is_within(s, at32(s, at + 8), all);
}

/* Sub-directories of a directory go no deeper than EXIF and Interoperability. */
static int is_directory_sound(stream *s, uint64_t at, unsigned depth)
{
    if (++s->directories > MOST_DIRECTORIES || depth > 2 || !is_within(s, at, 2)) {
        return 0;
    }
    uint32_t count = at16(s, (size_t)at);
    if (!is_within(s, at + 2, (uint64_t)count * 12)) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t entry = (size_t)at + 2 + 12 * (size_t)i;
        if (!is_entry_sound(s, entry) ||
            (is_directory(at16(s, entry)) && !is_directory_sound(s, at32(s, entry + 8), depth + 1))) {
            return 0;
        }
    }
    return 1;
}

int wvl_io_is_exif_sound(const uint8_t *bytes, size_t byte_count)
{
    stream s = {bytes, byte_count, byte_count && bytes[0] == 'M', 0};
    if (byte_count < 14 || byte_count > UINT32_MAX || bytes[0] != bytes[1] || (bytes[0] != 'I' && bytes[0] != 'M') ||
        at16(&s, 2) != 42) {
        return 0;
    }
    return is_directory_sound(&s, at32(&s, 4), 0);
}

uint8_t wvl_io_exif_orientation(const uint8_t *bytes, size_t byte_count)
{
    stream s = {bytes, byte_count, bytes[0] == 'M', 0};
    size_t at = at32(&s, 4), count = at16(&s, at);
    for (size_t i = 0; i < count; i++) {
        size_t entry = at + 2 + 12 * i;
        uint32_t value = at16(&s, entry + 8);
        if (at16(&s, entry) == TAG_ORIENTATION && at16(&s, entry + 2) == TYPE_SHORT && value >= 1 && value <= 8) {
            return (uint8_t)value;
        }
    }
    return 0;
}
