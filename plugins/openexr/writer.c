/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of scan lines: magic number, attributes, the table of offsets, chunks. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "chunk.h"

#define MAGIC 20000630u
#define VERSION 2u
#define LONG_NAMES 0x400u /* of version: a name has more than 31 bytes */
#define MOST_POINTS ((int64_t)1 << 30)

typedef struct bytes {
    uint8_t *at;
    size_t count, capacity;
    int is_short; /* of memory */
} bytes;

struct wvl_exr_writer {
    wvl_context *context;
    char *device;
    wvl_exr_channel *channels; /* of the last picture: names are owned, data is NULL */
    uint32_t channel_count;
    wvl_exr_chunk whole, last; /* chunks of all lines; the last one, which has fewer */
    wvl_encoder *encoder;      /* of whole ones; NULL: none */
};

/* One picture on its way. */
typedef struct work {
    wvl_exr_writer *writer;
    const wvl_exr_picture *picture;
    const wvl_control *control;
    uint32_t width, height, lines, chunk_count;
    wvl_plane *planes;
    const void **rows;
    bytes header, chunks;
    uint64_t *offsets; /* of chunks in their bytes */
    uint32_t submitted, received;
    char *error;
    size_t error_bytes;
} work;

__attribute__((format(printf, 3, 4))) static wvl_status fail(const work *w, wvl_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (w->error_bytes) {
        vsnprintf(w->error, w->error_bytes, format, list);
    }
    va_end(list);
    return status;
}

static wvl_status lack_memory(const work *w) { return fail(w, WVL_ERROR_MEMORY, "out of memory"); }

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Room for more bytes at the end; NULL: there is no memory. */
static uint8_t *extend(bytes *b, size_t count)
{
    if (count > b->capacity - b->count) {
        size_t capacity = b->capacity + b->capacity / 2 + count + 4096;
        uint8_t *at = capacity > count ? realloc(b->at, capacity) : NULL;
        if (!at) {
            b->is_short = 1;
            return NULL;
        }
        b->at = at;
        b->capacity = capacity;
    }
    uint8_t *end = b->at + b->count;
    b->count += count;
    return end;
}

static void put(bytes *b, const void *data, size_t count)
{
    uint8_t *to = extend(b, count);
    if (to && count) {
        memcpy(to, data, count);
    }
}

