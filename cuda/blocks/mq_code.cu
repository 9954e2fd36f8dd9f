/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of symbols to codewords, a thread a block, those with the longest lists first.
 *
 * A warp holds 32 blocks with lists of about the same length, or fewer (job.lanes, job.thin). Four symbols are coded
 * without a look at passes where no pass ends with them; the others go one by one.
 */
#include "codec/core/t1_pass.h"
#include "cuda/blocks/mq_float.cuh"
#include "cuda/blocks/mq_integer.cuh"
#include "cuda/blocks/mq_marks.cuh"
#include "geom/handover_pass.h"

namespace wvl_mq
{

/* The place of this thread's block in the order; ~0: it has none. Few blocks are spread over more warps: what one lane
 * does apart from the others holds up fewer of them. */
__device__ __forceinline__ uint32_t own_place(const wvl_cuda_t1_job &job)
{
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lanes = job.lanes ? job.lanes : 32, first = 0;
    if (job.thin && warp >= job.thin) {
        first = job.thin * lanes;
        warp -= job.thin;
        lanes = 32;
    }
    return wvl_ht::lane_id() < lanes ? first + warp * lanes + wvl_ht::lane_id() : ~0u;
}

/* The block of this thread. */
__device__ __forceinline__ uint32_t own_block(const wvl_cuda_t1_job &job)
{
    return item<const uint32_t>(job.order, own_place(job));
}

/* Passes of blocks that are one segment. */
struct plain_passes {
    marks records;

    /* Returns the first symbol of this round. stop: the end of its pass. */
    template <typename CODER>
    __device__ __forceinline__ uint32_t open(const wvl_cuda_t1_job &job, CODER &c, list_reader &list, uint32_t id,
                                             uint32_t *stop)
    {
        const wvl_cuda_t1_state &s = state_at(job, id);
        uint32_t i = 0, pass = 0;
        if (goes_on(job)) {
            const wvl_cuda_t1_kept &kept = kept_of(job, s);
            restore_contexts(kept, c);
            restore_lane(kept, c.l);
            pass = kept.passes;
            i = kept.symbols;
            if (i < s.symbols) {
                list.reopen(job, kept.unit, i, s.symbols);
            } else {
                list.unit = kept.unit;
            }
        } else {
            c.open_first();
            list.open(job, s.list, s.symbols);
        }
        *stop = records.open_pass(job, s, id, pass);
        return i;
    }
    __device__ __forceinline__ bool is_raw() const { return false; }
    /* The symbol in the lowest bits, with the bytes that it completes. */
    template <typename CODER> __device__ __forceinline__ void put(CODER &c, uint32_t symbols) const
    {
        c.look(symbols << 6);
        c.put_exactly(symbols << 6);
    }
    template <typename CODER> __device__ __forceinline__ uint32_t end_pass(const wvl_cuda_t1_job &job, CODER &c)
    {
        return records.put(job, c.l);
    }
    /* Returns the bytes of the block. */
    template <typename CODER>
    __device__ __forceinline__ uint32_t close(const wvl_cuda_t1_job &job, CODER &c, const list_reader &list)
    {
        const wvl_cuda_t1_state &s = state_at(job, own_block(job));
        if (keeps(job)) {
            wvl_cuda_t1_kept &kept = kept_of(job, s);
            keep_contexts(kept, c);
            keep_lane(kept, c.l);
            kept.unit = list.unit;
            keep_range(kept, job, s);
        }
        return close_codeword(c.l);
    }
};

/* The same for all styles: segments end on the way, as codec/t1/t1_coder.c ends them. */
struct segments {
    using coder = integers::coder;
    using lane = integers::lane;

    uint32_t id, pass, style;
    uint32_t start;                   /* of the segment, in the bytes of the lane: the first is 1 */
    uint32_t final_floor, safe_floor; /* of the pass before in the segment */
    bool raw;

