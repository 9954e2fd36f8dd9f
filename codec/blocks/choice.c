/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/blocks/choice.h"

#include "codec/ht/ht.h"
#include "codec/t1/t1.h"

const wvl_block_coder *wvl_blocks_choose_coder(const wvl_plan *plan)
{
    return plan->syntax.codings[0].style & WVL_STYLE_HT ? &wvl_ht_block_coder : &wvl_t1_block_coder;
}

uint64_t wvl_blocks_bound_bytes(const wvl_plan *plan, uint32_t width, uint32_t height, uint32_t planes, uint8_t style)
{
    const wvl_block_coder *coder = wvl_blocks_choose_coder(plan);
    uint64_t bytes = coder->bytes_bound(width, height, planes, style);
    for (uint32_t n = 1; plan->test.all_sets && n < planes; n++) {
        bytes += coder->bytes_bound(width, height, n, style);
    }
    return bytes;
}
