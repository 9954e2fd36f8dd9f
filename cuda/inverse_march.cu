/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two levels back in one pass: dequantisation, lifting, inverse colour transform, level shift and clamping to pixels, or to a plane.
 *
 * Runs: a warp takes a strip of 32 lanes of C columns and marches down, four rows an iteration; the coefficients of the next iterations are on
 * their way through shared memory, copied and read by the same lane, so there is no barrier. Of three components each has a warp of one thread
 * block, and they meet once an iteration with a fourth that undoes the colour transform. Lifting state stays in registers; one lane at either
 * side (two for 9/7 with 8 columns) is computed twice. Run-in: 1 iteration of level 2 and 1 of both in 5/3, 3 and 2 in 9/7.
 * Bytes a sample: coefficient + container + 1/4 for the low-low plane. Registers for 9.0, no spills: 149 in 5/3 and 207 in 9/7 with 16
 * columns, 104 to 126 else. Share of the convert ceiling by the launch that ends in pixels, on an H200: 8192 x 8192 of 8 bits 76 and 51 %,
 * 4096 x 2160 x 3 in batches of 16 68 and 37 %.
 * inverse_tables.c says which pictures fit; the others go through the any-shape kernels.
 */
#include "cuda/block/inverse_lift.cuh"
#include "cuda/block/inverse_ring.cuh"
#include "cuda/block/inverse_store.cuh"
#include "cuda/block/inverse_unpack.cuh"
#include "cuda/block/order.cuh"
#include "cuda/inverse_tuning.h"

