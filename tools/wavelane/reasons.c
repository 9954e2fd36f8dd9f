/* SPDX-License-Identifier: BSD-2-Clause */
/* Why pictures of a folder or a sequence failed, in one line. */
#include <inttypes.h>

#include "cli.h"

#define OTHER (WVL_EXIT_REPORT + 1)

static const struct {
    const char *word, *text;
} reasons_by_code[] = {
    [WVL_EXIT_SOME_FAILED] = {"other", "other reasons"},
    [WVL_EXIT_USAGE] = {"options", "options do not fit the picture"},
    [WVL_EXIT_INPUT] = {"input", "the input is refused"},
    [WVL_EXIT_OUTPUT] = {"output", "the output exists, or cannot be written"},
    [WVL_EXIT_DEVICE] = {"machine", "memory, threads or the device do not suffice"},
    [WVL_EXIT_CHECK] = {"check", "the check failed"},
    [WVL_EXIT_REPORT] = {"other", "other reasons"},
    [OTHER] = {"interrupted", "interrupted"},
};

void wvl_cli_count_reason(wvl_cli_reasons *reasons, int code)
{
    if (code == WVL_EXIT_INTERRUPTED) {
        reasons->counts[OTHER]++;
    } else if (code > WVL_EXIT_OK && code <= WVL_EXIT_REPORT) {
        reasons->counts[code]++;
    }
}

void wvl_cli_print_reasons(FILE *file, const wvl_cli_reasons *reasons)
{
    const char *between = " (";
    for (int i = 1; i <= OTHER; i++) {
        if (reasons->counts[i]) {
            fprintf(file, "%s%" PRIu64 ": %s", between, reasons->counts[i], reasons_by_code[i].text);
            between = "; ";
        }
    }
    fputs(between[0] == ';' ? ")" : "", file);
}

void wvl_cli_report_reasons(wvl_cli_report *r, const wvl_cli_reasons *reasons)
{
    wvl_cli_report_open_object(r, "reasons");
    for (int i = 1; i <= OTHER; i++) {
        if (reasons->counts[i]) {
            wvl_cli_report_number(r, reasons_by_code[i].word, reasons->counts[i]);
        }
    }
    wvl_cli_report_close(r);
}
