/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder (15444-1 Annex C) of a lane, which codes the list of symbols of a block, and the raw bits of the lazy
 * mode (D.6).
 *
 * A stands in the high half of its register, so that its leading zeros are the shift. The word of a context holds Qe,
 * both next states and the MPS. The word of the next symbol's context is read before the symbol at hand changes
 * anything, and replaced where both have the same context: that read does not wait for the symbol at hand.
 *
 * A byte leaves the coder at the very symbol that completes it. Bytes that leave later may be other bytes: a carry
 * after a 0xFF goes to the stuffed bit.
 */
#pragma once
#include "codec/core/mq_table.h"
#include "codec/core/segment_end.h"
#include "cuda/blocks/lane.cuh"
#include "cuda/blocks/t1_job.h"

namespace wvl_mq
{

/* By 2 * row + MPS: Qe << 16 | state after an LPS << 9 | state after an MPS << 2 | MPS. A state << 2 is its offset. */
#define WVL_MQ_WORD(q, after_mps, after_lps, mps)                                                                      \
    ((uint32_t)(q) << 16 | (uint32_t)(after_lps) << 9 | (uint32_t)(after_mps) << 2 | (mps))
#define WVL_MQ_WORDS(row, q, nmps, nlps, flip)                                                                         \
    WVL_MQ_WORD(q, 2 * (nmps), 2 * (nlps) + (flip), 0), WVL_MQ_WORD(q, 2 * (nmps) + 1, 2 * (nlps) + 1 - (flip), 1),
static __device__ const uint32_t state_words[WVL_MQ_STATE_COUNT] = {WVL_MQ_ROWS(WVL_MQ_WORDS)};

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

/* Registers of the coder, and the bytes that have left it: bytes[0] is the one before the first of the block. In raw
 * segments: c is the byte in work, ct its free bits, a all its bits. */
struct lane {
    uint32_t a, c, ct, b;
    uint32_t n, last; /* bytes that have left, and the last four of them, the first one lowest */
    uint8_t *bytes;

    __device__ __forceinline__ void push(uint32_t byte)
    {
        last = __byte_perm(last, byte, 0x4321);
        n++;
    }
    __device__ __forceinline__ void put_byte(uint32_t byte)
    {
        push(byte);
        if (!(n & 3)) {
            *(uint32_t *)(bytes + n - 4) = last;
        }
    }
    /* RENORME (C.2.6) of `shift` bits at once. */
    __device__ __forceinline__ void renormalise(uint32_t shift)
    {
        while (shift >= ct) {
            c <<= ct;
            shift -= ct;
            bool is_full = b == 0xFF;
            b += is_full ? 0 : c >> 27;
            c = is_full ? c : c & 0x7FFFFFF;
            put_byte(b);
            uint32_t kept = b == 0xFF ? 20 : 19;
            b = c >> kept;
            c &= (1u << kept) - 1;
            ct = 27 - kept;
        }
        c <<= shift;
        ct -= shift;
    }
    __device__ __forceinline__ void put_raw(uint32_t bit)
    {
        c = c << 1 | bit;
        if (!--ct) {
            put_byte(c);
            a = ct = c == 0xFF ? 7 : 8;
            c = 0;
        }
    }
    __device__ __forceinline__ void open_segment()
    {
        a = 0x80000000u;
        c = 0;
        ct = 12;
    }
    /* To memory: the bytes of the last word that is not full. B is not among them. */
    __device__ __forceinline__ void flush()
    {
        for (uint32_t i = n & ~3u; i < n; i++) {
            bytes[i] = (uint8_t)(last >> 8 * (4 - (n & 3) + (i & 3)));
        }
    }
    /* Goes on after `count` bytes, all of which are in memory. */
    __device__ __forceinline__ void resume(uint32_t count)
    {
        n = count & ~3u;
        while (n < count) {
            push(bytes[n]);
        }
    }
    __device__ __forceinline__ wvl_mq_registers registers() const { return {a >> 16, c, ct, b}; }
};

/* Words of the contexts of a lane, and what it codes next. */
struct coder {
    lane l;
    const uint32_t *table;
    uint32_t *contexts; /* 32 words apart */
    uint32_t symbol, word;
    uint32_t *place; /* of its context's word */

