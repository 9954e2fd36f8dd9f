/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures that are read and encoded row by row: --memory, and pictures that are large (D-command-13). */
#pragma once

#include <limits.h>

#include "cli.h"
#include "wavelane_rows.h"

struct wvl_cli_job;

typedef struct wvl_cli_rows {
    wvl_io_rows *reader; /* owned; NULL: the picture is held as a whole */
    wvl_row_source source;
    wvl_rows_options options;
    wvl_rows_memory memory;
    uint64_t likely_coded; /* bytes of coded blocks */
    uint64_t reader_bytes; /* what the reader holds; it counts toward --memory */
    char folder[PATH_MAX]; /* of the file for what does not fit; "": that of the library */
} wvl_cli_rows;

/* The picture of a job with one input: by rows (rows->reader is not NULL) or as a whole. 0, or an exit code after a
 * message. */
int wvl_cli_read_by_rows(struct wvl_cli_job *job);
/* After the plan: finds the memory, and refuses a limit that is too small. */
int wvl_cli_settle_rows(struct wvl_cli_job *job);
wvl_status wvl_cli_encode_rows(struct wvl_cli_job *job, wvl_sink *sink, const wvl_control *control, char *error,
                               size_t error_bytes);
void wvl_cli_release_rows(wvl_cli_rows *rows);

/* Bytes of coded blocks, as wvl_plan_measure() has them: likely, or at most. */
typedef enum wvl_cli_amount { WVL_CLI_LIKELY, WVL_CLI_MOST } wvl_cli_amount;
/* Bytes that go to the file; 0: there is none. */
uint64_t wvl_cli_count_spill(const wvl_cli_rows *rows, wvl_cli_amount coded);
/* Most times that the picture is read. */
static inline unsigned wvl_cli_count_passes(const wvl_cli_rows *rows) { return rows->memory.reads_again ? 2 : 1; }
/* Bytes that are held at a time; without a limit all coded bytes are. */
uint64_t wvl_cli_count_held(const wvl_cli_rows *rows, wvl_cli_amount coded);
