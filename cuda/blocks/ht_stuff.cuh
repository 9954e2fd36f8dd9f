/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain bits to the bytes of a stream, by a warp (15444-15 Annex C; codec/ht/streams.h is the twin).
 *
 * Forward streams send seven bits after a byte 0xFF. Backward ones send the seven bits 0x7F and a 0 after a byte
 * above 0x8F. Both are one automaton over bit positions: a position p is a byte of 8 bits, or, where test(p) holds,
 * 15 bits in two bytes; the byte before a position is never short. Forward, test(p) says that eight 1s begin at p;
 * backward, that seven do and that the byte before p exceeds 0x8F.
 *
 * Where tests seldom hold, 128 bytes at a time are guessed to be plain, and sent up to the first position where they
 * are not. Where they often hold, each lane follows its part of the stream from all 15 offsets that it may be entered
 * at; the right ones are chosen afterwards.
 */
#pragma once
#include "cuda/blocks/ht_job.h"
#include "cuda/blocks/lane.cuh"

namespace wvl_ht
{

/* A stream of a block that lies in pieces with the lanes. */
struct stream {
    const uint32_t *words;   /* of this lane, shared memory */
    uint32_t offset, length; /* in bits: where its piece goes, and how long it is */
    uint32_t total;          /* bits of the stream */
};

/* Bits [base, base + 32 * WVL_CUDA_HT_WINDOW) of a stream, and where coding stands. */
struct window {
    uint32_t *words;
    uint32_t base, end;  /* end: of the bits that are there; ~0: all are */
    uint32_t pos, count; /* bits read, bytes written */
    uint8_t *out;        /* forward: of the first byte; backward: of the end */
};

/* What is left of a stream: fewer bits than a byte takes. flag, forward: the last byte was 0xFF. */
struct ending {
    uint32_t count, bits, left, flag;
};

__device__ __forceinline__ uint32_t bits_at(const window &w, uint32_t pos)
{
    uint32_t at = pos - w.base;
    return __funnelshift_r(w.words[at / 32], w.words[at / 32 + 1], at & 31);
}

template <bool BACKWARD> __device__ __forceinline__ void put_byte(const window &w, uint32_t n, uint32_t byte)
{
    w.out[BACKWARD ? -1 - (int)n : (int)n] = (uint8_t)byte;
}

/* From 32 bits before pos on. */
__device__ __forceinline__ void fill(window &w, const stream &s)
{
    uint32_t base = max(w.pos & ~31u, 32u) - 32, words = min((s.total - base + 31) / 32, WVL_CUDA_HT_WINDOW) + 34;
    __syncwarp();
    for (uint32_t i = lane_id(); i < words; i += 32) {
        w.words[i] = 0;
    }
    __syncwarp();
    for (int j = max(0, ((int)base - (int)s.offset) >> 5); 32 * j < (int)s.length; j++) {
        int d = (int)s.offset + 32 * j - (int)base, word = d >> 5, shift = d & 31;
        if (word >= (int)WVL_CUDA_HT_WINDOW) {
            break;
        }
        uint32_t bits = s.words[j], over = __funnelshift_l(bits, 0, shift);
        if (word >= 0) {
            atomicOr(w.words + word, bits << shift);
        }
        if (over) {
            atomicOr(w.words + word + 1, over);
        }
    }
    __syncwarp();
    w.base = base;
    w.end = base + 32 * WVL_CUDA_HT_WINDOW;
}

/* test() of the bytes of v, in their top bits; before: the bytes in front of each. Forward only the lowest one found
 * is right. */
template <bool BACKWARD> __device__ __forceinline__ uint32_t test_bytes(uint32_t v, uint32_t before)
{
    uint32_t seven = (v & 0x7F7F7F7Fu) + 0x01010101u;
    return BACKWARD ? seven & before & (before << 1 | before << 2 | before << 3) & 0x80808080u
                    : (~v - 0x01010101u) & v & 0x80808080u;
}

/* test() of 8 positions from pos > 0 on; bits from 8 on are rubbish. */
template <bool BACKWARD> __device__ __forceinline__ uint32_t test_positions(const window &w, uint32_t pos)
{
    uint32_t v = bits_at(w, BACKWARD ? pos - 8 : pos), ones = BACKWARD ? v >> 8 : v;
    uint32_t two = ones & ones >> 1, four = two & two >> 2;
    return BACKWARD ? four & four >> 3 & v >> 7 & (v >> 6 | v >> 5 | v >> 4) : four & four >> 4;
}

/* The two bytes of a position where test() holds. */
template <bool BACKWARD> __device__ __forceinline__ void put_long(const window &w, uint32_t n, uint32_t bits)
{
    put_byte<BACKWARD>(w, n, BACKWARD ? bits & 0x7F : bits & 0xFF);
    put_byte<BACKWARD>(w, n + 1, BACKWARD ? bits >> 7 & 0xFF : bits >> 8 & 0x7F);
}

/* At most 128 bytes, up to the first position where a test holds and with it; at least 15 bits are left. */
template <bool BACKWARD> __device__ __forceinline__ void put_guess(window &w, uint32_t left)
{
    uint32_t lane = lane_id(), whole = min((left - 7) / 8, 128u), v = bits_at(w, w.pos + 32 * lane), before = 0;
    if (BACKWARD) {
        before = __shfl_up_sync(~0u, v, 1);
        uint32_t first = w.pos ? bits_at(w, w.pos - 8) << 24 : ~0u;
        before = lane ? before : first;
        before = __funnelshift_l(before, v, 8);
    }
    int valid = min(max((int)whole - 4 * (int)lane, 0), 4);
    uint32_t full = test_bytes<BACKWARD>(v, before) & (valid == 4 ? ~0u : (1u << 8 * valid) - 1);
    uint32_t some = __ballot_sync(~0u, full != 0), emit = whole;
    if (some) {
        uint32_t first = __ffs(some) - 1;
        emit = 4 * first + (__ffs(__shfl_sync(~0u, full, first)) - 1) / 8;
    }
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        if (4 * lane + i < emit) {
            put_byte<BACKWARD>(w, w.count + 4 * lane + i, v >> 8 * i);
        }
    }
    w.pos += 8 * emit;
    w.count += emit;
    if (some) {
        if (!lane) {
            put_long<BACKWARD>(w, w.count, bits_at(w, w.pos));
        }
        w.pos += 15;
        w.count += 2;
    }
}

