/* SPDX-License-Identifier: BSD-2-Clause */
/* The survey of slopes (codec/core/descent.h): what follows from weights, and from blocks of a phase. */
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

/* Bytes on the hull, in bins of slopes (wvl_depth_put_block). Returns how many bins reach up to the steepest one. */
__device__ __forceinline__ uint32_t put_bytes(const job_type &job, uint32_t id)
{
    uint32_t kind = ((const uint8_t *)job.kinds)[id],
             count = is_left(job.t1, id) ? 0 : wvl_t1::state_of(job.t1, id).passes, before = 0;
    wvl_cuda_rdoq_part &part = item<wvl_cuda_rdoq_part>(job.parts, kind);
    const int64_t *gains =
        (const int64_t *)wvl_t1::units_at(job.t1, item<const wvl_cuda_t1_gains>(job.t1.gains, id).values) + count;
    const uint16_t *slopes = (const uint16_t *)(gains + count);
    const wvl_cuda_t1_pass *passes = (const wvl_cuda_t1_pass *)job.t1.passes + (size_t)id * WVL_CUDA_T1_MOST_PASSES;
    uint32_t bins = 0;
    atomicAdd((unsigned long long *)&part.seen, (unsigned long long)((const uint32_t *)job.weights)[id]);
    for (uint32_t i = 0; i < count; i++) {
        if (slopes[i]) {
            uint32_t bin = slopes[i] >> WVL_DEPTH_BIN_LOG2;
            atomicAdd((unsigned long long *)&part.bins[bin], (unsigned long long)(passes[i].final_bytes - before));
            before = passes[i].final_bytes;
            bins = max(bins, bin + 1);
        }
    }
    return bins;
}

/* ---- Slopes of the next phase ---------------------------------------------------------------- */

constexpr uint32_t CHUNK = WVL_CUDA_RDOQ_CHOOSE_THREADS; /* bins */
constexpr uint32_t ROW = WVL_CUDA_RDOQ_CHOOSE_ROW;       /* doubles: rows of groups begin in different banks */
constexpr uint32_t AT_ONCE = 8;                          /* bins of a row whose bytes are on their way together */

/*
 * wvl_descent_take() by a thread block, a chunk of bins at a time, a bin a thread. Bins are counted from the steep end:
 * `down` of the steepest one is 0.
 *
 * What the descent adds up has one order within each group alone. So a thread a group adds up the bins of a chunk, and
 * keeps each sum on the way; then all bins are looked at together. Sums never fall, and a group that is full counts as
 * its cap, which it has just passed: the total never falls either. So each comparison turns once, and the least bin
 * that says so is the one that the descent would have stopped at. Bins that are empty, or below the floor, add 0.
 *
 * Shared memory of the thread block; all threads see the same.
 */
struct chunk_words {
    wvl_descent *descent;
    double *rows;     /* [parts][ROW]: bytes of bins, scaled; those of a group's first part become its sums */
    uint32_t *full;   /* down: [WVL_RATE_GROUPS], where a group is full; ~0: nowhere yet */
    uint32_t *closed; /* the same of the budget */
    __device__ __forceinline__ explicit chunk_words(uint32_t *shared)
        : descent((wvl_descent *)shared), rows((double *)(shared + WVL_CUDA_RDOQ_DESCENT_WORDS)),
          full(shared + WVL_CUDA_RDOQ_DESCENT_WORDS - WVL_CUDA_RDOQ_FOUND_WORDS), closed(full + WVL_RATE_GROUPS)
    {
    }
};

static_assert(2 * sizeof(wvl_survey_sums) <= 2 * ROW * sizeof(double), "sums of all parts lie in their rows");

/* Bytes of a bin, in the part's row. Returns whether there are any. */
__device__ __forceinline__ bool scale_bin(const job_type &job, uint32_t part, uint32_t bin, const chunk_words &c)
{
    uint64_t bytes = item<const wvl_cuda_rdoq_part>(job.parts, part).bins[bin];
    bytes = wvl_descent_counts(c.descent, part / 2, bin) ? bytes : 0;
    c.rows[part * ROW + threadIdx.x] = wvl_descent_scale(c.descent, part, bytes);
    return bytes != 0;
}

