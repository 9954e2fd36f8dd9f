/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "rows/window.h"

/* Finds what an encode takes that goes this way: wvl_rows_measure() for a source that is not refused. */
void wvl_rows_find_memory(const wvl_plan *plan, const wvl_row_source *source, const wvl_way *way,
                          wvl_rows_memory *memory);
