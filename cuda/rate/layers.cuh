/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From layer to layer (codec/rate/layers.c): what a layer asks for, and what it has sent of blocks, packets and groups.
 * All threads.
 */
#pragma once
#include "cuda/rate/search.cuh"

namespace wvl_rate
{

/* ---- Opening --------------------------------------------------------------------------------- */

__device__ __forceinline__ uint16_t &since_of(const job_type &job, const layer_state &layer, uint32_t precinct)
{
    return ((uint16_t *)job.packets.since)[packet_in(job, layer, precinct)];
}

/* Nothing was sent. */
__device__ __forceinline__ void open_picture(const job_type &job)
{
    const layer_state first = {};
    clear_groups(job);
    for (uint32_t i = crew_rank(); job.sent && i < job.packets.block_count; i += crew_size()) {
        ((wvl_cuda_rate_sent *)job.sent)[i] = {0, 0, 0, 0};
    }
    for (uint32_t p = crew_rank(); job.packets.since && p < job.precinct_count; p += crew_size()) {
        since_of(job, first, p) = 0;
    }
    meet_crew();
}

/* Threshold of an automatic layer: its part of what the next given layer takes of the hulls. */
__device__ __forceinline__ uint32_t find_automatic(const job_type &job, const wvl_cuda_rate_layer &values,
                                                   uint32_t *shared)
{
    double body = bodies_at(job, values.least), bytes = (values.room < body ? values.room : body) * values.share;
    return bytes > 0.0 ? guess(job, (uint64_t)bytes, 0.0, shared) : (uint32_t)WVL_SLOPE_NOTHING;
}

__device__ __forceinline__ void open_layer(const job_type &job, layer_state &layer, uint32_t *shared)
{
    layer.is_last = layer.index + 1 == job.packets.layer_count;
    layer.is_filled = false;
    layer.cost = {0, 0};
    layer.budget = job.budget;
    layer.least = job.least;
    open_groups(job, 0, 0);
    open_blocks(job, layer);
    if (!layer.is_last) {
        const wvl_cuda_rate_layer &values = job.layers[layer.index];
        layer.budget = values.budget;
        layer.least = values.share > 0.0 ? find_automatic(job, values, shared) : values.least;
    }
    layer.threshold = layer.least;
}

__device__ __forceinline__ bool fills_always(const job_type &job, const layer_state &layer)
{
    return layer.is_last ? job.fills_always : job.layers[layer.index].fills_always;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* v * 2^exponent, exactly: of the range that weights have. */
__device__ __forceinline__ double scale(double v, int exponent)
{
    double factor = exponent < 0 ? 0.5 : 2.0;
    for (uint32_t n = exponent < 0 ? (uint32_t)-exponent : (uint32_t)exponent; n; n >>= 1, factor *= factor) {
        v = n & 1 ? v * factor : v;
    }
    return v;
}

/* Measures what the passes up to the cut take off the squares of a block, without visual weights. */
__device__ __forceinline__ double measure_gain(const job_type &job, uint32_t block, const block_passes &passes,
                                               uint32_t cut)
{
    const wvl_cuda_t1_weight weight = ((const wvl_cuda_t1_weight *)job.t1.hull_weights)[block];
    double plain = 4.0 * ((const double *)job.block_weights)[block],
           unit = scale((double)weight.mantissa, weight.exponent - job.t1.gain_exponent);
    return cut ? (double)passes.gains[cut - 1] * (plain / unit) : 0.0;
}

/* Says whether not all passes of a block are sent. */
__device__ __forceinline__ bool is_partial(const job_type &job, uint32_t block, uint32_t cut)
{
    uint32_t planes = ((const wvl_cuda_t1_record *)job.t1.records)[block].planes;
    return cut != (planes ? 3 * planes - 2 : 0);
}

/* Over all threads, in one order; for thread 0. shared: two words a thread. */
__device__ __forceinline__ double add_threads(double own, double *sums)
{
    double all = 0.0;
    sums[threadIdx.x] = own;
    __syncthreads();
    for (uint32_t i = 0; i < blockDim.x && !threadIdx.x; i++) {
        all += sums[i];
    }
    __syncthreads();
    return all;
}

/* For the result. The layer's bytes are among those sent. The first thread block adds, in the order that it has alone.
 */
__device__ __forceinline__ void note_layer(const job_type &job, const layer_state &layer, uint32_t *shared)
{
    bool partial = false;
    double own = 0.0;
    for (uint32_t i = crew_rank(); !blockIdx.x && i < job.packets.block_count; i += blockDim.x) {
        uint32_t cut = cut_of(job, i).passes;
        own += measure_gain(job, i, passes_of(job, i), cut);
        partial |= is_partial(job, i, cut);
    }
    double gain = add_threads(own, (double *)(shared + WVL_CUDA_RATE_HEAD));
    uint32_t is_everything = !count_crew(partial, shared + WVL_CUDA_RATE_VARIABLES);
    if (!crew_rank()) {
        ((wvl_assembly_layer *)job.packets.layers)[layer.index] = {codestream_bytes(job, layer, {0, 0}), gain,
                                                                   layer.threshold, is_everything};
    }
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* How much Lblock has grown with a contribution. */
__device__ __forceinline__ uint32_t find_growth(const wvl_cuda_packets_block &sent, uint32_t growth)
{
    uint32_t lblock = WVL_PACKET_FIRST_LBLOCK + growth;
    for (uint32_t i = 0; i < sent.segment_count; i++) {
        uint32_t segment = i < 2 ? sent.segment[i] : ((const uint32_t *)sent.more)[i - 2];
        lblock = wvl_packet_raise_lblock(lblock, segment >> 24, segment & 0xFFFFFF);
    }
    return lblock - WVL_PACKET_FIRST_LBLOCK;
}

__device__ __forceinline__ void send_blocks(const job_type &job, const layer_state &layer, const layer_state &next)
{
    for (uint32_t p = crew_rank(); p < job.precinct_count; p += crew_size()) {
        since_of(job, next, p) = since_of(job, layer, p);
    }
    meet_crew();
    for (uint32_t i = crew_rank(); i < job.packets.block_count; i += crew_size()) {
        const wvl_assembly_place place = ranked(job, i);
        const wvl_cuda_rate_cut cut = cut_of(job, place.block);
        wvl_cuda_rate_sent &sent = ((wvl_cuda_rate_sent *)job.sent)[place.block];
        if (cut.passes > sent.passes) {
            uint32_t growth = find_growth(record_of(job, layer, place.block), sent.growth);
            sent = {cut.bytes, (uint8_t)cut.passes, (uint8_t)growth, 0};
            since_of(job, next, place.packet) = (uint16_t)next.index;
        }
    }
    meet_crew();
}

/* The layer is sent with the cuts as they stand; the next one is to be opened. */
__device__ __forceinline__ void send_layer(const job_type &job, layer_state &layer, uint32_t *shared)
{
    layer_cost cost = sum_packets(job, layer, shared + WVL_CUDA_RATE_HEAD + WVL_CUDA_PACKETS_HEAD_SUMS);
    layer_state next = layer;
    next.index++;
    for (uint32_t g = crew_rank(); g < job.group_count; g += crew_size()) {
        group_of(job, g).sent += group_of(job, g).bytes;
    }
    send_blocks(job, layer, next);
    layer.sent.packet_bytes += cost.packet_bytes;
    layer.sent.plt_bytes += cost.plt_bytes;
    note_layer(job, layer, shared);
    layer.index++;
}

} // namespace wvl_rate
