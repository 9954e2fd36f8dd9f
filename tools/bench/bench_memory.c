/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the host, page-locked memory and memory of device 0, by the driver that the library uses too. */
#include <stdlib.h>
#include <string.h>

#include "bench_ring.h"
#include "cuda/host/runtime_table.h"

typedef struct copy {
    void *memory;
    size_t bytes;
} copy;

struct wvl_bench_store {
    wvl_memory_kind kind;
    wvl_cuda_runtime runtime;
    int device;
    wvl_cuda_context context; /* the device's primary one, which the library uses; NULL for kind HOST */
    wvl_cuda_stream stream;
    copy copies[WVL_BENCH_RING_MAX];
    uint32_t count;
};

/* ---- Open and close ---- */

static wvl_cuda_status open_device(wvl_bench_store *s)
{
    const wvl_cuda_runtime *rt = &s->runtime;
    int count = 0;
    wvl_cuda_status status = rt->init(0);
    status = status ? status : rt->device_count(&count);
    status = status ? status : rt->device_get(&s->device, 0);
    status = status ? status : rt->context_retain(&s->context, s->device);
    status = status ? status : rt->context_push(s->context);
    return status ? status : rt->stream_create(&s->stream, WVL_CUDA_STREAM_NON_BLOCKING);
}

wvl_bench_store *wvl_bench_open_store(wvl_memory_kind kind, char *error)
{
    wvl_bench_store *s = calloc(1, sizeof *s);
    if (s == NULL) {
        snprintf(error, WVL_BENCH_ERROR_BYTES, "no memory");
        return NULL;
    }
    s->kind = kind;
    if (kind == WVL_MEMORY_HOST || (wvl_cuda_fetch_runtime(&s->runtime) && open_device(s) == WVL_CUDA_SUCCESS)) {
        return s;
    }
    snprintf(error, WVL_BENCH_ERROR_BYTES,
             "--memory %s needs a CUDA device, and none can be used: there is none, or this build has no device code. "
             "--memory host needs none",
             wvl_bench_kind_name(kind));
    wvl_bench_close_store(s);
    return NULL;
}

static void free_memory(const wvl_bench_store *s, void *memory)
{
    if (s->kind == WVL_MEMORY_HOST) {
        free(memory);
    } else if (s->kind == WVL_MEMORY_PINNED) {
        (void)s->runtime.free_pinned(memory);
    } else {
        (void)s->runtime.free_device((wvl_cuda_address)(uintptr_t)memory);
    }
}

void wvl_bench_close_store(wvl_bench_store *s)
{
    if (s == NULL) {
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        free_memory(s, s->copies[i].memory);
    }
    if (s->stream != NULL) {
        (void)s->runtime.stream_destroy(s->stream);
    }
    if (s->context != NULL) {
        wvl_cuda_context context;
        (void)s->runtime.context_pop(&context);
        (void)s->runtime.context_release(s->device);
    }
    free(s);
}

/* ---- Copies ---- */

static void *take_memory(const wvl_bench_store *s, size_t bytes)
{
    void *memory = NULL;
    if (s->kind == WVL_MEMORY_HOST) {
        return posix_memalign(&memory, 256, bytes) == 0 ? memory : NULL;
    }
    if (s->kind == WVL_MEMORY_PINNED) {
        return s->runtime.malloc_pinned(&memory, bytes, 0) == WVL_CUDA_SUCCESS ? memory : NULL;
    }
    wvl_cuda_address address = 0;
    return s->runtime.malloc_device(&address, bytes) == WVL_CUDA_SUCCESS ? (void *)(uintptr_t)address : NULL;
}

static wvl_cuda_status upload(const wvl_bench_store *s, void *to, const void *from, size_t bytes)
{
    wvl_cuda_status status = s->runtime.upload((wvl_cuda_address)(uintptr_t)to, from, bytes, s->stream);
    return status ? status : s->runtime.stream_wait(s->stream);
}

void *wvl_bench_store_copy(wvl_bench_store *s, const void *from, size_t bytes)
{
    void *memory = s->count < WVL_BENCH_RING_MAX ? take_memory(s, bytes) : NULL;
    if (memory == NULL) {
        return NULL;
    }
    s->copies[s->count++] = (copy){memory, bytes};
    if (s->kind != WVL_MEMORY_DEVICE) {
        memcpy(memory, from, bytes);
        return memory;
    }
    return upload(s, memory, from, bytes) == WVL_CUDA_SUCCESS ? memory : NULL;
}

/* ---- Uploads alone ---- */

typedef struct uploads {
    const wvl_bench_store *store;
    wvl_cuda_address places[WVL_BENCH_RING_MAX];
    wvl_cuda_event rounds[2]; /* ends of the last two rounds: one runs while the other is queued */
} uploads;

static wvl_cuda_status open_uploads(uploads *u)
{
    const wvl_bench_store *s = u->store;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t i = 0; i < s->count && !status; i++) {
        status = s->runtime.malloc_device(&u->places[i], s->copies[i].bytes);
    }
    for (unsigned i = 0; i < 2 && !status; i++) {
        status = s->runtime.event_create(&u->rounds[i], WVL_CUDA_EVENT_BLOCKING | WVL_CUDA_EVENT_DISABLE_TIMING);
    }
    return status;
}

static void close_uploads(uploads *u)
{
    const wvl_bench_store *s = u->store;
    (void)s->runtime.stream_wait(s->stream);
    for (uint32_t i = 0; i < s->count; i++) {
        if (u->places[i]) {
            (void)s->runtime.free_device(u->places[i]);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        if (u->rounds[i] != NULL) {
            (void)s->runtime.event_destroy(u->rounds[i]);
        }
    }
}

/* Every copy of the store once. */
static wvl_cuda_status queue_round(const uploads *u, unsigned round)
{
    const wvl_bench_store *s = u->store;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (uint32_t i = 0; i < s->count && !status; i++) {
        status = s->runtime.upload(u->places[i], s->copies[i].memory, s->copies[i].bytes, s->stream);
    }
    return status ? status : s->runtime.event_record(u->rounds[round % 2], s->stream);
}

int wvl_bench_time_uploads(const wvl_bench_store *store, double seconds, double *copies_per_second)
{
    uploads u = {.store = store};
    unsigned rounds = 0;
    wvl_cuda_status status = open_uploads(&u);
    status = status ? status : queue_round(&u, 1); /* not timed: the first touch of each page */
    status = status ? status : store->runtime.stream_wait(store->stream);
    double start = wvl_bench_wall_seconds(), elapsed = 0;
    while (!status && elapsed < seconds) {
        status = queue_round(&u, rounds);
        status = status || rounds == 0 ? status : store->runtime.event_wait(u.rounds[(rounds - 1) % 2]);
        rounds++;
        elapsed = wvl_bench_wall_seconds() - start;
    }
    status = status ? status : store->runtime.stream_wait(store->stream);
    elapsed = wvl_bench_wall_seconds() - start;
    close_uploads(&u);
    *copies_per_second = elapsed > 0 ? (double)rounds * store->count / elapsed : 0;
    return status;
}
