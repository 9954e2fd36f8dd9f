/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a picture says of its colours to the library's conversion to X'Y'Z'. */
#ifndef WVL_TOOLS_COLOR_H
#define WVL_TOOLS_COLOR_H

#include "cli.h"

/* --input-color auto: sets what the picture's profile or header says, and refuses where they say nothing. Without auto:
 * nothing. */
int wvl_cli_fit_color(const wvl_cli_args *args, const char *name, wvl_cli_picture *picture, wvl_params *params);
/* Whether the samples that are coded are not those of the picture. */
int wvl_cli_converts_color(const wvl_cli_picture *picture, const wvl_params *params);
/* The samples that these params code, to compare with: the library converts them, codes them without loss, and OpenJPEG
 * decodes. The caller releases *converted. */
int wvl_cli_convert_picture(const char *name, wvl_context *context, const wvl_params *params,
                            const wvl_cli_picture *picture, wvl_cli_picture *converted);
/* Takes the picture's ICC profile: a matrix profile becomes tables of params, any other RGB profile converts the
 * picture. */
int wvl_cli_apply_profile(const char *name, wvl_cli_picture *picture, wvl_params *params);

#endif
