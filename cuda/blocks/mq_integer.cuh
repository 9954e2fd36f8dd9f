/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder (15444-1 Annex C) of a lane in integers, and the raw bits of the lazy mode (D.6): for all styles, and
 * for devices where doubles are slow. A stands in the high half of its register, so that its leading zeros are the
 * shift.
 */
#pragma once
#include "cuda/blocks/mq_lane.cuh"

namespace wvl_mq::integers
{

/* The word of a state: Qe << 16, and where its next words lie in the table, in bytes. Bit 6 of the place is the MPS. */
constexpr uint32_t PLACE = 0x3F8;
__device__ __forceinline__ uint32_t state_word(uint32_t row, uint32_t mps)
{
    return (state_rows[row] & 0xFFFF0000u) | (row >> 3) << 7 | mps << 6 | (row & 7) << 3;
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

/* Registers of the coder. In raw segments: c is the byte in work, ct its free bits, a all its bits. */
struct lane : output {
    uint32_t a, c, ct;

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
    __device__ __forceinline__ wvl_mq_registers registers() const { return {a >> 16, c, ct, b}; }
    __device__ __forceinline__ void set(const wvl_mq_registers &r)
    {
        a = r.a << 16;
        c = r.c;
        ct = r.ct;
        b = r.b;
    }
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

struct coder : contexts {
    lane l;

    /* Puts the state machine to shared memory. All threads. */
    __device__ __forceinline__ void open(uint8_t *memory)
    {
        shared = memory;
        for (uint32_t i = threadIdx.x; i < WVL_MQ_STATE_COUNT; i += blockDim.x) {
            uint32_t row = i >> 1, mps = i & 1, next = state_rows[row], *pair;
            pair = (uint32_t *)(shared + WVL_CUDA_T1_MQ_TABLE + (state_word(row, mps) & PLACE));
            pair[0] = state_word(next >> 8 & 0xFF, mps);
            pair[1] = state_word(next >> 1 & 0x3F, mps ^ (next & 1));
        }
        __syncthreads();
        own = find_own(threadIdx.x >> 5);
    }
    __device__ __forceinline__ void reset_contexts() { reset<state_word>(); }
    /* A codeword from its start. */
    __device__ __forceinline__ void open_first()
    {
        reset_contexts();
        l.open_segment();
        l.b = l.last = l.n = 0;
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

} // namespace wvl_mq::integers
