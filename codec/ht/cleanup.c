/* SPDX-License-Identifier: BSD-2-Clause */
/* The HT cleanup pass (15444-15 Annex C, 7.3). */
#include <string.h>

#include "base/intmath.h"
#include "codec/core/gen/ht_tables.h"
#include "codec/ht/block.h"
#include "codec/ht/streams.h"

/* The three streams, and what the row of quads needs from the one above. */
typedef struct cleanup {
    wvl_ht_forward magsgn;
    wvl_ht_backward vlc;
    wvl_ht_mel mel;
} cleanup;

/* ---- Samples to quads -------------------------------------------------------------------------------------------------------- */

/* Bits of 2 mu - 1, 0 for mu = 0. */
static inline unsigned exponent_of(uint32_t mu) { return mu ? 32u - (unsigned)__builtin_clz(2 * mu - 1) : 0; }

static inline void put_sample(wvl_ht_row *row, uint32_t x, unsigned lower, uint32_t mu, uint32_t negative)
{
    uint32_t quad = x >> 1, n = (x & 1) * 2 + lower;
    row->v[4 * quad + n] = 2 * (mu - 1) + negative;
    row->e[quad + 1] |= exponent_of(mu) << 8 * n;
}

static void clear_row(wvl_ht_row *row, uint32_t width) { memset(row->e, 0, ((width + 1) / 2 + 2) * sizeof *row->e); }

static void gather16(const void *above, const void *below, uint32_t width, unsigned shift, wvl_ht_row *row)
{
    const uint16_t *lines[2] = {above, below};
    clear_row(row, width);
    for (unsigned k = 0; k < (below ? 2u : 1u); k++) {
        for (uint32_t x = 0; x < width; x++) {
            put_sample(row, x, k, (lines[k][x] & 0x7FFFu) >> shift, lines[k][x] >> 15);
        }
    }
}

static void gather32(const void *above, const void *below, uint32_t width, unsigned shift, wvl_ht_row *row)
{
    const uint32_t *lines[2] = {above, below};
    clear_row(row, width);
    for (unsigned k = 0; k < (below ? 2u : 1u); k++) {
        for (uint32_t x = 0; x < width; x++) {
            put_sample(row, x, k, (lines[k][x] & 0x7FFFFFFFu) >> shift, lines[k][x] >> 31);
        }
    }
}

const wvl_ht_kernels wvl_ht_kernels_c = {gather16, gather32};

/* ---- Quads to streams -------------------------------------------------------------------------------------------------------- */

/* Which bytes of e are not 0, as four bits: no exponent exceeds 32. */
static inline unsigned significance_of(uint32_t e)
{
    uint32_t high = (e + 0x7F7F7F7Fu) & 0x80808080u;
    return (high >> 7) * 0x10204080u >> 28;
}

static inline unsigned greatest_of(uint32_t e)
{
    unsigned a = e & 0xFF, b = e >> 8 & 0xFF, c = e >> 16 & 0xFF, d = e >> 24;
    a = a > b ? a : b;
    c = c > d ? c : d;
    return a > c ? a : c;
}

static inline uint32_t low_bits(uint32_t v, unsigned n) { return (uint32_t)(v & ((UINT64_C(1) << n) - 1)); }

/* MagSgn of a quad: U bits of every significant sample, less the one that EMB tells (e_k). */
static inline void put_magnitudes(wvl_ht_forward *s, const uint32_t v[4], unsigned rho, unsigned U, unsigned e_k)
{
    unsigned n[4];
    for (unsigned i = 0; i < 4; i++) {
        n[i] = (U - (e_k >> i & 1)) & (0u - (rho >> i & 1));
    }
    if (U <= 16) {
        wvl_ht_forward_put(s, low_bits(v[0], n[0]) | low_bits(v[1], n[1]) << n[0], n[0] + n[1]);
        wvl_ht_forward_put(s, low_bits(v[2], n[2]) | low_bits(v[3], n[3]) << n[2], n[2] + n[3]);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        wvl_ht_forward_put(s, low_bits(v[i], n[i]), n[i]);
    }
}

