/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of a picture file as a row source of the library. */
#ifndef WVL_CLI_ROW_SOURCE_H
#define WVL_CLI_ROW_SOURCE_H

#include "tools/imageio/picture_rows.h"
#include "wavelane_rows.h"

/* The source reads from `rows`, which stays with the caller until the encode has ended. Without rewind where the input
 * cannot be read again. Release with wvl_cli_release_row_source(). 0: not enough memory. */
int wvl_cli_make_row_source(wvl_io_rows *rows, wvl_row_source *source);
void wvl_cli_release_row_source(wvl_row_source *source);

#endif
