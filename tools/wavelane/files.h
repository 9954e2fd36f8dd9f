/* SPDX-License-Identifier: BSD-2-Clause */
/* Several files for info and verify, and tables of comma-separated values about them. */
#pragma once

#include "cli.h"

/* ---- Options --------------------------------------------------------------------------------- */

#define WVL_CLI_MAX_INPUT_BYTES(HOW)                                                                                   \
    {                                                                                                                  \
        "max-input-bytes", 0, "N", HOW, "Most bytes that are read from a pipe or device, as for encode.", NULL         \
    }
/* HOW(member) says what is done to a member. */
#define WVL_CLI_SEVERAL_FILES(HOW)                                                                                     \
    {"json", 0, NULL, HOW(json), "Print one JSON object; of several files one on each line.", NULL},                   \
        {"csv", 0, NULL, HOW(csv), "Print a table of comma-separated values, one row for each file.", NULL},           \
    {                                                                                                                  \
        "recursive", 'R', NULL, HOW(files.recursive),                                                                  \
            "Folders: look into the folders below them too. -R is the same.", NULL                                     \
    }

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct wvl_cli_files {
    const char **words; /* as given; room for as many as there are arguments */
    size_t word_count;
    int recursive; /* folders within folders too */
    char **names;  /* files of the words, in their order; those of a folder by name */
    size_t count, capacity;
    int is_many; /* more than one word, or a folder */
} wvl_cli_files;

/* Each returns 0 or an exit code after a message. */
int wvl_cli_init_files(int argc, wvl_cli_files *files);
/* Fills in the names. Of a folder these are the regular files, and links to such, whose extension is one of JPEG 2000
 * and whose name does not begin with a dot. A folder without any is an error. */
int wvl_cli_list_files(wvl_cli_files *files);
void wvl_cli_release_files(wvl_cli_files *files);
/* Returns the exit code for two files. */
static inline int wvl_cli_worse_code(int a, int b) { return a > b ? a : b; }

/* ---- Tables ---------------------------------------------------------------------------------- */

/* RFC 4180 but for line ends, which are single line feeds. A value with a comma, quote or line end stands in quotes. */
typedef struct wvl_cli_row {
    FILE *file;
    int has_value;
} wvl_cli_row;

void wvl_cli_row_text(wvl_cli_row *row, const char *value);
void wvl_cli_row_number(wvl_cli_row *row, uint64_t value);
/* `count` values, or as many without content. */
void wvl_cli_row_numbers(wvl_cli_row *row, int are_known, const uint64_t *values, unsigned count);
void wvl_cli_row_skip(wvl_cli_row *row, unsigned count);
void wvl_cli_row_end(wvl_cli_row *row);
