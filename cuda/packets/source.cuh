/* SPDX-License-Identifier: BSD-2-Clause */
/* Coded blocks as packets see them, from the records of the HT coder or from plain ones; and the tables of a picture.
 */
#pragma once
#include "codec/core/packet_bits.h"
#include "cuda/blocks/ht_job.h"
#include "cuda/blocks/lane.cuh"
#include "cuda/packets/packets_job.h"

namespace wvl_packets
{

typedef wvl_cuda_packets_job job_type;

/* The working memory of a picture. */
template <class T> __device__ __forceinline__ T *work_at(const job_type &job, uint32_t picture, uint64_t at)
{
    return (T *)(job.memory + picture * job.work.all_bytes + at);
}
__device__ __forceinline__ const wvl_assembly_packet &packet_of(const job_type &job, uint32_t packet)
{
    return ((const wvl_assembly_packet *)job.packets)[packet];
}
__device__ __forceinline__ const wvl_assembly_part &part_of(const job_type &job, uint32_t part)
{
    return ((const wvl_assembly_part *)job.parts)[part];
}
__device__ __forceinline__ const wvl_cuda_packets_picture &picture_of(const job_type &job, uint32_t picture)
{
    return ((const wvl_cuda_packets_picture *)job.pictures)[picture];
}
/* The record of a block in a layer. */
__device__ __forceinline__ uint64_t record_at(const job_type &job, uint32_t picture, uint32_t layer, uint32_t block)
{
    uint32_t at = job.block_places ? ((const uint32_t *)job.block_places)[block] : block;
    return ((uint64_t)picture * job.layer_count + layer) * job.block_count + at;
}

/* What a block sends in a layer. flags: of its record (wvl_cuda_packets_block). */
struct sent_block {
    uint32_t segment_count, passes, bytes, zero_planes, flags, segment[2];
    const uint32_t *more;
};

__device__ __forceinline__ uint32_t segment_of(const sent_block &b, uint32_t i)
{
    return i < 2 ? b.segment[i] : b.more[i - 2];
}

/* All passes of the block. Those that a set does not have (codec/ht/ht.c) are not sent. */
__device__ __forceinline__ sent_block load_ht_block(const job_type &job, uint64_t at, uint32_t planes)
{
    const wvl_cuda_ht_record &r = ((const wvl_cuda_ht_record *)job.ht_records)[at];
    uint32_t flags = r.flags & WVL_CUDA_HT_LEFT ? (uint32_t)WVL_CUDA_PACKETS_LEFT : 0;
    sent_block b = {0, 0, 0, planes, flags, {0, 0}, nullptr};
    if (r.cleanup_bytes) {
        b.passes = 1u + r.has_sigprop + r.has_magref;
        b.segment_count = b.passes > 1 ? 2 : 1;
        b.bytes = r.bytes;
        b.zero_planes = planes - r.planes;
        b.segment[0] = 1u << 24 | r.cleanup_bytes;
        b.segment[1] = (b.passes - 1) << 24 | (r.bytes - r.cleanup_bytes);
    }
    return b;
}

/* planes: Mb of the band. */
__device__ __forceinline__ sent_block load_block(const job_type &job, uint64_t at, uint32_t planes)
{
    if (!job.blocks) {
        return load_ht_block(job, at, planes);
    }
    const wvl_cuda_packets_block &r = ((const wvl_cuda_packets_block *)job.blocks)[at];
    return {r.segment_count,         r.passes, r.segment_count ? r.byte_count : 0,
            r.zero_planes,           r.flags,  {r.segment[0], r.segment[1]},
            (const uint32_t *)r.more};
}

/* Addresses and lengths of the pieces of a block, in order. The HT coder leaves MagSgn, MEL and VLC, then SigProp and
 * MagRef. */
struct block_pieces {
    uint64_t source[WVL_CUDA_PACKETS_HT_PIECES];
    uint32_t bytes[WVL_CUDA_PACKETS_HT_PIECES];
};

__device__ __forceinline__ block_pieces find_part(const job_type &job, const wvl_cuda_ht_part &part)
{
    uint64_t first = job.ht_scratch + (uint64_t)part.piece * 16,
             second = job.ht_scratch + (uint64_t)part.refinement * 16;
    return {
        {first, first + part.mel_at, first + part.vlc_end - part.vlc, second, second + part.magref_end - part.magref},
        {part.magsgn, part.mel, part.vlc, part.sigprop, part.magref}};
}

/* Finds where rate control has cut a set: after its cleanup pass, after SigProp, or not at all. */
__device__ __forceinline__ block_pieces find_cut_part(const job_type &job, const wvl_cuda_packets_block &sent)
{
    block_pieces p = find_part(job, *(const wvl_cuda_ht_part *)sent.bytes);
    if (sent.passes < 3) { /* a byte at the end of SigProp is not the one that MagRef shares */
        p.bytes[3] = sent.segment[1] & 0xFFFFFF;
        p.bytes[4] = 0;
    }
    return p;
}

__device__ __forceinline__ block_pieces find_pieces(const job_type &job, uint64_t at)
{
    block_pieces p = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    if (job.blocks && job.pieces > 1) {
        const wvl_cuda_packets_block &r = ((const wvl_cuda_packets_block *)job.blocks)[at];
        return r.segment_count ? find_cut_part(job, r) : p;
    }
    if (job.blocks) {
        const wvl_cuda_packets_block &r = ((const wvl_cuda_packets_block *)job.blocks)[at];
        p.source[0] = r.bytes;
        p.bytes[0] = r.segment_count ? r.byte_count : 0;
        return p;
    }
    if (!((const wvl_cuda_ht_record *)job.ht_records)[at].cleanup_bytes) {
        return p;
    }
    return find_part(job, ((const wvl_cuda_ht_part *)job.ht_parts)[at]);
}

/* Bytes of a packet's length in PLT: 7 bits each. */
__device__ __forceinline__ uint32_t count_plt(uint32_t length)
{
    return 1u + (length >= 1u << 7) + (length >= 1u << 14) + (length >= 1u << 21) + (length >= 1u << 28);
}

/* Sum over the lanes up to this one. */
__device__ __forceinline__ uint64_t scan_wide(uint64_t v)
{
#pragma unroll
    for (uint32_t d = 1; d < 32; d <<= 1) {
        uint32_t low = __shfl_up_sync(~0u, (uint32_t)v, d), high = __shfl_up_sync(~0u, (uint32_t)(v >> 32), d);
        v += wvl_ht::lane_id() >= d ? (uint64_t)high << 32 | low : 0;
    }
    return v;
}

__device__ __forceinline__ uint64_t fetch_wide(uint64_t v, uint32_t lane)
{
    uint32_t low = __shfl_sync(~0u, (uint32_t)v, lane), high = __shfl_sync(~0u, (uint32_t)(v >> 32), lane);
    return (uint64_t)high << 32 | low;
}

/* Sum over a thread block up to this thread; *all: over all. sums: two words a warp. */
__device__ __forceinline__ uint64_t scan_block(uint64_t own, uint32_t *sums, uint64_t *all)
{
    uint32_t lane = wvl_ht::lane_id(), warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    uint64_t sum = scan_wide(own);
    if (lane == 31) {
        sums[2 * warp] = (uint32_t)sum;
        sums[2 * warp + 1] = (uint32_t)(sum >> 32);
    }
    __syncthreads();
    uint64_t before = scan_wide(lane < warps ? (uint64_t)sums[2 * lane + 1] << 32 | sums[2 * lane] : 0);
    *all = fetch_wide(before, 31);
    before = fetch_wide(before, warp ? warp - 1 : 0);
    __syncthreads();
    return (warp ? before : 0) + sum;
}

/* Threads that code the head of a packet together: a thread block, or a warp of it. sums: as of scan_block(). */
struct block_team {
    static __device__ __forceinline__ uint32_t rank() { return threadIdx.x; }
    static __device__ __forceinline__ uint32_t size() { return blockDim.x; }
    static __device__ __forceinline__ void meet() { __syncthreads(); }
    static __device__ __forceinline__ uint64_t scan(uint64_t own, uint32_t *sums, uint64_t *all)
    {
        return scan_block(own, sums, all);
    }
};
struct warp_team {
    static __device__ __forceinline__ uint32_t rank() { return wvl_ht::lane_id(); }
    static __device__ __forceinline__ uint32_t size() { return 32; }
    static __device__ __forceinline__ void meet() { __syncwarp(); }
    static __device__ __forceinline__ uint64_t scan(uint64_t own, uint32_t *, uint64_t *all)
    {
        __syncwarp(); /* what was stored before is seen behind, as with a thread block */
        uint64_t sum = scan_wide(own);
        *all = fetch_wide(sum, 31);
        return sum;
    }
};

} // namespace wvl_packets
