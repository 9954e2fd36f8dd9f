/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EBCOT blocks: lists of symbols, 2 * context + bit, in the order of coding (15444-1 D.3). A thread block for a block,
 * a thread for a word, plane after plane.
 *
 * Every sample is coded in one pass of a plane. So its neighbours as that pass sees them are chosen first, and contexts
 * of all three passes are found at once. The symbols of a plane are put side by side in shared memory, and go in whole
 * units to the chunks of the block. All threads do the same steps; none waits for the fullest word.
 */
#pragma once
#include "cuda/blocks/t1_codes.cuh"

namespace wvl_t1
{

/* What a word brings to a plane. q: as column_state takes it. */
struct plane_words {
    uint32_t bit, fresh, q;
};

/* One word of a block of the class: where its planes are, and those of its neighbours. */
struct word_place {
    const uint32_t *words, *fresh, *member; /* plane 0 */
    int up, down;                           /* offsets of the words above and below, if there are any */
    bool is_there, has_up, has_down;

    __device__ __forceinline__ void open(const uint32_t *piece, const word_layout &layout, uint32_t n)
    {
        uint32_t stride = 1u << layout.width_log2, at;
        is_there = n < layout.words;
        n = is_there ? n : 0;
        at = layout.place(n);
        has_up = is_there && n >= stride;
        has_down = is_there && n + stride < layout.words;
        up = has_up ? (int)(layout.place(n - stride) - at) : 0;
        down = has_down ? (int)(layout.place(n + stride) - at) : 0;
        words = piece + at;
        fresh = words + layout.total;
        member = fresh + layout.total;
    }
    /* seen: 0 where the stripe below is not looked at. */
    __device__ __forceinline__ plane_words load(uint32_t plane, uint32_t seen) const
    {
        plane_words w = {0, 0, 0};
        int at = (int)plane * 8;
        uint32_t up_bit = 0, up_fresh = 0, down_bit = 0, down_fresh = 0;
        if (is_there) {
            w.bit = words[at], w.fresh = fresh[at];
        }
        if (has_up) {
            up_bit = words[at + up], up_fresh = fresh[at + up];
        }
        if (has_down && seen) {
            down_bit = words[at + down], down_fresh = fresh[at + down];
        }
        w.q = __byte_perm(__byte_perm(up_fresh, up_bit, 0x0073), __byte_perm(down_bit, down_fresh, 0x4000), 0x7610);
        return w;
    }
    /* A row of signs above and below the word's own: n, s as find_sign_codes wants them. */
    __device__ __forceinline__ void load_signs(uint32_t planes, uint32_t *sign, uint32_t *n, uint32_t *s) const
    {
        const uint32_t *p = words + planes * 8;
        *sign = is_there ? *p : 0;
        *n = __funnelshift_l(has_up ? p[up] : 0, *sign, 8);
        *s = __funnelshift_r(*sign, has_down ? p[down] : 0, 8);
    }
};

__device__ __forceinline__ uint32_t move_right(uint32_t v, uint32_t left)
{
    return (v << 1 & 0xFEFEFEFEu) | (left >> 7 & 0x01010101u);
}
__device__ __forceinline__ uint32_t move_left(uint32_t v, uint32_t right)
{
    return (v >> 1 & 0x7F7F7F7Fu) | (right << 7 & 0x80808080u);
}

/* Words to the left and right come from other lanes of the warp. */
template <uint32_t WIDTH_LOG2> struct words_by_shuffle {
    word_place mid;
    plane_words next;
    uint32_t from_left, from_right; /* all ones, or 0 at the sides */

    __device__ __forceinline__ void open(const uint32_t *piece, const word_layout &layout, uint32_t n)
    {
        uint32_t word = n & ((1u << WIDTH_LOG2) - 1);
        mid.open(piece, layout, n);
        from_left = word ? ~0u : 0;
        from_right = word + 1 < 1u << WIDTH_LOG2 ? ~0u : 0;
    }
    __device__ __forceinline__ uint32_t right_of(uint32_t v) const
    {
        return move_right(v, __shfl_up_sync(~0u, v, 1) & from_left);
    }
    __device__ __forceinline__ uint32_t left_of(uint32_t v) const
    {
        return move_left(v, __shfl_down_sync(~0u, v, 1) & from_right);
    }
    __device__ __forceinline__ void fetch(uint32_t plane, uint32_t seen) { next = mid.load(plane, seen); }
    /* West: what is moved right. Then the words of plane - 1 are on their way. */
    __device__ __forceinline__ void take(uint32_t plane, uint32_t seen, plane_words *own, plane_words *west,
                                         plane_words *east)
    {
        *own = next;
        if (plane) {
            fetch(plane - 1, seen);
        }
        *west = {right_of(own->bit), right_of(own->fresh), right_of(own->q)};
        *east = {left_of(own->bit), left_of(own->fresh), left_of(own->q)};
    }
    __device__ __forceinline__ void take_signs(uint32_t planes, uint32_t *sign, uint32_t *n, uint32_t *s, uint32_t *w,
                                               uint32_t *e) const
    {
        mid.load_signs(planes, sign, n, s);
        *w = right_of(*sign);
        *e = left_of(*sign);
    }
};

/* Any shape: words to the left and right are read. */
struct words_by_load {
    word_place mid, left, right;

