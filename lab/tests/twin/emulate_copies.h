/* SPDX-License-Identifier: BSD-2-Clause */
/* What lab/cuda/lattice calls beside shuffles. A copy to shared memory is there when its thread has waited for it, not
 * before. */
#pragma once

#include "tests/twin/emulate_words.h"

#include <deque>
#include <vector>

static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }

#define WVL_LATTICE_SHARED(name) float *name = (float *)emulation::shared
#define WVL_LATTICE_COPIES
namespace wvl_lattice
{
struct copy_of_floats {
    float *to;
    const float *from;
    int count;
};
/* Of one thread: the groups that are closed, and the open one. */
struct copies_of_thread {
    uint32_t block;
    std::deque<std::vector<copy_of_floats>> groups;
    std::vector<copy_of_floats> open;
};
static copies_of_thread copies[emulation::most_threads];

/* A thread of another block has no copies yet. */
static inline copies_of_thread &copies_of_mine()
{
    copies_of_thread &mine = copies[threadIdx.x];
    if (mine.block != blockIdx.x) {
        mine = {blockIdx.x, {}, {}};
    }
    return mine;
}
template <int FLOATS> static inline void copy_begin(float *to, const float *from)
{
    copies_of_mine().open.push_back({to, from, FLOATS});
}
static inline void copy_close()
{
    copies_of_thread &mine = copies_of_mine();
    mine.groups.push_back(mine.open);
    mine.open.clear();
}
static inline void copy_wait(int left)
{
    copies_of_thread &mine = copies_of_mine();
    for (; mine.groups.size() > (size_t)(left > 3 ? 3 : left); mine.groups.pop_front()) {
        for (const copy_of_floats &c : mine.groups.front()) {
            memcpy(c.to, c.from, (size_t)c.count * sizeof *c.to);
        }
    }
}
/* Before a launch: none is left of the one before. */
static inline void forget_copies()
{
    for (copies_of_thread &c : copies) {
        c.groups.clear();
        c.open.clear();
    }
}
} // namespace wvl_lattice
