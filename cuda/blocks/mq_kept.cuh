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

/* What the round at hand has coded: up to the last pass of the state. */
__device__ __forceinline__ void keep_range(wvl_cuda_t1_kept &kept, const wvl_cuda_t1_job &job,
                                           const wvl_cuda_t1_state &state)
{
    kept.first_pass = job.round ? kept.passes : 0;
    kept.symbols = state.symbols;
    kept.passes = state.passes;
}

/* After the last symbol. A, C, CT and B stand there as the standard has them, words of contexts as the kernel has
 * them: later rounds of a picture run the same one. */
template <typename LANE> __device__ __forceinline__ void keep_lane(wvl_cuda_t1_kept &kept, const LANE &l)
{
    const wvl_mq_registers r = l.registers();
    kept.a = r.a;
    kept.c = r.c;
    kept.ct = r.ct;
    kept.b = r.b;
    kept.n = l.n;
    kept.last = l.last;
}
template <typename LANE> __device__ __forceinline__ void restore_lane(const wvl_cuda_t1_kept &kept, LANE &l)
{
    l.set({kept.a, kept.c, kept.ct, kept.b});
    l.n = kept.n;
    l.last = kept.last;
}

__device__ __forceinline__ void keep_contexts(wvl_cuda_t1_kept &kept, const contexts &c)
{
    for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
        kept.contexts[k] = c.context(k);
    }
}
__device__ __forceinline__ void restore_contexts(const wvl_cuda_t1_kept &kept, const contexts &c)
{
    for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
        c.context(k) = kept.contexts[k];
    }
}

} // namespace wvl_mq
