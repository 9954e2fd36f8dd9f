/* SPDX-License-Identifier: BSD-2-Clause */
/* Workspaces for jobs of whole pictures, and what comes out of them; memory for finished pictures: output.c. */
#include "cuda/host/pictures/picture.h"

#include "base/alloc.h"
#include "base/try.h"

/* ---- Memory for finished pictures: how much, and where it comes from (D-device-30) ---------------- */

#define ROOM_LEAST (UINT64_C(64) << 10) /* headers and boxes of small pictures */
#define ROOM_STEPS 8u                   /* of a doubling, at first */

uint64_t wvl_cuda_bound_output(const wvl_assembly *assembly)
{
    uint64_t bytes = assembly->output_bytes_bound;
    return bytes > UINT64_MAX - 256 ? UINT64_MAX : wvl_align_up(bytes, 256);
}

/* Room for a finished picture of `needed` bytes that is copied to it: the samples, and a sixteenth more. Lossless
 * pictures hardly ever take more; one that does gets its room when it is taken (copy_rest), and those after it have as
 * much. Room grows in steps, so that memory which is kept fits again. The bound is 2 to 3 times as much, and the driver
 * needs 0.29 ms for a MB of page-locked memory. */
static uint64_t room_for(const wvl_backend *b, uint64_t needed)
{
    uint64_t bytes = b->pictures->layout.staging_bytes, most = wvl_cuda_bound_output(b->pictures->assembly);
    bytes = wvl_align_up(bytes + bytes / 16 + b->plan->syntax.boxes_before.bytes + ROOM_LEAST, 256);
    while (bytes < needed && bytes < most) {
        bytes = wvl_align_up(bytes + bytes / ROOM_STEPS, 256);
    }
    return wvl_cuda_copies_picture(b) ? wvl_min_u64(bytes, most) : most;
}

/* The output that the workspace has, if it is large enough. */
static int has_output(const wvl_cuda_picture *picture, uint64_t room)
{
    return picture->output && picture->output_bytes >= room;
}

/* The workspace has room for its next picture. is_new: the room comes with the workspace. Else it is one that was given
 * back, or that of a workspace that waits. */
static wvl_cuda_status take_output(wvl_backend_job *job, int is_new)
{
    wvl_backend *b = job->backend;
    wvl_cuda_picture *picture = job->picture;
    unsigned place = wvl_cuda_output_place(b->plan->device.output);
    /* For the largest picture so far, and a little more. */
    pthread_mutex_lock(&b->workspaces.lock);
    uint64_t most = b->pictures->most_bytes;
    pthread_mutex_unlock(&b->workspaces.lock);
    uint64_t room = room_for(b, most + most / WVL_CUDA_FORECAST_MORE);
    if (has_output(picture, room)) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_free(b->device, place, picture->output, picture->output_bytes, NULL);
    picture->output = is_new ? 0 : wvl_cuda_take_kept(b->device, place, room);
    picture->output_bytes = room;
    if (!picture->output && !is_new) {
        /* Takes the output of a workspace that waits for a job. A workspace that is used again at once would need a
         * second one, while others have theirs for nothing. */
        pthread_mutex_lock(&b->workspaces.lock);
        for (wvl_workspace *workspace = b->workspaces.first; workspace && !picture->output;
             workspace = workspace->next) {
            wvl_cuda_picture *other = ((wvl_backend_job *)workspace)->picture;
            if (!workspace->busy && has_output(other, room)) {
                picture->output = other->output;
                picture->output_bytes = other->output_bytes;
                other->output = 0;
            }
        }
        pthread_mutex_unlock(&b->workspaces.lock);
    }
    return picture->output ? WVL_CUDA_SUCCESS : wvl_cuda_alloc(b->device, place, room, &picture->output);
}

