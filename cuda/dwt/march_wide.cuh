/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marching in 9/7, 16 columns a lane. Level 2, which has a step for every two of level 1, rests in 5 KiB of shared
 * memory between its steps, so that three warps a scheduler have room instead of two. Both rows that a step of level 1
 * gives are lifted side by side: the shuffles of one pass while the other computes.
 */
#ifndef WVL_CUDA_DWT_MARCH_WIDE_CUH
#define WVL_CUDA_DWT_MARCH_WIDE_CUH

#include "cuda/dwt/march.cuh"

/* Arrays of eight samples a lane, lane by lane. */
struct resting_rows {
    static constexpr int row_bytes = 32 * 8 * 4;
    float4 *at;

    __device__ __forceinline__ void open(uint4 *shared) { at = (float4 *)shared + (threadIdx.x & 31); }
    __device__ __forceinline__ void load(int row, float (&v)[8]) const
    {
        const float4 *from = at + row * (row_bytes / 16);
        float4 a = from[0], b = from[32];
        v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
        v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
    }
    __device__ __forceinline__ void store(int row, const float (&v)[8])
    {
        float4 *to = at + row * (row_bytes / 16);
        to[0] = make_float4(v[0], v[1], v[2], v[3]);
        to[32] = make_float4(v[4], v[5], v[6], v[7]);
    }
};

/* Tells the compiler what is the same in all lanes, which then has registers of another kind for it. */
__device__ __forceinline__ int same(int v) { return __shfl_sync(FULL_WARP, v, 0); }
__device__ __forceinline__ float same(float v) { return __shfl_sync(FULL_WARP, v, 0); }
__device__ __forceinline__ uint8_t *same(uint8_t *v)
{
    return (uint8_t *)__shfl_sync(FULL_WARP, (unsigned long long)v, 0);
}

