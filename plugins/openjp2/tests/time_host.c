/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that times its encode calls, from opj_start_compress() to opj_end_compress(), and nothing else. Run it with
 * and without the plugin:
 *
 *   time_host PICTURE.ppm RATIO THREADS RUNS [FILE.j2k]      RATIO 0: lossless; else 9/7
 *
 * Prints the median in milliseconds, the least, the bytes, and who encoded. One thread: time of the processor, which
 * other programs disturb less.
 */
#define _POSIX_C_SOURCE 200809L
#include <openjpeg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct memory {
    unsigned char *data;
    size_t at, bytes, room;
} memory;

static OPJ_SIZE_T write_memory(void *data, OPJ_SIZE_T bytes, void *user)
{
    memory *m = user;
    if (bytes > m->room - m->at) {
        return (OPJ_SIZE_T)-1;
    }
    memcpy(m->data + m->at, data, bytes);
    m->at += bytes;
    m->bytes = m->at > m->bytes ? m->at : m->bytes;
    return bytes;
}

static OPJ_OFF_T skip_memory(OPJ_OFF_T bytes, void *user)
{
    ((memory *)user)->at += (size_t)bytes;
    return bytes;
}

static OPJ_BOOL seek_memory(OPJ_OFF_T at, void *user)
{
    ((memory *)user)->at = (size_t)at;
    return OPJ_TRUE;
}

/* PGM or PPM of 8 or 16 bits. */
static opj_image_t *read_picture(const char *path)
{
    unsigned width, height, most;
    char kind;
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P%c %u %u %u", &kind, &width, &height, &most) != 4 || fgetc(file) == EOF) {
        return NULL;
    }
    unsigned count = kind == '6' ? 3 : 1, bytes = most > 255 ? 2 : 1, depth = 1;
    while (1u << depth <= most) {
        depth++;
    }
    opj_image_cmptparm_t parts[3];
    memset(parts, 0, sizeof parts);
    for (unsigned i = 0; i < 3; i++) {
        parts[i].dx = parts[i].dy = 1;
        parts[i].w = width;
        parts[i].h = height;
        parts[i].prec = depth;
    }
    opj_image_t *image = opj_image_create(count, parts, count == 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
    image->x1 = width;
    image->y1 = height;
    unsigned char *row = malloc((size_t)width * count * bytes);
    for (size_t y = 0; y < height; y++) {
        if (fread(row, (size_t)count * bytes, width, file) != width) {
            return NULL;
        }
        for (size_t i = 0; i < (size_t)width * count; i++) {
            image->comps[i % count].data[y * width + i / count] =
                bytes == 1 ? row[i] : row[2 * i] << 8 | row[2 * i + 1];
        }
    }
    free(row);
    fclose(file);
    return image;
}

static void say(const char *text, void *user) { fputs(text, user); }

static double now(int threads)
{
    struct timespec t;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The codec takes the samples; each run has a copy. Milliseconds, or a negative number. */
static double encode(const opj_image_t *from, double ratio, int threads, memory *out)
{
    opj_cparameters_t p;
    opj_set_default_encoder_parameters(&p);
    p.tcp_numlayers = 1;
    p.cp_disto_alloc = 1;
    p.tcp_rates[0] = (float)ratio;
    p.irreversible = ratio > 0;
    p.tcp_mct = from->numcomps >= 3;
    opj_image_cmptparm_t parts[3];
    memset(parts, 0, sizeof parts);
    for (unsigned i = 0; i < from->numcomps; i++) {
        parts[i].dx = parts[i].dy = 1;
        parts[i].w = from->comps[i].w;
        parts[i].h = from->comps[i].h;
        parts[i].prec = from->comps[i].prec;
    }
    opj_image_t *image = opj_image_create(from->numcomps, parts, from->color_space);
    image->x1 = from->x1;
    image->y1 = from->y1;
    for (unsigned i = 0; i < from->numcomps; i++) {
        memcpy(image->comps[i].data, from->comps[i].data, (size_t)from->comps[i].w * from->comps[i].h * 4);
    }
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_default_create(OPJ_FALSE);
    out->at = out->bytes = 0;
    opj_stream_set_user_data(stream, out, NULL);
    opj_stream_set_write_function(stream, write_memory);
    opj_stream_set_skip_function(stream, skip_memory);
    opj_stream_set_seek_function(stream, seek_memory);
    opj_set_error_handler(codec, say, stderr);
    int done = opj_setup_encoder(codec, &p, image) && (threads == 1 || opj_codec_set_threads(codec, threads));
    double from_time = now(threads);
    done = done && opj_start_compress(codec, image, stream) && opj_encode(codec, stream) &&
           opj_end_compress(codec, stream);
    double time = now(threads) - from_time;
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    return done ? time : -1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double times[1000];
    if (argc < 5) {
        fputs("usage: time_host PICTURE.ppm RATIO THREADS RUNS [FILE.j2k]\n", stderr);
        return 2;
    }
    int threads = atoi(argv[3]), runs = atoi(argv[4]);
    opj_image_t *image = read_picture(argv[1]);
    if (!image || runs < 1 || runs > 1000) {
        fputs("time_host: no picture, or no number of runs\n", stderr);
        return 1;
    }
    memory out = {.room = (size_t)image->x1 * image->y1 * image->numcomps * 3 + 100000};
    out.data = malloc(out.room);
    for (int i = 0; i < runs; i++) {
        times[i] = encode(image, atof(argv[2]), threads, &out);
        if (times[i] < 0) {
            return 1;
        }
    }
    qsort(times, (size_t)runs, sizeof *times, compare);
    int is_ours = 0;
    for (size_t i = 0; i < 300 && i + 8 < out.bytes; i++) {
        is_ours |= !memcmp(out.data + i, "Wavelane", 8);
    }
    printf("%.1f %.1f %zu %s\n", times[runs / 2], times[0], out.bytes, is_ours ? "Wavelane" : "OpenJPEG");
    FILE *file = argc > 5 ? fopen(argv[5], "wb") : NULL;
    int failed = file && (fwrite(out.data, 1, out.bytes, file) != out.bytes);
    failed |= file && fclose(file) != 0;
    free(out.data);
    opj_image_destroy(image);
    return failed;
}
