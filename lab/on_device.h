/* SPDX-License-Identifier: BSD-2-Clause */
/* A device for the transforms of wavelane_dwt.h (D-plain-01): opened for one object, with a stream of the caller. What
 * it computes is declared by the room of the transform, and all of it is in lab/cuda/plain. */
#pragma once

#include "wavelane.h"

typedef struct wvl_plain_device wvl_plain_device;

/* stream: a CUstream of the device's primary context, or NULL for the default stream; borrowed until close. error gets
 * the reason of a failure. WVL_ERROR_DEVICE, WVL_ERROR_MEMORY. WVL_ERROR_UNSUPPORTED: this build has no device code. */
wvl_status wvl_plain_open(const wvl_allocator *host, uint32_t ordinal, void *stream, wvl_plain_device **device,
                          char *error, size_t error_bytes);
/* NULL is ignored. */
void wvl_plain_close(wvl_plain_device *device);

/* Memory of the device. 0: there is none. Release waits for what is queued in the stream. */
void *wvl_plain_allocate(wvl_plain_device *device, uint64_t bytes);
void wvl_plain_release(wvl_plain_device *device, void *memory);

/* Calls between the two go to the device. What is queued in between and fails is told by the second one, with the name
 * of the driver's error. */
wvl_status wvl_plain_enter(wvl_plain_device *device, char *error, size_t error_bytes);
wvl_status wvl_plain_leave(wvl_plain_device *device, char *error, size_t error_bytes);
