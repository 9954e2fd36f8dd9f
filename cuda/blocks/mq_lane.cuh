/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder (15444-1 Annex C) of a lane, which codes the list of symbols of a block, and the raw bits of the lazy
 * mode (D.6).
 *
 * A stands in the high half of its register, so that its leading zeros are the shift. The word of a context holds Qe
 * and the place of its state, where both next words are: they are read while A changes. The word of the next symbol's
 * context is read before the symbol at hand changes anything, and replaced where both have the same context.
 *
 * Bytes leave after four symbols, not at the very symbol that completes one. C then has bits above its 28, and a carry
 * of a later symbol may already be in the byte. That is the byte which leaves in the end, with one exception: a 0xFF
 * takes no carry, since the bit for it is stuffed behind. After a carry it would be 0x00. So where a byte is 0x00, the
 * four symbols are coded again, a bit at a time (D-device-14).
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

/* The word of a state: Qe << 16, and where its next words lie in the table, in bytes. Bit 6 of the place is the MPS. */
constexpr uint32_t MPS = 0x40, PLACE = 0x3F8;
__device__ __forceinline__ uint32_t state_word(uint32_t row, uint32_t mps)
{
    return (state_rows[row] & 0xFFFF0000u) | (row >> 3) << 7 | mps << 6 | (row & 7) << 3;
}

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

/* BYTEOUT (C.2.7) of B and the 28 bits of v: the byte that leaves, the next B, and how many bits stay in C. */
struct byte_out {
    uint32_t byte, next, kept;

    __device__ __forceinline__ byte_out(uint32_t b, uint32_t v)
    {
        bool is_full = b == 0xFF;
        byte = b + (is_full ? 0 : v >> 27);
        kept = byte == 0xFF ? 20 : 19;
        next = (is_full ? v : v & 0x7FFFFFF) >> kept;
    }
};

/* Registers of the coder, and the bytes that have left it: bytes[0] is the one before the first of the block. In raw
 * segments: c is the byte in work, ct its free bits, a all its bits. */
struct lane {
    uint32_t a, c, ct, b;
    uint32_t last;       /* the last four bytes that have left, the first one lowest */
    uint8_t *bytes, *at; /* bytes lies on a place of 16; the next byte goes to `at` */

    __device__ __forceinline__ uint32_t n() const { return (uint32_t)(at - bytes); }
    __device__ __forceinline__ void push(uint32_t byte)
    {
        last = __byte_perm(last, byte, 0x4321);
        at++;
    }
    __device__ __forceinline__ void put_byte(uint32_t byte)
    {
        push(byte);
        if (!((uintptr_t)at & 3)) {
            wvl_ht::store_global(at - 4, last);
        }
    }
    /* RENORME (C.2.6) of `shift` bits at once. */
    __device__ __forceinline__ void renormalise(uint32_t shift)
    {
        while (shift >= ct) {
            c <<= ct;
            shift -= ct;
            byte_out out(b, c);
            put_byte(out.byte);
            b = out.next;
            c &= (1u << out.kept) - 1;
            ct = 27 - out.kept;
        }
        c <<= shift;
        ct -= shift;
    }
    __device__ __forceinline__ void go_on(uint64_t wide, uint32_t next, uint32_t free_bits)
    {
        b = next;
        ct = free_bits;
        c = (uint32_t)(wide >> 16) & wvl_ht::low_bits(27 - ct);
    }
    /*
     * One or two bytes. wide: C << 16, with `over` bits above the 28 of C. Returns 0 and does nothing where there are
     * more bytes, or where they may not be those of single steps.
     */
    __device__ __forceinline__ bool put_complete(uint64_t wide, uint32_t over)
    {
        uint32_t low = (uint32_t)wide, high = (uint32_t)(wide >> 32);
        byte_out first(b, __funnelshift_r(low, high, 16 + over));
        uint32_t free_bits = 27 - first.kept - over;
        if (first.next && (int)free_bits > 0) {
            put_byte(first.byte);
            go_on(wide, first.next, free_bits);
            return true;
        }
        byte_out second(first.next, __funnelshift_r(low, high, 16 - free_bits) & 0x7FFFFFF); /* the carry is in B */
        free_bits += 27 - second.kept;
        if (!first.next || !second.next || (int)free_bits <= 0) {
            return false;
        }
        put_byte(first.byte);
        put_byte(second.byte);
        go_on(wide, second.next, free_bits);
        return true;
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
        for (uint32_t i = n() & ~3u; i < n(); i++) {
            bytes[i] = (uint8_t)(last >> 8 * (4 - (n() & 3) + (i & 3)));
        }
    }
    /* Goes on after `count` bytes, all of which are in memory. */
    __device__ __forceinline__ void resume(uint32_t count)
    {
        at = bytes + (count & ~3u);
        while (at < bytes + count) {
            push(*at);
        }
    }
    __device__ __forceinline__ wvl_mq_registers registers() const { return {a >> 16, c, ct, b}; }
};

