/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tiles too large for a job, on the CPU: their rows go in as they come, and the rows of code blocks that are complete
 * come out. What is held follows the width of the tiles and the rows that come at a time, not the height.
 *
 * Order of calls: open -> { feed -> collect -> pass }* -> close, for each row of tiles.
 */
#pragma once

#include "base/look.h"
#include "base/pool.h"
#include "geom/handover.h"

typedef struct wvl_strips wvl_strips;

typedef struct wvl_strip_options {
    const wvl_allocator *host;
    wvl_pool *pool;
    const wvl_look *look;
    const wvl_plan *plan;
    const wvl_tile_plan *tiles; /* of one row of tiles; they stay valid until close */
    uint32_t tile_count;
    uint64_t rows; /* of the reference grid, that a feed adds at most */
} wvl_strip_options;

/* Bytes that open takes. Pure. */
uint64_t wvl_strips_measure(const wvl_strip_options *options);
wvl_status wvl_strips_open(const wvl_strip_options *options, wvl_strips **strips);
void wvl_strips_close(wvl_strips *strips);
/* Rows of the reference grid before `end` are in the image now, from keep() on. Transforms what they suffice for.
 * WVL_ERROR_INPUT: samples outside the declared depth. */
wvl_status wvl_strips_feed(wvl_strips *strips, const wvl_image *image, uint64_t end);
/* The first row of the reference grid that a later feed reads. */
uint64_t wvl_strips_keep(const wvl_strips *strips);
/* coefs[tile_count], with the rows of blocks that were completed since the last pass (wvl_coefs.rows). They are valid
 * until pass. Returns how many blocks there are. */
uint64_t wvl_strips_collect(wvl_strips *strips, wvl_coefs *coefs);
/* The blocks collected go. */
void wvl_strips_pass(wvl_strips *strips);
