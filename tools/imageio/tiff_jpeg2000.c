/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG 2000 in TIFF, which libtiff does not know: each TIFF strip or tile is a codestream or a JP2 file. OpenJPEG
 * decodes one after the other behind the guard, in a child process that serves them all. Size, depth, sign and
 * components of a codestream must be those of the directory.
 */
#include "read_jp2.h"
#include "read_tiff.h"

#include <stdio.h>
#include <stdlib.h>

/* A TIFF strip or tile. */
typedef struct chunk {
    wvl_io_jp2 jp2;
    uint8_t *bytes;         /* owned */
    uint32_t width, height; /* of the codestream */
    wvl_io_picture decoded; /* owned: its components as they are stored, then perhaps RGB */
    const char *format;     /* of the context */
    char name[64];          /* the format of messages meanwhile */
} chunk;

static uint32_t parts_of(uint32_t pixels, uint32_t step) { return (uint32_t)(((uint64_t)pixels + step - 1) / step); }

static uint32_t samples_of_pixel(const wvl_io_tiff *t) { return t->planar == PLANARCONFIG_SEPARATE ? 1 : t->samples; }

/* ---- Codestreams ----------------------------------------------------------------------------- */

static const uint8_t *siz_of(const chunk *k) { return k->jp2.codestream + 4; }

/* Depth and sign, XRsiz, YRsiz. */
static const uint8_t *siz_of_component(const chunk *k, uint32_t c) { return siz_of(k) + 38 + 3 * c; }

static void release(wvl_io_tiff *t, chunk *k)
{
    free(k->bytes);
    wvl_io_release_picture(&k->decoded);
    t->context->format = k->format;
}

/* Release the chunk, whatever the result is. */
static int load(wvl_io_tiff *t, uint32_t number, chunk *k)
{
    wvl_io_source *source = &t->context->source;
    uint64_t bytes = TIFFGetStrileByteCount(t->tiff, number);
    uint32_t count = t->is_tiled ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff);

    memset(k, 0, sizeof *k);
    k->jp2.context = t->context;
    k->format = t->context->format;
    snprintf(k->name, sizeof k->name, "%s: %s %u of %u", k->format, t->is_tiled ? "tile" : "strip", number, count);
    t->context->format = k->name;
    if (bytes > source->size) {
        return wvl_io_fail(t->context, "truncated: %llu bytes, the file has %llu", (unsigned long long)bytes,
                           (unsigned long long)source->size);
    }
    k->bytes = wvl_io_allocate(t->context, bytes, "codestream");
    if (!k->bytes) {
        return -1;
    }
    if (wvl_io_source_read_at(source, TIFFGetStrileOffset(t->tiff, number), k->bytes, (size_t)bytes) != 0) {
        return wvl_io_fail(t->context, "truncated");
    }
    int result = wvl_io_jp2_find_codestream(&k->jp2, k->bytes, bytes);
    TRY(result, wvl_io_jp2_check(&k->jp2));
    return result;
}

int wvl_io_tiff_open_jpeg2000(wvl_io_tiff *t)
{
    uint32_t count = t->is_tiled ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff), first = 0;
    chunk k;

    t->is_jpeg2000 = 1;
    t->step_x = t->step_y = 1;
    if (!t->is_tiled) {
        t->tile_width = t->width;
        t->tile_height = t->rows_per_strip != 0 && t->rows_per_strip < t->height ? t->rows_per_strip : t->height;
    }
    while (first < count && wvl_io_tiff_is_missing(t, first)) {
        first++;
    }
    if (t->photometric != PHOTOMETRIC_YCBCR || first == count) {
        return 0;
    }
    int result = load(t, first, &k);
    if (result == 0 && wvl_io_be16(siz_of(&k) + 36) == 3) {
        t->step_x = siz_of_component(&k, 1)[1];
        t->step_y = siz_of_component(&k, 1)[2];
    }
    release(t, &k);
    return result;
}

/* ---- What the directory says ----------------------------------------------------------------- */