/* Room for a picture that is larger than most. */
static wvl_cuda_status enlarge_output(wvl_backend_job *job, uint64_t bytes)
{
    wvl_cuda_picture *picture = job->picture;
    wvl_device *device = job->backend->device;
    if (bytes <= picture->output_bytes) {
        return WVL_CUDA_SUCCESS;
    }
    wvl_cuda_free(device, WVL_CUDA_OUTPUT_PINNED, picture->output, picture->output_bytes, NULL);
    picture->copied_bytes = 0;
    picture->output_bytes = room_for(job->backend, bytes);
    return wvl_cuda_alloc(device, WVL_CUDA_OUTPUT_PINNED, picture->output_bytes, &picture->output);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Tables of blocks lie in host memory while they are built. */
static uint64_t host_bytes(const wvl_cuda_pictures *p)
{
    uint64_t tables = wvl_alloc_size(wvl_mul_saturate(p->layout.block_count, p->coder->block_bytes)) +
                      wvl_alloc_size(wvl_mul_saturate(p->layout.block_count, p->coder->list_count * sizeof(uint32_t)));
    return wvl_alloc_size(p->layout.host_end) + wvl_alloc_size(p->host_bytes) + tables +
           wvl_alloc_size(sizeof(wvl_backend));
}

void wvl_cuda_measure_picture(const wvl_plan *plan, const wvl_assembly *assembly, wvl_backend_memory *workspace)
{
    wvl_cuda_pictures *p = wvl_cuda_build_pictures(NULL, plan, assembly, 0);
    *workspace = (wvl_backend_memory){.host_bytes = UINT64_MAX, .pinned_bytes = UINT64_MAX, .device_bytes = UINT64_MAX};
    if (p) {
        uint64_t on_device = plan->device.output ? wvl_cuda_bound_output(assembly) : 0;
        workspace->host_bytes = host_bytes(p);
        workspace->pinned_bytes = wvl_add_saturate(p->layout.pinned_end + p->layout.staging_bytes,
                                                   plan->device.output ? 0 : wvl_cuda_bound_output(assembly));
        workspace->device_bytes = wvl_add_saturate(wvl_add_saturate(p->layout.device_end, p->layout.shared_end),
                                                   wvl_add_saturate(p->layout.staging_bytes, on_device));
        wvl_free(NULL, p, p->host_bytes);
    }
}

/* ---- Workspaces ------------------------------------------------------------------------------ */

void wvl_cuda_drop_graphs(wvl_backend_job *job)
{
    wvl_cuda_exec *execs = job->picture->execs;
    for (unsigned i = 0; i < WVL_CUDA_PACES; i++) {
        if (execs[i]) {
            (void)wvl_cuda_runtime_of(job->backend)->exec_destroy(execs[i]);
        }
        execs[i] = NULL;
    }
}

void wvl_cuda_free_picture(wvl_backend *b, wvl_backend_job *job)
{
    wvl_cuda_picture *picture = job->picture;
    const wvl_cuda_picture_layout *l = &b->pictures->layout;
    wvl_cuda_drop_graphs(job);
    if (picture->computed) {
        (void)wvl_cuda_runtime_of(b)->event_destroy(picture->computed);
    }
    if (picture->uploaded) {
        (void)wvl_cuda_runtime_of(b)->event_destroy(picture->uploaded);
    }
    wvl_cuda_free(b->device, wvl_cuda_output_place(b->plan->device.output), picture->output, picture->output_bytes,
                  NULL);
    wvl_cuda_free(b->device, WVL_CUDA_ON_DEVICE, picture->staging_device, l->staging_bytes, NULL);
    wvl_cuda_free(b->device, WVL_CUDA_PINNED, (uintptr_t)picture->staging, l->staging_bytes, NULL);
    if (picture->has_place) {
        wvl_cuda_drop_place(b->device);
    }
}

static void free_streams(const wvl_cuda_runtime *rt, wvl_cuda_stream *streams)
{
    for (uint32_t i = 0; i < WVL_CUDA_MOST_STREAMS; i++) {
        if (streams[i]) {
            (void)rt->stream_destroy(streams[i]);
        }
    }
}

void wvl_cuda_free_pictures(wvl_backend *b)
{
    wvl_cuda_pictures *p = b->pictures;
    b->pictures = NULL;
    if (p) {
        free_streams(wvl_cuda_runtime_of(b), p->compute);
        free_streams(wvl_cuda_runtime_of(b), p->copy);
        if (p->uploads) {
            (void)wvl_cuda_runtime_of(b)->stream_destroy(p->uploads);
        }
        wvl_cuda_free(b->device, WVL_CUDA_ON_DEVICE, p->device, p->device_bytes, NULL);
        wvl_free(&b->allocator, p, p->host_bytes);
    }
}

/* Every workspace but the first gets a share, which suffices for most pictures. */
static uint64_t count_scratch(const wvl_cuda_pictures *p, int is_large)
{
    uint64_t most = p->layout.coder.scratch_bytes;
    return is_large ? most : wvl_align_up(most / p->coder->scratch_parts, 256);
}

static wvl_backend_job *create_workspace(wvl_backend *b, int is_large)
{
    const wvl_cuda_picture_layout *l = &b->pictures->layout;
    wvl_backend_job *job = wvl_alloc(&b->allocator, l->host_end);
    if (!job) {
        return NULL;
    }
    memset(job, 0, (size_t)l->host_end);
    uint8_t *host = (uint8_t *)job;
    job->backend = b;
    job->capacity = l->host_end;
    job->pinned_capacity = l->pinned_end;
    job->picture = (wvl_cuda_picture *)(void *)(host + wvl_align_up(sizeof *job, 256));
    job->picture->scratch_bytes = count_scratch(b->pictures, is_large);
    job->device_capacity = wvl_add_saturate(l->coder.scratch, job->picture->scratch_bytes);
    job->picture->given = (wvl_cuda_pixels *)(void *)(host + l->given);
    job->picture->pixels = (wvl_cuda_pixels *)(void *)(host + l->pixels);
    job->picture->tables.launches = (wvl_cuda_launch *)(void *)(host + l->launches);
    job->picture->tables.fronts = (uint32_t *)(void *)(host + l->fronts);
    job->picture->has_no_graphs = (b->options & WVL_CUDA_NO_GRAPHS) != 0;
    return job;
}

/* One of the streams that workspaces share: the next of `count`. */
static wvl_cuda_status share_stream(const wvl_backend *b, wvl_cuda_stream *streams, uint32_t count,
                                    wvl_cuda_stream *stream)
{
    wvl_cuda_stream *own = &streams[b->pictures->workspace_count % count];
    wvl_cuda_status status =
        *own ? WVL_CUDA_SUCCESS : wvl_cuda_runtime_of(b)->stream_create(own, WVL_CUDA_STREAM_NON_BLOCKING);
    *stream = *own;
    return status;
}

static wvl_cuda_status share_streams(wvl_backend *b, wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    wvl_cuda_pictures *p = b->pictures;
    wvl_cuda_picture *picture = job->picture;
    uint32_t compute = b->streams ? b->streams : p->coder->streams,
             copy = b->copies ? b->copies : WVL_CUDA_COPY_STREAMS;
    wvl_cuda_status status = share_stream(b, p->compute, compute, &job->stream);
    TRY(status, share_stream(b, p->copy, copy, &picture->copies));
    TRY(status, rt->event_create(&picture->computed, WVL_CUDA_EVENT_DISABLE_TIMING));
    return status ? status
                  : rt->event_create(&picture->uploaded, WVL_CUDA_EVENT_DISABLE_TIMING | WVL_CUDA_EVENT_BLOCKING);
}

/* What is copied may reach beyond the picture: what others left there must not travel. */
static wvl_cuda_status clear_finished(const wvl_backend_job *job)
{
    const wvl_cuda_picture_layout *l = &job->backend->pictures->layout;
    return l->finished_end > l->finished
               ? wvl_cuda_runtime_of(job->backend)
                     ->fill(job->device + l->finished, 0, (size_t)(l->finished_end - l->finished), job->stream)
               : WVL_CUDA_SUCCESS;
}

static wvl_status add_workspace(wvl_backend *b, int is_large)
{
    wvl_backend_job *job = create_workspace(b, is_large);
    if (!job) {
        return WVL_ERROR_MEMORY;
    }
    wvl_cuda_add_place(b->device);
    job->picture->has_place = 1;
    wvl_cuda_status failed = share_streams(b, job);
    failed = failed ? failed : wvl_cuda_fill_workspace(b, job);
    failed = failed ? failed : clear_finished(job);
    failed = failed ? failed : wvl_cuda_upload_blocks(job);
    failed = failed ? failed : take_output(job, 1);
    if (failed || !job->pinned_address) {
        wvl_cuda_free_workspace(b, job);
        return failed ? wvl_cuda_note_status(b->device, failed) : WVL_ERROR_UNSUPPORTED;
    }
    job->picture->tables.splits = (wvl_cuda_split *)(void *)(job->pinned + b->pictures->layout.splits);
    job->picture->tables.items = (wvl_cuda_item *)(void *)(job->pinned + b->pictures->layout.items);
    job->outside = &wvl_cuda_picture_result(job)->outside;
    /* All of the workspace's jobs are the same but for pixels and output. */
    const wvl_cuda_pictures *p = job->backend->pictures;
    const wvl_cuda_picture_layout *l = &p->layout;
    wvl_cuda_picture *picture = job->picture;
    wvl_cuda_address at = job->device;
    const wvl_cuda_coder_view view = wvl_cuda_picture_view(p);
    wvl_cuda_coder_places places = l->coder;
    places.workspace = at;
    places.shared = p->device;
    places.scratch_bytes = picture->scratch_bytes;
    picture->blocks = p->blocks;
    picture->job = p->job;
    (void)p->coder->place(&view, &places, &picture->blocks, &picture->job);
    picture->job.outside = at + l->outside;
    picture->job.memory = at + l->work;
    picture->job.pictures = job->pinned_address + l->target;
    picture->job.writers = job->backend->writers;
    b->pictures->workspace_count++;
    wvl_workspaces_add(&b->workspaces, &job->workspace);
    return WVL_OK;
}

/* ---- Prepare --------------------------------------------------------------------------------- */

static wvl_cuda_status fill_pictures(wvl_backend *b)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    wvl_cuda_pictures *p = b->pictures;
    wvl_cuda_stream stream = NULL;
    p->device_bytes = p->layout.shared_end;
    wvl_cuda_status status = wvl_cuda_alloc(b->device, WVL_CUDA_ON_DEVICE, p->device_bytes, &p->device);
    TRY(status, rt->stream_create(&p->uploads, WVL_CUDA_STREAM_NON_BLOCKING));
    TRY(status, rt->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING));
    TRY(status, wvl_cuda_upload_pictures(b, stream));
    if (stream) {
        wvl_cuda_status waited = rt->stream_wait(stream);
        TRY(status, waited);
        (void)rt->stream_destroy(stream);
    }
    return status;
}

