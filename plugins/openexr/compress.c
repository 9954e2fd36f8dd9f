/* SPDX-License-Identifier: BSD-2-Clause */
/* The compress_fn of a pipeline of OpenEXRCore. Plans are kept for the process: a pipeline has no place for them. */
#include <pthread.h>
#include <stdio.h>

#include <openexr.h>

#include "chunk.h"
#include "wavelane_simple.h"

#define MOST_KEPT 8 /* plans: whole and last chunks of a few files at a time */

typedef struct kept {
    wvl_exr_chunk chunk;
    wvl_exr_channel *channels; /* names are owned */
    uint32_t channel_count;
    uint32_t users; /* threads that code by it now */
    uint64_t used;  /* when, by count of uses */
} kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wvl_context *context;
static kept *plans[MOST_KEPT];
static uint64_t use_count;
static _Thread_local char reason[512];

const char *wvl_exr_error(void) { return reason; }

static exr_result_t fail(wvl_status status, const char *text)
{
    if (text) {
        snprintf(reason, sizeof reason, "%s", text);
    }
    return status == WVL_ERROR_MEMORY ? EXR_ERR_OUT_OF_MEMORY : EXR_ERR_INCORRECT_CHUNK;
}

/* ---- Plans that are kept --------------------------------------------------------------------- */

static void release(kept *k)
{
    for (uint32_t i = 0; k && k->channels && i < k->channel_count; i++) {
        free((void *)(uintptr_t)k->channels[i].name);
    }
    if (k) {
        wvl_exr_release_chunk(&k->chunk);
        free(k->channels);
        free(k);
    }
}

