/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests ask of plans by the environment. */
#include <stdlib.h>

#include "geom/plan.h"

#ifdef WVL_TESTING

static uint32_t fetch(const char *name, uint32_t otherwise)
{
    const char *wanted = getenv(name);
    unsigned long value = wanted ? strtoul(wanted, NULL, 10) : 0;
    return value && value < UINT32_MAX ? (uint32_t)value : otherwise;
}

void wvl_geom_fetch_test(wvl_test_plan *test)
{
    test->part_bytes = fetch("WVL_PART_BYTES", UINT32_MAX);
    test->strip_rows = fetch("WVL_STRIP_ROWS", 0);
}

#else

void wvl_geom_fetch_test(wvl_test_plan *test)
{
    test->part_bytes = UINT32_MAX;
    test->strip_rows = 0;
}

#endif
