/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order the blocks of a wave are coded when early ones are to tell how deep later ones must be. */
#ifndef WVL_CODEC_TILE_PHASES_H
#define WVL_CODEC_TILE_PHASES_H

#include <stdint.h>

/*
 * Phases of a wave: growing shares of the groups, coarse bands (eighths) and fine ones (shares of 32) apart, each share spread over its bands. The
 * first phases tell how deep the next ones must be coded.
 */
enum { PHASES = 5, PARTS = 2 };
typedef struct share {
    uint8_t count, of;
    uint8_t residues[24];
} share;
static const share shares[PHASES][PARTS] = {
    {{1, 8, {0}}, {1, 32, {16}}},
    {{1, 8, {4}}, {1, 32, {0}}},
    {{2, 8, {2, 6}}, {2, 32, {8, 24}}},
    {{4, 8, {1, 3, 5, 7}}, {4, 32, {4, 12, 20, 28}}},
    {{0, 8, {0}}, {24, 32, {1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30, 31}}},
};

static inline uint64_t count_share(const share *s, uint64_t groups)
{
    uint64_t rest = 0;
    for (unsigned i = 0; i < s->count; i++) {
        rest += s->residues[i] < groups % s->of;
    }
    return groups / s->of * s->count + rest;
}

static inline uint64_t find_share(const share *s, uint64_t index) { return index / s->count * s->of + s->residues[index % s->count]; }

#endif
