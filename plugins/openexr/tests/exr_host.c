/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that writes by OpenEXRCore, with the function of the plugin or with OpenEXR's own.
 *
 *   exr_host IN OUT htj2k256|htj2k32           writes OUT by the plugin
 *   exr_host IN --time RUNS                    CPU milliseconds and bytes: the plugin, then compressions of OpenEXR
 *
 * One thread. A time is that of all chunks in memory, from pixels in planes to the bytes of a chunk, without the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openexr.h>

#include "wavelane_exr.h"

#define CHECK(call) check((call), #call)

static void check(exr_result_t code, const char *what)
{
    if (code) {
        fprintf(stderr, "exr_host: %s: %s: %s\n", what, exr_get_error_code_as_string(code), wvl_exr_error());
        exit(1);
    }
}

typedef struct picture {
    const char *path;
    exr_attr_box2i_t window;
    const exr_attr_chlist_t *channels;
    uint8_t **planes;
    exr_context_t file;
} picture;

static size_t sample_bytes(const exr_attr_chlist_entry_t *channel)
{
    return channel->pixel_type == EXR_PIXEL_HALF ? 2 : 4;
}

/* The first row of a channel at line y or below it. */
static uint8_t *place(const picture *p, int index, int y)
{
    const exr_attr_chlist_entry_t *channel = &p->channels->entries[index];
    size_t row = (size_t)((y - p->window.min.y + channel->y_sampling - 1) / channel->y_sampling);
    size_t columns = (size_t)((p->window.max.x - p->window.min.x + 1) / channel->x_sampling);
    return p->planes[index] + row * columns * sample_bytes(channel);
}

static void read_picture(picture *p)
{
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    int lines = 0, is_ready = 0;
    exr_decode_pipeline_t decode = {.pipe_size = sizeof decode};
    CHECK(exr_start_read(&p->file, p->path, &start));
    CHECK(exr_get_data_window(p->file, 0, &p->window));
    CHECK(exr_get_channels(p->file, 0, &p->channels));
    CHECK(exr_get_scanlines_per_chunk(p->file, 0, &lines));
    size_t points = (size_t)(p->window.max.x - p->window.min.x + 1) * (size_t)(p->window.max.y - p->window.min.y + 1);
    p->planes = calloc((size_t)p->channels->num_channels, sizeof *p->planes);
    for (int i = 0; i < p->channels->num_channels; i++) {
        p->planes[i] = malloc(points * 4);
    }
    for (int y = p->window.min.y; y <= p->window.max.y; y += lines) {
        exr_chunk_info_t chunk;
        CHECK(exr_read_scanline_chunk_info(p->file, 0, y, &chunk));
        CHECK(is_ready ? exr_decoding_update(p->file, 0, &chunk, &decode)
                       : exr_decoding_initialize(p->file, 0, &chunk, &decode));
        for (int i = 0; i < decode.channel_count; i++) {
            exr_coding_channel_info_t *to = &decode.channels[i];
            to->decode_to_ptr = place(p, i, y);
            to->user_pixel_stride = to->bytes_per_element;
            to->user_line_stride = to->bytes_per_element * to->width;
            to->user_bytes_per_element = to->bytes_per_element;
            to->user_data_type = to->data_type;
        }
        if (!is_ready) {
            CHECK(exr_decoding_choose_default_routines(p->file, 0, &decode));
        }
        is_ready = 1;
        CHECK(exr_decoding_run(p->file, 0, &decode));
    }
    CHECK(exr_decoding_destroy(p->file, &decode));
}

static uint64_t coded_bytes;
static double cpu_seconds;

