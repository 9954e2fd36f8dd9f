/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenEXR through OpenEXRCore: the first part, its highest level, the data window. R, G, B, A (or Y, A) where they are
 * there, else all channels in the order of the file. With keep_layers: all of them, and the header.
 */
#include "float_samples.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <openexr.h>

#define MOST_BLOCK_BYTES ((size_t)1 << 30) /* that OpenEXR may ask for at once: packed or unpacked rows, or a tile */
#define NOT_READ UINT32_MAX

typedef struct exr {
    wvl_io_context *context;
    exr_context_t file;
    exr_attr_box2i_t window;
    const exr_attr_chlist_t *channels;
    uint32_t *component_of; /* owned: of each channel; NOT_READ: it is left out */
    exr_compression_t compression;
    exr_decode_pipeline_t decode;
    int is_decoding;
    char message[160]; /* the first one of OpenEXR */
} exr;

/* ---- Callbacks of OpenEXR -------------------------------------------------------------------- */

static int64_t on_read(exr_const_context_t file, void *user, void *buffer, uint64_t byte_count, uint64_t offset,
                       exr_stream_error_func_ptr_t complain)
{
    wvl_io_source *source = &((exr *)user)->context->source;
    (void)file, (void)complain;
    if (wvl_io_source_seek(source, offset) != 0) {
        return -1;
    }
    return (int64_t)wvl_io_source_read_some(source, buffer, (size_t)byte_count);
}

static int64_t on_size(exr_const_context_t file, void *user)
{
    (void)file;
    return (int64_t)((exr *)user)->context->source.size;
}

static void on_error(exr_const_context_t file, exr_result_t code, const char *text)
{
    void *user = NULL;
    if (exr_get_user_data(file, &user) != EXR_ERR_SUCCESS || !user) {
        return;
    }
    exr *e = user;
    (void)code;
    if (!e->message[0]) {
        snprintf(e->message, sizeof e->message, "%s", text);
    }
}

/* The size of a block that there was no memory for. OpenEXR says the same of damaged data, for which its tables are too
 * small, and hands no pointer to this function. A block that only a damaged file asks for is not memory that is
 * missing.
 */
static _Thread_local size_t missing_bytes;

static void *on_allocate(size_t byte_count)
{
    void *block = byte_count <= MOST_BLOCK_BYTES ? malloc(byte_count) : NULL;
    if (!block && byte_count && byte_count <= MOST_BLOCK_BYTES) {
        missing_bytes = byte_count;
    }
    return block;
}

static int fail(exr *e, const char *what, exr_result_t code)
{
    int is_damaged = code == EXR_ERR_OUT_OF_MEMORY;
    if (missing_bytes) {
        return wvl_io_fail_memory(e->context, what, missing_bytes);
    }
    const char *reason = is_damaged ? "the data is damaged" : exr_get_default_error_message(code);
    return wvl_io_fail(e->context, "%s: OpenEXR: %s", what, e->message[0] && !is_damaged ? e->message : reason);
}

/* ---- Header ---------------------------------------------------------------------------------- */

static int open_file(exr *e)
{
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_storage_t storage = EXR_STORAGE_LAST_TYPE;
    int parts = 1;
    if (wvl_io_source_slurp(e->context, NULL) != 0) {
        return -1;
    }
    start.error_handler_fn = on_error;
    start.alloc_fn = on_allocate;
    start.free_fn = free;
    start.user_data = e;
    start.read_fn = on_read;
    start.size_fn = on_size;
    missing_bytes = 0;
    exr_result_t code = exr_start_read(&e->file, "picture", &start);
    code = code ? code : exr_get_count(e->file, &parts);
    code = code ? code : exr_get_storage(e->file, 0, &storage);
    code = code ? code : exr_get_channels(e->file, 0, &e->channels);
    code = code ? code : exr_get_compression(e->file, 0, &e->compression);
    code = code ? code : exr_get_data_window(e->file, 0, &e->window);
    if (code) {
        return fail(e, "header", code);
    }
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED) {
        return wvl_io_fail(e->context, "the first part is deep data: only pictures of rows or tiles are supported");
    }
    if (parts > 1 && e->context->options.keep_layers) {
        return wvl_io_fail(e->context, "%d parts: only one part goes into a file with all its channels", parts);
    }
    if (parts > 1) {
        wvl_io_note(e->context, "the first of %d parts is read", parts);
    }
    return 0;
}