/* Tables of the plan, once. */
static wvl_status open_pictures(wvl_backend *b, const wvl_plan *plan, const wvl_assembly *assembly)
{
    int any_shape = wvl_cuda_is_any_shape(b);
    wvl_cuda_pictures *p = wvl_cuda_build_pictures(&b->allocator, plan, assembly, any_shape);
    if (!p) {
        return WVL_ERROR_MEMORY;
    }
    wvl_status status = wvl_cuda_change_plan(b, plan, p);
    if (status != WVL_OK) {
        wvl_free(&b->allocator, p, p->host_bytes);
        return status;
    }
    wvl_cuda_status failed = fill_pictures(b);
    if (failed) {
        wvl_cuda_free_pictures(b);
        b->plan = NULL;
    }
    return wvl_cuda_note_status(b->device, failed);
}

wvl_status wvl_cuda_prepare_picture(wvl_backend *b, const wvl_plan *plan, const wvl_assembly *assembly,
                                    const wvl_backend_memory *workspace)
{
    const char *why;
    (void)workspace; /* follows from the plan */
    if (wvl_backend_cuda.reach(plan, NULL, WVL_REACH_PACKETS, &why) != WVL_REACH_PACKETS) {
        return WVL_ERROR_UNSUPPORTED;
    }
    wvl_cuda_status entered = wvl_cuda_enter(b->device);
    if (entered) {
        return wvl_cuda_note_status(b->device, entered);
    }
    int is_open = b->plan == plan && b->pictures && b->pictures->assembly == assembly;
    wvl_status status = is_open ? WVL_OK : open_pictures(b, plan, assembly);
    TRY(status, add_workspace(b, !b->pictures->workspace_count));
    wvl_cuda_leave(b->device);
    return status;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static int is_large(const wvl_backend_job *job)
{
    return job->picture->scratch_bytes >= job->backend->pictures->layout.coder.scratch_bytes;
}

static unsigned suits_small(const wvl_workspace *workspace, const void *unused)
{
    (void)unused;
    return !is_large((const wvl_backend_job *)workspace);
}

static unsigned suits_large(const wvl_workspace *workspace, const void *unused)
{
    (void)unused;
    return is_large((const wvl_backend_job *)workspace);
}

/* Best one that nobody waits for, and whose tables are those of such pixels. */
static unsigned suits_image(const wvl_workspace *workspace, const void *wanted)
{
    const wvl_backend_job *job = (const wvl_backend_job *)workspace;
    const wvl_cuda_pixels *given = job->picture->given;
    const wvl_image *image = wanted;
    int has_pixels = !job->picture->is_built || image->memory_kind == WVL_MEMORY_HOST ||
                     image->memory_kind == WVL_MEMORY_PINNED ||
                     given->data == (uint64_t)(uintptr_t)image->planes[0].data;
    int is_awaited = atomic_load(&job->backend->pictures->awaited) && is_large(job);
    return 1u + (unsigned)has_pixels + (is_awaited ? 0 : 2);
}

/* For a picture whose blocks found no room: a workspace where they do. */
static wvl_backend_job *take_large_workspace(wvl_backend *b)
{
    wvl_workspace *workspace = wvl_workspaces_take_fitting(&b->workspaces, suits_large, NULL);
    if (!workspace) {
        /* A large workspace in place of a small one that is free. Where memory does not suffice, the small one comes
         * back. */
        wvl_cuda_pictures *p = b->pictures;
        pthread_mutex_lock(&b->growth);
        wvl_workspace *small = p->is_full ? NULL : wvl_workspaces_remove_fitting(&b->workspaces, suits_small, NULL);
        if (small && !wvl_cuda_enter(b->device)) {
            wvl_cuda_free_workspace(b, (wvl_backend_job *)small);
            p->is_full = add_workspace(b, 1) != WVL_OK;
            if (p->is_full) {
                (void)add_workspace(b, 0); /* else there is one workspace less */
            }
            wvl_cuda_leave(b->device);
        } else if (small) {
            wvl_workspaces_add(&b->workspaces, small);
        }
        pthread_mutex_unlock(&b->growth);
        workspace = wvl_workspaces_take_fitting(&b->workspaces, suits_large, NULL);
    }
    atomic_store(&b->pictures->awaited, !workspace);
    return (wvl_backend_job *)workspace;
}

static wvl_backend_job *take_workspace(wvl_backend *b, const wvl_image *image, int is_again)
{
    if (!b->pictures) {
        return NULL;
    }
    return is_again ? take_large_workspace(b)
                    : (wvl_backend_job *)wvl_workspaces_take_fitting(&b->workspaces, suits_image, image);
}

/* Returns what suffices for most pictures, from what the last ones took: the prediction decides who copies, never a
 * byte. 0: there was none. */
static uint64_t predict_bytes(wvl_backend *b, uint64_t room)
{
    return wvl_min_u64(wvl_align_up(wvl_cuda_predict_size(&b->pictures->recent), 256), room);
}

static void note_bytes(wvl_backend *b, uint64_t bytes)
{
    wvl_cuda_pictures *p = b->pictures;
    wvl_cuda_note_size(&p->recent, bytes);
    pthread_mutex_lock(&b->workspaces.lock);
    p->most_bytes = wvl_max_u64(p->most_bytes, bytes);
    pthread_mutex_unlock(&b->workspaces.lock);
}

static uint32_t count_layers(const wvl_backend *b) { return b->pictures->assembly->layer_count; }

/* Room for the picture, and what the device is to know of it. */
static wvl_cuda_status aim(wvl_backend_job *job)
{
    wvl_backend *b = job->backend;
    const wvl_cuda_picture_layout *l = &b->pictures->layout;
    wvl_cuda_picture *picture = job->picture;
    wvl_cuda_packets_picture *target = (wvl_cuda_packets_picture *)(void *)(job->pinned + l->target);
    wvl_cuda_status status = take_output(job, 0);
    wvl_cuda_address address = picture->output;
    picture->copied_bytes = 0;
    if (wvl_cuda_copies_picture(b)) {
        address = job->device + l->finished;
        picture->copied_bytes = predict_bytes(b, picture->output_bytes);
    } else if (!status && !b->plan->device.output) {
        status = wvl_cuda_runtime_of(b)->pinned_address(&address, (void *)(uintptr_t)picture->output, 0);
    }
    *target = (wvl_cuda_packets_picture){.output = address,
                                         .output_bytes = wvl_cuda_bound_output(b->pictures->assembly),
                                         .result = job->pinned_address + l->result,
                                         .lengths = job->pinned_address + l->lengths,
                                         .layers = count_layers(b) > 1 ? job->pinned_address + l->layers : 0};
    memset(wvl_cuda_picture_result(job), 0, sizeof(wvl_cuda_packets_result));
    return status;
}

/* Targets and caps are arguments of kernels: a graph has those of the plan that was prepared. */
static void set_values(const wvl_backend_job *job, const wvl_plan *plan)
{
    const wvl_backend *b = job->backend;
    wvl_cuda_picture *picture = job->picture;
    int is_usual = wvl_plan_values_agree(plan, b->plan);
    if (b->pictures->coder->set_values && !(is_usual && !picture->has_own_values)) {
        b->pictures->coder->set_values(plan, &picture->blocks);
    }
    picture->has_own_values = !is_usual;
}

static void set_pace(wvl_backend_job *job)
{
    const wvl_backend *b = job->backend;
    wvl_cuda_picture *picture = job->picture;
    uint32_t in_flight = wvl_cuda_count_job(job);
    unsigned pace = b->pace ? b->pace - 1 : wvl_cuda_find_pace(b->plan, in_flight);
    if (wvl_cuda_is_ht(b->plan)) { /* who chooses is all that depends on it */
        int is_wide = wvl_cuda_chooses_passes(b->plan) && pace == WVL_CUDA_PACE_FEW;
        picture->blocks.rate.is_wide = (uint32_t)is_wide;
        picture->pace = is_wide ? WVL_CUDA_PACE_FEW : WVL_CUDA_PACE_MANY;
        return;
    }
    picture->pace = wvl_cuda_set_pace(b->device, pace, &picture->blocks.t1, &picture->blocks.rate);
    picture->blocks.rate.deeper = b->deeper ? b->deeper : picture->blocks.rate.deeper;
}

wvl_status wvl_cuda_submit_picture(wvl_backend *b, const wvl_plan *plan, const wvl_image *image, int is_again,
                                   wvl_backend_job **out)
{
    wvl_backend_job *job = take_workspace(b, image, is_again);
    *out = NULL;
    if (!job) {
        return WVL_AGAIN;
    }
    job->finished = 0;
    set_pace(job);
    set_values(job, plan);
    wvl_cuda_status failed = wvl_cuda_enter(b->device);
    if (!failed) {
        failed = aim(job);
        failed = failed ? failed : wvl_cuda_queue_picture(job, image);
        wvl_cuda_leave(b->device);
    }
    if (failed) {
        wvl_cuda_release_job(job); /* waits for what was queued before the failure */
        return wvl_cuda_note_status(b->device, failed);
    }
    *out = job;
    return WVL_OK;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Why nothing was written. */
static wvl_status judge(const wvl_backend_job *job, const wvl_cuda_packets_result *r)
{
    if (r->flags & WVL_CUDA_PACKETS_OUTSIDE) {
        return WVL_ERROR_INPUT;
    }
    if (r->flags & WVL_CUDA_PACKETS_UNBOUNDED) {
        return WVL_ERROR_INTERNAL;
    }
    if (r->flags & WVL_CUDA_PACKETS_LEFT && !is_large(job)) {
        return WVL_AGAIN;
    }
    return r->flags || !r->bytes ? WVL_ERROR_UNSUPPORTED : WVL_OK;
}

/* A picture that was larger than predicted. */
static wvl_status copy_rest(wvl_backend_job *job, uint64_t bytes)
{
    wvl_backend *b = job->backend;
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    const wvl_cuda_picture *picture = job->picture;
    if (!wvl_cuda_copies_picture(b) || bytes <= picture->copied_bytes) {
        return WVL_OK;
    }
    wvl_cuda_status status = wvl_cuda_enter(b->device);
    if (!status) {
        status = enlarge_output(job, bytes);
        uint64_t from = picture->copied_bytes;
        TRY(status,
            rt->download((uint8_t *)(uintptr_t)picture->output + from,
                         job->device + b->pictures->layout.finished + from, (size_t)(bytes - from), picture->copies));
        TRY(status, rt->event_record(job->done, picture->copies));
        TRY(status, rt->event_wait(job->done));
        wvl_cuda_leave(b->device);
    }
    job->finished = !status; /* else release waits for what was queued */
    return wvl_cuda_note_status(b->device, status);
}

wvl_status wvl_cuda_take_picture(wvl_backend_job *job, wvl_finished *picture, uint32_t *part_bytes,
                                 uint64_t *group_bytes)
{
    memset(picture, 0, sizeof *picture);
    if (!job->picture || !job->finished) {
        return WVL_ERROR_ARGUMENT;
    }
    const wvl_cuda_packets_result *r = wvl_cuda_picture_result(job);
    wvl_status status = job->staging.outside ? WVL_ERROR_INPUT : judge(job, r);
    TRY(status, copy_rest(job, r->bytes));
    if (status != WVL_OK) {
        return status;
    }
    note_bytes(job->backend, r->bytes);
    const wvl_cuda_pictures *p = job->backend->pictures;
    const wvl_assembly *a = p->assembly;
    const uint32_t *lengths = (const uint32_t *)(const void *)(job->pinned + p->layout.lengths);
    uint64_t resolutions = p->plan->syntax.max_levels + 1u;
    memset(group_bytes, 0, p->plan->syntax.component_count * resolutions * a->layer_count * sizeof *group_bytes);
    for (uint32_t i = 0; i < a->packet_count; i++) {
        uint64_t row = a->owners[i].component * resolutions + a->owners[i].resolution;
        group_bytes[row * a->layer_count + a->packets[i].layer] += lengths[i];
    }
    memcpy(part_bytes, lengths + a->packet_count, a->part_count * sizeof *part_bytes);
    *picture = (wvl_finished){.data = (const uint8_t *)(uintptr_t)job->picture->output,
                              .room = job->picture->output_bytes,
                              .bytes = r->bytes,
                              .codestream_offset = r->codestream,
                              .energy = r->energy,
                              .gain = r->energy - r->left,
                              .threshold = r->outcome.threshold,
                              .is_everything = r->outcome.is_everything != 0,
                              .on_device = job->backend->plan->device.output};
    if (count_layers(job->backend) > 1) {
        picture->layers =
            (const wvl_assembly_layer *)(const void *)(job->pinned + job->backend->pictures->layout.layers);
    }
    job->picture->output = 0;
    return WVL_OK;
}

/* NULL: nothing on the stream is left to be done. */
static wvl_cuda_event follow_readers(const wvl_device *device, wvl_cuda_stream stream)
{
    const wvl_cuda_runtime *rt = device->runtime;
    wvl_cuda_event event = NULL;
    wvl_cuda_status status = rt->event_create(&event, WVL_CUDA_EVENT_DISABLE_TIMING);
    TRY(status, rt->event_record(event, stream));
    if (status) {
        (void)rt->stream_wait(stream);
        if (event) {
            (void)rt->event_destroy(event);
        }
        event = NULL;
    }
    return event;
}

void wvl_cuda_drop_picture(wvl_device *device, const wvl_finished *picture)
{
    int entered = !wvl_cuda_enter(device);
    wvl_cuda_event read = picture->has_reader && entered ? follow_readers(device, picture->reader) : NULL;
    wvl_cuda_free(device, wvl_cuda_output_place(picture->on_device), (uintptr_t)picture->data, picture->room, read);
    if (entered) {
        wvl_cuda_leave(device);
    }
}
