/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of MQ coders in the lanes of vectors. */
#pragma once

#include "base/lanes.h"
#include "codec/mq/mq.h"

enum {
    STEPS = 64,     /* symbols of a lane at a time; then its bytes leave */
    FEW = 4,        /* below this, pairs in C are faster */
    STATE_WORDS = 5 /* four contexts each */
};

/* (2 row + MPS) to (row, MPS in bit 6), and back, in each byte. */
static inline lanes fold_states(lanes v) { return (v >> 1 & 0x3F3F3F3F) | (v << 6 & 0x40404040); }
static inline lanes unfold_states(lanes v) { return (v << 1 & 0x7E7E7E7E) | (v >> 6 & 0x01010101); }

/* Lanes beyond the coders do what the first one does. */
static void open_states(wvl_mq *const mq[], unsigned count, lanes state[STATE_WORDS])
{
    uint32_t words[STATE_WORDS] = {0}, all[STATE_WORDS][LANES];
    for (unsigned i = 0; i < LANES; i++) {
        const wvl_mq *m = mq[i < count ? i : 0];
        memcpy(words, m->state, sizeof m->state);
        for (unsigned k = 0; k < STATE_WORDS; k++) {
            all[k][i] = words[k];
        }
    }
    for (unsigned k = 0; k < STATE_WORDS; k++) {
        state[k] = fold_states(take(all[k]));
    }
}

/* Lanes from `first` on. */
static void close_states(const lanes state[STATE_WORDS], unsigned first, wvl_mq *const mq[], unsigned count)
{
    uint32_t words[STATE_WORDS], all[STATE_WORDS][LANES];
    for (unsigned k = 0; k < STATE_WORDS; k++) {
        put(all[k], unfold_states(state[k]));
    }
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < STATE_WORDS; k++) {
            words[k] = all[k][first + i];
        }
        memcpy(mq[i]->state, words, sizeof mq[i]->state);
    }
}
