/* SPDX-License-Identifier: BSD-2-Clause */
/* The device code of the forward transform on the CPU. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#include "cuda/core/split.h"

typedef struct wvl_emulated_launch {
    const wvl_cuda_split *splits;
    const wvl_cuda_item *items;
    uint32_t item_count, asked, only;
} wvl_emulated_launch;

/* One launch of the kernel of this number. 0: the kernel is not emulated, and nothing ran. */
int wvl_emulate_level(uint32_t kernel, const wvl_emulated_launch *launch);
/* Between two meetings the last thread runs first. */
void wvl_emulate_level_reversed(int reversed);
#ifdef __cplusplus
}
#endif
