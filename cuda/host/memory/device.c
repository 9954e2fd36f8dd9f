/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda/host/memory/device.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/try.h"

#define CAPABILITY_MIN 75 /* of the portable device code: 10 * major + minor */

/* ---- Status ---------------------------------------------------------------------------------- */

/* Errors after which the driver's context answers every call with the same error: memory errors (ECC 214, 220, 226),
 * faults of kernels (700, 702, 710, 714 to 719, 721), a context that somebody destroyed (709), and what the driver
 * itself cannot name (999). */
static int is_sticky(wvl_cuda_status status)
{
    static const short sticky[] = {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999};
    for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++) {
        if (status == sticky[i]) {
            return 1;
        }
    }
    return 0;
}

/* A bit per ordinal. State of the process because that is what it describes: the driver's context, which a fault has
 * ended for everybody in it. */
static _Atomic uint32_t lost_devices;
_Static_assert(WVL_DEVICE_ORDINAL_MAX < 32, "a bit for every ordinal");

static int is_lost(uint32_t ordinal) { return (int)(atomic_load(&lost_devices) >> ordinal & 1); }

int wvl_cuda_is_lost(const wvl_device *device) { return is_lost(device->ordinal); }

void wvl_cuda_forget_losses(void) { atomic_store(&lost_devices, 0); }

wvl_status wvl_cuda_note_status(wvl_device *device, wvl_cuda_status status)
{
    if (is_sticky(status)) {
        atomic_fetch_or(&lost_devices, UINT32_C(1) << device->ordinal);
    }
    return status == WVL_CUDA_SUCCESS         ? WVL_OK
           : status == WVL_CUDA_NOT_READY     ? WVL_AGAIN
           : status == WVL_CUDA_OUT_OF_MEMORY ? WVL_ERROR_MEMORY
                                              : WVL_ERROR_DEVICE;
}

wvl_cuda_status wvl_cuda_enter(const wvl_device *device) { return device->runtime->context_push(device->context); }

