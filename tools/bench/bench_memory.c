/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the host, page-locked memory and memory of devices, by the driver that the library uses too. */
#include <stdlib.h>

#include "base/try.h"
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

/* Calls `work` with each device entered, until one fails. */
static wvl_cuda_status on_each(const wvl_bench_store *s, wvl_cuda_status (*work)(void *user, uint32_t on), void *user)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t on = 0; on < s->device_count && !status; on++) {
        status = enter(s, on);
        if (!status) {
            status = work(user, on);
            leave(s);
        }
    }
    return status;
}

static wvl_cuda_status open_device(void *store, uint32_t on)
{
    wvl_bench_store *s = store;
    return s->runtime.stream_create(&s->devices[on].stream, WVL_CUDA_STREAM_NON_BLOCKING);
}

static wvl_cuda_status open_devices(wvl_bench_store *s, uint32_t devices)
{
    wvl_cuda_status status = s->runtime.init(0);
    for (uint32_t on = 0; on < devices; on++) {
        TRY(status, s->runtime.device_get(&s->devices[on].handle, (int)on));
        TRY(status, s->runtime.context_retain(&s->devices[on].context, s->devices[on].handle));
        s->device_count += !status;
    }
    TRY(status, on_each(s, open_device, s));
    return status;
}

wvl_bench_store *wvl_bench_open_store(wvl_memory_kind kind, uint32_t devices)
{
    wvl_bench_store *s = calloc(1, sizeof *s);
    if (!s) {
        (void)wvl_bench_fail(-1, "no memory");
        return NULL;
    }
    s->kind = kind;
    if (kind == WVL_MEMORY_HOST ||
        (wvl_cuda_fetch_runtime(&s->runtime) && open_devices(s, devices) == WVL_CUDA_SUCCESS)) {
        return s;
    }
    wvl_bench_close_store(s);
    (void)wvl_bench_fail(
        -1,
        "--memory %s needs %u CUDA device%s, and cannot have %s: there are fewer, or this build has no device code. "
        "--memory host needs none",
        wvl_bench_kind_name(kind), devices, devices > 1 ? "s" : "", devices > 1 ? "them" : "it");
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
    return TRY(status, s->runtime.stream_wait(stream));
}

void *wvl_bench_store_copy(wvl_bench_store *s, const void *from, size_t bytes, int *ordinal)
{
    copy c = {NULL, bytes, s->device_count ? s->count % s->device_count : 0};
    *ordinal = (int)c.on;
    if (s->count == WVL_BENCH_RING_MAX || (s->device_count && enter(s, c.on) != WVL_CUDA_SUCCESS)) {
        return NULL;
    }
    int is_there = 0;
    c.memory = take_memory(s, bytes);
    if (c.memory) {
        s->copies[s->count++] = c;
        is_there = fill(s, &c, from) == WVL_CUDA_SUCCESS;
    }
    if (s->device_count) {
        leave(s);
    }
    return is_there ? c.memory : NULL;
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
    unsigned queued, waited;                            /* rounds */
} copies;

static size_t down_bytes(const copies *u, uint32_t i) { return u->down_bytes ? u->down_bytes[i] : 0; }

static wvl_cuda_status open_copies(void *user, uint32_t on)
{
    copies *u = user;
    const wvl_bench_store *s = u->store;
    wvl_cuda_status status = s->runtime.stream_create(&u->down[on], WVL_CUDA_STREAM_NON_BLOCKING);
    for (uint32_t i = on; i < s->count && !status; i += s->device_count) {
        size_t up = s->copies[i].bytes, down = down_bytes(u, i);
        status = s->runtime.malloc_device(&u->places[i], up > down ? up : down);
        TRY(status, down ? s->runtime.malloc_pinned(&u->outputs[i], down, PORTABLE) : WVL_CUDA_SUCCESS);
    }
    for (unsigned i = 0; i < 4; i++) {
        TRY(status, s->runtime.event_create(&u->rounds[i / 2][i % 2][on],
                                            WVL_CUDA_EVENT_BLOCKING | WVL_CUDA_EVENT_DISABLE_TIMING));
    }
    return status;
}

static wvl_cuda_status close_copies(void *user, uint32_t on)
{
    copies *u = user;
    const wvl_bench_store *s = u->store;
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
static wvl_cuda_status queue_round(void *user, uint32_t on)
{
    copies *u = user;
    const wvl_bench_store *s = u->store;
    wvl_cuda_stream stream = s->devices[on].stream;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t i = on; i < s->count && !status; i += s->device_count) {
        size_t down = down_bytes(u, i);
        status = s->runtime.upload(u->places[i], s->copies[i].memory, s->copies[i].bytes, stream);
        TRY(status, down ? s->runtime.download(u->outputs[i], u->places[i], down, u->down[on]) : WVL_CUDA_SUCCESS);
    }
    TRY(status, s->runtime.event_record(u->rounds[u->queued % 2][0][on], stream));
    return TRY(status, s->runtime.event_record(u->rounds[u->queued % 2][1][on], u->down[on]));
}

