/* SPDX-License-Identifier: BSD-2-Clause */
/* The listing of passes for any processor. */

#define FETCH_NEIGHBOURS(x) ((unsigned)(((x)&7) | ((x) >> 3 & 0x38) | ((x) >> 6 & 0x1C0)))
#include "codec/t1/fast_units.h"

/* Base of the symbols of a refinement: context 14 + lit + 2 * again. */
static WVL_ALWAYS_INLINE uint8_t *refine_members(uint64_t todo, uint64_t bits, uint64_t lit, uint64_t again,
                                                 uint8_t *out)
{
    while (todo) {
        unsigned i = (unsigned)__builtin_ctzll(todo);
        todo &= todo - 1;
        *out++ = (uint8_t)(2 * WVL_T1_CTX_REFINE + (bits >> i & 1) + 2 * (lit >> i & 1) + 4 * (again >> i & 1));
    }
    return out;
}

static WVL_ALWAYS_INLINE void add_gain(wvl_t1_fast *b, const stripe *s, uint32_t k, uint64_t fresh, int flags)
{
    add_each_gain(b, s, k, fresh, flags);
}

#include "codec/t1/fast_pass.h"

size_t wvl_t1_list_pass_c(wvl_t1_fast *block, int kind, int raw, unsigned plane)
{
    return list_pass(block, kind, raw, plane);
}
