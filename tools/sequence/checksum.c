/* SPDX-License-Identifier: BSD-2-Clause */
#include "checksum.h"

#define POLYNOMIAL UINT64_C(0xC96C5795D7870F42) /* ECMA-182, least significant bit first */

void wvl_sequence_init_checksum(wvl_sequence_checksum *checksum)
{
    for (unsigned b = 0; b < 256; b++) {
        uint64_t sum = b;
        for (unsigned bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
        }
        checksum->table[0][b] = sum;
    }
    for (unsigned k = 1; k < 8; k++) {
        for (unsigned b = 0; b < 256; b++) {
            uint64_t sum = checksum->table[k - 1][b];
            checksum->table[k][b] = sum >> 8 ^ checksum->table[0][sum & 255];
        }
    }
}

/* Eight bytes at a time, read in an order that does not depend on the machine. */
static uint64_t read_word(const uint8_t *p)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) {
        word |= (uint64_t)p[i] << 8 * i;
    }
    return word;
}

uint64_t wvl_sequence_sum_bytes(const wvl_sequence_checksum *checksum, uint64_t before, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t sum = ~before;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word = sum ^ read_word(p);
        sum = 0;
        for (unsigned i = 0; i < 8; i++) {
            sum ^= checksum->table[7 - i][word >> 8 * i & 255];
        }
    }
    for (; bytes; bytes--, p++) {
        sum = sum >> 8 ^ checksum->table[0][(sum ^ *p) & 255];
    }
    return ~sum;
}