    __device__ __forceinline__ void open(const uint32_t *piece, const word_layout &layout, uint32_t n)
    {
        uint32_t word = n & ((1u << layout.width_log2) - 1);
        mid.open(piece, layout, n);
        left.open(piece, layout, mid.is_there && word ? n - 1 : layout.words);
        right.open(piece, layout, mid.is_there && word + 1 < 1u << layout.width_log2 ? n + 1 : layout.words);
    }
    __device__ __forceinline__ void fetch(uint32_t, uint32_t) {}
    __device__ __forceinline__ void take(uint32_t plane, uint32_t seen, plane_words *own, plane_words *west,
                                         plane_words *east) const
    {
        plane_words l = left.load(plane, seen), r = right.load(plane, seen), m = mid.load(plane, seen);
        *own = m;
        *west = {move_right(m.bit, l.bit), move_right(m.fresh, l.fresh), move_right(m.q, l.q)};
        *east = {move_left(m.bit, r.bit), move_left(m.fresh, r.fresh), move_left(m.q, r.q)};
    }
    __device__ __forceinline__ void take_signs(uint32_t planes, uint32_t *sign, uint32_t *n, uint32_t *s, uint32_t *w,
                                               uint32_t *e) const
    {
        uint32_t l, r, none;
        mid.load_signs(planes, sign, n, s);
        left.load_signs(planes, &l, &none, &none);
        right.load_signs(planes, &r, &none, &none);
        *w = move_right(*sign, l);
        *e = move_left(*sign, r);
    }
};

/* ---- Symbols of a plane ---------------------------------------------------------------------- */

/* Samples that the passes of a plane code, and their symbols: of column c in word c, rows in bytes. */
struct plane_symbols {
    uint32_t member, fresh;     /* propagation: coded; with a sign */
    uint32_t own;               /* refinement */
    uint32_t rest, news, start; /* cleanup: coded alone or as a run; with a sign; where a run ends */
    uint32_t zero[8], sign[8];

