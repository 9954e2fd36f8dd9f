/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of a context: each is opened at its first use and closed with the context. */
#pragma once

#include "backend/backend.h"
#include "base/context.h"

/* WVL_ERROR_DEVICE without a try where the device is lost. reason: why there is none, in words. */
wvl_status wvl_context_fetch_device(wvl_context *context, const wvl_backend_vtable *table, uint32_t ordinal,
                                    wvl_device **device, char *reason, size_t reason_bytes);

/* The devices that may take a picture, the one to be preferred first. */
typedef struct wvl_device_list {
    const wvl_backend_vtable *table; /* NULL: this build has no device code */
    uint32_t count;                  /* at least 1 */
    uint32_t ordinals[WVL_DEVICE_ORDINAL_MAX + 1];
} wvl_device_list;

/* Those of the plan's set that are there and usable, from the one on that comes behind `turn` others. A set of one is
 * not looked at, and where there is none the first of the set stands for all: opening it says why. With pixels on a
 * device it is that one. image NULL: anywhere. */
wvl_device_list wvl_devices_list(const wvl_plan *plan, const wvl_image *image, uint32_t turn);
