/* SPDX-License-Identifier: BSD-2-Clause */
/* Big-endian stores: every multi-byte field of the codestream and of JP2 boxes is big-endian. */
#pragma once

#include <stdint.h>

static inline uint8_t *wvl_put_u8(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)v;
    return p + 1;
}
static inline uint8_t *wvl_put_u16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
    return p + 2;
}
static inline uint8_t *wvl_put_u32(uint8_t *p, uint32_t v)
{
    p = wvl_put_u16(p, v >> 16);
    return wvl_put_u16(p, v & 0xFFFFu);
}
static inline uint8_t *wvl_put_u64(uint8_t *p, uint64_t v)
{
    p = wvl_put_u32(p, (uint32_t)(v >> 32));
    return wvl_put_u32(p, (uint32_t)v);
}