    __device__ __forceinline__ uint32_t count_first() const
    {
        return __popc(member) + __popc(fresh) + (__popc(own) << 16);
    }
    __device__ __forceinline__ uint32_t count_last() const { return __popc(rest) + __popc(news) + 2 * __popc(start); }
};

struct sign_words {
    uint32_t own, n, s, w, e;
};

struct column_states {
    column_state mid, left, right;
    uint32_t older; /* refined before */
};

/* Columns of the cleanup pass that a run begins: the new samples of a column are neighbours of its own ones, so only
 * what lies outside counts. run: their first sample, or where the run ends. */
__device__ __forceinline__ uint32_t find_runs(const neighbours &at, uint32_t clean, uint32_t news, plane_symbols *p)
{
    uint32_t bad =
        at.west | at.east | at.nw | at.ne | at.sw | at.se | (at.n & 0x000000FFu) | (at.s & 0xFF000000u) | ~clean;
    bad |= bad >> 16;
    bad |= bad >> 8;
    uint32_t quiet = ~bad & 0xFFu, r0 = news, r1 = news >> 8, r2 = news >> 16, r3 = news >> 24;
    uint32_t k0 = quiet & r0, k1 = quiet & ~r0 & r1, k2 = quiet & ~r0 & ~r1 & r2, k3 = quiet & ~r0 & ~r1 & ~r2 & r3;
    uint32_t none = quiet & ~(r0 | r1 | r2 | r3);
    p->start = k0 | k1 << 8 | k2 << 16 | k3 << 24;
    p->rest = clean & ~(k1 | k2 | k3 | (k2 | k3) << 8 | k3 << 16 | none * 0x01010100u);
    return none | p->start;
}

__device__ __forceinline__ void find_symbols(column_states &c, const plane_words &own_words, const plane_words &west,
                                             const plane_words &east, uint32_t member, uint32_t valid, uint32_t orient,
                                             bool is_raw, const sign_words &signs, plane_symbols *p)
{
    uint32_t bit = own_words.bit;
    c.older = c.mid.own;
    c.mid.open(bit, own_words.fresh, own_words.q);
    c.left.open(west.bit, west.fresh, west.q);
    c.right.open(east.bit, east.fresh, east.q);
    const column_state &mid = c.mid, &left = c.left, &right = c.right;
    uint32_t own = mid.own;
    neighbours a = {mid.north<0>(mid.now),
                    mid.south<2>(own),
                    left.now,
                    right.own,
                    left.north<0>(left.now),
                    right.north<0>(right.own),
                    left.south<2>(left.now),
                    right.south<2>(right.own)}; /* propagation */
    neighbours b = {mid.north<1>(mid.after),
                    mid.south<3>(mid.now),
                    left.after,
                    right.now,
                    left.north<1>(left.after),
                    right.north<1>(right.now),
                    left.south<3>(left.after),
                    right.south<3>(right.now)}; /* cleanup */
    uint32_t near_now = a.n | b.s | left.now | right.now | a.nw | left.south<3>(left.now) | right.north<0>(right.now) |
                        b.se; /* refinement */
    neighbours at = {pick(a.n, b.n, member),       pick(a.s, b.s, member),   pick(a.west, b.west, member),
                     pick(a.east, b.east, member), pick(a.nw, b.nw, member), pick(a.ne, b.ne, member),
                     pick(a.sw, b.sw, member),     pick(a.se, b.se, member)};
    uint32_t clean = valid & ~own & ~member;
    p->member = member;
    p->fresh = own_words.fresh;
    p->own = own;
    p->news = clean & bit;
    uint32_t run = find_runs(at, clean, p->news, p);
    /* Zero coding 2 * context + bit (0 where a run begins), refinement 28, 30 or 32, a run 34. */
    zero_codes z = find_zero_codes(at, orient);
    uint32_t older = c.older;
    uint32_t zero[8] = {bit,
                        pick(near_now & ~older, z.c0 | run, own),
                        pick(~older, z.c1, own),
                        pick(~older, z.c2, own),
                        pick(~older, z.c3, own),
                        pick(older, run, own),
                        0,
                        0};
    transpose(zero);
    sign_codes g = find_sign_codes(at, signs.n, signs.s, signs.w, signs.e, signs.own);
    uint32_t decision = is_raw ? pick(signs.own, g.bit, p->fresh) : g.bit;
    uint32_t sign[8] = {decision, g.c0, g.c1, g.c2, ~0u, 0, 0, 0};
    transpose(sign);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        p->zero[k] = zero[k];
        p->sign[k] = sign[k];
    }
}