/* Index of a channel; -1: none. */
static int find_channel(const exr *e, const char *name)
{
    for (int i = 0; i < e->channels->num_channels; i++) {
        if (strcmp(e->channels->entries[i].name.str, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Takes the named channels as components 0.., if all but the last, the alpha channel, are there. */
static uint32_t take_named(exr *e, const char *const *names, uint32_t colors, int *alpha)
{
    for (uint32_t i = 0; i < colors; i++) {
        if (find_channel(e, names[i]) < 0) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < colors; i++) {
        e->component_of[find_channel(e, names[i])] = i;
    }
    int a = find_channel(e, "A");
    if (a >= 0) {
        e->component_of[a] = colors;
        *alpha = (int)colors;
    }
    return colors + (a >= 0);
}

/* Number of components; 0 with the reason told. */
static uint32_t choose_channels(exr *e, wvl_io_color *color, int *alpha)
{
    static const char *const rgb[] = {"R", "G", "B"}, *const grey[] = {"Y"};
    int count = e->channels->num_channels;
    if (count <= 0 || count > (int)WVL_IO_MAX_COMPONENTS) {
        (void)wvl_io_fail(e->context, "%d channels: must be 1 to %u", count, WVL_IO_MAX_COMPONENTS);
        return 0;
    }
    int keeps = e->context->options.keep_layers;
    if (!keeps && (find_channel(e, "RY") >= 0 || find_channel(e, "BY") >= 0)) {
        (void)wvl_io_fail(e->context, "luminance and chroma (Y, RY, BY): not supported; convert the picture to RGB");
        return 0;
    }
    e->component_of = wvl_io_allocate(e->context, (uint64_t)count * sizeof *e->component_of, "channels");
    if (!e->component_of) {
        return 0;
    }
    memset(e->component_of, 0xFF, (size_t)count * sizeof *e->component_of);
    uint32_t taken = keeps ? 0 : take_named(e, rgb, 3, alpha);
    *color = WVL_IO_RGB;
    if (!taken && !keeps) {
        taken = take_named(e, grey, 1, alpha);
        *color = WVL_IO_GREY;
    }
    for (uint32_t i = 0; !taken && i < (uint32_t)count; i++) {
        e->component_of[i] = i;
        *color = WVL_IO_UNKNOWN;
    }
    char names[96] = "";
    for (int i = 0; i < e->channels->num_channels; i++) {
        size_t used = strlen(names);
        if (e->component_of[i] == NOT_READ) {
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", e->channels->entries[i].name.str);
        }
    }
    if (names[0]) {
        wvl_io_note(e->context, "channels left out: %s", names);
    }
    return taken ? taken : (uint32_t)count;
}

static int keeps_samples(const exr *e)
{
    return e->context->options.keep_layers || e->context->options.float_transfer == WVL_IO_FLOAT_KEPT;
}

/* Before anything about floating point is said. */
static int check_types(exr *e)
{
    for (int i = 0; i < e->channels->num_channels; i++) {
        const exr_attr_chlist_entry_t *k = &e->channels->entries[i];
        int is_float = k->pixel_type == EXR_PIXEL_HALF || k->pixel_type == EXR_PIXEL_FLOAT;
        if (e->component_of[i] != NOT_READ && !is_float && !keeps_samples(e)) {
            return wvl_io_fail(e->context,
                               "channel %.40s: integers (UINT) go with --float-transfer keep alone; else convert the "
                               "channel to half",
                               k->name.str);
        }
    }
    return wvl_io_permit_floats(e->context, "half or float");
}

static int describe(exr *e, uint32_t components)
{
    int64_t width = (int64_t)e->window.max.x - e->window.min.x + 1;
    int64_t height = (int64_t)e->window.max.y - e->window.min.y + 1;
    if (width <= 0 || height <= 0 || width > INT_MAX / 8) {
        return wvl_io_fail(e->context, "data window of %lld x %lld: must be at least 1 x 1, and at most %d wide",
                           (long long)width, (long long)height, INT_MAX / 8);
    }
    if (wvl_io_describe(e->context, (uint64_t)width, (uint64_t)height, components, 32, 0) != 0) {
        return -1;
    }
    for (int i = 0; i < e->channels->num_channels; i++) {
        const exr_attr_chlist_entry_t *k = &e->channels->entries[i];
        if (e->component_of[i] == NOT_READ) {
            continue;
        }
        if (k->x_sampling < 1 || k->x_sampling > 255 || k->y_sampling < 1 || k->y_sampling > 255) {
            return wvl_io_fail(e->context, "channel %.40s: sampling %d, %d: must be 1 to 255", k->name.str,
                               k->x_sampling, k->y_sampling);
        }
        wvl_io_subsample(e->context->picture, e->component_of[i], (uint8_t)k->x_sampling, (uint8_t)k->y_sampling);
        if (keeps_samples(e) && k->pixel_type != EXR_PIXEL_UINT) {
            wvl_io_keep_floats(&e->context->picture->components[e->component_of[i]],
                               k->pixel_type == EXR_PIXEL_HALF ? 16 : 32);
        }
    }
    return wvl_io_allocate_planar(e->context);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* One line of one channel, little-endian, to its place; at NULL: the channel is left out. */
static void copy_line(const uint8_t *from, uint32_t count, unsigned bytes, uint8_t *at)
{
    for (uint32_t x = 0; at && x < count; x++, at += bytes, from += bytes) {
        wvl_io_store(at, bytes, bytes == 2 ? wvl_io_le16(from) : wvl_io_le32(from));
    }
}

/* The same as floats. */
static void unpack_line(const uint8_t *from, uint32_t count, int is_half, uint8_t *at)
{
    for (uint32_t x = 0; at && x < count; x++, at += 4) {
        uint32_t word = is_half ? 0 : wvl_io_le32(from + (size_t)4 * x);
        float v;
        memcpy(&v, &word, sizeof v);
        if (is_half) {
            v = wvl_io_float_of_half((uint16_t)wvl_io_le16(from + (size_t)2 * x));
        }
        memcpy(at, &v, sizeof v);
    }
}

/* The place of a line of a channel; NULL: it is left out. 0 where it does not fit in *fits. */
static uint8_t *place_of(const exr *e, int channel, uint32_t x, uint32_t y, uint32_t count, int *fits)
{
    if (e->component_of[channel] == NOT_READ) {
        return NULL;
    }
    const wvl_io_component *to = &e->context->picture->components[e->component_of[channel]];
    uint32_t column = x / to->dx, row = y / to->dy;
    if (row >= to->height || column > to->width || count > to->width - column) {
        *fits = 0;
        return NULL;
    }
    return wvl_io_place(to, column, row);
}

/* The unpacked chunk: line by line, in each the channels in order, of which some have no sample in a line. The lines
   begin at (x, y) of the data window. OpenEXR's own routines for this write through NULL where a channel is left out.
 */
static int unpack_chunk(exr *e, uint32_t x, uint32_t y, int32_t lines)
{
    const uint8_t *from = e->decode.unpacked_buffer;
    uint64_t left = from ? e->decode.chunk.unpacked_size : 0;
    int fits = 1;
    for (int32_t line = 0; line < lines; line++) {
        int64_t place = (int64_t)e->window.min.y + y + line;
        for (int i = 0; i < e->decode.channel_count && i < e->channels->num_channels; i++) {
            const exr_coding_channel_info_t *k = &e->decode.channels[i];
            uint64_t bytes = (uint64_t)(uint32_t)k->width * (unsigned)k->bytes_per_element;
            if (k->y_samples > 1 && place % k->y_samples != 0) {
                continue;
            }
            uint8_t *at =
                k->width < 0 || bytes > left ? NULL : place_of(e, i, x, y + (uint32_t)line, (uint32_t)k->width, &fits);
            if (k->width < 0 || bytes > left || !fits) {
                return wvl_io_fail(e->context, "pixel data: a block lies outside the data window, or is too short");
            }
            if (keeps_samples(e)) {
                copy_line(from, (uint32_t)k->width, (unsigned)k->bytes_per_element, at);
            } else {
                unpack_line(from, (uint32_t)k->width, k->bytes_per_element == 2, at);
            }
            from += bytes;
            left -= bytes;
        }
    }
    return 0;
}

static int read_chunk(exr *e, const exr_chunk_info_t *chunk, uint32_t x, uint32_t y)
{
    exr_result_t code = e->is_decoding ? exr_decoding_update(e->file, 0, chunk, &e->decode)
                                       : exr_decoding_initialize(e->file, 0, chunk, &e->decode);
    if (!code && !e->is_decoding) {
        e->is_decoding = 1;
        code = exr_decoding_choose_default_routines(e->file, 0, &e->decode);
        e->decode.unpack_and_convert_fn = NULL;
    }
    if (!code && e->compression == EXR_COMPRESSION_NONE && chunk->packed_size != chunk->unpacked_size) {
        return wvl_io_fail(e->context, "pixel data: a block of %llu bytes, %llu needed",
                           (unsigned long long)chunk->packed_size, (unsigned long long)chunk->unpacked_size);
    }
    code = code ? code : exr_decoding_run(e->file, 0, &e->decode);
    return code ? fail(e, "pixel data", code) : unpack_chunk(e, x, y, chunk->height);
}

static int read_rows(exr *e)
{
    int32_t lines = 0;
    exr_result_t code = exr_get_scanlines_per_chunk(e->file, 0, &lines);
    if (code || lines <= 0) {
        return fail(e, "header", code);
    }
    for (int64_t y = e->window.min.y; y <= e->window.max.y; y += lines) {
        exr_chunk_info_t chunk;
        code = exr_read_scanline_chunk_info(e->file, 0, (int)y, &chunk);
        if (code) {
            return fail(e, "pixel data", code);
        }
        if (read_chunk(e, &chunk, 0, (uint32_t)(y - e->window.min.y)) != 0) {
            return -1;
        }
    }
    return 0;
}

static int read_tiles(exr *e)
{
    const wvl_io_picture *picture = e->context->picture;
    int32_t width = 0, height = 0;
    exr_result_t code = exr_get_tile_sizes(e->file, 0, 0, 0, &width, &height);
    if (code || width <= 0 || height <= 0) {
        return fail(e, "header", code);
    }
    for (uint64_t y = 0; y < picture->height; y += (uint32_t)height) {
        for (uint64_t x = 0; x < picture->width; x += (uint32_t)width) {
            exr_chunk_info_t chunk;
            code = exr_read_tile_chunk_info(e->file, 0, (int)(x / (uint32_t)width), (int)(y / (uint32_t)height), 0, 0,
                                            &chunk);
            if (code) {
                return fail(e, "pixel data", code);
            }
            if (read_chunk(e, &chunk, (uint32_t)x, (uint32_t)y) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Bytes of the attributes that begin there, with the byte that ends them; 0: more bytes are needed. */
static size_t measure_header(const uint8_t *at, size_t count)
{
    size_t done = 0;
    while (done < count && at[done]) {
        for (int i = 0; i < 2; i++) { /* name and type */
            const uint8_t *end = memchr(at + done, 0, count - done);
            if (!end) {
                return 0;
            }
            done = (size_t)(end - at) + 1;
        }
        if (count - done < 4 || wvl_io_le32(at + done) > count - done - 4) {
            return 0;
        }
        done += 4 + wvl_io_le32(at + done);
    }
    return done < count ? done + 1 : 0;
}

static void note_levels(exr *e)
{
    uint32_t width, height;
    exr_tile_level_mode_t levels = EXR_TILE_ONE_LEVEL;
    exr_tile_round_mode_t rounding;
    if (!exr_get_tile_descriptor(e->file, 0, &width, &height, &levels, &rounding) && levels != EXR_TILE_ONE_LEVEL) {
        wvl_io_note(e->context, "the highest level is kept, lower ones are left out");
    }
}

/* The header has been read by OpenEXR: it has an end. */
static int take_header(exr *e)
{
    wvl_io_source *source = &e->context->source;
    wvl_io_picture *picture = e->context->picture;
    for (size_t room = 4096; !picture->exr_header_bytes; room *= 4) {
        uint8_t *larger = room <= MOST_BLOCK_BYTES ? realloc(picture->exr_header, room) : NULL;
        if (!larger) {
            return wvl_io_fail_memory(e->context, "header", room);
        }
        picture->exr_header = larger;
        size_t got = wvl_io_source_seek(source, 8) == 0 ? wvl_io_source_read_some(source, larger, room) : 0;
        picture->exr_header_bytes = measure_header(larger, got);
        if (!picture->exr_header_bytes && got < room) {
            return wvl_io_fail(e->context, "header: is cut off");
        }
    }
    return 0;
}

static int take_attributes(exr *e)
{
    static const struct {
        const char *name;
        wvl_io_field field;
    } texts[] = {
        {"owner", WVL_IO_FIELD_COPYRIGHT}, {"comments", WVL_IO_FIELD_DESCRIPTION}, {"capDate", WVL_IO_FIELD_CREATED}};
    exr_attr_box2i_t display;
    const char *text;
    int32_t length;
    float density = 0;
    int result = 0;
    for (size_t i = 0; !result && i < sizeof texts / sizeof texts[0]; i++) {
        if (exr_attr_get_string(e->file, 0, texts[i].name, &length, &text) == EXR_ERR_SUCCESS && length > 0) {
            result = wvl_io_take_text(e->context, texts[i].field, texts[i].name, text, (size_t)length);
        }
    }
    if (exr_attr_get_float(e->file, 0, "xDensity", &density) == EXR_ERR_SUCCESS && density > 0 && density < 1e6f) {
        wvl_io_take_resolution(e->context, (double)density / 0.0254, (double)density / 0.0254);
    }
    if (exr_get_display_window(e->file, 0, &display) == EXR_ERR_SUCCESS &&
        memcmp(&display, &e->window, sizeof display) != 0) {
        wvl_io_note(e->context, "the data window is read; the display window differs from it");
    }
    return result;
}

static int read_all(exr *e)
{
    wvl_io_color color = WVL_IO_UNKNOWN;
    exr_storage_t storage = EXR_STORAGE_SCANLINE;
    int alpha = -1;
    if (open_file(e) != 0) {
        return -1;
    }
    uint32_t components = choose_channels(e, &color, &alpha);
    if (!components || (!e->context->options.keep_layers && check_types(e) != 0) || describe(e, components) != 0) {
        return -1;
    }
    (void)exr_get_storage(e->file, 0, &storage);
    if ((storage == EXR_STORAGE_TILED ? read_tiles(e) : read_rows(e)) != 0) {
        return -1;
    }
    wvl_io_set_color(e->context->picture, color, 0, alpha);
    e->context->picture->alpha_premultiplied = alpha >= 0; /* OpenEXR, Technical Introduction: Alpha */
    if (e->context->options.keep_layers) {
        note_levels(e);
        return take_header(e);
    }
    return take_attributes(e) != 0 ? -1 : wvl_io_finish_floats(e->context);
}

int wvl_io_read_exr(wvl_io_context *context)
{
    exr *e;
    e = calloc(1, sizeof *e);
    if (!e) {
        return wvl_io_fail_memory(context, "OpenEXR", sizeof *e);
    }
    e->context = context;
    int result = read_all(e);
    if (e->is_decoding) {
        (void)exr_decoding_destroy(e->file, &e->decode);
    }
    if (e->file) {
        (void)exr_finish(&e->file);
    }
    free(e->component_of);
    free(e);
    return result;
}
