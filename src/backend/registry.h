/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_BACKEND_REGISTRY_H
#define WVL_BACKEND_REGISTRY_H

#include "backend/backend.h"

/* The backend that takes every plan, over pixels that the host can read. */
const wvl_backend_vtable *wvl_backend_fetch_host(void);
/* The backend of devices; NULL: not in this build. */
const wvl_backend_vtable *wvl_backend_fetch_device(void);

#endif
