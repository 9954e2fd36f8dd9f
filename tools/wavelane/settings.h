/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_TOOLS_SETTINGS_H
#define WVL_TOOLS_SETTINGS_H

#include "cli.h"

/* Preset first, then the options in their order. */
int wvl_cli_apply_settings(const wvl_cli_args *args, wvl_params *params);
/* Refuses options of the command line that have no effect beside the others, each with what it needs. */
int wvl_cli_refuse_idle(const wvl_cli_args *args, const wvl_params *params);
/* What follows from the output's name, and from the picture. */
int wvl_cli_fix_container(const wvl_cli_args *args, const char *output, int is_jp2, wvl_params *params);
int wvl_cli_fit_transform(const wvl_cli_args *args, const char *name, const wvl_cli_picture *picture,
                          wvl_params *params);
/* Warns of a picture of a cinema profile that has none of the sizes of digital cinema. */
void wvl_cli_warn_of_container(const char *name, const wvl_cli_picture *picture, const wvl_params *params);
/* Options that set what layers aim at, ratios first. An option for a new rate target is added here. */
#define WVL_CLI_TARGETS 5
extern const char *const wvl_cli_target_keys[WVL_CLI_TARGETS];
/* 1: these settings promise every sample back. */
int wvl_cli_wants_lossless(const wvl_params *params);

#endif
