/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that parse the command line share. Each int is 0, or an exit code after a message, unless it says. */
#ifndef WVL_TOOLS_ARGS_H
#define WVL_TOOLS_ARGS_H

#include "cli.h"

/* An empty value is no default: a script may have lost a variable. */
int wvl_cli_refuse_empty(const char *spelling, const char *value);
int wvl_cli_refuse_value(const char *spelling, const char *value, const char *expected);
/* Finds value among words, two or three of them. */
int wvl_cli_take_word(const char *spelling, const char *value, const char *const *words, int count, int *index);
/* args_reading.c: options that say how pictures are read. */
int wvl_cli_take_reading(wvl_cli_args *args, const wvl_cli_option *option, const char *spelling, const char *value);
/* 1: those of the whole line go together; else 0 after a message. */
int wvl_cli_check_reading(const wvl_cli_args *args);

#endif
