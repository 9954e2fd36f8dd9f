/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips on the CPU (backend/strips.h). */
#ifndef WVL_BACKEND_CPU_STRIPS_H
#define WVL_BACKEND_CPU_STRIPS_H

#include "backend/strips.h"

extern const wvl_strip_table wvl_cpu_strip_table;

#endif
