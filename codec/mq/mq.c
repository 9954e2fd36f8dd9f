/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/mq/mq.h"

#define TRANSITION(row, q, nmps, nlps, flip)                                                                           \
    {q, 2 * (nmps), 2 * (nlps) + (flip)}, {q, 2 * (nmps) + 1, 2 * (nlps) + 1 - (flip)},

const wvl_mq_transition wvl_mq_transitions[WVL_MQ_STATE_COUNT] = {WVL_MQ_ROWS(TRANSITION)};

void wvl_mq_init_contexts(wvl_mq *mq)
{
    for (unsigned ctx = 0; ctx < WVL_T1_CTX_COUNT; ctx++)
        mq->state[ctx] = (uint8_t)(2 * WVL_T1_CTX_ROW0(ctx));
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
        if (--mq->ct == 0)
            put_byte(mq);
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
    if (!takes_lower)
        mq->c += t->qe;
    if (mq->a & 0x8000)
        return;
    mq->state[ctx] = is_mps ? t->after_mps : t->after_lps;
    renormalise(mq);
}

/* Endings that a decoder supplies by itself: 0xFF, and 0xFF 0x7F. */
static uint32_t strip_ones(const uint8_t *segment, uint32_t length)
{
    for (;;) {
        if (length && segment[length - 1] == 0xFF)
            length--;
        else if (length > 1 && segment[length - 1] == 0x7F && segment[length - 2] == 0xFF)
            length -= 2;
        else
            return length;
    }
}

wvl_segment_end wvl_mq_fetch_end(const wvl_mq *mq, int predictable, uint32_t floor_bytes)
{
    uint32_t before_b = (uint32_t)(mq->bp - mq->start + 1); /* bytes with B; B is not one of them at the start */
    uint32_t skip = before_b == 0;
    wvl_mq_registers regs = {mq->a, mq->c, mq->ct, *mq->bp};
    uint32_t wanted = floor_bytes + 1 > before_b ? floor_bytes + 1 - before_b : 0;
    wvl_mq_tail tail = predictable ? wvl_mq_end_predictable(&regs, wanted) : wvl_mq_end_shortest(&regs);
    wvl_segment_end end = {before_b + wvl_mq_safe_extra(&regs), before_b + tail.count - 1, {0}, 0};
    if (!predictable && tail.count == 1) {
        end.final_bytes = strip_ones(mq->start, before_b);
        tail.count = end.final_bytes == before_b;
    }
    for (uint32_t i = skip; i < tail.count; i++)
        end.tail[end.tail_count++] = tail.bytes[i];
    return end;
}
