/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that the pictures of a folder take and give back again and again. It lies close together in large pages, each
 * thread has its own, and it stays until the end: so the system clears a page once for a thread, and not for a picture.
 */
#pragma once

#include "wavelane.h"

typedef struct wvl_cli_kept wvl_cli_kept;

/* NULL: out of memory, or no such memory on this system; the library then uses its own. */
wvl_cli_kept *wvl_cli_open_kept(void);
/* When no block is left. */
void wvl_cli_close_kept(wvl_cli_kept *kept);
/* kept may be NULL. */
wvl_allocator wvl_cli_describe_kept(wvl_cli_kept *kept);
