/* SPDX-License-Identifier: BSD-2-Clause */
/* The cleanup pass on four quads at a time. */
#include "codec/ht/arm/lanes_neon.h"

#include "codec/ht/cleanup_lanes.h"
#include "codec/ht/refine.h"

static uint32_t encode_cleanup(wvl_ht_scratch *s, const wvl_block_input *in, unsigned plane, uint8_t *to)
{
    return fits_lanes(in, plane) ? encode_lanes(s, in, plane, to) : wvl_ht_kernels_c.encode_cleanup(s, in, plane, to);
}

const wvl_ht_kernels wvl_ht_kernels_neon = {encode_cleanup, wvl_ht_encode_refinement_c, wvl_ht_sum_plane_c,
                                            wvl_ht_sum_squares_c};