void wvl_cuda_leave(const wvl_device *device)
{
    wvl_cuda_context context;
    (void)device->runtime->context_pop(&context);
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static wvl_cuda_status read_capability(const wvl_cuda_runtime *rt, int handle, int *major, int *minor)
{
    wvl_cuda_status status = rt->device_attribute(major, WVL_CUDA_ATTRIBUTE_MAJOR, handle);
    return status ? status : rt->device_attribute(minor, WVL_CUDA_ATTRIBUTE_MINOR, handle);
}

static wvl_cuda_status read_multiprocessors(const wvl_cuda_runtime *rt, int handle, uint32_t *multiprocessors)
{
    int count = 0;
    wvl_cuda_status status = rt->device_attribute(&count, WVL_CUDA_ATTRIBUTE_MULTIPROCESSORS, handle);
    *multiprocessors = count > 0 ? (uint32_t)count : 1;
    return status;
}

static wvl_cuda_status describe(const wvl_cuda_runtime *rt, uint32_t ordinal, wvl_device_info *info)
{
    int handle, major = 0, minor = 0;
    size_t bytes = 0;
    wvl_cuda_status status = rt->device_get(&handle, (int)ordinal);
    TRY(status, rt->device_name(info->name, (int)sizeof info->name, handle));
    TRY(status, read_capability(rt, handle, &major, &minor));
    TRY(status, read_multiprocessors(rt, handle, &info->multiprocessors));
    TRY(status, rt->device_bytes(&bytes, handle));
    info->ordinal = ordinal;
    info->capability_major = (uint32_t)major;
    info->capability_minor = (uint32_t)minor;
    info->memory_bytes = bytes;
    info->usable = 10 * major + minor >= CAPABILITY_MIN && !is_lost(ordinal);
    return status;
}

wvl_status wvl_cuda_describe_device(uint32_t ordinal, wvl_device_info *info)
{
    wvl_cuda_runtime runtime;
    int count = 0;
    if (!wvl_cuda_fetch_runtime(&runtime) || runtime.init(0) || runtime.device_count(&count)) {
        return WVL_ERROR_DEVICE;
    }
    if (ordinal >= (uint32_t)count) {
        return WVL_END;
    }
    return describe(&runtime, ordinal, info) ? WVL_ERROR_DEVICE : WVL_OK;
}

/* ---- Open and close -------------------------------------------------------------------------- */

static wvl_cuda_status load(wvl_device *d, const void *image, const char **step)
{
    int major = 0, minor = 0;
    *step = "initialisation";
    wvl_cuda_status status = d->runtime->init(0);
    *step = status ? *step : "no such device";
    TRY(status, d->runtime->device_get(&d->handle, (int)d->ordinal));
    TRY(status, read_capability(d->runtime, d->handle, &major, &minor));
    if (!status && 10 * major + minor < CAPABILITY_MIN) {
        *step = "compute capability below 7.5";
        return WVL_CUDA_NO_IMAGE;
    }
    d->has_fast_doubles = minor == 0 && (major == 8 || major == 9);
    TRY(status, read_multiprocessors(d->runtime, d->handle, &d->multiprocessors));
    *step = status ? *step : "context";
    TRY(status, d->runtime->context_retain(&d->context, d->handle));
    d->has_context = !status;
    TRY(status, wvl_cuda_enter(d));
    if (!status) {
        *step = "device code";
        status = wvl_cuda_init_kernels(d->runtime, image, &d->kernels);
        TRY(status, wvl_cuda_ht_open(&d->ht, d->runtime, d->kernels.module, d->handle, 0));
        TRY(status, wvl_cuda_rate_open(&d->rate, d->runtime, d->kernels.module));
        TRY(status, wvl_cuda_rdoq_open(&d->rdoq, d->runtime, d->kernels.module));
        TRY(status, wvl_cuda_t1_open(&d->t1, d->runtime, d->kernels.module));
        TRY(status, wvl_cuda_packets_open(&d->packets, d->runtime, d->kernels.module, d->handle));
        wvl_cuda_leave(d);
    }
    return status;
}

static void tell_reason(const wvl_device_options *options, const char *reason)
{
    if (options->reason) {
        snprintf(options->reason, options->reason_bytes, "%s", reason);
    }
}

/* Kept memory would hide from a test what the backend takes and returns. */
static int init_device(wvl_device *d, const wvl_device_options *options, const wvl_cuda_runtime *runtime)
{
    d->host = options->host ? *options->host : (wvl_allocator){0};
    d->pinned = options->pinned ? *options->pinned : (wvl_allocator){0};
    d->memory = options->device ? *options->device : (wvl_allocator){0};
    d->ordinal = options->ordinal;
    d->keeps = !runtime;
    d->spare = options->spare;
    d->spare_user = options->user;
    return pthread_mutex_init(&d->kept_lock, NULL) == 0;
}

wvl_status wvl_cuda_open_device(const wvl_device_options *options, const wvl_cuda_runtime *runtime, const void *image,
                                wvl_device **device)
{
    *device = NULL;
    if (is_lost(options->ordinal)) {
        tell_reason(options, "it failed before and is lost");
        return WVL_ERROR_DEVICE;
    }
    wvl_device *d = wvl_alloc_zeroed(options->host, sizeof *d);
    if (!d || !init_device(d, options, runtime)) {
        wvl_free(options->host, d, sizeof *d);
        return WVL_ERROR_MEMORY;
    }
    d->runtime = runtime ? runtime : &d->own_runtime;
    if (!runtime && !wvl_cuda_fetch_runtime(&d->own_runtime)) {
        tell_reason(options, "there is no driver (libcuda.so.1), or an old one");
        wvl_cuda_close_device(d);
        return WVL_ERROR_DEVICE;
    }
    const char *step;
    wvl_cuda_status failed = load(d, image ? image : wvl_cuda_fetch_image(), &step);
    if (failed) {
        wvl_status status = wvl_cuda_note_status(d, failed);
        const wvl_cuda_runtime *rt = d->runtime;
        char text[128];
        const char *name = NULL;
        if (!rt->error_name || rt->error_name(failed, &name) || !name) {
            name = "an unknown error";
        }
        snprintf(text, sizeof text, "%s: %s (%d)", step, name, failed);
        tell_reason(options, text);
        wvl_cuda_close_device(d);
        return status;
    }
    *device = d;
    return WVL_OK;
}

void wvl_cuda_close_device(wvl_device *d)
{
    if (d->has_context) {
        int entered = !wvl_cuda_enter(d);
        (void)wvl_cuda_drop_kept(d);
        wvl_cuda_fini_kernels(d->runtime, &d->kernels);
        if (entered) {
            wvl_cuda_leave(d);
        }
        (void)d->runtime->context_release(d->handle);
    }
    pthread_mutex_destroy(&d->kept_lock);
    wvl_allocator host = d->host;
    wvl_free(&host, d, sizeof *d);
}