static wvl_cuda_status wait_round(void *user, uint32_t on)
{
    copies *u = user;
    wvl_cuda_status status = u->store->runtime.event_wait(u->rounds[u->waited % 2][0][on]);
    return TRY(status, u->store->runtime.event_wait(u->rounds[u->waited % 2][1][on]));
}

int wvl_bench_time_copies(const wvl_bench_store *store, const size_t *down, double seconds, double *copies_per_second)
{
    copies u = {.store = store, .down_bytes = down};
    wvl_cuda_status status = on_each(store, open_copies, &u);
    TRY(status, on_each(store, queue_round, &u)); /* not timed: the first touch of each page */
    TRY(status, on_each(store, wait_round, &u));
    double start = wvl_bench_wall_seconds(), elapsed = 0;
    while (!status && elapsed < seconds) {
        status = on_each(store, queue_round, &u);
        if (++u.queued > 1) {
            TRY(status, on_each(store, wait_round, &u));
            u.waited++;
        }
        elapsed = wvl_bench_wall_seconds() - start;
    }
    TRY(status, on_each(store, wait_round, &u));
    elapsed = wvl_bench_wall_seconds() - start;
    (void)on_each(store, close_copies, &u);
    *copies_per_second = elapsed > 0 ? (double)u.queued * store->count / elapsed : 0;
    return status;
}

/* ---- Pixels that arrive ---- */

typedef struct place {
    wvl_cuda_address at;
    wvl_cuda_event there;
} place;

struct wvl_bench_arrivals {
    const wvl_bench_store *store;
    wvl_bench_store *pixels; /* page-locked */
    uint32_t places;         /* of a device */
    size_t bytes;
    uint64_t sent[WVL_BENCH_DEVICES_MAX];
    place *there; /* [device_count * places] */
};

static wvl_cuda_status open_places(void *user, uint32_t on)
{
    wvl_bench_arrivals *a = user;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t i = 0; i < a->places; i++) {
        place *p = &a->there[on * a->places + i];
        TRY(status, a->store->runtime.malloc_device(&p->at, a->bytes));
        TRY(status, a->store->runtime.event_create(&p->there, WVL_CUDA_EVENT_DISABLE_TIMING));
    }
    return status;
}

static wvl_cuda_status close_places(void *user, uint32_t on)
{
    wvl_bench_arrivals *a = user;
    const wvl_cuda_runtime *rt = &a->store->runtime;
    (void)rt->stream_wait(a->pixels->devices[on].stream);
    for (uint32_t i = 0; i < a->places; i++) {
        place *p = &a->there[on * a->places + i];
        if (p->there) {
            (void)rt->event_destroy(p->there);
        }
        if (p->at) {
            (void)rt->free_device(p->at);
        }
    }
    return WVL_CUDA_SUCCESS;
}

wvl_bench_arrivals *wvl_bench_open_arrivals(const wvl_bench_store *store, uint8_t *const *pixels, uint32_t count,
                                            size_t bytes, uint32_t places)
{
    wvl_bench_arrivals *a = calloc(1, sizeof *a);
    place *there = calloc((size_t)store->device_count * places, sizeof *there);
    wvl_bench_store *pinned = wvl_bench_open_store(WVL_MEMORY_PINNED, store->device_count);
    int is_open = a && there && pinned, ordinal;
    for (uint32_t k = 0; k < count && is_open; k++) {
        is_open = wvl_bench_store_copy(pinned, pixels[k], bytes, &ordinal) != NULL;
    }
    if (!is_open) {
        wvl_bench_close_store(pinned);
        free(there);
        free(a);
        return NULL;
    }
    *a = (wvl_bench_arrivals){.store = store, .pixels = pinned, .places = places, .bytes = bytes, .there = there};
    if (on_each(store, open_places, a) != WVL_CUDA_SUCCESS) {
        wvl_bench_close_arrivals(a);
        return NULL;
    }
    return a;
}

void *wvl_bench_send(wvl_bench_arrivals *a, uint32_t k, uint32_t on, void **event)
{
    const wvl_cuda_runtime *rt = &a->store->runtime;
    wvl_cuda_stream stream = a->pixels->devices[on].stream;
    place *p = &a->there[on * a->places + a->sent[on]++ % a->places];
    wvl_cuda_status status = enter(a->store, on);
    if (status) {
        return NULL;
    }
    status = rt->upload(p->at, a->pixels->copies[k].memory, a->bytes, stream);
    TRY(status, rt->event_record(p->there, stream));
    leave(a->store);
    *event = p->there;
    return status ? NULL : (void *)(uintptr_t)p->at;
}

void wvl_bench_close_arrivals(wvl_bench_arrivals *a)
{
    if (a) {
        (void)on_each(a->store, close_places, a);
        wvl_bench_close_store(a->pixels);
        free(a->there);
        free(a);
    }
}
