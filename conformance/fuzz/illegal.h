/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules broken on purpose, one at a time. */
#pragma once

#include "judge.h"

/* How many rows there are. */
uint32_t fuzz_illegal_count(void);
/* Case of a seed that breaks rule `index`; the other options are drawn. */
void fuzz_illegal_draw(uint64_t seed, uint32_t index, fuzz_case *c);
/* A case with the key illegal: it must be refused by params or plan with the words of its rule, and without memory of
 * the picture's size. */
void fuzz_illegal_judge(const fuzz_case *c, fuzz_verdict *v);
