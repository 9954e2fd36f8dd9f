/* SPDX-License-Identifier: BSD-2-Clause */
/* Where blocks are cut, as codec/rate/measure.c cuts them. */
#pragma once
#include "cuda/rate/layer.cuh"
#include "geom/handover_pass.h"

namespace wvl_rate
{

/* What is known of the passes of a block. Gains are weighted and cumulative. */
struct block_passes {
    const wvl_cuda_t1_pass *records;
    const int64_t *gains;
    const uint16_t *slopes;
    uint32_t count; /* 0 of a block that was left */
};

__device__ __forceinline__ block_passes passes_of(const job_type &job, uint32_t block)
{
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    uint32_t count = r.flags & WVL_CUDA_T1_LEFT ? 0 : r.passes;
    uint64_t values = job.t1.scratch + (uint64_t)((const wvl_cuda_t1_gains *)job.t1.gains)[block].values * 16;
    uint32_t all = wvl_cuda_t1_all_passes(r.planes, ((const wvl_cuda_t1_block *)job.t1.blocks)[block].max_passes);
    const int64_t *gains = (const int64_t *)values + all;
    return {(const wvl_cuda_t1_pass *)job.t1.passes + (uint64_t)block * WVL_CUDA_T1_MOST_PASSES, gains,
            (const uint16_t *)(gains + all), count};
}

__device__ __forceinline__ wvl_cuda_rate_cut &cut_of(const job_type &job, uint32_t block)
{
    return ((wvl_cuda_rate_cut *)job.cuts)[block];
}

__device__ __forceinline__ const wvl_assembly_place &ranked(const job_type &job, uint32_t rank)
{
    return ((const wvl_assembly_place *)job.ranked)[rank];
}

__device__ __forceinline__ uint32_t group_index(const job_type &job, uint32_t precinct)
{
    return job.precinct_groups ? ((const uint16_t *)job.precinct_groups)[precinct] : 0;
}

__device__ __forceinline__ wvl_cuda_rate_group &group_of(const job_type &job, uint32_t index)
{
    return ((wvl_cuda_rate_group *)job.groups)[index];
}

/* Returns the length measured last. head_bytes 0: its blocks send something else now. */
__device__ __forceinline__ wvl_cuda_packets_length &length_of(const job_type &job, const layer_state &layer,
                                                              uint32_t precinct)
{
    return wvl_packets::work_at<wvl_cuda_packets_length>(job.packets, 0,
                                                         job.packets.work.lengths)[packet_in(job, layer, precinct)];
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Says whether the codeword can end with this pass: its tail must make no 0xFF of what could be the end of a
 * contribution before. */
__device__ __forceinline__ bool can_end(const wvl_cuda_t1_pass &p, uint32_t sent_bytes)
{
    uint32_t tail_at = p.final_bytes - p.tail_count;
    for (uint32_t i = tail_at; i < sent_bytes && i < p.final_bytes; i++) {
        if (p.tail[i - tail_at] == 0xFF) {
            return false;
        }
    }
    return p.final_bytes >= sent_bytes;
}

/* Bytes of a codeword that goes on in later layers. A 0xFF at the end goes with the next contribution. */
__device__ __forceinline__ uint32_t safe_bytes(const job_type &job, uint32_t block, const block_passes &passes,
                                               uint32_t cut, uint32_t sent_bytes)
{
    uint32_t i = cut - 1;
    while (i + 1 < passes.count && !(passes.records[i].flags & WVL_PASS_TERM)) {
        i++;
    }
    uint32_t bytes = min(passes.records[cut - 1].safe_bytes, passes.records[i].final_bytes);
    uint32_t codeword = ((const wvl_cuda_t1_record *)job.t1.records)[block].codeword;
    const uint8_t *coded = (const uint8_t *)(job.t1.scratch + (uint64_t)codeword * 16 + 1);
    return bytes > sent_bytes && coded[bytes - 1] == 0xFF ? bytes - 1 : bytes;
}

/* Cumulative bytes after a cut. */
__device__ __forceinline__ uint32_t cut_bytes(const job_type &job, const layer_state &layer, uint32_t block,
                                              const block_passes &passes, const wvl_cuda_rate_sent &sent, uint32_t cut)
{
    if (cut == sent.passes) {
        return sent.bytes;
    }
    const wvl_cuda_t1_pass &p = passes.records[cut - 1];
    if (cut == passes.count || (layer.is_last && can_end(p, sent.bytes)) || (p.flags & WVL_PASS_TERM)) {
        return p.final_bytes;
    }
    return safe_bytes(job, block, passes, cut, sent.bytes);
}

struct recorded_ends {
    const wvl_cuda_t1_pass *records;
    __device__ __forceinline__ uint32_t at(uint32_t pass) const { return records[pass].final_bytes; }
};

/* The set that a cut of an HT block lies in, in tables of sets. planes: of the block. */
__device__ __forceinline__ uint32_t find_set(const job_type &job, uint32_t block, uint32_t planes, uint32_t cut)
{
    return block * job.sets.pitch + planes - 1 - (cut - 1) / WVL_STEP_SET_PASSES;
}

/* An HT block sends one set, up to the cut: pieces that the HT coder has left in scratch memory. */
__device__ __forceinline__ wvl_cuda_packets_block send_set(const job_type &job, uint32_t block,
                                                           const wvl_cuda_t1_block &b, const wvl_cuda_t1_record &r,
                                                           uint32_t cut, uint32_t bytes)
{
    wvl_cuda_packets_block sent = {};
    uint32_t passes = (cut - 1) % WVL_STEP_SET_PASSES + 1, set = find_set(job, block, r.planes, cut),
             cleanup = ((const wvl_cuda_ht_record *)job.sets.ht.records)[set].cleanup_bytes,
             planes = job.sets.is_second ? ((const uint8_t *)job.sets.planes)[block] : b.planes;
    sent.bytes = job.sets.ht.parts + (uint64_t)set * sizeof(wvl_cuda_ht_part);
    sent.segment[0] = 1u << 24 | cleanup;
    sent.segment[1] = passes > 1 ? (passes - 1) << 24 | (bytes - cleanup) : 0;
    sent.byte_count = bytes;
    sent.segment_count = passes > 1 ? 2 : 1;
    sent.passes = (uint8_t)passes;
    sent.zero_planes = (uint8_t)(planes - r.planes + (cut - 1) / WVL_STEP_SET_PASSES);
    return sent;
}

/* Sends what packets see of a block that is cut there. A function, as those of measure.cuh are. */
__device__ __noinline__ void send_cut(const job_type &job, const layer_state &layer, uint32_t block,
                                      const block_passes &passes, const wvl_cuda_rate_sent &before, uint32_t cut,
                                      uint32_t bytes)
{
    const wvl_cuda_t1_block &b = ((const wvl_cuda_t1_block *)job.t1.blocks)[block];
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.t1.records)[block];
    wvl_cuda_packets_block sent = wvl_packets::send_nothing(b, r);
    if (job.sets.pitch) { /* HT: one layer */
        sent.zero_planes = b.planes;
        record_of(job, layer, block) = cut ? send_set(job, block, b, r, cut, bytes) : sent;
        return;
    }
    if (cut != before.passes) {
        uint32_t own = cut - before.passes, own_bytes = bytes - before.bytes, one[2] = {own << 24 | own_bytes, 0},
                 *list = one, count = 1;
        if (job.segments) { /* each segment of a layer before has taken a pass at least */
            list = (uint32_t *)job.segments + (uint64_t)block * job.segment_most + before.passes;
            count = wvl_packets::list_t1_segments(b.style, {before.passes, before.bytes}, cut, bytes,
                                                  recorded_ends{passes.records}, list);
        }
        sent = wvl_packets::send_passes(b, r, job.t1.scratch, own, own_bytes, list, count);
        sent.bytes += before.bytes;
    }
    sent.flags |= (uint8_t)(before.passes ? WVL_CUDA_PACKETS_SENT | before.growth << WVL_CUDA_PACKETS_GROWTH : 0);
    record_of(job, layer, block) = sent;
}

/* Passes that a block sends at a threshold from 1 to 65535, not fewer than it has sent, and the thresholds that all say
 * so. */
__device__ __forceinline__ wvl_cuda_rate_cut find_cut(const block_passes &passes, uint32_t sent, uint32_t threshold)
{
    wvl_cuda_rate_cut cut = {0, 1, UINT16_MAX, sent};
    for (uint32_t i = sent; i < passes.count; i++) {
        uint32_t slope = passes.slopes[i];
        if (slope && slope < threshold) { /* slopes fall along the hull */
            cut.least = (uint16_t)(slope + 1);
            break;
        }
        if (slope) {
            cut.most = (uint16_t)slope;
            cut.passes = i + 1;
        }
    }
    return cut;
}

/* Returns whether the block sends something else than before. */
__device__ __forceinline__ bool cut_block(const job_type &job, const layer_state &layer, uint32_t block,
                                          uint32_t threshold)
{
    wvl_cuda_rate_cut &now = cut_of(job, block);
    if (threshold && now.most && threshold >= now.least && threshold <= now.most) {
        return false;
    }
    block_passes passes = passes_of(job, block);
    const wvl_cuda_rate_sent sent = sent_of(job, block);
    wvl_cuda_rate_cut cut = {0, 0, 0, sent.passes};
    if (!threshold) {
        cut.passes = passes.count;
    } else if (threshold < WVL_SLOPE_NOTHING) {
        cut = find_cut(passes, sent.passes, threshold);
    }
    bool is_new = cut.passes != now.passes;
    cut.bytes = cut_bytes(job, layer, block, passes, sent, cut.passes);
    now = cut;
    if (is_new) {
        send_cut(job, layer, block, passes, sent, cut.passes, cut.bytes);
    }
    return is_new;
}

/* All blocks, at the thresholds of their groups. Packets that become others are to be measured again. All threads. */
__device__ __noinline__ void cut_blocks(const job_type &job, const layer_state &layer)
{
    for (uint32_t i = crew_rank(); i < job.packets.block_count; i += crew_size()) {
        const wvl_assembly_place place = ranked(job, i);
        if (cut_block(job, layer, place.block, group_of(job, group_index(job, place.packet)).threshold)) {
            length_of(job, layer, place.packet).head_bytes = 0;
        }
    }
    meet_crew();
}

/* In the layer every block sends nothing, and no packet is measured. All threads. */
__device__ __forceinline__ void open_blocks(const job_type &job, const layer_state &layer)
{
    for (uint32_t i = crew_rank(); i < job.packets.block_count; i += crew_size()) {
        const wvl_cuda_rate_sent sent = sent_of(job, i);
        cut_of(job, i) = {sent.bytes, 0, 0, sent.passes};
        send_cut(job, layer, i, passes_of(job, i), sent, sent.passes, sent.bytes);
    }
    for (uint32_t i = crew_rank(); i < job.precinct_count; i += crew_size()) {
        length_of(job, layer, i).head_bytes = 0;
    }
    meet_crew();
}

} // namespace wvl_rate
