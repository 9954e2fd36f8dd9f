/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder (15444-1 Annex C) of a lane in floating point, exact: for devices whose doubles are as fast as their
 * floats.
 *
 * A is a float and C a double, both times 2^CT. RENORME (C.2.6) doubles A and C and takes 1 from CT, so it leaves both
 * as they are: nothing is shifted, and no leading zeros are counted. Where A * 2^CT falls below 2^16, CT has come to 0
 * and a byte is complete. In units of 1, C * 2^CT has 28 bits, the carry among them. 2^28 is added to keep them at the
 * top of the mantissa. A and its parts have at most 16 bits from the highest to the lowest, so neither products nor
 * differences are rounded. C has 24 bits more below, for symbols that come behind a byte that has not left yet. They
 * suffice where four symbols complete one byte. Where they complete more, what was added is thrown away, and the four
 * are added one by one.
 */
#pragma once
#include "cuda/blocks/mq_lane.cuh"

namespace wvl_mq::floats
{

constexpr uint32_t EXPONENT = 0x7F800000u;                        /* of a float */
constexpr uint32_t CT_ONE = 1u << 23;                             /* what a CT more adds to A */
constexpr uint32_t CT_ZERO = (127u + 15u) * CT_ONE;               /* the exponent of A where CT is 0 */
constexpr uint32_t COMPLETE = CT_ZERO + CT_ONE;                   /* 2^16: below it, a byte is complete */
constexpr uint32_t TOP = (1023u + 28u) << 20;                     /* 2^28 as a double, its high word */
constexpr uint32_t WIDEN = (1023u - 127u) << 20;                  /* from a float >> 3 to the high word of a double */
constexpr uint32_t CARRY_LOG2 = 19;                               /* of C, in its high word */
constexpr uint32_t BELOW_CARRY = (1u << CARRY_LOG2) - 1;          /* the bits of C below the carry there */
constexpr uint32_t WITH_CARRY = 2 * BELOW_CARRY + 1;              /* and with it */
constexpr uint32_t BEYOND_A = BELOW_CARRY & ~(BELOW_CARRY >> 3u); /* of a C that no sum of later symbols reaches */

/* The word of a state: Qe / 2^15 as a float, whose low 9 bits are free, and in these its place in the tables of next
 * words, in bytes: bits 2 to 5, 7 and 8 are the row, bit 6 is the MPS. */
constexpr uint32_t PLACE = 0x1FC, QE = ~0x1FFu, TABLE_BYTES = 512;
__device__ __forceinline__ uint32_t state_place(uint32_t row, uint32_t mps)
{
    return (row >> 4) << 7 | mps << 6 | (row & 15) << 2;
}
__device__ __forceinline__ uint32_t state_word(uint32_t row, uint32_t mps)
{
    return __float_as_uint((float)(state_rows[row] >> 16) * (1.0f / 32768)) | state_place(row, mps);
}

/* The tables of words after an MPS and after an LPS, behind the contexts of warp 0. Returns their address: a multiple
 * of the size of one, so that places are ORed to it. All threads. */
__device__ __forceinline__ uint32_t stage_states(uint32_t *shared)
{
    uint32_t base = wvl_ht::shared_address(shared),
             table = (base + WVL_CUDA_T1_MQ_TABLE + TABLE_BYTES - 1) / TABLE_BYTES * TABLE_BYTES;
    for (uint32_t i = threadIdx.x; i < WVL_MQ_STATE_COUNT; i += blockDim.x) {
        uint32_t row = i >> 1, mps = i & 1, next = state_rows[row];
        uint32_t *after_mps = &shared[(table - base + state_place(row, mps)) / 4];
        after_mps[0] = state_word(next >> 8 & 0xFF, mps);
        after_mps[TABLE_BYTES / 4] = state_word(next >> 1 & 0x3F, mps ^ (next & 1));
    }
    __syncthreads();
    return table;
}

/* a: A * 2^CT, the bits of a float. c: 2^28 + C * 2^CT. */
struct lane : output {
    uint32_t a;
    double c;

