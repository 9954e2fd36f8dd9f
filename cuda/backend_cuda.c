/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device backend: staging, upload, one launch a level and wavelet, download.
 *
 * A slot is one job in flight with a stream and memory of its own, allocated by prepare and used again by every submit. Everything of a job
 * is queued by submit in one go; wait looks at an event. Coefficients stay in pinned memory from collect to release.
 */
#include "cuda/backend_cuda.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/arena.h"

#define DEPTH_MAX 16
#define POLL_NANOSECONDS 50000

struct wvl_backend_job {
    wvl_backend *backend;
    wvl_backend_job *next;
    uint64_t capacity;           /* host bytes, which this structure begins */
    uint64_t pinned_capacity, device_capacity;
    uint8_t *pinned;
    wvl_cuda_address device;
    wvl_cuda_stream stream;
    wvl_cuda_event done;
    int busy;                    /* under the backend's lock */
    int finished;                /* seen by a wait: nothing of it runs any more */
    int borrows;                 /* pixels on the device: free when done */
    const uint32_t *outside;     /* pinned */
    uint32_t tile_count;
    wvl_coefs *coefs;            /* [tile_count] */
    wvl_cuda_pixels *pixels;     /* [component_count] */
};

struct wvl_backend {
    wvl_allocator allocator;
    wvl_pool *pool;
    const wvl_plan *plan;
    wvl_cuda_runtime own_runtime;
    const wvl_cuda_runtime *runtime;
    wvl_cuda_context context;
    wvl_cuda_kernels kernels;
    int device, has_context;
    unsigned options;
    pthread_mutex_t lock;        /* guards the list and busy */
    wvl_backend_job *slots;
};

static wvl_status map_status(wvl_cuda_status status)
{
    return status == WVL_CUDA_SUCCESS ? WVL_OK : status == WVL_CUDA_NOT_READY ? WVL_AGAIN : status == WVL_CUDA_OUT_OF_MEMORY ? WVL_ERROR_MEMORY : WVL_ERROR_DEVICE;
}

static wvl_cuda_status enter(const wvl_backend *b) { return b->runtime->context_push(b->context); }

static void leave(const wvl_backend *b)
{
    wvl_cuda_context context;
    (void)b->runtime->context_pop(&context);
}

/* ---- Memory ---------------------------------------------------------------------------------------------------------------- */

/* Offsets that pinned and device memory share: what goes up, what comes down. Planes are on the device alone. */
typedef struct slot_layout {
    uint64_t jobs, items, staging, up_end;  /* uploaded: [0, up_end) at most */
    uint64_t bounds, outside, coefs, down_end;
    uint64_t planes, device_end;
    uint64_t rounds, host_coefs, host_pixels, host_end; /* host, after the job structure */
} slot_layout;

static uint64_t place(uint64_t *end, uint64_t count, uint64_t size)
{
    uint64_t at = *end;
    *end = wvl_add_saturate(at, wvl_mul_saturate(count, size));
    *end = *end > UINT64_MAX - 256 ? UINT64_MAX : wvl_align_up(*end, 256);
    return at;
}

static slot_layout build_layout(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, unsigned options)
{
    slot_layout l = {0};
    wvl_cuda_tables t = {0};
    wvl_cuda_build_tables(plan, tiles, tile_count, options, NULL, &t);
    uint64_t end = 0, host = 0;
    l.jobs = place(&end, t.job_count, sizeof(wvl_cuda_job));
    l.items = place(&end, t.item_count, sizeof(wvl_cuda_item));
    l.staging = place(&end, wvl_cuda_measure_staging(plan, tiles, tile_count), 1);
    l.up_end = end;
    l.bounds = place(&end, t.block_count + 1, sizeof(uint32_t));
    l.outside = l.bounds + t.block_count * sizeof(uint32_t);
    l.coefs = place(&end, t.coef_bytes, 1);
    l.down_end = end;
    l.planes = place(&end, t.plane_bytes, 1);
    l.device_end = end;
    (void)place(&host, 1, sizeof(wvl_backend_job));
    l.rounds = place(&host, t.round_count, sizeof(wvl_cuda_round));
    l.host_coefs = place(&host, tile_count, sizeof(wvl_coefs));
    l.host_pixels = place(&host, plan->component_count, sizeof(wvl_cuda_pixels));
    l.host_end = host;
    return l;
}

