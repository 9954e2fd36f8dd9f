/* SPDX-License-Identifier: BSD-2-Clause */
#include "devices.h"

#include <stdio.h>

#include "backend/registry.h"
#include "base/structs.h"

_Static_assert(sizeof((wvl_context *)NULL)->devices / sizeof(struct wvl_device *) == WVL_DEVICE_ORDINAL_MAX + 1,
               "a seat for every ordinal");

wvl_status wvl_context_fetch_device(wvl_context *context, const wvl_backend_vtable *table, uint32_t ordinal,
                                    wvl_device **device, char *reason, size_t reason_bytes)
{
    if (ordinal > WVL_DEVICE_ORDINAL_MAX) {
        (void)snprintf(reason, reason_bytes, "device %u: only the first %u devices can be used", ordinal,
                       WVL_DEVICE_ORDINAL_MAX + 1);
        return WVL_ERROR_DEVICE;
    }
    wvl_status status = WVL_OK;
    pthread_mutex_lock(&context->device_lock);
    wvl_device **seat = &context->devices[ordinal];
    if (!*seat) {
        wvl_device_options options = {&context->host, &context->pinned, &context->device,
                                      ordinal,        reason,           reason_bytes};
        status = table->open_device(&options, seat);
    } else if (table->is_lost(*seat)) {
        (void)snprintf(reason, reason_bytes, "it failed before and is lost");
        status = WVL_ERROR_DEVICE;
    }
    *device = *seat;
    pthread_mutex_unlock(&context->device_lock);
    return status;
}

void wvl_context_close_devices(wvl_context *context)
{
    const wvl_backend_vtable *table = wvl_backend_fetch_device();
    for (uint32_t i = 0; table && i <= WVL_DEVICE_ORDINAL_MAX; i++) {
        if (context->devices[i]) {
            table->close_device(context->devices[i]);
        }
    }
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
