/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_VERIFY_OPTIONS_H
#define WVL_TOOLS_VERIFY_OPTIONS_H

#include "cli.h"
#include "wavelane_check.h"

#define WVL_CLI_VERIFY_USAGE                                                                                           \
    "wavelane verify [--profile NAME|--preset NAME] [--fps N[/D]] [--stereo] [--hfr] [--original PICTURE] "            \
    "[--raw-format ...] "                                                                                              \
    "[-TargetBitDepth BITS] [--input-color SPACE] [--palette indices] [--orient auto] [--skip-blocks] "                \
    "[--json|--csv] [--recursive] FILE|FOLDER..."
#define WVL_CLI_PROFILE_CHARS 64

/* N, N/D, or a decimal number that is meant for one of them. 0 or an exit code after a message. */
int wvl_cli_parse_rate(const char *text, wvl_check_options *options);
/* Whether any option says how an original is read or converted. */
int wvl_cli_reads_original(const wvl_cli_args *args);
/* One option of the encoder that says how the original is read or converted, or a preset; others are refused. */
int wvl_cli_take_original(int argc, char **argv, int *i, wvl_cli_args *args);
int wvl_cli_is_walker_profile(const char *name);
/* Profile and byte limits of args->preset; profile is room for the name. A preset without a profile leaves
 * options->profile NULL. */
int wvl_cli_take_preset(const wvl_cli_args *args, wvl_context *context, wvl_check_options *options,
                        char profile[WVL_CLI_PROFILE_CHARS]);
/* The picture as it was coded. The caller releases it. */
int wvl_cli_read_original(const wvl_cli_args *args, wvl_context *context, wvl_cli_picture *picture);

#endif
