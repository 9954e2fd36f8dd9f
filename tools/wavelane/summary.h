/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "by_rows.h"

typedef struct wvl_cli_summary {
    const char *input, *output; /* output may be NULL before an encode */
    int is_jp2;
    const wvl_cli_picture *picture;
    const wvl_plan *plan;
    const wvl_cli_rows *rows; /* NULL: the picture is held as a whole */
    const wvl_result *result;
    const wvl_cli_check *check;
    double seconds; /* of wvl_encode */
    int lossless;   /* the settings promise it */
} wvl_cli_summary;

void wvl_cli_summary_text(FILE *file, const wvl_cli_summary *s, int layers);
void wvl_cli_summary_json(wvl_cli_report *r, const wvl_cli_summary *s);
void wvl_cli_plan_text(FILE *file, const wvl_cli_summary *s, int explain);
void wvl_cli_plan_json(wvl_cli_report *r, const wvl_cli_summary *s, int explain);
