/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the file sink: the system calls that create, name and flush a file. Tests replace them to make each fail.
 */
#pragma once

#include "wavelane.h"

/* Each call returns -1 and sets errno when it fails. */
typedef struct wvl_sink_system {
    int (*open_unnamed)(const char *directory);          /* a file without a name, read and written: its descriptor */
    int (*name_unnamed)(int fd, const char *path);       /* gives that file a name; fails where the name exists */
    int (*link)(const char *from, const char *to);       /* fails where `to` exists */
    int (*rename)(const char *from, const char *to);     /* replaces `to` */
    int (*rename_new)(const char *from, const char *to); /* fails where `to` exists */
    int (*sync)(int fd);
} wvl_sink_system;

extern const wvl_sink_system wvl_sink_system_calls;

/* wvl_sink_open_file with other calls. `system` must live as long as the sink. */
wvl_status wvl_sink_open_file_by(wvl_context *context, const char *path, int overwrite, const wvl_sink_system *system,
                                 wvl_sink *sink);
