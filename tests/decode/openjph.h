/* SPDX-License-Identifier: BSD-2-Clause */
/* Another independent judge, of HT blocks: the program ojph_expand, where it is installed. */
#pragma once

#include "tests/decode/picture.h"

typedef enum openjph_answer {
    OPENJPH_ABSENT, /* not installed, or it has no format for such components */
    OPENJPH_DECODED,
    OPENJPH_REFUSED /* text says how it ended */
} openjph_answer;

/* data: a codestream without boxes, of pictures like `like`: one component, or three of one size and depth, unsigned
 * and of at most 16 bits. *p is to be freed when it is decoded. */
openjph_answer openjph_decode(const uint8_t *data, size_t bytes, const picture *like, picture *p, char *text,
                              size_t text_bytes);
