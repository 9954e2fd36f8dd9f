/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens at the end of a pass of a block without TERMALL, RESET, PTERM and BYPASS: the registers are kept, and
 * wvl_t1_ends makes the record of them. */
#pragma once
#include "cuda/blocks/mq_kept.cuh"

namespace wvl_mq
{

struct marks {
    uint4 *record;       /* of the pass in work */
    const uint32_t *end; /* of the pass after the next one. Ends are read ahead: nobody waits where a pass ends */
    uint32_t next_stop, left;

    /* Returns the end of `pass`, the next one; where no records are wanted that of the list. */
    __device__ __forceinline__ uint32_t open_pass(const wvl_cuda_t1_job &job, const wvl_cuda_t1_state &s, uint32_t id,
                                                  uint32_t pass)
    {
        record = nullptr;
        end = nullptr;
        next_stop = ~0u;
        left = 0;
        if (!job.passes) {
            return s.symbols;
        }
        record = &item<uint4>(job.passes, (uint64_t)id * WVL_CUDA_T1_MOST_PASSES + pass);
        end = pass_ends(job, s) + pass;
        left = s.passes - pass;
        uint32_t stop = read_end();
        left -= left ? 1 : 0;
        next_stop = read_end();
        return stop;
    }
    __device__ __forceinline__ uint32_t read_end()
    {
        uint32_t at = ~0u;
        if (left) {
            at = *end;
        }
        end++;
        return at;
    }
    /* Returns the end of the pass that follows; ~0: there is none. */
    template <typename LANE> __device__ __forceinline__ uint32_t put(const wvl_cuda_t1_job &job, const LANE &l)
    {
        if (!job.passes) {
            return ~0u;
        }
        const wvl_mq_registers r = l.registers();
        *record++ = make_uint4(r.a | r.b << 16 | r.ct << 24, r.c, l.n, 0);
        uint32_t stop = next_stop;
        left -= left ? 1 : 0;
        next_stop = read_end();
        return stop;
    }
};

} // namespace wvl_mq
