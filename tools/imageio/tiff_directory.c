/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory as it lies in the file. libtiff gets a view of it with the entries that say what the samples are; what
 * is left out there cannot make it refuse the picture, and is read in tiff_copy.c. libtiff warns and goes on where a
 * tag lies beyond the end of the file (the file is truncated then), or where a palette picture has no usable colour
 * map, which it then calls grey. Neither shows in what its functions return, and the words of its warnings are no
 * interface: the entries are looked at here (D-imageio-03).
 */
#include "read_tiff.h"

#include <stdlib.h>

#define MOST_ENTRIES 4096u /* the limit of libtiff */

static uint64_t number(const wvl_io_tiff *t, const uint8_t *at, unsigned bytes)
{
    return wvl_io_number(at, t->form.big_endian, bytes);
}

wvl_io_tiff_form wvl_io_tiff_form_of(const uint8_t *head)
{
    int big_endian = head[0] == 'M', is_big = wvl_io_number(head + 2, big_endian, 2) == 43;

    return (wvl_io_tiff_form){.big_endian = big_endian,
                              .is_big = is_big,
                              .count_bytes = is_big ? 8 : 2,
                              .entry_bytes = is_big ? 20 : 12,
                              .wide = is_big ? 8 : 4};
}

int wvl_io_tiff_load_directory(wvl_io_tiff *t, uint64_t at, wvl_io_tiff_directory *d)
{
    uint8_t raw[8];
    memset(d, 0, sizeof *d);
    d->at = at;
    if (wvl_io_source_read_at(&t->context->source, at, raw, t->form.count_bytes) != 0) {
        return wvl_io_fail(t->context, "directory at %llu: truncated", (unsigned long long)at);
    }
    uint64_t count = number(t, raw, t->form.count_bytes);
    if (count > MOST_ENTRIES) {
        return wvl_io_fail(t->context, "directory at %llu: %llu entries, %u is the limit: the file is damaged",
                           (unsigned long long)at, (unsigned long long)count, MOST_ENTRIES);
    }
    d->count = (uint32_t)count;
    size_t bytes = d->count * (size_t)t->form.entry_bytes + t->form.wide;
    d->entries = wvl_io_allocate(t->context, bytes, "directory");
    if (!d->entries) {
        return -1;
    }
    if (wvl_io_source_read_at(&t->context->source, at + t->form.count_bytes, d->entries, bytes) != 0) {
        wvl_io_tiff_release_directory(d);
        return wvl_io_fail(t->context, "directory at %llu: truncated", (unsigned long long)at);
    }
    d->next = number(t, d->entries + bytes - t->form.wide, t->form.wide);
    return 0;
}

void wvl_io_tiff_release_directory(wvl_io_tiff_directory *d)
{
    free(d->entries);
    d->entries = NULL;
}

wvl_io_tiff_entry wvl_io_tiff_parse_entry(const wvl_io_tiff_form *form, const uint8_t *raw, uint64_t at)
{
    wvl_io_tiff_entry e = {.tag = (uint16_t)wvl_io_number(raw, form->big_endian, 2),
                           .type = (uint16_t)wvl_io_number(raw + 2, form->big_endian, 2),
                           .count = wvl_io_number(raw + 4, form->big_endian, form->wide),
                           .at = at + 4 + form->wide};
    unsigned width = wvl_io_tiff_type_bytes(e.type);

    e.bytes = width != 0 && e.count > UINT64_MAX / width ? UINT64_MAX : e.count * width;
    if (e.bytes > form->wide) {
        e.at = wvl_io_number(raw + 4 + form->wide, form->big_endian, form->wide);
    }
    return e;
}

wvl_io_tiff_entry wvl_io_tiff_entry_of(const wvl_io_tiff *t, const wvl_io_tiff_directory *d, uint32_t index)
{
    size_t offset = (size_t)index * t->form.entry_bytes;

    return wvl_io_tiff_parse_entry(&t->form, d->entries + offset, d->at + t->form.count_bytes + offset);
}

int wvl_io_tiff_find_entry(const wvl_io_tiff *t, const wvl_io_tiff_directory *d, unsigned tag, wvl_io_tiff_entry *e)
{
    for (uint32_t i = 0; i < d->count; i++) {
        *e = wvl_io_tiff_entry_of(t, d, i);
        if (e->tag == tag) {
            return 1;
        }
    }
    memset(e, 0, sizeof *e);
    return 0;
}

