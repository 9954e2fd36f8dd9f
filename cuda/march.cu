/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two levels in one pass: level shift, colour transform, lifting, quantisation and bounds from pixels, or the next two levels from a plane.
 *
 * Runs: one warp a thread block, so that all but the lane is uniform, takes a strip of 32 lanes of C columns and marches down, four rows an
 * iteration with the next four in registers (5/3 from 16-bit pixels to 32) or four to eight on their way through 2 to 12 KiB of shared memory;
 * no barrier. Of three components each has a warp of its own, in neighbouring blocks: the pixels that all three read come to the second and
 * third from L2. With 16 columns and the irreversible colour transform, which is long, a fourth warp does it once for all: 128 threads, 48 KiB;
 * strips of these may go on from one picture to the next (block/beside.cuh).
 * 9/7 of 16 columns leaves level 2 in shared memory between its steps, 5 KiB a warp (block/wide.cuh).
 * Lifting state stays in registers; one or two lanes at either side, three of 4 columns, recompute what the neighbouring strip owns.
 * Bytes a sample: container + coefficient + 1/4 for the low-low plane (1/8 from 8-bit pixels in 5/3); 2 or 4 (6) of 32 lanes and 9 (9/7: 21) rows of a
 * segment are read twice. ncu, 8192 x 8192, 8 bits, 5/3: 79 MB read and 124 MB written while it runs, of 67 and 143.
 * Registers for 9.0 (no spills, which would fail the build) and share of the convert ceiling by the first launch alone, on an H200:
 *   16 columns, 8 bits: 115 in 5/3, 77 %, 167 in 9/7, 69 %; 3 components in batches: 167 and 154, 75 % and 163, 68 %
 *   8 columns, 8 bits: 122 and 164; 3 components 115 to 128; 16 bits to 16: 124, 76 % (by bytes), and 165; 16 bits to 32: 128, 81 %, and
 *   166, 79 %
 *   planes: 122 to 128 and 164 to 168, of 4 columns 118; they wait for the flags of the rows in front (block/order.cuh), then all compute at once.
 * choose.c says which pictures fit; the others go through the any-shape kernels.
 */
#include "cuda/block/bands.cuh"
#include "cuda/block/beside.cuh"
#include "cuda/block/halves.cuh"
#include "cuda/block/lift.cuh"
#include "cuda/block/order.cuh"
#include "cuda/block/pack.cuh"
#include "cuda/block/rows.cuh"
#include "cuda/tuning.h"

__device__ __forceinline__ int mirror_row(int y, int first, int end)
{
    y = y < first ? 2 * first - y : y;
    return y >= end ? 2 * (end - 1) - y : y;
}

/* Of the lane, in the resolution. Strips begin with the room that the one before owns, so that what they own begins with a whole sector. lead: lanes of
 * the first strip before the first column. */
template <int C> __device__ __forceinline__ int first_column(const wvl_cuda_job &job, const wvl_cuda_item &item, uint32_t lead)
{
    return ((int)(item.x * (32 - 2 * job.room) - lead) + (int)(threadIdx.x & 31)) * C;
}

/* Iterations: of the segment itself, those before it, of which only the state is wanted, or whichever they are. */
enum { OWN, RUN_IN, EITHER };

/* T: int32_t (5/3) or float (9/7). R: the rows it reads. A: how they come. C: columns a lane. CB: bytes a coefficient. PACK: as many small jobs as
 * the lanes have room for. */