/* Codes one quad but for its U-VLC; returns the CxtVLC codeword, its bits << 8, and u << 16. predicted: kappa where several samples are significant. */
static inline uint32_t code_quad(cleanup *c, const uint16_t *table, const uint32_t *v, uint32_t e, unsigned rho, unsigned context, unsigned predicted)
{
    unsigned kappa = rho & (rho - 1) ? predicted : 1, greatest = greatest_of(e), emb = 0;
    unsigned U = greatest > kappa ? greatest : kappa, u = U - kappa;
    if (!context) {
        wvl_ht_mel_put(&c->mel, rho != 0);
    }
    if (u) {
        uint32_t differs = e ^ greatest * 0x01010101u;
        emb = significance_of(differs) ^ 15u;
    }
    unsigned entry = table[context << 8 | rho << 4 | emb];
    if (rho) {
        put_magnitudes(&c->magsgn, v, rho, U, entry >> 10);
    }
    return (entry & 0x7F) | (entry >> 7 & 7) << 8 | u << 16;
}

/* The codewords of a pair: CxtVLC of both, then U-VLC of both; at most 30 bits. */
static inline void put_pair(cleanup *c, const uint32_t *pairs, uint32_t first, uint32_t second)
{
    unsigned n1 = first >> 8 & 15, n2 = second >> 8 & 15;
    uint32_t prediction = pairs[(first >> 16) << 5 | second >> 16];
    uint32_t bits = (first & 0x7F) | (second & 0x7F) << n1 | (prediction & 0xFFFF) << (n1 + n2);
    wvl_ht_backward_put(&c->vlc, bits, n1 + n2 + (prediction >> 16));
}

static inline unsigned first_row_context(unsigned rho) { return rho >> 1 | (rho & 1); }

static void code_first_row(cleanup *c, const wvl_ht_row *row, uint32_t quads)
{
    unsigned left = 0;
    for (uint32_t q = 0; q < quads; q += 2) {
        unsigned rho = significance_of(row->e[q + 1]), next = 0;
        uint32_t first = code_quad(c, wvl_ht_vlc[0], &row->v[4 * q], row->e[q + 1], rho, first_row_context(left), 1), second = 0;
        if (q + 1 < quads) {
            next = significance_of(row->e[q + 2]);
            second = code_quad(c, wvl_ht_vlc[0], &row->v[4 * q + 4], row->e[q + 2], next, first_row_context(rho), 1);
        }
        if (first >> 16 && second >> 16) {
            wvl_ht_mel_put(&c->mel, first >> 16 > 2 && second >> 16 > 2);
        }
        put_pair(c, wvl_ht_uvlc[0], first, second);
        left = next;
    }
}

/* Context of a quad from what stands above (exponents of three quads) and to the left (rho). */
static inline unsigned context_of(const uint32_t *above, unsigned left)
{
    unsigned first = (above[0] >> 24 | (above[1] & 0xFF00)) != 0, last = (above[1] >> 24 | (above[2] & 0xFF00)) != 0;
    return first | (unsigned)(left > 3) << 1 | last << 2;
}

/* max(1, M - 1) where M is the greatest exponent of the four samples above. */
static inline unsigned predict(const uint32_t *above)
{
    unsigned a = above[0] >> 24, b = above[1] >> 8 & 0xFF, c = above[1] >> 24, d = above[2] >> 8 & 0xFF;
    a = a > b ? a : b;
    c = c > d ? c : d;
    a = a > c ? a : c;
    return a > 2 ? a - 1 : 1;
}

static void code_row(cleanup *c, const wvl_ht_row *row, const wvl_ht_row *before, uint32_t quads)
{
    unsigned left = 0;
    for (uint32_t q = 0; q < quads; q += 2) {
        const uint32_t *above = &before->e[q];
        unsigned rho = significance_of(row->e[q + 1]), next = 0;
        uint32_t first = code_quad(c, wvl_ht_vlc[1], &row->v[4 * q], row->e[q + 1], rho, context_of(above, left), predict(above)), second = 0;
        if (q + 1 < quads) {
            next = significance_of(row->e[q + 2]);
            second = code_quad(c, wvl_ht_vlc[1], &row->v[4 * q + 4], row->e[q + 2], next, context_of(above + 1, rho), predict(above + 1));
        }
        put_pair(c, wvl_ht_uvlc[1], first, second);
        left = next;
    }
}

