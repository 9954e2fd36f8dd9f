/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts that a thread pushed, and facts of devices, for the software driver. They are no thread-local variable: leak
 * checkers stumble over those of libraries that are loaded late. */
#ifndef WVL_TESTS_SOFT_CONTEXT_H
#define WVL_TESTS_SOFT_CONTEXT_H

#include <pthread.h>
#include <stdint.h>

#include "cuda/host/driver/runtime_table.h"
#include "soft.h"

/* 4 bits a context, the last one lowest: its device plus 1. */
static pthread_key_t pushed_key;
static pthread_once_t pushed_once = PTHREAD_ONCE_INIT;
static void make_pushed_key(void) { (void)pthread_key_create(&pushed_key, NULL); }

static uintptr_t pushed_contexts(void)
{
    (void)pthread_once(&pushed_once, make_pushed_key);
    return (uintptr_t)pthread_getspecific(pushed_key);
}
static void push_context(int device)
{
    uintptr_t before = pushed_contexts(); /* makes the key */
    (void)pthread_setspecific(pushed_key, (void *)(before << 4 | (uintptr_t)(device + 1)));
}
static void pop_context(void)
{
    uintptr_t before = pushed_contexts();
    (void)pthread_setspecific(pushed_key, (void *)(before >> 4));
}

/* -1: none, for calls that need no context; things made then are of device 0. */
static int context_device(void) { return (int)(pushed_contexts() & 15) - 1; }
static int current_device(void) { return context_device() < 0 ? 0 : context_device(); }

static int attribute_of(const soft_control *control, int attribute, int device)
{
    switch (attribute) {
    case WVL_CUDA_ATTRIBUTE_MAJOR: return control->capability / 10;
    case WVL_CUDA_ATTRIBUTE_MINOR: return control->capability % 10;
    case WVL_CUDA_ATTRIBUTE_PCI_DOMAIN: return 1;
    case WVL_CUDA_ATTRIBUTE_PCI_BUS: return 0xa0 + device;
    default: return 4; /* the workspace on the bus too */
    }
}

static void tell_watch(const soft_control *control, const char *call)
{
    if (control->watch) {
        control->watch(call, current_device());
    }
}

#endif
