/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two levels in one pass: level shift, color transform, lifting, quantisation and bounds from pixels, or the next two
 * levels from a plane.
 *
 * Runs: one warp a thread block, so that all but the lane is uniform. It takes a panel of 32 lanes of C columns and
 * marches down, four rows an iteration. The next rows are on their way: four in registers (5/3 from 16-bit pixels to 32
 * bits), or four to eight in 2 to 12 KiB of shared memory; no barrier. Of three components each has a warp of its own,
 * in neighbouring blocks: the pixels that all three read come to the second and third from L2. Where the color
 * transform is long (irreversible, 16 columns), a fourth warp does it once for all: march_mixed.cuh.
 * 9/7 of 16 columns leaves level 2 in shared memory between its steps: march_wide.cuh. 5/3 of 8-bit pixels in 16
 * columns runs level 1 in half floats: march_halves.cuh.
 * Lifting state stays in registers; one or two lanes at either side, three of 4 columns, recompute what the
 * neighbouring panel owns.
 *
 * Memory bounds it: each row is read once but for the margins of panels and of stretches. Spills fail the build
 * (kernel_rows.h has the thread blocks that registers allow). Kernels that read planes wait for the flags of the rows
 * in front (core/order.cuh). docs/bench.md says how to measure. choose.c says which pictures fit; the others go through
 * the any-shape kernels.
 */
#ifndef WVL_CUDA_DWT_MARCH_CUH
#define WVL_CUDA_DWT_MARCH_CUH

#include "cuda/core/order.cuh"
#include "cuda/core/reflect.h"
#include "cuda/dwt/block/bands.cuh"
#include "cuda/dwt/block/beside.cuh"
#include "cuda/dwt/block/lift.cuh"
#include "cuda/dwt/block/pack.cuh"
#include "cuda/dwt/block/rows.cuh"
#include "cuda/dwt/tuning.h"

/* The columns of the lane, in the resolution. Panels begin with the room that the one before owns, so that what they
 * own begins with a whole sector. lead: lanes of the first panel before the first column. */
template <int C>
__device__ __forceinline__ int first_column(const wvl_cuda_split &split, const wvl_cuda_item &item, uint32_t lead)
{
    return ((int)(item.x * (32 - 2 * split.room) - lead) + (int)(threadIdx.x & 31)) * C;
}

/* M coefficients v[0], v[2], ... of a band. A macro, as the bodies of the kernels are. */
#define PUT_RUN(M, BANDS, B, V)                                                                                        \
    if constexpr (CB == 0) {                                                                                           \
        put_either<M>(BANDS.to[B] + (BANDS.at << BANDS.is_wide(B)), V, BANDS.is_wide(B), mine, BANDS.bound[B]);        \
    } else {                                                                                                           \
        put_run<M, CB, DEPTH>(BANDS.to[B] + BANDS.at, V, BANDS.r[B], BANDS.deep, mine, BANDS.bound[B]);                \
    }

/* Iterations: of the stretch itself, those before it, of which only the state is wanted, or whichever they are. */
enum { OWN, RUN_IN, EITHER };

/* T: int32_t (5/3) or float (9/7). R: the rows it reads. A: how they come. C: columns a lane. CB: bytes a coefficient.
 * PACK: as many small splits as the lanes have room for. */
