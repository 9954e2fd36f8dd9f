/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that parse command lines share. Each int is 0, or an exit code after a message, unless it says. */
#pragma once

#include "cli.h"
#include "wavelane_check.h"

/* Digits as a number of [minimum, maximum]: what stands behind them, or NULL. */
const char *wvl_cli_scan_number(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *value);
int wvl_cli_refuse_value(const char *spelling, const char *value, const char *expected);
/* Finds value among words with bars between them, in capital or small letters. */
int wvl_cli_take_word(const char *spelling, const char *value, const char *words, int *index);
/* N, N/D, or a decimal number that is meant for one of them. */
int wvl_cli_parse_rate(const char *text, wvl_check_options *options);
/* halved: of -c. */
int wvl_cli_add_setting(wvl_cli_args *args, const char *spelling, const char *key, const char *value, int halved);
/* The option argv[*index] of a command's own ones, which fills `to`, and its value; -1: it is none of them. */
int wvl_cli_parse_own(const wvl_cli_option *own, void *to, int argc, char **argv, int *index);

/* What does not go together on a command line. */
typedef struct wvl_cli_condition {
    int is_broken;
    const char *message;
} wvl_cli_condition;

int wvl_cli_check_conditions(const wvl_cli_condition *conditions, size_t count);
#define WVL_CLI_CHECK(conditions) wvl_cli_check_conditions(conditions, sizeof(conditions) / sizeof *(conditions))
/* Options that say how pictures are read. */
int wvl_cli_check_reading(const wvl_cli_args *args);