int wvl_io_tiff_entry_number(wvl_io_tiff *t, const wvl_io_tiff_entry *e, uint64_t index, uint64_t *value)
{
    static const uint8_t whole[] = {0, 1, 0, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 8, 0, 8};
    unsigned bytes = e->type < sizeof whole ? whole[e->type] : 0;
    uint8_t raw[8];
    if (!bytes || index >= e->count || e->at > UINT64_MAX / 2 ||
        wvl_io_source_read_at(&t->context->source, e->at + index * bytes, raw, bytes) != 0) {
        return 0;
    }
    *value = number(t, raw, bytes);
    return 1;
}

uint64_t wvl_io_tiff_number_of(wvl_io_tiff *t, const wvl_io_tiff_directory *d, unsigned tag, uint64_t otherwise)
{
    wvl_io_tiff_entry e;
    uint64_t value;
    return wvl_io_tiff_find_entry(t, d, tag, &e) && wvl_io_tiff_entry_number(t, &e, 0, &value) ? value : otherwise;
}

/* ---- What libtiff gets ----------------------------------------------------------------------- */

/* Tags that describe the samples and their place; those of a coder or a colour only where the picture has that. */
static int is_of_samples(unsigned tag, uint64_t photometric)
{
    static const uint16_t tags[] = {
        TIFFTAG_IMAGEWIDTH,    TIFFTAG_IMAGELENGTH,     TIFFTAG_BITSPERSAMPLE,  TIFFTAG_COMPRESSION,
        TIFFTAG_PHOTOMETRIC,   TIFFTAG_FILLORDER,       TIFFTAG_STRIPOFFSETS,   TIFFTAG_SAMPLESPERPIXEL,
        TIFFTAG_ROWSPERSTRIP,  TIFFTAG_STRIPBYTECOUNTS, TIFFTAG_PLANARCONFIG,   TIFFTAG_GROUP3OPTIONS,
        TIFFTAG_GROUP4OPTIONS, TIFFTAG_PREDICTOR,       TIFFTAG_TILEWIDTH,      TIFFTAG_TILELENGTH,
        TIFFTAG_TILEOFFSETS,   TIFFTAG_TILEBYTECOUNTS,  TIFFTAG_INKSET,         TIFFTAG_EXTRASAMPLES,
        TIFFTAG_SAMPLEFORMAT,  TIFFTAG_JPEGTABLES,      TIFFTAG_MATTEING,       TIFFTAG_DATATYPE,
        TIFFTAG_IMAGEDEPTH,    TIFFTAG_TILEDEPTH,       TIFFTAG_LERC_PARAMETERS};
    return wvl_io_is_among(tag, tags, sizeof tags / sizeof tags[0]) ||
           (tag == TIFFTAG_COLORMAP && photometric == PHOTOMETRIC_PALETTE) ||
           (tag >= TIFFTAG_YCBCRCOEFFICIENTS && tag <= TIFFTAG_REFERENCEBLACKWHITE && photometric == PHOTOMETRIC_YCBCR);
}

/* Numbers with a fraction, in full. */
static int are_reals(const wvl_io_tiff_entry *e, uint64_t count)
{
    return e->count == count && (e->type == TIFF_RATIONAL || e->type == TIFF_SRATIONAL || e->type == TIFF_FLOAT ||
                                 e->type == TIFF_DOUBLE || e->type == TIFF_SHORT || e->type == TIFF_LONG);
}

/* 0: the value is bad, and the picture can be read without it; *assumed: the text for the note about it. is_there: its
 * bytes lie where values can be. */