/* T: int32_t (5/3) or float (9/7). O: where rows go. CB: bytes a coefficient. S: slots of the ring. */
template <class T, class O, int CB, int S> struct joiner {
    static constexpr int C = O::C, H = C / 2, Q = C / 4, LAG = joined<T, 1>::lag;
    static constexpr bool F97 = LAG == 3;
    static constexpr int HALO = (C == 16 || !F97) ? 1 : 2, OUT = 32 - 2 * HALO;
    static constexpr int ROW0 = 3 * LAG;                        /* iteration m finishes rows 4m - ROW0 and three more */
    static constexpr int RUN_IN = F97 ? 2 : 1, RUN_IN_LOW = F97 ? 5 : 2; /* of both levels; of the lower one alone before */
    static constexpr int B1 = H * CB, B2 = Q * CB, BL = Q * 4;  /* bytes of a lane's runs */
    static constexpr int AT_LOW = 0, AT_TWO = 32 * BL, AT_ONE = AT_TWO + 3 * 32 * B2, SLOT = AT_ONE + 6 * 32 * B1;
    static constexpr int warp_bytes = S * SLOT + (F97 ? 112 : 0);
    static_assert(2 * sizeof(band_grid) <= 112, "room for the grids");

    O out;
    joined<T, C> v1;
    joined<T, H> v2;
    grid_pair<F97> grids;    /* of the upper and of the lower level */
    const uint8_t *one, *two, *low;
    uint32_t low_pitch, low_top;
    uint8_t *ring;
    int m, from, to, bias;
    bool first, last;

    __device__ __forceinline__ void send_low(int k, uint8_t *slot)
    {
        const int lane = threadIdx.x & 31;
        const band_grid &g = grids.at(1);
        send_piece<BL>(slot + AT_LOW + lane * BL, low + (uint64_t)((uint32_t)g.mirrored(k, 0) - low_top) * low_pitch);
        send_piece<B2>(slot + AT_TWO + lane * B2, two + g.row(k, 0));
        const uint32_t high = g.row(k, 1);
        send_piece<B2>(slot + AT_TWO + (32 + lane) * B2, two + (uint64_t)(g.beyond[1] + high));
        send_piece<B2>(slot + AT_TWO + (64 + lane) * B2, two + (uint64_t)(g.beyond[2] + high));
    }
    __device__ __forceinline__ void send_one(int n, uint8_t *slot)
    {
        const int lane = threadIdx.x & 31;
        const band_grid &g = grids.at(0);
        send_piece<B1>(slot + lane * B1, one + g.row(n, 0));
        const uint32_t high = g.row(n, 1);
        send_piece<B1>(slot + (32 + lane) * B1, one + (uint64_t)(g.beyond[1] + high));
        send_piece<B1>(slot + (64 + lane) * B1, one + (uint64_t)(g.beyond[2] + high));
    }
    /* All that iteration k needs, to slot k mod S. */
    __device__ __forceinline__ void send(int k, uint8_t *slot)
    {
        if (k < to) {
            send_low(k, slot);
            if (k >= from - RUN_IN) {
                send_one(2 * k - LAG, slot + AT_ONE);
                send_one(2 * k - LAG + 1, slot + AT_ONE + 3 * 32 * B1);
            }
        }
        close_sending();
    }

    template <int N, int BYTES> static __device__ __forceinline__ void read_bands(const uint8_t *at, const band_grid &g, T (&s)[2 * N], T (&d)[2 * N])
    {
        const int lane = threadIdx.x & 31;
        uint32_t w[BYTES / 4];
        read_piece<BYTES>(w, at + lane * BYTES);
        unpack_run<N, CB>(s + 1, w, g.half_step[0]);
        read_piece<BYTES>(w, at + (32 + lane) * BYTES);
        unpack_run<N, CB>(d, w, g.half_step[1]);
        read_piece<BYTES>(w, at + (64 + lane) * BYTES);
        unpack_run<N, CB>(d + 1, w, g.half_step[2]);
    }

    static __device__ __forceinline__ void set_low(uint32_t w, int32_t bias, int32_t &v) { v = (int32_t)w + bias; }
    static __device__ __forceinline__ void set_low(uint32_t w, int32_t, float &v) { v = __uint_as_float(w); }

    /* Rows 2m - LAG (in d) and 2m - LAG + 1 (in s) of the upper level's low-low band. */
    __device__ __forceinline__ void join_two(const uint8_t *slot, T (&s)[H], T (&d)[H])
    {
        uint32_t w[Q];
        read_piece<BL>(w, slot + AT_LOW + (threadIdx.x & 31) * BL);
#pragma unroll
        for (int j = 0; j < Q; j++) {
            set_low(w[j], bias, s[2 * j]);
        }
        read_bands<Q, B2>(slot + AT_TWO, grids.at(1), s, d);
        join_row<H>(s, first, last);
        join_row<H>(d, first, last);
        v2.template step<false>(s, d, 0);
    }

    /* A finished row waits in the lane's own room of the slot that it came from: 9/7 has no registers to spare. */
    static __device__ __forceinline__ void keep_row(uint8_t *slot, const T (&v)[H])
    {
        const int lane = threadIdx.x & 31;
        uint32_t w[H];
#pragma unroll
        for (int j = 0; j < H; j++) {
            w[j] = raw_bits(v[j]);
        }
        write_piece<BL>(slot + AT_LOW + lane * BL, w);
#pragma unroll
        for (int i = 0; i < BL / B2; i++) {
            write_piece<B2>(slot + AT_TWO + (32 * i + lane) * B2, w + Q + i * (B2 / 4));
        }
        hold_memory();
    }
    static __device__ __forceinline__ void fetch_row(const uint8_t *slot, T (&v)[H])
    {
        const int lane = threadIdx.x & 31;
        uint32_t w[H];
        hold_memory();
        read_piece<BL>(w, slot + AT_LOW + lane * BL);
#pragma unroll
        for (int i = 0; i < BL / B2; i++) {
            read_piece<B2>(w + Q + i * (B2 / 4), slot + AT_TWO + (32 * i + lane) * B2);
        }
#pragma unroll
        for (int j = 0; j < H; j++) {
            from_bits(w[j], v[j]);
        }
    }

    /* Low row n in; rows 2n - LAG and the next out, in places h and h + 1 of the iteration's four. */
    __device__ __forceinline__ void join_one(const uint8_t *slot, const T (&ll)[H], int n, int h)
    {
        T s[C], d[C];
#pragma unroll
        for (int j = 0; j < H; j++) {
            s[2 * j] = ll[j];
        }
        read_bands<H, B1>(slot, grids.at(0), s, d);
        join_row<C>(s, first, last);
        join_row<C>(d, first, last);
        const band_grid &g = grids.at(0);
        v1.template step<true>(s, d, join_edges(n, g.top, g.end - 1));
        const int y = 2 * n - LAG, begin = max(g.top, 4 * from - ROW0);
        out.put(h, y, d, y >= begin && y < g.end);
        out.put(h + 1, y + 1, s, y + 1 >= begin && y + 1 < g.end);
    }

    __device__ __forceinline__ void open_columns(const wvl_cuda_inverse_job *jobs, const wvl_cuda_inverse_job &job, uint32_t index, uint8_t *memory)
    {
        const int lane = threadIdx.x & 31, lanes = (int)(job.rect.x1 - job.rect.x0) / C, at = (int)index * OUT + lane;
        strip s;
        s.left = job.rect.x0 + index * OUT * C;
        s.columns = C;
        s.first = index ? HALO : 0;
        s.end = index + 1 < job.strips ? 32 - HALO : min(32, lanes - (int)index * OUT);
        first = at == 0;
        last = at + 1 == lanes;
        out.open(jobs, memory, s);
        const uint32_t x = job.rect.x0 + (uint32_t)(min(at, lanes - 1) * C);
        one = lane_samples(job.band, x / 2);
        two = lane_samples(job.deep_band, x / 4);
        low = (const uint8_t *)job.in.data + (uint64_t)(x / 4 - job.in.x0) * 4;
        low_pitch = (uint32_t)job.in.pitch_bytes;
        low_top = job.in.y0;
    }

    __device__ __forceinline__ void open_rows(const wvl_cuda_inverse_job &job, uint32_t index)
    {
        const int y0 = (int)job.rect.y0, y1 = (int)job.rect.y1;
        from = ((y0 + ROW0) >> 2) + (int)(index * job.segment);
        to = min(from + (int)job.segment, (y1 + ROW0 + 3) >> 2);
        m = from - RUN_IN_LOW;
    }

    /* The fourth warp of three components: it stores what the others have put in the iteration before. */
    __device__ __forceinline__ void run_last(uint8_t *memory, const wvl_cuda_inverse_job *jobs, const wvl_cuda_item &place)
    {
        const int top = (int)jobs->rect.y0, end = (int)jobs->rect.y1;
        open_columns(jobs, *jobs, place.x, memory);
        open_rows(*jobs, place.y);
        wait_for_launch_in_front();
#pragma unroll 1
        for (m = from; m < to; m++) {
            out.turn();
            out.template finish<T>(4 * m - ROW0, top, end);
        }
    }

    __device__ __forceinline__ void run(uint8_t *memory, const wvl_cuda_inverse_job *jobs, const wvl_cuda_item &place)
    {
        const int part = O::parts == 3 ? (int)(threadIdx.x >> 5) : 0;
        const wvl_cuda_inverse_job &job = jobs[part];
        ring = memory + O::shared_bytes + part * warp_bytes;
        grids.open((band_grid *)(ring + S * SLOT), job);
        open_columns(jobs, job, place.x, memory);
        open_rows(job, place.y);
        bias = O::pixels && part == 0 ? (int)job.pixels.half : 0;
        v1.clear();
        v2.clear();
        wait_for_launch_in_front();
#pragma unroll 1
        for (int k = 0; k < S; k++) {
            send(m + k, ring + k * SLOT);
        }
        uint8_t *slot = ring;
#pragma unroll 1
        for (; m < to; m++) {
            T s[H], d[H];
            await_sending<S - 1>();
            join_two(slot, s, d);
            if (m >= from - RUN_IN) {
                if (F97) {
                    keep_row(slot, s);
                }
                join_one(slot + AT_ONE, d, 2 * m - LAG, 0);
                if (F97) {
                    fetch_row(slot, s);
                }
                join_one(slot + AT_ONE + 3 * 32 * B1, s, 2 * m - LAG + 1, 2);
            }
            send(m + S, slot);
            slot = slot + SLOT == ring + S * SLOT ? ring : slot + SLOT;
            if constexpr (O::parts == 3) {
                if (m >= from) {
                    out.turn();
                }
            }
        }
        let_next_launch_begin();
    }
};

