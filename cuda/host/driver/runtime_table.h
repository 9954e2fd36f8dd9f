/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every call to the device goes through this table. It names no type of the toolkit: the real table is filled from the
 * driver's library at run time (so nothing is linked, and a machine without one merely has no device), and a test may
 * fail or count the n-th call.
 *
 * Entries have the signatures of the driver interface: status 0 is success, addresses are 64-bit, streams, events and
 * functions opaque.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef int wvl_cuda_status;
typedef uint64_t wvl_cuda_address;
typedef struct wvl_cuda_stream_opaque *wvl_cuda_stream;
typedef struct wvl_cuda_event_opaque *wvl_cuda_event;
typedef struct wvl_cuda_function_opaque *wvl_cuda_function;
typedef struct wvl_cuda_module_opaque *wvl_cuda_module;
typedef struct wvl_cuda_context_opaque *wvl_cuda_context;
typedef struct wvl_cuda_graph_opaque *wvl_cuda_graph;
typedef struct wvl_cuda_node_opaque *wvl_cuda_node;
typedef struct wvl_cuda_exec_opaque *wvl_cuda_exec;

#define WVL_CUDA_SUCCESS 0
#define WVL_CUDA_INVALID_VALUE 1
#define WVL_CUDA_OUT_OF_MEMORY 2
#define WVL_CUDA_NO_IMAGE 209
#define WVL_CUDA_NOT_READY 600
#define WVL_CUDA_NOT_SUPPORTED 801
#define WVL_CUDA_STREAM_NON_BLOCKING 1u
#define WVL_CUDA_EVENT_BLOCKING 1u
#define WVL_CUDA_EVENT_DISABLE_TIMING 2u
#define WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS 16
#define WVL_CUDA_ATTRIBUTE_MAJOR 75
#define WVL_CUDA_ATTRIBUTE_MINOR 76
#define WVL_CUDA_ATTRIBUTE_SHARED_PROCESSOR 81 /* bytes of shared memory of a multiprocessor */
#define WVL_CUDA_ATTRIBUTE_SHARED_BLOCK 97     /* and what one thread block may ask for */

/* The driver's CUDA_MEMCPY2D. Kinds: 1 host, 2 device. */
typedef struct wvl_cuda_copy {
    size_t from_x_bytes, from_y;
    int from_kind;
    const void *from_host;
    wvl_cuda_address from_device;
    void *from_array;
    size_t from_pitch_bytes;
    size_t to_x_bytes, to_y;
    int to_kind;
    void *to_host;
    wvl_cuda_address to_device;
    void *to_array;
    size_t to_pitch_bytes;
    size_t width_bytes, rows;
} wvl_cuda_copy;

#define WVL_CUDA_FUNCTION_SHARED 8 /* of a function: most bytes of dynamic shared memory */
#define WVL_CUDA_FUNCTION_PTX_VERSION                                                                                  \
    5 /* of a function: 10 * major + minor of the capability that it was compiled for */
#define WVL_CUDA_LAUNCH_OVERLAPS                                                                                       \
    6 /* launch attribute: may begin before the launch in front of it ends, for which the kernel itself waits */

/* The driver's CUlaunchAttribute and CUlaunchConfig. */
typedef struct wvl_cuda_launch_attribute {
    int id, pad;
    union {
        int flag;
        uint64_t room[8];
    } value;
} wvl_cuda_launch_attribute;

typedef struct wvl_cuda_launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    wvl_cuda_stream stream;
    wvl_cuda_launch_attribute *attributes;
    unsigned attribute_count;
} wvl_cuda_launch_config;

/* The driver's CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMSET_NODE_PARAMS_v1 and CUgraphEdgeData. */
typedef struct wvl_cuda_kernel_node {
    wvl_cuda_function function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **arguments, **extra;
    void *kernel;
    wvl_cuda_context context;
} wvl_cuda_kernel_node;

typedef struct wvl_cuda_fill_node {
    wvl_cuda_address to;
    size_t pitch_bytes;
    unsigned value, element_bytes;
    size_t width, height; /* in elements */
} wvl_cuda_fill_node;

#define WVL_CUDA_EDGE_OVERLAPS 1 /* port and kind of an edge: as WVL_CUDA_LAUNCH_OVERLAPS */
typedef struct wvl_cuda_edge {
    unsigned char from_port, to_port, kind, reserved[5];
} wvl_cuda_edge;

