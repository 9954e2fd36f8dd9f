/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench_transfers_device.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "cuda/host/driver/runtime_table.h"

#define PORTABLE 1u /* page-locked for all devices */
enum { WORKSPACES = 3, MOST_TAKEN = 8 };

/* Memory for one piece. The events say when its last user was through. */
typedef struct workspace {
    wvl_cuda_address in, out;
    wvl_cuda_event uploaded, transformed, downloaded;
} workspace;

/* Streams for copies up, for transforms, and for copies down. */
enum { UP, WORK, DOWN, STREAMS };

typedef struct device {
    int handle;
    wvl_cuda_context context;
    wvl_cuda_stream streams[STREAMS];
    workspace workspaces[WORKSPACES];
    wvl_dwt2 *dwt; /* queues in streams[WORK] */
} device;

struct wvl_transfers_bench {
    wvl_cuda_runtime runtime;
    device devices[WVL_TRANSFERS_DEVICES];
    uint32_t device_count, levels;
    void *taken[MOST_TAKEN];
    uint32_t taken_count;
    char name[128];
};

/* ---- Open and close -------------------------------------------------------------------------- */

static wvl_cuda_status enter(const wvl_transfers_bench *b, const device *d)
{
    return b->runtime.context_push(d->context);
}

static void leave(const wvl_transfers_bench *b)
{
    wvl_cuda_context context;
    (void)b->runtime.context_pop(&context);
}

static wvl_cuda_status open_workspace(const wvl_cuda_runtime *rt, workspace *s, uint64_t samples)
{
    wvl_cuda_event *const events[] = {&s->uploaded, &s->transformed, &s->downloaded};
    wvl_cuda_status status = rt->malloc_device(&s->in, samples * sizeof(float));
    TRY(status, rt->malloc_device(&s->out, samples * sizeof(float)));
    for (int i = 0; i < 3 && !status; i++) {
        status = rt->event_create(events[i], WVL_CUDA_EVENT_DISABLE_TIMING);
    }
    return status;
}

/* The device is entered. */
static wvl_cuda_status open_rooms(const wvl_cuda_runtime *rt, device *d, uint64_t samples)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (int i = 0; i < STREAMS && !status; i++) {
        status = rt->stream_create(&d->streams[i], WVL_CUDA_STREAM_NON_BLOCKING);
    }
    for (int i = 0; i < WORKSPACES && !status; i++) {
        status = open_workspace(rt, &d->workspaces[i], samples);
    }
    return status;
}

static wvl_cuda_status open_device(wvl_transfers_bench *b, int ordinal, uint64_t samples)
{
    const wvl_cuda_runtime *rt = &b->runtime;
    device *d = &b->devices[b->device_count];
    wvl_cuda_status status = rt->device_get(&d->handle, ordinal);
    TRY(status, rt->context_retain(&d->context, d->handle));
    if (status) {
        return status;
    }
    b->device_count++;
    status = enter(b, d);
    if (!status) {
        status = open_rooms(rt, d, samples);
        leave(b);
    }
    return status;
}

/* 0: done. */
static int open_transform(device *d, uint32_t ordinal, const char *wavelet, char *error)
{
    const wvl_dwt2_options o = {.struct_size = sizeof o,
                                .wavelet = wavelet,
                                .type = WVL_DWT_F32,
                                .memory = WVL_DWT_DEVICE,
                                .device = ordinal,
                                .stream = d->streams[WORK]};
    return wvl_dwt2_create(&o, &d->dwt, error, WVL_BENCH_ERROR_BYTES) != WVL_OK;
}

