/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimised quantisation of one block on the host; its rules are in core/rdoq.h. */
#pragma once

#include "codec/core/rdoq.h"
#include "codec/rate/rdoq_kernels.h"
#include "geom/handover.h"

typedef struct wvl_rdoq {
    const wvl_rdoq_kernels *kernels;
    void *samples;     /* a block's, copied: as many, and as wide, as its own */
    uint8_t *levels;   /* wvl_rdoq_area() of the largest block, at most WVL_RDOQ_AREA */
    int8_t *fractions; /* the same */
    int is_large;      /* the picture: fewer candidates beyond the end of a block do */
} wvl_rdoq;

#define WVL_RDOQ_SAMPLES 4096u
#define WVL_RDOQ_AREA (34u * 1026u) /* 4 x 1024 has the longest border */
static inline uint32_t wvl_rdoq_area(uint32_t width, uint32_t height) { return wvl_rdoq_pitch(width) * (height + 2); }

/* What the gains of the changed block do not see of the error, in squared magnitudes: high * 2^64 + low. */
typedef struct wvl_rdoq_error {
    uint64_t low, high;
} wvl_rdoq_error;

/* About how many bits the block will take when it ends at the slope, in no unit; never 0. */
uint32_t wvl_rdoq_weigh(const wvl_rdoq_kernels *kernels, const wvl_block_input *in, const wvl_band_coding *band,
                        uint32_t slope);
/* Copies in's samples to r->samples, changes them for an end at the slope (0: none; and none of the lowest band), and
 * lets in point there; bound and max_passes become those of the changed block. */
wvl_rdoq_error wvl_rdoq_change(const wvl_rdoq *r, wvl_block_input *in, const wvl_band_coding *band, uint32_t slope);
/* Makes out's energy that of the unchanged block. */
void wvl_rdoq_add_error(wvl_block_output *out, wvl_rdoq_error error);
