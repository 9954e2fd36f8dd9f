/* SPDX-License-Identifier: BSD-2-Clause */
/* Which backends this build has: the only file that knows the device rooms by name. */
#include "backend/registry.h"

#include "cuda/host/backend_cuda.h"
#include "cuda/host/launch.h"

const wvl_backend_vtable *wvl_backend_fetch(wvl_backend_kind kind)
{
    return kind == WVL_BACKEND_CPU ? &wvl_backend_cpu : wvl_cuda_fetch_image() ? &wvl_backend_cuda : NULL;
}