static void cuda_measure(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency, wvl_backend_memory *memory)
{
    slot_layout l = build_layout(plan, tiles, tile_count, 0);
    (void)concurrency;
    *memory = (wvl_backend_memory){l.host_end, l.down_end, l.device_end};
}

/* ---- Open and close -------------------------------------------------------------------------------------------------------- */

static void cuda_query(wvl_backend_query *query)
{
    query->memory_kinds = 1u << WVL_MEMORY_HOST | 1u << WVL_MEMORY_PINNED | 1u << WVL_MEMORY_DEVICE | 1u << WVL_MEMORY_MANAGED;
    query->max_depth = DEPTH_MAX;
}

static void free_slot(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = b->runtime;
    if (job->stream) {
        (void)rt->stream_wait(job->stream);
        (void)rt->stream_destroy(job->stream);
    }
    if (job->done) {
        (void)rt->event_destroy(job->done);
    }
    if (job->device) {
        (void)rt->free_device(job->device);
    }
    if (job->pinned) {
        (void)rt->free_pinned(job->pinned);
    }
    wvl_free(&b->allocator, job, job->capacity);
}

static void free_slots(wvl_backend *b)
{
    while (b->slots) {
        wvl_backend_job *job = b->slots;
        b->slots = job->next;
        free_slot(b, job);
    }
}

static void cuda_close(wvl_backend *b)
{
    if (!b) {
        return;
    }
    if (b->has_context && !enter(b)) {
        free_slots(b);
        wvl_cuda_fini_kernels(b->runtime, &b->kernels);
        leave(b);
    }
    if (b->has_context) {
        (void)b->runtime->context_release(b->device);
    }
    pthread_mutex_destroy(&b->lock);
    wvl_allocator allocator = b->allocator;
    wvl_free(&allocator, b, sizeof *b);
}

static wvl_cuda_status open_device(wvl_backend *b, int ordinal, const void *image)
{
    wvl_cuda_status status = b->runtime->init(0);
    status = status ? status : b->runtime->device_get(&b->device, ordinal);
    status = status ? status : b->runtime->context_retain(&b->context, b->device);
    b->has_context = !status;
    status = status ? status : enter(b);
    if (!status) {
        status = wvl_cuda_init_kernels(b->runtime, image, &b->kernels);
        leave(b);
    }
    return status;
}

wvl_status wvl_cuda_open_backend(const wvl_allocator *host, wvl_pool *pool, const wvl_cuda_options *options, wvl_backend **backend)
{
    const void *image = options->image ? options->image : wvl_cuda_fetch_image();
    *backend = NULL;
    if (!image) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_backend *b = wvl_alloc_zeroed(host, sizeof *b);
    if (!b || pthread_mutex_init(&b->lock, NULL)) {
        wvl_free(host, b, sizeof *b);
        return WVL_ERROR_MEMORY;
    }
    b->allocator = host ? *host : (wvl_allocator){0};
    b->pool = pool;
    b->options = options->tables;
    b->runtime = options->runtime ? options->runtime : &b->own_runtime;
    wvl_status status = options->runtime || wvl_cuda_fetch_runtime(&b->own_runtime) ? map_status(open_device(b, options->device, image)) : WVL_ERROR_DEVICE;
    if (status != WVL_OK) {
        cuda_close(b);
        return status;
    }
    *backend = b;
    return WVL_OK;
}

static wvl_status cuda_open(const wvl_allocator *host, wvl_pool *pool, wvl_backend **backend)
{
    wvl_cuda_options options = {0};
    return wvl_cuda_open_backend(host, pool, &options, backend);
}

/* ---- Slots ------------------------------------------------------------------------------------------------------------------ */

static wvl_cuda_status fill_slot(wvl_backend *b, const slot_layout *l, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = b->runtime;
    wvl_cuda_status status = rt->stream_create(&job->stream, WVL_CUDA_STREAM_NON_BLOCKING);
    status = status ? status : rt->event_create(&job->done, WVL_CUDA_EVENT_DISABLE_TIMING);
    status = status ? status : rt->malloc_device(&job->device, (size_t)l->device_end);
    void *pinned = NULL;
    status = status ? status : rt->malloc_pinned(&pinned, (size_t)l->down_end, 0);
    job->pinned = pinned;
    return status;
}

static int is_taken(const wvl_plan *plan)
{
    for (uint32_t c = 0; c < plan->component_count; c++) {
        if (plan->components[c].depth > DEPTH_MAX || plan->codings[plan->components[c].coding].wide) {
            return 0;
        }
    }
    return 1;
}