template <class T, class R, class A, int C, int CB, int DEPTH = EITHER_DEPTH, bool PACK = false> struct marcher {
    static constexpr bool F97 = column<T, 1>::lag == 1;
    static constexpr int H = C / 2, Q = C / 4, LAG = F97, R0 = F97 ? 5 : 3;
    /* What a segment runs before its own iterations, so that its state is that of the segment before: steps of level 1 that only go down, one more, whose
     * low row is the first that level 2 knows, and iterations that store nothing. */
    static constexpr int DOWN = F97 ? 3 : 1, WARM = F97 ? 3 : 1, STEPS = DOWN + 1 + 2 * WARM;
    static_assert(STEPS % 2 == 0, "whole iterations");
    /* Loops of their own for these are faster. In 5/3, of three components and of planes, less code is: launches that overlap share what holds it. */
    static constexpr bool APART = F97 || (R::parts == 1 && R::bytes != 0);
    static constexpr int REST = APART ? OWN : EITHER;
    static constexpr bool EDGES = F97 && R::bytes == 0 && R::parts == 1; /* wvl_cuda_owns_edges() */
    static constexpr int LOW = !F97 && R::bytes == 1 ? 2 : 4; /* bytes a sample of the low-low plane: narrow from 8-bit pixels, as tables.c has it */

    R rows;
    A ahead;
    uint32_t seen, top_row[R::words];
    int slot;                /* of the next two rows */
    column<T, C> v1;
    column<T, H> v2;
    march_bands<CB, PACK, F97 || R::parts == 3> one, two;
    T keep[H], even[H];
    bool first, last, mine;
    int part, y0, y1, l0, l1, m, from, to, bias; /* l0, l1: rows of the low-low band of level 1 */
    float shift;
    uint8_t *low;
    uint64_t low_pitch, flag;

    __device__ __forceinline__ void unpack(T (&v)[C], const uint32_t (&w)[R::words])
    {
        if constexpr (R::bytes == 0) {
            unpack_plane<R, C>(v, w);
        } else if constexpr (R::parts == 3) {
            unpack_color<R, C>(v, w, shift, part);
        } else {
            unpack_row<R, C>(v, w, shift);
        }
        if (R::bytes == 2) {
#pragma unroll
            for (int i = 0; i < R::words; i++) {
                seen |= w[i];
            }
        }
    }

    /* Rows y and y + 1 set out. */
    __device__ __forceinline__ void fetch(int to_slot, int y)
    {
        ahead.fetch(rows, to_slot, mirror_row(y, y0, y1));
        ahead.fetch(rows, to_slot + 1, mirror_row(y + 1, y0, y1));
        ahead.close();
    }

    /* Iteration m finishes rows 2m + 1, 2m + 2 of level 1 and row m - LAG of level 2. */
    __device__ __forceinline__ void open_rows(const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        y0 = (int)job.rect.y0;
        y1 = (int)job.rect.y1;
        l0 = (y0 + 1) >> 1;
        l1 = (y1 + 1) >> 1;
        from = (((y0 >> 1) - 1) >> 1) + (int)item.y;
        to = from + (int)item.count;
    }
    /* The odd one of the first two rows, the lower of which level 1 begins with. */
    __device__ __forceinline__ int first_row() const { return 4 * from + R0 - 2 * STEPS; }

    /* own: the job of the warp's component, or (PACK) of the lane; job: of the first one, the same in all but pointers and steps, and (PACK) where it
     * begins. */
    __device__ __forceinline__ void open(const wvl_cuda_job &job, const wvl_cuda_job &own, const wvl_cuda_item &item)
    {
        const int lane = threadIdx.x & 31, room = (int)job.room;
        const int width = (int)(job.rect.x1 - job.rect.x0), tag = PACK ? (int)threadIdx.x * C / width : 0;
        const beside_lane at = R::beside ? beside_lane::find<C>(job, item, lane) : beside_lane{0, first_column<C>(job, item, EDGES ? job.lead : job.room)};
        const int col = PACK ? (int)threadIdx.x * C - tag * width : at.col;
        const wvl_cuda_job &here = PACK ? own : (&job)[at.job], &lane_own = (&own)[at.job];
        first = col == 0;
        last = col + C == width;
        const bool edges = EDGES && !job.lead;
        const int from_lane = edges && !item.x ? 0 : room, to_lane = edges && item.x + 1 == job.strips ? 32 : 32 - room;
        mine = PACK ? tag < (int)job.pack : col >= 0 && col < width && lane >= from_lane && lane < to_lane;
        open_rows(job, item);
        part = R::parts == 3 ? job.mct_part : 0;
        int unshift = R::bytes ? (int)(job.pixels[0].half - job.pixels[0].bias) : 0;
        shift = 8388608.0f + (float)unshift;
        bias = part <= 1 ? unshift : 0;
        rows.open(here, here.rect.x0 + (R::window ? 0 : (uint32_t)max(0, min(col, width - C))));
        ahead.place(rows, col / C - lane, width / C);
        const uint32_t x1 = (here.rect.x0 >> 1) + (uint32_t)(col >> 1), x2 = (here.rect.x0 >> 2) + (uint32_t)(col >> 2);
        one.template open<R::beside>(job.band, own.band, lane_own.band, x1, 2 * from + 1, (uint32_t)tag);
        two.template open<R::beside>(job.deep_band, own.deep_band, lane_own.deep_band, x2, from - LAG, (uint32_t)tag);
        low_pitch = job.low.pitch_bytes;
        low = (uint8_t *)lane_own.low.data + (int64_t)(from - LAG - (int)job.low.y0) * (int64_t)low_pitch + (int64_t)(x2 - here.low.x0) * LOW;
        v1.clear();
        v2.clear();
        seen = 0;
        flag = open_flag(PACK ? job : own, item);
        if constexpr (R::bytes == 0 && R::parts == 1) {
            wait_for_rows(own.front_flags, item);
        }
        fetch_first();
        if constexpr (R::bytes != 0 || R::parts != 1) {
            wait_for_launch_in_front(); /* pixels are nobody's; bounds and flags have to be clear */
        }
    }

    /* The row before the first pair, and as many pairs as there is room for. */
    __device__ __forceinline__ void fetch_first()
    {
        const int y = first_row();
        if constexpr (A::peeks) {
#pragma unroll
            for (int i = 0; i < A::slots; i += 2) {
                fetch(i, y + i);
            }
            slot = 0;
            ahead.peek(rows, mirror_row(y - 1, y0, y1), top_row);
            unpack(v1.x, top_row);
            return;
        }
        fetch(0, y - 1);
#pragma unroll
        for (int i = 2; i < A::slots; i += 2) {
            fetch(i, y - 2 + i);
        }
        ahead.wait();
        ahead.read(0, top_row);
        unpack(v1.x, top_row);
        ahead.release();
        fetch(0, y - 2 + A::slots);
        slot = 2 % A::slots;
    }

    /* The next two rows of level 1. */
    __device__ __forceinline__ void take_rows(int h, T (&o)[C], T (&e)[C])
    {
        uint32_t raw[R::words];
        const int at = A::slots == 4 ? 2 * h : A::slots == 2 ? 0 : slot;
        ahead.wait();
        ahead.read(at, raw);
        unpack(o, raw);
        ahead.read(at + 1, raw);
        unpack(e, raw);
        ahead.release();
        fetch(at, 4 * m + A::slots + R0 + 2 * h);
        slot = (slot + 2) % A::slots;
    }

    template <int WHICH> __device__ __forceinline__ bool is_own() const { return WHICH == OWN || (WHICH == EITHER && m >= from); }

    /* Rows 2m + 1 + h of level 1's bands; a row of its low-low band goes to `ll`. */
    template <int WHICH> __device__ __forceinline__ void put_one(int h, T (&ll)[H])
    {
        T o[C], e[C], lo[C];
        const int q = 2 * m + 1 + h;
        take_rows(h, o, e);
        v1.template step<false>(o, e, lo, 0);
        if (is_own<WHICH>() && h == 1 && one.begins(q)) {
            one.flush(q - 1, mine);
            one.jump(q);
        }
        if constexpr (F97 && WHICH == OWN) {
            lift_rows<C>(lo, o, first, last);
        } else {
            lift_row<C>(lo, first, last);
        }
        if (is_own<WHICH>()) {
            if constexpr (!F97 || WHICH == EITHER) {
                lift_row<C>(o, first, last);
            }
            if (2 * q >= y0 && 2 * q < y1) {
                put_run<H, CB, DEPTH>(one.to[0] + one.at, lo + 1, one.r[0], one.deep, mine, one.bound[0]);
            }
            if (2 * q + 1 >= y0 && 2 * q + 1 < y1) {
                put_run<H, CB, DEPTH>(one.to[1] + one.at, o, one.r[1], one.deep, mine, one.bound[1]);
                put_run<H, CB, DEPTH>(one.to[2] + one.at, o + 1, one.r[2], one.deep, mine, one.bound[2]);
            }
            one.at += one.slot_row;
        }
#pragma unroll
        for (int j = 0; j < H; j++) {
            ll[j] = lo[2 * j];
        }
    }

    __device__ __forceinline__ uint32_t low_bits(T v) const
    {
        if constexpr (F97) {
            return __float_as_uint(v);
        } else {
            return (uint32_t)(v - bias);
        }
    }
    __device__ __forceinline__ void put_low(const T (&l2)[H])
    {
        constexpr int WORDS = Q * LOW / 4;
        uint32_t w[WORDS];
#pragma unroll
        for (int j = 0; j < WORDS; j++) {
            w[j] = LOW == 4 ? low_bits(l2[2 * j]) : __byte_perm(low_bits(l2[LOW == 2 ? 4 * j : 0]), low_bits(l2[LOW == 2 ? 4 * j + 2 : 0]), 0x5410);
        }
        if (mine && (F97 || R::parts == 1)) { /* three components in batches leave more than L2 holds */
            store_kept<WORDS>(low, w);
        } else if (mine) {
            store_plain<WORDS>(low, w);
        }
    }

    /* Row m - LAG of level 2. */
    template <int WHICH> __device__ __forceinline__ void put_two()
    {
        T l2[H];
        const int edges = step_edges(m, l0, l1 - 1), q = m - LAG;
        if (edges) {
            v2.template step<true>(keep, even, l2, edges);
        } else {
            v2.template step<false>(keep, even, l2, 0);
        }
        if (is_own<WHICH>()) {
            if constexpr (F97) {
                lift_rows<H>(l2, keep, first, last);
            } else {
                lift_row<H>(l2, first, last);
                lift_row<H>(keep, first, last);
            }
            if (2 * q >= l0 && 2 * q < l1) {
                put_run<Q, CB, DEPTH>(two.to[0] + two.at, l2 + 1, two.r[0], two.deep, mine, two.bound[0]);
                put_low(l2);
            }
            if (2 * q + 1 >= l0 && 2 * q + 1 < l1) {
                put_run<Q, CB, DEPTH>(two.to[1] + two.at, keep, two.r[1], two.deep, mine, two.bound[1]);
                put_run<Q, CB, DEPTH>(two.to[2] + two.at, keep + 1, two.r[2], two.deep, mine, two.bound[2]);
            }
            two.at += two.slot_row;
            low += low_pitch;
            if (two.begins(q + 1)) {
                two.flush(q, mine);
                two.jump(q + 1);
            }
        }
    }

    /* The steps before the first iteration. */
    __device__ __forceinline__ void go_down()
    {
#pragma unroll (A::registers ? STEPS - 2 * WARM : 1)
        for (int s = -STEPS; s < -2 * WARM; s++) {
            T o[C], e[C], lo[C];
            m = from + (s >> 1);
            take_rows(s & 1, o, e);
            v1.template step<false>(o, e, lo, 0);
            if (s == -2 * WARM - 1) {
                lift_row<C>(lo, first, last);
#pragma unroll
                for (int j = 0; j < H; j++) {
                    v2.x[j] = lo[2 * j];
                }
            }
        }
        m = from - WARM;
    }

    /* The whole segment. M: this, or what takes and puts the rows of level 1 in its own way. */
    template <class M> static __device__ __forceinline__ void march_down(M &w)
    {
        w.m = w.from - STEPS / 2;
        if constexpr (APART) {
            w.go_down();
#pragma unroll 1
            for (; w.m < w.from; w.m++) {
                w.template put_one<RUN_IN>(0, w.keep);
                w.template put_one<RUN_IN>(1, w.even);
                w.template put_two<RUN_IN>();
            }
        }
#pragma unroll 1
        for (; w.m < w.to; w.m++) {
            w.template put_one<REST>(0, w.keep);
            w.template put_one<REST>(1, w.even);
            w.template put_two<REST>();
        }
        set_flag(w.flag);
        let_next_launch_begin();
        w.one.flush(2 * w.to, w.mine);
        w.two.flush(w.to - 1 - LAG, w.mine);
    }

    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_job &job, const wvl_cuda_job &own, const wvl_cuda_item &item)
    {
        ahead.open(shared);
        open(job, own, item);
        march_down(*this);
        if (R::bytes == 2) {
            const uint32_t beyond = ~((1u << job.pixels[0].depth) - 1) & 0xffffu;
            if (seen & (beyond | beyond << 16)) {
                atomicOr((uint32_t *)job.outside, 1u);
            }
        }
        end_launch();
    }
};

