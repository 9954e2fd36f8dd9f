/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of packets in a tile (B.12). */
#ifndef WVL_CODEC_T2_PACKET_ORDER_H
#define WVL_CODEC_T2_PACKET_ORDER_H

#include "geom/plan.h"

typedef struct wvl_packet_id {
    uint64_t precinct;   /* index in the tile's precinct table */
    uint32_t component, layer;
    uint8_t resolution;
} wvl_packet_id;

/* A resolution of a component whose precincts wait for their turn at (y, x) of the reference grid. */
typedef struct wvl_order_stream {
    uint64_t x, y;
    uint64_t next;       /* precinct within the resolution, raster */
    uint32_t component;
    uint8_t resolution;
} wvl_order_stream;

typedef struct wvl_packet_order {
    const wvl_plan *plan;
    const wvl_tile_plan *tile;
    wvl_order_stream *heap;
    uint64_t heap_count;
    uint32_t outer;      /* resolution (RPCL), component (CPRL) or layer (LRCP) or resolution (RLCP) of the outermost loop */
    uint32_t layer, component, resolution;
    uint64_t precinct;
    int started;
} wvl_packet_order;

/* streams: room for tile->resolution_count entries. */
void wvl_order_open(wvl_packet_order *order, const wvl_plan *plan, const wvl_tile_plan *tile, wvl_order_stream *streams);
/* 0 after the last packet. */
int wvl_order_next(wvl_packet_order *order, wvl_packet_id *id);

#endif
