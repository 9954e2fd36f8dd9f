/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "device_timer.h"
#include "picture_bench.h"

#define WARM_RUNS 3u

ht_device timer_device;
wvl_cuda_runtime timer_driver, timer_marked;
static wvl_cuda_event marks[TIMER_MOST_PARTS + 2];
static unsigned mark_count;

void timer_require(wvl_cuda_status status)
{
    if (status) {
        timer_fail("a call of the driver failed: %d", status);
    }
}

static wvl_cuda_status marked_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                     void **extra)
{
    wvl_cuda_status status = timer_driver.launch(f, gx, gy, gz, bx, by, bz, shared, s, arguments, extra);
    if (mark_count == TIMER_MOST_PARTS) {
        timer_fail("more than %u launches in one run", TIMER_MOST_PARTS);
    }
    return status ? status : timer_driver.event_record(marks[++mark_count], s);
}

void timer_open_device(void)
{
    const void *coded = picture_read_image(getenv("WVL_CUDA_TWIN_IMAGE")),
               *image = coded ? coded : wvl_cuda_fetch_image();
    ht_device *d = &timer_device;
    wvl_cuda_context context;
    char name[128] = "";
    int count = 0, processors = 0;
    d->runtime = &timer_driver;
    if (!image || !wvl_cuda_fetch_runtime(&timer_driver) || timer_driver.init(0) || timer_driver.device_count(&count) ||
        !count || timer_driver.device_get(&d->ordinal, 0) || timer_driver.context_retain(&context, d->ordinal) ||
        timer_driver.context_push(context) || timer_driver.module_load(&d->module, image) ||
        timer_driver.stream_create(&d->stream, WVL_CUDA_STREAM_NON_BLOCKING)) {
        timer_fail("no device, or no device code in this build");
    }
    for (unsigned i = 0; i < TIMER_MOST_PARTS + 2; i++) {
        timer_require(timer_driver.event_create(&marks[i], 0));
    }
    timer_marked = timer_driver;
    timer_marked.launch = marked_launch;
    (void)timer_driver.device_name(name, sizeof name, d->ordinal);
    (void)timer_driver.device_attribute(&processors, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, d->ordinal);
    printf("%s, %d multiprocessors\n", name, processors);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double median(float *values, uint32_t runs)
{
    qsort(values, runs, sizeof *values, compare_floats);
    return 1e3 * (double)values[runs / 2];
}

timer_times timer_measure(uint32_t runs, timer_work work, void *user)
{
    static float parts[TIMER_MOST_PARTS][TIMER_MOST_RUNS], all[TIMER_MOST_RUNS];
    const wvl_cuda_event end = marks[TIMER_MOST_PARTS + 1];
    timer_times times = {0};
    for (uint32_t r = 0; r < runs + WARM_RUNS; r++) {
        uint32_t to = r < WARM_RUNS ? 0 : r - WARM_RUNS;
        mark_count = 0;
        timer_require(timer_driver.event_record(marks[0], timer_device.stream));
        timer_require(work(user));
        timer_require(timer_driver.event_record(end, timer_device.stream));
        timer_require(timer_driver.stream_wait(timer_device.stream));
        timer_require(timer_driver.event_elapsed(&all[to], marks[0], end));
        for (unsigned k = 0; k < mark_count; k++) {
            timer_require(timer_driver.event_elapsed(&parts[k][to], marks[k], marks[k + 1]));
        }
    }
    times.count = mark_count;
    times.all = median(all, runs);
    for (unsigned k = 0; k < mark_count; k++) {
        times.parts[k] = median(parts[k], runs);
    }
    return times;
}

void timer_print_parts(const timer_times *times, uint32_t frames)
{
    for (unsigned k = 0; k < times->count; k++) {
        printf(" %.1f", times->parts[k] / frames);
    }
}
