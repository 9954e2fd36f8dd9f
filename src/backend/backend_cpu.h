/* SPDX-License-Identifier: BSD-2-Clause */
/* The backend that is always there. */
#pragma once

#include "backend/backend.h"

extern const wvl_backend_vtable wvl_backend_cpu;
