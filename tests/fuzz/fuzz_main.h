/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzz target: with libFuzzer linked by it, else with the main of fuzz_main.c, which changes given files by chance.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
