/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of wavelane-bench dwt: many pictures in a row as one graph, and the median of several runs of it. */
#include <stdlib.h>

#include "bench_dwt.h"

#define CHAIN_US 1500.0 /* length of a graph, by the bytes moved */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static wvl_cuda_status time_graph(const wvl_bench_dwt_timing *n, wvl_cuda_exec exec, uint32_t pictures, double *us)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    wvl_cuda_event from = NULL, to = NULL;
    float ms[64] = {0};
    uint32_t runs = wvl_min_u32(n->c->runs, 64);
    wvl_cuda_status status = rt->event_create(&from, 0);
    status = status ? status : rt->event_create(&to, 0);
    for (uint32_t i = 0; i < runs + 2 && !status; i++) {
        status = rt->event_record(from, n->device->stream);
        status = status ? status : rt->graph_launch(exec, n->device->stream);
        status = status ? status : rt->event_record(to, n->device->stream);
        status = status ? status : rt->stream_wait(n->device->stream);
        status = status ? status : rt->event_elapsed(&ms[i < 2 ? 0 : i - 2], from, to);
    }
    qsort(ms, runs, sizeof *ms, by_value);
    *us = status ? 0 : ms[runs / 2] * 1e3 / pictures;
    (void)rt->event_destroy(from);
    (void)rt->event_destroy(to);
    return status;
}

wvl_cuda_status wvl_bench_dwt_time_part(const wvl_bench_dwt_timing *n, int part, double *us)
{
    const wvl_cuda_runtime *rt = &n->device->runtime;
    wvl_cuda_draft draft;
    wvl_cuda_exec exec = NULL;
    double estimate = 3.0 * (double)n->picture->pixel_bytes * n->c->bundle / 4e6;
    uint32_t chains = (uint32_t)wvl_max_u64((uint64_t)(CHAIN_US / estimate / n->set_count), 1);
    uint32_t length = chains * n->set_count;
    wvl_cuda_status status = wvl_cuda_open_draft(rt, n->device->context, &draft);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < length && !status; i++) {
        status = n->queue(n->user, i % n->set_count, part, (wvl_cuda_route){.draft = &draft});
    }
    wvl_cuda_status closed = wvl_cuda_close_draft(rt, &draft, status ? NULL : &exec);
    status = status ? status : closed;
    status = status ? status : time_graph(n, exec, length * n->c->bundle, us);
    if (exec) {
        (void)rt->exec_destroy(exec);
    }
    return status;
}
