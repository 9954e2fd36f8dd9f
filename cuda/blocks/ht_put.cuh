/* SPDX-License-Identifier: BSD-2-Clause */
/* From what the lanes of a block gathered to its MagSgn and VLC streams and its events, in a piece of scratch memory.
 */
#pragma once
#include "cuda/blocks/ht_quad.cuh"
#include "cuda/blocks/ht_stuff.cuh"

namespace wvl_ht
{

__device__ __forceinline__ const wvl_cuda_ht_block &block_of(const wvl_cuda_ht_job &job, uint32_t id)
{
    return ((const wvl_cuda_ht_block *)job.blocks)[id];
}
__device__ __forceinline__ wvl_cuda_ht_part &part_of(const wvl_cuda_ht_job &job, uint32_t id)
{
    return ((wvl_cuda_ht_part *)job.parts)[id];
}
__device__ __forceinline__ wvl_cuda_ht_record &record_of(const wvl_cuda_ht_job &job, uint32_t id)
{
    return ((wvl_cuda_ht_record *)job.records)[id];
}

/* The counter that a class of blocks is taken by, or refinement (WVL_CUDA_HT_CLASSES). */
__device__ __forceinline__ uint32_t *next_of(const wvl_cuda_ht_job &job, uint32_t kind)
{
    return job.lists ? ((wvl_cuda_ht_lists *)job.lists)->next + kind
                     : (uint32_t *)job.counters + WVL_CUDA_HT_NEXT + kind;
}
__device__ __forceinline__ uint32_t count_of(const wvl_cuda_ht_job &job, uint32_t kind)
{
    return job.lists ? ((const wvl_cuda_ht_lists *)job.lists)->count[kind] : job.class_count[kind];
}

/* Block number `at` of the launch; false: there are no more. */
__device__ __forceinline__ bool find_block(const wvl_cuda_ht_job &job, uint32_t at, uint32_t *id)
{
    *id = at;
    if (!job.lists) {
        return at < job.block_count;
    }
    for (uint32_t kind = 0; kind < WVL_CUDA_HT_CLASSES; kind++) {
        uint32_t count = count_of(job, kind);
        if (at < count) {
            *id = ((const uint32_t *)job.order)[job.class_first[kind] + at];
            return true;
        }
        at -= count;
    }
    return false;
}

/* Lowest plane of the cleanup pass in the container. */
__device__ __forceinline__ uint32_t plane_of(const wvl_cuda_ht_block &b) { return b.frac_bits + b.cleanup_plane; }

/* Some magnitude may reach the plane of the cleanup pass. */
__device__ __forceinline__ bool is_coded(const wvl_cuda_ht_block &b)
{
    return b.max_passes && plane_of(b) < 32 && *(const uint32_t *)b.bound >> plane_of(b) != 0;
}

/* Units of 16 bytes of scratch memory, for the warp; ~0: there are no more. */
__device__ __forceinline__ uint32_t take_scratch(const wvl_cuda_ht_job &job, uint32_t bytes)
{
    uint32_t units = (bytes + 15) / 16, first = take_items((uint32_t *)job.counters + WVL_CUDA_HT_SCRATCH_UNITS, units);
    /* counts on beyond the end, up to 2^32: a launch wants less (wvl_cuda_ht_measure) */
    return first <= job.scratch_units && units <= job.scratch_units - first ? first : ~0u;
}

/* Most bytes that n bits take: two bytes hold at least 15 of them. Scup's and one that is not full are among them. */
__device__ __forceinline__ uint32_t most_bytes(uint32_t bits) { return 2 * (bits / 15) + 6; }

__device__ __forceinline__ wvl_cuda_ht_record empty_record(uint32_t flags)
{
    wvl_cuda_ht_record r = {};
    r.flags = (uint8_t)flags;
    return r;
}

__device__ __forceinline__ void put_nothing(const wvl_cuda_ht_job &job, uint32_t id, uint32_t flags)
{
    if (!lane_id()) {
        record_of(job, id) = empty_record(flags);
    }
}

/* The streams of one block as its lanes hold them: offset and total of each, in bits. */
struct block_streams {
    uint32_t length[3], offset[3], total[3]; /* MagSgn, VLC, events */
};

/* Lanes of a block are `LANES` neighbours. */
template <uint32_t LANES> __device__ __forceinline__ block_streams measure_streams(lane_streams &own)
{
    block_streams s = {{own.magsgn.finish(own.magsgn_words), own.vlc.finish(own.vlc_words), own.event_count}, {}, {}};
#pragma unroll
    for (int k = 0; k < 3; k++) {
        uint32_t sum = scan<LANES>(s.length[k]);
        s.offset[k] = sum - s.length[k];
        s.total[k] = __shfl_sync(~0u, sum, LANES - 1, LANES);
    }
    return s;
}

/* Events of the lanes side by side; the window is free. */
__device__ __forceinline__ void put_events(uint32_t *words, uint32_t *to, uint64_t events, uint32_t count,
                                           uint32_t offset, uint32_t total)
{
    uint32_t lane = lane_id();
    __syncwarp();
    for (uint32_t i = lane; i < (total + 31) / 32 + 3; i += 32) {
        words[i] = 0;
    }
    __syncwarp();
    if (count) {
        uint32_t shift = offset & 31, *w = words + offset / 32, low = (uint32_t)events, high = (uint32_t)(events >> 32);
        atomicOr(w, low << shift);
        atomicOr(w + 1, __funnelshift_l(low, high, shift));
        atomicOr(w + 2, __funnelshift_l(high, 0, shift));
    }
    __syncwarp();
    for (uint32_t i = lane; i < (total + 31) / 32; i += 32) {
        to[i] = words[i];
    }
    __syncwarp();
}

/* Says where the parts of a cleanup segment lie in its piece. */
__device__ __forceinline__ wvl_cuda_ht_part lay_out(const uint32_t total[3], uint32_t *bytes)
{
    wvl_cuda_ht_part p = {};
    p.events = total[2];
    p.events_at = (most_bytes(total[0]) + 3) & ~3u;
    p.mel_at = p.events_at + (total[2] + 31) / 32 * 4;
    p.vlc_end = p.mel_at + most_bytes(6 * total[2]) + most_bytes(total[1]);
    *bytes = p.vlc_end;
    return p;
}

/* One block of the warp. mine: this lane is one of its lanes, whose first is `source`. */
__device__ __forceinline__ void put_block(const wvl_cuda_ht_job &job, uint32_t *words, const lane_streams &own,
                                          const block_streams &s, uint32_t source, bool mine, uint32_t id)
{
    uint32_t total[3], bytes;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        total[k] = __shfl_sync(~0u, s.total[k], source);
    }
    wvl_cuda_ht_part p = lay_out(total, &bytes);
    p.piece = take_scratch(job, bytes);
    if (p.piece == ~0u) {
        put_nothing(job, id, WVL_CUDA_HT_LEFT);
        return;
    }
    uint8_t *piece = (uint8_t *)job.scratch + (uint64_t)p.piece * 16;
    stream magsgn = {own.magsgn_words, s.offset[0], mine ? s.length[0] : 0, total[0]},
           vlc = {own.vlc_words, s.offset[1], mine ? s.length[1] : 0, total[1]};
    ending e = put_stream<false>({words, 0, 0, 0, 0, piece}, magsgn);
    /* what a decoder reads beyond the end are 1s */
    uint32_t last = (e.bits | ~0u << e.left) & (0xFFu >> e.flag);
    if (e.left && last != 0xFF && !lane_id()) {
        piece[e.count] = (uint8_t)last;
    }
    p.magsgn = e.count + (e.left && last != 0xFF) - (!e.left && e.flag);
    if (!lane_id()) {
        piece[p.vlc_end - 1] = 0xFF; /* Scup's */
    }
    e = put_stream<true>({words, 0, 0, 0, 1, piece + p.vlc_end}, vlc);
    p.vlc = e.count;
    p.vlc_tail = e.bits | e.left << 8;
    put_events(words, (uint32_t *)(piece + p.events_at), own.events, mine ? own.event_count : 0, s.offset[2], total[2]);
    if (!lane_id()) {
        part_of(job, id) = p;
        wvl_cuda_ht_record r = empty_record(0);
        r.cleanup_bytes = 1; /* more than 0: ht_finish goes on */
        record_of(job, id) = r;
    }
}

} // namespace wvl_ht