/* 8-bit pixels in 5/3: level 1 in half floats, level 2 as above. */
struct half_marcher : marcher<int32_t, pixel_rows<16, 1, 1, false>, row_ring<pixel_rows<16, 1, 1, false>, 4>, 16, 2> {
    halves_column halves;

    __device__ __forceinline__ void take_rows(int h, uint32_t (&o)[8], uint32_t (&e)[8])
    {
        uint32_t raw[4];
        ahead.wait();
        ahead.read(2 * h, raw);
        unpack_halves(o, raw, 0x65656565u);
        ahead.read(2 * h + 1, raw);
        unpack_halves(e, raw, 0x64646464u);
        fetch(2 * h, 4 * m + ahead.slots + R0 + 2 * h);
    }

    template <int WHICH> __device__ __forceinline__ void put_one(int h, int32_t (&ll)[H])
    {
        uint32_t o[8], e[8], lo[8];
        const int q = 2 * m + 1 + h;
        take_rows(h, o, e);
        halves.step(o, e, lo);
        if (WHICH == OWN && h == 1 && one.begins(q)) {
            one.flush(q - 1, mine);
            one.jump(q);
        }
        lift_halves(lo, HALVES_MINUS_128, first, last);
        if (WHICH == OWN) {
            lift_halves(o, HALVES_MINUS_1792, first, last);
            if (2 * q >= y0 && 2 * q < y1) {
                put_halves(one.to[0] + one.at, lo + 4, mine, one.bound[0]);
            }
            if (2 * q + 1 >= y0 && 2 * q + 1 < y1) {
                put_halves(one.to[1] + one.at, o, mine, one.bound[1]);
                put_halves(one.to[2] + one.at, o + 4, mine, one.bound[2]);
            }
            one.at += one.slot_row;
        }
        take_halves(ll, lo);
    }

