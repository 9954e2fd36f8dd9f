/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets as rate control asks for them: it chooses thresholds, and a source of packets says what they cost. Nothing
 * here says where the packets are: on the host (codec/rate/packets_host.h), or later on a device.
 */
#pragma once

#include "geom/plan.h"

#define WVL_SLOPES 65537u /* thresholds 0 (everything) .. 65536 (nothing) */
#define WVL_SLOPE_NOTHING 65536u

/* One layer as it would be cut: every block is sent up to its last pass whose hull slope is not below the threshold of
 * its cap group. */
typedef struct wvl_layer_cuts {
    const uint32_t *thresholds; /* [wvl_plan_cap_groups()] */
    uint32_t layer;
    int is_last; /* no later layer follows: codewords end with it */
} wvl_layer_cuts;

typedef struct wvl_layer_cost {
    uint64_t packet_bytes; /* SOP, header, EPH, body */
    uint64_t plt_bytes;    /* lengths of these packets in PLT */
    uint64_t plm_bytes;    /* and in PLM */
    uint64_t header_bytes; /* what of packet_bytes goes to PPM or PPT */
} wvl_layer_cost;

/* What lies on the hulls of all blocks, by slope, summed from the steep end: at least this slope. The caller's arrays.
 */
typedef struct wvl_slope_sums {
    uint64_t
        *bodies;   /* [rate groups][WVL_SLOPES] bytes; sums stand at slopes from slope_least to slope_most, and at 0 */
    double *gains; /* [WVL_SLOPES], added in the order of tiles, precincts, bands, blocks, passes; NULL: nobody asks */
    double energy; /* squared error of the empty picture, gain units; added in the same order */
    uint32_t slope_least, slope_most; /* of all blocks' hulls */
} wvl_slope_sums;

/* What the committed layers hold. Doubles are added tile by tile, gain by the order of blocks in the tile, the others
 * as wvl_slope_sums.energy. */
typedef struct wvl_sent_sums {
    double gain;                     /* of passes sent */
    double energy_plain, gain_plain; /* all energy, and the gain, without visual weights; with plan->rate.visual */
    int is_everything;               /* every pass of every block is sent */
} wvl_sent_sums;

/* Says whether a layer of this cost may stand, with `group_bytes` in the cap group: the budget and the caps, as the
 * caller knows them. */
typedef struct wvl_layer_room {
    void *user;
    uint64_t budget; /* of the codestream */
    uint64_t (*codestream_bytes)(void *user, const wvl_layer_cost *cost);
    int (*group_fits)(void *user, uint32_t group, uint64_t group_bytes);
} wvl_layer_room;

/* A packet of the committed layers. Bytes stay where they are until the source is closed. */
typedef struct wvl_packet_span {
    const uint8_t *data;
    uint64_t bytes;
} wvl_packet_span;
typedef struct wvl_packet_length {
    uint64_t body_bytes;
    uint32_t header_bytes;
} wvl_packet_length; /* without markers */

/*
 * Order of calls: open, then for every layer: begin, { cut | measure }*, fill at most once, commit, sent; then length
 * and fetch. Calls come from one thread. An error other than of memory lets the caller take another source, over the
 * same blocks, from open on.
 */
typedef struct wvl_packet_source {
    void *self;
    /* Sets up the headers of all precincts, and fills the sums. */
    wvl_status (*open)(void *self, wvl_slope_sums *sums);
    wvl_status (*begin)(void *self, uint32_t layer);
    wvl_status (*cut)(void *self, const wvl_layer_cuts *cuts);
    /* Cuts, and counts. group_bytes: [cap groups], packets and their PLT lengths. */
    wvl_status (*measure)(void *self, const wvl_layer_cuts *cuts, wvl_layer_cost *cost, uint64_t *group_bytes);
    /* After a measure with the same cuts: single passes below the thresholds, steepest first, as long as the room
     * allows. Brings the cost up to date. */
    wvl_status (*fill)(void *self, const wvl_layer_cuts *cuts, const wvl_layer_room *room, wvl_layer_cost *cost,
                       uint64_t *group_bytes);
    /* Codes the layer for good, with the cuts as they stand. Sets the cost, adds to group_bytes. */
    wvl_status (*commit)(void *self, const wvl_layer_cuts *cuts, wvl_layer_cost *cost, uint64_t *group_bytes);
    wvl_status (*sent)(void *self, wvl_sent_sums *sums);
    /* packet: layer * (precincts of the tile) + precinct, in the order of the tile plan. */
    wvl_packet_length (*length)(void *self, uint32_t tile, uint64_t packet);
    /* The pieces of a packet: its header, then its body in pieces, from 1 on, until one has no data. */
    wvl_packet_span (*fetch)(void *self, uint32_t tile, uint64_t packet, uint64_t piece);
} wvl_packet_source;