/* ---- Symbols to their places ----------------------------------------------------------------- */

constexpr uint32_t GROUP = 2, GROUP_MASK = ((1u << GROUP) - 1) * 0x01010101u; /* columns left out together */

__device__ __forceinline__ bool is_any(uint32_t flags) { return __any_sync(~0u, flags != 0); }

/* Symbols of the propagation pass, each with the sign of a new sample behind it, or of refinement. coded: samples. */
template <bool WITH_SIGNS> __device__ __forceinline__ void put_pass(const plane_symbols &p, uint32_t coded, uint32_t at)
{
#pragma unroll
    for (uint32_t c0 = 0; c0 < 8; c0 += GROUP) {
        if (is_any(coded & GROUP_MASK << c0)) {
#pragma unroll
            for (uint32_t i = 0; i < 4 * GROUP; i++) {
                const uint32_t c = c0 + i / 4, r = i % 4, one = 1u << c << 8 * r;
                put_symbol(at, p.zero[c] >> 8 * r, coded & one);
                if (WITH_SIGNS) {
                    put_symbol(at, p.sign[c] >> 8 * r, p.fresh & one);
                }
            }
        }
    }
}

__device__ __forceinline__ void put_cleanup_row(const plane_symbols &p, uint32_t c, uint32_t r, bool with_start,
                                                uint32_t &at)
{
    const uint32_t one = 1u << c << 8 * r;
    put_symbol(at, p.zero[c] >> 8 * r, p.rest & one);
    if (with_start) {
        put_two_symbols(at, 2 * WVL_T1_CTX_UNIFORM + (r >> 1), 2 * WVL_T1_CTX_UNIFORM + (r & 1), p.start & one);
    }
    put_symbol(at, p.sign[c] >> 8 * r, p.news & one);
}

