/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two levels back in one pass: dequantisation, lifting, inverse colour transform, level shift and clamping to pixels,
 * or to a plane.
 *
 * Runs: a warp takes a panel of 32 lanes of C columns and marches down, four rows an iteration; the coefficients of the
 * next iterations are on their way through shared memory, copied and read by the same lane, so there is no barrier.
 * Lanes may belong to several small planes. Of three components each has a warp of one thread block, and two rows at a
 * time go to a fourth that undoes the colour transform. Lifting state stays in registers; one lane at either side (two
 * for 9/7 with 8 columns) is computed twice. Run-in: 1 iteration of level 2 and 1 of both in 5/3, 3 and 2 in 9/7. In
 * 9/7 most iterations know no edges, which makes them one run of instructions without a branch: 1.1 thousand with 16
 * columns. Bytes a sample: coefficient + container + 1/4 for the low-low plane. Registers for 9.0, no spills: 166 in
 * 5/3 and 254 in 9/7 with 16 columns, 200 for three components; with 8 columns 96 to 128, for planes and 16 bits in 9/7
 * 139 to 168. Share of the convert ceiling by the launch that ends in pixels, on an H200: 8192 x 8192 of 8 bits 78 and
 * 79 %, 4096 x 2160 x 3 in bundles of 16 80 and 56 %. tables.c says which pictures fit; the others go through the
 * any-shape kernels.
 */
#ifndef WVL_CUDA_INVERSE_MARCH_CUH
#define WVL_CUDA_INVERSE_MARCH_CUH

#include "cuda/core/kernel_row.h"
#include "cuda/core/order.cuh"
#include "lab/cuda/inverse/block/lift.cuh"
#include "lab/cuda/inverse/block/ring.cuh"
#include "lab/cuda/inverse/block/store.cuh"
#include "lab/cuda/inverse/block/unpack.cuh"
#include "lab/cuda/inverse/tuning.h"

