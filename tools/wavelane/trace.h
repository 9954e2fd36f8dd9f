/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_TRACE_H
#define WVL_TOOLS_TRACE_H

#include "cli.h"

/* Opens the file and makes the context tell its spans. 0 or an exit code after a message. */
int wvl_cli_open_trace(const char *path, wvl_context_options *options);
/* After the context is gone. Returns code, or why the file is not complete. Nothing was opened: code. */
int wvl_cli_close_trace(int code);

#endif
