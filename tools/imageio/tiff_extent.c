/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a TIFF file its first directory needs: a pipe is not read beyond that. Where the directory does not say
 * (an old kind of JPEG, counts that libtiff would guess), there is no bound but the limit for pipes.
 */
#include "read_tiff.h"

enum {
    SUBFILE_TYPE = 254,
    OLD_SUBFILE_TYPE = 255,
    WIDTH = 256,
    LENGTH = 257,
    BITS = 258,
    COMPRESSION = 259,
    STRIP_OFFSETS = 273,
    SAMPLES = 277,
    STRIP_COUNTS = 279,
    TILE_OFFSETS = 324,
    TILE_COUNTS = 325,
    SUB_DIRECTORIES = 330,
    EXIF = 34665,
    GPS = 34853,
    INTEROPERABILITY = 40965,
    OLD_JPEG_FIRST = 512,
    OLD_JPEG_LAST = 521
};

#define MOST_BLOCKS (UINT64_C(1) << 24) /* so that hostile lists take no time */

/* The file as far as it has been read. */
typedef struct head {
    const uint8_t *bytes;
    uint64_t used;
    int big_endian, is_big; /* BigTIFF: numbers of eight bytes */
} head;

typedef struct entry {
    uint64_t tag, type, count, at; /* at: where its values begin */
    unsigned value_bytes;
} entry;

/* What the directory says of the pixels, and where directories of metadata begin (0: there is none). */
typedef struct layout {
    entry offsets, counts;
    uint64_t exif, gps;
    uint64_t width, length, bits, samples, compression;
} layout;

uint64_t wvl_io_tiff_number(const uint8_t *p, int big_endian, unsigned byte_count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < byte_count; i++) {
        value = value << 8 | p[big_endian ? i : byte_count - 1 - i];
    }
    return value;
}

static uint64_t number_at(const head *h, uint64_t at, unsigned byte_count)
{
    return wvl_io_tiff_number(h->bytes + at, h->big_endian, byte_count);
}

static int is_there(const head *h, uint64_t at, uint64_t byte_count)
{
    return at <= h->used && byte_count <= h->used - at;
}

/* Saturates. */
static uint64_t end_of(uint64_t at, uint64_t byte_count)
{
    return byte_count <= UINT64_MAX - at ? at + byte_count : UINT64_MAX;
}

static void load_entry(const head *h, uint64_t at, entry *e)
{
    unsigned wide = h->is_big ? 8 : 4;

    e->tag = number_at(h, at, 2);
    e->type = number_at(h, at + 2, 2);
    e->count = number_at(h, at + 4, wide);
    e->value_bytes = wvl_io_tiff_type_bytes(e->type);
    e->at = at + 4 + wide;
    if (e->value_bytes != 0 && e->count > wide / e->value_bytes) {
        e->at = number_at(h, e->at, wide);
    }
}

static uint64_t end_of_entry(const entry *e)
{
    if (e->value_bytes != 0 && e->count > UINT64_MAX / e->value_bytes) {
        return UINT64_MAX;
    }
    return end_of(e->at, e->count * e->value_bytes);
}

/* Counts too small for samples that are not compressed make libtiff calculate them, and so does a count of 0. */
static int is_plausible(const layout *l, uint64_t sum)
{
    int is_sane = l->width <= UINT32_MAX && l->bits <= 64 && l->samples <= 65535;
    uint64_t row_bits = is_sane ? l->width * l->bits * l->samples : 0;

    if (l->compression != 1) {
        return 1;
    }
    return row_bits != 0 && l->length <= sum / ((row_bits + 7) / 8);
}

/* Both lists are read. */
static uint64_t end_of_blocks(const head *h, const layout *l)
{
    uint64_t end = 0, sum = 0, n = l->offsets.count;

    if (n == 0 || n > MOST_BLOCKS || n != l->counts.count || l->offsets.value_bytes < 2 || l->counts.value_bytes < 2) {
        return UINT64_MAX;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t count = number_at(h, l->counts.at + i * l->counts.value_bytes, l->counts.value_bytes);
        uint64_t block = number_at(h, l->offsets.at + i * l->offsets.value_bytes, l->offsets.value_bytes);

        if (count == 0 || count > UINT64_MAX >> 24) {
            return UINT64_MAX;
        }
        sum += count;
        end = end_of(block, count) > end ? end_of(block, count) : end;
    }
    return is_plausible(l, sum) ? end : UINT64_MAX;
}

static void take_entry(const head *h, const entry *e, layout *l)
{
    int is_number = e->value_bytes >= 2 && is_there(h, e->at, e->value_bytes);
    uint64_t value = is_number ? number_at(h, e->at, e->value_bytes) : 0;

    switch (e->tag) {
    case STRIP_OFFSETS:
    case TILE_OFFSETS: l->offsets = *e; break;
    case STRIP_COUNTS:
    case TILE_COUNTS: l->counts = *e; break;
    case WIDTH: l->width = value; break;
    case LENGTH: l->length = value; break;
    case BITS: l->bits = value; break;
    case SAMPLES: l->samples = value; break;
    case COMPRESSION: l->compression = value; break;
    case EXIF: l->exif = value; break;
    case GPS: l->gps = value; break;
    default: break;
    }
}

