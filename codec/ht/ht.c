/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/ht/ht.h"

#include <string.h>

#include "base/cpu.h"
#include "codec/ht/ht_block.h"

static size_t scratch_bytes(uint32_t width, uint32_t height, uint32_t planes)
{
    (void)width;
    (void)height;
    return planes > 31 ? sizeof(wvl_ht_deep_scratch) : sizeof(wvl_ht_scratch);
}

static const void *fetch_kernels(void)
{
#ifdef WVL_HAVE_AVX2
    if (wvl_cpu_fetch_level() == WVL_CPU_AVX512) {
        return &wvl_ht_kernels_avx512;
    }
    if (wvl_cpu_fetch_level() == WVL_CPU_AVX2) {
        return wvl_cpu_has_fast_pext() ? &wvl_ht_kernels_avx2 : &wvl_ht_kernels_avx2_slow_pext;
    }
#endif
#ifdef WVL_HAVE_NEON
    if (wvl_cpu_fetch_level() == WVL_CPU_NEON) {
        return &wvl_ht_kernels_neon;
    }
#endif
    return &wvl_ht_kernels_c;
}

/*
 * MagSgn: at most planes + 1 bits a sample (U); CxtVLC and U-VLC 15 bits a quad, 19 where U may exceed 32; MEL six a
 * quad and six a pair of the first row; refinement two a sample. Stuffing leaves at least fifteen bits in two bytes,
 * and each stream may have two bytes that are not full.
 */
static size_t bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    uint64_t samples = (uint64_t)width * height, quads = (uint64_t)((width + 1) / 2) * ((height + 1) / 2);
    uint64_t bits = samples * (planes + 3) + (planes > 31 ? 25 : 21) * quads + 6 * (((uint64_t)width + 3) / 4) + 12;
    (void)style;
    return (size_t)(2 * bits / 15 + 12);
}

static uint32_t passes_bound(uint32_t planes) { return WVL_HT_SET_PASSES * planes; }

static void add_pass(wvl_block_output *out, uint32_t start, uint32_t final_bytes, unsigned flags, int64_t gain)
{
    wvl_pass *p = &out->passes[out->pass_count++];
    memset(p, 0, sizeof *p);
    p->gain_quarters = gain;
    p->safe_bytes = start;
    p->final_bytes = final_bytes;
    p->flags = (uint8_t)(WVL_PASS_SET | flags);
}

/* A block in work. gains: of the plane below the last set. */
typedef struct job {
    wvl_ht_scratch *s;
    const wvl_block_input *in;
    const wvl_ht_kernels *kernels;
    wvl_block_output *out;
    int64_t gains[WVL_HT_PARTS];
    int64_t told; /* where sets are of the cleanup pass alone: what the last one told */
} job;

/* In the place of a pass that sets do not have: no block ends there, since it adds nothing. */
static void skip_pass(wvl_block_output *out)
{
    add_pass(out, out->passes[out->pass_count - 1].safe_bytes, out->passes[out->pass_count - 1].final_bytes, 0, 0);
}

static int wants_more(const wvl_block_input *in, const wvl_block_output *out)
{
    return out->pass_count < in->max_passes &&
           (!in->wants_more || in->wants_more(in->wants_user, out->passes, out->pass_count));
}

/* Energy, and the gain of a first cleanup pass of this plane. */
static void measure(job *j, unsigned plane)
{
    const wvl_block_input *in = j->in;
    unsigned P = in->frac_bits + plane;
    if (in->coef_bytes == 2) {
        wvl_ht_squares squares;
        j->kernels->sum_squares(in, P, &squares);
        wvl_block_set_energy(j->out, squares.m2, 0);
        j->gains[WVL_HT_REST] = wvl_ht_measure_squares(&squares, P, in->reversible && !P);
    } else {
        uint64_t low = 0, high = 0;
        for (uint32_t y = 0; y < in->height; y++) {
            for (uint32_t x = 0; x < in->width; x++) {
                unsigned negative;
                uint64_t m = wvl_ht_fetch_sample(in, x, y, &negative), square = m * m;
                low += square & UINT32_MAX;
                high += square >> 32;
            }
        }
        wvl_block_set_energy(j->out, low, high);
        j->gains[WVL_HT_REST] = wvl_ht_measure_cleanup(in, plane);
    }
}