/* What a symbol does to C: a part of A << 16, then a shift. */
struct change {
    uint32_t add, shift;
};

/* A symbol, with what is read for it before: Qe << 16; bit 6 says whether it is an LPS; places of its context and of
 * the next one, whose word is that before the symbol. Then A before the shift, what C grows by, and the next word. */
struct decision {
    uint32_t qe, differs, place, next_place, next_word;
    uint32_t range, add, word;
};

#ifdef __CUDACC__
/* Fills range, add and word of d: the decision, the next word of its context, and the word of the context behind it.
 * The compiler makes about ten instructions more of the same in C. */
__device__ __forceinline__ void decide(decision &d, uint32_t upper, uint64_t next_words, uint8_t *shared)
{
    uint32_t after_mps = (uint32_t)next_words, after_lps = (uint32_t)(next_words >> 32);
    uint32_t at = (uint32_t)__cvta_generic_to_shared(shared) + d.place;
    asm volatile("{.reg .pred lps, lower, changes, same; .reg .u32 x;\n\t"
                 "and.b32 x, %3, 64; setp.ne.u32 lps, x, 0; setp.lt.xor.u32 lower, %5, %4, lps;\n\t"
                 "selp.u32 %0, %4, %5, lower; selp.u32 %1, 0, %4, lower; selp.u32 x, %7, %6, lps;\n\t"
                 "setp.ge.s32 changes, %0, 0; @changes st.shared.u32 [%8], x;\n\t"
                 "setp.eq.and.u32 same, %9, %10, changes; selp.u32 %2, x, %11, same;}"
                 : "=&r"(d.range), "=&r"(d.add), "=&r"(d.word)
                 : "r"(d.differs), "r"(d.qe), "r"(upper), "r"(after_mps), "r"(after_lps), "r"(at), "r"(d.place),
                   "r"(d.next_place), "r"(d.next_word)
                 : "memory");
}
#else
__device__ __forceinline__ void decide(decision &d, uint32_t upper, uint64_t next_words, uint8_t *shared)
{
    bool is_lps = d.differs & MPS, takes_lower = (upper < d.qe) != is_lps;
    uint32_t next = (uint32_t)(is_lps ? next_words >> 32 : next_words);
    d.range = takes_lower ? d.qe : upper;
    d.add = takes_lower ? 0 : d.qe;
    d.word = d.next_word;
    if ((int)d.range >= 0) {
        *(uint32_t *)(shared + d.place) = next;
        d.word = d.next_place == d.place ? next : d.next_word;
    }
}
#endif

/* Words of the contexts of a lane, and what it codes next. */
struct coder {
    lane l;
    uint8_t *shared;      /* the state machine and the contexts */
    uint32_t own;         /* place of the lane's words in it */
    uint32_t word, place; /* of the next symbol's context */