    __device__ __forceinline__ void go_down()
    {
#pragma unroll 1
        for (int s = -STEPS; s < -2 * WARM; s++) {
            uint32_t o[8], e[8], lo[8];
            m = from + (s >> 1);
            take_rows(s & 1, o, e);
            halves.step(o, e, lo);
            if (s == -2 * WARM - 1) {
                lift_halves(lo, HALVES_MINUS_128, first, last);
                take_halves(v2.x, lo);
            }
        }
        m = from - WARM;
    }

    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        ahead.open(shared);
        open(job, job, item);
        halves.open(top_row);
        bias += HALVES_OFFSET;
        march_down(*this);
        end_launch();
    }
};

#include "cuda/block/wide.cuh"

/* The fourth warp of three components: pairs of rows, of which the stage holds one while the other warps read the one before. */
template <class T, class R, class A, int C> struct mixer {
    R rows;
    A ahead;
    int y0, y1;

    __device__ __forceinline__ void fetch(int slot, int y)
    {
        ahead.fetch(rows, slot, mirror_row(y, y0, y1));
        ahead.fetch(rows, slot + 1, mirror_row(y + 1, y0, y1));
        ahead.close();
    }
    /* again: there is an older pair where this one goes. */
    __device__ __forceinline__ void mix(color_stage<C> &stage, int slot, float shift, bool again)
    {
        if (again) {
            stage.reclaim();
        }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t raw[R::words];
            ahead.read(slot + h, raw);
            mix_row<R, C>(stage, h, raw, shift);
        }
        ahead.release();
        stage.offer();
    }
    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_job &job, const wvl_cuda_item &item)
    {
        typedef marcher<T, stage_rows<C>, color_stage<C>, C, 2> reader;
        color_stage<C> stage;
        reader like;
        like.open_rows(job, item);
        y0 = like.y0;
        y1 = like.y1;
        const float shift = 8388608.0f + (float)(int)(job.pixels[0].half - job.pixels[0].bias);
        ahead.template open<C>(shared + color_stage<C>::shared_bytes / 16, rows, job, item);
        stage.open(shared);
        stage.pair = 0;
        const int y = like.first_row(), pairs = 2 * (like.to - like.from) + reader::STEPS;
        fetch(0, y - 1);
#pragma unroll
        for (int i = 2; i < A::slots; i += 2) {
            fetch(i, y - 2 + i);
        }
        ahead.wait();
        mix(stage, 0, shift, false);
        fetch(0, y - 2 + A::slots);
        int slot = 2;
#pragma unroll 1
        for (int k = 0; k < pairs; k++) {
            ahead.wait();
            mix(stage, slot, shift, k > color_stage<C>::pairs - 2);
            fetch(slot, y + 2 * k + A::slots);
            slot = slot + 2 < A::slots ? slot + 2 : 0;
        }
#pragma unroll
        for (int i = 0; i < color_stage<C>::pairs; i++) {
            stage.reclaim();
            stage.turn();
        }
    }
};