/* On the edge of the picture a tile may end with it, and so may the last TIFF strip. */
static int check_size(const wvl_io_tiff *t, uint32_t number, chunk *k)
{
    uint32_t across = parts_of(t->width, t->tile_width), down = parts_of(t->height, t->tile_height);
    uint32_t place = (uint32_t)(number % ((uint64_t)across * down));
    uint32_t left_x = t->width - place % across * t->tile_width, left_y = t->height - place / across * t->tile_height;
    uint32_t components = wvl_io_be16(siz_of(k) + 36);

    k->width = wvl_io_be32(siz_of(k) + 4) - wvl_io_be32(siz_of(k) + 12);
    k->height = wvl_io_be32(siz_of(k) + 8) - wvl_io_be32(siz_of(k) + 16);
    if ((k->width == t->tile_width || (k->width == left_x && left_x < t->tile_width)) &&
        (k->height == t->tile_height || (k->height == left_y && left_y < t->tile_height)) &&
        components == samples_of_pixel(t)) {
        return 0;
    }
    return wvl_io_fail(t->context, "codestream of %u x %u, components %u: the directory says %u x %u, %u", k->width,
                       k->height, components, t->tile_width, t->tile_height, samples_of_pixel(t));
}

static int check_component(const wvl_io_tiff *t, const chunk *k, uint32_t c)
{
    const uint8_t *siz = siz_of_component(k, c);
    unsigned depth = (siz[0] & 127u) + 1, is_signed = siz[0] >> 7, expected = t->sample_format == SAMPLEFORMAT_INT;
    int is_chroma = t->is_subsampled && c != 0;
    unsigned step_x = is_chroma ? t->step_x : 1, step_y = is_chroma ? t->step_y : 1;

    if (depth != t->depth || is_signed != expected) {
        return wvl_io_fail(t->context, "component %u: %u bits, %s: the directory says %u, %s", c, depth,
                           is_signed ? "signed" : "unsigned", t->depth, expected ? "signed" : "unsigned");
    }
    if (!t->makes_rgb && (siz[1] != step_x || siz[2] != step_y)) {
        return wvl_io_fail(t->context, "component %u: steps of %u x %u: must be %u x %u", c, siz[1], siz[2], step_x,
                           step_y);
    }
    return 0;
}

