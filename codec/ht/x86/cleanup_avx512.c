/* SPDX-License-Identifier: BSD-2-Clause */
/* The cleanup pass on sixteen quads at a time. */
#include "codec/ht/x86/lanes_avx512.h"

#include "codec/ht/cleanup_lanes.h"
#include "codec/ht/x86/cleanup_wide_avx2.h"
#include "codec/ht/x86/refine_avx2.h"

static uint32_t encode_cleanup(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    return fits_lanes(in, plane) ? encode_lanes(s, in, plane, to) : wvl_ht_encode_cleanup_wide_avx2(s, in, plane, to);
}

const wvl_ht_kernels wvl_ht_kernels_avx512 = {encode_cleanup, wvl_ht_encode_refinement_avx2, wvl_ht_sum_plane_avx2,
                                              wvl_ht_sum_squares_avx2};
