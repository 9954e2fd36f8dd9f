/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The HT cleanup pass (15444-15 Annex C, 7.3) quad by quad. A file that includes this one first defines:
 *   static void gather(coef_bytes, above, below, width, shift, row)
 *       samples of a row of quads to v and e; below is NULL under the last row
 *   static void describe(row, quads)
 *       e to info
 * WVL_HT_DEEP: samples are wider than 32 bits, and put_samples and put_pair are its own too.
 */
#pragma once

#include "codec/core/gen/ht_tables.h"
#include "codec/ht/segment.h"

/* ---- Quads to streams ------------------------------------------------------------------------ */

#ifndef WVL_HT_DEEP
/* MagSgn of a quad: U bits of every significant sample, less the one that EMB gives (e_k). */
static inline void put_samples(wvl_ht_forward *s, const wvl_ht_row *row, uint32_t q, unsigned rho, unsigned U,
                               unsigned e_k)
{
    const uint32_t *v = &row->v[4 * q];
    for (unsigned i = 0; i < 4; i++) {
        unsigned n = (U - (e_k >> i & 1)) & (0u - (rho >> i & 1));
        wvl_ht_forward_put(s, (uint32_t)(v[i] & ((UINT64_C(1) << n) - 1)), n);
    }
}

/* The codewords of a pair: CxtVLC of both, then U-VLC of both; at most 30 bits. */
static inline void put_pair(cleanup *c, int is_first_row, uint32_t first, uint32_t second)
{
    unsigned n1 = first >> 8 & 15, n2 = second >> 8 & 15;
    uint32_t prediction = wvl_ht_uvlc[!is_first_row][(first >> 16) << 5 | second >> 16];
    uint32_t bits = (first & 0x7F) | (second & 0x7F) << n1 | (prediction & 0xFFFF) << (n1 + n2);
    wvl_ht_backward_put(&c->vlc, bits, n1 + n2 + (prediction >> 16));
}
#endif

/* Codes quad q of the row but for its U-VLC; returns the CxtVLC codeword, its bits << 8, and u << 16. predicted: kappa
 * where several samples are significant. */
static inline uint32_t code_quad(cleanup *c, const uint16_t *table, const wvl_ht_row *row, uint32_t q, unsigned context,
                                 unsigned predicted)
{
    uint32_t info = row->info[q];
    unsigned rho = info & 15, greatest = info >> 16 & 0xFF, kappa = rho & (rho - 1) ? predicted : 1;
    unsigned U = greatest > kappa ? greatest : kappa, u = U - kappa, emb = u ? info >> 24 : 0;
    if (!context) {
        wvl_ht_mel_put(&c->mel, rho != 0);
    }
    unsigned entry = table[context << 8 | rho << 4 | emb];
    put_samples(&c->magsgn, row, q, rho, U, entry >> 10);
    return (entry & 0x7F) | (entry >> 7 & 7) << 8 | u << 16;
}

static inline unsigned first_row_context(unsigned rho) { return rho >> 1 | (rho & 1); }

static inline void code_first_row(cleanup *c, const wvl_ht_row *row, uint32_t quads)
{
    unsigned left = 0;
    for (uint32_t q = 0; q < quads; q += 2) {
        uint32_t first = code_quad(c, wvl_ht_vlc[0], row, q, first_row_context(left), 1), second = 0;
        if (q + 1 < quads) {
            second = code_quad(c, wvl_ht_vlc[0], row, q + 1, first_row_context(row->info[q] & 15), 1);
            left = row->info[q + 1] & 15;
        }
        if (first >> 16 && second >> 16) {
            wvl_ht_mel_put(&c->mel, first >> 16 > 2 && second >> 16 > 2);
        }
        put_pair(c, 1, first, second);
    }
}

/* Context of a quad from what the row above says and the rho to the left. */
static inline unsigned context_of(uint32_t above, unsigned left)
{
    return (above >> 4 & 5) | (unsigned)(left > 3) << 1;
}

static inline void code_row(cleanup *c, const wvl_ht_row *row, const wvl_ht_row *before, uint32_t quads)
{
    unsigned left = 0;
    for (uint32_t q = 0; q < quads; q += 2) {
        uint32_t above = before->info[q], second = 0;
        uint32_t first = code_quad(c, wvl_ht_vlc[1], row, q, context_of(above, left), above >> 8 & 0xFF);
        if (q + 1 < quads) {
            above = before->info[q + 1];
            second = code_quad(c, wvl_ht_vlc[1], row, q + 1, context_of(above, row->info[q] & 15), above >> 8 & 0xFF);
            left = row->info[q + 1] & 15;
        }
        put_pair(c, 0, first, second);
    }
}

static inline void code_rows(cleanup *c, wvl_ht_scratch *s, const wvl_block_input *in, unsigned shift)
{
    uint32_t quads = (in->width + 1u) / 2;
    size_t pitch = (size_t)in->stride * in->coef_bytes;
    const uint8_t *samples = in->coefs;
    for (uint32_t y = 0; y < in->height; y += 2, samples += 2 * pitch) {
        wvl_ht_row *row = &s->rows[y >> 1 & 1];
        gather(in->coef_bytes, samples, y + 1 < in->height ? samples + pitch : NULL, in->width, shift, row);
        describe(row, quads);
        if (y) {
            code_row(c, row, &s->rows[~y >> 1 & 1], quads);
        } else {
            code_first_row(c, row, quads);
        }
    }
}

static uint32_t encode_cleanup(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    unsigned shift = in->frac_bits + plane;
    cleanup c;
    open_segment(&c, s, to);
    wvl_ht_backward_put(&c.vlc, 15, 4);
    code_rows(&c, s, in, shift);
    return close_segment(&c, s, to);
}
