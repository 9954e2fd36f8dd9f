/* SPDX-License-Identifier: BSD-2-Clause */
/* The survey of slopes (codec/core/survey.h): what follows from weights, and from blocks of a phase. */
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

__device__ __forceinline__ void load_sums(const job_type &job, wvl_survey_sums *sums)
{
    for (uint32_t k = 0; k < 2 * job.aim.groups; k++) {
        const wvl_cuda_rdoq_part &part = item<const wvl_cuda_rdoq_part>(job.parts, k);
        sums[k] = {job.samples[k], (double)part.weight, part.seen, part.weight, part.weighed};
    }
}

/* ---- First slope ----------------------------------------------------------------------------- */

/* One thread. What was weighed for this step is forgotten. */
__device__ __forceinline__ void take_step(const job_type &job)
{
    wvl_cuda_rdoq_survey &survey = *(wvl_cuda_rdoq_survey *)job.survey;
    wvl_survey_sums sums[WVL_DEPTH_PARTS];
    load_sums(job, sums);
    survey.guess += wvl_survey_is_heavy(&job.aim, sums) ? job.step : 0;
    for (uint32_t k = 0; k < 2 * job.aim.groups; k++) {
        wvl_cuda_rdoq_part &part = item<wvl_cuda_rdoq_part>(job.parts, k);
        part.weight = part.weighed = 0;
    }
    for (uint32_t g = 0; g < job.aim.groups; g++) {
        survey.slopes[g] = WVL_SURVEY_LEAST_GUESS + survey.guess;
    }
}

/* ---- Blocks of a phase ----------------------------------------------------------------------- */

__device__ __forceinline__ bool is_left(const wvl_cuda_t1_job &t1, uint32_t id)
{
    return wvl_t1::state_of(t1, id).flags & WVL_CUDA_T1_LEFT;
}

/* The energy becomes that of the unchanged block. */
__device__ __forceinline__ void settle_energy(const job_type &job, uint32_t id)
{
    const wvl_cuda_rdoq_change &change = item<const wvl_cuda_rdoq_change>(job.changes, id);
    wvl_cuda_t1_gains &gains = item<wvl_cuda_t1_gains>(coded_by(job).gains, id);
    gains.energy += wvl_rdoq_scale_error(change.error_low, change.error_high, gains.energy_shift);
}

/* Bytes on the hull, in bins of slopes (wvl_depth_put_block). */
__device__ __forceinline__ void put_bytes(const job_type &job, uint32_t id)
{
    uint32_t kind = ((const uint8_t *)job.kinds)[id],
             count = is_left(job.t1, id) ? 0 : wvl_t1::state_of(job.t1, id).passes, before = 0;
    wvl_cuda_rdoq_part &part = item<wvl_cuda_rdoq_part>(job.parts, kind);
    const int64_t *gains =
        (const int64_t *)wvl_t1::units_at(job.t1, item<const wvl_cuda_t1_gains>(job.t1.gains, id).values) + count;
    const uint16_t *slopes = (const uint16_t *)(gains + count);
    const wvl_cuda_t1_pass *passes = (const wvl_cuda_t1_pass *)job.t1.passes + (size_t)id * WVL_CUDA_T1_MOST_PASSES;
    atomicAdd((unsigned long long *)&part.seen, (unsigned long long)((const uint32_t *)job.weights)[id]);
    for (uint32_t i = 0; i < count; i++) {
        if (slopes[i]) {
            atomicAdd((unsigned long long *)&part.bins[slopes[i] >> WVL_DEPTH_BIN_LOG2],
                      (unsigned long long)(passes[i].final_bytes - before));
            before = passes[i].final_bytes;
        }
    }
}

/* ---- Slopes of the next phase ---------------------------------------------------------------- */

constexpr uint32_t CHUNK = WVL_CUDA_RDOQ_CHOOSE_THREADS; /* bins */

/* Shared memory of the thread block. Of a chunk all bins are loaded at once; one thread goes down from bin to bin,
 * since sums of doubles have one order. */
struct chunk_words {
    uint64_t *bytes;            /* [CHUNK][parts] */
    uint32_t *filled, *goes_on; /* bit k: bin k of the chunk holds something; whether the budget has room */
    __device__ __forceinline__ chunk_words(uint32_t *shared, uint32_t parts)
        : bytes((uint64_t *)shared), filled(shared + 2 * CHUNK * parts), goes_on(filled + CHUNK / 32)
    {
    }
};

