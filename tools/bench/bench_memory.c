/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the host, page-locked memory and memory of devices, by the driver that the library uses too. */
#include <stdlib.h>
#include <string.h>

#include "bench_ring.h"
#include "cuda/host/driver/runtime_table.h"

#define PORTABLE 1u /* page-locked for all devices */

typedef struct copy {
    void *memory;
    size_t bytes;
    uint32_t on; /* which of the devices has it, or gets it */
} copy;

/* Its context is the device's primary one, which the library uses too. */
typedef struct device {
    int handle;
    wvl_cuda_context context;
    wvl_cuda_stream stream;
} device;

struct wvl_bench_store {
    wvl_memory_kind kind;
    wvl_cuda_runtime runtime;
    device devices[WVL_BENCH_DEVICES_MAX];
    uint32_t device_count; /* 0: kind HOST */
    copy copies[WVL_BENCH_RING_MAX];
    uint32_t count;
};

/* ---- Open and close ---- */

static wvl_cuda_status enter(const wvl_bench_store *s, uint32_t on)
{
    return s->runtime.context_push(s->devices[on].context);
}

static void leave(const wvl_bench_store *s)
{
    wvl_cuda_context context;
    (void)s->runtime.context_pop(&context);
}

static wvl_cuda_status open_device(wvl_bench_store *s, int ordinal)
{
    const wvl_cuda_runtime *rt = &s->runtime;
    device *d = &s->devices[s->device_count];
    wvl_cuda_status status = rt->device_get(&d->handle, ordinal);
    status = status ? status : rt->context_retain(&d->context, d->handle);
    if (status) {
        return status;
    }
    s->device_count++;
    status = enter(s, s->device_count - 1);
    if (!status) {
        status = rt->stream_create(&d->stream, WVL_CUDA_STREAM_NON_BLOCKING);
        leave(s);
    }
    return status;
}

static wvl_cuda_status open_devices(wvl_bench_store *s, uint32_t devices)
{
    wvl_cuda_status status = s->runtime.init(0);
    for (uint32_t i = 0; i < devices && !status; i++) {
        status = open_device(s, (int)i);
    }
    return status;
}

wvl_bench_store *wvl_bench_open_store(wvl_memory_kind kind, uint32_t devices, char *error)
{
    wvl_bench_store *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
        return NULL;
    }
    s->kind = kind;
    if (kind == WVL_MEMORY_HOST ||
        (wvl_cuda_fetch_runtime(&s->runtime) && open_devices(s, devices) == WVL_CUDA_SUCCESS)) {
        return s;
    }
    snprintf(
        error, WVL_BENCH_ERROR_BYTES,
        "--memory %s needs %u CUDA device%s, and cannot have %s: there are fewer, or this build has no device code. "
        "--memory host needs none",
        wvl_bench_kind_name(kind), devices, devices > 1 ? "s" : "", devices > 1 ? "them" : "it");
    wvl_bench_close_store(s);
    return NULL;
}

static void free_copy(const wvl_bench_store *s, const copy *c)
{
    if (s->kind == WVL_MEMORY_HOST) {
        free(c->memory);
        return;
    }
    if (enter(s, c->on) == WVL_CUDA_SUCCESS) {
        (void)(s->kind == WVL_MEMORY_PINNED ? s->runtime.free_pinned(c->memory)
                                            : s->runtime.free_device((wvl_cuda_address)(uintptr_t)c->memory));
        leave(s);
    }
}

static void close_device(const wvl_bench_store *s, uint32_t on)
{
    const device *d = &s->devices[on];
    if (d->stream && enter(s, on) == WVL_CUDA_SUCCESS) {
        (void)s->runtime.stream_destroy(d->stream);
        leave(s);
    }
    (void)s->runtime.context_release(d->handle);
}

