/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a lane needs to code the list of symbols of a block, whatever its arithmetic (mq_integer.cuh, mq_float.cuh): the
 * list, the words of contexts, the bytes that leave, and records.
 *
 * The word of a context holds Qe and the place of its state, where both next words are: they are read while A changes.
 * The word of the next symbol's context is read before the symbol at hand changes anything, and replaced where both
 * have the same context.
 *
 * Bytes leave after four symbols, not at the very symbol that completes one. C then has bits above its 28, and a carry
 * of a later symbol may already be in the byte. That is the byte which leaves in the end, with one exception: a 0xFF
 * takes no carry, since the bit for it is stuffed behind. After a carry it would be 0x00. So where a byte is 0x00, the
 * four symbols are coded again, one by one (D-device-14).
 */
#pragma once
#include "codec/core/mq_table.h"
#include "codec/core/segment_end.h"
#include "cuda/blocks/lane.cuh"
#include "cuda/blocks/t1_job.h"

namespace wvl_mq
{

/* Qe << 16 | row after an MPS << 8 | row after an LPS << 1 | whether an LPS flips the MPS. */
#define WVL_MQ_ROW(row, q, nmps, nlps, flip) (uint32_t)(q) << 16 | (nmps) << 8 | (nlps) << 1 | (flip),
static __device__ const uint32_t state_rows[WVL_MQ_ROW_COUNT] = {WVL_MQ_ROWS(WVL_MQ_ROW)};

/* An item of a table in device memory. */
template <typename T> __device__ __forceinline__ T &item(uint64_t table, uint64_t index) { return ((T *)table)[index]; }

__device__ __forceinline__ const wvl_cuda_t1_state &state_at(const wvl_cuda_t1_job &job, uint32_t id)
{
    return item<const wvl_cuda_t1_state>(job.states, id);
}

/* The number of symbols up to the end of each pass. */
__device__ __forceinline__ uint32_t *pass_ends(const wvl_cuda_t1_job &job, const wvl_cuda_t1_state &state)
{
    return (uint32_t *)&item<uint4>(job.scratch, state.ends);
}

/* B, and the bytes that have left the coder: bytes[0] is the one before the first of the block. */
struct output {
    uint32_t b;
    uint32_t n;     /* bytes that have left; B is not among them */
    uint32_t last;  /* the last four of them, the first one lowest */
    uint8_t *bytes; /* lies on a place of 16 */

    __device__ __forceinline__ void push(uint32_t byte)
    {
        last = __byte_perm(last, byte, 0x4321);
        n++;
    }
    __device__ __forceinline__ void put_byte(uint32_t byte)
    {
        push(byte);
        if (!(n & 3)) {
            wvl_ht::store_global(bytes + n - 4, last);
        }
    }
    /* To memory: the bytes of the last word that is not full. */
    __device__ __forceinline__ void flush()
    {
#pragma unroll 1
        for (uint32_t i = n & ~3u; i < n; i++) {
            bytes[i] = (uint8_t)(last >> 8 * (4 - (n & 3) + (i & 3)));
        }
    }
    /* Goes on after `count` bytes, all of which are in memory. */
    __device__ __forceinline__ void resume(uint32_t count)
    {
        n = count & ~3u;
#pragma unroll 1
        while (n < count) {
            push(bytes[n]);
        }
    }
};

/* The contexts of a lane: a word each in shared memory, from place `own` on. A symbol is looked at before it is coded,
 * while the one in front of it is in work. */
constexpr uint32_t MPS = 0x40; /* of a symbol << 6, and of the word of a state */
struct contexts {
    uint8_t *shared;
    uint32_t own;
    uint32_t word, place; /* of the next symbol's context */

    __device__ __forceinline__ uint32_t &context(uint32_t k) const { return *(uint32_t *)(shared + own + 128 * k); }
    template <uint32_t STATE_WORD(uint32_t row, uint32_t mps)> __device__ __forceinline__ void reset()
    {
        for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
            context(k) = STATE_WORD(WVL_T1_CTX_ROW0(k), 0);
        }
    }
    /* s: a symbol << 6. */
    __device__ __forceinline__ uint32_t place_of(uint32_t s) const { return (s & 0xF80) | own; }
    __device__ __forceinline__ void look(uint32_t s)
    {
        place = place_of(s);
        word = *(const uint32_t *)(shared + place);
    }
};

