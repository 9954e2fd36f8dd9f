/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenJPEG behind the guard: damaged codestreams end a child process at most (D-guard-01). */
#pragma once

#include "decode.h"
#include "tools/guard/guard.h"

typedef struct wvl_opj_component {
    uint32_t width, height, dx, dy, precision;
    uint8_t is_signed;
    uint8_t has_data;
    uint8_t sample_bytes; /* 1, 2 or 4 by the precision, in host order */
    uint64_t offset;      /* of its samples, in the child's output */
} wvl_opj_component;

typedef struct wvl_opj_picture {
    uint32_t x0, y0, x1, y1, component_count;
    wvl_opj_component *components;
    opj_image_t *image; /* decoded in this process, where there can be no child */
    wvl_guard_answer answer;
} wvl_opj_picture;

typedef enum wvl_opj_result {
    WVL_OPJ_OK,
    WVL_OPJ_REFUSED,  /* OpenJPEG's own reason went to complain() */
    WVL_OPJ_FAILED,   /* damaged so that OpenJPEG does not survive it, or takes more than any good file; see reason */
    WVL_OPJ_NO_MEMORY /* memory is short; the file may be good */
} wvl_opj_result;

#define WVL_OPJ_REASON_BYTES 160

/* request: area and inspect() are not for this; on_header(), where there is one, is called behind the header.
   Release the picture after WVL_OPJ_OK. */
wvl_opj_result wvl_opj_decode_guarded(const wvl_opj_request *request, void (*on_header)(void *user),
                                      wvl_opj_picture *picture, char reason[WVL_OPJ_REASON_BYTES]);
/* The same, but never in this process: for programs of others, which link ask.c and samples.c without OpenJPEG. 0:
   there can be no child, and nothing was tried. Release the answer after WVL_OPJ_OK. */
int wvl_opj_ask_child(const wvl_opj_request *request, void (*on_header)(void *user), wvl_opj_picture *picture,
                      char reason[WVL_OPJ_REASON_BYTES], wvl_opj_result *result);
/* Rows first .. first + count - 1 of a component with data, without gaps. 0, or -1. */
int wvl_opj_read_rows(const wvl_opj_picture *picture, uint32_t component, uint32_t first, uint32_t count, void *out);
void wvl_opj_release_picture(wvl_opj_picture *picture);
void wvl_opj_release_answer(wvl_opj_picture *picture);

/* For wvl_guard_enter(). */
extern const wvl_guard_service wvl_opj_service;
