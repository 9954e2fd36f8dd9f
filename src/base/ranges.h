/* SPDX-License-Identifier: BSD-2-Clause */
/* Named ranges for profilers, in builds with WVL_NVTX; nothing otherwise. Opened and closed by one thread, nested. */
#pragma once

#ifdef WVL_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
static inline void wvl_range_open(const char *name) { (void)nvtxRangePushA(name); }
static inline void wvl_range_close(void) { (void)nvtxRangePop(); }
#else
static inline void wvl_range_open(const char *name) { (void)name; }
static inline void wvl_range_close(void) {}
#endif