/* ---- The segment ------------------------------------------------------------------------------------------------------------- */

/* What a decoder reads beyond the end are 1s. */
static uint8_t *end_magsgn(wvl_ht_forward *s)
{
    wvl_ht_forward_finish(s);
    if (s->count) {
        unsigned room = 8 - s->after_ff;
        uint8_t byte = (uint8_t)((s->bits | ~UINT64_C(0) << s->count) & ((1u << room) - 1));
        if (byte != 0xFF) {
            *s->at++ = byte;
        }
    } else if (s->after_ff) {
        s->at--;
    }
    return s->at;
}

/* The last MEL byte, filled from its highest bit, and the last VLC byte, filled from its lowest, are one where they may be. The byte that
 * Scup takes half of is not shared. */
static void join(wvl_ht_mel *mel, wvl_ht_backward *vlc, const uint8_t *vlc_end)
{
    if (mel->run) {
        wvl_ht_mel_put_bit(mel, 1);
    }
    wvl_ht_backward_finish(vlc);
    unsigned mel_byte = mel->byte << mel->room, mel_mask = 0xFFu << mel->room & 0xFFu;
    unsigned vlc_byte = (unsigned)vlc->bits, vlc_mask = (1u << vlc->count) - 1, both = mel_byte | vlc_byte;
    int mel_is_open = mel->room != 8, vlc_is_open = vlc->count != 0;
    if (mel_is_open && vlc_is_open && !((mel_byte ^ vlc_byte) & mel_mask & vlc_mask) && both != 0xFF && vlc_end - vlc->at > 1) {
        *mel->at++ = (uint8_t)both;
        return;
    }
    if (mel_is_open) {
        *mel->at++ = (uint8_t)mel_byte; /* never 0xFF: the lowest bit is open */
    }
    if (vlc_is_open) {
        *--vlc->at = (uint8_t)vlc_byte;
    }
}

uint32_t wvl_ht_encode_cleanup(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    const wvl_ht_kernels *kernels = in->kernels ? in->kernels : &wvl_ht_kernels_c;
    wvl_ht_gather_fn gather = in->coef_bytes == 2 ? kernels->gather16 : kernels->gather32;
    uint8_t *vlc_end = s->vlc + sizeof s->vlc;
    uint32_t quads = (in->width + 1u) / 2;
    size_t pitch = (size_t)in->stride * in->coef_bytes;
    unsigned shift = in->frac_bits + plane;
    cleanup c;
    wvl_ht_forward_open(&c.magsgn, to);
    wvl_ht_mel_open(&c.mel, s->mel);
    wvl_ht_backward_open(&c.vlc, vlc_end);
    *--c.vlc.at = 0xFF;
    wvl_ht_backward_put(&c.vlc, 15, 4);
    const uint8_t *samples = in->coefs;
    for (uint32_t y = 0; y < in->height; y += 2, samples += 2 * pitch) {
        wvl_ht_row *row = &s->rows[y >> 1 & 1];
        gather(samples, y + 1 < in->height ? samples + pitch : NULL, in->width, shift, row);
        if (y) {
            code_row(&c, row, &s->rows[~y >> 1 & 1], quads);
        } else {
            code_first_row(&c, row, quads);
        }
    }
    uint8_t *end = end_magsgn(&c.magsgn);
    join(&c.mel, &c.vlc, vlc_end);
    size_t mel_bytes = (size_t)(c.mel.at - s->mel), vlc_bytes = (size_t)(vlc_end - c.vlc.at), suffix = mel_bytes + vlc_bytes;
    memcpy(end, s->mel, mel_bytes);
    memcpy(end + mel_bytes, c.vlc.at, vlc_bytes);
    end += suffix;
    end[-1] = (uint8_t)(suffix >> 4);
    end[-2] = (uint8_t)((end[-2] & 0xF0) | (suffix & 15));
    return (uint32_t)(end - to);
}
