/* SPDX-License-Identifier: BSD-2-Clause */
/* A plain HT block decoder for tests: it shares the rows of the VLC tables with the generator, and nothing with the
 * encoder. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct ht_sample {
    uint64_t magnitude; /* in units of the cleanup pass, or of the plane below when it was refined */
    uint8_t negative;
    uint8_t significant; /* since the cleanup pass */
    uint8_t refined;     /* known to the plane below */
} ht_sample;

typedef struct ht_block {
    uint32_t width, height;
    int is_causal;
    uint32_t passes; /* 1..3 */
} ht_block;

/* samples: width * height. NULL, or what is wrong with the segments. */
const char *ht_decode_block(const ht_block *block, const uint8_t *cleanup, size_t cleanup_bytes,
                            const uint8_t *refinement, size_t refinement_bytes, ht_sample *samples);