    __device__ __forceinline__ void reset_contexts()
    {
        for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
            contexts[32 * k] = table[2 * WVL_T1_CTX_ROW0(k)];
        }
    }
    /* A codeword from its start. */
    __device__ __forceinline__ void open_first()
    {
        reset_contexts();
        l.open_segment();
        l.b = l.n = l.last = 0;
    }
    __device__ __forceinline__ uint32_t *place_of(uint32_t s) const
    {
        return (uint32_t *)((uint8_t *)contexts + ((s & 0x3E) << 6));
    }
    __device__ __forceinline__ void look(uint32_t s)
    {
        symbol = s;
        place = place_of(s);
        word = *place;
    }
    /* Returns the word of the context afterwards. */
    __device__ __forceinline__ uint32_t put_symbol()
    {
        uint32_t qe = word & 0xFFFF0000u, upper = l.a - qe;
        bool is_lps = (word ^ symbol) & 1, takes_lower = (upper < qe) != is_lps;
        uint32_t next = *(const uint32_t *)((const uint8_t *)table + ((is_lps ? word >> 7 : word) & 0x1FC));
        uint32_t range = takes_lower ? qe : upper, shift = (uint32_t)__clz(range);
        l.a = range << shift;
        l.c += takes_lower ? 0 : qe >> 16;
        if (shift) {
            *place = next;
        }
        uint32_t now = shift ? next : word;
        l.renormalise(shift);
        return now;
    }
    /* The symbol at hand; `after` is the one that follows it, in an MQ pass. */
    __device__ __forceinline__ void put_and_look(uint32_t after)
    {
        uint32_t *next_place = place_of(after), next_word = *next_place;
        uint32_t now = put_symbol();
        word = next_place == place ? now : next_word;
        symbol = after;
        place = next_place;
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
    /* Opens at symbol i of a list that has that symbol. last: the place of the unit with symbol i - 1. */
    __device__ __forceinline__ void reopen(const wvl_cuda_t1_job &job, uint32_t last, uint32_t i, uint32_t count)
    {
        unit = last;
        if (i % 16) {
            next = item<const uint4>(job.scratch, unit);
        } else {
            read(job, i / 16);
        }
        now = next;
        for (uint32_t k = 0; k < i % 16 / 4; k++) {
            move();
        }
        if (i / 16 * 16 + 16 < count) {
            read(job, i / 16 + 1);
        }
    }
    __device__ __forceinline__ void move()
    {
        now.x = now.y;
        now.y = now.z;
        now.z = now.w;
    }
    /* Symbols i to i / 4 * 4 + 3; the first stands in byte i mod 4. Units beyond the list are not read. */
    __device__ __forceinline__ uint32_t take(const wvl_cuda_t1_job &job, uint32_t i, uint32_t count)
    {
        uint32_t four = now.x;
        move();
        if ((i & 12) == 12) {
            now = next;
            if ((i & ~3u) + 20 < count) {
                read(job, i / 16 + 2);
            }
        }
        return four;
    }
};

/* Bytes of shared memory of a thread block: the state machine, and the contexts of each warp. */
__device__ __forceinline__ uint32_t *stage_contexts(uint32_t *shared)
{
    for (uint32_t i = threadIdx.x; i < WVL_MQ_STATE_COUNT; i += blockDim.x) {
        shared[i] = state_words[i];
    }
    __syncthreads();
    return shared + WVL_CUDA_T1_MQ_TABLE_WORDS + (threadIdx.x >> 5) * WVL_CUDA_T1_MQ_WARP_WORDS + wvl_ht::lane_id();
}

/* The end of a segment that begins at `start`: its tail stands in memory afterwards. */
__device__ __forceinline__ void store_tail(uint8_t *start, const wvl_segment_end &end)
{
    uint8_t *stop = start + end.final_bytes;
    for (uint32_t i = 0; i < end.tail_count; i++) {
        stop[(int)i - (int)end.tail_count] = end.tail[i];
    }
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