static void put_little_endian(bytes *b, uint64_t value, unsigned count)
{
    uint8_t *to = extend(b, count);
    for (unsigned i = 0; to && i < count; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

/* ---- Header ---------------------------------------------------------------------------------- */

static void put_attribute(bytes *b, const char *name, const char *type, const void *data, uint32_t count)
{
    put(b, name, strlen(name) + 1);
    put(b, type, strlen(type) + 1);
    put_little_endian(b, count, 4);
    put(b, data, count);
}

static void put_window(bytes *b, const char *name, const int32_t window[4])
{
    bytes value = {.at = NULL};
    for (int i = 0; i < 4; i++) {
        put_little_endian(&value, (uint32_t)window[i], 4);
    }
    put_attribute(b, name, "box2i", value.at, (uint32_t)value.count);
    b->is_short |= value.is_short;
    free(value.at);
}

static void put_channels(bytes *b, const wvl_exr_picture *picture)
{
    bytes list = {.at = NULL};
    for (uint32_t i = 0; i < picture->channel_count; i++) {
        const wvl_exr_channel *channel = &picture->channels[i];
        put(&list, channel->name, strlen(channel->name) + 1);
        put_little_endian(&list, channel->type, 4);
        put_little_endian(&list, channel->is_linear, 4);
        put_little_endian(&list, wvl_exr_step(channel->x_sampling), 4);
        put_little_endian(&list, wvl_exr_step(channel->y_sampling), 4);
    }
    put_little_endian(&list, 0, 1);
    put_attribute(b, "channels", "chlist", list.at, (uint32_t)list.count);
    b->is_short |= list.is_short;
    free(list.at);
}

static int has_attribute(const wvl_exr_picture *picture, const char *name)
{
    for (uint32_t i = 0; i < picture->attribute_count; i++) {
        if (!strcmp(picture->attributes[i].name, name)) {
            return 1;
        }
    }
    return 0;
}

static unsigned find_flags(const wvl_exr_picture *picture)
{
    unsigned flags = 0;
    for (uint32_t i = 0; i < picture->channel_count; i++) {
        flags |= strlen(picture->channels[i].name) > 31 ? LONG_NAMES : 0;
    }
    for (uint32_t i = 0; i < picture->attribute_count; i++) {
        const wvl_exr_attribute *a = &picture->attributes[i];
        flags |= strlen(a->name) > 31 || strlen(a->type) > 31 ? LONG_NAMES : 0;
    }
    return flags;
}

static wvl_status make_header(work *w)
{
    static const struct {
        const char *name, *type, *data;
        uint32_t bytes;
    } usual[] = {{"pixelAspectRatio", "float", "\0\0\x80\x3f", 4},
                 {"screenWindowCenter", "v2f", "\0\0\0\0\0\0\0", 8},
                 {"screenWindowWidth", "float", "\0\0\x80\x3f", 4}};
    const wvl_exr_picture *picture = w->picture;
    const uint8_t compression = (uint8_t)(picture->compression ? picture->compression : WVL_EXR_HTJ2K256);
    bytes *b = &w->header;
    put_little_endian(b, MAGIC, 4);
    put_little_endian(b, VERSION | find_flags(picture), 4);
    put_channels(b, picture);
    put_attribute(b, "compression", "compression", &compression, 1);
    put_window(b, "dataWindow", picture->data_window);
    put_window(b, "displayWindow", picture->display_window);
    put_attribute(b, "lineOrder", "lineOrder", "", 1);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (!has_attribute(picture, usual[i].name)) {
            put_attribute(b, usual[i].name, usual[i].type, usual[i].data, usual[i].bytes);
        }
    }
    for (uint32_t i = 0; i < picture->attribute_count; i++) {
        const wvl_exr_attribute *a = &picture->attributes[i];
        put_attribute(b, a->name, a->type, a->data, a->bytes);
    }
    put_little_endian(b, 0, 1);
    uint64_t begin = b->count + (uint64_t)8 * w->chunk_count;
    for (uint32_t i = 0; i < w->chunk_count; i++) {
        put_little_endian(b, begin + w->offsets[i], 8);
    }
    return b->is_short ? lack_memory(w) : WVL_OK;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static wvl_status check_channel(const work *w, uint32_t index)
{
    const wvl_exr_channel *channel = &w->picture->channels[index];
    uint32_t dx = wvl_exr_step(channel->x_sampling), dy = wvl_exr_step(channel->y_sampling);
    const int32_t *window = w->picture->data_window;
    if (!channel->name || !channel->name[0] || strlen(channel->name) > 255) {
        return fail(w, WVL_ERROR_ARGUMENT, "channel %u: its name must have 1 to 255 bytes", index);
    }
    if (channel->type > WVL_EXR_FLOAT || !channel->data) {
        return fail(w, WVL_ERROR_ARGUMENT, "channel %s: must be UINT, HALF or FLOAT, and have pixels", channel->name);
    }
    if (dx > 255 || dy > 255 || window[0] % (int32_t)dx || window[1] % (int32_t)dy || w->width % dx || w->height % dy) {
        return fail(w, WVL_ERROR_ARGUMENT,
                    "channel %s: sampling %u, %u: must be 1 to 255, and divide the data window and its place",
                    channel->name, dx, dy);
    }
    if (index && strcmp(w->picture->channels[index - 1].name, channel->name) >= 0) {
        return fail(w, WVL_ERROR_ARGUMENT, "channel %s: channels must be in the order of their names, none twice",
                    channel->name);
    }
    return WVL_OK;
}

static wvl_status check_attributes(const work *w)
{
    static const char *const made[] = {"channels", "compression", "dataWindow", "displayWindow", "lineOrder"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (has_attribute(w->picture, made[i])) {
            return fail(w, WVL_ERROR_ARGUMENT, "attribute %s: is made of the picture; leave it out", made[i]);
        }
    }
    return WVL_OK;
}

static wvl_status check_picture(work *w)
{
    const wvl_exr_picture *picture = w->picture;
    int64_t width = (int64_t)picture->data_window[2] - picture->data_window[0] + 1;
    int64_t height = (int64_t)picture->data_window[3] - picture->data_window[1] + 1;
    unsigned compression = picture->compression ? picture->compression : WVL_EXR_HTJ2K256;
    if (width < 1 || height < 1 || width > MOST_POINTS || height > MOST_POINTS) {
        return fail(w, WVL_ERROR_ARGUMENT, "data window of %lld x %lld: must be 1 to 2^30", (long long)width,
                    (long long)height);
    }
    if (compression != WVL_EXR_HTJ2K256 && compression != WVL_EXR_HTJ2K32) {
        return fail(w, WVL_ERROR_ARGUMENT, "compression %u: must be HTJ2K256 or HTJ2K32", compression);
    }
    if (!picture->channels || !picture->channel_count || picture->channel_count > WVL_EXR_MOST_CHANNELS) {
        return fail(w, WVL_ERROR_ARGUMENT, "%u channels: must be 1 to %u", picture->channel_count,
                    WVL_EXR_MOST_CHANNELS);
    }
    w->width = (uint32_t)width;
    w->height = (uint32_t)height;
    w->lines = compression == WVL_EXR_HTJ2K256 ? 256 : 32;
    w->chunk_count = wvl_exr_count_samples(w->height, w->lines);
    wvl_status status = check_attributes(w);
    for (uint32_t i = 0; !status && i < picture->channel_count; i++) {
        status = check_channel(w, i);
    }
    return status;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static void forget(wvl_exr_writer *writer)
{
    wvl_encoder_release(writer->encoder);
    writer->encoder = NULL;
    wvl_exr_release_chunk(&writer->whole);
    wvl_exr_release_chunk(&writer->last);
    for (uint32_t i = 0; writer->channels && i < writer->channel_count; i++) {
        free((void *)(uintptr_t)writer->channels[i].name);
    }
    free(writer->channels);
    writer->channels = NULL;
    writer->channel_count = 0;
}

static wvl_status keep_channels(work *w)
{
    wvl_exr_writer *writer = w->writer;
    uint32_t count = w->picture->channel_count;
    writer->channels = calloc(count, sizeof *writer->channels);
    if (!writer->channels) {
        return lack_memory(w);
    }
    for (; writer->channel_count < count; writer->channel_count++) {
        wvl_exr_channel *to = &writer->channels[writer->channel_count];
        *to = w->picture->channels[writer->channel_count];
        to->data = NULL;
        to->name = strdup(to->name);
        if (!to->name) {
            return lack_memory(w);
        }
    }
    return WVL_OK;
}

static wvl_status plan(work *w, uint32_t height, wvl_exr_chunk *chunk)
{
    if (chunk->plan && chunk->height == height) {
        return WVL_OK;
    }
    wvl_exr_release_chunk(chunk);
    return wvl_exr_plan_chunk(w->writer->context, w->writer->device, w->picture->channels, w->picture->channel_count,
                              w->width, height, chunk, w->error, w->error_bytes);
}

/* What the last picture left is of use if its channels and chunks were the same. */
static wvl_status prepare(work *w)
{
    wvl_exr_writer *writer = w->writer;
    uint32_t whole = w->height / w->lines, rest = w->height % w->lines;
    const wvl_exr_chunk *old = writer->whole.plan ? &writer->whole : &writer->last;
    int is_alike = writer->channel_count == w->picture->channel_count && old->width == w->width &&
                   (!whole || !writer->whole.plan || writer->whole.height == w->lines) &&
                   wvl_exr_are_alike(writer->channels, w->picture->channels, writer->channel_count);
    wvl_status status = WVL_OK;
    if (!is_alike) {
        forget(writer);
        status = keep_channels(w);
    }
    if (!status && whole) {
        status = plan(w, w->lines, &writer->whole);
    }
    if (!status && rest) {
        status = plan(w, rest, &writer->last);
    }
    if (!status && whole && !writer->encoder) {
        status = wvl_encoder_create(writer->whole.plan, 0, &writer->encoder);
        status = status ? fail(w, status, "%s", wvl_context_error(writer->context)) : status;
    }
    return status;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static uint32_t first_row(const work *w, const wvl_exr_channel *channel, uint32_t index)
{
    uint64_t line = (uint64_t)index * w->lines;
    return wvl_exr_count_samples((uint32_t)(line < w->height ? line : w->height), wvl_exr_step(channel->y_sampling));
}

/* Begins the planes at a chunk. 0: OpenEXR decodes no such codestream, since a sampling does not divide the chunk. */
static int point_to_chunk(const work *w, uint32_t index, const wvl_exr_chunk *chunk)
{
    int fits = 1;
    for (uint32_t i = 0; i < w->picture->channel_count; i++) {
        const wvl_exr_channel *channel = &w->picture->channels[i];
        uint32_t row = first_row(w, channel, index);
        w->rows[i] = (const uint8_t *)channel->data + (ptrdiff_t)row * channel->pitch_bytes;
        fits &= chunk->height % wvl_exr_step(channel->y_sampling) == 0;
    }
    wvl_exr_point_planes(chunk, w->picture->channels, w->rows, w->planes);
    return fits;
}

/* Line by line, in each line the channels that have a row there. */
static void put_samples(work *w, uint32_t index, uint32_t height)
{
    for (uint32_t line = index * w->lines, end = line + height; line < end; line++) {
        for (uint32_t i = 0; i < w->picture->channel_count; i++) {
            const wvl_exr_channel *channel = &w->picture->channels[i];
            uint32_t step = wvl_exr_step(channel->y_sampling);
            if (line % step == 0) {
                put(&w->chunks, (const uint8_t *)channel->data + (ptrdiff_t)(line / step) * channel->pitch_bytes,
                    (size_t)(w->width / wvl_exr_step(channel->x_sampling)) * wvl_exr_sample_bytes(channel));
            }
        }
    }
}

static uint64_t count_raw_bytes(const work *w, uint32_t index)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->picture->channel_count; i++) {
        const wvl_exr_channel *channel = &w->picture->channels[i];
        sum += (uint64_t)(first_row(w, channel, index + 1) - first_row(w, channel, index)) *
               (w->width / wvl_exr_step(channel->x_sampling)) * wvl_exr_sample_bytes(channel);
    }
    return sum;
}

/* A codestream, or NULL: the samples themselves, which also stand for a codestream that is not smaller. */
static wvl_status put_chunk(work *w, const wvl_exr_chunk *chunk, const void *codestream, size_t count)
{
    uint32_t index = w->received++;
    uint64_t raw = count_raw_bytes(w, index), coded = count + wvl_exr_map_bytes(chunk);
    int is_raw = !codestream || coded >= raw;
    if (raw > INT32_MAX) {
        return fail(w, WVL_ERROR_UNSUPPORTED, "a chunk of %llu bytes: OpenEXR allows 2^31 - 1",
                    (unsigned long long)raw);
    }
    w->offsets[index] = w->chunks.count;
    put_little_endian(&w->chunks, (uint32_t)w->picture->data_window[1] + index * w->lines, 4);
    put_little_endian(&w->chunks, is_raw ? raw : coded, 4);
    if (is_raw) {
        put_samples(w, index, chunk->height);
    } else {
        uint8_t *map = extend(&w->chunks, wvl_exr_map_bytes(chunk));
        if (map) {
            wvl_exr_put_map(chunk, map);
        }
        put(&w->chunks, codestream, count);
    }
    if (w->chunks.is_short) {
        return lack_memory(w);
    }
    int stops = w->control && w->control->progress &&
                w->control->progress(w->control->progress_user, w->received, w->chunk_count, WVL_STAGE_CODE);
    return stops ? WVL_CANCELLED : WVL_OK;
}

/* Takes the oldest chunk in flight. */
static wvl_status receive(work *w)
{
    wvl_encoded_picture *encoded = NULL;
    size_t count = 0;
    wvl_status status = wvl_encoder_receive(w->writer->encoder, UINT32_MAX, &encoded);
    if (status) {
        return fail(w, status, "%s", wvl_status_text(status));
    }
    status = wvl_encoded_picture_status(encoded);
    if (status) {
        (void)fail(w, status, "%s", wvl_encoded_picture_error(encoded));
    } else {
        const void *data = wvl_encoded_picture_data(encoded, &count);
        status = put_chunk(w, &w->writer->whole, data, count);
    }
    wvl_encoded_picture_release(encoded);
    return status;
}

/* All that are in flight, since their pixels are borrowed. An encoder that failed is of no use. */
static wvl_status drain(work *w, wvl_status status)
{
    while (!status && w->submitted > w->received) {
        status = receive(w);
    }
    if (status) {
        wvl_encoder_release(w->writer->encoder);
        w->writer->encoder = NULL;
    }
    return status;
}

static wvl_status code_whole(work *w)
{
    uint32_t whole = w->height / w->lines;
    wvl_status status = WVL_OK;
    while (!status && w->submitted < whole) {
        wvl_image image = {.struct_size = sizeof image, .planes = w->planes, .plane_count = w->picture->channel_count};
        if (!point_to_chunk(w, w->submitted, &w->writer->whole)) {
            status = drain(w, WVL_OK);
            w->submitted++;
            status = status ? status : put_chunk(w, &w->writer->whole, NULL, 0);
            continue;
        }
        status = wvl_encoder_submit(w->writer->encoder, &image, NULL, NULL);
        if (status == WVL_AGAIN) {
            status = receive(w);
        } else if (status) {
            (void)fail(w, status, "%s", wvl_status_text(status));
        } else {
            w->submitted++;
        }
    }
    return drain(w, status);
}

static wvl_status code_last(work *w)
{
    const wvl_exr_chunk *chunk = &w->writer->last;
    wvl_image image = {.struct_size = sizeof image, .planes = w->planes, .plane_count = w->picture->channel_count};
    wvl_sink sink;
    void *data = NULL;
    size_t count = 0;
    if (w->received == w->chunk_count) {
        return WVL_OK;
    }
    if (!point_to_chunk(w, w->received, chunk)) {
        return put_chunk(w, chunk, NULL, 0);
    }
    wvl_status status = wvl_sink_open_memory(w->writer->context, &sink);
    if (status) {
        return fail(w, status, "%s", wvl_context_error(w->writer->context));
    }
    status = wvl_encode(chunk->plan, &image, &sink, NULL, NULL, w->error, w->error_bytes);
    if (!status) {
        status = wvl_sink_take_memory(&sink, &data, &count);
    }
    status = status ? status : put_chunk(w, chunk, data, count);
    wvl_memory_release(w->writer->context, data, count);
    return status;
}

/* ---- The writer ------------------------------------------------------------------------------ */

static wvl_status send(const work *w, const wvl_sink *sink)
{
    const bytes *parts[2] = {&w->header, &w->chunks};
    if (sink->reserve && sink->reserve(sink->user, (uint64_t)w->header.count + w->chunks.count)) {
        return fail(w, WVL_ERROR_SINK, "the file cannot be written");
    }
    for (int i = 0; i < 2; i++) {
        if (sink->write(sink->user, parts[i]->at, parts[i]->count)) {
            return fail(w, WVL_ERROR_SINK, "the file cannot be written");
        }
    }
    return WVL_OK;
}

static wvl_status write_picture(work *w)
{
    wvl_status status = check_picture(w);
    if (status) {
        return status;
    }
    w->planes = calloc(w->picture->channel_count, sizeof *w->planes);
    w->rows = calloc(w->picture->channel_count, sizeof *w->rows);
    w->offsets = calloc(w->chunk_count, sizeof *w->offsets);
    if (!w->planes || !w->rows || !w->offsets) {
        return lack_memory(w);
    }
    status = prepare(w);
    if (status) {
        forget(w->writer);
        return status;
    }
    status = code_whole(w);
    status = status ? status : code_last(w);
    return status ? status : make_header(w);
}

wvl_status wvl_exr_write(wvl_exr_writer *writer, const wvl_exr_picture *picture, wvl_sink *sink,
                         const wvl_control *control, char *error, size_t error_bytes)
{
    if (!writer || !picture || !sink || !sink->write || picture->struct_size < sizeof *picture) {
        return WVL_ERROR_ARGUMENT;
    }
    work w = {.writer = writer,
              .picture = picture,
              .control = control,
              .error = error,
              .error_bytes = error ? error_bytes : 0};
    wvl_status status = write_picture(&w);
    status = status ? status : send(&w, sink);
    if (sink->close && sink->close(sink->user, !status) && !status) {
        status = fail(&w, WVL_ERROR_SINK, "the file cannot be written");
    }
    free(w.planes);
    free(w.rows);
    free(w.offsets);
    free(w.header.at);
    free(w.chunks.at);
    return status;
}

wvl_status wvl_exr_writer_create(wvl_context *context, const char *device, wvl_exr_writer **writer)
{
    if (!context || !writer) {
        return WVL_ERROR_ARGUMENT;
    }
    *writer = calloc(1, sizeof **writer);
    char *copy = strdup(device ? device : "auto");
    if (!*writer || !copy) {
        free(*writer);
        free(copy);
        *writer = NULL;
        return WVL_ERROR_MEMORY;
    }
    (*writer)->context = context;
    (*writer)->device = copy;
    return WVL_OK;
}

void wvl_exr_writer_release(wvl_exr_writer *writer)
{
    if (writer) {
        forget(writer);
        free(writer->device);
        free(writer);
    }
}