#define JOIN(name, T, OUT, CB, SLOTS, BLOCKS)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(32 * OUT::warps, BLOCKS) name(const wvl_cuda_inverse_job *jobs, const wvl_cuda_item *items)    \
    {                                                                                                                                          \
        typedef joiner<T, OUT, CB, SLOTS> joiner_type;                                                                                         \
        __shared__ uint4 memory[(OUT::shared_bytes + OUT::parts * joiner_type::warp_bytes) / 16];                                            \
        const wvl_cuda_item item = items[blockIdx.x];                                                                                          \
        joiner_type join;                                                                                                                      \
        if (OUT::warps == OUT::parts || threadIdx.x < 32 * OUT::parts) {                                                                       \
            join.run((uint8_t *)memory, jobs + item.job, item);                                                                                \
        } else if constexpr (OUT::parts == 3) {                                                                                                \
            join.run_last((uint8_t *)memory, jobs + item.job, item);                                                                           \
        }                                                                                                                                      \
    }

typedef plane_out<8> out_plane;
typedef gray_out<16, 1> out_8;
typedef gray_out<8, 1> out_8n;
typedef gray_out<8, 2> out_16;
typedef color_out<8, true> out_8x3;
typedef color_out<8, false> out_8p3;

JOIN(wvl_back_plane53, int32_t, out_plane, 2, WVL_CUDA_BACK_SLOTS, WVL_CUDA_BACK_WARPS53)
JOIN(wvl_back_plane97, float, out_plane, 2, WVL_CUDA_BACK_SLOTS, WVL_CUDA_BACK_WARPS97)
JOIN(wvl_back_plane53_w, int32_t, out_plane, 4, WVL_CUDA_BACK_SLOTS_W, WVL_CUDA_BACK_WARPS53)
JOIN(wvl_back_plane97_w, float, out_plane, 4, WVL_CUDA_BACK_SLOTS_W, WVL_CUDA_BACK_WARPS97)
JOIN(wvl_back53_8, int32_t, out_8, 2, WVL_CUDA_BACK_SLOTS_8, WVL_CUDA_BACK_WARPS53_8)
JOIN(wvl_back97_8, float, out_8, 2, WVL_CUDA_BACK_SLOTS_8, WVL_CUDA_BACK_WARPS97_8)
JOIN(wvl_back53_8n, int32_t, out_8n, 2, WVL_CUDA_BACK_SLOTS, WVL_CUDA_BACK_WARPS53)
JOIN(wvl_back97_8n, float, out_8n, 2, WVL_CUDA_BACK_SLOTS, WVL_CUDA_BACK_WARPS97)
JOIN(wvl_back53_8x3, int32_t, out_8x3, 2, WVL_CUDA_BACK_SLOTS_X3, WVL_CUDA_BACK_BLOCKS53_X3)
JOIN(wvl_back97_8x3, float, out_8x3, 2, WVL_CUDA_BACK_SLOTS_X3, WVL_CUDA_BACK_BLOCKS97_X3)
JOIN(wvl_back53_8p3, int32_t, out_8p3, 2, WVL_CUDA_BACK_SLOTS_X3, WVL_CUDA_BACK_BLOCKS53_X3)
JOIN(wvl_back97_8p3, float, out_8p3, 2, WVL_CUDA_BACK_SLOTS_X3, WVL_CUDA_BACK_BLOCKS97_X3)
JOIN(wvl_back53_16, int32_t, out_16, 2, WVL_CUDA_BACK_SLOTS, WVL_CUDA_BACK_WARPS53)
JOIN(wvl_back97_16, float, out_16, 2, WVL_CUDA_BACK_SLOTS, WVL_CUDA_BACK_WARPS97)
JOIN(wvl_back53_16w, int32_t, out_16, 4, WVL_CUDA_BACK_SLOTS_W, WVL_CUDA_BACK_WARPS53)
JOIN(wvl_back97_16w, float, out_16, 4, WVL_CUDA_BACK_SLOTS_W, WVL_CUDA_BACK_WARPS97)