void wvl_bench_close_store(wvl_bench_store *s)
{
    if (!s) {
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        free_copy(s, &s->copies[i]);
    }
    for (uint32_t i = 0; i < s->device_count; i++) {
        close_device(s, i);
    }
    free(s);
}

/* ---- Copies ---- */

/* On the device that is entered, if there is one. */
static void *take_memory(const wvl_bench_store *s, size_t bytes)
{
    void *memory = NULL;
    if (s->kind == WVL_MEMORY_HOST) {
        return posix_memalign(&memory, 256, bytes) == 0 ? memory : NULL;
    }
    if (s->kind == WVL_MEMORY_PINNED) {
        return s->runtime.malloc_pinned(&memory, bytes, PORTABLE) == WVL_CUDA_SUCCESS ? memory : NULL;
    }
    wvl_cuda_address address = 0;
    return s->runtime.malloc_device(&address, bytes) == WVL_CUDA_SUCCESS ? (void *)(uintptr_t)address : NULL;
}

static wvl_cuda_status fill(const wvl_bench_store *s, const copy *c, const void *from)
{
    if (s->kind != WVL_MEMORY_DEVICE) {
        memcpy(c->memory, from, c->bytes);
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_stream stream = s->devices[c->on].stream;
    wvl_cuda_status status = s->runtime.upload((wvl_cuda_address)(uintptr_t)c->memory, from, c->bytes, stream);
    return status ? status : s->runtime.stream_wait(stream);
}

static void *put_copy(wvl_bench_store *s, copy c, const void *from)
{
    c.memory = take_memory(s, c.bytes);
    if (!c.memory) {
        return NULL;
    }
    s->copies[s->count++] = c;
    return fill(s, &c, from) == WVL_CUDA_SUCCESS ? c.memory : NULL;
}

void *wvl_bench_store_copy(wvl_bench_store *s, const void *from, size_t bytes, int *ordinal)
{
    copy c = {NULL, bytes, s->device_count ? s->count % s->device_count : 0};
    *ordinal = (int)c.on;
    if (s->count == WVL_BENCH_RING_MAX || (s->device_count && enter(s, c.on) != WVL_CUDA_SUCCESS)) {
        return NULL;
    }
    void *memory = put_copy(s, c, from);
    if (s->device_count) {
        leave(s);
    }
    return memory;
}

/* ---- Copies alone ---- */

typedef struct copies {
    const wvl_bench_store *store;
    const size_t *down_bytes; /* NULL: nothing comes down */
    wvl_cuda_address places[WVL_BENCH_RING_MAX];
    void *outputs[WVL_BENCH_RING_MAX];
    wvl_cuda_stream down[WVL_BENCH_DEVICES_MAX];
    wvl_cuda_event rounds[2][2][WVL_BENCH_DEVICES_MAX]; /* ends of the last two, up and down: one runs while the other
                                                           is queued */
} copies;

/* Calls `work` with each device entered. */
static wvl_cuda_status on_each(copies *u, unsigned round,
                               wvl_cuda_status (*work)(copies *u, uint32_t on, unsigned round))
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t on = 0; on < u->store->device_count && !status; on++) {
        status = enter(u->store, on);
        if (!status) {
            status = work(u, on, round);
            leave(u->store);
        }
    }
    return status;
}

static size_t down_bytes(const copies *u, uint32_t i) { return u->down_bytes ? u->down_bytes[i] : 0; }

static wvl_cuda_status open_copies(copies *u, uint32_t on, unsigned round)
{
    const wvl_bench_store *s = u->store;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    (void)round;
    for (uint32_t i = on; i < s->count && !status; i += s->device_count) {
        size_t up = s->copies[i].bytes, down = down_bytes(u, i);
        status = s->runtime.malloc_device(&u->places[i], up > down ? up : down);
        status = status || !down ? status : s->runtime.malloc_pinned(&u->outputs[i], down, PORTABLE);
    }
    for (unsigned i = 0; i < 4 && !status; i++) {
        status = s->runtime.event_create(&u->rounds[i / 2][i % 2][on],
                                         WVL_CUDA_EVENT_BLOCKING | WVL_CUDA_EVENT_DISABLE_TIMING);
    }
    return status ? status : s->runtime.stream_create(&u->down[on], WVL_CUDA_STREAM_NON_BLOCKING);
}