__device__ __forceinline__ void put_cleanup(const plane_symbols &p, uint32_t at)
{
#pragma unroll
    for (uint32_t c = 0; c < 8; c++) {
        if (!is_any(p.rest & 0x01010100u << c)) { /* no new samples, most often: columns whose run has no end */
            put_cleanup_row(p, c, 0, false, at);
        } else {
            bool with_start = is_any(p.start & 0x01010101u << c);
#pragma unroll
            for (uint32_t r = 0; r < 4; r++) {
                put_cleanup_row(p, c, r, with_start, at);
            }
        }
    }
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* Where the list of a block goes on. All threads know it. */
struct list_end {
    uint32_t chunk, used; /* units of the chunk that are full: always less than CHUNK_DATA */
};

/* Chunks for `units` more, so that one more unit has room after them. Chunks of one grant lie side by side. is_listed:
 * they were taken in the round before, where the same symbols went. Returns the first; ~0: there is no memory. */
__device__ __forceinline__ uint32_t take_chunks(const wvl_cuda_t1_job &job, const list_end &end, uint32_t units,
                                                bool is_listed)
{
    uint32_t count = (end.used + units) / CHUNK_DATA, room = count * WVL_CUDA_T1_CHUNK_UNITS;
    if (!count || is_listed) {
        return count ? *units_at(job, end.chunk + CHUNK_DATA) : 0;
    }
    uint32_t first = atomicAdd(counter_of(job, WVL_CUDA_T1_SCRATCH_UNITS), room);
    if ((uint64_t)first + room > job.scratch_units) {
        return ~0u;
    }
    *units_at(job, end.chunk + CHUNK_DATA) = first;
    for (uint32_t c = 1; c < count; c++) {
        *units_at(job, first + c * WVL_CUDA_T1_CHUNK_UNITS - 1) = first + c * WVL_CUDA_T1_CHUNK_UNITS;
    }
    return first;
}

/* The place of unit i behind the end. */
__device__ __forceinline__ uint32_t place_unit(const list_end &end, uint32_t first, uint32_t i)
{
    uint32_t at = end.used + i, chunk = at / CHUNK_DATA;
    return (chunk ? first + (chunk - 1) * WVL_CUDA_T1_CHUNK_UNITS : end.chunk) + at % CHUNK_DATA;
}

__device__ __forceinline__ void advance(list_end &end, uint32_t first, uint32_t units)
{
    uint32_t at = end.used + units, chunk = at / CHUNK_DATA;
    end.chunk = chunk ? first + (chunk - 1) * WVL_CUDA_T1_CHUNK_UNITS : end.chunk;
    end.used = at % CHUNK_DATA;
}

/* ---- A block --------------------------------------------------------------------------------- */

/* Symbols of the passes of a plane, and what of them lies before this thread's. */
struct plane_counts {
    uint32_t n0, n1, n2, before0, before1, before2;
};

/* turn: uint32_t[2 * WARPS]. All threads meet here: the stage of the plane before last is free after it. */
template <uint32_t WARPS> __device__ __forceinline__ plane_counts count_symbols(const plane_symbols &p, uint32_t *turn)
{
    uint32_t a0 = p.count_first(), b0 = p.count_last(), a = wvl_ht::scan<32>(a0), b = wvl_ht::scan<32>(b0);
    uint32_t warp = threadIdx.x / 32, sum_a = 0, sum_b = 0;
    if (WARPS > 1) {
        if (lane_id() == 31) {
            turn[2 * warp] = a;
            turn[2 * warp + 1] = b;
        }
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < WARPS; i++) {
            uint32_t u = turn[2 * i], v = turn[2 * i + 1];
            a += i < warp ? u : 0;
            b += i < warp ? v : 0;
            sum_a += u;
            sum_b += v;
        }
    } else {
        sum_a = __shfl_sync(~0u, a, 31);
        sum_b = __shfl_sync(~0u, b, 31);
        __syncwarp();
    }
    a -= a0;
    b -= b0;
    return {sum_a & 0xFFFF, sum_a >> 16, sum_b, a & 0xFFFF, a >> 16, b};
}

/* Symbols that the codeword of a block has to have room for: those of all passes, which a later round may code. */
__device__ __forceinline__ uint32_t bound_symbols(const wvl_cuda_t1_block &b, const wvl_cuda_t1_state &state,
                                                  uint32_t symbols)
{
    if (state.passes == wvl_cuda_t1_all_passes(state.planes, b.max_passes)) {
        return symbols;
    }
    return (uint32_t)b.width * (b.height * (state.planes + 1u) + 2 * ((b.height + 3u) / 4)) + 4u * state.planes;
}

/* The end of the list: its last unit, its last chunk, and memory for the codeword. */
__device__ __forceinline__ void close_list(const wvl_cuda_t1_job &job, const wvl_cuda_t1_block &b, const list_end &end,
                                           wvl_cuda_t1_state &state, const uint32_t *ends)
{
    uint32_t symbols = ends[state.passes - 1u], all = wvl_cuda_t1_all_passes(state.planes, b.max_passes),
             units = (uint32_t)(wvl_t1_bound_symbols(bound_symbols(b, state, symbols), all, b.style) + 15) / 16;
    *units_at(job, end.chunk + CHUNK_DATA) = end.chunk;
    state.symbols = symbols;
    if (job.round) {
        return; /* the codeword goes to its place of the round before */
    }
    uint32_t first = atomicAdd(counter_of(job, WVL_CUDA_T1_SCRATCH_UNITS), units);
    state.codeword = first;
    if ((uint64_t)first + units > job.scratch_units) {
        state.flags = WVL_CUDA_T1_LEFT;
        atomicAdd(counter_of(job, WVL_CUDA_T1_LEFT_BLOCKS), 1);
    }
}