/* T: int32_t (5/3) or float (9/7). O: where rows go. CB: bytes a coefficient. S: places of the ring. */
template <class T, class O, int CB, int S> struct joiner {
    static constexpr int C = O::C, H = C / 2, Q = C / 4, LAG = joined<T, 1>::lag;
    static constexpr bool F97 = LAG == 3, DEEP = CB == 4 && !O::pixels;
    static constexpr int HALO = (C == 16 || !F97) ? 1 : 2, OUT = 32 - 2 * HALO;
    static constexpr int ROW0 = 3 * LAG; /* iteration m finishes rows 4m - ROW0 and three more */
    static constexpr int RUN_IN = F97 ? 2 : 1,
                         RUN_IN_LOW = F97 ? 5 : 2;             /* of both levels; of the lower one alone before */
    static constexpr int B1 = H * CB, B2 = Q * CB, BL = Q * 4; /* bytes of a lane's runs */
    static constexpr int AT_LOW = 0, AT_TWO = 32 * BL, AT_ONE = AT_TWO + 3 * 32 * B2, PLACE = AT_ONE + 6 * 32 * B1;
    static constexpr int warp_bytes = S * PLACE + (F97 ? 2 * (int)sizeof(band_grid) : 0);

    O out;
    joined<T, C> v1;
    joined<T, H> v2;
    grid_pair<F97, DEEP> grids; /* of the upper and of the lower level */
    const uint8_t *one, *two, *low;
    uint32_t low_pitch;
    uint8_t *ring, *place; /* place: of iteration m */
    int m, from, to, bias;
    int plain_from, plain_to,
        plain_send; /* iterations without edges; those before the last whose rows are there as they are told */
    bool first, last;

    template <bool EDGE> __device__ __forceinline__ void send_low(const band_grid &g, int k)
    {
        const int lane = threadIdx.x & 31;
        const uint32_t row = EDGE ? g.row(k, 0) : g.plain_row(k), high = EDGE ? g.row(k, 1) : row;
        send_piece<BL>(place + AT_LOW + lane * BL, low + (uint64_t)(uint32_t)(EDGE ? g.mirrored(k, 0) : k) * low_pitch);
        send_piece<B2>(place + AT_TWO + lane * B2, two + row);
        send_piece<B2>(place + AT_TWO + (32 + lane) * B2, two + (uint64_t)(g.beyond[0] + high));
        send_piece<B2>(place + AT_TWO + (64 + lane) * B2, two + (uint64_t)(g.beyond[1] + high));
    }
    template <bool EDGE> __device__ __forceinline__ void send_one(const band_grid &g, int n, int at)
    {
        const int lane = threadIdx.x & 31;
        const uint32_t row = EDGE ? g.row(n, 0) : g.plain_row(n), high = EDGE ? g.row(n, 1) : row;
        send_piece<B1>(place + at + lane * B1, one + row);
        send_piece<B1>(place + at + (32 + lane) * B1, one + (uint64_t)(g.beyond[0] + high));
        send_piece<B1>(place + at + (64 + lane) * B1, one + (uint64_t)(g.beyond[1] + high));
    }
    /* All that iteration k needs, to the place at hand. */
    __device__ __forceinline__ void send(int k)
    {
        if (k >= plain_from && k < plain_send) {
            const band_grid g1 = grids.at(0), g2 = grids.at(1); /* read at once */
            send_low<false>(g2, k);
            send_one<false>(g1, 2 * k - LAG, AT_ONE);
            send_one<false>(g1, 2 * k - LAG + 1, AT_ONE + 3 * 32 * B1);
        } else if (k < to) {
            const band_grid g1 = grids.at(0), g2 = grids.at(1);
            send_low<true>(g2, k);
            if (k >= from - RUN_IN) {
                send_one<true>(g1, 2 * k - LAG, AT_ONE);
                send_one<true>(g1, 2 * k - LAG + 1, AT_ONE + 3 * 32 * B1);
            }
        }
        close_sending();
    }
    __device__ __forceinline__ void next_place() { place = place + PLACE == ring + S * PLACE ? ring : place + PLACE; }

    template <int N, int BYTES>
    static __device__ __forceinline__ void read_bands(const uint8_t *at, const band_grid &g, T (&s)[2 * N],
                                                      T (&d)[2 * N])
    {
        const int lane = threadIdx.x & 31;
        uint32_t w[BYTES / 4];
        read_piece<BYTES>(w, at + lane * BYTES);
        unpack_run<N, CB, DEEP>(s + 1, w, g.scaled[0]);
        read_piece<BYTES>(w, at + (32 + lane) * BYTES);
        unpack_run<N, CB, DEEP>(d, w, g.scaled[1]);
        read_piece<BYTES>(w, at + (64 + lane) * BYTES);
        unpack_run<N, CB, DEEP>(d + 1, w, g.scaled[2]);
    }

    static __device__ __forceinline__ void set_low(uint32_t w, int32_t bias, int32_t &v) { v = (int32_t)w + bias; }
    static __device__ __forceinline__ void set_low(uint32_t w, int32_t, float &v) { v = __uint_as_float(w); }

    /* Rows 2m - LAG (in d) and 2m - LAG + 1 (in s) of the upper level's low-low band. */
    __device__ __forceinline__ void join_two(T (&s)[H], T (&d)[H])
    {
        uint32_t w[Q];
        read_piece<BL>(w, place + AT_LOW + (threadIdx.x & 31) * BL);
#pragma unroll
        for (int j = 0; j < Q; j++) {
            set_low(w[j], bias, s[2 * j]);
        }
        read_bands<Q, B2>(place + AT_TWO, grids.at(1), s, d);
        join_rows<H>(s, d, first, last);
        v2.template step<false>(s, d, 0);
    }

    /* Low row n = 2m - LAG + HALF in; rows 2n - LAG and the next out. */
    template <bool EDGE, int HALF> __device__ __forceinline__ void join_one(const T (&ll)[H])
    {
        T s[C], d[C];
        const int n = 2 * m - LAG + HALF, y = 2 * n - LAG;
        bool keep_d = m >= from, keep_s = keep_d;
#pragma unroll
        for (int j = 0; j < H; j++) {
            s[2 * j] = ll[j];
        }
        read_bands<H, B1>(place + AT_ONE + HALF * 3 * 32 * B1, grids.at(0), s, d);
        join_rows<C>(s, d, first, last);
        if constexpr (EDGE) {
            const band_grid &g = grids.at(0);
            const int begin = max(g.top, 4 * from - ROW0);
            keep_d = y >= begin && y < g.end;
            keep_s = y + 1 >= begin && y + 1 < g.end;
            v1.template step<true>(s, d, join_edges(n, g.top, g.end - 1));
        } else {
            v1.template step<false>(s, d, 0);
        }
        out.template put_pair<HALF>(y, d, keep_d, s, keep_s, m >= from);
    }

    /* A finished row waits in the lane's own part of the place that it came from: 9/7 has no registers to spare. */
    __device__ __forceinline__ void keep_row(const T (&v)[H])
    {
        const int lane = threadIdx.x & 31;
        uint32_t w[H];
#pragma unroll
        for (int j = 0; j < H; j++) {
            w[j] = raw_bits(v[j]);
        }
        write_piece<BL>(place + AT_LOW + lane * BL, w);
#pragma unroll
        for (int i = 0; i < BL / B2; i++) {
            write_piece<B2>(place + AT_TWO + (32 * i + lane) * B2, w + Q + i * (B2 / 4));
        }
        hold_memory();
    }
    __device__ __forceinline__ void fetch_row(T (&v)[H])
    {
        const int lane = threadIdx.x & 31;
        uint32_t w[H];
        hold_memory();
        read_piece<BL>(w, place + AT_LOW + lane * BL);
#pragma unroll
        for (int i = 0; i < BL / B2; i++) {
            read_piece<B2>(w + Q + i * (B2 / 4), place + AT_TWO + (32 * i + lane) * B2);
        }
#pragma unroll
        for (int j = 0; j < H; j++) {
            from_bits(w[j], v[j]);
        }
    }

    template <bool EDGE> __device__ __forceinline__ void join_both()
    {
        constexpr bool KEEP = F97 && EDGE;
        T s[H], d[H];
        join_two(s, d);
        if (KEEP) {
            keep_row(s);
        }
        join_one<EDGE, 0>(d);
        if (KEEP) {
            fetch_row(s);
        }
        join_one<EDGE, 1>(s);
    }

    /* With several splits in a warp, each has `lanes` lanes. */
    __device__ __forceinline__ void open_columns(const wvl_cuda_inverse_split *splits, uint32_t index, uint8_t *memory)
    {
        const wvl_cuda_inverse_split *own = splits;
        const int lane = threadIdx.x & 31, lanes = (int)(splits->rect.x1 - splits->rect.x0) / C,
                  pack = (int)splits->pack;
        int at = (int)index * OUT + lane;
        panel s;
        s.columns = C;
        s.first = index ? HALO : 0;
        s.end = index + 1 < splits->panels ? 32 - HALO : min(32, lanes - (int)index * OUT);
        if (pack > 1) {
            const int tag = lane / lanes;
            own = splits + min(tag, pack - 1);
            at = lane - tag * lanes;
            s.end = lanes * pack;
        }
        s.left = own->rect.x0 + (uint32_t)((at - lane) * C);
        first = at == 0;
        last = at + 1 == lanes;
        out.open(own, memory, s);
        const uint32_t x = own->rect.x0 + (uint32_t)(min(at, lanes - 1) * C);
        one = lane_samples(own->band, x / 2);
        two = lane_samples(own->deep_band, x / 4);
        low_pitch = (uint32_t)own->in.pitch_bytes;
        low = (const uint8_t *)own->in.data + (uint64_t)(x / 4 - own->in.x0) * 4 - (uint64_t)own->in.y0 * low_pitch;
    }

    __device__ __forceinline__ void open_rows(const wvl_cuda_inverse_split &split, const wvl_cuda_item &item)
    {
        from = (((int)split.rect.y0 + ROW0) >> 2) + (int)item.y;
        to = from + (int)item.count;
        m = from - RUN_IN_LOW;
    }

    /* Plain iterations: low rows 2m - LAG and the next have no edges (join_edges), all four rows lie within the
     * picture. What is sent is plain where no row of either level is mirrored and none lies in a short block. */
    __device__ __forceinline__ void open_plain()
    {
        const band_grid &g = grids.at(0);
        const int top = g.top >> 1, end = g.end;
        const int full = max(g.first_plain_row() + LAG + 1, top + LAG + 3) >> 1;
        plain_from = max(max(full, (g.top + ROW0 + 3) >> 2), max(grids.at(1).first_plain_row(), from - RUN_IN));
        plain_to = min(min((((end - 1) >> 1) + LAG + 1) >> 1, (end + ROW0) >> 2), to);
        plain_send = min(min((end / 2 + LAG) >> 1, grids.at(1).end / 2), to);
    }

    /* The fourth warp of three components: it stores what the others have put. */
    __device__ __forceinline__ void run_last(uint8_t *memory, const wvl_cuda_inverse_split *splits,
                                             const wvl_cuda_item &item)
    {
        const int top = (int)splits->rect.y0, end = (int)splits->rect.y1;
        open_columns(splits, item.x, memory);
        open_rows(*splits, item);
        wait_for_launch_in_front();
        out.begin_finishing();
#pragma unroll 1
        for (m = from; m < to; m++) {
            out.template finish<0, T>(4 * m - ROW0, top, end, O::BUFFERS == 1 || m + 1 < to);
            out.template finish<1, T>(4 * m - ROW0 + 2, top, end, m + 1 < to);
        }
    }

    __device__ __forceinline__ void open(uint8_t *memory, const wvl_cuda_inverse_split *splits,
                                         const wvl_cuda_item &item)
    {
        const int part = O::parts == 3 ? warp_part() : 0;
        const wvl_cuda_inverse_split *split = splits + part;
        ring = memory + O::shared_bytes + part * warp_bytes;
        grids.open((band_grid *)(ring + S * PLACE), *split);
        open_columns(split, item.x, memory);
        open_rows(*split, item);
        open_plain();
        bias = O::pixels && part == 0 ? (int)split->pixels.half : 0;
        v1.clear();
        v2.clear();
        wait_for_launch_in_front();
        place = ring;
#pragma unroll 1
        for (int k = 0; k < S; k++) {
            send(m + k);
            next_place();
        }
    }

    __device__ __forceinline__ void run(uint8_t *memory, const wvl_cuda_inverse_split *splits,
                                        const wvl_cuda_item &item)
    {
        open(memory, splits, item);
#pragma unroll 1
        for (; m < from - RUN_IN; m++) {
            T s[H], d[H];
            await_sending<S - 1>();
            join_two(s, d);
            send(m + S);
            next_place();
        }
#pragma unroll 1
        for (; m < to; m++) {
            await_sending<S - 1>();
            if (m >= plain_from && m < plain_to) {
                join_both<false>();
            } else {
                join_both<true>();
            }
            send(m + S);
            next_place();
        }
        let_next_launch_begin();
    }
};

