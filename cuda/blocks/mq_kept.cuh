/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codewords that go on in a later round (wvl_cuda_t1_kept). Rate control may ask for more passes of a block; its list
 * then has the same symbols as before, and more behind them.
 *
 * The end of a round leaves the bytes before B in memory and a tail from B on. So a codeword that goes on writes B and
 * all behind it anew.
 */
#pragma once
#include "cuda/blocks/mq_lane.cuh"

namespace wvl_mq
{

/* Says whether anything of this launch counts. */
__device__ __forceinline__ bool is_asked(const wvl_cuda_t1_job &job)
{
    return !job.asked || item<const uint32_t>(job.asked, 0);
}

/* A block of the job. */
__device__ __forceinline__ uint32_t listed(const wvl_cuda_t1_job &job, uint32_t at)
{
    return job.lists ? item<const uint32_t>(job.lists, at) : at;
}

__device__ __forceinline__ bool keeps(const wvl_cuda_t1_job &job) { return job.foresees && !job.is_styled; }

/* Says whether a block that is coded goes on where the round before stopped. */
__device__ __forceinline__ bool goes_on(const wvl_cuda_t1_job &job) { return job.round && keeps(job); }

__device__ __forceinline__ wvl_cuda_t1_kept &kept_of(const wvl_cuda_t1_job &job, const wvl_cuda_t1_state &state)
{
    return *(wvl_cuda_t1_kept *)&item<uint4>(job.scratch, state.list + WVL_CUDA_T1_CHUNK_UNITS);
}

/* After the last symbol. `b` of the lane is B; it is not among its n bytes. */
__device__ __forceinline__ void keep(wvl_cuda_t1_kept &kept, const coder &c, const list_reader &list, uint32_t symbols,
                                     uint32_t first_pass, uint32_t passes)
{
    for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
        kept.contexts[k] = c.context(k);
    }
    kept.a = c.l.a;
    kept.c = c.l.c;
    kept.ct = c.l.ct;
    kept.b = c.l.b;
    kept.n = c.l.n();
    kept.last = c.l.last;
    kept.unit = list.unit;
    kept.symbols = symbols;
    kept.passes = passes;
    kept.first_pass = first_pass;
}

__device__ __forceinline__ void restore(const wvl_cuda_t1_kept &kept, coder &c)
{
    for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
        c.context(k) = kept.contexts[k];
    }
    c.l.a = kept.a;
    c.l.c = kept.c;
    c.l.ct = kept.ct;
    c.l.b = kept.b;
    c.l.at = c.l.bytes + kept.n;
    c.l.last = kept.last;
}

} // namespace wvl_mq
