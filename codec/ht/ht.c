/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/ht/ht.h"

#include <string.h>

#include "base/cpu.h"
#include "base/intmath.h"
#include "codec/ht/block.h"

static size_t scratch_bytes(void) { return sizeof(wvl_ht_scratch); }

static const void *fetch_kernels(void) { return &wvl_ht_kernels_c; }

/*
 * MagSgn: at most planes + 1 bits a sample (U); CxtVLC and U-VLC 15 bits a quad; MEL six a quad and six a pair of the first row; refinement two a
 * sample. Stuffing leaves at least fifteen bits in two bytes, and each stream may have two bytes that are not full.
 */
static size_t bytes_bound(uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    uint64_t samples = (uint64_t)width * height, quads = (uint64_t)((width + 1) / 2) * ((height + 1) / 2);
    uint64_t bits = samples * (planes + 3) + 21 * quads + 6 * (((uint64_t)width + 3) / 4) + 12;
    (void)style;
    return (size_t)(2 * bits / 15 + 12);
}

static uint32_t passes_bound(uint32_t planes) { return planes ? WVL_HT_MAX_PASSES : 0; }

static void set_energy(const wvl_block_input *in, wvl_block_output *out)
{
    uint64_t low = 0, high = 0;
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t x = 0; x < in->width; x++) {
            unsigned negative;
            uint64_t m = wvl_ht_fetch_sample(in, x, y, &negative), square = m * m;
            low += square & UINT32_MAX;
            high += square >> 32;
        }
    }
    wvl_block_set_energy(out, low, high);
}

static wvl_pass *add_pass(wvl_ht_scratch *s, const wvl_block_input *in, wvl_block_output *out, uint32_t final_bytes)
{
    unsigned pass = out->pass_count++;
    wvl_pass *p = &out->passes[pass];
    memset(p, 0, sizeof *p);
    p->safe_bytes = p->final_bytes = final_bytes;
    p->gain_quarters = in->want_gains ? wvl_ht_measure_gain(s, in, pass) : 0;
    return p;
}

static void encode_refinement(wvl_ht_scratch *s, const wvl_block_input *in, wvl_block_output *out, uint32_t passes)
{
    uint8_t *to = out->bytes + out->length;
    wvl_ht_refinement r = wvl_ht_encode_refinement(s, in, passes > 2, to);
    wvl_pass *p = add_pass(s, in, out, out->length + r.sigprop_bytes);
    if (passes > 2) {
        p->tail_count = (uint8_t)(r.sigprop_bytes - r.tail_at);
        memcpy(p->tail, r.tail, p->tail_count);
        p = add_pass(s, in, out, out->length + r.bytes);
    }
    p->flags = WVL_PASS_TERM;
    out->length += r.bytes;
}

static void encode_block(wvl_ht_scratch *s, const wvl_block_input *in, wvl_block_output *out)
{
    unsigned plane = in->cleanup_plane;
    uint32_t passes = wvl_min_u32(in->max_passes, plane ? WVL_HT_MAX_PASSES : 1);
    out->length = out->pass_count = out->planes = 0;
    out->energy = 0;
    out->energy_shift = 0;
    if (in->want_gains) {
        set_energy(in, out);
    }
    if (!(in->bound >> in->frac_bits >> plane) || !passes) {
        return;
    }
    out->planes = plane + 1;
    out->length = wvl_ht_encode_cleanup(s, in, out->bytes);
    add_pass(s, in, out, out->length)->flags = WVL_PASS_TERM;
    if (passes > 1) {
        encode_refinement(s, in, out, passes);
    }
}

void wvl_ht_encode_block(void *scratch, const wvl_block_input *in, wvl_block_output *out) { encode_block(scratch, in, out); }

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
