/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of the machine: no byte depends on them. */
#include "draw.h"

void fuzz_draw_device(fuzz_draw *d)
{
    static const char *const devices[] = {"cpu", "auto", "cuda"}; /* where there is no device the CPU takes over */
    if (fuzz_draw_chance(d, 5)) {
        fuzz_case_set(d->c, "device", "%s", devices[fuzz_draw_between(d, 0, 2)]);
    }
}

void fuzz_draw_reach(fuzz_draw *d)
{
    if (fuzz_draw_chance(d, 4)) { /* a device that does less is not used */
        fuzz_case_set(d->c, "reach", "%s", fuzz_draw_chance(d, 50) ? "blocks" : "packets");
    }
}

void fuzz_draw_output_memory(fuzz_draw *d)
{
    if (fuzz_draw_chance(d, 1)) { /* refused: only encoder objects give such pictures */
        fuzz_case_set(d->c, "output-memory", "%s", "device");
    }
}