/* Returns 0 when the block is complete. */
static int encode_set(job *j, unsigned plane)
{
    wvl_block_output *out = j->out;
    uint32_t start = out->length;
    out->length += (j->in->coef_bytes == 8 ? wvl_ht_encode_deep : j->kernels->encode_cleanup)(j->s, j->in, plane,
                                                                                              out->bytes + start);
    add_pass(out, start, out->length - start, WVL_PASS_TERM, j->gains[WVL_HT_REST]);
    if (!plane || !wants_more(j->in, out)) {
        return 0;
    }
    if (j->in->set_passes == 1) {
        /* The next cleanup pass codes all of plane - 1. */
        skip_pass(j->out);
        skip_pass(j->out);
        if (j->in->want_gains) {
            measure(j, plane - 1);
            int64_t told = j->gains[WVL_HT_REST];
            j->gains[WVL_HT_REST] -=
                j->told > INT64_MAX / 2 ? INT64_MAX : 2 * j->told; /* units are halved from plane to plane */
            j->told = told;
        }
    } else {
        /* SigProp and MagRef of plane - 1, the first alone where no more than one pass is left to code. */
        int with_magref = out->pass_count + 2u <= j->in->max_passes && j->in->set_passes != 2;
        uint32_t cleanup_bytes = out->length - start;
        wvl_ht_refinement r = j->kernels->encode_refinement(j->s, j->in, plane, with_magref, out->bytes + out->length);
        if (j->in->want_gains) {
            unsigned P = j->in->frac_bits + plane - 1;
            wvl_ht_sums sums;
            j->kernels->sum_plane(j->s, j->in, P, &sums);
            wvl_ht_measure_plane(&sums, P, j->in->reversible && !P, j->gains);
        }
        add_pass(out, start, cleanup_bytes + r.sigprop_bytes, with_magref ? 0 : WVL_PASS_TERM,
                 j->gains[WVL_HT_SIGPROP]);
        if (with_magref) {
            wvl_pass *p = &out->passes[out->pass_count - 1];
            p->tail_count = (uint8_t)(r.sigprop_bytes - r.tail_at);
            memcpy(p->tail, r.tail, p->tail_count);
            add_pass(out, start, cleanup_bytes + r.bytes, WVL_PASS_TERM, j->gains[WVL_HT_MAGREF]);
        }
        out->length += r.bytes;
        if (j->in->set_passes == 2) {
            skip_pass(out);
            j->gains[WVL_HT_REST] += j->gains[WVL_HT_MAGREF];
        }
    }
    return plane > j->in->cleanup_plane && wants_more(j->in, out);
}

static void encode_block(wvl_ht_scratch *s, const wvl_block_input *in, wvl_block_output *out)
{
    unsigned bits = wvl_bit_length(in->bound >> in->frac_bits),
             plane = in->all_sets && bits ? bits - 1 : in->cleanup_plane;
    plane = in->first_set && in->first_set <= plane ? in->first_set - 1u : plane;
    job j = {s, in, in->kernels ? in->kernels : &wvl_ht_kernels_c, out, {0}, 0};
    int is_told = bits > in->cleanup_plane && in->max_passes;
    out->length = out->pass_count = out->planes = 0;
    out->energy = 0;
    out->energy_shift = 0;
    if (in->want_gains && in->bound) { /* an empty block's samples need not be there */
        measure(&j, is_told ? plane : 0);
        j.told = j.gains[WVL_HT_REST];
    }
    if (!is_told) {
        return;
    }
    out->planes = plane + 1;
    while (encode_set(&j, plane)) {
        plane--;
    }
}

static void encode_stream(void *scratch, const void *kernels, const wvl_block_feed *feed)
{
    wvl_block_input in;
    wvl_block_output out;
    (void)kernels;
    while (feed->fetch(feed->user, 0, &in, &out)) {
        encode_block(scratch, &in, &out);
        if (!feed->put(feed->user, 0)) {
            return;
        }
    }
}

const wvl_block_coder wvl_ht_block_coder = {scratch_bytes, fetch_kernels, bytes_bound, passes_bound, encode_stream, 1};
