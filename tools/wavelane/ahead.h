/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the devices that a run will need while its first pictures are being read (D-command-17). */
#ifndef WVL_TOOLS_AHEAD_H
#define WVL_TOOLS_AHEAD_H

#include "cli.h"

typedef struct wvl_cli_ahead wvl_cli_ahead;

/* device: the value of that option. NULL: nothing is opened (cpu; auto, which knows only later whether a device pays;
 * no thread starts). Failures are told by the first picture that needs the device. */
wvl_cli_ahead *wvl_cli_open_ahead(wvl_context *context, const char *device);
/* Before the context is released. */
void wvl_cli_close_ahead(wvl_cli_ahead *ahead);

#endif
