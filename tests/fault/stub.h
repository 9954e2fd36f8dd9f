/* SPDX-License-Identifier: BSD-2-Clause */
/* A runtime table whose device memory is host memory and whose kernels do nothing, but that one says a picture is
 * there. Calls are counted, and one of them fails. Most parameters are of no interest here. */
#pragma once

#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <stdlib.h>

#include "cuda/host/waves/job.h"

static uint32_t calls, fail_at, live, waits, allocations, marches, uploads;
static wvl_cuda_status failure;

static wvl_cuda_status tick(void) { return ++calls == fail_at ? failure : WVL_CUDA_SUCCESS; }

/* A call that makes something, one that gives it back, and the others. */
static wvl_cuda_status make(void **out)
{
    wvl_cuda_status status = tick();
    if (!status) {
        *out = malloc(1);
        live++;
    }
    return status;
}

static wvl_cuda_status drop(void *what)
{
    free(what);
    live--;
    return WVL_CUDA_SUCCESS;
}

#define MAKER(name, type)                                                                                              \
    static wvl_cuda_status name(type *out)                                                                             \
    {                                                                                                                  \
        void *made = NULL;                                                                                             \
        wvl_cuda_status s = make(&made);                                                                               \
        *out = made;                                                                                                   \
        return s;                                                                                                      \
    }
MAKER(make_context, wvl_cuda_context)
MAKER(make_module, wvl_cuda_module)
MAKER(make_stream, wvl_cuda_stream)
MAKER(make_event, wvl_cuda_event)

static void *context;
static wvl_cuda_status stub_init(unsigned flags) { return tick(); }
static wvl_cuda_status stub_get(int *device, int ordinal)
{
    *device = ordinal;
    return tick();
}
static wvl_cuda_status stub_retain(wvl_cuda_context *out, int device)
{
    wvl_cuda_status status = make_context(out);
    context = status ? context : *out;
    return status;
}
static wvl_cuda_status stub_release(int device) { return drop(context); }
static wvl_cuda_status stub_attribute(int *value, int attribute, int device)
{
    *value = 9;
    return tick();
}
static wvl_cuda_status stub_pinned_address(wvl_cuda_address *address, void *memory, unsigned flags)
{
    *address = (wvl_cuda_address)(uintptr_t)memory;
    return WVL_CUDA_SUCCESS;
}
static wvl_cuda_status stub_push(wvl_cuda_context c) { return WVL_CUDA_SUCCESS; }
static wvl_cuda_status stub_pop(wvl_cuda_context *c) { return WVL_CUDA_SUCCESS; }
static wvl_cuda_status stub_load(wvl_cuda_module *out, const void *image) { return make_module(out); }
static wvl_cuda_status stub_unload(wvl_cuda_module m) { return drop(m); }
static wvl_cuda_status stub_function(wvl_cuda_function *f, wvl_cuda_module m, const char *name)
{
    *f = (wvl_cuda_function)(uintptr_t)name;
    return tick();
}
static wvl_cuda_status stub_malloc(wvl_cuda_address *address, size_t bytes)
{
    void *memory = NULL;
    wvl_cuda_status status = tick();
    if (!status) {
        memory = malloc(bytes);
        live++;
        allocations++;
    }
    *address = (wvl_cuda_address)(uintptr_t)memory;
    return status;
}
static wvl_cuda_status stub_free(wvl_cuda_address address) { return drop((void *)(uintptr_t)address); }
static wvl_cuda_status stub_pinned(void **memory, size_t bytes, unsigned flags)
{
    wvl_cuda_address at;
    wvl_cuda_status status = stub_malloc(&at, bytes);
    *memory = (void *)(uintptr_t)at;
    return status;
}
static wvl_cuda_status stub_unpin(void *memory) { return drop(memory); }
static wvl_cuda_status stub_up(wvl_cuda_address to, const void *from, size_t bytes, wvl_cuda_stream s)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    uploads++;
    return tick();
}
static wvl_cuda_status stub_down(void *to, wvl_cuda_address from, size_t bytes, wvl_cuda_stream s)
{
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return tick();
}
static wvl_cuda_status stub_fill(wvl_cuda_address to, unsigned char value, size_t bytes, wvl_cuda_stream s)
{
    memset((void *)(uintptr_t)to, value, bytes);
    return tick();
}
static wvl_cuda_status stub_stream(wvl_cuda_stream *s, unsigned flags) { return make_stream(s); }
static wvl_cuda_status stub_stream_end(wvl_cuda_stream s) { return drop(s); }
static wvl_cuda_status stub_stream_wait(wvl_cuda_stream s)
{
    waits++;
    return WVL_CUDA_SUCCESS;
}
static wvl_cuda_status stub_event(wvl_cuda_event *e, unsigned flags) { return make_event(e); }
static wvl_cuda_status stub_event_end(wvl_cuda_event e) { return drop(e); }
static wvl_cuda_status stub_record(wvl_cuda_event e, wvl_cuda_stream s) { return tick(); }
static wvl_cuda_status stub_query(wvl_cuda_event e) { return tick(); }
static wvl_cuda_status stub_event_wait(wvl_cuda_event e)
{
    waits++;
    return tick();
}
/* A picture of a few bytes, or whatever a test wants it to be. */
static wvl_cuda_packets_picture *recorded;
static wvl_cuda_packets_result said;
static void say_picture(void)
{
    if (recorded) {
        *(wvl_cuda_packets_result *)(uintptr_t)recorded->result = said;
        memset((uint32_t *)(uintptr_t)recorded->lengths, 0, sizeof(uint32_t));
    }
}