template <class T, class R, class A, int C, int CB, int DEPTH = WVL_CUDA_DEPTH_ANY, bool PACK = false> struct marcher {
    static constexpr bool F97 = column<T, 1>::lag == 1;
    static constexpr int H = C / 2, Q = C / 4, LAG = F97, R0 = F97 ? 5 : 3;
    /* What a stretch runs before its own iterations, so that its state is that of the stretch before: steps of level 1
     * that only go down, one more, whose low row is the first that level 2 knows, and iterations that store nothing. */
    static constexpr int DOWN = F97 ? 3 : 1, WARM = F97 ? 3 : 1, STEPS = DOWN + 1 + 2 * WARM;
    static_assert(STEPS % 2 == 0, "whole iterations");
    /* Loops of their own for these are faster. In 5/3, of three components and of planes, less code is: launches that
     * overlap share what holds it. */
    static constexpr bool APART = F97 || (R::parts == 1 && R::bytes != 0);
    static constexpr int REST = APART ? OWN : EITHER;
    static constexpr bool EDGES = F97 && R::bytes == 0 && R::parts == 1; /* the rows of kernel_rows.h that own EDGES */
    static constexpr int LOW =
        !F97 && R::bytes == 1
            ? 2
            : 4; /* bytes a sample of the low-low plane: narrow from 8-bit pixels, as tables.c has it */

    R rows;
    A ahead;
    uint32_t seen, top_row[R::words];
    int place; /* of the next two rows */
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
        } else if constexpr (R::signs) {
            unpack_signs<R, C>(v, w, rows, part);
        } else if constexpr (R::parts == 3) {
            unpack_color<R, C>(v, w, shift, part);
        } else {
            unpack_row<R, C>(v, w, shift);
        }
        if constexpr (R::signs) {
            if (part == R::checker) {
                look_at<R>(seen, w, rows);
            }
        } else if (R::bytes == 2) {
#pragma unroll
            for (int i = 0; i < R::words; i++) {
                seen |= w[i];
            }
        }
    }

    /* Rows y and y + 1 set out. */
    __device__ __forceinline__ void fetch(int to_place, int y)
    {
        ahead.fetch(rows, to_place, wvl_cuda_reflect_once(y, y0, y1));
        ahead.fetch(rows, to_place + 1, wvl_cuda_reflect_once(y + 1, y0, y1));
        ahead.close();
    }

    /* Iteration m finishes rows 2m + 1, 2m + 2 of level 1 and row m - LAG of level 2. */
    __device__ __forceinline__ void open_rows(const wvl_cuda_split &split, const wvl_cuda_item &item)
    {
        y0 = (int)split.rect.y0;
        y1 = (int)split.rect.y1;
        l0 = (y0 + 1) >> 1;
        l1 = (y1 + 1) >> 1;
        from = (((y0 >> 1) - 1) >> 1) + (int)item.y;
        to = from + (int)item.count;
    }
    /* The odd one of the first two rows, the lower of which level 1 begins with. */
    __device__ __forceinline__ int first_row() const { return 4 * from + R0 - 2 * STEPS; }

    /* own: the split of the warp's component, or (PACK) of the lane; split: of the first one, the same in all but
     * pointers and steps, and (PACK) where it begins. */
    __device__ __forceinline__ void open(const wvl_cuda_split &split, const wvl_cuda_split &own,
                                         const wvl_cuda_item &item)
    {
        const int lane = threadIdx.x & 31, room = (int)split.room;
        const int width = (int)(split.rect.x1 - split.rect.x0), tag = PACK ? (int)threadIdx.x * C / width : 0;
        const beside_lane at = R::beside
                                   ? beside_lane::find<C>(split, item, lane)
                                   : beside_lane{0, first_column<C>(split, item, EDGES ? split.lead : split.room)};
        const int col = PACK ? (int)threadIdx.x * C - tag * width : at.col;
        const wvl_cuda_split &here = PACK ? own : (&split)[at.split], &lane_own = (&own)[at.split];
        first = col == 0;
        last = col + C == width;
        const bool edges = EDGES && !split.lead;
        const int from_lane = edges && !item.x ? 0 : room,
                  to_lane = edges && item.x + 1 == split.panels ? 32 : 32 - room;
        mine = PACK ? tag < (int)split.pack : col >= 0 && col < width && lane >= from_lane && lane < to_lane;
        open_rows(split, item);
        part = R::parts == 3 ? split.mct_part : 0;
        int unshift = R::bytes ? (int)(split.pixels[0].half - split.pixels[0].bias) : 0;
        shift = 8388608.0f + (float)unshift;
        bias = part <= 1 ? unshift : 0;
        rows.open(here, here.rect.x0 + (R::window ? 0 : (uint32_t)max(0, min(col, width - C))));
        ahead.place(rows, col / C - lane, width / C);
        const uint32_t x1 = (here.rect.x0 >> 1) + (uint32_t)(col >> 1), x2 = (here.rect.x0 >> 2) + (uint32_t)(col >> 2);
        one.template open<R::beside>(split.band, own.band, lane_own.band, x1, 2 * from + 1, (uint32_t)tag);
        two.template open<R::beside>(split.deep_band, own.deep_band, lane_own.deep_band, x2, from - LAG, (uint32_t)tag);
        low_pitch = split.low.pitch_bytes;
        low = (uint8_t *)lane_own.low.data + (int64_t)(from - LAG - (int)split.low.y0) * (int64_t)low_pitch +
              (int64_t)(x2 - here.low.x0) * LOW;
        v1.clear();
        v2.clear();
        seen = 0;
        flag = open_flag(PACK ? split : own, item);
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
            for (int i = 0; i < A::places; i += 2) {
                fetch(i, y + i);
            }
            place = 0;
            ahead.peek(rows, wvl_cuda_reflect_once(y - 1, y0, y1), top_row);
            unpack(v1.x, top_row);
            return;
        }
        fetch(0, y - 1);