template <class R, class A> struct wide_marcher : marcher<float, R, A, 16, 2> {
    typedef marcher<float, R, A, 16, 2> base;
    using base::ahead;
    using base::first;
    using base::from;
    using base::H;
    using base::l0;
    using base::l1;
    using base::LAG;
    using base::last;
    using base::m;
    using base::mine;
    using base::one;
    using base::Q;
    using base::two;
    using base::y0;
    using base::y1;
    enum { FIRST, X, D1, S1, D2, ROWS }; /* the row that waits for the second one; column<float, 8> */
    static constexpr int shared_bytes = ROWS * resting_rows::row_bytes;

    resting_rows rest;

    /* Row m - LAG of level 2. */
    template <int WHICH> __device__ __forceinline__ void put_two(const float (&even)[8])
    {
        float keep[8], l2[8];
        column<float, 8> c;
        rest.load(FIRST, keep);
        rest.load(X, c.x);
        rest.load(D1, c.d1);
        rest.load(S1, c.s1);
        rest.load(D2, c.d2);
        const int edges = step_edges(m, l0, l1 - 1), q = m - LAG;
        if (edges) {
            c.template step<true>(keep, even, l2, edges);
        } else {
            c.template step<false>(keep, even, l2, 0);
        }
        rest.store(X, c.x);
        rest.store(D1, c.d1);
        rest.store(S1, c.s1);
        rest.store(D2, c.d2);
        if (WHICH == OWN) {
            lift_rows<8>(l2, keep, first, last);
            if (2 * q >= l0 && 2 * q < l1) {
                put_run<Q, 2>(two.to[0] + two.at, l2 + 1, two.r[0], false, mine, two.bound[0]);
                this->put_low(l2);
            }
            if (2 * q + 1 >= l0 && 2 * q + 1 < l1) {
                put_run<Q, 2>(two.to[1] + two.at, keep, two.r[1], false, mine, two.bound[1]);
                put_run<Q, 2>(two.to[2] + two.at, keep + 1, two.r[2], false, mine, two.bound[2]);
            }
            two.at += two.cell_row;
            this->low += this->low_pitch;
            if (two.begins(q + 1)) {
                two.flush(q, mine);
                two.jump(q + 1);
            }
        }
    }

    /* Row 2m + 1 + h of level 1's bands. */
    template <int WHICH> __device__ __forceinline__ void put_one(int h)
    {
        static_assert(A::places == 2 || A::places == 4, "a place for each step");
        float o[16], e[16], lo[16], ll[8];
        const int q = 2 * m + 1 + h;
        this->take_rows(h, o, e);
        this->v1.template step<false>(o, e, lo, 0);
        if (WHICH == OWN && h == 1 && one.begins(q)) {
            one.flush(q - 1, mine);
            one.jump(q);
        }
        if (WHICH == RUN_IN) {
            lift_row<16>(lo, first, last);
        } else {
            lift_rows<16>(lo, o, first, last);
            if (2 * q >= y0 && 2 * q < y1) {
                put_run<H, 2>(one.to[0] + one.at, lo + 1, one.r[0], false, mine, one.bound[0]);
            }
            if (2 * q + 1 >= y0 && 2 * q + 1 < y1) {
                put_run<H, 2>(one.to[1] + one.at, o, one.r[1], false, mine, one.bound[1]);
                put_run<H, 2>(one.to[2] + one.at, o + 1, one.r[2], false, mine, one.bound[2]);
            }
            one.at += one.cell_row;
        }
#pragma unroll
        for (int j = 0; j < 8; j++) {
            ll[j] = lo[2 * j];
        }
        if (h) {
            put_two<WHICH>(ll);
        } else {
            rest.store(FIRST, ll);
        }
    }

    /* All before the stretch's own iterations. */
    __device__ __forceinline__ void run_in()
    {
        const float zero[8] = {};
#pragma unroll
        for (int row = D1; row < ROWS; row++) {
            rest.store(row, zero);
        }
#pragma unroll
        for (int s = -base::STEPS; s < -2 * base::WARM; s++) {
            float o[16], e[16], lo[16];
            m = from + (s >> 1);
            this->take_rows(s & 1, o, e);
            this->v1.template step<false>(o, e, lo, 0);
            if (s == -2 * base::WARM - 1) {
                float ll[8];
                lift_row<16>(lo, first, last);
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    ll[j] = lo[2 * j];
                }
                rest.store(X, ll);
            }
        }
#pragma unroll 1
        for (m = from - base::WARM; m < from; m++) {
            put_one<RUN_IN>(0);
            put_one<RUN_IN>(1);
        }
    }

    __device__ __forceinline__ void run(uint4 *shared, uint4 *resting, const wvl_cuda_split *splits,
                                        const wvl_cuda_item *items, uint32_t only, int part)
    {
        const wvl_cuda_item item = items[blockIdx.x];
        ahead.open(shared);
        rest.open(resting);
        this->open(splits[split_of(item, only)], splits[split_of(item, only) + part], item);
#pragma unroll
        for (int b = 0; b < 3; b++) {
            one.to[b] = same(one.to[b]);
            two.to[b] = same(two.to[b]);
            one.r[b] = same(one.r[b]);
            two.r[b] = same(two.r[b]);
        }
        const uint64_t flag = (uint64_t)same((uint8_t *)this->flag);
        run_in();
#pragma unroll 1
        for (; m < this->to; m++) {
            put_one<OWN>(0);
            put_one<OWN>(1);
        }
        set_flag(flag);
        let_next_launch_begin();
        one.flush(2 * this->to, mine);
        two.flush(this->to - 1 - LAG, mine);
        end_launch();
    }
};

template <class ROW> __device__ __forceinline__ void run_wide(LAUNCH_ARGUMENTS)
{
    typedef typename march_types<ROW>::A A;
    typedef wide_marcher<typename march_types<ROW>::R, A> marcher97;
    static_assert(A::shared_bytes + marcher97::shared_bytes == ROW::shared_bytes, "the row says what the kernel takes");
    begin_launch(asked);
    __shared__ uint4 shared[(A::shared_bytes + marcher97::shared_bytes) / 16];
    marcher97 march;
    march.run(shared, shared + A::shared_bytes / 16, splits, items, only, 0);
}
#define RUN_WIDE(ROW) run_wide<ROW>(splits, items, asked, only);

#endif
