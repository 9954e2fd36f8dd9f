/* SPDX-License-Identifier: BSD-2-Clause */
/* What submit queues: pixels and tables go up, kernels run, results come down, and an event says that all is done. */
#include "base/ranges.h"
#include "base/try.h"
#include "cuda/host/transform/deliver.h"
#include "cuda/host/waves/job.h"

/* Pixels on their way to the device, unless it reads them where they lie; tables in pinned memory. */
static wvl_cuda_status build_upload(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_image *image,
                                    const wvl_tile_plan *tiles, wvl_cuda_tables *tables)
{
    const wvl_backend *b = job->backend;
    wvl_cuda_staging *s = &job->staging;
    int on_device = image->memory_kind == WVL_MEMORY_DEVICE || image->memory_kind == WVL_MEMORY_MANAGED;
    s->lies_on_device = on_device;
    s->memory = job->pinned + l->staging;
    s->address = job->device + l->staging;
    s->runtime = wvl_cuda_runtime_of(b);
    s->stream = job->stream;
    s->begun = job->mark[WVL_CUDA_AT_START];
    s->pixels = (wvl_cuda_pixels *)(void *)((uint8_t *)job + l->host_pixels);
    s->copies =
        image->memory_kind == WVL_MEMORY_PINNED ? (wvl_cuda_copy *)(void *)((uint8_t *)job + l->host_copies) : NULL;
    wvl_cuda_build_staging(b->plan, tiles, job->tile_count, image, b->pool, s);
    job->borrows = on_device || s->copy_count;
    job->color_blocks = 0;
    if (b->plan->syntax.xyz.kind != WVL_XYZ_NONE) {
        wvl_cuda_color *color = (wvl_cuda_color *)(void *)(job->pinned + l->color);
        *color = (wvl_cuda_color){.light[0] = wvl_cuda_light_address(job), .outside = job->device + l->outside};
        job->color_blocks = wvl_cuda_build_color(b->plan, wvl_cuda_fetch_rect(tiles, job->tile_count, 0),
                                                 job->device + l->converted, s->pixels, color);
    }
    wvl_cuda_memory memory = {job->device + l->coefs,  job->device + l->bounds, job->device + l->outside,
                              job->device + l->planes, job->device + l->flags,  s->pixels};
    tables->splits = (wvl_cuda_split *)(void *)(job->pinned + l->splits);
    tables->items = (wvl_cuda_item *)(void *)(job->pinned + l->items);
    tables->launches = (wvl_cuda_launch *)(void *)((uint8_t *)job + l->launches);
    tables->fronts = (uint32_t *)(void *)((uint8_t *)job + l->fronts);
    wvl_cuda_table_options options = {.any_shape = wvl_cuda_is_any_shape(b),
                                      .multiprocessors = b->device->multiprocessors};
    wvl_cuda_build_tables(b->plan, tiles, job->tile_count, &options, &memory, tables);
    return s->status;
}

static wvl_cuda_status mark(const wvl_backend_job *job, unsigned at)
{
    return job->mark[at] ? wvl_cuda_runtime_of(job->backend)->event_record(job->mark[at], job->stream)
                         : WVL_CUDA_SUCCESS;
}

static wvl_cuda_status queue_kernels(wvl_backend_job *job, const wvl_cuda_layout *l, const wvl_cuda_tables *t)
{
    const wvl_cuda_transform transform = {.device = job->device,
                                          .splits = l->splits,
                                          .items = l->items,
                                          .bounds = l->bounds,
                                          .cleared_end = l->cleared_end,
                                          .color = l->color,
                                          .color_blocks = job->color_blocks,
                                          .tables = t};
    wvl_cuda_status status = wvl_cuda_launch_transform(
        wvl_cuda_runtime_of(job->backend), &job->backend->device->kernels, &transform, wvl_cuda_to_stream(job->stream));
    return status || !job->codes ? status : job->code.coder->queue_wave(&job->code);
}

/* Where coefficients are kept for measuring, empty blocks are read too. */
static int delivers(const wvl_backend_job *job)
{
    return job->pinned_address && !job->codes && !job->backend->plan->rate.keep_coefs;
}

static wvl_cuda_status queue_download(wvl_backend_job *job, const wvl_cuda_layout *l, uint64_t parcel_count)
{
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(job->backend);
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    uint64_t end = l->down_end;
    if (delivers(job)) {
        status = wvl_cuda_launch_deliver(rt, &job->backend->device->kernels, job->device + l->parcels, parcel_count,
                                         wvl_cuda_to_stream(job->stream));
        end = l->flags;
    } else if (!job->has_coefs) {
        end = l->coefs;
    }
    TRY(status, rt->download(job->pinned + l->bounds, job->device + l->bounds, (size_t)(end - l->bounds), job->stream));
    return status || !job->codes ? status : wvl_cuda_queue_output(&job->code);
}

static void next_range(const char *name)
{
    wvl_range_close();
    wvl_range_open(name);
}

