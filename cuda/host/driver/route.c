/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/driver/route.h"
#include "base/try.h"

wvl_cuda_status wvl_cuda_find_kernels(const wvl_cuda_runtime *runtime, wvl_cuda_module module,
                                      const wvl_cuda_wanted_kernel *wanted, size_t count)
{
    wvl_cuda_status status = WVL_CUDA_SUCCESS;
    for (size_t i = 0; i < count; i++) {
        TRY(status, runtime->module_function(wanted[i].function, module, wanted[i].name));
    }
    return status;
}

int wvl_cuda_is_for_90(const wvl_cuda_runtime *runtime, wvl_cuda_function function)
{
    int version = 0;
    return runtime->function_attribute &&
           !runtime->function_attribute(&version, WVL_CUDA_FUNCTION_PTX_VERSION, function) && version >= 90;
}

int wvl_cuda_may_overlap(const wvl_cuda_runtime *runtime, wvl_cuda_function function)
{
    return runtime->launch_config && wvl_cuda_is_for_90(runtime, function);
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* An edge from the last node to this one, which is the last one then. */
static wvl_cuda_status follow(const wvl_cuda_runtime *runtime, wvl_cuda_draft *draft, wvl_cuda_node node, int overlap)
{
    const wvl_cuda_edge edge = {.from_port = overlap ? WVL_CUDA_EDGE_OVERLAPS : 0,
                                .kind = overlap ? WVL_CUDA_EDGE_OVERLAPS : 0};
    wvl_cuda_status status =
        draft->last ? runtime->graph_follow(draft->graph, &draft->last, &node, &edge, 1) : WVL_CUDA_SUCCESS;
    draft->last = node;
    return status;
}

static wvl_cuda_status add_zero(const wvl_cuda_runtime *runtime, wvl_cuda_address at, size_t bytes,
                                wvl_cuda_draft *draft)
{
    size_t each = at % 4 || bytes % 4 ? 1 : 4;
    const wvl_cuda_fill_node fill = {.to = at, .element_bytes = (unsigned)each, .width = bytes / each, .height = 1};
    wvl_cuda_node node = NULL;
    wvl_cuda_status status = runtime->graph_fill(&node, draft->graph, NULL, 0, &fill, draft->context);
    TRY(status, follow(runtime, draft, node, 0));
    draft->last_is_kernel = 0;
    return status;
}

static int has_graphs(const wvl_cuda_runtime *runtime)
{
    return runtime->graph_create && runtime->graph_kernel && runtime->graph_fill && runtime->graph_follow &&
           runtime->graph_build && runtime->graph_launch && runtime->graph_destroy && runtime->exec_destroy;
}

wvl_cuda_status wvl_cuda_open_draft(const wvl_cuda_runtime *runtime, wvl_cuda_context context, wvl_cuda_draft *draft)
{
    *draft = (wvl_cuda_draft){.context = context};
    return has_graphs(runtime) ? runtime->graph_create(&draft->graph, 0) : WVL_CUDA_NOT_SUPPORTED;
}

wvl_cuda_status wvl_cuda_close_draft(const wvl_cuda_runtime *runtime, wvl_cuda_draft *draft, wvl_cuda_exec *exec)
{
    wvl_cuda_status status = exec ? runtime->graph_build(exec, draft->graph, 0) : WVL_CUDA_SUCCESS;
    (void)runtime->graph_destroy(draft->graph);
    return status;
}

/* ---- Both ------------------------------------------------------------------------------------ */

wvl_cuda_status wvl_cuda_run(const wvl_cuda_runtime *runtime, wvl_cuda_function function, wvl_cuda_grid grid,
                             int overlap, wvl_cuda_route route, void **arguments)
{
    if (route.draft) {
        wvl_cuda_draft *draft = route.draft;
        const wvl_cuda_kernel_node kernel = {.function = function,
                                             .grid_x = grid.columns,
                                             .grid_y = grid.rows,
                                             .grid_z = 1,
                                             .block_x = grid.threads,
                                             .block_y = 1,
                                             .block_z = 1,
                                             .shared_bytes = grid.shared_bytes,
                                             .arguments = arguments};
        wvl_cuda_node node = NULL;
        wvl_cuda_status status = runtime->graph_kernel(&node, draft->graph, NULL, 0, &kernel);
        TRY(status, follow(runtime, draft, node, overlap && draft->last_is_kernel));
        draft->last_is_kernel = 1;
        return status;
    }
    if (overlap) {
        wvl_cuda_stream stream = route.stream;
        wvl_cuda_launch_attribute attribute = {.id = WVL_CUDA_LAUNCH_OVERLAPS, .value.flag = 1};
        wvl_cuda_launch_config config = {grid.columns, grid.rows,  1, grid.threads, 1, 1, grid.shared_bytes,
                                         stream,       &attribute, 1};
        return runtime->launch_config(&config, function, arguments, NULL);
    }
    return runtime->launch(function, grid.columns, grid.rows, 1, grid.threads, 1, 1, grid.shared_bytes, route.stream,
                           arguments, NULL);
}

wvl_cuda_status wvl_cuda_run_job(const wvl_cuda_runtime *runtime, wvl_cuda_function function, wvl_cuda_grid grid,
                                 const void *job, wvl_cuda_route route)
{
    void *arguments[] = {(void *)(uintptr_t)job}; /* the driver copies it */
    return grid.columns && grid.rows ? wvl_cuda_run(runtime, function, grid, 0, route, arguments) : WVL_CUDA_SUCCESS;
}

wvl_cuda_status wvl_cuda_zero(const wvl_cuda_runtime *runtime, wvl_cuda_address at, size_t bytes, wvl_cuda_route route)
{
    if (!bytes) {
        return WVL_CUDA_SUCCESS;
    }
    return route.draft ? add_zero(runtime, at, bytes, route.draft) : runtime->fill(at, 0, bytes, route.stream);
}
