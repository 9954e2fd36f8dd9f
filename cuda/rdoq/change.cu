/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of blocks change for the slope at which blocks are going to end, as wvl_rdoq_change() changes them. A warp a
 * block.
 *
 * The order of moves counts: a sample's neighbours are read as they are when it moves. On the CPU a row is decided as a
 * whole: its neighbours above have moved, those beside it and below have not. Then the levels of the row become what
 * they are after the moves. Then what a decoder makes of lowered samples is found: neighbours above and beside have
 * moved, those below have not. Nothing else of a row depends on the order within it: the error is a sum of integers.
 * So lanes take the samples of a row at the same time, and meet twice a row: before levels change, and after.
 *
 * Levels and fractions are in shared memory. When a row is decided, its fractions are not read any more: a sample's
 * move takes the place of its fraction. Samples are written behind the scan, all rows at once.
 */
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

/* What a sample does. LOWER_NEAR: it moves down and has a neighbour at 2 S or more. */
enum : uint8_t { STAY, LOWER, LOWER_NEAR, RAISE };

/* The words of a warp in shared memory. */
struct cells {
    wvl_rdoq_rule *rule;
    uint8_t *levels; /* rows of width + 2: zeros surround the block */
    int8_t *marks;   /* rows of width: fractions, then moves */
    uint32_t width, height, pitch;

    __device__ __forceinline__ cells(uint32_t *words, uint32_t w, uint32_t h)
        : rule((wvl_rdoq_rule *)words), levels((uint8_t *)(words + WVL_CUDA_RDOQ_RULE_WORDS)),
          marks((int8_t *)(words + WVL_CUDA_RDOQ_RULE_WORDS + WVL_CUDA_RDOQ_CELL_WORDS(w, h))), width(w), height(h),
          pitch(w + 2)
    {
    }
    __device__ __forceinline__ uint8_t *level_at(uint32_t x, uint32_t y) const
    {
        return levels + (y + 1) * pitch + 1 + x;
    }
    __device__ __forceinline__ int8_t &mark_at(uint32_t x, uint32_t y) const { return marks[y * width + x]; }
    __device__ __forceinline__ void clear() const
    {
        uint32_t *words = (uint32_t *)levels;
        for (uint32_t i = lane_id(); i < WVL_CUDA_RDOQ_CELL_WORDS(width, height); i += 32) {
            words[i] = 0;
        }
        __syncwarp();
    }
};

/* ---- Levels ---------------------------------------------------------------------------------- */

template <typename T>
__device__ __forceinline__ void split_samples(const wvl_cuda_t1_block &b, uint32_t plane, const cells &c)
{
    visit_samples<T>(b, [&](T v, uint32_t x, uint32_t y) {
        wvl_rdoq_split_sample(magnitude_of(v), plane, c.level_at(x, y), &c.mark_at(x, y));
    });
    __syncwarp();
}

/* A step of the scan adds one sample to one of three counts. */
__device__ __forceinline__ wvl_rdoq_sums count_samples(const cells &c)
{
    wvl_rdoq_sums s = {0, 0, 0, 0, 0, 0, 0};
    for (walk at(c.width); at.y < c.height; at.go_on()) {
        const uint8_t *l = c.level_at(at.x, at.y);
        uint32_t level = *l, fraction = level == 1 ? (uint32_t)c.mark_at(at.x, at.y) : 0;
        bool is_above = level > 1, is_near = !is_above && wvl_rdoq_count_neighbours(l, c.pitch, 2),
             is_far = !is_above && !is_near;
        s.above += is_above;
        s.near += is_near;
        s.near_fresh += is_near ? level : 0;
        s.near_fractions += is_near ? fraction : 0;
        s.far += is_far;
        s.far_fresh += is_far ? level : 0;
        s.far_fractions += is_far ? fraction : 0;
    }
    wvl_rdoq_sums all = {sum_lanes(s.near), sum_lanes(s.near_fresh), sum_lanes(s.near_fractions),
                         sum_lanes(s.far),  sum_lanes(s.far_fresh),  sum_lanes(s.far_fractions),
                         sum_lanes(s.above)};
    return all;
}

/* ---- The scan -------------------------------------------------------------------------------- */