    /* The bits of a float, of which a double loses none. 0 becomes 2^-127, or with a CT in its exponent a little more:
     * C loses that. */
    __device__ __forceinline__ void add(uint32_t part) { c += __hiloint2double((int)((part >> 3) + WIDEN), 0); }
    __device__ __forceinline__ bool is_complete() const { return a < COMPLETE; }
    /* BYTEOUT (C.2.7). Returns what it adds to A. */
    __device__ __forceinline__ uint32_t byte_out()
    {
        uint32_t high = (uint32_t)__double2hiint(c), low = (uint32_t)__double2loint(c);
        bool is_full = b == 0xFF;
        uint32_t byte = b + (is_full ? 0 : high >> CARRY_LOG2 & 1), ct = byte == 0xFF ? 7 : 8;
        put_byte(byte);
        b = (high & (is_full ? WITH_CARRY : BELOW_CARRY)) >> (CARRY_LOG2 - ct);
        high = (__funnelshift_l(low, high, ct) & BELOW_CARRY) | TOP;
        c = __hiloint2double((int)high, (int)(low << ct));
        a += ct * CT_ONE;
        return ct * CT_ONE;
    }
    /*
     * The same behind four symbols. Returns false and does nothing if they complete more than one byte, or if the
     * byte may differ from that of single steps: B is 0x00, and what stays of C is less than what later symbols may
     * have added to it, so that one of them may have carried.
     */
    __device__ __forceinline__ bool put_complete()
    {
        uint32_t high = (uint32_t)__double2hiint(c), low = (uint32_t)__double2loint(c);
        uint32_t own = b == 0xFF ? WITH_CARRY : BELOW_CARRY, byte = b + ((high & ~own) >> CARRY_LOG2 & 1);
        uint32_t ct = byte == 0xFF ? 7 : 8, next = (high & own) >> (CARRY_LOG2 - ct);
        uint32_t rest = (__funnelshift_l(low, high, ct) & BELOW_CARRY) | TOP, after = a + ct * CT_ONE;
        if (after < COMPLETE || !(next | (rest & BEYOND_A))) {
            return false;
        }
        put_byte(byte);
        b = next;
        c = __hiloint2double((int)rest, (int)(low << ct));
        a = after;
        return true;
    }
    /* A symbol with the bytes that it completes. It was decided before `more` came to A. */
    __device__ __forceinline__ void put(uint32_t part, uint32_t range, uint32_t &more)
    {
        add(part + more);
        a = range + more;
#pragma unroll 1
        while (is_complete()) {
            more += byte_out();
        }
    }
    __device__ __forceinline__ void open_segment() { set({0x8000, 0, 12, 0}); }
    __device__ __forceinline__ wvl_mq_registers registers() const
    {
        uint32_t high = (uint32_t)__double2hiint(c), low = (uint32_t)__double2loint(c), ct = (a - CT_ZERO) / CT_ONE;
        return {0x8000u | (a >> 8 & 0x7FFF), ((high & WITH_CARRY) << 8 | low >> 24) >> ct, ct, b};
    }
    __device__ __forceinline__ void set(const wvl_mq_registers &r)
    {
        uint32_t bits = r.c << r.ct;
        a = CT_ZERO + r.ct * CT_ONE + ((r.a & 0x7FFF) << 8);
        c = __hiloint2double((int)(TOP | bits >> 8), (int)(bits << 24));
        b = r.b;
    }
};

/* A symbol with what is read for it before: the word and the place of its context, and those of the next symbol's
 * before this one. Then the part of A that C grows by (0: none), and the word of the next symbol's context. A changes.
 */
struct decision {
    uint32_t s, word, place, next_place, next_word;
    uint32_t part;
};

#ifdef __CUDACC__
/* The compiler makes more instructions of the same in C. */
__device__ __forceinline__ void decide(decision &d, uint32_t &a, uint32_t table, uint8_t *shared)
{
    uint32_t at = (uint32_t)__cvta_generic_to_shared(shared) + d.place, word;
    asm volatile("{.reg .pred lps, lower, changes; .reg .b32 x, qe, scale, minus, q, upper, next;\n\t"
                 "lop3.b32 x, %3, %4, %10, 0x28; setp.ne.u32 lps, x, 0; lop3.b32 x, %3, %11, %9, 0xEA;\n\t"
                 "@lps ld.shared.u32 next, [x+%14]; @!lps ld.shared.u32 next, [x];\n\t"
                 "and.b32 qe, %3, %12; and.b32 scale, %0, %13; mul.rn.f32 q, qe, scale;\n\t"
                 "neg.f32 minus, qe; fma.rn.f32 upper, minus, scale, %0; setp.lt.xor.f32 lower, upper, q, lps;\n\t"
                 "selp.f32 %0, q, upper, lower; setp.lt.f32 changes, %0, scale; @changes st.shared.u32 [%5], next;\n\t"
                 "selp.b32 %1, 0, q, lower;\n\t"
                 "setp.eq.and.u32 changes, %6, %7, changes; selp.u32 %2, next, %8, changes;}"
                 : "+r"(a), "=&r"(d.part), "=&r"(word)
                 : "r"(d.word), "r"(d.s), "r"(at), "r"(d.place), "r"(d.next_place), "r"(d.next_word), "r"(table),
                   "n"(MPS), "n"(PLACE), "n"(QE), "n"(EXPONENT), "n"(TABLE_BYTES)
                 : "memory");
    d.word = word;
}
#else
__device__ __forceinline__ void decide(decision &d, uint32_t &a, uint32_t table, uint8_t *shared)
{
    float own = __uint_as_float(a), scale = __uint_as_float(a & EXPONENT);
    float q = __uint_as_float(d.word & QE) * scale, upper = own - q;
    bool is_lps = (d.word ^ d.s) & MPS, takes_lower = (upper < q) != is_lps;
    float range = takes_lower ? q : upper;
    uint32_t next = *(uint32_t *)(shared + (table | (d.word & PLACE)) + (is_lps ? TABLE_BYTES : 0));
    d.part = takes_lower ? 0 : __float_as_uint(q);
    d.word = d.next_word;
    if (range < scale) {
        *(uint32_t *)(shared + d.place) = next;
        d.word = d.next_place == d.place ? next : d.next_word;
    }
    a = __float_as_uint(range);
}
#endif

/* A, and the contexts that decide how it changes. */
struct chain : contexts {
    uint32_t table; /* address of the next words */

