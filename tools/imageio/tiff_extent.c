/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a TIFF file its first directory needs: a pipe is not read beyond that. Where the directory does not say
 * (an old kind of JPEG, counts that libtiff would guess), there is no bound but the limit for pipes.
 */
#include "read_tiff.h"
#include "tiff_tags.h"

#define MOST_BLOCKS (UINT64_C(1) << 24) /* so that hostile lists take no time */
#define MOST_ENTRIES 4096u              /* of a directory of metadata */

/* The file as far as it has been read. */
typedef struct head {
    const uint8_t *bytes;
    uint64_t used;
    wvl_io_tiff_form form;
} head;

/* The description of the pixels in the directory, and the places of directories of metadata (0: there is none). */
typedef struct layout {
    wvl_io_tiff_entry offsets, counts;
    uint64_t exif, gps;
    uint64_t width, length, bits, samples, compression;
} layout;

static uint64_t number_at(const head *h, uint64_t at, unsigned byte_count)
{
    return wvl_io_number(h->bytes + at, h->form.big_endian, byte_count);
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

static wvl_io_tiff_entry entry_at(const head *h, uint64_t at)
{
    return wvl_io_tiff_parse_entry(&h->form, h->bytes + at, at);
}

/* The first value of an entry as a whole number; 0: it is none, or not read yet. */
static uint64_t value_of(const head *h, const wvl_io_tiff_entry *e)
{
    unsigned width = wvl_io_tiff_type_bytes(e->type);
    return width >= 2 && is_there(h, e->at, width) ? number_at(h, e->at, width) : 0;
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
    unsigned offset_bytes = wvl_io_tiff_type_bytes(l->offsets.type),
             count_bytes = wvl_io_tiff_type_bytes(l->counts.type);

    if (n == 0 || n > MOST_BLOCKS || n != l->counts.count || offset_bytes < 2 || count_bytes < 2) {
        return UINT64_MAX;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t count = number_at(h, l->counts.at + i * count_bytes, count_bytes);
        uint64_t beyond = end_of(number_at(h, l->offsets.at + i * offset_bytes, offset_bytes), count);
        if (count == 0 || count > UINT64_MAX >> 24) {
            return UINT64_MAX;
        }
        sum += count;
        end = beyond > end ? beyond : end;
    }
    return is_plausible(l, sum) ? end : UINT64_MAX;
}

/* The directory at `at`, its values and the one of Interoperability in it: as far as they are read; 0: damaged. */
static uint64_t end_of_metadata(const head *h, uint64_t at, unsigned depth)
{
    if (!at || !is_there(h, at, h->form.count_bytes)) {
        return at ? end_of(at, h->form.count_bytes) : 0;
    }
    uint64_t entries = number_at(h, at, h->form.count_bytes), first = at + h->form.count_bytes;
    if (entries > MOST_ENTRIES) {
        return 0;
    }
    uint64_t end = end_of(first, entries * h->form.entry_bytes);
    for (uint64_t i = 0; end <= h->used && i < entries; i++) {
        wvl_io_tiff_entry e = entry_at(h, first + i * h->form.entry_bytes);
        unsigned width = wvl_io_tiff_type_bytes(e.type);
        uint64_t beyond = end_of(e.at, e.bytes);
        if (e.tag == WVL_TAG_INTEROP && !depth && width && is_there(h, e.at, width)) {
            uint64_t inner = end_of_metadata(h, number_at(h, e.at, width), depth + 1);
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
static uint64_t end_of_directory(const head *h, uint64_t first, uint64_t entries)
{
    layout l = {.bits = 1, .samples = 1, .compression = 1};
    uint64_t end = 0;

    for (uint64_t i = 0; i < entries; i++) {
        wvl_io_tiff_entry e = entry_at(h, first + i * h->form.entry_bytes);
        uint64_t beyond = end_of(e.at, e.bytes);
        if (e.tag >= TIFFTAG_JPEGPROC && e.tag <= TIFFTAG_JPEGACTABLES) {
            return UINT64_MAX;
        }
        uint64_t value = value_of(h, &e);

        switch (e.tag) {
        case TIFFTAG_STRIPOFFSETS:
        case TIFFTAG_TILEOFFSETS: l.offsets = e; break;
        case TIFFTAG_STRIPBYTECOUNTS:
        case TIFFTAG_TILEBYTECOUNTS: l.counts = e; break;
        case TIFFTAG_IMAGEWIDTH: l.width = value; break;
        case TIFFTAG_IMAGELENGTH: l.length = value; break;
        case TIFFTAG_BITSPERSAMPLE: l.bits = value; break;
        case TIFFTAG_SAMPLESPERPIXEL: l.samples = value; break;
        case TIFFTAG_COMPRESSION: l.compression = value; break;
        case WVL_TAG_EXIF: l.exif = value; break;
        case WVL_TAG_GPS: l.gps = value; break;
        default: break;
        }
        end = beyond > end ? beyond : end;
    }
    if (end > h->used) {
        return end;
    }
    uint64_t blocks = end_of_blocks(h, &l);
    return blocks == UINT64_MAX ? blocks : end_with_metadata(h, &l, blocks > end ? blocks : end);
}

uint64_t wvl_io_tiff_extent(const uint8_t *bytes, uint64_t used)
{
    if (used < 16) {
        return 16;
    }
    head h = {bytes, used, wvl_io_tiff_form_of(bytes)};
    uint64_t at = number_at(&h, h.form.wide, h.form.wide);
    if (!is_there(&h, at, h.form.count_bytes)) {
        return end_of(at, h.form.count_bytes);
    }
    uint64_t entries = number_at(&h, at, h.form.count_bytes), first = at + h.form.count_bytes;
    if (entries > UINT16_MAX) {
        return UINT64_MAX;
    }
    uint64_t end = end_of(first, entries * h.form.entry_bytes + h.form.wide);
    if (end > used) {
        return end;
    }
    uint64_t beyond = end_of_directory(&h, first, entries);
    return beyond > end ? beyond : end;
}

int wvl_io_tiff_is_alone(const uint8_t *bytes, uint64_t used)
{
    head h = {bytes, used, wvl_io_tiff_form_of(bytes)};
    uint64_t at = number_at(&h, h.form.wide, h.form.wide);
    uint64_t entries = number_at(&h, at, h.form.count_bytes);

    at += h.form.count_bytes;
    for (uint64_t i = 0; i < entries; i++, at += h.form.entry_bytes) {
        wvl_io_tiff_entry e = entry_at(&h, at);
        unsigned width = wvl_io_tiff_type_bytes(e.type);
        int is_kind = e.tag == TIFFTAG_SUBFILETYPE || e.tag == TIFFTAG_OSUBFILETYPE;
        if (e.tag == TIFFTAG_SUBIFD ||
            (is_kind && is_there(&h, e.at, width) && number_at(&h, e.at, width) > (e.tag == TIFFTAG_OSUBFILETYPE))) {
            return 0;
        }
    }
    return number_at(&h, at, h.form.wide) == 0;
}
