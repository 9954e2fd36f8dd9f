/* SPDX-License-Identifier: BSD-2-Clause */
#include "strip_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/host/memory/device.h"
#include "cuda/host/transform/staging.h"

static double now(void) { return wvl_trace_now(); }

static void give_up(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    exit(1);
}

double strip_clock_time_upload(const strip_clock *s, uint64_t bytes)
{
    const wvl_cuda_runtime *rt = s->device->runtime;
    wvl_cuda_address to = 0;
    wvl_cuda_stream stream = NULL;
    uint64_t all = s->pitch * s->height;
    (void)wvl_cuda_enter(s->device);
    if (rt->malloc_device(&to, bytes) || rt->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING)) {
        give_up("upload", "no memory");
    }
    double start = now();
    for (uint64_t at = 0; at < all; at += bytes) {
        uint64_t part = all - at < bytes ? all - at : bytes;
        if (rt->upload(to, s->pixels + at, part, stream)) {
            give_up("upload", "the driver refused");
        }
    }
    (void)rt->stream_wait(stream);
    double seconds = now() - start;
    (void)rt->stream_destroy(stream);
    (void)rt->free_device(to);
    wvl_cuda_leave(s->device);
    return seconds;
}

double strip_clock_time_strip_uploads(const strip_clock *s, const wvl_job_cut *cut)
{
    const wvl_cuda_runtime *rt = s->device->runtime;
    wvl_cuda_address to = 0;
    wvl_cuda_stream stream = NULL;
    (void)wvl_cuda_enter(s->device);
    if (rt->malloc_device(&to, (cut->strip_rows + cut->grid.above + cut->grid.below) * s->pitch) ||
        rt->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING)) {
        give_up("upload", "no memory");
    }
    double start = now();
    for (uint64_t row = 0; row < s->height; row += cut->strip_rows) {
        uint64_t first = row < cut->grid.above ? 0 : row - cut->grid.above,
                 end = wvl_min_u64(row + cut->strip_rows + cut->grid.below, s->height);
        const wvl_cuda_copy copy = {.from_kind = 1,
                                    .from_host = s->pixels + first * s->pitch,
                                    .from_pitch_bytes = s->pitch,
                                    .to_kind = 2,
                                    .to_device = to,
                                    .to_pitch_bytes = s->pitch,
                                    .width_bytes = s->row_bytes,
                                    .rows = end - first};
        if (rt->upload_rows(&copy, stream)) {
            give_up("upload", "the driver refused");
        }
    }
    (void)rt->stream_wait(stream);
    double seconds = now() - start;
    (void)rt->stream_destroy(stream);
    (void)rt->free_device(to);
    wvl_cuda_leave(s->device);
    return seconds;
}

double strip_clock_time_download(const strip_clock *s, uint64_t bytes, uint32_t pieces, int with_upload)
{
    const wvl_cuda_runtime *rt = s->device->runtime;
    wvl_cuda_address there = 0;
    wvl_cuda_stream up = NULL, down = NULL;
    void *here = NULL;
    uint64_t each = bytes / pieces + 1, rows = s->height / pieces, up_each = rows * s->pitch;
    (void)wvl_cuda_enter(s->device);
    if (rt->malloc_device(&there, each + up_each) || rt->malloc_pinned(&here, each, 1) ||
        rt->fill(there, 0, each, NULL) || rt->stream_wait(NULL) ||
        rt->stream_create(&up, WVL_CUDA_STREAM_NON_BLOCKING) ||
        rt->stream_create(&down, WVL_CUDA_STREAM_NON_BLOCKING)) {
        give_up("download", "no memory");
    }
    double start = now();
    for (uint32_t i = 0; i < pieces; i++) {
        int failed = rt->download(here, there, each, down);
        if (failed || (with_upload && rt->upload(there + each, s->pixels + i * up_each, up_each, up))) {
            give_up("download", "the driver refused");
        }
    }
    (void)rt->stream_wait(up);
    (void)rt->stream_wait(down);
    double seconds = now() - start;
    (void)rt->stream_destroy(up);
    (void)rt->stream_destroy(down);
    (void)rt->free_device(there);
    (void)rt->free_pinned(here);
    wvl_cuda_leave(s->device);
    return seconds;
}

/* ---- When what is under way ------------------------------------------------------------------ */

void strip_clock_keep(void *user, const wvl_trace_span *span)
{
    static const char *const names[STRIP_KINDS] = {"upload", "kernels", "download"};
    strip_spans *all = user;
    for (unsigned k = 0; k < STRIP_KINDS; k++) {
        if (!strcmp(span->name, names[k]) && !strncmp(span->track, "cuda:", 5) && all->count[k] < STRIP_MOST_SPANS) {
            all->begin[k][all->count[k]] = span->begin;
            all->end[k][all->count[k]++] = span->end;
        }
    }
}

static int is_under_way(const strip_spans *all, unsigned kind, double at)
{
    for (uint32_t i = 0; i < all->count[kind]; i++) {
        if (all->begin[kind][i] <= at && at < all->end[kind][i]) {
            return 1;
        }
    }
    return 0;
}

void strip_clock_tell(const strip_spans *all)
{
    double first = 1e30, last = 0, step = 1e-5; /* between two looks */
    unsigned under_way[1u << STRIP_KINDS] = {0};
    for (unsigned k = 0; k < STRIP_KINDS; k++) {
        for (uint32_t i = 0; i < all->count[k]; i++) {
            first = all->begin[k][i] < first ? all->begin[k][i] : first;
            last = all->end[k][i] > last ? all->end[k][i] : last;
        }
    }
    for (double at = first; at < last; at += step) {
        under_way[(unsigned)is_under_way(all, STRIP_UPLOAD, at) | (unsigned)is_under_way(all, STRIP_KERNELS, at) << 1 |
                  (unsigned)is_under_way(all, STRIP_DOWNLOAD, at) << 2]++;
    }
    printf("  on the device's clock, %.1f ms; under way for ms:", 1e3 * (last - first));
    static const char *const names[1u << STRIP_KINDS] = {"nothing",          "upload",   "kernels",
                                                         "upload+kernels",   "download", "upload+download",
                                                         "kernels+download", "all three"};
    for (unsigned i = 0; i < 1u << STRIP_KINDS; i++) {
        printf(" %s %.1f%s", names[i], 1e3 * step * under_way[i], i + 1 < 1u << STRIP_KINDS ? "," : "\n");
    }
}
