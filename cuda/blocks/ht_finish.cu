/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HT blocks, after their streams: MEL, the byte that MEL and VLC may share, and Scup (a thread a block); where the
 * bytes of blocks go (a thread block a group); and the bytes themselves (a warp a block).
 */
#include "cuda/blocks/ht_put.cuh"

namespace wvl_ht
{

/* MEL (codec/ht/streams.h): bits from the top of a byte down, seven after 0xFF. */
struct mel_writer {
    uint8_t *out;
    uint32_t count, bits, room;
    __device__ __forceinline__ void put(uint32_t some, uint32_t n) /* n <= 6 */
    {
        if (n < room) {
            bits = bits << n | some;
            room -= n;
            return;
        }
        uint32_t over = n - room, byte = bits << room | some >> over;
        out[count++] = (uint8_t)byte;
        bits = some & ((1u << over) - 1);
        room = (byte == 0xFF ? 7 : 8) - over;
    }
};

/* Events, 32 at a time, a word read ahead. */
struct event_reader {
    const uint32_t *words;
    uint64_t bits;
    uint32_t have, next, count, ahead; /* bits there; words */
    __device__ __forceinline__ void open(const uint32_t *from, uint32_t total)
    {
        words = from;
        count = (total + 31) / 32;
        bits = have = next = 0;
        ahead = count ? words[0] : 0;
        refill();
        refill();
    }
    __device__ __forceinline__ void refill()
    {
        if (have <= 32) {
            bits |= (uint64_t)ahead << have;
            have += 32;
            next++;
            ahead = next < count ? words[next] : 0;
        }
    }
    __device__ __forceinline__ void skip(uint32_t n) /* n <= 32 */
    {
        bits >>= n;
        have -= n;
        refill();
    }
};

/* A codeword a turn, so that the lanes stay together: a full run, or a 0 and the run in e bits. */
__device__ __forceinline__ mel_writer put_mel(const uint32_t *events, uint32_t total, uint8_t *out)
{
    mel_writer mel = {out, 0, 0, 8};
    event_reader from;
    uint32_t state = 0;
    from.open(events, total);
    for (uint32_t pos = 0; pos < total;) {
        uint32_t e = (uint32_t)(0x5433222111000ull >> 4 * state) & 15, w = (uint32_t)from.bits;
        uint32_t zeros = w ? __ffs(w) - 1 : 32; /* beyond the end there are 0s */
        bool full = zeros >> e;
        uint32_t taken = full ? 1u << e : zeros + 1;
        mel.put(full ? 1 : zeros, full ? 1 : e + 1);
        pos += taken;
        from.skip(taken);
        state = full ? min(state + 1, 12u) : state - (state > 0);
    }
    return mel;
}

/* The last bytes of MEL and VLC are one where they may be; not the byte that Scup takes half of. */
__device__ __forceinline__ void join_streams(wvl_cuda_ht_part &p, mel_writer &mel, uint8_t *end)
{
    uint32_t mel_byte = mel.bits << mel.room & 0xFF, mel_mask = 0xFFu << mel.room & 0xFF, vlc_byte = p.vlc_tail & 0xFF,
             vlc_open = p.vlc_tail >> 8;
    uint32_t both = mel_byte | vlc_byte;
    bool mel_is_open = mel.room != 8;
    if (mel_is_open && vlc_open && !((mel_byte ^ vlc_byte) & mel_mask & ((1u << vlc_open) - 1)) && both != 0xFF &&
        p.vlc > 1) {
        mel.out[mel.count++] = (uint8_t)both;
        return;
    }
    if (mel_is_open) {
        mel.out[mel.count++] = (uint8_t)mel_byte; /* never 0xFF: the lowest bit is open */
    }
    if (vlc_open) {
        end[-1 - (int)p.vlc++] = (uint8_t)vlc_byte;
    }
}

/* Magnitudes have at most the planes that the plan proved. */
__device__ __forceinline__ bool is_bounded(const wvl_cuda_ht_block &b)
{
    uint32_t P = plane_of(b);
    return P >= 32 || 32 - (uint32_t)__clz((int)(*(const uint32_t *)b.bound >> P)) <= b.planes;
}

/* Returns the bytes of the block. */
__device__ __forceinline__ uint32_t finish_block(const wvl_cuda_ht_job &job, uint32_t id)
{
    wvl_cuda_ht_record r = record_of(job, id);
    if (!is_bounded(block_of(job, id))) {
        atomicAdd((uint32_t *)job.counters + WVL_CUDA_HT_UNBOUNDED, 1u);
    }
    if (r.flags & WVL_CUDA_HT_LEFT) {
        atomicAdd((uint32_t *)job.counters + WVL_CUDA_HT_LEFT_BLOCKS, 1u);
    }
    if (!r.cleanup_bytes) {
        return 0;
    }
    wvl_cuda_ht_part p = part_of(job, id);
    uint8_t *piece = (uint8_t *)job.scratch + (uint64_t)p.piece * 16, *end = piece + p.vlc_end;
    mel_writer mel = put_mel((const uint32_t *)(piece + p.events_at), p.events, piece + p.mel_at);
    join_streams(p, mel, end);
    p.mel = mel.count;
    uint32_t suffix = p.mel + p.vlc;
    end[-1] = (uint8_t)(suffix >> 4);
    end[-2] = (uint8_t)((end[-2] & 0xF0) | (suffix & 15));
    r.cleanup_bytes = p.magsgn + suffix;
    r.bytes = r.cleanup_bytes + p.sigprop + p.magref;
    r.planes = (uint8_t)(block_of(job, id).cleanup_plane + 1);
    part_of(job, id) = p;
    record_of(job, id) = r;
    return r.bytes;
}

/* Copies by a warp: words of the target, of which no source word reaches beyond the bytes; a few bytes at both ends
 * one by one. */
__device__ __forceinline__ void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t n)
{
    uint32_t lane = lane_id(), head = min((uint32_t)(-(uintptr_t)to & 3) + 4, n);
    if (lane < head) {
        to[lane] = from[lane];
    }
    to += head;
    from += head;
    n -= head;
    uint32_t shift = 8 * (uint32_t)((uintptr_t)from & 3), count = n < 4 ? 0 : n / 4 - 1;
    const uint32_t *words = (const uint32_t *)((uintptr_t)from & ~(uintptr_t)3);
    for (uint32_t i = lane; i < count; i += 32) {
        ((uint32_t *)to)[i] = shift ? __funnelshift_r(words[i], words[i + 1], shift) : words[i];
    }
    if (4 * count + lane < n) {
        to[4 * count + lane] = from[4 * count + lane];
    }
}