#pragma unroll
        for (int i = 2; i < A::places; i += 2) {
            fetch(i, y - 2 + i);
        }
        ahead.wait();
        ahead.read(0, top_row);
        unpack(v1.x, top_row);
        ahead.release();
        fetch(0, y - 2 + A::places);
        place = 2 % A::places;
    }

    /* The next two rows of level 1. */
    __device__ __forceinline__ void take_rows(int h, T (&o)[C], T (&e)[C])
    {
        uint32_t raw[R::words];
        const int at = A::places == 4 ? 2 * h : A::places == 2 ? 0 : place;
        ahead.wait();
        ahead.read(at, raw);
        unpack(o, raw);
        ahead.read(at + 1, raw);
        unpack(e, raw);
        ahead.release();
        fetch(at, 4 * m + A::places + R0 + 2 * h);
        place = (place + 2) % A::places;
    }

    template <int WHICH> __device__ __forceinline__ bool is_own() const
    {
        return WHICH == OWN || (WHICH == EITHER && m >= from);
    }

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
                PUT_RUN(H, one, 0, lo + 1);
            }
            if (2 * q + 1 >= y0 && 2 * q + 1 < y1) {
                PUT_RUN(H, one, 1, o);
                PUT_RUN(H, one, 2, o + 1);
            }
            one.at += one.cell_row;
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
            w[j] = LOW == 4 ? low_bits(l2[2 * j])
                            : __byte_perm(low_bits(l2[LOW == 2 ? 4 * j : 0]), low_bits(l2[LOW == 2 ? 4 * j + 2 : 0]),
                                          0x5410);
        }
        if (mine && (F97 || R::parts == 1)) { /* three components in bundles leave more than L2 holds */
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
                PUT_RUN(Q, two, 0, l2 + 1);
                put_low(l2);
            }
            if (2 * q + 1 >= l0 && 2 * q + 1 < l1) {
                PUT_RUN(Q, two, 1, keep);
                PUT_RUN(Q, two, 2, keep + 1);
            }
            two.at += two.cell_row;
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
#pragma unroll(A::registers ? STEPS - 2 * WARM : 1)
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

    /* The whole stretch. M: this, or what takes and puts the rows of level 1 in its own way. */
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

    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_split &split, const wvl_cuda_split &own,
                                        const wvl_cuda_item &item)
    {
        ahead.open(shared);
        open(split, own, item);
        march_down(*this);
        if (R::bytes == 2) {
            const uint32_t beyond = ~((1u << split.pixels[0].depth) - 1) & 0xffffu;
            if (seen & (beyond | beyond << 16)) {
                atomicOr((uint32_t *)split.outside, 1u);
            }
        }
        end_launch();
    }
};

/* Three components of 16 bits have not a register to spare. */
template <class R> __device__ __forceinline__ uint32_t first_split(const wvl_cuda_item &item, uint32_t only)
{
    return R::parts == 3 && R::bytes == 2 ? item.split : split_of(item, only);
}

/* ---- From a row of kernel_rows.h to what a warp runs ----------------------------------------- */

/* Pixels of either sign where coefficients have either size. */
template <class R, int COEF_BITS> struct rows_of {
    typedef R type;
};
template <class R> struct rows_of<R, 0> {
    typedef sign_rows<R> type;
};