/* X(member, name in the driver's library, parameters) */
#define WVL_CUDA_CALLS(X)                                                                                              \
    X(init, cuInit, (unsigned flags))                                                                                  \
    X(device_count, cuDeviceGetCount, (int *count))                                                                    \
    X(device_get, cuDeviceGet, (int *device, int ordinal))                                                             \
    X(device_name, cuDeviceGetName, (char *name, int bytes, int device))                                               \
    X(device_bytes, cuDeviceTotalMem_v2, (size_t * bytes, int device))                                                 \
    X(error_name, cuGetErrorName, (wvl_cuda_status status, const char **name))                                         \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device))                                 \
    X(context_retain, cuDevicePrimaryCtxRetain, (wvl_cuda_context * context, int device))                              \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (int device))                                                     \
    X(context_push, cuCtxPushCurrent_v2, (wvl_cuda_context context))                                                   \
    X(context_pop, cuCtxPopCurrent_v2, (wvl_cuda_context * context))                                                   \
    X(module_load, cuModuleLoadData, (wvl_cuda_module * module, const void *image))                                    \
    X(module_unload, cuModuleUnload, (wvl_cuda_module module))                                                         \
    X(module_function, cuModuleGetFunction, (wvl_cuda_function * function, wvl_cuda_module module, const char *name))  \
    X(memory_info, cuMemGetInfo_v2, (size_t * available, size_t * total))                                              \
    X(malloc_device, cuMemAlloc_v2, (wvl_cuda_address * address, size_t bytes))                                        \
    X(free_device, cuMemFree_v2, (wvl_cuda_address address))                                                           \
    X(malloc_pinned, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                    \
    X(free_pinned, cuMemFreeHost, (void *memory))                                                                      \
    X(pinned_address, cuMemHostGetDevicePointer_v2, (wvl_cuda_address * address, void *memory, unsigned flags))        \
    X(upload_rows, cuMemcpy2DAsync_v2, (const wvl_cuda_copy *copy, wvl_cuda_stream stream))                            \
    X(upload, cuMemcpyHtoDAsync_v2, (wvl_cuda_address to, const void *from, size_t bytes, wvl_cuda_stream stream))     \
    X(download, cuMemcpyDtoHAsync_v2, (void *to, wvl_cuda_address from, size_t bytes, wvl_cuda_stream stream))         \
    X(fill, cuMemsetD8Async, (wvl_cuda_address to, unsigned char value, size_t bytes, wvl_cuda_stream stream))         \
    X(stream_create, cuStreamCreate, (wvl_cuda_stream * stream, unsigned flags))                                       \
    X(stream_destroy, cuStreamDestroy_v2, (wvl_cuda_stream stream))                                                    \
    X(stream_wait, cuStreamSynchronize, (wvl_cuda_stream stream))                                                      \
    X(event_create, cuEventCreate, (wvl_cuda_event * event, unsigned flags))                                           \
    X(event_destroy, cuEventDestroy_v2, (wvl_cuda_event event))                                                        \
    X(event_record, cuEventRecord, (wvl_cuda_event event, wvl_cuda_stream stream))                                     \
    X(event_query, cuEventQuery, (wvl_cuda_event event))                                                               \
    X(event_wait, cuEventSynchronize, (wvl_cuda_event event))                                                          \
    X(event_elapsed, cuEventElapsedTime, (float *milliseconds, wvl_cuda_event from, wvl_cuda_event to))                \
    X(stream_after, cuStreamWaitEvent, (wvl_cuda_stream stream, wvl_cuda_event event, unsigned flags))                 \
    X(launch, cuLaunchKernel,                                                                                          \
      (wvl_cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,                \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, wvl_cuda_stream stream, void **arguments,            \
       void **extra))

/* NULL where the driver is older than the call. */
#define WVL_CUDA_LATER_CALLS(X)                                                                                        \
    X(lock_memory, cuMemHostRegister_v2, (void *memory, size_t bytes, unsigned flags))                                 \
    X(unlock_memory, cuMemHostUnregister, (void *memory))                                                              \
    X(function_attribute, cuFuncGetAttribute, (int *value, int attribute, wvl_cuda_function function))                 \
    X(function_set, cuFuncSetAttribute, (wvl_cuda_function function, int attribute, int value))                        \
    X(launch_config, cuLaunchKernelEx,                                                                                 \
      (const wvl_cuda_launch_config *config, wvl_cuda_function function, void **arguments, void **extra))              \
    X(graph_create, cuGraphCreate, (wvl_cuda_graph * graph, unsigned flags))                                           \
    X(graph_kernel, cuGraphAddKernelNode_v2,                                                                           \
      (wvl_cuda_node * node, wvl_cuda_graph graph, const wvl_cuda_node *after, size_t after_count,                     \
       const wvl_cuda_kernel_node *kernel))                                                                            \
    X(graph_fill, cuGraphAddMemsetNode,                                                                                \
      (wvl_cuda_node * node, wvl_cuda_graph graph, const wvl_cuda_node *after, size_t after_count,                     \
       const wvl_cuda_fill_node *fill, wvl_cuda_context context))                                                      \
    X(graph_follow, cuGraphAddDependencies_v2,                                                                         \
      (wvl_cuda_graph graph, const wvl_cuda_node *from, const wvl_cuda_node *to, const wvl_cuda_edge *edges,           \
       size_t count))                                                                                                  \
    X(graph_build, cuGraphInstantiateWithFlags,                                                                        \
      (wvl_cuda_exec * exec, wvl_cuda_graph graph, unsigned long long flags))                                          \
    X(graph_launch, cuGraphLaunch, (wvl_cuda_exec exec, wvl_cuda_stream stream))                                       \
    X(graph_destroy, cuGraphDestroy, (wvl_cuda_graph graph))                                                           \
    X(exec_destroy, cuGraphExecDestroy, (wvl_cuda_exec exec))

typedef struct wvl_cuda_runtime {
#define WVL_CUDA_MEMBER(member, symbol, parameters) wvl_cuda_status(*member) parameters;
    WVL_CUDA_CALLS(WVL_CUDA_MEMBER)
    WVL_CUDA_LATER_CALLS(WVL_CUDA_MEMBER)
#undef WVL_CUDA_MEMBER
} wvl_cuda_runtime;

/* Fills the table from the driver's library. 0: there is none, or it lacks an entry. The library stays loaded. */
int wvl_cuda_fetch_runtime(wvl_cuda_runtime *runtime);
