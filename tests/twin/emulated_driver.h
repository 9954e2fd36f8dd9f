/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices of the twins of block coders and packets: the CPU that runs the device code (emulate.h), and the machine's.
 */
#pragma once

#include "ht_blocks.h"

extern const wvl_cuda_runtime emulated_runtime;
extern uint32_t emulated_most_shared; /* bytes that a kernel was allowed since the test set it to 0 */

/* Opens the emulation (not with WVL_CUDA_NO_EMULATION) and, with device code and a driver, the first device. Device
 * code comes from the build, or from the file that WVL_CUDA_TWIN_IMAGE names. Returns how many: at most 2. */
unsigned emulated_open_devices(ht_device *devices);
/* The same, without a device whose code lacks a kernel: the library does not carry all of them. */
unsigned emulated_open_devices_with(ht_device *devices, const char *kernel);
void emulated_close_devices(const ht_device *devices, unsigned count);
