/* SPDX-License-Identifier: BSD-2-Clause */
/* Processor time of a cinema frame, in turns: this program, through the messages, and opj_compress with a file.
   figures PROGRAM PICTURE.ppm (16 bits, values of 12) */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"

enum { ROUNDS = 5, FRAMES = 6 };

static double spent(void)
{
    struct rusage r;
    (void)getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int finish(client *c)
{
    char printed[1000];
    return client_say(c, "GRK_MSGR_BATCH_SHUTDOWN") ? client_wait(c, printed, sizeof printed) : 1;
}

static double time_program(const char *program, const char *size, const char *cinema, const uint16_t *samples)
{
    double before = spent();
    client c = {0};
    result r = {0};
    client_clean();
    client_make(&c);
    client_start(&c, program, size, cinema, "24,250000000", 0);
    if (!client_begin(&c)) {
        exit(1);
    }
    for (unsigned i = 0; i < FRAMES; i++) {
        if (!client_submit(&c, i, samples) || !client_take(&c, &r) || !client_empty(&c, r.slot)) {
            exit(1);
        }
    }
    if (finish(&c)) {
        exit(1);
    }
    printf("program %zu bytes, ", r.bytes);
    return (spent() - before) / FRAMES;
}

int main(int argc, char **argv)
{
    unsigned width, height;
    double times[2][ROUNDS];
    char size[64], line[1000];
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file || fscanf(file, "P6 %u %u 4095", &width, &height) != 2 || fgetc(file) < 0) {
        return 2;
    }
    uint16_t *samples = calloc((size_t)width * height * 3, 2);
    for (size_t i = 0; samples && i < (size_t)width * height * 3; i++) {
        int high = fgetc(file);
        samples[i] = (uint16_t)(high << 8 | fgetc(file));
    }
    (void)fclose(file);
    snprintf(size, sizeof size, "%u,%u,%u", width, width, height);
    const char *cinema = width > 2048 ? "-cinema4K" : "-cinema2K";
    snprintf(line, sizeof line, "opj_compress -i %s -o /tmp/dcpomatic_figure.j2k %s %s >/dev/null", argv[2], cinema,
             width > 2048 ? "" : "24");
    for (int i = 0; i < ROUNDS && samples; i++) {
        times[0][i] = time_program(argv[1], size, cinema, samples);
        double before = spent();
        int failed = system(line);
        times[1][i] = spent() - before;
        printf("%.3f s a frame; opj_compress %.3f s (%d)\n", times[0][i], times[1][i], failed);
    }
    (void)unlink("/tmp/dcpomatic_figure.j2k");
    client_clean();
    free(samples);
    qsort(times[0], ROUNDS, sizeof(double), compare);
    qsort(times[1], ROUNDS, sizeof(double), compare);
    printf("medians %.3f and %.3f s, ratio %.1f\n", times[0][ROUNDS / 2], times[1][ROUNDS / 2],
           times[1][ROUNDS / 2] / times[0][ROUNDS / 2]);
    return 0;
}
