/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that plugins start to decode chunks. It is of one build with them. */
#include <stdio.h>

#include "tools/guard/guard.h"
#include "tools/openjpeg/guarded.h"

int main(int argc, char **argv)
{
    (void)argc;
    wvl_guard_enter(argv, &wvl_opj_service, 1); /* returns only where no plugin is the parent */
    fprintf(stderr, "this program decodes chunks for plugins of Wavelane, which start it\n");
    return 2;
}
