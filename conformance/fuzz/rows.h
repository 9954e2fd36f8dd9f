/* SPDX-License-Identifier: BSD-2-Clause */
/* The second encode of a case by rows: "rows=STRIP,REWIND,LIMIT", rows of a strip (0: as the library chooses; others
 * need a library with hooks for tests), whether the source can go back, and whether it has the least memory. */
#pragma once

#include "picture.h"

/* For plans that are made from here on, until fuzz_rows_end. */
void fuzz_rows_begin(const fuzz_case *c);
void fuzz_rows_end(void);
/* Encodes the input. *most: bytes that the allocator may give. */
wvl_status fuzz_rows_encode(const fuzz_case *c, const wvl_plan *plan, const fuzz_input *in, wvl_sink *sink,
                            uint64_t *most, char *error, size_t error_bytes);
/* Sets "rows" of a case, other values for every number. */
void fuzz_rows_draw(fuzz_case *c, uint64_t number);
