/* SPDX-License-Identifier: BSD-2-Clause */
/* About how many bits blocks take at a slope (wvl_rdoq_weigh), and sums of it for the survey. A warp a block. */
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

/* Samples from `least` on, from 2 and from 4 times that on: 20 bits each. */
__device__ __forceinline__ uint64_t rank_sample(uint32_t m, uint32_t least)
{
    return (uint64_t)(m >= least) | (uint64_t)(m / 2 >= least) << 20 | (uint64_t)(m / 4 >= least) << 40;
}

template <typename T> __device__ __forceinline__ uint64_t rank_samples(const wvl_cuda_t1_block &b, uint32_t least)
{
    uint64_t counts = 0;
    visit_samples<T>(b, [&](T v, uint32_t, uint32_t) { counts += rank_sample(magnitude_of(v), least); });
    return counts;
}

__device__ __forceinline__ uint64_t rank_eight(const uint4 &v, uint32_t least)
{
    const uint32_t words[4] = {v.x, v.y, v.z, v.w};
    uint64_t counts = 0;
#pragma unroll
    for (uint32_t k = 0; k < 8; k++) {
        counts += rank_sample(words[k / 2] >> 16 * (k & 1) & 0x7FFF, least);
    }
    return counts;
}

/* Rows of whole 16 bytes: eight samples a lane. */
__device__ __forceinline__ uint64_t rank_narrow(const wvl_cuda_t1_block &b, uint32_t least)
{
    uint64_t counts = 0;
    for (walk at(b.width / 8u); at.y < b.height;) {
        uint4 some[4]; /* on their way together */
        uint32_t count = 0;
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            if (at.y < b.height) {
                some[i] = *(const uint4 *)((const uint16_t *)b.coefs + (size_t)at.y * b.stride + 8 * at.x);
                count++;
            }
            at.go_on();
        }
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            if (i < count) {
                counts += rank_eight(some[i], least);
            }
        }
    }
    return counts;
}

/* The same for all lanes. */
__device__ __forceinline__ uint32_t weigh(const wvl_cuda_t1_block &b, const wvl_band_coding &band, uint32_t slope)
{
    int32_t log2_of_least = wvl_rdoq_find_least(&band, slope);
    if (log2_of_least >= 31 * 256 || !(*(const uint32_t *)b.bound >> (log2_of_least / 256))) {
        return 1;
    }
    uint32_t least = (uint32_t)(wvl_rdoq_find_root((uint32_t)log2_of_least & 255) << (log2_of_least / 256) >> 30);
    uint64_t counts;
    if (b.coef_bytes == 4) {
        counts = rank_samples<uint32_t>(b, least);
    } else if ((b.stride | b.width | b.coefs / 2) & 7) {
        counts = rank_samples<uint16_t>(b, least);
    } else {
        counts = rank_narrow(b, least);
    }
    counts = sum_wide_lanes(counts);
    uint32_t n[4] = {(uint32_t)b.width * b.height, (uint32_t)counts & 0xFFFFF, (uint32_t)(counts >> 20) & 0xFFFFF,
                     (uint32_t)(counts >> 40)};
    return wvl_rdoq_weigh_counts(n);
}

/* By a warp. */
__device__ __forceinline__ void weigh_block(const job_type &job, uint32_t id)
{
    const wvl_cuda_t1_block &b = original_of(job, id);
    const wvl_cuda_rdoq_survey &survey = *(const wvl_cuda_rdoq_survey *)job.survey;
    uint32_t kind = ((const uint8_t *)job.kinds)[id],
             slope = job.step ? WVL_SURVEY_LEAST_GUESS + survey.guess + job.step : survey.slopes[kind / 2],
             weight = weigh(b, band_of(job, id), slope);
    if (lane_id()) {
        return;
    }
    if (!job.step && !b.orient) { /* coded in the first phase, as it is (cuda/host/rdoq_code.h) */
        item<wvl_cuda_t1_block>(job.t1.blocks, id) = b;
    }
    wvl_cuda_rdoq_part &part = item<wvl_cuda_rdoq_part>(job.parts, kind);
    ((uint32_t *)job.weights)[id] = weight;
    atomicAdd((unsigned long long *)&part.weight, (unsigned long long)weight);
    atomicAdd((unsigned long long *)&part.weighed, (unsigned long long)b.width * b.height);
}

} // namespace wvl_rdoq

/* The last thread block takes the step, if there is one. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS) wvl_rdoq_weigh_blocks(const wvl_cuda_rdoq_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t id;
    if (wvl_rdoq::find_block(job, &id)) {
        wvl_rdoq::weigh_block(job, id);
    }
    if (job.step && wvl_rdoq::is_last(job, shared) && !threadIdx.x) {
        wvl_rdoq::take_step(job);
    }
}