/* Where a part of `steps` bytes is left, for each of the 15 offsets at which it may be entered: four bits of the
 * offset, each a set of entries. */
struct ways {
    uint32_t low, high; /* bit 0 and bit 1 << 16; bit 2 and bit 3 << 16 */
};

template <bool BACKWARD> __device__ __forceinline__ ways follow_all(const window &w, uint32_t from, uint32_t steps)
{
    uint32_t at[15]; /* the entries that stand at this offset */
#pragma unroll
    for (int i = 0; i < 15; i++) {
        at[i] = 1u << i;
    }
    for (uint32_t k = 0; k < steps; k++) {
        uint32_t tests = test_positions<BACKWARD>(w, from + 8 * k), far[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint32_t holds = (uint32_t)((int)(tests << (31 - i)) >> 31);
            far[i] = at[i] & holds; /* 15 bits on: 7 on from the next step */
            at[i] = (at[i] & ~holds) | (i < 7 ? at[i + 8] : 0);
        }
        at[7] |= far[0];
#pragma unroll
        for (int i = 1; i < 8; i++) {
            at[i + 7] = far[i];
        }
    }
    ways r = {0, 0};
#pragma unroll
    for (int i = 1; i < 15; i++) {
        r.low |= (i & 1 ? at[i] : 0) | (i & 2 ? at[i] << 16 : 0);
        r.high |= (i & 4 ? at[i] : 0) | (i & 8 ? at[i] << 16 : 0);
    }
    return r;
}

