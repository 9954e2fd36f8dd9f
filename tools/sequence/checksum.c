/* SPDX-License-Identifier: BSD-2-Clause */
#include "checksum.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_PRODUCTS __builtin_cpu_supports("pclmul")
#define LEAST_BYTES 128u /* fewer are summed by the table */
#else
#define HAS_PRODUCTS 0
#endif

#define POLYNOMIAL UINT64_C(0xC96C5795D7870F42) /* ECMA-182, least significant bit first */

/* x to the power n, modulo the polynomial. */
static uint64_t power_of_x(unsigned n)
{
    uint64_t power = UINT64_C(1) << 63;
    for (; n; n--) {
        power = power >> 1 ^ (power & 1 ? POLYNOMIAL : 0);
    }
    return power;
}

/* A product of reflected words is one x too high: so the powers are one too low. */
static void find_powers(uint64_t pair[2], unsigned bits)
{
    pair[0] = power_of_x(bits + 63);
    pair[1] = power_of_x(bits - 1);
}

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
    find_powers(checksum->far, 512);
    find_powers(checksum->near, 128);
    checksum->has_products = HAS_PRODUCTS != 0;
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

/* Of bytes behind those that have this sum, both without the final complement. */
static uint64_t sum_by_table(const wvl_sequence_checksum *checksum, uint64_t sum, const uint8_t *p, size_t bytes)
{
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
    return sum;
}

#ifdef LEAST_BYTES
#define WITH_PRODUCTS __attribute__((target("pclmul,sse2")))

WITH_PRODUCTS static inline __m128i load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

/* Moves 16 bytes to where `onto` lies. */
WITH_PRODUCTS static inline __m128i move(__m128i bytes, __m128i powers, __m128i onto)
{
    __m128i first = _mm_clmulepi64_si128(bytes, powers, 0x00), second = _mm_clmulepi64_si128(bytes, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), onto);
}

/* All but the last bytes, fewer than 64 (V. Gopal and others, Fast CRC Computation Using PCLMULQDQ, 2009): 64 at a time
 * are moved onto the next 64, at the end onto 16, which have the same sum as all. Returns how many it took. */
WITH_PRODUCTS static size_t sum_by_products(const wvl_sequence_checksum *c, uint64_t *sum, const uint8_t *p,
                                            size_t bytes)
{
    const __m128i far = load((const uint8_t *)c->far), near = load((const uint8_t *)c->near);
    uint8_t last[16];
    size_t taken = 64;
    __m128i at[4] = {load(p), load(p + 16), load(p + 32), load(p + 48)};
    at[0] = _mm_xor_si128(at[0], _mm_cvtsi64_si128((long long)*sum));
    for (; bytes - taken >= 64; taken += 64) {
        for (unsigned i = 0; i < 4; i++) {
            at[i] = move(at[i], far, load(p + taken + 16 * i));
        }
    }
    for (unsigned i = 1; i < 4; i++) {
        at[i] = move(at[i - 1], near, at[i]);
    }
    _mm_storeu_si128((__m128i *)(void *)last, at[3]);
    *sum = sum_by_table(c, 0, last, sizeof last);
    return taken;
}
#endif

uint64_t wvl_sequence_sum_bytes(const wvl_sequence_checksum *checksum, uint64_t before, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t sum = ~before;
    size_t taken = 0;
#ifdef LEAST_BYTES
    if (checksum->has_products && bytes >= LEAST_BYTES) {
        taken = sum_by_products(checksum, &sum, p, bytes);
    }
#endif
    return ~sum_by_table(checksum, sum, p + taken, bytes - taken);
}
