/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that have a part of the device's multiprocessors, as a smaller device would have: a green context of the
 * driver (12.4 and newer). */
#include <dlfcn.h>
#include <stdio.h>

#include "device_timer.h"
#include "timer_launches.h"

/* The driver's CUdevResource, which may grow: 96 bytes in front, then the number of multiprocessors. */
typedef union resource {
    uint32_t words[256];
} resource;
enum { MULTIPROCESSORS = 1, COUNT_WORD = 24, DEFAULT_STREAM = 1 };

static struct {
    int (*get)(int device, resource *all, int type);
    int (*split)(resource *parts, unsigned *count, const resource *all, resource *rest, unsigned flags, unsigned least);
    int (*describe)(void **description, resource *parts, unsigned count);
    int (*create)(void **context, void *description, int device, unsigned flags);
    int (*destroy)(void *context);
    int (*create_stream)(wvl_cuda_stream *stream, void *context, unsigned flags, int priority);
} calls;
static void *part;
static wvl_cuda_runtime plain;

static void find(const char *name, void *call)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol) {
        timer_fail("multiprocessors: this driver has no %s", name);
    }
    memcpy(call, &symbol, sizeof symbol);
}

static wvl_cuda_status create_stream(wvl_cuda_stream *stream, unsigned flags)
{
    return calls.create_stream(stream, part, flags, 0);
}

void timer_partition_open(wvl_device *device, uint32_t multiprocessors)
{
    static resource all, mine, rest;
    void *description;
    unsigned count = 1;
    if (!multiprocessors) {
        return;
    }
    find("cuDeviceGetDevResource", &calls.get);
    find("cuDevSmResourceSplitByCount", &calls.split);
    find("cuDevResourceGenerateDesc", &calls.describe);
    find("cuGreenCtxCreate", &calls.create);
    find("cuGreenCtxDestroy", &calls.destroy);
    find("cuGreenCtxStreamCreate", &calls.create_stream);
    timer_require(wvl_cuda_enter(device));
    timer_require(calls.get(device->handle, &all, MULTIPROCESSORS));
    timer_require(calls.split(&mine, &count, &all, &rest, 0, multiprocessors));
    timer_require(calls.describe(&description, &mine, 1));
    timer_require(calls.create(&part, description, device->handle, DEFAULT_STREAM));
    wvl_cuda_leave(device);
    printf("on %u multiprocessors:\n", mine.words[COUNT_WORD]);
    plain = device->own_runtime;
    device->own_runtime.stream_create = create_stream;
}

void timer_partition_close(wvl_device *device)
{
    if (part) {
        device->own_runtime.stream_create = plain.stream_create;
        timer_require(wvl_cuda_enter(device));
        timer_require(calls.destroy(part));
        wvl_cuda_leave(device);
        part = NULL;
    }
}