/* Members that a workspace keeps from job to job say which tables it has. */
static void build_code(wvl_backend_job *job, const wvl_tile_plan *tiles)
{
    const char *why;
    wvl_cuda_code *code = &job->code;
    (void)wvl_cuda_count_job(job);
    code->device = job->backend->device;
    code->plan = job->backend->plan;
    code->coder = wvl_cuda_choose_coder(code->plan, WVL_REACH_BLOCKS, &why);
    code->layout = &job->layout;
    code->host = (uint8_t *)job;
    code->pinned = job->pinned;
    code->address = job->device;
    code->spare_bytes = wvl_cuda_light_address(job) - job->device - job->layout.work;
    code->stream = job->stream;
    code->event = job->done;
    code->tiles = tiles;
    code->tile_count = job->tile_count;
    wvl_cuda_build_code(code);
}

/* Divides the memory of the workspace for these tiles. 0: they need more than it has. */
static int lay_out(wvl_backend_job *job, const wvl_tile_plan *tiles, uint32_t tile_count)
{
    const wvl_backend *b = job->backend;
    wvl_cuda_layout l =
        wvl_cuda_build_layout(b->plan, tiles, tile_count, wvl_cuda_is_any_shape(b), sizeof(wvl_backend_job));
    job->finished = 0;
    if (l.host_end > job->capacity || l.pinned_end > job->pinned_capacity ||
        l.device_least + wvl_cuda_light_bytes(b->plan) > job->device_capacity) {
        return 0;
    }
    job->layout = l;
    job->codes = l.block_count && !(b->options & WVL_CUDA_WHOLE_DOWNLOAD);
    job->has_coefs = !job->codes || b->plan->rate.keep_coefs;
    job->tile_count = tile_count;
    job->coefs = (wvl_coefs *)(void *)((uint8_t *)job + l.host_coefs);
    job->outside = (const uint32_t *)(const void *)(job->pinned + l.outside);
    uint8_t *samples = job->pinned + l.coefs;
    uint32_t *bounds = (uint32_t *)(void *)(job->pinned + l.bounds);
    for (uint32_t t = 0; t < job->tile_count; t++) {
        job->coefs[t] = (wvl_coefs){&tiles[t], samples, bounds, NULL};
        samples += tiles[t].coef_bytes;
        bounds += tiles[t].block_count;
    }
    return 1;
}

wvl_status wvl_cuda_queue_job(wvl_backend_job *job, const wvl_image *image, const wvl_tile_plan *tiles,
                              uint32_t tile_count)
{
    const wvl_backend *b = job->backend;
    const wvl_cuda_runtime *rt = wvl_cuda_runtime_of(b);
    const wvl_cuda_layout *l = &job->layout;
    wvl_cuda_tables tables = {0};
    uint64_t parcel_count = 0;
    if (!lay_out(job, tiles, tile_count)) {
        return WVL_ERROR_ARGUMENT;
    }
    double start = wvl_trace_now();
    wvl_cuda_status status = wvl_cuda_enter(b->device);
    if (!status) {
        /* Work on the pixels begins after the caller's, for which the host waits (D-device-26). */
        status = image->ready_event ? rt->event_wait(image->ready_event) : WVL_CUDA_SUCCESS;
        TRY(status, mark(job, WVL_CUDA_AT_START));
        wvl_range_open("wavelane stage");
        TRY(status, build_upload(job, l, image, tiles, &tables));
        if (job->codes) {
            build_code(job, tiles);
        }
        if (delivers(job)) {
            parcel_count = wvl_cuda_build_parcels(tiles, job->tile_count, job->device + l->coefs,
                                                  job->device + l->bounds, job->pinned_address + l->coefs,
                                                  (wvl_cuda_parcel *)(void *)(job->pinned + l->parcels));
        }
        next_range("wavelane upload"); /* of what the pixels did not bring along */
        TRY(status, rt->upload(job->device, job->pinned, (size_t)(l->items + tables.item_count * sizeof(wvl_cuda_item)),
                               job->stream));
        for (uint32_t i = 0; i < job->staging.copy_count && !status; i++) {
            status = rt->upload_rows(&job->staging.copies[i], job->stream);
        }
        TRY(status, mark(job, WVL_CUDA_AT_UPLOADED));
        next_range("wavelane kernels");
        TRY(status, queue_kernels(job, l, &tables));
        TRY(status, mark(job, WVL_CUDA_AT_COMPUTED));
        next_range("wavelane download");
        TRY(status, queue_download(job, l, parcel_count));
        TRY(status, mark(job, WVL_CUDA_AT_DELIVERED));
        wvl_range_close();
        TRY(status, rt->event_record(job->done, job->stream));
        wvl_cuda_leave(b->device);
    }
    wvl_trace_put(b->trace, "staging", "stage", 0, start, wvl_trace_now());
    return wvl_cuda_note_status(b->device, status);
}