/* All slots serve one plan: preparing for another one drops them, which needs them free. */
static wvl_status change_plan(wvl_backend *b, const wvl_plan *plan)
{
    for (const wvl_backend_job *job = b->slots; job; job = job->next) {
        if (job->busy) {
            return WVL_ERROR_ARGUMENT;
        }
    }
    free_slots(b);
    b->plan = plan;
    return WVL_OK;
}

static wvl_status add_slot(wvl_backend *b, const slot_layout *l)
{
    wvl_backend_job *job = wvl_alloc_zeroed(&b->allocator, l->host_end);
    if (!job) {
        return WVL_ERROR_MEMORY;
    }
    job->backend = b;
    job->capacity = l->host_end;
    job->pinned_capacity = l->down_end;
    job->device_capacity = l->device_end;
    wvl_cuda_status status = fill_slot(b, l, job);
    if (status) {
        free_slot(b, job);
        return map_status(status);
    }
    pthread_mutex_lock(&b->lock);
    job->next = b->slots;
    b->slots = job;
    pthread_mutex_unlock(&b->lock);
    return WVL_OK;
}

static wvl_status cuda_prepare(wvl_backend *b, const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    if (!is_taken(plan)) {
        return WVL_ERROR_UNSUPPORTED;
    }
    slot_layout l = build_layout(plan, tiles, tile_count, b->options);
    if (l.device_end > SIZE_MAX / 2) {
        return WVL_ERROR_MEMORY;
    }
    wvl_cuda_status entered = enter(b);
    if (entered) {
        return map_status(entered);
    }
    wvl_status status = b->plan != plan ? change_plan(b, plan) : WVL_OK;
    status = status == WVL_OK ? add_slot(b, &l) : status;
    leave(b);
    return status;
}

static wvl_backend_job *take_slot(wvl_backend *b)
{
    pthread_mutex_lock(&b->lock);
    wvl_backend_job *job = b->slots;
    while (job && job->busy) {
        job = job->next;
    }
    if (job) {
        job->busy = 1;
    }
    pthread_mutex_unlock(&b->lock);
    return job;
}

static void cuda_release(wvl_backend_job *job)
{
    wvl_backend *b = job->backend;
    if (!job->finished && !enter(b)) { /* a job that nobody waited for may still be running */
        (void)b->runtime->stream_wait(job->stream);
        leave(b);
    }
    pthread_mutex_lock(&b->lock);
    job->busy = 0;
    pthread_mutex_unlock(&b->lock);
}

/* ---- Work ------------------------------------------------------------------------------------------------------------------- */

static void build_views(wvl_backend_job *job, const slot_layout *l, const wvl_tile_plan *tiles)
{
    uint8_t *samples = job->pinned + l->coefs;
    uint32_t *bounds = (uint32_t *)(void *)(job->pinned + l->bounds);
    for (uint32_t t = 0; t < job->tile_count; t++) {
        job->coefs[t] = (wvl_coefs){&tiles[t], samples, bounds};
        samples += tiles[t].coef_bytes;
        bounds += tiles[t].block_count;
    }
}

/* Tables and, unless the picture is on the device, pixels, in pinned memory. Returns the end of what must go up. */
static uint64_t build_upload(wvl_backend_job *job, const slot_layout *l, const wvl_image *image, const wvl_tile_plan *tiles, wvl_cuda_tables *tables)
{
    const wvl_backend *b = job->backend;
    uint8_t *staging = job->borrows ? NULL : job->pinned + l->staging;
    uint64_t used = wvl_cuda_build_staging(b->plan, tiles, job->tile_count, image, b->pool, staging, job->device + l->staging, job->pixels);
    wvl_cuda_memory memory = {job->device + l->coefs, job->device + l->bounds, job->device + l->outside, job->device + l->planes, job->pixels};
    tables->jobs = (wvl_cuda_job *)(void *)(job->pinned + l->jobs);
    tables->items = (wvl_cuda_item *)(void *)(job->pinned + l->items);
    tables->rounds = (wvl_cuda_round *)(void *)((uint8_t *)job + l->rounds);
    wvl_cuda_build_tables(b->plan, tiles, job->tile_count, b->options, &memory, tables);
    return l->staging + used;
}

