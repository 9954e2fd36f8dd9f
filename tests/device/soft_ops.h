/* SPDX-License-Identifier: BSD-2-Clause */
/* What streams and graphs of the software driver hold. */
#pragma once

#include "cuda/host/driver/runtime_table.h"
#include "soft.h"

#define SHOWN __attribute__((visibility("default")))

typedef enum soft_op_kind { SOFT_UPLOAD, SOFT_ROWS, SOFT_DOWNLOAD, SOFT_FILL, SOFT_LAUNCH, SOFT_RECORD } soft_op_kind;

typedef struct soft_op {
    struct soft_op *next;
    soft_op_kind kind;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char value;
    unsigned grid_x;
    uint64_t arguments[2];
    wvl_cuda_copy copy;
    enum {
        SOFT_ROOM_OTHER,
        SOFT_ROOM_BLOCKS,
        SOFT_ROOM_T1,
        SOFT_ROOM_RATE,
        SOFT_ROOM_RDOQ,
        SOFT_ROOM_PACKETS,
        SOFT_ROOM_FOREIGN
    } room; /* of the kernel */
    union {
        wvl_cuda_ht_job blocks;
        wvl_cuda_t1_job t1;
        wvl_cuda_rate_job rate;
        wvl_cuda_rdoq_job rdoq;
        wvl_cuda_packets_job packets;
        _Alignas(16) uint8_t foreign[SOFT_OTHER_BYTES];
    } job;
    soft_shape shape;
} soft_op;

typedef struct soft_queue {
    int device;
    soft_op *first, **last;
} soft_queue;

/* Every call of the driver stands between these two: begin counts it and says whether it fails, end returns the
 * status. Quietly: calls that give something back, which work while anything does. */
int soft_begin(const char *name);
void soft_begin_quietly(void);
int soft_end(int status);
/* Things that a leak check counts. */
int soft_make(const char *name, size_t bytes, void **out);
int soft_drop(void *what);
/* To the watch of the control block. */
void soft_tell_watch(const char *call);
/* A list of operations, as one call. A failing call queues nothing. */
int soft_enqueue(const char *name, wvl_cuda_stream stream, const soft_op *list);
