/* SPDX-License-Identifier: BSD-2-Clause */
/* EBCOT blocks as packets see them: passes of each, segment by segment. */
#pragma once
#include "codec/core/t1_pass.h"
#include "cuda/blocks/t1_job.h"
#include "cuda/packets/source.cuh"

namespace wvl_packets
{

/* Passes of a block, and bytes up to their end. */
struct t1_end {
    uint32_t passes, bytes;
};

/* The segments of the passes from one end to another (B.10.7). end_of(pass): bytes of the block up to the end of a pass
 * that ends a segment. `to` may be the list of ends itself: a segment ends with a pass that is not before it in the
 * list. Returns how many there are. */
template <class ENDS>
__device__ __forceinline__ uint32_t list_t1_segments(uint32_t style, t1_end from, uint32_t passes, uint32_t bytes,
                                                     const ENDS &ends, uint32_t *to)
{
    uint32_t count = 0, first = from.passes, before = from.bytes;
    for (uint32_t pass = first; pass < passes; pass++) {
        bool is_last = pass + 1 == passes;
        if (is_last || wvl_t1_pass_is_end(pass, style)) {
            uint32_t end = is_last ? bytes : ends.at(pass);
            to[count++] = (pass + 1 - first) << 24 | (end - before);
            first = pass + 1;
            before = end;
        }
    }
    return count;
}

/* A block that sends nothing: the tag tree holds its planes all the same. */
__device__ __forceinline__ wvl_cuda_packets_block send_nothing(const wvl_cuda_t1_block &b, const wvl_cuda_t1_record &r)
{
    wvl_cuda_packets_block sent = {};
    bool is_left = r.flags & WVL_CUDA_T1_LEFT;
    sent.zero_planes = is_left ? 0 : (uint8_t)(b.planes - r.planes);
    sent.flags = is_left ? (uint8_t)WVL_CUDA_PACKETS_LEFT : 0;
    return sent;
}

/* The segments are listed; the first two stand at `list`. */
__device__ __forceinline__ wvl_cuda_packets_block send_passes(const wvl_cuda_t1_block &b, const wvl_cuda_t1_record &r,
                                                              uint64_t scratch, uint32_t passes, uint32_t bytes,
                                                              const uint32_t *list, uint32_t count)
{
    wvl_cuda_packets_block sent = {};
    sent.bytes = scratch + (uint64_t)r.codeword * 16 + 1;
    sent.more = (uint64_t)(uintptr_t)(list + 2);
    sent.segment[0] = list[0];
    sent.segment[1] = count > 1 ? list[1] : 0;
    sent.byte_count = bytes;
    sent.segment_count = (uint8_t)count;
    sent.passes = (uint8_t)passes;
    sent.zero_planes = (uint8_t)(b.planes - r.planes);
    return sent;
}

} // namespace wvl_packets
