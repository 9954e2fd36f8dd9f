/* SPDX-License-Identifier: BSD-2-Clause */
/* About how many bits blocks take at a slope (wvl_rdoq_weigh), and sums of it for the survey. A warp a block. */
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

/* Samples from `least` on, from 2 and from 4 times that on. */
struct ranks {
    uint32_t counts[3];
};

template <typename T> __device__ __forceinline__ void rank_samples(const wvl_cuda_t1_block &b, uint32_t least, ranks *r)
{
    visit_fours<T>(b, [&](const four_samples<T> &s, uint32_t, uint32_t) {
#pragma unroll
        for (uint32_t i = 0; i < 12; i++) {
            r->counts[i / 4] += magnitude_of(s.v[i % 4]) >> i / 4 >= least;
        }
    });
}

/* Bit 15 of each half of the result: the magnitude there is at least `border`, which is at most 2^15. */
__device__ __forceinline__ uint32_t compare_halves(uint32_t magnitudes, uint32_t border)
{
    return ((magnitudes | 0x80008000u) - border * 0x00010001u) & 0x80008000u;
}

__device__ __forceinline__ void rank_eight(const uint4 &v, uint32_t least, ranks *r)
{
    const uint32_t words[4] = {v.x & 0x7FFF7FFF, v.y & 0x7FFF7FFF, v.z & 0x7FFF7FFF, v.w & 0x7FFF7FFF};
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t border = min(least << i, 0x8000u), found = 0;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            found |= compare_halves(words[k], border) >> k;
        }
        r->counts[i] += (uint32_t)__popc(found);
    }
}

/* Rows of whole 16 bytes: eight samples a lane. */
__device__ __forceinline__ void rank_narrow(const wvl_cuda_t1_block &b, uint32_t least, ranks *r)
{
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
                rank_eight(some[i], least, r);
            }
        }
    }
}

/* The same for all lanes. */
__device__ __forceinline__ uint32_t weigh(const wvl_cuda_t1_block &b, const wvl_band_coding &band, uint32_t slope)
{
    int32_t log2_of_least = wvl_rdoq_find_least(&band, slope);
    if (log2_of_least >= 31 * 256 || !(*(const uint32_t *)b.bound >> (log2_of_least / 256))) {
        return 1;
    }
    uint32_t least = (uint32_t)(wvl_rdoq_find_root((uint32_t)log2_of_least & 255) << (log2_of_least / 256) >> 30);
    ranks r = {{0, 0, 0}};
    if (b.coef_bytes == 4) {
        rank_samples<uint32_t>(b, least, &r);
    } else if (least > 0x8000 || ((b.stride | b.width | b.coefs / 2) & 7)) {
        rank_samples<uint16_t>(b, least, &r);
    } else {
        rank_narrow(b, least, &r);
    }
    uint32_t n[4] = {(uint32_t)b.width * b.height, sum_lanes(r.counts[0]), sum_lanes(r.counts[1]),
                     sum_lanes(r.counts[2])};
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
    if (!job.step && !b.orient) { /* coded in the first phase, as it is (cuda/host/coders/rdoq_blocks.h) */
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
