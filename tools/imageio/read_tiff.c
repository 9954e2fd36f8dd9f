/* SPDX-License-Identifier: BSD-2-Clause */
#include "read_tiff.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "float_samples.h"

/* ---- Bands ----------------------------------------------------------------------------------- */

/* Rows of TIFF in portions that do not end where TIFF strips or tiles end: the band that holds them is kept. */

static uint32_t rows_of_band(const wvl_io_tiff *t, uint32_t first)
{
    return t->height - first < t->band_rows ? t->height - first : t->band_rows;
}

/* A block for each buffer, as high as a band. */
static int allocate_band(wvl_io_tiff *t)
{
    wvl_io_context *context = t->context;
    const wvl_io_component *list = context->picture->components;
    uint32_t rows = rows_of_band(t, 0);

    t->band_count = context->is_interleaved ? 1 : context->picture->component_count;
    t->band = calloc(t->band_count, sizeof *t->band);
    if (!t->band) {
        return wvl_io_fail_memory(context, "rows of a band", t->band_count * sizeof *t->band);
    }
    for (uint32_t i = 0; i < t->band_count; i++) {
        t->band[i].pitch_bytes = wvl_io_row_bytes(&list[i]);
        t->band[i].data = wvl_io_allocate(context, (uint64_t)t->band[i].pitch_bytes * rows, "rows of a band");
        if (!t->band[i].data) {
            return -1;
        }
    }
    return 0;
}

static int load_band(wvl_io_tiff *t, uint32_t first)
{
    wvl_io_context *context = t->context;
    const wvl_io_row_buffer *buffers = context->buffers;
    uint32_t window = context->window_first, count = rows_of_band(t, first);

    if (!t->band && allocate_band(t) != 0) {
        return -1;
    }
    wvl_io_aim(context, t->band, first);
    int result = wvl_io_tiff_read_bands(t, first, count);
    wvl_io_aim(context, buffers, window);
    t->band_first = first;
    t->band_held = result == 0 ? count : 0;
    return result;
}

/* Rows first .. end - 1 of the picture, all in the band. */
static void copy_rows(const wvl_io_tiff *t, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < t->band_count; i++) {
        const wvl_io_component *c = &t->context->picture->components[i];
        const wvl_io_row_buffer *band = &t->band[i];
        uint32_t top = wvl_io_rows_of_component(c, t->band_first), beyond = wvl_io_rows_of_component(c, end);
        for (uint32_t y = wvl_io_rows_of_component(c, first); y < beyond; y++) {
            memcpy(wvl_io_row(t->context, i, y), (uint8_t *)band->data + (y - top) * band->pitch_bytes,
                   band->pitch_bytes);
        }
    }
}

static int is_held(const wvl_io_tiff *t, uint32_t y) { return y >= t->band_first && y - t->band_first < t->band_held; }

/* Any rows, with a band in between where they are parts of bands. */
static int read_any_rows(wvl_io_tiff *t, uint32_t first, uint32_t count)
{
    uint32_t end = first + count;

    for (uint32_t y = first; y < end;) {
        uint32_t top = y / t->band_rows * t->band_rows, whole = (end - y) / t->band_rows * t->band_rows;
        whole = end == t->height ? end - y : whole;
        if (y == top && whole) {
            if (wvl_io_tiff_read_bands(t, y, whole) != 0) {
                return -1;
            }
            y += whole;
            continue;
        }
        if (!is_held(t, y) && load_band(t, top) != 0) {
            return -1;
        }
        uint32_t beyond = end - top < rows_of_band(t, top) ? end : top + rows_of_band(t, top);
        copy_rows(t, y, beyond);
        y = beyond;
    }
    return 0;
}

/* ---- libtiff --------------------------------------------------------------------------------- */

#if !defined(TIFFLIB_VERSION) || TIFFLIB_VERSION < 20221213
#error "libtiff 4.5 or newer is needed: older ones report errors through process-wide handlers only"
#endif

#define SMALL_BLOCK_BYTES ((uint64_t)64 << 20)

static tmsize_t on_read(thandle_t handle, void *bytes, tmsize_t byte_count)
{
    wvl_io_tiff *t = handle;
    uint64_t at = wvl_io_source_position(&t->context->source);
    size_t got = byte_count > 0 ? wvl_io_source_read_some(&t->context->source, bytes, (size_t)byte_count) : 0;

    wvl_io_tiff_apply_view(t, at, bytes, got);
    return (tmsize_t)got;
}

