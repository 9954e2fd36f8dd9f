/* SPDX-License-Identifier: BSD-2-Clause */
/* What a picture queues: pixels and the tables that they change go up, all kernels run, and an event says that the
 * picture is there. */

#include "base/ranges.h"
#include "base/try.h"
#include "cuda/color/unpack.h"
#include "cuda/core/fit.h"
#include "cuda/host/pictures/picture.h"

/* ---- Pixels ---------------------------------------------------------------------------------- */

static wvl_cuda_status mark(const wvl_backend_job *job, unsigned at, wvl_cuda_stream stream)
{
    return job->mark[at] ? wvl_cuda_runtime_of(job->backend)->event_record(job->mark[at], stream) : WVL_CUDA_SUCCESS;
}

static int lies_on_device(const wvl_image *image)
{
    return image->memory_kind == WVL_MEMORY_DEVICE || image->memory_kind == WVL_MEMORY_MANAGED;
}

/* Memory for pixels that lie elsewhere comes with the first picture that needs it. Pixels in page-locked memory mostly
 * need none of the host. */
static wvl_cuda_status take_host_staging(void *user, uint8_t **memory)
{
    const wvl_backend_job *job = user;
    wvl_cuda_picture *p = job->picture;
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    if (!p->staging) {
        status = wvl_cuda_alloc_pinned(job->backend->device, job->backend->pictures->layout.staging_bytes, &p->staging);
    }
    *memory = p->staging;
    return status;
}

static wvl_cuda_status take_device_staging(const wvl_backend_job *job)
{
    wvl_cuda_picture *p = job->picture;
    return p->staging_device ? WVL_CUDA_SUCCESS
                             : wvl_cuda_alloc(job->backend->device, WVL_CUDA_ON_DEVICE,
                                              job->backend->pictures->layout.staging_bytes, &p->staging_device);
}

/* Says whether packed samples become integers on the device. */
static int unpacks(const wvl_backend_job *job)
{
    return job->backend->pictures->layout.unpack_bytes <= job->picture->scratch_bytes;
}

