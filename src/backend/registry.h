/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "backend/backend.h"

/* The backend that takes every plan, over pixels that the host can read. */
const wvl_backend_vtable *wvl_backend_fetch_host(void);
/* The backend of devices; NULL: not in this build. */
const wvl_backend_vtable *wvl_backend_fetch_device(void);
