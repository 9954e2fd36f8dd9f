/* SPDX-License-Identifier: BSD-2-Clause */
/* The backend that is always there. */
#ifndef WVL_BACKEND_BACKEND_CPU_H
#define WVL_BACKEND_BACKEND_CPU_H

#include "backend/backend.h"

extern const wvl_backend_vtable wvl_backend_cpu;

#endif