wvl_transfers_bench *wvl_transfers_open(uint32_t devices, const char *wavelet, uint32_t levels, uint64_t samples,
                                        int *is_absent, char *error)
{
    wvl_transfers_bench *b = calloc(1, sizeof *b);
    int found = 0;
    *is_absent = 0;
    if (!b) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
        return NULL;
    }
    b->levels = levels;
    if (!wvl_cuda_fetch_runtime(&b->runtime) || b->runtime.init(0) || b->runtime.device_count(&found) ||
        found < (int)devices) {
        *is_absent = 1;
        snprintf(error, WVL_BENCH_ERROR_BYTES, "%u CUDA devices are wanted, there are %d; give --devices 0 for the CPU",
                 devices, found);
        free(b);
        return NULL;
    }
    for (uint32_t i = 0; i < devices; i++) {
        const wvl_cuda_status status = open_device(b, (int)i, samples);
        if (status || open_transform(&b->devices[i], i, wavelet, error)) {
            if (status) {
                snprintf(error, WVL_BENCH_ERROR_BYTES, "device %u: status %d; give a smaller --size or --tile", i,
                         status);
            }
            wvl_transfers_close(b);
            return NULL;
        }
    }
    (void)b->runtime.device_name(b->name, sizeof b->name, b->devices[0].handle);
    return b;
}

static void close_workspace(const wvl_cuda_runtime *rt, const workspace *s)
{
    const wvl_cuda_event events[] = {s->uploaded, s->transformed, s->downloaded};
    for (int i = 0; i < 3; i++) {
        if (events[i]) {
            (void)rt->event_destroy(events[i]);
        }
    }
    (void)(s->in && rt->free_device(s->in));
    (void)(s->out && rt->free_device(s->out));
}

static void close_device(const wvl_transfers_bench *b, device *d)
{
    const wvl_cuda_runtime *rt = &b->runtime;
    if (enter(b, d) == WVL_CUDA_SUCCESS) {
        for (int i = 0; i < STREAMS; i++) {
            (void)(d->streams[i] && rt->stream_wait(d->streams[i]));
        }
        wvl_dwt2_release(d->dwt);
        for (int i = 0; i < WORKSPACES; i++) {
            close_workspace(rt, &d->workspaces[i]);
        }
        for (int i = 0; i < STREAMS; i++) {
            (void)(d->streams[i] && rt->stream_destroy(d->streams[i]));
        }
        leave(b);
    }
}

void wvl_transfers_close(wvl_transfers_bench *b)
{
    if (!b) {
        return;
    }
    for (uint32_t i = 0; i < b->device_count; i++) {
        close_device(b, &b->devices[i]);
    }
    if (b->device_count && enter(b, &b->devices[0]) == WVL_CUDA_SUCCESS) {
        for (uint32_t i = 0; i < b->taken_count; i++) {
            (void)b->runtime.free_pinned(b->taken[i]);
        }
        leave(b);
    }
    for (uint32_t i = 0; i < b->device_count; i++) {
        (void)b->runtime.context_release(b->devices[i].handle);
    }
    free(b);
}

float *wvl_transfers_take(wvl_transfers_bench *b, uint64_t samples)
{
    void *memory = NULL;
    if (b->taken_count == MOST_TAKEN || enter(b, &b->devices[0]) != WVL_CUDA_SUCCESS) {
        return NULL;
    }
    if (b->runtime.malloc_pinned(&memory, samples * sizeof(float), PORTABLE) == WVL_CUDA_SUCCESS) {
        b->taken[b->taken_count++] = memory;
    } else {
        memory = NULL;
    }
    leave(b);
    return memory;
}

const char *wvl_transfers_device_name(const wvl_transfers_bench *b) { return b->name; }

/* ---- Work ------------------------------------------------------------------------------------ */