static wvl_cuda_status close_copies(copies *u, uint32_t on, unsigned round)
{
    const wvl_bench_store *s = u->store;
    (void)round;
    (void)s->runtime.stream_wait(s->devices[on].stream);
    if (u->down[on]) {
        (void)s->runtime.stream_wait(u->down[on]);
        (void)s->runtime.stream_destroy(u->down[on]);
    }
    for (uint32_t i = on; i < s->count; i += s->device_count) {
        if (u->places[i]) {
            (void)s->runtime.free_device(u->places[i]);
        }
        if (u->outputs[i]) {
            (void)s->runtime.free_pinned(u->outputs[i]);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        if (u->rounds[i / 2][i % 2][on]) {
            (void)s->runtime.event_destroy(u->rounds[i / 2][i % 2][on]);
        }
    }
    return WVL_CUDA_SUCCESS;
}

/* Every copy of the store once, each to its device, and as many downloads. */
static wvl_cuda_status queue_round(copies *u, uint32_t on, unsigned round)
{
    const wvl_bench_store *s = u->store;
    wvl_cuda_stream stream = s->devices[on].stream;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t i = on; i < s->count && !status; i += s->device_count) {
        size_t down = down_bytes(u, i);
        status = s->runtime.upload(u->places[i], s->copies[i].memory, s->copies[i].bytes, stream);
        status = status || !down ? status : s->runtime.download(u->outputs[i], u->places[i], down, u->down[on]);
    }
    status = status ? status : s->runtime.event_record(u->rounds[round % 2][0][on], stream);
    return status ? status : s->runtime.event_record(u->rounds[round % 2][1][on], u->down[on]);
}

static wvl_cuda_status wait_round(copies *u, uint32_t on, unsigned round)
{
    wvl_cuda_status status = u->store->runtime.event_wait(u->rounds[round % 2][0][on]);
    return status ? status : u->store->runtime.event_wait(u->rounds[round % 2][1][on]);
}

int wvl_bench_time_copies(const wvl_bench_store *store, const size_t *down, double seconds, double *copies_per_second)
{
    copies u = {.store = store, .down_bytes = down};
    unsigned rounds = 0;
    wvl_cuda_status status = on_each(&u, 0, open_copies);
    status = status ? status : on_each(&u, 1, queue_round); /* not timed: the first touch of each page */
    status = status ? status : on_each(&u, 1, wait_round);
    double start = wvl_bench_wall_seconds(), elapsed = 0;
    while (!status && elapsed < seconds) {
        status = on_each(&u, rounds, queue_round);
        status = status || rounds == 0 ? status : on_each(&u, rounds - 1, wait_round);
        rounds++;
        elapsed = wvl_bench_wall_seconds() - start;
    }
    status = status ? status : on_each(&u, rounds - 1, wait_round);
    elapsed = wvl_bench_wall_seconds() - start;
    (void)on_each(&u, 0, close_copies);
    *copies_per_second = elapsed > 0 ? (double)rounds * store->count / elapsed : 0;
    return status;
}

/* ---- Pixels that arrive ---- */

typedef struct place {
    wvl_cuda_address at;
    wvl_cuda_event there;
} place;

struct wvl_bench_arrivals {
    const wvl_bench_store *store;
    uint32_t count, places; /* places of a device */
    size_t bytes;
    void *pixels[WVL_BENCH_RING_MAX]; /* page-locked */
    wvl_cuda_stream streams[WVL_BENCH_DEVICES_MAX];
    uint64_t sent[WVL_BENCH_DEVICES_MAX];
    place *there; /* [device_count * places] */
};

