/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder that quality is compared with: OpenJPEG, one layer of 9/7. */
#ifndef TEST_PEER_H
#define TEST_PEER_H

#include "tests/decode/picture.h"

/* ratio: of raw bits to the codestream. tile_width 0: one tile. 1: *data is to be released with free. */
int peer_encode(const picture *p, double ratio, unsigned levels, uint32_t tile_width, uint32_t tile_height,
                uint8_t **data, size_t *bytes);

#endif
