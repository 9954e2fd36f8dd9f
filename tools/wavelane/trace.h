/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_TRACE_H
#define WVL_TOOLS_TRACE_H

#include "cli.h"

/* Checks and opens the file as an output, and makes the context report its spans. 0 or an exit code after a message. */
int wvl_cli_open_trace(const wvl_cli_args *args, wvl_context_options *options);
/* A picture was read, since `begin` (wvl_cli_seconds). */
void wvl_cli_trace_reading(double begin);
/* After the context is gone. The file appears only now, and not where the command failed. Returns code, or why the file
 * is not complete. */
int wvl_cli_close_trace(int code);

#endif