/* Which samples of a row move, from the levels as they are: bit i is sample 32 i + lane. */
__device__ __forceinline__ void decide_row(const cells &c, uint32_t y, uint32_t *down, uint32_t *up)
{
    *down = *up = 0;
    for (uint32_t x = lane_id(), i = 0; x < c.width; x += 32, i++) {
        const uint8_t *l = c.level_at(x, y);
        uint32_t is_below = c.mark_at(x, y) < wvl_rdoq_fetch_border(c.rule, l, c.pitch);
        *down |= (*l ? is_below : 0) << i;
        *up |= (*l ? 0 : !is_below) << i;
    }
}

__device__ __forceinline__ void change_levels(const cells &c, uint32_t y, uint32_t down, uint32_t up)
{
    for (uint32_t moves = down | up; moves; moves &= moves - 1) {
        uint32_t i = (uint32_t)__ffs(moves) - 1;
        *c.level_at(32 * i + lane_id(), y) += up >> i & 1 ? 1 : -1;
    }
}

__device__ __forceinline__ void mark_row(const cells &c, uint32_t y, uint32_t down, uint32_t up)
{
    for (uint32_t x = lane_id(), i = 0; x < c.width; x += 32, i++) {
        uint32_t move = up >> i & 1 ? RAISE : STAY;
        if (down >> i & 1) {
            move = wvl_rdoq_is_near(c.level_at(x, y), c.pitch) ? LOWER_NEAR : LOWER;
        }
        c.mark_at(x, y) = (int8_t)move;
    }
}

