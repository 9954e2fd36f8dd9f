/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the layers of a plan ask for, before anything is coded: budgets of bytes, and the part of the bytes on the hulls
 * that an automatic layer takes. Shared by codec/rate and devices.
 */
#pragma once

#include <math.h>

#include "codec/core/bracket.h"

/* 2^-x for x >= 0 in 1/65536 octaves, by multiplications whose results are the same everywhere. */
static inline double wvl_rate_exp2_negative(uint64_t x)
{
    double v = 1.0, root = 0.5;
    for (unsigned bit = 16; bit-- > 0;) {
        root = sqrt(root);
        v = x >> bit & 1 ? v * root : v;
    }
    return ldexp(v, x >> 16 > 1000 ? -1000 : -(int)(x >> 16));
}

/* ---- Budgets --------------------------------------------------------------------------------- */

/* Bytes that a target gives the codestream. */
static inline uint64_t wvl_layer_target_bytes(const wvl_layer_target *target)
{
    return target->kind == WVL_RATE_BYTES && target->value < 1e18 ? (uint64_t)target->value : WVL_NO_BUDGET;
}

/* Most bytes up to a layer. next: the same of the layer after it, of the last one the cap of the picture, or
 * WVL_NO_BUDGET. A target, and what caps the whole codestream, must leave room for the empty packets of the layers to
 * come: an earlier layer gets less than its own target where later ones follow closely. empty_bytes: of the packets of
 * a layer that sends nothing; 0 for the last one. */
static inline uint64_t wvl_layer_find_budget(const wvl_layer_target *target, uint64_t next, uint64_t empty_bytes)
{
    uint64_t left = next > empty_bytes ? next - empty_bytes : 0;
    return wvl_min_u64(next == WVL_NO_BUDGET ? next : left, wvl_layer_target_bytes(target));
}

/* ---- Automatic layers ------------------------------------------------------------------------ */

/* The first layer that is not automatic, from this one on. */
static inline uint32_t wvl_layer_find_given(const wvl_plan *plan, uint32_t layer)
{
    while (plan->rate.layers[layer].kind == WVL_RATE_AUTO) {
        layer++;
    }
    return layer;
}

#define WVL_LAYER_SPAN (9u << 16) /* octaves that automatic layers reach below the next given one, in 1/65536 */
#define WVL_LAYER_LONGEST_STEP (1u << 16)
#define WVL_LAYER_SHORTEST_STEP (1u << 13)

/*
 * The part of the bytes of layer `given` that an automatic one before it takes: bodies halve from the given layer
 * downwards, or fall in smaller steps when there are many. With more layers than steps of an eighth of an octave the
 * last ones repeat the given layer's cut, that is, stay empty: decoders need not handle blocks that first appear in
 * layer 50000.
 */
static inline double wvl_layer_find_share(uint32_t given, uint32_t layer)
{
    uint64_t step = wvl_min_u64(wvl_max_u64(WVL_LAYER_SPAN / given, WVL_LAYER_SHORTEST_STEP), WVL_LAYER_LONGEST_STEP);
    uint64_t reach = wvl_min_u64(step * given, WVL_LAYER_SPAN), done = wvl_min_u64(step * layer, reach);
    return wvl_rate_exp2_negative(reach - done);
}

/* Bytes on the hulls that a given layer has room for; `all`: as many as there are. */
static inline double wvl_layer_find_room(const wvl_plan *plan, uint32_t given, uint64_t overhead_bytes, double all)
{
    const wvl_layer_target *target = &plan->rate.layers[given];
    double fixed = (double)overhead_bytes;
    if (target->kind == WVL_RATE_BYTES) {
        return target->value - fixed;
    }
    return plan->rate.max_bytes ? (double)plan->rate.max_bytes - fixed : all;
}
