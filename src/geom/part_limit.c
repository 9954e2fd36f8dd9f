/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "geom/plan.h"

#ifdef WVL_TESTING

/* Small pictures show what pictures of many GiB do. */
uint32_t wvl_geom_fetch_part_limit(void)
{
    const char *wanted = getenv("WVL_PART_BYTES");
    unsigned long bytes = wanted ? strtoul(wanted, NULL, 10) : 0;
    return bytes && bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

#else

uint32_t wvl_geom_fetch_part_limit(void) { return UINT32_MAX; }

#endif