/* The sums of a group, bin by bin. One thread. */
__device__ __forceinline__ void sum_row(uint32_t group, const chunk_words &c)
{
    double *first = c.rows + 2 * group * ROW, *second = first + ROW, sum = c.descent->bytes[group];
    for (uint32_t i = 0; i < CHUNK; i += AT_ONCE) {
        double some[2 * AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            some[2 * k] = first[i + k];
            some[2 * k + 1] = second[i + k];
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            sum += some[2 * k];
            sum += some[2 * k + 1];
            first[i + k] = sum;
        }
    }
    c.descent->bytes[group] = sum;
}

/* Adds all groups at the bin of this thread. */
__device__ __forceinline__ double total_at(uint32_t down, const chunk_words &c)
{
    const wvl_survey_aim &aim = c.descent->aim;
    double total = 0.0;
    for (uint32_t g = 0; g < aim.groups; g++) {
        total += down >= c.full[g] ? aim.cap : c.rows[2 * g * ROW + threadIdx.x];
    }
    return total;
}

/* All threads. */
__device__ __forceinline__ void take_chunk(const job_type &job, uint32_t first_down, const chunk_words &c)
{
    const wvl_survey_aim &aim = c.descent->aim;
    uint32_t down = first_down + threadIdx.x;
    bool any = false;
    for (uint32_t k = 0; k < 2 * aim.groups; k++) {
        any |= scale_bin(job, k, WVL_DEPTH_BINS - 1 - down, c);
    }
    if (!__syncthreads_or(any)) {
        return;
    }
    if (threadIdx.x < aim.groups) {
        sum_row(threadIdx.x, c);
    }
    __syncthreads();
    for (uint32_t g = 0; g < aim.groups; g++) {
        if (c.rows[2 * g * ROW + threadIdx.x] > aim.cap) {
            atomicMin(&c.full[g], down);
        }
    }
    __syncthreads();
    if (total_at(down, c) > aim.budget) {
        atomicMin(c.closed, down);
    }
    __syncthreads();
}

/* Stores what the descent has found. One thread. */
__device__ __forceinline__ void end_descent(const chunk_words &c)
{
    wvl_descent *d = c.descent;
    uint32_t closed = *c.closed;
    for (uint32_t g = 0; g < d->aim.groups; g++) {
        uint32_t down = wvl_min_u32(c.full[g], closed); /* behind the end of the budget nothing is full */
        d->thresholds[g] = down < WVL_DEPTH_BINS ? wvl_descent_find_threshold(d, WVL_DEPTH_BINS - 1 - down) : 0;
    }
}

/* All threads. Returns whether anything is known: then the descent has thresholds. */
__device__ __forceinline__ bool find_slopes(const job_type &job, const chunk_words &c)
{
    const wvl_cuda_rdoq_survey &survey = *(const wvl_cuda_rdoq_survey *)job.survey;
    bool is_known = false;
    if (!threadIdx.x) {
        wvl_survey_sums *sums = (wvl_survey_sums *)c.rows; /* they are free until then */
        load_sums(job, sums);
        is_known = wvl_descent_open(c.descent, &job.aim, sums, survey.floors, 0);
        for (uint32_t g = 0; g < WVL_RATE_GROUPS; g++) {
            c.full[g] = ~0u;
        }
        *c.closed = ~0u;
    }
    if (!__syncthreads_or(is_known)) {
        return false;
    }
    uint32_t steepest = survey.bins ? survey.bins - 1 : 0;
    for (uint32_t down = (WVL_DEPTH_BINS - 1 - steepest) / CHUNK * CHUNK; down < WVL_DEPTH_BINS && *c.closed == ~0u;
         down += CHUNK) {
        take_chunk(job, down, c);
    }
    if (!threadIdx.x) {
        end_descent(c);
    }
    return true;
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
    const chunk_words c(shared);
    raise_floors(job);
    bool is_known = find_slopes(job, c);
    for (uint32_t g = 0; g < job.aim.groups && !threadIdx.x; g++) {
        uint32_t found = is_known ? c.descent->thresholds[g] : 0;
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
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_CHOOSE_THREADS, 2) wvl_rdoq_put(const wvl_cuda_rdoq_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t at = blockIdx.x * blockDim.x + threadIdx.x,
             bins = at < job.count ? wvl_rdoq::put_bytes(job, wvl_rdoq::block_at(job, at)) : 0;
    bins = wvl_rdoq::most_lanes(bins);
    if (!wvl_rdoq::lane_id() && bins) {
        atomicMax(&((wvl_cuda_rdoq_survey *)job.survey)->bins, bins);
    }
    if (wvl_rdoq::is_last(job, shared)) {
        __syncthreads();
        wvl_rdoq::choose_slopes(job, shared);
    }
}
