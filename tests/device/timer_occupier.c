/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel that only waits, and takes multiprocessors from others: what a smaller device would do. */
#include "device_timer.h"
#include "timer_launches.h"

/* Waits until the number is not 0. A thread block has all shared memory of its multiprocessor, so that no other thread block begins there. */
static const char code[] = ".version 7.0\n"
                           ".target sm_70\n"
                           ".address_size 64\n"
                           ".visible .entry occupy(.param .u64 at) {\n"
                           "    .reg .u64 %a;\n"
                           "    .reg .u32 %v;\n"
                           "    .reg .pred %p;\n"
                           "    ld.param.u64 %a, [at];\n"
                           "again:\n"
                           "    nanosleep.u32 20000;\n"
                           "    ld.volatile.global.u32 %v, [%a];\n"
                           "    setp.eq.u32 %p, %v, 0;\n"
                           "    @%p bra again;\n"
                           "    ret;\n"
                           "}\n";

static volatile uint32_t *ends;
static wvl_cuda_module module;
static wvl_cuda_stream stream;

void timer_occupier_begin(wvl_device *device, uint32_t left)
{
    const wvl_cuda_runtime *r = device->runtime;
    wvl_cuda_function occupy;
    wvl_cuda_address at;
    void *memory, *arguments[] = {&at};
    int bytes = 0;
    if (!left || left >= device->multiprocessors) {
        return;
    }
    timer_require(wvl_cuda_enter(device));
    timer_require(r->malloc_pinned(&memory, sizeof *ends, 0));
    timer_require(r->pinned_address(&at, memory, 0));
    ends = memory;
    *ends = 0;
    timer_require(r->module_load(&module, code));
    timer_require(r->module_function(&occupy, module, "occupy"));
    timer_require(r->device_attribute(&bytes, WVL_CUDA_ATTRIBUTE_SHARED_BLOCK, device->handle));
    timer_require(r->function_set(occupy, WVL_CUDA_FUNCTION_SHARED, bytes));
    timer_require(r->stream_create(&stream, WVL_CUDA_STREAM_NON_BLOCKING));
    timer_require(r->launch(occupy, device->multiprocessors - left, 1, 1, 1, 1, 1, (unsigned)bytes, stream, arguments, NULL));
    wvl_cuda_leave(device);
}

void timer_occupier_end(wvl_device *device)
{
    const wvl_cuda_runtime *r = device->runtime;
    if (!ends) {
        return;
    }
    *ends = 1;
    timer_require(wvl_cuda_enter(device));
    timer_require(r->stream_wait(stream));
    timer_require(r->stream_destroy(stream));
    timer_require(r->module_unload(module));
    timer_require(r->free_pinned((void *)ends));
    wvl_cuda_leave(device);
    ends = NULL;
}