/* ---- From a row of kernel_rows.h to what a thread block runs --------------------------------- */

/* Where a kernel's rows go. */
template <class ROW, int END = ROW::end> struct destination;
template <class ROW> struct destination<ROW, WVL_CUDA_END_PLANE> {
    typedef plane_out<ROW::columns> type;
};
template <class ROW> struct destination<ROW, WVL_CUDA_END_GRAY> {
    typedef gray_out<ROW::columns, ROW::container_bits / 8> type;
};
template <class ROW> struct destination<ROW, WVL_CUDA_END_INTERLEAVED> {
    typedef color_out<ROW::columns, true> type;
};
template <class ROW> struct destination<ROW, WVL_CUDA_END_PLANAR> {
    typedef color_out<ROW::columns, false> type;
};

template <class ROW> struct march_types {
    typedef typename destination<ROW>::type OUT;
    typedef joiner<typename inverse_sample_type<ROW::reversible>::type, OUT, ROW::coef_bits / 8, ROW::places> type;
    static constexpr int shared_bytes = OUT::shared_bytes + OUT::parts * type::warp_bytes;
#ifndef WVL_CUDA_COUNTED_BARRIERS
    static_assert(shared_bytes == ROW::shared_bytes, "the row says what the kernel takes");
#endif
    static_assert(ROW::threads == 32 * OUT::warps, "the row says what the kernel takes");
};

/* The body of a kernel. A macro, not a function: with one more function between kernel and joiner the compiler numbers
 * registers in another way. */
#define RUN_MARCH(ROW)                                                                                                 \
    typedef march_types<ROW>::OUT OUT;                                                                                 \
    __shared__ uint4 memory[march_types<ROW>::shared_bytes / 16];                                                      \
    const wvl_cuda_item item = items[blockIdx.x];                                                                      \
    march_types<ROW>::type join;                                                                                       \
    if (OUT::parts == 3) {                                                                                             \
        open_meetings(16);                                                                                             \
    }                                                                                                                  \
    if (OUT::parts == 1 || warp_part() < OUT::parts) {                                                                 \
        join.run((uint8_t *)memory, splits + item.split, item);                                                        \
    } else if constexpr (OUT::parts == 3) {                                                                            \
        join.run_last((uint8_t *)memory, splits + item.split, item);                                                   \
    }

#endif
