/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of symbols to codewords by two warps, for few pictures in flight: the longest list is then the time of a
 * picture, and only A and the states of contexts make a symbol wait for the one before. One warp of a thread block
 * follows these alone. The other one adds to C and makes bytes and records, a unit of the lists behind. Lane k of both
 * has the same list. Where lists are fewer than 32 a thread block, lanes are left empty.
 *
 * Between them is a ring in shared memory of two units: of each symbol the part of A that C grows by, and A. In the
 * ring, A has a CT of 0 before each four symbols: the first warp knows no bytes.
 */
#include "cuda/blocks/mq_float.cuh"
#include "cuda/blocks/mq_marks.cuh"

namespace wvl_mq::floats
{

/* Both warps. */
__device__ __forceinline__ void meet_pair() { wvl_ht::meet_from_anywhere<WVL_CUDA_T1_MQ_THREADS>(); }

/* A list, in both warps: symbols [first, count) of it are coded in this round. */
struct pair_list {
    uint32_t id, first, count;
    bool is_open; /* some lane of the thread block has a list; else no more is known */
    bool is_there;
    bool goes_on;

    /* Lanes with a list: as few as all thread blocks need. What one lane does apart holds up fewer others. */
    __device__ __forceinline__ static uint32_t count_lanes(uint32_t all)
    {
        uint32_t lanes = 32;
        while (lanes > 1 && lanes / 2 * gridDim.x >= all) {
            lanes /= 2;
        }
        return lanes;
    }
    __device__ __forceinline__ void open(const wvl_cuda_t1_job &job)
    {
        uint32_t all = item<const uint32_t>(job.counters, WVL_CUDA_T1_ORDERED), lanes = count_lanes(all);
        uint32_t lane = wvl_ht::lane_id(), at = lanes * blockIdx.x;
        is_open = at < all;
        if (!is_open) {
            return;
        }
        is_there = lane < lanes && at + lane < all;
        id = item<const uint32_t>(job.order, is_there ? at + lane : at);
        const wvl_cuda_t1_state &s = state_at(job, id);
        goes_on = is_there && wvl_mq::goes_on(job);
        first = goes_on ? kept_of(job, s).symbols : 0;
        count = is_there ? s.symbols : 0;
    }
    /* The first symbol of the unit where it begins. */
    __device__ __forceinline__ uint32_t begin() const { return first & ~15u; }
    /* Units of the longest list of the warp. */
    __device__ __forceinline__ uint32_t count_units() const
    {
        uint32_t most = first < count ? (count - begin() + 15) / 16 : 0;
        for (uint32_t d = 16; d; d /= 2) {
            most = max(most, __shfl_down_sync(~0u, most, d));
        }
        return __shfl_sync(~0u, most, 0);
    }
};

/* What one warp gives to the other of four symbols. */
struct pair_ring {
    uint4 *at; /* of the lane */

    __device__ __forceinline__ void open(uint8_t *shared)
    {
        at = (uint4 *)(shared + WVL_CUDA_T1_MQ_PAIR_RING) + wvl_ht::lane_id();
    }
    __device__ __forceinline__ uint4 &parts(uint32_t unit, uint32_t k) const { return at[64 * ((unit & 1) * 4 + k)]; }
    __device__ __forceinline__ uint4 &ranges(uint32_t unit, uint32_t k) const { return (&parts(unit, k))[32]; }
};

/* ---- A and the states ------------------------------------------------------------------------ */

struct pair_chain : chain {
    uint32_t a;
    list_reader list;
    pair_ring ring;

    __device__ __forceinline__ void open_list(const wvl_cuda_t1_job &job, const pair_list &p)
    {
        const wvl_cuda_t1_state &s = state_at(job, p.id);
        a = CT_ZERO;
        if (!p.goes_on) {
            reset_contexts();
            list.open(job, s.list, p.count);
            return;
        }
        const wvl_cuda_t1_kept &kept = kept_of(job, s);
        restore_contexts(kept, *this);
        a |= (kept.a & 0x7FFF) << 8;
        list.unit = kept.unit;
        if (p.first < p.count) {
            list.reopen_unit(job, kept.unit, p.first, p.count);
        }
    }
    __device__ __forceinline__ void put_group(uint32_t unit, uint32_t k, const uint32_t (&parts)[4],
                                              const uint32_t (&ranges)[4])
    {
        ring.parts(unit, k) = make_uint4(parts[0], parts[1], parts[2], parts[3]);
        ring.ranges(unit, k) = make_uint4(ranges[0], ranges[1], ranges[2], ranges[3]);
        a = (a & ~EXPONENT) | CT_ZERO;
    }
    /* All symbols of a unit; `after` follows them. */
    __device__ __forceinline__ void put_unit(uint32_t n, const uint4 &unit, uint32_t after)
    {
        const uint32_t words[5] = {unit.x, unit.y, unit.z, unit.w, after};
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t parts[4], ranges[4];
            put_four(a, words[k], words[k + 1], parts, ranges);
            put_group(n, k, parts, ranges);
        }
    }
    /* A unit with symbol i in front of which some symbols are not coded in this round. */
    __device__ __forceinline__ void put_some(uint32_t n, uint4 unit, uint32_t i, const pair_list &p)
    {
#pragma unroll 1
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t parts[4], ranges[4];
#pragma unroll
            for (uint32_t j = 0; j < 4; j++, i++) {
                uint32_t s = unit.x << 6;
                parts[j] = 0;
                if (p.first <= i && i < p.count) {
                    look(s);
                    parts[j] = put_symbol(a, s, s);
                }
                ranges[j] = a;
                unit.x >>= 8;
            }
            put_group(n, k, parts, ranges);
            unit = make_uint4(unit.y, unit.z, unit.w, 0);
        }
    }
    __device__ __forceinline__ void run(const wvl_cuda_t1_job &job, const pair_list &p, uint32_t units)
    {
        bool is_looked = false;
        for (uint32_t n = 0, i = p.begin(); n < units; n++, i += 16) {
            if (i < p.count) {
                const uint4 unit = list.take_unit(job, i, p.count);
                if (p.first <= i && i + 16 <= p.count) {
                    if (!is_looked) {
                        look(unit.x << 6);
                        is_looked = true;
                    }
                    put_unit(n, unit, list.now.x);
                } else {
                    put_some(n, unit, i, p);
                }
            }
            meet_pair();
        }
    }
    __device__ __forceinline__ void close(const wvl_cuda_t1_job &job, const pair_list &p) const
    {
        wvl_cuda_t1_kept &kept = kept_of(job, state_at(job, p.id));
        keep_contexts(kept, *this);
        kept.unit = list.unit;
    }
};

