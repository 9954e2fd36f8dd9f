/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_VERIFY_REPORT_H
#define WVL_TOOLS_VERIFY_REPORT_H

#include "cli.h"
#include "wavelane_check.h"

typedef struct wvl_cli_finding {
    uint64_t offset;
    wvl_check_severity severity;
    const char *rule, *clause, *profile;
    char *text; /* NULL: no memory for it */
} wvl_cli_finding;

/* One file, and what was found. */
typedef struct wvl_cli_verdict {
    const char *name;
    uint8_t *data;
    size_t bytes;
    wvl_cli_finding *findings;
    size_t count;
    int no_memory;
    int is_judged; /* the members below are set */
    int verdict;   /* of wvl_check_file, 0 or more */
    wvl_check_summary summary;
    wvl_cli_check check;
} wvl_cli_verdict;

/* profile: the one that was asked for, or NULL. json: WVL_REPORT_*. */
void wvl_cli_report_verdict(const wvl_cli_verdict *v, const char *profile, int json);
/* A line of JSON about a file that could not be judged, with the last error. */
void wvl_cli_report_unread(const wvl_cli_verdict *v);
/* A table of comma-separated values: its first line, and a row for each file, judged or not. */
void wvl_cli_put_verdict_heading(FILE *file);
void wvl_cli_put_verdict_row(FILE *file, const wvl_cli_verdict *v, const char *profile);

#endif