/* The symbols of a plane to the stage, at address base. */
__device__ __forceinline__ void put_plane(const plane_symbols &p, const plane_counts &counts, uint32_t base)
{
    put_pass<true>(p, p.member, base + counts.before0);
    put_pass<false>(p, p.own, base + counts.n0 + counts.before1);
    if (counts.n2) {
        put_cleanup(p, base + counts.n0 + counts.n1 + counts.before2);
    }
}

/* One thread: where the passes of plane k end, and the segmentation symbol behind them (D.5). */
__device__ __forceinline__ void close_plane(uint32_t *ends, uint32_t k, uint32_t total, const plane_counts &counts,
                                            uint32_t base, uint32_t segment_symbols)
{
    uint32_t first = counts.n0 + counts.n1, at = base + first + counts.n2;
    if (k) {
        ends[3 * k - 2] = total + counts.n0;
        ends[3 * k - 1] = total + first;
    }
    ends[3 * k] = total + first + counts.n2 + segment_symbols;
    put_two_symbols(at, 2 * WVL_T1_CTX_UNIFORM + 1, 2 * WVL_T1_CTX_UNIFORM, segment_symbols);
    put_two_symbols(at, 2 * WVL_T1_CTX_UNIFORM + 1, 2 * WVL_T1_CTX_UNIFORM, segment_symbols);
}

/* One thread. */
__device__ __forceinline__ void leave_block(const wvl_cuda_t1_job &job, wvl_cuda_t1_state &state)
{
    state.flags = WVL_CUDA_T1_LEFT;
    atomicAdd(counter_of(job, WVL_CUDA_T1_LEFT_BLOCKS), 1);
}

/* Whole units of a stage to the list; what is left of one, to the start of the other stage. */
template <uint32_t WARPS>
__device__ __forceinline__ void store_units(const wvl_cuda_t1_job &job, const list_end &end, uint32_t first,
                                            uint32_t units, const uint32_t *stage, uint32_t *other)
{
    for (uint32_t i = threadIdx.x; i < units; i += 32 * WARPS) {
        *(uint4 *)units_at(job, place_unit(end, first, i)) = ((const uint4 *)stage)[i];
    }
    if (threadIdx.x < 4) {
        other[threadIdx.x] = stage[4 * units + threadIdx.x];
    }
}