/* The offset at which this lane's part is entered; *last: at which the part of the last lane is left. */
__device__ __forceinline__ uint32_t choose_entry(ways own, uint32_t *last)
{
    uint32_t entry = 0, mine = 0;
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t low = __shfl_sync(~0u, own.low, l) >> entry, high = __shfl_sync(~0u, own.high, l) >> entry;
        mine = l == lane_id() ? entry : mine;
        entry = (low & 1) | (low >> 15 & 2) | (high & 1) << 2 | (high >> 13 & 8);
    }
    *last = entry;
    return mine;
}

/* From an offset on to the end of the part; bytes are written if `write`. Returns their number. */
template <bool BACKWARD>
__device__ __forceinline__ uint32_t walk(const window &w, uint32_t pos, uint32_t end, uint32_t n, bool write)
{
    uint32_t first = n;
    while (pos < end) {
        uint32_t holds = test_positions<BACKWARD>(w, pos) & 1;
        if (write) {
            uint32_t bits = bits_at(w, pos);
            if (holds) {
                put_long<BACKWARD>(w, n, bits);
            } else {
                put_byte<BACKWARD>(w, n, bits);
            }
        }
        n += 1 + holds;
        pos += holds ? 15 : 8;
    }
    return n - first;
}

struct progress {
    uint32_t pos, count;
};

/* 32 parts of up to 32 bytes, of which the window and the stream hold 15 bits more. pos > 0. */
template <bool BACKWARD> static __device__ __noinline__ progress put_parts(const window w, uint32_t bits)
{
    uint32_t steps = min((bits - 15) / 256, 32u), from = w.pos + 8 * steps * lane_id(), last;
    uint32_t pos = from + choose_entry(follow_all<BACKWARD>(w, from, steps), &last);
    uint32_t own = walk<BACKWARD>(w, pos, from + 8 * steps, 0, false), sum = scan<32>(own);
    walk<BACKWARD>(w, pos, from + 8 * steps, w.count + sum - own, true);
    progress r = {w.pos + 256 * steps + last, w.count + __shfl_sync(~0u, sum, 31)};
    return r;
}

/* Fewer than 15 bits: a byte, or a short one, if they are enough. */
template <bool BACKWARD> __device__ __forceinline__ ending put_last(window &w, uint32_t left)
{
    uint32_t bits = left ? bits_at(w, w.pos) & ((1u << left) - 1) : 0, taken = left >= 8 ? 8 : 0, flag = 0;
    if (BACKWARD) {
        uint32_t before = w.pos ? bits_at(w, w.pos - 8) & 0xFF : 0xFF;
        taken = before > 0x8F && (bits & 0x7F) == 0x7F ? 7 : taken;
    } else {
        flag = taken && (bits & 0xFF) == 0xFF;
    }
    if (taken) {
        if (!lane_id()) {
            put_byte<BACKWARD>(w, w.count, bits & ((1u << taken) - 1));
        }
        w.count++;
    }
    ending e = {w.count, bits >> taken, left - taken, flag};
    return e;
}

/* All of a stream. `w` says where bytes go, and how many are there. */
template <bool BACKWARD> __device__ __forceinline__ ending put_stream(window w, const stream &s)
{
    uint32_t first = w.count;
    for (;;) {
        /* found: long positions; each makes one bit less of two bytes. Dense: at least 8, and one in 64 bytes */
        uint32_t left = s.total - w.pos, found = 8 * (w.count - first) - w.pos;
        bool dense = found >= 8 && 512 * found > w.pos && left >= 15 + 256;
        if (w.pos + min(left, dense ? 32 * 256 + 15u : 1064u) > w.end) {
            fill(w, s);
        }
        if (left < 15) {
            return put_last<BACKWARD>(w, left);
        }
        if (dense) {
            progress p = put_parts<BACKWARD>(w, min(left, w.end - w.pos));
            w.pos = p.pos;
            w.count = p.count;
        } else {
            put_guess<BACKWARD>(w, left);
        }
    }
}

} // namespace wvl_ht
