/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_CORE_T1_BOUND_H
#define WVL_CORE_T1_BOUND_H

#include <stddef.h>
#include <stdint.h>

#include "base/hd.h"

WVL_HD size_t wvl_t1_bound_bytes(uint32_t width, uint32_t height, uint32_t planes, unsigned style)
{
    (void)style;
    return (size_t)width * height * planes * 6 + 1000 + 40*planes;
}

#endif
