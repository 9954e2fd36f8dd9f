/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_FUZZ_REDUCE_H
#define WVL_FUZZ_REDUCE_H

#include "case.h"

/* 1: the case still shows what is looked for. */
typedef int (*fuzz_shows_fn)(void *user, const fuzz_case *c);

/*
 * Makes a case that shows something as small as this finds it: pairs are dropped, items of lists are dropped, numbers
 * become smaller, until nothing of that leaves it showing, or after `most` trials. Knows nothing of what keys mean: a
 * change that makes another thing of the case does not show what is looked for. Returns the trials.
 */
uint32_t fuzz_reduce_case(fuzz_case *c, fuzz_shows_fn shows, void *user, uint32_t most);

#endif