static tmsize_t on_write(thandle_t handle, void *bytes, tmsize_t byte_count)
{
    (void)handle, (void)bytes, (void)byte_count;
    return -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    wvl_io_source *source = &((wvl_io_tiff *)handle)->context->source;
    uint64_t position = offset;

    if (whence == SEEK_CUR) {
        position += wvl_io_source_position(source);
    } else if (whence == SEEK_END) {
        position += source->size;
    }
    return wvl_io_source_seek(source, position) == 0 ? position : (toff_t)-1;
}

static toff_t on_size(thandle_t handle) { return ((wvl_io_tiff *)handle)->context->source.size; }

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static int on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    wvl_io_tiff *t = user;

    (void)tiff, (void)module;
    t->context->no_memory |= errno == ENOMEM; /* libtiff reports directly after the allocation that failed */
    if (!t->error_seen) {
        vsnprintf(t->message, sizeof t->message, format, arguments);
    }
    t->error_seen = 1;
    return 1;
}

/*
 * Some coders warn and go on where they have no data, and what they then hand out is not the picture: fax lines of
 * another length, JPEG data that ends early or is smaller than its TIFF strip. Their warnings are no part of sound
 * files, whatever the words are. Others warn of what is harmless, such as LZW in the old style; where data is missing
 * they return an error. What warnings about the directory may hide is found by wvl_io_tiff_open_directory.
 */
static int is_fatal_warning(const wvl_io_tiff *t)
{
    switch (t->strict ? t->compression : 0) {
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
    case COMPRESSION_JPEG: return 1;
    default: return 0;
    }
}

/* Other warnings are worth a note while pixels are decoded; in the directory they are mostly private tags. */
static int on_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    wvl_io_tiff *t = user;
    char text[160];

    (void)tiff, (void)module;
    vsnprintf(text, sizeof text, format, arguments);
    if (is_fatal_warning(t)) {
        if (!t->error_seen) {
            memcpy(t->message, text, sizeof text);
        }
        t->error_seen = 1;
    } else if (t->strict && strstr(t->context->picture->note, "libtiff: ") == NULL) {
        wvl_io_note(t->context, "libtiff: %s", text);
    }
    return 1;
}

int wvl_io_tiff_fail(wvl_io_tiff *t, const char *otherwise)
{
    if (t->error_seen) {
        return wvl_io_fail(t->context, "%s: libtiff: %s", otherwise, t->message);
    }
    return wvl_io_fail(t->context, "%s", otherwise);
}

/* No single block that libtiff allocates need be larger than the file times a little: it holds compressed
   TIFF strips, their tables, and a few rows. */
static TIFFOpenOptions *make_options(wvl_io_tiff *t)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    uint64_t most = SMALL_BLOCK_BYTES + 8 * t->context->source.size;

    if (!options) {
        return NULL;
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, t);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)most);
    return options;
}

static uint64_t extent_of_meant(const uint8_t *bytes, uint64_t used)
{
    uint64_t first = wvl_io_tiff_extent(bytes, used);
    return first > used || wvl_io_tiff_is_alone(bytes, used) ? first : UINT64_MAX;
}

static wvl_io_extent choose_extent(const wvl_io_options *o)
{
    if (o->page || o->sub_page) {
        return NULL;
    }
    return o->page_given ? wvl_io_tiff_extent : extent_of_meant;
}

/* Before a pipe is read to its end: whether it begins like TIFF, with a directory where one can be. */
int wvl_io_tiff_find_first(wvl_io_tiff *t)
{
    wvl_io_source *source = &t->context->source;
    const uint8_t *head;
    size_t held = wvl_io_source_peek(source, &head, 16);
    int big = held >= 2 && head[0] == 'M';
    uint64_t version = held >= 4 ? wvl_io_number(head + 2, big, 2) : 0;

    if (held < 8 || memcmp(head, big ? "MM" : "II", 2) != 0 || (version != 42 && version != 43) ||
        (version == 43 && held < 16)) {
        return wvl_io_fail(t->context, "header: does not begin with II or MM, 42 or 43, and the place of a directory");
    }
    t->form = wvl_io_tiff_form_of(head);
    t->first = wvl_io_number(head + t->form.wide, big, t->form.wide);
    if (!source->seekable && t->first >= source->most) {
        return wvl_io_fail(t->context,
                           "header: the first directory, at %llu, lies beyond the limit of bytes for a "
                           "pipe or device (--max-input-bytes)",
                           (unsigned long long)t->first);
    }
    return wvl_io_source_slurp(t->context, choose_extent(&t->context->options));
}

