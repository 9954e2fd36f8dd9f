/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches and graphs of the software driver. A graph has to be a chain of nodes, as the library builds it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft_ops.h"

/* ---- Launches -------------------------------------------------------------------------------- */

/* Arguments are copied when a launch is queued. */
static void pack(const char *function, const soft_shape *shape, void **arguments, soft_op *o)
{
    *o = (soft_op){.kind = SOFT_LAUNCH, .from = function, .grid_x = shape->grid_x, .shape = *shape};
    static const struct {
        const char *prefix;
        int room;
        size_t bytes;
    } rooms[] = {{"wvl_ht_", SOFT_ROOM_BLOCKS, sizeof o->job.blocks},
                 {"wvl_t1_", SOFT_ROOM_T1, sizeof o->job.t1},
                 {"wvl_rate_", SOFT_ROOM_RATE, sizeof o->job.rate},
                 {"wvl_rdoq_", SOFT_ROOM_RDOQ, sizeof o->job.rdoq},
                 {"wvl_packets_", SOFT_ROOM_PACKETS, sizeof o->job.packets}};
    const char *other = soft_other_kernels.prefix;
    if (soft_driver_control()->see_kernel) {
        soft_driver_control()->see_kernel(function);
    }
    memcpy(&o->arguments[0], arguments[0], sizeof(uint64_t));
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        if (strncmp(function, rooms[i].prefix, strlen(rooms[i].prefix)) == 0) {
            o->room = rooms[i].room;
            memcpy(&o->job, arguments[0], rooms[i].bytes);
        }
    }
    if (other && strncmp(function, other, strlen(other)) == 0) {
        o->room = SOFT_ROOM_FOREIGN;
        memcpy(o->job.foreign, arguments[0], soft_other_kernels.bytes(function));
    }
    if (!o->room && strcmp(function, "wvl_deliver") && strcmp(function, "wvl_xyz") && strcmp(function, "wvl_unpack")) {
        memcpy(&o->arguments[1], arguments[1], sizeof(uint64_t));
    }
}

SHOWN int cuLaunchKernel(const void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                         unsigned bz, unsigned shared, soft_queue *stream, void **arguments, void **extra)
{
    const soft_shape shape = {gx, gy, bx, shared};
    soft_op o;
    (void)gz, (void)by, (void)bz, (void)extra;
    pack(function, &shape, arguments, &o);
    if (o.room == SOFT_ROOM_FOREIGN) {
        soft_driver_control()->other = function;
    }
    soft_tell_watch("cuLaunchKernel");
    return soft_enqueue("cuLaunchKernel", (wvl_cuda_stream)stream, &o);
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

#define MOST_NODES 1024u

typedef struct node {
    soft_op op;
    struct node *before, *behind;
} node;

typedef struct graph {
    node *nodes[MOST_NODES];
    size_t count;
} graph;

static void require_that(int is_so, const char *what)
{
    if (!is_so) {
        fprintf(stderr, "soft driver: a graph: %s\n", what);
        abort();
    }
}

SHOWN int cuGraphCreate(void **g, unsigned flags)
{
    int status = soft_driver_control()->graph_status;
    (void)flags;
    return status ? status : soft_make("cuGraphCreate", sizeof(graph), g);
}

static int add(const char *name, graph *g, const soft_op *o, node **n)
{
    int status = soft_begin(name);
    *n = status ? NULL : calloc(1, sizeof **n);
    if (*n) {
        require_that(g->count < MOST_NODES, "too many nodes");
        (*n)->op = *o;
        g->nodes[g->count++] = *n;
    }
    return soft_end(status);
}

SHOWN int cuGraphAddKernelNode_v2(node **n, graph *g, node *const *after, size_t after_count,
                                  const wvl_cuda_kernel_node *kernel)
{
    const soft_shape shape = {kernel->grid_x, kernel->grid_y, kernel->block_x, kernel->shared_bytes};
    soft_op o;
    (void)after;
    require_that(!after_count && !kernel->extra && kernel->grid_x && kernel->grid_y && kernel->grid_z == 1, "a kernel");
    pack((const char *)(const void *)kernel->function, &shape, kernel->arguments, &o);
    return add("cuGraphAddKernelNode", g, &o, n);
}

SHOWN int cuGraphAddMemsetNode(node **n, graph *g, node *const *after, size_t after_count,
                               const wvl_cuda_fill_node *fill, void *context)
{
    const soft_op o = {
        .kind = SOFT_FILL, .to = (void *)(uintptr_t)fill->to, .bytes = fill->width * fill->element_bytes};
    (void)after;
    require_that(!after_count && context && fill->height == 1 && !fill->value, "a filling");
    require_that(fill->to % fill->element_bytes == 0, "an address");
    return add("cuGraphAddMemsetNode", g, &o, n);
}

SHOWN int cuGraphAddDependencies_v2(graph *g, node *const *from, node *const *to, const wvl_cuda_edge *edges,
                                    size_t count)
{
    int status = soft_begin("cuGraphAddDependencies");
    (void)g;
    for (size_t i = 0; i < count && !status; i++) {
        int overlaps = edges[i].kind == WVL_CUDA_EDGE_OVERLAPS;
        require_that(edges[i].from_port == edges[i].kind && (overlaps || !edges[i].kind), "an edge");
        require_that(!overlaps || (from[i]->op.kind == SOFT_LAUNCH && to[i]->op.kind == SOFT_LAUNCH), "an overlap");
        require_that(!from[i]->behind && !to[i]->before, "a fork");
        from[i]->behind = to[i];
        to[i]->before = from[i];
    }
    return soft_end(status);
}

/* The operations in the order of the edges, as a list. */
SHOWN int cuGraphInstantiateWithFlags(void **exec, const graph *g, unsigned long long flags)
{
    (void)flags;
    const node *n = g->count ? g->nodes[0] : NULL;
    require_that(n && !n->before, "its first node");
    int status = soft_make("cuGraphInstantiate", g->count * sizeof(soft_op), exec);
    soft_op *list = *exec;
    for (size_t i = 0; i < g->count && !status; i++, n = n->behind) {
        require_that(n != NULL, "nodes that nothing leads to");
        list[i] = n->op;
        list[i].next = i + 1 < g->count ? &list[i + 1] : NULL;
    }
    return status;
}

SHOWN int cuGraphLaunch(const soft_op *exec, soft_queue *stream)
{
    soft_tell_watch("cuLaunchKernel");
    return soft_enqueue("cuGraphLaunch", (wvl_cuda_stream)stream, exec);
}

SHOWN int cuGraphDestroy(graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->nodes[i]);
    }
    return soft_drop(g);
}
SHOWN int cuGraphExecDestroy(soft_op *exec) { return soft_drop(exec); }
