/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend/devices.h"

#include <stdio.h>

#include "backend/registry.h"
#include "base/structs.h"
#include "wavelane_frames.h"

_Static_assert(sizeof((wvl_context *)NULL)->devices / sizeof(struct wvl_device *) == WVL_DEVICE_ORDINAL_MAX + 1,
               "a place for every ordinal");

static void close_devices(wvl_context *context)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    for (uint32_t i = 0; i <= WVL_DEVICE_ORDINAL_MAX; i++) {
        if (context->devices[i]) {
            table->close_device(context->devices[i]);
        }
    }
}

/* Pictures that are kept open go. */
static int spare(void *user)
{
    wvl_context *context = user;
    pthread_mutex_lock(&context->kept_lock);
    int (*drop)(wvl_context *, const wvl_plan *) = context->drop_kept;
    pthread_mutex_unlock(&context->kept_lock);
    return drop && drop(context, NULL);
}

wvl_status wvl_context_fetch_device(wvl_context *context, const wvl_backend_vtable *table, uint32_t ordinal,
                                    wvl_device **device, char *reason, size_t reason_bytes)
{
    if (ordinal > WVL_DEVICE_ORDINAL_MAX) {
        snprintf(reason, reason_bytes, "device %u: only the first %u devices can be used", ordinal,
                 WVL_DEVICE_ORDINAL_MAX + 1);
        return WVL_ERROR_DEVICE;
    }
    wvl_status status = WVL_OK;
    pthread_mutex_lock(&context->device_lock);
    wvl_device **place = &context->devices[ordinal];
    if (!*place) {
        wvl_device_options options = {&context->host, &context->pinned, &context->device, ordinal, reason, reason_bytes,
                                      spare,          context};
        double begin = wvl_trace_now();
        context->close_devices = close_devices;
        status = table->open_device(&options, place);
        wvl_trace_put(&context->trace, "device", "open", 0, begin, wvl_trace_now());
        if (*place) {
            /* The driver reads its variable once in a process; the library neither reads nor sets it. */
            wvl_context_log(context, WVL_LOG_INFO,
                            "device %u: the driver works on as many pictures in flight at a time as "
                            "CUDA_DEVICE_MAX_CONNECTIONS in the environment of the process says, up to 32; otherwise "
                            "on 8",
                            ordinal);
        }
    } else if (table->is_lost(*place)) {
        snprintf(reason, reason_bytes, "it failed before and is lost");
        status = WVL_ERROR_DEVICE;
    }
    *device = *place;
    pthread_mutex_unlock(&context->device_lock);
    return status;
}

/* context NULL: an argument of the call is wrong. memory NULL: nothing is page-locked. */
static wvl_status open_and_pin(wvl_context *context, uint32_t ordinal, void *memory, uint64_t bytes, char *error,
                               size_t error_bytes)
{
    char reason[256] = "";
    wvl_device *device;
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    wvl_status status = context ? WVL_ERROR_UNSUPPORTED : WVL_ERROR_ARGUMENT;
    if (context && table) {
        status = wvl_context_fetch_device(context, table, ordinal, &device, reason, sizeof reason);
    }
    if (status == WVL_OK && memory) {
        status = table->pin(device, memory, bytes);
    }
    if (error && error_bytes) {
        const char *text = status == WVL_OK || reason[0] ? reason : wvl_status_text(status);
        snprintf(error, error_bytes, "%s", text);
    }
    return status;
}

wvl_status wvl_context_open_device(wvl_context *context, uint32_t ordinal, char *error, size_t error_bytes)
{
    return open_and_pin(context, ordinal, NULL, 0, error, error_bytes);
}

wvl_status wvl_context_pin(wvl_context *context, uint32_t ordinal, void *memory, size_t bytes, char *error,
                           size_t error_bytes)
{
    return open_and_pin(memory && bytes ? context : NULL, ordinal, memory, bytes, error, error_bytes);
}

void wvl_context_unpin(wvl_context *context, uint32_t ordinal, void *memory)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    if (context && table && memory && ordinal <= WVL_DEVICE_ORDINAL_MAX && context->devices[ordinal]) {
        table->unpin(context->devices[ordinal], memory);
    }
}

static int is_usable(const wvl_plan *plan, const wvl_backend_vtable *table, uint32_t ordinal, wvl_status *status)
{
    wvl_device_info info = {.struct_size = sizeof info};
    *status = table ? table->describe_device(ordinal, &info) : WVL_ERROR_UNSUPPORTED;
    if (*status == WVL_OK && info.usable) {
        return 1;
    }
    if (plan->device.ordinals != WVL_DEVICE_EVERY) {
        wvl_context_log(
            plan->context, WVL_LOG_WARNING,
            "device %u does not exist or cannot be used; the other devices of the option device do its work", ordinal);
    }
    return 0;
}

wvl_device_list wvl_devices_list(const wvl_plan *plan, const wvl_image *image, uint32_t turn)
{
    wvl_device_list found = {.table = wvl_backend_fetch_device()}, list = found;
    uint32_t set = plan->device.ordinals;
    wvl_status status = WVL_OK;
    int lies_there = image && image->memory_kind == WVL_MEMORY_DEVICE, is_one = !(set & (set - 1));
    for (uint32_t i = 0; i <= WVL_DEVICE_ORDINAL_MAX && !lies_there && !is_one && status != WVL_END; i++) {
        if ((set >> i & 1) && is_usable(plan, found.table, i, &status)) {
            found.ordinals[found.count++] = i;
        }
    }
    if (!found.count) {
        found.ordinals[found.count++] = lies_there ? (uint32_t)image->device : wvl_plan_first_device(plan);
    }
    list.count = found.count;
    for (uint32_t i = 0; i < found.count; i++) {
        list.ordinals[i] = found.ordinals[(i + turn) % found.count];
    }
    return list;
}

wvl_status wvl_device_describe(uint32_t ordinal, wvl_device_info *info)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    wvl_device_info found = {.struct_size = sizeof found};
    if (!info || !wvl_struct_size(info, WVL_STRUCT_UNTIL(wvl_device_info, usable))) {
        return WVL_ERROR_ARGUMENT;
    }
    if (!table || ordinal > WVL_DEVICE_ORDINAL_MAX) {
        return table ? WVL_END : WVL_ERROR_UNSUPPORTED;
    }
    wvl_status status = table->describe_device(ordinal, &found);
    if (status == WVL_OK) {
        (void)wvl_struct_write(info, &found, sizeof found, WVL_STRUCT_UNTIL(wvl_device_info, usable));
    }
    return status;
}
