/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device backend: staging, upload, one launch a level and wavelet, delivery.
 *
 * A slot is one job in flight with a stream and memory of its own, allocated by prepare and used again by every submit.
 * Everything of a job is queued by submit in one go; wait looks at an event: the only call that waits for the device.
 * Coefficients stay in pinned memory from collect to release.
 */
#include "cuda/host/backend_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/ranges.h"
#include "cuda/color/color.h"
#include "cuda/host/deliver.h"
#include "cuda/host/device.h"
#include "cuda/host/layout.h"
#include "cuda/host/staging.h"

#define DEPTH_MAX 16
#define POLL_NANOSECONDS 50000

enum { AT_START = 0, AT_UPLOADED, AT_COMPUTED, AT_DELIVERED, MARKS }; /* of a traced job */

struct wvl_backend_job {
    wvl_backend *backend;
    wvl_backend_job *next;
    uint64_t capacity; /* host bytes, which this structure begins */
    uint64_t pinned_capacity, device_capacity;
    uint8_t *pinned;
    uint64_t pinned_address; /* as the device sees it; 0: not at all */
    wvl_cuda_address device;
    wvl_cuda_stream stream;
    wvl_cuda_event done, mark[MARKS];
    int busy;                /* under the backend's lock */
    int finished;            /* seen by a wait: nothing of it runs any more */
    int borrows;             /* pixels are read by the device where they lie: free when done */
    const uint32_t *outside; /* pinned */
    wvl_cuda_staging staging;
    uint32_t tile_count, color_blocks;
    wvl_coefs *coefs; /* [tile_count] */
};

struct wvl_backend {
    wvl_allocator allocator;
    wvl_pool *pool;
    const wvl_plan *plan;
    wvl_device *device;
    int owns_device;
    unsigned options;
    const wvl_trace *trace;
    wvl_cuda_event epoch; /* traced: the moment epoch_seconds */
    double epoch_seconds;
    pthread_mutex_t lock; /* guards the list and busy */
    wvl_backend_job *slots;
};

static const wvl_cuda_runtime *runtime(const wvl_backend *b) { return b->device->runtime; }

static int is_any_shape(const wvl_backend *b) { return (b->options & WVL_CUDA_PLAIN_PATH) != 0; }

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The tables of light end a slot's device memory: they stay from prepare on. */
static uint64_t light_bytes(const wvl_plan *plan) { return wvl_align_up(wvl_cuda_measure_light(plan), 256); }

static wvl_cuda_address light_address(const wvl_backend_job *job)
{
    return job->device + job->device_capacity - light_bytes(job->backend->plan);
}

static void cuda_measure(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                         wvl_backend_memory *memory)
{
    wvl_cuda_layout l = wvl_cuda_build_layout(plan, tiles, tile_count, 0, sizeof(wvl_backend_job));
    (void)concurrency;
    *memory = (wvl_backend_memory){wvl_add_saturate(wvl_alloc_size(l.host_end), wvl_alloc_size(sizeof(wvl_backend))),
                                   l.down_end, wvl_add_saturate(l.device_end, light_bytes(plan)), 0};
}

/* ---- Open and close -------------------------------------------------------------------------- */

static int is_deep(const wvl_plan *plan)
{
    for (uint32_t c = 0; c < plan->syntax.component_count; c++) {
        if (plan->syntax.components[c].depth > DEPTH_MAX) {
            return 1;
        }
    }
    for (uint32_t i = 0; i < plan->syntax.coding_count; i++) {
        if (plan->syntax.codings[i].wide) {
            return 1;
        }
    }
    return 0;
}

/* Pixels may lie anywhere. */
static wvl_reach cuda_reach(const wvl_plan *plan, const wvl_image *image, const char **why)
{
    int deep = is_deep(plan);
    (void)image;
    *why = deep ? "components of more than 16 bits are for the CPU" : "blocks are coded on the CPU in this version";
    return deep ? WVL_REACH_NONE : WVL_REACH_COEFS;
}

static wvl_status cuda_open_device(const wvl_device_options *options, wvl_device **device)
{
    return wvl_cuda_open_device(options, NULL, NULL, device);
}

