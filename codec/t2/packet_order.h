/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of packets in a tile (B.12), progression order changes included. */
#pragma once

#include "geom/plan.h"

typedef struct wvl_packet_id {
    uint64_t precinct; /* index in the tile's precinct table */
    uint32_t component, layer;
    uint8_t resolution;
} wvl_packet_id;

/* A resolution of a component whose precincts wait for their turn at (y, x) of the reference grid. */
typedef struct wvl_order_stream {
    uint64_t x, y;
    uint64_t next; /* precinct within the resolution, raster */
    uint32_t component;
    uint8_t resolution;
} wvl_order_stream;

/* Memory of an order: streams for position progressions; the next layer of every precinct where volumes may overlap. */
typedef struct wvl_order_memory {
    wvl_order_stream *streams; /* [tile->resolution_count] */
    uint16_t *next_layers;     /* [tile->precinct_count], or NULL without progression order changes */
} wvl_order_memory;

typedef struct wvl_packet_order {
    const wvl_plan *plan;
    const wvl_tile_plan *tile;
    wvl_order_memory memory;
    wvl_progression volume; /* the one in work */
    uint32_t volume_next;   /* index of the next candidate in plan->syntax.progressions */
    uint32_t volume_tile;   /* which volumes count: the tile's own, or those for all tiles */
    uint64_t heap_count;
    uint32_t outer; /* outermost loop of RPCL (resolution) or CPRL (component) */
    uint32_t layer, component, resolution;
    uint64_t precinct;
    int started;
} wvl_packet_order;

void wvl_order_carve(const wvl_plan *plan, uint64_t resolutions, uint64_t precincts, wvl_carver *carver,
                     wvl_order_memory *memory);
void wvl_order_open(wvl_packet_order *order, const wvl_plan *plan, const wvl_tile_plan *tile,
                    const wvl_order_memory *memory);
/* 0 after the last packet. */
int wvl_order_next(wvl_packet_order *order, wvl_packet_id *id);
