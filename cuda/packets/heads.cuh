/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads of packets: SOP, the packet header, EPH; and where the bytes of each block lie in the body. A team a packet. */
#pragma once
#include "cuda/packets/stuff.cuh"
#include "cuda/packets/tree.cuh"

namespace wvl_packets
{

/* A team's packet. All members are the same for all threads. */
struct head_job {
    packet_view view;
    bit_window window;
    uint32_t picture;
    uint64_t bits, body; /* so far */
};

__device__ __forceinline__ sent_block load_at(const job_type &job, const head_job &h, const block_place &at)
{
    const wvl_assembly_band &band = h.view.packet->band[at.band];
    uint32_t block = band.first_block + at.y * band.stride + at.x;
    return load_block(job, record_at(job, h.picture, h.view.packet->layer, block), band.planes);
}

/* Nodes of all levels. Blocks that were not coded are noted. */
template <class TEAM> __device__ __forceinline__ void build_trees(const job_type &job, const head_job &h)
{
    const wvl_assembly_packet &p = *h.view.packet;
    bool any = false;
    for (uint32_t i = TEAM::rank(); i < p.block_count; i += TEAM::size()) {
        block_place at = find_place(p, i);
        sent_block b = load_at(job, h, at);
        h.view.nodes[h.view.levels[at.band * WVL_ASSEMBLY_MOST_LEVELS] + at.index] = make_leaf(b, at.index);
        any |= b.segment_count != 0;
        if (b.flags & WVL_CUDA_PACKETS_LEFT) {
            atomicOr(&h.window.share[2], (uint32_t)WVL_CUDA_PACKETS_LEFT);
        }
    }
    if (any) {
        atomicOr(&h.window.share[3], 1u);
    }
    TEAM::meet();
    for (uint32_t k = 0; build_level<TEAM>(h.view, k); k++) {
        TEAM::meet();
    }
}

/* Blocks that a thread codes one after the other: sums over the team are made once for all of them. */
constexpr uint32_t MOST_EACH = 8;

/* The next blocks of the packet, `each` a thread. */
template <class TEAM>
__device__ __forceinline__ void say_blocks(const job_type &job, head_job &h, uint32_t first, uint32_t each)
{
    const wvl_assembly_packet &p = *h.view.packet;
    uint32_t begin = min(first + TEAM::rank() * each, p.block_count), end = min(begin + each, p.block_count),
             room = h.window.room;
    bit_counter counter = {0};
    uint64_t bits, bytes, own_bytes = 0;
    for (uint32_t i = begin; i < end; i++) {
        block_place at = find_place(p, i);
        sent_block b = load_at(job, h, at);
        say_block(counter, h.view, at, b);
        own_bytes += b.bytes;
    }
    uint64_t bit = h.bits + TEAM::scan(counter.bits, h.window.sums, &bits) - counter.bits,
             body = h.body + TEAM::scan(own_bytes, h.window.sums, &bytes) - own_bytes;
    h.bits += bits;
    h.body += bytes;
    for (;;) {
        bit_placer placer = {h.window.words, room, (int)(int64_t)(bit - h.window.at)};
        uint32_t at_byte = (uint32_t)body;
        for (uint32_t i = begin; i < end; i++) {
            block_place at = find_place(p, i);
            sent_block b = load_at(job, h, at);
            say_block(placer, h.view, at, b);
            work_at<uint32_t>(job, h.picture, job.work.body_at)[p.first_place + i] = at_byte;
            at_byte += b.bytes;
        }
        TEAM::meet();
        if (h.bits - h.window.at < 32 * room) {
            break;
        }
        empty_window<TEAM>(h.window, 32 * room, false);
    }
}

template <class TEAM> __device__ __forceinline__ void say_packet(const job_type &job, head_job &h)
{
    uint32_t count = h.view.packet->block_count, each = min((count + TEAM::size() - 1) / TEAM::size(), MOST_EACH);
    if (!TEAM::rank()) {
        h.window.words[0] = 0x80000000;
    }
    h.bits = 1;
    TEAM::meet();
    for (uint32_t i = 0; i < count; i += TEAM::size() * each) {
        say_blocks<TEAM>(job, h, i, each);
    }
    empty_window<TEAM>(h.window, (uint32_t)(h.bits - h.window.at), true);
}

/* An empty packet: one 0 bit. */
template <class TEAM> __device__ __forceinline__ void say_nothing(head_job &h)
{
    if (!TEAM::rank()) {
        h.window.out[0] = 0;
    }
    h.window.out_count = 1;
}

/* SOP, EPH (A.8), and the lengths. One thread. */
__device__ __forceinline__ void close_head(const job_type &job, const head_job &h, uint8_t *head, uint32_t packet)
{
    const wvl_assembly_packet &p = *h.view.packet;
    uint32_t bytes = (p.sop ? 6 : 0) + h.window.out_count;
    if (p.sop) {
        const uint8_t sop[6] = {0xFF, 0x91, 0, 4, (uint8_t)(p.number >> 8), (uint8_t)p.number};
        for (uint32_t i = 0; i < 6; i++) {
            head[i] = sop[i];
        }
    }
    if (p.eph) {
        head[bytes++] = 0xFF;
        head[bytes++] = 0x92;
    }
    uint32_t flags = h.window.share[2] | (h.body + bytes > 0xFFFFFFFF ? (uint32_t)WVL_CUDA_PACKETS_LARGE : 0);
    work_at<wvl_cuda_packets_length>(job, h.picture, job.work.lengths)[packet] = {bytes, (uint32_t)h.body, flags};
}

template <class TEAM>
__device__ __forceinline__ void open_head(const job_type &job, head_job &h, uint32_t *shared, uint8_t *head)
{
    const wvl_assembly_packet &p = *h.view.packet;
    h.view.levels = shared + WVL_CUDA_PACKETS_HEAD_LEVELS;
    h.view.nodes = p.node_count <= job.shared_nodes ? shared + WVL_CUDA_PACKETS_HEAD_NODES(TEAM::size())
                                                    : work_at<uint32_t>(job, h.picture, job.work.nodes) + p.nodes_at;
    h.window = {shared + WVL_CUDA_PACKETS_HEAD_WINDOW(TEAM::size()),
                shared + WVL_CUDA_PACKETS_HEAD_SUMS,
                shared + WVL_CUDA_PACKETS_HEAD_ENTRIES,
                shared + WVL_CUDA_PACKETS_HEAD_SHARE,
                WVL_CUDA_PACKETS_HEAD_ROOM(TEAM::size()),
                head + (p.sop ? 6 : 0),
                0,
                0,
                0};
    h.bits = 0;
    h.body = 0;
    clear_window<TEAM>(h.window);
    if (!TEAM::rank()) {
        h.window.share[2] = h.window.share[3] = 0;
    }
    find_levels<TEAM>(h.view);
    TEAM::meet();
}

/* Codes the head of a packet. shared: words of the team, from WVL_CUDA_PACKETS_HEAD_SUMS on. All threads of it. */
template <class TEAM>
__device__ __forceinline__ void code_head(const job_type &job, uint32_t packet, uint32_t picture, uint32_t *shared)
{
    head_job h;
    h.view.packet = &packet_of(job, packet);
    h.view.missed = job.since ? h.view.packet->layer - ((const uint16_t *)job.since)[packet] : 0u;
    h.picture = picture;
    uint8_t *head = work_at<uint8_t>(job, h.picture, job.work.heads) + h.view.packet->head_at;
    open_head<TEAM>(job, h, shared, head);
    build_trees<TEAM>(job, h);
    if (h.window.share[3]) { /* some block sends something */
        say_packet<TEAM>(job, h);
    } else {
        say_nothing<TEAM>(h);
    }
    if (!TEAM::rank()) {
        close_head(job, h, head, packet);
    }
}

} // namespace wvl_packets
