/* SPDX-License-Identifier: BSD-2-Clause */
/* Foreign decoders. */
#pragma once

#include "picture.h"

/* OpenJPEG, linked. layers: the number to decode, 0: all. 1: decoded without an error or a warning. 0: text tells the
 * complaint. */
int fuzz_openjpeg_decode(const uint8_t *data, size_t bytes, unsigned layers, fuzz_picture *p, char *text,
                         size_t text_bytes);

/* Grok as a program. 1: decoded; 0: it complained or wrote nothing; -1: there is no such program; FUZZ_TOO_SLOW. */
int fuzz_grok_decode(const uint8_t *data, size_t bytes, uint32_t component_count, uint32_t seconds, fuzz_picture *p,
                     char *text, size_t text_bytes);

/* OpenJPH, linked where CMake finds it; bytes: of the codestream alone, of HT blocks. 1: decoded; 0: it complained; -1:
 * it is not there. */
#ifdef WVL_HAVE_OPENJPH
int fuzz_openjph_decode(const uint8_t *data, size_t bytes, fuzz_picture *p, char *text, size_t text_bytes);
#else
static inline int fuzz_openjph_decode(const uint8_t *data, size_t bytes, fuzz_picture *p, char *text, size_t text_bytes)
{
    (void)data, (void)bytes, (void)p, (void)text, (void)text_bytes;
    return -1;
}
#endif