#define MOST_ENTRIES 4096u /* of a directory of metadata */

/* The directory at `at`, its values and the one of Interoperability in it: as far as they are read; 0: damaged. */
static uint64_t end_of_metadata(const head *h, uint64_t at, unsigned depth)
{
    unsigned count_bytes = h->is_big ? 8 : 2, entry_bytes = h->is_big ? 20 : 12;
    if (!at || !is_there(h, at, count_bytes)) {
        return at ? end_of(at, count_bytes) : 0;
    }
    uint64_t entries = number_at(h, at, count_bytes), first = at + count_bytes;
    if (entries > MOST_ENTRIES) {
        return 0;
    }
    uint64_t end = end_of(first, entries * entry_bytes);
    for (uint64_t i = 0; end <= h->used && i < entries; i++) {
        entry e;
        load_entry(h, first + i * entry_bytes, &e);
        uint64_t beyond = end_of_entry(&e);
        if (e.tag == INTEROPERABILITY && !depth && e.value_bytes && is_there(h, e.at, e.value_bytes)) {
            uint64_t inner = end_of_metadata(h, number_at(h, e.at, e.value_bytes), depth + 1);
            beyond = inner > beyond ? inner : beyond;
        }
        end = beyond > end ? beyond : end;
    }
    return end;
}

/* Metadata behind the pixels is read too, unless it would lie so far off that it is damaged. */
static uint64_t end_with_metadata(const head *h, const layout *l, uint64_t end)
{
    uint64_t exif = end_of_metadata(h, l->exif, 0), gps = end_of_metadata(h, l->gps, 0);
    uint64_t most = end_of(end, WVL_IO_MAX_METADATA_BYTES), found = end;
    found = exif > found && exif <= most ? exif : found;
    return gps > found && gps <= most ? gps : found;
}

/* The directory is read. */
static uint64_t end_of_directory(const head *h, uint64_t first, uint64_t entries, unsigned entry_bytes)
{
    layout l = {.bits = 1, .samples = 1, .compression = 1};
    uint64_t end = 0;

    for (uint64_t i = 0; i < entries; i++) {
        entry e;

        load_entry(h, first + i * entry_bytes, &e);
        if (e.tag >= OLD_JPEG_FIRST && e.tag <= OLD_JPEG_LAST) {
            return UINT64_MAX;
        }
        take_entry(h, &e, &l);
        if (end_of_entry(&e) > end) {
            end = end_of_entry(&e);
        }
    }
    if (end > h->used) {
        return end;
    }
    uint64_t blocks = end_of_blocks(h, &l);
    return blocks == UINT64_MAX ? blocks : end_with_metadata(h, &l, blocks > end ? blocks : end);
}

uint64_t wvl_io_tiff_extent(const uint8_t *bytes, uint64_t used)
{
    head h = {bytes, used, used >= 8 && bytes[0] == 'M', 0};

    if (used < 16) {
        return 16;
    }
    h.is_big = number_at(&h, 2, 2) == 43;
    unsigned count_bytes = h.is_big ? 8 : 2;
    unsigned entry_bytes = h.is_big ? 20 : 12;
    unsigned link_bytes = h.is_big ? 8 : 4;
    uint64_t at = h.is_big ? number_at(&h, 8, 8) : number_at(&h, 4, 4);
    if (!is_there(&h, at, count_bytes)) {
        return end_of(at, count_bytes);
    }
    uint64_t entries = number_at(&h, at, count_bytes);
    at += count_bytes;
    if (entries > UINT16_MAX) {
        return UINT64_MAX;
    }
    uint64_t end = end_of(at, entries * entry_bytes + link_bytes);
    if (end > used) {
        return end;
    }
    at = end_of_directory(&h, at, entries, entry_bytes);
    return at > end ? at : end;
}

int wvl_io_tiff_is_alone(const uint8_t *bytes, uint64_t used)
{
    head h = {bytes, used, bytes[0] == 'M', 0};
    h.is_big = number_at(&h, 2, 2) == 43;
    unsigned count_bytes = h.is_big ? 8 : 2, entry_bytes = h.is_big ? 20 : 12, wide = h.is_big ? 8 : 4;
    uint64_t at = number_at(&h, h.is_big ? 8 : 4, wide);
    uint64_t entries = number_at(&h, at, count_bytes);
    at += count_bytes;
    for (uint64_t i = 0; i < entries; i++, at += entry_bytes) {
        entry e;
        load_entry(&h, at, &e);
        int is_kind = e.tag == SUBFILE_TYPE || e.tag == OLD_SUBFILE_TYPE;
        if (e.tag == SUB_DIRECTORIES || (is_kind && is_there(&h, e.at, e.value_bytes) &&
                                         number_at(&h, e.at, e.value_bytes) > (e.tag == OLD_SUBFILE_TYPE))) {
            return 0;
        }
    }
    return number_at(&h, at, wide) == 0;
}
