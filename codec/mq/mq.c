/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/mq/mq.h"

#define TRANSITION(row, q, nmps, nlps, flip)                                                                           \
    {q, 2 * (nmps), 2 * (nlps) + (flip)}, {q, 2 * (nmps) + 1, 2 * (nlps) + 1 - (flip)},

const wvl_mq_transition wvl_mq_transitions[WVL_MQ_STATE_COUNT] = {WVL_MQ_ROWS(TRANSITION)};

void wvl_mq_init_contexts(wvl_mq *mq)
{
    for (unsigned ctx = 0; ctx < WVL_T1_CTX_COUNT; ctx++) {
        mq->state[ctx] = (uint8_t)(2 * WVL_T1_CTX_ROW0(ctx));
    }
}

void wvl_mq_init_segment(wvl_mq *mq, uint8_t *start)
{
    mq->a = 0x8000;
    mq->c = 0;
    mq->ct = 12;
    mq->bp = start - 1;
    mq->start = start;
}

static void put_byte(wvl_mq *mq)
{
    if (*mq->bp != 0xFF && mq->c >> 27) {
        ++*mq->bp;
        mq->c &= 0x7FFFFFF;
    }
    unsigned kept = *mq->bp == 0xFF ? 20 : 19;
    *++mq->bp = (uint8_t)(mq->c >> kept);
    mq->c &= ((uint32_t)1 << kept) - 1;
    mq->ct = kept == 20 ? 7 : 8;
}

static void renormalise(wvl_mq *mq)
{
    do {
        mq->a <<= 1;
        mq->c <<= 1;
        if (--mq->ct == 0) {
            put_byte(mq);
        }
    } while (!(mq->a & 0x8000));
}

void wvl_mq_encode_bit(wvl_mq *mq, unsigned ctx, unsigned bit)
{
    unsigned state = mq->state[ctx];
    const wvl_mq_transition *t = &wvl_mq_transitions[state];
    uint32_t upper = mq->a - t->qe;
    int is_mps = bit == (state & 1);
    int takes_lower = is_mps == (upper < t->qe);
    mq->a = takes_lower ? t->qe : upper;
    if (!takes_lower) {
        mq->c += t->qe;
    }
    if (mq->a & 0x8000) {
        return;
    }
    mq->state[ctx] = is_mps ? t->after_mps : t->after_lps;
    renormalise(mq);
}

wvl_segment_end wvl_mq_fetch_end(const wvl_mq *mq, int predictable, uint32_t floor_bytes)
{
    wvl_mq_registers regs = {mq->a, mq->c, mq->ct, *mq->bp};
    return wvl_mq_end_segment(mq->start, (uint32_t)(mq->bp - mq->start + 1), &regs, predictable, floor_bytes);
}