static wvl_cuda_status stub_after(wvl_cuda_stream s, wvl_cuda_event e, unsigned flags) { return tick(); }
static wvl_cuda_status stub_launch(wvl_cuda_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, wvl_cuda_stream s, void **arguments, void **extra)
{
    marches += bx == 32;
    if (!strcmp((const char *)(uintptr_t)f, "wvl_packets_place")) {
        const wvl_cuda_packets_job *packets = arguments[0];
        recorded = (wvl_cuda_packets_picture *)(uintptr_t)packets->pictures;
        say_picture();
    }
    return tick();
}

/* Graphs: what was added runs when it is launched. */
static int graph_failed; /* the call that failed was for a graph */
static wvl_cuda_status of_graph(wvl_cuda_status status)
{
    graph_failed |= status != WVL_CUDA_SUCCESS;
    return status;
}
MAKER(make_graph, wvl_cuda_graph)
MAKER(make_exec, wvl_cuda_exec)
static wvl_cuda_status stub_create(wvl_cuda_graph *graph, unsigned flags) { return of_graph(make_graph(graph)); }
static wvl_cuda_status stub_kernel(wvl_cuda_node *node, wvl_cuda_graph graph, const wvl_cuda_node *after, size_t count,
                                   const wvl_cuda_kernel_node *kernel)
{
    *node = (wvl_cuda_node)(void *)graph;
    return of_graph(stub_launch(kernel->function, 0, 0, 0, kernel->block_x, 0, 0, 0, NULL, kernel->arguments, NULL));
}
static wvl_cuda_status stub_zero(wvl_cuda_node *node, wvl_cuda_graph graph, const wvl_cuda_node *after, size_t count,
                                 const wvl_cuda_fill_node *fill, wvl_cuda_context c)
{
    *node = (wvl_cuda_node)(void *)graph;
    return of_graph(stub_fill(fill->to, 0, fill->width * fill->element_bytes, NULL));
}
static wvl_cuda_status stub_follow(wvl_cuda_graph graph, const wvl_cuda_node *from, const wvl_cuda_node *to,
                                   const wvl_cuda_edge *edges, size_t count)
{
    return of_graph(tick());
}
static wvl_cuda_status stub_build(wvl_cuda_exec *exec, wvl_cuda_graph graph, unsigned long long flags)
{
    return of_graph(make_exec(exec));
}
static wvl_cuda_status stub_graph_launch(wvl_cuda_exec exec, wvl_cuda_stream s)
{
    say_picture();
    return of_graph(tick());
}
static wvl_cuda_status stub_graph_end(wvl_cuda_graph graph) { return drop(graph); }
static wvl_cuda_status stub_exec_end(wvl_cuda_exec exec) { return drop(exec); }

static const wvl_cuda_runtime stub = {
    .init = stub_init,
    .device_attribute = stub_attribute,
    .pinned_address = stub_pinned_address,
    .device_get = stub_get,
    .context_retain = stub_retain,
    .context_release = stub_release,
    .context_push = stub_push,
    .context_pop = stub_pop,
    .module_load = stub_load,
    .module_unload = stub_unload,
    .module_function = stub_function,
    .malloc_device = stub_malloc,
    .free_device = stub_free,
    .malloc_pinned = stub_pinned,
    .free_pinned = stub_unpin,
    .upload = stub_up,
    .download = stub_down,
    .fill = stub_fill,
    .stream_create = stub_stream,
    .stream_destroy = stub_stream_end,
    .stream_wait = stub_stream_wait,
    .event_create = stub_event,
    .event_destroy = stub_event_end,
    .event_record = stub_record,
    .event_query = stub_query,
    .event_wait = stub_event_wait,
    .launch = stub_launch,
    .stream_after = stub_after,
    .graph_create = stub_create,
    .graph_kernel = stub_kernel,
    .graph_fill = stub_zero,
    .graph_follow = stub_follow,
    .graph_build = stub_build,
    .graph_launch = stub_graph_launch,
    .graph_destroy = stub_graph_end,
    .exec_destroy = stub_exec_end,
};