/* Returns whether any sample moves. A row of at most 1024 samples has 32 a lane. */
__device__ __forceinline__ bool scan_rows(const cells &c)
{
    uint32_t any = 0;
    for (uint32_t y = 0; y < c.height; y++) {
        uint32_t down, up;
        decide_row(c, y, &down, &up);
        any |= down | up;
        __syncwarp();
        change_levels(c, y, down, up);
        __syncwarp();
        mark_row(c, y, down, up);
    }
    __syncwarp();
    return join_lanes(any) != 0;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* What lanes find as they move samples. */
struct moved {
    wvl_uwide error;
    uint32_t bound;
};

template <typename T>
__device__ __forceinline__ moved move_samples(const wvl_cuda_t1_block &b, uint64_t copies, const wvl_rdoq_end &end,
                                              const cells &c)
{
    const T sign = (T) ~((T) ~(T)0 >> 1);
    T *to = (T *)(b.coefs + copies);
    moved m = {0, 0};
    visit_samples<T>(b, [&](T v, uint32_t x, uint32_t y) {
        uint32_t after = magnitude_of(v), move = (uint32_t)c.mark_at(x, y);
        if (move != STAY) {
            after = wvl_rdoq_move_sample(&end, after, move == RAISE, move == LOWER_NEAR, &m.error);
            v = after ? (T)((v & sign) | after) : (T)0;
        }
        m.bound |= after;
        to[(size_t)y * b.stride + x] = v;
    });
    return m;
}

/* The sum over the lanes, divided by 4: errors are in quarters. */
__device__ __forceinline__ void store_error(wvl_uwide quarters, wvl_cuda_rdoq_change *change)
{
    uint64_t low = sum_wide_lanes((uint32_t)quarters), middle = sum_wide_lanes((uint32_t)(quarters >> 32)),
             high = sum_wide_lanes((uint64_t)(quarters >> 64));
    wvl_uwide sum = (((wvl_uwide)high << 64) + ((wvl_uwide)middle << 32) + low) >> 2;
    change->error_low = (uint64_t)sum;
    change->error_high = (uint64_t)(sum >> 64);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Where the block ends, and levels for the plane of its last pass in the cells. `in` gets its candidates. Returns
 * whether samples may move. */
template <typename T>
__device__ __forceinline__ bool prepare(const job_type &job, const wvl_cuda_t1_block &b, const wvl_band_coding &band,
                                        uint32_t slope, const cells &c, wvl_block_input *in, wvl_rdoq_end *end)
{
    if (!slope || !in->orient || !wvl_rdoq_find_plane(in, &band, slope, end)) {
        return false;
    }
    if (!(in->bound >> end->plane)) {
        end->type = 2;
        in->max_passes = wvl_rdoq_count_passes(in, end, (int)job.is_large);
        return false;
    }
    uint32_t plane = end->plane;
    c.clear();
    split_samples<T>(b, plane, c);
    wvl_rdoq_sums sums = count_samples(c);
    wvl_rdoq_choose_pass(&sums, end);
    in->max_passes = wvl_rdoq_count_passes(in, end, (int)job.is_large);
    if (end->plane < in->frac_bits + (in->reversible ? 1u : 0u) || !(in->bound >> end->plane)) {
        return false; /* all that is left is exact, or in the last plane that there is */
    }
    if (end->plane != plane) {
        __syncwarp();
        split_samples<T>(b, end->plane, c);
    }
    return true;
}

/* What becomes of the block. */
template <typename T>
__device__ __forceinline__ void change_block(const job_type &job, uint32_t id, uint32_t slope, uint32_t *words)
{
    const wvl_cuda_t1_block &b = original_of(job, id);
    wvl_cuda_rdoq_change change = {0, 0, 0, (uint16_t)slope, 0, job.which != WVL_CUDA_RDOQ_ALL};
    wvl_cuda_t1_block coded = b;
    wvl_band_coding band = band_of(job, id);
    wvl_block_input in = describe(b);
    wvl_rdoq_end end = {0, 0, 0, 0};
    cells c(words, b.width, b.height);
    bool is_bounded = wvl_bit_length(in.bound >> in.frac_bits) <= b.planes, has_moved = false;
    if (is_bounded && prepare<T>(job, b, band, slope, c, &in, &end)) {
        if (lane_id() < 16) {
            wvl_rdoq_fill_rule(&end, lane_id(), c.rule);
        }
        __syncwarp();
        has_moved = scan_rows(c);
    }
    if (has_moved) {
        moved m = move_samples<T>(b, job.copies, end, c);
        change.bound = in.bound = join_lanes(m.bound);
        store_error(m.error, &change);
        in.max_passes = wvl_rdoq_count_passes(&in, &end, (int)job.is_large);
        coded.coefs += job.copies;
        coded.bound = job.changes + id * sizeof change + offsetof(wvl_cuda_rdoq_change, bound);
    }
    change.is_changed = has_moved || in.max_passes < 255;
    coded.max_passes = in.max_passes;
    if (!lane_id()) {
        item<wvl_cuda_rdoq_change>(job.changes, id) = change;
        item<wvl_cuda_t1_block>(coded_by(job).blocks, id) = coded;
    }
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

/* The block has no samples for the block coder: it takes no memory, and its tables are not read. */
__device__ __forceinline__ void keep_block(const job_type &job, uint32_t id)
{
    wvl_cuda_t1_block coded = original_of(job, id);
    coded.bound = job.survey + offsetof(wvl_cuda_rdoq_survey, nothing);
    coded.max_passes = 0;
    if (!lane_id()) {
        item<wvl_cuda_rdoq_change>(job.changes, id).is_again = 0;
        item<wvl_cuda_t1_block>(coded_by(job).blocks, id) = coded;
    }
}

} // namespace wvl_rdoq

extern "C" __global__ void __launch_bounds__(WVL_CUDA_RDOQ_THREADS) wvl_rdoq_change_blocks(const wvl_cuda_rdoq_job job)
{
    WVL_HT_SHARED(shared);
    uint32_t id, *words = shared + threadIdx.x / 32 * job.warp_words;
    if (wvl_rdoq::is_void(job) || !wvl_rdoq::find_block(job, &id)) {
        return;
    }
    uint32_t slope;
    bool is_asked = wvl_rdoq::find_slope(job, id, &slope);
    __syncwarp(); /* all lanes have read the slope of before when one writes it */
    if (!is_asked) {
        wvl_rdoq::keep_block(job, id);
        return;
    }
    if (wvl_rdoq::original_of(job, id).coef_bytes == 2) {
        wvl_rdoq::change_block<uint16_t>(job, id, slope, words);
    } else {
        wvl_rdoq::change_block<uint32_t>(job, id, slope, words);
    }
}