/* A bin a thread. */
__device__ __forceinline__ void load_chunk(const job_type &job, uint32_t first, const chunk_words &c)
{
    uint32_t parts = 2 * job.aim.groups;
    uint64_t any = 0;
    for (uint32_t k = 0; k < parts; k++) {
        uint64_t bytes = item<const wvl_cuda_rdoq_part>(job.parts, k).bins[first + threadIdx.x];
        c.bytes[threadIdx.x * parts + k] = bytes;
        any |= bytes;
    }
    uint32_t filled = __ballot_sync(~0u, any != 0);
    if (!lane_id()) {
        c.filled[threadIdx.x / 32] = filled;
    }
}

/* One thread. *bin: the last one taken. */
__device__ __forceinline__ void take_chunk(const job_type &job, uint32_t first, const chunk_words &c, wvl_descent *d,
                                           uint32_t *bin)
{
    for (uint32_t w = CHUNK / 32; w-- > 0;) {
        for (uint32_t filled = c.filled[w]; filled && wvl_descent_is_open(d);) {
            uint32_t top = 31 - (uint32_t)__clz(filled), at = 32 * w + top;
            filled ^= 1u << top;
            *bin = first + at;
            wvl_descent_take(d, *bin, c.bytes + at * 2 * job.aim.groups);
        }
    }
}

/* All threads. The first one has the result. */
__device__ __forceinline__ bool find_slopes(const job_type &job, uint32_t *shared, wvl_descent *d)
{
    const wvl_cuda_rdoq_survey &survey = *(const wvl_cuda_rdoq_survey *)job.survey;
    chunk_words c(shared, 2 * job.aim.groups);
    wvl_survey_sums sums[WVL_DEPTH_PARTS];
    uint32_t bin = 0;
    load_sums(job, sums);
    bool is_open = wvl_descent_open(d, &job.aim, sums, survey.floors, 0);
    for (uint32_t first = WVL_DEPTH_BINS; is_open && first > 0;) {
        first -= CHUNK;
        load_chunk(job, first, c);
        __syncthreads();
        if (!threadIdx.x) {
            take_chunk(job, first, c, d, &bin);
            *c.goes_on = wvl_descent_is_open(d);
        }
        __syncthreads();
        first = *c.goes_on ? first : 0;
    }
    if (is_open) {
        wvl_descent_end(d, bin);
    }
    return is_open;
}

/* Blocks of the phase were coded for these slopes, and down to the margin below them. */
__device__ __forceinline__ void raise_floors(const job_type &job)
{
    wvl_cuda_rdoq_survey &survey = *(wvl_cuda_rdoq_survey *)job.survey;
    for (uint32_t g = 0; g < job.aim.groups && !threadIdx.x; g++) {
        survey.floors[g] = wvl_max_u32(survey.floors[g], wvl_survey_find_depth(survey.slopes[g], job.margin));
    }
    __syncthreads();
}

/* Behind the blocks of a phase. All threads. */
__device__ __forceinline__ void choose_slopes(const job_type &job, uint32_t *shared)
{
    wvl_cuda_rdoq_survey &survey = *(wvl_cuda_rdoq_survey *)job.survey;
    wvl_descent descent;
    raise_floors(job);
    bool is_known = find_slopes(job, shared, &descent);
    for (uint32_t g = 0; g < job.aim.groups && !threadIdx.x; g++) {
        uint32_t found = is_known ? descent.thresholds[g] : 0;
        survey.slopes[g] =
            wvl_survey_choose_slope(found, survey.slopes[g], survey.floors[g], job.margin, (int)job.is_damped);
    }
}

} // namespace wvl_rdoq

/* Behind the gains, and in front of the hulls. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_ITEM_THREADS) wvl_rdoq_settle(const wvl_cuda_rdoq_job job)
{
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < job.count && !wvl_rdoq::is_void(job)) {
        uint32_t id = wvl_rdoq::block_at(job, at);
        if (!wvl_rdoq::is_left(wvl_rdoq::coded_by(job), id)) {
            wvl_rdoq::settle_energy(job, id);
        }
    }
}

/* Behind the hulls. The last thread block chooses the slopes of the next phase. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_CHOOSE_THREADS) wvl_rdoq_put(const wvl_cuda_rdoq_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < job.count) {
        wvl_rdoq::put_bytes(job, wvl_rdoq::block_at(job, at));
    }
    if (wvl_rdoq::is_last(job, shared)) {
        __syncthreads();
        wvl_rdoq::choose_slopes(job, shared);
    }
}
