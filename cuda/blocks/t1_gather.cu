/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EBCOT blocks to one output, for rate control and packets of the host: bytes, and passes as codec/t2/coded_tile.h has
 * them (wvl_cuda_t1_coded). A warp a block; it writes 128 bytes at a time.
 *
 * Which place a block gets differs from run to run. What stands there does not.
 */
#include "codec/core/t1_pass.h"
#include "cuda/blocks/t1_words.cuh"
#include "geom/handover_pass.h"

namespace wvl_t1
{

constexpr uint32_t PASS_WORDS = sizeof(wvl_pass) / 4, RECORD_WORDS = sizeof(wvl_cuda_t1_pass) / 4;
static_assert(sizeof(wvl_pass) == 24 && sizeof(wvl_cuda_t1_pass) == 16, "a gain, then what the MQ coder has recorded");

__device__ __forceinline__ uint32_t units_of(uint32_t bytes) { return (bytes + 15) / 16; }

/* The codeword begins at the second byte of its memory. */
__device__ __forceinline__ void put_bytes(const uint32_t *from, uint32_t bytes, uint32_t *to)
{
    for (uint32_t i = lane_id(); 4 * i < bytes; i += 32) {
        uint32_t next = 4 * i + 3 < bytes ? from[i + 1] : 0;
        to[i] = from[i] >> 8 | next << 24;
    }
}

/* What is known of passes without records of them. */
struct segment_passes {
    const uint32_t *ends;
    uint32_t style, passes, last, bytes; /* last: pass of the whole block */

    /* Returns where the segment of a pass ends. */
    __device__ __forceinline__ uint32_t end_of(uint32_t pass) const
    {
        while (pass < passes && !wvl_t1_pass_is_end(pass, style)) {
            pass++;
        }
        return pass < passes ? ends[pass] : bytes;
    }
    /* Word k of a record. */
    __device__ __forceinline__ uint32_t word(uint32_t pass, uint32_t k) const
    {
        if (k < 2) {
            return end_of(pass);
        }
        uint32_t flags = (wvl_t1_pass_is_raw(pass, style) ? WVL_PASS_RAW : 0) |
                         (wvl_t1_pass_is_end(pass, style) || pass == last ? WVL_PASS_TERM : 0);
        return k == 3 ? flags << 24 : 0;
    }
};

/* A pass is its gain, then its record. quarters: NULL without gains. */
template <class RECORDS>
__device__ __forceinline__ void put_passes(const RECORDS &records, const uint32_t *quarters, uint32_t passes,
                                           uint32_t *to)
{
    for (uint32_t i = lane_id(); i < passes * PASS_WORDS; i += 32) {
        uint32_t pass = i / PASS_WORDS, k = i % PASS_WORDS, gain = 0;
        if (k < 2 && quarters) {
            gain = quarters[2 * pass + k];
        }
        to[i] = k < 2 ? gain : records.word(pass, k - 2);
    }
}

struct kept_passes {
    const uint32_t *records;
    __device__ __forceinline__ uint32_t word(uint32_t pass, uint32_t k) const
    {
        return records[RECORD_WORDS * pass + k];
    }
};

__device__ __forceinline__ void copy_words(const uint32_t *from, uint32_t count, uint32_t *to)
{
    for (uint32_t i = lane_id(); i < count; i += 32) {
        to[i] = from[i];
    }
}

/* Gains, and slopes, stand behind the passes here as there. */
__device__ __forceinline__ void put_block(const wvl_cuda_t1_job &job, uint32_t id, const wvl_cuda_t1_record &r,
                                          uint32_t *to)
{
    uint32_t passes = r.passes;
    put_bytes(units_at(job, r.codeword), r.bytes, to);
    to += 4 * units_of(r.bytes);
    const uint32_t *quarters = nullptr;
    if (job.gains) {
        quarters = units_at(job, ((const wvl_cuda_t1_gains *)job.gains)[id].values);
        copy_words(quarters + 2 * passes, 2 * passes + (passes + 1) / 2, to + PASS_WORDS * passes);
    }
    if (job.passes) {
        const wvl_cuda_t1_pass *records = (const wvl_cuda_t1_pass *)job.passes;
        put_passes(kept_passes{(const uint32_t *)(records + (size_t)id * WVL_CUDA_T1_MOST_PASSES)}, quarters, passes,
                   to);
    } else {
        put_passes(segment_passes{units_at(job, r.ends), block_of(job, id).style, passes, 3u * r.planes - 3, r.bytes},
                   quarters, passes, to);
    }
}

__device__ __forceinline__ void gather_block(const wvl_cuda_t1_job &job, uint32_t id)
{
    const wvl_cuda_t1_record r = ((const wvl_cuda_t1_record *)job.records)[id];
    const wvl_cuda_t1_block &b = block_of(job, id);
    bool is_left = r.flags & WVL_CUDA_T1_LEFT;
    uint32_t pass_bytes = (uint32_t)sizeof(wvl_pass) + (job.gains ? WVL_CUDA_T1_VALUE_BYTES - 8 : 0), first = 0;
    uint32_t units = is_left || !r.passes ? 0 : units_of(r.bytes) + units_of(r.passes * pass_bytes);
    if (units) {
        first = wvl_ht::take_items((uint32_t *)job.output_taken, units);
        is_left = (uint64_t)first + units > job.output_units;
    }
    if (units && !is_left) {
        put_block(job, id, r, (uint32_t *)(job.output + (uint64_t)first * 16));
    }
    if (!lane_id()) {
        wvl_cuda_t1_coded coded = {};
        coded.place = first;
        coded.bytes = r.passes ? r.bytes : 0;
        coded.planes = r.planes;
        coded.passes = r.passes;
        coded.zero_planes = (uint8_t)(b.planes - r.planes);
        coded.lift = wvl_cuda_t1_may_copy(&b) ? b.in_region : 0;
        coded.flags = is_left ? WVL_CUDA_T1_LEFT : 0;
        if (job.gains) {
            coded.energy = ((const wvl_cuda_t1_gains *)job.gains)[id].energy;
            coded.energy_shift = ((const wvl_cuda_t1_gains *)job.gains)[id].energy_shift;
        }
        ((wvl_cuda_t1_coded *)job.coded)[id] = coded;
    }
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_GATHER_THREADS) wvl_t1_gather(const wvl_cuda_t1_job job)
{
    uint32_t id = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (id < job.block_count) {
        wvl_t1::gather_block(job, id);
    }
}