static void free_slot(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = runtime(b);
    if (job->stream) {
        (void)rt->stream_wait(job->stream);
        (void)rt->stream_destroy(job->stream);
    }
    for (unsigned i = 0; i < MARKS; i++) {
        if (job->mark[i]) {
            (void)rt->event_destroy(job->mark[i]);
        }
    }
    if (job->done) {
        (void)rt->event_destroy(job->done);
    }
    wvl_cuda_free_device(b->device, job->device, job->device_capacity);
    wvl_cuda_free_pinned(b->device, job->pinned, job->pinned_capacity);
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
    int entered = !wvl_cuda_enter(b->device); /* a lost device refuses; the host's memory goes all the same */
    free_slots(b);
    if (b->epoch) {
        (void)runtime(b)->event_destroy(b->epoch);
    }
    if (entered) {
        wvl_cuda_leave(b->device);
    }
    if (b->owns_device) {
        wvl_cuda_close_device(b->device);
    }
    pthread_mutex_destroy(&b->lock);
    wvl_allocator allocator = b->allocator;
    wvl_free(&allocator, b, sizeof *b);
}

static wvl_status create_backend(const wvl_allocator *host, wvl_pool *pool, wvl_device *device, wvl_backend **backend)
{
    wvl_backend *b = wvl_alloc_zeroed(host, sizeof *b);
    if (!b || pthread_mutex_init(&b->lock, NULL)) {
        wvl_free(host, b, sizeof *b);
        return WVL_ERROR_MEMORY;
    }
    b->allocator = host ? *host : (wvl_allocator){0};
    b->pool = pool;
    b->device = device;
    *backend = b;
    return WVL_OK;
}

/* A moment that both clocks know. Without it nothing of the device is told. */
static void start_trace(wvl_backend *b)
{
    const wvl_cuda_runtime *rt = runtime(b);
    wvl_cuda_stream stream = NULL;
    if (wvl_cuda_enter(b->device)) {
        return;
    }
    wvl_cuda_status status = rt->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING);
    status = status ? status : rt->event_create(&b->epoch, 0);
    status = status ? status : rt->event_record(b->epoch, stream);
    status = status ? status : rt->event_wait(b->epoch);
    b->epoch_seconds = wvl_trace_now();
    if (status && b->epoch) {
        (void)rt->event_destroy(b->epoch);
        b->epoch = NULL;
    }
    if (stream) {
        (void)rt->stream_destroy(stream);
    }
    wvl_cuda_leave(b->device);
}

wvl_status wvl_cuda_open_backend(const wvl_allocator *host, wvl_pool *pool, const wvl_cuda_options *options,
                                 wvl_backend **backend)
{
    wvl_device_options device_options = {.host = host, .ordinal = (uint32_t)options->device};
    wvl_device *device;
    *backend = NULL;
    if (!options->image && !wvl_cuda_fetch_image()) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = wvl_cuda_open_device(&device_options, options->runtime, options->image, &device);
    if (status != WVL_OK) {
        return status;
    }
    status = create_backend(host, pool, device, backend);
    if (status != WVL_OK) {
        wvl_cuda_close_device(device);
        return status;
    }
    (*backend)->owns_device = 1;
    (*backend)->options = options->tables;
    return WVL_OK;
}