wvl_status wvl_transfers_transform(wvl_dwt2 *dwt, const wvl_transfers_piece *p, uint32_t levels, char *error)
{
    wvl_dwt2_view bands[3 * 32 + 1];
    for (uint32_t y = 0; y < p->rows; y += p->tile_height) {
        const uint32_t height = p->rows - y < p->tile_height ? p->rows - y : p->tile_height;
        for (uint32_t x = 0; x < p->width; x += p->tile_width) {
            const uint32_t width = p->width - x < p->tile_width ? p->width - x : p->tile_width;
            const size_t at = (size_t)y * p->width + x;
            const wvl_dwt2_view plane = {p->to + at, 1, p->width};
            const wvl_dwt2_view image = {(void *)(uintptr_t)(p->from + at), 1, p->width};
            wvl_status status = wvl_dwt2_place(WVL_DWT2_SEPARATE, &plane, width, height, levels, bands);
            TRY(status, wvl_dwt2_forward(dwt, &image, width, height, levels, bands, error, WVL_BENCH_ERROR_BYTES));
            if (status) {
                return status;
            }
        }
    }
    return WVL_OK;
}

/* 0: queued. The workspace's events order what the streams do; one stream orders itself. */
static int queue_piece(const wvl_transfers_bench *b, const wvl_transfers_order *o, device *d, workspace *s,
                       const wvl_transfers_piece *p, char *error)
{
    const wvl_cuda_runtime *rt = &b->runtime;
    const wvl_cuda_stream up = d->streams[o->overlaps ? UP : WORK], down = d->streams[o->overlaps ? DOWN : WORK];
    const wvl_cuda_stream work = d->streams[WORK];
    const size_t bytes = (size_t)p->width * p->rows * sizeof(float);
    wvl_transfers_piece here = *p;
    here.from = (const float *)(uintptr_t)s->in;
    here.to = (float *)(uintptr_t)s->out;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (o->copies) {
        status = rt->stream_after(up, s->transformed, 0);
        TRY(status, rt->upload(s->in, p->from, bytes, up));
        TRY(status, rt->event_record(s->uploaded, up));
        TRY(status, rt->stream_after(work, s->uploaded, 0));
        TRY(status, rt->stream_after(work, s->downloaded, 0));
    }
    if (!status && o->transforms && wvl_transfers_transform(d->dwt, &here, b->levels, error) != WVL_OK) {
        return 1;
    }
    TRY(status, rt->event_record(s->transformed, work));
    if (o->copies) {
        TRY(status, rt->stream_after(down, s->transformed, 0));
        TRY(status, rt->download(p->to, s->out, bytes, down));
        TRY(status, rt->event_record(s->downloaded, down));
    }
    if (status) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "a device failed with status %d", status);
    }
    return status != WVL_CUDA_SUCCESS;
}

/* 0: all streams are through. */
static int wait_devices(const wvl_transfers_bench *b, uint32_t devices, char *error)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t i = 0; i < devices; i++) {
        const device *d = &b->devices[i];
        const wvl_cuda_status entered = enter(b, d);
        TRY(status, entered);
        for (int k = 0; k < STREAMS && !entered; k++) {
            const wvl_cuda_status waited = b->runtime.stream_wait(d->streams[k]);
            TRY(status, waited);
        }
        if (!entered) {
            leave(b);
        }
    }
    if (status) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "a device failed with status %d", status);
    }
    return status != WVL_CUDA_SUCCESS;
}

double wvl_transfers_run(wvl_transfers_bench *b, const wvl_transfers_order *o, const wvl_transfers_piece *pieces,
                         size_t count, char *error)
{
    const double start = wvl_bench_wall_seconds();
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        device *d = &b->devices[i % o->devices];
        failed = enter(b, d) != WVL_CUDA_SUCCESS;
        if (failed) {
            snprintf(error, WVL_BENCH_ERROR_BYTES, "a device cannot be entered");
        } else {
            failed = queue_piece(b, o, d, &d->workspaces[i / o->devices % WORKSPACES], &pieces[i], error);
            leave(b);
        }
    }
    if (failed) {
        char other[WVL_BENCH_ERROR_BYTES]; /* the first failure is the one that counts */
        (void)wait_devices(b, o->devices, other);
        return -1.0;
    }
    return wait_devices(b, o->devices, error) ? -1.0 : wvl_bench_wall_seconds() - start;
}
