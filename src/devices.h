/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of a context: each is opened at its first use and closed with the context. */
#ifndef WVL_DEVICES_H
#define WVL_DEVICES_H

#include "backend/backend.h"
#include "context.h"

/* WVL_ERROR_DEVICE without a try where the device is lost. reason: why there is none, in words. */
wvl_status wvl_context_fetch_device(wvl_context *context, const wvl_backend_vtable *table, uint32_t ordinal,
                                    wvl_device **device, char *reason, size_t reason_bytes);

#endif
