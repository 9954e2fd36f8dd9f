/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Early output: packets leave while later tiles, or later rows of a tile, are still coded, and their memory is used
 * again (D-strip-06). The bytes are those of wvl_coder_write(); lengths that are not known yet are written as 0, and
 * patched at the end.
 *
 * Order of calls, in place of finish and write: init -> open_early -> { code_tiles -> send_ } for every wave, or strip
 * -> close_early -> patch_early -> fini.
 */
#pragma once

#include "codec/write/writer.h"

/* NULL, or why the bytes of this plan cannot leave before the last block is coded. */
const char *wvl_early_obstacle(const wvl_plan *plan);
/* Says whether the header of the codestream's box has 16 bytes (I.4), whatever the length: bytes may leave before the
 * length is known, and it may need them. */
int wvl_early_needs_long_box(const wvl_plan *plan);
/* NULL, or why they can only leave when whole tiles are coded. Where wvl_early_obstacle says nothing. */
const char *wvl_early_rows_obstacle(const wvl_plan *plan);

typedef struct wvl_early_options {
    wvl_tile_walk tiles;
    const wvl_order_memory *memory; /* for the order of a tile's packets; until close */
    int by_rows;                    /* send_rows is called, not send_tiles */
    wvl_put_fn put;
    void *user;
} wvl_early_options;

/* Bytes of the state between open and fini. */
uint64_t wvl_early_state_bytes(const wvl_plan *plan, int by_rows);
/* By rows: the most that headers and lists of what leaves together take beside stores. */
uint64_t wvl_early_bound_index(const wvl_plan *plan);

/* Writes the main header. No tile is open. */
wvl_status wvl_coder_open_early(wvl_coder *coder, const wvl_early_options *options);
/* The next `count` tiles are coded: their bytes leave, and so does all that the coder holds of them. */
wvl_status wvl_coder_send_tiles(wvl_coder *coder, uint32_t count);
/* Rows of blocks of the tile at work are coded (coefs->rows). is_end: the last ones. */
wvl_status wvl_coder_send_rows(wvl_coder *coder, const wvl_coefs *coefs, int is_end);
/* After the last tile: writes the end; all lengths and results are known then. */
wvl_status wvl_coder_close_early(wvl_coder *coder);

/* bytes replace what stands at offset, counted from SOC. Nonzero stops. */
typedef int (*wvl_patch_fn)(void *user, uint64_t offset, const void *data, size_t bytes);
int wvl_early_patches(const wvl_plan *plan, int by_rows);
wvl_status wvl_coder_patch_early(wvl_coder *coder, wvl_patch_fn patch, void *user);
