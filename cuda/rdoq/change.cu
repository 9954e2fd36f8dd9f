/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of blocks change for the slope at which blocks are going to end, as wvl_rdoq_change() changes them. A block
 * has 8, 16 or 32 lanes of a warp: as many as its rows have words of four samples (rows.cuh).
 *
 * The order of moves counts: a sample's neighbours are read as they are when it moves. On the CPU a row is decided as a
 * whole: its neighbours above have moved, those beside it and below have not. Then the levels of the row become what
 * they are after the moves. Then what a decoder makes of lowered samples is found: neighbours above and beside have
 * moved, those below have not. Nothing else of a row depends on the order within it: the error is a sum of integers.
 * So a lane decides its samples at once, four in a word, and lanes exchange what stands beside their words.
 *
 * Rows are read twice: to count samples, and to move them. Only registers hold them. Rows of one warp go together,
 * also where blocks are of different heights. Samples go to the copy row by row, whether they move or not.
 */
#include "cuda/rdoq/moves.cuh"

namespace wvl_rdoq
{

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Twice what a lane has counted (wvl_rdoq_sums), and twice the sums of offsets. */
struct counts {
    uint32_t above, near, fresh, near_fresh, fresh_offsets, near_offsets;

    /* near_levels: bit 1 of a byte: one of the nine levels there is from 2 on. */
    __device__ __forceinline__ void add(uint32_t levels, uint32_t offsets, uint32_t near_levels)
    {
        uint32_t is_above = levels & 2 * BYTES, is_fresh = levels << 1 & 2 * BYTES & ~levels,
                 is_near = near_levels & ~levels;
        above = __dp4a(is_above, BYTES, above);
        near = __dp4a(is_near, BYTES, near);
        fresh = __dp4a(is_fresh, BYTES, fresh);
        near_fresh = __dp4a(is_near & is_fresh, BYTES, near_fresh);
        fresh_offsets = __dp4a(offsets, is_fresh, fresh_offsets);
        near_offsets = __dp4a(offsets, is_near & is_fresh, near_offsets);
    }
    /* Offsets of fresh samples are 128 to 255. */
    template <uint32_t LANES> __device__ __forceinline__ wvl_rdoq_sums sum(uint32_t samples) const
    {
        wvl_rdoq_sums all = {};
        uint32_t all_fresh = sum_lanes<LANES>(fresh) / 2, offsets = sum_lanes<LANES>(fresh_offsets) / 2;
        all.above = sum_lanes<LANES>(above) / 2;
        all.near = sum_lanes<LANES>(near) / 2;
        all.near_fresh = sum_lanes<LANES>(near_fresh) / 2;
        all.near_fractions = sum_lanes<LANES>(near_offsets) / 2 - 128 * all.near_fresh;
        all.far = samples - all.above - all.near;
        all.far_fresh = all_fresh - all.near_fresh;
        all.far_fractions = offsets - 128 * all_fresh - all.near_fractions;
        return all;
    }
};

/* Bit 1 of the bytes of a word that are samples. */
__device__ __forceinline__ uint32_t mask_samples(const block_rows &rows, uint32_t j)
{
    uint32_t n = min(rows.count(j), 4u);
    return n ? 2 * BYTES >> 8 * (4 - n) : 0;
}

template <uint32_t LANES, uint32_t WORDS>
__device__ __forceinline__ wvl_rdoq_sums count_samples(const block_rows &rows, const scale &s, uint32_t samples)
{
    typedef row<WORDS> row_type;
    counts n = {0, 0, 0, 0, 0, 0};
    auto split = [&](row_type &r) {
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            four_levels four = split_roughly(s.measure(r.samples[j]));
            r.levels[j] = four.levels;
            r.offsets[j] = four.offsets;
        }
    };
    auto visit = [&](const row_type &above, const row_type &own, const row_type &below, uint32_t y) {
        uint32_t column[WORDS], left[WORDS], right[WORDS];
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            column[j] = above.levels[j] | own.levels[j] | below.levels[j];
        }
        look_beside<LANES, WORDS>(column, left, right);
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            uint32_t is_sample = y < rows.height ? mask_samples(rows, j) : 0;
            n.add(own.levels[j], own.offsets[j], (column[j] | left[j] | right[j]) & is_sample);
        }
    };
    visit_rows<LANES, WORDS>(rows, split, visit);
    return n.sum<LANES>(samples);
}

/* ---- The scan -------------------------------------------------------------------------------- */

