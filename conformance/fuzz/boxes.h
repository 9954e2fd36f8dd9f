/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "picture.h"

#define FUZZ_PALETTE_ENTRIES 1024u

/* What a JP2 file says beyond its codestream; info points into the rest. */
typedef struct fuzz_boxes {
    wvl_jp2_info info;
    wvl_box boxes[2];
    uint16_t types[FUZZ_MAX_COMPONENTS + 2];
    uint16_t palette[FUZZ_PALETTE_ENTRIES * 3];
    uint8_t profile[256];
} fuzz_boxes;

/*
 * From the words of the key jp2: grey, srgb, sycc; icc (of as many colours as the components suggest); alpha,
 * premultiplied (the last channel); palette (component 0 has indices of three columns); res, resd; xml, uuid; unknown
 * (UnkC).
 */
void fuzz_boxes_make(const char *words, const fuzz_picture *p, fuzz_boxes *b);
