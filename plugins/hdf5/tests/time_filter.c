/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filter function alone, from one thread and from several: HDF5 itself has a lock, so a host that wants threads
 * codes chunks beside it and writes them directly. Bytes of samples a second of the clock and of a processor, and how
 * many times a thread gave its processor away: on a busy machine only these two say whether threads wait for each
 * other.
 *
 *   time_filter PLUGIN SAMPLES WIDTH HEIGHT TYPE THREADS [SECONDS]
 *
 * SAMPLES is a file of one chunk, TYPE as in the values of the filter.
 */
#define _GNU_SOURCE
#include <H5PLextern.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_THREADS = 64 };

static const H5Z_class2_t *plugin;
static uint8_t *samples, *coded;
static size_t sample_bytes, coded_bytes;
static unsigned values[5] = {1, 0, 0, 0, 1};
static double seconds = 3;

static double now(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t call(unsigned flags, const uint8_t *data, size_t bytes, uint8_t **out)
{
    void *buffer = malloc(bytes);
    size_t room = bytes;
    memcpy(buffer, data, bytes);
    bytes = plugin->filter(flags, 5, values, bytes, &room, &buffer);
    if (out) {
        *out = buffer;
    } else {
        free(buffer);
    }
    return bytes;
}

typedef struct worker {
    pthread_t thread;
    int is_decoding;
    long chunks, waits;
    double processor_seconds;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    struct rusage used;
    double end = now(CLOCK_MONOTONIC) + seconds;
    while (now(CLOCK_MONOTONIC) < end) {
        w->chunks += w->is_decoding ? call(H5Z_FLAG_REVERSE, coded, coded_bytes, NULL) != 0
                                    : call(0, samples, sample_bytes, NULL) != 0;
    }
    w->processor_seconds = now(CLOCK_THREAD_CPUTIME_ID);
    (void)getrusage(RUSAGE_THREAD, &used);
    w->waits = used.ru_nvcsw;
    return NULL;
}

static void measure(int count, int is_decoding)
{
    worker workers[MOST_THREADS] = {{0}}, all = {0};
    double begin = now(CLOCK_MONOTONIC);
    for (int i = 0; i < count; i++) {
        workers[i].is_decoding = is_decoding;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            exit(1);
        }
    }
    for (int i = 0; i < count; i++) {
        (void)pthread_join(workers[i].thread, NULL);
        all.chunks += workers[i].chunks;
        all.waits += workers[i].waits;
        all.processor_seconds += workers[i].processor_seconds;
    }
    double megabytes = (double)all.chunks * (double)sample_bytes / 1e6;
    printf("%s, %d threads: %.0f MB a second, %.0f MB a second of a processor, %ld chunks, %ld waits\n",
           is_decoding ? "decode" : "encode", count, megabytes / (now(CLOCK_MONOTONIC) - begin),
           megabytes / all.processor_seconds, all.chunks, all.waits);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "time_filter PLUGIN SAMPLES WIDTH HEIGHT TYPE THREADS [SECONDS]\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW);
    const void *(*info)(void);
    void *address = library ? dlsym(library, "H5PLget_plugin_info") : NULL;
    FILE *file = fopen(argv[2], "rb");
    int threads = atoi(argv[6]);
    if (!address || !file || threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "time_filter: %s\n", library ? "SAMPLES or THREADS" : dlerror());
        return 2;
    }
    memcpy(&info, &address, sizeof info);
    plugin = info();
    values[1] = (unsigned)strtoul(argv[5], NULL, 0);
    values[2] = (unsigned)atoi(argv[3]);
    values[3] = (unsigned)atoi(argv[4]);
    seconds = argc > 7 ? atof(argv[7]) : seconds;
    sample_bytes = (size_t)values[2] * values[3] * (values[1] & 0x7F);
    samples = malloc(sample_bytes);
    if (!samples || fread(samples, 1, sample_bytes, file) != sample_bytes) {
        fprintf(stderr, "time_filter: %s has fewer than %zu bytes\n", argv[2], sample_bytes);
        return 2;
    }
    (void)fclose(file);
    coded_bytes = call(0, samples, sample_bytes, &coded);
    printf("%zu bytes of %zu\n", coded_bytes, sample_bytes);
    for (int i = 0; i < 4 && coded_bytes; i++) {
        measure(i % 2 ? threads : 1, i / 2);
    }
    free(samples);
    free(coded);
    return coded_bytes == 0;
}
