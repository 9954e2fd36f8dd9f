/* SPDX-License-Identifier: BSD-2-Clause */
/* The cleanup pass on samples of 64 bits, of which 37 may be magnitude: depths of 29 to 32 bits. They are rare: plain
 * C. */
#include "codec/ht/describe.h"
#include "codec/ht/segment.h"
#include "geom/handover.h"

#define WVL_HT_DEEP

/* Bits of 2 mu - 1, 0 for mu = 0. */
static inline unsigned exponent_of(uint64_t mu) { return mu ? 64u - (unsigned)__builtin_clzll(2 * mu - 1) : 0; }

static void gather(unsigned coef_bytes, const void *above, const void *below, uint32_t width, unsigned shift,
                   wvl_ht_row *row)
{
    const uint64_t *lines[2] = {above, below};
    (void)coef_bytes; /* 8 */
    clear_row(row, width);
    for (unsigned k = 0; k < (below ? 2u : 1u); k++) {
        for (uint32_t x = 0; x < width; x++) {
            uint64_t sample = lines[k][x], mu = (sample & ~WVL_COEF_SIGN64) >> shift;
            uint64_t v = 2 * (mu - 1) + (sample >> 63);
            uint32_t n = (x & 1) * 2 + k;
            row->v[2 * (x & ~1u) + n] = (uint32_t)v;
            row->high[2 * (x & ~1u) + n] = (uint32_t)(v >> 32);
            row->e[x / 2 + 1] |= exponent_of(mu) << 8 * n;
        }
    }
}

static inline void put_samples(wvl_ht_forward *s, const wvl_ht_row *row, uint32_t q, unsigned rho, unsigned U,
                               unsigned e_k)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = (U - (e_k >> i & 1)) & (0u - (rho >> i & 1)), low = n < 32 ? n : 32;
        uint64_t v = (row->v[4 * q + i] | (uint64_t)row->high[4 * q + i] << 32) & ((UINT64_C(1) << n) - 1);
        wvl_ht_forward_put(s, (uint32_t)v, low);
        wvl_ht_forward_put(s, (uint32_t)(v >> 32), n - low);
    }
}

typedef struct residual {
    uint32_t prefix, suffix, extension, prefix_bits, suffix_bits, extension_bits;
} residual;

/* The U-VLC code of u (15444-15 7.3.6): suffixes of 28 and more have four bits behind them, each worth four times as
 * much. */
static residual residual_of(uint32_t u)
{
    if (u < 5) {
        residual few = {.prefix = u < 3 ? u : 4, .prefix_bits = u < 3 ? u : 3};
        few.suffix = u < 3 ? 0 : u - 3;
        few.suffix_bits = u > 2;
        return few;
    }
    residual many = {.prefix_bits = 3, .suffix = u - 5, .suffix_bits = 5};
    if (many.suffix > 27) {
        many.extension = (u - 33) / 4;
        many.extension_bits = 4;
        many.suffix = 28 + (u - 33) % 4;
    }
    return many;
}

/* CxtVLC of both quads of a pair, then U-VLC of both: at most 14 and 24 bits. */
static inline void put_pair(cleanup *c, int is_first_row, uint32_t first, uint32_t second)
{
    unsigned n1 = first >> 8 & 15, n2 = second >> 8 & 15, u1 = first >> 16, u2 = second >> 16,
             less = is_first_row && u1 > 2 && u2 > 2 ? 2 : 0;
    residual a = residual_of(u1 - less), b = residual_of(u2 - less);
    if (is_first_row && u1 > 2 && (u2 == 1 || u2 == 2)) { /* MEL says that not both exceed 2 */
        b = (residual){.prefix = u2 - 1, .prefix_bits = 1};
    }
    wvl_ht_backward_put(&c->vlc, (first & 0x7F) | (second & 0x7F) << n1, n1 + n2);
    wvl_ht_backward_put(&c->vlc, a.prefix | b.prefix << a.prefix_bits, a.prefix_bits + b.prefix_bits);
    wvl_ht_backward_put(&c->vlc, a.suffix | b.suffix << a.suffix_bits, a.suffix_bits + b.suffix_bits);
    wvl_ht_backward_put(&c->vlc, a.extension | b.extension << a.extension_bits, a.extension_bits + b.extension_bits);
}

#include "codec/ht/cleanup_code.h"

uint32_t wvl_ht_encode_deep(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    wvl_ht_deep_scratch *deep = (wvl_ht_deep_scratch *)(void *)s;
    for (unsigned i = 0; i < 2; i++) {
        deep->usual.rows[i].high = deep->high[i];
    }
    return encode_cleanup(s, in, plane, to);
}
