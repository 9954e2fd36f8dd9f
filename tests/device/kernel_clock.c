/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "cuda/host/transform/launch.h"

wvl_cuda_runtime kernel_driver, kernel_marked;
static wvl_cuda_event marks[KERNEL_CLOCK_PARTS + 1];
static unsigned mark_count;
static float times[KERNEL_CLOCK_PARTS + 1][KERNEL_CLOCK_RUNS]; /* the last one: of all parts together */

void kernel_clock_require(wvl_cuda_status status)
{
    if (status) {
        printf("a call failed: %d\n", status);
        exit(1);
    }
}

static wvl_cuda_status marked_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments,
                                     void **extra)
{
    wvl_cuda_status status = kernel_driver.launch(f, gx, gy, gz, bx, by, bz, shared, s, arguments, extra);
    return status ? status : kernel_driver.event_record(marks[++mark_count], s);
}

static const void *fetch_image(void)
{
    const char *name = getenv("WVL_CUDA_TWIN_IMAGE");
    FILE *f = name ? fopen(name, "rb") : NULL;
    char *image = f ? calloc(1, 64 << 20) : NULL;
    if (!image) {
        return wvl_cuda_fetch_image();
    }
    (void)!fread(image, 1, (64 << 20) - 1, f);
    (void)fclose(f);
    return image;
}

static void print_device(const ht_device *device)
{
    char name[128] = "";
    int processors = 0;
    (void)kernel_driver.device_name(name, sizeof name, device->ordinal);
    (void)kernel_driver.device_attribute(&processors, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, device->ordinal);
    printf("%s, %d multiprocessors\n", name, processors);
}

int kernel_clock_open(ht_device *device)
{
    const void *image = fetch_image();
    wvl_cuda_context context;
    int count = 0;
    *device = (ht_device){.runtime = &kernel_driver};
    if (!image || !wvl_cuda_fetch_runtime(&kernel_driver) || kernel_driver.init(0) ||
        kernel_driver.device_count(&count) || !count || kernel_driver.device_get(&device->ordinal, 0) ||
        kernel_driver.context_retain(&context, device->ordinal) || kernel_driver.context_push(context) ||
        kernel_driver.module_load(&device->module, image) ||
        kernel_driver.stream_create(&device->stream, WVL_CUDA_STREAM_NON_BLOCKING)) {
        printf("no device, or no device code in this build\n");
        return 0;
    }
    for (unsigned i = 0; i <= KERNEL_CLOCK_PARTS; i++) {
        kernel_clock_require(kernel_driver.event_create(&marks[i], 0));
    }
    kernel_marked = kernel_driver;
    kernel_marked.launch = marked_launch;
    print_device(device);
    return 1;
}

unsigned kernel_clock_runs(const char *text, unsigned usual)
{
    unsigned runs = text ? (unsigned)atoi(text) : usual;
    return runs < 1 || runs > KERNEL_CLOCK_RUNS ? usual : runs;
}

void kernel_clock_start(const ht_device *device)
{
    mark_count = 0;
    kernel_clock_require(kernel_driver.event_record(marks[0], device->stream));
}

void kernel_clock_mark(const ht_device *device)
{
    kernel_clock_require(kernel_driver.event_record(marks[++mark_count], device->stream));
}

unsigned kernel_clock_stop(const ht_device *device, unsigned run)
{
    kernel_clock_require(kernel_driver.stream_wait(device->stream));
    for (unsigned k = 0; k < mark_count; k++) {
        kernel_clock_require(kernel_driver.event_elapsed(&times[k][run], marks[k], marks[k + 1]));
    }
    kernel_clock_require(kernel_driver.event_elapsed(&times[KERNEL_CLOCK_PARTS][run], marks[0], marks[mark_count]));
    return mark_count;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double kernel_clock_fetch_part(unsigned part, unsigned runs)
{
    qsort(times[part], runs, sizeof *times[part], compare_floats);
    return 1e3 * (double)times[part][runs / 2];
}

double kernel_clock_fetch_all(unsigned runs) { return kernel_clock_fetch_part(KERNEL_CLOCK_PARTS, runs); }
