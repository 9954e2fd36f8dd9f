/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the two halves pass to each other. PODs of offsets; wvl_coef_at() and wvl_coef_cell() alone know the layout.
 *
 * Coefficients: block-contiguous. Every block of a band has a cell of cell_width * cell_height samples, cells follow in
 * band raster order, the block's first sample is the cell's first, rows are cell_width apart. Samples are
 * sign-magnitude, sign in the top bit (15, 31 or 63), magnitude with F fractional bits below the quantiser step. The
 * sign bit of a zero magnitude may be either (a device need not clean it, the CPU does): nobody who reads looks at the
 * sign of what is not significant. What a cell holds beyond its block is undefined. The bound of a block is the OR of
 * its magnitudes; of 64-bit samples, bits from 31 on are joined in bit 31. Where it is 0 the samples need not be there:
 * a device does not deliver empty blocks.
 */
#pragma once

#include <string.h>

#include "geom/handover_blocks.h"
#include "geom/handover_pass.h"

/* Rows of blocks of a band, counted from its first. */
typedef struct wvl_block_rows {
    uint32_t first, end;
} wvl_block_rows;

/* A strip has some rows of blocks; the cells of the tile plan then lie in a smaller piece of memory. */
typedef struct wvl_coefs {
    const wvl_tile_plan *tile;
    uint8_t *samples;           /* tile->coef_bytes */
    uint32_t *bounds;           /* [tile->block_count] */
    const wvl_block_rows *rows; /* [tile->band_count]: what is there; NULL: all */
} wvl_coefs;

static inline wvl_block_rows wvl_coefs_rows(const wvl_coefs *coefs, uint32_t band)
{
    return coefs->rows ? coefs->rows[band] : (wvl_block_rows){0, coefs->tile->bands[band].block_rows};
}

/* Byte offset of a block's cell from the start of the tile's coefficients. block counts from the band's first. */
WVL_HD uint64_t wvl_coef_cell(const wvl_tile_band *band, uint32_t block)
{
    return band->coef_offset + (uint64_t)block * band->cell_width * band->cell_height * band->coef_bytes;
}

/* Byte offset of the sample at absolute band coordinates (x, y). */
WVL_HD uint64_t wvl_coef_at(const wvl_tile_band *band, uint32_t x, uint32_t y)
{
    uint32_t col = (x >> band->xcb) - band->block_x0, row = (y >> band->ycb) - band->block_y0;
    uint32_t left = col ? (x >> band->xcb) << band->xcb : band->rect.x0;
    uint32_t top = row ? (y >> band->ycb) << band->ycb : band->rect.y0;
    uint64_t cell = wvl_coef_cell(band, row * band->block_cols + col);
    return cell + ((uint64_t)(y - top) * band->cell_width + (x - left)) * band->coef_bytes;
}

#define WVL_COEF_SIGN64 (UINT64_C(1) << 63)

/* The bound of 64-bit samples whose magnitudes have this OR. */
static inline uint32_t wvl_coef_bound64(uint64_t seen)
{
    return ((uint32_t)seen & INT32_MAX) | (seen > INT32_MAX ? UINT32_C(1) << 31 : 0);
}

/* Says whether count samples of a row mean the same: signs of zero do not. */
static inline int wvl_coef_agree(const uint8_t *a, const uint8_t *b, uint64_t count, unsigned bytes)
{
    int agree = 1;
    for (uint64_t i = 0; i < count * bytes && agree; i += bytes) {
        uint64_t va = 0, vb = 0;
        memcpy(&va, a + i, bytes);
        memcpy(&vb, b + i, bytes);
        agree = va == vb || !((va | vb) & ((UINT64_C(1) << (8 * bytes - 1)) - 1));
    }
    return agree;
}

/* A coded block as rate control and packets see it: what its coder said (wvl_block_record), and two notes of the codec.
 */
typedef struct wvl_coded_block {
    uint64_t bytes_at;  /* position in the byte store */
    uint64_t passes_at; /* position in the pass store */
    uint64_t energy;
    uint32_t bytes;
    uint32_t weight; /* about how many bits it takes, in no unit (rdoq) */
    uint16_t pass_count, decided, end_slope;
    uint16_t last_slope; /* the threshold of the last layer (rdoq) */
    uint8_t planes, zero_planes, lift, energy_shift, is_changed;
} wvl_coded_block;
