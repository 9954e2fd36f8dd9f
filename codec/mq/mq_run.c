/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MQ coder over lists of symbols. A branch on a decision is mispredicted whenever the decision surprises, which is
 * what the coder is for; so a step has no branch but the one for a finished byte. What remains is a chain of dependent
 * steps (context state, interval, shift, state), and two codewords that have nothing to do with each other, coded in
 * turns, fill the gaps of each other's chains.
 */
#include <string.h>

#include "codec/mq/mq.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * By 2 * state + bit: Qe, twice the state after renormalisation in bits 16..23, bit 31 set where the bit is the MPS.
 */
#define STEP(q, mps, next) (uint32_t)(q) | (uint32_t)(next) << 17 | (uint32_t)(mps) << 31
#define STEPS(row, q, nmps, nlps, flip)                                                                                \
    STEP(q, 1, 2 * (nmps)), STEP(q, 0, 2 * (nlps) + (flip)), STEP(q, 0, 2 * (nlps) + 1 - (flip)),                      \
        STEP(q, 1, 2 * (nmps) + 1),
static const uint32_t steps[2 * WVL_MQ_STATE_COUNT] = {WVL_MQ_ROWS(STEPS)};

/* A coder at work. C may run up to 14 shifts past the end of a byte, so it takes 64 bits; ct falls to 0 or below then.
 */
typedef struct lane {
    uint64_t c;
    uint32_t a;
    int32_t ct;
    uint8_t *bp;
    uint8_t state[WVL_T1_CTX_COUNT]; /* doubled */
} lane;

/* BYTEOUT for a C that is `late` shifts past it. */
static ALWAYS_INLINE void put_bytes(lane *l)
{
    do {
        unsigned late = (unsigned)-l->ct, kept = 19 + late;
        uint32_t b = *l->bp;
        if (b != 0xFF) {
            b += (uint32_t)(l->c >> (27 + late));
            *l->bp = (uint8_t)b;
            l->c &= (UINT64_C(1) << (27 + late)) - 1;
        }
        l->ct += 8;
        if (UNLIKELY(b == 0xFF)) {
            kept++;
            l->ct--;
        }
        *++l->bp = (uint8_t)(l->c >> kept);
        l->c &= (UINT64_C(1) << kept) - 1;
    } while (UNLIKELY(l->ct <= 0));
}

/*
 * With `upper` = A - Qe: the MPS takes the larger part, the LPS the smaller. C moves up by Qe when the part taken is
 * the upper one. The new A has its top bit at 15 - shift.
 */
static ALWAYS_INLINE void put_symbol(lane *l, unsigned symbol)
{
    uint32_t state = l->state[symbol >> 1], step = steps[state + (symbol & 1)];
    uint32_t qe = step & 0xFFFF, upper = l->a - qe, is_mps = (uint32_t)((int32_t)step >> 31);
    uint32_t smaller = upper < qe ? upper : qe;
    uint32_t a = smaller ^ ((upper ^ qe) & is_mps);
    uint32_t takes_upper = (uint32_t) - (upper < qe) ^ is_mps;
    unsigned shift = (unsigned)__builtin_clz(a) ^ 16;
    uint32_t renormalised = (a >> 15) - 1;
    l->state[symbol >> 1] = (uint8_t)(state ^ ((state ^ (step >> 16 & 0xFF)) & renormalised));
    l->a = a << shift;
    l->c = (l->c + (qe & takes_upper)) << shift;
    l->ct -= (int32_t)shift;
    if (UNLIKELY(l->ct <= 0)) {
        put_bytes(l);
    }
}

static ALWAYS_INLINE lane open_lane(const wvl_mq *mq)
{
    lane l = {mq->c, mq->a, (int32_t)mq->ct, mq->bp, {0}};
    for (unsigned i = 0; i < WVL_T1_CTX_COUNT; i++) {
        l.state[i] = (uint8_t)(2 * mq->state[i]);
    }
    return l;
}

static ALWAYS_INLINE void close_lane(const lane *l, wvl_mq *mq)
{
    mq->a = l->a;
    mq->c = (uint32_t)l->c;
    mq->ct = (uint32_t)l->ct;
    mq->bp = l->bp;
    for (unsigned i = 0; i < WVL_T1_CTX_COUNT; i++) {
        mq->state[i] = l->state[i] >> 1;
    }
}

void wvl_mq_encode_symbols(wvl_mq *mq, const uint8_t *symbols, size_t count)
{
    lane l = open_lane(mq);
    for (size_t i = 0; i < count; i++) {
        put_symbol(&l, symbols[i]);
    }
    close_lane(&l, mq);
}

static void encode_pair(wvl_mq *const mq[], const uint8_t *const symbols[], size_t count)
{
    lane l = open_lane(mq[0]), m = open_lane(mq[1]);
    const uint8_t *p = symbols[0], *q = symbols[1];
    for (size_t i = 0; i < count; i++) {
        put_symbol(&l, p[i]);
        put_symbol(&m, q[i]);
    }
    close_lane(&l, mq[0]);
    close_lane(&m, mq[1]);
}

void wvl_mq_encode_lanes_c(wvl_mq *const mq[], const uint8_t *const symbols[], unsigned count, size_t symbol_count)
{
    unsigned i = 0;
    for (; i + 2 <= count; i += 2) {
        encode_pair(mq + i, symbols + i, symbol_count);
    }
    if (i < count) {
        wvl_mq_encode_symbols(mq[i], symbols[i], symbol_count);
    }
}
