/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of lab/cuda/plain on emulated threads. */
#pragma once

#include "lab/cuda/plain/args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0; 500: there is no kernel of this name. args: what it takes. Threads run in the other order every second time. */
int plain_emulate(const char *name, const void *args, uint32_t blocks, uint32_t threads, uint32_t shared_bytes);

#ifdef __cplusplus
}
#endif
