/* SPDX-License-Identifier: BSD-2-Clause */
/* One block by a block coder, which takes streams of them. */
#pragma once

#include "codec/core/t1_bound.h"
#include "codec/ht/ht.h"
#include "codec/t1/fast.h"
#include "cuda/blocks/ht_job.h"
#include "cuda/blocks/t1_job.h"

typedef struct wvl_t1_scratch wvl_t1_scratch; /* aligned to 64; contents irrelevant between calls */

/* The block of a job on a device, as the CPU's coder takes it. */
static inline wvl_block_input describe_ht_block(const wvl_cuda_ht_block *b, const void *coefs, uint32_t bound)
{
    return (wvl_block_input){.coefs = coefs,
                             .stride = b->stride,
                             .width = b->width,
                             .height = b->height,
                             .coef_bytes = b->coef_bytes,
                             .frac_bits = b->frac_bits,
                             .style = b->style,
                             .max_passes = b->max_passes,
                             .cleanup_plane = b->cleanup_plane,
                             .set_passes = b->set_passes,
                             .reversible = b->reversible,
                             .bound = bound,
                             .kernels = wvl_ht_block_coder.fetch_kernels()};
}

static inline wvl_block_input describe_t1_block(const wvl_cuda_t1_block *b, const void *coefs, uint32_t bound)
{
    return (wvl_block_input){.coefs = coefs,
                             .stride = b->stride,
                             .width = b->width,
                             .height = b->height,
                             .coef_bytes = b->coef_bytes,
                             .frac_bits = b->frac_bits,
                             .orient = b->orient,
                             .style = b->style,
                             .max_passes = b->max_passes,
                             .reversible = b->reversible,
                             .bound = bound};
}

typedef struct one_block {
    const wvl_block_input *in; /* NULL: it was taken */
    wvl_block_output *out, *seat;
} one_block;

static inline int one_block_fetch(void *user, unsigned seat, wvl_block_input *in, wvl_block_output *out)
{
    one_block *one = user;
    (void)seat;
    if (!one->in) {
        return 0;
    }
    *in = *one->in;
    *out = *one->out;
    one->in = NULL;
    one->seat = out;
    return 1;
}

static inline int one_block_put(void *user, unsigned seat)
{
    one_block *one = user;
    (void)seat;
    *one->out = *one->seat;
    return 1;
}

/* Of any block. */
static inline size_t wvl_t1_scratch_bytes(void)
{
    return wvl_t1_block_coder.scratch_bytes(8 * WVL_T1_MAX_UNITS, 4, WVL_T1_MAX_PLANES);
}

static inline void wvl_t1_encode_block(wvl_t1_scratch *scratch, const wvl_t1_input *in, wvl_t1_output *out)
{
    one_block one = {in, out, NULL};
    wvl_block_feed feed = {&one, one_block_fetch, one_block_put, wvl_t1_scratch_bytes()};
    wvl_t1_block_coder.encode_stream(scratch, in->kernels, &feed);
}

static inline void wvl_ht_encode_block(void *scratch, const wvl_block_input *in, wvl_block_output *out)
{
    one_block one = {in, out, NULL};
    wvl_block_feed feed = {&one, one_block_fetch, one_block_put, 0};
    wvl_ht_block_coder.encode_stream(scratch, in->kernels, &feed);
}