/* All rows, from the first on: decided, moved, and written to the copy. Returns whether a sample of this lane moved. */
template <uint32_t LANES, uint32_t WORDS>
__device__ __forceinline__ bool scan_rows(const block_rows &rows, uint64_t copies, const wvl_rdoq_end &end, moved *m)
{
    typedef row<WORDS> row_type;
    const scale s(end.plane, rows.is_wide);
    const border_tables borders(end);
    const mover by(end, rows.is_wide);
    uint32_t has_moved = 0;
    auto split = [&](row_type &r) {
        split_row(s, r);
        look_beside<LANES, WORDS>(r.levels, r.left, r.right);
    };
    /* Several words of a row are read again rather than kept: registers are few. */
    auto fetch = [&](const row_type &own, uint32_t j, uint32_t y) {
        return WORDS > 1 ? rows.load(j, y) : own.samples[j];
    };
    auto fetch_offsets = [&](const row_type &own, uint32_t j, uint32_t y) {
        return WORDS > 1 ? split_four(s.measure(rows.load(j, y))).offsets : own.offsets[j];
    };
    /* All lanes. Levels of the row become what they are after the moves. Returns whether there are any. */
    auto decide = [&](const row_type &above, row_type &own, const row_type &below, uint32_t y,
                      four_moves(&moves)[WORDS]) -> bool {
        bool may_move = false, any = false;
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            may_move |= borders.may_move({own.levels[j], fetch_offsets(own, j, y)});
        }
        if (!__any_sync(~0u, may_move)) {
            return false;
        }
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            const around near(above, own, below, j);
            uint32_t highest = near.find_highest();
            moves[j] = decide_four(near, highest, fetch_offsets(own, j, y), borders);
            uint32_t moving = moves[j].lowered | moves[j].raised;
            own.levels[j] ^= highest & fill_bytes(moving >> 7);
            any |= moving != 0;
        }
        return __any_sync(~0u, any);
    };
    auto visit = [&](const row_type &above, row_type &own, const row_type &below, uint32_t y) {
        four_moves moves[WORDS];
        bool any = decide(above, own, below, y, moves);
        if (any) {
            look_beside<LANES, WORDS>(own.levels, own.left, own.right);
        }
#pragma unroll
        for (uint32_t j = 0; j < WORDS; j++) {
            uint4 samples = fetch(own, j, y);
            if (any) {
                const around near(above, own, below, j);
                by.move(samples, moves[j], own.levels[j], near.find_near(), m);
                has_moved |= moves[j].lowered | moves[j].raised;
            }
            m->bound |= join_magnitudes(samples, rows.is_wide);
            rows.store(j, y, samples, copies);
        }
    };
    visit_rows<LANES, WORDS>(rows, split, visit);
    return has_moved != 0;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* The plane in which the block ends, or the one above. `in` gets its candidates if no sample counts. Returns whether
 * samples are to be counted. */
__device__ __forceinline__ bool find_plane(const job_type &job, const wvl_band_coding &band, uint32_t slope,
                                           wvl_block_input *in, wvl_rdoq_end *end)
{
    if (!slope || !in->orient || !wvl_rdoq_find_plane(in, &band, slope, end)) {
        return false;
    }
    if (!(in->bound >> end->plane)) {
        end->type = 2;
        in->max_passes = wvl_rdoq_count_passes(in, end, (int)job.is_large);
        return false;
    }
    return true;
}

/* Finds where the block ends; `in` gets its candidates. Returns whether samples may move: not if all that is left is
 * exact, or in the last plane that there is. */
__device__ __forceinline__ bool find_end(const job_type &job, const wvl_rdoq_sums &sums, wvl_block_input *in,
                                         wvl_rdoq_end *end)
{
    wvl_rdoq_choose_pass(&sums, end);
    in->max_passes = wvl_rdoq_count_passes(in, end, (int)job.is_large);
    return end->plane >= in->frac_bits + (in->reversible ? 1u : 0u) && in->bound >> end->plane;
}

template <uint32_t LANES> __device__ __forceinline__ void sum_error(wvl_uwide error, wvl_cuda_rdoq_change *change)
{
    uint64_t low = sum_wide_lanes<LANES>((uint32_t)error), middle = sum_wide_lanes<LANES>((uint32_t)(error >> 32)),
             high = sum_wide_lanes<LANES>((uint64_t)(error >> 64));
    wvl_uwide sum = ((wvl_uwide)high << 64) + ((wvl_uwide)middle << 32) + low;
    change->error_low = (uint64_t)sum;
    change->error_high = (uint64_t)(sum >> 64);
}

/* ---- Slopes ---------------------------------------------------------------------------------- */

/* The slope that a block is quantised for by this launch; false: it stays as it is. */
__device__ __forceinline__ bool find_slope(const job_type &job, uint32_t id, uint32_t *slope)
{
    const wvl_cuda_rdoq_survey &survey = *(const wvl_cuda_rdoq_survey *)job.survey;
    uint32_t group = ((const uint8_t *)job.kinds)[id] / 2;
    *slope = job.known ? job.known : survey.slopes[group];
    if (job.which == WVL_CUDA_RDOQ_ALL) {
        return true;
    }
    uint32_t is = item<const wvl_cuda_rdoq_change>(job.changes, id).end_slope;
    if (has_left(job)) {
        return false; /* slopes, and what rate control found, are of too few blocks: the picture will be asked for again
                       */
    }
    if (job.which == WVL_CUDA_RDOQ_STALE) {
        return wvl_rdoq_is_stale(is, *slope, WVL_SURVEY_STALE);
    }
    *slope = wvl_rdoq_find_next(is, end_of(job, id));
    return true;
}

