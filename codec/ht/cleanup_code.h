/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT cleanup pass (15444-15 Annex C, 7.3), compiled once for every level of processors. Who includes it defines before:
 *   static void gather16(above, below, width, shift, row), gather32: samples of a row of quads (below NULL under the last row) to v and e;
 *   static void describe(row, quads): e to info.
 */
#ifndef WVL_HT_CLEANUP_CODE_H
#define WVL_HT_CLEANUP_CODE_H

#include <string.h>

#include "codec/core/gen/ht_tables.h"
#include "codec/ht/block.h"
#include "codec/ht/streams.h"
#ifdef __BMI2__
#include <immintrin.h>
#endif

/* The three streams, and what the row of quads needs from the one above. */
typedef struct cleanup {
    wvl_ht_forward magsgn;
    wvl_ht_backward vlc;
    wvl_ht_mel mel;
} cleanup;

/* ---- Quads to streams -------------------------------------------------------------------------------------------------------- */

#define LANES UINT64_C(0x0001000100010001) /* four samples in a word */

/* MagSgn of a quad whose U is at most 16: U bits of every significant sample, less the one that EMB tells (e_k). */
static inline void put_narrow(wvl_ht_forward *s, const uint16_t v[4], unsigned rho, unsigned U, unsigned e_k)
{
#ifdef __BMI2__
    uint64_t lanes;
    memcpy(&lanes, v, sizeof lanes);
    uint64_t members = _pdep_u64(rho, LANES) * 0xFFFF, told = _pdep_u64(e_k, LANES) << (U - 1);
    uint64_t mask = LANES * ((1u << U) - 1) & ~told & members, bits = _pext_u64(lanes, mask);
    unsigned n = (unsigned)__builtin_popcountll(mask);
    wvl_ht_forward_put(s, (uint32_t)bits, n < 32 ? n : 32);
    if (n > 32) {
        wvl_ht_forward_put(s, (uint32_t)(bits >> 32), n - 32);
    }
#else
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = (U - (e_k >> i & 1)) & (0u - (rho >> i & 1));
        wvl_ht_forward_put(s, v[i] & ((1u << n) - 1), n);
    }
#endif
}

static inline void put_wide(wvl_ht_forward *s, const uint32_t v[4], unsigned rho, unsigned U, unsigned e_k)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = (U - (e_k >> i & 1)) & (0u - (rho >> i & 1));
        wvl_ht_forward_put(s, (uint32_t)(v[i] & ((UINT64_C(1) << n) - 1)), n);
    }
}

/* Codes quad q of the row but for its U-VLC; returns the CxtVLC codeword, its bits << 8, and u << 16. predicted: kappa where several samples are
 * significant. */
static inline uint32_t code_quad(cleanup *c, const uint16_t *table, const wvl_ht_row *row, uint32_t q, unsigned context, unsigned predicted, int is_narrow)
{
    uint32_t info = row->info[q];
    unsigned rho = info & 15, greatest = info >> 16 & 0xFF, kappa = rho & (rho - 1) ? predicted : 1;
    unsigned U = greatest > kappa ? greatest : kappa, u = U - kappa, emb = u ? info >> 24 : 0;
    if (!context) {
        wvl_ht_mel_put(&c->mel, rho != 0);
    }
    unsigned entry = table[context << 8 | rho << 4 | emb];
    if (is_narrow) {
        put_narrow(&c->magsgn, &row->v.narrow[4 * q], rho, U, entry >> 10);
    } else {
        put_wide(&c->magsgn, &row->v.wide[4 * q], rho, U, entry >> 10);
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

static inline void code_first_row(cleanup *c, const wvl_ht_row *row, uint32_t quads, int is_narrow)
{
    unsigned left = 0;
    for (uint32_t q = 0; q < quads; q += 2) {
        uint32_t first = code_quad(c, wvl_ht_vlc[0], row, q, first_row_context(left), 1, is_narrow), second = 0;
        if (q + 1 < quads) {
            second = code_quad(c, wvl_ht_vlc[0], row, q + 1, first_row_context(row->info[q] & 15), 1, is_narrow);
            left = row->info[q + 1] & 15;
        }
        if (first >> 16 && second >> 16) {
            wvl_ht_mel_put(&c->mel, first >> 16 > 2 && second >> 16 > 2);
        }
        put_pair(c, wvl_ht_uvlc[0], first, second);
    }
}

/* Context of a quad from what the row above says and the rho to the left. */
static inline unsigned context_of(uint32_t above, unsigned left) { return (above >> 4 & 5) | (unsigned)(left > 3) << 1; }

static inline void code_row(cleanup *c, const wvl_ht_row *row, const wvl_ht_row *before, uint32_t quads, int is_narrow)
{
    unsigned left = 0;
    for (uint32_t q = 0; q < quads; q += 2) {
        uint32_t above = before->info[q], second = 0;
        uint32_t first = code_quad(c, wvl_ht_vlc[1], row, q, context_of(above, left), above >> 8 & 0xFF, is_narrow);
        if (q + 1 < quads) {
            above = before->info[q + 1];
            second = code_quad(c, wvl_ht_vlc[1], row, q + 1, context_of(above, row->info[q] & 15), above >> 8 & 0xFF, is_narrow);
            left = row->info[q + 1] & 15;
        }
        put_pair(c, wvl_ht_uvlc[1], first, second);
    }
}

static inline void code_rows(cleanup *c, wvl_ht_scratch *s, const wvl_block_input *in, unsigned shift, int is_narrow)
{
    uint32_t quads = (in->width + 1u) / 2;
    size_t pitch = (size_t)in->stride * in->coef_bytes;
    const uint8_t *samples = in->coefs;
    for (uint32_t y = 0; y < in->height; y += 2, samples += 2 * pitch) {
        wvl_ht_row *row = &s->rows[y >> 1 & 1];
        (is_narrow ? gather16 : gather32)(samples, y + 1 < in->height ? samples + pitch : NULL, in->width, shift, row);
        describe(row, quads);
        if (y) {
            code_row(c, row, &s->rows[~y >> 1 & 1], quads, is_narrow);
        } else {
            code_first_row(c, row, quads, is_narrow);
        }
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

static uint32_t encode_cleanup(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    uint8_t *vlc_end = s->vlc + sizeof s->vlc;
    unsigned shift = in->frac_bits + plane;
    cleanup c;
    wvl_ht_forward_open(&c.magsgn, to);
    wvl_ht_mel_open(&c.mel, s->mel);
    wvl_ht_backward_open(&c.vlc, vlc_end);
    *--c.vlc.at = 0xFF;
    wvl_ht_backward_put(&c.vlc, 15, 4);
    if (in->coef_bytes == 2) {
        code_rows(&c, s, in, shift, 1);
    } else {
        code_rows(&c, s, in, shift, 0);
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

#endif