static int is_usable(wvl_io_tiff *t, const wvl_io_tiff_directory *d, const wvl_io_tiff_entry *e, int is_there,
                     const char **assumed)
{
    uint64_t value = 0, strips;
    int is_whole = e->type != TIFF_IFD && e->type != TIFF_IFD8; /* those are no numbers for libtiff */
    int is_number = is_there && is_whole && e->count == 1 && wvl_io_tiff_entry_number(t, e, 0, &value);
    wvl_io_tiff_entry offsets;
    switch (e->tag) {
    case TIFFTAG_FILLORDER:
        *assumed = "FillOrder is read as 1";
        return is_number && (value == FILLORDER_MSB2LSB || value == FILLORDER_LSB2MSB);
    case TIFFTAG_PLANARCONFIG:
        *assumed = "PlanarConfiguration is read as 1";
        return (is_number && (value == 1 || value == 2)) ||
               wvl_io_tiff_number_of(t, d, TIFFTAG_SAMPLESPERPIXEL, 1) != 1;
    case TIFFTAG_ROWSPERSTRIP:
        strips = wvl_io_tiff_find_entry(t, d, TIFFTAG_STRIPOFFSETS, &offsets) ? offsets.count : 0;
        *assumed = "RowsPerStrip is read as ImageLength";
        return (is_number && value != 0) || strips != 1;
    case TIFFTAG_TILEDEPTH: *assumed = "TileDepth is read as 1"; return is_number && value != 0;
    case TIFFTAG_YCBCRPOSITIONING:
        *assumed = "YCbCrPositioning is read as 1";
        return is_number && (value == 1 || value == 2);
    case TIFFTAG_YCBCRCOEFFICIENTS:
        *assumed = "YCbCrCoefficients are those of BT.601";
        return is_there && are_reals(e, 3);
    case TIFFTAG_REFERENCEBLACKWHITE:
        *assumed = "ReferenceBlackWhite is the full range";
        return is_there && are_reals(e, 6);
    case TIFFTAG_INKSET: *assumed = "InkSet is read as 1"; return is_number;
    default: return 1;
    }
}

static int fail_truncated(wvl_io_tiff *t, const wvl_io_tiff_entry *e)
{
    return wvl_io_fail(t->context, "tag %u: truncated: %llu bytes at offset %llu, the file has %llu", e->tag,
                       (unsigned long long)e->bytes, (unsigned long long)e->at,
                       (unsigned long long)t->context->source.size);
}

/* Values that are not in the entry itself lie behind the header, within the file, and not in the directory. */
static int check_place(wvl_io_tiff *t, const wvl_io_tiff_directory *d, const wvl_io_tiff_entry *e)
{
    uint64_t size = t->context->source.size, begin = t->form.is_big ? 16 : 8;
    uint64_t end = d->at + t->form.count_bytes + d->count * t->form.entry_bytes;
    if (e->at > size || e->bytes > size - e->at) {
        return fail_truncated(t, e);
    }
    if (e->at < begin || (e->at < end && e->at + e->bytes > d->at)) {
        return wvl_io_fail(t->context, "tag %u: offset %llu: lies inside the header or the directory", e->tag,
                           (unsigned long long)e->at);
    }
    return 0;
}

/* The file ends within these values, or where they begin (at an even place): it is truncated. Where they begin further
 * off, are longer than any that is carried, or are several in place of one, they are damaged. */
static int is_cut_off(const wvl_io_tiff *t, const wvl_io_tiff_entry *e)
{
    static const uint16_t single[] = {TIFFTAG_SUBFILETYPE,    TIFFTAG_ORIENTATION, TIFFTAG_XRESOLUTION,
                                      TIFFTAG_YRESOLUTION,    TIFFTAG_EXIFIFD,     TIFFTAG_GPSIFD,
                                      TIFFTAG_RESOLUTIONUNIT, TIFFTAG_OSUBFILETYPE};
    uint64_t size = t->context->source.size, most = WVL_IO_MAX_METADATA_BYTES;
    if (e->count != 1 && wvl_io_is_among(e->tag, single, sizeof single / sizeof single[0])) {
        return 0;
    }
    return e->bytes > t->form.wide && e->bytes <= most && e->at >= (t->form.is_big ? 16 : 8) && e->at <= size + 1 &&
           e->at + e->bytes > size;
}

/* 1: libtiff gets it, 0: it does not, -1: the file is truncated, or its own bytes would be values. What says nothing of
 * the samples is judged where it is read. */
static int choose_entry(wvl_io_tiff *t, const wvl_io_tiff_directory *d, const wvl_io_tiff_entry *e,
                        uint64_t photometric)
{
    const char *assumed = NULL;
    if (!is_of_samples(e->tag, photometric)) {
        return is_cut_off(t, e) ? fail_truncated(t, e) : 0;
    }
    int is_there = e->bytes <= t->form.wide || check_place(t, d, e) == 0;
    if (!is_usable(t, d, e, is_there, &assumed)) {
        wvl_io_note(t->context, "%s: it has a bad value", assumed);
        return 0;
    }
    return is_there ? 1 : -1;
}