/* Three components of 16 bits have not a register to spare. */
template <class R> __device__ __forceinline__ uint32_t first_job(const wvl_cuda_item &item, uint32_t only)
{
    return R::parts == 3 && R::bytes == 2 ? item.job : job_of(item, only);
}

#define MARCH(name, T, ROWS, AHEAD, C, CB, BLOCKS) MARCH_DEPTH(name, T, ROWS, AHEAD, C, CB, EITHER_DEPTH, BLOCKS)
#define MARCH_DEPTH(name, T, ROWS, AHEAD, C, CB, DEPTH, BLOCKS)                                 \
    extern "C" __global__ void __launch_bounds__(32, BLOCKS) name(LAUNCH_ARGUMENTS)             \
    {                                                                                           \
        begin_launch(asked);                                                                    \
        __shared__ uint4 shared[AHEAD<ROWS>::shared_bytes / 16];                                \
        const wvl_cuda_item item = items[blockIdx.x / ROWS::parts];                             \
        marcher<T, ROWS, AHEAD<ROWS>, C, CB, DEPTH> march;                                      \
        const wvl_cuda_job &job = jobs[first_job<ROWS>(item, only) + blockIdx.x % ROWS::parts]; \
        march.run(shared, job, job, item);                                                      \
    }

/* Several jobs of 8 columns a lane each. */
#define MARCH_PACKED(name, T, ROWS, CB, BLOCKS)                                                                   \
    extern "C" __global__ void __launch_bounds__(32, BLOCKS) name(LAUNCH_ARGUMENTS)                               \
    {                                                                                                             \
        begin_launch(asked);                                                                                      \
        __shared__ uint4 shared[row_ring<ROWS>::shared_bytes / 16];                                               \
        const wvl_cuda_item item = items[blockIdx.x];                                                             \
        const wvl_cuda_job *job = jobs + job_of(item, only);                                                      \
        marcher<T, ROWS, row_ring<ROWS>, 8, CB, EITHER_DEPTH, true> march;                                                      \
        march.run(shared, *job, job[min(threadIdx.x * 8 / (job->rect.x1 - job->rect.x0), job->pack - 1u)], item); \
    }

