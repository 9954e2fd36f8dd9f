/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts of 32 samples at once, by logic on words (Tables D.1 to D.3). */
#pragma once
#include "cuda/blocks/t1_words.cuh"

namespace wvl_t1
{

/* Neighbours as a sample sees them when it is coded. */
struct neighbours {
    uint32_t n, s, west, east, nw, ne, sw, se;
};

/* Four bits of a context. */
struct zero_codes {
    uint32_t c0, c1, c2, c3;
};

__device__ __forceinline__ zero_codes find_zero_codes(const neighbours &a, uint32_t orient)
{
    zero_codes r;
    uint32_t p = a.nw, q = a.ne, u = a.sw, v = a.se, pq = p ^ q, uv = u ^ v, p2 = p & q, u2 = u & v;
    uint32_t d1 = p | q | u | v, d2 = p2 | u2 | (pq & uv), d3 = (p2 & (u | v)) | (u2 & (p | q));
    uint32_t n = a.n, s = a.s, w = a.west, e = a.east;
    if (orient == 3) {
        uint32_t h1 = n | s | w | e, h2 = (n & s) | (w & e) | ((n ^ s) & (w ^ e)), only2 = d2 & ~d3, only1 = d1 & ~d2;
        r.c3 = d3;
        r.c2 = only2 | (only1 & h1);
        r.c1 = only2 | (only1 & ~h1) | (~d1 & h2);
        r.c0 = (only2 & h1) | (only1 & (~h1 | h2)) | (~d1 & h1 & ~h2);
        return r;
    }
    if (orient == 1) {
        uint32_t t = n;
        n = w, w = t;
        t = s, s = e, e = t;
    }
    uint32_t a2 = w & e, a1 = w ^ e, a0 = ~(w | e), x2 = n & s, x1 = n ^ s, x = n | s;
    r.c3 = a2;
    r.c2 = a1 | (a0 & x2);
    r.c1 = (a1 & (x | d1)) | (a0 & (x1 | (~x & d2)));
    r.c0 = (a1 & (x | ~d1)) | (a0 & (x1 | (~x & d1 & ~d2)));
    return r;
}

/* Three bits of a context, whose fourth is 1, and the decision. */
struct sign_codes {
    uint32_t c0, c1, c2, bit;
};

/* n, s, w, e: signs of the neighbours. */
__device__ __forceinline__ sign_codes find_sign_codes(const neighbours &a, uint32_t n, uint32_t s, uint32_t w,
                                                      uint32_t e, uint32_t sign)
{
    uint32_t np = a.n & ~n, nn = a.n & n, sp = a.s & ~s, sn = a.s & s;
    uint32_t wp = a.west & ~w, wn = a.west & w, ep = a.east & ~e, en = a.east & e;
    uint32_t vp = (np & ~sn) | (sp & ~nn), vn = (nn & ~sp) | (sn & ~np), hp = (wp & ~en) | (ep & ~wn),
             hn = (wn & ~ep) | (en & ~wp);
    uint32_t h = hp | hn, v = vp | vn, opposed = (hp & vn) | (hn & vp);
    return {~(h ^ v), (~h & v) | opposed, h & ~opposed, sign ^ (hn | (~h & vn))};
}

/*
 * A word as it stands before a plane, after its propagation pass and after the plane: of the lane's own columns, or of
 * those one column to the left or right. rim: a row of the stripe above (after the propagation pass, after the plane)
 * and of the one below (before the plane, after the propagation pass).
 */
struct column_state {
    uint32_t own, now, after, rim_own, rim;
    __device__ __forceinline__ void clear() { own = now = after = rim_own = rim = 0; }
    /* q: above fresh, above bit, below bit, below fresh. */
    __device__ __forceinline__ void open(uint32_t bit, uint32_t fresh, uint32_t q)
    {
        own = after;
        now = own | fresh;
        after = own | bit;
        rim = rim_own | (q & 0xFF00FFFFu);
        rim_own |= __byte_perm(q, 0, 0x2211);
    }
    template <int K> __device__ __forceinline__ uint32_t north(uint32_t v) const
    {
        return __byte_perm(v, rim, 0x2104 + K);
    }
    template <int K> __device__ __forceinline__ uint32_t south(uint32_t v) const
    {
        return __byte_perm(v, rim, 0x4321 + K * 0x1000);
    }
};

} // namespace wvl_t1
