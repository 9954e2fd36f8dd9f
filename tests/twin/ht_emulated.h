/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of a driver table that run the block coders' device code on the CPU. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#include "cuda/host/driver/runtime_table.h"

int wvl_emulate_find(wvl_cuda_function *function, wvl_cuda_module module, const char *name);
int wvl_emulate_launch(wvl_cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, wvl_cuda_stream stream,
                       void **arguments, void **extra);
/* Between two meetings the last thread runs first. */
void wvl_emulate_reversed(int reversed);
#ifdef __cplusplus
}
#endif
