/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile between block coding and writing: what rate control decides on and what the writer takes from. */
#pragma once

#include "codec/t2/meter.h"

/* One packet as committed. Of the layer in work, as measured last: header_bytes is 0 where its blocks have other cuts
 * now, places come later. */
typedef struct wvl_packet {
    uint64_t header_at;        /* in the header bytes of the picture */
    uint64_t contributions_at; /* in the contributions of the picture */
    uint64_t body_bytes;
    uint32_t header_bytes;
    uint32_t contribution_count;
} wvl_packet;

#define WVL_SOP_BYTES 6u
#define WVL_EPH_BYTES 2u

/* Returns the bytes of the markers around a packet's header. */
static inline uint32_t wvl_packet_marker_bytes(int sop, int eph)
{
    return (sop ? WVL_SOP_BYTES : 0) + (eph ? WVL_EPH_BYTES : 0);
}

/* Bytes [from, to) of a block's codeword go into the packet. */
typedef struct wvl_contribution {
    uint64_t block; /* tile block index */
    uint32_t from, to;
} wvl_contribution;

typedef struct wvl_coded_tile {
    wvl_precinct *precincts;
    wvl_coded_block *blocks;
    wvl_block_state *states;
    wvl_tag_node *nodes;
    wvl_packet *packets;           /* [layer][precinct] */
    wvl_meter_chunk *meter_chunks; /* with rate control: of precincts of many blocks (codec/t2/meter.h) */
    uint32_t *meter_firsts;        /* [node_count], if there are chunks */
    uint64_t meter_chunk_count;
    uint64_t precinct_count, block_count, node_count;
    uint64_t first_precinct; /* counted over all tiles */
    uint8_t sop, eph;        /* markers around its packet headers */
    void *memory;            /* one allocation holds all of it */
    uint64_t memory_bytes;
} wvl_coded_tile;

/* What of the picture is at work: tiles, or some precincts of one. */
typedef struct wvl_portion {
    uint32_t first, end;       /* tiles */
    const uint64_t *precincts; /* [count], of tile `first`; NULL: all precincts of all these tiles */
    uint64_t count;
} wvl_portion;
static inline uint64_t wvl_portion_count(const wvl_portion *portion, const wvl_coded_tile *tile)
{
    return portion->precincts ? portion->count : tile->precinct_count;
}
static inline uint64_t wvl_portion_at(const wvl_portion *portion, uint64_t index)
{
    return portion->precincts ? portion->precincts[index] : index;
}

/* Passes of a block, followed in the store by cumulative weighted gains and hull slopes when rate control is on. */
static inline const wvl_pass *wvl_block_passes(const wvl_store *store, const wvl_coded_block *block)
{
    return wvl_store_at(store, block->passes_at);
}
static inline int64_t *wvl_block_gains(const wvl_store *store, const wvl_coded_block *block)
{
    return (int64_t *)wvl_store_at(store, block->passes_at + block->pass_count * sizeof(wvl_pass));
}
static inline uint16_t *wvl_block_slopes(const wvl_store *store, const wvl_coded_block *block)
{
    return (uint16_t *)(wvl_block_gains(store, block) + block->pass_count);
}
static inline uint64_t wvl_block_passes_bytes(uint64_t passes, int rate_control)
{
    return passes * (sizeof(wvl_pass) + (rate_control ? sizeof(int64_t) + sizeof(uint16_t) : 0));
}