/* The header only: directories are read through a view. */
static int open_tiff(wvl_io_tiff *t)
{
    TIFFOpenOptions *options;

    if (wvl_io_reserve(t->context, WVL_IO_TIFF_RESERVE, "libtiff") != 0) {
        return -1;
    }
    errno = 0;
    options = make_options(t);
    if (!options) {
        return wvl_io_fail_memory(t->context, "libtiff", SMALL_BLOCK_BYTES);
    }
    if (wvl_io_source_seek(&t->context->source, 0) == 0) {
        t->tiff =
            TIFFClientOpenExt("picture", "rmh", t, on_read, on_write, on_seek, on_close, on_size, NULL, NULL, options);
    }
    TIFFOpenOptionsFree(options);
    return t->tiff ? 0 : wvl_io_tiff_fail(t, "header");
}

static int begin(wvl_io_context *context)
{
    wvl_io_tiff *t = context->state;
    int is_pipe = !context->source.seekable;

    t->context = context;
    if (is_pipe && context->by_rows && context->options.max_input_bytes == UINT64_MAX) {
        context->source.most = WVL_IO_MAX_INPUT_BYTES; /* it is held */
    }
    if (wvl_io_tiff_find_first(t) != 0 || wvl_io_tiff_choose_page(t) != 0 || open_tiff(t) != 0 ||
        wvl_io_tiff_open_directory(t, t->at) != 0 || wvl_io_tiff_read_fields(t) != 0) {
        return -1;
    }
    t->strict = 1;
    if (wvl_io_tiff_prepare_pixels(t) != 0) {
        return -1;
    }
    t->strict = 0;
    if (t->error_seen) {
        return wvl_io_tiff_fail(t, "pixel data");
    }
    wvl_io_tiff_take_color(t);
    if (wvl_io_tiff_take_metadata(t) != 0 || (t->keeps_floats && wvl_io_finish_floats(context) != 0)) {
        return -1;
    }
    /* A band that is held, and what libtiff holds: a TIFF strip or tile as it is stored. */
    const wvl_io_picture *picture = t->context->picture;
    uint64_t rows = t->band_rows < t->height ? t->band_rows : t->height, stored = 0;
    uint32_t chunks = t->is_tiled ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff);

    for (uint32_t i = 0; rows > 1 && i < picture->component_count; i++) {
        const wvl_io_component *c = &picture->components[i];
        t->context->held_bytes += (uint64_t)c->width * c->sample_bytes * ((rows + c->dy - 1) / c->dy);
    }
    for (uint32_t i = 0; !t->is_stored && i < chunks; i++) {
        uint64_t bytes = TIFFGetStrileByteCount(t->tiff, i);
        stored = bytes > stored ? bytes : stored;
    }
    t->context->held_bytes += stored;
    if (t->is_float) {
        context->needs_all = "floating point is converted to integers only when all samples are known";
    } else if (is_pipe) {
        context->needs_all = "rows of a TIFF file may lie anywhere, and a pipe cannot be rewound; give a file";
    }
    return 0;
}

static int read_rows(wvl_io_context *context, uint32_t first, uint32_t count)
{
    wvl_io_tiff *t = context->state;

    t->strict = 1;
    if (read_any_rows(t, first, count) != 0) {
        return -1;
    }
    t->strict = 0;
    return t->error_seen ? wvl_io_tiff_fail(t, "pixel data") : 0;
}

static int end(wvl_io_context *context)
{
    const wvl_io_tiff *t = context->state;

    return t->is_float ? wvl_io_finish_floats(context) : 0;
}

static void release(wvl_io_context *context)
{
    wvl_io_tiff *t = context->state;

    for (uint32_t i = 0; t->band && i < t->band_count; i++) {
        free(t->band[i].data);
    }
    free(t->band);
    t->band = NULL;
    free(t->chunk);
    free(t->palette.values);
    if (t->tiff) {
        TIFFClose(t->tiff);
    }
}

const wvl_io_row_format wvl_io_tiff_rows = {begin, read_rows, end, release, sizeof(wvl_io_tiff)};
