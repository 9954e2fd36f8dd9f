/* SPDX-License-Identifier: BSD-2-Clause */
/* A suite for the slots of a program (wvl_slots_rooms): every slot at every level of this machine against plain C. */
#pragma once

#include <stddef.h>

#include "base/cpu.h"

/* check_level: calls the function below for each kernel table of this level. Returns what main does. */
int slots_suite_run(const char *name, void (*check_level)(wvl_cpu_level level));
/* The function pointers in [first, end) of a kernel table: each must have a slot. */
void slots_suite_check_table(const char *name, const void *table, size_t first, size_t end, wvl_cpu_level level);
