/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated C functions of the transform laboratory, as wvl_lab_kernel describes them. */
#pragma once

#include "schemes_emulated.h"

uint32_t wvl_lab_c_count(void);
wvl_lab_kernel wvl_lab_c_find(uint32_t index);
/* Values and layout as in wvl_lab_run. */
void wvl_lab_c_run(uint32_t index, const void *from, void *to, int width, int height);
