/* SPDX-License-Identifier: BSD-2-Clause */
/* A plain EBCOT block decoder for tests, written from Annexes C and D alone: it shares no table and no code with the
 * encoder. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct mq_decoder {
    const uint8_t *bytes;
    size_t length, at;
    uint32_t a, c, ct;
    uint8_t row[19], mps[19];
} mq_decoder;

void mq_decoder_init_contexts(mq_decoder *d);
void mq_decoder_init_segment(mq_decoder *d, const uint8_t *bytes, size_t length);
unsigned mq_decoder_fetch_bit(mq_decoder *d, unsigned ctx);

typedef struct t1_segment {
    const uint8_t *bytes;
    size_t length;
    uint32_t passes;
} t1_segment;

typedef struct t1_sample {
    uint32_t magnitude; /* known bits, in units of plane 0 */
    uint8_t negative;
    uint8_t significant;
    uint8_t plane; /* lowest plane known of this sample */
} t1_sample;

typedef struct t1_block {
    uint32_t width, height, planes;
    unsigned orient, style;
    int symbols_broken; /* a segmentation symbol did not read 1010 */
} t1_block;

/* samples: width * height. */
void t1_decode_block(t1_block *block, const t1_segment *segments, size_t segment_count, t1_sample *samples);
