/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats, and how each is read. */
#ifndef WVL_TOOLS_IMAGEIO_KINDS_H
#define WVL_TOOLS_IMAGEIO_KINDS_H

#include "internal.h"

typedef struct wvl_io_kind {
    const char *format;
    int rest;                             /* what may follow the picture */
    const wvl_io_row_format *rows;        /* or NULL, and: */
    int (*read)(wvl_io_context *context); /* reads the whole picture; NULL: known, but not read */
    const char *obstacle;                 /* why that is not done by rows */
} wvl_io_kind;

/* By content and name; NULL, with the reason in the error text. */
const wvl_io_kind *wvl_io_choose_kind(wvl_io_context *context);
/* At the end of the picture: refuses another one that begins there. */
int wvl_io_judge_rest(wvl_io_context *context, const wvl_io_kind *found);

#endif
