/* SPDX-License-Identifier: BSD-2-Clause */
/* Named ranges for profilers, in builds with WVL_NVTX. */
#ifndef WVL_CUDA_RANGES_H
#define WVL_CUDA_RANGES_H

#ifdef WVL_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
static inline void wvl_cuda_open_range(const char *name) { (void)nvtxRangePushA(name); }
static inline void wvl_cuda_close_range(void) { (void)nvtxRangePop(); }
#else
static inline void wvl_cuda_open_range(const char *name) { (void)name; }
static inline void wvl_cuda_close_range(void) {}
#endif

#endif
