/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver library that computes: device memory is host memory, streams are queues that run when somebody waits, and
 * the kernels are the C reference. What the device backend's host code does can be judged by the bytes that come out,
 * on any machine. Built as libcuda.so.1 in a folder of its own: the library finds it as it finds the real one.
 *
 * Block coding on this device (soft_blocks.c, soft_t1.c): the kernels of the block coders are answered by codec/ht and
 * codec/t1, or by their own source (SOFT_EMULATE).
 *
 * Failures come by the control block, or for whole programs by the environment: SOFT_FAIL="N:STATUS" (the N-th call
 * fails, and after a status that lasts every later one), SOFT_MEMORY (bytes that can be allocated), SOFT_DEVICES (how
 * many there are), SOFT_OPEN_MS (how long the context of a device takes). SOFT_PEAKS names a file that gets the peaks
 * of page-locked memory and of device memory. SOFT_KILL="D:N" loses device D at its launch N; SOFT_WAIT_MS="A,B": how
 * long each wait for device 0 and 1 takes.
 */
#pragma once

#include "cuda/rate/rate_job.h"
#include "cuda/rdoq/rdoq_job.h"

typedef struct soft_control {
    uint32_t calls;          /* counted from 1: those that may fail */
    uint32_t fail_at;        /* 0: none */
    int fail_status, broken; /* broken: what every call returns from now on */
    uint32_t live;           /* things that exist */
    uint32_t waits;          /* calls that wait for the device */
    uint32_t stream_waits;   /* events that streams await */
    uint32_t allocations;    /* of memory, ever */
    uint32_t launches, marches, deliveries;
    uint64_t delivered_bytes, downloaded_bytes, uploaded_bytes;
    uint32_t coded_parts;  /* launches of the block coder */
    uint32_t scratch_cost; /* how many times the scratch memory that it takes a block takes; 0: once */
    /* With rate control, of all launches of the MQ coder, or of lists of HT sets, by rounds: blocks, and those
     * that have not all passes. */
    uint32_t round_blocks[WVL_CUDA_RATE_ROUNDS], limited_blocks[WVL_CUDA_RATE_ROUNDS];
    uint32_t hidden_blocks; /* of HT blocks of a round: those without any set */
    uint32_t unsettles;     /* from the second round on, hulls of every second block seem to be settled for no slope */
    uint64_t memory_used, memory_limit; /* 0: none */
    uint64_t memory_peak;               /* the most that was used; tests set it back */
    uint64_t pinned_used, pinned_peak;  /* the same of page-locked memory */
    uint32_t registered;                /* memory that was page-locked where it was, ever */
    int refuses_to_register;
    uint32_t open_ms;     /* milliseconds until the context of a device is there */
    uint32_t wait_ms[16]; /* by ordinal: how long a call takes that waits for the device */
    int devices;
    /* With several devices, by ordinal: a status that lasts stays with the device of the call, and the others work on.
     */
    uint32_t broken_devices;
    uint32_t launches_of[16];
    const char *other; /* name of the kernel of soft_other_kernels that was queued last */
    /* The device `kill` is lost at its launch number kill_at, from 1; 0: none is. */
    uint32_t kill, kill_at;
    /* Called by threads that allocate page-locked memory or queue a launch for the device, within the call; NULL: not
     * wanted. */
    void (*watch)(const char *call, int device);
    /* Told the name of each kernel that is queued, or put into a graph; NULL: not wanted. */
    void (*see_kernel)(const char *name);
    int graph_status; /* of a call that begins a graph; 0: it works */
    int capability;   /* 10 * major + minor */
    const char *last; /* name of the call that failed */
} soft_control;

soft_control *soft_driver_control(void);

/* One launch of a kernel by name. 0, or what the driver would say. */
int soft_run_kernel(const char *name, unsigned grid_x, const uint64_t arguments[2], soft_control *control);
/* The same of a kernel of the HT block coder. */
typedef struct soft_shape {
    unsigned grid_x, grid_y, threads, shared;
} soft_shape;
int soft_run_blocks(const char *name, const wvl_cuda_ht_job *job, const soft_shape *shape, soft_control *control);
/* The same of the EBCOT block coder. */
int soft_run_t1(const char *name, const wvl_cuda_t1_job *job, const soft_shape *shape, soft_control *control);
/* The same of a kernel that puts pictures together. */
int soft_run_packets(const char *name, const wvl_cuda_packets_job *job, const soft_shape *shape);

/* Kernels that are not the encoder's: a driver with some defines this, the encoder's has none (soft_others.c). */
#define SOFT_OTHER_BYTES 1024u /* the most that such a kernel takes */
typedef struct soft_others {
    const char *prefix;                /* of their names; NULL: there are none */
    size_t (*bytes)(const char *name); /* of what a kernel takes */
    int (*run)(const char *name, const void *args, const soft_shape *shape);
} soft_others;
extern const soft_others soft_other_kernels;

/* Rate control, and rdoq: by their own source alone. */
int soft_run_rate(const char *name, const wvl_cuda_rate_job *job, const soft_shape *shape, soft_control *control);
int soft_run_rdoq(const char *name, const wvl_cuda_rdoq_job *job, const soft_shape *shape);

/* Samples of a block, and its error as the kernels have it but for the last digits: they sum in another order. */
typedef struct soft_samples {
    const void *coefs;
    const uint32_t *bound;
    uint32_t stride, width, height;
    unsigned plane; /* lowest bit that is coded */
    unsigned coef_bytes;
    int reversible;
} soft_samples;
wvl_cuda_block_error soft_measure_error(const soft_samples *samples, double weight);
