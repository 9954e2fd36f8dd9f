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
 * Levels are in shared memory, and beside them a mark of each sample. At first it is the fraction. Then only samples
 * that may move at all keep it: most samples are far from every border, whatever their neighbours are. When a row is
 * decided, moves take the place of fractions. Words of four samples without a mark are passed over. Samples are written
 * behind the scan, all rows at once.
 */
#include "cuda/rdoq/blocks.cuh"

namespace wvl_rdoq
{

/* What a sample does. LOWER_NEAR: it moves down to level 1 and has a neighbour at 2 S or more. */
enum : uint8_t { STAY, LOWER, LOWER_NEAR, RAISE };

/* The words of a warp in shared memory. */
struct cells {
    wvl_rdoq_rule *rule;
    uint8_t *levels; /* a row above and one below the block, and four bytes in front of each: zeros surround it */
    int8_t *marks;   /* fractions, then those of candidates, then moves */
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
    /* Four samples; x counts in fours. */
    __device__ __forceinline__ uint32_t *levels_at(uint32_t x, uint32_t y) const
    {
        return (uint32_t *)level_at(4 * x, y);
    }
    __device__ __forceinline__ uint32_t *marks_at(uint32_t x, uint32_t y) const
    {
        return (uint32_t *)marks + y * row_words + x;
    }
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
    visit_fours<T>(b, [&](const four_samples<T> &s, uint32_t x, uint32_t y) {
        uint32_t levels = 0, fractions = 0;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint8_t level;
            int8_t fraction;
            wvl_rdoq_split_sample(magnitude_of(s.v[k]), plane, &level, &fraction);
            levels |= (uint32_t)level << 8 * k;
            fractions |= (uint32_t)(uint8_t)fraction << 8 * k;
        }
        *c.levels_at(x, y) = levels;
        *c.marks_at(x, y) = fractions;
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
    const uint32_t *own = c.levels_at(x, y), *above = own - c.pitch_words(), *below = own + c.pitch_words(),
                   levels = *own, fractions = *c.marks_at(x, y);
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

/* ---- Candidates ------------------------------------------------------------------------------ */

/* The greatest of the first 16 lanes, in all lanes. */
__device__ __forceinline__ int32_t most_of_table(int32_t v)
{
#pragma unroll
    for (uint32_t d = 8; d; d >>= 1) {
        v = max(v, (int32_t)__shfl_sync(~0u, (uint32_t)v, lane_id() ^ d));
    }
    return (int32_t)__shfl_sync(~0u, (uint32_t)v, 0);
}

/* Borders plus 128 by level, a byte each: those of level 4 come second. A sample below all borders of level 0, or at or
 * above those of another level, stays, whatever its neighbours are. */
struct border_bytes {
    uint32_t low, high;

    __device__ __forceinline__ explicit border_bytes(const wvl_rdoq_rule &rule)
    {
        uint32_t n = lane_id() % 16;
        int32_t first = most_of_table(rule.first[n]), least = -most_of_table(-rule.first[n]),
                second = max(most_of_table(rule.second[n]), (int32_t)rule.alone), more = most_of_table(rule.more[n]);
        low = (uint32_t)(least + 128) | (uint32_t)(first + 128) << 8 | (uint32_t)(second + 128) << 16 |
              (uint32_t)(more + 128) << 24;
        high = (uint32_t)(more + 128);
    }
    /* The border of each of four levels. */
    __device__ __forceinline__ uint32_t choose(uint32_t levels) const
    {
        return __byte_perm(low, high, __byte_perm(levels | levels >> 4, 0, 0x4420));
    }
};

/* Bit 7 of each byte: a is below b. */
__device__ __forceinline__ uint32_t compare_bytes(uint32_t a, uint32_t b)
{
    uint32_t rest = (a | 0x80 * BYTES) - (b & 0x7F * BYTES); /* bit 7: the lower seven bits of a are not below */
    return ((~a & b) | (~(a ^ b) & ~rest)) & 0x80 * BYTES;
}

/* Four fractions become marks: 0 where the sample stays; else the fraction, from level 1 on plus 1. There it is less
 * than 127, since it lies below a border; and below 0 at level 0. */
__device__ __forceinline__ uint32_t mark_candidates(uint32_t levels, uint32_t fractions, const border_bytes &borders)
{
    uint32_t is_up = (levels + 0x7F * BYTES) & 0x80 * BYTES, /* from level 1 on */
        is_below = compare_bytes(fractions ^ 0x80 * BYTES, borders.choose(levels)),
             is_candidate = ~(is_below ^ is_up) & 0x80 * BYTES;
    return (fractions + (is_up >> 7)) & (is_candidate >> 7) * 255;
}

/* A fraction of 127 from level 1 on is no candidate, so nothing is carried to the next byte but what is masked away:
 * 127 + 1 = 128 stays within its byte. */
__device__ __forceinline__ void keep_candidates(const cells &c)
{
    const border_bytes borders(*c.rule);
    for (walk at(c.row_words); at.y < c.height; at.go_on()) {
        uint32_t *marks = c.marks_at(at.x, at.y);
        *marks = mark_candidates(*c.levels_at(at.x, at.y), *marks, borders);
    }
    __syncwarp();
}

/* ---- The scan -------------------------------------------------------------------------------- */

/* Whether a candidate moves, and how, from the levels as they are. */
__device__ __forceinline__ uint32_t decide(const cells &c, uint32_t x, uint32_t y, uint32_t mark)
{
    const nine near(c, x, y);
    uint32_t level = near.level(), n = near.count(max(level, 1u));
    int32_t border = wvl_rdoq_choose_border(c.rule, level, n, near.has_near());
    if (level) {
        return (int32_t)mark - 1 < border ? LOWER : STAY;
    }
    return (int32_t)mark - 256 < border ? STAY : RAISE;
}

/* The moves of four samples take the place of their marks. Returns them. */
__device__ __forceinline__ uint32_t decide_four(const cells &c, uint32_t x, uint32_t y)
{
    uint32_t *marks = c.marks_at(x, y), left = *marks, moves = 0;
    if (!left) {
        return 0;
    }
    while (left) {
        uint32_t k = ((uint32_t)__ffs(left) - 1) / 8;
        moves |= decide(c, 4 * x + k, y, left >> 8 * k & 255) << 8 * k;
        left &= ~(255u << 8 * k);
    }
    *marks = moves;
    return moves;
}

/* LOWER has bit 0 alone, RAISE both. */
__device__ __forceinline__ uint32_t find_raised(uint32_t moves) { return moves >> 1 & BYTES; }
__device__ __forceinline__ uint32_t find_lowered(uint32_t moves) { return moves & ~(moves >> 1) & BYTES; }

/* What is lowered is at level 1 or above. */
__device__ __forceinline__ void change_levels(const cells &c, uint32_t y)
{
    for (uint32_t x = lane_id(); x < c.row_words; x += 32) {
        uint32_t moves = *c.marks_at(x, y);
        if (moves) {
            *c.levels_at(x, y) += find_raised(moves) - find_lowered(moves);
        }
    }
}

/* LOWER becomes LOWER_NEAR. Only samples that are at level 1 now are asked: the value of others does not depend on it
 * (wvl_rdoq_twice_lowered). */
__device__ __forceinline__ void find_near(const cells &c, uint32_t y)
{
    for (uint32_t x = lane_id(); x < c.row_words; x += 32) {
        uint32_t moves = *c.marks_at(x, y), levels = *c.levels_at(x, y),
                 lowered = find_lowered(moves) & levels & ~(levels >> 1);
        while (lowered) {
            uint32_t k = ((uint32_t)__ffs(lowered) - 1) / 8;
            moves += (uint32_t)nine(c, 4 * x + k, y).has_near() << 8 * k;
            lowered &= lowered - 1;
        }
        *c.marks_at(x, y) = moves;
    }
}

/* Returns whether any sample moves. type: of the last pass; behind a cleanup pass neighbours make no difference to what
 * is lowered. */
__device__ __forceinline__ bool scan_rows(const cells &c, uint32_t type)
{
    bool has_moved = false;
    for (uint32_t y = 0; y < c.height; y++) {
        uint32_t any = 0;
        for (uint32_t x = lane_id(); x < c.row_words; x += 32) {
            any |= decide_four(c, x, y);
        }
        if (!__any_sync(~0u, any != 0)) {
            continue;
        }
        has_moved = true;
        __syncwarp();
        change_levels(c, y);
        __syncwarp();
        if (type != 2) {
            find_near(c, y);
        }
    }
    __syncwarp();
    return has_moved;
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
    const sample_rows<T> to(b, copies);
    moved m = {0, 0};
    visit_fours<T>(b, [&](const four_samples<T> &from, uint32_t x, uint32_t y) {
        four_samples<T> s = from;
        uint32_t moves = *c.marks_at(x, y);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t move = moves >> 8 * k & 255;
            if (move != STAY) {
                uint32_t after =
                    wvl_rdoq_move_sample(&end, magnitude_of(s.v[k]), move == RAISE, move == LOWER_NEAR, &m.error);
                s.v[k] = after ? (T)((s.v[k] & sign) | after) : (T)0;
            }
            m.bound |= magnitude_of(s.v[k]);
        }
        to.store(x, y, s);
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
        keep_candidates(c);
        has_moved = scan_rows(c, end.type);
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