/* Three components whose colours a fourth warp makes. */
#define MARCH_MIXED(name, ROWS, AHEAD)                                                                                \
    extern "C" __global__ void __launch_bounds__(128, WVL_CUDA_MARCH_BLOCKS97_X3W) name(LAUNCH_ARGUMENTS)             \
    {                                                                                                                 \
        begin_launch(asked);                                                                                          \
        typedef AHEAD<ROWS, WVL_CUDA_MARCH_ROWS_X3W> ahead_type;                                                      \
        typedef color_stage<16> stage;                                                                                \
        typedef wide_marcher<stage_rows<16>, stage> marcher97;                                                        \
        constexpr int rows_at = stage::shared_bytes / 16, rest_at = rows_at + ahead_type::shared_bytes / 16;          \
        __shared__ uint4 shared[rest_at + 3 * marcher97::shared_bytes / 16];                                          \
        open_meetings(stage::first_empty);                                                                            \
        const int role = mixed_role(__shfl_sync(FULL_WARP, threadIdx.x, 0));                                          \
        if (role == 3) {                                                                                              \
            mixer<float, ROWS, ahead_type, 16> mix;                                                                   \
            mix.run(shared, jobs[job_of(items[blockIdx.x], only)], items[blockIdx.x]);                                \
        } else {                                                                                                      \
            marcher97 march;                                                                                          \
            march.ahead.part = role;                                                                                  \
            march.run(shared + stage::part_bytes / 16 * role, shared + rest_at + marcher97::shared_bytes / 16 * role, \
                      jobs, items, only, role);                                                                       \
        }                                                                                                             \
    }

typedef plane_rows<8, 4> rows_plane;
typedef plane_rows<4, 4> rows_plane_n;
typedef plane_rows<8, 2> rows_plane_s;
typedef pixel_rows<16, 1, 3, true, true> rows_8x3w;
typedef pixel_rows<16, 1, 3, false> rows_8p3w;
typedef pixel_rows<16, 1, 1, false> rows_8;
template <class R> using short_ring = row_ring<R, 4>;
typedef pixel_rows<8, 1, 1, false> rows_8n;
typedef pixel_rows<8, 1, 3, true> rows_8x3;
typedef pixel_rows<8, 1, 3, false> rows_8p3;
typedef pixel_rows<8, 2, 1, false> rows_16;

