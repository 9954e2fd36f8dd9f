/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TEST_CHECK_MAKE_H
#define TEST_CHECK_MAKE_H

#include "tests/unit/check_bench.h"

check_bytes check_make_by_hand(const char *text);
/* container: j2k, jp2 or jph. What a file has besides: any of the words alpha icc res xml uuid palette. */
check_bytes check_make_by_encoder(const char *text, const char *container);

#endif
