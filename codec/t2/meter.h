/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Length of a packet header whose cuts change one block at a time. A header of many blocks is cut into chunks. A chunk
 * gives the same bits whatever comes before it; only how they fall into bytes depends on that, by one of
 * WVL_METER_PHASES states of the bit writer. A chunk keeps what it takes from each state until a block changes its
 * bits, so a change costs a few chunks and not the whole packet.
 */
#pragma once

#include "codec/t2/precinct.h"

#define WVL_METER_PHASES 23u /* of a byte of 8 bits, 0 to 7 of them filled, by ones alone or not; of a byte of 7 */

/* For each phase in which a chunk may begin: its bytes and the phase in which it ends, 0 where not known. */
typedef struct wvl_meter_chunk {
    uint32_t known[WVL_METER_PHASES];
} wvl_meter_chunk;

typedef struct wvl_meter {
    const wvl_t2_tile *tile;
    const wvl_precinct *precinct;
    uint32_t layer;
    uint32_t *firsts;        /* as the tile's nodes: leaves that speak for them (tile->node_count) */
    wvl_meter_chunk *chunks; /* of the precinct */
    uint8_t *bytes;          /* room for a header */
} wvl_meter;

/* Says whether headers of the precinct are long enough; chunks that they take then, else 0. */
uint64_t wvl_meter_chunks(const wvl_precinct *precinct);
/* Takes the cuts of all blocks as they are. Values in the tile's trees become those of the layer. */
void wvl_meter_open(const wvl_meter *m);
/* The cut of the block was `before`, and is what its state says. */
void wvl_meter_change(const wvl_meter *m, uint64_t block, const wvl_block_state *before);
/* Bytes of the header. Something must be in the packet. */
uint32_t wvl_meter_header(const wvl_meter *m);