/* The rows that a kernel reads. */
template <class ROW, int SOURCE = ROW::end> struct source_rows;
template <class ROW> struct source_rows<ROW, WVL_CUDA_END_PLANE> {
    typedef plane_rows<ROW::columns, ROW::container_bits / 8> type;
};
template <class ROW> struct source_rows<ROW, WVL_CUDA_END_GRAY> {
    typedef typename rows_of<pixel_rows<ROW::columns, ROW::container_bits / 8, 1, false>, ROW::coef_bits>::type type;
};
template <class ROW> struct source_rows<ROW, WVL_CUDA_END_INTERLEAVED> {
    typedef pixel_rows<ROW::columns, ROW::container_bits / 8, 3, true, ROW::ahead == WVL_CUDA_AHEAD_WARP> pixels;
    typedef typename rows_of<pixels, ROW::coef_bits>::type type;
};
template <class ROW> struct source_rows<ROW, WVL_CUDA_END_PLANAR> {
    typedef typename rows_of<pixel_rows<ROW::columns, ROW::container_bits / 8, 3, false>, ROW::coef_bits>::type type;
};

/* How they come. */
template <class R, int AHEAD> struct rows_ahead;
template <class R> struct rows_ahead<R, WVL_CUDA_AHEAD_NONE> {
    typedef row_registers<R> type;
};
template <class R> struct rows_ahead<R, WVL_CUDA_AHEAD_RING> {
    typedef row_ring<R> type;
};
template <class R> struct rows_ahead<R, WVL_CUDA_AHEAD_SHORT> {
    typedef row_ring<R, 4> type;
};
template <class R> struct rows_ahead<R, WVL_CUDA_AHEAD_WARP> {
    typedef row_window<R> type;
};

template <class ROW> struct march_types {
    typedef typename sample_type<ROW::reversible>::type T;
    typedef typename source_rows<ROW>::type R;
    typedef typename rows_ahead<R, ROW::ahead>::type A;
    static constexpr bool PACK = ROW::share == WVL_CUDA_SHARE_PACK;
    typedef marcher<T, R, A, ROW::columns, ROW::coef_bits / 8, ROW::depth, PACK> type;
    static_assert(type::EDGES == (ROW::owns == WVL_CUDA_OWNS_EDGES), "the row says what the kernel owns");
    static_assert(R::parts == 1 || ROW::share == WVL_CUDA_SHARE_EACH, "a thread block for each component");
    static_assert(ROW::share == WVL_CUDA_SHARE_WIDE || A::shared_bytes == ROW::shared_bytes,
                  "the row says what it takes");
    static_assert(ROW::threads == 32, "a warp");
};

/* The bodies of the kernels, by the row's share. Macros, not functions: with one more function between kernel and
 * marcher the compiler numbers registers in another way. */

/* One split, or one of three components, a thread block. */
#define RUN_ONE(ROW)                                                                                                   \
    begin_launch(asked);                                                                                               \
    typedef march_types<ROW>::R R;                                                                                     \
    typedef march_types<ROW>::A A;                                                                                     \
    __shared__ uint4 shared[A::shared_bytes ? A::shared_bytes / 16 : 1];                                               \
    const wvl_cuda_item item = items[blockIdx.x / R::parts];                                                           \
    march_types<ROW>::type march;                                                                                      \
    const wvl_cuda_split &split = splits[first_split<R>(item, only) + blockIdx.x % R::parts];                          \
    march.run(shared, split, split, item);
#define RUN_EACH(ROW) RUN_ONE(ROW)

/* Several splits of 8 columns a lane each. */
#define RUN_PACK(ROW)                                                                                                  \
    begin_launch(asked);                                                                                               \
    __shared__ uint4 shared[march_types<ROW>::A::shared_bytes / 16];                                                   \
    const wvl_cuda_item item = items[blockIdx.x];                                                                      \
    const wvl_cuda_split *split = splits + split_of(item, only);                                                       \
    march_types<ROW>::type march;                                                                                      \
    march.run(shared, *split, split[min(threadIdx.x * 8 / (split->rect.x1 - split->rect.x0), split->pack - 1u)], item);

#endif
