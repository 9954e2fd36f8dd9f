/* SPDX-License-Identifier: BSD-2-Clause */
/* An independent judge: OpenJPEG decodes from memory. */
#pragma once

#include "tests/decode/picture.h"

typedef struct decode_options {
    unsigned layers;  /* quality layers to decode; 0: all */
    unsigned discard; /* the highest resolutions to leave out */
    int keep_indices; /* JP2: neither palette nor channel definitions are applied */
} decode_options;

typedef struct decode_info {
    int color_space; /* OPJ_COLOR_SPACE */
    uint8_t *icc;    /* of a JP2 with METH 2; release with free */
    size_t icc_bytes;
    unsigned alpha[16]; /* of the first components */
} decode_info;

/* 1: decoded without an error or a warning. 0: text says what the decoder complained of; *p is empty. info may be NULL.
 */
int decode_picture(const uint8_t *data, size_t bytes, const decode_options *options, picture *p, decode_info *info,
                   char *text, size_t text_bytes);