MARCH(wvl_plane53, int32_t, rows_plane, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_plane97, float, rows_plane, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_plane53_w, int32_t, rows_plane, row_ring, 8, 4, WVL_CUDA_MARCH_WARPS53)
MARCH_DEPTH(wvl_plane97_w, float, rows_plane, row_ring, 8, 4, SHALLOW, WVL_CUDA_MARCH_WARPS97)
MARCH_DEPTH(wvl_plane97_d, float, rows_plane, row_ring, 8, 4, DEEP, WVL_CUDA_MARCH_WARPS97)
MARCH_DEPTH(wvl_plane97_n, float, rows_plane_n, short_ring, WVL_CUDA_MARCH_COLUMNS_N, 4, SHALLOW, WVL_CUDA_MARCH_WARPS97_N)
MARCH(wvl_plane53_s, int32_t, rows_plane_s, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH_PACKED(wvl_plane53_p, int32_t, rows_plane, 2, WVL_CUDA_MARCH_WARPS53_PACKED)
MARCH_PACKED(wvl_plane97_p, float, rows_plane, 2, WVL_CUDA_MARCH_WARPS97_PACKED)
MARCH_PACKED(wvl_plane53_wp, int32_t, rows_plane, 4, WVL_CUDA_MARCH_WARPS53_PACKED)
MARCH_PACKED(wvl_plane97_wp, float, rows_plane, 4, WVL_CUDA_MARCH_WARPS97_PACKED)
MARCH_PACKED(wvl_plane53_sp, int32_t, rows_plane_s, 2, WVL_CUDA_MARCH_WARPS53_PACKED)

extern "C" __global__ void __launch_bounds__(32, WVL_CUDA_MARCH_WARPS53_HALF) wvl_march53_8(LAUNCH_ARGUMENTS)
{
    begin_launch(asked);
    __shared__ uint4 shared[short_ring<rows_8>::shared_bytes / 16];
    const wvl_cuda_item item = items[blockIdx.x];
    half_marcher march;
    march.run(shared, jobs[job_of(item, only)], item);
}

extern "C" __global__ void __launch_bounds__(32, WVL_CUDA_MARCH_WARPS97_8) wvl_march97_8(LAUNCH_ARGUMENTS)
{
    begin_launch(asked);
    typedef wide_marcher<rows_8, short_ring<rows_8>> marcher97;
    __shared__ uint4 shared[(short_ring<rows_8>::shared_bytes + marcher97::shared_bytes) / 16];
    marcher97 march;
    march.run(shared, shared + short_ring<rows_8>::shared_bytes / 16, jobs, items, only, 0);
}
MARCH(wvl_march53_8n, int32_t, rows_8n, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_march97_8n, float, rows_8n, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_march53_8x3, int32_t, rows_8x3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53_X3)
MARCH(wvl_march97_8x3, float, rows_8x3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97_X3)
MARCH(wvl_march53_8p3, int32_t, rows_8p3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS53_X3)
MARCH(wvl_march97_8p3, float, rows_8p3, row_ring, 8, 2, WVL_CUDA_MARCH_WARPS97_X3)
MARCH(wvl_march53_16, int32_t, rows_16, short_ring, 8, 2, WVL_CUDA_MARCH_WARPS53)
MARCH(wvl_march97_16, float, rows_16, short_ring, 8, 2, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_march53_16w, int32_t, rows_16, row_registers, 8, 4, WVL_CUDA_MARCH_WARPS53)
MARCH_DEPTH(wvl_march97_16w, float, rows_16, short_ring, 8, 4, SHALLOW, WVL_CUDA_MARCH_WARPS97)
MARCH_DEPTH(wvl_march97_16d, float, rows_16, short_ring, 8, 4, DEEP, WVL_CUDA_MARCH_WARPS97)
MARCH(wvl_march53_8x3w, int32_t, rows_8x3w, row_window, 16, 2, WVL_CUDA_MARCH_WARPS53_8)
MARCH(wvl_march53_8p3w, int32_t, rows_8p3w, row_ring, 16, 2, WVL_CUDA_MARCH_WARPS53_8)
MARCH_MIXED(wvl_march97_8x3w, rows_8x3w, beside_window)
MARCH_MIXED(wvl_march97_8p3w, rows_8p3w, beside_ring)