/* WORDS: words_by_shuffle or words_by_load. */
template <class WORDS, uint32_t WARPS, uint32_t SAMPLES>
__device__ __forceinline__ void list_block(const wvl_cuda_t1_job &job, uint32_t id, uint32_t width_log2)
{
    constexpr uint32_t STAGE = WVL_CUDA_T1_STAGE_BYTES(SAMPLES) / 4;
    WVL_HT_SHARED(shared); /* two stages by turns of planes, sums of warps by turns, a grant */
    uint32_t *sums = shared + 2 * STAGE, *grant = sums + 2 * 2 * 8;
    const wvl_cuda_t1_block &b = block_of(job, id);
    wvl_cuda_t1_state &state = state_of(job, id);
    const uint32_t planes = state.planes, passes = state.passes, style = b.style, orient = b.orient,
                   seen = style & WVL_STYLE_VSC ? 0 : ~0u, segment_symbols = style & WVL_STYLE_SEGSYM ? 4 : 0,
                   listed = state.listed;
    if (!passes || (job.round && !(state.flags & WVL_CUDA_T1_AGAIN))) {
        return;
    }
    word_layout layout(width_log2, b.height, planes);
    uint32_t n = threadIdx.x, *ends = units_at(job, state.ends);
    uint32_t valid = n < layout.words ? inside(b.width, b.height, n & ((1u << width_log2) - 1), n >> width_log2) : 0;
    list_end end = {state.list, 0};
    column_states columns;
    columns.mid.clear();
    columns.left.clear();
    columns.right.clear();
    WORDS words;
    words.open(units_at(job, state.words), layout, n);
    words.fetch(planes - 1, seen);
    sign_words signs;
    words.take_signs(planes, &signs.own, &signs.n, &signs.s, &signs.w, &signs.e);
    uint32_t filled = 0, total = 0;                      /* bytes at the start of the stage; symbols */
    const uint32_t last = planes - 1 - (passes + 1) / 3; /* plane of the last pass */
    for (uint32_t plane = planes; plane-- > last;) {
        uint32_t k = planes - 1 - plane, turn = plane & 1;
        plane_words own, west, east;
        uint32_t member = words.mid.is_there ? words.mid.member[plane * 8] : 0;
        words.take(plane, seen, &own, &west, &east);
        plane_symbols p;
        find_symbols(columns, own, west, east, member, valid, orient, is_raw_plane(k, style), signs, &p);
        plane_counts counts = count_symbols<WARPS>(p, sums + turn * 2 * 8);
        uint32_t count = counts.n0 + counts.n1 + counts.n2 + segment_symbols, units = (filled + count) / 16;
        uint32_t *stage = shared + turn * STAGE, base = wvl_ht::shared_address(stage) + filled;
        put_plane(p, counts, base);
        if (!threadIdx.x) {
            close_plane(ends, k, total, counts, base, segment_symbols);
            grant[turn] = take_chunks(job, end, units, k < listed);
        }
        meet<WARPS>();
        total += count;
        filled = (filled + count) & 15;
        uint32_t first = grant[turn];
        if (first == ~0u) {
            if (!threadIdx.x) {
                leave_block(job, state);
            }
            return;
        }
        store_units<WARPS>(job, end, first, units, stage, shared + (turn ^ 1) * STAGE);
        advance(end, first, units);
    }
    meet<WARPS>();
    if (!threadIdx.x) {
        *(uint4 *)units_at(job, end.chunk + end.used) = *(const uint4 *)(shared + ((last & 1) ^ 1) * STAGE);
        state.listed = (uint8_t)(planes - last);
        close_list(job, b, end, state, ends);
    }
}

/* Blocks of a class, a thread block each; by turns where grids are smaller. */
template <class WORDS, uint32_t WARPS, uint32_t SAMPLES, uint32_t KIND>
__device__ __forceinline__ void list_blocks(const wvl_cuda_t1_job &job)
{
    for (uint32_t at = blockIdx.x; at < job.class_count[KIND] && is_asked(job); at += gridDim.x) {
        uint32_t id = ((const uint32_t *)job.lists)[job.class_first[KIND] + at], log2 = KIND == WVL_CUDA_T1_64 ? 3 : 2;
        list_block<WORDS, WARPS, SAMPLES>(job, id,
                                          KIND == WVL_CUDA_T1_ANY ? any_width_log2(block_of(job, id).width) : log2);
        meet<WARPS>();
    }
}

} // namespace wvl_t1

extern "C" __global__ void __launch_bounds__(128, 8) wvl_t1_list_64(const wvl_cuda_t1_job job)
{
    wvl_t1::list_blocks<wvl_t1::words_by_shuffle<3>, 4, 4096, WVL_CUDA_T1_64>(job);
}

/* Thread blocks of a warp that a multiprocessor holds: 16 everywhere, more on 9.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
#define WVL_T1_RESIDENT_WARPS 32
#else
#define WVL_T1_RESIDENT_WARPS 16
#endif

extern "C" __global__ void __launch_bounds__(32, WVL_T1_RESIDENT_WARPS) wvl_t1_list_32(const wvl_cuda_t1_job job)
{
    wvl_t1::list_blocks<wvl_t1::words_by_shuffle<2>, 1, 1024, WVL_CUDA_T1_32>(job);
}

extern "C" __global__ void __launch_bounds__(256, 2) wvl_t1_list_any(const wvl_cuda_t1_job job)
{
    wvl_t1::list_blocks<wvl_t1::words_by_load, 8, 4096, WVL_CUDA_T1_ANY>(job);
}
