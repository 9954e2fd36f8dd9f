/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for what is page-locked (alloc.c). */
#pragma once

#include <stdint.h>

/* Whole pages from the system that nothing else lies in, large ones as far as there are any. Child processes do not get
 * them. NULL: out of memory, or the system has no such pages. */
void *wvl_map_pages(uint64_t bytes);
void wvl_unmap_pages(void *memory, uint64_t bytes);
