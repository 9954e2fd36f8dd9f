/* SPDX-License-Identifier: BSD-2-Clause */
/* Foreign decoders. */
#ifndef WVL_FUZZ_DECODER_H
#define WVL_FUZZ_DECODER_H

#include "picture.h"

/* OpenJPEG, linked. layers: decode only so many, 0: all. 1: decoded without an error or a warning. 0: text tells the complaint. */
int fuzz_openjpeg_decode(const uint8_t *data, size_t bytes, unsigned layers, fuzz_picture *p, char *text, size_t text_bytes);

/* Grok as a program. 1: decoded; 0: it complained or wrote nothing; -1: there is no such program. */
int fuzz_grok_decode(const uint8_t *data, size_t bytes, uint32_t component_count, fuzz_picture *p, char *text, size_t text_bytes);

#endif
