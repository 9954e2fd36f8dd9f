/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-64/XZ (the polynomial of ECMA-182, reflected): the checksum of a frame in the journal of a sequence. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct wvl_sequence_checksum {
    uint64_t table[8][256]; /* [k][b]: byte b, followed by k bytes of zero */
    /* Powers of x modulo the polynomial, reflected: they move 8 bytes over 64 and over 16. Of each, the first for the
     * 8 bytes that come first. */
    uint64_t far[2], near[2];
    int has_products; /* the processor multiplies without carries */
} wvl_sequence_checksum;

void wvl_sequence_init_checksum(wvl_sequence_checksum *checksum);
/* before: 0, or the sum of the bytes that stand before these. */
uint64_t wvl_sequence_sum_bytes(const wvl_sequence_checksum *checksum, uint64_t before, const void *data, size_t bytes);
