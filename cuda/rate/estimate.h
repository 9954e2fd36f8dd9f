/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * About how many bytes the passes of an EBCOT block will take, before any is coded: from counts of samples alone. It
 * decides how deep blocks are coded at first, never a byte.
 *
 * A pass that codes n samples of which k are new takes about the bits of k among n, and a sign each; refinement takes a
 * bit a sample. Contexts know more than the share of new samples: hence the factors, found by counting
 * (D-device-13).
 */
#pragma once

#include "cuda/blocks/t1_job.h"

#define WVL_ESTIMATE_ONE 4096u /* a bit */
#define WVL_ESTIMATE_END 2u    /* bytes that the coder holds back at the end of a pass */

/* log2(v) in 1/4096, within 0.01; v: 1 to 4096. The mantissa by a parabola. */
WVL_HD uint32_t wvl_estimate_log2(uint32_t v)
{
    uint32_t whole = 0, part;
    while (v >> (whole + 1)) {
        whole++;
    }
    part = (v << 12 >> whole) - WVL_ESTIMATE_ONE;
    return (whole << 12) + part + (((part * (WVL_ESTIMATE_ONE - part)) >> 12) * 1409u >> 12);
}

/* n * log2(n); n: 0 to 4096. */
WVL_HD uint32_t wvl_estimate_product(uint32_t n) { return n ? n * wvl_estimate_log2(n) : 0; }

/* Bits that say which k of n samples are new, in 1/4096. */
WVL_HD uint32_t wvl_estimate_choice(uint32_t n, uint32_t k)
{
    uint32_t all = wvl_estimate_product(n), parts = wvl_estimate_product(k) + wvl_estimate_product(n - k);
    return all > parts ? all - parts : 0;
}

/* Bits of a pass of a plane, in 1/4096. kind: 0 propagation, 1 refinement, 2 cleanup; samples: of the block. */
WVL_HD uint32_t wvl_estimate_pass(const wvl_cuda_t1_plane_counts *c, uint32_t kind, uint32_t samples)
{
    uint32_t clean = samples - c->own - c->member, found = (uint32_t)c->news - c->fresh;
    if (kind == 0) {
        return wvl_estimate_choice(c->member, c->fresh) / 8 * 7 + c->fresh * (WVL_ESTIMATE_ONE / 8 * 7);
    }
    if (kind == 1) {
        return c->own * WVL_ESTIMATE_ONE;
    }
    return wvl_estimate_choice(clean, found) / 16 * 13 + found * WVL_ESTIMATE_ONE;
}

/* ---- HT sets --------------------------------------------------------------------------------- */

/* Samples that are significant in a plane, in the plane above, and in each plane above that, added up. */
typedef struct wvl_estimate_heights {
    uint32_t own, above, higher;
} wvl_estimate_heights;

/* The next plane down. */
WVL_HD void wvl_estimate_go_down(wvl_estimate_heights *h, const wvl_cuda_t1_plane_counts *c)
{
    h->higher += h->above;
    h->above = h->own;
    h->own = (uint32_t)c->own + c->news;
}

/* Bytes that the cleanup pass of a set takes at least. MagSgn has floor(log2(mu)) bits of a sample, and one if that is
 * 0: U is at least the exponent of 2 mu - 1, and at most one bit is known from CxtVLC, none where U is 1. Its last byte
 * is left out where it is 0xFF. A codeword of CxtVLC has at least 3 bits for 4 such samples in a quad, and more a
 * sample for fewer; Scup takes 12 bits, and MEL the rest of a byte. */
WVL_HD uint32_t wvl_estimate_least_cleanup(const wvl_estimate_heights *h)
{
    uint32_t magsgn = (h->own + h->higher + 7) / 8, vlc = (3 * h->own + 3) / 4;
    return magsgn - (magsgn > 0) + (vlc + 12 + 7) / 8;
}

/* The same of SigProp, and of MagRef with it: bits and signs; samples that the cleanup pass has told. They may share a
 * byte. */
WVL_HD uint32_t wvl_estimate_least_refinement(const wvl_cuda_t1_plane_counts *c, int with_magref)
{
    return ((uint32_t)c->member + c->fresh + 7) / 8 + (with_magref ? c->own / 8u : 0);
}
