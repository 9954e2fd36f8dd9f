/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WVL_T1_BITS_H
#define WVL_T1_BITS_H

#include <stdint.h>

#if defined(__GNUC__)
#define WVL_ALWAYS_INLINE inline __attribute__((always_inline))
static inline unsigned wvl_trailing_zeros(uint64_t v) { return (unsigned)__builtin_ctzll(v); }
#else
#define WVL_ALWAYS_INLINE inline
/* v is not 0. */
static inline unsigned wvl_trailing_zeros(uint64_t v)
{
    unsigned n = 0;
    for (unsigned s = 32; s; s >>= 1) {
        if (!(v & (((uint64_t)1 << s) - 1))) {
            v >>= s;
            n += s;
        }
    }
    return n;
}
#endif

#define WVL_NIBBLES(n) (UINT64_C(0x1111111111111111) * (n))

#endif
