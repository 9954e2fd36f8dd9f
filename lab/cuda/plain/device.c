/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cuda/plain/device.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/try.h"

#define CAPABILITY_MIN 75 /* of the portable device code: 10 * major + minor */

static const char *const names[] = {
#define WVL_PLAIN_NAME(member, name, type) #name,
    WVL_PLAIN_KERNELS(WVL_PLAIN_NAME)
#undef WVL_PLAIN_NAME
};

static void tell(char *error, size_t error_bytes, const char *text)
{
    if (error && error_bytes) {
        snprintf(error, error_bytes, "%s", text);
    }
}

static wvl_status tell_failure(const wvl_plain_device *d, wvl_cuda_status failed, char *error, size_t error_bytes)
{
    const char *name = NULL;
    if (!failed) {
        return WVL_OK;
    }
    if (d->runtime.error_name(failed, &name) || !name) {
        name = "an unknown error";
    }
    if (error && error_bytes) {
        snprintf(error, error_bytes, "the device failed: %s (%d)", name, failed);
    }
    return failed == WVL_CUDA_OUT_OF_MEMORY ? WVL_ERROR_MEMORY : WVL_ERROR_DEVICE;
}

/* ---- Open and close -------------------------------------------------------------------------- */

static wvl_cuda_status load(wvl_plain_device *d, const void *image)
{
    wvl_cuda_status status = d->runtime.module_load(&d->module, image);
    for (unsigned k = 0; k < WVL_PLAIN_KERNEL_COUNT && !status; k++) {
        status = d->runtime.module_function(&d->functions[k], d->module, names[k]);
    }
    return status;
}

static wvl_cuda_status find_device(wvl_plain_device *d, uint32_t ordinal, int *capability)
{
    int major = 0, minor = 0;
    wvl_cuda_status status = d->runtime.init(0);
    TRY(status, d->runtime.device_get(&d->handle, (int)ordinal));
    TRY(status, d->runtime.device_attribute(&major, WVL_CUDA_ATTRIBUTE_MAJOR, d->handle));
    TRY(status, d->runtime.device_attribute(&minor, WVL_CUDA_ATTRIBUTE_MINOR, d->handle));
    *capability = 10 * major + minor;
    return status;
}

static wvl_cuda_status open_context(wvl_plain_device *d, const void *image)
{
    wvl_cuda_status status = d->runtime.context_retain(&d->context, d->handle);
    d->has_context = !status;
    TRY(status, d->runtime.context_push(d->context));
    if (!status) {
        wvl_cuda_context context;
        status = load(d, image);
        (void)d->runtime.context_pop(&context);
    }
    return status;
}

static wvl_status open_device(wvl_plain_device *d, uint32_t ordinal, char *error, size_t error_bytes)
{
    const void *image = wvl_plain_fetch_image();
    int capability;
    if (!image) {
        tell(error, error_bytes, "this build has no device code; use WVL_DWT_HOST");
        return WVL_ERROR_UNSUPPORTED;
    }
    if (!wvl_cuda_fetch_runtime(&d->runtime)) {
        tell(error, error_bytes, "there is no CUDA driver (libcuda.so.1), or an old one; use WVL_DWT_HOST");
        return WVL_ERROR_DEVICE;
    }
    wvl_cuda_status failed = find_device(d, ordinal, &capability);
    if (!failed && capability < CAPABILITY_MIN) {
        tell(error, error_bytes, "the device has a compute capability below 7.5; use WVL_DWT_HOST");
        return WVL_ERROR_UNSUPPORTED;
    }
    failed = failed ? failed : open_context(d, image);
    return tell_failure(d, failed, error, error_bytes);
}

wvl_status wvl_plain_open(const wvl_allocator *host, uint32_t ordinal, void *stream, wvl_plain_device **device,
                          char *error, size_t error_bytes)
{
    *device = NULL;
    wvl_plain_device *d = wvl_alloc_zeroed(host, sizeof *d);
    if (!d) {
        tell(error, error_bytes, "no memory for a transform");
        return WVL_ERROR_MEMORY;
    }
    d->has_host = host != NULL;
    d->host = host ? *host : (wvl_allocator){0};
    d->stream = stream;
    const wvl_status status = open_device(d, ordinal, error, error_bytes);
    if (status) {
        wvl_plain_close(d);
        return status;
    }
    *device = d;
    return WVL_OK;
}

void wvl_plain_close(wvl_plain_device *d)
{
    if (!d) {
        return;
    }
    if (d->has_context && !d->runtime.context_push(d->context)) {
        wvl_cuda_context context;
        if (d->module) {
            (void)d->runtime.stream_wait(d->stream); /* kernels of the module may run */
            (void)d->runtime.module_unload(d->module);
        }
        (void)d->runtime.context_pop(&context);
    }
    if (d->has_context) {
        (void)d->runtime.context_release(d->handle);
    }
    const wvl_allocator host = d->host;
    wvl_free(d->has_host ? &host : NULL, d, sizeof *d);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

wvl_status wvl_plain_enter(wvl_plain_device *d, char *error, size_t error_bytes)
{
    d->failed = WVL_CUDA_SUCCESS;
    return tell_failure(d, d->runtime.context_push(d->context), error, error_bytes);
}

wvl_status wvl_plain_leave(wvl_plain_device *d, char *error, size_t error_bytes)
{
    wvl_cuda_context context;
    (void)d->runtime.context_pop(&context);
    return tell_failure(d, d->failed, error, error_bytes);
}

void *wvl_plain_allocate(wvl_plain_device *d, uint64_t bytes)
{
    wvl_cuda_address address = 0;
    wvl_cuda_context context;
    if (bytes > SIZE_MAX || d->runtime.context_push(d->context)) {
        return NULL;
    }
    if (d->runtime.malloc_device(&address, (size_t)bytes)) {
        address = 0;
    }
    (void)d->runtime.context_pop(&context);
    return (void *)(uintptr_t)address;
}

void wvl_plain_release(wvl_plain_device *d, void *memory)
{
    wvl_cuda_context context;
    if (!memory || d->runtime.context_push(d->context)) {
        return;
    }
    (void)d->runtime.stream_wait(d->stream);
    (void)d->runtime.free_device((wvl_cuda_address)(uintptr_t)memory);
    (void)d->runtime.context_pop(&context);
}

void wvl_plain_launch(wvl_plain_device *d, wvl_plain_kernel kernel, uint64_t blocks, uint32_t threads,
                      uint32_t shared_bytes, const void *args)
{
    void *arguments[] = {(void *)(uintptr_t)args};
    if (d->failed || !blocks) {
        return;
    }
    d->failed = blocks > INT32_MAX ? WVL_CUDA_INVALID_VALUE
                                   : d->runtime.launch(d->functions[kernel], (uint32_t)blocks, 1, 1, threads, 1, 1,
                                                       shared_bytes, d->stream, arguments, NULL);
}
