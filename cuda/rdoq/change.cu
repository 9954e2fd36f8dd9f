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
    uint8_t *levels; /* a row above and one below the block, and four bytes in front of each: zeros surround it */
    int8_t *marks;   /* fractions, then moves */
    uint32_t width, height, row_words;

    __device__ __forceinline__ cells(uint32_t *words, uint32_t w, uint32_t h)
        : rule((wvl_rdoq_rule *)words), levels((uint8_t *)(words + WVL_CUDA_RDOQ_RULE_WORDS)),
          marks((int8_t *)(words + WVL_CUDA_RDOQ_RULE_WORDS + WVL_CUDA_RDOQ_CELL_WORDS(w, h))), width(w), height(h),
          row_words(WVL_CUDA_RDOQ_ROW_WORDS(w))
    {
    }
    __device__ __forceinline__ uint32_t pitch_words() const { return row_words + 1; } /* of levels */
    __device__ __forceinline__ uint8_t *level_at(uint32_t x, uint32_t y) const
    {
        return levels + 4 * ((y + 1) * pitch_words() + 1) + x;
    }
    __device__ __forceinline__ int8_t &mark_at(uint32_t x, uint32_t y) const { return marks[4 * y * row_words + x]; }
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

/* ---- Four levels at a time ------------------------------------------------------------------- */

/* Levels are 0 to 4: from 2 on, bit 1 or 2 is set. */
constexpr uint32_t FROM_TWO = 0x06060606, BYTES = 0x01010101;

/* Weights of neighbours (wvl_rdoq_count_neighbours): of the row above or below, and of the sample's own. */
constexpr uint32_t CORNERS_AND_SIDE = 0x00010201, SIDES = 0x00020002;

/* Bit 1 of each byte: the level is from 2 on. */
__device__ __forceinline__ uint32_t flag_twos(uint32_t levels) { return (levels | levels >> 1) & 2 * BYTES; }

/* Bytes of which bit 1 is set: all their bits. */
__device__ __forceinline__ uint32_t fill_bytes(uint32_t flags) { return (flags >> 1) * 255; }

/* What a lane has counted. */
struct counts {
    uint32_t above, near, fresh, near_fresh, fractions, near_fractions;
};

/* Four samples of a row, the first one at 4 x. */
__device__ __forceinline__ void count_word(const cells &c, uint32_t x, uint32_t y, counts *n)
{
    const uint32_t *own = (const uint32_t *)c.level_at(4 * x, y), *above = own - c.pitch_words(),
                   *below = own + c.pitch_words(), levels = *own, fractions = *(const uint32_t *)&c.mark_at(4 * x, y);
    uint32_t beside = *above | *below, column = beside | levels, left = above[-1] | own[-1] | below[-1],
             right = above[1] | own[1] | below[1], is_above = flag_twos(levels),
             is_fresh = levels << 1 & 2 * BYTES & ~is_above,
             is_near = flag_twos(beside | __funnelshift_l(left, column, 8) | __funnelshift_r(column, right, 8));
    uint32_t beyond = 4 * (x + 1) > c.width ? 4 * (x + 1) - c.width : 0; /* bytes behind the row are no samples */
    is_near &= ~is_above & (2 * BYTES) >> 8 * beyond;
    n->above += (uint32_t)__popc(is_above);
    n->near += (uint32_t)__popc(is_near);
    n->fresh += (uint32_t)__popc(is_fresh);
    n->near_fresh += (uint32_t)__popc(is_near & is_fresh);
    n->fractions = __dp4a(fractions & fill_bytes(is_fresh), BYTES, n->fractions);
    n->near_fractions = __dp4a(fractions & fill_bytes(is_near & is_fresh), BYTES, n->near_fractions);
}

/* Fractions of fresh samples, from S to 2 S, are 0 to 127. */
__device__ __forceinline__ wvl_rdoq_sums count_samples(const cells &c)
{
    counts n = {0, 0, 0, 0, 0, 0};
    for (walk at(c.row_words); at.y < c.height; at.go_on()) {
        count_word(c, at.x, at.y, &n);
    }
    wvl_rdoq_sums all = {};
    all.above = sum_lanes(n.above);
    all.near = sum_lanes(n.near);
    all.near_fresh = sum_lanes(n.near_fresh);
    all.near_fractions = sum_lanes(n.near_fractions);
    all.far = c.width * c.height - all.above - all.near;
    all.far_fresh = sum_lanes(n.fresh) - all.near_fresh;
    all.far_fractions = sum_lanes(n.fractions) - all.near_fractions;
    return all;
}

/* A sample among its neighbours: the levels at x - 1, x and x + 1 are the three lowest bytes of each. */
struct nine {
    uint32_t above, row, below;

    __device__ __forceinline__ nine(const cells &c, uint32_t x, uint32_t y)
    {
        uint32_t odd = (x + 3) & 3; /* bytes in front of x - 1 in its word */
        const uint32_t *at = (const uint32_t *)(c.level_at(x, y) - 1 - odd), *up = at - c.pitch_words(),
                       *down = at + c.pitch_words();
        above = __funnelshift_r(up[0], up[1], 8 * odd);
        row = __funnelshift_r(at[0], at[1], 8 * odd);
        below = __funnelshift_r(down[0], down[1], 8 * odd);
    }
    __device__ __forceinline__ uint32_t level() const { return row >> 8 & 255; }
    /* wvl_rdoq_count_neighbours(). */
    __device__ __forceinline__ uint32_t count(uint32_t least) const
    {
        uint32_t more = (128 - least) * BYTES; /* bit 7 is set then: 128 + 4 - 1 at most */
        uint32_t n = __dp4a((above + more) >> 7 & BYTES, CORNERS_AND_SIDE, 0u);
        n = __dp4a((below + more) >> 7 & BYTES, CORNERS_AND_SIDE, n);
        return __dp4a((row + more) >> 7 & BYTES, SIDES, n);
    }
    /* wvl_rdoq_is_near(). */
    __device__ __forceinline__ bool has_near() const
    {
        return (((above | below) & (FROM_TWO >> 8)) | (row & (FROM_TWO & 0x00FF00FF))) != 0;
    }
};

/* ---- The scan -------------------------------------------------------------------------------- */

/* Which samples of a row move, from the levels as they are: bit i is sample 32 i + lane. */
__device__ __forceinline__ void decide_row(const cells &c, uint32_t y, uint32_t *down, uint32_t *up)
{
    *down = *up = 0;
    for (uint32_t x = lane_id(), i = 0; x < c.width; x += 32, i++) {
        const nine near(c, x, y);
        uint32_t level = near.level(), n = near.count(max(level, 1u)),
                 is_below = c.mark_at(x, y) < wvl_rdoq_choose_border(c.rule, level, n, near.has_near());
        *down |= (level ? is_below : 0) << i;
        *up |= (level ? 0 : !is_below) << i;
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
            move = nine(c, x, y).has_near() ? LOWER_NEAR : LOWER;
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
