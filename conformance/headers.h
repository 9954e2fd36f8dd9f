/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_CONFORMANCE_HEADERS_H
#define WVL_CONFORMANCE_HEADERS_H

#include "walk.h"

#define WVL_WALK_SOC 0xFF4Fu
#define WVL_WALK_SIZ 0xFF51u
#define WVL_WALK_SOT 0xFF90u
#define WVL_WALK_SOP 0xFF91u
#define WVL_WALK_EPH 0xFF92u
#define WVL_WALK_SOD 0xFF93u
#define WVL_WALK_EOC 0xFFD9u

/* Two bytes that must be there. */
uint16_t wvl_check_code_at(const wvl_walk *w, uint64_t offset);

#endif
