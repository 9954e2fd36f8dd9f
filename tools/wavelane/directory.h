/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_DIRECTORY_H
#define WVL_TOOLS_DIRECTORY_H

#include "cli.h"

typedef struct wvl_cli_entry {
    char *input, *output;
    const char *clash; /* input of an earlier entry with the same output */
} wvl_cli_entry;

typedef struct wvl_cli_directory {
    wvl_cli_entry *entries; /* by name */
    size_t count, capacity;
} wvl_cli_directory;

/* The files whose extension is that of a picture format, and where each shall go. */
int wvl_cli_list_directory(const char *path, const char *out_format, wvl_cli_directory *directory);
void wvl_cli_release_directory(wvl_cli_directory *directory);

#endif