static wvl_status cuda_open(const wvl_backend_options *options, wvl_backend **backend)
{
    *backend = NULL;
    wvl_status status = create_backend(options->host, options->pool, options->device, backend);
    if (status == WVL_OK && wvl_trace_is_on(options->trace)) {
        (*backend)->trace = options->trace;
        start_trace(*backend);
    }
    return status;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static wvl_cuda_status fill_slot(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = runtime(b);
    wvl_cuda_status status = rt->stream_create(&job->stream, WVL_CUDA_STREAM_NON_BLOCKING);
    status = status ? status : rt->event_create(&job->done, WVL_CUDA_EVENT_DISABLE_TIMING | WVL_CUDA_EVENT_BLOCKING);
    for (unsigned i = 0; i < MARKS && b->epoch && !status; i++) {
        status = rt->event_create(&job->mark[i], 0);
    }
    status = status ? status : wvl_cuda_alloc_device(b->device, job->device_capacity, &job->device);
    status = status ? status : wvl_cuda_alloc_pinned(b->device, job->pinned_capacity, &job->pinned);
    /* Slots travel with their pads: what others left in them must not. */
    status = status ? status : rt->fill(job->device, 0, (size_t)job->device_capacity, job->stream);
    if (!status && light_bytes(b->plan)) {
        status = rt->upload(light_address(job), b->plan->syntax.xyz.linear[0], (size_t)wvl_cuda_measure_light(b->plan),
                            job->stream);
    }
    if (!status && !(b->options & WVL_CUDA_WHOLE_DOWNLOAD) &&
        rt->pinned_address(&job->pinned_address, job->pinned, 0)) {
        job->pinned_address = 0;
    }
    return status;
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

static wvl_status add_slot(wvl_backend *b, const wvl_backend_memory *slot)
{
    uint64_t bytes = slot->host_bytes - wvl_alloc_size(sizeof(wvl_backend));
    wvl_backend_job *job = wvl_alloc(&b->allocator, bytes);
    if (!job) {
        return WVL_ERROR_MEMORY;
    }
    memset(job, 0, sizeof *job);
    job->backend = b;
    job->capacity = bytes;
    job->pinned_capacity = slot->pinned_bytes;
    job->device_capacity = slot->device_bytes;
    wvl_cuda_status status = fill_slot(b, job);
    if (status) {
        free_slot(b, job);
        return wvl_cuda_note_status(b->device, status);
    }
    pthread_mutex_lock(&b->lock);
    job->next = b->slots;
    b->slots = job;
    pthread_mutex_unlock(&b->lock);
    return WVL_OK;
}

static wvl_status cuda_prepare(wvl_backend *b, const wvl_plan *plan, const wvl_backend_memory *slot)
{
    if (is_deep(plan)) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_cuda_status entered = wvl_cuda_enter(b->device);
    if (entered) {
        return wvl_cuda_note_status(b->device, entered);
    }
    wvl_status status = b->plan != plan ? change_plan(b, plan) : WVL_OK;
    status = status == WVL_OK ? add_slot(b, slot) : status;
    wvl_cuda_leave(b->device);
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
    if (!job->finished && !wvl_cuda_enter(b->device)) { /* a job that nobody waited for may still be running */
        (void)runtime(b)->stream_wait(job->stream);
        wvl_cuda_leave(b->device);
    }
    pthread_mutex_lock(&b->lock);
    job->busy = 0;
    pthread_mutex_unlock(&b->lock);
}

/* ---- Work ------------------------------------------------------------------------------------ */

static void build_views(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_tile_plan *tiles)
{
    uint8_t *samples = job->pinned + l->coefs;
    uint32_t *bounds = (uint32_t *)(void *)(job->pinned + l->bounds);
    for (uint32_t t = 0; t < job->tile_count; t++) {
        job->coefs[t] = (wvl_coefs){&tiles[t], samples, bounds};
        samples += tiles[t].coef_bytes;
        bounds += tiles[t].block_count;
    }
}

/* Pixels on their way to the device, unless it reads them where they lie; tables in pinned memory. */
static wvl_cuda_status build_upload(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_image *image,
                                    const wvl_tile_plan *tiles, wvl_cuda_tables *tables)
{
    const wvl_backend *b = job->backend;
    wvl_cuda_staging *s = &job->staging;
    int on_device = image->memory_kind == WVL_MEMORY_DEVICE || image->memory_kind == WVL_MEMORY_MANAGED;
    s->memory = on_device ? NULL : job->pinned + l->staging;
    s->address = job->device + l->staging;
    s->runtime = runtime(b);
    s->stream = job->stream;
    s->begun = job->mark[AT_START];
    s->pixels = (wvl_cuda_pixels *)(void *)((uint8_t *)job + l->host_pixels);
    s->copies =
        image->memory_kind == WVL_MEMORY_PINNED ? (wvl_cuda_copy *)(void *)((uint8_t *)job + l->host_copies) : NULL;
    wvl_cuda_build_staging(b->plan, tiles, job->tile_count, image, b->pool, s);
    job->borrows = on_device || s->copy_count;
    job->color_blocks = 0;
    if (b->plan->syntax.xyz.kind != WVL_XYZ_NONE) {
        wvl_cuda_color *color = (wvl_cuda_color *)(void *)(job->pinned + l->color);
        *color = (wvl_cuda_color){.light[0] = light_address(job), .outside = job->device + l->outside};
        job->color_blocks = wvl_cuda_build_color(b->plan, wvl_cuda_fetch_rect(tiles, job->tile_count, 0),
                                                 job->device + l->converted, s->pixels, color);
    }
    wvl_cuda_memory memory = {job->device + l->coefs,  job->device + l->bounds, job->device + l->outside,
                              job->device + l->planes, job->device + l->flags,  s->pixels};
    tables->splits = (wvl_cuda_split *)(void *)(job->pinned + l->splits);
    tables->items = (wvl_cuda_item *)(void *)(job->pinned + l->items);
    tables->launches = (wvl_cuda_launch *)(void *)((uint8_t *)job + l->launches);
    tables->fronts = (uint32_t *)(void *)((uint8_t *)job + l->fronts);
    wvl_cuda_table_options options = {.any_shape = is_any_shape(b), .multiprocessors = b->device->multiprocessors};
    wvl_cuda_build_tables(b->plan, tiles, job->tile_count, &options, &memory, tables);
    return s->status;
}

static wvl_cuda_status mark(const wvl_backend_job *job, unsigned at)
{
    return job->mark[at] ? runtime(job->backend)->event_record(job->mark[at], job->stream) : WVL_CUDA_SUCCESS;
}

/* What the pixels did not bring along. */
static wvl_cuda_status queue_upload(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_cuda_tables *t)
{
    const wvl_cuda_runtime *rt = runtime(job->backend);
    wvl_cuda_status status =
        rt->upload(job->device, job->pinned, (size_t)(l->items + t->item_count * sizeof(wvl_cuda_item)), job->stream);
    for (uint32_t i = 0; i < job->staging.copy_count && !status; i++) {
        status = rt->upload_rows(&job->staging.copies[i], job->stream);
    }
    return status;
}

static wvl_cuda_status queue_kernels(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_cuda_tables *t)
{
    const wvl_backend *b = job->backend;
    wvl_cuda_status status =
        wvl_cuda_launch_color(runtime(b), &b->device->kernels, job->device + l->color, job->color_blocks, job->stream);
    status = status
                 ? status
                 : wvl_cuda_launch_clear(runtime(b), &b->device->kernels, job->device + l->bounds, l->coefs - l->bounds,
                                         job->device, l->items + t->item_count * sizeof(wvl_cuda_item), job->stream);
    for (uint64_t i = 0; i < t->launch_count && !status; i++) {
        wvl_cuda_address items = job->device + l->items + t->launches[i].first_item * sizeof(wvl_cuda_item);
        status = wvl_cuda_launch_level(runtime(b), &b->device->kernels, &t->launches[i], job->device + l->splits, items,
                                       1, job->stream);
    }
    return status;
}

/* Where coefficients are kept for measuring, empty blocks are read too. */
static int delivers(const wvl_backend_job *job) { return job->pinned_address && !job->backend->plan->rate.keep_coefs; }

static wvl_cuda_status queue_download(wvl_backend_job *job, const wvl_cuda_layout *l, uint64_t parcel_count)
{
    const wvl_cuda_runtime *rt = runtime(job->backend);
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    uint64_t end = l->down_end;
    if (delivers(job)) {
        status = wvl_cuda_launch_deliver(rt, &job->backend->device->kernels, job->device + l->parcels, parcel_count,
                                         job->stream);
        end = l->flags;
    }
    return status
               ? status
               : rt->download(job->pinned + l->bounds, job->device + l->bounds, (size_t)(end - l->bounds), job->stream);
}

static void next_range(const char *name)
{
    wvl_range_close();
    wvl_range_open(name);
}

/* Work on the pixels begins after the caller's. */
static wvl_cuda_status queue_start(const wvl_backend_job *job, const wvl_image *image)
{
    const wvl_cuda_runtime *rt = runtime(job->backend);
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (image->ready_event && image->memory_kind == WVL_MEMORY_HOST) {
        status = rt->event_wait(image->ready_event); /* it is the host that reads them */
    } else if (image->ready_event) {
        status = rt->stream_after(job->stream, image->ready_event, 0);
    }
    return status ? status : mark(job, AT_START);
}

static wvl_cuda_status queue_job(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_image *image,
                                 const wvl_tile_plan *tiles)
{
    wvl_cuda_tables tables = {0};
    uint64_t parcel_count = 0;
    wvl_cuda_status status = queue_start(job, image);
    wvl_range_open("wavelane stage");
    status = status ? status : build_upload(job, l, image, tiles, &tables);
    if (delivers(job)) {
        parcel_count = wvl_cuda_build_parcels(tiles, job->tile_count, job->device + l->coefs, job->device + l->bounds,
                                              job->pinned_address + l->coefs,
                                              (wvl_cuda_parcel *)(void *)(job->pinned + l->parcels));
    }
    next_range("wavelane upload");
    status = status ? status : queue_upload(job, l, &tables);
    status = status ? status : mark(job, AT_UPLOADED);
    next_range("wavelane kernels");
    status = status ? status : queue_kernels(job, l, &tables);
    status = status ? status : mark(job, AT_COMPUTED);
    next_range("wavelane download");
    status = status ? status : queue_download(job, l, parcel_count);
    status = status ? status : mark(job, AT_DELIVERED);
    wvl_range_close();
    return status ? status : runtime(job->backend)->event_record(job->done, job->stream);
}

static int fits(const wvl_backend_job *job, const wvl_cuda_layout *l)
{
    uint64_t device_end = l->device_end + light_bytes(job->backend->plan);
    return l->host_end <= job->capacity && l->down_end <= job->pinned_capacity && device_end <= job->device_capacity;
}

static wvl_status start_job(wvl_backend_job *job, const wvl_image *image, const wvl_tile_plan *tiles,
                            uint32_t tile_count)
{
    wvl_backend *b = job->backend;
    wvl_cuda_layout l = wvl_cuda_build_layout(b->plan, tiles, tile_count, is_any_shape(b), sizeof(wvl_backend_job));
    job->finished = 0;
    if (!fits(job, &l)) {
        return WVL_ERROR_ARGUMENT; /* larger than prepare was told */
    }
    job->tile_count = tile_count;
    job->coefs = (wvl_coefs *)(void *)((uint8_t *)job + l.host_coefs);
    job->outside = (const uint32_t *)(const void *)(job->pinned + l.outside);
    build_views(job, &l, tiles);
    double start = wvl_trace_now();
    wvl_cuda_status queued = wvl_cuda_enter(b->device);
    if (!queued) {
        queued = queue_job(job, &l, image, tiles);
        wvl_cuda_leave(b->device);
    }
    wvl_trace_put(b->trace, "staging", "stage", 0, start, wvl_trace_now());
    return wvl_cuda_note_status(b->device, queued);
}

static wvl_status cuda_submit(wvl_backend *b, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count,
                              wvl_backend_job **out)
{
    wvl_backend_job *job = take_slot(b);
    *out = NULL;
    if (!job) {
        return WVL_AGAIN;
    }
    wvl_status status = start_job(job, image, tiles, tile_count);
    if (status != WVL_OK) {
        cuda_release(job); /* waits for what was queued before the failure */
        return status;
    }
    *out = job;
    return WVL_OK;
}

/* ---- Results --------------------------------------------------------------------------------- */

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

/* What the device did, on the host's clock. */
static void tell_spans(const wvl_backend_job *job)
{
    static const char *const names[MARKS - 1] = {"upload", "kernels", "download"};
    const wvl_backend *b = job->backend;
    double at[MARKS];
    for (unsigned i = 0; i < MARKS; i++) {
        float ms = 0.0f;
        if (!job->mark[i] || runtime(b)->event_elapsed(&ms, b->epoch, job->mark[i])) {
            return;
        }
        at[i] = b->epoch_seconds + 1e-3 * (double)ms;
    }
    for (unsigned i = 0; i + 1 < MARKS; i++) {
        char track[WVL_CUDA_TRACK_CHARS];
        (void)snprintf(track, sizeof track, "cuda:%u %s", b->device->ordinal, names[i]);
        wvl_trace_put(b->trace, track, names[i], 0, at[i], at[i + 1]);
    }
}

static wvl_status cuda_wait(wvl_backend_job *job, wvl_backend_event event, uint32_t timeout_ms)
{
    wvl_backend *b = job->backend;
    if (event == WVL_EVENT_INPUT_FREE && !job->borrows) {
        return WVL_OK; /* submit has copied it */
    }
    wvl_cuda_status status = wvl_cuda_enter(b->device);
    if (!status) {
        wvl_range_open("wavelane collect");
        status = wait_event(runtime(b), job->done, timeout_ms);
        wvl_range_close();
        if (!status && b->trace && !job->finished) {
            tell_spans(job);
        }
        wvl_cuda_leave(b->device);
    }
    job->finished = !status;
    return status                                  ? wvl_cuda_note_status(b->device, status)
           : *job->outside || job->staging.outside ? WVL_ERROR_INPUT
                                                   : WVL_OK;
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
    .name = "cuda",
    .jobs = 2,
    .reach = cuda_reach,
    .describe_device = wvl_cuda_describe_device,
    .open_device = cuda_open_device,
    .close_device = wvl_cuda_close_device,
    .is_lost = wvl_cuda_is_lost,
    .open = cuda_open,
    .close = cuda_close,
    .measure = cuda_measure,
    .prepare = cuda_prepare,
    .submit = cuda_submit,
    .wait = cuda_wait,
    .collect = cuda_collect,
    .release = cuda_release,
};
