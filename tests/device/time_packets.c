/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of packets and pictures on a device, beside what copying the bytes takes. Every picture is compared with the
 * CPU's before. Blocks are coded by the device beforehand; their kernels, the transform and uploads do not count.
 *
 *   time_packets PICTURE [RUNS]
 *
 * PICTURE: a file in the folder of test pictures. WVL_CUDA_TWIN_IMAGE names a file of device code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/decode/picture.h"
#include "tests/twin/emulated_driver.h"
#include "tests/twin/packets_case.h"

#define MOST_RUNS 64
#define MOST_MARKS 8

static ht_device device;
static unsigned runs = 21, mark_count;
static wvl_cuda_event marks[MOST_MARKS];

static wvl_cuda_status marked_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                     void **extra)
{
    wvl_cuda_status status = device.runtime->launch(f, gx, gy, gz, bx, by, bz, shared, s, arguments, extra);
    return status ? status : device.runtime->event_record(marks[++mark_count], s);
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Medians of the time between marks, in microseconds. */
typedef struct measured {
    double all, parts[MOST_MARKS];
    unsigned count;
} measured;

static double median(float *values)
{
    qsort(values, runs, sizeof *values, compare);
    return 1e3 * (double)values[runs / 2];
}

/* What one run queues between the first mark and the last. */
typedef wvl_cuda_status (*work_fn)(void *user);

static measured measure(work_fn work, void *user)
{
    static float parts[MOST_MARKS][MOST_RUNS], all[MOST_RUNS];
    measured m = {0, {0}, 0};
    for (unsigned r = 0; r < runs + 3; r++) {
        unsigned to = r < 3 ? 0 : r - 3;
        mark_count = 0;
        if (device.runtime->event_record(marks[0], device.stream) || work(user) ||
            device.runtime->event_record(marks[MOST_MARKS - 1], device.stream) ||
            device.runtime->stream_wait(device.stream)) {
            printf("a call failed\n");
            exit(1);
        }
        (void)device.runtime->event_elapsed(&all[to], marks[0], marks[MOST_MARKS - 1]);
        for (unsigned k = 0; k < mark_count; k++) {
            (void)device.runtime->event_elapsed(&parts[k][to], marks[k], marks[k + 1]);
        }
    }
    m.count = mark_count;
    m.all = median(all);
    for (unsigned k = 0; k < mark_count; k++) {
        m.parts[k] = median(parts[k]);
    }
    return m;
}

static wvl_cuda_status run_packets(void *user)
{
    const packets_load *load = user;
    return wvl_cuda_packets_launch(&load->packets, &load->job, wvl_cuda_to_stream(device.stream));
}

/* The bytes of all pictures to their output from elsewhere on the device, by the driver. */
typedef struct copy_job {
    const packets_load *load;
    wvl_cuda_address from;
    uint64_t bytes; /* of a picture */
} copy_job;

static wvl_cuda_status run_copy(void *user)
{
    const copy_job *j = user;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t p = 0; p < j->load->job.picture_count && !status; p++) {
        uint64_t at = p * j->load->output_each;
        wvl_cuda_copy copy = {.from_kind = 2,
                              .from_device = j->from + at,
                              .from_pitch_bytes = j->bytes,
                              .to_kind = 2,
                              .to_device = j->load->output + at,
                              .to_pitch_bytes = j->bytes,
                              .width_bytes = j->bytes,
                              .rows = 1};
        status = j->load->pinned ? device.runtime->download(j->load->pinned + at, j->from + at, j->bytes, device.stream)
                                 : device.runtime->upload_rows(&copy, device.stream);
    }
    return status;
}

static void time_load(packets_case *c, const char *name, uint32_t pictures, unsigned flags)
{
    packets_load load;
    copy_job copy = {&load, 0, c->expected_bytes};
    if (!packets_load_open(&load, &device, c, pictures, c->expected_bytes, flags) || packets_load_run(&load, &device)) {
        printf("%s: no memory\n", name);
        exit(1);
    }
    const char *wrong = packets_load_check(&load, &device, c);
    wvl_cuda_runtime marked = *device.runtime;
    marked.launch = marked_launch;
    measured whole = measure(run_packets, &load);
    load.packets.runtime = &marked;
    measured parts = measure(run_packets, &load);
    load.packets.runtime = device.runtime;
    (void)device.runtime->malloc_device(&copy.from, load.output_each * pictures);
    measured bytes = measure(run_copy, &copy);
    double n = pictures;
    printf("%-44s %s %s %u: %8.2f us a frame, copy alone %8.2f; kernels", name, load.pinned ? "pinned" : "device",
           flags & PACKETS_CODES_BLOCKS ? "parts" : "plain", pictures, whole.all / n, bytes.all / n);
    for (unsigned k = 0; k < parts.count; k++) {
        printf(" %.2f", parts.parts[k] / n);
    }
    printf("; %zu bytes, %s\n", c->expected_bytes, wrong ? wrong : "right");
    (void)fflush(stdout);
    (void)device.runtime->free_device(copy.from);
    packets_load_close(&load, &device);
}

static void time_settings(const picture_input *input, const char *settings)
{
    packets_case c;
    if (!packets_case_open(&c, &input->format, &input->image, settings)) {
        printf("%s: %s\n", settings, c.problem);
        exit(1);
    }
    for (uint32_t pictures = 1; pictures <= 8; pictures *= 8) {
        for (unsigned flags = 0; flags < 4; flags++) {
            if (c.has_list || !(flags & PACKETS_CODES_BLOCKS)) {
                time_load(&c, settings, pictures, flags);
            }
        }
    }
    packets_case_close(&c);
}

int main(int argc, char **argv)
{
    static const char *const settings[] = {"style=HT", "style=HT block=32,32",
                                           "style=HT progression=RPCL precincts=[256,256] plt=yes tlm=yes tile-parts=R",
                                           "style=HT tile=512,512 plt=yes tlm=yes", "block=32,32"};
    ht_device devices[2];
    picture p;
    char name[128] = "";
    if (argc < 2 || !picture_load(argv[1], NULL, &p)) {
        printf("usage: time_packets PICTURE [RUNS]; the folder of pictures: WVL_TEST_PICTURES\n");
        return 2;
    }
    runs = argc > 2 ? (unsigned)atoi(argv[2]) : runs;
    runs = runs < 1 || runs > MOST_RUNS ? 21 : runs;
    (void)setenv("WVL_CUDA_NO_EMULATION", "1", 1);
    if (!emulated_open_devices(devices)) {
        return 1;
    }
    device = devices[0];
    for (unsigned i = 0; i < MOST_MARKS; i++) {
        (void)device.runtime->event_create(&marks[i], 0);
    }
    (void)device.runtime->device_name(name, sizeof name, device.ordinal);
    printf("%s; median of %u; kernels: heads of large and of small packets where there are any, place, list, write\n",
           name, runs);
    picture_input input = picture_open_input(&p, 0);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        time_settings(&input, settings[i]);
    }
    picture_close_input(&input);
    picture_free(&p);
    emulated_close_devices(devices, 1);
    return 0;
}