/* The block has no samples for the block coder: it takes no memory, and its tables are not read. One lane. */
__device__ __forceinline__ void keep_block(const job_type &job, uint32_t id)
{
    wvl_cuda_t1_block coded = original_of(job, id);
    coded.bound = job.survey + offsetof(wvl_cuda_rdoq_survey, nothing);
    coded.max_passes = 0;
    item<wvl_cuda_rdoq_change>(job.changes, id).is_again = 0;
    item<wvl_cuda_t1_block>(coded_by(job).blocks, id) = coded;
}

/* Decides what becomes of the blocks of this warp. All lanes. */
template <uint32_t LANES, uint32_t WORDS> __device__ __forceinline__ void change_blocks(const job_type &job)
{
    uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, slope = 0, first = lane_id() % LANES * 4 * WORDS;
    bool is_there = at < job.count;
    uint32_t id = block_at(job, is_there ? at : 0);
    bool is_asked = is_there && find_slope(job, id, &slope);
    __syncwarp(); /* all lanes have read the slope of before when one writes it */
    const wvl_cuda_t1_block &b = original_of(job, id);
    wvl_block_input in = describe(b);
    wvl_rdoq_end end = {0, 0, 0, 0};
    bool is_bounded = wvl_bit_length(in.bound >> in.frac_bits) <= b.planes, has_moved = false,
         goes_on = is_asked && is_bounded && find_plane(job, band_of(job, id), slope, &in, &end);
    if (__any_sync(~0u, goes_on)) {
        const block_rows rows(b, first, goes_on);
        wvl_rdoq_sums sums = count_samples<LANES, WORDS>(rows, scale(end.plane, rows.is_wide), b.width * b.height);
        goes_on = goes_on && find_end(job, sums, &in, &end);
    }
    moved m = {};
    if (__any_sync(~0u, goes_on)) {
        has_moved = scan_rows<LANES, WORDS>(block_rows(b, first, goes_on), job.copies, end, &m);
    }
    if (is_there && !is_asked && !(lane_id() % LANES)) {
        keep_block(job, id);
    }
    has_moved = join_lanes<LANES>(has_moved) != 0;
    wvl_cuda_t1_block coded = b;
    wvl_cuda_rdoq_change change = {0, 0, 0, (uint16_t)slope, 0, job.which != WVL_CUDA_RDOQ_ALL};
    if (__any_sync(~0u, has_moved)) {
        uint32_t bound = join_lanes<LANES>(m.bound);
        sum_error<LANES>(m.sum_error(end.plane), &change);
        bound = b.coef_bytes == 2 ? (bound | bound >> 16) & 0x7FFF : bound;
        change.bound = has_moved ? bound : 0;
    }
    if (has_moved) {
        in.bound = change.bound;
        in.max_passes = wvl_rdoq_count_passes(&in, &end, (int)job.is_large);
        coded.coefs += job.copies;
        coded.bound = job.changes + id * sizeof change + offsetof(wvl_cuda_rdoq_change, bound);
    }
    change.is_changed = has_moved || in.max_passes < 255;
    coded.max_passes = in.max_passes;
    if (is_asked && !(lane_id() % LANES)) {
        item<wvl_cuda_rdoq_change>(job.changes, id) = change;
        item<wvl_cuda_t1_block>(coded_by(job).blocks, id) = coded;
    }
}

} // namespace wvl_rdoq

/* Blocks of up to 32, 64 and 128 columns, and of up to 1024. */
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS, 5) wvl_rdoq_change_32(const wvl_cuda_rdoq_job job)
{
    if (!wvl_rdoq::is_void(job)) {
        wvl_rdoq::change_blocks<8, 1>(job);
    }
}
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS, 5) wvl_rdoq_change_64(const wvl_cuda_rdoq_job job)
{
    if (!wvl_rdoq::is_void(job)) {
        wvl_rdoq::change_blocks<16, 1>(job);
    }
}
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS, 5) wvl_rdoq_change_128(const wvl_cuda_rdoq_job job)
{
    if (!wvl_rdoq::is_void(job)) {
        wvl_rdoq::change_blocks<32, 1>(job);
    }
}
extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS) wvl_rdoq_change_any(const wvl_cuda_rdoq_job job)
{
    if (!wvl_rdoq::is_void(job)) {
        wvl_rdoq::change_blocks<32, 8>(job);
    }
}