/* Pixels as the device will see them. */
static wvl_cuda_status stage(wvl_backend_job *job, const wvl_image *image)
{
    const wvl_backend *b = job->backend;
    const wvl_cuda_pictures *p = b->pictures;
    wvl_cuda_staging *s = &job->staging;
    uint8_t *host = (uint8_t *)job;
    wvl_cuda_status status = lies_on_device(image) ? WVL_CUDA_SUCCESS : take_device_staging(job);
    if (status) {
        return status;
    }
    s->lies_on_device = lies_on_device(image);
    s->memory = job->picture->staging;
    s->take = take_host_staging;
    s->user = job;
    s->address = job->picture->staging_device;
    s->runtime = wvl_cuda_runtime_of(b);
    s->stream = p->uploads;
    s->begun = job->mark[WVL_CUDA_AT_START];
    s->pixels = job->picture->pixels;
    s->keeps_packed = unpacks(job);
    s->copies = image->memory_kind == WVL_MEMORY_PINNED ? (wvl_cuda_copy *)(void *)(host + p->layout.copies) : NULL;
    wvl_cuda_build_staging(p->plan, p->tiles, p->tile_count, image, b->pool, s);
    job->borrows = lies_on_device(image);
    return s->status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The conversion reads the pixels, and the splits read what it makes. */
static void build_color(wvl_backend_job *job)
{
    const wvl_cuda_pictures *p = job->backend->pictures;
    const wvl_cuda_picture_layout *l = &p->layout;
    if (p->plan->syntax.xyz.kind != WVL_XYZ_NONE) {
        wvl_cuda_color *color = (wvl_cuda_color *)(void *)(job->pinned + l->color);
        *color = (wvl_cuda_color){.light[0] = p->device + l->light, .outside = job->device + l->outside};
        job->color_blocks = wvl_cuda_build_color(p->plan, wvl_cuda_fetch_rect(p->tiles, p->tile_count, 0),
                                                 job->device + l->converted, job->picture->pixels, color);
    }
}

/* Splits read what it makes. */
static void build_unpack(wvl_backend_job *job)
{
    const wvl_cuda_pictures *p = job->backend->pictures;
    const wvl_cuda_picture_layout *l = &p->layout;
    wvl_rect rects[WVL_CUDA_UNPACK_MOST];
    job->unpack_blocks = 0;
    if (unpacks(job)) {
        uint32_t count = p->plan->syntax.component_count;
        for (uint32_t c = 0; c < count; c++) {
            rects[c] = wvl_cuda_fetch_rect(p->tiles, p->tile_count, c);
        }
        job->unpack_blocks = wvl_cuda_build_unpack(rects, count, job->device + l->coder.scratch, job->picture->pixels,
                                                   (wvl_cuda_unpack *)(void *)(job->pinned + l->unpack));
    }
}

static void build_tables(wvl_backend_job *job)
{
    const wvl_backend *b = job->backend;
    const wvl_cuda_pictures *p = b->pictures;
    const wvl_cuda_picture_layout *l = &p->layout;
    wvl_cuda_address at = job->device;
    const wvl_cuda_memory memory = {at + l->coefs,  at + l->bounds, at + l->outside,
                                    at + l->planes, at + l->flags,  job->picture->pixels};
    const wvl_cuda_table_options options = {.any_shape = wvl_cuda_is_any_shape(b),
                                            .multiprocessors = b->device->multiprocessors};
    wvl_cuda_build_tables(p->plan, p->tiles, p->tile_count, &options, &memory, &job->picture->tables);
}

/* Returns how many bytes of tables are not the device's, as other pixels were staged. */
static uint64_t renew_tables(wvl_backend_job *job)
{
    const wvl_cuda_picture_layout *l = &job->backend->pictures->layout;
    wvl_cuda_picture *p = job->picture;
    uint32_t count = job->backend->plan->syntax.component_count;
    size_t bytes = count * sizeof *p->pixels;
    if (p->is_built && !memcmp(p->given, p->pixels, bytes)) {
        return 0;
    }
    int is_alike = p->is_built && wvl_cuda_pixels_alike(p->given, p->pixels, count);
    memcpy(p->given, p->pixels, bytes);
    p->is_built = 0; /* until they are up */
    build_color(job);
    build_unpack(job);
    if (is_alike) {
        wvl_cuda_move_pixels(p->tables.splits, p->tables.split_count, p->pixels);
        return l->items;
    }
    wvl_cuda_drop_graphs(job);
    build_tables(job);
    return l->items + p->tables.item_count * sizeof(wvl_cuda_item);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static wvl_cuda_status launch_all(const wvl_backend_job *job, wvl_cuda_route route)
{
    const wvl_backend *b = job->backend;
    const wvl_cuda_picture_layout *l = &b->pictures->layout;
    const wvl_cuda_transform transform = {.device = job->device,
                                          .splits = l->splits,
                                          .items = l->items,
                                          .bounds = l->bounds,
                                          .cleared_end = l->cleared_end,
                                          .color = l->color,
                                          .unpack = l->unpack,
                                          .color_blocks = job->color_blocks,
                                          .unpack_blocks = job->unpack_blocks,
                                          .tables = &job->picture->tables};
    wvl_cuda_status status = wvl_cuda_launch_transform(wvl_cuda_runtime_of(b), &b->device->kernels, &transform, route);
    TRY(status, b->pictures->coder->launch(b->device, &job->picture->blocks, &job->picture->job, route));
    return status ? status : wvl_cuda_packets_launch(&b->device->packets, &job->picture->job, route);
}

/* All kernels as one thing to launch. */
static wvl_cuda_status build_graph(const wvl_backend_job *job, wvl_cuda_exec *exec)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(job->backend);
    wvl_cuda_draft draft;
    wvl_cuda_status status = wvl_cuda_open_draft(rt, job->backend->device->context, &draft);
    if (status) {
        return status;
    }
    status = launch_all(job, (wvl_cuda_route){.draft = &draft});
    wvl_cuda_status closed = wvl_cuda_close_draft(rt, &draft, status ? NULL : exec);
    return status ? status : closed;
}

/* The driver builds no graphs, or has no memory for one: nothing is queued, and single launches do the same. The
 * workspace does without graphs from then on. */
static wvl_cuda_status go_without_graph(wvl_backend_job *job, wvl_cuda_status status)
{
    if (status != WVL_CUDA_NOT_SUPPORTED && status != WVL_CUDA_OUT_OF_MEMORY) {
        return status;
    }
    wvl_cuda_drop_graphs(job);
    job->picture->has_no_graphs = 1;
    return WVL_CUDA_SUCCESS;
}

static int has_graph(const wvl_cuda_picture *p)
{
    for (unsigned i = 0; i < WVL_CUDA_PACES; i++) {
        if (p->execs[i]) {
            return 1;
        }
    }
    return 0;
}

static wvl_cuda_status queue_kernels(wvl_backend_job *job)
{
    wvl_cuda_picture *p = job->picture;
    wvl_cuda_exec *exec = &p->execs[p->pace];
    if (!p->has_no_graphs && !p->has_own_values) {
        wvl_cuda_status status = *exec ? WVL_CUDA_SUCCESS : build_graph(job, exec);
        if (status == WVL_CUDA_OUT_OF_MEMORY && has_graph(p)) {
            return launch_all(job, wvl_cuda_to_stream(job->stream)); /* the graphs of other paces stay */
        }
        TRY(status, wvl_cuda_runtime_of(job->backend)->graph_launch(*exec, job->stream));
        status = go_without_graph(job, status);
        if (status || !p->has_no_graphs) {
            return status;
        }
    }
    return launch_all(job, wvl_cuda_to_stream(job->stream));
}

/* Copies as much of the picture as it will probably have, to where the caller reads it; then an event. */
static wvl_cuda_status queue_copy(const wvl_backend_job *job)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(job->backend);
    const wvl_cuda_picture *p = job->picture;
    if (!p->copied_bytes) {
        wvl_cuda_status status = mark(job, WVL_CUDA_AT_DELIVERED, job->stream);
        return status ? status : rt->event_record(job->done, job->stream);
    }
    wvl_cuda_status status = rt->event_record(p->computed, job->stream);
    TRY(status, rt->stream_after(p->copies, p->computed, 0));
    TRY(status, rt->download((void *)(uintptr_t)p->output, job->device + job->backend->pictures->layout.finished,
                             (size_t)p->copied_bytes, p->copies));
    TRY(status, mark(job, WVL_CUDA_AT_DELIVERED, p->copies));
    return status ? status : rt->event_record(job->done, p->copies);
}