static kept *make(const wvl_exr_channel *channels, uint32_t count, uint32_t width, uint32_t height)
{
    kept *k = calloc(1, sizeof *k);
    if (!k || !(k->channels = calloc(count, sizeof *k->channels))) {
        free(k);
        (void)fail(WVL_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    for (int is_complete = 1; k->channel_count < count && is_complete; k->channel_count += (uint32_t)is_complete) {
        k->channels[k->channel_count] = channels[k->channel_count];
        k->channels[k->channel_count].name = strdup(channels[k->channel_count].name);
        is_complete = k->channels[k->channel_count].name != NULL;
    }
    if (k->channel_count < count ||
        wvl_exr_plan_chunk(context, "cpu", channels, count, width, height, &k->chunk, reason, sizeof reason)) {
        release(k);
        return NULL;
    }
    return k;
}

/* A place without a plan, else the one whose plan was not used for the longest time; -1: all are in use. */
static int find_place(void)
{
    int found = -1;
    for (int i = 0; i < MOST_KEPT; i++) {
        if (!plans[i]) {
            return i;
        }
        if (!plans[i]->users && (found < 0 || plans[i]->used < plans[found]->used)) {
            found = i;
        }
    }
    return found;
}

/* The caller gives it back. NULL: failed, with the reason. */
static kept *borrow(const wvl_exr_channel *channels, uint32_t count, uint32_t width, uint32_t height)
{
    const wvl_context_options options = {.struct_size = sizeof options, .threads = 1};
    kept *k = NULL;
    pthread_mutex_lock(&lock);
    if (!context && wvl_context_create(&options, &context)) {
        (void)fail(WVL_ERROR_MEMORY, "out of memory");
    }
    for (int i = 0; context && !k && i < MOST_KEPT; i++) {
        int fits = plans[i] && plans[i]->channel_count == count && plans[i]->chunk.width == width &&
                   plans[i]->chunk.height == height && wvl_exr_are_alike(plans[i]->channels, channels, count);
        k = fits ? plans[i] : NULL;
    }
    if (context && !k && (k = make(channels, count, width, height))) {
        int place = find_place();
        if (place >= 0) {
            release(plans[place]);
            plans[place] = k;
        }
    }
    if (k) {
        k->users++;
        k->used = ++use_count;
    }
    pthread_mutex_unlock(&lock);
    return k;
}

static void give_back(kept *k)
{
    int is_kept = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_KEPT; i++) {
        is_kept |= plans[i] == k;
    }
    k->users--;
    pthread_mutex_unlock(&lock);
    if (!is_kept) {
        release(k);
    }
}

void wvl_exr_release_kept(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_KEPT; i++) {
        release(plans[i]);
        plans[i] = NULL;
    }
    wvl_context_release(context);
    context = NULL;
    pthread_mutex_unlock(&lock);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

typedef struct job {
    exr_encode_pipeline_t *pipeline;
    wvl_exr_channel *channels;
    const void **rows;
    wvl_plane *planes;
    uint8_t *gathered; /* NULL: rows lie at equal distances in the packed samples */
} job;

/* 0: OpenEXR decodes no such codestream, since a sampling does not divide the chunk. */
static int describe(job *j)
{
    const exr_encode_pipeline_t *pipeline = j->pipeline;
    int fits = 1;
    for (int i = 0; i < pipeline->channel_count; i++) {
        const exr_coding_channel_info_t *from = &pipeline->channels[i];
        j->channels[i] = (wvl_exr_channel){.name = from->channel_name,
                                           .type = (uint8_t)from->data_type,
                                           .x_sampling = from->x_samples,
                                           .y_sampling = from->y_samples};
        fits &= from->x_samples >= 1 && from->x_samples <= 255 && from->y_samples >= 1 && from->y_samples <= 255;
        fits = fits && from->width * from->x_samples == pipeline->chunk.width &&
               from->height * from->y_samples == pipeline->chunk.height;
    }
    return fits;
}

static size_t row_bytes(const exr_coding_channel_info_t *channel)
{
    return (size_t)channel->width * (size_t)channel->bytes_per_element;
}

/* The rows of channels that are not in every line lie at unequal distances. */
static int gather(job *j)
{
    const exr_encode_pipeline_t *pipeline = j->pipeline;
    const uint8_t *from = pipeline->packed_buffer;
    uint8_t *to = j->gathered = malloc(pipeline->packed_bytes);
    for (int i = 0; to && i < pipeline->channel_count; i++) {
        j->rows[i] = to;
        j->channels[i].pitch_bytes = (ptrdiff_t)row_bytes(&pipeline->channels[i]);
        to += row_bytes(&pipeline->channels[i]) * (size_t)pipeline->channels[i].height;
    }
    for (int i = 0; to && i < pipeline->channel_count; i++) {
        uint8_t *row = (uint8_t *)(uintptr_t)j->rows[i];
        from = pipeline->packed_buffer;
        for (int line = 0; line < pipeline->chunk.height; line++) {
            for (int c = 0; c < pipeline->channel_count; c++) {
                const exr_coding_channel_info_t *channel = &pipeline->channels[c];
                int is_there = (pipeline->chunk.start_y + line) % channel->y_samples == 0;
                if (is_there && c == i) {
                    memcpy(row, from, row_bytes(channel));
                    row += row_bytes(channel);
                }
                from += is_there ? row_bytes(channel) : 0;
            }
        }
    }
    return j->gathered != NULL;
}

/* 1: the rows of all channels are found. */
static int find_rows(job *j)
{
    const exr_encode_pipeline_t *pipeline = j->pipeline;
    const uint8_t *at = pipeline->packed_buffer;
    size_t line = 0;
    for (int i = 0; i < pipeline->channel_count; i++) {
        if (pipeline->channels[i].y_samples > 1) {
            return gather(j);
        }
        j->rows[i] = at + line;
        line += row_bytes(&pipeline->channels[i]);
    }
    for (int i = 0; i < pipeline->channel_count; i++) {
        j->channels[i].pitch_bytes = (ptrdiff_t)line;
    }
    return 1;
}

static exr_result_t store_raw(exr_encode_pipeline_t *pipeline)
{
    memcpy(pipeline->compressed_buffer, pipeline->packed_buffer, pipeline->packed_bytes);
    pipeline->compressed_bytes = pipeline->packed_bytes;
    return EXR_ERR_SUCCESS;
}

static exr_result_t code(job *j)
{
    exr_encode_pipeline_t *pipeline = j->pipeline;
    kept *k = borrow(j->channels, (uint32_t)pipeline->channel_count, (uint32_t)pipeline->chunk.width,
                     (uint32_t)pipeline->chunk.height);
    if (!k) {
        return fail(WVL_ERROR_INTERNAL, NULL);
    }
    const wvl_image image = {
        .struct_size = sizeof image, .planes = j->planes, .plane_count = (uint32_t)pipeline->channel_count};
    size_t map = wvl_exr_map_bytes(&k->chunk), count = 0;
    wvl_status status = WVL_ERROR_SINK;
    wvl_exr_point_planes(&k->chunk, j->channels, j->rows, j->planes);
    if (pipeline->packed_bytes > map + 1) {
        wvl_exr_put_map(&k->chunk, pipeline->compressed_buffer);
        status = wvl_encode_to_buffer(k->chunk.plan, &image, NULL, (uint8_t *)pipeline->compressed_buffer + map,
                                      pipeline->packed_bytes - map - 1, &count, NULL, reason, sizeof reason);
    }
    give_back(k);
    if (status == WVL_ERROR_SINK) {
        return store_raw(pipeline);
    }
    pipeline->compressed_bytes = map + count;
    return status ? fail(status, NULL) : EXR_ERR_SUCCESS;
}

/* Room for what is stored at most. */
static int take_buffer(exr_encode_pipeline_t *pipeline)
{
    void (*release_old)(exr_transcoding_pipeline_buffer_id_t, void *) = pipeline->free_fn;
    if (pipeline->compressed_buffer && pipeline->compressed_alloc_size >= pipeline->packed_bytes) {
        return 1;
    }
    if (pipeline->compressed_buffer && pipeline->compressed_alloc_size && release_old) {
        release_old(EXR_TRANSCODE_BUFFER_COMPRESSED, pipeline->compressed_buffer);
    } else if (pipeline->compressed_buffer && pipeline->compressed_alloc_size) {
        free(pipeline->compressed_buffer);
    }
    pipeline->compressed_buffer = pipeline->alloc_fn
                                      ? pipeline->alloc_fn(EXR_TRANSCODE_BUFFER_COMPRESSED, pipeline->packed_bytes)
                                      : malloc(pipeline->packed_bytes);
    pipeline->compressed_alloc_size = pipeline->compressed_buffer ? pipeline->packed_bytes : 0;
    return pipeline->compressed_buffer != NULL;
}

static int is_ours(const exr_encode_pipeline_t *pipeline)
{
    exr_compression_t compression = EXR_COMPRESSION_NONE;
    int is_htj2k = !exr_get_compression(pipeline->context, pipeline->part_index, &compression) &&
                   (compression == EXR_COMPRESSION_HTJ2K256 || compression == EXR_COMPRESSION_HTJ2K32);
    return is_htj2k && !pipeline->sample_count_table && pipeline->packed_buffer && pipeline->channel_count > 0 &&
           pipeline->chunk.width > 0 && pipeline->chunk.height > 0;
}

int32_t wvl_exr_compress(exr_encode_pipeline_t *pipeline)
{
    if (!pipeline || !pipeline->context) {
        return EXR_ERR_MISSING_CONTEXT_ARG;
    }
    if (!is_ours(pipeline)) {
        return exr_compress_chunk(pipeline);
    }
    size_t count = (size_t)pipeline->channel_count;
    job j = {.pipeline = pipeline,
             .channels = calloc(count, sizeof *j.channels),
             .rows = calloc(count, sizeof *j.rows),
             .planes = calloc(count, sizeof *j.planes)};
    exr_result_t result = EXR_ERR_OUT_OF_MEMORY;
    reason[0] = 0;
    if (!j.channels || !j.rows || !j.planes || !take_buffer(pipeline)) {
        (void)fail(WVL_ERROR_MEMORY, "out of memory");
    } else if (!describe(&j)) {
        result = store_raw(pipeline);
    } else if (find_rows(&j)) {
        result = code(&j);
    }
    free(j.channels);
    free(j.rows);
    free(j.planes);
    free(j.gathered);
    return result;
}
