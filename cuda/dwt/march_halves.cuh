/* SPDX-License-Identifier: BSD-2-Clause */
/* Marching in 5/3 from 8-bit pixels, 16 columns a lane: level 1 in half floats (block/halves.cuh), level 2 as in
 * march.cuh. */
#ifndef WVL_CUDA_DWT_MARCH_HALVES_CUH
#define WVL_CUDA_DWT_MARCH_HALVES_CUH

#include "cuda/dwt/block/halves.cuh"
#include "cuda/dwt/march.cuh"

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
        fetch(2 * h, 4 * m + ahead.places + R0 + 2 * h);
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
            one.at += one.cell_row;
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

    __device__ __forceinline__ void run(uint4 *shared, const wvl_cuda_split &split, const wvl_cuda_item &item)
    {
        ahead.open(shared);
        open(split, split, item);
        halves.open(top_row);
        bias += HALVES_OFFSET;
        march_down(*this);
        end_launch();
    }
};

#define RUN_HALF(ROW)                                                                                                  \
    begin_launch(asked);                                                                                               \
    __shared__ uint4 shared[march_types<ROW>::A::shared_bytes / 16];                                                   \
    const wvl_cuda_item item = items[blockIdx.x];                                                                      \
    half_marcher march;                                                                                                \
    march.run(shared, splits[split_of(item, only)], item);

#endif