    __device__ __forceinline__ uint32_t &context(uint32_t k) const { return *(uint32_t *)(shared + own + 128 * k); }
    __device__ __forceinline__ void reset_contexts()
    {
        for (uint32_t k = 0; k < WVL_T1_CTX_COUNT; k++) {
            context(k) = state_word(WVL_T1_CTX_ROW0(k), 0);
        }
    }
    /* A codeword from its start. */
    __device__ __forceinline__ void open_first()
    {
        reset_contexts();
        l.open_segment();
        l.b = l.last = 0;
        l.at = l.bytes;
    }
    /* s: a symbol << 6. */
    __device__ __forceinline__ uint32_t place_of(uint32_t s) const { return (s & 0xF80) | own; }
    __device__ __forceinline__ void look(uint32_t s)
    {
        place = place_of(s);
        word = *(const uint32_t *)(shared + place);
    }
    /* The symbol s that was looked at; `after` follows it. C and bytes are left to the caller. */
    __device__ __forceinline__ change put_symbol(uint32_t s, uint32_t after)
    {
        uint64_t next_words = *(const uint64_t *)(shared + WVL_CUDA_T1_MQ_TABLE + (word & PLACE));
        uint32_t next_place = place_of(after), next_word = *(const uint32_t *)(shared + next_place);
        decision d = {word & 0xFFFF0000u, word ^ s, place, next_place, next_word, 0, 0, 0};
        uint32_t upper = l.a - d.qe;
        decide(d, upper, next_words, shared);
        uint32_t shift = wvl_ht::leading_zeros(d.range);
        l.a = d.range << shift;
        word = d.word;
        place = next_place;
        return {d.add, shift};
    }
    /* One symbol, with the bytes that it completes. */
    __device__ __forceinline__ void put_exactly(uint32_t s)
    {
        change x = put_symbol(s, s);
        l.c += x.add >> 16;
        l.renormalise(x.shift);
    }
    /* The four symbols of a word, of which the first was looked at; `after` holds the one that follows. */
    __device__ __forceinline__ void put_four(uint32_t four, uint32_t after)
    {
        uint32_t log[4], sum = 0;
        uint64_t wide = (uint64_t)l.c << 16;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t s = k ? four >> (8 * k - 6) : four << 6, next = k < 3 ? four >> (8 * k + 2) : after << 6;
            change x = put_symbol(s, next);
            wide = (wide + x.add) << x.shift;
            log[k] = x.add | x.shift;
            sum += x.shift;
        }
        if (sum < l.ct) {
            l.ct -= sum;
            l.c = (uint32_t)(wide >> 16);
            return;
        }
        if (!l.put_complete(wide, sum - l.ct)) {
            put_logged(log);
        }
    }
    /* Changes one by one. */
    __device__ __forceinline__ void put_logged(uint32_t (&log)[4])
    {
#pragma unroll 1
        for (uint32_t k = 0; k < 4; k++) {
            l.c += log[0] >> 16;
            l.renormalise(log[0] & 0xFFFF);
            log[0] = log[1];
            log[1] = log[2];
            log[2] = log[3];
        }
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
        if (i / 16 * 16 + 16 < count) {
            read(job, i / 16 + 1);
        }
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

/* Puts the state machine to shared memory. All threads. Returns the place of the lane's words. */
__device__ __forceinline__ uint32_t stage_states(uint8_t *shared)
{
    for (uint32_t i = threadIdx.x; i < WVL_MQ_STATE_COUNT; i += blockDim.x) {
        uint32_t row = i >> 1, mps = i & 1, next = state_rows[row], *pair;
        pair = (uint32_t *)(shared + WVL_CUDA_T1_MQ_TABLE + (state_word(row, mps) & PLACE));
        pair[0] = state_word(next >> 8 & 0xFF, mps);
        pair[1] = state_word(next >> 1 & 0x3F, mps ^ (next & 1));
    }
    __syncthreads();
    uint32_t own = (threadIdx.x >> 5) * WVL_CUDA_T1_MQ_WARP_BYTES + 4 * wvl_ht::lane_id();
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