    __device__ __forceinline__ bool is_raw() const { return raw; }
    __device__ __forceinline__ void put(coder &c, uint32_t symbols) const
    {
        if (raw) {
            c.l.put_raw(symbols & 1);
        } else {
            c.look(symbols << 6);
            c.put_exactly(symbols << 6);
        }
    }
    __device__ __forceinline__ void open_segment(lane &l)
    {
        final_floor = safe_floor = 0;
        raw = wvl_t1_pass_is_raw(pass, style);
        if (raw) {
            l.resume(start);
            l.a = l.ct = 8;
            l.c = 0;
        } else {
            l.resume(start - 1);
            l.b = start > 1 ? l.bytes[start - 1] : 0; /* never 0xFF, and nothing carries into it */
            l.open_segment();
        }
    }
    __device__ __forceinline__ uint32_t open(const wvl_cuda_t1_job &job, coder &c, list_reader &list, uint32_t block,
                                             uint32_t *stop)
    {
        id = block;
        pass = 0;
        c.open_first();
        list.open(job, state_at(job, id).list, state_at(job, id).symbols);
        style = item<const wvl_cuda_t1_block>(job.blocks, id).style;
        start = 1;
        final_floor = safe_floor = 0;
        raw = false;
        *stop = pass_ends(job, state_at(job, id))[0];
        return 0;
    }
    __device__ __forceinline__ wvl_segment_end fetch_end(lane &l) const
    {
        int is_predictable = (style & WVL_STYLE_PTERM) != 0;
        l.flush();
        if (raw) {
            wvl_raw_registers regs = {l.n - start, l.c, l.ct, l.a};
            return wvl_raw_end_segment(&regs, is_predictable, final_floor);
        }
        wvl_mq_registers regs = l.registers();
        return wvl_mq_end_segment(l.bytes + start, l.n + 1 - start, &regs, is_predictable, final_floor);
    }
    __device__ __forceinline__ void put_record(const wvl_cuda_t1_job &job, const wvl_segment_end &end, bool is_term)
    {
        wvl_cuda_t1_pass p = {start - 1 + safe_floor, start - 1 + end.final_bytes, {0}, 0, 0};
        p.flags = (uint8_t)(raw ? WVL_PASS_RAW : 0);
        if (is_term) {
            p.flags |= WVL_PASS_TERM;
            p.safe_bytes = p.final_bytes;
        } else {
            p.tail_count = end.tail_count;
            for (uint32_t i = 0; i < sizeof p.tail; i++) {
                p.tail[i] = end.tail[i];
            }
        }
        store_pass(job, id, pass, p);
    }
    __device__ __forceinline__ uint32_t end_pass(const wvl_cuda_t1_job &job, coder &c)
    {
        const wvl_cuda_t1_state &s = state_at(job, id);
        wvl_segment_end end = fetch_end(c.l);
        bool ends = wvl_t1_pass_is_end(pass, style), is_last = pass + 1 == s.passes;
        final_floor = end.final_bytes;
        safe_floor = max(safe_floor, end.safe_bytes);
        if (job.passes) {
            put_record(job, end, ends || pass + 1 == 3u * s.planes - 2);
        }
        if (ends || is_last) {
            store_tail(c.l.bytes + start, end);
            start += end.final_bytes;
        }
        if (ends) {
            pass_ends(job, s)[pass] = start - 1;
        }
        pass++;
        if (is_last) {
            return ~0u;
        }
        if (style & WVL_STYLE_RESET) {
            c.reset_contexts();
        }
        if (ends) {
            open_segment(c.l);
        }
        return pass_ends(job, s)[pass];
    }
    __device__ __forceinline__ uint32_t close(const wvl_cuda_t1_job &, coder &, const list_reader &)
    {
        return start - 1;
    }
};

/* Symbols i to the next multiple of 4, or to the end of the list, one by one. Returns the next one. */
template <typename CODER, typename PASSES>
__device__ __forceinline__ uint32_t put_slowly(const wvl_cuda_t1_job &job, CODER &c, PASSES &passes, uint32_t four,
                                               uint32_t i, uint32_t count, uint32_t *stop)
{
    uint32_t end = min((i & ~3u) + 4, count);
    four >>= 8 * (i & 3);
    while (i < end) {
        passes.put(c, four);
        four >>= 8;
        i++;
        while (i == *stop) {
            *stop = passes.end_pass(job, c);
        }
    }
    return i;
}

/* stop: the end of the pass in work, or of the list. */
template <typename CODER, typename PASSES> __device__ __forceinline__ void code_block(const wvl_cuda_t1_job &job)
{
    WVL_HT_SHARED(shared);
    CODER c;
    c.open((uint8_t *)shared);
    if (own_place(job) >= item<const uint32_t>(job.counters, WVL_CUDA_T1_ORDERED)) {
        return;
    }
    uint32_t id = own_block(job), count = state_at(job, id).symbols;
    PASSES passes;
    list_reader list;
    c.l.bytes = (uint8_t *)&item<uint4>(job.scratch, state_at(job, id).codeword);
    uint32_t stop, i = passes.open(job, c, list, id, &stop);
    while (i == stop) { /* passes without symbols, in a later round */
        stop = passes.end_pass(job, c);
    }
    if (i < count) {
        c.look(list.now.x << 6);
    }
    while (i < count) {
        uint4 unit = list.take_unit(job, i, count);
        do { /* lanes where a pass ends meet the others again after four symbols */
            uint32_t four = unit.x;
            unit = make_uint4(unit.y, unit.z, unit.w, list.now.x);
            if (stop - i > 4 && !(i & 3) && !passes.is_raw()) {
                c.put_four(four, unit.x);
                i += 4;
                continue;
            }
            i = put_slowly(job, c, passes, four, i, count, &stop);
            if (i < count && !passes.is_raw()) {
                c.look(unit.x << 6);
            }
        } while (i & 15 && i < count);
    }
    store_record(job, own_block(job), passes.close(job, c, list));
}

} // namespace wvl_mq

extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_MQ_THREADS) wvl_t1_mq(const wvl_cuda_t1_job job)
{
    wvl_mq::code_block<wvl_mq::integers::coder, wvl_mq::plain_passes>(job);
}
extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_MQ_THREADS) wvl_t1_mq_floats(const wvl_cuda_t1_job job)
{
    wvl_mq::code_block<wvl_mq::floats::coder, wvl_mq::plain_passes>(job);
}
extern "C" __global__ void __launch_bounds__(WVL_CUDA_T1_MQ_THREADS, 16) wvl_t1_mq_styled(const wvl_cuda_t1_job job)
{
    wvl_mq::code_block<wvl_mq::integers::coder, wvl_mq::segments>(job);
}