static void take_span(wvl_io_tiff *t, uint64_t at, uint64_t bytes)
{
    if (t->taken_count < WVL_IO_TIFF_SPANS) {
        t->taken[t->taken_count++] = (wvl_io_tiff_span){at, at + bytes};
    }
}

/* The entries that are chosen, one behind the other, then the place of the next directory: no more bytes than before.
 */
static int make_view(wvl_io_tiff *t, const wvl_io_tiff_directory *d)
{
    size_t entry = t->form.entry_bytes, head = t->form.count_bytes;
    uint64_t photometric = wvl_io_tiff_number_of(t, d, TIFFTAG_PHOTOMETRIC, UINT64_MAX);
    uint32_t kept = 0;
    t->view_at = d->at;
    t->view_bytes = head + d->count * entry + t->form.wide;
    t->view = wvl_io_allocate(t->context, t->view_bytes, "directory");
    if (!t->view) {
        return -1;
    }
    memset(t->view, 0, t->view_bytes);
    for (uint32_t i = 0; i < d->count; i++) {
        wvl_io_tiff_entry e = wvl_io_tiff_entry_of(t, d, i);
        int choice = choose_entry(t, d, &e, photometric);
        if (choice < 0) {
            return -1;
        }
        if (choice) {
            memcpy(t->view + head + kept++ * entry, d->entries + i * entry, entry);
        }
        if (choice && e.bytes > t->form.wide && e.tag != TIFFTAG_JPEGTABLES) { /* a stream may hold its own tables */
            take_span(t, e.at, e.bytes);
        }
    }
    memcpy(t->view + head + kept * entry, d->entries + d->count * entry, t->form.wide);
    for (unsigned i = 0; i < head; i++) {
        t->view[t->form.big_endian ? head - 1 - i : i] = i < 4 ? (uint8_t)(kept >> (8 * i)) : 0;
    }
    return 0;
}

void wvl_io_tiff_apply_view(const wvl_io_tiff *t, uint64_t at, uint8_t *bytes, size_t count)
{
    uint64_t end = at + count, beyond = t->view_at + t->view_bytes;
    if (t->view && at < beyond && end > t->view_at) {
        uint64_t from = at > t->view_at ? at : t->view_at, to = end < beyond ? end : beyond;
        memcpy(bytes + (from - at), t->view + (from - t->view_at), (size_t)(to - from));
    }
}

static int check_photometric(wvl_io_tiff *t, const wvl_io_tiff_directory *d)
{
    wvl_io_tiff_entry e;
    uint64_t stored;
    uint16_t taken = 0;
    if (wvl_io_tiff_find_entry(t, d, TIFFTAG_PHOTOMETRIC, &e) && e.type == TIFF_SHORT && e.count == 1 &&
        wvl_io_tiff_entry_number(t, &e, 0, &stored) && TIFFGetField(t->tiff, TIFFTAG_PHOTOMETRIC, &taken) != 0 &&
        taken != stored) {
        return wvl_io_fail(t->context,
                           "PhotometricInterpretation %u, but the fields that it needs are missing or damaged "
                           "(ColorMap, or samples of a pixel)",
                           (unsigned)stored);
    }
    return 0;
}

int wvl_io_tiff_open_directory(wvl_io_tiff *t, uint64_t at)
{
    wvl_io_tiff_directory d;
    if (wvl_io_tiff_load_directory(t, at, &d) != 0) {
        return -1;
    }
    t->taken_count = 0;
    take_span(t, 0, t->form.is_big ? 16 : 8);
    take_span(t, at, t->form.count_bytes + (uint64_t)d.count * t->form.entry_bytes + t->form.wide);
    int result = make_view(t, &d);
    if (result == 0 && (TIFFSetSubDirectory(t->tiff, at) == 0 || t->error_seen)) {
        result = wvl_io_tiff_fail(t, "directory");
    }
    free(t->view); /* where samples overlap the directory, they are what the file has */
    t->view = NULL;
    TRY(result, check_photometric(t, &d));
    wvl_io_tiff_release_directory(&d);
    return result;
}
