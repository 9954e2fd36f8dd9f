/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where launches go: to a stream, or into a graph that is built from them. Graphs are built node by node and not by
 * stream capture: while a stream is captured, the driver refuses calls of every other thread that wait for the device.
 */
#pragma once

#include "cuda/host/driver/runtime_table.h"

/* A graph that is not complete. Its nodes run one after the other, as in a stream. */
typedef struct wvl_cuda_draft {
    wvl_cuda_graph graph;
    wvl_cuda_node last;       /* NULL: none yet */
    wvl_cuda_context context; /* where memory is filled */
    int last_is_kernel;
} wvl_cuda_draft;

typedef struct wvl_cuda_route {
    wvl_cuda_stream stream;
    wvl_cuda_draft *draft; /* NULL: to the stream. Else the stream is not used */
} wvl_cuda_route;

static inline wvl_cuda_route wvl_cuda_to_stream(wvl_cuda_stream stream)
{
    const wvl_cuda_route route = {stream, NULL};
    return route;
}

/* columns by rows thread blocks of `threads` threads, and bytes of dynamic shared memory of a thread block. */
typedef struct wvl_cuda_grid {
    uint32_t columns, rows, threads, shared_bytes;
} wvl_cuda_grid;

/* Thread blocks of `threads` threads, one thread for each of the items. */
static inline wvl_cuda_grid wvl_cuda_grid_of(uint64_t items, uint32_t threads)
{
    const wvl_cuda_grid grid = {(uint32_t)((items + threads - 1) / threads), 1, threads, 0};
    return grid;
}

/* A kernel of a module by its name, and where its function is wanted. */
typedef struct wvl_cuda_wanted_kernel {
    wvl_cuda_function *function;
    const char *name;
} wvl_cuda_wanted_kernel;

wvl_cuda_status wvl_cuda_find_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_module module,
                                      const wvl_cuda_wanted_kernel *wanted, size_t count);

/* Says whether the function was compiled for 9.0 and not for all devices: only then it may be one of clusters. */
int wvl_cuda_is_for_90(const wvl_cuda_runtime *runtime, wvl_cuda_function function);
/* Says whether the driver and this function can begin before the launch in front has ended (core/order.cuh is the other
 * half). Machine code made at load from portable code, on a machine of 9.0 too, does not wait by itself. */
int wvl_cuda_may_overlap(const wvl_cuda_runtime *runtime, wvl_cuda_function function);

/* One launch, after all that went the route before. overlap: what went last is a launch too, for whose end the kernel
 * itself waits. */
wvl_cuda_status wvl_cuda_run(const wvl_cuda_runtime *runtime, wvl_cuda_function function, wvl_cuda_grid grid,
                             int overlap, wvl_cuda_route route, void **arguments);
/* The same for a kernel whose only argument is *job. An empty grid launches nothing. */
wvl_cuda_status wvl_cuda_run_job(const wvl_cuda_runtime *runtime, wvl_cuda_function function, wvl_cuda_grid grid,
                                 const void *job, wvl_cuda_route route);
/* Sets bytes of device memory to 0, after all that went the route before. */
wvl_cuda_status wvl_cuda_zero(const wvl_cuda_runtime *runtime, wvl_cuda_address at, size_t bytes, wvl_cuda_route route);

/* WVL_CUDA_NOT_SUPPORTED: the driver is older than 12.3. */
wvl_cuda_status wvl_cuda_open_draft(const wvl_cuda_runtime *runtime, wvl_cuda_context context, wvl_cuda_draft *draft);
/* Ends a draft; exec: NULL, or gets what can be launched, which is destroyed with exec_destroy. */
wvl_cuda_status wvl_cuda_close_draft(const wvl_cuda_runtime *runtime, wvl_cuda_draft *draft, wvl_cuda_exec *exec);
