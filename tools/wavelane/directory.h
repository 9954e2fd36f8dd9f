/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <sys/types.h>

#include "cli.h"

typedef struct wvl_cli_entry {
    char *input, *output;
    const char *clash; /* input of an earlier entry with the same output */
    dev_t device;      /* of the input */
    ino_t inode;
    uint64_t bytes; /* of the input */
} wvl_cli_entry;

typedef struct wvl_cli_directory {
    wvl_cli_entry *entries; /* by name */
    size_t count, capacity;
    size_t folders; /* below it */
} wvl_cli_directory;

typedef struct wvl_cli_folder {
    const char *path;
    const char *out_path;   /* NULL: outputs lie beside their inputs */
    const char *out_format; /* extension of the outputs; NULL: that of the inputs */
    int recursive;          /* the folders below too, with theirs below out_path */
} wvl_cli_folder;

/* The regular files, or links to such, whose extension is that of a picture format, and where each shall go. */
int wvl_cli_list_directory(const wvl_cli_folder *folder, wvl_cli_directory *directory);
/* A new one at the end, all zero; NULL: no memory. */
wvl_cli_entry *wvl_cli_add_entry(wvl_cli_directory *directory);
/* Makes the folder of a file, and those above it, where they are not there. */
int wvl_cli_make_folder_of(const char *file);
/* Each returns 0 or an exit code after a message. Refuses a trace that is an input or output of the folder. */
int wvl_cli_check_trace(const char *trace, const wvl_cli_directory *directory);
/* Refuses an output that is the input of any entry. */
int wvl_cli_check_entry(const wvl_cli_directory *directory, size_t index);
void wvl_cli_release_directory(wvl_cli_directory *directory);