/* ---- C, bytes and records -------------------------------------------------------------------- */

struct pair_bytes {
    lane l;
    marks records;
    uint32_t stop; /* the end of the pass in work */
    pair_ring ring;

    __device__ __forceinline__ void end_passes(const wvl_cuda_t1_job &job, uint32_t i)
    {
        while (i == stop) {
            stop = records.put(job, l);
        }
    }
    __device__ __forceinline__ void open_list(const wvl_cuda_t1_job &job, const pair_list &p)
    {
        const wvl_cuda_t1_state &s = state_at(job, p.id);
        uint32_t pass = 0;
        l.bytes = (uint8_t *)&item<uint4>(job.scratch, s.codeword);
        l.b = l.last = l.n = 0;
        l.open_segment();
        if (p.goes_on) {
            const wvl_cuda_t1_kept &kept = kept_of(job, s);
            restore_lane(kept, l);
            pass = kept.passes;
        }
        stop = ~0u;
        if (p.is_there) {
            stop = records.open_pass(job, s, p.id, pass);
        }
        end_passes(job, p.first); /* without symbols, in a later round */
    }
    /* Symbols i to i + 3, of which all or some are coded: the others change nothing. */
    __device__ __forceinline__ void put_group(const wvl_cuda_t1_job &job, uint32_t i, uint4 parts, uint4 ranges)
    {
        uint32_t more = (l.a & EXPONENT) - CT_ZERO;
        const uint32_t a = l.a;
        const double c = l.c;
        if (stop - i > 4) {
            l.add(parts.x + more);
            l.add(parts.y + more);
            l.add(parts.z + more);
            l.add(parts.w + more);
            l.a = ranges.w + more;
            if (!l.is_complete() || l.put_complete()) {
                return;
            }
            l.a = a;
            l.c = c;
        }
#pragma unroll 1
        for (uint32_t k = 0; k < 4; k++) {
            l.put(parts.x, ranges.x, more);
            end_passes(job, ++i);
            parts = make_uint4(parts.y, parts.z, parts.w, 0);
            ranges = make_uint4(ranges.y, ranges.z, ranges.w, 0);
        }
    }
    __device__ __forceinline__ void run(const wvl_cuda_t1_job &job, const pair_list &p, uint32_t units)
    {
        for (uint32_t n = 0, i = p.begin(); n < units; n++, i += 16) {
            meet_pair();
            if (i < p.count) {
#pragma unroll 1
                for (uint32_t k = 0; k < 4; k++) {
                    put_group(job, i + 4 * k, ring.parts(n, k), ring.ranges(n, k));
                }
            }
        }
    }
    __device__ __forceinline__ void close(const wvl_cuda_t1_job &job, const pair_list &p)
    {
        const wvl_cuda_t1_state &s = state_at(job, p.id);
        if (keeps(job)) {
            wvl_cuda_t1_kept &kept = kept_of(job, s);
            keep_lane(kept, l);
            keep_range(kept, job, s);
        }
        store_record(job, p.id, close_codeword(l));
    }
};

/* ---- Both ------------------------------------------------------------------------------------ */

__device__ __forceinline__ void code_pair(const wvl_cuda_t1_job &job)
{
    WVL_HT_SHARED(shared);
    pair_list p;
    p.open(job);
    if (!p.is_open) {
        return;
    }
    uint32_t table = stage_states(shared), units = p.count_units();
    if (threadIdx.x < 32) {
        pair_chain c;
        c.shared = (uint8_t *)shared;
        c.own = find_own(0);
        c.table = table;
        c.ring.open(c.shared);
        c.open_list(job, p);
        meet_pair(); /* both have read what was kept */
        c.run(job, p, units);
        if (p.is_there && keeps(job)) {
            c.close(job, p);
        }
    } else {
        pair_bytes b;
        b.ring.open((uint8_t *)shared);
        b.open_list(job, p);
        meet_pair();
        b.run(job, p, units);
        if (p.is_there) {
            b.close(job, p);
        }
    }
}

} // namespace wvl_mq::floats

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_MQ_THREADS) wvl_t1_mq_pairs(const wvl_cuda_t1_job job)
{
    wvl_mq::floats::code_pair(job);
}