static exr_result_t count_alone(exr_encode_pipeline_t *pipeline)
{
    coded_bytes += pipeline->compressed_bytes;
    return exr_write_scanline_chunk((exr_context_t)(uintptr_t)pipeline->context, pipeline->part_index,
                                    pipeline->chunk.start_y, pipeline->compressed_buffer, pipeline->compressed_bytes);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static exr_result_t (*compress)(exr_encode_pipeline_t *);

static exr_result_t compress_timed(exr_encode_pipeline_t *pipeline)
{
    double begin = now();
    exr_result_t code = compress(pipeline);
    cpu_seconds += now() - begin;
    return code;
}

static void write_picture(const picture *p, const char *path, exr_compression_t compression, int by_plugin)
{
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_encode_pipeline_t encode = {.pipe_size = sizeof encode};
    exr_context_t file = NULL;
    int part = 0, lines = 0, is_ready = 0;
    coded_bytes = 0;
    cpu_seconds = 0;
    CHECK(exr_start_write(&file, path, EXR_WRITE_FILE_DIRECTLY, &start));
    CHECK(exr_set_longname_support(file, 1));
    CHECK(exr_add_part(file, NULL, EXR_STORAGE_SCANLINE, &part));
    CHECK(exr_copy_unset_attributes(file, part, p->file, 0));
    CHECK(exr_set_compression(file, part, compression));
    CHECK(exr_set_lineorder(file, part, EXR_LINEORDER_INCREASING_Y));
    CHECK(exr_write_header(file));
    CHECK(exr_get_scanlines_per_chunk(file, part, &lines));
    for (int y = p->window.min.y; y <= p->window.max.y; y += lines) {
        exr_chunk_info_t chunk;
        CHECK(exr_write_scanline_chunk_info(file, part, y, &chunk));
        CHECK(is_ready ? exr_encoding_update(file, part, &chunk, &encode)
                       : exr_encoding_initialize(file, part, &chunk, &encode));
        for (int i = 0; i < encode.channel_count; i++) {
            exr_coding_channel_info_t *from = &encode.channels[i];
            from->encode_from_ptr = place(p, i, y);
            from->user_pixel_stride = from->bytes_per_element;
            from->user_line_stride = from->bytes_per_element * from->width;
            from->user_bytes_per_element = from->bytes_per_element;
            from->user_data_type = from->data_type;
        }
        if (!is_ready) {
            CHECK(exr_encoding_choose_default_routines(file, part, &encode));
            compress = by_plugin ? wvl_exr_compress : encode.compress_fn;
            encode.compress_fn = compress_timed;
            encode.write_fn = count_alone;
        }
        is_ready = 1;
        CHECK(exr_encoding_run(file, part, &encode));
    }
    CHECK(exr_encoding_destroy(file, &encode));
    CHECK(exr_finish(&file));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All programs in turn in each run. */
static void time_all(const picture *p, int runs)
{
    static const struct {
        const char *name;
        exr_compression_t compression;
        int by_plugin;
    } rows[] = {{"Wavelane HTJ2K256", EXR_COMPRESSION_HTJ2K256, 1}, {"Wavelane HTJ2K32", EXR_COMPRESSION_HTJ2K32, 1},
                {"OpenEXR HTJ2K256", EXR_COMPRESSION_HTJ2K256, 0},  {"OpenEXR HTJ2K32", EXR_COMPRESSION_HTJ2K32, 0},
                {"OpenEXR ZIPS", EXR_COMPRESSION_ZIPS, 0},          {"OpenEXR PIZ", EXR_COMPRESSION_PIZ, 0}};
    enum { COUNT = sizeof rows / sizeof rows[0] };
    double *seconds[COUNT], reference = 0;
    uint64_t bytes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        seconds[i] = calloc((size_t)runs, sizeof **seconds);
    }
    for (int run = 0; run < runs; run++) {
        for (int i = 0; i < COUNT; i++) {
            write_picture(p, "/dev/null", rows[i].compression, rows[i].by_plugin);
            seconds[i][run] = cpu_seconds;
            bytes[i] = coded_bytes;
        }
    }
    for (int i = 0; i < COUNT; i++) {
        qsort(seconds[i], (size_t)runs, sizeof **seconds, by_value);
        reference = i ? reference : seconds[0][runs / 2];
        printf("%-18s %8.2f ms  %10llu bytes  %5.2f times the time, %6.4f times the bytes of the first\n", rows[i].name,
               1e3 * seconds[i][runs / 2], (unsigned long long)bytes[i], seconds[i][runs / 2] / reference,
               (double)bytes[i] / (double)bytes[0]);
        free(seconds[i]);
    }
}

int main(int argc, char **argv)
{
    picture p = {.path = argc > 1 ? argv[1] : NULL};
    if (argc != 4) {
        fprintf(stderr, "exr_host IN OUT htj2k256|htj2k32, or exr_host IN --time RUNS\n");
        return 2;
    }
    read_picture(&p);
    if (!strcmp(argv[2], "--time")) {
        time_all(&p, atoi(argv[3]) > 0 ? atoi(argv[3]) : 1);
    } else {
        write_picture(&p, argv[2], strcmp(argv[3], "htj2k32") ? EXR_COMPRESSION_HTJ2K256 : EXR_COMPRESSION_HTJ2K32, 1);
    }
    for (int i = 0; i < p.channels->num_channels; i++) {
        free(p.planes[i]);
    }
    free(p.planes);
    (void)exr_finish(&p.file);
    wvl_exr_release_kept();
    return 0;
}