    /* The symbol s that was looked at; `after` follows it. Returns the part of A that C grows by; 0: none. */
    __device__ __forceinline__ uint32_t put_symbol(uint32_t &a, uint32_t s, uint32_t after)
    {
        uint32_t next_place = place_of(after), next_word = *(const uint32_t *)(shared + next_place);
        decision d = {s, word, place, next_place, next_word, 0};
        decide(d, a, table, shared);
        word = d.word;
        place = next_place;
        return d.part;
    }
    /* The four symbols of a word, of which the first was looked at; `after` holds the one that follows. */
    __device__ __forceinline__ void put_four(uint32_t &a, uint32_t four, uint32_t after, uint32_t (&parts)[4],
                                             uint32_t (&ranges)[4])
    {
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t s = k ? four >> (8 * k - 6) : four << 6, next = k < 3 ? four >> (8 * k + 2) : after << 6;
            parts[k] = put_symbol(a, s, next);
            ranges[k] = a;
        }
    }
    __device__ __forceinline__ void reset_contexts() { reset<state_word>(); }
};

/* All of a codeword by one thread. */
struct coder : chain {
    lane l;

    /* All threads. */
    __device__ __forceinline__ void open(uint8_t *memory)
    {
        shared = memory;
        table = stage_states((uint32_t *)memory);
        own = find_own(threadIdx.x >> 5);
    }
    /* A codeword from its start. */
    __device__ __forceinline__ void open_first()
    {
        reset_contexts();
        l.open_segment();
        l.last = l.n = 0;
    }
    /* One symbol, with the bytes that it completes. */
    __device__ __forceinline__ void put_exactly(uint32_t s)
    {
        uint32_t more = 0, part = put_symbol(l.a, s, s);
        l.put(part, l.a, more);
    }
    /* As put_four of a chain, with the bytes. */
    __device__ __forceinline__ void put_four(uint32_t four, uint32_t after)
    {
        uint32_t parts[4], ranges[4];
        const uint32_t a = l.a;
        const double c = l.c;
        chain::put_four(l.a, four, after, parts, ranges);
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            l.add(parts[k]);
        }
        if (l.is_complete() && !l.put_complete()) {
            l.a = a;
            l.c = c;
            put_singly(parts, ranges);
        }
    }
    __device__ __forceinline__ void put_singly(uint32_t (&parts)[4], uint32_t (&ranges)[4])
    {
        uint32_t more = 0;
#pragma unroll 1
        for (uint32_t k = 0; k < 4; k++) {
            l.put(parts[0], ranges[0], more);
            parts[0] = parts[1];
            parts[1] = parts[2];
            parts[2] = parts[3];
            ranges[0] = ranges[1];
            ranges[1] = ranges[2];
            ranges[2] = ranges[3];
        }
    }
};

} // namespace wvl_mq::floats