static int check(const wvl_io_tiff *t, uint32_t number, chunk *k)
{
    int result = check_size(t, number, k);

    for (uint32_t c = 0; result == 0 && c < samples_of_pixel(t); c++) {
        result = check_component(t, k, c);
    }
    return result;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static int take_component(chunk *k, const wvl_opj_picture *from, uint32_t c)
{
    const wvl_opj_component *f = &from->components[c];
    const uint8_t *siz = siz_of_component(k, c);
    wvl_io_component *to = &k->decoded.components[c];
    unsigned depth = (siz[0] & 127u) + 1, bytes = wvl_io_container_bytes(depth);

    *to = (wvl_io_component){.width = parts_of(k->width, siz[1]),
                             .height = parts_of(k->height, siz[2]),
                             .dx = siz[1],
                             .dy = siz[2],
                             .depth = (uint8_t)depth,
                             .is_signed = siz[0] >> 7,
                             .sample_bytes = (uint8_t)bytes,
                             .sample_stride_bytes = bytes,
                             .stride_bytes = (size_t)parts_of(k->width, siz[1]) * bytes};
    if (!f->has_data || f->width != to->width || f->height != to->height || f->sample_bytes != bytes) {
        return wvl_io_fail(k->jp2.context, "component %u: OpenJPEG decoded %u x %u samples of %u bits", c, f->width,
                           f->height, f->precision);
    }
    to->data = to->owned = wvl_io_allocate(k->jp2.context, (uint64_t)to->stride_bytes * to->height, "samples");
    if (!to->owned) {
        return -1;
    }
    return wvl_opj_read_rows(from, c, 0, to->height, to->data) == 0
               ? 0
               : wvl_io_fail(k->jp2.context, "component %u: what OpenJPEG decoded cannot be read back", c);
}

static int take_components(const wvl_io_tiff *t, chunk *k, const wvl_opj_picture *from)
{
    uint32_t count = samples_of_pixel(t);

    if (from->component_count != count) {
        return wvl_io_fail(t->context, "OpenJPEG decoded %u components in place of %u", from->component_count, count);
    }
    k->decoded.width = k->width;
    k->decoded.height = k->height;
    k->decoded.components = calloc(count, sizeof *k->decoded.components);
    if (!k->decoded.components) {
        return wvl_io_fail_memory(t->context, "components", count * sizeof *k->decoded.components);
    }
    k->decoded.component_count = count;
    for (uint32_t c = 0; c < count; c++) {
        if (take_component(k, from, c) != 0) {
            return -1;
        }
    }
    return 0;
}

static int convert(const wvl_io_tiff *t, chunk *k)
{
    char reason[160] = "";

    k->decoded.chroma_siting = t->ycc_siting;
    k->decoded.ycc_tagged = t->ycc_tagged;
    memcpy(k->decoded.ycc_luma, t->ycc_luma, sizeof t->ycc_luma);
    memcpy(k->decoded.ycc_range, t->ycc_range, sizeof t->ycc_range);
    switch (wvl_io_convert_ycc(&k->decoded, reason, sizeof reason)) {
    case WVL_IO_OK: return 0;
    case WVL_IO_ERROR_MEMORY: return wvl_io_fail_memory(t->context, "RGB", t->chunk_bytes);
    default: return wvl_io_fail(t->context, "%s", reason);
    }
}

/* Samples of a row, one behind the other, to every `step` bytes. */
static void spread(uint8_t *to, size_t step, const uint8_t *from, unsigned bytes, uint32_t count)
{
    for (uint32_t x = 0; bytes == 1 && x < count; x++) {
        to[x * step] = from[x];
    }
    for (uint32_t x = 0; bytes == 2 && x < count; x++) {
        memcpy(to + x * step, from + 2 * (size_t)x, 2);
    }
    for (uint32_t x = 0; bytes == 4 && x < count; x++) {
        memcpy(to + x * step, from + 4 * (size_t)x, 4);
    }
}

static void put_pixels(const wvl_io_tiff *t, const wvl_io_picture *from)
{
    size_t bytes = from->components[0].sample_bytes, step = bytes * from->component_count;

    for (uint32_t c = 0; c < from->component_count; c++) {
        const wvl_io_component *k = &from->components[c];
        for (uint32_t y = 0; y < k->height; y++) {
            spread(t->chunk + y * (t->tile_width * step) + c * bytes, step, wvl_io_place(k, 0, y), k->sample_bytes,
                   k->width);
        }
    }
}

/* As libtiff hands out subsampled YCbCr. */
static void put_units(const wvl_io_tiff *t, const wvl_io_picture *from)
{
    size_t luma = (size_t)t->step_x * t->step_y, across = parts_of(t->tile_width, t->step_x);

    for (uint32_t c = 0; c < 3; c++) {
        const wvl_io_component *k = &from->components[c];
        uint32_t step_x = c == 0 ? t->step_x : 1, step_y = c == 0 ? t->step_y : 1;
        for (uint32_t y = 0; y < k->height; y++) {
            const uint8_t *row = wvl_io_place(k, 0, y);
            for (uint32_t x = 0; x < k->width; x++) {
                size_t unit = y / step_y * across + x / step_x;
                size_t place = c == 0 ? (size_t)y % step_y * step_x + x % step_x : luma + c - 1;
                t->chunk[unit * (luma + 2) + place] = row[x];
            }
        }
    }
}

static int decode(const wvl_io_tiff *t, chunk *k)
{
    wvl_opj_picture decoded;

    if (wvl_io_jp2_decode(&k->jp2, &decoded) != 0) {
        return -1;
    }
    int result = take_components(t, k, &decoded);
    wvl_opj_release_picture(&decoded);
    return result;
}

int wvl_io_tiff_decode_jpeg2000(wvl_io_tiff *t, uint32_t number)
{
    chunk k;
    int result = load(t, number, &k);

    TRY(result, check(t, number, &k));
    TRY(result, decode(t, &k));
    if (t->makes_rgb) {
        TRY(result, convert(t, &k));
    }
    if (result == 0) {
        (t->is_subsampled ? put_units : put_pixels)(t, &k.decoded);
    }
    release(t, &k);
    return result;
}
