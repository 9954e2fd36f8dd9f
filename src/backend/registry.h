/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_BACKEND_REGISTRY_H
#define WVL_BACKEND_REGISTRY_H

#include "backend/backend.h"

typedef enum wvl_backend_kind { WVL_BACKEND_CPU = 0, WVL_BACKEND_CUDA = 1 } wvl_backend_kind;

/* NULL: not in this build. */
const wvl_backend_vtable *wvl_backend_fetch(wvl_backend_kind kind);

#endif
