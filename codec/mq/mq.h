/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ encoder (15444-1 Annex C) and the raw bit packer of the lazy mode (D.6). Neither allocates nor fails. */
#pragma once

#include <stddef.h>

#include "codec/core/mq_table.h"
#include "codec/core/segment_end.h"

/*
 * bp points at the pending byte B in the output. At the start of a segment it points one before the segment, at a byte
 * that must exist, must not be 0xFF and keeps its value: nothing carries out of a segment.
 */
typedef struct wvl_mq {
    uint32_t a;
    uint32_t c;
    uint32_t ct;
    uint8_t *bp;
    uint8_t *start;
    uint8_t state[WVL_T1_CTX_COUNT]; /* 2 * row + MPS */
} wvl_mq;

typedef struct wvl_mq_transition {
    uint16_t qe;
    uint8_t after_mps; /* state after an MPS that renormalises */
    uint8_t after_lps;
} wvl_mq_transition;

extern const wvl_mq_transition wvl_mq_transitions[WVL_MQ_STATE_COUNT];

void wvl_mq_init_contexts(wvl_mq *mq);
void wvl_mq_init_segment(wvl_mq *mq, uint8_t *start);

/* The coder as the standard draws it, one decision at a time. */
void wvl_mq_encode_bit(wvl_mq *mq, unsigned ctx, unsigned bit);

/* The same for a list of symbols, each 2 * context + bit. */
void wvl_mq_encode_symbols(wvl_mq *mq, const uint8_t *symbols, size_t count);

/*
 * `symbol_count` symbols of each of `count` codewords, coded in turns. Up to WVL_MQ_READ_AHEAD bytes beyond the lists
 * are read, and have no effect. The C form works on two codewords at a time. The AVX2 form may have given a carry to B
 * that C would still hold: the same code, and the same ends (core/mq_length.h).
 */
#define WVL_MQ_MAX_LANES 16
#define WVL_MQ_READ_AHEAD 16
void wvl_mq_encode_lanes_c(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count);
void wvl_mq_encode_lanes_avx2(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count);
void wvl_mq_encode_lanes_avx512(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count,
                                size_t symbol_count);

/* How the segment can end now. floor_bytes: as wvl_mq_end_segment() takes it. */
wvl_segment_end wvl_mq_fetch_end(const wvl_mq *mq, int predictable, uint32_t floor_bytes);

typedef struct wvl_raw {
    uint8_t *bp; /* where the byte being filled will be stored */
    uint8_t *start;
    uint32_t byte;
    uint32_t free_bits; /* in `byte`; 7 at first after a 0xFF */
    uint32_t full_bits;
} wvl_raw;

void wvl_raw_init_segment(wvl_raw *raw, uint8_t *start);
void wvl_raw_encode_bit(wvl_raw *raw, unsigned bit);
/* Bit 0 of each symbol. */
void wvl_raw_encode_symbols(wvl_raw *raw, const uint8_t *symbols, size_t count);
wvl_segment_end wvl_raw_fetch_end(const wvl_raw *raw, int predictable, uint32_t floor_bytes);
