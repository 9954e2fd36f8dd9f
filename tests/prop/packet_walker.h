/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the packet walker share. */
#ifndef TEST_PACKET_WALKER_H
#define TEST_PACKET_WALKER_H

#include <stdlib.h>

#include "tests/prop/packet_geom.h"
#include "tests/prop/packets.h"
#include "tests/prop/tag_reader.h"

/* ---- State of a tile ------------------------------------------------------------------------- */

typedef struct block {
    unsigned included, planes, passes, lblock;
} block;

typedef struct precinct_band {
    uint32_t cols, rows;
    unsigned mb;
    tag_reader *inclusion, *zero_planes;
    block *blocks;
} precinct_band;

typedef struct precinct {
    unsigned band_count;
    precinct_band band[3];
} precinct;

typedef struct resolution {
    naive_rect rect;
    unsigned ppx, ppy;
    uint64_t wide, high;
    precinct *precincts;
} resolution;

typedef struct tile_component {
    naive_rect rect;
    resolution resolutions[33];
} tile_component;

typedef struct walker {
    const uint8_t *data;
    const cs_stream *s;
    packet_list *list;
    char *error;
    size_t error_bytes;
    int failed;
    unsigned tile;
    cs_scope scope; /* what holds for the tile */
    naive_rect rect;
    tile_component *components;
    unsigned max_levels;
    size_t part, at, end;     /* tile-part and place in it */
    const uint8_t *head;      /* where headers are: data, or the part's packed headers */
    size_t head_at, head_end; /* place in these, when packed */
    uint32_t **next_layers;   /* [component * 33 + resolution][precinct]: what POC has sent so far */
    size_t part_packets, tile_packets;
    unsigned byte, bits_left; /* header bits */
} walker;

static inline void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        abort();
    }
    return memory;
}

/* Takes the next packet, which must be this one. */
void packets_take(walker *w, unsigned component, unsigned r, uint64_t k, unsigned layer);
/* Takes all packets of the tile in order. */
void packets_take_tile(walker *w);

#endif
