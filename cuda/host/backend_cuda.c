/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device backend: staging, upload, one launch a level and wavelet, delivery.
 *
 * A workspace is one job in flight with a stream and memory of its own, allocated by prepare and used again by every
 * submit. Everything of a job is queued by submit in one go; wait looks at an event: the only call that waits for the
 * device. Coefficients stay in pinned memory from collect to release.
 */
#include "cuda/host/backend_cuda.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/ranges.h"
#include "base/try.h"
#include "cuda/host/pictures/picture.h"

#define DEPTH_MAX 16
#define POLL_NANOSECONDS 50000
#define LEAST_SPARE (1u << 20) /* bytes; less is as good as nothing */

/* ---- Memory ---------------------------------------------------------------------------------- */

static void cuda_measure(const wvl_plan *plan, const wvl_tile_plan *tiles, uint32_t tile_count, uint32_t concurrency,
                         wvl_backend_memory *memory)
{
    wvl_cuda_layout l = wvl_cuda_build_layout(plan, tiles, tile_count, 0, sizeof(wvl_backend_job));
    (void)concurrency;
    uint64_t light = wvl_cuda_light_bytes(plan);
    *memory = (wvl_backend_memory){
        .host_bytes = wvl_add_saturate(wvl_alloc_size(l.host_end), wvl_alloc_size(sizeof(wvl_backend))),
        .pinned_bytes = l.pinned_end,
        .device_bytes = wvl_add_saturate(l.device_end, light),
        .least_device_bytes = wvl_add_saturate(l.device_least, light),
        .spill_bytes = l.spill_bytes ? wvl_alloc_size(l.spill_bytes) : 0};
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
static wvl_reach cuda_reach(const wvl_plan *plan, const wvl_image *image, wvl_reach most, const char **why)
{
    (void)image;
    *why = NULL;
    if (is_deep(plan)) {
        *why = "components of more than 16 bits are for the CPU";
        return WVL_REACH_NONE;
    }
    if (most == WVL_REACH_PACKETS && wvl_cuda_can_finish(plan, why)) {
        return WVL_REACH_PACKETS;
    }
    return wvl_cuda_choose_coder(plan, WVL_REACH_BLOCKS, why) ? WVL_REACH_BLOCKS : WVL_REACH_COEFS;
}

static wvl_status cuda_open_device(const wvl_device_options *options, wvl_device **device)
{
    return wvl_cuda_open_device(options, NULL, NULL, device);
}

static void wait_streams(const wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(job->backend);
    if (job->stream) {
        (void)rt->stream_wait(job->stream);
    }
    if (job->picture && job->picture->copies) {
        (void)rt->stream_wait(job->picture->copies);
    }
    if (job->picture && job->backend->pictures->uploads) {
        (void)rt->stream_wait(job->backend->pictures->uploads);
    }
}

void wvl_cuda_free_workspace(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    wait_streams(job);
    if (job->picture) {
        wvl_cuda_free_picture(b, job);
    } else if (job->stream) {
        (void)rt->stream_destroy(job->stream);
    }
    for (unsigned i = 0; i < WVL_CUDA_MARKS; i++) {
        if (job->mark[i]) {
            (void)rt->event_destroy(job->mark[i]);
        }
    }
    if (job->done) {
        (void)rt->event_destroy(job->done);
    }
    wvl_cuda_drop_code(&job->code);
    wvl_cuda_free(b->device, WVL_CUDA_ON_DEVICE, job->device, job->device_capacity, NULL);
    wvl_cuda_free(b->device, WVL_CUDA_PINNED, (uintptr_t)job->pinned, job->pinned_capacity, NULL);
    wvl_free(&b->allocator, job, job->capacity);
}

static void free_workspaces(wvl_backend *b)
{
    wvl_backend_job *job;
    while ((job = (wvl_backend_job *)wvl_workspaces_remove(&b->workspaces))) {
        wvl_cuda_free_workspace(b, job);
    }
    wvl_cuda_free_pictures(b);
}

static void cuda_close(wvl_backend *b)
{
    if (!b) {
        return;
    }
    int entered = !wvl_cuda_enter(b->device); /* a lost device refuses; the host's memory goes all the same */
    free_workspaces(b);
    if (b->epoch) {
        (void)wvl_cuda_runtime_of(b)->event_destroy(b->epoch);
    }
    if (entered) {
        wvl_cuda_leave(b->device);
    }
    if (b->owns_device) {
        wvl_cuda_close_device(b->device);
    }
    wvl_workspaces_fini(&b->workspaces);
    (void)pthread_mutex_destroy(&b->growth);
    wvl_allocator allocator = b->allocator;
    wvl_free(&allocator, b, sizeof *b);
}

static wvl_status create_backend(const wvl_allocator *host, wvl_pool *pool, wvl_device *device, wvl_backend **backend)
{
    wvl_backend *b = wvl_alloc_zeroed(host, sizeof *b);
    int has_workspaces = b && wvl_workspaces_init(&b->workspaces);
    if (!has_workspaces || pthread_mutex_init(&b->growth, NULL)) {
        if (has_workspaces) {
            wvl_workspaces_fini(&b->workspaces);
        }
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
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    wvl_cuda_stream stream = NULL;
    if (wvl_cuda_enter(b->device)) {
        return;
    }
    wvl_cuda_status status = rt->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING);
    TRY(status, rt->event_create(&b->epoch, 0));
    TRY(status, rt->event_record(b->epoch, stream));
    TRY(status, rt->event_wait(b->epoch));
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

/* ---- Workspaces ------------------------------------------------------------------------------ */

wvl_cuda_status wvl_cuda_fill_workspace(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    wvl_cuda_status status =
        job->stream ? WVL_CUDA_SUCCESS : rt->stream_create(&job->stream, WVL_CUDA_STREAM_NON_BLOCKING);
    TRY(status, rt->event_create(&job->done, WVL_CUDA_EVENT_DISABLE_TIMING | WVL_CUDA_EVENT_BLOCKING));
    for (unsigned i = 0; i < WVL_CUDA_MARKS && b->epoch && !status; i++) {
        status = rt->event_create(&job->mark[i], 0);
    }
    TRY(status, wvl_cuda_alloc(b->device, WVL_CUDA_ON_DEVICE, job->device_capacity, &job->device));
    TRY(status, wvl_cuda_alloc_pinned(b->device, job->pinned_capacity, &job->pinned));
    if (!status && !(b->options & WVL_CUDA_WHOLE_DOWNLOAD) &&
        rt->pinned_address(&job->pinned_address, job->pinned, 0)) {
        job->pinned_address = 0;
    }
    return status;
}

/* Workspaces travel with their pads: what others left in them must not. */
static wvl_cuda_status open_wave_workspace(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    wvl_cuda_status status = wvl_cuda_fill_workspace(b, job);
    TRY(status, rt->fill(job->device, 0, (size_t)job->device_capacity, job->stream));
    if (!status && wvl_cuda_light_bytes(b->plan)) {
        status = rt->upload(wvl_cuda_light_address(job), b->plan->syntax.xyz.linear[0],
                            (size_t)wvl_cuda_measure_light(b->plan), job->stream);
    }
    return status;
}

/* All workspaces serve one plan: preparing for another one drops them, which needs them free. */
wvl_status wvl_cuda_change_plan(wvl_backend *b, const wvl_plan *plan, wvl_cuda_pictures *pictures)
{
    if (wvl_workspaces_are_busy(&b->workspaces)) {
        return WVL_ERROR_ARGUMENT;
    }
    free_workspaces(b);
    b->plan = plan;
    b->pictures = pictures;
    return WVL_OK;
}

static wvl_status add_wave_workspace_of(wvl_backend *b, const wvl_backend_memory *workspace, uint64_t device_bytes)
{
    uint64_t bytes = workspace->host_bytes - wvl_alloc_size(sizeof(wvl_backend));
    wvl_backend_job *job = wvl_alloc(&b->allocator, bytes);
    if (!job) {
        return WVL_ERROR_MEMORY;
    }
    memset(job, 0, sizeof *job);
    job->backend = b;
    job->capacity = bytes;
    job->pinned_capacity = workspace->pinned_bytes;
    job->device_capacity = device_bytes;
    wvl_cuda_status status = open_wave_workspace(b, job);
    if (status) {
        wvl_cuda_free_workspace(b, job);
        return wvl_cuda_note_status(b->device, status);
    }
    wvl_workspaces_add(&b->workspaces, &job->workspace);
    return WVL_OK;
}

/* Where memory is short, blocks are coded in smaller portions: of what a workspace can do without it gets a half, a
 * quarter and so on. A second workspace is not worth much less than a quarter. */
static wvl_status add_wave_workspace(wvl_backend *b, const wvl_backend_memory *workspace, int is_first)
{
    uint64_t least = workspace->least_device_bytes ? wvl_min_u64(workspace->least_device_bytes, workspace->device_bytes)
                                                   : workspace->device_bytes,
             spare = workspace->device_bytes - least, fewest = is_first ? 0 : spare / 4;
    wvl_status status = add_wave_workspace_of(b, workspace, least + spare);
    while (status == WVL_ERROR_MEMORY && spare > fewest) {
        spare = spare / 2 > LEAST_SPARE ? wvl_align_up(spare / 2, 256) : 0;
        if (spare < fewest) {
            break;
        }
        status = add_wave_workspace_of(b, workspace, least + spare);
    }
    return status;
}

static wvl_status cuda_prepare(wvl_backend *b, const wvl_plan *plan, const wvl_backend_memory *workspace)
{
    if (is_deep(plan)) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_cuda_status entered = wvl_cuda_enter(b->device);
    if (entered) {
        return wvl_cuda_note_status(b->device, entered);
    }
    int is_first = b->plan != plan || b->pictures;
    wvl_status status = is_first ? wvl_cuda_change_plan(b, plan, NULL) : WVL_OK;
    TRY(status, add_wave_workspace(b, workspace, is_first));
    wvl_cuda_leave(b->device);
    return status;
}

void wvl_cuda_release_job(wvl_backend_job *job)
{
    wvl_backend *b = job->backend;
    if (!job->finished && !wvl_cuda_enter(b->device)) { /* a job that nobody waited for may still be running */
        wait_streams(job);
        wvl_cuda_leave(b->device);
    }
    wvl_cuda_drop_code(&job->code);
    wvl_cuda_uncount_job(job);
    wvl_workspaces_give(&b->workspaces, &job->workspace);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static wvl_status cuda_submit(wvl_backend *b, const wvl_image *image, const wvl_tile_plan *tiles, uint32_t tile_count,
                              wvl_backend_job **out)
{
    wvl_backend_job *job = b->pictures ? NULL : (wvl_backend_job *)wvl_workspaces_take(&b->workspaces);
    *out = NULL;
    if (!job) {
        return WVL_AGAIN;
    }
    wvl_status status = wvl_cuda_queue_job(job, image, tiles, tile_count);
    if (status != WVL_OK) {
        wvl_cuda_release_job(job); /* waits for what was queued before the failure */
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

/* Tells what the device did, on the host's clock. Pixels that lie on the device have no upload. */
static void tell_spans(const wvl_backend_job *job)
{
    static const char *const names[WVL_CUDA_MARKS - 1] = {"upload", "kernels", "download"};
    const wvl_backend *b = job->backend;
    double at[WVL_CUDA_MARKS];
    for (unsigned i = 0; i < WVL_CUDA_MARKS; i++) {
        float ms = 0.0f;
        if (!job->mark[i] || wvl_cuda_runtime_of(b)->event_elapsed(&ms, b->epoch, job->mark[i])) {
            return;
        }
        at[i] = b->epoch_seconds + 1e-3 * (double)ms;
    }
    int uploads = !job->borrows || job->staging.copy_count;
    for (unsigned i = uploads ? 0 : 1; i + 1 < WVL_CUDA_MARKS; i++) {
        char track[WVL_CUDA_TRACK_CHARS];
        snprintf(track, sizeof track, "cuda:%u %s", b->device->ordinal, names[i]);
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
        status = wait_event(wvl_cuda_runtime_of(b), job->done, timeout_ms);
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

/* Coefficients that stayed on the device, because their blocks were coded there. */
static wvl_status fetch_coefs(wvl_backend_job *job)
{
    const wvl_cuda_layout *l = &job->layout;
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(job->backend);
    wvl_cuda_status status = wvl_cuda_enter(job->backend->device);
    if (!status) {
        status =
            rt->download(job->pinned + l->coefs, job->device + l->coefs, (size_t)(l->down_end - l->coefs), job->stream);
        TRY(status, rt->event_record(job->done, job->stream));
        TRY(status, rt->event_wait(job->done));
        wvl_cuda_leave(job->backend->device);
    }
    job->finished = !status; /* else release waits for what was queued */
    job->has_coefs = !status;
    job->codes &= l->output != l->coefs; /* coded bytes lay there: from here on the CPU codes */
    return wvl_cuda_note_status(job->backend->device, status);
}

static wvl_status cuda_collect(wvl_backend_job *job, wvl_coefs *coefs)
{
    if (job->picture) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = job->finished ? WVL_OK : cuda_wait(job, WVL_EVENT_DONE, 0);
    if (status == WVL_OK && !job->has_coefs) {
        status = fetch_coefs(job);
    }
    if (status == WVL_OK || status == WVL_ERROR_INPUT) {
        memcpy(coefs, job->coefs, job->tile_count * sizeof *coefs);
        return WVL_OK;
    }
    return status;
}

static wvl_status cuda_code(wvl_backend_job *job, const wvl_block_order *order, wvl_block_batch *batch)
{
    wvl_status status = job->finished ? WVL_OK : cuda_wait(job, WVL_EVENT_DONE, 0);
    if (status != WVL_OK) {
        return status;
    }
    return job->codes ? wvl_cuda_answer_order(&job->code, order, batch) : WVL_ERROR_UNSUPPORTED;
}

const wvl_backend_vtable wvl_backend_cuda = {
    .name = "cuda",
    .jobs = 2,
    .reach = cuda_reach,
    .describe_device = wvl_cuda_describe_device,
    .open_device = cuda_open_device,
    .close_device = wvl_cuda_close_device,
    .is_lost = wvl_cuda_is_lost,
    .pin = wvl_cuda_pin,
    .unpin = wvl_cuda_unpin,
    .open = cuda_open,
    .close = cuda_close,
    .measure = cuda_measure,
    .prepare = cuda_prepare,
    .submit = cuda_submit,
    .wait = cuda_wait,
    .collect = cuda_collect,
    .code = cuda_code,
    .release = wvl_cuda_release_job,
    .measure_picture = wvl_cuda_measure_picture,
    .prepare_picture = wvl_cuda_prepare_picture,
    .submit_picture = wvl_cuda_submit_picture,
    .take_picture = wvl_cuda_take_picture,
    .drop_picture = wvl_cuda_drop_picture,
    .name_kernels = wvl_cuda_name_kernels,
};