/* A list, a unit of 16 symbols read ahead. */
struct list_reader {
    uint4 now, next;
    uint32_t unit; /* where `next` lies */

    /* Reads unit n of the list, which follows the one read before. */
    __device__ __forceinline__ void read(const wvl_cuda_t1_job &job, uint32_t n)
    {
        unit++;
        if (n % (WVL_CUDA_T1_CHUNK_UNITS - 1) == 0) {
            unit = item<const uint4>(job.scratch, unit).x;
        }
        next = item<const uint4>(job.scratch, unit);
    }
    __device__ __forceinline__ void open(const wvl_cuda_t1_job &job, uint32_t first, uint32_t count)
    {
        unit = first;
        now = next = item<const uint4>(job.scratch, unit);
        if (count > 16) {
            read(job, 1);
        }
    }
    /* Opens at the unit with symbol i of a list that has that symbol. last: the place of the unit with symbol i - 1. */
    __device__ __forceinline__ void reopen_unit(const wvl_cuda_t1_job &job, uint32_t last, uint32_t i, uint32_t count)
    {
        unit = last;
        if (i % 16) {
            next = item<const uint4>(job.scratch, unit);
        } else {
            read(job, i / 16);
        }
        now = next;
        if (i / 16 * 16 + 16 < count) {
            read(job, i / 16 + 1);
        }
    }
    /* The same, and `now` begins with the word of symbol i. */
    __device__ __forceinline__ void reopen(const wvl_cuda_t1_job &job, uint32_t last, uint32_t i, uint32_t count)
    {
        reopen_unit(job, last, i, count);
        for (uint32_t k = 0; k < i % 16 / 4; k++) {
            now = make_uint4(now.y, now.z, now.w, next.x);
        }
    }
    /* The unit with symbol i of `count`, from the word with that symbol on. Units beyond the list are not read. */
    __device__ __forceinline__ uint4 take_unit(const wvl_cuda_t1_job &job, uint32_t i, uint32_t count)
    {
        uint4 unit_now = now;
        now = next;
        if (i / 16 * 16 + 32 < count) {
            read(job, i / 16 + 2);
        }
        return unit_now;
    }
};

/* The place of this lane's words in shared memory, of `warp` of the thread block. */
__device__ __forceinline__ uint32_t find_own(uint32_t warp)
{
    uint32_t own = warp * WVL_CUDA_T1_MQ_WARP_BYTES + 4 * wvl_ht::lane_id();
    return __shfl_sync(~0u, own, wvl_ht::lane_id()); /* keeps the compiler from making it anew for each symbol */
}

/* The end of a segment that begins at `start`: its tail stands in memory afterwards. */
__device__ __forceinline__ void store_tail(uint8_t *start, const wvl_segment_end &end)
{
    uint8_t *stop = start + end.final_bytes;
    for (uint32_t i = 0; i < end.tail_count; i++) {
        stop[(int)i - (int)end.tail_count] = end.tail[i];
    }
}

/* The end of a codeword that is one segment. Returns its bytes. */
template <typename LANE> __device__ __forceinline__ uint32_t close_codeword(LANE &l)
{
    const wvl_mq_registers regs = l.registers();
    l.flush();
    const wvl_segment_end end = wvl_mq_end_segment(l.bytes + 1, l.n, &regs, 0, 0);
    store_tail(l.bytes + 1, end);
    return end.final_bytes;
}

/* A pass record at once. */
__device__ __forceinline__ void store_pass(const wvl_cuda_t1_job &job, uint32_t id, uint32_t pass,
                                           const wvl_cuda_t1_pass &p)
{
    const uint8_t *t = p.tail;
    item<uint4>(job.passes, (uint64_t)id * WVL_CUDA_T1_MOST_PASSES + pass) =
        make_uint4(p.safe_bytes, p.final_bytes, t[0] | t[1] << 8 | t[2] << 16 | (uint32_t)t[3] << 24,
                   t[4] | t[5] << 8 | p.tail_count << 16 | (uint32_t)p.flags << 24);
}

__device__ __forceinline__ void store_record(const wvl_cuda_t1_job &job, uint32_t id, uint32_t bytes)
{
    const wvl_cuda_t1_state &s = state_at(job, id);
    item<wvl_cuda_t1_record>(job.records, id) = {
        bytes, s.codeword, s.ends, s.planes, s.passes, (uint8_t)(s.flags & WVL_CUDA_T1_LEFT), 0};
}

} // namespace wvl_mq
