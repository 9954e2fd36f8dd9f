/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures whose tiles are too large to be held: the rows of a row source go through the strips of a backend, and
 * blocks come out as they are complete. In place of wvl_drive for such pictures.
 */
#pragma once

#include "backend/strips.h"
#include "rows/window.h"

typedef struct wvl_strip_drive {
    const wvl_plan *plan;
    wvl_row_window *rows;
    const wvl_look *look;
    wvl_strips *strips; /* of the row of tiles at work; NULL: none is */
    wvl_tile_plan *tiles;
    wvl_coefs *coefs; /* [count]: what wvl_strip_drive_next found */
    uint32_t count;   /* tiles of a row */
    void *memory;
    uint64_t memory_bytes;
    uint32_t tile_row; /* at work, or the next */
    uint64_t at;       /* rows of the reference grid before this one were fed */
    uint64_t share;    /* rows that the strip at hand has added */
} wvl_strip_drive;

/* Most bytes that a drive takes beside the window. UINT64_MAX: no memory to find out. */
uint64_t wvl_strip_drive_measure(const wvl_plan *plan);

wvl_status wvl_strip_drive_open(wvl_strip_drive *drive, const wvl_plan *plan, wvl_row_window *rows,
                                const wvl_look *look);
void wvl_strip_drive_close(wvl_strip_drive *drive);
/* Before each round. */
wvl_status wvl_strip_drive_start(wvl_strip_drive *drive);
/* Transforms until rows of blocks are complete, or a row of tiles is: coefs[0, count), which go with
 * wvl_strips_pass(strips). WVL_END after the last, and of a drive that is closed. */
wvl_status wvl_strip_drive_next(wvl_strip_drive *drive, uint32_t *count);
