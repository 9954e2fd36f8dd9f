/* SPDX-License-Identifier: BSD-2-Clause */
/* Which backends this build has: the only file that knows the device rooms by name. */
#include "backend/registry.h"

#include "backend/backend_cpu.h"
#include "cuda/host/backend_cuda.h"
#include "cuda/host/transform/launch.h"

const wvl_backend_vtable *wvl_backend_fetch_host(void) { return &wvl_backend_cpu; }

const wvl_backend_vtable *wvl_backend_fetch_device(void) { return wvl_cuda_fetch_image() ? &wvl_backend_cuda : NULL; }