/* ---- All ------------------------------------------------------------------------------------- */

wvl_cuda_status wvl_cuda_queue_picture(wvl_backend_job *job, const wvl_image *image)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(job->backend);
    double start = wvl_trace_now();
    int is_there = lies_on_device(image);
    wvl_cuda_stream up = is_there ? job->stream : job->backend->pictures->uploads;
    wvl_range_open("wavelane stage");
    /* Work on the pixels begins after the caller's. The host waits for it: kernels that awaited an event have read
     * pixels before they were there (D-device-26). */
    wvl_cuda_status status = image->ready_event ? rt->event_wait(image->ready_event) : WVL_CUDA_SUCCESS;
    TRY(status, mark(job, WVL_CUDA_AT_START, up));
    TRY(status, stage(job, image));
    if (!is_there) {
        /* Pinned pixels go up; those of ordinary memory were sent by stage(). Then the host waits: no kernel is queued
         * before the pixels are there (D-device-26). */
        for (uint32_t i = 0; !status && i < job->staging.copy_count; i++) {
            status = rt->upload_rows(&job->staging.copies[i], up);
        }
        TRY(status, mark(job, WVL_CUDA_AT_UPLOADED, up));
        TRY(status, rt->event_record(job->picture->uploaded, up));
        TRY(status, rt->event_wait(job->picture->uploaded));
    }
    uint64_t renewed = status ? 0 : renew_tables(job);
    if (renewed) {
        status = rt->upload(job->device, job->pinned, (size_t)renewed, job->stream);
        job->picture->is_built = !status;
    }
    if (is_there) {
        TRY(status, mark(job, WVL_CUDA_AT_UPLOADED, up));
    }
    wvl_range_close();
    wvl_range_open("wavelane kernels");
    TRY(status, queue_kernels(job));
    TRY(status, mark(job, WVL_CUDA_AT_COMPUTED, job->stream));
    TRY(status, queue_copy(job));
    wvl_range_close();
    wvl_trace_put(job->backend->trace, "staging", "stage", 0, start, wvl_trace_now());
    return status;
}