static wvl_cuda_status open_places(wvl_bench_arrivals *a, uint32_t on)
{
    const wvl_cuda_runtime *rt = &a->store->runtime;
    wvl_cuda_status status = rt->stream_create(&a->streams[on], WVL_CUDA_STREAM_NON_BLOCKING);
    for (uint32_t i = 0; i < a->places && !status; i++) {
        place *p = &a->there[on * a->places + i];
        status = rt->malloc_device(&p->at, a->bytes);
        status = status ? status : rt->event_create(&p->there, WVL_CUDA_EVENT_DISABLE_TIMING);
    }
    return status;
}

static void close_places(wvl_bench_arrivals *a, uint32_t on)
{
    const wvl_cuda_runtime *rt = &a->store->runtime;
    if (a->streams[on]) {
        (void)rt->stream_wait(a->streams[on]);
        (void)rt->stream_destroy(a->streams[on]);
    }
    for (uint32_t i = 0; i < a->places; i++) {
        place *p = &a->there[on * a->places + i];
        if (p->there) {
            (void)rt->event_destroy(p->there);
        }
        if (p->at) {
            (void)rt->free_device(p->at);
        }
    }
    for (uint32_t k = 0; k < a->count && on == 0; k++) {
        if (a->pixels[k]) {
            (void)rt->free_pinned(a->pixels[k]);
        }
    }
}

static wvl_cuda_status take_pixels(wvl_bench_arrivals *a, uint8_t *const *pixels)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t k = 0; k < a->count && !status; k++) {
        status = a->store->runtime.malloc_pinned(&a->pixels[k], a->bytes, PORTABLE);
        if (!status) {
            memcpy(a->pixels[k], pixels[k], a->bytes);
        }
    }
    return status;
}

static wvl_cuda_status open_all(wvl_bench_arrivals *a, uint8_t *const *pixels)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t on = 0; on < a->store->device_count && !status; on++) {
        status = enter(a->store, on);
        if (!status) {
            status = on == 0 ? take_pixels(a, pixels) : WVL_CUDA_SUCCESS;
            status = status ? status : open_places(a, on);
            leave(a->store);
        }
    }
    return status;
}

wvl_bench_arrivals *wvl_bench_open_arrivals(const wvl_bench_store *store, uint8_t *const *pixels, uint32_t count,
                                            size_t bytes, uint32_t places)
{
    wvl_bench_arrivals *a = calloc(1, sizeof *a);
    place *there = calloc((size_t)store->device_count * places, sizeof *there);
    if (!a || !there) {
        free(a);
        free(there);
        return NULL;
    }
    *a = (wvl_bench_arrivals){.store = store, .count = count, .places = places, .bytes = bytes, .there = there};
    if (open_all(a, pixels) != WVL_CUDA_SUCCESS) {
        wvl_bench_close_arrivals(a);
        return NULL;
    }
    return a;
}

void *wvl_bench_send(wvl_bench_arrivals *a, uint32_t k, uint32_t on, void **event)
{
    const wvl_cuda_runtime *rt = &a->store->runtime;
    place *p = &a->there[on * a->places + a->sent[on]++ % a->places];
    wvl_cuda_status status = enter(a->store, on);
    if (status) {
        return NULL;
    }
    status = rt->upload(p->at, a->pixels[k], a->bytes, a->streams[on]);
    status = status ? status : rt->event_record(p->there, a->streams[on]);
    leave(a->store);
    *event = p->there;
    return status ? NULL : (void *)(uintptr_t)p->at;
}

void wvl_bench_close_arrivals(wvl_bench_arrivals *a)
{
    if (!a) {
        return;
    }
    for (uint32_t on = 0; on < a->store->device_count; on++) {
        if (enter(a->store, on) == WVL_CUDA_SUCCESS) {
            close_places(a, on);
            leave(a->store);
        }
    }
    free(a->there);
    free(a);
}