/* The segments of a block, one behind the other. */
__device__ __forceinline__ void copy_block(const wvl_cuda_ht_job &job, uint32_t id, uint8_t *to)
{
    const wvl_cuda_ht_part p = part_of(job, id);
    const uint8_t *piece = (const uint8_t *)job.scratch + (uint64_t)p.piece * 16,
                  *second = (const uint8_t *)job.scratch + (uint64_t)p.refinement * 16;
    copy_bytes(to, piece, p.magsgn);
    copy_bytes(to += p.magsgn, piece + p.mel_at, p.mel);
    copy_bytes(to += p.mel, piece + p.vlc_end - p.vlc, p.vlc);
    if (p.sigprop + p.magref) {
        copy_bytes(to += p.vlc, second, p.sigprop);
        copy_bytes(to += p.sigprop, second + p.magref_end - p.magref, p.magref);
    }
}

/* Its bytes, if they fit; else it is left. */
__device__ __forceinline__ void gather_block(const wvl_cuda_ht_job &job, const wvl_cuda_ht_group &g, uint32_t id)
{
    uint64_t place = ((const uint64_t *)job.places)[id];
    uint32_t bytes = ((const uint32_t *)job.totals)[id];
    bool fits = !g.output || (place <= g.output_bytes && bytes <= g.output_bytes - place);
    if (!lane_id()) {
        record_of(job, id).offset = place;
        if (bytes && !fits) {
            record_of(job, id) = empty_record(WVL_CUDA_HT_LEFT);
            atomicAdd((uint32_t *)job.counters + WVL_CUDA_HT_LEFT_BLOCKS, 1u);
        }
    }
    if (bytes && fits && g.output) {
        copy_block(job, id, (uint8_t *)g.output + place);
    }
}

} // namespace wvl_ht

extern "C" __global__ void __launch_bounds__(WVL_CUDA_HT_FINISH_THREADS) wvl_ht_finish(const wvl_cuda_ht_job job)
{
    uint32_t id;
    for (uint32_t at = blockIdx.x * blockDim.x + threadIdx.x; wvl_ht::find_block(job, at, &id);
         at += gridDim.x * blockDim.x) {
        uint32_t bytes = wvl_ht::finish_block(job, id);
        if (job.totals) {
            ((uint32_t *)job.totals)[id] = bytes;
        }
    }
}

/* Four blocks a thread and turn. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_HT_PLACE_THREADS) wvl_ht_place(const wvl_cuda_ht_job job)
{
    WVL_HT_SHARED(sums);
    const wvl_cuda_ht_group g = ((const wvl_cuda_ht_group *)job.groups)[blockIdx.x];
    const uint32_t *totals = (const uint32_t *)job.totals + g.first;
    uint64_t base = 0, *places = (uint64_t *)job.places + g.first;
    for (uint32_t first = 0; first < g.count; first += 4 * WVL_CUDA_HT_PLACE_THREADS) {
        uint32_t i = first + 4 * threadIdx.x, bytes[4], own = 0, all;
        for (uint32_t k = 0; k < 4; k++) {
            bytes[k] = i + k < g.count ? totals[i + k] : 0;
            own += bytes[k];
        }
        uint64_t offset = base + wvl_ht::scan_threads(own, sums, &all) - own;
        for (uint32_t k = 0; k < 4; k++) {
            if (i + k < g.count) {
                places[i + k] = offset;
            }
            offset += bytes[k];
        }
        base += all;
    }
}

extern "C" __global__ void __launch_bounds__(WVL_CUDA_HT_GATHER_THREADS) wvl_ht_gather(const wvl_cuda_ht_job job)
{
    const wvl_cuda_ht_group &g = ((const wvl_cuda_ht_group *)job.groups)[blockIdx.y];
    uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i < g.count) {
        wvl_ht::gather_block(job, g, g.first + i);
    }
}