static wvl_cuda_status queue_job(wvl_backend_job *job, const slot_layout *l, const wvl_image *image, const wvl_cuda_tables *t, uint64_t up_bytes)
{
    const wvl_cuda_runtime *rt = job->backend->runtime;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (image->ready_event) {
        status = rt->stream_after(job->stream, image->ready_event, 0);
    }
    status = status ? status : rt->upload(job->device, job->pinned, (size_t)up_bytes, job->stream);
    status = status ? status : rt->fill(job->device + l->bounds, 0, (size_t)(l->coefs - l->bounds), job->stream);
    for (uint64_t r = 0; r < t->round_count && !status; r++) {
        const wvl_cuda_round *round = &t->rounds[r];
        status = wvl_cuda_launch_level(rt, &job->backend->kernels, round->kernel, job->device + l->jobs,
                                       job->device + l->items + round->first_item * sizeof(wvl_cuda_item), round->item_count, job->stream);
    }
    status = status ? status : rt->download(job->pinned + l->bounds, job->device + l->bounds, (size_t)(l->down_end - l->bounds), job->stream);
    return status ? status : rt->event_record(job->done, job->stream);
}

static wvl_status cuda_submit(wvl_backend *b, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count, wvl_backend_job **out)
{
    wvl_backend_job *job = take_slot(b);
    *out = NULL;
    if (!job) {
        return WVL_AGAIN;
    }
    slot_layout l = build_layout(b->plan, tiles, tile_count, b->options);
    wvl_status status = WVL_ERROR_ARGUMENT; /* larger than prepare was told */
    job->finished = 0;
    if (l.host_end <= job->capacity && l.down_end <= job->pinned_capacity && l.device_end <= job->device_capacity) {
        wvl_cuda_tables tables = {0};
        job->tile_count = tile_count;
        job->borrows = image->memory_kind == WVL_MEMORY_DEVICE || image->memory_kind == WVL_MEMORY_MANAGED;
        job->coefs = (wvl_coefs *)(void *)((uint8_t *)job + l.host_coefs);
        job->pixels = (wvl_cuda_pixels *)(void *)((uint8_t *)job + l.host_pixels);
        job->outside = (const uint32_t *)(const void *)(job->pinned + l.outside);
        build_views(job, &l, tiles);
        uint64_t up_bytes = build_upload(job, &l, image, tiles, &tables);
        wvl_cuda_status queued = enter(b);
        if (!queued) {
            queued = queue_job(job, &l, image, &tables, up_bytes);
            leave(b);
        }
        status = map_status(queued);
    }
    if (status != WVL_OK) {
        cuda_release(job); /* waits for what was queued before the failure */
        return status;
    }
    *out = job;
    return WVL_OK;
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The driver has no wait with a limit: it is polled. */
static wvl_cuda_status wait_event(const wvl_cuda_runtime *rt, wvl_cuda_event event, uint32_t timeout_ms)
{
    if (timeout_ms == UINT32_MAX) {
        return rt->event_wait(event);
    }
    uint64_t end = now_ms() + timeout_ms;
    wvl_cuda_status status = rt->event_query(event);
    while (status == WVL_CUDA_NOT_READY && timeout_ms && now_ms() < end) {
        struct timespec pause = {0, POLL_NANOSECONDS};
        nanosleep(&pause, NULL);
        status = rt->event_query(event);
    }
    return status;
}

static wvl_status cuda_wait(wvl_backend_job *job, wvl_backend_event event, uint32_t timeout_ms)
{
    if (event == WVL_EVENT_INPUT_FREE && !job->borrows) {
        return WVL_OK; /* submit has copied it */
    }
    wvl_cuda_status status = enter(job->backend);
    if (!status) {
        status = wait_event(job->backend->runtime, job->done, timeout_ms);
        leave(job->backend);
    }
    job->finished = !status;
    return status ? map_status(status) : *job->outside ? WVL_ERROR_INPUT : WVL_OK;
}

static wvl_status cuda_collect(wvl_backend_job *job, wvl_coefs *coefs)
{
    wvl_status status = job->finished ? WVL_OK : cuda_wait(job, WVL_EVENT_DONE, 0);
    if (status == WVL_OK || status == WVL_ERROR_INPUT) {
        memcpy(coefs, job->coefs, job->tile_count * sizeof *coefs);
        return WVL_OK;
    }
    return status;
}

const wvl_backend_vtable wvl_backend_cuda = {
    "cuda", cuda_query, cuda_open, cuda_close, cuda_measure, cuda_prepare, cuda_submit, cuda_wait, cuda_collect, cuda_release,
};
