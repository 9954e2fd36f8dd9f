/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory nodes (NUMA): which one a device lies at, and threads that work near it for a while (D-device-18). Linux
 * only. Elsewhere, on machines with one memory node, and where the platform does not say or does not allow, nothing
 * happens.
 *
 * A visit never widens what a thread may use: of the processors that it has it keeps those of the memory node, and a
 * policy of memory that somebody has set stays.
 */
#ifndef WVL_BASE_NUMA_H
#define WVL_BASE_NUMA_H

#include <stddef.h>

#define WVL_NUMA_CPUS 8192u /* the most that Linux can be built for */
#define WVL_NUMA_WORD_BITS (8u * (unsigned)sizeof(unsigned long))

/* Processors or memory nodes, as the system calls have them. */
typedef struct wvl_numa_set {
    unsigned long words[WVL_NUMA_CPUS / WVL_NUMA_WORD_BITS];
} wvl_numa_set;

/* Modes of set_mempolicy. */
#define WVL_NUMA_DEFAULT 0   /* where the thread runs */
#define WVL_NUMA_PREFERRED 1 /* at a memory node, elsewhere where it has no more */

/* What the platform is asked, all of the calling thread; nonzero: it refuses. */
typedef struct wvl_numa_calls {
    int (*read)(const char *path, char *text, size_t bytes); /* a file: its beginning, with a 0 behind it */
    int (*get_cpus)(wvl_numa_set *cpus);
    int (*set_cpus)(const wvl_numa_set *cpus);
    int (*get_policy)(int *mode);
    int (*set_policy)(int mode, unsigned node); /* the memory node counts with PREFERRED alone */
} wvl_numa_calls;

typedef struct wvl_numa_node {
    const wvl_numa_calls *calls; /* NULL: not known, or the only one */
    unsigned number;
    wvl_numa_set cpus; /* none: it has memory alone */
} wvl_numa_node;

/* The memory node of the device at that place of the PCI bus. */
void wvl_numa_find(unsigned domain, unsigned bus, unsigned pci_device, wvl_numa_node *node);

enum { WVL_NUMA_THREAD = 1, WVL_NUMA_MEMORY = 2 };

typedef struct wvl_numa_visit {
    const wvl_numa_node *node;
    int is_moved, prefers; /* what is to be taken back */
    wvl_numa_set before;
} wvl_numa_visit;

/* Between the two the calling thread runs on processors of the memory node (THREAD), and memory that it touches first
 * comes from there (MEMORY). Visits may nest. node NULL: no visit. No code of the caller that may start threads
 * runs within: they would inherit what is set. */
void wvl_numa_enter(const wvl_numa_node *node, unsigned what, wvl_numa_visit *visit);
/* From the same thread. What others have set for it since stays; processors that the machine has taken away since are
 * no wish of others, and the thread gets back what is left of those that it had. */
void wvl_numa_leave(const wvl_numa_visit *visit);

extern const wvl_numa_calls wvl_numa_platform;
/* With WVL_TESTING, and there alone: in place of the platform's, for memory nodes that are found from then on. */
extern const wvl_numa_calls *wvl_numa_test_calls;

#endif
