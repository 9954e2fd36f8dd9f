/* SPDX-License-Identifier: BSD-2-Clause */
#include "timer_copies.h"

#include <stdio.h>
#include <string.h>

#include "base/intmath.h"
#include "device_timer.h"

/* Memory and streams of the copies. */
typedef struct copy_memory {
    wvl_cuda_address there;
    void *here;
    wvl_cuda_stream up, down;
    uint64_t up_bytes, down_bytes; /* of a strip */
} copy_memory;

static wvl_cuda_status upload_strip(const timer_copies *c, const copy_memory *m, uint64_t row)
{
    const wvl_cuda_runtime *rt = c->device->runtime;
    uint64_t first = row < c->above ? 0 : row - c->above, end = wvl_min_u64(row + c->rows + c->below, c->height);
    const wvl_cuda_copy copy = {.from_kind = 1,
                                .from_host = c->pixels + first * c->pitch,
                                .from_pitch_bytes = c->pitch,
                                .to_kind = 2,
                                .to_device = m->there,
                                .to_pitch_bytes = c->pitch,
                                .width_bytes = c->row_bytes,
                                .rows = end - first};
    return c->above || c->below ? rt->upload_rows(&copy, m->up)
                                : rt->upload(m->there, c->pixels + first * c->pitch, (end - first) * c->pitch, m->up);
}

static double copy_once(const timer_copies *c, const copy_memory *m)
{
    const wvl_cuda_runtime *rt = c->device->runtime;
    double start = wvl_trace_now();
    for (uint64_t row = 0; row < c->height; row += c->rows) {
        if (c->down_bytes) {
            timer_require(rt->download(m->here, m->there + m->up_bytes, m->down_bytes, m->down));
        }
        if (c->has_uploads) {
            timer_require(upload_strip(c, m, row));
        }
    }
    timer_require(rt->stream_wait(m->up));
    timer_require(rt->stream_wait(m->down));
    return wvl_trace_now() - start;
}

double timer_copies_measure(const timer_copies *c)
{
    const wvl_cuda_runtime *rt = c->device->runtime;
    double best = 1e9;
    copy_memory m = {.up_bytes = (c->rows + c->above + c->below) * c->pitch,
                     .down_bytes = c->down_bytes / ((c->height + c->rows - 1) / c->rows) + 1};
    (void)wvl_cuda_enter(c->device);
    timer_require(rt->malloc_device(&m.there, m.up_bytes + m.down_bytes));
    timer_require(rt->malloc_pinned(&m.here, m.down_bytes, 1));
    timer_require(rt->fill(m.there, 0, m.up_bytes + m.down_bytes, NULL));
    timer_require(rt->stream_wait(NULL));
    timer_require(rt->stream_create(&m.up, WVL_CUDA_STREAM_NON_BLOCKING));
    timer_require(rt->stream_create(&m.down, WVL_CUDA_STREAM_NON_BLOCKING));
    for (unsigned i = 0; i < 3; i++) {
        double seconds = copy_once(c, &m);
        best = seconds < best ? seconds : best;
    }
    (void)rt->stream_destroy(m.up);
    (void)rt->stream_destroy(m.down);
    (void)rt->free_device(m.there);
    (void)rt->free_pinned(m.here);
    wvl_cuda_leave(c->device);
    return best;
}

/* ---- When what is under way ------------------------------------------------------------------ */

void timer_spans_keep(void *user, const wvl_trace_span *span)
{
    static const char *const names[TIMER_SPAN_KINDS] = {"upload", "kernels", "download"};
    timer_spans *all = user;
    for (unsigned k = 0; k < TIMER_SPAN_KINDS; k++) {
        if (!strcmp(span->name, names[k]) && !strncmp(span->track, "cuda:", 5) && all->count[k] < TIMER_MOST_SPANS) {
            all->begin[k][all->count[k]] = span->begin;
            all->end[k][all->count[k]++] = span->end;
        }
    }
}

static int is_under_way(const timer_spans *all, unsigned kind, double at)
{
    for (uint32_t i = 0; i < all->count[kind]; i++) {
        if (all->begin[kind][i] <= at && at < all->end[kind][i]) {
            return 1;
        }
    }
    return 0;
}

void timer_spans_print(const timer_spans *all)
{
    double first = 1e30, last = 0, step = 1e-5;
    unsigned under_way[1u << TIMER_SPAN_KINDS] = {0};
    for (unsigned k = 0; k < TIMER_SPAN_KINDS; k++) {
        for (uint32_t i = 0; i < all->count[k]; i++) {
            first = all->begin[k][i] < first ? all->begin[k][i] : first;
            last = all->end[k][i] > last ? all->end[k][i] : last;
        }
    }
    for (double at = first; at < last; at += step) {
        unsigned which = 0;
        for (unsigned k = 0; k < TIMER_SPAN_KINDS; k++) {
            which |= (unsigned)is_under_way(all, k, at) << k;
        }
        under_way[which]++;
    }
    printf("  on the device's clock, %.1f ms; under way for ms:", 1e3 * (last - first));
    static const char *const names[1u << TIMER_SPAN_KINDS] = {"nothing",          "upload",   "kernels",
                                                              "upload+kernels",   "download", "upload+download",
                                                              "kernels+download", "all three"};
    for (unsigned i = 0; i < 1u << TIMER_SPAN_KINDS; i++) {
        printf(" %s %.1f%s", names[i], 1e3 * step * under_way[i], i + 1 < 1u << TIMER_SPAN_KINDS ? "," : "\n");
    }
}
